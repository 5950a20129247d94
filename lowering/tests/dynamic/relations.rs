//! Relations that no layout expresses, run by MLIR's JIT at every point of their domains and around
//! them.

use crate::engine::{Engine, context};

/// A relation's text, what it means, and how far to look in each direction.
struct Row {
    text: &'static str,
    /// How many integers an image has.
    image: usize,
    meaning: fn(&[i64]) -> Option<Vec<i64>>,
    span: &'static [(i64, i64)],
}

const ROWS: &[Row] = &[
    Row {
        text: r#""{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }""#,
        image: 1,
        meaning: |x| (0..16).contains(&x[0]).then(|| vec![(-3 * x[0]).rem_euclid(16)]),
        span: &[(-5, 21)],
    },
    // A triangle.
    Row {
        text: r#""{ [i,j] -> [8i + j, i - j] : 0 <= j <= i < 8 }""#,
        image: 2,
        meaning: |x| {
            let (i, j) = (x[0], x[1]);
            (0 <= j && j <= i && i < 8).then(|| vec![8 * i + j, i - j])
        },
        span: &[(-2, 10), (-2, 10)],
    },
    // Holes, in one of which there is a piece of its own.
    Row {
        text: r#""{ [x] -> [floor((x - 50)/7)] : 0 <= x < 100 and x mod 3 != 0; [x] -> [-x] : x = 33 }""#,
        image: 1,
        meaning: |x| match x[0] {
            33 => Some(vec![-33]),
            x if (0..100).contains(&x) && x % 3 != 0 => Some(vec![(x - 50).div_euclid(7)]),
            _ => None,
        },
        span: &[(-4, 104)],
    },
    // Pieces without an end.
    Row {
        text: r#""{ [x,y] -> [x] : x >= y; [x,y] -> [y] : x < y }""#,
        image: 1,
        meaning: |x| Some(vec![x[0].max(x[1])]),
        span: &[(-6, 6), (-6, 6)],
    },
    // Under a layout and a swizzle: 8 and 64 coordinates.
    Row {
        text: r#""{ [x] -> [3x + 1] : x mod 3 != 0 }" o (4,2):(2,1)"#,
        image: 1,
        meaning: |x| {
            let offset = 2 * (x[0] % 4) + x[0] / 4;
            ((0..8).contains(&x[0]) && offset % 3 != 0).then(|| vec![3 * offset + 1])
        },
        span: &[(-2, 11)],
    },
    Row {
        text: r#""{ [x] -> [63 - x] }" o S<2,0,3> o 0 o 64:1"#,
        image: 1,
        meaning: |x| (0..64).contains(&x[0]).then(|| vec![63 - (x[0] ^ (x[0] >> 3 & 3))]),
        span: &[(-1, 66)],
    },
    // Relations in a row.
    Row {
        text: r#""{ [x] -> [x, 2x] : 0 <= x < 9 }" o "{ [i,j] -> [floor((i + 2j)/5)] : i >= 0 }""#,
        image: 2,
        meaning: |x| {
            let middle = (x[0] + 2 * x[1]).div_euclid(5);
            (x[0] >= 0 && (0..9).contains(&middle)).then(|| vec![middle, 2 * middle])
        },
        span: &[(-2, 14), (-9, 20)],
    },
    Row { text: r#""{ [] -> [3] }""#, image: 1, meaning: |_| Some(vec![3]), span: &[] },
    Row { text: r#""{ [x] -> [x] : x < 0 < x }""#, image: 1, meaning: |_| None, span: &[(-2, 3)] },
];

/// Every point of a box.
fn points(span: &[(i64, i64)]) -> Vec<Vec<i64>> {
    span.iter().fold(vec![Vec::new()], |points, &(from, to)| {
        let longer = |point: Vec<i64>| (from..to).map(move |x| [&point[..], &[x]].concat());
        points.into_iter().flat_map(longer).collect()
    })
}

#[test]
fn relations_are_right_everywhere() {
    let context = context();
    let mut text = String::new();
    for (i, row) in ROWS.iter().enumerate() {
        let arguments: Vec<_> = (0..row.span.len()).map(|i| format!("%a{i}: index")).collect();
        let names: Vec<_> = (0..row.span.len()).map(|i| format!("%a{i}")).collect();
        let images: Vec<_> = (0..row.image).map(|i| format!("%r#{i}")).collect();
        let results = vec!["index"; row.image + 1].join(", ");
        text.push_str(&format!(
            "func.func @f{i}({}) -> ({results}) {{
               %r:{} = layout.relate #layout.relation<{}>({})
               %wide = arith.extui %r#{} : i1 to i64
               %inside = arith.index_cast %wide : i64 to index
               return {}, %inside : {results}
             }}\n",
            arguments.join(", "),
            row.image + 1,
            row.text,
            names.join(", "),
            row.image,
            images.join(", "),
        ));
    }
    let engine = Engine::lowered(&context, &text);
    let mut inside = 0;
    for (i, row) in ROWS.iter().enumerate() {
        for point in points(row.span) {
            let found = engine.call(&format!("f{i}"), &point, row.image + 1, false);
            match (row.meaning)(&point) {
                Some(image) => {
                    assert_eq!(found, [&image[..], &[1]].concat(), "{} at {point:?}", row.text);
                    inside += 1;
                }
                None => assert_eq!(found[row.image], 0, "{} at {point:?}", row.text),
            }
        }
    }
    assert!(inside > 400, "{inside}");
}
