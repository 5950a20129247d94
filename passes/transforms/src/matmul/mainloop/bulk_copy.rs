//! The matrices that bulk tensor copies take: which mode is contiguous in the tensor map, and how long rows are in shared
//! memory. Imports operands, partitions and the problem.
//!
//! A mode may have several strides, each of which is a dimension of the tensor map: a matrix in blocks,
//! as `(M,(8,K/8)):(8,(1,8M))`, is read as it is. Rows in shared memory are as long as the blocks allow,
//! and swizzled over as many bytes; those of 16 bytes are not swizzled. TMA takes as long for a short
//! inner dimension of a box as for a long one: where that is more than the math, and than a copy would take,
//! the operand is copied first.

use crate::{
    matmul::{operand::Memory, partition::Major, problem::Problem},
    schedules,
};
use layout_algebra::{Layout, Term};
use layout_dialect::atoms::tensor_map::{
    self, Coordinates, Digit, MAX_RANK, STRIDE_ALIGNMENT, Tile,
};
use layout_schedule::{Chip, GemmShape, Operand, copies};

/// Rows of a matrix, as bulk copies put a tile of it into shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// The mode along which they go.
    pub(crate) major: Major,
    /// Elements that are in a row in memory, in each tile; 0 where all of a mode's are.
    pub(crate) width: i64,
}

impl Rows {
    /// How bulk copies take tiles of a matrix, or of a batch of them.
    ///
    /// # Errors
    ///
    /// A matrix that they do not take: which condition fails, and a layout that they take.
    pub(crate) fn of(name: &str, memory: Memory<'_>, tile: (i64, i64)) -> Result<Self, String> {
        let Memory { layout, element_bytes, alignment, .. } = memory;
        if alignment % STRIDE_ALIGNMENT != 0 {
            return Err(format!(
                "expected {name} aligned to {STRIDE_ALIGNMENT} bytes for bulk tensor copies, found llvm.align = {alignment}"
            ));
        }
        let modes = layout.modes();
        if !matches!(modes.len(), 2 | 3) {
            return Err(format!("expected {name} of rank 2 or 3, found {layout}"));
        }
        let digits: Vec<Vec<Digit>> = modes.iter().map(tensor_map::digits).collect();
        // A mode that is the same in all steps is no dimension; only whole batches are so.
        let repeats = |mode: usize, digit: &Digit| mode == 2 && digit.stride == 0;
        let each = || {
            digits.iter().enumerate().flat_map(|(mode, digits)| {
                digits.iter().enumerate().map(move |(number, digit)| (mode, number, digit))
            })
        };
        let rows = [(Major::Reduction, 1), (Major::Outer, 0)]
            .map(|(major, along)| (major, along, digits[along][0]));
        let in_a_row = rows.into_iter().filter(|(.., digit)| digit.stride == 1);
        let others = |along: usize| {
            each().filter(move |&(mode, number, digit)| {
                (mode, number) != (along, 0) && !repeats(mode, digit)
            })
        };
        // One of two modes with stride 1 is a single element.
        let unaligned = |along: usize| {
            others(along).find(|(mode, _, digit)| {
                let bytes = digit.stride % STRIDE_ALIGNMENT * element_bytes;
                let alone = *mode == 2 && digit.extent == 1;
                !alone && (digit.stride < 1 || bytes % STRIDE_ALIGNMENT != 0)
            })
        };
        let found = in_a_row.clone().find(|&(_, along, _)| unaligned(along).is_none());
        let Some((major, along, first)) = found else {
            return Err(match in_a_row.clone().next() {
                Some((_, along, _)) => format!(
                    "expected {name} with strides that are multiples of {STRIDE_ALIGNMENT} bytes, except for the stride of 1, for bulk tensor copies, found {} of {element_bytes} bytes in {layout}; use {}",
                    unaligned(along).map_or(0, |(.., digit)| digit.stride),
                    packed(&modes, element_bytes)
                ),
                None => format!(
                    "expected {name} with stride 1 along one mode for bulk tensor copies, found \
                     {layout}; use {}",
                    packed(&modes, element_bytes)
                ),
            });
        };
        if digits[along].len() > 1 && first.extent * element_bytes % STRIDE_ALIGNMENT != 0 {
            return Err(format!(
                "expected {name} in blocks of a multiple of {STRIDE_ALIGNMENT} bytes for bulk tensor copies, found blocks of {} elements of {element_bytes} bytes in {layout}; use {}",
                first.extent,
                packed(&modes, element_bytes)
            ));
        }
        let dimensions = 1 + others(along).count();
        if dimensions > MAX_RANK {
            return Err(format!(
                "expected {name} with at most {MAX_RANK} strides, one for each dimension of a tensor map, found {dimensions} in {layout}; use {}",
                packed(&modes, element_bytes)
            ));
        }
        whole_blocks(name, layout, tile, element_bytes)?;
        let width = if digits[along].len() > 1 { first.extent } else { 0 };
        Ok(Self { major, width })
    }
}

impl Rows {
    /// How bulk copies store to tiles of a matrix, or of a batch of them: as [`Self::of`] has it, in rows that end
    /// where a granule does. The copy engine writes the granule in which a row ends as a whole: on an H200, rows of
    /// 127 and of 129 elements of f32 in pitches of 128 and of 132 had their gaps overwritten.
    ///
    /// # Errors
    ///
    /// A matrix that they do not take, or would write outside of: which condition fails, and a layout that they take.
    pub(crate) fn stored(name: &str, memory: Memory<'_>, tile: (i64, i64)) -> Result<Self, String> {
        let rows = Self::of(name, memory, tile)?;
        let Memory { layout, element_bytes, is_workspace, .. } = memory;
        let along = usize::from(rows.major == Major::Reduction);
        let extent = layout.mode(along).map_or(1, |mode| mode.size());
        if !is_workspace && extent.saturating_mul(element_bytes) % STRIDE_ALIGNMENT != 0 {
            return Err(format!(
                "expected {name} in rows of a multiple of {STRIDE_ALIGNMENT} bytes, as bulk tensor copies store them, \
                 found rows of {extent} elements of {element_bytes} bytes in {layout}"
            ));
        }
        Ok(rows)
    }
}

/// Which of A and B to copy although bulk copies take them in such rows: their rows are so short that the
/// copy engine takes longer for them than MMAs do, and a copy less than that.
pub(crate) fn short_rows(problem: &Problem<'_>, rows: [Option<Rows>; 2]) -> [bool; 2] {
    let bytes = problem.input_bytes.max(1);
    let Some(chip) = Chip::named(&problem.schedule.chip) else { return [false; 2] };
    let extents = |layout: &Layout| [0, 1].map(|i| layout.mode(i).map_or(1, |mode| mode.size()));
    let ([m, k], [n, _]) = (extents(problem.a), extents(problem.b));
    let gemm = GemmShape { extents: [m, n, k], batch: problem.batch().unwrap_or(1) };
    let modelled = layout_schedule::Problem {
        gemms: vec![gemm],
        bytes,
        result_bytes: bytes,
        operands: [Operand::default(); 2],
        factors: problem.factors(),
        turned_c: false,
        bulk_stores: true,
        sums_of_f32: true,
        two_levels: false,
        vectors: true,
    };
    let widths = rows.map(|rows| rows.map(|rows| rows.width * bytes).filter(|&width| width > 0));
    let sizes = [problem.a, problem.b]
        .map(|layout| layout.cosize().unwrap_or(i64::MAX) as f64 * bytes as f64);
    copies::short_rows(chip, &schedules::tiling(problem.schedule), &modelled, widths, sizes)
}

/// Whether a bulk copy brings a tile of a matrix to shared memory, `shared` as a term of one stage, in as many
/// equal parts as blocks of a cluster share.
///
/// # Errors
///
/// A limit of the tensor map, or of its parts.
pub(crate) fn is_loaded(
    layout: &Layout,
    tile: (i64, i64),
    shared: &str,
    element_bytes: i64,
    blocks: i64,
) -> Result<(), String> {
    let modes = layout.modes();
    let (rows, columns) = tile;
    let ones = ",1".repeat(modes.len().saturating_sub(2));
    let coordinates = modes.iter().enumerate().map(|(mode, own)| {
        let strides: Vec<&str> =
            (0..modes.len()).map(|i| if i == mode { "1" } else { "0" }).collect();
        let text = format!("({rows},{columns}{ones}):({})", strides.join(","));
        let layout = text.parse().map_err(|error: layout_algebra::Error| error.to_string())?;
        let divisor = [rows, columns].get(mode).copied().unwrap_or(1);
        Ok(Coordinates { layout, limit: own.size(), divisor })
    });
    let coordinates = coordinates.collect::<Result<Vec<_>, String>>()?;
    let message = |error: layout_algebra::Error| error.to_string();
    let shared = Term::parse(shared).and_then(|term| term.eval_layout()).map_err(message)?;
    let tile = Tile { global: layout, coordinates: &coordinates, shared: &shared, element_bytes };
    let mut transfer = tensor_map::derive(&tile)?;
    if blocks > 1 {
        transfer.divide(blocks)?;
    }
    Ok(())
}

/// The digits of a mode, and one more where a last leaf of one element has a stride of its own: tiles that are longer
/// than the mode continue in it.
pub(crate) fn digits(mode: &Layout) -> Vec<Digit> {
    let mut digits = tensor_map::digits(mode);
    let goes_on = digits.last().and_then(|last| last.extent.checked_mul(last.stride));
    match (digits.last_mut(), mode.flat().last()) {
        (Some(last), Some(&(1, stride))) if last.extent != 1 && goes_on != Some(stride) => {
            last.count = Some(last.extent);
            let block = last.block.saturating_mul(last.extent);
            digits.push(Digit { block, count: None, extent: 1, stride });
        }
        _ => {}
    }
    digits
}

/// Whether tiles of a matrix are layouts: where a mode has several strides, of whole blocks, or within one.
///
/// # Errors
///
/// The blocks that they do not fit, and a layout that they take.
pub(crate) fn whole_blocks(
    name: &str,
    layout: &Layout,
    tile: (i64, i64),
    element_bytes: i64,
) -> Result<(), String> {
    let modes = layout.modes();
    for ((mode, own), extent) in modes.iter().enumerate().zip([tile.0, tile.1]) {
        if let Some(block) = tensor_map::misfit(&digits(own), extent, extent) {
            return Err(format!(
                "expected tiles of {name} that are multiples of its blocks of {block} along mode {mode}, or within one block, found tiles of {extent} of {layout}; use {}",
                packed(&modes, element_bytes)
            ));
        }
    }
    Ok(())
}

/// A layout of a matrix, or a batch of them, that bulk copies take in any tiles.
fn packed(modes: &[Layout], element_bytes: i64) -> String {
    let of = |mode: usize| modes.get(mode).map_or(1, Layout::size);
    let unit = (STRIDE_ALIGNMENT / element_bytes).max(1);
    let pitch = of(1).saturating_add(unit - 1) / unit * unit;
    match modes.len() {
        3 => format!("({},{},{}):({pitch},1,{})", of(0), of(1), of(2), pitch.saturating_mul(of(0))),
        _ => format!("({},{}):({pitch},1)", of(0), of(1)),
    }
}

/// Whether a mode of a matrix has several strides.
pub(crate) fn in_blocks(layout: &Layout) -> bool {
    layout.modes().iter().take(2).any(|mode| digits(mode).len() > 1)
}

/// Whether a tile of a matrix, arranged by a term, is a layout: always so without blocks.
///
/// # Errors
///
/// The algebra's refusal, in words about the matmul.
pub(crate) fn arranged(
    name: &str,
    layout: &Layout,
    tile: (i64, i64),
    by: &str,
) -> Result<(), String> {
    if !in_blocks(layout) {
        return Ok(());
    }
    // A divide by other tiles is of each block for itself.
    whole_blocks(name, layout, tile, 1)?;
    let modes = layout.modes();
    let [rows, columns] = [0, 1].map(|i| modes.get(i).map(ToString::to_string).unwrap_or_default());
    let text = format!(
        "composition(zipped_divide(make_layout({rows}, {columns}), ({},{})), <{by}, _>)",
        tile.0, tile.1
    );
    let evaluated = Term::parse(&text).and_then(|term| term.eval_layout());
    evaluated.map(|_| ()).map_err(|_| {
        format!(
            "expected tiles of {name} in which the elements of a thread are a layout, found tiles of {}x{} \
             of {layout}",
            tile.0, tile.1
        )
    })
}

#[cfg(test)]
#[path = "../../../tests/matmul/bulk_copy.rs"]
mod tests;
