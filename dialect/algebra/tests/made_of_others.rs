//! Operations on coordinates, shapes and modes that are made of others, and queries of linear layouts: each
//! against its slow definition on drawn operands.

use layout_algebra::{Layout, Op, Term, Tuple, Value, answer, linear::LinearLayout};
use layout_random::{cases, prelude::*};

fn value(text: &str) -> Value {
    match Term::parse(text).and_then(|term| term.eval()) {
        Ok(value) => value,
        Err(error) => panic!("{text}: {error}"),
    }
}

fn int(text: &str) -> i64 {
    match value(text) {
        Value::Int(value) => value,
        other => panic!("{text} is {other}"),
    }
}

/// A shape of two levels.
fn shape() -> impl Strategy<Value = Tuple> {
    let leaf = || (1..5_i64).prop_map(Tuple::Leaf);
    let mode = prop_oneof![leaf(), prop::collection::vec(leaf(), 1..3).prop_map(Tuple::Node)];
    prop::collection::vec(mode, 1..4).prop_map(Tuple::Node)
}

/// A tuple that nests as another, of small numbers.
fn numbers(shape: &Tuple) -> impl Strategy<Value = Tuple> + use<> {
    let shape = shape.clone();
    prop::collection::vec(-9..10_i64, shape.leaf_count()).prop_map(move |numbers| {
        let mut numbers = numbers.into_iter();
        let next = shape.try_map(&mut |_| numbers.next().ok_or(()));
        next.expect("a number for each leaf")
    })
}

/// A layout with any strides.
fn layout() -> impl Strategy<Value = Layout> {
    shape().prop_flat_map(|shape| {
        numbers(&shape).prop_map(move |stride| Layout::new(shape.clone(), stride).expect("small"))
    })
}

/// A layout of two flat modes.
fn matrix() -> impl Strategy<Value = Layout> {
    (1..7_i64, 1..7_i64, -9..10_i64, -9..10_i64)
        .prop_map(|(m, n, d, e)| format!("({m},{n}):({d},{e})").parse().expect("a layout"))
}

/// A linear layout of one input of four bits, with repeats as often as not.
fn linear() -> impl Strategy<Value = LinearLayout> {
    prop::collection::vec(prop_oneof![0..16_i64, Just(1), Just(2), Just(4)], 4)
        .prop_map(|bases| format!("linear<{{x = {bases:?}}} -> {{y = 16}}>").parse().expect("one"))
}

fn offsets(layout: &Layout) -> Vec<i64> {
    (0..layout.size()).map(|index| layout.at(index).expect("small")).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn increment_goes_through_coordinates_in_order(shape in shape()) {
        let size = shape.product().expect("small");
        for index in 0..size - 1 {
            let next = value(&format!("increment(idx2crd({index}, {shape}), {shape})"));
            prop_assert_eq!(next, value(&format!("idx2crd({}, {shape})", index + 1)));
        }
    }

    #[test]
    fn elem_less_compares_leaf_by_leaf(
        (a, b) in shape().prop_flat_map(|shape| (numbers(&shape), numbers(&shape))),
    ) {
        let less = a.leaves().iter().zip(b.leaves().iter()).all(|(a, b)| a < b);
        prop_assert_eq!(value(&format!("elem_less({a}, {b})")), Value::Bool(less));
    }

    #[test]
    fn sums_and_differences_undo_each_other(
        (a, b) in shape().prop_flat_map(|shape| (numbers(&shape), numbers(&shape))),
    ) {
        prop_assert_eq!(value(&format!("tuple_sub(tuple_add({a}, {b}), {b})")).to_string(), a.to_string());
        let longer = value(&format!("append({b}, 7)"));
        let sum = value(&format!("tuple_add({a}, {longer})"));
        let alike = value(&format!("append(tuple_add({a}, {b}), 7)"));
        prop_assert_eq!(sum, alike);
    }

    #[test]
    fn product_each_has_the_size_of_each_mode(shape in shape()) {
        for mode in 0..shape.rank() {
            let found = int(&format!("get(product_each({shape}), {mode})"));
            prop_assert_eq!(found, int(&format!("size({shape}, {mode})")));
        }
    }

    #[test]
    fn equal_layouts_have_the_same_offsets(a in layout(), b in layout()) {
        let same = a.size() == b.size() && offsets(&a) == offsets(&b);
        prop_assert_eq!(value(&format!("equal({a}, {b})")), Value::Bool(same));
        prop_assert_eq!(value(&format!("equal({a}, coalesce({a}))")), Value::Bool(true));
        prop_assert_eq!(value(&format!("equal({a}, S<0,0,0> o 0 o {a})")), Value::Bool(true));
    }

    #[test]
    fn make_layout_takes_a_shape_and_a_stride(a in layout()) {
        let made = value(&format!("make_layout({}, {})", a.shape(), a.stride()));
        prop_assert_eq!(made, Value::Layout(a.clone()));
        let compact = value(&format!("make_layout({})", a.shape()));
        prop_assert_eq!(compact, Value::Layout(Layout::from_shape(a.shape().clone()).expect("small")));
    }

    #[test]
    fn transposed_layouts_take_transposed_coordinates(a in matrix()) {
        let transposed = value(&format!("transpose({a})"));
        let [m, n] = a.shape().leaves()[..] else { unreachable!("two modes") };
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            prop_assert_eq!(int(&format!("crd2idx(({j},{i}), {transposed})")), int(&format!("crd2idx(({i},{j}), {a})")));
        }
    }

    #[test]
    fn reshaped_layouts_have_the_same_offsets(a in layout()) {
        let coalesced = value(&format!("reshape({a}, ({}))", a.size()));
        let Value::Layout(found) = coalesced else { unreachable!("a layout") };
        prop_assert_eq!(offsets(&found), offsets(&a));
        prop_assert_eq!(found.rank(), 1);
    }

    #[test]
    fn aligned_blocks_are_reached_whole(a in layout()) {
        let n = int(&format!("max_alignment({a})"));
        let mut count = std::collections::BTreeMap::new();
        for at in offsets(&a) {
            *count.entry(at).or_insert(0) += 1;
        }
        for (at, times) in &count {
            let block = at.div_euclid(n) * n;
            prop_assert!((block..block + n).all(|beside| count.get(&beside) == Some(times)), "{} of {}", at, a);
        }
        // With the row as its first mode: its modes may lie apart in `a`.
        let row = format!("coalesce(logical_divide(coalesce({a}), right_inverse({a})), (1,1))");
        let wide = Term::parse(&format!("upcast({row}, {n})")).and_then(|term| term.eval());
        prop_assert!(n == 1 || wide.is_ok(), "{} of {}", n, a);
    }

    #[test]
    fn alignment_is_what_the_row_and_the_other_strides_share(a in matrix()) {
        let mut rest: Vec<_> = a.flat().into_iter().filter(|(extent, _)| *extent > 1).collect();
        let mut row = 1;
        while let Some(place) = rest.iter().position(|(_, stride)| *stride == row) {
            row *= rest.remove(place).0;
        }
        let shares = |n: &i64| row % n == 0 && rest.iter().all(|(_, stride)| stride % n == 0);
        let expected = (1..=row).rev().find(shares);
        prop_assert_eq!(Some(int(&format!("max_alignment({a})"))), expected);
        // A swizzle moves blocks of 2^base, and an offset where they start.
        let found = int(&format!("max_alignment(S<1,2,3> o 6 o {a})"));
        prop_assert_eq!(Some(found), expected.map(|n| if n % 2 == 0 { 2 } else { 1 }));
    }

    #[test]
    fn local_tiles_are_those_of_the_divide(a in matrix(), m in 1..4_i64, n in 1..4_i64) {
        let call = |op: &str| format!("{op}({a}, ({m},{n}))");
        let Ok(Value::Layout(divided)) = Term::parse(&call("zipped_divide")).and_then(|t| t.eval()) else {
            return Ok(());
        };
        let rests = divided.mode(1).expect("two modes");
        for place in 0..rests.size() {
            let tile = value(&format!("local_tile({a}, ({m},{n}), {place})"));
            let Value::Layout(tile) = tile else { unreachable!("a layout") };
            prop_assert_eq!(tile.rank(), 2);
            let size = m * n;
            for index in 0..size {
                let start = divided.at(place * size).expect("small");
                prop_assert_eq!(tile.at(index), divided.at(place * size + index).map(|at| at - start));
            }
        }
    }

    #[test]
    fn without_its_free_variables_a_linear_layout_reaches_all_once(x in linear()) {
        let mask = int(&format!("free_variables({x})"));
        let image = |index: i64| x.at(index).expect("an input");
        let mut all: Vec<i64> = (0..16).map(image).collect();
        let mut once: Vec<i64> = (0..16).filter(|index| index & mask == 0).map(image).collect();
        all.sort_unstable();
        all.dedup();
        once.sort_unstable();
        prop_assert_eq!(once, all);
    }

    #[test]
    fn consecutive_outputs_run_in_step_with_inputs(x in linear()) {
        let found = int(&format!("num_consecutive({x})"));
        let runs = |width: i64| (0..16).all(|index| {
            let start = index / width * width;
            x.at(index) == x.at(start).map(|at| at + index % width)
        });
        let expected = [16, 8, 4, 2, 1].into_iter().find(|&width| runs(width)).expect("1 at least");
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_quotient_times_the_identity_is_the_layout(x in linear()) {
        let block = "linear<{block = [1,2]} -> {block = 4}>";
        let product = value(&format!("linear_product({x}, {block})"));
        prop_assert_eq!(value(&format!("quotient({product}, 1)")), Value::Linear(x));
    }
}

/// How far a layout is aligned where strides are not known.
#[test]
fn alignment_of_strides_that_are_not_known() {
    for (text, expected) in [
        ("max_alignment((M,64):(K{div=64 range=128..},1))", "64"),
        // Where K is 64 the row continues.
        (
            "max_alignment((M,64):(K{div=64},1))",
            "right_inverse((M,64):(K,1)): needs \"K != 64\", which is not known; add the fact K{range=128..}",
        ),
        ("max_alignment((M,8):(1,M))", "8*M"),
        (
            "max_alignment((M{range=2..},64):(K{div=4 range=128..},1))",
            "max_alignment((M,64):(K,1)): needs \"64 divides K\", which is not known; add the fact K{div=64}",
        ),
        (
            "max_alignment((64,M):(1,72))",
            "max_alignment((64,M):(1,72)): needs \"M >= 2\", which is not known; add the fact M{range=2..}",
        ),
        ("max_alignment((64,M{range=2..}):(1,72))", "8"),
        ("max_alignment(S<3,3,3> o 0 o (M,64):(64,1))", "8"),
        ("max_alignment(S<3,3,3> o 4 o (M,64):(64,1))", "4"),
        (
            "max_alignment(S<3,3,3> o i{div=4} o (M,64):(64,1))",
            "max_alignment(S<3,3,3> o i o (M,64):(64,1)): needs \"8 divides i\", which is not known; add the fact i{div=8}",
        ),
    ] {
        assert_eq!(answer(text), expected, "{text}");
    }
}

#[test]
fn names_are_operations() {
    for name in [
        "product_each",
        "elem_less",
        "increment",
        "equal",
        "local_tile",
        "max_alignment",
        "make_layout",
        "transpose",
        "reshape",
        "quotient",
        "free_variables",
        "num_consecutive",
        "tuple_add",
        "tuple_sub",
    ] {
        assert!(Op::from_name(name).is_some(), "{name}");
    }
}
