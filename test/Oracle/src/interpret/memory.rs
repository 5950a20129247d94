//! Memory: bytes of allocations, each defined, never written, or poison.

use crate::interpret::{Stop, value::Value};
use std::collections::HashMap;

/// The state of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// It has this value.
    Known(u8),
    /// It was never written, or poison was.
    Unknown,
}

/// One allocation.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// Its bytes.
    pub bytes: Vec<Byte>,
    /// Whether it was not freed.
    pub live: bool,
    /// Whether the caller sees it.
    pub visible: bool,
}

/// One access or call, as the caller may see it.
#[derive(Clone, Debug)]
pub enum Event {
    /// Bytes of a visible allocation were read.
    Load {
        /// Number of the allocation.
        allocation: usize,
        /// First byte.
        offset: u64,
        /// How many.
        bytes: u32,
    },
    /// Bytes of a visible allocation were written.
    Store {
        /// Number of the allocation.
        allocation: usize,
        /// First byte.
        offset: u64,
        /// How many.
        bytes: u32,
    },
    /// A function without a body was called.
    Call {
        /// Its name.
        name: std::rc::Rc<str>,
        /// Its arguments.
        arguments: Vec<Value>,
    },
}

/// The thread that runs, and how many barriers its block has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    /// The launch, counted.
    pub launch: u32,
    /// The block in its grid.
    pub block: u32,
    /// Barriers that the block has passed.
    pub epoch: u32,
    /// The thread in its block.
    pub thread: u32,
}

impl Running {
    /// Whether an access of one is in no order with an access of the other.
    fn races(self, other: Self) -> bool {
        self.launch == other.launch
            && (self.block != other.block
                || (self.epoch == other.epoch && self.thread != other.thread))
    }
}

/// The bits of an address within an allocation; those above number the allocation.
const SPAN: u32 = 40;

/// Allocations of one execution at most.
const MAX_ALLOCATIONS: usize = 4096;

/// Bytes of one allocation at most.
const MAX_BYTES: u64 = 1 << 20;

/// Memory of one execution.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The allocations.
    pub allocations: Vec<Allocation>,
    /// The events, in order.
    pub events: Vec<Event>,
    /// The thread of a launch that runs, if one does.
    pub running: Option<Running>,
    /// Which threads read (false) and wrote (true) a byte.
    touched: HashMap<(usize, u64), Vec<(Running, bool)>>,
}

impl Memory {
    /// Notes accesses of threads. Two of one byte, one of them a store, with no barrier between are undefined.
    fn touch(&mut self, number: usize, offset: u64, bytes: u32, store: bool) -> Result<(), Stop> {
        let Some(running) = self.running else { return Ok(()) };
        for byte in offset..offset + u64::from(bytes) {
            let before = self.touched.entry((number, byte)).or_default();
            let race =
                |(other, stored): &(Running, bool)| (store || *stored) && running.races(*other);
            if before.iter().any(race) {
                return Err(Stop::undefined(format!("two threads race for memory {number}")));
            }
            if !before.contains(&(running, store)) {
                before.push((running, store));
            }
        }
        Ok(())
    }

    /// Forgets the threads of a launch that has ended.
    pub fn settle(&mut self) {
        self.running = None;
        self.touched.clear();
    }

    /// New memory, and its address.
    pub fn allocate(&mut self, bytes: u64, visible: bool) -> Result<u64, Stop> {
        if self.allocations.len() >= MAX_ALLOCATIONS || bytes > MAX_BYTES {
            return Err(Stop::Steps);
        }
        let bytes = vec![Byte::Unknown; bytes as usize];
        self.allocations.push(Allocation { bytes, live: true, visible });
        Ok((self.allocations.len() as u64) << SPAN)
    }

    /// Ends memory at an address that `allocate` gave.
    pub fn free(&mut self, address: u64) -> Result<(), Stop> {
        let (number, offset) = self.find(address, 0)?;
        if offset != 0 {
            return Err(Stop::undefined("memory freed at an address inside of it"));
        }
        self.allocations[number].live = false;
        Ok(())
    }

    /// The allocation that holds `bytes` bytes from an address on, and the offset there.
    fn find(&self, address: u64, bytes: u32) -> Result<(usize, u64), Stop> {
        let number = (address >> SPAN) as usize;
        let offset = address & ((1 << SPAN) - 1);
        let Some(allocation) = number.checked_sub(1).and_then(|n| self.allocations.get(n)) else {
            return Err(Stop::undefined(format!("access of no memory at {address:#x}")));
        };
        if !allocation.live {
            return Err(Stop::undefined(format!("access of freed memory {}", number - 1)));
        }
        if offset + u64::from(bytes) > allocation.bytes.len() as u64 {
            return Err(Stop::undefined(format!(
                "access of memory {} of {} bytes at byte {offset}",
                number - 1,
                allocation.bytes.len()
            )));
        }
        Ok((number - 1, offset))
    }

    /// Reads `bytes` bytes, in little-endian order.
    pub fn load(&mut self, address: u64, bytes: u32) -> Result<Value, Stop> {
        let (number, offset) = self.find(address, bytes)?;
        self.touch(number, offset, bytes, false)?;
        let allocation = &self.allocations[number];
        if allocation.visible {
            self.events.push(Event::Load { allocation: number, offset, bytes });
        }
        let mut value = 0;
        for i in (0..u64::from(bytes)).rev() {
            match allocation.bytes[(offset + i) as usize] {
                Byte::Known(byte) => value = value << 8 | u64::from(byte),
                Byte::Unknown => return Ok(Value::Poison),
            }
        }
        Ok(Value::Bits(value))
    }

    /// Writes `bytes` bytes, in little-endian order.
    pub fn store(&mut self, address: u64, bytes: u32, value: &Value) -> Result<(), Stop> {
        let (number, offset) = self.find(address, bytes)?;
        self.touch(number, offset, bytes, true)?;
        if self.allocations[number].visible {
            self.events.push(Event::Store { allocation: number, offset, bytes });
        }
        for i in 0..u64::from(bytes) {
            self.allocations[number].bytes[(offset + i) as usize] = match value {
                Value::Bits(bits) => Byte::Known((bits >> (8 * i)) as u8),
                Value::Poison => Byte::Unknown,
                _ => return Err(Stop::unknown("a store of something that has no bytes")),
            };
        }
        Ok(())
    }

    /// Copies bytes, known or not.
    pub fn copy(&mut self, from: u64, to: u64, bytes: u32) -> Result<(), Stop> {
        let (source, begin) = self.find(from, bytes)?;
        let (target, at) = self.find(to, bytes)?;
        self.touch(source, begin, bytes, false)?;
        self.touch(target, at, bytes, true)?;
        if self.allocations[source].visible {
            self.events.push(Event::Load { allocation: source, offset: begin, bytes });
        }
        if self.allocations[target].visible {
            self.events.push(Event::Store { allocation: target, offset: at, bytes });
        }
        for i in 0..u64::from(bytes) {
            let byte = self.allocations[source].bytes[(begin + i) as usize];
            self.allocations[target].bytes[(at + i) as usize] = byte;
        }
        Ok(())
    }
}
