//! Colours of the terminal, and whether there are any.

use std::fmt;

/// A colour of a picture: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rgb(pub u8, pub u8, pub u8);

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Text and nothing else.
    #[default]
    Plain,
    /// With ANSI escapes.
    Ansi,
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl When {
    /// Decides, for a stream that is a terminal or not. `NO_COLOR` counts unless it is empty
    /// (<https://no-color.org>).
    pub(crate) fn paint(self, terminal: bool, no_color: Option<&std::ffi::OsStr>) -> Paint {
        let refused = no_color.is_some_and(|value| !value.is_empty());
        match self {
            Self::Always => Paint::Ansi,
            Self::Auto if terminal && !refused => Paint::Ansi,
            Self::Auto | Self::Never => Paint::Plain,
        }
    }
}

impl Paint {
    pub(crate) fn error(self, text: impl fmt::Display) -> String {
        self.wrap("1;31", text)
    }

    pub(crate) fn strong(self, text: impl fmt::Display) -> String {
        self.wrap("1", text)
    }

    pub(crate) fn faint(self, text: impl fmt::Display) -> String {
        self.wrap("2", text)
    }

    /// Dark text on a colour.
    pub(crate) fn on(self, colour: Rgb, text: impl fmt::Display) -> String {
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
    use std::ffi::OsStr;

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        let set = Some(OsStr::new("1"));
        let empty = Some(OsStr::new(""));
        let cases = [
            (When::Auto, true, None, Paint::Ansi),
            (When::Auto, true, empty, Paint::Ansi),
            (When::Auto, true, set, Paint::Plain),
            (When::Auto, false, None, Paint::Plain),
            (When::Always, false, set, Paint::Ansi),
            (When::Never, true, None, Paint::Plain),
        ];
        for (when, terminal, no_color, paint) in cases {
            assert_eq!(when.paint(terminal, no_color), paint, "{when:?} {terminal} {no_color:?}");
        }
    }

    #[test]
    fn plain_text_has_no_escapes() {
        assert_eq!(Paint::Plain.on(Rgb(1, 2, 3), 4), "4");
        assert_eq!(Paint::Ansi.on(Rgb(1, 2, 3), 4), "\x1b[30;48;2;1;2;3m4\x1b[0m");
    }
}
