//! Composition: `A o B` is the layout with `(A o B)(c) = A(B(c))` for every coordinate of `B`.
//!
//! CuTe's rule takes each leaf `s:d` of `B` through the modes of `A` by dividing. It is right where
//! every division is exact (strong divisibility) and the leaves of `B` never add up to a carry in
//! the radix of `A`'s shape. Elsewhere it may return another function without a word
//! (cutlass#2955, #3177), or give up although a layout exists. Here the rule is used where it is
//! right, so that the text is CuTe's; otherwise the values decide: each leaf's offsets are turned
//! into the layout of least rank, and the sum of the leaves is compared at every coordinate.

use crate::{
    error::{Error, Result},
    evaluate::{Budget, Offsets},
    function::layout_of,
    layout::{Layout, offset_at},
    leaf::Leaf,
    modal::{Part, Past, by_mode, joined},
    modes::coalesced_x,
    shape::ceil,
    tiler::{Tiler, TilerOf},
    tuple::{Nested, Tuple},
};
use alloc::{format, vec, vec::Vec};
use smallvec::SmallVec;

/// `A o B`.
///
/// # Errors
///
/// [`Error::NoComposition`] with a coordinate where no layout fits; [`Error::Undecided`] where
/// deciding would take more than [`crate::ENUMERATION_LIMIT`] evaluations; overflow.
///
/// ```
/// use layout_algebra::{Layout, composition};
/// let layout = |text: &str| text.parse::<Layout>();
/// let r = composition(&layout("(6,2):(8,2)")?, &layout("(4,3):(3,1)")?)?;
/// assert_eq!(r.to_string(), "((2,2),3):((24,2),8)");
/// // No division is exact here, and yet a layout exists.
/// assert_eq!(composition(&layout("(5,6):(24,15)")?, &layout("3:6")?)?.to_string(), "3:39");
/// // Here none does: at coordinate 5 the offset is 8.
/// assert!(composition(&layout("(6,2):(1,7)")?, &layout("(3,2):(2,3)")?).is_err());
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn composition(a: &Layout, b: &Layout) -> Result<Layout> {
    composition_within(a, b, &mut Budget::new())
}

/// [`composition`] under facts.
///
/// # Errors
///
/// A fact that is missing; overflow and limits. Where all that matters is known, those of
/// [`composition`].
pub fn composition_under<L: Leaf>(
    facts: &L::Facts,
    a: &Layout<L>,
    b: &Layout<L>,
) -> Result<Layout<L>, L::Error> {
    L::compose(facts, a, b, &mut Budget::new())
}

/// [`composition`] as one of several in an operation, which share a budget.
pub(crate) fn composition_within(a: &Layout, b: &Layout, budget: &mut Budget) -> Result<Layout> {
    let radix = coalesced_x(a)?;
    match closed_form(&radix, b) {
        Closed::Layout(shape, stride) => Ok(Layout::from_parts(shape, stride, b.size())),
        Closed::Open => by_values(a, b, &radix, budget),
        Closed::Overflow => Err(overflow(a, b)),
    }
}

/// [`composition_within`] of the layout whose modes are `tile` and `rest`, which is made only where
/// the values decide.
pub(crate) fn composition_of_two(
    a: &Layout,
    [tile, rest]: [&Layout; 2],
    budget: &mut Budget,
) -> Result<Layout> {
    let radix = coalesced_x(a)?;
    if let Some(size) = tile.size().checked_mul(rest.size())
        && let Some(mut room) = room(&radix, &[tile, rest])
        && let Closed::Layout(tile_shape, tile_stride) =
            nested(&radix, tile.shape(), tile.stride(), &mut room)
        && let Closed::Layout(rest_shape, rest_stride) =
            nested(&radix, rest.shape(), rest.stride(), &mut room)
    {
        let shape = Tuple::Node(vec![tile_shape, rest_shape]);
        return Ok(Layout::from_parts(shape, Tuple::Node(vec![tile_stride, rest_stride]), size));
    }
    composition_within(a, &Layout::of_two([tile.clone(), rest.clone()])?, budget)
}

/// [`composition`] by mode: each entry of a tuple with its mode. `_` keeps a mode; modes past the
/// tuple are dropped, as in CuTe.
///
/// # Errors
///
/// As [`composition`]; a tuple longer than the layout's rank.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("composition((12,(4,8)):(59,(13,1)), <3:4, 8:2>)")?, "(3,(2,4)):(236,(26,1))");
/// assert_eq!(value("composition((4,8):(8,1), <_, 4:2>)")?, "(4,4):(8,2)");
/// # Ok::<(), Error>(())
/// ```
pub fn composition_tiler(a: &Layout, tiler: &Tiler) -> Result<Layout> {
    composition_tiler_under(&(), a, tiler)
}

/// [`composition_tiler`] under facts.
///
/// # Errors
///
/// As [`composition_under`]; a tuple longer than the layout's rank.
pub fn composition_tiler_under<L: Leaf>(
    facts: &L::Facts,
    a: &Layout<L>,
    tiler: &TilerOf<Layout<L>>,
) -> Result<Layout<L>, L::Error> {
    let mut budget = Budget::new();
    by_mode("composition", Past::Dropped, a, tiler, &mut |mode, b| {
        L::compose(facts, mode, b, &mut budget)
    })
}

/// What stands in the strides of a layout on the left: it is multiplied by integers.
pub(crate) trait Step: Clone + PartialEq {
    /// The stride of a mode that does not move.
    fn zero() -> Self;
    /// The multiple, if it fits.
    fn times(&self, by: i64) -> Option<Self>;
}

impl Step for i64 {
    fn zero() -> Self {
        0
    }

    fn times(&self, by: i64) -> Option<Self> {
        self.checked_mul(by)
    }
}

/// What CuTe's rule gives.
pub(crate) enum Closed<S> {
    /// The composition, as shape and stride.
    Layout(Tuple, Nested<S>),
    /// A division is not exact, or digits may carry: the values decide.
    Open,
    /// A stride leaves 64 bits.
    Overflow,
}

/// CuTe's rule, where it is right.
pub(crate) fn closed_form<S: Step>(radix: &[(i64, S)], b: &Layout) -> Closed<S> {
    match room(radix, &[b]) {
        Some(mut room) => nested(radix, b.shape(), b.stride(), &mut room),
        None => Closed::Open,
    }
}

/// For each digit but the last, how much the modes may add without a carry; none where they borrow.
fn room<S>(radix: &[(i64, S)], modes: &[&Layout]) -> Option<SmallVec<[i64; 8]>> {
    let (mut ascends, mut descends) = (false, false);
    for mode in modes {
        mode.visit(&mut |&extent, &stride| {
            ascends |= extent > 1 && stride > 0;
            descends |= extent > 1 && stride < 0;
        });
    }
    // Digits of both signs borrow from each other; those of one sign do not, since A(-i) = -A(i),
    // and neither does a single digit.
    let borrows = ascends && descends && radix.len() > 1;
    let (_, before) = radix.split_last()?;
    (!borrows).then(|| before.iter().map(|(extent, _)| extent - 1).collect())
}

fn nested<S: Step>(
    radix: &[(i64, S)],
    shape: &Tuple,
    stride: &Tuple,
    room: &mut [i64],
) -> Closed<S> {
    match (shape, stride) {
        (Tuple::Leaf(extent), Tuple::Leaf(stride)) => leaf(radix, *extent, *stride, room),
        (Tuple::Node(shapes), Tuple::Node(strides)) => {
            let mut shape = Vec::with_capacity(shapes.len());
            let mut stride = Vec::with_capacity(shapes.len());
            for (extent, step) in shapes.iter().zip(strides) {
                match nested(radix, extent, step, room) {
                    Closed::Layout(extent, step) => {
                        shape.push(extent);
                        stride.push(step);
                    }
                    open => return open,
                }
            }
            Closed::Layout(Nested::Node(shape), Nested::Node(stride))
        }
        // Shape and stride of a layout are congruent.
        _ => Closed::Open,
    }
}

fn leaf<S: Step>(radix: &[(i64, S)], extent: i64, stride: i64, room: &mut [i64]) -> Closed<S> {
    if stride == 0 {
        return Closed::Layout(Nested::Leaf(extent), Nested::Leaf(S::zero()));
    }
    let Some(((_, last), before)) = radix.split_last() else { return Closed::Open };
    if before.is_empty() {
        return match last.times(stride) {
            Some(stride) => Closed::Layout(Nested::Leaf(extent), Nested::Leaf(stride)),
            None => Closed::Overflow,
        };
    }
    let (sign, Some(mut step)) = (stride.signum(), stride.checked_abs()) else {
        return Closed::Overflow;
    };
    let mut result: SmallVec<[(i64, S); 8]> = SmallVec::new();
    let mut rest = extent;
    for ((size, factor), room) in before.iter().zip(room) {
        let size = *size;
        if rest == 1 {
            // CuTe goes on dividing the stride, which only the leftover mode below would show.
            step = ceil(step, size);
            continue;
        }
        if size % step != 0 && step % size != 0 {
            return Closed::Open;
        }
        let taken = ceil(size, step);
        let next = ceil(step, size);
        if taken > 1 {
            let taken = taken.min(rest);
            if rest % taken != 0 {
                return Closed::Open;
            }
            *room -= (taken - 1) * step;
            if *room < 0 {
                return Closed::Open;
            }
            let Some(stride) = factor.times(sign * step) else { return Closed::Overflow };
            result.push((taken, stride));
            rest /= taken;
        }
        step = next;
    }
    if rest > 1 || result.is_empty() {
        let Some(stride) = last.times(sign * step) else { return Closed::Overflow };
        result.push((rest, stride));
    }
    match result.len() {
        1 => match result.pop() {
            Some((extent, stride)) => Closed::Layout(Nested::Leaf(extent), Nested::Leaf(stride)),
            None => Closed::Open,
        },
        _ => Closed::Layout(
            Nested::Node(result.iter().map(|(extent, _)| Nested::Leaf(*extent)).collect()),
            Nested::Node(result.into_iter().map(|(_, stride)| Nested::Leaf(stride)).collect()),
        ),
    }
}

/// The composition by its values.
fn by_values(a: &Layout, b: &Layout, radix: &[(i64, i64)], budget: &mut Budget) -> Result<Layout> {
    budget.spend(b.size(), divisions(radix, b)).map_err(|exceeded| Error::Undecided {
        a: a.clone(),
        b: b.clone(),
        size: exceeded.found,
        limit: exceeded.limit,
    })?;
    let candidate = leaf_by_leaf(a, b, radix, Part::of(b), &mut 1)?;
    if b.is_leaf() {
        return Ok(candidate);
    }
    for ((coordinate, middle), found) in (0..).zip(Offsets::of(b)).zip(Offsets::of(&candidate)) {
        let wanted = middle.and_then(|middle| offset_at(radix, middle));
        let (Some(wanted), Some(found)) = (wanted, found) else { return Err(overflow(a, b)) };
        if wanted != found {
            return Err(Error::NoComposition {
                a: a.clone(),
                b: b.clone(),
                coordinate,
                wanted,
                found,
            });
        }
    }
    Ok(candidate)
}

/// How many digits in the radix an offset of `b` may have.
fn divisions(radix: &[(i64, i64)], b: &Layout) -> usize {
    let mut reach = b.cosize().unwrap_or(i64::MAX);
    let digits = radix.iter().take_while(|(extent, _)| {
        let more = reach > 0;
        reach /= extent;
        more
    });
    digits.count()
}

/// Each leaf of `part` replaced by the layout of its values; `below` is the product of the extents
/// that come before it in `b`, so that a refutation can be told in coordinates of `b`.
fn leaf_by_leaf(
    a: &Layout,
    b: &Layout,
    radix: &[(i64, i64)],
    part: Part<'_, Layout>,
    below: &mut i64,
) -> Result<Layout> {
    let (Tuple::Leaf(extent), Tuple::Leaf(stride)) = (part.shape(), part.stride()) else {
        let modes = part.modes().map(|mode| leaf_by_leaf(a, b, radix, mode, below));
        return joined(modes.collect::<Result<_>>()?);
    };
    let value = |i: i64| i.checked_mul(*stride).and_then(|middle| offset_at(radix, middle));
    let values: Option<Vec<i64>> = (0..*extent).map(value).collect();
    let start = *below;
    *below = below.saturating_mul(*extent);
    layout_of(&values.ok_or_else(|| overflow(a, b))?)?.map_err(|refutation| Error::NoComposition {
        a: a.clone(),
        b: b.clone(),
        coordinate: refutation.index * start,
        wanted: refutation.wanted,
        found: refutation.found,
    })
}

fn overflow(a: &Layout, b: &Layout) -> Error {
    Error::overflow("composition", format!("({a}, {b})"))
}
