//! The interface between leaves and layouts, apart from arithmetic: how a layout stores its size, splits off digits and
//! is written. Static integers do this in machine words, without facts.

use crate::layout::prelude::*;
use crate::{
    integer::{Answer, Fact, Integer, display},
    layout::{
        complement,
        composition::{self, NoClosedForm},
        divide,
        evaluate::Budget,
        offset_at, values, visit,
    },
};
use core::{convert::Infallible, fmt::Write, hash::Hash};

/// Writes a leaf.
pub type WriteLeaf<'w, L> = dyn FnMut(&L, &mut dyn Write) -> fmt::Result + 'w;

/// An extent, stride or coordinate: `i64`, or an [`Expr`] under [`Facts`].
pub trait Leaf: Integer {
    /// The part of its size that a layout keeps.
    type Size: Clone + fmt::Debug + Eq + Ord + Hash;
    /// The answer of [`Layout::size`]: a product of expressions may leave their limits.
    type SizeOf;

    /// The size of a shape; `layout` writes the layout of which it is one.
    ///
    /// # Errors
    ///
    /// An extent that is not known to be at least 1; overflow.
    fn size_under(
        facts: &Self::Facts,
        shape: &Nested<Self>,
        layout: &dyn Fn() -> String,
    ) -> Result<Self::Size, Self::Error>;

    /// Why a shape has no size, without facts.
    type Unsized;

    /// The size of a shape that has its leaves from those of another; what facts say of them is known.
    ///
    /// # Errors
    ///
    /// An integer below 1; overflow.
    fn measure(shape: &Nested<Self>) -> Result<Self::Size, Self::Unsized>;

    /// The error for a stride that is not congruent to a shape.
    fn incongruent(shape: &Nested<Self>, stride: &Nested<Self>) -> Self::Error;

    /// The size of a shape that is part of a layout's.
    fn size_of_part(shape: &Nested<Self>) -> Self::Size;

    /// The size of a layout whose modes have these sizes, if it fits.
    fn size_of_modes<'s>(sizes: impl Iterator<Item = &'s Self::Size>) -> Option<Self::Size>;

    /// The size of a layout whose extents are known to be at least 1, if it fits.
    fn size_of_extents<'s>(extents: impl Iterator<Item = &'s Self>) -> Option<Self::Size>;

    /// [`Layout::size`] of a layout's shape and what it keeps of its size.
    fn size_of(shape: &Nested<Self>, size: &Self::Size) -> Self::SizeOf;

    /// The size as a leaf.
    fn total(shape: &Nested<Self>, size: &Self::Size) -> Result<Self, Self::Lost>;

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

    /// `index / stride % extent`, or `None` if that is not defined.
    fn digit_by(
        facts: &Self::Facts,
        index: &Self,
        stride: &Self,
        extent: &Self,
    ) -> Result<Option<Self>, Self::Error>;

    /// The error for a coordinate that does not fit a shape.
    fn misfit(shape: &Nested<Self>, coord: String) -> Self::Error;

    /// Writes the leaf as its `Display` does.
    fn write(&self, text: &mut String) -> fmt::Result;

    /// Writes a text in which leaves are: `write` is given how each is written.
    fn write_all(
        write: &dyn Fn(&mut WriteLeaf<'_, Self>, &mut dyn Write) -> fmt::Result,
        f: &mut dyn Write,
    ) -> fmt::Result {
        write(&mut |leaf, f| write!(f, "{leaf}"), f)
    }

    /// Whether its text is a sum, which is in parentheses as a factor.
    fn is_sum(&self) -> bool {
        false
    }

    /// An open layout without open leaves, as a layout of integers. `None` if a leaf is open, and for a layout of integers.
    fn closed(layout: &Layout<Self>) -> Option<Layout>;

    /// An open tuple without open leaves, as a tuple of integers. `None` if a leaf is open, and for a tuple of integers.
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

    /// Lengthens the mode in which a tile's last cut falls to a multiple of the cut; whether any is. The
    /// modes are those of a layout, coalesced as it continues.
    ///
    /// # Errors
    ///
    /// Where it is not known in which mode the tile ends; overflow.
    fn pad<S: Stride<Self>>(
        facts: &Self::Facts,
        layout: &Layout<Self, S>,
        modes: &mut Modes<Self, S>,
        tile: &Layout<Self>,
    ) -> Result<bool, Self::Error>;

    /// Whether an error says that no layout is the answer, or none within 64 bits.
    fn is_no_layout(error: &Self::Error) -> bool;

    /// Whether an error is about facts: other values may have an answer.
    fn is_open(error: &Self::Error) -> bool;

    /// The part of a leaf `rest:step` of a right operand that a digit of a left one takes, as extent and step, if
    /// anything; the leaf becomes what continues. The digit has extent `size`, and offsets up to `room` may
    /// still be added to it without a carry.
    ///
    /// # Errors
    ///
    /// [`NoClosedForm`].
    fn digit(
        facts: &Self::Facts,
        size: &Self,
        leaf: [&mut Self; 2],
        room: &mut Self,
    ) -> Result<Option<(Self, Self)>, NoClosedForm<Self>>;

    /// The composition where the closed form does not decide, without these answers.
    fn compose_by_values(
        facts: &Self::Facts,
        site: &Site<'_>,
        operands: [&Layout<Self>; 2],
        radix: &[(Self, Self)],
        answers: Vec<Self::Answer>,
        budget: &mut Budget,
    ) -> Result<Layout<Self>, Self::Error>;
}

impl Leaf for i64 {
    type Size = i64;
    type SizeOf = i64;

    fn size_under((): &(), shape: &Tuple, _: &dyn Fn() -> String) -> Result<i64, Error> {
        let mut size = Some(1_i64);
        let mut bad = None;
        shape.visit(&mut |&extent| {
            if extent < 1 {
                bad = bad.or(Some(extent));
            }
            size = size.and_then(|size| size.checked_mul(extent));
        });
        if let Some(extent) = bad {
            return Err(Error::Extent { shape: shape.clone(), extent });
        }
        size.ok_or_else(|| Error::overflow("product", shape))
    }

    type Unsized = Error;

    fn measure(shape: &Tuple) -> Result<i64, Error> {
        Self::size_under(&(), shape, &String::new)
    }

    fn incongruent(shape: &Tuple, stride: &Tuple) -> Error {
        Error::Incongruent { shape: shape.clone(), stride: stride.clone() }
    }

    #[inline]
    fn size_of_part(shape: &Tuple) -> i64 {
        let mut size = 1;
        shape.visit(&mut |extent| size *= *extent);
        size
    }

    #[inline]
    fn size_of_modes<'s>(mut sizes: impl Iterator<Item = &'s i64>) -> Option<i64> {
        sizes.try_fold(1_i64, |size, mode| size.checked_mul(*mode))
    }

    #[inline]
    fn size_of_extents<'s>(extents: impl Iterator<Item = &'s i64>) -> Option<i64> {
        Self::size_of_modes(extents)
    }

    fn size_of(_: &Tuple, size: &i64) -> i64 {
        *size
    }

    fn total(_: &Tuple, size: &i64) -> Result<i64, Self::Lost> {
        Ok(*size)
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

    fn digit_by((): &(), index: &i64, stride: &i64, extent: &i64) -> Result<Option<i64>, Error> {
        Ok(index.checked_div(*stride).and_then(|quotient| quotient.checked_rem(*extent)))
    }

    fn misfit(shape: &Tuple, coord: String) -> Error {
        Error::Coordinate { shape: shape.clone(), coord }
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        text.write_str(itoa::Buffer::new().format(*self))
    }

    #[inline]
    fn closed(_: &Layout) -> Option<Layout> {
        None
    }

    #[inline]
    fn of_closed(layout: Layout) -> Layout {
        layout
    }

    fn sort((): &(), _: &Site<'_>, modes: &mut Modes) -> Result<(), Error> {
        modes.sort_unstable_by_key(|&(extent, stride)| (stride, extent));
        Ok(())
    }

    fn pad<S: Stride<i64>>(
        (): &(),
        layout: &Layout<i64, S>,
        modes: &mut Modes<i64, S>,
        tile: &Layout,
    ) -> Result<bool, Error> {
        let padded = divide::pad(modes, tile);
        padded.ok_or_else(|| Error::overflow("logical_divide", format!("({layout}, {tile})")))
    }

    fn is_no_layout(error: &Error) -> bool {
        matches!(error, Error::NoComposition { .. } | Error::Overflow { .. })
    }

    fn is_open(_: &Error) -> bool {
        false
    }

    // A call for each digit costs a tenth of a composition.
    #[inline(always)]
    fn digit(
        (): &(),
        size: &i64,
        leaf: [&mut i64; 2],
        room: &mut i64,
    ) -> Result<Option<(i64, i64)>, NoClosedForm<i64>> {
        composition::digit(*size, leaf, room)
    }

    fn compose_by_values(
        (): &(),
        _: &Site<'_>,
        [a, b]: [&Layout; 2],
        radix: &[(i64, i64)],
        _: Vec<bool>,
        budget: &mut Budget,
    ) -> Result<Layout, Error> {
        values::by_values(a, b, radix, budget)
    }
}

impl Leaf for Expr {
    type Size = ();
    type SizeOf = integer::Result<Expr>;

    fn size_under(
        facts: &Facts,
        shape: &Nested<Self>,
        layout: &dyn Fn() -> String,
    ) -> integer::Result<()> {
        let one = Expr::from(1);
        let site = Site { operation: "layout", operands: layout };
        shape.leaves().into_iter().try_for_each(|extent| site.require(facts.at_least(extent, &one)))
    }

    type Unsized = Infallible;

    fn measure(_: &Nested<Self>) -> Result<(), Infallible> {
        Ok(())
    }

    fn incongruent(shape: &Nested<Self>, stride: &Nested<Self>) -> integer::Error {
        let expected = format!("a stride congruent to the shape {shape}");
        integer::Error::operand("layout", expected, stride)
    }

    fn size_of_part(_: &Nested<Self>) {}

    fn size_of_modes<'s>(_: impl Iterator<Item = &'s ()>) -> Option<()> {
        Some(())
    }

    fn size_of_extents<'s>(_: impl Iterator<Item = &'s Self>) -> Option<()> {
        Some(())
    }

    fn size_of(shape: &Nested<Self>, (): &()) -> integer::Result<Expr> {
        shape.product()
    }

    fn total(shape: &Nested<Self>, (): &()) -> integer::Result<Expr> {
        shape.product()
    }

    fn digits(
        facts: &Facts,
        site: &Site<'_>,
        index: &Expr,
        shape: &Nested<Expr>,
    ) -> integer::Result<Vec<Expr>> {
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
    ) -> integer::Result<Expr> {
        let site = Site { operation: "at", operands: &|| format!("{shape}, {index}") };
        let digits = Self::digits(facts, &site, index, shape)?;
        let mut terms = stride.leaves().into_iter().zip(digits);
        terms.try_fold(Expr::from(0), |sum, (stride, digit)| sum.plus(&digit.times(stride)?))
    }

    fn digit_by(
        facts: &Facts,
        index: &Expr,
        stride: &Expr,
        extent: &Expr,
    ) -> integer::Result<Option<Expr>> {
        // Where it is below 0, integers are rounded to 0, and quotients of expressions down.
        let site =
            Site { operation: "idx2crd", operands: &|| format!("{index}, {extent}, {stride}") };
        site.require(facts.at_least(index, &Expr::from(0)))?;
        facts.modulo(&facts.floor_div(index, stride)?, extent).map(Some)
    }

    fn misfit(shape: &Nested<Expr>, coord: String) -> integer::Error {
        integer::Error::operand("coordinate", format!("one that fits the shape {shape}"), coord)
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        write!(text, "{self}")
    }

    /// Symbols without a name are numbered in the order of the whole text.
    fn write_all(
        write: &dyn Fn(&mut WriteLeaf<'_, Self>, &mut dyn Write) -> fmt::Result,
        f: &mut dyn Write,
    ) -> fmt::Result {
        display::in_order(write, &mut display::plain, f)
    }

    fn is_sum(&self) -> bool {
        self.terms().len() > 1
    }

    fn closed(layout: &Layout<Self>) -> Option<Layout> {
        layout.to_static()
    }

    fn of_closed(layout: Layout) -> Layout<Self> {
        (&layout).into()
    }

    fn sort(facts: &Facts, site: &Site<'_>, modes: &mut Modes<Self>) -> integer::Result<()> {
        complement::sort_distinct(facts, site, modes)
    }

    fn pad<S: Stride<Self>>(
        facts: &Facts,
        layout: &Layout<Self, S>,
        modes: &mut Modes<Self, S>,
        tile: &Layout<Self>,
    ) -> integer::Result<bool> {
        divide::pad_under(facts, layout, modes, tile)
    }

    fn is_no_layout(_: &integer::Error) -> bool {
        // Constants are divided as integers are.
        false
    }

    fn is_open(error: &integer::Error) -> bool {
        matches!(error.cause(), integer::Error::Missing { .. } | integer::Error::Never { .. })
    }

    fn digit(
        facts: &Facts,
        size: &Expr,
        leaf: [&mut Expr; 2],
        room: &mut Expr,
    ) -> Result<Option<(Expr, Expr)>, NoClosedForm<Expr>> {
        composition::digit_under(facts, size, leaf, room)
    }

    fn compose_by_values(
        facts: &Facts,
        site: &Site<'_>,
        [_, b]: [&Layout<Self>; 2],
        radix: &[(Expr, Expr)],
        answers: Vec<Answer>,
        _: &mut Budget,
    ) -> integer::Result<Layout<Self>> {
        let turned = composition::is_turned(facts, radix.len(), b);
        let ascending = if turned { &values::negated(b)? } else { b };
        match values::by_values_under(facts, site, radix, ascending)? {
            Some(layout) if turned => values::negated(&layout),
            Some(layout) => Ok(layout),
            None => Err(site.unmet(answers)),
        }
    }
}
