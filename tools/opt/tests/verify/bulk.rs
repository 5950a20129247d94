//! The copies that are proved of the copy engine: bytes in a row, and matrices in blocks.

use super::{TILED, caught_in, run_on, warpgroups};
use expect_test::expect;

/// Copies of bytes by the copy engine, and a step that reads them thread by thread.
const BULK: &str = include_str!("../../../../test/Lowering/bulk.mlir");

#[test]
fn bulk_copies_of_bytes_are_proved_right() {
    assert_eq!(run_on(BULK, "layout-to-nvvm"), (true, vec![]));
}

#[test]
fn a_bulk_copy_of_more_bytes_than_a_row_is_caught() {
    caught_in(
        BULK,
        "test-lower-other-bulk-size",
        expect![
            "test-lower-other-bulk-size: expected 512 bytes in a row for nvvm.cp.async.bulk.shared.cluster.global in @scale, found 256 of them"
        ],
    );
}

#[test]
fn a_bulk_copy_of_another_row_is_caught() {
    caught_in(
        BULK,
        "test-lower-other-bulk-row",
        expect![
            "test-lower-other-bulk-row: expected 384 as an address of loads of argument 0 in @scale, found 400 (always)"
        ],
    );
}

#[test]
fn a_stage_that_is_given_back_before_all_have_read_it_is_caught() {
    caught_in(
        BULK,
        "test-lower-no-warp-barrier",
        expect![
            "test-lower-no-warp-barrier: expected the threads of a warp to meet before one of them releases a stage in @scale, found nvvm.mbarrier.arrive"
        ],
    );
}

/// The same with A in a 16-byte interleave along K.
fn blocked() -> String {
    warpgroups("stages = 3").replace("(200,72):(72,1)", "(200,(8,9)):(8,(1,1600))")
}

#[test]
fn another_number_of_a_block_is_caught() {
    caught_in(
        &blocked(),
        &format!("{TILED}test-lower-other-block"),
        expect![
            "test-lower-other-block: expected 0 as the distance of a box from its tile in @gemm, found -4 (round of loop 3 = 1)"
        ],
    );
}

#[test]
fn a_box_of_other_blocks_is_caught() {
    caught_in(
        &blocked(),
        &format!("{TILED}test-lower-other-blocks"),
        expect![
            "test-lower-other-blocks: expected coordinates [0, 8, 0] at offset 64 of a bulk copy in @gemm, found coordinates [0, 0, 1] at offset 64"
        ],
    );
}
