//! How a term with symbols gets its value: each call as an equation, innermost first, with the identity that gives the same
//! under the same facts; or the fact that is missing.

use std::{cell::RefCell, collections::BTreeMap, fmt::Write};

use layout_algebra::{Expr, Facts, Law, Op, Value, evaluate_watched, integer::Result};

use super::MAX_STEPS;
use crate::paint::Paint;

/// A call, and what it came to.
struct Call {
    op: Op,
    values: Vec<Value<Expr>>,
    result: Option<Value<Expr>>,
}

/// The steps to the value of an expression; every line ends.
pub(crate) fn steps(
    text: &str,
    facts: &mut Facts,
    names: &BTreeMap<String, String>,
    paint: Paint,
) -> String {
    let (result, calls) = watched(text, facts, names);
    let mut out = String::new();
    let mut mentioned: Vec<String> = result.iter().flat_map(Value::symbols).collect();
    mentioned.extend(calls.iter().flat_map(|call| call.values.iter().flat_map(Value::symbols)));
    let known = facts.symbols().filter(|symbol| mentioned.iter().any(|name| name == symbol.name()));
    let known: Vec<String> = known.map(ToString::to_string).collect();
    if !known.is_empty() {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{}", paint.faint(format!("where {}", known.join(", "))));
    }
    let mut seen = Vec::new();
    for call in calls {
        let equation = call.equation();
        if seen.contains(&equation) {
            continue;
        }
        if seen.len() == MAX_STEPS {
            let _ = writeln!(out, "{}", paint.faint("(more steps than are shown)"));
            break;
        }
        let _ = writeln!(out, "{}. {equation}", seen.len() + 1);
        seen.push(equation);
        call.why(&mut out, facts, paint);
    }
    out
}

/// The value of an expression, and the calls that were made on the way.
fn watched(
    text: &str,
    facts: &mut Facts,
    names: &BTreeMap<String, String>,
) -> (Result<Value<Expr>>, Vec<Call>) {
    let calls = RefCell::new(Vec::new());
    let result = evaluate_watched(text, facts, names, &|op, values, result| {
        let result = result.as_ref().ok().cloned();
        calls.borrow_mut().push(Call { op, values: values.to_vec(), result });
    });
    (result, calls.into_inner())
}

impl Call {
    fn equation(&self) -> String {
        let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
        let call = format!("{}({})", self.op.name(), values.join(", "));
        match &self.result {
            Some(value) => format!("{call} = {value}"),
            None => format!("{call} has no answer"),
        }
    }

    /// The identity with its own calls, where it gives this very value; otherwise the law in words.
    fn why(&self, out: &mut String, facts: &Facts, paint: Paint) {
        let row = self.op.row();
        let letters = ('A'..='Z').map(String::from);
        let names: BTreeMap<String, String> =
            letters.zip(self.values.iter().map(ToString::to_string)).collect();
        // Its bound is a product of numbers, for which the identity has a letter of its own.
        if let (Law::Is(identity), false) = (row.law, self.op == Op::LogicalProduct) {
            let (found, calls) = watched(identity, &mut facts.clone(), &names);
            if found.ok() == self.result && self.result.is_some() {
                let operands: Vec<&str> = names.keys().map(String::as_str).collect();
                let rule = format!("{}({}) = {identity}", row.name, operands.join(", "));
                let _ = writeln!(out, "  {}", paint.faint(rule));
                for call in calls {
                    let _ = writeln!(out, "    {}", call.equation());
                }
                return;
            }
        }
        let law = match row.law {
            Law::Is(identity) if self.result.is_some() => format!("as {identity}"),
            law => law.text().to_owned(),
        };
        let _ = writeln!(out, "  {}", paint.faint(format!("{}: {law}", row.name)));
    }
}
