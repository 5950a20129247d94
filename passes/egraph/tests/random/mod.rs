//! Random terms, as strategies that shrink: of layouts, of every operation on every kind of operand, of index
//! arithmetic, and of layouts with open leaves applied to digits.

#![allow(dead_code, reason = "not every test uses all of it")]

use layout_random::prelude::{prop::sample::select, *};

/// A term's text.
pub(crate) type Text = BoxedStrategy<String>;

fn one(of: &'static [&'static str]) -> impl Strategy<Value = &'static str> + Clone {
    select(of)
}

/// Plain layouts of up to three modes.
fn layout() -> Text {
    let extent = || select(&[1, 2, 2, 3, 4, 8][..]);
    let stride = || select(&[0, 1, 1, 2, 4, 8, 16][..]);
    prop_oneof![
        (extent(), stride()).prop_map(|(n, d)| format!("{n}:{d}")),
        (extent(), extent(), stride(), stride())
            .prop_map(|(a, b, c, d)| format!("({a},{b}):({c},{d})")),
        (extent(), extent(), extent())
            .prop_map(|(a, b, c)| format!("({a},({b},{c})):(1,({a},{}))", a * b)),
    ]
    .boxed()
}

/// Terms of layouts.
pub(crate) fn layouts(depth: u32) -> Text {
    if depth == 0 {
        return layout();
    }
    let below = layouts(depth - 1);
    let both = || (below.clone(), below.clone());
    prop_oneof![
        1 => below.clone().prop_map(|a| format!("coalesce({a})")),
        1 => below.clone().prop_map(|a| format!("flatten({a})")),
        2 => both().prop_map(|(a, b)| format!("composition({a}, {b})")),
        1 => below.clone().prop_map(|a| format!("right_inverse({a})")),
        1 => both().prop_map(|(a, b)| format!("make_layout({a}, {b})")),
        1 => (below.clone(), layout()).prop_map(|(a, b)| format!("get(make_layout({a}, {b}), 1)")),
        1 => (below.clone(), layout()).prop_map(|(a, b)| format!("logical_divide({a}, {b})")),
        1 => (below.clone(), layout()).prop_map(|(a, b)| format!("logical_product({a}, {b})")),
        1 => below.clone().prop_map(|a| format!("composition({a}, <_>)")),
        1 => below.prop_map(|a| format!("complement({a}, 64)")),
    ]
    .boxed()
}

fn swizzle() -> impl Strategy<Value = &'static str> + Clone {
    one(&["S<1,0,1>", "S<2,1,3>", "S<0,4,4>", "S<0,0,0>", "S<1,2,-1>", "S<2,0,-2>", "S<3,0,2>"])
}

fn number() -> impl Strategy<Value = i64> + Clone {
    select(&[0, 1, 2, 3, 4, 6, 8, 16, -1, -2][..])
}

/// Plain layouts with strides of both signs, composed ones, ones into coordinates, swizzles.
fn leaf() -> Text {
    let extent = || select(&[1, 2, 2, 3, 4, 8][..]);
    let stride = || select(&[0, 1, 1, 2, 4, 8, -1, -2, -4][..]);
    let plain = prop_oneof![
        (extent(), stride()).prop_map(|(n, d)| format!("{n}:{d}")),
        (extent(), stride()).prop_map(|(n, d)| format!("({n}):({d})")),
        (extent(), extent(), stride(), stride())
            .prop_map(|(a, b, c, d)| format!("({a},{b}):({c},{d})")),
        (extent(), extent(), extent(), stride(), stride(), stride())
            .prop_map(|(a, b, c, d, e, f)| format!("({a},({b},{c})):({d},({e},{f}))")),
    ]
    .boxed();
    prop_oneof![
        6 => plain.clone(),
        1 => layout(),
        2 => (swizzle(), 0..5, plain).prop_map(|(s, n, l)| format!("{s} o {n} o {l}")),
        1 => one(&["make_identity_layout((4,2))", "make_identity_layout((2,(2,4)))"])
            .prop_map(str::to_owned),
        1 => swizzle().prop_map(str::to_owned),
        1 => layout().prop_map(|l| format!("to_linear({l})")),
    ]
    .boxed()
}

const OF_ONE: &[&str] = &[
    "coalesce",
    "flatten",
    "sort",
    "filter",
    "filter_zeros",
    "right_inverse",
    "left_inverse",
    "nullspace",
    "to_linear",
    "to_layout",
    "invert",
    "pseudo_invert",
    "make_layout_like",
    "complement",
];

const BY_TILERS: &[&str] = &[
    "logical_divide",
    "zipped_divide",
    "tiled_divide",
    "flat_divide",
    "logical_product",
    "zipped_product",
    "tiled_product",
    "flat_product",
];

const OF_TWO: &[&str] = &[
    "make_layout",
    "append",
    "prepend",
    "zip",
    "blocked_product",
    "raked_product",
    "invert_and_compose",
    "max_common_layout",
];

/// Terms of every operation, with every kind of operand: what [`layouts`] leaves out.
pub(crate) fn wide(depth: u32) -> Text {
    if depth == 0 {
        return leaf();
    }
    let a = wide(depth - 1);
    let tiler = prop_oneof![
        1 => one(&["(1,2)", "(2,2)", "4", "(2)", "2"]).prop_map(str::to_owned),
        1 => one(&["<2:1, _>", "<_, 2:1>", "<_>", "_", "<2:1, 2:1>", "<2, 2>"]).prop_map(str::to_owned),
        3 => a.clone(),
    ]
    .boxed();
    let casts = prop_oneof![
        (a.clone(), number(), number()).prop_map(|(a, n, m)| format!("recast({a}, {n}, {m})")),
        (a.clone(), number()).prop_map(|(a, n)| format!("recast({a}, {n}, {n})")),
        (one(&["size", "cosize", "rank", "depth"]), a.clone())
            .prop_map(|(name, a)| format!("{name}({a})")),
    ];
    prop_oneof![
        2 => (one(OF_ONE), a.clone()).prop_map(|(name, a)| format!("{name}({a})")),
        2 => (a.clone(), tiler.clone()).prop_map(|(a, t)| format!("composition({a}, {t})")),
        2 => (one(BY_TILERS), a.clone(), tiler)
            .prop_map(|(name, a, t)| format!("{name}({a}, {t})")),
        1 => (one(OF_TWO), a.clone(), a.clone()).prop_map(|(name, a, b)| format!("{name}({a}, {b})")),
        1 => (one(&["upcast", "downcast", "complement", "get", "select"]), a.clone(), number())
            .prop_map(|(name, a, n)| format!("{name}({a}, {n})")),
        1 => casts,
        1 => (one(&["slice", "dice"]), one(&["_", "(_,1)", "(1,_)", "(_,_)", "(_,0)", "0"]), a)
            .prop_map(|(name, at, a)| format!("{name}({at}, {a})")),
    ]
    .boxed()
}

/// Index arithmetic, with layouts applied in it.
pub(crate) fn indices(depth: u32) -> Text {
    let constant = || select(&[1_u64, 2, 3, 4, 5, 7, 8, 12, 14, 16, 32, 64, 96][..]);
    if depth == 0 {
        let symbols = ["t:0..127", "t:0..127", "b:0..999~block", "k:0..15@1", "m:0..960%32"];
        return prop_oneof![
                5 => select(symbols.to_vec()).prop_map(str::to_owned),
                1 => constant().prop_map(|c| c.to_string()),
        ]
        .boxed();
    }
    let x = indices(depth - 1);
    let with = || (x.clone(), constant());
    let both = || (x.clone(), x.clone());
    prop_oneof![
        2 => both().prop_map(|(x, y)| format!("(add {x} {y})")),
        1 => with().prop_map(|(x, c)| format!("(mul {x} {c})")),
        2 => with().prop_map(|(x, c)| format!("(div {x} {c})")),
        2 => with().prop_map(|(x, c)| format!("(mod {x} {c})")),
        1 => (x.clone(), constant(), constant())
            .prop_map(|(x, c, d)| format!("(add (mul (div {x} {c}) {d}) (mod {x} {c}))")),
        1 => both().prop_map(|(x, y)| format!("(xor {x} {y})")),
        1 => with().prop_map(|(x, c)| format!("(and {x} {})", c - 1)),
        1 => (x.clone(), 0..5).prop_map(|(x, n)| format!("(shl {x} {n})")),
        1 => (x.clone(), layout()).prop_map(|(x, l)| format!("(crd2idx {x} [{l}])")),
    ]
    .boxed()
}

/// Index arithmetic of every operation: comparisons, choices and extremes, operands that are alike, and sums of terms
/// that nearly are; divisors and extents that are not known.
pub(crate) fn wide_indices(depth: u32) -> Text {
    let constant = || select(&[0_i64, 1, 2, 3, 4, 7, 8, 15, 16, 31, 63, 64, -1][..]);
    if depth == 0 {
        let symbols =
            ["t:0..127", "u:0..127", "m:0..960%32", "n:1..64", "k:0..15@1", "i", "b:0..31~block"];
        return prop_oneof![
            4 => select(symbols.to_vec()).prop_map(str::to_owned),
            1 => constant().prop_map(|c| c.to_string()),
        ]
        .boxed();
    }
    let x = wide_indices(depth - 1);
    let both = || (x.clone(), x.clone());
    let three = || (x.clone(), x.clone(), x.clone());
    let of_two = one(&["add", "sub", "mul", "and", "or", "xor", "min", "max", "lt", "le", "eq"]);
    let predicate = (one(&["lt", "le", "eq"]), x.clone(), x.clone())
        .prop_map(|(op, x, y)| format!("({op} {x} {y})"))
        .boxed();
    let divisor = prop_oneof![
        3 => select(&[1, 2, 3, 4, 7, 8, 16, 32][..]).prop_map(|n| n.to_string()),
        1 => Just("n:1..64".to_owned()),
    ]
    .boxed();
    prop_oneof![
        3 => (of_two.clone(), x.clone(), x.clone()).prop_map(|(op, x, y)| format!("({op} {x} {y})")),
        1 => (of_two.clone(), x.clone()).prop_map(|(op, x)| format!("({op} {x} {x})")),
        2 => (of_two.clone(), x.clone(), constant()).prop_map(|(op, x, c)| format!("({op} {x} {c})")),
        2 => (of_two, one(&["add", "mul", "and", "or", "xor"]), three())
            .prop_map(|(f, g, (x, y, z))| format!("({f} ({g} {x} {y}) ({g} {x} {z}))")),
        3 => (one(&["div", "mod"]), x.clone(), divisor.clone())
            .prop_map(|(op, x, n)| format!("({op} {x} {n})")),
        1 => (both(), divisor.clone(), one(&["div", "mod"]))
            .prop_map(|((x, y), n, op)| format!("({op} (add (mul {y} {n}) {x}) {n})")),
        1 => (both(), divisor.clone(), one(&["div", "mod"]))
            .prop_map(|((x, y), n, op)| format!("({op} (add (mul {y} {n}) (mod {x} {n})) {n})")),
        1 => (x.clone(), divisor.clone(), divisor)
            .prop_map(|(x, n, m)| format!("(add (mul (div {x} {n}) {m}) (mod {x} {n}))")),
        1 => (one(&["shl", "shr"]), x.clone(), 0..6).prop_map(|(op, x, n)| format!("({op} {x} {n})")),
        1 => (predicate.clone(), x.clone(), x.clone())
            .prop_map(|(p, x, y)| format!("(select {p} {x} {y})")),
        1 => (predicate.clone(), three())
            .prop_map(|(p, (x, y, z))| format!("(select {p} (add {x} {y}) (add {x} {z}))")),
        1 => predicate.prop_map(|p| format!("(select {p} 1 0)")),
        1 => (x.clone(), layout()).prop_map(|(x, l)| format!("(crd2idx {x} [{l}])")),
        1 => (x.clone(), layout(), layout())
            .prop_map(|(x, a, b)| format!("(crd2idx (crd2idx {x} [{b}]) [{a}])")),
        1 => (x.clone(), swizzle(), layout())
            .prop_map(|(x, s, l)| format!("(crd2idx {x} [{s} o 0 o {l}])")),
        1 => (x, swizzle()).prop_map(|(x, s)| format!("(swizzle [{s}] {x})")),
    ]
    .boxed()
}

/// An index that digits are taken of.
const INDICES: &[&str] = &["e:0..4095", "t:0..255", "(add (mul b:0..31 128) t:0..127)"];

/// Extents: unknown ones, with and without a divisor, and known ones.
const EXTENTS: &[&str] = &["m:1..64", "n:1..48", "p:8..64%8", "8", "3", "32"];

/// Strides besides those that continue the mode before.
const STRIDES: &[&str] = &["0", "1", "s:8..512%8", "r:1..999", "4", "96"];

/// The offset of the digits of an index in a layout of up to three modes, whose leaves are open or known: of all of
/// them, or as a sum in another order.
pub(crate) fn chains() -> Text {
    // Its extent, its stride where it does not continue the mode before, and whether it does.
    let mode = (one(EXTENTS), one(STRIDES), any::<bool>());
    let modes = prop::collection::vec(mode, 1..4);
    (one(INDICES), modes, any::<bool>(), any::<bool>())
        .prop_map(|(index, modes, joined, reversed)| {
            let mut strides: Vec<String> = Vec::new();
            for (i, (_, stride, continues)) in modes.iter().enumerate() {
                strides.push(match i {
                    _ if !continues => (*stride).to_owned(),
                    0 => "1".to_owned(),
                    _ if strides[i - 1] == "1" => modes[i - 1].0.to_owned(),
                    _ => format!("(mul {} {})", strides[i - 1], modes[i - 1].0),
                });
            }
            let nested = |leaves: &[String]| {
                let (last, before) = leaves.split_last().expect("a mode at least");
                before.iter().rev().fold(last.clone(), |all, leaf| format!("(tuple {leaf} {all})"))
            };
            let extents: Vec<String> = modes.iter().map(|mode| mode.0.to_owned()).collect();
            if joined {
                let (extents, strides) = (nested(&extents), nested(&strides));
                return format!("(crd2idx {index} (layout {extents} {strides}))");
            }
            let mut terms = Vec::new();
            let mut rest = index.to_owned();
            for (i, (extent, stride)) in extents.iter().zip(&strides).enumerate() {
                let digit = match i + 1 == extents.len() {
                    true => rest.clone(),
                    false => format!("(mod {rest} {extent})"),
                };
                rest = format!("(div {rest} {extent})");
                terms.push(format!("(crd2idx {digit} (layout {extent} {stride}))"));
            }
            if reversed {
                terms.reverse();
            }
            let last = terms.pop().expect("a mode at least");
            terms.iter().rev().fold(last, |sum, term| format!("(add {term} {sum})"))
        })
        .boxed()
}

/// A rule's left side on layouts, with operands for its variables: by the letter what is there, as in the rules' own
/// tests.
pub(crate) fn left_side(left: &'static str) -> Text {
    let linear = prop_oneof![
        layout().prop_map(|l| format!("to_linear({l})")),
        swizzle().prop_map(|s| format!("to_linear({s})")),
    ]
    .boxed();
    let number = select(&[1, 2, 3, 4, 8, 16, 24][..]).prop_map(|n| n.to_string()).boxed();
    let mode = select(&[0, 1][..]).prop_map(|n| n.to_string()).boxed();
    let coordinate = one(&["_", "(_,1)", "(1,_)", "(_,0)", "(_,_)"]).prop_map(str::to_owned);
    let tiler =
        one(&["<_>", "<_, _>", "<2:1, _>", "(2,2)", "2:1", "1:0", "_"]).prop_map(str::to_owned);
    let of = move |name: &str| match name {
        "n" | "m" => number.clone(),
        "y" | "z" => mode.clone(),
        "k" => coordinate.clone().boxed(),
        "s" | "t" | "u" => tiler.clone().boxed(),
        "p" | "q" | "r" => linear.clone(),
        _ => prop_oneof![3 => layout(), 1 => leaf()].boxed(),
    };
    let names = layout_egraph::rules::variables(left);
    let operands: Vec<Text> = names.iter().map(|name| of(name)).collect();
    operands
        .prop_map(move |operands| {
            names.iter().zip(&operands).fold(left.to_owned(), |text, (name, operand)| {
                text.replace(&format!("?{name}"), &format!("[{operand}]"))
            })
        })
        .boxed()
}
