//! Text as a term with symbols: no panic, no overflow, in time, and a value at the least values that the
//! facts allow.
#![no_main]

use layout_algebra::{Value, Expr, Facts, Values, evaluate};
use layout_algebra_fuzz::timed;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let answer = timed(&text, || {
        let mut facts = Facts::new();
        evaluate(text, &mut facts).map(|value| (value, facts))
    });
    match answer {
        Ok((value, facts)) => at_least_values(text, &value, &facts),
        Err(error) => {
            let shown = timed(&text, || error.to_string());
            assert!(
                !shown.is_empty() && error.offset().is_none_or(|at| at <= text.len()),
                "{text}"
            );
        }
    }
});

fn at_least_values(text: &str, value: &Value<Expr>, facts: &Facts) {
    let printed = timed(&text, || value.annotated(facts));
    assert!(!printed.is_empty(), "{text}");
    let least = facts.symbols().map(|symbol| {
        let divisor = symbol.divisor();
        let up = symbol.range().0.checked_add(divisor - 1).map_or(0, |low| low.div_euclid(divisor));
        (symbol.name(), up.saturating_mul(divisor))
    });
    if let Ok(values) = Values::new(facts, least) {
        let fixed = timed(&text, || value.substitute(&values));
        // An overflow at these values is an error, and so is a layout that is none.
        assert!(fixed.is_err() || !fixed.is_ok_and(|value| value.to_string().is_empty()), "{text}");
    }
}
