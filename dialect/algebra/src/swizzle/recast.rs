//! Swizzled layouts of wider or narrower elements over the same memory.
//!
//! A swizzle of narrow elements moves wide ones as a whole if every bit that it moves lies above
//! those that count within a wide element. With `n = 2^k` narrow elements to a wide one:
//!
//! ```text
//!   S<3,3,3> on f16           bit  8 7 6  5 4 3  2 1 0
//!                                  y y y  z z z  . . .
//!   upcast by 4: S<3,1,3>     bit  6 5 4  3 2 1  0 │within│
//!   upcast by 8: S<3,0,3>     bit  5 4 3  2 1 0    │within│
//!   upcast by 16              z0 would move halves of wide elements: right only if no offset has y0
//! ```

use super::{AnyLayout, ComposedLayout, Outer, Swizzle, bits::may_have};
use crate::{
    error::{Error, Result},
    layout::Layout,
    recast,
    shape::gcd,
};
use alloc::{format, string::String, string::ToString};
use core::fmt;

impl Swizzle {
    /// The swizzle of elements `2^log2` times as narrow.
    ///
    /// # Errors
    ///
    /// Bits past [`Swizzle::BIT_LIMIT`].
    pub fn downcast(&self, log2: u32) -> Result<Self> {
        Self::new(self.bits, self.base.saturating_add(log2), self.shift)
    }

    /// The swizzle of elements `2^log2` times as wide, and the bits that must not be set in any
    /// offset of narrow elements for it to be right: those that are read, if they or those that
    /// they change count within a wide element.
    pub fn upcast(&self, log2: u32) -> (Self, u64) {
        let split = log2.saturating_sub(self.base).min(self.bits);
        let wide = Self {
            bits: self.bits - split,
            base: self.base.saturating_sub(log2),
            shift: self.shift,
        };
        let lost = Self { bits: split, ..*self };
        (wide, lost.source_mask())
    }

    /// The swizzle of elements `n` times as wide, on all offsets.
    ///
    /// # Errors
    ///
    /// A factor that is no power of two, unless the swizzle changes nothing; bits that would be split.
    ///
    /// ```
    /// use layout_algebra::Swizzle;
    /// let swizzle = Swizzle::new(3, 3, 3)?;
    /// assert_eq!(swizzle.widened(8)?, Swizzle::new(3, 0, 3)?);
    /// assert_eq!(
    ///     swizzle.widened(16).unwrap_err().to_string(),
    ///     "upcast(S<3,3,3>, 16): expected no element that the swizzle moves by less than a wide \
    ///      element, found offsets with one of the bits 0x40"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn widened(&self, n: i64) -> Result<Self> {
        let refuse = refused("upcast", self, n);
        match self.upcast(exponent(*self, n, refuse)?) {
            (wide, 0) => Ok(wide),
            (_, lost) => Err(refuse(WHOLE, format!("offsets with one of the bits {lost:#x}"))),
        }
    }

    /// The swizzle of elements `n` times as narrow, on all offsets.
    ///
    /// # Errors
    ///
    /// A factor that is no power of two, unless the swizzle changes nothing; bits past
    /// [`Swizzle::BIT_LIMIT`].
    pub fn narrowed(&self, n: i64) -> Result<Self> {
        self.downcast(exponent(*self, n, refused("downcast", self, n))?)
    }

    /// The swizzle of elements of `new` bits over memory that holds elements of `old` bits.
    ///
    /// # Errors
    ///
    /// Bits below 1; those of [`widened`](Self::widened) and [`narrowed`](Self::narrowed).
    pub fn recast(&self, old: i64, new: i64) -> Result<Self> {
        if old.min(new) < 1 {
            return Err(not_positive(self, old.min(new)));
        }
        let common = gcd(old, new);
        self.narrowed(old / common)?.widened(new / common)
    }
}

/// What an upcast behind a swizzle needs.
const WHOLE: &str = "no element that the swizzle moves by less than a wide element";

fn not_positive(operand: &impl fmt::Display, found: i64) -> Error {
    Error::Condition {
        operation: "recast",
        operand: operand.to_string(),
        expected: "a factor of at least 1",
        found: found.to_string(),
    }
}

impl ComposedLayout {
    /// The layout of elements `n` times as wide, as [`upcast`](crate::upcast()) of plain ones.
    ///
    /// # Errors
    ///
    /// Those of [`upcast`](crate::upcast()) for the inner layout. Behind a swizzle: a factor that is
    /// no power of two; an offset that is no multiple of it; a negative stride that is none; bits that
    /// would be split, if some element moves by them. Behind a layout: always, since what counts there is not elements.
    ///
    /// ```
    /// use layout_algebra::{AnyLayout, Term};
    /// let eval = |text: &str| Term::parse(text)?.eval_layout();
    /// let AnyLayout::Composed(layout) = eval("S<3,3,3> o 64 o (8,64):(64,1)")? else { unreachable!() };
    /// assert_eq!(layout.upcast(4)?.to_string(), "S<3,1,3> o 16 o (8,16):(16,1)");
    /// assert_eq!(layout.upcast(8)?.to_string(), "S<3,0,3> o 8 o (8,8):(8,1)");
    /// assert_eq!(
    ///     layout.upcast(16).unwrap_err().to_string(),
    ///     "upcast(S<3,3,3> o 64 o (8,64):(64,1), 16): expected no element that the swizzle moves \
    ///      by less than a wide element, found offsets with one of the bits 0x40"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn upcast(&self, n: i64) -> Result<AnyLayout> {
        let refuse = refused("upcast", self, n);
        let (swizzle, log2) = self.factor("upcast", n)?;
        let (wide, lost) = swizzle.upcast(log2);
        if self.offset % n != 0 {
            let expected = "an offset of whole wide elements";
            return Err(refuse(expected, self.offset.to_string()));
        }
        self.ascends("upcast", swizzle, n, |stride| stride % n == 0)?;
        let inner = recast::upcast(&self.inner, n)?;
        if may_have("upcast", self.offset, &self.inner, lost)? {
            return Err(refuse(WHOLE, format!("offsets with one of the bits {lost:#x}")));
        }
        Ok(Self { outer: Outer::Swizzle(wide), offset: self.offset / n, inner }.simplified())
    }

    /// The layout of elements `n` times as narrow, as [`downcast`](crate::downcast()) of plain ones.
    ///
    /// # Errors
    ///
    /// Those of [`downcast`](crate::downcast()) for the inner layout. Behind a swizzle: a factor that
    /// is no power of two; a stride of -1; overflow. Behind a layout: always.
    pub fn downcast(&self, n: i64) -> Result<AnyLayout> {
        let (swizzle, log2) = self.factor("downcast", n)?;
        let outer = Outer::Swizzle(swizzle.downcast(log2)?);
        let offset = self.offset.checked_mul(n).ok_or_else(|| Error::overflow("downcast", self))?;
        let inner = recast::downcast(&self.inner, n)?;
        self.ascends("downcast", swizzle, n, |stride| stride != -1)?;
        Ok(Self { outer, offset, inner }.simplified())
    }

    /// The layout of elements of `new` bits over memory that holds elements of `old` bits.
    ///
    /// # Errors
    ///
    /// Bits below 1; those of [`ComposedLayout::upcast`] and [`ComposedLayout::downcast`].
    pub fn recast(&self, old: i64, new: i64) -> Result<AnyLayout> {
        if old.min(new) < 1 {
            return Err(not_positive(self, old.min(new)));
        }
        let common = gcd(old, new);
        let (up, down) = (new / common, old / common);
        let wide = if up == 1 { self.clone().simplified() } else { self.upcast(up)? };
        match wide {
            _ if down == 1 => Ok(wide),
            AnyLayout::Plain(layout) => recast::downcast(&layout, down).map(AnyLayout::Plain),
            AnyLayout::Composed(composed) => composed.downcast(down),
        }
    }

    /// Refuses modes that run backwards through the parts of a wide element. CuTe mirrors them, so
    /// that the parts of element -1 count as those of element 0 on its other side; a swizzle, which
    /// goes by bits, does not.
    fn ascends(
        &self,
        operation: &'static str,
        swizzle: Swizzle,
        n: i64,
        whole: impl Fn(i64) -> bool,
    ) -> Result<()> {
        let mut flat = self.inner.flat().into_iter();
        match flat.find(|&(extent, stride)| extent > 1 && stride < 0 && !whole(stride)) {
            Some((_, stride)) if n > 1 && !swizzle.is_identity() => {
                let expected =
                    "strides that are not negative within a wide element behind a swizzle";
                Err(refused(operation, self, n)(expected, stride.to_string()))
            }
            _ => Ok(()),
        }
    }

    fn factor(&self, operation: &'static str, n: i64) -> Result<(Swizzle, u32)> {
        let swizzle = match &self.outer {
            Outer::Swizzle(swizzle) => Ok(*swizzle),
            Outer::Layout(layout) => Err(layout),
        };
        factor(swizzle, n, refused(operation, self, n))
    }
}

/// What is said of a layout or a swizzle that an operation refuses to recast by a factor.
fn refused(
    operation: &'static str,
    operand: &impl fmt::Display,
    n: i64,
) -> impl Fn(&'static str, String) -> Error + Copy {
    move |expected, found| Error::Condition {
        operation,
        operand: format!("{operand}, {n}"),
        expected,
        found,
    }
}

/// The swizzle outside, and the exponent of the factor; a swizzle without bits takes any factor. What
/// stands outside instead, or another factor, is refused with what was expected and found.
pub(crate) fn factor<E>(
    outside: core::result::Result<Swizzle, &impl fmt::Display>,
    n: i64,
    refuse: impl Fn(&'static str, String) -> E,
) -> core::result::Result<(Swizzle, u32), E> {
    let swizzle = outside.map_err(|layout| {
        let expected = "a swizzle outside, which moves elements of one width";
        refuse(expected, format!("the layout {layout}"))
    })?;
    exponent(swizzle, n, refuse).map(|log2| (swizzle, log2))
}

/// The exponent of a factor; a swizzle without bits takes any.
fn exponent<E>(
    swizzle: Swizzle,
    n: i64,
    refuse: impl Fn(&'static str, String) -> E,
) -> core::result::Result<u32, E> {
    if n < 1 {
        return Err(refuse("a factor of at least 1", n.to_string()));
    }
    if swizzle.is_identity() {
        return Ok(0);
    }
    if !n.cast_unsigned().is_power_of_two() {
        return Err(refuse("a power of two as factor behind a swizzle", n.to_string()));
    }
    Ok(n.trailing_zeros())
}

impl AnyLayout {
    /// The layout of elements `n` times as wide.
    ///
    /// # Errors
    ///
    /// Those of [`upcast`](crate::upcast()) and [`ComposedLayout::upcast`].
    pub fn upcast(&self, n: i64) -> Result<Self> {
        self.on(|plain| recast::upcast(plain, n), |composed| composed.upcast(n))
    }

    /// The layout of elements `n` times as narrow.
    ///
    /// # Errors
    ///
    /// Those of [`downcast`](crate::downcast()) and [`ComposedLayout::downcast`].
    pub fn downcast(&self, n: i64) -> Result<Self> {
        self.on(|plain| recast::downcast(plain, n), |composed| composed.downcast(n))
    }

    /// The layout of elements of `new` bits over memory that holds elements of `old` bits.
    ///
    /// # Errors
    ///
    /// Those of [`recast`](crate::recast()) and [`ComposedLayout::recast`].
    pub fn recast(&self, old: i64, new: i64) -> Result<Self> {
        self.on(|plain| recast::recast(plain, old, new), |composed| composed.recast(old, new))
    }

    /// One operation of plain layouts, and its like of composed ones.
    pub(super) fn on(
        &self,
        plain: impl FnOnce(&Layout) -> Result<Layout>,
        composed: impl FnOnce(&ComposedLayout) -> Result<Self>,
    ) -> Result<Self> {
        match self {
            Self::Plain(layout) => plain(layout).map(Self::Plain),
            Self::Composed(layout) => composed(layout),
        }
    }
}
