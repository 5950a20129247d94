//! Bulk tensor copies: the tensor map and the boxes that move a tile, derived from layouts.
//!
//! A tile is known by three layouts of one index: where its elements lie in shared memory, and the
//! coordinate that each has along every mode of the global matrix. The inverse of the first, read
//! through the others, says which coordinates lie in a row in shared memory; what one instruction
//! can take of that row is a box, the rest is repeated.

use super::shared_matrix::swizzle_bytes;
use layout_algebra::{AnyLayout, Layout, right_inverse};

/// Most elements of a box along one mode.
const BOX_LIMIT: i64 = 256;

/// Bytes that strides and rows of a box are multiples of.
const GRANULE: i64 = 16;

/// Bound of a tensor map's extents.
const EXTENT_LIMIT: i64 = 1 << 32;

/// Bound of a tensor map's strides in bytes.
const STRIDE_LIMIT: i64 = 1 << 40;

/// One dimension of a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The mode of the global matrix.
    pub mode: usize,
    /// Coordinates that exist; others read as zero.
    pub extent: i64,
    /// Bytes between neighbours.
    pub stride: i64,
    /// Elements of a box.
    pub box_extent: i64,
}

/// What a tensor map is made of; the contiguous dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// Fewest strides first.
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

/// A tile on its way from a global matrix to shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// The whole matrix in global memory.
    pub global: &'a Layout,
    /// For each mode of the matrix, the coordinates of the tile's elements, and their bound.
    pub coordinates: &'a [(Layout, i64)],
    /// The tile in shared memory.
    pub shared: &'a AnyLayout,
    /// Bytes of an element.
    pub element_bytes: i64,
}

/// A digit of offsets in shared memory: so many steps, each to another coordinate.
struct Digit {
    extent: i64,
    step: Vec<i64>,
}

/// The copy of a tile.
///
/// # Errors
///
/// A layout that bulk tensor copies cannot take: which condition fails, and what would do.
pub fn derive(tile: &Tile<'_>) -> Result<Transfer, String> {
    let digits = digits(tile)?;
    let swizzle = swizzle_bytes(tile.shared, tile.element_bytes).map_err(|v| v.to_string())?;
    // A box is the longest start of the digits in which each steps through a mode of its own.
    let mut boxed: Vec<(usize, i64)> = Vec::new();
    let mut rest = digits.as_slice();
    while let Some((digit, behind)) = rest.split_first() {
        let Some(mode) = unit(&digit.step) else { break };
        let rows_match =
            swizzle == 0 || !boxed.is_empty() || digit.extent * tile.element_bytes == swizzle;
        if boxed.iter().any(|&(taken, _)| taken == mode) || !rows_match || digit.extent > BOX_LIMIT
        {
            break;
        }
        boxed.push((mode, digit.extent));
        rest = behind;
    }
    let Some(&(contiguous, row)) = boxed.first() else {
        return Err(refusal(tile, digits.first(), swizzle));
    };
    let bytes = row * tile.element_bytes;
    if bytes % GRANULE != 0 {
        return Err(format!(
            "expected rows in shared memory that are a multiple of {GRANULE} bytes, found {bytes} \
             in {}",
            tile.shared
        ));
    }
    // The same elements for every coordinate along a mode are no dimension of memory.
    let others = (0..tile.coordinates.len()).filter(|&mode| {
        mode != contiguous && (boxed.iter().any(|b| b.0 == mode) || !repeats(tile.global, mode))
    });
    let order: Vec<usize> = std::iter::once(contiguous).chain(others).collect();
    let dimensions = order
        .iter()
        .map(|&mode| {
            let box_extent = boxed.iter().find(|b| b.0 == mode).map_or(1, |b| b.1);
            dimension(tile, mode, mode == contiguous, box_extent)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut parts = vec![Part { start: vec![0; order.len()], offset: 0 }];
    let mut block: i64 = boxed.iter().map(|&(_, extent)| extent).product();
    for digit in rest {
        parts = (0..digit.extent)
            .flat_map(|i| {
                let order = &order;
                parts.iter().map(move |part| Part {
                    start: order
                        .iter()
                        .zip(&part.start)
                        .map(|(&mode, &start)| start + i * digit.step[mode])
                        .collect(),
                    offset: part.offset + i * block,
                })
            })
            .collect();
        block *= digit.extent;
    }
    Ok(Transfer { map: TensorMap { dimensions, swizzle }, parts })
}

/// Whether all matrices along a mode are one: several coordinates, and strides of 0.
fn repeats(matrix: &Layout, mode: usize) -> bool {
    matrix.mode(mode).is_some_and(|mode| {
        mode.size() > 1 && mode.flat().iter().all(|&(extent, stride)| extent == 1 || stride == 0)
    })
}

/// The coordinates of successive offsets in shared memory, as digits.
fn digits(tile: &Tile<'_>) -> Result<Vec<Digit>, String> {
    let message = |error: layout_algebra::Error| error.to_string();
    let shared = tile.shared.inner();
    let size = shared.size();
    let inverse = right_inverse(shared).map_err(message)?;
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
        tile.coordinates.iter().map(|(layout, _)| layout.at(index).map_err(message)).collect()
    };
    let mut digits: Vec<Digit> = Vec::new();
    let mut block = 1;
    while block < size {
        let step = at(block)?;
        let mut extent = 1;
        while block * (extent + 1) <= size
            && at(block * extent)?.iter().zip(&step).all(|(&found, &step)| found == extent * step)
        {
            extent += 1;
        }
        digits.push(Digit { extent, step });
        block *= extent;
    }
    for offset in 0..size {
        let mut left = offset;
        let mut expected = vec![0; tile.coordinates.len()];
        for digit in &digits {
            let value = left % digit.extent;
            left /= digit.extent;
            for (sum, step) in expected.iter_mut().zip(&digit.step) {
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
    Ok(digits)
}

/// The mode along which a step goes by one, if it goes along no other.
fn unit(step: &[i64]) -> Option<usize> {
    let mut moved = step.iter().enumerate().filter(|&(_, &step)| step != 0);
    match (moved.next(), moved.next()) {
        (Some((mode, 1)), None) => Some(mode),
        _ => None,
    }
}

fn refusal(tile: &Tile<'_>, first: Option<&Digit>, swizzle: i64) -> String {
    let width = swizzle / tile.element_bytes;
    match first {
        Some(digit) if unit(&digit.step).is_some() && swizzle != 0 => format!(
            "expected rows of {width} elements in shared memory, which fill a swizzle of {swizzle} \
             bytes, found {} in {}",
            digit.extent, tile.shared
        ),
        Some(digit) if unit(&digit.step).is_some() => format!(
            "expected rows of at most {BOX_LIMIT} elements in shared memory, found {} in {}",
            digit.extent, tile.shared
        ),
        Some(digit) => format!(
            "expected neighbours in shared memory to be neighbours along one mode of the matrix, \
             found a step of {:?} in {}",
            digit.step, tile.shared
        ),
        None => format!("expected a tile of several elements, found {}", tile.shared),
    }
}

fn dimension(
    tile: &Tile<'_>,
    mode: usize,
    contiguous: bool,
    box_extent: i64,
) -> Result<Dimension, String> {
    let layout = tile.global.mode(mode).ok_or_else(|| {
        format!("expected a matrix of {} modes, found {}", tile.coordinates.len(), tile.global)
    })?;
    let coalesced = layout_algebra::coalesce(&layout).map_err(|error| error.to_string())?;
    let &[(size, stride)] = coalesced.flat().as_slice() else {
        return Err(format!(
            "expected mode {mode} of the matrix to have one stride, found {layout}"
        ));
    };
    let extent = tile.coordinates[mode].1;
    if extent < 1 || extent > size.max(1) || extent > EXTENT_LIMIT {
        return Err(format!(
            "expected an extent from 1 to {} along mode {mode} of the matrix, found {extent}",
            size.clamp(1, EXTENT_LIMIT)
        ));
    }
    // A mode of one element has no stride of its own.
    let stride =
        if size == 1 { layout.flat().last().map_or(1, |leaf| leaf.1.max(1)) } else { stride };
    if contiguous {
        return match stride {
            1 => Ok(Dimension { mode, extent, stride: tile.element_bytes, box_extent }),
            _ if size == 1 => {
                Ok(Dimension { mode, extent, stride: tile.element_bytes, box_extent })
            }
            _ => Err(format!(
                "expected mode {mode} of the matrix, which is contiguous in shared memory, to have \
                 stride 1, found {}",
                tile.global
            )),
        };
    }
    let bytes = stride.checked_mul(tile.element_bytes).unwrap_or(i64::MAX);
    let bytes = if size == 1 { (bytes + GRANULE - 1) / GRANULE * GRANULE } else { bytes };
    if bytes < 1 || bytes % GRANULE != 0 || bytes >= STRIDE_LIMIT {
        return Err(format!(
            "expected a stride of a multiple of {GRANULE} bytes below 2^40 along mode {mode} of the \
             matrix, found {bytes} in {}",
            tile.global
        ));
    }
    Ok(Dimension { mode, extent, stride: bytes, box_extent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::any_layout;

    /// A tile `(rows, columns)` of a matrix.
    fn of(global: &str, (rows, columns): (i64, i64), shared: &str) -> Result<Transfer, String> {
        let global: Layout = global.parse().expect("a layout");
        let modes = global.modes();
        let guard = |stride: &str, mode: usize| {
            let layout = format!("({rows},{columns}):{stride}").parse().expect("a layout");
            (layout, modes[mode].size())
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
                Dimension { mode: 1, extent: 512, stride: 2, box_extent: 64 },
                Dimension { mode: 0, extent: 4096, stride: 1024, box_extent: 128 },
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
                Dimension { mode: 0, extent: 4096, stride: 2, box_extent: 64 },
                Dimension { mode: 1, extent: 512, stride: 8192, box_extent: 64 },
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
        ] {
            let transfer = of(global, tile, shared).expect("boxes");
            let layout = any_layout(shared).expect("a layout");
            let mut places = std::collections::HashMap::new();
            for part in &transfer.parts {
                let [x, y] = transfer.map.dimensions.as_slice() else { panic!("two dimensions") };
                for j in 0..y.box_extent {
                    for i in 0..x.box_extent {
                        let mut coordinate = [0, 0];
                        coordinate[x.mode] = part.start[0] + i;
                        coordinate[y.mode] = part.start[1] + j;
                        places.insert(coordinate, part.offset + i + x.box_extent * j);
                    }
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
            let guard = |stride: &str, extent| {
                (format!("(128,64,1):{stride}").parse().expect("a layout"), extent)
            };
            let coordinates = [guard("(1,0,0)", 256), guard("(0,1,0)", 512), guard("(0,0,1)", 3)];
            let shared = any_layout("S<3,3,3> o 0 o (128,64):(64,1)").expect("a layout");
            let tile = Tile {
                global: &global,
                coordinates: &coordinates,
                shared: &shared,
                element_bytes: 2,
            };
            derive(&tile).map(|transfer| (transfer.map.dimensions, transfer.parts))
        };
        let row = Dimension { mode: 1, extent: 512, stride: 2, box_extent: 64 };
        let column = Dimension { mode: 0, extent: 256, stride: 1024, box_extent: 128 };
        let batch = Dimension { mode: 2, extent: 3, stride: 262_144, box_extent: 1 };
        let part = |rank| vec![Part { start: vec![0; rank], offset: 0 }];
        assert_eq!(of("(256,512,3):(512,1,131072)"), Ok((vec![row, column, batch], part(3))));
        assert_eq!(of("(256,512,3):(512,1,0)"), Ok((vec![row, column], part(2))));
        assert_eq!(
            of("(256,512,3):(512,1,131073)").expect_err("no map"),
            "expected a stride of a multiple of 16 bytes below 2^40 along mode 2 of the matrix, \
             found 262146 in (256,512,3):(512,1,131073)"
        );
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
    }
}
