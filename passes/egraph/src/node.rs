//! Terms of both languages as e-nodes.
//!
//! Layout terms are calls of the algebra on literals and tuples of tilers. Index terms are
//! operations of [`crate::index`] on integers and symbols. They meet where a layout is applied:
//! `(crd2idx i L)` is an index for an index `i` or a tuple of indices, `(idx2crd i S)` a tuple, and
//! `(layout S D)` a layout whose shape and stride are indices or tuples of them. `(swizzle G i)` is
//! the index that a swizzle makes of one.

use crate::{
    index::{IndexOp, wrap},
    symbol::Symbol,
};
use egg::{FromOp, Id, Language, RecExpr};
use layout_algebra::{Layout, Op, Term, Tuple, Value};
use std::fmt;

/// One level of a term; operands are classes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A value.
    Literal(Value),
    /// An unknown index.
    Symbol(Symbol),
    /// An operation of the algebra.
    Call(Op, Vec<Id>),
    /// An operation on indices.
    Index(IndexOp, Vec<Id>),
    /// A tuple of tilers.
    Tiler(Vec<Id>),
    /// A tuple of indices: a coordinate, a shape or a stride.
    Tuple(Vec<Id>),
    /// A layout of a shape and a stride, which may hold unknowns.
    Layout([Id; 2]),
    /// A swizzle of an index.
    Swizzle([Id; 2]),
}

/// The part of a node that two nodes must share to be the same up to their operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A value.
    Literal(Value),
    /// An unknown.
    Symbol(Symbol),
    /// An operation of the algebra and its number of operands.
    Call(Op, usize),
    /// An operation on indices.
    Index(IndexOp),
    /// A tuple of tilers, of this length.
    Tiler(usize),
    /// A tuple of indices, of this length.
    Tuple(usize),
    /// A layout of a shape and a stride.
    Layout,
    /// A swizzle of an index.
    Swizzle,
}

impl Language for Node {
    type Discriminant = Kind;

    fn discriminant(&self) -> Kind {
        match self {
            Self::Literal(value) => Kind::Literal(value.clone()),
            Self::Symbol(symbol) => Kind::Symbol(symbol.clone()),
            Self::Call(op, args) => Kind::Call(*op, args.len()),
            Self::Index(op, _) => Kind::Index(*op),
            Self::Tiler(entries) => Kind::Tiler(entries.len()),
            Self::Tuple(entries) => Kind::Tuple(entries.len()),
            Self::Layout(_) => Kind::Layout,
            Self::Swizzle(_) => Kind::Swizzle,
        }
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(a), Self::Literal(b)) => a == b,
            (Self::Symbol(a), Self::Symbol(b)) => a == b,
            (Self::Call(f, a), Self::Call(g, b)) => f == g && a.len() == b.len(),
            (Self::Index(f, a), Self::Index(g, b)) => f == g && a.len() == b.len(),
            (Self::Tiler(a), Self::Tiler(b)) | (Self::Tuple(a), Self::Tuple(b)) => {
                a.len() == b.len()
            }
            (Self::Layout(_), Self::Layout(_)) | (Self::Swizzle(_), Self::Swizzle(_)) => true,
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Self::Literal(_) | Self::Symbol(_) => &[],
            Self::Tiler(children)
            | Self::Tuple(children)
            | Self::Call(_, children)
            | Self::Index(_, children) => children,
            Self::Layout(children) | Self::Swizzle(children) => children,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Self::Literal(_) | Self::Symbol(_) => &mut [],
            Self::Tiler(children)
            | Self::Tuple(children)
            | Self::Call(_, children)
            | Self::Index(_, children) => children,
            Self::Layout(children) | Self::Swizzle(children) => children,
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(Value::Int(value)) => value.fmt(f),
            Self::Literal(value) => write!(f, "[{value}]"),
            Self::Symbol(symbol) => f.write_str(&symbol.name),
            Self::Tiler(_) => f.write_str("tiler"),
            Self::Tuple(_) => f.write_str("tuple"),
            Self::Layout(_) => f.write_str("layout"),
            Self::Swizzle(_) => f.write_str("swizzle"),
            Self::Call(op, _) => f.write_str(op.name()),
            Self::Index(op, _) => f.write_str(op.name()),
        }
    }
}

/// Patterns of rules and terms of tests are written as `(coalesce (flatten ?a))`. A tuple of tilers
/// is `(tiler ?s ?t)`, a coordinate `(tuple ?i ?j)`; a number is itself, another word a symbol.
impl FromOp for Node {
    type Error = String;

    fn from_op(op: &str, children: Vec<Id>) -> Result<Self, String> {
        let found = children.len();
        let takes = |expected: usize| match found == expected {
            true => Ok(()),
            false => Err(format!("expected {expected} operands of `{op}`, found {found}")),
        };
        match op {
            "tiler" => return Ok(Self::Tiler(children)),
            "tuple" => return Ok(Self::Tuple(children)),
            "layout" => {
                takes(2)?;
                return Ok(Self::Layout([children[0], children[1]]));
            }
            "swizzle" => {
                takes(2)?;
                return Ok(Self::Swizzle([children[0], children[1]]));
            }
            _ => {}
        }
        if let Some(index) = IndexOp::from_name(op) {
            takes(index.arity())?;
            return Ok(Self::Index(index, children));
        }
        if let Some(op) = Op::from_name(op) {
            return Ok(Self::Call(op, children));
        }
        if found > 0 {
            return Err(format!("expected an operation, found `{op}`"));
        }
        match op.parse::<i64>() {
            Ok(value) => Ok(Self::Literal(Value::Int(value))),
            Err(_) => op.parse().map(Self::Symbol),
        }
    }
}

impl Node {
    /// The value for operands with values, at a width of indices, or `None` if there is none.
    pub fn value(&self, operands: &[Value], width: u32) -> Option<Value> {
        let tuple = |value: &Value| match value {
            Value::Int(value) => Some(Tuple::Leaf(*value)),
            Value::Tuple(tuple) => Some(tuple.clone()),
            _ => None,
        };
        match self {
            Self::Literal(value) => Some(value.clone()),
            Self::Symbol(symbol) => (symbol.low == symbol.high).then_some(Value::Int(symbol.low)),
            Self::Call(op, _) => op.apply(&operands.iter().collect::<Vec<_>>()).ok(),
            Self::Tiler(_) => {
                Term::Tiler(operands.iter().cloned().map(Term::Literal).collect()).eval().ok()
            }
            Self::Index(op, _) => {
                let ints = operands.iter().map(|value| match value {
                    Value::Int(value) => Some(*value),
                    _ => None,
                });
                op.eval(&ints.collect::<Option<Vec<_>>>()?, width).map(Value::Int)
            }
            Self::Tuple(_) => {
                let entries = operands.iter().map(tuple).collect::<Option<Vec<_>>>()?;
                Some(Value::Tuple(Tuple::Node(entries)))
            }
            Self::Layout(_) => {
                let [shape, stride] = operands else { return None };
                Layout::new(tuple(shape)?, tuple(stride)?).ok().map(Value::Layout)
            }
            Self::Swizzle(_) => match operands {
                [Value::Swizzle(swizzle), Value::Int(index)] => {
                    Some(Value::Int(wrap(swizzle.apply(*index), width)))
                }
                _ => None,
            },
        }
    }
}

/// A term as egg's expression. It works on an explicit list, so that depth is bounded by memory and not by the stack.
pub fn to_expr(term: &Term) -> RecExpr<Node> {
    enum Step<'t> {
        Enter(&'t Term),
        Leave(&'t Term),
    }
    let mut expr = RecExpr::default();
    let mut steps = vec![Step::Enter(term)];
    let mut done: Vec<Id> = Vec::new();
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(term) => {
                steps.push(Step::Leave(term));
                if let Term::Tiler(below) | Term::Call { args: below, .. } = term {
                    steps.extend(below.iter().rev().map(Step::Enter));
                }
            }
            Step::Leave(term) => {
                let node = match term {
                    Term::Literal(value) => Node::Literal(value.clone()),
                    Term::Tiler(below) => Node::Tiler(done.split_off(done.len() - below.len())),
                    Term::Call { op, args } => {
                        Node::Call(*op, done.split_off(done.len() - args.len()))
                    }
                    Term::Form(never) => match *never {},
                };
                done.push(expr.add(node));
            }
        }
    }
    expr
}

/// The term of a node whose operands have terms, or `None` for a node of the index language.
pub fn to_term(node: &Node, operands: Vec<Term>) -> Option<Term> {
    match node {
        Node::Literal(value) => Some(Term::Literal(value.clone())),
        Node::Tiler(_) => Some(Term::Tiler(operands)),
        Node::Call(op, _) => Some(Term::Call { op: *op, args: operands }),
        Node::Symbol(_) | Node::Index(..) | Node::Tuple(_) | Node::Layout(_) | Node::Swizzle(_) => {
            None
        }
    }
}
