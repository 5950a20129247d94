//! The search: budgets, equality saturation, extraction, and the report.

use crate::{
    cost::{self, Cost},
    facts::Evaluation,
    node::{Node, to_expr},
    rules,
};
use egg::{EGraph, Id, Language, Runner, StopReason};
use layout_algebra::{Term, Value};
use std::{collections::BTreeMap, time::Duration};

/// Bounds of a search. Nodes and iterations bound it the same way on every machine; the time is a
/// safety stop, and a report says when it was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// E-nodes at most.
    pub nodes: usize,
    /// Rounds of matching at most.
    pub iterations: usize,
    /// Wall time at most.
    pub time: Duration,
    /// Whether terms that evaluate become their values.
    pub evaluate: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { nodes: 10_000, iterations: 16, time: Duration::from_secs(5), evaluate: true }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The whole term evaluated; there was nothing to search.
    Evaluated,
    /// No rule has anything to add: the result is the cheapest there is.
    Saturated,
    /// The budget of nodes.
    Nodes,
    /// The budget of iterations.
    Iterations,
    /// The time.
    Time,
}

/// What a search did.
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
    /// What the search did.
    pub report: Report,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A rule equated two values: a defect of the table.
    #[error("expected equal values in one class, found {0} and {1}: a rule is wrong")]
    Contradiction(Value, Value),
}

/// The cheapest term that the rules prove equal, within a budget. The same on every run.
///
/// # Errors
///
/// [`Error::Contradiction`], which is a defect of the rules and has no legal cause.
pub fn simplify(term: &Term, budget: &Budget) -> Result<Simplified, Error> {
    let expr = to_expr(term);
    let analysis = Evaluation { fold: budget.evaluate, contradiction: None };
    let mut egraph = EGraph::<Node, Evaluation>::new(analysis);
    let root = egraph.add_expr(&expr);
    egraph.rebuild();
    let before = term_cost(term);
    if budget.evaluate && egraph[root].data.value.is_some() {
        return finish(&egraph, root, Stop::Evaluated, 0, BTreeMap::new(), before);
    }
    let runner = Runner::<Node, Evaluation>::new(egraph.analysis.clone())
        .with_egraph(egraph)
        .with_node_limit(budget.nodes)
        .with_iter_limit(budget.iterations)
        .with_time_limit(budget.time)
        .run(&rules::compiled());
    let stop = match runner.stop_reason {
        Some(StopReason::NodeLimit(_)) => Stop::Nodes,
        Some(StopReason::IterationLimit(_)) => Stop::Iterations,
        Some(StopReason::TimeLimit(_)) => Stop::Time,
        Some(StopReason::Saturated | StopReason::Other(_)) | None => Stop::Saturated,
    };
    let mut applied = BTreeMap::new();
    for iteration in &runner.iterations {
        for (name, count) in &iteration.applied {
            if let Some(rule) = rules::find(name.as_str()) {
                *applied.entry(rule.name).or_default() += count;
            }
        }
    }
    finish(&runner.egraph, root, stop, runner.iterations.len(), applied, before)
}

fn finish(
    egraph: &EGraph<Node, Evaluation>,
    root: Id,
    stop: Stop,
    iterations: usize,
    applied: BTreeMap<&'static str, usize>,
    cost_before: Cost,
) -> Result<Simplified, Error> {
    if let Some((a, b)) = egraph.analysis.contradiction.clone() {
        return Err(Error::Contradiction(a, b));
    }
    let best = cheapest(egraph);
    let term = extract(egraph, &best, root);
    let report = Report {
        stop,
        nodes: egraph.total_number_of_nodes(),
        classes: egraph.number_of_classes(),
        iterations,
        applied,
        cost_before,
        cost_after: term_cost(&term),
    };
    tracing::debug!(?stop, nodes = report.nodes, iterations, "simplified");
    Ok(Simplified { term, report })
}

/// The cheapest node of every class. Equal costs are decided by the nodes' own order, which is the
/// same on every run.
fn cheapest(egraph: &EGraph<Node, Evaluation>) -> BTreeMap<Id, (Cost, Node)> {
    let mut best: BTreeMap<Id, (Cost, Node)> = BTreeMap::new();
    let mut classes: Vec<_> = egraph.classes().collect();
    classes.sort_by_key(|class| class.id);
    loop {
        let mut changed = false;
        for class in &classes {
            for node in &class.nodes {
                let operands: Option<Vec<Cost>> = node
                    .children()
                    .iter()
                    .map(|&child| best.get(&egraph.find(child)).map(|(cost, _)| *cost))
                    .collect();
                let Some(operands) = operands else { continue };
                let node = node.clone().map_children(|child| egraph.find(child));
                let candidate = (cost::of(&node, operands.into_iter()), node);
                if best.get(&class.id).is_none_or(|known| candidate < *known) {
                    best.insert(class.id, candidate);
                    changed = true;
                }
            }
        }
        if !changed {
            return best;
        }
    }
}

fn extract(egraph: &EGraph<Node, Evaluation>, best: &BTreeMap<Id, (Cost, Node)>, id: Id) -> Term {
    // Every class has a node with a finite cost: it was made from a finite term.
    let node = &best[&egraph.find(id)].1;
    let below =
        |children: &[Id]| children.iter().map(|&child| extract(egraph, best, child)).collect();
    match node {
        Node::Literal(value) => Term::Literal(value.clone()),
        Node::Tiler(entries) => Term::Tiler(below(entries)),
        Node::Call(op, args) => Term::Call { op: *op, args: below(args) },
    }
}

/// The cost of a term as it stands.
fn term_cost(term: &Term) -> Cost {
    match term {
        Term::Literal(value) => cost::of(&Node::Literal(value.clone()), std::iter::empty()),
        Term::Tiler(entries) => cost::of(&Node::Tiler(vec![]), entries.iter().map(term_cost)),
        Term::Call { op, args } => cost::of(&Node::Call(*op, vec![]), args.iter().map(term_cost)),
    }
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
    fn a_small_budget_stops_the_search_and_says_so() {
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
