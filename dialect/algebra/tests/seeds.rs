//! Every worked example of the texts that this algebra was built from: CuTe's own document on the
//! layout algebra, a tutorial, a summary of it, and the note on layouts as functions. Where a text
//! is wrong, the test says so and gives what is right.

use layout_algebra::{Layout, Term, composition, is_injective, layout_of, meaning};

/// Evaluates each term and compares the text of its value.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (term, wanted) in cases {
        let found = match Term::parse(term).and_then(|term| term.eval()) {
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(&found, wanted, "{term}");
    }
}

#[track_caller]
fn layout(text: &str) -> Layout {
    text.parse().expect("a layout")
}

/// CuTe's document "Layout algebra".
mod cute_document {
    use super::*;

    #[test]
    fn coalesce_merges_what_continues() {
        check(&[("coalesce((2,(1,6)):(1,(6,2)))", "12:1"), ("coalesce((2,4):(1,2))", "8:1")]);
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
    fn composition_table() {
        let (a, b) = (layout("(6,2):(8,2)"), layout("(4,3):(3,1)"));
        let r = composition(&a, &b).expect("exists");
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
            ("composition(20:2, (5,4):(4,1))", "(5,4):(8,2)"),
        ]);
    }

    #[test]
    fn example_2_a_layout_as_a_matrix() {
        check(&[
            ("composition((10,2):(16,4), 5:1)", "5:16"),
            ("composition((10,2):(16,4), 4:5)", "(2,2):(80,4)"),
            ("composition((10,2):(16,4), (5,4):(1,5))", "(5,(2,2)):(16,(80,4))"),
        ]);
    }

    #[test]
    fn composition_by_mode() {
        check(&[
            ("composition((12,(4,8)):(59,(13,1)), <3:4, 8:2>)", "(3,(2,4)):(236,(26,1))"),
            ("composition((12,(4,8)):(59,(13,1)), (3,8))", "(3,(4,2)):(59,(13,1))"),
            ("composition((12,(4,8)):(59,(13,1)), <3:1, 8:1>)", "(3,(4,2)):(59,(13,1))"),
        ]);
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

    #[test]
    fn divides_in_four_forms() {
        const A: &str = "(9,(4,8)):(59,(13,1))";
        const B: &str = "<3:3, (2,4):(1,8)>";
        check(&[
            (
                &format!("zipped_divide({A}, {B})"),
                "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))",
            ),
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
        ]);
    }

    #[test]
    fn blocked_and_raked_products() {
        check(&[
            ("blocked_product((2,5):(5,1), (3,4):(1,3))", "((2,3),(5,4)):((5,10),(1,30))"),
            ("raked_product((2,5):(5,1), (3,4):(1,3))", "((3,2),(4,5)):((10,5),(30,1))"),
            ("logical_product((2,5):(5,1), <3:5, 4:6>)", "((2,3),(5,4)):((5,10),(1,30))"),
        ]);
    }

    /// "When B is injective, composition is left-distributive with concatenation": it is not. This B
    /// is injective, and each of its modes composes, but their sum carries.
    #[test]
    fn injective_is_not_enough_to_distribute() {
        let (a, b) = (layout("(6,2):(1,7)"), layout("(3,2):(2,3)"));
        assert_eq!(is_injective(&b), Ok(true));
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
}

/// The tutorial.
mod tutorial {
    use super::*;

    #[test]
    fn terms_to_know() {
        check(&[
            ("rank((2,3))", "2"),
            ("rank(6)", "1"),
            ("depth(6)", "0"),
            ("depth((2,3))", "1"),
            ("depth(((2,4),3))", "2"),
            ("size((2,3):(1,4))", "6"),
            ("size(4:2)", "4"),
        ]);
    }

    #[test]
    fn table_of_cosizes() {
        for (text, offsets, size, cosize) in [
            ("4:1", &[0, 1, 2, 3][..], 4, 4),
            ("4:2", &[0, 2, 4, 6], 4, 7),
            ("(2,3):(1,4)", &[0, 1, 4, 5, 8, 9], 6, 10),
        ] {
            let layout = layout(text);
            let wanted: Vec<_> = offsets.iter().copied().map(Some).collect();
            assert_eq!(meaning::offsets(&layout), wanted, "{text}");
            assert_eq!((layout.size(), layout.cosize()), (size, Ok(cosize)), "{text}");
        }
    }

    /// `cosize(A) = A(size(A) - 1) + 1` holds for strides that are not negative.
    #[test]
    fn cosize_by_the_last_offset_needs_strides_that_are_not_negative() {
        let layout = layout("3:-2");
        assert_eq!(layout.at(layout.size() - 1).map(|last| last + 1), Ok(-3));
        assert_eq!(layout.cosize(), Ok(5));
    }

    #[test]
    fn indexing_and_slicing() {
        check(&[
            ("crd2idx((2,(0,1)), (4,(2,4)):(2,(1,8)))", "12"),
            ("slice((0,(_,_)), (4,(2,4)):(2,(1,8)))", "(2,4):(1,8)"),
        ]);
    }

    #[test]
    fn coalescing_and_dividing() {
        check(&[
            ("coalesce((2,(1,6)):(1,(6,2)))", "12:1"),
            ("zipped_divide((4,6):(6,1), (2,2))", "((2,2),(2,3)):((6,1),(12,2))"),
        ]);
    }
}

/// The summary of the algebra.
mod summary {
    use super::*;

    #[test]
    fn composition_by_hand() {
        check(&[
            ("crd2idx((3,2), (4,3):(3,1))", "11"),
            ("idx2crd(11, (6,2))", "(5,1)"),
            ("crd2idx((5,1), (6,2):(8,2))", "42"),
        ]);
    }

    /// The table of a layout with its complement below 24: each offset once.
    #[test]
    fn complement_fills_the_table() {
        let all = layout("((2,2),(3,2)):((1,6),(2,12))");
        let mut offsets = meaning::offsets(&all);
        offsets.sort_unstable();
        assert_eq!(offsets, (0..24).map(Some).collect::<Vec<_>>());
        check(&[("complement((2,2):(1,6), 24)", "(3,2):(2,12)")]);
    }
}

/// The note on layouts as functions.
mod functions {
    use super::*;

    fn found(offsets: &[i64]) -> Option<String> {
        layout_of(offsets).expect("no overflow").ok().map(|layout| layout.to_string())
    }

    #[test]
    fn its_own_tests() {
        for text in ["(3,5,7):(4,9,8)", "(3,2):(10,13)", "9:4"] {
            let values: Vec<i64> = meaning::offsets(&layout(text)).into_iter().flatten().collect();
            assert_eq!(found(&values).as_deref(), Some(text));
        }
        check(&[
            ("idx2crd(5, (3,4))", "(2,1)"),
            ("crd2idx((2,1), (3,4):(1,3))", "5"),
            ("crd2idx((2,3), (3,4):(1,3))", "11"),
        ]);
    }

    /// The note asks for "f(x) != 0"; what a layout needs is `f(0) = 0`.
    #[test]
    fn a_function_that_starts_elsewhere_is_no_layout() {
        let refutation = layout_of(&[1, 2, 3]).expect("no overflow").expect_err("none");
        assert_eq!((refutation.index, refutation.wanted, refutation.found), (0, 1, 0));
    }

    /// The note's program answers `(3,3):(7,8)` here, whose last offset is 30.
    #[test]
    fn the_last_column_counts_too() {
        let offsets = [0, 7, 14, 8, 15, 22, 16, 23, 32];
        let refutation = layout_of(&offsets).expect("no overflow").expect_err("none");
        assert_eq!((refutation.index, refutation.wanted, refutation.found), (8, 32, 30));
    }

    /// Stride 0 is a stride; the note's program stops there.
    #[test]
    fn stride_zero_is_found() {
        assert_eq!(found(&[0, 0, 0, 0]).as_deref(), Some("4:0"));
        assert_eq!(found(&[0, 0, 5, 5]).as_deref(), Some("(2,2):(0,5)"));
    }

    /// The note gives `cosize((A,B)) = cosize(A) + cosize(B)`: one too many.
    #[test]
    fn cosize_of_a_concatenation() {
        check(&[
            ("cosize(4:1)", "4"),
            ("cosize(6:4)", "21"),
            ("cosize(make_layout(4:1, 6:4))", "24"),
        ]);
    }

    /// The note continues a layout by its cosize; it goes on in the last mode, by the last extent
    /// times the last stride.
    #[test]
    fn a_layout_goes_on_in_its_last_mode() {
        let layout = layout("(2,2):(1,10)");
        assert_eq!((layout.cosize(), layout.at(4)), (Ok(12), Ok(20)));
    }

    /// Three conditions of CuTe's are met by `1:0` here, and yet nothing completes a layout that
    /// reaches an offset twice.
    #[test]
    fn only_injective_layouts_have_complements() {
        check(&[(
            "complement((2,2):(1,1), 3)",
            "error: complement((2,2):(1,1)): expected sorted modes that each start where the last \
             ended, or later, found stride 1 after 2",
        )]);
    }
}
