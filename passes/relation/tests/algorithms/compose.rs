//! Composition of layouts by their relations: algorithm 4, with CuTe's promotion made explicit.

use super::{difference, layout_from_shape, relabel};
use layout_algebra::{Layout, Tuple};
use layout_relation::{
    Context, Error, Relation, Result, coordinate_mapping, extract_shape, layout_mapping,
    least_rank_layout, promoted_layout_mapping,
};

/// A composition, and what was taken for the outer layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Composition {
    /// `outer o inner`.
    pub(crate) layout: Layout,
    /// The outer layout with its last mode made longer, where the inner one reaches past its size:
    /// the result maps to indices that the outer layout does not have.
    pub(crate) promoted: Option<Layout>,
}

/// `outer o inner`, by algorithm 4.
///
/// Each leaf of `inner` is composed by itself: its mapping is a layout of one mode, or of the shape
/// of the outer coordinates that it visits. Where neither is right (the paper stops there), the
/// least-rank layout of the mapping is taken. Putting leaves side by side is not always right
/// either (cutlass#2955), so that the whole is compared with the composed relation at the end.
///
/// # Errors
///
/// No layout has the composed mapping: with the least coordinate that shows it; a limit.
pub(crate) fn compose(context: &Context, outer: &Layout, inner: &Layout) -> Result<Composition> {
    context.within(|| {
        let reach = inner.cosize()?;
        let promoted = (reach > outer.size()).then(|| promoted(outer, reach)).transpose()?;
        let parts = Outer { given: outer, layout: promoted.as_ref().unwrap_or(outer) };
        let layout = parts.by_leaf(context, inner, inner, 1)?;
        let inner_mapping = layout_mapping(context, inner)?;
        let expected = inner_mapping.then(&layout_mapping(context, parts.layout)?)?;
        match difference(&expected, &layout_mapping(context, &layout)?)? {
            None => Ok(Composition { layout, promoted }),
            Some(refutation) => Err(no_layout(outer, inner, refutation.to_string())),
        }
    })
}

/// The layout with its last mode long enough for `size` coordinates.
fn promoted(layout: &Layout, size: i64) -> Result<Layout> {
    let mut extents = layout.shape().leaves();
    if let Some((last, before)) = extents.split_last_mut() {
        *last = (size - 1) / before.iter().product::<i64>() + 1;
    }
    let shape = relabel(layout.shape(), &mut extents.into_iter());
    Ok(Layout::new(shape, layout.stride().clone())?)
}

fn no_layout(outer: &Layout, inner: &Layout, found: String) -> Error {
    Error::Condition {
        operation: "compose",
        operand: format!("{outer}, {inner}"),
        expected: "a layout with the composed mapping",
        found,
    }
}

struct Outer<'a> {
    given: &'a Layout,
    layout: &'a Layout,
}

impl Outer<'_> {
    /// Each leaf of `part` composed by itself; `below` coordinates of `whole` come before it.
    fn by_leaf(
        &self,
        context: &Context,
        whole: &Layout,
        part: &Layout,
        below: i64,
    ) -> Result<Layout> {
        if part.is_leaf() {
            return self.leaf(context, whole, part, below);
        }
        let mut below = below;
        let mut modes = Vec::with_capacity(part.rank());
        for mode in part.modes() {
            modes.push(self.by_leaf(context, whole, &mode, below)?);
            below = below.saturating_mul(mode.size());
        }
        Ok(Layout::make_layout(&modes)?)
    }

    fn leaf(&self, context: &Context, whole: &Layout, leaf: &Layout, below: i64) -> Result<Layout> {
        let inner = layout_mapping(context, leaf)?;
        let mapping = inner.then(&layout_mapping(context, self.layout)?)?;
        if mapping.is_empty()? || mapping.size()? != leaf.size() {
            let found = format!("indices of {leaf} that {} does not have", self.layout);
            return Err(no_layout(self.given, whole, found));
        }
        if let Ok(layout) = layout_from_shape(&mapping, leaf.shape())? {
            return Ok(layout);
        }
        if let Some(shape) = self.visited_shape(context, &inner)?
            && shape.product()? == leaf.size()
            && let Ok(layout) = layout_from_shape(&mapping, &shape)?
        {
            return Ok(layout);
        }
        least_rank_layout(&mapping)?.map_err(|mut refutation| {
            for coordinate in &mut refutation.coordinate {
                *coordinate = coordinate.saturating_mul(below);
            }
            no_layout(self.given, whole, refutation.to_string())
        })
    }

    /// The shape of the outer coordinates that an inner mapping visits, without extents of 1.
    fn visited_shape(&self, context: &Context, inner: &Relation) -> Result<Option<Tuple>> {
        let coordinates = coordinate_mapping(context, self.layout.shape())?;
        let visited = inner.then(&coordinates)?.range()?;
        let Some(progressions) = extract_shape(&visited)? else { return Ok(None) };
        let extents: Vec<_> = progressions
            .into_iter()
            .filter(|&(extent, _)| extent > 1)
            .map(|(extent, _)| Tuple::Leaf(extent))
            .collect();
        Ok(match extents.len() {
            0 => None,
            1 => extents.into_iter().next(),
            _ => Some(Tuple::Node(extents)),
        })
    }
}

/// The composed relation as CuTe reads it: the outer layout is promoted to the inner one's cosize.
///
/// # Errors
///
/// A limit; overflow.
pub(crate) fn composed_layout_mapping(
    context: &Context,
    outer: &Layout,
    inner: &Layout,
) -> Result<Relation> {
    context.within(|| {
        let outer = promoted_layout_mapping(context, outer, inner.cosize()?)?;
        layout_mapping(context, inner)?.then(&outer)
    })
}
