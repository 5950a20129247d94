//! Turns operations on tensors other than contractions into kernels: elementwise chains, reductions, and both.
//!
//! ```text
//! %max = linalg.generic … {maximumf}          -> gpu.module { gpu.func … {
//! %e   = linalg.generic … {exp(x - max)}           a row for each group of threads: passes over its columns
//! %sum = linalg.generic … {addf}                 } }
//! %y   = linalg.generic … {e / sum}              gpu.launch_func …
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | [`dense`] | slices with gaps that are needed without them become copies |
//! | [`plan`] | which operations are in memory, and which are computed where they are read |
//! | [`pull`] | an element of a result as a [`graph`] of elements in memory, with [`coordinate`]s and [`extent`]s |
//! | [`vectors`] | which of them are contiguous in memory |
//! | [`shape`] | threads of a block and of a row |
//! | [`kernel`], [`passes`], [`tiles`] | the graph as layout operations of a kernel |
//! | [`launch`] | the kernel's module, and what launches it |
//! | [`attention`] | two contractions and the softmax between them, as one kernel |
//!
//! Softmax and norms have no names here: a reduction whose result is read for each row is a pass over the row. Its reads stay
//! in registers for the next passes where it fits, and what is computed for each element is computed again in each pass.

mod attention;
mod coordinate;
mod dense;
pub(super) mod extent;
mod graph;
mod kernel;
mod launch;
mod passes;
mod plan;
mod pull;
mod shape;
mod tiles;
mod vectors;

use super::Reason;
pub(super) use attention::{is_result as is_attention, run as attention};
use extent::Extent;
use layout_dialect::{
    build::{Builder, result},
    tree,
};
use melior::ir::{BlockLike, BlockRef, OperationRef, operation::OperationLike};
use plan::Plan;
pub(super) use pull::{identity, is_tensor};
use std::collections::{HashMap, HashSet};

/// The outcome of a pass over all blocks.
#[derive(Default)]
pub(super) struct Outcome<'c> {
    /// Kernels that were made.
    pub(super) kernels: u64,
    /// Operations that they compute.
    pub(super) taken: u64,
    /// Operations that are left, and why.
    pub(super) left: Vec<(OperationRef<'c, 'c>, Reason)>,
    /// Those that are gone, by their identities.
    pub(super) erased: HashSet<usize>,
}

/// Makes kernels of what can be computed by some below `root`.
pub(super) fn run<'c>(
    root: OperationRef<'c, '_>,
    chip: &str,
) -> Result<Outcome<'c>, (OperationRef<'c, 'c>, melior::Error)> {
    let mut outcome = Outcome::default();
    dense::run(root)?;
    for block in blocks(root) {
        let Plan { roots, inlined, left } = Plan::of(block);
        for root_operation in &roots {
            let made = launch::emit(root, root_operation, chip);
            made.map_err(|error| (root_operation.operation, error))?;
            outcome.kernels += 1;
            outcome.taken += 1;
        }
        outcome.left.extend(left);
        // Users go before what they use.
        let mut all: Vec<_> = roots.iter().map(|own| own.operation).chain(inlined).collect();
        let order: HashMap<usize, usize> = tree::operations(block)
            .into_iter()
            .enumerate()
            .map(|(place, operation)| (pull::identity(operation), place))
            .collect();
        all.sort_by_key(|operation| {
            std::cmp::Reverse(order.get(&pull::identity(*operation)).copied())
        });
        for operation in all {
            sizes_stay(operation).map_err(|error| (operation, error))?;
            if tree::user(operation).is_none() {
                outcome.taken += u64::from(tree::name(operation).starts_with("linalg."));
                outcome.erased.insert(identity(operation));
                tree::erase(operation);
            }
        }
        outcome.taken -= roots.iter().filter(|own| own.is_structured).count() as u64;
    }
    Ok(outcome)
}

/// The blocks below `root` that hold structured operations, but for bodies and kernels.
fn blocks<'c>(root: OperationRef<'c, '_>) -> Vec<BlockRef<'c, 'c>> {
    let mut found: Vec<BlockRef<'c, 'c>> = Vec::new();
    tree::visit(root, &mut |operation| {
        let name = tree::name(operation);
        if name.starts_with("gpu.") {
            return false;
        }
        if !plan::may_be_root(operation) {
            return true;
        }
        if let Some(block) = operation.block() {
            // SAFETY: the block lives as long as the operation in it.
            let block = unsafe { BlockRef::from_raw(block.to_raw()) };
            if found.iter().all(|known| known.to_raw().ptr != block.to_raw().ptr) {
                found.push(block);
            }
        }
        false
    });
    found
}

/// Lets those who require the sizes of an operation's results have them from what they are computed from.
fn sizes_stay<'c>(operation: OperationRef<'c, 'c>) -> Result<(), melior::Error> {
    let sizes: Vec<_> =
        tree::users(operation).filter(|user| tree::name(*user) == "tensor.dim").collect();
    for size in sizes {
        let value = result(size, 0);
        let Ok(extent) = Extent::value(value) else { continue };
        // A size of a tensor that stays remains.
        let is_own = matches!(&extent, Extent::Of(tensor, _) if
            tree::definition(tensor.0).is_some_and(|made| pull::identity(made) == pull::identity(operation)));
        if is_own {
            continue;
        }
        let known = extent.emit(&Builder::before(size))?;
        // One of a dimension that the tensor does not have stands for itself.
        if tree::key(known) == tree::key(value) {
            continue;
        }
        tree::replace_uses(value, known);
        tree::erase(size);
    }
    Ok(())
}
