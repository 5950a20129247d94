//! Bank conflicts of layouts with symbols: [`crate::AnyLayout::conflicts`] under facts.
//!
//! An element's bank is known where strides with symbols are known multiples of all banks, or of the
//! swizzle's period: they move an element to another word of the same bank. The rest to know is
//! that words which are written differently are different, and then any values give the count:
//! multiples that lie far enough apart represent all.

use super::{
    BANKS, Conflicts, WORD_BYTES, conflicts_of_offsets, element_width, no_pair, within_limit,
};
use crate::{
    integer::{
        Answer, Expr, Facts, Site,
        missing::{Error, Result},
    },
    layout::Layout,
    swizzle::{ComposedLayout, Outer},
};
use alloc::{borrow::ToOwned, collections::BTreeMap, format, vec, vec::Vec};

/// Multiples whose words are compared; each pair is a question to the facts.
const MULTIPLE_LIMIT: usize = 64;

/// Words that a thread moves at once at most.
const VECTOR_WORDS: i64 = 4;

impl ComposedLayout<Expr> {
    /// The bank conflicts of an access to a layout that starts aligned; see [`crate::AnyLayout::conflicts`].
    ///
    /// # Errors
    ///
    /// An access that is not known to stay within the layout, or whose extents are not known; those of
    /// [`Layout::composition_under`] with it; a stride or an offset that is not known up to whole banks; words that are
    /// not known to be different; those of [`crate::AnyLayout::conflicts`].
    ///
    /// ```
    /// use layout_algebra::answer;
    /// // Eight rows of 16 bytes each, with a leading dimension that is known to be a multiple of 64.
    /// let rows = "bank_conflicts((8,64):(LD{div=64 range=64..},1), (8,8):(1,8), 16)";
    /// assert_eq!(answer(rows), "7");
    /// let rows = "bank_conflicts(S<3,3,3> o 0 o (M{range=8..},64):(64,1), (8,8):(1,M), 16)";
    /// assert_eq!(answer(rows), "0");
    /// assert_eq!(
    ///     answer("bank_conflicts((8,64):(LD{div=8 range=64..},1), (8,8):(1,8), 16)"),
    ///     "bank_conflicts((8,64):(LD,1), (8,8):(1,8), 16): needs \"64 divides LD\", which is not known; \
    ///      add the fact LD{div=64}",
    /// );
    /// ```
    pub fn conflicts_under(
        &self,
        facts: &Facts,
        access: &Layout<Expr>,
        element_bits: i64,
    ) -> Result<Conflicts> {
        let operands = || format!("{}, {access}, {element_bits}", self.clone().simplified());
        let site = Site { operation: "bank_conflicts", operands: &operands };
        element_width("conflicts", element_bits)?;
        if access.rank() != 2 || access.is_leaf() {
            return Err(Error::Algebra(no_pair("conflicts", access)));
        }
        for stride in access.stride().leaves() {
            site.require(facts.at_least(stride, &Expr::from(0)))?;
        }
        site.require(facts.at_least(&self.inner.size()?, &access.cosize_under(facts)?))?;
        let known = |expr: &Expr| {
            let need = || site.unmet(vec![Answer::Unknown(facts.need_known(expr))]);
            facts.known(expr).ok_or_else(need)
        };
        let mut sizes = [1; 2];
        for (size, mode) in sizes.iter_mut().zip(access.modes()) {
            *size = known(&mode.size()?)?;
        }
        within_limit(sizes[0].checked_mul(sizes[1]).ok_or_else(|| site.overflow())?)?;
        let swizzle = match &self.outer {
            Outer::Swizzle(swizzle) => *swizzle,
            // The symbols may be in the layout outside, or in the one that goes into it.
            Outer::Layout(outer) => {
                let leaves =
                    [outer.stride(), outer.shape(), self.inner.stride()].map(|at| at.leaves());
                let open = leaves.into_iter().flatten().find(|leaf| facts.known(leaf).is_none());
                let open = open.unwrap_or(&self.offset);
                return Err(site.unmet(vec![Answer::Unknown(facts.need_known(open))]));
            }
        };
        // Elements after which banks, and what the swizzle does, are the same again.
        let whole = (BANKS * WORD_BYTES * 8 / element_bits).max(swizzle.period());
        let split = |expr: &Expr| split(facts, &site, expr, whole);
        let (start, _) = split(&self.offset)?;
        let mut places = Vec::new();
        let mut place = |within: Option<i64>, multiple: Expr| {
            places.push((swizzle.apply(within.ok_or_else(|| site.overflow())?), multiple));
            Ok::<_, Error>(())
        };
        let count = sizes[0] * sizes[1];
        match self.inner.composition_under(facts, access) {
            Ok(placed) => {
                let mut modes = Vec::new();
                for (extent, stride) in placed.flat() {
                    let (within, multiple) = split(&stride)?;
                    modes.push(Mode { extent: known(&extent)?, within, multiple });
                }
                for index in 0..count {
                    let (within, multiple) = offset(&modes, index)?;
                    place(within.and_then(|within| within.checked_add(start)), multiple)?;
                }
            }
            // No layout, but offsets.
            Err(Error::Algebra(crate::error::Error::NoComposition { .. })) => {
                for index in 0..count {
                    let index = access.at_under(facts, &Expr::from(index))?;
                    let (within, multiple) = split(&self.inner.at_under(facts, &index)?)?;
                    place(within.checked_add(start), multiple)?;
                }
            }
            Err(error) => return Err(error),
        }
        let classes = classes(&places, element_bits)?;
        let threads = usize::try_from(sizes[0]).unwrap_or(usize::MAX);
        let shared = (0..threads.min(places.len())).any(|thread| {
            let mut of_thread = places.iter().skip(thread).step_by(threads);
            let first = of_thread.next().map(|(_, multiple)| multiple);
            of_thread.any(|(_, multiple)| Some(multiple) != first)
        });
        // The elements of one thread may not look contiguous where it is not.
        let margin = if shared { VECTOR_WORDS } else { 1 };
        let words = i64::try_from(i128::from(whole) * i128::from(element_bits) / 32);
        require_distance(facts, &site, &classes, words.map_err(|_| site.overflow())?, margin)?;
        // Any multiples that lie far enough apart give the count.
        let (least, greatest) = places.iter().fold((0, 0), |(least, greatest), &(within, _)| {
            (within.min(least), within.max(greatest))
        });
        let far = greatest.checked_sub(least).and_then(|span| (span / whole).checked_add(2));
        let far =
            far.and_then(|wholes| wholes.checked_mul(whole)).ok_or_else(|| site.overflow())?;
        let numbers: BTreeMap<&Expr, i64> = classes.keys().copied().zip(0..).collect();
        let offsets = places.iter().map(|(within, multiple)| {
            numbers.get(multiple).and_then(|number| number.checked_mul(far)?.checked_add(*within))
        });
        let offsets: Option<Vec<i64>> = offsets.collect();
        Ok(conflicts_of_offsets(&offsets.ok_or_else(|| site.overflow())?, sizes, element_bits)?)
    }
}

/// A mode of the elements that are accessed: its stride is `within + multiple*whole`.
struct Mode {
    extent: i64,
    within: i64,
    multiple: Expr,
}

/// `(r, q)` with `expr = r + q*whole`.
fn split(facts: &Facts, site: &Site<'_>, expr: &Expr, whole: i64) -> Result<(i64, Expr)> {
    let by = Expr::from(whole);
    let within = facts.modulo(expr, &by)?;
    let Some(within) = within.as_constant() else {
        let symbolic = expr.plus(&Expr::from(-expr.constant_term()))?;
        return Err(site.unmet(vec![Answer::Unknown(facts.need_divides(&by, &symbolic))]));
    };
    Ok((within, facts.floor_div(expr, &by)?))
}

/// Where an element is, without and with symbols; the first is none on overflow.
fn offset(modes: &[Mode], index: i64) -> Result<(Option<i64>, Expr)> {
    let (mut rest, mut within, mut multiple) = (index, Some(0_i64), Expr::from(0));
    for mode in modes {
        let digit = rest % mode.extent;
        rest /= mode.extent;
        within = within.and_then(|within| within.checked_add(digit.checked_mul(mode.within)?));
        multiple = multiple.plus(&mode.multiple.scaled(digit)?)?;
    }
    Ok((within, multiple))
}

/// The least and the greatest word of each multiple, without the multiple.
fn classes(places: &[(i64, Expr)], element_bits: i64) -> Result<BTreeMap<&Expr, (i128, i128)>> {
    let mut classes = BTreeMap::new();
    for (within, multiple) in places {
        let bits = i128::from(element_bits);
        let first = i128::from(*within) * bits;
        let (least, greatest) = (first.div_euclid(32), (first + bits - 1).div_euclid(32));
        let class = classes.entry(multiple).or_insert((least, greatest));
        *class = (class.0.min(least), class.1.max(greatest));
        if classes.len() > MULTIPLE_LIMIT {
            let (what, found) = ("rows of an access with symbols", "more".to_owned());
            let limit = crate::error::Error::limit(what, MULTIPLE_LIMIT, found);
            return Err(Error::Algebra(limit));
        }
    }
    Ok(classes)
}

/// Requires words of different multiples to be apart by a margin, under every assignment.
fn require_distance(
    facts: &Facts,
    site: &Site<'_>,
    classes: &BTreeMap<&Expr, (i128, i128)>,
    words: i64,
    margin: i64,
) -> Result<()> {
    let narrow = |value: i128| i64::try_from(value).map(Expr::from).map_err(|_| site.overflow());
    let margin = Expr::from(margin);
    let listed: Vec<_> = classes.iter().collect();
    for (i, (a, of_a)) in listed.iter().enumerate() {
        for (b, of_b) in &listed[..i] {
            let difference = a.minus(b)?;
            // The one that is the greater where symbols are large.
            let ascends = difference.terms().first().is_none_or(|&(_, factor)| factor > 0);
            let (upper, lower) = if ascends { (of_a, of_b) } else { (of_b, of_a) };
            let distance = difference.scaled(if ascends { words } else { -words })?;
            let gap = distance.plus(&narrow(upper.0 - lower.1)?)?;
            let below = distance.plus(&narrow(upper.1 - lower.0)?)?.scaled(-1)?;
            let above = facts.at_least(&gap, &margin);
            if !above.is_yes() && !facts.at_least(&below, &margin).is_yes() {
                return Err(site.unmet(vec![above]));
            }
        }
    }
    Ok(())
}
