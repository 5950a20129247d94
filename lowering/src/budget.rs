//! The work of compiled code on this machine, counted in steps while it runs: a run ends within its budget, or is stopped.
//!
//! | counts | steps |
//! |---|---|
//! | an iteration of a loop | 1 |
//! | a multiply-add of an MMA | 1 |
//! | an access to memory that a thread of a kernel announces | 16 |
//! | a start of a thread, and each continuation after a wait | 16 |
//!
//! The count is the same from run to run. A step takes about a nanosecond to a few. A loop whose number of iterations is known where it
//! starts, as that of each `scf.for`, is charged there, before its first iteration; all other loops where they go back ([`loops`]). Threads of
//! kernels have their own count ([`crate::threads`]); here is that of host functions, references and models, which run on one coroutine.

pub(crate) mod loops;

use corosensei::{Coroutine, CoroutineResult, Yielder, stack::DefaultStack};
use layout_runtime::manifest::Kernel;
use std::{
    cell::{Cell, RefCell},
    ffi::c_void,
};

/// Steps that a run has, unless an option says otherwise: a minute or a few.
pub const STEPS: u64 = 1 << 34;

/// Bytes of the stack of compiled code, which holds the buffers of host functions.
const STACK: usize = 1 << 26;

/// Why a run was stopped.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The budget is used up.
    #[error("{}", .0.message("the function"))]
    Steps(Exceeded),
    /// The system has no memory for a stack.
    #[error("cannot make a stack: {0}")]
    Stack(#[from] std::io::Error),
}

/// The loop that took more steps than a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// The limit.
    pub steps: u64,
    /// The number of the loop's place.
    pub(crate) site: u32,
}

impl Exceeded {
    /// The expectation, the finding and the way out.
    pub(crate) fn message(self, name: &str) -> String {
        let steps = self.steps;
        format!("expected {name} to end within {steps} steps, found a loop that takes more; {HINT}")
    }
}

/// The way to a greater budget.
pub(crate) const HINT: &str = "--max-steps N raises the limit";

type Spent = Yielder<(), ()>;

thread_local! {
    /// Steps that are left; without a limit outside of [`within`].
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static YIELDER: Cell<*const Spent> = const { Cell::new(std::ptr::null()) };
    static SITE: Cell<u32> = const { Cell::new(0) };
    /// The stack of the last run, for the next one.
    static KEPT: RefCell<Option<DefaultStack>> = const { RefCell::new(None) };
}

/// Runs compiled code with a budget.
///
/// # Errors
///
/// The loop where the budget ended: the code was stopped there, and what it had allocated is left.
pub(crate) fn within(steps: u64, code: impl FnOnce() + 'static) -> Result<(), Stop> {
    let stack = match KEPT.take() {
        Some(stack) => stack,
        None => DefaultStack::new(STACK)?,
    };
    let mut run = Coroutine::with_stack(stack, move |yielder: &Spent, ()| {
        YIELDER.set(yielder);
        code();
    });
    LEFT.set(steps);
    let outcome = run.resume(());
    LEFT.set(u64::MAX);
    YIELDER.set(std::ptr::null());
    if let CoroutineResult::Yield(()) = outcome {
        // SAFETY: compiled code and the functions below are on its stack, which own nothing.
        unsafe { run.force_reset() };
    }
    KEPT.set(Some(run.into_stack()));
    match outcome {
        CoroutineResult::Return(()) => Ok(()),
        CoroutineResult::Yield(()) => Err(Stop::Steps(Exceeded { steps, site: SITE.get() })),
    }
}

/// Checks that the GEMMs of a kernel's problem have no more multiply-adds than a run has steps.
///
/// # Errors
///
/// The message.
pub(crate) fn check_problem(kernel: &Kernel, steps: u64) -> Result<(), String> {
    match kernel.multiply_adds().filter(|&found| found > u128::from(steps)) {
        None => Ok(()),
        Some(found) => Err(format!(
            "expected a problem of @{} of at most {steps} multiply-adds, each of which is a step, found {found}; {HINT}",
            kernel.name
        )),
    }
}

fn spend(steps: u64, site: u32) {
    match LEFT.get().checked_sub(steps) {
        Some(left) => LEFT.set(left),
        None => {
            SITE.set(site);
            // SAFETY: the yielder is that of the coroutine that runs, which sets it when it begins.
            if let Some(yielder) = unsafe { YIELDER.get().as_ref() } {
                yielder.suspend(());
            }
        }
    }
}

extern "C" fn tick(site: u32) {
    spend(1, site);
}

extern "C" fn enter(first: i64, end: i64, step: i64, bits: u32, site: u32) {
    spend(iterations((first, end, step), bits), site);
}

/// The functions that compiled code calls, by name.
pub(crate) fn functions() -> [(&'static str, *mut c_void); 2] {
    [(loops::TICK, tick as *mut c_void), (loops::ENTER, enter as *mut c_void)]
}

/// Iterations of `for (i = first; i < end; i += step)` on signed integers of some bits; `u64::MAX` of a loop without an end.
pub(crate) fn iterations((first, end, step): (i64, i64, i64), bits: u32) -> u64 {
    if first >= end {
        return 0;
    }
    if step < 1 {
        return u64::MAX;
    }
    // Each loop of a run comes here, so this divides words and not pairs of them.
    let step = step.unsigned_abs();
    let before_last = (end.abs_diff(first) - 1) / step;
    let last = first.wrapping_add_unsigned(before_last * step);
    let greatest = i64::MAX >> (64 - bits.clamp(1, 64));
    match greatest < last || greatest.abs_diff(last) < step {
        true => u64::MAX,
        false => before_last + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_those_of_the_loop() {
        let of = |first, end, step| iterations((first, end, step), 64);
        assert_eq!([of(0, 10, 1), of(0, 10, 3), of(-5, 5, 10), of(7, 7, 1)], [10, 4, 1, 0]);
        assert_eq!([of(8, 7, 1), of(8, 7, 0)], [0, 0]);
        assert_eq!(of(i64::MIN, i64::MAX, 1), u64::MAX);
        // They do not end: the integer never passes the end.
        assert_eq!([of(0, 1, 0), of(0, 1, -1), of(0, i64::MAX, 2)], [u64::MAX; 3]);
        let narrow = |end| iterations((0, end, 2), 32);
        assert_eq!([narrow((1 << 31) - 2), narrow((1 << 31) - 1)], [(1 << 30) - 1, u64::MAX]);
    }

    #[test]
    fn a_run_is_stopped_where_its_budget_ends() {
        let ticks = |count: u32| move || (0..count).for_each(|site| tick(site));
        assert!(within(10, ticks(10)).is_ok());
        let Err(Stop::Steps(stop)) = within(10, ticks(11)) else { panic!("a stop") };
        assert_eq!(stop, Exceeded { steps: 10, site: 10 });
        let at_once = within(10, || enter(0, 11, 1, 64, 7));
        assert_eq!(
            at_once.expect_err("a stop").to_string(),
            "expected the function to end within 10 steps, found a loop that takes more; --max-steps N raises the limit"
        );
        // Nothing is counted outside of a run.
        enter(0, 1, 0, 64, 0);
        assert!(within(10, ticks(10)).is_ok());
    }
}
