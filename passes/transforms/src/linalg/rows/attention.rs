//! Attention, recognised by structure: two contractions and the softmax between them become one kernel.
//!
//! ```text
//! %s = linalg.batch_matmul %q, %k          -> gpu.func { a block has 64 queries: for each 64 keys
//! %m = linalg.generic … {mulf, select}          scores = Q Kᵀ, the scores' function, a step of softmax,
//! %p = … softmax along the keys …               sums of V weighted by it }
//! %o = linalg.batch_matmul %p, %v             gpu.launch_func …
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | [`surroundings`] | the operations between a contraction and the one before, and what only moves operands and result |
//! | [`structure`] | the graph of an element of the result, read as attention |
//! | [`comparison`] | whether two nodes of the graph are one function of their loops |
//! | [`form`] | coordinates of an operand as strides of loops |
//! | [`mask`] | which keys a query has at most, where the scores' function says it |
//! | [`launch`] | views of the operands, the kernel's module, and what launches it |
//! | [`warpgroups`] | the library's kernel on Hopper's warpgroups, where it computes the same |
//! | [`kernel`] | the kernel on `mma.sync` for all else, in layout operations |
//! | [`scores`] | the scores' function, on fragments |
//!
//! Reshapes, transposes, slices and broadcasts of Q, K, V and the result are coordinates, which become layouts: nothing is copied
//! for them. An attention that does not fit stays two matmuls and a softmax, with a remark that gives the reason where a softmax was found.

mod comparison;
mod form;
mod kernel;
mod launch;
mod mask;
mod scores;
mod structure;
mod surroundings;
mod warpgroups;

use super::{
    super::{Reason, contraction, reshape::is_reshape},
    identity, sizes_stay,
};
use layout_dialect::{
    build::{Val, operand},
    tree,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::collections::HashSet;
use structure::Attention;
use surroundings::{Surroundings, is_rounding};
use warpgroups::Warpgroups;

/// The outcome of the search for attention.
#[derive(Default)]
pub(in crate::linalg) struct Outcome<'c> {
    /// Kernels that were made.
    pub(in crate::linalg) kernels: u64,
    /// Structured operations that they compute.
    pub(in crate::linalg) taken: u64,
    /// Second contractions of what is nearly attention, and why it is not.
    pub(in crate::linalg) left: Vec<(OperationRef<'c, 'c>, Reason)>,
}

/// Makes kernels of attention below `root`, on warpgroups where those are allowed.
pub(in crate::linalg) fn run<'c>(
    root: OperationRef<'c, '_>,
    chip: &str,
    warpgroups: bool,
) -> Result<Outcome<'c>, (OperationRef<'c, 'c>, melior::Error)> {
    let mut outcome = Outcome::default();
    let contractions: Vec<_> =
        tree::all(root).into_iter().filter(|found| contraction::may_be_one(*found)).collect();
    let mut erased: HashSet<usize> = HashSet::new();
    for second in contractions {
        if erased.contains(&identity(second)) {
            continue;
        }
        match recognised(second) {
            None => {}
            Some(Err(reason)) => outcome.left.push((second, reason)),
            Some(Ok((attention, around))) => {
                let emitted = match Warpgroups::of(&attention, chip).filter(|_| warpgroups) {
                    Some(warpgroups) => warpgroups.emit(root, &attention),
                    None => launch::emit(root, &attention, chip),
                };
                emitted.map_err(|error| (second, error))?;
                outcome.kernels += 1;
                for operation in around.operations().into_iter().rev() {
                    sizes_stay(operation).map_err(|error| (operation, error))?;
                    if tree::user(operation).is_none() {
                        outcome.taken += u64::from(tree::name(operation).starts_with("linalg."));
                        erased.insert(identity(operation));
                        tree::erase(operation);
                    }
                }
            }
        }
    }
    Ok(outcome)
}

/// Whether a tensor is the result of attention, rounded or in another shape.
pub(in crate::linalg) fn is_result(tensor: Val<'_>) -> bool {
    let mut at = tree::definition(tensor);
    while let Some(made) = at {
        if is_reshape(made) || is_rounding(made) {
            at = tree::definition(operand(made, 0));
            continue;
        }
        return made.result_count() == 1
            && contraction::may_be_one(made)
            && matches!(recognised(made), Some(Ok(_)));
    }
    false
}

/// The attention that a contraction is the second one of, or `None` if it has no softmax before it, and where it has, why
/// the best reading is none.
fn recognised<'c>(
    second: OperationRef<'c, 'c>,
) -> Option<Result<(Attention<'c>, Surroundings<'c>), Reason>> {
    let mut why = None;
    for around in Surroundings::all(second) {
        let around = match around {
            Ok(around) => around,
            Err(reason) => {
                why.get_or_insert(reason);
                continue;
            }
        };
        match Attention::read(&around) {
            Some(Ok(attention)) => return Some(Ok((attention, around))),
            Some(Err(reason)) => {
                why.get_or_insert(reason);
            }
            None => {}
        }
    }
    why.map(Err)
}
