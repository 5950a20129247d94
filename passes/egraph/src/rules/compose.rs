//! Composition: its identities, associativity under the image condition, distribution where nothing
//! carries, and tilers mode by mode.

use super::layouts::{is_plain, is_tuple};
use super::{Known, ROW, Rule};
use crate::facts::image;
use layout_algebra::{Layout, Tiler};

/// No carry when the modes of `b` add up in the radix of `a`: decided by the values, since composing
/// each mode on its own and composing both at once then give one layout.
fn distributes(known: &Known<'_>) -> bool {
    let (Some(a), Some(b), Some(c)) = (known.layout("a"), known.layout("b"), known.layout("c"))
    else {
        return false;
    };
    let disjoint = a
        .composition(&b)
        .and_then(|left| a.composition(&c).and_then(|right| Layout::make_layout(&[left, right])));
    let together = Layout::make_layout(&[b, c]).and_then(|both| a.composition(&both));
    matches!((disjoint, together), (Ok(disjoint), Ok(together)) if disjoint == together)
}
/// All compositions exist, the image of `c` lies within the domain of `b`, and both ways nest the
/// result alike.
fn associates(known: &Known<'_>) -> bool {
    let (Some(a), Some(b), Some(c)) = (known.layout("a"), known.layout("b"), known.layout("c"))
    else {
        return false;
    };
    if !image(&c).is_some_and(|(low, high)| low >= 0 && high < b.size()) {
        return false;
    }
    let left = a.composition(&b).and_then(|ab| ab.composition(&c));
    let right = b.composition(&c).and_then(|bc| a.composition(&bc));
    matches!((left, right), (Ok(left), Ok(right)) if left == right)
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "compose-with-own-domain",
        left: "(composition ?a ?b)",
        right: "(coalesce ?a)",
        condition: "a is a plain layout of size n > 1 and b is n:1",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            a.size() > 1 && b.is_leaf() && b.flat() == [(a.size(), 1)]
        },
        origin: "identity 1, first part",
        avoids: "a longer b reads past the end of a, where coalesce has no say",
        counterexample: &[("a", "(2,1):(1,80)"), ("b", "4:1")],
        ..ROW
    },
    Rule {
        name: "compose-identity-with",
        left: "(composition ?a ?b)",
        right: "?b",
        condition: "a is n:1 and b is a plain layout",
        holds: |known| {
            let (Some(a), Some(_)) = (known.layout("a"), known.layout("b")) else { return false };
            a.is_leaf() && a.flat()[0].1 == 1
        },
        origin: "identity 1, second part, under CuTe's reading past the size",
        avoids: "an a of another stride scales",
        counterexample: &[("a", "4:2"), ("b", "(2,2):(1,2)")],
        ..ROW
    },
    Rule {
        name: "compose-associate-right",
        left: "(composition (composition ?a ?b) ?c)",
        right: "(composition ?a (composition ?b ?c))",
        condition: "all compositions exist, image(c) lies in [0, size b), the results nest alike",
        holds: associates,
        origin: "identity 2",
        avoids: "a c that reads past the end of b: a after b continues where b stops",
        counterexample: &[("a", "(2,2):(1,10)"), ("b", "2:1"), ("c", "4:1")],
        ..ROW
    },
    Rule {
        name: "compose-associate-left",
        left: "(composition ?a (composition ?b ?c))",
        right: "(composition (composition ?a ?b) ?c)",
        condition: "all compositions exist, image(c) lies in [0, size b), the results nest alike",
        holds: associates,
        origin: "identity 2",
        avoids: "a c that reads past the end of b: a after b continues where b stops",
        counterexample: &[("a", "(2,2):(1,10)"), ("b", "2:1"), ("c", "4:1")],
        ..ROW
    },
    Rule {
        name: "compose-distribute",
        left: "(composition ?a (make_layout ?b ?c))",
        right: "(make_layout (composition ?a ?b) (composition ?a ?c))",
        condition: "no carry: composing the modes apart and together give one layout",
        holds: distributes,
        origin: "identity 3",
        avoids: "cutlass#2955: b + c carries in the radix of a, and the parts do not see it",
        counterexample: &[("a", "(6,2):(1,7)"), ("b", "3:2"), ("c", "2:3")],
        ..ROW
    },
    Rule {
        name: "compose-collect",
        left: "(make_layout (composition ?a ?b) (composition ?a ?c))",
        right: "(composition ?a (make_layout ?b ?c))",
        condition: "no carry: composing the modes apart and together give one layout",
        holds: distributes,
        origin: "identity 3",
        avoids: "cutlass#2955, read from right to left",
        counterexample: &[("a", "(6,2):(1,7)"), ("b", "3:2"), ("c", "2:3")],
        ..ROW
    },
    Rule {
        name: "compose-by-mode",
        left: "(composition (make_layout ?a ?b) (tiler ?s ?t))",
        right: "(make_layout (composition ?a ?s) (composition ?b ?t))",
        condition: "a and b are plain layouts",
        holds: |known| is_plain(known, "a") && is_plain(known, "b"),
        origin: "identity 4",
        avoids: "coordinate layouts: a part of them may have fewer coordinates than the whole",
        counterexample: &[
            ("a", "1:0"),
            ("b", "make_identity_layout((4,2))"),
            ("s", "_"),
            ("t", "<_>"),
        ],
        ..ROW
    },
    Rule {
        name: "compose-keep-modes",
        left: "(composition ?a ?t)",
        right: "?a",
        condition: "t is a tuple of `_`, as many as a has modes, and a is no leaf",
        holds: |known| {
            let Some(entries) = known.tilers("t") else { return false };
            is_tuple(known, "a")
                && known.any_layout("a").is_some_and(|a| entries.len() == a.inner().rank())
                && entries.iter().all(|entry| *entry == Tiler::Any)
        },
        origin: "definition of `_`",
        avoids: "a leaf would come back wrapped: (4):(1) is not 4:1; a shorter tuple drops modes",
        counterexample: &[("a", "4:1"), ("t", "<_>")],
        ..ROW
    },
    Rule {
        name: "compose-by-three-modes",
        left: "(composition (make_layout ?a ?b ?c) (tiler ?s ?t ?u))",
        right: "(make_layout (composition ?a ?s) (composition ?b ?t) (composition ?c ?u))",
        condition: "a, b and c are plain layouts",
        holds: |known| ["a", "b", "c"].iter().all(|name| is_plain(known, name)),
        origin: "identity 4",
        avoids: "coordinate layouts: a part of them may have fewer coordinates than the whole",
        counterexample: &[
            ("a", "1:0"),
            ("b", "1:0"),
            ("c", "make_identity_layout((4,2))"),
            ("s", "_"),
            ("t", "_"),
            ("u", "<_>"),
        ],
        ..ROW
    },
];
