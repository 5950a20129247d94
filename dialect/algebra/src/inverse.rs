//! Inverses and the null space.

use crate::{
    error::{Error, Result},
    layout::Layout,
    modes::{coalesce, coalesced},
};

/// A layout `R` that starts the contiguous range of offsets from 0: `L(R(i)) = i`. It is the longest
/// there is, unless modes overlap: of those that go on from the same offset the first is taken, as in
/// CuTe, and another may be longer.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("right_inverse((4,8):(8,1))")?, "(8,4):(4,1)");
/// assert_eq!(value("right_inverse((4,2):(1,8))")?, "4:1");
/// # Ok::<(), Error>(())
/// ```
pub fn right_inverse(layout: &Layout) -> Result<Layout> {
    let flat = coalesced(layout)?;
    let overflow = || Error::overflow("right_inverse", layout);
    let mut starts = Vec::with_capacity(flat.len());
    let mut start = 1_i64;
    for &(extent, _) in &flat {
        starts.push(start);
        start = start.checked_mul(extent).ok_or_else(overflow)?;
    }
    let mut result = Vec::new();
    let mut reached = 1_i64;
    while let Some(i) = flat.iter().position(|&(extent, stride)| stride == reached && extent > 1) {
        let (extent, _) = flat[i];
        result.push((extent, starts[i]));
        reached = reached.checked_mul(extent).ok_or_else(overflow)?;
    }
    coalesce(&Layout::from_flat(&result)?)
}

/// A layout `R` with `R(L(i)) = i` for every `i` below the size of `L` whose coordinates in modes of
/// stride 0 are 0; for the others `L(R(L(i))) = L(i)`.
///
/// Where sorted strides divide each other, `R` is CuTe's. Elsewhere CuTe has none, or a wrong one;
/// here one is searched for, within a budget.
///
/// # Errors
///
/// A layout that is not injective apart from its modes of stride 0; strides that do not divide each
/// other and for which no inverse was found; negative strides; overflow.
///
/// ```
/// use layout_algebra::{Layout, left_inverse};
/// let layout: Layout = "(4,8):(8,1)".parse()?;
/// assert_eq!(left_inverse(&layout)?.to_string(), "(8,4):(4,1)");
/// // Offsets 0, 2, 3, 5: strides 2 and 3 do not divide, and yet 0, 1, 1, 2, 2, 3 is a layout.
/// let layout: Layout = "(2,2):(2,3)".parse()?;
/// assert_eq!(left_inverse(&layout)?.to_string(), "(2,3):(1,1)");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn left_inverse(layout: &Layout) -> Result<Layout> {
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation: "left_inverse",
        operand: layout.to_string(),
        expected,
        found,
    };
    let overflow = || Error::overflow("left_inverse", layout);
    let mut start = 1_i64;
    let mut modes = Vec::new();
    let mut broadcast = 1;
    for (extent, stride) in coalesced(layout)? {
        if stride < 0 {
            return Err(condition("strides that are not negative", format!("{extent}:{stride}")));
        }
        if stride > 0 {
            modes.push((stride, extent, start));
        } else {
            broadcast = extent;
        }
        start = start.checked_mul(extent).ok_or_else(overflow)?;
    }
    modes.sort_unstable();
    let Some(&(first, _, _)) = modes.first() else { return Layout::leaf(broadcast, 0) };
    let mut result = Vec::new();
    if first > 1 {
        result.push((first, 0));
    }
    for (i, &(stride, extent, start)) in modes.iter().enumerate() {
        let length = match modes.get(i + 1) {
            None => extent,
            Some(&(next, _, _)) if next % stride != 0 => {
                return search(layout, &modes).ok_or_else(|| {
                    condition(
                        "sorted strides that each divide the next, or a small layout with an inverse",
                        format!("{stride} and {next}"),
                    )
                });
            }
            Some(&(next, _, _)) => {
                if stride.checked_mul(extent).is_none_or(|end| end > next) {
                    return Err(condition(
                        "an injective layout",
                        format!("{extent}:{stride} reaching past stride {next}"),
                    ));
                }
                next / stride
            }
        };
        result.push((length, start));
    }
    coalesce(&Layout::from_flat(&result)?)
}

/// Points that the search for a left inverse may look at.
const SEARCH_LIMIT: usize = 2_000_000;

/// A left inverse by trying radices: the modes are `(stride, extent, start)`, and a point is what
/// the inverse must map where.
fn search(layout: &Layout, modes: &[(i64, i64, i64)]) -> Option<Layout> {
    const POINTS: i64 = 1 << 12;
    let count = modes.iter().try_fold(1_i64, |count, mode| count.checked_mul(mode.1))?;
    if count > POINTS || layout.cosize().ok()? > POINTS {
        return None;
    }
    let mut points = vec![(0, 0)];
    for &(stride, extent, start) in modes {
        points = (0..extent)
            .flat_map(|digit| {
                points.iter().map(move |&(x, y)| (x + digit * stride, y + digit * start))
            })
            .collect();
    }
    points.sort_unstable();
    if points.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let mut budget = SEARCH_LIMIT;
    let mut result = Vec::new();
    through(&points, &mut result, &mut budget)
        .then(|| Layout::from_flat(&result).and_then(|layout| coalesce(&layout)).ok())
        .flatten()
}

/// Modes of a layout through points `(index, offset)`, which are sorted and begin with `(0, 0)`:
/// one mode through all, or the extent and stride of a first mode and, recursively, the modes
/// through the quotients.
fn through(points: &[(i64, i64)], result: &mut Vec<(i64, i64)>, budget: &mut usize) -> bool {
    let Some(&(greatest, _)) = points.last() else { return false };
    let Some(&(x, y)) = points.get(1) else {
        result.push((greatest + 1, 0));
        return true;
    };
    if y % x == 0 && points.iter().all(|&(index, offset)| index * (y / x) == offset) {
        result.push((greatest + 1, y / x));
        return true;
    }
    for extent in 2..=greatest {
        // Two points in one quotient tell the stride.
        let told = points.windows(2).position(|pair| pair[0].0 / extent == pair[1].0 / extent);
        let seen = told.unwrap_or(points.len()) + 1;
        let Some(left) = budget.checked_sub(seen) else { return false };
        *budget = left;
        let strides = match told {
            Some(at) => {
                let (a, b) = (points[at], points[at + 1]);
                let (dx, dy) = (b.0 - a.0, b.1 - a.1);
                if dy % dx != 0 {
                    continue;
                }
                Strides::One(dy / dx)
            }
            None if points.iter().all(|&(index, _)| index % extent == 0) => Strides::One(0),
            None => Strides::UpTo(points.iter().map(|point| point.1.abs()).max().unwrap_or(0)),
        };
        for stride in strides.iter() {
            let Some(left) = budget.checked_sub(points.len()) else { return false };
            *budget = left;
            let mut above: Vec<(i64, i64)> = points
                .iter()
                .map(|&(index, offset)| (index / extent, offset - index % extent * stride))
                .collect();
            above.dedup();
            if above.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                continue;
            }
            let kept = result.len();
            result.push((extent, stride));
            if through(&above, result, budget) {
                return true;
            }
            result.truncate(kept);
        }
    }
    false
}

/// The strides that a first mode may have.
enum Strides {
    One(i64),
    /// All of at most this magnitude.
    UpTo(i64),
}

impl Strides {
    /// Small ones first, one by one: there may be more than the budget lets try.
    fn iter(&self) -> impl Iterator<Item = i64> {
        let (first, most) = match *self {
            Self::One(stride) => (stride, 0),
            Self::UpTo(most) => (0, most),
        };
        std::iter::once(first).chain((1..=most).flat_map(|stride| [-stride, stride]))
    }
}

/// The coordinates that stride-0 modes run through: `L(nullspace(L)(i)) = 0`.
///
/// # Errors
///
/// Overflow.
///
/// ```
/// # use layout_algebra::{Error, Term};
/// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
/// assert_eq!(value("nullspace((2,3,4):(1,0,2))")?, "3:2");
/// # Ok::<(), Error>(())
/// ```
pub fn nullspace(layout: &Layout) -> Result<Layout> {
    let mut start = 1_i64;
    let mut modes = Vec::new();
    for (extent, stride) in layout.flat() {
        if stride == 0 && extent > 1 {
            modes.push((extent, start));
        }
        start = start.checked_mul(extent).ok_or_else(|| Error::overflow("nullspace", layout))?;
    }
    Layout::from_flat(&modes)
}
