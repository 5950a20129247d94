//! Several matmuls of one function become one kernel, a grouped GEMM: the tiles of all products are one
//! order, which the blocks take their tiles from, so that small products fill a device together.
//!
//! Each product has operands of its own, with extents and strides of its own, and an epilogue; it may be a batch. The
//! schedule is that of all, and so are the types of elements. Warpgroups load the tiles of whichever product to
//! the same stages, so that operands are contiguous along the same modes; of warps, a block has one tile, and each
//! product sees shared memory as it needs it.

use super::{
    Copied, Failure, Kernels, Launch, Matmul, banks,
    copies::Copies,
    kernels,
    plan::{Plan, Problem},
    precision, program, transposed,
    warpgroup_plan::{Store, WarpgroupPlan},
    warpgroup_program::{self, Product},
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, attribute::StringAttribute, operation::OperationLike,
};

/// Where a failure is, and what it is.
type Located<'c> = (OperationRef<'c, 'c>, Failure);

/// Makes a kernel of the name of `function`, which does nothing but these matmuls.
pub(super) fn tile<'c>(
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    matmuls: &[OperationRef<'c, 'c>],
) -> Result<(), Located<'c>> {
    let at = |number: usize| {
        move |failure: Failure| (matmuls.get(number).copied().unwrap_or(function), failure)
    };
    let refused = |number: usize, message: String| Err(at(number)(Failure::Refused(message)));
    let mut all = Vec::with_capacity(matmuls.len());
    for (number, &matmul) in matmuls.iter().enumerate() {
        all.push(Matmul::read(body, matmul).map_err(at(number))?);
    }
    for number in 0..all.len() {
        if let Some(message) = differs(&all, number) {
            return refused(number, message);
        }
    }
    let problems = all.iter().enumerate().map(|(i, matmul)| matmul.problem().map_err(at(i)));
    let problems: Vec<Problem<'_>> = problems.collect::<Result<_, _>>()?;
    let copies: Vec<Copies> =
        problems.iter().map(|problem| Copies::of(problem, [false; 2])).collect();
    let packed: Vec<Problem<'_>> =
        copies.iter().zip(&problems).map(|(copies, problem)| copies.apply(problem)).collect();
    let group = Group { function, body, matmuls, all: &all, problems: &problems };
    if packed.iter().all(WarpgroupPlan::wanted) {
        group.on_warpgroups(&copies, &packed)
    } else {
        group.on_warps()
    }
}

/// Whether matmuls, which become one kernel, have programs.
pub(super) fn fits(all: &[Matmul<'_>]) -> Result<(), String> {
    let message = |failure: Failure| failure.to_string();
    if let Some(message) = (0..all.len()).find_map(|number| differs(all, number)) {
        return Err(message);
    }
    let problems: Vec<Problem<'_>> =
        all.iter().map(Matmul::problem).collect::<Result<_, _>>().map_err(message)?;
    let copies: Vec<Copies> =
        problems.iter().map(|problem| Copies::of(problem, [false; 2])).collect();
    let packed: Vec<Problem<'_>> =
        copies.iter().zip(&problems).map(|(copies, problem)| copies.apply(problem)).collect();
    if packed.iter().all(WarpgroupPlan::wanted) {
        let plans = packed.iter().map(WarpgroupPlan::new).collect::<Result<Vec<_>, _>>()?;
        return match (1..plans.len()).find_map(|number| cannot_share(&plans, &packed, number)) {
            Some(message) => Err(message),
            None => Ok(()),
        };
    }
    problems.iter().try_for_each(|problem| Plan::new(problem)?.is_arranged(problem))
}

/// The matmuls of a function, as they were read.
struct Group<'a, 'c> {
    function: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    matmuls: &'a [OperationRef<'c, 'c>],
    all: &'a [Matmul<'c>],
    problems: &'a [Problem<'a>],
}

impl<'c> Group<'_, 'c> {
    /// Where a matmul's failure is.
    fn at(&self, number: usize) -> impl Fn(Failure) -> Located<'c> + use<'c> {
        let matmul = self.matmuls.get(number).copied().unwrap_or(self.function);
        move |failure| (matmul, failure)
    }

    /// The kernels, still empty.
    fn kernels(&self, launch: &Launch<'_>) -> Result<Kernels<'c>, Failure> {
        tracing::info!(?launch, "tiled");
        let name =
            StringAttribute::try_from(self.function.attribute("sym_name")?)?.value().to_owned();
        let described: Vec<_> = self.all.iter().map(Matmul::described).collect();
        kernels(self.function, self.body, launch, &name, &described)
    }

    /// Warps that copy and multiply: a block has one tile.
    fn on_warps(&self) -> Result<(), Located<'c>> {
        let mut plans = Vec::with_capacity(self.all.len());
        for (number, problem) in self.problems.iter().enumerate() {
            let plan = Plan::new(problem).and_then(|plan| {
                plan.is_arranged(problem)?;
                Ok(plan)
            });
            plans.push(plan.map_err(Failure::Refused).map_err(self.at(number))?);
        }
        for (&matmul, plan) in self.matmuls.iter().zip(&plans) {
            banks::tell(matmul, &plan.conflicts());
        }
        let Some(first) = plans.first() else { return Ok(()) };
        let extents = self.problems.iter().zip(&plans);
        let launch = Launch {
            grid: (plans.iter().fold(0_i64, |sum, plan| sum.saturating_add(plan.blocks())), 1),
            threads: first.threads,
            chip: first.chip.clone(),
            extents: extents
                .map(|(problem, plan)| (problem.extents(plan.m, plan.n, plan.k), problem.batch()))
                .collect(),
            precision: precision(first.mma, false),
            loops: false,
            cluster: 1,
            copies: Vec::new(),
            sum: None,
            unpacked: None,
        };
        let emit = || -> Result<(), Failure> {
            let kernels = self.kernels(&launch)?;
            let (builder, parameters) = kernels.open("", self.function.location())?;
            let mut products = Vec::with_capacity(plans.len());
            for ((matmul, problem), plan) in self.all.iter().zip(self.problems).zip(&plans) {
                let [a, b, c] = matmul.roles.map(|role| parameters[matmul.arguments[role]]);
                let operands = [a, b, transposed(&builder, c, problem)?];
                let fused = matmul.bound(&builder, &parameters, problem)?;
                products.push(program::Product { plan, operands, fused });
            }
            Ok(program::emit(builder, &products)?)
        };
        emit().map_err(self.at(0))
    }

    /// Warpgroups, which the tiles of all products are one order for.
    fn on_warpgroups(&self, copies: &[Copies], packed: &[Problem<'_>]) -> Result<(), Located<'c>> {
        let Self { matmuls, all, problems, body, .. } = *self;
        let refused =
            |number: usize, message: String| Err(self.at(number)(Failure::Refused(message)));
        let mut plans = Vec::with_capacity(all.len());
        for (number, problem) in packed.iter().enumerate() {
            let plan = WarpgroupPlan::new(problem).map_err(Failure::Refused);
            plans.push(plan.map_err(self.at(number))?);
        }
        for number in 1..plans.len() {
            if let Some(message) = cannot_share(&plans, packed, number) {
                return refused(number, message);
            }
        }
        for ((&matmul, copies), problem) in matmuls.iter().zip(copies).zip(problems) {
            copies.tell(matmul, problem);
        }
        let buffers = |plan: &WarpgroupPlan| match &plan.store {
            Store::Staged { staging, .. } => Some(staging.clone()),
            Store::Direct { .. } => None,
        };
        let first = plans.first().and_then(buffers);
        if plans.iter().any(|plan| buffers(plan).is_none() || buffers(plan) != first) {
            // One arrangement of the accumulators is for all.
            for (number, (plan, problem)) in plans.iter_mut().zip(packed).enumerate() {
                plan.store_directly(problem).map_err(Failure::Refused).map_err(self.at(number))?;
            }
        }
        let Some(first) = plans.first() else { return Ok(()) };
        let tiles = plans.iter().fold(0_i64, |sum, plan| sum.saturating_add(plan.all_tiles()));
        let numbers: Vec<String> = (0..all.len()).map(|number| number.to_string()).collect();
        let extents = problems.iter().zip(&plans);
        let before = copies.iter().zip(&numbers).zip(all).flat_map(|((copies, number), matmul)| {
            let element = &matmul.matrices[0].element;
            let named = copies.named(number).into_iter();
            named.map(|(name, copy)| Copied { name, element: element.clone(), copy })
        });
        let before = before.collect();
        let launch = Launch {
            grid: (tiles, 1),
            threads: first.threads(),
            chip: first.chip.clone(),
            extents: extents
                .map(|(problem, plan)| (problem.extents(plan.m, plan.n, plan.k), problem.batch()))
                .collect(),
            precision: precision(first.mma, first.promote),
            loops: true,
            cluster: first.cluster.0 * first.cluster.1,
            copies: before,
            sum: None,
            unpacked: None,
        };
        let emit = || -> Result<(), Failure> {
            let kernels = self.kernels(&launch)?;
            let mut workspace = body.argument_count();
            let mut arguments = Vec::with_capacity(all.len());
            for ((matmul, copies), number) in all.iter().zip(copies).zip(&numbers) {
                let mut operands = matmul.roles.map(|role| matmul.arguments[role]);
                let element = &matmul.matrices[0].element;
                copies.emit(&kernels, number, element, &mut operands, &mut workspace)?;
                arguments.push(operands);
            }
            let (builder, parameters) = kernels.open("", self.function.location())?;
            let mut products = Vec::with_capacity(all.len());
            for (((matmul, problem), plan), operands) in
                all.iter().zip(problems).zip(&plans).zip(arguments)
            {
                let fused = matmul.bound(&builder, &parameters, problem)?;
                products.push(Product { plan, operands: operands.map(|i| parameters[i]), fused });
            }
            warpgroup_program::emit(builder, products, None)?;
            Ok(())
        };
        emit().map_err(self.at(0))
    }
}

/// What keeps a matmul from one kernel with those before it.
fn differs(all: &[Matmul<'_>], number: usize) -> Option<String> {
    let (own, first) = (all.get(number)?, all.first()?);
    let keys = [
        ("splits", own.schedule.splits != 1),
        ("stream_k", own.schedule.stream_k.is_some()),
        ("raster", own.schedule.raster.is_some()),
    ];
    if let Some((key, _)) = keys.into_iter().find(|&(_, given)| given) {
        return Some(format!("expected no '{key}' where a function has several matmuls, found it"));
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

/// What keeps a plan from the stages and the teams of those before it.
fn cannot_share(
    plans: &[WarpgroupPlan],
    problems: &[Problem<'_>],
    number: usize,
) -> Option<String> {
    let (plan, first) = (plans.get(number)?, plans.first()?);
    let (problem, other) = (problems.get(number)?, problems.first()?);
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
            "expected as many tiles along K for all matmuls of a function where there are teams, \
             found {} and {}",
            first.depth(),
            plan.depth()
        )
    })
}
