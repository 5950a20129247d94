//! Layouts that are applied one after the other, or to one index, as one layout: so that what the algebra
//! makes of layouts pays off in addresses.
//!
//! The digits of an index in a shape are layouts applied to it, too: of the shape, with a stride of 1 in
//! one mode and of 0 in the others. A layout of a coordinate that was made from an index is so a layout of
//! the index, by the rows on sums and products.

use super::{Known, Phase, ROW, Rule};
use crate::index::bounds;
use layout_algebra::{Layout, Tuple, Value};

/// Whether an index lies in `0 .. size`.
fn inside(known: &Known<'_>, index: &str, size: i64) -> bool {
    known.number(index).is_some_and(|index| index.low >= 0 && index.high < size)
}

/// `a` after `b`, where all of it is a word.
fn composed(known: &Known<'_>) -> Option<Layout> {
    fitting(known, known.layout("a")?.composition(&known.layout("b")?).ok()?)
}

/// A layout whose offsets are natural words.
fn fitting(known: &Known<'_>, layout: Layout) -> Option<Layout> {
    let natural = layout.flat().iter().all(|&(_, stride)| stride >= 0);
    let fits = layout.cosize().is_ok_and(|cosize| cosize <= bounds(known.width()).1);
    (natural && fits).then_some(layout)
}

/// A layout of the shape of another, with other strides.
fn with_strides(shape: &Tuple, strides: &[i64]) -> Option<Layout> {
    fn nest(shape: &Tuple, strides: &mut std::slice::Iter<'_, i64>) -> Option<Tuple> {
        Some(match shape {
            Tuple::Leaf(_) => Tuple::Leaf(*strides.next()?),
            Tuple::Node(modes) => {
                Tuple::Node(modes.iter().map(|mode| nest(mode, strides)).collect::<Option<_>>()?)
            }
        })
    }
    Layout::new(shape.clone(), nest(shape, &mut strides.iter())?).ok()
}

/// The layout whose offsets are the sums of those of `a` and `b`, which have one shape.
fn sum(known: &Known<'_>) -> Option<Layout> {
    let (a, b) = (known.layout("a")?, known.layout("b")?);
    if a.shape() != b.shape() {
        return None;
    }
    let pairs = a.flat().into_iter().zip(b.flat());
    let strides = pairs.map(|((_, a), (_, b))| a.checked_add(b)).collect::<Option<Vec<_>>>()?;
    fitting(known, with_strides(a.shape(), &strides)?)
}

/// The layout whose offsets are those of `l` times the constant `c`.
fn product(known: &Known<'_>) -> Option<Layout> {
    let (layout, factor) = (known.layout("l")?, known.positive("c")?);
    let strides = layout.flat().into_iter().map(|(_, stride)| stride.checked_mul(factor));
    fitting(known, with_strides(layout.shape(), &strides.collect::<Option<Vec<_>>>()?)?)
}

/// `l` with modes that continue each other as one, if there are such.
fn merged(known: &Known<'_>) -> Option<Layout> {
    let layout = known.layout("l")?;
    let merged = layout.coalesce_x().ok()?;
    (merged.flat().len() < layout.flat().len()).then_some(merged)
}

/// Whether `i` is an index and the extents `m` and `n` of its first two digits are positive.
fn has_two_digits(known: &Known<'_>) -> bool {
    let is_extent = |name: &str| known.number(name).is_some_and(|extent| extent.low > 0);
    known.number("i").is_some() && is_extent("m") && is_extent("n")
}

fn literal(layout: Option<Layout>) -> Option<Value> {
    layout.map(Value::Layout)
}

/// A row that makes one of two modes that continue each other, in a layout with open leaves.
const OPEN: Rule = Rule {
    origin: "identity 5: the second mode continues the first",
    avoids: "a second mode of several",
    phase: Phase::Shrink,
    ..ROW
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "join-applied",
        left: "(crd2idx (crd2idx ?i ?b) ?a)",
        right: "(crd2idx ?i ?v)",
        condition: "a and b are plain layouts whose composition v exists, i is in [0, size b), and v's offsets are natural words",
        holds: |known| {
            known.layout("b").is_some_and(|b| inside(known, "i", b.size()))
                && composed(known).is_some()
        },
        computes: &[("v", |known| literal(composed(known)))],
        origin: "definition of composition",
        avoids: "an index past b, where the composition continues its own last mode",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "join-applied-to-pair",
        left: "(crd2idx (crd2idx (tuple ?i ?j) ?b) ?a)",
        right: "(crd2idx (tuple ?i ?j) ?v)",
        condition: "a and b are plain layouts whose composition v exists and b has two modes, i and j are in them, and v's offsets are natural words",
        holds: |known| {
            let Some(b) = known.layout("b").filter(|b| !b.is_leaf() && b.rank() == 2) else {
                return false;
            };
            let modes = b.modes();
            inside(known, "i", modes[0].size())
                && inside(known, "j", modes[1].size())
                && composed(known).is_some_and(|v| v.rank() == 2)
        },
        computes: &[("v", |known| literal(composed(known)))],
        origin: "definition of composition",
        avoids: "an index past its mode of b, where the composition continues its own last mode",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "add-applied",
        left: "(add (crd2idx ?i ?a) (crd2idx ?i ?b))",
        right: "(crd2idx ?i ?v)",
        condition: "a and b are plain layouts of one shape, i is in [0, size a); v has both strides added, and its offsets are natural words",
        holds: |known| {
            known.layout("a").is_some_and(|a| inside(known, "i", a.size())) && sum(known).is_some()
        },
        computes: &[("v", |known| literal(sum(known)))],
        origin: "definition of application: both go through the same digits",
        avoids: "two shapes",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "scale-applied",
        left: "(mul (crd2idx ?i ?l) ?c)",
        right: "(crd2idx ?i ?v)",
        condition: "l is a plain layout, c a positive constant, i is in [0, size l); v has c times the strides, and its offsets are natural words",
        holds: |known| {
            known.layout("l").is_some_and(|l| inside(known, "i", l.size()))
                && product(known).is_some()
        },
        computes: &[("v", |known| literal(product(known)))],
        origin: "definition of application",
        avoids: "offsets that are no words",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "merge-applied",
        left: "(crd2idx ?i ?l)",
        right: "(crd2idx ?i ?v)",
        condition: "l is a plain layout and i >= 0 an index; v has modes of l that continue each other as one",
        holds: |known| known.is_natural("i") && merged(known).is_some(),
        computes: &[("v", |known| literal(merged(known)))],
        origin: "identity 5, of a coalesce that keeps what is past the size",
        avoids: "a coordinate of the modes",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "join-open-digits",
        left: "(add (crd2idx (mod ?i ?m) (layout ?m ?d)) (crd2idx (div ?i ?m) (layout ?n ?e)))",
        right: "(crd2idx ?i (layout (tuple ?m ?n) (tuple ?d ?e)))",
        condition: "i >= 0, m > 0 and d are indices",
        holds: |known| {
            known.is_natural("i")
                && known.number("m").is_some_and(|m| m.low > 0)
                && known.number("d").is_some()
        },
        origin: "definition of application: digits in mixed radix",
        avoids: "an index below 0, whose quotient rounds towards 0",
        counterexample: &[("i", "-1"), ("m", "4"), ("n", "8"), ("d", "8"), ("e", "1")],
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "merge-open",
        left: "(crd2idx ?i (layout (tuple ?m ?n) (tuple ?d (mul ?d ?m))))",
        right: "(mul ?i ?d)",
        condition: "i, m > 0, n > 0 and d are indices",
        holds: |known| has_two_digits(known) && known.number("d").is_some(),
        counterexample: &[("i", "5"), ("m", "4"), ("n", "(2,4)"), ("d", "1")],
        ..OPEN
    },
    Rule {
        name: "merge-open-from-one",
        left: "(crd2idx ?i (layout (tuple ?m ?n) (tuple 1 ?m)))",
        right: "?i",
        condition: "i, m > 0 and n > 0 are indices",
        holds: has_two_digits,
        counterexample: &[("i", "5"), ("m", "4"), ("n", "(2,4)")],
        ..OPEN
    },
    Rule {
        name: "merge-open-modes",
        left: "(crd2idx ?i (layout (tuple ?m (tuple ?n ?k)) (tuple ?d (tuple (mul ?d ?m) ?e))))",
        right: "(crd2idx ?i (layout (tuple (mul ?m ?n) ?k) (tuple ?d ?e)))",
        condition: "i, m > 0, n > 0 and d are indices, and m * n does not wrap",
        holds: |known| {
            has_two_digits(known) && known.number("d").is_some() && known.multiply_out("m", "n")
        },
        avoids: "a coordinate of the modes; an extent that wraps",
        counterexample: &[
            ("i", "(1,(1,1))"),
            ("m", "4"),
            ("n", "2"),
            ("k", "2"),
            ("d", "3"),
            ("e", "1"),
        ],
        ..OPEN
    },
    Rule {
        name: "merge-open-modes-from-one",
        left: "(crd2idx ?i (layout (tuple ?m (tuple ?n ?k)) (tuple 1 (tuple ?m ?e))))",
        right: "(crd2idx ?i (layout (tuple (mul ?m ?n) ?k) (tuple 1 ?e)))",
        condition: "i, m > 0 and n > 0 are indices, and m * n does not wrap",
        holds: |known| has_two_digits(known) && known.multiply_out("m", "n"),
        avoids: "a coordinate of the modes; an extent that wraps",
        counterexample: &[("i", "(1,(1,1))"), ("m", "4"), ("n", "2"), ("k", "2"), ("e", "1")],
        ..OPEN
    },
];
