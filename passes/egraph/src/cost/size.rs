//! The meaning of "cheapest" for terms: the fewest operations, then the smallest literals.
//!
//! A call costs more than any literal of a size that occurs, since a literal needs no evaluation:
//! a term that evaluates becomes its value. Among terms that do not, fewer calls win, then fewer
//! integers.

use super::Cost;
use crate::node::Node;
use layout_algebra::{Coord, Layout, Stride, TilerOf, Value};

/// The cost of a call itself.
const CALL: u64 = 1 << 20;

/// The cost of a node itself.
pub fn own(node: &Node) -> Cost {
    match node {
        Node::Literal(value) => literal(value),
        Node::Symbol(_) | Node::Tiler(_) | Node::Tuple(_) => 1,
        Node::Call(..) | Node::Index(..) | Node::Layout(_) | Node::Swizzle(_) => CALL,
    }
}

/// The cost of a node whose operands have the given costs.
pub fn of(node: &Node, operands: impl Iterator<Item = Cost>) -> Cost {
    operands.fold(own(node), Cost::saturating_add)
}

/// Integers that are written.
pub fn literal(value: &Value) -> Cost {
    let count = match value {
        Value::Int(_) | Value::Bool(_) => 1,
        Value::List(values) => return values.iter().map(literal).fold(0, Cost::saturating_add),
        Value::Tuple(tuple) => tuple.leaves().len(),
        Value::Coord(coord) => coordinates(coord),
        Value::Layout(layout) => 2 * layout.flat().len(),
        Value::Basis(layout) => 2 * layout.shape().leaf_count(),
        Value::Steps(stride) => stride.leaf_count(),
        Value::Linear(layout) => {
            let bases = layout.bases().into_iter().flat_map(|(_, bases)| bases);
            bases.map(|basis| basis.len()).sum::<usize>() + layout.out_names().len()
        }
        Value::Composed(composed) => 4 + 2 * composed.inner.flat().len(),
        Value::ComposedBasis(composed) => {
            1 + 2 * (composed.outer.shape().leaf_count() + composed.inner.inner().flat().len())
        }
        Value::Swizzle(_) => 3,
        Value::Tiler(tiler) => tilers(tiler),
        Value::CoordinateTiler(tiler) => tilers(tiler),
    };
    Cost::try_from(count).unwrap_or(Cost::MAX)
}

fn coordinates(coord: &Coord) -> usize {
    match coord {
        Coord::At(_) | Coord::Any => 1,
        Coord::Tuple(entries) => entries.iter().map(coordinates).sum(),
    }
}

fn tilers<S: Stride<i64>>(tiler: &TilerOf<Layout<i64, S>>) -> usize {
    match tiler {
        TilerOf::Layout(layout) => 2 * layout.shape().leaf_count(),
        TilerOf::Tuple(entries) => 1 + entries.iter().map(tilers).sum::<usize>(),
        TilerOf::Any => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout_algebra::{Op, Term};

    fn value(text: &str) -> Value {
        Term::parse(text).and_then(|term| term.eval()).expect("a value")
    }

    #[test]
    fn a_literal_is_cheaper_than_a_call() {
        let large = literal(&value("((2,2,2),(2,2,2)):((1,2,4),(8,16,32))"));
        assert!(large < of(&Node::Call(Op::Coalesce, vec![]), std::iter::once(2)));
    }

    #[test]
    fn costs_grow_with_operands() {
        let call = Node::Call(Op::Composition, vec![]);
        assert!(of(&call, [2, 2].into_iter()) < of(&call, [2, 4].into_iter()));
        assert_eq!(of(&call, [Cost::MAX, 1].into_iter()), Cost::MAX);
    }

    #[test]
    fn literals_cost_what_they_write() {
        assert_eq!(literal(&value("(4,8):(8,1)")), 4);
        assert_eq!(literal(&value("S<3,4,3> o 0 o 8:1")), 6);
        assert_eq!(literal(&value("<2:1, _>")), 4);
    }
}
