//! Relations of random composed layouts, of swizzles of either shift and of layouts, and of random linear
//! layouts: what they give is what the algebra evaluates, at every coordinate.
//!
//! Some hundred cases run always; ten thousand of each with
//! `cargo test --release -p layout-relation --test all composed:: -- --ignored`.

use crate::support;

use layout_algebra::{ComposedLayout, Outer, Swizzle, linear::LinearLayout};
use layout_relation::{
    Context, Formula, LinearMappings, composed_mapping, linear_layout_mapping, swizzle_mapping,
};
use support::{Check, Draws, Random, run};

const EXTENTS: &[i64] = &[1, 2, 2, 3, 4, 4, 8];
const STRIDES: &[i64] = &[0, 1, 1, 2, 4, 5, 8, 16, 3, -1, -2];
const NATURAL: &[i64] = &[0, 1, 2, 3, 4, 8];

fn swizzle(random: &mut Random) -> Swizzle {
    let bits = u32::try_from(random.below(3)).unwrap();
    let base = u32::try_from(random.below(3)).unwrap();
    let shift = i32::try_from(u64::from(bits) + random.below(2)).unwrap();
    let shift = if random.below(2) == 0 { shift } else { -shift };
    Swizzle::new(bits, base, shift).unwrap()
}

fn composed(random: &mut Random, context: &Context) {
    let (outer, inner) = match random.below(3) {
        // An outer layout of several modes is read from 0 on.
        0 => {
            let outer = random.layout(2, EXTENTS, STRIDES);
            (Outer::Layout(outer), random.layout(3, EXTENTS, NATURAL))
        }
        _ => (Outer::Swizzle(swizzle(random)), random.layout(3, EXTENTS, STRIDES)),
    };
    let offset = i64::try_from(random.below(9)).unwrap();
    let layout = ComposedLayout { outer, offset, inner };
    let mapping = composed_mapping(context, &layout).unwrap();
    let formula = Formula::of(&mapping).unwrap();
    let mut offsets = Vec::new();
    for index in 0..layout.inner.size() {
        let expected = layout.at(index).unwrap();
        assert_eq!(formula.at(&[index]).unwrap(), Some(vec![expected]), "{layout} at {index}");
        offsets.push(expected);
    }
    assert_eq!(mapping.size().unwrap(), layout.inner.size(), "{layout}");
    // By constraints, of which the others are made, the same.
    if layout.inner.size() <= 16 {
        let greatest = offsets.iter().max().copied().unwrap();
        assert_eq!(mapping.cosize().unwrap(), greatest + 1, "{layout}");
        let last = offsets.len() - 1;
        let image = mapping.at(&[i64::try_from(last).unwrap()]).unwrap();
        assert_eq!(image, Some(vec![offsets[last]]), "{layout}");
    }
}

fn swizzles(random: &mut Random, context: &Context) {
    let swizzle = swizzle(random);
    let mapping = swizzle_mapping(context, &swizzle).unwrap();
    let size = mapping.size().unwrap();
    assert_eq!(size, 1 << layout_relation::swizzle_bits(&swizzle), "{swizzle}");
    let formula = Formula::of(&mapping).unwrap();
    for index in 0..size {
        assert_eq!(formula.at(&[index]).unwrap(), Some(vec![swizzle.apply(index)]), "{swizzle}");
    }
}

/// The layout mapping, and the five in turn that it is made of, in several dimensions on either side.
fn linear(random: &mut Random, context: &Context) {
    let outs: Vec<(&str, i64)> = ["x", "y"][..1 + usize::try_from(random.below(2)).unwrap()]
        .iter()
        .map(|&name| (name, *random.choose(&[2, 4, 8])))
        .collect();
    let below =
        |random: &mut Random, size: i64| i64::try_from(random.below(size.unsigned_abs())).unwrap();
    let names = &["a", "b", "c"][..1 + usize::try_from(random.below(3)).unwrap()];
    let bases: Vec<(&str, Vec<Vec<i64>>)> = names
        .iter()
        .map(|&name| {
            let vectors = (0..random.below(3))
                .map(|_| outs.iter().map(|&(_, size)| below(random, size)).collect())
                .collect();
            (name, vectors)
        })
        .collect();
    let layout = LinearLayout::new(&bases, &outs).unwrap();
    let whole = Formula::of(&linear_layout_mapping(context, &layout).unwrap()).unwrap();
    let parts = LinearMappings::of(context, &layout).unwrap().layout().unwrap();
    let parts = Formula::of(&parts).unwrap();
    for index in 0..layout.size() {
        let mut rest = index;
        let mut digit = |(name, size): (&str, i64)| {
            let digit = rest % size;
            rest /= size;
            (name.to_owned(), digit)
        };
        let coordinate: Vec<_> = layout.in_dims().map(&mut digit).collect();
        let expected: Vec<i64> =
            layout.apply(&coordinate).unwrap().into_iter().map(|(_, value)| value).collect();
        let at: Vec<i64> = coordinate.iter().map(|&(_, value)| value).collect();
        assert_eq!(whole.at(&at).unwrap().as_ref(), Some(&expected), "{layout} at {at:?}");
        assert_eq!(parts.at(&at).unwrap().as_ref(), Some(&expected), "{layout} at {at:?}");
    }
}

#[test]
fn composed_layouts_agree() {
    run(composed, 80, 11);
}

#[test]
fn swizzles_agree() {
    run(swizzles, 40, 12);
}

#[test]
fn linear_layouts_agree() {
    run(linear, 80, 13);
}

#[test]
#[ignore = "minutes: cargo test --release -p layout-relation --test all composed:: -- --ignored"]
fn ten_thousand_of_each_agree() {
    for (check, seed) in [(composed as Check, 111), (swizzles, 112), (linear, 113)] {
        run(check, 10_000, seed);
    }
}
