//! Where the parts of an operation stand in what it is written with: its operands' and results' types,
//! and its attributes.

use crate::{
    data::types::ViewType,
    diagnostics::place::{self, Place},
    ops::subject::Subject,
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};
use std::ops::Range;

/// A part of a type of the dialect, or of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// A view's elements.
    Element,
    /// A view's space.
    Space,
    /// What is between the brackets, behind a view's elements and space.
    Layout,
    /// What a layout is behind: a swizzle or another layout.
    Outer,
    /// A layout's shape.
    Shape,
    /// A mode of the shape; all of it, if it is one mode.
    Mode(usize),
    /// The stride of a mode; all of it, if it is one mode.
    Stride(usize),
    /// The `?` of this number.
    Symbol(usize),
}

/// The place of a part of a type that the program calls `what`.
pub(crate) fn of_type(what: impl Into<String>, r#type: Type<'_>, part: Part) -> Option<Place> {
    let text = r#type.to_string();
    let is_view = ViewType::from_type(r#type).is_some();
    let mark = match part {
        Part::Whole => 0..text.len(),
        Part::Element => view_parts(&text).filter(|_| is_view)?[0].clone(),
        Part::Space => view_parts(&text).filter(|_| is_view)?[1].clone(),
        _ => {
            let layout = match is_view {
                true => view_parts(&text)?[2].clone(),
                false => text.find('<')? + 1..text.len() - 1,
            };
            within(&text, layout, part)?
        }
    };
    Place::new(what, &text, mark)
}

/// The place of a part of the layout that a text is.
pub(crate) fn of_text(what: impl Into<String>, text: &str, part: Part) -> Option<Place> {
    Place::new(what, text, within(text, 0..text.len(), part)?)
}

fn within(text: &str, layout: Range<usize>, part: Part) -> Option<Range<usize>> {
    let entry = |span: Range<usize>, mode: usize| {
        place::entry(text, span.clone(), &[mode]).or(Some(span).filter(|_| mode == 0))
    };
    match part {
        Part::Shape => place::shape_and_stride(text, layout).map(|(shape, _)| shape),
        Part::Mode(mode) => entry(place::shape_and_stride(text, layout)?.0, mode),
        Part::Stride(mode) => entry(place::shape_and_stride(text, layout)?.1, mode),
        Part::Outer => {
            let behind = text.get(layout.clone())?.find(" o ")?;
            Some(layout.start..layout.start + behind)
        }
        Part::Symbol(number) => symbol(text, layout, number),
        Part::Whole | Part::Element | Part::Space | Part::Layout => Some(layout),
    }
}

/// Elements, space and layout in the text of a view's type.
fn view_parts(text: &str) -> Option<[Range<usize>; 3]> {
    let start = text.find('<')? + 1;
    let mut commas = text.match_indices(", ").map(|(at, _)| at);
    let (first, second) = (commas.next()?, commas.next()?);
    Some([start..first, first + 2..second, second + 2..text.len() - 1])
}

/// Where the `?` of a number stands first, with its name and what is known of it. A name is a `?` and
/// digits, and every other `?` is another integer; they are numbered as they first occur.
fn symbol(text: &str, layout: Range<usize>, number: usize) -> Option<Range<usize>> {
    let part = text.get(layout.clone())?;
    let mut named: Vec<&str> = Vec::new();
    let mut found = 0;
    for (at, _) in part.match_indices('?') {
        let rest = &part[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let name = &rest[..digits];
        if digits > 0 && named.contains(&name) {
            continue;
        }
        if found == number {
            let braces = match rest[digits..].strip_prefix('{') {
                Some(inside) => inside.find('}')? + 2,
                None => 0,
            };
            let start = layout.start + at;
            return Some(start..start + 1 + digits + braces);
        }
        named.push(name);
        found += 1;
    }
    None
}

/// What the program calls an operand's type.
fn operand_name(index: usize) -> String {
    format!("the type of operand {index}")
}

/// The place of a part of an operand's type.
pub(crate) fn of_operand(
    operation: OperationRef<'_, '_>,
    index: usize,
    part: Part,
) -> Option<Place> {
    of_type(operand_name(index), operation.operand(index).ok()?.r#type(), part)
}

/// The place of a part of the type of the first result.
pub(crate) fn of_result(operation: OperationRef<'_, '_>, part: Part) -> Option<Place> {
    of_type("the result's type", operation.result(0).ok()?.r#type(), part)
}

/// The place of an attribute's value.
pub(crate) fn of_attribute(operation: OperationRef<'_, '_>, name: &str) -> Option<Place> {
    attribute_of(&Subject::of(operation), name)
}

impl Subject<'_> {
    /// The place of a part of an operand's type.
    pub(crate) fn place_of(&self, index: usize, part: Part) -> Option<Place> {
        of_type(operand_name(index), *self.types.get(index)?, part)
    }

    /// The place of an attribute's value.
    pub(crate) fn place_of_attribute(&self, name: &str) -> Option<Place> {
        attribute_of(self, name)
    }
}

fn attribute_of(subject: &Subject<'_>, name: &str) -> Option<Place> {
    let value = subject.attribute(name)?.to_string();
    if value == "unit" {
        return Place::new("the attributes", name, 0..name.len());
    }
    // An attribute of the dialect says what it is, and stands for itself.
    if let Some(start) = value.starts_with("#layout").then(|| value.find('<')).flatten() {
        let end = value.len() - 1;
        return Place::new(format!("the {name}"), &value, start + 1..end);
    }
    let text = format!("{name} = {value}");
    let start = name.len() + 3;
    // Integers have their types behind them.
    let end = value.find(" : ").map_or(text.len(), |at| start + at);
    Place::new("the attributes", &text, start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_layouts_are_found() {
        let found = |text: &str, part| Some(text[within(text, 0..text.len(), part)?].to_owned());
        let composed = "S<2,0,3> o ?0{div=8} o (?,(?1,8)):(?0,(1,2))";
        for (text, part, expected) in [
            ("(4,8):(8,1)", Part::Shape, Some("(4,8)")),
            ("(4,8):(8,1)", Part::Mode(1), Some("8")),
            ("4:1", Part::Mode(0), Some("4")),
            ("4:1", Part::Mode(1), None),
            ("(4,8):(8,1)", Part::Stride(0), Some("8")),
            ("(4,8):(8,1)", Part::Outer, None),
            (composed, Part::Outer, Some("S<2,0,3>")),
            (composed, Part::Mode(1), Some("(?1,8)")),
            (composed, Part::Symbol(0), Some("?0{div=8}")),
            (composed, Part::Symbol(1), Some("?")),
            (composed, Part::Symbol(2), Some("?1")),
            (composed, Part::Symbol(3), None),
            ("(?,?{i64}):(?,1)", Part::Symbol(1), Some("?{i64}")),
        ] {
            assert_eq!(found(text, part).as_deref(), expected, "{part:?} of {text}");
        }
    }

    #[test]
    fn parts_of_views_are_found() {
        let text = "!layout.view<f16, global, (4,8):(8,1)>";
        let parts = view_parts(text).map(|parts| parts.map(|part| &text[part]));
        assert_eq!(parts, Some(["f16", "global", "(4,8):(8,1)"]));
        assert_eq!(view_parts("!layout<4:1>"), None);
    }
}
