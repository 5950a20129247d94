//! Bytes as a term: parsed at once or refused at once, and what is printed is parsed to the same.
#![no_main]

use layout_algebra::{DEPTH_LIMIT, LENGTH_LIMIT, Term};
use layout_algebra_fuzz::timed;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = timed(&text, || Term::parse(text));
    if let Err(error) = &parsed {
        assert!(error.offset().is_none_or(|offset| offset <= text.len()), "{error}: {text}");
    }
    round_trip(parsed.ok());

    // The first line bound to a name that the rest may use.
    let Some((first, rest)) = text.split_once('\n') else { return };
    let Ok(bound) = Term::parse(first) else { return };
    let parsed =
        timed(&text, || Term::parse_with(rest, &|name| (name == "t").then(|| bound.clone())));
    round_trip(parsed.ok());
});

fn round_trip(term: Option<Term>) {
    let Some(term) = term else { return };
    let text = timed(&"a term", || term.to_string());
    if text.len() <= LENGTH_LIMIT {
        assert_eq!(timed(&text, || Term::parse(&text)), Ok(term), "{text}");
    }
    let nesting = text.bytes().scan(0_usize, |open, byte| {
        match byte {
            b'(' | b'<' => *open += 1,
            // The arrow of a linear layout closes nothing.
            b')' | b'>' => *open = open.saturating_sub(1),
            _ => {}
        }
        Some(*open)
    });
    assert!(nesting.max().is_none_or(|deepest| deepest <= DEPTH_LIMIT + 1), "{text}");
}
