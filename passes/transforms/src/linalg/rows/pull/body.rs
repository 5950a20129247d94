//! Bodies of operations, and numbers from outside of them, as steps of a graph.

use super::{DEPTH, Found, GraphBuilder, identity, is_tensor};
use crate::linalg::{
    Reason,
    rows::{
        coordinate::{CoordId, Coordinate},
        extent::{Extent, integer},
        graph::{Node, Step},
    },
};
use layout_dialect::{
    build::{Val, first_result, operand, result},
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};
use std::collections::HashMap;

/// Types that kernels compute with.
const COMPUTED: [&str; 10] =
    ["i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64"];

/// Types that kernels convert only.
const BYTES: [&str; 2] = ["f8E4M3FN", "f8E5M2"];

/// Types of numbers that a launch passes on.
const ARGUMENT_TYPES: [&str; 7] = ["i32", "i64", "index", "f16", "bf16", "f32", "f64"];

/// Functions that kernels have, of all floats.
const FUNCTIONS: [&str; 35] = [
    "math.absf",
    "math.acos",
    "math.acosh",
    "math.asin",
    "math.asinh",
    "math.atan",
    "math.atan2",
    "math.atanh",
    "math.cbrt",
    "math.ceil",
    "math.copysign",
    "math.cos",
    "math.cosh",
    "math.erf",
    "math.erfc",
    "math.exp",
    "math.exp2",
    "math.expm1",
    "math.floor",
    "math.fma",
    "math.fpowi",
    "math.log",
    "math.log10",
    "math.log1p",
    "math.log2",
    "math.powf",
    "math.round",
    "math.roundeven",
    "math.rsqrt",
    "math.sin",
    "math.sinh",
    "math.sqrt",
    "math.tan",
    "math.tanh",
    "math.trunc",
];

/// Questions about a float.
const CLASSES: [&str; 4] = ["math.isfinite", "math.isinf", "math.isnan", "math.isnormal"];

/// Functions of integers.
const INTEGER_FUNCTIONS: [&str; 4] = ["math.absi", "math.ctlz", "math.ctpop", "math.cttz"];

impl<'c> GraphBuilder<'_, 'c> {
    /// A node as a coordinate.
    pub(super) fn coordinate(&mut self, node: Node) -> CoordId {
        let plain = self.plain(node);
        plain.unwrap_or_else(|| self.graph.coordinates.add(Coordinate::Value(node)))
    }

    /// A node as a coordinate of loops and sizes, by way of integers of 64 bits, too, and where a gather counts negative ones from the end.
    fn plain(&mut self, node: Node) -> Option<CoordId> {
        let (operation, operands) = match &self.graph.steps[node] {
            Step::Coordinate(at) => return Some(*at),
            Step::Copy { operation, operands } => (*operation, operands.clone()),
            _ => return None,
        };
        match (tree::name(operation).as_str(), operands.as_slice()) {
            (_, []) => {
                let known = tree::constant(first_result(operation))?;
                Some(self.graph.coordinates.constant(known))
            }
            ("arith.index_cast", &[own]) => {
                let both = [operand(operation, 0), first_result(operation)];
                let are_wide = both
                    .iter()
                    .all(|one| matches!(one.r#type().to_string().as_str(), "i64" | "index"));
                if are_wide { self.plain(own) } else { None }
            }
            ("arith.select", &[condition, _, own]) => {
                let at = self.plain(own)?;
                let is_kept =
                    self.is_negative(condition, at) && self.graph.coordinates.is_natural(at);
                is_kept.then_some(at)
            }
            _ => None,
        }
    }

    /// Whether a condition is that a coordinate is below 0.
    fn is_negative(&mut self, condition: Node, at: CoordId) -> bool {
        const SIGNED_LESS: i64 = 2;
        let Step::Copy { operation, operands } = &self.graph.steps[condition] else { return false };
        let predicate = operation.attribute("predicate").and_then(IntegerAttribute::try_from);
        if tree::name(*operation) != "arith.cmpi"
            || !predicate.is_ok_and(|own| own.value() == SIGNED_LESS)
        {
            return false;
        }
        let &[own, zero] = operands.as_slice() else { return false };
        let zero = self.plain(zero).and_then(|zero| self.graph.coordinates.known(zero));
        zero == Some(0) && self.plain(own) == Some(at)
    }

    /// The values that a block ends with; what it computes on the way joins what is known.
    pub(super) fn evaluate(
        &mut self,
        block: BlockRef<'c, 'c>,
        known: &mut HashMap<usize, Node>,
        made: OperationRef<'c, 'c>,
        loops: &[CoordId],
    ) -> Found<'c, Vec<Node>> {
        for step in tree::operations(block) {
            let name = tree::name(step);
            let mut operands = Vec::with_capacity(step.operand_count());
            for i in 0..step.operand_count() {
                let value = operand(step, i);
                if is_tensor(value) {
                    continue;
                }
                let node = match known.get(&tree::key(value)) {
                    Some(&node) => node,
                    None => self.capture(value, made)?,
                };
                operands.push(node);
            }
            match name.as_str() {
                "linalg.yield" | "scf.yield" | "tensor.yield" => return Ok(operands),
                // The rest is undefined where it does not hold, as in a program that stops there.
                "cf.assert" => {}
                "linalg.index" => {
                    let d = self.or_left(made, integer(step, "dim"))?;
                    let own = usize::try_from(d).ok().and_then(|d| loops.get(d));
                    let Some(&own) = own else { return self.left(made, "expected a loop") };
                    let node = self.graph.add(Step::Coordinate(own));
                    known.insert(tree::key(first_result(step)), node);
                }
                // A gather of a dynamic tensor wraps negative indices around by its size.
                "tensor.dim" => {
                    let extent = self.or_left(made, Extent::value(first_result(step)))?;
                    if matches!(extent, Extent::Value(_)) {
                        return self.left(made, "expected the size of a dimension that is known");
                    }
                    let at = self.graph.size(&extent);
                    let node = self.graph.add(Step::Coordinate(at));
                    known.insert(tree::key(first_result(step)), node);
                }
                "tensor.extract" => {
                    let at = operands.into_iter().map(|node| self.coordinate(node)).collect();
                    let node = self.pull(operand(step, 0), at)?;
                    known.insert(tree::key(first_result(step)), node);
                }
                "scf.if" => {
                    let mut regions = [Vec::new(), Vec::new()];
                    for (number, values) in regions.iter_mut().enumerate() {
                        let region = step.region(number).ok();
                        let Some(inside) = region.and_then(|region| {
                            let raw = region.first_block()?.to_raw();
                            // SAFETY: the block is owned by the operation's region.
                            Some(unsafe { BlockRef::from_raw(raw) })
                        }) else {
                            continue;
                        };
                        *values = self.evaluate(inside, &mut known.clone(), made, loops)?;
                    }
                    let count = step.result_count();
                    if regions.iter().any(|values| values.len() != count) {
                        return self.left(made, "expected branches with values");
                    }
                    let types = (0..count).map(|i| result(step, i).r#type()).collect();
                    let Some(&condition) = operands.first() else {
                        return self.left(made, "expected a condition");
                    };
                    let branch = self.graph.add(Step::Branch { condition, regions, types });
                    for number in 0..count {
                        let node = self.graph.add(Step::Taken { branch, number });
                        known.insert(tree::key(result(step, number)), node);
                    }
                }
                _ => {
                    self.or_left(made, is_computed(step))?;
                    let node = match self.index(step, &operands) {
                        Some(at) => self.graph.add(Step::Coordinate(at)),
                        None => self.graph.add(Step::Copy { operation: step, operands }),
                    };
                    known.insert(tree::key(first_result(step)), node);
                }
            }
        }
        self.left(made, "expected a body that ends with its values")
    }

    /// A sum or product of coordinates as one coordinate.
    pub(super) fn index(
        &mut self,
        step: OperationRef<'c, 'c>,
        operands: &[Node],
    ) -> Option<CoordId> {
        let &[a, b] = operands else { return None };
        if first_result(step).r#type().to_string() != "index" {
            return None;
        }
        let [a, b] = [a, b].map(|node| self.coordinate(node));
        let is_value = |at: CoordId| matches!(self.graph.coordinates.get(at), Coordinate::Value(_));
        if is_value(a) || is_value(b) {
            return None;
        }
        match tree::name(step).as_str() {
            "arith.addi" => Some(self.graph.coordinates.sum(a, b)),
            "arith.subi" => Some(self.relative_to(a, b)),
            "arith.muli" => Some(self.graph.coordinates.product(a, b)),
            _ => None,
        }
    }

    /// A number from outside of a body.
    pub(super) fn capture(&mut self, value: Val<'c>, by: OperationRef<'c, 'c>) -> Found<'c, Node> {
        let definition = tree::definition(value);
        if let Some(made) = definition {
            let name = tree::name(made);
            let is_inlined = self.inlined.contains(&identity(made)) && self.depth < DEPTH;
            match name.as_str() {
                "arith.constant" => {
                    return Ok(self
                        .graph
                        .add(Step::Copy { operation: made, operands: Vec::new() }));
                }
                "tensor.dim" => {
                    let extent = self.or_left(by, Extent::value(value))?;
                    let at = self.graph.size(&extent);
                    return Ok(self.graph.add(Step::Coordinate(at)));
                }
                "tensor.extract" if is_inlined => {
                    let mut at = Vec::new();
                    for i in 1..made.operand_count() {
                        let node = self.capture(operand(made, i), by)?;
                        at.push(self.coordinate(node));
                    }
                    return self.pull(operand(made, 0), at);
                }
                _ if is_inlined && is_computed(made).is_ok() => {
                    self.depth += 1;
                    let operands: Found<'c, Vec<Node>> = (0..made.operand_count())
                        .map(|i| self.capture(operand(made, i), by))
                        .collect();
                    self.depth -= 1;
                    let operands = operands?;
                    return Ok(self.graph.add(Step::Copy { operation: made, operands }));
                }
                _ => {}
            }
        }
        let of = value.r#type().to_string();
        if !ARGUMENT_TYPES.contains(&of.as_str()) {
            return self.left(by, format!("expected numbers that a launch passes on, found {of}"));
        }
        let number = self.graph.scalar(value);
        Ok(self.graph.add(Step::Scalar(number)))
    }
}

/// Whether kernels have an operation of a body.
fn is_computed(step: OperationRef<'_, '_>) -> Result<(), Reason> {
    let name = tree::name(step);
    let is_one_of = |names: &[&str]| names.contains(&name.as_str());
    let is_known = is_one_of(&FUNCTIONS) || is_one_of(&CLASSES) || is_one_of(&INTEGER_FUNCTIONS);
    if !(name.starts_with("arith.") || is_known)
        || step.result_count() != 1
        || step.region_count() > 0
    {
        return Err(format!(
            "expected a body of arith, and of math that kernels have, found {name}"
        ));
    }
    let operands = (0..step.operand_count()).map(|i| operand(step, i));
    let types: Vec<String> =
        operands.chain([first_result(step)]).map(|value| value.r#type().to_string()).collect();
    // Floats of 8 bits are converted, and by way of f32.
    let is_cast = is_one_of(&["arith.extf", "arith.truncf"]) && !types.contains(&"f64".to_owned());
    for of in types {
        let is_byte = BYTES.contains(&of.as_str());
        if !(COMPUTED.contains(&of.as_str()) || is_cast && is_byte) {
            return Err(format!("expected a body of numbers that kernels compute, found {of}"));
        }
    }
    Ok(())
}
