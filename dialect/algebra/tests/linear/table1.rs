//! Every example of "Modeling Layout Abstractions Using Integer Set Relations" that has to do with
//! linear layouts: Table 1, its running example, its swizzles, and the map that it says is neither.
//!
//! Table 1 gives each layout as a literal, as a map between bits, and as a map between coordinates.
//! All three are compared. Where the paper is wrong, the test says how.

use super::{linear, message, table, values};
use layout_algebra::{Layout, Swizzle, linear::LinearLayout};

/// A row of Table 1: the literal, the map of bits, the map of coordinates.
fn row(
    literal: &str,
    bits: impl Fn(&[i64]) -> Vec<i64>,
    coordinates: impl Fn(&[i64]) -> Vec<i64>,
) -> LinearLayout {
    let layout = linear(literal);
    assert_eq!(layout.to_paper(), literal);
    let unpacked =
        |index: i64, width: u32| -> Vec<i64> { (0..width).map(|bit| index >> bit & 1).collect() };
    let (width, height) = (layout.matrix().width(), layout.matrix().height());
    for (index, value) in (0..).zip(values(&layout)) {
        // The paper leaves out bits of outputs that are always zero.
        let mut expected = bits(&unpacked(index, width));
        expected.resize(height as usize, 0);
        assert_eq!(unpacked(value, height), expected, "bits of {literal} at {index}");
    }
    for (input, image) in table(&layout) {
        assert_eq!(image, coordinates(&input), "{literal} at {input:?}");
    }
    layout
}

const SWIZZLED: &str = "LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])";

#[test]
fn swizzled() {
    let layout = row(
        SWIZZLED,
        |c| vec![c[0], c[1], (c[0] + c[2]) % 2, (c[1] + c[3]) % 2],
        |c| vec![c[0], c[0] ^ c[1]],
    );
    // "Equivalent to the CuTe swizzle": on flattened coordinates, and with the shift to the left.
    assert_eq!(layout.to_swizzle(), Swizzle::new(2, 0, -2));
}

/// The two formulas that the paper prints for the second index of `swizzled`, in its Table 1 and as
/// its equation 25.
#[test]
fn swizzled_by_the_printed_formulas() {
    let m = |value: i64, modulus: i64| value.rem_euclid(modulus);
    let in_table =
        |a: i64, b: i64| 1 - m(a, 2) - m(1 + a + b, 2) + m(1 + a + 3 * b - m(1 + b, 2), 4);
    let equation_25 =
        |a: i64, b: i64| 3 + m(a, 2) - m(1 + a + b, 2) - m(3 + a + 3 * b - m(1 + b, 2), 4);
    for (input, image) in table(&linear(SWIZZLED)) {
        let (a, b) = (input[0], input[1]);
        assert_eq!((in_table(a, b), equation_25(a, b)), (image[1], image[1]), "at {input:?}");
    }
}

#[test]
fn identity_1d() {
    let layout =
        row("LinearLayout(crd=8, idx=8, vals=[1,2,4])", |c| vec![c[0], c[1], c[2]], |c| vec![c[0]]);
    let identity = LinearLayout::identity1d(8, "crd0", "idx0");
    assert_eq!(Ok(layout), identity);
}

#[test]
fn zeros() {
    let layout = row("LinearLayout(crd=8, idx=8, vals=[0,0,0])", |_| vec![0], |_| vec![0]);
    assert_eq!(Ok(layout), LinearLayout::zeros1d(8, "crd0", "idx0", 8));
}

#[test]
fn identity_2d() {
    let layout = row(
        "LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,0),(2,0),(0,1),(0,2)])",
        <[i64]>::to_vec,
        <[i64]>::to_vec,
    );
    let identity = |i: &str, o: &str| LinearLayout::identity1d(4, i, o).expect("a size");
    assert_eq!(Ok(layout), identity("crd0", "idx0").product(&identity("crd1", "idx1")));
}

/// The paper prints `{[c0,c1] -> [c0,c1]}` for the map of coordinates, the identity; its own map of
/// bits exchanges the two.
#[test]
fn transpose_2d() {
    let literal = "LinearLayout(crd=(4,4), idx=(4,4), vals=[(0,1),(0,2),(1,0),(2,0)])";
    let layout = row(literal, |c| vec![c[2], c[3], c[0], c[1]], |c| vec![c[1], c[0]]);
    assert!(table(&layout).iter().any(|(input, image)| input != image), "the printed map holds");
}

#[test]
fn transpose_1d() {
    row(
        "LinearLayout(crd=16, idx=16, vals=[4,8,1,2])",
        |c| vec![c[2], c[3], c[0], c[1]],
        |c| vec![15 + 4 * c[0] + 15 * (-1 - c[0]).div_euclid(4)],
    );
}

#[test]
fn broadcast_2d() {
    row("LinearLayout(crd=(4,4), idx=4, vals=[1,2,0,0])", |c| vec![c[0], c[1]], |c| vec![c[0]]);
}

/// Section 5: the basis vectors of `swizzled` and their images, in bits.
#[test]
fn bases_of_the_running_example() {
    let columns: Vec<u64> = linear(SWIZZLED).matrix().columns();
    // The paper writes (1,0,1,0) and so on, the lowest bit first.
    assert_eq!(columns, [0b0101, 0b1010, 0b0100, 0b1000]);
}

/// Table 2, `swizzle(1,2,1)` and `swizzle(1,2,-1)`, by the formulas that the paper prints.
#[test]
fn swizzles_of_table_2() {
    let right = |c: i64| c - c % 8 + (c + 4 * (c / 8)) % 8;
    let left = |c: i64| -7 + 2 * (c % 8) + (7 + c - 2 * (c % 4)).rem_euclid(16);
    let check = |shift: i32, formula: &dyn Fn(i64) -> i64| {
        let swizzle = Swizzle::new(1, 2, shift).expect("few bits");
        let layout = LinearLayout::from_swizzle(&swizzle, 16).expect("its own size");
        assert_eq!(layout.to_swizzle(), Ok(swizzle));
        let offsets: Vec<i64> = (0..16).map(formula).collect();
        assert_eq!(values(&layout), offsets, "{swizzle}");
    };
    check(1, &right);
    check(-1, &left);
}

/// Equation 12: on bits, the highest first, `S<1,2,1>` adds bit 3 to bit 2; and it is an involution.
#[test]
fn swizzle_on_bits() {
    let swizzle = Swizzle::new(1, 2, 1).expect("few bits");
    let layout = LinearLayout::from_swizzle(&swizzle, 16).expect("its own size");
    let highest_first = |index: i64| -> Vec<i64> { (0..4).rev().map(|b| index >> b & 1).collect() };
    for index in 0..16 {
        let c = highest_first(index);
        let image = layout.at(index).expect("below the size");
        assert_eq!(highest_first(image), [c[0], (c[0] + c[1]) % 2, c[2], c[3]]);
    }
    assert_eq!(layout.invert(), Ok(layout));
}

/// Section 6: `(-3c) mod 16` is "neither strided nor based on binary swizzle mappings". No layout and
/// no linear layout has these values.
#[test]
fn coprime_fanning_is_neither() {
    let values: Vec<i64> = (0..16).map(|c: i64| (-3 * c).rem_euclid(16)).collect();
    assert_eq!(Layout::of_offsets(&values).expect("16 values").expect_err("no layout").index, 3);
    assert_eq!(
        message(LinearLayout::from_values(&values)),
        "to_linear(16 values): expected offsets that xor, found 1 at index 5, not 13 xor 4 = 9"
    );
}
