//! `wgmma` of every atom, for the threads of a warpgroup.
//!
//! An MMA is computed when all threads of its warpgroup have reached it, but its registers have no value before a wait:
//! until then each is a token that names the MMA: of floats a NaN. Registers that are passed through after a wait become the
//! accumulators of finished MMAs; a token that anything else computes with remains a NaN. Integers may have a token's bits, and are
//! tokens only where all registers of an MMA are there in their order. An MMA reads shared memory, by the asynchronous proxy, until its
//! warp has waited.

use super::{
    Error,
    machine::{Fault, Machine, MissingOrder, WARP, lack},
    multiplicands::Multiplicand,
    program::{Sites, call, constant},
    shadow::Mark,
    slots::Slot,
    tiles::{DEPTH_BYTES, Tile, UNIT},
    waits::Wait,
};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    OperationRef, Type, ValueLike,
    attribute::{IntegerAttribute, StringAttribute},
    operation::OperationLike,
};
use std::collections::{BTreeMap, VecDeque};

/// Threads of a warpgroup.
const THREADS: usize = 4 * WARP;

/// Rows of A.
const ROWS: usize = 64;

/// Bytes of a register.
const REGISTER_BYTES: usize = 4;

/// As a float a NaN that names an MMA and a register of it: no arithmetic makes one.
const TOKEN: u32 = 0x7f80_0000;
const REGISTER_BITS: u32 = 7;
const MAX_MMAS: u32 = 1 << (22 - REGISTER_BITS);

/// Finished MMAs whose registers may not have been passed through yet.
const KEPT: usize = 64;

/// Reads of a thread, distinguished by numbers.
const MAX_READS: u32 = 1 << 30;

/// The instruction, as compiled code describes it: a bit each, the type of what it multiplies, and its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape(pub(super) u32);

impl Shape {
    const A_IN_REGISTERS: u32 = 1;
    const A_TRANSPOSED: u32 = 2;
    const B_TRANSPOSED: u32 = 4;
    /// Where the type is, in three bits.
    const TYPE: u32 = 3;
    /// Where the number of columns is.
    const COLUMNS: u32 = 8;

    fn new(of: Multiplicand, columns: u32) -> Self {
        Self(of.code() << Self::TYPE | columns << Self::COLUMNS)
    }

    /// The shape of an instruction whose types have these names, of so many columns, and so many elements along K.
    fn named(of: &str, sum: &str, columns: u32, depth: usize) -> Option<Self> {
        let of = Multiplicand::named(of)?;
        let shape = Self::new(of, columns);
        let expected = if shape.adds_integers() { "s32" } else { "f32" };
        let is_known = depth * of.bytes() == DEPTH_BYTES && columns.is_multiple_of(8);
        (is_known && sum == expected).then_some(shape)
    }

    fn multiplicand(self) -> Multiplicand {
        Multiplicand::of_code(self.0 >> Self::TYPE & 7)
    }

    /// Whether accumulators are integers.
    pub(super) fn adds_integers(self) -> bool {
        self.multiplicand() == Multiplicand::S8
    }

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
    pub(super) accumulators: Vec<u32>,
}

/// The accumulators of an MMA.
#[derive(Debug)]
struct PendingMma {
    accumulators: Vec<u32>,
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
    fn mma(&mut self, bits: u32) -> Option<(&mut PendingMma, usize)> {
        // Nothing but a quiet NaN has the bit below the exponent.
        let is_token = bits & 0xffc0_0000 == TOKEN && bits != TOKEN;
        let payload = bits & ((1 << 22) - 1);
        let mma = self.mmas.get_mut(&(payload >> REGISTER_BITS)).filter(|_| is_token)?;
        let register = (payload & ((1 << REGISTER_BITS) - 1)) as usize;
        (register < mma.accumulators.len()).then_some((mma, register))
    }

    /// How many of the first of these integers are all the registers of an MMA; 0 where they are numbers.
    fn tokens(&mut self, words: &[u32]) -> usize {
        let Some((mma, 0)) = words.first().and_then(|&first| self.mma(first)) else { return 0 };
        let count = mma.accumulators.len();
        let is_run = words.len() >= count
            && (words[0]..).zip(&words[..count]).all(|(token, &word)| token == word);
        if is_run { count } else { 0 }
    }
}

/// The words of a list that may be tokens: all floats, and of integers those in whole MMAs.
fn tokens(issued: &mut Issued, words: &[u32], are_integers: bool) -> Vec<bool> {
    if !are_integers {
        return vec![true; words.len()];
    }
    let mut may_be = Vec::with_capacity(words.len());
    while may_be.len() < words.len() {
        let count = issued.tokens(&words[may_be.len()..]);
        may_be.resize(may_be.len() + count.max(1), count > 0);
    }
    may_be
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
    let mut passed = |integers: bool| -> Result<std::vec::IntoIter<Val<'c>>, Error> {
        let of = |value: &Val<'c>| is_word(value) == integers;
        let all = values.iter().copied().filter(of).collect::<Vec<_>>();
        let Some(first) = all.first() else { return Ok(all.into_iter()) };
        let slot = Slot::new(b, operation, all.len())?;
        slot.store(b, &all)?;
        let count = constant(b, 32, i64::try_from(all.len()).unwrap_or(0))?;
        let how = i64::from(reads) | i64::from(integers) << 1;
        let operands =
            [slot.pointer, count, constant(b, 32, how)?, constant(b, 32, sites.of(operation))?];
        call(b, "layout_registers", &operands, None)?;
        Ok(slot.load(b, all.len(), first.r#type())?.into_iter())
    };
    let (mut floats, mut words) = (passed(false)?, passed(true)?);
    let all: Vec<_> = values
        .iter()
        .map(|value| if is_float(value) { floats.next() } else { words.next() }.unwrap_or(*value))
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
        let accumulators = slot.load(b, count, accumulator(b, self.shape))?;
        finish(b, operation, &accumulators)
    }
}

/// The type of a shape's accumulators.
fn accumulator<'c>(b: &Builder<'c>, shape: Shape) -> Type<'c> {
    if shape.adds_integers() { b.integer(32) } else { Type::float32(b.context()) }
}

/// `nvvm.wgmma.mma_async`.
fn of_operation<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let text = |name: &str| operation.attribute(name).map(|found| found.to_string());
    let of_type = |name: &str| -> Result<String, melior::Error> {
        let text = text(name)?;
        let within = text.split_once('<').and_then(|(_, name)| name.strip_suffix('>'));
        Ok(within.unwrap_or_default().to_owned())
    };
    let extents = text("shape")?;
    let extent = |name: &str| -> Option<u32> {
        let (_, rest) = extents.split_once(&format!("{name} = "))?;
        let digits = rest.split(|at: char| !at.is_ascii_digit()).next()?;
        digits.parse().ok()
    };
    let of = of_type("typeA")?;
    let is_plain = ["scaleD", "scaleA", "scaleB"]
        .iter()
        .all(|name| text(name).is_ok_and(|scale| scale.contains("<one>")));
    let is_known = is_plain && extent("m") == Some(64) && of == of_type("typeB")?;
    let sum = of_type("typeD")?;
    let shape = match (extent("n"), extent("k")) {
        (Some(n), Some(k)) if is_known => Shape::named(&of, &sum, n, k as usize),
        _ => None,
    };
    let Some(mut shape) = shape else { return Ok(false) };
    if text("layoutA")?.contains("<col>") {
        shape.0 |= Shape::A_TRANSPOSED;
    }
    if text("layoutB")?.contains("<row>") {
        shape.0 |= Shape::B_TRANSPOSED;
    }
    let count = shape.columns() / 2;
    let of = accumulator(b, shape);
    let accumulators = super::slots::fields(b, operand(operation, 0), count, of)?;
    let written = MmaOperands {
        shape,
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
        let (extents, rest) = rest.split_once('.')?;
        let (n, k) = extents.split_once('k')?;
        let (types, rest) = rest.split_once(' ')?;
        let [sum, x, y] = types.split('.').collect::<Vec<_>>()[..] else { return None };
        let (_, rest) = rest.split_once("}, ")?;
        let (operands, rest) = rest.split_once(", p")?;
        let shape = Shape::named(x, sum, n.parse().ok()?, k.parse().ok()?)?;
        (x == y).then_some((adds, shape, operands, rest.strip_suffix("; }")?))
    };
    let Some((adds, mut shape, operands, scales)) = parts() else { return Ok(false) };
    let count = shape.columns() / 2;
    // Operands follow the results, and the accumulators before come last.
    let at = |name: &str| -> Option<Val<'c>> {
        let number: usize = name.strip_prefix('$')?.parse().ok()?;
        Some(operand(operation, number.checked_sub(count)?))
    };
    let none = constant(b, 64, 0)?;
    let (held, tiles) = match operands.strip_prefix('{').and_then(|held| held.split_once("}, ")) {
        Some((held, right)) => {
            shape.0 |= Shape::A_IN_REGISTERS;
            (held.split(',').filter_map(at).collect(), [Some(none), at(right)])
        }
        None => {
            let (left, right) = operands.split_once(", ").unwrap_or_default();
            (Vec::new(), [at(left), at(right)])
        }
    };
    // Floats are scaled, by one; and only elements of 16 bits are transposed.
    let scales: Vec<&str> = scales.split(", ").skip(1).collect();
    match (scales.as_slice(), held.is_empty()) {
        ([] | ["1", "1"], _) => {}
        (&["1", "1", a, right], true) => {
            shape.0 |= if a == "1" { Shape::A_TRANSPOSED } else { 0 };
            shape.0 |= if right == "1" { Shape::B_TRANSPOSED } else { 0 };
        }
        (&["1", "1", right], false) => {
            shape.0 |= if right == "1" { Shape::B_TRANSPOSED } else { 0 }
        }
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
    MmaOperands { shape, tiles: [left, right], held, accumulators, adds }.emit(b, operation, sites)
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
    pub(super) fn pass_through(
        &mut self,
        registers: &mut [u32],
        (reads, integers): (bool, bool),
        site: u32,
    ) -> bool {
        let Some(thread) = self.threads.get_mut(self.current) else { return true };
        let may_be = tokens(&mut thread.issued, registers, integers);
        for (register, _) in registers.iter_mut().zip(may_be).filter(|(_, may_be)| *may_be) {
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
        let may_be = tokens(&mut thread.issued, &part.accumulators, part.shape.adds_integers());
        for (sum, may_be) in part.accumulators.iter_mut().zip(may_be) {
            // MMAs of one shape add to each other's accumulators in their order.
            if !adds {
                *sum = 0;
                continue;
            }
            match thread.issued.mma(*sum).filter(|_| may_be) {
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
    pub(super) fn tokens(&self, registers: &mut [u32]) {
        let Some(thread) = self.threads.get(self.current) else { return };
        let Some(&(mma, _)) = thread.issued.open.last() else { return };
        for (number, register) in (0_u32..).zip(registers) {
            *register = TOKEN | mma << REGISTER_BITS | number;
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
        let of = shape.multiplicand();
        let depth = DEPTH_BYTES / of.bytes();
        self.charge((ROWS * depth * columns) as u64);
        let mut reads: [Vec<(usize, usize)>; THREADS / WARP] = Default::default();
        let mut a = Tile::new(ROWS, of);
        if shape.holds_a() {
            let each = REGISTER_BYTES / of.bytes();
            for (thread, part) in parts.iter().enumerate() {
                let row = thread / WARP * 16 + thread % WARP / 4;
                for (at, register) in part.held.iter().enumerate() {
                    let column = each * (4 * (at / 2) + thread % 4);
                    let bytes = register.to_le_bytes();
                    for (place, element) in bytes.chunks_exact(of.bytes()).enumerate() {
                        a.set(row + 8 * (at % 2), column + place, of.single(element));
                    }
                }
            }
        } else {
            let Some(units) =
                self.load_tile(tiles[0], &mut a, shape.has(Shape::A_TRANSPOSED), (first, site))
            else {
                return false;
            };
            // Each warp has 16 rows.
            for unit in units {
                reads[unit.row / 16].push((unit.offset as usize, UNIT as usize));
            }
        }
        let mut right = Tile::new(columns, of);
        let Some(units) =
            self.load_tile(tiles[1], &mut right, shape.has(Shape::B_TRANSPOSED), (first, site))
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
                let x = a.row(row + 8 * (at / 2 % 2));
                let y = right.row(at / 4 * 8 + 2 * (number % 4) + at % 2);
                let product = x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
                *sum = match shape.adds_integers() {
                    // A sum of so few products of bytes is exact.
                    true => sum.wrapping_add_signed(product as i32),
                    false => (f32::from_bits(*sum) + product).to_bits(),
                };
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_a_number_of_a_product_until_something_computes_with_it() {
        let mut issued = Issued::default();
        let mma =
            PendingMma { accumulators: vec![15, 25], is_done: false, is_taken: false, site: 0 };
        issued.mmas.insert(3, mma);
        let token = TOKEN | 3 << REGISTER_BITS | 1;
        let mut sum = |register| issued.mma(register).map(|(own, number)| own.accumulators[number]);
        assert_eq!(sum(token), Some(25));
        assert_eq!(sum((std::hint::black_box(f32::from_bits(token)) + 1.0).to_bits()), None);
        assert_eq!(sum(f32::INFINITY.to_bits()), None);
        assert_eq!(sum(f32::NAN.to_bits()), None);
    }

    #[test]
    fn integers_are_tokens_where_all_of_an_mma_are_there() {
        let mut issued = Issued::default();
        let mma =
            PendingMma { accumulators: vec![1, 2, 3], is_done: true, is_taken: false, site: 0 };
        issued.mmas.insert(5, mma);
        let first = TOKEN | 5 << REGISTER_BITS;
        let words = [7, first, first + 1, first + 2, first, first + 1, 9];
        let expected = [false, true, true, true, false, false, false];
        assert_eq!(tokens(&mut issued, &words, true), expected);
        assert_eq!(tokens(&mut issued, &words, false), [true; 7]);
    }
}
