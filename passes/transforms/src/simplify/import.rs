//! Index arithmetic of a function as a term: which operations have a meaning in the index language, and
//! those of a window of it with what they start from.
//!
//! The facts of values are found over the whole function. A term holds a window: operations of one
//! block of a region with several, up to a limit; what comes from elsewhere is a leaf, with what is
//! known of it.

#[cfg(test)]
mod edges;

use super::{
    leaves::{INDEX, Leaves, width_of},
    operations::{EXTENDED_PRODUCT, answer, has_flags, meaning},
    sources::{FactRule, gives},
};
use layout_algebra::Value;
use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use layout_egraph::{Id, RecExpr, facts::Number, index::IndexOp, node::Node};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, Type, TypeLike, ValueLike,
    operation::OperationLike,
};
use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
};

/// Operations of a function that one search takes. Where there are more, each takes a part.
pub(super) const OPERATIONS: usize = 400;

/// Operations of a part.
pub(super) const WINDOW: usize = 200;

/// The languages by type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    I32,
    I64,
    Index,
}

impl Language {
    /// Every language.
    pub(super) const ALL: [Self; 3] = [Self::Index, Self::I64, Self::I32];

    fn of(r#type: Type<'_>) -> Option<Self> {
        match width_of(r#type)? {
            _ if r#type.is_index() => Some(Self::Index),
            32 => Some(Self::I32),
            64 => Some(Self::I64),
            _ => None,
        }
    }

    pub(super) fn width(self) -> u32 {
        match self {
            Self::I32 => 32,
            Self::I64 => 64,
            Self::Index => INDEX,
        }
    }

    pub(super) fn r#type<'c>(self, b: &Builder<'c>) -> Type<'c> {
        match self {
            Self::I32 => b.integer(32),
            Self::I64 => b.integer(64),
            Self::Index => Type::index(b.context()),
        }
    }
}

/// An operation that has a meaning in the language.
#[derive(Clone)]
struct Candidate<'c> {
    operation: OperationRef<'c, 'c>,
    op: IndexOp,
    /// Whether the meaning has the operands the other way round.
    swapped: bool,
    /// The innermost block around it of a region with several, which it may not leave; 0 for none.
    group: usize,
}

/// The meaning of a function's operations in a language, and the facts of their results.
pub(super) struct Survey<'c> {
    language: Language,
    candidates: Vec<Candidate<'c>>,
    /// The results by their identity, which another value may have once one is erased: see
    /// [`Import::sweep`].
    numbers: RefCell<HashMap<usize, Number>>,
    /// Results that are comparisons, or made from them.
    predicates: BTreeSet<usize>,
    leaves: Leaves<'c>,
}

impl<'c> Candidate<'c> {
    /// In the order of the meaning.
    fn operands(&self) -> Vec<Val<'c>> {
        let count = self.operation.operand_count();
        let mut operands: Vec<Val<'c>> = (0..count).map(|i| operand(self.operation, i)).collect();
        if self.swapped {
            operands.reverse();
        }
        operands
    }
}

impl<'c> Survey<'c> {
    pub(super) fn new(function: OperationRef<'c, '_>, language: Language) -> Self {
        let mut survey = Self {
            language,
            candidates: Vec::new(),
            numbers: RefCell::default(),
            predicates: BTreeSet::new(),
            leaves: Leaves::new(function),
        };
        // Blocks of regions with several, and what is in them.
        let mut groups: BTreeMap<usize, usize> = BTreeMap::new();
        for operation in tree::all(function) {
            let group = group(operation, &groups);
            groups.insert(address(operation), group);
            survey.look_at(operation, group);
        }
        survey
    }

    /// How many operations have a meaning.
    pub(super) fn len(&self) -> usize {
        self.candidates.len()
    }

    fn look_at(&mut self, operation: OperationRef<'c, 'c>, group: usize) {
        let name = tree::name(operation);
        let count = operation.operand_count();
        if gives(&name) != Some(FactRule::Meaning)
            || !(2..=3).contains(&count)
            || !is_one_value(operation, &name)
        {
            return;
        }
        let operands: Vec<Val<'c>> = (0..count).map(|i| operand(operation, i)).collect();
        let types = Language::of(operands[1].r#type());
        let numbers: Vec<Number> = operands.iter().map(|&value| self.number(value)).collect();
        let (op, swapped) = match (name.as_str(), &numbers[..]) {
            ("arith.select", [..]) if types == Some(self.language) => (IndexOp::Select, false),
            ("arith.andi" | "arith.ori" | "arith.xori", [_, _]) if self.is_predicate(&operands) => {
                let op = match name.as_str() {
                    "arith.andi" => IndexOp::And,
                    "arith.ori" => IndexOp::Or,
                    _ => IndexOp::Xor,
                };
                (op, false)
            }
            (_, &[x, y]) if types == Some(self.language) => {
                match meaning(operation, &name, &[x, y]) {
                    Some(found) => found,
                    None => return,
                }
            }
            _ => return,
        };
        if op == IndexOp::Select && !is_bit(operands[0]) {
            return;
        }
        let number = Number::of(op, &numbers, self.language.width());
        let key = tree::key(answer(operation));
        // A comparison that is swapped has the same two answers.
        let number = if swapped { bit(self.language) } else { number };
        self.numbers.get_mut().insert(key, number);
        if is_bit(answer(operation)) {
            self.predicates.insert(key);
        }
        self.candidates.push(Candidate { operation, op, swapped, group });
    }

    /// Whether logic on these is logic on comparisons of the language, or on one and a constant.
    fn is_predicate(&self, operands: &[Val<'c>]) -> bool {
        let known = |value: &&Val<'c>| self.predicates.contains(&tree::key(**value));
        let constants = operands.iter().filter(|&&value| constant(value).is_some()).count();
        operands.iter().all(|&value| is_bit(value))
            && operands.iter().filter(known).count() + constants == operands.len()
            && constants < operands.len()
    }

    /// The facts of a value.
    fn number(&self, value: Val<'c>) -> Number {
        let width = self.language.width();
        if let Some(&number) = self.numbers.borrow().get(&tree::key(value)) {
            return number;
        }
        match constant(value) {
            Some(value) => Number::constant(value, width),
            None if is_bit(value) => bit(self.language),
            None => {
                let symbol = self.leaves.symbol(value, width);
                Number::between(symbol.low, symbol.high, symbol.multiple, width)
                    .unwrap_or(Number::any(width))
            }
        }
    }

    /// The windows, the last first: of the operations of one group, up to a limit, in order. Operations that a
    /// window makes and erases are in no window after it.
    pub(super) fn windows(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, candidate) in self.candidates.iter().enumerate() {
            groups.entry(candidate.group).or_default().push(place);
        }
        let mut windows = Vec::new();
        for mut left in groups.into_values() {
            while !left.is_empty() {
                let most = if left.len() > OPERATIONS { WINDOW } else { OPERATIONS };
                windows.push(left.split_off(left.len().saturating_sub(most)));
            }
        }
        windows.sort_by_key(|window| std::cmp::Reverse(window.last().copied()));
        windows
    }

    /// All operations that have a meaning.
    pub(super) fn everything(&self) -> Vec<usize> {
        (0..self.len()).collect()
    }

    /// The term of some operations.
    pub(super) fn import(&self, window: &[usize]) -> Import<'_, 'c> {
        let mut import = Import {
            survey: self,
            group: window.first().map_or(0, |&place| self.candidates[place].group),
            expr: RecExpr::default(),
            leaves: BTreeMap::new(),
            operations: Vec::new(),
            roots: Vec::new(),
            existing: BTreeMap::new(),
        };
        let mut places: HashMap<usize, Id> = HashMap::new();
        let mut inner: HashMap<usize, Id> = HashMap::new();
        for candidate in window.iter().map(|&place| &self.candidates[place]) {
            let operands = candidate.operands();
            let below = operands.iter().map(|&value| import.place(value, &mut places));
            let node = Node::Index(candidate.op, below.collect());
            let id = import.expr.add(node);
            inner.insert(address(candidate.operation), id);
            places.insert(tree::key(answer(candidate.operation)), id);
            // One with a flag is poison where another use of the same sum, which may wrap, is not.
            if !has_flags(candidate.operation) {
                let keys = operands.iter().map(|&value| tree::key(value)).collect();
                import.existing.entry((candidate.op, keys)).or_default().push(candidate.operation);
            }
            import.operations.push(candidate.operation);
        }
        for &operation in &import.operations {
            let outside = |user: OperationRef<'_, '_>| !inner.contains_key(&address(user));
            if tree::users(operation).any(outside) {
                import.roots.push((operation, inner[&address(operation)]));
            }
        }
        import
    }
}

/// A window as one term.
pub(super) struct Import<'s, 'c> {
    survey: &'s Survey<'c>,
    /// The block that nothing may leave; 0 for none.
    pub(super) group: usize,
    pub(super) expr: RecExpr<Node>,
    /// The value of each leaf of the term.
    pub(super) leaves: BTreeMap<String, Val<'c>>,
    /// Operations that are in the term, in order.
    pub(super) operations: Vec<OperationRef<'c, 'c>>,
    /// The operations that are used from outside, and their places in the term.
    pub(super) roots: Vec<(OperationRef<'c, 'c>, Id)>,
    /// Results of operations by what they do.
    existing: BTreeMap<(IndexOp, Vec<usize>), Vec<OperationRef<'c, 'c>>>,
}

impl<'c> Import<'_, 'c> {
    pub(super) fn language(&self) -> Language {
        self.survey.language
    }

    /// Operations of the term that do the same.
    pub(super) fn existing(&self, op: IndexOp, operands: &[Val<'c>]) -> &[OperationRef<'c, 'c>] {
        let keys: Vec<usize> = operands.iter().map(|&value| tree::key(value)).collect();
        self.existing.get(&(op, keys)).map_or(&[], Vec::as_slice)
    }

    /// The place of a value in the term; a leaf is added.
    fn place(&mut self, value: Val<'c>, places: &mut HashMap<usize, Id>) -> Id {
        if let Some(&id) = places.get(&tree::key(value)) {
            return id;
        }
        let node = match constant(value) {
            Some(value) => Node::Literal(Value::Int(value)),
            None => {
                let number = self.survey.number(value);
                let mut symbol = self.survey.leaves.symbol(value, self.language().width());
                symbol.name = format!("v{}", self.leaves.len());
                (symbol.low, symbol.high) = (number.low, number.high);
                symbol.multiple = number.multiple.max(1);
                self.leaves.insert(symbol.name.clone(), value);
                Node::Symbol(symbol)
            }
        };
        let id = self.expr.add(node);
        places.insert(tree::key(value), id);
        id
    }

    /// Erases operations that nothing uses any more, users first, and then their constants. Their facts
    /// are forgotten: an operation that is made next may have their identity.
    pub(super) fn sweep(&self) {
        let erase = |operation: OperationRef<'c, 'c>| {
            for i in 0..operation.result_count() {
                let key = tree::key(result(operation, i));
                self.survey.numbers.borrow_mut().remove(&key);
                self.survey.leaves.forget(key);
            }
            tree::erase(operation);
        };
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
            erase(operation);
        }
        for constant in constants.into_values() {
            if tree::user(constant).is_none() {
                erase(constant);
            }
        }
    }
}

/// An operation's identity.
pub(super) fn address(operation: OperationRef<'_, '_>) -> usize {
    operation.to_raw().ptr as usize
}

/// The block in which a value is made.
pub(super) fn block_of(value: Val<'_>) -> Option<BlockRef<'_, '_>> {
    match tree::definition(value) {
        // SAFETY: the block lives as long as its operation.
        Some(made) => made.block().map(|block| unsafe { BlockRef::from_raw(block.to_raw()) }),
        None => tree::owner(value),
    }
}

/// Whether a value is of one bit.
pub(super) fn is_bit(value: Val<'_>) -> bool {
    width_of(value.r#type()) == Some(1)
}

/// The facts of a bit.
fn bit(language: Language) -> Number {
    let width = language.width();
    Number::between(0, 1, 1, width).unwrap_or(Number::any(width))
}

/// The innermost block of a region with several around an operation, where those of the operations
/// around it are known.
fn group(operation: OperationRef<'_, '_>, groups: &BTreeMap<usize, usize>) -> usize {
    let Some(block) = operation.block() else { return 0 };
    let single = block.parent_region().is_none_or(|region| {
        region.first_block().is_none_or(|first| first.next_in_region().is_none())
    });
    if !single {
        return block.to_raw().ptr as usize;
    }
    let around = operation.parent_operation();
    around.and_then(|around| groups.get(&address_of(around.to_raw())).copied()).unwrap_or(0)
}

fn address_of(operation: mlir_sys::MlirOperation) -> usize {
    operation.ptr as usize
}

/// Whether an operation has one result, or one that something uses: an extended product's high word.
fn is_one_value(operation: OperationRef<'_, '_>, name: &str) -> bool {
    match operation.result_count() {
        1 => true,
        2 => name == EXTENDED_PRODUCT && !tree::is_used(result(operation, 0)),
        _ => false,
    }
}

/// The value of an `arith.constant` of an integer; of one bit, 0 or 1.
fn constant(value: Val<'_>) -> Option<i64> {
    let found = tree::constant(value)?;
    Some(if is_bit(value) { found & 1 } else { found })
}
