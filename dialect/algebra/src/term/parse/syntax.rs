//! What a text says, before symbols are looked up.

use crate::{
    Op, Term, Value,
    error::{Error, Result},
    layout::basis::Basis,
    tuple::{Coord, Nested, Tuple},
};
use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec, vec::Vec};

/// A term, or what has symbols in it.
#[derive(Debug)]
pub(crate) enum Syntax {
    Term(Term),
    Symbol(String),
    Tuple(Vec<Syntax>),
    Tiler(Vec<Syntax>),
    /// A shape and a stride.
    Layout(Box<[Syntax; 2]>),
    /// `outer o offset o inner`.
    Composed(Box<[Syntax; 3]>),
    /// A multiple of a basis element, and which.
    Step(Box<Syntax>, Vec<usize>),
    Call(Op, Vec<Syntax>),
    Arithmetic(Arithmetic, Vec<Syntax>),
    /// Summands, and whether each is taken off.
    Sum(Vec<(bool, Syntax)>),
    /// Factors, and whether each divides.
    Product(Vec<(bool, Syntax)>),
}

/// The operations on expressions that are written as calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arithmetic {
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
}

impl Arithmetic {
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let all = [Self::FloorDiv, Self::CeilDiv, Self::Mod, Self::Min];
        all.into_iter().find(|arithmetic| arithmetic.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::FloorDiv => "floor_div",
            Self::CeilDiv => "ceil_div",
            Self::Mod => "mod",
            Self::Min => "min",
        }
    }
}

impl Syntax {
    pub(crate) fn literal(value: Value) -> Self {
        Self::Term(Term::Literal(value))
    }

    pub(crate) fn int(value: i64) -> Self {
        Self::literal(Value::Int(value))
    }

    /// A tuple; of integers, `_` and steps a literal.
    pub(super) fn tuple(entries: Vec<Self>) -> Self {
        let literals = entries.iter().map(Self::as_literal).collect::<Option<Vec<_>>>();
        let value = literals.and_then(|values| {
            let tuples = values.iter().map(|value| match value {
                Value::Int(value) => Some(Tuple::Leaf(*value)),
                Value::Tuple(tuple) => Some(tuple.clone()),
                _ => None,
            });
            if let Some(tuples) = tuples.collect() {
                return Some(Value::Tuple(Tuple::Node(tuples)));
            }
            let coords = values.iter().map(|value| match value {
                Value::Int(value) => Some(Coord::At(*value)),
                Value::Tuple(tuple) => Some(Coord::from(tuple)),
                Value::Coord(coord) => Some(coord.clone()),
                _ => None,
            });
            if let Some(coords) = coords.collect() {
                return Some(Value::Coord(Coord::Tuple(coords)));
            }
            let steps = values.iter().map(|value| match value {
                Value::Int(value) => Some(plain_steps(&Tuple::Leaf(*value))),
                Value::Tuple(tuple) => Some(plain_steps(tuple)),
                Value::Steps(steps) => Some(steps.clone()),
                _ => None,
            });
            steps.collect::<Option<_>>().map(|steps| Value::Steps(Nested::Node(steps)))
        });
        value.map_or(Self::Tuple(entries), Self::literal)
    }

    pub(super) fn tiler(entries: Vec<Self>) -> Self {
        match terms(entries) {
            Ok(entries) => Self::Term(Term::Tiler(entries)),
            Err(entries) => Self::Tiler(entries),
        }
    }

    pub(super) fn call(op: Op, args: Vec<Self>) -> Self {
        match terms(args) {
            Ok(args) => Self::Term(Term::Call { op, args }),
            Err(args) => Self::Call(op, args),
        }
    }

    /// The call of a layout at a coordinate.
    pub(super) fn at(self, coord: Self) -> Self {
        fn has_any(syntax: &Syntax) -> bool {
            match syntax {
                Syntax::Term(Term::Literal(Value::Coord(_))) => true,
                Syntax::Tuple(entries) => entries.iter().any(has_any),
                _ => false,
            }
        }
        let op = if has_any(&coord) { Op::Slice } else { Op::Crd2Idx };
        Self::call(op, vec![coord, self])
    }

    pub(super) fn into_term(self) -> Result<Term> {
        match self {
            Self::Term(term) => Ok(term),
            other => Err(Error::operand(
                "term",
                "integers beside each other, or `_`, or multiples of basis elements",
                match other {
                    Self::Tuple(entries) => format!("a tuple of {} entries", entries.len()),
                    _ => "symbols".to_owned(),
                },
            )),
        }
    }

    fn as_literal(&self) -> Option<&Value> {
        match self {
            Self::Term(Term::Literal(value)) => Some(value),
            _ => None,
        }
    }

    pub(super) fn into_literal(self) -> Option<Value> {
        match self {
            Self::Term(Term::Literal(value)) => Some(value),
            _ => None,
        }
    }

    pub(super) fn into_tuple(self) -> Option<Tuple> {
        match self.into_literal()? {
            Value::Int(value) => Some(Tuple::Leaf(value)),
            Value::Tuple(tuple) => Some(tuple),
            _ => None,
        }
    }

    pub(crate) fn as_int(&self) -> Option<i64> {
        match self.as_literal()? {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether it is a tuple of integers and `_`, which a stride may follow.
    pub(super) fn is_coordinate(&self) -> bool {
        matches!(self.as_literal(), Some(Value::Int(_) | Value::Tuple(_) | Value::Coord(_)))
    }

    /// Whether it may be called at a coordinate: where it has no value that is a function, the
    /// operation says so.
    pub(super) fn is_function(&self) -> bool {
        match self {
            Self::Term(Term::Literal(value)) => !matches!(
                value,
                Value::Int(_)
                    | Value::Tuple(_)
                    | Value::Coord(_)
                    | Value::Steps(_)
                    | Value::Tiler(_)
            ),
            Self::Term(Term::Tiler(_)) => false,
            Self::Term(Term::Call { .. }) => true,
            other => matches!(other, Self::Layout(_) | Self::Composed(_) | Self::Call(..)),
        }
    }

    /// Whether it is written as an expression, which no tuple is.
    pub(super) fn is_sum(&self) -> bool {
        match self {
            Self::Tuple(entries) => matches!(entries.as_slice(), [entry] if entry.is_sum()),
            Self::Term(Term::Literal(Value::Tuple(tuple))) => is_grouped(tuple),
            Self::Call(op, _) | Self::Term(Term::Call { op, .. }) => *op == Op::CeilDiv,
            Self::Layout(_) | Self::Composed(_) | Self::Tiler(_) => false,
            Self::Term(Term::Tiler(_)) => false,
            _ => true,
        }
    }
}

/// Terms, if all are.
fn terms(entries: Vec<Syntax>) -> Result<Vec<Term>, Vec<Syntax>> {
    if entries.iter().any(|entry| !matches!(entry, Syntax::Term(_))) {
        return Err(entries);
    }
    let terms = entries.into_iter().filter_map(|entry| match entry {
        Syntax::Term(term) => Some(term),
        _ => None,
    });
    Ok(terms.collect())
}

/// Whether it is an integer in parentheses.
fn is_grouped(tuple: &Tuple) -> bool {
    match tuple {
        Nested::Leaf(_) => true,
        Nested::Node(entries) => matches!(entries.as_slice(), [entry] if is_grouped(entry)),
    }
}

/// Integers beside multiples of basis elements.
fn plain_steps(tuple: &Tuple) -> Nested<Basis> {
    match tuple {
        Nested::Leaf(scale) => Nested::Leaf(Basis { scale: *scale, path: Vec::new() }),
        Nested::Node(entries) => Nested::Node(entries.iter().map(plain_steps).collect()),
    }
}
