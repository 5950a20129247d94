//! Bits: powers of two as shifts and masks, fields that move, and sums that carry nothing.

use super::{Known, Phase, ROW, Rule};
use crate::index::{mask, word, wrap};
use layout_algebra::Value;

/// Two indices that share no bit: their sum carries nothing.
fn disjoint(known: &Known<'_>, x: &str, y: &str) -> bool {
    let (Some(x), Some(y)) = (known.number(x), known.number(y)) else { return false };
    x.possible() & y.possible() == 0
}

/// A constant shift that is less than the width.
fn shift(known: &Known<'_>, name: &str) -> Option<u32> {
    u32::try_from(known.int(name)?).ok().filter(|&shift| shift < known.width())
}

/// Bits as a constant.
fn bits(known: &Known<'_>, bits: u64) -> Option<Value> {
    Some(Value::Int(wrap(bits.cast_signed(), known.width())))
}

/// A constant as bits.
fn bits_of(known: &Known<'_>, name: &str) -> Option<u64> {
    Some(word(known.int(name)?, known.width()))
}

/// `2^k` as a positive constant, for a shift by a constant `k`.
fn power(known: &Known<'_>, name: &str) -> Option<Value> {
    let shift = shift(known, name).filter(|&shift| shift + 1 < known.width())?;
    Some(Value::Int(1 << shift))
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "mul-as-shift",
        left: "(mul ?x ?c)",
        right: "(shl ?x ?v)",
        condition: "c is the constant 2^v",
        holds: |known| known.exponent("c").is_some(),
        computes: &[("v", |known| Some(Value::Int(i64::from(known.positive("c")?.ilog2()))))],
        origin: "strength reduction",
        avoids: "a constant that is no power of two",
        ..ROW
    },
    Rule {
        name: "shift-as-mul",
        left: "(shl ?x ?c)",
        right: "(mul ?x ?v)",
        condition: "c is a constant below the width less 1; v is 2^c",
        holds: |known| power(known, "c").is_some(),
        computes: &[("v", |known| {
            known
                .word(1_i64.checked_shl(u32::try_from(known.int("c")?).ok()?).unwrap_or(0))
                .or(Some(Value::Int(0)))
        })],
        origin: "definition of the shift",
        avoids: "a power that is no positive word",
        ..ROW
    },
    Rule {
        name: "div-as-shift",
        left: "(div ?x ?c)",
        right: "(shr ?x ?v)",
        condition: "c is the constant 2^v",
        holds: |known| known.exponent("c").is_some(),
        computes: &[("v", |known| Some(Value::Int(i64::from(known.positive("c")?.ilog2()))))],
        origin: "strength reduction",
        avoids: "a constant that is no power of two",
        ..ROW
    },
    Rule {
        name: "shift-as-div",
        left: "(shr ?x ?c)",
        right: "(div ?x ?v)",
        condition: "c is a constant below the width less 1; v is 2^c",
        holds: |known| power(known, "c").is_some(),
        computes: &[("v", |known| {
            known
                .word(1_i64.checked_shl(u32::try_from(known.int("c")?).ok()?).unwrap_or(1))
                .or(Some(Value::Int(1)))
        })],
        origin: "definition of the shift",
        avoids: "a power that is no positive word",
        ..ROW
    },
    Rule {
        name: "mod-as-and",
        left: "(mod ?x ?c)",
        right: "(and ?x ?v)",
        condition: "c is a constant and a power of two; v is c - 1",
        holds: |known| known.exponent("c").is_some(),
        computes: &[("v", |known| known.word(known.positive("c")? - 1))],
        origin: "strength reduction",
        avoids: "a constant that is no power of two",
        ..ROW
    },
    Rule {
        name: "and-as-mod",
        left: "(and ?x ?c)",
        right: "(mod ?x ?v)",
        condition: "c is a constant of ones below zeros; v is c + 1",
        holds: |known| {
            known.int("c").is_some_and(|c| c >= 0 && (c as u64 & (c as u64 + 1)) == 0)
                && known.word(known.int("c").unwrap_or(0).saturating_add(1)).is_some()
        },
        computes: &[("v", |known| known.word(known.int("c")?.checked_add(1)?))],
        origin: "definition of the remainder by a power of two",
        avoids: "a mask with a gap",
        ..ROW
    },
    Rule { name: "and-commute", left: "(and ?x ?y)", right: "(and ?y ?x)", origin: "bits", ..ROW },
    Rule { name: "or-commute", left: "(or ?x ?y)", right: "(or ?y ?x)", origin: "bits", ..ROW },
    Rule { name: "xor-commute", left: "(xor ?x ?y)", right: "(xor ?y ?x)", origin: "bits", ..ROW },
    Rule {
        name: "and-self",
        left: "(and ?x ?x)",
        right: "?x",
        origin: "bits",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "or-self",
        left: "(or ?x ?x)",
        right: "?x",
        origin: "bits",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "xor-self",
        left: "(xor ?x ?x)",
        right: "0",
        origin: "bits",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "shift-by-zero",
        left: "(shr ?x 0)",
        right: "?x",
        origin: "definition of the shift",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "and-covers",
        left: "(and ?x ?y)",
        right: "?x",
        condition: "every bit that x may have is 1 in y",
        holds: |known| {
            let (Some(x), Some(y)) = (known.number("x"), known.number("y")) else { return false };
            x.possible() & !y.ones == 0
        },
        origin: "known bits",
        avoids: "a mask that cuts",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "and-masks",
        left: "(and (and ?x ?c) ?d)",
        right: "(and ?x ?v)",
        condition: "c and d are constants; v is what both keep",
        holds: |known| known.int("c").is_some() && known.int("d").is_some(),
        computes: &[("v", |known| known.word(known.int("c")? & known.int("d")?))],
        origin: "bits",
        avoids: "an operand whose value is not known",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "and-of-or-drop",
        left: "(and (or ?x ?y) ?z)",
        right: "(and ?x ?z)",
        condition: "y and z share no bit",
        holds: |known| disjoint(known, "y", "z"),
        origin: "known bits",
        avoids: "a bit of y that z keeps",
        ..ROW
    },
    Rule {
        name: "or-masks",
        left: "(or (and ?x ?c) (and ?y ?d))",
        right: "(and (or ?x ?y) ?v)",
        condition: "c and d are constants, no bit of x is in d and not in c, and none of y in c and not in d; v is c | d",
        holds: |known| {
            let (Some(x), Some(y)) = (known.number("x"), known.number("y")) else { return false };
            let (Some(c), Some(d)) = (bits_of(known, "c"), bits_of(known, "d")) else {
                return false;
            };
            x.possible() & d & !c == 0 && y.possible() & c & !d == 0
        },
        // Then they add up, too.
        profitable: |known| disjoint(known, "x", "y"),
        computes: &[("v", |known| bits(known, bits_of(known, "c")? | bits_of(known, "d")?))],
        origin: "known bits: fields of two values that lie apart",
        avoids: "a bit that the other mask lets through",
        ..ROW
    },
    Rule {
        name: "or-collect-and",
        left: "(or (and ?x ?z) (and ?y ?z))",
        right: "(and (or ?x ?y) ?z)",
        origin: "bits",
        ..ROW
    },
    Rule {
        name: "xor-collect-and",
        left: "(xor (and ?x ?z) (and ?y ?z))",
        right: "(and (xor ?x ?y) ?z)",
        origin: "bits",
        ..ROW
    },
    Rule {
        name: "add-as-or",
        left: "(add ?x ?y)",
        right: "(or ?x ?y)",
        condition: "x and y share no bit",
        holds: |known| disjoint(known, "x", "y"),
        origin: "known bits: nothing is carried",
        avoids: "a carry",
        ..ROW
    },
    Rule {
        name: "or-as-add",
        left: "(or ?x ?y)",
        right: "(add ?x ?y)",
        condition: "x and y share no bit",
        holds: |known| disjoint(known, "x", "y"),
        origin: "known bits: nothing is carried",
        avoids: "a carry",
        ..ROW
    },
    Rule {
        name: "or-as-xor",
        left: "(or ?x ?y)",
        right: "(xor ?x ?y)",
        condition: "x and y share no bit",
        holds: |known| disjoint(known, "x", "y"),
        origin: "known bits",
        avoids: "a shared bit, which the exclusive or clears",
        ..ROW
    },
    Rule {
        name: "xor-as-or",
        left: "(xor ?x ?y)",
        right: "(or ?x ?y)",
        condition: "x and y share no bit",
        holds: |known| disjoint(known, "x", "y"),
        origin: "known bits",
        avoids: "a shared bit, which the exclusive or clears",
        ..ROW
    },
    Rule {
        name: "shift-right-of-mask",
        left: "(shr (and ?x ?c) ?d)",
        right: "(and (shr ?x ?d) ?v)",
        condition: "c is a constant and d a constant shift; v is c shifted",
        holds: |known| known.int("c").is_some() && shift(known, "d").is_some(),
        computes: &[("v", |known| bits(known, bits_of(known, "c")? >> shift(known, "d")?))],
        origin: "bits",
        avoids: "an operand whose value is not known",
        ..ROW
    },
    Rule {
        name: "mask-of-shift-right",
        left: "(and (shr ?x ?d) ?c)",
        right: "(shr (and ?x ?v) ?d)",
        condition: "c is a constant and d a constant shift; v is c shifted back",
        holds: |known| known.int("c").is_some() && shift(known, "d").is_some(),
        // A mask that the shift back cuts is equal too, since what it loses meets zeros; it only makes
        // more terms.
        profitable: |known| {
            let (Some(c), Some(d)) = (bits_of(known, "c"), shift(known, "d")) else { return false };
            (c << d & mask(known.width())) >> d == c
        },
        computes: &[("v", |known| bits(known, bits_of(known, "c")? << shift(known, "d")?))],
        origin: "bits",
        avoids: "an operand whose value is not known",
        ..ROW
    },
    Rule {
        name: "shift-left-of-mask",
        left: "(shl (and ?x ?c) ?d)",
        right: "(and (shl ?x ?d) ?v)",
        condition: "c is a constant and d a constant shift; v is c shifted",
        holds: |known| known.int("c").is_some() && shift(known, "d").is_some(),
        computes: &[("v", |known| bits(known, bits_of(known, "c")? << shift(known, "d")?))],
        origin: "bits",
        avoids: "an operand whose value is not known",
        ..ROW
    },
    Rule {
        name: "field-down",
        left: "(shl (shr ?x ?c) ?d)",
        right: "(and (shr ?x ?v) ?w)",
        condition: "c and d are constant shifts and d <= c; v is c - d, and w clears the lowest d bits",
        holds: |known| shift(known, "c").zip(shift(known, "d")).is_some_and(|(c, d)| d <= c),
        computes: &[
            ("v", |known| known.word(known.int("c")?.checked_sub(known.int("d")?)?)),
            ("w", |known| bits(known, u64::MAX << shift(known, "d")?)),
        ],
        origin: "bits",
        avoids: "a field that moves up",
        ..ROW
    },
    Rule {
        name: "field-up",
        left: "(shl (shr ?x ?c) ?d)",
        right: "(and (shl ?x ?v) ?w)",
        condition: "c and d are constant shifts and d >= c; v is d - c, and w clears the lowest d bits",
        holds: |known| shift(known, "c").zip(shift(known, "d")).is_some_and(|(c, d)| d >= c),
        computes: &[
            ("v", |known| known.word(known.int("d")?.checked_sub(known.int("c")?)?)),
            ("w", |known| bits(known, u64::MAX << shift(known, "d")?)),
        ],
        origin: "bits",
        avoids: "a field that moves down",
        ..ROW
    },
    Rule {
        name: "shifts-right",
        left: "(shr (shr ?x ?c) ?d)",
        right: "(shr ?x ?v)",
        condition: "c and d are constant shifts whose sum v is one too",
        holds: |known| {
            let (Some(c), Some(d)) = (shift(known, "c"), shift(known, "d")) else { return false };
            c + d < known.width()
        },
        computes: &[("v", |known| known.word(known.int("c")?.checked_add(known.int("d")?)?))],
        origin: "bits",
        avoids: "a shift by the width or more, which has no value",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "shifts-left",
        left: "(shl (shl ?x ?c) ?d)",
        right: "(shl ?x ?v)",
        condition: "c and d are constant shifts whose sum v is one too",
        holds: |known| {
            let (Some(c), Some(d)) = (shift(known, "c"), shift(known, "d")) else { return false };
            c + d < known.width()
        },
        computes: &[("v", |known| known.word(known.int("c")?.checked_add(known.int("d")?)?))],
        origin: "bits",
        avoids: "a shift by the width or more, which has no value",
        phase: Phase::Shrink,
        ..ROW
    },
];
