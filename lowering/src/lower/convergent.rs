//! Marks warp-wide MMAs as convergent.
//!
//! LLVM's intrinsics for `mma.sync` are not marked so, and MLIR's operation does not state it. LLVM may then duplicate an
//! MMA into both sides of a later branch, whose condition it knows from an earlier branch, and neither copy is executed
//! by the whole warp. A call of the intrinsic can be marked, in any translation.
//!
//! MMAs of warpgroups are inline PTX, which cannot be marked in LLVM's dialect: they are in one block with the fence
//! before and the commit after them, which are convergent, so that no pass duplicates the block.

use super::{Failure, copy::parse};
use layout_dialect::{
    build::{Builder, context_of, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike,
    attribute::{FlatSymbolRefAttribute, StringAttribute, TypeAttribute},
    operation::OperationLike,
};

/// The prefix of the intrinsics' names.
const PREFIX: &str = "llvm.nvvm.mma.";

/// Makes each MMA of a warp a convergent call of its intrinsic.
pub(super) fn mark(operation: OperationRef<'_, '_>) -> Result<(), Failure> {
    let Some(name) = intrinsic(operation) else { return Ok(()) };
    let Some(module) = module(operation) else { return Ok(()) };
    let context = context_of(operation);
    let b = Builder::before(operation);
    let operands: Vec<_> = (0..operation.operand_count()).map(|i| operand(operation, i)).collect();
    let old = first_result(operation);
    declare(
        module,
        &name,
        &operands.iter().map(|value| value.r#type()).collect::<Vec<_>>(),
        old.r#type(),
    )?;
    let count = i32::try_from(operands.len()).unwrap_or(i32::MAX);
    let attributes = [
        ("callee", FlatSymbolRefAttribute::new(context, &name).into()),
        ("convergent", Attribute::unit(context)),
        ("operandSegmentSizes", parse(&b, &format!("array<i32: {count}, 0>"))?),
        ("op_bundle_sizes", parse(&b, "array<i32>")?),
    ];
    let new = b.value("llvm.call", &operands, old.r#type(), &attributes)?;
    tree::replace_uses(old, new);
    tree::erase(operation);
    Ok(())
}

/// The intrinsic of an MMA, where it is one that is known here.
fn intrinsic(operation: OperationRef<'_, '_>) -> Option<String> {
    match tree::name(operation).as_str() {
        "llvm.call_intrinsic" => {
            tree::text(operation.attribute("intrin").ok()?).filter(|name| name.starts_with(PREFIX))
        }
        "nvvm.mma.sync" => {
            let text = |name: &str| {
                operation.attribute(name).map(|attribute| attribute.to_string()).unwrap_or_default()
            };
            let shape = text("shape");
            let extents: Vec<&str> = shape
                .trim_start_matches("#nvvm.shape<")
                .trim_end_matches('>')
                .split(", ")
                .filter_map(|extent| extent.split_once(" = ").map(|(_, number)| number))
                .collect();
            let &[m, n, k] = extents.as_slice() else { return None };
            let inside = |text: String| Some(text.split_once('<')?.1.strip_suffix('>')?.to_owned());
            let of = |name: &str| inside(text(name));
            let (rows, columns) = (of("layoutA")?, of("layoutB")?);
            let (left, right) = (of("multiplicandAPtxType")?, of("multiplicandBPtxType")?);
            let saturates = match of("intOverflowBehavior").as_deref() {
                Some("satfinite") => "satfinite.",
                _ => "",
            };
            let last = operation.operand_count().checked_sub(1)?;
            let (sum, addend) = (
                number(&first_result(operation).r#type().to_string())?,
                number(&operand(operation, last).r#type().to_string())?,
            );
            let types = match left.as_str() {
                "f16" => format!("{sum}.{addend}"),
                "bf16" | "tf32" | "s8" | "u8" | "f64" if left == right => left,
                _ => return None,
            };
            Some(format!("{PREFIX}m{m}n{n}k{k}.{rows}.{columns}.{saturates}{types}"))
        }
        _ => None,
    }
}

/// The numbers of a register, or of a structure of such.
fn number(r#type: &str) -> Option<&'static str> {
    ["f16", "f32", "f64", "i32"].into_iter().find(|number| r#type.contains(number))
}

fn module<'c>(operation: OperationRef<'c, 'c>) -> Option<OperationRef<'c, 'c>> {
    let mut around = operation.parent_operation();
    while let Some(parent) = around.filter(|parent| tree::name(*parent) != "gpu.module") {
        around = parent.parent_operation();
    }
    around
}

/// Declares an intrinsic in a module of kernels, once.
fn declare<'c>(
    module: OperationRef<'c, 'c>,
    name: &str,
    operands: &[Type<'c>],
    result: Type<'c>,
) -> Result<(), Failure> {
    let Some(body) = tree::entry(module) else { return Ok(()) };
    let is_named = |operation: &OperationRef<'c, 'c>| {
        tree::symbol(*operation).is_some_and(|symbol| symbol == name)
    };
    if tree::operations(body).iter().any(is_named) {
        return Ok(());
    }
    let context = context_of(module);
    let b = Builder::at_start(context, module.location(), body);
    let words: Vec<String> = operands.iter().map(ToString::to_string).collect();
    let text = format!("!llvm.func<{result} ({})>", words.join(", "));
    let function =
        Type::parse(context, &text).ok_or(melior::Error::TypeExpected("function", text))?;
    let attributes = [
        ("sym_name", StringAttribute::new(context, name).into()),
        ("function_type", TypeAttribute::new(function).into()),
        ("convergent", Attribute::unit(context)),
    ];
    b.operation("llvm.func", &[], &[], &attributes, vec![melior::ir::Region::new()])?;
    Ok(())
}
