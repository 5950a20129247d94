//! Why an operation has no answer, shown on the coordinates that refute one.

use layout_algebra::{Error, Layout, Op, Value};

use super::trace;

/// Coordinates before the witness that are written out.
const BEFORE: i64 = 8;

/// Lines about an error; none where its message says it all.
pub(super) fn of(op: Op, values: &[Value], error: &Error) -> Vec<String> {
    match (error, values) {
        (Error::NoComposition { a, b, coordinate, wanted, found }, _) => {
            composition(a, b, *coordinate, *wanted, *found)
        }
        (Error::Condition { .. }, [a, ..]) if op == Op::Complement => trace::plain(a)
            .map_or(Vec::new(), |a| trace::complement(&a, trace::codomain(values), None)),
        _ => Vec::new(),
    }
}

/// What is wanted up to the witness, and what the only layout that comes so far gives there.
fn composition(a: &Layout, b: &Layout, witness: i64, wanted: i64, found: i64) -> Vec<String> {
    let from = (witness - BEFORE).max(0);
    let coordinates: Vec<i64> = (from..=witness).collect();
    let inner = coordinates.iter().map(|&c| b.at(c).ok()).collect();
    let outer = |c: &i64| a.at(b.at(*c).ok()?).ok();
    let mut candidate: Vec<Option<i64>> = coordinates.iter().map(outer).collect();
    if let Some(last) = candidate.last_mut() {
        *last = Some(found);
    }
    let mut lines = vec![format!("A = {a}, B = {b}")];
    lines.extend(trace::rows(&[
        ("c", coordinates.iter().copied().map(Some).collect()),
        ("B(c)", inner),
        ("wanted: A(B(c))", coordinates.iter().map(outer).collect()),
        ("the only candidate", candidate),
    ]));
    lines.push(format!("coordinate {witness}: {wanted} wanted, {found} found"));
    lines
}
