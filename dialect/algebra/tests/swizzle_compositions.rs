//! Compositions with a swizzle or a composed layout on the right, against both applied in turn.

use layout_algebra::{AnyLayout, Result, Swizzle, Term};

fn eval(text: &str) -> String {
    match Term::parse(text).and_then(|term| term.eval()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

fn any(text: &str) -> AnyLayout {
    Term::parse(text).and_then(|term| term.eval_layout()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Swizzles that change something within some bits.
fn swizzles(width: u32) -> Vec<Swizzle> {
    let mut all = Vec::new();
    for bits in 1..=width {
        for base in 0..width {
            for shift in -3..=3_i32 {
                if bits + base + shift.unsigned_abs() <= width {
                    all.push(Swizzle::new(bits, base, shift).expect("small"));
                }
            }
        }
    }
    all
}

const LAYOUTS: [&str; 12] = [
    "64:1",
    "64:2",
    "(8,8):(8,1)",
    "(8,8):(1,8)",
    "(8,8):(16,1)",
    "(4,2,8):(2,1,16)",
    "((2,4),8):((1,16),2)",
    "(8,8):(1,0)",
    "(2,8):(0,3)",
    "(4,4):(4,1)",
    "(6,4):(4,1)",
    "(4,4):(1,2)",
];

#[test]
fn a_swizzle_of_indices_is_found_outside() {
    let (mut found, mut refused) = (0, 0);
    for text in LAYOUTS {
        let layout = any(text);
        for swizzle in swizzles(6) {
            let inside = (0..layout.size()).all(|index| swizzle.apply(index) < layout.size());
            match layout.composition_swizzle(&swizzle) {
                Ok(both) => {
                    found += 1;
                    let (shape, expected) = (both.inner().shape(), layout.inner().shape());
                    assert!(expected.compatible(shape), "{text}, {swizzle}: {shape}");
                    for index in 0..layout.size() {
                        let expected = layout.at(swizzle.apply(index)).expect("small");
                        assert_eq!(both.at(index), Ok(expected), "{text}, {swizzle} at {index}");
                    }
                }
                Err(error) => {
                    refused += 1;
                    let linear = Term::parse(&format!("to_linear({text})")).unwrap().eval().is_ok();
                    let message = error.to_string();
                    assert!(!linear || !inside || message.contains("a swizzle parts"), "{message}");
                }
            }
        }
    }
    assert!(found > 400 && refused > 100, "{found} found, {refused} refused");
}

#[test]
fn any_layout_is_composed_with_any() -> Result<()> {
    let mut sides: Vec<AnyLayout> = LAYOUTS.iter().map(|text| any(text)).collect();
    for swizzle in ["S<1,0,1>", "S<2,0,2>", "S<2,1,3>", "S<1,1,-2>"] {
        for offset in [0, 3, 8] {
            for inner in ["(4,4):(4,1)", "16:1", "(2,8):(16,2)"] {
                sides.push(any(&format!("{swizzle} o {offset} o {inner}")));
            }
        }
    }
    for outer in ["(8,8):(8,1)", "64:3"] {
        for offset in [0, 5] {
            sides.push(any(&format!("{outer} o {offset} o (4,2):(2,1)")));
        }
    }
    let mut found = 0;
    for a in &sides {
        for b in &sides {
            let Ok(both) = a.composition(b) else { continue };
            found += 1;
            assert_eq!(both.size(), b.size(), "{a}, {b}");
            for index in 0..b.size() {
                assert_eq!(both.at(index)?, a.at(b.at(index)?)?, "{a}, {b} at {index}: {both}");
            }
        }
        for swizzle in swizzles(4) {
            let Ok(both) = swizzle.composition(a) else { continue };
            for index in 0..a.size() {
                assert_eq!(
                    both.at(index)?,
                    swizzle.apply(a.at(index)?),
                    "{swizzle}, {a} at {index}"
                );
            }
        }
    }
    assert!(found > 500, "{found} of {}", sides.len() * sides.len());
    Ok(())
}

#[test]
fn two_swizzles_compose_and_commute_as_functions() {
    let all = swizzles(5);
    for s in &all {
        for t in &all {
            let (st, ts) = (|x| s.apply(t.apply(x)), |x| t.apply(s.apply(x)));
            assert_eq!(
                eval(&format!("commutes({s}, {t})")),
                (0..1024).all(|x| st(x) == ts(x)).to_string()
            );
            let one = all.iter().find(|u| (0..1024).all(|x| u.apply(x) == st(x)));
            let identity = (0..1024).all(|x| st(x) == x);
            match s.compose(t) {
                Some(found) => assert!((0..1024).all(|x| found.apply(x) == st(x)), "{s} o {t}"),
                None => assert!(one.is_none() && !identity, "{s} o {t} is {one:?}"),
            }
        }
    }
}

#[test]
fn swizzles_alone_are_operands() -> Result<()> {
    for (term, expected) in [
        ("composition(S<1,3,3>, S<2,4,3>)", "S<3,3,3>"),
        ("composition(S<2,4,3>, S<2,4,3>)", "S<0,0,0>"),
        ("composition(S<2,4,3>, S<2,4,3> o 8 o (8,8):(8,1))", "S<0,0,0> o 8 o (8,8):(8,1)"),
        (
            "composition(S<1,0,1>, S<1,1,1> o 0 o (2,8):(32,4))",
            "S<1,0,1> o 0 o (2,(2,4)):(32,(6,8))",
        ),
        ("composition((8,8):(8,1), S<3,0,3>)", "S<3,0,-3> o 0 o (8,8):(8,1)"),
        ("composition(64:2, S<2,0,2> o 5 o (4,2):(4,1))", "S<2,1,2> o 10 o (4,2):(8,2)"),
        ("composition((4,8):(8,1) o 0 o 32:1, S<0,0,0>)", "(4,8):(8,1) o 0 o 32:1"),
        ("composition((6,4):(4,1), S<2,5,3>)", "(6,4):(4,1)"),
        ("crd2idx(9, S<3,0,3>)", "8"),
        (
            "right_inverse(S<2,0,1>)",
            "error: inverse(S<2,0,1>): expected |shift| of at least the number of bits, so that a \
             swizzle undoes it, found |shift| 1 for 2 bits",
        ),
        ("left_inverse(S<3,3,3>)", "S<3,3,3>"),
        ("upcast(S<3,3,3>, 8)", "S<3,0,3>"),
        ("downcast(S<3,3,3>, 2)", "S<3,4,3>"),
        ("recast(S<3,3,3>, 16, 8)", "S<3,4,3>"),
        ("recast_layout(S<3,3,3>, 32, 16)", "S<3,2,3>"),
        ("is_bijective(S<2,0,0>)", "false"),
        ("commutes(S<1,0,1>, S<1,1,1>)", "false"),
        (
            "composition(S<1,0,1>, S<1,1,1>)",
            "error: composition(S<1,0,1>, S<1,1,1>): expected two swizzles that are one, found a \
             product of their matrices that is no swizzle",
        ),
        (
            "composition(S<1,0,1>, S<1,1,1> o 0 o 8:1)",
            "error: composition(S<1,0,1>, S<1,1,1> o 0 o 8:1): expected two swizzles that are one, \
             found S<1,0,1> and S<1,1,1>",
        ),
        (
            "composition((6,4):(4,1), S<2,0,2>)",
            "error: to_linear((6,4):(4,1)): expected extents that are powers of two, found 6",
        ),
        (
            "composition(16:1, S<2,0,2> o 0 o (4,8):(4,1))",
            "error: composition(S<2,0,2> o 0 o 16:1, S<2,0,2> o 0 o (4,8):(4,1)): expected indices \
             from 0 to below the size of the operand before `o`, found 0 to 19, of 16",
        ),
        (
            "composition((4,4):(4,1), S<2,0,2> o 1 o 4:1)",
            "error: composition(S<2,0,-2> o 0 o (4,4):(4,1), S<2,0,2> o 1 o 4:1): expected an offset \
             of 0 over several modes, found 1",
        ),
        (
            "crd2idx((1,2), S<3,0,3>)",
            "error: crd2idx: expected an offset as operand 1, found (1,2)",
        ),
        ("commutes(S<1,0,1>, 4:1)", "error: commutes: expected a swizzle as operand 2, found 4:1"),
        (
            "upcast(S<3,3,3>, 6)",
            "error: upcast(S<3,3,3>, 6): expected a factor that is a power of two, for a swizzled layout, found 6",
        ),
        (
            "recast(S<3,3,3>, 0, 8)",
            "error: recast(S<3,3,3>): expected a factor of at least 1, found 0",
        ),
    ] {
        assert_eq!(eval(term), expected, "{term}");
    }
    Ok(())
}

#[test]
fn composed_layouts_are_injective_and_surjective_as_by_enumeration() {
    let mut terms: Vec<String> = LAYOUTS.iter().map(|text| (*text).to_owned()).collect();
    for outer in ["S<1,0,2>", "S<2,0,2>", "S<2,0,0>", "(4,4):(4,1)", "(2,8):(1,1)"] {
        for offset in [0, 2, 4] {
            for inner in ["(2,4):(1,2)", "8:1", "(2,4):(1,1)", "(4,2):(2,1)"] {
                terms.push(format!("{outer} o {offset} o {inner}"));
            }
        }
    }
    for text in terms {
        let layout = any(&text);
        let mut image: Vec<i64> =
            (0..layout.size()).map(|i| layout.at(i).expect("small")).collect();
        image.sort_unstable();
        let all = image.len();
        image.dedup();
        let least = image[0].min(0);
        let onto = image.len() as i64 == image[image.len() - 1] - least + 1;
        let query = |what: &str| eval(&format!("{what}({text})"));
        assert_eq!(query("is_injective"), (all == image.len()).to_string(), "{text}");
        assert_eq!(query("is_surjective"), onto.to_string(), "{text}");
        let both = all == image.len() && onto && image[0] == 0;
        assert_eq!(query("is_bijective"), both.to_string(), "{text}");
    }
}
