//! Layouts applied to indices and coordinates: the bridge between the two languages.

use super::{Known, Phase, ROW, Rule, layouts::is_plain};
use crate::facts::is_chain;
use layout_algebra::{AnyLayout, ComposedLayout, Layout, Tuple, Value};

/// The modes of extent above 1 and the last one: what an index in `0 ..` goes through.
fn digits(layout: &Layout) -> Vec<(i64, i64)> {
    let mut modes = layout.flat();
    let last = modes.pop();
    modes.retain(|&(extent, _)| extent != 1);
    modes.extend(last);
    modes
}

fn leaf(extent: i64, stride: i64) -> Option<Value> {
    Layout::new(Tuple::Leaf(extent), Tuple::Leaf(stride)).ok().map(Value::Layout)
}

/// The first digit of a layout, and the layout of the others.
fn peeled(known: &Known<'_>) -> Option<(i64, i64, Value)> {
    let modes = digits(&known.layout("l")?);
    let (&(extent, stride), rest) = modes.split_first()?;
    let rest = match rest {
        [] => return None,
        [(extent, stride)] => leaf(*extent, *stride)?,
        _ => {
            let leaves =
                |values: Vec<i64>| Tuple::Node(values.into_iter().map(Tuple::Leaf).collect());
            let shape = leaves(rest.iter().map(|&(extent, _)| extent).collect());
            let stride = leaves(rest.iter().map(|&(_, stride)| stride).collect());
            Value::Layout(Layout::new(shape, stride).ok()?)
        }
    };
    Some((extent, stride, rest))
}

/// Mode `k` of a plain layout of rank `rank`.
fn mode(known: &Known<'_>, k: usize, rank: usize) -> Option<Value> {
    let layout = known.layout("l").filter(|layout| !layout.is_leaf() && layout.rank() == rank)?;
    layout.mode(k).map(Value::Layout)
}

fn composed(known: &Known<'_>) -> Option<ComposedLayout> {
    match known.any_layout("l")? {
        AnyLayout::Composed(composed) => Some(composed),
        AnyLayout::Plain(_) => None,
    }
}

/// Whether an index lies in `0 .. size`.
fn inside(known: &Known<'_>, index: &str, size: i64) -> bool {
    known.number(index).is_some_and(|index| index.low >= 0 && index.high < size)
}

fn is_index(known: &Known<'_>, name: &str) -> bool {
    known.number(name).is_some()
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "apply-leaf",
        left: "(crd2idx ?i ?l)",
        right: "(mul ?i ?d)",
        condition: "i is an index and l a plain layout of one mode n:d",
        holds: |known| {
            is_index(known, "i") && known.layout("l").is_some_and(|l| digits(&l).len() == 1)
        },
        computes: &[("d", |known| known.word(known.layout("l")?.flat().last()?.1))],
        origin: "definition of application; past the size the last mode continues",
        avoids: "a layout of several modes",
        ..ROW
    },
    Rule {
        name: "apply-digit",
        left: "(crd2idx ?i ?l)",
        right: "(add (mul (mod ?i ?n) ?d) (crd2idx (div ?i ?n) ?w))",
        condition: "i >= 0 is an index and l a plain layout of several modes; n:d is the first, w has the others",
        holds: |known| known.is_natural("i") && peeled(known).is_some(),
        computes: &[
            ("n", |known| known.word(peeled(known)?.0)),
            ("d", |known| known.word(peeled(known)?.1)),
            ("w", |known| Some(peeled(known)?.2)),
        ],
        origin: "definition of application: digits in mixed radix",
        avoids: "an index below 0, whose quotient rounds towards 0",
        counterexample: &[("i", "-1"), ("l", "(4,8):(8,1)")],
        ..ROW
    },
    Rule {
        name: "apply-identity",
        left: "(crd2idx ?i ?l)",
        right: "?i",
        condition: "i >= 0 is an index and l a plain layout that coalesces to n:1, n > 1",
        holds: |known| {
            known.is_natural("i")
                && known.layout("l").is_some_and(|l| {
                    matches!(digits(&l).last(), Some(&(n, _)) if n > 1)
                        && l.coalesce().is_ok_and(|l| l.is_leaf() && l.flat()[0].1 == 1)
                })
        },
        origin: "identity 1",
        avoids: "modes that do not continue each other",
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "apply-to-single",
        left: "(crd2idx (tuple ?i) ?l)",
        right: "(crd2idx ?i ?v)",
        condition: "l is a plain layout of rank 1; v is its mode",
        holds: |known| mode(known, 0, 1).is_some(),
        computes: &[("v", |known| known.layout("l")?.mode(0).map(Value::Layout))],
        origin: "definition of application",
        avoids: "a layout of another rank",
        ..ROW
    },
    Rule {
        name: "apply-to-pair",
        left: "(crd2idx (tuple ?i ?j) ?l)",
        right: "(add (crd2idx ?i ?v) (crd2idx ?j ?w))",
        condition: "l is a plain layout of rank 2; v and w are its modes",
        holds: |known| mode(known, 1, 2).is_some(),
        computes: &[("v", |known| mode(known, 0, 2)), ("w", |known| mode(known, 1, 2))],
        origin: "definition of application",
        avoids: "a layout of another rank",
        ..ROW
    },
    Rule {
        name: "apply-to-triple",
        left: "(crd2idx (tuple ?i ?j ?k) ?l)",
        right: "(add (add (crd2idx ?i ?u) (crd2idx ?j ?v)) (crd2idx ?k ?w))",
        condition: "l is a plain layout of rank 3; u, v and w are its modes",
        holds: |known| mode(known, 2, 3).is_some(),
        computes: &[
            ("u", |known| mode(known, 0, 3)),
            ("v", |known| mode(known, 1, 3)),
            ("w", |known| mode(known, 2, 3)),
        ],
        origin: "definition of application",
        avoids: "a layout of another rank",
        ..ROW
    },
    Rule {
        name: "apply-pair-of-layouts",
        left: "(crd2idx (tuple ?i ?j) (make_layout ?a ?b))",
        right: "(add (crd2idx ?i ?a) (crd2idx ?j ?b))",
        condition: "a and b are plain layouts",
        holds: |known| is_plain(known, "a") && is_plain(known, "b"),
        origin: "definition of make_layout",
        avoids: "a swizzled layout, of which make_layout makes no mode: the left side has no value",
        counterexample: &[
            ("i", "1"),
            ("j", "1"),
            ("a", "S<1,0,1> o 0 o (4,4):(4,1)"),
            ("b", "2:1"),
        ],
        ..ROW
    },
    Rule {
        name: "apply-composition",
        left: "(crd2idx ?i (composition ?a ?b))",
        right: "(crd2idx (crd2idx ?i ?b) ?a)",
        condition: "a and b are plain layouts whose composition exists, and i is in [0, size b)",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            inside(known, "i", b.size()) && a.composition(&b).is_ok()
        },
        origin: "definition of composition",
        avoids: "an index past b, where the composition continues its own last mode",
        counterexample: &[("i", "3"), ("a", "(2,2):(1,10)"), ("b", "2:1")],
        ..ROW
    },
    Rule {
        name: "apply-coalesced",
        left: "(crd2idx ?i (coalesce ?l))",
        right: "(crd2idx ?i ?l)",
        condition: "l is a plain layout and i is in [0, size l)",
        holds: |known| known.layout("l").is_some_and(|l| inside(known, "i", l.size())),
        origin: "identity 5",
        avoids: "an index past the size: (2,1):(1,80) gives 80 at 2, and 2:1 gives 2",
        counterexample: &[("i", "2"), ("l", "(2,1):(1,80)")],
        ..ROW
    },
    Rule {
        name: "apply-flattened",
        left: "(crd2idx ?i (flatten ?l))",
        right: "(crd2idx ?i ?l)",
        condition: "l is a plain layout and i an index",
        holds: |known| known.layout("l").is_some() && is_index(known, "i"),
        origin: "definition of flatten",
        avoids: "a coordinate of the flat shape",
        counterexample: &[("i", "(1,1,1)"), ("l", "((2,2),2):((1,2),4)")],
        ..ROW
    },
    Rule {
        name: "apply-swizzled",
        left: "(crd2idx ?i ?l)",
        right: "(swizzle ?g (add (crd2idx ?i ?w) ?d))",
        condition: "l is the swizzle g after the offset d and the plain layout w, and i is in [0, size w)",
        holds: |known| {
            composed(known).is_some_and(|l| {
                l.swizzle().is_some() && inside(known, "i", AnyLayout::Composed(l).inner().size())
            })
        },
        computes: &[
            ("g", |known| composed(known)?.swizzle().map(Value::Swizzle)),
            ("w", |known| Some(Value::Layout(known.any_layout("l")?.inner().clone()))),
            ("d", |known| known.word(composed(known)?.offset)),
        ],
        origin: "definition of composed layouts",
        avoids: "another outer layout",
        ..ROW
    },
    Rule {
        name: "apply-swizzled-to-pair",
        left: "(crd2idx (tuple ?i ?j) ?l)",
        right: "(swizzle ?g (add (crd2idx (tuple ?i ?j) ?w) ?d))",
        condition: "l is the swizzle g after the offset d and the plain layout w of rank 2, and i and j are in its modes",
        holds: |known| {
            composed(known).is_some_and(|l| {
                let layout = AnyLayout::Composed(l.clone());
                let modes = layout.inner().modes();
                l.swizzle().is_some()
                    && modes.len() == 2
                    && !layout.inner().is_leaf()
                    && inside(known, "i", modes[0].size())
                    && inside(known, "j", modes[1].size())
            })
        },
        computes: &[
            ("g", |known| composed(known)?.swizzle().map(Value::Swizzle)),
            ("w", |known| Some(Value::Layout(known.any_layout("l")?.inner().clone()))),
            ("d", |known| known.word(composed(known)?.offset)),
        ],
        origin: "definition of composed layouts",
        avoids: "another outer layout",
        ..ROW
    },
    Rule {
        name: "apply-right-inverse",
        left: "(crd2idx (crd2idx ?i (right_inverse ?a)) ?a)",
        right: "?i",
        condition: "a is a plain layout and i is in [0, size of its right inverse)",
        holds: |known| {
            known
                .layout("a")
                .and_then(|a| a.right_inverse().ok())
                .is_some_and(|inverse| inside(known, "i", inverse.size()))
        },
        origin: "identity 11, first part",
        avoids: "an index past the part that the inverse covers",
        counterexample: &[("i", "2"), ("a", "(2,2):(1,8)")],
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "apply-left-inverse",
        left: "(crd2idx (crd2idx ?i ?a) (left_inverse ?a))",
        right: "?i",
        condition: "a is a chain and i is in [0, size a)",
        holds: |known| {
            known.layout("a").is_some_and(|a| is_chain(&a) && inside(known, "i", a.size()))
        },
        origin: "identity 12",
        avoids: "offsets that a reaches twice",
        counterexample: &[("i", "2"), ("a", "(2,2):(1,1)")],
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "apply-to-own-coordinate",
        left: "(crd2idx (idx2crd ?i ?n) ?l)",
        right: "(crd2idx ?i ?l)",
        condition: "l is a plain layout of shape n, and i >= 0 is an index",
        holds: |known| {
            let shape = match known.value("n") {
                Some(Value::Int(extent)) => Some(Tuple::Leaf(*extent)),
                Some(Value::Tuple(shape)) => Some(shape.clone()),
                _ => None,
            };
            known.is_natural("i")
                && known.layout("l").is_some_and(|l| Some(l.shape()) == shape.as_ref())
        },
        origin: "definition of idx2crd",
        avoids: "a coordinate in another shape",
        counterexample: &[("i", "5"), ("n", "(2,4)"), ("l", "(4,2):(2,1)")],
        phase: Phase::Shrink,
        ..ROW
    },
    Rule {
        name: "apply-symbolic-leaf",
        left: "(crd2idx ?i (layout ?n ?d))",
        right: "(mul ?i ?d)",
        condition: "i, n and d are indices and n > 0",
        holds: |known| {
            is_index(known, "i")
                && is_index(known, "d")
                && known.number("n").is_some_and(|n| n.low > 0)
        },
        origin: "definition of application",
        avoids: "a shape of several modes",
        counterexample: &[("i", "5"), ("n", "(2,4)"), ("d", "(4,1)")],
        ..ROW
    },
    Rule {
        name: "apply-symbolic-pair",
        left: "(crd2idx (tuple ?i ?j) (layout (tuple ?m ?n) (tuple ?d ?e)))",
        right: "(add (crd2idx ?i (layout ?m ?d)) (crd2idx ?j (layout ?n ?e)))",
        origin: "definition of application",
        ..ROW
    },
    Rule {
        name: "apply-symbolic-digit",
        left: "(crd2idx ?i (layout (tuple ?m ?n) (tuple ?d ?e)))",
        right: "(add (mul (mod ?i ?m) ?d) (crd2idx (div ?i ?m) (layout ?n ?e)))",
        condition: "i >= 0, m > 0 and d are indices",
        holds: |known| {
            known.is_natural("i")
                && is_index(known, "d")
                && known.number("m").is_some_and(|m| m.low > 0)
        },
        origin: "definition of application: digits in mixed radix",
        avoids: "an index below 0, whose quotient rounds towards 0",
        counterexample: &[("i", "-1"), ("m", "4"), ("n", "8"), ("d", "8"), ("e", "1")],
        ..ROW
    },
];
