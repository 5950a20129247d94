//! `layout-bufferize`: upstream's one-shot bufferisation, where a tensor that a layout encodes has a buffer of that layout.
//!
//! ```text
//! func.func @f(%t: tensor<8x16xf32, #layout<(8,16):(1,8)>>)   ->   func.func @f(%t: memref<8x16xf32, #layout<(8,16):(1,8)>>)
//! %e = tensor.empty() : tensor<8x16xf32, #layout<…>>          ->   %e = memref.alloc() : memref<8x16xf32, #layout<…>>
//! ```
//!
//! Upstream's own pass forgets encodings. Here they are those of arguments and results of functions, and of new tensors; a cast
//! to another encoding copies into that layout, and so does a cast from a layout whose modes have several strides.

use super::Reported;
use layout_dialect::{
    bufferize::{self, Boundary, Options},
    buffers::Buffer,
    build::{Builder, Val, context_of, first_result, operand, result},
    diagnostics,
    passes::{PassOption, PassRun},
    tree,
};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, OperationRef, RegionLike, Type, TypeLike, ValueLike,
    attribute::{DenseI32ArrayAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::{FunctionType, RankedTensorType},
};

use mlir_sys::{
    mlirRankedTensorTypeGet, mlirShapedTypeGetDimSize, mlirShapedTypeGetElementType,
    mlirShapedTypeGetRank, mlirShapedTypeIsDynamicDim,
};

pub(crate) const NAME: &str = "layout-bufferize";

const BOUNDARY: &str = "function-boundary-type-conversion";
const ALIGNMENT: &str = "buffer-alignment";
const LOOPS: &str = "allow-return-allocs-from-loops";
const UNKNOWN: &str = "allow-unknown-ops";

pub(crate) const OPTIONS: &[PassOption] = &[
    PassOption {
        name: BOUNDARY,
        description: "Layouts of the arguments and results of functions whose tensors have no layout: infer-layout-map, \
            fully-dynamic-layout-map or identity-layout-map",
        initial: "infer-layout-map",
    },
    PassOption {
        name: ALIGNMENT,
        description: "The alignment of new buffers, in bytes",
        initial: "64",
    },
    PassOption {
        name: LOOPS,
        description: "Let loops give memory that their bodies allocate: true or false",
        initial: "false",
    },
    PassOption {
        name: UNKNOWN,
        description: "Leave operations on tensors that cannot be bufferised: true or false",
        initial: "false",
    },
];

/// Operations that become subviews or reshapes of a buffer, and the operand that has it.
const PARTS: [(&str, usize); 6] = [
    ("tensor.collapse_shape", 0),
    ("tensor.expand_shape", 0),
    ("tensor.extract_slice", 0),
    ("tensor.insert_slice", 1),
    ("tensor.parallel_insert_slice", 1),
    ("tensor.reshape", 0),
];

/// Replaces the tensors of a module by memrefs.
///
/// # Errors
///
/// A diagnostic for an option, for an encoding that is no layout of its tensor, for a part of a tensor whose layout has no
/// strides, and upstream's own.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), Reported> {
    let options = options(pass).map_err(|message| {
        diagnostics::error(root, &format!("{NAME}: {message}"));
    })?;
    check(root)?;
    copy_memory(root).map_err(|error| failed(root, &error))?;
    copy_casts(root).map_err(|error| failed(root, &error))?;
    check_parts(root)?;
    bufferize::insert_copies(root, options)?;
    allocate(root)?;
    bufferize::run(root, options)?;
    Ok(())
}

fn failed(at: OperationRef<'_, '_>, error: &melior::Error) {
    diagnostics::error(at, &format!("{NAME}: {error}"));
}

fn options(pass: &PassRun<'_>) -> Result<Options, String> {
    let flag = |name: &str| match pass.option(name).as_str() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        other => Err(format!("expected true or false as the option '{name}', found '{other}'")),
    };
    let boundary = match pass.option(BOUNDARY).as_str() {
        "infer-layout-map" => Boundary::Infer,
        "identity-layout-map" => Boundary::Identity,
        "fully-dynamic-layout-map" => Boundary::FullyDynamic,
        other => {
            return Err(format!(
                "expected infer-layout-map, fully-dynamic-layout-map or identity-layout-map as the option '{BOUNDARY}', found \
                 '{other}'"
            ));
        }
    };
    let text = pass.option(ALIGNMENT);
    let alignment = text.parse::<u32>().ok().filter(|bytes| bytes.is_power_of_two());
    let alignment = alignment.ok_or_else(|| {
        format!("expected a power of two below 2^32 as the option '{ALIGNMENT}', found '{text}'")
    })?;
    Ok(Options {
        boundary,
        alignment,
        allow_return_allocs_from_loops: flag(LOOPS)?,
        allow_unknown_ops: flag(UNKNOWN)?,
    })
}

/// The buffer that a tensor's encoding describes; the encodings have been checked.
fn encoded<'c>(at: OperationRef<'c, '_>, tensor: Type<'c>) -> Option<Buffer<'c>> {
    Buffer::of_encoding(context_of(at), tensor)?.ok()
}

/// Whether a tensor's encoding is a layout whose modes have several strides.
fn is_tiled<'c>(at: OperationRef<'c, '_>, tensor: Type<'c>) -> bool {
    encoded(at, tensor).is_some_and(|buffer| !buffer.is_strided())
}

/// The types of an operation's results, of the arguments of its blocks, and of a function's arguments and results.
fn types_of<'c>(operation: OperationRef<'c, 'c>) -> Vec<Type<'c>> {
    let mut found: Vec<_> =
        (0..operation.result_count()).map(|i| result(operation, i).r#type()).collect();
    // A declaration has no block.
    let function = operation.attribute("function_type").and_then(TypeAttribute::try_from);
    let function = function.and_then(|own| FunctionType::try_from(own.value()));
    if let Ok(own) = function {
        found.extend((0..own.input_count()).filter_map(|i| own.input(i).ok()));
        found.extend((0..own.result_count()).filter_map(|i| own.result(i).ok()));
    }
    for region in operation.regions() {
        let mut block = region.first_block();
        while let Some(own) = block {
            found.extend((0..own.argument_count()).map(|i| tree::argument(own, i).r#type()));
            block = own.next_in_region();
        }
    }
    found
}

/// All encodings must be layouts of their tensors.
fn check(root: OperationRef<'_, '_>) -> Result<(), Reported> {
    let mut fine = true;
    for operation in tree::all(root) {
        for r#type in types_of(operation) {
            if let Some(Err(refused)) = Buffer::of_encoding(context_of(operation), r#type) {
                diagnostics::error_in(operation, &format!("{NAME}: {refused}"));
                fine = false;
                break;
            }
        }
    }
    if fine { Ok(()) } else { Err(Reported) }
}

/// A tensor of memory whose layout has no strides gets that layout as its encoding, and its users a copy in rows.
fn copy_memory(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    for operation in tree::inside(root, "bufferization.to_tensor") {
        let memref = Buffer::of(operand(operation, 0).r#type()).ok().flatten();
        let Some((memref, term)) = memref.and_then(|own| Some((own, own.term()?))) else {
            continue;
        };
        let tensor = first_result(operation);
        if memref.is_strided() || encoded(operation, tensor.r#type()).is_some() {
            continue;
        }
        let plain = tensor.r#type();
        let Some(own) = with_encoding(plain, term.into()) else { continue };
        let Some(after) = operation.next_in_block() else { continue };
        tree::set_type(tensor, own);
        let users: Vec<_> = tree::users_of(tensor).collect();
        let cast = Builder::before(after).value("tensor.cast", &[tensor], plain, &[])?;
        for user in users {
            for i in (0..user.operand_count()).filter(|&i| operand(user, i) == tensor) {
                tree::set_operand(user, i, cast);
            }
        }
    }
    Ok(())
}

/// A ranked tensor's type with an encoding.
fn with_encoding<'c>(tensor: Type<'c>, encoding: Attribute<'c>) -> Option<Type<'c>> {
    let raw = RankedTensorType::try_from(tensor).ok()?.to_raw();
    // SAFETY: the type is a ranked tensor, whose dimensions are below its rank.
    unsafe {
        let rank = mlirShapedTypeGetRank(raw);
        let shape: Vec<i64> =
            (0..rank).map(|i| mlirShapedTypeGetDimSize(raw, i as isize)).collect();
        let element = mlirShapedTypeGetElementType(raw);
        Type::from_option_raw(mlirRankedTensorTypeGet(
            rank as isize,
            shape.as_ptr(),
            element,
            encoding.to_raw(),
        ))
    }
}

/// A cast between two encodings becomes a copy.
fn copy_casts(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    for operation in tree::inside(root, "tensor.cast") {
        let (source, target) = (operand(operation, 0), first_result(operation));
        let (from, to) = (encoded(operation, source.r#type()), encoded(operation, target.r#type()));
        let copies = match (from, to) {
            (from, Some(to)) => from != Some(to),
            (Some(from), None) => !from.is_strided(),
            (None, None) => false,
        };
        if !copies {
            continue;
        }
        let b = Builder::before(operation);
        let sizes = dynamic_sizes(&b, source, target)?;
        let new = b.value("tensor.empty", &sizes, target.r#type(), &[])?;
        let copy = b.value(
            "bufferization.materialize_in_destination",
            &[source, new],
            target.r#type(),
            &[],
        )?;
        tree::replace_uses(target, copy);
        tree::erase(operation);
    }
    Ok(())
}

/// The sizes of `source` where those of `target` are dynamic.
fn dynamic_sizes<'c>(
    b: &Builder<'c>,
    source: Val<'c>,
    target: Val<'c>,
) -> Result<Vec<Val<'c>>, melior::Error> {
    let index = Type::index(b.context());
    let mut sizes = Vec::new();
    for d in dynamic_dimensions(target) {
        let d = b.constant(index, d)?;
        sizes.push(b.value("tensor.dim", &[source, d], index, &[])?);
    }
    Ok(sizes)
}

fn dynamic_dimensions(tensor: Val<'_>) -> Vec<i64> {
    // SAFETY: the type is a ranked tensor, whose dimensions are below its rank.
    unsafe {
        let raw = tensor.r#type().to_raw();
        let rank = mlirShapedTypeGetRank(raw);
        (0..rank).filter(|&d| mlirShapedTypeIsDynamicDim(raw, d as isize)).collect()
    }
}

/// A part of a buffer needs strides.
fn check_parts(root: OperationRef<'_, '_>) -> Result<(), Reported> {
    let mut fine = true;
    for operation in tree::all(root) {
        let name = tree::name(operation);
        let Some(&(_, at)) = PARTS.iter().find(|(own, _)| *own == name) else { continue };
        if operation.operand_count() <= at {
            continue;
        }
        let own = operand(operation, at).r#type();
        if is_tiled(operation, own) {
            let message = format!(
                "{NAME}: expected a layout with one stride for each dimension where a part of a tensor is taken, found {own}; \
                 tensor.cast to a type without it copies the tensor"
            );
            diagnostics::error(operation, &message);
            fine = false;
        }
    }
    if fine { Ok(()) } else { Err(Reported) }
}

/// A new tensor that a layout encodes becomes memory of that layout.
fn allocate(root: OperationRef<'_, '_>) -> Result<(), Reported> {
    for operation in tree::all(root) {
        let name = tree::name(operation);
        if name != "bufferization.alloc_tensor" && name != "tensor.empty" {
            continue;
        }
        let tensor = first_result(operation);
        let Some(buffer) = encoded(operation, tensor.r#type()) else { continue };
        if let Ok(space) = operation.attribute("memory_space") {
            let message = format!(
                "{NAME}: expected no memory space for a new tensor with a layout, found {space}"
            );
            diagnostics::error(operation, &message);
            return Err(Reported);
        }
        if buffer.map_symbols() > 0 {
            let message = format!(
                "{NAME}: expected a layout whose strides are static or follow from the sizes for a new tensor, found {}",
                tensor.r#type()
            );
            diagnostics::error(operation, &message);
            return Err(Reported);
        }
        replace(operation, buffer).map_err(|error| failed(operation, &error))?;
    }
    Ok(())
}

fn replace<'c>(operation: OperationRef<'c, 'c>, buffer: Buffer<'c>) -> Result<(), melior::Error> {
    let b = Builder::before(operation);
    let tensor = first_result(operation);
    let operands: Vec<_> = (0..operation.operand_count()).map(|i| operand(operation, i)).collect();
    let is_tensor = |value: &Val<'c>| RankedTensorType::try_from(value.r#type()).is_ok();
    let copied = operands.iter().copied().find(is_tensor);
    let sizes = match copied {
        Some(copied) => dynamic_sizes(&b, copied, tensor)?,
        // A hint of the total size may follow.
        None => operands.into_iter().take(dynamic_dimensions(tensor).len()).collect(),
    };
    let segments = [i32::try_from(sizes.len()).unwrap_or(i32::MAX), 0];
    let segments = DenseI32ArrayAttribute::new(b.context(), &segments).into();
    let memory =
        b.value("memref.alloc", &sizes, buffer.to_type(), &[("operandSegmentSizes", segments)])?;
    let unit = Attribute::unit(b.context());
    let mut new = b.value(
        "bufferization.to_tensor",
        &[memory],
        tensor.r#type(),
        &[("restrict", unit), ("writable", unit)],
    )?;
    if let Some(copied) = copied {
        let name = "bufferization.materialize_in_destination";
        new = b.value(name, &[copied, new], tensor.r#type(), &[])?;
    }
    tree::replace_uses(tensor, new);
    tree::erase(operation);
    Ok(())
}
