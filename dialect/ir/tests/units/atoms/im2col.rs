//! Tests of tensor maps of images.

use super::*;

/// Channels in a row; columns, rows and images after each other.
fn image(c: i64, w: i64, h: i64, n: i64) -> Layout {
    format!("({c},{w},{h},{n}):(1,{c},{},{})", c * w, c * w * h).parse().unwrap()
}

#[test]
fn without_padding_the_matrix_matches_the_definition() {
    for (numbers, (w, h)) in [
        ([5, 4, 3, 3, 1, 1, 1, 1, 0, 0], (7, 6)),
        ([3, 2, 2, 3, 2, 3, 1, 1, 0, 0], (6, 6)),
        ([2, 3, 3, 2, 1, 2, 2, 3, 0, 0], (6, 8)),
        ([1, 1, 1, 1, 1, 1, 1, 1, 0, 0], (1, 1)),
    ] {
        let window = Window::of(&numbers).unwrap();
        let image = image(4, w, h, 3);
        let matrix = window.matrix(&image).unwrap();
        let [q, p, s, r, sw, sh, dw, dh, ..] = numbers;
        let (rows, columns) = (q * p * 3, 4 * s * r);
        for m in 0..rows {
            for k in 0..columns {
                let (at_w, at_h) = (m % q * sw + k / 4 % s * dw, m / q % p * sh + k / (4 * s) * dh);
                let expected = k % 4 + 4 * (at_w + w * (at_h + h * (m / (q * p))));
                assert_eq!(matrix.at(m + rows * k).unwrap(), expected, "{numbers:?} {m} {k}");
            }
        }
    }
}

#[test]
fn a_box_ends_at_the_first_tap_of_the_last_result() {
    let corners = |numbers: [i64; 10], image: &Layout| {
        let map = Window::of(&numbers).unwrap().map(image, 2, (128, 64)).unwrap();
        let Im2col { lower, upper, steps } = map.im2col.unwrap();
        (lower, upper, steps)
    };
    // 3x3, padding of 1: from -1 to 54 of 56.
    let same = corners([56, 56, 3, 3, 1, 1, 1, 1, 1, 1], &image(64, 56, 56, 8));
    assert_eq!(same, ([-1, -1], [-1, -1], [1, 1]));
    // With steps of 2 from 0 on, to 54: zeros past the image alone.
    let halved = corners([28, 28, 3, 3, 2, 2, 1, 1, 0, 0], &image(64, 56, 56, 8));
    assert_eq!(halved, ([0, 0], [-1, -1], [2, 2]));
    let seven = corners([7, 7, 1, 1, 2, 2, 1, 1, 0, 0], &image(64, 14, 14, 8));
    assert_eq!(seven, ([0, 0], [-1, -1], [2, 2]));
}

#[test]
fn refusals_name_what_was_found() {
    let refused = |numbers: &[i64]| Window::of(numbers).unwrap_err().to_string();
    assert_eq!(refused(&[1, 2]), "expected 10 numbers, found 2");
    assert_eq!(
        refused(&[1, 1, 1, 0, 1, 1, 1, 1, 0, 0]),
        "expected results, taps, strides and dilations of at least 1, found 0"
    );
    assert_eq!(
        refused(&[1, 1, 1, 1, 1, 1, 1, 1, 0, -1]),
        "expected a padding of at least 0, found -1"
    );
    let of = |numbers: [i64; 10], image: &Layout| {
        Window::of(&numbers).unwrap().map(image, 2, (128, 64)).unwrap_err().to_string()
    };
    assert_eq!(
        of([8, 8, 1, 1, 1, 1, 1, 1, 0, 0], &image(96, 8, 8, 1)),
        "expected contiguous channels, a multiple of 64, found (96,8,8,1):(1,96,768,6144)"
    );
    assert_eq!(
        of([8, 8, 1, 1, 1, 1, 1, 1, 0, 0], &"(64,8,8,1):(1,68,544,4352)".parse().unwrap()),
        "expected strides of multiples of 16 bytes, found 136 bytes in (64,8,8,1):(1,68,544,4352)"
    );
    assert_eq!(
        of([8, 8, 1, 1, 1, 1, 1, 1, 0, 200], &image(64, 8, 8, 1)),
        "expected a padding and a rest of at most 127, found 200 and -200"
    );
    assert_eq!(
        of([8, 8, 9, 1, 1, 1, 40, 1, 0, 0], &image(64, 8, 8, 1)),
        "expected taps within 255 and strides of at most 8, found 320 and 1"
    );
}
