//! Coalesce and other normal forms.

use super::layouts::is_layout;
use super::{ROW, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "coalesce-idempotent",
        left: "(coalesce (coalesce ?a))",
        right: "(coalesce ?a)",
        origin: "identity 5",
        avoids: "nothing: holds for every layout",
        ..ROW
    },
    Rule {
        name: "flatten-idempotent",
        left: "(flatten (flatten ?a))",
        right: "(flatten ?a)",
        origin: "definition of flatten",
        avoids: "nothing: holds for every layout",
        ..ROW
    },
    Rule {
        name: "coalesce-of-flatten",
        left: "(coalesce (flatten ?a))",
        right: "(coalesce ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "definition of coalesce",
        avoids: "coordinate layouts: what calls leave of their zero differs",
        counterexample: &[("a", "composition(make_identity_layout((4,2)), 2)")],
        ..ROW
    },
    Rule {
        name: "flatten-of-coalesce",
        left: "(flatten (coalesce ?a))",
        right: "(coalesce ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "definition of coalesce: the result is flat",
        avoids: "coordinate layouts: what calls leave of their zero differs",
        counterexample: &[("a", "composition(make_identity_layout((4,2)), 2)")],
        ..ROW
    },
    Rule {
        name: "coalesce-of-composition-with-coalesce",
        left: "(coalesce (composition ?a (coalesce ?b)))",
        right: "(coalesce (composition ?a ?b))",
        condition: "a and b are plain layouts and both compositions exist and coalesce alike",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            let left = b.coalesce().and_then(|b| a.composition(&b)).and_then(|c| c.coalesce());
            let right = a.composition(&b).and_then(|c| c.coalesce());
            matches!((left, right), (Ok(left), Ok(right)) if left == right)
        },
        origin: "identity 6",
        counterexample: &[("a", "(4,3):(1,100)"), ("b", "(3,4):(1,3)")],
        avoids: "losing the profile of b where nothing coalesces the result",
        ..ROW
    },
    Rule {
        name: "sort-idempotent",
        left: "(sort (sort ?a))",
        right: "(sort ?a)",
        origin: "definition of sort",
        ..ROW
    },
    Rule {
        name: "filter-idempotent",
        left: "(filter (filter ?a))",
        right: "(filter ?a)",
        origin: "definition of filter",
        ..ROW
    },
    Rule {
        name: "filter-zeros-idempotent",
        left: "(filter_zeros (filter_zeros ?a))",
        right: "(filter_zeros ?a)",
        origin: "definition of filter_zeros",
        ..ROW
    },
    Rule {
        name: "filter-of-filter-zeros",
        left: "(filter (filter_zeros ?a))",
        right: "(filter ?a)",
        origin: "definition of filter: filter_zeros, then coalesce",
        ..ROW
    },
    Rule {
        name: "filter-definition",
        left: "(filter ?a)",
        right: "(coalesce (filter_zeros ?a))",
        origin: "definition of filter",
        ..ROW
    },
    Rule {
        name: "flatten-of-filter",
        left: "(flatten (filter ?a))",
        right: "(filter ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        origin: "definition of filter: the result is flat",
        avoids: "coordinate layouts: what calls leave of their zero differs",
        counterexample: &[("a", "composition(make_identity_layout((4,2)), 2)")],
        ..ROW
    },
];
