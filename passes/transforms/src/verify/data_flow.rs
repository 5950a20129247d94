//! The data that threads hold, from what is read of shared memory to what it is used for, for `layout-verify` alone.
//!
//! A thread may read an element that nothing wrote, or that another thread stores at the same time, and never use the value:
//! a thread beyond the extent of a ragged tile does. Each operation on such data is a step here, and the walk of the threads
//! ([`super::threads`]) follows the values that are undefined through them. An operation that is not understood is a use.

use super::{
    arithmetic,
    follow::{Lane, Number, Step},
    trace::{Condition, Copy, Event, Known, Reader, Root, address},
};
use layout_dialect::{
    ViewType,
    build::{Val, operand, result},
    tree,
};
use layout_relation::IndexForm;
use melior::ir::{OperationRef, TypeLike, ValueLike, operation::OperationLike};

/// How data goes from values to others, in the registers of a thread.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The values, by their keys.
    pub(super) from: Vec<usize>,
    /// Registers that are read as wholes, by their buffers.
    pub(super) registers: Vec<usize>,
    pub(super) to: Vec<usize>,
    pub(super) how: How,
    pub(super) around: Vec<Condition>,
    /// The operation, by its address.
    pub(super) operation: usize,
}

#[derive(Clone, Debug)]
pub(super) enum How {
    /// Each result depends on all operands.
    Through,
    /// The result is the second operand where the number is 1, else the third.
    Select(Number),
    /// Each operand is passed on as one result, all at once.
    Pairs,
    /// The results depend on the first operand of another lane: how it is computed, from which number and width.
    Lane((Lane, IndexForm, IndexForm)),
    /// The results depend on the operands of all lanes of the warp.
    Lanes,
    /// The result is the element that the operation's access reads.
    Loaded,
    /// The operand is stored by the operation's access.
    Stored,
    /// An address, a condition, or anything that is not known.
    Used,
}

/// Dialects of operations whose results depend on their operands alone.
const PURE: [&str; 5] = ["arith.", "complex.", "index.", "math.", "vector."];

/// Parts of the names of those operations among them that touch memory, or have another effect.
const EFFECTS: [&str; 8] =
    ["load", "store", "gather", "scatter", "transfer", "print", "expand", "compress"];

/// Operations that pass values on, which is noted where they are read, or have no effect.
const NOTED: [&str; 9] = [
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
    "scf.condition",
    "layout.map",
    "layout.yield",
    "layout.reduce",
    "gpu.return",
];

/// Operations of the dialect that read data of registers, beside those whose accesses say so.
const READS: [&str; 4] = ["layout.mma", "layout.reduce", "layout.matmul", "layout.print"];

/// Operations whose regions are read as they are.
const REGIONS: [&str; 2] = ["layout.pipeline", "layout.transaction"];

impl Reader {
    /// Notes how data goes through an operation that was read.
    pub(super) fn flow(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        let count = operation.operand_count();
        match name {
            _ if NOTED.contains(&name) => {}
            "func.call" | "func.return" => self.calls(operation, name),
            "layout.load" | "memref.load" => {
                self.used(operation, 1..count);
                self.loaded_data(result(operation, 0));
            }
            "layout.store" | "memref.store" => {
                self.used(operation, 1..count);
                self.stored_data(operand(operation, 0));
            }
            "layout.fill" => self.stored_data(operand(operation, 1)),
            "arith.select" => {
                let condition = self.number_of(operation, 0);
                self.note(operation, How::Select(condition));
            }
            "gpu.shuffle" => {
                let lane = self.lane(operation);
                self.note(operation, lane.map_or(How::Lanes, How::Lane));
            }
            "gpu.subgroup_reduce" => self.note(operation, How::Lanes),
            _ if is_pure(operation, name) => self.note(operation, How::Through),
            _ => self.used(operation, 0..count),
        }
        if operation.regions().next().is_some()
            && !NOTED.contains(&name)
            && !REGIONS.contains(&name)
        {
            for inner in tree::all(operation) {
                self.used(inner, 0..inner.operand_count());
            }
        }
    }

    /// Adds a step, unless nothing in it may be undefined.
    fn push(&mut self, from: Vec<usize>, registers: Vec<usize>, to: Vec<usize>, how: How) {
        let Some(follow) = &mut self.follow else { return };
        let from_access = matches!(how, How::Loaded | How::Stored);
        let is_data = |key: &usize| follow.data.contains(key);
        let reads = from.iter().any(is_data) || !registers.is_empty();
        if !from_access && !reads && !to.iter().any(is_data) {
            return;
        }
        follow.data.extend(&to);
        let (around, operation) = (self.around.clone(), self.reading);
        self.step(Step::Flow(Flow { from, registers, to, how, around, operation }));
    }

    fn note(&mut self, operation: OperationRef<'_, '_>, how: How) {
        let from = (0..operation.operand_count()).map(|at| tree::key(operand(operation, at)));
        let to = (0..operation.result_count()).map(|at| tree::key(result(operation, at)));
        let (from, to) = (from.collect(), to.collect());
        self.push(from, Vec::new(), to, how);
    }

    /// Notes that operands are used: for addresses, conditions, or in ways that are not known.
    pub(super) fn used(
        &mut self,
        operation: OperationRef<'_, '_>,
        operands: impl Iterator<Item = usize>,
    ) {
        let name = tree::name(operation);
        let reads = !name.starts_with("layout.") || READS.contains(&name.as_str());
        let (mut from, mut registers) = (Vec::new(), Vec::new());
        for at in operands {
            from.push(tree::key(operand(operation, at)));
            match self.known(operation, at) {
                Some(Known::View(view)) if reads => {
                    if let Root::Register(number) = view.root {
                        registers.push(number);
                    }
                }
                _ => {}
            }
        }
        self.push(from, registers, Vec::new(), How::Used);
    }

    /// Notes that a value is the element that the operation's access reads.
    pub(super) fn loaded_data(&mut self, value: Val<'_>) {
        let source = self.access_of().and_then(|copy| copy.source.as_ref());
        let is_own =
            source.is_some_and(|view| !matches!(view.root, Root::Argument(_) | Root::Nothing));
        let key = tree::key(value);
        if is_own || self.follow.as_ref().is_some_and(|own| own.data.contains(&key)) {
            self.push(Vec::new(), Vec::new(), vec![key], How::Loaded);
        }
    }

    /// Notes that a value is stored by the operation's access.
    pub(super) fn stored_data(&mut self, value: Val<'_>) {
        let key = tree::key(value);
        let target = self.access_of().and_then(|copy| copy.target.as_ref());
        let to_registers = target.is_some_and(|view| matches!(view.root, Root::Register(_)));
        // Values that were in the registers are gone.
        if to_registers || self.follow.as_ref().is_some_and(|own| own.data.contains(&key)) {
            self.push(vec![key], Vec::new(), Vec::new(), How::Stored);
        }
    }

    /// The last access, of the operation that is read.
    fn access_of(&self) -> Option<&Copy> {
        let mut last = self.trace.events.iter().rev();
        match last.find(|event| !matches!(event, Event::Follow(_))) {
            Some(Event::Copy(copy)) if copy.operation == self.reading => Some(&**copy),
            _ => None,
        }
    }

    /// Notes that values are passed on as others, all at once; those of loops may be data in a later round.
    pub(super) fn pass_data<'c>(
        &mut self,
        pairs: impl Iterator<Item = (Val<'c>, Val<'c>)>,
        is_carried: bool,
    ) {
        let is_view = |value: Val<'_>| ViewType::from_type(value.r#type()).is_some();
        let pairs = pairs.filter(|(_, to)| !is_view(*to));
        let (from, to): (Vec<usize>, Vec<usize>) =
            pairs.map(|(from, to)| (tree::key(from), tree::key(to))).unzip();
        if let Some(follow) = self.follow.as_mut().filter(|_| is_carried) {
            follow.data.extend(&to);
        }
        self.push(from, Vec::new(), to, How::Pairs);
    }

    /// A call that is not read in its place may do anything, and what a function returns is used.
    fn calls(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        let is_read = match name {
            "func.call" => {
                self.follow.as_ref().is_some_and(|own| own.inlined == address(operation))
            }
            _ => self.follow.as_ref().is_some_and(|own| own.calls > 0),
        };
        if !is_read {
            self.used(operation, 0..operation.operand_count());
        }
    }
}

/// Whether an operation's results depend on its operands, and it does nothing else.
fn is_pure(operation: OperationRef<'_, '_>, name: &str) -> bool {
    let is_value = |value: Val<'_>| {
        let r#type = value.r#type();
        arithmetic::width(r#type).is_some()
            || layout_dialect::types::is_float(r#type)
            || r#type.is_vector()
    };
    PURE.iter().any(|dialect| name.starts_with(dialect))
        && !EFFECTS.iter().any(|effect| name.contains(effect))
        && operation.regions().next().is_none()
        && (0..operation.operand_count()).all(|at| is_value(operand(operation, at)))
}
