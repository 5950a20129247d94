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

use super::{AnyLayout, ComposedLayout, Outer, Swizzle, Swizzles};
use crate::{
    error::{Error, Result},
    integer::{Integer, Site, Verdict},
    layout::{
        Layout, composition::NoClosedForm, leaf::Leaf, modal::refined, modes::coalesced_x, recast,
    },
    shape::gcd,
    tuple::Nested,
};
use alloc::{borrow::ToOwned, format, string::String, string::ToString, vec, vec::Vec};
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
    ///     "upcast(S<3,3,3>, 16): expected a swizzle that moves whole wide \
    ///      elements, found offsets with one of the bits 0x40"
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

/// The condition of an upcast under a swizzle.
const WHOLE: &str = "a swizzle that moves whole wide elements";

/// The condition of an upcast on the outer part.
const OUTSIDE: &str =
    "a swizzle as the outer layout, or an outer layout that keeps wide elements contiguous";

/// The condition of a recast under a swizzle on modes that lie within wide elements.
const ASCENDING: &str = "nonnegative strides within a wide element of a swizzled layout";

fn not_positive(operand: &impl fmt::Display, found: i64) -> Error {
    Error::condition("recast", operand, "a factor of at least 1", found)
}

/// A recast of plain layouts by a factor.
type Recast<L> =
    fn(&Layout<L>, &<L as Integer>::Facts, i64) -> Result<Layout<L>, <L as Integer>::Error>;

impl<L: Swizzles> ComposedLayout<L> {
    /// The layout of elements `n` times as wide, as [`Layout::upcast`](crate::Layout::upcast) of plain ones.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::upcast`](crate::Layout::upcast) for the inner layout. Under a swizzle: a factor
    /// that is no power of two; an offset that is no multiple of it; a negative stride that is none; bits
    /// that would be split, if some element moves by them. Under a layout: one that does not keep the narrow
    /// elements of each wide one together. Under facts: what is not known.
    pub fn upcast_under(&self, facts: &L::Facts, n: i64) -> Result<AnyLayout<L>, L::Error> {
        self.wider(facts, n, Layout::upcast_under)
    }

    fn wider(&self, facts: &L::Facts, n: i64, inner: Recast<L>) -> Result<AnyLayout<L>, L::Error> {
        let (refuse, operands) = (refused("upcast", self, n), || format!("{self}, {n}"));
        let site = Site { operation: "upcast", operands: &operands };
        let (outer, lost) = match &self.outer {
            Outer::Swizzle(swizzle) => {
                let (wide, lost) = swizzle.upcast(exponent(*swizzle, n, refuse)?);
                (Outer::Swizzle(wide), lost)
            }
            Outer::Layout(_) if n == 1 => return Ok(self.clone().into()),
            Outer::Layout(layout) => match kept_whole(facts, layout, at_least_1(n, refuse)?) {
                Ok(wide) => {
                    self.require_ascending(facts, &site, refuse)?;
                    (Outer::Layout(wide), 0)
                }
                Err(NoClosedForm::Lost(lost)) => return Err(L::lost(lost, "upcast", self)),
                Err(NoClosedForm::Open(answers)) => {
                    // Both may be one plain layout.
                    let zero = L::equal(facts, &self.offset, &L::from(0));
                    if !zero.is_no() {
                        match layout.composition_under(facts, &self.inner) {
                            Ok(whole) if zero.is_yes() => {
                                return inner(&whole, facts, n).map(AnyLayout::Plain);
                            }
                            Ok(_) => return Err(L::undecided(&site, vec![zero])),
                            Err(error) if L::is_open(&error) => return Err(error),
                            Err(_) => {}
                        }
                    }
                    let refuse = || refuse(OUTSIDE, format!("the layout {layout}"));
                    return Err(match L::closed(layout) {
                        Some(_) => refuse().into(),
                        None => L::unmet(&site, answers, refuse),
                    });
                }
            },
        };
        let offset = L::divide(facts, &self.offset, &L::from(n)).map_err(|answer| {
            L::unmet(&site, vec![answer], || {
                refuse("an offset that is a multiple of a wide element", self.offset.to_string())
            })
        })?;
        // Modes that run backwards through the parts of a wide element. CuTe mirrors them, so that the parts
        // of element -1 count as those of element 0 on its other side; a swizzle, which goes by bits, does not.
        for (extent, stride) in &self.inner.leaves() {
            if self.is_unswizzled() || extent.is(1) || L::divide(facts, stride, &L::from(n)).is_ok()
            {
                continue;
            }
            L::require(&site, L::at_least(facts, stride, &L::from(0)), || {
                refuse(ASCENDING, stride.to_string())
            })?;
        }
        let inner = inner(&self.inner, facts, n)?;
        if let Outer::Swizzle(_) = &self.outer {
            L::without(facts, &site, self, lost, &|| {
                refuse(WHOLE, format!("offsets with one of the bits {lost:#x}"))
            })?;
        }
        Ok(Self { outer, offset, inner }.simplified())
    }

    /// The layout of elements `n` times as narrow, as [`Layout::downcast`](crate::Layout::downcast) of plain ones.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::downcast`](crate::Layout::downcast) for the inner layout. Under a swizzle: a
    /// factor that is no power of two; a stride of -1; overflow. Under facts: what is not known.
    pub fn downcast_under(&self, facts: &L::Facts, n: i64) -> Result<AnyLayout<L>, L::Error> {
        let made = self.narrower(facts, n, Layout::downcast_under)?;
        let mut leaves = self.inner.leaves().into_iter();
        if n > 1
            && !self.is_unswizzled()
            && leaves.any(|(extent, stride)| !extent.is(1) && stride.is(-1))
        {
            return Err(refused("downcast", self, n)(ASCENDING, "-1".to_owned()).into());
        }
        Ok(made)
    }

    fn narrower(
        &self,
        facts: &L::Facts,
        n: i64,
        inner: Recast<L>,
    ) -> Result<AnyLayout<L>, L::Error> {
        let refuse = refused("downcast", self, n);
        let outer = match &self.outer {
            Outer::Swizzle(swizzle) => {
                Outer::Swizzle(swizzle.downcast(exponent(*swizzle, n, refuse)?)?)
            }
            Outer::Layout(layout) => {
                let narrow = over_narrow(layout, at_least_1(n, refuse)?)?;
                let operands = || format!("{self}, {n}");
                let site = Site { operation: "downcast", operands: &operands };
                self.require_ascending(facts, &site, refuse)?;
                Outer::Layout(narrow)
            }
        };
        let offset = self.offset.scaled(n).map_err(|lost| L::lost(lost, "downcast", self))?;
        let inner = inner(&self.inner, facts, n)?;
        Ok(Self { outer, offset, inner }.simplified())
    }

    /// The layout of elements of `new` bits over memory that holds elements of `old` bits.
    ///
    /// # Errors
    ///
    /// Bits below 1; those of [`ComposedLayout::upcast`] and [`ComposedLayout::downcast`].
    pub fn recast_under(
        &self,
        facts: &L::Facts,
        old: i64,
        new: i64,
    ) -> Result<AnyLayout<L>, L::Error> {
        let [up, down] = recast::factors(&self, old, new)?;
        let wide = if up == 1 { self.clone().simplified() } else { self.upcast_under(facts, up)? };
        match wide {
            _ if down == 1 => Ok(wide),
            AnyLayout::Composed(composed) => composed.downcast_under(facts, down),
            AnyLayout::Plain(layout) => layout.downcast_under(facts, down).map(AnyLayout::Plain),
        }
    }

    /// The layout of a view of `new` bits over the memory of one of `old` bits, under facts; see
    /// [`Layout::recast_view`](crate::Layout::recast_view).
    ///
    /// # Errors
    ///
    /// Those of [`Layout::recast_view_under`](crate::Layout::recast_view_under) for the inner layout, and of
    /// [`ComposedLayout::upcast`] and [`ComposedLayout::downcast`] for what is outside.
    pub fn recast_view_under(
        &self,
        facts: &L::Facts,
        old: i64,
        new: i64,
    ) -> Result<AnyLayout<L>, L::Error> {
        let [up, down] = recast::factors(&self, old, new)?;
        // A swizzle of narrow elements reads no bit within a wide one: it takes parts in their order.
        let wide = match up {
            1 => self.clone().simplified(),
            _ => self.wider(facts, up, recast::join)?,
        };
        match wide {
            _ if down == 1 => Ok(wide),
            AnyLayout::Composed(composed) => composed.narrower(facts, down, recast::split),
            AnyLayout::Plain(layout) => recast::split(&layout, facts, down).map(AnyLayout::Plain),
        }
    }

    /// Refuses indices into the layout outside that may lie below 0, where its digits are not those of elements.
    fn require_ascending(
        &self,
        facts: &L::Facts,
        site: &Site<'_>,
        refuse: impl Fn(&'static str, String) -> Error,
    ) -> Result<(), L::Error> {
        let moves = self.inner.leaves().into_iter().filter(|(extent, _)| !extent.is(1));
        moves.map(|(_, stride)| stride).chain([self.offset.clone()]).try_for_each(|step| {
            let ascends = L::at_least(facts, &step, &L::from(0));
            let expected = "a nonnegative offset and nonnegative strides of the inner layout";
            L::require(site, ascends, || refuse(expected, step.to_string()))
        })
    }

    /// Whether a swizzle of no bits is outside.
    fn is_unswizzled(&self) -> bool {
        matches!(&self.outer, Outer::Swizzle(swizzle) if swizzle.is_identity())
    }
}

/// [`over_wide`], of the coalesced layout where its own modes are too short.
fn kept_whole<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    n: i64,
) -> Result<Layout<L>, NoClosedForm<L>> {
    over_wide(facts, layout, n).or_else(|stop| {
        let joined = coalesced_x(layout).and_then(|modes| Layout::of_leaves(&modes));
        joined.ok().and_then(|joined| over_wide(facts, &joined, n).ok()).ok_or(stop)
    })
}

/// The form of an outer layout over wide elements, where it keeps the `n` narrow ones of each together: its first
/// mode goes through them, and the others step by whole ones.
fn over_wide<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    n: i64,
) -> Result<Layout<L>, NoClosedForm<L>> {
    let n = L::from(n);
    let exact =
        |of: &L| L::divide(facts, of, &n).map_err(|answer| NoClosedForm::Open(vec![answer]));
    let mut modes = layout.leaves();
    let last = modes.len().saturating_sub(1);
    // Modes of one entry before the first take no part.
    let first = modes.iter().position(|(extent, _)| !extent.is(1)).unwrap_or(last);
    for (i, (extent, stride)) in modes.iter_mut().enumerate().skip(first) {
        if i > first {
            *stride = exact(stride)?;
            continue;
        }
        let row = L::equal(facts, stride, &L::from(1));
        if !row.is_yes() {
            return Err(NoClosedForm::Open(vec![row]));
        }
        *extent = match exact(extent) {
            // The last mode continues, whatever its extent is.
            Err(_) if i == last => L::ceil_div(facts, extent, &n).map_err(NoClosedForm::Lost)?,
            whole => whole?,
        };
    }
    let modes = modes.into_iter();
    let mut modes = modes.map(|(extent, stride)| (Nested::Leaf(extent), Nested::Leaf(stride)));
    let (shape, stride) = refined(layout.shape(), &mut modes);
    // Smaller than the narrow one.
    let size = L::size_of_part(&shape);
    Ok(Layout::from_parts(shape, stride, size))
}

/// The layout outside that takes each narrow element to its place in the wide one that it is a part of.
fn over_narrow<L: Leaf>(layout: &Layout<L>, n: i64) -> Result<Layout<L>, L::Error> {
    let lost = |lost| L::lost(lost, "downcast", layout);
    let mut modes = Vec::new();
    for (i, (extent, stride)) in layout.leaves().into_iter().enumerate() {
        let scaled = stride.scaled(n).map_err(lost)?;
        let pair = |a, b| Nested::Node(vec![Nested::Leaf(a), Nested::Leaf(b)]);
        modes.push(match i {
            0 if stride.is(1) => {
                (Nested::Leaf(extent.scaled(n).map_err(lost)?), Nested::Leaf(stride))
            }
            0 => (pair(L::from(n), extent), pair(L::from(1), scaled)),
            _ => (Nested::Leaf(extent), Nested::Leaf(scaled)),
        });
    }
    let (shape, stride) = refined(layout.shape(), &mut modes.into_iter());
    Layout::sized(shape, stride)
}

/// The error for a layout or a swizzle that an operation refuses to recast by a factor.
fn refused(
    operation: &'static str,
    operand: &impl fmt::Display,
    n: i64,
) -> impl Fn(&'static str, String) -> Error + Copy {
    move |expected, found| Error::condition(operation, format!("{operand}, {n}"), expected, found)
}

fn at_least_1(n: i64, refuse: impl Fn(&'static str, String) -> Error) -> Result<i64> {
    if n < 1 { Err(refuse("a factor of at least 1", n.to_string())) } else { Ok(n) }
}

/// The exponent of a factor; a swizzle without bits takes any.
fn exponent(
    swizzle: Swizzle,
    n: i64,
    refuse: impl Fn(&'static str, String) -> Error + Copy,
) -> Result<u32> {
    at_least_1(n, refuse)?;
    if swizzle.is_identity() {
        return Ok(0);
    }
    if !n.cast_unsigned().is_power_of_two() {
        return Err(refuse(
            "a factor that is a power of two, for a swizzled layout",
            n.to_string(),
        ));
    }
    Ok(n.trailing_zeros())
}

closed! { ComposedLayout {
    upcast = upcast_under(n: i64) -> AnyLayout;
    downcast = downcast_under(n: i64) -> AnyLayout;
    recast = recast_under(old: i64, new: i64) -> AnyLayout;
} }
