//! Launches of lowered kernels in host code.
//!
//! A launch of a kernel that takes views passes on their parts, as a call does. The kernel's dynamic shared memory is known
//! once it is lowered: a launch that requests 0 bytes of it is given what the kernel takes. Tensor maps are what the
//! [runtime library](prepared) makes of pointers and sizes.

use super::{Failure, function::KERNEL, parameters::tensor_maps, prepared};
use layout_dialect::{
    build::{Builder, Val, operand},
    targets, tree,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, DictionaryAttribute, IntegerAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};
use mlir_sys::mlirOperationSetOperand;

/// The places of a launch's operands among its segments.
const SHARED: usize = 10;
pub(super) const KERNEL_OPERANDS: usize = 11;

/// Completes the launches of kernels that were lowered, and refuses those that cannot be.
pub(super) fn complete(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for launch in tree::inside(root, "gpu.launch_func") {
        let Some(kernel) = kernel_of(root, launch).filter(|&kernel| !targets::is_foreign(kernel))
        else {
            continue;
        };
        if let Err(failure) = complete_one(launch, kernel) {
            layout_dialect::diagnostics::error(launch, &failure.to_string());
            outcome = Err(());
        }
    }
    outcome
}

fn complete_one<'c>(
    launch: OperationRef<'c, 'c>,
    kernel: OperationRef<'c, 'c>,
) -> Result<(), Failure> {
    let maps = tensor_maps(kernel)?;
    // After the parameters, a kernel's block has the memory of its blocks and threads.
    let signature = FunctionType::try_from(
        TypeAttribute::try_from(kernel.attribute("function_type")?)?.value(),
    );
    let parameters = match signature {
        Ok(signature) => signature.input_count(),
        Err(_) => tree::entry(kernel).map_or(0, |entry| entry.argument_count()),
    };
    let operands = kernel_operands(launch).len();
    let is_complete = operands == parameters;
    if let Some(entry) = tree::entry(kernel) {
        cast_pointers(launch, entry)?;
    }
    let Some(facts) = kernel.attribute(KERNEL).ok() else {
        let found = format!("{operands} operands for its {parameters} parameters");
        let is_wrong = maps > 0 && !is_complete;
        return if is_wrong {
            Err(Failure::refused(tensor_map_error(maps, &found)))
        } else {
            Ok(())
        };
    };
    let facts = DictionaryAttribute::try_from(facts)?;
    // A launch that passes on as many operands as there are parameters has tensor maps of its own.
    if operands + maps == parameters {
        prepared::prepare(launch, kernel, facts, maps)?;
    } else if maps > 0 && !is_complete {
        let found = format!("{operands} operands for its {parameters} parameters");
        return Err(Failure::refused(tensor_map_error(maps, &found)));
    }
    prepared::place_memory(launch)?;
    for key in ["before", "after"] {
        for step in facts.element_by_name(key).and_then(tree::elements).unwrap_or_default() {
            let step = DictionaryAttribute::try_from(step)?.element_by_name("name");
            check_step(launch, kernel, key, &step.and_then(tree::text).unwrap_or_default())?;
        }
    }
    let bytes = facts
        .element_by_name("shared_bytes")
        .and_then(|bytes| IntegerAttribute::try_from(bytes).ok())
        .map_or(0, |bytes| bytes.value());
    if bytes == 0 {
        return Ok(());
    }
    let Some(&place) = segment(launch, SHARED).first() else {
        return Err(Failure::refused(format!(
            "expected dynamic_shared_memory_size {bytes}, which the kernel requires, found none; an explicit 0 is replaced by it"
        )));
    };
    if tree::constant(operand(launch, place)) == Some(0) {
        let b = Builder::before(launch);
        let bytes = b.constant(b.integer(32), bytes)?;
        // SAFETY: the operation is valid, and has an operand in that place.
        unsafe { mlirOperationSetOperand(launch.to_raw(), place as isize, bytes.to_raw()) };
    }
    Ok(())
}

/// A kernel around another one is launched by the host code too.
fn check_step<'c>(
    launch: OperationRef<'c, 'c>,
    kernel: OperationRef<'c, 'c>,
    key: &str,
    step: &str,
) -> Result<(), Failure> {
    let around = launch.parent_operation().map(|parent| tree::inside(parent, "gpu.launch_func"));
    let is_launched = around.unwrap_or_default().into_iter().any(|other| {
        let (first, second) = if key == "before" { (other, launch) } else { (launch, other) };
        let path = other.attribute("kernel").map(|path| path.to_string()).unwrap_or_default();
        path.rsplit("::@").next().is_some_and(|name| name.trim_matches('"') == step)
            && other.block() == launch.block()
            && tree::comes_before(first, second)
    });
    if is_launched {
        return Ok(());
    }
    let name = kernel.attribute("sym_name").ok().and_then(tree::text).unwrap_or_default();
    Err(Failure::refused(format!(
        "expected a launch of @{step} {key} that of @{name} in the same block, with the same operands, found none"
    )))
}

/// Memory of the host's functions is all of one address space, a kernel's is global.
fn cast_pointers<'c>(launch: OperationRef<'c, 'c>, entry: BlockRef<'c, 'c>) -> Result<(), Failure> {
    let places = segment(launch, KERNEL_OPERANDS);
    for (number, place) in places.into_iter().enumerate().take(entry.argument_count()) {
        let (given, taken) = (operand(launch, place), tree::argument(entry, number).r#type());
        let is_pointer = |r#type: Type<'_>| r#type.to_string().starts_with("!llvm.ptr");
        if given.r#type() != taken && is_pointer(given.r#type()) && is_pointer(taken) {
            let cast = Builder::before(launch).value("llvm.addrspacecast", &[given], taken, &[])?;
            // SAFETY: the operation is valid, and has an operand in that place.
            unsafe { mlirOperationSetOperand(launch.to_raw(), place as isize, cast.to_raw()) };
        }
    }
    Ok(())
}

/// The error of a launch of a kernel with tensor maps.
pub(super) fn tensor_map_error(maps: usize, found: &str) -> String {
    format!(
        "expected the kernel's {maps} tensor maps after its other operands, each of 128 bytes by value \
         (!llvm.array<16 x i64>, encoded by cuTensorMapEncodeTiled as layout.kernel describes), found {found}"
    )
}

/// The function that a launch is of, if it is below `root`.
pub(crate) fn kernel_of<'c>(
    root: OperationRef<'c, '_>,
    launch: OperationRef<'c, 'c>,
) -> Option<OperationRef<'c, 'c>> {
    let path = launch.attribute("kernel").ok()?.to_string();
    let (module, kernel) = path.split_once("::")?;
    let is_named = |operation: &OperationRef<'c, 'c>, name: &str| {
        // As it is printed, in quotes and escaped where it must be.
        let quoted = operation.attribute("sym_name").map(|symbol| format!("@{symbol}"));
        let plain = tree::symbol(*operation).map(|symbol| format!("@{symbol}"));
        plain.is_some_and(|plain| plain == name) || quoted.is_ok_and(|quoted| quoted == name)
    };
    let modules = tree::inside(root, "gpu.module");
    let module = modules.into_iter().find(|operation| is_named(operation, module))?;
    tree::all(module).into_iter().find(|operation| {
        matches!(tree::name(*operation).as_str(), "gpu.func" | "llvm.func")
            && is_named(operation, kernel)
    })
}

/// The operands that a launch passes on to its kernel.
pub(crate) fn kernel_operands<'c>(launch: OperationRef<'c, 'c>) -> Vec<Val<'c>> {
    segment(launch, KERNEL_OPERANDS).into_iter().map(|place| operand(launch, place)).collect()
}

/// The places of a segment's operands.
pub(super) fn segment(launch: OperationRef<'_, '_>, number: usize) -> Vec<usize> {
    let sizes = segments(launch);
    let first: usize = sizes.iter().take(number).sum();
    (first..first + sizes.get(number).copied().unwrap_or(0)).collect()
}

/// How many operands each segment has.
pub(super) fn segments(launch: OperationRef<'_, '_>) -> Vec<usize> {
    let sizes = launch.attribute("operandSegmentSizes").and_then(DenseI32ArrayAttribute::try_from);
    let Ok(sizes) = sizes else { return Vec::new() };
    let size = |i: usize| sizes.element(i).ok().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    (0..sizes.len()).map(size).collect()
}
