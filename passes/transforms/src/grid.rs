//! The blocks of a kernel: numbers, or expressions of sizes that its views have at run time.

use layout_dialect::{
    ViewType,
    build::{Builder, Val, first_result},
    tree,
};
use melior::ir::{
    Attribute, Type, ValueLike,
    attribute::{DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute, StringAttribute},
};

/// Why a grid cannot be computed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("expected {expected}, found {found}")]
    Refused { expected: &'static str, found: String },
    #[error("cannot build the grid: {0}")]
    Ir(#[from] melior::Error),
}

/// Blocks along one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// So many.
    Known(i64),
    /// What an expression is at run time.
    AtRunTime(String),
}

impl std::fmt::Display for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(blocks) => write!(f, "{blocks}"),
            Self::AtRunTime(text) => f.write_str(text),
        }
    }
}

/// The blocks along x, y and z that a kernel's facts say.
pub(crate) fn read(grid: Attribute<'_>) -> Result<[Blocks; 3], Error> {
    if let Ok(array) = DenseI64ArrayAttribute::try_from(grid) {
        return Ok([array.element(0)?, array.element(1)?, array.element(2)?].map(Blocks::Known));
    }
    let each = tree::elements(grid).unwrap_or_default();
    let blocks = each.into_iter().map(|blocks| {
        if let Ok(text) = StringAttribute::try_from(blocks) {
            return Ok(match text.value().parse() {
                Ok(known) => Blocks::Known(known),
                Err(_) => Blocks::AtRunTime(text.value().to_owned()),
            });
        }
        Ok::<_, Error>(Blocks::Known(IntegerAttribute::try_from(blocks)?.value()))
    });
    let blocks: Vec<Blocks> = blocks.collect::<Result<_, _>>()?;
    blocks
        .try_into()
        .map_err(|_| Error::Refused { expected: "a grid of x, y and z", found: grid.to_string() })
}

/// The sizes of a kernel's views, by the names that its facts have them by.
pub(crate) struct Sizes<'c> {
    b: Builder<'c>,
    known: Vec<(String, Val<'c>)>,
}

impl<'c> Sizes<'c> {
    /// Those of views that are a function's arguments, as facts describe these.
    pub(crate) fn of(
        b: Builder<'c>,
        facts: DictionaryAttribute<'c>,
        arguments: &[Val<'c>],
    ) -> Result<Self, Error> {
        let mut known: Vec<(String, Val<'c>)> = Vec::new();
        let described = facts.element_by_name("args").and_then(tree::elements).unwrap_or_default();
        for (own, &view) in described.into_iter().zip(arguments) {
            let own = DictionaryAttribute::try_from(own)?;
            let shape = own.element_by_name("shape");
            let shape = shape.and_then(|shape| StringAttribute::try_from(shape).ok());
            let Some(shape) = shape.map(|shape| shape.value().to_owned()) else { continue };
            for (mode, extent) in modes(&shape).into_iter().enumerate() {
                let is_new = known.iter().all(|(name, _)| name != extent);
                if is_name(extent) && is_new {
                    known.push((extent.to_owned(), size(&b, view, mode)?));
                }
            }
        }
        Ok(Self { b, known })
    }

    /// What an expression is: products, numbers, names and `ceil_div`.
    pub(crate) fn value(&self, text: &str) -> Result<Val<'c>, Error> {
        let text = text.trim();
        if let Some(place) = outermost(text, '*') {
            let (left, right) = (self.value(&text[..place])?, self.value(&text[place + 1..])?);
            return Ok(self.b.binary("arith.muli", left, right)?);
        }
        if let Ok(number) = text.parse() {
            return Ok(self.b.constant(Type::index(self.b.context()), number)?);
        }
        if let Some((left, right)) = ceil_div(text) {
            let (left, right) = (self.value(left)?, self.value(right)?);
            return Ok(self.b.binary("arith.ceildivui", left, right)?);
        }
        let own = self.known.iter().find(|(name, _)| name == text);
        own.map(|(_, value)| *value).ok_or_else(|| {
            let expected = "a grid of sizes that the kernel's views have";
            Error::Refused { expected, found: text.to_owned() }
        })
    }
}

/// The blocks along x, y and z, where sizes by name are numbers; `None` where one is not known.
pub(crate) fn at_sizes(
    grid: Attribute<'_>,
    sizes: &dyn Fn(&str) -> Option<i64>,
) -> Option<[i64; 3]> {
    let mut known = [1; 3];
    for (known, blocks) in known.iter_mut().zip(read(grid).ok()?) {
        *known = match blocks {
            Blocks::Known(blocks) => blocks,
            Blocks::AtRunTime(text) => number(&text, sizes)?,
        };
    }
    Some(known)
}

/// What an expression of the same kind as [`Sizes::value`] takes is at numbers.
fn number(text: &str, sizes: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let text = text.trim();
    if let Some(place) = outermost(text, '*') {
        return number(&text[..place], sizes)?.checked_mul(number(&text[place + 1..], sizes)?);
    }
    if let Some((left, right)) = ceil_div(text) {
        let (left, right) = (number(left, sizes)?, number(right, sizes)?);
        return (right > 0).then(|| left.checked_add(right - 1)).flatten().map(|sum| sum / right);
    }
    text.parse().ok().or_else(|| sizes(text))
}

/// Numbers that an expression divides a size by.
pub(crate) fn divisors(text: &str, size: &str) -> Vec<i64> {
    let text = text.trim();
    if let Some(place) = outermost(text, '*') {
        return [divisors(&text[..place], size), divisors(&text[place + 1..], size)].concat();
    }
    match ceil_div(text) {
        Some((left, right)) if left.trim() == size => right.trim().parse().into_iter().collect(),
        Some((left, _)) => divisors(left, size),
        None => Vec::new(),
    }
}

/// Both sides of a quotient that is rounded up.
fn ceil_div(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix("ceil_div(")?.strip_suffix(')')?;
    let comma = outermost(inside, ',')?;
    Some((&inside[..comma], &inside[comma + 1..]))
}

/// The last place of a character that no parentheses are around.
fn outermost(text: &str, wanted: char) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().rev().find_map(|(place, c)| {
        match c {
            ')' => depth += 1,
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0 && c == wanted).then_some(place)
    })
}

/// The modes of a shape's text.
pub(crate) fn modes(shape: &str) -> Vec<&str> {
    let Some(inside) = shape.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return vec![shape];
    };
    let (mut depth, mut from, mut modes) = (0_usize, 0, Vec::new());
    for (place, c) in inside.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                modes.push(&inside[from..place]);
                from = place + 1;
            }
            _ => {}
        }
    }
    modes.push(&inside[from..]);
    modes
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The extent of a view's mode.
fn size<'c>(b: &Builder<'c>, view: Val<'c>, mode: usize) -> Result<Val<'c>, Error> {
    let datum = ViewType::try_from(view.r#type())?.datum().ok();
    let rank = datum.and_then(|datum| datum.representative()).map_or(1, |layout| layout.rank());
    let pattern: Vec<&str> = (0..rank).map(|i| if i == mode { "_" } else { "0" }).collect();
    let pattern = b.string(&format!("({})", pattern.join(",")));
    let own = first_result(b.inferred("layout.slice", &[view], &[("coord", pattern)])?);
    Ok(first_result(b.inferred("layout.size", &[own], &[])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_operators_outside_of_parentheses_are_found() {
        assert_eq!(modes("(m,(8,4),batch)"), ["m", "(8,4)", "batch"]);
        assert_eq!(modes("m"), ["m"]);
        assert_eq!(outermost("ceil_div(m*2,128)*16", '*'), Some(17));
        assert_eq!(outermost("ceil_div(ceil_div(m,4),128)", ','), None);
        assert_eq!(outermost("ceil_div(m,4),128", ','), Some(13));
    }

    #[test]
    fn expressions_are_numbers_at_sizes() {
        let sizes = |name: &str| (name == "m").then_some(65);
        assert_eq!(number("ceil_div(m,64)*ceil_div(m*2,128)*1", &sizes), Some(4));
        assert_eq!(number("ceil_div(n,64)", &sizes), None);
        assert_eq!(number("ceil_div(m,0)", &sizes), None);
        assert_eq!(divisors("ceil_div(m,64)*ceil_div(n,16)*1", "n"), [16]);
    }
}
