//! The paper's algorithms 2 to 6 on relations, corrected: layouts back from mappings whose shape or strides are
//! known, composition, complement and inverses. The tests compare them with the algebra, which has its own.
#![allow(dead_code, unused_imports, reason = "not every test uses all of it")]

mod complement;
mod compose;
mod inverse;
#[path = "../../src/notation.rs"]
mod notation;
mod recover;

pub(crate) use complement::complement;
pub(crate) use compose::{compose, composed_layout_mapping};
pub(crate) use inverse::{inverse, left_inverse, right_inverse};
pub(crate) use notation::{bounds, dot, names};
pub(crate) use recover::{layout_from_index_mapping, layout_from_shape, layout_from_strides};

use layout_algebra::{Layout, Tuple};
use layout_relation::{IntegerSet, Refutation, Relation, Result};

pub(crate) fn leaf(extent: i64, stride: i64) -> Result<Layout> {
    Ok(Layout::new(Tuple::Leaf(extent), Tuple::Leaf(stride))?)
}

/// The least integer of a set.
pub(crate) fn least(set: &IntegerSet) -> Result<Option<i64>> {
    Ok(set.least()?.and_then(|tuple| tuple.first().copied()))
}

/// The extents of a shape, and how far a step in each is.
pub(crate) fn colexicographic(shape: &Tuple) -> (Vec<i64>, Vec<i64>) {
    let extents = shape.leaves();
    let steps = extents.iter().scan(1_i64, |next, extent| {
        let step = *next;
        *next = next.saturating_mul(*extent);
        Some(step)
    });
    (extents.clone(), steps.collect())
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

/// The least coordinate where two single-valued mappings to integers differ.
pub(crate) fn difference(expected: &Relation, found: &Relation) -> Result<Option<Refutation>> {
    if expected.is_equal(found)? {
        return Ok(None);
    }
    let only = |a: &Relation, b: &Relation| a.subtract(b)?.domain();
    let differing = only(expected, found)?.union(&only(found, expected)?)?;
    match differing.least()? {
        None => Ok(None),
        Some(coordinate) => Ok(Some(Refutation {
            expected: expected.at(&coordinate)?,
            found: found.at(&coordinate)?,
            coordinate,
        })),
    }
}
