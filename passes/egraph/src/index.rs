//! The language of index arithmetic: its operations, and what each does at a width.
//!
//! An index is a word of `width` bits in two's complement, held as the integer that it stands for.
//! Sums, differences and products wrap, so that they form a ring; division, remainder and right
//! shift read the word as unsigned, as the hardware does; comparisons, minimum and maximum read
//! it with one. An operation without an answer (a division by zero, a shift by the width or more)
//! has no value.

macro_rules! operations {
    ($($variant:ident $name:literal $arity:literal $meaning:literal)*) => {
        /// An operation on indices.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum IndexOp {
            $(#[doc = $meaning] $variant,)*
        }

        impl IndexOp {
            /// Every operation.
            pub const ALL: &[IndexOp] = &[$(IndexOp::$variant),*];

            /// The name in terms and rules.
            pub fn name(self) -> &'static str {
                match self {
                    $(IndexOp::$variant => $name,)*
                }
            }

            /// How many operands it takes.
            pub fn arity(self) -> usize {
                match self {
                    $(IndexOp::$variant => $arity,)*
                }
            }
        }
    };
}

operations! {
    Add "add" 2 "`x + y`, wrapping"
    Sub "sub" 2 "`x - y`, wrapping"
    Mul "mul" 2 "`x * y`, wrapping"
    Div "div" 2 "the quotient of unsigned words"
    Mod "mod" 2 "the remainder of unsigned words"
    High "high" 2 "the high word of the product of unsigned words"
    Shl "shl" 2 "`x` shifted left by `y` bits"
    Shr "shr" 2 "`x` shifted right by `y` bits, zeros from the left"
    And "and" 2 "bits in both"
    Or "or" 2 "bits in either"
    Xor "xor" 2 "bits in one of the two"
    Min "min" 2 "the smaller, with signs"
    Max "max" 2 "the larger, with signs"
    Less "lt" 2 "1 where `x < y` with signs, else 0"
    AtMost "le" 2 "1 where `x <= y` with signs, else 0"
    Equal "eq" 2 "1 where `x = y`, else 0"
    Select "select" 3 "`y` where `x` is 1, `z` where it is 0"
    Mad "mad" 3 "`x * y + z`, one instruction"
    Add3 "add3" 3 "`x + y + z`, one instruction"
    AndOr "and_or" 3 "`(x & y) | z`, one instruction"
    AndXor "and_xor" 3 "`(x & y) ^ z`, one instruction"
    OrAnd "or_and" 3 "`(x | y) & z`, one instruction"
    XorAnd "xor_and" 3 "`(x ^ y) & z`, one instruction"
    And3 "and3" 3 "`x & y & z`, one instruction"
    Or3 "or3" 3 "`x | y | z`, one instruction"
    Xor3 "xor3" 3 "`x ^ y ^ z`, one instruction"
}

impl IndexOp {
    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// Whether the answer is 0 or 1.
    pub fn is_predicate(self) -> bool {
        matches!(self, Self::Less | Self::AtMost | Self::Equal)
    }

    /// The operation as others that are one instruction apart: `mad x y z` is `add (mul x y) z`.
    /// None for an operation that stands for itself.
    pub fn parts(self) -> Option<(IndexOp, IndexOp)> {
        Some(match self {
            Self::Mad => (Self::Mul, Self::Add),
            Self::Add3 => (Self::Add, Self::Add),
            Self::AndOr => (Self::And, Self::Or),
            Self::AndXor => (Self::And, Self::Xor),
            Self::OrAnd => (Self::Or, Self::And),
            Self::XorAnd => (Self::Xor, Self::And),
            Self::And3 => (Self::And, Self::And),
            Self::Or3 => (Self::Or, Self::Or),
            Self::Xor3 => (Self::Xor, Self::Xor),
            _ => return None,
        })
    }

    /// The result for words of `width` bits, or `None` if the operation has none, or for operands that are no words of that
    /// width.
    ///
    /// ```
    /// use layout_egraph::index::IndexOp;
    /// assert_eq!(IndexOp::Mul.eval(&[7, 3], 4), Some(5));
    /// assert_eq!(IndexOp::Div.eval(&[-1, 2], 4), Some(7));
    /// assert_eq!(IndexOp::Div.eval(&[1, 0], 64), None);
    /// ```
    pub fn eval(self, operands: &[i64], width: u32) -> Option<i64> {
        if operands.len() != self.arity() || operands.iter().any(|&x| wrap(x, width) != x) {
            return None;
        }
        if let Some((first, second)) = self.parts() {
            let inner = first.eval(&operands[..2], width)?;
            return second.eval(&[inner, operands[2]], width);
        }
        let (x, y) = (operands[0], operands[1]);
        let (a, b) = (word(x, width), word(y, width));
        let shift = u32::try_from(y).ok().filter(|&shift| shift < width);
        Some(match self {
            Self::Add => wrap(x.wrapping_add(y), width),
            Self::Sub => wrap(x.wrapping_sub(y), width),
            Self::Mul => wrap(x.wrapping_mul(y), width),
            Self::Div => wrap(a.checked_div(b)?.cast_signed(), width),
            Self::Mod => wrap(a.checked_rem(b)?.cast_signed(), width),
            Self::High => {
                let product = u128::from(a) * u128::from(b);
                wrap(((product >> width) as u64).cast_signed(), width)
            }
            Self::Shl => wrap((a << shift?).cast_signed(), width),
            Self::Shr => wrap((a >> shift?).cast_signed(), width),
            Self::And => x & y,
            Self::Or => x | y,
            Self::Xor => x ^ y,
            Self::Min => x.min(y),
            Self::Max => x.max(y),
            Self::Less => i64::from(x < y),
            Self::AtMost => i64::from(x <= y),
            Self::Equal => i64::from(x == y),
            Self::Select => match x {
                1 => y,
                0 => operands[2],
                _ => return None,
            },
            Self::Mad
            | Self::Add3
            | Self::AndOr
            | Self::AndXor
            | Self::OrAnd
            | Self::XorAnd
            | Self::And3
            | Self::Or3
            | Self::Xor3 => return None,
        })
    }
}

/// The lowest `width` bits, as an unsigned word.
pub fn word(value: i64, width: u32) -> u64 {
    value.cast_unsigned() & mask(width)
}

/// The integer of the lowest `width` bits.
pub fn wrap(value: i64, width: u32) -> i64 {
    let unused = 64 - width.clamp(1, 64);
    value << unused >> unused
}

/// All bits of a word.
pub fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.clamp(1, 64))
}

/// The least and greatest integer of a word.
pub fn bounds(width: u32) -> (i64, i64) {
    let high = (mask(width) >> 1).cast_signed();
    (-high - 1, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_at_every_width() {
        assert_eq!((wrap(8, 4), wrap(7, 4), wrap(-9, 4)), (-8, 7, 7));
        assert_eq!(bounds(4), (-8, 7));
        assert_eq!(bounds(64), (i64::MIN, i64::MAX));
        assert_eq!(IndexOp::Add.eval(&[i64::MAX, 1], 64), Some(i64::MIN));
        assert_eq!(IndexOp::Shl.eval(&[3, 2], 4), Some(-4));
        assert_eq!(IndexOp::Shr.eval(&[-4, 2], 4), Some(3));
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!(IndexOp::Mod.eval(&[3, 0], 8), None);
        assert_eq!(IndexOp::Shl.eval(&[1, 8], 8), None);
        assert_eq!(IndexOp::Shl.eval(&[1, -1], 8), None);
        assert_eq!(IndexOp::Select.eval(&[2, 5, 6], 8), None);
        assert_eq!(IndexOp::Add.eval(&[1], 8), None);
        assert_eq!(IndexOp::Add.eval(&[200, 1], 8), None);
    }

    #[test]
    fn fused_operations_are_their_parts() {
        assert_eq!(IndexOp::Mad.eval(&[3, 5, 7], 64), Some(22));
        assert_eq!(IndexOp::AndXor.eval(&[0b1100, 0b0110, 0b0001], 64), Some(0b0101));
        for &op in IndexOp::ALL {
            assert_eq!(IndexOp::from_name(op.name()), Some(op));
            assert_eq!(op.parts().is_some(), op.arity() == 3 && op != IndexOp::Select);
        }
    }
}
