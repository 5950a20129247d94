//! Addresses of single elements in steps of a pointer.

use super::{
    Address, Failure,
    address::{offset_pointer, scale, sum},
    packed,
};
use layout_algebra::gcd;
use layout_dialect::build::{Builder, Val};
use melior::ir::Type;

/// Elements of one step of a pointer at most: what an instruction multiplies by in bytes is a number of
/// 31 bits.
const LARGEST_STEP: i64 = 1 << 20;

impl<'c> Address<'c> {
    /// The place of a single element: its run-time part in steps of the pointer, where that is better. Not for
    /// the many elements of a copy or a multiply-accumulate, whose sums are made once, outside of loops, and
    /// take fewer registers so.
    pub(super) fn stepped_pointer(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        let (Some(steps), Some(pointer)) = (self.steps(b)?, self.pointer) else {
            return self.element_pointer(b, 0);
        };
        let mut result = pointer;
        for (value, factor) in steps {
            result = step_pointer(b, result, self.element, value, factor)?;
        }
        match self.linear_constant(0)? {
            0 => Ok(result),
            constant => offset_pointer(b, result, self.element, None, constant),
        }
    }

    /// The run-time part as multiples of values, each of which is one step of a pointer: an instruction
    /// of its own that multiplies and adds. None where that is no better than a sum of elements. What
    /// all digits' strides have in common is the step's, so that nothing multiplies by it.
    fn steps(&self, b: &Builder<'c>) -> Result<Option<Vec<(Val<'c>, i64)>>, Failure> {
        if self.plain || self.outer().is_some() || packed::per_byte(self.element).is_some() {
            return Ok(None);
        }
        let digits = self.digits.as_deref().unwrap_or_default();
        let unit = digits.iter().fold(0, |unit, &(_, stride)| gcd(unit, stride));
        let mut steps = Vec::new();
        if (2..=LARGEST_STEP).contains(&unit) {
            let mut index = None;
            for &(value, stride) in digits {
                index = Some(sum(b, index, scale(b, value, stride / unit)?)?);
            }
            steps.extend(index.map(|index| (index, unit)));
        } else if self.inner_terms.is_empty() {
            return Ok(None);
        } else {
            steps.extend(self.outside.map(|outside| (outside, 1)));
        }
        steps.extend(&self.inner_terms);
        Ok(Some(steps))
    }
}

/// Moves a pointer by a run-time number of steps, each of a static number of elements.
fn step_pointer<'c>(
    b: &Builder<'c>,
    pointer: Val<'c>,
    element: Type<'c>,
    value: Val<'c>,
    elements: i64,
) -> Result<Val<'c>, Failure> {
    if elements == 1 {
        return offset_pointer(b, pointer, element, Some(value), 0);
    }
    let stored = super::memory::stored(b, element);
    let text = format!("!llvm.array<{elements} x {stored}>");
    let step = Type::parse(b.context(), &text)
        .ok_or_else(|| Failure::refused(format!("expected a type, found {text}")))?;
    offset_pointer(b, pointer, step, Some(value), 0)
}
