//! Forms where conditions hold: bits of symbols that are then 0 fall out, and other symbols have bounds.

use super::{Atom, Bit, BoundedSymbol, Factor, IndexForm, words::Word};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// The facts that conditions give about symbols.
#[derive(Default)]
struct SymbolFacts {
    /// Bits that are 0.
    zeros: BTreeSet<Bit>,
    /// The least and the greatest values of symbols that are no bits.
    bounds: BTreeMap<u32, (Option<i64>, Option<i64>)>,
}

impl IndexForm {
    /// The form as it is where conditions hold, each of a form that is below its limit: without the bits
    /// of symbols that are 0 there. None where it has no such form.
    ///
    /// ```
    /// use layout_relation::IndexForm;
    /// let block = IndexForm::symbol(0, Some(0), Some(1 << 31)).unwrap();
    /// let row = block.scale(128).unwrap();
    /// // In 32 bits, rows past 2^31 wrap around; where there are 4096 of them, none is.
    /// let word = row.signed(32).unwrap();
    /// assert_ne!(word, row);
    /// let conditions = [(row.clone(), 4096)];
    /// assert_eq!(word.where_below(&conditions), row.where_below(&conditions));
    /// ```
    pub fn where_below(&self, conditions: &[(Self, i64)]) -> Option<Self> {
        let mut known = SymbolFacts::default();
        for (form, limit) in conditions {
            form.learn_bound(*limit, &mut known);
        }
        for (form, limit) in conditions {
            form.learn_zeros(*limit, &mut known);
        }
        match known.zeros.is_empty() && known.bounds.is_empty() {
            true => Some(self.clone()),
            false => self.where_known(&known),
        }
    }

    /// The range of a form that requires the sign of a symbol: of what it is below 0 and what it is from 0
    /// on, both together. So a word that is read as unsigned is from 0 on.
    pub(super) fn range_by_sign(&self) -> Option<(Option<i64>, Option<i64>)> {
        let symbol = self.terms.keys().find_map(|atom| {
            let Atom::Word(Word::Negative, operands) = atom else { return None };
            let [operand] = operands.as_slice() else { return None };
            let IndexForm { constant: 0, terms } = &**operand else { return None };
            match terms.iter().next() {
                Some((Atom::Whole(whole), 1)) if terms.len() == 1 => Some(*whole),
                _ => None,
            }
        });
        let (number, from, to) = symbol?;
        // No symbol is more than a word.
        let below = (from.or(Some(i64::MIN)), Some(-1));
        let above = (Some(0), to.or(Some(i64::MAX)));
        let range = |bounds| {
            let known = SymbolFacts {
                bounds: BTreeMap::from([(number, bounds)]),
                ..SymbolFacts::default()
            };
            let form = self.where_known(&known)?;
            // Without the query, so that none is made again.
            (form != *self).then(|| form.range())
        };
        let ((low, high), (least, greatest)) = (range(below)?, range(above)?);
        let either = |a: Option<i64>, b: Option<i64>, of: fn(i64, i64) -> i64| {
            a.zip(b).map(|(a, b)| of(a, b))
        };
        Some((either(low, least, i64::min), either(high, greatest, i64::max)))
    }

    /// Bounds of the symbols that it is a sum of multiples of, where it is below a limit: each as far as
    /// the others are known.
    fn learn_bound(&self, limit: i64, known: &mut SymbolFacts) -> Option<()> {
        let mut wholes = Vec::new();
        for (atom, &factor) in &self.terms {
            let Atom::Whole((symbol, from, to)) = atom else { return None };
            wholes.push((
                *symbol,
                factor,
                known.bounds.get(symbol).copied().unwrap_or((*from, *to)),
            ));
        }
        for &(symbol, factor, bounds) in &wholes {
            // factor * symbol <= most, where the others are least.
            let others = wholes.iter().filter(|&&(other, ..)| other != symbol);
            let mut least =
                others.map(|&(_, by, (from, to))| if by > 0 { from } else { to }?.checked_mul(by));
            let least = least.try_fold(self.constant, |sum, least| sum.checked_add(least?));
            let most = least.and_then(|least| limit.checked_sub(1)?.checked_sub(least));
            let Some(most) = most else { continue };
            let mut own = bounds;
            if factor > 0 {
                let most = most.div_euclid(factor);
                own.1 = Some(own.1.map_or(most, |to| to.min(most)));
            } else {
                // symbol >= -most / |factor|, rounded up
                let least = most.div_euclid(factor.checked_neg()?).checked_neg()?;
                own.0 = Some(own.0.map_or(least, |from| from.max(least)));
            }
            if own != bounds {
                known.bounds.insert(symbol, own);
            }
        }
        Some(())
    }

    /// Bits that are 0 where the form is below a limit: of sums of what is not below 0, those that
    /// reach the limit alone.
    fn learn_zeros(&self, limit: i64, known: &mut SymbolFacts) {
        let natural = |(atom, &coefficient): (&Atom, &i64)| {
            coefficient > 0 && matches!(atom.range(), (Some(0..), _))
        };
        if self.constant < 0 || !self.terms.iter().all(natural) {
            return;
        }
        for (atom, &coefficient) in &self.terms {
            if let Atom::Parity(bits) = atom
                && let [bit] = bits[..]
                && self.constant.checked_add(coefficient).is_some_and(|least| least >= limit)
            {
                known.zeros.insert(bit);
            }
        }
    }

    fn where_known(&self, known: &SymbolFacts) -> Option<Self> {
        let mut sum = Self::constant(self.constant);
        for (atom, &coefficient) in &self.terms {
            sum = sum.plus(&atom.where_known(known)?.scale(coefficient)?)?;
        }
        Some(sum)
    }
}

impl SymbolFacts {
    fn whole(&self, whole: BoundedSymbol) -> IndexForm {
        let (from, to) = self.bounds.get(&whole.0).copied().unwrap_or((whole.1, whole.2));
        // Where no value is left, there is no query; a form that is no number is as good as any.
        match (from, to) {
            (Some(low), Some(high)) if low > high => IndexForm::factor(whole.0, whole.1, whole.2),
            // From 0 on, its bits are those of its values.
            (Some(0), Some(high)) if self.bounds.contains_key(&whole.0) => {
                let bits = high
                    .checked_add(1)
                    .and_then(|end| IndexForm::symbol(whole.0, Some(0), Some(end)));
                bits.unwrap_or_else(|| IndexForm::factor(whole.0, from, to))
            }
            _ => IndexForm::factor(whole.0, from, to),
        }
    }
}

impl Atom {
    fn where_known(&self, known: &SymbolFacts) -> Option<IndexForm> {
        match self {
            Self::Parity(bits) => {
                let left: SmallVec<[Bit; 2]> =
                    bits.iter().filter(|bit| !known.zeros.contains(bit)).copied().collect();
                Some(match left[..] {
                    [] => IndexForm::constant(0),
                    _ => IndexForm::of_atom(Self::Parity(left)),
                })
            }
            Self::Whole(whole) => Some(known.whole(*whole)),
            Self::Scaled(factors, of) => {
                let first = match of {
                    Some(atom) => atom.where_known(known)?,
                    None => IndexForm::constant(1),
                };
                factors.iter().try_fold(first, |product, factor| match factor {
                    Factor::Whole(whole) => product.times(&known.whole(*whole)),
                    bits @ Factor::Bits(..) => {
                        product.times(&IndexForm::of_factors(std::slice::from_ref(bits))?)
                    }
                })
            }
            Self::Floor(inner, divisor) => inner.where_known(known)?.floor_div(*divisor),
            Self::Word(word, operands) => {
                let all: Option<Vec<IndexForm>> =
                    operands.iter().map(|operand| operand.where_known(known)).collect();
                match (word, &all?[..]) {
                    (Word::And, [a, b]) => a.and(b),
                    (Word::Or, [a, b]) => a.or(b),
                    (Word::Xor, [a, b]) => a.xor(b),
                    (Word::Least, [a, b]) => a.least(b),
                    (Word::Product, [a, b]) => a.times(b),
                    (Word::Quotient, [a, b]) => a.quotient(b),
                    (Word::Negative, [a]) => a.negative(),
                    (Word::Choice, [c, a, b]) => c.choose(a, b),
                    _ => None,
                }
            }
        }
    }
}
