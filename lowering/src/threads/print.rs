//! `gpu.printf`: a thread's values go to the machine one by one, and are written as C's `printf` writes them.

use super::{
    Error,
    program::{Sites, call, constant},
};
use layout_dialect::{
    build::{Builder, Val, operand},
    tree,
};
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::StringAttribute, operation::OperationLike,
};
use std::{
    borrow::Cow,
    ffi::{CString, c_char, c_int},
};

/// Bytes that a run prints at most; CUDA's buffer has as many.
const MAX_PRINTED_BYTES: usize = 1 << 20;

/// The most bytes of one printed value.
const MAX_VALUE_BYTES: usize = 512;

unsafe extern "C" {
    fn snprintf(buffer: *mut c_char, bytes: usize, format: *const c_char, ...) -> c_int;
}

/// The kind of the value that a conversion writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signed,
    Unsigned,
    Float,
}

/// A segment of a format: text, or the conversion of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FormatSegment {
    Text(String),
    /// As it is written, and as C is given it for values of 64 bits.
    Value {
        written: String,
        format: CString,
        kind: Kind,
        bits: u32,
    },
}

/// The format of a `gpu.printf`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Format(Vec<FormatSegment>);

impl Format {
    /// # Errors
    ///
    /// A conversion that kernels do not have.
    fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(start) = rest.find('%') {
            let (before, conversion) = rest.split_at(start);
            pieces.push(FormatSegment::Text(before.to_owned()));
            if let Some(after) = conversion.strip_prefix("%%") {
                pieces.push(FormatSegment::Text("%".to_owned()));
                rest = after;
                continue;
            }
            let is_modifier = |letter: char| "-+ #.0123456789hl".contains(letter);
            let end = conversion[1..].find(|letter| !is_modifier(letter));
            let end = end.map_or(conversion.len(), |end| end + 1);
            // A `%` stands for the letter that a format lacks at its end.
            let letter = conversion[end..].chars().next().unwrap_or('%');
            let kind = match letter {
                'd' | 'i' => Kind::Signed,
                'u' | 'o' | 'x' | 'X' | 'c' => Kind::Unsigned,
                'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => Kind::Float,
                _ => {
                    return Err(format!(
                        "expected a conversion of an integer or a float, such as %d, %lld or %f, found {:?} in the format",
                        conversion.chars().take(end + 1).collect::<String>()
                    ));
                }
            };
            let written = &conversion[..=end];
            let bits = if written.contains('l') { 64 } else { 32 };
            let own = conversion[..end].replace(['h', 'l'], "");
            let length = if kind == Kind::Float || letter == 'c' { "" } else { "ll" };
            let format = CString::new(format!("{own}{length}{letter}")).unwrap_or_default();
            pieces.push(FormatSegment::Value { written: written.to_owned(), format, kind, bits });
            rest = &conversion[end + 1..];
        }
        pieces.push(FormatSegment::Text(rest.to_owned()));
        Ok(Self(pieces))
    }

    /// The text of values of 64 bits.
    fn text(&self, values: &[u64]) -> String {
        let mut values = values.iter().copied();
        let pieces = self.0.iter().map(|piece| match piece {
            FormatSegment::Text(text) => Cow::Borrowed(text.as_str()),
            FormatSegment::Value { format, kind, .. } => {
                Cow::Owned(formatted(format, *kind, values.next().unwrap_or(0)))
            }
        });
        pieces.collect()
    }
}

/// One value, as C writes it.
fn formatted(format: &CString, kind: Kind, value: u64) -> String {
    let mut buffer = [0_u8; MAX_VALUE_BYTES];
    let (to, bytes) = (buffer.as_mut_ptr().cast(), buffer.len());
    // SAFETY: `Format::parse` leaves one conversion, of an integer or a float of 64 bits; it is cut to the buffer.
    let length = unsafe {
        match kind {
            Kind::Float => snprintf(to, bytes, format.as_ptr(), f64::from_bits(value)),
            Kind::Signed | Kind::Unsigned => snprintf(to, bytes, format.as_ptr(), value),
        }
    };
    let length = usize::try_from(length).unwrap_or(0).min(MAX_VALUE_BYTES - 1);
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}

/// Makes calls of a `gpu.printf`; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    if tree::name(operation) != "gpu.printf" {
        return Ok(false);
    }
    let text = StringAttribute::try_from(operation.attribute("format")?)?.value().to_owned();
    let format = Format::parse(&text)
        .map_err(|message| Error::at(operation, format!("'gpu.printf' op {message}")))?;
    let values = format.0.iter().filter_map(|piece| match piece {
        FormatSegment::Value { written, kind, bits, .. } => Some((written, *kind, *bits)),
        FormatSegment::Text(_) => None,
    });
    let (expected, found) = (values.clone().count(), operation.operand_count());
    if expected != found {
        let message = format!(
            "'gpu.printf' op expected one value for each conversion of its format, {expected}, found {found}"
        );
        return Err(Error::at(operation, message));
    }
    for (number, (written, kind, bits)) in values.enumerate() {
        let value = operand(operation, number);
        let word = as_word(b, value, kind, bits)?.ok_or_else(|| {
            let expected_kind = match kind {
                Kind::Float => "a float".to_owned(),
                Kind::Signed | Kind::Unsigned => format!("an integer of {bits} bits"),
            };
            let message = format!(
                "'gpu.printf' op expected {expected_kind} for {written}, found operand {number} of {}",
                value.r#type()
            );
            Error::at(operation, message)
        })?;
        call(b, "layout_print_value", &[word], None)?;
    }
    let number = constant(b, 32, sites.print(format))?;
    call(b, "layout_print", &[number], None)?;
    tree::erase(operation);
    Ok(true)
}

/// The 64 bits of a value, if the conversion is of its type: a GPU reads as many bytes as the conversion says.
fn as_word<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    kind: Kind,
    bits: u32,
) -> Result<Option<Val<'c>>, Error> {
    let (own, word) = (value.r#type(), b.integer(64));
    let extend = if kind == Kind::Signed { "arith.extsi" } else { "arith.extui" };
    Ok(Some(match (own.to_string().as_str(), kind, bits) {
        ("f64", Kind::Float, _) => b.value("arith.bitcast", &[value], word, &[])?,
        ("f16" | "bf16" | "f32", Kind::Float, _) => {
            let wide = b.value("arith.extf", &[value], Type::float64(b.context()), &[])?;
            b.value("arith.bitcast", &[wide], word, &[])?
        }
        ("index", Kind::Signed | Kind::Unsigned, 64) => {
            b.value("arith.index_cast", &[value], word, &[])?
        }
        ("i64", Kind::Signed | Kind::Unsigned, 64) => value,
        ("i32", Kind::Signed | Kind::Unsigned, 32) => b.value(extend, &[value], word, &[])?,
        _ => return Ok(None),
    }))
}

/// The output of a launch.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) text: String,
    /// Calls whose text found no room.
    pub(super) dropped: u64,
}

impl Printed {
    /// Adds the text of a call.
    pub(super) fn add(&mut self, format: &Format, values: &[u64]) {
        let text = format.text(values);
        if self.text.len() + text.len() > MAX_PRINTED_BYTES {
            self.dropped += 1;
        } else {
            self.text.push_str(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn values_are_written_as_c_writes_them() {
        let format = Format::parse("%5.2f|%lld|%-4u|%08x|100%%|%e|%c\n").expect("a format");
        let float = |value: f64| value.to_bits();
        let values =
            [float(3.456), (-7_i64).cast_unsigned(), 42, 0xbeef, float(1e10), u64::from(b'k')];
        assert_eq!(format.text(&values), " 3.46|-7|42  |0000beef|100%|1.000000e+10|k\n");
        assert!(format.text(&[float(f64::NAN); 6]).starts_with("  nan|"));
    }

    #[test]
    fn other_conversions_are_refused() {
        for (text, found) in
            [("%s", "%s"), ("a %*d", "%*"), ("%n", "%n"), ("100%", "%"), ("%5", "%5")]
        {
            assert_eq!(
                Format::parse(text).expect_err("an error"),
                format!(
                    "expected a conversion of an integer or a float, such as %d, %lld or %f, found {found:?} in the format"
                )
            );
        }
    }
}
