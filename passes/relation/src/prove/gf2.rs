//! Matrices over GF(2): functions whose offset is a constant, and for each bit of the coordinate a
//! base, added without carry.

use layout_algebra::Layout;

use crate::error::Result;

use super::{
    Question, Tier, Verdict, Witness,
    function::{FinalStep, Function},
};

const PROVED: Verdict = Verdict::Proved(Tier::Gf2);

/// `constant ^ base[j] for each bit j of the coordinate`.
#[derive(Clone, Debug)]
struct Linear {
    constant: u64,
    bases: Vec<u64>,
}

pub(super) fn answer(question: Question<'_>) -> Result<Option<Verdict>> {
    Ok(match question {
        Question::Equal(left, right) if left.size == right.size => {
            match (Linear::of(left), Linear::of(right)) {
                (Some(a), Some(b)) => Some(match a.first_difference(&b) {
                    None => PROVED,
                    Some(coordinate) => Verdict::Refuted(Witness::Differ {
                        coordinate,
                        left: Some(left.at(coordinate)?),
                        right: Some(right.at(coordinate)?),
                    }),
                }),
                _ => None,
            }
        }
        Question::Equal(..) => None,
        Question::Injective(function) => match Linear::of(function) {
            None => None,
            Some(linear) => Some(match linear.first_dependent() {
                None => PROVED,
                Some((coordinate, earlier)) => Verdict::Refuted(Witness::Collide {
                    coordinate,
                    earlier,
                    offset: function.at(coordinate)?,
                }),
            }),
        },
        Question::Disjoint(left, right) => match (Linear::of(left), Linear::of(right)) {
            (Some(a), Some(b)) => Some(match a.meets(&b) {
                None => PROVED,
                Some((x, y)) => {
                    Verdict::Refuted(Witness::Meet { left: x, right: y, offset: left.at(x)? })
                }
            }),
            _ => None,
        },
        Question::Within(function, lower, upper) => match Linear::of(function) {
            None => None,
            Some(linear) => Some(match linear.first_outside(lower, upper) {
                None => PROVED,
                Some(coordinate) => Verdict::Refuted(Witness::Outside {
                    coordinate,
                    offset: function.at(coordinate)?,
                }),
            }),
        },
        Question::Aligned(function, unit) if unit & (unit - 1) == 0 => match Linear::of(function) {
            None => None,
            Some(linear) => Some(match linear.first_with(u64::try_from(unit - 1).unwrap_or(0)) {
                None => PROVED,
                Some(coordinate) => Verdict::Refuted(Witness::Misaligned {
                    coordinate,
                    offset: function.at(coordinate)?,
                }),
            }),
        },
        Question::Aligned(..) => None,
        Question::Consecutive(function, run) => {
            Linear::of(function).filter(|linear| linear.counts(run)).map(|_| PROVED)
        }
    })
}

impl Linear {
    /// Whether the low bits of the coordinate are those of the offset, and nothing else reaches these.
    fn counts(&self, run: i64) -> bool {
        let Ok(low) = u64::try_from(run - 1) else { return false };
        let bits = low.count_ones() as usize;
        let own = self.bases.iter().take(bits).enumerate().all(|(bit, base)| *base == 1 << bit);
        run & (run - 1) == 0
            && self.bases.len() >= bits
            && own
            && self.bases.iter().skip(bits).chain([&self.constant]).all(|base| base & low == 0)
    }

    /// The function as a matrix: where extents are powers of two and no two bits of the coordinate
    /// add to the same bit of the offset, nothing carries.
    fn of(function: &Function) -> Option<Self> {
        let constant = u64::try_from(function.offset).ok()?;
        let mut used = constant;
        let mut bases = Vec::new();
        for &(extent, stride) in &function.modes {
            if extent & (extent - 1) != 0 {
                return None;
            }
            let stride = u64::try_from(stride).ok()?;
            for bit in 0..extent.trailing_zeros() {
                let base = stride.checked_mul(1 << bit).filter(|base| base >> 62 == 0)?;
                if used & base != 0 {
                    return None;
                }
                used |= base;
                bases.push(base);
            }
        }
        let linear = Self { constant, bases };
        match &function.outer {
            FinalStep::Nothing => Some(linear),
            FinalStep::Swizzle(swizzle) => {
                linear.through(|bits| u64::try_from(swizzle.apply(i64::try_from(bits).ok()?)).ok())
            }
            FinalStep::Matrix(columns) => linear.through(|bits| {
                let set = columns.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
                Some(set.fold(0, |image, (_, column)| image ^ column))
            }),
            FinalStep::Layout(layout) => {
                let images = images(layout, used)?;
                linear.through(|bits| {
                    Some(
                        (0..64)
                            .filter(|bit| bits >> bit & 1 == 1)
                            .fold(0, |sum, bit| sum ^ images[bit]),
                    )
                })
            }
        }
    }

    /// A linear map applied to all that it gives.
    fn through(&self, f: impl Fn(u64) -> Option<u64>) -> Option<Self> {
        let bases = self.bases.iter().map(|&base| f(base)).collect::<Option<_>>()?;
        Some(Self { constant: f(self.constant)?, bases })
    }

    /// A coordinate differs first where a single bit does.
    fn first_difference(&self, other: &Self) -> Option<i64> {
        if self.constant != other.constant {
            return Some(0);
        }
        self.bases.iter().zip(&other.bases).position(|(a, b)| a != b).map(|bit| 1 << bit)
    }

    /// The first coordinate whose offset an earlier one has, and the earlier one.
    fn first_dependent(&self) -> Option<(i64, i64)> {
        // Rows with the bits of the coordinate that they come from.
        let mut rows: Vec<(u64, i64)> = Vec::new();
        for (bit, &base) in self.bases.iter().enumerate() {
            let (mut row, mut from) = (base, 0_i64);
            for &(other, bits) in &rows {
                if row ^ other < row {
                    row ^= other;
                    from ^= bits;
                }
            }
            if row == 0 {
                return Some((1 << bit, from));
            }
            rows.push((row, from | 1 << bit));
            rows.sort_unstable_by(|a, b| b.cmp(a));
        }
        None
    }

    /// The first coordinate whose offset has one of these bits.
    fn first_with(&self, mask: u64) -> Option<i64> {
        if self.constant & mask != 0 {
            return Some(0);
        }
        self.bases.iter().position(|base| base & mask != 0).map(|bit| 1 << bit)
    }

    /// The first coordinate whose offset is below `lower`, or not below `upper`.
    fn first_outside(&self, lower: i64, upper: i64) -> Option<i64> {
        let least = |bad: &dyn Fn(u64, &[u64]) -> bool| {
            if !bad(self.constant, &self.bases) {
                return None;
            }
            // From the highest bit: it is 0 if the lower ones can do it alone.
            let (mut constant, mut coordinate) = (self.constant, 0_i64);
            for bit in (0..self.bases.len()).rev() {
                if !bad(constant, &self.bases[..bit]) {
                    constant ^= self.bases[bit];
                    coordinate |= 1 << bit;
                }
            }
            Some(coordinate)
        };
        let above = match u64::try_from(upper) {
            Ok(upper) => least(&|constant, bases| extreme(constant, bases, true) >= upper),
            Err(_) => Some(0),
        };
        let below = match u64::try_from(lower) {
            Ok(lower) => least(&|constant, bases| extreme(constant, bases, false) < lower),
            Err(_) => None,
        };
        above.into_iter().chain(below).min()
    }

    /// The least coordinates, first of this and then of the other, with a common offset.
    fn meets(&self, other: &Self) -> Option<(i64, i64)> {
        let mut missing = self.constant ^ other.constant;
        let all: Vec<_> =
            self.bases.iter().rev().chain(other.bases.iter().rev()).copied().collect();
        if !spans(&all, missing) {
            return None;
        }
        let (mut left, mut right) = (0_i64, 0_i64);
        for (i, &base) in all.iter().enumerate() {
            if spans(&all[i + 1..], missing) {
                continue;
            }
            missing ^= base;
            match self.bases.len().checked_sub(i + 1) {
                Some(bit) => left |= 1 << bit,
                None => right |= 1 << (all.len() - 1 - i),
            }
        }
        Some((left, right))
    }
}

/// Where a layout takes each bit, if it does so without carries between those that are used.
fn images(layout: &Layout, used: u64) -> Option<[u64; 64]> {
    let modes = layout.flat();
    let (_, before) = modes.split_last()?;
    if before.iter().any(|(extent, _)| extent & (extent - 1) != 0) {
        return None;
    }
    let mut images = [0; 64];
    let mut reached = 0;
    for (bit, image) in images.iter_mut().enumerate().filter(|(bit, _)| used >> bit & 1 == 1) {
        *image = u64::try_from(layout.at(1 << bit).ok()?).ok().filter(|image| image >> 62 == 0)?;
        if reached & *image != 0 {
            return None;
        }
        reached |= *image;
    }
    Some(images)
}

/// Rows of which each has a highest bit that no other row has, the highest first.
fn echelon(bases: &[u64]) -> Vec<u64> {
    let mut rows: Vec<u64> = Vec::new();
    for &base in bases {
        let row = rows.iter().fold(base, |row, other| row.min(row ^ other));
        if row != 0 {
            rows.push(row);
            rows.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
    rows
}

fn spans(bases: &[u64], target: u64) -> bool {
    echelon(bases).iter().fold(target, |rest, row| rest.min(rest ^ row)) == 0
}

/// The greatest or the least of the constant with any of the bases.
fn extreme(constant: u64, bases: &[u64], greatest: bool) -> u64 {
    echelon(bases).iter().fold(constant, |value, row| {
        if greatest { value.max(value ^ row) } else { value.min(value ^ row) }
    })
}
