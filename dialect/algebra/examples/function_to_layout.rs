//! Finds the layout of a function, or the coordinate that shows why there is none.
//!
//!     cargo run -p layout-algebra --example function_to_layout

use layout_algebra::{Found, Layout, Result};

fn main() -> Result<()> {
    // Address arithmetic as a kernel has it: 16 by 8 elements, in blocks of 4 rows.
    let address = |i: i64| {
        let (row, column) = (i % 16, i / 16);
        (row % 4) * 8 + (row / 4) * 64 + column
    };
    let Found::Proved(layout) = Layout::of_fn(128, address)? else { panic!("no layout") };
    println!("{layout}");
    assert_eq!(layout.to_string(), "(4,4,8):(8,64,1)");
    for i in 0..128 {
        assert_eq!(layout.at(i)?, address(i));
    }

    // A swizzle is no layout: the first offset that no layout has is named.
    let swizzled: Vec<i64> = (0..64).map(|i| i ^ (i >> 3 & 7)).collect();
    let refutation = Layout::of_offsets(&swizzled)?.expect_err("no layout");
    println!(
        "none: offset {} at index {}, where the only candidate has {}",
        refutation.expected, refutation.index, refutation.found
    );
    assert_eq!((refutation.index, refutation.expected, refutation.found), (9, 8, 10));
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example");
}
