//! Kernels of upstream's operations alone: `gpu.launch`, and `gpu.func` with memory of its blocks.
//!
//! Threads have up to three coordinates and part in branches and loops of their own. They store to elements that no
//! other thread has, and read what others wrote after a barrier.

use super::Generator;
use crate::ir::{Attribute, Block, Region, Type, Value};

/// Types of a kernel's arguments.
const ARGUMENTS: &[&str] = &["memref<8x16xi32>", "index", "i32", "i64", "i8"];

/// Columns of the memory that the caller sees.
const COLUMNS: i64 = 16;

/// Names of dimensions.
const DIMENSIONS: [&str; 3] = ["x", "y", "z"];

/// The state that the statements of one kernel share.
struct Kernel {
    /// The thread in its block, and how many there are.
    thread: Value,
    threads: i64,
    /// Memory of the caller, and the element in it that is this thread's.
    out: Value,
    own: [Value; 2],
    /// Memory of the block, or `None` if there is no barrier.
    shared: Option<Value>,
    /// Whether it was written, and read, since the last barrier.
    written: bool,
    read: bool,
}

impl Generator<'_, '_> {
    /// A kernel in place, or one by name, and its launch.
    pub(super) fn launch_upstream(&mut self, block: Block) {
        self.traits.launches = true;
        self.traits.upstream = true;
        let threads = self.random.pick(&[[16, 1, 1], [8, 2, 1], [4, 2, 2], [3, 5, 1]]);
        let blocks = self.random.pick(&[[1, 1, 1], [2, 1, 1], [1, 3, 1], [2, 1, 2]]);
        let sizes = [blocks, threads].concat();
        let mut operands: Vec<Value> =
            sizes.iter().map(|size| self.constant(block, "index", *size)).collect();
        if self.random.percent(35) {
            return self.in_place(block, threads, &operands);
        }
        let arguments: Vec<Value> = ARGUMENTS
            .iter()
            .enumerate()
            .map(|(i, ty)| if i == 0 { self.pool[1].0 } else { self.any(block, ty) })
            .collect();
        let (module, name) = (format!("{}_upstream", self.name), format!("{}_threads", self.name));
        self.by_name(threads, &module, &name);
        operands.extend(arguments);
        let segments =
            format!("array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, {}, 0>", ARGUMENTS.len());
        let attributes = [
            ("kernel", self.attribute(&format!("@{module}::@{name}"))),
            ("operandSegmentSizes", self.attribute(&segments)),
        ];
        self.op(block, "gpu.launch_func", &operands, &attributes, &[]);
    }

    fn attribute(&self, text: &str) -> Attribute {
        self.cx.attribute(text).unwrap_or_else(|| panic!("{text} is an attribute"))
    }

    /// `gpu.launch`: the body reads values from around it.
    fn in_place(&mut self, block: Block, threads: [i64; 3], operands: &[Value]) {
        let index = self.r#type("index");
        let region = Region::new();
        let body = region.append(self.cx, &[index; 12]);
        let pool = self.pool.clone();
        let places: Vec<Value> = body.arguments();
        places.iter().for_each(|value| self.know(*value));
        let out = self.pool[1].0;
        self.threads(body, threads, &places, out, None);
        self.op(body, "gpu.terminator", &[], &[], &[]);
        self.pool = pool;
        let attributes = [(
            "operandSegmentSizes",
            self.attribute("array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>"),
        )];
        let made = self.cx.build("gpu.launch", operands, &attributes, Some(&[]), &[region], &[]);
        if let Some(made) = made {
            block.append(made);
        }
    }

    /// `gpu.func` in a module of its own.
    fn by_name(&mut self, threads: [i64; 3], module: &str, name: &str) {
        let pool = std::mem::take(&mut self.pool);
        let mut types: Vec<Type> = ARGUMENTS.iter().map(|text| self.r#type(text)).collect();
        types.push(self.r#type("memref<64xi32, #gpu.address_space<workgroup>>"));
        let region = Region::new();
        let body = region.append(self.cx, &types);
        let arguments = body.arguments();
        arguments[..ARGUMENTS.len()].iter().for_each(|value| self.know(*value));
        let mut places = Vec::new();
        for kind in ["block_id", "thread_id", "grid_dim", "block_dim"] {
            for dimension in DIMENSIONS {
                let attributes = [("dimension", self.attribute(&format!("#gpu<dim {dimension}>")))];
                let made = self.op(body, &format!("gpu.{kind}"), &[], &attributes, &["index"]);
                self.know(made.result());
                places.push(made.result());
            }
        }
        self.threads(body, threads, &places, arguments[0], arguments.last().copied());
        self.op(body, "gpu.return", &[], &[], &[]);
        self.pool = pool;
        let attributes = [
            ("function_type", self.attribute(&format!("({}) -> ()", ARGUMENTS.join(", ")))),
            ("sym_name", self.attribute(&format!("\"{name}\""))),
            ("gpu.kernel", self.attribute("unit")),
            ("workgroup_attributions", self.attribute("1 : i64")),
        ];
        let made = self.cx.build("gpu.func", &[], &attributes, Some(&[]), &[region], &[]);
        let holder = Region::new();
        let inside = holder.append(self.cx, &[]);
        if let Some(made) = made {
            inside.append(made);
        }
        let attributes = [("sym_name", self.attribute(&format!("\"{module}\"")))];
        let made = self.cx.build("gpu.module", &[], &attributes, Some(&[]), &[holder], &[]);
        if let Some(made) = made {
            self.module.append(made);
        }
    }

    /// A kernel's statements. `places` are the block, the thread, the blocks and the threads, each along x, y and z.
    fn threads(
        &mut self,
        block: Block,
        threads: [i64; 3],
        places: &[Value],
        out: Value,
        shared: Option<Value>,
    ) {
        let inner = std::mem::replace(&mut self.inner, true);
        let depth = std::mem::replace(&mut self.depth, 1);
        let repeats = std::mem::replace(&mut self.repeats, 32);
        let all = threads.iter().product();
        let thread = self.linear(block, &places[3..6], &places[9..12]);
        let number = self.linear(block, &places[0..3], &places[6..9]);
        let size = self.constant(block, "index", all);
        let before = self.op(block, "arith.muli", &[number, size], &[], &["index"]).result();
        let element = self.op(block, "arith.addi", &[before, thread], &[], &["index"]).result();
        let columns = self.constant(block, "index", COLUMNS);
        let own = ["arith.divui", "arith.remui"]
            .map(|name| self.op(block, name, &[element, columns], &[], &["index"]).result());
        self.know(thread);
        let mut kernel =
            Kernel { thread, threads: all, out, own, shared, written: false, read: false };
        for _ in 0..3 + self.random.index(7) {
            match self.random.index(8) {
                0..3 => {
                    self.budget += 2;
                    self.statement(block);
                }
                3 | 4 => self.store_to_block(block, &mut kernel),
                5 | 6 => self.load_of_block(block, &mut kernel),
                _ => self.load_own(block, &kernel),
            }
        }
        let value = self.any(block, "i32");
        self.op(block, "memref.store", &[value, kernel.out, own[0], own[1]], &[], &[]);
        (self.inner, self.depth, self.repeats) = (inner, depth, repeats);
    }

    /// The number of a coordinate, the first dimension fastest.
    fn linear(&mut self, block: Block, at: &[Value], sizes: &[Value]) -> Value {
        let mut number = at[2];
        for i in [1, 0] {
            let all = self.op(block, "arith.muli", &[number, sizes[i]], &[], &["index"]).result();
            number = self.op(block, "arith.addi", &[all, at[i]], &[], &["index"]).result();
        }
        number
    }

    fn block_barrier(&mut self, block: Block, kernel: &mut Kernel) {
        self.op(block, "gpu.barrier", &[], &[], &[]);
        (kernel.written, kernel.read) = (false, false);
    }

    fn store_to_block(&mut self, block: Block, kernel: &mut Kernel) {
        let Some(shared) = kernel.shared else { return };
        if (kernel.written || kernel.read) && self.random.percent(97) {
            self.block_barrier(block, kernel);
        }
        let value = self.any(block, "i32");
        let by = self.random.within(0, kernel.threads - 1);
        let by = self.constant(block, "index", by);
        let moved = self.op(block, "arith.addi", &[kernel.thread, by], &[], &["index"]).result();
        let size = self.constant(block, "index", kernel.threads);
        let at = self.op(block, "arith.remui", &[moved, size], &[], &["index"]).result();
        self.op(block, "memref.store", &[value, shared, at], &[], &[]);
        kernel.written = true;
    }

    fn load_of_block(&mut self, block: Block, kernel: &mut Kernel) {
        let Some(shared) = kernel.shared else { return };
        if kernel.written && self.random.percent(97) {
            self.block_barrier(block, kernel);
        }
        let value = self.any(block, "index");
        let size = self.constant(block, "index", kernel.threads);
        let at = self.op(block, "arith.remui", &[value, size], &[], &["index"]).result();
        let loaded = self.op(block, "memref.load", &[shared, at], &[], &["i32"]).result();
        // A value that nothing wrote is poison, and may be chosen by no branch.
        if self.random.percent(60) {
            self.know(loaded);
        }
        kernel.read = true;
    }

    fn load_own(&mut self, block: Block, kernel: &Kernel) {
        let operands = [kernel.out, kernel.own[0], kernel.own[1]];
        let loaded = self.op(block, "memref.load", &operands, &[], &["i32"]).result();
        self.know(loaded);
    }
}
