//! A lowered kernel as a function that one thread runs: what requires the GPU calls this process.
//!
//! `layout-lower` leaves upstream's operations. Those of `gpu` and the few of `nvvm` that concern one thread or a warp
//! become calls of [`super::machine`]; all else goes to LLVM's dialect as host code does, and each load, store and atomic
//! operation is announced before it happens.

use super::{
    Error, all_reduce, calls, clusters, collectives, conversions, functions,
    machine::Access,
    matrices, mma, orders, phases,
    print::{self, Format},
    statics::{self, Constant, Variables},
    tensors, warpgroups,
};
use crate::{
    budget::loops,
    lower::{BUFFER_BYTES, warps},
};
use layout_dialect::{
    build::{Builder, Val, context_of, first_result, operand, result},
    tree,
};
use melior::{
    ir::{
        Module, OperationRef, RegionLike, Type, ValueLike,
        attribute::{IntegerAttribute, TypeAttribute},
        operation::OperationLike,
        r#type::IntegerType,
    },
    pass::PassManager,
    utility,
};
use std::collections::HashMap;

/// Upstream passes from what is left to LLVM's dialect.
const TO_LLVM: &str = "builtin.module(canonicalize,cse,arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},convert-scf-to-cf,convert-vector-to-llvm,\
    arith-expand{include-bf16=true},convert-math-to-llvm,convert-math-to-libm,finalize-memref-to-llvm,\
    convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,\
    reconcile-unrealized-casts)";

/// The functions that a program calls, and their types.
const DECLARED: [(&str, &str); 41] = [
    ("layout_index", "!llvm.func<i64 (i32)>"),
    ("layout_shared", "!llvm.func<ptr ()>"),
    ("layout_barrier", "!llvm.func<void (i32)>"),
    ("layout_warp_sync", "!llvm.func<void (i32, i32)>"),
    ("layout_assert", "!llvm.func<void (i32, i32, i32)>"),
    ("layout_shuffle", "!llvm.func<i64 (i32, i64, i32, i32, i32)>"),
    ("layout_shuffle_valid", "!llvm.func<i32 ()>"),
    (
        "layout_product",
        "!llvm.func<void (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)>",
    ),
    ("layout_sum", "!llvm.func<i32 (i32)>"),
    ("layout_gather", "!llvm.func<i32 (i64, i32)>"),
    ("layout_gathered", "!llvm.func<i64 (i32)>"),
    ("layout_copy_async", "!llvm.func<void (ptr, ptr, i64, i64, ptr, i32)>"),
    ("layout_copy_commit", "!llvm.func<void ()>"),
    ("layout_copy_wait", "!llvm.func<void (i64)>"),
    ("layout_access", "!llvm.func<void (ptr, i64, ptr, i32, i32)>"),
    ("layout_expect", "!llvm.func<void (i64)>"),
    ("layout_fence", "!llvm.func<void (i32)>"),
    ("layout_row", "!llvm.func<void (ptr, i32)>"),
    ("layout_private", "!llvm.func<void (ptr, i64, ptr, i64, i32)>"),
    ("layout_buffer", "!llvm.func<void (ptr, i64, ptr, i64, i32)>"),
    ("layout_phase", "!llvm.func<void (i32, ptr, i32, i32)>"),
    ("layout_some", "!llvm.func<void (i32, i32, i32, i32)>"),
    ("layout_resize", "!llvm.func<void (i32, i32)>"),
    ("layout_show", "!llvm.func<void ()>"),
    ("layout_bulk_load", "!llvm.func<void (ptr, ptr, ptr, i32, i32, i32, i32, i32, i32)>"),
    ("layout_bulk_load_all", "!llvm.func<void (ptr, ptr, ptr, i32, i32, i32, i32, i32, i32, i32)>"),
    ("layout_mapa", "!llvm.func<ptr (ptr, i32, i32)>"),
    ("layout_cluster_arrive", "!llvm.func<void (i32, i32)>"),
    ("layout_cluster_wait", "!llvm.func<void (i32)>"),
    ("layout_bulk_store", "!llvm.func<void (ptr, ptr, ptr, i32, i32, i32, i32, i32, i32)>"),
    ("layout_bulk_load_bytes", "!llvm.func<void (ptr, ptr, ptr, i32, i32)>"),
    ("layout_bulk_store_bytes", "!llvm.func<void (ptr, ptr, i32, i32)>"),
    ("layout_bulk_commit", "!llvm.func<void ()>"),
    ("layout_bulk_wait", "!llvm.func<void (i64)>"),
    ("layout_wgmma_fence", "!llvm.func<void ()>"),
    ("layout_wgmma_commit", "!llvm.func<void ()>"),
    ("layout_wgmma_wait", "!llvm.func<void (i64)>"),
    ("layout_registers", "!llvm.func<void (ptr, i32, i32, i32)>"),
    ("layout_print_value", "!llvm.func<void (i64)>"),
    ("layout_print", "!llvm.func<void (i32)>"),
    ("layout_warpgroup", "!llvm.func<void (ptr, i64, i64, i32, i32, i32)>"),
];

/// The global that stands for a block's memory.
const SHARED: &str = "layout_shared";

/// The most bytes of a thread's local memory.
const MAX_LOCAL_BYTES: u64 = 1 << 22;

/// A kernel that threads run, and what its places in the source are called.
pub(super) struct Program<'c> {
    pub(super) module: Module<'c>,
    /// By their numbers.
    pub(super) sites: Vec<String>,
    /// The formats of what it prints, by their numbers.
    pub(super) formats: Vec<Format>,
    /// The texts of its assertions, by their numbers.
    pub(super) texts: Vec<String>,
    /// Bytes that a thread's own buffers take.
    pub(super) private: u64,
    /// Shared memory, that of a fixed size by its parts.
    pub(super) variables: Variables,
    /// Constants in global memory.
    pub(super) constants: Vec<Constant>,
    /// Whether copies or MMAs run beside its threads.
    pub(super) has_proxies: bool,
}

/// The places of the source that calls name by number.
#[derive(Default)]
pub(super) struct Sites {
    all: Vec<String>,
    /// By place, and by what the operation there does.
    numbers: HashMap<(String, String), i64>,
    formats: Vec<Format>,
    texts: Vec<String>,
}

impl Sites {
    pub(super) fn of(&mut self, operation: OperationRef<'_, '_>) -> i64 {
        let place = operation.location().to_string();
        let key = (place.clone(), tree::name(operation));
        if let Some(&number) = self.numbers.get(&key) {
            return number;
        }
        let number = i64::try_from(self.all.len()).unwrap_or(0);
        self.all.push(place.clone());
        self.numbers.insert(key, number);
        number
    }

    /// The number of a format.
    pub(super) fn print(&mut self, format: Format) -> i64 {
        self.formats.push(format);
        i64::try_from(self.formats.len() - 1).unwrap_or(0)
    }
}

/// The program of one kernel of a lowered `gpu.module`, which has so many bytes of dynamic shared memory.
pub(super) fn of<'c>(
    module: OperationRef<'c, 'c>,
    (kernel, dynamic): (&str, u32),
) -> Result<Program<'c>, Error> {
    let context = context_of(module);
    let own = Module::new(module.location());
    let body =
        tree::entry(own.as_operation()).ok_or_else(|| Error::refused("expected a module"))?;
    let b = Builder::at_end(context, module.location(), body);
    for operation in tree::entry(module).map(tree::operations).unwrap_or_default() {
        match tree::name(operation).as_str() {
            "gpu.func" if symbol(operation).as_deref() == Some(kernel) => function(&b, operation)?,
            "gpu.func" | "gpu.module_end" => {}
            "llvm.mlir.global" if symbol(operation).as_deref() == Some(SHARED) => {}
            _ => _ = tree::clone_with(&b, operation, &[]),
        }
    }
    loops::declare(&b, &loops::DECLARED)?;
    loops::declare(&b, &DECLARED)?;
    let mut sites = Sites::default();
    const ASYNC_PREFIXES: [&str; 3] = ["nvvm.mbarrier.", "nvvm.wgmma.", "nvvm.cp.async.bulk."];
    let has_proxies = tree::all(own.as_operation()).into_iter().any(|operation| {
        let name = tree::name(operation);
        ASYNC_PREFIXES.iter().any(|start| name.starts_with(start))
    });
    // Their bodies go with them.
    for operation in tree::inside(own.as_operation(), all_reduce::NAME) {
        all_reduce::replace(operation, &mut sites)?;
    }
    for operation in tree::all(own.as_operation()) {
        replace(operation, &mut sites)?;
    }
    not_recursive(own.as_operation())?;
    statics::number_spaces(own.as_operation());
    lower(context, &own)?;
    let variables = statics::place(own.as_operation(), dynamic.into())?;
    let constants = statics::constants(own.as_operation())?;
    let private = watch(own.as_operation(), &mut sites)?;
    if private > MAX_LOCAL_BYTES {
        return Err(Error::refused(format!(
            "expected at most {MAX_LOCAL_BYTES} bytes of local memory per thread, found {private}"
        )));
    }
    if sites.all.len() >= super::shadow::MAX_SITES {
        return Err(Error::refused(format!(
            "expected fewer than {} operations that access memory, found {}",
            super::shadow::MAX_SITES,
            sites.all.len()
        )));
    }
    let Sites { all, formats, texts, .. } = sites;
    Ok(Program {
        module: own,
        sites: all,
        formats,
        texts,
        private,
        variables,
        constants,
        has_proxies,
    })
}

fn lower<'c>(context: &'c melior::Context, module: &Module<'c>) -> Result<(), Error> {
    let manager = PassManager::new(context);
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), TO_LLVM)
        .map_err(|error| Error::refused(error.to_string()))?;
    // SAFETY: the module is valid, and is no other's while the passes run.
    let mut borrowed = std::mem::ManuallyDrop::new(unsafe { Module::from_raw(module.to_raw()) });
    manager.run(&mut borrowed).map_err(|_| Error::NotLowered)
}

fn symbol(operation: OperationRef<'_, '_>) -> Option<String> {
    tree::symbol(operation)
}

/// The kernel as a function of `func`.
fn function<'c>(b: &Builder<'c>, kernel: OperationRef<'c, 'c>) -> Result<(), Error> {
    let copy = tree::clone_with(b, kernel, &[]);
    if tree::entry(copy).is_none() {
        return Err(Error::refused("expected a kernel with a body"));
    }
    let signature = kernel.attribute("function_type")?;
    let inputs =
        melior::ir::r#type::FunctionType::try_from(TypeAttribute::try_from(signature)?.value())?;
    let region = melior::ir::Region::new();
    // SAFETY: both regions are valid; the blocks go from one to the other.
    unsafe {
        mlir_sys::mlirRegionTakeBody(region.to_raw(), copy.region(0)?.to_raw());
    }
    let attributes = [("sym_name", kernel.attribute("sym_name")?), ("function_type", signature)];
    let made = b.with_location(kernel.location()).operation(
        "func.func",
        &[],
        &[],
        &attributes,
        vec![region],
    )?;
    tree::erase(copy);
    statics::attributions(b, kernel, (made, inputs.input_count()))?;
    for operation in tree::inside(made, "gpu.return") {
        Builder::before(operation).operation("func.return", &[], &[], &[], vec![])?;
        tree::erase(operation);
    }
    Ok(())
}

/// A call of a function that is declared.
pub(super) fn call<'c>(
    b: &Builder<'c>,
    name: &str,
    operands: &[Val<'c>],
    result: Option<Type<'c>>,
) -> Result<Option<Val<'c>>, Error> {
    Ok(loops::call(b, name, operands, result)?)
}

/// A constant of LLVM's dialect.
pub(super) fn constant<'c>(b: &Builder<'c>, bits: u32, value: i64) -> Result<Val<'c>, Error> {
    Ok(loops::constant(b, bits, value)?)
}

/// A pointer to memory of no special kind.
pub(super) fn plain<'c>(b: &Builder<'c>, pointer: Val<'c>) -> Result<Val<'c>, Error> {
    let to = melior::dialect::llvm::r#type::pointer(b.context(), 0);
    if pointer.r#type() == to {
        return Ok(pointer);
    }
    Ok(b.value("llvm.addrspacecast", &[pointer], to, &[])?)
}

/// An integer or a pointer as a word of 64 bits, if it is no longer.
fn word_of<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Option<Val<'c>>, Error> {
    let word = b.integer(64);
    let name = match IntegerType::try_from(value.r#type()).map(|own| own.width()) {
        Ok(64) => return Ok(Some(value)),
        Ok(65..) => return Ok(None),
        Ok(_) => "llvm.zext",
        Err(_) => "llvm.ptrtoint",
    };
    Ok(Some(b.value(name, &[value], word, &[])?))
}

/// The lane of a thread in its warp.
pub(super) fn lane<'c>(b: &Builder<'c>) -> Result<Val<'c>, Error> {
    let number = constant(b, 32, LANE)?;
    let found = call(b, "layout_index", &[number], Some(b.integer(64)))?;
    let found = found.ok_or_else(|| Error::refused("expected a lane, found none"))?;
    Ok(b.value("arith.trunci", &[found], b.integer(32), &[])?)
}

/// The number of the lane in [`index_of`].
const LANE: i64 = 15;

/// Numbers of what a thread requires: [`super::machine::Machine::index`].
fn index_of(name: &str, operation: OperationRef<'_, '_>) -> Option<i64> {
    const LETTERS: [&str; 3] = ["x", "y", "z"];
    if let Some(register) = name.strip_prefix("nvvm.read.ptx.sreg.") {
        let (kind, letter) = register.split_once('.').unwrap_or((register, "x"));
        let base = match kind {
            "tid" => 0,
            "ctaid" => 3,
            "ntid" => 6,
            "nctaid" => 9,
            "laneid" => LANE,
            "warpid" => 16,
            "warpsize" => 18,
            _ => return None,
        };
        let place = LETTERS.iter().position(|own| *own == letter)?;
        return Some(base + i64::try_from(place).ok()?);
    }
    let base = match name {
        "gpu.thread_id" => 0,
        "gpu.block_id" => 3,
        "gpu.block_dim" => 6,
        "gpu.grid_dim" => 9,
        "gpu.global_id" => 12,
        "gpu.lane_id" => return Some(LANE),
        "gpu.subgroup_id" => return Some(16),
        "gpu.num_subgroups" => return Some(17),
        "gpu.subgroup_size" => return Some(18),
        _ => return None,
    };
    let dimension = operation.attribute("dimension").ok()?.to_string();
    let place = LETTERS.iter().position(|letter| dimension.ends_with(&format!(" {letter}>")))?;
    Some(base + i64::try_from(place).ok()?)
}

/// Replaces what requires the GPU; refuses what no thread does alone.
fn replace(operation: OperationRef<'_, '_>, sites: &mut Sites) -> Result<(), Error> {
    // SAFETY: the operation is in a module that the caller owns.
    let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
    let name = tree::name(operation);
    let b = Builder::before(operation);
    let site = |b: &Builder<'_>, sites: &mut Sites| -> Result<i64, Error> {
        _ = b;
        Ok(sites.of(operation))
    };
    if let Some(number) = index_of(&name, operation) {
        let number = constant(&b, 32, number)?;
        let value = call(&b, "layout_index", &[number], Some(b.integer(64)))?;
        if let Some(value) = value {
            let own = first_result(operation).r#type();
            let is_index = own == Type::index(b.context());
            let cast = if is_index { "arith.index_cast" } else { "arith.trunci" };
            tree::replace_uses(first_result(operation), b.value(cast, &[value], own, &[])?);
        }
        tree::erase(operation);
        return Ok(());
    }
    if clusters::replace(&b, operation, sites)?
        || phases::replace(&b, operation, sites)?
        || tensors::replace(&b, operation, sites)?
        || warpgroups::replace(&b, operation, sites)?
        || mma::replace(&b, operation, sites)?
        || collectives::replace(&b, operation, sites)?
        || print::replace(&b, operation, sites)?
        || conversions::replace(&b, operation)?
        || functions::replace(&b, operation)?
    {
        return Ok(());
    }
    match name.as_str() {
        "llvm.mlir.addressof" => {
            let named = operation.attribute("global_name").map(|name| name.to_string());
            if named.is_ok_and(|name| name == format!("@{SHARED}")) {
                let pointer = melior::dialect::llvm::r#type::pointer(b.context(), 0);
                if let Some(value) = call(&b, "layout_shared", &[], Some(pointer))? {
                    let own = first_result(operation);
                    let value = b.value("llvm.addrspacecast", &[value], own.r#type(), &[])?;
                    let bytes = operation.attribute(BUFFER_BYTES).ok();
                    if let Some((made, bytes)) = tree::definition(value).zip(bytes) {
                        tree::set_attribute(made, BUFFER_BYTES, bytes);
                    }
                    tree::replace_uses(own, value);
                }
                tree::erase(operation);
            }
        }
        "gpu.barrier" | "nvvm.barrier0" | "nvvm.barrier" | "nvvm.bar.warp.sync" => {
            let is_warp = name == "nvvm.bar.warp.sync";
            if operation.operand_count() > usize::from(is_warp) {
                return Err(Error::at(
                    operation,
                    "expected a barrier of all threads of a block, found one of a subset, which only a GPU runs",
                ));
            }
            let site = constant(&b, 32, site(&b, sites)?)?;
            match is_warp {
                true => call(&b, "layout_warp_sync", &[operand(operation, 0), site], None)?,
                false => call(&b, "layout_barrier", &[site], None)?,
            };
            tree::erase(operation);
        }
        "cf.assert" => {
            let text = operation.attribute("msg").ok().and_then(tree::text).unwrap_or_default();
            let holds = b.value("arith.extui", &[operand(operation, 0)], b.integer(32), &[])?;
            let number = i64::try_from(sites.texts.len()).unwrap_or(0);
            sites.texts.push(text);
            let number = constant(&b, 32, number)?;
            let site = constant(&b, 32, site(&b, sites)?)?;
            call(&b, "layout_assert", &[holds, number, site], None)?;
            tree::erase(operation);
        }
        "gpu.shuffle" => shuffle(&b, operation, sites)?,
        "nvvm.ldmatrix" if matrices::is_known(operation) => matrices::load(&b, operation, sites)?,
        "nvvm.stmatrix" if matrices::is_known(operation) => matrices::store(&b, operation, sites)?,
        "nvvm.cp.async.shared.global" => {
            let size = IntegerAttribute::try_from(operation.attribute("size")?)?.value();
            let pointers = [plain(&b, operand(operation, 0))?, plain(&b, operand(operation, 1))?];
            let bytes = constant(&b, 64, size)?;
            let actual = match operation.operand_count() {
                2 => bytes,
                _ => b.value("llvm.sext", &[operand(operation, 2)], b.integer(64), &[])?,
            };
            let site = constant(&b, 32, site(&b, sites)?)?;
            let base = operand_base(&b, operand(operation, 1))?;
            let operands = [pointers[0], pointers[1], bytes, actual, base, site];
            if let Some(buffer) = Buffer::of(operand(operation, 0)) {
                buffer.announce(&b, (pointers[0], bytes), site)?;
            }
            call(&b, "layout_copy_async", &operands, None)?;
            tree::erase(operation);
        }
        "nvvm.cp.async.commit.group" => {
            call(&b, "layout_copy_commit", &[], None)?;
            tree::erase(operation);
        }
        "nvvm.cp.async.wait.group" => {
            let left = IntegerAttribute::try_from(operation.attribute("n")?)?.value();
            let left = constant(&b, 64, left)?;
            call(&b, "layout_copy_wait", &[left], None)?;
            tree::erase(operation);
        }
        "nvvm.cp.async.wait.all" => {
            call(&b, "layout_copy_commit", &[], None)?;
            let left = constant(&b, 64, 0)?;
            call(&b, "layout_copy_wait", &[left], None)?;
            tree::erase(operation);
        }
        // Time, and the launches before and after this one, change no result.
        "nvvm.nanosleep" | "nvvm.griddepcontrol" => tree::erase(operation),
        "nvvm.memory.barrier" => {
            let scope = operation.attribute("scope").map(|scope| scope.to_string());
            let is_of_block = scope.is_ok_and(|scope| scope.contains("cta"));
            let facts = orders::ACQUIRES | orders::RELEASES;
            let facts = if is_of_block { facts | orders::OF_BLOCK } else { facts };
            call(&b, "layout_fence", &[constant(&b, 32, facts.into())?], None)?;
            tree::erase(operation);
        }
        "llvm.call_intrinsic" => {
            let intrinsic = operation.attribute("intrin").map(|name| name.to_string());
            if let Some(name) = intrinsic.ok().filter(|name| name.contains("llvm.nvvm.")) {
                return Err(of_gpu(operation, &name));
            }
        }
        "llvm.inline_asm" => return Err(of_gpu(operation, "inline assembly")),
        _ if name.starts_with("nvvm.")
            || name.starts_with("gpu.")
            || name.starts_with("nvgpu.") =>
        {
            return Err(of_gpu(operation, &name));
        }
        _ => {}
    }
    Ok(())
}

fn of_gpu(operation: OperationRef<'_, '_>, name: &str) -> Error {
    Error::at(
        operation,
        format!("expected what the CPU runs thread by thread, found {name}, which only a GPU runs"),
    )
}

/// `gpu.shuffle`: the value travels as an integer of 64 bits.
pub(super) fn shuffle<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<(), Error> {
    const MODES: [&str; 4] = [" xor>", " up>", " down>", " idx>"];
    let mode = operation.attribute("mode")?.to_string();
    let mode = MODES.iter().position(|name| mode.contains(name));
    let mode = mode.ok_or_else(|| of_gpu(operation, "gpu.shuffle of an unknown mode"))?;
    let alone = if warps::takes_part_alone(operation) { calls::ALONE } else { 0 };
    let mode = constant(b, 32, i64::try_from(mode).unwrap_or(0) | alone)?;
    let value = operand(operation, 0);
    let own = value.r#type();
    let bits = match own.to_string().as_str() {
        "f64" | "i64" => 64,
        "f32" | "i32" => 32,
        "f16" | "bf16" | "i16" => 16,
        "i8" => 8,
        other => return Err(of_gpu(operation, &format!("gpu.shuffle of {other}"))),
    };
    let (word, narrow) = (b.integer(64), b.integer(bits));
    let cast = |name: &str, value: Val<'c>, to: Type<'c>| -> Result<Val<'c>, Error> {
        match value.r#type() == to {
            true => Ok(value),
            false => Ok(b.value(name, &[value], to, &[])?),
        }
    };
    let plain = cast("arith.bitcast", value, narrow)?;
    let wide = cast("arith.extui", plain, word)?;
    let site = constant(b, 32, sites.of(operation))?;
    let operands = [mode, wide, operand(operation, 1), operand(operation, 2), site];
    let Some(found) = call(b, "layout_shuffle", &operands, Some(word))? else { return Ok(()) };
    let found = cast("arith.trunci", found, narrow)?;
    tree::replace_uses(result(operation, 0), cast("arith.bitcast", found, own)?);
    if let Some(valid) = call(b, "layout_shuffle_valid", &[], Some(b.integer(32)))? {
        tree::replace_uses(result(operation, 1), cast("arith.trunci", valid, b.integer(1))?);
    }
    tree::erase(operation);
    Ok(())
}

/// Refuses functions that call themselves: a thread's stack has an end.
fn not_recursive(module: OperationRef<'_, '_>) -> Result<(), Error> {
    match crate::names::recursive(module) {
        Some((name, function)) => Err(Error::at(
            function,
            format!("expected functions that do not call themselves, found @{name}"),
        )),
        None => Ok(()),
    }
}

/// Announces each access to memory, and charges loops; bytes of all stack slots.
fn watch(module: OperationRef<'_, '_>, sites: &mut Sites) -> Result<u64, Error> {
    let mut private = 0_u64;
    for operation in tree::all(module) {
        // SAFETY: the operation is in a module that the caller owns.
        let operation: OperationRef<'_, '_> = unsafe { OperationRef::from_raw(operation.to_raw()) };
        let b = Builder::before(operation);
        let (pointer, accessed, access) = match tree::name(operation).as_str() {
            "llvm.load" => (operand(operation, 0), result(operation, 0), Access::Read),
            "llvm.store" => (operand(operation, 1), operand(operation, 0), Access::Write),
            "llvm.atomicrmw" => {
                // The element before is the result alone.
                let kind = operation.attribute("bin_op").map(|kind| kind.to_string());
                let exchanges = kind.is_ok_and(|kind| kind.starts_with("0 "));
                let access = if exchanges { Access::Atomic } else { Access::Update };
                (operand(operation, 0), operand(operation, 1), access)
            }
            "llvm.cmpxchg" => {
                // It stores only where the element has this value.
                if let Some(expected) = word_of(&b, operand(operation, 1))? {
                    call(&b, "layout_expect", &[expected], None)?;
                }
                (operand(operation, 0), operand(operation, 1), Access::Update)
            }
            "llvm.alloca" => {
                private = private.saturating_add(slot(operation).unwrap_or(u64::MAX));
                continue;
            }
            "llvm.fence" => {
                let facts = constant(&b, 32, facts_of(operation).into())?;
                call(&b, "layout_fence", &[facts], None)?;
                continue;
            }
            name if name.starts_with("llvm.intr.mem") => return Err(of_gpu(operation, name)),
            _ => continue,
        };
        let Some(bytes) = bytes_of(&accessed.r#type().to_string()) else {
            return Err(of_gpu(operation, &format!("an access of {}", accessed.r#type())));
        };
        let site = sites.of(operation);
        let root = root_of(pointer);
        let of_slot =
            tree::definition(root.pointer).filter(|own| tree::name(*own) == "llvm.alloca");
        let count = i64::try_from(bytes).unwrap_or(i64::MAX);
        if let Some(own) = of_slot {
            if root.is_known {
                continue;
            }
            let size = i64::try_from(slot(own).unwrap_or(0)).unwrap_or(0);
            let operands = [
                plain(&b, pointer)?,
                constant(&b, 64, count)?,
                plain(&b, root.pointer)?,
                constant(&b, 64, size)?,
                constant(&b, 32, site)?,
            ];
            call(&b, "layout_private", &operands, None)?;
            continue;
        }
        if let Some(buffer) = Buffer::of(pointer) {
            let access = (plain(&b, pointer)?, constant(&b, 64, count)?);
            buffer.announce(&b, access, constant(&b, 32, site)?)?;
        }
        let alignment = operation.attribute("alignment").and_then(IntegerAttribute::try_from);
        let alignment = alignment.map_or(1, |alignment| alignment.value()).clamp(1, 1 << 10);
        let ordered =
            operation.attribute("ordering").is_ok_and(|kind| !kind.to_string().starts_with('0'));
        let volatile = operation.attribute("volatile_").is_ok();
        let access = match access {
            Access::Read if ordered || volatile => Access::AtomicRead,
            Access::Write if ordered || volatile => Access::Atomic,
            access => access,
        };
        let what = access as i64 | alignment << 4 | i64::from(facts_of(operation)) << orders::SHIFT;
        let operands = [
            plain(&b, pointer)?,
            constant(&b, 64, count)?,
            operand_base(&b, pointer)?,
            constant(&b, 32, what)?,
            constant(&b, 32, site)?,
        ];
        call(&b, "layout_access", &operands, None)?;
        // An access that a GPU traps at is seen; this machine's instructions take any address.
        if operation.attribute("alignment").is_ok() {
            tree::set_attribute(operation, "alignment", b.i64_attribute(1));
        }
    }
    loops::charge(module, &mut |branch| sites.of(branch))?;
    Ok(private)
}

/// The order that an access or a fence makes, in the bits of [`orders`].
fn facts_of(operation: OperationRef<'_, '_>) -> i32 {
    // LLVM's numbers of orders.
    const ACQUIRING: [i64; 3] = [4, 6, 7];
    const RELEASING: [i64; 3] = [5, 6, 7];
    let order = ["ordering", "success_ordering"].iter().find_map(|name| {
        let order = IntegerAttribute::try_from(operation.attribute(name).ok()?).ok()?.value();
        Some(order)
    });
    let order = order.unwrap_or(0);
    let failure = operation.attribute("failure_ordering").and_then(IntegerAttribute::try_from);
    let failure = failure.map_or(0, |order| order.value());
    let scope = operation.attribute("syncscope").ok().and_then(tree::text);
    let updates = ["llvm.atomicrmw", "llvm.cmpxchg"].contains(&tree::name(operation).as_str());
    let facts = [
        (ACQUIRING.contains(&order), orders::ACQUIRES),
        (RELEASING.contains(&order), orders::RELEASES),
        (scope.is_some_and(|scope| scope == "block"), orders::OF_BLOCK),
        (updates, orders::UPDATES),
        (ACQUIRING.contains(&failure), orders::FAILURE_ACQUIRES),
    ];
    facts.iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum()
}

/// A buffer of shared memory.
pub(super) struct Buffer<'c> {
    pub(super) base: Val<'c>,
    bytes: i64,
}

impl<'c> Buffer<'c> {
    /// The buffer that a pointer is known to be of.
    pub(super) fn of(pointer: Val<'c>) -> Option<Self> {
        let mut base = pointer;
        loop {
            if let Ok(bytes) = tree::definition(base)?.attribute(BUFFER_BYTES) {
                let bytes = IntegerAttribute::try_from(bytes).ok()?.value();
                return Some(Self { base, bytes });
            }
            base = pointer_step(base)?.0;
        }
    }

    /// Announces an access of some bytes from an address on.
    pub(super) fn announce(
        &self,
        b: &Builder<'c>,
        (address, bytes): (Val<'c>, Val<'c>),
        site: Val<'c>,
    ) -> Result<(), Error> {
        let size = constant(b, 64, self.bytes)?;
        let operands = [address, bytes, plain(b, self.base)?, size, site];
        call(b, "layout_buffer", &operands, None)?;
        Ok(())
    }
}

/// Where a pointer comes from.
struct Root<'c> {
    pointer: Val<'c>,
    /// Whether all steps from there are constants.
    is_known: bool,
}

/// The function's argument that a pointer is made of, which may be an operand's first byte, or null.
fn operand_base<'c>(b: &Builder<'c>, pointer: Val<'c>) -> Result<Val<'c>, Error> {
    let root = root_of(pointer).pointer;
    if tree::definition(root).is_none() && root.r#type().to_string().starts_with("!llvm.ptr") {
        return plain(b, root);
    }
    let null = melior::dialect::llvm::r#type::pointer(b.context(), 0);
    Ok(b.value("llvm.mlir.zero", &[], null, &[])?)
}

fn root_of(pointer: Val<'_>) -> Root<'_> {
    let mut root = Root { pointer, is_known: true };
    while let Some((pointer, is_known)) = pointer_step(root.pointer) {
        root.is_known &= is_known;
        root.pointer = pointer;
    }
    root
}

/// The pointer that another one is made of, and whether that is by a constant that was checked.
fn pointer_step(pointer: Val<'_>) -> Option<(Val<'_>, bool)> {
    const STEPS: [&str; 5] = [
        "llvm.getelementptr",
        "llvm.addrspacecast",
        "llvm.bitcast",
        "llvm.inttoptr",
        "llvm.ptrtoint",
    ];
    let made = tree::definition(pointer)?;
    match tree::name(made).as_str() {
        // A pointer in the descriptor of a memref: nothing has checked its constant indices.
        "llvm.extractvalue" => Some((statics::inserted(made)?, false)),
        name if STEPS.contains(&name) => Some((operand(made, 0), made.operand_count() == 1)),
        _ => None,
    }
}

/// Bytes of a stack slot, if they are known.
fn slot(operation: OperationRef<'_, '_>) -> Option<u64> {
    let count = tree::definition(operand(operation, 0))?.attribute("value").ok()?;
    let count = u64::try_from(IntegerAttribute::try_from(count).ok()?.value()).ok()?;
    let element = TypeAttribute::try_from(operation.attribute("elem_type").ok()?).ok()?.value();
    bytes_of(&element.to_string())?.checked_mul(count)
}

/// Bytes of a type in memory.
pub(super) fn bytes_of(text: &str) -> Option<u64> {
    // An array inside of one has no prefix.
    let nested = ["!llvm.array<", "array<", "vector<"].iter().find_map(|of| text.strip_prefix(of));
    if let Some(inside) = nested {
        let (count, element) = inside.strip_suffix('>')?.split_once('x')?;
        return bytes_of(element.trim())?.checked_mul(count.trim().parse().ok()?);
    }
    if let Some(fields) = text.strip_prefix("!llvm.struct<(") {
        // Registers of an MMA, which are all of one size.
        return fields.strip_suffix(")>")?.split(", ").map(bytes_of).sum();
    }
    match text {
        "f64" | "i64" => Some(8),
        "f32" | "i32" => Some(4),
        "f16" | "bf16" | "i16" => Some(2),
        "i8" | "i1" => Some(1),
        _ if text.starts_with("!llvm.ptr") => Some(8),
        _ => None,
    }
}
