//! Decides whether the terminal gets colours.

pub(crate) use layout_picture::Paint;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorMode {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ColorMode {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn colours_are_for_terminals_that_show_them() {
        let set = Some(OsStr::new("1"));
        let empty = Some(OsStr::new(""));
        let cases = [
            (ColorMode::Auto, true, None, Paint::Ansi),
            (ColorMode::Auto, true, empty, Paint::Ansi),
            (ColorMode::Auto, true, set, Paint::Plain),
            (ColorMode::Auto, false, None, Paint::Plain),
            (ColorMode::Always, false, set, Paint::Ansi),
            (ColorMode::Never, true, None, Paint::Plain),
        ];
        for (when, terminal, no_color, paint) in cases {
            assert_eq!(when.paint(terminal, no_color), paint, "{when:?} {terminal} {no_color:?}");
        }
    }
}
