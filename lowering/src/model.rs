//! Runs a function on tensors on this machine's CPU: the kernels that it becomes as loops, or upstream's loops for comparison.
//!
//! The program is what `layout-compile` makes of the function up to its launches, for the same chip; then [`layout-serialize`](crate::pipeline::to_host)
//! turns each kernel into loops over its blocks and threads, and the host's loops and branches are compiled as they are. Attention takes the kernel on
//! `mma.sync`, since the library's on warpgroups waits within threads, which loops cannot.

mod accumulators;
mod divisors;
mod memory;
mod pads;
mod reshapes;

use crate::{
    budget::{self, Stop, loops},
    commands::{passes, place},
    jit::Engine,
    lower::casts,
    pipeline,
};
use layout_dialect::{diagnostics, tree};
use layout_runtime::manifest::Element;
use melior::{
    Context,
    ir::{
        Attribute, Module, OperationRef, Type,
        attribute::{FlatSymbolRefAttribute, StringAttribute, TypeAttribute},
        operation::OperationLike,
        r#type::{DimSize, FunctionType, RankedTensorType, ShapedTypeLike},
    },
};
use memory::{Block, OutOfBounds};
use std::{
    collections::HashSet,
    ffi::{CStr, c_char, c_void},
    fmt,
};

/// Steps that a call has, unless an option says otherwise: nearly all are iterations of loops of a few instructions.
pub const STEPS: u64 = 1 << 37;

/// Which code computes a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend<'w> {
    /// The kernels for a chip.
    Kernels(&'w str),
    /// Upstream's loops.
    Loops,
}

/// The elements of a tensor, and its extents where they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The element type, by MLIR's name.
    pub element: String,
    /// The extents.
    pub extents: Vec<Option<i64>>,
}

/// A tensor in row-major order without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The element type, by MLIR's name.
    pub element: String,
    /// The extents.
    pub shape: Vec<i64>,
    /// The elements' bytes.
    pub data: Vec<u8>,
}

impl Kind {
    /// Bytes of an element.
    pub fn element_bytes(&self) -> usize {
        match (self.element.as_str(), self.numbers()) {
            ("index", _) => 8,
            (_, Some(element)) => element.bytes(),
            _ => 1,
        }
    }

    /// The type of the elements, or `None` for booleans.
    pub fn numbers(&self) -> Option<Element> {
        Some(match self.element.as_str() {
            "f8E4M3FN" => Element::E4m3,
            "f8E5M2" => Element::E5m2,
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "f32" => Element::F32,
            "f64" => Element::F64,
            "i8" => Element::I8,
            "i16" => Element::I16,
            "i32" => Element::I32,
            "i64" | "index" => Element::I64,
            _ => return None,
        })
    }

    fn of(r#type: Type<'_>) -> Option<Self> {
        let tensor = RankedTensorType::try_from(r#type).ok()?;
        let extents = (0..tensor.rank()).map(|i| match tensor.dim_size(i) {
            Ok(DimSize::Static(own)) => i64::try_from(own).ok(),
            _ => None,
        });
        let own = Self { element: tensor.element().to_string(), extents: extents.collect() };
        (own.numbers().is_some() || own.element == "i1").then_some(own)
    }

    /// Whether a shape fits this type.
    pub fn fits(&self, shape: &[i64]) -> bool {
        self.extents.len() == shape.len()
            && self.extents.iter().zip(shape).all(|(known, own)| known.is_none_or(|k| k == *own))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extent = |own: &Option<i64>| own.map_or("?".to_owned(), |own| own.to_string());
        let all: Vec<String> = self.extents.iter().map(extent).collect();
        write!(f, "{} ({})", self.element, all.join(","))
    }
}

/// A function that is compiled for this machine.
pub struct Model {
    engine: Engine,
    /// The places of loops, by their numbers.
    places: Vec<String>,
    name: String,
    /// The symbol of its function of C.
    symbol: String,
    /// The arguments; numbers are tensors of rank 0.
    pub arguments: Vec<Kind>,
    /// The results.
    pub results: Vec<Kind>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Model {
    /// Compiles a function of a module; the only public one on tensors where no name is given. Nothing where diagnostics have reported why it
    /// is not compiled.
    ///
    /// # Errors
    ///
    /// No such function, or one whose arguments or results are no tensors of numbers; what no diagnostic says.
    pub fn of<'c>(
        context: &'c Context,
        module: &mut Module<'c>,
        name: Option<&str>,
        way: Backend<'_>,
    ) -> Result<Option<Self>, String> {
        if !passes(context, module, &pipeline::to_arguments())? {
            return Ok(None);
        }
        let function = find(module, name)?;
        let name = tree::symbol(function).unwrap_or_default();
        let signature = function.attribute("function_type").and_then(TypeAttribute::try_from);
        let signature = signature.and_then(|own| FunctionType::try_from(own.value()));
        let signature = signature.map_err(|error| error.to_string())?;
        let kind = |of: Result<Type<'c>, melior::Error>| {
            let of = of.map_err(|error| error.to_string())?;
            Kind::of(of).ok_or_else(|| {
                format!(
                    "expected tensors of numbers as arguments and results of @{name}, found {of}"
                )
            })
        };
        let arguments: Vec<Kind> = (0..signature.input_count())
            .map(|i| kind(signature.input(i)))
            .collect::<Result<_, _>>()?;
        let results: Vec<Kind> = (0..signature.result_count())
            .map(|i| kind(signature.result(i)))
            .collect::<Result<_, _>>()?;
        drop_others(context, module, &name)?;
        if way == Backend::Loops {
            if !passes(context, module, pipeline::GENERIC_LOOPS)? {
                return Ok(None);
            }
            let root = module.as_operation();
            pads::run(root).map_err(|error| error.to_string())?;
            accumulators::run(root).map_err(|error| error.to_string())?;
            casts::on_host(root)?;
        }
        let to_memory = match way {
            Backend::Kernels(chip) => pipeline::to_memory(chip),
            Backend::Loops => pipeline::LOOPS_IN_MEMORY.to_owned(),
        };
        if !passes(context, module, &to_memory)? {
            return Ok(None);
        }
        if way != Backend::Loops && has_left(module.as_operation()) {
            return Ok(None);
        }
        if calls_others(module.as_operation()) {
            return Ok(None);
        }
        reshapes::run(module.as_operation()).map_err(|error| error.to_string())?;
        divisors::run(module.as_operation()).map_err(|error| error.to_string())?;
        // Upstream's loops call functions of C, such as `powf`, which a function of that name would replace.
        let prefix = if way == Backend::Loops { "layout_model_" } else { "" };
        rename(context, module.as_operation(), prefix);
        for function in tree::inside(module.as_operation(), "func.func") {
            let marks = ["llvm.emit_c_interface", "layout.host"];
            for mark in marks.into_iter().take(if way == Backend::Loops { 1 } else { 2 }) {
                if is_public(function) && tree::entry(function).is_some() {
                    tree::set_attribute(function, mark, Attribute::unit(context));
                }
            }
        }
        let to_llvm = match way {
            Backend::Kernels(_) => pipeline::memory_to_llvm(),
            Backend::Loops => format!("builtin.module({})", pipeline::REST_TO_LLVM),
        };
        if !passes(context, module, &to_llvm)? {
            return Ok(None);
        }
        let places = loops::watch(module.as_operation()).map_err(|error| error.to_string())?;
        let [tick, enter] = budget::functions();
        let provided = [
            tick,
            enter,
            ("memrefCopy", copy as *mut c_void),
            ("puts", say as *mut c_void),
            ("abort", stop as *mut c_void),
            ("malloc", memory::allocate as *mut c_void),
            ("free", memory::free as *mut c_void),
        ];
        let engine = Engine::new(module, &provided)
            .ok_or("expected a function that can be compiled for this machine")?;
        let symbol = format!("_mlir_ciface_{prefix}{name}");
        Ok(Some(Self { engine, places, name, symbol, arguments, results }))
    }

    /// Calls the function, which has a number of steps ([`crate::budget`]).
    ///
    /// # Errors
    ///
    /// Arguments that are not the function's; a function that writes past the end of its memory, or takes more steps.
    pub fn call(&self, arguments: &[Tensor], steps: u64) -> Result<Vec<Tensor>, String> {
        if arguments.len() != self.arguments.len() {
            let (expected, found) = (self.arguments.len(), arguments.len());
            return Err(format!("expected {expected} arguments of @{}, found {found}", self.name));
        }
        let mut blocks = Vec::with_capacity(arguments.len());
        let mut descriptors = Vec::with_capacity(arguments.len());
        for (i, (kind, own)) in self.arguments.iter().zip(arguments).enumerate() {
            let bytes = bytes(&own.shape, kind.element_bytes());
            if own.element != kind.element
                || !kind.fits(&own.shape)
                || bytes != Some(own.data.len())
            {
                return Err(format!(
                    "expected {kind} as argument {i} of @{}, found {} {:?} of {} bytes",
                    self.name,
                    own.element,
                    own.shape,
                    own.data.len()
                ));
            }
            let mut block = Block::with(&own.data);
            descriptors.push(descriptor(block.pointer() as u64, &own.shape));
            blocks.push(block);
        }
        let words = |kind: &Kind| 3 + 2 * kind.extents.len();
        let mut left = vec![0_u64; self.results.iter().map(words).sum()];
        let pointers = descriptors.iter_mut().map(|own| own.as_mut_ptr() as u64);
        let first = (!left.is_empty()).then_some(left.as_mut_ptr() as u64);
        let call: Vec<u64> = first.into_iter().chain(pointers).collect();
        let function = self.engine.packed(&self.symbol);
        let function =
            function.ok_or_else(|| format!("expected @{} as a function of C", self.name))?;
        // SAFETY: the function is called as MLIR's C interface says: a pointer to the results' descriptors and one to each argument's; their
        // memory is as large as the types say.
        if let Err(stop) = unsafe { function.call_within(&call, steps) } {
            memory::free_all();
            return Err(match stop {
                Stop::Steps(exceeded) => {
                    let location = self.places.get(exceeded.site as usize);
                    let place = place(location.map(String::as_str).unwrap_or_default());
                    let message = exceeded.message(&format!("@{}", self.name));
                    format!("{message}, at {}", place.trim_end_matches([':', ' ']))
                }
                stop => stop.to_string(),
            });
        }
        let mut results = Vec::with_capacity(self.results.len());
        let mut at = 0;
        for kind in &self.results {
            let own = &left[at..at + words(kind)];
            at += words(kind);
            let shape: Vec<i64> =
                own[3..3 + kind.extents.len()].iter().map(|word| word.cast_signed()).collect();
            let strides = &own[3 + kind.extents.len()..];
            let count = bytes(&shape, kind.element_bytes());
            let count =
                count.ok_or_else(|| format!("expected {kind} as a result, found {shape:?}"))?;
            let offset = usize::try_from(own[2]).unwrap_or(0) * kind.element_bytes();
            let start = (own[1] as *const u8).wrapping_add(offset);
            let mut data = vec![0; count];
            // SAFETY: a result is memory of the function or one of its arguments, which still are valid, and the descriptor says where its
            // elements are.
            unsafe { gather(start, kind.element_bytes(), (&shape, strides), &mut data) };
            results.push(Tensor { element: kind.element.clone(), shape, data });
        }
        let stray = blocks.iter().find_map(Block::stray);
        match memory::free_all().or(stray) {
            None => Ok(results),
            Some(OutOfBounds { count, bytes }) => Err(format!(
                "expected @{} to write within its buffers, found {count} bytes written outside of a buffer of {bytes} bytes",
                self.name
            )),
        }
    }
}

/// Reads elements in row-major order. One-shot bufferisation takes the memory of a slice as a result without gaps where its strides are known at
/// run time alone.
///
/// # Safety
///
/// The elements of this shape and these strides, from the start on, are memory that may be read.
unsafe fn gather(start: *const u8, element: usize, shape: (&[i64], &[u64]), data: &mut [u8]) {
    for (number, one) in data.chunks_exact_mut(element).enumerate() {
        let mut rest = i64::try_from(number).unwrap_or(0);
        let mut at = 0_i64;
        for (extent, stride) in shape.0.iter().zip(shape.1).rev() {
            at = at.wrapping_add((rest % extent).wrapping_mul(stride.cast_signed()));
            rest /= extent;
        }
        let bytes = isize::try_from(at).unwrap_or(0) * element.cast_signed();
        // SAFETY: the caller guarantees that each element may be read.
        let source = unsafe { std::slice::from_raw_parts(start.offset(bytes), element) };
        one.copy_from_slice(source);
    }
}

/// The bytes of elements of a shape.
fn bytes(shape: &[i64], element: usize) -> Option<usize> {
    shape.iter().try_fold(element, |bytes, &own| bytes.checked_mul(usize::try_from(own).ok()?))
}

/// MLIR's descriptor of memory in row-major order: where it was allocated, where it starts, the offset, extents and strides.
fn descriptor(base: u64, shape: &[i64]) -> Vec<u64> {
    let mut words = vec![base, base, 0];
    words.extend(shape.iter().map(|own| own.cast_unsigned()));
    let mut strides = vec![1_i64; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i].saturating_mul(shape[i]);
    }
    words.extend(strides.into_iter().map(i64::cast_unsigned));
    words
}

/// Whether operations of `linalg` are left outside kernels; an error at the first says so.
fn has_left(root: OperationRef<'_, '_>) -> bool {
    let mut left = None;
    tree::visit(root, &mut |found| {
        let name = tree::name(found);
        if left.is_none() && name.starts_with("linalg.") {
            left = Some(found);
        }
        left.is_none() && !name.starts_with("gpu.")
    });
    if let Some(found) = left {
        let name = tree::name(found);
        let message = format!(
            "expected kernels instead of it, found {name}; a remark of layout-from-linalg gives the reason"
        );
        diagnostics::error(found, &message);
    }
    left.is_some()
}

/// Whether functions without a body are called; an error at the first such call says so.
fn calls_others(root: OperationRef<'_, '_>) -> bool {
    let has_body = |own: &OperationRef<'_, '_>| tree::entry(*own).is_some();
    let functions = tree::inside(root, "func.func").into_iter().filter(has_body);
    let names: Vec<String> =
        functions.filter_map(|own| Some(format!("@{}", tree::symbol(own)?))).collect();
    let calls = tree::inside(root, "func.call").into_iter();
    let mut others = calls.filter_map(|call| {
        let callee = call.attribute("callee").ok()?.to_string().replace('"', "");
        (!names.contains(&callee)).then_some((call, callee))
    });
    let Some((call, callee)) = others.next() else { return false };
    diagnostics::error(
        call,
        &format!("expected functions with a body, found a call of {callee}, which has none"),
    );
    true
}

/// Puts a prefix before the names of functions with a body, and in their calls.
fn rename<'c>(context: &'c Context, root: OperationRef<'c, '_>, prefix: &str) {
    let named = tree::inside(root, "func.func").into_iter();
    for function in named.filter(|own| tree::entry(*own).is_some()) {
        if let Some(name) = tree::symbol(function) {
            let name = StringAttribute::new(context, &format!("{prefix}{name}"));
            tree::set_attribute(function, "sym_name", name.into());
        }
    }
    for call in tree::inside(root, "func.call") {
        let callee = call.attribute("callee").and_then(FlatSymbolRefAttribute::try_from);
        if let Ok(callee) = callee {
            let name = format!("{prefix}{}", callee.value());
            let callee = FlatSymbolRefAttribute::new(context, &name);
            tree::set_attribute(call, "callee", callee.into());
        }
    }
}

/// Whether others may call a function: it says so, or says nothing.
fn is_public(function: OperationRef<'_, '_>) -> bool {
    let visibility = function.attribute("sym_visibility").ok().and_then(tree::text);
    visibility.is_none_or(|own| own == "public")
}

/// Drops the functions that the one of this name does not reach: only that one is run.
fn drop_others<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    name: &str,
) -> Result<(), String> {
    let visibility = "sym_visibility";
    let functions = |module: &Module<'c>| tree::inside(module.as_operation(), "func.func");
    let is = |function: OperationRef<'_, '_>| tree::symbol(function).is_some_and(|own| own == name);
    let mut hidden = HashSet::new();
    for other in functions(module).into_iter().filter(|own| is_public(*own) && !is(*own)) {
        hidden.extend(tree::symbol(other));
        let private = StringAttribute::new(context, "private").into();
        tree::set_attribute(other, visibility, private);
    }
    passes(context, module, "builtin.module(symbol-dce)")?;
    // Reached functions have the visibility that they had.
    for other in functions(module) {
        if tree::symbol(other).is_some_and(|own| hidden.contains(&own)) {
            tree::remove_attribute(other, visibility);
        }
    }
    Ok(())
}

/// The function of a name, or the only public one on tensors.
fn find<'c>(module: &Module<'c>, name: Option<&str>) -> Result<OperationRef<'c, 'c>, String> {
    let is_one = |own: &OperationRef<'_, '_>| {
        let signature = own.attribute("function_type").map(|own| own.to_string());
        is_public(*own)
            && tree::entry(*own).is_some()
            && signature.is_ok_and(|own| own.contains("tensor<"))
    };
    let all = tree::inside(module.as_operation(), "func.func").into_iter();
    let all: Vec<OperationRef<'c, 'c>> = all.filter(is_one).collect();
    let names: Vec<String> =
        all.iter().map(|own| format!("@{}", tree::symbol(*own).unwrap_or_default())).collect();
    let mut candidates = all
        .iter()
        .zip(&names)
        .filter(|(_, own)| name.is_none_or(|name| own.strip_prefix('@') == Some(name)));
    match (candidates.next(), candidates.next()) {
        (Some((own, _)), None) => Ok(*own),
        (Some(_), Some(_)) => Err(format!("expected --function for one of {}", names.join(", "))),
        (None, _) => Err(match name {
            Some(name) => format!(
                "expected a public function @{name} on tensors, found {}",
                match names.as_slice() {
                    [] => "none".to_owned(),
                    all => all.join(", "),
                }
            ),
            None => "expected a public function on tensors, found none".to_owned(),
        }),
    }
}

/// A memref whose rank its type does not say.
#[repr(C)]
struct Unranked {
    rank: i64,
    descriptor: *const u64,
}

/// Says which assertion does not hold, in place of C's `puts`, which keeps it.
extern "C" fn say(message: *const c_char) -> i32 {
    // SAFETY: compiled code passes a text that ends with 0.
    let message = unsafe { CStr::from_ptr(message) };
    eprintln!("error: {}", message.to_string_lossy().trim_end());
    0
}

/// Ends the process where an assertion does not hold, in place of C's `abort`.
extern "C" fn stop() {
    std::process::exit(1);
}

/// Copies the elements of one memref to another, for `memref.copy`.
extern "C" fn copy(element: i64, from: *const Unranked, to: *const Unranked) {
    // SAFETY: compiled code passes two memrefs of one shape and these elements.
    unsafe {
        let rank = usize::try_from((*from).rank).unwrap_or(0);
        let words =
            |of: *const Unranked| std::slice::from_raw_parts((*of).descriptor, 3 + 2 * rank);
        let (source, target) = (words(from), words(to));
        let shape = &source[3..3 + rank];
        let count: u64 = shape.iter().product();
        let size = usize::try_from(element).unwrap_or(0);
        for number in 0..count {
            let mut rest = number;
            let (mut read, mut write) = (source[2], target[2]);
            for d in (0..rank).rev() {
                let at = rest % shape[d];
                rest /= shape[d];
                read = read.wrapping_add(at.wrapping_mul(source[3 + rank + d]));
                write = write.wrapping_add(at.wrapping_mul(target[3 + rank + d]));
            }
            let place = |base: u64, at: u64| base.wrapping_add(at.wrapping_mul(size as u64));
            // Bufferisation may copy memory to where it lies.
            std::ptr::copy(
                place(source[1], read) as *const u8,
                place(target[1], write) as *mut u8,
                size,
            );
        }
    }
}
