//! `layout-export-programs`: host functions that launch kernels become programs, which the manifest has for the runtime.
//!
//! ```text
//! func.func @main(%x: memref<?x64xbf16>) -> memref<?x64xbf16>      layout.programs = [{name = "main",
//!     attributes {layout.host} {                                      arguments = [{element = "bf16", shape = ["arg0_0", 64]}],
//!   %y = memref.alloc(%rows)                                   ->     results = …, buffers = …,
//!   gpu.launch_func @scale::@scale … args(%view, %out)                steps = [{launch = {kernel = "scale",
//!   return %y                                                            operands = [{argument = 0}, {result = 0}], …}}]}]
//! ```
//!
//! A program launches kernels and copies, and has [loops and branches](control) around them: what a function computes besides is integers, which
//! become [expressions](amount) over the extents of its arguments and variables, and [views of memory](memory). A [choice] between kernels of a
//! family is a launch of the family. The functions are taken away.

mod amount;
mod bounds;
pub(crate) mod carry;
pub(crate) mod casts;
mod choice;
mod control;
mod copies;
mod extents;
pub(crate) mod floats;
mod forall;
pub(crate) mod memory;
pub(crate) mod numbers;
pub(crate) mod overlap;
mod parts;
pub(crate) mod unroll;

use crate::{derive::STEP, lower::KERNEL};
use amount::Amount;
use choice::Member;
use layout_dialect::{
    build::{Val, context_of, operand, result},
    diagnostics, tree,
};
use melior::{
    Context,
    ir::{
        Attribute, BlockLike, Identifier, OperationRef, ValueLike,
        attribute::{ArrayAttribute, DictionaryAttribute, IntegerAttribute, StringAttribute},
        operation::OperationLike,
        r#type::IntegerType,
    },
};
use memory::{Memory, Piece};
use parts::Part;
use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
};

/// The attribute of a module that holds its programs.
pub(crate) const PROGRAMS: &str = "layout.programs";

/// The attribute of a function that launches kernels.
const HOST: &str = "layout.host";

/// The attribute of a public function on tensors, which is a program even where nothing of it became a kernel.
const ENTRY: &str = "layout.entry";

/// Why a function is no program: where, what was expected, and what was found.
pub(crate) struct Failure<'c> {
    at: OperationRef<'c, 'c>,
    message: String,
}

/// Turns the host functions below `root` into programs.
///
/// # Errors
///
/// A diagnostic at the first operation of each function that no program can do.
pub(crate) fn export(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let (mut outcome, mut programs) = (Ok(()), Vec::new());
    for function in tree::inside(root, "func.func") {
        if function.attribute(HOST).is_err() && function.attribute(ENTRY).is_err() {
            continue;
        }
        if let Some(refusal) = numbers::result(function) {
            diagnostics::error(function, &refusal);
            outcome = Err(());
            continue;
        }
        match Reader::read(root, function) {
            Ok(program) => {
                programs.push(program);
                tree::erase(function);
            }
            Err(Failure { at, message }) => {
                diagnostics::error(at, &message);
                outcome = Err(());
            }
        }
    }
    if !programs.is_empty() {
        // Programs that were exported before stay.
        let before = root.attribute(PROGRAMS).ok().and_then(tree::elements).unwrap_or_default();
        let all: Vec<Attribute<'_>> = before.into_iter().chain(programs).collect();
        let context = context_of(root);
        tree::set_attribute(root, PROGRAMS, ArrayAttribute::new(context, &all).into());
    }
    outcome
}

/// Says of the arguments of public functions that they are only read, so that bufferisation copies what would be written, and of those functions
/// that they are programs.
pub(crate) fn protect(root: OperationRef<'_, '_>) -> Result<(), ()> {
    const WRITABLE: &str = "bufferization.writable";
    let mut outcome = Ok(());
    for function in tree::inside(root, "func.func") {
        let visibility = function.attribute("sym_visibility").ok().and_then(tree::text);
        let Some(entry) = tree::entry(function) else { continue };
        if visibility.as_deref() == Some("private") {
            continue;
        }
        let signature = function.attribute("function_type").map(|own| own.to_string());
        let has = |of: &str| signature.as_ref().is_ok_and(|own| own.contains(of));
        let is_entry = has("tensor<");
        if !is_entry && has("memref<") {
            let name = tree::symbol(function).unwrap_or_default();
            let found = "expected tensors as arguments or results of an entry of the program, found memrefs alone";
            diagnostics::remark(function, &format!("@{name} has no entry: {found}"));
        }
        if let Some(refusal) = crate::names::refusal(function) {
            diagnostics::error(function, &refusal);
            outcome = Err(());
        }
        let context = context_of(function);
        let attributes = tree::argument_attributes(function).unwrap_or_default();
        let no = IntegerAttribute::new(IntegerType::new(context, 1).into(), 0);
        let one = |place: usize| {
            let attributes = attributes.get(place).copied().map(DictionaryAttribute::try_from);
            let mut entries = Vec::new();
            if let Some(Ok(attributes)) = attributes {
                entries.extend((0..attributes.len()).filter_map(|i| attributes.element(i).ok()));
            }
            let writable = Identifier::new(context, WRITABLE);
            // Whoever says that it may be written gives it away.
            if entries.iter().all(|(name, _)| *name != writable)
                && tree::argument(entry, place).r#type().to_string().starts_with("tensor")
            {
                entries.push((writable, no.into()));
            }
            DictionaryAttribute::new(context, &entries).into()
        };
        let all: Vec<Attribute<'_>> = (0..entry.argument_count()).map(one).collect();
        tree::set_argument_attributes(function, &all);
        if is_entry {
            tree::set_attribute(function, ENTRY, Attribute::unit(context));
        }
    }
    outcome
}

/// A view of memory: where it starts, and the integers that its type leaves open.
#[derive(Clone)]
struct View {
    memory: Memory,
    offset: Amount,
    integers: Vec<Amount>,
}

/// The state of reading a function.
struct Reader<'c> {
    context: &'c Context,
    root: OperationRef<'c, 'c>,
    integers: HashMap<usize, Amount>,
    layouts: HashMap<usize, Vec<Amount>>,
    pieces: HashMap<usize, Piece>,
    views: HashMap<usize, View>,
    arguments: Vec<Attribute<'c>>,
    buffers: Vec<Amount>,
    /// The parts of expressions, and the names of those that the program uses.
    parts: Vec<Rc<Part>>,
    used: RefCell<HashSet<String>>,
    constants: Vec<Attribute<'c>>,
    /// The conditions on sizes: a value that is not 0, and the message where it is.
    conditions: Vec<(Amount, String)>,
    /// The conditions of the branches around the operation that is being read.
    around: Vec<Amount>,
    /// The names of variables.
    variables: Vec<String>,
    /// Launches and copies, with the memory that each names: results are known last.
    steps: Vec<Step>,
    /// How many loops and branches are around the operation that is being read.
    depth: usize,
    /// The operation in one of those that no program can do.
    failed: Option<OperationRef<'c, 'c>>,
}

/// A launch of a kernel, or of a family.
#[derive(Clone)]
struct Launched {
    kernel: String,
    /// The family of the kernel, if it is a member of one.
    family: Option<Member>,
    operands: Vec<(Memory, Amount)>,
    sizes: BTreeMap<String, Amount>,
}

/// One thing that a program does.
enum Step {
    Launch(Launched),
    Copy { from: (Memory, Amount), to: (Memory, Amount), bytes: Amount },
    Set(Vec<control::Assignment>),
    Read { from: (Memory, Amount), element: String, variable: Amount },
    Branch { condition: Amount, then: Vec<Step>, otherwise: Vec<Step> },
    Loop { before: Vec<Step>, condition: Amount, body: Vec<Step> },
}

impl Step {
    /// Does something to the memory that it names, and to that of the steps in it.
    fn for_each_memory(&mut self, does: &mut dyn FnMut(&mut Memory)) {
        match self {
            Self::Launch(launched) => {
                launched.operands.iter_mut().for_each(|(memory, _)| does(memory))
            }
            Self::Copy { from, to, .. } => {
                [from, to].into_iter().for_each(|(memory, _)| does(memory))
            }
            Self::Read { from, .. } => does(&mut from.0),
            Self::Set(_) => {}
            Self::Branch { then, otherwise, .. } => {
                then.iter_mut().chain(otherwise).for_each(|step| step.for_each_memory(does));
            }
            Self::Loop { before, body, .. } => {
                before.iter_mut().chain(body).for_each(|step| step.for_each_memory(does));
            }
        }
    }
}

impl<'c> Reader<'c> {
    fn read(
        root: OperationRef<'c, '_>,
        function: OperationRef<'c, 'c>,
    ) -> Result<Attribute<'c>, Failure<'c>> {
        let fail = |message: String| Failure { at: function, message };
        // SAFETY: the module is valid during the pass.
        let root = unsafe { OperationRef::from_raw(root.to_raw()) };
        let mut reader = Self {
            context: context_of(function),
            root,
            integers: HashMap::new(),
            layouts: HashMap::new(),
            pieces: HashMap::new(),
            views: HashMap::new(),
            arguments: Vec::new(),
            buffers: Vec::new(),
            parts: Vec::new(),
            used: RefCell::default(),
            constants: Vec::new(),
            conditions: Vec::new(),
            around: Vec::new(),
            variables: Vec::new(),
            steps: Vec::new(),
            depth: 0,
            failed: None,
        };
        let name = tree::symbol(function).unwrap_or_default();
        let body = tree::entry(function)
            .ok_or_else(|| fail("expected a function with a body".to_owned()))?;
        for i in 0..body.argument_count() {
            reader.argument(tree::argument(body, i), i).map_err(fail)?;
        }
        let mut results = None;
        for operation in tree::operations(body) {
            let outcome = match tree::name(operation).as_str() {
                "func.return" => {
                    reader.results(operation).map(|described| results = Some(described))
                }
                name => reader.operation(operation, name),
            };
            outcome
                .map_err(|message| Failure { at: reader.failed.unwrap_or(operation), message })?;
        }
        let results = results.ok_or_else(|| {
            let last = tree::operations(body).into_iter().next_back();
            let found = last.map_or_else(|| "none".to_owned(), tree::name);
            fail(format!("expected func.return at the end of the first block, found {found}"))
        })?;
        Ok(reader.program(&name, &results))
    }

    /// A memref that a caller passes on, in row-major order without gaps.
    fn argument(&mut self, value: Val<'c>, number: usize) -> Result<(), String> {
        let found = value.r#type();
        let expected = || {
            format!(
                "expected tensors, or memrefs without gaps, as arguments of a program, found {found}"
            )
        };
        let name = |dimension: usize| Amount::name(format!("arg{number}_{dimension}"));
        let (element, sizes) = memory::dense(value).ok_or_else(expected)?;
        let sizes: Vec<Amount> = sizes
            .into_iter()
            .enumerate()
            .map(|(i, size)| size.map_or_else(|| name(i), Amount::known))
            .collect();
        self.arguments.push(self.tensor(&element, &sizes));
        self.pieces.insert(tree::key(value), Piece::dense(Memory::Argument(number), value, sizes));
        Ok(())
    }

    /// Reads one operation.
    fn operation(&mut self, operation: OperationRef<'c, 'c>, name: &str) -> Result<(), String> {
        match name {
            "gpu.launch_func" => self.launch(operation),
            "scf.if" => self.branch(operation),
            "scf.for" => self.counted(operation),
            "scf.while" => self.repeated(operation),
            "memref.load" => self.read_element(operation),
            "layout.size" => {
                if let Some(extent) = self.extent(operation) {
                    self.integers.insert(tree::key(result(operation, 0)), extent);
                }
                Ok(())
            }
            "memref.copy" => self.copy(operation),
            "memref.dealloc" | "memref.assume_alignment" if operation.result_count() == 0 => Ok(()),
            "cf.assert" => self.condition(operation),
            "memref.alloc" => {
                let value = result(operation, 0);
                let mut open = (0..operation.operand_count()).map(|i| operand(operation, i));
                let (_, sizes) = memory::dense(value).ok_or_else(|| {
                    format!("expected memory without gaps, found {}", value.r#type())
                })?;
                let mut known = Vec::with_capacity(sizes.len());
                for size in sizes {
                    known.push(match (size, if size.is_none() { open.next() } else { None }) {
                        (Some(size), _) => Amount::known(size),
                        (None, Some(value)) => self.integer(value)?,
                        (None, None) => return Err("expected a size for each ?".to_owned()),
                    });
                }
                if let Some(size) = known.iter().find(|size| size.is_variable()) {
                    return Err(format!(
                        "expected memory whose sizes are those of arguments, found {size}, which is not known at launch"
                    ));
                }
                let memory = Memory::Buffer(self.buffers.len());
                let piece = Piece::dense(memory, value, known);
                let bytes = self.named(piece.bytes()?);
                self.buffers.push(bytes);
                self.pieces.insert(tree::key(value), piece);
                Ok(())
            }
            "memref.get_global" => {
                let value = result(operation, 0);
                let bytes = memory::global(self.root, operation)?;
                let (_, sizes) = memory::dense(value).ok_or_else(|| {
                    format!("expected memory without gaps, found {}", value.r#type())
                })?;
                let sizes = sizes.into_iter().flatten().map(Amount::known).collect();
                let number = self.constants.len();
                self.constants.push(StringAttribute::new(self.context, &bytes).into());
                let piece = Piece::dense(Memory::Constant(number), value, sizes);
                self.pieces.insert(tree::key(value), piece);
                Ok(())
            }
            "layout.constant" => {
                self.layouts.insert(tree::key(result(operation, 0)), Vec::new());
                Ok(())
            }
            "layout.make" => {
                let values = (0..operation.operand_count()).map(|i| operand(operation, i));
                let all = values.map(|value| self.integer(value)).collect::<Result<_, _>>()?;
                self.layouts.insert(tree::key(result(operation, 0)), all);
                Ok(())
            }
            "layout.make_view" => {
                let (base, layout) = (operand(operation, 0), operand(operation, 1));
                let piece = self.piece(base)?;
                let integers = self.layouts.get(&tree::key(layout)).cloned();
                let integers = integers.ok_or_else(|| {
                    "expected a layout of layout.constant or layout.make for a view".to_owned()
                })?;
                let view = View { memory: piece.memory, offset: piece.start()?, integers };
                self.views.insert(tree::key(result(operation, 0)), view);
                Ok(())
            }
            "memref.dim" => {
                let piece = self.piece(operand(operation, 0))?;
                let dimension = self.integer(operand(operation, 1))?;
                let size = dimension.value().and_then(|at| usize::try_from(at).ok());
                let size = size.and_then(|at| piece.sizes.get(at)).cloned();
                let size = size.ok_or_else(|| {
                    format!(
                        "expected a dimension below the rank of {}, found {dimension}",
                        piece.sizes.len()
                    )
                })?;
                self.integers.insert(tree::key(result(operation, 0)), size);
                Ok(())
            }
            // Booleans are bytes in memory.
            "builtin.unrealized_conversion_cast" if operation.operand_count() == 1 => {
                let piece = self.piece(operand(operation, 0))?;
                self.pieces.insert(tree::key(result(operation, 0)), piece);
                Ok(())
            }
            name if name.starts_with("memref.") && operation.result_count() == 1 => {
                let integer = |value: Val<'c>| self.integer(value);
                let source = self.piece(operand(operation, 0))?;
                let mut conditions = Vec::new();
                let piece = memory::part(operation, name, source, &integer, &mut conditions)?;
                let piece = piece.map(|amount| self.named(amount));
                self.pieces.insert(tree::key(result(operation, 0)), piece);
                conditions
                    .into_iter()
                    .try_for_each(|(holds, message)| self.checked(holds, message))
            }
            name if is_of_values(name) && operation.regions().next().is_none() => {
                let known = |value: Val<'c>| self.integers.get(&tree::key(value)).cloned();
                if let Some(amount) = amount::of(operation, name, &known)? {
                    let amount = self.named(amount);
                    self.integers.insert(tree::key(result(operation, 0)), amount);
                }
                Ok(())
            }
            "memref.store" => Err(
                "expected elements that kernels store, found memref.store of an element that the host computes; a program takes \
                 tensor.from_elements of integers and floats"
                    .to_owned(),
            ),
            "func.call" => {
                let callee = operation.attribute("callee").map(|callee| callee.to_string());
                Err(format!(
                    "expected functions whose bodies replace their calls, found a call of {}, which has no body or calls itself",
                    callee.unwrap_or_default()
                ))
            }
            _ => {
                let hint = match name.starts_with("linalg.") || name.starts_with("tensor.") {
                    true => "; a remark of layout-from-linalg says why it leaves an operation",
                    false => "",
                };
                Err(format!(
                    "expected launches of kernels, copies, views of memory and integers in a program, found {name}{hint}"
                ))
            }
        }
    }

    /// An assertion about sizes, which is checked before a launch.
    fn condition(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), String> {
        let message = operation.attribute("msg").ok().and_then(tree::text).unwrap_or_default();
        let is_of_cast = operation.attribute(casts::CAST).is_ok();
        let value = match self.integer(operand(operation, 0)) {
            Err(_) if is_of_cast => return Ok(()),
            found => found?,
        };
        if value.is_variable() && is_of_cast { Ok(()) } else { self.checked(value, message) }
    }

    /// Has a program check that an integer is not 0, unless a branch around it is not taken.
    fn checked(&mut self, value: Amount, message: String) -> Result<(), String> {
        // A branch that is decided later may be taken.
        let mut around = self.around.iter().filter(|own| !own.is_variable());
        let value = around.try_fold(value, |value, own| own.not()?.either(&value))?;
        match value.value() {
            _ if value.is_variable() => Err(
                "expected an assertion about sizes of arguments, found one about a value that is not known at launch"
                    .to_owned(),
            ),
            Some(0) => Err(format!(
                "expected an assertion that may hold, found one that fails at all sizes: {message}"
            )),
            Some(_) => Ok(()),
            None => {
                let condition = (value, message);
                if !self.conditions.contains(&condition) {
                    self.conditions.push(condition);
                }
                Ok(())
            }
        }
    }

    fn integer(&self, value: Val<'c>) -> Result<Amount, String> {
        self.integers.get(&tree::key(value)).cloned().ok_or_else(|| {
            let made = tree::definition(value).map_or("an argument".to_owned(), tree::name);
            format!("expected an integer of the sizes of arguments, found one of {made}")
        })
    }

    fn piece(&self, value: Val<'c>) -> Result<Piece, String> {
        self.pieces.get(&tree::key(value)).cloned().ok_or_else(|| {
            format!(
                "expected memory of an argument, an allocation or a constant, found {}",
                value.r#type()
            )
        })
    }

    /// A launch: steps around a kernel are its own, and so are its workspaces, which are after its arguments.
    fn launch(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), String> {
        let kernel = crate::lower::kernel_of(self.root, operation)
            .ok_or("expected a kernel of this module, found none")?;
        if kernel.attribute(STEP).is_ok() {
            return Ok(());
        }
        let name = tree::symbol(kernel).unwrap_or_default();
        let facts = kernel.attribute(KERNEL).and_then(DictionaryAttribute::try_from);
        let facts = facts.map_err(|_| {
            format!("expected a kernel with {KERNEL}, found @{name} without it; layout-derive-launch finds it")
        })?;
        let list =
            |key: &str| facts.element_by_name(key).and_then(tree::elements).unwrap_or_default();
        let text = |of: Attribute<'c>, key: &str| -> Option<String> {
            let found = DictionaryAttribute::try_from(of).ok()?.element_by_name(key)?;
            tree::text(found)
        };
        let (arguments, given) = (list("args"), crate::lower::kernel_operands(operation));
        let (mut operands, mut sizes) = (Vec::new(), BTreeMap::new());
        // Scalars are between the pointers.
        let mut scalars = list("scalars").into_iter().peekable();
        let mut given = given.into_iter();
        for i in 0..=arguments.len() {
            while let Some(scalar) = scalars.next_if(|scalar| before(*scalar) == Some(i)) {
                let value =
                    given.next().ok_or_else(|| format!("expected more operands of @{name}"))?;
                let size = text(scalar, "value").ok_or_else(|| {
                    format!("expected scalars of @{name} that are sizes, found {scalar}")
                })?;
                sizes.entry(size).or_insert(self.integer(value)?);
            }
            let Some(&argument) = arguments.get(i) else { break };
            let value = given.next();
            let view = value.and_then(|value| self.views.get(&tree::key(value))).cloned();
            let view = view.ok_or_else(|| {
                let found = value.map_or("none".to_owned(), |value| value.r#type().to_string());
                format!("expected a view of memory as operand {i} of @{name}, found {found}")
            })?;
            operands.push((view.memory, view.offset));
            let own = DictionaryAttribute::try_from(argument).map_err(|error| error.to_string())?;
            let named = own.element_by_name("sizes").and_then(tree::elements).unwrap_or_default();
            for (size, amount) in named.into_iter().zip(view.integers) {
                if let Some(size) = text(size, "value") {
                    sizes.entry(size).or_insert(amount);
                }
            }
        }
        let required: Vec<String> = list("sizes")
            .into_iter()
            .filter_map(|size| text(size, "name").or_else(|| plain(size)))
            .collect();
        sizes.retain(|size, _| required.contains(size));
        if let Some(missing) = required.iter().find(|size| !sizes.contains_key(*size)) {
            return Err(format!(
                "expected a view that has the size {missing} of @{name}, found none"
            ));
        }
        let family = facts.element_by_name("family").and_then(Member::of);
        self.steps.push(Step::Launch(Launched { kernel: name, family, operands, sizes }));
        Ok(())
    }

    fn copy(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), String> {
        let (from, to) = (self.piece(operand(operation, 0))?, self.piece(operand(operation, 1))?);
        for (piece, value) in [(&from, operand(operation, 0)), (&to, operand(operation, 1))] {
            if !piece.is_dense() {
                let found = value.r#type();
                return Err(format!("expected a copy between memory without gaps, found {found}"));
            }
        }
        let bytes = to.bytes()?;
        let (from, to) = ((from.memory, from.start()?), (to.memory, to.start()?));
        self.steps.push(Step::Copy { from, to, bytes });
        Ok(())
    }

    /// The tensors that a function returns: an allocation that is returned is the result's memory, all else is copied there.
    fn results(&mut self, operation: OperationRef<'c, 'c>) -> Result<Vec<Attribute<'c>>, String> {
        let mut described = Vec::new();
        let mut taken: HashMap<usize, usize> = HashMap::new();
        let mut copies = Vec::new();
        for i in 0..operation.operand_count() {
            let value = operand(operation, i);
            let piece = self.piece(value)?;
            let element = memory::element(value).ok_or("expected a memref to be returned")?;
            if let Some(size) = piece.sizes.iter().find(|size| size.is_variable()) {
                return Err(format!(
                    "expected results whose sizes are those of arguments, found {size}, which is not known at launch"
                ));
            }
            described.push(self.tensor(&element, &piece.sizes));
            if !piece.is_dense() {
                let found = value.r#type();
                return Err(format!("expected results without gaps, found {found}"));
            }
            let bytes = piece.bytes()?;
            match piece.memory {
                Memory::Buffer(buffer)
                    if piece.start()?.value() == Some(0)
                        && self.buffers.get(buffer).is_some_and(|own| own.is_equal(&bytes))
                        && !taken.contains_key(&buffer) =>
                {
                    taken.insert(buffer, i);
                }
                memory => copies.push((memory, piece.start()?, i, bytes)),
            }
        }
        for (memory, offset, i, bytes) in copies {
            let to = (Memory::Result(i), Amount::known(0));
            self.steps.push(Step::Copy { from: (memory, offset), to, bytes });
        }
        copies::remove(&mut self.steps, &self.buffers, taken.keys());
        // The remaining buffers are renumbered, without those that nothing names.
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        let mut left = Vec::new();
        let buffers = &self.buffers;
        for step in &mut self.steps {
            step.for_each_memory(&mut |memory| {
                let Memory::Buffer(buffer) = *memory else { return };
                if let Some(&result) = taken.get(&buffer) {
                    *memory = Memory::Result(result);
                    return;
                }
                let number = *numbers.entry(buffer).or_insert_with(|| {
                    left.push(buffers.get(buffer).cloned().unwrap_or_else(|| Amount::known(0)));
                    left.len() - 1
                });
                *memory = Memory::Buffer(number);
            });
        }
        self.buffers = left;
        Ok(described)
    }

    fn tensor(&self, element: &str, sizes: &[Amount]) -> Attribute<'c> {
        let shape: Vec<Attribute<'c>> = sizes.iter().map(|size| self.amount(size)).collect();
        let element = StringAttribute::new(self.context, element).into();
        self.entries(&[("element", element), ("shape", self.list(&shape))])
    }

    fn place(&self, (memory, offset): &(Memory, Amount)) -> Attribute<'c> {
        let (key, number) = memory.name();
        let number = self.amount(&Amount::known(i64::try_from(number).unwrap_or(i64::MAX)));
        let mut entries = vec![(key, number)];
        if offset.value() != Some(0) {
            entries.push(("offset", self.amount(offset)));
        }
        self.entries(&entries)
    }

    fn text(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    fn steps(&self, steps: &[Step]) -> Attribute<'c> {
        let all: Vec<Attribute<'c>> = steps.iter().map(|step| self.step(step)).collect();
        self.list(&all)
    }

    fn step(&self, step: &Step) -> Attribute<'c> {
        let (key, entries) = match step {
            Step::Launch(Launched { kernel, operands, sizes, .. }) => {
                let operands: Vec<Attribute<'c>> =
                    operands.iter().map(|one| self.place(one)).collect();
                let mut entries =
                    vec![("kernel", self.text(kernel)), ("operands", self.list(&operands))];
                if !sizes.is_empty() {
                    let sizes: Vec<(&str, Attribute<'c>)> = sizes
                        .iter()
                        .map(|(name, size)| (name.as_str(), self.amount(size)))
                        .collect();
                    entries.push(("sizes", self.entries(&sizes)));
                }
                ("launch", entries)
            }
            Step::Copy { from, to, bytes } => {
                let (from, to) = (self.place(from), self.place(to));
                ("copy", vec![("bytes", self.amount(bytes)), ("from", from), ("to", to)])
            }
            Step::Set(all) => {
                let one = |one: &control::Assignment| {
                    let variable = self.text(&one.variable.to_string());
                    let mut entries =
                        vec![("variable", variable), ("value", self.amount(&one.value))];
                    if one.bits != 64 {
                        entries.push(("bits", self.amount(&Amount::known(one.bits.into()))));
                    }
                    self.entries(&entries)
                };
                let all: Vec<Attribute<'c>> = all.iter().map(one).collect();
                return self.entries(&[("set", self.list(&all))]);
            }
            Step::Read { from, element, variable } => {
                let variable = self.text(&variable.to_string());
                (
                    "read",
                    vec![
                        ("from", self.place(from)),
                        ("element", self.text(element)),
                        ("variable", variable),
                    ],
                )
            }
            Step::Branch { condition, then, otherwise } => {
                let mut entries = vec![("condition", self.amount(condition))];
                for (key, steps) in [("then", then), ("otherwise", otherwise)] {
                    if !steps.is_empty() {
                        entries.push((key, self.steps(steps)));
                    }
                }
                ("branch", entries)
            }
            Step::Loop { before, condition, body } => {
                let mut entries =
                    vec![("condition", self.amount(condition)), ("body", self.steps(body))];
                if !before.is_empty() {
                    entries.push(("before", self.steps(before)));
                }
                ("loop", entries)
            }
        };
        self.entries(&[(key, self.entries(&entries))])
    }

    fn program(&self, name: &str, results: &[Attribute<'c>]) -> Attribute<'c> {
        let buffers: Vec<Attribute<'c>> = self.buffers.iter().map(|one| self.amount(one)).collect();
        let variables: Vec<Attribute<'c>> =
            self.variables.iter().map(|name| self.text(name)).collect();
        let mut entries = vec![
            ("name", StringAttribute::new(self.context, name).into()),
            ("arguments", self.list(&self.arguments)),
            ("results", self.list(results)),
            ("steps", self.steps(&self.steps)),
        ];
        let condition = |(value, message): &(Amount, String)| {
            let message = StringAttribute::new(self.context, message).into();
            self.entries(&[("value", self.amount(value)), ("message", message)])
        };
        let conditions: Vec<Attribute<'c>> = self.conditions.iter().map(condition).collect();
        let parts = self.part_attributes();
        for (key, list) in [
            ("parts", &parts),
            ("buffers", &buffers),
            ("constants", &self.constants),
            ("conditions", &conditions),
            ("variables", &variables),
        ] {
            if !list.is_empty() {
                entries.push((key, self.list(list)));
            }
        }
        self.entries(&entries)
    }

    fn amount(&self, amount: &Amount) -> Attribute<'c> {
        match amount.value() {
            Some(value) => {
                IntegerAttribute::new(IntegerType::new(self.context, 64).into(), value).into()
            }
            None => {
                let text = amount.to_string();
                self.uses(&text);
                self.text(&text)
            }
        }
    }

    fn list(&self, all: &[Attribute<'c>]) -> Attribute<'c> {
        ArrayAttribute::new(self.context, all).into()
    }

    fn entries(&self, all: &[(&str, Attribute<'c>)]) -> Attribute<'c> {
        let entries: Vec<_> =
            all.iter().map(|(key, value)| (Identifier::new(self.context, key), *value)).collect();
        DictionaryAttribute::new(self.context, &entries).into()
    }
}

/// How many pointers are in front of a scalar.
fn before(scalar: Attribute<'_>) -> Option<usize> {
    let before = DictionaryAttribute::try_from(scalar).ok()?.element_by_name("before")?;
    usize::try_from(IntegerAttribute::try_from(before).ok()?.value()).ok()
}

/// A size that is but a name.
fn plain(size: Attribute<'_>) -> Option<String> {
    tree::text(size)
}

/// Whether operations of this name compute values, and touch no memory. Grids are computed of views' sizes: the manifest has
/// them with the kernel.
fn is_of_values(name: &str) -> bool {
    ["layout.slice", "arith.", "math.", "index.", "affine.apply", "affine.min", "affine.max"]
        .iter()
        .any(|known| name.starts_with(known))
}
