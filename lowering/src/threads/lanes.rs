//! Lanes of a warp that wait for each other: shuffles, of the whole warp or of a segment, barriers of a warp and MMAs.

use super::{
    clock::Clock,
    machine::{Fault, Machine, WARP},
    mma::{LaneRegisters, REGISTERS, WarpMma},
    waits::Wait,
};
use std::ops::Range;

impl Machine {
    /// Lets the threads of a warp continue that all wait for each other; `is_late` where no thread of another warp continues before.
    pub(super) fn exchange(&mut self, warp: usize, is_late: bool) -> bool {
        let lanes = warp * WARP..((warp + 1) * WARP).min(self.threads.len());
        // Segments first: their lanes wait for no other ones.
        let mut any = false;
        for lane in lanes.clone() {
            let wait = self.threads[lane].waits.filter(|wait| wait.is_collective());
            let Some(width) = wait.map(Wait::lanes).filter(|&width| width < WARP) else { continue };
            let first = lane / width * width;
            any |= self.exchange_among(first..(first + width).min(lanes.end), width, is_late);
            if self.fault.is_some() {
                return false;
            }
        }
        any || self.exchange_among(lanes, WARP, is_late)
    }

    /// The same of the lanes of a warp, or of a segment of so many.
    fn exchange_among(&mut self, lanes: Range<usize>, width: usize, is_late: bool) -> bool {
        let is_here = |wait: Option<Wait>| {
            wait.is_some_and(|wait| wait.is_collective() && wait.lanes() == width)
        };
        let Some(first) = lanes.clone().find(|&lane| is_here(self.threads[lane].waits)) else {
            return false;
        };
        let Some(expected) = self.threads[first].waits else { return false };
        let may_come = |wait: Wait| wait.may_end() || wait.is_collective() && wait.lanes() < width;
        for lane in lanes.clone() {
            let thread = &self.threads[lane];
            let meets =
                thread.waits.is_some_and(|own| is_here(Some(own)) && own.site() == expected.site());
            if meets {
                continue;
            }
            if !is_late && !thread.is_done && thread.waits.is_none_or(may_come) {
                return false;
            }
            let at = self.place(first, expected.site());
            let all = match width {
                WARP => "all threads of a warp".to_owned(),
                _ => format!("all {width} lanes of a segment"),
            };
            let message =
                format!("expected {all} to execute this operation, found thread {lane} absent");
            let other = match thread.waits {
                Some(own) => (self.place(lane, own.site()), "it waits here".to_owned()),
                None => (self.place(lane, expected.site()), "it has returned".to_owned()),
            };
            self.fault = Some(Fault { at, message, other: Some(other) });
            return false;
        }
        let waits: Vec<Option<Wait>> = lanes.clone().map(|lane| self.threads[lane].waits).collect();
        for (lane, wait) in lanes.clone().zip(&waits) {
            let thread = &mut self.threads[lane];
            thread.waits = None;
            let &Some(Wait::Shuffle { mode, value, offset, width, .. }) = wait else { continue };
            let warp = lane - lane % WARP;
            let (from, is_valid) = source(mode, lane % WARP, offset, width);
            let from = warp.checked_add(from).and_then(|from| from.checked_sub(lanes.start));
            let found = match from.and_then(|from| waits.get(from)) {
                Some(Some(Wait::Shuffle { value, .. })) => Some(*value),
                _ => None,
            };
            (thread.reply, thread.is_valid) = match found.filter(|_| is_valid) {
                Some(found) => (found, true),
                None => (value, false),
            };
        }
        if let Wait::Product { atom, .. } = expected
            && let Some(atom) = WarpMma::at(atom)
        {
            // A block whose last warp is no whole one has lanes that hold nothing.
            let registers: [LaneRegisters; WARP] =
                std::array::from_fn(|lane| match waits.get(lane) {
                    Some(&Some(Wait::Product { registers, .. })) => registers,
                    _ => [0; REGISTERS],
                });
            self.charge(atom.multiply_adds());
            let accumulators = atom.multiply(&registers);
            for (thread, accumulators) in self.threads[lanes.clone()].iter_mut().zip(accumulators) {
                thread.accumulators = accumulators;
            }
        }
        if matches!(expected, Wait::Sync { .. }) {
            Clock::join(&mut self.clocks[lanes.clone()], lanes.start);
            if let Some(patterns) = &mut self.patterns {
                patterns.complete(lanes.start / WARP);
            }
        }
        true
    }
}

/// The lane that a shuffle reads, and whether there is one.
fn source(mode: i32, lane: usize, offset: i32, width: i32) -> (usize, bool) {
    let width = usize::try_from(width).unwrap_or(WARP).clamp(1, WARP);
    let offset = offset as usize;
    let (first, end) = (lane / width * width, lane / width * width + width);
    let from = match mode {
        0 => lane ^ (offset % WARP),
        1 => return (lane.wrapping_sub(offset % WARP), lane >= first + offset % WARP),
        2 => lane + offset % WARP,
        _ => first + offset % WARP % width,
    };
    (from, from >= first && from < end)
}
