//! Comparison by matrices against comparison by enumeration.

use layout_algebra::{
    AnyLayout, Layout, Term,
    linear::{Comparison, compare},
};

fn layout(text: &str) -> AnyLayout {
    Term::parse(text).and_then(|term| term.eval_layout()).expect(text)
}

fn offsets(layout: &AnyLayout) -> Vec<i64> {
    (0..layout.size()).map(|index| layout.at(index).expect("small")).collect()
}

#[test]
fn comparison_is_never_wrong_and_decides_between_linear_and_plain_layouts() {
    let plain = |text: &str| AnyLayout::Plain(text.parse::<Layout>().expect(text));
    let mut all = Vec::new();
    for shape in ["8", "(2,4)", "(4,2)", "6", "(3,2)"] {
        for stride in ["1", "2", "(1,2)", "(2,1)", "(1,1)", "(4,1)", "(1,4)", "(2,-1)", "0"] {
            if shape.contains(',') == stride.contains(',') {
                all.push(plain(&format!("{shape}:{stride}")));
            }
        }
    }
    for swizzle in ["S<1,0,1>", "S<1,1,1>", "S<2,0,-2>", "S<1,0,0>"] {
        for inner in ["8:1", "(4,2):(2,1)", "(2,4):(1,1)"] {
            all.push(layout(&format!("{swizzle} o 0 o {inner}")));
            all.push(layout(&format!("{swizzle} o 1 o {inner}")));
        }
    }
    let (mut same, mut unknown) = (0, 0);
    for a in &all {
        for b in &all {
            let (x, y) = (offsets(a), offsets(b));
            let first = (0..x.len().max(y.len())).find(|&i| x.get(i) != y.get(i));
            match compare(a, b).expect("small") {
                Comparison::Same => {
                    same += 1;
                    assert_eq!(first, None, "{a} and {b}");
                }
                Comparison::Differ { index } => {
                    let index = usize::try_from(index).expect("an index");
                    assert!(x.get(index) != y.get(index), "{a} and {b} at {index}");
                }
                Comparison::Unknown => {
                    unknown += 1;
                    // A swizzle over what carries, an offset, or extents that are no powers of two.
                    let plain = matches!((a, b), (AnyLayout::Plain(_), AnyLayout::Plain(_)));
                    assert!(!plain || first.is_none(), "{a} and {b}");
                }
            }
        }
    }
    assert!(same > 20 && unknown > 20, "{same} {unknown}");
}

#[test]
fn large_tiles_are_decided_without_enumeration() {
    let a = layout("S<3,4,3> o 0 o (1048576,1048576):(1048576,1)");
    let b = layout("S<3,4,3> o 0 o ((1024,1024),1048576):((1048576,1073741824),1)");
    let c = layout("S<3,4,4> o 0 o (1048576,1048576):(1048576,1)");
    assert_eq!(compare(&a, &b), Ok(Comparison::Same));
    assert_eq!(compare(&a, &c), Ok(Comparison::Differ { index: 1 << 27 }));
    let d = layout("1048576:1");
    assert_eq!(compare(&d, &layout("2097152:1")), Ok(Comparison::Differ { index: 1 << 20 }));
}
