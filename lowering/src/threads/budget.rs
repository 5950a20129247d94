//! The steps of a launch: [`crate::budget`] says what counts as how many.

use super::machine::Machine;

/// Steps of an access to memory, and of a start or a continuation of a thread, which take longer than an iteration of a loop.
pub(super) const LONG: u64 = 16;

/// The budget of a launch.
#[derive(Debug)]
pub(super) struct Budget {
    /// The kernel, and the steps that it has.
    kernel: String,
    steps: u64,
    left: u64,
    /// Whether that is the fault of the launch.
    pub(super) is_used_up: bool,
}

impl Budget {
    pub(super) fn new(kernel: &str, steps: u64) -> Self {
        Self { kernel: kernel.to_owned(), steps, left: steps, is_used_up: false }
    }
}

impl Machine {
    /// Takes steps off the budget; a fault, and false, where it has fewer.
    pub(super) fn spend(&mut self, steps: u64, site: u32) -> bool {
        match self.budget.left.checked_sub(steps) {
            Some(left) => {
                self.budget.left = left;
                true
            }
            None => {
                self.budget.is_used_up |= self.fault.is_none();
                let Budget { kernel, steps, .. } = &self.budget;
                let message = format!("expected @{kernel} to end within {steps} steps, found more");
                self.stop(site, message);
                false
            }
        }
    }

    /// Takes steps of what has no place: at 0, the next loop or access is the fault.
    pub(super) const fn charge(&mut self, steps: u64) {
        self.budget.left = self.budget.left.saturating_sub(steps);
    }
}
