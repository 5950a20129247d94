//! The functions that the compiled code of a thread calls: for its place, its block's memory, barriers, shuffles, and before each access.
//!
//! All of it runs on a coroutine's stack and never panics: an error is noted in the machine, and the thread waits for
//! ever.

use super::{
    copies::Copy,
    machine::{Access, MACHINE, Machine, YIELDER},
    orders,
    tensors::{MAX_RANK, Part},
    waits::Wait,
    warpgroups,
};
use crate::budget::{iterations, loops};
use std::ffi::c_void;

/// Bytes of a row of a matrix that `ldmatrix` or `stmatrix` moves.
const ROW: u64 = 16;

/// Added to the mode of a shuffle in which the lanes of a segment take part alone.
pub(super) const ALONE: i64 = 4;

/// The machine whose thread calls, if one runs.
fn with<T: Default>(does: impl FnOnce(&mut Machine) -> T) -> T {
    // SAFETY: a machine sets this while it resumes a thread, and touches nothing of itself meanwhile.
    unsafe { MACHINE.get().as_mut() }.map(does).unwrap_or_default()
}

/// Waits.
fn suspend(wait: Wait) {
    // SAFETY: the yielder is that of the coroutine that runs: each sets it when it begins, and a machine when it resumes.
    if let Some(yielder) = unsafe { YIELDER.get().as_ref() } {
        yielder.suspend(wait);
    }
}

fn unless(may: bool) {
    if !may {
        // The fault is noted; nothing resumes the thread.
        suspend(Wait::Ever);
    }
}

extern "C" fn index(kind: i32) -> i64 {
    with(|machine| machine.index(kind))
}

extern "C" fn shared() -> u64 {
    with(|machine| machine.shared_first())
}

extern "C" fn barrier(site: u32) {
    suspend(Wait::Barrier { site });
}

extern "C" fn warp_sync(mask: u32, site: u32) {
    let mut may = true;
    with(|machine| may = machine.is_whole(mask, site));
    unless(may);
    suspend(Wait::Sync { site });
}

extern "C" fn assert(holds: u32, text: u32, site: u32) {
    if holds == 0 {
        with(|machine| machine.refuse(text as usize, site));
        unless(false);
    }
}

extern "C" fn shuffle(mode: i32, value: u64, offset: i32, width: i32, site: u32) -> u64 {
    let alone = i64::from(mode) & ALONE != 0;
    if !u32::try_from(width).is_ok_and(|width| width.is_power_of_two() && width <= 32) {
        with(|machine| {
            machine.stop(site, format!(
                "expected a width of 1, 2, 4, 8, 16 or 32 lanes, which the segments of a warp have, found {width}"
            ));
        });
        unless(false);
    }
    suspend(Wait::Shuffle { mode: mode & 3, value, offset, width, alone, site });
    with(|machine| machine.threads.get(machine.current).map_or(0, |thread| thread.reply))
}

extern "C" fn shuffle_valid() -> i32 {
    with(|machine| {
        machine.threads.get(machine.current).map_or(0, |thread| i32::from(thread.is_valid))
    })
}

extern "C" fn product(
    r0: u32,
    r1: u32,
    r2: u32,
    r3: u32,
    r4: u32,
    r5: u32,
    r6: u32,
    r7: u32,
    r8: u32,
    r9: u32,
    atom: u32,
    site: u32,
) {
    let registers = [r0, r1, r2, r3, r4, r5, r6, r7, r8, r9];
    suspend(Wait::Product { registers, atom, site });
}

extern "C" fn sum(number: i32) -> u32 {
    with(|machine| {
        let thread = machine.threads.get(machine.current);
        let number = usize::try_from(number).unwrap_or(0);
        thread.and_then(|thread| thread.accumulators.get(number).copied()).unwrap_or(0)
    })
}

extern "C" fn gather(value: u64, site: u32) -> u32 {
    suspend(Wait::Gather { value, site });
    with(|machine| u32::try_from(machine.gathered.len()).unwrap_or(0))
}

extern "C" fn gathered(thread: u32) -> u64 {
    with(|machine| machine.gathered.get(thread as usize).copied().unwrap_or(0))
}

extern "C" fn copy_async(to: u64, from: u64, bytes: u64, actual: u64, base: u64, site: u32) {
    with(|machine| machine.begin_copy(Copy { from, to, bytes, actual, base, site }));
}

extern "C" fn copy_commit() {
    with(|machine| {
        let current = machine.current;
        if let Some(thread) = machine.threads.get_mut(current) {
            let group = std::mem::take(&mut thread.open);
            thread.groups.push(group);
        }
    });
}

extern "C" fn copy_wait(left: u64) {
    let mut may = true;
    with(|machine| may = machine.complete_copies(usize::try_from(left).unwrap_or(usize::MAX)));
    unless(may);
}

extern "C" fn access(address: u64, bytes: u64, base: u64, what: i32, site: u32) {
    let kind = match what & 15 {
        0 => Access::Read,
        1 => Access::Write,
        2 => Access::Atomic,
        3 => Access::AtomicRead,
        _ => Access::Update,
    };
    let (mut may, mut turn) = (true, false);
    let alignment = u64::try_from(what >> 4 & 0xffff).unwrap_or(1);
    if kind.is_atomic() {
        with(|machine| turn = machine.lets_others_run());
    }
    if turn {
        suspend(Wait::Turn);
    }
    with(|machine| {
        let place = (address, bytes);
        let (kind, facts) = machine.compared(place, kind, what >> orders::SHIFT);
        may = machine.access_from(base, place, (kind, alignment), site);
        machine.order(place, kind, facts);
    });
    unless(may);
}

/// The value that the comparison and exchange of the next access expects.
extern "C" fn expect(value: u64) {
    with(|machine| {
        if let Some(thread) = machine.threads.get_mut(machine.current) {
            thread.expected = Some(value);
        }
    });
}

extern "C" fn fence(facts: i32) {
    with(|machine| machine.fence(facts));
}

/// A lane's row of a matrix, which begins at a multiple of its 16 bytes.
extern "C" fn row(address: u64, site: u32) {
    let mut may = true;
    with(|machine| may = machine.aligned((address, ROW), ROW, site));
    unless(may);
}

extern "C" fn private(address: u64, bytes: u64, base: u64, size: u64, site: u32) {
    let may = is_within((address, bytes), (base, size), "a thread's buffer", site);
    unless(may);
}

/// An access through a pointer into a buffer of shared memory, of which it knows the first byte and the size.
extern "C" fn buffer(address: u64, bytes: u64, base: u64, size: u64, site: u32) {
    let may = is_within((address, bytes), (base, size), "a buffer of shared memory", site);
    unless(may);
}

/// Whether an access is within a buffer; else the thread stops.
fn is_within((address, bytes): (u64, u64), (base, size): (u64, u64), of: &str, site: u32) -> bool {
    let end = address.saturating_add(bytes);
    let may = address >= base && end <= base.saturating_add(size);
    if !may {
        let at = i128::from(address) - i128::from(base);
        with(|machine| {
            machine.stop(site, format!(
                "expected an access of {of} within its {size} bytes, found one of {bytes} from byte {at} on"
            ));
        });
    }
    may
}

extern "C" fn tick(site: u32) {
    let mut may = true;
    with(|machine| may = machine.spend(1, site));
    unless(may);
}

extern "C" fn enter_loop(first: i64, end: i64, step: i64, bits: u32, site: u32) {
    let mut may = true;
    with(|machine| may = machine.spend(iterations((first, end, step), bits), site));
    unless(may);
}

extern "C" fn phase(kind: i32, barrier: u64, number: i32, site: u32) {
    let (mut may, mut waits) = (true, false);
    let parity = number & 1 == 1;
    with(|machine| {
        may = match kind {
            0 => machine.begin_phases(barrier, number, site),
            1 => machine.arrive(barrier, 0, site),
            2 => machine.arrive(barrier, number, site),
            3 => {
                let has_ended = machine.has_ended(barrier, parity, site);
                waits = has_ended == Some(false);
                has_ended.is_some()
            }
            5 => machine.complete(barrier, number, site),
            _ => machine.end_phases(barrier, site),
        };
    });
    unless(may);
    if waits {
        suspend(Wait::Phase { barrier, parity, site });
    }
}

extern "C" fn some(kind: i32, number: u32, count: i32, site: u32) {
    let mut waits = None;
    with(|machine| waits = machine.come(number, count, kind == 0, site));
    unless(waits.is_some());
    if waits == Some(true) {
        suspend(Wait::Some { number, site });
    }
}

extern "C" fn resize(count: u32, site: u32) {
    let mut waits = false;
    with(|machine| waits = machine.resize(count));
    if waits {
        suspend(Wait::Registers { count, site });
    }
}

extern "C" fn show() {
    with(Machine::show);
}

extern "C" fn bulk_load(
    map: u64,
    to: u64,
    barrier: u64,
    x0: i32,
    x1: i32,
    x2: i32,
    x3: i32,
    x4: i32,
    site: u32,
) {
    let mut may = true;
    let at: [i64; MAX_RANK] = [x0, x1, x2, x3, x4].map(i64::from);
    with(|machine| may = machine.begin_load(Part::Box { handle: map, at }, (to, barrier), site));
    unless(may);
}

extern "C" fn bulk_load_all(
    map: u64,
    to: u64,
    barrier: u64,
    mask: u32,
    x0: i32,
    x1: i32,
    x2: i32,
    x3: i32,
    x4: i32,
    site: u32,
) {
    let mut may = true;
    let at: [i64; MAX_RANK] = [x0, x1, x2, x3, x4].map(i64::from);
    let part = Part::Box { handle: map, at };
    with(|machine| may = machine.begin_load_for_all(part, (to, barrier), mask, site));
    unless(may);
}

extern "C" fn mapa(address: u64, rank: u32, site: u32) -> u64 {
    let mut mapped = None;
    with(|machine| mapped = machine.mapped(address, rank, site));
    unless(mapped.is_some());
    mapped.unwrap_or(0)
}

extern "C" fn cluster_arrive(releases: i32, site: u32) {
    let mut may = true;
    with(|machine| may = machine.arrive_in_cluster(releases != 0, site));
    unless(may);
}

extern "C" fn cluster_wait(site: u32) {
    let mut may = true;
    with(|machine| may = machine.wait_in_cluster(site));
    unless(may);
    suspend(Wait::Cluster { site });
}

extern "C" fn bulk_store(
    map: u64,
    from: u64,
    _: u64,
    x0: i32,
    x1: i32,
    x2: i32,
    x3: i32,
    x4: i32,
    site: u32,
) {
    let mut may = true;
    let at: [i64; MAX_RANK] = [x0, x1, x2, x3, x4].map(i64::from);
    with(|machine| may = machine.store_part(Part::Box { handle: map, at }, from, site));
    unless(may);
}

extern "C" fn bulk_load_bytes(to: u64, from: u64, barrier: u64, bytes: u32, site: u32) {
    let part = Part::Bytes { first: from, count: bytes.into() };
    let mut may = true;
    with(|machine| may = machine.begin_load(part, (to, barrier), site));
    unless(may);
}

extern "C" fn bulk_store_bytes(to: u64, from: u64, bytes: u32, site: u32) {
    let part = Part::Bytes { first: to, count: bytes.into() };
    let mut may = true;
    with(|machine| may = machine.store_part(part, from, site));
    unless(may);
}

extern "C" fn bulk_commit() {
    with(Machine::commit_bulk);
}

extern "C" fn bulk_wait(left: u64) {
    with(|machine| machine.wait_bulk(usize::try_from(left).unwrap_or(usize::MAX)));
}

extern "C" fn wgmma_fence() {
    with(Machine::fence_mmas);
}

extern "C" fn wgmma_commit() {
    with(Machine::commit_mmas);
}

extern "C" fn wgmma_wait(left: u64) {
    with(|machine| machine.wait_for_mmas(usize::try_from(left).unwrap_or(usize::MAX)));
}

extern "C" fn registers(slot: *mut u32, count: u32, how: i32, site: u32) {
    // SAFETY: compiled code passes a slot of `count` registers, which nothing else accesses meanwhile.
    let registers = unsafe { std::slice::from_raw_parts_mut(slot, count as usize) };
    let mut may = true;
    with(|machine| may = machine.pass_through(registers, (how & 1 != 0, how & 2 != 0), site));
    unless(may);
}

extern "C" fn warpgroup(slot: *mut u32, a: u64, b: u64, shape: u32, adds: i32, site: u32) {
    const A_REGISTERS: usize = 4;
    let shape = warpgroups::Shape(shape);
    let count = shape.columns() / 2;
    let mut part = warpgroups::ThreadOperands {
        shape,
        tiles: [a, b],
        held: [0; A_REGISTERS],
        accumulators: vec![0; count],
    };
    // SAFETY: compiled code passes a slot of the accumulators, with A after them where that is held.
    unsafe {
        std::ptr::copy(slot, part.accumulators.as_mut_ptr(), count);
        if shape.holds_a() {
            std::ptr::copy(slot.add(count), part.held.as_mut_ptr(), A_REGISTERS);
        }
    }
    let mut may = true;
    with(|machine| may = machine.take_part(part, adds != 0, site));
    unless(may);
    suspend(Wait::Warpgroup { site });
    // SAFETY: the slot is the thread's own, which continues.
    let registers = unsafe { std::slice::from_raw_parts_mut(slot, count) };
    with(|machine| machine.tokens(registers));
}

extern "C" fn print_value(value: u64) {
    with(|machine| machine.values.push(value));
}

extern "C" fn print(number: u32) {
    with(|machine| machine.print(number as usize));
}

/// The functions that compiled code calls, by name.
pub(super) fn functions() -> [(&'static str, *mut c_void); 43] {
    [
        ("layout_index", index as *mut c_void),
        ("layout_shared", shared as *mut c_void),
        ("layout_barrier", barrier as *mut c_void),
        ("layout_warp_sync", warp_sync as *mut c_void),
        ("layout_assert", assert as *mut c_void),
        ("layout_shuffle", shuffle as *mut c_void),
        ("layout_shuffle_valid", shuffle_valid as *mut c_void),
        ("layout_product", product as *mut c_void),
        ("layout_sum", sum as *mut c_void),
        ("layout_gather", gather as *mut c_void),
        ("layout_gathered", gathered as *mut c_void),
        ("layout_copy_async", copy_async as *mut c_void),
        ("layout_copy_commit", copy_commit as *mut c_void),
        ("layout_copy_wait", copy_wait as *mut c_void),
        ("layout_access", access as *mut c_void),
        ("layout_expect", expect as *mut c_void),
        ("layout_fence", fence as *mut c_void),
        ("layout_row", row as *mut c_void),
        ("layout_private", private as *mut c_void),
        ("layout_buffer", buffer as *mut c_void),
        (loops::TICK, tick as *mut c_void),
        (loops::ENTER, enter_loop as *mut c_void),
        ("layout_phase", phase as *mut c_void),
        ("layout_some", some as *mut c_void),
        ("layout_resize", resize as *mut c_void),
        ("layout_show", show as *mut c_void),
        ("layout_bulk_load", bulk_load as *mut c_void),
        ("layout_bulk_load_all", bulk_load_all as *mut c_void),
        ("layout_mapa", mapa as *mut c_void),
        ("layout_cluster_arrive", cluster_arrive as *mut c_void),
        ("layout_cluster_wait", cluster_wait as *mut c_void),
        ("layout_bulk_store", bulk_store as *mut c_void),
        ("layout_bulk_load_bytes", bulk_load_bytes as *mut c_void),
        ("layout_bulk_store_bytes", bulk_store_bytes as *mut c_void),
        ("layout_bulk_commit", bulk_commit as *mut c_void),
        ("layout_bulk_wait", bulk_wait as *mut c_void),
        ("layout_wgmma_fence", wgmma_fence as *mut c_void),
        ("layout_wgmma_commit", wgmma_commit as *mut c_void),
        ("layout_wgmma_wait", wgmma_wait as *mut c_void),
        ("layout_registers", registers as *mut c_void),
        ("layout_print_value", print_value as *mut c_void),
        ("layout_print", print as *mut c_void),
        ("layout_warpgroup", warpgroup as *mut c_void),
    ]
}
