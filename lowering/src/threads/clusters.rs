//! Clusters: blocks that run at once, wait for each other, and access each other's memory.
//!
//! An address of another block's shared memory (`nvvm.mapa`, `mapa` in a lowered pipeline) is the address that it has there. Accesses to it, arrivals at its barriers
//! and multicast copies are done as that block's, with the order that their own thread knows.

use super::{
    Error,
    block_times::Blocks,
    blocks::Block,
    clock::{Clock, add_others},
    machine::{Fault, Machine, Thread},
    program::{Sites, call, constant, plain},
    shadow::Mark,
    tensors::{MAX_RANK, Part},
    waits::Wait,
};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

/// Blocks of a cluster at most.
pub(super) const MAX_BLOCKS: u32 = 16;

/// The first number of an index of a cluster: see [`Machine::index_in_cluster`].
pub(super) const FIRST_INDEX: i64 = 32;

/// The indices of a thread's cluster, by operation.
const INDICES: [(&str, i64); 18] = [
    ("nvvm.read.ptx.sreg.cluster.ctarank", 0),
    ("nvvm.read.ptx.sreg.cluster.nctarank", 1),
    ("nvvm.read.ptx.sreg.cluster.ctaid.x", 0),
    ("nvvm.read.ptx.sreg.cluster.ctaid.y", 2),
    ("nvvm.read.ptx.sreg.cluster.ctaid.z", 2),
    ("nvvm.read.ptx.sreg.cluster.nctaid.x", 1),
    ("nvvm.read.ptx.sreg.cluster.nctaid.y", 3),
    ("nvvm.read.ptx.sreg.cluster.nctaid.z", 3),
    ("nvvm.read.ptx.sreg.clusterid.x", 4),
    ("nvvm.read.ptx.sreg.clusterid.y", 5),
    ("nvvm.read.ptx.sreg.clusterid.z", 6),
    ("nvvm.read.ptx.sreg.nclusterid.x", 7),
    ("nvvm.read.ptx.sreg.nclusterid.y", 8),
    ("nvvm.read.ptx.sreg.nclusterid.z", 9),
    ("gpu.cluster_block_id", 0),
    ("gpu.cluster_dim_blocks", 1),
    ("gpu.cluster_id", 4),
    ("gpu.cluster_dim", 7),
];

/// The barrier of a cluster.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    /// Phases that have ended.
    ended: u32,
    /// The knowledge of those who have arrived, and of those who did in the phase before.
    known: Option<Blocks>,
    before: Option<Blocks>,
}

/// Writes out operations of clusters; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let name = tree::name(operation);
    if let Some(&(_, kind)) = INDICES.iter().find(|(own, _)| *own == name) {
        let number = FIRST_INDEX + in_dimension(operation, kind);
        let own = first_result(operation);
        let number = constant(b, 32, number)?;
        if let Some(value) = call(b, "layout_index", &[number], Some(b.integer(64)))? {
            let cast = match own.r#type() == Type::index(b.context()) {
                true => "arith.index_cast",
                false => "arith.trunci",
            };
            tree::replace_uses(own, b.value(cast, &[value], own.r#type(), &[])?);
        }
        tree::erase(operation);
        return Ok(true);
    }
    match name.as_str() {
        "nvvm.cluster.arrive" | "nvvm.cluster.arrive.relaxed" => {
            let releases = constant(b, 32, i64::from(name == "nvvm.cluster.arrive"))?;
            let site = constant(b, 32, sites.of(operation))?;
            call(b, "layout_cluster_arrive", &[releases, site], None)?;
        }
        "nvvm.cluster.wait" => {
            let site = constant(b, 32, sites.of(operation))?;
            call(b, "layout_cluster_wait", &[site], None)?;
        }
        "nvvm.mapa" => {
            let own = first_result(operation);
            let site = constant(b, 32, sites.of(operation))?;
            let operands = [plain(b, operand(operation, 0))?, operand(operation, 1), site];
            let pointer = melior::dialect::llvm::r#type::pointer(b.context(), 0);
            if let Some(value) = call(b, "layout_mapa", &operands, Some(pointer))? {
                let value = match own.r#type() == pointer {
                    true => value,
                    false => b.value("llvm.addrspacecast", &[value], own.r#type(), &[])?,
                };
                tree::replace_uses(own, value);
            }
        }
        "llvm.inline_asm" => {
            let text = operation.attribute("asm_string").ok().and_then(tree::text);
            let text = text.unwrap_or_default();
            let is = |part: &str| text.contains(part);
            if is("mapa.shared::cluster.u32") && is("mbarrier.arrive.shared::cluster.b64 _,") {
                return arrive_elsewhere(b, operation, sites);
            }
            if is(".multicast::cluster") && is("cp.async.bulk.tensor") && !is("im2col") {
                return load_for_all(b, operation, sites);
            }
            return Ok(false);
        }
        _ => return Ok(false),
    }
    tree::erase(operation);
    Ok(true)
}

/// A kind of index along the dimension of an operation of `gpu`.
fn in_dimension(operation: OperationRef<'_, '_>, kind: i64) -> i64 {
    let dimension = operation.attribute("dimension").map(|name| name.to_string());
    let dimension = dimension.unwrap_or_default();
    let along = [" x>", " y>", " z>"].iter().position(|letter| dimension.contains(letter));
    match (along.unwrap_or(0), kind) {
        (0, _) => kind,
        // A cluster has blocks along x alone.
        (_, 0 | 1) => kind + 2,
        (along, _) => kind + i64::try_from(along).unwrap_or(0),
    }
}

/// The pointer whose address an operand of an instruction is.
fn address<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Option<Val<'c>>, Error> {
    let made = tree::definition(value).filter(|made| tree::name(*made) == "llvm.ptrtoint");
    made.map(|made| plain(b, operand(made, 0))).transpose()
}

/// An arrival at another block's barrier, as `layout-lower` writes it.
fn arrive_elsewhere<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let Some(barrier) = address(b, operand(operation, 0))? else { return Ok(false) };
    let site = constant(b, 32, sites.of(operation))?;
    let pointer = melior::dialect::llvm::r#type::pointer(b.context(), 0);
    let mapped = call(b, "layout_mapa", &[barrier, operand(operation, 1), site], Some(pointer))?;
    let Some(mapped) = mapped else { return Ok(false) };
    let operands = [constant(b, 32, 1)?, mapped, constant(b, 32, 0)?, site];
    call(b, "layout_phase", &operands, None)?;
    tree::erase(operation);
    Ok(true)
}

/// A bulk load to several blocks of the cluster, as `layout-lower` writes it.
fn load_for_all<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    // Memory, the tensor map, the barrier, the blocks, coordinates, and a hint of 64 bits.
    let count = operation.operand_count();
    let is_coordinate = |at: &usize| operand(operation, *at).r#type() == b.integer(32);
    let coordinates: Vec<usize> = (4..count).filter(is_coordinate).collect();
    let (Some(to), Some(barrier)) =
        (address(b, operand(operation, 0))?, address(b, operand(operation, 2))?)
    else {
        return Ok(false);
    };
    if coordinates.is_empty() || coordinates.len() > MAX_RANK {
        return Ok(false);
    }
    let mask = b.value("arith.extui", &[operand(operation, 3)], b.integer(32), &[])?;
    let mut operands = vec![plain(b, operand(operation, 1))?, to, barrier, mask];
    for mode in 0..MAX_RANK {
        operands.push(match coordinates.get(mode) {
            Some(&at) => operand(operation, at),
            None => constant(b, 32, 0)?,
        });
    }
    operands.push(constant(b, 32, sites.of(operation))?);
    call(b, "layout_bulk_load_all", &operands, None)?;
    tree::erase(operation);
    Ok(true)
}

impl Machine {
    /// The number of the first block of the cluster.
    const fn first_of_cluster(&self) -> u32 {
        self.number - self.rank()
    }

    /// The number of the block in its cluster.
    const fn rank(&self) -> u32 {
        self.at[0] % self.cluster
    }

    /// The index of a number of [`INDICES`].
    pub(super) fn index_in_cluster(&self, kind: i64) -> i64 {
        let [x, y, z] = self.grid;
        let value = match kind {
            0 => self.rank(),
            1 => self.cluster,
            2 => 0,
            3 => 1,
            4 => self.at[0] / self.cluster,
            5 => self.at[1],
            6 => self.at[2],
            7 => x / self.cluster,
            8 => y,
            _ => z,
        };
        value.into()
    }

    /// Does something as another block, if it has begun and not ended.
    fn in_place_of<T>(&mut self, number: u32, does: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if number == self.number {
            return Some(does(self));
        }
        let at = self.resident.iter().position(|block| block.number == number)?;
        let mut block = self.resident.remove(at)?;
        self.swap(&mut block);
        let result = does(self);
        self.swap(&mut block);
        self.resident.insert(at, block);
        Some(result)
    }

    /// The blocks of the cluster that have begun and not ended, but for the one that runs.
    fn others_of_cluster(&self) -> impl Iterator<Item = &Block> {
        let first = self.first_of_cluster();
        let in_cluster = move |number: u32| (first..first + self.cluster).contains(&number);
        self.resident.iter().filter(move |block| in_cluster(block.number))
    }

    /// The threads of the cluster.
    fn threads_of_cluster(&self) -> impl Iterator<Item = &Thread> {
        self.others_of_cluster().flat_map(|block| &block.threads).chain(&self.threads)
    }

    /// The block of the cluster that an address of shared memory is in, and how far from its first byte.
    fn block_of(&self, address: u64) -> Option<(u32, u64)> {
        self.others_of_cluster().find_map(|block| {
            let at = address.checked_sub(block.shared_first())?;
            (at < self.shared_bytes as u64).then_some((block.number, at))
        })
    }

    /// The address that a byte of the block's memory has in another block of the cluster.
    pub(super) fn mapped(&mut self, address: u64, rank: u32, site: u32) -> Option<u64> {
        let at = address.wrapping_sub(self.shared_first());
        if rank >= self.cluster || at >= self.shared_bytes as u64 {
            let message = match rank < self.cluster {
                true => format!(
                    "expected an address within the {} bytes of the block's memory, found one {} bytes from its first",
                    self.shared_bytes, at as i64
                ),
                false => format!(
                    "expected one of the {} blocks of the cluster, found number {rank}",
                    self.cluster
                ),
            };
            self.stop(site, message);
            return None;
        }
        let number = self.first_of_cluster() + rank;
        let mapped = self.in_place_of(number, |block| block.shared_first() + at);
        if mapped.is_none() {
            self.refuse_ended(rank, site);
        }
        mapped
    }

    fn refuse_ended(&mut self, rank: u32, site: u32) {
        self.stop(site, format!(
            "expected block {rank} of the cluster to run, found it at its end; a barrier of the cluster before the end keeps its memory"
        ));
    }

    /// Notes an access to the memory of another block of the cluster; `None` if it is elsewhere, and whether it may be.
    pub(super) fn access_elsewhere(
        &mut self,
        (address, bytes): (u64, u64),
        (writes, is_atomic): (bool, bool),
        site: u32,
    ) -> Option<bool> {
        let (number, at) = self.block_of(address)?;
        if at + bytes > self.shared_bytes as u64 {
            self.stop(site, format!(
                "expected an access within the {} bytes of a block's memory, found one of {bytes} from byte {at} on",
                self.shared_bytes
            ));
            return Some(false);
        }
        let clock = self.clocks.get(self.current)?.clone();
        let thread = u32::try_from(self.current).unwrap_or(0);
        let mark = Mark::new(self.number, thread, clock.now(), site, is_atomic);
        self.in_place_of(number, |block| {
            let place = (at as usize, bytes as usize);
            block.note_shared(place, (mark, writes), &clock);
        })?;
        Some(true)
    }

    /// Arrives at a barrier that may be another block's; `None` if it is not.
    pub(super) fn arrive_elsewhere(&mut self, address: u64, bytes: i32, site: u32) -> Option<bool> {
        let (number, _) = self.block_of(address)?;
        let (current, own) = (self.current, self.number);
        let clock = self.clocks.get(current)?.clone();
        let released = self.clocks.get_mut(current)?.release_to_all(current, own);
        let at = self.place(current, site);
        let arrival = (address, bytes);
        let result =
            self.in_place_of(number, |block| block.arrive_for(arrival, (&released, &clock)))?;
        let Err(message) = result else { return Some(true) };
        self.fault.get_or_insert(Fault { at, message, other: None });
        Some(false)
    }

    /// Begins a load to the same place of several blocks of the cluster.
    pub(super) fn begin_load_for_all(
        &mut self,
        part: Part,
        (to, barrier): (u64, u64),
        mask: u32,
        site: u32,
    ) -> bool {
        let first = self.first_of_cluster();
        let (places, own) =
            ([to, barrier].map(|at| at.wrapping_sub(self.shared_first())), self.number);
        let Some(clock) = self.clocks.get(self.current).cloned() else { return false };
        for rank in (0..u32::BITS).filter(|rank| mask >> rank & 1 == 1) {
            if rank >= self.cluster {
                let message = format!(
                    "expected a mask of the {} blocks of the cluster, found 0x{mask:x}",
                    self.cluster
                );
                self.stop(site, message);
                return false;
            }
            let begun = self.in_place_of(first + rank, |block| {
                let [to, barrier] = places.map(|at| at.wrapping_add(block.shared_first()));
                block.begin_load_from((own, &clock), part, (to, barrier), site)
            });
            match begun {
                Some(true) => {}
                Some(false) => return false,
                None => {
                    self.refuse_ended(rank, site);
                    return false;
                }
            }
        }
        true
    }

    /// Arrives at the cluster's barrier; whether it may.
    pub(super) fn arrive_in_cluster(&mut self, releases: bool, site: u32) -> bool {
        if self.threads.get(self.current).is_some_and(|own| own.met > own.waited) {
            let message =
                "expected a wait between two arrivals at the cluster's barrier, found none";
            self.stop(site, message.to_owned());
            return false;
        }
        let (current, number) = (self.current, self.number);
        let first = self.first_of_cluster();
        let released = match releases {
            true => self.clocks.get_mut(current).map(|own| own.release_to_all(current, number)),
            false => self.threads.get(current).and_then(|own| own.fences.for_all()),
        };
        if let Some(thread) = self.threads.get_mut(current) {
            thread.met += 1;
        }
        let meeting = self.meetings.entry(first).or_default();
        add_others(&mut meeting.known, released.as_ref());
        true
    }

    /// Begins to wait at the cluster's barrier; whether it may.
    pub(super) fn wait_in_cluster(&mut self, site: u32) -> bool {
        let Some(thread) = self.threads.get_mut(self.current) else { return true };
        let has_arrived = thread.met > thread.waited;
        thread.waited = thread.met;
        if !has_arrived {
            let message =
                "expected an arrival at the cluster's barrier before the wait for it, found none";
            self.stop(site, message.to_owned());
        }
        has_arrived
    }

    /// Lets the threads continue that wait for a barrier of the cluster whose phase has ended.
    pub(super) fn pass_cluster(&mut self) -> bool {
        let waits = |own: &Thread| matches!(own.waits, Some(Wait::Cluster { .. }));
        if !self.threads.iter().any(waits) {
            return false;
        }
        let (first, number) = (self.first_of_cluster(), self.number);
        let ended = self.meetings.entry(first).or_default().ended;
        let has_come = |own: &Thread| own.is_done || own.met > ended;
        let all = self.threads_of_cluster().all(has_come);
        let Some(meeting) = self.meetings.get_mut(&first) else { return false };
        if all {
            meeting.ended += 1;
            meeting.before = meeting.known.take();
        }
        let mut any = false;
        for (thread, clock) in self.threads.iter_mut().zip(&mut self.clocks) {
            if matches!(thread.waits, Some(Wait::Cluster { .. })) && thread.met <= meeting.ended {
                if let Some(before) = &meeting.before {
                    clock.acquire_from_all(number, before);
                }
                (thread.waits, any) = (None, true);
            }
        }
        any
    }

    /// How many threads of the cluster have not come to its barrier.
    pub(super) fn missing_in_cluster(&self) -> usize {
        let first = self.first_of_cluster();
        let ended = self.meetings.get(&first).map_or(0, |meeting| meeting.ended);
        self.threads_of_cluster().filter(|own| !own.is_done && own.met <= ended).count()
    }

    /// Notes an access of a block's memory by a thread with some knowledge, and reports what it races with.
    fn note_shared(
        &mut self,
        (place, length): (usize, usize),
        (mark, writes): (Mark, bool),
        clock: &Clock,
    ) {
        if let Some(copy) = self.shared_shadow.pending(place, length) {
            let found = (copy, super::machine::MissingOrder::Copied);
            self.race(found, (mark, writes), None, place as u64);
            return;
        }
        let found = match writes {
            true => self.shared_shadow.write(place, length, mark, clock),
            false => self.shared_shadow.read(place, length, mark, clock),
        };
        if let Some(earlier) = found {
            self.race((earlier, super::machine::lack(earlier)), (mark, writes), None, place as u64);
        }
    }
}
