//! Mappings that are linear over GF(2), and swizzled layouts.

use std::collections::BTreeSet;

use layout_algebra::{
    ComposedLayout, Layout, Nested, Outer, Swizzle,
    linear::{self, LinearLayout},
};

use super::{
    grid::Grid,
    modes::{self, Mode, strided_values},
};
use crate::{
    error::Result,
    isl::Dim,
    recover::Refutation,
    relation::Relation,
    text::{bounds, names},
};

/// The image of 0, and what each bit of each dimension adds to it without carry.
pub(super) struct Affine {
    pub(super) offset: Vec<i64>,
    bases: Vec<Vec<Vec<i64>>>,
}

/// A mapping as an [`Affine`] one, or where it is none, or `None` if the question makes no sense:
/// of an extent that is no power of two, or a negative image.
pub(super) fn affine(grid: &Grid<'_>) -> Result<Option<std::result::Result<Affine, Refutation>>> {
    if grid.size & (grid.size - 1) != 0 || has_negative(grid)? {
        return Ok(None);
    }
    let offset = grid.image(0, 0)?;
    let mut bases = Vec::with_capacity(grid.extents.len());
    for (axis, extent) in grid.extents.iter().enumerate() {
        let basis = |bit| {
            let image = grid.image(axis, 1_i64 << bit)?;
            Ok(image.iter().zip(&offset).map(|(image, start)| image ^ start).collect())
        };
        bases.push((0..extent.trailing_zeros()).map(basis).collect::<Result<Vec<_>>>()?);
    }
    let affine = Affine { offset, bases };
    let refutation = match &grid.listed {
        Some(values) => {
            let columns: Vec<&Vec<i64>> = affine.bases.iter().flatten().collect();
            grid.refuted_by(values, |index, _| {
                let set = columns.iter().enumerate().filter(|(bit, _)| index >> bit & 1 == 1);
                Some(set.fold(affine.offset.clone(), |mut all, (_, basis)| {
                    all.iter_mut().zip(*basis).for_each(|(all, bits)| *all ^= bits);
                    all
                }))
            })
        }
        None => grid.difference(&affine.relation(grid)?)?,
    };
    Ok(Some(match refutation {
        None => Ok(affine),
        Some(refutation) => Err(refutation),
    }))
}

fn has_negative(grid: &Grid<'_>) -> Result<bool> {
    if let Some(values) = &grid.listed {
        return Ok(values.iter().flatten().any(|&value| value < 0));
    }
    let negative: Vec<_> = (0..grid.results).map(|result| format!("i{result} < 0")).collect();
    let negative = Relation::read(
        grid.context(),
        &format!(
            "{{ [{}] -> [{}] : {} }}",
            names("c", grid.extents.len()),
            names("i", grid.results),
            negative.join(" or ")
        ),
    )?;
    Ok(!grid.mapping.intersect(&negative)?.is_empty()?)
}

impl Affine {
    /// The mapping in ISL's notation: each bit of a result is the parity of some bits.
    fn relation(&self, grid: &Grid<'_>) -> Result<Relation> {
        let result = |at: usize| {
            let all =
                self.bases.iter().flatten().fold(self.offset[at], |all, basis| all | basis[at]);
            let bit = |k: u32| {
                let mut parts = Vec::new();
                for (axis, bases) in self.bases.iter().enumerate() {
                    let set = bases.iter().enumerate().filter(|(_, basis)| basis[at] >> k & 1 == 1);
                    parts.extend(set.map(|(j, _)| format!("floor(c{axis}/{})", 1_i64 << j)));
                }
                if self.offset[at] >> k & 1 == 1 {
                    parts.push("1".to_owned());
                }
                (!parts.is_empty())
                    .then(|| format!("{}*(({}) mod 2)", 1_i64 << k, parts.join(" + ")))
            };
            let bits: Vec<_> = (0..64 - all.leading_zeros()).filter_map(bit).collect();
            if bits.is_empty() { "0".to_owned() } else { bits.join(" + ") }
        };
        let results: Vec<_> = (0..grid.results).map(result).collect();
        Relation::read(
            grid.context(),
            &format!(
                "{{ [{}] -> [{}] : {} }}",
                names("c", grid.extents.len()),
                results.join(", "),
                bounds("c", &grid.extents)
            ),
        )
    }

    /// The linear layout, without the offset.
    ///
    /// Dimensions have the relation's names where it gives each one; else a single one is
    /// [`linear::INDEX`] or [`linear::OFFSET`], and several are `crd0`, … and `idx0`, ….
    pub(super) fn layout(&self, grid: &Grid<'_>) -> Result<LinearLayout> {
        let (ins, outs) = dimension_names(grid)?;
        let size = |at: usize| {
            let all = self.bases.iter().flatten().fold(0, |all, basis| all | basis[at]);
            1_i64.checked_shl(64 - all.leading_zeros()).unwrap_or(i64::MAX)
        };
        let bases: Vec<_> = ins.into_iter().zip(self.bases.iter().cloned()).collect();
        let outs: Vec<_> = outs.into_iter().zip((0..grid.results).map(size)).collect();
        Ok(LinearLayout::new(&bases, &outs)?)
    }

    /// A swizzle after which bases of one result no longer share bits, so that they are strides.
    pub(super) fn swizzled(&self) -> Result<Option<ComposedLayout>> {
        let first = |values: &Vec<i64>| values.first().copied().unwrap_or(0);
        let offset = first(&self.offset);
        let all = self.bases.iter().flatten().fold(offset, |all, basis| all | first(basis));
        for swizzle in swizzles(64 - all.leading_zeros()) {
            // A swizzle is linear: S(x ^ y) = S(x) ^ S(y).
            let start = swizzle.apply(offset);
            let mut used = start;
            let mut apart = |stride: i64| {
                let free = used & stride == 0;
                used |= stride;
                free
            };
            let strides: Vec<Vec<Mode>> = self
                .bases
                .iter()
                .map(|bases| bases.iter().map(|b| (2, vec![swizzle.apply(first(b))])).collect())
                .collect();
            if strides.iter().flatten().all(|(_, stride)| apart(stride[0])) {
                let outer = Outer::Swizzle(swizzle);
                let inner = coalesced(&strides)?;
                return Ok(Some(ComposedLayout { outer, offset: start, inner }));
            }
        }
        Ok(None)
    }
}

/// The layout of modes, as few as can be along each dimension.
fn coalesced(axes: &[Vec<Mode>]) -> Result<Layout> {
    let along = |modes: &Vec<Mode>| -> Result<_> {
        let layout = modes::layout(std::slice::from_ref(modes))?.coalesce()?;
        Ok((layout.shape().clone(), layout.stride().clone()))
    };
    let mut all = axes.iter().map(along).collect::<Result<Vec<_>>>()?;
    let (shape, stride) = match all.len() {
        1 => all.swap_remove(0),
        _ => {
            let (shape, stride) = all.into_iter().unzip();
            (Nested::Node(shape), Nested::Node(stride))
        }
    };
    Ok(Layout::new(shape, stride)?)
}

/// A swizzle after which the listed images, of one result, are those of a layout.
pub(super) fn swizzled_values(
    grid: &Grid<'_>,
    values: &[Vec<i64>],
) -> Result<Option<ComposedLayout>> {
    let values: Vec<i64> = values.iter().filter_map(|value| value.first().copied()).collect();
    let Some(&first) = values.first().filter(|_| values.iter().all(|&value| value >= 0)) else {
        return Ok(None);
    };
    let all = values.iter().fold(0, |all, value| all | value);
    for swizzle in swizzles(64 - all.leading_zeros()) {
        let offset = swizzle.apply(first);
        let inner: Vec<_> =
            values.iter().map(|value| vec![swizzle.apply(*value) - offset]).collect();
        if let Ok(axes) = strided_values(grid, &inner) {
            let outer = Outer::Swizzle(swizzle);
            return Ok(Some(ComposedLayout { outer, offset, inner: modes::layout(&axes)? }));
        }
    }
    Ok(None)
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

/// Names for the dimensions of the domain and of images.
fn dimension_names(grid: &Grid<'_>) -> Result<(Vec<String>, Vec<String>)> {
    let (dimensions, results) = (grid.extents.len(), grid.results);
    let several = |prefix: &str, count: usize, one: &str| -> Vec<String> {
        match count {
            1 => vec![one.to_owned()],
            _ => (0..count).map(|at| format!("{prefix}{at}")).collect(),
        }
    };
    let own = |kind: Dim, count: usize| -> Result<Option<Vec<String>>> {
        let names: Option<Vec<String>> =
            (0..count).map(|at| grid.mapping.map.name(kind, at)).collect::<Result<Option<_>>>()?;
        Ok(names.filter(|names| {
            let different: BTreeSet<_> = names.iter().collect();
            names.iter().all(|name| is_given(name, count)) && different.len() == count
        }))
    };
    let ins =
        own(Dim::In, dimensions)?.unwrap_or_else(|| several("crd", dimensions, linear::INDEX));
    let outs = own(Dim::Out, results)?.unwrap_or_else(|| several("idx", results, linear::OFFSET));
    Ok((ins, outs))
}

/// Whether the name of one of some dimensions is meant as one, and may be that of a linear layout's:
/// `c0` and the like are variables, and so is a letter that is alone.
fn is_given(name: &str, count: usize) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let digits = name.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    let variable = digits && (name.len() > 1 || count == 1);
    !variable && name.len() <= linear::NAME_LIMIT && name.bytes().all(word)
}
