//! Bulk tensor copies: the tensor map and the boxes that move a tile, derived from layouts.
//!
//! A tile is known by three layouts of one index: where its elements lie in shared memory, and the
//! coordinate that each has along every mode of the global matrix. A mode of several strides is as many
//! dimensions of the map: the digits of its coordinate, which the map counts each for itself. The
//! inverse of the first layout, read through the digits of the others, says which digits are contiguous in
//! shared memory; what one instruction can take of that row is a box, the rest is repeated.
//!
//! ```text
//! (M,(8,K/8)):(8,(1,8M))  of 16-bit elements, in 16-byte blocks: three dimensions
//!     k % 8   extent 8,   stride 2 bytes      box 8
//!     m       extent M,   stride 16 bytes     box of a tile's rows
//!     k / 8   extent K/8, stride 16M bytes    box of a tile's blocks
//! fill (rows,(8,blocks)):(8,(1,8 rows)) in shared memory, as `wgmma` reads tiles without a swizzle
//! ```
//!
//! A map's interleave is not used: the format that CUDA calls NC/8HWC8 (`INTERLEAVE_16B`), or NC/16HWC16,
//! is a mode of blocks of 16, or 32, bytes, and an interleaved map of `r` dimensions reaches what a map
//! with a dimension for the blocks reaches with `r + 1`. Only a matrix of six dimensions would need it.
//! Neither the PTX ISA nor the driver's documentation says where the slices of such a box lie in shared
//! memory, so that nothing could be proved of it: six dimensions are refused.

use super::shared_matrix::swizzle_bytes;
use layout_algebra::{AnyLayout, Layout, gcd};

/// Most dimensions of a map.
pub const MAX_RANK: usize = 5;

/// Most elements of a box along one dimension.
const BOX_LIMIT: i64 = 256;

/// The alignment of strides and of rows of a box, in bytes.
pub const STRIDE_ALIGNMENT: i64 = 16;

/// The alignment of boxes in shared memory, in bytes.
pub const BOX_ALIGNMENT: i64 = 128;

/// Bound of a tensor map's extents.
const EXTENT_LIMIT: i64 = 1 << 32;

/// Bound of a tensor map's strides in bytes.
const STRIDE_LIMIT: i64 = 1 << 40;

/// A mode's coordinates that a tensor map counts by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// Coordinates of a step.
    pub block: i64,
    /// Steps after which the mode's next digit takes one, or `None` for the last, which takes all that is left.
    pub count: Option<i64>,
    /// Steps that exist.
    pub extent: i64,
    /// Elements between neighbours.
    pub stride: i64,
}

impl Digit {
    /// The digit of a coordinate.
    pub fn of(&self, coordinate: i64) -> i64 {
        let steps = coordinate.div_euclid(self.block.max(1));
        self.count.map_or(steps, |count| steps.rem_euclid(count.max(1)))
    }

    /// Whether it is 0 of every multiple of a number, or of 0 where that is 0.
    pub fn is_zero(&self, divisor: i64) -> bool {
        self.count.is_some_and(|count| divisor % self.block.saturating_mul(count).max(1) == 0)
    }
}

/// The digits of a mode's coordinate, fewest first: one for each stride. Neighbours that continue as one are
/// one. A mode of one coordinate has one.
pub fn digits(mode: &Layout) -> Vec<Digit> {
    digits_and_leaves(mode).into_iter().map(|(digit, _)| digit).collect()
}

/// The same, each with the first and the last of the mode's leaves that it counts.
pub fn digits_and_leaves(mode: &Layout) -> Vec<(Digit, (usize, usize))> {
    let leaves = mode.flat();
    let mut digits: Vec<(Digit, (usize, usize))> = Vec::new();
    let mut block: i64 = 1;
    for (at, &(extent, stride)) in leaves.iter().enumerate().filter(|(_, leaf)| leaf.0 != 1) {
        match digits.last_mut() {
            Some((before, (_, last)))
                if before.stride.checked_mul(before.extent) == Some(stride) =>
            {
                before.extent = before.extent.saturating_mul(extent);
                *last = at;
            }
            _ => digits.push((Digit { block, count: None, extent, stride }, (at, at))),
        }
        block = block.saturating_mul(extent);
    }
    let last = digits.len().saturating_sub(1);
    for (digit, _) in digits.iter_mut().take(last) {
        digit.count = Some(digit.extent);
    }
    if digits.is_empty() {
        let stride = leaves.last().map_or(1, |leaf| leaf.1.max(1));
        let at = leaves.len().saturating_sub(1);
        digits.push((Digit { block: 1, count: None, extent: 1, stride }, (at, at)));
    }
    digits
}

/// The blocks of a mode that a tile does not fit, if there are any: its first coordinate is a multiple of
/// `divisor` and the others are below `reach` from there on, and in some place a digit of the sum is not the
/// sum of the digits.
pub fn misfit(digits: &[Digit], divisor: i64, reach: i64) -> Option<i64> {
    let mut boundaries = digits.iter().skip(1).map(|digit| digit.block);
    boundaries.find(|&block| {
        let common = gcd(divisor, block);
        common != block && reach > common
    })
}

/// One dimension of a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The mode of the global matrix.
    pub mode: usize,
    /// The digit of the mode that it counts.
    pub digit: usize,
    /// The number of steps that exist; beyond them, elements read as zero.
    pub extent: i64,
    /// Bytes between neighbours.
    pub stride: i64,
    /// Elements of a box.
    pub box_extent: i64,
}

/// The fields of a tensor map; the contiguous dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// In the order of the box in shared memory, then those along which a box has one element.
    pub dimensions: Vec<Dimension>,
    /// Bytes of a swizzled row of the box: 0, 32, 64 or 128.
    pub swizzle: i64,
    /// The bounding box of a map in im2col mode: of `(C,W,H,N)`, with boxes of pixels and channels.
    pub im2col: Option<Im2col>,
}

/// The bounding box that a map in im2col mode walks, along width and height; see [`im2col`](super::im2col).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Im2col {
    /// The first pixel, from the image's first.
    pub lower: [i64; 2],
    /// The last pixel, from the image's last.
    pub upper: [i64; 2],
    /// From one pixel to the next.
    pub steps: [i64; 2],
}

/// One instruction of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where the box starts in the tile, by the map's dimensions.
    pub start: Vec<i64>,
    /// Elements from the tile's start in shared memory, before the swizzle.
    pub offset: i64,
}

/// A copy of a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The map.
    pub map: TensorMap,
    /// The instructions, in order of shared memory.
    pub parts: Vec<Part>,
}

impl Transfer {
    /// The dimension of a mode whose elements are the rows of all boxes: boxes of fewer of them begin the same in shared memory.
    pub fn rows(&self, mode: usize) -> Option<usize> {
        let dimensions = &self.map.dimensions;
        let slowest = dimensions.iter().rposition(|dimension| dimension.box_extent > 1)?;
        let mut own = (0..dimensions.len()).filter(|&at| dimensions[at].mode == mode);
        let is_one = own.next() == Some(slowest) && own.next().is_none();
        let starts = self.parts.iter().all(|part| part.start.get(slowest) == Some(&0));
        (is_one && starts && slowest > 0).then_some(slowest)
    }

    /// Keeps the first of `blocks` equal parts of the copy; from each part to the next, the step of the
    /// coordinates and of the place in shared memory. They are whole boxes, or parts of the one box,
    /// which start where the swizzle does.
    ///
    /// # Errors
    ///
    /// A copy that has no such parts.
    pub fn divide(&mut self, blocks: i64) -> Result<Part, String> {
        const SWIZZLE_ROWS: i64 = 8;
        let boxes = self.parts.len();
        let each = boxes / usize::try_from(blocks).unwrap_or(usize::MAX).max(1);
        if let Some(step) = self.parts.get(each.max(1)).cloned()
            && each * usize::try_from(blocks).unwrap_or(0) == boxes
        {
            let even = self.parts.chunks(each).zip(0..).all(|(chunk, number)| {
                chunk.iter().zip(&self.parts).all(|(part, first)| {
                    let moved = |start: i64, step: i64| start + number * step;
                    part.offset == moved(first.offset, step.offset)
                        && part
                            .start
                            .iter()
                            .zip(first.start.iter().zip(&step.start))
                            .all(|(&found, (&start, &step))| found == moved(start, step))
                })
            });
            if even {
                self.parts.truncate(each);
                return Ok(step);
            }
        }
        let swizzle = self.map.swizzle;
        let dimensions = &mut self.map.dimensions;
        // The last along which the box has several elements: it is the slowest in shared memory.
        let slowest =
            dimensions.iter().rposition(|dimension| dimension.box_extent > 1).unwrap_or(0);
        let rows = dimensions.get(slowest).map_or(0, |last| last.box_extent);
        let element_bytes = dimensions.first().map_or(1, |contiguous| contiguous.stride);
        let within = dimensions.iter().take(slowest).map(|dimension| dimension.box_extent);
        let row_bytes: i64 = element_bytes * within.product::<i64>();
        // A part starts where the swizzle does, or else where the engine may write.
        let period = if swizzle == 0 { BOX_ALIGNMENT } else { swizzle * SWIZZLE_ROWS };
        let unit = blocks * period / gcd(period, row_bytes);
        if boxes != 1 || rows % unit != 0 {
            return Err(format!(
                "expected a multiple of {blocks} boxes, or one of a multiple of {unit} rows, for {blocks} \
                 blocks of a cluster to share, found {boxes} of {rows} rows",
            ));
        }
        let mut start = vec![0; dimensions.len()];
        if let (Some(last), Some(step)) = (dimensions.get_mut(slowest), start.get_mut(slowest)) {
            last.box_extent /= blocks;
            *step = last.box_extent;
        }
        let offset = dimensions.iter().map(|dimension| dimension.box_extent).product();
        Ok(Part { start, offset })
    }
}

/// A tile on its way from a global matrix to shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// The whole matrix in global memory.
    pub global: &'a Layout,
    /// For each mode of the matrix, the coordinates of the tile's elements.
    pub coordinates: &'a [Coordinates],
    /// The tile in shared memory.
    pub shared: &'a AnyLayout,
    /// Bytes of an element.
    pub element_bytes: i64,
}

/// The coordinates of a tile's elements along a mode of the matrix.
#[derive(Clone, Debug)]
pub struct Coordinates {
    /// The coordinate of each element, from the tile's first coordinate on.
    pub layout: Layout,
    /// Their bound.
    pub limit: i64,
    /// The known divisor of the first coordinate; 0 where it is 0.
    pub divisor: i64,
}

/// A run of offsets in shared memory: so many steps, each to other digits.
struct Run {
    extent: i64,
    step: Vec<i64>,
}

/// The copy of a tile.
///
/// # Errors
///
/// A layout that bulk tensor copies cannot take: which condition fails, and a layout that they can take.
pub fn derive(tile: &Tile<'_>) -> Result<Transfer, String> {
    let places = places(tile)?;
    let runs = runs(tile, &places)?;
    let swizzle = swizzle_bytes(tile.shared, tile.element_bytes).map_err(|v| v.to_string())?;
    // A box is the longest start of the runs in which each steps through a dimension of its own.
    let mut boxed: Vec<(usize, i64)> = Vec::new();
    let mut rest = runs.as_slice();
    while let Some((run, outer)) = rest.split_first() {
        let Some(place) = unit(&run.step) else { break };
        let rows_match =
            swizzle == 0 || !boxed.is_empty() || run.extent * tile.element_bytes == swizzle;
        if boxed.iter().any(|&(taken, _)| taken == place) || !rows_match || run.extent > BOX_LIMIT {
            break;
        }
        boxed.push((place, run.extent));
        rest = outer;
    }
    let Some(&(contiguous, row)) = boxed.first() else {
        return Err(refusal(tile, runs.first(), swizzle));
    };
    let bytes = row * tile.element_bytes;
    if bytes % STRIDE_ALIGNMENT != 0 {
        return Err(format!(
            "expected rows in shared memory that are a multiple of {STRIDE_ALIGNMENT} bytes, found {bytes} \
             in {}",
            tile.shared
        ));
    }
    // The same elements for every step are no dimension of memory.
    let moves = |at: usize| {
        let digit = &places[at].digit;
        let bounds = digit.count.is_none() && digit.block != 1;
        digit.extent == 1 || digit.stride != 0 || bounds || runs.iter().any(|run| run.step[at] != 0)
    };
    let is_boxed = |at: usize| boxed.iter().any(|b| b.0 == at);
    let others = (0..places.len()).filter(|&at| !is_boxed(at) && moves(at));
    let order: Vec<usize> = boxed.iter().map(|&(place, _)| place).chain(others).collect();
    if order.len() > MAX_RANK {
        return Err(format!(
            "expected at most {MAX_RANK} strides in all modes of the matrix, as a tensor map \
             has dimensions, found {} in {}",
            order.len(),
            tile.global
        ));
    }
    let dimensions = order
        .iter()
        .map(|&at| {
            let box_extent = boxed.iter().find(|b| b.0 == at).map_or(1, |b| b.1);
            dimension(tile, &places[at], at == contiguous, box_extent)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut parts = vec![Part { start: vec![0; order.len()], offset: 0 }];
    let mut block: i64 = boxed.iter().map(|&(_, extent)| extent).product();
    for run in rest {
        parts = (0..run.extent)
            .flat_map(|i| {
                let order = &order;
                parts.iter().map(move |part| Part {
                    start: order
                        .iter()
                        .zip(&part.start)
                        .map(|(&place, &start)| start + i * run.step[place])
                        .collect(),
                    offset: part.offset + i * block,
                })
            })
            .collect();
        block *= run.extent;
    }
    Ok(Transfer { map: TensorMap { dimensions, swizzle, im2col: None }, parts })
}

/// A digit of a coordinate.
struct Place {
    mode: usize,
    /// Its number among those of its mode.
    number: usize,
    digit: Digit,
}

/// The digits of all modes.
fn places(tile: &Tile<'_>) -> Result<Vec<Place>, String> {
    let modes = tile.global.modes();
    if modes.len() != tile.coordinates.len() {
        return Err(format!(
            "expected a matrix of {} modes, found {}",
            tile.coordinates.len(),
            tile.global
        ));
    }
    let mut places = Vec::new();
    for (mode, (layout, own)) in modes.iter().zip(tile.coordinates).enumerate() {
        let digits = digits(layout);
        if digits.len() > 1 {
            let reach = reach(&own.layout).ok_or_else(|| {
                format!("expected coordinates from 0 along mode {mode}, found {}", own.layout)
            })?;
            if let Some(block) = misfit(&digits, own.divisor, reach) {
                return Err(format!(
                    "expected tiles of whole blocks of {block} along mode {mode} of the matrix, or \
                     within one, found {reach} from multiples of {} on in {}",
                    own.divisor, tile.global
                ));
            }
        }
        let digits = digits.into_iter().enumerate();
        places.extend(digits.map(|(number, digit)| Place { mode, number, digit }));
    }
    Ok(places)
}

/// One more than a layout's greatest offset, where none is below 0.
fn reach(layout: &Layout) -> Option<i64> {
    layout.flat().iter().try_fold(1_i64, |all, &(extent, stride)| {
        (stride >= 0).then_some(())?;
        all.checked_add((extent - 1).checked_mul(stride)?)
    })
}

/// The digits of successive offsets in shared memory, as runs.
fn runs(tile: &Tile<'_>, places: &[Place]) -> Result<Vec<Run>, String> {
    let message = |error: layout_algebra::Error| error.to_string();
    let shared = tile.shared.inner();
    let size = shared.size();
    let inverse = shared.right_inverse().map_err(message)?;
    if inverse.size() != size {
        return Err(format!(
            "expected a tile that fills shared memory without holes, found {} of {size} elements \
             in a row in {}",
            inverse.size(),
            tile.shared
        ));
    }
    let at = |offset: i64| -> Result<Vec<i64>, String> {
        let index = inverse.at(offset).map_err(message)?;
        let modes: Vec<i64> = tile
            .coordinates
            .iter()
            .map(|own| own.layout.at(index).map_err(message))
            .collect::<Result<_, _>>()?;
        Ok(places.iter().map(|place| place.digit.of(modes[place.mode])).collect())
    };
    let mut runs: Vec<Run> = Vec::new();
    let mut block = 1;
    while block < size {
        let step = at(block)?;
        let mut extent = 1;
        while block * (extent + 1) <= size
            && at(block * extent)?.iter().zip(&step).all(|(&found, &step)| found == extent * step)
        {
            extent += 1;
        }
        runs.push(Run { extent, step });
        block *= extent;
    }
    for offset in 0..size {
        let mut left = offset;
        let mut expected = vec![0; places.len()];
        for run in &runs {
            let value = left % run.extent;
            left /= run.extent;
            for (sum, step) in expected.iter_mut().zip(&run.step) {
                *sum += value * step;
            }
        }
        let found = at(offset)?;
        if found != expected {
            return Err(format!(
                "expected a tile whose coordinates step evenly through shared memory, found \
                 {found:?} in place of {expected:?} at offset {offset} of {}",
                tile.shared
            ));
        }
    }
    Ok(runs)
}

/// The dimension along which a step goes by one, if it goes along no other.
fn unit(step: &[i64]) -> Option<usize> {
    let mut moved = step.iter().enumerate().filter(|&(_, &step)| step != 0);
    match (moved.next(), moved.next()) {
        (Some((place, 1)), None) => Some(place),
        _ => None,
    }
}

fn refusal(tile: &Tile<'_>, first: Option<&Run>, swizzle: i64) -> String {
    let width = swizzle / tile.element_bytes;
    match first {
        Some(run) if unit(&run.step).is_some() && swizzle != 0 => format!(
            "expected rows of {width} elements in shared memory, which fill a swizzle of {swizzle} \
             bytes, found {} in {}",
            run.extent, tile.shared
        ),
        Some(run) if unit(&run.step).is_some() => format!(
            "expected rows of at most {BOX_LIMIT} elements in shared memory, found {} in {}",
            run.extent, tile.shared
        ),
        Some(run) => format!(
            "expected neighbours in shared memory to be neighbours along one mode of the matrix, \
             found a step of {:?} in {}",
            run.step, tile.shared
        ),
        None => format!("expected a tile of several elements, found {}", tile.shared),
    }
}

fn dimension(
    tile: &Tile<'_>,
    place: &Place,
    contiguous: bool,
    box_extent: i64,
) -> Result<Dimension, String> {
    let Place { mode, number, digit } = *place;
    let limit = tile.coordinates[mode].limit;
    let size = digit.block.saturating_mul(digit.extent);
    let extent = match digit.count {
        // All digits of a coordinate below the bound are below their own.
        Some(count) => count,
        None if limit % digit.block == 0 => limit / digit.block,
        None => {
            return Err(format!(
                "expected an extent of whole blocks of {} along mode {mode} of the matrix, found \
                 {limit}",
                digit.block
            ));
        }
    };
    if limit < 1 || extent > digit.extent.max(1) || extent > EXTENT_LIMIT {
        return Err(format!(
            "expected an extent from 1 to {} along mode {mode} of the matrix, found {limit}",
            size.clamp(1, EXTENT_LIMIT)
        ));
    }
    let of = |stride| Dimension { mode, digit: number, extent, stride, box_extent };
    // A digit of one step has no stride of its own.
    let alone = digit.extent == 1;
    if contiguous {
        return match digit.stride {
            1 => Ok(of(tile.element_bytes)),
            _ if alone => Ok(of(tile.element_bytes)),
            _ => Err(format!(
                "expected mode {mode} of the matrix, which is contiguous in shared memory, to have \
                 stride 1, found {}",
                tile.global
            )),
        };
    }
    let bytes = digit.stride.checked_mul(tile.element_bytes).unwrap_or(i64::MAX);
    let bytes = if alone {
        (bytes + STRIDE_ALIGNMENT - 1) / STRIDE_ALIGNMENT * STRIDE_ALIGNMENT
    } else {
        bytes
    };
    if bytes < 1 || bytes % STRIDE_ALIGNMENT != 0 || bytes >= STRIDE_LIMIT {
        return Err(format!(
            "expected a stride of a multiple of {STRIDE_ALIGNMENT} bytes below 2^40 along mode {mode} of the \
             matrix, found {bytes} in {}",
            tile.global
        ));
    }
    Ok(of(bytes))
}
