//! What is known of a class of equal terms, and predicates on it that rules ask for.
//!
//! Facts only grow: a class that has a value keeps it. Two different values in one class mean that
//! a rule is wrong; that is recorded and ends the search with an error.

use crate::node::Node;
use egg::{Analysis, DidMerge, EGraph, Id};
use layout_algebra::{Layout, Term, Value};

/// Facts of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What every term of the class evaluates to, where evaluation succeeds.
    pub value: Option<Value>,
}

/// The analysis: evaluates what can be evaluated.
#[derive(Clone, Debug, Default)]
pub struct Evaluation {
    /// Whether a class with a value also gets that value as a term, so that it may be extracted.
    pub fold: bool,
    /// Two values that one class was given.
    pub contradiction: Option<(Value, Value)>,
}

impl Analysis<Node> for Evaluation {
    type Data = Facts;

    fn make(egraph: &mut EGraph<Node, Self>, node: &Node, _: Id) -> Facts {
        let known = |id: &Id| egraph[*id].data.value.clone().map(Term::Literal);
        let term = match node {
            Node::Literal(value) => return Facts { value: Some(value.clone()) },
            Node::Tiler(entries) => {
                entries.iter().map(known).collect::<Option<_>>().map(Term::Tiler)
            }
            Node::Call(op, args) => args
                .iter()
                .map(known)
                .collect::<Option<_>>()
                .map(|args| Term::Call { op: *op, args }),
        };
        Facts { value: term.and_then(|term| term.eval().ok()) }
    }

    fn merge(&mut self, a: &mut Facts, b: Facts) -> DidMerge {
        match (&a.value, b.value) {
            (Some(old), Some(new)) => {
                if *old != new && self.contradiction.is_none() {
                    self.contradiction = Some((old.clone(), new));
                }
                DidMerge(false, false)
            }
            (None, Some(new)) => {
                a.value = Some(new);
                DidMerge(true, false)
            }
            (Some(_), None) => DidMerge(false, true),
            (None, None) => DidMerge(false, false),
        }
    }

    fn modify(egraph: &mut EGraph<Node, Self>, id: Id) {
        if egraph.analysis.fold
            && let Some(value) = egraph[id].data.value.clone()
        {
            let literal = egraph.add(Node::Literal(value));
            egraph.union(id, literal);
        }
    }
}

/// Modes of extent above 1, sorted by stride.
fn sorted(layout: &Layout) -> Vec<(i64, i64)> {
    let mut modes: Vec<_> = layout
        .flat()
        .into_iter()
        .filter(|&(extent, _)| extent > 1)
        .map(|(extent, stride)| (stride, extent))
        .collect();
    modes.sort_unstable();
    modes
}

/// Each stride, in order of size, is a positive multiple of the extent times the stride before it.
/// A chain is injective.
pub fn is_chain(layout: &Layout) -> bool {
    let mut filled = 1_i64;
    sorted(layout).into_iter().all(|(stride, extent)| {
        let fits = stride > 0 && stride % filled == 0;
        match stride.checked_mul(extent) {
            Some(end) if fits => {
                filled = end;
                true
            }
            _ => false,
        }
    })
}

/// Offsets `0 .. size`, each once.
pub fn is_bijective(layout: &Layout) -> bool {
    let mut filled = 1_i64;
    sorted(layout).into_iter().all(|(stride, extent)| {
        let fits = stride == filled;
        filled = filled.saturating_mul(extent);
        fits
    })
}

/// The least and greatest offset, for indices below the size.
pub fn image(layout: &Layout) -> Option<(i64, i64)> {
    layout.flat().into_iter().try_fold((0_i64, 0_i64), |(low, high), (extent, stride)| {
        let reach = (extent - 1).checked_mul(stride)?;
        Some((low.checked_add(reach.min(0))?, high.checked_add(reach.max(0))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        text.parse().expect("a layout")
    }

    #[test]
    fn chains_and_bijections() {
        assert!(is_chain(&layout("(4,2):(2,16)")) && !is_bijective(&layout("(4,2):(2,16)")));
        assert!(is_bijective(&layout("(4,8):(8,1)")) && is_bijective(&layout("(1,3):(7,1)")));
        assert!(!is_chain(&layout("(2,2):(1,1)")) && !is_chain(&layout("(2,2):(2,3)")));
        assert!(!is_bijective(&layout("(2,2):(1,4)")) && !is_chain(&layout("2:-1")));
    }

    #[test]
    fn images_follow_signs() {
        assert_eq!(image(&layout("(3,2):(-2,5)")), Some((-4, 5)));
    }
}
