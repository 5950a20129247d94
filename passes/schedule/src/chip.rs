//! Chips, from `devices/*.json`. A new chip is a new file and a line of [`FILES`].

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// The files, one for each chip.
const FILES: [&str; 5] = [
    include_str!("../devices/sm_80.json"),
    include_str!("../devices/sm_89.json"),
    include_str!("../devices/sm_90a.json"),
    include_str!("../devices/sm_100a.json"),
    include_str!("../devices/sm_120a.json"),
];

/// A chip: everything that times depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chip {
    /// The name that code is compiled for, such as `sm_90a`.
    pub name: String,
    /// The compute capabilities, times ten, of the chips that it represents: those with the same shared memory.
    pub compute_capabilities: Vec<u32>,
    /// The device that is described, as its driver names it.
    pub device: String,
    /// Where the figures are from, and which of them were measured.
    pub source: String,
    /// Streaming multiprocessors.
    pub multiprocessors: i64,
    /// Multiprocessors of each GPC, in one of which the blocks of a cluster run; none where a chip has no clusters.
    pub gpcs: Vec<i64>,
    /// The clock that the peak rates are of, in MHz.
    pub clock_mhz: f64,
    /// Multiply-adds of a multiprocessor's tensor cores in a clock, for elements of one byte; half as many for two
    /// bytes, a quarter for four.
    pub byte_products_per_clock: f64,
    /// The part of that rate that `mma.sync` reaches: less than 1 where only `wgmma` reaches it.
    pub mma_sync_share: f64,
    /// Whether the chip has `wgmma` and bulk tensor copies.
    pub warpgroups: bool,
    /// Bandwidth of memory, in bytes a microsecond.
    pub memory_bytes_per_us: f64,
    /// Bytes of the L2 cache.
    pub level_2_bytes: i64,
    /// Bytes that a multiprocessor reads from the L2 cache in a clock, at most.
    pub level_2_bytes_per_clock: f64,
    /// Bytes of shared memory that a block may require.
    pub shared_bytes: i64,
    /// The parts of these rates that kernels reach, and times that do not depend on them.
    pub constants: Constants,
}

/// The constants that the model is fitted by: parts of the chip's rates that kernels reach, and times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Time of any kernel: its launch, its first loads and its last stores.
    pub start: f64,
    /// Time of multiplications over that at the chip's peak.
    pub multiply: f64,
    /// How much longer one warpgroup of 64 rows takes that multiplies alone.
    pub single: f64,
    /// How much longer warpgroups of several atoms of 64 rows each take.
    pub several: f64,
    /// Columns that an atom of a warpgroup multiplies in the time that it takes beside that for its own.
    pub columns: f64,
    /// Time of a block's loads over that at the multiprocessor's peak.
    pub load: f64,
    /// How much longer loads take whose rows lie across cache lines.
    pub across: f64,
    /// How much longer loads take of operands that are contiguous along M or N.
    pub outer: f64,
    /// Rows that such a load takes as long as, if there are fewer: of elements of two bytes.
    pub short: f64,
    /// The time of a load that blocks of a cluster share, over that of its share of bytes.
    pub multicast: f64,
    /// Time from a load to its data, in µs.
    pub latency: f64,
    /// Time of a step along K beside all that, in µs.
    pub step: f64,
    /// Time of a tile beside its steps and its store, in µs.
    pub tile: f64,
    /// Time of a tile's store over that at the multiprocessor's share of memory's peak.
    pub store: f64,
    /// Time of a piece of a store beside that of its bytes, in µs.
    pub piece: f64,
    /// How much longer a store takes that bulk copies do not do.
    pub direct: f64,
    /// The part of a tile's beginning and store that is seen where another warpgroup multiplies meanwhile.
    pub hidden: f64,
    /// The part of a store that is not hidden where its pieces wait for the next tile's steps.
    pub deferred: f64,
    /// Time of a byte through memory over that at its peak.
    pub memory: f64,
    /// The part of the bytes loaded again that pass through memory, where operands are larger than the L2 cache.
    pub again: f64,
    /// The part of an operand's time through memory that is added where blocks that do not run beside each other read it at once.
    pub apart: f64,
    /// That of bytes loaded again where blocks share tiles along K, which are at different places of it.
    pub scattered: f64,
    /// The part of the L2 cache beyond which that begins.
    pub cache: f64,
    /// How much longer memory takes for segments of 128 bytes than for long ones.
    pub segment: f64,
    /// Time of a byte from the L2 cache over that at its peak.
    pub level_2: f64,
    /// Time of summing up slices of K, in µs.
    pub sum: f64,
    /// Time of a byte of these parts over that of one from the L2 cache.
    pub parts: f64,
    /// Time of launching clusters, in µs.
    pub cluster: f64,
    /// Time of a step along K of blocks of a cluster, which wait for each other, beside that of a block alone, in µs.
    pub together: f64,
    /// Time of a copy of an operand before the kernel, in µs, beside its bytes.
    pub copy: f64,
    /// The exponent by which multiplying, memory and the L2 cache overlap: 1 adds them up, a large one takes the longest.
    pub overlap: f64,
}

static CHIPS: LazyLock<Vec<Chip>> = LazyLock::new(|| {
    // The files are part of the program, and a test reads each.
    FILES.iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
});

impl Chip {
    /// All that are described, oldest first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &CHIPS
    }

    /// The chip description for a chip's name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        let number = number(name)?;
        CHIPS.iter().find(|chip| chip.compute_capabilities.contains(&number))
    }

    /// Blocks that run at once, one for each multiprocessor, in clusters of `cluster` blocks.
    #[must_use]
    pub fn blocks_at_once(&self, cluster: i64) -> i64 {
        let cluster = cluster.max(1);
        let within = |own: i64| own / cluster * cluster;
        match self.gpcs.as_slice() {
            [] => self.multiprocessors,
            gpcs => gpcs.iter().map(|&own| within(own)).sum::<i64>().max(cluster),
        }
    }

    /// Multiply-adds of a multiprocessor in a microsecond, for elements of `bytes` bytes.
    #[must_use]
    pub fn products_per_us(&self, bytes: i64) -> f64 {
        self.byte_products_per_clock * self.clock_mhz / bytes.max(1) as f64
    }

    /// Bytes that a multiprocessor reads from the L2 cache in a microsecond, at most.
    #[must_use]
    pub fn loads_per_us(&self) -> f64 {
        self.level_2_bytes_per_clock * self.clock_mhz
    }
}

/// The number in a chip's name.
fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("sm_")?;
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_chip() {
        for text in FILES {
            let chip: Chip = serde_json::from_str(text).expect("a chip");
            assert!(chip.source.len() > 20, "{}: {}", chip.name, chip.source);
            assert_eq!(chip.blocks_at_once(1), chip.multiprocessors, "{}", chip.name);
        }
        assert_eq!(Chip::all().len(), FILES.len());
    }

    #[test]
    fn clusters_lie_within_a_gpc() {
        let chip = Chip::named("sm_90a").expect("a chip");
        assert_eq!([1, 2, 4, 8].map(|blocks| chip.blocks_at_once(blocks)), [132, 132, 120, 120]);
    }

    #[test]
    fn a_description_stands_for_chips_with_as_much_shared_memory() {
        let named = |name| Chip::named(name).map(|chip| chip.name.as_str());
        assert_eq!(named("sm_90a"), Some("sm_90a"));
        assert_eq!((named("sm_86"), named("sm_87")), (Some("sm_89"), Some("sm_80")));
        assert_eq!(named("sm_121"), Some("sm_120a"));
        assert_eq!((named("sm_70"), named("gfx90a")), (None, None));
    }
}
