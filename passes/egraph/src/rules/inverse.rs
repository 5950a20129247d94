//! Inverses and what they cancel.

use super::layouts::{identity, is_layout};
use super::{ROW, Rule};
use crate::facts::{is_bijective, is_chain};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "right-inverse-cancels",
        left: "(coalesce (composition ?a (right_inverse ?a)))",
        right: "?v",
        condition: "always; v is the identity of the inverse's size",
        computes: &[("v", |known| identity(known.layout("a")?.right_inverse().ok()?.size()))],
        origin: "identity 11, first part",
        ..ROW
    },
    Rule {
        name: "right-inverse-cancels-left",
        left: "(coalesce (composition (right_inverse ?a) ?a))",
        right: "?v",
        condition: "a is bijective onto [0, size a); v is the identity of its size",
        holds: |known| known.layout("a").is_some_and(|a| is_bijective(&a)),
        computes: &[("v", |known| identity(known.layout("a")?.size()))],
        origin: "identity 11, second part",
        avoids: "an inverse that covers a part of a only",
        counterexample: &[("a", "(2,2):(1,8)")],
        ..ROW
    },
    Rule {
        name: "right-inverse-involution",
        left: "(right_inverse (right_inverse ?a))",
        right: "(coalesce ?a)",
        condition: "a is bijective onto [0, size a)",
        holds: |known| known.layout("a").is_some_and(|a| is_bijective(&a)),
        origin: "identity 11",
        avoids: "what lies past the first gap is lost in the first inverse",
        counterexample: &[("a", "(2,2):(1,8)")],
        ..ROW
    },
    Rule {
        name: "left-inverse-cancels",
        left: "(coalesce (composition (left_inverse ?a) ?a))",
        right: "?v",
        condition: "a is a chain; v is the identity of its size",
        holds: |known| known.layout("a").is_some_and(|a| is_chain(&a)),
        computes: &[("v", |known| identity(known.layout("a")?.size()))],
        origin: "identity 12",
        avoids: "a layout that reaches an offset twice has no left inverse",
        counterexample: &[("a", "(2,2):(1,1)")],
        ..ROW
    },
    Rule {
        name: "inverse-of-composition",
        left: "(right_inverse (composition ?a ?b))",
        right: "(coalesce (composition (right_inverse ?b) (right_inverse ?a)))",
        condition: "a and b are bijective onto [0, n) for one n, and both sides exist",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            is_bijective(&a)
                && is_bijective(&b)
                && a.size() == b.size()
                && a.composition(&b).is_ok()
                && matches!(
                    (a.right_inverse(), b.right_inverse()),
                    (Ok(a), Ok(b)) if b.composition(&a).is_ok()
                )
        },
        origin: "identity 13",
        avoids: "gaps in a, which b may or may not hit",
        counterexample: &[("a", "8:1"), ("b", "4:2")],
        ..ROW
    },
    Rule {
        name: "right-inverse-of-coalesce",
        left: "(right_inverse (coalesce ?a))",
        right: "(right_inverse ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identities 5 and 11",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "right-inverse-of-flatten",
        left: "(right_inverse (flatten ?a))",
        right: "(right_inverse ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identity 11: an inverse sees leaves only",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "left-inverse-of-coalesce",
        left: "(left_inverse (coalesce ?a))",
        right: "(left_inverse ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identities 5 and 12",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "left-inverse-is-right-inverse",
        left: "(left_inverse ?a)",
        right: "(right_inverse ?a)",
        condition: "a is bijective onto [0, size a), and both inverses are one",
        holds: |known| {
            known
                .layout("a")
                .is_some_and(|a| is_bijective(&a) && a.left_inverse() == a.right_inverse())
        },
        origin: "identities 11 and 12",
        avoids: "gaps, which only the left inverse steps over",
        counterexample: &[("a", "(2,2):(1,8)")],
        ..ROW
    },
    Rule {
        name: "coalesce-of-right-inverse",
        left: "(coalesce (right_inverse ?a))",
        right: "(right_inverse ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identity 11",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
];
