//! Emits the tile program: what one block of threads does, in layout operations.
//!
//! ```text
//! copy tiles 0 .. stages-1 to shared memory, asynchronously
//! for each tile along K:
//!     wait for the oldest tile; start copying the tile that is stages-1 ahead
//!     for each step: load fragments, multiply-accumulate
//! write the accumulators
//! ```
//!
//! A coordinate past an operand's end reads as zero: each copy carries, for every mode that a tile
//! may leave, the coordinate along that mode as an `iota` view that was partitioned exactly like
//! the data, and the extent it must stay below.

use super::plan::{InputPlan, Plan};
use layout_dialect::build::{Builder, Val, first_result, result};
use melior::ir::{
    Attribute, Type, ValueLike,
    attribute::{DenseI64ArrayAttribute, FloatAttribute},
};

type Emitted<T> = Result<T, melior::Error>;

/// A coordinate along one mode, partitioned, and the extent it must stay below.
struct Guard<'c> {
    view: Val<'c>,
    limit: i64,
}

/// An input operand inside the block: this thread's share of each stage.
struct Input<'c, 'p> {
    plan: &'p InputPlan,
    /// `(vector, passes…, k tiles)` in global memory.
    source: Val<'c>,
    guards: Vec<Guard<'c>>,
    /// The same share of the shared buffer: `(vector, passes…, stages)`.
    target: Val<'c>,
    /// This lane's addresses of fragments: `(values, atoms, k steps, 1, stages)`.
    fragments: Val<'c>,
    /// Registers of one k step: `(values, atoms, 1)`.
    registers: Val<'c>,
}

/// Emits layout operations at one point.
#[derive(Clone, Copy)]
struct Emit<'c, 'p> {
    b: Builder<'c>,
    plan: &'p Plan,
}

/// Emits the whole program into the kernel's body; `a`, `b` and `c` are its arguments.
pub(super) fn emit<'c>(builder: Builder<'c>, plan: &Plan, [a, b, c]: [Val<'c>; 3]) -> Emitted<()> {
    let e = Emit { b: builder, plan };
    let thread = e.hardware_index("gpu.thread_id", "x")?;
    let block_m = e.hardware_index("gpu.block_id", "x")?;
    let block_n = e.hardware_index("gpu.block_id", "y")?;
    let (wm, wn) = plan.warps;
    let coordinates = e.idx2crd(thread, &format!("({},{wm},{wn})", super::partition::WARP))?;
    let (lane, warp_m, warp_n) =
        (result(coordinates, 0), result(coordinates, 1), result(coordinates, 2));

    let a = e.input(&plan.a, a, block_m, thread, lane, warp_m)?;
    let b = e.input(&plan.b, b, block_n, thread, lane, warp_n)?;
    let (values, atoms_m, atoms_n) = plan.accumulators;
    let accumulators = e.registers("f32", &[values, atoms_m, atoms_n])?;
    let zero = e.zero()?;
    e.b.operation("layout.fill", &[accumulators, zero], &[], &[], vec![])?;

    let index = Type::index(e.b.context());
    for stage in 0..plan.stages - 1 {
        let stage = e.b.constant(index, stage)?;
        e.fetch(&a, &b, stage, stage)?;
    }
    let (inner, tile) = e.b.open_count(plan.k_tiles())?;
    {
        let e = Emit { b: inner, plan };
        e.wait(plan.stages - 2)?;
        let ahead = e.b.constant(index, plan.stages - 1)?;
        let next = e.b.binary("arith.addi", tile, ahead)?;
        let ring = format!("({},{})", plan.stages, plan.k_tiles());
        let stage = result(e.idx2crd(tile, &ring)?, 0);
        let next_stage = result(e.idx2crd(next, &ring)?, 0);
        e.fetch(&a, &b, next, next_stage)?;
        for step in 0..plan.k_steps {
            e.load(&a, step, stage)?;
            e.load(&b, step, stage)?;
            let atom = e.atom(plan.mma.name)?;
            let operands = [a.registers, b.registers, accumulators];
            e.b.operation("layout.mma", &operands, &[], &[("atom", atom)], vec![])?;
        }
    }
    e.wait(0)?;
    e.store(c, accumulators, [block_m, block_n], [lane, warp_m, warp_n])?;
    e.b.operation("gpu.return", &[], &[], &[], vec![])?;
    Ok(())
}

impl<'c, 'p> Emit<'c, 'p> {
    /// Partitions an input operand among the block's threads.
    fn input(
        &self,
        plan: &'p InputPlan,
        view: Val<'c>,
        block: Val<'c>,
        thread: Val<'c>,
        lane: Val<'c>,
        warp: Val<'c>,
    ) -> Emitted<Input<'c, 'p>> {
        let tiler = format!("({},{})", plan.tile.0, plan.tile.1);
        let by_mode = format!("<{}, _>", plan.copy_partition);
        let share = |view: Val<'c>| -> Emitted<Val<'c>> {
            let tiles = self.algebra("layout.zipped_divide", view, &tiler)?;
            let row = self.slice(tiles, "(_,(?,_))", &[block])?;
            let arranged = self.algebra("layout.composition", row, &by_mode)?;
            self.slice(arranged, "(((?,_),_),_)", &[thread])
        };
        let source = share(view)?;
        let guards = self
            .guards(plan.operand.extent, plan.ragged)?
            .into_iter()
            .map(|guard| Ok(Guard { view: share(guard.view)?, limit: guard.limit }))
            .collect::<Emitted<Vec<_>>>()?;

        let element = element_type_text(view);
        let shared = self.alloc(&element, "shared", &plan.shared)?;
        let arranged = self.algebra("layout.composition", shared, &by_mode)?;
        let target = self.slice(arranged, "(((?,_),_),_)", &[thread])?;

        let by_lane = format!("<{}, _>", plan.load_partition);
        let arranged = self.algebra("layout.composition", shared, &by_lane)?;
        let fragments = self.slice(arranged, "((((?,_),_),(?,_)),_)", &[lane, warp])?;
        let (values, atoms) = plan.fragment;
        let registers = self.registers(&element, &[values, atoms, 1])?;
        Ok(Input { plan, source, guards, target, fragments, registers })
    }

    /// For each mode that a tile may leave, the coordinate along it as a view, and its extent.
    fn guards(&self, extent: (i64, i64), ragged: (bool, bool)) -> Emitted<Vec<Guard<'c>>> {
        let (rows, columns) = extent;
        let mut guards = Vec::new();
        for (needed, stride, limit) in [(ragged.0, "(1,0)", rows), (ragged.1, "(0,1)", columns)] {
            if needed {
                let text = format!("!layout.view<index, iota, ({rows},{columns}):{stride}>");
                let view = self.b.value("layout.iota", &[], self.parse(&text)?, &[])?;
                guards.push(Guard { view, limit });
            }
        }
        Ok(guards)
    }

    /// Starts the copy of one tile of each input to a stage, as one group.
    fn fetch(
        &self,
        a: &Input<'c, 'p>,
        b: &Input<'c, 'p>,
        tile: Val<'c>,
        stage: Val<'c>,
    ) -> Emitted<()> {
        for input in [a, b] {
            let source = self.slice(input.source, "(_,_,?)", &[tile])?;
            let target = self.slice(input.target, "(_,_,?)", &[stage])?;
            let guards = input
                .guards
                .iter()
                .map(|guard| {
                    let view = self.slice(guard.view, "(_,_,?)", &[tile])?;
                    Ok(Guard { view, limit: guard.limit })
                })
                .collect::<Emitted<Vec<_>>>()?;
            self.copy(input.plan.copy.name, source, target, &guards)?;
        }
        self.b.operation("nvvm.cp.async.commit.group", &[], &[], &[], vec![])?;
        Ok(())
    }

    /// Waits until at most `pending` copy groups are under way, then for the whole block.
    fn wait(&self, pending: i64) -> Emitted<()> {
        let n = self.attribute(&format!("{pending} : i32"))?;
        self.b.operation("nvvm.cp.async.wait.group", &[], &[], &[("n", n)], vec![])?;
        self.b.operation("gpu.barrier", &[], &[], &[], vec![])?;
        Ok(())
    }

    /// Loads the fragments of one k step.
    fn load(&self, input: &Input<'c, 'p>, step: i64, stage: Val<'c>) -> Emitted<()> {
        let pattern = format!("(_,(_,{step}),_,?)");
        let source = self.slice(input.fragments, &pattern, &[stage])?;
        self.copy(input.plan.load.name, source, input.registers, &[])
    }

    /// Writes the accumulators to the block's tile of C.
    fn store(
        &self,
        view: Val<'c>,
        accumulators: Val<'c>,
        [block_m, block_n]: [Val<'c>; 2],
        [lane, warp_m, warp_n]: [Val<'c>; 3],
    ) -> Emitted<()> {
        let plan = self.plan;
        let tiler = format!("({},{})", plan.tile.0, plan.tile.1);
        let by_mode = format!("<{}, _>", plan.store_partition);
        let share = |view: Val<'c>| -> Emitted<Val<'c>> {
            let tiles = self.algebra("layout.zipped_divide", view, &tiler)?;
            let arranged = self.algebra("layout.composition", tiles, &by_mode)?;
            self.slice(
                arranged,
                "((((?,_),_),(?,?)),(?,?))",
                &[lane, warp_m, warp_n, block_m, block_n],
            )
        };
        let target = share(view)?;
        let ragged = (plan.m % plan.tile.0 != 0, plan.n % plan.tile.1 != 0);
        let guards = self
            .guards(plan.c.extent, ragged)?
            .into_iter()
            .map(|guard| Ok(Guard { view: share(guard.view)?, limit: guard.limit }))
            .collect::<Emitted<Vec<_>>>()?;
        self.copy(plan.store.name, accumulators, target, &guards)
    }

    fn copy(
        &self,
        atom: &str,
        source: Val<'c>,
        target: Val<'c>,
        guards: &[Guard<'c>],
    ) -> Emitted<()> {
        let mut operands = vec![source, target];
        operands.extend(guards.iter().map(|guard| guard.view));
        let limits: Vec<i64> = guards.iter().map(|guard| guard.limit).collect();
        let limits = DenseI64ArrayAttribute::new(self.b.context(), &limits).into();
        let attributes = [("atom", self.atom(atom)?), ("limits", limits)];
        self.b.operation("layout.copy", &operands, &[], &attributes, vec![])?;
        Ok(())
    }

    /// An algebra operation on a view, with a term.
    fn algebra(&self, name: &str, view: Val<'c>, term: &str) -> Emitted<Val<'c>> {
        let term = self.attribute(&format!("#layout<{term}>"))?;
        Ok(first_result(self.b.inferred(name, &[view], &[("term", term)])?))
    }

    /// Fixes the coordinates that the pattern writes as `?` or as integers.
    fn slice(&self, view: Val<'c>, pattern: &str, coordinates: &[Val<'c>]) -> Emitted<Val<'c>> {
        let mut operands = vec![view];
        operands.extend_from_slice(coordinates);
        let pattern = self.b.string(pattern);
        Ok(first_result(self.b.inferred("layout.slice", &operands, &[("coord", pattern)])?))
    }

    fn idx2crd(&self, index: Val<'c>, shape: &str) -> Emitted<melior::ir::OperationRef<'c, 'c>> {
        let shape = self.attribute(&format!("#layout<{shape}>"))?;
        self.b.inferred("layout.idx2crd", &[index], &[("shape", shape)])
    }

    fn hardware_index(&self, name: &str, dimension: &str) -> Emitted<Val<'c>> {
        let dimension = self.attribute(&format!("#gpu<dim {dimension}>"))?;
        self.b.value(name, &[], Type::index(self.b.context()), &[("dimension", dimension)])
    }

    /// A compact, column-major register buffer.
    fn registers(&self, element: &str, shape: &[i64]) -> Emitted<Val<'c>> {
        let mut strides = Vec::with_capacity(shape.len());
        let mut stride = 1;
        for &extent in shape {
            strides.push(stride);
            stride *= extent;
        }
        self.alloc(element, "register", &format!("({}):({})", join(shape), join(&strides)))
    }

    fn alloc(&self, element: &str, space: &str, layout: &str) -> Emitted<Val<'c>> {
        let r#type = self.parse(&format!("!layout.view<{element}, {space}, {layout}>"))?;
        self.b.value("layout.alloc", &[], r#type, &[])
    }

    fn zero(&self) -> Emitted<Val<'c>> {
        let f32_type = Type::float32(self.b.context());
        let zero = FloatAttribute::new(self.b.context(), f32_type, 0.0).into();
        self.b.value("arith.constant", &[], f32_type, &[("value", zero)])
    }

    fn atom(&self, name: &str) -> Emitted<Attribute<'c>> {
        self.attribute(&format!("#layout.atom<{name}>"))
    }

    fn attribute(&self, text: &str) -> Emitted<Attribute<'c>> {
        Attribute::parse(self.b.context(), text)
            .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))
    }

    fn parse(&self, text: &str) -> Emitted<Type<'c>> {
        Type::parse(self.b.context(), text)
            .ok_or_else(|| melior::Error::TypeExpected("view", text.to_owned()))
    }
}

fn join(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

fn element_type_text(view: Val<'_>) -> String {
    layout_dialect::ViewType::try_from(view.r#type())
        .map(|view| view.element_type().to_string())
        .unwrap_or_default()
}
