//! The digits of an index in the mixed radix of a shape, which a layout multiplies by its strides.

use super::{Failure, address::covering};
use layout_algebra::Layout;
use layout_dialect::build::{Builder, Val};
use melior::ir::ValueLike;

/// One digit of an index in a shape's mixed radix.
pub(super) struct Digit {
    /// Product of the extents before this one.
    below: i64,
    /// Extent, or `None` for the last digit, which takes all that is left.
    extent: Option<i64>,
    /// Extent even where the last digit is open, for the bits that a coordinate in range has.
    range: i64,
    /// Elements that a step of it is.
    pub(super) stride: i64,
}

/// The digits that evaluate a layout at an index, fewest first: adjacent modes that continue each
/// other are one digit.
pub(super) fn digits(layout: &Layout) -> Result<Vec<Digit>, Failure> {
    Ok(mixed_radix(layout.coalesce_x()?.flat()))
}

/// The digits of a layout as it is written, a digit for each extent.
pub(super) fn plain_digits(layout: &Layout) -> Vec<Digit> {
    mixed_radix(layout.flat())
}

fn mixed_radix(modes: Vec<(i64, i64)>) -> Vec<Digit> {
    let last = modes.len().saturating_sub(1);
    let mut below = 1_i64;
    let mut digits = Vec::with_capacity(modes.len());
    for (i, (extent, stride)) in modes.into_iter().enumerate() {
        let open = (i < last).then_some(extent);
        digits.push(Digit { below, extent: open, range: extent, stride });
        below = below.saturating_mul(extent);
    }
    digits
}

/// `(index / below) % extent`, or without the remainder.
pub(super) fn digit(below: i64, extent: Option<i64>) -> Digit {
    Digit { below, extent, range: extent.unwrap_or(i64::MAX), stride: 1 }
}

impl Digit {
    /// `(index / below) % extent`, by shift and mask where these are powers of two.
    pub(super) fn of<'c>(&self, b: &Builder<'c>, index: Val<'c>) -> Result<Val<'c>, Failure> {
        let r#type = index.r#type();
        let mut value = index;
        if self.below > 1 {
            value = if self.below.count_ones() == 1 {
                let by = b.constant(r#type, i64::from(self.below.trailing_zeros()))?;
                b.binary("arith.shrui", value, by)?
            } else {
                let by = b.constant(r#type, self.below)?;
                b.binary("arith.divui", value, by)?
            };
        }
        if let Some(extent) = self.extent {
            value = if extent.count_ones() == 1 {
                let mask = b.constant(r#type, extent - 1)?;
                b.binary("arith.andi", value, mask)?
            } else {
                let by = b.constant(r#type, extent)?;
                b.binary("arith.remui", value, by)?
            };
        }
        Ok(value)
    }

    /// `(index / below) % extent` as written.
    pub(super) fn plainly<'c>(&self, b: &Builder<'c>, index: Val<'c>) -> Result<Val<'c>, Failure> {
        let r#type = index.r#type();
        let mut value = b.binary("arith.divui", index, b.constant(r#type, self.below)?)?;
        if let Some(extent) = self.extent {
            value = b.binary("arith.remui", value, b.constant(r#type, extent)?)?;
        }
        Ok(value)
    }

    /// `(index / below) % extent` of an index that may be below 0, both rounded towards 0.
    pub(super) fn towards_zero<'c>(
        &self,
        b: &Builder<'c>,
        index: Val<'c>,
    ) -> Result<Val<'c>, Failure> {
        let r#type = index.r#type();
        let mut value = index;
        if self.below > 1 {
            value = b.binary("arith.divsi", value, b.constant(r#type, self.below)?)?;
        }
        if let Some(extent) = self.extent {
            value = b.binary("arith.remsi", value, b.constant(r#type, extent)?)?;
        }
        Ok(value)
    }

    /// The bits that the digit times its stride may have, for an index in range: all of them where that
    /// may be below 0.
    pub(super) fn bits(&self) -> i64 {
        if self.stride < 0 && self.range > 1 {
            return i64::MAX;
        }
        let greatest = (self.range - 1).saturating_mul(self.stride);
        if self.stride > 0 && self.stride.count_ones() == 1 {
            covering(self.range - 1).saturating_mul(self.stride)
        } else {
            covering(greatest)
        }
    }
}

/// A shape's digits as a compact layout's, for `idx2crd`.
pub(super) fn shape_digits(extents: &[i64]) -> Vec<Digit> {
    mixed_radix(extents.iter().map(|&extent| (extent, 1)).collect())
}
