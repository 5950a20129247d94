//! Where the parts of an operation stand in what it is written with: its operands' and results' types,
//! and its attributes.

pub(crate) use crate::diagnostics::place::{Part, of_text};
use crate::{
    data::types::ViewType,
    diagnostics::{
        place::{Place, within},
        spans::Node,
    },
    ops::{calls::Arg, subject::Subject},
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};
use std::ops::Range;

/// The place of a part of a type that the program calls `what`.
pub(crate) fn of_type(what: impl Into<String>, r#type: Type<'_>, part: Part) -> Option<Place> {
    let text = r#type.to_string();
    let inside = Node::inside(&text);
    let is_view = ViewType::from_type(r#type).is_some();
    let mark = match part {
        Part::Whole => 0..text.len(),
        Part::Element => inside.first().filter(|_| is_view)?.span.clone(),
        Part::Space => inside.get(1).filter(|_| is_view)?.span.clone(),
        _ => within(&text, inside.last()?, part)?,
    };
    Place::new(what, &text, mark)
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

    /// The place of what an argument is, or of a part of that.
    fn within(&self, from: Arg, part: impl Fn(&Node) -> Option<Range<usize>>) -> Option<Place> {
        let of_operand = |i: usize| Some((operand_name(i), self.types.get(i)?.to_string()));
        let of_term = |name| Some((format!("the {name}"), self.attribute(name)?.to_string()));
        let (what, text) = match from {
            Arg::Operand(i) => of_operand(i)?,
            Arg::TermOrOperand => of_term("term").or_else(|| of_operand(1))?,
            Arg::Term(name) => of_term(name)?,
            Arg::Integers(name) => {
                let integers: Vec<_> =
                    self.integers(name).ok()?.iter().map(ToString::to_string).collect();
                let text = format!("[{}]", integers.join(", "));
                let mark = part(&Node::read(&text))?;
                return Place::new(format!("the {name}"), &text, mark);
            }
            Arg::Integer(name) => return self.place_of_attribute(name),
        };
        // The layout of a view is behind its elements and its space.
        Place::new(what, &text, part(Node::inside(&text).last()?)?)
    }

    /// The place of an entry of an argument, in the text that the program has.
    pub(crate) fn argument(&self, from: Arg, path: &[usize]) -> Option<Place> {
        self.within(from, |node| Some(node.entry(path)?.span.clone()))
    }

    /// The place of a mode of an argument: of an entry, or the shape of a mode of a layout.
    pub(crate) fn mode(&self, from: Arg, path: &[usize]) -> Option<Place> {
        self.within(from, |node| {
            let modes = node.layout().filter(|_| !path.is_empty()).map_or(node, |[shape, _]| shape);
            Some(modes.entry(path).unwrap_or(node).span.clone())
        })
    }

    /// The place of a leaf of the stride of an argument that is a layout.
    pub(crate) fn stride(&self, from: Arg, path: &[usize]) -> Option<Place> {
        self.within(from, |node| Some(node.layout()?[1].entry(path)?.span.clone()))
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
