//! Operations that a GPU has as one instruction: multiply-add, three-way sums and three-way logic.

use super::{Phase, ROW, Rule};
use layout_algebra::Value;

/// A row that has no condition.
const FUSED: Rule = Rule { phase: Phase::Fuse, origin: "one instruction", ..ROW };

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "fuse-multiply-add",
        left: "(add (mul ?x ?y) ?z)",
        right: "(mad ?x ?y ?z)",
        origin: "IMAD",
        ..FUSED
    },
    Rule {
        name: "fuse-shift-add",
        left: "(add (shl ?x ?c) ?z)",
        right: "(mad ?x ?v ?z)",
        condition: "c is a constant below the width less 1; v is 2^c",
        holds: |known| {
            known.int("c").is_some_and(|c| (0..i64::from(known.width()) - 1).contains(&c))
        },
        computes: &[("v", |known| {
            let power = 1_i64.checked_shl(u32::try_from(known.int("c")?).ok()?).unwrap_or(0);
            Some(known.word(power).unwrap_or(Value::Int(0)))
        })],
        origin: "LEA",
        avoids: "a power that is no positive word",
        ..FUSED
    },
    Rule {
        name: "fuse-sums",
        left: "(add (add ?x ?y) ?z)",
        right: "(add3 ?x ?y ?z)",
        origin: "IADD3",
        ..FUSED
    },
    Rule {
        name: "fuse-and-or",
        left: "(or (and ?x ?y) ?z)",
        right: "(and_or ?x ?y ?z)",
        origin: "LOP3",
        ..FUSED
    },
    Rule {
        name: "fuse-and-xor",
        left: "(xor (and ?x ?y) ?z)",
        right: "(and_xor ?x ?y ?z)",
        origin: "LOP3",
        ..FUSED
    },
    Rule {
        name: "fuse-or-and",
        left: "(and (or ?x ?y) ?z)",
        right: "(or_and ?x ?y ?z)",
        origin: "LOP3",
        ..FUSED
    },
    Rule {
        name: "fuse-xor-and",
        left: "(and (xor ?x ?y) ?z)",
        right: "(xor_and ?x ?y ?z)",
        origin: "LOP3",
        ..FUSED
    },
    Rule {
        name: "fuse-ands",
        left: "(and (and ?x ?y) ?z)",
        right: "(and3 ?x ?y ?z)",
        origin: "LOP3",
        ..FUSED
    },
    Rule {
        name: "fuse-ors",
        left: "(or (or ?x ?y) ?z)",
        right: "(or3 ?x ?y ?z)",
        origin: "LOP3",
        ..FUSED
    },
    Rule {
        name: "fuse-xors",
        left: "(xor (xor ?x ?y) ?z)",
        right: "(xor3 ?x ?y ?z)",
        origin: "LOP3",
        ..FUSED
    },
];
