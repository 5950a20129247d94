//! The surroundings of a contraction: the initial value of its result, and the elementwise operations after it that become its epilogue.
//!
//! An elementwise operation joins the epilogue where it reads what the contraction, or one that joined before, has written, at
//! the same coordinates; the longest run of those is taken whose results but the last nothing else reads. Whatever else such an
//! operation reads is an operand of the epilogue, or what a broadcast or a conversion before it has made of one.

mod start;

use super::{
    Reason,
    contraction::{Contraction, element, may_be_one},
    conversions::Conversion,
    memory::{effects, is_memref, meets, overlap, root},
    numbers::is_half,
    reshape::is_reshape,
    views::{self, Sizes, View},
};
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    epilogue::STEPS,
    tree,
};
use melior::ir::{
    Attribute, BlockLike, OperationRef, Type, TypeLike, ValueLike, attribute::FloatAttribute,
    operation::OperationLike,
};
use start::{Start, splat, start};
use std::collections::HashMap;

/// An operand of the epilogue: a memref, and where it is read.
#[derive(Clone, Debug)]
pub(crate) struct ExtraOperand<'c> {
    pub(crate) memref: Val<'c>,
    /// From the contraction's loops to its coordinates.
    pub(crate) map: IndexingMap,
}

impl<'c> ExtraOperand<'c> {
    /// Whether a matmul takes its view: modes whose sizes are known at run time are one loop.
    fn is_taken(&self, contraction: &Contraction<'c>, sizes: &Sizes<'c>) -> bool {
        let loops = &contraction.dimensions;
        let modes = [&loops.m, &loops.n, &loops.batch].map(Vec::as_slice);
        View::of(self.memref, &self.map, &modes, sizes).is_ok_and(|view| {
            let mut views = [view];
            (0..modes.len()).all(|mode| views::merge(&mut views, &[Some(mode)]).is_ok())
        })
    }
}

/// An input of an operation of the epilogue.
#[derive(Clone, Copy, Debug)]
enum Input<'c> {
    /// A value that was written before: 0 is the contraction's result, then that of each step.
    Written(usize),
    /// An operand of the epilogue.
    Other(usize),
    /// One number everywhere.
    Number(Attribute<'c>),
}

/// An operation of the epilogue.
#[derive(Clone, Debug)]
struct Step<'c> {
    operation: OperationRef<'c, 'c>,
    inputs: Vec<Input<'c>>,
    /// Its result.
    result: ExtraOperand<'c>,
    /// Whether it makes an operand of the epilogue, and reads nothing of the contraction's result.
    prepares: bool,
}

/// Steps of arithmetic in an operation that prepares an operand, at most: it is done for each element of the result.
const PREPARATION: usize = 4;

/// The most operations after one that prepares an operand that are searched for a write to it.
const MAX_DISTANCE: usize = 4096;

/// The surroundings of a contraction.
pub(crate) struct Fusion<'c> {
    /// The operation that fills the result before, or broadcasts what it starts from, which goes.
    pub(crate) fill: Option<OperationRef<'c, 'c>>,
    /// The number that the result is filled with, where that is not 0.
    start: Option<Attribute<'c>>,
    /// The operations of the epilogue, in order.
    steps: Vec<Step<'c>>,
    pub(crate) others: Vec<ExtraOperand<'c>>,
    /// Whether the first of the others is the result, to which the contraction adds.
    accumulates: bool,
    /// The memref that is written at last, and its coordinates.
    pub(crate) target: ExtraOperand<'c>,
}

impl<'c> Fusion<'c> {
    pub(crate) fn of(contraction: &Contraction<'c>, sizes: &Sizes<'c>) -> Result<Self, Reason> {
        let [a, b, c] = contraction.operands;
        let reads = [root(a), root(b)];
        // A result that is a tensor gets memory of its own.
        if is_memref(c) && meets(&reads, &[root(c)]) {
            return Err(
                "expected a result that aliases no operand, found the buffer of an operand"
                    .to_owned(),
            );
        }
        let init = ExtraOperand { memref: c, map: contraction.maps[2].clone() };
        let target =
            ExtraOperand { memref: contraction.result(), map: contraction.maps[2].clone() };
        let (mut fill, start, accumulates) = match start(contraction, c)? {
            Start::Number { fill, number } => (fill, number, false),
            Start::AsItWas => (None, None, true),
        };
        let is_float = !contraction.result_element()?.to_string().starts_with('i');
        if !is_float && (accumulates || start.is_some()) {
            let found = match start {
                Some(number) => format!("{number}"),
                None => "its old elements".to_owned(),
            };
            return Err(format!(
                "expected a result that is filled with 0 before integers are added to it, found {found}"
            ));
        }
        let mut others = if accumulates { vec![init] } else { Vec::new() };
        if let Some((broadcast, source)) = broadcast(contraction, sizes).filter(|_| accumulates) {
            (fill, others) = (Some(broadcast), vec![source]);
        }
        let mut fusion = Self { fill, start, steps: Vec::new(), others, accumulates, target };
        fusion.extend(contraction, sizes, &reads)?;
        fusion.leave_conversion(contraction);
        Ok(fusion)
    }

    /// Whether there is anything between accumulators and results.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty() && !self.accumulates && self.start.is_none()
    }

    /// The operations after the contraction that the epilogue stands for, in order.
    pub(crate) fn fused(&self) -> impl Iterator<Item = OperationRef<'c, 'c>> {
        self.steps.iter().filter(|step| !step.prepares).map(|step| step.operation)
    }

    /// The operations that prepared an operand which nothing reads any more, once the others are gone; the last first.
    pub(crate) fn idle(&self) -> impl Iterator<Item = OperationRef<'c, 'c>> {
        let prepared = self.steps.iter().rev().filter(|step| step.prepares);
        prepared.filter_map(|step| {
            let made = tree::definition(step.result.memref)?;
            let is_there =
                made == step.operation || tree::users(made).any(|user| user == step.operation);
            let is_idle = tree::users(made)
                .all(|user| user == step.operation || tree::name(user) == "memref.dealloc");
            (is_there && is_idle).then_some(step.operation)
        })
    }

    /// Lets the operations after the contraction join.
    fn extend(
        &mut self,
        contraction: &Contraction<'c>,
        sizes: &Sizes<'c>,
        reads: &[Val<'c>; 2],
    ) -> Result<(), Reason> {
        let Some(block) = contraction.operation.block() else { return Ok(()) };
        // SAFETY: the block lives as long as the operation in it.
        let block = unsafe { melior::ir::BlockRef::from_raw(block.to_raw()) };
        let later = tree::operations(block)
            .into_iter()
            .skip_while(|&operation| operation != contraction.operation)
            .skip(1);
        let (mut steps, mut others): (Vec<Step<'c>>, _) = (Vec::new(), self.others.clone());
        // Memory that something between reads or writes, and that the matmul, which moves after it, must not.
        let mut between: Vec<Val<'c>> = Vec::new();
        for operation in later {
            let first =
                ExtraOperand { memref: contraction.result(), map: contraction.maps[2].clone() };
            let (others_so_far, new) = (others.clone(), Vec::new());
            let mut joining =
                Fusing { first: &first, steps: &steps, sizes, others: others_so_far, new };
            if joining.join(operation, contraction).is_some() {
                let Fusing { others: more, new, .. } = joining;
                let Some(last) = new.last() else { break };
                let own = [root(last.result.memref)];
                if meets(reads, &own) || meets(&between, &own) {
                    break;
                }
                others = more;
                steps.extend(new);
                let last = &steps[steps.len() - 1].result;
                let mut read = others.iter().chain([last]);
                let of = element(last.memref)?.to_string();
                let is_wide = contraction.result_element()?.to_string() == "f64";
                if stored(if is_wide { "f64" } else { "f32" }).contains(&of.as_str())
                    && self.only_the_last_is_read(contraction, &steps)
                    && read.all(|other| other.is_taken(contraction, sizes))
                {
                    self.steps.clone_from(&steps);
                    self.others.clone_from(&others);
                    self.target = steps[steps.len() - 1].result.clone();
                }
                continue;
            }
            if !is_memref(first.memref) {
                continue;
            }
            let Some((reading, writing)) = effects(operation) else { break };
            let results: Vec<Val<'c>> = steps
                .iter()
                .map(|step| &step.result)
                .chain([&first])
                .map(|one| root(one.memref))
                .collect();
            let operands: Vec<Val<'c>> = others.iter().map(|other| root(other.memref)).collect();
            let changes =
                [reads, operands.as_slice(), &results].iter().any(|own| meets(&writing, own));
            // Operations that prepare an operand are read by others, too.
            let read: Vec<Val<'c>> = steps
                .iter()
                .filter(|step| !step.prepares)
                .map(|step| &step.result)
                .chain([&first])
                .map(|one| root(one.memref))
                .collect();
            if changes || meets(&reading, &read) {
                break;
            }
            between.extend(reading);
            between.extend(writing);
        }
        Ok(())
    }

    /// Leaves a conversion to more bits, which is the last, to the kernels that read it: the narrow result is what is stored.
    fn leave_conversion(&mut self, contraction: &Contraction<'c>) {
        let Some((last, before)) = self.steps.split_last() else { return };
        let narrow = match before.iter().rev().find(|step| !step.prepares) {
            Some(step) => step.result.clone(),
            None => ExtraOperand { memref: contraction.result(), map: contraction.maps[2].clone() },
        };
        let steps = tree::entry(last.operation).map(tree::operations).unwrap_or_default();
        let converts = matches!(steps[..], [extension, _] if tree::name(extension) == "arith.extf");
        if converts
            && !last.prepares
            && !is_memref(last.result.memref)
            && operand(last.operation, 0) == narrow.memref
            && is_read_by_kernels(last.operation)
        {
            self.steps.pop();
            self.target = narrow;
        }
    }

    /// Whether only the operations themselves read what is written before the last.
    fn only_the_last_is_read(&self, contraction: &Contraction<'c>, steps: &[Step<'c>]) -> bool {
        let Some((_, before)) = steps.split_last() else { return false };
        let results = before.iter().filter(|step| !step.prepares).map(|step| step.result.memref);
        [contraction.result()].into_iter().chain(results).all(|memref| {
            let Some(made) = tree::definition(memref) else { return false };
            (tree::name(made) == "memref.alloc" || !is_memref(memref))
                && tree::users(made).all(|user| {
                    user == contraction.operation
                        || steps.iter().any(|step| step.operation == user)
                        || self.fill == Some(user)
                        || tree::name(user) == "memref.dealloc"
                })
        })
    }

    /// Emits the epilogue's body: from the accumulator and the others' elements to the element that is stored.
    pub(crate) fn emit(
        &self,
        b: &Builder<'c>,
        contraction: &Contraction<'c>,
        kind: Type<'c>,
    ) -> Result<Val<'c>, melior::Error> {
        let element_of = |memref: Val<'c>| element(memref).unwrap_or(kind);
        let mut sum = b.argument(0);
        if let Some(start) = self.start {
            let number = FloatAttribute::try_from(start)?.value();
            let number = FloatAttribute::new(b.context(), kind, number).into();
            let number = b.value("arith.constant", &[], kind, &[("value", number)])?;
            sum = b.binary("arith.addf", number, sum)?;
        }
        if self.accumulates {
            sum = b.binary("arith.addf", b.argument(1), sum)?;
        }
        let c = element_of(contraction.operands[2]);
        let is_converted = c.is_integer();
        // Two units of f32 are nothing to a result of 16 bits: the chip's reciprocal, which needs no branch, may compute 1 / x.
        let rounds = kind.to_string() == "f32" && is_half(element_of(self.target.memref));
        let approximate = Attribute::parse(b.context(), "#arith.fastmath<afn>")
            .ok_or(melior::Error::OperationBuild)?;
        // As an elementwise operation reads it: rounded to the result's type, or an integer that it converts to f32 first.
        let is_read = self.steps.is_empty() || is_converted;
        let mut written = vec![if is_read { sum } else { cast(b, sum, c)? }];
        for Step { operation, inputs, .. } in &self.steps {
            let body = tree::entry(*operation).ok_or(melior::Error::OperationBuild)?;
            let mut values: HashMap<usize, Val<'c>> = HashMap::new();
            // Elements of the epilogue's operands, which come widened.
            let mut wide: HashMap<usize, Val<'c>> = HashMap::new();
            for (i, input) in inputs.iter().enumerate() {
                let argument = tree::argument(body, i);
                match *input {
                    Input::Written(number) => values.insert(tree::key(argument), written[number]),
                    Input::Other(number) => {
                        wide.insert(tree::key(argument), b.argument(number + 1))
                    }
                    Input::Number(number) => {
                        let attributes = [("value", number)];
                        let value =
                            b.value("arith.constant", &[], argument.r#type(), &attributes)?;
                        values.insert(tree::key(argument), value)
                    }
                };
            }
            let mut result = None;
            for step in tree::operations(body) {
                let mut own = Vec::with_capacity(step.operand_count());
                for i in 0..step.operand_count() {
                    let value = operand(step, i);
                    let is_widened =
                        tree::name(step) == "arith.extf" && first_result(step).r#type() == kind;
                    own.push(match (values.get(&tree::key(value)), wide.get(&tree::key(value))) {
                        (Some(known), _) => *known,
                        (None, Some(widened)) if is_widened => *widened,
                        (None, Some(widened)) => {
                            let narrow = cast(b, *widened, value.r#type())?;
                            values.insert(tree::key(value), narrow);
                            narrow
                        }
                        (None, None) => {
                            let made =
                                tree::definition(value).ok_or(melior::Error::OperationBuild)?;
                            let copied = first_result(tree::clone_with(b, made, &[]));
                            values.insert(tree::key(value), copied);
                            copied
                        }
                    });
                }
                if tree::name(step) == "linalg.yield" {
                    result = own.first().copied();
                    break;
                }
                let made = match tree::name(step).as_str() {
                    "arith.sitofp" if is_converted && own[0] == sum => sum,
                    // The type that is stored rounds by itself.
                    "arith.extf" | "arith.truncf" => cast(b, own[0], first_result(step).r#type())?,
                    "arith.divf" if rounds && is_one(own[0]) => {
                        let copied = tree::clone_with(b, step, &own);
                        tree::set_attribute(copied, "fastmath", approximate);
                        first_result(copied)
                    }
                    name if name.starts_with("math.") && is_half(first_result(step).r#type()) => {
                        let wide = own.iter().map(|value| cast(b, *value, kind));
                        let wide = wide.collect::<Result<Vec<_>, _>>()?;
                        let made = b.value(name, &wide, kind, &[])?;
                        b.value("arith.truncf", &[made], first_result(step).r#type(), &[])?
                    }
                    _ => first_result(tree::clone_with(b, step, &own)),
                };
                values.insert(tree::key(first_result(step)), made);
            }
            written.push(result.ok_or(melior::Error::OperationBuild)?);
        }
        let mut last = written[written.len() - 1];
        // The store rounds the last value.
        let rounds = tree::definition(last).filter(|made| {
            let is_stored = element_of(self.target.memref) == last.r#type();
            tree::name(*made) == "arith.truncf" && operand(*made, 0).r#type() == kind && is_stored
        });
        if let Some(rounds) = rounds {
            last = operand(rounds, 0);
            if !tree::is_used(first_result(rounds)) {
                tree::erase(rounds);
            }
        }
        cast(b, last, kind)
    }
}

/// Whether all that reads an operation's result, or a reshape of it, is an operation that becomes a kernel and is no contraction.
fn is_read_by_kernels(operation: OperationRef<'_, '_>) -> bool {
    let mut users = tree::users(operation).peekable();
    users.peek().is_some()
        && users.all(|user| match tree::name(user).as_str() {
            "tensor.collapse_shape" | "tensor.expand_shape" => is_read_by_kernels(user),
            "tensor.dim" => true,
            name => name.starts_with("linalg.") && !may_be_one(user),
        })
}

/// Whether a value is the constant 1.
fn is_one(value: Val<'_>) -> bool {
    tree::definition(value)
        .and_then(|made| made.attribute("value").ok())
        .and_then(|value| FloatAttribute::try_from(value).ok())
        .is_some_and(|number| number.value() == 1.0)
}

/// A float as one of another type; an extension of what was just truncated from that type is not undone.
fn cast<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Result<Val<'c>, melior::Error> {
    let bits = |r#type: Type<'_>| match r#type.to_string().as_str() {
        "f64" => 64,
        "f32" => 32,
        "f16" | "bf16" => 16,
        _ => 8,
    };
    match (value.r#type() == to, bits(value.r#type()) > bits(to)) {
        (true, _) => Ok(value),
        (_, true) => b.value("arith.truncf", &[value], to, &[]),
        (_, false) => b.value("arith.extf", &[value], to, &[]),
    }
}

/// An operation that joins an epilogue, and those that prepare its operands.
struct Fusing<'j, 'c> {
    /// The contraction's result.
    first: &'j ExtraOperand<'c>,
    steps: &'j [Step<'c>],
    sizes: &'j Sizes<'c>,
    others: Vec<ExtraOperand<'c>>,
    new: Vec<Step<'c>>,
}

impl<'c> Fusing<'_, 'c> {
    /// The values that are written so far, from the contraction's result on.
    fn written(&self) -> impl Iterator<Item = &ExtraOperand<'c>> {
        [self.first].into_iter().chain(self.steps.iter().chain(&self.new).map(|step| &step.result))
    }

    /// An elementwise operation on what was written, as a part of the epilogue.
    fn join(
        &mut self,
        operation: OperationRef<'c, 'c>,
        contraction: &Contraction<'c>,
    ) -> Option<()> {
        let (maps, body) = elementwise(operation, contraction)?;
        let result = maps.len() - 1;
        // From its loops to the contraction's: where it reads what was written of the contraction.
        let loops = (0..result).find_map(|i| {
            let memref = operand(operation, i);
            let joined = self.steps.iter().filter(|step| !step.prepares).map(|step| &step.result);
            let one = [self.first].into_iter().chain(joined).find(|one| one.memref == memref)?;
            loops_of(&maps[i], &one.map)
        })?;
        let dimensions = contraction.maps[2].dimensions;
        let mut inputs = Vec::with_capacity(result);
        for (i, map) in maps.iter().enumerate().take(result) {
            let map = seen_from(map, &loops, dimensions)?;
            inputs.push(self.input(operand(operation, i), map, operation, contraction)?);
        }
        let map = seen_from(&maps[result], &loops, dimensions)?;
        let target = ExtraOperand { memref: result_of(operation), map };
        let own = root(target.memref);
        let is_whole = target.map.results.len() == loops.len();
        let is_new = self.written().all(|one| !overlap(root(one.memref), own));
        // An element that is read where it is written is read before.
        let in_place =
            |other: &ExtraOperand<'c>| other.memref == target.memref && other.map == target.map;
        let is_read_in_place =
            self.others.iter().all(|other| !overlap(root(other.memref), own) || in_place(other));
        let is_unread = !tree::is_used(tree::argument(body, result));
        let is_converted = self.converts_sums(body, &inputs);
        (is_whole && is_new && is_read_in_place && is_unread && is_converted).then_some(())?;
        self.new.push(Step { operation, inputs, result: target, prepares: false });
        Some(())
    }

    /// Whether a body reads sums of integers as f32 alone, as an epilogue has them.
    fn converts_sums(&self, body: melior::ir::BlockRef<'c, 'c>, inputs: &[Input<'c>]) -> bool {
        let are_integers = element(self.first.memref).is_ok_and(|found| found.is_integer());
        let sums =
            inputs.iter().enumerate().filter(|(_, input)| matches!(input, Input::Written(0)));
        !are_integers
            || sums.map(|(i, _)| tree::argument(body, i)).all(|sum| {
                tree::users_of(sum).all(|user| {
                    tree::name(user) == "arith.sitofp"
                        && first_result(user).r#type().to_string() == "f32"
                })
            })
    }

    /// The input that a memref is to the epilogue, read at some coordinates before an operation.
    fn input(
        &mut self,
        memref: Val<'c>,
        map: IndexingMap,
        before: OperationRef<'c, 'c>,
        contraction: &Contraction<'c>,
    ) -> Option<Input<'c>> {
        if let Some(number) = splat(memref) {
            return Some(Input::Number(number));
        }
        if let Some(number) = self.written().position(|one| one.memref == memref) {
            let same = self.written().nth(number).is_some_and(|one| one.map == map);
            return same.then_some(Input::Written(number));
        }
        if self.written().any(|one| overlap(root(one.memref), root(memref))) {
            return None;
        }
        if self.prepare(memref, &map, before, contraction).is_some() {
            return Some(Input::Written(self.steps.len() + self.new.len()));
        }
        let r#type = element(memref).ok()?.to_string();
        let is_wide = contraction.result_element().ok()?.to_string() == "f64";
        let fits: &[&str] = if is_wide { &["f64"] } else { &["f32", "f16", "bf16"] };
        fits.contains(&r#type.as_str()).then_some(())?;
        let loops: Vec<usize> = (0..map.dimensions).collect();
        let modes: Vec<&[usize]> = loops.iter().map(std::slice::from_ref).collect();
        View::of(memref, &map, &modes, self.sizes).ok()?;
        let same = |other: &ExtraOperand<'c>| other.memref == memref && other.map == map;
        let number = self.others.iter().position(same).unwrap_or(self.others.len());
        if number == self.others.len() {
            self.others.push(ExtraOperand { memref, map });
        }
        Some(Input::Other(number))
    }

    /// Lets the one operation that makes a memref join, where it does little for each element and what it reads is the same
    /// until then.
    fn prepare(
        &mut self,
        memref: Val<'c>,
        map: &IndexingMap,
        before: OperationRef<'c, 'c>,
        contraction: &Contraction<'c>,
    ) -> Option<()> {
        let made = tree::definition(memref)?;
        if !is_memref(memref) {
            return match is_kept(made, map, before, contraction) {
                true => None,
                false => self.prepare_by(made, memref, map, contraction),
            };
        }
        (tree::name(made) == "memref.alloc").then_some(())?;
        let mut writers = tree::users(made).filter(|user| match effects(*user) {
            Some((_, writing)) => {
                tree::name(*user) != "memref.dealloc" && meets(&writing, &[memref])
            }
            None => true,
        });
        let writer = writers.next()?;
        if writers.next().is_some() || !tree::comes_before(writer, before) {
            return None;
        }
        let reads = (0..writer.operand_count()).map(|i| operand(writer, i));
        let reads: Vec<Val<'c>> = reads.filter(|&read| read != memref).map(root).collect();
        let mut at = Some(writer);
        for step in 0.. {
            // SAFETY: the next operation is in the same block, which outlives this.
            at = at?.next_in_block().map(|next| unsafe { OperationRef::from_raw(next.to_raw()) });
            let next = at?;
            if next == before {
                break;
            }
            let (_, writing) = effects(next)?;
            if step == MAX_DISTANCE || meets(&writing, &reads) {
                return None;
            }
        }
        self.prepare_by(writer, memref, map, contraction)
    }

    /// Lets an operation join that makes an operand.
    fn prepare_by(
        &mut self,
        writer: OperationRef<'c, 'c>,
        memref: Val<'c>,
        map: &IndexingMap,
        contraction: &Contraction<'c>,
    ) -> Option<()> {
        let (maps, body) = elementwise(writer, contraction)?;
        let result = maps.len() - 1;
        let is_short = is_short(body);
        let is_unread = !tree::is_used(tree::argument(body, result));
        (is_short && is_unread && result_of(writer) == memref).then_some(())?;
        let loops = loops_of(&maps[result], map)?;
        let kept = (self.others.clone(), self.new.len());
        let dimensions = contraction.maps[2].dimensions;
        let mut inputs = Vec::with_capacity(result);
        for (i, map) in maps.iter().enumerate().take(result) {
            let input = seen_from(map, &loops, dimensions)
                .and_then(|map| self.input(operand(writer, i), map, writer, contraction));
            let Some(input) = input else {
                self.others = kept.0;
                self.new.truncate(kept.1);
                return None;
            };
            inputs.push(input);
        }
        // Several tensors that kernels compute are combined by the last of these kernels.
        let is_computed = |other: &&ExtraOperand<'c>| {
            let mut made = tree::definition(other.memref);
            while let Some(reshape) = made.filter(|made| is_reshape(*made)) {
                made = tree::definition(operand(reshape, 0));
            }
            !is_memref(other.memref)
                && made.is_some_and(|made| tree::name(made).starts_with("linalg."))
        };
        if self.others[kept.0.len()..].iter().filter(is_computed).count() > 1 {
            self.others = kept.0;
            self.new.truncate(kept.1);
            return None;
        }
        if !self.converts_sums(body, &inputs) {
            self.others = kept.0;
            self.new.truncate(kept.1);
            return None;
        }
        let result = ExtraOperand { memref, map: map.clone() };
        self.new.push(Step { operation: writer, inputs, result, prepares: true });
        Some(())
    }
}

/// Whether a tensor with an element for each of the result's is read by others than elementwise operations, as the result of a norm
/// that is a residual and the operand of a contraction: it is in memory, so that the epilogue reads it there. The
/// statistics of a norm, from which the epilogue would compute it again, would be kernels of their own. A conversion is read narrow.
fn is_kept<'c>(
    made: OperationRef<'c, 'c>,
    map: &IndexingMap,
    before: OperationRef<'c, 'c>,
    contraction: &Contraction<'c>,
) -> bool {
    let steps = tree::entry(made).map(tree::operations).unwrap_or_default();
    let computes = match steps[..] {
        [] | [_] => false,
        [step, _] => tree::name(step) != "arith.extf",
        _ => true,
    };
    let occurs = |map: &IndexingMap, d: usize| {
        map.results.iter().any(|result| result.terms.iter().any(|&(own, _)| own == d))
    };
    let is_whole = (0..map.dimensions).all(|d| !occurs(&contraction.maps[2], d) || occurs(map, d));
    let is_other = |user: OperationRef<'c, 'c>| {
        user != before
            && tree::name(user) != "tensor.dim"
            && elementwise(user, contraction).is_none()
    };
    computes && is_whole && tree::users(made).any(is_other)
}

/// An operation's loops as those of the contraction, where the first map leads to the coordinates that the second leads to: a
/// loop of the contraction, or 0 where a broadcast reads a dimension of one element.
fn loops_of(own: &IndexingMap, there: &IndexingMap) -> Option<Vec<Linear>> {
    let mut loops = vec![None; own.dimensions];
    if own.results.len() != there.results.len() {
        return None;
    }
    for (own, there) in own.results.iter().zip(&there.results) {
        loops[own.dimension()?] = Some(there.clone());
    }
    loops.into_iter().collect()
}

/// A map from an operation's loops as one from the contraction's: of coordinates that are a loop or 0.
fn seen_from(map: &IndexingMap, loops: &[Linear], dimensions: usize) -> Option<IndexingMap> {
    let one = |result: &Linear| match (result.dimension(), result) {
        (Some(dimension), _) => loops.get(dimension).cloned(),
        (None, Linear { terms, constant: 0 }) if terms.is_empty() => Some(result.clone()),
        _ => None,
    };
    let results = map.results.iter().map(one).collect::<Option<_>>()?;
    Some(IndexingMap { dimensions, results })
}

/// The maps and the body of an operation that computes each element of its result from elements of its operands, as an epilogue
/// does.
fn elementwise<'c>(
    operation: OperationRef<'c, 'c>,
    contraction: &Contraction<'c>,
) -> Option<(Vec<IndexingMap>, melior::ir::BlockRef<'c, 'c>)> {
    if !tree::name(operation).starts_with("linalg.") {
        return None;
    }
    let maps = indexing_maps(operation)?;
    let body = tree::entry(operation)?;
    let count = maps.len();
    let fits = count > 0
        && count == operation.operand_count()
        && body.argument_count() == count
        && operation.result_count() <= 1
        && (0..count).all(|i| element(operand(operation, i)).is_ok());
    // Each loop is one of the result's coordinates, so that nothing is added up.
    let result = maps.last()?;
    let loops = (0..result.dimensions)
        .all(|d| result.results.iter().filter(|r| r.dimension() == Some(d)).count() == 1);
    let is_wide = contraction.result_element().is_ok_and(|found| found.to_string() == "f64");
    let kind = if is_wide { "f64" } else { "f32" };
    (fits && loops && is_computed(body, kind)).then_some((maps, body))
}

/// Whether a body does so little that it may be done more than once for an element.
pub(super) fn is_short(body: melior::ir::BlockRef<'_, '_>) -> bool {
    let steps = tree::operations(body);
    steps.len() <= PREPARATION + 1
        && steps.iter().all(|step| !tree::name(*step).starts_with("math."))
}

/// The types of values that an epilogue with accumulators of the type `kind` may store: of f64 these alone.
fn stored(kind: &str) -> &'static [&'static str] {
    match kind {
        "f64" => &["f64"],
        _ => &["f64", "f32", "f16", "bf16"],
    }
}

/// Whether an epilogue with accumulators of the type `kind` can compute a body.
pub(super) fn is_computed(body: melior::ir::BlockRef<'_, '_>, kind: &str) -> bool {
    let fits = |r#type: Type<'_>, name: &str| {
        let found = r#type.to_string();
        match name.starts_with("math.") {
            // Functions of 16 bits are computed in f32 and rounded; a fused multiplication would be rounded twice.
            true => found == kind || kind == "f32" && is_half(r#type) && name != "math.fma",
            false => {
                ["f16", "bf16", "f32", "i1", "i8", "i16", "i32", kind].contains(&found.as_str())
            }
        }
    };
    tree::operations(body).into_iter().all(|step| {
        let name = tree::name(step);
        let operands = || (0..step.operand_count()).map(|i| operand(step, i));
        // Constants may be outside.
        let known = operands().all(|value| match tree::definition(value) {
            Some(made) => {
                tree::name(made) == "arith.constant"
                    || made.block().map(|block| block.to_raw().ptr) == Some(body.to_raw().ptr)
            }
            None => tree::owner(value).map(|block| block.to_raw().ptr) == Some(body.to_raw().ptr),
        });
        if name == "linalg.yield" {
            // A condition may be a value between steps.
            let is_value = |value: Val<'_>| {
                let of = value.r#type().to_string();
                of == "i1" || stored(kind).contains(&of.as_str())
            };
            return known && step.operand_count() == 1 && operands().all(is_value);
        }
        known
            && STEPS
                .iter()
                .any(|&(step, _)| step == name && (kind == "f32" || name.starts_with("arith.")))
            && step.result_count() == 1
            && operands().chain([first_result(step)]).all(|value| fits(value.r#type(), &name))
    })
}

/// The broadcast that makes the tensor to which the contraction adds, and its source as an operand of the epilogue.
fn broadcast<'c>(
    contraction: &Contraction<'c>,
    sizes: &Sizes<'c>,
) -> Option<(OperationRef<'c, 'c>, ExtraOperand<'c>)> {
    let (c, map) = (contraction.operands[2], &contraction.maps[2]);
    let made = tree::definition(c).filter(|_| !is_memref(c))?;
    let (maps, body) = elementwise(made, contraction)?;
    let steps = tree::operations(body);
    let [result] = steps.as_slice() else { return None };
    let is_plain = maps.len() == 2 && operand(*result, 0) == tree::argument(body, 0);
    is_plain.then_some(())?;
    let source = seen_from(&maps[0], &loops_of(&maps[1], map)?, map.dimensions)?;
    let loops: Vec<usize> = (0..map.dimensions).collect();
    let modes: Vec<&[usize]> = loops.iter().map(std::slice::from_ref).collect();
    let memref = operand(made, 0);
    // The epilogue widens what it reads.
    let memref = Conversion::of_half(memref).map_or(memref, |conversion| conversion.source);
    View::of(memref, &source, &modes, sizes).ok()?;
    let source = ExtraOperand { memref, map: source };
    source.is_taken(contraction, sizes).then_some((made, source))
}

/// The value that an operation of `linalg` writes: its result, or the memref after its other operands.
fn result_of<'c>(operation: OperationRef<'c, 'c>) -> Val<'c> {
    match operation.result_count() {
        0 => operand(operation, operation.operand_count().saturating_sub(1)),
        _ => first_result(operation),
    }
}
