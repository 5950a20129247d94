//! Why a type, an attribute or an operation is refused: a constraint's code, what was expected and
//! found, the nearest legal input, and where in a text it is.

use crate::{
    border::hooks::Report,
    diagnostics::{
        codes::{Code, TERM},
        nearest,
        place::Place,
        text::TextError,
    },
};
use layout_algebra::{Expr, Fact, Layout, Need, Span, Tuple, integer};
use std::fmt;

/// One constraint that is broken, and others of the same operation. The documentation of a function leaves out errors that
/// a verified operation does not have, and those of the functions that it calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation(Box<Inner>);

#[derive(Clone, Debug, PartialEq)]
struct Inner {
    code: Code,
    cause: Cause,
    hint: Option<String>,
    place: Option<Place>,
    /// The algebra's place: the operand and the mode.
    origin: layout_algebra::Place,
    also: Vec<Violation>,
}

#[derive(Clone, Debug, PartialEq)]
enum Cause {
    /// The algebra's reason, of values that are known.
    Algebra(layout_algebra::Error),
    /// The algebra's reason, of partly static values.
    Symbolic(integer::Error),
    /// A text that does not parse, at a byte of it.
    Text(TextError),
    /// One thing was expected and another found.
    Mismatch { expected: String, found: String },
}

impl Violation {
    fn of(code: Code, cause: Cause) -> Self {
        let (origin, also) = (layout_algebra::Place::default(), Vec::new());
        Self(Box::new(Inner { code, cause, hint: None, place: None, origin, also }))
    }

    /// The violation that one thing was expected and another found.
    pub(crate) fn new(code: Code, expected: impl Into<String>, found: impl ToString) -> Self {
        let (expected, found) = (expected.into(), found.to_string());
        Self::of(code, Cause::Mismatch { expected, found })
    }

    /// The violation that a name is none of those that are known, with the nearest of them.
    pub(crate) fn unknown(code: Code, found: &str, known: &[&str]) -> Self {
        let like = layout_algebra::nearest_name(found, known.iter().copied());
        Self::new(code, format!("one of {}", known.join(", ")), found)
            .hint_if(like.map(|like| format!("did you mean '{like}'?")))
    }

    /// An operation that lacks what its definition requires. MLIR's own verifier comes first, so
    /// that this concerns operations that are still being built.
    pub(crate) fn unformed(error: impl fmt::Display) -> Self {
        Self::new(Code::Operand, "an operation as it is defined", error)
    }

    /// The same with a hint.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        self.hint_if(Some(hint))
    }

    /// The same with a hint, if there is one.
    pub(crate) fn hint_if(mut self, hint: Option<impl Into<String>>) -> Self {
        if let Some(hint) = hint {
            self.0.hint = Some(hint.into());
        }
        self
    }

    /// The same with its place, if it is known.
    pub(crate) fn at(mut self, place: impl Into<Option<Place>>) -> Self {
        if let Some(place) = place.into() {
            self.0.place = Some(place);
        }
        self
    }

    /// The same, each with the place that is found for it where it has none.
    pub(crate) fn placed(mut self, place: &dyn Fn(&Self) -> Option<Place>) -> Self {
        if self.0.place.is_none() {
            self.0.place = place(&self);
        }
        let also = std::mem::take(&mut self.0.also);
        self.0.also = also.into_iter().map(|violation| violation.placed(place)).collect();
        self
    }

    /// The operand and the mode that it is about, where the algebra refused something.
    pub(crate) fn origin(&self) -> &layout_algebra::Place {
        &self.0.origin
    }

    /// The same about an operand, whatever it was about.
    pub(crate) fn about(mut self, operand: usize) -> Self {
        self.0.origin.operand = Some(operand);
        self
    }

    /// The first symbol of the first fact that is missing or ruled out.
    pub(crate) fn symbol(&self) -> Option<String> {
        let fact = match &self.0.cause {
            Cause::Symbolic(integer::Error::Missing { needs, .. }) => needs.first()?.fact.clone(),
            Cause::Symbolic(integer::Error::Never { needs, .. }) => needs.first()?.clone(),
            _ => return None,
        };
        let exprs = match &fact {
            Fact::Divides { divisor, of } => [Some(of), Some(divisor)],
            Fact::AtLeast { greater, less } => [Some(greater), Some(less)],
            Fact::Equal(a, b) | Fact::Distinct(a, b) => [Some(a), Some(b)],
            Fact::Known(expr) => [Some(expr), None],
            _ => [None, None],
        };
        let symbols = exprs.into_iter().flatten().flat_map(Expr::symbols);
        symbols.into_iter().next().map(|name| name.to_string())
    }

    /// The same of another constraint.
    pub(crate) fn coded(mut self, code: Code) -> Self {
        self.0.code = code;
        self
    }

    /// All of them as one; nothing if there are none.
    pub(crate) fn all(violations: impl IntoIterator<Item = Self>) -> Result<(), Self> {
        let mut violations = violations.into_iter();
        let Some(mut first) = violations.next() else { return Ok(()) };
        first.0.also.extend(violations);
        Err(first)
    }

    /// It and another one.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.also.push(other);
        self
    }

    /// The constraint.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The error of the algebra that it is, if it is one of values that are known.
    pub(crate) fn algebra(&self) -> Option<&layout_algebra::Error> {
        if let Cause::Algebra(error) = &self.0.cause { Some(error) } else { None }
    }

    /// Whether it is about shape and stride of a layout that is written out.
    pub(crate) fn is_of_literal(&self) -> bool {
        match &self.0.cause {
            // A known extent among some that are not.
            Cause::Symbolic(integer::Error::Never { operation, .. }) => *operation == "layout",
            _ => matches!(self.0.code, Code::Incongruent | Code::Extent),
        }
    }

    /// Whether it says already where it is.
    pub(crate) fn is_placed(&self) -> bool {
        self.0.place.is_some() || !self.0.also.is_empty()
    }

    /// It and the others, one by one.
    pub(crate) fn each(&self) -> Vec<&Self> {
        let mut each = vec![self];
        each.extend(self.0.also.iter().flat_map(Self::each));
        each
    }

    /// The expectation and the finding, and the hint.
    pub fn with_hint(&self) -> String {
        match self.proposal() {
            Some(hint) => format!("{self}; {hint}"),
            None => self.to_string(),
        }
    }

    /// The expectation and the finding, on one line.
    pub(crate) fn line(&self) -> String {
        match &self.0.cause {
            Cause::Algebra(error) => message(error),
            Cause::Symbolic(integer::Error::Missing { operation, operands, needs }) => {
                let facts = joined(needs, |need| need.fact.to_string());
                let which = match needs.len() {
                    1 => "which is not known",
                    2 => "neither of which is known",
                    _ => "none of which is known",
                };
                format!("{operation}({operands}): needs {facts}, {which}")
            }
            Cause::Symbolic(error) => error.to_string(),
            Cause::Text(error) => error.message.clone(),
            Cause::Mismatch { expected, found } => format!("expected {expected}, found {found}"),
        }
    }

    /// The hint at a legal input, if there is one.
    pub(crate) fn proposal(&self) -> Option<String> {
        if let Some(hint) = &self.0.hint {
            return Some(hint.clone());
        }
        match &self.0.cause {
            Cause::Algebra(error) => of_error(error),
            Cause::Symbolic(integer::Error::Missing { needs, .. }) => {
                Some(joined(needs, |need| need.hint.clone()))
            }
            Cause::Text(error) => error.hint.clone(),
            _ => None,
        }
    }

    /// How it is shown, with the others; places are as they are known.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.each().into_iter().map(|violation| violation.report(None)).collect()
    }

    /// How it is shown where `text` was read: at its byte of it.
    pub(crate) fn reports_in(&self, text: &str) -> Vec<Report> {
        self.each().into_iter().map(|violation| violation.report(Some(text))).collect()
    }

    fn report(&self, text: Option<&str>) -> Report {
        let offset = match (&self.0.cause, text) {
            (Cause::Text(error), _) => Some(error.offset),
            (Cause::Algebra(layout_algebra::Error::Parse { offset, .. }), Some(_)) => Some(*offset),
            (Cause::Algebra(_) | Cause::Symbolic(_), Some(text)) => {
                Some(Span::of(text).of_place(&self.0.origin).start)
            }
            _ => None,
        };
        let hint = self.proposal();
        let mut notes: Vec<String> = self.0.place.iter().map(Place::note).collect();
        notes.extend(hint.map(|hint| format!("hint: {hint}")));
        let message = format!("[{}] {}", self.0.code, self.line());
        Report { offset: offset.unwrap_or(0), message, notes }
    }
}

fn joined(needs: &[Need], text: impl Fn(&Need) -> String) -> String {
    needs.iter().map(text).collect::<Vec<_>>().join(" or ")
}

/// The nearest input that the algebra would take.
fn of_error(error: &layout_algebra::Error) -> Option<String> {
    use layout_algebra::Error::{Incongruent, Mode, NoComposition, Parse};
    match error {
        Parse { nearest: Some(name), .. } => Some(format!("did you mean '{name}'?")),
        Parse { found, .. } => {
            let found = found.trim_matches('`');
            let is_size = found.starts_with(|c: char| c.is_ascii_uppercase())
                && found.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            is_size.then(|| {
                "a size that is known at run time is written `?`, with facts in braces".to_owned()
            })
        }
        Incongruent { shape, stride } => {
            Some(format!("{} is congruent", nearest::stride(shape, stride)?))
        }
        Mode { rank, .. } => Some(format!("{} is the last mode", rank.checked_sub(1)?)),
        NoComposition { a, b, .. } => size_like(&a.try_into().ok()?, &b.try_into().ok()?),
        _ => None,
    }
}

/// Coordinates up to which other sizes are tried, since each try may compare them all.
const TRIED: i64 = 1 << 12;

/// The right operand of the nearest size with which a composition is a layout.
fn size_like(a: &Layout, b: &Layout) -> Option<String> {
    let (Tuple::Leaf(extent), Tuple::Leaf(stride)) = (b.shape(), b.stride()) else { return None };
    if *extent > TRIED || a.size() > TRIED {
        return None;
    }
    let leaf = |extent| Layout::new(Tuple::Leaf(extent), Tuple::Leaf(*stride));
    let fits = |extent| leaf(extent).and_then(|b| a.composition(&b)).is_ok();
    let found = nearest::number(*extent, fits)?;
    Some(format!("{} is the nearest that has one", leaf(found).ok()?))
}

/// Both of two values, or all that is wrong with either.
pub(crate) fn both<A, B>(
    a: Result<A, Violation>,
    b: Result<B, Violation>,
) -> Result<(A, B), Violation> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok((a, b)),
        (Err(a), Err(b)) => Err(a.and(b)),
        (Err(refused), Ok(_)) | (Ok(_), Err(refused)) => Err(refused),
    }
}

/// An error as an operation or type reports it: that a term is of another kind needs no name of an
/// operation before it.
pub(crate) fn message(error: &layout_algebra::Error) -> String {
    use layout_algebra::Error::{Operand, Parse};
    match error.cause() {
        Operand { operation: TERM, expected, found } | Parse { expected, found, .. } => {
            format!("expected {expected}, found {found}")
        }
        other => other.to_string(),
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, violation) in self.each().into_iter().enumerate() {
            write!(f, "{}{}", if i == 0 { "" } else { "; " }, violation.line())?;
        }
        Ok(())
    }
}

impl std::error::Error for Violation {}

impl From<layout_algebra::Error> for Violation {
    fn from(error: layout_algebra::Error) -> Self {
        let (cause, origin) = (error.cause().clone(), error.place());
        let mut violation = Self::of(Code::of_algebra(&cause), Cause::Algebra(cause));
        violation.0.origin = origin;
        violation
    }
}

impl From<integer::Error> for Violation {
    fn from(error: integer::Error) -> Self {
        let mut violation = match error.cause() {
            integer::Error::Algebra(error) => return Self::from(error.clone()),
            cause => Self::of(Code::of_symbolic(cause), Cause::Symbolic(cause.clone())),
        };
        violation.0.origin = error.place();
        violation
    }
}

impl From<TextError> for Violation {
    fn from(error: TextError) -> Self {
        Self::of(error.code, Cause::Text(error))
    }
}

impl From<melior::Error> for Violation {
    fn from(error: melior::Error) -> Self {
        Self::unformed(error)
    }
}
