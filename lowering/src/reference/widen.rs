//! Floats of any width to float64, in the generic form of a program.

/// The float types that become `f64`, with the widths of their bits.
const FLOATS: [(&str, u32); 6] =
    [("f16", 16), ("bf16", 16), ("f32", 32), ("tf32", 32), ("f8E4M3FN", 8), ("f8E5M2", 8)];

/// The float type that a word names, alone or after extents: `f32`, `4096x8192xf32`.
fn float_of(word: &str) -> Option<(&str, &'static str, u32)> {
    FLOATS.iter().find_map(|&(name, bits)| {
        let before = word.strip_suffix(name)?;
        let is_extents = before.is_empty()
            || (before.ends_with('x')
                && before.chars().all(|letter| letter == 'x' || letter.is_ascii_digit()));
        is_extents.then_some((before, name, bits))
    })
}

/// The text with every float type replaced, but in strings and names; hexadecimal floats are those of float64.
pub(super) fn floats(text: &str) -> String {
    let mut wide = String::with_capacity(text.len());
    let mut rest = text;
    // Hexadecimal numbers whose type is after them: where they are in `wide`.
    let mut open: Vec<(usize, usize)> = Vec::new();
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let end = string_end(rest);
            wide.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let is_name = matches!(first, '@' | '%' | '#' | '^' | '!');
        let skipped = usize::from(is_name);
        let is_word =
            |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$' | '.');
        let length =
            rest[skipped..].find(|letter| !is_word(letter)).unwrap_or(rest.len() - skipped);
        if length == 0 {
            wide.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let word = &rest[..skipped + length];
        rest = &rest[skipped + length..];
        if is_name {
            wide.push_str(word);
        } else if word.starts_with("0x")
            && word[2..].chars().all(|letter| letter.is_ascii_hexdigit())
        {
            open.push((wide.len(), word.len()));
            wide.push_str(word);
        } else if let Some((before, name, bits)) = float_of(word) {
            close(&mut wide, &mut open, name, bits);
            wide.push_str(before);
            wide.push_str("f64");
        } else {
            // A hexadecimal number of an integer type is itself.
            if is_integer(word) {
                open.clear();
            }
            wide.push_str(word);
        }
    }
    wide
}

fn is_integer(word: &str) -> bool {
    let element = word.rsplit('x').next().unwrap_or_default();
    element == "index"
        || element.strip_prefix('i').is_some_and(|bits| {
            !bits.is_empty() && bits.chars().all(|digit| digit.is_ascii_digit())
        })
}

/// The bytes of a string with its quotes.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Writes hexadecimal numbers of a type as those of float64.
fn close(wide: &mut String, open: &mut Vec<(usize, usize)>, name: &str, bits: u32) {
    for (at, length) in open.drain(..).rev() {
        let digits = &wide[at + 2..at + length];
        // A float has all of its digits; another number would be an integer.
        if digits.len() != bits as usize / 4 {
            continue;
        }
        let Ok(value) = u32::from_str_radix(digits, 16) else { continue };
        let value = match name {
            "f16" => half::f16::from_bits(value as u16).to_f64(),
            "bf16" => half::bf16::from_bits(value as u16).to_f64(),
            "f32" | "tf32" => f64::from(f32::from_bits(value)),
            _ => continue,
        };
        wide.replace_range(at..at + length, &format!("0x{:016X}", value.to_bits()));
    }
}

#[cfg(test)]
mod tests {
    use super::floats;

    #[test]
    fn types_become_float64_and_names_stay() {
        for (narrow, wide) in [
            ("memref<4096x8192xbf16>", "memref<4096x8192xf64>"),
            ("memref<?x4xf16, strided<[?, 1]>>", "memref<?x4xf64, strided<[?, 1]>>"),
            ("(f32, i32, tf32) -> vector<4xf32>", "(f64, i32, f64) -> vector<4xf64>"),
            ("@f32 %f32 \"f32 \\\" f32\" f32", "@f32 %f32 \"f32 \\\" f32\" f64"),
            ("xf32y f320 my_f32", "xf32y f320 my_f32"),
        ] {
            assert_eq!(floats(narrow), wide);
        }
    }

    #[test]
    fn hexadecimal_floats_keep_their_value() {
        for (narrow, wide) in [
            ("0xFF800000 : f32", "0xFFF0000000000000 : f64"),
            ("0xFF80 : bf16", "0xFFF0000000000000 : f64"),
            ("0x7C00 : f16", "0x7FF0000000000000 : f64"),
            ("dense<0x7F800000> : tensor<2xf32>", "dense<0x7FF0000000000000> : tensor<2xf64>"),
            ("0xFF : i32, 1.5 : f32", "0xFF : i32, 1.5 : f64"),
        ] {
            assert_eq!(floats(narrow), wide);
        }
    }
}
