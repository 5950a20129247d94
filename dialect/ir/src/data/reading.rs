//! Texts of attributes and types as the parser reads them.

use crate::{
    atoms::{
        self,
        choice::Choice,
        tiled::{self, TiledCopy, TiledMma},
    },
    border::{ffi, hooks::Report},
    data::{interned::Interned, recovery, relations, term_value},
    diagnostics::{codes::Code, text::Cursor, violation::Violation},
};
use layout_algebra::{Term, Value};
use std::sync::Arc;

/// The value of a text of a kind.
pub(crate) fn read(kind: i32, text: &str) -> Result<Arc<Interned>, Violation> {
    // A known layout is a term, a layout's type and a layout of a view.
    if matches!(kind, ffi::TEXT_TERM | ffi::TEXT_LAYOUT | ffi::TEXT_VALUE)
        && let Some(held) = Interned::recent(text)
    {
        return Ok(held);
    }
    // A name before `<` that is none of the other kinds' is taken for a term's.
    let named = |violation: Violation, names: &[&str]| {
        let like = text
            .split_once('<')
            .and_then(|(word, _)| layout_algebra::nearest_name(word, names.iter().copied()));
        violation.hint_if(like.map(|name| format!("did you mean '{name}<…>'?")))
    };
    Ok(match kind {
        ffi::TEXT_TERM => {
            let attributes =
                ["atom", "schedule", "relation", "tiled_copy", "tiled_mma", "thread_values"];
            // A memref's layout may be partly static.
            if text.contains('?')
                && let Ok(term_value) = term_value::view_type(text)
            {
                return Ok(Interned::read(text, term_value));
            }
            Interned::read_term(text).map_err(|error| named(error.into(), &attributes))?
        }
        ffi::TEXT_LAYOUT => Interned::read(text, term_value::view_type(text)?),
        ffi::TEXT_VALUE => {
            let types = ["view", "tuple", "layout"];
            let term_value =
                term_value::layout_type(text).map_err(|violation| named(violation, &types))?;
            Interned::read(text, term_value)
        }
        ffi::TEXT_ATOM => {
            let mut cursor = Cursor::new(text);
            let mut start = cursor.clone();
            let word = cursor.word().unwrap_or("");
            match atoms::lookup(word) {
                Some(atom) if cursor.at_end() => Interned::of_atom(atom),
                Some(_) => return Err(cursor.expected("the end of the atom's name").into()),
                None => {
                    let error = start.expected("the name of an atom").coded(Code::Atom);
                    let names = atoms::all().iter().map(|atom| atom.name);
                    return Err(error.like(word, names).into());
                }
            }
        }
        ffi::TEXT_TUPLE => Interned::read(text, term_value::tuple_type(text)?),
        ffi::TEXT_RELATION => relations::read(text)?,
        ffi::TEXT_TILED_COPY => Interned::of_tiled_copy(TiledCopy::read(text)?),
        ffi::TEXT_TILED_MMA => Interned::of_tiled_mma(TiledMma::read(text)?),
        ffi::TEXT_THREAD_VALUES => {
            Interned::of_term(Term::Literal(Value::Layout(tiled::read_thread_values(text)?)))
        }
        ffi::TEXT_SCHEDULE => match Choice::read(text) {
            Ok(choice) => Interned::of_choice(choice),
            Err(errors) => {
                Violation::all(errors.into_iter().map(Violation::from))?;
                return Err(Violation::new(Code::Syntax, "a schedule", text));
            }
        },
        _ => return Err(Violation::new(Code::Syntax, "a kind of text", kind)),
    })
}

/// How all that is wrong with a text is shown.
pub(crate) fn reported(kind: i32, text: &str, violation: Violation) -> Vec<Report> {
    match kind {
        ffi::TEXT_TERM | ffi::TEXT_LAYOUT | ffi::TEXT_VALUE | ffi::TEXT_TUPLE => {
            recovery::reports(text, violation)
        }
        _ => violation.reports_in(text),
    }
}
