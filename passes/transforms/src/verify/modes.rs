//! Which elements of an argument are touched, by structure: a tile of tiles, mode by mode, however
//! large. Nothing is counted but what single symbols, or few that belong together, add.
//!
//! An element's coordinates, or its address where nothing predicates it, are sums of what groups of
//! symbols add. Each group's sums are modes, `extent` steps of `stride`; so are the elements of one
//! copy. Where all modes along an axis step on where the ones before end, the axis is covered from 0
//! on, each place once, and a predicate cuts it off at its limit.
//!
//! ```text
//! 4097 rows in tiles of 128:   tile 33:128 (33 tiles), thread 32:1, warp 4:32   =  4224:1, cut at 4097
//! ```

use super::{
    cover::{Counter, groups, sorted, symbols, table},
    trace::{Condition, Copy, Trace},
    view::View,
};
use layout_algebra::{Layout, Tuple};
use layout_relation::IndexForm;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// The most points of a group, or elements of a copy, that are enumerated.
const MAX_ENUMERATED: usize = 1 << 17;

/// Comparisons around an access that are tried as ends of axes.
const CONDITIONS: usize = 6;

/// A copy's side that accesses the argument.
pub(super) struct CopySide<'t> {
    pub(super) trace: &'t Trace,
    pub(super) copy: &'t Copy,
    pub(super) view: &'t View,
}

impl CopySide<'_> {
    fn is_swizzled(&self, whole: &View) -> bool {
        let mut views =
            self.copy.predicates.iter().map(|(predicate, _)| predicate).chain([self.view, whole]);
        views.any(|view| !view.outer.is_nothing())
    }
}

/// `(extent, stride)`.
type Mode = (i64, i64);

/// The axis along which elements are counted: a coordinate, or the address.
struct Axis<'t> {
    form: Cow<'t, IndexForm>,
    /// The layout of the copy's elements.
    elements: Option<&'t Layout>,
    /// Where it ends; an address has no end of its own.
    limit: Option<i64>,
    /// Whether what is past the end is cut off.
    is_cut: bool,
    /// Elements of memory from one place to the next.
    stride: i64,
}

/// One side, taken apart.
struct SideModes {
    /// Along each axis: what symbols add, coalesced.
    modes: Vec<Vec<Mode>>,
    /// The coordinates of the copy's elements.
    elements: Vec<Vec<i64>>,
}

/// A layout of the negative offsets.
pub(super) fn negative(layout: &Layout) -> Option<Layout> {
    let (shape, stride): (Vec<_>, Vec<_>) = layout
        .flat()
        .into_iter()
        .map(|(extent, stride)| Some((Tuple::Leaf(extent), Tuple::Leaf(stride.checked_neg()?))))
        .collect::<Option<Vec<_>>>()?
        .into_iter()
        .unzip();
    Layout::new(Tuple::Node(shape), Tuple::Node(stride)).ok()
}

/// The elements that all sides touch together as a layout whose modes are sorted: each offset of it
/// once of stores, and at least once of loads. None where they do not come apart.
pub(super) fn touched(sides: &[CopySide<'_>], argument: usize, stores: bool) -> Option<Layout> {
    let found = [coordinates, compared, address].into_iter().find_map(|axes| {
        let axes: Option<Vec<_>> = sides.iter().map(|side| axes(side, argument)).collect();
        along(sides, &axes?, stores)
    });
    found.and_then(sorted)
}

/// The modes that all sides touch, taken apart along these axes.
fn along(sides: &[CopySide<'_>], axes: &[Vec<Axis<'_>>], stores: bool) -> Option<Vec<Mode>> {
    let all: Vec<SideModes> = sides
        .iter()
        .zip(axes)
        .map(|(side, axes)| parts(side, axes, stores))
        .collect::<Option<_>>()?;
    let ends = |axes: &[Axis<'_>]| -> Vec<_> {
        axes.iter().map(|axis| (axis.limit, axis.is_cut, axis.stride)).collect()
    };
    if axes.windows(2).any(|pair| ends(&pair[0]) != ends(&pair[1])) {
        return None;
    }
    let (first, axes) = (all.first()?, axes.first()?);
    let alike = |parts: &SideModes| parts.modes == first.modes;
    let mut places: Vec<Vec<i64>> = Vec::new();
    for parts in &all {
        if !alike(parts) || places.len() + parts.elements.len() > MAX_ENUMERATED {
            return None;
        }
        places.extend(parts.elements.iter().cloned());
    }
    let (starts, own) = products(places, stores)?;
    let mut modes = Vec::new();
    for (((axis, start), own), mut found) in
        axes.iter().zip(starts).zip(own).zip(first.modes.clone())
    {
        found.extend(own);
        match axis.limit {
            Some(limit) => {
                let end = covered(found)?;
                if start != 0 || (end > limit && !axis.is_cut) {
                    return None;
                }
                modes.push((end.min(limit), axis.stride));
            }
            None if start == 0 => modes.extend(found),
            None => return None,
        }
    }
    if !stores {
        modes.retain(|&(_, stride)| stride != 0);
    }
    Some(modes)
}

/// The address, if no predicate cuts anything off.
fn address<'t>(side: &CopySide<'t>, _: usize) -> Option<Vec<Axis<'t>>> {
    let passes = |(predicate, limit): &(View, i64)| {
        let most = predicate.layout.flat().iter().try_fold(0_i64, |sum, &(extent, stride)| {
            sum.checked_add((extent - 1).checked_mul(stride)?.max(0))
        });
        let most = most.and_then(|most| predicate.base.plus(&IndexForm::constant(most)));
        most.is_some_and(|most| always(side.trace, &(most, *limit)))
    };
    if !side.view.outer.is_nothing() || !side.copy.predicates.iter().all(passes) {
        return None;
    }
    let (form, elements) = (Cow::Borrowed(&side.view.base), Some(&side.view.layout));
    Some(vec![Axis { form, elements, limit: None, is_cut: false, stride: 1 }])
}

/// The coordinates of a single element that comparisons around it cut off.
fn compared<'t>(side: &CopySide<'t>, argument: usize) -> Option<Vec<Axis<'t>>> {
    let whole = side.trace.arguments.get(argument)?.as_ref()?;
    if side.view.size() != 1 || !side.copy.predicates.is_empty() || side.is_swizzled(whole) {
        return None;
    }
    // Loops leave conditions of numbers, which always hold.
    let around = side.copy.around.iter().filter(|(form, _)| !form.symbols().is_empty());
    let counts: Vec<Condition> = around.cloned().collect();
    if counts.is_empty() || counts.len() > CONDITIONS {
        return None;
    }
    let modes: Vec<Mode> = whole
        .layout
        .modes()
        .iter()
        .map(|mode| match mode.flat()[..] {
            [mode] => Some(mode),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let offset = IndexForm::constant(side.view.layout.at(0).ok()?);
    let base = side.view.base.plus(&offset)?.minus(&whole.base)?;
    let assign = |may_miss| assigned(&modes, &counts, &base, may_miss);
    assign(false).or_else(|| assign(true))
}

/// A comparison as the end of a coordinate: where the mode ends, or counted from 0.
fn ends((form, limit): &Condition, extent: i64) -> Vec<Condition> {
    let shifted = |by: i64| {
        let limit = limit.checked_add(by).filter(|&limit| limit <= extent)?;
        Some((form.plus(&IndexForm::constant(by))?, limit))
    };
    let whole = extent.checked_sub(*limit).and_then(shifted);
    let from_zero = form.at(&|_| 0).and_then(i64::checked_neg).and_then(shifted);
    let mut all: Vec<Condition> = whole.into_iter().chain(from_zero).collect();
    all.dedup();
    all
}

/// Takes a comparison for each mode; one mode may have none, and be what is left of the address.
fn assigned<'t>(
    modes: &[Mode],
    counts: &[Condition],
    base: &IndexForm,
    may_miss: bool,
) -> Option<Vec<Axis<'t>>> {
    let Some((&(extent, stride), rest)) = modes.split_first() else {
        return (base.as_constant() == Some(0)).then(Vec::new);
    };
    let axis = |form: IndexForm, limit: i64, is_cut: bool| Axis {
        form: Cow::Owned(form),
        elements: None,
        limit: Some(limit),
        is_cut,
        stride,
    };
    for (form, limit) in counts.iter().flat_map(|condition| ends(condition, extent)) {
        let left = form.scale(stride).and_then(|own| base.minus(&own));
        if let Some(mut axes) = left.and_then(|left| assigned(rest, counts, &left, may_miss)) {
            axes.insert(0, axis(form, limit, true));
            return Some(axes);
        }
    }
    if !may_miss || stride < 1 {
        return None;
    }
    // Without this mode, the others leave a multiple of its stride.
    let (own, mut axes) = assigned_others(rest, counts, base, stride)?;
    axes.insert(0, axis(own, extent, false));
    Some(axes)
}

/// The comparisons of the other modes, and what is left of the address in steps of a stride.
fn assigned_others<'t>(
    modes: &[Mode],
    counts: &[Condition],
    base: &IndexForm,
    stride: i64,
) -> Option<(IndexForm, Vec<Axis<'t>>)> {
    let Some((&(extent, step), rest)) = modes.split_first() else {
        let whole = base.divisor() % stride == 0;
        let own = whole.then(|| base.floor_div(stride))??;
        return matches!(own.range(), (Some(0..), _)).then_some((own, Vec::new()));
    };
    for (form, limit) in counts.iter().flat_map(|condition| ends(condition, extent)) {
        let left = form.scale(step).and_then(|own| base.minus(&own));
        let found = left.and_then(|left| assigned_others(rest, counts, &left, stride));
        if let Some((own, mut axes)) = found {
            let (form, limit) = (Cow::Owned(form), Some(limit));
            axes.insert(0, Axis { form, elements: None, limit, is_cut: true, stride: step });
            return Some((own, axes));
        }
    }
    None
}

/// The coordinates that predicates cut off, if the address is their sum.
fn coordinates<'t>(side: &CopySide<'t>, argument: usize) -> Option<Vec<Axis<'t>>> {
    let whole = side.trace.arguments.get(argument)?.as_ref()?;
    let modes = whole.layout.modes();
    if side.is_swizzled(whole) || side.copy.predicates.len() != modes.len() {
        return None;
    }
    let mut axes = Vec::new();
    let mut base = whole.base.clone();
    for ((predicate, limit), mode) in side.copy.predicates.iter().zip(&modes) {
        let &[(extent, stride)] = mode.flat().as_slice() else { return None };
        if *limit > extent || predicate.layout.size() != side.view.size() {
            return None;
        }
        base = base.plus(&predicate.base.scale(stride)?)?;
        let (form, elements) = (Cow::Borrowed(&predicate.base), Some(&predicate.layout));
        axes.push(Axis { form, elements, limit: Some(*limit), is_cut: true, stride });
    }
    let is_sum = |at: i64| -> Option<bool> {
        let sum = axes.iter().try_fold(0_i64, |sum, axis| {
            sum.checked_add(axis.elements?.at(at).ok()?.checked_mul(axis.stride)?)
        });
        Some(side.view.layout.at(at).ok()? == sum?)
    };
    let listed = usize::try_from(side.view.size()).is_ok_and(|size| size <= MAX_ENUMERATED);
    let all = listed && (0..side.view.size()).all(|at| is_sum(at) == Some(true));
    (all && base == side.view.base).then_some(axes)
}

fn always(trace: &Trace, (form, limit): &Condition) -> bool {
    let extent = |symbol: u32| trace.extents.get(symbol as usize).copied().flatten();
    matches!(form.below(*limit), Some(None))
        || form.bounds_over(&extent).is_some_and(|(_, end)| end <= *limit)
}

fn parts(side: &CopySide<'_>, axes: &[Axis<'_>], stores: bool) -> Option<SideModes> {
    // The end of an axis is no condition on its parts.
    let is_axis = |(form, limit): &Condition| {
        axes.iter().any(|axis| {
            let moved = axis.form.minus(form).and_then(|moved| moved.as_constant());
            axis.is_cut
                && moved.is_some()
                && axis.limit == moved.and_then(|by| limit.checked_add(by))
        })
    };
    let conditions: Vec<&Condition> = side
        .copy
        .around
        .iter()
        .filter(|condition| !always(side.trace, condition) && !is_axis(condition))
        .collect();
    if conditions.iter().any(|(form, _)| form.symbols().is_empty()) {
        // It never holds.
        return None;
    }
    let forms: Vec<&IndexForm> = axes
        .iter()
        .map(|axis| &*axis.form)
        .chain(conditions.iter().map(|(form, _)| form))
        .collect();
    let symbols = symbols(side.trace, side.copy, &forms, stores)?;
    // A condition is about all of its symbols together.
    let together = conditions.iter().map(|(form, _)| form.symbols()).collect();
    let zero: Vec<i64> = forms.iter().map(|form| form.at(&|_| 0)).collect::<Option<_>>()?;
    let mut start = zero[..axes.len()].to_vec();
    let mut modes = vec![Vec::new(); axes.len()];
    for group in groups(&symbols, &forms, together) {
        let queried: Vec<usize> = (0..conditions.len())
            .filter(|&at| group.iter().any(|(s, ..)| conditions[at].0.symbols().contains(s)))
            .collect();
        if let [symbol] = group[..]
            && queried.is_empty()
            && let Some(bits) = bits(symbol, &forms[..axes.len()], stores)
        {
            modes.iter_mut().zip(bits).for_each(|(all, own)| all.extend(own));
            continue;
        }
        let points = group.iter().try_fold(1_usize, |all, &(_, extent, _)| {
            all.checked_mul(usize::try_from(extent).ok()?)
        })?;
        if points > MAX_ENUMERATED {
            return None;
        }
        let table = table(&group, &forms, &zero, stores)?;
        let holds = |column: usize| {
            queried.iter().all(|&at| {
                let row = axes.len() + at;
                table[row][column].checked_add(zero[row]).is_some_and(|v| v < conditions[at].1)
            })
        };
        let columns = table.first().map_or(0, Vec::len);
        let places: Vec<Vec<i64>> = (0..columns)
            .filter(|&column| holds(column))
            .map(|column| table[..axes.len()].iter().map(|row| row[column]).collect())
            .collect();
        let (least, own) = products(places, stores)?;
        for (start, least) in start.iter_mut().zip(least) {
            *start = start.checked_add(least)?;
        }
        modes.iter_mut().zip(own).for_each(|(all, own)| all.extend(own));
    }
    let count = axes.first()?.elements.map_or(1, Layout::size);
    if usize::try_from(count).is_ok_and(|count| count > MAX_ENUMERATED) {
        return None;
    }
    let element = |at: i64| -> Option<Vec<i64>> {
        let place = |(axis, start): (&Axis<'_>, &i64)| {
            axis.elements.map_or(Some(0), |all| all.at(at).ok())?.checked_add(*start)
        };
        axes.iter().zip(&start).map(place).collect()
    };
    let elements = (0..count).map(element).collect::<Option<_>>()?;
    Some(SideModes { modes: modes.into_iter().map(joined).collect(), elements })
}

/// The modes that a symbol adds to each form, if all of that is its bits: its values as one mode where each bit
/// is worth twice the one before, else bit by bit.
fn bits(
    (symbol, extent, step): Counter,
    forms: &[&IndexForm],
    stores: bool,
) -> Option<Vec<Vec<Mode>>> {
    let width = 64 - extent.checked_mul(step)?.checked_sub(1)?.leading_zeros();
    let own: Vec<BTreeMap<u32, i64>> = forms
        .iter()
        .map(|form| Some(form.bits_of(symbol)?.into_iter().collect()))
        .collect::<Option<_>>()?;
    let worth = |form: usize, bit: u32| own[form].get(&bit).copied().unwrap_or(0);
    let mut modes = vec![Vec::new(); forms.len()];
    let first = step.trailing_zeros();
    if step.count_ones() != 1 {
        return None;
    }
    let mut add = |extent: i64, bit: u32| -> Option<()> {
        let mut moved = (0..forms.len()).filter(|&form| worth(form, bit) != 0);
        match (moved.next(), moved.next()) {
            // Repeated: of stores that is not once.
            (None, _) => (!stores).then_some(()),
            (Some(form), None) => {
                modes[form].push((extent, worth(form, bit)));
                Some(())
            }
            (Some(_), Some(_)) => None,
        }
    };
    let doubles = |bit: u32| {
        (0..forms.len()).all(|form| Some(worth(form, bit)) == worth(form, bit - 1).checked_mul(2))
    };
    if extent > 1 && (first + 1..width).all(doubles) {
        add(extent, first)?;
    } else if extent.count_ones() == 1 {
        (first..width).try_for_each(|bit| add(2, bit))?;
    } else {
        return None;
    }
    Some(modes)
}

/// Places as the product of what there is along each axis: the least of each, and the modes from there
/// on. Places that several loads read count once.
fn products(places: Vec<Vec<i64>>, stores: bool) -> Option<(Vec<i64>, Vec<Vec<Mode>>)> {
    let count = places.len();
    let axes = places.first()?.len();
    let along: Vec<BTreeSet<i64>> =
        (0..axes).map(|axis| places.iter().map(|place| place[axis]).collect()).collect();
    let known: BTreeSet<Vec<i64>> = places.into_iter().collect();
    if stores && known.len() != count {
        return None;
    }
    let product = along.iter().try_fold(1_usize, |all, values| all.checked_mul(values.len()));
    if product != Some(known.len()) {
        return None;
    }
    let least = along.iter().map(|values| values.first().copied()).collect::<Option<_>>()?;
    let modes = along.iter().map(steps).collect::<Option<_>>()?;
    Some((least, modes))
}

/// Different numbers as modes from the least on: steps of the first distance as long as they continue
/// evenly, then the rest in steps of such runs.
fn steps(values: &BTreeSet<i64>) -> Option<Vec<Mode>> {
    let first = *values.first()?;
    let mut rest: Vec<i64> =
        values.iter().map(|value| value.checked_sub(first)).collect::<Option<_>>()?;
    let mut modes = Vec::new();
    while rest.len() > 1 {
        let stride = rest[1];
        let extent = (1..rest.len())
            .find(|&at| {
                i64::try_from(at).ok().and_then(|at| at.checked_mul(stride)) != Some(rest[at])
            })
            .unwrap_or(rest.len());
        if !rest.len().is_multiple_of(extent) {
            return None;
        }
        let runs: Vec<i64> = rest.chunks(extent).map(|run| run[0]).collect();
        let even = rest.chunks(extent).all(|run| {
            run.iter().zip(&rest[..extent]).all(|(value, step)| value - run[0] == *step)
        });
        if !even {
            return None;
        }
        modes.push((i64::try_from(extent).ok()?, stride));
        rest = runs;
    }
    Some(modes)
}

/// Modes by their strides, those that continue joined.
fn joined(mut modes: Vec<Mode>) -> Vec<Mode> {
    modes.retain(|&(extent, _)| extent > 1);
    modes.sort_unstable_by_key(|&(extent, stride)| (stride, extent));
    let mut all: Vec<Mode> = Vec::new();
    for (extent, stride) in modes {
        match all.last_mut() {
            Some((before, step)) if before.checked_mul(*step) == Some(stride) => {
                match before.checked_mul(extent) {
                    Some(size) => *before = size,
                    None => all.push((extent, stride)),
                }
            }
            _ => all.push((extent, stride)),
        }
    }
    all
}

/// The end of what modes cover from 0 on, each place once.
fn covered(modes: Vec<Mode>) -> Option<i64> {
    match joined(modes)[..] {
        [] => Some(1),
        [(extent, 1)] => Some(extent),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_modes_only_where_they_step_evenly() {
        let modes = |list: &[i64]| steps(&list.iter().copied().collect());
        assert_eq!(modes(&[7]), Some(vec![]));
        assert_eq!(modes(&[0, 8, 16, 24]), Some(vec![(4, 8)]));
        assert_eq!(modes(&[1, 2, 11, 12, 21, 22]), Some(vec![(2, 1), (3, 10)]));
        assert_eq!(modes(&[0, 1, 2, 10, 11]), None);
        assert_eq!(modes(&[0, 1, 10, 12]), None);
    }

    #[test]
    fn places_are_products_only_where_none_is_missing() {
        let places = |list: &[[i64; 2]]| list.iter().map(|place| place.to_vec()).collect();
        let grid = [[0, 4], [1, 4], [0, 8], [1, 8]];
        let expected = (vec![0, 4], vec![vec![(2, 1)], vec![(2, 4)]]);
        assert_eq!(products(places(&grid), true), Some(expected.clone()));
        assert_eq!(products(places(&grid[..3]), true), None);
        let twice = [grid[0], grid[0], grid[1], grid[2], grid[3]];
        assert_eq!(products(places(&twice), true), None);
        assert_eq!(products(places(&twice), false), Some(expected));
    }

    #[test]
    fn modes_that_leave_gaps_or_meet_cover_nothing() {
        assert_eq!(covered(vec![(33, 128), (32, 1), (4, 32)]), Some(4224));
        assert_eq!(covered(vec![(33, 129), (32, 1), (4, 32)]), None);
        assert_eq!(covered(vec![(33, 64), (32, 1), (4, 32)]), None);
        assert_eq!(covered(vec![(2, 0), (32, 1)]), None);
        assert_eq!(covered(vec![]), Some(1));
    }
}
