//! Removes copies that a program does not need: a launch whose result is only copied writes to the copy's target.
//!
//! ```text
//! launch scale argument 0, buffer 1
//! copy buffer 1 -> result 0              ->   launch scale argument 0, result 0
//! ```

use super::{Launched, Step, amount::Amount, memory::Memory};
use std::collections::HashMap;

/// Removes such copies from steps and those in them; `sizes` are the bytes of the buffers, `results` those that are returned.
pub(super) fn remove<'a>(
    steps: &mut Vec<Step>,
    sizes: &[Amount],
    results: impl Iterator<Item = &'a usize>,
) {
    let mut uses: HashMap<usize, usize> = results.map(|&buffer| (buffer, 1)).collect();
    for step in steps.iter_mut() {
        step.for_each_memory(&mut |memory| {
            if let Memory::Buffer(buffer) = *memory {
                *uses.entry(buffer).or_default() += 1;
            }
        });
    }
    remove_in(steps, sizes, &uses);
}

fn remove_in(steps: &mut Vec<Step>, sizes: &[Amount], uses: &HashMap<usize, usize>) {
    let mut kept: Vec<Step> = Vec::with_capacity(steps.len());
    for mut step in steps.drain(..) {
        match &mut step {
            Step::Branch { then, otherwise, .. } => {
                remove_in(then, sizes, uses);
                remove_in(otherwise, sizes, uses);
            }
            Step::Loop { before, body, .. } => {
                remove_in(before, sizes, uses);
                remove_in(body, sizes, uses);
            }
            Step::Copy { from: (Memory::Buffer(buffer), start), to: (memory, place), bytes } => {
                let is_whole = start.value() == Some(0)
                    && sizes.get(*buffer).is_some_and(|own| own.is_equal(bytes));
                // The launch and the copy name it, and nothing else.
                let is_passed_on = is_whole && uses.get(buffer) == Some(&2);
                // Memory starts where each kernel's vectors do; a part of it may not.
                if is_passed_on
                    && place.value() == Some(0)
                    && let Some(Step::Launch(launched)) = kept.last_mut()
                    && write_to(launched, *buffer, *memory)
                {
                    continue;
                }
            }
            Step::Launch(_) | Step::Copy { .. } | Step::Set(_) | Step::Read { .. } => {}
        }
        kept.push(step);
    }
    *steps = kept;
}

/// Lets a launch have other memory for a buffer, where it does not have that already.
fn write_to(launched: &mut Launched, buffer: usize, other: Memory) -> bool {
    if launched.operands.iter().any(|(memory, _)| *memory == other) {
        return false;
    }
    let place = launched
        .operands
        .iter_mut()
        .find(|(memory, offset)| *memory == Memory::Buffer(buffer) && offset.value() == Some(0));
    place.map(|(memory, _)| *memory = other).is_some()
}
