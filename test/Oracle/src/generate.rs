//! Random programs.
//!
//! A program is one function `pN` of fixed arguments: memory through a pointer and a memref, integers of
//! each width, and three small ones that are sizes and strides of layouts. It calls `@see_TYPE` with what is
//! to be compared. Programs are built as operations, so that MLIR infers the types of layout operations.

use crate::{
    interpret::{decode::Reader, types::Ty},
    ir::{Block, Context, Op, Region, Type, Value},
    random::{Draws, Random},
};
use std::rc::Rc;

mod control;
mod floats;
mod flow;
mod kernels;
mod layouts;
mod memory;
mod numbers;
mod threads;

/// Types of integers that programs compute with.
pub const WIDTHS: &[&str] = &["i1", "i8", "i16", "i32", "i64", "index"];

/// Types of a program's arguments.
pub const ARGUMENTS: &[&str] = &[
    "!llvm.ptr",
    "memref<8x16xi32>",
    "index",
    "index",
    "i64",
    "i32",
    "i16",
    "i8",
    "i1",
    // Sizes and strides.
    "i32",
    "i32",
    "i64",
];

/// Arguments from here on are small.
pub const SMALL: usize = 9;

/// Types of a program's results.
pub const RESULTS: &[&str] = &["i64", "index", "i32"];

/// Bytes of the memory that a program's pointer points into; the pointer is in its middle.
pub const BYTES: u64 = 2048;

/// Makes programs.
pub struct Generator<'a, 'c> {
    cx: &'a Context<'c>,
    reader: &'a mut Reader,
    random: Random,
    /// Values that may be read here.
    pool: Vec<(Value, Rc<Ty>)>,
    /// Statements that are left.
    budget: usize,
    depth: usize,
    /// How often the innermost statement runs, roughly.
    repeats: usize,
    /// Functions that it may call, with the type of the view they take.
    callees: Vec<(String, Type)>,
    module: Block,
    name: String,
    /// The traits of its program.
    traits: Traits,
    /// The values with a computed layout: the interpreter does not know their modes and recasts.
    composed: Vec<Value>,
    /// Kernels so far.
    kernels: usize,
    /// Whether what is made is a kernel.
    kernel: bool,
    /// Whether what is made is a part of a kernel of upstream's operations: numbers and control flow alone.
    inner: bool,
    /// Whether memory is freed, rather than left to a pass.
    frees: bool,
    /// Whether it may have what upstream folds wrongly.
    strange: bool,
    /// The statements that programs have most of.
    mix: Mix,
    /// Texts of types in which MLIR reads something else.
    misread: Vec<String>,
}

/// The statements that programs have most of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mix {
    /// Some of everything.
    #[default]
    All,
    /// Tile kernels whose threads `layout-verify` follows, nearly each with one fault.
    Kernels,
}

/// The traits of a program that a pass may not take, or may change.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Whether upstream's own folds are right about all that is in it; see the README.
    pub stock: bool,
    /// Whether it launches kernels.
    pub launches: bool,
    /// Whether it has kernels of upstream's operations alone, which are not for hosts.
    pub upstream: bool,
    /// Whether it frees memory.
    pub frees: bool,
    /// Whether it has branches between blocks.
    pub blocks: bool,
}

/// Declares what programs call, in an empty module that may hold kernels.
pub fn prelude(cx: &Context<'_>, holder: Op) {
    let module = holder.regions()[0].blocks()[0];
    if let Some(unit) = cx.attribute("unit") {
        holder.set_attribute("gpu.container_module", unit);
    }
    for ty in WIDTHS {
        let r#type = cx.attribute(&format!("({ty}) -> ()"));
        let name = cx.attribute(&format!("\"see_{ty}\""));
        let (Some(r#type), Some(name), Some(private)) = (r#type, name, cx.attribute("\"private\""))
        else {
            continue;
        };
        let attributes =
            [("function_type", r#type), ("sym_name", name), ("sym_visibility", private)];
        let made = cx.build("func.func", &[], &attributes, Some(&[]), &[Region::new()], &[]);
        if let Some(made) = made {
            module.append(made);
        }
    }
}

/// A program that was put into a module.
pub struct Made {
    /// The traits of the program.
    pub traits: Traits,
    /// Texts of types in which MLIR reads something else than they say: expected and found.
    pub misread: Vec<String>,
}

/// Puts the program of a seed into a module.
pub fn program(
    cx: &Context<'_>,
    reader: &mut Reader,
    module: Block,
    name: &str,
    seed: u64,
    mix: Mix,
) -> Made {
    let mut random = Random::of_seed(seed);
    let strange = random.percent(30);
    // `layout-verify` examines the kernels alone.
    let budget = 6 + random.index(if mix == Mix::Kernels { 2 } else { 22 });
    let frees = random.percent(60);
    let mut generator = Generator {
        cx,
        reader,
        random,
        pool: Vec::new(),
        budget,
        depth: 0,
        repeats: 1,
        callees: Vec::new(),
        module,
        name: name.to_owned(),
        traits: Traits {
            stock: true,
            launches: false,
            upstream: false,
            frees: false,
            blocks: false,
        },
        composed: Vec::new(),
        kernels: 0,
        kernel: false,
        inner: false,
        frees,
        strange,
        mix,
        misread: Vec::new(),
    };
    generator.function();
    Made { traits: generator.traits, misread: generator.misread }
}

impl Generator<'_, '_> {
    fn r#type(&self, text: &str) -> Type {
        self.cx.r#type(text).unwrap_or_else(|| panic!("{text} is a type"))
    }

    fn function(&mut self) {
        let types: Vec<Type> = ARGUMENTS.iter().map(|text| self.r#type(text)).collect();
        let region = Region::new();
        let mut block = region.append(self.cx, &types);
        for value in block.arguments() {
            self.know(value);
        }
        if self.random.percent(25) {
            self.callee();
        }
        let [tiles, threads] = match self.mix {
            Mix::All => [12, 6],
            Mix::Kernels => [94, 2],
        };
        let kind = self.random.index(100);
        if kind < tiles {
            self.launch(block);
        } else if kind < tiles + threads {
            self.launch_upstream(block);
        }
        self.statements(block);
        while self.random.percent(12) {
            block = self.flow(&region, block);
            self.budget += 3;
            self.statements(block);
        }
        let values: Vec<Value> = RESULTS.iter().map(|text| self.any(block, text)).collect();
        self.op(block, "func.return", &values, &[], &[]);
        let signature = format!("({}) -> ({})", ARGUMENTS.join(", "), RESULTS.join(", "));
        let name = self.name.clone();
        self.finish(&name, &signature, region, false);
    }

    /// Makes a function of a body.
    fn finish(&mut self, name: &str, signature: &str, region: Region, private: bool) {
        let attribute = |text: &str| {
            self.cx.attribute(text).unwrap_or_else(|| panic!("{text} is an attribute"))
        };
        let mut attributes = vec![
            ("function_type", attribute(signature)),
            ("sym_name", attribute(&format!("\"{name}\""))),
        ];
        if private {
            attributes.push(("sym_visibility", attribute("\"private\"")));
        }
        let made = self.cx.build("func.func", &[], &attributes, Some(&[]), &[region], &[]);
        if let Some(made) = made {
            self.module.append(made);
        }
    }

    /// A value that may be read from here on.
    fn know(&mut self, value: Value) {
        let ty = self.reader.ty(value.r#type());
        self.pool.push((value, ty));
    }

    /// An operation with known types of its results, after the others of a block.
    fn op(
        &mut self,
        block: Block,
        name: &str,
        operands: &[Value],
        attributes: &[(&str, crate::ir::Attribute)],
        results: &[&str],
    ) -> Op {
        let results: Vec<Type> = results.iter().map(|text| self.r#type(text)).collect();
        let made = self.cx.build(name, operands, attributes, Some(&results), &[], &[]);
        let made = made.unwrap_or_else(|| panic!("{name} is built"));
        block.append(made);
        made
    }

    /// An operation whose results' types MLIR infers, or `None` if it cannot be, or if its verifier says no.
    fn inferred(
        &mut self,
        block: Block,
        name: &str,
        operands: &[Value],
        attributes: &[(&str, crate::ir::Attribute)],
    ) -> Option<Op> {
        let made = self.cx.build(name, operands, attributes, None, &[], &[])?;
        self.settle(block, made)
    }

    /// Puts an operation into a block if its verifier takes it.
    fn settle(&mut self, block: Block, made: Op) -> Option<Op> {
        if !made.verifies() {
            made.destroy();
            return None;
        }
        block.append(made);
        let name = made.name();
        let composed = ["composition", "partition", "local_tile", "zipped_divide", "coalesce"]
            .iter()
            .any(|end| name.strip_prefix("layout.") == Some(end))
            || made.operands().iter().any(|value| self.composed.contains(value));
        for value in made.results() {
            if composed {
                self.composed.push(value);
            }
            self.know(value);
        }
        Some(made)
    }

    fn constant(&mut self, block: Block, ty: &str, value: i64) -> Value {
        let r#type = self.r#type(ty);
        let attribute = if ty == "i1" {
            let text = if value & 1 == 1 { "true" } else { "false" };
            self.cx.attribute(text).unwrap_or_else(|| panic!("{text} is an attribute"))
        } else {
            self.cx.integer(r#type, value)
        };
        self.op(block, "arith.constant", &[], &[("value", attribute)], &[ty]).result()
    }

    /// A value of a type of integers: one that is there, or a constant.
    fn any(&mut self, block: Block, ty: &str) -> Value {
        let expected = Ty::parse(ty);
        let found: Vec<Value> = self
            .pool
            .iter()
            .filter(|(_, other)| **other == expected)
            .map(|(value, _)| *value)
            .collect();
        if found.is_empty() || self.random.percent(15) {
            let value = self.random.edge(bits_of(ty));
            return self.constant(block, ty, value);
        }
        // Later values more often.
        let last = found.len() - 1;
        let back = self.random.index(found.len()).min(self.random.index(found.len()));
        found[last - back]
    }

    /// A value that is not a number, if there is one that fits.
    fn some(&mut self, fits: impl Fn(&Ty) -> bool) -> Option<(Value, Rc<Ty>)> {
        let found: Vec<(Value, Rc<Ty>)> =
            self.pool.iter().filter(|(_, ty)| fits(ty)).cloned().collect();
        if found.is_empty() {
            return None;
        }
        let back = self.random.index(found.len()).min(self.random.index(found.len()));
        Some(found[found.len() - 1 - back].clone())
    }

    fn width(&mut self) -> &'static str {
        self.random.pick(WIDTHS)
    }

    fn statements(&mut self, block: Block) {
        let many = 2 + self.random.index(if self.depth == 0 { 24 } else { 8 });
        for _ in 0..many {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            self.statement(block);
        }
        if self.random.percent(60) {
            self.see(block);
        }
    }

    fn statement(&mut self, block: Block) {
        if self.inner {
            return match self.random.index(12) {
                0..4 => self.binary(block),
                4..7 => self.cast(block),
                7 => self.choose(block),
                8 => self.float(block),
                9 | 10 if self.depth < 3 => self.counted(block),
                _ if self.depth < 3 => self.branch(block),
                _ => self.binary(block),
            };
        }
        match self.random.index(100) {
            0..18 => self.binary(block),
            18..34 => self.cast(block),
            34..39 => self.choose(block),
            39..43 => self.float(block),
            43..60 => self.layout_statement(block),
            60..70 => self.memory_statement(block),
            70..80 => self.see(block),
            _ if self.depth >= 3 => self.cast(block),
            80..90 => self.counted(block),
            90..95 => self.branch(block),
            _ => self.other_region(block),
        }
    }

    /// Has a value compared.
    fn see(&mut self, block: Block) {
        if self.inner {
            return;
        }
        let ty = self.width();
        let value = self.any(block, ty);
        let callee = self.cx.attribute(&format!("@see_{ty}"));
        let callee = callee.unwrap_or_else(|| panic!("@see_{ty} is an attribute"));
        self.op(block, "func.call", &[value], &[("callee", callee)], &[]);
    }

    /// Statements in a region; what they make is not read outside.
    fn inside(&mut self, block: Block) {
        self.depth += 1;
        self.statements(block);
        self.depth -= 1;
    }
}

/// Bits of a type of integers.
pub fn bits_of(ty: &str) -> u32 {
    ty.strip_prefix('i').and_then(|bits| bits.parse().ok()).unwrap_or(64)
}
