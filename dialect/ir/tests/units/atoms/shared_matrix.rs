//! Tests of matrices in shared memory.

use super::*;
use crate::data::evaluate::any_layout;

fn of(text: &str) -> Result<SharedMatrix, String> {
    derive(&any_layout(text).expect("a layout"), 2)
}

#[test]
fn canonical_layouts_have_descriptors() {
    let k =
        |swizzle, leading, stride| Ok(SharedMatrix { major: Major::K, swizzle, leading, stride });
    let mn =
        |swizzle, leading, stride| Ok(SharedMatrix { major: Major::Mn, swizzle, leading, stride });
    // One tile of 64 rows, as `tile_to_shape` makes it of 8 swizzled rows of 128 bytes.
    assert_eq!(of("S<3,3,3> o 0 o (64,16):(64,1)"), k(128, 16, 1024));
    assert_eq!(of("S<2,3,3> o 0 o (64,16):(32,1)"), k(64, 16, 512));
    assert_eq!(of("S<1,3,3> o 0 o (64,16):(16,1)"), k(32, 16, 256));
    assert_eq!(of("((8,8),(8,2)):((8,64),(1,512))"), k(0, 1024, 128));
    // 64 and 256 rows in columns of 64 elements.
    assert_eq!(of("S<3,3,3> o 0 o (64,16):(1,64)"), mn(128, 0, 1024));
    assert_eq!(of("S<3,3,3> o 0 o ((64,4),16):((1,4096),64)"), mn(128, 8192, 1024));
    assert_eq!(of("S<1,3,3> o 0 o ((16,4),(8,2)):((1,256),(16,128))"), mn(32, 512, 256));
    assert_eq!(of("((8,8),(8,2)):((1,128),(8,64))"), mn(0, 128, 256));
}

#[test]
fn the_descriptor_has_the_instructions_fields() {
    let matrix = of("S<3,3,3> o 0 o (64,16):(64,1)").expect("canonical");
    assert_eq!(matrix.descriptor(), (1 << 62) | (64 << 32) | (1 << 16));
    let matrix = of("S<1,3,3> o 0 o (64,16):(16,1)").expect("canonical");
    assert_eq!(matrix.descriptor() as u64 >> 62, 3);
}

#[test]
fn tiles_start_in_the_first_row_of_a_swizzle() {
    let k = of("S<3,3,3> o 0 o (64,16):(64,1)").expect("canonical");
    assert!(k.starts_at(0) && k.starts_at(32) && k.starts_at(8192 + 96));
    assert!(!k.starts_at(128) && !k.starts_at(8));
    let mn = of("S<3,3,3> o 0 o (64,16):(1,64)").expect("canonical");
    assert!(mn.starts_at(2048) && !mn.starts_at(32));
}

#[test]
fn other_layouts_are_refused_with_the_condition_and_what_would_do() {
    assert_eq!(
        of("S<3,3,3> o 0 o (64,16):(128,1)").expect_err("rows too far apart"),
        "expected offset 64 at row 1 and K 0 of a K-major tile with a swizzle of 128 bytes, \
         found 128 in S<3,3,3> o 0 o (64,16):(128,1); use S<3,3,3> o 0 o ((8,8),16):((64,512),1)"
    );
    assert_eq!(
        of("(64,16):(32,2)").expect_err("nothing contiguous"),
        "expected a stride of 1 along the rows or along K, found 32 and 2 in (64,16):(32,2); \
         use S<3,3,3> o 0 o ((8,8),16):((64,512),1)"
    );
    assert_eq!(
        of("S<3,4,3> o 0 o (64,16):(64,1)").expect_err("a swizzle of other units"),
        "expected no swizzle or one of S<1,3,3>, S<2,3,3> and S<3,3,3> with offset 0, as the \
         hardware has for elements of 2 bytes, found S<3,4,3> o 0 o (64,16):(64,1); \
         S<3,3,3> is the nearest"
    );
    assert_eq!(
        of("S<3,3,3> o 0 o (96,16):(1,96)").expect_err("half a swizzled row left over"),
        "expected offset 64 at row 0 and K 1 of a MN-major tile with a swizzle of 128 bytes, \
         found 96 in S<3,3,3> o 0 o (96,16):(1,96); use S<2,3,3> o 0 o \
         ((32,3),(8,2)):((1,512),(32,256))"
    );
    assert_eq!(
        of("(64,32):(32,1)").expect_err("twice the extent along K"),
        "expected a tile of a multiple of 8 rows and 16 along K, found (64,32) in \
         (64,32):(32,1)"
    );
    assert_eq!(
        of("S<3,3,3> o 0 o (264,16):(64,1)").expect_err("more rows than an instruction has"),
        "expected a tile of at most 256 rows, found 264 in S<3,3,3> o 0 o (264,16):(64,1)"
    );
}

#[test]
fn elements_of_other_widths_have_tiles_as_long_in_bytes() {
    let of = |text: &str, bytes| derive(&any_layout(text).expect("a layout"), bytes);
    let k = SharedMatrix { major: Major::K, swizzle: 128, leading: 16, stride: 1024 };
    assert_eq!(of("S<3,4,3> o 0 o (64,32):(128,1)", 1), Ok(k));
    assert_eq!(of("S<3,2,3> o 0 o (64,8):(32,1)", 4), Ok(k));
    assert_eq!(
        of("S<3,4,3> o 0 o (128,32):(1,128)", 1).expect_err("transposed"),
        "expected a K-major tile for elements of 1 bytes, which wgmma cannot transpose, found a \
         MN-major one in S<3,4,3> o 0 o (128,32):(1,128); use S<3,4,3> o 0 o \
         ((8,16),32):((128,1024),1)"
    );
}

/// The layouts that messages offer are taken.
#[test]
fn what_would_do_does() {
    for rows in (8..=256).step_by(8) {
        for (major, bytes) in [(Major::K, 2), (Major::Mn, 2), (Major::K, 1), (Major::K, 4)] {
            let text = canonical(major, rows, bytes);
            let tile = any_layout(&text).expect("a layout");
            assert_eq!(derive(&tile, bytes).map(|matrix| matrix.major), Ok(major), "{text}");
        }
    }
}
