//! The modes of tuples: what the algebra does to layouts, for shapes, strides and coordinates.

use crate::{
    data::{
        conversions::{coord, integer, symbolic_value, tuple_term_value},
        offsets::shape_of,
        term_value::TermValue,
    },
    diagnostics::{
        codes::Code,
        violation::{Violation, both},
    },
    ops::{
        calls::{Arg, Call, Outcome},
        parts::Part,
    },
};
use layout_algebra::{Coord, CoordOf, Expr, Facts, Layout, Op, TilerOf, Tuple, Value};
use std::fmt;

/// Whether an operation on modes takes those of a tuple too.
pub(crate) fn takes_entries(op: Op) -> bool {
    use Op::*;
    matches!(op, Get | Select | Take | Group | Flatten | Append | Prepend | Replace | Zip)
}

/// An operation on the modes of a tuple.
///
/// # Errors
///
/// A mode that is not there; an operand of another kind.
pub(crate) fn access(call: &Call<'_>, op: Op, facts: &Facts) -> Result<TermValue, Violation> {
    let [source, rest @ ..] = call.args.as_slice() else {
        return Err(Violation::new(Code::Operand, "a tuple", "none"));
    };
    if let Value::Tiler(tiler) = symbolic_value(source) {
        return of_tiler(&tiler, op, rest, facts).map_err(|refused| refused.at(call.place(0, &[])));
    }
    let source = call.placed(0, entries_of)?;
    let modes = modes(&source);
    let mode = |number: i64| {
        usize::try_from(number)
            .ok()
            .and_then(|i| modes.get(i))
            .cloned()
            .ok_or_else(|| no_mode(&source, modes.len(), number))
    };
    let result = match (op, rest) {
        (Op::Get, path) => {
            let mut part = source.clone();
            for step in path {
                let number = number(step)?;
                let modes = self::modes(&part);
                let next = usize::try_from(number).ok().and_then(|i| modes.get(i)).cloned();
                part = next.ok_or_else(|| no_mode(&part, modes.len(), number))?;
            }
            part
        }
        (Op::Select, numbers) if !numbers.is_empty() => {
            let (mut selected, mut refused) = (Vec::new(), Vec::new());
            for entry in numbers.iter().map(|term_value| mode(number(term_value)?)) {
                match entry {
                    Ok(entry) => selected.push(entry),
                    Err(violation) => refused.push(violation),
                }
            }
            Violation::all(refused)?;
            CoordOf::Tuple(selected)
        }
        (Op::Take | Op::Group, [begin, end]) => {
            let (begin, end) = (number(begin)?, number(end)?);
            let range = usize::try_from(begin).ok().zip(usize::try_from(end).ok());
            let (begin, end) = range
                .filter(|(begin, end)| begin < end && *end <= modes.len())
                .ok_or_else(|| {
                    Violation::new(
                        Code::ModeRange,
                        format!("a range of modes of {source} that is not empty"),
                        format!("{begin} .. {end}"),
                    )
                })?;
            let part = CoordOf::Tuple(modes[begin..end].to_vec());
            if op == Op::Take {
                part
            } else {
                let mut grouped = modes[..begin].to_vec();
                grouped.push(part);
                grouped.extend_from_slice(&modes[end..]);
                CoordOf::Tuple(grouped)
            }
        }
        (Op::Flatten, []) => match &source {
            CoordOf::Tuple(_) => {
                let mut leaves = Vec::new();
                flatten(&source, &mut leaves);
                CoordOf::Tuple(leaves)
            }
            leaf => leaf.clone(),
        },
        (Op::Append, [_]) => {
            let mut modes = modes.clone();
            modes.push(call.placed(1, entries_of)?);
            CoordOf::Tuple(modes)
        }
        (Op::Prepend, [_]) => {
            let mut modes = modes.clone();
            modes.insert(0, call.placed(1, entries_of)?);
            CoordOf::Tuple(modes)
        }
        (Op::Replace, [at, _]) => {
            let at = number(at)?;
            mode(at)?;
            let mut modes = modes.clone();
            if let Some(slot) = usize::try_from(at).ok().and_then(|i| modes.get_mut(i)) {
                *slot = call.placed(2, entries_of)?;
            }
            match &source {
                CoordOf::Tuple(_) => CoordOf::Tuple(modes),
                _ => modes.remove(0),
            }
        }
        (Op::Zip, [_]) => {
            let other = call.placed(1, entries_of)?;
            let others = self::modes(&other);
            if others.len() != modes.len() {
                let expected = format!("a tuple of the same rank as {source}");
                let place = call.place(1, &[]);
                return Err(Violation::new(Code::Rank, expected, other).at(place));
            }
            let pairs = modes.iter().zip(others).map(|(a, b)| CoordOf::Tuple(vec![a.clone(), b]));
            CoordOf::Tuple(pairs.collect())
        }
        _ => {
            let expected = format!("the modes that layout.{} takes", op.name());
            return Err(Violation::new(Code::Operand, expected, rest.len()));
        }
    };
    entries_term_value(result, facts)
}

/// Some modes of a tuple of tilers.
fn of_tiler(
    source: &TilerOf<Layout<Expr>>,
    op: Op,
    numbers: &[TermValue],
    facts: &Facts,
) -> Result<TermValue, Violation> {
    let mode = |part: &TilerOf<Layout<Expr>>, number: i64| {
        let entries = match part {
            TilerOf::Tuple(entries) => entries.as_slice(),
            leaf => std::slice::from_ref(leaf),
        };
        let entry = usize::try_from(number).ok().and_then(|i| entries.get(i)).cloned();
        entry.ok_or_else(|| no_mode(part, entries.len(), number))
    };
    let part = match op {
        Op::Get => {
            let mut part = source.clone();
            for step in numbers {
                part = mode(&part, number(step)?)?;
            }
            part
        }
        Op::Select if !numbers.is_empty() => {
            let (mut selected, mut refused) = (Vec::new(), Vec::new());
            for entry in numbers.iter().map(|term_value| mode(source, number(term_value)?)) {
                match entry {
                    Ok(entry) => selected.push(entry),
                    Err(violation) => refused.push(violation),
                }
            }
            Violation::all(refused)?;
            TilerOf::Tuple(selected)
        }
        _ => {
            let expected = "an integer or a tuple of integers";
            let found = TermValue::with(Value::Tiler(source.clone()), facts);
            return Err(Violation::new(Code::Kind, expected, found));
        }
    };
    Ok(match part {
        TilerOf::Layout(layout) => TermValue::with(Value::Layout(layout), facts),
        TilerOf::Any => TermValue::Static(Value::Coord(Coord::Any)),
        tuple => TermValue::with(Value::Tiler(tuple), facts),
    })
}

/// The number of a mode, which is known.
fn number(term_value: &TermValue) -> Result<i64, Violation> {
    let number = integer(term_value)?;
    number.as_constant().ok_or_else(|| Violation::new(Code::Static, "a known mode", number))
}

fn no_mode(part: impl fmt::Display, rank: usize, number: i64) -> Violation {
    let last = rank.checked_sub(1).map(|last| format!("{last} is the last mode"));
    Violation::new(Code::Mode, format!("a mode below {rank} of {part}"), number).hint_if(last)
}

/// Modes put behind the others until there are as many as the rank says.
pub(crate) fn append_to_rank(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    to_rank(call, Op::Append, facts)
}

/// Modes put before the others until there are as many as the rank says.
pub(crate) fn prepend_to_rank(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    to_rank(call, Op::Prepend, facts)
}

/// The mode that is put there is the second operand; of layouts `1:0`, if there is none.
fn to_rank(call: &Call<'_>, op: Op, facts: &Facts) -> Result<Outcome, Violation> {
    let source = call.operand(0)?;
    let rank = match call.args.get(1) {
        Some(TermValue::Static(Value::Int(rank))) => *rank,
        _ => return Err(Violation::new(Code::Operand, "the attribute 'rank'", "none")),
    };
    let filler = match call.operands.len() {
        0 | 1 if source.is_layout() => {
            Ok(TermValue::Static(Value::Layout(Layout::new(Tuple::Leaf(1), Tuple::Leaf(0))?)))
        }
        0 | 1 => {
            let expected = "an entry to put there, as in `with %x`";
            Err(Violation::new(Code::Operand, expected, "none"))
        }
        _ => call.operand(1).cloned(),
    };
    let found = match source.is_layout() {
        true => shape_of(source)?.rank(),
        false => modes(&entries_of(source)?).len(),
    };
    let missing = usize::try_from(rank).ok().and_then(|rank| rank.checked_sub(found));
    let missing = missing.filter(|_| rank <= MODE_LIMIT).ok_or_else(|| {
        let expected = format!("a rank from {found}, that of {source}, to {MODE_LIMIT}");
        Violation::new(Code::Rank, expected, rank)
    });
    let (filler, missing) = both(filler, missing)?;
    if source.is_layout() != filler.is_layout() {
        let expected = if source.is_layout() { "a layout" } else { "a tuple or an integer" };
        let place = call.adaptor.place_of(1, Part::Whole);
        return Err(Violation::new(Code::Kind, expected, &filler).at(place));
    }
    let mut result = source.clone();
    for _ in 0..missing {
        let call = call.with([(result, Arg::Operand(0)), (filler.clone(), Arg::Operand(1))]);
        result = match source.is_tuple() {
            true => access(&call, op, facts)?,
            false => call.call(op, &call.args, facts)?,
        };
    }
    Ok(Outcome::Value(result))
}

/// Modes that an operation adds at most.
const MODE_LIMIT: i64 = 64;

/// The entries of a tuple; a leaf is its own.
fn modes(coord: &CoordOf<Expr>) -> Vec<CoordOf<Expr>> {
    match coord {
        CoordOf::Tuple(entries) => entries.clone(),
        leaf => vec![leaf.clone()],
    }
}

fn flatten(coord: &CoordOf<Expr>, leaves: &mut Vec<CoordOf<Expr>>) {
    match coord {
        CoordOf::Tuple(entries) => entries.iter().for_each(|entry| flatten(entry, leaves)),
        leaf => leaves.push(leaf.clone()),
    }
}

/// A value as entries: a coordinate, or a stride with basis elements as symbols.
pub(crate) fn entries_of(term_value: &TermValue) -> Result<CoordOf<Expr>, Violation> {
    match symbolic_value(term_value) {
        Value::Steps(steps) => Ok(CoordOf::<Expr>::from(&layout_algebra::with_units(&steps)?)),
        _ => coord(term_value),
    }
}

/// Entries as a value.
pub(crate) fn entries_term_value(
    entries: CoordOf<Expr>,
    facts: &Facts,
) -> Result<TermValue, Violation> {
    if !has_units(&entries) {
        return Ok(coord_term_value(entries, facts));
    }
    match entries.to_tuple() {
        Some(stride) => {
            let steps = layout_algebra::steps_of(&stride)?;
            Ok(TermValue::with(Value::<Expr>::steps(steps)?, facts))
        }
        None => {
            let expected = "no '_' among multiples of basis elements";
            Err(Violation::new(Code::Kind, expected, entries))
        }
    }
}

fn has_units(entries: &CoordOf<Expr>) -> bool {
    match entries {
        CoordOf::Any => false,
        CoordOf::At(leaf) => layout_algebra::has_units(leaf),
        CoordOf::Tuple(entries) => entries.iter().any(has_units),
    }
}

/// A coordinate as a value: without `_` a tuple.
pub(crate) fn coord_term_value(coord: CoordOf<Expr>, facts: &Facts) -> TermValue {
    match (coord.to_tuple(), coord.to_static()) {
        (Some(tuple), _) => tuple_term_value(tuple, facts),
        (None, Some(coord)) => TermValue::Static(Value::Coord(coord)),
        (None, None) => TermValue::Symbolic { value: Value::Coord(coord), facts: facts.clone() },
    }
}
