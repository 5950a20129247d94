//! The rows.

use super::{Known, Rule};
use crate::facts::{image, is_bijective, is_chain};
use layout_algebra::{Layout, Tiler, Value, coalesce, composition, logical_divide, right_inverse};

/// No condition.
fn always(_: &Known<'_>) -> bool {
    true
}

/// A plain layout whose shape is a tuple.
fn is_tuple(known: &Known<'_>, name: &str) -> bool {
    known.any_layout(name).is_some_and(|layout| !layout.inner().is_leaf())
}

fn is_layout(known: &Known<'_>, name: &str) -> bool {
    known.any_layout(name).is_some()
}

fn is_plain(known: &Known<'_>, name: &str) -> bool {
    known.layout(name).is_some()
}

fn int(value: i64) -> Option<Value> {
    Some(Value::Int(value))
}

/// `n:1`, or `1:0` for `n = 1`: what coalesce makes of an identity.
fn identity(size: i64) -> Option<Value> {
    let text = if size == 1 { "1:0".to_owned() } else { format!("{size}:1") };
    text.parse::<Layout>().ok().map(Value::Layout)
}

/// No carry when the modes of `b` add up in the radix of `a`: asked of the values, since composing
/// each mode on its own and composing both at once then give one layout.
fn distributes(known: &Known<'_>) -> bool {
    let (Some(a), Some(b), Some(c)) = (known.layout("a"), known.layout("b"), known.layout("c"))
    else {
        return false;
    };
    let apart = composition(&a, &b).and_then(|left| {
        composition(&a, &c).and_then(|right| layout_algebra::make_layout(&[left, right]))
    });
    let together = layout_algebra::make_layout(&[b, c]).and_then(|both| composition(&a, &both));
    matches!((apart, together), (Ok(apart), Ok(together)) if apart == together)
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
    let left = composition(&a, &b).and_then(|ab| composition(&ab, &c));
    let right = composition(&b, &c).and_then(|bc| composition(&a, &bc));
    matches!((left, right), (Ok(left), Ok(right)) if left == right)
}

/// Every rule, by family.
pub const RULES: &[Rule] = &[
    // Normal forms.
    Rule {
        name: "coalesce-idempotent",
        left: "(coalesce (coalesce ?a))",
        right: "(coalesce ?a)",
        condition: "always",
        holds: always,
        computes: None,
        origin: "identity 5",
        avoids: "nothing: holds for every layout",
        counterexample: &[],
    },
    Rule {
        name: "flatten-idempotent",
        left: "(flatten (flatten ?a))",
        right: "(flatten ?a)",
        condition: "always",
        holds: always,
        computes: None,
        origin: "definition of flatten",
        avoids: "nothing: holds for every layout",
        counterexample: &[],
    },
    Rule {
        name: "coalesce-of-flatten",
        left: "(coalesce (flatten ?a))",
        right: "(coalesce ?a)",
        condition: "always",
        holds: always,
        computes: None,
        origin: "definition of coalesce",
        avoids: "nothing: coalesce sees leaves only",
        counterexample: &[],
    },
    Rule {
        name: "flatten-of-coalesce",
        left: "(flatten (coalesce ?a))",
        right: "(coalesce ?a)",
        condition: "always",
        holds: always,
        computes: None,
        origin: "definition of coalesce: the result is flat",
        avoids: "nothing: holds for every layout",
        counterexample: &[],
    },
    Rule {
        name: "coalesce-of-composition-with-coalesce",
        left: "(coalesce (composition ?a (coalesce ?b)))",
        right: "(coalesce (composition ?a ?b))",
        condition: "a and b are plain layouts and both compositions exist and coalesce alike",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            let left = coalesce(&b).and_then(|b| composition(&a, &b)).and_then(|c| coalesce(&c));
            let right = composition(&a, &b).and_then(|c| coalesce(&c));
            matches!((left, right), (Ok(left), Ok(right)) if left == right)
        },
        computes: None,
        origin: "identity 6",
        avoids: "losing the profile of b where nothing coalesces the result",
        counterexample: &[],
    },
    // Composition.
    Rule {
        name: "compose-with-own-domain",
        left: "(composition ?a ?b)",
        right: "(coalesce ?a)",
        condition: "a is a plain layout of size n > 1 and b is n:1",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            a.size() > 1 && b.is_leaf() && b.flat() == [(a.size(), 1)]
        },
        computes: None,
        origin: "identity 1, first part",
        avoids: "a longer b reads past the end of a, where coalesce has no say",
        counterexample: &[("a", "(2,1):(1,80)"), ("b", "4:1")],
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
        computes: None,
        origin: "identity 1, second part, under CuTe's reading past the size",
        avoids: "an a of another stride scales",
        counterexample: &[("a", "4:2"), ("b", "(2,2):(1,2)")],
    },
    Rule {
        name: "compose-associate-right",
        left: "(composition (composition ?a ?b) ?c)",
        right: "(composition ?a (composition ?b ?c))",
        condition: "all compositions exist, image(c) lies in [0, size b), the results nest alike",
        holds: associates,
        computes: None,
        origin: "identity 2",
        avoids: "a c that reads past the end of b: a after b continues where b stops",
        counterexample: &[("a", "(2,2):(1,10)"), ("b", "2:1"), ("c", "4:1")],
    },
    Rule {
        name: "compose-associate-left",
        left: "(composition ?a (composition ?b ?c))",
        right: "(composition (composition ?a ?b) ?c)",
        condition: "all compositions exist, image(c) lies in [0, size b), the results nest alike",
        holds: associates,
        computes: None,
        origin: "identity 2",
        avoids: "a c that reads past the end of b: a after b continues where b stops",
        counterexample: &[("a", "(2,2):(1,10)"), ("b", "2:1"), ("c", "4:1")],
    },
    Rule {
        name: "compose-distribute",
        left: "(composition ?a (make_layout ?b ?c))",
        right: "(make_layout (composition ?a ?b) (composition ?a ?c))",
        condition: "no carry: composing the modes apart and together give one layout",
        holds: distributes,
        computes: None,
        origin: "identity 3",
        avoids: "cutlass#2955: b + c carries in the radix of a, and the parts do not see it",
        counterexample: &[("a", "(6,2):(1,7)"), ("b", "3:2"), ("c", "2:3")],
    },
    Rule {
        name: "compose-collect",
        left: "(make_layout (composition ?a ?b) (composition ?a ?c))",
        right: "(composition ?a (make_layout ?b ?c))",
        condition: "no carry: composing the modes apart and together give one layout",
        holds: distributes,
        computes: None,
        origin: "identity 3",
        avoids: "cutlass#2955, read from right to left",
        counterexample: &[("a", "(6,2):(1,7)"), ("b", "3:2"), ("c", "2:3")],
    },
    Rule {
        name: "compose-by-mode",
        left: "(composition (make_layout ?a ?b) (tiler ?s ?t))",
        right: "(make_layout (composition ?a ?s) (composition ?b ?t))",
        condition: "always: this is what a tuple of tilers means",
        holds: |known| is_plain(known, "a") && is_plain(known, "b"),
        computes: None,
        origin: "identity 4",
        avoids: "taking a tuple of tilers for a concatenated layout",
        counterexample: &[],
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
        computes: None,
        origin: "definition of `_`",
        avoids: "a leaf would come back wrapped: (4):(1) is not 4:1; a shorter tuple drops modes",
        counterexample: &[("a", "4:1"), ("t", "<_>")],
    },
    // Complement.
    Rule {
        name: "complement-involution",
        left: "(complement (complement ?a ?n) ?n)",
        right: "(coalesce ?a)",
        condition: "a's modes are a chain in order, and n is above the last one's reach",
        holds: |known| {
            let (Some(a), Some(n)) = (known.layout("a"), known.int("n")) else { return false };
            let Ok(simple) = coalesce(&a) else { return false };
            let in_order = simple.flat().is_sorted_by_key(|&(_, stride)| stride);
            let reach = simple.flat().last().map_or(0, |&(extent, stride)| (extent - 1) * stride);
            is_chain(&a) && in_order && n > reach
        },
        computes: None,
        origin: "identity 8",
        avoids: "an n too small forgets the top mode; modes out of order come back sorted",
        counterexample: &[("a", "(2,3):(6,2)"), ("n", "8")],
    },
    // Divide and product.
    Rule {
        name: "divide-definition",
        left: "(logical_divide ?a ?b)",
        right: "(composition ?a (make_layout ?b (complement ?b (size ?a))))",
        condition: "b is a plain layout and a a layout",
        holds: |known| is_layout(known, "a") && is_plain(known, "b"),
        computes: None,
        origin: "identity 9",
        avoids: "a tuple of tilers divides mode by mode",
        counterexample: &[("a", "(4,4):(4,1)"), ("b", "<2:1, 2:1>")],
    },
    Rule {
        name: "divide-first",
        left: "(get (logical_divide ?a ?b) ?z)",
        right: "(composition ?a ?b)",
        condition: "z is 0, b is a plain layout, and the composition is the divide's first mode",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            let divided = logical_divide(&a, &Tiler::Layout(b.clone()));
            known.int("z") == Some(0)
                && matches!(
                    (divided.map(|divided| divided.mode(0)), composition(&a, &b)),
                    (Ok(Some(first)), Ok(composed)) if first == composed
                )
        },
        computes: None,
        origin: "identity 9, second part",
        avoids: "the second mode is the rest",
        counterexample: &[("a", "8:1"), ("b", "4:1"), ("z", "1")],
    },
    Rule {
        name: "zipped-divide-by-layout",
        left: "(zipped_divide ?a ?b)",
        right: "(logical_divide ?a ?b)",
        condition: "b is a plain layout: the result has rank 2 already",
        holds: |known| is_layout(known, "a") && is_plain(known, "b"),
        computes: None,
        origin: "definition of zipped_divide",
        avoids: "a tuple of tilers gathers tiles and rests",
        counterexample: &[("a", "(4,4):(4,1)"), ("b", "<2:1, 2:1>")],
    },
    Rule {
        name: "product-definition",
        left: "(logical_product ?a ?b)",
        right: "(make_layout ?a (composition (complement ?a ?v) ?b))",
        condition: "a and b are plain layouts; v is size(a) * cosize(b)",
        holds: |known| is_plain(known, "a") && is_plain(known, "b"),
        computes: Some(|known| {
            let (a, b) = (known.layout("a")?, known.layout("b")?);
            int(a.size().checked_mul(b.cosize().ok()?)?)
        }),
        origin: "identity 10",
        avoids: "a tuple of tilers multiplies mode by mode",
        counterexample: &[],
    },
    Rule {
        name: "product-first",
        left: "(get (logical_product ?a ?b) ?z)",
        right: "?a",
        condition: "z is 0, a and b are plain layouts whose product exists",
        holds: |known| {
            let (Some(a), Some(b)) = (known.layout("a"), known.layout("b")) else { return false };
            known.int("z") == Some(0)
                && layout_algebra::logical_product(&a, &Tiler::Layout(b)).is_ok()
        },
        computes: None,
        origin: "identity 10, second part",
        avoids: "the second mode is the repetition",
        counterexample: &[("a", "4:1"), ("b", "2:1"), ("z", "1")],
    },
    // Inverses.
    Rule {
        name: "right-inverse-cancels",
        left: "(coalesce (composition ?a (right_inverse ?a)))",
        right: "?v",
        condition: "a is a plain layout; v is the identity of the inverse's size",
        holds: |known| {
            known.layout("a").is_some_and(|a| {
                right_inverse(&a).and_then(|inverse| composition(&a, &inverse)).is_ok()
            })
        },
        computes: Some(|known| identity(right_inverse(&known.layout("a")?).ok()?.size())),
        origin: "identity 11, first part",
        avoids: "nothing: a after its right inverse is always the identity",
        counterexample: &[],
    },
    Rule {
        name: "right-inverse-cancels-left",
        left: "(coalesce (composition (right_inverse ?a) ?a))",
        right: "?v",
        condition: "a is bijective onto [0, size a); v is the identity of its size",
        holds: |known| known.layout("a").is_some_and(|a| is_bijective(&a)),
        computes: Some(|known| identity(known.layout("a")?.size())),
        origin: "identity 11, second part",
        avoids: "an inverse that covers a part of a only",
        counterexample: &[("a", "(2,2):(1,8)")],
    },
    Rule {
        name: "right-inverse-involution",
        left: "(right_inverse (right_inverse ?a))",
        right: "(coalesce ?a)",
        condition: "a is bijective onto [0, size a)",
        holds: |known| known.layout("a").is_some_and(|a| is_bijective(&a)),
        computes: None,
        origin: "identity 11",
        avoids: "what lies past the first gap is lost in the first inverse",
        counterexample: &[("a", "(2,2):(1,8)")],
    },
    Rule {
        name: "left-inverse-cancels",
        left: "(coalesce (composition (left_inverse ?a) ?a))",
        right: "?v",
        condition: "a is a chain; v is the identity of its size",
        holds: |known| known.layout("a").is_some_and(|a| is_chain(&a)),
        computes: Some(|known| identity(known.layout("a")?.size())),
        origin: "identity 12",
        avoids: "a layout that reaches an offset twice has no left inverse",
        counterexample: &[("a", "(2,2):(1,1)")],
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
                && composition(&a, &b).is_ok()
                && matches!(
                    (right_inverse(&a), right_inverse(&b)),
                    (Ok(a), Ok(b)) if composition(&b, &a).is_ok()
                )
        },
        computes: None,
        origin: "identity 13",
        avoids: "gaps in a, which b may or may not hit",
        counterexample: &[("a", "8:1"), ("b", "4:2")],
    },
    // Queries.
    Rule {
        name: "size-of-composition",
        left: "(size (composition ?a ?b))",
        right: "(size ?b)",
        condition: "b is a plain layout and the composition exists",
        holds: |known| {
            let (Some(a), Some(b)) = (known.any_layout("a"), known.layout("b")) else {
                return false;
            };
            composition(a.inner(), &b).is_ok()
        },
        computes: None,
        origin: "definition of composition: b is the domain",
        avoids: "a tuple of tilers shorter than a drops modes of a",
        counterexample: &[("a", "(4,4):(4,1)"), ("b", "<2:1>")],
    },
    Rule {
        name: "size-of-coalesce",
        left: "(size (coalesce ?a))",
        right: "(size ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        computes: None,
        origin: "identity 5",
        avoids: "the size of a tuple is its product; a tuple does not coalesce",
        counterexample: &[],
    },
    Rule {
        name: "size-of-flatten",
        left: "(size (flatten ?a))",
        right: "(size ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        computes: None,
        origin: "definition of flatten",
        avoids: "the size of a tuple is its product; a tuple does not flatten",
        counterexample: &[],
    },
    Rule {
        name: "cosize-of-coalesce",
        left: "(cosize (coalesce ?a))",
        right: "(cosize ?a)",
        condition: "a is a layout",
        holds: |known| is_layout(known, "a"),
        computes: None,
        origin: "identity 5",
        avoids: "nothing: the same offsets",
        counterexample: &[],
    },
    Rule {
        name: "cosize-of-pair",
        left: "(cosize (make_layout ?a ?b))",
        right: "?v",
        condition: "a and b are plain layouts; v is cosize a + cosize b - 1",
        holds: |known| is_plain(known, "a") && is_plain(known, "b"),
        computes: Some(|known| {
            let (a, b) = (known.layout("a")?.cosize().ok()?, known.layout("b")?.cosize().ok()?);
            int(a.checked_add(b)?.checked_sub(1)?)
        }),
        origin: "identity 19",
        avoids: "counting the offset 0 twice",
        counterexample: &[],
    },
    // Modes.
    Rule {
        name: "get-first-of-pair",
        left: "(get (make_layout ?a ?b) ?z)",
        right: "?a",
        condition: "z is 0 and both are plain layouts",
        holds: |known| known.int("z") == Some(0) && is_plain(known, "a") && is_plain(known, "b"),
        computes: None,
        origin: "definition of make_layout",
        avoids: "another mode",
        counterexample: &[("a", "4:1"), ("b", "2:8"), ("z", "1")],
    },
    Rule {
        name: "get-second-of-pair",
        left: "(get (make_layout ?a ?b) ?z)",
        right: "?b",
        condition: "z is 1 and both are plain layouts",
        holds: |known| known.int("z") == Some(1) && is_plain(known, "a") && is_plain(known, "b"),
        computes: None,
        origin: "definition of make_layout",
        avoids: "another mode",
        counterexample: &[("a", "4:1"), ("b", "2:8"), ("z", "0")],
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
        computes: None,
        origin: "definition of make_layout",
        avoids: "a layout of more modes",
        counterexample: &[("a", "(2,2,2):(1,2,4)"), ("y", "0"), ("z", "1")],
    },
    // Elements of another width.
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
        computes: None,
        origin: "identity 20",
        avoids: "a stride of n becomes 1, and is taken for the contiguous mode on the way back",
        counterexample: &[("a", "(4,4):(2,1)"), ("n", "2")],
    },
    Rule {
        name: "upcast-by-one",
        left: "(upcast ?a ?n)",
        right: "?a",
        condition: "n is 1 and a is a plain layout",
        holds: |known| known.int("n") == Some(1) && is_plain(known, "a"),
        computes: None,
        origin: "definition of upcast",
        avoids: "another width",
        counterexample: &[("a", "4:1"), ("n", "2")],
    },
    Rule {
        name: "downcast-by-one",
        left: "(downcast ?a ?n)",
        right: "?a",
        condition: "n is 1 and a is a plain layout",
        holds: |known| known.int("n") == Some(1) && is_plain(known, "a"),
        computes: None,
        origin: "definition of downcast",
        avoids: "another width",
        counterexample: &[("a", "4:1"), ("n", "2")],
    },
    Rule {
        name: "recast-to-same",
        left: "(recast ?a ?n ?n)",
        right: "?a",
        condition: "n is positive and a is a plain layout",
        holds: |known| known.int("n").is_some_and(|n| n > 0) && is_plain(known, "a"),
        computes: None,
        origin: "definition of recast",
        avoids: "a width that is none",
        counterexample: &[("a", "4:1"), ("n", "0")],
    },
];
