//! Whether two nodes of the graph are one function, where a loop of one is a loop of the other.

use super::{
    super::{
        coordinate::{CoordId, Coordinate},
        graph::{Node, Stage, Step},
    },
    structure::Reader,
};
use std::collections::HashSet;

/// Compares nodes where loops of one are those of the other.
pub(super) struct Comparison<'r, 'g, 'c> {
    reader: &'r Reader<'g, 'c>,
    loops: Vec<(usize, usize)>,
    known: HashSet<(Node, Node)>,
}

impl<'r, 'g, 'c> Comparison<'r, 'g, 'c> {
    /// A comparison of nodes of which one has the first loop where the other has the second.
    pub(super) fn of(reader: &'r Reader<'g, 'c>, loops: (usize, usize)) -> Self {
        Self { reader, loops: vec![loops], known: HashSet::new() }
    }

    /// Whether two nodes are the same.
    pub(super) fn nodes(&mut self, a: Node, b: Node) -> bool {
        if self.known.contains(&(a, b)) {
            return true;
        }
        let graph = self.reader.graph;
        let is_same = match (&graph.steps[a], &graph.steps[b]) {
            (Step::Load { tensor: x, at: i }, Step::Load { tensor: y, at: j }) => {
                x == y
                    && i.len() == j.len()
                    && i.iter().zip(j).all(|(i, j)| self.coordinates(*i, *j))
            }
            (
                Step::Copy { operation: x, operands: i },
                Step::Copy { operation: y, operands: j },
            ) => {
                let is_one = x == y || self.is_one_number(a, b);
                is_one && i.len() == j.len() && i.iter().zip(j).all(|(i, j)| self.nodes(*i, *j))
            }
            (Step::Constant { value: x, of: i }, Step::Constant { value: y, of: j }) => {
                x == y && i == j
            }
            (Step::Scalar(x), Step::Scalar(y)) => x == y,
            (Step::Coordinate(x), Step::Coordinate(y)) => self.coordinates(*x, *y),
            (Step::Within(x, i), Step::Within(y, j)) => {
                self.coordinates(*x, *y) && self.coordinates(*i, *j)
            }
            (Step::Both(x, i), Step::Both(y, j)) => self.nodes(*x, *y) && self.nodes(*i, *j),
            (Step::Boolean(x), Step::Boolean(y)) | (Step::Byte(x), Step::Byte(y)) => {
                self.nodes(*x, *y)
            }
            (
                Step::Branch { condition: x, regions: i, .. },
                Step::Branch { condition: y, regions: j, .. },
            ) => {
                self.nodes(*x, *y)
                    && i.iter().flatten().count() == j.iter().flatten().count()
                    && i.iter().flatten().zip(j.iter().flatten()).all(|(x, y)| self.nodes(*x, *y))
            }
            (Step::Taken { branch: x, number: i }, Step::Taken { branch: y, number: j }) => {
                i == j && self.nodes(*x, *y)
            }
            (Step::Reduced { stage: x, number: i }, Step::Reduced { stage: y, number: j }) => {
                i == j && (x == y || self.stages(*x, *y))
            }
            _ => false,
        };
        if is_same {
            self.known.insert((a, b));
        }
        is_same
    }

    fn is_one_number(&self, a: Node, b: Node) -> bool {
        let [a, b] = [a, b].map(|node| self.reader.attribute(node));
        a.is_some() && a == b
    }

    fn stages(&mut self, a: usize, b: usize) -> bool {
        let graph = self.reader.graph;
        let (Some(a), Some(b)) = (&graph.stages[a], &graph.stages[b]) else { return false };
        let sizes = |stage: &Stage<'_>| -> Vec<CoordId> {
            stage.loops.iter().map(|&number| graph.loops[number]).collect()
        };
        if sizes(a) != sizes(b) || a.results.len() != b.results.len() {
            return false;
        }
        let before = self.loops.len();
        self.loops.extend(a.loops.iter().copied().zip(b.loops.iter().copied()));
        let is_same = a.results.iter().zip(&b.results).all(|(x, y)| {
            let (Some(i), Some(j)) = (x.combined, y.combined) else { return false };
            i.kind == j.kind && self.nodes(x.initial, y.initial) && self.nodes(i.with, j.with)
        });
        self.loops.truncate(before);
        is_same
    }

    fn coordinates(&mut self, a: CoordId, b: CoordId) -> bool {
        let reader = self.reader;
        let all = &reader.graph.coordinates;
        match (all.get(a), all.get(b)) {
            (Coordinate::Loop(x), Coordinate::Loop(y)) => {
                match self.loops.iter().find(|(own, _)| own == x) {
                    Some((_, other)) => other == y,
                    None => x == y && self.loops.iter().all(|(_, other)| other != y),
                }
            }
            (Coordinate::Sum(x, i), Coordinate::Sum(y, j))
            | (Coordinate::Product(x, i), Coordinate::Product(y, j))
            | (Coordinate::Quotient(x, i), Coordinate::Quotient(y, j))
            | (Coordinate::Remainder(x, i), Coordinate::Remainder(y, j)) => {
                self.coordinates(*x, *y) && self.coordinates(*i, *j)
            }
            (Coordinate::Linear(x), Coordinate::Linear(y)) => {
                x.len() == y.len()
                    && x.iter().zip(y).all(|((x, i), (y, j))| self.coordinates(*x, *y) && i == j)
            }
            (Coordinate::Value(x), Coordinate::Value(y)) => self.nodes(*x, *y),
            (x, y) => x == y,
        }
    }
}
