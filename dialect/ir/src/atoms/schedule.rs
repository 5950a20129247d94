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
    /// tile's after the other's.
    pub stream_k: Option<i64>,
    /// Ping-pong: the sets of `warps`, which take tiles alternately, so that one multiplies while another
    /// runs its epilogue; 1 for none.
    pub ping_pong: i64,
    /// The stages of the epilogue: pieces of a warpgroup's results that may be in flight to memory
    /// at once; by default two, where they fit.
    pub epilogue_stages: Option<i64>,
    /// The rasterisation order: a layout from a tile's number to its column-major number in C; by
    /// default one that goes along M, or along N, in groups.
    pub raster: Option<Layout>,
    /// The target chip, such as `sm_90a`.
    pub chip: String,
}

/// The greatest integer of a schedule: more than any chip has of anything, and small enough that products of a few of
/// them do not overflow.
const MAX_INTEGER: i64 = 1 << 16;

/// The keys.
const KEYS: [&str; 13] = [
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

/// The error that no key is here.
fn key_expected(cursor: &mut Cursor<'_>) -> TextError {
    let [keys @ .., last] = KEYS;
    let expected = format!("one of '{}' and '{last}'", keys.join("', '"));
    cursor.expected(&expected).coded(Code::ScheduleKey)
}

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

/// The error that no chip's name is here.
pub(crate) fn chip_expected(cursor: &mut Cursor<'_>) -> TextError {
    cursor.expected("the name of a chip, such as \"sm_80\"").coded(Code::ScheduleValue)
}

/// A schedule as far as it was read.
struct Reader {
    schedule: Schedule,
    /// The keys that were read.
    keys: Vec<&'static str>,
}

impl Reader {
    /// Reads a key and its value.
    fn entry(&mut self, cursor: &mut Cursor<'_>) -> Result<(), TextError> {
        let mut place = cursor.clone();
        let Some(word) = cursor.word() else { return Err(key_expected(cursor)) };
        let Some(&key) = KEYS.iter().find(|key| **key == word) else {
            if let Some(new) = replacement(word) {
                let expected = format!("'{new}', the new name of '{word}'");
                return Err(place.expected(&expected).coded(Code::ScheduleKey));
            }
            return Err(key_expected(&mut place).like(word, KEYS));
        };
        if self.keys.contains(&key) {
            place.offset();
            let message = format!("expected '{key}' once, found it again");
            return Err(place.error(message).coded(Code::ScheduleKey));
        }
        cursor.require('=')?;
        self.read(key, cursor)?;
        self.keys.push(key);
        Ok(())
    }

    /// Reads a key's value.
    fn read(&mut self, key: &str, cursor: &mut Cursor<'_>) -> Result<(), TextError> {
        let mut place = cursor.clone();
        let own = &mut self.schedule;
        match key {
            "tile" => own.tile = tuple::<3>(cursor)?.into(),
            "warps" => own.warps = tuple::<2>(cursor)?.into(),
            "stages" => own.stages = positive(cursor)?,
            "cluster" => own.cluster = tuple::<2>(cursor)?.into(),
            "split_k" => own.split_k = positive(cursor)?,
            "stream_k" => own.stream_k = Some(positive(cursor)?),
            "ping_pong" => own.ping_pong = sets(cursor)?,
            "epilogue_stages" => own.epilogue_stages = Some(positive(cursor)?),
            "two_level_accumulation" => own.two_level_accumulation = boolean(cursor)?,
            "swap_ab" => own.swap_ab = boolean(cursor)?,
            "mma" => {
                let word = cursor.word().unwrap_or("");
                match atoms::lookup(word) {
                    Some(atom) if atom.mma().is_some() => own.mma = Some(atom.name.to_owned()),
                    _ => {
                        let atoms = atoms::all().iter().filter(|atom| atom.mma().is_some());
                        let error = place.expected("the name of an MMA atom");
                        let error = error.coded(Code::ScheduleValue);
                        return Err(error.like(word, atoms.map(|atom| atom.name)));
                    }
                }
            }
            "raster" => match cursor.quoted().and_then(|text| text.parse().ok()) {
                Some(layout) => own.raster = Some(layout),
                None => {
                    let expected = "a layout, such as \"(4,8,2):(1,8,4)\"";
                    return Err(place.expected(expected).coded(Code::ScheduleValue));
                }
            },
            _ => match cursor.quoted().filter(|chip| atoms::chip_number(chip).is_some()) {
                Some(name) => own.chip = name.to_owned(),
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
        Some(Ok(value)) if (1..=MAX_INTEGER).contains(&value) => Ok(value),
        Some(Err(error)) => Err(error),
        _ => {
            *cursor = before;
            let expected = format!("an integer from 1 to {MAX_INTEGER}");
            Err(cursor.expected(&expected).coded(Code::ScheduleValue))
        }
    }
}

pub(crate) fn boolean(cursor: &mut Cursor<'_>) -> Result<bool, TextError> {
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
        let expected = format!("'true', 'false' or an integer from 1 to {MAX_INTEGER}");
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
        let mut reader = Reader { schedule: Self::initial(), keys: Vec::new() };
        let mut errors = Vec::new();
        // Keys whose values were refused, and what unknown keys are most like: they are not missing.
        let mut meant = Vec::new();
        let mut cursor = Cursor::new(text);
        loop {
            let mut start = cursor.clone();
            if let Err(error) = reader.entry(&mut cursor) {
                errors.push(error);
                cursor = start.clone();
                cursor.skip_to(',');
                meant.extend(layout_algebra::nearest_name(start.word().unwrap_or(""), KEYS));
            }
            if !cursor.take(',') {
                break;
            }
        }
        if !cursor.at_end() {
            errors.push(cursor.expected("',' or the end of the schedule"));
        }
        for key in ["tile", "warps", "stages"] {
            if !reader.keys.contains(&key) && !meant.contains(&key) {
                let message = format!("expected '{key}' in a schedule, found none");
                errors.push(cursor.error(message).coded(Code::ScheduleKey));
            }
        }
        if errors.is_empty() { Ok(reader.schedule) } else { Err(errors) }
    }

    /// The values of keys that a schedule does not have; `tile`, `warps` and `stages` are always read.
    fn initial() -> Self {
        Self {
            tile: (1, 1, 1),
            warps: (1, 1),
            stages: 1,
            mma: None,
            two_level_accumulation: false,
            swap_ab: false,
            cluster: (1, 1),
            split_k: 1,
            stream_k: None,
            ping_pong: 1,
            epilogue_stages: None,
            raster: None,
            chip: DEFAULT_CHIP.to_owned(),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (m, n, k) = self.tile;
        let (wm, wn) = self.warps;
        write!(f, "tile = ({m},{n},{k}), warps = ({wm},{wn}), stages = {}", self.stages)?;
        let or_default = |value: i64| Some(value).filter(|&value| value != 1);
        let integer = |value: Option<i64>| value.map(|value| value.to_string());
        let boolean = |value: bool| value.then(|| "true".to_owned());
        let quoted = |value: String| format!("\"{value}\"");
        let (rows, columns) = self.cluster;
        let ping_pong = match self.ping_pong {
            PING_PONG => boolean(true),
            sets => integer(or_default(sets)),
        };
        let others = [
            ("mma", self.mma.clone()),
            ("two_level_accumulation", boolean(self.two_level_accumulation)),
            ("swap_ab", boolean(self.swap_ab)),
            ("cluster", ((rows, columns) != (1, 1)).then(|| format!("({rows},{columns})"))),
            ("split_k", integer(or_default(self.split_k))),
            ("stream_k", integer(self.stream_k)),
            ("ping_pong", ping_pong),
            ("epilogue_stages", integer(self.epilogue_stages)),
            ("raster", self.raster.as_ref().map(|raster| quoted(raster.to_string()))),
            ("chip", (self.chip != DEFAULT_CHIP).then(|| quoted(self.chip.clone()))),
        ];
        others
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .try_for_each(|(key, value)| write!(f, ", {key} = {value}"))
    }
}

#[cfg(test)]
#[path = "../../tests/units/atoms/schedule.rs"]
mod tests;
