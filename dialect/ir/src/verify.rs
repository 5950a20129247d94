//! What each operation's verifier checks beyond types and inference.
//!
//! Every violation is reported, not only the first, except where one check needs what another
//! refused.

mod copy;
mod matrix;
mod pipeline;

use crate::{
    Space, ViewType, calls, construct,
    datum::{Datum, Violation},
    infer::check_element,
    subject::{Subject, integer_width, known},
};
use layout_algebra::AnyLayout;
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

/// The violations of an operation named `name`, without its dialect's prefix.
pub(crate) fn verify(name: &str, operation: OperationRef<'_, '_>) -> Vec<String> {
    let mut violations = Vec::new();
    let outcome = match name {
        "alloc" => alloc(operation, &mut violations),
        "iota" => iota(operation),
        "fill" => fill(operation, &mut violations),
        "store" => store(operation, &mut violations),
        "crd2idx" => offset(operation),
        "idx2crd" if operation.attribute("shape").is_err() => answer(name, operation),
        "make" => make(operation, &mut violations),
        "assume" => assume(operation),
        "size" | "cosize" | "rank" | "depth" | "max_common_vector" | "equal" | "elem_less" => {
            answer(name, operation)
        }
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
    let layout = known_layout(view)?;
    if layout.inner().flat().iter().any(|&(extent, stride)| extent > 1 && stride < 0) {
        violations.push(format!("expected a layout without negative strides, found {layout}"));
    }
    Ok(())
}

/// The layout of a view, all of which must be known.
fn known_layout(view: ViewType<'_>) -> Result<AnyLayout, String> {
    let datum = view.datum().map_err(text)?;
    datum.any_layout().ok_or_else(|| {
        format!("expected a view of a layout that is known when compiling, found {datum}")
    })
}

/// An iota view of a layout that is known in part has the layout's integers from its operand.
fn iota(operation: OperationRef<'_, '_>) -> Result<(), String> {
    let view = result_view(operation)?;
    if view.space() != Space::Iota {
        return Err(format!("expected the space iota, found {}", view.space()));
    }
    let datum = view.datum().map_err(text)?;
    match operation.operand_count() {
        0 if datum.symbols().is_empty() => Ok(()),
        0 => Err(format!("expected a layout to take the integers of {datum} from, found none")),
        _ => match known(operand_type(operation, 0)?).map_err(text)? {
            Some(given) if given == datum => Ok(()),
            Some(given) => Err(format!("expected a view of the layout {given}, found {datum}")),
            None => Err("expected a layout, found another type".to_owned()),
        },
    }
}

fn fill(operation: OperationRef<'_, '_>, violations: &mut Vec<String>) -> Result<(), String> {
    violations.extend(writable(operation, 0).err());
    known_layout(view(operation, 0)?).map(|_| ())
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
    check_element(&Subject::of(operation), source).map_err(text)
}

fn text(violation: Violation) -> String {
    violation.to_string()
}

/// An operation of the table whose result types are not inferred: it must have an answer.
fn answer(name: &str, operation: OperationRef<'_, '_>) -> Result<(), String> {
    let Some(row) = calls::row(name) else { return Ok(()) };
    calls::evaluate(row, &Subject::of(operation)).map(|_| ()).map_err(text)
}

/// The coordinate of a `crd2idx`, in a layout that is known or not.
fn offset(operation: OperationRef<'_, '_>) -> Result<(), String> {
    match known(operand_type(operation, 0)?).map_err(text)? {
        Some(datum) if datum.any_layout().is_none() => answer("crd2idx", operation),
        _ => point(operation, 0),
    }
}

fn result_datum(operation: OperationRef<'_, '_>) -> Result<Datum, String> {
    let result = operation.result(0).map_err(|error| error.to_string())?.r#type();
    known(result)
        .map_err(text)?
        .ok_or_else(|| format!("expected a layout or a tuple, found {result}"))
}

/// One integer for each symbol of the result's type, of its width.
fn make(operation: OperationRef<'_, '_>, violations: &mut Vec<String>) -> Result<(), String> {
    let datum = result_datum(operation)?;
    let symbols = datum.symbols();
    if symbols.len() != operation.operand_count() {
        return Err(format!(
            "expected {} integers for {datum}, found {}",
            symbols.len(),
            operation.operand_count()
        ));
    }
    for (i, symbol) in symbols.iter().enumerate() {
        let found = operand_type(operation, i)?;
        if integer_width(found) != Some(symbol.width()) {
            let expected = match symbol.width() {
                layout_algebra::symbolic::Width::W32 => "an i32",
                layout_algebra::symbolic::Width::W64 => "an i64 or an index",
            };
            violations.push(format!("expected {expected} for {symbol}, found {found}"));
        }
    }
    Ok(())
}

/// The result's type must be one for a value of the operand's.
fn assume(operation: OperationRef<'_, '_>) -> Result<(), String> {
    let found = operand_type(operation, 0)?;
    let source = known(found)
        .map_err(text)?
        .ok_or_else(|| format!("expected a layout or a tuple, found {found}"))?;
    construct::matched(&source, &result_datum(operation)?).map(|_| ()).map_err(text)
}
