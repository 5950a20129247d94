//! Index arithmetic of one function: into the e-graph, and its cheapest form back.
//!
//! Integers of 32 bits, of 64 bits and of type `index` are three languages with leaves of their own: a
//! cast is a leaf. What is known of leaves comes from the operation that makes them: thread and
//! block numbers from the launch bounds, loop variables from constant bounds. Results that something
//! else uses are the roots of one search; what they share counts once, and what is in a loop counts more.

use super::{
    explain,
    leaves::{Leaves, integer},
};
use layout_algebra::Value;
use layout_dialect::{
    build::{Builder, Val, operand, result},
    diagnostics, tree,
};
use layout_egraph::{
    Id, Optimised, RecExpr, Settings, Stop, Summary, cost::Cost, facts::Number, index::IndexOp,
    node::Node, optimise, part,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, Type, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};
use std::collections::BTreeMap;

/// Operations of a function and language at most: a search on more would not end within its budget.
const OPERATIONS: usize = 400;

/// The operation whose second result is the high word of a product.
const EXTENDED_PRODUCT: &str = "arith.mului_extended";

/// What became of one function.
#[derive(Default)]
pub(super) struct Outcome {
    /// Roots that became cheaper or moved out of loops.
    pub(super) rewritten: u64,
    /// E-nodes of all searches.
    pub(super) nodes: u64,
    /// Equations that rules added.
    pub(super) applied: u64,
    /// Searches that a budget ended, and functions that are too large.
    pub(super) early: u64,
    /// Cost in instructions, before and after.
    pub(super) cost: (Cost, Cost),
}

/// The languages by type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    I32,
    I64,
    Index,
}

impl Language {
    fn of(r#type: Type<'_>) -> Option<Self> {
        match r#type.to_string().as_str() {
            "i32" => Some(Self::I32),
            "i64" => Some(Self::I64),
            "index" => Some(Self::Index),
            _ => None,
        }
    }

    fn width(self) -> u32 {
        if self == Self::I32 { 32 } else { 64 }
    }

    fn r#type<'c>(self, b: &Builder<'c>) -> Type<'c> {
        match self {
            Self::I32 => b.integer(32),
            Self::I64 => b.integer(64),
            Self::Index => Type::index(b.context()),
        }
    }
}

/// Rewrites the arithmetic of a function to its cheapest form.
///
/// # Errors
///
/// What a search says of a rule that is wrong, or of bounds that contradict each other.
pub(super) fn run(
    function: OperationRef<'_, '_>,
    settings: &dyn Fn(u32) -> Settings,
    explains: bool,
) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    if !is_structured(function) {
        return Ok(outcome);
    }
    for language in [Language::Index, Language::I64, Language::I32] {
        let import = Import::new(function, language);
        if import.roots.is_empty() {
            continue;
        }
        if import.expr.len() > OPERATIONS {
            outcome.early += 1;
            continue;
        }
        let roots: Vec<Id> = import.roots.iter().map(|&(_, id)| id).collect();
        let found = optimise(&import.expr, &roots, &settings(language.width()))
            .map_err(|error| error.to_string())?;
        outcome.add(&found.summary);
        if found.summary.cost_after < found.summary.cost_before {
            if explains {
                import.explain(&found, &settings(language.width()))?;
            }
            let mut export = Export { import: &import, expr: &found.expr, made: BTreeMap::new() };
            outcome.rewritten += export.run(&found.roots).map_err(|error| error.to_string())?;
            import.sweep();
        }
    }
    Ok(outcome)
}

impl Outcome {
    fn add(&mut self, summary: &Summary) {
        self.nodes += summary.nodes as u64;
        self.applied += summary.applied.values().sum::<usize>() as u64;
        let ended = matches!(summary.stop, Stop::Saturated | Stop::Evaluated);
        self.early += u64::from(!ended);
        self.cost.0 = self.cost.0.saturating_add(summary.cost_before);
        self.cost.1 = self.cost.1.saturating_add(summary.cost_after);
    }

    /// Adds what became of another function.
    pub(super) fn merge(&mut self, other: &Self) {
        self.rewritten += other.rewritten;
        self.nodes += other.nodes;
        self.applied += other.applied;
        self.early += other.early;
        self.cost.0 = self.cost.0.saturating_add(other.cost.0);
        self.cost.1 = self.cost.1.saturating_add(other.cost.1);
    }
}

/// Whether every region below has one block: then what dominates an operation stands before it, or
/// before an operation around it.
fn is_structured(function: OperationRef<'_, '_>) -> bool {
    let single = |operation: OperationRef<'_, '_>| {
        operation.regions().all(|region| {
            use melior::ir::RegionLike;
            region.first_block().is_none_or(|block| block.next_in_region().is_none())
        })
    };
    single(function) && tree::all(function).into_iter().all(single)
}

/// The arithmetic of a function as one term.
struct Import<'c> {
    language: Language,
    expr: RecExpr<Node>,
    /// The value of each leaf of the term.
    leaves: BTreeMap<String, Val<'c>>,
    /// Operations that stand in the term, in order.
    operations: Vec<OperationRef<'c, 'c>>,
    /// What is used from outside: the operation and its place in the term.
    roots: Vec<(OperationRef<'c, 'c>, Id)>,
    /// Where each operation stands.
    order: BTreeMap<usize, usize>,
    /// Results of operations by what they do.
    existing: BTreeMap<(IndexOp, Vec<usize>), Vec<OperationRef<'c, 'c>>>,
}

impl<'c> Import<'c> {
    fn new(function: OperationRef<'c, '_>, language: Language) -> Self {
        let mut import = Self {
            language,
            expr: RecExpr::default(),
            leaves: BTreeMap::new(),
            operations: Vec::new(),
            roots: Vec::new(),
            order: BTreeMap::new(),
            existing: BTreeMap::new(),
        };
        let mut known = Known {
            places: BTreeMap::new(),
            numbers: Vec::new(),
            inner: BTreeMap::new(),
            leaves: Leaves::new(function),
        };
        let all = tree::all(function);
        for (place, &operation) in all.iter().enumerate() {
            import.order.insert(address(operation), place);
            import.add(operation, &mut known);
        }
        let mut roots: BTreeMap<usize, (OperationRef<'c, 'c>, Id)> = BTreeMap::new();
        for &operation in &all {
            if known.inner.contains_key(&address(operation)) {
                continue;
            }
            for i in 0..operation.operand_count() {
                let Some(definition) = tree::definition(operand(operation, i)) else { continue };
                if let Some(&id) = known.inner.get(&address(definition)) {
                    roots.insert(import.order[&address(definition)], (definition, id));
                }
            }
        }
        import.roots = roots.into_values().collect();
        import
    }

    /// An operation, if it is of the language and has a meaning for all operands.
    fn add(&mut self, operation: OperationRef<'c, 'c>, known: &mut Known<'c>) {
        let name = tree::name(operation);
        if operation.operand_count() != 2 || !is_one_value(operation, &name) {
            return;
        }
        let language = Language::of(operand(operation, 0).r#type());
        if language != Some(self.language) || !name.starts_with("arith.") {
            return;
        }
        let width = self.language.width();
        let operands = [operand(operation, 0), operand(operation, 1)];
        // Leaves are added where the operation is taken, so that none is left over.
        let numbers = operands.map(|value| self.number(value, known));
        let Some((op, swapped)) = meaning(operation, &name, &numbers) else { return };
        let mut below = operands.map(|value| self.place(value, known)).to_vec();
        let mut numbers = numbers.to_vec();
        let mut keys = operands.map(tree::key).to_vec();
        if swapped {
            below.reverse();
            numbers.reverse();
            keys.reverse();
        }
        let id = self.expr.add(Node::Index(op, below));
        known.numbers.push(Number::of(op, &numbers, width));
        known.inner.insert(address(operation), id);
        if !op.is_predicate() {
            known.places.insert(tree::key(answer(operation)), id);
        }
        self.existing.entry((op, keys)).or_default().push(operation);
        self.operations.push(operation);
    }

    /// What is known of a value.
    fn number(&self, value: Val<'c>, known: &Known<'c>) -> Number {
        let width = self.language.width();
        match known.places.get(&tree::key(value)) {
            Some(&id) => known.numbers[usize::from(id)],
            None => match constant(value) {
                Some(value) => Number::constant(value, width),
                None => {
                    let symbol = known.leaves.symbol(value, width);
                    Number::between(symbol.low, symbol.high, symbol.multiple, width)
                        .unwrap_or(Number::any(width))
                }
            },
        }
    }

    /// The place of a value in the term; a leaf is added.
    fn place(&mut self, value: Val<'c>, known: &mut Known<'c>) -> Id {
        if let Some(&id) = known.places.get(&tree::key(value)) {
            return id;
        }
        let number = self.number(value, known);
        let node = match constant(value) {
            Some(value) => Node::Literal(Value::Int(value)),
            None => {
                let mut symbol = known.leaves.symbol(value, self.language.width());
                symbol.name = format!("v{}", self.leaves.len());
                self.leaves.insert(symbol.name.clone(), value);
                Node::Symbol(symbol)
            }
        };
        let id = self.expr.add(node);
        known.numbers.push(number);
        known.places.insert(tree::key(value), id);
        id
    }

    /// Tells the equations behind each root that changes.
    fn explain(&self, found: &Optimised, settings: &Settings) -> Result<(), String> {
        for (&(operation, id), &root) in self.roots.iter().zip(&found.roots) {
            let (from, to) = (part(&self.expr, id), part(&found.expr, root));
            if from == to {
                continue;
            }
            let mut text = explain::chain(&from, &to, settings)?;
            for node in from.iter() {
                if let Node::Symbol(symbol) = node
                    && let Some(&value) = self.leaves.get(&symbol.name)
                {
                    let made = tree::definition(value).map(tree::name);
                    let made = made.as_deref().unwrap_or("an argument of a block");
                    text += &format!("\nwhere {symbol} is {made}");
                }
            }
            diagnostics::remark(operation, &format!("layout-simplify:\n{text}"));
        }
        Ok(())
    }

    /// Erases operations that nothing uses any more, users first, and then their constants.
    fn sweep(&self) {
        let mut constants: BTreeMap<usize, OperationRef<'c, 'c>> = BTreeMap::new();
        for &operation in self.operations.iter().rev() {
            if tree::user(operation).is_some() {
                continue;
            }
            for i in 0..operation.operand_count() {
                if let Some(made) = tree::definition(operand(operation, i))
                    && tree::name(made) == "arith.constant"
                {
                    constants.insert(address(made), made);
                }
            }
            tree::erase(operation);
        }
        for constant in constants.into_values() {
            if tree::user(constant).is_none() {
                tree::erase(constant);
            }
        }
    }
}

/// Whether an operation has one result, or one that something uses: an extended product's high word.
fn is_one_value(operation: OperationRef<'_, '_>, name: &str) -> bool {
    match operation.result_count() {
        1 => true,
        2 => name == EXTENDED_PRODUCT && !tree::is_used(result(operation, 0)),
        _ => false,
    }
}

/// The value that an operation of the term stands for.
fn answer<'c>(operation: OperationRef<'c, 'c>) -> Val<'c> {
    let last = operation.result_count().saturating_sub(1);
    result(operation, last)
}

struct Known<'c> {
    places: BTreeMap<usize, Id>,
    /// What is known of each node.
    numbers: Vec<Number>,
    /// Operations that stand in the term.
    inner: BTreeMap<usize, Id>,
    leaves: Leaves<'c>,
}

fn address(operation: OperationRef<'_, '_>) -> usize {
    operation.to_raw().ptr as usize
}

/// The value of an `arith.constant` of an integer.
fn constant(value: Val<'_>) -> Option<i64> {
    integer(tree::definition(value).filter(|made| tree::name(*made) == "arith.constant")?, "value")
}

/// The operation of the index language that does the same, and whether its operands are swapped.
/// Signed forms are taken where the facts make them equal to those without a sign.
fn meaning(
    operation: OperationRef<'_, '_>,
    name: &str,
    [x, y]: &[Number; 2],
) -> Option<(IndexOp, bool)> {
    let natural = x.low >= 0 && y.low >= 0;
    let divides = y.low > 0;
    let shifts = y.value().is_some_and(|shift| (0..i64::from(y.width)).contains(&shift));
    let op = match name.strip_prefix("arith.")? {
        "addi" => IndexOp::Add,
        "subi" => IndexOp::Sub,
        "muli" => IndexOp::Mul,
        "divui" if divides => IndexOp::Div,
        "remui" if divides => IndexOp::Mod,
        "divsi" | "floordivsi" if divides && natural => IndexOp::Div,
        "remsi" if divides && natural => IndexOp::Mod,
        "shli" if shifts => IndexOp::Shl,
        "shrui" if shifts => IndexOp::Shr,
        "shrsi" if shifts && natural => IndexOp::Shr,
        "mului_extended" => IndexOp::High,
        "andi" => IndexOp::And,
        "ori" => IndexOp::Or,
        "xori" => IndexOp::Xor,
        "minsi" => IndexOp::Min,
        "maxsi" => IndexOp::Max,
        "minui" if natural => IndexOp::Min,
        "maxui" if natural => IndexOp::Max,
        "cmpi" => {
            // MLIR's numbers of predicates: those without a sign come after those with one.
            let (op, swapped) = match (integer(operation, "predicate")?, natural) {
                (0, _) => (IndexOp::Equal, false),
                (2, _) | (6, true) => (IndexOp::Less, false),
                (3, _) | (7, true) => (IndexOp::AtMost, false),
                (4, _) | (8, true) => (IndexOp::Less, true),
                (5, _) | (9, true) => (IndexOp::AtMost, true),
                _ => return None,
            };
            return Some((op, swapped));
        }
        _ => return None,
    };
    Some((op, false))
}

/// The cheapest form on its way back.
struct Export<'i, 'c> {
    import: &'i Import<'c>,
    expr: &'i RecExpr<Node>,
    /// Values of nodes, with the block in which they stand; a constant stands where it is used.
    made: BTreeMap<Id, Val<'c>>,
}

impl<'c> Export<'_, 'c> {
    /// How many roots have another value now.
    fn run(&mut self, roots: &[Id]) -> Result<u64, melior::Error> {
        let mut rewritten = 0;
        for (&(operation, _), &id) in self.import.roots.iter().zip(roots) {
            let old = answer(operation);
            let Some(new) = self.value(id, operation, Language::of(old.r#type()).is_none())? else {
                continue;
            };
            if tree::key(new) != tree::key(old) {
                tree::replace_uses(old, new);
                rewritten += 1;
            }
        }
        Ok(rewritten)
    }

    /// The value of a node before an operation that needs it. Works operands first; a term of the
    /// budget's size is not deep.
    fn value(
        &mut self,
        id: Id,
        before: OperationRef<'c, 'c>,
        predicate: bool,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        if let Some(&made) = self.made.get(&id) {
            return Ok(Some(made));
        }
        let nodes: &[Node] = self.expr;
        let language = self.import.language;
        let made = match &nodes[usize::from(id)] {
            Node::Literal(Value::Int(value)) => {
                let b = Builder::before(before);
                let r#type = if predicate { b.integer(1) } else { language.r#type(&b) };
                // A constant stands where it is used: not kept for another place.
                return b.constant(r#type, *value).map(Some);
            }
            Node::Symbol(symbol) if !predicate => self.import.leaves.get(&symbol.name).copied(),
            Node::Index(op, below) if op.is_predicate() == predicate => {
                let (op, below) = (*op, below.clone());
                let Some(at) = self.home(&below, before) else { return Ok(None) };
                let mut operands = Vec::new();
                for &child in &below {
                    let Some(value) = self.value(child, at, false)? else { return Ok(None) };
                    operands.push(value);
                }
                Some(match self.standing(op, &operands, at) {
                    Some(value) => value,
                    None => {
                        emit(&Builder::before(at).with_location(before.location()), op, &operands)?
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

    /// The operation before which a node can stand: in the innermost block of what it is made from,
    /// and there before the one that needs it or that is around it. None for what has no leaf.
    fn home(&self, below: &[Id], before: OperationRef<'c, 'c>) -> Option<OperationRef<'c, 'c>> {
        let mut blocks: Vec<usize> = Vec::new();
        let mut steps: Vec<Id> = below.to_vec();
        let nodes: &[Node] = self.expr;
        while let Some(id) = steps.pop() {
            match &nodes[usize::from(id)] {
                Node::Symbol(symbol) => {
                    let block = block_of(*self.import.leaves.get(&symbol.name)?)?;
                    blocks.push(block.to_raw().ptr as usize);
                }
                Node::Index(_, below) => steps.extend(below),
                _ => {}
            }
        }
        let mut at = before;
        while !blocks.contains(&(at.block()?.to_raw().ptr as usize)) {
            // SAFETY: what is around an operation stands as long as it does.
            at = unsafe { OperationRef::from_raw(at.parent_operation()?.to_raw()) };
        }
        Some(at)
    }

    /// The result of an operation that does the same already, and stands where it can be used.
    fn standing(
        &self,
        op: IndexOp,
        operands: &[Val<'c>],
        at: OperationRef<'c, 'c>,
    ) -> Option<Val<'c>> {
        let keys: Vec<usize> = operands.iter().map(|&value| tree::key(value)).collect();
        let place = self.import.order.get(&address(at))?;
        let block = at.block()?.to_raw().ptr;
        let candidates = self.import.existing.get(&(op, keys))?;
        let usable = candidates.iter().find(|operation| {
            operation.block().is_some_and(|there| there.to_raw().ptr == block)
                && self.import.order[&address(**operation)] <= *place
        });
        usable.map(|&operation| answer(operation))
    }
}

/// The block in which a value is made.
fn block_of(value: Val<'_>) -> Option<BlockRef<'_, '_>> {
    match tree::definition(value) {
        // SAFETY: the block stands as long as its operation.
        Some(made) => made.block().map(|block| unsafe { BlockRef::from_raw(block.to_raw()) }),
        None => tree::owner(value),
    }
}

fn emit<'c>(b: &Builder<'c>, op: IndexOp, operands: &[Val<'c>]) -> Result<Val<'c>, melior::Error> {
    let predicate = |number: i64| -> [(&str, Attribute<'c>); 1] {
        [("predicate", IntegerAttribute::new(b.integer(64), number).into())]
    };
    let name = match op {
        IndexOp::Add => "arith.addi",
        IndexOp::Sub => "arith.subi",
        IndexOp::Mul => "arith.muli",
        IndexOp::Div => "arith.divui",
        IndexOp::Mod => "arith.remui",
        IndexOp::Shl => "arith.shli",
        IndexOp::Shr => "arith.shrui",
        IndexOp::And => "arith.andi",
        IndexOp::Or => "arith.ori",
        IndexOp::Xor => "arith.xori",
        IndexOp::High => {
            let r#type = operands[0].r#type();
            let made = b.operation(EXTENDED_PRODUCT, operands, &[r#type, r#type], &[], vec![])?;
            return Ok(answer(made));
        }
        IndexOp::Min => "arith.minsi",
        IndexOp::Max => "arith.maxsi",
        IndexOp::Equal => return b.value("arith.cmpi", operands, b.integer(1), &predicate(0)),
        IndexOp::Less => return b.value("arith.cmpi", operands, b.integer(1), &predicate(2)),
        IndexOp::AtMost => return b.value("arith.cmpi", operands, b.integer(1), &predicate(3)),
        // Fused operations come back as their parts; a selection is not imported.
        _ => return Err(melior::Error::OperationBuild),
    };
    b.binary(name, operands[0], operands[1])
}
