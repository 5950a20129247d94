//! The value of a term, as a type holds it: static, or partly static.
//!
//! A layout, tuple or tiler whose text has no `?` is static. Otherwise each `?` is a
//! symbol, an integer that is known only at run time; its braces hold its static facts.
//! Symbols are numbered `?0`, `?1`, … in the order of the text, and a value of the type is, at run
//! time, its symbols' values in that order. Types that differ by the names of symbols are one type.

pub use crate::diagnostics::violation::Violation;
use crate::{data::conversions::compact, diagnostics::codes::Code};
use layout_algebra::{
    AnyLayout, Canonical, Expr, Facts, Layout, Leaf, Symbol, Term, Value, Values, Width,
};
use std::fmt;

/// A value of the algebra, with or without symbols.
#[derive(Clone, Debug, PartialEq)]
pub enum TermValue {
    /// All of it is known.
    Static(Value),
    /// It has symbols.
    Symbolic {
        /// The value.
        value: Value<Expr>,
        /// The facts of the symbols.
        facts: Facts,
    },
}

impl TermValue {
    /// The placeholder for dynamic integer number `place`: a multiple of its known divisor by a prime of its own,
    /// beyond the extents of tiles, blocks and vectors. A divisor of the placeholder that a pass finds divides every
    /// value that the integer may have.
    pub fn stand_in(place: usize, divisor: i64) -> Option<i64> {
        const PRIMES: [i64; 32] = [
            4099, 4111, 4127, 4129, 4133, 4139, 4153, 4157, 4159, 4177, 4201, 4211, 4217, 4219,
            4229, 4231, 4241, 4243, 4253, 4259, 4261, 4271, 4273, 4283, 4289, 4297, 4327, 4337,
            4339, 4349, 4357, 4363,
        ];
        divisor.checked_mul(*PRIMES.get(place)?)
    }

    /// A plain layout of this type, with [`Self::stand_in`] for every integer that is known at run time.
    pub fn representative(&self) -> Option<Layout> {
        let Self::Symbolic { value: Value::Layout(layout), facts } = self else {
            return match self.any_layout() {
                Some(AnyLayout::Plain(layout)) => Some(layout),
                _ => None,
            };
        };
        // Their ranges may be narrower than that.
        let mut free = Facts::new();
        let mut values = Vec::new();
        for (place, symbol) in facts.symbols().enumerate() {
            let divisor = symbol.divisor();
            let wide = Symbol::new(symbol.name(), Width::W64).ok()?.with_divisor(divisor).ok()?;
            free.insert(wide).ok()?;
            values.push((symbol.name(), Self::stand_in(place, divisor)?));
        }
        layout.substitute(&Values::new(&free, values).ok()?).ok()
    }

    /// The number of modes of a layout, static or not.
    pub fn rank(&self) -> Option<usize> {
        match self {
            Self::Symbolic { value: Value::Layout(layout), .. } => Some(layout.rank()),
            Self::Symbolic { value: Value::Composed(composed), .. } => Some(composed.inner.rank()),
            _ => self.any_layout().map(|layout| layout.inner().rank()),
        }
    }

    /// Reads a term and evaluates it.
    ///
    /// # Errors
    ///
    /// The parser's and the evaluation's.
    pub fn parse(text: &str) -> Result<Self, Violation> {
        if !text.contains('?') {
            return Ok(Self::Static(Term::parse(text)?.into_value()?));
        }
        let mut facts = Facts::new();
        let value = layout_algebra::evaluate(text, &mut facts)?;
        if let Some(value) = value.to_static() {
            return Ok(Self::Static(value));
        }
        // The integers of a value are in the order in which the text mentions them, and stay so where
        // sums, products and minima are written in another order. The result of a call has an order of its own.
        if let Some(Canonical { value, facts, .. }) = value.numbered(&facts, &mentions(text))? {
            return Ok(Self::Symbolic { value, facts });
        }
        let own = Self::of(value, facts)?.0;
        if calls(text) {
            return Ok(own);
        }
        let expected = "integers numbered in the order of the canonical text";
        let hint = format!("it is {own}, which numbers them differently");
        Err(Violation::new(Code::Kind, expected, text).hint(hint))
    }

    /// A value in canonical form, and the former name of each of its symbols.
    pub fn of(value: Value<Expr>, facts: Facts) -> Result<(Self, Vec<String>), Violation> {
        if let Some(value) = value.to_static() {
            return Ok((Self::Static(value), Vec::new()));
        }
        let Canonical { value, facts, names } = value.canonical(&facts)?;
        Ok((Self::Symbolic { value, facts }, names))
    }

    /// A value as it is: known, where it has no symbols.
    pub(crate) fn with(value: Value<Expr>, facts: &Facts) -> Self {
        match value.to_static() {
            Some(value) => Self::Static(value),
            None => Self::Symbolic { value, facts: facts.clone() },
        }
    }

    /// Whether it is a layout of some kind, or a swizzle.
    pub fn is_layout(&self) -> bool {
        match self {
            Self::Static(value) => is_layout(value),
            Self::Symbolic { value, .. } => is_layout(value),
        }
    }

    /// Whether it is an integer, a tuple, a coordinate, a stride of basis elements or a tuple of tilers.
    pub fn is_tuple(&self) -> bool {
        match self {
            Self::Static(value) => is_tuple(value),
            Self::Symbolic { value, .. } => is_tuple(value),
        }
    }

    /// Its symbols, in their order.
    pub fn symbols(&self) -> Vec<Symbol> {
        match self {
            Self::Static(_) => Vec::new(),
            Self::Symbolic { value, facts } => {
                let mentioned = value.mentioned();
                let own = mentioned.iter().filter_map(|name| facts.get(name).cloned());
                let mut symbols: Vec<Symbol> = own.collect();
                // Numbers, so that spellings out of order have the order of their numbers.
                if symbols.iter().all(|symbol| symbol.name().starts_with('?')) {
                    symbols.sort_by_key(|symbol| number(symbol.name()));
                } else {
                    let order = value.symbols();
                    let place =
                        |symbol: &Symbol| order.iter().position(|name| name == symbol.name());
                    symbols.sort_by_key(|symbol| (number(symbol.name()), place(symbol)));
                }
                symbols
            }
        }
    }

    /// The widths of its dynamic integers.
    pub fn widths(&self) -> Vec<Width> {
        self.symbols().iter().map(Symbol::width).collect()
    }

    /// The layout, if it is known and neither linear nor one into coordinates.
    pub fn any_layout(&self) -> Option<AnyLayout> {
        match self {
            Self::Static(value) => AnyLayout::try_from(value.clone()).ok(),
            Self::Symbolic { .. } => None,
        }
    }

    /// The value with symbols, numbered from `first` on, and its facts added to a table.
    ///
    /// # Errors
    ///
    /// Symbols of one name that exclude each other.
    pub fn symbolic(&self, first: usize, facts: &mut Facts) -> Result<Value<Expr>, Violation> {
        match self {
            Self::Static(value) => Ok(Value::<Expr>::from(value)),
            Self::Symbolic { value, facts: known } => {
                let rename = |name: &str| format!("?{}", number(name) + first);
                let (value, renamed) = value.renamed(known, &rename)?;
                for symbol in renamed.symbols() {
                    facts.insert(symbol.clone())?;
                }
                Ok(value)
            }
        }
    }
}

impl fmt::Display for TermValue {
    /// The canonical text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Static(value) => value.fmt(f),
            Self::Symbolic { value, facts } => f.write_str(&value.annotated(facts)),
        }
    }
}

/// Whether a value is a layout of some kind, or a swizzle.
pub(crate) fn is_layout<L: Leaf>(value: &Value<L>) -> bool {
    use Value::{Basis, Composed, ComposedBasis, Layout, Linear, Swizzle};
    matches!(value, Layout(_) | Composed(_) | Basis(_) | ComposedBasis(_) | Linear(_) | Swizzle(_))
}

/// Whether a value is an integer, a tuple, a coordinate, a stride of basis elements or a tuple of tilers.
pub(crate) fn is_tuple<L: Leaf>(value: &Value<L>) -> bool {
    use Value::{Coord, CoordinateTiler, Int, Steps, Tiler, Tuple};
    matches!(value, Int(_) | Tuple(_) | Coord(_) | Steps(_) | Tiler(_) | CoordinateTiler(_))
}

/// The symbols of a text, in the order of their first mention; a `?` alone is the least number that was
/// not mentioned before.
fn mentions(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split('?').skip(1) {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let name = match digits {
            0 => (0..).map(|n| format!("?{n}")).find(|name| !names.contains(name)),
            _ => Some(format!("?{}", &part[..digits])),
        };
        names.extend(name.filter(|name| !names.contains(name)));
    }
    names
}

/// Whether a text calls an operation of the algebra, rather than one on integers alone.
fn calls(text: &str) -> bool {
    let opens = text.match_indices('(').map(|(at, _)| &text[..at]);
    opens.into_iter().any(|before| {
        let word =
            before.trim_end().rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        let integers = ["", "o", "min", "max", "mod", "floor_div", "ceil_div"];
        word.is_some_and(|word| {
            !integers.contains(&word) && !word.starts_with(|c: char| c.is_ascii_digit())
        })
    })
}

/// The number of a symbol without a name.
pub(crate) fn number(name: &str) -> usize {
    name.strip_prefix('?').and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Reads the text of a layout type.
///
/// # Errors
///
/// As [`TermValue::parse`]; a value that is no layout.
pub fn layout_type(text: &str) -> Result<TermValue, Violation> {
    let term_value = TermValue::parse(text)?;
    if term_value.is_layout() { Ok(term_value) } else { Err(no_layout(&term_value)) }
}

/// Reads the text of a view's layout.
///
/// # Errors
///
/// As [`TermValue::parse`]; a value that is no layout into memory.
pub fn view_type(text: &str) -> Result<TermValue, Violation> {
    let term_value = TermValue::parse(text)?;
    check_view_layout(&term_value)?;
    Ok(term_value)
}

/// A layout that a view may have: static or partly static, plain or composed.
pub(crate) fn check_view_layout(term_value: &TermValue) -> Result<&TermValue, Violation> {
    match term_value {
        _ if term_value.any_layout().is_some() => Ok(term_value),
        TermValue::Symbolic { value: Value::Layout(_) | Value::Composed(_), .. } => Ok(term_value),
        _ => Err(no_layout(term_value)),
    }
}

/// The error for a value that is no layout; for a shape, the hint is its layout.
fn no_layout(term_value: &TermValue) -> Violation {
    Violation::new(Code::Kind, "a layout", term_value).hint_if(compact(term_value))
}

/// Reads the text of a tuple type.
///
/// # Errors
///
/// As [`TermValue::parse`]; a value that is no tuple.
pub fn tuple_type(text: &str) -> Result<TermValue, Violation> {
    let term_value = TermValue::parse(text)?;
    if term_value.is_tuple() {
        Ok(term_value)
    } else {
        let layout =
            term_value.is_layout().then(|| format!("!layout<{term_value}> is a layout's type"));
        Err(Violation::new(Code::Kind, "an integer, a tuple or a tuple of tilers", term_value)
            .hint_if(layout))
    }
}

#[cfg(test)]
#[path = "../../tests/units/data/term_value.rs"]
mod tests;
