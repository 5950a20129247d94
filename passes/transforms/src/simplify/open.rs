//! Chains of layout operations that end in an offset of a partly static layout.
//!
//! The term of a `layout.crd2idx` is built before a lowering makes arithmetic of it: layouts with open leaves,
//! applied to the digits of `layout.idx2crd`, to offsets of other layouts, and to sums and products of indices.
//! Its leaves are the integers that types leave open, with what the types say of them, and indices, with what the
//! operation demands: its coordinates are in range. So an index whose digits are coordinates is no greater
//! than the shape, which a lowering of one operation by itself does not see. A cheaper term comes
//! back as arithmetic of 32 bits in place of the operation; other terms stay as they are.

mod terms;

use self::terms::{Purpose, Read, Terms};
use super::{arithmetic::Outcome, explain, import::address};
use layout_algebra::Value;
use layout_dialect::{build::result, diagnostics, tree};
use layout_egraph::{
    Budget, Id, Optimised, RecExpr, Settings,
    cost::{Chip, Cost, Model, nvptx::INSTRUCTION},
    index::IndexOp,
    node::Node,
    optimise, part, price,
};
use melior::ir::OperationRef;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    rc::Rc,
};

/// Operations of a function that are examined, at most.
const OPERATIONS: usize = 256;

/// Rewrites offsets of partly static layouts: how many, and what the searches did.
///
/// # Errors
///
/// The error of a search for a rule that is wrong, or for bounds that contradict each other.
pub(super) fn run(
    function: OperationRef<'_, '_>,
    chip: Chip,
    budget: &Budget,
    explains: bool,
) -> Result<Outcome, String> {
    // In loops and branches, too: the arithmetic is where the operation was, so that what the operation demands holds
    // there, and its leaves are what the operation is made from, so that they dominate it.
    let applied = |operation: &OperationRef<'_, '_>| tree::name(*operation) == "layout.crd2idx";
    let operations: Vec<_> = tree::all(function).into_iter().filter(applied).collect();
    let mut outcome = Outcome::default();
    let mut found: Vec<AddressCandidate<'_>> = Vec::new();
    let read = Read::new(function);
    let mut searches = Searches::default();
    for &operation in operations.iter().take(OPERATIONS) {
        let mut terms = Terms::new(&read, Purpose::Layouts);
        let Some(root) = terms.root(operation) else { continue };
        if terms.inner.is_empty() {
            continue;
        }
        let settings = Settings::new(Model::Nvptx(chip), 32);
        let budget = outcome.tally.left(&super::bounded(budget, settings.budget));
        let settings = Settings { budget, ..settings };
        let mut folded = |reading| searches.folded(&read, operation, reading, &settings);
        let (Some(before), Some(alone)) = (folded(Purpose::Folded)?, folded(Purpose::Alone)?)
        else {
            continue;
        };
        let best = searches.best(&terms.expr, root, &settings, &mut outcome)?;
        if is_cheaper(&best, before) && is_arithmetic(&best) {
            found.push(AddressCandidate { operation, terms, root, best, settings, before, alone });
        }
    }
    retain(&mut found);
    for AddressCandidate { operation, terms, root, best, settings, before, .. } in &found {
        let Some(value) = terms.emit(*operation, best).map_err(|error| error.to_string())? else {
            continue;
        };
        if explains {
            let to = part(&best.expr, best.roots[0]);
            let text = explain::chain(&part(&terms.expr, *root), &to, settings)?;
            diagnostics::remark(*operation, &format!("layout-simplify:\n{text}"));
        }
        tree::replace_uses(result(*operation, 0), value);
        outcome.cost.0 = outcome.cost.0.saturating_add(*before);
        outcome.cost.1 = outcome.cost.1.saturating_add(best.summary.cost_after);
        outcome.rewritten += 1;
    }
    if outcome.rewritten > 0 {
        sweep(function);
    }
    Ok(outcome)
}

/// An operation that may become cheaper arithmetic.
struct AddressCandidate<'c> {
    operation: OperationRef<'c, 'c>,
    terms: Terms<'c>,
    root: Id,
    best: Optimised,
    settings: Settings,
    /// The cost when each operation is lowered by itself.
    before: Cost,
    /// The cost of the operation where its coordinates are there already.
    alone: Cost,
}

/// Drops what only pays where the operations that it depends on go away, and these stay: something else uses
/// them.
fn retain(found: &mut Vec<AddressCandidate<'_>>) {
    loop {
        let going: BTreeSet<usize> = found.iter().map(|one| address(one.operation)).collect();
        let mut dying = going.clone();
        // Users first: an operation goes when all that use it do.
        let inner: BTreeMap<usize, OperationRef<'_, '_>> =
            found.iter().flat_map(|one| one.terms.inner.iter().map(|(&k, &o)| (k, o))).collect();
        loop {
            let goes = |operation: OperationRef<'_, '_>| {
                tree::users(operation).all(|user| dying.contains(&address(user)))
            };
            let more: Vec<usize> = inner
                .iter()
                .filter(|(key, operation)| !dying.contains(key) && goes(**operation))
                .map(|(&key, _)| key)
                .collect();
            if more.is_empty() {
                break;
            }
            dying.extend(more);
        }
        let count = found.len();
        found.retain(|one| {
            one.terms.inner.keys().all(|key| dying.contains(key))
                || is_cheaper(&one.best, one.alone)
        });
        if found.len() == count {
            return;
        }
    }
}

/// The searches and prices so far: offsets of one layout often have one term.
#[derive(Default)]
struct Searches {
    best: HashMap<RecExpr<Node>, Optimised>,
    prices: HashMap<RecExpr<Node>, Cost>,
}

impl Searches {
    /// The cheapest equal of a term. With fuel, which each search takes its own of, each term is searched.
    fn best(
        &mut self,
        expr: &RecExpr<Node>,
        root: Id,
        settings: &Settings,
        outcome: &mut Outcome,
    ) -> Result<Optimised, String> {
        if let Some(known) = self.best.get(expr) {
            return Ok(known.clone());
        }
        let found = optimise(expr, &[root], settings).map_err(|error| error.to_string())?;
        outcome.tally.part(&found.summary);
        if settings.budget.fuel == usize::MAX {
            self.best.insert(expr.clone(), found.clone());
        }
        Ok(found)
    }

    /// The cost of an operation where each one is lowered by itself.
    fn folded<'c>(
        &mut self,
        read: &Rc<Read<'c>>,
        operation: OperationRef<'c, '_>,
        reading: Purpose,
        settings: &Settings,
    ) -> Result<Option<Cost>, String> {
        let mut terms = Terms::new(read, reading);
        let Some(root) = terms.root(operation) else { return Ok(None) };
        let cost = match self.prices.get(&terms.expr) {
            Some(&known) => known,
            None => price(&terms.expr, &[root], settings).map_err(|error| error.to_string())?,
        };
        self.prices.insert(terms.expr, cost);
        Ok(Some(cost.saturating_add(terms.wide)))
    }
}

/// Whether a result saves an instruction: less is what an assembler may find, too, or what the order of sums
/// decides.
fn is_cheaper(found: &Optimised, before: Cost) -> bool {
    found.summary.cost_after.saturating_add(INSTRUCTION) <= before
}

/// Whether a result is made of operations that have one in `arith`.
fn is_arithmetic(found: &Optimised) -> bool {
    let nodes: &[Node] = &found.expr;
    nodes.iter().all(|node| match node {
        Node::Literal(value) => matches!(value, Value::Int(_)),
        Node::Symbol(_) => true,
        Node::Index(op, _) => !op.is_predicate() && *op != IndexOp::Select,
        _ => false,
    })
}

/// Erases what nothing uses any more, users first.
fn sweep(function: OperationRef<'_, '_>) {
    const OPERATIONS: [&str; 7] = [
        "layout.crd2idx",
        "layout.idx2crd",
        "layout.shape",
        "layout.stride",
        "arith.constant",
        "arith.addi",
        "arith.muli",
    ];
    for operation in tree::all(function).into_iter().rev() {
        if OPERATIONS.contains(&tree::name(operation).as_str()) && tree::user(operation).is_none() {
            tree::erase(operation);
        }
    }
}
