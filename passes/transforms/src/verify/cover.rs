//! Which elements of its arguments a function reads and writes, and how often: the union of its
//! accesses over all threads, blocks and rounds of loops.
//!
//! Addresses are sums of what each symbol adds, so that the elements of an access are sums over
//! tables, one for each symbol; what two symbols decide together has one table for both.

use super::{
    Findings, Gap, deferred, launch,
    modes::{self, CopySide, negative},
    trace::{Copy, Event, Kind, PARAMETERS, Root, Trace},
    view::{OuterPart, View},
};
use layout_algebra::{AnyLayout, Layout, Tuple};
use layout_dialect::atoms::{CopyKind, WARPGROUP, tensor_map};
use layout_relation::{IndexForm, Limits, Prover, Verdict, Witness};
use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

/// The most elements, over all rounds of an access, that are counted.
const MAX_COUNTED: i64 = 1 << 25;

/// How often each element is accessed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// The offset of the first count.
    first: i64,
    counts: Vec<u32>,
    /// The blocks that access elements, where they are distinguished.
    blocks: Option<Blocks>,
}

/// The blocks that access elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Blocks {
    /// The first that accesses an element, by its offset.
    first: HashMap<i64, i64>,
    /// An element of several blocks.
    shared: Option<i64>,
}

/// Why elements are not counted.
type Refused = Gap;

/// How a function accesses an argument.
pub(super) enum Coverage {
    Counted(Counts),
    /// Each offset of this layout, whose modes are sorted, exactly once.
    Layout(Layout),
    Unknown(Refused),
}

/// The elements of an argument that functions of the same arguments read, or write, together.
pub(super) fn touched(traces: &[&Trace], argument: usize, stores: bool) -> Coverage {
    accessed(traces, argument, stores, false)
}

/// An element of an argument that several blocks store.
fn shared_by_blocks(traces: &[&Trace], argument: usize) -> Result<Option<i64>, Refused> {
    let touched = counted(accessed(traces, argument, true, true))?;
    Ok(touched.blocks.and_then(|blocks| blocks.shared))
}

/// The same, with the blocks that access elements or not.
fn accessed(traces: &[&Trace], argument: usize, stores: bool, by_blocks: bool) -> Coverage {
    let mut copies = Vec::new();
    for &trace in traces {
        for event in &trace.events {
            match event {
                Event::Copy(copy) => {
                    let side = side(copy, stores);
                    if let Some(view) = side
                        && view.root == Root::Argument(argument)
                    {
                        let own = trace.arguments.get(argument).and_then(Option::as_ref);
                        if own.is_some_and(|own| own.bytes != view.bytes) {
                            let what = "a view of other elements".to_owned();
                            return Coverage::Unknown(Gap { what, at: Some(copy.operation) });
                        }
                        copies.push((trace, &**copy));
                    }
                }
                Event::Access(access) if access.root == Root::Argument(argument) => {
                    let what = "an access by an address".to_owned();
                    return Coverage::Unknown(Gap { what, at: Some(access.operation) });
                }
                // How the regions of a pipeline run beside each other does not matter here.
                Event::Unmodelled(what, at) => {
                    return Coverage::Unknown(Gap { what: what.clone(), at: Some(*at) });
                }
                _ => {}
            }
        }
    }
    let merged = match stores {
        true => deferred::merged(copies),
        false => copies.into_iter().map(|(trace, copy)| (trace, Cow::Borrowed(copy))).collect(),
    };
    let sides: Vec<CopySide<'_>> = merged
        .iter()
        .filter_map(|(trace, copy)| {
            Some(CopySide { trace, copy, view: side(copy, stores).as_ref()? })
        })
        .collect();
    if !by_blocks && let Some(layout) = modes::touched(&sides, argument, stores) {
        return Coverage::Layout(layout);
    }
    let mut all = Counts { blocks: by_blocks.then(Blocks::default), ..Counts::default() };
    for CopySide { trace, copy, view } in sides {
        if let Err(refused) = count(trace, copy, view, stores, &mut all) {
            return Coverage::Unknown(refused);
        }
    }
    Coverage::Counted(all)
}

/// The side of a copy that loads or stores. An atomic update loads: that several are of one element is no fault.
pub(super) fn side(copy: &Copy, stores: bool) -> &Option<View> {
    match (copy.atomic, stores) {
        (true, true) => &None,
        (true, false) | (false, true) => &copy.target,
        (false, false) => &copy.source,
    }
}

/// Whether a function reads, or writes, an argument at all.
pub(super) fn touches(trace: &Trace, argument: usize, stores: bool) -> bool {
    let own = Root::Argument(argument);
    // A pointer has no layout to be within.
    let is_laid = trace.laid.get(argument).is_some_and(Option::is_some);
    trace.events.iter().any(|event| match event {
        Event::Copy(copy) => side(copy, stores).as_ref().is_some_and(|view| view.root == own),
        // An atomic update loads, as above.
        Event::Access(access) => {
            is_laid
                && access.root == own
                && stores
                    == matches!(access.kind, Kind::Store | Kind::StoreMatrix | Kind::AsyncStore)
        }
        _ => false,
    })
}

/// A symbol that is counted over: its number, how many values it has, and from one to the next.
pub(super) type Counter = (u32, i64, i64);

/// The symbols in whose number an access is repeated, with their extents: for loads, only those that
/// matter.
pub(super) fn symbols(
    trace: &Trace,
    copy: &Copy,
    forms: &[&IndexForm],
    stores: bool,
) -> Option<Vec<Counter>> {
    let mut found: BTreeSet<u32> = forms.iter().flat_map(|form| form.symbols()).collect();
    if stores {
        found.extend((0..6).filter(|_| trace.function == "gpu.func"));
        found.extend(&copy.loops);
    }
    let extent = |symbol: u32| -> Option<i64> {
        let extent = trace.extents.get(symbol as usize).copied().flatten()?;
        // The copy moves elements of the first threads only.
        Some(copy.threads.filter(|_| symbol == 0).map_or(extent, |threads| threads.min(extent)))
    };
    // The first thread of a warpgroup issues a bulk store.
    let bulk = copy.kind.is_bulk_store();
    let counter = |symbol: u32| match extent(symbol)? {
        threads if bulk && symbol == 0 => {
            Some((0, (threads + WARPGROUP - 1) / WARPGROUP, WARPGROUP))
        }
        extent => Some((symbol, extent, 1)),
    };
    found.into_iter().map(counter).collect()
}

/// All conditions of an element: forms, what the elements of the copy add, and limits.
fn conditions(copy: &Copy) -> Option<Vec<(IndexForm, Option<Layout>, i64)>> {
    let around = copy.around.iter().map(|(form, limit)| Some((form.clone(), None, *limit)));
    let predicates = copy.predicates.iter().map(|(view, limit)| {
        view.outer.is_nothing().then(|| (view.base.clone(), Some(view.layout.clone()), *limit))
    });
    // The copy engine leaves out what is before a tensor map's first element, too.
    let is_cut = matches!(copy.kind, CopyKind::BulkTensor | CopyKind::BulkTensorStore);
    let before = copy.predicates.iter().filter(|_| is_cut).map(|(view, _)| {
        let layout = negative(&view.layout)?;
        Some((view.base.scale(-1)?, Some(layout), 1)).filter(|_| view.outer.is_nothing())
    });
    around.chain(predicates).chain(before).collect()
}

/// Modes by their strides, coalesced.
pub(super) fn sorted(modes: Vec<(i64, i64)>) -> Option<Layout> {
    let (shape, stride): (Vec<_>, Vec<_>) = modes
        .into_iter()
        .map(|(extent, stride)| (Tuple::Leaf(extent), Tuple::Leaf(stride)))
        .unzip();
    let layout = match shape.len() {
        0 => Layout::from_shape(Tuple::Leaf(1)).ok()?,
        _ => Layout::new(Tuple::Node(shape), Tuple::Node(stride)).ok()?,
    };
    layout.sort().ok()?.coalesce().ok()
}

fn count(
    trace: &Trace,
    copy: &Copy,
    view: &View,
    stores: bool,
    all: &mut Counts,
) -> Result<(), Refused> {
    let unknown = |what: &str| Gap { what: format!("{what} in a copy"), at: Some(copy.operation) };
    match &view.outer {
        OuterPart::Nothing => {}
        OuterPart::Swizzle(_) => return Err(unknown("a swizzle")),
        OuterPart::Layout(_) => return Err(unknown("an outer layout")),
    }
    let conditions = conditions(copy).ok_or_else(|| unknown("a predicate"))?;
    let mut forms: Vec<&IndexForm> =
        std::iter::once(&view.base).chain(conditions.iter().map(|(form, ..)| form)).collect();
    let block = match all.blocks {
        Some(_) => Some(block(trace).ok_or_else(|| unknown("the number of blocks"))?),
        None => None,
    };
    forms.extend(&block);
    let symbols = symbols(trace, copy, &forms, stores).ok_or_else(|| {
        match forms.iter().flat_map(|form| form.symbols()).find(|&s| s >= PARAMETERS) {
            Some(symbol) => unknown(&format!("the values of {}", trace.symbol(symbol))),
            None => unknown("the number of rounds or threads"),
        }
    })?;
    // Half of the range is room for what the elements of the copy add.
    let half = i64::MAX / 2;
    if !forms.iter().all(|form| form.is_within(-half, half)) {
        return Err(unknown("an offset whose range is not known"));
    }
    let zero: Vec<i64> =
        forms.iter().map(|form| form.at(&|_| 0)).collect::<Option<_>>().unwrap_or_default();
    let mut tables = Vec::new();
    let mut rounds = view.size();
    if rounds > MAX_COUNTED {
        return Err(unknown(&format!("more than {MAX_COUNTED} elements")));
    }
    for group in groups(&symbols, &forms, Vec::new()) {
        let mut table = table(&group, &forms, &zero, stores)
            .ok_or_else(|| unknown("an offset past 64 bits"))?;
        keep_where_own_hold(&mut table, (&group, &forms, &zero), &conditions);
        let own = table.first().map_or(1, Vec::len) as i64;
        if own == 0 {
            return Ok(());
        }
        rounds = rounds
            .checked_mul(own)
            .filter(|&rounds| rounds <= MAX_COUNTED)
            .ok_or_else(|| unknown(&format!("more than {MAX_COUNTED} elements")))?;
        tables.push(table);
    }
    let run = whole_run(copy, view, &conditions);
    // One row for each form; one column for each element.
    let mut columns: Vec<Vec<i64>> = Vec::with_capacity(forms.len());
    let elements = |layout: Option<&Layout>, start: i64| -> Option<Vec<i64>> {
        (0..view.size())
            .step_by(run)
            .map(|i| layout.map_or(Some(0), |l| l.at(i).ok())?.checked_add(start))
            .map(|sum| sum.filter(|sum| (-half..half).contains(sum)))
            .collect()
    };
    let layouts = std::iter::once(Some(&view.layout))
        .chain(conditions.iter().map(|(_, layout, _)| layout.as_ref()))
        .chain(block.iter().map(|_| None));
    for (layout, &start) in layouts.zip(&zero) {
        let column = elements(layout, start).ok_or_else(|| unknown("an offset past 64 bits"))?;
        columns.push(column);
    }
    // The elements of few symbols, and what all others add to them.
    let mut steps: Vec<Vec<i64>> = vec![vec![0]; forms.len()];
    for table in tables {
        let own = table.first().map_or(1, Vec::len);
        let fits = columns[0].len().saturating_mul(own) <= BLOCK;
        let grown = if fits { &mut columns } else { &mut steps };
        for (column, added) in grown.iter_mut().zip(&table) {
            let sums = added.iter().flat_map(|&step| column.iter().map(move |v| v + step));
            *column = sums.collect();
        }
    }
    let offsets = SumRange::of(&columns[0], &steps[0]).ok_or_else(|| unknown("no offsets"))?;
    let offsets = SumRange { most: offsets.most + run as i64, ..offsets };
    all.grow(offsets).ok_or_else(|| unknown("offsets far apart"))?;
    // Conditions that always hold need not be evaluated again and again.
    let queried: Vec<usize> = (0..conditions.len())
        .filter(|&at| {
            let reach = SumRange::of(&columns[at + 1], &steps[at + 1]);
            reach.is_none_or(|reach| reach.most >= conditions[at].2)
        })
        .collect();
    for (step, start) in steps[0].iter().enumerate() {
        for (at, offset) in columns[0].iter().enumerate() {
            let inside = queried
                .iter()
                .all(|&row| columns[row + 1][at] + steps[row + 1][step] < conditions[row].2);
            if inside {
                all.count(offset + start, run);
                if block.is_some() {
                    let row = forms.len() - 1;
                    all.count_block(offset + start, run, columns[row][at] + steps[row][step]);
                }
            }
        }
    }
    Ok(())
}

/// The number of a block in its grid.
fn block(trace: &Trace) -> Option<IndexForm> {
    /// The symbols of a block's place.
    const PLACES: [u32; 3] = [3, 4, 5];
    let (mut all, mut before) = (IndexForm::constant(0), 1_i64);
    if trace.function != "gpu.func" {
        return Some(all);
    }
    for symbol in PLACES {
        let extent = trace.extents.get(symbol as usize).copied().flatten()?;
        let own = IndexForm::symbol(symbol, Some(0), Some(extent))?;
        all = all.plus(&own.scale(before)?)?;
        before = before.checked_mul(extent)?;
    }
    Some(all)
}

/// Leaves out of a group's table where a condition that is about the group alone does not hold.
fn keep_where_own_hold(
    table: &mut [Vec<i64>],
    (group, forms, zero): (&[Counter], &[&IndexForm], &[i64]),
    conditions: &[(IndexForm, Option<Layout>, i64)],
) {
    let is_own = |form: &IndexForm| {
        let symbols = form.symbols();
        !symbols.is_empty()
            && symbols.iter().all(|symbol| group.iter().any(|(own, ..)| own == symbol))
    };
    let own: Vec<(usize, i64)> = conditions
        .iter()
        .enumerate()
        .filter(|&(at, (_, layout, _))| layout.is_none() && is_own(forms[at + 1]))
        .map(|(at, &(.., limit))| (at + 1, limit))
        .collect();
    if own.is_empty() {
        return;
    }
    let holds: Vec<bool> = (0..table.first().map_or(0, Vec::len))
        .map(|point| {
            own.iter().all(|&(row, limit)| {
                table[row][point].checked_add(zero[row]).is_none_or(|value| value < limit)
            })
        })
        .collect();
    for row in table {
        let mut kept = holds.iter();
        row.retain(|_| kept.next().is_none_or(|&holds| holds));
    }
}

/// Elements in a row that are counted together: those of an instruction, where they are in a row and
/// each condition answers alike for all of them; else one.
fn whole_run(copy: &Copy, view: &View, conditions: &[(IndexForm, Option<Layout>, i64)]) -> usize {
    let run = copy.run;
    let whole = || -> Option<usize> {
        for first in (0..view.size()).step_by(usize::try_from(run).ok().filter(|&run| run > 0)?) {
            let start = view.layout.at(first).ok()?;
            for step in 1..run {
                if view.layout.at(first + step).ok()? != start + step {
                    return None;
                }
            }
            for (form, layout, limit) in conditions {
                let Some(layout) = layout else { continue };
                let value = layout.at(first).ok()?;
                let aligned = value % run == 0 && limit % run == 0 && form.divisor() % run == 0;
                for step in 1..run {
                    let next = layout.at(first + step).ok()?;
                    if next != value && !(aligned && next == value + step) {
                        return None;
                    }
                }
            }
        }
        usize::try_from(run).ok()
    };
    whole().unwrap_or(1)
}

/// Elements that are kept at one time.
const BLOCK: usize = 1 << 13;

/// The least and the greatest of some sums.
#[derive(Clone, Copy)]
struct SumRange {
    least: i64,
    most: i64,
}

impl SumRange {
    fn of(a: &[i64], b: &[i64]) -> Option<Self> {
        Some(Self {
            least: a.iter().min()?.checked_add(*b.iter().min()?)?,
            most: a.iter().max()?.checked_add(*b.iter().max()?)?,
        })
    }
}

/// Symbols that some form does not take apart, or that belong together, are in one group.
pub(super) fn groups(
    symbols: &[Counter],
    forms: &[&IndexForm],
    together: Vec<BTreeSet<u32>>,
) -> Vec<Vec<Counter>> {
    let mut groups: Vec<Vec<Counter>> = symbols.iter().map(|&symbol| vec![symbol]).collect();
    for linked in forms.iter().flat_map(|form| form.linked()).chain(together) {
        let (together, separate): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|group| group.iter().any(|(symbol, ..)| linked.contains(symbol)));
        groups = separate;
        if !together.is_empty() {
            groups.push(together.concat());
        }
    }
    groups
}

/// The growth of each form at each value of a group's symbols; where it does not matter how often, as
/// of loads, each once.
pub(super) fn table(
    group: &[Counter],
    forms: &[&IndexForm],
    zero: &[i64],
    stores: bool,
) -> Option<Vec<Vec<i64>>> {
    let points = group.iter().try_fold(1_i64, |all, &(_, extent, _)| all.checked_mul(extent))?;
    if points > MAX_COUNTED {
        return None;
    }
    let table: Option<Vec<Vec<i64>>> = forms
        .iter()
        .zip(zero)
        .map(|(form, zero)| {
            (0..points)
                .map(|point| {
                    let at = |required: u32| {
                        let mut rest = point;
                        for &(symbol, extent, step) in group {
                            if symbol == required {
                                return rest % extent * step;
                            }
                            rest /= extent;
                        }
                        0
                    };
                    form.at(&at)?.checked_sub(*zero)
                })
                .collect()
        })
        .collect();
    let table = table?;
    if stores {
        return Some(table);
    }
    let mut known = BTreeSet::new();
    let first = |at: &usize| known.insert(table.iter().map(|row| row[*at]).collect::<Vec<_>>());
    let kept: Vec<usize> = (0..usize::try_from(points).ok()?).filter(first).collect();
    Some(table.iter().map(|row| kept.iter().map(|&at| row[at]).collect()).collect())
}

impl Counts {
    /// Makes room for offsets.
    fn grow(&mut self, reach: SumRange) -> Option<()> {
        let end = self.first.checked_add(i64::try_from(self.counts.len()).ok()?)?;
        let (first, end) = match self.counts.is_empty() {
            true => (reach.least, reach.most.checked_add(1)?),
            false => (self.first.min(reach.least), end.max(reach.most.checked_add(1)?)),
        };
        let length = end.checked_sub(first).filter(|&length| length <= MAX_COUNTED)?;
        if !self.counts.is_empty() {
            let before = usize::try_from(self.first - first).ok()?;
            self.counts.splice(0..0, std::iter::repeat_n(0, before));
        }
        self.counts.resize(usize::try_from(length).ok()?, 0);
        self.first = first;
        Some(())
    }

    /// Counts offsets in a row that there is room for.
    fn count(&mut self, offset: i64, run: usize) {
        let at = usize::try_from(offset.wrapping_sub(self.first)).unwrap_or(usize::MAX);
        let end = at.saturating_add(run).min(self.counts.len());
        for count in self.counts.get_mut(at..end).unwrap_or_default() {
            *count = count.saturating_add(1);
        }
    }

    /// Notes that a block accesses offsets in a row.
    fn count_block(&mut self, offset: i64, run: usize, block: i64) {
        let Some(blocks) = &mut self.blocks else { return };
        for offset in (offset..).take(run) {
            if *blocks.first.entry(offset).or_insert(block) != block {
                blocks.shared.get_or_insert(offset);
            }
        }
    }

    /// The offsets that are touched, with how often.
    fn found(&self) -> impl Iterator<Item = (i64, u32)> {
        let counts = self.counts.iter().zip(self.first..);
        counts.filter(|(count, _)| **count > 0).map(|(&count, offset)| (offset, count))
    }
}

/// The property that is checked of how a function touches an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requirement {
    /// Every element of the layout, and nothing else.
    All,
    /// Every element exactly once, and nothing else.
    Once,
    /// Nothing but elements of the layout.
    Within,
    /// The same, none by two blocks: what orders stores of one block is examined thread by thread.
    ByOneBlock,
}

/// Checks how functions of the same arguments touch one of a layout; the last is named.
pub(super) fn check(
    traces: &[&Trace],
    argument: usize,
    layout: &Layout,
    stores: bool,
    required: Requirement,
    findings: &mut Findings,
) {
    let does = if stores { "stores" } else { "loads" };
    let name = traces.last().map_or("", |trace| trace.name.as_str());
    let described = format!("{does} of argument {argument} of @{name}");
    // Threads and blocks up to the limits of a GPU were counted, which a launch may not have.
    let refute = |findings: &mut Findings, what: String, once: bool| match traces
        .iter()
        .all(|trace| launch::is_launched(trace, argument, stores, once))
    {
        true => findings.refute(what),
        false => findings.unknown(format!("{what}, in a block or a grid of unknown size")),
    };
    let touched = match touched(traces, argument, stores) {
        Coverage::Unknown(why) => return findings.unknown(why.for_claim(&described)),
        Coverage::Layout(found) => {
            match by_modes(&found, layout, stores, required) {
                Open::Proved => return findings.proved += 1,
                Open::Outside(offset) => {
                    let what =
                        format!("expected {described} within {layout}, found offset {offset}");
                    return refute(findings, what, false);
                }
                Open::Unknown => {}
            }
            match spread(&found) {
                Some(touched) => touched,
                None => {
                    return findings.unknown(format!(
                        "{described}: {found} within {layout}, which has more than {MAX_COUNTED} elements"
                    ));
                }
            }
        }
        Coverage::Counted(touched) => touched,
    };
    let Some(mut expected) = spread(layout) else {
        return findings
            .unknown(format!("{described}: more than {MAX_COUNTED} elements of {layout}"));
    };
    expected.counts.iter_mut().for_each(|count| *count = (*count).min(1));
    let is_element = |offset: i64| {
        let at = usize::try_from(offset - expected.first).ok();
        at.and_then(|at| expected.counts.get(at)).is_some_and(|&count| count > 0)
    };
    let twice = |offset: i64, count: u32| {
        format!(
            "expected {described} to reach each element once, found offset {offset} {count} times"
        )
    };
    for (offset, count) in touched.found() {
        if !is_element(offset) {
            let what = format!("expected {described} within {layout}, found offset {offset}");
            return refute(findings, what, false);
        }
        if required == Requirement::Once && count > 1 {
            return refute(findings, twice(offset, count), true);
        }
    }
    if required == Requirement::ByOneBlock && touched.found().any(|(_, count)| count > 1) {
        match shared_by_blocks(traces, argument) {
            Ok(None) => {}
            Ok(Some(shared)) => {
                let count = touched.found().find(|&(offset, _)| offset == shared);
                let count = count.map_or(0, |(_, count)| count);
                return refute(findings, twice(shared, count), true);
            }
            Err(why) => return findings.unknown(why.for_claim(&described)),
        }
    }
    if matches!(required, Requirement::All | Requirement::Once) {
        let reached = |offset: i64| {
            let at = usize::try_from(offset - touched.first).ok();
            at.and_then(|at| touched.counts.get(at)).is_some_and(|&count| count > 0)
        };
        if let Some((offset, _)) = expected.found().find(|&(offset, _)| !reached(offset)) {
            let what = format!(
                "expected {described} to reach all of {layout}, found none of offset {offset}"
            );
            return refute(findings, what, false);
        }
    }
    findings.proved += 1;
}

/// The prover's answer about elements that are those of a layout.
enum Open {
    Proved,
    /// An offset that is not the argument's.
    Outside(i64),
    Unknown,
}

/// Checks elements that are each those of a layout once, or of loads at least once: whether they
/// are in bounds, and no two stores are of one.
fn by_modes(found: &Layout, layout: &Layout, stores: bool, required: Requirement) -> Open {
    let prover = Prover::new(Limits::default());
    let touched = AnyLayout::Plain(found.clone());
    let once = matches!(required, Requirement::Once | Requirement::ByOneBlock);
    let is_injective = || matches!(prover.injective(&touched), Ok(Verdict::Proved(_)));
    let modes = layout.flat();
    let own = sorted(modes.into_iter().filter(|&(_, stride)| stores || stride != 0).collect());
    let Some(own) = own else { return Open::Unknown };
    if own == *found {
        return if !once || is_injective() { Open::Proved } else { Open::Unknown };
    }
    // The bounds decide where offsets have no gaps.
    let end = match own.flat()[..] {
        [] => 1,
        [(extent, 1)] => extent,
        [(1, _)] => 1,
        _ => return Open::Unknown,
    };
    match prover.within(&touched, 0, end) {
        Ok(Verdict::Proved(_)) => {}
        Ok(Verdict::Refuted(Witness::Outside { offset, .. })) => return Open::Outside(offset),
        _ => return Open::Unknown,
    }
    let whole = match required {
        Requirement::All | Requirement::Once => found.size() == end && is_injective(),
        Requirement::Within => true,
        Requirement::ByOneBlock => is_injective(),
    };
    if whole { Open::Proved } else { Open::Unknown }
}

/// Whether each mode of one, of which none steps into another, goes along one of the other as far at
/// most: what is loaded then was stored.
fn is_part(part: &Layout, whole: &Layout) -> bool {
    let (own, modes) = (part.flat(), whole.flat());
    own.windows(2).all(|pair| pair[0].1 != pair[1].1)
        && own.iter().all(|&(extent, stride)| {
            extent == 1 || modes.iter().any(|&(size, step)| step == stride && extent <= size)
        })
}

/// The offsets of a layout, each as often as it has it.
fn spread(layout: &Layout) -> Option<Counts> {
    let mut touched = Counts::default();
    if layout.size() > MAX_COUNTED {
        return None;
    }
    let mut offsets = vec![0_i64];
    for (extent, stride) in layout.flat() {
        extent.checked_mul(stride)?;
        let digits = (0..extent).flat_map(|digit| offsets.iter().map(move |o| o + digit * stride));
        offsets = digits.collect();
    }
    touched.grow(SumRange::of(&offsets, &[0])?)?;
    offsets.into_iter().for_each(|offset| touched.count(offset, 1));
    Some(touched)
}

/// An answer, counted.
fn counted(answer: Coverage) -> Result<Counts, Refused> {
    match answer {
        Coverage::Counted(touched) => Ok(touched),
        Coverage::Layout(layout) => {
            let refused = || format!("more than {MAX_COUNTED} elements of {layout}").into();
            spread(&layout).ok_or_else(refused)
        }
        Coverage::Unknown(why) => Err(why),
    }
}

/// Whether functions load nothing of an argument but what they store, as of a workspace.
pub(super) fn stored_first(traces: &[&Trace], argument: usize, findings: &mut Findings) {
    let (stored, loaded) = (touched(traces, argument, true), touched(traces, argument, false));
    if let (Coverage::Layout(stored), Coverage::Layout(loaded)) = (&stored, &loaded)
        && is_part(loaded, stored)
    {
        return findings.proved += 1;
    }
    match (counted(stored), counted(loaded)) {
        (Err(why), _) | (_, Err(why)) => {
            findings.unknown(why.for_claim(&format!("loads and stores of argument {argument}")));
        }
        (Ok(stored), Ok(loaded)) => {
            let stored: BTreeSet<i64> = stored.found().map(|(offset, _)| offset).collect();
            match loaded.found().find(|(offset, _)| !stored.contains(offset)) {
                None => findings.proved += 1,
                Some((offset, _)) => findings.refute(format!(
                    "expected argument {argument} to be stored before it is loaded, found loads of \
                     offset {offset} alone"
                )),
            }
        }
    }
}

/// Elements of the granule that the copy engine stores as a whole, of an argument that bulk copies store to; else 1.
fn granule(trace: &Trace, argument: usize) -> i64 {
    let stored = trace.events.iter().find_map(|event| match event {
        Event::Copy(copy) if copy.kind.is_bulk_store() => {
            copy.target.as_ref().filter(|target| target.root == Root::Argument(argument))
        }
        _ => None,
    });
    stored.map_or(1, |target| (tensor_map::STRIDE_ALIGNMENT / target.bytes).max(1))
}

/// Whether two functions touch an argument alike: the same elements, and stores as often.
pub(super) fn same(
    before: &Trace,
    after: &Trace,
    argument: usize,
    stores: bool,
    findings: &mut Findings,
) {
    let does = if stores { "stores" } else { "loads" };
    let described = format!("{does} of argument {argument} of @{}", before.name);
    let (left, right) = (touched(&[before], argument, stores), touched(&[after], argument, stores));
    if let (Coverage::Layout(left), Coverage::Layout(right)) = (&left, &right)
        && left == right
    {
        return findings.proved += 1;
    }
    match (counted(left), counted(right)) {
        // The operations of the program before are gone.
        (Err(why), _) => findings.unknown(Gap { at: None, ..why.for_claim(&described) }),
        (_, Err(why)) => findings.unknown(why.for_claim(&described)),
        (Ok(left), Ok(right)) => {
            let count = |(offset, count): (i64, u32)| (offset, if stores { count } else { 1 });
            // The copy engine stores the whole granule in which a row ends; the bytes after the row there belong to no operand.
            let elements = if stores { granule(before, argument) } else { 1 };
            let own = |offset: i64| {
                let at = usize::try_from(offset - left.first).ok();
                at.and_then(|at| left.counts.get(at)).is_some_and(|&count| count > 0)
            };
            let padding = |offset: i64| {
                let granule = offset.div_euclid(elements) * elements;
                elements > 1 && !own(offset) && (granule..granule + elements).any(own)
            };
            let (mut left, mut right) = (
                left.found().map(count),
                right.found().filter(|&(offset, _)| !padding(offset)).map(count),
            );
            loop {
                match (left.next(), right.next()) {
                    (None, None) => return findings.proved += 1,
                    (a, b) if a == b => {}
                    (a, b) => {
                        let words = |found: Option<(i64, u32)>| match found {
                            Some((offset, count)) => format!("offset {offset} {count} times"),
                            None => "no more".to_owned(),
                        };
                        return findings.refute(format!(
                            "expected {described} to reach {}, found {}",
                            words(a),
                            words(b)
                        ));
                    }
                }
            }
        }
    }
}
