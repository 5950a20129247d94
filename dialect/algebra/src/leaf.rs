//! What a layout needs of its leaves beside arithmetic: how it keeps its size, takes digits and is
//! written. Integers that are known do this in machine words, without facts.

use crate::{
    complement, composition, divide,
    error::Error,
    evaluate::Budget,
    integer::Integer,
    layout::{Layout, Modes, offset_at, visit},
    symbolic::{self, Answer, Expr, Fact, Facts, Site},
    term::Evaluates,
    tuple::{Nested, Tuple},
};
use alloc::{format, string::String, vec::Vec};
use core::{fmt, fmt::Write, hash::Hash};

/// An extent, stride or coordinate: `i64`, or an [`Expr`] under [`Facts`].
pub trait Leaf: Integer + Evaluates {
    /// What a layout keeps of its size.
    type Size: Clone + fmt::Debug + Eq + Ord + Hash;
    /// What [`Layout::size`] answers: a product of expressions may leave their limits.
    type SizeOf;

    /// A layout of a shape and a stride, if they make one.
    ///
    /// # Errors
    ///
    /// When they are not congruent, or an extent is not known to be at least 1; overflow.
    fn layout(
        facts: &Self::Facts,
        shape: Nested<Self>,
        stride: Nested<Self>,
    ) -> Result<Layout<Self>, Self::Error>;

    /// The size of a shape that is part of a layout's.
    fn size_of_part(shape: &Nested<Self>) -> Self::Size;

    /// The size of a layout whose modes have these sizes, if it fits.
    fn size_of_modes<'s>(sizes: impl Iterator<Item = &'s Self::Size>) -> Option<Self::Size>;

    /// The size of a layout whose extents are known to be at least 1, if it fits.
    fn size_of_extents<'s>(extents: impl Iterator<Item = &'s Self>) -> Option<Self::Size>;

    /// [`Layout::size`].
    fn size_of(layout: &Layout<Self>) -> Self::SizeOf;

    /// The size as a leaf.
    ///
    /// # Errors
    ///
    /// As [`Integer::times`].
    fn total(layout: &Layout<Self>) -> Result<Self, Self::Lost>;

    /// The digits of an index in the mixed radix of a shape's leaves; the last takes all that is left.
    ///
    /// # Errors
    ///
    /// An extent below 1; an index that is not known to be at least 0, where that matters.
    fn digits(
        facts: &Self::Facts,
        site: &Site<'_>,
        index: &Self,
        shape: &Nested<Self>,
    ) -> Result<Vec<Self>, Self::Error>;

    /// The offset of an index in a shape and the stride that is congruent to it.
    ///
    /// # Errors
    ///
    /// As [`Leaf::digits`]; overflow.
    fn offset(
        facts: &Self::Facts,
        shape: &Nested<Self>,
        stride: &Nested<Self>,
        index: &Self,
    ) -> Result<Self, Self::Error>;

    /// The error for a coordinate that does not fit a shape.
    fn misfit(shape: &Nested<Self>, coord: String) -> Self::Error;

    /// Writes the leaf as its `Display` does.
    fn write(&self, text: &mut String);

    /// The layout of integers that an open one is, if no leaf is open; none of a layout that is one.
    fn closed(layout: &Layout<Self>) -> Option<Layout>;

    /// The tuple of integers that an open one is, if no leaf is open; none of one that is.
    fn closed_tuple(tuple: &Nested<Self>) -> Option<Tuple> {
        let constant = |leaf: &Self| leaf.constant().ok_or(());
        if Self::OPEN { tuple.try_map(&mut |leaf| constant(leaf)).ok() } else { None }
    }

    /// A layout of integers as one of these.
    fn of_closed(layout: Layout) -> Layout<Self>;

    /// Puts modes that reach something in the order of their strides; those of expressions are refused
    /// where one may reach past the start of the next.
    ///
    /// # Errors
    ///
    /// An order that is not known; strides that are not known to be positive.
    fn sort(
        facts: &Self::Facts,
        site: &Site<'_>,
        modes: &mut Modes<Self>,
    ) -> Result<(), Self::Error>;

    /// The layout with the mode in which a tile's last cut falls lengthened to a multiple of the cut;
    /// none where nothing is.
    ///
    /// # Errors
    ///
    /// Where it is not known in which mode the tile ends; overflow.
    fn padded(
        facts: &Self::Facts,
        layout: &Layout<Self>,
        tile: &Layout<Self>,
    ) -> Result<Option<Layout<Self>>, Self::Error>;

    /// Whether an error says that no layout is the answer, or none within 64 bits.
    fn is_no_layout(error: &Self::Error) -> bool;

    /// A composition as one of several in an operation, which share a budget.
    ///
    /// # Errors
    ///
    /// Those of [`composition`](crate::composition()).
    fn compose(
        facts: &Self::Facts,
        a: &Layout<Self>,
        b: &Layout<Self>,
        budget: &mut Budget,
    ) -> Result<Layout<Self>, Self::Error>;

    /// [`Leaf::compose`] with the layout whose modes are `tile` and `rest`.
    ///
    /// # Errors
    ///
    /// As [`Leaf::compose`].
    fn compose_two(
        facts: &Self::Facts,
        a: &Layout<Self>,
        [tile, rest]: [&Layout<Self>; 2],
        budget: &mut Budget,
    ) -> Result<Layout<Self>, Self::Error> {
        Self::compose(facts, a, &Layout::of_two([tile.clone(), rest.clone()])?, budget)
    }
}

impl Leaf for i64 {
    type Size = i64;
    type SizeOf = i64;

    fn layout((): &(), shape: Tuple, stride: Tuple) -> Result<Layout, Error> {
        Layout::new(shape, stride)
    }

    fn size_of_part(shape: &Tuple) -> i64 {
        let mut size = 1;
        shape.visit(&mut |extent| size *= *extent);
        size
    }

    fn size_of_modes<'s>(mut sizes: impl Iterator<Item = &'s i64>) -> Option<i64> {
        sizes.try_fold(1_i64, |size, mode| size.checked_mul(*mode))
    }

    fn size_of_extents<'s>(extents: impl Iterator<Item = &'s i64>) -> Option<i64> {
        Self::size_of_modes(extents)
    }

    fn size_of(layout: &Layout) -> i64 {
        *layout.measured()
    }

    fn total(layout: &Layout) -> Result<i64, Self::Lost> {
        Ok(*layout.measured())
    }

    fn digits((): &(), _: &Site<'_>, index: &i64, shape: &Tuple) -> Result<Vec<i64>, Error> {
        let extents = shape.leaves();
        if let Some(&extent) = extents.iter().find(|extent| **extent < 1) {
            return Err(Error::Extent { shape: shape.clone(), extent });
        }
        let Some((_, before)) = extents.split_last() else { return Ok(Vec::new()) };
        let mut rest = *index;
        let mut digits = Vec::with_capacity(extents.len());
        for extent in before {
            digits.push(rest % *extent);
            rest /= *extent;
        }
        digits.push(rest);
        Ok(digits)
    }

    fn offset((): &(), shape: &Tuple, stride: &Tuple, index: &i64) -> Result<i64, Error> {
        let mut leaves = Modes::new();
        visit(shape, stride, &mut |extent, stride| leaves.push((*extent, *stride)));
        offset_at(&leaves, *index)
            .ok_or_else(|| Error::overflow("at", format!("{shape}:{stride} at {index}")))
    }

    fn misfit(shape: &Tuple, coord: String) -> Error {
        Error::Coordinate { shape: shape.clone(), coord }
    }

    fn write(&self, text: &mut String) {
        if *self < 0 {
            text.push('-');
        }
        let mut digits = [b'0'; 20];
        let mut rest = self.unsigned_abs();
        let mut count = 0;
        for digit in digits.iter_mut().rev() {
            *digit += (rest % 10) as u8;
            rest /= 10;
            count += 1;
            if rest == 0 {
                break;
            }
        }
        text.extend(digits[digits.len() - count..].iter().map(|&digit| char::from(digit)));
    }

    fn closed(_: &Layout) -> Option<Layout> {
        None
    }

    fn of_closed(layout: Layout) -> Layout {
        layout
    }

    fn sort((): &(), _: &Site<'_>, modes: &mut Modes) -> Result<(), Error> {
        modes.sort_unstable_by_key(|&(extent, stride)| (stride, extent));
        Ok(())
    }

    fn padded((): &(), layout: &Layout, tile: &Layout) -> Result<Option<Layout>, Error> {
        divide::padded(layout, tile)
    }

    fn is_no_layout(error: &Error) -> bool {
        matches!(error, Error::NoComposition { .. } | Error::Overflow { .. })
    }

    fn compose((): &(), a: &Layout, b: &Layout, budget: &mut Budget) -> Result<Layout, Error> {
        composition::composition_within(a, b, budget)
    }

    fn compose_two(
        (): &(),
        a: &Layout,
        parts: [&Layout; 2],
        budget: &mut Budget,
    ) -> Result<Layout, Error> {
        composition::composition_of_two(a, parts, budget)
    }
}

impl Leaf for Expr {
    type Size = ();
    type SizeOf = symbolic::Result<Expr>;

    fn layout(
        facts: &Facts,
        shape: Nested<Self>,
        stride: Nested<Self>,
    ) -> symbolic::Result<Layout<Self>> {
        if !shape.congruent(&stride) {
            return Err(symbolic::Error::operand(
                "layout",
                format!("a stride congruent to the shape {shape}"),
                stride,
            ));
        }
        let one = Expr::from(1);
        let operands = || format!("{shape}:{stride}");
        let site = Site { operation: "layout", operands: &operands };
        for extent in shape.leaves() {
            site.require(facts.at_least(extent, &one))?;
        }
        Ok(Layout::from_parts(shape, stride, ()))
    }

    fn size_of_part(_: &Nested<Self>) {}

    fn size_of_modes<'s>(_: impl Iterator<Item = &'s ()>) -> Option<()> {
        Some(())
    }

    fn size_of_extents<'s>(_: impl Iterator<Item = &'s Self>) -> Option<()> {
        Some(())
    }

    fn size_of(layout: &Layout<Self>) -> symbolic::Result<Expr> {
        layout.shape().product()
    }

    fn total(layout: &Layout<Self>) -> symbolic::Result<Expr> {
        layout.shape().product()
    }

    fn digits(
        facts: &Facts,
        site: &Site<'_>,
        index: &Expr,
        shape: &Nested<Expr>,
    ) -> symbolic::Result<Vec<Expr>> {
        let extents = shape.leaves();
        site.few(extents.len())?;
        if extents.len() > 1 {
            site.require(facts.at_least(index, &Expr::from(0)))?;
        }
        // No layout has an extent below 1. The last one is not divided by, and need not be known.
        for extent in &extents {
            if facts.range(extent).hi.is_some_and(|hi| hi < 1) {
                let least = Fact::AtLeast { greater: (*extent).clone(), less: Expr::from(1) };
                site.require(Answer::No(least))?;
            }
        }
        let Some((_, before)) = extents.split_last() else { return Ok(Vec::new()) };
        let mut rest = index.clone();
        let mut digits = Vec::with_capacity(extents.len());
        for extent in before {
            let above = facts.floor_div(&rest, extent)?;
            digits.push(rest.minus(&above.times(extent)?)?);
            rest = above;
        }
        digits.push(rest);
        Ok(digits)
    }

    fn offset(
        facts: &Facts,
        shape: &Nested<Expr>,
        stride: &Nested<Expr>,
        index: &Expr,
    ) -> symbolic::Result<Expr> {
        let operands = || format!("{shape}, {index}");
        let site = Site { operation: "at", operands: &operands };
        let digits = Self::digits(facts, &site, index, shape)?;
        let mut terms = stride.leaves().into_iter().zip(digits);
        terms.try_fold(Expr::from(0), |sum, (stride, digit)| sum.plus(&digit.times(stride)?))
    }

    fn misfit(shape: &Nested<Expr>, coord: String) -> symbolic::Error {
        symbolic::Error::operand("coordinate", format!("one that fits the shape {shape}"), coord)
    }

    fn write(&self, text: &mut String) {
        // A string takes all that is written to it.
        let _ = write!(text, "{self}");
    }

    fn closed(layout: &Layout<Self>) -> Option<Layout> {
        layout.to_static()
    }

    fn of_closed(layout: Layout) -> Layout<Self> {
        (&layout).into()
    }

    fn sort(facts: &Facts, site: &Site<'_>, modes: &mut Modes<Self>) -> symbolic::Result<()> {
        complement::sort_apart(facts, site, modes)
    }

    fn padded(
        facts: &Facts,
        layout: &Layout<Self>,
        tile: &Layout<Self>,
    ) -> symbolic::Result<Option<Layout<Self>>> {
        divide::padded_under(facts, layout, tile)
    }

    fn is_no_layout(_: &symbolic::Error) -> bool {
        // What is known is divided as integers are.
        false
    }

    fn compose(
        facts: &Facts,
        a: &Layout<Self>,
        b: &Layout<Self>,
        _: &mut Budget,
    ) -> symbolic::Result<Layout<Self>> {
        symbolic::composition(facts, a, b)
    }
}
