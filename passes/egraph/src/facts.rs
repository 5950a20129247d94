//! The facts of a class of equal terms.
//!
//! Facts only grow: a fact about one term of a class holds for all. Two facts that no value satisfies show that a
//! rule or the stated facts of a symbol are wrong; this is recorded and ends the search with an error, never with a
//! panic.

pub mod layout;
pub mod number;
pub mod source;

pub use layout::{Shape, image, is_bijective, is_chain};
pub use number::Number;

use crate::{index::wrap, node::Node, symbol::Uniform};
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use layout_algebra::{Op, Value};

/// How often the facts of one class may grow. Intervals of classes that contain each other could
/// creep towards each other one by one; further growth is dropped, which only says less.
const GROWTH_LIMIT: u8 = 24;

/// Facts of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The value of every term of the class, where evaluation succeeds.
    pub value: Option<Value>,
    /// The facts of an index.
    pub number: Option<Number>,
    /// The facts of a layout that may have no value.
    pub shape: Shape,
    /// The threads that see the same value.
    pub uniform: Uniform,
    /// The number of loops that it changes in, at most.
    pub depth: u32,
    /// How often it has grown.
    growth: u8,
}

impl Facts {
    /// Facts of a value, at a width of indices.
    pub fn of_value(value: Value, width: u32) -> Self {
        let number = match &value {
            Value::Int(value) if wrap(*value, width) == *value => {
                Some(Number::constant(*value, width))
            }
            _ => None,
        };
        let shape = Shape::of_value(&value);
        Self { value: Some(value), number, shape, uniform: Uniform::Block, depth: 0, growth: 0 }
    }

    /// Facts of an index.
    pub fn of_number(number: Number) -> Self {
        match number.value() {
            Some(value) => Self::of_value(Value::Int(value), number.width),
            None => Self {
                value: None,
                number: Some(number),
                shape: Shape::default(),
                uniform: Uniform::Thread,
                depth: 0,
                growth: 0,
            },
        }
    }
}

/// Two facts of one class that no value agrees with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The fact before the merge.
    pub known: String,
    /// The fact that contradicts it.
    pub found: String,
}

/// The analysis: the facts of each class.
#[derive(Clone, Debug)]
pub struct LayoutAnalysis {
    /// Whether a class with a value also gets that value as a term, so that it may be extracted.
    pub fold: bool,
    /// Bits of an index.
    pub width: u32,
    /// The first contradiction.
    pub contradiction: Option<Contradiction>,
}

impl LayoutAnalysis {
    /// An analysis of indices of a width.
    pub fn new(fold: bool, width: u32) -> Self {
        Self { fold, width, contradiction: None }
    }

    fn contradicts(&mut self, known: String, found: String) {
        if self.contradiction.is_none() {
            self.contradiction = Some(Contradiction { known, found });
        }
    }
}

/// The name under which evaluation is in explanations.
pub const EVALUATE: &str = "evaluate";

impl Analysis<Node> for LayoutAnalysis {
    type Data = Facts;

    fn make(egraph: &mut EGraph<Node, Self>, node: &Node, _: Id) -> Facts {
        let width = egraph.analysis.width;
        let below: Vec<&Facts> = node.children().iter().map(|&id| &egraph[id].data).collect();
        let facts = of_node(node, &below, width);
        match facts {
            Ok(facts) => facts,
            Err((known, found)) => {
                egraph.analysis.contradicts(known, found);
                Facts::of_number(Number::any(width))
            }
        }
    }

    fn merge(&mut self, a: &mut Facts, b: Facts) -> DidMerge {
        let before = a.clone();
        match (&a.value, &b.value) {
            (Some(old), Some(new)) if old != new => {
                self.contradicts(old.to_string(), new.to_string());
            }
            (None, Some(_)) => a.value.clone_from(&b.value),
            _ => {}
        }
        a.number = match (a.number, b.number) {
            (Some(x), Some(y)) => {
                let both = x.meet(&y);
                if both.is_none() {
                    let text = |n: &Number| format!("an index in [{}, {}]", n.low, n.high);
                    self.contradicts(text(&x), text(&y));
                }
                Some(both.unwrap_or(x))
            }
            (x, y) => x.or(y),
        };
        match a.shape.meet(&b.shape) {
            Some(shape) => a.shape = shape,
            None => self.contradicts(format!("{:?}", a.shape), format!("{:?}", b.shape)),
        }
        a.uniform = a.uniform.max(b.uniform);
        a.depth = a.depth.min(b.depth);
        a.growth = before.growth.max(b.growth);
        let same = |x: &Facts, y: &Facts| {
            x.value == y.value
                && x.number == y.number
                && x.shape == y.shape
                && x.uniform == y.uniform
                && x.depth == y.depth
        };
        let (grown, other) = (!same(a, &before), !same(a, &b));
        if grown {
            if a.growth >= GROWTH_LIMIT && a.value == before.value {
                let growth = a.growth;
                *a = Facts { growth, ..before };
                return DidMerge(false, true);
            }
            a.growth = a.growth.saturating_add(1);
        }
        DidMerge(grown, other)
    }

    fn modify(egraph: &mut EGraph<Node, Self>, id: Id) {
        if !egraph.analysis.fold {
            return;
        }
        let facts = &egraph[id].data;
        let only = || facts.number.and_then(|number| number.value()).map(Value::Int);
        if let Some(value) = facts.value.clone().or_else(only) {
            let is_index = matches!(value, Value::Int(_));
            let literal = egraph.add(Node::Literal(value));
            egraph.union_trusted(id, literal, EVALUATE);
            // No index is cheaper than a literal. Without this, 0 would be the product of every
            // term with 0, and each rule on sums of products would try them all.
            if is_index {
                egraph[id].nodes.retain(Language::is_leaf);
            }
        }
    }
}

/// Facts of a node from those of its operands. An error holds what a symbol states and what cannot
/// be.
fn of_node(node: &Node, below: &[&Facts], width: u32) -> Result<Facts, (String, String)> {
    let values: Option<Vec<Value>> = below.iter().map(|facts| facts.value.clone()).collect();
    let uniform = below.iter().map(|facts| facts.uniform).min().unwrap_or(Uniform::Block);
    let depth = below.iter().map(|facts| facts.depth).max().unwrap_or(0);
    if let Some(value) = values.and_then(|values| node.value(&values, width)) {
        return Ok(Facts::of_value(value, width));
    }
    let unknown =
        Facts { value: None, number: None, shape: Shape::default(), uniform, depth, growth: 0 };
    Ok(match node {
        Node::Symbol(symbol) => {
            let number = Number::between(symbol.low, symbol.high, symbol.multiple, width);
            let number = number.ok_or_else(|| {
                let multiple = symbol.multiple;
                (format!("the symbol {symbol}"), format!("no multiple of {multiple} in its bounds"))
            })?;
            let (uniform, depth) = (symbol.uniform, symbol.depth);
            Facts { number: Some(number), uniform, depth, ..unknown }
        }
        Node::Index(op, _) => {
            let numbers: Option<Vec<Number>> = below.iter().map(|facts| facts.number).collect();
            let number = match numbers {
                Some(numbers) => Number::of(*op, &numbers, width),
                None => Number::any(width),
            };
            Facts { number: Some(number), ..unknown }
        }
        Node::Call(Op::Crd2Idx, _) => {
            let number = layout::applied(below, width).unwrap_or(Number::any(width));
            Facts { number: Some(number), ..unknown }
        }
        Node::Swizzle(_) => {
            let number = layout::swizzled(below).unwrap_or(Number::any(width));
            Facts { number: Some(number), ..unknown }
        }
        Node::Call(op, _) => Facts { shape: Shape::of_call(*op, below), ..unknown },
        Node::Literal(_) | Node::Tiler(_) | Node::Tuple(_) | Node::Layout(_) => unknown,
    })
}
