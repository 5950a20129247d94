//! Colours, and text with them on a terminal.

use std::fmt;

/// A colour of a picture: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(
    /// Red.
    pub u8,
    /// Green.
    pub u8,
    /// Blue.
    pub u8,
);

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Text and nothing else.
    #[default]
    Plain,
    /// With ANSI escapes.
    Ansi,
}

impl Paint {
    /// Text of an error.
    pub fn error(self, text: impl fmt::Display) -> String {
        self.wrap("1;31", text)
    }

    /// Emphasised text.
    pub fn strong(self, text: impl fmt::Display) -> String {
        self.wrap("1", text)
    }

    /// Text of less weight.
    pub fn faint(self, text: impl fmt::Display) -> String {
        self.wrap("2", text)
    }

    /// Dark text on a colour.
    pub fn on(self, colour: Rgb, text: impl fmt::Display) -> String {
        let Rgb(red, green, blue) = colour;
        self.wrap(&format!("30;48;2;{red};{green};{blue}"), text)
    }

    fn wrap(self, code: &str, text: impl fmt::Display) -> String {
        match self {
            Self::Plain => text.to_string(),
            Self::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_escapes() {
        assert_eq!(Paint::Plain.on(Rgb(1, 2, 3), 4), "4");
        assert_eq!(Paint::Ansi.on(Rgb(1, 2, 3), 4), "\x1b[30;48;2;1;2;3m4\x1b[0m");
    }
}
