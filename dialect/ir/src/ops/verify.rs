//! What each operation's verifier checks beyond types and inference.
//!
//! Every violation is reported, not only the first, except where one check needs what another
//! refused.

mod copy;
mod kernel;
mod matrix;
mod pipeline;

use crate::{
    atoms::space::Space,
    data::{datum::Datum, types::ViewType},
    diagnostics::{
        codes::Code,
        place::{self, Place},
        violation::Violation,
    },
    ops::{
        calls, construct,
        infer::check_element,
        parts::{self, Part},
        subject::{Subject, integer_width, known},
    },
};
use layout_algebra::{
    AnyLayout, Layout, Value,
    symbolic::{SymbolicValue, Width},
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

/// The violations of an operation named `name`, without its dialect's prefix.
pub(crate) fn verify(name: &str, operation: OperationRef<'_, '_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let outcome = match name {
        "alloc" => alloc(operation, &mut violations),
        "iota" => iota(operation, &mut violations),
        "fill" => writable(operation, 0),
        "store" => store(operation, &mut violations),
        "crd2idx" => offset(operation),
        "make" => make(operation, &mut violations),
        "assume" => assume(operation),
        "print" => print(operation),
        "idx2crd" | "size" | "cosize" | "rank" | "depth" | "offset" | "max_common_vector"
        | "equal" | "elem_less" => answer(name, operation),
        "copy" => copy::verify(operation, &mut violations),
        "mma" => matrix::mma(operation, &mut violations),
        "pipeline" => pipeline::verify(operation, &mut violations),
        "matmul" => matrix::matmul(operation, &mut violations),
        "gpu.func" => kernel::verify(operation, &mut violations),
        // The types of the others are inferred, and inference checks everything.
        _ => Ok(()),
    };
    violations.extend(outcome.err());
    violations
}

fn operand_type<'c>(operation: OperationRef<'c, '_>, index: usize) -> Result<Type<'c>, Violation> {
    Ok(operation.operand(index)?.r#type())
}

fn view<'c>(operation: OperationRef<'c, '_>, index: usize) -> Result<ViewType<'c>, Violation> {
    Ok(ViewType::try_from(operand_type(operation, index)?)?)
}

fn result_view<'c>(operation: OperationRef<'c, '_>) -> Result<ViewType<'c>, Violation> {
    Ok(ViewType::try_from(operation.result(0)?.r#type())?)
}

/// The place of a mode's stride in the layout of a view's type, by a path of modes.
fn stride_of(what: &str, view: ViewType<'_>, path: &[usize]) -> Option<Place> {
    let text = view.text();
    let (_, stride) = place::shape_and_stride(&text, 0..text.len())?;
    Place::new(what, &text, place::entry(&text, stride, path)?)
}

fn alloc(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    let view = result_view(operation)?;
    if !matches!(view.space(), Space::Shared | Space::Register) {
        let expected = "the space shared or register";
        let place = parts::of_result(operation, Part::Space);
        violations.push(Violation::new(Code::AllocSpace, expected, view.space()).at(place));
    }
    let layout = known_layout(view)
        .map_err(|refused| refused.at(parts::of_result(operation, Part::Symbol(0))))?;
    let negative = |mode: &Layout| mode.flat().iter().any(|&(e, stride)| e > 1 && stride < 0);
    for (i, mode) in layout.inner().modes().iter().enumerate().filter(|(_, mode)| negative(mode)) {
        let path = if layout.inner().is_leaf() { vec![] } else { vec![i] };
        let turned = mode.stride().try_map(&mut |stride| stride.checked_abs().ok_or(()));
        violations.push(
            Violation::new(Code::AllocStride, "a layout without negative strides", &layout)
                .hint_if(turned.ok().map(|stride| format!("{stride} reaches as many elements")))
                .at(stride_of("the view's layout", view, &path)),
        );
    }
    Ok(())
}

/// The layout of a view, all of which must be known.
fn known_layout(view: ViewType<'_>) -> Result<AnyLayout, Violation> {
    let datum = view.datum()?;
    datum.any_layout().ok_or_else(|| {
        Violation::new(Code::Static, "a view of a layout that is known when compiling", datum)
    })
}

/// An iota view of a layout that is known in part has the layout's integers from its operand.
fn iota(operation: OperationRef<'_, '_>, violations: &mut Vec<Violation>) -> Result<(), Violation> {
    let view = result_view(operation)?;
    if view.space() != Space::Iota {
        let place = parts::of_result(operation, Part::Space);
        violations.push(Violation::new(Code::IotaSpace, "the space iota", view.space()).at(place));
    }
    let datum = view.datum()?;
    match operation.operand_count() {
        0 if datum.symbols().is_empty() => Ok(()),
        0 => {
            let expected = format!("a layout to take the integers of {datum} from");
            let place = parts::of_result(operation, Part::Symbol(0));
            Err(Violation::new(Code::IotaLayout, expected, "none").at(place))
        }
        _ => match known(operand_type(operation, 0)?)? {
            Some(given) if given == datum => Ok(()),
            Some(given) => {
                let expected = format!("a view of the layout {given}");
                let place = parts::of_result(operation, Part::Layout);
                Err(Violation::new(Code::IotaLayout, expected, datum).at(place))
            }
            None => Err(Violation::new(Code::Operand, "a layout", "another type")),
        },
    }
}

/// A view operand that is written to.
fn writable(operation: OperationRef<'_, '_>, index: usize) -> Result<(), Violation> {
    match view(operation, index)?.space() {
        Space::Iota => {
            let expected = "a view of memory or registers to write to";
            let found = "an iota view, whose elements are fixed";
            let place = parts::of_operand(operation, index, Part::Space);
            Err(Violation::new(Code::Writable, expected, found).at(place))
        }
        _ => Ok(()),
    }
}

fn store(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    violations.extend(writable(operation, 1).err());
    point(operation, 1)
}

/// The coordinate of one element, in the operand number `source`; its indices follow.
fn point(operation: OperationRef<'_, '_>, source: usize) -> Result<(), Violation> {
    check_element(&Subject::of(operation), source)
}

/// An operation of the table whose result types are not inferred: it must have an answer.
fn answer(name: &str, operation: OperationRef<'_, '_>) -> Result<(), Violation> {
    let Some(row) = calls::row(name) else { return Ok(()) };
    calls::evaluate(row, &Subject::of(operation)).map(|_| ())
}

/// The coordinate of a `crd2idx`, in a layout that is known or not.
fn offset(operation: OperationRef<'_, '_>) -> Result<(), Violation> {
    match known(operand_type(operation, 0)?)? {
        Some(datum) if datum.any_layout().is_none() => answer("crd2idx", operation),
        _ => point(operation, 0),
    }
}

fn result_datum(operation: OperationRef<'_, '_>) -> Result<Datum, Violation> {
    let result = operation.result(0)?.r#type();
    known(result)?.ok_or_else(|| Violation::new(Code::Kind, "a layout or a tuple", result))
}

/// One integer for each symbol of the result's type, of its width.
fn make(operation: OperationRef<'_, '_>, violations: &mut Vec<Violation>) -> Result<(), Violation> {
    let datum = result_datum(operation)?;
    let symbols = datum.symbols();
    if symbols.len() != operation.operand_count() {
        let expected = format!("{} integers for {datum}", symbols.len());
        // The first `?` that has none, or all of a layout that has fewer.
        let count = operation.operand_count();
        let part = if count < symbols.len() { Part::Symbol(count) } else { Part::Layout };
        let place = parts::of_result(operation, part);
        return Err(Violation::new(Code::MakeOperands, expected, count).at(place));
    }
    for (i, symbol) in symbols.iter().enumerate() {
        let found = operand_type(operation, i)?;
        if integer_width(found) != Some(symbol.width()) {
            let (expected, would) = match symbol.width() {
                Width::W32 => ("an i32", "i64"),
                Width::W64 => ("an i64 or an index", "i32"),
            };
            let other = if would == "i64" { "?{i64}" } else { "?" };
            violations.push(
                Violation::new(Code::MakeWidth, format!("{expected} for {symbol}"), found)
                    .hint(format!("{other} stands for an {would}"))
                    .at(parts::of_result(operation, Part::Symbol(i))),
            );
        }
    }
    Ok(())
}

/// Tilers have no form at run time.
fn print(operation: OperationRef<'_, '_>) -> Result<(), Violation> {
    let datum = known(operand_type(operation, 0)?)?;
    let tiler = |datum: &Datum| match datum {
        Datum::Static(value) => matches!(value, Value::Tiler(_)),
        Datum::Symbolic { value, .. } => matches!(value, SymbolicValue::Tiler(_)),
    };
    match datum.filter(tiler) {
        Some(datum) => Err(Violation::new(Code::Kind, "a layout or a tuple of integers", datum)
            .at(parts::of_operand(operation, 0, Part::Layout))),
        None => Ok(()),
    }
}

/// The result's type must be one for a value of the operand's.
fn assume(operation: OperationRef<'_, '_>) -> Result<(), Violation> {
    let found = operand_type(operation, 0)?;
    let source =
        known(found)?.ok_or_else(|| Violation::new(Code::Kind, "a layout or a tuple", found))?;
    construct::matched(&source, &result_datum(operation)?).map(|_| ())
}
