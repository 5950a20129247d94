//! Division and remainder of unsigned words, under facts about their operands.

use super::{Known, Phase, ROW, Rule};
use num_integer::gcd;

/// `x` is a multiple of the positive constant `c`, and unsigned words divide as integers do.
fn divides(known: &Known<'_>, c: &str, x: &str) -> bool {
    known
        .positive(c)
        .is_some_and(|c| known.number(x).is_some_and(|x| x.low >= 0 && x.is_multiple_of(c)))
}

/// As [`divides`]; a power of two also divides what wrapped.
fn divides_word(known: &Known<'_>, c: &str, x: &str) -> bool {
    divides(known, c, x)
        || known
            .exponent(c)
            .is_some_and(|k| known.number(x).is_some_and(|x| x.is_multiple_of(1 << k)))
}

/// Two positive constants of which the first divides the second.
fn constants_divide(known: &Known<'_>, c: &str, d: &str) -> bool {
    let (Some(c), Some(d)) = (known.positive(c), known.positive(d)) else { return false };
    d % c == 0
}

/// The common divisor of `x` and the constant `c` is above `y`: adding `y` to `x` carries into no
/// multiple of it.
fn fits_below(known: &Known<'_>, x: &str, c: &str, y: &str) -> bool {
    let (Some(x), Some(c), Some(y)) = (known.number(x), known.positive(c), known.number(y)) else {
        return false;
    };
    let common = gcd(x.multiple, c.unsigned_abs());
    y.low >= 0 && y.high.unsigned_abs() < common
}

fn quotient(known: &Known<'_>, c: &str, d: &str) -> Option<layout_algebra::Value> {
    known.word(known.int(c)?.checked_div(known.int(d)?)?)
}

fn product(known: &Known<'_>, c: &str, d: &str) -> Option<layout_algebra::Value> {
    known.word(known.int(c)?.checked_mul(known.int(d)?)?)
}

fn positive_product(known: &Known<'_>) -> bool {
    known.positive("c").is_some()
        && known.positive("d").is_some()
        && product(known, "c", "d").is_some()
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "div-by-one",
        left: "(div ?x 1)",
        right: "?x",
        origin: "definition of division",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "mod-of-less",
        left: "(mod ?x ?y)",
        right: "?x",
        condition: "0 <= x < y",
        holds: |known| {
            let (Some(x), Some(y)) = (known.number("x"), known.number("y")) else { return false };
            x.low >= 0 && x.high < y.low
        },
        origin: "definition of remainder",
        avoids: "an x that reaches y",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "mul-of-exact-div",
        left: "(mul (div ?x ?c) ?c)",
        right: "?x",
        condition: "c is a positive constant and divides x >= 0",
        holds: |known| divides(known, "c", "x"),
        origin: "definition of division",
        avoids: "a quotient that is rounded",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "div-of-div",
        left: "(div (div ?x ?c) ?d)",
        right: "(div ?x ?v)",
        condition: "c and d are positive constants whose product v is one too",
        holds: positive_product,
        computes: &[("v", |known| {
            // Wrapped, so that the equation says something without its condition too.
            let both = known.int("c")?.wrapping_mul(known.int("d")?);
            known.word(crate::index::wrap(both, known.width()))
        })],
        origin: "floors of floors",
        avoids: "a product that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "mod-of-mod",
        left: "(mod (mod ?x ?c) ?d)",
        right: "(mod ?x ?d)",
        condition: "c and d are positive constants and d divides c",
        holds: |known| constants_divide(known, "d", "c"),
        origin: "remainders modulo a divisor",
        avoids: "a d that does not divide c",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "div-of-sum",
        left: "(div (add ?x ?y) ?c)",
        right: "(add (div ?x ?c) (div ?y ?c))",
        condition: "c is a positive constant and divides x; x and y are not below 0 and add up without wrapping",
        holds: |known| divides(known, "c", "x") && known.add_up("x", "y"),
        origin: "floors of a multiple and a rest",
        avoids: "a carry from two remainders; a sum that wraps",
        ..ROW
    },
    Rule {
        name: "mod-of-sum",
        left: "(mod (add ?x ?y) ?c)",
        right: "(mod ?y ?c)",
        condition: "c is a positive constant and divides x; x + y does not wrap, or c is a power of two",
        holds: |known| {
            (divides(known, "c", "x") && known.add_up("x", "y"))
                || (known.exponent("c").is_some() && divides_word(known, "c", "x"))
        },
        origin: "remainders of a multiple and a rest",
        avoids: "a sum that wraps: 2^width is a multiple of powers of two only",
        ..ROW
    },
    Rule {
        name: "div-of-sum-drop",
        left: "(div (add ?x ?y) ?c)",
        right: "(div ?x ?c)",
        condition: "c is a positive constant, 0 <= y < gcd(c, what divides x), x >= 0, and x + y does not wrap",
        holds: |known| fits_below(known, "x", "c", "y") && known.add_up("x", "y"),
        origin: "mixed radix: a digit below the divisor's",
        avoids: "a carry",
        ..ROW
    },
    Rule {
        name: "mod-of-sum-split",
        left: "(mod (add ?x ?y) ?c)",
        right: "(add (mod ?x ?c) ?y)",
        condition: "c is a positive constant, 0 <= y < gcd(c, what divides x), x >= 0, and x + y does not wrap",
        holds: |known| fits_below(known, "x", "c", "y") && known.add_up("x", "y"),
        origin: "mixed radix: a digit below the divisor's",
        avoids: "a carry",
        ..ROW
    },
    Rule {
        name: "mod-of-sum-of-mod",
        left: "(mod (add (mod ?x ?c) ?y) ?c)",
        right: "(mod (add ?x ?y) ?c)",
        condition: "c is a power of two, or x and y are not below 0 and add up without wrapping",
        holds: |known| {
            known.positive("c").is_some()
                && (known.exponent("c").is_some() || known.add_up("x", "y"))
        },
        origin: "remainders of sums",
        avoids: "a sum that wraps",
        ..ROW
    },
    Rule {
        name: "div-of-multiple",
        left: "(div (mul ?x ?c) ?d)",
        right: "(mul ?x ?v)",
        condition: "c and d are positive constants, d divides c, x >= 0, and x * c does not wrap; v is c / d",
        holds: |known| constants_divide(known, "d", "c") && known.multiply_out("x", "c"),
        computes: &[("v", |known| quotient(known, "c", "d"))],
        origin: "cancelling a factor",
        avoids: "a product that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "div-of-factor",
        left: "(div (mul ?x ?c) ?d)",
        right: "(div ?x ?v)",
        condition: "c and d are positive constants, c divides d, x >= 0, and x * c does not wrap; v is d / c",
        holds: |known| constants_divide(known, "c", "d") && known.multiply_out("x", "c"),
        computes: &[("v", |known| quotient(known, "d", "c"))],
        origin: "cancelling a factor",
        avoids: "a product that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "mod-of-factor",
        left: "(mod (mul ?x ?c) ?d)",
        right: "(mul (mod ?x ?v) ?c)",
        condition: "c and d are positive constants, c divides d, and x * c does not wrap or d is a power of two; v is d / c",
        holds: |known| {
            constants_divide(known, "c", "d")
                && (known.multiply_out("x", "c") || known.exponent("d").is_some())
        },
        computes: &[("v", |known| quotient(known, "d", "c"))],
        origin: "cancelling a factor",
        avoids: "a product that wraps",
        ..ROW
    },
    Rule {
        name: "mod-as-difference",
        left: "(mod ?x ?c)",
        right: "(add ?x (mul (div ?x ?c) ?v))",
        condition: "always; v is -c, for a constant c",
        // A power of two is a mask.
        profitable: |known| known.exponent("c").is_none(),
        computes: &[("v", |known| {
            known.word(crate::index::wrap(known.int("c")?.wrapping_neg(), known.width()))
        })],
        origin: "definition of the remainder: the quotient may be there already",
        ..ROW
    },
    Rule {
        name: "div-of-mod",
        left: "(div (mod ?x ?c) ?d)",
        right: "(mod (div ?x ?d) ?v)",
        condition: "c and d are positive constants and d divides c; v is c / d",
        holds: |known| constants_divide(known, "d", "c"),
        computes: &[("v", |known| quotient(known, "c", "d"))],
        origin: "mixed radix: the digit in the middle, from above and from below",
        avoids: "a d that does not divide c",
        ..ROW
    },
    Rule {
        name: "mod-of-div",
        left: "(mod (div ?x ?c) ?d)",
        right: "(div (mod ?x ?v) ?c)",
        condition: "c and d are positive constants whose product v is one too",
        holds: positive_product,
        computes: &[("v", |known| {
            let both = known.int("c")?.wrapping_mul(known.int("d")?);
            known.word(crate::index::wrap(both, known.width()))
        })],
        origin: "mixed radix: the digit in the middle, from below and from above",
        avoids: "a product that wraps",
        ..ROW
    },
];
