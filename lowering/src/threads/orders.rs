//! The order that atomic accesses and fences make, as PTX's memory model has it.
//!
//! A release, or a fence before an atomic store, passes on what its thread knows; an acquire of the stored value, or a fence after an atomic
//! load of it, takes that. An atomic update continues what the stores before it have released. Where a scope is the block, only threads
//! of the same block take it.

use super::{
    block_times::Blocks,
    clock::add_others,
    machine::{Access, Machine, Region},
};
use std::collections::BTreeMap;

/// The first bit of the facts about an atomic access beside its kind and alignment, in the number that announces it.
pub(super) const SHIFT: u32 = 20;

/// An access or a fence that acquires, that releases, whose scope is the block, and that loads and stores at once.
pub(super) const ACQUIRES: i32 = 1;
pub(super) const RELEASES: i32 = 2;
pub(super) const OF_BLOCK: i32 = 4;
pub(super) const UPDATES: i32 = 8;

/// A comparison and exchange that acquires where it stores nothing.
pub(super) const FAILURE_ACQUIRES: i32 = 16;

/// Scopes: the device's, and the block's.
const SCOPES: usize = 2;

/// The knowledge that a thread's fences have released for the atomic stores after them, and that its atomic loads have found for the fences after
/// them, by scope.
#[derive(Debug, Default)]
pub(super) struct Fences {
    released: [Option<Blocks>; SCOPES],
    found: [Option<Blocks>; SCOPES],
}

impl Fences {
    /// The knowledge that a fence released for all blocks.
    pub(super) fn for_all(&self) -> Option<Blocks> {
        let [device, _] = &self.released;
        device.clone()
    }
}

/// The knowledge that the value of an atomic passes on: to all, and to threads of one block.
#[derive(Debug, Default)]
struct Passed {
    device: Option<Blocks>,
    blocks: BTreeMap<u32, Option<Blocks>>,
}

/// The knowledge that atomics pass on, by their addresses.
#[derive(Debug, Default)]
pub(super) struct Orders(BTreeMap<u64, Passed>);

impl Orders {
    /// Forgets the knowledge that the values of some bytes pass on.
    pub(super) fn forget(&mut self, first: u64, bytes: u64) {
        if self.0.is_empty() {
            return;
        }
        let end = first.saturating_add(bytes);
        let gone: Vec<u64> = self.0.range(first..end).map(|(&address, _)| address).collect();
        for address in gone {
            self.0.remove(&address);
        }
    }
}

impl Machine {
    /// The knowledge that the thread passes on now.
    fn released(&mut self) -> Option<Blocks> {
        let (current, number) = (self.current, self.number);
        Some(self.clocks.get_mut(current)?.release_to_all(current, number))
    }

    /// Takes what others have released.
    fn acquired(&mut self, from: Option<&Blocks>) {
        let (current, number) = (self.current, self.number);
        if let (Some(clock), Some(from)) = (self.clocks.get_mut(current), from) {
            clock.acquire_from_all(number, from);
        }
    }

    /// The kind of an atomic access and the order that it makes: an exchange that finds another value than it expects is a load.
    pub(super) fn compared(
        &mut self,
        (address, bytes): (u64, u64),
        access: Access,
        facts: i32,
    ) -> (Access, i32) {
        let expected = self.threads.get_mut(self.current).and_then(|own| own.expected.take());
        let (Some(expected), Some(found)) = (expected, self.word_at(address, bytes)) else {
            return (access, facts);
        };
        if found == expected {
            return (access, facts);
        }
        let acquires = if facts & FAILURE_ACQUIRES == 0 { 0 } else { ACQUIRES };
        (Access::AtomicRead, facts & OF_BLOCK | acquires)
    }

    /// The integer of at most 8 bytes at a place of the kernel's memory.
    fn word_at(&self, address: u64, bytes: u64) -> Option<u64> {
        let end = address.checked_add(bytes)?;
        let in_region = |region: &Region| address >= region.first && end <= region.end;
        let is_there = self.is_shared(address, bytes) || self.regions.iter().any(in_region);
        let mut word = [0; 8];
        let own = word.get_mut(..usize::try_from(bytes).ok()?).filter(|_| is_there)?;
        // SAFETY: the bytes are of an operand, or of the block's memory.
        unsafe {
            std::ptr::copy(address as *const u8, own.as_mut_ptr(), own.len());
        }
        Some(u64::from_le_bytes(word))
    }

    /// A fence of a thread.
    pub(super) fn fence(&mut self, facts: i32) {
        let is_of_block = facts & OF_BLOCK != 0;
        if facts & ACQUIRES != 0
            && let Some(thread) = self.threads.get_mut(self.current)
        {
            let [device, block] = thread.fences.found.clone();
            self.acquired(block.as_ref());
            if !is_of_block {
                self.acquired(device.as_ref());
            }
        }
        if facts & RELEASES != 0 {
            let released = self.released();
            if let Some(thread) = self.threads.get_mut(self.current) {
                let [device, block] = &mut thread.fences.released;
                block.clone_from(&released);
                if !is_of_block {
                    *device = released;
                }
            }
        }
    }

    /// The order that an access makes, once it has been announced.
    pub(super) fn order(&mut self, (address, bytes): (u64, u64), access: Access, facts: i32) {
        let stores = access.stores();
        if !access.is_atomic() {
            if stores {
                self.orders.forget(address, bytes);
            }
            return;
        }
        let (number, is_of_block) = (self.number, facts & OF_BLOCK != 0);
        let loads = !stores || facts & UPDATES != 0;
        if loads && let Some(passed) = self.orders.0.get(&address) {
            let device = passed.device.clone();
            let block = passed.blocks.get(&number).cloned().flatten();
            if let Some(thread) = self.threads.get_mut(self.current) {
                let [all, own] = &mut thread.fences.found;
                add_others(all, device.as_ref().filter(|_| !is_of_block));
                add_others(own, block.as_ref());
            }
            if facts & ACQUIRES != 0 {
                self.acquired(block.as_ref());
                self.acquired(device.as_ref().filter(|_| !is_of_block));
            }
        }
        if !stores {
            return;
        }
        let mut by = self.threads.get(self.current).map(|own| own.fences.released.clone());
        if facts & RELEASES != 0 {
            let released = self.released();
            let device = released.clone().filter(|_| !is_of_block);
            by = Some([device, released]);
        }
        let [device, block] = by.unwrap_or_default();
        let device = device.filter(|_| !is_of_block);
        if !loads {
            self.orders.forget(address, bytes);
        }
        if device.is_none() && block.is_none() {
            return;
        }
        let passed = self.orders.0.entry(address).or_default();
        add_others(&mut passed.device, device.as_ref());
        add_others(passed.blocks.entry(number).or_default(), block.as_ref());
    }

    /// Whether a thread at an atomic access lets others run first: it may wait for them in a loop.
    pub(super) fn lets_others_run(&mut self) -> bool {
        /// Atomic accesses after which a thread does.
        const MANY: u32 = 64;
        let Some(thread) = self.threads.get_mut(self.current) else { return false };
        thread.atomics = (thread.atomics + 1) % MANY;
        thread.atomics == 0
    }
}
