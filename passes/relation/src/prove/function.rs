//! The functions that queries compare: from `0 .. size` to offsets, in a normal form.

use std::ops::ControlFlow;

use layout_algebra::{AnyLayout, ComposedLayout, Layout, Outer, Swizzle, linear::LinearLayout};

use crate::error::{Error, Result};

/// `outer(offset + sum of digit * stride)`, over the digits of the coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) outer: FinalStep,
    pub(super) offset: i64,
    /// `(extent, stride)`, coalesced: extents from 2, and no mode continues the one before.
    pub(super) modes: Vec<(i64, i64)>,
    pub(super) size: i64,
}

/// The step that is applied last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FinalStep {
    Nothing,
    /// One that does something.
    Swizzle(Swizzle),
    /// A layout of more than one mode, read past its size.
    Layout(Layout),
    /// A matrix over GF(2), by its columns.
    Matrix(Vec<u64>),
}

impl Function {
    pub(super) fn of(layout: &AnyLayout) -> Result<Self> {
        if layout.inner().flat().is_empty() {
            return Err(Error::Condition {
                operation: "prove",
                operand: layout.to_string(),
                expected: "a layout of at least one mode",
                found: "none".to_owned(),
            });
        }
        let function = match layout {
            AnyLayout::Plain(layout) => Self::inner(layout)?,
            AnyLayout::Composed(composed) => Self::composed(composed)?,
        };
        // All that is evaluated later fits.
        let range = |wide: i128| {
            i64::try_from(wide).map_err(|_| Error::Range { found: format!("offset {wide}") })
        };
        let (least, greatest) = function.reach();
        let least = range(least)?;
        range(greatest)?;
        if let FinalStep::Layout(outer) = &function.outer
            && least < 0
        {
            return Err(Error::Condition {
                operation: "prove",
                operand: outer.to_string(),
                expected: "an inner layout and offset of indices from 0",
                found: least.to_string(),
            });
        }
        Ok(function)
    }

    /// A linear layout, from flattened coordinates to flattened indices.
    pub(super) fn linear(layout: &LinearLayout) -> Self {
        let size = layout.size();
        let modes = if size > 1 { vec![(size, 1)] } else { Vec::new() };
        let outer = FinalStep::Matrix(layout.matrix().columns());
        Self { outer, offset: 0, modes, size }
    }

    fn inner(layout: &Layout) -> Result<Self> {
        let mut modes = layout.coalesce()?.flat();
        modes.retain(|&(extent, _)| extent > 1);
        Ok(Self { outer: FinalStep::Nothing, offset: 0, modes, size: layout.size() })
    }

    fn composed(composed: &ComposedLayout) -> Result<Self> {
        let mut function = Self { offset: composed.offset, ..Self::inner(&composed.inner)? };
        match &composed.outer {
            Outer::Swizzle(swizzle) if swizzle.bits == 0 => {}
            Outer::Swizzle(swizzle) => function.outer = FinalStep::Swizzle(*swizzle),
            Outer::Layout(outer) => match outer.flat()[..] {
                [(_, step)] => {
                    let scale = |value: i64| {
                        value
                            .checked_mul(step)
                            .ok_or_else(|| Error::Range { found: format!("{value} * {step}") })
                    };
                    function.offset = scale(function.offset)?;
                    for (_, stride) in &mut function.modes {
                        *stride = scale(*stride)?;
                    }
                    // A step of 0 lets modes continue each other.
                    if step == 0 && function.size > 1 {
                        function.modes = vec![(function.size, 0)];
                    }
                }
                _ if composed.offset == 0 && function.reach().0 >= 0 => {
                    match outer.composition(&composed.inner) {
                        Ok(layout) => function = Self::inner(&layout)?,
                        Err(_) => function.outer = FinalStep::Layout(outer.clone()),
                    }
                }
                _ => function.outer = FinalStep::Layout(outer.clone()),
            },
        }
        Ok(function)
    }

    /// Without what is applied last.
    pub(super) fn bare(&self) -> Self {
        Self { outer: FinalStep::Nothing, ..self.clone() }
    }

    /// Whether what is applied last keeps different offsets different.
    pub(super) fn outer_is_injective(&self) -> bool {
        match &self.outer {
            FinalStep::Nothing => true,
            // A triangular matrix with ones on its diagonal, unless bits are added to themselves.
            FinalStep::Swizzle(swizzle) => swizzle.shift != 0,
            FinalStep::Layout(_) | FinalStep::Matrix(_) => false,
        }
    }

    /// The least and the greatest of what the last part is applied to.
    pub(super) fn reach(&self) -> (i128, i128) {
        let offset = i128::from(self.offset);
        self.modes.iter().fold((offset, offset), |(least, greatest), &(extent, stride)| {
            let end = i128::from(extent - 1) * i128::from(stride);
            (least + end.min(0), greatest + end.max(0))
        })
    }

    /// The offset at a coordinate of the domain.
    pub(super) fn at(&self, coordinate: i64) -> Result<i64> {
        let mut rest = coordinate;
        let mut value = self.offset;
        for &(extent, stride) in &self.modes {
            // Within what `reach` has checked, whatever the order.
            value = value.wrapping_add((rest % extent).wrapping_mul(stride));
            rest /= extent;
        }
        self.last(value)
    }

    pub(super) fn at_if_inside(&self, coordinate: i64) -> Result<Option<i64>> {
        if coordinate < self.size { self.at(coordinate).map(Some) } else { Ok(None) }
    }

    fn last(&self, value: i64) -> Result<i64> {
        Ok(match &self.outer {
            FinalStep::Nothing => value,
            FinalStep::Swizzle(swizzle) => swizzle.apply(value),
            FinalStep::Layout(layout) => layout.at(value)?,
            FinalStep::Matrix(columns) => {
                let set = (0..).zip(columns).filter(|(bit, _)| value >> bit & 1 == 1);
                let image = set.fold(0, |image, (_, column)| image ^ column);
                i64::try_from(image).map_err(|_| Error::Range { found: image.to_string() })?
            }
        })
    }

    /// Visits the coordinates below `count` and their offsets, in order.
    pub(super) fn visit(
        &self,
        count: i64,
        mut f: impl FnMut(i64, i64) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut digits = vec![0_i64; self.modes.len()];
        let mut value = self.offset;
        for coordinate in 0..count.min(self.size) {
            if f(coordinate, self.last(value)?).is_break() {
                break;
            }
            for (digit, &(extent, stride)) in digits.iter_mut().zip(&self.modes) {
                *digit += 1;
                if *digit < extent {
                    value = value.wrapping_add(stride);
                    break;
                }
                value = value.wrapping_sub(stride.wrapping_mul(extent - 1));
                *digit = 0;
            }
        }
        Ok(())
    }
}
