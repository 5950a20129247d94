//! Bulk tensor copies: the tensor map and the boxes that move a tile, derived from layouts.
//!
//! A tile is known by three layouts of one index: where its elements lie in shared memory, and the
//! coordinate that each has along every mode of the global matrix. A mode of several strides is as many
//! dimensions of the map: the digits of its coordinate, which the map counts each for itself. The
//! inverse of the first layout, read through the digits of the others, says which digits lie in a row in
//! shared memory; what one instruction can take of that row is a box, the rest is repeated.
//!
//! ```text
//! (M,(8,K/8)):(8,(1,8M))  of 16-bit elements, in blocks of 16 bytes: three dimensions
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
pub const MOST_DIMENSIONS: usize = 5;

/// Most elements of a box along one dimension.
const BOX_LIMIT: i64 = 256;

/// Bytes that strides and rows of a box are multiples of.
pub const GRANULE: i64 = 16;

/// Bytes that the places of boxes in shared memory are multiples of.
pub const BOX_PLACE: i64 = 128;

/// Bound of a tensor map's extents.
const EXTENT_LIMIT: i64 = 1 << 32;

/// Bound of a tensor map's strides in bytes.
const STRIDE_LIMIT: i64 = 1 << 40;

/// A mode's coordinates that a tensor map counts by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// Coordinates of a step.
    pub block: i64,
    /// Steps after which the mode's next digit takes one; none of the last, which takes all that is left.
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

/// The digits of a mode's coordinate, fewest first: one for each stride. Neighbours that go on as one are
/// one. A mode of one coordinate has one.
pub fn digits(mode: &Layout) -> Vec<Digit> {
    let leaves = mode.flat();
    let mut digits: Vec<Digit> = Vec::new();
    let mut block: i64 = 1;
    for &(extent, stride) in leaves.iter().filter(|leaf| leaf.0 != 1) {
        match digits.last_mut() {
            Some(before) if before.stride.checked_mul(before.extent) == Some(stride) => {
                before.extent = before.extent.saturating_mul(extent);
            }
            _ => digits.push(Digit { block, count: None, extent, stride }),
        }
        block = block.saturating_mul(extent);
    }
    let last = digits.len().saturating_sub(1);
    for digit in digits.iter_mut().take(last) {
        digit.count = Some(digit.extent);
    }
    if digits.is_empty() {
        let stride = leaves.last().map_or(1, |leaf| leaf.1.max(1));
        digits.push(Digit { block: 1, count: None, extent: 1, stride });
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
    /// Which of the mode's digits it counts.
    pub digit: usize,
    /// Steps that exist; what lies beyond them reads as zero.
    pub extent: i64,
    /// Bytes between neighbours.
    pub stride: i64,
    /// Elements of a box.
    pub box_extent: i64,
}

/// What a tensor map is made of; the contiguous dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// In the order of the box in shared memory, then those along which a box has one element.
    pub dimensions: Vec<Dimension>,
    /// Bytes of a swizzled row of the box: 0, 32, 64 or 128.
    pub swizzle: i64,
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
        let period = if swizzle == 0 { BOX_PLACE } else { swizzle * SWIZZLE_ROWS };
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
    /// Of each element, from the tile's first coordinate on.
    pub layout: Layout,
    /// Their bound.
    pub limit: i64,
    /// What the first coordinate is known to be a multiple of; 0 where it is 0.
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
/// A layout that bulk tensor copies cannot take: which condition fails, and what would do.
pub fn derive(tile: &Tile<'_>) -> Result<Transfer, String> {
    let places = places(tile)?;
    let runs = runs(tile, &places)?;
    let swizzle = swizzle_bytes(tile.shared, tile.element_bytes).map_err(|v| v.to_string())?;
    // A box is the longest start of the runs in which each steps through a dimension of its own.
    let mut boxed: Vec<(usize, i64)> = Vec::new();
    let mut rest = runs.as_slice();
    while let Some((run, behind)) = rest.split_first() {
        let Some(place) = unit(&run.step) else { break };
        let rows_match =
            swizzle == 0 || !boxed.is_empty() || run.extent * tile.element_bytes == swizzle;
        if boxed.iter().any(|&(taken, _)| taken == place) || !rows_match || run.extent > BOX_LIMIT {
            break;
        }
        boxed.push((place, run.extent));
        rest = behind;
    }
    let Some(&(contiguous, row)) = boxed.first() else {
        return Err(refusal(tile, runs.first(), swizzle));
    };
    let bytes = row * tile.element_bytes;
    if bytes % GRANULE != 0 {
        return Err(format!(
            "expected rows in shared memory that are a multiple of {GRANULE} bytes, found {bytes} \
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
    if order.len() > MOST_DIMENSIONS {
        return Err(format!(
            "expected at most {MOST_DIMENSIONS} strides in all modes of the matrix, as a tensor map \
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
    Ok(Transfer { map: TensorMap { dimensions, swizzle }, parts })
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
    let bytes = if alone { (bytes + GRANULE - 1) / GRANULE * GRANULE } else { bytes };
    if bytes < 1 || bytes % GRANULE != 0 || bytes >= STRIDE_LIMIT {
        return Err(format!(
            "expected a stride of a multiple of {GRANULE} bytes below 2^40 along mode {mode} of the \
             matrix, found {bytes} in {}",
            tile.global
        ));
    }
    Ok(of(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::evaluate::any_layout;

    /// A tile `(rows, columns)` of a matrix.
    fn of(global: &str, (rows, columns): (i64, i64), shared: &str) -> Result<Transfer, String> {
        let global: Layout = global.parse().expect("a layout");
        let modes = global.modes();
        let guard = |stride: &str, mode: usize| {
            let layout = format!("({rows},{columns}):{stride}").parse().expect("a layout");
            let divisor = [rows, columns][mode];
            Coordinates { layout, limit: modes[mode].size(), divisor }
        };
        derive(&Tile {
            global: &global,
            coordinates: &[guard("(1,0)", 0), guard("(0,1)", 1)],
            shared: &any_layout(shared).expect("a layout"),
            element_bytes: 2,
        })
    }

    #[test]
    fn a_k_major_tile_is_one_box() {
        let transfer =
            of("(4096,512):(512,1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)").expect("a box");
        assert_eq!(
            transfer.map.dimensions,
            [
                Dimension { mode: 1, digit: 0, extent: 512, stride: 2, box_extent: 64 },
                Dimension { mode: 0, digit: 0, extent: 4096, stride: 1024, box_extent: 128 },
            ]
        );
        assert_eq!(transfer.map.swizzle, 128);
        assert_eq!(transfer.parts, [Part { start: vec![0, 0], offset: 0 }]);
    }

    #[test]
    fn an_mn_major_tile_is_a_box_for_each_swizzled_column() {
        let shared = "S<3,3,3> o 0 o ((64,2),64):((1,4096),64)";
        let transfer = of("(4096,512):(1,4096)", (128, 64), shared).expect("boxes");
        assert_eq!(
            transfer.map.dimensions,
            [
                Dimension { mode: 0, digit: 0, extent: 4096, stride: 2, box_extent: 64 },
                Dimension { mode: 1, digit: 0, extent: 512, stride: 8192, box_extent: 64 },
            ]
        );
        assert_eq!(
            transfer.parts,
            [Part { start: vec![0, 0], offset: 0 }, Part { start: vec![64, 0], offset: 4096 },]
        );
    }

    /// Every element of the tile comes to its place: the boxes, one by one, against the layouts.
    #[test]
    fn boxes_put_every_element_where_the_layout_has_it() {
        for (global, tile, shared) in [
            ("(256,256):(256,1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
            ("(256,256):(256,1)", (16, 32), "S<2,3,3> o 0 o (16,32):(32,1)"),
            ("(256,256):(1,256)", (128, 64), "S<3,3,3> o 0 o ((64,2),64):((1,4096),64)"),
            ("(256,256):(1,256)", (128, 16), "S<3,3,3> o 0 o ((64,2),(8,2)):((1,512),(64,1024))"),
            ("(256,256):(256,1)", (64, 128), "S<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))"),
            ("(256,256):(256,1)", (8, 16), "(8,16):(16,1)"),
            // In blocks: of 16 bytes along either mode, of a swizzle's rows, and larger than a tile.
            ("(256,(8,32)):(8,(1,2048))", (64, 64), "(64,(8,8)):(8,(1,512))"),
            ("((8,32),256):((1,2048),8)", (64, 64), "((8,8),64):((1,512),8)"),
            ("(256,(32,8)):(32,(1,8192))", (64, 64), "S<2,3,3> o 0 o (64,(32,2)):(32,(1,2048))"),
            ("(256,(128,2)):(128,(1,32768))", (64, 64), "S<3,3,3> o 0 o (64,64):(64,1)"),
            ("((64,4),256):((1,16384),64)", (128, 64), "S<3,3,3> o 0 o ((64,2),64):((1,4096),64)"),
            ("((64,4),256):((256,16448),1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
            ("((2,4,32),256):((256,8192,512),1)", (32, 64), "S<3,3,3> o 0 o (32,64):(64,1)"),
        ] {
            let transfer = of(global, tile, shared).expect("boxes");
            let layout = any_layout(shared).expect("a layout");
            let modes = global.parse::<Layout>().expect("a layout").modes();
            let mut places = std::collections::HashMap::new();
            for part in &transfer.parts {
                let dimensions = &transfer.map.dimensions;
                let size: i64 = dimensions.iter().map(|dimension| dimension.box_extent).product();
                for i in 0..size {
                    // A coordinate is the sum of its digits' blocks.
                    let (mut rest, mut coordinate) = (i, [0, 0]);
                    for (dimension, start) in dimensions.iter().zip(&part.start) {
                        let digit = digits(&modes[dimension.mode])[dimension.digit];
                        let step = start + rest % dimension.box_extent;
                        rest /= dimension.box_extent;
                        coordinate[dimension.mode] += step * digit.block;
                        assert_eq!(dimension.stride, 2 * digit.stride);
                    }
                    places.insert(coordinate, part.offset + i);
                }
            }
            for column in 0..tile.1 {
                for row in 0..tile.0 {
                    let place = layout.inner().at(row + tile.0 * column).expect("in range");
                    assert_eq!(places.get(&[row, column]), Some(&place), "{shared} {row} {column}");
                }
            }
            assert_eq!(places.len() as i64, tile.0 * tile.1);
        }
    }

    /// A batch is one more dimension, and one matrix for all of it is none.
    #[test]
    fn a_batch_is_a_dimension_unless_it_is_one_matrix() {
        let of = |global: &str| {
            let global: Layout = global.parse().expect("a layout");
            let guard = |stride: &str, limit, divisor| {
                let layout = format!("(128,64,1):{stride}").parse().expect("a layout");
                Coordinates { layout, limit, divisor }
            };
            let coordinates =
                [guard("(1,0,0)", 256, 128), guard("(0,1,0)", 512, 64), guard("(0,0,1)", 3, 1)];
            let shared = any_layout("S<3,3,3> o 0 o (128,64):(64,1)").expect("a layout");
            let tile = Tile {
                global: &global,
                coordinates: &coordinates,
                shared: &shared,
                element_bytes: 2,
            };
            derive(&tile).map(|transfer| (transfer.map.dimensions, transfer.parts))
        };
        let row = Dimension { mode: 1, digit: 0, extent: 512, stride: 2, box_extent: 64 };
        let column = Dimension { mode: 0, digit: 0, extent: 256, stride: 1024, box_extent: 128 };
        let batch = Dimension { mode: 2, digit: 0, extent: 3, stride: 262_144, box_extent: 1 };
        let part = |rank| vec![Part { start: vec![0; rank], offset: 0 }];
        assert_eq!(of("(256,512,3):(512,1,131072)"), Ok((vec![row, column, batch], part(3))));
        assert_eq!(of("(256,512,3):(512,1,0)"), Ok((vec![row, column], part(2))));
        assert_eq!(
            of("(256,512,3):(512,1,131073)").expect_err("no map"),
            "expected a stride of a multiple of 16 bytes below 2^40 along mode 2 of the matrix, \
             found 262146 in (256,512,3):(512,1,131073)"
        );
    }

    /// What CUDA calls an interleaved matrix: a dimension for the blocks, and no interleave.
    #[test]
    fn blocks_are_a_dimension() {
        let transfer =
            of("(200,(8,17)):(8,(1,1600))", (64, 64), "(64,(8,8)):(8,(1,512))").expect("a box");
        let of = |mode, digit, extent, stride, box_extent| Dimension {
            mode,
            digit,
            extent,
            stride,
            box_extent,
        };
        assert_eq!(
            transfer.map.dimensions,
            [of(1, 0, 8, 2, 8), of(0, 0, 200, 16, 64), of(1, 1, 17, 3200, 8)]
        );
        assert_eq!(transfer.map.swizzle, 0);
        assert_eq!(transfer.parts, [Part { start: vec![0, 0, 0], offset: 0 }]);
    }

    #[test]
    fn digits_of_a_mode_are_its_strides() {
        let of = |text: &str| {
            let digits = digits(&text.parse::<Layout>().expect("a layout"));
            let all = digits.into_iter().map(|d| (d.block, d.count, d.extent, d.stride));
            all.collect::<Vec<_>>()
        };
        assert_eq!(of("(8,17):(1,1600)"), [(1, Some(8), 8, 1), (8, None, 17, 1600)]);
        assert_eq!(of("(8,1,4,2):(1,7,8,64)"), [(1, Some(32), 32, 1), (32, None, 2, 64)]);
        assert_eq!(of("(8,1):(1,1600)"), [(1, None, 8, 1)]);
        assert_eq!(of("(1,1):(5,9)"), [(1, None, 1, 9)]);
        let digits = digits(&"(8,4,3):(1,100,1000)".parse::<Layout>().expect("a layout"));
        assert_eq!(digits.iter().map(|digit| digit.of(77)).collect::<Vec<_>>(), [5, 1, 2]);
        assert!(digits[0].is_zero(8) && !digits[1].is_zero(8) && digits[1].is_zero(32));
        assert!(!digits[2].is_zero(32) && digits[0].is_zero(0));
        assert_eq!(misfit(&digits, 32, 32), None);
        assert_eq!(misfit(&digits, 8, 8), None);
        assert_eq!(misfit(&digits, 4, 4), None);
        assert_eq!(misfit(&digits, 8, 16), Some(32));
        assert_eq!(misfit(&digits, 12, 12), Some(8));
    }

    #[test]
    fn other_layouts_are_refused_with_the_condition() {
        let error = |global, tile, shared| of(global, tile, shared).expect_err("no boxes");
        assert_eq!(
            error("(4097,4099):(4099,1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
            "expected a stride of a multiple of 16 bytes below 2^40 along mode 0 of the matrix, \
             found 8198 in (4097,4099):(4099,1)"
        );
        assert_eq!(
            error("(256,256):(1,256)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
            "expected mode 1 of the matrix, which is contiguous in shared memory, to have stride \
             1, found (256,256):(1,256)"
        );
        assert_eq!(
            error("(256,256):(256,1)", (128, 32), "S<3,3,3> o 0 o (128,32):(32,1)"),
            "expected rows of 64 elements in shared memory, which fill a swizzle of 128 bytes, \
             found 32 in S<3,3,3> o 0 o (128,32):(32,1)"
        );
        assert_eq!(
            error("(256,256):(256,1)", (128, 64), "(128,64):(72,1)"),
            "expected a tile that fills shared memory without holes, found 64 of 8192 elements in \
             a row in (128,64):(72,1)"
        );
        assert_eq!(
            error("(256,256):(256,1)", (16, 4), "(16,4):(4,1)"),
            "expected rows in shared memory that are a multiple of 16 bytes, found 8 in \
             (16,4):(4,1)"
        );
        assert_eq!(
            error("(256,(24,8)):(24,(1,6144))", (64, 64), "(64,(8,8)):(8,(1,512))"),
            "expected tiles of whole blocks of 24 along mode 1 of the matrix, or within one, found \
             64 from multiples of 64 on in (256,(24,8)):(24,(1,6144))"
        );
        assert_eq!(
            error("(256,(8,8)):(9,(1,4096))", (64, 64), "(64,(8,8)):(8,(1,512))"),
            "expected a stride of a multiple of 16 bytes below 2^40 along mode 0 of the matrix, \
             found 18 in (256,(8,8)):(9,(1,4096))"
        );
        assert_eq!(
            error(
                "((2,2,2,8),(8,8)):((8,32,128,1024),(1,8192))",
                (64, 64),
                "((2,2,2,8),(8,8)):((8,16,32,64),(1,512))"
            ),
            "expected at most 5 strides in all modes of the matrix, as a tensor map has dimensions, \
             found 6 in ((2,2,2,8),(8,8)):((8,32,128,1024),(1,8192))"
        );
    }
}
