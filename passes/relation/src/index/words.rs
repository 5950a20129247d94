//! Operations on words: masks, bits in both or either, wrapping, choices and comparisons.
//!
//! A form is an integer, and its bits are those of two's complement without an end.

use super::{
    Atom, Bit, IndexForm, TERMS,
    operand::{Operand, Range},
};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// Bits of a sum of bits at most.
const WIDTH: u32 = 62;

/// An operation whose result is no sum of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Word {
    /// Bits in both.
    And,
    /// Bits in one of the two or both.
    Or,
    /// Bits in one of the two.
    Xor,
    /// The lesser of the two.
    Least,
    /// The product.
    Product,
    /// The quotient by a divisor of at least 1, rounded down.
    Quotient,
    /// 1 where the operand is below 0, else 0.
    Negative,
    /// The second where the first is not 0, else the third.
    Choice,
}

impl Word {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
            Self::Least => "min",
            Self::Product => "mul",
            Self::Quotient => "div",
            Self::Negative => "negative",
            Self::Choice => "select",
        }
    }

    pub(super) fn is_symmetric(self) -> bool {
        !matches!(self, Self::Negative | Self::Choice | Self::Quotient)
    }

    /// The result of numbers; none past 64 bits.
    pub(super) fn apply(self, values: &[i64]) -> Option<i64> {
        Some(match (self, values) {
            (Self::And, [a, b]) => a & b,
            (Self::Or, [a, b]) => a | b,
            (Self::Xor, [a, b]) => a ^ b,
            (Self::Least, [a, b]) => *a.min(b),
            (Self::Product, [a, b]) => a.checked_mul(*b)?,
            (Self::Quotient, [a, b]) if *b > 0 => a.div_euclid(*b),
            (Self::Negative, [a]) => i64::from(*a < 0),
            (Self::Choice, [c, a, b]) => *if *c != 0 { a } else { b },
            _ => return None,
        })
    }

    /// The least and the greatest result.
    pub(super) fn range(self, operands: &[Operand]) -> Range {
        let ranges: Vec<Range> = operands.iter().map(Operand::range).collect();
        match (self, &ranges[..]) {
            (Self::And, &[a, b]) => {
                let natural = |(low, high): Range| low.is_some_and(|l| l >= 0).then_some(high);
                match (natural(a), natural(b)) {
                    (Some(a), Some(b)) => (Some(0), a.zip(b).map(|(a, b)| a.min(b)).or(a).or(b)),
                    (Some(high), None) | (None, Some(high)) => (Some(0), high),
                    (None, None) => (None, None),
                }
            }
            (Self::Or | Self::Xor, &[(Some(0..), a), (Some(0..), b)]) => {
                (Some(0), a.zip(b).map(|(a, b)| ones(a | b)))
            }
            (Self::Least, &[(a, most), (b, high)]) => {
                let least = a.zip(b).map(|(a, b)| a.min(b));
                (least, most.zip(high).map(|(a, b)| a.min(b)).or(most).or(high))
            }
            (Self::Product, ranges) => super::product::range(ranges.iter().copied()),
            (Self::Quotient, &[(least, most), (Some(low @ 1..), high)]) => {
                // Towards 0 by the greatest divisor, away from it by the least.
                let by = |value: i64, near: Option<i64>, far: i64| match (value, near) {
                    (0.., Some(near)) => value.div_euclid(near),
                    (0.., None) => 0,
                    _ => value.div_euclid(far),
                };
                let over = |value: i64| match value {
                    0.. => value.div_euclid(low),
                    _ => high.map_or(-1, |high| value.div_euclid(high)),
                };
                (least.map(|value| by(value, high, low)), most.map(over))
            }
            (Self::Negative, _) => (Some(0), Some(1)),
            (Self::Choice, &[_, (a, most), (b, high)]) => {
                (a.zip(b).map(|(a, b)| a.min(b)), most.zip(high).map(|(a, b)| a.max(b)))
            }
            _ => (None, None),
        }
    }
}

/// A bit of a sum that does not carry: an exclusive or, and whether it is turned around.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Column {
    parity: BTreeSet<Bit>,
    inverted: bool,
}

impl Column {
    fn constant(&self) -> Option<bool> {
        self.parity.is_empty().then_some(self.inverted)
    }

    /// The bits that are set in both, where that is one exclusive or again.
    fn and(&self, other: &Self) -> Option<Self> {
        match (self.constant(), other.constant()) {
            (Some(false), _) | (_, Some(false)) => Some(Self::default()),
            (Some(true), _) => Some(other.clone()),
            (_, Some(true)) => Some(self.clone()),
            _ if self.parity != other.parity => None,
            _ if self.inverted == other.inverted => Some(self.clone()),
            _ => Some(Self::default()),
        }
    }
}

impl IndexForm {
    /// The result of an operation as an atom, of numbers as a number.
    pub(super) fn word<const N: usize>(word: Word, operands: [&Self; N]) -> Option<Self> {
        let values: Option<Vec<i64>> = operands.iter().map(|form| form.as_constant()).collect();
        if let Some(values) = values {
            return word.apply(&values).map(Self::constant);
        }
        if operands.iter().map(|operand| operand.weight()).sum::<usize>() > TERMS {
            return None;
        }
        let mut operands: SmallVec<[Operand; 2]> =
            operands.into_iter().map(|operand| operand.clone().into()).collect();
        if word.is_symmetric() {
            operands.sort_unstable();
        }
        let mut form = Self::constant(0);
        form.terms.insert(Atom::Word(word, operands), 1);
        Some(form)
    }

    /// The bits that are set in a mask too.
    pub fn mask(&self, mask: i64) -> Option<Self> {
        if let Some(value) = self.as_constant() {
            return Some(Self::constant(value & mask));
        }
        if mask < 0 {
            // The result of the mask, with any number of bits above.
            return self.minus(&self.mask(!mask)?);
        }
        let mut mask = mask;
        if let (Some(0..), Some(high)) = self.range() {
            let ones = ones(high);
            mask &= ones;
            if mask == ones {
                return Some(self.clone());
            }
        }
        if mask == 0 {
            return Some(Self::constant(0));
        }
        let width = 64 - mask.leading_zeros();
        if width >= WIDTH {
            return None;
        }
        // Carries past the mask do not matter, carries within do.
        let Some(mut columns) = self.split(1 << width)?.1.columns() else {
            return self.fields(mask);
        };
        columns.truncate(width as usize);
        for (bit, column) in columns.iter_mut().enumerate() {
            if mask >> bit & 1 == 0 {
                *column = Column::default();
            }
        }
        Self::of_columns(&columns)
    }

    /// Under a mask, run by run of its ones: what is left by the power of two above a run, less what
    /// is left by the one where it begins.
    fn fields(&self, mask: i64) -> Option<Self> {
        let mut sum = Self::constant(0);
        let mut rest = mask;
        while rest != 0 {
            let low = rest.trailing_zeros();
            let high = low + (rest >> low).trailing_ones();
            let field = self.modulo(1 << high)?.minus(&self.modulo(1 << low)?)?;
            sum = sum.plus(&field)?;
            rest = rest >> high << high;
        }
        Some(sum)
    }

    /// The bits that are set in both.
    pub fn and(&self, other: &Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (Some(mask), _) => return other.mask(mask),
            (_, Some(mask)) => return self.mask(mask),
            _ if self == other => return Some(self.clone()),
            _ => {}
        }
        if self.shares_no_bit(other) || other.shares_no_bit(self) {
            return Some(Self::constant(0));
        }
        let columns = || -> Option<Self> {
            let (left, right) = (self.columns()?, other.columns()?);
            let both: Option<Vec<Column>> =
                left.iter().zip(&right).map(|(left, right)| left.and(right)).collect();
            Self::of_columns(&both?)
        };
        columns().or_else(|| Self::word(Word::And, [self, other]))
    }

    /// The exclusive or of both, bit by bit.
    pub fn xor(&self, other: &Self) -> Option<Self> {
        if self == other {
            return Some(Self::constant(0));
        }
        match (self.as_constant(), other.as_constant()) {
            (Some(mask @ ..0), _) => {
                return Self::constant(-1).minus(&other.xor(&Self::constant(!mask))?);
            }
            (_, Some(mask @ ..0)) => {
                return Self::constant(-1).minus(&self.xor(&Self::constant(!mask))?);
            }
            _ => {}
        }
        if let Some(form) = self.xor_columns(other) {
            return Some(form);
        }
        match (self.as_constant(), other.as_constant()) {
            // Both, less what is in both and counted twice.
            (Some(mask), _) => other.plus(self)?.minus(&other.mask(mask)?.scale(2)?),
            (_, Some(mask)) => self.plus(other)?.minus(&self.mask(mask)?.scale(2)?),
            _ => match self.above(other).or_else(|| other.above(self)) {
                Some((high, low, narrow)) if low.terms.is_empty() => high.plus(&low.xor(narrow)?),
                Some((high, low, narrow)) => high.plus(&Self::word(Word::Xor, [&low, narrow])?),
                None => match self.split_above(other).or_else(|| other.split_above(self)) {
                    Some((high, low, narrow)) => high.plus(&Self::word(Word::Xor, [&low, narrow])?),
                    None => Self::word(Word::Xor, [self, other]),
                },
            },
        }
    }

    /// The terms that are multiples of a power of two above all bits of the other, which leave those bits
    /// as they are, and the other terms, if there are both.
    fn split_above<'f>(&self, narrow: &'f Self) -> Option<(Self, Self, &'f Self)> {
        let (Some(0..), Some(most)) = narrow.range() else { return None };
        let width = 64 - most.leading_zeros();
        let (high, low) = self.split(1_i64.checked_shl(width).filter(|_| width < WIDTH)?)?;
        (!high.terms.is_empty() && !low.terms.is_empty()).then_some((high, low, narrow))
    }

    /// The part above all bits of the other, and the rest, where that does not carry past them:
    /// only the latter meets the other bit by bit.
    fn above<'f>(&self, narrow: &'f Self) -> Option<(Self, Self, &'f Self)> {
        let (Some(0..), Some(most)) = narrow.range() else { return None };
        // Sums below may reach further up than the other does.
        (64 - most.leading_zeros()..WIDTH).find_map(|width| {
            let unit = 1_i64.checked_shl(width)?;
            let (high, low) = self.split(unit)?;
            let is_above = low.is_within(0, unit) && !high.terms.is_empty();
            is_above.then_some((high, low, narrow))
        })
    }

    fn xor_columns(&self, other: &Self) -> Option<Self> {
        // Above all bits of one, the other stays as it is.
        let (wide, narrow) = match (self.range(), other.range()) {
            (_, (Some(0..), Some(high))) => ((self, other), high),
            ((Some(0..), Some(high)), _) => ((other, self), high),
            _ => return None,
        };
        let width = 64 - narrow.leading_zeros();
        if width >= WIDTH {
            return None;
        }
        let (high, low) = wide.0.split(1 << width)?;
        let (mut left, right) = (low.columns()?, wide.1.columns()?);
        if left.len() < right.len() {
            left.resize(right.len(), Column::default());
        }
        for (column, other) in left.iter_mut().zip(right) {
            column.parity = &column.parity ^ &other.parity;
            column.inverted ^= other.inverted;
        }
        // Where the lower part has bits above, so might the higher part: both are added, which is
        // right since those bits of the narrow one are 0.
        high.plus(&Self::of_columns(&left)?)
    }

    /// The bits that are set in one of both: the sum of two that share no bit.
    pub fn or(&self, other: &Self) -> Option<Self> {
        if self.shares_no_bit(other) || other.shares_no_bit(self) {
            return self.plus(other);
        }
        match self.and(other)? {
            // Without an atom for what is in both.
            both if self.as_constant().is_some() || other.as_constant().is_some() => {
                self.plus(other)?.minus(&both)
            }
            both if both.terms.keys().all(|atom| matches!(atom, Atom::Parity(_))) => {
                self.plus(other)?.minus(&both)
            }
            _ => Self::word(Word::Or, [self, other]),
        }
    }

    /// Whether all values are multiples of a power of two that the other's are below.
    fn shares_no_bit(&self, other: &Self) -> bool {
        match other.range() {
            (Some(0..), Some(high)) => {
                let unit = 1_i64.checked_shl(64 - high.leading_zeros());
                unit.filter(|&unit| unit > 0).is_some_and(|unit| self.divisor() % unit == 0)
            }
            _ => false,
        }
    }

    /// The lesser of both.
    pub fn least(&self, other: &Self) -> Option<Self> {
        match self.minus(other)?.range() {
            (_, Some(..=0)) => Some(self.clone()),
            (Some(0..), _) => Some(other.clone()),
            _ => Self::word(Word::Least, [self, other]),
        }
    }

    /// The greater of both.
    pub fn greatest(&self, other: &Self) -> Option<Self> {
        self.plus(other)?.minus(&self.least(other)?)
    }

    /// 1 where the form is below 0, else 0.
    pub fn negative(&self) -> Option<Self> {
        match self.range() {
            (_, Some(..0)) => Some(Self::constant(1)),
            (Some(0..), _) => Some(Self::constant(0)),
            (Some(-1), Some(0)) => self.scale(-1),
            // Written in the same way for all conditions that say the same.
            _ => match self.below(0)? {
                None => Some(Self::constant(1)),
                Some((form, limit)) => {
                    let form = form.minus(&Self::constant(limit))?;
                    // The form that begins without a minus, since both say the same.
                    if form.terms.values().next().is_some_and(|&first| first < 0) {
                        let opposite = Self::constant(-1).minus(&form)?;
                        return Self::constant(1).minus(&Self::word(Word::Negative, [&opposite])?);
                    }
                    Self::word(Word::Negative, [&form])
                }
            },
        }
    }

    /// One form where this is not 0, the other where it is.
    pub fn choose(&self, then: &Self, otherwise: &Self) -> Option<Self> {
        match (self.as_constant(), then.minus(otherwise).and_then(|step| step.as_constant())) {
            (Some(0), _) => Some(otherwise.clone()),
            (Some(_), _) => Some(then.clone()),
            // A choice between 0 and 1 becomes a multiple.
            (None, Some(step)) if self.is_within(0, 2) => otherwise.plus(&self.scale(step)?),
            _ => {
                // The common terms of both are not chosen.
                let mut common = Self::constant(otherwise.constant);
                for (atom, coefficient) in &then.terms {
                    if otherwise.terms.get(atom) == Some(coefficient) {
                        common.terms.insert(atom.clone(), *coefficient);
                    }
                }
                let (then, otherwise) = (then.minus(&common)?, otherwise.minus(&common)?);
                common.plus(&Self::word(Word::Choice, [self, &then, &otherwise])?)
            }
        }
    }

    /// The unsigned number in the lowest `width` bits.
    pub fn unsigned(&self, width: u32) -> Option<Self> {
        match self.range() {
            (Some(0..), Some(high)) if width > 62 || high < 1 << width => Some(self.clone()),
            (Some(0..), None) if width > 62 => Some(self.clone()),
            _ if width > 62 => None,
            _ => self.modulo(1 << width),
        }
    }

    /// The signed number in the lowest `width` bits.
    pub fn signed(&self, width: u32) -> Option<Self> {
        if !(1..=62).contains(&width) {
            return (width >= 64).then(|| self.clone());
        }
        let half = 1_i64 << (width - 1);
        if self.is_within(-half, half) {
            return Some(self.clone());
        }
        let half = Self::constant(half);
        self.plus(&half)?.modulo(1 << width)?.minus(&half)
    }

    /// The bits, lowest first, where all terms are bits that do not carry into each other.
    pub(super) fn columns(&self) -> Option<Vec<Column>> {
        let mut columns: Vec<Column> = Vec::new();
        let mut used = |at: usize| -> Option<usize> {
            if at >= WIDTH as usize {
                return None;
            }
            if columns.len() <= at {
                columns.resize(at + 1, Column::default());
            }
            Some(at)
        };
        // -c x is c (1 - x) - c: a bit that is turned around.
        let mut constant = self.constant;
        let mut bits = Vec::new();
        for (atom, &coefficient) in &self.terms {
            let Atom::Parity(parity) = atom else { return None };
            constant = constant.checked_add(coefficient.min(0))?;
            let size = coefficient.checked_abs()?;
            for at in (0..62).filter(|at| size >> at & 1 == 1) {
                bits.push((used(at)?, parity, coefficient < 0));
            }
        }
        if constant < 0 {
            return None;
        }
        for at in (0..63).filter(|at| constant >> at & 1 == 1) {
            used(at)?;
        }
        for (at, parity, inverted) in bits {
            let column = &mut columns[at];
            if !column.parity.is_empty() {
                return None;
            }
            *column = Column { parity: parity.iter().copied().collect(), inverted };
        }
        for (at, column) in columns.iter_mut().enumerate() {
            if constant >> at & 1 == 1 {
                if !column.parity.is_empty() {
                    return None;
                }
                column.inverted = true;
            }
        }
        Some(columns)
    }

    pub(super) fn of_columns(columns: &[Column]) -> Option<Self> {
        let mut form = Self::constant(0);
        for (at, column) in columns.iter().enumerate() {
            let value = 1_i64.checked_shl(u32::try_from(at).ok()?)?;
            if column.inverted {
                form.constant = form.constant.checked_add(value)?;
            }
            if !column.parity.is_empty() {
                let parity = column.parity.iter().copied().collect();
                form.add(Atom::Parity(parity), if column.inverted { -value } else { value })?;
            }
        }
        Some(form)
    }
}

/// All bits up to the highest of a number that is not negative.
fn ones(high: i64) -> i64 {
    match 64 - high.leading_zeros() {
        bits @ 0..=62 => (1 << bits) - 1,
        _ => i64::MAX,
    }
}
