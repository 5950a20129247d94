//! The syntax of a text, before symbols are looked up: a term with forms that have symbols.

use crate::term::prelude::*;
use crate::{
    layout::entries::Order,
    term::{Term, TermOf},
    tuple::Coord,
};
use alloc::boxed::Box;

/// A term as the text of one is read, which may have symbols.
pub(crate) type Syntax = TermOf<Form>;

/// A part of a text beside values, tilers and calls: a symbol, or a form that has some within.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Symbol(String),
    Tuple(Vec<Syntax>),
    /// A shape and a stride.
    Layout(Box<[Syntax; 2]>),
    /// `outer o offset o inner`.
    Composed(Box<[Syntax; 3]>),
    /// A multiple of a basis element, and which.
    Step(Box<Syntax>, Vec<usize>),
    Arithmetic(Arithmetic, Vec<Syntax>),
    /// Summands, and whether each is taken off.
    Sum(Vec<(bool, Syntax)>),
    /// Factors, and whether each divides.
    Product(Vec<(bool, Syntax)>),
    /// An order by its name, which a call of an operation with an order may end in.
    Order(Order),
}

/// The operations on expressions that are written as calls.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arithmetic {
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max,
}

impl Arithmetic {
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let all = [Self::FloorDiv, Self::CeilDiv, Self::Mod, Self::Min, Self::Max];
        all.into_iter().find(|arithmetic| arithmetic.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::FloorDiv => "floor_div",
            Self::CeilDiv => "ceil_div",
            Self::Mod => "mod",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

impl Syntax {
    pub(crate) fn int(value: i64) -> Self {
        Self::Literal(Value::Int(value))
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
                Value::Int(value) => Some(Nested::Leaf(Basis::from(*value))),
                Value::Tuple(tuple) => Some(tuple.map(&mut |value| Basis::from(*value))),
                Value::Steps(steps) => Some(steps.clone()),
                _ => None,
            });
            steps.collect::<Option<_>>().map(|steps| Value::Steps(Nested::Node(steps)))
        });
        value.map_or(Self::Form(Form::Tuple(entries)), Self::Literal)
    }

    /// Summands or factors; the product with one basis element is a multiple of it.
    pub(super) fn joined(
        of: fn(Vec<(bool, Self)>) -> Form,
        mut entries: Vec<(bool, Self)>,
    ) -> Self {
        let is_step = |(inverse, entry): &(bool, Self)| {
            !inverse && matches!(entry, Self::Form(Form::Step(..)))
        };
        let place = entries.iter().position(is_step);
        if let (Form::Product(_), Some(place)) = (of(Vec::new()), place)
            && let (_, Self::Form(Form::Step(multiple, path))) = entries.remove(place)
        {
            entries.push((false, *multiple));
            return Self::Form(Form::Step(Self::Form(of(entries)).into(), path));
        }
        Self::Form(of(entries))
    }

    /// How many entries a tuple has, where that is written.
    pub(super) fn rank(&self) -> Option<usize> {
        match self {
            Self::Form(Form::Tuple(entries)) => Some(entries.len()),
            Self::Call { op: Op::RoundUp | Op::Shape, args } => args.first()?.rank(),
            Self::Literal(Value::Tuple(tuple)) => Some(tuple.rank()),
            _ => None,
        }
    }

    /// The call of a layout at a coordinate.
    pub(super) fn at(self, coord: Self) -> Self {
        fn has_any(syntax: &Syntax) -> bool {
            match syntax {
                Syntax::Literal(Value::Coord(_)) => true,
                Syntax::Form(Form::Tuple(entries)) => entries.iter().any(has_any),
                _ => false,
            }
        }
        let op = if has_any(&coord) { Op::Slice } else { Op::Crd2Idx };
        Self::Call { op, args: vec![coord, self] }
    }

    /// The term of a text without symbols.
    pub(super) fn into_term(self) -> Result<Term> {
        let terms = |entries: Vec<Self>| -> Result<Vec<_>> {
            entries.into_iter().map(Self::into_term).collect()
        };
        let found = match self {
            Self::Literal(value) => return Ok(Term::Literal(value)),
            Self::Tiler(entries) => return Ok(Term::Tiler(terms(entries)?)),
            Self::Call { op, args } => return Ok(Term::Call { op, args: terms(args)? }),
            Self::Form(Form::Tuple(entries)) => format!("a tuple of {} entries", entries.len()),
            Self::Form(Form::Order(_)) => "an order".to_owned(),
            Self::Form(_) => "symbols".to_owned(),
        };
        let expected = "integers beside each other, or `_`, or multiples of basis elements";
        Err(Error::operand("term", expected, found))
    }

    fn as_literal(&self) -> Option<&Value> {
        match self {
            Self::Literal(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn into_literal(self) -> Option<Value> {
        match self {
            Self::Literal(value) => Some(value),
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
            Self::Literal(value) => !matches!(
                value,
                Value::Int(_)
                    | Value::Tuple(_)
                    | Value::Coord(_)
                    | Value::Steps(_)
                    | Value::Tiler(_)
                    | Value::CoordinateTiler(_)
            ),
            Self::Call { .. } | Self::Form(Form::Layout(_) | Form::Composed(_)) => true,
            Self::Tiler(_) | Self::Form(_) => false,
        }
    }

    /// Whether it is written as an expression, which no tuple is.
    pub(super) fn is_sum(&self) -> bool {
        match self {
            Self::Form(Form::Tuple(entries)) => {
                matches!(entries.as_slice(), [entry] if entry.is_sum())
            }
            Self::Literal(Value::Tuple(tuple)) => is_grouped(tuple),
            Self::Call { op, .. } => *op == Op::CeilDiv,
            Self::Tiler(_) | Self::Form(Form::Layout(_) | Form::Composed(_)) => false,
            Self::Literal(_) | Self::Form(_) => true,
        }
    }
}

impl From<Term> for Syntax {
    fn from(term: Term) -> Self {
        let terms = |entries: Vec<Term>| entries.into_iter().map(Self::from).collect();
        match term {
            Term::Literal(value) => Self::Literal(value),
            Term::Tiler(entries) => Self::Tiler(terms(entries)),
            Term::Call { op, args } => Self::Call { op, args: terms(args) },
            Term::Form(never) => match never {},
        }
    }
}

/// Whether it is an integer in parentheses.
fn is_grouped(tuple: &Tuple) -> bool {
    match tuple {
        Nested::Leaf(_) => true,
        Nested::Node(entries) => matches!(entries.as_slice(), [entry] if is_grouped(entry)),
    }
}
