//! Swizzles of an index: they are linear over exclusive or, and leave alone what they do not read.

use super::{Known, Phase, ROW, Rule};
use crate::index::wrap;
use layout_algebra::{Swizzle, Value};

/// The swizzle, where it reads and writes bits of a word only, and not the sign.
fn swizzle(known: &Known<'_>, name: &str) -> Option<Swizzle> {
    let swizzle = known.swizzle(name)?;
    let bits = swizzle.source_mask() | swizzle.target_mask();
    (bits >> (known.width() - 1) == 0).then_some(swizzle)
}

fn bits(known: &Known<'_>, bits: u64) -> Option<Value> {
    Some(Value::Int(wrap(bits.cast_signed(), known.width())))
}

/// How far bits move down; up where it is below 0.
fn distance(swizzle: &Swizzle) -> i64 {
    i64::from(swizzle.source_mask().trailing_zeros())
        - i64::from(swizzle.target_mask().trailing_zeros())
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "swizzle-identity",
        left: "(swizzle ?g ?x)",
        right: "?x",
        condition: "g is the identity and x an index",
        holds: |known| {
            swizzle(known, "g").is_some_and(|g| g.is_identity()) && known.number("x").is_some()
        },
        origin: "definition of swizzles",
        avoids: "a swizzle that moves something",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "swizzle-involution",
        left: "(swizzle ?g (swizzle ?g ?x))",
        right: "?x",
        condition: "g reads no bit that it writes, and x is an index",
        holds: |known| {
            swizzle(known, "g").is_some_and(|g| g.is_involution()) && known.number("x").is_some()
        },
        origin: "identity 14",
        avoids: "S<3,0,2>: 16 becomes 20, and 20 becomes 17",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "swizzle-fuse",
        left: "(swizzle ?g (swizzle ?h ?x))",
        right: "(swizzle ?v ?x)",
        condition: "the product of g and h is a swizzle v",
        holds: |known| {
            swizzle(known, "g")
                .zip(swizzle(known, "h"))
                .is_some_and(|(g, h)| g.compose(&h).is_some())
        },
        computes: &[("v", |known| {
            let (g, h) = (known.swizzle("g")?, known.swizzle("h")?);
            // Without a product there is none to take; the first swizzle stands for the mistake.
            Some(Value::Swizzle(g.compose(&h).unwrap_or(g)))
        })],
        origin: "identity 17",
        avoids: "two moves that no one swizzle makes",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "swizzle-commute",
        left: "(swizzle ?g (swizzle ?h ?x))",
        right: "(swizzle ?h (swizzle ?g ?x))",
        condition: "neither reads what the other writes",
        holds: |known| {
            swizzle(known, "g").zip(swizzle(known, "h")).is_some_and(|(g, h)| g.commutes_with(&h))
        },
        origin: "identity 17",
        avoids: "S<1,0,1> and S<1,1,1> at 4: 7 or 6",
        ..ROW
    },
    Rule {
        name: "swizzle-hoist",
        left: "(swizzle ?g (add ?x ?y))",
        right: "(add (swizzle ?g ?x) ?y)",
        condition: "y is a multiple of the swizzle's period",
        holds: |known| {
            swizzle(known, "g")
                .zip(known.number("y"))
                .is_some_and(|(g, y)| y.is_multiple_of(g.period()))
        },
        origin: "identity 16",
        avoids: "S<1,0,1>: an offset of 2 at 0 gives 3, not 2",
        ..ROW
    },
    Rule {
        name: "swizzle-split",
        left: "(swizzle ?g (add ?x ?y))",
        right: "(xor (swizzle ?g ?x) (swizzle ?g ?y))",
        condition: "x and y share no bit",
        holds: |known| {
            swizzle(known, "g").is_some()
                && known
                    .number("x")
                    .zip(known.number("y"))
                    .is_some_and(|(x, y)| x.possible() & y.possible() == 0)
        },
        origin: "identity 15: a swizzle is linear",
        avoids: "a carry",
        ..ROW
    },
    Rule {
        name: "swizzle-nothing",
        left: "(swizzle ?g ?x)",
        right: "?x",
        condition: "x has no bit that g reads",
        holds: |known| {
            swizzle(known, "g")
                .zip(known.number("x"))
                .is_some_and(|(g, x)| g.source_mask() & x.possible() == 0)
        },
        origin: "definition of swizzles",
        avoids: "a bit that moves",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "swizzle-down",
        left: "(swizzle ?g ?x)",
        right: "(xor ?x (and (shr ?x ?d) ?m))",
        condition: "g moves bits down by d to where m has ones",
        holds: |known| swizzle(known, "g").is_some_and(|g| !g.is_identity() && distance(&g) >= 0),
        computes: &[
            ("d", |known| Some(Value::Int(distance(&known.swizzle("g")?).abs()))),
            ("m", |known| bits(known, known.swizzle("g")?.target_mask())),
        ],
        origin: "definition of swizzles",
        avoids: "a swizzle that moves bits up",
        ..ROW
    },
    Rule {
        name: "swizzle-up",
        left: "(swizzle ?g ?x)",
        right: "(xor ?x (and (shl ?x ?d) ?m))",
        condition: "g moves bits up by d to where m has ones",
        holds: |known| swizzle(known, "g").is_some_and(|g| !g.is_identity() && distance(&g) < 0),
        computes: &[
            ("d", |known| Some(Value::Int(distance(&known.swizzle("g")?).abs()))),
            ("m", |known| bits(known, known.swizzle("g")?.target_mask())),
        ],
        origin: "definition of swizzles",
        avoids: "a swizzle that moves bits down",
        ..ROW
    },
];
