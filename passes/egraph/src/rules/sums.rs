//! Sums and products of indices, which wrap and so form a ring; and the recombination of a
//! quotient with its remainder.

use super::{Known, Phase, ROW, Rule};
use crate::index::wrap;

fn is_constant(known: &Known<'_>, name: &str) -> bool {
    known.int(name).is_some()
}

/// A constant that divides: not 0.
fn is_divisor(known: &Known<'_>, name: &str) -> bool {
    known.int(name).is_some_and(|value| value != 0)
}

/// A product of two variables as a word, wrapped.
fn product(known: &Known<'_>, x: &str, y: &str) -> Option<i64> {
    Some(wrap(known.int(x)?.wrapping_mul(known.int(y)?), known.width()))
}

fn sum(known: &Known<'_>, x: &str, y: &str) -> Option<i64> {
    Some(wrap(known.int(x)?.wrapping_add(known.int(y)?), known.width()))
}

/// Whether the product of two positive constants is a positive word.
fn multiply_out(known: &Known<'_>, x: &str, y: &str) -> bool {
    let (Some(x), Some(y)) = (known.positive(x), known.positive(y)) else { return false };
    x.checked_mul(y).is_some_and(|both| known.word(both).is_some())
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "add-commute",
        left: "(add ?x ?y)",
        right: "(add ?y ?x)",
        origin: "a ring",
        ..ROW
    },
    Rule {
        name: "mul-commute",
        left: "(mul ?x ?y)",
        right: "(mul ?y ?x)",
        origin: "a ring",
        ..ROW
    },
    Rule {
        name: "add-zero",
        left: "(add ?x 0)",
        right: "?x",
        origin: "a ring",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "mul-one",
        left: "(mul ?x 1)",
        right: "?x",
        origin: "a ring",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "sub-self",
        left: "(sub ?x ?x)",
        right: "0",
        origin: "a ring",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "sub-constant",
        left: "(sub ?x ?c)",
        right: "(add ?x ?v)",
        condition: "c is a constant; v is -c",
        holds: |known| is_constant(known, "c"),
        computes: &[("v", |known| known.word(wrap(known.int("c")?.wrapping_neg(), known.width())))],
        origin: "a ring",
        avoids: "an operand whose value is not known",
        ..ROW
    },
    Rule {
        name: "difference-of-sum",
        left: "(sub (add ?x ?y) ?y)",
        right: "?x",
        origin: "a ring",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "add-constants",
        left: "(add (add ?x ?c) ?d)",
        right: "(add ?x ?v)",
        condition: "c and d are constants; v is their sum",
        holds: |known| is_constant(known, "c") && is_constant(known, "d"),
        computes: &[("v", |known| known.word(sum(known, "c", "d")?))],
        origin: "a ring",
        avoids: "an operand whose value is not known",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "mul-constants",
        left: "(mul (mul ?x ?c) ?d)",
        right: "(mul ?x ?v)",
        condition: "c and d are constants; v is their product",
        holds: |known| is_constant(known, "c") && is_constant(known, "d"),
        computes: &[("v", |known| known.word(product(known, "c", "d")?))],
        origin: "a ring",
        avoids: "an operand whose value is not known",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "add-constant-outward",
        left: "(add (add ?x ?c) ?y)",
        right: "(add (add ?x ?y) ?c)",
        profitable: |known| is_constant(known, "c") && !is_constant(known, "y"),
        origin: "a ring",
        ..ROW
    },
    Rule {
        name: "add-invariant-inward",
        left: "(add (add ?x ?y) ?z)",
        right: "(add ?x (add ?y ?z))",
        profitable: |known| known.depth("x") > known.depth("y").max(known.depth("z")),
        origin: "a ring: what changes in fewer loops is summed first, and outside of them",
        ..ROW
    },
    Rule {
        name: "add-uniform-inward",
        left: "(add (add ?x ?y) ?z)",
        right: "(add ?x (add ?y ?z))",
        profitable: |known| {
            known.depth("x") == known.depth("y").max(known.depth("z"))
                && known.uniform("x") < known.uniform("y").min(known.uniform("z"))
                && !is_constant(known, "z")
        },
        origin: "a ring: what all threads of a warp share is summed by itself",
        ..ROW
    },
    Rule {
        name: "mul-distribute",
        left: "(mul (add ?x ?y) ?c)",
        right: "(add (mul ?x ?c) (mul ?y ?c))",
        profitable: |known| is_constant(known, "c"),
        origin: "a ring",
        ..ROW
    },
    Rule {
        name: "mul-distribute-invariant",
        left: "(mul (add ?x ?y) ?z)",
        right: "(add (mul ?x ?z) (mul ?y ?z))",
        profitable: |known| known.depth("x") > known.depth("y").max(known.depth("z")),
        origin: "a ring: a product of what changes in fewer loops is made outside of them",
        ..ROW
    },
    Rule {
        name: "mul-collect",
        left: "(add (mul ?x ?z) (mul ?y ?z))",
        right: "(mul (add ?x ?y) ?z)",
        origin: "a ring",
        ..ROW
    },
    Rule {
        name: "mul-collect-multiple",
        left: "(add (mul ?x ?c) (mul ?y ?d))",
        right: "(mul (add ?x (mul ?y ?v)) ?c)",
        condition: "c and d are constants and c divides d; v is d / c",
        holds: |known| {
            let (Some(c), Some(d)) = (known.int("c"), known.int("d")) else { return false };
            c > 1 && d != c && d % c == 0
        },
        computes: &[("v", |known| known.word(known.int("d")?.checked_div(known.int("c")?)?))],
        origin: "a ring",
        avoids: "a quotient that is rounded",
        ..ROW
    },
    Rule {
        name: "mul-collect-one",
        left: "(add (mul ?x ?c) ?x)",
        right: "(mul ?x ?v)",
        condition: "c is a constant; v is c + 1",
        holds: |known| is_constant(known, "c"),
        computes: &[("v", |known| {
            known.word(wrap(known.int("c")?.wrapping_add(1), known.width()))
        })],
        origin: "a ring",
        avoids: "an operand whose value is not known",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine",
        left: "(add (mul (div ?x ?c) ?c) (mod ?x ?c))",
        right: "?x",
        condition: "c is a constant and not 0",
        holds: |known| is_divisor(known, "c"),
        origin: "definition of division with remainder",
        avoids: "a division by 0, which has no value",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine-in-sum",
        left: "(add (add ?y (mul (div ?x ?c) ?c)) (mod ?x ?c))",
        right: "(add ?y ?x)",
        condition: "c is a constant and not 0",
        holds: |known| is_divisor(known, "c"),
        origin: "definition of division with remainder",
        avoids: "a division by 0, which has no value",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine-remainder-in-sum",
        left: "(add (add ?y (mod ?x ?c)) (mul (div ?x ?c) ?c))",
        right: "(add ?y ?x)",
        condition: "c is a constant and not 0",
        holds: |known| is_divisor(known, "c"),
        origin: "definition of division with remainder",
        avoids: "a division by 0, which has no value",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine-scaled",
        left: "(add (mul (div ?x ?c) ?e) (mul (mod ?x ?c) ?d))",
        right: "(mul ?x ?d)",
        condition: "c, d and e are constants, c is not 0, and e is c * d",
        holds: |known| {
            is_divisor(known, "c")
                && is_constant(known, "d")
                && product(known, "c", "d") == known.int("e")
        },
        origin: "definition of division with remainder",
        avoids: "digits that do not continue each other",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine-scaled-in-sum",
        left: "(add (add ?y (mul (div ?x ?c) ?e)) (mul (mod ?x ?c) ?d))",
        right: "(add ?y (mul ?x ?d))",
        condition: "c, d and e are constants, c is not 0, and e is c * d",
        holds: |known| {
            is_divisor(known, "c")
                && is_constant(known, "d")
                && product(known, "c", "d") == known.int("e")
        },
        origin: "definition of division with remainder",
        avoids: "digits that do not continue each other",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine-digits",
        left: "(add (mul (mod (div ?x ?c) ?d) ?c) (mod ?x ?c))",
        right: "(mod ?x ?v)",
        condition: "c and d are positive constants whose product v is one too",
        holds: |known| multiply_out(known, "c", "d"),
        computes: &[("v", |known| known.word(product(known, "c", "d")?))],
        origin: "mixed radix: two digits in a row are one",
        avoids: "a radix that wraps, or no radix",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine-digits-in-sum",
        left: "(add (add ?y (mul (mod (div ?x ?c) ?d) ?c)) (mod ?x ?c))",
        right: "(add ?y (mod ?x ?v))",
        condition: "c and d are positive constants whose product v is one too",
        holds: |known| multiply_out(known, "c", "d"),
        computes: &[("v", |known| known.word(product(known, "c", "d")?))],
        origin: "mixed radix: two digits in a row are one",
        avoids: "a radix that wraps, or no radix",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "recombine-scaled-digits",
        left: "(add (mul (mod (div ?x ?c) ?d) ?e) (mul (mod ?x ?c) ?f))",
        right: "(mul (mod ?x ?v) ?f)",
        condition: "all but x are constants, c, d and their product v are positive, and e is c * f",
        holds: |known| {
            multiply_out(known, "c", "d")
                && is_constant(known, "f")
                && product(known, "c", "f") == known.int("e")
        },
        computes: &[("v", |known| known.word(product(known, "c", "d")?))],
        origin: "mixed radix: two digits in a row are one",
        avoids: "digits that do not continue each other",
        phase: Phase::Shrink,
        ..ROW
    },
];
