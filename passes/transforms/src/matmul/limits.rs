//! The conditions that chips, atoms and kernels put on a schedule, each once, whichever part checks them.
//!
//! A key that a schedule gives and that cannot be had is refused; nothing falls back to another path in silence. Imports
//! the problem and sizes.

use crate::matmul::{mainloop::known, problem::Problem};
use layout_dialect::{
    Space,
    atoms::{self, Atom, MmaAtom, WARP, WARPGROUP},
    schedule::Schedule,
};

/// Warps of a warpgroup, which are along M.
pub(crate) const GROUP_WARPS: i64 = WARPGROUP / WARP;

/// Blocks of a cluster that every device with clusters can run.
const MAX_CLUSTER_BLOCKS: i64 = 8;

/// Warpgroups of a block that multiply, at most, beside the one that loads.
const MAX_CONSUMERS: i64 = 7;

/// Which mainloop a schedule requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Warps: by its atom, its number of warps, or a chip that has no warpgroups.
    Warps,
    /// Warpgroups: by its atom, or by a key that only they have.
    Warpgroups,
    /// By nothing but four warps or more along M, on a chip that has warpgroups: these where all operands allow it.
    Either,
}

impl Request {
    pub(crate) fn of(schedule: &Schedule) -> Self {
        let named = schedule.mma.as_deref().and_then(atoms::lookup).and_then(Atom::mma);
        match named {
            Some(mma) if mma.b_space == Space::Shared => Self::Warpgroups,
            Some(_) => Self::Warps,
            None if schedule.warps.0 % GROUP_WARPS != 0 => Self::Warps,
            None if key_of_warpgroups(schedule).is_some() => Self::Warpgroups,
            // A key that shares K, or orders tiles, is for warpgroups there, and so is its refusal.
            None if has_warpgroups(&schedule.chip) => match key_of_scheduler(schedule) {
                Some(_) => Self::Warpgroups,
                None => Self::Either,
            },
            None => Self::Warps,
        }
    }
}

/// Whether a chip has instructions of warpgroups.
fn has_warpgroups(chip: &str) -> bool {
    atoms::for_warpgroup("bf16", 64).is_some_and(|atom| atom.runs_on(chip))
}

/// A key of the schedule that only warpgroups have, if it gives one: the second level of their accumulators, copies for all
/// blocks of a cluster, and what consumers do beside a producer.
fn key_of_warpgroups(schedule: &Schedule) -> Option<&'static str> {
    given([
        ("two_level_accumulation", schedule.two_level_accumulation),
        ("cluster", schedule.cluster != (1, 1)),
        ("ping_pong", schedule.ping_pong != 1),
        ("epilogue_stages", schedule.epilogue_stages.is_some()),
    ])
}

/// A key of the schedule that is one of its tile scheduler, if it gives one.
fn key_of_scheduler(schedule: &Schedule) -> Option<&'static str> {
    given([
        ("split_k", schedule.split_k != 1),
        ("stream_k", schedule.stream_k.is_some()),
        ("raster", schedule.raster.is_some()),
    ])
}

/// A key of a schedule with its value, as the schedule's text has them.
fn entry(schedule: &Schedule, key: &str) -> String {
    let text = schedule.to_string();
    let is_own = |entry: &&str| entry.split(" = ").next() == Some(key);
    text.split(", ").find(is_own).unwrap_or(key).to_owned()
}

/// The first of some keys that is given.
fn given<const N: usize>(keys: [(&'static str, bool); N]) -> Option<&'static str> {
    keys.into_iter().find(|&(_, given)| given).map(|(key, _)| key)
}

/// Keys that warps do not have.
pub(crate) fn on_warps(schedule: &Schedule) -> Result<(), String> {
    let Some(key) = key_of_warpgroups(schedule) else { return Ok(()) };
    let (warps, _) = schedule.warps;
    match (&schedule.mma, warps % GROUP_WARPS) {
        (Some(name), 0) => Err(format!(
            "expected no '{key}' in a schedule without warpgroups, whose atoms are those of wgmma, \
             found {name}"
        )),
        _ => Err(format!(
            "expected no '{key}' in a schedule without warpgroups, which have a multiple of \
             {GROUP_WARPS} warps along M, found {warps}"
        )),
    }
}

/// Warps, clusters and sets of warpgroups that a block cannot have; the warpgroups that multiply.
pub(crate) fn on_warpgroups(schedule: &Schedule) -> Result<i64, String> {
    let ((wm, wn), (cm, cn)) = (schedule.warps, schedule.cluster);
    if cm.saturating_mul(cn) > MAX_CLUSTER_BLOCKS {
        return Err(format!(
            "expected at most {MAX_CLUSTER_BLOCKS} blocks in a cluster, found ({cm},{cn})"
        ));
    }
    let consumers = (wm / GROUP_WARPS).saturating_mul(wn).saturating_mul(schedule.ping_pong);
    if consumers > MAX_CONSUMERS {
        return Err(format!(
            "expected at most {MAX_CONSUMERS} consumer warpgroups besides the producer warpgroup, found {consumers}"
        ));
    }
    Ok(consumers)
}

/// Keys that exclude each other, or that accumulators of an atom do not allow.
pub(crate) fn together(schedule: &Schedule, tiled: &MmaAtom) -> Result<(), String> {
    let work = match schedule.stream_k {
        None => None,
        Some(_) => given([
            ("split_k", schedule.split_k != 1),
            ("cluster", schedule.cluster != (1, 1)),
            ("ping_pong", schedule.ping_pong != 1),
        ]),
    };
    if let Some(key) = work {
        let found = entry(schedule, key);
        return Err(format!("expected no '{key}' in a schedule with 'stream_k', found {found}"));
    }
    if schedule.split_k != 1 && schedule.epilogue_stages.is_some() {
        return Err(format!(
            "expected no 'epilogue_stages' in a schedule with 'split_k', whose partial results each thread stores from registers, found {}",
            entry(schedule, "epilogue_stages")
        ));
    }
    let summed = given([
        ("two_level_accumulation", schedule.two_level_accumulation),
        ("split_k", schedule.split_k != 1),
        ("stream_k", schedule.stream_k.is_some()),
    ]);
    match summed {
        Some(key) if tiled.output != "f32" => Err(format!(
            "expected accumulators of f32 for '{key}', found accumulators of {}",
            tiled.output
        )),
        _ => Ok(()),
    }
}

/// Keys that a matmul with a second B does not have, whose accumulators are in the registers of one thread.
pub(crate) fn with_dual(problem: &Problem<'_>) -> Result<(), String> {
    let schedule = problem.schedule;
    if problem.dual.is_none() {
        return Ok(());
    }
    if problem.window.is_some() {
        return Err("expected a matrix as A of a matmul with a second B, found an image".to_owned());
    }
    let key = given([
        ("swap_ab", schedule.swap_ab),
        ("split_k", schedule.split_k != 1),
        ("stream_k", schedule.stream_k.is_some()),
    ]);
    match key {
        None => Ok(()),
        Some(key) => Err(format!(
            "expected no '{key}' in the schedule of a matmul with a second B, found {}",
            entry(schedule, key)
        )),
    }
}

/// The atom of the accumulators of one B, where `tiled` multiplies the `columns` columns that a warpgroup has of each of several.
pub(crate) fn of_one(
    tiled: &'static MmaAtom,
    factors: i64,
    columns: i64,
) -> Result<&'static MmaAtom, String> {
    let (m, n, k) = tiled.extent;
    let halves = |other: &&MmaAtom| {
        (other.a_space, other.b_space) == (tiled.a_space, tiled.b_space)
            && (other.operand, other.multiplicand) == (tiled.operand, tiled.multiplicand)
            && (other.output, other.accumulator) == (tiled.output, tiled.accumulator)
            && other.extent == (m, columns, k)
    };
    if factors == 1 {
        return Ok(tiled);
    }
    let mut atoms = atoms::all().iter().filter_map(Atom::mma);
    let found = atoms.find(halves).filter(|_| factors.checked_mul(columns) == Some(n));
    found.ok_or_else(|| {
        format!(
            "expected a tile of which one instruction multiplies the columns of both B, found {columns} columns \
             of each for an atom of {n}"
        )
    })
}

/// Keys that a kernel of several matmuls does not have.
pub(crate) fn in_group(schedule: &Schedule) -> Result<(), String> {
    match key_of_scheduler(schedule) {
        None => Ok(()),
        Some(key) => Err(format!(
            "expected no '{key}' where a function has several matmuls, found {}",
            entry(schedule, key)
        )),
    }
}

/// Bytes of a workspace of partial results of sizes that are known at run time, at most.
const MAX_PARTIALS: i64 = 64 << 20;

/// Whether the greatest sizes, of modes of C that one tile does not cover, leave the workspace of partial results, whose size is static, small.
fn holds_partials(problem: &Problem<'_>, (rows, columns): (bool, bool)) -> bool {
    let c = problem.c.modes();
    let most = problem.most();
    let open = [most.0.filter(|_| !rows), most.1.filter(|_| !columns)];
    if open == [None, None] {
        return true;
    }
    let extent = |mode: usize| open[mode].or_else(|| Some(c.get(mode)?.size()));
    let bytes = || {
        let one = extent(0)?.checked_mul(extent(1)?)?.checked_mul(4)?;
        one.checked_mul(problem.schedule.split_k)
    };
    bytes().is_some_and(|bytes| bytes <= MAX_PARTIALS)
}

/// Keys that kernels of sizes that are known at run time do not have, where one tile covers rows and columns of C, or
/// does not.
pub(crate) fn at_run_time(
    problem: &Problem<'_>,
    (rows, columns): (bool, bool),
) -> Result<(), String> {
    let Some(size) = problem.sizes.first() else { return Ok(()) };
    let schedule = problem.schedule;
    let is_open = |name: &str| problem.sizes.get(name).is_some();
    let parts = is_open("k") || is_open("batch") || !holds_partials(problem, (rows, columns));
    let key = given([
        ("split_k", schedule.split_k != 1 && parts),
        // A block has a workspace of its own for parts of tiles, however many tiles there are.
        ("stream_k", schedule.stream_k.is_some() && is_open("k")),
        // A layout is of so many tiles.
        ("raster", schedule.raster.is_some()),
        ("ping_pong", schedule.ping_pong != 1 && is_open("k")),
    ]);
    match key {
        None => Ok(()),
        Some(key) => Err(format!(
            "expected no '{key}' with sizes that are known at run time, found {} with '{size}'",
            entry(schedule, key)
        )),
    }
}

/// The atom that a schedule names, or else `usual`, for operands of a problem: one that multiplies them on its chip.
pub(crate) fn atom(
    problem: &Problem<'_>,
    usual: impl FnOnce() -> Result<&'static Atom, String>,
) -> Result<(&'static Atom, &'static MmaAtom), String> {
    let mma = match &problem.schedule.mma {
        Some(name) => known(name)?,
        None => usual()?,
    };
    let (name, chip) = (mma.name, &problem.schedule.chip);
    let tiled = mma.mma().ok_or_else(|| format!("expected an MMA atom, found {name}"))?;
    if tiled.operand != problem.input {
        return Err(format!(
            "expected operands of {} for the atom {name}, found {}",
            tiled.operand, problem.input
        ));
    }
    if atoms::shared_limit(chip).is_none() {
        return Err(format!("expected a chip from sm_80 on that this pass knows, found {chip}"));
    }
    if !mma.runs_on(chip) {
        let chips = match tiled.b_space {
            Space::Shared => format!("the chip {}", mma.min_chip()),
            _ => format!("a chip from {} on", mma.min_chip()),
        };
        return Err(format!("expected {chips} for the atom {name}, found {chip}"));
    }
    Ok((mma, tiled))
}

/// Extents of a tile that are no multiples of what divides it: name, extent, what it is divided by, and that number.
pub(crate) fn whole(divisions: [(&str, i64, &str, Option<i64>); 3]) -> Result<(), String> {
    for (what, extent, by, divisor) in divisions {
        let divisor = divisor.unwrap_or(i64::MAX);
        if divisor <= 0 || extent <= 0 || extent % divisor != 0 {
            return Err(format!(
                "expected {what} to be a positive multiple of {divisor} ({by}), found {extent}"
            ));
        }
    }
    Ok(())
}

/// Refuses stages that do not fit shared memory beside `barriers` bytes of barriers; else the bytes that are left.
pub(crate) fn stages(problem: &Problem<'_>, barriers: i64) -> Result<i64, String> {
    let Schedule { tile: (bm, bn, bk), stages, chip, .. } = problem.schedule;
    let limit = atoms::shared_limit(chip).unwrap_or(0);
    let factors = problem.factors();
    let row = |operand: usize| stages.checked_mul(problem.bytes_of(operand));
    let of = |rows: i64, operand: usize| {
        rows.checked_mul(*bk)
            .zip(row(operand))
            .and_then(|(elements, row)| elements.checked_mul(row))
    };
    let bytes = of(*bm, 0)
        .zip(of(bn.saturating_mul(factors), 1))
        .and_then(|(a, b)| a.checked_add(b))
        .and_then(|bytes| bytes.checked_add(barriers))
        .unwrap_or(i64::MAX);
    if bytes > limit {
        let barriers = if barriers == 0 { "" } else { " and their barriers" };
        let columns = if factors == 1 { bn.to_string() } else { format!("{factors}*{bn}") };
        return Err(format!(
            "expected at most {limit} bytes of shared memory on {chip}, found {bytes} for \
             {stages} stages of ({bm}+{columns})x{bk} elements{barriers}"
        ));
    }
    Ok(limit - bytes)
}
