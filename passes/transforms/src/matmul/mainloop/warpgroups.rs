//! The mainloop of warpgroups, decided before any operation is emitted: bulk copies to shared memory, and `wgmma` of
//! tiles there, or of A in registers.

use crate::matmul::{
    emit::{Emit, Emitted},
    epilogue::store::Store,
    mainloop::{
        bulk_copy::{Rows, is_loaded, whole_blocks},
        known,
        register_operand::{self, Held},
        shared_memory,
    },
    operand::{Memory, Operand},
    partition::{self, Major, WARP},
    problem::Problem,
    scheduler::{raster::RASTER_LIMIT, split_k::Partial, stream_k::StreamK},
};
use layout_algebra::{Conflicts, Layout};
use layout_dialect::{
    Space,
    atoms::{self, Atom, BESIDE_ACCUMULATORS, WARPGROUP, shared_matrix},
    build::{Val, result},
    schedule::Schedule,
};

/// Warps of a warpgroup, which stand along M.
const GROUP_WARPS: i64 = WARPGROUP / WARP;

/// Bytes from which on an operand would push most of what the second-level cache holds out of it:
/// more than half of the 50 MB of Hopper's.
const STREAMED_BYTES: i64 = 32 << 20;

/// Tiles that may read the same of a streamed operand, at once: measured were one and two.
const STREAM_READERS: i64 = 2;

/// How one input operand travels: global to shared memory.
pub(crate) struct InputPlan {
    /// The operand's extents.
    pub(crate) extent: (i64, i64),
    /// Tile extents: rows of M or N, then K.
    pub(crate) tile: (i64, i64),
    /// Term: the shared buffer, all stages.
    pub(crate) shared: String,
    /// The bank conflicts of what reads it.
    pub(crate) conflicts: Vec<Conflicts>,
    /// Term: the tiles that the instruction reads, by warpgroup; or what is loaded to registers, by lane,
    /// warp and warpgroup.
    pub(crate) fragments: String,
    /// Where the instruction reads registers.
    pub(crate) held: Option<Held>,
    /// Whether it passes through the second-level cache once, and had better leave it at once.
    pub(crate) streamed: bool,
}

/// All choices of one matmul.
pub(crate) struct WarpgroupPlan {
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) k: i64,
    /// Products, where there is a batch of them.
    pub(crate) batch: Option<i64>,
    pub(crate) tile: (i64, i64, i64),
    /// Warpgroups of a team along M and N.
    pub(crate) groups: (i64, i64),
    /// Teams that take tiles in turns.
    pub(crate) teams: i64,
    pub(crate) stages: i64,
    pub(crate) chip: String,
    pub(crate) mma: &'static Atom,
    pub(crate) load: &'static Atom,
    pub(crate) a: InputPlan,
    pub(crate) b: InputPlan,
    pub(crate) store: Store,
    /// Term: where the accumulators belong in a tile of C.
    pub(crate) sums: String,
    /// Accumulators of a thread: `(values, atoms along M, atoms along N)`.
    pub(crate) accumulators: (i64, i64, i64),
    /// Whether the sums over each tile along K are formed apart.
    pub(crate) promote: bool,
    /// Whether A and B changed roles, so that C is seen transposed.
    pub(crate) swap_ab: bool,
    /// Blocks along M and N that load for each other.
    pub(crate) cluster: (i64, i64),
    /// Where K is summed up in parts: the partial sums.
    pub(crate) partial: Option<Partial>,
    /// Whether one tile covers the rows of C, and its columns, whatever they are at run time.
    pub(crate) covered: (bool, bool),
    /// Where blocks take equal shares of all tiles along K.
    pub(crate) stream_k: Option<StreamK>,
    raster: Option<Layout>,
}

/// Blocks of a cluster that every device with clusters can run.
const MOST_BLOCKS: i64 = 8;

impl WarpgroupPlan {
    /// Whether a schedule asks for warpgroups: by its atom, or by four warps or more along M, with a
    /// key that only they have, or on a chip that has them where every operand allows it.
    pub(crate) fn wanted(problem: &Problem<'_>) -> bool {
        let schedule = problem.schedule;
        let named = schedule.mma.as_deref().and_then(atoms::lookup).and_then(Atom::mma);
        match named {
            Some(mma) => mma.b_space == Space::Shared,
            None => {
                schedule.warps.0 % GROUP_WARPS == 0
                    && (key_of_warpgroups(schedule).is_some() || Self::new(problem).is_ok())
            }
        }
    }

    /// Decides everything, or says what does not fit.
    pub(crate) fn new(problem: &Problem<'_>) -> Result<Self, String> {
        let element_bytes = problem.input_bytes;
        let schedule = problem.schedule;
        let (bm, bn, bk) = schedule.tile;
        let (wm, wn) = schedule.warps;
        let chip = schedule.chip.clone();
        if wm % GROUP_WARPS != 0 {
            return Err(format!(
                "expected a multiple of {GROUP_WARPS} warps along M, the warps of a warpgroup, \
                 found {wm}"
            ));
        }
        let groups = (wm / GROUP_WARPS, wn);
        let mma = match &schedule.mma {
            Some(name) => known(name)?,
            None => atoms::for_warpgroup(problem.input, bn / wn).ok_or_else(|| {
                format!(
                    "expected columns and operands that wgmma multiplies, found {} of {}",
                    bn / wn,
                    problem.input
                )
            })?,
        };
        let name = mma.name;
        let tiled = mma
            .mma()
            .filter(|tiled| tiled.b_space == Space::Shared)
            .ok_or_else(|| format!("expected a wgmma atom, found {name}"))?;
        if tiled.operand != problem.input {
            return Err(format!(
                "expected operands of {} for the atom {name}, found {}",
                tiled.operand, problem.input
            ));
        }
        if !mma.runs_on(&chip) {
            return Err(format!(
                "expected the chip {} for the atom {name}, found {chip}",
                mma.min_chip()
            ));
        }
        let (am, an, ak) = tiled.extent;
        let divisible = [
            ("tile M", bm, "warpgroups along M times the atom's M", groups.0.checked_mul(am)),
            ("tile N", bn, "warps along N times the atom's N", groups.1.checked_mul(an)),
            ("tile K", bk, "the atom's K", Some(ak)),
        ];
        for (what, extent, by, divisor) in divisible {
            match divisor {
                Some(divisor) if divisor > 0 && extent > 0 && extent % divisor == 0 => {}
                _ => {
                    let divisor = divisor.unwrap_or(i64::MAX);
                    return Err(format!(
                        "expected {what} to be a positive multiple of {divisor} ({by}), found {extent}"
                    ));
                }
            }
        }
        let (cm, cn) = schedule.cluster;
        if cm.saturating_mul(cn) > MOST_BLOCKS {
            return Err(format!(
                "expected at most {MOST_BLOCKS} blocks in a cluster, found ({cm},{cn})"
            ));
        }
        let teams = schedule.ping_pong;
        let consumers = (groups.0 * groups.1).saturating_mul(teams);
        if consumers > 7 {
            return Err(format!(
                "expected at most 7 warpgroups that multiply, beside the one that loads, found \
                 {consumers}"
            ));
        }
        let registers = atoms::consumer_registers(consumers);
        let sums = (bm / groups.0) * (bn / groups.1) / WARPGROUP;
        // Sums that are formed apart are one instruction's at a time.
        let held = if schedule.promote { sums + tiled.c_values } else { sums };
        let in_registers = tiled.a_space == Space::Register;
        let at_once = match in_registers && held + BESIDE_ACCUMULATORS <= registers {
            true => {
                register_operand::steps(tiled, schedule, element_bytes, groups, (held, registers))?
            }
            false => 0,
        };
        if held + BESIDE_ACCUMULATORS > registers {
            return Err(format!(
                "expected a tile whose accumulators leave a thread {BESIDE_ACCUMULATORS} of its \
                 {registers} registers, found {held} accumulators in ({bm},{bn}) of {consumers} \
                 warpgroups"
            ));
        }
        let stages = schedule.stages;
        let limit = atoms::shared_limit(&chip)
            .ok_or_else(|| format!("expected a chip that this pass knows, found {chip}"))?;
        let bytes = bm
            .checked_add(bn)
            .and_then(|rows| rows.checked_mul(bk))
            .and_then(|elements| elements.checked_mul(stages.saturating_mul(element_bytes)))
            // Barriers take one more piece of the alignment of shared buffers.
            .and_then(|bytes| bytes.checked_add(1024))
            .unwrap_or(i64::MAX);
        if bytes > limit {
            return Err(format!(
                "expected at most {limit} bytes of shared memory on {chip}, found {bytes} for \
                 {stages} stages of ({bm}+{bn})x{bk} elements and their barriers"
            ));
        }
        let warp_tile = (bm / groups.0, bn / groups.1);
        let input = |name: &str,
                     memory: Memory<'_>,
                     (rows, warp_rows): (i64, i64),
                     tv: &str,
                     ar: i64,
                     blocks| {
            let tile = (rows, bk);
            let Memory { layout, .. } = memory;
            let Rows { major, width } = Rows::of(name, memory, tile)?;
            let modes = layout.modes();
            let held = in_registers && ar == am && tv == tiled.a;
            if major == Major::Outer && !held && !shared_matrix::transposes(element_bytes) {
                let (rows, columns) = (modes[0].size(), modes[1].size());
                return Err(format!(
                    "expected {name} with stride 1 along K for {}, which reads elements of \
                     {element_bytes} bytes from K-major tiles only, found {layout}; \
                     ({rows},{columns}):({columns},1) would do",
                    mma.name
                ));
            }
            let (warp_tile, atom_tile) = ((warp_rows, bk), (ar, ak));
            let (fragments, held) = if held {
                let held = Held::new(tiled, major, element_bytes, (warp_rows / ar, at_once))?;
                let copy = (held.copy, element_bytes);
                let source = partition::held_source(tile, warp_tile, atom_tile, tv, copy);
                (source, Some(held))
            } else {
                (partition::fragment(tile, warp_tile, atom_tile, tv), None)
            };
            let access = match &held {
                Some(held) => {
                    let at_once = held.copy.elements(element_bytes).unwrap_or(1);
                    shared_memory::access_of_held(&fragments, at_once)
                }
                None => shared_memory::matrices(tile, major, element_bytes),
            };
            // An instruction's tile begins where a row does.
            let whole = major == Major::Outer && held.is_none();
            let width = if whole { width | ar } else { width };
            let (width, conflicts) =
                shared_memory::loaded(tile, width, major, element_bytes, access);
            let stage = partition::bulk_shared(tile, width, 1, major, element_bytes);
            is_loaded(layout, tile, &stage, element_bytes, blocks)?;
            Ok::<_, String>(InputPlan {
                extent: (modes[0].size(), modes[1].size()),
                tile,
                shared: partition::bulk_shared(tile, width, stages, major, element_bytes),
                conflicts,
                fragments,
                held,
                streamed: false,
            })
        };
        let [a_name, b_name] = problem.names();
        let mut a = input(a_name, problem.left(), (bm, warp_tile.0), &tiled.a, am, cn)?;
        let mut b = input(b_name, problem.right(), (bn, warp_tile.1), &tiled.b, an, cm)?;
        let covered = problem.is_covered((bm, bn));
        let rows = if covered.0 { bm } else { a.extent.0 };
        let columns = if covered.1 { bn } else { b.extent.0 };
        // A block beyond them in a mode that is one tile would have that tile again.
        for (mode, extent, tile, blocks) in [("M", rows, bm, cm), ("N", columns, bn, cn)] {
            let tiles = (extent - 1) / tile + 1;
            if blocks > tiles {
                return Err(format!(
                    "expected a cluster of no more blocks along {mode} than C has tiles there, \
                     {tiles}, found {blocks}"
                ));
            }
        }
        let tiles = |extent: i64, tile: i64, cluster: i64| {
            let clusters = ((extent - 1) / tile + 1 - 1) / cluster + 1;
            clusters * cluster
        };
        let extent = (tiles(rows, bm, cm) * bm, tiles(columns, bn, cn) * bn);
        let k_tiles = (a.extent.1 - 1) / bk + 1;
        if schedule.split_k > k_tiles {
            return Err(format!(
                "expected at most {k_tiles} for 'split_k', the tiles along K, found {}",
                schedule.split_k
            ));
        }
        if schedule.promote && tiled.output != "f32" {
            return Err(format!(
                "expected sums of f32 for 'promote', found sums of {}",
                tiled.output
            ));
        }
        if schedule.split_k != 1 && tiled.output != "f32" {
            return Err(format!(
                "expected sums of f32 for 'split_k', found sums of {}",
                tiled.output
            ));
        }
        whole_blocks("C", problem.c, (bm, bn), problem.output_bits / 8)?;
        let partial = match schedule.split_k {
            1 => None,
            count => {
                let c = Operand::new("C", problem.result())?;
                Some(Partial::new(extent, c.batch, count, c.major)?)
            }
        };
        let store = match &partial {
            Some(partial) => Store::direct(
                Memory::workspace(&partial.layout, 4),
                (bm, bn),
                warp_tile,
                (am, an),
                &tiled.c,
            )?,
            None => {
                let space = limit - bytes;
                Store::new(problem, (bm, bn), warp_tile, tiled, consumers, space)?
            }
        };
        let clusters = (extent.0 / bm / cm, extent.1 / bn / cn);
        let batch = problem.batch();
        // Few tiles along the other mode read the same, and, in an order of ours, at the same time: of sizes that are
        // known at run time, as many as there may be.
        let most = problem.most();
        let at_most = |clusters: i64, most: Option<i64>, tile: i64, cluster: i64| match most {
            Some(most) => tiles(most.max(1), tile, cluster) / cluster,
            None => clusters,
        };
        let readers = (at_most(clusters.0, most.0, bm, cm), at_most(clusters.1, most.1, bn, cn));
        for (input, layout, readers) in
            [(&mut a, problem.a, readers.1), (&mut b, problem.b, readers.0)]
        {
            let (rows, columns) = input.extent;
            let products = batch.unwrap_or(1);
            // One matrix for all of a batch is read by the tiles of each.
            let (matrices, more) = match layout.mode(2) {
                Some(mode) if mode.flat().iter().all(|&(_, stride)| stride == 0) => (1, products),
                _ => (products, 1),
            };
            let readers = readers.saturating_mul(more);
            let bytes = rows.saturating_mul(columns).saturating_mul(element_bytes);
            let bytes = bytes.saturating_mul(matrices);
            let together = readers == 1 || schedule.raster.is_none();
            // Small products that two tiles read, one after the other, are slower so.
            let most = if batch.is_some() { 1 } else { STREAM_READERS };
            input.streamed = bytes >= STREAMED_BYTES && readers <= most && together;
        }
        let count = clusters.0 * clusters.1 * batch.unwrap_or(1);
        if let Some(raster) = &schedule.raster
            && !numbers(raster, count)
        {
            return Err(format!(
                "expected a raster that takes each of {count} tiles once, found {raster}"
            ));
        }
        let steps = (count.saturating_mul(cm.saturating_mul(cn)), k_tiles);
        let tiles = ((bm, bn), warp_tile);
        let stream_k = StreamK::new(schedule, steps, tiles, tiled, problem.result())?;
        Ok(Self {
            promote: schedule.promote,
            swap_ab: schedule.swap_ab,
            teams,
            cluster: schedule.cluster,
            covered,
            partial,
            stream_k,
            raster: schedule.raster.clone(),
            m: a.extent.0,
            n: b.extent.0,
            k: a.extent.1,
            batch,
            tile: (bm, bn, bk),
            groups,
            stages,
            chip,
            mma,
            load: known("bulk_tensor_load")?,
            a,
            b,
            store,
            sums: partition::fragment((bm, bn), warp_tile, (am, an), &tiled.c),
            accumulators: (tiled.c_values, warp_tile.0 / am, warp_tile.1 / an),
        })
    }

    /// Lets threads write C from their registers, whatever C allows.
    pub(crate) fn store_directly(&mut self, problem: &Problem<'_>) -> Result<(), String> {
        let Some(tiled) = self.mma.mma() else { return Ok(()) };
        let ((m, n, _), (am, an, _)) = (self.tile, tiled.extent);
        let group_tile = (m / self.groups.0, n / self.groups.1);
        self.store = Store::direct(problem.result(), (m, n), group_tile, (am, an), &tiled.c)?;
        Ok(())
    }

    /// Warpgroups that multiply, of all teams.
    pub(crate) fn groups(&self) -> i64 {
        self.groups.0 * self.groups.1 * self.teams
    }

    /// How many atoms a warpgroup has along N and along M, and how many pieces an atom has.
    pub(crate) fn pieces(&self) -> (i64, i64, i64) {
        let (values, down, across) = self.accumulators;
        match &self.store {
            Store::Direct { .. } => (across, down, 1),
            Store::Staged { piece, .. } => (across, down, values * WARPGROUP / (piece.0 * piece.1)),
        }
    }

    /// Threads that multiply.
    pub(crate) fn consumers(&self) -> i64 {
        WARPGROUP * self.groups()
    }

    /// Threads of a block: those, and the warpgroup that loads.
    pub(crate) fn threads(&self) -> i64 {
        self.consumers() + WARPGROUP
    }

    /// The bank conflicts of what accesses shared memory, in the roles of A and B.
    pub(crate) fn conflicts(&self) -> Vec<(&'static str, &[Conflicts])> {
        let inputs = [("A", &self.a.conflicts[..]), ("B", &self.b.conflicts[..])];
        let staged = match &self.store {
            Store::Staged { conflicts, .. } => Some(("C", &conflicts[..])),
            Store::Direct { .. } => None,
        };
        inputs.into_iter().chain(staged).collect()
    }

    /// Tiles along M and N, in whole clusters.
    pub(crate) fn tiles(&self) -> (i64, i64) {
        let cover = |extent: i64, tile: i64| (extent - 1) / tile + 1;
        let (cm, cn) = self.cluster;
        let rows = if self.covered.0 { 1 } else { cover(self.m, self.tile.0) };
        let columns = if self.covered.1 { 1 } else { cover(self.n, self.tile.1) };
        (cover(rows, cm) * cm, cover(columns, cn) * cn)
    }

    /// Tiles of all products of a batch.
    pub(crate) fn all_tiles(&self) -> i64 {
        let (rows, columns) = self.tiles();
        rows.saturating_mul(columns).saturating_mul(self.batch.unwrap_or(1))
    }

    /// A tile's extents, as what divides a matrix or a batch of them.
    pub(crate) fn tiler(&self, (rows, columns): (i64, i64)) -> String {
        match self.batch {
            None => format!("({rows},{columns})"),
            Some(_) => format!("({rows},{columns},1)"),
        }
    }

    /// What names a tile of a matrix, or of a batch of them.
    pub(crate) fn place(&self) -> &'static str {
        if self.batch.is_some() { "(?,?,?)" } else { "(?,?)" }
    }

    /// The coordinates of a tile by its number in the order of tiles, which is [`Self::raster`].
    pub(crate) fn place_of<'c>(
        &self,
        e: &Emit<'c>,
        raster: Val<'c>,
        tile: Val<'c>,
    ) -> Emitted<Vec<Val<'c>>> {
        let number = e.crd2idx(raster, "?", &[tile])?;
        let (rows, columns) = self.tiles();
        let shape = match self.batch {
            None => format!("({rows},{columns})"),
            Some(batch) => format!("({rows},{columns},{batch})"),
        };
        let coordinates = e.idx2crd(number, &shape)?;
        Ok((0..if self.batch.is_some() { 3 } else { 2 }).map(|i| result(coordinates, i)).collect())
    }

    /// In how many parts K is summed up.
    pub(crate) fn splits(&self) -> i64 {
        self.partial.as_ref().map_or(1, |partial| partial.count)
    }

    /// Tiles along K that a block sums up.
    pub(crate) fn depth(&self) -> i64 {
        ((self.k - 1) / self.tile.2 + 1 - 1) / self.splits() + 1
    }

    /// The order in which blocks take tiles: a layout from their number to the column-major number
    /// of a tile of C, of one product of a batch after the other. The blocks of a cluster take a
    /// cluster of tiles.
    pub(crate) fn raster(&self) -> String {
        let (rows, columns) = self.tiles();
        let (cm, cn) = self.cluster;
        let order = match (&self.raster, self.batch) {
            (Some(raster), _) => raster.to_string(),
            (None, None) => Self::groups_along_m(rows / cm, columns / cn),
            (None, Some(batch)) => {
                let order = Self::groups_along_m(rows / cm, columns / cn);
                format!("make_layout({order}, {batch}:{})", rows / cm * (columns / cn))
            }
        };
        if self.cluster == (1, 1) {
            return order;
        }
        let clusters = match self.batch {
            None => format!("({},{}):({cm},{})", rows / cm, columns / cn, rows * cn),
            Some(batch) => format!(
                "({},{},{batch}):({cm},{},{})",
                rows / cm,
                columns / cn,
                rows * cn,
                rows * columns
            ),
        };
        format!("make_layout(({cm},{cn}):(1,{rows}), composition({clusters}, {order}))")
    }

    /// Along M in groups, and along N from group to group.
    fn groups_along_m(rows: i64, columns: i64) -> String {
        let group = (1..=rows.min(RASTER_LIMIT)).rev().find(|&group| rows % group == 0);
        let group = match group {
            Some(group) if group >= RASTER_LIMIT / 4 => group,
            _ => rows,
        };
        format!("({group},{columns},{}):(1,{rows},{group})", rows / group)
    }
}

/// A key of the schedule that only warpgroups have, if it gives one.
pub(crate) fn key_of_warpgroups(schedule: &Schedule) -> Option<&'static str> {
    let keys = [
        ("promote", schedule.promote),
        ("cluster", schedule.cluster != (1, 1)),
        ("split_k", schedule.split_k != 1),
        ("stream_k", schedule.stream_k.is_some()),
        ("ping_pong", schedule.ping_pong != 1),
        ("epilogue_stages", schedule.epilogue_stages.is_some()),
        ("raster", schedule.raster.is_some()),
    ];
    keys.into_iter().find(|&(_, given)| given).map(|(key, _)| key)
}

/// Whether a layout's values are the numbers below `count`, each once.
fn numbers(layout: &Layout, count: i64) -> bool {
    layout.size() == count && layout.right_inverse().is_ok_and(|inverse| inverse.size() == count)
}
