//! Recovery of layouts from the mapping alone, which the paper leaves open.

mod bits;
mod grid;
mod modes;
mod symbolic;

use layout_algebra::{BasisLayout, ComposedLayout, Layout, linear::LinearLayout};

pub use self::symbolic::recover_symbolic;
use self::{bits::affine, grid::Grid, modes::strided};
use crate::{
    error::Result,
    recover::{MAX_ENUMERATED, Refutation, mapping_to_integer},
    relation::Relation,
};

/// The result of a search for the layout of a mapping.
///
/// A mapping with several dimensions on the left gives a layout with a mode for each.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovered {
    /// The layout of least rank along each dimension.
    Layout(Layout),
    /// The coordinate layout, where there are several results: a stride moves in one of them.
    Basis(BasisLayout),
    /// A swizzled layout.
    Swizzled(ComposedLayout),
    /// Linear over GF(2), with the image of 0 added without carry.
    Linear {
        /// The image of 0.
        offset: Vec<i64>,
        /// The rest. Dimensions have the relation's names, if these are more than variables such as `c0`;
        /// else a single one is `index` or `offset`, and several are `crd0`, … and `idx0`, ….
        layout: LinearLayout,
    },
    /// None of these.
    Neither {
        /// Where the last candidate for a layout fails.
        layout: Refutation,
        /// Where linearity fails, or `None` for an extent that is no power of two, or a negative image.
        linear: Option<Refutation>,
    },
}

/// The layout of least rank with a mapping, by one query to ISL for each mode: no
/// coordinates are listed, so that the size does not matter.
///
/// The first mode is as long as images grow by a constant step, which ends at the least coordinate
/// that disagrees; the mapping at multiples of its length is a layout again, by the same rule. If
/// the length does not divide the size, no layout exists (see
/// [`Layout::of_offsets`](layout_algebra::Layout::of_offsets)).
///
/// # Errors
///
/// The refutation, inside `Ok`; a mapping that is not single-valued from `[0, n)` to integers; a
/// limit.
///
/// ```
/// use layout_relation::{Context, Limits, Relation, least_rank_layout};
/// let context = Context::new(Limits::default())?;
/// let mapping = Relation::parse(
///     &context,
///     "{ [c] -> [c mod 1000000 + 5000000*floor(c/1000000)] : 0 <= c < 3000000 }",
/// )?;
/// let layout = least_rank_layout(&mapping)?.unwrap();
/// assert_eq!(layout.to_string(), "(1000000,3):(1,5000000)");
/// let fan = Relation::parse(&context, "{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }")?;
/// assert_eq!(
///     least_rank_layout(&fan)?.unwrap_err().to_string(),
///     "expected 7 at coordinate (3), found 23 in the only candidate"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn least_rank_layout(mapping: &Relation) -> Result<std::result::Result<Layout, Refutation>> {
    mapping.context().within(|| {
        mapping_to_integer("least_rank_layout", mapping, 1)?;
        let grid = Grid::of("least_rank_layout", mapping)?;
        Ok(match strided(&grid)? {
            Ok(axes) => Ok(modes::layout(&axes)?),
            Err(refutation) => Err(refutation),
        })
    })
}

/// A layout, a swizzled layout, or a linear layout with a mapping; or witnesses that there
/// is none.
///
/// The domain is a box from 0 of any number of dimensions, each a mode of what is found; images have
/// one result or several. Several are those of a coordinate layout or of a linear layout.
/// Swizzles, of one result, are sought among the involutions within the bits of the greatest image; for more than
/// 4096 coordinates only if the mapping is linear over GF(2). The swizzle of least bits, then
/// base, then shift is taken.
///
/// # Errors
///
/// A mapping that is not single-valued, or not from a box that begins at 0; a limit.
///
/// ```
/// use layout_algebra::Swizzle;
/// use layout_relation::{Context, Limits, Recovered, Relation, recover, swizzle_mapping};
/// let context = Context::new(Limits::default())?;
/// let mapping = swizzle_mapping(&context, &Swizzle::new(2, 0, 3)?)?;
/// let Recovered::Swizzled(found) = recover(&mapping)? else { panic!("a swizzle") };
/// assert_eq!(found.to_string(), "S<2,0,3> o 0 o 32:1");
/// let mapping = Relation::parse(&context, "{ [i, j] -> [8i + j] : 0 <= i < 6 and 0 <= j < 8 }")?;
/// let Recovered::Layout(found) = recover(&mapping)? else { panic!("a layout") };
/// assert_eq!(found.to_string(), "(6,8):(8,1)");
/// let mapping = Relation::parse(&context, "{ [i] -> [i mod 3, floor(i/3)] : 0 <= i < 12 }")?;
/// let Recovered::Basis(found) = recover(&mapping)? else { panic!("coordinates") };
/// assert_eq!(found.to_string(), "(3,4):(1@0,1@1)");
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn recover(mapping: &Relation) -> Result<Recovered> {
    mapping.context().within(|| {
        let grid = Grid::of("recover", mapping)?;
        let layout = match strided(&grid)? {
            Ok(axes) if grid.results == 1 => return Ok(Recovered::Layout(modes::layout(&axes)?)),
            Ok(axes) => match modes::basis_layout(&grid, &axes)? {
                Ok(layout) => return Ok(Recovered::Basis(layout)),
                Err(refutation) => refutation,
            },
            Err(refutation) => refutation,
        };
        let linear = affine(&grid)?;
        if let Some(Ok(affine)) = &linear {
            let swizzled = if grid.results == 1 { affine.swizzled()? } else { None };
            return Ok(match swizzled {
                Some(found) => Recovered::Swizzled(found),
                None => {
                    let offset = affine.offset.clone();
                    Recovered::Linear { offset, layout: affine.layout(&grid)? }
                }
            });
        }
        if let Some(values) = &grid.listed
            && grid.results == 1
            && grid.size <= MAX_ENUMERATED
            && let Some(found) = bits::swizzled_values(&grid, values)?
        {
            return Ok(Recovered::Swizzled(found));
        }
        Ok(Recovered::Neither { layout, linear: linear.and_then(std::result::Result::err) })
    })
}
