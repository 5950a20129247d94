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
    /// The source of the figures, and which of them were measured.
    pub source: String,
    /// Streaming multiprocessors.
    pub multiprocessors: i64,
    /// Multiprocessors of each GPC; a cluster runs within one. Empty for a chip without clusters.
    pub gpcs: Vec<i64>,
    /// The clock of the peak rates, in MHz.
    pub clock_mhz: f64,
    /// Multiply-adds of a multiprocessor's tensor cores in a clock, for elements of one byte; half as many for two
    /// bytes, a quarter for four.
    pub byte_products_per_clock: f64,
    /// The fraction of that rate that `mma.sync` reaches: less than 1 if only `wgmma` reaches it.
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
    /// The fractions of these rates that kernels reach, and times that do not depend on them.
    pub constants: Constants,
}

/// The constants that the model is fitted by: parts of the chip's rates that kernels reach, and times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constants {
    /// Time of any kernel: its launch, its first loads and its last stores.
    pub start: f64,
    /// Time of MMAs, relative to the chip's peak.
    pub multiply: f64,
    /// Slowdown of a single warpgroup of 64 rows.
    pub single: f64,
    /// Slowdown of warpgroups with several atoms of 64 rows each.
    pub several: f64,
    /// Fixed cost of a warpgroup's atom, in columns.
    pub columns: f64,
    /// Time of a byte through shared memory, to which loads write and from which MMAs of warpgroups read, relative to its peak.
    pub shared: f64,
    /// Time of a block's loads, relative to the multiprocessor's peak.
    pub load: f64,
    /// Slowdown of loads whose rows lie across cache lines.
    pub across: f64,
    /// Slowdown of loads of operands that are contiguous along M or N.
    pub outer: f64,
    /// The least number of rows of such a load that its time depends on: fewer take as long. For elements of two bytes.
    pub short: f64,
    /// The time of a multicast load, relative to that of its share of bytes.
    pub multicast: f64,
    /// Time from a load to its data, in µs.
    pub latency: f64,
    /// Overhead of a step along K, in µs.
    pub step: f64,
    /// Overhead of a tile beside its steps and its store, in µs.
    pub tile: f64,
    /// Time of a tile's store, relative to the multiprocessor's share of peak bandwidth.
    pub store: f64,
    /// Overhead of a piece of a store, in µs.
    pub piece: f64,
    /// Slowdown of a store without bulk copies.
    pub direct: f64,
    /// The exposed fraction of a tile's beginning and store while another warpgroup multiplies.
    pub hidden: f64,
    /// The exposed fraction of a store whose pieces wait for the next tile's steps.
    pub deferred: f64,
    /// Time of a byte through memory, relative to peak bandwidth.
    pub memory: f64,
    /// The fraction of reloaded bytes that pass through memory, if operands are larger than the L2 cache.
    pub again: f64,
    /// The fraction of an operand's memory time that is added if distant blocks read it at once.
    pub distant: f64,
    /// The fraction for reloaded bytes of stream-K, whose blocks are at different places of K.
    pub scattered: f64,
    /// The fraction of the L2 cache beyond which reloading begins.
    pub cache: f64,
    /// Slowdown of memory for segments of 128 bytes.
    pub segment: f64,
    /// Time of a byte from the L2 cache, relative to its peak.
    pub level_2: f64,
    /// Time of the addition of partial results, in µs.
    pub sum: f64,
    /// Time of a byte of partial results, relative to one from the L2 cache.
    pub parts: f64,
    /// Time of launching clusters, in µs.
    pub cluster: f64,
    /// Overhead of a step along K in a cluster, whose blocks wait for each other, in µs.
    pub together: f64,
    /// Overhead of a relayout copy of an operand before the kernel, in µs.
    pub copy: f64,
    /// The exponent of the overlap of MMAs, memory and the L2 cache: 1 adds their times, a large one takes the maximum.
    pub overlap: f64,
}

static CHIPS: LazyLock<Vec<Chip>> = LazyLock::new(|| {
    // The files are part of the program, and a test reads each.
    FILES.iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
});

impl Chip {
    /// All chips, oldest first.
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

    /// The names of all chips that a description applies to, as a list.
    #[must_use]
    pub fn known() -> String {
        let one = |chip: &'static Self| {
            chip.compute_capabilities.iter().map(move |&own| (own, own_name(own, &chip.name)))
        };
        let mut all: Vec<(u32, String)> = CHIPS.iter().flat_map(one).collect();
        all.sort_unstable();
        let names: Vec<String> = all.into_iter().map(|(_, name)| name).collect();
        names.join(", ")
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
    pub fn macs_per_us(&self, bytes: i64) -> f64 {
        self.byte_products_per_clock * self.clock_mhz / bytes.max(1) as f64
    }

    /// Bytes that a multiprocessor reads from the L2 cache in a microsecond, at most.
    #[must_use]
    pub fn loads_per_us(&self) -> f64 {
        self.level_2_bytes_per_clock * self.clock_mhz
    }
}

/// The name of a chip of a compute capability: that of the description, or one without a letter.
fn own_name(capability: u32, described: &str) -> String {
    match number(described) == Some(capability) {
        true => described.to_owned(),
        false => format!("sm_{capability}"),
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
    fn a_description_applies_to_chips_with_as_much_shared_memory() {
        let named = |name| Chip::named(name).map(|chip| chip.name.as_str());
        assert_eq!(named("sm_90a"), Some("sm_90a"));
        assert_eq!((named("sm_86"), named("sm_87")), (Some("sm_89"), Some("sm_80")));
        assert_eq!(named("sm_121"), Some("sm_120a"));
        assert_eq!((named("sm_70"), named("gfx90a")), (None, None));
        assert!(Chip::known().starts_with("sm_80, sm_86, sm_87, sm_89, sm_90a, sm_100a, "));
    }
}
