//! Predicates: which coordinates of a padded divide, or of a composition that reaches past its left
//! operand, lie outside.
//!
//! CuTe pads a divide that does not come out even and leaves it to the programmer to keep away from
//! what is not there. Here the coordinates that are there can be requested. 10 elements in tiles of
//! 4:
//!
//! ```text
//!   logical_divide(10:1, 4:1) = (4,3):(1,4)
//!
//!                tile 0  tile 1  tile 2
//!     element 0     0       4       8
//!     element 1     1       5       9
//!     element 2     2       6      10    outside
//!     element 3     3       7      11    outside
//! ```
//!
//! The answer is a conjunction of comparisons `layout(c) < bound`, here `(4,3):(1,4) < 10`. The layout is
//! the identity divided in the same way: it says which element a coordinate means. There is a
//! comparison only where some coordinate is outside, and none can be left out.

use crate::layout::prelude::*;
use crate::layout::{
    divide::{Divided, divided as divide_mode},
    evaluate::{Budget, walk},
    modal::{Part, gathered, joined, unpack_all, unpack_rests},
    modes::coalesced_x,
    tiler::Tiler,
};

/// Holds at the coordinates `c` with `layout(c) < bound`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Comparison<L = Layout, B = i64> {
    /// The layout that is compared. It has the shape of the predicate's domain.
    pub layout: L,
    /// The least value that is outside.
    pub bound: B,
}

/// Holds at the coordinates that are inside: where every comparison holds.
///
/// ```
/// use layout_algebra::{Layout, Region, Tiler};
/// let layout: Layout = "(10,7):(7,1)".parse()?;
/// let tiler = Tiler::from_shape(&"(4,7)".parse()?)?;
/// let predicate = layout.in_bounds_of_divide(&tiler)?;
/// // The second mode comes out even.
/// assert_eq!(predicate.to_string(), "((4,3),(7,1)):((1,4),(0,0)) < 10");
/// assert!(predicate.holds(&"((1,2),(6,0))".parse()?)?);
/// assert!(!predicate.holds(&"((2,2),(6,0))".parse()?)?);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate {
    shape: Tuple,
    comparisons: Vec<Comparison>,
}

/// A set of coordinates, each as a one-dimensional index, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Region {
    /// No coordinate.
    Empty,
    /// `start + layout(i)` for all `i`.
    Layout {
        /// The first index.
        start: i64,
        /// The others from there.
        layout: Layout,
    },
    /// A set that no layout runs through in order.
    Irregular {
        /// Coordinates in it.
        count: i64,
    },
}

impl Layout {
    /// Where [`Layout::logical_divide`](crate::Layout::logical_divide) of a layout stays inside of it: the coordinates of the result that mean
    /// an element of the layout.
    ///
    /// For the other divides rearrange it in the same way: [`Predicate::zipped`], [`Predicate::tiled`],
    /// [`Predicate::flat`].
    pub fn in_bounds_of_divide(&self, tiler: &Tiler) -> Result<Predicate> {
        let divided = self.logical_divide_under(&(), tiler)?;
        let comparisons = of_divide(&(), self, tiler, &divided)?;
        Ok(Predicate { shape: divided.shape().clone(), comparisons })
    }

    /// Where [`Layout::composition`](crate::Layout::composition) with a layout stays inside of the left operand: the
    /// coordinates of the right one whose offsets are indices of the left. Past its size the left
    /// operand continues in its last mode, and what it gives there may be no memory of its own.
    pub fn in_bounds_of_composition(&self, b: &Tiler) -> Result<Predicate> {
        let composed = self.composition_tiler_under(&(), b)?;
        let comparisons = of_composition(&(), self, b, &composed)?;
        Ok(Predicate { shape: composed.shape().clone(), comparisons })
    }
}

impl<L: Leaf> Layout<L> {
    /// [`Layout::in_bounds_of_divide`] under facts: where all comparisons hold. One stays unless it is known to
    /// hold always: at values at which a tile comes out even, one may be left that would be left out there.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::logical_divide_under`]; a stride of the tile that is not known to be at least 0.
    pub fn in_bounds_of_divide_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Vec<Comparison<Layout<L>, L>>, L::Error> {
        of_divide(facts, self, tiler, &self.logical_divide_under(facts, tiler)?)
    }

    /// [`Layout::in_bounds_of_composition`] under facts: where all comparisons hold, as in
    /// [`Layout::in_bounds_of_divide_under`].
    ///
    /// # Errors
    ///
    /// Those of [`Layout::composition_under`]; a stride of the right operand of which it is not known on which
    /// side of 0 it lies.
    pub fn in_bounds_of_composition_under(
        &self,
        facts: &L::Facts,
        b: &TilerOf<Layout<L>>,
    ) -> Result<Vec<Comparison<Layout<L>, L>>, L::Error> {
        of_composition(facts, self, b, &self.composition_tiler_under(facts, b)?)
    }
}

fn of_divide<L: Leaf>(
    facts: &L::Facts,
    layout: &Layout<L>,
    tiler: &TilerOf<Layout<L>>,
    divided: &Layout<L>,
) -> Result<Vec<Comparison<Layout<L>, L>>, L::Error> {
    let operands = || format!("{layout}, {tiler}");
    let site = Site { operation: "in_bounds_of_divide", operands: &operands };
    let total = |of: &Layout<L>| of.total().map_err(|lost| L::lost(lost, "in_bounds", of));
    let mut budget = Budget::new();
    by_tiler(layout, tiler, divided, &L::from(0), &mut |mode: &Layout<L>, tile, divided| {
        let Divided { mode, longer, rest, .. } = divide_mode(facts, mode, tile, &mut budget)?;
        let padded = longer.as_ref().unwrap_or(&mode);
        if !L::OPEN && longer.is_none() {
            let end = end(facts, &site, tile)?.plus(&end(facts, &site, &rest)?);
            // Both count offset 0.
            if let Ok(end) = end.and_then(|end| end.less_one())
                && L::at_least(facts, &total(&mode)?, &end).is_yes()
            {
                return Ok(Vec::new());
            }
        }
        let whole = Layout::of_two([tile.clone(), rest])?;
        let mut comparisons = Vec::new();
        // One mode may have been lengthened. Its own index decides.
        if let Some(longer) = &longer {
            // Its modes are those of `mode`, though the longer one may meet the next.
            let lengthened = longer.leaves();
            for (i, ((extent, _), (length, _))) in
                coalesced_x(&mode)?.iter().zip(&lengthened).enumerate()
            {
                if extent != length {
                    let index: Modes<L> = (0..)
                        .zip(&lengthened)
                        .map(|(j, (length, _))| (length.clone(), L::from(i64::from(i == j))))
                        .collect();
                    let layout = Layout::of_leaves(&index)?.composition_under(facts, &whole)?;
                    comparisons.push(Comparison { layout, bound: extent.clone() });
                }
            }
        }
        // The last mode continues: the index as a whole decides.
        comparisons.push(Comparison { layout: whole, bound: total(padded)? });
        necessary(facts, &site, comparisons, divided)
    })
}

fn of_composition<L: Leaf>(
    facts: &L::Facts,
    a: &Layout<L>,
    b: &TilerOf<Layout<L>>,
    composed: &Layout<L>,
) -> Result<Vec<Comparison<Layout<L>, L>>, L::Error> {
    let site = Site { operation: "in_bounds_of_composition", operands: &|| format!("{a}, {b}") };
    let zero = L::from(0);
    by_tiler(a, b, composed, &zero, &mut |mode: &Layout<L>, part, composed| {
        let lost = |lost| L::lost(lost, "in_bounds", part);
        let bound = mode.total().map_err(lost)?;
        let mut comparisons = vec![Comparison { layout: part.clone(), bound }];
        let ascends = |(extent, stride): &(L, L)| {
            (!L::OPEN && extent.is(1)) || L::at_least(facts, stride, &zero).is_yes()
        };
        if !part.leaves().iter().all(ascends) {
            // An offset is not negative if its opposite is less than 1.
            let opposite = part.stride().try_map(&mut |stride: &L| stride.scaled(-1));
            let layout = part.restrided((), opposite.map_err(lost)?);
            comparisons.push(Comparison { layout, bound: L::from(1) });
        }
        necessary(facts, &site, comparisons, composed)
    })
}

/// Leaves that the layouts of a predicate may have together.
const LEAVES: usize = 1 << 16;

/// The comparisons of each mode that a tiler names with a layout, on the shape of the result, with
/// `zero` as the stride of the other modes.
fn by_tiler<L: Leaf, T>(
    layout: &Layout<L>,
    tiler: &TilerOf<T>,
    result: &Layout<L>,
    zero: &L,
    of_mode: &mut impl FnMut(
        &Layout<L>,
        &T,
        Part<'_, L>,
    ) -> Result<Vec<Comparison<Layout<L>, L>>, L::Error>,
) -> Result<Vec<Comparison<Layout<L>, L>>, L::Error> {
    let leaves = result.shape().leaf_count();
    let mut found = Vec::new();
    let parts = [Part::of(layout), Part::of(result)];
    visit(parts, tiler, &mut Vec::new(), &mut |[mode, result], tile, path| {
        for comparison in of_mode(&mode.to_layout(), tile, result)? {
            found.push((path.to_vec(), comparison));
            if !path.is_empty() && found.len().saturating_mul(leaves) > LEAVES {
                return Err(Error::limit("leaves of a predicate's layouts", LEAVES, "more").into());
            }
        }
        Ok(())
    })?;
    let whole = found.into_iter().map(|(path, Comparison { layout, bound })| {
        Ok(Comparison { layout: placed(Part::of(result), &path, layout, zero)?, bound })
    });
    whole.collect()
}

/// Visits each mode that a tiler names with a layout, beside the mode of the result, with where it is.
fn visit<'l, L: Leaf, T>(
    [layout, result]: [Part<'l, L>; 2],
    tiler: &TilerOf<T>,
    path: &mut Vec<usize>,
    each: &mut impl FnMut([Part<'l, L>; 2], &T, &[usize]) -> Result<(), L::Error>,
) -> Result<(), L::Error> {
    let entries = match tiler {
        TilerOf::Any => return Ok(()),
        TilerOf::Layout(tile) => return each([layout, result], tile, path),
        TilerOf::Tuple(entries) => entries,
    };
    for (i, (parts, entry)) in layout.modes().zip(result.modes()).zip(entries).enumerate() {
        path.push(i);
        visit(parts.into(), entry, path, each)?;
        path.pop();
    }
    Ok(())
}

/// The layout of a part's shape that is `mode` at a path, and moves nowhere else.
fn placed<L: Leaf>(
    part: Part<'_, L>,
    path: &[usize],
    mode: Layout<L>,
    zero: &L,
) -> Result<Layout<L>, L::Error> {
    let Some((&place, path)) = path.split_first() else { return Ok(mode) };
    let mut mode = Some(mode);
    let modes = part.modes().enumerate().map(|(i, part)| match mode.take_if(|_| i == place) {
        Some(mode) => placed(part, path, mode, zero),
        None => Ok(part.with_stride(zero)),
    });
    joined(modes.collect::<Result<_, _>>()?)
}

/// Those of the comparisons that are not known to hold always, on the shape of the result where its
/// leaves are finer.
fn necessary<L: Leaf>(
    facts: &L::Facts,
    site: &Site<'_>,
    comparisons: Vec<Comparison<Layout<L>, L>>,
    result: Part<'_, L>,
) -> Result<Vec<Comparison<Layout<L>, L>>, L::Error> {
    let mut kept = Vec::new();
    for Comparison { layout, bound } in comparisons {
        if L::at_least(facts, &bound, &end(facts, site, &layout)?).is_yes() {
            continue;
        }
        let layout = if layout.shape() == result.shape() {
            layout
        } else {
            let whole = Layout::compact(facts, result.shape().clone())?;
            layout.composition_under(facts, &whole)?
        };
        kept.push(Comparison { layout, bound });
    }
    Ok(kept)
}

/// One more than the greatest offset.
fn end<L: Leaf>(facts: &L::Facts, site: &Site<'_>, layout: &Layout<L>) -> Result<L, L::Error> {
    let (zero, mut end) = (L::from(0), L::from(1));
    let lost = |lost| L::lost(lost, "in_bounds", layout);
    for (extent, stride) in layout.leaves() {
        if L::at_least(facts, &zero, &stride).is_yes() {
            continue;
        }
        let ascends = L::at_least(facts, &stride, &zero);
        L::require(site, ascends, || Error::overflow("in_bounds", layout))?;
        let reach = extent.less_one().and_then(|steps| steps.times(&stride)).map_err(lost)?;
        end = end.plus(&reach).map_err(lost)?;
    }
    Ok(end)
}

impl Predicate {
    /// The comparisons, in the order of the modes that they are about.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// The shape of the coordinates.
    pub fn shape(&self) -> &Tuple {
        &self.shape
    }

    /// Whether all coordinates are inside.
    pub fn always_holds(&self) -> bool {
        self.comparisons.is_empty()
    }

    /// Whether a coordinate, which nests like the shape or less deeply, is inside.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit the shape; overflow.
    pub fn holds(&self, coord: &Tuple) -> Result<bool> {
        for Comparison { layout, bound } in &self.comparisons {
            if layout.crd2idx(coord)? >= *bound {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The coordinates that are inside. The first is 0, and where they are a layout they may be
    /// composed with instead of predicated.
    ///
    /// # Errors
    ///
    /// More than [`crate::ENUMERATION_LIMIT`] coordinates to enumerate.
    pub fn inside(&self) -> Result<Region> {
        self.region(true)
    }

    /// The coordinates that are outside.
    ///
    /// ```
    /// use layout_algebra::{Layout, Region, Tiler};
    /// let predicate = "10:1".parse::<Layout>()?.in_bounds_of_divide(&Tiler::Layout("4:1".parse()?))?;
    /// assert_eq!(predicate.outside()?, Region::Layout { start: 10, layout: "2:1".parse()? });
    /// assert_eq!(predicate.inside()?, Region::Layout { start: 0, layout: "10:1".parse()? });
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn outside(&self) -> Result<Region> {
        self.region(false)
    }

    fn region(&self, inside: bool) -> Result<Region> {
        let size = self.shape.product()?;
        if self.always_holds() {
            return Ok(if inside {
                Region::Layout { start: 0, layout: Layout::of_leaves(&[(size, 1)])? }
            } else {
                Region::Empty
            });
        }
        let mut walks = Vec::with_capacity(self.comparisons.len());
        for Comparison { layout, bound } in &self.comparisons {
            walks.push((walk("in_bounds", 0, layout)?, *bound));
        }
        let mut indices = Vec::new();
        for index in 0..size {
            let mut holds = true;
            for (values, bound) in &mut walks {
                holds &= values.next().is_some_and(|value| value < *bound);
            }
            if holds == inside {
                indices.push(index);
            }
        }
        let Some(&start) = indices.first() else { return Ok(Region::Empty) };
        indices.iter_mut().for_each(|index| *index -= start);
        let count = i64::try_from(indices.len()).unwrap_or(i64::MAX);
        Ok(match Layout::of_offsets(&indices)? {
            Ok(layout) => Region::Layout { start, layout },
            Err(_) => Region::Irregular { count },
        })
    }

    /// The predicate of [`Layout::zipped_divide`](crate::Layout::zipped_divide), from that of [`Layout::logical_divide`](crate::Layout::logical_divide)
    /// by the same tiler.
    ///
    /// # Errors
    ///
    /// A tiler that the predicate was not made with.
    pub fn zipped(&self, tiler: &Tiler) -> Result<Self> {
        self.rearranged(|layout| gathered(layout.clone(), tiler))
    }

    /// The predicate of [`Layout::tiled_divide`](crate::Layout::tiled_divide).
    pub fn tiled(&self, tiler: &Tiler) -> Result<Self> {
        self.rearranged(|layout| unpack_rests(&gathered(layout.clone(), tiler)?))
    }

    /// The predicate of [`Layout::flat_divide`](crate::Layout::flat_divide).
    pub fn flat(&self, tiler: &Tiler) -> Result<Self> {
        self.rearranged(|layout| unpack_all(&gathered(layout.clone(), tiler)?))
    }

    fn rearranged(&self, f: impl Fn(&Layout) -> Result<Layout>) -> Result<Self> {
        let shape = f(&Layout::from_shape(self.shape.clone())?)?.shape().clone();
        let comparisons = self
            .comparisons
            .iter()
            .map(|Comparison { layout, bound }| {
                Ok(Comparison { layout: f(layout)?, bound: *bound })
            })
            .collect::<Result<_>>()?;
        Ok(Self { shape, comparisons })
    }
}

impl<L: fmt::Display, B: fmt::Display> fmt::Display for Comparison<L, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} < {}", self.layout, self.bound)
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.comparisons.is_empty() {
            return f.write_str("true");
        }
        for (i, comparison) in self.comparisons.iter().enumerate() {
            write!(f, "{}{comparison}", if i == 0 { "" } else { " and " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("none"),
            Self::Layout { start, layout } => write!(f, "{start} + {layout}"),
            Self::Irregular { count } => write!(f, "{count} coordinates, which are no layout"),
        }
    }
}
