//! Linear layouts against the slow definition: coordinate by coordinate, bases added without carry.
//!
//! Small operands are tried exhaustively; larger ones at random, in 256 cases each. More of them:
//! `PROPTEST_CASES=100000 cargo test --release -p layout-algebra --test all linear::`.

mod compare;
mod convert;
mod errors;
mod laws;
mod matrix;
mod picture;
mod reshape;
mod swizzled;
mod table1;
mod terms;
mod text;

use layout_algebra::linear::{LinearLayout, Matrix};
use layout_random::prelude::*;

/// The slow definition: for each bit that is set, its basis is added to each output without carry.
fn slow(layout: &LinearLayout, coordinate: &[i64]) -> Vec<i64> {
    let mut image = vec![0; layout.out_dims().count()];
    for ((_, bases), value) in layout.bases().iter().zip(coordinate) {
        for (bit, basis) in bases.iter().enumerate() {
            if value >> bit & 1 == 1 {
                image.iter_mut().zip(basis).for_each(|(sum, entry)| *sum ^= entry);
            }
        }
    }
    image
}

/// All coordinates of some sizes, the first dimension fastest.
fn coordinates(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for &size in sizes {
        all = (0..size)
            .flat_map(|value| {
                all.iter().map(move |before: &Vec<i64>| {
                    let mut coordinate = before.clone();
                    coordinate.push(value);
                    coordinate
                })
            })
            .collect();
    }
    all
}

fn in_sizes(layout: &LinearLayout) -> Vec<i64> {
    layout.in_dims().map(|(_, size)| size).collect()
}

fn out_sizes(layout: &LinearLayout) -> Vec<i64> {
    layout.out_dims().map(|(_, size)| size).collect()
}

/// Every input coordinate with its output, by the slow definition.
fn table(layout: &LinearLayout) -> Vec<(Vec<i64>, Vec<i64>)> {
    let inputs = coordinates(&in_sizes(layout)).into_iter();
    inputs.map(|input| (input.clone(), slow(layout, &input))).collect()
}

/// A coordinate as one number, the first dimension fastest.
fn flat(coordinate: &[i64], sizes: &[i64]) -> i64 {
    coordinate.iter().zip(sizes).rev().fold(0, |index, (value, size)| index * size + value)
}

/// The flattened outputs in the order of flattened inputs, by the slow definition.
fn values(layout: &LinearLayout) -> Vec<i64> {
    let sizes = out_sizes(layout);
    table(layout).iter().map(|(_, image)| flat(image, &sizes)).collect()
}

/// A layout from a number that has a bit for each entry of its matrix.
fn coded(ins: &[(&str, i64)], outs: &[(&str, i64)], code: u64) -> LinearLayout {
    let bits = |dims: &[(&str, i64)]| dims.iter().map(|(_, size)| size.trailing_zeros()).sum();
    let (width, height): (u32, u32) = (bits(ins), bits(outs));
    let rows = (0..height).map(|row| code >> (row * width) & ((1 << width) - 1)).collect();
    let matrix = Matrix::new(rows, width).expect("small");
    LinearLayout::from_matrix(&matrix, ins, outs).expect("sizes agree")
}

/// Every layout between these dimensions.
fn every(ins: &[(&str, i64)], outs: &[(&str, i64)]) -> Vec<LinearLayout> {
    let bits = |dims: &[(&str, i64)]| dims.iter().map(|(_, size)| size.trailing_zeros()).sum();
    let (width, height): (u32, u32) = (bits(ins), bits(outs));
    (0..1 << (width * height)).map(|code| coded(ins, outs, code)).collect()
}

/// Layouts between at most three inputs and outputs each, of names from these, at most `bits` bits a
/// side. Zero and repeated columns are common.
fn layouts(
    in_names: &'static [&'static str],
    out_names: &'static [&'static str],
    bits: u32,
) -> impl Strategy<Value = LinearLayout> {
    (dims(in_names, bits), dims(out_names, bits)).prop_flat_map(|(ins, outs)| between(ins, outs))
}

/// Some of these names, in order, with sizes.
fn dims(
    names: &'static [&'static str],
    bits: u32,
) -> impl Strategy<Value = Vec<(&'static str, i64)>> {
    let each = bits / u32::try_from(names.len()).expect("few names");
    let sizes = prop::collection::vec(prop::option::of(0..=each), names.len());
    sizes.prop_map(move |sizes| {
        let named = names.iter().zip(sizes);
        named.filter_map(|(name, bits)| bits.map(|bits| (*name, 1 << bits))).collect()
    })
}

/// Layouts between these dimensions.
fn between(
    ins: Vec<(&'static str, i64)>,
    outs: Vec<(&'static str, i64)>,
) -> impl Strategy<Value = LinearLayout> {
    let bits =
        |dims: &[(&str, i64)]| -> u32 { dims.iter().map(|(_, size)| size.trailing_zeros()).sum() };
    let (width, height) = (bits(&ins), bits(&outs));
    let all = (1_u64 << height) - 1;
    let column = prop_oneof![
        1 => Just(0),
        4 => (0..height.max(1)).prop_map(move |bit| (1 << bit) & all),
        4 => 0..=all,
    ];
    prop::collection::vec(column, width as usize).prop_map(move |columns| {
        let matrix = Matrix::from_columns(&columns, height).expect("small");
        LinearLayout::from_matrix(&matrix, &ins, &outs).expect("sizes agree")
    })
}

/// The text of an error.
fn message<T: std::fmt::Debug>(result: layout_algebra::Result<T>) -> String {
    result.expect_err("refused").to_string()
}

/// A layout from its text.
fn linear(text: &str) -> LinearLayout {
    text.parse().expect(text)
}
