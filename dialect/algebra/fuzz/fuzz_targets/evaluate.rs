//! Text as a term, evaluated: no panic, no overflow, every call within its time and its laws.
#![no_main]

use layout_algebra::{Layout, Term, Value};
use layout_algebra_fuzz::{evaluate, timed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(term) = Term::parse(text) else { return };
    let value = evaluate(&term);
    // Lazily or call by call: the same.
    assert_eq!(value, term.eval(), "{text}");
    let Ok(value) = value else { return };
    let printed = timed(&text, || value.to_string());
    if let Value::Layout(layout) = value
        && let Ok(read) = printed.parse::<Layout>()
    {
        assert_eq!(read, layout, "{text}");
    }
});
