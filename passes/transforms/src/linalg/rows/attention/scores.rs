//! Functions of a graph as arithmetic on values: from an accumulator of Q K^T to a score, and from the sum of weights
//! to their divisor.

use super::super::{
    coordinate::{CoordId, Coordinate},
    graph::{Graph, Node, Step},
    kernel::boolean,
};
use layout_dialect::{
    build::{Builder, Val, first_result},
    tree,
};
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;

type Built<T> = Result<T, melior::Error>;

/// `arith.cmpi ult`.
const UNSIGNED_LESS: i64 = 6;

/// The terms of a computed function.
pub(super) struct Scores<'s, 'c> {
    pub(super) b: Builder<'c>,
    pub(super) graph: &'s Graph<'c>,
    /// The variables of loops.
    pub(super) loops: HashMap<usize, Val<'c>>,
    /// Elements that are read.
    pub(super) elements: HashMap<Node, Val<'c>>,
    /// The results of reductions.
    pub(super) reduced: HashMap<usize, Val<'c>>,
    pub(super) scalars: &'s [Val<'c>],
    pub(super) sizes: &'s [Val<'c>],
    pub(super) known: HashMap<Node, Val<'c>>,
}

impl<'c> Scores<'_, 'c> {
    /// The value of a node.
    pub(super) fn value(&mut self, node: Node) -> Built<Val<'c>> {
        if let Some(&known) = self.known.get(&node) {
            return Ok(known);
        }
        let missing = melior::Error::OperationBuild;
        let graph = self.graph;
        let value = match &graph.steps[node] {
            Step::Load { .. } => *self.elements.get(&node).ok_or(missing)?,
            Step::Copy { operation, operands } => {
                let operands = operands.iter().map(|&operand| self.value(operand));
                let operands = operands.collect::<Built<Vec<_>>>()?;
                first_result(tree::clone_with(&self.b, *operation, &operands))
            }
            Step::Constant { value, of } => {
                self.b.value("arith.constant", &[], *of, &[("value", *value)])?
            }
            Step::Scalar(number) => *self.scalars.get(*number).ok_or(missing)?,
            Step::Coordinate(at) => self.coordinate(*at)?,
            Step::Within(at, size) => {
                let (at, size) = (self.coordinate(*at)?, self.coordinate(*size)?);
                let attributes = [("predicate", self.b.i64_attribute(UNSIGNED_LESS))];
                self.b.value("arith.cmpi", &[at, size], self.b.integer(1), &attributes)?
            }
            Step::Both(x, y) => {
                let (x, y) = (self.value(*x)?, self.value(*y)?);
                self.b.binary("arith.andi", x, y)?
            }
            Step::Boolean(own) => {
                let byte = self.value(*own)?;
                boolean(&self.b, byte)?
            }
            Step::Taken { branch, number } => {
                let Step::Branch { condition, regions, .. } = &graph.steps[*branch] else {
                    return Err(missing);
                };
                let condition = self.value(*condition)?;
                let [Some(&yes), Some(&no)] =
                    [&regions[0], &regions[1]].map(|own| own.get(*number))
                else {
                    return Err(missing);
                };
                let (yes, no) = (self.value(yes)?, self.value(no)?);
                self.b.value("arith.select", &[condition, yes, no], yes.r#type(), &[])?
            }
            Step::Reduced { stage, .. } => *self.reduced.get(stage).ok_or(missing)?,
            Step::Branch { .. } | Step::Held { .. } | Step::Byte(_) => return Err(missing),
            // Only sums that are computed have these.
            Step::Float { .. } | Step::Wide { .. } => return Err(missing),
        };
        self.known.insert(node, value);
        Ok(value)
    }

    fn coordinate(&mut self, at: CoordId) -> Built<Val<'c>> {
        let missing = melior::Error::OperationBuild;
        let index = Type::index(self.b.context());
        let graph = self.graph;
        let two = |name: &str, this: &mut Self, a: CoordId, b: CoordId| {
            let (a, b) = (this.coordinate(a)?, this.coordinate(b)?);
            this.b.binary(name, a, b)
        };
        match graph.coordinates.get(at) {
            Coordinate::Known(known) => self.b.constant(index, *known),
            Coordinate::Loop(number) => self.loops.get(number).copied().ok_or(missing),
            Coordinate::Size(number) => self.sizes.get(*number).copied().ok_or(missing),
            Coordinate::Sum(a, b) => two("arith.addi", self, *a, *b),
            Coordinate::Product(a, b) => two("arith.muli", self, *a, *b),
            Coordinate::Quotient(a, b) => two("arith.divui", self, *a, *b),
            Coordinate::Remainder(a, b) => two("arith.remui", self, *a, *b),
            Coordinate::Linear(digits) => {
                let mut total = self.b.constant(index, 0)?;
                for (digit, size) in digits {
                    let (digit, size) = (self.coordinate(*digit)?, self.coordinate(*size)?);
                    let above = self.b.binary("arith.muli", total, size)?;
                    total = self.b.binary("arith.addi", above, digit)?;
                }
                Ok(total)
            }
            Coordinate::Value(node) => {
                let value = self.value(*node)?;
                match value.r#type() == index {
                    true => Ok(value),
                    false => self.b.value("arith.index_cast", &[value], index, &[]),
                }
            }
        }
    }
}
