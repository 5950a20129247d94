//! Layouts back from relations, when a shape or the strides are known: algorithms 2 and 3.

use std::fmt;

use layout_algebra::{Layout, Tuple};

use crate::{
    cute::{colexicographic, coordinate_mapping, index_mapping, layout_mapping},
    error::{Error, Result},
    isl::Set,
    quasi::Formula,
    relation::{IntegerSet, Relation, past_greatest},
    text::{bounds, coordinate_text, image_text, names},
};

/// Coordinates that are listed one by one.
pub(crate) const LISTED: i64 = 1 << 12;

/// A coordinate where the one candidate that agrees with all before differs from a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The least such coordinate.
    pub coordinate: Vec<i64>,
    /// What the mapping gives there; none outside of its domain.
    pub wanted: Option<Vec<i64>>,
    /// What the candidate gives there; none outside of its domain, or where there is no candidate.
    pub found: Option<Vec<i64>>,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected {} at coordinate {}, found {} in the only candidate",
            image_text(self.wanted.as_deref()),
            coordinate_text(&self.coordinate),
            image_text(self.found.as_deref())
        )
    }
}

/// Algorithm 2: the layout of a shape whose index mapping is the given one.
///
/// The strides are the images of the unit coordinates; the mapping is strictly affine exactly where
/// the dot product with them is the whole mapping. Modes of extent 1 get stride 0.
///
/// # Errors
///
/// The refutation, inside `Ok`; a mapping that is not single-valued from tuples of the shape's rank
/// to single integers; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, index_mapping_of, layout_from_index_mapping};
/// let context = Context::new(Limits::default())?;
/// let layout = "(4,(2,2)):(2,(1,8))".parse()?;
/// let shape = "(4,(2,2))".parse()?;
/// let mapping = index_mapping_of(&context, &layout, &shape)?;
/// assert_eq!(layout_from_index_mapping(&mapping, &shape)?, Ok(layout.clone()));
/// // Under the shape (4,4) the mapping is only quasi-affine.
/// let shape = "(4,4)".parse()?;
/// let mapping = index_mapping_of(&context, &layout, &shape)?;
/// assert_eq!(
///     layout_from_index_mapping(&mapping, &shape)?.unwrap_err().to_string(),
///     "expected 8 at coordinate (0,2), found 2 in the only candidate"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn layout_from_index_mapping(
    mapping: &Relation,
    shape: &Tuple,
) -> Result<std::result::Result<Layout, Refutation>> {
    let context = mapping.context();
    context.within(|| {
        let (extents, _) = colexicographic(shape)?;
        mapping_to_integer("layout_from_index_mapping", mapping, extents.len())?;
        let mut strides = Vec::with_capacity(extents.len());
        for (i, &extent) in extents.iter().enumerate() {
            let mut unit = vec![0; extents.len()];
            unit[i] = 1;
            let stride = match mapping.at(&unit)?.as_deref() {
                Some(&[stride]) if extent > 1 => stride,
                _ => 0,
            };
            strides.push(stride);
        }
        let layout = with_strides(shape, &strides)?;
        Ok(match difference(mapping, &index_mapping(context, &layout)?)? {
            None => Ok(layout),
            Some(refutation) => Err(refutation),
        })
    })
}

/// Algorithm 2 from the layout mapping: the layout of a shape with the given layout mapping.
///
/// # Errors
///
/// As [`layout_from_index_mapping`]; the refutation is in natural coordinates.
pub fn layout_from_shape(
    mapping: &Relation,
    shape: &Tuple,
) -> Result<std::result::Result<Layout, Refutation>> {
    let context = mapping.context();
    context.within(|| {
        mapping_to_integer("layout_from_shape", mapping, 1)?;
        let coordinates = coordinate_mapping(context, shape)?;
        let size = shape.product()?;
        let domain = context.read_set(&format!("{{ [c] : 0 <= c < {size} }}"))?;
        // What lies past the shape is lost when coordinates are put in its place.
        let past = mapping.map.domain()?.subtract(&domain)?;
        if let Some(coordinate) = past.lexmin()?.point()? {
            let wanted = mapping.at(&coordinate)?;
            return Ok(Err(Refutation { coordinate, wanted, found: None }));
        }
        layout_from_index_mapping(&coordinates.inverse()?.then(mapping)?, shape)
    })
}

/// Algorithm 3: the layout of given strides whose layout mapping is the given one, or none.
///
/// A shape must have as many coordinates as the mapping, and its last coordinate the index that
/// the mapping has at the end; among those, only shapes whose modes begin as the mapping does are
/// tried, and the first for which both mappings are equal is the answer.
///
/// # Errors
///
/// A mapping that is not single-valued from `[0, n)` to integers; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, layout_from_strides, layout_mapping};
/// let context = Context::new(Limits::default())?;
/// let mapping = layout_mapping(&context, &"(4,2,2):(2,1,8)".parse()?)?;
/// let found = layout_from_strides(&mapping, &"(2,(1,8))".parse()?)?;
/// assert_eq!(found, Some("(4,(2,2)):(2,(1,8))".parse()?));
/// assert_eq!(layout_from_strides(&mapping, &"(2,8,1)".parse()?)?, None);
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn layout_from_strides(mapping: &Relation, strides: &Tuple) -> Result<Option<Layout>> {
    let context = mapping.context();
    context.within(|| {
        mapping_to_integer("layout_from_strides", mapping, 1)?;
        let size = interval("layout_from_strides", mapping)?;
        let leaves = strides.leaves();
        let mut search = ByStrides { mapping, strides, leaves: &leaves, extents: Vec::new() };
        search.run(size, size)
    })
}

struct ByStrides<'a> {
    mapping: &'a Relation,
    strides: &'a Tuple,
    leaves: &'a [i64],
    extents: Vec<i64>,
}

impl ByStrides<'_> {
    /// Chooses the extents that are left to choose; their product is `rest` of `size`.
    fn run(&mut self, size: i64, rest: i64) -> Result<Option<Layout>> {
        let Some(&stride) = self.leaves.get(self.extents.len()) else {
            if rest != 1 {
                return Ok(None);
            }
            let mut extents = self.extents.iter().copied();
            let shape = relabel(self.strides, &mut extents);
            let layout = Layout::new(shape, self.strides.clone())?;
            let equal = layout_mapping(self.mapping.context(), &layout)?.is_equal(self.mapping)?;
            return Ok(equal.then_some(layout));
        };
        let below = size / rest;
        // Longer modes first, while the mapping goes on in steps of the stride.
        let mut longest = 1;
        while longest < rest {
            let wanted = stride.checked_mul(longest).map(|index| vec![index]);
            if self.mapping.at(&[below * longest])? != wanted {
                break;
            }
            longest += 1;
        }
        for extent in (1..=longest).rev().filter(|extent| rest % extent == 0) {
            self.extents.push(extent);
            let found = self.run(size, rest / extent)?;
            self.extents.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
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

/// The size of a mapping whose domain is `[0, size)`, or an error.
pub(crate) fn interval(operation: &'static str, mapping: &Relation) -> Result<i64> {
    let extents = extents(operation, mapping)?;
    Ok(extents.first().copied().unwrap_or(1))
}

/// The extents of a mapping whose domain is a box from 0, or an error.
pub(crate) fn extents(operation: &'static str, mapping: &Relation) -> Result<Vec<i64>> {
    let (rank, _) = mapping.dimensions()?;
    if let Some(extents) = extents_of_expressions(mapping, LISTED)? {
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

/// The extents of the box of at most so many coordinates that the first of a mapping's expressions are
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

/// The least coordinate where two single-valued mappings to integers differ.
pub(crate) fn difference(wanted: &Relation, found: &Relation) -> Result<Option<Refutation>> {
    if wanted.is_equal(found)? {
        return Ok(None);
    }
    let only = |a: &Relation, b: &Relation| a.map.subtract(&b.map)?.domain();
    let differing = only(wanted, found)?.union(&only(found, wanted)?)?;
    match differing.lexmin()?.point()? {
        None => Ok(None),
        Some(coordinate) => Ok(Some(Refutation {
            wanted: wanted.at(&coordinate)?,
            found: found.at(&coordinate)?,
            coordinate,
        })),
    }
}

/// The integer of a tuple of one.
pub(crate) fn one(tuple: Option<Vec<i64>>) -> Option<i64> {
    tuple.and_then(|tuple| tuple.first().copied())
}
