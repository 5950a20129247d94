//! Table 2 of the paper (CuTe layouts and operations), row by row, and its numbered examples.
//!
//! Each row is compared as a relation and as ISL's text. Where the paper is wrong, the test says
//! so with a witness.

use crate::algorithms;
use crate::support;

use algorithms::{
    complement, compose, inverse, layout_from_index_mapping, layout_from_shape,
    layout_from_strides, left_inverse, right_inverse,
};
use layout_algebra::{Layout, Swizzle};
use layout_relation::{
    Context, Relation, coordinate_mapping, extract_shape, index_mapping, index_mapping_of,
    layout_mapping, swizzle_mapping,
};
use support::{context, layout};

/// The row's text is what ISL says of the row's layout.
fn row(context: &Context, text: &str, result: &str) -> Layout {
    let result = layout(result);
    let mapping = layout_mapping(context, &result).unwrap();
    // Printed first: a comparison leaves both sides in another, equal form.
    assert_eq!(mapping.solved().unwrap(), text, "{result}");
    let paper = Relation::parse(context, text).unwrap();
    assert!(paper.is_equal(&mapping).unwrap(), "{result}");
    result
}

const H: &str = "{ [c] -> [(7 + 2c + 6*floor((c)/8) + 7*floor((-1 - c)/4))] : 0 <= c <= 15 }";

#[test]
fn row_1_a_layout() {
    row(&context(), H, "(4,2,2):(2,1,8)");
}

#[test]
fn row_2_inverse() {
    let context = context();
    let text = "{ [c] -> [(-3c + 4*floor((c)/8) + 7*floor((1 + c)/2))] : 0 <= c <= 15 }";
    let paper = row(&context, text, "(2,4,2):(4,1,8)");
    assert_eq!(inverse(&context, &layout("(4,2,2):(2,1,8)")).unwrap(), paper);
}

/// The paper's layout is a left inverse, as pycute makes it; CuTe C++ and we make a shorter one.
#[test]
fn row_3_left_inverse() {
    let context = context();
    let text = "{ [c] -> [(2c - 7*floor((c)/4) + 28*floor((c)/16) - 56*floor((c)/32) + \
                14*((c) mod 2))] : 0 <= c <= 63 }";
    let paper = row(&context, text, "(2,2,4,2,2):(16,4,1,32,8)");
    let operand = layout("(4,2,2):(4,2,32)");
    let ours = left_inverse(&context, &operand).unwrap();
    assert_eq!(ours.to_string(), "(2,2,16):(0,4,1)");
    for coordinate in 0..operand.size() {
        let index = operand.at(coordinate).unwrap();
        assert_eq!(paper.at(index).unwrap(), coordinate);
        assert_eq!(ours.at(index).unwrap(), coordinate);
    }
    // They differ where the operand has no index, first at 1.
    assert_eq!((paper.at(1).unwrap(), ours.at(1).unwrap()), (16, 0));
}

#[test]
fn row_4_right_inverse() {
    let context = context();
    let text = "{ [c] -> [(31 + 4c + 31*floor((-1 - c)/8))] : 0 <= c <= 31 }";
    let paper = row(&context, text, "(8,4):(4,1)");
    assert_eq!(right_inverse(&context, &layout("(4,8,2):(8,1,33)")).unwrap(), paper);
}

/// The paper's complement reaches 26, past the 20 that were requested.
#[test]
fn row_5_complement_is_wrong_in_the_paper() {
    let context = context();
    let text = "{ [c] -> [(2c + 5*floor((c)/2))] : 0 <= c <= 5 }";
    let paper = row(&context, text, "(2,3):(2,9)");
    let operand = layout("(2,2):(1,5)");
    assert_eq!(operand.cosize().unwrap() - 1 + paper.cosize().unwrap() - 1, 26);
    let ours = complement(&context, &operand, 20).unwrap();
    assert_eq!(ours.to_string(), "(2,2):(2,10)");
    assert_eq!(operand.cosize().unwrap() - 1 + ours.cosize().unwrap() - 1, 18);
}

#[test]
fn row_6_complement() {
    let context = context();
    let paper = row(&context, "{ [c] -> [(4c)] : 0 <= c <= 3 }", "4:4");
    assert_eq!(complement(&context, &layout("(4,2):(1,16)"), 32).unwrap(), paper);
}

/// The paper's complement reaches 35. A complement that does not reach past 20 leaves out 8, 9, 18 and 19, since
/// repeating the four indices below 4 does not fill the gap [4, 10).
#[test]
fn row_7_complement_is_wrong_in_the_paper() {
    let context = context();
    let text = "{ [c] -> [(-1 + 2c + 10*floor((c)/4) + (1 + c) mod 2)] : 0 <= c <= 7 }";
    let paper = row(&context, text, "((2,2),2):((1,4),18)");
    let operand = layout("(2,2):(2,10)");
    assert_eq!(operand.cosize().unwrap() - 1 + paper.cosize().unwrap() - 1, 35);
    let ours = complement(&context, &operand, 20).unwrap();
    assert_eq!(ours.to_string(), "(2,2):(1,4)");
    let both = layout("((2,2),(2,2)):((2,10),(1,4))");
    let reached: Vec<_> = (0..both.size()).map(|c| both.at(c).unwrap()).collect();
    let missing: Vec<_> = (0..20).filter(|index| !reached.contains(index)).collect();
    assert_eq!(missing, [8, 9, 18, 19]);
}

#[test]
fn row_8_complement() {
    let context = context();
    let text = "{ [c] -> [(-2 + 4c + 2*((1 + c) mod 2))] : 0 <= c <= 5 }";
    let paper = row(&context, text, "(2,3):(2,8)");
    assert_eq!(complement(&context, &layout("(2,2):(1,4)"), 20).unwrap(), paper);
}

fn composition(context: &Context, outer: &str, inner: &str, result: &Layout) {
    let found = compose(context, &layout(outer), &layout(inner)).unwrap();
    assert_eq!((&found.layout, found.promoted), (result, None), "{outer} o {inner}");
}

#[test]
fn row_9_composition() {
    let context = context();
    let text = "{ [c] -> [(-79c + 159*floor((1 + c)/2))] : 0 <= c <= 3 }";
    let paper = row(&context, text, "(2,2):(80,1)");
    composition(&context, "(2,2):(1,80)", "(2,2):(2,1)", &paper);
}

#[test]
fn row_10_composition() {
    let context = context();
    let text = "{ [c] -> [(-4c + 13*floor((1 + c)/2))] : 0 <= c <= 5 }";
    let paper = row(&context, text, "(2,3):(9,5)");
    composition(&context, "(4,6,8,10):(2,3,5,7)", "6:12", &paper);
}

#[test]
fn row_11_composition() {
    let context = context();
    let paper = row(&context, "{ [c] -> [(9c)] : 0 <= c <= 2 }", "3:9");
    composition(&context, "(4,2,8):(3,12,97)", "3:3", &paper);
}

/// The paper's result lacks a parenthesis; its mapping is right.
#[test]
fn row_12_composition_of_nested_layouts() {
    let context = context();
    let text = "{ [c] -> [(30 + 8c + 8*floor((c)/16) - 31*floor((c)/32) + \
                30*floor((-1 - c)/4))] : 0 <= c <= 63 }";
    let paper = row(&context, text, "((4,(4,2)),2):((8,(2,16)),1)");
    composition(&context, "((4,2),(2,4)):((2,16),(1,8))", "((4,8),2):((16,1),8)", &paper);
}

/// Algorithm 4 takes the outer shape without its extents of 1; CuTe coalesces, to the same here.
#[test]
fn row_13_composition_with_the_own_domain() {
    let context = context();
    let paper = row(&context, H, "(4,2,2):(2,1,8)");
    composition(&context, "(4,2,2):(2,1,8)", "16:1", &paper);
}

/// The row's text is the swizzle as a relation.
fn swizzle_row(swizzle: Swizzle, text: &str) {
    let context = context();
    let mapping = swizzle_mapping(&context, &swizzle).unwrap();
    let paper = Relation::parse(&context, text).unwrap();
    assert!(paper.is_equal(&mapping).unwrap(), "{swizzle}");
    for coordinate in 0..16 {
        let expected = Some(vec![swizzle.apply(coordinate)]);
        assert_eq!(paper.at(&[coordinate]).unwrap(), expected);
    }
}

#[test]
fn row_14_swizzle() {
    let swizzle = Swizzle::new(1, 2, 1).unwrap();
    let text = "{ [c] -> [(c - (c) mod 8 + (c + 4*floor((c)/8)) mod 8)] : 0 <= c <= 15 }";
    swizzle_row(swizzle, text);
    assert_eq!(swizzle_mapping(&context(), &swizzle).unwrap().solved().unwrap(), text);
}

/// Here ISL's text is another than the paper's.
#[test]
fn row_15_swizzle_with_negative_shift() {
    swizzle_row(
        Swizzle::new(1, 2, -1).unwrap(),
        "{ [c] -> [(-7 + 2*((c) mod 8) + (7 + c - 2*((c) mod 4)) mod 16)] : 0 <= c <= 15 }",
    );
}

/// Section 3.5: the mappings of a hierarchical layout, as text.
#[test]
fn example_hierarchical_layout() {
    let context = context();
    let hierarchical = layout("(4,(2,2)):(2,(1,8))");
    assert_eq!(layout_mapping(&context, &hierarchical).unwrap().solved().unwrap(), H);
    assert_eq!(
        coordinate_mapping(&context, hierarchical.shape()).unwrap().expressions().unwrap(),
        "{ [c] -> [((c) mod 4), (floor((c)/4) - 2*floor((c)/8)), (floor((c)/8))] : 0 <= c <= 15 }"
    );
    assert_eq!(
        index_mapping(&context, &hierarchical).unwrap().text().unwrap(),
        "{ [c0, c1, c2] -> [2c0 + c1 + 8c2] : 0 <= c0 <= 3 and 0 <= c1 <= 1 and 0 <= c2 <= 1 }"
    );
    let coarse = "(4,4)".parse().unwrap();
    assert_eq!(
        coordinate_mapping(&context, &coarse).unwrap().expressions().unwrap(),
        "{ [c] -> [((c) mod 4), (floor((c)/4))] : 0 <= c <= 15 }"
    );
    let mapping = index_mapping_of(&context, &hierarchical, &coarse).unwrap();
    assert_eq!(
        mapping.solved().unwrap(),
        "{ [c0, c1] -> [(-3 + 2c0 + 4c1 + 3*((1 + c1) mod 2))] : 0 <= c0 <= 3 and 0 <= c1 <= 3 }"
    );
    // Section 3.6: affine for the layout's own shape, and not for the coarser one.
    assert!(layout_from_index_mapping(&mapping, &coarse).unwrap().is_err());
    let whole = layout_mapping(&context, &hierarchical).unwrap();
    assert!(layout_from_shape(&whole, &coarse).unwrap().is_err());
    let flat = layout("(4,2,2):(2,1,8)");
    assert_eq!(layout_from_shape(&whole, flat.shape()).unwrap(), Ok(flat.clone()));
    // Section 3.7: from the strides.
    assert_eq!(layout_from_strides(&whole, flat.stride()).unwrap(), Some(flat));
}

/// Section 3.8.1: relations do not read a layout past its size; CuTe promotes.
#[test]
fn example_promotion() {
    let context = context();
    let (outer, inner) = (layout("(2,1):(1,80)"), layout("(2,2):(2,1)"));
    let (m_g, m_f) =
        (layout_mapping(&context, &outer).unwrap(), layout_mapping(&context, &inner).unwrap());
    assert_eq!(m_f.solved().unwrap(), "{ [c] -> [(-c + 3*floor((1 + c)/2))] : 0 <= c <= 3 }");
    assert_eq!(m_g.solved().unwrap(), "{ [c] -> [(c)] : 0 <= c <= 1 }");
    let plain = m_f.then(&m_g).unwrap();
    let paper =
        Relation::parse(&context, "{ [c] -> [floor(c/2)] : c mod 2 = 0 and 0 <= c <= 2 }").unwrap();
    assert!(plain.is_equal(&paper).unwrap());
    let found = compose(&context, &outer, &inner).unwrap();
    assert_eq!(found.layout, layout("(2,2):(80,1)"));
    assert_eq!(found.promoted, Some(layout("(2,2):(1,80)")));
}

/// Section 3.8.3: by mode, and the shape of what a composition visits.
#[test]
fn example_composition_with_a_leaf() {
    let context = context();
    let outer = layout("(2,2):(1,80)");
    for (inner, text, result) in [
        ("2:2", "{ [c] -> [(80c)] : 0 <= c <= 1 }", "2:80"),
        ("2:1", "{ [c] -> [(c)] : 0 <= c <= 1 }", "2:1"),
    ] {
        let mapping = layout_mapping(&context, &layout(inner)).unwrap();
        let mapping = mapping.then(&layout_mapping(&context, &outer).unwrap()).unwrap();
        assert_eq!(mapping.solved().unwrap(), text);
        composition(&context, "(2,2):(1,80)", inner, &layout(result));
    }
    let outer = layout("(4,6,8,10):(2,3,5,7)");
    let inner = layout_mapping(&context, &layout("6:12")).unwrap();
    let visited =
        inner.then(&coordinate_mapping(&context, outer.shape()).unwrap()).unwrap().range().unwrap();
    assert_eq!(extract_shape(&visited).unwrap(), Some(vec![(1, 0), (2, 3), (3, 1), (1, 0)]));
    let composed = inner.then(&layout_mapping(&context, &outer).unwrap()).unwrap();
    let shape = "(2,3)".parse().unwrap();
    let found = layout_from_shape(&composed, &shape).unwrap().unwrap();
    assert_eq!(
        index_mapping(&context, &found).unwrap().text().unwrap(),
        "{ [c0, c1] -> [9c0 + 5c1] : 0 <= c0 <= 1 and 0 <= c1 <= 2 }"
    );
}

/// Section 3.8.5: the order of the strides is a permutation; its inverse is another where it has a
/// cycle of three, which none of the paper's examples has. Algorithm 6 then permutes wrongly.
#[test]
fn algorithm_6_is_wrong_in_the_paper_for_cycles() {
    let context = context();
    let operand = layout("(2,3,4):(12,1,3)");
    let ours = inverse(&context, &operand).unwrap();
    assert_eq!(ours.to_string(), "(3,4,2):(2,6,1)");
    // Shape permuted by the inverse of the order (1,2,0), as in algorithm 6.
    let paper = "(4,2,3)".parse().unwrap();
    let reversed = layout_mapping(&context, &operand).unwrap().inverse().unwrap();
    assert_eq!(
        layout_from_shape(&reversed, &paper).unwrap().unwrap_err().to_string(),
        "expected 9 at coordinate (0,0,2), found 32 in the only candidate"
    );
}

/// Section 3.8.5: a layout with gaps has a right inverse for what comes before the first.
#[test]
fn example_right_inverse_before_a_gap() {
    let context = context();
    let operand = layout("(2,2):(1,8)");
    assert_eq!(
        layout_mapping(&context, &operand).unwrap().solved().unwrap(),
        "{ [c] -> [(-3 + 4c + 3*((1 + c) mod 2))] : 0 <= c <= 3 }"
    );
    assert_eq!(right_inverse(&context, &operand).unwrap(), layout("2:1"));
}

/// Section 4: the swizzle of figure 2 on bits, and that it is an involution.
#[test]
fn example_swizzle_of_figure_2() {
    let context = context();
    let swizzle = Swizzle::new(1, 2, 1).unwrap();
    let mapping = layout_relation::binary_swizzle_mapping(&context, &swizzle).unwrap();
    let paper = Relation::parse(
        &context,
        "{ [c0, c1, c2, c3] -> [c0, (c0 + c1) mod 2, c2, c3] : \
         0 <= c0 <= 1 and 0 <= c1 <= 1 and 0 <= c2 <= 1 and 0 <= c3 <= 1 }",
    )
    .unwrap();
    assert!(mapping.is_equal(&paper).unwrap());
    let identity = Swizzle::new(0, 2, 2).unwrap();
    let identity = layout_relation::binary_swizzle_mapping(&context, &identity).unwrap();
    assert!(mapping.then(&mapping).unwrap().is_equal(&identity).unwrap());
    let whole = swizzle_mapping(&context, &swizzle).unwrap();
    assert!(whole.inverse().unwrap().is_equal(&whole).unwrap());
}

/// Section 6: mappings that neither CuTe nor linear layouts express stay relations.
#[test]
fn example_beyond_layouts() {
    let context = context();
    let fan = Relation::parse(&context, "{ [c0] -> [((-3c0) mod 16)] : 0 <= c0 <= 15 }").unwrap();
    assert!(fan.is_injective().unwrap());
    let found = layout_relation::recover(&fan).unwrap();
    let layout_relation::Recovered::Neither { layout, linear } = found else {
        panic!("neither a layout nor linear, found {found:?}")
    };
    assert_eq!(layout.to_string(), "expected 7 at coordinate (3), found 23 in the only candidate");
    assert_eq!(
        linear.unwrap().to_string(),
        "expected 1 at coordinate (5), found 9 in the only candidate"
    );
    let triangle = Relation::parse(&context, "{ [i, j] -> [i, j - i] : 0 <= i <= j < 8 }").unwrap();
    assert_eq!(triangle.at(&[3, 5]).unwrap(), Some(vec![3, 2]));
    assert_eq!(triangle.at(&[5, 3]).unwrap(), None);
    assert_eq!(triangle.domain().unwrap().count().unwrap(), 36);
}
