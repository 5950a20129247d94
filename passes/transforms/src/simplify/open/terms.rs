//! The term of an offset in a partly static layout, and arithmetic for its cheapest equal.

use crate::simplify::{
    import::address,
    leaves::Leaves,
    operations::{emit, meaning},
    sources::{FactRule, gives},
};
use layout_algebra::{Expr, Facts, Layout, Machine, Op, Step, Value, Width};
use layout_dialect::{
    TermValue,
    build::{Builder, Val, operand, result},
    coordinate::Pattern,
    dynamic::{self, Answer, Outcome},
    ops, tree,
};
use layout_egraph::{
    Id, Language, Optimised, RecExpr,
    cost::Cost,
    facts::Number,
    index::{IndexOp, wrap},
    node::Node,
    part,
    symbol::Symbol,
};
use melior::ir::{OperationRef, Type, TypeLike, ValueLike, operation::OperationLike};
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

/// Operations after one another that a term follows.
const DEPTH: usize = 32;

/// Nodes of a term at most.
const NODES: usize = 400;

/// The additional cost of a quotient or remainder in two registers over one in one, in hundredths of an instruction:
/// by what is not known, and by a constant.
const WIDE: Cost = 5000;
const WIDE_BY_CONSTANT: Cost = 1000;

/// The purpose of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Layouts with open leaves, applied: what a search starts from.
    Layouts,
    /// Arithmetic, as folds make it of each operation by itself: what it takes without a search.
    Folded,
    /// The same of one operation: its coordinates are leaves.
    Alone,
}

/// Where the value of a leaf comes from.
#[derive(Clone, Copy)]
enum Leaf<'c> {
    /// An integer.
    Value(Val<'c>),
    /// A leaf of a layout's or tuple's shape or stride.
    Part { of: Val<'c>, part: LeafKind, place: usize },
}

/// Which leaves of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LeafKind {
    Whole,
    Shape,
    Stride,
}

/// The operations of a function, read once for all terms: none of them changes before all terms are built.
pub(super) struct Read<'c> {
    leaves: Leaves<'c>,
    answers: RefCell<BTreeMap<usize, Option<Rc<Evaluation>>>>,
    /// The facts of values without those that an operation demands.
    own: RefCell<BTreeMap<usize, Number>>,
    /// The `layout.leaves` that were made of the parts of a value, by the block: those before follow none.
    made: RefCell<BTreeMap<(usize, LeafKind, usize), OperationRef<'c, 'c>>>,
}

/// The result of an operation.
struct Evaluation {
    answer: Answer,
    /// The facts where its coordinates are in range.
    facts: Facts,
    /// The index and the extents of a `layout.idx2crd`.
    divided: Option<(Expr, Vec<Expr>)>,
}

impl<'c> Read<'c> {
    pub(super) fn new(function: OperationRef<'c, '_>) -> Rc<Self> {
        Rc::new(Self {
            leaves: Leaves::new(function),
            answers: RefCell::default(),
            own: RefCell::default(),
            made: RefCell::default(),
        })
    }

    /// The value of a leaf, before an operation. Terms are emitted in the order of their operations, so that what was made
    /// in a block is before what comes later in it.
    fn leaf(&self, leaf: Leaf<'c>, before: OperationRef<'c, 'c>) -> Result<Val<'c>, melior::Error> {
        let (of, part, place) = match leaf {
            Leaf::Value(value) => return Ok(value),
            Leaf::Part { of, part, place } => (of, part, place),
        };
        let block = before.block().map_or(0, |block| block.to_raw().ptr as usize);
        let key = (tree::key(of), part, block);
        if let Some(&made) = self.made.borrow().get(&key) {
            return Ok(result(made, place));
        }
        let b = Builder::before(before);
        let of = match part {
            LeafKind::Whole => of,
            LeafKind::Shape => result(b.inferred("layout.shape", &[of], &[])?, 0),
            LeafKind::Stride => result(b.inferred("layout.stride", &[of], &[])?, 0),
        };
        let made = b.inferred("layout.leaves", &[of], &[])?;
        self.made.borrow_mut().insert(key, made);
        Ok(result(made, place))
    }

    fn answered(&self, made: OperationRef<'_, '_>) -> Option<Rc<Evaluation>> {
        if let Some(known) = self.answers.borrow().get(&address(made)) {
            return known.clone();
        }
        let read = || {
            let answer = dynamic::answer(made)?.ok()?;
            let facts = dynamic::in_range(made, &answer).ok()?;
            let divided = match tree::name(made).as_str() {
                "layout.idx2crd" => Some(dynamic::divided(made).ok()?),
                _ => None,
            };
            Some(Rc::new(Evaluation { answer, facts, divided }))
        };
        let found = read();
        self.answers.borrow_mut().insert(address(made), found.clone());
        found
    }
}

/// A term, and the values of its leaves.
pub(super) struct Terms<'c> {
    read: Rc<Read<'c>>,
    reading: Purpose,
    /// The upper bound of a value, where the operation demands it.
    bounds: BTreeMap<usize, i64>,
    pub(super) expr: RecExpr<Node>,
    /// The facts of each node, in 64 bits.
    numbers: Vec<Number>,
    places: BTreeMap<usize, Id>,
    integers: BTreeMap<(usize, usize), Id>,
    values: Vec<Leaf<'c>>,
    /// Operations after the one that the term is of.
    pub(super) inner: BTreeMap<usize, OperationRef<'c, 'c>>,
    /// The additional cost of words of two registers.
    pub(super) wide: Cost,
}

impl<'c> Terms<'c> {
    pub(super) fn new(read: &Rc<Read<'c>>, reading: Purpose) -> Self {
        Self {
            read: Rc::clone(read),
            reading,
            bounds: BTreeMap::new(),
            expr: RecExpr::default(),
            numbers: Vec::new(),
            places: BTreeMap::new(),
            integers: BTreeMap::new(),
            values: Vec::new(),
            inner: BTreeMap::new(),
            wide: 0,
        }
    }

    /// The term of a `layout.crd2idx` in a partly static layout, or `None` if a number in it may not fit a word of
    /// 31 bits, so that arithmetic of 32 bits is right for all of it.
    pub(super) fn root(&mut self, operation: OperationRef<'c, '_>) -> Option<Id> {
        // SAFETY: the function that holds the operation is valid while the pass works on it.
        let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
        let source = dynamic::known(operand(operation, 0).r#type())?.ok()?;
        if !matches!(source, TermValue::Symbolic { value: Value::Layout(_), .. }) {
            return None;
        }
        let answered = self.read.answered(operation)?;
        let first = source.symbols().len();
        for i in 1..operation.operand_count() {
            let index = operand(operation, i);
            if !index.r#type().is_index() {
                return None;
            }
            let symbol = answered.facts.get(&format!("?{}", first + i - 1))?;
            self.demand(index, symbol.range().1, 0);
        }
        let root = self.offset(operation, 0)?;
        let nodes: &[Node] = &self.expr;
        let mut needed = vec![false; nodes.len()];
        needed[usize::from(root)] = true;
        for (place, node) in nodes.iter().enumerate().rev() {
            if !needed[place] {
                continue;
            }
            if !is_narrow(&self.numbers[place]) {
                return None;
            }
            node.children().iter().for_each(|&child| needed[usize::from(child)] = true);
        }
        // The nodes that a leaf has replaced are dropped.
        self.expr = part(&self.expr, root);
        self.expr.len().checked_sub(1).map(Id::from)
    }

    /// Notes that a value is no greater than something, and what follows for what it is made from.
    fn demand(&mut self, value: Val<'c>, high: i64, depth: usize) {
        let bound = self.bounds.entry(tree::key(value)).or_insert(i64::MAX);
        if depth > DEPTH || high < 0 || high >= *bound {
            return;
        }
        *bound = high;
        let Some(made) = tree::definition(value) else { return };
        let below = |i: usize| operand(made, i);
        match tree::name(made).as_str() {
            "layout.idx2crd" => {
                let last = made.result_count().checked_sub(1);
                if last.map(|last| tree::key(result(made, last))) != Some(tree::key(value)) {
                    return;
                }
                let Some(answered) = self.read.answered(made) else { return };
                let Some((_, extents)) = &answered.divided else { return };
                let extents = extents.iter().rev().skip(1);
                let all = extents
                    .map(|extent| answered.answer.facts.range(extent).hi)
                    .try_fold(i128::from(high) + 1, |all, extent| all.checked_mul(extent?));
                if let Some(all) = all.and_then(|all| i64::try_from(all - 1).ok()) {
                    self.demand(below(0), all, depth + 1);
                }
            }
            "arith.addi" if (0..2).all(|i| self.own(below(i)).low >= 0) => {
                // A sum of two that are not below 0 is below 0 where it wraps.
                (0..2).for_each(|i| self.demand(below(i), high, depth + 1));
            }
            "arith.muli" => {
                let [x, y] = [0, 1].map(|i| self.own(below(i)));
                let fits =
                    x.low >= 0 && y.low >= 0 && layout_egraph::facts::number::multiplies(&x, &y);
                for (i, factor) in [(0, y), (1, x)] {
                    if fits && factor.low > 0 {
                        self.demand(below(i), high / factor.low, depth + 1);
                    }
                }
            }
            "arith.divui" => {
                let divisor = self.own(below(1));
                let most = (i128::from(high) + 1) * i128::from(divisor.high) - 1;
                if let (true, Ok(most)) = (divisor.low > 0, i64::try_from(most)) {
                    self.demand(below(0), most, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// The facts of a value without those that an operation demands.
    fn own(&self, value: Val<'c>) -> Number {
        let key = tree::key(value);
        if let Some(&known) = self.read.own.borrow().get(&key) {
            return known;
        }
        let mut terms = Self::new(&self.read, Purpose::Layouts);
        let found = terms.value(value, 0).map_or(Number::any(64), |id| terms.number(id));
        self.read.own.borrow_mut().insert(key, found);
        found
    }

    fn push(&mut self, node: Node, number: Number) -> Option<Id> {
        if self.numbers.len() >= NODES {
            return None;
        }
        self.numbers.push(number);
        Some(self.expr.add(node))
    }

    fn literal(&mut self, value: i64) -> Option<Id> {
        self.push(Node::Literal(Value::Int(value)), Number::constant(value, 64))
    }

    fn index(&mut self, op: IndexOp, below: &[Id]) -> Option<Id> {
        let numbers: Vec<Number> = below.iter().map(|&id| self.number(id)).collect();
        self.push(Node::Index(op, below.to_vec()), Number::of(op, &numbers, 64))
    }

    fn number(&self, id: Id) -> Number {
        self.numbers[usize::from(id)]
    }

    /// A new unknown.
    fn symbol(&mut self, leaf: Leaf<'c>, symbol: Symbol) -> Option<Id> {
        let number = Number::between(symbol.low, symbol.high, symbol.multiple, 64)?;
        let symbol = Symbol { name: format!("v{}", self.values.len()), ..symbol };
        self.values.push(leaf);
        self.push(Node::Symbol(symbol), number)
    }

    /// The place of an index.
    fn value(&mut self, value: Val<'c>, depth: usize) -> Option<Id> {
        let key = tree::key(value);
        if let Some(&id) = self.places.get(&key) {
            return Some(id);
        }
        let made = tree::definition(value).filter(|_| depth < DEPTH);
        let bound = self.bounds.get(&key).copied();
        let id = match made.and_then(|made| self.operation(made, value, depth + 1)) {
            Some(id) => id,
            None => {
                let symbol = self.read.leaves.symbol(value, 64);
                // A value that an operation demands to be in range is not below 0 either.
                let low = if bound.is_some() { symbol.low.max(0) } else { symbol.low };
                let high = symbol.high.min(bound.unwrap_or(i64::MAX));
                self.symbol(Leaf::Value(value), Symbol { low, high, ..symbol })?
            }
        };
        if let Some(bound) = bound {
            let number = &mut self.numbers[usize::from(id)];
            *number = number.meet(&Number::between(0, bound, 1, 64)?).unwrap_or(*number);
        }
        self.places.insert(key, id);
        Some(id)
    }

    /// The term of an operation's result, where it has one.
    fn operation(
        &mut self,
        made: OperationRef<'c, 'c>,
        value: Val<'c>,
        depth: usize,
    ) -> Option<Id> {
        if !value.r#type().is_index() {
            return None;
        }
        let name = tree::name(made);
        match name.as_str() {
            "arith.constant" => self.literal(crate::simplify::leaves::integer(made, "value")?),
            "layout.idx2crd" | "layout.crd2idx" => {
                if self.reading == Purpose::Alone {
                    return None;
                }
                let id = match name.as_str() {
                    "layout.idx2crd" => self.digit(made, value, depth)?,
                    _ => self.offset(made, depth)?,
                };
                self.inner.insert(address(made), made);
                Some(id)
            }
            _ if gives(&name) == Some(FactRule::Meaning) && made.operand_count() == 2 => {
                let below = [0, 1].map(|i| self.value(operand(made, i), depth));
                let [Some(x), Some(y)] = below else { return None };
                // An operand may be any number where what is made from it is in range: that is a leaf.
                if ![x, y].iter().all(|&id| is_narrow(&self.number(id))) {
                    return None;
                }
                let (op, swapped) = meaning(made, &name, &[self.number(x), self.number(y)])?;
                if op.is_predicate() || swapped || made.result_count() != 1 {
                    return None;
                }
                self.index(op, &[x, y])
            }
            _ => None,
        }
    }

    /// The integers of an operation's operands, in their order.
    fn operands(&mut self, made: OperationRef<'c, 'c>, depth: usize) -> Option<Vec<Id>> {
        let mut ids = Vec::new();
        for i in 0..made.operand_count() {
            let value = operand(made, i);
            match dynamic::carried(value.r#type()).ok()? {
                Some(term_value) => {
                    for number in 0..term_value.symbols().len() {
                        ids.push(self.integer(value, number, depth)?);
                    }
                }
                None if value.r#type().is_index() => ids.push(self.value(value, depth)?),
                None => return None,
            }
        }
        Some(ids)
    }

    /// A digit of an index.
    fn digit(&mut self, made: OperationRef<'c, 'c>, value: Val<'c>, depth: usize) -> Option<Id> {
        let place = (0..made.result_count())
            .position(|i| tree::key(result(made, i)) == tree::key(value))?;
        let answered = self.read.answered(made)?;
        let Evaluation { answer, facts, divided } = &*answered;
        let (index, extents) = divided.as_ref()?;
        let ids = self.operands(made, depth)?;
        if self.reading == Purpose::Folded {
            let Outcome::Numbers(numbers) = &answer.outcome else { return None };
            let count = self.numbers.len();
            let id = self.expression(facts, numbers.get(place)?, &ids)?;
            if self.own(operand(made, 0)).high > i64::from(i32::MAX) {
                self.widen(count);
            }
            return Some(id);
        }
        let mut rest = self.expression(facts, index, &ids)?;
        for extent in &extents[..place] {
            let extent = self.expression(facts, extent, &ids)?;
            rest = self.index(IndexOp::Div, &[rest, extent])?;
        }
        if place + 1 == extents.len() {
            return Some(rest);
        }
        let extent = self.expression(facts, &extents[place], &ids)?;
        self.index(IndexOp::Mod, &[rest, extent])
    }

    /// Counts the quotients and remainders from a node on as those of two registers.
    fn widen(&mut self, from: usize) {
        let nodes: &[Node] = &self.expr;
        for node in &nodes[from..] {
            if let Node::Index(IndexOp::Div | IndexOp::Mod, below) = node {
                self.wide += match self.numbers[usize::from(below[1])].value() {
                    Some(by) if by.count_ones() == 1 => 0,
                    Some(_) => WIDE_BY_CONSTANT,
                    None => WIDE,
                };
            }
        }
    }

    /// The offset of an operation's coordinate: the sum of those of its entries.
    fn offset(&mut self, made: OperationRef<'c, 'c>, depth: usize) -> Option<Id> {
        let source = operand(made, 0);
        let term_value = dynamic::known(source.r#type())?.ok()?;
        if self.reading != Purpose::Layouts {
            let answered = self.read.answered(made)?;
            let ids = self.operands(made, depth)?;
            let Outcome::Numbers(numbers) = &answered.answer.outcome else { return None };
            return self.expression(&answered.facts, numbers.first()?, &ids);
        }
        let (layout, facts) = match &term_value {
            TermValue::Symbolic { value: Value::Layout(layout), facts } => {
                (layout.clone(), facts.clone())
            }
            TermValue::Static(Value::Layout(layout)) => {
                (Layout::<Expr>::from(layout), Facts::new())
            }
            _ => return None,
        };
        let count = term_value.symbols().len();
        let ids: Option<Vec<Id>> = (0..count).map(|i| self.integer(source, i, depth)).collect();
        let (ids, pattern) = (ids?, ops::coordinate(made).ok()?);
        let mut indices = (1..made.operand_count()).map(|i| operand(made, i));
        let mut parts = Vec::new();
        split(&pattern, &layout, &mut indices, &mut parts)?;
        let mut sum = None;
        for (at, layout) in parts.into_iter().rev() {
            let at = match at {
                CoordEntry::Known(0) => continue,
                CoordEntry::Known(at) => self.literal(at)?,
                CoordEntry::Value(value) => self.value(value, depth)?,
            };
            let term = self.applied(at, &layout, &facts, &ids)?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.index(IndexOp::Add, &[term, sum])?,
            });
        }
        match sum {
            None => self.literal(0),
            sum => sum,
        }
    }

    /// A layout applied to an index: pairs within pairs, of a mode and those after it.
    fn applied(
        &mut self,
        index: Id,
        layout: &Layout<Expr>,
        facts: &Facts,
        ids: &[Id],
    ) -> Option<Id> {
        let mut modes = Vec::new();
        for (extent, stride) in layout.flat() {
            modes.push((
                self.expression(facts, &extent, ids)?,
                self.expression(facts, &stride, ids)?,
            ));
        }
        let of = self.number(index);
        let mut number = Number::constant(0, 64);
        let mut rest = of;
        for (i, &(extent, stride)) in modes.iter().enumerate() {
            let (extent, stride) = (self.number(extent), self.number(stride));
            let digit = match i + 1 == modes.len() {
                true => rest,
                false => Number::of(IndexOp::Mod, &[rest, extent], 64),
            };
            let term = Number::of(IndexOp::Mul, &[digit, stride], 64);
            number = Number::of(IndexOp::Add, &[number, term], 64);
            rest = Number::of(IndexOp::Div, &[rest, extent], 64);
        }
        let (&last, before) = modes.split_last()?;
        let unknown = Number::constant(0, 64);
        let (mut shape, mut strides) = last;
        for &(extent, stride) in before.iter().rev() {
            shape = self.push(Node::Tuple(vec![extent, shape]), unknown)?;
            strides = self.push(Node::Tuple(vec![stride, strides]), unknown)?;
        }
        let layout = self.push(Node::Layout([shape, strides]), unknown)?;
        self.push(Node::Call(Op::Crd2Idx, vec![index, layout]), number)
    }

    /// An expression over symbols, of which these are the terms.
    fn expression(&mut self, facts: &Facts, expr: &Expr, ids: &[Id]) -> Option<Id> {
        facts.compute(expr, Width::W64, &mut Steps { terms: self, ids }).ok()
    }

    /// The integer of a number of those that a layout's or tuple's type leaves open.
    fn integer(&mut self, of: Val<'c>, number: usize, depth: usize) -> Option<Id> {
        let key = (tree::key(of), number);
        if let Some(&id) = self.integers.get(&key) {
            return Some(id);
        }
        let made = tree::definition(of).filter(|_| depth < DEPTH);
        let id = match made.and_then(|made| self.carried(made, of, number, depth + 1)) {
            Some(id) => id,
            None => {
                let (part, place) = place(of, number)?;
                let stated = self.stated(of, number)?;
                self.symbol(Leaf::Part { of, part, place }, stated)?
            }
        };
        self.integers.insert(key, id);
        Some(id)
    }

    /// The facts that a type states of an integer.
    fn stated(&self, of: Val<'c>, number: usize) -> Option<Symbol> {
        let term_value = dynamic::carried(of.r#type()).ok()??;
        let known = term_value.symbols().into_iter().nth(number)?;
        let (low, high) = known.range();
        let multiple = known.divisor().unsigned_abs().max(1);
        Some(Symbol { low, high, multiple, ..self.read.leaves.symbol(of, 64) })
    }

    /// The integer where an operation takes it from its operands.
    fn carried(
        &mut self,
        made: OperationRef<'c, 'c>,
        of: Val<'c>,
        number: usize,
        depth: usize,
    ) -> Option<Id> {
        let name = tree::name(made);
        if name == "layout.make" {
            let stated = self.stated(of, number)?;
            return self.symbol(Leaf::Value(operand(made, number)), stated);
        }
        if name == "layout.assume" || made.result_count() != 1 {
            return None;
        }
        let answered = self.read.answered(made)?;
        let (_, places) = answered.answer.value().ok()?;
        let mut place = *places.get(number)?;
        for i in 0..made.operand_count() {
            let value = operand(made, i);
            let count = match dynamic::carried(value.r#type()).ok()? {
                Some(term_value) => term_value.symbols().len(),
                None => usize::from(dynamic::is_symbol(value.r#type())),
            };
            if place < count {
                return match value.r#type().is_index() {
                    true => self.value(value, depth),
                    false if dynamic::is_symbol(value.r#type()) => {
                        let stated = self.stated(of, number)?;
                        self.symbol(Leaf::Value(value), stated)
                    }
                    false => self.integer(value, place, depth),
                };
            }
            place -= count;
        }
        None
    }

    /// Arithmetic of 32 bits for a term, before another operation.
    pub(super) fn emit(
        &self,
        before: OperationRef<'c, 'c>,
        found: &Optimised,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        let b = Builder::before(before);
        let word = b.integer(32);
        let mut made: Vec<Option<Val<'c>>> = Vec::new();
        let nodes: &[Node] = &found.expr;
        for node in nodes {
            let value = match node {
                Node::Literal(Value::Int(value)) => Some(b.constant(word, wrap(*value, 32))?),
                Node::Symbol(symbol) => {
                    let place = symbol.name.strip_prefix('v').and_then(|n| n.parse::<usize>().ok());
                    match place.and_then(|place| self.values.get(place)) {
                        Some(&leaf) => Some(narrowed(&b, self.read.leaf(leaf, before)?)?),
                        None => None,
                    }
                }
                Node::Index(op, below) => {
                    let below = below.iter().map(|&id| made[usize::from(id)]);
                    match below.collect::<Option<Vec<_>>>() {
                        Some(below) => Some(emit(&b, *op, &below)?),
                        None => None,
                    }
                }
                _ => None,
            };
            made.push(value);
        }
        let root = found.roots.first().and_then(|&root| made.get(usize::from(root)).copied());
        let Some(root) = root.flatten() else { return Ok(None) };
        let index = Type::index(b.context());
        Ok(Some(b.value("arith.index_cast", &[root], index, &[])?))
    }
}

/// Whether a number fits a word of 31 bits.
fn is_narrow(number: &Number) -> bool {
    number.low >= 0 && number.high <= i64::from(i32::MAX)
}

/// An integer in 32 bits.
fn narrowed<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, melior::Error> {
    let word = b.integer(32);
    match value.r#type() {
        r#type if r#type == word => Ok(value),
        r#type if r#type.is_index() => b.value("arith.index_cast", &[value], word, &[]),
        _ => b.value("arith.trunci", &[value], word, &[]),
    }
}

/// Where a symbol is by itself in a layout or tuple: which leaf.
fn place(of: Val<'_>, number: usize) -> Option<(LeafKind, usize)> {
    let term_value = dynamic::known(of.r#type())?.ok()?;
    let TermValue::Symbolic { value, facts } = &term_value else { return None };
    let symbol = facts.symbol(term_value.symbols().get(number)?.name()).ok()?;
    let find = |leaves: &[&Expr]| leaves.iter().position(|leaf| **leaf == symbol);
    match value {
        Value::Tuple(tuple) => Some((LeafKind::Whole, find(&tuple.leaves())?)),
        Value::Layout(layout) => match find(&layout.shape().leaves()) {
            Some(place) => Some((LeafKind::Shape, place)),
            None => Some((LeafKind::Stride, find(&layout.stride().leaves())?)),
        },
        _ => None,
    }
}

/// An entry of a coordinate.
enum CoordEntry<'c> {
    Known(i64),
    Value(Val<'c>),
}

/// The entries of a coordinate, each with its part of the layout, or `None` for a coordinate that keeps a mode.
fn split<'c>(
    pattern: &Pattern,
    layout: &Layout<Expr>,
    indices: &mut impl Iterator<Item = Val<'c>>,
    parts: &mut Vec<(CoordEntry<'c>, Layout<Expr>)>,
) -> Option<()> {
    match pattern {
        Pattern::Any => None,
        Pattern::At(at) => {
            parts.push((CoordEntry::Known(*at), layout.clone()));
            Some(())
        }
        Pattern::Dynamic => {
            let index = indices.next().filter(|index| index.r#type().is_index())?;
            parts.push((CoordEntry::Value(index), layout.clone()));
            Some(())
        }
        Pattern::Tuple(entries) => {
            let modes = layout.modes();
            if modes.len() != entries.len() || layout.is_leaf() {
                return None;
            }
            entries.iter().zip(&modes).try_for_each(|(at, mode)| split(at, mode, indices, parts))
        }
    }
}

/// Builds the steps of an expression as nodes.
struct Steps<'s, 'c> {
    terms: &'s mut Terms<'c>,
    /// The terms of the symbols, by number.
    ids: &'s [Id],
}

impl Machine for Steps<'_, '_> {
    type Value = Id;
    type Error = ();

    fn constant(&mut self, value: i64, _: Width) -> Result<Id, ()> {
        self.terms.literal(value).ok_or(())
    }

    fn symbol(&mut self, name: &str, _: Width) -> Result<Id, ()> {
        let place = name.strip_prefix('?').and_then(|digits| digits.parse::<usize>().ok());
        place.and_then(|place| self.ids.get(place)).copied().ok_or(())
    }

    fn resize(&mut self, value: Id, _: Width, _: Width) -> Result<Id, ()> {
        Ok(value)
    }

    fn step(&mut self, step: Step, a: Id, b: Id, _: Width) -> Result<Id, ()> {
        let natural = [a, b].iter().all(|&id| self.terms.number(id).low >= 0);
        let divides = self.terms.number(b).low > 0;
        let op = match step {
            Step::Add => IndexOp::Add,
            Step::Subtract => IndexOp::Sub,
            Step::Multiply => IndexOp::Mul,
            Step::Minimum => IndexOp::Min,
            Step::And => IndexOp::And,
            Step::ShiftRight => IndexOp::Shr,
            Step::ShiftRightSigned if natural => IndexOp::Shr,
            Step::Divide | Step::DivideSigned if natural && divides => IndexOp::Div,
            Step::Remainder | Step::RemainderSigned if natural && divides => IndexOp::Mod,
            _ => return Err(()),
        };
        self.terms.index(op, &[a, b]).ok_or(())
    }
}
