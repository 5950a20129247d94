//! The schedule of a matmul: one that is given, or the request that a pass choose one for a chip.

use crate::{
    atoms::{
        self,
        schedule::{self, DEFAULT_CHIP, Schedule},
    },
    diagnostics::{
        codes::Code,
        text::{Cursor, TextError},
    },
};
use layout_schedule::Chip;
use std::{fmt, str::FromStr};

/// The contents of `#layout.schedule<…>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The schedule.
    Given(Box<Schedule>),
    /// `auto`: `layout-tile-matmul` takes one from its table.
    Auto {
        /// The target chip, such as `sm_90a`.
        chip: String,
        /// Whether a schedule of warpgroups has two-level accumulation.
        two_level_accumulation: bool,
    },
}

/// The keys of `auto`.
const KEYS: [&str; 2] = ["chip", TWO_LEVELS];

/// The key of two-level accumulation.
const TWO_LEVELS: &str = "two_level_accumulation";

impl Choice {
    /// Reads a choice; all that is wrong with it otherwise.
    pub(crate) fn read(text: &str) -> Result<Self, Vec<TextError>> {
        match Cursor::new(text).word() {
            Some("auto") => Self::auto(text).map_err(|error| vec![error]),
            _ => Schedule::read(text).map(|schedule| Self::Given(Box::new(schedule))),
        }
    }

    fn auto(text: &str) -> Result<Self, TextError> {
        let mut cursor = Cursor::new(text);
        cursor.word();
        let mut chip = DEFAULT_CHIP.to_owned();
        let mut two_level_accumulation = false;
        let mut read: Vec<&str> = Vec::new();
        while cursor.take(',') {
            let mut place = cursor.clone();
            let word = cursor.word().unwrap_or("");
            let Some(&key) = KEYS.iter().find(|key| **key == word) else {
                let expected =
                    format!("'{}', which are all that 'auto' takes", KEYS.join("' or '"));
                return Err(place.expected(&expected).coded(Code::ScheduleKey).like(word, KEYS));
            };
            if read.contains(&key) {
                place.offset();
                let message = format!("expected '{key}' once, found it again");
                return Err(place.error(message).coded(Code::ScheduleKey));
            }
            read.push(key);
            cursor.require('=')?;
            let mut place = cursor.clone();
            if key == TWO_LEVELS {
                two_level_accumulation = schedule::boolean(&mut cursor)?;
                continue;
            }
            match cursor.quoted().filter(|chip| atoms::chip_number(chip).is_some()) {
                Some(name) if Chip::named(name).is_some() => name.clone_into(&mut chip),
                Some(name) => {
                    place.offset();
                    let known = Chip::known();
                    let message = format!("expected one of the chips {known}, found \"{name}\"");
                    return Err(place.error(message).coded(Code::ScheduleValue));
                }
                None => return Err(schedule::chip_expected(&mut place)),
            }
        }
        if !cursor.at_end() {
            return Err(cursor.expected("',' or the end of the schedule"));
        }
        Ok(Self::Auto { chip, two_level_accumulation })
    }
}

impl FromStr for Choice {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        Self::read(text).map_err(schedule::first)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(schedule) => schedule.fmt(f),
            Self::Auto { chip, two_level_accumulation } => {
                write!(f, "auto")?;
                if *two_level_accumulation {
                    write!(f, ", {TWO_LEVELS} = true")?;
                }
                if chip == DEFAULT_CHIP { Ok(()) } else { write!(f, ", chip = \"{chip}\"") }
            }
        }
    }
}
