//! Relations and the algebra must agree, on random layouts.
//!
//! A few thousand cases run always; one hundred thousand with
//! `cargo test --release -p layout-relation --test all differential:: -- --ignored`.

use crate::algorithms;
use crate::support;

use layout_algebra::{Layout, Tuple};
use layout_relation::{
    Context, Formula, coordinate_mapping, coordinate_spaces, index_mapping, index_mapping_of,
    layout_mapping, least_rank_layout, promoted_layout_mapping,
};
use support::{Check, Draws, Random, context, run};

const EXTENTS: &[i64] = &[1, 2, 2, 3, 4, 4, 5, 6];
const STRIDES: &[i64] = &[0, 1, 1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 7, -1, -4];
const NATURAL: &[i64] = &[0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24, 7];

/// The mappings of a layout give what the algebra evaluates, in each of its coordinate spaces.
fn mappings(random: &mut Random, context: &Context) {
    let layout = random.layout(4, EXTENTS, STRIDES);
    let mapping = layout_mapping(context, &layout).unwrap();
    let formula = Formula::of(&mapping).unwrap();
    for index in 0..layout.size() {
        let expected = Some(vec![layout.at(index).unwrap()]);
        assert_eq!(formula.at(&[index]).unwrap(), expected, "{layout} at {index}");
    }
    assert_eq!(formula.at(&[layout.size()]).unwrap(), None);
    let index = i64::try_from(random.below(layout.size().unsigned_abs())).unwrap();
    let expected = vec![layout.at(index).unwrap()];
    assert_eq!(mapping.at(&[index]).unwrap(), Some(expected.clone()), "{layout} at {index}");
    assert_eq!(mapping.size().unwrap(), layout.size());
    let natural = layout.flat().iter().all(|&(_, stride)| stride >= 0);
    if natural {
        assert_eq!(mapping.cosize().unwrap(), layout.cosize().unwrap(), "{layout}");
    }
    let spaces = coordinate_spaces(layout.shape(), 64).unwrap();
    let space = random.choose(&spaces);
    let there = coordinate_mapping(context, space).unwrap();
    let back = index_mapping_of(context, &layout, space).unwrap();
    assert!(there.then(&back).unwrap().is_equal(&mapping).unwrap(), "{layout} on {space}");
    let direct = index_mapping(context, &layout).unwrap();
    let natural = index_mapping_of(context, &layout, layout.shape()).unwrap();
    assert!(direct.is_equal(&natural).unwrap(), "{layout}");
}

/// The mapping past the size is the algebra's.
fn promotion(random: &mut Random, context: &Context) {
    let layout = random.layout(3, EXTENTS, STRIDES);
    let size = layout.size() + i64::try_from(random.below(40)).unwrap();
    let mapping = promoted_layout_mapping(context, &layout, size).unwrap();
    assert_eq!(mapping.size().unwrap(), size);
    for index in [0, layout.size() - 1, size - 1] {
        let expected = Some(vec![layout.at(index).unwrap()]);
        assert_eq!(mapping.at(&[index]).unwrap(), expected, "{layout} to {size} at {index}");
    }
}

/// The layout of least rank is found again, and it is the coalesced one.
fn recovery(random: &mut Random, context: &Context) {
    let layout = random.layout(4, EXTENTS, STRIDES);
    let found = least_rank_layout(&layout_mapping(context, &layout).unwrap()).unwrap().unwrap();
    assert_eq!(found, layout.coalesce().unwrap(), "{layout}");
}

/// Both compose to the same function, or both refuse.
fn composition(random: &mut Random, context: &Context) {
    let outer = random.layout(3, EXTENTS, NATURAL);
    let inner = random.layout(2, EXTENTS, NATURAL);
    let ours = algorithms::compose(context, &outer, &inner);
    let theirs = outer.composition(&inner);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(
                ours.layout.coalesce().unwrap(),
                theirs.coalesce().unwrap(),
                "{outer} o {inner}"
            );
            if !inner.is_leaf() {
                assert_eq!(ours.layout.rank(), inner.rank(), "{outer} o {inner}");
            }
            assert_eq!(ours.promoted.is_some(), inner.cosize().unwrap() > outer.size());
        }
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("{outer} o {inner}: {ours:?} and {theirs:?}"),
    }
}

/// Both complement to the same layout, or both refuse, or only relations find one that is right.
fn complement(random: &mut Random, context: &Context) {
    let layout = match random.below(2) {
        0 => random.layout(3, EXTENTS, NATURAL),
        _ => random.chain(3, EXTENTS),
    };
    let cosize = 1 + i64::try_from(random.below(60)).unwrap();
    let ours = algorithms::complement(context, &layout, cosize);
    let theirs = layout.complement(&Tuple::Leaf(cosize));
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs, "{layout}, {cosize}"),
        (Err(_), Err(_)) => {}
        // The algebra requires that sorted modes follow each other; relations see that these, such as
        // those of (3,2,4):(6,16,1), may interleave and still reach each offset once.
        (Ok(ours), Err(_)) => {
            let kept: Vec<_> =
                layout.flat().into_iter().filter(|&(_, stride)| stride != 0).collect();
            let mut sums = vec![0];
            for (extent, stride) in kept.into_iter().chain(ours.flat()) {
                let steps =
                    (0..extent).flat_map(|digit| sums.iter().map(move |s| s + digit * stride));
                sums = steps.collect();
            }
            sums.sort_unstable();
            assert!(sums.windows(2).all(|pair| pair[0] != pair[1]), "{layout}, {cosize}: {ours}");
        }
        (ours, theirs) => panic!("complement({layout}, {cosize}): {ours:?} and {theirs:?}"),
    }
}

fn values(layout: &Layout) -> Vec<i64> {
    (0..layout.size()).map(|index| layout.at(index).unwrap()).collect()
}

/// Whether each stride divides the next greater one.
fn strides_divide(layout: &Layout) -> bool {
    let modes = layout.coalesce().unwrap().flat();
    let kept = modes.into_iter().filter(|&(extent, stride)| extent > 1 && stride != 0);
    let mut strides: Vec<_> = kept.map(|(_, stride)| stride).collect();
    strides.sort_unstable();
    strides.windows(2).all(|pair| pair[1] % pair[0] == 0)
}

/// Whether `inverse` takes the offsets of all coordinates that are 0 in modes of stride 0 back.
fn returns(layout: &Layout, inverse: &Layout) -> bool {
    let mut coordinates = vec![(0, 0)];
    let mut step = 1;
    for (extent, stride) in layout.flat() {
        if stride != 0 {
            let digits = |(at, offset): (i64, i64)| {
                (0..extent).map(move |digit| (at + digit * step, offset + digit * stride))
            };
            coordinates = coordinates.into_iter().flat_map(digits).collect();
        }
        step *= extent;
    }
    coordinates.into_iter().all(|(at, offset)| inverse.at(offset).unwrap() == at)
}

/// Strides 3 and 16: two layouts return every coordinate, and either is an answer.
#[test]
fn left_inverses_need_not_be_unique() {
    let layout = support::layout("(6,4,3):(0,3,16)");
    let ours = algorithms::left_inverse(&context(), &layout).unwrap();
    let theirs = layout.left_inverse().unwrap();
    assert_ne!(ours, theirs);
    assert!(returns(&layout, &ours) && returns(&layout, &theirs), "{ours} and {theirs}");
}

/// Inverses are inverses, and where no offset comes twice, no shorter than the algebra's.
fn inverses(random: &mut Random, context: &Context) {
    let layout = match random.below(2) {
        0 => random.layout(3, EXTENTS, NATURAL),
        _ => random.chain(3, EXTENTS),
    };
    let right = algorithms::right_inverse(context, &layout).unwrap();
    for (index, coordinate) in (0_i64..).zip(values(&right)) {
        assert_eq!(layout.at(coordinate).unwrap(), index, "{layout} after {right}");
    }
    let theirs = layout.right_inverse().unwrap();
    if layout.is_injective().unwrap() {
        assert!(right.size() >= theirs.size(), "{layout}: {right} and {theirs}");
    }

    let ours = algorithms::left_inverse(context, &layout);
    let theirs = layout.left_inverse();
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            if strides_divide(&layout) {
                assert_eq!(ours, theirs, "{layout}");
            }
            // Elsewhere CuTe has none to agree on, and there may be several.
            for inverse in [ours, theirs] {
                assert!(returns(&layout, &inverse), "{layout}: {inverse}");
            }
        }
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("left_inverse({layout}): {ours:?} and {theirs:?}"),
    }

    let mut offsets = values(&layout);
    offsets.sort_unstable();
    let bijective = offsets.iter().zip(0..).all(|(&offset, index)| offset == index);
    match algorithms::inverse(context, &layout) {
        Ok(inverse) => {
            assert!(bijective, "{layout}");
            let back: Vec<_> = values(&layout).iter().map(|&i| inverse.at(i).unwrap()).collect();
            assert!(back.iter().zip(0..).all(|(&c, index)| c == index), "{layout}: {inverse}");
        }
        Err(error) => assert!(!bijective, "{layout}: {error}"),
    }
}

const CHECKS: &[(Check, u64)] = &[
    (mappings, 300),
    (promotion, 200),
    (recovery, 500),
    (composition, 500),
    (complement, 500),
    (inverses, 300),
];

#[test]
fn mappings_agree() {
    run(mappings, 200, 1);
}

#[test]
fn promotions_agree() {
    run(promotion, 200, 2);
}

#[test]
fn layouts_are_recovered() {
    run(recovery, 300, 3);
}

#[test]
fn compositions_agree() {
    run(composition, 500, 4);
}

#[test]
fn complements_agree() {
    run(complement, 500, 5);
}

/// Modes that interleave: the algebra refuses, relations find the complement.
#[test]
fn interleaved_modes_have_a_complement() {
    let layout = support::layout("(3,2,4):(6,16,1)");
    let ours = algorithms::complement(&context(), &layout, 23).unwrap();
    assert_eq!(ours.to_string(), "1:0");
    assert!(layout.is_injective().unwrap());
    assert!(layout.complement(&Tuple::Leaf(23)).is_err());
}

#[test]
fn inverses_agree() {
    run(inverses, 200, 6);
}

/// One of the checks, in its share of one hundred thousand cases.
fn share(at: usize) {
    let total: u64 = CHECKS.iter().map(|(_, weight)| weight).sum();
    let (check, weight) = CHECKS[at];
    run(check, 100_000 * weight / total + 1, 100 + at as u64);
}

macro_rules! shares {
    ($($name:ident: $at:literal,)*) => {$(
        #[test]
        #[ignore = "minutes: cargo test --release -p layout-relation --test all differential:: -- --ignored"]
        fn $name() {
            share($at);
        }
    )*};
}

shares! {
    one_hundred_thousand_mappings: 0,
    one_hundred_thousand_promotions: 1,
    one_hundred_thousand_recoveries: 2,
    one_hundred_thousand_compositions: 3,
    one_hundred_thousand_complements: 4,
    one_hundred_thousand_inverses: 5,
}
