//! From a function to a layout: the layout of least rank with given offsets, or the first index
//! that refutes.

use crate::layout::evaluate::ENUMERATION_LIMIT;
use crate::layout::prelude::*;
use alloc::borrow::ToOwned;
use smallvec::SmallVec;

/// The first index at which no layout can have the given offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The index.
    pub index: i64,
    /// The offset that was given for it.
    pub expected: i64,
    /// The offset of the one layout that agrees with all that comes before.
    pub found: i64,
}

impl Layout {
    /// The flat layout of least rank whose offset at every index is the given one.
    ///
    /// The first mode is as long as the offsets grow by a constant step, up to a divisor of their number, where alone a
    /// mode can end; the offsets at its multiples are a layout again, by the same rule; and each later run repeats the
    /// first, shifted. A shorter first mode would have a second that continues it. Linear time.
    ///
    /// # Errors
    ///
    /// The refutation, inside `Ok`; an empty sequence or overflow as an error.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// assert_eq!(Layout::of_offsets(&[0, 2, 8, 10])?.expect("a layout").to_string(), "(2,2):(2,8)");
    /// assert_eq!(Layout::of_offsets(&[0, 2, 4, 3])?.expect_err("none").index, 3);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn of_offsets(offsets: &[i64]) -> Result<core::result::Result<Layout, Refutation>> {
        let overflow = |_| Error::overflow("layout_of", format!("{} offsets", offsets.len()));
        let size = i64::try_from(offsets.len()).map_err(overflow)?;
        let at = |index| usize::try_from(index).ok().and_then(|index| offsets.get(index).copied());
        let (candidate, _) = candidate(size, |index| at(index).unwrap_or(0))?;
        compare_all(candidate, offsets)
    }

    /// The layout of a shape whose offset at every index is the given one: its strides are the offsets of
    /// the unit coordinates.
    ///
    /// # Errors
    ///
    /// The refutation, inside `Ok`; a shape that is none, or of another size; overflow.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// let shape = "(2,(1,2))".parse()?;
    /// assert_eq!(
    ///     Layout::of_offsets_in(&shape, &[0, 2, 8, 10])?.expect("a layout").to_string(),
    ///     "(2,(1,2)):(2,(0,8))"
    /// );
    /// assert_eq!(Layout::of_offsets_in(&shape, &[0, 2, 4, 3])?.expect_err("none").index, 3);
    /// assert!(Layout::of_offsets_in(&shape, &[0, 2, 4]).is_err());
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn of_offsets_in(
        shape: &Tuple,
        offsets: &[i64],
    ) -> Result<core::result::Result<Layout, Refutation>> {
        if usize::try_from(shape.product()?) != Ok(offsets.len()) {
            let expected = format!("a shape of {} coordinates", offsets.len());
            return Err(Error::operand("layout_of", expected, shape));
        }
        let at = |index| usize::try_from(index).ok().and_then(|index| offsets.get(index).copied());
        compare_all(with_shape(shape, |index| at(index).unwrap_or(0))?, offsets)
    }

    /// [`Layout::of_offsets`] for a function that is too large to be written down: evaluated only at divisors of the
    /// size, where alone a mode can end, and then compared with the candidate.
    ///
    /// # Errors
    ///
    /// A size below 1; overflow; where the candidate is refuted, a size of which a factor past 2^32 has no
    /// prime factor up to 2^16.
    ///
    /// ```
    /// use layout_algebra::{Found, Layout};
    /// let transposed = |i: i64| i % 8 * 4 + i / 8;
    /// let Found::Proved(layout) = Layout::of_fn(32, transposed)? else { panic!("small") };
    /// assert_eq!(layout.to_string(), "(8,4):(4,1)");
    /// let Found::Refuted(refutation) = Layout::of_fn(16, |i| i ^ (i >> 2))? else { panic!("xor") };
    /// assert_eq!((refutation.index, refutation.expected, refutation.found), (5, 4, 6));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn of_fn(size: i64, f: impl Fn(i64) -> i64) -> Result<Found> {
        let (candidate, unsplit) = candidate(size, &f)?;
        match compare(candidate, f)? {
            // A mode may end at a factor that was not found.
            Found::Refuted(_) if unsplit > MAX_PRIME_FACTOR * MAX_PRIME_FACTOR => {
                let found = format!("{unsplit}, whose factors are not known");
                Err(Error::limit("prime factors of a function's size", MAX_PRIME_FACTOR, found))
            }
            found => Ok(found),
        }
    }

    /// The layout of a function whose shape is known: its strides are the offsets of the unit
    /// coordinates.
    ///
    /// # Errors
    ///
    /// A shape that is none; overflow.
    ///
    /// ```
    /// use layout_algebra::{Found, Layout};
    /// let found = Layout::of_fn_in(&"(4,(2,3))".parse()?, |i| i % 4 * 6 + i / 4)?;
    /// let Found::Proved(layout) = found else { panic!("small") };
    /// assert_eq!(layout.to_string(), "(4,(2,3)):(6,(1,2))");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn of_fn_in(shape: &Tuple, f: impl Fn(i64) -> i64) -> Result<Found> {
        compare(with_shape(shape, &f)?, f)
    }

    /// The layout of offsets whose flat strides are known: each mode ends where the next stride is the
    /// offset. Among several shapes, that of the shortest first modes.
    ///
    /// # Errors
    ///
    /// No offsets; overflow; [`Error::Condition`] where no shape gives these offsets, or none was found
    /// within a budget.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// assert_eq!(Layout::of_strides(&[3, 1], &[0, 3, 1, 4, 2, 5])?.to_string(), "(2,3):(3,1)");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn of_strides(strides: &[i64], offsets: &[i64]) -> Result<Layout> {
        let none = || {
            Error::condition(
                "layout_of_strides",
                Tuple::Node(strides.iter().map(|&stride| Tuple::Leaf(stride)).collect()),
                "strides that some shape brings to these offsets",
                format!("{} offsets that none does", offsets.len()),
            )
        };
        let size = i64::try_from(offsets.len()).map_err(|_| none())?;
        let Divisors { divisors, .. } = Divisors::of(size)?;
        let mut modes = Vec::with_capacity(strides.len());
        let mut budget = 64 + (1 << 24) / offsets.len();
        if with_strides(strides, offsets, 1, &divisors, &mut modes, &mut budget) {
            Layout::of_leaves(&modes)
        } else {
            Err(none())
        }
    }
}

/// The only layout of least rank that a function can be: each mode ends at the first divisor of the size where its
/// steps do. And the factor of the size that was not split.
fn candidate(size: i64, f: impl Fn(i64) -> i64) -> Result<(Layout, i64)> {
    let Divisors { divisors, unsplit } = Divisors::of(size)?;
    let mut modes = Vec::new();
    let mut below = 1_i64;
    while below < size {
        let step = f(below);
        let mut ends = divisors.iter().filter(|&&end| end > below && end % below == 0);
        let end = ends.find(|&&end| end == size || step.checked_mul(end / below) != Some(f(end)));
        let extent = end.map_or(size, |end| *end) / below;
        modes.push((extent, step));
        below *= extent;
    }
    Ok((Layout::of_leaves(&modes)?, unsplit))
}

/// A layout, if its offset at every index is the given one.
fn compare_all(
    layout: Layout,
    offsets: &[i64],
) -> Result<core::result::Result<Layout, Refutation>> {
    let overflow = || Error::overflow("layout_of", format!("{} offsets", offsets.len()));
    Ok(match first_difference(offsets, &layout.leaves()).ok_or_else(overflow)? {
        Some(refutation) => Err(refutation),
        None => Ok(layout),
    })
}

/// The known values of a function that was evaluated only at some indices.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// The layout; every index was compared.
    Proved(Layout),
    /// The only layout that the function can be; it was compared at sampled indices, the corners of
    /// every mode among them.
    Sampled {
        /// The candidate.
        layout: Layout,
        /// Indices at which it was compared.
        samples: usize,
    },
    /// No layout has these offsets.
    Refuted(Refutation),
}

/// Indices at which a candidate too large to enumerate is compared.
const SAMPLES: usize = 1 << 14;

/// The only layout of a shape that a function can be.
fn with_shape(shape: &Tuple, f: impl Fn(i64) -> i64) -> Result<Layout> {
    // A shape is a layout's only where its size is known to fit.
    Layout::from_shape(shape.clone())?;
    let mut below = 1_i64;
    let stride = shape.map(&mut |&extent| {
        let stride = if extent == 1 { 0 } else { f(below) };
        below *= extent;
        stride
    });
    Layout::new(shape.clone(), stride)
}

/// Extents for the strides that are left, from the index `below` on; each try costs of the budget.
fn with_strides(
    strides: &[i64],
    offsets: &[i64],
    below: i64,
    divisors: &[i64],
    modes: &mut Vec<(i64, i64)>,
    budget: &mut usize,
) -> bool {
    let Some(left) = budget.checked_sub(1) else { return false };
    *budget = left;
    let size = i64::try_from(offsets.len()).unwrap_or(i64::MAX);
    let at = |index: i64| usize::try_from(index).ok().and_then(|index| offsets.get(index).copied());
    match *strides {
        [] => below == size && first_difference(offsets, modes) == Some(None),
        [stride] => {
            modes.push((size / below, stride));
            let found = first_difference(offsets, modes) == Some(None);
            if !found {
                modes.pop();
            }
            found
        }
        [stride, ref rest @ ..] => {
            for &end in divisors.iter().filter(|&&end| end % below == 0) {
                let continues = end == size || at(end) == rest.first().copied();
                if !continues {
                    continue;
                }
                modes.push((end / below, stride));
                if with_strides(rest, offsets, end, divisors, modes, budget) {
                    return true;
                }
                modes.pop();
            }
            false
        }
    }
}

/// The greatest prime factor that is searched for; what is left counts as one factor.
const MAX_PRIME_FACTOR: i64 = 1 << 16;

/// The divisors of a size.
struct Divisors {
    /// In ascending order.
    divisors: Vec<i64>,
    /// The factor that is left when all up to [`MAX_PRIME_FACTOR`] are found; 1 if none is.
    unsplit: i64,
}

impl Divisors {
    fn of(size: i64) -> Result<Self> {
        if size < 1 {
            let found = if size == 0 { "none".to_owned() } else { size.to_string() };
            return Err(Error::operand("layout_of", "at least one offset", found));
        }
        let (mut divisors, mut unsplit) = (vec![1], 1);
        let mut rest = size;
        let mut factor = 2;
        while rest > 1 {
            if factor > MAX_PRIME_FACTOR || factor > rest / factor {
                (factor, unsplit) = (rest, rest);
            }
            let known = divisors.len();
            let mut power = 1;
            while rest % factor == 0 {
                rest /= factor;
                power *= factor;
                for i in 0..known {
                    divisors.push(divisors[i] * power);
                }
            }
            factor += 1;
        }
        divisors.sort_unstable();
        Ok(Self { divisors, unsplit })
    }
}

/// The candidate against the function: everywhere, if that is not too much, else at corners and at
/// indices that are spread over the domain.
fn compare(layout: Layout, f: impl Fn(i64) -> i64) -> Result<Found> {
    let size = layout.size();
    let differs = |index: i64| -> Result<Option<Refutation>> {
        let (expected, found) = (f(index), layout.at(index)?);
        Ok((expected != found).then_some(Refutation { index, expected, found }))
    };
    if size <= ENUMERATION_LIMIT {
        for index in 0..size {
            if let Some(refutation) = differs(index)? {
                return Ok(Found::Refuted(refutation));
            }
        }
        return Ok(Found::Proved(layout));
    }
    let mut indices = vec![0, size - 1];
    let mut below = 1;
    for (extent, _) in layout.leaves() {
        indices.extend([below, below * (extent - 1), below * extent - 1]);
        below *= extent;
    }
    // Weyl's sequence with the golden ratio fills every interval evenly.
    let mut place = 0_u64;
    while indices.len() < SAMPLES {
        place = place.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let index = (u128::from(place) * u128::from(size.unsigned_abs())) >> 64;
        indices.push(i64::try_from(index).unwrap_or(0));
    }
    indices.sort_unstable();
    indices.dedup();
    for &index in &indices {
        if let Some(refutation) = differs(index)? {
            return Ok(Found::Refuted(refutation));
        }
    }
    Ok(Found::Sampled { layout, samples: indices.len() })
}

/// The first index at which offsets differ from a layout, counted as an odometer counts: one
/// addition for most indices. Nothing on overflow.
fn first_difference(offsets: &[i64], modes: &[(i64, i64)]) -> Option<Option<Refutation>> {
    let (&(extent, step), above) = modes.split_first().unwrap_or((&(1, 0), &[]));
    let run = usize::try_from(extent).ok()?;
    let last = step.checked_mul(extent - 1);
    let mut digits: SmallVec<[i64; 16]> = above.iter().map(|_| 0).collect();
    let mut base = 0_i64;
    for (count, part) in offsets.chunks(run).enumerate() {
        let overflows = last.and_then(|last| base.checked_add(last)).is_none();
        let mut found = base;
        for (i, &expected) in part.iter().enumerate() {
            if expected != found {
                let index = i64::try_from(count * run + i).ok()?;
                return Some(Some(Refutation { index, expected, found }));
            }
            found = match overflows {
                true => found.checked_add(step)?,
                // The step past the last one of a run may overflow, and is not used.
                false => found.wrapping_add(step),
            };
        }
        for (digit, &(extent, stride)) in digits.iter_mut().zip(above) {
            *digit += 1;
            if *digit < extent {
                base = base.checked_add(stride)?;
                break;
            }
            base = base.checked_sub(stride.checked_mul(extent - 1)?)?;
            *digit = 0;
        }
    }
    Some(None)
}
