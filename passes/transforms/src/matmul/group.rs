//! Grouped GEMM: several matmuls of one function become one kernel. The tiles of all products are one order, which the
//! blocks take their tiles from, so that small products fill a device together.
//!
//! Each product has operands of its own, with extents and strides of its own, and an epilogue; it may be a batch. The
//! schedule is that of all, and so are the types of elements. Warpgroups load the tiles of whichever product to
//! the same stages, so that operands are contiguous along the same modes; of warps, a block has one tile, and each
//! product sees shared memory as it needs it. Matrices that fit no tiles, or no buffers of all, are copied as those of
//! one product are: [`decide`] names the ways of each, and those with the fewest copies that share a kernel are taken.

use crate::matmul::{
    Failure,
    decide::{self, Decision, Program},
    emit::Extents,
    epilogue::store::Store,
    launch::{Copied, Kernels, Launch, copy_name, kernels, precision},
    mainloop::{bulk_copy::arranged, shared_memory, warpgroups::WarpgroupPlan, warps::Plan},
    normalise::{operands::Relayouts, relayout::Relayout},
    pipeline::{
        multistage,
        warp_specialised::{self, Product},
    },
    problem::{Matmul, Problem, transposed},
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, attribute::StringAttribute, operation::OperationLike,
};

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
    let decisions = decide_all(&all).map_err(|(number, failure)| at(number)(failure))?;
    // Workspaces stand behind the arguments: of each product the copies of A and B and those of the epilogue's operands,
    // then those of all C.
    let mut next = body.argument_count();
    for (matmul, decision) in all.iter_mut().zip(&decisions) {
        next += decision.copies.0.iter().flatten().count();
        for &(number, _) in &decision.fused {
            let fusion = matmul.fusion.as_mut();
            if let Some(operand) = fusion.and_then(|fusion| fusion.operands.get_mut(number)) {
                operand.read_copy(next);
            }
            next += 1;
        }
    }
    let problems = all.iter().enumerate().map(|(i, matmul)| matmul.problem().map_err(at(i)));
    let problems: Vec<Problem<'_>> = problems.collect::<Result<_, _>>()?;
    let mut plans = Vec::with_capacity(all.len());
    let mut copied = Vec::with_capacity(all.len());
    for Decision { copies, fused, unpacked, program } in decisions {
        plans.push(program);
        copied.push(CopiedProduct { copies, fused, unpacked });
    }
    let group = Group { function, body, matmuls, all: &all, problems: &problems, copied: &copied };
    group.emit(plans).map_err(at(0))
}

/// Whether matmuls, which become one kernel, have programs.
pub(crate) fn fits(all: &[Matmul<'_>]) -> Result<(), String> {
    decide_all(all).map(|_| ()).map_err(|(_, failure)| failure.to_string())
}

/// How each of several matmuls is computed, so that all share one kernel: on warpgroups where all can be, else on warps.
///
/// # Errors
///
/// The number of a matmul for which there is no way, and why.
fn decide_all(all: &[Matmul<'_>]) -> Result<Vec<Decision>, (usize, Failure)> {
    let refused = |number: usize, message: String| (number, Failure::Refused(message));
    if let Some(number) = (0..all.len()).find(|&number| differs(all, number).is_some()) {
        return Err(refused(number, differs(all, number).unwrap_or_default()));
    }
    let problems = all.iter().enumerate();
    let problems = problems.map(|(i, matmul)| matmul.problem().map_err(|failure| (i, failure)));
    let problems: Vec<Problem<'_>> = problems.collect::<Result<_, _>>()?;
    let each = || all.iter().zip(&problems).enumerate();
    let mut ways = Vec::with_capacity(all.len());
    for (number, (matmul, problem)) in each() {
        let fusion = matmul.fusion.as_ref();
        let forced = decide::choices(problem).into_iter();
        let tried: Vec<Result<Decision, String>> =
            forced.filter_map(|forced| decide::on_warpgroups(problem, fusion, forced)).collect();
        if tried.is_empty() {
            // Warps compute all of them.
            return each().map(|(i, (m, p))| on_warps(m, p).map_err(|e| refused(i, e))).collect();
        }
        let (right, wrong): (Vec<_>, Vec<_>) = tried.into_iter().partition(Result::is_ok);
        let right: Vec<Decision> = right.into_iter().flatten().collect();
        if right.is_empty() {
            let first = wrong.into_iter().find_map(Result::err);
            return Err(refused(number, first.unwrap_or_default()));
        }
        ways.push(right);
    }
    sharing(ways, &problems).map_err(|(number, message)| refused(number, message))
}

/// The program on warps of one of several, with the fewest copies.
fn on_warps(matmul: &Matmul<'_>, problem: &Problem<'_>) -> Result<Decision, String> {
    let mut first = None;
    for forced in decide::choices(problem) {
        match decide::on_warps(problem, matmul.fusion.as_ref(), forced) {
            Ok(decision) => return Ok(decision),
            Err(message) => {
                first.get_or_insert(message);
            }
        }
    }
    Err(first.unwrap_or_else(|| "expected a matmul".to_owned()))
}

/// Those ways of several matmuls, with the fewest copies, that share stages, teams and the way in which C is written.
fn sharing(
    ways: Vec<Vec<Decision>>,
    problems: &[Problem<'_>],
) -> Result<Vec<Decision>, (usize, String)> {
    let taken = |ways: Vec<Vec<Decision>>, places: Vec<usize>| -> Vec<Decision> {
        let taken = ways.into_iter().zip(places);
        taken.map(|(mut own, place)| own.swap_remove(place)).collect()
    };
    let places = alike(&ways, problems)?;
    let staging = |decision: &Decision| match &decision.program {
        Program::Warpgroups(plan, _) => match &plan.store {
            Store::Staged { staging, .. } => Some(staging.clone()),
            Store::Direct { .. } => None,
        },
        Program::Warps(_) => None,
    };
    let buffers: Vec<Option<_>> =
        ways.iter().zip(&places).map(|(own, &place)| staging(&own[place])).collect();
    if buffers.iter().all(|buffer| buffer.is_some() && *buffer == buffers[0]) {
        return Ok(taken(ways, places));
    }
    // One arrangement of the accumulators is for all: threads write C.
    let mut direct = Vec::with_capacity(ways.len());
    for ((number, own), problem) in ways.into_iter().enumerate().zip(problems) {
        let mut refusal = None;
        let mut right = Vec::with_capacity(own.len());
        for mut way in own {
            match directly(&mut way, problem) {
                Ok(()) => right.push(way),
                Err(message) => {
                    refusal.get_or_insert(message);
                }
            }
        }
        match refusal {
            Some(message) if right.is_empty() => return Err((number, message)),
            _ => direct.push(right),
        }
    }
    let places = alike(&direct, problems)?;
    Ok(taken(direct, places))
}

/// The first ways that share stages and teams with one of the first matmul's.
fn alike(ways: &[Vec<Decision>], problems: &[Problem<'_>]) -> Result<Vec<usize>, (usize, String)> {
    let mut refusal = None;
    for (lead, first) in ways.first().into_iter().flatten().enumerate() {
        let differs = |number: usize, way: &Decision| {
            cannot_share((way, &problems[number]), (first, &problems[0]))
        };
        let mut places = vec![lead];
        for (number, own) in ways.iter().enumerate().skip(1) {
            let shared = own.iter().position(|way| differs(number, way).is_none());
            let Some(place) = shared else {
                let message = own.first().and_then(|way| differs(number, way));
                refusal.get_or_insert((number, message.unwrap_or_default()));
                break;
            };
            places.push(place);
        }
        if places.len() == ways.len() {
            return Ok(places);
        }
    }
    Err(refusal.unwrap_or_else(|| (0, "expected a matmul, found none".to_owned())))
}

/// Lets threads write C of a way, where its tiles are a thread's.
fn directly(way: &mut Decision, problem: &Problem<'_>) -> Result<(), String> {
    let Program::Warpgroups(plan, _) = &mut way.program else { return Ok(()) };
    let packed = decide::packed(&way.copies, way.unpacked.as_ref(), problem);
    plan.store_directly(&packed)?;
    match &plan.store {
        Store::Direct { partition, .. } => {
            arranged("C", packed.c, (plan.tile.0, plan.tile.1), partition)
        }
        Store::Staged { .. } => Ok(()),
    }
}

/// What is copied for one of several matmuls.
struct CopiedProduct {
    copies: Relayouts,
    /// The copies of the epilogue's operands, by their numbers.
    fused: Vec<(usize, Relayout)>,
    unpacked: Option<Relayout>,
}

/// The matmuls of a function, as they were read.
struct Group<'a, 'c> {
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    matmuls: &'a [OperationRef<'c, 'c>],
    all: &'a [Matmul<'c>],
    problems: &'a [Problem<'a>],
    copied: &'a [CopiedProduct],
}

impl<'a, 'c> Group<'a, 'c> {
    fn emit(&self, programs: Vec<Program>) -> Result<(), Failure> {
        let tellings = self.matmuls.iter().zip(self.copied).zip(self.problems);
        for ((&matmul, CopiedProduct { copies, .. }), problem) in tellings {
            copies.remark(matmul, problem);
        }
        let (mut warps, mut warpgroups) = (Vec::new(), Vec::new());
        for program in programs {
            match program {
                Program::Warps(plan) => warps.push(plan),
                Program::Warpgroups(plan, _) => warpgroups.push(*plan),
            }
        }
        match warps.is_empty() {
            true => self.on_warpgroups(warpgroups),
            false => self.on_warps(&warps),
        }
    }

    /// Warps that copy and multiply: a block has one tile.
    fn on_warps(&self, plans: &[Box<Plan>]) -> Result<(), Failure> {
        for (&matmul, plan) in self.matmuls.iter().zip(plans) {
            shared_memory::remark(matmul, &plan.conflicts());
        }
        let Some(first) = plans.first() else { return Ok(()) };
        let extents = self.problems.iter().zip(plans);
        let launch = Launch {
            grid: (plans.iter().fold(0_i64, |sum, plan| sum.saturating_add(plan.blocks())), 1),
            grid_at_run_time: None,
            threads: first.threads,
            chip: first.chip.clone(),
            extents: extents
                .map(|(problem, plan)| (problem.extents(plan.m, plan.n, plan.k), problem.batch()))
                .collect(),
            precision: precision(first.mma, false),
            loops: false,
            cluster: 1,
            copies: self.before(),
            sum: None,
            sum_at_run_time: None,
            unpacked: self.behind(),
        };
        let kernels = self.kernels(&launch)?;
        let operands = self.copy(&kernels)?;
        let (builder, parameters) = kernels.open("", self.function.location())?;
        let mut products = Vec::with_capacity(plans.len());
        for (number, (matmul, problem)) in self.all.iter().zip(self.problems).enumerate() {
            let [a, b, c] = operands[number].map(|i| parameters[i]);
            // A workspace stands as it is computed; the copy transposes.
            let c = match self.copied[number].unpacked {
                Some(_) => c,
                None => transposed(&builder, c, problem)?,
            };
            let fused = matmul.bound(&builder, &parameters, problem)?;
            let plan = &plans[number];
            let extents = Extents::known((plan.m, plan.n, plan.k), plan.batch);
            products.push(multistage::Product { plan, operands: [a, b, c], fused, extents });
        }
        Ok(multistage::emit(builder, &products)?)
    }

    /// Warpgroups, which the tiles of all products are one order for.
    fn on_warpgroups(&self, mut plans: Vec<WarpgroupPlan>) -> Result<(), Failure> {
        for (plan, copied) in plans.iter_mut().zip(self.copied) {
            plan.swap_ab &= copied.unpacked.is_none();
        }
        let Some(first) = plans.first() else { return Ok(()) };
        let tiles = plans.iter().fold(0_i64, |sum, plan| sum.saturating_add(plan.all_tiles()));
        let extents = self.problems.iter().zip(&plans);
        let launch = Launch {
            grid: (tiles, 1),
            grid_at_run_time: None,
            threads: first.threads(),
            chip: first.chip.clone(),
            extents: extents
                .map(|(problem, plan)| (problem.extents(plan.m, plan.n, plan.k), problem.batch()))
                .collect(),
            precision: precision(first.mma, first.promote),
            loops: true,
            cluster: first.cluster.0 * first.cluster.1,
            copies: self.before(),
            sum: None,
            sum_at_run_time: None,
            unpacked: self.behind(),
        };
        let kernels = self.kernels(&launch)?;
        let operands = self.copy(&kernels)?;
        let (builder, parameters) = kernels.open("", self.function.location())?;
        let mut products = Vec::with_capacity(plans.len());
        for (number, (matmul, problem)) in self.all.iter().zip(self.problems).enumerate() {
            let fused = matmul.bound(&builder, &parameters, problem)?;
            let operands = operands[number].map(|i| parameters[i]);
            let plan = &plans[number];
            let extents = Extents::known((plan.m, plan.n, plan.k), plan.batch);
            products.push(Product { plan, operands, fused, extents });
        }
        warp_specialised::emit(builder, products, None)?;
        Ok(())
    }

    /// The kernels, still empty.
    fn kernels(&self, launch: &Launch<'_>) -> Result<Kernels<'c>, Failure> {
        tracing::info!(?launch, "tiled");
        let name =
            StringAttribute::try_from(self.function.attribute("sym_name")?)?.value().to_owned();
        let described: Vec<_> = self.all.iter().map(Matmul::described).collect();
        kernels(self.function, self.body, launch, &name, &described)
    }

    /// The copies before the kernel, of one product after the other.
    fn before(&self) -> Vec<Copied<'a>> {
        let mut all = Vec::new();
        for (number, (matmul, copied)) in self.all.iter().zip(self.copied).enumerate() {
            let element = &matmul.matrices[0].element;
            for (name, copy) in copied.copies.named(&number.to_string()) {
                all.push(Copied { name, element: element.clone(), copy });
            }
            for (operand, copy) in &copied.fused {
                let element = fused(matmul, *operand).1;
                all.push(Copied { name: format!("{}_{number}", copy.name), element, copy });
            }
        }
        all
    }

    /// The copies of C behind it.
    fn behind(&self) -> Vec<Copied<'a>> {
        let products = self.all.iter().zip(self.copied).enumerate();
        let copy = |(number, (matmul, copied)): (usize, (&'a Matmul<'c>, &'a CopiedProduct))| {
            let copy = copied.unpacked.as_ref()?;
            let element = matmul.matrices[2].element.clone();
            Some(Copied { name: format!("{}{number}", copy.name), element, copy })
        };
        products.filter_map(copy).collect()
    }

    /// Emits all copies; the numbers of each product's operands in the kernel.
    fn copy(&self, kernels: &Kernels<'c>) -> Result<Vec<[usize; 3]>, melior::Error> {
        let mut workspace = self.body.argument_count();
        let mut operands = Vec::with_capacity(self.all.len());
        let products = || self.all.iter().zip(self.problems).zip(self.copied).enumerate();
        for (number, ((matmul, problem), copied)) in products() {
            let mut own = matmul.roles.map(|role| matmul.arguments[role]);
            let element = &matmul.matrices[0].element;
            copied.copies.emit(kernels, &number.to_string(), element, &mut own, &mut workspace)?;
            for (operand, copy) in &copied.fused {
                let (argument, element) = fused(matmul, *operand);
                let name = copy_name(&format!("{}_{number}", copy.name));
                let (builder, parameters) = kernels.open(&name, self.function.location())?;
                let source = transposed(&builder, parameters[argument], problem)?;
                copy.pack(builder, &element, source, parameters[workspace])?;
                workspace += 1;
            }
            operands.push(own);
        }
        for (number, ((matmul, problem), copied)) in products() {
            let Some(copy) = &copied.unpacked else { continue };
            let name = copy_name(&format!("{}{number}", copy.name));
            let (builder, parameters) = kernels.open(&name, self.function.location())?;
            let target = transposed(&builder, parameters[operands[number][2]], problem)?;
            let element = &matmul.matrices[2].element;
            copy.unpack(builder, element, parameters[workspace], target)?;
            operands[number][2] = workspace;
            workspace += 1;
        }
        Ok(operands)
    }
}

/// The argument that is an operand of a matmul's epilogue, and its elements.
fn fused(matmul: &Matmul<'_>, number: usize) -> (usize, String) {
    let operands = matmul.fusion.as_ref().map(|fusion| &fusion.operands);
    let operand = operands.and_then(|operands| operands.get(number));
    operand.map(|operand| (operand.argument, operand.element.clone())).unwrap_or_default()
}

/// What keeps a matmul from one kernel with those before it.
fn differs(all: &[Matmul<'_>], number: usize) -> Option<String> {
    let (own, first) = (all.get(number)?, all.first()?);
    let keys = [
        ("split_k", own.schedule.split_k != 1),
        ("stream_k", own.schedule.stream_k.is_some()),
        ("raster", own.schedule.raster.is_some()),
    ];
    if let Some((key, _)) = keys.into_iter().find(|&(_, given)| given) {
        return Some(format!("expected no '{key}' where a function has several matmuls, found it"));
    }
    if let Some(size) = own.sizes.first() {
        return Some(format!(
            "expected sizes that are known when compiling where a function has several matmuls, found '{size}' that is \
             known at run time"
        ));
    }
    if own.schedule != first.schedule {
        return Some(format!(
            "expected one schedule for all matmuls of a function, found <{}> and <{}>",
            first.schedule, own.schedule
        ));
    }
    let stored = own.arguments[2];
    let uses = |other: &Matmul<'_>| {
        other.arguments.contains(&stored)
            || other.fusion.as_ref().is_some_and(|fusion| fusion.reads(stored))
    };
    let mut others = all.iter().enumerate().filter(|&(other, _)| other != number);
    others.any(|(_, other)| uses(other)).then(|| {
        "expected C of each matmul of a function to be no operand of another, found one".to_owned()
    })
}

/// What keeps a way to compute a matmul from the stages and the teams of one of the first.
fn cannot_share(
    (way, problem): (&Decision, &Problem<'_>),
    (lead, other): (&Decision, &Problem<'_>),
) -> Option<String> {
    let (Program::Warpgroups(plan, _), Program::Warpgroups(first, _)) =
        (&way.program, &lead.program)
    else {
        return None;
    };
    let (problem, other) = (way.packed(problem), lead.packed(other));
    let names = problem.names();
    for (name, own, before, layouts) in [
        (names[0], &plan.a, &first.a, [problem.a, other.a]),
        (names[1], &plan.b, &first.b, [problem.b, other.b]),
    ] {
        if own.shared != before.shared {
            return Some(format!(
                "expected {name} of all matmuls of a function contiguous along one mode, and in blocks \
                 alike, found {} and {}",
                layouts[1], layouts[0]
            ));
        }
    }
    (plan.teams != 1 && plan.depth() != first.depth()).then(|| {
        format!(
            "expected as many tiles along K for all matmuls of a function with 'ping_pong', found {} \
             and {}",
            first.depth(),
            plan.depth()
        )
    })
}
