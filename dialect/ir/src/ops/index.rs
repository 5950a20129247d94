//! Coordinates and indices: `crd2idx`, `idx2crd`, `slice` and `dice`.

use crate::ops::prelude::*;
use crate::{
    data::{
        conversions::tuple,
        offsets::{around_and_within, offsets},
        types::{LayoutType, of_all_indices},
    },
    ops::{
        adaptor::{Operand, declared, known},
        calls::{self},
        fold::{constant, integer},
        infer::Source,
        views::{self, operand_type},
    },
};
use layout_algebra::Outer;
use std::borrow::Cow;

/// The error of a `_` where one element is meant.
fn keeps(pattern: &Pattern, place: Option<Place>) -> Violation {
    let expected = "the coordinate of one element, without '_'";
    let refused = Violation::new(Code::CoordElement, expected, pattern);
    refused.hint("layout.slice keeps the modes of a '_'").at(place)
}

/// The layout of which coordinates are mapped; that of all indices for a swizzle.
fn applied(term_value: &TermValue) -> Result<Cow<'_, TermValue>, Violation> {
    Ok(match term_value {
        TermValue::Static(Value::Swizzle(swizzle)) => {
            Cow::Owned(TermValue::Static(of_all_indices(*swizzle)?.into()))
        }
        other => Cow::Borrowed(other),
    })
}

/// The offset of a coordinate.
pub(crate) fn crd2idx(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let layout = &*applied(call.operand(0)?)?;
    let (pattern, coord) = call.coordinate(1)?;
    let misfit = pattern.check(&shape_of(layout)?, facts).err();
    let kept = pattern.keeps_a_mode().then(|| keeps(&pattern, pattern.place(Pattern::is_any)));
    Violation::all(misfit.into_iter().chain(kept))?;
    let coord = coord
        .to_tuple()
        .ok_or_else(|| Violation::new(Code::CoordElement, "a coordinate without `_`", &pattern))?;
    if let basis @ (Value::Basis(_) | Value::ComposedBasis(_)) = symbolic_value(layout) {
        let args = [Value::<Expr>::from(coord), basis];
        return Ok(Outcome::Value(TermValue::with(Op::Crd2Idx.apply_under(facts, &args)?, facts)));
    }
    let offset = match offsets(layout)? {
        AnyLayout::Plain(layout) => layout.crd2idx_under(facts, &coord)?,
        AnyLayout::Composed(composed) => composed.crd2idx_under(facts, &coord)?,
    };
    Ok(Outcome::Numbers(vec![offset]))
}

/// The greatest value of each index of a coordinate in range, where one is known: by operand.
pub(crate) fn coordinate_bounds(
    pattern: &Pattern,
    shape: &Nested<Expr>,
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
pub(crate) fn greatest_index(shape: &Nested<Expr>, facts: &Facts) -> Option<i64> {
    let size = shape.product().ok()?;
    i64::try_from(facts.range(&size).hi?).ok()?.checked_sub(1)
}

/// Whether the first operand is a coordinate layout.
pub(crate) fn is_into_coordinates(adaptor: &Adaptor<'_>) -> bool {
    let layout = adaptor.types.first().and_then(|&r#type| LayoutType::from_type(r#type));
    layout.is_some_and(|layout| layout.interned().is_into_coordinates())
}

/// Checks the coordinate of one element in the view or layout number `source`; its indices follow.
pub(crate) fn check_element(adaptor: &Adaptor<'_>, source: usize) -> Result<(), Violation> {
    let operands = adaptor.operands(true)?;
    let call = Call::new(adaptor, operands);
    let (pattern, _) = call.coordinate(source + 1)?;
    let layout = &*applied(call.operand(source)?)?;
    let facts = declared(&call.operands)?;
    let misfit = pattern.check(&shape_of(layout)?, &facts).err();
    let kept = match pattern.keeps_a_mode() {
        false => None,
        true => {
            // Where it is, or the tuple that brought it.
            let written = adaptor.pattern()?;
            let place = match written == pattern {
                true => pattern.place(Pattern::is_any),
                false => {
                    let brings = |i: &usize| {
                        let operand = call.operand(*i).map(symbolic_value);
                        matches!(operand, Ok(Value::Coord(_)))
                    };
                    let mut tuples = source + 1..call.operands.len();
                    tuples.find(brings).and_then(|i| adaptor.place_of(i, Part::Layout))
                }
            };
            Some(keeps(&pattern, place))
        }
    };
    Violation::all(misfit.into_iter().chain(kept))?;
    if layout.any_layout().is_none() {
        views::element(&call, source)?;
    }
    Ok(())
}

/// The result types of an `idx2crd`.
pub(crate) fn infer_idx2crd<'c>(adaptor: &Adaptor<'c>) -> Result<Vec<Type<'c>>, Violation> {
    let operands = adaptor.operands(true)?;
    let call = Call::new(adaptor, operands);
    Ok(vec![Type::index(adaptor.context); idx2crd_shape(&call)?.leaves().len()])
}

/// The coordinate of a `crd2idx`, in a layout that is known or not.
pub(crate) fn verify_crd2idx(operation: OperationRef<'_, '_>) -> Result<(), Violation> {
    match known(operand_type(operation, 0)?)? {
        // An expression of a swizzled offset has a quotient for each bit, and a lowering one exclusive or.
        Some(TermValue::Symbolic { value: Value::Composed(composed), .. })
            if matches!(composed.outer, Outer::Swizzle(_)) =>
        {
            point(operation, 0)
        }
        Some(TermValue::Static(Value::Swizzle(_))) => point(operation, 0),
        Some(term_value) if term_value.any_layout().is_none() => {
            calls::answer("crd2idx", operation)
        }
        _ => point(operation, 0),
    }
}

/// The coordinate of one element, in the operand number `source`; its indices follow.
pub(crate) fn point(operation: OperationRef<'_, '_>, source: usize) -> Result<(), Violation> {
    check_element(&Adaptor::of(operation), source)
}

/// The offset of a coordinate that is known.
pub(crate) fn fold_crd2idx<'c>(
    operation: OperationRef<'c, '_>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<Attribute<'c>>> {
    let source = Source::of(operation.operand(0).ok()?.r#type()).ok()?;
    let values = constants.iter().skip(1).map(|constant| integer((*constant)?));
    let values: Vec<i64> = values.collect::<Option<_>>()?;
    let coordinate = ops::pattern(operation).ok()?.to_tuple(&mut values.into_iter())?;
    let offset = source.layout.crd2idx(&coordinate).ok()?;
    Some(vec![constant(operation, offset)])
}

/// The coordinate of an index that is known.
pub(crate) fn fold_idx2crd<'c>(
    operation: OperationRef<'c, '_>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<Attribute<'c>>> {
    let value = integer((*constants.first()?)?)?;
    let shape = ops::idx2crd_shape(operation).ok()?;
    let coordinate = shape.idx2crd(value).ok()?;
    Some(coordinate.leaves().into_iter().map(|leaf| constant(operation, leaf)).collect())
}

/// The coordinate of an index: one integer for each leaf of the shape.
pub(crate) fn idx2crd(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let coord = idx2crd_shape(call)?.idx2crd_under(facts, divided_index(call)?)?;
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
pub(crate) fn idx2crd_shape(call: &Call<'_>) -> Result<Nested<Expr>, Violation> {
    let shape = match call.adaptor.optional_term("shape")? {
        Some(term) => term,
        None => call.operand(1)?.clone(),
    };
    if shape.is_layout() {
        return shape_of(&shape);
    }
    let place = || match call.adaptor.place_of_attribute("shape") {
        None => call.adaptor.place_of(1, Part::Layout),
        place => place,
    };
    tuple(&shape).map_err(|_| Violation::new(Code::Kind, "a shape or a layout", &shape).at(place()))
}

/// The modes of a layout that a coordinate keeps, or the entries of a tuple.
pub(crate) fn slice(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let source = call.operand(0)?;
    let (pattern, coord) = call.coordinate(1)?;
    if source.is_tuple() {
        return parts_of(call, Op::Slice, source, &coord, facts);
    }
    pattern.check(&shape_of(source)?, facts)?;
    kept(call, source, &pattern, &coord, facts)
}

/// The modes of a layout that a coordinate keeps: a pattern, and the same with operands. The fixed part of
/// a composed layout is added before that, where it is no offset of the result as a whole: of steps
/// by whole periods of a swizzle it is. A view has it in its address.
pub(crate) fn kept(
    call: &Call<'_>,
    source: &TermValue,
    pattern: &Pattern,
    coord: &CoordOf<Expr>,
    facts: &Facts,
) -> Result<Outcome, Violation> {
    let first = call.adaptor.types.first();
    let is_view = first.is_some_and(|&first| ViewType::from_type(first).is_some());
    let inner =
        |layout: &Layout<Expr>| Ok::<_, Violation>(layout.slice_under(facts, &at_zero(coord))?.0);
    if let (false, Ok(layout @ AnyLayout::Composed(_))) = (is_view, offsets(source)) {
        let [_, within] = around_and_within(&layout, facts)?;
        let mut kept = layout.try_map(inner)?;
        let (_, fixed) = within.slice_under(facts, coord)?;
        if let AnyLayout::Composed(composed) = &mut kept {
            composed.offset = composed.offset.plus(&fixed)?;
        }
        return Ok(Outcome::Value(TermValue::with(kept.into(), facts)));
    }
    if let Some(layout) = source.any_layout() {
        let kept =
            layout.try_map(|inner| inner.slice(&pattern.to_coord()).map(|(kept, _)| kept))?;
        return Ok(Outcome::Value(TermValue::Static(kept.into())));
    }
    // The modes that are kept do not depend on the fixed coordinates.
    if let Ok(layout) = offsets(source) {
        return Ok(Outcome::Value(TermValue::with(layout.try_map(inner)?.into(), facts)));
    }
    if let Value::ComposedBasis(_) = symbolic_value(source) {
        // The offset of what is fixed stays inside.
        let args = [TermValue::with(Value::Coord(coord.clone()), facts), source.clone()];
        return Ok(Outcome::Value(call.call(Op::Slice, &args, facts)?));
    }
    parts_of(call, Op::Slice, source, coord, facts)
}

/// The modes of a layout, or the entries of a tuple, that a coordinate fixes.
pub(crate) fn dice(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let source = call.operand(0)?;
    let (pattern, coord) = call.coordinate(1)?;
    if !source.is_tuple() {
        pattern.check(&shape_of(source)?, facts)?;
    }
    parts_of(call, Op::Dice, source, &coord, facts)
}

/// The parts of a value that a coordinate chooses, which does not depend on where it fixes the others.
fn parts_of(
    call: &Call<'_>,
    op: Op,
    source: &TermValue,
    coord: &CoordOf<Expr>,
    facts: &Facts,
) -> Result<Outcome, Violation> {
    let args = [TermValue::with(Value::Coord(at_zero(coord)), facts), source.clone()];
    Ok(Outcome::Value(call.call(op, &args, facts)?))
}

fn at_zero(coord: &CoordOf<Expr>) -> CoordOf<Expr> {
    match coord {
        CoordOf::Any => CoordOf::Any,
        CoordOf::At(_) => CoordOf::At(Expr::from(0)),
        CoordOf::Tuple(entries) => CoordOf::Tuple(entries.iter().map(at_zero).collect()),
    }
}
