//! Functions as the interpreter runs them: values are numbered, attributes read once.

use crate::{
    interpret::{
        arithmetic::{Binary, Cast, Convert, Extended, Flags, Float},
        layout_text::{Term, Text},
        names,
        types::Ty,
        value::Value,
    },
    ir,
};
use std::{collections::HashMap, rc::Rc};

/// The code of an operation.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names are the operations'")]
pub enum Code {
    Constant(Value),
    Binary(Binary, Flags, u32),
    Compare(u8, u32),
    Select,
    Cast(Cast, Flags, u32, u32),
    Float(Float, u32),
    Extended(Extended, u32),
    Freeze,
    For {
        unsigned: bool,
        bits: u32,
    },
    While,
    If,
    Region,
    Parallel(usize),
    IndexSwitch(Vec<i64>),
    Leave,
    Branch,
    /// How many operands the first successor has.
    CondBranch(usize),
    /// Cases, and how many operands the default and each case have.
    Switch(Vec<i64>, Vec<usize>),
    Call(Rc<str>),
    Unreachable,
    Nothing,
    Alloc(Rc<Ty>),
    Alloca(u64),
    Dealloc,
    Load(u64),
    Store(u64),
    SubView {
        segments: Vec<usize>,
        offsets: Vec<i64>,
        sizes: Vec<i64>,
        strides: Vec<i64>,
        rank: usize,
    },
    Reinterpret {
        segments: Vec<usize>,
        offsets: Vec<i64>,
        sizes: Vec<i64>,
        strides: Vec<i64>,
    },
    Dim,
    Metadata,
    AlignedPointer,
    MemRefCopy,
    Expect(Rc<Ty>),
    PointerLoad(u32),
    PointerStore(u32),
    /// Indices, the type that they count, and the widths of those that are operands.
    Step(Vec<i64>, Rc<Ty>, Vec<u32>),
    Insert(Vec<usize>, Rc<Ty>),
    Extract(Vec<usize>),
    Affine(Rc<names::Map>),
    AffineExtreme(Rc<names::Map>, bool),
    AffineFor {
        lower: Rc<names::Map>,
        upper: Rc<names::Map>,
        step: i64,
        segments: Vec<usize>,
    },
    AffineLoad(Rc<names::Map>, u64),
    AffineStore(Rc<names::Map>, u64),
    AffineIf(Rc<names::Set>),
    Make(Rc<Text>),
    Term(Rc<Term>),
    MakeView(Rc<Ty>),
    ViewLoad(Rc<str>),
    ViewStore(Rc<str>),
    Fill,
    ToIndex(Rc<str>),
    ToCoordinate(Option<Rc<Term>>),
    Slice(Rc<str>),
    LocalTile(Rc<str>, Rc<Term>),
    Partition(Rc<str>, Rc<Term>),
    Compose(Option<Rc<Term>>),
    ZippedDivide(Option<Rc<Term>>),
    Size,
    Get(Vec<usize>),
    Pick(Vec<usize>),
    Recast(u32, Rc<Ty>, Option<usize>),
    Coalesce,
    Offset,
    Inner,
    IdentityTensor(Rc<Text>),
    MakeTuple(Rc<str>),
    AllocView(Rc<Ty>),
    CopyView,
    CompareFloat(u8, u32),
    Convert(Convert, u32, u32),
    Negate(u32),
    Barrier,
    /// A number of the launch, along one of three dimensions.
    Place(Place, usize),
    /// Memory of each block: a symbol, and its bytes; as many as the launch gives where it has none.
    BlockMemory(Rc<str>, u64),
    /// The kernel's name, or `None` if the body is a region; how many operands each segment has; how many
    /// arguments of the body are memory of a block.
    Launch(Option<Rc<str>>, Vec<usize>, usize),
    Unknown(Rc<str>),
}

/// A query of a thread about its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are upstream's")]
pub enum Place {
    ThreadId,
    BlockId,
    BlockDim,
    GridDim,
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Whether all threads of a block come to it together: a barrier, or a region with one.
    pub meets: bool,
    /// The code of the operation.
    pub code: Code,
    /// Numbers of its operands.
    pub operands: Vec<u32>,
    /// Numbers of its results.
    pub results: Vec<u32>,
    /// Its regions.
    pub regions: Vec<Region>,
    /// Blocks, by their numbers in the region.
    pub successors: Vec<usize>,
}

/// One region.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Its blocks.
    pub blocks: Vec<Block>,
}

/// One block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Numbers of its arguments.
    pub arguments: Vec<u32>,
    /// Its operations.
    pub operations: Vec<Operation>,
}

/// One function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Types of its arguments.
    pub arguments: Vec<Rc<Ty>>,
    /// How many arguments, of a kernel, are after them: memory of a block.
    pub workgroup: usize,
    /// How many values it has.
    pub values: u32,
    /// Its body; no block where it has none.
    pub body: Region,
}

/// Functions of a module by their names.
pub type Functions = HashMap<Rc<str>, Function>;

/// The texts that were read in a context before, by handles.
#[derive(Default)]
pub struct Reader {
    types: HashMap<usize, Rc<Ty>>,
    names: HashMap<usize, Rc<str>>,
    /// Texts of attributes.
    pub texts: ir::Texts,
}

impl Reader {
    /// The type of a handle.
    pub fn ty(&mut self, r#type: ir::Type) -> Rc<Ty> {
        let make = || Rc::new(Ty::parse(&r#type.text()));
        self.types.entry(r#type.key()).or_insert_with(make).clone()
    }

    /// An attribute's text.
    pub fn attribute(&mut self, op: ir::Op, name: &str) -> Option<Rc<str>> {
        op.attribute(name).map(|found| self.texts.attribute(found))
    }

    fn name(&mut self, op: ir::Op) -> Rc<str> {
        self.names.entry(op.name_key()).or_insert_with(|| op.name().into()).clone()
    }

    /// The functions of a module.
    pub fn functions(&mut self, module: ir::Op) -> Functions {
        let mut functions = Functions::new();
        for region in module.regions() {
            for block in region.blocks() {
                for op in block.operations() {
                    let name = self.name(op);
                    if &*name == "gpu.module" {
                        let symbol = self.attribute(op, "sym_name").unwrap_or_else(|| "".into());
                        for (kernel, function) in self.functions(op) {
                            let path = format!("{}::@{kernel}", symbol.trim_matches('"'));
                            functions.insert(path.into(), function);
                        }
                        continue;
                    }
                    if !matches!(&*name, "func.func" | "llvm.func" | "gpu.func") {
                        continue;
                    }
                    let symbol = self.attribute(op, "sym_name").unwrap_or_else(|| "".into());
                    let symbol: Rc<str> = symbol.trim_matches('"').into();
                    functions.insert(symbol, self.function(op));
                }
            }
        }
        functions
    }

    fn function(&mut self, op: ir::Op) -> Function {
        let mut numbers = HashMap::new();
        let region = op.regions()[0];
        let arguments = match region.blocks().first() {
            Some(entry) => entry.arguments().iter().map(|value| self.ty(value.r#type())).collect(),
            None => Vec::new(),
        };
        let body = self.region(region, &mut numbers);
        let workgroup = self.attribute(op, "workgroup_attributions");
        let workgroup = workgroup.and_then(|text| names::number(&text)).unwrap_or(0) as usize;
        Function { arguments, workgroup, values: numbers.len() as u32, body }
    }

    fn region(&mut self, region: ir::Region, numbers: &mut HashMap<usize, u32>) -> Region {
        let blocks = region.blocks();
        let number = |value: ir::Value, numbers: &mut HashMap<usize, u32>| {
            let next = numbers.len() as u32;
            *numbers.entry(value.key()).or_insert(next)
        };
        let mut made = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let arguments =
                block.arguments().into_iter().map(|value| number(value, numbers)).collect();
            let mut operations = Vec::new();
            for op in block.operations() {
                let name = self.name(op);
                let code = names::code(&name, op, self);
                let operands =
                    op.operands().into_iter().map(|value| number(value, numbers)).collect();
                let results =
                    op.results().into_iter().map(|value| number(value, numbers)).collect();
                let regions: Vec<Region> =
                    op.regions().into_iter().map(|region| self.region(region, numbers)).collect();
                let within = |region: &Region| {
                    region.blocks.iter().any(|block| block.operations.iter().any(|op| op.meets))
                };
                let meets = matches!(code, Code::Barrier)
                    || (!matches!(code, Code::Launch(..)) && regions.iter().any(within));
                let place = |block: &ir::Block| blocks.iter().position(|other| other == block);
                let successors = op.successors().iter().filter_map(place).collect();
                operations.push(Operation { meets, code, operands, results, regions, successors });
            }
            made.push(Block { arguments, operations });
        }
        Region { blocks: made }
    }
}
