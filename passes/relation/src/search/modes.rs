//! The strides of a mapping: modes along each dimension of its domain.

use std::collections::BTreeSet;

use layout_algebra::{Basis, BasisLayout, Layout, Nested, Tuple};

use super::grid::Grid;
use crate::{
    error::Result,
    recover::{MAX_ENUMERATED, Refutation},
    relation::Relation,
    text::{bounds, names, sum},
};

/// An extent, and what a step adds to each result.
pub(super) type Mode = (i64, Vec<i64>);

/// The modes along each dimension.
pub(super) type Axes = Vec<Vec<Mode>>;

/// The modes of least rank along each dimension whose sum is the mapping, or where there is none.
///
/// Along a dimension the first mode is as long as images grow by a constant step, which ends at the
/// least coordinate that disagrees; the mapping at multiples of its length is of the same kind, by
/// the same rule. If the length does not divide the extent, no layout exists (see
/// [`layout_of`](layout_algebra::layout_of)).
pub(super) fn strided(grid: &Grid<'_>) -> Result<std::result::Result<Axes, Refutation>> {
    if let Some(values) = &grid.listed {
        return Ok(strided_values(grid, values));
    }
    let start = grid.image(0, 0)?;
    if let Some(refutation) = not_zero(grid, &start) {
        return Ok(Err(refutation));
    }
    let mut axes = Vec::with_capacity(grid.extents.len());
    for (axis, &extent) in grid.extents.iter().enumerate() {
        let modes = match extent <= MAX_ENUMERATED {
            true => {
                let images: Vec<_> =
                    (0..extent).map(|value| grid.image(axis, value)).collect::<Result<_>>()?;
                let images: Vec<_> = images.iter().map(Vec::as_slice).collect();
                run_by_run(&images).map_err(|(at, found)| Refutation {
                    coordinate: grid.on_axis(axis, i64::try_from(at).unwrap_or(i64::MAX)),
                    expected: images.get(at).map(|image| image.to_vec()),
                    found: Some(found),
                })
            }
            false => by_questions(grid, axis)?,
        };
        match modes {
            Ok(modes) => axes.push(modes),
            Err(refutation) => return Ok(Err(refutation)),
        }
    }
    let terms = axes.iter().enumerate().map(|(axis, modes)| terms(modes, &format!("c{axis}")));
    let candidate = relation(grid, &terms.collect::<Vec<_>>())?;
    Ok(match grid.difference(&candidate)? {
        None => Ok(axes),
        Some(refutation) => Err(refutation),
    })
}

/// [`strided`] of listed images, which need not be those of the grid's mapping.
pub(super) fn strided_values(
    grid: &Grid<'_>,
    values: &[Vec<i64>],
) -> std::result::Result<Axes, Refutation> {
    let start = values.first().map_or(&[][..], Vec::as_slice);
    if let Some(refutation) = not_zero(grid, start) {
        return Err(refutation);
    }
    let along: Vec<Vec<&[i64]>> =
        (0..grid.extents.len()).map(|axis| grid.axis(axis, values)).collect();
    let mut axes = Vec::with_capacity(along.len());
    for (axis, images) in along.iter().enumerate() {
        axes.push(run_by_run(images).map_err(|(at, found)| Refutation {
            coordinate: grid.on_axis(axis, i64::try_from(at).unwrap_or(i64::MAX)),
            expected: images.get(at).map(|image| image.to_vec()),
            found: Some(found),
        })?);
    }
    let sum = |_, coordinate: &[i64]| {
        let mut all = vec![0_i64; grid.results];
        for (images, &at) in along.iter().zip(coordinate) {
            let image = images.get(usize::try_from(at).ok()?)?;
            for (all, more) in all.iter_mut().zip(*image) {
                *all = all.checked_add(*more)?;
            }
        }
        Some(all)
    };
    match grid.refuted_by(values, sum) {
        None => Ok(axes),
        Some(refutation) => Err(refutation),
    }
}

fn not_zero(grid: &Grid<'_>, start: &[i64]) -> Option<Refutation> {
    start.iter().any(|&value| value != 0).then(|| Refutation {
        coordinate: grid.on_axis(0, 0),
        expected: Some(start.to_vec()),
        found: Some(vec![0; grid.results]),
    })
}

/// The modes with these images, or the least place where the last candidate differs, and its image.
fn run_by_run(images: &[&[i64]]) -> std::result::Result<Vec<Mode>, (usize, Vec<i64>)> {
    let mut modes: Vec<Mode> = Vec::new();
    let mut below = 1;
    while below < images.len() {
        let step = images[below];
        let steady = |&(times, &at): &(i64, &usize)| {
            let expected = step.iter().map(|step| step.checked_mul(times));
            expected.eq(images[at].iter().map(|&value| Some(value)))
        };
        let places: Vec<usize> = (0..images.len()).step_by(below).collect();
        let run = (0..).zip(&places).take_while(steady).count();
        modes.push((i64::try_from(run).unwrap_or(i64::MAX), step.to_vec()));
        if !images.len().is_multiple_of(below * run) {
            break;
        }
        below *= run;
    }
    for (at, image) in images.iter().enumerate() {
        let found = value(&modes, at, image.len());
        if found != *image {
            return Err((at, found));
        }
    }
    Ok(modes)
}

/// The value of modes at a place, the last one without an end; a value that does not fit stays at the greatest.
fn value(modes: &[Mode], at: usize, results: usize) -> Vec<i64> {
    let mut rest = i64::try_from(at).unwrap_or(i64::MAX);
    let mut sum = vec![0_i64; results];
    for (place, (extent, step)) in modes.iter().enumerate() {
        let digit = if place + 1 == modes.len() { rest } else { rest % extent };
        rest /= extent;
        for (sum, step) in sum.iter_mut().zip(step) {
            *sum = sum.saturating_add(step.saturating_mul(digit));
        }
    }
    sum
}

/// [`run_by_run`] along a dimension that is too long to be listed: a question to ISL for each mode.
fn by_questions(
    grid: &Grid<'_>,
    axis: usize,
) -> Result<std::result::Result<Vec<Mode>, Refutation>> {
    let extent = grid.extents[axis];
    let place = |of: &str| -> String {
        let entry = |i| if i == axis { of.to_owned() } else { "0".to_owned() };
        (0..grid.extents.len()).map(entry).collect::<Vec<_>>().join(", ")
    };
    let mut modes: Vec<Mode> = Vec::new();
    let mut below = 1_i64;
    while below < extent {
        let count = (extent - 1) / below + 1;
        let step = grid.image(axis, below)?;
        let read = |image: &str| {
            Relation::read(grid.context(), &format!("{{ [k] -> [{image}] : 0 <= k < {count} }}"))
        };
        let multiples = read(&place(&format!("{below}*k")))?;
        let steps: Vec<_> = step.iter().map(|step| format!("{step}*k")).collect();
        let steady = read(&steps.join(", "))?;
        let differing = multiples.then(grid.mapping)?.subtract(&steady)?.domain()?.least()?;
        let run = differing.and_then(|point| point.first().copied()).unwrap_or(count);
        modes.push((run, step));
        if extent % (below * run) != 0 {
            let domain = format!("0 <= k < {extent}");
            let text = format!("{{ [k] -> [{}] : {domain} }}", place("k"));
            let along = Relation::read(grid.context(), &text)?.then(grid.mapping)?;
            let text =
                format!("{{ [k] -> [{}] : {domain} }}", results(&[terms(&modes, "k")], grid));
            let candidate = Relation::read(grid.context(), &text)?;
            if let Some(at) = along.subtract(&candidate)?.domain()?.least()? {
                return Ok(Err(Refutation {
                    expected: along.at(&at)?,
                    found: candidate.at(&at)?,
                    coordinate: grid.on_axis(axis, at.first().copied().unwrap_or(0)),
                }));
            }
            break;
        }
        below *= run;
    }
    Ok(Ok(modes))
}

/// For each mode its digit of a coordinate, in ISL's notation, and its step.
pub(super) fn terms(modes: &[Mode], name: &str) -> Vec<(String, Vec<i64>)> {
    let mut below = 1_i64;
    let mut all = Vec::with_capacity(modes.len());
    for (at, (extent, step)) in modes.iter().enumerate() {
        // The product of extents is one of the domain's.
        let next = below.saturating_mul(*extent);
        let digit = match at + 1 == modes.len() {
            true => format!("floor({name}/{below})"),
            false => format!("floor(({name} mod {next})/{below})"),
        };
        all.push((digit, step.clone()));
        below = next;
    }
    all
}

/// The results that terms add up to, in ISL's notation.
fn results(terms: &[Vec<(String, Vec<i64>)>], grid: &Grid<'_>) -> String {
    let result =
        |at: usize| sum(terms.iter().flatten().map(|(digit, step)| (step[at], digit.clone())));
    (0..grid.results).map(result).collect::<Vec<_>>().join(", ")
}

fn relation(grid: &Grid<'_>, terms: &[Vec<(String, Vec<i64>)>]) -> Result<Relation> {
    let text = format!(
        "{{ [{}] -> [{}] : {} }}",
        names("c", grid.extents.len()),
        results(terms, grid),
        bounds("c", &grid.extents)
    );
    Relation::read(grid.context(), &text)
}

/// One entry for itself, others as a tuple.
fn nested<T>(mut entries: Vec<Nested<T>>) -> Nested<T> {
    match entries.len() {
        1 => entries.swap_remove(0),
        _ => Nested::Node(entries),
    }
}

/// Shape and strides of modes: a mode for each dimension, which is nested where it has several.
fn shape_and_stride<T>(axes: &[Vec<(i64, T)>], zero: &T) -> (Tuple, Nested<T>)
where
    T: Clone,
{
    let axis = |modes: &Vec<(i64, T)>| match modes.is_empty() {
        true => (Nested::Leaf(1), Nested::Leaf(zero.clone())),
        false => (
            nested(modes.iter().map(|&(extent, _)| Nested::Leaf(extent)).collect()),
            nested(modes.iter().map(|(_, step)| Nested::Leaf(step.clone())).collect()),
        ),
    };
    let (shape, stride) = axes.iter().map(axis).unzip();
    (nested(shape), nested(stride))
}

/// The layout of modes with one result.
pub(super) fn layout(axes: &[Vec<Mode>]) -> Result<Layout> {
    let single = |(extent, step): &Mode| (*extent, step.first().copied().unwrap_or(0));
    let axes: Vec<Vec<_>> = axes.iter().map(|axis| axis.iter().map(single).collect()).collect();
    let (shape, stride) = shape_and_stride(&axes, &0);
    Ok(Layout::new(shape, stride)?)
}

/// The coordinate layout of modes with several results, or the mode that steps in two.
///
/// A last result that nothing moves gets a mode of extent 1, so that the coordinates have it.
pub(super) fn basis_layout(
    grid: &Grid<'_>,
    axes: &[Vec<Mode>],
) -> Result<std::result::Result<BasisLayout, Refutation>> {
    let zero = Basis { scale: 0, path: Vec::new() };
    let mut reached = BTreeSet::new();
    let mut all = Vec::with_capacity(axes.len());
    for (axis, modes) in axes.iter().enumerate() {
        let mut below = 1_i64;
        let mut own = Vec::with_capacity(modes.len());
        for (extent, step) in modes {
            let mut moved = step.iter().enumerate().filter(|&(_, &scale)| scale != 0);
            let basis = match (moved.next(), moved.next()) {
                (None, _) => zero.clone(),
                (Some((result, &scale)), None) => {
                    reached.insert(result);
                    Basis { scale, path: vec![result] }
                }
                _ => {
                    return Ok(Err(Refutation {
                        coordinate: grid.on_axis(axis, below),
                        expected: Some(step.clone()),
                        found: None,
                    }));
                }
            };
            own.push((*extent, basis));
            below = below.saturating_mul(*extent);
        }
        all.push(own);
    }
    let last = grid.results - 1;
    if !reached.contains(&last)
        && let Some(axis) = all.last_mut()
    {
        if axis.is_empty() {
            axis.push((1, zero.clone()));
        }
        axis.push((1, Basis { scale: 1, path: vec![last] }));
    }
    let (shape, stride) = shape_and_stride(&all, &zero);
    Ok(Ok(BasisLayout::new(shape, stride)?))
}
