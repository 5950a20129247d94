//! Sizes and other queries.

use super::layouts::{int, is_layout, is_plain};
use super::{ROW, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "size-of-composition",
        left: "(size (composition ?a ?b))",
        right: "(size ?b)",
        condition: "b is a plain layout and the composition exists",
        holds: |known| {
            let (Some(a), Some(b)) = (known.any_layout("a"), known.layout("b")) else {
                return false;
            };
            a.inner().composition(&b).is_ok()
        },
        origin: "definition of composition: b is the domain",
        avoids: "a tuple of tilers shorter than a drops modes of a",
        counterexample: &[("a", "(4,4):(4,1)"), ("b", "<2:1>")],
        ..ROW
    },
    Rule {
        name: "size-of-coalesce",
        left: "(size (coalesce ?a))",
        right: "(size ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identity 5",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "size-of-flatten",
        left: "(size (flatten ?a))",
        right: "(size ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "definition of flatten",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "cosize-of-coalesce",
        left: "(cosize (coalesce ?a))",
        right: "(cosize ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identity 5",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "cosize-of-pair",
        left: "(cosize (make_layout ?a ?b))",
        right: "?v",
        condition: "always; v is cosize a + cosize b - 1",
        computes: &[("v", |known| {
            let (a, b) = (known.layout("a")?.cosize().ok()?, known.layout("b")?.cosize().ok()?);
            int(a.checked_add(b)?.checked_sub(1)?)
        })],
        origin: "identity 19",
        ..ROW
    },
    Rule {
        name: "size-of-sort",
        left: "(size (sort ?a))",
        right: "(size ?a)",
        condition: "a is a plain layout",
        holds: |known| is_plain(known, "a"),
        origin: "definition of sort",
        avoids: "composed layouts, which the left side makes plain or refuses",
        ..ROW
    },
    Rule {
        name: "size-of-pair",
        left: "(size (make_layout ?a ?b))",
        right: "?v",
        condition: "always; v is their product",
        computes: &[("v", |known| {
            // The size of a composition is known even where no layout is it.
            let size = |name| Some(known.layout(name)?.size());
            int(size("a")?.checked_mul(size("b")?)?)
        })],
        origin: "definition of make_layout",
        ..ROW
    },
    Rule {
        name: "cosize-of-flatten",
        left: "(cosize (flatten ?a))",
        right: "(cosize ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "definition of flatten",
        avoids: "swizzles and linear layouts, integers, and literals under a swizzle that moves no bit: only one side takes them",
        ..ROW
    },
    Rule {
        name: "cosize-of-sort",
        left: "(cosize (sort ?a))",
        right: "(cosize ?a)",
        condition: "a is a plain layout",
        holds: |known| is_plain(known, "a"),
        origin: "definition of sort",
        avoids: "composed layouts, which the left side makes plain or refuses",
        ..ROW
    },
    Rule {
        name: "cosize-of-filter",
        left: "(cosize (filter ?a))",
        right: "(cosize ?a)",
        condition: "a is a plain layout",
        holds: |known| is_plain(known, "a"),
        origin: "definition of filter: broadcasts reach no further",
        avoids: "composed layouts, which the left side makes plain or refuses",
        ..ROW
    },
];
