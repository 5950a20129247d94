//! Values of terms that were read a moment ago.
//!
//! An operation's text has its layouts several times over: in attributes, in its operands' types and
//! in its result's. Each is read where it is needed, so that a few values at hand save most of that.

use layout_algebra::{Error, Term, Value};
use std::cell::RefCell;

/// How many values are at hand, and how long their texts may be.
const COUNT: usize = 8;
const LENGTH: usize = 256;

/// Texts and their values, the one that is replaced next, and room for more.
#[derive(Default)]
struct Recent {
    entries: Vec<(String, Value)>,
    next: usize,
}

thread_local! {
    static RECENT: RefCell<Recent> = RefCell::default();
    /// The call that was read last, by its canonical text: a constant's type is asked for next.
    static LAST: RefCell<Option<(String, Term)>> = RefCell::default();
}

/// Keeps a call that was just read, until its value is asked for or another one is read.
pub(crate) fn keep(text: &str, term: Term) {
    if matches!(term, Term::Call { .. }) && text.len() <= LENGTH {
        LAST.set(Some((text.to_owned(), term)));
    }
}

/// The value of a term's text.
///
/// # Errors
///
/// As the parser and the evaluation.
pub(crate) fn evaluated(text: &str) -> Result<Value, Error> {
    if text.len() > LENGTH {
        return Term::parse(text)?.into_value();
    }
    let found = RECENT.with_borrow(|recent| {
        let mut entries = recent.entries.iter();
        entries.find(|(key, _)| key == text).map(|(_, value)| value.clone())
    });
    if let Some(value) = found {
        return Ok(value);
    }
    // Nothing is borrowed here: evaluation is free to ask for values.
    let last = LAST.with_borrow_mut(|last| last.take_if(|(key, _)| key == text));
    let value = match last.map_or_else(|| Term::parse(text), |(_, term)| Ok(term))? {
        // As soon read again as copied.
        Term::Literal(value @ (Value::Int(_) | Value::Tuple(_) | Value::Layout(_))) => {
            return Ok(value);
        }
        term => term.into_value()?,
    };
    RECENT.with_borrow_mut(|recent| {
        let entry = (text.to_owned(), value.clone());
        match recent.entries.get_mut(recent.next) {
            Some(place) => *place = entry,
            None => recent.entries.push(entry),
        }
        recent.next = (recent.next + 1) % COUNT;
    });
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_their_texts() {
        for round in 0..3 {
            for n in 1..20 {
                let text = format!("composition(({n},2):(2,1), 2:1)");
                let want = Term::parse(&text).expect("a term").eval();
                assert_eq!(evaluated(&text), want, "{text} in round {round}");
            }
        }
        assert!(evaluated("(4,8):(8").is_err());
    }
}
