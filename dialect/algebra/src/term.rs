//! Terms: the contents of `#layout<…>`. The operations are rows of the table in `eval/table.rs`.

mod canonical;
mod eval;
mod evaluator;
mod leaf;
mod op;
mod open;
pub(crate) mod parse;
mod prelude;
mod value;

use crate::term::prelude::*;
use crate::{layout::tiler::Tiler, term::parse::Names, tuple::list};
pub use canonical::Canonical;
use core::{convert::Infallible, fmt, str::FromStr};
pub use eval::Op;
use evaluator::Evaluator;
pub(crate) use leaf::TermLeaf;
pub use op::{Law, Operation, Parameter};
pub use open::{Watch, answer, evaluate, evaluate_watched, evaluate_with};
pub use value::Value;

/// A value, a tuple of tilers, or an operation on terms; or one of the forms `F`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TermOf<F> {
    /// A value, as written.
    Literal(Value),
    /// `<a, b, …>`: one tiler for each mode.
    Tiler(Vec<TermOf<F>>),
    /// An operation and its operands.
    Call {
        /// The operation.
        op: Op,
        /// Its operands.
        args: Vec<TermOf<F>>,
    },
    /// A form that only the text of a term with symbols has.
    Form(F),
}

/// A term of the algebra, which has no symbols.
pub type Term = TermOf<Infallible>;

impl Term {
    /// Parses a term.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] with the byte where reading stopped; a bound that was passed.
    pub fn parse(text: &str) -> Result<Self> {
        parse::term(text, Names::None)
    }

    /// Parses a term in which names stand for other terms.
    ///
    /// A name is a letter and then letters, digits and `_`, and [reserved](crate::is_reserved) for
    /// nothing else; `names` is called for each. The term that it stands for is not read again as text: it
    /// takes the name's place as a whole, and counts towards the bounds on depth and length as if it
    /// had been written there. The name of an integer or tuple may be inside of tuples.
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
        parse::term(text, Names::Terms(names))
    }

    /// A layout as a term.
    pub fn layout(layout: AnyLayout) -> Self {
        Self::Literal(layout.into())
    }

    /// The value of the term.
    ///
    /// # Errors
    ///
    /// The error of the operation that has no result.
    pub fn eval(&self) -> Result<Value> {
        Evaluator { facts: &(), watch: None }.value(self).map(Cow::into_owned)
    }

    /// The value of the term: of a literal, the literal itself.
    pub fn into_value(self) -> Result<Value> {
        match self {
            Self::Literal(value) => Ok(value),
            term => term.eval(),
        }
    }

    /// Evaluates to a layout, plain or composed.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`]; a value that is no layout.
    pub fn eval_layout(&self) -> Result<AnyLayout> {
        let value = self.eval()?;
        AnyLayout::try_from(value).map_err(|other| Error::operand("term", "a layout", other))
    }

    /// Evaluates to a tiler: a layout, a tuple of tilers, a shape, or `_`.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`]; a value that is no tiler.
    pub fn eval_tiler(&self) -> Result<Tiler> {
        self.eval()?.into_tiler(&())
    }
}

impl Op {
    /// The value of a call of these operands, as [`Term::eval`] of the call.
    pub fn apply(self, values: &[&Value]) -> Result<Value> {
        let values: Vec<_> = values.iter().map(|value| Cow::Borrowed(*value)).collect();
        i64::apply(&(), self, &values)
    }
}

impl FromStr for Term {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl<F: fmt::Display> fmt::Display for TermOf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(value) => value.fmt(f),
            Self::Tiler(entries) => list(f, ["<", ", ", ">"], entries, &mut Self::fmt),
            Self::Call { op, args } => {
                f.write_str(op.name())?;
                list(f, ["(", ", ", ")"], args, &mut Self::fmt)
            }
            Self::Form(form) => form.fmt(f),
        }
    }
}
