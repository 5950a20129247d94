//! One example of each algorithm of the paper.

use crate::algorithms;
use crate::support;

use algorithms::{
    complement, compose, composed_layout_mapping, inverse, layout_from_index_mapping,
    layout_from_strides, left_inverse, right_inverse,
};
use layout_relation::{index_mapping_of, layout_mapping};
use support::{context, layout};

#[test]
fn layouts_come_back_from_their_shape_and_from_their_strides() {
    let (context, given) = (context(), layout("(4,(2,2)):(2,(1,8))"));
    let mapping = index_mapping_of(&context, &given, given.shape()).unwrap();
    assert_eq!(layout_from_index_mapping(&mapping, given.shape()).unwrap(), Ok(given.clone()));
    // Under the shape (4,4) the mapping is only quasi-affine.
    let shape = "(4,4)".parse().unwrap();
    let mapping = index_mapping_of(&context, &given, &shape).unwrap();
    assert_eq!(
        layout_from_index_mapping(&mapping, &shape).unwrap().unwrap_err().to_string(),
        "expected 8 at coordinate (0,2), found 2 in the only candidate"
    );
    let mapping = layout_mapping(&context, &layout("(4,2,2):(2,1,8)")).unwrap();
    let found = layout_from_strides(&mapping, &"(2,(1,8))".parse().unwrap()).unwrap();
    assert_eq!(found, Some(given));
    assert_eq!(layout_from_strides(&mapping, &"(2,8,1)".parse().unwrap()).unwrap(), None);
}

#[test]
fn an_outer_layout_is_promoted() {
    let context = context();
    let (outer, inner) = (layout("(2,1):(1,80)"), layout("(2,2):(2,1)"));
    let found = compose(&context, &outer, &inner).unwrap();
    assert_eq!(found.layout.to_string(), "(2,2):(80,1)");
    assert_eq!(found.promoted.unwrap().to_string(), "(2,2):(1,80)");
    let expected = composed_layout_mapping(&context, &outer, &inner).unwrap();
    assert!(expected.is_equal(&layout_mapping(&context, &found.layout).unwrap()).unwrap());
}

#[test]
fn complements_and_inverses() {
    let context = context();
    let text = |layout: layout_algebra::Layout| layout.to_string();
    assert_eq!(text(complement(&context, &layout("(2,2):(1,4)"), 20).unwrap()), "(2,3):(2,8)");
    assert_eq!(text(inverse(&context, &layout("(4,2,2):(2,1,8)")).unwrap()), "(2,4,2):(4,1,8)");
    let right = right_inverse(&context, &layout("(4,8,2):(8,1,33)")).unwrap();
    assert_eq!(text(right), "(8,4):(4,1)");
    let left = left_inverse(&context, &layout("(4,2,2):(4,2,32)")).unwrap();
    assert_eq!(text(left), "(2,2,16):(0,4,1)");
}
