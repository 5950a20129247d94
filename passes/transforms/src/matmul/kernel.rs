//! The kernels of a function's matmuls, one or several: workspaces, relayout copies before, the tile program, and the
//! addition of partial results and relayout copies of C after it.
//!
//! Imports all parts; only the pass itself imports it.

use crate::matmul::{
    Failure,
    decide::{self, Decision},
    epilogue::fusion::{Bound, Fused},
    group,
    launch::{Copied, Kernels, Launch, copy_name, cover_text, grid_text, kernels, precision},
    mainloop::{Mainloop, shared_memory},
    normalise::relayout::Relayout,
    pipeline::{self, Gemm},
    problem::{Matmul, Problem, transposed},
    scheduler::{TileScheduler, Work, split_k},
};
use layout_dialect::{
    build::{Builder, Val},
    tree,
};
use melior::ir::{BlockLike, BlockRef, OperationRef, operation::OperationLike};

/// Where a failure is, and what it is.
type Located<'c> = (OperationRef<'c, 'c>, Failure);

/// Makes a kernel of the name of `function`, which does nothing but these matmuls.
pub(crate) fn tile<'c>(
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    matmuls: &[OperationRef<'c, 'c>],
) -> Result<(), Located<'c>> {
    let at = |number: usize| {
        move |failure: Failure| (matmuls.get(number).copied().unwrap_or(function), failure)
    };
    let mut all = Vec::with_capacity(matmuls.len());
    for (number, &matmul) in matmuls.iter().enumerate() {
        all.push(Matmul::read(body, matmul).map_err(at(number))?);
    }
    let mut decisions = decide(&all).map_err(|(number, failure)| at(number)(failure))?;
    if let Some(number) = decisions.iter().position(Decision::has_copies) {
        let expected =
            "expected a matmul whose mainloop reads all operands without a copy before it";
        let message =
            format!("{expected}, found one that layout-normalise-matmul would copy one of");
        return Err(at(number)(Failure::Refused(message)));
    }
    // Workspaces are after the arguments: for each problem the copies of A and B and those of the epilogue's operands,
    // then the addition of partial results, and the copies of all C.
    let mut next = body.argument_count();
    for (matmul, decision) in all.iter_mut().zip(&mut decisions) {
        // A workspace is stored as it is computed; the copy transposes.
        if let Mainloop::Warpgroups(warpgroups) = &mut decision.plan.mainloop {
            warpgroups.swap_ab &= matmul.unpacked.is_none();
        }
        next += matmul.copies.0.iter().flatten().count();
        let fused = matmul.fusion.iter_mut().flat_map(|fusion| &mut fusion.operands);
        for operand in fused.filter(|operand| operand.copy.is_some()) {
            operand.source = next;
            next += 1;
        }
    }
    let mut parts = Vec::with_capacity(all.len());
    for (number, (read, decision)) in all.iter().zip(&decisions).enumerate() {
        let problem = read.problem().map_err(at(number))?;
        // The GEMM's number, where there are several.
        let name = if all.len() == 1 { String::new() } else { number.to_string() };
        parts.push(KernelMatmul { matmul: matmuls[number], read, problem, decision, name });
    }
    KernelMatmuls { function, body, parts }.emit().map_err(at(0))
}

/// How matmuls are computed that become one kernel.
///
/// # Errors
///
/// The number of a matmul for which there is no way, and why.
pub(crate) fn decide(all: &[Matmul<'_>]) -> Result<Vec<Decision>, (usize, Failure)> {
    let mut decisions = match all {
        [one] => vec![decide::decide(one).map_err(|failure| (0, failure))?],
        several => group::decide(several)?,
    };
    for (decision, matmul) in decisions.iter_mut().zip(all) {
        // The tile before may be another matmul's. And where no store is between pieces, ptxas computes the epilogue of all of
        // them at once, and spills.
        if all.len() > 1 || matmul.fusion.is_some() {
            decision.plan.deferred = 0;
        }
    }
    Ok(decisions)
}

/// One of a kernel's matmuls.
struct KernelMatmul<'a, 'c> {
    matmul: OperationRef<'c, 'c>,
    read: &'a Matmul<'c>,
    problem: Problem<'a>,
    decision: &'a Decision,
    /// The suffix of its copies' names, where the kernel has several matmuls.
    name: String,
}

impl<'a, 'c> KernelMatmul<'a, 'c> {
    fn scheduler(&self) -> &'a TileScheduler {
        &self.decision.plan.scheduler
    }

    /// The operands of its epilogue that are copied, and their copies.
    fn fused(&self) -> impl Iterator<Item = (&'a Fused, &'a Relayout)> {
        let operands = self.read.fusion.iter().flat_map(|fusion| &fusion.operands);
        operands.filter_map(|operand| Some((operand, operand.copy.as_ref()?)))
    }

    /// The name of a copy of an operand of its epilogue.
    fn fused_name(&self, own: &str) -> String {
        if self.name.is_empty() { own.to_owned() } else { format!("{own}_{}", self.name) }
    }

    fn bound(
        &self,
        builder: &Builder<'c>,
        parameters: &[Val<'c>],
    ) -> Result<Option<Bound<'a, 'c>>, melior::Error> {
        self.read.bound(builder, parameters, &self.problem)
    }

    /// C among the parameters of a kernel, after `swap_ab`; a workspace is so.
    fn c(
        &self,
        builder: &Builder<'c>,
        parameters: &[Val<'c>],
        c: usize,
    ) -> Result<Val<'c>, melior::Error> {
        match self.read.unpacked {
            Some(_) => Ok(parameters[c]),
            None => transposed(builder, parameters[c], &self.problem),
        }
    }
}

/// All matmuls of a kernel.
struct KernelMatmuls<'a, 'c> {
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    parts: Vec<KernelMatmul<'a, 'c>>,
}

impl<'a, 'c> KernelMatmuls<'a, 'c> {
    fn emit(&self) -> Result<(), Failure> {
        for part in &self.parts {
            shared_memory::remark(part.matmul, &part.decision.plan.conflicts());
        }
        let Some(first) = self.parts.first() else { return Ok(()) };
        let launch = self.launch(first);
        tracing::info!(?launch, "tiled");
        let name = tree::symbol(self.function).unwrap_or_default();
        let described: Vec<_> = self.parts.iter().map(|part| part.read.described()).collect();
        let kernels = kernels(self.function, self.body, &launch, &name, &described)?;

        let mut workspace = self.body.argument_count();
        let mut operands = self.copy_operands(&kernels, &mut workspace)?;
        let partials = first.scheduler().partials().map(|_| workspace);
        workspace += usize::from(partials.is_some());
        self.copy_results(&kernels, &mut operands, &mut workspace)?;
        if let Some(partials) = partials {
            let (builder, parameters) = kernels.open(split_k::NAME, first.matmul.location())?;
            let c = first.c(&builder, &parameters, operands[0][2])?;
            let TileScheduler { extents, batch, .. } = *first.scheduler();
            let extents = first.read.extents(&builder, &parameters, extents, batch)?;
            let fused = first.bound(&builder, &parameters)?;
            first.scheduler().reduce(builder, [parameters[partials], c], fused, &extents)?;
        }
        self.program(&kernels, &operands, partials)?;
        Ok(())
    }

    /// The facts of the kernel's launch.
    fn launch(&self, first: &KernelMatmul<'a, 'c>) -> Launch<'a> {
        let (plan, problem) = (&first.decision.plan, &first.problem);
        let scheduler = first.scheduler();
        let schedulers: Vec<&TileScheduler> =
            self.parts.iter().map(KernelMatmul::scheduler).collect();
        let (rows, columns, _) = scheduler.tile;
        let tiles = grid_text(problem, (rows, columns), scheduler.cluster);
        let extents = |part: &KernelMatmul<'a, 'c>| {
            (part.problem.extents(part.scheduler().extents), part.problem.batch())
        };
        let summed = match &scheduler.work {
            Work::SplitK(split) => {
                let (tile, _) = split.shares.arrangement();
                cover_text(problem, tile, (1, 1), (false, false))
            }
            _ => None,
        };
        Launch {
            grid: TileScheduler::grid(&schedulers),
            grid_at_run_time: tiles.map(|tiles| scheduler.grid_at_run_time(tiles)),
            threads: plan.threads,
            chip: plan.chip.clone(),
            extents: self.parts.iter().map(extents).collect(),
            precision: precision(plan.mma, plan.has_two_levels()),
            loops: scheduler.is_persistent(),
            cluster: scheduler.cluster.0 * scheduler.cluster.1,
            copies: self.parts.iter().flat_map(Self::before).collect(),
            sum: scheduler.partials(),
            sum_at_run_time: summed
                .map(|[rows, columns, matrices]| [format!("{rows}*{matrices}"), columns]),
            unpacked: self.parts.iter().filter_map(Self::copy_of_c).collect(),
        }
    }

    /// The copies before the kernel.
    fn before(part: &KernelMatmul<'a, 'c>) -> Vec<Copied<'a>> {
        let copies = part.read.copies.named(&part.name, part.read.inputs()).into_iter();
        let mut all: Vec<_> = copies
            .map(|(name, element, copy)| Copied { name, element: element.to_owned(), copy })
            .collect();
        for (operand, copy) in part.fused() {
            let element = operand.element.clone();
            all.push(Copied { name: part.fused_name(copy.name), element, copy });
        }
        all
    }

    /// The copy of C after it.
    fn copy_of_c(part: &KernelMatmul<'a, 'c>) -> Option<Copied<'a>> {
        let copy = part.read.unpacked.as_ref()?;
        let element = part.read.matrices[2].element.clone();
        Some(Copied { name: format!("{}{}", copy.name, part.name), element, copy })
    }

    /// Emits the copies before the kernel; the numbers of each problem's operands among its parameters.
    fn copy_operands(
        &self,
        kernels: &Kernels<'c>,
        workspace: &mut usize,
    ) -> Result<Vec<[usize; 3]>, melior::Error> {
        let mut operands = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let mut own = part.read.order.map(|operand| part.read.arguments[operand]);
            let elements = part.read.inputs();
            part.read.copies.emit(kernels, &part.name, elements, &mut own, workspace)?;
            for (operand, copy) in part.fused() {
                let name = copy_name(&part.fused_name(copy.name));
                let (builder, parameters) = kernels.open(&name, part.matmul.location())?;
                let source = transposed(&builder, parameters[operand.argument], &part.problem)?;
                copy.pack(builder, &operand.element, source, parameters[*workspace])?;
                *workspace += 1;
            }
            operands.push(own);
        }
        Ok(operands)
    }

    /// Emits the copies of C after the kernel, which writes workspaces in their places.
    fn copy_results(
        &self,
        kernels: &Kernels<'c>,
        operands: &mut [[usize; 3]],
        workspace: &mut usize,
    ) -> Result<(), melior::Error> {
        for (part, own) in self.parts.iter().zip(operands) {
            let Some(copy) = &part.read.unpacked else { continue };
            let name = copy_name(&format!("{}{}", copy.name, part.name));
            let (builder, parameters) = kernels.open(&name, part.matmul.location())?;
            let target = transposed(&builder, parameters[own[2]], &part.problem)?;
            let element = &part.read.matrices[2].element;
            copy.unpack(builder, element, parameters[*workspace], target)?;
            own[2] = *workspace;
            *workspace += 1;
        }
        Ok(())
    }

    /// Emits the tile program.
    fn program(
        &self,
        kernels: &Kernels<'c>,
        operands: &[[usize; 3]],
        partials: Option<usize>,
    ) -> Result<(), melior::Error> {
        let (builder, parameters) = kernels.open("", self.parts[0].matmul.location())?;
        let mut gemms = Vec::with_capacity(self.parts.len());
        let mut workspace = None;
        for (part, &[a, b, c]) in self.parts.iter().zip(operands) {
            let plan = &part.decision.plan;
            let TileScheduler { extents, batch, work, .. } = &plan.scheduler;
            let is_split = matches!(work, Work::SplitK(_));
            let c = match (&plan.mainloop, partials) {
                // Partial results are stored without the epilogue.
                (_, Some(partials)) if is_split => parameters[partials],
                (Mainloop::Warps(_), _) => part.c(&builder, &parameters, c)?,
                (Mainloop::Warpgroups(_), _) => parameters[c],
            };
            let fused = if is_split { None } else { part.bound(&builder, &parameters)? };
            if !is_split {
                workspace = partials.map(|partials| parameters[partials]);
            }
            let extents = part.read.extents(&builder, &parameters, *extents, *batch)?;
            let operands = [parameters[a], parameters[b], c];
            let dual = part.read.dual.as_ref().map(|&(_, argument)| parameters[argument]);
            gemms.push(Gemm { plan, operands, dual, fused, extents });
        }
        pipeline::emit(builder, gemms, workspace)
    }
}
