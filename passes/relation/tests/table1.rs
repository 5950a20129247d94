//! Table 1 of the paper (linear layouts), row by row, and the examples of section 5.
//!
//! Each row is compared as a relation, and the mapping between bits as text. Where the paper is
//! wrong, the test says so with a witness.

use crate::support;

use layout_algebra::{Swizzle, linear::LinearLayout};
use layout_relation::{
    Context, LinearMappings, Prover, Recovered, Relation, linear_layout_from,
    linear_layout_mapping, recover, swizzle_mapping,
};
use support::context;

fn linear(text: &str) -> LinearLayout {
    text.parse().unwrap()
}

fn bits(count: usize) -> String {
    let bounds: Vec<_> = (0..count).map(|i| format!("0 <= c{i} <= 1")).collect();
    bounds.join(" and ")
}

/// A row of the table: the text of the mapping between bits, and the layout mapping, which ISL 0.25 writes
/// in other pieces for the first row alone.
fn row(context: &Context, layout: &str, vectors: &str, mapping: &str) -> LinearMappings {
    let layout = linear(layout);
    let mappings = LinearMappings::of(context, &layout).unwrap();
    assert_eq!(mappings.vectors.expressions().unwrap(), vectors, "{layout}");
    let found = mappings.layout().unwrap();
    if layout.to_string() != linear(SWIZZLED).to_string() {
        // Bounds aside, which the paper shortens, ISL prints what the paper does.
        let text = mappings.layout().unwrap().solved().unwrap();
        let expressions = |text: &str| text.split(" : ").next().map(str::to_owned);
        assert_eq!(expressions(&text), expressions(mapping), "{layout}");
    }
    let paper = Relation::parse(context, mapping).unwrap();
    assert!(paper.is_equal(&found).unwrap(), "{layout}");
    // The mapping and the algebra give the same values.
    let ins: Vec<_> = layout.in_dims().map(|(name, size)| (name.to_owned(), size)).collect();
    for index in 0..layout.size() {
        let mut rest = index;
        let coordinate: Vec<_> = ins
            .iter()
            .map(|(name, size)| {
                let digit = rest % size;
                rest /= size;
                (name.as_str(), digit)
            })
            .collect();
        let natural: Vec<_> = coordinate.iter().map(|&(_, digit)| digit).collect();
        let expected = layout.apply(&coordinate).unwrap().into_iter().map(|(_, i)| i).collect();
        assert_eq!(found.at(&natural).unwrap(), Some(expected), "{layout} at {natural:?}");
    }
    mappings
}

const SWIZZLED: &str = "LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])";

#[test]
fn row_1_swizzled() {
    let context = context();
    let vectors = format!(
        "{{ [c0, c1, c2, c3] -> [(c0), (c1), ((c0 + c2) mod 2), ((c1 + c3) mod 2)] : {} }}",
        bits(4)
    );
    let mappings = row(
        &context,
        SWIZZLED,
        &vectors,
        "{ [c0, c1] -> [(c0), (1 - (c0) mod 2 - (1 + c0 + c1) mod 2 + \
         (1 + c0 + 3c1 - (1 + c1) mod 2) mod 4)] : 0 <= c0, c1 <= 3 }",
    );
    // Equation 25 writes the same in another way.
    let equation = Relation::parse(
        &context,
        "{ [c0, c1] -> [(c0), (3 + (c0) mod 2 - (1 + c0 + c1) mod 2 - \
         (3 + c0 + 3c1 - (1 + c1) mod 2) mod 4)] : 0 <= c0 <= 3 and 0 <= c1 <= 3 }",
    )
    .unwrap();
    assert!(equation.is_equal(&mappings.layout().unwrap()).unwrap());
}

#[test]
fn row_2_identity_of_one_dimension() {
    row(
        &context(),
        "LinearLayout(crd=8, idx=8, vals=[1,2,4])",
        &format!("{{ [c0, c1, c2] -> [(c0), (c1), (c2)] : {} }}", bits(3)),
        "{ [c0] -> [(c0)] : 0 <= c0 <= 7 }",
    );
}

/// The paper's mapping between bits has one dimension on the right where the index has three bits.
#[test]
fn row_3_zeros_is_misprinted_in_the_paper() {
    let context = context();
    let layout = "LinearLayout(crd=8, idx=8, vals=[0,0,0])";
    let mappings = row(
        &context,
        layout,
        &format!("{{ [c0, c1, c2] -> [(0), (0), (0)] : {} }}", bits(3)),
        "{ [c0] -> [(0)] : 0 <= c0 <= 7 }",
    );
    assert_eq!(mappings.vectors.dimensions().unwrap(), (3, 3));
}

#[test]
fn row_4_identity_of_two_dimensions() {
    row(
        &context(),
        "LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,0),(2,0),(0,1),(0,2)])",
        &format!("{{ [c0, c1, c2, c3] -> [(c0), (c1), (c2), (c3)] : {} }}", bits(4)),
        "{ [c0, c1] -> [(c0), (c1)] : 0 <= c0, c1 <= 3 }",
    );
}

/// The paper gives the identity as the layout mapping of the transpose; (0,1) shows the difference.
#[test]
fn row_5_transpose_of_two_dimensions_is_misprinted_in_the_paper() {
    let context = context();
    let mappings = row(
        &context,
        "LinearLayout(crd=(4,4), idx=(4,4), vals=[(0,1),(0,2),(1,0),(2,0)])",
        &format!("{{ [c0, c1, c2, c3] -> [(c2), (c3), (c0), (c1)] : {} }}", bits(4)),
        "{ [c0, c1] -> [(c1), (c0)] : 0 <= c0, c1 <= 3 }",
    );
    let paper = "{ [c0, c1] -> [(c0), (c1)] : 0 <= c0, c1 <= 3 }";
    let paper = Relation::parse(&context, paper).unwrap();
    let found = mappings.layout().unwrap();
    assert!(!paper.is_equal(&found).unwrap());
    assert_eq!(paper.at(&[0, 1]).unwrap(), Some(vec![0, 1]));
    assert_eq!(found.at(&[0, 1]).unwrap(), Some(vec![1, 0]));
}

#[test]
fn row_6_transpose_of_one_dimension() {
    row(
        &context(),
        "LinearLayout(crd=16, idx=16, vals=[4,8,1,2])",
        &format!("{{ [c0, c1, c2, c3] -> [(c2), (c3), (c0), (c1)] : {} }}", bits(4)),
        "{ [c0] -> [(15 + 4c0 + 15*floor((-1 - c0)/4))] : 0 <= c0 <= 15 }",
    );
}

#[test]
fn row_7_broadcast_of_two_dimensions() {
    row(
        &context(),
        "LinearLayout(crd=(4,4), idx=4, vals=[1,2,0,0])",
        &format!("{{ [c0, c1, c2, c3] -> [(c0), (c1)] : {} }}", bits(4)),
        "{ [c0, c1] -> [(c0)] : 0 <= c0, c1 <= 3 }",
    );
}

/// Section 5.3: the swizzled layout, flattened, is `S<2,0,-2>`.
#[test]
fn example_swizzled_layout_is_a_swizzle() {
    let context = context();
    let mappings = LinearMappings::of(&context, &linear(SWIZZLED)).unwrap();
    let flat = mappings.bits.then(&mappings.vectors).unwrap().then(&mappings.index).unwrap();
    let swizzle = Swizzle::new(2, 0, -2).unwrap();
    assert!(flat.is_equal(&swizzle_mapping(&context, &swizzle).unwrap()).unwrap());
    let swizzle = layout_algebra::Term::parse("S<2,0,-2> o 0 o 16:1").unwrap().eval_layout();
    let verdict = Prover::new(support::LIMITS).equal(&linear(SWIZZLED), &swizzle.unwrap());
    assert_eq!(verdict.unwrap().to_string(), "proved by GF(2)");
}

/// A layout is found again from its mapping, and what is not linear is refused.
#[test]
fn linear_layouts_are_recovered() {
    let context = context();
    let layout = linear(SWIZZLED);
    let mapping = linear_layout_mapping(&context, &layout).unwrap();
    assert_eq!(linear_layout_from(&mapping, &[4, 4], &[4, 4]).unwrap(), Ok(layout));
    let adding = "{ [c0, c1] -> [c0, (c0 + c1) mod 4] : 0 <= c0, c1 < 4 }";
    let adding = Relation::parse(&context, adding).unwrap();
    assert_eq!(linear_layout_from(&adding, &[4, 4], &[4, 4]).unwrap(), Err(vec![1, 1]));
    let error = linear_layout_from(&adding, &[16], &[16]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "linear_layout_from: expected a mapping from 1 to 1 dimensions, found 2 to 2"
    );
}

/// Each row's layout mapping alone is enough: a linear layout, or the strides that say the same.
#[test]
fn rows_are_recovered_from_their_mappings() {
    let context = context();
    for (mapping, expected) in [
        (
            "{ [c0, c1] -> [(c0), (1 - (c0) mod 2 - (1 + c0 + c1) mod 2 + \
             (1 + c0 + 3c1 - (1 + c1) mod 2) mod 4)] : 0 <= c0, c1 <= 3 }",
            "linear<{crd0 = [(1,1),(2,2)], crd1 = [(0,1),(0,2)]} -> {idx0 = 4, idx1 = 4}>",
        ),
        ("{ [c0] -> [(c0)] : 0 <= c0 <= 7 }", "8:1"),
        ("{ [c0] -> [(0)] : 0 <= c0 <= 7 }", "8:0"),
        ("{ [c0, c1] -> [(c0), (c1)] : 0 <= c0, c1 <= 3 }", "(4,4):(1@0,1@1)"),
        ("{ [c0, c1] -> [(c1), (c0)] : 0 <= c0, c1 <= 3 }", "(4,4):(1@1,1@0)"),
        ("{ [c0] -> [(15 + 4c0 + 15*floor((-1 - c0)/4))] : 0 <= c0 <= 15 }", "(4,4):(4,1)"),
        ("{ [c0, c1] -> [(c0)] : 0 <= c0, c1 <= 3 }", "(4,4):(1,0)"),
    ] {
        let found = match recover(&Relation::parse(&context, mapping).unwrap()).unwrap() {
            Recovered::Layout(layout) => layout.to_string(),
            Recovered::Basis(layout) => layout.to_string(),
            Recovered::Linear { offset, layout } if offset == [0, 0] => layout.to_string(),
            other => panic!("{mapping}: {other:?}"),
        };
        assert_eq!(found, expected, "{mapping}");
    }
}
