//! Divides: a layout split into tiles.

use crate::layout::prelude::*;
use crate::{
    integer::{Answer, Quotient, ceil},
    layout::{
        complement::{distinct_modes, sorted},
        composition::composition_of_two,
        evaluate::Budget,
        modal::{TrailingModes, by_mode, gathered, unpack_all, unpack_rests},
        modes::coalesced_x,
        tiler::Tiler,
    },
};

impl<L: Leaf> Nested<L> {
    /// Whether tiles of a tiler fill a shape exactly: CuTe's `evenly_divides` of a shape by a tiler. At each
    /// layout of the tiler, its size times that of its complement in the part of the shape is the part's
    /// size; a tiler of lower rank says nothing of the modes past its own.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::complement`](crate::Layout::complement). Under facts: sizes of which it is not known whether
    /// they are equal.
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("evenly_divides((8,12), <4:2, (2,3):(1,4)>)"), "true");
    /// assert_eq!(answer("evenly_divides((8,12), <4:3, _>)"), "false");
    /// assert_eq!(answer("evenly_divides((8,12), 12:8)"), "true");
    /// ```
    pub fn fills_evenly_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<bool, L::Error> {
        match tiler {
            TilerOf::Any => Ok(true),
            TilerOf::Layout(tile) => {
                let operands = || format!("{self}, {tiler}");
                let site = Site { operation: "evenly_divides", operands: &operands };
                let lost = |lost| L::lost(lost, "evenly_divides", operands());
                let size = self.product()?;
                let rest = tile.complement_under(facts, &Nested::Leaf(size.clone()))?;
                let total = |layout: &Layout<L>| L::total(layout.shape(), layout.measured());
                let filled = total(tile).and_then(|tile| tile.times(&total(&rest)?));
                let filled = match filled {
                    Ok(filled) => L::equal(facts, &filled, &size),
                    // A product past 64 bits is past the size.
                    Err(_) if !L::OPEN => return Ok(false),
                    Err(passed) => return Err(lost(passed)),
                };
                match filled.is_yes() || filled.is_no() {
                    true => Ok(filled.is_yes()),
                    false => Err(L::undecided(&site, vec![filled])),
                }
            }
            TilerOf::Tuple(entries) if entries.len() > self.rank() => Ok(false),
            TilerOf::Tuple(entries) => {
                let mut every = true;
                for (part, tile) in self.entries().iter().zip(entries) {
                    every &= part.fills_evenly_under(facts, tile)?;
                }
                Ok(every)
            }
        }
    }
}

impl<L: Leaf> Nested<L> {
    /// The shape of the tiles of a tiler that cover a shape: CuTe's `ceil_div` of a shape by a tiler. At each layout of
    /// the tiler it is the shape of the rest that a divide has; modes past the tiler's stay. There may be one where
    /// no divide has an answer.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::complement_under`](crate::Layout::complement_under); a tiler of more entries than the shape, or with `_`.
    /// Under facts: where it is not known in which mode the tile ends.
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("ceil_div((8,(4,6)), <2:1, (2,3):(1,4)>)"), "(4,(2,2))");
    /// assert_eq!(answer("ceil_div((1,3,1), 4:1)"), "1");
    /// ```
    pub fn tiles_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Nested<L>, L::Error> {
        match tiler {
            TilerOf::Layout(tile) => {
                let layout = Layout::compact(facts, self.clone())?;
                let longer = longer(facts, &layout, tile)?;
                Ok(rest(facts, longer.as_ref().unwrap_or(&layout), tile)?.shape().clone())
            }
            TilerOf::Tuple(entries) if entries.len() <= self.rank() => {
                let parts = self.entries().iter().enumerate().map(|(i, part)| {
                    entries
                        .get(i)
                        .map_or_else(|| Ok(part.clone()), |tile| part.tiles_under(facts, tile))
                });
                Ok(Nested::Node(parts.collect::<Result<_, L::Error>>()?))
            }
            _ => {
                let expected = format!("a tiler of layouts with at most {} entries", self.rank());
                Err(Error::operand("ceil_div", expected, tiler).into())
            }
        }
    }
}

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// Splits each mode that the tiler names into `(tile, rest)`: `A o (B, complement(B, size A))`.
    ///
    /// A divide that does not come out even keeps CuTe's padded result: the mode in which the tile ends
    /// is lengthened to a multiple of what the tile takes of it, and the last tiles reach past it.
    ///
    /// | `A` | tile | result | outside |
    /// |---|---|---|---|
    /// | `10:1` | `4:1` | `(4,3):(1,4)` | offsets 10 and 11 |
    /// | `(5,2):(2,40)` | `2:1` | `(2,(3,2)):(2,(4,40))` | the sixth row of each column |
    /// | `(5,1):(1,10)` | `3:2` | `(3,2):(2,1)` | offset 5 |
    ///
    /// Where the tile ends in the last mode, nothing need be known of it.
    pub fn logical_divide_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L, S>, L::Error> {
        let mut budget = Budget::new();
        by_mode("logical_divide", TrailingModes::Kept, self, tiler, &mut |mode, tile| {
            Ok(divided(facts, mode, tile, &mut budget)?.result)
        })
    }

    /// [`Layout::logical_divide`] with all tiles gathered in the first mode and all rests in the second.
    pub fn zipped_divide_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L, S>, L::Error> {
        gathered(self.logical_divide_under(facts, tiler)?, tiler)
    }

    /// [`Layout::zipped_divide`] with the rests as modes of their own: `(tiles, rest, rest, …)`.
    pub fn tiled_divide_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L, S>, L::Error> {
        unpack_rests(&self.zipped_divide_under(facts, tiler)?)
    }

    /// [`Layout::zipped_divide`] with tiles and rests as modes of their own: `(tile, tile, …, rest, rest, …)`.
    pub fn flat_divide_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L, S>, L::Error> {
        unpack_all(&self.zipped_divide_under(facts, tiler)?)
    }
}

/// One mode divided by one tile.
pub(crate) struct Divided<L: Leaf, S: Stride<L> = L> {
    /// The dividend: the mode itself, or the mode without last modes of extent 1.
    pub(crate) mode: Layout<L, S>,
    /// `mode` with the mode in which the tile's last cut falls lengthened, or `None` if none is.
    pub(crate) longer: Option<Layout<L, S>>,
    /// The complement of the tile.
    pub(crate) rest: Layout<L>,
    /// The composition with `(tile, rest)`.
    pub(crate) result: Layout<L, S>,
}

/// Divides a mode by a tile.
///
/// Past its size a layout continues in its last mode, also where that has extent 1. Where no layout is the
/// quotient of the mode as it continues, and the tile lies inside, only coordinates of the padding lie past
/// the size: there the mode continues in its last mode of a greater extent, as if it ended in that one.
pub(crate) fn divided<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    mode: &Layout<L, S>,
    tile: &Layout<L>,
    budget: &mut Budget,
) -> Result<Divided<L, S>, L::Error> {
    if let (Some(mode), Some(tile)) = (S::as_plain(mode).and_then(L::closed), L::closed(tile)) {
        let Divided { mode, longer, rest, result } =
            divided(&(), &mode, &tile, &mut Budget::new())?;
        let open = |layout| S::of_plain(L::of_closed(layout));
        let [mode, result] = [mode, result].map(open);
        return Ok(Divided { mode, longer: longer.map(open), rest: L::of_closed(rest), result });
    }
    let refused = match as_it_goes_on(facts, mode.clone(), tile, budget) {
        Err(error) if S::refutes(&error) => error,
        answer => return answer,
    };
    let inside = || {
        let reach = tile.cosize_under(facts).ok()?;
        Some(L::at_least(facts, &mode.total().ok()?, &reach).is_yes())
    };
    match mode.coalesce() {
        Ok(shorter)
            if mode.leaves().last().is_some_and(|(extent, _)| extent.is(1))
                && inside() == Some(true) =>
        {
            as_it_goes_on(facts, shorter, tile, budget).map_err(|_| refused)
        }
        _ => Err(refused),
    }
}

fn as_it_goes_on<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    mode: Layout<L, S>,
    tile: &Layout<L>,
    budget: &mut Budget,
) -> Result<Divided<L, S>, L::Error> {
    let longer = longer(facts, &mode, tile)?;
    let extended = longer.as_ref().unwrap_or(&mode);
    let rest = rest(facts, extended, tile)?;
    let result = composition_of_two(facts, extended, [tile, &rest], budget)?;
    Ok(Divided { mode, longer, rest, result })
}

/// The complement of a tile in a layout.
fn rest<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    layout: &Layout<L, S>,
    tile: &Layout<L>,
) -> Result<Layout<L>, L::Error> {
    tile.complement_under(facts, layout.coalesce()?.shape())
}

/// The layout with the mode in which a tile's last cut falls lengthened to a multiple of the cut; none
/// where nothing is.
pub(crate) fn longer<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    layout: &Layout<L, S>,
    tile: &Layout<L>,
) -> Result<Option<Layout<L, S>>, L::Error> {
    let mut modes = coalesced_x(layout)?;
    let longer = L::pad(facts, layout, &mut modes, tile)?;
    longer.then(|| Layout::of_leaves_within(layout.codomain().clone(), &modes)).transpose()
}

/// Lengthens the mode in which the tile's last cut falls, where that makes all cuts even; whether it
/// did. Nothing on overflow.
pub(crate) fn pad<S>(modes: &mut [(i64, S)], tile: &Layout) -> Option<bool> {
    if modes.len() < 2 {
        // The last mode continues.
        return Some(false);
    }
    // A tile cuts the indices of the layout where one of its modes starts or ends.
    let mut cuts = Vec::new();
    for (extent, stride) in sorted(tile) {
        cuts.extend([stride, stride.checked_mul(extent)?]);
    }
    let last = modes.len().saturating_sub(1);
    let mut below = 1_i64;
    for (extent, _) in &mut modes[..last] {
        let above = below.checked_mul(*extent)?;
        let (mut uneven, mut step) = (false, 1);
        for &cut in cuts.iter().filter(|&&cut| below < cut && cut < above) {
            // Cuts of a chain are multiples of each other; others are left to composition.
            if cut % below != 0 || (cut / below) % step != 0 {
                return Some(false);
            }
            step = cut / below;
            uneven |= *extent % step != 0;
        }
        if uneven {
            if cuts.iter().any(|&cut| cut >= above) {
                return Some(false);
            }
            *extent = ceil(*extent, step).checked_mul(step)?;
            return Some(true);
        }
        below = above;
    }
    Some(false)
}

/// [`Leaf::pad`] of expressions: nothing where all cuts are even, or are known to be past what lengthening
/// can do.
pub(crate) fn pad_under<S: Stride<Expr>>(
    facts: &Facts,
    layout: &Layout<Expr, S>,
    modes: &mut Modes<Expr, S>,
    tile: &Layout<Expr>,
) -> integer::Result<bool> {
    let site = Site { operation: "logical_divide", operands: &|| format!("{layout}, {tile}") };
    site.few(modes.len())?;
    let Some((_, before)) = modes.split_last() else { return Ok(false) };
    if before.is_empty() {
        return Ok(false);
    }
    // A tile cuts the indices of the layout where one of its modes starts or ends.
    let mut cuts = Vec::new();
    for (extent, stride) in distinct_modes(facts, &site, tile)? {
        if !stride.is(1) {
            // A mode of one entry is none, and cuts nowhere.
            site.require(facts.at_least(&extent, &Expr::from(2)))?;
        }
        cuts.extend([stride.clone(), stride.times(&extent)?]);
    }
    // At values at which a mode continues the one before, the static algebra sees one mode and pads
    // elsewhere, unless the tile comes out even.
    let require_distinct = |even: Answer| {
        for pair in modes.windows(2) {
            if let [(extent, stride), (_, next)] = pair {
                let distinct = S::differ(facts, &stride.multiple(extent)?, next);
                if !distinct.is_yes() {
                    return Err(site.unmet(vec![even, distinct]));
                }
            }
        }
        Ok(())
    };
    let mut below = Expr::from(1);
    for (i, (extent, _)) in before.iter().enumerate() {
        let above = below.times(extent)?;
        let (mut step, mut beyond) = (Expr::from(1), false);
        for cut in &cuts {
            if facts.at_least(&below, cut).is_yes() {
                continue;
            }
            let inside = facts.at_least(&above, cut);
            if facts.at_least(cut, &above).is_yes() {
                beyond = true;
                continue;
            }
            site.require(facts.at_least(cut, &below))?;
            site.require(inside)?;
            let next = facts.divide(cut, &below);
            let next = match next {
                Quotient::Never(_) => return require_distinct(Answer::Yes).map(|()| false),
                other => site.exact(other)?,
            };
            match facts.divide(&next, &step) {
                // Cuts of a chain are multiples of each other; others are left to composition.
                Quotient::Never(_) => return require_distinct(Answer::Yes).map(|()| false),
                other => site.exact(other)?,
            };
            step = next;
        }
        let even: Answer = facts.divide(extent, &step).into();
        if even.is_yes() {
            below = above;
            continue;
        }
        if beyond {
            site.require(match even {
                Answer::No(_) => Answer::Yes,
                ref unknown => unknown.clone(),
            })?;
            return require_distinct(even).map(|()| false);
        }
        require_distinct(even)?;
        modes[i].0 = facts.ceil_div(extent, &step)?.times(&step)?;
        return Ok(true);
    }
    Ok(false)
}

closed! { Tuple {
    fills_evenly = fills_evenly_under(tiler: &Tiler) -> bool;
} }

closed! { @S Layout<i64, S> {
    logical_divide = logical_divide_under(tiler: &Tiler) -> Layout<i64, S>;
    zipped_divide = zipped_divide_under(tiler: &Tiler) -> Layout<i64, S>;
    tiled_divide = tiled_divide_under(tiler: &Tiler) -> Layout<i64, S>;
    flat_divide = flat_divide_under(tiler: &Tiler) -> Layout<i64, S>;
} }
