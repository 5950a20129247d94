//! The tile scheduler of a grouped GEMM: one raster covers the tiles of all problems, one problem's after the other's.
//! The work on a tile is in branches, one for each problem; all threads of a block take the same one.

use crate::matmul::emit::{Emit, Emitted};
use layout_dialect::build::{Builder, Val};
use melior::ir::Type;

/// The tiles of a problem among those of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// Tiles of the problems before it.
    pub(crate) first: i64,
    /// Tiles of it.
    pub(crate) tiles: i64,
}

/// The ranges of problems with these numbers of tiles.
pub(crate) fn ranges(tiles: impl Iterator<Item = i64>) -> Vec<Range> {
    let mut first = 0_i64;
    tiles
        .map(|tiles| {
            let range = Range { first, tiles };
            first = range.end();
            range
        })
        .collect()
}

impl Range {
    /// The first tile after it.
    pub(crate) fn end(self) -> i64 {
        self.first.saturating_add(self.tiles)
    }

    /// The number of a tile among the problem's own, in the branch where it is one of them; elsewhere
    /// it is clamped to one of them, which proofs assume.
    fn own<'c>(self, e: &Emit<'c>, tile: Val<'c>) -> Emitted<Val<'c>> {
        let number = |value| e.b.constant(Type::index(e.b.context()), value);
        let last = number(self.end() - 1)?;
        let tile = e.b.binary("arith.minui", tile, last)?;
        if self.first == 0 {
            return Ok(tile);
        }
        let first = number(self.first)?;
        e.b.binary("arith.subi", e.b.binary("arith.maxsi", tile, first)?, first)
    }
}

/// How many of some problems are on the first side of the branch that distinguishes them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Split {
    /// The first one: a linear search. With a binary search, kernels of warpgroups, which search in every
    /// step, have local memory (runs `2026-11-22-grouped-warps`).
    First,
    /// Half of them: a binary search.
    Half,
}

/// Emits the work on a tile of a problem, given the problem's number and the tile's number among its own.
pub(crate) type ForGemm<'a, 'c> = &'a dyn Fn(&Emit<'c>, usize, Val<'c>) -> Emitted<()>;

/// Branches by the problem of a tile.
pub(crate) fn of_gemm<'c>(
    e: &Emit<'c>,
    tile: Val<'c>,
    (all, split): (&[Range], Split),
    act: ForGemm<'_, 'c>,
) -> Emitted<()> {
    match all {
        [_] => act(e, 0, tile),
        _ => among(e, tile, (0, all), split, act),
    }
}

/// Branches by the problem of a tile, among some of them from a number on.
fn among<'c>(
    e: &Emit<'c>,
    tile: Val<'c>,
    (number, some): (usize, &[Range]),
    split: Split,
    act: ForGemm<'_, 'c>,
) -> Emitted<()> {
    let count = match split {
        Split::First => some.len().min(2) / 2,
        Split::Half => some.len() / 2,
    };
    let (before, rest) = some.split_at(count);
    let Some(last) = before.last() else {
        return match rest {
            [one] => act(e, number, one.own(e, tile)?),
            _ => Ok(()),
        };
    };
    let end = e.b.constant(Type::index(e.b.context()), last.end())?;
    let is_before = e.b.less(tile, end)?;
    let part = |b: Builder<'c>, some| -> Emitted<Vec<Val<'c>>> {
        among(&Emit { b }, tile, some, split, act)?;
        Ok(Vec::new())
    };
    let otherwise = |b: Builder<'c>| part(b, (number + count, rest));
    e.b.branch(is_before, &[], |b| part(b, (number, before)), Some(&otherwise))?;
    Ok(())
}

#[cfg(test)]
#[path = "../../../tests/matmul/grouped.rs"]
mod tests;
