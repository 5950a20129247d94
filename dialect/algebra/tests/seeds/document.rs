//! CuTe's document "Layout algebra", from its top to its bottom.

use super::{check, check_composed, layout, offsets};
use layout_algebra::{Facts, evaluate, meaning};

#[test]
fn coalesce_merges_what_continues() {
    check(&[("coalesce((2,(1,6)):(1,(6,2)))", "12:1"), ("coalesce((2,4):(1,2))", "8:1")]);
}

/// Its post-conditions: the size, a depth of at most 1, and the offset of each index.
#[test]
fn coalesce_keeps_the_function() {
    check(&[
        ("size((2,(1,6)):(1,(6,2)))", "12"),
        ("size(12:1)", "12"),
        ("depth(coalesce((2,(1,6)):(1,(6,2))))", "0"),
        ("depth(coalesce((5,4):(3,14)))", "1"),
    ]);
    assert_eq!(offsets("(2,(1,6)):(1,(6,2))"), offsets("12:1"));
}

/// A mode of extent 1 may have any stride.
#[test]
fn modes_of_one_are_ignored() {
    for stride in [-7, 0, 1, 5, 15] {
        check(&[
            (&format!("coalesce((5,1):(3,{stride}))"), "5:3"),
            (&format!("coalesce((1,5):({stride},3))"), "5:3"),
        ]);
    }
}

#[test]
fn coalesce_has_four_cases() {
    check(&[
        ("coalesce((5,1):(3,7))", "5:3"),
        ("coalesce((1,5):(7,3))", "5:3"),
        ("coalesce((5,4):(3,15))", "20:3"),
        ("coalesce((5,4):(3,14))", "(5,4):(3,14)"),
    ]);
}

#[test]
fn coalesce_by_mode_keeps_the_rank() {
    check(&[
        ("coalesce((2,(1,6)):(1,(6,2)), (1,1))", "(2,6):(1,2)"),
        (
            "make_layout(coalesce(get((2,(1,6)):(1,(6,2)), 0)), \
             coalesce(get((2,(1,6)):(1,(6,2)), 1)))",
            "(2,6):(1,2)",
        ),
    ]);
}

#[test]
fn composition_row_by_row() {
    check_composed();
}

#[test]
fn composition_table() {
    let (a, b) = (layout("(6,2):(8,2)"), layout("(4,3):(3,1)"));
    let r = a.composition(&b).expect("exists");
    assert_eq!(r.to_string(), "((2,2),3):((24,2),8)");
    let values = [0, 24, 2, 26, 8, 32, 10, 34, 16, 40, 18, 42];
    assert_eq!(meaning::offsets(&r), values.map(Some));
    check(&[("compatible((4,3), ((2,2),3))", "true")]);
}

#[test]
fn shapes_divided() {
    check(&[
        ("shape_div((6,2), 2)", "(3,2)"),
        ("shape_div((6,2), 3)", "(2,2)"),
        ("shape_div((6,2), 6)", "(1,2)"),
        ("shape_div((6,2), 12)", "(1,1)"),
        ("shape_div((3,6,2,8), 6)", "(1,3,2,8)"),
        ("shape_div((3,6,2,8), 9)", "(1,2,2,8)"),
        ("shape_div((42,16,3), 2)", "(21,16,3)"),
        ("shape_div((42,16,3), 6)", "(7,16,3)"),
    ]);
}

/// `(6,2) % 6 = (6,1)` and so on: the first elements of a compact layout.
#[test]
fn shapes_modded() {
    check(&[
        ("composition((6,2):(1,10), 2:1)", "2:1"),
        ("composition((6,2):(1,10), 3:1)", "3:1"),
        ("composition((6,2):(1,10), 6:1)", "6:1"),
        ("composition((6,2):(1,10), 12:1)", "(6,2):(1,10)"),
        ("composition((3,6,2,8):(1,10,100,1000), 6:1)", "(3,2):(1,10)"),
        ("composition((3,6,2,8):(1,10,100,1000), 9:1)", "(3,3):(1,10)"),
        ("composition((1,2,2,8):(1,10,100,1000), 2:1)", "2:10"),
        ("composition((1,2,2,8):(1,10,100,1000), 16:1)", "(2,2,4):(10,100,1000)"),
    ]);
}

#[test]
fn example_1_a_vector_as_a_matrix() {
    check(&[
        ("composition(20:2, 5:4)", "5:8"),
        ("composition(20:2, 4:1)", "4:2"),
        ("make_layout(5:8, 4:2)", "(5,4):(8,2)"),
        ("composition(20:2, (5,4):(4,1))", "(5,4):(8,2)"),
    ]);
}

#[test]
fn example_2_a_layout_as_a_matrix() {
    check(&[
        ("composition((10,2):(16,4), 5:1)", "5:16"),
        ("composition((10,2):(16,4), 4:5)", "(2,2):(80,4)"),
        ("coalesce(((5,1),(2,2)):((16,4),(80,4)), (1,1))", "(5,(2,2)):(16,(80,4))"),
        ("make_layout(5:16, (2,2):(80,4))", "(5,(2,2)):(16,(80,4))"),
        ("composition((10,2):(16,4), (5,4):(1,5))", "(5,(2,2)):(16,(80,4))"),
    ]);
}

/// The text that CuTe prints for integers that it does not know at compile time is another text of the same
/// function; here the text is one.
#[test]
fn example_2_with_dynamic_integers() {
    assert_eq!(offsets("((5,1),(2,2)):((16,4),(80,4))"), offsets("(5,(2,2)):(16,(80,4))"));
}

#[test]
fn composition_by_mode() {
    check(&[
        ("composition((12,(4,8)):(59,(13,1)), <3:4, 8:2>)", "(3,(2,4)):(236,(26,1))"),
        (
            "make_layout(composition(get((12,(4,8)):(59,(13,1)), 0), 3:4), \
             composition(get((12,(4,8)):(59,(13,1)), 1), 8:2))",
            "(3,(2,4)):(236,(26,1))",
        ),
        ("composition((12,(4,8)):(59,(13,1)), (3,8))", "(3,(4,2)):(59,(13,1))"),
        ("composition((12,(4,8)):(59,(13,1)), <3:1, 8:1>)", "(3,(4,2)):(59,(13,1))"),
    ]);
}

/// "The 3x5x8 subblock of this MxNxL tensor", and "this 8x16 block of data into a 32x4 block".
#[test]
fn tilers_of_three_modes_and_of_one() {
    check(&[
        ("composition((6,10,16):(1,6,60), (3,5,8))", "(3,5,8):(1,6,60)"),
        ("composition((8,16):(16,1), (32,4):(4,1))", "((2,16),4):((64,1),16)"),
    ]);
    let answer = evaluate("composition((M,N,L):(1,M,M*N), (3,5,8))", &mut Facts::new());
    assert_eq!(answer.expect("known").to_string(), "(3,5,8):(1,M,M*N)");
}

#[test]
fn complements() {
    check(&[
        ("complement(4:1, 24)", "6:4"),
        ("complement(6:4, 24)", "4:1"),
        ("complement((4,6):(1,4), 24)", "1:0"),
        ("complement(4:2, 24)", "(2,3):(1,8)"),
        ("complement((2,4):(1,6), 24)", "3:2"),
        ("complement((2,2):(1,6), 24)", "(3,2):(2,12)"),
    ]);
}

/// The claims of the document about each of these complements `R` of `A` below 24: `R` is ordered, it meets
/// `A` in offset 0 alone, its size and cosize are at most 24, and `(A,R)` has a cosize of 24 at least.
///
/// A post-condition before that requires `cosize(R) >= round_up(24, cosize(A))`, which its first example
/// does not fulfil: `6:4` has cosize 21.
#[test]
fn complements_have_their_post_conditions() {
    for (a, r) in [
        ("4:1", "6:4"),
        ("6:4", "4:1"),
        ("(4,6):(1,4)", "1:0"),
        ("4:2", "(2,3):(1,8)"),
        ("(2,4):(1,6)", "3:2"),
        ("(2,2):(1,6)", "(3,2):(2,12)"),
    ] {
        let (of_a, of_r) = (offsets(a), offsets(r));
        assert!(of_r.windows(2).all(|pair| pair[0] < pair[1]), "{r} is ordered");
        assert!(of_r.iter().skip(1).all(|offset| !of_a.contains(offset)), "{a} and {r}");
        let (size, cosize) = (layout(r).size(), layout(r).cosize().expect("small"));
        assert!(size <= 24 && cosize <= 24, "{r}");
        let mut all = offsets(&format!("make_layout({a}, {r})"));
        all.sort_unstable();
        assert_eq!(all, (0..24).collect::<Vec<_>>(), "{a} and {r}");
    }
    check(&[("cosize(6:4)", "21"), ("round_up(24, cosize(4:1))", "24")]);
}

#[test]
fn complements_complete_the_codomain() {
    check(&[
        ("cosize((4,6):(1,4))", "24"),
        ("cosize((6,4):(4,1))", "24"),
        ("cosize(((2,4),3):((1,6),2))", "24"),
        ("is_injective(((2,4),3):((1,6),2))", "true"),
        ("cosize(((2,2),(3,2)):((1,6),(2,12)))", "24"),
        ("is_injective(((2,2),(3,2)):((1,6),(2,12)))", "true"),
    ]);
}

/// The document writes the last of them as `((2,4),(2,2)):((1,6),(2,12))`, whose cosize is 34 and
/// which reaches 12 twice.
#[test]
fn a_completed_codomain_misprinted() {
    check(&[
        ("cosize(((2,4),(2,2)):((1,6),(2,12)))", "34"),
        ("is_injective(((2,4),(2,2)):((1,6),(2,12)))", "false"),
    ]);
}

/// The document has `(2,4):(1,8)` for `complement(4:2, 24)` and a cosize of 24 for what it
/// makes; that is the complement for 32, and its own divide example has `(2,3):(1,8)`.
#[test]
fn a_complement_misprinted() {
    check(&[
        ("cosize((4,(2,4)):(2,(1,8)))", "32"),
        ("complement(4:2, 32)", "(2,4):(1,8)"),
        ("cosize((4,(2,3)):(2,(1,8)))", "24"),
    ]);
}

#[test]
fn divide_of_a_vector() {
    check(&[
        ("complement(4:2, size((4,2,3):(2,1,8)))", "(2,3):(1,8)"),
        ("composition((4,2,3):(2,1,8), (4,(2,3)):(2,(1,8)))", "((2,2),(2,3)):((4,1),(2,8))"),
        ("logical_divide((4,2,3):(2,1,8), 4:2)", "((2,2),(2,3)):((4,1),(2,8))"),
    ]);
}

#[test]
fn a_divide_by_its_definition() {
    for (a, b) in [("(4,2,3):(2,1,8)", "4:2"), ("(2,4,3):(4,1,8)", "4:2"), ("24:1", "(2,2):(1,6)")]
    {
        let value = |term: String| layout(&term).to_string();
        assert_eq!(
            value(format!("logical_divide({a}, {b})")),
            value(format!("composition({a}, make_layout({b}, complement({b}, size({a}))))")),
        );
    }
    check(&[("make_layout(4:2, (2,3):(1,8))", "(4,(2,3)):(2,(1,8))")]);
}

/// Six tiles, each in a colour of its own.
#[test]
fn a_divide_counts_its_tiles() {
    check(&[
        ("size(logical_divide((4,2,3):(2,1,8), 4:2), 0)", "4"),
        ("size(logical_divide((4,2,3):(2,1,8), 4:2), 1)", "6"),
        ("size(zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>), 1)", "12"),
    ]);
}

/// This state of the document divides `(2,4,3):(4,1,8)`, and prints what `(4,2,3):(2,1,8)` gives,
/// which later ones have. The second element of the tile is at index 2: at offset 1, not 4.
#[test]
fn a_divide_misprinted() {
    check(&[
        ("crd2idx(2, (2,4,3):(4,1,8))", "1"),
        ("logical_divide((2,4,3):(4,1,8), 4:2)", "(4,(2,3)):(1,(4,8))"),
    ]);
}

/// The document has `(3,(2,4)):(236,(13,52))` for the tile, which has the strides of another
/// layout.
#[test]
fn divide_of_a_matrix() {
    check(&[
        (
            "logical_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
            "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))",
        ),
        ("composition((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)", "(3,(2,4)):(177,(13,2))"),
    ]);
}

/// The table of shapes: a layout of shape `(M,N,L)` by a tiler `<TileM, TileN>`.
#[test]
fn shapes_of_divides() {
    for (divide, shape) in [
        ("logical_divide", "((4,2),(3,4),5)"),
        ("zipped_divide", "((4,3),(2,4,5))"),
        ("tiled_divide", "((4,3),2,4,5)"),
        ("flat_divide", "(4,3,2,4,5)"),
    ] {
        check(&[(&format!("shape({divide}((8,12,5):(1,8,96), <4:1, 3:1>))"), shape)]);
    }
}

/// The two comments beside `ld` and `zd`, which give shapes by their sizes.
#[test]
fn shapes_of_the_divides_of_a_matrix() {
    const LD: &str = "logical_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)";
    const ZD: &str = "zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)";
    check(&[
        (&format!("compatible(((3,3),(8,4)), {LD})"), "true"),
        (&format!("compatible(((3,8),(3,4)), {ZD})"), "true"),
        (&format!("size({LD}, 0, 0)"), "3"),
        (&format!("size({LD}, 1, 0)"), "8"),
        (&format!("size({ZD}, 0)"), "24"),
    ]);
}

#[test]
fn divides_in_four_forms() {
    const A: &str = "(9,(4,8)):(59,(13,1))";
    const B: &str = "<3:3, (2,4):(1,8)>";
    check(&[
        (&format!("zipped_divide({A}, {B})"), "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"),
        (&format!("tiled_divide({A}, {B})"), "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"),
        (&format!("flat_divide({A}, {B})"), "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"),
        (&format!("get(zipped_divide({A}, {B}), 0)"), "(3,(2,4)):(177,(13,2))"),
        (&format!("crd2idx((0,3), zipped_divide({A}, {B}))"), "26"),
        (&format!("crd2idx((0,7), zipped_divide({A}, {B}))"), "60"),
        (&format!("crd2idx((0,(1,2)), zipped_divide({A}, {B}))"), "60"),
    ]);
}

#[test]
fn product_of_a_vector() {
    check(&[
        ("complement((2,2):(4,1), 24)", "(2,3):(2,8)"),
        ("composition((2,3):(2,8), 6:1)", "(2,3):(2,8)"),
        ("logical_product((2,2):(4,1), 6:1)", "((2,2),(2,3)):((4,1),(2,8))"),
        ("logical_product((2,2):(4,1), (4,2):(2,1))", "((2,2),(4,2)):((4,1),(8,2))"),
        // The same as the divide of one mode.
        ("logical_divide((4,2,3):(2,1,8), 4:2)", "((2,2),(2,3)):((4,1),(2,8))"),
    ]);
}

/// Six repetitions, and eight.
#[test]
fn a_product_counts_its_repetitions() {
    check(&[
        ("size(logical_product((2,2):(4,1), 6:1), 1)", "6"),
        ("size(logical_product((2,2):(4,1), (4,2):(2,1)), 1)", "8"),
    ]);
}

#[test]
fn a_product_by_its_definition() {
    for (a, b) in [("(2,2):(4,1)", "6:1"), ("(2,2):(4,1)", "(4,2):(2,1)")] {
        let value = |term: String| layout(&term).to_string();
        let codomain = layout(a).size() * layout(b).cosize().expect("small");
        assert_eq!(
            value(format!("logical_product({a}, {b})")),
            value(format!("make_layout({a}, composition(complement({a}, {codomain}), {b}))")),
        );
    }
}

#[test]
fn products_have_their_post_conditions() {
    for (a, b) in
        [("(2,2):(4,1)", "6:1"), ("(2,2):(4,1)", "(4,2):(2,1)"), ("(2,5):(5,1)", "(3,4):(1,3)")]
    {
        let product = format!("logical_product({a}, {b})");
        check(&[
            (&format!("rank({product})"), "2"),
            (&format!("compatible({a}, get({product}, 0))"), "true"),
            (&format!("compatible({b}, get({product}, 1))"), "true"),
        ]);
    }
}

/// The table of shapes of products.
#[test]
fn shapes_of_products() {
    for (product, shape) in [
        ("logical_product", "((2,3),(5,4),7)"),
        ("zipped_product", "((2,5),(3,4,7))"),
        ("tiled_product", "((2,5),3,4,7)"),
        ("flat_product", "(2,5,3,4,7)"),
    ] {
        check(&[(&format!("shape({product}((2,5,7):(5,1,10), <3:5, 4:6>))"), shape)]);
    }
}

#[test]
fn blocked_and_raked_products() {
    check(&[
        ("blocked_product((2,5):(5,1), (3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"),
        ("raked_product((2,5):(5,1), (3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"),
        ("logical_product((2,5):(5,1), <3:5, 4:6>)", "((2,3),(5,4)):((5,10),(1,30))"),
    ]);
}

/// The document's picture has mode 0 coalesced; CuTe, as recorded, leaves both modes as they are.
#[test]
fn a_blocked_product_is_not_coalesced() {
    check(&[(
        "coalesce(blocked_product((2,5):(5,1), (3,4):(1,3)), (1,1))",
        "(6,(5,4)):(5,(1,30))",
    )]);
}

/// "When B is injective, composition is left-distributive with concatenation": it is not. This B
/// is injective, and each of its modes composes, but their sum carries.
#[test]
fn injective_is_not_enough_to_distribute() {
    let (a, b) = (layout("(6,2):(1,7)"), layout("(3,2):(2,3)"));
    assert_eq!(b.is_injective(), Ok(true));
    check(&[
        ("composition((6,2):(1,7), 3:2)", "3:2"),
        ("composition((6,2):(1,7), 2:3)", "2:3"),
        (
            "composition((6,2):(1,7), (3,2):(2,3))",
            "error: composition((6,2):(1,7), (3,2):(2,3)): no layout has these values: \
             expected 8 at coordinate 5, found 7 in the only candidate",
        ),
    ]);
    assert!(!meaning::has_composition(&a, &b));
}
