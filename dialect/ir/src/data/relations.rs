//! `#layout.relation<…>`: functions of integer tuples, read and composed by ISL.

use crate::{
    data::{attributes::RelationAttribute, interned::Interned},
    diagnostics::{codes::Code, text::TextError, violation::Violation},
};
use layout_algebra::Term;
use layout_relation::{Context, Error, Formula, Limits, Relation, any_layout_mapping};
use melior::ir::Attribute;
use std::sync::Arc;

/// The most times that a text is printed and parsed again until it does not change.
const MAX_ROUND_TRIPS: usize = 4;

/// The separator of the factors of a composition.
const AFTER: &str = " o ";

/// A function of integer tuples as arithmetic.
#[derive(Debug)]
pub(crate) struct Mapping {
    /// The arithmetic.
    pub(crate) formula: Formula,
    /// The dimensions of the domain and of the image.
    pub(crate) dimensions: (usize, usize),
}

/// The storage of a relation's text.
pub(crate) fn read(text: &str) -> Result<Arc<Interned>, TextError> {
    let text = canonical(text)?;
    let mapping = || {
        let context = Context::new(Limits::default())?;
        let relation = Relation::parse(&context, text.trim_matches('"'))?;
        Ok(Mapping { formula: Formula::of(&relation)?, dimensions: relation.dimensions()? })
    };
    let mapping = mapping().map_err(|error: Error| at(0, &error))?;
    Ok(Interned::of_mapping(text, mapping))
}

/// The composed relation of `"…" o "…" o LAYOUT`, in quotes.
fn canonical(text: &str) -> Result<String, TextError> {
    let context = Context::new(Limits::default()).map_err(|error| at(0, &error))?;
    let mut composed: Option<Relation> = None;
    for (offset, factor) in factors(text)? {
        let next = match factor.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(quoted) => mapping(&context, quoted, offset + 1)?,
            None => {
                let layout = Term::parse(factor).and_then(|term| term.eval_layout());
                let layout = layout.map_err(|error| {
                    let place = offset + error.offset().unwrap_or(0);
                    let message = crate::diagnostics::violation::message(&error);
                    refused(Code::of_algebra(&error), place, message)
                })?;
                any_layout_mapping(&context, &layout).map_err(|error| at(offset, &error))?
            }
        };
        composed = Some(match composed {
            None => next,
            Some(outer) => {
                let (expected, _) = outer.dimensions().map_err(|error| at(offset, &error))?;
                let (_, found) = next.dimensions().map_err(|error| at(offset, &error))?;
                if expected != found {
                    let message = format!(
                        "expected a factor with images of {expected} integers, found {found}"
                    );
                    return Err(refused(Code::Operand, offset, message));
                }
                next.then(&outer).map_err(|error| at(offset, &error))?
            }
        });
    }
    let composed = composed.ok_or_else(|| missing(0, "the end"))?;
    settled(&context, composed).map(|text| format!("\"{text}\"")).map_err(|error| at(0, &error))
}

/// The factors, outermost first, each with its place.
fn factors(text: &str) -> Result<Vec<(usize, &str)>, TextError> {
    let mut found = Vec::new();
    let mut from = 0;
    loop {
        let rest = &text[from..];
        let start = from + rest.len() - rest.trim_start().len();
        let rest = text[start..].trim_end();
        if rest.is_empty() {
            return Err(missing(start, "the end"));
        }
        // A layout holds ` o ` of its own: it continues to a relation after it, or to the end.
        let length = if let Some(quoted) = rest.strip_prefix('"') {
            quoted.find('"').map(|end| end + 2).ok_or_else(|| {
                let message = "expected a relation in double quotes, found no end of it";
                refused(Code::Syntax, start, message.to_owned())
            })?
        } else {
            rest.find(&format!("{AFTER}\"")).unwrap_or(rest.len())
        };
        found.push((start, rest[..length].trim_end()));
        let trimmed = rest[length..].trim_start();
        if trimmed.is_empty() {
            return Ok(found);
        }
        let place = start + rest.len() - trimmed.len();
        if !trimmed.starts_with("o ") {
            let found: String = trimmed.chars().take(20).collect();
            let message = format!("expected 'o' and another factor, or the end, found '{found}'");
            return Err(refused(Code::Syntax, place, message));
        }
        from = place + 1;
    }
}

fn missing(offset: usize, found: &str) -> TextError {
    let message = format!("expected a relation in double quotes or a layout, found {found}");
    refused(Code::Syntax, offset, message)
}

/// A function without parameters, whose text begins here.
fn mapping(context: &Context, text: &str, offset: usize) -> Result<Relation, TextError> {
    let failed = |error: Error| at(offset, &error);
    let relation = Relation::parse(context, text).map_err(failed)?;
    let shown = relation.text().map_err(failed)?;
    if shown.starts_with('[') {
        let message = format!("expected a relation without parameters, found {shown}");
        return Err(refused(Code::Condition, offset, message));
    }
    if !relation.is_single_valued().map_err(failed)? {
        let message = format!("expected a relation with one image of each tuple, found {shown}");
        return Err(refused(Code::Condition, offset, message));
    }
    Ok(relation)
}

/// The text that is read and printed as itself, of a relation that is arithmetic.
fn settled(context: &Context, relation: Relation) -> Result<String, Error> {
    Formula::of(&relation)?;
    if relation.is_empty()? {
        // Without a tuple there is no expression.
        return relation.text();
    }
    let mut text = relation.expressions()?;
    for _ in 0..MAX_ROUND_TRIPS {
        let again = Relation::parse(context, &text)?.expressions()?;
        if again == text {
            break;
        }
        text = again;
    }
    Ok(text)
}

/// An error of a relation's.
fn at(offset: usize, error: &Error) -> TextError {
    let code = match error {
        Error::Limit { .. } => Code::Limit,
        Error::Range { .. } => Code::Overflow,
        Error::Dimensions { .. } => Code::Operand,
        Error::Condition { .. } => Code::Condition,
        _ => Code::Syntax,
    };
    refused(code, offset, error.to_string())
}

fn refused(code: Code, offset: usize, message: String) -> TextError {
    TextError { offset, message, code, hint: None }
}

/// The dimensions of the domain and of the image.
pub(crate) fn dimensions(attribute: Attribute<'_>) -> Result<(usize, usize), Violation> {
    let relation = RelationAttribute::try_from(attribute).map_err(|_| {
        Violation::new(Code::Operand, "'relation' to be a layout relation", attribute)
    })?;
    Ok(relation.mapping().dimensions)
}
