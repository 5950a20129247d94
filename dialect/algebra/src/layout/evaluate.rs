//! Layouts at all coordinates, where no closed form decides: one addition for most offsets, and a
//! budget, so that no operation takes longer than a tenth of a second.

use crate::layout::prelude::*;
use crate::{
    integer::ceil,
    layout::{modes::coalesced_x, offset_at},
};
use smallvec::SmallVec;

/// Coordinates that are compared where the closed form does not decide; fewer where each takes
/// many divisions.
pub const ENUMERATION_LIMIT: i64 = 1 << 20;

/// Divisions that one operation may make: eight for each of the coordinates.
const DIVISIONS: i64 = ENUMERATION_LIMIT * 8;

/// The evaluations that an operation may still make, over all of its parts.
pub struct Budget {
    coordinates: i64,
    divisions: i64,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Self { coordinates: ENUMERATION_LIMIT, divisions: DIVISIONS }
    }

    /// Takes `coordinates` of `modes` divisions each.
    ///
    /// # Errors
    ///
    /// More than is left: how many such coordinates a whole budget has, and how many it would take
    /// with what was spent before.
    pub(crate) fn spend(
        &mut self,
        coordinates: i64,
        modes: usize,
    ) -> core::result::Result<(), Exceeded> {
        let modes = i64::try_from(modes).unwrap_or(i64::MAX).max(1);
        if coordinates > self.coordinates.min(self.divisions / modes) {
            let spent = match coordinates > self.coordinates {
                true => ENUMERATION_LIMIT - self.coordinates,
                false => ceil(DIVISIONS - self.divisions, modes),
            };
            return Err(Exceeded {
                limit: ENUMERATION_LIMIT.min(DIVISIONS / modes),
                found: coordinates.saturating_add(spent),
            });
        }
        self.coordinates -= coordinates;
        self.divisions -= coordinates * modes;
        Ok(())
    }
}

/// A budget that does not suffice, in coordinates.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exceeded {
    pub(crate) limit: i64,
    pub(crate) found: i64,
}

/// Refuses to evaluate at too many coordinates, each through a number of modes.
///
/// # Errors
///
/// [`Error::Limit`] with what would be admitted.
pub(crate) fn admit(coordinates: i64, modes: usize) -> Result<()> {
    Budget::new()
        .spend(coordinates, modes)
        .map_err(|Exceeded { limit, found }| Error::limit("coordinates to evaluate", limit, found))
}

/// Refuses to evaluate a layout of too many coordinates.
pub(crate) fn limited(layout: &Layout) -> Result<()> {
    if layout.size() <= ENUMERATION_LIMIT {
        return Ok(());
    }
    Err(Error::limit("coordinates to evaluate", ENUMERATION_LIMIT, layout.size()))
}

/// A layout made ready to be evaluated often.
pub(crate) struct At<'l> {
    layout: &'l Layout,
    modes: Modes,
}

impl<'l> At<'l> {
    pub(crate) fn new(layout: &'l Layout) -> Result<Self> {
        Ok(Self { layout, modes: coalesced_x(layout)? })
    }

    /// Modes that an evaluation goes through.
    pub(crate) fn modes(&self) -> usize {
        self.modes.len()
    }

    /// The offset of an index, if it does not overflow.
    pub(crate) fn offset(&self, index: i64) -> Option<i64> {
        offset_at(&self.modes, index)
    }

    /// [`Layout::at`].
    pub(crate) fn at(&self, index: i64) -> Result<i64> {
        self.offset(index)
            .ok_or_else(|| Error::overflow("at", format!("{} at {index}", self.layout)))
    }
}

/// The offsets of a layout in the order of its indices. They are counted in 128 bits, in which none
/// of a layout of at most 2^63 coordinates overflows.
pub(crate) struct Offsets {
    /// Extent, stride and digit of the modes that have more than one coordinate.
    modes: SmallVec<[(i64, i64, i64); 8]>,
    offset: i128,
    left: i64,
}

impl Offsets {
    pub(crate) fn of(layout: &Layout) -> Self {
        Self::of_modes(&layout.leaves(), layout.size())
    }

    /// The budget for modes that have `size` coordinates.
    pub(crate) fn of_modes(modes: &Modes, size: i64) -> Self {
        let modes = modes.iter().filter(|mode| mode.0 != 1);
        Self { modes: modes.map(|&(e, s)| (e, s, 0)).collect(), offset: 0, left: size }
    }
}

impl Iterator for Offsets {
    /// Nothing where the offset leaves 64 bits.
    type Item = Option<i64>;

    fn next(&mut self) -> Option<Option<i64>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let offset = self.offset;
        for (extent, stride, digit) in &mut self.modes {
            *digit += 1;
            if digit < extent {
                self.offset += i128::from(*stride);
                break;
            }
            *digit = 0;
            self.offset -= i128::from(*stride) * i128::from(*extent - 1);
        }
        Some(i64::try_from(offset).ok())
    }
}

/// Checks that no partial sum of `constant + layout(c)` leaves 64 bits.
pub(crate) fn bounded(operation: &'static str, constant: i64, layout: &Layout) -> Result<()> {
    let mut reach = constant.checked_abs();
    for &(extent, stride) in &layout.flat() {
        reach = reach.and_then(|reach| {
            let more = stride.checked_abs()?.checked_mul(extent - 1)?;
            reach.checked_add(more)
        });
    }
    match reach {
        Some(_) => Ok(()),
        None => Err(Error::overflow(operation, format!("{constant} + {layout}"))),
    }
}

/// All of `constant + layout(c)`, in one-dimensional order.
///
/// # Errors
///
/// Sums that overflow; more than [`ENUMERATION_LIMIT`] coordinates.
pub(crate) fn walk(
    operation: &'static str,
    constant: i64,
    layout: &Layout,
) -> Result<impl Iterator<Item = i64> + use<>> {
    bounded(operation, constant, layout)?;
    limited(layout)?;
    Ok(Offsets { offset: constant.into(), ..Offsets::of(layout) }.flatten())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn offsets_are_those_of_the_definition() {
        for text in ["1:7", "(2,1,(3,2)):(5,9,(-1,0))", "(2,2):(9223372036854775807,1)"] {
            let layout: Layout = text.parse().expect("a layout");
            let offsets: Vec<_> = Offsets::of(&layout).collect();
            assert_eq!(offsets, crate::meaning::offsets(&layout), "{text}");
        }
    }

    #[test]
    fn a_budget_is_shared() {
        let mut budget = Budget::new();
        assert_eq!(budget.spend(ENUMERATION_LIMIT / 4, 16), Ok(()));
        let exceeded = |limit, found| Err(Exceeded { limit, found });
        let (whole, quarter) = (ENUMERATION_LIMIT, ENUMERATION_LIMIT / 4);
        assert_eq!(budget.spend(whole, 1), exceeded(whole, whole + quarter));
        assert_eq!(budget.spend(2 * quarter, 16), exceeded(2 * quarter, 3 * quarter));
    }
}
