//! The memory pattern of a warp's accesses: sectors of 32 bytes of global memory, banks of shared memory.
//!
//! The accesses of a warp's threads at one place of the program, each thread's n-th there between two barriers, are one
//! request. A request to global memory takes the sectors of 32 bytes that it touches; the ideal is the number that its bytes
//! fill. One to shared memory takes a wavefront for each word of 4 bytes that the busiest of 32 banks has to give; 8 bytes a
//! thread are two requests of 16 threads, 16 bytes four of 8.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// Banks, and the bytes of a word of one.
const BANKS: u64 = 32;
const WORD: u64 = 4;

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Memory of the device.
    Global,
    /// Memory of a block.
    Shared,
}

/// The cost of the accesses at a place of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Requests of warps.
    pub requests: u64,
    /// Sectors, or wavefronts.
    pub taken: u64,
    /// The number that would suffice.
    pub needed: u64,
}

/// The requests of one warp that are not complete yet.
#[derive(Debug, Default)]
struct Open {
    /// By site, and by the number of the access there: addresses and bytes of threads.
    requests: BTreeMap<u32, Vec<Vec<(u64, u64)>>>,
    /// How often each thread was there.
    counts: HashMap<(u32, u32), usize>,
}

/// The patterns of a run.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    warps: Vec<Open>,
    found: BTreeMap<(u32, Space), Pattern>,
    spaces: HashMap<u32, Space>,
}

impl Patterns {
    pub(super) fn new(warps: usize) -> Self {
        let warps = (0..warps).map(|_| Open::default()).collect();
        Self { warps, found: BTreeMap::new(), spaces: HashMap::new() }
    }

    /// Notes an access of a thread.
    pub(super) fn note(&mut self, thread: u32, site: u32, space: Space, address: u64, bytes: u64) {
        let Some(open) = self.warps.get_mut((thread / 32) as usize) else { return };
        let count = open.counts.entry((thread, site)).or_default();
        let requests = open.requests.entry(site).or_default();
        if requests.len() <= *count {
            requests.push(Vec::new());
        }
        if let Some(request) = requests.get_mut(*count) {
            request.push((address, bytes));
        }
        *count += 1;
        self.spaces.insert(site, space);
    }

    /// All requests of a warp are complete.
    pub(super) fn complete(&mut self, warp: usize) {
        let Some(open) = self.warps.get_mut(warp) else { return };
        for (site, requests) in std::mem::take(&mut open.requests) {
            let Some(&space) = self.spaces.get(&site) else { continue };
            let pattern = self.found.entry((site, space)).or_default();
            for request in requests {
                let (taken, needed) = match space {
                    Space::Global => sectors(&request),
                    Space::Shared => wavefronts(&request),
                };
                pattern.requests += 1;
                pattern.taken += taken;
                pattern.needed += needed;
            }
        }
        open.counts.clear();
    }

    /// All that was found, by site.
    pub(super) fn found(self) -> Vec<(u32, Space, Pattern)> {
        self.found.into_iter().map(|((site, space), pattern)| (site, space, pattern)).collect()
    }
}

/// Sectors that a request touches, and that would hold its bytes.
fn sectors(request: &[(u64, u64)]) -> (u64, u64) {
    let mut touched = BTreeSet::new();
    let mut distinct = BTreeSet::new();
    for &(address, bytes) in request {
        touched.extend(address / SECTOR..=(address + bytes.max(1) - 1) / SECTOR);
        distinct.insert((address, bytes));
    }
    let bytes: u64 = distinct.iter().map(|(_, bytes)| bytes).sum();
    (touched.len() as u64, bytes.div_ceil(SECTOR).max(1).min(touched.len() as u64))
}

/// Wavefronts that a request takes, and those without conflicts.
fn wavefronts(request: &[(u64, u64)]) -> (u64, u64) {
    let widest = request.iter().map(|(_, bytes)| *bytes).max().unwrap_or(WORD).max(WORD);
    let threads = usize::try_from(32 * WORD / widest.min(16)).unwrap_or(32).max(1);
    let (mut taken, mut needed) = (0, 0);
    for part in request.chunks(threads) {
        let mut words: HashMap<u64, BTreeSet<u64>> = HashMap::new();
        for &(address, bytes) in part {
            for word in address / WORD..=(address + bytes.max(1) - 1) / WORD {
                words.entry(word % BANKS).or_default().insert(word);
            }
        }
        let most = words.values().map(|words| words.len() as u64).max().unwrap_or(1);
        let all: u64 = words.values().map(|words| words.len() as u64).sum();
        taken += most;
        needed += all.div_ceil(BANKS).max(1);
    }
    (taken, needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(stride: u64, bytes: u64) -> Vec<(u64, u64)> {
        (0..32).map(|lane| (4096 + lane * stride, bytes)).collect()
    }

    #[test]
    fn neighbours_fill_sectors_and_columns_do_not() {
        assert_eq!(sectors(&request(4, 4)), (4, 4));
        assert_eq!(sectors(&request(16, 16)), (16, 16));
        assert_eq!(sectors(&request(1024, 4)), (32, 4));
        assert_eq!(sectors(&request(0, 4)), (1, 1));
    }

    #[test]
    fn banks_are_those_of_words() {
        assert_eq!(wavefronts(&request(4, 4)), (1, 1));
        assert_eq!(wavefronts(&request(128, 4)), (32, 1));
        assert_eq!(wavefronts(&request(8, 4)), (2, 1));
        assert_eq!(wavefronts(&request(0, 4)), (1, 1));
        assert_eq!(wavefronts(&request(16, 16)), (4, 4));
        assert_eq!(wavefronts(&request(128, 16)), (32, 4));
        assert_eq!(wavefronts(&request(2, 2)), (1, 1));
    }

    #[test]
    fn requests_are_of_one_place_and_one_round() {
        let mut patterns = Patterns::new(2);
        for round in 0..2_u64 {
            for thread in 0..64 {
                let address = 4 * u64::from(thread) + round * 4096;
                patterns.note(thread, 3, Space::Global, address, 4);
            }
        }
        (0..2).for_each(|warp| patterns.complete(warp));
        let pattern = Pattern { requests: 4, taken: 16, needed: 16 };
        assert_eq!(patterns.found(), [(3, Space::Global, pattern)]);
    }
}
