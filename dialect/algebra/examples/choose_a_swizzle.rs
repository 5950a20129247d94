//! A swizzle that makes a transpose through shared memory free of bank conflicts.
//!
//!     cargo run -p layout-algebra --example choose_a_swizzle

use layout_algebra::{Access, AnyLayout, ComposedLayout, Layout, Outer, Result};

fn main() -> Result<()> {
    // 32 by 32 numbers of 32 bits. A warp stores a row at a time and loads a column at a time: the first mode of an
    // access is the thread, the second the value.
    let tile: Layout = "(32,32):(32,1)".parse()?;
    let store: Layout = "((32,32),1):((32,1),0)".parse()?;
    let load: Layout = "((32,32),1):((1,32),0)".parse()?;

    let plain = AnyLayout::Plain(tile.clone());
    println!("without: store {}", plain.conflicts(&store, 32)?);
    println!("         load  {}", plain.conflicts(&load, 32)?);

    let choice = tile.conflict_free_swizzle(&store, &load, 32)?;
    println!("{choice}");
    assert_eq!(choice.swizzle.to_string(), "S<5,0,5>");

    let swizzled = AnyLayout::Composed(ComposedLayout {
        outer: Outer::Swizzle(choice.swizzle),
        offset: 0,
        inner: tile.clone(),
    });
    assert!(swizzled.conflicts(&store, 32)?.is_free());
    assert!(swizzled.conflicts(&load, 32)?.is_free());

    // Any matrix over GF(2), where no single `S<b,m,s>` suffices.
    let accesses = [store, load].map(|places| Access { places, at_once: 1 });
    let linear = tile.linear_swizzle(&accesses, 32)?;
    println!("{linear}");
    assert!(linear.is_free());
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example");
}
