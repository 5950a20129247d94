//! The mainloop of warps, decided before any operation is emitted: the MMA atom, copy atoms, partitions, threads and
//! bytes. Everything that can be refused is refused here.

use crate::matmul::{
    mainloop::{
        bulk_copy::{arranged, whole_blocks},
        known, shared_memory, warpgroups,
    },
    operand::Operand,
    partition::{self, Major, WARP},
    problem::Problem,
};
use layout_algebra::{Conflicts, Term};
use layout_dialect::atoms::{self, Atom, CopyKind, MmaAtom};

/// How one input operand travels: global to shared to registers.
pub(crate) struct InputPlan {
    /// Tile extents: rows of M or N, then K.
    pub(crate) tile: (i64, i64),
    /// Global to shared.
    pub(crate) copy: &'static Atom,
    /// Term: how the block's threads share the copy of a tile.
    pub(crate) copy_partition: String,
    /// Term: the shared buffer, all stages.
    pub(crate) shared: String,
    /// Elements that it reaches.
    pub(crate) elements: i64,
    /// Its bank conflicts, of the copies to it and the loads from it.
    pub(crate) conflicts: Vec<Conflicts>,
    /// Shared to registers.
    pub(crate) load: &'static Atom,
    /// Term: the addresses that each lane gives.
    pub(crate) load_partition: String,
    /// Registers of one k-step, as the MMA atom wants them: `(values, atoms)`.
    pub(crate) fragment: (i64, i64),
    /// Which modes of a tile may lie outside the operand.
    pub(crate) ragged: (bool, bool),
}

/// All choices of one matmul.
pub(crate) struct Plan {
    pub(crate) m: i64,
    pub(crate) n: i64,
    pub(crate) k: i64,
    /// Products, where there is a batch of them.
    pub(crate) batch: Option<i64>,
    pub(crate) tile: (i64, i64, i64),
    pub(crate) warps: (i64, i64),
    pub(crate) stages: i64,
    pub(crate) threads: i64,
    pub(crate) chip: String,
    pub(crate) mma: &'static Atom,
    pub(crate) a: InputPlan,
    pub(crate) b: InputPlan,
    /// Registers to global.
    pub(crate) store: &'static Atom,
    /// Term: where the accumulators go in a tile of C.
    pub(crate) store_partition: String,
    /// Accumulators of a thread: `(values, atoms along M, atoms along N)`.
    pub(crate) accumulators: (i64, i64, i64),
    /// MMA steps along K in one tile.
    pub(crate) k_steps: i64,
}

impl Plan {
    /// Decides everything, or says what does not fit.
    pub(crate) fn new(problem: &Problem<'_>) -> Result<Self, String> {
        let element_bytes = problem.input_bytes;
        let schedule = problem.schedule;
        let (bm, bn, bk) = schedule.tile;
        let (wm, wn) = schedule.warps;
        let stages = schedule.stages;
        let chip = schedule.chip.clone();
        if let Some(key) = warpgroups::key_of_warpgroups(schedule) {
            return Err(format!(
                "expected no '{key}' in a schedule without warpgroups, which have a multiple of 4 \
                 warps along M, found {wm}"
            ));
        }
        let [a_name, b_name] = problem.names();
        let a = Operand::new(a_name, problem.left())?;
        let b = Operand::new(b_name, problem.right())?;
        let c = Operand::new("C", problem.result())?;
        let (m, k) = a.extent;
        let n = b.extent.0;

        let mma = match &schedule.mma {
            Some(name) => known(name)?,
            None => atoms::for_warp(problem.input).ok_or_else(|| {
                format!("expected operands that a warp multiplies, found {}", problem.input)
            })?,
        };
        let name = mma.name;
        let tiled = mma.mma().ok_or_else(|| format!("expected an MMA atom, found {name}"))?;
        if tiled.operand != problem.input {
            return Err(format!(
                "expected operands of {} for the atom {name}, found {}",
                tiled.operand, problem.input
            ));
        }
        let (am, an, ak) = tiled.extent;
        let limit = atoms::shared_limit(&chip).ok_or_else(|| {
            format!("expected a chip from sm_80 on that this pass knows, found {chip}")
        })?;
        if !mma.runs_on(&chip) {
            return Err(format!(
                "expected a chip from {} on for the atom {name}, found {chip}",
                mma.min_chip()
            ));
        }

        let b_load = load(tiled, &b, element_bytes)?;
        // One ldmatrix.x4 feeds one atom of A and two of B.
        let paired = b_load.copy_kind() != Some(CopyKind::Simt);
        let columns = match paired {
            true => ("warps along N times twice the atom's N", wn.checked_mul(2 * an)),
            false => ("warps along N times the atom's N", wn.checked_mul(an)),
        };
        let divisible = [
            ("tile M", bm, "warps along M times the atom's M", wm.checked_mul(am)),
            ("tile N", bn, columns.0, columns.1),
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
        if stages < 2 {
            return Err(format!("expected at least 2 stages, found {stages}"));
        }
        let threads = WARP * wm * wn;
        if threads > 1024 {
            return Err(format!(
                "expected at most 32 warps (1024 threads) in a block, found {wm} x {wn}"
            ));
        }
        let bytes = bm
            .checked_add(bn)
            .and_then(|rows| rows.checked_mul(bk))
            .and_then(|elements| elements.checked_mul(stages.saturating_mul(element_bytes)))
            .unwrap_or(i64::MAX);
        if bytes > limit {
            return Err(format!(
                "expected at most {limit} bytes of shared memory on {chip}, found {bytes} for \
                 {stages} stages of ({bm}+{bn})x{bk} elements"
            ));
        }

        for (name, layout, tile, bytes) in [
            (a_name, problem.a, (bm, bk), element_bytes),
            (b_name, problem.b, (bn, bk), element_bytes),
            ("C", problem.c, (bm, bn), problem.output_bits / 8),
        ] {
            whole_blocks(name, layout, tile, bytes)?;
        }
        let warp_tile = (bm / wm, bn / wn);
        let input = |operand: Operand,
                     strided: bool,
                     load: &'static Atom,
                     (rows, warp_rows): (i64, i64),
                     fragment: (i64, i64),
                     (atom_tile, tv): ((i64, i64), &str)| {
            let tile = (rows, bk);
            // The widest vectors that the threads cover a tile with, or else elements along the other mode.
            let narrower = std::iter::successors(Some(operand.vector), |&vector| {
                if vector > 1 { Some(vector / 2) } else { None }
            });
            let mut ways = narrower
                .map(|vector| (operand.major, vector))
                .chain([(Major::Reduction, 1), (Major::Outer, 1)]);
            let covered = |&(major, vector): &(Major, i64)| {
                partition::copy(tile, threads, major, vector).is_ok()
            };
            let (major, vector) = ways.find(covered).unwrap_or((operand.major, operand.vector));
            let copy_name = match vector * element_bytes {
                // What stands at strides that are known at run time is copied element by element.
                bytes @ (4 | 8 | 16) if !strided => format!("cp_async_{bytes}"),
                _ => "simt_1".to_owned(),
            };
            let warp_tile = (warp_rows, bk);
            let load_partition = match load.copy_kind() {
                Some(CopyKind::Simt) => partition::fragment(tile, warp_tile, atom_tile, tv),
                _ => {
                    let copy = (load, element_bytes);
                    partition::collective_source(tile, warp_tile, atom_tile, tv, copy)?
                }
            };
            let ragged = (operand.extent.0 % rows != 0, true);
            let copy_partition = partition::copy(tile, threads, major, vector)?;
            let copy = known(&copy_name)?;
            let at_once = |atom: &Atom| atom.elements(element_bytes).unwrap_or(1);
            let accesses = [
                shared_memory::access(&copy_partition, at_once(copy)),
                shared_memory::access_of_warps(&load_partition, at_once(load)),
            ];
            let shared =
                shared_memory::shared(tile, stages, operand.major, element_bytes, &accesses);
            // A swizzle may reach past what the inner layout does.
            let elements = Term::parse(&shared.term)
                .and_then(|term| term.eval_layout()?.cosize())
                .map_err(|error| error.to_string())?;
            Ok::<_, String>(InputPlan {
                tile,
                copy,
                copy_partition,
                shared: shared.term,
                elements,
                conflicts: shared.conflicts,
                load,
                load_partition,
                fragment,
                ragged,
            })
        };
        let a_load = load(tiled, &a, element_bytes)?;
        let fragment = (tiled.a_values, warp_tile.0 / am);
        let [a_strided, b_strided, _] = problem.strided;
        let a_plan =
            input(a, a_strided, a_load, (bm, warp_tile.0), fragment, ((am, ak), &tiled.a))?;
        let fragment = (tiled.b_values, warp_tile.1 / an);
        let (b_tile, b_tv) = match paired {
            true => partition::paired((an, ak), &tiled.b),
            false => ((an, ak), tiled.b.clone()),
        };
        let b_plan = input(b, b_strided, b_load, (bn, warp_tile.1), fragment, (b_tile, &b_tv))?;

        // The accumulators' first value mode runs along N, where a lane has several.
        let store_vector = match c.major {
            Major::Reduction if !tiled.is_scalar() => c.vector.min(2),
            _ => 1,
        };
        Ok(Self {
            m,
            n,
            k,
            batch: c.batch,
            tile: (bm, bn, bk),
            warps: (wm, wn),
            stages,
            threads,
            chip,
            mma,
            a: a_plan,
            b: b_plan,
            store: known(&format!("simt_{store_vector}"))?,
            store_partition: partition::fragment((bm, bn), warp_tile, (am, an), &tiled.c),
            accumulators: (tiled.c_values, warp_tile.0 / am, warp_tile.1 / an),
            k_steps: bk / ak,
        })
    }

    /// Refuses blocks of A, B and C in which the elements of a thread are no layout.
    pub(crate) fn is_arranged(&self, problem: &Problem<'_>) -> Result<(), String> {
        let [a, b] = problem.names();
        let tile = (self.tile.0, self.tile.1);
        arranged(a, problem.a, self.a.tile, &self.a.copy_partition)?;
        arranged(b, problem.b, self.b.tile, &self.b.copy_partition)?;
        arranged("C", problem.c, tile, &self.store_partition)
    }

    /// The bank conflicts of what accesses shared memory.
    pub(crate) fn conflicts(&self) -> [(&'static str, &[Conflicts]); 2] {
        [("A", &self.a.conflicts), ("B", &self.b.conflicts)]
    }

    /// Tiles along M and N.
    pub(crate) fn tiles(&self) -> (i64, i64) {
        let cover = |extent: i64, tile: i64| (extent - 1) / tile + 1;
        (cover(self.m, self.tile.0), cover(self.n, self.tile.1))
    }

    /// Blocks along x and y: the tiles along M of all matrices of a batch, and those along N.
    pub(crate) fn grid(&self) -> (i64, i64) {
        let (rows, columns) = self.tiles();
        (rows.saturating_mul(self.batch.unwrap_or(1)), columns)
    }

    /// Blocks, one for each tile of each matrix of a batch.
    pub(crate) fn blocks(&self) -> i64 {
        let (rows, columns) = self.grid();
        rows.saturating_mul(columns)
    }
}

/// What brings an operand from shared memory to the registers of an atom: a collective copy, where
/// there is one for its elements and its order, else each thread what it needs.
fn load(mma: &MmaAtom, operand: &Operand, element_bytes: i64) -> Result<&'static Atom, String> {
    let collective = match operand.major {
        Major::Reduction => known("ldmatrix_x4")?,
        Major::Outer => known("ldmatrix_x4_trans")?,
    };
    // The fragments of the other atoms are no matrices of 8 by 8.
    let fits = mma.extent.0 == 16 && collective.elements(element_bytes).is_some();
    if fits { Ok(collective) } else { known("simt_1") }
}
