//! Terms as e-nodes.

use egg::{FromOp, Id, Language, RecExpr};
use layout_algebra::{Op, Term, Value};
use std::fmt;

/// One level of a term; operands are classes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A value.
    Literal(Value),
    /// A tuple of tilers.
    Tiler(Vec<Id>),
    /// An operation.
    Call(Op, Vec<Id>),
}

/// What two nodes must share to be the same up to their operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A value.
    Literal(Value),
    /// A tuple of so many tilers.
    Tiler(usize),
    /// An operation on so many operands.
    Call(Op, usize),
}

impl Language for Node {
    type Discriminant = Kind;

    fn discriminant(&self) -> Kind {
        match self {
            Self::Literal(value) => Kind::Literal(value.clone()),
            Self::Tiler(entries) => Kind::Tiler(entries.len()),
            Self::Call(op, args) => Kind::Call(*op, args.len()),
        }
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(a), Self::Literal(b)) => a == b,
            (Self::Tiler(a), Self::Tiler(b)) => a.len() == b.len(),
            (Self::Call(f, a), Self::Call(g, b)) => f == g && a.len() == b.len(),
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Self::Literal(_) => &[],
            Self::Tiler(children) | Self::Call(_, children) => children,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Self::Literal(_) => &mut [],
            Self::Tiler(children) | Self::Call(_, children) => children,
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(value) => value.fmt(f),
            Self::Tiler(_) => write!(f, "tiler"),
            Self::Call(op, _) => write!(f, "{}", op.name()),
        }
    }
}

/// Patterns of rules are written as `(coalesce (flatten ?a))`; a tuple of tilers is `(tiler ?s ?t)`.
impl FromOp for Node {
    type Error = String;

    fn from_op(op: &str, children: Vec<Id>) -> Result<Self, String> {
        match (op, Op::from_name(op)) {
            ("tiler", _) => Ok(Self::Tiler(children)),
            (_, Some(op)) => Ok(Self::Call(op, children)),
            _ => Err(format!("expected an operation of the algebra, found `{op}`")),
        }
    }
}

/// A term as egg takes it.
pub fn to_expr(term: &Term) -> RecExpr<Node> {
    let mut expr = RecExpr::default();
    add(&mut expr, term);
    expr
}

fn add(expr: &mut RecExpr<Node>, term: &Term) -> Id {
    let node = match term {
        Term::Literal(value) => Node::Literal(value.clone()),
        Term::Tiler(entries) => Node::Tiler(entries.iter().map(|entry| add(expr, entry)).collect()),
        Term::Call { op, args } => Node::Call(*op, args.iter().map(|arg| add(expr, arg)).collect()),
    };
    expr.add(node)
}
