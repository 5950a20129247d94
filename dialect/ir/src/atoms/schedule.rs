//! How a matmul is tiled: the contents of `#layout.schedule<…>`.

use crate::{
    atoms,
    diagnostics::{
        codes::Code,
        text::{Cursor, TextError},
    },
};
use layout_algebra::Layout;
use std::{fmt, str::FromStr};

/// The chip that a schedule is for when it names none.
pub const DEFAULT_CHIP: &str = "sm_80";

/// A matmul's schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// A block's share of (M, N, K).
    pub tile: (i64, i64, i64),
    /// Warps along (M, N).
    pub warps: (i64, i64),
    /// Tiles along K that are in flight at once.
    pub stages: i64,
    /// The MMA atom's name; by default the one for the element types.
    pub mma: Option<String>,
    /// Whether each tile along K is accumulated separately and promoted to f32 (two-level accumulation).
    pub two_level_accumulation: bool,
    /// Whether A and B are swapped: `transpose(C) = B * transpose(A)`, so that M is the extent of B.
    pub swap_ab: bool,
    /// The cluster's blocks along (M, N), which multicast tiles to each other.
    pub cluster: (i64, i64),
    /// Split-K: the slices of K, each accumulated by its own blocks; 1 for none.
    pub split_k: i64,
    /// Stream-K: the number of blocks, among which the tiles along K of all tiles of C are divided evenly, one
    /// tile's behind the other's.
    pub stream_k: Option<i64>,
    /// Ping-pong: the sets of `warps`, which take tiles alternately, so that one multiplies while another
    /// runs its epilogue; 1 for none.
    pub ping_pong: i64,
    /// The stages of the epilogue: pieces of a warpgroup's results that may be in flight to memory
    /// at once; by default two, where they fit.
    pub epilogue_stages: Option<i64>,
    /// The rasterisation order: a layout from a tile's number to its column-major number in C; by
    /// default one that goes along M in groups.
    pub raster: Option<Layout>,
    /// The target chip, such as `sm_90a`.
    pub chip: String,
}

/// The greatest integer of a schedule: beyond what any chip has of anything, and so small that what
/// is computed of a few of them stays in range.
const GREATEST: i64 = 1 << 16;

/// The keys, as a message lists them.
const KEYS: &str = "one of 'tile', 'warps', 'stages', 'mma', 'two_level_accumulation', 'swap_ab', 'cluster', \
                    'split_k', 'stream_k', 'ping_pong', 'epilogue_stages', 'raster' and 'chip'";

/// The keys, for what is most like another.
const NAMES: [&str; 13] = [
    "tile",
    "warps",
    "stages",
    "mma",
    "two_level_accumulation",
    "swap_ab",
    "cluster",
    "split_k",
    "stream_k",
    "ping_pong",
    "epilogue_stages",
    "raster",
    "chip",
];

/// Keys that had another spelling before 0.1, and the keys that they are now.
const OLD_SPELLINGS: [(&str, &str); 5] = [
    ("exchange", "swap_ab"),
    ("splits", "split_k"),
    ("teams", "ping_pong"),
    ("buffers", "epilogue_stages"),
    ("promote", "two_level_accumulation"),
];

/// The key that replaced an old spelling.
fn replacement(key: &str) -> Option<&'static str> {
    OLD_SPELLINGS.iter().find(|(old, _)| *old == key).map(|&(_, new)| new)
}

/// The sets of warps of `ping_pong = true`.
const PING_PONG: i64 = 2;

/// The error that no chip's name stands here.
pub(crate) fn chip_expected(cursor: &mut Cursor<'_>) -> TextError {
    cursor.expected("the name of a chip, such as \"sm_80\"").coded(Code::ScheduleValue)
}

/// The keys that were read so far; a key that was not is none.
#[derive(Default)]
struct Parts {
    tile: Option<(i64, i64, i64)>,
    warps: Option<(i64, i64)>,
    stages: Option<i64>,
    mma: Option<String>,
    two_level_accumulation: Option<bool>,
    swap_ab: Option<bool>,
    cluster: Option<(i64, i64)>,
    split_k: Option<i64>,
    stream_k: Option<i64>,
    ping_pong: Option<i64>,
    epilogue_stages: Option<i64>,
    raster: Option<Layout>,
    chip: Option<String>,
}

impl Parts {
    /// Whether a key has been read; none when there is no such key.
    fn has(&self, key: &str) -> Option<bool> {
        Some(match key {
            "tile" => self.tile.is_some(),
            "warps" => self.warps.is_some(),
            "stages" => self.stages.is_some(),
            "mma" => self.mma.is_some(),
            "two_level_accumulation" => self.two_level_accumulation.is_some(),
            "swap_ab" => self.swap_ab.is_some(),
            "cluster" => self.cluster.is_some(),
            "split_k" => self.split_k.is_some(),
            "stream_k" => self.stream_k.is_some(),
            "ping_pong" => self.ping_pong.is_some(),
            "epilogue_stages" => self.epilogue_stages.is_some(),
            "raster" => self.raster.is_some(),
            "chip" => self.chip.is_some(),
            _ => return None,
        })
    }

    /// Reads a key and its value.
    fn entry(&mut self, cursor: &mut Cursor<'_>) -> Result<(), TextError> {
        let mut place = cursor.clone();
        let Some(key) = cursor.word() else {
            return Err(cursor.expected(KEYS).coded(Code::ScheduleKey));
        };
        match self.has(key) {
            None => {
                if let Some(new) = replacement(key) {
                    let expected = format!("'{new}', which '{key}' is called now");
                    return Err(place.expected(&expected).coded(Code::ScheduleKey));
                }
                let error = place.expected(KEYS).coded(Code::ScheduleKey);
                return Err(error.like(key, NAMES));
            }
            Some(true) => {
                place.offset();
                let message = format!("expected '{key}' once, found it again");
                return Err(place.error(message).coded(Code::ScheduleKey));
            }
            Some(false) => {}
        }
        cursor.require('=')?;
        self.read(key, cursor)
    }

    /// Reads a key's value.
    fn read(&mut self, key: &str, cursor: &mut Cursor<'_>) -> Result<(), TextError> {
        let mut place = cursor.clone();
        match key {
            "tile" => self.tile = Some(tuple::<3>(cursor)?.into()),
            "warps" => self.warps = Some(tuple::<2>(cursor)?.into()),
            "stages" => self.stages = Some(positive(cursor)?),
            "cluster" => self.cluster = Some(tuple::<2>(cursor)?.into()),
            "split_k" => self.split_k = Some(positive(cursor)?),
            "stream_k" => self.stream_k = Some(positive(cursor)?),
            "ping_pong" => self.ping_pong = Some(sets(cursor)?),
            "epilogue_stages" => self.epilogue_stages = Some(positive(cursor)?),
            "mma" => {
                let word = cursor.word().unwrap_or("");
                match atoms::lookup(word) {
                    Some(atom) if atom.mma().is_some() => self.mma = Some(atom.name.to_owned()),
                    _ => {
                        let atoms = atoms::all().iter().filter(|atom| atom.mma().is_some());
                        let error = place.expected("the name of an MMA atom");
                        let error = error.coded(Code::ScheduleValue);
                        return Err(error.like(word, atoms.map(|atom| atom.name)));
                    }
                }
            }
            "two_level_accumulation" => self.two_level_accumulation = Some(boolean(cursor)?),
            "swap_ab" => self.swap_ab = Some(boolean(cursor)?),
            "raster" => match cursor.quoted().and_then(|text| text.parse().ok()) {
                Some(layout) => self.raster = Some(layout),
                None => {
                    let expected = "a layout, such as \"(4,8,2):(1,8,4)\"";
                    return Err(place.expected(expected).coded(Code::ScheduleValue));
                }
            },
            _ => match cursor.quoted().filter(|chip| atoms::chip_number(chip).is_some()) {
                Some(name) => self.chip = Some(name.to_owned()),
                None => return Err(chip_expected(&mut place)),
            },
        }
        Ok(())
    }
}

fn tuple<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[i64; N], TextError> {
    let mut values = [0; N];
    cursor.require('(')?;
    for (i, value) in values.iter_mut().enumerate() {
        if i > 0 {
            cursor.require(',')?;
        }
        *value = positive(cursor)?;
    }
    cursor.require(')')?;
    Ok(values)
}

fn positive(cursor: &mut Cursor<'_>) -> Result<i64, TextError> {
    let before = cursor.clone();
    match cursor.integer() {
        Some(Ok(value)) if (1..=GREATEST).contains(&value) => Ok(value),
        Some(Err(error)) => Err(error),
        _ => {
            *cursor = before;
            let expected = format!("an integer from 1 to {GREATEST}");
            Err(cursor.expected(&expected).coded(Code::ScheduleValue))
        }
    }
}

fn boolean(cursor: &mut Cursor<'_>) -> Result<bool, TextError> {
    let mut place = cursor.clone();
    match cursor.word() {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        _ => Err(place.expected("'true' or 'false'").coded(Code::ScheduleValue)),
    }
}

/// The sets of warps of `ping_pong`: two where it is true, one where it is false, or a number.
fn sets(cursor: &mut Cursor<'_>) -> Result<i64, TextError> {
    let mut place = cursor.clone();
    if let Ok(boolean) = boolean(cursor) {
        return Ok(if boolean { PING_PONG } else { 1 });
    }
    *cursor = place.clone();
    positive(cursor).map_err(|_| {
        let expected = format!("'true', 'false' or an integer from 1 to {GREATEST}");
        place.expected(&expected).coded(Code::ScheduleValue)
    })
}

/// The first of the errors in a text.
pub(crate) fn first(errors: Vec<TextError>) -> TextError {
    let none = || Cursor::new("").expected("a schedule");
    errors.into_iter().next().unwrap_or_else(none)
}

impl FromStr for Schedule {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::read(text).map_err(first)
    }
}

impl Schedule {
    /// Reads a schedule; all that is wrong with it otherwise, key by key.
    pub(crate) fn read(text: &str) -> Result<Self, Vec<TextError>> {
        let mut parts = Parts::default();
        let mut errors = Vec::new();
        // Keys whose values were refused, and what unknown keys are most like: they are not missing.
        let mut meant = Vec::new();
        let mut cursor = Cursor::new(text);
        loop {
            let mut start = cursor.clone();
            if let Err(error) = parts.entry(&mut cursor) {
                errors.push(error);
                cursor = start.clone();
                cursor.skip_to(',');
                meant.extend(layout_algebra::nearest_name(start.word().unwrap_or(""), NAMES));
            }
            if !cursor.take(',') {
                break;
            }
        }
        if !cursor.at_end() {
            errors.push(cursor.expected("',' or the end of the schedule"));
        }
        for key in ["tile", "warps", "stages"] {
            if parts.has(key) == Some(false) && !meant.contains(&key) {
                let message = format!("expected '{key}' in a schedule, found none");
                errors.push(cursor.error(message).coded(Code::ScheduleKey));
            }
        }
        match (parts.tile, parts.warps, parts.stages) {
            (Some(tile), Some(warps), Some(stages)) if errors.is_empty() => Ok(Self {
                tile,
                warps,
                stages,
                mma: parts.mma,
                two_level_accumulation: parts.two_level_accumulation.unwrap_or(false),
                swap_ab: parts.swap_ab.unwrap_or(false),
                cluster: parts.cluster.unwrap_or((1, 1)),
                split_k: parts.split_k.unwrap_or(1),
                stream_k: parts.stream_k,
                ping_pong: parts.ping_pong.unwrap_or(1),
                epilogue_stages: parts.epilogue_stages,
                raster: parts.raster,
                chip: parts.chip.unwrap_or_else(|| DEFAULT_CHIP.to_owned()),
            }),
            _ => Err(errors),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, n, k) = self.tile;
        let (wm, wn) = self.warps;
        write!(f, "tile = ({m},{n},{k}), warps = ({wm},{wn}), stages = {}", self.stages)?;
        if let Some(mma) = &self.mma {
            write!(f, ", mma = {mma}")?;
        }
        if self.two_level_accumulation {
            write!(f, ", two_level_accumulation = true")?;
        }
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
            1 => {}
            PING_PONG => write!(f, ", ping_pong = true")?,
            sets => write!(f, ", ping_pong = {sets}")?,
        }
        if let Some(stages) = self.epilogue_stages {
            write!(f, ", epilogue_stages = {stages}")?;
        }
        if let Some(raster) = &self.raster {
            write!(f, ", raster = \"{raster}\"")?;
        }
        if self.chip != DEFAULT_CHIP {
            write!(f, ", chip = \"{}\"", self.chip)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "../../tests/units/atoms/schedule.rs"]
mod tests;
