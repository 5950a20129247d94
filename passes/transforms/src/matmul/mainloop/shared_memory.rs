//! The layouts of buffers in shared memory, by the bank conflicts of what accesses them. Imports partitions.
//!
//! A buffer that threads copy to and load from may have any swizzle: the usual one, of 16-byte
//! units in eight rows, or where its accesses conflict one with fewer conflicts. The copy engine and `wgmma`
//! have swizzles of their own, one for each length of rows; what is chosen there is the length.

use crate::matmul::{
    NAME,
    partition::{self, Major},
};
use layout_algebra::{
    ACCESS_LIMIT, Access, AnyLayout, ComposedLayout, Conflicts, Fewest, Layout, Outer, Swizzle,
    Term,
};
use layout_dialect::diagnostics::{self, Optimization};
use layout_schedule::copies::ROW_PICOSECONDS as ROW;
use melior::ir::OperationRef;

/// Bytes of the unit that the hardware's swizzles move.
const UNIT: i64 = 16;

/// Picoseconds of a wavefront that shared memory takes: a cycle.
const WAVEFRONT: u64 = 570;

/// A buffer's layout, and the conflicts that are left of its accesses, which are empty if they are not counted.
pub(crate) struct Chosen {
    /// Term: the buffer.
    pub(crate) term: String,
    pub(crate) conflicts: Vec<Conflicts>,
}

/// The access of a partition, `((thread,value),…)` to the elements of a tile, by instructions that move so
/// many values at once.
pub(crate) fn access(partition: &str, at_once: i64) -> Option<Access> {
    let layout = plain(partition)?;
    let first = layout.mode(0)?;
    let rest = layout.mode(1)?;
    places(&[first.mode(0)?], &[first.mode(1)?, rest], at_once)
}

/// As [`access`], of a partition among warps: `(((lane,value),…),warps)`.
pub(crate) fn access_of_warps(partition: &str, at_once: i64) -> Option<Access> {
    let layout = plain(partition)?;
    let own = layout.mode(0)?;
    let first = own.mode(0)?;
    let rest = own.mode(1)?;
    places(&[first.mode(0)?, layout.mode(1)?], &[first.mode(1)?, rest], at_once)
}

/// As [`access`], of [`partition::held_source`].
pub(crate) fn access_of_held(partition: &str, at_once: i64) -> Option<Access> {
    let layout = plain(partition)?;
    let own = layout.mode(0)?;
    let (atom, rest) = (own.mode(0)?, own.mode(1)?);
    let lane = atom.mode(0)?;
    let threads = [lane.mode(0)?, atom.mode(1)?, layout.mode(1)?];
    places(&threads, &[lane.mode(1)?, rest], at_once)
}

fn places(threads: &[Layout], values: &[Layout], at_once: i64) -> Option<Access> {
    let places = Layout::make_layout(&[
        Layout::make_layout(threads).ok()?,
        Layout::make_layout(values).ok()?,
    ])
    .ok()?;
    (places.size() <= ACCESS_LIMIT).then_some(Access { places, at_once })
}

/// The part of a tile that `wgmma` reads at once: eight rows of 16 bytes, along the mode that is not contiguous.
pub(crate) fn matrices(
    (rows, columns): (i64, i64),
    major: Major,
    element_bytes: i64,
) -> Option<Access> {
    let unit = UNIT / element_bytes;
    let text = match major {
        Major::Reduction => {
            format!("({rows},({unit},{})):(1,({rows},{}))", columns / unit, rows * unit)
        }
        Major::Outer => format!("({columns},({unit},{})):({rows},(1,{unit}))", rows / unit),
    };
    let places: Layout = text.parse().ok()?;
    (places.size() <= ACCESS_LIMIT).then_some(Access { places, at_once: unit })
}

fn plain(term: &str) -> Option<Layout> {
    match Term::parse(term).ok()?.eval_layout().ok()? {
        AnyLayout::Plain(layout) => Some(layout),
        AnyLayout::Composed(_) => None,
    }
}

/// The tile of a buffer of one stage.
fn tile(term: &str) -> Option<AnyLayout> {
    match Term::parse(term).ok()?.eval_layout().ok()? {
        AnyLayout::Plain(layout) => Some(AnyLayout::Plain(layout.mode(0)?)),
        AnyLayout::Composed(composed) => {
            Some(AnyLayout::Composed(composed.with_inner(composed.inner.mode(0)?)))
        }
    }
}

/// The buffer of a tile that threads copy to and load from, each warp `warp_rows` rows.
pub(crate) fn shared(
    (extent, warp_rows): ((i64, i64), i64),
    stages: i64,
    major: Major,
    element_bytes: i64,
    accesses: &[Option<Access>],
) -> Chosen {
    let term = partition::shared(extent, warp_rows, stages, major, element_bytes);
    let usual = Chosen { term, conflicts: Vec::new() };
    let accesses: Option<Vec<Access>> = accesses.iter().cloned().collect();
    let one = partition::shared(extent, warp_rows, 1, major, element_bytes);
    let (Some(accesses), Some(first)) = (accesses, tile(&one)) else { return usual };
    let found = |candidates: &[AnyLayout]| -> Option<Fewest> {
        Fewest::among(candidates, &accesses, element_bytes * 8).ok()
    };
    match found(std::slice::from_ref(&first)) {
        None => return usual,
        Some(fewest) if fewest.extra() == 0 => {
            return Chosen { conflicts: fewest.conflicts, ..usual };
        }
        Some(_) => {}
    }
    let vector = accesses.iter().map(|access| access.at_once).max().unwrap_or(1);
    let swizzles = Swizzle::of_banks(vector, extent.0.saturating_mul(extent.1), element_bytes * 8);
    let others = swizzles.iter().map(|&swizzle| {
        let (outer, inner) = (Outer::Swizzle(swizzle), first.inner().clone());
        AnyLayout::Composed(ComposedLayout { outer, offset: 0, inner })
    });
    let candidates: Vec<AnyLayout> = std::iter::once(first.clone()).chain(others).collect();
    let Some(fewest) = found(&candidates) else { return usual };
    let term = match fewest.candidate.checked_sub(1).and_then(|i| swizzles.get(i)) {
        None => usual.term,
        Some(&swizzle) => partition::swizzled(
            (extent, warp_rows),
            stages,
            major,
            element_bytes,
            &swizzle.to_string(),
        ),
    };
    Chosen { term, conflicts: fewest.conflicts }
}

/// How long the rows of a tile are in shared memory, of at most `width` elements if that is not 0, which the
/// copy engine writes and an access reads: the width for [`partition::bulk_shared`].
pub(crate) fn loaded(
    extent: (i64, i64),
    width: i64,
    major: Major,
    element_bytes: i64,
    access: Option<Access>,
) -> (i64, Vec<Conflicts>) {
    rows(extent, width, &[access], element_bytes, |width| {
        partition::bulk_shared(extent, width, 1, major, element_bytes)
    })
}

/// As [`loaded`], of a piece of a result that threads write and the copy engine reads: the width for
/// [`partition::staging`].
pub(crate) fn written_by_threads(
    piece: (i64, i64),
    (major, width): (Major, i64),
    access: Option<Access>,
    element_bytes: i64,
) -> (i64, Vec<Conflicts>) {
    rows(piece, width, &[access], element_bytes, |width| {
        partition::staging(piece, (major, width), (1, 1), element_bytes)
    })
}

/// The width of rows for which the copy engine and what accesses them take the least: the widest that has no
/// conflicts, or the one where conflicts take less than shorter rows would.
fn rows(
    extent: (i64, i64),
    width: i64,
    accesses: &[Option<Access>],
    element_bytes: i64,
    term: impl Fn(i64) -> String,
) -> (i64, Vec<Conflicts>) {
    let accesses: Option<Vec<Access>> = accesses.iter().cloned().collect();
    let Some(accesses) = accesses else { return (width, Vec::new()) };
    let widest = if width == 0 { 128 / element_bytes } else { width & width.wrapping_neg() };
    let elements = extent.0.saturating_mul(extent.1);
    let mut best: Option<(u64, i64, Vec<Conflicts>)> = None;
    let mut own = widest.min(128 / element_bytes);
    while own * element_bytes >= UNIT {
        let number = if own == widest.min(128 / element_bytes) { width } else { own };
        let fewest = tile(&term(number))
            .and_then(|tile| Fewest::among(&[tile], &accesses, element_bytes * 8).ok());
        let Some(fewest) = fewest else { break };
        let lines = u64::try_from(elements / own.max(1)).unwrap_or(u64::MAX);
        let time =
            lines.saturating_mul(ROW).saturating_add(fewest.extra().saturating_mul(WAVEFRONT));
        let free = fewest.extra() == 0;
        if best.as_ref().is_none_or(|best| time < best.0) {
            best = Some((time, number, fewest.conflicts));
        }
        if free {
            break;
        }
        own /= 2;
    }
    best.map_or((width, Vec::new()), |(_, width, conflicts)| (width, conflicts))
}

/// Reports the bank conflicts of a kernel's buffers, where remarks are shown.
pub(crate) fn remark(matmul: OperationRef<'_, '_>, buffers: &[(&'static str, &[Conflicts])]) {
    if !diagnostics::remarks_enabled(matmul) {
        return;
    }
    let free = buffers.iter().all(|(_, conflicts)| extra(conflicts) == Some(0));
    let kind = if free { Optimization::Passed } else { Optimization::Missed };
    diagnostics::optimization_remark(matmul, kind, NAME, "bank-conflicts", &text(buffers), "");
}

/// Extra wavefronts of all accesses, or `None` if they were not counted.
fn extra(conflicts: &[Conflicts]) -> Option<u64> {
    (!conflicts.is_empty()).then(|| conflicts.iter().map(Conflicts::extra).sum())
}

fn text(buffers: &[(&'static str, &[Conflicts])]) -> String {
    let of = |&(name, conflicts): &(&'static str, &[Conflicts])| {
        let needed: usize = conflicts.iter().map(|access| access.wavefronts.len()).sum();
        match extra(conflicts) {
            None => format!("{name} not counted"),
            Some(0) => format!("{name} none"),
            Some(extra) => format!("{name} {extra} beside {needed}"),
        }
    };
    let all: Vec<String> = buffers.iter().map(of).collect();
    format!("extra wavefronts of shared memory for a tile: {}", all.join(", "))
}

#[cfg(test)]
#[path = "../../../tests/matmul/shared_memory.rs"]
mod tests;
