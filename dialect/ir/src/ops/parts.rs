//! The places of an operation's parts in its text: the types of operands and results, and attributes.

pub(crate) use crate::diagnostics::place::{Part, of_text};
use crate::ops::prelude::*;
use crate::{
    data::{attributes::interned_part, types},
    diagnostics::place::within,
};
use layout_algebra::Span;
use std::ops::Range;

/// The place of a part of a type that the program calls `what`.
pub(crate) fn of_type(what: impl Into<String>, r#type: Type<'_>, part: Part) -> Option<Place> {
    let (text, parts) = (r#type.to_string(), types::parts(r#type));
    let mark = match (part, parts.as_slice()) {
        (Part::Whole, _) => 0..text.len(),
        (Part::Element, [element, _, _]) => element.clone(),
        (Part::Space, [_, space, _]) => space.clone(),
        (Part::Element | Part::Space, _) | (_, []) => return None,
        (_, [.., layout]) => within(&Span::within(&text, layout.clone()), part)?,
    };
    Place::new(what, &text, mark)
}

/// The program's name for an operand's type.
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
    attribute_of(&Adaptor::of(operation), name)
}

impl Adaptor<'_> {
    /// The place of a part of an operand's type.
    pub(crate) fn place_of(&self, index: usize, part: Part) -> Option<Place> {
        of_type(operand_name(index), *self.types.get(index)?, part)
    }

    /// The place of an attribute's value.
    pub(crate) fn place_of_attribute(&self, name: &str) -> Option<Place> {
        attribute_of(self, name)
    }

    /// The place of what an argument is, or of a part of that.
    fn within(&self, from: Arg, part: impl Fn(&Span) -> Option<Range<usize>>) -> Option<Place> {
        // The layout of a view is after its elements and its space.
        let of_operand = |i: usize| {
            let r#type = *self.types.get(i)?;
            Some((operand_name(i), r#type.to_string(), types::parts(r#type).pop()?))
        };
        let of_term = |name| {
            let term = self.attribute(name)?;
            Some((format!("the {name}"), term.to_string(), interned_part(term)?))
        };
        let (what, text, term) = match from {
            Arg::Operand(i) | Arg::Optional(i) => of_operand(i)?,
            Arg::TermOrOperand => of_term("term").or_else(|| of_operand(1))?,
            Arg::Term(name) => of_term(name)?,
            Arg::Integers(name) => {
                let integers: Vec<_> =
                    self.integers(name).ok()?.iter().map(ToString::to_string).collect();
                let integers = integers.join(", ");
                let mark = part(&Span::of(&format!("({integers})")))?;
                return Place::new(format!("the {name}"), &format!("[{integers}]"), mark);
            }
            Arg::Integer(name) => return self.place_of_attribute(name),
        };
        Place::new(what, &text, part(&Span::within(&text, term))?)
    }

    /// The place of an entry of an argument, in the text that the program has.
    pub(crate) fn argument(&self, from: Arg, path: &[usize]) -> Option<Place> {
        self.within(from, |span| Some(span.entry(path)?.range.clone()))
    }

    /// The place of a mode of an argument: of an entry, or the shape of a mode of a layout.
    pub(crate) fn mode(&self, from: Arg, path: &[usize]) -> Option<Place> {
        self.within(from, |span| {
            let modes = span.layout().filter(|_| !path.is_empty()).map_or(span, |[shape, _]| shape);
            Some(modes.entry(path).unwrap_or(span).range.clone())
        })
    }

    /// The place of a leaf of the stride of an argument that is a layout.
    pub(crate) fn stride(&self, from: Arg, path: &[usize]) -> Option<Place> {
        self.within(from, |span| Some(span.layout()?[1].entry(path)?.range.clone()))
    }
}

fn attribute_of(adaptor: &Adaptor<'_>, name: &str) -> Option<Place> {
    let attribute = adaptor.attribute(name)?;
    if attribute.is_unit() {
        return Place::new("the attributes", name, 0..name.len());
    }
    let value = attribute.to_string();
    // An attribute of the dialect says what it is, and stands for itself.
    if let Some(held) = interned_part(attribute) {
        return Place::new(format!("the {name}"), &value, held);
    }
    let text = format!("{name} = {value}");
    // Integers have their types after them.
    let typed = value.strip_suffix(&format!(" : {}", attribute.r#type()));
    let start = name.len() + " = ".len();
    Place::new("the attributes", &text, start..start + typed.unwrap_or(&value).len())
}
