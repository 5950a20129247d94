//! Swizzles, and layouts behind one.

use crate::{
    error::{Error, Result},
    layout::Layout,
};
use std::fmt;

/// `S<bits,base,shift>`: `bits` bits of an offset, at `base + shift`, are added without carry to
/// those at `base` (for a negative shift the two places change roles).
///
/// An involution exactly where `|shift| >= bits`, or `bits` is 0.
///
/// ```
/// use layout_algebra::Swizzle;
/// let swizzle = Swizzle::new(3, 4, 3)?;
/// assert_eq!(swizzle.apply(0b1_0000_0000), 0b1_0010_0000);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Swizzle {
    /// Bits that take part.
    pub bits: u32,
    /// Lower bits that stay.
    pub base: u32,
    /// Distance between the two groups of bits.
    pub shift: i32,
}

impl Swizzle {
    /// A swizzle whose bits lie within 62.
    ///
    /// # Errors
    ///
    /// Bits past the 62nd.
    pub fn new(bits: u32, base: u32, shift: i32) -> Result<Self> {
        let top = u64::from(bits) + u64::from(base) + u64::from(shift.unsigned_abs());
        if top > 62 {
            return Err(Error::Limit {
                what: "bits that a swizzle reaches",
                limit: 62,
                found: top.to_string(),
            });
        }
        Ok(Self { bits, base, shift })
    }

    /// The swizzled offset.
    pub fn apply(&self, offset: i64) -> i64 {
        let mask = ((1_i64 << self.bits) - 1) << (self.base + self.shift.max(0).unsigned_abs());
        let source = offset & mask;
        let moved = if self.shift >= 0 {
            source >> self.shift
        } else {
            source << self.shift.unsigned_abs()
        };
        offset ^ moved
    }

    /// Offsets that are multiples of this pass through: `S(x + d) = S(x) + d`.
    pub fn period(&self) -> i64 {
        1 << (self.bits + self.base + self.shift.unsigned_abs())
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S<{},{},{}>", self.bits, self.base, self.shift)
    }
}

/// What stands outside of a composed layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outer {
    /// A swizzle.
    Swizzle(Swizzle),
    /// A layout.
    Layout(Layout),
}

/// `outer o offset o inner`: the element at `c` is at `outer(offset + inner(c))`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComposedLayout {
    /// Applied last.
    pub outer: Outer,
    /// Added between.
    pub offset: i64,
    /// Applied first; its shape is the whole's.
    pub inner: Layout,
}

impl ComposedLayout {
    /// The swizzle outside, if it is one.
    pub fn swizzle(&self) -> Option<Swizzle> {
        match &self.outer {
            Outer::Swizzle(swizzle) => Some(*swizzle),
            Outer::Layout(_) => None,
        }
    }

    /// The same outside over another inner layout.
    pub fn with_inner(&self, inner: Layout) -> Self {
        Self { inner, ..self.clone() }
    }

    /// The offset of a one-dimensional index.
    ///
    /// # Errors
    ///
    /// Overflow.
    pub fn at(&self, index: i64) -> Result<i64> {
        let middle = self
            .inner
            .at(index)?
            .checked_add(self.offset)
            .ok_or_else(|| Error::overflow("at", self))?;
        match &self.outer {
            Outer::Swizzle(swizzle) => Ok(swizzle.apply(middle)),
            Outer::Layout(layout) => layout.at(middle),
        }
    }

    /// One more than the greatest offset, found by evaluation.
    ///
    /// # Errors
    ///
    /// More than [`crate::ENUMERATION_LIMIT`] coordinates; overflow.
    pub fn cosize(&self) -> Result<i64> {
        let size = self.inner.size();
        if size > crate::ENUMERATION_LIMIT {
            return Err(Error::Limit {
                what: "coordinates to evaluate",
                limit: usize::try_from(crate::ENUMERATION_LIMIT).unwrap_or(usize::MAX),
                found: size.to_string(),
            });
        }
        let mut greatest = 0;
        for index in 0..size {
            greatest = greatest.max(self.at(index)?);
        }
        greatest.checked_add(1).ok_or_else(|| Error::overflow("cosize", self))
    }
}

impl fmt::Display for ComposedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outer {
            Outer::Swizzle(swizzle) => write!(f, "{swizzle}")?,
            Outer::Layout(layout) => write!(f, "{layout}")?,
        }
        write!(f, " o {} o {}", self.offset, self.inner)
    }
}

/// A layout, plain or composed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnyLayout {
    /// `shape:stride`.
    Plain(Layout),
    /// `outer o offset o shape:stride`.
    Composed(ComposedLayout),
}

impl AnyLayout {
    /// The layout that coordinates meet first: of a plain layout, itself.
    pub fn inner(&self) -> &Layout {
        match self {
            Self::Plain(layout) => layout,
            Self::Composed(composed) => &composed.inner,
        }
    }

    /// The same with another inner layout.
    ///
    /// # Errors
    ///
    /// Those of `f`.
    pub fn try_map(&self, f: impl FnOnce(&Layout) -> Result<Layout>) -> Result<Self> {
        Ok(match self {
            Self::Plain(layout) => Self::Plain(f(layout)?),
            Self::Composed(composed) => Self::Composed(composed.with_inner(f(&composed.inner)?)),
        })
    }

    /// The offset of a one-dimensional index.
    ///
    /// # Errors
    ///
    /// Overflow.
    pub fn at(&self, index: i64) -> Result<i64> {
        match self {
            Self::Plain(layout) => layout.at(index),
            Self::Composed(composed) => composed.at(index),
        }
    }

    /// Coordinates.
    pub fn size(&self) -> i64 {
        self.inner().size()
    }

    /// One more than the greatest offset.
    ///
    /// # Errors
    ///
    /// Overflow; for composed layouts, too many coordinates.
    pub fn cosize(&self) -> Result<i64> {
        match self {
            Self::Plain(layout) => layout.cosize(),
            Self::Composed(composed) => composed.cosize(),
        }
    }
}

impl fmt::Display for AnyLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(layout) => layout.fmt(f),
            Self::Composed(composed) => composed.fmt(f),
        }
    }
}

/// The largest power of two `v` such that every aligned group of `v` indices stands at contiguous,
/// ascending offsets; under a swizzle at most `2^base`.
///
/// # Errors
///
/// Overflow.
pub fn contiguous_run(layout: &AnyLayout) -> Result<i64> {
    let flat = crate::coalesce(layout.inner())?.flat();
    let &(extent, stride) = flat.first().unwrap_or(&(1, 0));
    if stride != 1 {
        return Ok(1);
    }
    let mut run = extent & extent.wrapping_neg();
    if let AnyLayout::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), offset, .. }) =
        layout
    {
        run = run.min(1 << swizzle.base);
        if *offset != 0 {
            run = run.min(offset & offset.wrapping_neg());
        }
    }
    Ok(run)
}
