//! Inverses of layouts by their relations: algorithm 6, and the right and the left inverse.

use super::{bounds, colexicographic, dot, layout_from_shape, leaf, least, names};
use layout_algebra::{Layout, Tuple};
use layout_relation::{
    Context, Error, IntegerSet, Relation, Result, index_mapping, layout_mapping,
};

/// The inverse of a layout that is bijective onto `[0, size)`: algorithm 6, corrected.
///
/// The inverse's modes are those of the layout in the order of their strides. The paper permutes
/// the shape by the inverse of that order instead, which is the same only where the order is its
/// own inverse, as in all of its examples; `(2,3,4):(12,1,3)` shows the difference.
///
/// # Errors
///
/// A layout that is not bijective; a limit.
pub(crate) fn inverse(context: &Context, layout: &Layout) -> Result<Layout> {
    let condition = |found: String| Error::Condition {
        operation: "inverse",
        operand: layout.to_string(),
        expected: "a layout that is bijective onto [0, size)",
        found,
    };
    context.within(|| {
        let mapping = layout_mapping(context, layout)?;
        let whole = IntegerSet::parse(context, &format!("{{ [i] : 0 <= i < {} }}", layout.size()))?;
        // For natural coordinates: ISL has no divisions to get rid of.
        let missing = whole.subtract(&index_mapping(context, layout)?.range()?)?;
        if let Some([index]) = missing.least()?.as_deref() {
            return Err(condition(format!("index {index} without a coordinate")));
        }
        let mut modes: Vec<_> =
            layout.flat().into_iter().filter(|&(extent, _)| extent != 1).collect();
        modes.sort_by_key(|&(_, stride)| stride);
        let shape = match modes[..] {
            [] => return leaf(1, 0),
            [(extent, _)] => Tuple::Leaf(extent),
            _ => Tuple::Node(modes.iter().map(|&(extent, _)| Tuple::Leaf(extent)).collect()),
        };
        layout_from_shape(&mapping.inverse()?, &shape)?
            .map_err(|refutation| condition(refutation.to_string()))
    })
}

/// A layout, grown mode by mode, that takes indices from 0 back to coordinates:
/// `layout(result(i)) = i`. It is the longest where no offset comes twice.
///
/// Each new mode begins at the least coordinate of the least index that is not reached yet, and is
/// as long as it stays right. Flat, with modes that continue each other merged. Where an index has
/// several coordinates, another of them may lead further: of `(5,(4,4)):(2,(4,1))` this finds 12
/// indices, and the algebra 16.
///
/// # Errors
///
/// A limit.
pub(crate) fn right_inverse(context: &Context, layout: &Layout) -> Result<Layout> {
    context.within(|| {
        let mapping = layout_mapping(context, layout)?;
        let mut result = leaf(1, 0)?;
        let mut modes = Vec::new();
        loop {
            let reached = result.size();
            let Some(step) = preimage(context, &mapping, reached)? else { break };
            let run = longest_run(context, &mapping, &result, step)?;
            if run < 2 {
                break;
            }
            modes.push(leaf(run, step)?);
            result = Layout::make_layout(&modes)?.coalesce()?;
        }
        Ok(result)
    })
}

/// The least coordinate of an index.
fn preimage(context: &Context, mapping: &Relation, index: i64) -> Result<Option<i64>> {
    let index = IntegerSet::parse(context, &format!("{{ [{index}] }}"))?;
    least(&mapping.onto(&index)?.domain()?)
}

/// How long a mode of a step may be after `result`: the least `k` such that `result(i) + k*step`
/// is for some `i` no coordinate of index `i + k*size`.
fn longest_run(context: &Context, mapping: &Relation, result: &Layout, step: i64) -> Result<i64> {
    let size = result.size();
    let pairs = format!("0 <= i < {size} and k >= 0");
    let inside = layout_mapping(context, result)?;
    let first =
        Relation::parse(context, &format!("{{ [i, k] -> [i] : {pairs} }}"))?.then(&inside)?;
    let second = Relation::parse(context, &format!("{{ [i, k] -> [{step}*k] : {pairs} }}"))?;
    let sum = Relation::parse(context, "{ [a, b] -> [a + b] }")?;
    let found = first.range_product(&second)?.then(&sum)?.then(mapping)?;
    let expected = Relation::parse(context, &format!("{{ [i, k] -> [i + {size}*k] : {pairs} }}"))?;
    let wrong = expected.subtract(&found)?.domain()?;
    let runs = Relation::parse(context, "{ [i, k] -> [k] }")?;
    Ok(least(&wrong.image(&runs)?)?.unwrap_or(1))
}

/// A layout that takes each index of `layout` back to its coordinate, `result(layout(c)) = c`, for
/// every coordinate that is 0 in modes of stride 0.
///
/// The candidate has a mode for each stride, as long as the next stride is further; where that is
/// none, it is what the algebra finds. Either is compared with the identity as a relation.
///
/// # Errors
///
/// No layout is a left inverse: with the coordinate that shows it; a limit.
pub(crate) fn left_inverse(context: &Context, layout: &Layout) -> Result<Layout> {
    let condition = |expected, found: String| Error::Condition {
        operation: "left_inverse",
        operand: layout.to_string(),
        expected,
        found,
    };
    let mut modes = Vec::new();
    let mut broadcast = leaf(1, 0)?;
    let mut start = 1_i64;
    for (extent, stride) in layout.coalesce()?.flat() {
        if stride < 0 && extent > 1 {
            return Err(condition("strides that are not negative", format!("{extent}:{stride}")));
        }
        if stride > 0 && extent > 1 {
            modes.push((stride, extent, start));
        } else {
            broadcast = leaf(extent, 0)?;
        }
        start = start.saturating_mul(extent);
    }
    let kept = modes.clone();
    modes.sort_unstable();
    let mut result = Vec::new();
    if let Some(&(first, _, _)) = modes.first() {
        result.push(leaf(first, 0)?);
    }
    for (i, &(stride, extent, start)) in modes.iter().enumerate() {
        let length = modes.get(i + 1).map_or(extent, |&(next, _, _)| (next / stride).max(1));
        result.push(leaf(length, start)?);
    }
    let result =
        if result.is_empty() { broadcast } else { Layout::make_layout(&result)?.coalesce()? };
    context.within(|| {
        if unreturned(context, &kept, &result)?.is_none() {
            return Ok(result);
        }
        let found = layout.left_inverse()?;
        match unreturned(context, &kept, &found)? {
            None => Ok(found),
            Some(coordinate) => Err(condition(
                "a layout with a left inverse",
                format!("coordinate {coordinate} that {found} does not return"),
            )),
        }
    })
}

/// A coordinate that `back` does not return: the modes are `(stride, extent, start)`, and the
/// query is about their coordinates, since it is then without divisions.
fn unreturned(context: &Context, modes: &[(i64, i64, i64)], back: &Layout) -> Result<Option<i64>> {
    let strides: Vec<_> = modes.iter().map(|&(stride, _, _)| stride).collect();
    let extents: Vec<_> = modes.iter().map(|&(_, extent, _)| extent).collect();
    let starts: Vec<_> = modes.iter().map(|&(_, _, start)| start).collect();
    let (mut sizes, steps) = colexicographic(back.shape());
    let returned: Vec<_> = back.flat().into_iter().map(|(_, stride)| stride).collect();
    // Past its size a layout continues in its last mode.
    if let Some(last) = sizes.last_mut() {
        *last = i64::MAX;
    }
    let set = IntegerSet::parse(
        context,
        &format!(
            "{{ [{}] : {} and exists {} : {} and {} = {} and {} != {} }}",
            names("x", modes.len()),
            bounds("x", &extents),
            names("y", sizes.len()),
            bounds("y", &sizes),
            dot("x", &strides),
            dot("y", &steps),
            dot("x", &starts),
            dot("y", &returned),
        ),
    )?;
    Ok(set.least()?.map(|point| point.iter().zip(&starts).map(|(x, s)| x * s).sum()))
}
