//! The verifiers of `layout.mma` and `layout.matmul`.

use super::view;
use crate::{
    Choice, Space, ViewType, atoms::shared_matrix, epilogue::Epilogue, ops, types::element_bytes,
};
use layout_algebra::{AnyLayout, Layout};
use melior::ir::{OperationRef, operation::OperationLike};

/// The operands' names and modes.
const MMA: [(&str, &str); 3] = [("a", "(VA,RM,RK)"), ("b", "(VB,RN,RK)"), ("c", "(VC,RM,RN)")];

pub(super) fn mma(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<String>,
) -> Result<(), String> {
    let atom = ops::atom(operation).map_err(|error| error.to_string())?;
    let mma = atom.mma().ok_or_else(|| format!("expected an MMA atom, found {}", atom.name))?;
    let values = [mma.a_values, mma.b_values, mma.c_values];
    let elements = [mma.input, mma.input, mma.output];
    let spaces = [mma.inputs, mma.inputs, Space::Register];
    let mut extents = Vec::new();
    for (i, (name, modes)) in MMA.into_iter().enumerate() {
        let view = view(operation, i)?;
        if view.space() != spaces[i] {
            let place = if spaces[i] == Space::Shared { "shared memory" } else { "registers" };
            violations.push(format!("expected {name} in {place}, found {}", view.space()));
        }
        check_element(violations, name, view, elements[i], atom.name);
        let layout = match spaces[i] {
            Space::Shared => {
                let layout = view.layout().map_err(|error| error.to_string())?;
                if view.space() == Space::Shared {
                    violations.extend(canonical(name, &layout, view).err());
                }
                layout.inner().clone()
            }
            _ => plain(name, view)?,
        };
        let sizes: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
        let [held, first, second] = sizes[..] else {
            return Err(format!("expected {name} of rank 3, {modes}, found {layout}"));
        };
        if held != values[i] {
            violations.push(format!(
                "expected {} values in the first mode of {name} for {}, found {held} in {layout}",
                values[i], atom.name
            ));
        }
        extents.push((first, second));
    }
    let [(am, ak), (bn, bk), (cm, cn)] = extents[..] else { return Ok(()) };
    check_extents(violations, ("RM", am, cm), ("RN", bn, cn), ("RK", ak, bk));
    Ok(())
}

pub(super) fn matmul(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<String>,
) -> Result<(), String> {
    let mut extents = Vec::new();
    let mut elements = Vec::new();
    for (i, (name, modes)) in
        [("a", "(M,K)"), ("b", "(N,K)"), ("c", "(M,N)")].into_iter().enumerate()
    {
        let view = view(operation, i)?;
        if !matches!(view.space(), Space::Global | Space::Host) {
            violations
                .push(format!("expected {name} in global or host memory, found {}", view.space()));
        }
        let layout = plain(name, view)?;
        let sizes: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
        let [first, second] = sizes[..] else {
            return Err(format!("expected {name} of rank 2, {modes}, found {layout}"));
        };
        extents.push((first, second));
        elements.push(view.element_type().to_string());
    }
    let [(am, ak), (bn, bk), (cm, cn)] = extents[..] else { return Ok(()) };
    check_extents(violations, ("M", am, cm), ("N", bn, cn), ("K", ak, bk));
    let [a, b, c] = &elements[..] else { return Ok(()) };
    if a != b || !matches!(a.as_str(), "f16" | "bf16") {
        violations.push(format!("expected a and b both of f16 or both of bf16, found {a} and {b}"));
    }
    if !matches!(c.as_str(), "f16" | "bf16" | "f32") {
        violations.push(format!("expected c of f16, bf16 or f32, found {c}"));
    }
    for i in 3..operation.operand_count() {
        let view = view(operation, i)?;
        let name = format!("the epilogue's operand {}", i - 3);
        if !matches!(view.space(), Space::Global | Space::Host) {
            violations
                .push(format!("expected {name} in global or host memory, found {}", view.space()));
        }
        let layout = plain(&name, view)?;
        let sizes: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
        if sizes != [cm, cn] {
            violations.push(format!("expected {name} of shape ({cm},{cn}), as c, found {layout}"));
        }
        let element = view.element_type().to_string();
        if !matches!(element.as_str(), "f16" | "bf16" | "f32") {
            violations.push(format!("expected {name} of f16, bf16 or f32, found {element}"));
        }
    }
    if operation.operand_count() > 3 && crate::tree::entry(operation).is_none() {
        violations.push("expected an epilogue for its operands, found none".to_owned());
    }
    violations.extend(Epilogue::of(operation).err());
    let choice = ops::choice(operation).map_err(|error| error.to_string())?;
    if let Choice::Given(schedule) = choice
        && let Some(atom) = schedule.mma.as_deref().and_then(crate::atoms::lookup)
        && let Some(mma) = atom.mma()
        && mma.input != a
    {
        violations.push(format!(
            "expected a and b of {} for the schedule's {}, found {a}",
            mma.input, atom.name
        ));
    }
    Ok(())
}

fn plain(name: &str, view: ViewType<'_>) -> Result<Layout, String> {
    match view.layout().map_err(|error| error.to_string())? {
        AnyLayout::Plain(layout) => Ok(layout),
        AnyLayout::Composed(layout) => {
            Err(format!("expected {name} with a plain layout, found {layout}"))
        }
    }
}

/// A tile in shared memory, which the instruction must be able to describe.
fn canonical(name: &str, layout: &AnyLayout, view: ViewType<'_>) -> Result<(), String> {
    let message = |error: layout_algebra::Error| error.to_string();
    let Some(bytes) = element_bytes(view.element_type()) else { return Ok(()) };
    let tile = layout.try_map(|inner| layout_algebra::get(inner, &[0])).map_err(message)?;
    shared_matrix::derive(&tile, bytes).map(|_| ()).map_err(|reason| format!("{name}: {reason}"))
}

fn check_element(
    violations: &mut Vec<String>,
    name: &str,
    view: ViewType<'_>,
    expected: &str,
    atom: &str,
) {
    let found = view.element_type().to_string();
    if found != expected {
        violations.push(format!("expected {name} of {expected} for {atom}, found {found}"));
    }
}

/// Each extent with its name, as two operands have it.
fn check_extents(
    violations: &mut Vec<String>,
    m: (&str, i64, i64),
    n: (&str, i64, i64),
    k: (&str, i64, i64),
) {
    for ((extent, one, other), operands) in [(m, "a and c"), (n, "b and c"), (k, "a and b")] {
        if one != other {
            violations
                .push(format!("expected one {extent} in {operands}, found {one} and {other}"));
        }
    }
}
