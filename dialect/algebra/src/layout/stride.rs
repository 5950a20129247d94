//! The strides of a layout: integers, or scaled basis elements of coordinates.
//!
//! The operations that only take digits of a layout and multiply its strides (coalesce, composition from
//! the right, divides, slices) are written once, over [`Stride`].

use crate::layout::evaluate::Budget;
use crate::layout::prelude::*;
use core::{fmt::Write, hash::Hash};

/// A stride of a layout whose extents are `L`: one of these, or a [`Basis`](crate::Basis) element.
pub trait Stride<L: Leaf>: Clone + fmt::Debug + Eq + Ord + Hash + 'static {
    /// The part of the coordinates' form that a layout keeps.
    type Codomain: Clone + fmt::Debug + Eq + Ord + Hash;
    /// Where a layout maps a coordinate.
    type Offset;

    /// The stride of a mode that does not move.
    fn still() -> Self;

    /// How far it steps; 0 where it does not move.
    fn scale(&self) -> &L;

    /// The multiple, if it fits.
    fn multiple(&self, by: &L) -> Result<Self, L::Lost>;

    /// Whether a mode `before:step` continues with the stride of the next, under every assignment.
    fn goes_on(before: &L, step: &Self, stride: &Self) -> Result<bool, L::Lost>;

    /// Whether they never are the same step.
    fn differ(facts: &L::Facts, a: &Self, b: &Self) -> L::Answer;

    /// Writes the stride, of which each leaf is written by `leaf`.
    fn spell<W: Write + ?Sized>(
        &self,
        f: &mut W,
        leaf: &mut impl FnMut(&L, &mut W) -> fmt::Result,
    ) -> fmt::Result;

    /// The codomain of a layout of these strides.
    ///
    /// # Errors
    ///
    /// Strides that are not congruent to the shape, or do not agree on the coordinates.
    fn codomain(shape: &Nested<L>, stride: &Nested<Self>) -> Result<Self::Codomain, L::Error>;

    /// A stride in its normal form, of which the codomain is known.
    fn settled(stride: Nested<Self>) -> Nested<Self> {
        stride
    }

    /// The codomain of some layouts, of which there is at least one.
    ///
    /// # Errors
    ///
    /// They map to different coordinates.
    fn common(modes: &[Layout<L, Self>]) -> Result<Self::Codomain, L::Error>;

    /// The layout of integer strides that a layout of these is.
    fn as_plain(layout: &Layout<L, Self>) -> Option<&Layout<L>>;

    /// A layout of integer strides as one of these.
    fn of_plain(layout: Layout<L>) -> Layout<L, Self>;

    /// Where coordinate 0 is mapped.
    fn origin(codomain: &Self::Codomain) -> Self::Offset;

    /// Where an index is mapped, in a shape and the stride that is congruent to it.
    fn place(
        facts: &L::Facts,
        codomain: &Self::Codomain,
        shape: &Nested<L>,
        stride: &Nested<Self>,
        index: &L,
    ) -> Result<Self::Offset, L::Error>;

    /// Adds what a part of a coordinate is mapped to.
    fn add(sum: &mut Self::Offset, part: Self::Offset) -> Result<(), L::Lost>;

    /// Whether an error says that no layout is the answer, or none within 64 bits.
    fn refutes(error: &L::Error) -> bool;

    /// The composition of layouts without symbols, or where the last extent on the left is the only one
    /// that is open, or `None` for others.
    fn compose_closed(
        a: &Layout<L, Self>,
        radix: &[(L, Self)],
        b: &Layout<L>,
    ) -> Option<Result<Layout<L, Self>, L::Error>>;

    /// The composition where the closed form does not decide, without these answers.
    fn by_values(
        facts: &L::Facts,
        site: &Site<'_>,
        operands: (&Layout<L, Self>, &Layout<L>),
        radix: &[(L, Self)],
        answers: Vec<L::Answer>,
        budget: &mut Budget,
    ) -> Result<Layout<L, Self>, L::Error>;
}

impl<L: Leaf> Stride<L> for L {
    type Codomain = ();
    type Offset = L;

    #[inline]
    fn still() -> Self {
        Self::from(0)
    }

    fn scale(&self) -> &L {
        self
    }

    #[inline]
    fn multiple(&self, by: &L) -> Result<Self, L::Lost> {
        by.times(self)
    }

    #[inline]
    fn goes_on(before: &L, step: &Self, stride: &Self) -> Result<bool, L::Lost> {
        L::continues(before, step, stride)
    }

    fn differ(facts: &L::Facts, a: &Self, b: &Self) -> L::Answer {
        L::distinct(facts, a, b)
    }

    fn spell<W: Write + ?Sized>(
        &self,
        f: &mut W,
        leaf: &mut impl FnMut(&L, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        leaf(self, f)
    }

    fn codomain(shape: &Nested<L>, stride: &Nested<Self>) -> Result<(), L::Error> {
        if shape.congruent(stride) { Ok(()) } else { Err(L::incongruent(shape, stride)) }
    }

    #[inline]
    fn common(_: &[Layout<L>]) -> Result<(), L::Error> {
        Ok(())
    }

    #[inline]
    fn as_plain(layout: &Layout<L>) -> Option<&Layout<L>> {
        Some(layout)
    }

    fn of_plain(layout: Layout<L>) -> Layout<L> {
        layout
    }

    fn origin((): &()) -> L {
        L::from(0)
    }

    fn place(
        facts: &L::Facts,
        (): &(),
        shape: &Nested<L>,
        stride: &Nested<L>,
        index: &L,
    ) -> Result<L, L::Error> {
        L::offset(facts, shape, stride, index)
    }

    fn add(sum: &mut L, part: L) -> Result<(), L::Lost> {
        *sum = sum.plus(&part)?;
        Ok(())
    }

    fn refutes(error: &L::Error) -> bool {
        L::is_no_layout(error)
    }

    #[inline]
    fn compose_closed(
        a: &Layout<L>,
        radix: &[(L, L)],
        b: &Layout<L>,
    ) -> Option<Result<Layout<L>, L::Error>> {
        let b = L::closed(b)?;
        let without_last_extent = || {
            let mut modes = radix.to_vec();
            modes.last_mut()?.0 = L::from(1);
            L::closed(&Layout::of_leaves(&modes).ok()?)
        };
        let a = L::closed(a).or_else(without_last_extent)?;
        Some(a.composition(&b).map(L::of_closed).map_err(Into::into))
    }

    fn by_values(
        facts: &L::Facts,
        site: &Site<'_>,
        (a, b): (&Layout<L>, &Layout<L>),
        radix: &[(L, L)],
        answers: Vec<L::Answer>,
        budget: &mut Budget,
    ) -> Result<Layout<L>, L::Error> {
        L::compose_by_values(facts, site, [a, b], radix, answers, budget)
    }
}
