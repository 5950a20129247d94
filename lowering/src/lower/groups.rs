//! The groups of asynchronous MMAs that a step of a pipeline commits, and the registers that they read.
//!
//! MMAs read their fragments until they are done. A fragment that is loaded again, in the same step or
//! in the next, waits for the last group that reads it: of the groups committed since, all may still be
//! in flight, so that their number is what the wait leaves.
//!
//! ```text
//! step   wait 1; load f; multiply f; commit;   wait 1; load g; multiply g; commit
//! ```
//!
//! The first wait leaves the MMA of `g` of the step before, the second the one of `f` of this.

use super::{Failure, wgmma};
use layout_dialect::{
    Space,
    atoms::MmaAtom,
    build::{Builder, Val, operand},
    ops, tree,
};
use melior::ir::{BlockRef, OperationRef, operation::OperationLike};

/// The operands that an MMA reads in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reads {
    Nothing,
    /// Parts of one allocation.
    Registers(usize),
    /// Some that are not known.
    Unknown,
}

/// The MMAs of a step, in order.
#[derive(Default)]
pub(super) struct Groups {
    /// Each is a group of its own.
    mmas: Vec<(usize, Reads)>,
    /// How many of them were committed, where the step has been lowered up to.
    committed: usize,
    /// The accumulators of those.
    accumulators: Vec<usize>,
}

impl Groups {
    /// The MMAs that are in the step itself, and not in a loop or branch of it. Where one of those
    /// writes registers, MMAs of registers are waited for at once, and are none.
    pub(super) fn of(step: BlockRef<'_, '_>) -> Self {
        let operations = tree::operations(step);
        let inside = operations.iter().flat_map(|&operation| tree::all(operation));
        let plain = !inside.into_iter().any(writes_registers);
        let mmas = operations.iter().filter_map(|&operation| {
            let mma = asynchronous(operation)?;
            let reads = match mma.a_space {
                Space::Register => reads(operand(operation, 0)),
                _ => Reads::Nothing,
            };
            (plain || reads == Reads::Nothing).then_some((identity(operation), reads))
        });
        Self { mmas: mmas.collect(), ..Self::default() }
    }

    /// How many groups a step commits.
    pub(super) fn count(&self) -> usize {
        self.mmas.len()
    }

    /// Notes the MMA's group, if it is one of those.
    pub(super) fn commits(&mut self, mma: OperationRef<'_, '_>) -> bool {
        let identity = identity(mma);
        let known = self.mmas.iter().any(|&(other, _)| other == identity);
        self.committed += usize::from(known);
        known
    }

    /// Whether these accumulators are new among those of the step.
    pub(super) fn sums_up(&mut self, accumulators: Val<'_>) -> bool {
        let key = tree::key(accumulators);
        let new = !self.accumulators.contains(&key);
        if new {
            self.accumulators.push(key);
        }
        new
    }

    /// How many groups were committed after the last one that reads registers of this view, or `None` if no
    /// group reads any.
    fn groups_after_last_reader(&self, written: Val<'_>) -> Option<usize> {
        let written = reads(written);
        let hit = |&(_, read): &(usize, Reads)| match (read, written) {
            (Reads::Nothing, _) => false,
            (Reads::Registers(read), Reads::Registers(written)) => read == written,
            _ => true,
        };
        let (before, after) = self.mmas.split_at(self.committed.min(self.mmas.len()));
        // Those of this step, then those of the step before.
        let mut order = before.iter().rev().chain(after.iter().rev());
        order.position(hit)
    }

    /// Waits until registers of this view may be written.
    pub(super) fn wait_to_write(&self, b: &Builder<'_>, view: Val<'_>) -> Result<(), Failure> {
        match self.groups_after_last_reader(view) {
            None => Ok(()),
            Some(pending) => wgmma::wait(b, i64::try_from(pending).unwrap_or(0)),
        }
    }
}

fn identity(operation: OperationRef<'_, '_>) -> usize {
    operation.to_raw().ptr as usize
}

/// The atom of an MMA that is waited for later.
fn asynchronous(operation: OperationRef<'_, '_>) -> Option<&'static MmaAtom> {
    if tree::name(operation) != "layout.mma" || ops::has_two_levels(operation) {
        return None;
    }
    ops::atom(operation).ok()?.mma().filter(|mma| mma.b_space == Space::Shared)
}

/// The allocation that a view of registers is of.
fn reads(view: Val<'_>) -> Reads {
    let mut value = view;
    // Definitions are before their uses, so that this comes to an end.
    while let Some(definition) = tree::definition(value) {
        match tree::name(definition).as_str() {
            "layout.alloc" => return Reads::Registers(tree::key(value)),
            name if name.starts_with("layout.") && definition.operand_count() > 0 => {
                value = operand(definition, 0);
            }
            _ => break,
        }
    }
    Reads::Unknown
}

/// Whether it is a copy, fill or store to registers.
fn writes_registers(operation: OperationRef<'_, '_>) -> bool {
    let at = match tree::name(operation).as_str() {
        "layout.copy" | "layout.store" => 1,
        "layout.fill" => 0,
        _ => return false,
    };
    let view =
        layout_dialect::ViewType::try_from(melior::ir::ValueLike::r#type(&operand(operation, at)));
    view.is_ok_and(|view| view.space() == Space::Register)
}
