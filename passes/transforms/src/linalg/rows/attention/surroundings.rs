//! The operations around a contraction that may be the second one of attention: between it and the first one, and those that only
//! move what goes in and what comes out.

use super::super::{
    super::{Reason, contraction, numbers::is_half, reshape::is_reshape},
    identity,
    plan::{self, is_cheap},
    pull::{functions, is_tensor},
};
use layout_dialect::{
    affine::indexing_maps,
    build::{Val, first_result, operand, result},
    tree,
};
use melior::ir::{BlockLike, OperationRef, ValueLike, operation::OperationLike};
use std::collections::{HashMap, HashSet};

/// The most operations between the contractions.
const MAX_OPERATIONS: usize = 256;

/// Functions that distinguish a softmax from other arithmetic.
const EXPONENTIALS: [&str; 2] = ["math.exp", "math.exp2"];

/// A contraction, the one that its weights come from, and what is computed and moved around them.
pub(super) struct Surroundings<'c> {
    /// The operation whose result the kernel writes: the second contraction, or what rounds and moves its result.
    pub(super) root: OperationRef<'c, 'c>,
    /// The identities of all operations that the kernel stands for.
    pub(super) inlined: HashSet<usize>,
    all: Vec<OperationRef<'c, 'c>>,
}

impl<'c> Surroundings<'c> {
    /// The ways to read a contraction as the second one, the best first; empty if no softmax is before it.
    pub(super) fn all(second: OperationRef<'c, 'c>) -> Vec<Result<Self, Reason>> {
        let mut found = Vec::new();
        if second.result_count() != 1 || !is_tensor(first_result(second)) {
            return found;
        }
        for side in 0..2 {
            let before = before(operand(second, side));
            let firsts: Vec<_> =
                before.iter().copied().filter(|operation| is_contraction(*operation)).collect();
            if before.len() >= MAX_OPERATIONS {
                continue;
            }
            let value = operand(second, 1 - side);
            for first in firsts {
                match between(second, first, &before) {
                    None => {}
                    Some(Err(reason)) => found.push(Err(reason)),
                    Some(Ok(between)) => {
                        let mut all = between;
                        for operand in [operand(first, 0), operand(first, 1), value] {
                            moves(operand, &mut all);
                        }
                        // The initial value of sums.
                        let initial = [first, second].map(|one| tree::definition(operand(one, 2)));
                        let fills = initial.into_iter().flatten();
                        all.extend(fills.filter(|made| tree::name(*made) == "linalg.fill"));
                        for writers in write_candidates(second).into_iter().rev() {
                            found.push(Ok(Self::of(&all, writers)));
                        }
                    }
                }
            }
        }
        found
    }

    fn of(before: &[OperationRef<'c, 'c>], writers: Vec<OperationRef<'c, 'c>>) -> Self {
        let root = writers[writers.len() - 1];
        let mut inlined = HashSet::new();
        let all = before.iter().copied().chain(writers);
        let all: Vec<_> = all.filter(|operation| inlined.insert(identity(*operation))).collect();
        Self { root, inlined, all }
    }

    /// The operations, users after what they use.
    pub(super) fn operations(&self) -> Vec<OperationRef<'c, 'c>> {
        let order: HashMap<usize, usize> = block_of(self.root)
            .into_iter()
            .enumerate()
            .map(|(place, operation)| (identity(operation), place))
            .collect();
        let mut all = self.all.clone();
        all.sort_by_key(|operation| order.get(&identity(*operation)).copied());
        all
    }
}

/// Whether an operation has the form of a contraction: what has two results is a reduction.
fn is_contraction(operation: OperationRef<'_, '_>) -> bool {
    operation.result_count() == 1 && contraction::may_be_one(operation)
}

/// The operations of the block that an operation is in.
fn block_of<'c>(operation: OperationRef<'c, 'c>) -> Vec<OperationRef<'c, 'c>> {
    let Some(block) = operation.block() else { return Vec::new() };
    // SAFETY: the block lives as long as the operation in it.
    tree::operations(unsafe { melior::ir::BlockRef::from_raw(block.to_raw()) })
}

/// The operations on tensors that a value is computed by, back to contractions, which are the last.
fn before<'c>(value: Val<'c>) -> Vec<OperationRef<'c, 'c>> {
    let (mut found, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![value]);
    while let Some(value) = open.pop() {
        let Some(made) = tree::definition(value).filter(|_| is_tensor(value)) else { continue };
        let name = tree::name(made);
        let is_ours = name.starts_with("linalg.") || name.starts_with("tensor.");
        if found.len() >= MAX_OPERATIONS || !is_ours || !seen.insert(identity(made)) {
            continue;
        }
        found.push(made);
        if !is_contraction(made) {
            open.extend((0..made.operand_count()).map(|i| operand(made, i)));
        }
    }
    found
}

/// The operations from the first contraction on to the second one, with what else is cheap to compute, or `None` if no
/// softmax is among them: weights that are exponentials of scores, element by element, and a sum of such exponentials. A norm
/// between convolutions, with an activation after it, has exponentials and sums, but no sum of exponentials.
fn between<'c>(
    second: OperationRef<'c, 'c>,
    first: OperationRef<'c, 'c>,
    before: &[OperationRef<'c, 'c>],
) -> Option<Result<Vec<OperationRef<'c, 'c>>, Reason>> {
    let own: HashSet<usize> = before.iter().map(|operation| identity(*operation)).collect();
    let mut depends: HashSet<usize> = HashSet::from([identity(first)]);
    // Operations without a reduction in front, and exponentials among them.
    let (mut direct, mut powers) = (depends.clone(), HashSet::new());
    let is_power = |operation: OperationRef<'c, 'c>| {
        EXPONENTIALS.iter().any(|name| !tree::inside(operation, name).is_empty())
    };
    let mut all = vec![first];
    for operation in block_of(second) {
        let is_ours = own.contains(&identity(operation)) && !is_contraction(operation);
        let reads = |of: &HashSet<usize>| {
            let mut made = (0..operation.operand_count())
                .filter_map(|i| tree::definition(operand(operation, i)));
            made.any(|made| of.contains(&identity(made)))
        };
        // Sizes of tensors are no elements of them.
        if !is_ours || !reads(&depends) {
            continue;
        }
        if !reduces(operation) && reads(&direct) {
            if is_power(operation) || reads(&powers) {
                powers.insert(identity(operation));
            }
            direct.insert(identity(operation));
        }
        depends.insert(identity(operation));
        all.push(operation);
    }
    let weights = before.first().map(|operation| identity(*operation));
    let sums_powers = |operation: OperationRef<'c, 'c>| {
        let operands = (0..operation.operand_count()).map(|i| operand(operation, i));
        let mut made = operands.filter_map(tree::definition);
        is_power(operation) || made.any(|made| powers.contains(&identity(made)))
    };
    let has_sum = all[1..].iter().any(|own| reduces(*own) && sums_powers(*own));
    if !weights.is_some_and(|own| powers.contains(&own)) || !has_sum {
        return None;
    }
    for operation in &all {
        for user in tree::users(*operation) {
            let is_own = depends.contains(&identity(user))
                || identity(user) == identity(second)
                || tree::name(user) == "tensor.dim";
            if !is_own {
                return Some(Err(format!(
                    "expected scores and weights that only the next step reads, found {} of {}",
                    tree::name(user),
                    tree::name(*operation)
                )));
            }
        }
    }
    // Masks, scales and what reductions start from.
    let independent = before.iter().copied().filter(|one| !depends.contains(&identity(*one)));
    all.extend(independent.filter(|operation| is_light(*operation)));
    all.push(second);
    Some(Ok(all))
}

/// Whether an operation has a loop that its result has not.
fn reduces(operation: OperationRef<'_, '_>) -> bool {
    let maps = indexing_maps(operation).unwrap_or_default();
    maps.last().is_some_and(|map| {
        let has = |d| map.results.iter().any(|r| r.terms.iter().any(|&(own, _)| own == d));
        (0..map.dimensions).any(|d| !has(d))
    })
}

/// Whether an operation is computed again for each element that reads it, rather than read from memory.
fn is_light(operation: OperationRef<'_, '_>) -> bool {
    if is_contraction(operation) {
        return false;
    }
    if plan::is_view(operation) {
        return true;
    }
    let of = result(operation, 0).r#type().to_string();
    // No memory has these.
    let is_bits = ["xi1>", "<i1>", "xi64>", "<i64>", "xindex>", "<index>"];
    let is_arithmetic = functions(operation) == 0
        && tree::all(operation).iter().all(|step| !tree::name(*step).contains("div"));
    let has_no_memory = is_bits.iter().any(|end| of.ends_with(end));
    (has_no_memory || !gathers(operation))
        && (is_cheap(operation) || is_elementwise(operation) && (is_arithmetic || has_no_memory))
}

/// Whether an operation reads elements at coordinates that are elements of a tensor: a table of biases by distance.
fn gathers(operation: OperationRef<'_, '_>) -> bool {
    tree::inside(operation, "tensor.extract").into_iter().any(|extract| {
        let mut open: Vec<_> = (1..extract.operand_count()).map(|i| operand(extract, i)).collect();
        let mut seen = HashSet::new();
        while let Some(value) = open.pop() {
            let Some(made) = tree::definition(value) else { return true };
            if seen.insert(identity(made)) {
                open.extend((0..made.operand_count()).map(|i| operand(made, i)));
            }
        }
        false
    })
}

/// Whether an operation has a loop for each coordinate of its result, and no others.
fn is_elementwise(operation: OperationRef<'_, '_>) -> bool {
    let Some(maps) = indexing_maps(operation) else { return false };
    let Some(map) = maps.last() else { return false };
    operation.result_count() == 1
        && (0..map.dimensions)
            .all(|d| map.results.iter().filter(|r| r.dimension() == Some(d)).count() == 1)
}

/// Whether an operation gives its operand's elements in other places.
fn is_move(operation: OperationRef<'_, '_>) -> bool {
    if plan::is_view(operation) {
        return true;
    }
    if !tree::name(operation).starts_with("linalg.") || !is_elementwise(operation) {
        return false;
    }
    yields_argument(operation).is_some_and(|yielded| is_tensor(operand(operation, yielded)))
}

/// The number of the argument that a body yields, where it does no more.
fn yields_argument(operation: OperationRef<'_, '_>) -> Option<usize> {
    let body = tree::entry(operation)?;
    let steps = tree::operations(body);
    let [end] = steps.as_slice() else { return None };
    let inputs = operation.operand_count().checked_sub(1)?;
    (0..inputs.min(body.argument_count()))
        .find(|&i| tree::key(tree::argument(body, i)) == tree::key(operand(*end, 0)))
}

/// The operations that only move what a value is, or that also widen it from 16 bits, and multiply what is wide by numbers.
fn moves<'c>(value: Val<'c>, found: &mut Vec<OperationRef<'c, 'c>>) {
    let collect = |is_taken: &dyn Fn(OperationRef<'c, 'c>) -> bool| {
        let (mut all, mut open) = (Vec::new(), vec![value]);
        while let Some(value) = open.pop().filter(|_| all.len() < MAX_OPERATIONS) {
            let Some(made) = tree::definition(value).filter(|made| is_taken(*made)) else {
                continue;
            };
            all.push(made);
            open.extend((0..made.operand_count()).map(|i| operand(made, i)));
        }
        all
    };
    let widened = collect(&|made| is_move(made) || is_wide(made));
    // Wide numbers that were never narrow are read as they are in memory.
    found.extend(match widened.iter().any(|made| widens(*made)) {
        true => widened,
        false => collect(&|made| is_move(made)),
    });
}

/// Whether an operation widens elements of its one tensor to f32, or multiplies them by numbers there.
fn is_wide(operation: OperationRef<'_, '_>) -> bool {
    let is_structured = tree::name(operation).starts_with("linalg.") && is_elementwise(operation);
    let Some(body) = tree::entry(operation).filter(|_| is_structured) else { return false };
    let of_f32 = |step: OperationRef<'_, '_>| first_result(step).r#type().to_string() == "f32";
    operation.operand_count() == 2
        && tree::operations(body).into_iter().all(|step| match tree::name(step).as_str() {
            "arith.extf" => of_f32(step),
            "arith.mulf" => of_f32(step) && (0..2).any(|i| is_number(operand(step, i))),
            "linalg.yield" => true,
            _ => step.result_count() == 1 && is_number(first_result(step)),
        })
}

/// Whether a value is a constant, or one in fewer bits.
fn is_number(value: Val<'_>) -> bool {
    tree::definition(value).is_some_and(|made| match tree::name(made).as_str() {
        "arith.constant" => true,
        "arith.truncf" => is_number(operand(made, 0)),
        _ => false,
    })
}

/// Whether an operation widens elements of 16 bits.
fn widens(operation: OperationRef<'_, '_>) -> bool {
    tree::inside(operation, "arith.extf").into_iter().any(|step| is_half(operand(step, 0).r#type()))
}

/// The ways in which the second contraction's result may be written: by itself, and by each operation after it that rounds or
/// moves it and that alone reads it. Each is the operations up to the one that writes.
fn write_candidates<'c>(second: OperationRef<'c, 'c>) -> Vec<Vec<OperationRef<'c, 'c>>> {
    let mut ways = vec![vec![second]];
    let mut all = vec![second];
    let mut rounds = false;
    let mut last = second;
    for _ in 0..MAX_OPERATIONS {
        let users: Vec<_> =
            tree::users(last).filter(|user| tree::name(*user) != "tensor.dim").collect();
        let [user] = users.as_slice() else { break };
        let reads = (0..user.operand_count())
            .filter(|&i| tree::key(operand(*user, i)) == tree::key(first_result(last)));
        let block = |one: OperationRef<'c, 'c>| one.block().map(|block| block.to_raw().ptr);
        if reads.collect::<Vec<_>>() != [0] || block(*user) != block(second) {
            break;
        }
        let is_written = match is_rounding(*user) {
            true => !std::mem::replace(&mut rounds, true),
            false => is_move(*user) && !plan::is_view(*user),
        };
        if !is_written && !is_reshape(*user) {
            break;
        }
        all.push(*user);
        if is_written {
            ways.push(all.clone());
        }
        last = *user;
    }
    ways
}

/// Whether an operation rounds each element of its operand to a type of fewer bits, and may move it.
pub(super) fn is_rounding(operation: OperationRef<'_, '_>) -> bool {
    let steps = tree::entry(operation).map(tree::operations).unwrap_or_default();
    let [rounding, end] = steps.as_slice() else { return false };
    let body = tree::entry(operation);
    is_elementwise(operation)
        && operation.operand_count() == 2
        && tree::name(*rounding) == "arith.truncf"
        && body.is_some_and(|body| {
            tree::key(tree::argument(body, 0)) == tree::key(operand(*rounding, 0))
        })
        && tree::key(operand(*end, 0)) == tree::key(first_result(*rounding))
}
