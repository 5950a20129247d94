//! Rearranging modes: coalesce, flatten, group, select, concatenate, filter, zip.

use crate::layout::prelude::*;
use crate::{
    layout::{
        is_known,
        modal::{Part, by_profile, joined, side_by_side, unzipped},
        size_of,
    },
    place::WithPlace,
};

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// The layout whose modes are the given layouts.
    pub fn make_layout(modes: &[Self]) -> Result<Self, L::Error> {
        joined(modes.to_vec())
    }

    /// The layout of fewest flat modes that is the same function on `0 .. size`.
    ///
    /// Drops modes of extent 1 and merges modes that continue each other; all ones are `1:0`.
    ///
    /// Modes of expressions merge where they continue each other under every assignment; at given values
    /// modes may be left that would merge there.
    pub fn coalesce(&self) -> Result<Layout<L, S>, L::Error> {
        let mut modes = Modes::new();
        coalesce_into::<false, L, S>(self, &mut modes)?;
        Ok(Layout::of_modes_within(self.codomain().clone(), &modes, self.measured().clone()))
    }

    /// [`Layout::coalesce`] that is the same function past the size as well: the last mode keeps its stride
    /// even where its extent is 1.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// let layout: Layout = "(2,1):(1,80)".parse()?;
    /// assert_eq!((layout.coalesce()?.at(2)?, layout.coalesce_x()?.at(2)?, layout.at(2)?), (2, 80, 80));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn coalesce_x(&self) -> Result<Layout<L, S>, L::Error> {
        let mut modes = Modes::new();
        coalesce_into::<true, L, S>(self, &mut modes)?;
        Ok(Layout::of_modes_within(self.codomain().clone(), &modes, self.measured().clone()))
    }

    /// [`Layout::coalesce`] of each part of the layout that is where `profile` has an integer.
    ///
    /// # Errors
    ///
    /// A profile that nests deeper than the layout; overflow.
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("coalesce((2,(1,6)):(1,(6,2)), (1,1))"), "(2,6):(1,2)");
    /// ```
    pub fn coalesce_by(&self, profile: &Nested<L>) -> Result<Layout<L, S>, L::Error> {
        by_profile("coalesce", Part::of(self), profile, &mut Self::coalesce)
    }

    /// All leaves as modes at the top.
    pub fn flatten(&self) -> Result<Layout<L, S>, L::Error> {
        if self.is_leaf() {
            return Ok(self.clone());
        }
        let (extents, strides): (Vec<_>, Vec<_>) = self
            .leaves()
            .into_iter()
            .map(|(extent, stride)| (Nested::Leaf(extent), Nested::Leaf(stride)))
            .unzip();
        let (shape, stride) = (Nested::Node(extents), Nested::Node(strides));
        Ok(Layout::within(self.codomain().clone(), shape, stride, self.measured().clone()))
    }

    /// A mode, or a mode of a mode.
    pub fn get(&self, path: &[i64]) -> Result<Layout<L, S>, L::Error> {
        let mut part = Part::of(self);
        for (i, &mode) in path.iter().enumerate() {
            part = part.mode(mode).ok_or_else(|| part.no_mode("get", mode).about(1 + i))?;
        }
        Ok(part.to_layout())
    }

    /// The layout of some modes; of none, `():()`.
    pub fn select(&self, modes: &[i64]) -> Result<Layout<L, S>, L::Error> {
        let part = Part::of(self);
        let chosen = modes.iter().enumerate().map(|(i, &mode)| match part.mode(mode) {
            Some(mode) => Ok(mode.to_layout()),
            None => Err(part.no_mode("select", mode).about(1 + i)),
        });
        side_by_side(chosen.collect::<Result<_, _>>()?, self.codomain())
    }

    /// The layout with modes `begin .. end` put into one; of none, the same.
    pub fn group(&self, begin: i64, end: i64) -> Result<Layout<L, S>, L::Error> {
        let (begin, end) = range("group", self, begin, end, 0)?;
        let mut modes = Part::of(self).to_layouts();
        let after = modes.split_off(end);
        let grouped = modes.split_off(begin);
        if !grouped.is_empty() {
            modes.push(joined(grouped)?);
        }
        modes.extend(after);
        if modes.is_empty() { Ok(self.clone()) } else { joined(modes) }
    }

    /// The layout with another appended to its modes.
    pub fn append(&self, mode: &Layout<L, S>) -> Result<Layout<L, S>, L::Error> {
        let mut modes = Part::of(self).to_layouts();
        modes.push(mode.clone());
        joined(modes)
    }

    /// The layout with another put before its modes.
    pub fn prepend(&self, mode: &Layout<L, S>) -> Result<Layout<L, S>, L::Error> {
        let mut modes = Part::of(self).to_layouts();
        modes.insert(0, mode.clone());
        joined(modes)
    }

    /// The layout with one mode replaced.
    pub fn replace(&self, mode: i64, by: &Layout<L, S>) -> Result<Layout<L, S>, L::Error> {
        let part = Part::of(self);
        let mut modes = part.to_layouts();
        match usize::try_from(mode).ok().and_then(|at| modes.get_mut(at)) {
            Some(slot) => *slot = by.clone(),
            None => return Err(part.no_mode("replace", mode).about(1)),
        }
        if part.is_leaf() { Ok(by.clone()) } else { joined(modes) }
    }

    /// The layout of modes `begin .. end`.
    pub fn take(&self, begin: i64, end: i64) -> Result<Layout<L, S>, L::Error> {
        let (begin, end) = range("take", self, begin, end, 1)?;
        let modes = Part::of(self).modes().skip(begin).take(end - begin);
        joined(modes.map(Part::to_layout).collect())
    }

    /// The layout with every mode of stride 0 shortened to `1:0`: the same offsets, each as often as
    /// the other modes reach it.
    pub fn filter_zeros_under(&self, facts: &L::Facts) -> Result<Layout<L, S>, L::Error> {
        let site = Site { operation: "filter_zeros", operands: &|| self.to_string() };
        let mut strides = self.stride().values().into_iter();
        let shape = self.shape().try_map(&mut |extent: &L| {
            let still = match strides.next() {
                Some(stride) => is_known(facts, &site, stride.scale(), 0)?,
                None => true,
            };
            Ok::<_, L::Error>(if still { L::from(1) } else { extent.clone() })
        })?;
        let size = size_of(&shape)?;
        Ok(Layout::within(self.codomain().clone(), shape, self.stride().clone(), size))
    }

    /// Two layouts mode by mode: `zip((A0,A1), (B0,B1)) = ((A0,B0),(A1,B1))`.
    pub fn zip(&self, b: &Layout<L, S>) -> Result<Layout<L, S>, L::Error> {
        let (first, second) = (Part::of(self), Part::of(b));
        if first.rank() != second.rank() {
            let expected = format!("layouts of the same rank as {self}");
            return Err(Error::operand("zip", expected, b).into());
        }
        if first.rank() == 0 {
            return Ok(self.clone());
        }
        let pairs = first.modes().zip(second.modes());
        let pairs = pairs.map(|(a, b)| joined(vec![a.to_layout(), b.to_layout()]));
        joined(pairs.collect::<Result<_, _>>()?)
    }

    /// Gathers the first parts of the modes that a tiler's tuple names, and the second parts; modes
    /// past the tuple go with the second. Undoes a by-mode divide: each mode named must be a pair.
    pub fn unzip<T>(&self, tiler: &TilerOf<T>) -> Result<Layout<L, S>, L::Error> {
        joined(unzipped(Part::of(self), tiler)?.into())
    }
}

/// The modes of [`Layout::coalesce`]; empty for a layout of size 1.
#[inline]
pub(crate) fn coalesced<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
) -> Result<Modes<L, S>, L::Error> {
    let mut modes = Modes::new();
    coalesce_into::<false, L, S>(layout, &mut modes)?;
    Ok(modes)
}

/// The modes of [`Layout::coalesce_x`]: at least one.
#[inline]
pub(crate) fn coalesced_x<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
) -> Result<Modes<L, S>, L::Error> {
    let mut modes = Modes::new();
    coalesce_into::<true, L, S>(layout, &mut modes)?;
    Ok(modes)
}

/// Adds the modes of [`Layout::coalesce`] to none, or those of [`Layout::coalesce_x`], which continues past the size.
/// A result that holds them would move them, which takes as long.
#[inline]
pub(crate) fn coalesce_into<const PAST: bool, L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
    modes: &mut Modes<L, S>,
) -> Result<(), L::Error> {
    let mut fits = Ok(());
    // A mode of extent 1 counts only as the last one, which is known when no other follows.
    let mut skipped = None;
    layout.visit(&mut |extent, stride| {
        let one = extent.is(1);
        if PAST {
            skipped = one.then(|| stride.clone());
        }
        if !one && fits.is_ok() {
            fits = merge(modes, extent, stride);
        }
    });
    if let (Some(stride), Ok(())) = (skipped, &fits) {
        fits = merge(modes, &L::from(1), &stride);
    }
    fits.map_err(|lost| L::lost(lost, "coalesce", layout))
}

/// The modes of [`Layout::coalesce`] of flat modes.
pub(crate) fn merged<L: Leaf>(flat: &[(L, L)]) -> Result<Modes<L>, L::Lost> {
    let mut modes = Modes::new();
    let mut nontrivial = flat.iter().filter(|(extent, _)| !extent.is(1));
    nontrivial.try_for_each(|(extent, stride)| merge(&mut modes, extent, stride))?;
    Ok(modes)
}

/// Appends a mode to the others, or merges it into the last one, if it continues that.
#[inline]
fn merge<L: Leaf, S: Stride<L>>(
    modes: &mut Modes<L, S>,
    extent: &L,
    stride: &S,
) -> Result<(), L::Lost> {
    if let Some((before, step)) = modes.last_mut()
        && S::goes_on(before, step, stride)?
    {
        *before = before.times(extent)?;
        return Ok(());
    }
    modes.push((extent.clone(), stride.clone()));
    Ok(())
}

impl<L: Leaf> Layout<L> {
    /// [`Layout::coalesce`] of [`Layout::filter_zeros`]: what is left of a layout when broadcasts are dropped.
    pub fn filter_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        self.filter_zeros_under(facts)?.coalesce()
    }

    /// [`Layout::filter`] of each part of the layout that is where `profile` has an integer.
    ///
    /// # Errors
    ///
    /// A profile that nests deeper than the layout; overflow. Under facts: as [`Layout::filter_zeros_under`] and
    /// [`Layout::coalesce_by`].
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("filter(((2,3),(2,4)):((1,0),(0,2)), (1,1))"), "(2,4):(1,2)");
    /// ```
    pub fn filter_by_under(
        &self,
        facts: &L::Facts,
        profile: &Nested<L>,
    ) -> Result<Layout<L>, L::Error> {
        self.filter_zeros_under(facts)?.coalesce_by(profile)
    }
}

/// A range of modes, of which there are `least` or more.
fn range<L: Leaf, S: Stride<L>>(
    operation: &'static str,
    layout: &Layout<L, S>,
    begin: i64,
    end: i64,
    least: usize,
) -> Result<(usize, usize), L::Error> {
    let rank = layout.shape().rank();
    let bounds = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
    bounds.filter(|&(begin, end)| begin + least <= end && end <= rank).ok_or_else(|| {
        let full = if least > 0 { " that is not empty" } else { "" };
        let expected = format!("a range of modes of {layout}{full}");
        let found = format!("{begin} .. {end}");
        // The bound that is outside of the rank, or the end of what is empty.
        let begins = usize::try_from(begin).is_ok_and(|begin| begin < rank);
        L::Error::from(Error::operand(operation, expected, found)).about(if begins { 2 } else { 1 })
    })
}

closed! { Layout {
    filter_zeros = filter_zeros_under() -> Layout;
    filter = filter_under() -> Layout;
    filter_by = filter_by_under(profile: &Tuple) -> Layout;
} }
