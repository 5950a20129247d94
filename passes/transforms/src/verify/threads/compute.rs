//! Integers that threads compute, and those that memory holds.
//!
//! An integer that is not known, as one that is made of data, has no value here; where an access, a branch or a wait
//! depends on it, the walk does not follow it, and says where it comes from.

use super::{
    Run,
    program::{CopyAccess, Places, Program},
};
use crate::verify::{
    Gap,
    follow::{COMPUTED, Compute, Lane, Number},
    kernel_sizes::Sample,
    trace::{Root, Trace},
    view::View,
};
use layout_relation::IndexForm;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Lanes of a warp.
const LANES: i64 = 32;

/// Integers with their bytes, by the thread whose registers they are in and the element.
type Elements = HashMap<(i64, i64), (i64, i64)>;

/// The integers in memory.
pub(super) struct IntegerMemory {
    /// By the memory.
    all: BTreeMap<Root, Elements>,
    /// Samples of arguments, as a kernel's facts describe them.
    samples: BTreeMap<usize, Sample>,
    /// Memory that is stored and loaded in ways that are not followed.
    unknown: BTreeSet<Root>,
    /// Arguments whose sampled contents were loaded.
    pub(super) sampled: BTreeSet<usize>,
}

impl IntegerMemory {
    pub(super) fn new(trace: &Trace, program: &Program<'_>) -> Self {
        let all = program.read.iter().map(|root| (root.clone(), HashMap::new())).collect();
        let samples = trace.samples.clone();
        Self { all, samples, unknown: BTreeSet::new(), sampled: BTreeSet::new() }
    }

    pub(super) fn begin_block(&mut self) {
        self.all.values_mut().for_each(HashMap::clear);
    }

    /// Nothing is known of what was stored.
    pub(super) fn forget(&mut self) {
        self.begin_block();
        let arguments = self.samples.keys().map(|&number| Root::Argument(number));
        self.unknown.extend(arguments);
    }

    fn of(root: &Root, thread: i64) -> i64 {
        if matches!(root, Root::Register(_)) { thread } else { 0 }
    }

    /// Notes the integers that an access stores.
    pub(super) fn touch(
        &mut self,
        touch: &CopyAccess<'_>,
        thread: i64,
        elements: &[i64],
        value: Option<i64>,
    ) {
        if !touch.store {
            return;
        }
        // Other blocks may see it or not, and matrices are of data.
        let is_other_memory = matches!(touch.root, Root::Argument(_))
            || matches!(touch.places, Places::Matrix(_))
            || touch.bytes != touch.step;
        if is_other_memory {
            self.unknown.insert(touch.root.clone());
            return;
        }
        let Some(own) = self.all.get_mut(touch.root) else { return };
        for &element in elements {
            let place = (Self::of(touch.root, thread), element.saturating_mul(touch.step));
            match value {
                Some(value) => {
                    own.insert(place, (touch.bytes, value));
                }
                None => {
                    own.remove(&place);
                }
            }
            // Elements of other sizes that it reaches into are not known.
            for step in 1 - 8..8 {
                let other = (place.0, place.1.saturating_add(step));
                let is_over = |&(bytes, _): &(i64, i64)| match step {
                    0 => false,
                    1.. => step < touch.bytes,
                    _ => bytes > -step,
                };
                if own.get(&other).is_some_and(is_over) {
                    own.remove(&other);
                }
            }
        }
    }

    fn load(&mut self, view: &View, element: i64, thread: i64) -> Option<i64> {
        if self.unknown.contains(&view.root) {
            return None;
        }
        let place = (Self::of(&view.root, thread), element.checked_mul(view.bytes)?);
        if let Some(&(bytes, value)) = self.all.get(&view.root)?.get(&place) {
            return (bytes == view.bytes).then_some(value);
        }
        let Root::Argument(number) = view.root else { return None };
        let value = self.samples.get(&number)?.at(element)?;
        self.sampled.insert(number);
        Some(value)
    }
}

impl Run<'_> {
    /// Threads compute integers, all at once.
    pub(super) fn compute(&mut self, compute: &Compute, threads: &[i64]) {
        if compute.symbols.is_empty() {
            return;
        }
        let mut active = Vec::with_capacity(threads.len());
        let mut values = Vec::new();
        for &thread in threads {
            match self.holds(&compute.around, thread) {
                Some(true) => active.push(thread),
                Some(false) => {}
                None => values.extend(compute.symbols.iter().map(|&(own, _)| (own, thread, None))),
            }
        }
        for &thread in &active {
            for (own, number) in &compute.symbols {
                let before = self.missing;
                self.missing = None;
                let value = self.number(number, thread, &active);
                if value.is_none() && self.missing.is_none() {
                    self.unknown_at.entry(*own).or_insert(compute.operation);
                }
                if value.is_none()
                    && let Some(from) = self.missing
                    && let Some(&origin) = self.unknown_at.get(&from)
                {
                    self.unknown_at.entry(*own).or_insert(origin);
                }
                self.missing = before;
                values.push((*own, thread, value));
            }
        }
        let count = usize::try_from(self.count).unwrap_or(0);
        for (own, thread, value) in values {
            let Ok(number) = usize::try_from(own.saturating_sub(COMPUTED)) else { continue };
            if self.computed.len() <= number {
                self.computed.resize(number + 1, Vec::new());
            }
            let own = &mut self.computed[number];
            if own.is_empty() {
                own.resize(count, None);
            }
            if let Some(known) = usize::try_from(thread).ok().and_then(|at| own.get_mut(at)) {
                *known = value;
            }
        }
    }

    pub(super) fn number(&mut self, number: &Number, thread: i64, active: &[i64]) -> Option<i64> {
        match number {
            Number::Form(form) => self.value(form, thread),
            Number::All(conditions) => self.holds(conditions, thread).map(i64::from),
            Number::Arithmetic { name, bits, of, predicate, operands } => {
                let mut all = [0; 3];
                for (own, form) in all.iter_mut().zip(operands) {
                    *own = self.value(form, thread)?;
                }
                if all[1] == 0 && is_division(name) {
                    self.divided = true;
                }
                arithmetic(name, *predicate, *of, &all).and_then(|value| signed(value, *bits))
            }
            Number::Element(view) => {
                let base = self.value(&view.base, thread)?;
                let offset = base.checked_add(view.layout.at(0).ok()?)?;
                let element = super::program::Outside::of(&view.outer)?.at(offset)?;
                self.contents.load(view, element, thread)
            }
            Number::Lane { value, mode, number, width } => {
                let lane = self.lane_of(*mode, number, width, thread)?;
                self.of_lane(value, lane, active)
            }
            Number::Lanes { value, name, bits, count, stride } => {
                let (count, stride) = (*count, (*stride).max(1));
                let own = thread % LANES;
                let first = thread - own + own % stride + own / (stride * count) * stride * count;
                let mut sum: Option<i64> = None;
                for lane in (0..count).map(|at| first + at * stride) {
                    let next = self.of_lane(value, lane, active)?;
                    sum = Some(match sum {
                        None => next,
                        Some(sum) => signed(combined(name, sum, next, *bits)?, *bits)?,
                    });
                }
                sum
            }
            Number::Unknown => None,
        }
    }

    /// The thread whose value a lane reads; outside of its segment, a lane keeps its own.
    pub(super) fn lane_of(
        &mut self,
        mode: Lane,
        number: &IndexForm,
        width: &IndexForm,
        thread: i64,
    ) -> Option<i64> {
        let (number, width) = (self.value(number, thread)?, self.value(width, thread)?);
        if !(1..=LANES).contains(&width) {
            return None;
        }
        let (first, own) = (thread - thread % LANES, thread % LANES);
        let segment = own - own % width;
        let lane = match mode {
            Lane::At => segment + number.rem_euclid(width),
            Lane::Xor => own ^ number,
            Lane::Up => own - number,
            Lane::Down => own + number,
        };
        let inside = (segment..segment + width).contains(&lane);
        Some(if inside { first + lane } else { thread })
    }

    /// A value of another lane, which computes at the same time.
    fn of_lane(&mut self, value: &IndexForm, lane: i64, active: &[i64]) -> Option<i64> {
        active.binary_search(&lane).ok()?;
        self.value(value, lane)
    }

    /// Notes that something is not followed, as it depends on an integer that is not known, and where that comes from.
    pub(super) fn depends(&mut self, what: &str, at: Option<usize>) {
        let origin = self.missing.as_ref().and_then(|own| self.unknown_at.get(own)).copied();
        let why = match origin {
            Some(_) => "depends on an integer which is not known",
            None => "has no value",
        };
        let what = format!("threads of @{}: {what} that {why}", self.trace.name);
        self.findings.not_followed(Gap { what, at: origin.or(at) });
        if origin.is_some() {
            self.findings.left_to_run.insert("integers made of data");
        }
    }
}

fn is_division(name: &str) -> bool {
    name.contains("div") || name.contains("rem")
}

/// A word with its sign.
fn signed(value: i64, bits: u32) -> Option<i64> {
    match bits {
        1 => Some(value & 1),
        2..64 => {
            let shift = 64 - bits;
            Some(value.wrapping_shl(shift).wrapping_shr(shift))
        }
        64 => Some(value),
        _ => None,
    }
}

/// An unsigned word.
fn unsigned(value: i64, bits: u32) -> u64 {
    let word = value.cast_unsigned();
    if bits < 64 { word & ((1_u64 << bits) - 1) } else { word }
}

/// The values of two lanes, combined.
fn combined(name: &str, a: i64, b: i64, bits: u32) -> Option<i64> {
    Some(match name {
        "add" => a.wrapping_add(b),
        "mul" => a.wrapping_mul(b),
        "minsi" => a.min(b),
        "maxsi" => a.max(b),
        "minui" if unsigned(a, bits) <= unsigned(b, bits) => a,
        "maxui" if unsigned(a, bits) >= unsigned(b, bits) => a,
        "minui" | "maxui" => b,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        _ => return None,
    })
}

/// The result of an operation on words of `bits` bits, before it wraps around.
fn arithmetic(name: &str, predicate: i64, bits: u32, operands: &[i64; 3]) -> Option<i64> {
    let [a, b, c] = *operands;
    let (x, y) = (unsigned(a, bits), unsigned(b, bits));
    let word = |value: u64| value.cast_signed();
    let shift = u32::try_from(y).ok().filter(|&shift| shift < bits);
    Some(match name.strip_prefix("arith.").or_else(|| name.strip_prefix("math."))? {
        "addi" => a.wrapping_add(b),
        "subi" => a.wrapping_sub(b),
        "muli" => a.wrapping_mul(b),
        "andi" => a & b,
        "ori" => a | b,
        "xori" => a ^ b,
        "shli" => a.wrapping_shl(shift?),
        "shrsi" => a.wrapping_shr(shift?),
        "shrui" => word(x.wrapping_shr(shift?)),
        "divsi" => a.checked_div(b)?,
        "remsi" => a.checked_rem(b)?,
        "divui" => word(x.checked_div(y)?),
        "remui" => word(x.checked_rem(y)?),
        "floordivsi" if b > 0 => a.div_euclid(b),
        "ceildivsi" if b > 0 => a.checked_add(b - 1)?.div_euclid(b),
        "ceildivui" if y > 0 => word(x.div_ceil(y)),
        "minsi" => a.min(b),
        "maxsi" => a.max(b),
        "minui" => word(x.min(y)),
        "maxui" => word(x.max(y)),
        // A condition is 1, and as a signed word -1.
        "extsi" | "index_cast" if bits == 1 => -a,
        "extsi" | "index_cast" | "trunci" => a,
        "extui" | "index_castui" => word(x),
        "absi" => a.wrapping_abs(),
        "ctpop" => i64::from(x.count_ones()),
        "ctlz" => i64::from(x.leading_zeros()) - (64 - i64::from(bits)),
        "cttz" => i64::from(x.trailing_zeros().min(bits)),
        "select" if a & 1 == 1 => b,
        "select" => c,
        "cmpi" => {
            let (a, b) = if bits == 1 { (-a, -b) } else { (a, b) };
            i64::from(match predicate {
                0 => a == b,
                1 => a != b,
                2 => a < b,
                3 => a <= b,
                4 => a > b,
                5 => a >= b,
                6 => x < y,
                7 => x <= y,
                8 => x > y,
                9 => x >= y,
                _ => return None,
            })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_wrap_and_compare_with_and_without_a_sign() {
        let of = |name, predicate, a, b| {
            arithmetic(name, predicate, 32, &[a, b, 0]).and_then(|value| signed(value, 32))
        };
        assert_eq!(of("arith.addi", 0, i64::from(i32::MAX), 1), Some(i64::from(i32::MIN)));
        assert_eq!(of("arith.divui", 0, -1, 2), Some(i64::from(i32::MAX)));
        assert_eq!(of("arith.divsi", 0, -3, 2), Some(-1));
        assert_eq!(of("arith.remui", 0, 7, 0), None);
        assert_eq!(arithmetic("arith.cmpi", 2, 32, &[-1, 1, 0]), Some(1));
        assert_eq!(arithmetic("arith.cmpi", 6, 32, &[-1, 1, 0]), Some(0));
        assert_eq!(arithmetic("arith.extsi", 0, 1, &[1, 0, 0]), Some(-1));
        assert_eq!(arithmetic("arith.select", 0, 32, &[0, 5, 7]), Some(7));
        assert_eq!(of("arith.shli", 0, 1, 32), None);
        assert_eq!(of("math.ctpop", 0, -1, 0), Some(32));
        assert_eq!(of("math.ctlz", 0, 1, 0), Some(31));
        assert_eq!(of("math.cttz", 0, 0, 0), Some(32));
        assert_eq!(of("math.absi", 0, i64::from(i32::MIN), 0), Some(i64::from(i32::MIN)));
    }
}
