//! What each operation's verifier checks beyond types and inference.
//!
//! Every violation is reported, not only the first, except where one check needs what another
//! refused.

mod copy;
mod matrix;
mod pipeline;

use crate::{
    Space, ViewType,
    infer::{Source, check_point},
    ops,
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

/// The violations of an operation named `name`, without its dialect's prefix.
pub(crate) fn verify(name: &str, operation: OperationRef<'_, '_>) -> Vec<String> {
    let mut violations = Vec::new();
    let outcome = match name {
        "alloc" => alloc(operation, &mut violations),
        "iota" => iota(operation),
        "fill" => writable(operation, 0),
        "store" => store(operation, &mut violations),
        "crd2idx" => point(operation, 0),
        "copy" => copy::verify(operation, &mut violations),
        "mma" => matrix::mma(operation, &mut violations),
        "pipeline" => pipeline::verify(operation, &mut violations),
        "matmul" => matrix::matmul(operation, &mut violations),
        // The types of the others are inferred, and inference checks everything.
        _ => Ok(()),
    };
    violations.extend(outcome.err());
    violations
}

fn operand_type<'c>(operation: OperationRef<'c, '_>, index: usize) -> Result<Type<'c>, String> {
    operation.operand(index).map(|value| value.r#type()).map_err(|error| error.to_string())
}

fn view<'c>(operation: OperationRef<'c, '_>, index: usize) -> Result<ViewType<'c>, String> {
    ViewType::try_from(operand_type(operation, index)?).map_err(|error| error.to_string())
}

fn result_view<'c>(operation: OperationRef<'c, '_>) -> Result<ViewType<'c>, String> {
    let result = operation.result(0).map_err(|error| error.to_string())?;
    ViewType::try_from(result.r#type()).map_err(|error| error.to_string())
}

fn alloc(operation: OperationRef<'_, '_>, violations: &mut Vec<String>) -> Result<(), String> {
    let view = result_view(operation)?;
    if !matches!(view.space(), Space::Shared | Space::Register) {
        violations.push(format!("expected the space shared or register, found {}", view.space()));
    }
    let layout = view.layout().map_err(|error| error.to_string())?;
    if layout.inner().flat().iter().any(|&(extent, stride)| extent > 1 && stride < 0) {
        violations.push(format!("expected a layout without negative strides, found {layout}"));
    }
    Ok(())
}

fn iota(operation: OperationRef<'_, '_>) -> Result<(), String> {
    match result_view(operation)?.space() {
        Space::Iota => Ok(()),
        space => Err(format!("expected the space iota, found {space}")),
    }
}

/// A view operand that is written to.
fn writable(operation: OperationRef<'_, '_>, index: usize) -> Result<(), String> {
    match view(operation, index)?.space() {
        Space::Iota => Err("expected a view of memory or registers to write to, found an iota \
                            view, whose elements are fixed"
            .to_owned()),
        _ => Ok(()),
    }
}

fn store(operation: OperationRef<'_, '_>, violations: &mut Vec<String>) -> Result<(), String> {
    violations.extend(writable(operation, 1).err());
    point(operation, 1)
}

/// The coordinate of one element, in the operand number `source`; its indices follow.
fn point(operation: OperationRef<'_, '_>, source: usize) -> Result<(), String> {
    let layout = Source::of(operand_type(operation, source)?)?.layout;
    let pattern = ops::pattern(operation)?;
    check_point(&pattern, &layout, operation.operand_count() - source - 1)
}
