//! Bulk copies of boxes of tensors, and of bytes in a row, between global memory and a block's, which run beside the threads.
//!
//! A copy to shared memory ends as late as it can, when no thread continues without it, and a barrier counts its bytes. Who accesses
//! the bytes before races with it. A copy from shared memory reads until its thread has waited for its group.

use super::{
    Error,
    clock::Clock,
    machine::{Access, Machine, MissingOrder, lack},
    multiplicands::nearest_tf32,
    program::{Sites, call, constant, plain},
    shadow::Mark,
};
use layout_dialect::{
    build::{Builder, Val, operand},
    tree,
};
use layout_runtime::manifest::{Element, Im2col, TensorMap};
use melior::ir::{
    OperationRef,
    attribute::{DenseI32ArrayAttribute, IntegerAttribute},
    operation::OperationLike,
};
use std::collections::VecDeque;

/// Modes of a tensor at most.
pub(super) const MAX_RANK: usize = 5;

/// A tensor map, and where its tensor is.
#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub(super) map: TensorMap,
    /// The first byte of the tensor.
    pub(super) first: u64,
    /// The address that a kernel takes for the map.
    pub(super) handle: u64,
}

/// Bytes of a run of a box: where they are in memory, if they are in the tensor, and in a block's memory.
struct Run {
    outside: Option<u64>,
    inside: u64,
    bytes: u64,
}

/// The part of global memory that a bulk copy moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// A box of a tensor: the address of its map, and coordinates.
    Box { handle: u64, at: [i64; MAX_RANK] },
    /// Bytes in a row.
    Bytes { first: u64, count: u64 },
}

/// A copy to shared memory that has not ended.
#[derive(Debug)]
pub(super) struct Load {
    part: Part,
    to: u64,
    barrier: u64,
    site: u32,
    thread: usize,
    /// The store that it is in the end.
    mark: Mark,
}

/// The bulk copies that a thread has begun.
#[derive(Debug, Default)]
pub(super) struct Bulk {
    /// The numbers and sites of copies of the open group, and of those after it.
    open: Vec<(u32, u32)>,
    groups: VecDeque<Vec<(u32, u32)>>,
}

impl Tensor {
    fn box_bytes(&self) -> u64 {
        let elements: u64 = self.map.box_extents.iter().map(|&extent| u64::from(extent)).product();
        elements * self.map.element.bytes() as u64
    }

    /// Where the rows of a box begin, of those in the tensor.
    fn rows(&self, at: [i64; MAX_RANK]) -> Vec<Option<u64>> {
        if let Some(im2col) = self.map.im2col {
            return self.pixels(im2col, at);
        }
        let extents = &self.map.box_extents;
        let count: u64 = extents.iter().skip(1).map(|&extent| u64::from(extent)).product();
        let start = |mut rest: u64| {
            let mut place = at;
            for (place, &extent) in place.iter_mut().zip(extents).skip(1) {
                *place = place.saturating_add(i64::try_from(rest % u64::from(extent)).unwrap_or(0));
                rest /= u64::from(extent);
            }
            self.start_of(place)
        };
        (0..count).map(start).collect()
    }

    /// The same of a map in im2col mode, whose rows are pixels: those of a bounding box in steps, from a pixel on, line by line and image by
    /// image, each as far away as the tap that the fifth coordinate is (16 bits along the width, and as many along the height).
    fn pixels(&self, im2col: Im2col, at: [i64; MAX_RANK]) -> Vec<Option<u64>> {
        let [channel, mut w, mut h, mut n, tap] = at;
        let taps = [tap & 0xffff, tap >> 16 & 0xffff];
        let last = |along: usize| {
            let extent = i64::try_from(self.map.extents[1 + along]).unwrap_or(i64::MAX);
            extent.saturating_add(i64::from(im2col.upper[along])) - 1
        };
        let [first_w, first_h] = im2col.lower.map(i64::from);
        let [step_w, step_h] = im2col.steps.map(i64::from);
        let mut rows = Vec::new();
        for _ in 0..self.map.box_extents[1] {
            rows.push(self.start_of([channel, w + taps[0], h + taps[1], n, 0]));
            w += step_w;
            if w > last(0) {
                (w, h) = (first_w, h + step_h);
            }
            if h > last(1) {
                (h, n) = (first_h, n.saturating_add(1));
            }
        }
        rows
    }

    /// The first byte of a row, at the coordinate 0 along it; none outside of the tensor.
    fn start_of(&self, place: [i64; MAX_RANK]) -> Option<u64> {
        let all = place.iter().zip(&self.map.extents).zip(&self.map.strides).skip(1);
        let mut start = self.first;
        for ((&place, &extent), stride) in all {
            start += u64::try_from(place).ok().filter(|&place| place < extent)? * stride;
        }
        Some(start)
    }

    /// The bytes of a box, in runs that a swizzle does not divide.
    fn runs(&self, at: [i64; MAX_RANK], inside: u64) -> Vec<Run> {
        /// Bytes that a swizzle moves.
        const UNIT: u64 = 16;
        let element = self.map.element.bytes() as u64;
        let row = u64::from(self.map.box_extents.first().copied().unwrap_or(1));
        let mask = u64::from(self.map.swizzle / 16).saturating_sub(1);
        let mut runs = Vec::new();
        for (number, start) in (0..).zip(self.rows(at)) {
            let mut column = 0;
            while column < row {
                let linear = inside + (number * row + column) * element;
                let count = ((UNIT - linear % UNIT) / element).clamp(1, row - column);
                let first = at[0] + i64::try_from(column).unwrap_or(0);
                let extent = i64::try_from(self.map.extents[0]).unwrap_or(i64::MAX);
                // Elements within and outside of the tensor are in runs of their own.
                let to_edge = match first {
                    ..0 => -first,
                    _ if first < extent => extent - first,
                    _ => i64::MAX,
                };
                let count = count.min(u64::try_from(to_edge).unwrap_or(u64::MAX));
                let start = start.filter(|_| (0..extent).contains(&first));
                runs.push(Run {
                    outside: start.map(|start| start + first.unsigned_abs() * element),
                    inside: linear ^ ((linear >> 7 & mask) << 4),
                    bytes: count * element,
                });
                column += count;
            }
        }
        runs
    }
}

/// Writes out bulk copies; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let number = |name: &str| -> Result<i64, Error> {
        Ok(IntegerAttribute::try_from(operation.attribute(name)?)?.value())
    };
    let name = tree::name(operation);
    let loads = name == "nvvm.cp.async.bulk.tensor.shared.cluster.global";
    match name.as_str() {
        "nvvm.cp.async.bulk.commit.group" => _ = call(b, "layout_bulk_commit", &[], None)?,
        "nvvm.cp.async.bulk.wait_group" => {
            let left = constant(b, 64, number("group")?)?;
            call(b, "layout_bulk_wait", &[left], None)?;
        }
        "nvvm.cp.async.bulk.shared.cluster.global" | "nvvm.cp.async.bulk.global.shared.cta" => {
            let loads = name.ends_with("global");
            // Memory, where it comes from, a barrier, and what is rare.
            let count = if loads { 4 } else { 3 };
            if operation.operand_count() != count {
                return Ok(false);
            }
            let mut operands = Vec::with_capacity(count + 1);
            for at in 0..count - 1 {
                operands.push(plain(b, operand(operation, at))?);
            }
            operands.push(operand(operation, count - 1));
            operands.push(constant(b, 32, sites.of(operation))?);
            let function = if loads { "layout_bulk_load_bytes" } else { "layout_bulk_store_bytes" };
            call(b, function, &operands, None)?;
        }
        _ if loads || name == "nvvm.cp.async.bulk.tensor.global.shared.cta" => {
            // The tensor map and memory, coordinates, a barrier, the offsets of an im2col map, and what is rare.
            let segments = operation.attribute("operandSegmentSizes")?;
            let segments = DenseI32ArrayAttribute::try_from(segments)?;
            let segment = |at: usize| segments.element(at).map_or(0, i64::from);
            let modes = usize::try_from(segment(2)).unwrap_or(0);
            let mode = operation.attribute("mode").map(|mode| mode.to_string()).unwrap_or_default();
            let is_im2col = mode.contains("<im2col>");
            let (offsets, rare) = match loads {
                true => (segment(4), segment(5) + segment(7)),
                false => (0, segment(4)),
            };
            let is_known = match is_im2col {
                true => modes + 1 == MAX_RANK && offsets == 2,
                false => mode.contains("<tile>") && offsets == 0,
            };
            if !(1..=MAX_RANK).contains(&modes) || !is_known || rare > 0 {
                return Ok(false);
            }
            let (memory, map) = if loads { (0, 1) } else { (1, 0) };
            let mut operands = vec![
                plain(b, operand(operation, map))?,
                plain(b, operand(operation, memory))?,
                match loads {
                    true => plain(b, operand(operation, 2 + modes))?,
                    false => plain(b, operand(operation, memory))?,
                },
            ];
            for mode in 0..MAX_RANK {
                operands.push(match mode < modes {
                    true => operand(operation, 2 + mode),
                    false if is_im2col => taps(b, operation, 3 + modes)?,
                    false => constant(b, 32, 0)?,
                });
            }
            operands.push(constant(b, 32, sites.of(operation))?);
            let function = if loads { "layout_bulk_load" } else { "layout_bulk_store" };
            call(b, function, &operands, None)?;
        }
        _ => return Ok(false),
    }
    tree::erase(operation);
    Ok(true)
}

/// The offsets of a tap in one word, as [`Tensor::pixels`] takes them.
fn taps<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    first: usize,
) -> Result<Val<'c>, Error> {
    let word = b.integer(32);
    let wide = |at: usize| b.value("arith.extui", &[operand(operation, first + at)], word, &[]);
    let high = b.binary("arith.shli", wide(1)?, b.constant(word, 16)?)?;
    Ok(b.binary("arith.ori", wide(0)?, high)?)
}

impl Machine {
    /// The tensor of a map; none, and a fault, for another address.
    fn tensor(&mut self, handle: u64, site: u32) -> Option<&Tensor> {
        let found = self.tensors.iter().position(|tensor| tensor.handle == handle);
        if found.is_none() {
            self.stop(
                site,
                format!("expected a tensor map of the kernel, found the address 0x{handle:x}"),
            );
        }
        self.tensors.get(found?)
    }

    /// Where a part's copy is in the block's memory; none, and a fault, where it is not there as a whole.
    fn place_of(&mut self, part: Part, address: u64, site: u32) -> Option<(usize, usize)> {
        /// The alignments of a box and of bytes in a row, which are also a multiple of theirs.
        const ALIGNMENTS: [u64; 2] = [128, 16];
        let (bytes, what, alignment) = match part {
            Part::Box { handle, .. } => {
                (self.tensor(handle, site)?.box_bytes(), "a box", ALIGNMENTS[0])
            }
            Part::Bytes { first, count } => {
                let [_, unit] = ALIGNMENTS;
                if !first.is_multiple_of(unit) || !count.is_multiple_of(unit) {
                    let of = first % unit;
                    self.stop(site, format!(
                        "expected a bulk copy of a multiple of {unit} bytes at one of global memory, found {count} bytes {of} bytes after one"
                    ));
                    return None;
                }
                (count, "a bulk copy", unit)
            }
        };
        let first = self.shared_first();
        let end = first + self.shared_bytes as u64;
        if address < first
            || address.saturating_add(bytes) > end
            || !address.is_multiple_of(alignment)
        {
            let at = i128::from(address) - i128::from(first);
            self.stop(site, format!(
                "expected {what} at a multiple of {alignment} within {} bytes of shared memory, found {bytes} bytes from byte {at} on",
                self.shared_bytes
            ));
            return None;
        }
        Some(((address - first) as usize, bytes as usize))
    }

    /// The runs of a part whose copy is at `inside`.
    fn runs(&mut self, part: Part, inside: u64, site: u32) -> Vec<Run> {
        match part {
            Part::Box { handle, at } => {
                self.tensor(handle, site).map(|tensor| tensor.runs(at, inside)).unwrap_or_default()
            }
            Part::Bytes { first, count } => {
                vec![Run { outside: Some(first), inside, bytes: count }]
            }
        }
    }

    /// Begins a copy to shared memory.
    pub(super) fn begin_load(&mut self, part: Part, (to, barrier): (u64, u64), site: u32) -> bool {
        let Some(clock) = self.clocks.get(self.current).cloned() else { return false };
        self.begin_load_from((self.number, &clock), part, (to, barrier), site)
    }

    /// Begins a copy to shared memory by a thread of block number `from`, which has some knowledge.
    pub(super) fn begin_load_from(
        &mut self,
        (from, clock): (u32, &Clock),
        part: Part,
        (to, barrier): (u64, u64),
        site: u32,
    ) -> bool {
        let Some((place, bytes)) = self.place_of(part, to, site) else { return false };
        let Some(mark) = self.count_copy((from, clock), barrier, site) else { return false };
        let thread = u32::try_from(self.current).unwrap_or(0);
        let begun = Mark::new(from, thread, clock.now(), site, false);
        let pending =
            self.shared_shadow.pending(place, bytes).map(|copy| (copy, MissingOrder::Copied));
        let earlier = self.shared_shadow.begin(place, bytes, begun, clock);
        if let Some(found) = pending.or(earlier.map(|earlier| (earlier, lack(earlier)))) {
            self.race(found, (begun, true), None, place as u64);
        }
        let thread = self.current;
        self.loads.push_back(Load { part, to, barrier, site, thread, mark });
        true
    }

    /// Ends the copy that began first; whether there was one.
    pub(super) fn end_bulk_copy(&mut self) -> bool {
        let Some(load) = self.loads.pop_front() else { return false };
        self.current = load.thread;
        let Some((place, bytes)) = self.place_of(load.part, load.to, load.site) else {
            return true;
        };
        let is_rounded = match load.part {
            Part::Box { handle, .. } => {
                let tensor = self.tensor(handle, load.site);
                tensor.is_some_and(|tensor| tensor.map.element == Element::Tf32)
            }
            Part::Bytes { .. } => false,
        };
        for run in self.runs(load.part, load.to, load.site) {
            if let Some(from) = run.outside
                && !self.access(from, run.bytes, (Access::Read, 1), load.site)
            {
                return true;
            }
            // SAFETY: the copy is in the block's memory, and global memory was looked up.
            unsafe {
                let to = run.inside as *mut u8;
                match run.outside {
                    Some(from) => std::ptr::copy(from as *const u8, to, run.bytes as usize),
                    None => std::ptr::write_bytes(to, 0, run.bytes as usize),
                }
            }
            if is_rounded {
                let words = run.inside as *mut u32;
                for number in 0..run.bytes as usize / size_of::<u32>() {
                    // SAFETY: the run is of whole words in the block's memory.
                    unsafe {
                        let word = words.add(number);
                        word.write_unaligned(nearest_tf32(word.read_unaligned()));
                    }
                }
            }
        }
        self.shared_shadow.end_as(place, bytes, load.mark);
        self.count_bytes(load.barrier, i64::try_from(bytes).unwrap_or(0));
        true
    }

    /// Copies a part from shared memory, whose bytes are read until the group is waited for.
    pub(super) fn store_part(&mut self, part: Part, from: u64, site: u32) -> bool {
        let Some((place, bytes)) = self.place_of(part, from, site) else { return false };
        let own = self.next_read();
        self.note_async_read(self.current, (place, bytes), own, site);
        for run in self.runs(part, from, site) {
            let Some(to) = run.outside else { continue };
            if !self.access(to, run.bytes, (Access::Write, 1), site) {
                return false;
            }
            // SAFETY: the copy is in the block's memory, and global memory was looked up.
            unsafe {
                std::ptr::copy(run.inside as *const u8, to as *mut u8, run.bytes as usize);
            }
        }
        if let Some(thread) = self.threads.get_mut(self.current) {
            thread.bulk.open.push((own, site));
        }
        true
    }

    /// Ends a thread's group of copies.
    pub(super) fn commit_bulk(&mut self) {
        if let Some(thread) = self.threads.get_mut(self.current) {
            let group = std::mem::take(&mut thread.bulk.open);
            thread.bulk.groups.push_back(group);
        }
    }

    /// Waits for all of a thread's groups but the newest ones to have read.
    pub(super) fn wait_bulk(&mut self, left: usize) {
        let Some(thread) = self.threads.get_mut(self.current) else { return };
        let done = thread.bulk.groups.len().saturating_sub(left);
        let done: Vec<_> = thread.bulk.groups.drain(..done).flatten().collect();
        for (number, _) in done {
            self.end_reads(self.current, number);
        }
    }

    /// Reports copies that may run when the block's memory is another block's.
    pub(super) fn refuse_copies_past_the_end(&mut self) {
        let stored = self.threads.iter().enumerate().find_map(|(number, thread)| {
            let groups = thread.bulk.groups.iter().flatten();
            Some((number, groups.chain(&thread.bulk.open).next()?.1))
        });
        let loaded = self.loads.front().map(|load| (load.thread, load.site));
        let Some((thread, site)) = stored.or(loaded) else { return };
        self.current = thread;
        let expected = "expected a wait for a bulk copy before the end of its block, found none";
        self.stop(site, expected.to_owned());
        self.loads.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(box_extents: Vec<u32>, swizzle: u32) -> Tensor {
        let map = TensorMap {
            arg: 0,
            element: Element::Bf16,
            extents: vec![64, 3],
            strides: vec![2, 128],
            box_extents,
            swizzle,
            im2col: None,
        };
        Tensor { map, first: 4096, handle: 0 }
    }

    #[test]
    fn a_box_ends_where_its_tensor_does() {
        let runs = tensor(vec![8, 2], 0).runs([-4, 2, 0, 0, 0], 1024);
        let seen: Vec<_> = runs.iter().map(|run| (run.outside, run.inside, run.bytes)).collect();
        let row = 4096 + 2 * 128;
        assert_eq!(seen, [(None, 1024, 8), (Some(row), 1032, 8), (None, 1040, 8), (None, 1048, 8)]);
    }

    #[test]
    fn pixels_of_a_box_walk_lines_and_images() {
        // Two images of 4 by 3 pixels of 8 channels, with a border of 1 in front, in steps of 2 along the width.
        let map = TensorMap {
            extents: vec![8, 4, 3, 2],
            strides: vec![2, 16, 64, 192],
            box_extents: vec![8, 5, 1, 1],
            im2col: Some(Im2col { lower: [-1, -1], upper: [-2, -1], steps: [2, 1] }),
            ..tensor(vec![8, 5], 0).map
        };
        let image = Tensor { map, first: 4096, handle: 0 };
        let pixel = |w: u64, h: u64, n: u64| Some(4096 + 16 * w + 64 * h + 192 * n);
        // The pixels at -1 and 1 of a line, from the last line of the first image on; the second tap along both.
        let tap = 1 << 16 | 1;
        let rows = image.rows([0, 1, 1, 0, tap]);
        assert_eq!(
            rows,
            [pixel(2, 2, 0), pixel(0, 0, 1), pixel(2, 0, 1), pixel(0, 1, 1), pixel(2, 1, 1)]
        );
        // The first tap is beside the image; after the last image there are zeros.
        assert_eq!(image.rows([0, -1, 1, 1, 0]), [None, pixel(1, 1, 1), None, None, None]);
        assert_eq!(image.runs([0, -1, 1, 1, 0], 1024).len(), 5);
    }

    #[test]
    fn rows_are_swizzled_by_their_number() {
        let runs = tensor(vec![64, 2], 128).runs([0; MAX_RANK], 1024);
        // The second row's units have exchanged neighbours.
        let second: Vec<u64> = runs[8..12].iter().map(|run| run.inside - 1024 - 128).collect();
        assert_eq!(second, [16, 0, 48, 32]);
        assert_eq!(runs[8].outside, Some(4096 + 128));
    }
}
