//! The common parts of recovering layouts from relations: refutations, and the box that a mapping is given on.

use std::fmt;

use layout_algebra::{Layout, Tuple};

use crate::{
    error::{Error, Result},
    isl::Set,
    quasi::Formula,
    relation::{IntegerSet, Relation, past_greatest},
    text::{bounds, coordinate_text, image_text, names},
};

/// The most coordinates that are enumerated.
pub(crate) const MAX_ENUMERATED: i64 = 1 << 12;

/// A coordinate where the one candidate that agrees with all before differs from a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The least such coordinate.
    pub coordinate: Vec<i64>,
    /// The mapping's image there; none outside of its domain.
    pub expected: Option<Vec<i64>>,
    /// The candidate's image there; none outside of its domain, or without a candidate.
    pub found: Option<Vec<i64>>,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected {} at coordinate {}, found {} in the only candidate",
            image_text(self.expected.as_deref()),
            coordinate_text(&self.coordinate),
            image_text(self.found.as_deref())
        )
    }
}

/// The nesting of `profile` with other leaves, in order.
pub(crate) fn relabel(profile: &Tuple, leaves: &mut impl Iterator<Item = i64>) -> Tuple {
    match profile {
        Tuple::Leaf(value) => Tuple::Leaf(leaves.next().unwrap_or(*value)),
        Tuple::Node(entries) => {
            Tuple::Node(entries.iter().map(|entry| relabel(entry, leaves)).collect())
        }
    }
}

pub(crate) fn with_strides(shape: &Tuple, strides: &[i64]) -> Result<Layout> {
    let stride = relabel(shape, &mut strides.iter().copied());
    Ok(Layout::new(shape.clone(), stride)?)
}

/// A single-valued mapping from tuples of a length to single integers, or an error.
pub(crate) fn mapping_to_integer(
    operation: &'static str,
    mapping: &Relation,
    rank: usize,
) -> Result<()> {
    let dimensions = mapping.dimensions()?;
    if dimensions != (rank, 1) {
        return Err(Error::Dimensions {
            operation,
            expected: format!("a mapping from {rank} to 1 dimensions"),
            found: format!("{} to {}", dimensions.0, dimensions.1),
        });
    }
    single_valued(operation, mapping)
}

/// A mapping with one image for each coordinate, or an error.
pub(crate) fn single_valued(operation: &'static str, mapping: &Relation) -> Result<()> {
    if mapping.functions.is_none() && !mapping.is_single_valued()? {
        return Err(Error::Condition {
            operation,
            operand: mapping.text()?,
            expected: "one image for each coordinate",
            found: "more than one for some".to_owned(),
        });
    }
    Ok(())
}

/// The extents of a mapping whose domain is a box from 0, or an error.
pub(crate) fn extents(operation: &'static str, mapping: &Relation) -> Result<Vec<i64>> {
    let (rank, _) = mapping.dimensions()?;
    if let Some(extents) = extents_of_expressions(mapping, MAX_ENUMERATED)? {
        let formula = Formula::of(mapping)?;
        let mut whole = true;
        for mut index in 0..extents.iter().product() {
            let mut digit = |extent: &i64| {
                let digit = index % extent;
                index /= extent;
                digit
            };
            let coordinate: Vec<_> = extents.iter().map(&mut digit).collect();
            whole &= formula.at(&coordinate)?.is_some();
        }
        if whole {
            return Ok(extents);
        }
    }
    let domain = mapping.map.domain()?;
    let extents = reach(&domain)?;
    let whole = all_below(mapping, &extents)?;
    if domain.is_equal(&whole)? {
        return Ok(extents);
    }
    let hole = whole.subtract(&domain)?.lexmin()?.point()?;
    Err(Error::Condition {
        operation,
        operand: mapping.text()?,
        expected: match rank {
            1 => "the domain to be an interval from 0",
            _ => "the domain to be a box from 0",
        },
        found: match hole.as_deref() {
            Some([hole]) => format!("no image at {hole}"),
            Some(hole) => format!("no image at {}", coordinate_text(hole)),
            _ => "negative coordinates".to_owned(),
        },
    })
}

/// The extents of the box of at most `most` coordinates that the first of a mapping's expressions are
/// written for, where there are expressions; a later one need not have an image of all.
pub(crate) fn extents_of_expressions(mapping: &Relation, most: i64) -> Result<Option<Vec<i64>>> {
    let Some(first) = mapping.functions.as_ref().and_then(|functions| functions.first()) else {
        return Ok(None);
    };
    let domain = first.domain()?;
    let extents = reach(&domain)?;
    let size = extents.iter().try_fold(1_i64, |size, &extent| size.checked_mul(extent));
    if size.is_none_or(|size| size > most) || !domain.is_equal(&all_below(mapping, &extents)?)? {
        return Ok(None);
    }
    Ok(Some(extents))
}

/// The coordinates of a mapping's domain from 0 on and below extents.
fn all_below(mapping: &Relation, extents: &[i64]) -> Result<Set> {
    let text = format!("{{ [{}] : {} }}", names("c", extents.len()), bounds("c", extents));
    mapping.context().read_set(&text)
}

/// One more than the greatest integer of a set in each dimension.
fn reach(set: &Set) -> Result<Vec<i64>> {
    let rank = set.dim()?;
    let along = |at: usize| {
        let alone = match rank {
            1 => set.clone(),
            _ => set.project_out(at + 1, rank - at - 1)?.project_out(0, at)?,
        };
        past_greatest("size", &IntegerSet::from(alone))
    };
    (0..rank).map(along).collect()
}

/// The integer of a tuple of one.
pub(crate) fn one(tuple: Option<Vec<i64>>) -> Option<i64> {
    tuple.and_then(|tuple| tuple.first().copied())
}
