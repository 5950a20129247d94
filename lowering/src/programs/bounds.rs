//! Comparisons of [integers](super::amount::Amount) that hold at all sizes: an interval for each, and clamps taken apart.
//!
//! Front ends clamp each bound of a slice, and compare extents with 0, once for each slice: without these proofs, the expressions of a few slices
//! of slices outgrow those of a manifest.
//!
//! ```text
//! ceil_div(arg0_0+3-3,4) >= 0         an extent is at least 0, and so is a quotient of such
//! min(ceil_div(arg0_0,4),arg0_0) <= arg0_0
//! ```

use super::{amount::VARIABLE, parts::SIGNED_PART};
use layout_runtime::expression::{self, Expression, Step};

/// The most comparisons of a proof.
const MAX_COMPARISONS: u32 = 1000;

/// An expression of the manifest's grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Tree {
    Number(i64),
    Name(String),
    Of(Step, Box<(Tree, Tree)>),
}

/// The least and the greatest value, where there is one of 64 bits.
#[derive(Clone, Copy)]
struct Range {
    least: Option<i64>,
    most: Option<i64>,
}

/// Whether the first expression is at most the second at all sizes; it may be so where this is false.
pub(super) fn is_at_most(a: &str, b: &str) -> bool {
    let trees = (Tree::parse(a), Tree::parse(b));
    a == b || matches!(&trees, (Some(a), Some(b)) if a.is_at_most(b, &mut { MAX_COMPARISONS }))
}

impl Tree {
    fn parse(text: &str) -> Option<Self> {
        let is_other = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
        let names: Vec<&str> =
            text.split(is_other).filter(|word| expression::is_name(word)).collect();
        let mut trees = Vec::new();
        for &step in Expression::parse(text, &names).ok()?.steps() {
            let tree = match step {
                Step::Integer(value) => Self::Number(value),
                Step::Size(number) => Self::Name((*names.get(number)?).to_owned()),
                step => {
                    let (b, a) = (trees.pop()?, trees.pop()?);
                    Self::Of(step, Box::new((a, b)))
                }
            };
            trees.push(tree);
        }
        trees.pop()
    }

    /// Within a number of steps, since paths through nested clamps are many.
    fn is_at_most(&self, other: &Self, steps: &mut u32) -> bool {
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        if self == other {
            return true;
        }
        if let Some((a, b)) = self.pair(Step::Max) {
            return a.is_at_most(other, steps) && b.is_at_most(other, steps);
        }
        if let Some((a, b)) = other.pair(Step::Min) {
            return self.is_at_most(a, steps) && self.is_at_most(b, steps);
        }
        if matches!((self.range().most, other.range().least), (Some(a), Some(b)) if a <= b) {
            return true;
        }
        let mut least = self.pair(Step::Min).into_iter().flat_map(|(a, b)| [a, b]);
        let mut most = other.pair(Step::Max).into_iter().flat_map(|(a, b)| [a, b]);
        least.any(|own| own.is_at_most(other, steps)) || most.any(|own| self.is_at_most(own, steps))
    }

    fn pair(&self, kind: Step) -> Option<(&Self, &Self)> {
        match self {
            Self::Of(found, pair) if *found == kind => Some((&pair.0, &pair.1)),
            _ => None,
        }
    }

    fn range(&self) -> Range {
        let (kind, pair) = match self {
            Self::Number(value) => return Range { least: Some(*value), most: Some(*value) },
            Self::Name(name) => {
                let is_any = [VARIABLE, SIGNED_PART].iter().any(|start| name.starts_with(start));
                let least = (!is_any).then_some(0);
                return Range { least, most: None };
            }
            Self::Of(kind, pair) => (*kind, pair),
        };
        let (a, b) = (pair.0.range(), pair.1.range());
        let both = |a: Option<i64>, b: Option<i64>, does: fn(i64, i64) -> Option<i64>| {
            a.zip(b).and_then(|(a, b)| does(a, b))
        };
        let positive = |range: Range| range.least.is_some_and(|least| least >= 0);
        match kind {
            Step::Integer(_) | Step::Size(_) => Range { least: None, most: None },
            Step::Add => Range {
                least: both(a.least, b.least, i64::checked_add),
                most: both(a.most, b.most, i64::checked_add),
            },
            Step::Subtract => Range {
                least: both(a.least, b.most, i64::checked_sub),
                most: both(a.most, b.least, i64::checked_sub),
            },
            Step::Multiply if positive(a) && positive(b) => Range {
                least: both(a.least, b.least, i64::checked_mul),
                most: both(a.most, b.most, i64::checked_mul),
            },
            Step::Multiply => Range { least: None, most: None },
            // A divisor is at least 1.
            Step::CeilDiv if positive(a) || self.is_floor_of_positive() => {
                Range { least: Some(0), most: a.most.map(|most| most.max(0)) }
            }
            Step::CeilDiv => {
                let divisor = b.least.filter(|_| b.least == b.most && b.least >= Some(1));
                let ceil = |a: Option<i64>| {
                    both(a, divisor, |a, b| Some(a.div_euclid(b) + i64::from(a.rem_euclid(b) > 0)))
                };
                Range { least: ceil(a.least), most: ceil(a.most) }
            }
            Step::FloorDiv if positive(a) => {
                Range { least: Some(0), most: a.most.map(|most| most.max(0)) }
            }
            Step::FloorDiv => Range { least: None, most: None },
            Step::Mod => {
                Range { least: Some(0), most: b.most.and_then(|most| most.checked_sub(1)) }
            }
            Step::Min => Range {
                least: both(a.least, b.least, |a, b| Some(a.min(b))),
                most: both(a.most, b.most, |a, b| Some(a.min(b))).or(a.most).or(b.most),
            },
            Step::Max => Range {
                least: both(a.least, b.least, |a, b| Some(a.max(b))).or(a.least).or(b.least),
                most: both(a.most, b.most, |a, b| Some(a.max(b))),
            },
        }
    }

    /// Whether it is `ceil_div(a-(b-1),b)`, a quotient rounded down, of something that is at least 0.
    fn is_floor_of_positive(&self) -> bool {
        let floor = || {
            let (numerator, divisor) = self.pair(Step::CeilDiv)?;
            let (of, less) = numerator.pair(Step::Subtract)?;
            let (own, one) = less.pair(Step::Subtract)?;
            (own == divisor && *one == Self::Number(1)).then(|| of.range().least)?
        };
        floor().is_some_and(|least| least >= 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proves_clamps_of_slices() {
        let holds = [
            ("0", "ceil_div(arg0_0+3-3,4)"),
            ("0", "ceil_div(arg0_0*6-(arg0_1*3-1),arg0_1*3)"),
            ("min(ceil_div(arg0_0,4),arg0_0)", "arg0_0"),
            ("0", "max(value0,min(arg0_0,3))"),
            ("min(max(value0,0),arg0_0)", "max(arg0_0,arg0_1)"),
            ("-1", "max(min(arg0_0-arg0_1,7),-1)"),
            ("3", "arg0_0*2+3"),
        ];
        for (a, b) in holds {
            assert!(is_at_most(a, b), "{a} <= {b}");
        }
        let may_not = [
            ("0", "value0"),
            ("0", "arg0_0-1"),
            ("arg0_0", "arg0_1"),
            ("1", "arg0_0"),
            ("0", "ceil_div(arg0_0-3,2)"),
            ("0", "(-2)*arg0_0"),
            ("max(arg0_0,arg0_1)", "arg0_0"),
            ("0", "ceil_div(arg0_0-(arg0_1*3-1),arg0_1)"),
        ];
        for (a, b) in may_not {
            assert!(!is_at_most(a, b), "{a} <= {b}");
        }
    }
}
