//! Which operands of a matmul have a relayout copy before it, and whether its result has one after it.
//!
//! Warpgroups need operands that bulk copies take, in an order that the instruction takes. Where an operand,
//! or C, lies in blocks that tiles do not fit, both kinds of kernels work on a copy ([`forced`](Relayouts::of)).

use crate::{
    matmul::{
        NAME,
        epilogue::store,
        launch::{Kernels, copy_name},
        mainloop::bulk_copy::{self, Rows},
        normalise::relayout::Relayout,
        operand::Memory,
        partition::Major,
        problem::Problem,
    },
    pointers::ASSUMED,
};
use layout_dialect::{
    Space,
    atoms::{self, Atom, shared_matrix},
    diagnostics::{self, Optimization},
};
use melior::ir::{OperationRef, operation::OperationLike};

/// The copy of C that comes after warpgroups, which write it where their bulk stores can: where
/// they cannot write to C itself, and C is so large that the copy takes less time than their threads
/// would with element after element.
pub(crate) fn unpacked(problem: &Problem<'_>) -> Option<Relayout> {
    const LARGE: i64 = 1 << 22;
    let bytes = problem.output_bits / 8;
    let rows_of = |memory| Rows::stored("C", memory, store::piece(problem.schedule.tile.1, bytes));
    let parts = problem.schedule.split_k != 1 || problem.schedule.stream_k.is_some();
    // Warps do not compute convolutions of a dynamic number of images.
    let is_open = problem.window.is_some() && !problem.sizes.is_empty();
    if parts
        || is_open
        || problem.c.size() < LARGE
        || bytes != 2
        || rows_of(problem.result()).is_ok()
    {
        return None;
    }
    let copy = Relayout::new("c", problem.result(), false).ok()?;
    let rows = rows_of(Memory::workspace(&copy.layout, bytes));
    rows.is_ok_and(|rows| rows.major == Major::Reduction).then_some(copy)
}

/// The names of the copies of the epilogue's operands.
pub(crate) const FUSED: [&str; 8] = ["e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"];

/// Whether warpgroups take A and B in the order along M, or N: where the instruction does, and A that threads
/// load to registers.
fn turned_by(problem: &Problem<'_>) -> [bool; 2] {
    const REGISTER_A: (Space, Space) = (Space::Register, Space::Shared);
    let atom = problem.schedule.mma.as_deref().and_then(atoms::lookup).and_then(Atom::mma);
    let held = atom.is_some_and(|mma| (mma.a_space, mma.b_space) == REGISTER_A);
    let transposes = shared_matrix::transposes(problem.input_bytes);
    [transposes || held, transposes]
}

/// The copies of A and B that warpgroups need, or `None` if bulk copies take the operand, in an order
/// that the instruction takes.
#[derive(Debug)]
pub(crate) struct Relayouts(pub(crate) [Option<Relayout>; 2]);

impl Relayouts {
    /// The copies that warpgroups need, and of those operands of which `forced` says so.
    pub(crate) fn of(problem: &Problem<'_>, forced: [bool; 2]) -> Self {
        let (rows, columns, depth) = problem.schedule.tile;
        let transposes = turned_by(problem);
        let taken = |i: usize, name, memory: Memory<'_>, rows| {
            let taken = Rows::of(name, memory, (rows, depth)).ok();
            taken.filter(|rows| rows.major == Major::Reduction || transposes[i])
        };
        let [a, b] = problem.copy_names();
        let taken = [taken(0, a, problem.left(), rows), taken(1, b, problem.right(), columns)];
        let short = bulk_copy::short_rows(problem, taken);
        let copy = |i: usize, name, memory| match taken[i] {
            // Copies to shared memory compute it.
            _ if i == 0 && problem.window.is_some() => None,
            Some(_) if !short[i] && !forced[i] => None,
            _ => Relayout::new(name, memory, !transposes[i]).ok(),
        };
        Self([copy(0, a, problem.left()), copy(1, b, problem.right())])
    }

    /// Only copies of those operands of which `forced` says so.
    pub(crate) fn only(problem: &Problem<'_>, forced: [bool; 2]) -> Self {
        let [a, b] = problem.copy_names();
        let copy = |i: usize, name, memory| {
            forced[i].then(|| Relayout::new(name, memory, false).ok()).flatten()
        };
        Self([copy(0, a, problem.left()), copy(1, b, problem.right())])
    }

    /// Reports why each copied operand is copied, where remarks are shown.
    pub(crate) fn remark(&self, matmul: OperationRef<'_, '_>, problem: &Problem<'_>) {
        if !diagnostics::remarks_enabled(matmul) {
            return;
        }
        let (rows, columns, depth) = problem.schedule.tile;
        let operands = [(problem.left(), rows), (problem.right(), columns)];
        let operands = problem.names().into_iter().zip(operands);
        let operands = operands.zip(turned_by(problem)).zip(&self.0);
        for (((name, (memory, rows)), turns), _) in operands.filter(|(_, copy)| copy.is_some()) {
            let Memory { layout, element_bytes: bytes, .. } = memory;
            let reason = match Rows::of(name, memory, (rows, depth)) {
                Err(reason) => reason,
                Ok(rows) if rows.major == Major::Outer && !turns => {
                    format!(
                        "expected {name} with stride 1 along K for wgmma of elements of {bytes} bytes, found \
                     {layout}"
                    )
                }
                Ok(rows) => format!(
                    "expected {name} with more than {} contiguous elements per block, since bulk copies of shorter ones take longer than a relayout before the matmul, found {layout}",
                    rows.width
                ),
            };
            let reason = format!("{name} is copied before the matmul: {reason}");
            let (kind, name) = (Optimization::Missed, "copied-operand");
            diagnostics::optimization_remark(matmul, kind, NAME, name, &reason, "");
        }
    }

    /// Each copy, by a name of its own, with its element type, of those of A and B.
    pub(crate) fn named<'e>(
        &self,
        number: &str,
        elements: [&'e str; 2],
    ) -> Vec<(String, &'e str, &Relayout)> {
        let copies = self.0.iter().zip(elements);
        let copies = copies.filter_map(|(copy, element)| Some((copy.as_ref()?, element)));
        copies.map(|(copy, element)| (format!("{}{number}", copy.name), element, copy)).collect()
    }

    /// Emits the copies, from the arguments of these numbers to workspaces from this number on, which
    /// are the arguments then.
    pub(crate) fn emit<'c>(
        &self,
        kernels: &Kernels<'c>,
        number: &str,
        elements: [&str; 2],
        operands: &mut [usize; 3],
        workspace: &mut usize,
    ) -> Result<(), melior::Error> {
        for ((copy, element), operand) in self.0.iter().zip(elements).zip(operands) {
            let Some(copy) = copy else { continue };
            let name = copy_name(&format!("{}{number}", copy.name));
            let (builder, parameters) = kernels.open(&name, kernels.module.location())?;
            copy.pack(builder, element, parameters[*operand], parameters[*workspace])?;
            *operand = *workspace;
            *workspace += 1;
        }
        Ok(())
    }

    /// The problem as it is after the copies.
    pub(crate) fn apply<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        let layout = |i: usize, old| self.0[i].as_ref().map_or(old, |copy| &copy.layout);
        let mut alignments = problem.alignments;
        for (alignment, copy) in alignments.iter_mut().zip(&self.0) {
            *alignment = if copy.is_some() { ASSUMED } else { *alignment };
        }
        Problem { a: layout(0, problem.a), b: layout(1, problem.b), alignments, ..*problem }
    }
}

/// The problem as it is between copies.
pub(crate) fn packed<'a>(
    copies: &'a Relayouts,
    unpacked: Option<&'a Relayout>,
    problem: &Problem<'a>,
) -> Problem<'a> {
    let mut packed = copies.apply(problem);
    if let Some(copy) = unpacked {
        packed.c = &copy.layout;
        packed.alignments[2] = ASSUMED;
        packed.stores_to_workspace = true;
    }
    packed
}
