//! The partitions of a tiled matmul, as terms of the algebra. Imports no other part.
//!
//! Every function here returns the text of a term; nothing computes an offset. A tile of extents
//! `(m,k)` is named by its column-major coordinates, so a term maps `(thread, value, …)` to a
//! position in the tile, and composing a view of that tile with the term partitions the view. The
//! same term is used for the data, the shared buffer and the predicates.

use layout_dialect::atoms::Atom;

/// Which mode of a rank-2 operand is contiguous in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Major {
    /// The first mode: M of A, N of B.
    Outer,
    /// The reduction mode.
    Reduction,
}

/// Threads an instruction's warp has.
pub(crate) const WARP: i64 = 32;

/// The identity layout of a tile: column-major coordinates to themselves.
fn tile((rows, columns): (i64, i64)) -> String {
    format!("({rows},{columns}):(1,{rows})")
}

/// `tile` divided into `by`, with each piece arranged by the thread-value layout `tv`:
/// `((thread,value),(rows,columns))` to tile coordinates.
fn arrange(whole: (i64, i64), by: (i64, i64), tv: &str) -> String {
    format!("composition(zipped_divide({}, ({},{})), <{tv}, _>)", tile(whole), by.0, by.1)
}

/// How `threads` threads copy a tile in vectors of `vector` elements along the contiguous mode:
/// `((thread,value),(rows,columns))`, and the extents that one pass of all threads covers.
///
/// # Errors
///
/// When a whole number of passes does not cover the tile.
pub(crate) fn copy(
    extent: (i64, i64),
    threads: i64,
    major: Major,
    vector: i64,
) -> Result<String, String> {
    let (contiguous, other) = match major {
        Major::Outer => extent,
        Major::Reduction => (extent.1, extent.0),
    };
    let along = (contiguous / vector).min(threads);
    let across = if along == 0 { 0 } else { threads / along };
    if along == 0
        || across == 0
        || contiguous % (along * vector) != 0
        || threads % along != 0
        || other % across != 0
    {
        return Err(format!(
            "expected a tile that is a multiple of {threads} threads times {vector}-element vectors, found ({},{}) with {contiguous} contiguous elements",
            extent.0, extent.1
        ));
    }
    let (pass, thr, val) = match major {
        Major::Outer => (
            (along * vector, across),
            format!("({along},{across}):(1,{along})"),
            format!("({vector},1):(1,0)"),
        ),
        Major::Reduction => (
            (across, along * vector),
            format!("({across},{along}):({along},1)"),
            format!("(1,{vector}):(0,1)"),
        ),
    };
    let tv = format!(
        "composition(right_inverse(raked_product({thr}, {val})), ({threads},{vector}):(1,{threads}))"
    );
    Ok(arrange(extent, pass, &tv))
}

/// The shared buffer of a pipelined tile: `((rows,columns),stages)`, swizzled so that the eight
/// rows that `ldmatrix` reads together, and the vectors that a copy writes together, lie in
/// different banks.
///
/// The swizzle's atom is a row of at most 128 bytes, times eight rows; it permutes 16-byte units. Where that
/// leaves conflicts, [`crate::matmul::mainloop::shared_memory`] looks for another one. No warp's tile, which has
/// `warp_rows` rows, begins within a row of the atom: warps would differ in where it ends.
pub(crate) fn shared(
    extent: (i64, i64),
    warp_rows: i64,
    stages: i64,
    major: Major,
    element_bytes: i64,
) -> String {
    let is_split = major == Major::Outer && warp_rows.count_ones() > 1;
    in_rows(extent, if is_split { warp_rows } else { 0 }, stages, major, element_bytes)
}

/// As [`shared`], with another swizzle.
pub(crate) fn swizzled(
    (extent, warp_rows): ((i64, i64), i64),
    stages: i64,
    major: Major,
    element_bytes: i64,
    swizzle: &str,
) -> String {
    let text = shared(extent, warp_rows, stages, major, element_bytes);
    match (text.find("S<"), text.find(" o 0 o ")) {
        (Some(from), Some(to)) => format!("{}{swizzle}{}", &text[..from], &text[to..]),
        _ => text,
    }
}

/// As [`shared`], in rows that do not go beyond `width` elements that are in a row in memory; any number of
/// them, if that is 0.
fn in_rows(
    extent: (i64, i64),
    width: i64,
    stages: i64,
    major: Major,
    element_bytes: i64,
) -> String {
    let unit = 16 / element_bytes;
    let contiguous = match major {
        Major::Outer => extent.0,
        Major::Reduction => extent.1,
    };
    // The largest power of two that divides both.
    let row = largest_power_of_two_divisor(contiguous | width).min(128 / element_bytes);
    let bits = (row / unit).max(1).ilog2();
    let base = unit.ilog2();
    let inner = match major {
        Major::Outer => format!("({row},8):(1,{row})"),
        Major::Reduction => format!("(8,{row}):({row},1)"),
    };
    format!(
        "group(tile_to_shape(S<{bits},{base},3> o 0 o {inner}, ({},{},{stages})), 0, 2)",
        extent.0, extent.1
    )
}

/// As [`shared`], in an order that bulk copies fill in long boxes: the swizzle's atoms follow each
/// other along the mode that is not contiguous. Rows are of `width` elements at most, if that is not 0.
pub(crate) fn bulk_shared(
    extent: (i64, i64),
    width: i64,
    stages: i64,
    major: Major,
    element_bytes: i64,
) -> String {
    let text = in_rows(extent, width, stages, major, element_bytes);
    match major {
        Major::Reduction => text,
        Major::Outer => text.replace(&format!(",{stages}))"), &format!(",{stages}), (2,1,3))")),
    }
}

/// The tiles of `count` matrices in a stage that has their rows side by side, those of each warpgroup together:
/// `(((row,warpgroup),column),matrix)` to the coordinates of the stage's tile.
pub(crate) fn side_by_side((rows, columns): (i64, i64), group_rows: i64, count: i64) -> String {
    let (groups, both) = (rows / group_rows, group_rows * count);
    let all = rows * count;
    format!("((({group_rows},{groups}),{columns}),{count}):(((1,{both}),{all}),{group_rows})")
}

/// Buffers of rows and columns, `count` for each of `groups`: `((rows,columns),count,groups)`, swizzled so
/// that the rows that `stmatrix` writes together lie in different banks. They go along the mode in which C is
/// contiguous; those that are in a row in shared memory are of `width` elements at most, if that is not 0.
pub(crate) fn staging(
    piece: (i64, i64),
    (major, width): (Major, i64),
    (count, groups): (i64, i64),
    element_bytes: i64,
) -> String {
    let text = in_rows(piece, width, count, major, element_bytes);
    text.replace(&format!(",{count}))"), &format!(",{count},{groups}))"))
}

/// `block_tile` divided among groups, each group's part in pieces of `piece`:
/// `((piece,(rows,columns)),(groups))`.
pub(crate) fn pieces(block_tile: (i64, i64), group_tile: (i64, i64), piece: (i64, i64)) -> String {
    let divided = format!("zipped_divide({}, ({},{}))", tile(group_tile), piece.0, piece.1);
    arrange(block_tile, group_tile, &divided)
}

/// The values that a warp's threads hold of an operand tile for one MMA atom repeated over
/// `warp_tile`, for all warps of the block: `(((lane,value),(rows,columns)),(warps,1))`.
pub(crate) fn fragment(
    block_tile: (i64, i64),
    warp_tile: (i64, i64),
    atom_tile: (i64, i64),
    atom_tv: &str,
) -> String {
    let warp = arrange(warp_tile, atom_tile, atom_tv);
    warps(block_tile, warp_tile, &warp)
}

/// As [`fragment`], but for the addresses that each lane gives to a collective copy: lane `l`
/// names the elements that the copy's source layout gives to `l`, and the copy's destination
/// layout then gives each lane the values that the MMA atom takes.
///
/// With `D` the copy's destination layout, `S` its source layout and `TV` the atom's values, the
/// lane addresses are `TV o D^-1 o S`.
pub(crate) fn collective_source(
    block_tile: (i64, i64),
    warp_tile: (i64, i64),
    atom_tile: (i64, i64),
    atom_tv: &str,
    (copy, element_bytes): (&Atom, i64),
) -> Result<String, String> {
    let (Some(source), Some(destination)) =
        (copy.source(element_bytes), copy.destination(element_bytes))
    else {
        return Err(format!(
            "expected a collective copy atom for elements of {element_bytes} bytes, found {}",
            copy.name
        ));
    };
    let exchange = format!("composition(right_inverse({destination}), {source})");
    let warp = format!("composition({}, <{exchange}, _>)", arrange(warp_tile, atom_tile, atom_tv));
    Ok(warps(block_tile, warp_tile, &warp))
}

/// `block_tile` divided among warps, each piece arranged by `warp`.
fn warps(block_tile: (i64, i64), warp_tile: (i64, i64), warp: &str) -> String {
    arrange(block_tile, warp_tile, warp)
}

/// The values that a warpgroup's threads hold of an operand tile for one atom repeated over `group_tile`,
/// for all warpgroups of the block: `((((lane,value),warp),(rows,columns)),(groups,1))`. For a collective
/// copy, they are the addresses that each lane gives, as in [`collective_source`].
///
/// The atom's threads are three modes, of which the last is the warp.
pub(crate) fn held_source(
    block_tile: (i64, i64),
    group_tile: (i64, i64),
    atom_tile: (i64, i64),
    atom_tv: &str,
    (copy, element_bytes): (&Atom, i64),
) -> String {
    let lane = format!("make_layout(get({atom_tv}, 0, 0), get({atom_tv}, 0, 1))");
    let held = format!("make_layout(make_layout({lane}, get({atom_tv}, 1)), get({atom_tv}, 0, 2))");
    let by_warp = match (copy.source(element_bytes), copy.destination(element_bytes)) {
        (Some(source), Some(destination)) => {
            let exchange = format!("composition(right_inverse({destination}), {source})");
            format!("composition({held}, <{exchange}, _>)")
        }
        _ => held,
    };
    fragment(block_tile, group_tile, atom_tile, &by_warp)
}

/// Two atoms of the second operand side by side along N: a thread-value layout over twice the
/// extent, so that one `ldmatrix.x4` feeds both.
pub(crate) fn paired(atom_tile: (i64, i64), atom_tv: &str) -> ((i64, i64), String) {
    let extent = (2 * atom_tile.0, atom_tile.1);
    let pair = arrange(extent, atom_tile, atom_tv);
    let tv =
        format!("make_layout(get({pair}, 0, 0), make_layout(get({pair}, 0, 1), get({pair}, 1)))");
    (extent, tv)
}

fn largest_power_of_two_divisor(n: i64) -> i64 {
    n & n.wrapping_neg()
}
