//! `layout-expand-memrefs`: a memref whose modes have several strides gets a dimension for each of their leaves.
//!
//! ```text
//! memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>       ->   memref<4x8x2xf32>
//! memref.load %m[%i, %j]                               ->   memref.load %m[%i / 2, %j, %i mod 2]
//! linalg.generic over d0 (8) and d1 (8)                ->   linalg.generic over 2, 4 and 8
//! ```
//!
//! The elements stay where they are. Operations that pass the memref on take the new type; another operation is an error that
//! names it. A remark names each type and what it becomes.

use super::{
    Reported,
    physical::{Leaf, Physical},
    structured,
};
use layout_dialect::{
    buffers::Buffer,
    build::{Builder, Val, context_of, first_result, operand, result},
    diagnostics,
    passes::PassRun,
    tree,
};
use melior::ir::{
    BlockLike, OperationRef, RegionLike, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};
use std::collections::HashMap;

pub(crate) const NAME: &str = "layout-expand-memrefs";

/// Operations that pass values on, or end their lives, whatever their types are.
const PASS_ON: [&str; 17] = [
    "arith.select",
    "cf.br",
    "cf.cond_br",
    "func.call",
    "func.func",
    "func.return",
    "gpu.func",
    "gpu.launch_func",
    "memref.assume_alignment",
    "memref.dealloc",
    "scf.condition",
    "scf.execute_region",
    "scf.for",
    "scf.if",
    "scf.index_switch",
    "scf.while",
    "scf.yield",
];

/// The memrefs that change, by value.
pub(super) type Changed<'c> = HashMap<usize, Physical<'c>>;

/// Expands the memrefs of a module.
///
/// # Errors
///
/// A diagnostic for a layout that has no such form, and for an operation that does not take one.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), Reported> {
    if changed(root)?.is_empty() {
        return Ok(());
    }
    // Only the generic form has the bodies and iterators of named operations.
    pass.run_pipeline("linalg-generalize-named-ops", root)?;
    let changed = changed(root)?;
    remark(root);
    let mut fine = true;
    for operation in tree::all(root) {
        if let Err(message) = rewrite(operation, &changed) {
            diagnostics::error(operation, &format!("{NAME}: {message}"));
            fine = false;
        }
    }
    if !fine {
        return Err(Reported);
    }
    for value in values(root) {
        if let Some(Ok(physical)) = Physical::of(value.r#type()) {
            tree::set_type(value, physical.r#type);
        }
    }
    for operation in tree::all(root) {
        update_signature(operation);
    }
    Ok(())
}

/// All results and arguments of blocks.
fn values<'c>(root: OperationRef<'c, '_>) -> Vec<Val<'c>> {
    let mut found = Vec::new();
    for operation in tree::all(root) {
        found.extend((0..operation.result_count()).map(|i| result(operation, i)));
        for region in operation.regions() {
            let mut block = region.first_block();
            while let Some(own) = block {
                found.extend((0..own.argument_count()).map(|i| tree::argument(own, i)));
                block = own.next_in_region();
            }
        }
    }
    found
}

/// The memrefs that change, and their new forms.
fn changed<'c>(root: OperationRef<'c, '_>) -> Result<Changed<'c>, Reported> {
    let mut found = HashMap::new();
    for value in values(root) {
        match Physical::of(value.r#type()) {
            None => {}
            Some(Ok(physical)) => {
                found.insert(tree::key(value), physical);
            }
            Some(Err(reason)) => {
                let at = tree::definition(value)
                    .or_else(|| tree::owner(value).and_then(|block| block.parent_operation()));
                let message = format!("{NAME}: {reason} for {}", value.r#type());
                diagnostics::error_in(at.unwrap_or(root), &message);
                return Err(Reported);
            }
        }
    }
    Ok(found)
}

/// Names each type once in each function.
fn remark(root: OperationRef<'_, '_>) {
    let functions = ["func.func", "gpu.func"].map(|name| tree::inside(root, name)).concat();
    for function in functions {
        let mut named = Vec::new();
        for value in values(function).into_iter().chain(arguments(function)) {
            let own = value.r#type();
            if let Some(Ok(physical)) = Physical::of(own)
                && !named.contains(&own)
            {
                named.push(own);
                let message = format!(
                    "{NAME} gives each leaf of a layout a dimension: {own} becomes {}",
                    physical.r#type
                );
                diagnostics::remark_in(function, &message);
            }
        }
    }
}

fn arguments<'c>(function: OperationRef<'c, 'c>) -> Vec<Val<'c>> {
    let Some(entry) = tree::entry(function) else { return Vec::new() };
    (0..entry.argument_count()).map(|i| tree::argument(entry, i)).collect()
}

/// Rewrites an operation that has a memref that changes as an operand or a result; others stay.
fn rewrite<'c>(operation: OperationRef<'c, 'c>, changed: &Changed<'c>) -> Result<(), String> {
    let of = |value: Val<'c>| changed.get(&tree::key(value));
    let takes = (0..operation.operand_count()).any(|i| of(operand(operation, i)).is_some());
    let gives = (0..operation.result_count()).any(|i| of(result(operation, i)).is_some());
    if !takes && !gives {
        return Ok(());
    }
    let name = tree::name(operation);
    let built = match name.as_str() {
        name if PASS_ON.contains(&name) => Ok(()),
        "memref.load" | "affine.load" => access(operation, 0, changed),
        "memref.store" | "affine.store" => access(operation, 1, changed),
        "memref.alloc" | "memref.alloca" => return allocate(operation, changed),
        "memref.dim" => return size(operation, changed),
        "memref.copy" => return structured::copy(operation, changed),
        "linalg.generic" => return structured::generic(operation, changed),
        "layout.make_view" => view(operation),
        _ => {
            return Err(format!(
                "expected an operation that reads, writes or passes on a memref whose modes have several strides, found {name}"
            ));
        }
    };
    built.map_err(|error| error.to_string())
}

/// The index of each leaf of a mode, the fastest first.
fn digits<'c>(
    b: &Builder<'c>,
    memref: Val<'c>,
    leaves: &[Leaf],
    mut index: Val<'c>,
) -> Result<Vec<Val<'c>>, melior::Error> {
    let mut found = Vec::with_capacity(leaves.len());
    for (place, leaf) in leaves.iter().enumerate() {
        if place + 1 == leaves.len() {
            found.push(index);
            break;
        }
        let extent = dimension(b, memref, leaf)?;
        found.push(b.binary("arith.remui", index, extent)?);
        index = b.binary("arith.divui", index, extent)?;
    }
    Ok(found)
}

/// The extent of a leaf.
fn dimension<'c>(b: &Builder<'c>, memref: Val<'c>, leaf: &Leaf) -> Result<Val<'c>, melior::Error> {
    let index = Type::index(b.context());
    match leaf.extent {
        Some(extent) => b.constant(index, extent),
        None => {
            let place = b.constant(index, i64::try_from(leaf.dimension).unwrap_or(i64::MAX))?;
            b.value("memref.dim", &[memref, place], index, &[])
        }
    }
}

/// A load or a store, whose memref is operand number `at` and whose indices follow it.
fn access<'c>(
    operation: OperationRef<'c, 'c>,
    at: usize,
    changed: &Changed<'c>,
) -> Result<(), melior::Error> {
    let memref = operand(operation, at);
    let Some(physical) = changed.get(&tree::key(memref)) else { return Ok(()) };
    let b = Builder::before(operation);
    let given: Vec<Val<'c>> =
        (at + 1..operation.operand_count()).map(|i| operand(operation, i)).collect();
    let indices = match operation.attribute("map") {
        Ok(map) => structured::applied(&b, map, &given, physical.modes.len())?,
        Err(_) => given,
    };
    let mut placed = vec![None; physical.rank()];
    for (leaves, index) in physical.modes.iter().zip(indices) {
        for (leaf, digit) in leaves.iter().zip(digits(&b, memref, leaves, index)?) {
            placed[leaf.dimension] = Some(digit);
        }
    }
    let mut operands: Vec<Val<'c>> = (0..=at).map(|i| operand(operation, i)).collect();
    operands.extend(placed.into_iter().flatten());
    let results: Vec<Type<'c>> =
        (0..operation.result_count()).map(|i| result(operation, i).r#type()).collect();
    let name = if at == 0 { "memref.load" } else { "memref.store" };
    let made = b.operation(name, &operands, &results, &[], Vec::new())?;
    for i in 0..operation.result_count() {
        tree::replace_uses(result(operation, i), result(made, i));
    }
    tree::erase(operation);
    Ok(())
}

/// New memory: sizes in the sequence of its dimensions.
fn allocate<'c>(operation: OperationRef<'c, 'c>, changed: &Changed<'c>) -> Result<(), String> {
    let memref = first_result(operation);
    let Some(physical) = changed.get(&tree::key(memref)) else { return Ok(()) };
    if operation.operand_count() == 0 {
        return Ok(());
    }
    let open = |leaves: &Vec<Leaf>| leaves.iter().filter(|leaf| leaf.extent.is_none()).count();
    let dynamic: Vec<usize> =
        (0..physical.modes.len()).filter(|&i| open(&physical.modes[i]) > 0).collect();
    let fits = dynamic.iter().all(|&i| open(&physical.modes[i]) == 1)
        && operation.operand_count() == dynamic.len();
    if !fits {
        return Err(format!(
            "expected static strides, and one dynamic leaf in each dynamic dimension, for new memory, found {}",
            memref.r#type()
        ));
    }
    let built = || -> Result<(), melior::Error> {
        let b = Builder::before(operation);
        let mut sizes = Vec::new();
        for (mode, _, leaf) in physical.dimensions() {
            if leaf.extent.is_some() {
                continue;
            }
            let place = dynamic.iter().position(|&own| own == mode).unwrap_or(0);
            let mut known = physical.modes[mode].iter().filter_map(|leaf| leaf.extent);
            let known = known.try_fold(1_i64, |all, extent| all.checked_mul(extent));
            let known = known.ok_or(melior::Error::OperationBuild)?;
            let known = b.constant(Type::index(b.context()), known)?;
            sizes.push(b.binary("arith.divui", operand(operation, place), known)?);
        }
        let segments = [i32::try_from(sizes.len()).unwrap_or(i32::MAX), 0];
        let segments = DenseI32ArrayAttribute::new(b.context(), &segments).into();
        let mut attributes = vec![("operandSegmentSizes", segments)];
        if let Ok(alignment) = operation.attribute("alignment") {
            attributes.push(("alignment", alignment));
        }
        let name = tree::name(operation);
        // The type is replaced with those of all other values.
        let made = b.value(&name, &sizes, memref.r#type(), &attributes)?;
        tree::replace_uses(memref, made);
        tree::erase(operation);
        Ok(())
    };
    built().map_err(|error| error.to_string())
}

/// The size of a mode: that of its leaves.
fn size<'c>(operation: OperationRef<'c, 'c>, changed: &Changed<'c>) -> Result<(), String> {
    let memref = operand(operation, 0);
    let Some(physical) = changed.get(&tree::key(memref)) else { return Ok(()) };
    let place = tree::constant(operand(operation, 1)).and_then(|place| usize::try_from(place).ok());
    let leaves = place.and_then(|place| physical.modes.get(place));
    let Some(leaves) = leaves else {
        return Err("expected a constant below the rank as the dimension of memref.dim".to_owned());
    };
    let built = || -> Result<(), melior::Error> {
        let b = Builder::before(operation);
        let mut size = b.constant(Type::index(b.context()), 1)?;
        for leaf in leaves {
            size = b.binary("arith.muli", size, dimension(&b, memref, leaf)?)?;
        }
        tree::replace_uses(first_result(operation), size);
        tree::erase(operation);
        Ok(())
    };
    built().map_err(|error| error.to_string())
}

/// A view of the memref keeps its layout, which the memref no longer has.
fn view<'c>(operation: OperationRef<'c, 'c>) -> Result<(), melior::Error> {
    if operation.operand_count() > 1 {
        return Ok(());
    }
    let b = Builder::before(operation);
    let view = first_result(operation);
    let memref = operand(operation, 0);
    let term = Buffer::of(memref.r#type()).ok().flatten().and_then(|memref| memref.term());
    let term = term.ok_or(melior::Error::OperationBuild)?.into();
    let layout = first_result(b.inferred("layout.constant", &[], &[("term", term)])?);
    let made = b.value("layout.make_view", &[memref, layout], view.r#type(), &[])?;
    tree::replace_uses(view, made);
    tree::erase(operation);
    Ok(())
}

/// A function's type is that of its arguments and results.
fn update_signature<'c>(operation: OperationRef<'c, 'c>) {
    if !matches!(tree::name(operation).as_str(), "func.func" | "gpu.func") {
        return;
    }
    let own = operation.attribute("function_type").ok();
    let own = own.and_then(|own| TypeAttribute::try_from(own).ok());
    let Some(own) = own.and_then(|own| FunctionType::try_from(own.value()).ok()) else { return };
    let new = |r#type: Type<'c>| match Physical::of(r#type) {
        Some(Ok(physical)) => physical.r#type,
        _ => r#type,
    };
    let inputs: Vec<_> =
        (0..own.input_count()).filter_map(|i| own.input(i).ok()).map(new).collect();
    let results: Vec<_> =
        (0..own.result_count()).filter_map(|i| own.result(i).ok()).map(new).collect();
    let own =
        TypeAttribute::new(FunctionType::new(context_of(operation), &inputs, &results).into());
    tree::set_attribute(operation, "function_type", own.into());
}
