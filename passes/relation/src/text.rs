//! Writing relations in ISL's notation, and integers in messages.

pub(crate) use crate::notation::{bounds, dot, names, sum};

/// Integers as a message shows them: `5`, or `(0,1)`.
pub fn tuple_text(values: &[i64]) -> String {
    match values {
        [one] => one.to_string(),
        all => coordinate_text(all),
    }
}

/// The same in parentheses, also where it is one alone.
pub(crate) fn coordinate_text(values: &[i64]) -> String {
    let values: Vec<_> = values.iter().map(ToString::to_string).collect();
    format!("({})", values.join(","))
}

/// An image, or that there is none.
pub(crate) fn image_text(image: Option<&[i64]>) -> String {
    image.map_or_else(|| "nothing".to_owned(), tuple_text)
}

/// The limits of foreign text, checked before ISL's recursive parser sees it.
pub(crate) mod limits {
    use crate::error::{Error, Result};

    /// Bytes of a text.
    const LENGTH: usize = 1 << 16;
    /// Brackets and prefix operators that are open at one time.
    const DEPTH: usize = 200;
    /// Digits of a number.
    const DIGITS: usize = 100;

    /// ISL's parser descends for each bracket and prefix operator, on the stack; deep text would
    /// end the process. Other texts on which it fails worse than by an error are refused here as well.
    pub(crate) fn check(text: &str) -> Result<()> {
        let fail = |expected, found: String| Err(Error::Text { expected, found });
        if text.len() > LENGTH {
            return fail("at most 65536 bytes of text", text.len().to_string());
        }
        // Words that are rare and of which ISL takes numbers to powers without examining its limits,
        // or divides by 0 and so ends the process.
        if let Some(at) = text.find("//") {
            return fail("`/` between a whole and its divisor", format!("`//` at byte {at}"));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace();
        let known = |c: char| plain(c) || "_'[]{}()+-*/%<>=!~&|,:;".contains(c);
        if let Some((at, strange)) = text.char_indices().find(|&(_, c)| !known(c)) {
            return fail(
                "letters, digits and `_'[]{}()+-*/%<>=!~&|,:;`",
                format!("`{}` at byte {at}", strange.escape_default()),
            );
        }
        let (mut depth, mut deepest, mut digits) = (0_usize, 0_usize, 0_usize);
        // Prefix operators continue until something that is none; words may be `not` or `exists`.
        let (mut prefixes, mut word) = (0_usize, false);
        for byte in text.bytes() {
            digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
            if digits > DIGITS {
                return fail("numbers of at most 100 digits", "a longer one".to_owned());
            }
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    prefixes = 0;
                }
                b'-' | b'!' | b'~' => prefixes += 1,
                // A character between operands is no prefix, and ends those before it.
                b'0'..=b'9' | b'+' | b'*' | b'/' | b'<' | b'>' | b'=' | b':' => prefixes = 0,
                b'a'..=b'z' | b'A'..=b'Z' if !word => prefixes += 1,
                b',' | b';' | b'&' | b'|' => prefixes = 0,
                _ => {}
            }
            word = byte.is_ascii_alphanumeric() || byte == b'_';
            deepest = deepest.max(depth + prefixes);
        }
        if deepest > DEPTH {
            return fail("text that nests at most 200 deep", deepest.to_string());
        }
        Ok(())
    }
}
