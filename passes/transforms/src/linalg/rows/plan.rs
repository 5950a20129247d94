//! Decides which operations of a block become kernels, and which are fused into their readers.
//!
//! An operation whose result is read by others than kernels is one. So is what several kernels read, unless it is cheap, and
//! what does not fit into a kernel as [`pull`](super::pull) finds it. All other operations are computed where they are read.

use super::{
    super::{Reason, memory::is_memref, reshape::ranked},
    graph::Graph,
    pull::{self, Stop, identity, is_tensor},
};
use layout_dialect::{
    affine::{IndexingMap, indexing_maps},
    build::{Val, operand, result},
    tree,
};
use melior::ir::{BlockLike, BlockRef, OperationRef, ValueLike, operation::OperationLike};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The most operations of a body that is computed again rather than read.
const MAX_RECOMPUTED: usize = 4;

/// The most elements that an operation reads to be computed again rather than read: a table's, and those of its axes.
const MAX_TABLE: i64 = 4096;

/// The longest chain of operations through which one element is followed.
const DEPTH: usize = 10;

/// The size of a dimension that is computed with where it is known at run time.
pub(super) const UNKNOWN: i64 = 512;

/// Operations that are no arithmetic: where others than kernels read them they stay.
const VIEWS: [&str; 7] = [
    "arith.constant",
    "tensor.cast",
    "tensor.collapse_shape",
    "tensor.empty",
    "tensor.expand_shape",
    "tensor.extract_slice",
    "tensor.splat",
];

/// Operations that move elements.
const MOVES: [&str; 3] = ["tensor.concat", "tensor.insert_slice", "tensor.pad"];

/// An operation that becomes a kernel.
pub(super) struct Root<'c> {
    pub(super) operation: OperationRef<'c, 'c>,
    pub(super) results: Vec<usize>,
    pub(super) graph: Graph<'c>,
    pub(super) is_structured: bool,
}

/// The fate of a block.
pub(super) struct Plan<'c> {
    pub(super) roots: Vec<Root<'c>>,
    /// The operations that kernels compute inline.
    pub(super) inlined: Vec<OperationRef<'c, 'c>>,
    pub(super) left: Vec<(OperationRef<'c, 'c>, Reason)>,
}

/// The decision about an operation.
#[derive(Clone, Debug, Default)]
struct Decision {
    /// The kernels that compute it.
    by: BTreeSet<usize>,
    /// Whether others than kernels need its operands.
    stays: bool,
    /// The number of its kernel, where it is one.
    root: Option<usize>,
}

/// Whether an operation may be a kernel: one that computes tensors.
pub(super) fn may_be_root(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    let has_results = operation.result_count() > 0
        && (0..operation.result_count()).all(|i| is_tensor(result(operation, i)));
    let operands = || (0..operation.operand_count()).map(|i| operand(operation, i));
    has_results
        && (MOVES.contains(&name.as_str()) || name.starts_with("linalg."))
        && operands().all(|value| is_tensor(value) || !is_memref(value))
}

/// Whether an operation computes a number of the host, as kernels can.
fn is_scalar(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    let computes = name.starts_with("arith.") || name == "tensor.extract";
    computes && operation.result_count() == 1 && !is_tensor(result(operation, 0))
}

pub(super) fn is_view(operation: OperationRef<'_, '_>) -> bool {
    VIEWS.contains(&tree::name(operation).as_str())
        && operation.result_count() == 1
        && is_tensor(result(operation, 0))
}

impl<'c> Plan<'c> {
    pub(super) fn of(block: BlockRef<'c, 'c>) -> Self {
        let operations = tree::operations(block);
        let mut forced: HashSet<usize> = HashSet::new();
        let mut left: Vec<(OperationRef<'c, 'c>, Reason)> = Vec::new();
        // Each round forces or leaves one operation more.
        loop {
            let own = Decisions::of(&operations, &forced, &left);
            let mut roots = Vec::with_capacity(own.roots.len());
            let mut is_done = true;
            for (number, (operation, results)) in own.roots.iter().enumerate() {
                match pull::graph(*operation, results, &own.inlined(number)) {
                    Ok(graph) => roots.push(Root {
                        operation: *operation,
                        results: results.clone(),
                        graph,
                        is_structured: tree::name(*operation).starts_with("linalg."),
                    }),
                    Err(Stop::Memory(operation)) => is_done &= !forced.insert(identity(operation)),
                    Err(Stop::Left(operation, reason)) => {
                        let is_known =
                            left.iter().any(|(known, _)| identity(*known) == identity(operation));
                        if !is_known {
                            left.push((operation, reason));
                            is_done = false;
                        }
                    }
                }
            }
            if is_done {
                let inlined = own.all_inlined(&operations);
                left.sort_by_key(|(operation, _)| {
                    operations.iter().position(|own| identity(*own) == identity(*operation))
                });
                return Self { roots, inlined, left };
            }
        }
    }
}

/// The decisions about the operations of a block.
struct Decisions<'c> {
    all: HashMap<usize, Decision>,
    /// The kernels, the last first, and the results that they write.
    roots: Vec<(OperationRef<'c, 'c>, Vec<usize>)>,
    forced: HashSet<usize>,
}

impl<'c> Decisions<'c> {
    fn of(
        operations: &[OperationRef<'c, 'c>],
        forced: &HashSet<usize>,
        left: &[(OperationRef<'c, 'c>, Reason)],
    ) -> Self {
        let left: HashSet<usize> = left.iter().map(|(operation, _)| identity(*operation)).collect();
        let mut own = Self { all: HashMap::new(), roots: Vec::new(), forced: forced.clone() };
        for &operation in operations.iter().rev() {
            let fate = own.fate(operation, &left);
            own.all.insert(identity(operation), fate);
        }
        own
    }

    fn fate(&mut self, operation: OperationRef<'c, 'c>, left: &HashSet<usize>) -> Decision {
        let stays = Decision { stays: true, ..Decision::default() };
        let root = may_be_root(operation);
        if left.contains(&identity(operation))
            || !(root || is_view(operation) || is_scalar(operation))
        {
            return stays;
        }
        let (mut by, mut needed) = (BTreeSet::new(), BTreeSet::new());
        let mut is_read = false;
        for number in 0..operation.result_count() {
            for user in users(result(operation, number)) {
                // Sizes are known without it.
                if tree::name(user) == "tensor.dim" {
                    continue;
                }
                let Some(fate) = self.around(operation, user) else {
                    needed.insert(number);
                    continue;
                };
                is_read = true;
                by.extend(&fate.by);
                by.extend(fate.root);
                if fate.stays {
                    needed.insert(number);
                }
            }
        }
        let is_forced = self.forced.contains(&identity(operation));
        if !root {
            return Decision { by, stays: !needed.is_empty() || is_forced, root: None };
        }
        let is_again = || is_cheap(operation) || is_small(operation);
        let is_kernel =
            !needed.is_empty() || (is_forced && is_read) || (by.len() > 1 && !is_again());
        if !is_kernel {
            return Decision { by, ..Decision::default() };
        }
        let results =
            (0..operation.result_count()).filter(|&i| tree::is_used(result(operation, i)));
        self.roots.push((operation, results.collect()));
        Decision { root: Some(self.roots.len() - 1), ..Decision::default() }
    }

    /// The fate of the operation of the block that a user is, or is in.
    fn around(
        &self,
        operation: OperationRef<'c, 'c>,
        user: OperationRef<'c, 'c>,
    ) -> Option<&Decision> {
        let block = operation.block()?.to_raw().ptr;
        let is_same_block =
            |one: &OperationRef<'c, 'c>| one.block().is_some_and(|own| own.to_raw().ptr == block);
        let sibling = [user].into_iter().chain(tree::ancestors(user)).find(is_same_block)?;
        self.all.get(&identity(sibling))
    }

    /// The operations that a kernel computes on its way.
    fn inlined(&self, root: usize) -> HashSet<usize> {
        let all = self.all.iter().filter(|(own, fate)| {
            fate.by.contains(&root) && fate.root.is_none() && !self.forced.contains(own)
        });
        all.map(|(own, _)| *own).collect()
    }

    fn all_inlined(&self, operations: &[OperationRef<'c, 'c>]) -> Vec<OperationRef<'c, 'c>> {
        let is_inlined = |operation: &&OperationRef<'c, 'c>| {
            let fate = self.all.get(&identity(**operation));
            fate.is_some_and(|fate| !fate.stays && fate.root.is_none())
        };
        operations.iter().filter(is_inlined).copied().collect()
    }
}

/// The users of a value, one as often as it uses it.
fn users<'c>(value: Val<'c>) -> Vec<OperationRef<'c, 'c>> {
    let Some(made) = tree::definition(value) else { return Vec::new() };
    let uses = |user: &OperationRef<'c, 'c>| {
        (0..user.operand_count()).any(|i| tree::key(operand(*user, i)) == tree::key(value))
    };
    tree::users(made).filter(uses).collect()
}

/// Whether an operation makes a table of so few elements that a kernel of its own takes longer than computing them where they are read.
fn is_small(operation: OperationRef<'_, '_>) -> bool {
    let table = result(operation, 0);
    let made = || count(table).is_some_and(|count| count <= pull::AGAIN);
    let is_computed = operation.result_count() == 1 && inputs(operation).is_some();
    is_computed && made() && read(table, DEPTH).is_some_and(|all| all <= MAX_TABLE)
}

/// The first operands of an operation that computes each element of its result from an element of each, or moves them.
fn inputs(operation: OperationRef<'_, '_>) -> Option<usize> {
    let maps = indexing_maps(operation).unwrap_or_default();
    match maps.last() {
        Some(map) if !reduces(map) => Some(operation.operand_count() - operation.result_count()),
        Some(_) => None,
        None if MOVES.contains(&tree::name(operation).as_str()) => Some(operation.operand_count()),
        None => is_view(operation).then_some(1),
    }
}

/// How many elements in memory a tensor is computed from, or `None` if it is through too many operations.
fn read(tensor: Val<'_>, depth: usize) -> Option<i64> {
    if !is_tensor(tensor) {
        return Some(1);
    }
    let Some(made) = tree::definition(tensor) else { return count(tensor) };
    let name = tree::name(made);
    match inputs(made) {
        _ if depth == 0 => None,
        _ if name == "tensor.empty" || name == "arith.constant" => Some(0),
        Some(own) => (0..own.min(made.operand_count()))
            .try_fold(0_i64, |all, i| all.checked_add(read(operand(made, i), depth - 1)?)),
        None => count(tensor),
    }
}

/// How many elements a tensor has.
fn count(tensor: Val<'_>) -> Option<i64> {
    let (_, sizes) = ranked(tensor.r#type())?;
    sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(size.unwrap_or(UNKNOWN)))
}

/// Whether a result lacks a loop.
fn reduces(map: &IndexingMap) -> bool {
    let has = |d| map.results.iter().any(|result| result.terms.iter().any(|&(own, _)| own == d));
    !(0..map.dimensions).all(has)
}

/// Whether an operation is computed again for each kernel that reads it.
pub(super) fn is_cheap(operation: OperationRef<'_, '_>) -> bool {
    let of = result(operation, 0).r#type().to_string();
    let has_no_memory = ["xi1>", "<i1>", "xi64>", "<i64>", "xindex>", "<index>"];
    let (Some(maps), Some(body)) = (indexing_maps(operation), tree::entry(operation)) else {
        return false;
    };
    let Some(map) = maps.last() else { return false };
    if reduces(map) {
        return false;
    }
    if has_no_memory.iter().any(|end| of.ends_with(end)) {
        return true;
    }
    let steps = tree::operations(body);
    let is_light = |step: &OperationRef<'_, '_>| {
        let name = tree::name(*step);
        name.starts_with("arith.") && !name.contains("div") || name.starts_with("linalg.")
    };
    let reads = maps.len() - operation.result_count();
    steps.len() <= MAX_RECOMPUTED && steps.iter().all(is_light) && reads <= 1
}
