//! Whether an answer with symbols, at chosen values, means what the static one does.

use layout_algebra::{AnyLayout, Layout, Op, Term, Tuple, Value};

/// Coordinates that are compared at each choice of values.
const COMPARED: i64 = 200;

fn any_layout(value: &Value) -> Option<AnyLayout> {
    match value {
        Value::Layout(layout) => Some(layout.clone().into()),
        Value::Composed(composed) => Some(composed.clone().into()),
        _ => None,
    }
}

/// Whether two answers mean the same: layouts are compared as functions, for the static algebra may
/// merge modes and fold swizzles that only go together at these values.
pub(crate) fn same(op: Op, args: &[Term], found: &Value, expected: &Value) -> bool {
    let (found, expected) = (simple(found), simple(expected));
    if found == expected {
        return true;
    }
    if let (Some(a), Some(b)) = (any_layout(&found), any_layout(&expected)) {
        // A slice says how offsets continue from where it starts.
        let is_slice = matches!(op, Op::Slice | Op::LocalTile);
        let starts = is_slice.then(|| [&a, &b].map(|layout| layout.at(0).expect("small")));
        let [i, j] = starts.unwrap_or([0, 0]);
        return same_offsets(&a, -i, &b, -j)
            && (is_flat(op, args) || same_modes(a.inner(), b.inner()));
    }
    match (op, &found, &expected) {
        // The tiles of a divide may come in modes that are one at these values.
        (Op::CeilDiv, _, _) => product(&found) == product(&expected),
        (_, Value::Basis(a), Value::Basis(b)) => {
            a.size() == b.size()
                && indices(a.size()).all(|i| {
                    match [a, b].map(|layout| layout.crd2crd(&Tuple::Leaf(i))) {
                        [Ok(a), Ok(b)] => same_coord(&a, &b),
                        _ => false,
                    }
                })
        }
        // A layout that moves nothing is into no coordinates.
        (_, Value::Basis(a), Value::Layout(b)) => {
            a.size() == b.size()
                && indices(a.size()).all(|i| {
                    let coord = a.crd2crd(&Tuple::Leaf(i));
                    coord.is_ok_and(|coord| same_coord(&coord, &Tuple::Leaf(0))) && b.at(i) == Ok(0)
                })
        }
        // Past its size, a shape of one entry says nothing.
        (Op::Crd2Idx, _, _) => matches!(
            args,
            [Term::Literal(Value::Int(index)), Term::Literal(Value::Int(size))] if index >= size
        ),
        (Op::SliceAndOffset, Value::List(a), Value::List(b)) => {
            match (a.as_slice(), b.as_slice()) {
                ([a, Value::Int(i)], [b, Value::Int(j)]) => match (any_layout(a), any_layout(b)) {
                    (Some(a), Some(b)) => same_offsets(&a, *i, &b, *j),
                    _ => false,
                },
                ([a, i], [b, j]) => i == j && same(op, args, a, b),
                _ => false,
            }
        }
        (Op::InBoundsOfDivide | Op::InBoundsOfComposition, Value::List(a), Value::List(b)) => {
            let inside = |comparisons: &[Value], i: i64| {
                comparisons.iter().all(|comparison| match comparison {
                    Value::List(pair) => match pair.as_slice() {
                        [Value::Layout(layout), Value::Int(bound)] => {
                            i >= layout.size() || layout.at(i).is_ok_and(|at| at < *bound)
                        }
                        _ => false,
                    },
                    _ => false,
                })
            };
            (0..COMPARED).all(|i| inside(a, i) == inside(b, i))
        }
        _ => false,
    }
}

/// Whether a left inverse is right where the layout has offsets: elsewhere two may differ.
pub(crate) fn leads_back(found: &Value, of: &Term) -> bool {
    let Term::Literal(of) = of else { return false };
    let (Some(found), Some(of)) = (any_layout(found), any_layout(of)) else { return false };
    let comes_back = |i: i64| {
        let at = of.at(i)?;
        Ok::<_, layout_algebra::Error>(of.at(found.at(at)?)? == at)
    };
    (0..of.size().min(COMPARED)).all(|i| comes_back(i) == Ok(true))
}

/// How many tiles a shape of these has.
fn product(shape: &Value) -> Option<i64> {
    match shape {
        Value::Int(extent) => Some(*extent),
        Value::Tuple(shape) => shape.product().ok(),
        _ => None,
    }
}

/// A swizzled layout that changes nothing is the layout.
fn simple(value: &Value) -> Value {
    match value {
        Value::Composed(composed) => match composed.clone().simplified() {
            AnyLayout::Plain(layout) => Value::Layout(layout),
            AnyLayout::Composed(composed) => Value::Composed(composed),
        },
        other => other.clone(),
    }
}

/// Whether an operation answers in as few modes as there can be, be it for a tile, a shape or a layout that is one mode,
/// or for what is left of a layout in modes of their own.
fn is_flat(op: Op, args: &[Term]) -> bool {
    use Op::*;
    let is_leaf = |arg: &Term| match arg {
        Term::Literal(Value::Layout(layout)) => matches!(layout.shape(), Tuple::Leaf(_)),
        Term::Literal(Value::Composed(composed)) => {
            matches!(composed.inner.shape(), Tuple::Leaf(_))
        }
        Term::Literal(Value::Int(_)) => true,
        _ => false,
    };
    let opens = matches!(op, TiledDivide | FlatDivide | TiledProduct | FlatProduct);
    let refines = matches!(op, Composition | Reshape | LocalTile) && is_leaf(&args[1]);
    opens
        || refines
        || matches!(
            op,
            Coalesce
                | Complement
                | RightInverse
                | LeftInverse
                | Nullspace
                | Filter
                | MaxCommonLayout
                | DomainDistribute
                | LayoutOf
        )
}

/// The same modes at the top, each of one size.
fn same_modes(a: &Layout, b: &Layout) -> bool {
    let sizes = |layout: &Layout| layout.modes().iter().map(Layout::size).collect::<Vec<_>>();
    sizes(a) == sizes(b)
}

/// Whether two coordinates are one, where a part that one lacks is 0.
fn same_coord(a: &Tuple, b: &Tuple) -> bool {
    let none = Tuple::Leaf(0);
    match (a, b) {
        (Tuple::Leaf(a), Tuple::Leaf(b)) => a == b,
        (Tuple::Leaf(0), Tuple::Node(entries)) | (Tuple::Node(entries), Tuple::Leaf(0)) => {
            entries.iter().all(|entry| same_coord(entry, &none))
        }
        (Tuple::Node(a), Tuple::Node(b)) => (0..a.len().max(b.len()))
            .all(|i| same_coord(a.get(i).unwrap_or(&none), b.get(i).unwrap_or(&none))),
        _ => false,
    }
}

/// Some indices of a layout: the first, the last, and others between.
fn indices(size: i64) -> impl Iterator<Item = i64> {
    let step = (size / COMPARED).max(1);
    let between = (0..COMPARED).map(move |i| i * step + i % step);
    (0..COMPARED).chain(between).chain(size - 20..size).filter(move |i| (0..size).contains(i))
}

fn same_offsets(a: &AnyLayout, i: i64, b: &AnyLayout, j: i64) -> bool {
    a.size() == b.size()
        && indices(a.size()).all(|c| match (a.at(c), b.at(c)) {
            (Ok(x), Ok(y)) => x + i == y + j,
            _ => false,
        })
}
