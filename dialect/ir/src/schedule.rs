//! How a matmul is tiled: the contents of `#layout.schedule<…>`.

use crate::{
    atoms,
    text::{Cursor, TextError},
};
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
    /// Tiles along K that are under way at once.
    pub stages: i64,
    /// The MMA atom's name; by default the one for the element types.
    pub mma: Option<String>,
    /// The target chip, such as `sm_90a`.
    pub chip: String,
}

impl Schedule {
    fn tuple<const N: usize>(cursor: &mut Cursor<'_>) -> Result<[i64; N], TextError> {
        let mut values = [0; N];
        cursor.require('(')?;
        for (i, value) in values.iter_mut().enumerate() {
            if i > 0 {
                cursor.require(',')?;
            }
            *value = Self::positive(cursor)?;
        }
        cursor.require(')')?;
        Ok(values)
    }

    fn positive(cursor: &mut Cursor<'_>) -> Result<i64, TextError> {
        let before = cursor.clone();
        match cursor.integer() {
            Some(Ok(value)) if value > 0 => Ok(value),
            Some(Err(error)) => Err(error),
            _ => {
                *cursor = before;
                Err(cursor.expected("a positive integer"))
            }
        }
    }
}

impl FromStr for Schedule {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        const KEYS: &str = "one of 'tile', 'warps', 'stages', 'mma' and 'chip'";
        let (mut tile, mut warps, mut stages, mut mma, mut chip) = (None, None, None, None, None);
        let mut cursor = Cursor::new(text);
        loop {
            let mut key_place = cursor.clone();
            let Some(key) = cursor.word() else { return Err(cursor.expected(KEYS)) };
            let seen = match key {
                "tile" => tile.is_some(),
                "warps" => warps.is_some(),
                "stages" => stages.is_some(),
                "mma" => mma.is_some(),
                "chip" => chip.is_some(),
                _ => return Err(key_place.expected(KEYS)),
            };
            if seen {
                key_place.offset();
                return Err(key_place.error(format!("expected '{key}' once, found it again")));
            }
            cursor.require('=')?;
            match key {
                "tile" => tile = Some(Self::tuple::<3>(&mut cursor)?.into()),
                "warps" => warps = Some(Self::tuple::<2>(&mut cursor)?.into()),
                "stages" => stages = Some(Self::positive(&mut cursor)?),
                "mma" => {
                    let mut place = cursor.clone();
                    match cursor.word().and_then(atoms::lookup) {
                        Some(atom) if atom.mma().is_some() => mma = Some(atom.name.to_owned()),
                        _ => return Err(place.expected("the name of an MMA atom")),
                    }
                }
                _ => {
                    let mut place = cursor.clone();
                    match cursor.quoted().filter(|chip| atoms::chip_number(chip).is_some()) {
                        Some(name) => chip = Some(name.to_owned()),
                        None => {
                            return Err(place.expected("the name of a chip, such as \"sm_80\""));
                        }
                    }
                }
            }
            if !cursor.take(',') {
                break;
            }
        }
        if !cursor.at_end() {
            return Err(cursor.expected("',' or the end of the schedule"));
        }
        let missing =
            |key: &str| cursor.error(format!("expected '{key}' in a schedule, found none"));
        Ok(Self {
            tile: tile.ok_or_else(|| missing("tile"))?,
            warps: warps.ok_or_else(|| missing("warps"))?,
            stages: stages.ok_or_else(|| missing("stages"))?,
            mma,
            chip: chip.unwrap_or_else(|| DEFAULT_CHIP.to_owned()),
        })
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
        if self.chip != DEFAULT_CHIP {
            write!(f, ", chip = \"{}\"", self.chip)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in [
            "tile = (128,128,32), warps = (2,2), stages = 3",
            "tile = (64,64,32), warps = (1,2), stages = 2, mma = mma_m16n8k16_f32_bf16, chip = \"sm_90a\"",
        ] {
            assert_eq!(text.parse::<Schedule>().expect("a schedule").to_string(), text);
        }
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
            "expected a positive integer, found '0' (at byte 12)"
        );
        assert_eq!(error("tile = (128,128)"), "expected ',', found ')' (at byte 15)");
        assert_eq!(
            error("stages = 3, stages = 3"),
            "expected 'stages' once, found it again (at byte 12)"
        );
        assert_eq!(
            error("depth = 3"),
            "expected one of 'tile', 'warps', 'stages', 'mma' and 'chip', found 'depth' (at byte 0)"
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
}
