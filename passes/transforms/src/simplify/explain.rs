//! Chains of equations to what `layout-simplify` writes, as remarks, each step proved once more.
//!
//! The e-graph replays its steps by itself. Here provers that know nothing of its rules check them
//! too: the prover of `layout-relation` checks layouts, the normal form of `layout_relation::IndexForm`
//! arithmetic, and ISL, as sets, terms that the normal form cannot read, such as comparisons. A step that no
//! prover can read stays without such a proof, and one that is refuted is an error.

use super::{operations::name_of, sets};
use crate::verify::arithmetic::{combined, high_word, wrapped};
use layout_algebra::{AnyLayout, Value};
use layout_egraph::{
    Explanation, RecExpr, Settings, explain_equal, index::IndexOp, node::Node, symbol::Symbol,
    value,
};
use layout_relation::{Compared, IndexForm, Limits, Prover, Verdict};
use std::collections::BTreeMap;

/// The chain between two terms, as text; an error is a defect of the rules.
pub(super) fn chain(
    from: &RecExpr<Node>,
    to: &RecExpr<Node>,
    settings: &Settings,
) -> Result<String, String> {
    match explain_equal(from, to, settings).map_err(|error| error.to_string())? {
        Some(mut explanation) => {
            prove(&mut explanation, settings.width)?;
            Ok(explanation.to_string())
        }
        None => Ok("the steps of several searches: greater budgets show them in one".to_owned()),
    }
}

/// Proves the steps of a chain that can be read.
fn prove(explanation: &mut Explanation, width: u32) -> Result<(), String> {
    let mut before = &explanation.first;
    let mut proofs = Vec::new();
    for step in &explanation.steps {
        proofs.push(equal(before, &step.term, width).map_err(|found| {
            format!("expected {} to lead to an equal term, found {found}", step.rule)
        })?);
        before = &step.term;
    }
    for (step, proof) in explanation.steps.iter_mut().zip(proofs) {
        step.proof = proof;
    }
    Ok(())
}

/// The proof that two terms are equal, if there is one; the difference, if they differ.
fn equal(a: &RecExpr<Node>, b: &RecExpr<Node>, width: u32) -> Result<Option<String>, String> {
    let layout =
        |term: &RecExpr<Node>| AnyLayout::try_from(value(term, &BTreeMap::new(), width)?).ok();
    if let (Some(a), Some(b)) = (layout(a), layout(b)) {
        return match Prover::new(Limits::default()).equal(&a, &b) {
            Ok(Verdict::Proved(tier)) => Ok(Some(tier.to_string())),
            Ok(Verdict::Refuted(witness)) => Err(witness.to_string()),
            _ => Ok(None),
        };
    }
    let mut symbols: BTreeMap<String, (u32, Symbol)> = BTreeMap::new();
    for node in a.iter().chain(b.iter()) {
        if let Node::Symbol(symbol) = node {
            let next = u32::try_from(symbols.len()).unwrap_or(u32::MAX);
            symbols.entry(symbol.name.clone()).or_insert_with(|| (next, symbol.clone()));
        }
    }
    let forms = (form(a, &symbols, width), form(b, &symbols, width));
    if let (Some(a), Some(b)) = forms {
        let extents = |number: u32| {
            let (_, symbol) = symbols.values().find(|(known, _)| *known == number)?;
            symbol.high.checked_sub(symbol.low)?.checked_add(1)
        };
        match a.compare(&b, &extents) {
            Compared::Equal => return Ok(Some("a normal form".to_owned())),
            Compared::Differ { point, left, right } => {
                return Err(format!("{left} and {right} at {point:?}"));
            }
            Compared::Unknown => {}
        }
    }
    match sets::equal(a, b, &symbols, width) {
        Some(Ok(())) => Ok(Some("integer sets".to_owned())),
        Some(Err(point)) => Err(format!("other values where {point}")),
        None => Ok(None),
    }
}

/// A term of index arithmetic as a form of its symbols.
fn form(
    term: &RecExpr<Node>,
    symbols: &BTreeMap<String, (u32, Symbol)>,
    width: u32,
) -> Option<IndexForm> {
    let nodes: &[Node] = term;
    let mut forms: Vec<IndexForm> = Vec::with_capacity(nodes.len());
    for node in nodes {
        forms.push(match node {
            Node::Literal(Value::Int(value)) => IndexForm::constant(*value),
            Node::Symbol(symbol) => {
                let (number, symbol) = symbols.get(&symbol.name)?;
                // A multiple is more than a form knows of a symbol.
                let end = symbol.high.checked_add(1).filter(|_| symbol.multiple <= 1)?;
                IndexForm::symbol(*number, Some(symbol.low), Some(end))?
            }
            Node::Index(op, below) => {
                let operands = below.iter().map(|&id| forms.get(usize::from(id)));
                let operands = operands.collect::<Option<Vec<_>>>()?;
                operation(*op, &operands, width)?
            }
            _ => return None,
        });
    }
    forms.pop()
}

fn operation(op: IndexOp, operands: &[&IndexForm], width: u32) -> Option<IndexForm> {
    if let Some((first, second)) = op.parts() {
        let [x, y, z] = operands else { return None };
        return operation(second, &[&operation(first, &[x, y], width)?, z], width);
    }
    if op == IndexOp::High {
        let [x, y] = operands else { return None };
        return high_word(x, y, width);
    }
    let name = name_of(op)?;
    let [x, y] = operands else { return None };
    wrapped(combined(name, x, y, width)?, width)
}
