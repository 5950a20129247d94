//! Outer layouts of views: the place of an index in one, for static and dynamic integers.
//!
//! The offset of a view's element before the outer layout is a sum that may be below 0, as where a stride
//! is negative. Quotients and remainders are then those that the algebra takes, which round towards 0.

use super::{
    Failure,
    address::{scale, sum},
    digits::{digits, plain_digits},
    value::{Emitter, type_of},
};
use layout_algebra::{Expr, Facts, Layout, Symbol, Width};
use layout_dialect::{
    Violation,
    build::{Builder, Val},
};
use melior::ir::ValueLike;

/// A partly static outer layout.
pub(super) struct OuterLayout<'c> {
    layout: Layout<Expr>,
    facts: Facts,
    /// The symbols' values, by number.
    integers: Vec<Val<'c>>,
}

/// An index that an outer layout takes.
#[derive(Clone, Copy)]
pub(super) struct Index<'c> {
    pub(super) value: Val<'c>,
    /// Whether it is known to be at least 0.
    pub(super) natural: bool,
}

impl<'c> OuterLayout<'c> {
    /// The layout, with its symbols' facts and values.
    pub(super) fn new(layout: &Layout<Expr>, facts: &Facts, integers: &[Val<'c>]) -> Self {
        Self { layout: layout.clone(), facts: facts.clone(), integers: integers.to_vec() }
    }

    /// Where an index is, in 64 bits; if `plain`, as the definition says, without what facts make
    /// of it.
    pub(super) fn at(
        &self,
        b: &Builder<'c>,
        index: Index<'c>,
        plain: bool,
    ) -> Result<Val<'c>, Failure> {
        if !index.natural || plain {
            return self.by_digits(b, index);
        }
        let mut facts = self.facts.clone();
        let natural = Symbol::new(&format!("?{}", self.integers.len()), Width::W64)
            .and_then(|symbol| symbol.with_range(0, i64::MAX));
        let symbol = natural.map_err(Violation::from)?;
        let name = symbol.name().to_owned();
        facts.insert(symbol).map_err(Violation::from)?;
        let offset = facts.symbol(&name).and_then(|symbol| self.layout.at_under(&facts, &symbol));
        let integers = [self.integers.as_slice(), &[index.value]].concat();
        let mut emitter = Emitter { b, integers: &integers };
        facts.compute(&offset.map_err(Violation::from)?, Width::W64, &mut emitter)
    }

    /// The sum of the digits of an index times the strides, which the last digit continues with.
    fn by_digits(&self, b: &Builder<'c>, index: Index<'c>) -> Result<Val<'c>, Failure> {
        let [divide, remainder] = division(index.natural);
        let number = |expr: &Expr| {
            self.facts.compute(expr, Width::W64, &mut Emitter { b, integers: &self.integers })
        };
        let modes = self.layout.flat();
        let (mut rest, mut offset) = (index.value, None);
        for (i, (extent, stride)) in modes.iter().enumerate() {
            let mut digit = rest;
            if i + 1 < modes.len() {
                let extent = number(extent)?;
                digit = b.binary(remainder, rest, extent)?;
                rest = b.binary(divide, rest, extent)?;
            }
            let term = match stride.as_constant() {
                Some(stride) => scale(b, digit, stride)?,
                None => b.binary("arith.muli", digit, number(stride)?)?,
            };
            offset = Some(sum(b, offset, term)?);
        }
        match offset {
            Some(offset) => Ok(offset),
            None => Ok(b.constant(type_of(b, Width::W64), 0)?),
        }
    }
}

/// Where an index of a layout that is known is.
pub(super) fn known_at<'c>(
    b: &Builder<'c>,
    outer: &Layout,
    index: Index<'c>,
    plain: bool,
) -> Result<Val<'c>, Failure> {
    let Index { value, natural } = index;
    let mut offset = None;
    for digit in if plain { plain_digits(outer) } else { digits(outer)? } {
        let digit_of = match (natural, plain) {
            (false, _) => digit.towards_zero(b, value)?,
            (true, true) => digit.plainly(b, value)?,
            (true, false) => digit.of(b, value)?,
        };
        offset = Some(sum(b, offset, scale(b, digit_of, digit.stride)?)?);
    }
    match offset {
        Some(offset) => Ok(offset),
        None => Ok(b.constant(value.r#type(), 0)?),
    }
}

/// The quotient and the remainder of indices.
fn division(natural: bool) -> [&'static str; 2] {
    if natural { ["arith.divui", "arith.remui"] } else { ["arith.divsi", "arith.remsi"] }
}
