//! Matrices that bulk copies take, and why they refuse others.

use super::*;

fn of(text: &str, tile: (i64, i64)) -> Result<(Major, i64), String> {
    let layout: Layout = text.parse().expect("a layout");
    Rows::of("A", Memory::workspace(&layout, 2), tile).map(|rows| (rows.major, rows.width))
}

#[test]
fn a_stride_for_each_mode_is_taken_in_any_tiles() {
    let tile = (128, 64);
    assert_eq!(of("(200,72):(72,1)", tile), Ok((Major::Reduction, 0)));
    assert_eq!(of("(200,72):(1,200)", tile), Ok((Major::Outer, 0)));
    assert_eq!(of("(200,72,3):(72,1,0)", tile), Ok((Major::Reduction, 0)));
    assert_eq!(of("(200,72,(3,2)):(72,1,(14400,0))", tile), Ok((Major::Reduction, 0)));
    assert_eq!(of("(1,72):(72,1)", tile), Ok((Major::Reduction, 0)));
    assert_eq!(of("(8,1):(1,8)", tile), Ok((Major::Outer, 0)));
    // Leaves that continue as one stride are one.
    assert_eq!(of("((8,25),72):((72,576),1)", tile), Ok((Major::Reduction, 0)));
    assert_eq!(of("(200,(8,9)):(72,(1,8))", tile), Ok((Major::Reduction, 0)));
}

#[test]
fn a_last_leaf_of_one_element_is_a_block() {
    let tiles = |text: &str, tile| {
        let layout: Layout = text.parse().expect("a layout");
        whole_blocks("A", &layout, tile, 2).is_ok()
    };
    assert!(!tiles("((66,1),56):((209,13858),1)", (64, 64)));
    assert!(tiles("((66,1),56):((209,13858),1)", (66, 64)));
    assert!(tiles("((66,1),56):((209,13794),1)", (64, 64)));
    assert!(tiles("(200,(8,1)):(8,(1,1600))", (64, 64)));
    assert!(tiles("((1,1),56):((209,13858),1)", (64, 64)));
}

#[test]
fn blocks_are_rows_in_shared_memory() {
    let tile = (128, 64);
    assert_eq!(of("(200,(8,9)):(8,(1,1600))", tile), Ok((Major::Reduction, 8)));
    assert_eq!(of("(200,(32,9)):(32,(1,6400))", tile), Ok((Major::Reduction, 32)));
    assert_eq!(of("((64,4),72):((1,4608),64)", tile), Ok((Major::Outer, 64)));
    // A tile within a block, and blocks along the other mode.
    assert_eq!(of("(200,(256,2)):(256,(1,51200))", tile), Ok((Major::Reduction, 256)));
    assert_eq!(of("((64,4),72):((80,8192),1)", tile), Ok((Major::Reduction, 0)));
}

/// A row that ends inside of a granule would be stored to the granule's end.
#[test]
fn results_are_stored_in_rows_of_whole_granules() {
    let stored = |text: &str, bytes| {
        let layout: Layout = text.parse().expect("a layout");
        let memory = Memory { is_workspace: false, ..Memory::workspace(&layout, bytes) };
        Rows::stored("C", memory, (64, 16)).map(|rows| rows.major)
    };
    let layout = "(896,127):(128,1)".parse().expect("a layout");
    assert!(Rows::stored("C", Memory::workspace(&layout, 4), (64, 16)).is_ok());
    assert_eq!(stored("(896,128):(128,1)", 4), Ok(Major::Reduction));
    assert_eq!(stored("(896,124):(128,1)", 4), Ok(Major::Reduction));
    assert_eq!(stored("(896,128):(1,896)", 4), Ok(Major::Outer));
    for (text, bytes) in [
        ("(896,127):(128,1)", 4),
        ("(127,129):(132,1)", 4),
        ("(127,125):(128,1)", 2),
        ("(127,1):(8,1)", 2),
        ("(127,127,3):(128,1,16384)", 1),
        ("(127,64):(1,128)", 2),
    ] {
        assert!(stored(text, bytes).is_err(), "{text} of {bytes} bytes");
    }
    assert_eq!(
        stored("(896,127):(128,1)", 4),
        Err("expected C in rows of a multiple of 16 bytes, as bulk tensor copies store them, found rows of \
             127 elements of 4 bytes in (896,127):(128,1)"
            .to_owned())
    );
}

#[test]
fn other_matrices_are_refused_with_the_condition() {
    let error = |text, tile| of(text, tile).expect_err("refused");
    assert_eq!(
        error("(200,72):(144,2)", (128, 64)),
        "expected A with stride 1 along one mode for bulk tensor copies, found \
         (200,72):(144,2); use (200,72):(72,1)"
    );
    assert_eq!(
        error("(200,70):(70,1)", (128, 64)),
        "expected A with strides that are multiples of 16 bytes, except for the stride of 1, for bulk tensor copies, found 70 of 2 bytes in (200,70):(70,1); use (200,70):(72,1)"
    );
    assert_eq!(
        error("(200,72,2):(72,1,14401)", (128, 64)),
        "expected A with strides that are multiples of 16 bytes, except for the stride of 1, for bulk tensor copies, found 14401 of 2 bytes in (200,72,2):(72,1,14401); use (200,72,2):(72,1,14400)"
    );
    assert_eq!(
        error("(200,(4,18)):(8,(1,1600))", (128, 64)),
        "expected A in blocks of a multiple of 16 bytes for bulk tensor copies, found blocks of 4 elements of 2 bytes in (200,(4,18)):(8,(1,1600)); use (200,72):(72,1)"
    );
    assert_eq!(
        error("(200,(24,3)):(24,(1,4800))", (128, 64)),
        "expected tiles of A that are multiples of its blocks of 24 along mode 1, or within one block, found tiles of 64 \
         of (200,(24,3)):(24,(1,4800)); use (200,72):(72,1)"
    );
    assert_eq!(
        error("((2,2,2,8),(8,9)):((8,32,128,1024),(1,8192))", (64, 64)),
        "expected A with at most 5 strides, one for each dimension of a tensor map, found 6 in \
         ((2,2,2,8),(8,9)):((8,32,128,1024),(1,8192)); use (64,72):(72,1)"
    );
}
