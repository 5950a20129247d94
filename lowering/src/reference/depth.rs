//! The depth of a reference: how many numbers it adds up for an element, which is its longest reduction, read from its
//! loops.
//!
//! A loop reduces if it carries values from iteration to iteration, or if it stores a value computed from a load of the
//! same memref, at an index that the loop does not change, and stores nothing else there. Reductions that do not round, as
//! maxima, add up nothing. Functions that it calls are read in the places of their calls ([`inlined`]).
//!
//! ```text
//! scf.for %j = %c0 to %columns step %c1        the extent of a mode: columns
//! scf.for %k = max(0, 2i-1) to min(h, 2i+2)    a difference that is a constant: 3
//! scf.for %k = 0 to %i + 1                     at most the bound of the loop of i
//! ```

use layout_dialect::{
    buffers,
    build::{Val, context_of, operand},
    tree,
};
use melior::{
    ir::{
        BlockLike, Module, OperationRef, ValueLike, attribute::FlatSymbolRefAttribute,
        operation::OperationLike,
    },
    pass::PassManager,
    utility,
};
use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
};

/// The most operations that are examined for one value.
const MAX_OPERATIONS: usize = 4096;

/// The most forms of a bound that are compared.
const MAX_FORMS: usize = 16;

/// The operands of a loop that are its bounds and its step.
const BOUNDS: usize = 3;

/// The deepest nesting of loops and arithmetic that a bound is followed through.
const MAX_NESTING: usize = 32;

/// The most operations that one bound is followed through.
const MAX_STEPS: usize = 4096;

/// The most operations of a reference with those of the functions that it calls, once for each call.
const MAX_INLINED: usize = 1 << 14;

/// The pass that reads calls as what they call.
const INLINE: &str = "builtin.module(inline)";

/// A number of iterations, at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    Number(u64),
    /// The extent of a mode of the reference's argument of this number.
    Extent {
        argument: usize,
        mode: usize,
    },
    Sum(Box<[Self; 2]>),
    Product(Box<[Self; 2]>),
    Max(Box<[Self; 2]>),
    /// A quotient, rounded up.
    Quotient(Box<Self>, u64),
}

impl Depth {
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.saturating_add(b)),
            (Self::Number(0), own) | (own, Self::Number(0)) => own,
            (a, b) => Self::Sum(Box::new([a, b])),
        }
    }

    fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.saturating_mul(b)),
            (Self::Number(1), own) | (own, Self::Number(1)) => own,
            (a, b) => Self::Product(Box::new([a, b])),
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => Self::Number(a.max(b)),
            (Self::Number(number), own) | (own, Self::Number(number)) if own.least() >= number => {
                own
            }
            (a, b) if a.covers(&b) => a,
            (a, b) => Self::Max(Box::new([a, b])),
        }
    }

    /// A lower bound: extents are at least 1, or nothing is computed.
    fn least(&self) -> u64 {
        let both = |[a, b]: &[Self; 2]| (a.least(), b.least());
        match self {
            Self::Number(number) => *number,
            Self::Extent { .. } => 1,
            Self::Sum(own) => {
                let (a, b) = both(own);
                a.saturating_add(b)
            }
            Self::Product(own) => {
                let (a, b) = both(own);
                a.saturating_mul(b)
            }
            Self::Max(own) => {
                let (a, b) = both(own);
                a.max(b)
            }
            Self::Quotient(own, divisor) => own.least().div_ceil(*divisor),
        }
    }

    /// How many numbers, extents and operations it has.
    fn steps(&self) -> usize {
        match self {
            Self::Number(_) | Self::Extent { .. } => 1,
            Self::Sum(both) | Self::Product(both) | Self::Max(both) => {
                1 + both.iter().map(Self::steps).sum::<usize>()
            }
            Self::Quotient(own, _) => 1 + own.steps(),
        }
    }

    /// Whether it is the other one, or a maximum of that and of others.
    fn covers(&self, other: &Self) -> bool {
        match self {
            own if own == other => true,
            Self::Max(both) => both.iter().any(|own| own.covers(other)),
            _ => false,
        }
    }

    fn over(self, divisor: u64) -> Self {
        match self {
            own if divisor <= 1 => own,
            Self::Number(number) => Self::Number(number.div_ceil(divisor)),
            own => Self::Quotient(Box::new(own), divisor),
        }
    }

    /// An expression over sizes, with the text of each extent, or `None` if one has no text.
    pub(super) fn text(&self, extent: &impl Fn(usize, usize) -> Option<String>) -> Option<String> {
        let both = |[a, b]: &[Self; 2]| Some((a.text(extent)?, b.text(extent)?));
        Some(match self {
            Self::Number(number) => number.to_string(),
            Self::Extent { argument, mode } => extent(*argument, *mode)?,
            Self::Sum(own) => both(own).map(|(a, b)| format!("({a}+{b})"))?,
            Self::Product(own) => both(own).map(|(a, b)| format!("{a}*{b}"))?,
            Self::Max(own) => both(own).map(|(a, b)| format!("max({a},{b})"))?,
            Self::Quotient(own, divisor) => format!("ceil_div({},{divisor})", own.text(extent)?),
        })
    }
}

/// How much of the search for a bound is left.
#[derive(Clone, Copy)]
struct Search<'s> {
    nesting: usize,
    steps: &'s Cell<usize>,
}

impl Search<'_> {
    /// The search through one operation more; none once it is too deep or too long.
    fn through(self) -> Option<Self> {
        let steps = self.steps.get().checked_sub(1)?;
        self.steps.set(steps);
        (self.nesting < MAX_NESTING).then_some(Self { nesting: self.nesting + 1, ..self })
    }
}

/// A copy of references, in which what functions call is in the places of the calls, so that arguments are the caller's values;
/// none where they are too large, or call themselves.
pub(super) fn inlined<'c>(module: &Module<'c>) -> Option<Module<'c>> {
    let functions = tree::inside(module.as_operation(), "func.func").into_iter();
    let functions: HashMap<String, OperationRef<'_, '_>> =
        functions.filter_map(|function| Some((tree::symbol(function)?, function))).collect();
    let mut sizes = HashMap::new();
    for name in functions.keys() {
        (size(name, &functions, &mut sizes, 0)? <= MAX_INLINED).then_some(())?;
    }
    let mut copy = Module::from_operation((*module.as_operation()).clone())?;
    let manager = PassManager::new(context_of(module.as_operation()));
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), INLINE).ok()?;
    manager.run(&mut copy).ok()?;
    Some(copy)
}

/// The number of operations of a function, with those of the functions that it calls, or `None` for one that calls itself.
fn size(
    name: &str,
    functions: &HashMap<String, OperationRef<'_, '_>>,
    known: &mut HashMap<String, usize>,
    nesting: usize,
) -> Option<usize> {
    if let Some(&size) = known.get(name) {
        return Some(size);
    }
    (nesting < MAX_NESTING).then_some(())?;
    let mut all = 0_usize;
    for operation in functions.get(name).map(|own| tree::all(*own)).unwrap_or_default() {
        all = all.saturating_add(1);
        let callee = operation.attribute("callee").and_then(FlatSymbolRefAttribute::try_from);
        if let Ok(callee) = callee {
            all = all.saturating_add(size(callee.value(), functions, known, nesting + 1)?);
        }
    }
    known.insert(name.to_owned(), all);
    Some(all)
}

/// The longest reduction of a function, or `None` if a reducing loop has a bound that is not found, or a call is left, which may
/// add up any number.
pub(super) fn of(function: OperationRef<'_, '_>) -> Option<Depth> {
    let mut depth = Depth::Number(1);
    for operation in tree::all(function) {
        let loops = match tree::name(operation).as_str() {
            "memref.store" if accumulates(operation) => {
                let around = around(operation);
                around
                    .into_iter()
                    .filter(|one| !moves(*one, operation) && !starts(*one, operation))
                    .collect()
            }
            "scf.for" | "scf.while" if operation.result_count() > 0 && rounds_inside(operation) => {
                let mut all = vec![operation];
                for one in around(operation) {
                    if !continues(all[all.len() - 1], one) {
                        break;
                    }
                    all.push(one);
                }
                all
            }
            "func.call" => return None,
            _ => continue,
        };
        let mut own = Depth::Number(1);
        for one in loops {
            own = own.times(rounds(one)?);
        }
        depth = depth.or(own);
    }
    Some(depth)
}

/// Whether an operation's result is rounded in the arithmetic of a kernel.
pub(super) fn is_rounded(name: &str) -> bool {
    /// Functions whose results are exact.
    const EXACT: [&str; 7] = ["absf", "ceil", "copysign", "floor", "round", "roundeven", "trunc"];
    match name.split_once('.') {
        Some(("arith", name)) => {
            matches!(name, "addf" | "subf" | "mulf" | "divf" | "sitofp" | "uitofp")
        }
        Some(("math", name)) => !EXACT.contains(&name),
        _ => false,
    }
}

/// Whether a loop rounds.
fn rounds_inside(one: OperationRef<'_, '_>) -> bool {
    tree::all(one).into_iter().any(|step| is_rounded(&tree::name(step)))
}

/// Whether a loop begins with what the one around it carries.
fn continues<'c>(inner: OperationRef<'c, 'c>, outer: OperationRef<'c, 'c>) -> bool {
    let first = if tree::name(inner) == "scf.for" { BOUNDS } else { 0 };
    let start = (first..inner.operand_count()).map(|i| operand(inner, i)).collect();
    let Some(carried) = tree::entry(outer) else { return false };
    let carries = |value: Val<'c>| {
        (0..carried.argument_count())
            .any(|i| tree::key(tree::argument(carried, i)) == tree::key(value))
    };
    outer.result_count() > 0 && depends_on(start, true, |value, _| carries(value))
}

/// The loops around an operation, from the inside.
fn around<'c>(operation: OperationRef<'c, 'c>) -> Vec<OperationRef<'c, 'c>> {
    tree::ancestors(operation)
        .take_while(|one| tree::name(*one) != "func.func")
        .filter(|one| ["scf.for", "scf.while"].contains(&tree::name(*one).as_str()))
        .collect()
}

/// A sum of multiples of values.
#[derive(Clone, Default)]
struct Linear<'c> {
    constant: i64,
    terms: Vec<(Val<'c>, i64)>,
}

impl<'c> Linear<'c> {
    fn of(value: Val<'c>, search: Search<'_>) -> Option<Self> {
        let search = search.through()?;
        if let Some(constant) = tree::constant(value) {
            return Some(Self { constant, terms: Vec::new() });
        }
        let made = tree::definition(value);
        let name = made.map(tree::name).unwrap_or_default();
        let part = |i: usize| Self::of(operand(made?, i), search);
        match name.as_str() {
            "arith.index_cast" => part(0),
            "arith.addi" => part(0)?.plus(&part(1)?, 1),
            "arith.subi" => part(0)?.plus(&part(1)?, -1),
            "arith.muli" => {
                let (a, b) = (part(0)?, part(1)?);
                let (scale, own) = if a.terms.is_empty() { (a, b) } else { (b, a) };
                match scale.terms.is_empty() {
                    true => Self::default().plus(&own, scale.constant),
                    false => Some(Self { constant: 0, terms: vec![(value, 1)] }),
                }
            }
            _ => Some(Self { constant: 0, terms: vec![(value, 1)] }),
        }
    }

    fn plus(mut self, other: &Self, scale: i64) -> Option<Self> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(scale)?)?;
        for (value, factor) in &other.terms {
            let factor = factor.checked_mul(scale)?;
            match self.terms.iter_mut().find(|(own, _)| tree::key(*own) == tree::key(*value)) {
                Some((_, own)) => *own = own.checked_add(factor)?,
                None => self.terms.push((*value, factor)),
            }
        }
        self.terms.retain(|(_, factor)| *factor != 0);
        Some(self)
    }

    /// An upper bound of it.
    fn at_most(&self, search: Search<'_>) -> Option<Depth> {
        let mut all = Depth::Number(u64::try_from(self.constant).unwrap_or(0));
        for &(value, factor) in &self.terms {
            match u64::try_from(factor) {
                Ok(factor) => {
                    all = all.plus(at_most(value, search)?.times(Depth::Number(factor)));
                }
                Err(_) if is_natural(value) => {}
                Err(_) => return None,
            }
        }
        Some(all)
    }
}

/// The forms of a bound: of a minimum both, if it is an upper bound, and of a maximum, if it is a lower one.
fn forms<'c>(value: Val<'c>, is_upper: bool, search: Search<'_>) -> Option<Vec<Linear<'c>>> {
    let search = search.through()?;
    let made = tree::definition(value);
    let name = made.map(tree::name).unwrap_or_default();
    let part = |i: usize, is_upper: bool| forms(operand(made?, i), is_upper, search);
    let mut all = match (name.as_str(), is_upper) {
        ("arith.minsi" | "arith.minui", true) | ("arith.maxsi" | "arith.maxui", false) => {
            [part(0, is_upper)?, part(1, is_upper)?].concat()
        }
        ("arith.addi" | "arith.subi", _) => {
            let scale = if name == "arith.addi" { 1 } else { -1 };
            let others = part(1, is_upper == (scale == 1))?;
            let mut all = Vec::new();
            for own in part(0, is_upper)? {
                for other in &others {
                    all.push(own.clone().plus(other, scale)?);
                }
            }
            all
        }
        ("arith.index_cast", _) => part(0, is_upper)?,
        _ => vec![Linear::of(value, search)?],
    };
    all.truncate(MAX_FORMS);
    Some(all)
}

/// How often a loop runs, at most.
fn rounds(one: OperationRef<'_, '_>) -> Option<Depth> {
    match tree::name(one) == "scf.for" {
        true => by_bounds(one).or_else(|| by_accesses(one)),
        false => None,
    }
}

/// The same where a bound is unknown, as one that is read from memory: an index that moves with the loop stays within its
/// mode.
fn by_accesses(one: OperationRef<'_, '_>) -> Option<Depth> {
    let variable = tree::key(tree::argument(tree::entry(one)?, 0));
    let steps = Cell::new(MAX_STEPS);
    let search = Search { nesting: 0, steps: &steps };
    let moves = |index: Val<'_>| {
        let linear = Linear::of(index, search)?;
        linear.terms.iter().any(|(value, _)| tree::key(*value) == variable).then_some(())
    };
    let bound = |access: OperationRef<'_, '_>| {
        let memref = usize::from(tree::name(access) == "memref.store");
        (memref + 1..access.operand_count()).find_map(|place| {
            let index = operand(access, place);
            let quotient = tree::definition(index).filter(|made| {
                ["arith.divsi", "arith.divui"].contains(&tree::name(*made).as_str())
            });
            let (index, scale) = match quotient {
                Some(made) => {
                    let scale = u64::try_from(tree::constant(operand(made, 1))?).ok()?;
                    (operand(made, 0), scale)
                }
                None => (index, 1),
            };
            moves(index)?;
            let extent = extent(operand(access, memref), place - memref - 1, search)?;
            Some(extent.times(Depth::Number(scale)))
        })
    };
    tree::all(one)
        .into_iter()
        .filter(|access| ["memref.load", "memref.store"].contains(&tree::name(*access).as_str()))
        .find_map(bound)
}

/// The extent of a mode of a memref that is an argument of the function, or allocated in it.
fn extent(memref: Val<'_>, mode: usize, search: Search<'_>) -> Option<Depth> {
    if let Some(made) = tree::definition(memref) {
        let extents = buffers::Buffer::of(memref.r#type()).ok()??.extents();
        let known = *extents.get(mode)?;
        let own = ["memref.alloc", "memref.alloca"].contains(&tree::name(made).as_str());
        let place = extents[..mode].iter().filter(|extent| extent.is_none()).count();
        return match known {
            Some(extent) => u64::try_from(extent).ok().map(Depth::Number),
            None if own => sum_at_most(operand(made, place), search),
            None => None,
        };
    }
    let function = tree::owner(memref)?;
    if tree::name(function.parent_operation()?) != "func.func" {
        return None;
    }
    let mut arguments = (0..function.argument_count())
        .map(|i| tree::argument(function, i))
        .filter(|own| own.r#type().to_string().starts_with("memref<"));
    let argument = arguments.position(|own| tree::key(own) == tree::key(memref))?;
    Some(Depth::Extent { argument, mode })
}

/// The same by its bounds.
fn by_bounds(one: OperationRef<'_, '_>) -> Option<Depth> {
    let left = Cell::new(MAX_STEPS);
    let search = Search { nesting: 0, steps: &left };
    let step =
        tree::constant(operand(one, 2)).and_then(|step| u64::try_from(step).ok()).unwrap_or(1);
    let (uppers, lowers) =
        (forms(operand(one, 1), true, search)?, forms(operand(one, 0), false, search)?);
    let mut all = Vec::new();
    for upper in &uppers {
        for lower in &lowers {
            all.extend(upper.clone().plus(lower, -1));
        }
    }
    // All of them bound it: a constant is the best to have.
    let numbers = all.iter().filter(|own| own.terms.is_empty()).map(|own| own.constant).min();
    let count = match numbers {
        Some(number) => Depth::Number(u64::try_from(number).unwrap_or(0)),
        None => simplest(&all, search)?,
    };
    Some(Depth::Number(1).or(count.over(step)))
}

/// An upper bound of a value.
fn sum_at_most(value: Val<'_>, search: Search<'_>) -> Option<Depth> {
    let forms = forms(value, true, search)?;
    simplest(&forms, search)
}

/// An upper bound of the simplest of several bounds.
fn simplest(bounds: &[Linear<'_>], search: Search<'_>) -> Option<Depth> {
    bounds.iter().filter_map(|own| own.at_most(search)).min_by_key(Depth::steps)
}

/// An upper bound of a value that is no sum.
fn at_most(value: Val<'_>, search: Search<'_>) -> Option<Depth> {
    let search = search.through()?;
    let Some(made) = tree::definition(value) else {
        // An induction variable is below the upper bound of its loop.
        return sum_at_most(operand(around_variable(value)?, 1), search);
    };
    let part = |i: usize| sum_at_most(operand(made, i), search);
    match tree::name(made).as_str() {
        "memref.dim" => {
            let mode = usize::try_from(tree::constant(operand(made, 1))?).ok()?;
            extent(operand(made, 0), mode, search)
        }
        "arith.maxsi" | "arith.maxui" => Some(part(0)?.or(part(1)?)),
        "arith.muli" => Some(part(0)?.times(part(1)?)),
        "arith.ceildivsi" | "arith.ceildivui" | "arith.divsi" | "arith.divui"
        | "arith.floordivsi" => {
            let divisor = tree::constant(operand(made, 1)).and_then(|own| u64::try_from(own).ok());
            Some(part(0)?.over(divisor.unwrap_or(1)))
        }
        "arith.remsi" | "arith.remui" => {
            let divisor = tree::constant(operand(made, 1)).and_then(|own| u64::try_from(own).ok());
            divisor.map(Depth::Number).or_else(|| part(0))
        }
        _ => None,
    }
}

/// Whether a value is known to be no negative one: an extent, or the variable of a loop from such a value on.
fn is_natural(value: Val<'_>) -> bool {
    match (tree::constant(value), tree::definition(value)) {
        (Some(number), _) => number >= 0,
        (None, Some(made)) => match tree::name(made).as_str() {
            "memref.dim" => true,
            "arith.maxsi" => [0, 1]
                .into_iter()
                .any(|i| tree::constant(operand(made, i)).is_some_and(|number| number >= 0)),
            _ => false,
        },
        (None, None) => around_variable(value)
            .and_then(|own| tree::constant(operand(own, 0)))
            .is_some_and(|number| number >= 0),
    }
}

/// The loop of an induction variable.
fn around_variable<'c>(value: Val<'c>) -> Option<OperationRef<'c, 'c>> {
    let block = tree::owner(value)?;
    let around = tree::ancestors(*tree::operations(block).first()?).next()?;
    let is_variable = tree::key(tree::argument(block, 0)) == tree::key(value);
    (is_variable && tree::name(around) == "scf.for").then_some(around)
}

/// Whether an index of a store depends on a loop's induction variable.
fn moves(one: OperationRef<'_, '_>, store: OperationRef<'_, '_>) -> bool {
    let Some(variable) = tree::entry(one).filter(|entry| entry.argument_count() > 0) else {
        return false;
    };
    let variable = tree::key(tree::argument(variable, 0));
    let indices = (2..store.operand_count()).map(|i| operand(store, i)).collect();
    depends_on(indices, true, |value, _| tree::key(value) == variable)
}

/// Whether a store computes what it stores from a load of the same memref.
fn adds_to_itself(store: OperationRef<'_, '_>) -> bool {
    loads_itself(store, true)
}

/// The same, with rounding on the way.
fn accumulates(store: OperationRef<'_, '_>) -> bool {
    loads_itself(store, false)
}

fn loads_itself(store: OperationRef<'_, '_>, takes_exact: bool) -> bool {
    let own = tree::key(operand(store, 1));
    depends_on(vec![operand(store, 0)], takes_exact, |_, operation| {
        operation.is_some_and(|operation| {
            tree::name(operation) == "memref.load" && tree::key(operand(operation, 0)) == own
        })
    })
}

/// Whether a loop stores to the memref of a store what does not depend on it.
fn starts(one: OperationRef<'_, '_>, store: OperationRef<'_, '_>) -> bool {
    let own = tree::key(operand(store, 1));
    tree::all(one).into_iter().any(|other| {
        tree::name(other) == "memref.store"
            && tree::key(operand(other, 1)) == own
            && !adds_to_itself(other)
    })
}

/// Whether one of the values that some are computed from is found, by a way that rounds, or by any if exact ones count.
fn depends_on<'c>(
    values: Vec<Val<'c>>,
    takes_exact: bool,
    is_found: impl Fn(Val<'c>, Option<OperationRef<'c, 'c>>) -> bool,
) -> bool {
    let mut seen = HashSet::new();
    let mut next: Vec<(Val<'c>, bool)> =
        values.into_iter().map(|value| (value, takes_exact)).collect();
    while let Some((value, rounds)) = next.pop() {
        if seen.len() > MAX_OPERATIONS || !seen.insert((tree::key(value), rounds)) {
            continue;
        }
        let operation = tree::definition(value);
        if rounds && is_found(value, operation) {
            return true;
        }
        let Some(operation) = operation else { continue };
        let name = tree::name(operation);
        let rounds = rounds || is_rounded(&name);
        next.extend((0..operation.operand_count()).map(|i| (operand(operation, i), rounds)));
        if name == "scf.if" {
            let ends =
                tree::all(operation).into_iter().filter(|step| tree::name(*step) == "scf.yield");
            next.extend(
                ends.flat_map(|end| {
                    (0..end.operand_count()).map(move |i| (operand(end, i), rounds))
                }),
            );
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Depth, MAX_INLINED, inlined, of};
    use crate::commands;
    use layout_dialect::tree;
    use melior::ir::Module;
    use std::fmt::Write;

    /// The depth of a sum from `%low` to `%high`, which steps define.
    fn depth(steps: &str) -> Option<Depth> {
        let context = commands::context(|| {});
        let text = format!(
            "func.func @r(%x: memref<?xf64>, %y: memref<1xf64>) {{
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %zero = arith.constant 0.0 : f64
               %one = arith.constant 1.0 : f64
               %n = memref.dim %x, %c0 : memref<?xf64>
               {steps}
               %sum = scf.for %i = %low to %high step %c1 iter_args(%before = %zero) -> f64 {{
                 %next = arith.addf %before, %one : f64
                 scf.yield %next : f64
               }}
               memref.store %sum, %y[%c0] : memref<1xf64>
               return
             }}"
        );
        let module = Module::parse(&context, &text).expect("a module");
        of(tree::inside(module.as_operation(), "func.func")[0])
    }

    #[test]
    fn bounds_are_extents_and_differences() {
        let extent = Depth::Extent { argument: 0, mode: 0 };
        let plain = "%low = arith.addi %c0, %c0 : index\n%high = arith.addi %n, %c0 : index";
        assert_eq!(depth(plain), Some(extent));
        let window = "%low = arith.subi %n, %c1 : index\n%high = arith.addi %n, %c1 : index";
        assert_eq!(depth(window), Some(Depth::Number(2)));
    }

    /// The depth of `@r`, which calls others.
    fn of_calls(text: &str) -> Option<Depth> {
        let context = commands::context(|| {});
        let module = Module::parse(&context, text).expect("a module");
        let whole = inlined(&module);
        let whole = whole.as_ref().unwrap_or(&module).as_operation();
        let all = tree::inside(whole, "func.func");
        of(*all.iter().find(|one| tree::symbol(**one).as_deref() == Some("r")).expect("@r"))
    }

    #[test]
    fn what_functions_add_up_is_their_callers() {
        // The bound of the callee is the extent of the caller's argument, and the caller adds up 4 of its sums.
        let sum = "func.func private @sum(%x: memref<?xf64>, %n: index, %from: f64) -> f64 {
             %c0 = arith.constant 0 : index
             %c1 = arith.constant 1 : index
             %sum = scf.for %i = %c0 to %n step %c1 iter_args(%before = %from) -> f64 {
               %v = memref.load %x[%i] : memref<?xf64>
               %next = arith.addf %before, %v : f64
               scf.yield %next : f64
             }
             return %sum : f64
           }";
        let caller = |body: &str| {
            format!(
                "{sum} func.func @r(%x: memref<?xf64>, %y: memref<1xf64>) {{
                   %c0 = arith.constant 0 : index
                   %c1 = arith.constant 1 : index
                   %c4 = arith.constant 4 : index
                   %zero = arith.constant 0.0 : f64
                   %n = memref.dim %x, %c0 : memref<?xf64>
                   {body}
                   memref.store %all, %y[%c0] : memref<1xf64>
                   return }}"
            )
        };
        let extent = Depth::Extent { argument: 0, mode: 0 };
        let once = "%all = func.call @sum(%x, %n, %zero) : (memref<?xf64>, index, f64) -> f64";
        assert_eq!(of_calls(&caller(once)), Some(extent.clone()));
        let often = "%all = scf.for %k = %c0 to %c4 step %c1 iter_args(%own = %zero) -> f64 {
                       %next = func.call @sum(%x, %n, %own) : (memref<?xf64>, index, f64) -> f64
                       scf.yield %next : f64
                     }";
        let found = of_calls(&caller(often)).expect("a depth");
        assert_eq!(found.text(&|_, _| Some("n".to_owned())).as_deref(), Some("n*4"));
    }

    #[test]
    fn calls_without_an_end_have_no_depth() {
        let itself = "func.func @r(%x: f64) -> f64 {
             %y = func.call @r(%x) : (f64) -> f64
             return %y : f64
           }";
        assert_eq!(of_calls(itself), None);
        // Each function calls the next one twice.
        let mut all = String::new();
        let steps = MAX_INLINED.ilog2();
        for step in 0..steps {
            let name = if step == 0 { "r".to_owned() } else { format!("f{step}") };
            let next = step + 1;
            let _ = writeln!(
                all,
                "func.func @{name}(%x: f64) -> f64 {{
                   %a = func.call @f{next}(%x) : (f64) -> f64
                   %b = func.call @f{next}(%a) : (f64) -> f64
                   return %b : f64 }}"
            );
        }
        let _ = writeln!(all, "func.func @f{steps}(%x: f64) -> f64 {{ return %x : f64 }}");
        assert_eq!(of_calls(&all), None);
    }

    /// Each step has two ways to the first value, so that all of them are too many to follow.
    #[test]
    fn a_search_for_a_bound_ends() {
        let mut steps =
            String::from("%low = arith.addi %c0, %c0 : index\n%m0 = arith.minsi %n, %c1 : index\n");
        for step in 0..60 {
            let next = step + 1;
            let _ = writeln!(
                steps,
                "%a{next} = arith.addi %m{step}, %m{step} : index\n%m{next} = arith.minsi %a{next}, %m{step} : index"
            );
        }
        steps.push_str("%high = arith.addi %m60, %m60 : index");
        assert_eq!(depth(&steps), None);
    }
}
