//! The operations of a matmul's epilogue, applied to the accumulators in a thread's registers before they are stored.
//!
//! An operand of the epilogue is partitioned as C is, so that element `i` of a thread's share of it
//! goes with accumulator `i`. Where a share stays on one element (stride 0), that is held once.

use crate::matmul::{
    Failure,
    emit::{Emit, Emitted, Extent, Predicate},
    launch::attributes::Attributes,
    normalise::{operands::FUSED, relayout::Relayout, rewrite::Origin},
    operand::{Memory, Operand},
    sizes::{MODES, Sizes, StatedLayout},
};
use layout_algebra::Layout;
use layout_dialect::{
    ViewType,
    build::{Val, first_result, operand as operand_of},
    epilogue::{Epilogue, Step, YIELD},
    tree,
};
use melior::ir::{Attribute, BlockRef, OperationRef, ValueLike, operation::OperationLike};
use std::collections::HashMap;

/// The most elements that a thread reads of an operand in one access.
const MAX_VECTOR: i64 = 4;

/// The epilogue of a matmul, and the arguments that it reads.
pub(crate) struct Fusion<'c> {
    /// The region's block; it is valid until the matmul is erased.
    block: BlockRef<'c, 'c>,
    /// Its operations, for the manifest.
    program: Epilogue,
    pub(crate) operands: Vec<Fused>,
}

/// An operand of an epilogue.
pub(crate) struct Fused {
    /// The number of the function's argument.
    pub(crate) argument: usize,
    /// The layout in the kernel's facts, as the source has it.
    pub(crate) stated: StatedLayout,
    pub(crate) element: String,
    /// Bytes that its address is a multiple of.
    pub(crate) alignment: i64,
    /// The number of the kernels' parameter that they read: the argument, or a copy of it.
    pub(crate) source: usize,
    pub(crate) copy: Option<Relayout>,
    /// The layout after `swap_ab`.
    seen: Layout,
    element_bytes: i64,
    /// Along which modes elements of a tile are different ones, and may be none.
    varies: (bool, bool),
    /// Elements in a row that a vector may hold.
    vector: i64,
}

impl<'c> Fusion<'c> {
    /// The epilogue of `matmul`, in a function whose body is `body`.
    pub(crate) fn new(
        (matmul, body): (OperationRef<'c, 'c>, BlockRef<'c, 'c>),
        origins: &[Origin<'c>],
        swap_ab: bool,
        sizes: &Sizes,
    ) -> Result<Option<Self>, Failure> {
        let program =
            Epilogue::of(matmul).map_err(|refused| Failure::Refused(refused.to_string()))?;
        let (Some(program), Some(block)) = (program, tree::entry(matmul)) else { return Ok(None) };
        let operands = origins
            .iter()
            .enumerate()
            .map(|(i, &Origin { value, workspace })| {
                let name = format!("the epilogue's operand {i}");
                let argument = crate::matmul::problem::position(body, value, &name)?;
                let matrix =
                    crate::matmul::problem::read(value, &format!("e{i}"), &MODES[2], sizes)?;
                let mut fused = Fused::new(argument, &name, matrix, swap_ab)?;
                if let Some(view) = workspace {
                    fused.read_copy(i, view)?;
                }
                Ok(fused)
            })
            .collect::<Result<_, Failure>>()?;
        Ok(Some(Self { block, program, operands }))
    }

    /// Whether it reads an argument.
    pub(crate) fn reads(&self, argument: usize) -> bool {
        self.operands.iter().any(|operand| operand.argument == argument)
    }

    /// The epilogue in the kernel's facts, and of which argument the second accumulator is.
    pub(crate) fn facts(&self, facts: Attributes<'c>, dual: Option<usize>) -> Attribute<'c> {
        let arguments: Vec<usize> = self.operands.iter().map(|operand| operand.argument).collect();
        let step = |step: &Step| {
            let own = [("op", facts.text(step.name)), ("inputs", facts.places(&step.inputs))];
            let detail = step.detail.as_ref().map(|detail| ("detail", facts.text(detail)));
            facts.dictionary(own.into_iter().chain(detail))
        };
        let steps: Vec<_> = self.program.steps.iter().map(step).collect();
        let result = i64::try_from(self.program.result).unwrap_or(i64::MAX);
        let place = |argument| facts.integer(i64::try_from(argument).unwrap_or(i64::MAX));
        let dual = dual.map(|argument| ("dual", place(argument)));
        let own = [
            ("operands", facts.places(&arguments)),
            ("steps", facts.list(&steps)),
            ("result", facts.integer(result)),
        ];
        facts.dictionary(own.into_iter().chain(dual))
    }
}

impl Fused {
    fn new(
        argument: usize,
        name: &str,
        matrix: crate::matmul::problem::Matrix,
        swap_ab: bool,
    ) -> Result<Self, Failure> {
        let crate::matmul::problem::Matrix { element, layout, stated, alignment } = matrix;
        let bytes = crate::matmul::problem::element_bits(name, &element)? / 8;
        let seen = if swap_ab { crate::matmul::problem::turned(name, &layout)? } else { layout };
        let memory = Memory { alignment, is_workspace: false, ..Memory::workspace(&seen, bytes) };
        let operand = Operand::new(name, memory).map_err(Failure::Refused)?;
        let Operand { extent, vector, .. } = operand;
        // A matrix of one row or column that is seen transposed has another stride along the other mode.
        let is_line = swap_ab && (extent.0 == 1 || extent.1 == 1);
        // A tile continues past a mode of one element, by its stride.
        let varies = |mode: usize| {
            let modes = seen.modes();
            let leaves = modes.get(mode).map(Layout::flat).unwrap_or_default();
            is_line || leaves.iter().any(|&(_, stride)| stride != 0)
        };
        let vector = if is_line || stated.is_strided() { 1 } else { vector.min(MAX_VECTOR) };
        let varies = (varies(0), varies(1));
        Ok(Self {
            argument,
            stated,
            element,
            alignment,
            source: argument,
            copy: None,
            seen,
            element_bytes: bytes,
            varies,
            vector,
        })
    }

    /// The layout after `swap_ab`.
    pub(crate) fn seen(&self) -> &Layout {
        &self.seen
    }

    /// Where the operand is.
    pub(crate) fn memory(&self) -> Memory<'_> {
        let Self { seen, element_bytes, alignment, .. } = self;
        Memory {
            alignment: *alignment,
            is_workspace: false,
            ..Memory::workspace(seen, *element_bytes)
        }
    }

    /// Has the kernels read a copy of it, the operand of this number, after `swap_ab`: a workspace.
    fn read_copy(&mut self, number: usize, workspace: Val<'_>) -> Result<(), Failure> {
        let layout = ViewType::try_from(workspace.r#type())?.layout();
        let layout = layout.map_err(|error| Failure::Refused(error.to_string()))?;
        let name = FUSED.get(number).copied().unwrap_or_default();
        let copy = Relayout::to(name, self.memory(), layout.inner()).map_err(Failure::Refused)?;
        self.copy = Some(copy);
        self.varies = (true, true);
        self.vector = 1;
        Ok(())
    }
}

/// An epilogue in a kernel: its operands are the kernel's views, with the modes that C is seen with.
pub(crate) struct Bound<'f, 'c> {
    fusion: &'f Fusion<'c>,
    views: Vec<Val<'c>>,
    /// Whether the views are of one matrix of a batch.
    single: bool,
}

/// A thread's slice of an operand.
pub(crate) struct OperandSlice<'c> {
    pub(crate) view: Val<'c>,
    pub(crate) predicates: Vec<Predicate<'c>>,
}

impl<'c> OperandSlice<'c> {
    /// The part of it that `part` gives, and of its predicates.
    pub(crate) fn part(&self, part: impl Fn(Val<'c>) -> Emitted<Val<'c>>) -> Emitted<Self> {
        let predicates = Predicate::each(&self.predicates, &part)?;
        Ok(Self { view: part(self.view)?, predicates })
    }
}

/// A thread's slice of an operand in registers.
struct OperandFragment<'c> {
    registers: Val<'c>,
    /// The leaves of the share: how many elements, and from each to the next how many registers.
    leaves: Vec<(i64, i64)>,
}

impl OperandFragment<'_> {
    /// The register of element `index` of the share.
    fn place(&self, mut index: i64) -> i64 {
        let mut place = 0;
        for &(extent, step) in &self.leaves {
            place += index % extent * step;
            index /= extent;
        }
        place
    }
}

impl<'f, 'c> Bound<'f, 'c> {
    pub(crate) fn new(fusion: &'f Fusion<'c>, views: Vec<Val<'c>>) -> Self {
        Self { fusion, views, single: false }
    }

    /// The epilogue of one matrix of a batch.
    pub(crate) fn of_matrix(&self, e: &Emit<'c>, number: Option<Val<'c>>) -> Emitted<Self> {
        let views =
            self.views.iter().map(|&view| e.matrix(view, number)).collect::<Emitted<_>>()?;
        Ok(Self { fusion: self.fusion, views, single: true })
    }

    /// The `share` of each operand, whose extents are C's, and of the coordinates along the modes that may leave it.
    pub(crate) fn shares(
        &self,
        e: &Emit<'c>,
        (extent, batch): ((Extent<'c>, Extent<'c>), Option<Extent<'c>>),
        ragged: (bool, bool),
        share: &dyn Fn(Val<'c>) -> Emitted<Val<'c>>,
    ) -> Emitted<Vec<OperandSlice<'c>>> {
        self.fusion
            .operands
            .iter()
            .zip(&self.views)
            .map(|(operand, &view)| {
                let needed = (ragged.0 && operand.varies.0, ragged.1 && operand.varies.1);
                let predicates = Predicate::each(
                    &e.predicates(extent, batch.filter(|_| !self.single), needed)?,
                    share,
                )?;
                Ok(OperandSlice { view: share(view)?, predicates })
            })
            .collect()
    }

    /// Writes to `results` the epilogue of each element of `accumulators`, of one GEMM or of those of both B: views of
    /// registers, one of which `results` may be. The shares have as many elements, in the same order.
    pub(crate) fn apply(
        &self,
        e: &Emit<'c>,
        (accumulators, results): (&[Val<'c>], Val<'c>),
        shares: &[OperandSlice<'c>],
    ) -> Emitted<()> {
        let block = self.fusion.block;
        let kind = tree::argument(block, 0).r#type().to_string();
        let held = self
            .fusion
            .operands
            .iter()
            .zip(shares)
            .map(|(operand, share)| operand.load(e, share, &kind))
            .collect::<Emitted<Vec<_>>>()?;
        let operations = tree::operations(block);
        let mut known = HashMap::new();
        for &constant in operations.iter().filter(|step| step.operand_count() == 0) {
            let value = first_result(tree::clone_with(&e.b, constant, &[]));
            known.insert(tree::key(first_result(constant)), value);
        }
        for i in 0..plain(results)?.size() {
            let mut values = known.clone();
            for (j, &accumulators) in accumulators.iter().enumerate() {
                let argument = tree::argument(block, j);
                let accumulator = e.element(accumulators, i)?;
                // Accumulators of integers are given as the numbers that the epilogue computes with.
                let accumulator = match accumulator.r#type() == argument.r#type() {
                    true => accumulator,
                    false => e.b.value("arith.sitofp", &[accumulator], argument.r#type(), &[])?,
                };
                values.insert(tree::key(argument), accumulator);
            }
            for (j, held) in held.iter().enumerate() {
                let value = e.element(held.registers, held.place(i))?;
                values.insert(tree::key(tree::argument(block, accumulators.len() + j)), value);
            }
            for &step in operations.iter().filter(|step| step.operand_count() > 0) {
                let inputs = (0..step.operand_count())
                    .map(|j| values.get(&tree::key(operand_of(step, j))).copied())
                    .collect::<Option<Vec<_>>>()
                    .ok_or(melior::Error::OperationBuild)?;
                if tree::name(step) == YIELD {
                    e.set_element(inputs[0], results, i)?;
                    break;
                }
                let value = first_result(tree::clone_with(&e.b, step, &inputs));
                values.insert(tree::key(first_result(step)), value);
            }
        }
        Ok(())
    }
}

impl Fused {
    /// Reads a share to registers, as numbers of a kind: each of its elements once.
    fn load<'c>(
        &self,
        e: &Emit<'c>,
        share: &OperandSlice<'c>,
        kind: &str,
    ) -> Emitted<OperandFragment<'c>> {
        let (mut leaves, mut shape, mut stride) = (Vec::new(), Vec::new(), Vec::new());
        let (mut block, mut registers) = (1, 1);
        for (extent, step) in plain(share.view)?.flat() {
            if extent == 1 || step == 0 {
                leaves.push((extent, 0));
            } else {
                leaves.push((extent, registers));
                shape.push(extent.to_string());
                stride.push(block.to_string());
                registers *= extent;
            }
            block *= extent;
        }
        let term = match shape.as_slice() {
            [] => "1:0".to_owned(),
            _ => format!("({}):({})", shape.join(","), stride.join(",")),
        };
        let part = |view| e.algebra("layout.composition", view, &term);
        let predicates = Predicate::each(&share.predicates, part)?;
        let source = part(share.view)?;
        let held = e.registers(kind, &[registers])?;
        // Elements in a row are read together, as far as they are aligned.
        let row = match plain(source)?.flat().first() {
            Some(&(extent, 1)) => extent & extent.wrapping_neg(),
            _ => 1,
        };
        e.copy(&format!("simt_{}", self.vector.min(row)), source, held, &predicates)?;
        Ok(OperandFragment { registers: held, leaves })
    }
}

/// The layout of a view, which has no swizzle; dynamic strides become distinct placeholders.
fn plain(view: Val<'_>) -> Emitted<Layout> {
    let term_value = ViewType::try_from(view.r#type())?.term_value().ok();
    term_value
        .and_then(|term_value| term_value.representative())
        .ok_or(melior::Error::OperationBuild)
}
