//! From functions to layouts: every way agrees with every other, and with all small layouts.

use layout_algebra::{Found, Layout, Refutation, Tuple};

/// Every offset sequence of up to 6 numbers below 7: found exactly when brute force finds one.
#[test]
fn finds_a_layout_whenever_one_exists() {
    for size in 1..=6_u32 {
        let mut reachable = std::collections::BTreeSet::new();
        for modes in factorizations(i64::from(size)) {
            strides(&modes, &mut Vec::new(), &mut |layout: &Layout| {
                let offsets: Vec<i64> =
                    (0..i64::from(size)).map(|i| layout.at(i).expect("small")).collect();
                reachable.insert(offsets);
            });
        }
        for code in 0..7_i64.pow(size - 1) {
            let mut rest = code;
            let mut offsets = vec![0];
            for _ in 1..size {
                offsets.push(rest % 7);
                rest /= 7;
            }
            let found = Layout::of_offsets(&offsets).expect("small");
            assert_eq!(found.is_ok(), reachable.contains(&offsets), "{offsets:?}");
            if let Ok(layout) = found {
                let values: Vec<i64> =
                    (0..i64::from(size)).map(|i| layout.at(i).expect("small")).collect();
                assert_eq!(values, offsets);
            }
        }
    }
}

/// The modes of a size end at divisors of it, and not all of these are found.
#[test]
fn a_size_that_is_not_factored_refutes_nothing() {
    let layout: Layout = "(65537,65539):(65539,1)".parse().expect("a layout");
    let at = |i| layout.at(i).expect("small");
    assert_eq!(
        Layout::of_fn(layout.size(), at).expect_err("two prime factors past 2^16").to_string(),
        "prime factors of a function's size: expected at most 65536, found 4295229443, whose factors \
         are not known"
    );
    let found = Layout::of_fn(layout.size(), |i| 3 * i).expect("one mode");
    assert!(matches!(found, Found::Sampled { .. }), "{found:?}");
}

#[test]
fn a_function_too_large_to_write_down_is_sampled() {
    let layout: Layout = "(4096,(64,4096)):(262144,(1,64))".parse().expect("a layout");
    let found = Layout::of_fn(layout.size(), |i| layout.at(i).expect("small")).expect("small");
    let Found::Sampled { layout: found, samples } = found else { panic!("{found:?}") };
    assert_eq!(found, "(4096,262144):(262144,1)".parse().expect("a layout"));
    assert!(samples > 1 << 13);
    let last = layout.size() - 1;
    let but_one = |i| layout.at(i).expect("small") + i64::from(i == last);
    let found = Layout::of_fn(layout.size(), but_one).expect("small");
    assert!(matches!(found, Found::Refuted(Refutation { index, .. }) if index == last));
}

#[test]
fn all_ways_to_a_layout_agree() {
    for modes in factorizations(12).into_iter().chain(factorizations(16)) {
        strides(&modes, &mut Vec::new(), &mut |layout: &Layout| {
            let offsets: Vec<i64> =
                (0..layout.size()).map(|i| layout.at(i).expect("small")).collect();
            let f = |i: i64| layout.at(i).expect("small");
            let found = Layout::of_offsets(&offsets).expect("small").expect("a layout");
            let by_function = Layout::of_fn(layout.size(), f);
            assert_eq!(by_function, Ok(Found::Proved(found)), "{layout}");
            let by_shape = Layout::of_fn_in(layout.shape(), f);
            assert_eq!(by_shape, Ok(Found::Proved(layout.clone())), "{layout}");
            let strides = layout.stride().leaves();
            let by_strides = Layout::of_strides(&strides, &offsets).expect("a layout");
            assert_eq!(by_strides.stride(), layout.stride());
            assert!(layout_algebra::meaning::same(layout, &by_strides).is_ok(), "{layout}");
        });
    }
}

#[test]
fn offsets_that_would_wrap_around_are_not_taken_for_others() {
    // Three steps of 2^62 are -2^62 in two's complement.
    let wrapped = [0, 1 << 62, i64::MIN, -(1 << 62)];
    assert!(Layout::of_offsets(&wrapped[..3]).is_err());
    assert!(Layout::of_offsets_in(&Tuple::Leaf(4), &wrapped).is_err());
    assert!(Layout::of_strides(&[1 << 62], &wrapped).is_err());
    // Two steps to each of two runs wrap nowhere.
    let layout = Layout::of_offsets(&wrapped).expect("no overflow").expect("a layout");
    assert_eq!(layout.to_string(), "(2,2):(4611686018427387904,-9223372036854775808)");
    assert!((0..4).all(|i| layout.at(i) == Ok(wrapped[i as usize])));
    let by_function = Layout::of_fn(4, |i| wrapped[i as usize]);
    assert_eq!(by_function, Ok(Found::Proved(layout)));
}

#[test]
fn strides_that_no_shape_fits_are_refused() {
    assert!(Layout::of_strides(&[], &[5]).is_err());
    let error = Layout::of_strides(&[1, 5], &[0, 1, 4, 5]).expect_err("none");
    assert_eq!(
        error.to_string(),
        "layout_of_strides((1,5)): expected strides that some shape brings to these offsets, \
         found 4 offsets that none does"
    );
}

fn factorizations(n: i64) -> Vec<Vec<i64>> {
    if n == 1 {
        return vec![vec![]];
    }
    (2..=n)
        .filter(|d| n % d == 0)
        .flat_map(|d| {
            factorizations(n / d).into_iter().map(move |mut rest| {
                rest.insert(0, d);
                rest
            })
        })
        .collect()
}

fn strides(shape: &[i64], chosen: &mut Vec<(i64, i64)>, visit: &mut impl FnMut(&Layout)) {
    let Some((&extent, rest)) = shape.split_first() else {
        let leaves = |leaf: fn(&(i64, i64)) -> i64| {
            Tuple::Node(chosen.iter().map(leaf).map(Tuple::Leaf).collect())
        };
        let layout = match chosen.as_slice() {
            [] => Layout::new(Tuple::Leaf(1), Tuple::Leaf(0)),
            &[(extent, stride)] => Layout::new(Tuple::Leaf(extent), Tuple::Leaf(stride)),
            _ => Layout::new(leaves(|mode| mode.0), leaves(|mode| mode.1)),
        };
        visit(&layout.expect("small"));
        return;
    };
    for stride in -6..7 {
        chosen.push((extent, stride));
        strides(rest, chosen, visit);
        chosen.pop();
    }
}
