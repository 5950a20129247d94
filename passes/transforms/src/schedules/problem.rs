//! The problem of one or several matmuls, as far as the choice of a schedule depends on it.

use crate::pointers;
use layout_algebra::{AnyLayout, Layout};
use layout_dialect::{Choice, ViewType, build::operand};
use layout_schedule::{GemmShape, Operand};
use melior::ir::{OperationRef, ValueLike};

/// The most GEMMs of a batch in a group that are examined: more of them add the same rounds to every schedule.
const MAX_BATCH: i64 = 1024;

/// Bytes of a cache line, and of what bulk copies need rows to be multiples of.
pub(super) const LINE: i64 = 128;
pub(super) const GRANULE: i64 = 16;

/// Bytes that make fetching by warps faster than element by element.
pub(super) const VECTOR: i64 = 8;

/// Registers for an operand's elements where an epilogue is applied to 32 accumulators of a thread, which are in 2
/// rows and 16 columns.
const OPERAND_REGISTERS: [[i64; 2]; 2] = [[1, 16], [2, 32]];

/// The problem, as far as the choice depends on it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Problem {
    pub(super) chip: String,
    pub(super) element: String,
    pub(super) extents: [i64; 3],
    /// The number of GEMMs of a batch.
    pub(super) batch: i64,
    /// GEMMs of A whose tiles a block computes together: two with a second B.
    pub(super) factors: i64,
    /// Registers of a thread for the elements of an epilogue's operands that belong to the accumulators to
    /// which it is applied at once.
    pub(super) held: i64,
    /// Extents of each, where one kernel computes several.
    pub(super) gemms: Vec<[i64; 3]>,
    /// Whether rows of A and B, of the largest of several, lie across cache lines.
    pub(super) across: [bool; 2],
    /// Whether A and B are copied first, since bulk copies cannot take them as they are.
    pub(super) copied: [bool; 2],
    /// Whether rows of both start at places where warps fetch [`VECTOR`] bytes at a time.
    pub(super) vectors: bool,
    /// Whether A and B, as they are multiplied, are contiguous along M and N.
    pub(super) outer: [bool; 2],
    /// Whether C is contiguous along M alone.
    pub(super) turned_c: bool,
    /// Bytes of an element of C, and whether its rows are multiples of [`GRANULE`] bytes.
    pub(super) result_bytes: i64,
    pub(super) bulk_stores: bool,
    /// Whether accumulators are f32, so that slices of K may be accumulated separately.
    pub(super) sums_of_f32: bool,
    /// Whether warpgroups are to accumulate in two levels.
    pub(super) two_levels: bool,
    /// Which of A and B is converted in registers to the element type of the other one.
    pub(super) converted: Option<usize>,
}

impl Problem {
    /// Whether one kernel computes several, with other extents along K each.
    pub(super) fn is_uneven(&self) -> bool {
        self.gemms.windows(2).any(|pair| pair[0][2] != pair[1][2])
    }

    /// The problem that times depend on.
    pub(super) fn modelled(&self) -> layout_schedule::Problem {
        let one = |&extents: &[i64; 3]| GemmShape { extents, batch: 1 };
        let gemms = match self.gemms.as_slice() {
            [] => vec![GemmShape { extents: self.extents, batch: self.batch }],
            several => several.iter().map(one).collect(),
        };
        layout_schedule::Problem {
            gemms,
            bytes: element_bytes(&self.element),
            result_bytes: self.result_bytes,
            operands: [0, 1].map(|i| Operand {
                outer: self.outer[i],
                across: self.across[i],
                copied: self.copied[i],
            }),
            factors: self.factors,
            turned_c: self.turned_c,
            bulk_stores: self.bulk_stores,
            sums_of_f32: self.sums_of_f32,
            two_levels: self.two_levels,
            vectors: self.vectors,
        }
    }
}

/// Several problems that one kernel computes, as one: the largest, so often that there is as much to do.
pub(super) fn joined(problems: Vec<Problem>) -> Option<Problem> {
    let work = |problem: &Problem| {
        problem.extents.iter().fold(problem.batch, |all, &extent| all.saturating_mul(extent))
    };
    let all = problems.iter().fold(0_i64, |sum, problem| sum.saturating_add(work(problem)));
    let held = problems.iter().map(|problem| problem.held).max()?;
    if problems.len() == 1 {
        return problems.into_iter().next();
    }
    let of = |problem: &Problem| {
        let count = usize::try_from(problem.batch.clamp(1, MAX_BATCH)).unwrap_or(1);
        std::iter::repeat_n(problem.extents, count)
    };
    let gemms: Vec<[i64; 3]> = problems.iter().flat_map(of).collect();
    let largest = problems.into_iter().max_by_key(work)?;
    let batch = (all / work(&largest).max(1)).max(1);
    Some(Problem { batch, held, gemms, ..largest })
}

pub(super) fn problem(matmul: OperationRef<'_, '_>, chip: String) -> Result<Problem, String> {
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
    let ((element, mut a), (of_b, b), (result, c)) = (matrix(0)?, matrix(1)?, matrix(2)?);
    let window = layout_dialect::ops::window(matmul).map_err(|error| error.to_string())?;
    if let Some(window) = window {
        // Copies to shared memory make a matrix in rows of it.
        let image = window.matrix(&a).map_err(|refused| refused.to_string())?;
        let extent = |mode: usize| image.mode(mode).map_or(1, |mode| mode.size());
        a = format!("({},{}):({},1)", extent(0), extent(1), extent(1))
            .parse()
            .map_err(|error: layout_algebra::Error| error.to_string())?;
    }
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
    for i in layout_dialect::ops::others(matmul) {
        let modes = read(i)?.1.inner().modes();
        let varies = |mode: usize| {
            let leaves = modes.get(mode).map(Layout::flat).unwrap_or_default();
            usize::from(leaves.iter().any(|&(extent, stride)| extent != 1 && stride != 0))
        };
        held += OPERAND_REGISTERS[varies(0)][varies(1)];
    }
    let multiplied = layout_dialect::ops::multiplied_type(&element, &of_b).unwrap_or(&element);
    let converted = [&element, &of_b].iter().position(|of| of.as_str() != multiplied);
    let element = multiplied.to_owned();
    let bytes = element_bytes(&element);
    let sums_of_f32 = !matches!(element.as_str(), "i8" | "f64");
    Ok(Problem {
        extents: [m, n, k],
        batch,
        factors: if layout_dialect::ops::dual(matmul).is_some() { 2 } else { 1 },
        held,
        gemms: Vec::new(),
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
        two_levels: matches!(
            layout_dialect::ops::choice(matmul),
            Ok(Choice::Auto { two_level_accumulation: true, .. })
        ),
        chip,
        element,
        converted,
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

/// Whether `bytes` is a whole number of granules.
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
pub(super) fn lies_across(layout: &Layout, bytes: i64) -> bool {
    let leaves = layout.modes().into_iter().take(2).flat_map(|mode| mode.flat());
    let pitches = leaves.filter(|&(extent, stride)| extent != 1 && stride != 1);
    let starts: Vec<i64> = pitches.map(|(_, stride)| stride.wrapping_mul(bytes)).collect();
    starts.iter().all(|start| start % GRANULE == 0) && starts.iter().any(|start| start % LINE != 0)
}

/// Bytes of an element of A and B.
pub(super) fn element_bytes(element: &str) -> i64 {
    match element {
        "f8E4M3FN" | "f8E5M2" | "i8" => 1,
        "f32" => 4,
        "f64" => 8,
        _ => 2,
    }
}
