//! Quotient and remainder of one index, both scaled and summed, and terms of a sum that are alike.
//!
//! A layout whose digits do not continue each other is `q * e + r * d` for the quotient `q` and the
//! remainder `r` of one index `x`. Since `r = x - q * c`, that is `x * d + q * (e - c * d)`: the
//! remainder need not be computed.

use super::{Known, Phase, ROW, Rule};
use crate::{facts::number, index::wrap};
use layout_algebra::Value;

/// A word from constants, wrapped.
fn word(known: &Known<'_>, value: impl FnOnce() -> Option<i64>) -> Option<Value> {
    known.word(wrap(value()?, known.width()))
}

/// `e - c` for constants.
fn rest(known: &Known<'_>) -> Option<Value> {
    word(known, || Some(known.int("e")?.wrapping_sub(known.int("c")?)))
}

/// `e - c * d` for constants.
fn scaled_rest(known: &Known<'_>) -> Option<Value> {
    word(known, || {
        let taken = known.int("c")?.wrapping_mul(known.int("d")?);
        Some(known.int("e")?.wrapping_sub(taken))
    })
}

/// Whether `c` and `d` are positive constants whose product is one too.
fn are_next(known: &Known<'_>) -> bool {
    product(known).is_some()
}

/// `c * d` for positive constants, where that is a word.
fn product(known: &Known<'_>) -> Option<i64> {
    let product = known.positive("c")?.checked_mul(known.positive("d")?)?;
    (product <= crate::index::bounds(known.width()).1).then_some(product)
}

/// Whether `c` and `e` are constants and `e` is `-c * d`, as words.
fn takes_away(known: &Known<'_>, d: Option<i64>) -> bool {
    let (Some(c), Some(e), Some(d)) = (known.int("c"), known.int("e"), d) else { return false };
    c != 0 && wrap(c.wrapping_mul(d).wrapping_neg(), known.width()) == e
}

/// `c + d` for constants.
fn both(known: &Known<'_>) -> Option<Value> {
    word(known, || Some(known.int("c")?.wrapping_add(known.int("d")?)))
}

/// `c + 1` for a constant.
fn one_more(known: &Known<'_>) -> Option<Value> {
    word(known, || Some(known.int("c")?.wrapping_add(1)))
}

/// Whether neither `x + y` nor `x + y + z` wraps and none is below 0, and the positive constant `c`
/// divides `x`.
fn divides_first_of_three(known: &Known<'_>) -> bool {
    let (Some(x), Some(y), Some(z)) = (known.number("x"), known.number("y"), known.number("z"))
    else {
        return false;
    };
    let Some(c) = known.positive("c") else { return false };
    let natural = x.low >= 0 && y.low >= 0 && z.low >= 0;
    let fits = number::adds(&x, &y)
        && y.high.checked_add(x.high).is_some_and(|xy| {
            xy.checked_add(z.high).is_some_and(|all| all <= crate::index::bounds(known.width()).1)
        });
    natural && fits && x.is_multiple_of(c)
}

/// Whether `y * n + x` never wraps, and `0 <= x < n`.
fn is_row(known: &Known<'_>) -> bool {
    let (Some(x), Some(y), Some(n)) = (known.number("x"), known.number("y"), known.number("n"))
    else {
        return false;
    };
    if x.low < 0 || y.low < 0 || x.high >= n.low {
        return false;
    }
    let most = i128::from(y.high) * i128::from(n.high) + i128::from(x.high);
    most <= i128::from(crate::index::bounds(known.width()).1)
}

/// A row of which the digits' quotient and remainder are those of constants.
const DIGITS: Rule = Rule {
    condition: "always; v is e - c, for constants c and e",
    computes: &[("v", rest)],
    origin: "definition of the remainder: x - c * (x / c)",
    ..ROW
};

/// The same, of a remainder that is scaled.
const SCALED: Rule = Rule {
    condition: "always; v is e - c * d, for constants c, d and e",
    computes: &[("v", scaled_rest)],
    ..DIGITS
};

/// A row that makes a remainder of an index less its quotient's multiple.
const JOIN_REMAINDER: Rule = Rule {
    condition: "c and e are constants, c is not 0, and e is -c",
    holds: |known| takes_away(known, Some(1)),
    origin: "definition of the remainder: x - c * (x / c)",
    avoids: "another multiple of the quotient",
    ..ROW
};

/// A row that adds the factors of two terms that are alike.
const FACTOR_SUM: Rule = Rule {
    condition: "always; v is c + d, for constants c and d",
    computes: &[("v", both)],
    origin: "a ring: terms that are alike",
    phase: Phase::Shrink,
    ..ROW
};

/// The same where one factor is 1.
const FACTOR_SUM_UNIT: Rule = Rule {
    condition: "always; v is c + 1, for a constant c",
    computes: &[("v", one_more)],
    ..FACTOR_SUM
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "split-digits",
        left: "(add (mul (div ?x ?c) ?e) (mod ?x ?c))",
        right: "(add ?x (mul (div ?x ?c) ?v))",
        ..DIGITS
    },
    Rule {
        name: "split-digits-of-unknown",
        left: "(add (mul (div ?x ?n) ?y) (mod ?x ?n))",
        right: "(add ?x (mul (div ?x ?n) (sub ?y ?n)))",
        profitable: |known| known.int("n").is_none(),
        origin: "definition of the remainder: x - n * (x / n)",
        ..ROW
    },
    Rule {
        name: "split-digits-in-sum",
        left: "(add (add ?y (mul (div ?x ?c) ?e)) (mod ?x ?c))",
        right: "(add ?y (add ?x (mul (div ?x ?c) ?v)))",
        ..DIGITS
    },
    Rule {
        name: "split-remainder-in-sum",
        left: "(add (add ?y (mod ?x ?c)) (mul (div ?x ?c) ?e))",
        right: "(add ?y (add ?x (mul (div ?x ?c) ?v)))",
        ..DIGITS
    },
    Rule {
        name: "split-scaled-digits",
        left: "(add (mul (div ?x ?c) ?e) (mul (mod ?x ?c) ?d))",
        right: "(add (mul ?x ?d) (mul (div ?x ?c) ?v))",
        ..SCALED
    },
    Rule {
        name: "split-scaled-digits-in-sum",
        left: "(add (add ?y (mul (div ?x ?c) ?e)) (mul (mod ?x ?c) ?d))",
        right: "(add ?y (add (mul ?x ?d) (mul (div ?x ?c) ?v)))",
        ..SCALED
    },
    Rule {
        name: "split-scaled-remainder-in-sum",
        left: "(add (add ?y (mul (mod ?x ?c) ?d)) (mul (div ?x ?c) ?e))",
        right: "(add ?y (add (mul ?x ?d) (mul (div ?x ?c) ?v)))",
        ..SCALED
    },
    Rule {
        name: "split-next-digit",
        left: "(mod (div ?x ?c) ?d)",
        right: "(add (div ?x ?c) (mul (div ?x ?v) ?w))",
        condition: "c and d are positive constants whose product v is one too; w is -d",
        holds: are_next,
        computes: &[
            ("v", |known| known.word(product(known)?)),
            ("w", |known| word(known, || Some(known.int("d")?.wrapping_neg()))),
        ],
        origin: "definition of the remainder, of a quotient: x / c - d * (x / (c * d))",
        avoids: "a product that wraps, or no divisor",
        ..ROW
    },
    Rule {
        name: "join-remainder",
        left: "(add ?x (mul (div ?x ?c) ?e))",
        right: "(mod ?x ?c)",
        phase: Phase::Shrink,
        ..JOIN_REMAINDER
    },
    Rule {
        name: "join-remainder-in-sum",
        left: "(add (add ?y ?x) (mul (div ?x ?c) ?e))",
        right: "(add ?y (mod ?x ?c))",
        phase: Phase::Shrink,
        ..JOIN_REMAINDER
    },
    Rule {
        name: "join-scaled-remainder-in-sum",
        left: "(add (add ?y (mul ?x ?d)) (mul (div ?x ?c) ?e))",
        right: "(add ?y (mul (mod ?x ?c) ?d))",
        condition: "c, d and e are constants, c is not 0, and e is -c * d",
        holds: |known| takes_away(known, known.int("d")),
        ..JOIN_REMAINDER
    },
    Rule {
        name: "sub-multiple",
        left: "(sub ?x (mul ?y ?c))",
        right: "(add ?x (mul ?y ?v))",
        condition: "c is a constant; v is -c",
        computes: &[("v", |known| word(known, || Some(known.int("c")?.wrapping_neg())))],
        origin: "a ring",
        avoids: "an operand whose value is not known",
        ..ROW
    },
    Rule {
        name: "collect-in-sum",
        left: "(add (add ?y (mul ?x ?c)) (mul ?x ?d))",
        right: "(add ?y (mul ?x ?v))",
        ..FACTOR_SUM
    },
    Rule {
        name: "collect-one-in-sum",
        left: "(add (add ?y (mul ?x ?c)) ?x)",
        right: "(add ?y (mul ?x ?v))",
        ..FACTOR_SUM_UNIT
    },
    Rule {
        name: "collect-in-sum-of-one",
        left: "(add (add ?y ?x) (mul ?x ?c))",
        right: "(add ?y (mul ?x ?v))",
        ..FACTOR_SUM_UNIT
    },
    Rule {
        name: "collect-in-sums",
        left: "(add (add ?y (mul ?x ?c)) (add ?z (mul ?x ?d)))",
        right: "(add (add ?y ?z) (mul ?x ?v))",
        ..FACTOR_SUM
    },
    Rule {
        name: "div-of-sum-of-three",
        left: "(div (add (add ?x ?y) ?z) ?c)",
        right: "(add (div ?x ?c) (div (add ?y ?z) ?c))",
        condition: "c is a positive constant and divides x; none of the three is below 0, and they add up without wrapping",
        holds: divides_first_of_three,
        origin: "floors of a multiple and a rest",
        avoids: "a carry from two remainders; a sum that wraps",
        ..ROW
    },
    Rule {
        name: "mod-of-sum-of-three",
        left: "(mod (add (add ?x ?y) ?z) ?c)",
        right: "(mod (add ?y ?z) ?c)",
        condition: "c is a positive constant and divides x; none of the three is below 0, and they add up without wrapping",
        holds: divides_first_of_three,
        origin: "remainders of a multiple and a rest",
        avoids: "a sum that wraps: 2^width is a multiple of powers of two only",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "div-of-row",
        left: "(div (add (mul ?y ?n) ?x) ?n)",
        right: "?y",
        condition: "0 <= x < n, y >= 0, and y * n + x does not wrap",
        holds: is_row,
        origin: "mixed radix: a row's number, for an extent that need not be known",
        avoids: "an x that reaches n; a sum that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "mod-of-row",
        left: "(mod (add (mul ?y ?n) ?x) ?n)",
        right: "?x",
        condition: "0 <= x < n, y >= 0, and y * n + x does not wrap",
        holds: is_row,
        origin: "mixed radix: the place in a row, for an extent that need not be known",
        avoids: "an x that reaches n; a sum that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "div-as-high-word",
        left: "(div ?x ?c)",
        right: "(high ?x ?v)",
        condition: "c is a constant above 2, v = ceil(2^width / c) is a word, x >= 0, and x * (v * c - 2^width) < 2^width",
        holds: |known| {
            let (Some(c), Some(x)) = (known.positive("c"), known.number("x")) else { return false };
            let Some(v) = reciprocal(known) else { return false };
            let power = 1_i128 << known.width();
            x.low >= 0 && i128::from(x.high) * (v * i128::from(c) - power) < power
        },
        profitable: |known| known.exponent("c").is_none(),
        computes: &[("v", |known| known.word(i64::try_from(reciprocal(known)?).ok()?))],
        origin: "a product with the reciprocal: its error stays below one for operands that are small enough",
        avoids: "an operand so large that the reciprocal's error reaches the quotient",
        ..ROW
    },
];

/// `2^width / c` rounded up, where that is a positive word.
fn reciprocal(known: &Known<'_>) -> Option<i128> {
    let c = i128::from(known.positive("c").filter(|&c| c > 2)?);
    let power = 1_i128 << known.width();
    Some((power + c - 1) / c).filter(|&v| v <= i128::from(crate::index::bounds(known.width()).1))
}
