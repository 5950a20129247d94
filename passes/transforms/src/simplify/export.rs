//! The cheapest form on its way back into a function: each part in the innermost block of what it is
//! made from, comparisons as bits and the rest as integers of the language.

use super::{
    import::{Import, address, block_of, is_bit},
    operations::{answer, emit, number_of, predicate_of},
};
use layout_algebra::Value;
use layout_dialect::{
    build::{Builder, Val},
    tree,
};
use layout_egraph::{Id, RecExpr, index::IndexOp, node::Node};
use melior::ir::{BlockLike, OperationRef, operation::OperationLike};
use std::collections::BTreeMap;

pub(super) struct Export<'i, 'c> {
    import: &'i Import<'i, 'c>,
    expr: &'i RecExpr<Node>,
    /// Whether each node is a bit in the function.
    bits: Vec<bool>,
    /// Where the leaves of each node are made, or `None` if one is not known.
    leaves: Vec<Option<Leaves<'c>>>,
    /// Values of nodes, with the block in which they are; a constant is where it is used.
    made: BTreeMap<Id, Val<'c>>,
}

/// The blocks in which leaves are made, and of each the last operation that makes one, if one does.
type Leaves<'c> = Vec<(usize, Option<OperationRef<'c, 'c>>)>;

impl<'i, 'c> Export<'i, 'c> {
    pub(super) fn new(import: &'i Import<'i, 'c>, expr: &'i RecExpr<Node>) -> Self {
        let nodes: &[Node] = expr;
        let mut bits: Vec<bool> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let is_constant = |id: &Id| match &nodes[usize::from(*id)] {
                Node::Literal(Value::Int(value)) => (0..=1).contains(value),
                _ => false,
            };
            bits.push(match node {
                Node::Symbol(symbol) => {
                    import.leaves.get(&symbol.name).is_some_and(|&value| is_bit(value))
                }
                Node::Index(op, _) if op.is_predicate() => true,
                Node::Index(IndexOp::And | IndexOp::Or | IndexOp::Xor, below) => {
                    let is_bit = |id: &Id| bits[usize::from(*id)];
                    below.iter().any(is_bit) && below.iter().all(|id| is_bit(id) || is_constant(id))
                }
                _ => false,
            });
        }
        let leaves = leaves(import, nodes);
        Self { import, expr, bits, leaves, made: BTreeMap::new() }
    }

    /// How many roots have another value now.
    pub(super) fn run(&mut self, roots: &[Id]) -> Result<u64, melior::Error> {
        let mut rewritten = 0;
        for (&(operation, _), &id) in self.import.roots.iter().zip(roots) {
            let old = answer(operation);
            let Some(new) = self.value(id, operation, is_bit(old))? else { continue };
            if tree::key(new) != tree::key(old) {
                tree::replace_uses(old, new);
                rewritten += 1;
            }
        }
        Ok(rewritten)
    }

    /// The value of a node before an operation that needs it, as a bit or as an integer. Works operands
    /// first; a term of the budget's size is not deep.
    fn value(
        &mut self,
        id: Id,
        before: OperationRef<'c, 'c>,
        as_bit: bool,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        let nodes: &[Node] = self.expr;
        if let Node::Literal(Value::Int(value)) = &nodes[usize::from(id)] {
            // A constant is where it is used: not kept for another place.
            let b = Builder::before(before);
            let r#type = if as_bit { b.integer(1) } else { self.import.language().r#type(&b) };
            return b.constant(r#type, *value).map(Some);
        }
        let Some(made) = self.made(id, before)? else { return Ok(None) };
        let b = Builder::before(before);
        match (self.bits[usize::from(id)], as_bit) {
            (true, false) => number_of(&b, made, self.import.language().r#type(&b)).map(Some),
            (false, true) => predicate_of(&b, made).map(Some),
            _ => Ok(Some(made)),
        }
    }

    /// The value of a node that is no constant.
    fn made(
        &mut self,
        id: Id,
        before: OperationRef<'c, 'c>,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        if let Some(&made) = self.made.get(&id) {
            return Ok(Some(made));
        }
        let nodes: &[Node] = self.expr;
        let made = match &nodes[usize::from(id)] {
            Node::Symbol(symbol) => self.import.leaves.get(&symbol.name).copied(),
            Node::Index(op, below) => {
                let (op, below) = (*op, below.clone());
                let Some(at) = self.home(&below, before) else { return Ok(None) };
                let logic = self.bits[usize::from(id)] && !op.is_predicate();
                let mut operands = Vec::new();
                for (i, &child) in below.iter().enumerate() {
                    let as_bit = logic || (op == IndexOp::Select && i == 0);
                    let Some(value) = self.value(child, at, as_bit)? else { return Ok(None) };
                    operands.push(value);
                }
                Some(match self.standing(op, &operands, at) {
                    Some(value) => value,
                    None => {
                        let b = Builder::before(at).with_location(before.location());
                        emit(&b, op, &operands)?
                    }
                })
            }
            _ => None,
        };
        if let Some(made) = made {
            self.made.insert(id, made);
        }
        Ok(made)
    }

    /// The operation before which a node can be: in the innermost block of what it is made from, or
    /// in the block that the window may not leave, and there before the one that needs it or that is
    /// around it. None for what has no leaf, and for what a leaf comes after.
    fn home(&self, below: &[Id], before: OperationRef<'c, 'c>) -> Option<OperationRef<'c, 'c>> {
        let mut leaves: Leaves<'c> = Vec::new();
        for &id in below {
            join(&mut leaves, self.leaves[usize::from(id)].as_ref()?);
        }
        let is_home =
            |block| block == self.import.group || leaves.iter().any(|leaf| leaf.0 == block);
        let mut at = before;
        while !is_home(at.block()?.to_raw().ptr as usize) {
            // SAFETY: what is around an operation lives as long as it does.
            at = unsafe { OperationRef::from_raw(at.parent_operation()?.to_raw()) };
        }
        let here = at.block()?.to_raw().ptr as usize;
        let comes_before = |(block, last): &(usize, Option<OperationRef<'c, 'c>>)| {
            *block != here || last.is_none_or(|last| tree::comes_before(last, at))
        };
        (!leaves.is_empty() && leaves.iter().all(comes_before)).then_some(at)
    }

    /// The result of an operation that does the same already, and is where it can be used.
    fn standing(
        &self,
        op: IndexOp,
        operands: &[Val<'c>],
        at: OperationRef<'c, 'c>,
    ) -> Option<Val<'c>> {
        let block = at.block()?.to_raw().ptr;
        let usable = self.import.existing(op, operands).iter().find(|&&operation| {
            operation.block().is_some_and(|there| there.to_raw().ptr == block)
                && (address(operation) == address(at) || tree::comes_before(operation, at))
        });
        usable.map(|&operation| answer(operation))
    }
}

/// Where the leaves of each node are made: of a node, where those of its operands are.
fn leaves<'c>(import: &Import<'_, 'c>, nodes: &[Node]) -> Vec<Option<Leaves<'c>>> {
    let mut all: Vec<Option<Leaves<'c>>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        all.push(match node {
            Node::Symbol(symbol) => import.leaves.get(&symbol.name).and_then(|&leaf| {
                Some(vec![(block_of(leaf)?.to_raw().ptr as usize, tree::definition(leaf))])
            }),
            Node::Index(_, below) => below.iter().try_fold(Vec::new(), |mut leaves, &id| {
                join(&mut leaves, all[usize::from(id)].as_ref()?);
                Some(leaves)
            }),
            _ => Some(Vec::new()),
        });
    }
    all
}

/// Adds leaves to others.
fn join<'c>(leaves: &mut Leaves<'c>, more: &Leaves<'c>) {
    for &(block, made) in more {
        match leaves.iter_mut().find(|known| known.0 == block) {
            Some((_, last)) => {
                let later = match (*last, made) {
                    (Some(last), Some(made)) => tree::comes_before(last, made),
                    (last, _) => last.is_none(),
                };
                if later {
                    *last = made;
                }
            }
            None => leaves.push((block, made)),
        }
    }
}
