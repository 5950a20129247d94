//! The schedule of a matmul that leaves the choice to the compiler: that of the nearest problem in a
//! table of measured ones. Where none is near, it is the one of the least estimated time of all that the chip
//! can have; and of several matmuls that become one kernel, the one of the table's. Space and estimate are
//! those of `layout-schedule`.
//!
//! `schedules.json` is the table, a row a line: a problem, the schedule that was fastest there, its
//! speed over cuBLASLt's, the run that says so, and why. `layout-run tune` writes rows. Rows of
//! `sm_80` hold for every later chip without rows of its own.

mod family;
mod usual;

use crate::{matmul, pointers};
use layout_algebra::{AnyLayout, Layout};
use layout_dialect::{
    Choice, Schedule, ScheduleAttribute, ViewType, atoms,
    build::{context_of, operand},
    diagnostics, ops, tree,
};
use layout_schedule::{Chip, Operand, Product, Tiling, model, space};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
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

/// The problem, as far as the choice depends on it.
#[derive(Clone, Debug, PartialEq)]
struct Problem {
    chip: String,
    element: String,
    extents: [i64; 3],
    /// Products, of a batch.
    batch: i64,
    /// Registers of a thread for the elements of an epilogue's operands that go with the sums that it
    /// is applied to at once.
    held: i64,
    /// Extents of each, where one kernel computes several.
    products: Vec<[i64; 3]>,
    /// Whether rows of A and B, of the largest of several, lie across cache lines.
    across: [bool; 2],
    /// Whether A and B are copied first, since bulk copies cannot take them as they are.
    copied: [bool; 2],
    /// Whether rows of both start at places where warps fetch [`VECTOR`] bytes at a time.
    vectors: bool,
    /// Whether A and B, as they are multiplied, are contiguous along M and N.
    outer: [bool; 2],
    /// Whether C is contiguous along M alone.
    turned_c: bool,
    /// Bytes of an element of C, and whether its rows are multiples of [`GRANULE`] bytes.
    result_bytes: i64,
    bulk_stores: bool,
    /// Whether sums are of f32, so that slices of K may be summed up apart.
    sums_of_f32: bool,
}

impl Problem {
    /// Whether one kernel computes several, with other extents along K each.
    fn is_uneven(&self) -> bool {
        self.products.windows(2).any(|pair| pair[0][2] != pair[1][2])
    }

    /// The problem that times depend on.
    fn modelled(&self) -> layout_schedule::Problem {
        let one = |&extents: &[i64; 3]| Product { extents, batch: 1 };
        let products = match self.products.as_slice() {
            [] => vec![Product { extents: self.extents, batch: self.batch }],
            several => several.iter().map(one).collect(),
        };
        layout_schedule::Problem {
            products,
            bytes: element_bytes(&self.element),
            result_bytes: self.result_bytes,
            operands: [0, 1].map(|i| Operand {
                outer: self.outer[i],
                across: self.across[i],
                copied: self.copied[i],
            }),
            turned_c: self.turned_c,
            bulk_stores: self.bulk_stores,
            sums_of_f32: self.sums_of_f32,
            vectors: self.vectors,
        }
    }
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

/// How far a row may be from a product that takes its schedule without an estimate, as [`distance`] has it: a
/// fifth in one extent.
const NEAR: f64 = 0.25;

/// Products of a batch among others that are looked at, at most: more are as many rounds for any schedule.
const MOST: i64 = 1024;

/// Bytes of a cache line, and of what bulk copies need rows to be multiples of.
const LINE: i64 = 128;
const GRANULE: i64 = 16;

/// Bytes that make fetching by warps faster than element by element.
const VECTOR: i64 = 8;

/// Sums and elements of an epilogue's operands that a thread has registers for, beside addresses: with
/// 208, ptxas spills nothing, with 242 it does.
const ROOM: i64 = 210;

/// Registers for an operand's elements where an epilogue is applied to 32 sums of a thread, which are
/// in 2 rows and 16 columns.
const HELD: [[i64; 2]; 2] = [[1, 16], [2, 32]];

/// Gives every `layout.matmul` below `module` that has `auto` for a schedule one of the table, and
/// says which in a remark.
///
/// # Errors
///
/// A diagnostic at each matmul for which the table has no row that fits.
pub(crate) fn choose(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = family::expand(module);
    let functions = tree::inside(module, "func.func").into_iter();
    // Matmuls that become one kernel.
    let groups = functions
        .flat_map(|function| matmul::groups(function, &tree::inside(function, "layout.matmul")));
    for group in groups {
        let mut matmuls = Vec::with_capacity(group.len());
        for matmul in group {
            if let Ok(Choice::Auto { chip }) = ops::choice(matmul) {
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

/// Several problems that one kernel computes, as one: the largest, so often that there is as much to do.
fn joined(problems: Vec<Problem>) -> Option<Problem> {
    let work = |problem: &Problem| {
        problem.extents.iter().fold(problem.batch, |all, &extent| all.saturating_mul(extent))
    };
    let all = problems.iter().fold(0_i64, |sum, problem| sum.saturating_add(work(problem)));
    let held = problems.iter().map(|problem| problem.held).max()?;
    if problems.len() == 1 {
        return problems.into_iter().next();
    }
    let of = |problem: &Problem| {
        let count = usize::try_from(problem.batch.clamp(1, MOST)).unwrap_or(1);
        std::iter::repeat_n(problem.extents, count)
    };
    let products: Vec<[i64; 3]> = problems.iter().flat_map(of).collect();
    let largest = problems.into_iter().max_by_key(work)?;
    let batch = (all / work(&largest).max(1)).max(1);
    Some(Problem { batch, held, products, ..largest })
}

fn problem(matmul: OperationRef<'_, '_>, chip: String) -> Result<Problem, String> {
    let read = |i| -> Result<(String, AnyLayout), String> {
        let view =
            ViewType::try_from(operand(matmul, i).r#type()).map_err(|error| error.to_string())?;
        let term_value = view.term_value().map_err(|error| error.to_string())?;
        let known = term_value.any_layout();
        let layout = known.or_else(|| term_value.representative().map(AnyLayout::Plain));
        let layout = layout.ok_or_else(|| format!("expected a layout, found {term_value}"))?;
        Ok((view.element_type().to_string(), layout))
    };
    let matrix = |i| match read(i)? {
        (element, AnyLayout::Plain(layout)) => Ok((element, layout)),
        (_, AnyLayout::Composed(layout)) => {
            Err(format!("expected operands with plain layouts, found {layout}"))
        }
    };
    let ((element, a), (_, b), (result, c)) = (matrix(0)?, matrix(1)?, matrix(2)?);
    let sizes = |layout: &Layout| -> Result<[i64; 3], String> {
        let sizes: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
        match sizes[..] {
            [rows, columns] => Ok([rows, columns, 1]),
            [rows, columns, batch] => Ok([rows, columns, batch]),
            _ => Err(format!("expected operands of rank 2 or 3, found {layout}")),
        }
    };
    let ([m, k, batch], [n, ..]) = (sizes(&a)?, sizes(&b)?);
    let mut held = 0;
    for i in 3..matmul.operand_count() {
        let modes = read(i)?.1.inner().modes();
        let varies = |mode: usize| {
            let leaves = modes.get(mode).map(Layout::flat).unwrap_or_default();
            usize::from(leaves.iter().any(|&(extent, stride)| extent != 1 && stride != 0))
        };
        held += HELD[varies(0)][varies(1)];
    }
    let bytes = element_bytes(&element);
    let sums_of_f32 = !matches!(element.as_str(), "i8" | "f64");
    Ok(Problem {
        extents: [m, n, k],
        batch,
        held,
        products: Vec::new(),
        across: [&a, &b].map(|layout| lies_across(layout, bytes)),
        copied: [(&a, 0), (&b, 1)].map(|(layout, i)| {
            pointers::alignment(operand(matmul, i)) < pointers::ASSUMED || is_copied(layout, bytes)
        }),
        vectors: [(&a, 0), (&b, 1)].into_iter().all(|(layout, i)| {
            pointers::alignment(operand(matmul, i)) >= VECTOR && has_vectors(layout, bytes)
        }),
        outer: [&a, &b].map(|layout| bytes == 2 && is_by_columns(layout)),
        turned_c: is_by_columns(&c),
        result_bytes: element_bytes(&result),
        bulk_stores: pitches(&c).iter().all(|pitch| {
            pitch.is_some_and(|pitch| {
                pitch <= 1 || is_whole(pitch.wrapping_mul(element_bytes(&result)))
            })
        }),
        sums_of_f32,
        chip,
        element,
    })
}

/// The stride of each mode of a matrix, where it has one; of one element none counts.
fn pitches(layout: &Layout) -> [Option<i64>; 2] {
    [0, 1].map(|mode| match layout.mode(mode).map(|mode| mode.flat()).as_deref() {
        Some(&[(1, _)]) => Some(0),
        Some(&[(_, stride)]) => Some(stride),
        _ => None,
    })
}

/// Whether so many bytes are as many granules.
fn is_whole(bytes: i64) -> bool {
    bytes % GRANULE == 0
}

/// Whether a matrix is contiguous along its rows' mode alone.
fn is_by_columns(layout: &Layout) -> bool {
    let [rows, columns] = pitches(layout);
    rows == Some(1) && columns != Some(1)
}

/// Whether bulk copies cannot take a matrix in an order that an instruction takes, so that it is copied first.
fn is_copied(layout: &Layout, bytes: i64) -> bool {
    let starts = |pitch: i64| pitch.wrapping_mul(bytes) % GRANULE == 0;
    match pitches(layout) {
        [Some(pitch), Some(0 | 1)] => !starts(pitch),
        [Some(0 | 1), Some(pitch)] => !starts(pitch) || bytes != 2,
        _ => true,
    }
}

/// Whether a matrix has elements in a row, in rows that start at multiples of [`VECTOR`] bytes.
fn has_vectors(layout: &Layout, bytes: i64) -> bool {
    match pitches(layout) {
        [Some(pitch), Some(0 | 1)] | [Some(0 | 1), Some(pitch)] => {
            pitch.wrapping_mul(bytes) % VECTOR == 0
        }
        _ => false,
    }
}

/// Whether rows of a matrix that bulk copies take as it is start at other places than cache lines do.
fn lies_across(layout: &Layout, bytes: i64) -> bool {
    let leaves = layout.modes().into_iter().take(2).flat_map(|mode| mode.flat());
    let pitches = leaves.filter(|&(extent, stride)| extent != 1 && stride != 1);
    let starts: Vec<i64> = pitches.map(|(_, stride)| stride.wrapping_mul(bytes)).collect();
    starts.iter().all(|start| start % GRANULE == 0) && starts.iter().any(|start| start % LINE != 0)
}

fn table() -> Result<Vec<Row>, String> {
    serde_json::from_str(TABLE).map_err(|error| format!("the table of schedules: {error}"))
}

/// A schedule, and why it was chosen.
struct Chosen {
    schedule: Schedule,
    why: Why,
}

/// Why a schedule was chosen.
enum Why {
    /// The row of the nearest problem.
    Measured(Row),
    /// The row with which the busiest block has the least to do for so many products.
    Several(Row, usize),
    /// The shortest of so many estimated times.
    Estimated(usize),
    /// Nothing is known of the chip and the elements.
    Usual,
}

impl Chosen {
    fn remark(&self) -> String {
        let chosen = format!("takes the schedule <{}>", self.schedule);
        match &self.why {
            Why::Measured(row) => {
                let &Row { m, n, k, ref reason, ratio, ref device, ref record, .. } = row;
                format!(
                    "{chosen} of {m}x{n}x{k} ({reason}; {ratio:.2} of cuBLASLt's speed on {device}, {record})"
                )
            }
            Why::Several(Row { m, n, k, .. }, products) => format!(
                "{chosen} of {m}x{n}x{k}, with which the busiest block has the least to do for {products} products"
            ),
            Why::Estimated(count) => {
                format!("{chosen}, which takes the least time of {count} by an estimate")
            }
            Why::Usual => format!("{chosen}, since none was measured for its elements and chip"),
        }
    }
}

/// Schedules that are tried for a problem, at most, before those that fit everything.
const TRIED: usize = 48;

/// The first schedule of a problem that fits: those of the least estimated time, if times are estimated, or the rows
/// of the table from the nearest on; the usual one; and those that ask for the least. Where none fits, the first of
/// all, which then says why.
fn ranked(
    rows: &[Row],
    problem: &Problem,
    fits: &dyn Fn(&Schedule) -> bool,
) -> Result<Chosen, String> {
    let mut first = None;
    let mut tried = 0;
    let mut is_right = |chosen: Chosen| {
        tried += 1;
        let right = fits(&chosen.schedule);
        if !right {
            first.get_or_insert(chosen);
            return None;
        }
        Some(chosen)
    };
    if problem.products.is_empty() && estimates(rows, problem) {
        let mut all = estimated(problem);
        // The first of as much time stays so.
        all.sort_by(|(one, _), (other, _)| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let count = all.len();
        for (_, tiling) in all.into_iter().take(TRIED) {
            let schedule = schedule(&tiling, &problem.chip);
            if let Some(chosen) = is_right(Chosen { schedule, why: Why::Estimated(count) }) {
                return Ok(chosen);
            }
        }
    }
    let nearest = nearest(rows, problem);
    let refused = nearest.as_ref().err().cloned();
    for (row, schedule) in nearest.into_iter().flatten().take(TRIED) {
        let why = match problem.products.len() {
            0 => Why::Measured(row),
            count => Why::Several(row, count),
        };
        if let Some(chosen) = is_right(Chosen { schedule, why }) {
            return Ok(chosen);
        }
    }
    if atoms::shared_limit(&problem.chip).is_some() {
        for schedule in std::iter::once(usual::usual(problem)?).chain(usual::smallest(problem)) {
            if let Some(chosen) = is_right(Chosen { schedule, why: Why::Usual }) {
                return Ok(chosen);
            }
        }
    }
    let none = || refused.unwrap_or_else(|| "expected a schedule that fits, found none".to_owned());
    first.ok_or_else(none)
}

/// The space of the problem's chip, each with whether registers are short and with its estimated time.
fn estimated(problem: &Problem) -> Vec<((bool, f64), Tiling)> {
    let Some(chip) = Chip::named(&problem.chip) else { return Vec::new() };
    let modelled = problem.modelled();
    let has_atom = |width| atoms::for_warpgroup(&problem.element, width).is_some();
    space::tilings(chip, &modelled, &has_atom)
        .into_iter()
        .map(|tiling| {
            let crowded = tiling.sums().saturating_add(problem.held) > ROOM;
            ((crowded, model::time(chip, &tiling, &modelled)), tiling)
        })
        .collect()
}

/// The order of candidates, the least first: whether registers are short, whether tiles are longer than their matrix, the
/// estimated time, the distance.
type Order = (bool, bool, f64, f64);

/// The rows by how near they are to the problem, among those that hold for its chip and element type, fit
/// the chip's shared memory, and divide the problem into no more parts than it has; the first of
/// several. Rows whose sums leave an epilogue's operands too few registers come behind all others.
/// Distance is the sum of what lies between the
/// extents, in factors of two: half of M is as far as twice of K. A batch is as far as one product that
/// has as many tiles, with more of them along both M and N; but no tile shall be twice as long as its
/// matrix. The time that several products take stands before the distance.
fn nearest(rows: &[Row], problem: &Problem) -> Result<Vec<(Row, Schedule)>, String> {
    let has_rows = rows.iter().any(|row| row.chip == problem.chip);
    let chip = if has_rows { problem.chip.as_str() } else { COMMON_CHIP };
    let limit = atoms::shared_limit(&problem.chip).ok_or_else(|| {
        format!(
            "expected a chip from {COMMON_CHIP} on that this pass knows, found {}",
            problem.chip
        )
    })?;
    let [m, n, k] = problem.extents;
    let more = (problem.batch as f64).sqrt();
    let all = [m as f64 * more, n as f64 * more, k as f64];
    let mut all_rows: Vec<(Order, &Row, Schedule)> = Vec::new();
    for row in rows.iter().filter(|row| row.chip == chip && row.element == problem.element) {
        let mut schedule = parse(row)?;
        problem.chip.clone_into(&mut schedule.chip);
        if bytes(&schedule, &row.element) > limit || !divides(&schedule, problem.extents) {
            continue;
        }
        // Kernels of several products have none of these.
        let alone = schedule.split_k != 1
            || schedule.stream_k.is_some()
            || schedule.raster.is_some()
            || schedule.cluster != (1, 1);
        let several = !problem.products.is_empty();
        if (several && alone) || (problem.is_uneven() && schedule.ping_pong != 1) {
            continue;
        }
        let distance = distance(&all, &[row.m, row.n, row.k]);
        let wastes = !several && problem.batch > 1 && is_long(&schedule, problem.extents);
        // Tiles of few rows were measured with as few.
        let tallest = problem.products.iter().map(|product| product[0]).max().unwrap_or(0);
        if several && schedule.swap_ab && tallest > schedule.tile.1.saturating_mul(2) {
            continue;
        }
        let time = match Chip::named(&problem.chip) {
            Some(chip) if several => model::time(chip, &tiling(&schedule), &problem.modelled()),
            _ => 0.0,
        };
        let crowded = tiling(&schedule).sums().saturating_add(problem.held) > ROOM;
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

/// Whether times are estimated for a product: where no row is near whose operands are as aligned, and of a batch
/// where there is no row.
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
        distance(&here, &[row.m, row.n, row.k]) > NEAR
            || is_copied != (problem.copied != [false; 2])
            || is_across != (problem.across != [false; 2])
    };
    let described =
        Chip::named(&problem.chip).is_some_and(|chip| chip.warpgroups && chip.name == problem.chip);
    described && own.all(|row| problem.batch == 1 && is_far(row))
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

fn element_bytes(element: &str) -> i64 {
    match element {
        "f8E4M3FN" | "f8E5M2" | "i8" => 1,
        "f32" => 4,
        "f64" => 8,
        _ => 2,
    }
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
    const LEAST: i64 = 64;
    let (m, n) = if schedule.swap_ab { (n, m) } else { (m, n) };
    let (bm, bn, _) = schedule.tile;
    bm / 2 >= m.max(LEAST / 2 + 1) || bn / 2 >= n.max(LEAST / 2 + 1)
}

fn distance(here: &[f64; 3], there: &[i64; 3]) -> f64 {
    let apart = |(&a, &b): (&f64, &i64)| (a / b as f64).log2().abs();
    here.iter().zip(there).map(apart).sum()
}

#[cfg(test)]
mod tests;
