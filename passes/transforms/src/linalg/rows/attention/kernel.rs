//! The kernel of attention in layout operations: FlashAttention-2 on `mma.sync`, as `lowering/kernels/attention.mlir` is by hand.
//!
//! A block has 64 queries of a head, each of its four warps 16. K and V of 64 keys at a time are copied by `cp.async` in two stages while
//! the ones before are multiplied. Scores stay in registers: a function of each, the greatest of a row, exponentials, their sum, and
//! as operands of the second MMA. An element past the last query or key is read as 0, counts as minus infinity, and is not stored.

use super::{
    launch::KernelOperand,
    scores::Scores,
    structure::{Attention, ExtraOperand},
};
use crate::matmul::{Emit, Predicate};
use layout_dialect::{
    build::{Builder, Val, first_result},
    fragments::map,
    ops::Limit,
    tree,
};
use melior::ir::{
    Attribute, BlockLike, Region, Type, ValueLike,
    attribute::{DenseI64ArrayAttribute, FloatAttribute},
};
use std::collections::HashMap;

/// Queries of a block, and keys of a step.
pub(super) const TILE: i64 = 64;

/// Threads of a block.
pub(super) const THREADS: i64 = 128;

/// The head size of one MMA of Q K^T, and the keys of one of P V.
const STEP: i64 = 16;

/// The thread-value layout of a tile of scores: that of the accumulators of four warps.
const SCORES: &str = "((4,8,4),((2,2),1,8)):((128,1,16),((64,8),0,512))";

/// Who holds which part of a row of accumulators.
const ROWS: &str = "((4,8,4),2):((1@1,1@0,16@0),8@0)";

/// A row's value for a value of a fragment: rows are the second mode of the first one.
const BY_ROW: &str = "((2,8),2):((1,4),2)";

/// `arith.cmpf oeq`.
const EQUAL: i64 = 1;

type Built<T> = Result<T, melior::Error>;

/// Emits the body of the kernel.
pub(super) fn emit<'c>(
    attention: &Attention<'c>,
    seen: &[KernelOperand<'c>],
    parameters: &[Val<'c>],
    (entry, body): (Builder<'c>, Builder<'c>),
) -> Built<()> {
    let (entry, e) = (Emit { b: entry }, Emit { b: body });
    let thread = entry.hardware_index("gpu.thread_id", "x")?;
    let rest = &parameters[seen.len()..];
    let (scalars, sizes) = rest.split_at(attention.graph.scalars.len());
    let mut program = Program {
        attention,
        entry,
        e,
        thread,
        scalars,
        sizes,
        loops: HashMap::new(),
        first: entry.b.constant(Type::index(entry.b.context()), 0)?,
    };
    program.heads()?;
    let place = program.place()?;
    let views = program.matrices(seen, parameters)?;
    program.run(&place, &views)
}

/// The tile of queries that a block has, and its steps.
struct Place<'c> {
    /// The tile's number, and its first query.
    tile: Val<'c>,
    query: Val<'c>,
    /// Queries from there on, where the last tile may have fewer.
    left: Option<Val<'c>>,
    /// All keys, where the last step may have fewer.
    keys: Option<Val<'c>>,
    steps: Val<'c>,
}

/// A matrix for each operand.
struct Matrices<'c> {
    q: Val<'c>,
    k: Val<'c>,
    v: Val<'c>,
    others: Vec<Val<'c>>,
    result: Val<'c>,
}

/// The part of an operand that a step reads, and where it lies then.
struct Input<'c> {
    matrix: Val<'c>,
    width: i64,
    copy: String,
    /// The thread's part of the buffer, of all its stages, which it writes.
    target: Val<'c>,
    /// The rows that a thread copies.
    rows: Val<'c>,
}

/// Numbers that the kernel computes with.
struct Numbers<'c> {
    zero: Val<'c>,
    one: Val<'c>,
    infinity: Val<'c>,
    /// log2(e)
    log2: Val<'c>,
}

struct Program<'p, 'c> {
    attention: &'p Attention<'c>,
    /// In front of all else, where numbers and registers are.
    entry: Emit<'c>,
    /// In the kernel's body, after what is there.
    e: Emit<'c>,
    thread: Val<'c>,
    scalars: &'p [Val<'c>],
    sizes: &'p [Val<'c>],
    /// The variables of the loops that a block has one step of.
    loops: HashMap<usize, Val<'c>>,
    /// 0 as an index.
    first: Val<'c>,
}

impl<'c> Program<'_, 'c> {
    fn constant(&self, value: i64) -> Built<Val<'c>> {
        self.entry.b.constant(Type::index(self.entry.b.context()), value)
    }

    fn float(&self, value: f64) -> Built<Val<'c>> {
        let of = Type::float32(self.entry.b.context());
        let value = FloatAttribute::new(self.entry.b.context(), of, value).into();
        self.entry.b.value("arith.constant", &[], of, &[("value", value)])
    }

    /// The size of a loop.
    fn size(&self, number: usize) -> Built<Val<'c>> {
        let attention = self.attention;
        match attention.extent(number).and_then(|extent| extent.known()) {
            Some(known) => self.constant(known),
            None => {
                let at = attention.graph.loops[number];
                let size = attention.graph.size_number(at).and_then(|own| self.sizes.get(own));
                size.copied().ok_or(melior::Error::OperationBuild)
            }
        }
    }

    fn known(&self, number: usize) -> Option<i64> {
        self.attention.extent(number)?.known()
    }

    /// The head that a block has, as the variables of all other loops.
    fn heads(&mut self) -> Built<()> {
        let mut at = self.e.hardware_index("gpu.block_id", "x")?;
        for (place, &number) in self.attention.batch.iter().enumerate().rev() {
            if place == 0 {
                self.loops.insert(number, at);
                break;
            }
            let size = self.size(number)?;
            self.loops.insert(number, self.e.b.binary("arith.remui", at, size)?);
            at = self.e.b.binary("arith.divui", at, size)?;
        }
        Ok(())
    }

    /// Tiles that cover a loop.
    fn tiles(&self, number: usize) -> Built<Val<'c>> {
        match self.known(number) {
            Some(known) => self.constant((known + TILE - 1) / TILE),
            None => {
                let more = self.constant(TILE - 1)?;
                let sum = self.e.b.binary("arith.addi", self.size(number)?, more)?;
                self.e.b.binary("arith.divui", sum, self.constant(TILE)?)
            }
        }
    }

    fn place(&self) -> Built<Place<'c>> {
        let (b, attention) = (self.e.b, self.attention);
        let block = self.e.hardware_index("gpu.block_id", "y")?;
        let tile = match attention.bound {
            None => block,
            // Those with the most keys come first.
            Some(_) => {
                let last =
                    b.binary("arith.subi", self.tiles(attention.queries)?, self.constant(1)?)?;
                b.binary("arith.subi", last, block)?
            }
        };
        let query = b.binary("arith.muli", tile, self.constant(TILE)?)?;
        let is_ragged = |number| self.known(number).is_none_or(|known| known % TILE != 0);
        let left = match is_ragged(attention.queries) {
            true => Some(b.binary("arith.subi", self.size(attention.queries)?, query)?),
            false => None,
        };
        let keys = match is_ragged(attention.keys) {
            true => Some(self.size(attention.keys)?),
            false => None,
        };
        let all = self.tiles(attention.keys)?;
        let steps = match attention.bound {
            None => all,
            Some(bound) => {
                // The last query of the tile has this many keys.
                let more = self.constant(bound.saturating_add(2 * TILE - 1))?;
                let reached = b.binary("arith.addi", query, more)?;
                let reached = b.binary("arith.maxsi", reached, self.first)?;
                let own = b.binary("arith.divui", reached, self.constant(TILE)?)?;
                b.binary("arith.minui", own, all)?
            }
        };
        Ok(Place { tile, query, left, keys, steps })
    }

    fn matrices(&self, seen: &[KernelOperand<'c>], parameters: &[Val<'c>]) -> Built<Matrices<'c>> {
        let mut all = Vec::with_capacity(seen.len());
        for (own, &view) in seen.iter().zip(parameters) {
            let at: Vec<Val<'c>> = own.loops.iter().map(|number| self.loops[number]).collect();
            all.push(match own.pattern.as_str() {
                "(_,_)" => view,
                pattern => self.e.slice(view, pattern, &at)?,
            });
        }
        let result = all.pop().ok_or(melior::Error::OperationBuild)?;
        let others = all.split_off(3);
        Ok(Matrices { q: all[0], k: all[1], v: all[2], others, result })
    }

    fn mma(&self) -> String {
        let element = &self.attention.element;
        format!("#layout.tiled_mma<mma_m16n8k16_f32_{element}, (4,1,1), (64,16,16)>")
    }

    fn atom(&self) -> String {
        format!("mma_m16n8k16_f32_{}", self.attention.element)
    }

    fn partition(&self, e: Emit<'c>, view: Val<'c>, part: &str, tiled: &str) -> Built<Val<'c>> {
        let tiled = e.attribute(tiled)?;
        let attributes = [("coord", e.b.string("?")), ("part", e.b.string(part)), ("tiled", tiled)];
        Ok(first_result(e.b.inferred("layout.partition", &[view, self.thread], &attributes)?))
    }

    fn fragment(&self, part: &str, rows: i64, columns: i64) -> Built<Val<'c>> {
        let e = self.entry;
        let extents = DenseI64ArrayAttribute::new(e.b.context(), &[rows, columns]).into();
        let attributes = [
            ("extents", extents),
            ("part", e.b.string(part)),
            ("tiled", e.attribute(&self.mma())?),
        ];
        Ok(first_result(e.b.inferred("layout.partition_fragment", &[], &attributes)?))
    }

    fn retile(&self, fragment: Val<'c>, tiled: &str) -> Built<Val<'c>> {
        let attributes = [("tiled", self.e.attribute(tiled)?)];
        Ok(first_result(self.e.b.inferred("layout.retile", &[fragment], &attributes)?))
    }

    fn tile(&self, e: Emit<'c>, matrix: Val<'c>, row: Val<'c>, width: i64) -> Built<Val<'c>> {
        let term = e.attribute(&format!("#layout<({TILE},{width})>"))?;
        let attributes = [("coord", e.b.string("(?,0)")), ("term", term)];
        Ok(first_result(e.b.inferred("layout.local_tile", &[matrix, row], &attributes)?))
    }

    /// The coordinates of a tile along one mode, as a view.
    fn coordinate(&self, width: i64, mode: usize) -> Built<Val<'c>> {
        let strides = if mode == 0 { "(1,0)" } else { "(0,1)" };
        let view = format!("!layout.view<index, coordinate, ({TILE},{width}):{strides}>");
        self.entry.b.value("layout.identity_tensor", &[], self.entry.parse(&view)?, &[])
    }

    /// Memory of a block for tiles of 64 rows, under a swizzle.
    fn shared(&self, width: i64, stages: Option<i64>) -> Built<Val<'c>> {
        // Rows of at most 128 bytes follow each other; the swizzle moves 16 bytes in eight of them.
        let row = (width & width.wrapping_neg()).min(TILE);
        let bits = (row / 8).ilog2();
        let parts = match width / row {
            1 => (row.to_string(), "1".to_owned()),
            more => (format!("({row},{more})"), format!("(1,{})", row * TILE)),
        };
        let (stages, stride) = match stages {
            Some(stages) => (format!(",{stages}"), format!(",{}", TILE * width)),
            None => (String::new(), String::new()),
        };
        let layout =
            format!("S<{bits},3,3> o 0 o ({TILE},{}{stages}):({row},{}{stride})", parts.0, parts.1);
        self.e.alloc(&self.attention.element, "shared", &layout)
    }

    /// Buffers for an operand, and how threads fill them.
    fn input(&self, matrix: Val<'c>, width: i64, buffer: Val<'c>) -> Built<Input<'c>> {
        // A thread has 16 bytes of a row; as many threads have a row as divide it.
        let along = ((width / 8) & (width / 8).wrapping_neg()).min(16);
        let copy = format!(
            "#layout.tiled_copy<cp_async_16, ({},{along}):({along},1), (1,8)>",
            THREADS / along
        );
        let target = self.partition(self.e, buffer, "target", &copy)?;
        let rows = self.partition(self.e, self.coordinate(width, 0)?, "source", &copy)?;
        Ok(Input { matrix, width, copy, target, rows })
    }

    /// Starts the copy of the rows of a tile to a stage, if there are any.
    fn fetch(
        &self,
        e: Emit<'c>,
        input: &Input<'c>,
        tile: Val<'c>,
        stage: Option<Val<'c>>,
        left: Option<Val<'c>>,
    ) -> Built<()> {
        let rows = self.tile(e, input.matrix, tile, input.width)?;
        let source = self.partition(e, rows, "source", &input.copy)?;
        let target = match stage {
            Some(stage) => e.slice(input.target, "(_,_,_,?)", &[stage])?,
            None => input.target,
        };
        let predicates: Vec<Predicate<'c>> = left
            .map(|left| Predicate { view: input.rows, limit: Limit::At(left) })
            .into_iter()
            .collect();
        e.copy("cp_async_16", source, target, &predicates)
    }

    /// Keys from the first one of a step on, where they may be fewer than a tile.
    fn keys_left(&self, e: Emit<'c>, place: &Place<'c>, step: Val<'c>) -> Built<Option<Val<'c>>> {
        let Some(keys) = place.keys else { return Ok(None) };
        let first = e.b.binary("arith.muli", step, self.constant(TILE)?)?;
        Ok(Some(e.b.binary("arith.subi", keys, first)?))
    }

    fn run(&self, place: &Place<'c>, views: &Matrices<'c>) -> Built<()> {
        let (e, attention) = (self.e, self.attention);
        let (head, width) = attention.sizes;
        let numbers = Numbers {
            zero: self.float(0.0)?,
            one: self.float(1.0)?,
            infinity: self.float(f64::NEG_INFINITY)?,
            log2: self.float(std::f64::consts::LOG2_E)?,
        };
        let [one, two] = [self.constant(1)?, self.constant(2)?];
        let mma = self.mma();
        let load_a = format!("#layout.tiled_copy<ldmatrix_x4, a of {mma}>");
        let load_b = format!("#layout.tiled_copy<ldmatrix_x4, b of {mma}>");
        let load_v = format!("#layout.tiled_copy<ldmatrix_x4_trans, b of {mma}>");
        let shared =
            [self.shared(head, None)?, self.shared(head, Some(2))?, self.shared(width, Some(2))?];
        let q = self.input(views.q, head, shared[0])?;
        let k = self.input(views.k, head, shared[1])?;
        let v = self.input(views.v, width, shared[2])?;
        // V is read as columns by keys.
        let turned = DenseI64ArrayAttribute::new(e.b.context(), &[1, 0, 2]).into();
        let turned =
            first_result(e.b.inferred("layout.select", &[shared[2]], &[("modes", turned)])?);
        let from_q = self.partition(e, shared[0], "source", &load_a)?;
        let from_k = self.partition(e, shared[1], "source", &load_b)?;
        let from_v = self.partition(e, turned, "source", &load_v)?;
        let keys = self.fragment("b", TILE, STEP)?;
        let values = self.fragment("b", width, STEP)?;
        let weights = self.fragment("a", TILE, STEP)?;
        let to_k = self.retile(keys, &load_b)?;
        let to_v = self.retile(values, &load_v)?;
        let state = State::new(self, width, &numbers)?;
        // The first tiles are in flight.
        self.fetch(e, &q, place.tile, None, place.left)?;
        let left = self.keys_left(e, place, self.first)?;
        for input in [&k, &v] {
            self.fetch(e, input, self.first, Some(self.first), left)?;
        }
        self.commit(e)?;
        self.wait(e)?;
        // Q stays in registers.
        let mut queries = Vec::new();
        for step in 0..head / STEP {
            let fragment = self.fragment("a", TILE, STEP)?;
            let source = e.slice(from_q, &format!("(_,_,{step})"), &[])?;
            e.copy("ldmatrix_x4", source, self.retile(fragment, &load_a)?, &[])?;
            queries.push(fragment);
        }
        let (b, step) = e.b.open_loop([self.first, place.steps, one])?;
        self.keep_rolled(step)?;
        let i = Emit { b };
        self.wait(i)?;
        let stage = b.binary("arith.remui", step, two)?;
        let next = b.binary("arith.addi", step, one)?;
        let other = b.binary("arith.remui", next, two)?;
        self.when_less(b, next, place.steps, |e| {
            let left = self.keys_left(e, place, next)?;
            for input in [&k, &v] {
                self.fetch(e, input, next, Some(other), left)?;
            }
            self.commit(e)
        })?;
        let others = self.others(i, place, views, step)?;
        b.operation("layout.fill", &[state.scores, numbers.zero], &[], &[], vec![])?;
        for (number, query) in (0..).zip(&queries) {
            let source = i.slice(from_k, &format!("(_,_,{number},?)"), &[stage])?;
            i.copy("ldmatrix_x4", source, to_k, &[])?;
            self.multiply(i, [*query, keys, state.scores])?;
        }
        self.score(i, place, &state, &numbers, step, &others)?;
        state.softmax(self, i, &numbers)?;
        for number in 0..TILE / STEP {
            let source = i.slice(state.by_step, &format!("(_,{number})"), &[])?;
            i.copy("simt_2", source, weights, &[])?;
            let source = i.slice(from_v, &format!("(_,_,{number},?)"), &[stage])?;
            i.copy("ldmatrix_x4_trans", source, to_v, &[])?;
            self.multiply(i, [weights, values, state.accumulators])?;
        }
        self.finish(place, views, &state, &numbers)
    }

    fn commit(&self, e: Emit<'c>) -> Built<()> {
        e.b.operation("nvvm.cp.async.commit.group", &[], &[], &[], vec![])?;
        Ok(())
    }

    /// Waits for all copies, and for all threads.
    fn wait(&self, e: Emit<'c>) -> Built<()> {
        let none = e.attribute("0 : i32")?;
        e.b.operation("nvvm.cp.async.wait.group", &[], &[], &[("n", none)], vec![])?;
        e.b.operation("gpu.barrier", &[], &[], &[], vec![])?;
        Ok(())
    }

    /// Says of a loop that it is not to be unrolled.
    fn keep_rolled(&self, variable: Val<'c>) -> Built<()> {
        let around = tree::owner(variable).and_then(|block| block.parent_operation());
        let around = around.ok_or(melior::Error::OperationBuild)?;
        let attributes = self.e.attribute("#llvm.loop_annotation<unroll = <disable = true>>")?;
        tree::set_attribute(around, "llvm.loop_annotation", attributes);
        Ok(())
    }

    fn when_less(
        &self,
        b: Builder<'c>,
        a: Val<'c>,
        limit: Val<'c>,
        body: impl FnOnce(Emit<'c>) -> Built<()>,
    ) -> Built<()> {
        const UNSIGNED_LESS: i64 = 6;
        let attributes = [("predicate", b.i64_attribute(UNSIGNED_LESS))];
        let condition = b.value("arith.cmpi", &[a, limit], b.integer(1), &attributes)?;
        let (region, inside) = b.region();
        body(Emit { b: inside })?;
        inside.operation("scf.yield", &[], &[], &[], vec![])?;
        b.operation("scf.if", &[condition], &[], &[], vec![region, Region::new()])?;
        Ok(())
    }

    fn multiply(&self, e: Emit<'c>, operands: [Val<'c>; 3]) -> Built<()> {
        let attributes = [("atom", e.atom(&self.atom())?)];
        e.b.operation("layout.mma", &operands, &[], &attributes, vec![])?;
        Ok(())
    }

    /// A thread's elements of masks and biases in a step, in registers.
    fn others(
        &self,
        e: Emit<'c>,
        place: &Place<'c>,
        views: &Matrices<'c>,
        step: Val<'c>,
    ) -> Built<Vec<Val<'c>>> {
        let mut all = Vec::with_capacity(views.others.len());
        for &view in &views.others {
            let term = e.attribute(&format!("#layout<({TILE},{TILE})>"))?;
            let attributes = [("coord", e.b.string("(?,?)")), ("term", term)];
            let operands = [view, place.tile, step];
            let tile = first_result(e.b.inferred("layout.local_tile", &operands, &attributes)?);
            let own = self.partition(e, tile, "c", &self.mma())?;
            let of = layout_dialect::ViewType::try_from(view.r#type())?.element_type();
            let registers =
                self.entry.alloc(&of.to_string(), "register", "((2,2),1,8):((1,2),0,4)")?;
            let mut predicates = Vec::new();
            let left = self.keys_left(e, place, step)?;
            for (mode, limit) in [place.left, left].into_iter().enumerate() {
                if let Some(limit) = limit {
                    let view = self.partition(e, self.coordinate(TILE, mode)?, "c", &self.mma())?;
                    predicates.push(Predicate { view, limit: Limit::At(limit) });
                }
            }
            e.copy("simt_1", own, registers, &predicates)?;
            all.push(registers);
        }
        Ok(all)
    }

    /// Computes scores from the accumulators of Q K^T.
    fn score(
        &self,
        e: Emit<'c>,
        place: &Place<'c>,
        state: &State<'c>,
        numbers: &Numbers<'c>,
        step: Val<'c>,
        others: &[Val<'c>],
    ) -> Built<()> {
        let attention = self.attention;
        let first = e.b.binary("arith.muli", step, self.constant(TILE)?)?;
        let factor = self.float(attention.factor)?;
        let mut inputs = vec![state.row, state.column];
        inputs.extend(others);
        map(&e.b, &inputs, &[state.scores], |b, all| {
            let query = b.binary("arith.addi", place.query, all[0])?;
            let key = b.binary("arith.addi", first, all[1])?;
            let mut loops = self.loops.clone();
            loops.extend([(attention.queries, query), (attention.keys, key)]);
            let mut product = all[inputs.len()];
            if attention.factor != 1.0 {
                product = b.binary("arith.mulf", product, factor)?;
            }
            let product = match attention.rounded[0].as_str() {
                "f32" => product,
                other => b.value("arith.truncf", &[product], self.e.parse(other)?, &[])?,
            };
            let elements = attention.others.iter().zip(&all[2..]);
            let mut scores = Scores {
                b: *b,
                graph: &attention.graph,
                loops,
                elements: elements.map(|(ExtraOperand { node, .. }, &own)| (*node, own)).collect(),
                reduced: HashMap::from([(attention.scores_stage, product)]),
                scalars: self.scalars,
                sizes: self.sizes,
                known: HashMap::new(),
            };
            let mut score = scores.value(attention.score)?;
            if let Some(keys) = place.keys {
                const UNSIGNED_LESS: i64 = 6;
                let attributes = [("predicate", b.i64_attribute(UNSIGNED_LESS))];
                let is_key = b.value("arith.cmpi", &[key, keys], b.integer(1), &attributes)?;
                let operands = [is_key, score, numbers.infinity];
                score = b.value("arith.select", &operands, score.r#type(), &[])?;
            }
            Ok::<_, melior::Error>(vec![score])
        })?;
        Ok(())
    }

    /// Divides the accumulators and stores them.
    fn finish(
        &self,
        place: &Place<'c>,
        views: &Matrices<'c>,
        state: &State<'c>,
        numbers: &Numbers<'c>,
    ) -> Built<()> {
        let (e, attention) = (self.e, self.attention);
        // A row is in four lanes.
        reduce(e, "add", [state.total, state.part], 1, Some((ROWS, None)))?;
        map(&e.b, &[state.part], &[state.factor], |b, all| {
            let mut scale = Scores {
                b: *b,
                graph: &attention.graph,
                loops: self.loops.clone(),
                elements: HashMap::new(),
                reduced: HashMap::from([(attention.total, all[0])]),
                scalars: self.scalars,
                sizes: self.sizes,
                known: HashMap::new(),
            };
            let mut scale = scale.value(attention.scale)?;
            if attention.divides {
                scale = b.binary("arith.divf", numbers.one, scale)?;
            }
            if attention.is_zero_without_keys {
                let attributes = [("predicate", b.i64_attribute(EQUAL))];
                let operands = [all[0], numbers.zero];
                let is_empty = b.value("arith.cmpf", &operands, b.integer(1), &attributes)?;
                let operands = [is_empty, numbers.zero, scale];
                scale = b.value("arith.select", &operands, scale.r#type(), &[])?;
            }
            Ok::<_, melior::Error>(vec![scale])
        })?;
        state.rescale(e)?;
        let width = attention.sizes.1;
        let tile = self.tile(e, views.result, place.tile, width)?;
        let own = self.partition(e, tile, "c", &self.mma())?;
        let mut predicates = Vec::new();
        if let Some(left) = place.left {
            let view = self.partition(e, self.coordinate(width, 0)?, "c", &self.mma())?;
            predicates.push(Predicate { view, limit: Limit::At(left) });
        }
        let result = &attention.result;
        let is_paired = result.known(attention.columns) == Some(1)
            && result.divisor_without(attention.columns) % 2 == 0;
        e.copy(if is_paired { "simt_2" } else { "simt_1" }, state.accumulators, own, &predicates)
    }
}

/// The state of a thread's two rows, and the views of it.
struct State<'c> {
    scores: Val<'c>,
    /// The scores of 16 keys at a time.
    by_step: Val<'c>,
    by_row: Val<'c>,
    /// The accumulators of values.
    accumulators: Val<'c>,
    /// The row and the column of each score in its tile.
    row: Val<'c>,
    column: Val<'c>,
    /// Each row's greatest score so far, its sum of exponentials, and the factor of its accumulators.
    greatest: Val<'c>,
    total: Val<'c>,
    factor: Val<'c>,
    /// The number that scores are less: the greatest, or 0 where that is -inf; the greatest of a step; and sums of a step.
    shift: Val<'c>,
    found: Val<'c>,
    part: Val<'c>,
    /// The same for each element of a row.
    shift_of: Val<'c>,
    found_of: Val<'c>,
    part_of: Val<'c>,
    factor_of: Val<'c>,
}

impl<'c> State<'c> {
    fn new(program: &Program<'_, 'c>, width: i64, numbers: &Numbers<'c>) -> Built<Self> {
        let e = program.e;
        let mma = program.mma();
        let scores = program.fragment("c", TILE, TILE)?;
        let accumulators = program.fragment("c", TILE, width)?;
        let rows = || program.entry.alloc("f32", "register", "2:1");
        let (greatest, total, factor) = (rows()?, rows()?, rows()?);
        let (shift, found, part) = (rows()?, rows()?, rows()?);
        let each = |view, columns: i64| {
            e.algebra("layout.composition", view, &format!("((2,2),1,{}):((0,1),0,0)", columns / 8))
        };
        for (view, value) in
            [(accumulators, numbers.zero), (total, numbers.zero), (greatest, numbers.infinity)]
        {
            e.b.operation("layout.fill", &[view, value], &[], &[], vec![])?;
        }
        Ok(Self {
            scores,
            by_step: e.algebra("layout.composition", scores, "(8,4):(1,8)")?,
            by_row: e.algebra("layout.composition", scores, BY_ROW)?,
            accumulators,
            row: program.partition(e, program.coordinate(TILE, 0)?, "c", &mma)?,
            column: program.partition(e, program.coordinate(TILE, 1)?, "c", &mma)?,
            greatest,
            total,
            factor,
            shift,
            found,
            part,
            shift_of: each(shift, TILE)?,
            found_of: each(found, TILE)?,
            part_of: e.algebra("layout.composition", part, "((2,8),2):((0,0),1)")?,
            factor_of: each(factor, width)?,
        })
    }

    /// One step of softmax: scores become exponentials, and all sums ones of the greatest score so far.
    ///
    /// Scores are subtracted before they are scaled. `fma(s, log2(e), -(m * log2(e)))` is an instruction less, but its rounding error grows
    /// with m: where a mask of -1e9 covers all of a step, s = m gives 2^64 in place of 1.
    fn softmax(&self, program: &Program<'_, 'c>, e: Emit<'c>, numbers: &Numbers<'c>) -> Built<()> {
        let fast = program.e.attribute("#arith.fastmath<afn>")?;
        let f32 = Type::float32(e.b.context());
        let power = |b: &Builder<'c>, of: Val<'c>, from: Val<'c>| {
            let below = b.binary("arith.subf", of, from)?;
            let scaled = b.binary("arith.mulf", below, numbers.log2)?;
            b.value("math.exp2", &[scaled], f32, &[("fastmath", fast)])
        };
        let tile = format!("({TILE},{TILE})");
        reduce(e, "max", [self.scores, self.found_of], 1, Some((SCORES, Some(&tile))))?;
        let outputs = [self.greatest, self.factor, self.shift, self.total];
        map(&e.b, &[self.found], &outputs, |b, all| {
            let &[found, greatest, _, _, total] = all else {
                return Err(melior::Error::OperationBuild);
            };
            let next = b.binary("arith.maximumf", greatest, found)?;
            // All exponentials of a row without keys so far are 0.
            let attributes = [("predicate", b.i64_attribute(EQUAL))];
            let operands = [next, numbers.infinity];
            let is_empty = b.value("arith.cmpf", &operands, b.integer(1), &attributes)?;
            let operands = [is_empty, numbers.zero, next];
            let shift = b.value("arith.select", &operands, f32, &[])?;
            let factor = power(b, greatest, shift)?;
            let total = b.binary("arith.mulf", total, factor)?;
            Ok(vec![next, factor, shift, total])
        })?;
        map(&e.b, &[self.shift_of], &[self.scores], |b, all| {
            Ok::<_, melior::Error>(vec![power(b, all[1], all[0])?])
        })?;
        reduce(e, "add", [self.by_row, self.part_of], 0, None)?;
        map(&e.b, &[self.part], &[self.total], |b, all| {
            Ok::<_, melior::Error>(vec![b.binary("arith.addf", all[1], all[0])?])
        })?;
        self.rescale(e)
    }

    /// Multiplies the accumulators of values by each row's factor.
    fn rescale(&self, e: Emit<'c>) -> Built<()> {
        map(&e.b, &[self.factor_of], &[self.accumulators], |b, all| {
            Ok::<_, melior::Error>(vec![b.binary("arith.mulf", all[1], all[0])?])
        })?;
        Ok(())
    }
}

fn reduce<'c>(
    e: Emit<'c>,
    kind: &str,
    operands: [Val<'c>; 2],
    along: i64,
    holders: Option<(&str, Option<&str>)>,
) -> Built<()> {
    let term = |text: &str| e.attribute(&format!("#layout<{text}>"));
    let along: Attribute<'c> = DenseI64ArrayAttribute::new(e.b.context(), &[along]).into();
    let mut attributes = vec![("kind", e.b.string(kind)), ("along", along)];
    if let Some((threads, tile)) = holders {
        attributes.push(("threads", term(threads)?));
        if let Some(tile) = tile {
            attributes.push(("tile", term(tile)?));
        }
    }
    e.b.operation("layout.reduce", &operands, &[], &attributes, vec![Region::new()])?;
    Ok(())
}
