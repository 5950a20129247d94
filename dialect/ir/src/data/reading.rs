//! Texts of attributes and types as the parser reads them.

use crate::{
    atoms::{self, choice::Choice},
    border::{ffi, hooks::Report},
    data::{
        datum::{self, Datum},
        recent, recovery, relations,
    },
    diagnostics::{codes::Code, nearest, text::Cursor, violation::Violation},
};
use layout_algebra::{Term, Value};

/// A text in canonical spelling, and whether it is a plain layout of integers: that has the same
/// spelling as a term, a layout and a view's layout.
pub(crate) fn canonical(kind: i32, text: &str) -> Result<(String, bool), Violation> {
    let is_plain = |datum: &Datum| matches!(datum, Datum::Static(Value::Layout(_)));
    // A name before `<` that is none of the other kinds' is taken for a term's.
    let named = |violation: Violation, names: [&str; 3]| {
        let like = text.split_once('<').and_then(|(word, _)| nearest::name(word, names));
        violation.hint_if(like.map(|name| format!("'{name}<…>' is most like it")))
    };
    let spelled = match kind {
        ffi::TEXT_TERM => {
            let attributes = ["atom", "schedule", "relation"];
            let term = Term::parse(text).map_err(|error| named(error.into(), attributes))?;
            let (spelled, plain) =
                (term.to_string(), matches!(term, Term::Literal(Value::Layout(_))));
            recent::keep(&spelled, term);
            return Ok((spelled, plain));
        }
        ffi::TEXT_LAYOUT => {
            let datum = datum::view_type(text)?;
            return Ok((datum.to_string(), is_plain(&datum)));
        }
        ffi::TEXT_VALUE => {
            let types = ["view", "tuple", "layout"];
            let datum = datum::layout_type(text).map_err(|violation| named(violation, types))?;
            return Ok((datum.to_string(), is_plain(&datum)));
        }
        ffi::TEXT_ATOM => {
            let mut cursor = Cursor::new(text);
            let mut start = cursor.clone();
            let word = cursor.word().unwrap_or("");
            match atoms::lookup(word) {
                Some(atom) if cursor.at_end() => atom.name.to_owned(),
                Some(_) => return Err(cursor.expected("the end of the atom's name").into()),
                None => {
                    let error = start.expected("the name of an atom").coded(Code::Atom);
                    let names = atoms::all().iter().map(|atom| atom.name);
                    return Err(error.like(word, names).into());
                }
            }
        }
        ffi::TEXT_TUPLE => datum::tuple_type(text)?.to_string(),
        ffi::TEXT_RELATION => relations::canonical(text)?,
        ffi::TEXT_SCHEDULE => match Choice::read(text) {
            Ok(choice) => choice.to_string(),
            Err(errors) => {
                Violation::all(errors.into_iter().map(Violation::from))?;
                String::new()
            }
        },
        _ => return Err(Violation::new(Code::Syntax, "a kind of text", kind)),
    };
    Ok((spelled, false))
}

/// How all that is wrong with a text is shown.
pub(crate) fn told(kind: i32, text: &str, violation: Violation) -> Vec<Report> {
    match kind {
        ffi::TEXT_TERM | ffi::TEXT_LAYOUT | ffi::TEXT_VALUE | ffi::TEXT_TUPLE => {
            recovery::reports(text, violation)
        }
        _ => violation.reports_in(text),
    }
}
