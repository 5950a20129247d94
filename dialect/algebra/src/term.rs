//! Terms: what `#layout<…>` holds. The operations are rows of the table in `eval/table.rs`.

mod eval;
mod op;

use crate::{
    basis::{Basis, BasisLayout},
    error::{Error, Result},
    layout::Layout,
    linear::LinearLayout,
    swizzle::{AnyLayout, ComposedLayout, Swizzle},
    tiler::Tiler,
    tuple::{Coord, Nested, Tuple},
};
use alloc::{borrow::Cow, borrow::ToOwned, string::ToString, vec::Vec};
use core::{fmt, str::FromStr};
use eval::Args;
pub use eval::Op;
pub use op::{Law, Operation, Parameter};

/// A term of the algebra: a value, a tuple of tilers, or an operation on terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A value, as written.
    Literal(Value),
    /// `<a, b, …>`: one tiler for each mode.
    Tiler(Vec<Term>),
    /// An operation and its operands.
    Call {
        /// The operation.
        op: Op,
        /// Its operands.
        args: Vec<Term>,
    },
}

/// What a term evaluates to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An integer; as an operand also the layout `n:1` of a tiler, or a shape.
    Int(i64),
    /// A shape, stride or coordinate.
    Tuple(Tuple),
    /// A coordinate with `_`.
    Coord(Coord),
    /// A layout.
    Layout(Layout),
    /// A layout behind a swizzle or another layout.
    Composed(ComposedLayout),
    /// A swizzle.
    Swizzle(Swizzle),
    /// A tuple of tilers.
    Tiler(Tiler),
    /// A layout into coordinates.
    Basis(BasisLayout),
    /// A stride of such a layout: basis elements, of which one at least is none of an integer.
    Steps(Nested<Basis>),
    /// A linear layout.
    Linear(LinearLayout),
    /// The answer of a predicate.
    Bool(bool),
    /// Several values.
    List(Vec<Value>),
}

impl Term {
    /// Parses a term.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] with the byte where reading stopped; a bound that was passed.
    pub fn parse(text: &str) -> Result<Self> {
        crate::parse::term(text)
    }

    /// Parses a term in which names stand for other terms.
    ///
    /// A name is a letter and then letters, digits and `_`, and [reserved](crate::is_reserved) for
    /// nothing else; `names` is asked for each. What it stands for is not read again as text: it
    /// takes the name's place as a whole, and counts towards the bounds on depth and length as if it
    /// had been written there. The name of an integer or tuple may stand inside of tuples.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// let rows = Term::parse("8")?;
    /// let term = Term::parse_with("right_inverse((4,rows):(rows,1))", &|name| {
    ///     (name == "rows").then(|| rows.clone())
    /// })?;
    /// assert_eq!(term, Term::parse("right_inverse((4,8):(8,1))")?);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Term::parse`]; a name that stands for nothing, or for something that has no place there.
    pub fn parse_with(text: &str, names: &dyn Fn(&str) -> Option<Self>) -> Result<Self> {
        crate::parse::term_with(text, names)
    }

    /// A layout as a term.
    pub fn layout(layout: AnyLayout) -> Self {
        Self::Literal(match layout {
            AnyLayout::Plain(layout) => Value::Layout(layout),
            AnyLayout::Composed(composed) => Value::Composed(composed),
        })
    }

    /// The value of the term.
    ///
    /// # Errors
    ///
    /// That of the operation that has no answer.
    pub fn eval(&self) -> Result<Value> {
        self.value().map(Cow::into_owned)
    }

    /// The value of the term: of a literal, the literal itself.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`].
    pub fn into_value(self) -> Result<Value> {
        match self {
            Self::Literal(value) => Ok(value),
            term => term.eval(),
        }
    }

    /// The value of the term, borrowed where the term is one.
    fn value(&self) -> Result<Cow<'_, Value>> {
        match self {
            Self::Literal(value) => Ok(Cow::Borrowed(value)),
            Self::Tiler(entries) => {
                let entries = entries.iter().map(|entry| entry.eval()?.into_tiler());
                Ok(Cow::Owned(Value::Tiler(Tiler::Tuple(entries.collect::<Result<_>>()?))))
            }
            Self::Call { op, args } => {
                let values = args.iter().map(Self::value).collect::<Result<Vec<_>>>()?;
                Args { op: *op, values: &values }.eval().map(Cow::Owned)
            }
        }
    }

    /// Evaluates to a layout, plain or composed.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`]; a value that is no layout.
    pub fn eval_layout(&self) -> Result<AnyLayout> {
        match self.eval()? {
            Value::Layout(layout) => Ok(AnyLayout::Plain(layout)),
            Value::Composed(composed) => Ok(AnyLayout::Composed(composed)),
            other => Err(Error::Operand {
                operation: "term",
                expected: "a layout".to_owned(),
                found: other.to_string(),
            }),
        }
    }

    /// Evaluates to a tiler: a layout, a tuple of tilers, a shape, or `_`.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`]; a value that is no tiler.
    pub fn eval_tiler(&self) -> Result<Tiler> {
        self.eval()?.into_tiler()
    }
}

impl Value {
    /// What it is, in one word.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// assert_eq!(Term::parse("S<3,4,3> o 0 o 64:1")?.eval()?.kind(), "composed");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) => "integer",
            Self::Tuple(_) => "tuple",
            Self::Coord(_) => "coordinate",
            Self::Layout(_) => "layout",
            Self::Composed(_) => "composed",
            Self::Swizzle(_) => "swizzle",
            Self::Tiler(_) => "tiler",
            Self::Basis(_) => "basis layout",
            Self::Steps(_) => "basis stride",
            Self::Linear(_) => "linear layout",
            Self::Bool(_) => "boolean",
            Self::List(_) => "list",
        }
    }

    /// The value as a tiler.
    ///
    /// # Errors
    ///
    /// A value that is no tiler.
    pub fn tiler(&self) -> Result<Tiler> {
        self.clone().into_tiler()
    }

    /// [`Value::tiler`], which takes the parts of a tiler as they are.
    fn into_tiler(self) -> Result<Tiler> {
        match self {
            Self::Int(extent) => Tiler::from_shape(&Tuple::Leaf(extent)),
            Self::Tuple(shape) => Tiler::from_shape(&shape),
            Self::Layout(layout) => Ok(Tiler::Layout(layout)),
            Self::Tiler(tiler) => Ok(tiler),
            Self::Coord(coord) => coord_tiler(&coord),
            Self::Composed(_)
            | Self::Swizzle(_)
            | Self::Basis(_)
            | Self::Steps(_)
            | Self::Linear(_)
            | Self::Bool(_)
            | Self::List(_) => Err(Error::Operand {
                operation: "tiler",
                expected: "a layout, a shape, `_` or a tuple of tilers".to_owned(),
                found: self.to_string(),
            }),
        }
    }
}

/// A shape with `_` as a tiler.
fn coord_tiler(coord: &Coord) -> Result<Tiler> {
    Ok(match coord {
        Coord::Any => Tiler::Any,
        Coord::At(extent) => Tiler::from_shape(&Tuple::Leaf(*extent))?,
        Coord::Tuple(entries) => {
            Tiler::Tuple(entries.iter().map(coord_tiler).collect::<Result<_>>()?)
        }
    })
}

impl Op {
    /// The value of a call of these operands, as [`Term::eval`] of the call.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`].
    pub fn apply(self, values: &[&Value]) -> Result<Value> {
        let values: Vec<_> = values.iter().map(|value| Cow::Borrowed(*value)).collect();
        Args { op: self, values: &values }.eval()
    }
}

impl FromStr for Term {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, terms: &[Term]| {
            terms.iter().enumerate().try_for_each(|(i, term)| {
                f.write_str(if i == 0 { "" } else { ", " })?;
                write!(f, "{term}")
            })
        };
        match self {
            Self::Literal(value) => value.fmt(f),
            Self::Tiler(entries) => {
                write!(f, "<")?;
                list(f, entries)?;
                write!(f, ">")
            }
            Self::Call { op, args } => {
                f.write_str(op.name())?;
                f.write_str("(")?;
                list(f, args)?;
                f.write_str(")")
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Tuple(value) => value.fmt(f),
            Self::Coord(value) => value.fmt(f),
            Self::Layout(value) => value.fmt(f),
            Self::Composed(value) => value.fmt(f),
            Self::Swizzle(value) => value.fmt(f),
            Self::Tiler(value) => value.fmt(f),
            Self::Basis(value) => value.fmt(f),
            Self::Steps(value) => value.fmt(f),
            Self::Linear(value) => value.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::List(values) => {
                write!(f, "[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                write!(f, "]")
            }
        }
    }
}
