//! Memory of a function that runs on this machine: what lies around it shows where the function writes past its end.
//!
//! ```text
//! margin | 16 bytes | memory … | margin
//! ```
//!
//! Compiled code calls [`allocate`] and [`free`] in place of C's `malloc` and `free`. Memory holds [`POISON`] before it is written, of
//! which floats are NaN, so that a comparison shows what reads it.

use std::{cell::RefCell, ffi::c_void};

/// Each byte of a margin, and of memory that is not written yet.
const POISON: u8 = 0xff;

/// The least margin in bytes: a margin is as large as the memory, between these two bounds.
const MIN_MARGIN: usize = 1 << 12;
const MAX_MARGIN: usize = 1 << 16;

/// MLIR requests 64 bytes more than a memref has, and begins it at the next multiple of 64: past few of these bytes.
const START: usize = 16;

/// Memory begins at multiples of 64 bytes, as that of a device does.
#[derive(Clone, Copy)]
#[repr(align(64))]
#[expect(dead_code, reason = "pointers reach the bytes")]
struct Line([u8; 64]);

/// Memory between two margins.
pub(super) struct Block {
    lines: Vec<Line>,
    start: usize,
    bytes: usize,
}

/// Bytes that were written out of a block's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfBounds {
    /// How many.
    pub(super) count: usize,
    /// Bytes of the block.
    pub(super) bytes: usize,
}

impl Block {
    fn new(start: usize, bytes: usize) -> Self {
        let line = size_of::<Line>();
        let margin = bytes.clamp(MIN_MARGIN, MAX_MARGIN).next_multiple_of(line);
        let count = (2 * margin + start + bytes).div_ceil(line);
        Self { lines: vec![Line([POISON; 64]); count], start: margin + start, bytes }
    }

    /// Memory with these contents, at a multiple of 64 bytes.
    pub(super) fn with(data: &[u8]) -> Self {
        let mut own = Self::new(0, data.len());
        let pointer = own.pointer();
        // SAFETY: the block has as many bytes.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), pointer, data.len()) };
        own
    }

    pub(super) fn pointer(&mut self) -> *mut u8 {
        // SAFETY: the memory starts within the lines.
        unsafe { self.lines.as_mut_ptr().cast::<u8>().add(self.start) }
    }

    /// The bytes that were written around it, if there are any.
    pub(super) fn stray(&self) -> Option<OutOfBounds> {
        // SAFETY: the lines are as many bytes, all of which have values.
        let all = unsafe {
            let bytes = self.lines.len() * size_of::<Line>();
            std::slice::from_raw_parts(self.lines.as_ptr().cast::<u8>(), bytes)
        };
        let around = all[..self.start].iter().chain(&all[self.start + self.bytes..]);
        let count = around.filter(|byte| **byte != POISON).count();
        (count > 0).then_some(OutOfBounds { count, bytes: self.bytes })
    }
}

#[derive(Default)]
struct Heap {
    blocks: Vec<Block>,
    /// The first write beside a block that is freed.
    stray: Option<OutOfBounds>,
}

thread_local! {
    /// All that compiled code has allocated on this thread.
    static HEAP: RefCell<Heap> = RefCell::default();
}

/// In place of C's `malloc`.
pub(super) extern "C" fn allocate(bytes: u64) -> *mut c_void {
    let Ok(bytes) = usize::try_from(bytes) else { return std::ptr::null_mut() };
    if isize::try_from(bytes).is_err() {
        return std::ptr::null_mut();
    }
    HEAP.with_borrow_mut(|heap| {
        heap.blocks.push(Block::new(START, bytes));
        heap.blocks.last_mut().map_or(std::ptr::null_mut(), |own| own.pointer().cast())
    })
}

/// In place of C's `free`.
pub(super) extern "C" fn free(pointer: *mut c_void) {
    HEAP.with_borrow_mut(|heap| {
        let place = heap.blocks.iter_mut().rposition(|own| own.pointer().cast() == pointer);
        if let Some(place) = place {
            let stray = heap.blocks.swap_remove(place).stray();
            heap.stray = heap.stray.or(stray);
        }
    });
}

/// Frees all that is left. Gives what was written beside some of it, or beside a block that is freed already.
pub(super) fn free_all() -> Option<OutOfBounds> {
    HEAP.with_borrow_mut(|heap| {
        let Heap { blocks, stray } = std::mem::take(heap);
        stray.or_else(|| blocks.iter().find_map(Block::stray))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_out_of_bounds_are_counted() {
        assert_eq!(free_all(), None);
        for (at, count) in [(0, 0), (9, 0), (10, 1), (-1, 1)] {
            for is_freed in [false, true] {
                let pointer = allocate(10).cast::<u8>();
                // SAFETY: the margins have more bytes.
                unsafe { pointer.offset(at).write(1) };
                if is_freed {
                    free(pointer.cast());
                }
                let stray = (count > 0).then_some(OutOfBounds { count, bytes: 10 });
                assert_eq!(free_all(), stray, "{at} {is_freed}");
            }
        }
    }

    #[test]
    fn contents_lie_at_lines() {
        let mut block = Block::with(&[1, 2, 3]);
        assert!(block.pointer().cast::<Line>().is_aligned());
        // SAFETY: the block has three bytes.
        assert_eq!(unsafe { std::slice::from_raw_parts(block.pointer(), 3) }, [1, 2, 3]);
        assert_eq!(block.stray(), None);
    }
}
