//! The base of all kinds of layouts: modes, and recursion mode by mode.
//!
//! A recursion into modes borrows them as a [`Part`] and moves results into their place, so that it
//! is linear in the text however deep that nests.

use crate::layout::prelude::*;
use crate::{place::WithPlace, tuple::CoordOf};
use alloc::borrow::ToOwned;

/// A part of a layout, borrowed.
pub(crate) struct Part<'l, L: Leaf, S: Stride<L> = L> {
    layout: &'l Layout<L, S>,
    shape: &'l Nested<L>,
    stride: &'l Nested<S>,
}

impl<L: Leaf, S: Stride<L>> Clone for Part<'_, L, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<L: Leaf, S: Stride<L>> Copy for Part<'_, L, S> {}

impl<'l, L: Leaf, S: Stride<L>> Part<'l, L, S> {
    /// The whole layout.
    pub(crate) fn of(layout: &'l Layout<L, S>) -> Self {
        Self { layout, shape: layout.shape(), stride: layout.stride() }
    }

    pub(crate) fn shape(self) -> &'l Nested<L> {
        self.shape
    }

    pub(crate) fn stride(self) -> &'l Nested<S> {
        self.stride
    }

    pub(crate) fn rank(self) -> usize {
        self.shape.rank()
    }

    pub(crate) fn is_leaf(self) -> bool {
        matches!(self.shape, Nested::Leaf(_))
    }

    /// The modes at the top; a leaf is its own.
    pub(crate) fn modes(self) -> impl Iterator<Item = Self> {
        let modes = self.shape.entries().iter().zip(self.stride.entries());
        modes.map(move |(shape, stride)| Self { shape, stride, ..self })
    }

    /// A mode at the top.
    pub(crate) fn mode(self, index: i64) -> Option<Self> {
        let index = usize::try_from(index).ok()?;
        let shape = self.shape.entries().get(index)?;
        Some(Self { shape, stride: self.stride.entries().get(index)?, ..self })
    }

    /// The part as a layout of its own.
    pub(crate) fn to_layout(self) -> Layout<L, S> {
        self.with(self.stride)
    }

    fn with(self, stride: &Nested<S>) -> Layout<L, S> {
        let size = L::size_of_part(self.shape);
        Layout::within(self.layout.codomain.clone(), self.shape.clone(), stride.clone(), size)
    }

    /// A layout of the part's shape with one stride in all modes.
    pub(crate) fn with_stride(self, stride: &S) -> Layout<L, S> {
        self.with(&self.shape.map(&mut |_| stride.clone()))
    }

    /// [`Part::modes`] as layouts of their own.
    pub(crate) fn to_layouts(self) -> Vec<Layout<L, S>> {
        self.modes().map(Self::to_layout).collect()
    }

    /// The error for a mode that the layout does not have.
    pub(crate) fn no_mode(self, operation: &'static str, mode: i64) -> L::Error {
        let layout = self.to_layout().to_string();
        Error::Mode { operation, layout, rank: self.rank(), mode }.into()
    }
}

impl Part<'_, i64> {
    /// The layout with each leaf replaced, if all are.
    pub(crate) fn replaced<L: Leaf>(
        self,
        leaf: &mut dyn FnMut(i64, i64) -> Result<Option<Layout<L>>, L::Error>,
    ) -> Result<Option<Layout<L>>, L::Error> {
        if let (Nested::Leaf(extent), Nested::Leaf(stride)) = (self.shape, self.stride) {
            return leaf(*extent, *stride);
        }
        let modes =
            self.modes().map(|mode| mode.replaced(leaf)).collect::<Result<Option<_>, _>>()?;
        modes.map(|modes| side_by_side(modes, &())).transpose()
    }
}

/// The layout whose modes are given; without any the one of rank 0 into the codomain.
pub(crate) fn side_by_side<L: Leaf, S: Stride<L>>(
    modes: Vec<Layout<L, S>>,
    codomain: &S::Codomain,
) -> Result<Layout<L, S>, L::Error> {
    if !modes.is_empty() {
        return joined(modes);
    }
    let shape = Nested::Node(Vec::new());
    let size = L::size_of_part(&shape);
    Ok(Layout::within(codomain.clone(), shape, Nested::Node(Vec::new()), size))
}

/// The layout whose modes are given.
///
/// # Errors
///
/// No modes; modes into different codomains; overflow.
pub(crate) fn joined<L: Leaf, S: Stride<L>>(
    modes: Vec<Layout<L, S>>,
) -> Result<Layout<L, S>, L::Error> {
    if modes.is_empty() {
        return Err(Error::operand("make_layout", "at least one layout", "none").into());
    }
    let codomain = S::common(&modes)?;
    let size = L::size_of_modes(modes.iter().map(|mode| &mode.size));
    let parts = modes.into_iter().map(|mode| (mode.shape, mode.stride));
    let (shape, stride): (Vec<_>, Vec<_>) = parts.unzip();
    let (shape, stride) = (Nested::Node(shape), Nested::Node(stride));
    match size {
        // Congruent as the parts are, which is not examined again on each level.
        Some(size) => Ok(Layout { shape, stride, codomain, size }),
        None => Err(Error::overflow("product", &shape).into()),
    }
}

/// The treatment of the modes past the tuple of a tiler.
#[derive(Clone, Copy)]
pub(crate) enum TrailingModes {
    Kept,
    Dropped,
}

/// Applies `f` to each part of the layout for which the tiler has a layout; `_` keeps a part. The tiler is
/// the operation's second operand, and its errors are about that.
pub(crate) fn by_mode<L: Leaf, S: Stride<L>, T>(
    operation: &'static str,
    past: TrailingModes,
    layout: &Layout<L, S>,
    tiler: &TilerOf<T>,
    f: &mut impl FnMut(&Layout<L, S>, &T) -> Result<Layout<L, S>, L::Error>,
) -> Result<Layout<L, S>, L::Error> {
    match tiler {
        TilerOf::Layout(tile) => f(layout, tile),
        _ => by_part(operation, past, Part::of(layout), tiler, f),
    }
    .map_err(|error| error.about(1))
}

fn by_part<L: Leaf, S: Stride<L>, T>(
    operation: &'static str,
    past: TrailingModes,
    part: Part<'_, L, S>,
    tiler: &TilerOf<T>,
    f: &mut impl FnMut(&Layout<L, S>, &T) -> Result<Layout<L, S>, L::Error>,
) -> Result<Layout<L, S>, L::Error> {
    let entries = match tiler {
        TilerOf::Any => return Ok(part.to_layout()),
        TilerOf::Layout(tile) => return f(&part.to_layout(), tile),
        TilerOf::Tuple(entries) => entries,
    };
    at_most(operation, part, entries)?;
    let mut modes = Vec::with_capacity(part.rank());
    for (i, mode) in part.modes().enumerate() {
        match (entries.get(i), past) {
            (Some(entry), _) => modes
                .push(by_part(operation, past, mode, entry, f).map_err(|error| error.in_mode(i))?),
            (None, TrailingModes::Kept) => modes.push(mode.to_layout()),
            (None, TrailingModes::Dropped) => break,
        }
    }
    side_by_side(modes, &part.layout.codomain)
}

/// Refuses a tiler's tuple that is longer than the rank.
fn at_most<L: Leaf, S: Stride<L>, T>(
    operation: &'static str,
    part: Part<'_, L, S>,
    entries: &[TilerOf<T>],
) -> Result<(), L::Error> {
    if entries.len() <= part.rank() {
        return Ok(());
    }
    let layout = part.to_layout();
    let expected = format!("a tiler of at most {} entries for {layout}", part.rank());
    let found = entries.len().to_string();
    // The first entry that has no mode.
    Err(L::Error::from(Error::operand(operation, expected, found)).in_mode(part.rank()))
}

/// Applies `f` to each part of the layout that is where `profile` has a value.
pub(crate) fn by_profile<L: Leaf, S: Stride<L>, P: fmt::Display>(
    operation: &'static str,
    part: Part<'_, L, S>,
    profile: &Nested<P>,
    f: &mut impl FnMut(&Layout<L, S>) -> Result<Layout<L, S>, L::Error>,
) -> Result<Layout<L, S>, L::Error> {
    let Nested::Node(entries) = profile else { return f(&part.to_layout()) };
    if entries.len() > part.rank() {
        let expected = format!("a profile no deeper than {}", part.shape);
        return Err(L::Error::from(Error::operand(operation, expected, profile)).about(1));
    }
    let modes = part.modes().enumerate().map(|(i, mode)| match entries.get(i) {
        Some(entry) => by_profile(operation, mode, entry, f).map_err(|error| error.in_mode(i)),
        None => Ok(mode.to_layout()),
    });
    side_by_side(modes.collect::<Result<_, _>>()?, &part.layout.codomain)
}

/// The two modes of [`Layout::unzip`](crate::Layout::unzip): the tiles and the rests.
pub(crate) fn unzipped<L: Leaf, S: Stride<L>, T>(
    part: Part<'_, L, S>,
    tiler: &TilerOf<T>,
) -> Result<[Layout<L, S>; 2], L::Error> {
    let TilerOf::Tuple(entries) = tiler else {
        return pair(part).ok_or_else(|| {
            let found = format!("{} of rank {}", part.to_layout(), part.rank());
            let expected = "a pair (tile, rest) wherever the tiler has a layout or `_`".to_owned();
            Error::operand("unzip", expected, found).into()
        });
    };
    at_most("unzip", part, entries)?;
    let (mut tiles, mut rests) = (Vec::new(), Vec::new());
    for (i, mode) in part.modes().enumerate() {
        match entries.get(i) {
            Some(entry) => {
                let [tile, rest] = unzipped(mode, entry)?;
                tiles.push(tile);
                rests.push(rest);
            }
            None => rests.push(mode.to_layout()),
        }
    }
    let codomain = &part.layout.codomain;
    Ok([side_by_side(tiles, codomain)?, side_by_side(rests, codomain)?])
}

/// The modes of a divide or product gathered by [`unzipped`]; of one layout by another they already
/// are.
pub(crate) fn gathered<L: Leaf, S: Stride<L>, T>(
    layout: Layout<L, S>,
    tiler: &TilerOf<T>,
) -> Result<Layout<L, S>, L::Error> {
    match tiler {
        TilerOf::Layout(_) => Ok(layout),
        _ => joined(unzipped(Part::of(&layout), tiler)?.into()),
    }
}

/// The two modes of a divide or product.
pub(crate) fn two<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
) -> Result<[Layout<L, S>; 2], L::Error> {
    pair(Part::of(layout)).ok_or_else(|| {
        let (operation, expected) = ("divide", "a layout of rank 2".to_owned());
        let found = format!("{layout} of rank {}", layout.shape().rank());
        Error::operand(operation, expected, found).into()
    })
}

/// The modes of a part that has two.
fn pair<L: Leaf, S: Stride<L>>(part: Part<'_, L, S>) -> Option<[Layout<L, S>; 2]> {
    let (first, second) = part.mode(0).zip(part.mode(1))?;
    (part.rank() == 2).then(|| [first.to_layout(), second.to_layout()])
}

/// `(tiles, rest, rest, …)` of `(tiles, rests)`.
pub(crate) fn unpack_rests<L: Leaf, S: Stride<L>>(
    zipped: &Layout<L, S>,
) -> Result<Layout<L, S>, L::Error> {
    let [tiles, rests] = two(zipped)?;
    let mut modes = vec![tiles];
    modes.extend(Part::of(&rests).to_layouts());
    joined(modes)
}

/// `(tile, tile, …, rest, rest, …)` of `(tiles, rests)`.
pub(crate) fn unpack_all<L: Leaf, S: Stride<L>>(
    zipped: &Layout<L, S>,
) -> Result<Layout<L, S>, L::Error> {
    let [tiles, rests] = two(zipped)?;
    let mut modes = Part::of(&tiles).to_layouts();
    modes.extend(Part::of(&rests).to_layouts());
    side_by_side(modes, &zipped.codomain)
}

/// A block and its repetitions mode by mode, each pair in the order that `order` gives it. Both are
/// lengthened by modes `one` to the same rank.
pub(crate) fn zip_product<L: Leaf, S: Stride<L>>(
    block: &Layout<L, S>,
    times: &Layout<L, S>,
    one: &Layout<L, S>,
    order: impl Fn(Layout<L, S>, Layout<L, S>) -> [Layout<L, S>; 2],
    product: impl FnOnce(&Layout<L, S>, Layout<L, S>) -> Result<Layout<L, S>, L::Error>,
) -> Result<Layout<L, S>, L::Error> {
    let rank = Part::of(block).rank().max(Part::of(times).rank());
    let (block, times) = (padded(block, rank, one)?, padded(times, rank, one)?);
    // The places of one mode may be several modes: they stay one.
    let parts = |of: &Layout<L, S>, mode: Layout<L, S>| match of.shape() {
        Nested::Leaf(_) => vec![mode],
        Nested::Node(_) => Part::of(&mode).to_layouts(),
    };
    let [tile, places] = two(&product(&block, times.clone())?)?;
    let modes = parts(&block, tile).into_iter().zip(parts(&times, places));
    let modes = modes.map(|(block, times)| joined(order(block, times).into()));
    side_by_side(modes.collect::<Result<_, _>>()?, &block.codomain)
}

/// The layout with modes `one` appended up to a rank.
pub(crate) fn padded<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
    rank: usize,
    one: &Layout<L, S>,
) -> Result<Layout<L, S>, L::Error> {
    let part = Part::of(layout);
    if part.rank() >= rank {
        return Ok(layout.clone());
    }
    let mut modes = part.to_layouts();
    modes.resize(rank, one.clone());
    joined(modes)
}

/// A shape of which each leaf is replaced by a mode, in order.
pub(crate) fn refined<L: Leaf, S: Stride<L>>(
    shape: &Nested<L>,
    modes: &mut dyn Iterator<Item = (Nested<L>, Nested<S>)>,
) -> (Nested<L>, Nested<S>) {
    match shape {
        Nested::Leaf(extent) => {
            modes.next().unwrap_or((Nested::Leaf(extent.clone()), Nested::Leaf(S::still())))
        }
        Nested::Node(entries) => {
            let (shape, stride) = entries.iter().map(|entry| refined(entry, modes)).unzip();
            (Nested::Node(shape), Nested::Node(stride))
        }
    }
}

/// Visits each part for which a coordinate has no tuple: with the coordinate, or none for `_`.
pub(crate) fn walk<L: Leaf, S: Stride<L>, I: fmt::Display>(
    coord: &CoordOf<I>,
    part: Part<'_, L, S>,
    visit: &mut impl FnMut(Option<&I>, Part<'_, L, S>) -> Result<(), L::Error>,
) -> Result<(), L::Error> {
    match coord {
        CoordOf::Any => visit(None, part),
        CoordOf::At(index) => visit(Some(index), part),
        CoordOf::Tuple(entries) if !part.is_leaf() && entries.len() == part.rank() => {
            entries.iter().zip(part.modes()).try_for_each(|(entry, mode)| walk(entry, mode, visit))
        }
        CoordOf::Tuple(_) => Err(L::misfit(part.shape, coord.to_string())),
    }
}
