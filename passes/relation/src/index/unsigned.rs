//! Words of 64 bits that are read as unsigned, where the sign is not known: what is below 0 stands for
//! a number that is 2^64 greater, which a form has no coefficient for, but its quotients have.

use super::{IndexForm, words::Word};

/// Bits of the widest word.
const WIDTH: u32 = 64;

/// How many numbers such a word has.
const UNIT: i128 = 1 << WIDTH;

impl IndexForm {
    /// The unsigned quotient of two words of one width.
    ///
    /// None where the divisor may be 0 or, with a dividend of 64 bits whose sign is not known, is no number.
    ///
    /// ```
    /// use layout_relation::IndexForm;
    /// let x = IndexForm::symbol(0, None, None).unwrap();
    /// let eighth = x.quotient_unsigned(&IndexForm::constant(8), 64).unwrap();
    /// assert_eq!(eighth.to_string(), "floor((s0)/8) + 2305843009213693952 negative(s0)");
    /// assert_eq!(eighth.at(&|_| -1), Some((u64::MAX / 8) as i64));
    /// ```
    pub fn quotient_unsigned(&self, divisor: &Self, width: u32) -> Option<Self> {
        if let Some(word) = self.unsigned(width) {
            return word.quotient(&divisor.unsigned(width)?);
        }
        let by = divisor.as_constant().filter(|&by| by > 0 && width == WIDTH)?;
        let below_0 = self.negative()?;
        match by {
            1 => Some(self.clone()),
            2 => {
                // Half of 2^64 is past a signed word of 64 bits, but twice a quarter is not.
                let quarter = self.floor_div(4)?;
                let greater = quarter.plus(&Self::constant(1 << (WIDTH - 2)))?;
                let unsigned = Self::word(Word::Choice, [&below_0, &greater, &quarter])?;
                let bit = self.floor_div(2)?.minus(&quarter.scale(2)?)?;
                unsigned.scale(2)?.plus(&bit)
            }
            _ => {
                let whole = Self::constant(i64::try_from(UNIT / i128::from(by)).ok()?);
                let shifted = self.plus(&rest(by)?)?.floor_div(by)?.plus(&whole)?;
                below_0.choose(&shifted, &self.floor_div(by)?)
            }
        }
    }

    /// The unsigned remainder of two words of one width.
    ///
    /// None as of [`IndexForm::quotient_unsigned`].
    pub fn remainder_unsigned(&self, divisor: &Self, width: u32) -> Option<Self> {
        if let Some(word) = self.unsigned(width) {
            return word.remainder(&divisor.unsigned(width)?);
        }
        let by = divisor.as_constant().filter(|&by| by > 0 && width == WIDTH)?;
        self.negative()?.choose(&self.plus(&rest(by)?)?.modulo(by)?, &self.modulo(by)?)
    }

    /// 1 where this is less than the other as unsigned words of one width, else 0.
    ///
    /// ```
    /// use layout_relation::IndexForm;
    /// let x = IndexForm::symbol(0, None, None).unwrap();
    /// let less = x.less_unsigned(&IndexForm::constant(100), 64).unwrap();
    /// let at = |value: i64| less.at(&|_| value);
    /// assert_eq!((at(99), at(100), at(-1)), (Some(1), Some(0), Some(0)));
    /// ```
    pub fn less_unsigned(&self, other: &Self, width: u32) -> Option<Self> {
        if let (Some(a), Some(b)) = (self.unsigned(width), other.unsigned(width)) {
            return a.minus(&b)?.negative();
        }
        if width != WIDTH {
            return None;
        }
        // A word below 0 is greater than one that is not; words of one sign are ordered as numbers are.
        let (a, b) = (self.negative()?, other.negative()?);
        let less = self.minus(other)?.negative()?;
        a.choose(&b.and(&less)?, &b.or(&less)?)
    }
}

/// The remainder of 2^64.
fn rest(by: i64) -> Option<IndexForm> {
    i64::try_from(UNIT % i128::from(by)).ok().map(IndexForm::constant)
}
