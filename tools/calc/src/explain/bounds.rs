//! Which coordinates of a padded divide, or of a composition past its left operand, are outside.

use layout_algebra::{Op, Predicate, Region, Result, Value};

use super::trace;

/// Lines about a result; empty if every coordinate is inside.
pub(super) fn of(op: Op, values: &[Value], result: &Value) -> Vec<String> {
    let (Value::Layout(_), Some(Ok(predicate))) = (result, predicate(op, values)) else {
        return Vec::new();
    };
    if predicate.always_holds() {
        return Vec::new();
    }
    let mut lines = vec![format!("inside of A only where {predicate}")];
    // The coordinates of a large domain are not listed.
    if let Ok(outside) = predicate.outside() {
        lines.push(match &outside {
            Region::Irregular { .. } => format!("outside: {outside}"),
            _ => format!("outside: the indices {outside}"),
        });
    }
    lines
}

fn predicate(op: Op, values: &[Value]) -> Option<Result<Predicate>> {
    let [a, tiler] = values else { return None };
    let (a, tiler) = (trace::plain(a)?, tiler.tiler().ok()?);
    let divided = || a.in_bounds_of_divide(&tiler);
    match op {
        Op::Composition => Some(a.in_bounds_of_composition(&tiler)),
        Op::LogicalDivide => Some(divided()),
        Op::ZippedDivide => Some(divided().and_then(|predicate| predicate.zipped(&tiler))),
        Op::TiledDivide => Some(divided().and_then(|predicate| predicate.tiled(&tiler))),
        Op::FlatDivide => Some(divided().and_then(|predicate| predicate.flat(&tiler))),
        _ => None,
    }
}
