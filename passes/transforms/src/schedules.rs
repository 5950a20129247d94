//! Chooses the schedule of a matmul for `auto`: that of the nearest problem in a table of measured ones; if none is
//! near, the schedule of the chip's space with the least estimated time; for several matmuls in one kernel, a schedule
//! of the table. Space and estimate are those of `layout-schedule`.
//!
//! `schedules.json` is the table, a row a line: a problem, the schedule that was fastest there, its
//! speed over cuBLASLt's, the run that says so, and why. `layout-run tune` writes rows. Rows of
//! `sm_80` hold for every later chip without rows of its own.

mod dual;
mod family;
mod mixed;
mod problem;
mod ranges;
mod together;
mod usual;

use crate::matmul::{self, limits::GROUP_WARPS};
use layout_dialect::{
    Choice, Schedule, ScheduleAttribute, atoms, build::context_of, diagnostics, ops, tree,
};
use layout_schedule::{Chip, Tiling, model, space};
use melior::ir::OperationRef;
use problem::{GRANULE, LINE, Problem, element_bytes, joined, problem};
use serde::Deserialize;

/// The table's text.
const TABLE: &str = include_str!("schedules.json");

/// The chip whose rows others without rows of their own take.
const COMMON_CHIP: &str = "sm_80";

/// A problem that was measured, and the schedule that was fastest.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The chip that the kernel was compiled for.
    chip: String,
    /// Element type of A and B.
    element: String,
    m: i64,
    n: i64,
    k: i64,
    /// The text of the schedule, without the chip.
    schedule: String,
    /// Its speed over cuBLASLt's in the record.
    ratio: f64,
    /// Where it was measured.
    device: String,
    /// The run in `test/Device/records/h200.jsonl`.
    record: String,
    /// Why this one.
    reason: String,
}

/// A schedule with these keys, and no others.
fn schedule(tiling: &Tiling, chip: &str) -> Schedule {
    let &Tiling { tile, warps, stages, swap_ab, cluster, split_k, stream_k, ping_pong } = tiling;
    Schedule {
        tile,
        warps,
        stages,
        mma: None,
        two_level_accumulation: false,
        swap_ab,
        cluster,
        split_k,
        stream_k,
        ping_pong,
        epilogue_stages: None,
        raster: None,
        chip: chip.to_owned(),
    }
}

/// The parts of a schedule that its time depends on.
pub(crate) fn tiling(schedule: &Schedule) -> Tiling {
    let &Schedule { tile, warps, stages, swap_ab, cluster, split_k, stream_k, ping_pong, .. } =
        schedule;
    Tiling { tile, warps, stages, swap_ab, cluster, split_k, stream_k, ping_pong }
}

/// How far a row may be from a GEMM that takes its schedule without an estimate, as [`distance`] has it: a
/// fifth in one extent.
const MAX_DISTANCE: f64 = 0.25;

/// How far a row may be from the GEMMs of a batch that take its schedule without an estimate: no row is a batch, and extents with
/// the same work as a batch do not represent other shapes, such as a few rows or a short K.
const MAX_BATCH_DISTANCE: f64 = 5.5;

/// The accumulators and elements of an epilogue's operands for which a thread has registers, beside addresses: with
/// 208, `ptxas` spills nothing, with 242 it does. A thread of three warpgroups has 128 registers.
const REGISTER_BUDGET: i64 = 210;
const REGISTER_BUDGET_OF_THREE: i64 = 110;

/// Gives every `layout.matmul` below `module` with the schedule `auto` one of the table, and
/// reports it in a remark.
///
/// # Errors
///
/// A diagnostic at each matmul for which the table has no row that fits.
pub(crate) fn choose(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let rows = table().map_err(|message| diagnostics::error(module, &message))?;
    dual::fuse(module, &rows).map_err(|error| {
        diagnostics::error(module, &format!("cannot build a matmul with a second B: {error}"));
    })?;
    let mut outcome = family::expand(module);
    together::mark(module, &rows);
    let functions = tree::inside(module, "func.func").into_iter();
    // Matmuls that become one kernel.
    let groups = functions
        .flat_map(|function| matmul::groups(function, &tree::inside(function, "layout.matmul")));
    for group in groups {
        let mut matmuls = Vec::with_capacity(group.len());
        for matmul in group {
            if let Ok(Choice::Auto { chip, .. }) = ops::choice(matmul) {
                matmuls.push((matmul, chip));
            }
        }
        let Some((first, _)) = matmuls.first() else { continue };
        let read = matmuls.iter().map(|(matmul, chip)| match family::is_known(*matmul) {
            true => problem(*matmul, chip.clone()),
            false => family::usual(*matmul, chip.clone()),
        });
        let chosen = read
            .collect::<Result<Vec<_>, _>>()
            .and_then(|problems| joined(problems).ok_or_else(|| "expected a matmul".to_owned()))
            .and_then(|problem| {
                let group: Vec<_> = matmuls.iter().map(|&(matmul, _)| matmul).collect();
                let chosen = ranked(&table()?, &problem, &|schedule| {
                    matmul::fits(&group, schedule).is_ok()
                })?;
                Ok((chosen.remark(), chosen.schedule))
            });
        match chosen {
            Ok((remark, schedule)) => {
                for (matmul, _) in &matmuls {
                    let attribute = ScheduleAttribute::new(context_of(*matmul), &schedule);
                    tree::set_attribute(*matmul, "schedule", attribute.into());
                }
                diagnostics::remark(*first, &remark);
            }
            Err(message) => {
                diagnostics::error(*first, &message);
                outcome = Err(());
            }
        }
    }
    outcome
}

fn table() -> Result<Vec<Row>, String> {
    serde_json::from_str(TABLE).map_err(|error| format!("the table of schedules: {error}"))
}

/// A schedule, and why it was chosen.
struct Chosen {
    schedule: Schedule,
    why: Reason,
}

/// Why a schedule was chosen.
enum Reason {
    /// The row of the nearest problem.
    Measured(Row),
    /// The row with which the busiest block has the least work, for a number of GEMMs.
    Several(Row, usize),
    /// The shortest of a number of estimated times.
    Estimated(usize),
    /// A tile is as high as the operand with few rows, so that the other one's elements are converted once.
    Mixed,
    /// Nothing is known of the chip and the elements.
    Usual,
}

impl Chosen {
    fn remark(&self) -> String {
        let chosen = format!("selected schedule <{}>", self.schedule);
        match &self.why {
            Reason::Measured(row) => {
                let &Row { m, n, k, ref reason, ratio, ref device, ref record, .. } = row;
                format!(
                    "{chosen}: that of {m}x{n}x{k} ({reason}; {ratio:.2} of cuBLASLt's speed on {device}, {record})"
                )
            }
            Reason::Several(Row { m, n, k, .. }, gemms) => format!(
                "{chosen}: that of {m}x{n}x{k}, with which the busiest block has the least work for {gemms} problems"
            ),
            Reason::Estimated(count) => {
                format!("{chosen}: fastest of {count} by the cost model")
            }
            Reason::Mixed => {
                format!("{chosen}: each element that is converted in registers is, once")
            }
            Reason::Usual => format!("{chosen}: none was measured for its elements and chip"),
        }
    }
}

/// Schedules that are tried for a problem, at most, before those that fit everything.
const TRIED: usize = 48;

/// The first schedule of a problem that fits.
fn ranked(
    rows: &[Row],
    problem: &Problem,
    fits: &dyn Fn(&Schedule) -> bool,
) -> Result<Chosen, String> {
    first_that_fits(candidates(rows, problem), problem, fits)
}

/// The first of these that fits, the usual schedule, or one of those that require the least. Where none fits, the first of all,
/// which then says why.
fn first_that_fits(
    (candidates, refused): (Vec<Chosen>, Option<String>),
    problem: &Problem,
    fits: &dyn Fn(&Schedule) -> bool,
) -> Result<Chosen, String> {
    let accumulating = |mut chosen: Chosen| {
        // Warps accumulate in f32.
        let (warps, _) = chosen.schedule.warps;
        chosen.schedule.two_level_accumulation |= problem.two_levels && warps % GROUP_WARPS == 0;
        chosen
    };
    let mut first = None;
    for chosen in candidates.into_iter().map(accumulating) {
        if fits(&chosen.schedule) {
            return Ok(chosen);
        }
        first.get_or_insert(chosen);
    }
    if atoms::shared_limit(&problem.chip).is_some() {
        for schedule in std::iter::once(usual::usual(problem)?).chain(usual::smallest(problem)) {
            let chosen = accumulating(Chosen { schedule, why: Reason::Usual });
            if fits(&chosen.schedule) {
                return Ok(chosen);
            }
            first.get_or_insert(chosen);
        }
    }
    let none = || refused.unwrap_or_else(|| "expected a schedule that fits, found none".to_owned());
    first.ok_or_else(none)
}

/// Schedules of a problem, the best first: those of the least estimated time, if times are estimated, and the rows of the table
/// from the nearest on. Beside them, why the table has none.
fn candidates(rows: &[Row], problem: &Problem) -> (Vec<Chosen>, Option<String>) {
    if let Some(converted) = problem.converted {
        let all = mixed::schedules(problem, converted).into_iter();
        return (all.map(|schedule| Chosen { schedule, why: Reason::Mixed }).collect(), None);
    }
    let mut candidates = Vec::new();
    if problem.gemms.is_empty() && estimates(rows, problem) {
        let mut all = estimated(problem);
        // Equal times: tiles that load less, and then wide ones, whose columns fewer warpgroups read from shared memory.
        let loads = |Tiling { tile: (m, n, _), .. }: &Tiling| (m.saturating_add(*n), *m);
        all.sort_by(|(one, first), (other, second)| {
            let times = one.0.cmp(&other.0).then(one.1.total_cmp(&other.1));
            times.then(loads(first).cmp(&loads(second)))
        });
        let why = || Reason::Estimated(all.len());
        let tried = all.iter().take(TRIED);
        candidates.extend(
            tried.map(|(_, tiling)| Chosen {
                schedule: schedule(tiling, &problem.chip),
                why: why(),
            }),
        );
    }
    let nearest = nearest(rows, problem);
    let refused = nearest.as_ref().err().cloned();
    for (row, schedule) in nearest.into_iter().flatten().take(TRIED) {
        let why = match problem.gemms.len() {
            0 => Reason::Measured(row),
            count => Reason::Several(row, count),
        };
        candidates.push(Chosen { schedule, why });
    }
    (candidates, refused)
}

/// Registers of a thread for accumulators and elements of an epilogue's operands.
fn room(tiling: &Tiling) -> i64 {
    let warps =
        tiling.warps.0.saturating_mul(tiling.warps.1).saturating_mul(tiling.ping_pong.max(1));
    if warps > 8 { REGISTER_BUDGET_OF_THREE } else { REGISTER_BUDGET }
}

/// The space of the problem's chip, each with whether registers are short and with its estimated time.
fn estimated(problem: &Problem) -> Vec<((bool, f64), Tiling)> {
    let Some(chip) = Chip::named(&problem.chip) else { return Vec::new() };
    let modelled = problem.modelled();
    let has_atom = |width| atoms::for_warpgroup(&problem.element, width).is_some();
    space::tilings(chip, &modelled, &has_atom)
        .into_iter()
        .map(|tiling| {
            let accumulators = tiling.accumulators().saturating_mul(problem.factors);
            let crowded = accumulators.saturating_add(problem.held) > room(&tiling);
            ((crowded, model::time(chip, &tiling, &modelled)), tiling)
        })
        .collect()
}

/// The estimated time of a problem with a schedule; nothing is as long where the chip is not known.
fn time(problem: &Problem, schedule: &Schedule) -> f64 {
    let chip = Chip::named(&problem.chip);
    chip.map_or(0.0, |chip| model::time(chip, &tiling(schedule), &problem.modelled()))
}

/// The order of candidates, the least first: whether registers are short, whether tiles are longer than their matrix, the
/// estimated time, the distance.
type Order = (bool, bool, f64, f64);

/// The rows in the order of their distance to the problem, among those for its chip and element type that fit
/// the chip's shared memory and do not divide the problem into more parts than it has; the first of
/// several. Rows whose accumulators leave an epilogue's operands too few registers come after all others.
/// Distance is the sum of the differences between
/// extents, in factors of two: half of M is as far as twice of K. A batch is as far as one GEMM that
/// has as many tiles, with more of them along both M and N; but no tile may be twice as long as its
/// matrix. The time that several problems take is compared before the distance.
fn nearest(rows: &[Row], problem: &Problem) -> Result<Vec<(Row, Schedule)>, String> {
    let has_rows = rows.iter().any(|row| row.chip == problem.chip);
    let chip = if has_rows { problem.chip.as_str() } else { COMMON_CHIP };
    let limit = atoms::shared_limit(&problem.chip).ok_or_else(|| {
        format!(
            "expected a chip from {COMMON_CHIP} on that this pass knows, found {}",
            problem.chip
        )
    })?;
    let all = as_one(problem);
    let mut all_rows: Vec<(Order, &Row, Schedule)> = Vec::new();
    for row in rows.iter().filter(|row| row.chip == chip && row.element == problem.element) {
        let mut schedule = parse(row)?;
        problem.chip.clone_into(&mut schedule.chip);
        if bytes(&schedule, &row.element) > limit || !divides(&schedule, problem.extents) {
            continue;
        }
        // Kernels of several problems have none of these.
        let alone = schedule.split_k != 1
            || schedule.stream_k.is_some()
            || schedule.raster.is_some()
            || schedule.cluster != (1, 1);
        let several = !problem.gemms.is_empty();
        if (several && alone) || (problem.is_uneven() && schedule.ping_pong != 1) {
            continue;
        }
        let distance = distance(&all, &[row.m, row.n, row.k]);
        let wastes = !several && problem.batch > 1 && is_long(&schedule, problem.extents);
        // Tiles of few rows were measured with as few.
        let tallest = problem.gemms.iter().map(|gemm| gemm[0]).max().unwrap_or(0);
        if several && schedule.swap_ab && tallest > schedule.tile.1.saturating_mul(2) {
            continue;
        }
        let time = match Chip::named(&problem.chip) {
            Some(chip) if several => model::time(chip, &tiling(&schedule), &problem.modelled()),
            _ => 0.0,
        };
        let of = tiling(&schedule);
        let crowded = of.accumulators().saturating_add(problem.held) > room(&of);
        all_rows.push(((crowded, wastes, time, distance), row, schedule));
    }
    all_rows.sort_by(|((crowded, wastes, time, distance), ..), (other, ..)| {
        let (flags, others) = ((*crowded, *wastes), (other.0, other.1));
        flags
            .cmp(&others)
            .then_with(|| time.total_cmp(&other.2))
            .then_with(|| distance.total_cmp(&other.3))
    });
    if all_rows.is_empty() {
        let mut known: Vec<String> =
            rows.iter().map(|row| format!("{} on {}", row.element, row.chip)).collect();
        known.dedup();
        return Err(format!(
            "expected operands and a chip that the table of schedules has rows for ({}), found {} on {}",
            known.join(", "),
            problem.element,
            problem.chip
        ));
    }
    Ok(all_rows.into_iter().map(|(_, row, schedule)| (row.clone(), schedule)).collect())
}

/// The extents of one GEMM that has as many tiles as a batch has.
fn as_one(problem: &Problem) -> [f64; 3] {
    let [m, n, k] = problem.extents;
    let more = (problem.batch as f64).sqrt();
    [m as f64 * more, n as f64 * more, k as f64]
}

/// Whether times are estimated for a GEMM: where no row is near whose operands are as aligned, and of a batch
/// where all rows are far.
fn estimates(rows: &[Row], problem: &Problem) -> bool {
    let here = problem.extents.map(|extent| extent as f64);
    let mut own =
        rows.iter().filter(|row| row.chip == problem.chip && row.element == problem.element);
    let bytes = element_bytes(&problem.element);
    let is_far = |row: &Row| {
        // Rows of the table are of operands that are contiguous along K.
        let pitch = row.k.wrapping_mul(bytes);
        let is_copied = pitch % GRANULE != 0;
        let is_across = !is_copied && pitch % LINE != 0;
        distance(&here, &[row.m, row.n, row.k]) > MAX_DISTANCE
            || is_copied != (problem.copied != [false; 2])
            || is_across != (problem.across != [false; 2])
    };
    let described =
        Chip::named(&problem.chip).is_some_and(|chip| chip.warpgroups && chip.name == problem.chip);
    let all = as_one(problem);
    // Rows of the table are of one B, and of one level of accumulation.
    let one = problem.factors == 1 && !problem.two_levels;
    described
        && own.all(|row| match problem.batch {
            _ if !one => true,
            1 => is_far(row),
            _ => distance(&all, &[row.m, row.n, row.k]) > MAX_BATCH_DISTANCE,
        })
}

fn parse(row: &Row) -> Result<Schedule, String> {
    let text = format!("{}, chip = \"{}\"", row.schedule, row.chip);
    text.parse().map_err(|error| {
        let (m, n, k) = (row.m, row.n, row.k);
        format!("the table of schedules, row of {m}x{n}x{k} on {}: {error}", row.chip)
    })
}

/// Bytes of shared memory that the stages of A and B take.
fn bytes(schedule: &Schedule, element: &str) -> i64 {
    let (m, n, k) = schedule.tile;
    let elements = m.saturating_add(n).saturating_mul(k).saturating_mul(schedule.stages);
    elements.saturating_mul(element_bytes(element))
}

/// Whether the problem has as many tiles in each direction as the schedule has blocks of a cluster,
/// and slices of K, and for as many blocks as share all of it.
fn divides(schedule: &Schedule, [m, n, k]: [i64; 3]) -> bool {
    let (m, n) = if schedule.swap_ab { (n, m) } else { (m, n) };
    let tiles = |extent: i64, tile: i64| (extent - 1) / tile + 1;
    let (bm, bn, bk) = schedule.tile;
    let (cm, cn) = schedule.cluster;
    let all = tiles(m, bm).saturating_mul(tiles(n, bn)).saturating_mul(tiles(k, bk));
    tiles(m, bm) >= cm
        && tiles(n, bn) >= cn
        && tiles(k, bk) >= schedule.split_k
        && schedule.stream_k.is_none_or(|blocks| all >= blocks)
}

/// Whether a tile is twice as long as the problem in some direction, or longer; the least tiles of an
/// instruction are not.
fn is_long(schedule: &Schedule, [m, n, _]: [i64; 3]) -> bool {
    const MIN_EXTENT: i64 = 64;
    let (m, n) = if schedule.swap_ab { (n, m) } else { (m, n) };
    let (bm, bn, _) = schedule.tile;
    bm / 2 >= m.max(MIN_EXTENT / 2 + 1) || bn / 2 >= n.max(MIN_EXTENT / 2 + 1)
}

fn distance(here: &[f64; 3], there: &[i64; 3]) -> f64 {
    let log_distance = |(&a, &b): (&f64, &i64)| (a / b as f64).log2().abs();
    here.iter().zip(there).map(log_distance).sum()
}

#[cfg(test)]
#[path = "../tests/matmul/schedules.rs"]
mod tests;
