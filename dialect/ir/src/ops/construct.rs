//! Operations that make values from integers, take integers out of values, and map coordinates.

use crate::ops::prelude::*;
use crate::{
    data::conversions::{integer, tuple},
    ops::{
        adaptor::{Operand, integer_width, known},
        tuples::entries_term_value,
        views::operand_type,
    },
};
use layout_algebra::{
    Basis, BasisLayout, ComposedCoordinates, ComposedLayout, Fact, Outer, TilerOf, Width,
};

/// A tuple of integers and tuples, or of layouts and `_`.
pub(crate) fn make_tuple(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let pattern = call.adaptor.pattern()?;
    let layouts =
        |operand: &Operand| matches!(operand, Operand::Known(term_value) if term_value.is_layout());
    if call.operands.iter().any(layouts) {
        let mut operands = call.operands.iter();
        let tiler = tiler(&pattern, &mut operands, facts)?;
        return Ok(Outcome::Value(TermValue::with(Value::Tiler(tiler), facts)));
    }
    let (_, entries) = call.entries(0)?;
    Ok(Outcome::Value(entries_term_value(entries, facts)?))
}

fn tiler<'o>(
    pattern: &Pattern,
    operands: &mut impl Iterator<Item = &'o Operand>,
    facts: &Facts,
) -> Result<TilerOf<Layout<Expr>>, Violation> {
    let extent = |extent: &Nested<Expr>| Ok(TilerOf::of_extents(facts, extent)?);
    match pattern {
        Pattern::Any => Ok(TilerOf::Any),
        Pattern::At(value) => extent(&Nested::Leaf(Expr::from(*value))),
        Pattern::Tuple(entries) => Ok(TilerOf::Tuple(
            entries.iter().map(|entry| tiler(entry, operands, facts)).collect::<Result<_, _>>()?,
        )),
        Pattern::Dynamic => match operands.next() {
            Some(Operand::Index { value, .. }) => extent(&Nested::Leaf(value.clone())),
            Some(Operand::Known(term_value)) => match symbolic_value(term_value) {
                Value::Layout(layout) => Ok(TilerOf::Layout(layout)),
                Value::Tiler(tiler) => Ok(tiler),
                _ => extent(&tuple(term_value)?),
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
    let operands: Vec<&TermValue> = operands.into_iter().flatten().collect();
    if operands.iter().all(|operand| operand.is_layout()) {
        let args: Vec<TermValue> = operands.into_iter().cloned().collect();
        return Ok(Outcome::Value(call.call(Op::MakeLayout, &args, facts)?));
    }
    if let [_, stride] = operands.as_slice()
        && let Value::Steps(steps) = symbolic_value(stride)
    {
        let shape = call.of_operand(0, tuple)?;
        imply_extents(&shape, facts);
        let layout = BasisLayout::<Expr>::under(facts, shape, steps)?;
        return Ok(Outcome::Value(TermValue::with(Value::Basis(layout), facts)));
    }
    let (shape, stride) = match operands.as_slice() {
        [_] => (call.of_operand(0, tuple)?, None),
        [_, _] => {
            let (shape, stride) = both(call.of_operand(0, tuple), call.of_operand(1, tuple))?;
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
    let known = (shape.to_static(), stride.as_ref().map(Nested::<Expr>::to_static));
    let layout = match known {
        (Some(shape), None) => TermValue::Static(Value::Layout(Layout::from_shape(shape)?)),
        (Some(shape), Some(Some(stride))) => {
            TermValue::Static(Value::Layout(Layout::new(shape, stride)?))
        }
        _ => {
            imply_extents(&shape, facts);
            let layout = match stride {
                None => Layout::<Expr>::compact(facts, shape)?,
                Some(stride) => Layout::<Expr>::under(facts, shape, stride)?,
            };
            TermValue::with(Value::Layout(layout), facts)
        }
    };
    Ok(Outcome::Value(layout))
}

/// A composed layout: terms and numbers, or the operands after the inner one.
pub(crate) fn make_composed_layout(
    call: &Call<'_>,
    facts: &mut Facts,
) -> Result<Outcome, Violation> {
    let outer_function = |outer: &TermValue| match symbolic_value(outer) {
        Value::Layout(_) | Value::Swizzle(_) | Value::Basis(_) => Ok(outer.clone()),
        other => {
            let expected = "a swizzle, or a plain or a coordinate layout";
            Err(Violation::new(Code::Kind, expected, other))
        }
    };
    let outer = match call.adaptor.optional_term("outer") {
        Ok(Some(outer)) => outer_function(&outer)
            .map_err(|refused| refused.at(call.adaptor.place_of_attribute("outer")))
            .map(|outer| (outer, Arg::Term("outer"))),
        Ok(None) => call.of_operand(1, outer_function).map(|outer| (outer, Arg::Operand(1))),
        Err(refused) => Err(refused),
    };
    let gives_coordinates =
        outer.as_ref().is_ok_and(|(outer, _)| matches!(symbolic_value(outer), Value::Basis(_)));
    let inner = call.of_operand(0, |inner| match symbolic_value(inner) {
        Value::Layout(_) | Value::Basis(_) => Ok(inner.clone()),
        Value::Composed(_) if gives_coordinates => Ok(inner.clone()),
        other => Err(Violation::new(Code::PlainLayout, "a plain layout", other)),
    });
    let (outer, inner) = both(outer, inner)?;
    let last = call.operands.len().saturating_sub(1);
    let offset = match (call.adaptor.optional_integer("offset")?, call.operands.last()) {
        (Some(offset), _) => (Value::Int(offset.into()), Arg::Integer("offset")),
        (None, Some(Operand::Index { value, .. })) => {
            (Value::Int(value.clone()), Arg::Operand(last))
        }
        // A coordinate, where the inner layout is into coordinates.
        (None, Some(Operand::Known(_))) if matches!(symbolic_value(&inner), Value::Basis(_)) => {
            (call.of_operand(last, tuple)?.into(), Arg::Operand(last))
        }
        (None, Some(Operand::Known(_))) => {
            (Value::Int(call.of_operand(last, integer)?), Arg::Operand(last))
        }
        (None, _) => return Err(Violation::new(Code::Operand, "an offset", "none")),
    };
    let offset = (TermValue::with(offset.0, facts), offset.1);
    let parts = call.with([outer, offset, (inner, Arg::Operand(0))]);
    Ok(Outcome::Value(parts.algebra(Op::MakeComposedLayout, facts)?))
}

/// The outer function, the offset and the inner layout of the operand, a composed layout.
fn composed(call: &Call<'_>) -> Result<(Value<Expr>, Expr, Value<Expr>), Violation> {
    call.of_operand(0, |source| match symbolic_value(source) {
        Value::Composed(ComposedLayout { outer, offset, inner }) => {
            let outer = match outer {
                Outer::Layout(layout) => Value::Layout(layout),
                Outer::Swizzle(swizzle) => Value::Swizzle(swizzle),
            };
            Ok((outer, offset, Value::Layout(inner)))
        }
        Value::ComposedBasis(composed) => {
            let ComposedCoordinates { outer, offset, inner } = *composed;
            Ok((Value::Basis(outer), offset, inner.into()))
        }
        _ => Err(Violation::new(Code::Kind, "a composed layout", source)),
    })
}

/// The inner layout of a composed layout.
pub(crate) fn inner(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    Ok(Outcome::Value(TermValue::with(composed(call)?.2, facts)))
}

/// The outer function, applied last.
pub(crate) fn outer(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    Ok(Outcome::Value(TermValue::with(composed(call)?.0, facts)))
}

/// The offset between the two.
pub(crate) fn offset(call: &Call<'_>, _: &mut Facts) -> Result<Outcome, Violation> {
    Ok(Outcome::Numbers(vec![composed(call)?.1]))
}

/// Adds that extents are at least 1, where that is a bound on one symbol: there is no other layout.
fn imply_extents(shape: &Nested<Expr>, facts: &mut Facts) {
    for extent in shape.leaves() {
        if extent.symbols().len() == 1 {
            let mut learned = facts.clone();
            let (greater, less) = (extent.clone(), Expr::from(1));
            let fact = Fact::AtLeast { greater: greater.clone(), less: less.clone() };
            // A type holds facts about symbols, so a relation that is no bound is of no use.
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
    let is_stride = matches!(symbolic_value(source), Value::Steps(_));
    let leaves = if source.is_layout() || is_stride {
        expressions(source)?.1
    } else {
        call.tuple(0)?.leaves().into_iter().cloned().collect()
    };
    Ok(Outcome::Numbers(leaves))
}

/// Where each symbol of `target` comes from when a value of `source` is taken for one: leaf by leaf,
/// the first leaf that is the symbol alone.
///
/// # Errors
///
/// Values of different kinds or nesting; leaves that are known and differ; a symbol that no leaf is
/// alone.
pub fn matched(source: &TermValue, target: &TermValue) -> Result<Vec<Expr>, Violation> {
    let mismatch = || {
        let text = target.to_string();
        let place = parts::of_text("the assumed value", &text, Part::Whole);
        Violation::new(Code::Nesting, format!("a type that nests as {source}"), target).at(place)
    };
    let (from, into) = (expressions(source)?, expressions(target)?);
    if from.0 != into.0 {
        return Err(mismatch());
    }
    let pairs: Vec<_> = from.1.into_iter().zip(into.1).collect();
    let mut refused: Vec<Violation> = Vec::new();
    let text = target.to_string();
    let leaf = |number: usize| parts::of_text("the assumed value", &text, Part::Integer(number));
    for (i, (from, into)) in pairs.iter().enumerate() {
        if let (Some(a), Some(b)) = (from.as_constant(), into.as_constant())
            && a != b
        {
            let expected = format!("{a} as in {source}");
            let violation = Violation::new(Code::AssumeValue, expected, b);
            refused.push(violation.hint(format!("{a} is known")).at(leaf(i)));
        }
    }
    let mut values = Vec::new();
    if let TermValue::Symbolic { facts, .. } = target {
        for (i, symbol) in target.symbols().iter().enumerate() {
            let alone = facts.symbol(symbol.name())?;
            match pairs.iter().find(|(_, into)| *into == alone) {
                Some((from, _)) => values.push(from.clone()),
                None => {
                    let expected = format!("a leaf that is {} alone", symbol.name());
                    let place = parts::of_text("the assumed value", &text, Part::Symbol(i));
                    refused.push(Violation::new(Code::AssumeLeaf, expected, target).at(place));
                }
            }
        }
    }
    Violation::all(refused)?;
    Ok(values)
}

/// The nesting of a value, as text, and its leaves.
fn expressions(term_value: &TermValue) -> Result<(String, Vec<Expr>), Violation> {
    let own = |tuple: &Nested<Expr>| tuple.leaves().into_iter().cloned().collect::<Vec<_>>();
    let of_layout = |layout: &Layout<Expr>| {
        let mut leaves = own(layout.shape());
        leaves.extend(own(layout.stride()));
        (format!("{}:", nesting(layout.shape())), leaves)
    };
    let of_basis = |layout: &BasisLayout<Expr>| {
        let (mut outline, mut leaves) = (nesting(layout.shape()), own(layout.shape()));
        steps_outline(layout.stride(), &mut outline, &mut leaves);
        (outline, leaves)
    };
    let one_after_another =
        |(outer, mut leaves): (String, Vec<Expr>), offset: &Expr, (inner, rest): (String, _)| {
            leaves.push(offset.clone());
            leaves.extend::<Vec<Expr>>(rest);
            (format!("{outer} o . o {inner}"), leaves)
        };
    let of_composed = |ComposedLayout { outer, offset, inner }: &ComposedLayout<Expr>| {
        let outer = match outer {
            Outer::Swizzle(swizzle) => (swizzle.to_string(), Vec::new()),
            Outer::Layout(layout) => of_layout(layout),
        };
        one_after_another(outer, offset, of_layout(inner))
    };
    match symbolic_value(term_value) {
        Value::Layout(layout) => Ok(of_layout(&layout)),
        Value::Composed(composed) => Ok(of_composed(&composed)),
        Value::ComposedBasis(composed) => {
            let inner = match &composed.inner {
                AnyLayout::Plain(layout) => of_layout(layout),
                AnyLayout::Composed(composed) => of_composed(composed),
            };
            Ok(one_after_another(of_basis(&composed.outer), &composed.offset, inner))
        }
        Value::Basis(layout) => Ok(of_basis(&layout)),
        Value::Steps(steps) => {
            let (mut outline, mut leaves) = (nesting(&steps), Vec::new());
            steps_outline(&steps, &mut outline, &mut leaves);
            Ok((outline, leaves))
        }
        Value::Swizzle(swizzle) => Ok((swizzle.to_string(), Vec::new())),
        Value::Coord(coord) => {
            let mut leaves = Vec::new();
            let outline = coord_outline(&coord, &mut leaves);
            Ok((outline, leaves))
        }
        _ => {
            let tuple = tuple(term_value)?;
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
fn steps_outline(steps: &Nested<Basis<Expr>>, outline: &mut String, leaves: &mut Vec<Expr>) {
    match steps {
        Nested::Leaf(Basis { scale, path }) => {
            // A mode that does not move is in no part of a coordinate.
            outline.push_str(&format!(":{path:?}"));
            leaves.push(scale.clone());
        }
        Nested::Node(entries) => {
            entries.iter().for_each(|entry| steps_outline(entry, outline, leaves));
        }
    }
}

fn coord_outline(coord: &CoordOf<Expr>, leaves: &mut Vec<Expr>) -> String {
    match coord {
        CoordOf::Any => "_".to_owned(),
        CoordOf::At(leaf) => {
            leaves.push(leaf.clone());
            ".".to_owned()
        }
        CoordOf::Tuple(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|entry| coord_outline(entry, leaves)).collect();
            format!("({})", entries.join(","))
        }
    }
}

/// One integer for each symbol of the result's type, of its width.
pub(crate) fn verify_make(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    let term_value = result_term_value(operation)?;
    let symbols = term_value.symbols();
    if symbols.len() != operation.operand_count() {
        let expected = format!("{} integers for {term_value}", symbols.len());
        // The first `?` that has none, or all of a layout that has fewer.
        let count = operation.operand_count();
        let part = if count < symbols.len() { Part::Symbol(count) } else { Part::Layout };
        check.refuse(Site::Result(part), Code::MakeOperands, expected, count);
        return Ok(());
    }
    for (i, symbol) in symbols.iter().enumerate() {
        let found = operand_type(operation, i)?;
        if integer_width(found) != Some(symbol.width()) {
            let (expected, would) = match symbol.width() {
                Width::W32 => ("an i32", "i64"),
                Width::W64 => ("an i64 or an index", "i32"),
            };
            let other = if would == "i64" { "?{i64}" } else { "?" };
            let expected = format!("{expected} for {symbol}");
            let refused = Violation::new(Code::MakeWidth, expected, found)
                .hint(format!("{other} takes an {would}"));
            check.refuse_for(Site::Result(Part::Symbol(i)), refused);
        }
    }
    Ok(())
}

/// Tilers have no form at run time.
pub(crate) fn verify_print(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let term_value = known(operand_type(check.operation, 0)?)?;
    if let Some(tiler) = term_value.filter(|value| matches!(symbolic_value(value), Value::Tiler(_)))
    {
        let (at, expected) = (Site::Operand(0, Part::Layout), "a layout or a tuple of integers");
        check.refuse(at, Code::Kind, expected, tiler);
    }
    Ok(())
}

/// The result's type must be one for a value of the operand's.
pub(crate) fn verify_assume(operation: OperationRef<'_, '_>) -> Result<(), Violation> {
    let found = operand_type(operation, 0)?;
    let source =
        known(found)?.ok_or_else(|| Violation::new(Code::Kind, "a layout or a tuple", found))?;
    matched(&source, &result_term_value(operation)?).map(|_| ())
}

fn result_term_value(operation: OperationRef<'_, '_>) -> Result<TermValue, Violation> {
    let result = operation.result(0)?.r#type();
    known(result)?.ok_or_else(|| Violation::new(Code::Kind, "a layout or a tuple", result))
}
