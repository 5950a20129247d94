//! Tiles of a matrix, and which elements of a tile each thread holds.
//!
//!     cargo run -p layout-algebra --example tile_a_matrix

use layout_algebra::{Coord, Layout, Result, Tiler, Tuple};

fn main() -> Result<()> {
    // A row-major matrix of 6 by 10, in tiles of 4 by 5: the last tile of the rows reaches past the matrix.
    let matrix: Layout = "(6,10):(10,1)".parse()?;
    let tiler = Tiler::from_shape(&"(4,5)".parse()?)?;
    let tiles = matrix.zipped_divide(&tiler)?;
    println!("tiles        {tiles}");
    assert_eq!(tiles.to_string(), "((4,5),(2,2)):((10,1),(40,5))");

    // The tile at (1,0): its layout, and where it starts.
    let (tile, start) = tiles.slice(&"(_,(1,0))".parse::<Coord>()?)?;
    println!("tile (1,0)   {tile} from {start}");
    assert_eq!((tile.to_string().as_str(), start), ("((4,5)):((10,1))", 40));

    // Four threads, each with a row of a tile: `threads` maps (thread, value) to the tile's index.
    let threads: Layout = "(4,5):(1,4)".parse()?;
    let held = tiles.get(&[0])?.composition(&threads)?;
    println!("held         {held}");
    assert_eq!(held.to_string(), "(4,5):(10,1)");

    // Which coordinates of the divided layout are inside of the matrix.
    let inside = matrix.in_bounds_of_divide(&tiler)?;
    let whole: i64 = (0..tiles.size())
        .map(|index| {
            let in_bounds = inside.comparisons().iter().all(|comparison| {
                comparison.layout.at(index).is_ok_and(|at| at < comparison.bound)
            });
            i64::from(in_bounds)
        })
        .sum();
    println!("in bounds    {whole} of {}", tiles.size());
    assert_eq!((whole, tiles.size()), (60, 80));
    assert_eq!(matrix.crd2idx(&"(5,9)".parse::<Tuple>()?)?, 59);
    Ok(())
}

#[test]
fn runs() {
    main().expect("the example");
}
