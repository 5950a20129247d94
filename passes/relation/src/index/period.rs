//! Forms that repeat as a symbol grows.

use super::{Atom, IndexForm};
use layout_algebra::gcd;
use std::collections::BTreeSet;

impl IndexForm {
    /// A step of a symbol from 0 below `extent` that leaves the form as it is, whatever the other symbols are, or `None` if no
    /// such step is known.
    ///
    /// ```
    /// use layout_relation::IndexForm;
    /// let round = IndexForm::symbol(7, Some(0), Some(100)).unwrap();
    /// assert_eq!(round.modulo(3).unwrap().scale(8).unwrap().period(7, 100), Some(3));
    /// assert_eq!(round.mask(1).unwrap().period(7, 100), Some(2));
    /// assert_eq!(round.floor_div(3).unwrap().period(7, 100), None);
    /// ```
    pub fn period(&self, symbol: u32, extent: i64) -> Option<i64> {
        let mut period = 1_i64;
        let mut rest = self.clone();
        for (atom, &factor) in &self.terms {
            // x - d * floor(x / d) is x modulo d.
            let Atom::Floor(inner, by) = atom else { continue };
            if factor % by != 0 || !inner.symbols().contains(&symbol) {
                continue;
            }
            let own = match inner.slope(symbol, extent, *by) {
                Some((unit, slope)) => unit.checked_mul(by / gcd(*by, slope.checked_abs()?))?,
                None => {
                    let last = inner.bits_of(symbol)?.into_iter().map(|(bit, _)| bit).max()?;
                    1_i64.checked_shl(last + 1)?
                }
            };
            let remainder = inner.minus(&Self::of_atom(atom.clone()).scale(*by)?)?;
            rest = rest.plus(&remainder.scale(factor / by)?)?;
            period = lcm(period, own)?;
        }
        for atom in rest.terms.keys() {
            let mut symbols = BTreeSet::new();
            atom.symbols(&mut symbols);
            if !symbols.contains(&symbol) {
                continue;
            }
            let Atom::Parity(bits) = atom else { return None };
            let last = bits.iter().filter(|bit| bit.0 == symbol).map(|bit| bit.1).max()?;
            period = lcm(period, 1_i64.checked_shl(last + 1)?)?;
        }
        Some(period)
    }

    /// `(2^l, f)` of a form that adds `f * (symbol >> l)`, modulo a number.
    fn slope(&self, symbol: u32, extent: i64, by: i64) -> Option<(i64, i64)> {
        let mut bits = self.bits_of(symbol)?;
        bits.sort_unstable();
        let (&(low, slope), &(high, _)) = (bits.first()?, bits.last()?);
        // A symbol whose last bits are left out starts again.
        let is_linear = high == extent.checked_sub(1)?.checked_ilog2()?
            && (low..).zip(&bits).all(|(at, &(bit, factor))| {
                let worth = 1_i64.checked_shl(bit - low).and_then(|w| slope.checked_mul(w));
                let over = worth.and_then(|worth| factor.checked_sub(worth));
                bit == at && over.and_then(|over| over.checked_rem(by)) == Some(0)
            });
        is_linear.then_some((1_i64.checked_shl(low)?, slope))
    }
}

fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a, b)).checked_mul(b)
}
