//! A swizzle over a layout is found exactly when there is one.

use super::{every, layouts, linear, message, values};
use layout_algebra::{
    AnyLayout, ComposedLayout, Layout, Outer, Swizzle, Term, linear::LinearLayout,
};
use layout_random::{cases, prelude::*};
use std::collections::BTreeSet;

fn offsets(layout: &AnyLayout) -> Vec<i64> {
    (0..layout.size()).map(|index| layout.at(index).expect("small")).collect()
}

/// Against every bijective swizzle over every layout of 8 coordinates, offsets between them included,
/// with strides and swizzles that reach past the output.
#[test]
fn a_swizzled_layout_is_found_exactly_when_there_is_one() {
    let mut strides = Vec::new();
    for a in 0..16 {
        for b in 0..16 {
            for c in 0..16 {
                strides.push([a, b, c]);
            }
        }
    }
    let mut reachable = BTreeSet::new();
    for bits in 0..4_u32 {
        for base in 0..3_u32 {
            for shift in -3..4_i32 {
                let swizzle = Swizzle::new(bits, base, shift).expect("few bits");
                if bits > 0 && shift == 0 {
                    continue;
                }
                for offset in 0..3 {
                    for [a, b, c] in &strides {
                        let at = |x: i64| offset + (x & 1) * a + (x >> 1 & 1) * b + (x >> 2) * c;
                        let values = [0, 1, 2, 3, 4, 5, 6, 7].map(|x| swizzle.apply(at(x)));
                        if values[0] == 0 && values.iter().all(|value| *value < 8) {
                            reachable.insert(values);
                        }
                    }
                }
            }
        }
    }
    let mut found = 0;
    for linear in every(&[("index", 8)], &[("offset", 8)]) {
        let values = values(&linear);
        let swizzled = linear.to_swizzled();
        assert_eq!(
            swizzled.is_ok(),
            reachable.contains(values.as_slice()),
            "{linear}: {swizzled:?}"
        );
        if let Ok(swizzled) = swizzled {
            found += 1;
            assert_eq!(offsets(&swizzled), values, "{linear}");
        }
    }
    assert!(found > 100, "{found}");
}

/// `S<b,m,0>` clears bits, carries among them, and so makes linear what is not; CuTe has no such
/// swizzle, and none is answered with.
#[test]
fn swizzles_that_clear_bits_are_not_answered_with() {
    let term = Term::parse("S<1,1,0> o 0 o (2,2):(1,1)").expect("a term");
    let any = term.eval_layout().expect("a layout");
    let linear = LinearLayout::from_any(&any).expect("its values xor");
    assert_eq!(linear.to_string(), "linear<{index = [1,1]} -> {offset = 2}>");
    assert!(linear.to_swizzled().is_err());
}

#[test]
fn plain_layouts_need_no_swizzle() {
    let swizzled = linear("linear<{a = [4,8], b = [1,2]} -> {x = 16}>").to_swizzled();
    assert_eq!(swizzled.map(|s| s.to_string()), Ok("(4,4):(4,1)".to_owned()));
}

/// Shared-memory tiles as kernels use them come back as they were written.
#[test]
fn common_tiles_are_recognised() {
    for text in [
        "S<3,4,3> o 0 o (8,64):(64,1)",
        "S<3,3,3> o 0 o (8,64):(64,1)",
        "S<2,3,3> o 0 o (8,32):(32,1)",
        "S<1,4,3> o 0 o (8,32):(32,1)",
    ] {
        let term = Term::parse(text).expect(text);
        let any = term.eval_layout().expect(text);
        let linear = LinearLayout::from_any(&any).expect(text);
        let swizzled = linear.to_swizzled().expect(text);
        assert_eq!(offsets(&swizzled), offsets(&any), "{text}");
        let AnyLayout::Composed(composed) = &swizzled else { panic!("{text}: {swizzled}") };
        let AnyLayout::Composed(written) = &any else { panic!("{text}") };
        assert_eq!(Ok(&composed.inner), written.inner.coalesce().as_ref(), "{text}");
    }
}

#[test]
fn layouts_without_a_swizzle_are_errors() {
    assert_eq!(
        message(linear("linear<{a = [1,1]} -> {x = 2}>").to_swizzled()),
        "to_swizzled(linear<{a = [1,1]} -> {x = 2}>): expected bases that a swizzle parts, found 1 at \
         1 and 1 at 2, and a shared bit under each of the 0 swizzles of 1 bits"
    );
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn swizzles_over_layouts_come_back(
        (bits, base, shift) in (1..4_u32, 0..5_u32, 1..6_i32),
        left in any::<bool>(),
        order in Just((0..8_u32).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let swizzle = Swizzle::new(bits, base, if left { -shift } else { shift })?;
        let shape = ["2"; 8].join(",");
        let stride: Vec<String> = order.iter().map(|bit| (1 << bit).to_string()).collect();
        let inner: Layout = format!("({shape}):({})", stride.join(",")).parse()?;
        let outer = Outer::Swizzle(swizzle);
        let any = AnyLayout::Composed(ComposedLayout { outer, offset: 0, inner });
        let linear = LinearLayout::from_any(&any)?;
        let swizzled = linear.to_swizzled()?;
        prop_assert_eq!(offsets(&swizzled), offsets(&any));
    }

    #[test]
    fn what_is_found_is_right(linear in layouts(&["a", "b"], &["x"], 7)) {
        if let Ok(swizzled) = linear.to_swizzled() {
            prop_assert_eq!(offsets(&swizzled), values(&linear));
        }
    }
}
