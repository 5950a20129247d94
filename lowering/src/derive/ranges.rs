//! The range and the divisor of an expression of sizes, from those of the sizes.
//!
//! ```text
//! 2*oh+1          with oh from 1 to 4096: 3 to 8193, a multiple of 1
//! 64*rows         with rows from 1 to 16: 64 to 1024, a multiple of 64
//! ceil_div(h,2)   with h from 8 to 1024 and a multiple of 4: 4 to 512, a multiple of 2
//! ```

use layout_algebra::gcd;
use layout_runtime::expression::{Expression, Step};

/// The values that a size, or an expression of sizes, may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Values {
    pub(super) least: i64,
    pub(super) most: i64,
    /// A divisor of all values; 0 where the only one is 0.
    pub(super) divisor: i64,
}

impl Values {
    fn constant(value: i64) -> Self {
        Self { least: value, most: value, divisor: value.checked_abs().unwrap_or(1) }
    }

    /// The values of an expression whose sizes have these, with ends that saturate; the values of a divisor where that may
    /// be below 1.
    pub(super) fn of(expression: &Expression, sizes: &[Self]) -> Result<Self, Self> {
        let mut values: Vec<Self> = Vec::new();
        for &step in expression.steps() {
            let value = match step {
                Step::Integer(value) => Self::constant(value),
                // The parser has numbered the sizes that it was given.
                Step::Size(number) => sizes.get(number).copied().unwrap_or(Self::constant(0)),
                step => {
                    let zero = Self::constant(0);
                    let b = values.pop().unwrap_or(zero);
                    values.pop().unwrap_or(zero).then(step, b)?
                }
            };
            values.push(value);
        }
        Ok(values.pop().unwrap_or(Self::constant(0)))
    }

    fn then(self, step: Step, other: Self) -> Result<Self, Self> {
        if step.divides() && other.least < 1 {
            return Err(other);
        }
        let corners = |does: fn(i64, i64) -> i64| {
            let all =
                [self.least, self.most].map(|a| [other.least, other.most].map(|b| does(a, b)));
            let [[a, b], [c, d]] = all;
            (a.min(b).min(c).min(d), a.max(b).max(c).max(d))
        };
        let common = gcd(self.divisor, other.divisor);
        // A quotient by a number that divides all values.
        let quotient = match other.divisor {
            by if other.least == other.most && by > 0 && self.divisor % by == 0 => {
                self.divisor / by
            }
            _ => 1,
        };
        let ((least, most), divisor) = match step {
            Step::Integer(_) | Step::Size(_) => ((self.least, self.most), self.divisor),
            Step::Add => (corners(i64::saturating_add), common),
            Step::Subtract => (corners(i64::saturating_sub), common),
            Step::Multiply => {
                let divisor = self.divisor.checked_mul(other.divisor).unwrap_or(self.divisor);
                (corners(i64::saturating_mul), divisor)
            }
            Step::CeilDiv => (corners(|a, b| a / b + i64::from(a % b > 0)), quotient),
            Step::FloorDiv => (corners(i64::div_euclid), quotient),
            Step::Mod if self.least >= 0 && self.most < other.least => {
                ((self.least, self.most), self.divisor)
            }
            Step::Mod => ((0, other.most - 1), common),
            Step::Min => ((self.least.min(other.least), self.most.min(other.most)), common),
            Step::Max => ((self.least.max(other.least), self.most.max(other.most)), common),
        };
        Ok(Self { least, most, divisor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["h", "w"];
    const SIZES: [Values; 2] =
        [Values { least: 8, most: 40, divisor: 4 }, Values { least: 1, most: 9, divisor: 1 }];

    fn values(text: &str) -> Result<(i64, i64, i64), (i64, i64)> {
        let expression = Expression::parse(text, &NAMES).expect("an expression");
        let found = Values::of(&expression, &SIZES);
        found
            .map(|own| (own.least, own.most, own.divisor))
            .map_err(|divisor| (divisor.least, divisor.most))
    }

    #[test]
    fn ranges_and_divisors_are_those_of_all_values() {
        for text in [
            "2*w+1",
            "64*h",
            "ceil_div(h,2)",
            "ceil_div(w,2)",
            "floor_div(h-3,2)+1",
            "mod(w,4)",
            "mod(w,16)",
            "mod(h,2*w)",
            "min(h,12)",
            "max(4*w,h)",
            "(w-5)*(h-20)",
            "ceil_div(h,w)",
            "w-h",
            "h*0",
            "7-7",
        ] {
            let expression = Expression::parse(text, &NAMES).expect("an expression");
            let (least, most, divisor) = values(text).expect("a divisor of at least 1");
            for h in (8..=40).step_by(4) {
                for w in 1..=9 {
                    let value = expression.at(&[h, w]).expect("a value");
                    let divides = if divisor == 0 { value == 0 } else { value % divisor == 0 };
                    assert!((least..=most).contains(&value) && divides, "{text}: {value}");
                }
            }
        }
        assert_eq!(values("2*w+1"), Ok((3, 19, 1)));
        assert_eq!(values("ceil_div(h,2)"), Ok((4, 20, 2)));
        assert_eq!(values("64*h"), Ok((512, 2560, 256)));
        assert_eq!(values("mod(h,w-1)"), Err((0, 8)));
    }
}
