//! The note on layouts as functions.

use super::{check, layout, offsets};
use layout_algebra::{Expr, Facts, Layout, Term, evaluate, meaning};

/// The layout that is found for offsets, as text.
fn found(offsets: &[i64]) -> Option<String> {
    Layout::of_offsets(offsets).expect("no overflow").ok().map(|layout| layout.to_string())
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

/// Row-major, and the column-major layout of the transpose, are the same offsets.
#[test]
fn a_row_major_matrix() {
    let mut facts = Facts::new();
    let mut offset = |term: &str| evaluate(term, &mut facts).expect("an offset").to_string();
    assert_eq!(offset("crd2idx((i,j), (m,n):(n,1))"), "i*n+j");
    assert_eq!(offset("crd2idx((j,i), (n,m):(1,n))"), "i*n+j");
}

/// Definitions 1 to 3: size, cosize, and both functions of a layout.
#[test]
fn definitions_of_size_cosize_and_functions() {
    let (extents, strides) = ([3, 5, 7], [4, 9, 8]);
    let text = "(3,5,7):(4,9,8)";
    let cosize: i64 = 1 + extents.iter().zip(strides).map(|(n, s)| (n - 1) * s).sum::<i64>();
    check(&[
        (&format!("size({text})"), "105"),
        (&format!("cosize({text})"), &cosize.to_string()),
        ("get((3,5,7):(4,9,8), 1)", "5:9"),
    ]);
    for x in 0..105 {
        let digits = [x % 3, x / 3 % 5, x / 15];
        let [a, b, c] = digits;
        let dot: i64 = digits.iter().zip(strides).map(|(x, s)| x * s).sum();
        check(&[
            (&format!("crd2idx(({a},{b},{c}), {text})"), &dot.to_string()),
            (&format!("crd2idx({x}, {text})"), &dot.to_string()),
        ]);
    }
}

/// `MultiToSingle` is a layout, the compact one, and `SingleToMulti` leads back.
#[test]
fn multi_to_single_and_back() {
    check(&[("compact_col_major((3,4,5))", "(1,3,12)")]);
    for x in 0..60 {
        let multi = format!("({},{},{})", x % 3, x / 3 % 4, x / 12);
        check(&[
            (&format!("idx2crd({x}, (3,4,5))"), &multi),
            (&format!("crd2idx({multi}, (3,4,5):(1,3,12))"), &x.to_string()),
        ]);
    }
    // The program's own loop, on (3,4):(1,3).
    for x in 0..12 {
        let multi = Term::parse(&format!("idx2crd({x}, (3,4))")).and_then(|term| term.eval());
        let multi = multi.expect("a coordinate");
        check(&[
            (&format!("crd2idx({multi}, (3,4):(1,3))"), &x.to_string()),
            (&format!("crd2idx({x}, (3,4):(1,3))"), &x.to_string()),
        ]);
    }
}

/// The extents `n` of a first mode that go with offsets: `f(x) = f(n*(x/n)) + s*(x mod n)`.
fn consistent(f: &[i64]) -> Vec<usize> {
    let step = f.get(1).copied().unwrap_or(0);
    let fits = |n: &usize| {
        f.iter()
            .enumerate()
            .all(|(x, value)| *value == f[x / n * n] + step * i64::try_from(x % n).expect("small"))
    };
    (1..=f.len()).filter(fits).collect()
}

/// Claims 1 and 2: each consistent extent divides the greatest one, and that is the first extent of
/// the layout that is found.
#[test]
fn the_greatest_consistent_extent_is_the_first() {
    for text in ["(3,5,7):(4,9,8)", "(4,6):(1,4)", "(2,2,3):(1,2,9)", "(6,2,5):(2,12,1)"] {
        let f = offsets(text);
        let all = consistent(&f);
        let greatest =
            all.iter().copied().filter(|n| f.len().is_multiple_of(*n)).max().expect("1 is");
        assert!(
            all.iter().filter(|n| f.len().is_multiple_of(**n)).all(|n| greatest % n == 0),
            "{text}"
        );
        let found = Layout::of_offsets(&f).expect("small").expect("a layout");
        let (first, step) = found.flat()[0];
        assert_eq!((usize::try_from(first), step), (Ok(greatest), f[1]), "{text}");
    }
}

/// The text tries extents below `t`, the first index that leaves the line: "n0 in [0, t)", from
/// `t-1` down. It may be `t` itself, from which the program starts.
#[test]
fn the_first_extent_may_be_where_the_line_ends() {
    assert_eq!(consistent(&[0, 1, 10, 11]), [1, 2]);
    assert_eq!(found(&[0, 1, 10, 11]).as_deref(), Some("(2,2):(1,10)"));
}

/// The rest is a function of its own, on the indices below `M/n0`; the text has one too many.
#[test]
fn the_rest_is_a_layout_of_its_own() {
    let f = offsets("(3,5,7):(4,9,8)");
    let rest: Vec<i64> = f.iter().copied().step_by(3).collect();
    assert_eq!(rest.len(), 35);
    assert_eq!(found(&rest).as_deref(), Some("(5,7):(9,8)"));
}

/// The note requires "f(x) != 0"; what a layout needs is `f(0) = 0`.
#[test]
fn a_function_that_starts_elsewhere_is_no_layout() {
    let refutation = Layout::of_offsets(&[1, 2, 3]).expect("no overflow").expect_err("none");
    assert_eq!((refutation.index, refutation.expected, refutation.found), (0, 1, 0));
}

/// The note's program answers `(3,3):(7,8)` here, whose last offset is 30.
#[test]
fn the_last_column_counts_too() {
    let offsets = [0, 7, 14, 8, 15, 22, 16, 23, 32];
    let refutation = Layout::of_offsets(&offsets).expect("no overflow").expect_err("none");
    assert_eq!((refutation.index, refutation.expected, refutation.found), (8, 32, 30));
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
    check(&[("cosize(4:1)", "4"), ("cosize(6:4)", "21"), ("cosize(make_layout(4:1, 6:4))", "24")]);
}

/// Definition 4, and its closed form: shapes and strides side by side. The proof's last line drops the
/// indices, which are `x mod size(L1)` and `x / size(L1)`.
#[test]
fn concatenation_is_a_sum() {
    for (first, second) in [("(2,3):(5,1)", "4:7"), ("4:1", "6:4"), ("(2,2):(1,1)", "(3,2):(0,9)")]
    {
        let (first, second) = (layout(first), layout(second));
        let both = Layout::make_layout(&[first.clone(), second.clone()]).expect("small");
        assert_eq!(both.size(), first.size() * second.size());
        for x in 0..both.size() {
            let sum = first.at(x % first.size()).expect("small")
                + second.at(x / first.size()).expect("small");
            assert_eq!(both.at(x), Ok(sum), "{both} at {x}");
        }
    }
    check(&[("flatten(make_layout((2,3):(5,1), 4:7))", "(2,3,4):(5,1,7)")]);
}

/// `floor(x / mn) = floor(floor(x / m) / n)`, on which the proof rests: here both are one expression.
#[test]
fn quotients_of_quotients() {
    let mut facts = Facts::new();
    let x = facts.declare("x{range=0..}").expect("a symbol");
    for (m, n) in [(3, 4), (2, 2), (1, 5), (7, 9)] {
        let over = |x: &Expr, by: i64| facts.floor_div(x, &Expr::from(by)).expect("small");
        assert_eq!(over(&over(&x, m), n), over(&x, m * n));
    }
}

/// The note continues a layout by its cosize; it continues in the last mode, by the last extent
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

/// CuTe's document has `cosize((A,B)) >= M`; the note quotes it as `<=`, which a complement that is
/// rounded up does not fulfil.
#[test]
fn a_complement_may_reach_past_its_bound() {
    check(&[
        ("complement(4:1, 10)", "3:4"),
        ("cosize(make_layout(4:1, complement(4:1, 10)))", "12"),
    ]);
}

/// Definition 5, by values: each number of the complement is the least offset that nothing reaches
/// yet, and function-to-layout finds its layout.
#[test]
fn complements_are_found_by_their_values() {
    for (text, codomain) in [("(2,2):(1,6)", 24), ("4:2", 24), ("4:1", 24), ("(2,4):(1,6)", 24)] {
        let block = offsets(text);
        let mut free: Vec<i64> = (0..codomain).collect();
        let mut places = Vec::new();
        while let Some(&place) = free.first() {
            places.push(place);
            free.retain(|offset| !block.contains(&(offset - place)));
        }
        let complement = layout(&format!("complement({text}, {codomain})"));
        assert_eq!(found(&places), Some(complement.to_string()), "{text}");
    }
}

/// Definition 6, by values.
#[test]
fn compositions_are_found_by_their_values() {
    let outer = layout("(6,2):(8,2)");
    let values: Vec<i64> =
        offsets("(4,3):(3,1)").into_iter().map(|x| outer.at(x).expect("small")).collect();
    assert_eq!(values, [0, 24, 2, 26, 8, 32, 10, 34, 16, 40, 18, 42]);
    assert_eq!(found(&values).as_deref(), Some("(2,2,3):(24,2,8)"));
    check(&[("flatten(composition((6,2):(8,2), (4,3):(3,1)))", "(2,2,3):(24,2,8)")]);
}

/// The proposition, which the note leaves unproved: where all three compositions are layouts,
/// `A o (B, C) = (A o B, A o C)`.
#[test]
fn composition_distributes_where_all_three_exist() {
    let small: Vec<Layout> = (1..=4)
        .flat_map(|extent| (0..=6).map(move |stride| format!("{extent}:{stride}")))
        .map(|text| layout(&text))
        .collect();
    let mut held = 0;
    for a in ["(6,2):(1,7)", "(4,3):(3,1)", "(2,2,2):(1,10,3)", "(5,6):(24,15)"].map(layout) {
        for (b, c) in small.iter().flat_map(|b| small.iter().map(move |c| (b, c))) {
            let both = Layout::make_layout(&[b.clone(), c.clone()]).expect("small");
            let (Ok(whole), Ok(of_b), Ok(of_c)) =
                (a.composition(&both), a.composition(b), a.composition(c))
            else {
                continue;
            };
            let parts = Layout::make_layout(&[of_b, of_c]).expect("small");
            assert_eq!(meaning::offsets(&whole), meaning::offsets(&parts), "{a} o ({b}, {c})");
            held += 1;
        }
    }
    assert!(held > 1_000, "{held} of them exist");
}

/// Definition 7.
#[test]
fn logical_division_by_its_definition() {
    for (a, b) in [("24:1", "4:2"), ("(4,2,3):(2,1,8)", "4:2"), ("(6,4):(4,1)", "3:1")] {
        let defined = format!("composition({a}, make_layout({b}, complement({b}, size({a}))))");
        let divided = format!("logical_divide({a}, {b})");
        assert_eq!(layout(&divided), layout(&defined), "{divided}");
    }
}
