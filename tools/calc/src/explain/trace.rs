//! The steps of an operation without a definition by others, in a few lines of numbers.

use layout_algebra::{Layout, Op, Tuple, Value};

use super::witness;

/// Coordinates that are written out, and leaves that are gone through.
const MAX_SHOWN: i64 = 12;
const LEAVES: usize = 24;

/// Lines about a result; empty if the law says it all.
pub(super) fn of(op: Op, values: &[Value], result: &Value) -> Vec<String> {
    let lines = match (op, values, result) {
        (Op::Composition, [a, b], Value::Layout(_)) => {
            plain(a).zip(plain(b)).map(|(a, b)| composition(&a, &b))
        }
        (Op::Composition, [Value::Composed(_), _], _) => {
            Some(vec!["(outer o offset o L) o B = outer o offset o (L o B)".to_owned()])
        }
        (Op::Coalesce, [a], Value::Layout(result)) => plain(a).map(|a| coalesce(&a, result)),
        (Op::Complement, [a, ..], Value::Layout(result)) => {
            plain(a).map(|a| complement(&a, codomain(values), Some(result)))
        }
        (Op::RightInverse, [a], Value::Layout(result)) => plain(a).map(|a| {
            rows(&[
                ("i", (0..result.size().min(MAX_SHOWN)).map(Some).collect()),
                ("R(i)", offsets(result, result.size())),
                ("L(R(i))", through(&a, result, result.size())),
            ])
        }),
        (Op::LeftInverse, [a], Value::Layout(result)) => plain(a).map(|a| {
            rows(&[
                ("i", (0..a.size().min(MAX_SHOWN)).map(Some).collect()),
                ("L(i)", offsets(&a, a.size())),
                ("R(L(i))", through(result, &a, a.size())),
            ])
        }),
        (Op::Nullspace, [a], Value::Layout(result)) => plain(a).map(|a| {
            rows(&[
                ("i", (0..result.size().min(MAX_SHOWN)).map(Some).collect()),
                ("R(i)", offsets(result, result.size())),
                ("L(R(i))", through(&a, result, result.size())),
            ])
        }),
        (Op::IsInjective | Op::IsBijective, [a], Value::Bool(false)) => plain(a).and_then(|a| {
            witness::twice(&a).or_else(|| witness::left_out(&a)).map(|line| vec![line])
        }),
        (Op::IsSurjective, [a], Value::Bool(false)) => {
            plain(a).and_then(|a| Some(vec![witness::left_out(&a)?]))
        }
        (Op::Upcast | Op::Downcast, [a, _], Value::Layout(result)) => {
            plain(a).map(|a| mode_by_mode(&a, result))
        }
        (Op::Slice | Op::SliceAndOffset, [coord, Value::Layout(layout)], _) => {
            call_slice(coord, layout)
                .map(|offset| vec![format!("the numbers in {coord} lead to offset {offset}")])
        }
        (Op::Size, [a], Value::Int(size)) => plain(a)
            .filter(|a| !a.is_leaf() && a.flat().len() <= LEAVES)
            .map(|a| vec![format!("{} = {size}", extents(&a).join(" * "))]),
        (Op::Cosize, [a], Value::Int(cosize)) => {
            plain(a).filter(|a| a.flat().len() <= LEAVES).map(|a| {
                let terms: Vec<_> = a
                    .flat()
                    .iter()
                    .map(|(extent, stride)| format!("({extent}-1)*{}", stride.unsigned_abs()))
                    .collect();
                vec![format!("1 + {} = {cosize}", terms.join(" + "))]
            })
        }
        (Op::Crd2Idx, [coord, Value::Layout(layout)], Value::Int(index)) => {
            products(coord, layout).map(|sum| vec![format!("{sum} = {index}")])
        }
        _ => None,
    };
    lines.unwrap_or_default()
}

/// A layout, or an extent in its place.
pub(super) fn plain(value: &Value) -> Option<Layout> {
    match value {
        Value::Layout(layout) => Some(layout.clone()),
        Value::Int(extent) => Layout::from_shape(Tuple::Leaf(*extent)).ok(),
        _ => None,
    }
}

/// The codomain of a complement.
pub(super) fn codomain(values: &[Value]) -> Option<Tuple> {
    match values {
        [a] => plain(a).and_then(|a| a.filter().ok()?.cosize().ok()).map(Tuple::Leaf),
        [_, Value::Int(bound)] => Some(Tuple::Leaf(*bound)),
        [_, Value::Tuple(shape)] => Some(shape.clone()),
        [_, Value::Layout(layout)] => Some(layout.shape().clone()),
        _ => None,
    }
}

/// The change of each leaf, for operations that keep the nesting.
fn mode_by_mode(layout: &Layout, result: &Layout) -> Vec<String> {
    let (before, after) = (layout.flat(), result.flat());
    if before.len() > LEAVES || before.len() != after.len() {
        return Vec::new();
    }
    let pairs = before.iter().zip(&after);
    pairs.map(|((n, s), (extent, stride))| format!("{n}:{s} becomes {extent}:{stride}")).collect()
}

/// The offset of what a slice fixes.
fn call_slice(coord: &Value, layout: &Layout) -> Option<i64> {
    let values = [coord.clone(), Value::Layout(layout.clone())];
    match super::call(Op::SliceAndOffset, &values).eval().ok()? {
        Value::List(parts) => match parts.get(1)? {
            Value::Int(offset) => Some(*offset),
            _ => None,
        },
        _ => None,
    }
}

/// Mode by mode, and the first values.
fn composition(a: &Layout, b: &Layout) -> Vec<String> {
    let mut lines = Vec::new();
    let modes = b.modes();
    if modes.len() > 1 && modes.len() <= LEAVES {
        for mode in modes {
            if let Ok(part) = a.composition(&mode) {
                lines.push(format!("A o {mode} = {part}"));
            }
        }
    }
    lines.extend(rows(&[
        ("c", (0..b.size().min(MAX_SHOWN)).map(Some).collect()),
        ("B(c)", offsets(b, b.size())),
        ("A(B(c))", through(a, b, b.size())),
    ]));
    lines
}

/// Which modes went, and which were merged.
fn coalesce(layout: &Layout, result: &Layout) -> Vec<String> {
    let flat = layout.flat();
    if flat.len() > LEAVES {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (extent, stride) in flat {
        if extent == 1 {
            lines.push(format!("1:{stride} goes: its extent is 1"));
            continue;
        }
        match merged.last_mut() {
            Some((before, step)) if before.checked_mul(*step) == Some(stride) => {
                let whole = before.saturating_mul(extent);
                lines.push(format!(
                    "{before}:{step} and {extent}:{stride} are {whole}:{step}: {before}*{step} = \
                     {stride}"
                ));
                *before = whole;
            }
            _ => merged.push((extent, stride)),
        }
    }
    // The steps have to end with the operation's result.
    if merged == result.flat() || merged.is_empty() { lines } else { Vec::new() }
}

/// The gaps below each mode, in the order of strides; where it ends if there is no result.
pub(super) fn complement(
    layout: &Layout,
    codomain: Option<Tuple>,
    result: Option<&Layout>,
) -> Vec<String> {
    let mut modes: Vec<(i64, i64)> =
        layout.flat().into_iter().filter(|&(extent, stride)| extent != 1 && stride != 0).collect();
    let Some(codomain) = codomain.filter(|_| modes.len() <= LEAVES) else { return Vec::new() };
    if modes.iter().any(|&(_, stride)| stride < 0) {
        return Vec::new();
    }
    modes.sort_unstable_by_key(|&(extent, stride)| (stride, extent));
    let shown: Vec<_> = modes.iter().map(|(extent, stride)| format!("{extent}:{stride}")).collect();
    let mut lines = Vec::new();
    if !shown.is_empty() {
        lines.push(format!("L sorted by stride, without modes of stride 0: {}", shown.join(", ")));
    }
    let mut filled = 1_i64;
    let mut gaps = Vec::new();
    for (extent, stride) in modes {
        if stride < filled {
            lines.push(format!(
                "{extent}:{stride} starts before {filled}, where the last mode ends"
            ));
            return if result.is_none() { lines } else { Vec::new() };
        }
        let gap = stride / filled;
        let fills = match (gap, stride % filled) {
            (1, 0) => "leaves no gap below it".to_owned(),
            (1, _) => "leaves a gap below it that no multiple fills".to_owned(),
            (_, 0) => format!("leaves a gap below it that {gap}:{filled} fills"),
            (_, _) => format!("leaves a gap below it that {gap}:{filled} fills in part"),
        };
        let Some(end) = stride.checked_mul(extent) else { return Vec::new() };
        lines.push(format!("{extent}:{stride} {fills}; it ends at {extent}*{stride} = {end}"));
        gaps.push((gap, filled));
        filled = end;
    }
    let Some(result) = result else { return Vec::new() };
    let Ok(times) = codomain.ceil_div(&Tuple::Leaf(filled)) else { return Vec::new() };
    let Ok(count) = times.product() else { return Vec::new() };
    gaps.push((count, filled));
    lines.push(format!(
        "up to {codomain}: {count}:{filled}, as ceil_div({codomain}, {filled}) = {times}"
    ));
    lines.push(format!("coalesced: {result}"));
    // The steps have to end with the operation's result.
    let (shape, stride) = gaps.into_iter().map(|(n, s)| (Tuple::Leaf(n), Tuple::Leaf(s))).unzip();
    let reported =
        Layout::new(Tuple::Node(shape), Tuple::Node(stride)).and_then(|all| all.coalesce());
    if reported.as_ref() == Ok(result) { lines } else { Vec::new() }
}

fn extents(layout: &Layout) -> Vec<String> {
    layout.flat().iter().map(|(extent, _)| extent.to_string()).collect()
}

/// `c0*s0 + c1*s1 + …`, with the coordinate nested like the layout.
fn products(coord: &Value, layout: &Layout) -> Option<String> {
    let call = super::call(Op::Idx2Crd, &[coord.clone(), Value::Layout(layout.clone())]);
    let coord = match call.eval().ok()? {
        Value::Int(index) => Tuple::Leaf(index),
        Value::Tuple(coord) if coord.congruent(layout.shape()) => coord,
        _ => return None,
    };
    let leaves = coord.leaves();
    if leaves.len() > LEAVES {
        return None;
    }
    let terms = leaves.iter().zip(layout.stride().leaves());
    Some(terms.map(|(c, stride)| format!("{c}*{stride}")).collect::<Vec<_>>().join(" + "))
}

/// The first offsets of a layout.
fn offsets(layout: &Layout, size: i64) -> Vec<Option<i64>> {
    (0..size.min(MAX_SHOWN)).map(|i| layout.at(i).ok()).collect()
}

/// The first values of one layout after another.
fn through(outer: &Layout, inner: &Layout, size: i64) -> Vec<Option<i64>> {
    (0..size.min(MAX_SHOWN)).map(|i| outer.at(inner.at(i).ok()?).ok()).collect()
}

/// Named rows of numbers in columns, `…` where there are more than are shown.
pub(super) fn rows(rows: &[(&str, Vec<Option<i64>>)]) -> Vec<String> {
    let texts: Vec<(&str, Vec<String>)> = rows
        .iter()
        .map(|(name, numbers)| {
            let shown = |number: &Option<i64>| number.map_or("?".to_owned(), |n| n.to_string());
            (*name, numbers.iter().map(shown).collect())
        })
        .collect();
    let margin = texts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let columns = texts.iter().map(|(_, row)| row.len()).max().unwrap_or(0);
    let width = |column: usize| {
        texts.iter().filter_map(|(_, row)| row.get(column)).map(String::len).max().unwrap_or(0)
    };
    texts
        .iter()
        .map(|(name, row)| {
            let mut line = format!("{name:<margin$}");
            for (column, text) in row.iter().enumerate() {
                line.push_str(&format!("  {text:>0$}", width(column)));
            }
            if columns as i64 == MAX_SHOWN {
                line.push_str("  ...");
            }
            line
        })
        .collect()
}
