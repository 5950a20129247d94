//! Families: several kernels for a matmul of sizes that are known at run time, each with a schedule for some of them.
//!
//! A function that does nothing but one matmul, whose schedule is the compiler's to choose, becomes a function for each
//! range of the size that matters most; a launch takes the first whose bound holds. In a function that does other things, a matmul becomes
//! a choice between as many, an `scf.if` for each bound. The ranges are those with which a sample of sizes loses least beside
//! kernels of their own, by the cost model.

use super::{
    Problem, candidates, first_that_fits, problem,
    ranges::{Range, ranges},
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

/// The sizes for which kernels are compared, and up to which a kernel may be: powers of two, which servers pad batches to, and two
/// that are none. Up to the first there is always a kernel: products of a few rows wait for memory, and the estimate does not see
/// what rows beyond theirs cost in a tile (24 in place of 8 or 16: 1.01 to 1.09 times as long).
const SIZES: [i64; 11] = [16, 32, 64, 100, 128, 256, 512, 800, 1024, 2048, 4096];

/// Kernels of a family at most.
const MEMBERS: usize = 6;

/// Schedules of each size that are compared for all others: the fastest ones.
const COMPARED: usize = 4;

/// The share of time that a kernel must save to be worth compiling: a twentieth of one size's time, or a hundredth of that of five.
const WORTH: f64 = 0.05;

/// The numbers that stand for a size that is larger than all bounds, and for those that bounds are not of.
const LARGE: i64 = 8192;
const USUAL: i64 = 4096;

/// Where each of M, N and K is an extent: the operand, and its mode.
const PLACES: [[(usize, usize); 2]; 3] = [[(0, 0), (2, 0)], [(1, 0), (2, 1)], [(0, 1), (1, 1)]];

/// A kernel of a family.
struct Member {
    /// The greatest size that it is for; none of the last.
    most: Option<i64>,
    schedule: Schedule,
    remark: String,
}

/// A size of the product that is known at run time: which of M, N and K it is, and its greatest value.
struct Open {
    extent: usize,
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
        for group in groups.iter().filter(|_| !is_kernel || groups.len() == 1) {
            let [matmul] = group[..] else { continue };
            let Ok(Choice::Auto { chip }) = ops::choice(matmul) else { continue };
            let open = open(matmul);
            if open.is_empty() {
                continue;
            }
            let outcome_of = match is_kernel {
                true => of_functions(module, function, matmul, (&open, &chip)),
                false => in_place(module, function, matmul, (&open, &chip)),
            };
            if let Err(message) = outcome_of {
                diagnostics::error(matmul, &message);
                outcome = Err(());
            }
        }
    }
    outcome
}

/// The extents of a product that no operand knows.
fn open(matmul: OperationRef<'_, '_>) -> Vec<Open> {
    let of = |extent: usize| {
        let mut most = i64::MAX;
        for (operand_at, mode) in PLACES[extent] {
            let view = ViewType::try_from(operand(matmul, operand_at).r#type()).ok()?;
            most = most.min(greatest(&view.term_value().ok()?, mode)?);
        }
        Some(Open { extent, most })
    };
    (0..3).filter_map(of).collect()
}

/// The greatest extent of a mode that is known at run time.
fn greatest(term_value: &TermValue, mode: usize) -> Option<i64> {
    let TermValue::Symbolic { value: layout_algebra::Value::Layout(layout), facts } = term_value
    else {
        return None;
    };
    let size = layout.modes().get(mode)?.size().ok()?;
    if size.as_constant().is_some() {
        return None;
    }
    Some(facts.range(&size).hi.and_then(|most| i64::try_from(most).ok()).unwrap_or(i64::MAX))
}

/// Whether all extents of a product are known.
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
        problem.extents[size.extent] = typical.min(size.most);
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
        let attribute = attribute(holder, name, 0, (extent, most));
        tree::set_attribute(holder, FAMILY, attribute.map_err(|error| error.to_string())?);
        Ok::<_, String>(())
    };
    let fits = |schedule: &Schedule| matmul::fits(&[matmul], schedule).is_ok();
    let sizes = SIZES.into_iter().filter(|&size| axis.is_some_and(|open| size < open.most));
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
        let mut found = ranges(&losses[..few], few, WORTH);
        let rest = ranges(&losses[few..], MEMBERS - few, WORTH).into_iter();
        found.extend(rest.map(|Range { last, candidate }| Range { last: last + few, candidate }));
        // Neighbours with one schedule are one.
        found.dedup_by(|next, before| {
            let is_same = next.candidate == before.candidate;
            before.last = if is_same { next.last } else { before.last };
            is_same
        });
        let mut all_fit = true;
        for &Range { last, candidate } in &found {
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
    let mut least = 1;
    let members = found.into_iter().map(|Range { last, candidate }| {
        let (schedule, most) = (compared[candidate].clone(), sizes[last]);
        let size = ["M", "N", "K"][extent];
        let upper = most.map_or("on".to_owned(), |most| format!("to {most}"));
        let remark = format!(
            "selected schedule <{schedule}> for {size} from {least} {upper}, by the cost model"
        );
        least = most.map_or(least, |most| most.saturating_add(1));
        Member { most, schedule, remark }
    });
    let mut members: Vec<Member> = members.collect();
    // One kernel for all sizes of K, or sizes that none fits, which its schedule will say.
    let is_open = members.last().is_none_or(|last| last.most.is_some());
    if let (true, Some((_, first))) = (axis.is_none() || is_open, own.pop()) {
        let remark = first.remark();
        members = vec![Member { most: None, schedule: first.schedule, remark }];
    }
    Ok((extent, members))
}

/// The attribute of a function, or a matmul, that is one of the family of a name, with the sizes that it is for.
fn attribute<'c>(
    of: OperationRef<'c, '_>,
    name: &str,
    number: usize,
    (extent, most): (usize, Option<i64>),
) -> Result<Attribute<'c>, melior::Error> {
    let most = match most {
        Some(most) => format!("{} = {most} : i64", ["m", "n", "k"][extent]),
        None => String::new(),
    };
    let text = format!("{{name = \"{name}\", number = {number} : i64, most = {{{most}}}}}");
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
        let family = attribute(function, name, number, (extent, member.most))?;
        tree::set_attribute(made, FAMILY, family);
        give(made, member);
    }
    tree::erase(function);
    Ok(())
}

fn in_place(
    module: OperationRef<'_, '_>,
    function: OperationRef<'_, '_>,
    matmul: OperationRef<'_, '_>,
    sizes: (&[Open], &str),
) -> Result<(), String> {
    let name = matmul::symbol(function).map_err(|error| error.to_string())?;
    let name = matmul::unused(module, &format!("{name}_kernel"));
    let (extent, members) = members(matmul, &name, matmul, sizes)?;
    if let [one] = &members[..] {
        one.remark(matmul);
        one.give(matmul);
        return Ok(());
    }
    let write = || -> Result<(), grid::Error> {
        let b = Builder::before(matmul);
        let (place, mode) = PLACES[extent][0];
        let size = grid::size(&b, operand(matmul, place), mode)?;
        let operands: Vec<_> = (0..matmul.operand_count()).map(|i| operand(matmul, i)).collect();
        let mut at = b;
        let mut ends = Vec::new();
        for (number, member) in members.iter().enumerate() {
            member.remark(matmul);
            let family = attribute(matmul, &name, number, (extent, member.most))?;
            let here = match member.most {
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
