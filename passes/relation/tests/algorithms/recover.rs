//! Layouts back from relations, when a shape or the strides are known: algorithms 2 and 3.

use super::{difference, relabel};
use layout_algebra::{Layout, Tuple};
use layout_relation::{
    Error, IntegerSet, Refutation, Relation, Result, coordinate_mapping, index_mapping,
    layout_mapping,
};

/// Algorithm 2: the layout of a shape whose index mapping is the given one.
///
/// The strides are the images of the unit coordinates; the mapping is strictly affine exactly where
/// the dot product with them is the whole mapping. Modes of extent 1 get stride 0.
///
/// # Errors
///
/// The refutation, inside `Ok`; a mapping that is not single-valued from tuples of the shape's rank
/// to single integers; a limit.
pub(crate) fn layout_from_index_mapping(
    mapping: &Relation,
    shape: &Tuple,
) -> Result<std::result::Result<Layout, Refutation>> {
    let context = mapping.context();
    context.within(|| {
        let extents = shape.leaves();
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
        let stride = relabel(shape, &mut strides.into_iter());
        let layout = Layout::new(shape.clone(), stride)?;
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
pub(crate) fn layout_from_shape(
    mapping: &Relation,
    shape: &Tuple,
) -> Result<std::result::Result<Layout, Refutation>> {
    let context = mapping.context();
    context.within(|| {
        mapping_to_integer("layout_from_shape", mapping, 1)?;
        let coordinates = coordinate_mapping(context, shape)?;
        let size = shape.product()?;
        let domain = below(mapping, size)?;
        // Coordinates past the shape are lost when coordinates of the shape replace them.
        let past = mapping.domain()?.subtract(&domain)?;
        if let Some(coordinate) = past.least()? {
            let expected = mapping.at(&coordinate)?;
            return Ok(Err(Refutation { coordinate, expected, found: None }));
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
pub(crate) fn layout_from_strides(mapping: &Relation, strides: &Tuple) -> Result<Option<Layout>> {
    let context = mapping.context();
    context.within(|| {
        mapping_to_integer("layout_from_strides", mapping, 1)?;
        let size = interval(mapping)?;
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
        // Longer modes first, while the mapping continues in steps of the stride.
        let mut longest = 1;
        while longest < rest {
            let expected = stride.checked_mul(longest).map(|index| vec![index]);
            if self.mapping.at(&[below * longest])? != expected {
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

/// A single-valued mapping from tuples of a length to single integers, or an error.
fn mapping_to_integer(operation: &'static str, mapping: &Relation, rank: usize) -> Result<()> {
    let dimensions = mapping.dimensions()?;
    if dimensions != (rank, 1) {
        return Err(Error::Dimensions {
            operation,
            expected: format!("a mapping from {rank} to 1 dimensions"),
            found: format!("{} to {}", dimensions.0, dimensions.1),
        });
    }
    match mapping.is_single_valued()? {
        true => Ok(()),
        false => Err(Error::Condition {
            operation,
            operand: mapping.text()?,
            expected: "one image for each coordinate",
            found: "more than one for some".to_owned(),
        }),
    }
}

/// The coordinates of a mapping's context in `[0, size)`.
fn below(mapping: &Relation, size: i64) -> Result<IntegerSet> {
    IntegerSet::parse(mapping.context(), &format!("{{ [c] : 0 <= c < {size} }}"))
}

/// The size of a mapping whose domain is `[0, size)`, or an error.
fn interval(mapping: &Relation) -> Result<i64> {
    let size = mapping.size()?;
    if mapping.domain()?.is_equal(&below(mapping, size)?)? {
        return Ok(size);
    }
    Err(Error::Condition {
        operation: "layout_from_strides",
        operand: mapping.text()?,
        expected: "the domain to be an interval from 0",
        found: "another".to_owned(),
    })
}
