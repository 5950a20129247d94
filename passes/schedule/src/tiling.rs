//! The parts of a schedule that times depend on, and its text.

use std::fmt;
use std::str::FromStr;

/// The keys of a schedule that times depend on. The compiler's own type has the others too: the atom, the raster order
/// and the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// A block's share of (M, N, K).
    pub tile: (i64, i64, i64),
    /// Warps along (M, N).
    pub warps: (i64, i64),
    /// Tiles along K that are in flight at once.
    pub stages: i64,
    /// Whether A and B are swapped.
    pub swap_ab: bool,
    /// The cluster's blocks along (M, N).
    pub cluster: (i64, i64),
    /// The slices of K that are summed up apart; 1 for none.
    pub split_k: i64,
    /// The blocks that share all tiles along K.
    pub stream_k: Option<i64>,
    /// The sets of warps that take tiles alternately; 1 for none.
    pub ping_pong: i64,
}

/// Warps of a warpgroup, and threads of a warp.
pub(crate) const WARPGROUP: i64 = 4;
pub(crate) const WARP: i64 = 32;

impl Tiling {
    /// Whether it is for warpgroups.
    #[must_use]
    pub fn has_warpgroups(&self) -> bool {
        self.warps.0 % WARPGROUP == 0
    }

    /// Accumulators of a thread.
    #[must_use]
    pub fn accumulators(&self) -> i64 {
        let ((m, n, _), (wm, wn)) = (self.tile, self.warps);
        m.saturating_mul(n) / wm.saturating_mul(wn).saturating_mul(WARP).max(1)
    }
}

/// Why a text is not a tiling.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} in a schedule, found '{found}'")]
pub struct ParseError {
    expected: &'static str,
    found: String,
}

impl FromStr for Tiling {
    type Err = ParseError;

    /// Reads the text of a schedule of a record: keys with values, in any order; keys that times do not depend on are
    /// passed over. The compiler's own reader says more of what is wrong.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = |expected, found: &str| ParseError { expected, found: found.to_owned() };
        let mut tiling = Self {
            tile: (0, 0, 0),
            warps: (0, 0),
            stages: 0,
            swap_ab: false,
            cluster: (1, 1),
            split_k: 1,
            stream_k: None,
            ping_pong: 1,
        };
        for entry in entries(text) {
            let (key, value) =
                entry.split_once('=').ok_or_else(|| wrong("a key and its value", entry))?;
            let (key, value) = (key.trim(), value.trim());
            let numbers = || -> Option<Vec<i64>> {
                let inside = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                let parts = inside.unwrap_or(value).split(',').map(|part| part.trim().parse().ok());
                parts.map(|number| number.filter(|&number| number > 0)).collect()
            };
            let one = || match numbers().as_deref() {
                Some(&[number]) => Ok(number),
                _ => Err(wrong("a positive integer", value)),
            };
            let pair = || match numbers().as_deref() {
                Some(&[first, second]) => Ok((first, second)),
                _ => Err(wrong("two positive integers", value)),
            };
            match key {
                "tile" => match numbers().as_deref() {
                    Some(&[m, n, k]) => tiling.tile = (m, n, k),
                    _ => return Err(wrong("three positive integers", value)),
                },
                "warps" => tiling.warps = pair()?,
                "cluster" => tiling.cluster = pair()?,
                "stages" => tiling.stages = one()?,
                "split_k" => tiling.split_k = one()?,
                "stream_k" => tiling.stream_k = Some(one()?),
                "swap_ab" => tiling.swap_ab = value == "true",
                "ping_pong" => {
                    tiling.ping_pong = match value {
                        "true" => 2,
                        "false" => 1,
                        _ => one()?,
                    }
                }
                _ => {}
            }
        }
        match tiling {
            Self { tile: (0, ..), .. } => Err(wrong("'tile'", text)),
            Self { warps: (0, _), .. } => Err(wrong("'warps'", text)),
            Self { stages: 0, .. } => Err(wrong("'stages'", text)),
            _ => Ok(tiling),
        }
    }
}

/// The entries of a text, which commas outside of brackets and quotes part.
fn entries(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0_usize, false, 0);
    let mut all = Vec::new();
    for (place, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                all.push(&text[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    all.push(&text[start..]);
    all
}

impl fmt::Display for Tiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((m, n, k), (wm, wn)) = (self.tile, self.warps);
        write!(f, "tile = ({m},{n},{k}), warps = ({wm},{wn}), stages = {}", self.stages)?;
        if self.swap_ab {
            write!(f, ", swap_ab = true")?;
        }
        if self.cluster != (1, 1) {
            write!(f, ", cluster = ({},{})", self.cluster.0, self.cluster.1)?;
        }
        if self.split_k != 1 {
            write!(f, ", split_k = {}", self.split_k)?;
        }
        if let Some(blocks) = self.stream_k {
            write!(f, ", stream_k = {blocks}")?;
        }
        match self.ping_pong {
            1 => Ok(()),
            2 => write!(f, ", ping_pong = true"),
            sets => write!(f, ", ping_pong = {sets}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in [
            "tile = (128,128,32), warps = (2,2), stages = 3",
            "tile = (64,16,256), warps = (4,1), stages = 5, swap_ab = true, cluster = (2,1), split_k = 4, ping_pong = true",
            "tile = (64,64,64), warps = (4,1), stages = 2, stream_k = 132",
        ] {
            assert_eq!(text.parse::<Tiling>().expect("a schedule").to_string(), text);
        }
        let long = "tile = (64,64,64), warps = (4,1), stages = 2, mma = wgmma_m64n64k16_f32_bf16, raster = \"(2,(2,3)):(1,(2,4))\", chip = \"sm_90a\"";
        let read = long.parse::<Tiling>().expect("a schedule");
        assert_eq!(read.to_string(), "tile = (64,64,64), warps = (4,1), stages = 2");
    }

    #[test]
    fn invalid_schedules_are_errors() {
        let error = |text: &str| text.parse::<Tiling>().expect_err("no schedule").to_string();
        assert_eq!(
            error("tile = (1,2), warps = (4,1)"),
            "expected three positive integers in a schedule, found '(1,2)'"
        );
        assert_eq!(
            error("tile = (1,2,3)"),
            "expected 'warps' in a schedule, found 'tile = (1,2,3)'"
        );
        assert_eq!(error("fast"), "expected a key and its value in a schedule, found 'fast'");
    }
}
