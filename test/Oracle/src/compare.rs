//! Executions of a program before and after a pass, and what may differ between them.

use crate::{
    generate::{BYTES, SMALL},
    interpret::{
        Stop,
        decode::{Function, Functions},
        memory::{Byte, Event, Memory},
        run::{Machine, STEPS},
        threads::lowered,
        types::Ty,
        value::{MemRef, Value, mask},
    },
    random::{Draws, Random},
};
use std::{collections::BTreeSet, rc::Rc};

/// How much of what a program does with visible memory a pass may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// Nothing: the same loads, stores and calls in the same order.
    Exact,
    /// Loads may go, and stores to different bytes may be reordered.
    Values,
}

/// The outcome of an execution.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its results.
    pub results: Vec<Value>,
    /// Memory at the end, and what was done with it.
    pub memory: Memory,
}

/// Arguments of a function from a seed, or `None` if it takes something that cannot be made.
pub fn arguments(function: &Function, seed: u64) -> Option<(Vec<Value>, Memory)> {
    let mut random = Random::of_seed(seed);
    let mut memory = Memory::default();
    let mut values = Vec::new();
    for (i, ty) in function.arguments.iter().enumerate() {
        values.push(match &**ty {
            Ty::Pointer => {
                let base = memory.allocate(BYTES, true).ok()?;
                Value::Bits(base + BYTES / 2)
            }
            Ty::MemRef(ty) => {
                let sizes: Vec<i64> = ty.sizes.iter().copied().collect::<Option<_>>()?;
                let strides: Vec<i64> = ty.strides.iter().copied().collect::<Option<_>>()?;
                let elements: i64 = sizes.iter().product();
                let bytes = elements as u64 * ty.element.bytes().ok()?;
                let base = memory.allocate(bytes, true).ok()?;
                let (offset, element) = (ty.offset?, ty.element.clone());
                Value::MemRef(Rc::new(MemRef { base, offset, sizes, strides, element }))
            }
            Ty::Int(_) | Ty::Index if i >= SMALL => Value::Bits(random.within(1, 8) as u64),
            Ty::Int(_) | Ty::Index => {
                let bits = ty.bits().ok()?;
                Value::Bits(random.edge(bits) as u64 & mask(bits))
            }
            _ => return None,
        });
    }
    for allocation in &mut memory.allocations {
        for byte in &mut allocation.bytes {
            *byte = Byte::Known(random.word() as u8);
        }
    }
    Some((values, memory))
}

fn flat(values: Vec<Value>) -> Vec<Value> {
    let each = values.into_iter().flat_map(|value| match value {
        Value::Many(fields) => flat(fields.to_vec()),
        value => vec![value],
    });
    each.collect()
}

/// Runs a function of a module, before a pass or after it: then it may take more steps. Whether it was
/// `hoisted` by upstream: see the README's table of faults.
pub fn run(
    functions: &Functions,
    name: &str,
    values: &[Value],
    memory: Memory,
    after: bool,
    hoisted: bool,
) -> Result<Outcome, Stop> {
    let function = functions.get(name).ok_or_else(|| Stop::unknown("a function that is gone"))?;
    let limit = if after { 20 * STEPS } else { STEPS };
    let mut machine = Machine::new(functions, memory, limit, after).hoisted(hoisted);
    let results = flat(machine.call(name, lowered(function, values)?)?);
    Ok(Outcome { results, memory: machine.memory })
}

/// The first difference that a pass may not make.
pub fn difference(before: &Outcome, after: &Outcome, trace: Trace) -> Option<String> {
    if before.results.len() != after.results.len() {
        return Some(format!(
            "expected {} results, found {}",
            before.results.len(),
            after.results.len()
        ));
    }
    fn compared(outcome: &Outcome, trace: Trace) -> Vec<&Event> {
        let is = |event: &&Event| trace == Trace::Exact || matches!(event, Event::Call { .. });
        outcome.memory.events.iter().filter(is).collect()
    }
    let (old, new) = (compared(before, trace), compared(after, trace));
    for (i, (old, new)) in old.iter().zip(&new).enumerate() {
        if !same(old, new) {
            return Some(format!("event {i}: expected {old:?}, found {new:?}"));
        }
    }
    if old.len() != new.len() {
        let next = old.get(new.len()).or(new.get(old.len()));
        return Some(format!(
            "expected {} events, found {}; the next is {next:?}",
            old.len(),
            new.len()
        ));
    }
    for (i, (old, new)) in before.results.iter().zip(&after.results).enumerate() {
        if !old.refined_by(new) {
            return Some(format!("result {i}: expected {old:?}, found {new:?}"));
        }
    }
    if trace == Trace::Values {
        let loads = |outcome: &Outcome| -> BTreeSet<(usize, u64)> {
            outcome
                .memory
                .events
                .iter()
                .flat_map(|event| match event {
                    Event::Load { allocation, offset, bytes } => {
                        (0..u64::from(*bytes)).map(|i| (*allocation, offset + i)).collect()
                    }
                    _ => Vec::new(),
                })
                .collect()
        };
        if let Some((allocation, offset)) = loads(after).difference(&loads(before)).next() {
            return Some(format!("byte {offset} of memory {allocation} is read, which was not"));
        }
    }
    let visible = before.memory.allocations.iter().filter(|memory| memory.visible).count();
    for number in 0..visible {
        let (old, new) = (&before.memory.allocations[number], &after.memory.allocations[number]);
        for (i, (old, new)) in old.bytes.iter().zip(&new.bytes).enumerate() {
            if *old != Byte::Unknown && old != new {
                return Some(format!("memory {number}, byte {i}: expected {old:?}, found {new:?}"));
            }
        }
    }
    None
}

fn same(old: &Event, new: &Event) -> bool {
    match (old, new) {
        (
            Event::Load { allocation, offset, bytes },
            Event::Load { allocation: a, offset: o, bytes: b },
        )
        | (
            Event::Store { allocation, offset, bytes },
            Event::Store { allocation: a, offset: o, bytes: b },
        ) => (allocation, offset, bytes) == (a, o, b),
        (Event::Call { name, arguments }, Event::Call { name: other, arguments: found }) => {
            name == other
                && arguments.len() == found.len()
                && arguments.iter().zip(found).all(|(old, new)| old.refined_by(new))
        }
        _ => false,
    }
}
