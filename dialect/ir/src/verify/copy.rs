//! The verifier of `layout.copy`.

use super::view;
use crate::{
    Space, ViewType,
    atoms::{Atom, CopyKind},
    ops,
    types::{element_bytes, is_float},
};
use layout_algebra::{AnyLayout, Outer, coalesce};
use melior::ir::{OperationRef, TypeLike, operation::OperationLike};

/// Operands before the guards.
const SOURCE_AND_TARGET: usize = 2;

/// Coordinates of a layout behind another layout that are compared one by one.
const COMPARED: i64 = 1 << 16;

pub(super) fn verify(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<String>,
) -> Result<(), String> {
    let atom = ops::atom(operation).map_err(|error| error.to_string())?;
    let kind =
        atom.copy_kind().ok_or_else(|| format!("expected a copy atom, found {}", atom.name))?;
    let (source, target) = (view(operation, 0)?, view(operation, 1)?);
    violations.extend(spaces(atom, kind, source, target).err());
    violations.extend(elements(atom, kind, source, target).err());
    let layouts = [layout(source)?, layout(target)?];
    let size = layouts[0].size();
    if size != layouts[1].size() {
        violations.push(format!(
            "expected source and target of one size, found {size} and {}",
            layouts[1].size()
        ));
    }
    violations.extend(guards(operation, size)?);
    match ops::multicast(operation).map_err(|error| error.to_string())? {
        Some(_) if kind != CopyKind::BulkTensor => violations
            .push(format!("expected multicast on bulk loads only, found it on {}", atom.name)),
        Some(mode) if !(0..2).contains(&mode) => {
            violations.push(format!("expected multicast along mode 0 or 1, found {mode}"));
        }
        _ => {}
    }
    // An index has the target's width; 8 bytes are the widest.
    let bytes = element_bytes(source.element_type()).unwrap_or(8);
    let run = atom.elements(bytes).ok_or_else(|| {
        format!(
            "expected elements that {} moves whole, found {} of {bytes} bytes",
            atom.name,
            source.element_type()
        )
    })?;
    if size % run != 0 {
        return Err(format!(
            "expected a size that is a multiple of {run}, the elements that {} moves at once, \
             found {size}",
            atom.name
        ));
    }
    for (side, view, layout) in [("source", source, &layouts[0]), ("target", target, &layouts[1])] {
        if view.space().is_memory() && !has_runs(layout, run)? {
            violations.push(format!(
                "expected each {run} elements that {} moves at once to be contiguous in the \
                 {side}, found {layout}",
                atom.name
            ));
        }
    }
    Ok(())
}

fn layout(view: ViewType<'_>) -> Result<AnyLayout, String> {
    view.layout().map_err(|error| error.to_string())
}

fn spaces(
    atom: &Atom,
    kind: CopyKind,
    source: ViewType<'_>,
    target: ViewType<'_>,
) -> Result<(), String> {
    let found = (source.space(), target.space());
    let expected = match kind {
        CopyKind::Simt if found.1 == Space::Iota => "a target in memory or registers",
        CopyKind::CpAsync if found != (Space::Global, Space::Shared) => {
            "a source in global and a target in shared memory"
        }
        CopyKind::Ldmatrix { .. } if found != (Space::Shared, Space::Register) => {
            "a source in shared memory and a target in registers"
        }
        CopyKind::Stmatrix if found != (Space::Register, Space::Shared) => {
            "a source in registers and a target in shared memory"
        }
        CopyKind::BulkTensorStore if found != (Space::Shared, Space::Global) => {
            "a source in shared and a target in global memory"
        }
        CopyKind::BulkTensor if found != (Space::Global, Space::Shared) => {
            "a source in global and a target in shared memory"
        }
        _ => return Ok(()),
    };
    Err(format!("expected {expected} for {}, found {} and {}", atom.name, found.0, found.1))
}

fn elements(
    atom: &Atom,
    kind: CopyKind,
    source: ViewType<'_>,
    target: ViewType<'_>,
) -> Result<(), String> {
    let (from, to) = (source.element_type(), target.element_type());
    if from.to_raw().ptr == to.to_raw().ptr {
        return Ok(());
    }
    match kind {
        CopyKind::Simt if is_float(from) && is_float(to) => Ok(()),
        CopyKind::Simt => {
            Err(format!("expected equal element types or two floats, found {from} and {to}"))
        }
        _ => Err(format!(
            "expected equal element types for {}, which does not convert, found {from} and {to}",
            atom.name
        )),
    }
}

fn guards(operation: OperationRef<'_, '_>, size: i64) -> Result<Vec<String>, String> {
    let mut violations = Vec::new();
    let limits = ops::guard_limits(operation).map_err(|error| error.to_string())?;
    let count = operation.operand_count() - SOURCE_AND_TARGET;
    if limits.len() != count {
        violations.push(format!(
            "expected as many limits as guards, found {} limits for {count} guards",
            limits.len()
        ));
    }
    for i in 0..count {
        let guard = view(operation, SOURCE_AND_TARGET + i)?;
        if guard.space() != Space::Iota {
            violations
                .push(format!("expected guard {i} to be an iota view, found {}", guard.space()));
        }
        let guarded = layout(guard)?.size();
        if guarded != size {
            violations.push(format!(
                "expected guard {i} to have the source's size {size}, found {guarded}"
            ));
        }
    }
    Ok(violations)
}

/// Whether every aligned run of `run` indices has contiguous offsets, given that the view's own
/// offset is a multiple of `run`.
fn has_runs(layout: &AnyLayout, run: i64) -> Result<bool, String> {
    let error = |error: layout_algebra::Error| error.to_string();
    if run == 1 {
        return Ok(true);
    }
    let flat = coalesce(layout.inner()).map_err(error)?.flat();
    let Some((&(extent, 1), rest)) = flat.split_first() else { return Ok(false) };
    let inner = extent % run == 0;
    let AnyLayout::Composed(composed) = layout else { return Ok(inner) };
    match &composed.outer {
        // The bits below the base stay, so a run inside of them is only moved as a whole; it lies
        // inside of them when it starts at a multiple of its length.
        Outer::Swizzle(swizzle) => Ok(inner
            && (swizzle.bits == 0
                || ((1_i64 << swizzle.base) % run == 0
                    && composed.offset % run == 0
                    && rest.iter().all(|&(_, stride)| stride % run == 0)))),
        Outer::Layout(_) if layout.size() > COMPARED => Ok(false),
        Outer::Layout(_) => {
            for index in 0..layout.size() {
                let step = index % run;
                let expected = layout.at(index - step).map_err(error)?.checked_add(step);
                if Some(layout.at(index).map_err(error)?) != expected {
                    return Ok(false);
                }
            }
            Ok(true)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::any_layout;

    /// The closed form says yes only where all offsets agree, and no only where some differ.
    #[test]
    fn runs_agree_with_enumeration() {
        for text in [
            "8:1",
            "(4,2):(1,4)",
            "(4,2):(1,8)",
            "(2,4):(4,1)",
            "16:2",
            "(8,8):(1,64)",
            "S<3,3,3> o 0 o (8,64):(64,1)",
            "S<3,3,3> o 0 o (64,8):(1,64)",
            "S<3,2,3> o 0 o (64,8):(1,64)",
            "S<3,3,3> o 0 o (8,8):(1,8)",
        ] {
            let layout = any_layout(text).expect("a layout");
            for run in [1, 2, 4, 8] {
                if layout.size() % run != 0 {
                    continue;
                }
                let contiguous = (0..layout.size()).all(|index| {
                    let step = index % run;
                    layout.at(index).expect("small")
                        == layout.at(index - step).expect("small") + step
                });
                assert_eq!(has_runs(&layout, run), Ok(contiguous), "{text} in runs of {run}");
            }
        }
    }
}
