//! Swizzled layouts against evaluation: slices, folding, offsets, runs, recasting, cosizes, inverses.

use std::collections::BTreeSet;

use layout_algebra::{AnyLayout, ComposedLayout, Coord, Layout, Outer, Swizzle, Term};
use layout_random::{cases, prelude::*};

fn any(text: &str) -> AnyLayout {
    Term::parse(text).unwrap().eval_layout().unwrap()
}

fn composed(text: &str) -> ComposedLayout {
    match any(text) {
        AnyLayout::Composed(composed) => composed,
        AnyLayout::Plain(layout) => panic!("{layout} is plain"),
    }
}

fn answer(text: &str) -> String {
    Term::parse(text)
        .and_then(|term| term.eval())
        .map_or_else(|e| format!("error: {e}"), |v| v.to_string())
}

fn swizzle(bits: u32, base: u32, shift: i32) -> Swizzle {
    Swizzle::new(bits, base, shift).unwrap()
}

/// All swizzles with less than `bits`, `base` and `|shift|` up to `shift`.
fn swizzles(bits: u32, base: u32, shift: i32) -> impl Iterator<Item = Swizzle> {
    (0..bits)
        .flat_map(move |b| (0..base).map(move |m| (b, m)))
        .flat_map(move |(b, m)| (-shift..=shift).map(move |s| swizzle(b, m, s)))
}

fn values(layout: &AnyLayout) -> Vec<i64> {
    (0..layout.size()).map(|i| layout.at(i).unwrap()).collect()
}

/// Whether the function is a layout with the leaves of the shape, by brute force: each leaf alone,
/// then the sum.
fn is_foldable(layout: &ComposedLayout) -> bool {
    let start = layout.at(0).unwrap();
    let flat = layout.inner.flat();
    let mut columns = Vec::new();
    let mut below = 1;
    for (extent, _) in &flat {
        let column: Vec<i64> =
            (0..*extent).map(|i| layout.at(i * below).unwrap() - start).collect();
        if Layout::of_offsets(&column).unwrap().is_err() {
            return false;
        }
        columns.push(column);
        below *= extent;
    }
    (0..layout.inner.size()).all(|index| {
        let mut rest = index;
        let mut sum = start;
        for column in &columns {
            let extent = i64::try_from(column.len()).unwrap();
            sum += column[usize::try_from(rest % extent).unwrap()];
            rest /= extent;
        }
        layout.at(index).unwrap() == sum
    })
}

fn check_slice(layout: &ComposedLayout, coord: &Coord, fixed: &[(usize, i64)]) {
    let (sliced, offset) = layout.slice_and_offset(coord).unwrap();
    let modes = layout.inner.modes();
    let kept: Vec<usize> = (0..modes.len()).filter(|i| fixed.iter().all(|f| f.0 != *i)).collect();
    for index in 0..sliced.size() {
        let mut rest = index;
        let mut at = vec![0; modes.len()];
        for &mode in &kept {
            at[mode] = rest % modes[mode].size();
            rest /= modes[mode].size();
        }
        for &(mode, value) in fixed {
            at[mode] = value;
        }
        let middle: i64 = modes.iter().zip(&at).map(|(mode, &i)| mode.at(i).unwrap()).sum();
        let expected = layout.outer.at_under(&(), &(layout.offset + middle)).unwrap();
        assert_eq!(sliced.at(index).unwrap() + offset, expected, "{layout} at {coord}: {sliced}");
    }
    if let AnyLayout::Composed(sliced) = &sliced
        && layout.swizzle().is_some()
        && !fixed.is_empty()
    {
        assert!(!is_foldable(sliced), "{layout} at {coord}: {sliced} is a plain layout");
    }
}

/// Every slice of every small tile: the right function, and plain exactly where a plain layout is.
#[test]
fn slices_of_small_tiles() {
    let leaves = [
        "1:1", "1:6", "2:1", "2:2", "2:4", "2:8", "4:1", "4:2", "4:4", "3:1", "3:4", "2:3", "4:-1",
        "2:0",
    ];
    for swizzle in swizzles(3, 2, 2) {
        for a in leaves {
            for b in leaves {
                for offset in [0, 1, 4, 6, 16] {
                    let (a, b) = (a.parse().unwrap(), b.parse().unwrap());
                    let inner = Layout::make_layout(&[a, b]).unwrap();
                    let layout = ComposedLayout { outer: Outer::Swizzle(swizzle), offset, inner };
                    for i in 0..layout.inner.modes()[0].size() {
                        let coord = Coord::Tuple(vec![Coord::At(i), Coord::Any]);
                        check_slice(&layout, &coord, &[(0, i)]);
                    }
                    check_slice(&layout, &"(_,_)".parse().unwrap(), &[]);
                    check_slice(&layout, &"(0,0)".parse().unwrap(), &[(0, 0), (1, 0)]);
                    let fold = layout.fold().unwrap();
                    assert_eq!(fold.is_some(), is_foldable(&layout), "{layout}");
                    if let Some((plain, start)) = fold {
                        for i in 0..plain.size() {
                            assert_eq!(plain.at(i).unwrap() + start, layout.at(i).unwrap());
                        }
                    }
                }
            }
        }
    }
}

/// The text that CuTe C++ prints.
#[test]
fn slices_as_cute_prints_them() {
    let tile = "S<3,0,3> o 0 o (8,8):(8,1)";
    let nested = "S<2,1,3> o 0 o ((2,2,2),(2,2,2)):((32,2,8),(4,1,16))";
    for (coord, layout, expected) in [
        ("(0,_)", tile, "(8):(1)"),
        ("(1,_)", tile, "((2,4)):((-1,2))"),
        ("(2,_)", tile, "((2,2,2)):((1,-2,4))"),
        ("(3,_)", tile, "((4,2)):((-1,4))"),
        ("(_,0)", tile, "(8):(9)"),
        ("(_,1)", tile, "((2,4)):((7,18))"),
        ("(_,2)", tile, "((2,2,2)):((9,14,36))"),
        ("(1,_)", "S<3,0,-3> o 0 o (8,8):(8,1)", "((2,4)):((-7,18))"),
        ("(3,_)", nested, "((2,2,2)):((-4,1,14))"),
        ("(_,3)", nested, "((2,2,2)):((28,2,8))"),
        ("(_,1)", "S<3,0,3> o 128 o (2,2):(2,1)", "(2):(2)"),
        (
            "(1,_,5)",
            "S<2,0,-3> o 0 o (8,(1,4,8),8):(320,(160,8,10240),1)",
            "((1,(2,2),8)):((160,(-8,16),10240))",
        ),
        ("(_,6,_)", "S<2,3,3> o 128 o (2,8,(2,4,1)):(64,8,(4,1,1))", "(2,(2,4,1)):(72,(4,1,256))"),
        ("_", "S<1,3,3> o 0 o (8,64,4):(256,4,1)", "S<1,3,3> o 0 o (8,64,4):(256,4,1)"),
        // Both bits of a pair are left: no layout. The swizzle sees 8, and 2 passes.
        ("(_,1,1)", "S<1,0,2> o 0 o (8,2,2):(1,8,64)", "S<1,0,2> o 0 o (8):(1)"),
        ("(_,1)", "S<1,0,3> o 0 o ((2,2),2):((1,8),2)", "S<1,0,3> o 0 o ((2,2)):((1,8))"),
        ("(_,1)", "S<2,0,3> o 0 o ((2,2),2):((1,8),16)", "S<2,0,3> o 16 o ((2,2)):((1,8))"),
        // Whole periods and free bits pass, whatever the offset shares with the rest.
        (
            "(_,(6,_))",
            "S<2,3,3> o 4 o ((8,4),(8,8)):((2,16),(512,64))",
            "S<2,3,3> o 4 o ((8,4),8):((2,16),64)",
        ),
        (
            "(_,12)",
            "S<1,2,-1> o 16 o ((1,8),(8,2)):((4,4),(32,2))",
            "S<1,2,-1> o 16 o ((1,8)):((4,4))",
        ),
        // The offset carries into a bit that is read, where CuTe, which xors, has stride -12.
        ("((5,_,1),_)", "S<1,2,-2> o 3 o ((8,2,2),(2,2)):((16,8,1),(4,2))", "(2,(2,2)):(8,(20,2))"),
        // A layout outside stays.
        ("(1,_)", "(4,2):(1,16) o 2 o (2,4):(4,1)", "(4,2):(1,16) o 6 o (4):(1)"),
        ("(_,_)", "S<0,3,3> o 0 o (8,4):(4,1)", "(8,4):(4,1)"),
    ] {
        assert_eq!(answer(&format!("slice({coord}, {layout})")), expected, "{coord} {layout}");
    }
    assert_eq!(
        answer("slice((_,_), S<3,0,3> o 0 o 64:1)"),
        "error: expected a coordinate that fits the shape 64, found (_,_)"
    );
}

/// Folding does not depend on the size.
#[test]
fn large_slices_fold() {
    let layout = composed("S<3,4,3> o 0 o (1048576,1048576):(1,1048576)");
    let (sliced, offset) = layout.slice_and_offset(&"(5,_)".parse().unwrap()).unwrap();
    assert_eq!((sliced.to_string(), offset), ("(1048576):(1048576)".to_owned(), 5));
    let layout = composed("S<3,4,3> o 0 o (1048577,1048576):(1048576,1)");
    assert_eq!(
        layout.slice(&"(_,129)".parse().unwrap()).unwrap().to_string(),
        "(1048577):(1048576)"
    );
    assert!(matches!(layout.slice(&"(7,_)".parse().unwrap()), Ok(AnyLayout::Composed(_))));
}

/// The bytes: narrow element `n*w + j` of the memory is part `j` of wide element `w`.
fn check_upcast(layout: &ComposedLayout, n: i64) {
    let Ok(wide) = layout.upcast(n) else { return };
    // Without a swizzle CuTe mirrors negative offsets.
    if layout.swizzle().unwrap().is_identity() && layout.inner.flat().iter().any(|leaf| leaf.1 < 0)
    {
        return;
    }
    let narrow = values(&layout.clone().into());
    let mut touched: Vec<i64> = narrow.iter().map(|at| at.div_euclid(n)).collect();
    touched.sort_unstable();
    touched.dedup();
    let mut found = values(&wide);
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, touched, "{layout} by {n}: {wide}");
    // In the middle as well: the wide middle offset holds the narrow ones.
    let (bits, base) = match &wide {
        AnyLayout::Composed(wide) => {
            let swizzle = wide.swizzle().unwrap();
            (swizzle.bits, swizzle.base)
        }
        AnyLayout::Plain(_) => (0, 0),
    };
    for index in 0..layout.inner.size() {
        let middle = layout.offset + layout.inner.at(index).unwrap();
        let (group, part) = (middle.div_euclid(n), middle.rem_euclid(n));
        let outer = swizzle(bits, base, layout.swizzle().unwrap().shift);
        let at = layout.at(index).unwrap();
        assert_eq!(
            (at.div_euclid(n), at.rem_euclid(n)),
            (outer.apply(group), part),
            "{layout} by {n}"
        );
    }
}

/// A layout outside moves the parts of each wide element as its wide form moves the element.
#[test]
fn recasts_of_composed_layouts() {
    let layouts = |texts: &[&str]| -> Vec<Layout> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    };
    let outers = layouts(&[
        "8:1",
        "6:1",
        "(4,4):(1,8)",
        "(4,4):(4,1)",
        "(1,4,3):(5,1,4)",
        "((2,2),4):((1,2),12)",
        "8:3",
        "(2,4,2):(1,6,2)",
        "(4,2):(1,4)",
        "(3,4):(1,4)",
        "(4,4):(1,1)",
        "(4,1):(1,3)",
        "(1,1):(0,2)",
        "(4,3):(1,-4)",
    ]);
    let inners =
        layouts(&["4:1", "8:1", "(2,4):(4,1)", "(4,2):(1,8)", "(2,2):(1,4)", "4:-1", "3:4"]);
    let (mut kept, mut folded, mut refused) = (0, 0, 0);
    for (outer, inner, offset, n) in outers.iter().flat_map(|outer| {
        let inners = inners.iter().flat_map(|inner| [0, 4, 5, 8].map(|offset| (inner, offset)));
        inners.flat_map(move |(inner, offset)| [1, 2, 4].map(|n| (outer, inner, offset, n)))
    }) {
        let layout =
            ComposedLayout { outer: Outer::Layout(outer.clone()), offset, inner: inner.clone() };
        let name = format!("{layout} by {n}");
        let wide = layout.upcast(n);
        match &wide {
            Ok(AnyLayout::Composed(ComposedLayout { outer: Outer::Layout(wide), .. })) => {
                kept += 1;
                for at in 0..64 {
                    let narrow = outer.at(at).unwrap();
                    assert_eq!(wide.at(at / n).unwrap(), narrow.div_euclid(n), "{name}");
                    assert_eq!(narrow.rem_euclid(n), at % n, "{name}");
                }
            }
            Ok(_) => folded += 1,
            Err(_) => refused += 1,
        }
        if let Ok(wide) = wide {
            let touched: BTreeSet<_> =
                values(&layout.clone().into()).iter().map(|at| at.div_euclid(n)).collect();
            assert_eq!(values(&wide).into_iter().collect::<BTreeSet<_>>(), touched, "{name}");
        }
        let Ok(AnyLayout::Composed(narrow)) = layout.downcast(n) else { continue };
        let Outer::Layout(finer) = &narrow.outer else { unreachable!("{name}") };
        for (at, part) in (0..64).flat_map(|at| (0..n).map(move |part| (at, part))) {
            let expected = outer.at(at).unwrap() * n + part;
            assert_eq!(finer.at(at * n + part).unwrap(), expected, "{name}");
        }
        let parts: BTreeSet<_> = values(&layout.into())
            .into_iter()
            .flat_map(|at| (0..n).map(move |part| at * n + part))
            .collect();
        assert_eq!(values(&narrow.into()).into_iter().collect::<BTreeSet<_>>(), parts, "{name}");
    }
    assert!(kept > 200 && folded > 20 && refused > 200, "{kept} {folded} {refused}");
}

/// Recasting is refused exactly where some element would not stay whole.
#[test]
fn recasts_of_small_tiles() {
    let leaves: Vec<Layout> =
        ["1:1", "2:1", "4:1", "8:1", "2:2", "2:4", "4:8", "3:8", "2:16", "4:4", "3:4"]
            .map(|text| text.parse().unwrap())
            .to_vec();
    let (mut done, mut refused) = (0, 0);
    for swizzle in swizzles(3, 3, 3) {
        for a in &leaves {
            for b in &leaves {
                for offset in [0, 2, 4, 16] {
                    for n in [1, 2, 4, 8] {
                        let inner = Layout::make_layout(&[a.clone(), b.clone()]).unwrap();
                        let plain = inner.upcast(n);
                        let outer = Outer::Swizzle(swizzle);
                        let layout = ComposedLayout { outer, offset, inner };
                        check_upcast(&layout, n);
                        let stays = (0..layout.inner.size()).all(|i| {
                            let middle = layout.inner.at(i).unwrap() + offset;
                            let at = layout.at(i).unwrap();
                            at.rem_euclid(n) == middle.rem_euclid(n)
                                && swizzle.apply(middle - middle.rem_euclid(n))
                                    == at - at.rem_euclid(n)
                        });
                        if plain.is_ok() && offset % n == 0 {
                            assert_eq!(layout.upcast(n).is_ok(), stays, "{layout} by {n}");
                        }
                        match layout.upcast(n) {
                            Ok(_) => done += 1,
                            Err(_) => refused += 1,
                        }
                        if let Ok(narrow) = layout.downcast(n) {
                            let again = match &narrow {
                                AnyLayout::Plain(plain) => plain.clone(),
                                AnyLayout::Composed(c) => c.inner.clone(),
                            };
                            // Each narrow element lies in the wide one that it is a part of.
                            for i in 0..again.size() {
                                let middle = again.at(i).unwrap() + offset * n;
                                let expected =
                                    swizzle.apply(middle.div_euclid(n)) * n + middle.rem_euclid(n);
                                assert_eq!(narrow.at(i).unwrap(), expected, "{layout} by 1/{n}");
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(done > 10_000 && refused > 10_000, "{done} {refused}");
}

#[test]
fn recasts_by_name() {
    for (call, expected) in [
        // As CuTe C++ answers; arguments are new bits, old bits.
        (
            "recast_layout(S<2,4,4> o 0 o (1,16,(4,1,4)):(256,1,(16,64,64)), 32, 16)",
            "S<2,3,4> o 0 o (1,8,(4,1,4)):(128,1,(8,32,32))",
        ),
        ("recast_layout(S<2,3,2> o 0 o (8,2):(1,8), 64, 4)", "S<1,0,2> o 0 o (1,1):(1,1)"),
        (
            "recast_layout(S<3,3,3> o 2 o ((4,4,64)):((1,4,16)), 16, 16)",
            "S<3,3,3> o 2 o ((4,4,64)):((1,4,16))",
        ),
        (
            "recast_layout(S<1,3,-4> o 0 o (2):(1024), 8, 32)",
            "error: downcast((2):(1024), 4): expected a mode of stride 1, found (1024)",
        ),
        ("upcast(S<3,3,3> o 64 o (8,64):(64,1), 8)", "S<3,0,3> o 8 o (8,8):(8,1)"),
        ("downcast(S<3,3,3> o 64 o (8,64):(64,1), 2)", "S<3,4,3> o 128 o (8,128):(128,1)"),
        ("recast(S<3,3,3> o 0 o (8,64):(64,1), 16, 32)", "S<3,2,3> o 0 o (8,32):(32,1)"),
        // Every pair of bits is within a wide element, and none is read.
        ("upcast(S<1,0,3> o 0 o 8:1, 8)", "1:1"),
        (
            "upcast(S<3,3,3> o 64 o (8,64):(64,1), 16)",
            "error: upcast(S<3,3,3> o 64 o (8,64):(64,1), 16): expected a swizzle that moves whole wide elements, found offsets with one of the bits 0x40",
        ),
        (
            "upcast(S<1,3,3> o 0 o (8,64):(64,-1), 2)",
            "error: upcast(S<1,3,3> o 0 o (8,64):(64,-1), 2): expected nonnegative strides within a wide element of a swizzled layout, found -1",
        ),
        (
            "downcast(S<1,3,3> o 0 o (8,(64,2)):(64,(-1,1)), 2)",
            "error: downcast(S<1,3,3> o 0 o (8,(64,2)):(64,(-1,1)), 2): expected nonnegative strides within a wide element of a swizzled layout, found -1",
        ),
        ("upcast(S<1,3,3> o 0 o (8,64):(-64,1), 2)", "S<1,2,3> o 0 o (8,32):(-32,1)"),
        (
            "upcast(S<3,3,3> o 3 o (8,64):(64,1), 2)",
            "error: upcast(S<3,3,3> o 3 o (8,64):(64,1), 2): expected an offset that is a multiple of a wide element, found 3",
        ),
        (
            "upcast(S<3,3,3> o 0 o (8,96):(96,1), 3)",
            "error: upcast(S<3,3,3> o 0 o (8,96):(96,1), 3): expected a factor that is a power of two, for a swizzled layout, found 3",
        ),
        (
            "downcast(S<3,3,3> o 0 o (8,64):(64,1), 0)",
            "error: downcast(S<3,3,3> o 0 o (8,64):(64,1), 0): expected a factor of at least 1, \
             found 0",
        ),
        (
            "recast(S<3,3,3> o 0 o (8,64):(64,1), 0, 8)",
            "error: recast(S<3,3,3> o 0 o (8,64):(64,1)): expected a factor of at least 1, found 0",
        ),
        // Under a layout that keeps wide elements together.
        ("upcast((8,4):(1,16) o 8 o (4,2):(2,1), 2)", "(4,4):(1,8) o 4 o (4,1):(1,1)"),
        ("upcast((2,(4,3)):(1,(2,16)) o 8 o 4:1, 4)", "(2,3):(1,4) o 2 o 1:1"),
        ("downcast((8,4):(1,16) o 8 o (4,2):(2,1), 2)", "(16,4):(1,32) o 16 o (4,4):(4,1)"),
        ("recast((8,4):(1,16) o 8 o (4,2):(2,1), 16, 8)", "(16,4):(1,32) o 16 o (4,4):(4,1)"),
        // The first mode goes through the parts of an element, wherever the next element is.
        ("downcast((4,4):(4,1) o 1 o 8:1, 2)", "((2,4),4):((1,8),2) o 2 o 16:1"),
        // Both are `(4,2):(4,1)`.
        ("upcast((4,4):(4,1) o 0 o 8:1, 2)", "(4,1):(2,1)"),
        (
            "upcast((4,4):(4,1) o 2 o 8:1, 2)",
            "error: upcast((4,4):(4,1) o 2 o 8:1, 2): expected a swizzle as the outer layout, or an outer layout that keeps wide elements contiguous, found the layout (4,4):(4,1)",
        ),
        (
            "upcast((8,4):(1,16) o 1 o 8:1, 2)",
            "error: upcast((8,4):(1,16) o 1 o 8:1, 2): expected an offset that is a multiple of a wide element, found 1",
        ),
        (
            "downcast((8,4):(1,16) o -1 o 8:1, 2)",
            "error: downcast((8,4):(1,16) o -1 o 8:1, 2): expected a nonnegative offset and nonnegative strides of the inner layout, found -1",
        ),
        (
            "downcast((8,4):(1,16) o 0 o 8:1, 0)",
            "error: downcast((8,4):(1,16) o 0 o 8:1, 0): expected a factor of at least 1, found 0",
        ),
        ("recast(S<0,3,3> o 0 o (8,96):(96,1), 8, 24)", "(8,32):(32,1)"),
    ] {
        assert_eq!(answer(call), expected, "{call}");
    }
}

/// The greatest offset, whatever way it is found: by bits, by residues or by evaluation.
#[test]
fn cosizes_of_small_layouts() {
    let leaves: Vec<Layout> = [
        "1:1", "2:1", "4:1", "3:1", "2:2", "5:2", "2:4", "3:4", "2:8", "2:3", "2:-1", "4:0", "9:7",
        "11:-3", "40:1", "7:32",
    ]
    .map(|text| text.parse().unwrap())
    .to_vec();
    for swizzle in swizzles(4, 3, 3) {
        for a in &leaves {
            for b in &leaves {
                for offset in [0, 1, 4, 24, -5] {
                    let inner = Layout::make_layout(&[a.clone(), b.clone()]).unwrap();
                    let layout = ComposedLayout { outer: Outer::Swizzle(swizzle), offset, inner };
                    let cosize = layout.cosize().unwrap();
                    let greatest = values(&layout.clone().into()).into_iter().max().unwrap();
                    assert_eq!(cosize, greatest.max(0) + 1, "{layout}");
                }
            }
        }
    }
}

#[test]
fn cosizes_by_name() {
    for (text, cosize) in [
        ("S<2,0,4> o 0 o (4,8):(8,1)", "32"),
        ("S<3,4,3> o 0 o (1048576,1048576):(1,1048576)", "1099511627776"),
        ("S<3,4,3> o 5 o (1048576,1048576):(1,1048576)", "1099511627781"),
        ("S<3,0,3> o 0 o (1000003,1000003):(7,1000003)", "1000012000023"),
        ("S<1,0,40> o 0 o (2,1048576):(1099511627776,1)", "1099512676352"),
        ("S<5,0,-6> o 5 o (1000003,1000003):(7,1000003)", "1000012001183"),
        ("(8,8):(1,16) o 0 o (1048576,8):(8,1)", "16777208"),
        (
            "S<1,0,40> o 0 o (3,1048577):(1099511627776,1)",
            "error: coordinates to evaluate: expected at most 1048576, found 3145731",
        ),
        (
            "(8,8):(1,16) o 3 o (1048576,8):(8,1)",
            "error: coordinates to evaluate: expected at most 1048576, found 8388608",
        ),
        (
            "S<3,0,3> o 9223372036854775807 o 2:1",
            "error: cosize: expected results within 64 bits, found an overflow for \
             9223372036854775807 + 2:1",
        ),
        (
            "S<0,0,0> o 9223372036854775807 o 1:1",
            "error: cosize: expected results within 64 bits, found an overflow for S<0,0,0> o \
             9223372036854775807 o 1:1",
        ),
    ] {
        assert_eq!(answer(&format!("cosize({text})")), cosize, "{text}");
    }
}

fn check_inverses(layout: &ComposedLayout) -> (bool, bool) {
    let right = layout.right_inverse();
    if let Ok(right) = &right {
        for i in 0..right.size() {
            let at = right.at(i).unwrap();
            assert!((0..layout.inner.size()).contains(&at), "{layout} o {right} at {i}: {at}");
            assert_eq!(layout.at(at), Ok(i), "{layout} o {right} at {i}");
        }
    }
    let left = layout.left_inverse();
    if let Ok(left) = &left {
        for i in 0..layout.inner.size() {
            let at = layout.at(i).unwrap();
            let back = left.at(at).unwrap();
            assert_eq!(layout.at(back), Ok(at), "{left} o {layout} at {i}");
            if layout.inner.flat().iter().all(|&(extent, stride)| stride != 0 || extent == 1) {
                assert_eq!(back, i, "{left} o {layout}");
            }
        }
    }
    (right.is_ok(), left.is_ok())
}

#[test]
fn inverses_of_small_layouts() {
    let leaves: Vec<Layout> = [
        "1:1", "2:1", "4:1", "3:1", "2:2", "4:2", "2:4", "4:4", "3:4", "2:8", "8:8", "4:16", "8:1",
    ]
    .map(|text| text.parse().unwrap())
    .to_vec();
    let (mut rights, mut lefts) = (0, 0);
    for swizzle in swizzles(3, 3, 4) {
        for a in &leaves {
            for b in &leaves {
                for offset in [0, 4] {
                    let inner = Layout::make_layout(&[a.clone(), b.clone()]).unwrap();
                    let layout = ComposedLayout { outer: Outer::Swizzle(swizzle), offset, inner };
                    let (right, left) = check_inverses(&layout);
                    rights += i32::from(right);
                    lefts += i32::from(left);
                }
            }
        }
    }
    assert!(rights > 3000 && lefts > 1000, "{rights} {lefts}");
}

#[test]
fn inverses_by_name() {
    for (call, expected) in [
        // As CuTe C++ answers.
        ("right_inverse(S<1,0,2> o 0 o (4,4):(1,4))", "S<1,0,2> o 0 o 16:1"),
        ("right_inverse(S<1,0,2> o 0 o (4,4):(4,1))", "S<1,0,-2> o 0 o (4,4):(4,1)"),
        ("right_inverse(S<1,0,1> o 0 o (4,4):(8,1))", "S<1,2,1> o 0 o 4:4"),
        ("left_inverse(S<1,0,2> o 0 o (4,4):(1,4))", "S<1,0,2> o 0 o 16:1"),
        ("left_inverse(S<1,0,2> o 0 o (4,4):(4,1))", "S<1,0,-2> o 0 o (4,4):(4,1)"),
        ("left_inverse(S<1,0,1> o 0 o (4,4):(8,1))", "S<1,2,1> o 0 o (8,4):(4,1)"),
        // 2^40 coordinates.
        (
            "right_inverse(S<3,4,3> o 0 o (1048576,1048576):(1,1048576))",
            "S<3,4,3> o 0 o 1099511627776:1",
        ),
        (
            "left_inverse(S<3,4,3> o 0 o (1048576,1048576):(1048576,1))",
            "S<3,24,3> o 0 o (1048576,1048576):(1048576,1)",
        ),
        ("right_inverse(S<0,4,3> o 0 o (8,4):(4,1))", "(4,8):(8,1)"),
        // The offsets that the swizzle keeps among themselves.
        ("right_inverse(S<1,1,-2> o 0 o (8,3):(1,8))", "S<1,1,-2> o 0 o 18:1"),
        // Offset 8 is at index 9, which there is none of; 4 at 36.
        ("right_inverse(S<2,0,3> o 0 o (3,3):(1,3))", "S<2,0,3> o 0 o 8:1"),
        ("right_inverse(S<2,1,-3> o 0 o (3,8):(1,3))", "S<2,1,-3> o 0 o 4:1"),
        // Plain layouts that are longer than the inverses of their parts.
        ("right_inverse(12:1 o 0 o (8,8):(1,8))", "64:1"),
        ("right_inverse(S<1,1,-1> o 0 o (2,2):(1,6))", "4:1"),
        ("right_inverse(S<1,1,-2> o 0 o 8:1)", "S<1,1,-2> o 0 o 2:1"),
        ("right_inverse((4,4):(4,1) o 0 o 16:1)", "16:1 o 0 o (4,4):(4,1)"),
        ("left_inverse((4,4):(4,1) o 0 o (4,4):(4,1))", "(4,4):(4,1) o 0 o (4,4):(4,1)"),
        (
            "right_inverse(S<2,0,1> o 0 o 16:1)",
            "error: right_inverse(S<2,0,1> o 0 o 16:1): expected a swizzle that undoes itself, \
             found |shift| 1 for 2 bits",
        ),
        (
            "left_inverse(S<2,0,0> o 0 o 16:1)",
            "error: left_inverse(S<2,0,0>): expected a swizzle that is one-to-one, found shift 0, \
             which adds each bit to itself and so clears it",
        ),
        (
            "right_inverse(S<2,0,2> o 4 o 16:1)",
            "error: right_inverse(S<2,0,2> o 4 o 16:1): expected an offset of 0 under the \
             swizzle, found 4",
        ),
        (
            "right_inverse(S<2,0,2> o 0 o (2,2,2,2):(2,1,4,8))",
            "error: right_inverse(S<2,0,2> o 0 o (2,2,2,2):(2,1,4,8)): expected an inverse of the \
             inner layout that keeps the swizzle's bits in a row, found (2,2,4):(2,1,4)",
        ),
        (
            "right_inverse((2,2):(1,4) o 1 o (2,2):(1,2))",
            "error: right_inverse((2,2):(1,4) o 1 o (2,2):(1,2)): expected inverses that compose, \
             so that each index comes back, found none for index 0",
        ),
    ] {
        assert_eq!(answer(call), expected, "{call}");
    }
}

fn leaf() -> impl Strategy<Value = String> {
    let powers = (0..4_u32, 0..9_u32).prop_map(|(n, s)| (1 << n, 1 << s));
    let others = (1..7_i64, -20..40_i64);
    prop_oneof![4 => powers, 1 => others].prop_map(|(n, s)| format!("{n}:{s}"))
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn larger_layouts(
        (b, m, s) in (0..5_u32, 0..5_u32, -6..7_i32),
        offset in prop_oneof![3 => Just(0), 1 => 0..64_i64, 1 => (0..8_u32).prop_map(|k| 1 << k)],
        leaves in prop::collection::vec(leaf(), 2..5),
        fixed in 0..100_i64,
        mode in 0..5_usize,
        n in prop::sample::select(vec![2_i64, 4, 8]),
    ) {
        let modes: Vec<Layout> = leaves.iter().map(|leaf| leaf.parse().unwrap()).collect();
        let inner = Layout::make_layout(&modes).unwrap();
        let outer = Outer::Swizzle(swizzle(b, m, s));
        let layout = ComposedLayout { outer, offset, inner };
        let any = AnyLayout::Composed(layout.clone());

        let mode = mode % modes.len();
        let fixed = fixed % modes[mode].size();
        let mut coord = vec![Coord::Any; modes.len()];
        coord[mode] = Coord::At(fixed);
        check_slice(&layout, &Coord::Tuple(coord), &[(mode, fixed)]);

        prop_assert_eq!(layout.fold().unwrap().is_some(), is_foldable(&layout));
        let greatest = values(&any).into_iter().max().unwrap();
        prop_assert_eq!(layout.cosize().unwrap(), greatest.max(0) + 1);
        check_upcast(&layout, n);
        check_inverses(&layout);
    }
}
