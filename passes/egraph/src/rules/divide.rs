//! Divides and products: their definitions both ways, their modes, and the forms that a layout as
//! tiler makes one.

use super::layouts::{int, is_layout, is_plain};
use super::{Known, ROW, Rule};
use layout_algebra::{Layout, Tiler, Tuple};

/// The quotient of two plain layouts.
fn quotient(known: &Known<'_>) -> Option<Layout> {
    known.layout("a")?.logical_divide(&Tiler::Layout(known.layout("b")?)).ok()
}

/// Whether a divide is the composition that defines it: a padded one has more coordinates.
fn is_even(known: &Known<'_>) -> bool {
    let (Some(a), Some(b)) = (known.any_layout("a"), known.layout("b")) else { return false };
    let inner = a.inner();
    let rest = b.complement(&Tuple::Leaf(inner.size()));
    let both = rest.and_then(|rest| Layout::make_layout(&[b.clone(), rest]));
    let composed = both.and_then(|both| inner.composition(&both));
    composed.is_ok() && composed == inner.logical_divide(&Tiler::Layout(b))
}

/// The product of two plain layouts.
fn product(known: &Known<'_>) -> Option<Layout> {
    known.layout("a")?.logical_product(&Tiler::Layout(known.layout("b")?)).ok()
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "divide-definition",
        left: "(logical_divide ?a ?b)",
        right: "(composition ?a (make_layout ?b (complement ?b (size ?a))))",
        condition: "b is a plain layout, a a layout, and the divide comes out even: the composition is it",
        holds: is_even,
        origin: "identity 9",
        avoids: "a tuple of tilers divides mode by mode; a divide that is padded is no composition",
        counterexample: &[("a", "(4,4):(4,1)"), ("b", "<2:1, 2:1>")],
        ..ROW
    },
    Rule {
        name: "zipped-divide-by-layout",
        left: "(zipped_divide ?a ?b)",
        right: "(logical_divide ?a ?b)",
        condition: "b is a plain layout: the result has rank 2 already",
        holds: |known| is_layout(known, "a") && is_plain(known, "b"),
        origin: "definition of zipped_divide",
        avoids: "a tuple of tilers gathers tiles and rests",
        counterexample: &[("a", "(4,4):(4,1)"), ("b", "<2:1, 2:1>")],
        ..ROW
    },
    Rule {
        name: "product-definition",
        left: "(logical_product ?a ?b)",
        right: "(make_layout ?a (composition (complement ?a ?v) ?b))",
        condition: "always; v is size(a) * cosize(b)",
        computes: &[("v", |known| {
            let (a, b) = (known.layout("a")?, known.layout("b")?);
            int(a.size().checked_mul(b.cosize().ok()?)?)
        })],
        origin: "identity 10",
        ..ROW
    },
    Rule {
        name: "divide-collect",
        left: "(composition ?a (make_layout ?b (complement ?b ?n)))",
        right: "(logical_divide ?a ?b)",
        condition: "a and b are plain layouts, n is size(a), and the divide comes out even: the composition is it",
        holds: |known| {
            is_even(known) && known.layout("a").is_some_and(|a| known.int("n") == Some(a.size()))
        },
        origin: "identity 9, read from right to left",
        avoids: "a complement into another size",
        counterexample: &[("a", "8:1"), ("b", "2:1"), ("n", "4")],
        ..ROW
    },
    Rule {
        name: "size-of-divide",
        left: "(size (logical_divide ?a ?b))",
        right: "(size ?a)",
        condition: "a and b are plain layouts, and the divide comes out even",
        holds: |known| {
            let even = quotient(known).map(|quotient| quotient.size());
            even.is_some() && even == known.layout("a").map(|a| a.size())
        },
        origin: "identity 9",
        avoids: "a divide that is padded has more coordinates",
        counterexample: &[("a", "10:1"), ("b", "4:1")],
        ..ROW
    },
    Rule {
        name: "product-collect",
        left: "(make_layout ?a (composition (complement ?a ?n) ?b))",
        right: "(logical_product ?a ?b)",
        condition: "a and b are plain layouts whose product exists, and n is size(a) * cosize(b)",
        holds: |known| {
            let reach = || {
                let (a, b) = (known.layout("a")?, known.layout("b")?);
                a.size().checked_mul(b.cosize().ok()?)
            };
            product(known).is_some() && reach().is_some() && reach() == known.int("n")
        },
        origin: "identity 10, read from right to left",
        avoids: "a complement into another size",
        counterexample: &[("a", "(2,2):(1,4)"), ("b", "4:1"), ("n", "8")],
        ..ROW
    },
    Rule {
        name: "zipped-product-by-layout",
        left: "(zipped_product ?a ?b)",
        right: "(logical_product ?a ?b)",
        condition: "a and b are plain layouts: the result has rank 2 already",
        holds: |known| is_plain(known, "a") && is_plain(known, "b"),
        origin: "definition of zipped_product",
        avoids: "a tuple of tilers gathers blocks and repetitions",
        counterexample: &[("a", "(4,4):(1,4)"), ("b", "(1,2)")],
        ..ROW
    },
];
