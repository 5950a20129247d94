//! Programs made smaller by leaving operations out.

use crate::ir::{Context, Op, Value};
use std::time::{Duration, Instant};

/// The text of the smallest module that was found for which `wrong` holds; within some seconds.
pub fn smaller(
    cx: &Context<'_>,
    module: Op,
    wrong: &mut dyn FnMut(Op) -> bool,
    seconds: u64,
) -> String {
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut best = module.copied();
    if !wrong(best) {
        let text = best.text();
        best.destroy();
        return text;
    }
    loop {
        let mut changed = false;
        let mut at = count(best);
        while at > 0 && Instant::now() < until {
            at -= 1;
            for way in 0..3 {
                let candidate = best.copied();
                if without(cx, candidate, at, way) && candidate.verifies() && wrong(candidate) {
                    best.destroy();
                    best = candidate;
                    changed = true;
                    break;
                }
                candidate.destroy();
            }
            at = at.min(count(best));
        }
        if !changed || Instant::now() >= until {
            break;
        }
    }
    let text = best.text();
    best.destroy();
    text
}

fn all(module: Op) -> Vec<Op> {
    let mut found = Vec::new();
    module.walk(&mut |op| found.push(op));
    found
}

fn count(module: Op) -> usize {
    all(module).len()
}

/// Leaves one operation out. Its results' uses read an operand of the same type, a constant, or the first
/// earlier value of that type.
fn without(cx: &Context<'_>, module: Op, at: usize, way: usize) -> bool {
    let operations = all(module);
    let Some(op) = operations.get(at).copied() else { return false };
    let name = op.name();
    let last = |end: &str| name.ends_with(end);
    if last("module") || last("return") || last("yield") || last("condition") || last("reduce") {
        return false;
    }
    if name == "func.func" {
        let symbol = op.attribute("sym_name").map(|name| name.text()).unwrap_or_default();
        let called = operations.iter().any(|other| {
            other.attribute("callee").is_some_and(|callee| {
                callee.text().trim_start_matches('@') == symbol.trim_matches('"')
            })
        });
        if called || !(symbol.contains("see_") || symbol.contains("callee")) || way > 0 {
            return false;
        }
        op.erase();
        return true;
    }
    for result in op.results() {
        if !result.is_used() {
            continue;
        }
        let same = |value: &Value| value.r#type() == result.r#type();
        let instead = match way {
            0 => op.operands().into_iter().find(same),
            1 if name == "arith.constant" => None,
            1 => constant(cx, op, result),
            _ => entry_arguments(op).into_iter().find(same),
        };
        let Some(instead) = instead else { return false };
        if instead == result {
            return false;
        }
        result.replace_by(instead);
    }
    if way > 0 && op.results().iter().all(|result| !result.is_used()) && op.results().is_empty() {
        return false;
    }
    op.erase();
    true
}

/// Zero of a result's type, before its operation.
fn constant(cx: &Context<'_>, op: Op, result: Value) -> Option<Value> {
    let text = result.r#type().text();
    let zero = match text.as_str() {
        "i1" => cx.attribute("false")?,
        "i8" | "i16" | "i32" | "i64" | "index" => cx.integer(result.r#type(), 0),
        _ => return None,
    };
    let made =
        cx.build("arith.constant", &[], &[("value", zero)], Some(&[result.r#type()]), &[], &[])?;
    op.block()?.insert_before(op, made);
    Some(made.result())
}

/// Arguments of the function that an operation is in.
fn entry_arguments(op: Op) -> Vec<Value> {
    let mut outer = op;
    while let Some(parent) = outer.parent() {
        if parent.name() == "func.func" {
            return parent.regions()[0].blocks().first().map(|b| b.arguments()).unwrap_or_default();
        }
        outer = parent;
    }
    Vec::new()
}
