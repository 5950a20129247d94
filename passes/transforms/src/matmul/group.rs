//! Grouped GEMM: several matmuls of one function become one kernel. One raster covers the tiles of all problems, and
//! blocks take their tiles from it, so that small problems fill a device together.
//!
//! Each problem has its own operands, extents, strides and epilogue; it may be a batch. The schedule and the element
//! types are common to all. Warpgroups load the tiles of every problem to the same stages, so operands must be contiguous
//! along the same modes. With warps, a block computes one tile, and each problem views shared memory with its own
//! layouts. Matrices that no tile fits, or that do not fit the common buffers, are copied as those of a single matmul
//! are: [`decide`] lists the plans of each, and those with the fewest copies that can share a kernel are taken.

use crate::matmul::{
    Failure,
    decide::{self, Decision, Refusal},
    epilogue::store::Store,
    limits,
    mainloop::bulk_copy::arranged,
    normalise::operands::packed,
    problem::{Matmul, Problem},
};

/// How each of several matmuls is computed, so that all share one kernel: on warpgroups where all can be, else on warps.
///
/// # Errors
///
/// The number of a matmul for which there is no way, and why.
pub(crate) fn decide(all: &[Matmul<'_>]) -> Result<Vec<Decision>, (usize, Failure)> {
    let refused = |number: usize, message: String| (number, Failure::Refused(message));
    if let Some(number) = (0..all.len()).find(|&number| differs(all, number).is_some()) {
        return Err(refused(number, differs(all, number).unwrap_or_default()));
    }
    let problems = all.iter().enumerate();
    let problems = problems.map(|(i, matmul)| matmul.problem().map_err(|failure| (i, failure)));
    let problems: Vec<Problem<'_>> = problems.collect::<Result<_, _>>()?;
    let each = || all.iter().zip(&problems).enumerate();
    let mut ways = Vec::with_capacity(all.len());
    for (number, (matmul, problem)) in each() {
        let fusion = matmul.fusion.as_ref();
        let (mut right, mut wrong, mut missed) = (Vec::new(), None, None);
        for forced in decide::choices(problem) {
            match decide::on_warpgroups(problem, fusion, forced) {
                Ok(decision) => right.push(decision),
                Err(Refusal::Refused(message)) => {
                    wrong.get_or_insert(message);
                }
                Err(Refusal::Warps(reason)) => missed = missed.or(reason),
            }
        }
        match wrong {
            // Warps compute all of them, and write C from registers: shared memory has the stages of all.
            None if right.is_empty() => {
                let on_warps = |(i, (matmul, problem)): (usize, (&Matmul<'_>, &Problem<'_>))| {
                    let missed = missed.clone().filter(|_| i == number);
                    let mut made = on_warps(matmul, problem).map_err(|e| refused(i, e))?;
                    made.plan.store_directly(problem).map_err(|e| refused(i, e))?;
                    Ok(Decision { missed, ..made })
                };
                return each().map(on_warps).collect();
            }
            Some(message) if right.is_empty() => return Err(refused(number, message)),
            _ => {}
        }
        ways.push(right);
    }
    sharing(ways, &problems).map_err(|(number, message)| refused(number, message))
}

/// The program on warps of one of several, with the fewest copies.
fn on_warps(matmul: &Matmul<'_>, problem: &Problem<'_>) -> Result<Decision, String> {
    let mut first = None;
    for forced in decide::choices(problem) {
        match decide::on_warps(problem, matmul.fusion.as_ref(), forced) {
            Ok(decision) => return Ok(decision),
            Err(message) => {
                first.get_or_insert(message);
            }
        }
    }
    Err(first.unwrap_or_else(|| "expected a matmul, found none".to_owned()))
}

/// Those ways of several matmuls, with the fewest copies, that share stages, consumer groups and the way in which C is written.
fn sharing(
    ways: Vec<Vec<Decision>>,
    problems: &[Problem<'_>],
) -> Result<Vec<Decision>, (usize, String)> {
    let taken = |ways: Vec<Vec<Decision>>, places: Vec<usize>| -> Vec<Decision> {
        let taken = ways.into_iter().zip(places);
        taken.map(|(mut own, place)| own.swap_remove(place)).collect()
    };
    let places = alike(&ways, problems)?;
    let staging = |decision: &Decision| match &decision.plan.store {
        Store::Staged { staging, .. } => Some(staging.clone()),
        Store::Direct { .. } => None,
    };
    let buffers: Vec<Option<_>> =
        ways.iter().zip(&places).map(|(own, &place)| staging(&own[place])).collect();
    if buffers.iter().all(|buffer| buffer.is_some() && *buffer == buffers[0]) {
        return Ok(taken(ways, places));
    }
    if let Some(problem) = problems.first().filter(|one| one.schedule.epilogue_stages.is_some()) {
        let other = buffers.iter().position(|buffer| *buffer != buffers[0]).unwrap_or(0);
        return Err((
            other,
            format!(
                "expected C of all matmuls of a function with the same row layout for 'epilogue_stages', found {} and {}",
                problem.c, problems[other].c
            ),
        ));
    }
    // One arrangement of the accumulators is for all: threads write C.
    let mut direct = Vec::with_capacity(ways.len());
    for ((number, own), problem) in ways.into_iter().enumerate().zip(problems) {
        let mut refusal = None;
        let mut right = Vec::with_capacity(own.len());
        for mut way in own {
            match directly(&mut way, problem) {
                Ok(()) => right.push(way),
                Err(message) => {
                    refusal.get_or_insert(message);
                }
            }
        }
        match refusal {
            Some(message) if right.is_empty() => return Err((number, message)),
            _ => direct.push(right),
        }
    }
    let places = alike(&direct, problems)?;
    Ok(taken(direct, places))
}

/// The first ways that share stages and consumer groups with one of the first matmul's.
fn alike(ways: &[Vec<Decision>], problems: &[Problem<'_>]) -> Result<Vec<usize>, (usize, String)> {
    let mut refusal = None;
    for (lead, first) in ways.first().into_iter().flatten().enumerate() {
        let differs = |number: usize, way: &Decision| {
            cannot_share((way, &problems[number]), (first, &problems[0]))
        };
        let mut places = vec![lead];
        for (number, own) in ways.iter().enumerate().skip(1) {
            let shared = own.iter().position(|way| differs(number, way).is_none());
            let Some(place) = shared else {
                let message = own.first().and_then(|way| differs(number, way));
                refusal.get_or_insert((number, message.unwrap_or_default()));
                break;
            };
            places.push(place);
        }
        if places.len() == ways.len() {
            return Ok(places);
        }
    }
    Err(refusal.unwrap_or_else(|| (0, "expected a matmul, found none".to_owned())))
}

/// Lets threads write C of a way, where its tiles are a thread's.
fn directly(way: &mut Decision, problem: &Problem<'_>) -> Result<(), String> {
    let packed = packed(&way.copies, way.unpacked.as_ref(), problem);
    way.plan.store_directly(&packed)?;
    let (rows, columns, _) = way.plan.scheduler.tile;
    match &way.plan.store {
        Store::Direct { partition, .. } => arranged("C", packed.c, (rows, columns), partition),
        Store::Staged { .. } => Ok(()),
    }
}

/// The reason for which a matmul has no kernel with those before it.
fn differs(all: &[Matmul<'_>], number: usize) -> Option<String> {
    let (own, first) = (all.get(number)?, all.first()?);
    if let Err(message) = limits::in_group(&own.schedule) {
        return Some(message);
    }
    if let Some(size) = own.sizes.first() {
        return Some(format!(
            "expected static sizes in a function with several matmuls, found '{size}' that is known at run time"
        ));
    }
    if own.schedule != first.schedule {
        return Some(format!(
            "expected one schedule for all matmuls of a function, found <{}> and <{}>",
            first.schedule, own.schedule
        ));
    }
    let stored = own.arguments[2];
    let operand_of = |other: &Matmul<'_>| {
        let place = other.arguments.iter().position(|argument| *argument == stored);
        let is_dual = other.dual.as_ref().is_some_and(|&(_, dual)| dual == stored);
        let is_read = || other.fusion.as_ref().is_some_and(|fusion| fusion.reads(stored));
        match place {
            Some(place) => Some(["A", "B", "C"].get(place).copied().unwrap_or("an operand")),
            None if is_dual => Some("the second B"),
            None => is_read().then_some("an operand of the epilogue"),
        }
    };
    let mut others = (1..).zip(all).filter(|&(other, _)| other != number + 1);
    others.find_map(|(count, other)| {
        let found = operand_of(other)?;
        Some(format!(
            "expected C of each matmul of a function to be no operand of another, found {found} of matmul {count}"
        ))
    })
}

/// The reason for which a way to compute a matmul does not share the stages and the consumer groups of one of the first.
fn cannot_share(
    (way, problem): (&Decision, &Problem<'_>),
    (lead, other): (&Decision, &Problem<'_>),
) -> Option<String> {
    let (plan, first) = (&way.plan.scheduler, &lead.plan.scheduler);
    let (Ok(own), Ok(before)) = (way.plan.warpgroups(), lead.plan.warpgroups()) else {
        return None;
    };
    let ping_pong = own.ping_pong;
    let (problem, other) = (way.packed(problem), lead.packed(other));
    let names = problem.names();
    for (name, own, before, layouts) in [
        (names[0], &own.a, &before.a, [problem.a, other.a]),
        (names[1], &own.b, &before.b, [problem.b, other.b]),
    ] {
        if own.shared != before.shared {
            return Some(format!(
                "expected {name} of all matmuls of a function contiguous along one mode, and in blocks \
                 alike, found {} and {}",
                layouts[1], layouts[0]
            ));
        }
    }
    (ping_pong != 1 && plan.depth() != first.depth()).then(|| {
        format!(
            "expected equal numbers of K tiles for all matmuls of a function with 'ping_pong', found {} and {}",
            first.depth(),
            plan.depth()
        )
    })
}
