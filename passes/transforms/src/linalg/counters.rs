//! `layout-scalarize-counters`: integers that loops carry in tensors of rank 0, and that the host reads, become integers of the host.
//!
//! ```text
//! scf.while (%i = %zero : tensor<i32>) {             scf.while (%n = %c0 : i32) {
//!   %less = linalg.generic … ins(%i, %end)             %c = arith.cmpi slt, %n, %m
//!   %c = tensor.extract %less[]                        scf.condition(%c) %n
//!   scf.condition(%c) %i                      ->     } do { ^bb0(%n: i32):
//! } do { ^bb0(%i: tensor<i32>):                        %k = arith.addi %n, %c1
//!   %next = linalg.generic … ins(%i, %one)             scf.yield %k
//!   scf.yield %next                                  }
//! }
//! ```
//!
//! StableHLO's loops, which JAX's `fori_loop` makes, count so: each iteration would launch kernels for the condition and for the next
//! counter, and wait for what they write. An integer is the host's where all that it comes of is: constants, what is there before the
//! loop, which is read once, and arithmetic that programs have. Other readers have it as a `tensor.splat`.

use super::rows::is_tensor;
use layout_dialect::{
    affine::indexing_maps,
    build::{Builder, Val, context_of, first_result, operand, result},
    diagnostics,
    passes::{PassRun, Statistic},
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, Type, ValueLike,
    attribute::IntegerAttribute,
    operation::OperationLike,
    r#type::{IntegerType, RankedTensorType, ShapedTypeLike},
};
use std::collections::{BTreeSet, HashMap};

/// The pass.
pub(crate) const NAME: &str = "layout-scalarize-counters";

/// The counter of values that loops carry.
const SCALARIZED: &str = "scalarized";

pub(crate) const STATISTICS: &[Statistic] = &[Statistic {
    name: SCALARIZED,
    description: "tensors of rank 0 that loops carry as integers",
}];

/// Arithmetic of signed integers that programs have.
const ARITHMETIC: [&str; 5] =
    ["arith.addi", "arith.maxsi", "arith.minsi", "arith.muli", "arith.subi"];

/// Logic of booleans that programs have.
const LOGIC: [&str; 2] = ["arith.andi", "arith.ori"];

/// The last signed predicate of `arith.cmpi`; `eq` and `ne` come before them.
const LAST_SIGNED: i64 = 5;

/// How many operations one integer may come of.
const DEPTH: usize = 64;

/// Rewrites the loops below `root`, the outer ones first: what they carry is there before the inner ones.
///
/// # Errors
///
/// A diagnostic where MLIR refuses what is built.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for found in tree::all(root) {
        let Some(around) = Around::of(found) else { continue };
        match around.rewrite() {
            Ok(count) => pass.count(SCALARIZED, count),
            Err(error) => {
                diagnostics::error(found, &format!("{NAME}: cannot carry an integer: {error}"));
                outcome = Err(());
            }
        }
    }
    outcome
}

/// One value that a loop carries: the block argument, and the result where that is the same; and the operands that it is given by.
struct Carried<'c> {
    values: Vec<Val<'c>>,
    sources: Vec<(OperationRef<'c, 'c>, usize)>,
}

/// A loop, and what it carries.
struct Around<'c> {
    operation: OperationRef<'c, 'c>,
    carried: Vec<Carried<'c>>,
    /// The number of each value in `carried`.
    numbers: HashMap<usize, usize>,
}

/// Integers that are there already: those of tensors in front of the loop, and those in front of one operation.
#[derive(Default)]
struct Known<'c> {
    outside: HashMap<usize, Val<'c>>,
    here: HashMap<usize, Val<'c>>,
}

impl<'c> Around<'c> {
    fn of(operation: OperationRef<'c, 'c>) -> Option<Self> {
        let end = |block: BlockRef<'c, 'c>| tree::operations(block).pop();
        let body = tree::entry(operation)?;
        let last = end(body)?;
        let mut carried = Vec::new();
        match tree::name(operation).as_str() {
            "scf.for" => {
                const INITIAL: usize = 3;
                for i in 0..operation.result_count() {
                    carried.push(Carried {
                        values: vec![tree::argument(body, i + 1), result(operation, i)],
                        sources: vec![(operation, INITIAL + i), (last, i)],
                    });
                }
            }
            "scf.while" => {
                let region = operation.region(1).ok()?;
                let raw = region.first_block()?.to_raw();
                // SAFETY: the block is owned by the operation's region.
                let second: BlockRef<'c, 'c> = unsafe { BlockRef::from_raw(raw) };
                let next = end(second)?;
                for i in 0..operation.operand_count() {
                    carried.push(Carried {
                        values: vec![tree::argument(body, i)],
                        sources: vec![(operation, i), (next, i)],
                    });
                }
                for i in 0..operation.result_count() {
                    carried.push(Carried {
                        values: vec![tree::argument(second, i), result(operation, i)],
                        sources: vec![(last, i + 1)],
                    });
                }
            }
            _ => return None,
        }
        carried.retain(|own| own.values.iter().all(|value| integer(*value).is_some()));
        let numbers = carried.iter().enumerate();
        let numbers =
            numbers.flat_map(|(i, own)| own.values.iter().map(move |v| (tree::key(*v), i)));
        let numbers = numbers.collect();
        (!carried.is_empty()).then_some(Self { operation, carried, numbers })
    }

    /// Makes integers of what can be; gives how many.
    fn rewrite(&self) -> Result<u64, melior::Error> {
        let chosen = self.chosen();
        for &number in &chosen {
            for &value in &self.carried[number].values {
                self.as_integer(value)?;
            }
        }
        let mut known = Known::default();
        for &number in &chosen {
            for &(user, place) in &self.carried[number].sources {
                let value = self.before(user, operand(user, place), &mut known)?;
                tree::set_operand(user, place, value);
            }
        }
        // No value is carried as a tensor from here on that these read.
        for extract in self.host_reads() {
            if !chosen.is_empty() && self.reads(operand(extract, 0), &|_| false).is_some() {
                let value = self.before(extract, operand(extract, 0), &mut known)?;
                tree::replace_uses(first_result(extract), value);
            }
        }
        Ok(u64::try_from(chosen.len()).unwrap_or(u64::MAX))
    }

    /// The values that the host reads, or that such are computed from, and can compute.
    fn chosen(&self) -> BTreeSet<usize> {
        let mut own: BTreeSet<usize> = (0..self.carried.len()).collect();
        // Without one of them others cannot be, either.
        loop {
            let is_own = |number: usize| own.contains(&number);
            let can = |number: &usize| {
                let mut sources = self.carried[*number].sources.iter();
                sources.all(|&(user, i)| self.reads(operand(user, i), &is_own).is_some())
            };
            let left: BTreeSet<usize> = own.iter().copied().filter(can).collect();
            if left.len() == own.len() {
                break;
            }
            own = left;
        }
        let is_own = |number: usize| own.contains(&number);
        let mut found = BTreeSet::new();
        let mut open: Vec<Val<'c>> =
            self.host_reads().into_iter().map(|extract| operand(extract, 0)).collect();
        while let Some(value) = open.pop() {
            let Some(reads) = self.reads(value, &is_own) else { continue };
            for number in reads {
                if found.insert(number) {
                    let sources = self.carried[number].sources.iter();
                    open.extend(sources.map(|&(user, i)| operand(user, i)));
                }
            }
        }
        found
    }

    /// Where the host reads a tensor of rank 0 in the loop.
    fn host_reads(&self) -> Vec<OperationRef<'c, 'c>> {
        let all = tree::inside(self.operation, "tensor.extract").into_iter();
        let is_host = |extract: &OperationRef<'c, 'c>| {
            let mut around = tree::ancestors(*extract);
            let is_plain = !around.any(|one| tree::name(one).starts_with("linalg."));
            is_plain
                && integer(operand(*extract, 0)).is_some()
                && !self.is_outside(operand(*extract, 0))
        };
        all.filter(is_host).collect()
    }

    /// Whether a value is there before the loop.
    fn is_outside(&self, value: Val<'c>) -> bool {
        // A result of the loop comes after it.
        tree::definition(value) != Some(self.operation) && !tree::is_within(value, self.operation)
    }

    /// The numbers of the carried values that an integer in a tensor comes of, or `None` if the host cannot compute it.
    fn reads(&self, tensor: Val<'c>, is_own: &dyn Fn(usize) -> bool) -> Option<BTreeSet<usize>> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![tensor];
        while let Some(value) = open.pop() {
            if !seen.insert(tree::key(value)) || !is_tensor(value) || self.is_outside(value) {
                continue;
            }
            (seen.len() <= DEPTH).then_some(())?;
            if let Some(&number) = self.numbers.get(&tree::key(value)) {
                is_own(number).then(|| found.insert(number))?;
                continue;
            }
            integer(value)?;
            let made = tree::definition(value)?;
            match tree::name(made).as_str() {
                "arith.constant" | "tensor.splat" | "tensor.from_elements" | "linalg.fill" => {}
                "linalg.generic" | "linalg.map" => open.extend(self.operands_of(made)?),
                _ => return None,
            }
        }
        Some(found)
    }

    /// The operands that a body of integers, which has no loops, reads.
    fn operands_of(&self, made: OperationRef<'c, 'c>) -> Option<Vec<Val<'c>>> {
        // A map of tensors of rank 0 has no loops.
        let has_no_loops = tree::name(made) == "linalg.map"
            || indexing_maps(made).is_some_and(|maps| maps.iter().all(|map| map.dimensions == 0));
        let is_alone = made.result_count() == 1 && has_no_loops;
        let body = tree::entry(made).filter(|_| is_alone)?;
        let steps = tree::operations(body);
        let (_, steps) = steps.split_last()?;
        steps.iter().all(|step| is_arithmetic(*step)).then_some(())?;
        let used = (0..body.argument_count()).filter(|&i| tree::is_used(tree::argument(body, i)));
        Some(used.map(|i| operand(made, i)).collect())
    }

    /// Makes a carried value an integer, which its users have as a tensor.
    fn as_integer(&self, value: Val<'c>) -> Result<(), melior::Error> {
        let missing = || melior::Error::OperationBuild;
        let (tensor, of) = (value.r#type(), integer(value).ok_or_else(missing)?);
        let (context, location) = (context_of(self.operation), self.operation.location());
        let b = match tree::definition(value) {
            // A loop is not the last operation of its block.
            Some(made) => Builder::before(next(made).ok_or_else(missing)?),
            None => Builder::at_start(context, location, tree::owner(value).ok_or_else(missing)?),
        };
        let splat = b.value("tensor.splat", &[b.constant(of, 0)?], tensor, &[])?;
        tree::replace_uses(value, splat);
        tree::set_type(value, of);
        tree::set_operand(tree::definition(splat).ok_or_else(missing)?, 0, value);
        Ok(())
    }

    /// Computes the integer in a tensor in front of an operation.
    fn before(
        &self,
        user: OperationRef<'c, 'c>,
        tensor: Val<'c>,
        known: &mut Known<'c>,
    ) -> Result<Val<'c>, melior::Error> {
        known.here.clear();
        self.emit(&Builder::before(user), tensor, known)
    }

    /// Tensors that are there before the loop are read in front of it.
    fn emit(
        &self,
        b: &Builder<'c>,
        tensor: Val<'c>,
        known: &mut Known<'c>,
    ) -> Result<Val<'c>, melior::Error> {
        let missing = || melior::Error::OperationBuild;
        if !is_tensor(tensor) {
            return Ok(tensor);
        }
        let key = tree::key(tensor);
        if let Some(&value) = known.outside.get(&key).or_else(|| known.here.get(&key)) {
            return Ok(value);
        }
        let of = integer(tensor).ok_or_else(missing)?;
        let read = |b: &Builder<'c>| b.value("tensor.extract", &[tensor], of, &[]);
        let made = tree::definition(tensor);
        let name = made.map(tree::name).unwrap_or_default();
        if let (Some(made), "tensor.splat" | "tensor.from_elements" | "linalg.fill") =
            (made, name.as_str())
        {
            return Ok(operand(made, 0));
        }
        if self.is_outside(tensor) {
            let value = read(&Builder::before(self.operation))?;
            known.outside.insert(key, value);
            return Ok(value);
        }
        let value = match made {
            Some(_) if name == "arith.constant" => read(b)?,
            Some(made) => {
                let body = tree::entry(made).ok_or_else(missing)?;
                let mut arguments = Vec::with_capacity(body.argument_count());
                for i in 0..body.argument_count() {
                    arguments.push(match tree::is_used(tree::argument(body, i)) {
                        true => self.emit(b, operand(made, i), known)?,
                        false => operand(made, i),
                    });
                }
                tree::inlined(b, body, &arguments).ok_or_else(missing)?
            }
            None => return Err(missing()),
        };
        known.here.insert(key, value);
        Ok(value)
    }
}

/// The type of the integer in a tensor of rank 0.
fn integer<'c>(tensor: Val<'c>) -> Option<Type<'c>> {
    let of = RankedTensorType::try_from(tensor.r#type()).ok().filter(|own| own.rank() == 0)?;
    let of = of.element();
    IntegerType::try_from(of).ok().map(|_| of)
}

/// Whether a step of a body is arithmetic that programs have.
fn is_arithmetic(step: OperationRef<'_, '_>) -> bool {
    const BOOLEAN: &str = "i1";
    let name = tree::name(step);
    if step.result_count() != 1 {
        return false;
    }
    let is_boolean = |value: Val<'_>| value.r#type().to_string() == BOOLEAN;
    let predicate = || step.attribute("predicate").and_then(IntegerAttribute::try_from);
    let of_bits = is_boolean(first_result(step));
    match name.as_str() {
        "arith.cmpi" => {
            !is_boolean(operand(step, 0)) && predicate().is_ok_and(|own| own.value() <= LAST_SIGNED)
        }
        // A bit has no sign.
        "arith.extsi" | "arith.index_cast" => !is_boolean(operand(step, 0)),
        "arith.select" | "arith.constant" => {
            first_result(step).r#type().to_string().starts_with('i')
        }
        name if LOGIC.contains(&name) => of_bits,
        name => ARITHMETIC.contains(&name) && !of_bits,
    }
}

/// The operation after one in its block.
fn next<'c>(operation: OperationRef<'c, 'c>) -> Option<OperationRef<'c, 'c>> {
    let block = operation.block()?;
    // SAFETY: the block lives as long as the operation in it.
    let block: BlockRef<'c, 'c> = unsafe { BlockRef::from_raw(block.to_raw()) };
    let all = tree::operations(block);
    let place = all.iter().position(|one| *one == operation)?;
    all.get(place + 1).copied()
}
