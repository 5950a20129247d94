//! Swizzles against their definition.

use layout_algebra::{ComposedLayout, Layout, Outer, Swizzle, linear::Matrix};

fn swizzle(bits: u32, base: u32, shift: i32) -> Swizzle {
    Swizzle::new(bits, base, shift).unwrap()
}

/// All swizzles with less than `bits`, `base` and `|shift|` up to `shift`.
fn swizzles(bits: u32, base: u32, shift: i32) -> impl Iterator<Item = Swizzle> {
    (0..bits)
        .flat_map(move |b| (0..base).map(move |m| (b, m)))
        .flat_map(move |(b, m)| (-shift..=shift).map(move |s| swizzle(b, m, s)))
}

/// The definition, bit by bit.
fn slow(swizzle: &Swizzle, offset: i64) -> i64 {
    let mut result = offset;
    for i in 0..swizzle.bits {
        let at = |distance: i32| i + swizzle.base + distance.unsigned_abs();
        let (source, target) = (at(swizzle.shift.max(0)), at(swizzle.shift.min(0)));
        if offset >> source & 1 == 1 {
            result ^= 1 << target;
        }
    }
    result
}

#[test]
fn apply_is_the_definition() {
    for swizzle in swizzles(5, 4, 6) {
        for offset in -300..5000 {
            assert_eq!(swizzle.apply(offset), slow(&swizzle, offset), "{swizzle} at {offset}");
        }
    }
}

/// Identity 14.
#[test]
fn inverses_are_inverses() {
    for swizzle in swizzles(5, 4, 6) {
        let size = swizzle.period();
        let mut image: Vec<i64> = (0..size).map(|x| swizzle.apply(x)).collect();
        image.sort_unstable();
        image.dedup();
        let bijective = i64::try_from(image.len()) == Ok(size);
        let involution = (0..size).all(|x| swizzle.apply(swizzle.apply(x)) == x);
        assert_eq!(swizzle.is_bijective(), bijective, "{swizzle}");
        assert_eq!(swizzle.is_involution(), involution, "{swizzle}");
        assert_eq!(swizzle.is_identity(), (0..size).all(|x| swizzle.apply(x) == x));
        assert_eq!(swizzle.unapply(0).is_ok(), bijective);
        assert_eq!(swizzle.inverse().ok(), involution.then_some(swizzle));
        if bijective {
            for x in -100..size {
                assert_eq!(swizzle.unapply(swizzle.apply(x)), Ok(x), "{swizzle} at {x}");
            }
        }
    }
    assert_eq!(
        swizzle(2, 1, 0).unapply(3).unwrap_err().to_string(),
        "inverse(S<2,1,0>): expected a swizzle that is one-to-one, found shift 0, which adds each \
         bit to itself and so clears it"
    );
    assert_eq!(
        swizzle(2, 1, 1).inverse().unwrap_err().to_string(),
        "inverse(S<2,1,1>): expected |shift| of at least the number of bits, so that a swizzle \
         undoes it, found |shift| 1 for 2 bits"
    );
    assert_eq!(
        Swizzle::new(30, 30, -3).unwrap_err().to_string(),
        "bits that a swizzle reaches: expected at most 62, found 63"
    );
}

/// Identity 17, and the one swizzle that two are.
#[test]
fn products_of_two() {
    let all: Vec<Swizzle> = swizzles(4, 3, 4).collect();
    let image = |f: &dyn Fn(i64) -> i64| (0..1 << 10).map(f).collect::<Vec<_>>();
    let images: Vec<_> = all.iter().map(|s| image(&|x| s.apply(x))).collect();
    for (a, image_of_a) in all.iter().zip(&images) {
        for (b, image_of_b) in all.iter().zip(&images) {
            let ab: Vec<i64> = image_of_b.iter().map(|&x| a.apply(x)).collect();
            let ba: Vec<i64> = image_of_a.iter().map(|&x| b.apply(x)).collect();
            assert_eq!(a.commutes_with(b), ab == ba, "{a} {b}");
            if a.is_involution() && b.is_involution() && a != b {
                let is_disjoint = a.target_mask() & b.source_mask() == 0
                    && b.target_mask() & a.source_mask() == 0;
                assert_eq!(is_disjoint, ab == ba, "{a} {b}");
            }
            match a.compose(b) {
                Some(one) => assert_eq!(image(&|x| one.apply(x)), ab, "{a} {b}"),
                // Any swizzle that fits is within these bits and distances.
                None => assert!(images.iter().all(|image| *image != ab), "{a} {b}"),
            }
        }
    }
    for a in all {
        assert_eq!(Swizzle::of_columns(&a.columns()).map(|b| b.columns()), Some(a.columns()));
    }
}

/// Identity 16.
#[test]
fn what_hoists() {
    for swizzle in swizzles(4, 3, 5) {
        let period = swizzle.period();
        for by in 0..3 * period {
            let hoists = (0..2 * period).all(|x| swizzle.apply(x + by) == swizzle.apply(x) + by);
            assert_eq!(swizzle.hoists(by), hoists, "{swizzle} by {by}");
        }
    }
}

/// Fields are public, and any values must not panic.
#[test]
fn fields_out_of_range_do_not_panic() {
    for bits in [0, 1, 31, 62, 63, 64, u32::MAX] {
        for base in [0, 1, 61, 62, 63, 64, u32::MAX] {
            for shift in [0, 1, -1, 62, -62, 64, -64, i32::MAX, i32::MIN] {
                let swizzle = Swizzle { bits, base, shift };
                for offset in [0, 1, -1, i64::MAX, i64::MIN] {
                    let _ = swizzle.apply(offset);
                    let _ = swizzle.unapply(offset);
                    let _ = swizzle.hoists(offset);
                    let inner: Layout = "(4,4):(1,4)".parse().unwrap();
                    let layout = ComposedLayout { outer: Outer::Swizzle(swizzle), offset, inner };
                    let _ = layout.cosize();
                    let _ = layout.fold();
                    let _ = layout.slice(&"(_,1)".parse().unwrap());
                    let _ = layout.right_inverse();
                    let _ = layout.left_inverse();
                    let _ = layout.upcast(2);
                    let _ = layout.downcast(2);
                }
                let _ = swizzle.compose(&swizzle);
                let _ = swizzle.commutes_with(&swizzle);
                let _ = swizzle.inverse();
            }
        }
    }
}

/// Products and inverses as matrices over GF(2).
#[test]
fn matrices_are_the_maps() {
    let all: Vec<Swizzle> = swizzles(4, 2, 3).collect();
    for a in &all {
        let matrix = a.matrix().unwrap();
        for x in [0, 1, 5, 170, 341, 1 << 40, i64::MAX, -1, i64::MIN] {
            assert_eq!(matrix.apply(x.cast_unsigned()).cast_signed(), a.apply(x), "{a} at {x}");
        }
        assert_eq!(Swizzle::of_columns(&a.columns()).unwrap().matrix().unwrap(), matrix);
        match matrix.inverse() {
            None => assert!(!a.is_bijective()),
            Some(inverse) => {
                for x in 0..256 {
                    let undone = inverse.apply(x).cast_signed();
                    assert_eq!(a.unapply(x.cast_signed()), Ok(undone), "{a} at {x}");
                }
                // Its inverse is a swizzle exactly where `inverse` says so.
                let columns: [u64; 64] = inverse.columns().try_into().unwrap();
                let found = Swizzle::of_columns(&columns).map(|found| found.columns());
                assert_eq!(found, a.inverse().ok().map(|inverse| inverse.columns()), "{a}");
            }
        }
        for b in &all {
            let product = matrix.multiply(&b.matrix().unwrap()).unwrap();
            let columns: [u64; 64] = product.columns().try_into().unwrap();
            assert_eq!(Swizzle::of_columns(&columns), a.compose(b));
            let turned = b.matrix().unwrap().multiply(&matrix).unwrap();
            assert_eq!(a.commutes_with(b), product == turned);
        }
    }
    assert_eq!(Swizzle::identity().matrix().unwrap(), Matrix::identity(64).unwrap());
}

/// Seed 002, section 4 and figure 2: `H_{1,2,1}` adds bit 3 to bit 2, and equation 15 says the same
/// in integers.
#[test]
fn seed_002_swizzle_1_2_1() {
    let swizzle = swizzle(1, 2, 1);
    let image: Vec<i64> = (0..16).map(|c| swizzle.apply(c)).collect();
    assert_eq!(image, [0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 8, 9, 10, 11]);
    for (c, at) in (0..16).zip(image) {
        assert_eq!(at, c - c % 8 + (c + 4 * (c / 8)) % 8);
    }
}

/// Seed 002 calls every swizzle a bijection, and section 4.3 every one its own inverse. Neither
/// holds: shift 0 clears bits, and bits that overlap are changed before they are read again.
#[test]
fn seed_002_is_wrong_about_bijections_and_involutions() {
    assert_eq!((swizzle(1, 0, 0).apply(0), swizzle(1, 0, 0).apply(1)), (0, 0));
    let overlapping = swizzle(3, 0, 2);
    assert_eq!((overlapping.apply(16), overlapping.apply(20)), (20, 17));
}
