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
    /// Values of nodes, with the block in which they stand; a constant stands where it is used.
    made: BTreeMap<Id, Val<'c>>,
}

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
        Self { import, expr, bits, made: BTreeMap::new() }
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
        wants_bit: bool,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        let nodes: &[Node] = self.expr;
        if let Node::Literal(Value::Int(value)) = &nodes[usize::from(id)] {
            // A constant stands where it is used: not kept for another place.
            let b = Builder::before(before);
            let r#type = if wants_bit { b.integer(1) } else { self.import.language().r#type(&b) };
            return b.constant(r#type, *value).map(Some);
        }
        let Some(made) = self.made(id, before)? else { return Ok(None) };
        let b = Builder::before(before);
        match (self.bits[usize::from(id)], wants_bit) {
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
                    let wants_bit = logic || (op == IndexOp::Select && i == 0);
                    let Some(value) = self.value(child, at, wants_bit)? else { return Ok(None) };
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

    /// The operation before which a node can stand: in the innermost block of what it is made from, or
    /// in the block that the window may not leave, and there before the one that needs it or that is
    /// around it. None for what has no leaf, and for what a leaf comes after.
    fn home(&self, below: &[Id], before: OperationRef<'c, 'c>) -> Option<OperationRef<'c, 'c>> {
        let mut blocks: Vec<usize> = Vec::new();
        let mut leaves: Vec<Val<'c>> = Vec::new();
        let mut seen: std::collections::BTreeSet<Id> = below.iter().copied().collect();
        let mut steps: Vec<Id> = below.to_vec();
        let nodes: &[Node] = self.expr;
        while let Some(id) = steps.pop() {
            match &nodes[usize::from(id)] {
                Node::Symbol(symbol) => {
                    let leaf = *self.import.leaves.get(&symbol.name)?;
                    blocks.push(block_of(leaf)?.to_raw().ptr as usize);
                    leaves.push(leaf);
                }
                Node::Index(_, below) => steps.extend(below.iter().filter(|&&id| seen.insert(id))),
                _ => {}
            }
        }
        if self.import.group != 0 {
            blocks.push(self.import.group);
        }
        let mut at = before;
        while !blocks.contains(&(at.block()?.to_raw().ptr as usize)) {
            // SAFETY: what is around an operation stands as long as it does.
            at = unsafe { OperationRef::from_raw(at.parent_operation()?.to_raw()) };
        }
        let here = at.block()?.to_raw().ptr;
        let comes_before = |leaf: &Val<'c>| {
            let Some(made) = tree::definition(*leaf) else { return true };
            if made.block().is_none_or(|block| block.to_raw().ptr != here) {
                return true;
            }
            tree::comes_before(made, at)
        };
        (!leaves.is_empty() && leaves.iter().all(comes_before)).then_some(at)
    }

    /// The result of an operation that does the same already, and stands where it can be used.
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
