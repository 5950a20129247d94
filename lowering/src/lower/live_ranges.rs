//! Lifetimes of shared buffers: buffers with disjoint lifetimes may have the same bytes.
//!
//! A lifetime is a range of operations of the kernel's body, from the first that accesses the buffer, itself or in its
//! regions, to the last. A loop belongs to it as a whole, whichever of its iterations access the buffer. Asynchronous
//! copies to a buffer extend its lifetime up to a wait for all of them in the kernel's body.
//!
//! Two lifetimes are disjoint where the kernel's body itself has a barrier of all threads between them: all threads have
//! then finished with the first buffer, and none has begun with the second. Nothing is claimed of three kinds of buffers:
//! those that bulk copies or MMAs of warpgroups access, which run beside the threads and are not ordered by such a
//! barrier; those that calls or loops pass on; and those that are not made in the body itself.

use layout_dialect::{
    ViewType,
    atoms::CopyKind,
    build::{operand, result},
    ops, tree,
};
use melior::ir::{OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike};
use std::collections::HashMap;

/// The live range of a buffer: the first and the last operation that touch it, by their numbers in the kernel's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiveRange {
    first: usize,
    last: usize,
}

/// The live ranges of a kernel's shared buffers.
#[derive(Debug, Default)]
pub(super) struct LiveRanges {
    /// By the allocation's address.
    lives: HashMap<usize, LiveRange>,
    /// The barriers in the body.
    barriers: Vec<usize>,
}

/// The body's operations.
struct Body {
    /// The number of each, by its address.
    numbers: HashMap<usize, usize>,
    /// Waits for all asynchronous copies.
    waits: Vec<usize>,
}

fn address(operation: OperationRef<'_, '_>) -> usize {
    operation.to_raw().ptr as usize
}

impl LiveRanges {
    pub(super) fn of<'c>(function: OperationRef<'c, 'c>) -> Self {
        let Some(entry) = tree::entry(function) else { return Self::default() };
        let all = tree::operations(entry);
        let numbers = all.iter().enumerate().map(|(i, one)| (address(*one), i)).collect();
        let numbered = |is: fn(OperationRef<'_, '_>) -> bool| -> Vec<usize> {
            all.iter().enumerate().filter(|(_, one)| is(**one)).map(|(i, _)| i).collect()
        };
        let body = Body { numbers, waits: numbered(is_whole_wait) };
        let lives = all
            .iter()
            .filter(|one| tree::name(**one) == "layout.alloc")
            .filter_map(|&one| Some((address(one), body.life(one)?)))
            .collect();
        Self { lives, barriers: numbered(is_barrier) }
    }

    /// The life of a buffer, or `None` for one that may be touched at any time.
    pub(super) fn get(&self, allocation: OperationRef<'_, '_>) -> Option<LiveRange> {
        self.lives.get(&address(allocation)).copied()
    }

    /// Whether a barrier is between two lives.
    pub(super) fn separated_by_barrier(&self, a: LiveRange, b: LiveRange) -> bool {
        let between = |a: LiveRange, b: LiveRange| {
            self.barriers.iter().any(|&barrier| a.last < barrier && barrier < b.first)
        };
        between(a, b) || between(b, a)
    }
}

impl Body {
    fn life<'c>(&self, allocation: OperationRef<'c, 'c>) -> Option<LiveRange> {
        let mut touched = Vec::new();
        let mut asynchronous = None;
        let mut views = vec![allocation];
        while let Some(at) = views.pop() {
            let view = result(at, 0);
            for user in tree::users(at) {
                if is_view_of(user, at) {
                    views.push(user);
                    continue;
                }
                let number = self.number(user)?;
                touched.push(number);
                match tree::name(user).as_str() {
                    "layout.load" | "layout.store" | "layout.fill" | "layout.atomic" => {}
                    "layout.copy" => match ops::atom(user).ok()?.copy_kind()? {
                        CopyKind::Simt | CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix { .. } => {}
                        CopyKind::CpAsync if operand(user, 1) == view => {
                            asynchronous = asynchronous.max(Some(number));
                        }
                        _ => return None,
                    },
                    _ => return None,
                }
            }
        }
        if let Some(last) = asynchronous {
            touched.push(self.waits.iter().copied().find(|&wait| wait > last)?);
        }
        Some(LiveRange { first: *touched.iter().min()?, last: *touched.iter().max()? })
    }

    /// The number of the body's operation that is another one, or holds it.
    fn number(&self, operation: OperationRef<'_, '_>) -> Option<usize> {
        let own = self.numbers.get(&address(operation)).copied();
        own.or_else(|| {
            tree::ancestors(operation).find_map(|at| self.numbers.get(&address(at)).copied())
        })
    }
}

/// Whether an operation does no more than see its first operand in another way.
fn is_view_of(operation: OperationRef<'_, '_>, source: OperationRef<'_, '_>) -> bool {
    let is_view =
        |value: layout_dialect::build::Val<'_>| ViewType::from_type(value.r#type()).is_some();
    tree::name(operation).starts_with("layout.")
        && operation.result_count() == 1
        && operation.regions().next().is_none()
        && is_view(result(operation, 0))
        && operand(operation, 0) == result(source, 0)
}

/// Whether an operation is a barrier of all threads that orders what they did to shared memory.
fn is_barrier(operation: OperationRef<'_, '_>) -> bool {
    match tree::name(operation).as_str() {
        "gpu.barrier" => operation.attribute("address_spaces").is_err(),
        "nvvm.barrier0" => true,
        "nvvm.barrier" => operation.operand_count() == 0,
        _ => false,
    }
}

/// Whether an operation waits for all of a thread's asynchronous copies.
fn is_whole_wait(operation: OperationRef<'_, '_>) -> bool {
    tree::name(operation) == "nvvm.cp.async.wait.group"
        && operation
            .attribute("n")
            .and_then(IntegerAttribute::try_from)
            .is_ok_and(|left| left.value() == 0)
}
