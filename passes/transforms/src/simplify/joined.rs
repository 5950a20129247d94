//! Layouts that operations apply one after the other, as one: `layout.crd2idx` of what another one or a
//! `layout.idx2crd` made, in sums and products of indices.
//!
//! The term of such an operation, of layouts applied to indices, is given to the e-graph before a lowering
//! makes arithmetic of it, so that what composition makes of two layouts pays off in the address. A cheaper
//! term comes back as layouts applied to indices and arithmetic, and is where the operation was.

use super::{
    arithmetic::Outcome,
    explain,
    leaves::{Leaves, integer},
    operations::emit,
};
use layout_algebra::{AnyLayout, Layout, Op, Tuple, Value};
use layout_dialect::{
    LayoutType, ViewType,
    build::{Builder, Val, operand, result},
    coordinate::Pattern,
    diagnostics, ops, tree,
};
use layout_egraph::{Id, RecExpr, Settings, index::IndexOp, node::Node, optimise, part};
use melior::ir::{Attribute, OperationRef, Type, TypeLike, ValueLike, operation::OperationLike};
use std::collections::BTreeMap;

/// Operations after one another that a term follows.
const DEPTH: usize = 32;

/// The most modes of a coordinate layout that a term takes apart.
const MAX_MODES: usize = 16;

/// Rewrites what applies layouts to what layouts made: how many operations, and what the searches did.
///
/// # Errors
///
/// The error of a search for a rule that is wrong, or for bounds that contradict each other.
pub(super) fn run(
    function: OperationRef<'_, '_>,
    settings: &Settings,
    explains: bool,
) -> Result<Outcome, String> {
    let applied = |operation: &OperationRef<'_, '_>| tree::name(*operation) == "layout.crd2idx";
    let operations: Vec<_> = tree::all(function).into_iter().filter(applied).collect();
    let mut outcome = Outcome::default();
    // The last first: what others are made from goes with them.
    for &operation in operations.iter().rev() {
        if tree::user(operation).is_none() {
            continue;
        }
        let mut terms = Terms::new(function);
        let Some(root) = terms.applied(operation, 0) else { continue };
        if terms.layouts < 2 {
            continue;
        }
        let budget = outcome.tally.left(&settings.budget);
        let settings = &Settings { budget, ..*settings };
        let found = optimise(&terms.expr, &[root], settings).map_err(|error| error.to_string())?;
        outcome.tally.part(&found.summary);
        if found.summary.cost_after >= found.summary.cost_before {
            continue;
        }
        let [root] = found.roots[..] else { continue };
        let Some(value) = terms.emit(operation, &found.expr, root).map_err(|e| e.to_string())?
        else {
            continue;
        };
        if explains {
            let from = part(&terms.expr, (terms.expr.len() - 1).into());
            let text = explain::chain(&from, &part(&found.expr, root), settings)?;
            diagnostics::remark(operation, &format!("layout-simplify:\n{text}"));
        }
        tree::replace_uses(result(operation, 0), value);
        outcome.rewritten += 1;
    }
    if outcome.rewritten > 0 {
        sweep(function);
    }
    Ok(outcome)
}

/// Erases layouts that nothing applies any more, and what was applied, users first.
fn sweep(function: OperationRef<'_, '_>) {
    const OPERATIONS: [&str; 5] =
        ["layout.crd2idx", "layout.idx2crd", "layout.constant", "arith.addi", "arith.muli"];
    for operation in tree::all(function).into_iter().rev() {
        let is_dead =
            || (0..operation.result_count()).all(|i| !tree::is_used(result(operation, i)));
        if OPERATIONS.contains(&tree::name(operation).as_str()) && is_dead() {
            tree::erase(operation);
        }
    }
}

/// A term of layouts applied to indices, and the values of its leaves.
struct Terms<'c> {
    leaves: Leaves<'c>,
    expr: RecExpr<Node>,
    places: BTreeMap<usize, Id>,
    values: BTreeMap<String, Val<'c>>,
    /// Operations that apply layouts.
    layouts: usize,
    /// Whether digits are taken of an index that may be 2^31 or more. `layout.idx2crd` has them of any index;
    /// `layout.crd2idx` has a coordinate of its layout, and a lowering computes in as few bits as that needs.
    past_the_end: bool,
}

impl<'c> Terms<'c> {
    fn new(function: OperationRef<'c, '_>) -> Self {
        Self {
            leaves: Leaves::new(function),
            expr: RecExpr::default(),
            places: BTreeMap::new(),
            values: BTreeMap::new(),
            layouts: 0,
            past_the_end: false,
        }
    }

    fn literal(&mut self, value: Value) -> Id {
        self.expr.add(Node::Literal(value))
    }

    /// The place of a value in the term.
    fn value(&mut self, value: Val<'c>, depth: usize) -> Id {
        let key = tree::key(value);
        if let Some(&id) = self.places.get(&key) {
            return id;
        }
        let made = tree::definition(value).filter(|_| depth < DEPTH);
        let id = made.and_then(|made| self.operation(made, value, depth + 1));
        let id = id.unwrap_or_else(|| {
            let mut symbol = self.leaves.symbol(value, 64);
            symbol.name = format!("v{}", self.values.len());
            self.values.insert(symbol.name.clone(), value);
            self.expr.add(Node::Symbol(symbol))
        });
        self.places.insert(key, id);
        id
    }

    /// The term of an operation's result, where it has one.
    fn operation(
        &mut self,
        operation: OperationRef<'c, 'c>,
        value: Val<'c>,
        depth: usize,
    ) -> Option<Id> {
        if !value.r#type().is_index() {
            return None;
        }
        let op = match tree::name(operation).as_str() {
            "arith.constant" => {
                let value = integer(operation, "value")?;
                return Some(self.literal(Value::Int(value)));
            }
            "layout.crd2idx" => return self.applied(operation, depth),
            "layout.idx2crd" => return self.digit(operation, value, depth),
            "arith.addi" => IndexOp::Add,
            "arith.muli" => IndexOp::Mul,
            _ => return None,
        };
        let below = [0, 1].map(|i| self.value(operand(operation, i), depth));
        Some(self.expr.add(Node::Index(op, below.to_vec())))
    }

    /// A digit of an index in a shape: the layout of that shape with a stride of 1 in its mode.
    fn digit(
        &mut self,
        operation: OperationRef<'c, 'c>,
        value: Val<'c>,
        depth: usize,
    ) -> Option<Id> {
        operation.attribute("shape").ok()?;
        let extents = ops::idx2crd_extents(operation).ok()?;
        let mode = (0..operation.result_count())
            .position(|i| tree::key(result(operation, i)) == tree::key(value))?;
        let leaves = |of: &dyn Fn(usize) -> i64| match extents.len() {
            1 => Tuple::Leaf(of(0)),
            count => Tuple::Node((0..count).map(|i| Tuple::Leaf(of(i))).collect()),
        };
        let strides = leaves(&|i| i64::from(i == mode));
        let layout = Layout::new(leaves(&|i| extents[i]), strides).ok()?;
        self.layouts += 1;
        let index = operand(operation, 0);
        let most = self.leaves.symbol(index, 64).high;
        self.past_the_end |= most > i64::from(i32::MAX);
        let index = self.value(index, depth);
        Some(self.apply(index, layout))
    }

    fn apply(&mut self, coordinate: Id, layout: Layout) -> Id {
        let layout = self.literal(Value::Layout(layout));
        self.expr.add(Node::Call(Op::Crd2Idx, vec![coordinate, layout]))
    }

    /// The offset of a coordinate in a plain layout that is known: of one index, of two as a pair, and of
    /// more as the sum of their offsets.
    fn applied(&mut self, operation: OperationRef<'c, 'c>, depth: usize) -> Option<Id> {
        let source = operand(operation, 0).r#type();
        let layout = match ViewType::try_from(source) {
            Ok(view) => view.layout(),
            Err(_) => LayoutType::try_from(source).ok()?.layout(),
        };
        let Ok(AnyLayout::Plain(layout)) = layout else { return None };
        let indices = (1..operation.operand_count()).map(|i| operand(operation, i));
        let indices: Vec<Val<'c>> = indices.collect();
        if indices.iter().any(|index| !index.r#type().is_index()) {
            return None;
        }
        let pattern = ops::coordinate(operation).ok()?;
        let mut parts = Vec::new();
        split(&pattern, layout, &mut indices.into_iter(), &mut parts)?;
        if parts.len() > MAX_MODES {
            return None;
        }
        self.layouts += 1;
        let mut places: Vec<(Id, Layout)> = Vec::new();
        for (at, layout) in parts {
            let id = match at {
                CoordEntry::Known(at) => self.literal(Value::Int(at)),
                CoordEntry::Value(value) => self.value(value, depth),
            };
            places.push((id, layout));
        }
        if let [(i, a), (j, b)] = &places[..] {
            let both = |of: &dyn Fn(&Layout) -> Tuple| Tuple::Node(vec![of(a), of(b)]);
            let pair = Layout::new(both(&|l| l.shape().clone()), both(&|l| l.stride().clone()));
            let coordinate = self.expr.add(Node::Tuple(vec![*i, *j]));
            return Some(self.apply(coordinate, pair.ok()?));
        }
        let mut sum: Option<Id> = None;
        for (id, layout) in places {
            let term = self.apply(id, layout);
            sum = Some(match sum {
                None => term,
                Some(sum) => self.expr.add(Node::Index(IndexOp::Add, vec![sum, term])),
            });
        }
        sum
    }

    /// Operations for a term, before another operation, or `None` for a term that has none.
    fn emit(
        &self,
        before: OperationRef<'c, 'c>,
        expr: &RecExpr<Node>,
        root: Id,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        let nodes: &[Node] = expr;
        let layout_of = |id: &Id| match &nodes[usize::from(*id)] {
            Node::Literal(Value::Layout(layout)) => Some(layout),
            _ => None,
        };
        let has_operation = |node: &Node| match node {
            Node::Literal(Value::Int(_) | Value::Layout(_)) | Node::Symbol(_) => true,
            Node::Index(op, _) => !op.is_predicate() && *op != IndexOp::Select,
            Node::Call(Op::Crd2Idx, below) => {
                matches!(&below[..], [_, layout] if layout_of(layout).is_some())
            }
            _ => false,
        };
        let applies = |node: &Node| matches!(node, Node::Call(..));
        if !nodes.iter().all(has_operation) || (self.past_the_end && nodes.iter().any(applies)) {
            return Ok(None);
        }
        let b = Builder::before(before);
        let index = Type::index(b.context());
        let mut made: BTreeMap<Id, Val<'c>> = BTreeMap::new();
        for (place, node) in nodes.iter().enumerate() {
            let operands = |below: &[Id]| -> Option<Vec<Val<'c>>> {
                below.iter().map(|id| made.get(id).copied()).collect()
            };
            let value = match node {
                Node::Literal(Value::Int(value)) => Some(b.constant(index, *value)?),
                Node::Symbol(symbol) => self.values.get(&symbol.name).copied(),
                Node::Index(op, below) => match operands(below) {
                    Some(operands) => Some(emit(&b, *op, &operands)?),
                    None => None,
                },
                Node::Call(_, below) => match (operands(&below[..1]), layout_of(&below[1])) {
                    (Some(operands), Some(layout)) => Some(apply(&b, layout, operands[0])?),
                    _ => None,
                },
                _ => continue,
            };
            let Some(value) = value else { return Ok(None) };
            made.insert(place.into(), value);
        }
        Ok(made.get(&root).copied())
    }
}

/// `layout.crd2idx` of one index in a layout.
fn apply<'c>(b: &Builder<'c>, layout: &Layout, index: Val<'c>) -> Result<Val<'c>, melior::Error> {
    let text = format!("#layout<{layout}>");
    let term = Attribute::parse(b.context(), &text).ok_or(melior::Error::AttributeParse(text))?;
    let constant = result(b.inferred("layout.constant", &[], &[("term", term)])?, 0);
    let coord = [("coord", b.string("?"))];
    b.value("layout.crd2idx", &[constant, index], Type::index(b.context()), &coord)
}

/// An entry of a coordinate.
enum CoordEntry<'c> {
    Known(i64),
    Value(Val<'c>),
}

/// The entries of a coordinate, each with its part of the layout, or `None` for a coordinate that keeps a mode.
fn split<'c>(
    pattern: &Pattern,
    layout: Layout,
    indices: &mut impl Iterator<Item = Val<'c>>,
    parts: &mut Vec<(CoordEntry<'c>, Layout)>,
) -> Option<()> {
    match pattern {
        Pattern::Any => None,
        Pattern::At(at) => {
            parts.push((CoordEntry::Known(*at), layout));
            Some(())
        }
        Pattern::Dynamic => {
            parts.push((CoordEntry::Value(indices.next()?), layout));
            Some(())
        }
        Pattern::Tuple(entries) => {
            let modes = layout.modes();
            if modes.len() != entries.len() || layout.is_leaf() {
                return None;
            }
            entries.iter().zip(modes).try_for_each(|(at, mode)| split(at, mode, indices, parts))
        }
    }
}
