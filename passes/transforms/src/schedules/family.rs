//! Families: several kernels for a matmul of sizes that are known at run time, each with a schedule for some of them.
//!
//! A function that does nothing but one matmul, whose schedule is the compiler's to choose, becomes a function for each of a few
//! schedules; a launch takes that of the first range of the size that matters most, up to whose bound it is. In a function that does other
//! things, a matmul becomes a choice, an `scf.if` for each range. Schedules and ranges are those with which a sample of sizes
//! loses least beside kernels of their own, by the cost model. A schedule may have several ranges: how well its tiles fit goes up and
//! down with the size.

use super::{
    Problem, candidates, first_that_fits, problem,
    ranges::{Range, medians, ranges},
    table, time,
};
use crate::{
    grid,
    matmul::{self, FAMILY},
};
use layout_dialect::{
    Choice, Schedule, ScheduleAttribute, TermValue, ViewType,
    build::{Builder, context_of, operand},
    diagnostics, ops, tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike,
    attribute::{IntegerAttribute, StringAttribute},
    operation::OperationLike,
};
use std::collections::{HashMap, hash_map::Entry};

/// The sizes for which kernels are compared, and up to which a range may be: powers of two, which servers pad batches to, and some
/// between these. Up to the first there is always a kernel: GEMMs of a few rows wait for memory, and the estimate does not see
/// what rows beyond theirs cost in a tile (24 in place of 8 or 16: 1.01 to 1.09 times as long).
const SIZES: [i64; 17] =
    [16, 32, 64, 100, 128, 192, 256, 384, 512, 640, 800, 1024, 1280, 1536, 2048, 3072, 4096];

/// Those that schedules are chosen for, beside the ones beyond all; and how much the others count for that. Six schedules that lose
/// least over all sizes alike lose 3 % and more at a third of these, by the estimate.
const COUNTED: [i64; 6] = [16, 100, 128, 800, 1024, 4096];
const OTHER_WEIGHT: f64 = 0.1;

/// Kernels of a family at most.
const MEMBERS: usize = 6;

/// Schedules of each size that are compared for all others: the fastest ones.
const COMPARED: usize = 4;

/// The fraction of a size's time that a kernel must save to be worth compiling, and that one more range of a kernel
/// must.
const MIN_GAIN: f64 = 0.02;
const ANOTHER: f64 = 0.01;

/// The numbers that stand for a size that is larger than all bounds, and for those that bounds are not of.
const LARGE: i64 = 8192;
const USUAL: i64 = 4096;

/// The operands and modes whose extent is M, N and K.
const EXTENT_MODES: [[(usize, usize); 2]; 3] =
    [[(0, 0), (2, 0)], [(1, 0), (2, 1)], [(0, 1), (1, 1)]];

/// A kernel of a family.
struct Member {
    /// The ranges of the size that it is for, in order.
    bounds: Vec<Bound>,
    schedule: Schedule,
    remark: String,
}

/// A range of a size: its place among those of the family, and its greatest value, which is `None` for the last.
#[derive(Clone, Copy)]
struct Bound {
    number: usize,
    most: Option<i64>,
}

/// A size of the GEMM that is known at run time: which of M, N and K it is, and its least and greatest value.
struct Open {
    extent: usize,
    least: i64,
    most: i64,
}

/// Replaces each function below `module` that is one matmul of sizes known at run time, with `auto` for a schedule, by a
/// family of functions with schedules, and each such matmul of a function that does other things by a choice between matmuls.
///
/// # Errors
///
/// A diagnostic at each matmul that has no schedule.
pub(super) fn expand(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(module, "func.func") {
        let matmuls = tree::inside(function, "layout.matmul");
        let is_kernel = matmul::becomes_kernels(module, function);
        let groups = matmul::groups(function, &matmuls);
        let mut known = HashMap::new();
        for group in groups.iter().filter(|_| !is_kernel || groups.len() == 1) {
            let [matmul] = group[..] else { continue };
            let Ok(Choice::Auto { chip, .. }) = ops::choice(matmul) else { continue };
            let open = open(matmul);
            if open.is_empty() {
                continue;
            }
            let outcome_of = match is_kernel {
                true => of_functions(module, function, matmul, (&open, &chip)),
                false => in_place(module, function, matmul, (&open, &chip), &mut known),
            };
            if let Err(message) = outcome_of {
                diagnostics::error(matmul, &message);
                outcome = Err(());
            }
        }
    }
    outcome
}

/// The extents of a GEMM that no operand knows.
fn open(matmul: OperationRef<'_, '_>) -> Vec<Open> {
    let of = |extent: usize| {
        let (mut least, mut most) = (1, i64::MAX);
        for (operand_at, mode) in places(matmul, extent) {
            let view = ViewType::try_from(operand(matmul, operand_at).r#type()).ok()?;
            let own = range(&view.term_value().ok()?, mode)?;
            (least, most) = (least.max(own.0), most.min(own.1));
        }
        Some(Open { extent, least, most })
    };
    (0..3).filter_map(of).collect()
}

/// Where an extent of a GEMM is; the modes of an image are none of its.
fn places(matmul: OperationRef<'_, '_>, extent: usize) -> impl Iterator<Item = (usize, usize)> {
    let is_image = matmul.attribute("window").is_ok();
    EXTENT_MODES[extent].into_iter().filter(move |&(operand, _)| operand > 0 || !is_image)
}

/// The least and the greatest extent of a mode that is known at run time.
fn range(term_value: &TermValue, mode: usize) -> Option<(i64, i64)> {
    let TermValue::Symbolic { value: layout_algebra::Value::Layout(layout), facts } = term_value
    else {
        return None;
    };
    let size = layout.modes().get(mode)?.size().ok()?;
    if size.as_constant().is_some() {
        return None;
    }
    // It is a multiple, and none of 0.
    let least = i64::try_from(facts.divisor(&size)).unwrap_or(1).max(1);
    let most = facts.range(&size).hi.and_then(|most| i64::try_from(most).ok());
    Some((least, most.unwrap_or(i64::MAX)))
}

/// Whether all extents of a GEMM are known.
pub(super) fn is_known(matmul: OperationRef<'_, '_>) -> bool {
    open(matmul).is_empty()
}

/// The problem that stands for those of a matmul: the bounded size is `bounded`, the others are usual ones.
fn typical(
    matmul: OperationRef<'_, '_>,
    open: &[Open],
    bounded: i64,
    chip: &str,
) -> Result<Problem, String> {
    let mut problem = problem(matmul, chip.to_owned())?;
    for (number, size) in open.iter().enumerate() {
        let typical = if number == 0 { bounded } else { USUAL };
        problem.extents[size.extent] = typical.max(size.least).min(size.most);
    }
    Ok(problem)
}

/// The schedule that is chosen for a matmul of sizes that are known at run time, where it is one kernel.
pub(super) fn usual(matmul: OperationRef<'_, '_>, chip: String) -> Result<Problem, String> {
    typical(matmul, &open(matmul), LARGE, &chip)
}

/// The kernels of a family, and the extent that bounds are of. While they are chosen, `holder`, the function or the matmul,
/// says which sizes are meant.
fn members(
    holder: OperationRef<'_, '_>,
    name: &str,
    matmul: OperationRef<'_, '_>,
    (open, chip): (&[Open], &str),
) -> Result<(usize, Vec<Member>), String> {
    let rows = table()?;
    // Only what is along M or N decides between tall and short tiles.
    let axis = open.first().filter(|size| size.extent != 2);
    let extent = axis.map_or(0, |size| size.extent);
    let mean = |most: Option<i64>| {
        let attribute = attribute(holder, name, extent, &[Bound { number: 0, most }]);
        tree::set_attribute(holder, FAMILY, attribute.map_err(|error| error.to_string())?);
        Ok::<_, String>(())
    };
    let fits = |schedule: &Schedule| matmul::fits(&[matmul], schedule).is_ok();
    let meant = axis.map_or(0..0, |open| open.least..open.most);
    let sizes = SIZES.into_iter().filter(|size| meant.contains(size));
    let sizes: Vec<Option<i64>> = sizes.map(Some).chain([None]).collect();
    let mut compared: Vec<Schedule> = Vec::new();
    let mut own = Vec::with_capacity(sizes.len());
    for &most in &sizes {
        mean(most)?;
        let problem = typical(matmul, open, most.unwrap_or(LARGE), chip)?;
        let all = candidates(&rows, &problem);
        let fastest: Vec<_> = all.0.iter().take(COMPARED).map(|one| one.schedule.clone()).collect();
        let first = first_that_fits(all, &problem, &fits)?;
        for schedule in fastest.iter().chain([&first.schedule]) {
            if !compared.contains(schedule) {
                compared.push(schedule.clone());
            }
        }
        own.push((problem, first));
    }
    let losses = own.iter().map(|(problem, first)| {
        let least = time(problem, &first.schedule);
        // Nothing is faster than what was measured to be.
        compared.iter().map(|one| (time(problem, one) / least).ln().max(0.0)).collect()
    });
    let mut losses: Vec<Vec<f64>> = losses.collect();
    let few = usize::from(sizes.len() > 1);
    let found = loop {
        let found = chosen(&sizes, &losses, few);
        let mut all_fit = true;
        for (number, &Range { last, candidate }) in found.iter().enumerate() {
            // A kernel is for all sizes up to its last.
            if number >= few && found[number + 1..].iter().any(|after| after.candidate == candidate)
            {
                continue;
            }
            mean(sizes[last])?;
            if !fits(&compared[candidate]) {
                losses[last][candidate] = f64::INFINITY;
                all_fit = false;
            }
        }
        if all_fit {
            break found;
        }
    };
    tree::remove_attribute(holder, FAMILY);
    let mut members: Vec<(usize, Vec<Bound>)> = Vec::new();
    for (number, &Range { last, candidate }) in found.iter().enumerate() {
        let bound = Bound { number, most: sizes[last] };
        // The first ranges have kernels of their own.
        match members.iter_mut().skip(few).find(|(own, _)| *own == candidate) {
            Some((_, bounds)) => bounds.push(bound),
            None => members.push((candidate, vec![bound])),
        }
    }
    let size = ["M", "N", "K"][extent];
    let words = |Bound { number, most }: &Bound| {
        let before = number.checked_sub(1).and_then(|before| sizes[found[before].last]);
        let least = before.map_or(1, |most| most.saturating_add(1));
        let upper = most.map_or("on".to_owned(), |most| format!("to {most}"));
        format!("from {least} {upper}")
    };
    let members = members.into_iter().map(|(candidate, bounds)| {
        let schedule = compared[candidate].clone();
        let words: Vec<String> = bounds.iter().map(words).collect();
        let ranges = words.join(" and ");
        let remark =
            format!("selected schedule <{schedule}> for {size} {ranges}, by the cost model");
        Member { bounds, schedule, remark }
    });
    let mut members: Vec<Member> = members.collect();
    // One kernel for all sizes of K, or sizes that none fits, which its schedule will say.
    let is_open = found.last().is_none_or(|range| sizes[range.last].is_some());
    if let (true, Some((_, first))) = (axis.is_none() || is_open, own.pop()) {
        let remark = first.remark();
        let bounds = vec![Bound { number: 0, most: None }];
        members = vec![Member { bounds, schedule: first.schedule, remark }];
    }
    Ok((extent, members))
}

/// The ranges of sizes, each with the number of its schedule: those with which the sizes lose least, the first `few` with one of
/// their own.
fn chosen(sizes: &[Option<i64>], losses: &[Vec<f64>], few: usize) -> Vec<Range> {
    let weighted = sizes.iter().zip(losses).map(|(size, losses)| {
        let is_counted = size.is_none_or(|size| COUNTED.contains(&size));
        let weight = if is_counted { 1.0 } else { OTHER_WEIGHT };
        losses.iter().map(|loss| loss * weight).collect()
    });
    let weighted: Vec<Vec<f64>> = weighted.collect();
    let of = |from: usize, to: usize, most: usize| {
        let schedules = medians(&weighted[from..to], most, MIN_GAIN);
        let own = |losses: &Vec<f64>| schedules.iter().map(|&schedule| losses[schedule]).collect();
        let losses: Vec<Vec<f64>> = losses[from..to].iter().map(own).collect();
        let found = ranges(&losses, to - from, ANOTHER).into_iter();
        let number = |Range { last, candidate }| Range {
            last: last + from,
            candidate: schedules[candidate],
        };
        found.map(number).collect::<Vec<_>>()
    };
    let first = of(0, few, few);
    let rest = of(few, sizes.len(), MEMBERS - first.len());
    first.into_iter().chain(rest).collect()
}

/// The attribute of a function, or a matmul, that is one of the family of a name, with the sizes that it is for: the last of its
/// ranges, and those before.
fn attribute<'c>(
    of: OperationRef<'c, '_>,
    name: &str,
    extent: usize,
    bounds: &[Bound],
) -> Result<Attribute<'c>, melior::Error> {
    let words = |&Bound { number, most }: &Bound| {
        let size = ["m", "n", "k"][extent];
        let most = most.map_or(String::new(), |most| format!("{size} = {most} : i64"));
        format!("number = {number} : i64, most = {{{most}}}")
    };
    let (last, before) = match bounds.split_last() {
        Some((last, before)) => (words(last), before),
        None => (String::new(), bounds),
    };
    let before: Vec<String> = before.iter().map(|one| format!("{{{}}}", words(one))).collect();
    let before = match before.is_empty() {
        true => String::new(),
        false => format!(", before = [{}]", before.join(", ")),
    };
    let text = format!("{{name = \"{name}\", {last}{before}}}");
    Attribute::parse(context_of(of), &text).ok_or(melior::Error::AttributeParse(text))
}

fn of_functions(
    module: OperationRef<'_, '_>,
    function: OperationRef<'_, '_>,
    matmul: OperationRef<'_, '_>,
    sizes: (&[Open], &str),
) -> Result<(), String> {
    let name = matmul::symbol(function).map_err(|error| error.to_string())?;
    let (extent, members) = members(function, &name, matmul, sizes)?;
    write_functions(module, function, &name, (extent, &members))
        .map_err(|error| format!("cannot write the functions of a family: {error}"))
}

/// Writes a function for each member, in place of one.
fn write_functions<'c>(
    module: OperationRef<'_, '_>,
    function: OperationRef<'c, 'c>,
    name: &str,
    (extent, members): (usize, &[Member]),
) -> Result<(), melior::Error> {
    let give = |function: OperationRef<'c, 'c>, member: &Member| {
        for matmul in tree::inside(function, "layout.matmul") {
            member.give(matmul);
        }
    };
    let first = tree::inside(function, "layout.matmul").first().copied().unwrap_or(function);
    if let [one] = members {
        one.remark(first);
        give(function, one);
        return Ok(());
    }
    let builder = Builder::before(function);
    for (number, member) in members.iter().enumerate() {
        member.remark(first);
        let made = tree::clone_with(&builder, function, &[]);
        let own = matmul::unused(module, &format!("{name}_{number}"));
        let own = StringAttribute::new(context_of(function), &own);
        tree::set_attribute(made, "sym_name", own.into());
        let family = attribute(function, name, extent, &member.bounds)?;
        tree::set_attribute(made, FAMILY, family);
        give(made, member);
    }
    tree::erase(function);
    Ok(())
}

/// The name of a family, the extent that its bounds are of, and its kernels.
type Family = (String, usize, Vec<Member>);

/// `known` has the families of the matmuls before, by their text: equal matmuls are of one.
fn in_place(
    module: OperationRef<'_, '_>,
    function: OperationRef<'_, '_>,
    matmul: OperationRef<'_, '_>,
    sizes: (&[Open], &str),
    known: &mut HashMap<String, Family>,
) -> Result<(), String> {
    let (name, extent, members) = match known.entry(matmul::text(matmul)?) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(unknown) => {
            let name = matmul::symbol(function).map_err(|error| error.to_string())?;
            let name = matmul::unused(module, &format!("{name}_kernel"));
            let (extent, members) = members(matmul, &name, matmul, sizes)?;
            unknown.insert((name, extent, members))
        }
    };
    let extent = *extent;
    if let [one] = &members[..] {
        one.remark(matmul);
        one.give(matmul);
        return Ok(());
    }
    let write = || -> Result<(), grid::Error> {
        let b = Builder::before(matmul);
        let place = places(matmul, extent).next();
        let (place, mode) = place.ok_or(melior::Error::OperationBuild)?;
        let size = grid::size(&b, operand(matmul, place), mode)?;
        let operands: Vec<_> = (0..matmul.operand_count()).map(|i| operand(matmul, i)).collect();
        let mut at = b;
        let mut ends = Vec::new();
        members.iter().for_each(|member| member.remark(matmul));
        let mut all: Vec<(Bound, &Member)> = members
            .iter()
            .flat_map(|member| member.bounds.iter().map(move |&bound| (bound, member)))
            .collect();
        all.sort_by_key(|(bound, _)| bound.number);
        for (Bound { most, .. }, member) in all {
            let family = attribute(matmul, name, extent, &member.bounds)?;
            let here = match most {
                None => at,
                Some(most) => {
                    const UNSIGNED_LESS_OR_EQUAL: i64 = 7;
                    let most = at.constant(Type::index(at.context()), most)?;
                    let predicate = IntegerAttribute::new(at.integer(64), UNSIGNED_LESS_OR_EQUAL);
                    let predicate = [("predicate", predicate.into())];
                    let holds = at.value("arith.cmpi", &[size, most], at.integer(1), &predicate)?;
                    let ((region, here), (others, inside)) = (at.region(), at.region());
                    at.operation("scf.if", &[holds], &[], &[], vec![region, others])?;
                    at = inside;
                    ends.extend([here, inside]);
                    here
                }
            };
            let made = tree::clone_with(&here, matmul, &operands);
            tree::set_attribute(made, FAMILY, family);
            member.give(made);
        }
        for end in ends {
            end.operation("scf.yield", &[], &[], &[], vec![])?;
        }
        Ok(())
    };
    write().map_err(|error| format!("cannot write the matmuls of a family: {error}"))?;
    tree::erase(matmul);
    Ok(())
}

impl Member {
    /// Gives a matmul the schedule.
    fn give(&self, matmul: OperationRef<'_, '_>) {
        let schedule = ScheduleAttribute::new(context_of(matmul), &self.schedule);
        tree::set_attribute(matmul, "schedule", schedule.into());
    }

    /// Reports the selection.
    fn remark(&self, matmul: OperationRef<'_, '_>) {
        diagnostics::remark_in(matmul, &self.remark);
    }
}
