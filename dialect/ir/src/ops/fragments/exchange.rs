//! The expansion of a reduction: arithmetic in a thread, exchanges between lanes, and shared memory between warps.

use super::{
    MAX_ELEMENTS,
    plan::{DigitKind, Plan, WARP},
    reduce::{Combine, Pair, Reduce},
    write::{applied, load, store},
};
use crate::ops::prelude::*;
use crate::{
    data::attributes::integers,
    ops::{SliceCoord, reductions},
    pass::build::result,
};
use layout_algebra::Term;
use melior::ir::attribute::DictionaryAttribute;
use std::collections::HashMap;

/// A number of each source, which a reduction combines.
type Element<'c> = Vec<Val<'c>>;

/// The most slots that one thread reads of each result.
const MAX_SLOTS: i64 = 1024;

/// The bits of a word that lanes exchange.
const WORD: u32 = 32;

/// The accesses of a `layout.reduce` to memory and registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accesses {
    /// The indices of the elements that are read of each source.
    pub reads: Vec<i64>,
    /// For each target, the indices of its elements that are written, and the result of each.
    pub writes: Vec<Vec<(i64, usize)>>,
    /// Whether lanes of a warp exchange values.
    pub lanes: bool,
    /// How many lanes in a row execute it together, from a multiple of their number on.
    pub width: i64,
    /// Whether it goes through shared memory.
    pub shares: bool,
}

/// The accesses of a `layout.reduce` to memory and registers.
///
/// # Errors
///
/// Why it cannot be written out.
pub fn accesses(operation: OperationRef<'_, '_>) -> Result<Accesses, Violation> {
    Ok(planned(operation)?.2)
}

fn planned<'c>(
    operation: OperationRef<'c, '_>,
) -> Result<(Reduce<'c>, Plan, Accesses, ReduceContext), Violation> {
    let reduce = Reduce::of(operation)?;
    let block = ReduceContext::of(operation);
    let threads = block.block.as_deref().and_then(along_x);
    let whole_warps = threads.is_none_or(|threads| threads % WARP == 0);
    let plan = Plan::of(&reduce.holders, &reduce.along, whole_warps)?;
    let mut reads: Vec<i64> = plan.groups.iter().flatten().copied().collect();
    reads.sort_unstable();
    let writes = reduce.pairs.iter().map(|pair| pair.stores(&plan));
    let writes = writes.collect::<Result<Vec<_>, Violation>>()?;
    let (lanes, shares) = (!plan.lanes.is_empty(), plan.exchange.is_some());
    // A tile that less than a warp holds: in a branch, these threads exchange alone, since others may not be there.
    let holders = reduce.holders.threads;
    let is_part = holders < WARP && holders.count_ones() == 1;
    let width = match is_part && reductions::may_diverge(operation) {
        true => holders.max(plan.lanes.iter().max().map_or(1, |&bit| 2 << bit)),
        false => WARP,
    };
    let accesses = Accesses { reads, writes, lanes, width, shares };
    let is_within_thread = !lanes && !shares;
    if !(block.on_device || is_within_thread) {
        let expected = "a reduction across threads inside a kernel";
        return Err(Violation::new(Code::ReduceThreads, expected, "a function of the host"));
    }
    Ok((reduce, plan, accesses, block))
}

pub(super) fn write<'c>(operation: OperationRef<'c, 'c>) -> Result<(), Violation> {
    let (reduce, plan, accesses, block) = planned(operation)?;
    let b = Builder::before(operation);
    let mut values = HashMap::new();
    for value in accesses.reads {
        let own = reduce.pairs.iter().map(|pair| load(&b, pair.source, value));
        values.insert(value, own.collect::<Result<Element<'c>, Violation>>()?);
    }
    let mut results = Vec::with_capacity(plan.groups.len());
    for group in &plan.groups {
        let own = group.iter().filter_map(|value| values.get(value).cloned()).collect();
        let own = reduce.combine.all(&b, own)?;
        results.push(reduce.combine.lanes(&b, own, (&plan.lanes, accesses.width))?);
    }
    if let Some(digits) = &plan.exchange {
        let digits = block.digits(&reduce, digits)?;
        let count = i64::try_from(results.len()).unwrap_or(i64::MAX);
        let exchange = Exchange { reduce: &reduce, digits, results: count, again: block.again };
        results = exchange.write(&b, &results)?;
    }
    for (number, (pair, writes)) in reduce.pairs.iter().zip(accesses.writes).enumerate() {
        for (at, group) in writes {
            if let Some(&value) = results.get(group).and_then(|result| result.get(number)) {
                store(&b, value, pair.target, at)?;
            }
        }
    }
    Ok(())
}

impl Pair<'_> {
    /// The indices of the target that are written, each with its result.
    fn stores(&self, plan: &Plan) -> Result<Vec<(i64, usize)>, Violation> {
        let mut written: HashMap<i64, usize> = HashMap::new();
        let mut stores = Vec::new();
        for (value, &group) in (0..).zip(&plan.group_of) {
            let at = self.elements.at(value);
            match written.insert(self.layout.at(at)?, group) {
                None => stores.push((at, group)),
                Some(before) if before == group => {}
                Some(_) => {
                    let expected = format!(
                        "a target with an element for each of the {} results of a thread",
                        plan.groups.len()
                    );
                    let found =
                        format!("{}, whose element {value} aliases another result's", self.layout);
                    return Err(Violation::new(Code::ReduceTarget, expected, found));
                }
            }
        }
        Ok(stores)
    }
}

impl<'c> Combine<'c> {
    fn two(
        &self,
        b: &Builder<'c>,
        one: &[Val<'c>],
        other: &[Val<'c>],
    ) -> Result<Element<'c>, Violation> {
        match *self {
            Self::By([operation, _]) => {
                let mut all = Vec::with_capacity(one.len());
                for (&one, &other) in one.iter().zip(other) {
                    all.push(b.binary(operation, one, other)?);
                }
                Ok(all)
            }
            Self::Region(block) => {
                let arguments = one.iter().chain(other).enumerate().take(block.argument_count());
                let values =
                    arguments.map(|(at, value)| (tree::key(tree::argument(block, at)), *value));
                Ok(applied(b, block, values.collect()))
            }
        }
    }

    /// All of some values, in pairs, so that few depend on one another.
    fn all(&self, b: &Builder<'c>, mut values: Vec<Element<'c>>) -> Result<Element<'c>, Violation> {
        while values.len() > 1 {
            let pairs = values.chunks(2).map(|pair| match pair {
                [one, other] => self.two(b, one, other),
                _ => Ok(pair[0].clone()),
            });
            values = pairs.collect::<Result<_, _>>()?;
        }
        values.pop().ok_or_else(|| {
            Violation::new(Code::ReduceTarget, "at least one element to reduce", "none")
        })
    }

    /// A value of each lane and of those that differ from it in some bits of their number.
    /// `width` is that of the segment that exchanges.
    fn lanes(
        &self,
        b: &Builder<'c>,
        own: Element<'c>,
        (bits, width): (&[u32], i64),
    ) -> Result<Element<'c>, Violation> {
        let mut values = own;
        match *self {
            Self::By([_, name]) if width == WARP => {
                for run in runs(bits) {
                    let all = values.iter().map(|value| subgroup_reduce(b, name, *value, run));
                    values = all.collect::<Result<_, _>>()?;
                }
            }
            Self::By(_) | Self::Region(_) => {
                let other = |value: &Val<'c>, bit: u32| {
                    reductions::from_lane(b, *value, (1 << bit, width))?.ok_or_else(|| {
                        let expected = "elements of 8, 16, 32 or 64 bits, which lanes can exchange";
                        Violation::new(Code::ReduceRegion, expected, value.r#type())
                    })
                };
                for &bit in bits {
                    let others = values.iter().map(|value| other(value, bit));
                    let others = others.collect::<Result<Element<'c>, Violation>>()?;
                    values = self.two(b, &values, &others)?;
                }
            }
        }
        Ok(values)
    }
}

/// Bits in a row: the first of each run, and how many there are.
fn runs(bits: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &bit in bits {
        match runs.last_mut() {
            Some((first, count)) if *first + *count == bit => *count += 1,
            _ => runs.push((bit, 1)),
        }
    }
    runs
}

fn subgroup_reduce<'c>(
    b: &Builder<'c>,
    name: &str,
    value: Val<'c>,
    (first, count): (u32, u32),
) -> Result<Val<'c>, Violation> {
    let mut attributes = vec![("op", parse(b, &format!("#gpu<all_reduce_op {name}>"))?)];
    let word = |value: i64| IntegerAttribute::new(b.integer(WORD), value).into();
    if 1 << count != WARP {
        attributes.push(("cluster_size", word(1 << count)));
        attributes.push(("cluster_stride", word(1 << first)));
    }
    Ok(b.value("gpu.subgroup_reduce", &[value], value.r#type(), &attributes)?)
}

fn parse<'c>(b: &Builder<'c>, text: &str) -> Result<Attribute<'c>, Violation> {
    let attribute = Attribute::parse(b.context(), text);
    attribute.ok_or_else(|| melior::Error::AttributeParse(text.to_owned()).into())
}

/// The context of a reduction.
struct ReduceContext {
    /// The threads of a block along x, y and z, where they are known.
    block: Option<Vec<i64>>,
    /// Whether it may be executed more than once.
    again: bool,
    /// The operation around it that not all threads of the block execute.
    divergent_in: Option<String>,
    /// Whether it is in a kernel, or in what kernels call.
    on_device: bool,
}

impl ReduceContext {
    fn of(operation: OperationRef<'_, '_>) -> Self {
        let mut found = Self { block: None, again: false, divergent_in: None, on_device: false };
        let mut around = operation.parent_operation();
        while let Some(parent) = around {
            let name = tree::name(parent);
            match name.as_str() {
                "gpu.func" => {
                    found.block = block(parent);
                    found.on_device = true;
                    found.again |= parent.region(0).is_ok_and(|body| has_branches(&body));
                    return found;
                }
                "func.func" => {
                    let module = parent.parent_operation().map(tree::name);
                    found.on_device = module.as_deref() == Some("gpu.module");
                    found.again = true;
                    return found;
                }
                "layout.pipeline" => found.divergent_in = Some(name),
                "scf.if" => {}
                _ => found.again = true,
            }
            around = parent.parent_operation();
        }
        found
    }

    /// The digits of a thread's number in its block, with the tiles of the block as the last.
    fn digits(
        &self,
        reduce: &Reduce<'_>,
        digits: &[(i64, DigitKind)],
    ) -> Result<Vec<(i64, DigitKind)>, Violation> {
        let refused = |expected: String, found: String| {
            Err(Violation::new(Code::ReduceThreads, expected, found))
        };
        if let Some(divergent_in) = &self.divergent_in {
            let expected = format!(
                "a reduction within warps inside {divergent_in}, whose regions not all threads execute"
            );
            return refused(expected, "one through shared memory".to_owned());
        }
        let threads = match &self.block {
            Some(block) => along_x(block).ok_or_else(|| {
                let expected =
                    "a block with threads along x alone for a reduction through shared memory";
                Violation::new(Code::ReduceThreads, expected, format!("{block:?}"))
            })?,
            None => {
                let expected =
                    "known_block_size on the kernel of a reduction through shared memory";
                return refused(expected.to_owned(), "none".to_owned());
            }
        };
        let own = reduce.holders.threads;
        if threads % own != 0 {
            let expected =
                format!("a block size that is a multiple of the {own} threads that hold a tile");
            return refused(expected, threads.to_string());
        }
        let mut digits = digits.to_vec();
        match digits.last_mut() {
            _ if threads == own => {}
            Some((extent, DigitKind::Independent)) => *extent *= threads / own,
            _ => digits.push((threads / own, DigitKind::Independent)),
        }
        Ok(digits)
    }
}

/// Whether a body has branches between blocks, of which loops may be made.
fn has_branches<'c: 'a, 'a>(body: &impl melior::ir::RegionLike<'c, 'a>) -> bool {
    body.first_block().is_some_and(|block| block.next_in_region().is_some())
}

/// The threads of a block that has one thread along y and z.
fn along_x(block: &[i64]) -> Option<i64> {
    match block {
        &[x, 1, 1] => Some(x),
        _ => None,
    }
}

/// The threads of a kernel's block along x, y and z.
fn block(kernel: OperationRef<'_, '_>) -> Option<Vec<i64>> {
    let known = || integers(kernel.attribute("known_block_size").ok()?).ok();
    let declared = || {
        let facts = DictionaryAttribute::try_from(kernel.attribute("layout.kernel").ok()?).ok()?;
        integers(facts.element_by_name("block")?).ok()
    };
    known().or_else(declared)
}

/// An exchange through shared memory.
struct Exchange<'r, 'c> {
    reduce: &'r Reduce<'c>,
    /// The digits of a thread's number in its block.
    digits: Vec<(i64, DigitKind)>,
    /// Results of a thread.
    results: i64,
    /// Whether what was read before may still be read.
    again: bool,
}

impl<'c> Exchange<'_, 'c> {
    /// Each thread that lanes do not speak for writes what it has to its slot, and reads the slots of all parts of its
    /// results.
    fn write(&self, b: &Builder<'c>, own: &[Element<'c>]) -> Result<Vec<Element<'c>>, Violation> {
        let digits = self.own_digits(b)?;
        let of_lanes = |at: &usize| self.digits[*at].1 == DigitKind::Lane;
        let (lanes, slots): (Vec<usize>, Vec<usize>) =
            (0..self.digits.len()).partition(|at| of_lanes(at));
        let extents: Vec<i64> = slots.iter().map(|&at| self.digits[at].0).collect();
        // A buffer for each source, and the thread's own values, which go to its slot.
        let mut buffers = Vec::new();
        for (number, pair) in self.reduce.pairs.iter().enumerate() {
            let buffer = self.buffer(b, pair, &extents)?;
            let held = Layout::new(Tuple::Leaf(self.results), Tuple::Leaf(1))?;
            let held = view(b, pair, Space::Register, held)?;
            for (at, value) in (0..).zip(own.iter().filter_map(|own| own.get(number))) {
                store(b, *value, held, at)?;
            }
            buffers.push((held, buffer));
        }
        if self.again {
            barrier(b)?;
        }
        let give = |b: Builder<'c>| -> Result<Vec<Val<'c>>, Violation> {
            for result in 0..self.results {
                for &(held, buffer) in &buffers {
                    let value = load(&b, held, result)?;
                    let own = slots.iter().map(|&at| SliceCoord::Value(digits[at]));
                    let place: Vec<_> = own.chain([SliceCoord::At(result)]).collect();
                    let store = ops::new("store", b.location()).operands(&[value, buffer]);
                    b.insert(store.coordinate(&place).results(&[]).build()?);
                }
            }
            Ok(Vec::new())
        };
        // The first of the lanes that have the same value writes it.
        let mut first: Option<Val<'c>> = None;
        for at in lanes {
            let one = b.constant(Type::index(b.context()), 1)?;
            let is_first = b.less(digits[at], one)?;
            first = Some(match first {
                None => is_first,
                Some(others) => b.binary("arith.andi", others, is_first)?,
            });
        }
        match first {
            Some(first) => {
                b.branch(first, &[], give, None)?;
            }
            None => {
                give(*b)?;
            }
        }
        barrier(b)?;

        let parts: Vec<usize> =
            (0..slots.len()).filter(|&at| self.digits[slots[at]].1 == DigitKind::Partial).collect();
        let count = parts.iter().fold(1_i64, |all, &at| all.saturating_mul(extents[at]));
        if count > MAX_SLOTS || count.saturating_mul(self.results) > MAX_ELEMENTS {
            let expected =
                format!("at most {MAX_SLOTS} threads with partial results of one element");
            return Err(Violation::new(Code::ReduceThreads, expected, count));
        }
        let one = |result: i64| {
            let values = (0..count).map(|number| {
                let mut rest = number;
                let mut coordinate: Vec<SliceCoord<'c, 'c>> =
                    slots.iter().map(|&at| SliceCoord::Value(digits[at])).collect();
                for &at in &parts {
                    coordinate[at] = SliceCoord::At(rest % extents[at]);
                    rest /= extents[at];
                }
                coordinate.push(SliceCoord::At(result));
                let load = |&(_, buffer): &(Val<'c>, Val<'c>)| {
                    let load = ops::new("load", b.location()).operands(&[buffer]);
                    Ok(first_result(b.insert(load.coordinate(&coordinate).build()?)))
                };
                buffers.iter().map(load).collect::<Result<Element<'c>, Violation>>()
            });
            self.reduce.combine.all(b, values.collect::<Result<_, Violation>>()?)
        };
        (0..self.results).map(one).collect()
    }

    /// The digits of this thread's number.
    fn own_digits(&self, b: &Builder<'c>) -> Result<Vec<Val<'c>>, Violation> {
        let index = Type::index(b.context());
        let dimension = [("dimension", parse(b, "#gpu<dim x>")?)];
        let thread = b.value("gpu.thread_id", &[], index, &dimension)?;
        let shape =
            Tuple::Node(self.digits.iter().map(|&(extent, _)| Tuple::Leaf(extent)).collect());
        let shape = Term::Literal(layout_algebra::Value::Tuple(shape));
        let digits = ops::new("idx2crd", b.location()).operands(&[thread]).term("shape", &shape);
        let digits = b.insert(digits.build()?);
        Ok((0..digits.result_count()).map(|at| result(digits, at)).collect())
    }

    /// A shared-memory buffer of these extents, with an element for each result of a thread.
    fn buffer(
        &self,
        b: &Builder<'c>,
        pair: &Pair<'c>,
        extents: &[i64],
    ) -> Result<Val<'c>, Violation> {
        let modes = extents.iter().copied().chain([self.results]).map(Tuple::Leaf).collect();
        view(b, pair, Space::Shared, Layout::from_shape(Tuple::Node(modes))?)
    }
}

/// Memory for elements of a pair's views.
fn view<'c>(
    b: &Builder<'c>,
    pair: &Pair<'c>,
    space: Space,
    layout: Layout,
) -> Result<Val<'c>, Violation> {
    let view = ViewType::new(pair.element, space, &AnyLayout::Plain(layout));
    Ok(b.value("layout.alloc", &[], view.into(), &[])?)
}

fn barrier(b: &Builder<'_>) -> Result<(), Violation> {
    b.operation("gpu.barrier", &[], &[], &[], vec![])?;
    Ok(())
}
