//! Layouts back from the mapping alone, which the paper leaves open.

use layout_algebra::{
    ComposedLayout, Layout, Outer, Swizzle, Tuple, layout_of,
    linear::{self, LinearLayout},
};

use crate::{
    cute::{layout_mapping, promoted_layout_mapping},
    error::{Error, Result},
    isl::Context,
    quasi::Formula,
    recover::{LISTED, Refutation, difference, interval, mapping_to_integer, one},
    relation::Relation,
};

/// What a mapping turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recovered {
    /// The layout of least rank.
    Layout(Layout),
    /// A layout behind a swizzle.
    Swizzled(ComposedLayout),
    /// Linear over GF(2), with the image of 0 added without carry.
    Linear {
        /// The image of 0.
        offset: i64,
        /// The rest, from `index` to `offset`.
        layout: LinearLayout,
    },
    /// None of these.
    Neither {
        /// Where the last candidate for a layout fails.
        layout: Refutation,
        /// Where linearity fails; none for a size that is no power of two, or a negative image.
        linear: Option<Refutation>,
    },
}

/// The layout of least rank with a mapping, by as many questions to ISL as it has modes: no
/// coordinates are listed, so that the size does not matter.
///
/// The first mode is as long as images grow by a constant step, which ends at the least coordinate
/// that disagrees; the mapping at multiples of its length is a layout again, by the same rule. If
/// the length does not divide the size, no layout exists (see
/// [`layout_of`](layout_algebra::layout_of)).
///
/// # Errors
///
/// The refutation, inside `Ok`; a mapping that is not single-valued from `[0, n)` to integers; a
/// limit.
///
/// ```
/// use layout_relation::{Context, Limits, Relation, least_rank_layout};
/// let context = Context::new(Limits::default())?;
/// let mapping = Relation::parse(
///     &context,
///     "{ [c] -> [c mod 1000000 + 5000000*floor(c/1000000)] : 0 <= c < 3000000 }",
/// )?;
/// let layout = least_rank_layout(&mapping)?.unwrap();
/// assert_eq!(layout.to_string(), "(1000000,3):(1,5000000)");
/// let fan = Relation::parse(&context, "{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }")?;
/// assert_eq!(
///     least_rank_layout(&fan)?.unwrap_err().to_string(),
///     "expected 7 at coordinate (3), found 23 in the only candidate"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn least_rank_layout(mapping: &Relation) -> Result<std::result::Result<Layout, Refutation>> {
    let context = mapping.context();
    context.within(|| {
        mapping_to_integer("least_rank_layout", mapping, 1)?;
        let size = interval("least_rank_layout", mapping)?;
        if size <= LISTED {
            let values = values(mapping, size)?;
            return Ok(layout_of(&values)?.map_err(|refutation| Refutation {
                coordinate: vec![refutation.index],
                wanted: Some(refutation.wanted),
                found: Some(refutation.found),
            }));
        }
        let first = one(mapping.at(&[0])?);
        if first != Some(0) {
            return Ok(Err(Refutation { coordinate: vec![0], wanted: first, found: Some(0) }));
        }
        let mut modes: Vec<(i64, i64)> = Vec::new();
        let mut below = 1_i64;
        while below < size {
            let count = (size - 1) / below + 1;
            let Some(step) = one(mapping.at(&[below])?) else { break };
            let multiples =
                Relation::read(context, &format!("{{ [k] -> [{below}*k] : 0 <= k < {count} }}"))?;
            let steady =
                Relation::read(context, &format!("{{ [k] -> [{step}*k] : 0 <= k < {count} }}"))?;
            let disagreeing = multiples.then(mapping)?.subtract(&steady)?.domain()?.least()?;
            let run = one(disagreeing).unwrap_or(count);
            modes.push((run, step));
            if size % (below * run) != 0 {
                let candidate = promoted_layout_mapping(context, &from_modes(&modes)?, size)?;
                if let Some(refutation) = difference(mapping, &candidate)? {
                    return Ok(Err(refutation));
                }
                break;
            }
            below *= run;
        }
        let layout = from_modes(&modes)?;
        Ok(match difference(mapping, &layout_mapping(context, &layout)?)? {
            None => Ok(layout),
            Some(refutation) => Err(refutation),
        })
    })
}

fn from_modes(modes: &[(i64, i64)]) -> Result<Layout> {
    let tuple = |leaves: Vec<Tuple>| match leaves.len() {
        1 => leaves.into_iter().next().unwrap_or(Tuple::Leaf(1)),
        _ => Tuple::Node(leaves),
    };
    if modes.is_empty() {
        return Ok(Layout::new(Tuple::Leaf(1), Tuple::Leaf(0))?);
    }
    let shape = modes.iter().map(|&(extent, _)| Tuple::Leaf(extent)).collect();
    let stride = modes.iter().map(|&(_, stride)| Tuple::Leaf(stride)).collect();
    Ok(Layout::new(tuple(shape), tuple(stride))?)
}

/// A layout, a layout behind a swizzle, or a linear layout with a mapping; or witnesses that there
/// is none.
///
/// Swizzles are sought among the involutions within the bits of the greatest image; for more than
/// 4096 coordinates only if the mapping is linear over GF(2). The swizzle of least bits, then
/// base, then shift is taken.
///
/// # Errors
///
/// A mapping that is not single-valued from `[0, n)` to integers; a limit.
///
/// ```
/// use layout_algebra::Swizzle;
/// use layout_relation::{Context, Limits, Recovered, recover, swizzle_mapping};
/// let context = Context::new(Limits::default())?;
/// let mapping = swizzle_mapping(&context, &Swizzle::new(2, 0, 3)?)?;
/// let Recovered::Swizzled(found) = recover(&mapping)? else { panic!("a swizzle") };
/// assert_eq!(found.to_string(), "S<2,0,3> o 0 o 32:1");
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn recover(mapping: &Relation) -> Result<Recovered> {
    let context = mapping.context();
    context.within(|| {
        let layout = match least_rank_layout(mapping)? {
            Ok(layout) => return Ok(Recovered::Layout(layout)),
            Err(refutation) => refutation,
        };
        let size = interval("recover", mapping)?;
        let linear = affine(mapping, size)?;
        if let Some(Ok((offset, bases))) = &linear {
            return Ok(match swizzled_bases(*offset, bases)? {
                Some(found) => Recovered::Swizzled(found),
                None => Recovered::Linear { offset: *offset, layout: linear_layout(bases)? },
            });
        }
        if size <= LISTED
            && let Some(found) = swizzled_values(mapping, size)?
        {
            return Ok(Recovered::Swizzled(found));
        }
        Ok(Recovered::Neither { layout, linear: linear.and_then(std::result::Result::err) })
    })
}

type Linear = std::result::Result<(i64, Vec<i64>), Refutation>;

/// The offset and bases of a mapping that is affine over GF(2), or where it is not; none where the
/// question makes no sense.
fn affine(mapping: &Relation, size: i64) -> Result<Option<Linear>> {
    let context = mapping.context();
    if size & (size - 1) != 0 {
        return Ok(None);
    }
    let negative = Relation::read(context, "{ [c] -> [i] : i < 0 }")?;
    if !mapping.intersect(&negative)?.is_empty()? {
        return Ok(None);
    }
    let bits = size.trailing_zeros();
    if size <= LISTED {
        return listed_linear(&values(mapping, size)?).map(Some);
    }
    let Some(offset) = one(mapping.at(&[0])?) else { return Ok(None) };
    let mut bases = Vec::new();
    for bit in 0..bits {
        let Some(image) = one(mapping.at(&[1 << bit])?) else { return Ok(None) };
        bases.push(image ^ offset);
    }
    let candidate = linear_mapping(context, offset, &bases)?;
    Ok(Some(match difference(mapping, &candidate)? {
        None => Ok((offset, bases)),
        Some(refutation) => Err(refutation),
    }))
}

/// The same from the images of a power of two of coordinates.
fn listed_linear(values: &[i64]) -> Result<Linear> {
    let offset = values.first().copied().unwrap_or(0);
    let bases: Vec<_> =
        (0..values.len().trailing_zeros()).map(|bit| values[1 << bit] ^ offset).collect();
    let mut linear = vec![offset];
    for base in &bases {
        let more: Vec<_> = linear.iter().map(|value| value ^ base).collect();
        linear.extend(more);
    }
    let wrong = values.iter().zip(&linear).position(|(value, linear)| value != linear);
    Ok(match wrong {
        None => Ok((offset, bases)),
        Some(at) => Err(Refutation {
            coordinate: vec![i64::try_from(at).unwrap_or(i64::MAX)],
            wanted: Some(values[at]),
            found: Some(linear[at]),
        }),
    })
}

fn linear_layout(bases: &[i64]) -> Result<LinearLayout> {
    let all = bases.iter().fold(0, |all, base| all | base);
    let size = 1_i64.checked_shl(64 - all.leading_zeros()).unwrap_or(i64::MAX);
    let bases = bases.iter().map(|&base| vec![base]).collect();
    Ok(LinearLayout::new(&[(linear::INDEX, bases)], &[(linear::OFFSET, size)])?)
}

/// The mapping that adds, without carry, the offset and the bases of a coordinate's bits.
fn linear_mapping(context: &Context, offset: i64, bases: &[i64]) -> Result<Relation> {
    let width = bases.iter().chain([&offset]).map(|base| 64 - base.leading_zeros()).max();
    let width = width.unwrap_or(0);
    let size = 1_i64 << bases.len();
    // Bit k of the image is the parity of some bits of the coordinate.
    let terms: Vec<_> = (0..width)
        .map(|k| {
            let parts = bases.iter().enumerate().filter(|(_, base)| *base >> k & 1 == 1);
            let mut parts: Vec<_> =
                parts.map(|(j, _)| format!("floor(c/{})", 1_i64 << j)).collect();
            if offset >> k & 1 == 1 {
                parts.push("1".to_owned());
            }
            if parts.is_empty() {
                parts.push("0".to_owned());
            }
            format!("{}*(({}) mod 2)", 1_i64 << k, parts.join(" + "))
        })
        .collect();
    let sum = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
    Relation::read(context, &format!("{{ [c] -> [{sum}] : 0 <= c < {size} }}"))
}

/// Swizzles within some bits that are involutions and do something, in the order of preference.
fn swizzles(width: u32) -> impl Iterator<Item = Swizzle> {
    let width = width.min(62);
    let shifts = move |bits: u32| {
        let most = i32::try_from(width).unwrap_or(0);
        let least = i32::try_from(bits).unwrap_or(0);
        (least..=most).flat_map(|shift| [shift, -shift])
    };
    (1..=width).flat_map(move |bits| {
        (0..=width - bits).flat_map(move |base| {
            shifts(bits).filter_map(move |shift| {
                let fits = bits + base + shift.unsigned_abs() <= width;
                if fits { Swizzle::new(bits, base, shift).ok() } else { None }
            })
        })
    })
}

/// The images of `0 .. size`, in order.
fn values(mapping: &Relation, size: i64) -> Result<Vec<i64>> {
    let formula = Formula::of(mapping)?;
    let image = |coordinate| {
        one(formula.at(&[coordinate])?)
            .ok_or_else(|| Error::Range { found: format!("no image of {coordinate}") })
    };
    (0..size).map(image).collect()
}

/// A swizzle after which bases no longer share bits, so that they are strides.
fn swizzled_bases(offset: i64, bases: &[i64]) -> Result<Option<ComposedLayout>> {
    let all = bases.iter().fold(offset, |all, base| all | base);
    for swizzle in swizzles(64 - all.leading_zeros()) {
        // A swizzle is linear: S(x ^ y) = S(x) ^ S(y).
        let start = swizzle.apply(offset);
        let mut used = start;
        let mut modes = Vec::with_capacity(bases.len());
        for base in bases {
            let stride = swizzle.apply(*base);
            if used & stride != 0 {
                break;
            }
            used |= stride;
            modes.push((2, stride));
        }
        if modes.len() == bases.len() {
            let inner = layout_algebra::coalesce(&from_modes(&modes)?)?;
            return Ok(Some(ComposedLayout {
                outer: Outer::Swizzle(swizzle),
                offset: start,
                inner,
            }));
        }
    }
    Ok(None)
}

/// A swizzle after which the listed images are those of a layout.
fn swizzled_values(mapping: &Relation, size: i64) -> Result<Option<ComposedLayout>> {
    let values = values(mapping, size)?;
    if values.iter().any(|&value| value < 0) {
        return Ok(None);
    }
    let all = values.iter().fold(0, |all, value| all | value);
    for swizzle in swizzles(64 - all.leading_zeros()) {
        let Some(&first) = values.first() else { return Ok(None) };
        let offset = swizzle.apply(first);
        let inner: Vec<_> = values.iter().map(|value| swizzle.apply(*value) - offset).collect();
        if let Ok(inner) = layout_of(&inner)? {
            let outer = Outer::Swizzle(swizzle);
            return Ok(Some(ComposedLayout { outer, offset, inner }));
        }
    }
    Ok(None)
}
