//! Why an operation has no answer, shown on the coordinates that refute one.

use std::collections::HashMap;

use layout_algebra::{Error, Layout, Op, Value};

use super::trace;

/// Indices that are gone through to find a witness.
const SEARCHED: i64 = 1 << 14;

/// Coordinates before the witness that are written out.
const BEFORE: i64 = 8;

/// Lines about an error; empty if its message says it all.
pub(super) fn of(op: Op, values: &[Value], error: &Error) -> Vec<String> {
    match (error.cause(), values) {
        (Error::NoComposition { a, b, coordinate, expected, found }, _) => {
            match (a.try_into(), b.try_into()) {
                (Ok(a), Ok(b)) => composition(&a, &b, *coordinate, *expected, *found),
                _ => Vec::new(),
            }
        }
        (Error::Condition { .. }, [a, ..]) if op == Op::Complement => trace::plain(a)
            .map_or(Vec::new(), |a| trace::complement(&a, trace::codomain(values), None)),
        (Error::Condition { .. }, [a]) if op == Op::LeftInverse => {
            trace::plain(a).and_then(|a| twice(&a)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Two indices with one offset, if there are some among the first.
pub(super) fn twice(layout: &Layout) -> Option<String> {
    let mut seen = HashMap::new();
    for index in 0..layout.size().min(SEARCHED) {
        let offset = layout.at(index).ok()?;
        if let Some(first) = seen.insert(offset, index) {
            return Some(format!("indices {first} and {index} both have offset {offset}"));
        }
    }
    None
}

/// The least offset that no index has, if all indices can be examined.
pub(super) fn left_out(layout: &Layout) -> Option<String> {
    if layout.size() > SEARCHED {
        return None;
    }
    let mut offsets =
        (0..layout.size()).map(|index| layout.at(index).ok()).collect::<Option<Vec<_>>>()?;
    offsets.sort_unstable();
    offsets.dedup();
    let pair = offsets.windows(2).find(|pair| pair[1] > pair[0].saturating_add(1))?;
    Some(format!("no index has offset {}, and some have {}", pair[0] + 1, pair[1]))
}

/// The expected values up to the witness, and the value of the only layout that comes so far there.
fn composition(a: &Layout, b: &Layout, witness: i64, expected: i64, found: i64) -> Vec<String> {
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
        ("expected: A(B(c))", coordinates.iter().map(outer).collect()),
        ("the only candidate", candidate),
    ]));
    lines.push(format!("coordinate {witness}: expected {expected}, found {found}"));
    lines
}
