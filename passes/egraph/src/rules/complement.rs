//! Complements.

use super::layouts::{is_layout, is_plain};
use super::{ROW, Rule};
use crate::facts::is_chain;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "complement-involution",
        left: "(complement (complement ?a ?n) ?n)",
        right: "(coalesce ?a)",
        condition: "a's modes are a chain in order, and n is above the last one's reach",
        holds: |known| {
            let (Some(a), Some(n)) = (known.layout("a"), known.int("n")) else { return false };
            let Ok(simple) = a.coalesce() else { return false };
            let in_order = simple.flat().is_sorted_by_key(|&(_, stride)| stride);
            let reach = simple.flat().last().map_or(0, |&(extent, stride)| (extent - 1) * stride);
            is_chain(&a) && in_order && n > reach
        },
        origin: "identity 8",
        avoids: "an n too small forgets the top mode; modes out of order come back sorted",
        counterexample: &[("a", "(2,3):(6,2)"), ("n", "8")],
        ..ROW
    },
    Rule {
        name: "complement-of-coalesce",
        left: "(complement (coalesce ?a) ?n)",
        right: "(complement ?a ?n)",
        origin: "identities 5 and 7",
        ..ROW
    },
    Rule {
        name: "complement-of-flatten",
        left: "(complement (flatten ?a) ?n)",
        right: "(complement ?a ?n)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "identity 7: a complement sees leaves only",
        avoids: "coordinate layouts: what calls leave of their zero differs",
        counterexample: &[("a", "composition(make_identity_layout((4,2)), 2)"), ("n", "1")],
        ..ROW
    },
    Rule {
        name: "complement-of-sort",
        left: "(complement (sort ?a) ?n)",
        right: "(complement ?a ?n)",
        condition: "a is a plain layout",
        holds: |known| is_plain(known, "a"),
        origin: "identity 7: a complement sorts",
        avoids: "coordinate layouts, which have a complement and cannot be sorted",
        ..ROW
    },
    Rule {
        name: "complement-of-filter",
        left: "(complement (filter ?a) ?n)",
        right: "(complement ?a ?n)",
        origin: "identity 7: broadcasts fill nothing",
        ..ROW
    },
    Rule {
        name: "coalesce-of-complement",
        left: "(coalesce (complement ?a ?n))",
        right: "(complement ?a ?n)",
        condition: "a is a plain layout",
        holds: |known| is_plain(known, "a"),
        origin: "identity 7: complements come coalesced",
        avoids: "coordinate layouts, whose complement has a mode for each part of the coordinate",
        ..ROW
    },
];
