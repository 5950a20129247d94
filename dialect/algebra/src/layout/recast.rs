//! Layouts of wider or narrower elements over the same memory.

use crate::layout::prelude::*;
use crate::{
    layout::{is_known, modal::refined},
    shape::gcd,
};
use alloc::borrow::ToOwned;

impl<L: Leaf> Layout<L> {
    /// The layout of elements `n` times as wide: the wide element at `c` consists of the narrow elements around it.
    ///
    /// Modes that step over whole wide elements keep their extents; those inside of one are packed,
    /// and what does not fill the last wide element is padded, as in CuTe.
    ///
    /// The offsets 0, -1 and -2 of `3:-1` lie in the wide elements 0, -1 and -1 of two; those of `4:-1` reach -2, too, and no
    /// layout has them.
    pub fn upcast_under(&self, facts: &L::Facts, n: i64) -> Result<Layout<L>, L::Error> {
        if let Some(closed) = L::closed(self) {
            return Ok(L::of_closed(closed.upcast(n)?));
        }
        let operation = "upcast";
        let operands = || format!("{self}, {n}");
        let site = Site { operation, operands: &operands };
        let condition = |expected: &'static str, found: String| {
            Error::condition(operation, operands(), expected, found)
        };
        let lost = |lost| L::lost(lost, operation, self);
        positive(operation, self, n)?;
        let factor = L::from(n);
        // How far the packed modes reach to either side, in narrow elements and in wide ones.
        let zero = || (L::from(0), L::from(0));
        let mut reached = [zero(), zero()];
        let result = each(self, &mut |extent, stride| {
            // 0 stays 0, and the sign stays.
            let answer = match L::divide(facts, stride, &factor) {
                Ok(quotient) => return Ok((extent.clone(), quotient)),
                Err(answer) => answer,
            };
            let step =
                stride.constant().filter(|&step| step != 0 && n.checked_rem(step) == Some(0));
            let Some(step) = step else {
                return Err(L::unmet(&site, vec![answer], || {
                    let expected = "strides that divide the factor or are multiples of it";
                    condition(expected, stride.to_string())
                }));
            };
            // It divides the factor, which is positive: its magnitude fits.
            let magnitude = step.saturating_abs();
            let packed = L::ceil_div(facts, extent, &L::from(n / magnitude)).map_err(lost)?;
            let (narrow, wide) = &mut reached[usize::from(step < 0)];
            let more = extent.less_one().and_then(|steps| steps.scaled(magnitude));
            *narrow = more.and_then(|more| narrow.plus(&more)).map_err(lost)?;
            *wide = packed.less_one().and_then(|more| wide.plus(&more)).map_err(lost)?;
            Ok((packed, L::from(step.signum())))
        })?;
        // Otherwise a narrow element lies in a wide one that no coordinate reaches.
        let [(narrow, wide), (below, wide_below)] = reached;
        let every = "modes whose wide elements are contiguous";
        let within = L::floor_div(facts, &narrow, &factor).map_err(lost)?;
        L::require(&site, L::equal(facts, &within, &wide), || {
            let last = wide.constant().map_or(0, |wide| wide + 1);
            condition(every, format!("offset {narrow} beyond the last of {last} wide elements"))
        })?;
        // Offset -1 lies in wide element -1.
        let within = L::ceil_div(facts, &below, &factor).map_err(lost)?;
        L::require(&site, L::equal(facts, &within, &wide_below), || {
            condition(every, format!("offset -{below} before wide element -{wide_below}"))
        })?;
        Ok(result)
    }

    /// The layout of elements `n` times as narrow: the mode of contiguous elements grows by the parts.
    ///
    /// With one mode of stride 1 the result reaches exactly the parts of what the layout reaches. Modes
    /// of stride 1 or -1 grow alike, as in CuTe: several of them overlap, and the result then reaches past
    /// the last part, too. `(4,2):(1,1)` ends at 4, and `(8,4):(1,1)` at 10, though the parts end at 9.
    pub fn downcast_under(&self, facts: &L::Facts, n: i64) -> Result<Layout<L>, L::Error> {
        if let Some(closed) = L::closed(self) {
            return Ok(L::of_closed(closed.downcast(n)?));
        }
        let operation = "downcast";
        let operands = || format!("{self}, {n}");
        let site = Site { operation, operands: &operands };
        let lost = |lost| L::lost(lost, operation, self);
        positive(operation, self, n)?;
        if n == 1 {
            return Ok(self.clone());
        }
        let contiguous = || {
            if self.stride().values().iter().any(|stride| stride.is(1)) {
                return Ok(());
            }
            let (expected, found) = ("a mode of stride 1", self.stride().to_string());
            Err(Error::condition(operation, operands(), expected, found))
        };
        if !L::OPEN {
            contiguous()?;
        }
        let result = each(self, &mut |extent, stride| {
            for unit in [1, -1] {
                if is_known(facts, &site, stride, unit)? {
                    return Ok((extent.scaled(n).map_err(lost)?, stride.clone()));
                }
            }
            Ok((extent.clone(), stride.scaled(n).map_err(lost)?))
        })?;
        contiguous()?;
        Ok(result)
    }

    /// The layout of elements of `new` bits over memory that holds elements of `old` bits.
    pub fn recast_under(
        &self,
        facts: &L::Facts,
        old: i64,
        new: i64,
    ) -> Result<Layout<L>, L::Error> {
        let [up, down] = factors(self, old, new)?;
        let wide = if up == 1 { self.clone() } else { self.upcast_under(facts, up)? };
        if down == 1 { Ok(wide) } else { wide.downcast_under(facts, down) }
    }

    /// The layout of a view of elements of `new` bits over the memory in which a view has elements of
    /// `old` bits: it reaches each bit that the old elements have, and no other.
    ///
    /// Part `j` of `n` of the element at `c` lies at `n * L(c) + j`. So one mode of stride 1 grows by the
    /// parts, and every other stride is scaled. [`Layout::recast`] agrees where one mode of stride 1 or -1 is in
    /// the layout. It lets several grow, pads the last wide element, and takes wide elements that are reached
    /// in part, as CuTe does: a view of such a layout would reach past its memory.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::recast`]. Wider elements: modes that do not fill each wide element, one after the other.
    /// Narrower ones: several modes of stride 1 or -1 with more than one element, since each of them could
    /// grow; one of stride -1 alone, whose parts would descend. Under facts: those of [`Layout::recast_view`];
    /// [`Layout::upcast_under`]'s; an extent that is not known to fill wide elements; a stride of which it is not
    /// known whether it is 1 or -1.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// let layout = |text: &str| text.parse::<Layout>();
    /// assert_eq!(layout("(4,8):(8,1)")?.recast_view(32, 16)?, layout("(4,8):(8,1)")?.recast(32, 16)?);
    /// // A mode of one element grows nothing: with `recast` it would be `(2,16):(1,1)`.
    /// assert_eq!(layout("(1,8):(1,1)")?.recast_view(32, 16)?.to_string(), "(1,16):(2,1)");
    /// assert!(layout("(4,2):(-1,1)")?.recast_view(32, 16).is_err());
    /// assert!(layout("3:1")?.recast_view(16, 32).is_err());
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn recast_view_under(
        &self,
        facts: &L::Facts,
        old: i64,
        new: i64,
    ) -> Result<Layout<L>, L::Error> {
        let [up, down] = factors(self, old, new)?;
        let wide = join(self, facts, up)?;
        split(&wide, facts, down)
    }
}

/// [`Layout::upcast_under`] where each wide element consists of elements that the layout reaches.
pub(crate) fn join<L: Leaf>(
    layout: &Layout<L>,
    facts: &L::Facts,
    n: i64,
) -> Result<Layout<L>, L::Error> {
    if n == 1 {
        return Ok(layout.clone());
    }
    if let Some(layout) = L::closed(layout) {
        return Ok(L::of_closed(join(&layout, &(), n)?));
    }
    let operation = "upcast";
    // A mode of one element leads nowhere, whatever its stride is.
    let counted = each(layout, &mut |extent, stride| {
        let leads = |step: i64| step % n == 0 || step != 0 && n.checked_rem(step) == Some(0);
        let idle = extent.is(1) && stride.constant().is_some_and(|step| !leads(step));
        Ok((extent.clone(), if idle { L::from(0) } else { stride.clone() }))
    })?;
    let wide = counted.upcast_under(facts, n)?;
    let operands = || format!("{layout}, {n}");
    let site = Site { operation, operands: &operands };
    let refuse = |found: String| {
        let expected = "contiguous modes that fill each wide element";
        Error::condition(operation, operands(), expected, found)
    };
    let lost = |lost| L::lost(lost, operation, layout);
    // Those that stay within a wide element: the others step over whole ones.
    let mut packed: Vec<(i64, &L)> = Vec::new();
    for (extent, stride) in layout.shape().values().into_iter().zip(layout.stride().values()) {
        let step =
            stride.constant().filter(|step| step.checked_rem(n).is_some_and(|rest| rest != 0));
        if let Some(step) = step.filter(|_| !extent.is(1)) {
            packed.push((step, extent));
        }
    }
    packed.sort_by_key(|&(step, _)| step);
    // The contiguous elements so far.
    let mut row = L::from(1);
    for &(step, extent) in &packed {
        L::require(&site, L::equal(facts, &row, &L::from(step)), || {
            refuse(format!("stride {step} after {row} in a row"))
        })?;
        row = extent.scaled(step).map_err(lost)?;
    }
    match L::divide(facts, &row, &L::from(n)) {
        Ok(_) => Ok(wide),
        Err(answer) => Err(L::unmet(&site, vec![answer], || refuse(format!("{row} in a row")))),
    }
}

/// [`Layout::downcast_under`] where the parts of one mode's elements differ from those of all others: that
/// mode grows alone.
pub(crate) fn split<L: Leaf>(
    layout: &Layout<L>,
    facts: &L::Facts,
    n: i64,
) -> Result<Layout<L>, L::Error> {
    if n == 1 {
        return Ok(layout.clone());
    }
    if let Some(layout) = L::closed(layout) {
        return Ok(L::of_closed(split(&layout, &(), n)?));
    }
    let operation = "downcast";
    let operands = || format!("{layout}, {n}");
    let site = Site { operation, operands: &operands };
    let lost = |lost| L::lost(lost, operation, layout);
    // A mode of one element has no neighbours: it grows only where no other could.
    let (mut units, mut alone, mut descends) = (Vec::new(), None, false);
    let strides = layout.stride().values();
    for (i, (extent, stride)) in layout.shape().values().into_iter().zip(&strides).enumerate() {
        if extent.is(1) {
            alone = alone.or(stride.is(1).then_some(i));
            continue;
        }
        for unit in [1, -1] {
            if is_known(facts, &site, *stride, unit)? {
                units.push(i);
                descends |= unit < 0;
            }
        }
    }
    let refuse =
        |expected, found: String| Err(Error::condition(operation, operands(), expected, found));
    let grows = match *units {
        [unit] if !descends => {
            // If it has one element, too, either could grow.
            let extents = layout.shape().values();
            if let (Some(_), Some(extent)) = (alone, extents.get(unit)) {
                let more = L::at_least(facts, extent, &L::from(2));
                L::require(&site, more, || Error::overflow(operation, layout))?;
            }
            unit
        }
        [] => match alone {
            Some(unit) => unit,
            None => refuse("a mode of stride 1", layout.stride().to_string())?,
        },
        [_] => refuse(
            "a mode of stride 1, since the narrow elements of a wide one ascend",
            "-1".to_owned(),
        )?,
        _ => refuse(
            "one mode of stride 1 or -1, whose extent the factor multiplies",
            format!("{} in {}", units.len(), layout.stride()),
        )?,
    };
    let mut i = 0;
    each(layout, &mut |extent, stride| {
        i += 1;
        Ok(if i == grows + 1 {
            (extent.scaled(n).map_err(lost)?, stride.clone())
        } else {
            (extent.clone(), stride.scaled(n).map_err(lost)?)
        })
    })
}

/// How much wider elements become, and then how much narrower.
pub(crate) fn factors(layout: &impl fmt::Display, old: i64, new: i64) -> Result<[i64; 2]> {
    positive("recast", layout, old.min(new))?;
    let common = gcd(old, new);
    Ok([new / common, old / common])
}

fn positive(operation: &'static str, layout: &impl fmt::Display, n: i64) -> Result<()> {
    if n < 1 {
        return Err(Error::condition(operation, layout, "a factor of at least 1", n));
    }
    Ok(())
}

/// The layout with each leaf replaced; `f` keeps extents at 1 or above.
fn each<L: Leaf>(
    layout: &Layout<L>,
    f: &mut impl FnMut(&L, &L) -> Result<(L, L), L::Error>,
) -> Result<Layout<L>, L::Error> {
    let leaves = layout.leaves().into_iter().map(|(extent, stride)| {
        let (extent, stride) = f(&extent, &stride)?;
        Ok::<_, L::Error>((Nested::Leaf(extent), Nested::Leaf(stride)))
    });
    let leaves: Vec<_> = leaves.collect::<Result<_, _>>()?;
    let (shape, stride) = refined(layout.shape(), &mut leaves.into_iter());
    Layout::sized(shape, stride)
}

closed! { Layout {
    upcast = upcast_under(n: i64) -> Layout;
    downcast = downcast_under(n: i64) -> Layout;
    recast = recast_under(old: i64, new: i64) -> Layout;
    recast_view = recast_view_under(old: i64, new: i64) -> Layout;
} }
