//! Compositions in which a swizzle, or a composed layout, is on the right.
//!
//! ```text
//!   S o S'              one swizzle, where the product of their matrices is one
//!   S o (S' o d o M)    (S o S') o d o M, or S over what S' o d o M folds to
//!   L o S               S' o 0 o L, where L sends each bit that S reads or changes to a bit: what
//!                       CuTe answers; else whatever swizzle over a layout is the same function
//!   L o (O o d o M)     (L o O) o d o M
//! ```

use super::{AnyLayout, ComposedLayout, Outer, Swizzle, Swizzles};
use crate::{
    error::{Error, Result},
    layout::{
        Layout,
        evaluate::ENUMERATION_LIMIT,
        leaf::Leaf,
        modes::{coalesced, coalesced_x},
    },
    linear::LinearLayout,
    tuple::Nested,
};
use alloc::{format, string::String, string::ToString, vec::Vec};
use core::fmt;

impl Swizzle {
    /// `self o inner`: the swizzle of each offset of a layout.
    ///
    /// # Errors
    ///
    /// Outside another swizzle: two that are not one, over what is no plain layout inside the second.
    /// Under a layout: those of [`AnyLayout::composition`].
    pub fn composition(&self, inner: &AnyLayout) -> Result<AnyLayout> {
        let read = 1_i64.checked_shl(self.source_mask().trailing_zeros()).unwrap_or(i64::MAX);
        self.over(inner).or_else(|refused| match inner {
            // No offset has a bit that is read.
            AnyLayout::Composed(composed) if composed.stays_below(read) => Ok(inner.clone()),
            _ => Err(refused),
        })
    }

    fn over(&self, inner: &AnyLayout) -> Result<AnyLayout> {
        if let AnyLayout::Composed(composed) = inner
            && let Outer::Layout(layout) = &composed.outer
        {
            return compose_affine(&self.before(0, layout.clone()).into(), composed, None);
        }
        self.after(&(), inner)?.ok_or_else(|| {
            let found = match inner {
                AnyLayout::Composed(composed) => composed.outer.to_string(),
                AnyLayout::Plain(layout) => layout.to_string(),
            };
            refuse(self, inner, "two swizzles that are one", format!("{self} and {found}"))
        })
    }

    /// The layout of one [period](Swizzle::period), beyond which the swizzle goes on alike.
    pub fn make_layout<L: Leaf>(&self) -> AnyLayout<L> {
        let shape = Nested::Leaf(L::from(self.period()));
        let size = L::size_of_part(&shape);
        let offsets = Layout::from_parts(shape, Nested::Leaf(L::from(1)), size);
        self.before(L::from(0), offsets).simplified()
    }

    /// `self o offset o inner`.
    pub(crate) fn before<L: Leaf>(&self, offset: L, inner: Layout<L>) -> ComposedLayout<L> {
        ComposedLayout { outer: Outer::Swizzle(*self), offset, inner }
    }

    /// `self o inner`: one swizzle, where both are one, or else before the plain layout that the inner one is known to
    /// be. None where it is not known to be one.
    pub(crate) fn after<L: Swizzles>(
        &self,
        facts: &L::Facts,
        inner: &AnyLayout<L>,
    ) -> Result<Option<AnyLayout<L>>, L::Error> {
        let composed = match inner {
            AnyLayout::Plain(layout) => {
                return Ok(Some(self.before(L::from(0), layout.clone()).into()));
            }
            AnyLayout::Composed(composed) => composed,
        };
        if let Outer::Swizzle(swizzle) = &composed.outer
            && let Some(one) = self.compose(swizzle)
        {
            let one = ComposedLayout { outer: Outer::Swizzle(one), ..composed.clone() };
            return Ok(Some(one.simplified()));
        }
        let folded = composed.fold_under(facts)?;
        Ok(folded.map(|(layout, offset)| self.before(offset, layout).into()))
    }
}

impl AnyLayout {
    /// `self o inner`, the offset of `self` at each offset of `inner`, whatever the two are.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::composition`](crate::Layout::composition) for plain layouts, and of
    /// [`composition_swizzle`](Self::composition_swizzle). With an offset in `inner`: a composed
    /// `self` of more than one mode inside. With something outside of `inner`: offsets past its
    /// domain.
    pub fn composition(&self, inner: &Self) -> Result<Self> {
        let composed = match (self, inner) {
            (Self::Plain(a), Self::Plain(b)) => return a.composition(b).map(Self::Plain),
            (Self::Composed(a), Self::Plain(b)) => {
                return Ok(a.with_inner(a.inner.composition(b)?).simplified());
            }
            (_, Self::Composed(composed)) => composed,
        };
        let joined = match &composed.outer {
            Outer::Swizzle(swizzle) => self
                .composition_swizzle(swizzle)
                .and_then(|head| compose_affine(&head, composed, Some(self.size()))),
            Outer::Layout(layout) => self
                .composition(&Self::Plain(layout.clone()))
                .and_then(|head| compose_affine(&head, composed, Some(layout.size()))),
        };
        joined.or_else(|refused| self.compose_separately(composed).unwrap_or(Err(refused)))
    }

    /// `self o inner` where the two need not be joined: the inner one is a plain layout from some
    /// offset on, or this one leaves all that it reaches where it is. None elsewhere.
    fn compose_separately(&self, composed: &ComposedLayout) -> Option<Result<Self>> {
        if let Ok(Some((inner, offset))) = composed.fold() {
            let plain = ComposedLayout { offset, inner, ..composed.clone() };
            if let Ok(result) = compose_affine(self, &plain, None) {
                return Some(Ok(result));
            }
        }
        let stays = match self {
            Self::Plain(layout) => composed.stays_below(identity_below(layout)),
            Self::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), offset: 0, inner }) => {
                let read = swizzle.source_mask().trailing_zeros();
                let read = 1_i64.checked_shl(read).unwrap_or(i64::MAX);
                composed.stays_below(identity_below(inner).min(read))
            }
            Self::Composed(_) => false,
        };
        stays.then(|| Ok(composed.clone().into()))
    }

    /// `self o swizzle`: the offset of `self` at each swizzled index, by the shape of `self`.
    ///
    /// # Errors
    ///
    /// A layout that is not [linear](LinearLayout::from_any), as only of such a one bits of an index
    /// become bits of an offset; indices that the swizzle moves out of the domain; a function that is no swizzle
    /// over a layout.
    ///
    /// ```
    /// use layout_algebra::{AnyLayout, Swizzle};
    /// let rows = AnyLayout::Plain("(8,8):(8,1)".parse()?);
    /// let swizzled = rows.composition_swizzle(&Swizzle::new(3, 0, 3)?)?;
    /// // The columns that the rows were xored with are now rows that the columns are xored with.
    /// assert_eq!(swizzled.to_string(), "S<3,0,-3> o 0 o (8,8):(8,1)");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn composition_swizzle(&self, swizzle: &Swizzle) -> Result<Self> {
        // No index has a bit that is read.
        let read = swizzle.source_mask().trailing_zeros();
        if self.size() <= 1_i64.checked_shl(read).filter(|&below| below > 0).unwrap_or(i64::MAX) {
            return Ok(self.clone());
        }
        let before = LinearLayout::from_any(self)?;
        let after = before.at_swizzled(swizzle)?;
        if let Self::Plain(layout) = self
            && let Some(outer) = moved_outside(swizzle, before.columns(), after.columns())
        {
            return Ok(outer.before(0, layout.clone()).simplified());
        }
        let domain = Layout::from_shape(self.inner().shape().clone())?;
        after.to_swizzled()?.composition(&Self::Plain(domain))
    }
}

/// The swizzle that does to images what another does to indices, given the images of their bits
/// before and after it, if it is one.
fn moved_outside(swizzle: &Swizzle, before: &[u64], after: &[u64]) -> Option<Swizzle> {
    let moves = swizzle.columns();
    let mut pairs = Vec::new();
    for (bit, &image) in before.iter().enumerate() {
        let added = moves[bit] ^ 1 << bit;
        if added == 0 {
            continue;
        }
        let target = before.get(added.trailing_zeros() as usize)?;
        match (image.count_ones(), target.count_ones()) {
            // To add the image 0 changes nothing.
            (_, 0) => {}
            (1, 1) => pairs.push((image.trailing_zeros(), target.trailing_zeros())),
            _ => return None,
        }
    }
    pairs.sort_unstable();
    let outside = Swizzle::of_pairs(&pairs)?;
    let right = |(&before, &after): (&u64, &u64)| {
        outside.apply(before.cast_signed()) == after.cast_signed()
    };
    before.iter().zip(after).all(right).then_some(outside)
}

/// `head o (offset + inner)` for the offset and the inner layout of a composed one. Where `head` is right
/// only below a size, no index may reach it.
fn compose_affine(
    head: &AnyLayout,
    composed: &ComposedLayout,
    size: Option<i64>,
) -> Result<AnyLayout> {
    let ComposedLayout { offset, inner, .. } = composed;
    let (least, greatest) = range(*offset, inner)?;
    if let Some(size) = size
        && (least < 0 || greatest >= size)
    {
        return Err(refuse(
            head,
            composed,
            "indices from 0 to below the size of the operand before `o`",
            format!("{least} to {greatest}, of {size}"),
        ));
    }
    if *offset == 0 {
        return head.composition(&AnyLayout::Plain(inner.clone()));
    }
    let (offset, inner) = (*offset, inner.clone());
    match head {
        AnyLayout::Plain(layout) => {
            Ok(ComposedLayout { outer: Outer::Layout(layout.clone()), offset, inner }.into())
        }
        // The last mode continues, also where it has one entry.
        AnyLayout::Composed(head) => match coalesced_x(&head.inner)?.as_slice() {
            // In one mode, sums of indices are sums of offsets.
            [(_, stride)] => {
                let overflow = || Error::overflow("composition", head);
                let more = stride.checked_mul(offset).ok_or_else(overflow)?;
                let offset = head.offset.checked_add(more).ok_or_else(overflow)?;
                let inner = head.inner.composition(&inner)?;
                Ok(ComposedLayout { offset, ..head.with_inner(inner) }.simplified())
            }
            _ => {
                Err(refuse(head, composed, "an offset of 0 over several modes", offset.to_string()))
            }
        },
    }
}

impl Layout {
    /// The layout repeated at the places of a composed layout: `(self, complement(self) o times)`, as [`Layout::logical_product`].
    ///
    /// # Errors
    ///
    /// Those of [`AnyLayout::composition`] and [`Layout::complement`]; a swizzle of the places that would move offsets
    /// of this layout; more than [`ENUMERATION_LIMIT`] elements.
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(
    ///     answer("logical_product((2,2):(1,2), S<1,0,1> o 0 o (2,2):(2,1))"),
    ///     "S<1,2,1> o 0 o ((2,2),(2,2)):((1,2),(8,4))",
    /// );
    /// ```
    pub fn product_composed(&self, times: &ComposedLayout) -> Result<AnyLayout> {
        const OPERATION: &str = "logical_product";
        let operands = || format!("{self}, {times}");
        let codomain = self.size().checked_mul(times.cosize()?);
        let codomain = codomain.ok_or_else(|| Error::overflow(OPERATION, operands()))?;
        let free = AnyLayout::Plain(self.complement(&Nested::Leaf(codomain))?);
        let places = free.composition(&times.clone().into())?;
        let whole = places.try_map(|inner| Layout::make_layout(&[self.clone(), inner.clone()]))?;
        let AnyLayout::Composed(_) = whole else { return Ok(whole) };
        if whole.size() > ENUMERATION_LIMIT {
            let found = whole.size();
            return Err(Error::limit("elements of a swizzled product", ENUMERATION_LIMIT, found));
        }
        for index in 0..whole.size() {
            let (block, place) = (index % self.size(), index / self.size());
            if whole.at(index)?.checked_sub(self.at(block)?) != Some(places.at(place)?) {
                let expected = "places that are a layout, or under a swizzle that moves no offset of \
                                the block";
                return Err(Error::condition(OPERATION, operands(), expected, whole));
            }
        }
        Ok(whole)
    }
}

/// The indices from 0 on that a layout leaves where they are: those below this.
fn identity_below(layout: &Layout) -> i64 {
    match coalesced(layout).as_deref() {
        Ok([(extent, 1), ..]) => *extent,
        _ => 1,
    }
}

impl ComposedLayout {
    /// Whether all offsets are known to lie in `0 .. limit`.
    fn stays_below(&self, limit: i64) -> bool {
        let natural = range(self.offset, &self.inner).is_ok_and(|(least, _)| least >= 0);
        let ascends = match &self.outer {
            Outer::Swizzle(_) => true,
            Outer::Layout(layout) => layout.flat().iter().all(|&(_, stride)| stride >= 0),
        };
        natural && ascends && self.cosize().is_ok_and(|cosize| cosize <= limit)
    }
}

/// The least and the greatest of `offset + layout(c)`.
pub(super) fn range(offset: i64, layout: &Layout) -> Result<(i64, i64)> {
    let overflow = || Error::overflow("composition", layout);
    layout.flat().iter().try_fold((offset, offset), |(least, greatest), &(extent, stride)| {
        let last = (extent - 1).checked_mul(stride).ok_or_else(overflow)?;
        Ok((
            least.checked_add(last.min(0)).ok_or_else(overflow)?,
            greatest.checked_add(last.max(0)).ok_or_else(overflow)?,
        ))
    })
}

fn refuse(
    outer: &impl fmt::Display,
    inner: &impl fmt::Display,
    expected: &'static str,
    found: String,
) -> Error {
    Error::condition("composition", format!("{outer}, {inner}"), expected, found)
}
