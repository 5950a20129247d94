//! Modes, slices, and elements of another width.

use super::layouts::{is_layout, is_plain};
use super::{Known, ROW, Rule};
use layout_algebra::{AnyLayout, Coord, Result, Value};

/// Whether a layout has elements of `m`, and these have elements of `n`.
fn again(known: &Known<'_>, cast: fn(&AnyLayout, i64) -> Result<AnyLayout>) -> bool {
    let twice = || {
        let (m, n) = (known.int("m")?, known.int("n")?);
        cast(&cast(&known.any_layout("a")?, m).ok()?, n).ok()
    };
    twice().is_some()
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "get-first-of-pair",
        left: "(get (make_layout ?a ?b) ?z)",
        right: "?a",
        condition: "z is 0 and both are plain layouts",
        holds: |known| known.int("z") == Some(0) && is_plain(known, "a") && is_plain(known, "b"),
        origin: "definition of make_layout",
        avoids: "another mode",
        counterexample: &[("a", "4:1"), ("b", "2:8"), ("z", "1")],
        ..ROW
    },
    Rule {
        name: "get-second-of-pair",
        left: "(get (make_layout ?a ?b) ?z)",
        right: "?b",
        condition: "z is 1 and both are plain layouts",
        holds: |known| known.int("z") == Some(1) && is_plain(known, "a") && is_plain(known, "b"),
        origin: "definition of make_layout",
        avoids: "another mode",
        counterexample: &[("a", "4:1"), ("b", "2:8"), ("z", "0")],
        ..ROW
    },
    Rule {
        name: "pair-of-gets",
        left: "(make_layout (get ?a ?y) (get ?a ?z))",
        right: "?a",
        condition: "y is 0, z is 1, and a is a plain layout of rank 2",
        holds: |known| {
            known.int("y") == Some(0)
                && known.int("z") == Some(1)
                && known.layout("a").is_some_and(|a| a.rank() == 2)
        },
        origin: "definition of make_layout",
        avoids: "a layout of more modes",
        counterexample: &[("a", "(2,2,2):(1,2,4)"), ("y", "0"), ("z", "1")],
        ..ROW
    },
    Rule {
        name: "coalesce-of-coalesced-pair",
        left: "(coalesce (make_layout (coalesce ?a) (coalesce ?b)))",
        right: "(coalesce (make_layout ?a ?b))",
        condition: "a and b are plain layouts",
        holds: |known| is_plain(known, "a") && is_plain(known, "b"),
        origin: "identity 5",
        avoids: "composed layouts, which the left side makes plain or refuses",
        ..ROW
    },
    Rule {
        name: "prepend-definition",
        left: "(prepend ?a ?b)",
        right: "(make_layout ?b ?a)",
        condition: "a and b are plain layouts and a is a leaf",
        holds: |known| is_plain(known, "b") && known.layout("a").is_some_and(|a| a.is_leaf()),
        origin: "definition of prepend",
        avoids: "a tuple gets one mode more, and is not nested",
        counterexample: &[("a", "(2,2):(1,2)"), ("b", "2:4")],
        ..ROW
    },
    Rule {
        name: "slice-keeps",
        left: "(slice ?k ?a)",
        right: "?a",
        condition: "k is `_` and a is a plain layout",
        holds: |known| is_plain(known, "a") && known.value("k") == Some(&Value::Coord(Coord::Any)),
        origin: "definition of slice",
        avoids: "a coordinate that fixes a mode drops it",
        counterexample: &[("k", "(_,1)"), ("a", "(4,8):(8,1)")],
        ..ROW
    },
    Rule {
        name: "slice-first-of-pair",
        left: "(slice ?k (make_layout ?a ?b))",
        right: "(make_layout ?a)",
        condition: "k is `(_, i)`, a and b are plain layouts, and b is a leaf",
        holds: |known| {
            let Some(Value::Coord(Coord::Tuple(entries))) = known.value("k") else { return false };
            matches!(entries[..], [Coord::Any, Coord::At(_)])
                && is_plain(known, "a")
                && known.layout("b").is_some_and(|b| b.is_leaf())
        },
        origin: "definition of slice: what stays is still a tuple of modes",
        avoids: "taking the mode out of its tuple, or the mode that is fixed",
        counterexample: &[("k", "(1,_)"), ("a", "4:1"), ("b", "2:8")],
        ..ROW
    },
    Rule {
        name: "slice-second-of-pair",
        left: "(slice ?k (make_layout ?a ?b))",
        right: "(make_layout ?b)",
        condition: "k is `(i, _)`, a and b are plain layouts, and a is a leaf",
        holds: |known| {
            let Some(Value::Coord(Coord::Tuple(entries))) = known.value("k") else { return false };
            matches!(entries[..], [Coord::At(_), Coord::Any])
                && is_plain(known, "b")
                && known.layout("a").is_some_and(|a| a.is_leaf())
        },
        origin: "definition of slice",
        avoids: "the mode that is fixed",
        counterexample: &[("k", "(_,1)"), ("a", "4:1"), ("b", "2:8")],
        ..ROW
    },
    Rule {
        name: "dice-second-of-pair",
        left: "(dice ?k (make_layout ?a ?b))",
        right: "(make_layout ?b)",
        condition: "k is `(_, i)`, a and b are plain layouts, and b is a leaf",
        holds: |known| {
            let Some(Value::Coord(Coord::Tuple(entries))) = known.value("k") else { return false };
            matches!(entries[..], [Coord::Any, Coord::At(_)])
                && is_plain(known, "a")
                && known.layout("b").is_some_and(|b| b.is_leaf())
        },
        origin: "definition of dice: it keeps what slice drops",
        avoids: "the mode that is not fixed",
        counterexample: &[("k", "(1,_)"), ("a", "4:1"), ("b", "2:8")],
        ..ROW
    },
    Rule {
        name: "downcast-of-upcast",
        left: "(downcast (upcast ?a ?n) ?n)",
        right: "?a",
        condition: "one mode has stride 1 and n divides its extent; other strides are multiples of n and not n",
        holds: |known| {
            let (Some(a), Some(n)) = (known.layout("a"), known.int("n")) else { return false };
            let contiguous: Vec<i64> =
                a.flat().iter().filter(|&&(_, stride)| stride == 1).map(|&(n, _)| n).collect();
            n > 0
                && contiguous.len() == 1
                && contiguous[0] % n == 0
                && a.flat()
                    .iter()
                    .all(|&(_, stride)| stride == 1 || (stride % n == 0 && stride.abs() != n))
        },
        origin: "identity 20",
        avoids: "a stride of n becomes 1, and is taken for the contiguous mode on the way back",
        counterexample: &[("a", "(4,4):(2,1)"), ("n", "2")],
        ..ROW
    },
    Rule {
        name: "upcast-by-one",
        left: "(upcast ?a ?n)",
        right: "?a",
        condition: "n is 1 and a is a plain layout",
        holds: |known| known.int("n") == Some(1) && is_plain(known, "a"),
        origin: "definition of upcast",
        avoids: "another width",
        counterexample: &[("a", "4:1"), ("n", "2")],
        ..ROW
    },
    Rule {
        name: "downcast-by-one",
        left: "(downcast ?a ?n)",
        right: "?a",
        condition: "n is 1 and a is a plain layout",
        holds: |known| known.int("n") == Some(1) && is_plain(known, "a"),
        origin: "definition of downcast",
        avoids: "another width",
        counterexample: &[("a", "4:1"), ("n", "2")],
        ..ROW
    },
    Rule {
        name: "recast-to-same",
        left: "(recast ?a ?n ?n)",
        right: "?a",
        condition: "a is a layout and n is positive",
        holds: |known| is_layout(known, "a") && known.positive("n").is_some(),
        origin: "definition of recast",
        avoids: "a literal under a swizzle that moves no bit, which the left side makes plain",
        ..ROW
    },
    Rule {
        name: "upcast-of-upcast",
        left: "(upcast (upcast ?a ?m) ?n)",
        right: "(upcast ?a ?v)",
        condition: "a is a layout, and both casts exist; v is m * n",
        holds: |known| again(known, AnyLayout::upcast),
        computes: &[("v", |known| {
            super::layouts::int(known.int("m")?.checked_mul(known.int("n")?)?)
        })],
        origin: "definition of upcast",
        avoids: "an element of m that does not exist where one of m * n does",
        ..ROW
    },
    Rule {
        name: "downcast-of-downcast",
        left: "(downcast (downcast ?a ?m) ?n)",
        right: "(downcast ?a ?v)",
        condition: "a is a layout, and both casts exist; v is m * n",
        holds: |known| again(known, AnyLayout::downcast),
        computes: &[("v", |known| {
            super::layouts::int(known.int("m")?.checked_mul(known.int("n")?)?)
        })],
        origin: "definition of downcast",
        avoids: "an element of m that does not exist where one of m * n does",
        ..ROW
    },
];
