//! Tests of schedules.

use super::*;

#[test]
fn text_round_trips() {
    for text in [
        "tile = (128,128,32), warps = (2,2), stages = 3",
        "tile = (64,64,32), warps = (1,2), stages = 2, mma = mma_m16n8k16_f32_bf16, chip = \"sm_90a\"",
        "tile = (64,16,256), warps = (4,1), stages = 5, two_level_accumulation = true, swap_ab = true, cluster = (2,1), split_k = 4, stream_k = 132, ping_pong = true, epilogue_stages = 3, raster = \"(4,8):(8,1)\", chip = \"sm_90a\"",
    ] {
        assert_eq!(text.parse::<Schedule>().expect("a schedule").to_string(), text);
    }
}

#[test]
fn every_error_is_reported() {
    let errors = |text: &str| -> Vec<String> {
        let errors = Schedule::read(text).expect_err("no schedule");
        errors.into_iter().map(|error| error.to_string()).collect()
    };
    assert_eq!(
        errors("tile = (128,-1,32), warp = (2,2), stages = 0"),
        [
            "expected an integer from 1 to 65536, found '-1' (at byte 12)",
            "expected one of 'tile', 'warps', 'stages', 'mma', 'two_level_accumulation', 'swap_ab', \
             'cluster', 'split_k', 'stream_k', 'ping_pong', 'epilogue_stages', 'raster' and 'chip', found 'warp' (at \
             byte 20)",
            "expected an integer from 1 to 65536, found '0' (at byte 43)",
        ]
    );
    assert_eq!(
        errors("stages = 3, "),
        [
            "expected one of 'tile', 'warps', 'stages', 'mma', 'two_level_accumulation', 'swap_ab', \
             'cluster', 'split_k', 'stream_k', 'ping_pong', 'epilogue_stages', 'raster' and 'chip', found the end (at \
             byte 12)",
            "expected 'tile' in a schedule, found none (at byte 12)",
            "expected 'warps' in a schedule, found none (at byte 12)",
        ]
    );
}

#[test]
fn errors_name_the_place() {
    let error = |text: &str| text.parse::<Schedule>().expect_err("no schedule").to_string();
    assert_eq!(
        error("tile = (128,128,32), warps = (2,2)"),
        "expected 'stages' in a schedule, found none (at byte 34)"
    );
    assert_eq!(
        error("tile = (128,0,32)"),
        "expected an integer from 1 to 65536, found '0' (at byte 12)"
    );
    assert_eq!(
        error("stages = 65537"),
        "expected an integer from 1 to 65536, found '65537' (at byte 9)"
    );
    assert_eq!(error("tile = (128,128)"), "expected ',', found ')' (at byte 15)");
    assert_eq!(
        error("stages = 3, stages = 3"),
        "expected 'stages' once, found it again (at byte 12)"
    );
    assert_eq!(
        error("depth = 3"),
        "expected one of 'tile', 'warps', 'stages', 'mma', 'two_level_accumulation', 'swap_ab', 'cluster', \
         'split_k', 'stream_k', 'ping_pong', 'epilogue_stages', 'raster' and 'chip', found 'depth' (at byte 0)"
    );
    assert_eq!(
        error("splits = 2"),
        "expected 'split_k', the new name of 'splits', found 'splits' (at byte 0)"
    );
    assert_eq!(
        error("ping_pong = 0"),
        "expected 'true', 'false' or an integer from 1 to 65536, found '0' (at byte 12)"
    );
    assert_eq!(error("swap_ab = yes"), "expected 'true' or 'false', found 'yes' (at byte 10)");
    assert_eq!(
        error("raster = \"(4,8):1\""),
        "expected a layout, such as \"(4,8,2):(1,8,4)\", found '\"' (at byte 9)"
    );
    assert_eq!(
        error("mma = ldmatrix_x4"),
        "expected the name of an MMA atom, found 'ldmatrix_x4' (at byte 6)"
    );
    assert_eq!(
        error("chip = \"gfx90a\""),
        "expected the name of a chip, such as \"sm_80\", found '\"' (at byte 7)"
    );
}
