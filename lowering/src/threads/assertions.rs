//! Conditions that a thread states: assertions, and masks of its warp.

use super::machine::{Machine, WARP};

impl Machine {
    /// Whether a mask has all lanes of the warp that comes with it; an error otherwise.
    pub(super) fn is_whole(&mut self, mask: u32, site: u32) -> bool {
        let lanes = (self.threads.len() - self.current / WARP * WARP).min(WARP);
        let all = u32::MAX >> (WARP - lanes);
        let is_whole = mask & all == all;
        if !is_whole {
            let message = format!(
                "expected a mask of all {lanes} lanes of the warp, found 0x{mask:08x}, which leaves some out"
            );
            self.stop(site, message);
        }
        is_whole
    }

    /// Notes that an assertion does not hold.
    pub(super) fn refuse(&mut self, text: usize, site: u32) {
        let text = self.texts.get(text).cloned().unwrap_or_default();
        self.stop(site, format!("expected the assertion to hold, found it false: {text}"));
    }
}
