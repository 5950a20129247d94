//! Tensor maps of tiles in shared memory: every element comes to its place, and what has no map is refused.

use layout_algebra::Layout;
use layout_dialect::atoms::tensor_map::{
    Coordinates, Dimension, Part, Tile, Transfer, derive, digits, misfit,
};
use layout_dialect::evaluate::any_layout;

/// A tile `(rows, columns)` of a matrix.
fn of(global: &str, (rows, columns): (i64, i64), shared: &str) -> Result<Transfer, String> {
    let global: Layout = global.parse().expect("a layout");
    let modes = global.modes();
    let predicate = |stride: &str, mode: usize| {
        let layout = format!("({rows},{columns}):{stride}").parse().expect("a layout");
        let divisor = [rows, columns][mode];
        Coordinates { layout, limit: modes[mode].size(), divisor }
    };
    derive(&Tile {
        global: &global,
        coordinates: &[predicate("(1,0)", 0), predicate("(0,1)", 1)],
        shared: &any_layout(shared).expect("a layout"),
        element_bytes: 2,
    })
}

#[test]
fn a_k_major_tile_is_one_box() {
    let transfer =
        of("(4096,512):(512,1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)").expect("a box");
    assert_eq!(
        transfer.map.dimensions,
        [
            Dimension { mode: 1, digit: 0, extent: 512, stride: 2, box_extent: 64 },
            Dimension { mode: 0, digit: 0, extent: 4096, stride: 1024, box_extent: 128 },
        ]
    );
    assert_eq!(transfer.map.swizzle, 128);
    assert_eq!(transfer.parts, [Part { start: vec![0, 0], offset: 0 }]);
}

#[test]
fn an_mn_major_tile_is_a_box_for_each_swizzled_column() {
    let shared = "S<3,3,3> o 0 o ((64,2),64):((1,4096),64)";
    let transfer = of("(4096,512):(1,4096)", (128, 64), shared).expect("boxes");
    assert_eq!(
        transfer.map.dimensions,
        [
            Dimension { mode: 0, digit: 0, extent: 4096, stride: 2, box_extent: 64 },
            Dimension { mode: 1, digit: 0, extent: 512, stride: 8192, box_extent: 64 },
        ]
    );
    assert_eq!(
        transfer.parts,
        [Part { start: vec![0, 0], offset: 0 }, Part { start: vec![64, 0], offset: 4096 },]
    );
}

/// Every element of the tile comes to its place: the boxes, one by one, against the layouts.
#[test]
fn boxes_put_every_element_where_the_layout_has_it() {
    for (global, tile, shared) in [
        ("(256,256):(256,1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
        ("(256,256):(256,1)", (16, 32), "S<2,3,3> o 0 o (16,32):(32,1)"),
        ("(256,256):(1,256)", (128, 64), "S<3,3,3> o 0 o ((64,2),64):((1,4096),64)"),
        ("(256,256):(1,256)", (128, 16), "S<3,3,3> o 0 o ((64,2),(8,2)):((1,512),(64,1024))"),
        ("(256,256):(256,1)", (64, 128), "S<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))"),
        ("(256,256):(256,1)", (8, 16), "(8,16):(16,1)"),
        // In blocks: of 16 bytes along either mode, of a swizzle's rows, and larger than a tile.
        ("(256,(8,32)):(8,(1,2048))", (64, 64), "(64,(8,8)):(8,(1,512))"),
        ("((8,32),256):((1,2048),8)", (64, 64), "((8,8),64):((1,512),8)"),
        ("(256,(32,8)):(32,(1,8192))", (64, 64), "S<2,3,3> o 0 o (64,(32,2)):(32,(1,2048))"),
        ("(256,(128,2)):(128,(1,32768))", (64, 64), "S<3,3,3> o 0 o (64,64):(64,1)"),
        ("((64,4),256):((1,16384),64)", (128, 64), "S<3,3,3> o 0 o ((64,2),64):((1,4096),64)"),
        ("((64,4),256):((256,16448),1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
        ("((2,4,32),256):((256,8192,512),1)", (32, 64), "S<3,3,3> o 0 o (32,64):(64,1)"),
    ] {
        let transfer = of(global, tile, shared).expect("boxes");
        let layout = any_layout(shared).expect("a layout");
        let modes = global.parse::<Layout>().expect("a layout").modes();
        let mut places = std::collections::HashMap::new();
        for part in &transfer.parts {
            let dimensions = &transfer.map.dimensions;
            let size: i64 = dimensions.iter().map(|dimension| dimension.box_extent).product();
            for i in 0..size {
                // A coordinate is the sum of its digits' blocks.
                let (mut rest, mut coordinate) = (i, [0, 0]);
                for (dimension, start) in dimensions.iter().zip(&part.start) {
                    let digit = digits(&modes[dimension.mode])[dimension.digit];
                    let step = start + rest % dimension.box_extent;
                    rest /= dimension.box_extent;
                    coordinate[dimension.mode] += step * digit.block;
                    assert_eq!(dimension.stride, 2 * digit.stride);
                }
                places.insert(coordinate, part.offset + i);
            }
        }
        for column in 0..tile.1 {
            for row in 0..tile.0 {
                let place = layout.inner().at(row + tile.0 * column).expect("in range");
                assert_eq!(places.get(&[row, column]), Some(&place), "{shared} {row} {column}");
            }
        }
        assert_eq!(places.len() as i64, tile.0 * tile.1);
    }
}

/// A batch is one more dimension, and one matrix for all of it is none.
#[test]
fn a_batch_is_a_dimension_unless_it_is_one_matrix() {
    let of = |global: &str| {
        let global: Layout = global.parse().expect("a layout");
        let predicate = |stride: &str, limit, divisor| {
            let layout = format!("(128,64,1):{stride}").parse().expect("a layout");
            Coordinates { layout, limit, divisor }
        };
        let coordinates = [
            predicate("(1,0,0)", 256, 128),
            predicate("(0,1,0)", 512, 64),
            predicate("(0,0,1)", 3, 1),
        ];
        let shared = any_layout("S<3,3,3> o 0 o (128,64):(64,1)").expect("a layout");
        let tile =
            Tile { global: &global, coordinates: &coordinates, shared: &shared, element_bytes: 2 };
        derive(&tile).map(|transfer| (transfer.map.dimensions, transfer.parts))
    };
    let row = Dimension { mode: 1, digit: 0, extent: 512, stride: 2, box_extent: 64 };
    let column = Dimension { mode: 0, digit: 0, extent: 256, stride: 1024, box_extent: 128 };
    let batch = Dimension { mode: 2, digit: 0, extent: 3, stride: 262_144, box_extent: 1 };
    let part = |rank| vec![Part { start: vec![0; rank], offset: 0 }];
    assert_eq!(of("(256,512,3):(512,1,131072)"), Ok((vec![row, column, batch], part(3))));
    assert_eq!(of("(256,512,3):(512,1,0)"), Ok((vec![row, column], part(2))));
    assert_eq!(
        of("(256,512,3):(512,1,131073)").expect_err("no map"),
        "expected a stride of a multiple of 16 bytes below 2^40 along mode 2 of the matrix, \
         found 262146 in (256,512,3):(512,1,131073)"
    );
}

/// An interleaved matrix, as CUDA calls it: a dimension for the blocks, and no interleave.
#[test]
fn blocks_are_a_dimension() {
    let transfer =
        of("(200,(8,17)):(8,(1,1600))", (64, 64), "(64,(8,8)):(8,(1,512))").expect("a box");
    let of = |mode, digit, extent, stride, box_extent| Dimension {
        mode,
        digit,
        extent,
        stride,
        box_extent,
    };
    assert_eq!(
        transfer.map.dimensions,
        [of(1, 0, 8, 2, 8), of(0, 0, 200, 16, 64), of(1, 1, 17, 3200, 8)]
    );
    assert_eq!(transfer.map.swizzle, 0);
    assert_eq!(transfer.parts, [Part { start: vec![0, 0, 0], offset: 0 }]);
}

#[test]
fn digits_of_a_mode_are_its_strides() {
    let of = |text: &str| {
        let digits = digits(&text.parse::<Layout>().expect("a layout"));
        let all = digits.into_iter().map(|d| (d.block, d.count, d.extent, d.stride));
        all.collect::<Vec<_>>()
    };
    assert_eq!(of("(8,17):(1,1600)"), [(1, Some(8), 8, 1), (8, None, 17, 1600)]);
    assert_eq!(of("(8,1,4,2):(1,7,8,64)"), [(1, Some(32), 32, 1), (32, None, 2, 64)]);
    assert_eq!(of("(8,1):(1,1600)"), [(1, None, 8, 1)]);
    assert_eq!(of("(1,1):(5,9)"), [(1, None, 1, 9)]);
    let digits = digits(&"(8,4,3):(1,100,1000)".parse::<Layout>().expect("a layout"));
    assert_eq!(digits.iter().map(|digit| digit.of(77)).collect::<Vec<_>>(), [5, 1, 2]);
    assert!(digits[0].is_zero(8) && !digits[1].is_zero(8) && digits[1].is_zero(32));
    assert!(!digits[2].is_zero(32) && digits[0].is_zero(0));
    assert_eq!(misfit(&digits, 32, 32), None);
    assert_eq!(misfit(&digits, 8, 8), None);
    assert_eq!(misfit(&digits, 4, 4), None);
    assert_eq!(misfit(&digits, 8, 16), Some(32));
    assert_eq!(misfit(&digits, 12, 12), Some(8));
}

#[test]
fn other_layouts_are_refused_with_the_condition() {
    let error = |global, tile, shared| of(global, tile, shared).expect_err("no boxes");
    assert_eq!(
        error("(4097,4099):(4099,1)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
        "expected a stride of a multiple of 16 bytes below 2^40 along mode 0 of the matrix, \
         found 8198 in (4097,4099):(4099,1)"
    );
    assert_eq!(
        error("(256,256):(1,256)", (128, 64), "S<3,3,3> o 0 o (128,64):(64,1)"),
        "expected mode 1 of the matrix, which is contiguous in shared memory, to have stride \
         1, found (256,256):(1,256)"
    );
    assert_eq!(
        error("(256,256):(256,1)", (128, 32), "S<3,3,3> o 0 o (128,32):(32,1)"),
        "expected rows of 64 elements in shared memory, which fill a swizzle of 128 bytes, \
         found 32 in S<3,3,3> o 0 o (128,32):(32,1)"
    );
    assert_eq!(
        error("(256,256):(256,1)", (128, 64), "(128,64):(72,1)"),
        "expected a tile that fills shared memory without holes, found 64 of 8192 elements in \
         a row in (128,64):(72,1)"
    );
    assert_eq!(
        error("(256,256):(256,1)", (16, 4), "(16,4):(4,1)"),
        "expected rows in shared memory that are a multiple of 16 bytes, found 8 in \
         (16,4):(4,1)"
    );
    assert_eq!(
        error("(256,(24,8)):(24,(1,6144))", (64, 64), "(64,(8,8)):(8,(1,512))"),
        "expected tiles of whole blocks of 24 along mode 1 of the matrix, or within one, found \
         64 from multiples of 64 on in (256,(24,8)):(24,(1,6144))"
    );
    assert_eq!(
        error("(256,(8,8)):(9,(1,4096))", (64, 64), "(64,(8,8)):(8,(1,512))"),
        "expected a stride of a multiple of 16 bytes below 2^40 along mode 0 of the matrix, \
         found 18 in (256,(8,8)):(9,(1,4096))"
    );
    assert_eq!(
        error(
            "((2,2,2,8),(8,8)):((8,32,128,1024),(1,8192))",
            (64, 64),
            "((2,2,2,8),(8,8)):((8,16,32,64),(1,512))"
        ),
        "expected at most 5 strides in all modes of the matrix, as a tensor map has dimensions, \
         found 6 in ((2,2,2,8),(8,8)):((8,32,128,1024),(1,8192))"
    );
}
