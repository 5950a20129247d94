//! Linear layouts: products of matrices, their inverses, and the way from layouts and back.

use super::layouts::is_layout;
use super::{Known, ROW, Rule};
use layout_algebra::{Value, linear::LinearLayout};

fn linear(known: &Known<'_>, name: &str) -> Option<LinearLayout> {
    match known.value(name)? {
        Value::Linear(layout) => Some(layout.clone()),
        _ => None,
    }
}

fn is_invertible(known: &Known<'_>, name: &str) -> bool {
    linear(known, name).is_some_and(|layout| layout.is_invertible())
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "linear-invert-involution",
        left: "(invert (invert ?p))",
        right: "?p",
        condition: "p is an invertible linear layout",
        holds: |known| is_invertible(known, "p"),
        origin: "identity 15: the inverse of a matrix",
        avoids: "a matrix without an inverse",
        ..ROW
    },
    Rule {
        name: "linear-pseudo-invert",
        left: "(pseudo_invert ?p)",
        right: "(invert ?p)",
        condition: "p is an invertible linear layout",
        holds: |known| is_invertible(known, "p"),
        origin: "identity 15: of full rank, the least solution is the only one",
        avoids: "a matrix without an inverse",
        ..ROW
    },
    Rule {
        name: "linear-to-layout-and-back",
        left: "(to_linear (to_layout (to_linear ?a)))",
        right: "(to_linear ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identity 15: a layout and its matrix are one function",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "linear-of-coalesce",
        left: "(to_linear (coalesce ?a))",
        right: "(to_linear ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identities 5 and 15",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "linear-of-flatten",
        left: "(to_linear (flatten ?a))",
        right: "(to_linear ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identity 15: a matrix sees leaves only",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
];
