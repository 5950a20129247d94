//! Canonical forms of operations that take a coordinate: static integers move from operands into the coordinate, and a
//! load from an identity tensor becomes the offset of its coordinate.

use crate::ops::prelude::*;
use crate::{
    ops::{
        adaptor::{self},
        fold::integer,
        infer,
        verify::verify,
    },
    pass::build::{context_of, result},
};
use layout_algebra::{Coord, Term};
use melior::ir::{
    Identifier, Location, Operation,
    attribute::{DictionaryAttribute, StringAttribute},
};

type Val<'c> = melior::ir::Value<'c, 'c>;

/// The most operations that are followed from a counting view to one of its elements.
const MAX_CHAIN: usize = 64;

/// Takes the place of an operation that is not in canonical form: each step is passed to `insert`, in order,
/// and the last one is what does the same. Nothing of operations that stay.
pub(crate) fn simplify<'c>(
    operation: OperationRef<'c, 'c>,
    insert: &mut dyn FnMut(Operation<'c>) -> OperationRef<'c, 'c>,
) -> Option<OperationRef<'c, 'c>> {
    match inlined(operation) {
        Some(operation) => Some(insert(operation)),
        None => counted(operation, insert),
    }
}

/// The number of the operand that a coordinate is one of, and those of the coordinate follow.
fn source(name: &str) -> Option<usize> {
    match name {
        "layout.crd2idx" | "layout.slice" | "layout.dice" | "layout.load" => Some(0),
        "layout.atomic" | "layout.store" => Some(1),
        _ => None,
    }
}

/// The operation with its known operands in the coordinate's text.
fn inlined<'c>(operation: OperationRef<'c, 'c>) -> Option<Operation<'c>> {
    let name = tree::name(operation);
    let source = source(&name)?;
    let count = operation.operand_count();
    if count == source + 1 {
        return None;
    }
    let pattern = ops::pattern(operation).ok()?;
    let known: Vec<Option<Pattern>> =
        (source + 1..count).map(|at| entry(operand(operation, at))).collect();
    if known.iter().all(Option::is_none) || known.len() != pattern.dynamic_count() {
        return None;
    }
    let mut operands: Vec<Val<'c>> = (0..=source).map(|at| operand(operation, at)).collect();
    let open = known.iter().zip(source + 1..).filter(|(known, _)| known.is_none());
    operands.extend(open.map(|(_, at)| operand(operation, at)));
    let pattern = filled(pattern, &mut known.into_iter());

    // An integer that is out of range belongs to code that does not run; the text may have none.
    let term_value = adaptor::known(operands[source].r#type()).ok()??;
    let facts = match &term_value {
        TermValue::Static(_) => Default::default(),
        TermValue::Symbolic { facts, .. } => facts.clone(),
    };
    pattern.check(&shape_of(&term_value).ok()?, &facts).ok()?;

    let context = context_of(operation);
    let coord: Attribute<'c> = StringAttribute::new(context, &pattern.to_string()).into();
    let attributes: Vec<(Identifier<'c>, Attribute<'c>)> = (0..operation.attribute_count())
        .filter_map(|at| operation.attribute_at(at).ok())
        .map(|(name, attribute)| {
            let is_coord = name.as_string_ref().as_str() == Ok("coord");
            (name, if is_coord { coord } else { attribute })
        })
        .collect();
    let results: Vec<Type<'c>> =
        (0..operation.result_count()).map(|at| result(operation, at).r#type()).collect();
    // The static part of a coordinate may be part of a result's type.
    if let Some(short) = name.strip_prefix("layout.")
        && !results.is_empty()
    {
        let adaptor = Adaptor::unmade(
            context,
            &operands,
            DictionaryAttribute::new(context, &attributes).into(),
        );
        let inferred = infer::infer(short, &adaptor).ok()?;
        if inferred != results {
            return None;
        }
    }
    let made = ops::new(name.strip_prefix("layout.")?, operation.location());
    let made = made.operands(&operands).results(&results);
    let named = attributes.iter().map(|(name, attribute)| (name.as_string_ref(), *attribute));
    let made = named.fold(made, |made, (name, attribute)| {
        made.attribute(name.as_str().unwrap_or_default(), attribute)
    });
    let made = made.build().ok()?;
    // An offset past 64 bits belongs to code that does not run, too.
    // SAFETY: the operation lives until the end of this function at least.
    let held = unsafe { OperationRef::from_raw(made.to_raw()) };
    verify(name.strip_prefix("layout.")?, held).is_empty().then_some(made)
}

/// The constant of a coordinate's operand, if it is known.
fn entry(value: Val<'_>) -> Option<Pattern> {
    match adaptor::known(value.r#type()).ok()? {
        Some(TermValue::Static(known)) => of_value(&known),
        Some(TermValue::Symbolic { .. }) => None,
        None => tree::constant(value).map(Pattern::At),
    }
}

fn of_value(value: &Value) -> Option<Pattern> {
    match value {
        Value::Int(value) => Some(Pattern::At(*value)),
        Value::Tuple(tuple) => Some(of_coord(&Coord::from(tuple))),
        Value::Coord(coord) => Some(of_coord(coord)),
        _ => None,
    }
}

fn of_coord(coord: &Coord) -> Pattern {
    match coord {
        Coord::Any => Pattern::Any,
        Coord::At(value) => Pattern::At(*value),
        Coord::Tuple(entries) => Pattern::Tuple(entries.iter().map(of_coord).collect()),
    }
}

/// A pattern with what is known in the places of its operands.
fn filled(pattern: Pattern, known: &mut impl Iterator<Item = Option<Pattern>>) -> Pattern {
    match pattern {
        Pattern::Dynamic => known.next().flatten().unwrap_or(Pattern::Dynamic),
        Pattern::Tuple(entries) => {
            Pattern::Tuple(entries.into_iter().map(|entry| filled(entry, known)).collect())
        }
        other => other,
    }
}

/// An element of a view that counts: the offset of its coordinate.
fn counted<'c>(
    operation: OperationRef<'c, 'c>,
    insert: &mut dyn FnMut(Operation<'c>) -> OperationRef<'c, 'c>,
) -> Option<OperationRef<'c, 'c>> {
    if tree::name(operation) != "layout.load" {
        return None;
    }
    let view = operand(operation, 0);
    let r#type = ViewType::from_type(view.r#type())?;
    if r#type.space() != Space::Coordinate {
        return None;
    }
    let identity = tree::definition(view)?;
    if tree::name(identity) != "layout.identity_tensor" {
        return None;
    }
    let (context, location): (_, Location<'c>) = (context_of(operation), operation.location());
    let layout = match identity.operand_count() {
        0 => {
            let term = Term::layout(r#type.layout().ok()?);
            first_result(insert(ops::new("constant", location).term("term", &term).build().ok()?))
        }
        _ => operand(identity, 0),
    };
    let mut operands = vec![layout];
    operands.extend((1..operation.operand_count()).map(|at| operand(operation, at)));
    let coord = operation.attribute("coord").ok()?;
    let offset = ops::new("crd2idx", location)
        .operands(&operands)
        .attribute("coord", coord)
        .results(&[Type::index(context)]);
    Some(insert(offset.build().ok()?))
}

/// The element of a counting view at a coordinate that is known: where the view is a part of one, all
/// coordinates on the way to it are known too.
pub(crate) fn counted_value(
    operation: OperationRef<'_, '_>,
    constants: &[Option<Attribute<'_>>],
) -> Option<i64> {
    let view = ViewType::from_type(operation.operand(0).ok()?.r#type())?;
    if view.space() != Space::Coordinate {
        return None;
    }
    let AnyLayout::Plain(layout) = view.layout().ok()? else { return None };
    let values = constants.iter().skip(1).map(|constant| integer((*constant)?));
    let values = values.collect::<Option<Vec<i64>>>()?;
    let coord: Tuple = ops::pattern(operation).ok()?.to_tuple(&mut values.into_iter())?;
    let mut offset = layout.crd2idx(&coord).ok()?;
    let mut value = operand(operation, 0);
    for _ in 0..MAX_CHAIN {
        let step = tree::definition(value)?;
        match tree::name(step).as_str() {
            "layout.identity_tensor" => return Some(offset),
            "layout.slice" => offset = offset.checked_add(fixed(step)?)?,
            name if is_rearrangement(name) => {}
            _ => return None,
        }
        value = operand(step, 0);
    }
    None
}

/// The offset that a slice with a known coordinate starts at.
fn fixed(slice: OperationRef<'_, '_>) -> Option<i64> {
    let view = ViewType::from_type(operand(slice, 0).r#type())?;
    let AnyLayout::Plain(layout) = view.layout().ok()? else { return None };
    let known: Vec<Option<Pattern>> =
        (1..slice.operand_count()).map(|at| entry(operand(slice, at))).collect();
    let pattern = filled(ops::pattern(slice).ok()?, &mut known.into_iter());
    // An unknown entry would count as 0.
    if pattern.dynamic_count() > 0 {
        return None;
    }
    Some(layout.slice(&pattern.to_coord()).ok()?.1)
}

/// Whether the first element of a view stays where it is.
fn is_rearrangement(name: &str) -> bool {
    matches!(
        name,
        "layout.composition"
            | "layout.coalesce"
            | "layout.flatten"
            | "layout.group"
            | "layout.select"
            | "layout.take"
            | "layout.get"
            | "layout.logical_divide"
            | "layout.zipped_divide"
            | "layout.tiled_divide"
            | "layout.flat_divide"
    )
}
