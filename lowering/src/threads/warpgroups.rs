//! `wgmma` of f16 and bf16 with f32 accumulators, for the threads of a warpgroup.
//!
//! An MMA is computed when all threads of its warpgroup have reached it, but its registers have no value before a wait:
//! until then each is a token, a NaN that names the MMA. Registers that are passed through after a wait become the
//! accumulators of finished MMAs; a token that anything else computes with remains a NaN. An MMA reads shared memory, by
//! the asynchronous proxy, until its warp has waited.

use super::{
    Error,
    machine::{Fault, Machine, MissingOrder, WARP, lack},
    program::{Sites, call, constant},
    shadow::Mark,
    slots::Slot,
    waits::Wait,
};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    OperationRef, ValueLike,
    attribute::{IntegerAttribute, StringAttribute},
    operation::OperationLike,
};
use std::collections::{BTreeMap, VecDeque};

/// Threads of a warpgroup.
const THREADS: usize = 4 * WARP;

/// Rows of A, and what is multiplied for an element.
const ROWS: usize = 64;
const DEPTH: usize = 16;

/// Bytes, and elements, of what a descriptor moves.
const UNIT: u64 = 16;
const ELEMENTS: usize = 8;

/// Bits of an address that a descriptor holds.
const ADDRESS: u64 = (1 << 18) - 1;

/// A NaN that names an MMA and a register of it: no arithmetic makes one.
const TOKEN: u32 = 0x7f80_0000;
const REGISTER_BITS: u32 = 7;
const MAX_MMAS: u32 = 1 << (22 - REGISTER_BITS);

/// Finished MMAs whose registers may not have been passed through yet.
const KEPT: usize = 64;

/// Reads of a thread, distinguished by numbers.
const MAX_READS: u32 = 1 << 30;

/// The instruction, as compiled code describes it: a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape(pub(super) u32);

impl Shape {
    const A_IN_REGISTERS: u32 = 1;
    const A_TRANSPOSED: u32 = 2;
    const B_TRANSPOSED: u32 = 4;
    const BF16: u32 = 8;
    /// Where the number of columns is.
    const COLUMNS: u32 = 8;

    const fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    pub(super) const fn holds_a(self) -> bool {
        self.has(Self::A_IN_REGISTERS)
    }

    pub(super) const fn columns(self) -> usize {
        (self.0 >> Self::COLUMNS) as usize
    }
}

/// The operands of a thread in an MMA.
#[derive(Clone, Debug)]
pub(super) struct ThreadOperands {
    pub(super) shape: Shape,
    /// Two descriptors; the first is none where A is held.
    pub(super) tiles: [u64; 2],
    /// A, where it is held.
    pub(super) held: [u32; 4],
    /// The accumulators before; zeros if the MMA overwrites them.
    pub(super) accumulators: Vec<f32>,
}

/// The accumulators of an MMA.
#[derive(Debug)]
struct PendingMma {
    accumulators: Vec<f32>,
    is_done: bool,
    /// Whether its registers were passed through after a wait, or another MMA has added to them.
    is_taken: bool,
    site: u32,
}

/// The MMAs that a thread has taken part in, and the reads that continue for it.
#[derive(Debug, Default)]
pub(super) struct Issued {
    part: Option<ThreadOperands>,
    /// Whether registers were fenced since the last wait.
    is_fenced: bool,
    mmas: BTreeMap<u32, PendingMma>,
    next: u32,
    /// MMAs, and reads, of the open group and of those after it.
    open: Vec<(u32, u32)>,
    groups: VecDeque<Vec<(u32, u32)>>,
    /// The number, place, bytes and site of each read that continues.
    reads: Vec<(u32, usize, usize, u32)>,
    next_read: u32,
}

impl Issued {
    /// The MMA that a register stands for, and the number of the register there.
    fn mma(&mut self, register: f32) -> Option<(&mut PendingMma, usize)> {
        let bits = register.to_bits();
        // Nothing but a quiet NaN has the bit below the exponent.
        let is_token = bits & 0xffc0_0000 == TOKEN && bits != TOKEN;
        let payload = bits & ((1 << 22) - 1);
        let mma = self.mmas.get_mut(&(payload >> REGISTER_BITS)).filter(|_| is_token)?;
        let register = (payload & ((1 << REGISTER_BITS) - 1)) as usize;
        (register < mma.accumulators.len()).then_some((mma, register))
    }
}

/// The diagnostic of accumulators that are read before a wait, or never.
const UNREAD_ACCUMULATORS: &str =
    "expected a wgmma.wait_group between this MMA and the reads of its accumulators, found none";

/// Inline assembly without an instruction, whose operands are the registers: it orders their uses.
const EMPTY_ASSEMBLY: &str = "// registers";

/// Writes out operations of warpgroups; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    match tree::name(operation).as_str() {
        "nvvm.wgmma.fence.aligned" => _ = call(b, "layout_wgmma_fence", &[], None)?,
        "nvvm.wgmma.commit.group.sync.aligned" => _ = call(b, "layout_wgmma_commit", &[], None)?,
        "nvvm.wgmma.wait.group.sync.aligned" => {
            let left = IntegerAttribute::try_from(operation.attribute("group")?)?.value();
            call(b, "layout_wgmma_wait", &[constant(b, 64, left)?], None)?;
        }
        "nvvm.wgmma.mma_async" => return of_operation(b, operation, sites),
        "llvm.inline_asm" => {
            let text = StringAttribute::try_from(operation.attribute("asm_string")?)?;
            let text = text.value().to_owned();
            return match text.strip_prefix("{ .reg .pred p; setp.") {
                _ if text == EMPTY_ASSEMBLY => through(b, operation, sites),
                Some(rest) => of_text(b, operation, rest, sites),
                None => Ok(false),
            };
        }
        _ => return Ok(false),
    }
    tree::erase(operation);
    Ok(true)
}

/// Registers that are passed through: those of finished MMAs become accumulators.
fn through<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let values: Vec<_> = (0..operation.operand_count()).map(|at| operand(operation, at)).collect();
    let is_float = |value: &Val<'c>| value.r#type().to_string() == "f32";
    let is_word = |value: &Val<'c>| value.r#type().to_string() == "i32";
    if !values.iter().all(|value| is_float(value) || is_word(value)) {
        return Ok(false);
    }
    // Registers go to an MMA where a fence follows them, and are read elsewhere.
    let next = operation.next_in_block().map(|next| tree::name(next));
    let reads = next.as_deref() != Some("nvvm.wgmma.fence.aligned");
    let floats = values.iter().copied().filter(is_float).collect::<Vec<_>>();
    let mut known = floats.clone();
    if !floats.is_empty() {
        let slot = Slot::new(b, operation, floats.len())?;
        slot.store(b, &floats)?;
        let count = constant(b, 32, i64::try_from(floats.len()).unwrap_or(0))?;
        let operands = [
            slot.pointer,
            count,
            constant(b, 32, reads.into())?,
            constant(b, 32, sites.of(operation))?,
        ];
        call(b, "layout_registers", &operands, None)?;
        known = slot.load(b, floats.len())?;
    }
    let mut known = known.into_iter();
    let all: Vec<_> = values
        .into_iter()
        .map(|value| if is_float(&value) { known.next().unwrap_or(value) } else { value })
        .collect();
    finish(b, operation, &all)
}

/// Replaces an operation by its results, in a structure where there are several.
fn finish<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    values: &[Val<'c>],
) -> Result<bool, Error> {
    let own = first_result(operation);
    let whole = match values {
        [only] if only.r#type() == own.r#type() => *only,
        _ => super::slots::structure(b, own.r#type(), values)?,
    };
    tree::replace_uses(own, whole);
    tree::erase(operation);
    Ok(true)
}

/// The operands of an MMA, as IR.
struct MmaOperands<'c> {
    shape: Shape,
    tiles: [Val<'c>; 2],
    held: Vec<Val<'c>>,
    accumulators: Vec<Val<'c>>,
    /// Whether it adds to the accumulators before, as a number.
    adds: Val<'c>,
}

impl<'c> MmaOperands<'c> {
    fn emit(
        self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        sites: &mut Sites,
    ) -> Result<bool, Error> {
        let count = self.accumulators.len();
        let slot = Slot::new(b, operation, count + self.held.len())?;
        slot.store(b, &self.accumulators)?;
        slot.store_words(b, count, &self.held)?;
        let operands = [
            slot.pointer,
            self.tiles[0],
            self.tiles[1],
            constant(b, 32, self.shape.0.into())?,
            self.adds,
            constant(b, 32, sites.of(operation))?,
        ];
        call(b, "layout_warpgroup", &operands, None)?;
        let accumulators = slot.load(b, count)?;
        finish(b, operation, &accumulators)
    }
}

/// `nvvm.wgmma.mma_async`.
fn of_operation<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let text = |name: &str| operation.attribute(name).map(|found| found.to_string());
    let shape = text("shape")?;
    let columns = shape.split_once("n = ").and_then(|(_, rest)| rest.split_once(','));
    let columns = columns.and_then(|(columns, _)| columns.trim().parse::<u32>().ok());
    let of = text("typeA")?;
    let is_known = shape.contains("m = 64") && shape.contains("k = 16") && of == text("typeB")?;
    let is_plain = ["scaleD", "scaleA", "scaleB"]
        .iter()
        .all(|name| text(name).is_ok_and(|scale| scale.contains("<one>")));
    let is_float =
        text("typeD")?.contains("<f32>") && (of.contains("<f16>") || of.contains("<bf16>"));
    let Some(columns) = columns.filter(|_| is_known && is_plain && is_float) else {
        return Ok(false);
    };
    let mut bits = columns << Shape::COLUMNS;
    if of.contains("<bf16>") {
        bits |= Shape::BF16;
    }
    if text("layoutA")?.contains("<col>") {
        bits |= Shape::A_TRANSPOSED;
    }
    if text("layoutB")?.contains("<row>") {
        bits |= Shape::B_TRANSPOSED;
    }
    let accumulators = super::slots::fields(b, operand(operation, 0), columns as usize / 2)?;
    let written = MmaOperands {
        shape: Shape(bits),
        tiles: [operand(operation, 1), operand(operation, 2)],
        held: Vec::new(),
        accumulators,
        adds: constant(b, 32, 1)?,
    };
    written.emit(b, operation, sites)
}

/// An MMA as text: `ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0,…}, …, p, 1, 1, …; }`.
fn of_text<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    text: &str,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let parts = || {
        let (adds, rest) = text.split_once("; wgmma.mma_async.sync.aligned.m64n")?;
        let (columns, rest) = rest.split_once("k16.f32.")?;
        let (of, rest) = rest.split_once(' ')?;
        let (_, rest) = rest.split_once("}, ")?;
        let (operands, rest) = rest.split_once(", p, 1, 1, ")?;
        Some((adds, columns.parse::<u32>().ok()?, of, operands, rest.strip_suffix("; }")?))
    };
    let Some((adds, columns, of, operands, transposed)) = parts() else { return Ok(false) };
    let count = columns as usize / 2;
    // Operands follow the results, and the accumulators before come last.
    let at = |name: &str| -> Option<Val<'c>> {
        let number: usize = name.strip_prefix('$')?.parse().ok()?;
        Some(operand(operation, number.checked_sub(count)?))
    };
    let mut bits = columns << Shape::COLUMNS;
    match of {
        "bf16.bf16" => bits |= Shape::BF16,
        "f16.f16" => {}
        _ => return Ok(false),
    }
    let none = constant(b, 64, 0)?;
    let (held, tiles) = match operands.strip_prefix('{').and_then(|held| held.split_once("}, ")) {
        Some((held, right)) => {
            bits |= Shape::A_IN_REGISTERS;
            (held.split(',').filter_map(at).collect(), [Some(none), at(right)])
        }
        None => {
            let (left, right) = operands.split_once(", ").unwrap_or_default();
            (Vec::new(), [at(left), at(right)])
        }
    };
    let transposes: Vec<bool> = transposed.split(", ").map(|bit| bit == "1").collect();
    match (transposes[..].first(), transposes[..].get(1), held.is_empty()) {
        (Some(&a), Some(&right), true) => {
            bits |= if a { Shape::A_TRANSPOSED } else { 0 };
            bits |= if right { Shape::B_TRANSPOSED } else { 0 };
        }
        (Some(&right), None, false) => bits |= if right { Shape::B_TRANSPOSED } else { 0 },
        _ => return Ok(false),
    }
    let adds = match adds {
        "ne.b32 p, 1, 0" => constant(b, 32, 1)?,
        "ne.b32 p, 0, 0" => constant(b, 32, 0)?,
        _ => {
            let number = adds.strip_prefix("eq.b32 p, ").and_then(|rest| rest.strip_suffix(", 0"));
            let Some(number) = number.and_then(at) else { return Ok(false) };
            let zero = constant(b, 32, 0)?;
            let word = number.r#type();
            let is_zero = b.value(
                "llvm.icmp",
                &[number, zero],
                b.integer(1),
                &[("predicate", b.i64_attribute(0))],
            )?;
            b.value("arith.extui", &[is_zero], word, &[])?
        }
    };
    let [Some(left), Some(right)] = tiles else { return Ok(false) };
    let first = operation.operand_count().saturating_sub(count);
    let accumulators = (first..first + count).map(|number| operand(operation, number)).collect();
    MmaOperands { shape: Shape(bits), tiles: [left, right], held, accumulators, adds }
        .emit(b, operation, sites)
}

/// A unit of a tile in shared memory: where it is, its first row, its first column along K.
struct Unit {
    offset: u64,
    row: usize,
    column: usize,
}

/// The units of the tile of `rows` rows that a descriptor describes; `first` is the address of a block's memory.
fn units(descriptor: u64, rows: usize, is_transposed: bool, first: u64) -> Vec<Unit> {
    let field = |at: u32| (descriptor >> at & 0x3fff) * UNIT;
    let (leading, stride) = (field(16), field(32));
    let width = match descriptor >> 62 {
        1 => 128,
        2 => 64,
        3 => 32,
        _ => UNIT,
    };
    let start = (field(0).wrapping_sub(first)) & ADDRESS;
    let mask = width / UNIT - 1;
    let wide = width / UNIT;
    let unit = |linear: u64, row: u64, column: u64| Unit {
        offset: linear ^ ((linear >> 7 & mask) << 4),
        row: row as usize,
        column: column as usize,
    };
    let (rows, depth) = (rows as u64, DEPTH as u64);
    if is_transposed {
        let all = (0..rows / 8).flat_map(|block| (0..depth).map(move |k| (block, k)));
        return all
            .map(|(block, k)| {
                let linear = match wide {
                    1 => block * stride + k % 8 * UNIT + k / 8 * leading,
                    _ => {
                        block % wide * UNIT
                            + block / wide * leading
                            + k % 8 * width
                            + k / 8 * stride
                    }
                };
                unit(start + linear, 8 * block, k)
            })
            .collect();
    }
    let across = if wide == 1 { leading } else { UNIT };
    let all = (0..rows).flat_map(|row| (0..2).map(move |half| (row, half)));
    all.map(|(row, half)| {
        unit(start + row % 8 * width + row / 8 * stride + half * across, row, 8 * half)
    })
    .collect()
}

fn number(bits: u16, is_bf16: bool) -> f32 {
    match is_bf16 {
        true => f32::from_bits(u32::from(bits) << 16),
        false => half::f16::from_bits(bits).to_f32(),
    }
}

impl Machine {
    /// The number of a read that continues.
    pub(super) fn next_read(&mut self) -> u32 {
        let Some(thread) = self.threads.get_mut(self.current) else { return 0 };
        thread.issued.next_read = (thread.issued.next_read + 1) % MAX_READS;
        thread.issued.next_read
    }

    /// Notes that a thread reads shared memory by the asynchronous proxy from now on.
    pub(super) fn note_async_read(
        &mut self,
        thread: usize,
        (place, bytes): (usize, usize),
        number: u32,
        site: u32,
    ) {
        let agent = u32::try_from(thread).unwrap_or(0);
        let Some(clock) = self.clocks.get(thread) else { return };
        let now = Mark::new(self.number, agent, clock.now(), site, false);
        let threads = self.threads.len();
        let pending =
            self.shared_shadow.pending(place, bytes).map(|copy| (copy, MissingOrder::Copied));
        let earlier = self.shared_shadow.read(place, bytes, now.under_way(number), clock);
        let earlier = earlier.map(|earlier| (earlier, lack(earlier)));
        let hidden = || {
            let hidden = self.shared_shadow.hidden(place, bytes, threads, clock);
            hidden.map(|store| (store, MissingOrder::Fence))
        };
        if let Some(found) = pending.or(earlier).or_else(hidden) {
            self.race(found, (now, false), None, place as u64);
        }
        if let Some(own) = self.threads.get_mut(thread) {
            own.issued.reads.push((number, place, bytes, site));
        }
    }

    /// A thread's reads of a number have ended.
    pub(super) fn end_reads(&mut self, thread: usize, number: u32) {
        let Some(own) = self.threads.get_mut(thread) else { return };
        let Some(clock) = self.clocks.get(thread) else { return };
        let agent = u32::try_from(thread).unwrap_or(0);
        for &(other, place, bytes, site) in &own.issued.reads {
            if other == number {
                let mark = Mark::new(self.number, agent, clock.now(), site, false);
                self.shared_shadow.end_read(place, bytes, mark, number);
            }
        }
        own.issued.reads.retain(|&(other, ..)| other != number);
    }

    pub(super) fn fence_mmas(&mut self) {
        if let Some(thread) = self.threads.get_mut(self.current) {
            thread.issued.is_fenced = true;
        }
    }

    pub(super) fn commit_mmas(&mut self) {
        if let Some(thread) = self.threads.get_mut(self.current) {
            let group = std::mem::take(&mut thread.issued.open);
            thread.issued.groups.push_back(group);
        }
    }

    /// Waits for all groups of MMAs but the newest ones.
    pub(super) fn wait_for_mmas(&mut self, left: usize) {
        let Some(thread) = self.threads.get_mut(self.current) else { return };
        let Issued { is_fenced, groups, mmas, .. } = &mut thread.issued;
        *is_fenced = false;
        let done = groups.len().saturating_sub(left);
        let done: Vec<_> = groups.drain(..done).flatten().collect();
        for &(mma, _) in &done {
            if let Some(mma) = mmas.get_mut(&mma) {
                mma.is_done = true;
            }
        }
        let finished: Vec<u32> =
            mmas.iter().filter(|(_, own)| own.is_done).map(|(&id, _)| id).collect();
        let old = finished.iter().take(finished.len().saturating_sub(KEPT));
        let lost = old.filter_map(|id| mmas.remove(id)).find(|mma| !mma.is_taken);
        if let Some(mma) = lost {
            self.stop(mma.site, UNREAD_ACCUMULATORS.to_owned());
        }
        for (_, read) in done {
            self.end_reads(self.current, read);
        }
    }

    /// Reports MMAs whose accumulators nobody took when they were there.
    pub(super) fn refuse_unread_mmas(&mut self) {
        let lost = self.threads.iter().enumerate().find_map(|(number, thread)| {
            let mut mmas = thread.issued.mmas.values();
            Some((number, mmas.find(|mma| !mma.is_taken)?.site))
        });
        if let Some((thread, site)) = lost {
            self.current = thread;
            self.stop(site, UNREAD_ACCUMULATORS.to_owned());
        }
    }

    /// Passes registers through: false where an MMA that nobody waited for still writes one that is read.
    pub(super) fn pass_through(&mut self, registers: &mut [f32], reads: bool, site: u32) -> bool {
        let Some(thread) = self.threads.get_mut(self.current) else { return true };
        for register in registers {
            match thread.issued.mma(*register) {
                Some((mma, number)) if mma.is_done => {
                    mma.is_taken = true;
                    *register = mma.accumulators[number];
                }
                Some(_) if reads => {
                    let expected = "expected a wgmma.wait_group before the accumulators of an MMA are read, found none";
                    self.stop(site, expected.to_owned());
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    /// Takes a thread's part in an MMA.
    pub(super) fn take_part(&mut self, mut part: ThreadOperands, adds: bool, site: u32) -> bool {
        let Some(thread) = self.threads.get_mut(self.current) else { return false };
        let mut is_touched = part.shape.holds_a() || !adds;
        for sum in &mut part.accumulators {
            // MMAs of one shape add to each other's accumulators in their order.
            if !adds {
                *sum = 0.0;
                continue;
            }
            match thread.issued.mma(*sum) {
                Some((before, number)) => {
                    is_touched |= before.is_done;
                    before.is_taken = true;
                    *sum = before.accumulators[number];
                }
                None => is_touched = true,
            }
        }
        if is_touched && !thread.issued.is_fenced {
            let expected = "expected a wgmma.fence between other accesses to an MMA's registers and the MMA, found none";
            self.stop(site, expected.to_owned());
            return false;
        }
        thread.issued.part = Some(part);
        true
    }

    /// Names the registers of the MMA that a thread took part in last.
    pub(super) fn tokens(&self, registers: &mut [f32]) {
        let Some(thread) = self.threads.get(self.current) else { return };
        let Some(&(mma, _)) = thread.issued.open.last() else { return };
        for (number, register) in (0_u32..).zip(registers) {
            *register = f32::from_bits(TOKEN | mma << REGISTER_BITS | number);
        }
    }

    /// Computes the MMAs whose warpgroups have come.
    pub(super) fn multiply_warpgroups(&mut self) -> bool {
        let mut any = false;
        for first in (0..self.threads.len() / THREADS).map(|number| number * THREADS) {
            let Some(Wait::Warpgroup { site }) = self.threads[first].waits else { continue };
            let threads = first..first + THREADS;
            let comes =
                |thread: usize| self.threads[thread].waits == Some(Wait::Warpgroup { site });
            if threads.clone().all(comes) {
                any |= self.multiply_warpgroup(first, site);
            }
        }
        any
    }

    fn multiply_warpgroup(&mut self, first: usize, site: u32) -> bool {
        let parts: Vec<ThreadOperands> = (first..first + THREADS)
            .filter_map(|thread| self.threads[thread].issued.part.take())
            .collect();
        let Some(ThreadOperands { shape, tiles, .. }) = parts.first().cloned() else {
            return false;
        };
        let differs = |part: &ThreadOperands| (part.shape, part.tiles) != (shape, tiles);
        if let Some(other) = parts.iter().position(differs) {
            self.fault = Some(Fault {
                at: self.place(first, site),
                message: format!(
                    "expected the same matrices from all threads of a warpgroup, found different ones in thread {}",
                    first + other
                ),
                other: Some((self.place(first + other, site), "it has them here".to_owned())),
            });
            return false;
        }
        let columns = shape.columns();
        self.charge((ROWS * DEPTH * columns) as u64);
        let is_bf16 = shape.has(Shape::BF16);
        let mut reads: [Vec<(usize, usize)>; THREADS / WARP] = Default::default();
        let mut a = vec![[0.0_f32; DEPTH]; ROWS];
        if shape.holds_a() {
            for (thread, part) in parts.iter().enumerate() {
                let row = thread / WARP * 16 + thread % WARP / 4;
                for (at, register) in part.held.iter().enumerate() {
                    let column = 8 * (at / 2) + 2 * (thread % 4);
                    let halves = [*register as u16, (*register >> 16) as u16];
                    for (place, bits) in halves.into_iter().enumerate() {
                        a[row + 8 * (at % 2)][column + place] = number(bits, is_bf16);
                    }
                }
            }
        } else {
            let is_transposed = shape.has(Shape::A_TRANSPOSED);
            let Some(units) =
                self.load_tile(tiles[0], &mut a, (is_transposed, is_bf16), (first, site))
            else {
                return false;
            };
            // Each warp has 16 rows.
            for unit in units {
                reads[unit.row / 16].push((unit.offset as usize, UNIT as usize));
            }
        }
        let mut right = vec![[0.0_f32; DEPTH]; columns];
        let is_transposed = shape.has(Shape::B_TRANSPOSED);
        let Some(units) =
            self.load_tile(tiles[1], &mut right, (is_transposed, is_bf16), (first, site))
        else {
            return false;
        };
        for warp in &mut reads {
            warp.extend(units.iter().map(|unit| (unit.offset as usize, UNIT as usize)));
            warp.sort_unstable();
            // Neighbours are one read.
            let mut merged: Vec<(usize, usize)> = Vec::new();
            for &(place, bytes) in warp.iter() {
                match merged.last_mut() {
                    Some(last) if last.0 + last.1 == place => last.1 += bytes,
                    _ => merged.push((place, bytes)),
                }
            }
            *warp = merged;
        }
        for (number, part) in parts.into_iter().enumerate() {
            let thread = first + number;
            self.current = thread;
            let row = number / WARP * 16 + number % WARP / 4;
            let mut accumulators = part.accumulators;
            for (at, sum) in accumulators.iter_mut().enumerate() {
                let x = &a[row + 8 * (at / 2 % 2)];
                let column = at / 4 * 8 + 2 * (number % 4) + at % 2;
                let Some(y) = right.get(column) else { continue };
                *sum += x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
            }
            let read = self.next_read();
            if number % WARP == 0 {
                for &range in &reads[number / WARP] {
                    self.note_async_read(thread, range, read, site);
                }
            }
            let own = &mut self.threads[thread];
            own.issued.next = (own.issued.next + 1) % MAX_MMAS;
            let id = own.issued.next;
            let mma = PendingMma { accumulators, is_done: false, is_taken: false, site };
            own.issued.mmas.insert(id, mma);
            own.issued.open.push((id, read));
            own.waits = None;
        }
        true
    }

    /// Loads a tile into rows; the units that it is of, or none and a fault.
    fn load_tile(
        &mut self,
        descriptor: u64,
        rows: &mut [[f32; DEPTH]],
        (is_transposed, is_bf16): (bool, bool),
        (thread, site): (usize, u32),
    ) -> Option<Vec<Unit>> {
        let first = self.shared_first();
        let units = units(descriptor, rows.len(), is_transposed, first);
        for unit in &units {
            let end = unit.offset + UNIT;
            if end > self.shared_bytes as u64 {
                self.current = thread;
                self.stop(site, format!(
                    "expected a tile within {} bytes of shared memory, found one with bytes up to {end}",
                    self.shared_bytes
                ));
                return None;
            }
            for at in 0..ELEMENTS {
                // SAFETY: the unit is in the block's memory.
                let bits = unsafe {
                    std::ptr::read_unaligned((first + unit.offset) as *const [u16; ELEMENTS])
                }[at];
                let (row, column) = if is_transposed {
                    (unit.row + at, unit.column)
                } else {
                    (unit.row, unit.column + at)
                };
                if let Some(place) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
                    *place = number(bits, is_bf16);
                }
            }
        }
        Some(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_number_of_a_product_until_something_computes_with_it() {
        let mut issued = Issued::default();
        let mma =
            PendingMma { accumulators: vec![1.5, 2.5], is_done: false, is_taken: false, site: 0 };
        issued.mmas.insert(3, mma);
        let token = f32::from_bits(TOKEN | 3 << REGISTER_BITS | 1);
        let mut sum = |register| issued.mma(register).map(|(own, number)| own.accumulators[number]);
        assert_eq!(sum(token), Some(2.5));
        assert_eq!(sum(std::hint::black_box(token) + 1.0), None);
        assert_eq!(sum(f32::INFINITY), None);
        assert_eq!(sum(f32::NAN), None);
    }

    #[test]
    fn units_of_a_swizzled_tile_stay_in_their_rows() {
        // 64 rows of 128 bytes, at the second 16 columns.
        let descriptor = 1 << 62 | (1024 / UNIT) << 32 | ((4096 + 32) / UNIT);
        let all = units(descriptor, 64, false, 4096);
        assert_eq!((all[0].offset, all[1].offset), (32, 48));
        // Row 9: the second group of eight, units exchanged with their neighbours.
        assert_eq!(
            (all[18].row, all[18].offset, all[19].offset),
            (9, 1024 + 128 + 48, 1024 + 128 + 32)
        );
    }

    #[test]
    fn units_of_a_transposed_tile_go_along_its_rows() {
        let descriptor = 1 << 62 | (1024 / UNIT) << 32 | (8192 / UNIT) << 16;
        let all = units(descriptor, 128, true, 0);
        let at = |row, column| all.iter().find(|unit| (unit.row, unit.column) == (row, column));
        assert_eq!(at(8, 0).map(|unit| unit.offset), Some(16));
        assert_eq!(at(8, 1).map(|unit| unit.offset), Some(128));
        assert_eq!(at(64, 0).map(|unit| unit.offset), Some(8192));
        assert_eq!(at(0, 8).map(|unit| unit.offset), Some(1024));
    }
}
