//! Operations on the modes of tuples: those of the algebra on layouts, for shapes, strides and coordinates.

use crate::data::conversions::{coord, integer, tuple_term_value};
use crate::ops::prelude::*;
use layout_algebra::{self as algebra, Entries};

/// Whether an operation on modes takes those of a tuple too.
pub(crate) fn takes_entries(op: Op) -> bool {
    use Op::*;
    matches!(op, Get | Select | Take | Group | Flatten | Append | Prepend | Replace | Zip)
}

/// An operation on the modes of a tuple, or of a tuple of tilers.
///
/// # Errors
///
/// A mode that is not there; an operand of another kind.
pub(crate) fn access(call: &Call<'_>, op: Op, facts: &Facts) -> Result<TermValue, Violation> {
    let Some(source) = call.args.first() else {
        return Err(Violation::new(Code::Operand, "a tuple", "none"));
    };
    let inserted = match op {
        Op::Append | Op::Prepend | Op::Zip => Some(1),
        Op::Replace => Some(2),
        _ => None,
    };
    let numbers = call.args.iter().enumerate().skip(1).filter(|(i, _)| Some(*i) != inserted);
    let numbers = numbers.map(|(_, arg)| number(arg)).collect::<Result<Vec<_>, _>>();
    if let (Value::Tiler(tiler), None) = (symbolic_value(source), inserted) {
        let part = entries(op, &tiler, &numbers?, None, None);
        let part = part.map_err(|refused| refused.at(call.place(0, &[])))?;
        return Ok(TermValue::with(part.into(), facts));
    }
    let source = call.placed(0, entries_of)?;
    let numbers = numbers?;
    let other = inserted.map(|place| call.placed(place, entries_of)).transpose()?;
    let place = inserted.and_then(|place| call.place(place, &[]));
    entries_term_value(entries(op, &source, &numbers, other.as_ref(), place)?, facts)
}

/// [`Op::of_entries`], or all modes that are not there.
fn entries<T: Entries>(
    op: Op,
    source: &T,
    numbers: &[i64],
    other: Option<&T>,
    place: Option<Place>,
) -> Result<T, Violation> {
    let refused = match op.of_entries(source, numbers, other) {
        Some(Ok(entries)) => return Ok(entries),
        Some(Err(refused)) => refused,
        None => {
            let expected = format!("the modes that layout.{} takes", op.name());
            return Err(Violation::new(Code::Operand, expected, numbers.len()));
        }
    };
    match (op, refused.cause()) {
        (Op::Select, _) => {
            let each = numbers.iter().filter_map(|&number| {
                op.of_entries(source, &[number], None)?.err().map(|refused| no_mode(&refused))
            });
            Err(Violation::all(each).expect_err("one is refused"))
        }
        (Op::Take | Op::Group, algebra::Error::Operand { found, .. }) => {
            let expected = format!("a range of modes of {source} that is not empty");
            Err(Violation::new(Code::ModeRange, expected, found))
        }
        (_, algebra::Error::Operand { expected, found, .. }) => {
            Err(Violation::new(Code::Rank, expected, found).at(place))
        }
        _ => Err(no_mode(&refused)),
    }
}

/// The number of a mode, which is known.
fn number(term_value: &TermValue) -> Result<i64, Violation> {
    let number = integer(term_value)?;
    number.as_constant().ok_or_else(|| Violation::new(Code::Static, "a known mode", number))
}

/// A mode that a tuple does not have.
fn no_mode(refused: &algebra::Error) -> Violation {
    let algebra::Error::Mode { layout, rank, mode, .. } = refused.cause() else {
        return refused.clone().into();
    };
    let last = rank.checked_sub(1).map(|last| format!("{last} is the last mode"));
    Violation::new(Code::Mode, format!("a mode below {rank} of {layout}"), mode).hint_if(last)
}

/// Modes appended to the others until there are as many as the rank says.
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
        false => entries_of(source)?.entries().len(),
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
