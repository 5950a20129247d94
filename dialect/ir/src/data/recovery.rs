//! Recovery after an error in a text, so that all of its errors are reported at once.
//!
//! A layout whose stride nests otherwise, or whose extents are below 1, is found wherever in the text it
//! is. The reported text is then overwritten by legal text of the same
//! length, and the text is read again: only for further errors of its form, since what a value would
//! be is not known any more.

use crate::{
    border::hooks::Report,
    diagnostics::{codes::Code, nearest, violation::Violation},
};
use layout_algebra::{Error, Facts, Span, SpanKind, Term, Tuple};
use std::ops::Range;

/// The most times that a text is parsed.
const MAX_PARSES: usize = 8;

/// How all that is wrong with a term is shown, given why it was refused.
pub(crate) fn reports(text: &str, refused: Violation) -> Vec<Report> {
    let mut reports = Vec::new();
    let mut rest = text.to_owned();
    let mut next = Some(refused);
    for _ in 0..MAX_PARSES {
        let Some(violation) = next else { break };
        let faults = if violation.is_of_literal() { faults(&rest) } else { Vec::new() };
        let spans = match faults.is_empty() {
            true => {
                reports.extend(violation.reports_in(&rest));
                violation.algebra().and_then(|error| form(&rest, error)).into_iter().collect()
            }
            false => {
                let reported = faults.iter().flat_map(|fault| {
                    let report = |mut report: Report| {
                        report.offset = fault.mark.start;
                        report
                    };
                    fault.violation.reports().into_iter().map(report)
                });
                reports.extend(reported);
                faults.iter().map(|fault| (fault.literal.clone(), "1:0")).collect::<Vec<_>>()
            }
        };
        if spans.is_empty() {
            break;
        }
        for (span, by) in spans {
            // The replacement has the same length, so that places stay the same.
            let padded = format!("{by:<width$}", width = span.len());
            if padded.len() == span.len() {
                rest.replace_range(span, &padded);
            }
        }
        next = read(&rest);
    }
    reports.sort_by_key(|report| report.offset);
    reports.dedup();
    reports
}

/// An error of a text's form, if there is one.
fn read(text: &str) -> Option<Violation> {
    if !text.contains('?') {
        return Term::parse(text).err().map(Violation::from);
    }
    let refused = Violation::from(layout_algebra::evaluate(text, &mut Facts::new()).err()?);
    let is_form = matches!(refused.algebra(), Some(Error::Parse { .. }));
    (is_form || refused.is_of_literal()).then_some(refused)
}

/// A fault of a layout that is written out.
struct Fault {
    literal: Range<usize>,
    /// The part that is wrong.
    mark: Range<usize>,
    violation: Violation,
}

/// The faults of the layouts that are written out in a text, in its order.
fn faults(text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let span = Span::of(text);
    // A coordinate layout has other conditions.
    let is_literal =
        |part: &Span| part.kind == SpanKind::Layout && !text[part.range.clone()].contains('@');
    for literal in span.outermost(&is_literal) {
        let Some([shape, stride]) = literal.layout() else { continue };
        let mut add = |mark: &Span, violation: Violation| {
            let (literal, mark) = (literal.range.clone(), mark.range.clone());
            faults.push(Fault { literal, mark, violation });
        };
        for (i, (part, mark)) in incongruent(shape, stride).into_iter().enumerate() {
            // The first reports on the whole layout, the others on themselves.
            let (shape, stride) = if i == 0 { (shape, stride) } else { part };
            let expected = format!("a stride congruent to the shape {}", spelled(text, shape));
            let violation = Violation::new(Code::Incongruent, expected, spelled(text, stride));
            let like = congruent(text, shape, stride);
            add(mark, violation.hint_if(like.map(|stride| format!("{stride} is congruent"))));
        }
        for leaf in shape.outermost(&Span::is_number) {
            let extent = text[leaf.range.clone()].parse::<i64>().ok();
            if let Some(extent) = extent.filter(|extent| *extent < 1) {
                let found = format!("{extent} in {}", spelled(text, shape));
                let violation = Violation::new(Code::Extent, "extents of at least 1", found);
                add(leaf, violation.hint("1 is the least"));
            }
        }
    }
    faults
}

/// The parts of a shape and a stride that do not nest alike, each with what to mark.
fn incongruent<'n>(shape: &'n Span, stride: &'n Span) -> Vec<((&'n Span, &'n Span), &'n Span)> {
    match (&shape.kind, &stride.kind) {
        (SpanKind::Tuple, SpanKind::Tuple) => {
            let (extents, strides) = (&shape.parts, &stride.parts);
            let pairs = extents.iter().zip(strides);
            let mut found: Vec<_> = pairs.flat_map(|(a, b)| incongruent(a, b)).collect();
            if found.is_empty() && extents.len() != strides.len() {
                found.push(((shape, stride), strides.get(extents.len()).unwrap_or(stride)));
            }
            found
        }
        (SpanKind::Tuple, _) | (_, SpanKind::Tuple) => vec![((shape, stride), stride)],
        _ => Vec::new(),
    }
}

/// A part of a text as it is printed.
fn spelled(text: &str, part: &Span) -> String {
    let part = &text[part.range.clone()];
    match part.parse::<Tuple>() {
        Ok(tuple) => tuple.to_string(),
        Err(_) => part.split_whitespace().collect(),
    }
}

/// A stride that nests as the shape does.
fn congruent(text: &str, shape: &Span, stride: &Span) -> Option<String> {
    let tuple = |part: &Span| text[part.range.clone()].parse::<Tuple>().ok();
    if let (Some(shape), Some(stride)) = (tuple(shape), tuple(stride)) {
        return nearest::stride(&shape, &stride).map(|stride| stride.to_string());
    }
    // The known strides of a dynamic layout, in the shape's nesting.
    let (extents, strides) =
        (shape.outermost(&Span::is_number), stride.outermost(&Span::is_number));
    if extents.len() != strides.len() {
        return None;
    }
    let mut regrouped = text[shape.range.clone()].to_owned();
    for (extent, stride) in extents.into_iter().zip(strides).rev() {
        let start = shape.range.start;
        let extent = extent.range.start - start..extent.range.end - start;
        regrouped.replace_range(extent, &text[stride.range.clone()]);
    }
    Some(regrouped.split_whitespace().collect())
}

/// The part of a text that an error of its form is about, and what may be there instead, if it is
/// known.
fn form(text: &str, error: &Error) -> Option<(Range<usize>, &'static str)> {
    let Error::Parse { offset, .. } = error else { return None };
    let (before, after) = (text.get(..*offset)?, text.get(*offset..)?);
    let word = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(0);
    if word >= 3 && after[word..].trim_start().starts_with('(') {
        return Some((*offset..offset + word, "get"));
    }
    // The facts of a dynamic integer, in braces.
    let open = before.rfind('{').filter(|open| !before[*open..].contains('}'))?;
    let close = offset + after.find('}')?;
    let symbol = before[..open].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    symbol.ends_with('?').then_some((open..close + 1, ""))
}

#[cfg(test)]
#[path = "../../tests/units/data/recovery.rs"]
mod tests;
