//! Operations that make values from integers, take integers out of values, and map coordinates.

use crate::{
    data::{
        conversions::{symbolic_value, tuple},
        coordinate::Pattern,
        datum::Datum,
        offsets::{Offsets, shape_of},
        types::ViewType,
    },
    diagnostics::{
        codes::Code,
        place::{self, Place},
        violation::{Violation, both},
    },
    ops::{
        calls::{Call, Outcome},
        parts::{self, Part},
        subject::Operand,
        tuples::entries_datum,
    },
};
use layout_algebra::{
    Layout, Nested, Op, Value,
    symbolic::{
        self, Expr, Fact, Facts, SymbolicBasis, SymbolicComposed, SymbolicCoord, SymbolicLayout,
        SymbolicOuter, SymbolicSteps, SymbolicTiler, SymbolicTuple, SymbolicValue,
    },
};

/// What is said of a `_` where one element is meant.
pub(crate) const KEEPS: &str = "layout.slice keeps the modes of a '_'";

/// A tuple of integers and tuples, or of layouts and `_`.
pub(crate) fn make_tuple(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let pattern = call.subject.pattern()?;
    let layouts = |operand: &Operand| matches!(operand, Operand::Known(datum) if datum.is_layout());
    if call.operands.iter().any(layouts) {
        let mut operands = call.operands.iter();
        let tiler = tiler(&pattern, &mut operands, facts)?;
        return Ok(Outcome::Value(Datum::with(SymbolicValue::Tiler(tiler), facts)));
    }
    let (_, entries) = call.entries(0)?;
    Ok(Outcome::Value(entries_datum(entries, facts)?))
}

fn tiler<'o>(
    pattern: &Pattern,
    operands: &mut impl Iterator<Item = &'o Operand>,
    facts: &Facts,
) -> Result<SymbolicTiler, Violation> {
    let extent = |extent: &SymbolicTuple| Ok(SymbolicTiler::from_shape(facts, extent)?);
    match pattern {
        Pattern::Any => Ok(SymbolicTiler::Any),
        Pattern::At(value) => extent(&Nested::Leaf(Expr::from(*value))),
        Pattern::Tuple(entries) => Ok(SymbolicTiler::Tuple(
            entries.iter().map(|entry| tiler(entry, operands, facts)).collect::<Result<_, _>>()?,
        )),
        Pattern::Dynamic => match operands.next() {
            Some(Operand::Index { value, .. }) => extent(&Nested::Leaf(value.clone())),
            Some(Operand::Known(datum)) => match symbolic_value(datum) {
                SymbolicValue::Layout(layout) => Ok(SymbolicTiler::Layout(layout)),
                SymbolicValue::Tiler(tiler) => Ok(tiler),
                _ => extent(&tuple(datum)?),
            },
            Some(Operand::Other(found)) => {
                Err(Violation::new(Code::Operand, "an index, a tuple or a layout", found))
            }
            None => Err(Violation::new(Code::CoordOperands, "one operand for each `?`", "fewer")),
        },
    }
}

/// A layout of a shape, of a shape and a stride, or of layouts side by side.
pub(crate) fn make_layout(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let operands = (0..call.operands.len()).map(|i| call.operand(i));
    let (operands, refused): (Vec<_>, Vec<_>) = operands.partition(Result::is_ok);
    Violation::all(refused.into_iter().filter_map(Result::err))?;
    let operands: Vec<&Datum> = operands.into_iter().flatten().collect();
    if operands.iter().all(|operand| operand.is_layout()) {
        let args: Vec<Datum> = operands.into_iter().cloned().collect();
        return Ok(Outcome::Value(call.call(Op::MakeLayout, &args, facts)?));
    }
    if let [shape, stride] = operands.as_slice()
        && let SymbolicValue::Steps(steps) = symbolic_value(stride)
    {
        let shape = tuple(shape)?;
        imply_extents(&shape, facts);
        let layout = SymbolicBasis::new(facts, shape, &steps)?;
        return Ok(Outcome::Value(Datum::with(SymbolicValue::Basis(layout), facts)));
    }
    let (shape, stride) = match operands.as_slice() {
        [shape] => (tuple(shape)?, None),
        [shape, stride] => {
            let (shape, stride) = both(tuple(shape), tuple(stride))?;
            (shape, Some(stride))
        }
        other => {
            let expected = "a shape, a shape and a stride, or layouts";
            return Err(Violation::new(
                Code::Operand,
                expected,
                format!("{} operands", other.len()),
            ));
        }
    };
    let known = (shape.to_static(), stride.as_ref().map(SymbolicTuple::to_static));
    let layout = match known {
        (Some(shape), None) => Datum::Static(Value::Layout(Layout::from_shape(shape)?)),
        (Some(shape), Some(Some(stride))) => {
            Datum::Static(Value::Layout(Layout::new(shape, stride)?))
        }
        _ => {
            imply_extents(&shape, facts);
            let layout = match stride {
                None => SymbolicLayout::compact(facts, shape)?,
                Some(stride) => SymbolicLayout::under(facts, shape, stride)?,
            };
            Datum::with(SymbolicValue::Layout(layout), facts)
        }
    };
    Ok(Outcome::Value(layout))
}

/// A layout behind a swizzle or another layout.
pub(crate) fn make_composed_layout(
    call: &Call<'_>,
    facts: &mut Facts,
) -> Result<Outcome, Violation> {
    let outer = call.subject.optional_term("outer").and_then(|outer| match outer {
        Some(Datum::Static(Value::Swizzle(swizzle))) => Ok(SymbolicOuter::Swizzle(swizzle)),
        Some(Datum::Static(Value::Layout(layout))) => Ok(SymbolicOuter::Layout((&layout).into())),
        Some(other) => Err(Violation::new(Code::Kind, "a swizzle or a plain layout", other)),
        None => Err(Violation::new(Code::Operand, "the attribute 'outer'", "none")),
    });
    let inner = call.operand(0).and_then(|inner| match symbolic_value(inner) {
        SymbolicValue::Layout(layout) => Ok(layout),
        other => Err(Violation::new(Code::PlainLayout, "a plain layout", other)),
    });
    let (outer, inner) = both(outer, inner)?;
    let offset = call.subject.optional_integer("offset")?.unwrap_or(0);
    let composed = SymbolicComposed { outer, offset: offset.into(), inner };
    Ok(Outcome::Value(Datum::with(SymbolicValue::Composed(composed), facts)))
}

/// The operand as a layout behind a swizzle or another layout.
fn composed(call: &Call<'_>) -> Result<SymbolicComposed, Violation> {
    let source = call.operand(0)?;
    match symbolic_value(source) {
        SymbolicValue::Composed(composed) => Ok(composed),
        _ => {
            let expected = "a layout behind a swizzle or another layout";
            Err(Violation::new(Code::Kind, expected, source))
        }
    }
}

/// What is applied first of a layout behind another.
pub(crate) fn inner(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let inner = SymbolicValue::Layout(composed(call)?.inner);
    Ok(Outcome::Value(Datum::with(inner, facts)))
}

/// What is applied last; a swizzle as the layout of one period.
pub(crate) fn outer(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let outer = match composed(call)?.outer {
        SymbolicOuter::Layout(layout) => SymbolicValue::Layout(layout),
        SymbolicOuter::Swizzle(swizzle) => {
            let leaf = |value| Nested::Leaf(Expr::from(value));
            let inner = SymbolicLayout::under(facts, leaf(swizzle.period()), leaf(1))?;
            let outer = SymbolicOuter::Swizzle(swizzle);
            SymbolicValue::Composed(SymbolicComposed { outer, offset: 0.into(), inner })
        }
    };
    Ok(Outcome::Value(Datum::with(outer, facts)))
}

/// What is added between the two.
pub(crate) fn offset(call: &Call<'_>, _: &mut Facts) -> Result<Outcome, Violation> {
    Ok(Outcome::Numbers(vec![composed(call)?.offset]))
}

/// Adds that extents are at least 1, where that is a bound on one symbol: there is no other layout.
fn imply_extents(shape: &SymbolicTuple, facts: &mut Facts) {
    for extent in shape.leaves() {
        if extent.symbols().len() == 1 {
            let mut learned = facts.clone();
            let (greater, less) = (extent.clone(), Expr::from(1));
            let fact = Fact::AtLeast { greater: greater.clone(), less: less.clone() };
            // A type says what is known of symbols, so a relation that is no bound is of no use.
            let mut bounds = Facts::new();
            if learned.learn(&fact).is_ok()
                && learned.symbols().all(|symbol| bounds.insert(symbol.clone()).is_ok())
                && bounds.at_least(&greater, &less).is_yes()
            {
                *facts = bounds;
            }
        }
    }
}

/// Every integer of a layout or a tuple, in the order of its text.
pub(crate) fn leaves(call: &Call<'_>, _: &mut Facts) -> Result<Outcome, Violation> {
    let [source] = call.args.as_slice() else {
        return Err(Violation::new(Code::Operand, "one operand", call.args.len()));
    };
    let is_stride = matches!(symbolic_value(source), SymbolicValue::Steps(_));
    let leaves = if source.is_layout() || is_stride {
        expressions(source)?.1
    } else {
        tuple(source)?.leaves().into_iter().cloned().collect()
    };
    Ok(Outcome::Numbers(leaves))
}

/// The offset of a coordinate.
pub(crate) fn crd2idx(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let layout = call.operand(0)?;
    let (pattern, coord) = call.coordinate(1)?;
    let misfit = pattern.check(&shape_of(layout)?, facts).err();
    let kept = pattern.keeps_a_mode().then(|| {
        let expected = "the coordinate of one element, without '_'";
        let place = pattern.place(Pattern::is_any);
        Violation::new(Code::CoordElement, expected, &pattern).hint(KEEPS).at(place)
    });
    Violation::all(misfit.into_iter().chain(kept))?;
    let coord = coord
        .to_tuple()
        .ok_or_else(|| Violation::new(Code::CoordElement, "a coordinate without `_`", &pattern))?;
    if let basis @ SymbolicValue::Basis(_) = symbolic_value(layout) {
        let args = [SymbolicValue::from(coord), basis];
        return Ok(Outcome::Value(Datum::with(symbolic::call(Op::Crd2Idx, &args, facts)?, facts)));
    }
    Ok(Outcome::Numbers(vec![Offsets::of(layout)?.crd2idx(facts, &coord)?]))
}

/// The greatest value of each index of a coordinate in range, where one is known: by operand.
pub(crate) fn coordinate_bounds(
    pattern: &Pattern,
    shape: &SymbolicTuple,
    facts: &Facts,
) -> Vec<Option<i64>> {
    match (pattern, shape) {
        (Pattern::Dynamic, mode) => vec![greatest_index(mode, facts)],
        (Pattern::Any | Pattern::At(_), _) => Vec::new(),
        (Pattern::Tuple(entries), Nested::Node(modes)) => entries
            .iter()
            .zip(modes)
            .flat_map(|(entry, mode)| coordinate_bounds(entry, mode, facts))
            .collect(),
        (Pattern::Tuple(entries), Nested::Leaf(_)) => {
            entries.iter().flat_map(|entry| vec![None; entry.dynamic_count()]).collect()
        }
    }
}

/// One less than the greatest size that a shape may have.
pub(crate) fn greatest_index(shape: &SymbolicTuple, facts: &Facts) -> Option<i64> {
    let size = shape.product().ok()?;
    i64::try_from(facts.range(&size).hi?).ok()?.checked_sub(1)
}

/// The coordinate of an index: one integer for each leaf of the shape.
pub(crate) fn idx2crd(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let coord = symbolic::idx2crd(facts, divided_index(call)?, &idx2crd_shape(call)?)?;
    Ok(Outcome::Numbers(coord.leaves().into_iter().cloned().collect()))
}

/// The index of an `idx2crd` and the extents that it goes through.
pub(crate) fn divided(call: &Call<'_>) -> Result<(Expr, Vec<Expr>), Violation> {
    let shape = idx2crd_shape(call)?;
    Ok((divided_index(call)?.clone(), shape.leaves().into_iter().cloned().collect()))
}

fn divided_index<'o>(call: &'o Call<'_>) -> Result<&'o Expr, Violation> {
    match call.operands.first() {
        Some(Operand::Index { value, .. }) => Ok(value),
        _ => Err(Violation::new(Code::Operand, "an index", "none")),
    }
}

/// The shape of an `idx2crd`: an attribute or the second operand, a shape or a layout.
pub(crate) fn idx2crd_shape(call: &Call<'_>) -> Result<SymbolicTuple, Violation> {
    let shape = match call.subject.optional_term("shape")? {
        Some(term) => term,
        None => call.operand(1)?.clone(),
    };
    if shape.is_layout() {
        return shape_of(&shape);
    }
    tuple(&shape).map_err(|_| Violation::new(Code::Kind, "a shape or a layout", &shape))
}

/// The modes of a layout that a coordinate keeps.
pub(crate) fn slice(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let source = call.operand(0)?;
    let (pattern, coord) = call.coordinate(1)?;
    let misfit = pattern.check(&shape_of(source)?, facts).err();
    let fixed = (!pattern.keeps_a_mode()).then(|| {
        let hint = "layout.load reads a single element, layout.crd2idx gives its offset";
        Violation::new(Code::CoordSlice, "a coordinate with at least one '_'", &pattern)
            .hint(hint)
            .at(pattern.whole())
    });
    Violation::all(misfit.into_iter().chain(fixed))?;
    kept(call, source, &pattern, &coord, facts)
}

/// The modes of a layout that a coordinate keeps: a pattern, and the same with operands. What is fixed of
/// a layout behind another is added before that, where it is no offset of the result as a whole: of steps
/// by whole periods of a swizzle it is. A view has it in its address.
pub(crate) fn kept(
    call: &Call<'_>,
    source: &Datum,
    pattern: &Pattern,
    coord: &SymbolicCoord,
    facts: &Facts,
) -> Result<Outcome, Violation> {
    let first = call.subject.types.first();
    let is_view = first.is_some_and(|&first| ViewType::from_type(first).is_some());
    if let (false, Ok(layout @ Offsets::Composed(_))) = (is_view, Offsets::of(source)) {
        let [_, within] = layout.around_and_within(facts)?;
        let (inner, _) = symbolic::slice(facts, &at_zero(coord), layout.inner())?;
        let (_, fixed) = symbolic::slice(facts, coord, &within)?;
        let mut kept = layout.with_inner(inner);
        if let SymbolicValue::Composed(composed) = &mut kept {
            composed.offset = composed.offset.plus(&fixed)?;
        }
        return Ok(Outcome::Value(Datum::with(kept, facts)));
    }
    if let Some(layout) = source.any_layout() {
        let kept =
            layout.try_map(|inner| Ok(layout_algebra::slice(&pattern.to_coord(), inner)?.0))?;
        return Ok(Outcome::Value(Datum::Static(layout_value(kept))));
    }
    // What is kept does not depend on where.
    if let Ok(offsets) = Offsets::of(source) {
        let (kept, _) = symbolic::slice(facts, &at_zero(coord), offsets.inner())?;
        return Ok(Outcome::Value(Datum::with(offsets.with_inner(kept), facts)));
    }
    let args = [Datum::with(SymbolicValue::Coord(at_zero(coord)), facts), source.clone()];
    Ok(Outcome::Value(call.call(Op::Slice, &args, facts)?))
}

/// The modes of a layout that a coordinate fixes.
pub(crate) fn dice(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let source = call.operand(0)?;
    let (pattern, coord) = call.coordinate(1)?;
    pattern.check(&shape_of(source)?, facts)?;
    let coord = match source {
        Datum::Static(_) => Datum::Static(Value::Coord(pattern.to_coord())),
        Datum::Symbolic { .. } => Datum::with(SymbolicValue::Coord(at_zero(&coord)), facts),
    };
    Ok(Outcome::Value(call.call(Op::Dice, &[coord, source.clone()], facts)?))
}

fn at_zero(coord: &SymbolicCoord) -> SymbolicCoord {
    match coord {
        SymbolicCoord::Any => SymbolicCoord::Any,
        SymbolicCoord::At(_) => SymbolicCoord::At(Expr::from(0)),
        SymbolicCoord::Tuple(entries) => {
            SymbolicCoord::Tuple(entries.iter().map(at_zero).collect())
        }
    }
}

fn layout_value(layout: layout_algebra::AnyLayout) -> Value {
    match layout {
        layout_algebra::AnyLayout::Plain(layout) => Value::Layout(layout),
        layout_algebra::AnyLayout::Composed(composed) => Value::Composed(composed),
    }
}

/// Where each symbol of `target` comes from when a value of `source` is taken for one: leaf by leaf,
/// the first leaf that is the symbol alone.
///
/// # Errors
///
/// Values of different kinds or nesting; leaves that are known and differ; a symbol that no leaf is
/// alone.
pub fn matched(source: &Datum, target: &Datum) -> Result<Vec<Expr>, Violation> {
    let mismatch = || {
        let text = target.to_string();
        let place = parts::of_text("what it is taken for", &text, Part::Whole);
        Violation::new(Code::Nesting, format!("a type that nests as {source}"), target).at(place)
    };
    let (from, into) = (expressions(source)?, expressions(target)?);
    if from.0 != into.0 {
        return Err(mismatch());
    }
    let pairs: Vec<_> = from.1.into_iter().zip(into.1).collect();
    let mut refused: Vec<Violation> = Vec::new();
    let text = target.to_string();
    let leaf = |number: usize| {
        let span = place::values(&text, 0..text.len()).into_iter().nth(number)?;
        Place::new("what it is taken for", &text, span)
    };
    for (i, (from, into)) in pairs.iter().enumerate() {
        if let (Some(a), Some(b)) = (from.as_constant(), into.as_constant())
            && a != b
        {
            let expected = format!("{a} where {source} has it");
            let violation = Violation::new(Code::AssumeValue, expected, b);
            refused.push(violation.hint(format!("{a} is known")).at(leaf(i)));
        }
    }
    let mut values = Vec::new();
    if let Datum::Symbolic { facts, .. } = target {
        for (i, symbol) in target.symbols().iter().enumerate() {
            let alone = facts.symbol(symbol.name())?;
            match pairs.iter().find(|(_, into)| *into == alone) {
                Some((from, _)) => values.push(from.clone()),
                None => {
                    let expected = format!("a leaf that is {} alone", symbol.name());
                    let place = parts::of_text("what it is taken for", &text, Part::Symbol(i));
                    refused.push(Violation::new(Code::AssumeLeaf, expected, target).at(place));
                }
            }
        }
    }
    Violation::all(refused)?;
    Ok(values)
}

/// What a value nests like, and its leaves.
fn expressions(datum: &Datum) -> Result<(String, Vec<Expr>), Violation> {
    let own = |tuple: &SymbolicTuple| tuple.leaves().into_iter().cloned().collect::<Vec<_>>();
    let of_layout = |layout: &SymbolicLayout| {
        let mut leaves = own(layout.shape());
        leaves.extend(own(layout.stride()));
        (format!("{}:", nesting(layout.shape())), leaves)
    };
    match symbolic_value(datum) {
        SymbolicValue::Layout(layout) => Ok(of_layout(&layout)),
        SymbolicValue::Composed(SymbolicComposed { outer, offset, inner }) => {
            let (outer, mut leaves) = match &outer {
                SymbolicOuter::Swizzle(swizzle) => (swizzle.to_string(), Vec::new()),
                SymbolicOuter::Layout(layout) => of_layout(layout),
            };
            let (inner, rest) = of_layout(&inner);
            leaves.push(offset);
            leaves.extend(rest);
            Ok((format!("{outer} o . o {inner}"), leaves))
        }
        SymbolicValue::Basis(layout) => {
            let (mut outline, mut leaves) = (nesting(layout.shape()), own(layout.shape()));
            steps_outline(&layout.steps(), &mut outline, &mut leaves);
            Ok((outline, leaves))
        }
        SymbolicValue::Steps(steps) => {
            let (mut outline, mut leaves) = (nesting(&steps), Vec::new());
            steps_outline(&steps, &mut outline, &mut leaves);
            Ok((outline, leaves))
        }
        SymbolicValue::Coord(coord) => {
            let mut leaves = Vec::new();
            let outline = coord_outline(&coord, &mut leaves);
            Ok((outline, leaves))
        }
        _ => {
            let tuple = tuple(datum)?;
            Ok((nesting(&tuple), own(&tuple)))
        }
    }
}

fn nesting<T>(tuple: &Nested<T>) -> String {
    match tuple {
        Nested::Leaf(_) => ".".to_owned(),
        Nested::Node(entries) => {
            format!("({})", entries.iter().map(nesting).collect::<Vec<_>>().join(","))
        }
    }
}

/// The basis element of each step, and its multiple.
fn steps_outline(steps: &SymbolicSteps, outline: &mut String, leaves: &mut Vec<Expr>) {
    match steps {
        Nested::Leaf((multiple, path)) => {
            // A mode that does not move is in no part of a coordinate.
            outline.push_str(&format!(":{path:?}"));
            leaves.push(multiple.clone());
        }
        Nested::Node(entries) => {
            entries.iter().for_each(|entry| steps_outline(entry, outline, leaves));
        }
    }
}

fn coord_outline(coord: &SymbolicCoord, leaves: &mut Vec<Expr>) -> String {
    match coord {
        SymbolicCoord::Any => "_".to_owned(),
        SymbolicCoord::At(leaf) => {
            leaves.push(leaf.clone());
            ".".to_owned()
        }
        SymbolicCoord::Tuple(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|entry| coord_outline(entry, leaves)).collect();
            format!("({})", entries.join(","))
        }
    }
}
