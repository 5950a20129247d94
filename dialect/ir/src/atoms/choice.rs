//! What a matmul says of its schedule: one, or that a pass shall choose one for a chip.

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
    },
}

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
        if cursor.take(',') {
            let mut place = cursor.clone();
            if cursor.word() != Some("chip") {
                let expected = "'chip', which is all that 'auto' takes";
                return Err(place.expected(expected).coded(Code::ScheduleKey));
            }
            cursor.require('=')?;
            let mut place = cursor.clone();
            match cursor.quoted().filter(|chip| atoms::chip_number(chip).is_some()) {
                Some(name) => name.clone_into(&mut chip),
                None => return Err(schedule::chip_expected(&mut place)),
            }
        }
        if !cursor.at_end() {
            return Err(cursor.expected("',' or the end of the schedule"));
        }
        Ok(Self::Auto { chip })
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
            Self::Auto { chip } if chip == DEFAULT_CHIP => write!(f, "auto"),
            Self::Auto { chip } => write!(f, "auto, chip = \"{chip}\""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for text in
            ["auto", "auto, chip = \"sm_90a\"", "tile = (128,128,32), warps = (2,2), stages = 3"]
        {
            assert_eq!(text.parse::<Choice>().expect("a choice").to_string(), text);
        }
        let explicit: Choice = "auto, chip = \"sm_80\"".parse().expect("a choice");
        assert_eq!(explicit.to_string(), "auto");
    }

    #[test]
    fn errors_name_the_place() {
        let error = |text: &str| text.parse::<Choice>().expect_err("no choice").to_string();
        assert_eq!(
            error("auto, tile = (1,1,1)"),
            "expected 'chip', which is all that 'auto' takes, found 'tile' (at byte 6)"
        );
        assert_eq!(
            error("auto, chip = \"gfx90a\""),
            "expected the name of a chip, such as \"sm_80\", found '\"' (at byte 13)"
        );
        assert_eq!(
            error("auto chip"),
            "expected ',' or the end of the schedule, found 'chip' (at byte 5)"
        );
    }
}
