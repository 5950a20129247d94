//! Kernels: threads that compute, meet at barriers and read what others wrote.
//!
//! A kernel has what `layout-serialize` takes: arithmetic, views and their elements, barriers, and loops and branches
//! that all threads of a block take alike. A thread stores to elements of its own, and reads those of others after
//! a barrier; occasionally the barrier is missing, and then the program is undefined.

use super::{Generator, Mix};
use crate::{
    interpret::types::Ty,
    ir::{Block, Op, Region, Value},
    random::Draws,
};
use std::rc::Rc;

/// Types of a kernel's arguments.
const ARGUMENTS: &[&str] = &["!llvm.ptr", "memref<8x16xi32>", "index", "i32", "i64", "i8"];

/// Bytes that one kernel's own elements take at most: half of what the pointer points into.
const MAX_SIZE: i64 = 1000;

/// A buffer of the block: each thread has a row of its own.
struct Shared {
    view: Value,
    element: &'static str,
    /// Whether elements were written, and read by others, since the last barrier.
    written: bool,
    read: bool,
}

/// The fault that makes a kernel undefined. It has one fault at most, so that a check which misses it is not covered by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Barriers are missing.
    Barrier,
    /// Threads leave the caller's view in which each has elements of its own.
    Own,
    /// Threads leave a row of the input, though not its memory.
    Input,
    /// The last rounds of a loop leave the input's rows.
    Round,
    /// Threads leave the rows of the block's memory, though not the memory.
    Shared,
}

/// The state that the statements of one kernel share.
struct Kernel {
    fault: Fault,
    threads: i64,
    thread: Value,
    blocks: [Value; 2],
    /// Whether places and branches depend on the threads' facts only.
    followed: bool,
    /// Elements of one thread, in each buffer.
    own: i64,
    out: (Value, &'static str),
    input: Value,
    shared: Vec<Shared>,
    registers: Option<Value>,
    /// Values that all threads of a block have alike.
    alike: Vec<Value>,
    /// Values that were known before the first load after the last barrier.
    before_loads: Option<usize>,
}

impl Generator<'_, '_> {
    /// A kernel, and its launch.
    pub(super) fn launch(&mut self, block: Block) {
        self.traits.launches = true;
        let threads = self.random.pick(&[32, 32, 32, 64]);
        let grid = [1 + self.random.index(2) as i64, self.random.pick(&[1, 1, 1, 2])];
        let name = format!("{}_kernel{}", self.name, self.kernels);
        let module = format!("{}_module{}", self.name, self.kernels);
        self.kernels += 1;
        let arguments: Vec<Value> = ARGUMENTS
            .iter()
            .enumerate()
            .map(|(i, ty)| if i < 2 { self.pool[i].0 } else { self.any(block, ty) })
            .collect();
        let region = self.kernel(threads, grid);
        let attribute = |text: String| {
            self.cx.attribute(&text).unwrap_or_else(|| panic!("{text} is an attribute"))
        };
        let facts = format!(
            "{{block = array<i64: {threads}, 1, 1>, grid = array<i64: {}, {}, 1>}}",
            grid[0], grid[1]
        );
        let attributes = [
            ("function_type", attribute(format!("({}) -> ()", ARGUMENTS.join(", ")))),
            ("sym_name", attribute(format!("\"{name}\""))),
            ("gpu.kernel", attribute("unit".to_owned())),
            ("layout.kernel", attribute(facts)),
        ];
        let made = self.cx.build("gpu.func", &[], &attributes, Some(&[]), &[region], &[]);
        let holder = Region::new();
        let body = holder.append(self.cx, &[]);
        if let Some(made) = made {
            body.append(made);
        }
        let attributes = [("sym_name", attribute(format!("\"{module}\"")))];
        let made = self.cx.build("gpu.module", &[], &attributes, Some(&[]), &[holder], &[]);
        if let Some(made) = made {
            self.module.append(made);
        }
        let sizes = [grid[0], grid[1], 1, threads, 1, 1];
        let mut operands: Vec<Value> =
            sizes.iter().map(|size| self.constant(block, "index", *size)).collect();
        // As much memory as the kernel takes.
        operands.push(self.constant(block, "i32", 0));
        operands.extend(arguments);
        let segments =
            format!("array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, {}, 0>", ARGUMENTS.len());
        let (Some(kernel), Some(segments)) =
            (self.cx.attribute(&format!("@{module}::@{name}")), self.cx.attribute(&segments))
        else {
            return;
        };
        let attributes = [("kernel", kernel), ("operandSegmentSizes", segments)];
        self.op(block, "gpu.launch_func", &operands, &attributes, &[]);
    }

    /// A kernel's body.
    fn kernel(&mut self, threads: i64, grid: [i64; 2]) -> Region {
        let (pool, depth) = (std::mem::take(&mut self.pool), self.depth);
        (self.kernel, self.depth) = (true, 3);
        let types: Vec<_> = ARGUMENTS.iter().map(|text| self.r#type(text)).collect();
        let region = Region::new();
        let block = region.append(self.cx, &types);
        block.arguments().into_iter().for_each(|value| self.know(value));
        let mut alike: Vec<Value> = block.arguments()[2..].to_vec();
        let blocks = [self.place(block, "block_id", "x"), self.place(block, "block_id", "y")];
        alike.extend(blocks);
        alike.push(self.place(block, "grid_dim", "x"));
        let thread = self.place(block, "thread_id", "x");
        let element = self.random.pick(&["i8", "i16", "i32", "i32", "i64"]);
        let all = threads * grid[0] * grid[1] * i64::from(super::bits_of(element) / 8);
        let own = self.random.within(1, (MAX_SIZE / all).clamp(1, 3));
        let sizes = [threads, grid[0], grid[1], own];
        let out = self.out(block, &sizes, element);
        let input = self.inferred(block, "layout.make_view", &[self.pool[1].0], &[]);
        let (Some(out), Some(input)) = (out, input) else {
            panic!("a kernel's views are built");
        };
        let [faulty, followed] = match self.mix {
            Mix::All => [25, 40],
            Mix::Kernels => [95, 90],
        };
        let faults = [Fault::Barrier, Fault::Own, Fault::Input, Fault::Round, Fault::Shared];
        let fault =
            if self.random.percent(faulty) { self.random.pick(&faults) } else { Fault::None };
        let mut kernel = Kernel {
            fault,
            threads,
            thread,
            blocks,
            followed: self.random.percent(followed),
            own,
            out: (out, element),
            input: input.result(),
            shared: Vec::new(),
            registers: None,
            alike,
            before_loads: None,
        };
        for _ in 0..1 + self.random.index(2) {
            self.buffer(block, &mut kernel);
        }
        if self.random.percent(60) {
            let text = format!("!layout.view<i32, register, ({own}):(1)>");
            if let Some(made) = self.allocate(block, &text) {
                let value = self.any(block, "i32");
                self.op(block, "layout.fill", &[made, value], &[], &[]);
                kernel.registers = Some(made);
            }
        }
        // Memory that was never written is refuted by `layout-verify` too: a faulty kernel reads none of it.
        if fault != Fault::None || self.random.percent(50) {
            self.fill_rows(block, &mut kernel);
        }
        for _ in 0..4 + self.random.index(8) {
            self.step(block, &mut kernel, 0);
        }
        // The computed values are stored, so that they are compared.
        self.store_own(block, &mut kernel);
        self.op(block, "gpu.return", &[], &[], &[]);
        (self.pool, self.depth, self.kernel) = (pool, depth, false);
        region
    }

    fn place(&mut self, block: Block, name: &str, dimension: &str) -> Value {
        let attribute = self.cx.attribute(&format!("#gpu<dim {dimension}>"));
        let attribute = attribute.unwrap_or_else(|| panic!("a dimension"));
        let attributes = [("dimension", attribute)];
        let made = self.op(block, &format!("gpu.{name}"), &[], &attributes, &["index"]).result();
        self.know(made);
        made
    }

    /// Strides of modes that lie after each other in any order, some of them backwards: all different elements.
    fn strides(&mut self, sizes: &[i64], backwards: bool) -> Vec<i64> {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        for i in (1..order.len()).rev() {
            let other = self.random.index(i + 1);
            order.swap(i, other);
        }
        let (mut strides, mut next) = (vec![0; sizes.len()], 1);
        for i in order {
            strides[i] = if backwards && self.random.percent(15) { -next } else { next };
            next *= sizes[i];
        }
        strides
    }

    fn tuple(numbers: &[i64]) -> String {
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        format!("({})", numbers.join(","))
    }

    /// The view of the caller's memory in which each thread of each block has elements of its own.
    fn out(&mut self, block: Block, sizes: &[i64], element: &str) -> Option<Value> {
        let strides = self.strides(sizes, true);
        let text = format!("{}:{}", Self::tuple(sizes), Self::tuple(&strides));
        let term = self.cx.attribute(&format!("#layout<{text}>"))?;
        let r#type = self.cx.r#type(&format!("!layout<{text}>"))?;
        let made =
            self.cx.build("layout.constant", &[], &[("term", term)], Some(&[r#type]), &[], &[])?;
        let layout = self.settle(block, made)?.result();
        let attributes = [("element", self.cx.attribute(element)?)];
        let r#type = self.cx.r#type(&format!("!layout.view<{element}, host, {text}>"))?;
        let operands = [self.pool[0].0, layout];
        let made =
            self.cx.build("layout.make_view", &operands, &attributes, Some(&[r#type]), &[], &[])?;
        Some(self.settle(block, made)?.result())
    }

    fn allocate(&mut self, block: Block, text: &str) -> Option<Value> {
        let r#type = self.cx.r#type(text)?;
        let made = self.cx.build("layout.alloc", &[], &[], Some(&[r#type]), &[], &[])?;
        Some(self.settle(block, made)?.result())
    }

    fn buffer(&mut self, block: Block, kernel: &mut Kernel) {
        let element = self.random.pick(&["i8", "i16", "i32", "i32"]);
        let sizes = [kernel.threads, kernel.own];
        let strides = self.strides(&sizes, false);
        let mut text = format!("{}:{}", Self::tuple(&sizes), Self::tuple(&strides));
        if self.random.percent(25) && (sizes[0] * sizes[1]) % 32 == 0 {
            text = format!("S<2,0,{}> o 0 o {text}", self.random.within(2, 3));
        }
        if let Some(view) =
            self.allocate(block, &format!("!layout.view<{element}, shared, {text}>"))
        {
            kernel.shared.push(Shared { view, element, written: false, read: false });
        }
    }

    /// Each thread writes its row of each buffer.
    fn fill_rows(&mut self, block: Block, kernel: &mut Kernel) {
        for number in 0..kernel.shared.len() {
            let Shared { view, element, .. } = kernel.shared[number];
            let value = self.any(block, element);
            for place in 0..kernel.own {
                let operands = [value, view, kernel.thread];
                self.element_op(block, "layout.store", &operands, &format!("(?,{place})"), None);
            }
        }
        self.barrier(block, kernel);
    }

    /// All threads of the block meet: what was loaded is not read any more.
    fn barrier(&mut self, block: Block, kernel: &mut Kernel) {
        self.op(block, "gpu.barrier", &[], &[], &[]);
        self.met(kernel);
        kernel.shared.iter_mut().for_each(|shared| (shared.written, shared.read) = (false, false));
    }

    fn met(&mut self, kernel: &mut Kernel) {
        if let Some(before) = kernel.before_loads.take() {
            self.pool.truncate(before);
        }
    }

    fn element_op(
        &mut self,
        block: Block,
        name: &str,
        operands: &[Value],
        text: &str,
        result: Option<&str>,
    ) -> Option<Op> {
        let attributes = [("coord", self.cx.attribute(&format!("\"{text}\""))?)];
        let results: Vec<_> = result.iter().map(|ty| self.r#type(ty)).collect();
        let made = self.cx.build(name, operands, &attributes, Some(&results), &[], &[])?;
        if !made.verifies() {
            made.destroy();
            return None;
        }
        block.append(made);
        Some(made)
    }

    fn loaded(&mut self, kernel: &mut Kernel, op: Option<Op>) {
        let Some(op) = op else { return };
        kernel.before_loads.get_or_insert(self.pool.len());
        self.know(op.result());
    }

    /// One of the block's threads for each, no two alike.
    fn any_thread(&mut self, block: Block, kernel: &Kernel) -> Value {
        let number = self.random.within(0, kernel.threads - 1);
        match self.random.index(3) {
            0 => kernel.thread,
            1 => {
                let number = self.constant(block, "index", number);
                self.op(block, "arith.xori", &[kernel.thread, number], &[], &["index"]).result()
            }
            _ => {
                let number = self.constant(block, "index", number);
                let sum = self
                    .op(block, "arith.addi", &[kernel.thread, number], &[], &["index"])
                    .result();
                let all = self.constant(block, "index", kernel.threads);
                self.op(block, "arith.remui", &[sum, all], &[], &["index"]).result()
            }
        }
    }

    /// An index below a size that depends on the thread.
    fn any_below(&mut self, block: Block, kernel: &Kernel, size: i64) -> Value {
        let value = if kernel.followed {
            let value = self.random.within(0, 99);
            self.constant(block, "index", value)
        } else {
            self.any(block, "index")
        };
        let sum = self.op(block, "arith.addi", &[value, kernel.thread], &[], &["index"]).result();
        let size = self.constant(block, "index", size);
        self.op(block, "arith.remui", &[sum, size], &[], &["index"]).result()
    }

    fn store_own(&mut self, block: Block, kernel: &mut Kernel) {
        let (view, element) = kernel.out;
        let value = self.any(block, element);
        let place = self.random.within(0, kernel.own - 1);
        let [x, y] = kernel.blocks;
        if kernel.fault == Fault::Own && self.random.percent(20) {
            let by = self.random.pick(&[-2, -1, 1, 3]);
            let by = self.constant(block, "index", by);
            let other =
                self.op(block, "arith.addi", &[kernel.thread, by], &[], &["index"]).result();
            let operands = [value, view, other, x, y];
            self.element_op(block, "layout.store", &operands, &format!("(?,?,?,{place})"), None);
            return;
        }
        if self.random.percent(40) {
            let operands = [view, kernel.thread, x, y];
            let coordinate = self.cx.attribute("\"(?,?,?,_)\"");
            if let Some(coordinate) = coordinate
                && let Some(row) =
                    self.inferred(block, "layout.slice", &operands, &[("coord", coordinate)])
            {
                let operands = [value, row.result()];
                self.element_op(block, "layout.store", &operands, &place.to_string(), None);
                return;
            }
        }
        let operands = [value, view, kernel.thread, x, y];
        self.element_op(block, "layout.store", &operands, &format!("(?,?,?,{place})"), None);
    }

    /// Whether a barrier is there that accesses need.
    fn meets(&mut self, kernel: &Kernel) -> bool {
        kernel.fault != Fault::Barrier || self.random.percent(80)
    }

    /// A thread's row of the block's memory, occasionally of none of its threads.
    fn astray(&mut self, block: Block, kernel: &Kernel, row: Value) -> Value {
        if kernel.fault != Fault::Shared || self.random.percent(60) {
            return row;
        }
        let by = self.random.pick(&[-2, -1, -1, 1]);
        let by = self.constant(block, "index", by);
        self.op(block, "arith.addi", &[row, by], &[], &["index"]).result()
    }

    fn step(&mut self, block: Block, kernel: &mut Kernel, depth: usize) {
        let kind = match kernel.fault {
            Fault::Round if depth == 0 && self.random.percent(15) => 17,
            Fault::Input if self.random.percent(15) => 13,
            Fault::Own if self.random.percent(10) => 11,
            Fault::Shared if self.random.percent(10) => self.random.pick(&[5, 8]),
            _ => self.random.index(20),
        };
        match kind {
            0 | 1 => self.binary(block),
            2 => self.cast(block),
            3 => self.choose(block),
            4 => self.barrier(block, kernel),
            5..=7 => self.store_shared(block, kernel),
            8..=10 => self.load_shared(block, kernel),
            11 => self.store_own(block, kernel),
            12 => {
                let place = self.random.within(0, kernel.own - 1);
                let (view, element) = kernel.out;
                let operands = [view, kernel.thread, kernel.blocks[0], kernel.blocks[1]];
                let text = format!("(?,?,?,{place})");
                let op = self.element_op(block, "layout.load", &operands, &text, Some(element));
                self.loaded(kernel, op);
            }
            13 => {
                let row = self.any_below(block, kernel, 8);
                let mut column = self.any_below(block, kernel, 16);
                if kernel.fault == Fault::Input && self.random.percent(60) {
                    let by = self.random.pick(&[-1, -1, 1, 2]);
                    let by = self.constant(block, "index", by);
                    column = self.op(block, "arith.addi", &[column, by], &[], &["index"]).result();
                }
                self.load_input(block, kernel, row, column);
            }
            14 | 15 => self.registers(block, kernel),
            16 => self.copy_row(block, kernel),
            17 if depth < 2 => self.shared_loop(block, kernel, depth),
            18 if depth < 2 && !kernel.followed => self.shared_branch(block, kernel, depth),
            _ => self.binary(block),
        }
    }

    fn load_input(&mut self, block: Block, kernel: &mut Kernel, row: Value, column: Value) {
        let operands = [kernel.input, row, column];
        let op = self.element_op(block, "layout.load", &operands, "(?,?)", Some("i32"));
        self.loaded(kernel, op);
    }

    /// Loads a row of the input for each round of a loop, the last of which may leave it.
    fn load_of_round(
        &mut self,
        body: Block,
        kernel: &mut Kernel,
        ty: &str,
        begin: Value,
        leaves: bool,
    ) {
        let counter = body.arguments()[0];
        let mut row = self.op(body, "arith.subi", &[counter, begin], &[], &[ty]).result();
        if ty != "index" {
            row = self.op(body, "arith.index_castui", &[row], &[], &["index"]).result();
        }
        if leaves {
            let by = self.constant(body, "index", 6);
            row = self.op(body, "arith.addi", &[row, by], &[], &["index"]).result();
        }
        let column = self.any_below(body, kernel, 16);
        self.load_input(body, kernel, row, column);
    }

    fn store_shared(&mut self, block: Block, kernel: &mut Kernel) {
        let number = self.random.index(kernel.shared.len());
        // A row may be another's than before.
        let shared = &kernel.shared[number];
        if (shared.read || shared.written) && self.meets(kernel) {
            self.barrier(block, kernel);
        }
        let element = kernel.shared[number].element;
        let value = self.any(block, element);
        let thread = self.any_thread(block, kernel);
        let thread = self.astray(block, kernel, thread);
        let place = self.random.within(0, kernel.own - 1);
        let operands = [value, kernel.shared[number].view, thread];
        self.element_op(block, "layout.store", &operands, &format!("(?,{place})"), None);
        kernel.shared[number].written = true;
    }

    fn load_shared(&mut self, block: Block, kernel: &mut Kernel) {
        let number = self.random.index(kernel.shared.len());
        if kernel.shared[number].written && self.meets(kernel) {
            self.barrier(block, kernel);
        }
        let (view, element) = (kernel.shared[number].view, kernel.shared[number].element);
        let op = if self.random.percent(30) {
            let at = self.any_below(block, kernel, kernel.threads * kernel.own);
            self.element_op(block, "layout.load", &[view, at], "?", Some(element))
        } else {
            let row = self.any_below(block, kernel, kernel.threads);
            let row = self.astray(block, kernel, row);
            let text = format!("(?,{})", self.random.within(0, kernel.own - 1));
            self.element_op(block, "layout.load", &[view, row], &text, Some(element))
        };
        self.loaded(kernel, op);
        kernel.shared[number].read = true;
    }

    fn registers(&mut self, block: Block, kernel: &mut Kernel) {
        let Some(view) = kernel.registers else { return };
        let text = self.random.within(0, kernel.own - 1).to_string();
        if self.random.percent(50) {
            let value = self.any(block, "i32");
            self.element_op(block, "layout.store", &[value, view], &text, None);
        } else {
            let op = self.element_op(block, "layout.load", &[view], &text, Some("i32"));
            self.loaded(kernel, op);
        }
    }

    /// A row of the block's memory to registers, or back.
    fn copy_row(&mut self, block: Block, kernel: &mut Kernel) {
        let Some(registers) = kernel.registers else { return };
        let Some(number) = kernel.shared.iter().position(|shared| shared.element == "i32") else {
            return;
        };
        let store = self.random.percent(50);
        let shared = &kernel.shared[number];
        if shared.written || (store && shared.read) {
            self.barrier(block, kernel);
        }
        let thread = self.any_thread(block, kernel);
        let operands = [kernel.shared[number].view, thread];
        let (Some(coordinate), Some(atom), Some(limits)) = (
            self.cx.attribute("\"(?,_)\""),
            self.cx.attribute("#layout.atom<simt_1>"),
            self.cx.attribute("array<i64>"),
        ) else {
            return;
        };
        let made = self.inferred(block, "layout.slice", &operands, &[("coord", coordinate)]);
        let Some(row) = made.map(|made| made.result()) else { return };
        let operands = if store { [registers, row] } else { [row, registers] };
        let attributes = [("atom", atom), ("limits", limits)];
        let made = self.cx.build("layout.copy", &operands, &attributes, Some(&[]), &[], &[]);
        if let Some(made) = made.and_then(|made| self.settle(block, made)) {
            debug_assert!(made.results().is_empty());
            let shared = &mut kernel.shared[number];
            if store {
                shared.written = true;
            } else {
                shared.read = true;
            }
        }
    }

    /// A uniform loop with barriers in it.
    fn shared_loop(&mut self, block: Block, kernel: &mut Kernel, depth: usize) {
        self.barrier(block, kernel);
        let leaves = kernel.fault == Fault::Round;
        if leaves {
            // One loop is enough: another would be found in its place.
            kernel.fault = Fault::None;
        }
        // A short integer has a sign to pass.
        let types: &[&str] = match leaves {
            true => &["index", "i8", "i32", "i32"],
            false => &["index", "index", "index", "i8", "i32", "i64"],
        };
        let ty = self.random.pick(types);
        let bits = super::bits_of(ty);
        let unsigned = self.random.percent(if leaves { 70 } else { 40 });
        let passes_sign =
            unsigned && bits < 64 && self.random.percent(if leaves { 90 } else { 60 });
        let begin = if passes_sign {
            // Its counter passes the greatest signed number.
            (1 << (bits - 1)) - self.random.within(0, 3)
        } else {
            self.random.within(if unsigned { 0 } else { -1 }, 2)
        };
        let step = self.random.within(1, 3);
        let rounds = if leaves { 3 } else { self.random.within(0, 3) };
        let bounds = [begin, begin + rounds * step, step];
        let bounds = bounds.map(|value| self.constant(block, ty, value));
        let region = Region::new();
        let counter = self.r#type(ty);
        let body = region.append(self.cx, &[counter]);
        let (pool, alike) = (self.pool.clone(), kernel.alike.len());
        self.know(body.arguments()[0]);
        kernel.alike.push(body.arguments()[0]);
        if leaves || self.random.percent(20) {
            self.load_of_round(body, kernel, ty, bounds[0], leaves);
        }
        for _ in 0..1 + self.random.index(4) {
            self.step(body, kernel, depth + 1);
        }
        self.barrier(body, kernel);
        self.op(body, "scf.yield", &[], &[], &[]);
        self.leave(kernel, pool, alike);
        let mut attributes = Vec::new();
        if unsigned && let Some(unit) = self.cx.attribute("unit") {
            attributes.push(("unsignedCmp", unit));
        }
        let made = self.cx.build("scf.for", &bounds, &attributes, Some(&[]), &[region], &[]);
        if let Some(made) = made {
            block.append(made);
        }
    }

    /// A uniform branch.
    fn shared_branch(&mut self, block: Block, kernel: &mut Kernel, depth: usize) {
        self.barrier(block, kernel);
        let of_type = |this: &mut Self, ty: &str| {
            let expected = Ty::parse(ty);
            let all = kernel.alike.iter().copied();
            let found: Vec<Value> =
                all.filter(|value| *this.reader.ty(value.r#type()) == expected).collect();
            this.random.pick(&found)
        };
        let ty = self.random.pick(&["index", "i32", "i64", "i8"]);
        let left = of_type(self, ty);
        let right = if self.random.percent(50) {
            of_type(self, ty)
        } else {
            let value = self.random.edge(super::bits_of(ty));
            self.constant(block, ty, value)
        };
        let (i64, predicate) = (self.r#type("i64"), self.random.index(10) as i64);
        let attributes = [("predicate", self.cx.integer(i64, predicate))];
        let condition = self.op(block, "arith.cmpi", &[left, right], &attributes, &["i1"]).result();
        let both = self.random.percent(40);
        let regions = [Region::new(), Region::new()];
        for region in regions.iter().take(1 + usize::from(both)) {
            let body = region.append(self.cx, &[]);
            let (pool, alike): (Vec<(Value, Rc<Ty>)>, usize) =
                (self.pool.clone(), kernel.alike.len());
            for _ in 0..1 + self.random.index(3) {
                self.step(body, kernel, depth + 1);
            }
            self.barrier(body, kernel);
            self.op(body, "scf.yield", &[], &[], &[]);
            self.leave(kernel, pool, alike);
        }
        let made = self.cx.build("scf.if", &[condition], &[], Some(&[]), &regions, &[]);
        if let Some(made) = made {
            block.append(made);
        }
    }

    /// Forgets what a region made.
    fn leave(&mut self, kernel: &mut Kernel, pool: Vec<(Value, Rc<Ty>)>, alike: usize) {
        self.pool = pool;
        kernel.alike.truncate(alike);
        kernel.before_loads = None;
    }
}
