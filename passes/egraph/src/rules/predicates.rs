//! Comparisons, selections, minimum and maximum. A comparison that facts decide is a constant by its facts.

use super::{Known, Phase, ROW, Rule};
use crate::{
    facts::number::{adds, decide, multiplies},
    index::IndexOp,
};

fn decided(known: &Known<'_>, op: IndexOp) -> Option<bool> {
    decide(op, &known.number("x")?, &known.number("y")?)
}

fn is_predicate(known: &Known<'_>, name: &str) -> bool {
    known.number(name).is_some_and(|number| number.low >= 0 && number.high <= 1)
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "less-self",
        left: "(lt ?x ?x)",
        right: "0",
        origin: "an order",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "at-most-self",
        left: "(le ?x ?x)",
        right: "1",
        origin: "an order",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "equal-self",
        left: "(eq ?x ?x)",
        right: "1",
        origin: "an order",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "select-true",
        left: "(select 1 ?x ?y)",
        right: "?x",
        origin: "definition of select",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "select-false",
        left: "(select 0 ?x ?y)",
        right: "?y",
        origin: "definition of select",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "select-same",
        left: "(select ?p ?x ?x)",
        right: "?x",
        condition: "p is 0 or 1",
        holds: |known| is_predicate(known, "p"),
        origin: "definition of select",
        avoids: "what is no predicate, of which select has no value",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "select-predicate",
        left: "(select ?p 1 0)",
        right: "?p",
        condition: "p is 0 or 1",
        holds: |known| is_predicate(known, "p"),
        origin: "definition of select",
        avoids: "what is no predicate, of which select has no value",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "select-of-sums",
        left: "(select ?p (add ?x ?y) (add ?x ?z))",
        right: "(add ?x (select ?p ?y ?z))",
        origin: "definition of select",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "min-decided",
        left: "(min ?x ?y)",
        right: "?x",
        condition: "x is at most y",
        holds: |known| decided(known, IndexOp::AtMost) == Some(true),
        origin: "intervals",
        avoids: "intervals that overlap",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "max-decided",
        left: "(max ?x ?y)",
        right: "?y",
        condition: "x is at most y",
        holds: |known| decided(known, IndexOp::AtMost) == Some(true),
        origin: "intervals",
        avoids: "intervals that overlap",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "min-commute",
        left: "(min ?x ?y)",
        right: "(min ?y ?x)",
        origin: "an order",
        ..ROW
    },
    Rule {
        name: "max-commute",
        left: "(max ?x ?y)",
        right: "(max ?y ?x)",
        origin: "an order",
        ..ROW
    },
    Rule {
        name: "min-self",
        left: "(min ?x ?x)",
        right: "?x",
        origin: "an order",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "max-self",
        left: "(max ?x ?x)",
        right: "?x",
        origin: "an order",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "at-most-as-less",
        left: "(le ?x ?c)",
        right: "(lt ?x ?v)",
        condition: "c is a constant and not the greatest word; v is c + 1",
        holds: |known| known.int("c").and_then(|c| known.word(c.checked_add(1)?)).is_some(),
        computes: &[("v", |known| {
            let next = known.int("c")?.wrapping_add(1);
            known.word(crate::index::wrap(next, known.width()))
        })],
        origin: "integers",
        avoids: "the greatest word, which has no successor",
        ..ROW
    },
    Rule {
        name: "less-of-multiple",
        left: "(lt (mul ?x ?c) ?d)",
        right: "(lt ?x ?v)",
        condition: "c and d are constants, c > 0, and x * c does not wrap; v is d / c rounded up",
        holds: |known| {
            known.positive("c").is_some()
                && known.int("d").is_some()
                && known.number("x").zip(known.number("c")).is_some_and(|(x, c)| multiplies(&x, &c))
        },
        computes: &[("v", |known| {
            let (c, d) = (known.int("c")?, known.int("d")?);
            let up = i128::from(d) + i128::from(c) - 1;
            known.word(i64::try_from(up.checked_div_euclid(i128::from(c))?).ok()?)
        })],
        origin: "cancelling a factor",
        avoids: "a product that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "less-of-quotient",
        left: "(lt (div ?x ?c) ?d)",
        right: "(lt ?x ?v)",
        condition: "c and d are positive constants whose product v is one too, and x >= 0",
        holds: |known| {
            let product = known.positive("c").zip(known.positive("d"));
            known.is_natural("x")
                && product.and_then(|(c, d)| known.word(c.checked_mul(d)?)).is_some()
        },
        computes: &[("v", |known| {
            let both = known.int("c")?.wrapping_mul(known.int("d")?);
            known.word(crate::index::wrap(both, known.width()))
        })],
        origin: "definition of division",
        avoids: "a bound that wraps; an x below 0, which division reads as unsigned",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "less-of-sum",
        left: "(lt (add ?x ?c) ?d)",
        right: "(lt ?x ?v)",
        condition: "c and d are constants, x + c does not wrap; v is d - c and a word",
        holds: |known| {
            let difference = known.int("d").zip(known.int("c"));
            difference.and_then(|(d, c)| known.word(d.checked_sub(c)?)).is_some()
                && known.number("x").zip(known.number("c")).is_some_and(|(x, c)| adds(&x, &c))
        },
        computes: &[("v", |known| {
            let difference = known.int("d")?.wrapping_sub(known.int("c")?);
            known.word(crate::index::wrap(difference, known.width()))
        })],
        origin: "cancelling a term",
        avoids: "a sum that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "less-of-sums",
        left: "(lt (add ?x ?y) (add ?z ?y))",
        right: "(lt ?x ?z)",
        condition: "neither sum wraps",
        holds: |known| {
            let (Some(x), Some(y), Some(z)) =
                (known.number("x"), known.number("y"), known.number("z"))
            else {
                return false;
            };
            adds(&x, &y) && adds(&z, &y)
        },
        origin: "cancelling a term",
        avoids: "a sum that wraps",
        phase: Phase::Shrink,
        ..ROW
    },
];
