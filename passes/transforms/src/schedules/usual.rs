//! Default schedules without warp specialisation, where no other is known or fits.

use super::{Problem, element_bytes};
use layout_dialect::schedule::Schedule;
use layout_schedule::{Chip, problem::cover};

/// The schedule for elements and a chip of which nothing is known: warps that multiply for themselves.
pub(super) fn usual(problem: &Problem) -> Result<Schedule, String> {
    let depth = match element_bytes(&problem.element) {
        1 => 64,
        2 => 32,
        _ => 16,
    };
    let tiles = |&[m, n, _]: &[i64; 3]| cover(m, 128).saturating_mul(cover(n, 128));
    let tiles = match problem.gemms.as_slice() {
        [] => tiles(&problem.extents),
        several => several.iter().fold(0, |all: i64, one| all.saturating_add(tiles(one))),
    };
    let multiprocessors = Chip::named(&problem.chip).map_or(1, |chip| chip.multiprocessors);
    let large = tiles >= multiprocessors / 2;
    let side = if large && depth > 16 { 128 } else { 64 };
    let text = format!(
        "tile = ({side},{side},{depth}), warps = (2,2), stages = 3, chip = \"{}\"",
        problem.chip
    );
    text.parse().map_err(|error| format!("the usual schedule: {error}"))
}

/// The schedules where nothing else fits: warps that multiply for themselves, in tiles that grow smaller.
pub(super) fn smallest(problem: &Problem) -> Vec<Schedule> {
    let tiles = [
        "tile = (64,64,64), warps = (2,2), stages = 3",
        "tile = (64,64,32), warps = (2,2), stages = 3",
        "tile = (64,64,16), warps = (2,2), stages = 2",
        "tile = (32,32,32), warps = (1,2), stages = 2",
        "tile = (32,32,16), warps = (1,2), stages = 2",
        "tile = (16,16,32), warps = (1,1), stages = 2",
        "tile = (16,16,16), warps = (1,1), stages = 2",
    ];
    let parsed = tiles.iter().map(|tile| format!("{tile}, chip = \"{}\"", problem.chip).parse());
    parsed.filter_map(Result::ok).collect()
}
