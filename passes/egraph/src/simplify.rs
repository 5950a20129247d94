//! Layout terms: from a term to its cheapest equal, and the report.

use crate::{
    cost::{Cost, Model, size},
    extract::CostGraph,
    facts::{Contradiction, LayoutAnalysis},
    node::{Node, to_expr, to_term},
    search::{Budget, Search, Stop},
};
use egg::{EGraph, Id, Language, RecExpr};
use layout_algebra::{Term, Value};
use std::collections::{BTreeMap, HashMap};

/// The report of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Why it ended.
    pub stop: Stop,
    /// E-nodes at the end.
    pub nodes: usize,
    /// Classes at the end.
    pub classes: usize,
    /// Rounds of matching.
    pub iterations: usize,
    /// How often each rule added an equation; rules that added none are left out.
    pub applied: BTreeMap<&'static str, usize>,
    /// Cost of the term that was given.
    pub cost_before: Cost,
    /// Cost of the result.
    pub cost_after: Cost,
}

/// A result and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simplified {
    /// The cheapest equal term that was found.
    pub term: Term,
    /// The report of the search.
    pub report: Report,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Two facts of one class that no value agrees with: a defect of the table, or a symbol of
    /// which something false is stated.
    #[error("expected facts of equal terms that agree, found {} and {}", .0.known, .0.found)]
    Contradiction(Contradiction),
    /// A step of an explanation does not hold when it is replayed: a defect of the table.
    #[error("expected {rule} to lead from {before} to an equal term, found {after}")]
    Step {
        /// The rule.
        rule: String,
        /// The term before.
        before: String,
        /// The term after.
        after: String,
    },
}

/// Bits of an index in layout terms, as in the algebra.
pub(crate) const WIDTH: u32 = 64;

/// The cheapest term that the rules prove equal, within a budget. The same on every run.
///
/// # Errors
///
/// [`Error::Contradiction`], which is a defect of the rules and has no legal cause.
pub fn simplify(term: &Term, budget: &Budget) -> Result<Simplified, Error> {
    let mut egraph =
        EGraph::<Node, LayoutAnalysis>::new(LayoutAnalysis::new(budget.evaluate, WIDTH));
    let (root, before) = add(&mut egraph, term);
    egraph.rebuild();
    let mut search = Search::new(egraph, budget);
    let stop = if budget.evaluate && search.egraph[root].data.value.is_some() {
        Stop::Evaluated
    } else {
        search.run(false).map_err(Error::Contradiction)?
    };
    finish(search, root, stop, before)
}

/// Adds a term, equal literals once; its class, and its cost as written. Works on a list of what is
/// left to do, so that depth is bounded by memory and not by the stack.
fn add(egraph: &mut EGraph<Node, LayoutAnalysis>, term: &Term) -> (Id, Cost) {
    let mut literals: HashMap<&Value, Id> = HashMap::new();
    let mut steps = vec![(term, false)];
    let mut done: Vec<Id> = Vec::new();
    let mut total: Cost = 0;
    while let Some((term, entered)) = steps.pop() {
        let node = match term {
            Term::Literal(value) => {
                total = total.saturating_add(size::literal(value));
                let mut add = || egraph.add(Node::Literal(value.clone()));
                done.push(*literals.entry(value).or_insert_with(&mut add));
                continue;
            }
            Term::Tiler(below) | Term::Call { args: below, .. } if !entered => {
                steps.push((term, true));
                steps.extend(below.iter().rev().map(|below| (below, false)));
                continue;
            }
            Term::Tiler(below) => Node::Tiler(done.split_off(done.len() - below.len())),
            Term::Call { op, args } => Node::Call(*op, done.split_off(done.len() - args.len())),
            Term::Form(never) => match *never {},
        };
        total = total.saturating_add(size::own(&node));
        done.push(egraph.add(node));
    }
    (done.pop().unwrap_or_default(), total)
}

fn finish(
    search: Search<'_>,
    root: Id,
    stop: Stop,
    cost_before: Cost,
) -> Result<Simplified, Error> {
    let egraph = &search.egraph;
    if let Some(contradiction) = egraph.analysis.contradiction.clone() {
        return Err(Error::Contradiction(contradiction));
    }
    let priced = CostGraph::new(egraph, &Model::Size, &[root]);
    let (found, roots) = priced.term(&priced.tree());
    let term = unshared(&found, roots[0]);
    let report = Report {
        stop,
        nodes: egraph.total_number_of_nodes(),
        classes: egraph.number_of_classes(),
        iterations: search.iterations,
        applied: search.applied.clone(),
        cost_before,
        cost_after: term_cost(&to_expr(&term)),
    };
    tracing::debug!(
        ?stop,
        nodes = report.nodes,
        iterations = report.iterations,
        applied = ?report.applied,
        "simplified"
    );
    Ok(Simplified { term, report })
}

/// A term without sharing. Works on a list of what is left to do, so that depth is bounded by memory and
/// not by the stack.
fn unshared(expr: &RecExpr<Node>, root: Id) -> Term {
    let mut steps = vec![(root, false)];
    let mut done: Vec<Term> = Vec::new();
    while let Some((id, entered)) = steps.pop() {
        let node = &expr[id];
        if entered {
            let operands = done.split_off(done.len() - node.children().len());
            // A layout term only grows layout terms.
            done.extend(to_term(node, operands));
        } else {
            steps.push((id, true));
            steps.extend(node.children().iter().rev().map(|&child| (child, false)));
        }
    }
    done.pop().unwrap_or(Term::Tiler(vec![]))
}

/// The cost of a term as written.
fn term_cost(expr: &RecExpr<Node>) -> Cost {
    let nodes: &[Node] = expr;
    nodes.iter().map(size::own).fold(0, Cost::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(text: &str) -> Term {
        Term::parse(text).expect("a term")
    }

    fn unevaluated() -> Budget {
        Budget { evaluate: false, ..Budget::default() }
    }

    #[test]
    fn terms_that_evaluate_become_their_values() {
        let simplified = simplify(&term("zipped_divide((8,8):(8,1), (4,2))"), &Budget::default());
        let simplified = simplified.expect("consistent");
        assert_eq!(simplified.term.to_string(), "((4,2),(2,4)):((8,1),(32,2))");
        assert_eq!(simplified.report.stop, Stop::Evaluated);
    }

    #[test]
    fn rules_alone_shorten_terms() {
        let simplified =
            simplify(&term("coalesce(flatten(coalesce((2,3):(3,1))))"), &unevaluated());
        let simplified = simplified.expect("consistent");
        assert_eq!(simplified.term.to_string(), "coalesce((2,3):(3,1))");
        assert_eq!(simplified.report.stop, Stop::Saturated);
        assert!(simplified.report.applied.contains_key("coalesce-idempotent"));
    }

    #[test]
    fn what_has_no_value_keeps_its_parts_simple() {
        // No layout is this composition; its operand is simplified all the same.
        let simplified =
            simplify(&term("composition((6,2):(1,7), coalesce((3,2):(2,3)))"), &Budget::default());
        let simplified = simplified.expect("consistent");
        assert_eq!(simplified.term.to_string(), "composition((6,2):(1,7), (3,2):(2,3))");
    }

    #[test]
    fn a_chain_of_a_thousand_compositions_is_folded() {
        let mut chain = term("1024:1");
        for _ in 0..1000 {
            chain = Term::Call {
                op: layout_algebra::Op::Composition,
                args: vec![chain, term("(32,32):(32,1)")],
            };
        }
        let simplified = simplify(&chain, &Budget::default()).expect("consistent");
        assert_eq!(simplified.report.stop, Stop::Evaluated);
        assert!(simplified.report.nodes < 3000, "{}", simplified.report.nodes);
    }

    #[test]
    fn a_small_budget_stops_the_search_with_a_reason() {
        let text = "composition(composition((4,8):(8,1), (8,4):(4,1)), coalesce((4,8):(8,1)))";
        let nodes = Budget { nodes: 4, ..unevaluated() };
        let stopped = simplify(&term(text), &nodes).expect("consistent");
        assert_eq!(stopped.report.stop, Stop::Nodes);
        let iterations = Budget { iterations: 1, ..unevaluated() };
        let simplified = simplify(&term(text), &iterations).expect("consistent");
        assert_eq!(simplified.report.stop, Stop::Iterations);
        assert!(simplified.report.cost_after <= simplified.report.cost_before);
    }
}
