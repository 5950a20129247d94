//! Branches and loops that threads take independently.

use super::{Failure, Serialize, ThreadLoop, is_pure, refused};
use layout_dialect::{atoms::CopyKind, build::operand, tree};
use melior::ir::{BlockRef, OperationRef, Region, RegionLike, operation::OperationLike};

impl<'c> Serialize<'c> {
    /// Whether each thread takes a branch, or a loop, by itself.
    pub(super) fn is_own(&self, operation: OperationRef<'c, 'c>) -> bool {
        match tree::name(operation).as_str() {
            "scf.for" => is_own_loop(operation),
            _ => self.threaded.contains(&tree::key(operand(operation, 0))),
        }
    }

    /// A branch by the thread, in which threads do not meet: a part of the piece that is open.
    fn own_branch(
        &self,
        operation: OperationRef<'c, 'c>,
        piece: &mut ThreadLoop<'c>,
    ) -> Result<(), Failure> {
        if operation.result_count() != 0 {
            return Err(refused("expected a branch without results in a tile program"));
        }
        let condition = self.value(piece, operand(operation, 0))?;
        let mut regions = Vec::new();
        for number in 0..2 {
            let region = operation.region(number)?;
            let Some(old) = region.first_block() else {
                regions.push(Region::new());
                continue;
            };
            // SAFETY: the block is owned by the operation's region.
            let old = unsafe { BlockRef::from_raw(old.to_raw()) };
            let (region, b) = piece.b.region();
            let mut inside = ThreadLoop { b, thread: piece.thread, values: piece.values.clone() };
            for inner in tree::operations(old) {
                self.in_branch(inner, &mut inside)?;
            }
            b.operation("scf.yield", &[], &[], &[], vec![])?;
            regions.push(region);
        }
        piece.b.operation("scf.if", &[condition], &[], &[], regions)?;
        Ok(())
    }

    /// A loop in which threads do not meet, and which carries nothing from round to round.
    fn own_loop(
        &self,
        operation: OperationRef<'c, 'c>,
        piece: &mut ThreadLoop<'c>,
    ) -> Result<(), Failure> {
        let body = tree::entry(operation).ok_or_else(|| refused("expected a loop with a body"))?;
        let mut bounds = [operand(operation, 0); 3];
        for (i, bound) in bounds.iter_mut().enumerate() {
            *bound = self.value(piece, operand(operation, i))?;
        }
        let (b, induction) = piece.b.open_loop(bounds)?;
        let mut inside = ThreadLoop { b, thread: piece.thread, values: piece.values.clone() };
        inside.values.insert(tree::key(tree::argument(body, 0)), induction);
        tree::operations(body).into_iter().try_for_each(|inner| self.in_branch(inner, &mut inside))
    }

    pub(super) fn in_branch(
        &self,
        operation: OperationRef<'c, 'c>,
        piece: &mut ThreadLoop<'c>,
    ) -> Result<(), Failure> {
        let name = tree::name(operation);
        match name.as_str() {
            // It has a value already; the other ends the branch.
            "layout.alloc" | "scf.yield" => Ok(()),
            "scf.if" => self.own_branch(operation, piece),
            "scf.for" if operation.result_count() == 0 && !is_unsigned(operation) => {
                self.own_loop(operation, piece)
            }
            "layout.copy" => {
                let atom = layout_dialect::ops::atom(operation)?;
                match atom.copy_kind() {
                    Some(CopyKind::Simt | CopyKind::CpAsync) => {
                        self.per_thread_copy(piece, operation, atom)
                    }
                    _ => Err(refused(format!(
                        "expected copies of single threads in a branch by the thread, found {}",
                        atom.name
                    ))),
                }
            }
            "layout.fill" | "layout.store" | "layout.atomic" | "layout.load" => {
                self.clone_into(piece, operation)
            }
            // Computed where it is used.
            name if is_pure(name) => Ok(()),
            name => Err(refused(format!(
                "expected an operation of single threads in a branch by the thread, found {name}"
            ))),
        }
    }
}

/// Whether a loop of single elements has branches, and no threads that meet. A value that is loaded before a branch may be used
/// after it, so that both are a part of one piece.
fn is_own_loop(operation: OperationRef<'_, '_>) -> bool {
    let inside = tree::all(operation);
    let is_own = |one: &OperationRef<'_, '_>| {
        let name = tree::name(*one);
        match name.as_str() {
            "scf.for" => one.result_count() == 0 && !is_unsigned(*one),
            "scf.if" => one.result_count() == 0,
            "layout.load" | "layout.store" | "scf.yield" => true,
            name => is_pure(name),
        }
    };
    operation.result_count() == 0
        && !is_unsigned(operation)
        && inside.iter().any(|one| tree::name(*one) == "scf.if")
        && inside.iter().all(is_own)
}

/// Whether a loop is unsigned.
fn is_unsigned(operation: OperationRef<'_, '_>) -> bool {
    operation.attribute("unsignedCmp").is_ok()
}
