//! The e-graph's explanation of a term without evaluating it: the chain of equations to a shorter
//! one, each step replayed and, where layouts can be compared, proved by `layout-relation`.

use layout_algebra::Term;
use layout_egraph::{Budget, Explanation, Settings, cost::Model, explain, node::to_expr};

/// E-nodes of the search; the chain is for reading.
const NODES: usize = 1000;

/// Bits of an index in the algebra.
const WIDTH: u32 = 64;

/// The most iterations of the search.
const MAX_ITERATIONS: usize = 6;

/// The chain of a term that the rules shorten, a line each; nothing for another.
pub(super) fn of(term: &Term) -> Vec<String> {
    let budget =
        Budget { evaluate: false, nodes: NODES, iterations: MAX_ITERATIONS, ..Budget::default() };
    let settings = Settings { budget, ..Settings::new(Model::Size, WIDTH) };
    match explain(&to_expr(term), &settings) {
        Ok(explanation) if explanation.steps.is_empty() => Vec::new(),
        Ok(explanation) => {
            let lines = proved(explanation).to_string();
            lines.lines().map(|line| line.strip_prefix("  ").unwrap_or(line).to_owned()).collect()
        }
        Err(error) => vec![error.to_string()],
    }
}

/// With what proves each step, if something does.
#[cfg(feature = "relation")]
fn proved(mut explanation: Explanation) -> Explanation {
    use layout_algebra::AnyLayout;
    use layout_relation::{Limits, Prover, Verdict};
    use std::collections::BTreeMap;

    let layout = |term: &layout_egraph::RecExpr<_>| {
        AnyLayout::try_from(layout_egraph::value(term, &BTreeMap::new(), WIDTH)?).ok()
    };
    let prover = Prover::new(Limits::default());
    let mut before = layout(&explanation.first);
    for step in &mut explanation.steps {
        let after = layout(&step.term);
        if let (Some(a), Some(b)) = (&before, &after)
            && let Ok(Verdict::Proved(tier)) = prover.equal(a, b)
        {
            step.proof = Some(tier.to_string());
        }
        before = after;
    }
    explanation
}

#[cfg(not(feature = "relation"))]
fn proved(explanation: Explanation) -> Explanation {
    explanation
}
