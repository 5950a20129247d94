//! From a CuTe layout to Triton's linear layout and back, swizzles included.
//!
//!     cargo run -p layout-algebra --example triton

use layout_algebra::{Layout, Result, Term, linear::LinearLayout};

fn main() -> Result<()> {
    // The accumulator of an m16n8 tensor-core instruction: which element of the tile each of 32 lanes holds in each
    // of 4 registers.
    let held: Layout = "((4,8),(2,2)):((32,1),(16,8))".parse()?;
    let named = LinearLayout::from_modes(&held, &["lane", "register"])?
        .reshape_outs(&[("row", 16), ("col", 8)])?;
    println!("{named}");
    assert_eq!(
        named.to_string(),
        "linear<{lane = [(0,2),(0,4),(1,0),(2,0),(4,0)], register = [(0,1),(8,0)]} -> \
         {row = 16, col = 8}>"
    );

    // Which lane and register hold an element: the inverse.
    let holder = named.invert()?;
    println!("row 9, column 3: {:?}", holder.apply(&[("row", 9), ("col", 3)])?);

    // A swizzled tile is linear over GF(2) too, and comes back as what it was.
    let tile = Term::parse("S<3,3,3> o 0 o (8,64):(64,1)")?.eval_layout()?;
    let linear = LinearLayout::from_any(&tile)?;
    println!("{linear}");
    let back = linear.to_swizzled()?;
    println!("{back}");
    for index in 0..tile.size() {
        assert_eq!(back.at(index)?, tile.at(index)?);
        assert_eq!(linear.at(index)?, tile.at(index)?);
    }
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example");
}
