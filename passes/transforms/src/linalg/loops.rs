//! Structured operations, and what their bodies consist of.

use super::{
    Reason, contraction, numbers,
    reshape::{self, parsed},
};
use layout_dialect::{
    affine::{IndexingMap, Linear},
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, Region, Type, TypeLike, ValueLike,
    operation::OperationLike,
};
use std::collections::HashMap;

/// Why an operation does not become loops.
pub(super) enum Stop {
    Left(Reason),
    Failed(melior::Error),
}

impl From<melior::Error> for Stop {
    fn from(error: melior::Error) -> Self {
        Self::Failed(error)
    }
}

pub(super) type Built<T> = Result<T, Stop>;

/// `arith.cmpi`'s predicates.
pub(super) const EQUAL: i64 = 0;
pub(super) const LESS: i64 = 2;
pub(super) const LESS_OR_EQUAL: i64 = 3;

/// The size of a dimension.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size<'c> {
    Known(i64),
    Value(Val<'c>),
}

impl<'c> Size<'c> {
    pub(super) fn known(self) -> Option<i64> {
        match self {
            Self::Known(known) => Some(known),
            Self::Value(value) => tree::constant(value),
        }
    }

    pub(super) fn value(self, b: &Builder<'c>) -> Built<Val<'c>> {
        match self {
            Self::Known(known) => index_constant(b, known),
            Self::Value(value) => Ok(value),
        }
    }
}

/// The coordinate that a loop is.
pub(super) fn along(d: usize) -> Linear {
    Linear { terms: vec![(d, 1)], constant: 0 }
}

/// A coordinate that is the same in all loops.
pub(super) fn at(constant: i64) -> Linear {
    Linear { terms: Vec::new(), constant }
}

/// The coordinates of loops `0..count`.
pub(super) fn identity(count: usize) -> Vec<Linear> {
    (0..count).map(along).collect()
}

/// The extents of a tensor, where they are known.
pub(super) fn extents(tensor: Val<'_>) -> Vec<Option<i64>> {
    reshape::ranked(tensor.r#type()).map(|(_, extents)| extents).unwrap_or_default()
}

/// The type of a tensor's elements.
pub(super) fn element<'c>(tensor: Val<'c>) -> Built<Type<'c>> {
    contraction::element(tensor).map_err(Stop::Left)
}

/// The sizes of a tensor.
pub(super) fn sizes<'c>(b: &Builder<'c>, tensor: Val<'c>) -> Built<Vec<Size<'c>>> {
    extents(tensor).into_iter().enumerate().map(|(d, known)| size(b, tensor, d, known)).collect()
}

fn size<'c>(b: &Builder<'c>, tensor: Val<'c>, d: usize, known: Option<i64>) -> Built<Size<'c>> {
    Ok(match known {
        Some(known) => Size::Known(known),
        None => {
            let place = index_constant(b, i64::try_from(d).unwrap_or(i64::MAX))?;
            Size::Value(b.value("tensor.dim", &[tensor, place], Type::index(b.context()), &[])?)
        }
    })
}

/// Whether an operation of `linalg` yields its first operand's element alone.
pub(super) fn is_copy(operation: OperationRef<'_, '_>) -> bool {
    if !tree::name(operation).starts_with("linalg.") || operation.result_count() != 1 {
        return false;
    }
    let Some(body) = tree::entry(operation) else { return false };
    let [end] = tree::operations(body)[..] else { return false };
    body.argument_count() == 2
        && end.operand_count() == 1
        && tree::key(operand(end, 0)) == tree::key(tree::argument(body, 0))
}

/// A tensor of these sizes without values.
pub(super) fn empty<'c>(b: &Builder<'c>, sizes: &[Size<'c>], element: Type<'c>) -> Built<Val<'c>> {
    let values: Vec<Val<'c>> = sizes
        .iter()
        .filter_map(|size| if let Size::Value(value) = size { Some(*value) } else { None })
        .collect();
    Ok(b.value("tensor.empty", &values, tensor_of(b, sizes, element)?, &[])?)
}

/// The type of a tensor of these sizes.
pub(super) fn tensor_of<'c>(
    b: &Builder<'c>,
    sizes: &[Size<'c>],
    element: Type<'c>,
) -> Built<Type<'c>> {
    let known: Vec<Option<i64>> = sizes
        .iter()
        .map(|size| if let Size::Known(known) = size { Some(*known) } else { None })
        .collect();
    Ok(reshape::tensor(b, &known, element)?)
}

/// A tensor of these sizes whose elements are one number.
pub(super) fn filled<'c>(
    b: &Builder<'c>,
    sizes: &[Size<'c>],
    element: Type<'c>,
    number: Attribute<'c>,
) -> Built<Val<'c>> {
    let value = b.value("arith.constant", &[], element, &[("value", number)])?;
    fill(b, value, empty(b, sizes, element)?)
}

/// A tensor whose elements become one value.
pub(super) fn fill<'c>(b: &Builder<'c>, value: Val<'c>, tensor: Val<'c>) -> Built<Val<'c>> {
    let (region, inner) = b.region_with(&[value.r#type(), element(tensor)?]);
    inner.operation("linalg.yield", &[inner.argument(0)], &[], &[], vec![])?;
    let attributes = [("operandSegmentSizes", parsed(b, "array<i32: 1, 1>")?)];
    let of = tensor.r#type();
    let fill = b.operation("linalg.fill", &[value, tensor], &[of], &attributes, vec![region])?;
    Ok(result(fill, 0))
}

/// A number of a type of elements.
pub(super) fn number<'c>(of: Type<'c>, value: f64) -> Built<Attribute<'c>> {
    numbers::number(of, value).ok_or(Stop::Failed(melior::Error::OperationBuild))
}

/// `linalg.generic` over `count` loops: tensors that are read and tensors that results start from, with the coordinates of each.
/// Loops that no result has are reductions.
pub(super) fn generic<'c>(
    b: &Builder<'c>,
    count: usize,
    inputs: &[(Val<'c>, Vec<Linear>)],
    outputs: &[(Val<'c>, Vec<Linear>)],
    body: impl FnOnce(&Builder<'c>, &[Val<'c>]) -> Built<Vec<Val<'c>>>,
) -> Built<Vec<Val<'c>>> {
    let all = || inputs.iter().chain(outputs);
    let maps: Vec<String> = all()
        .map(|(_, results)| IndexingMap { dimensions: count, results: results.clone() }.to_string())
        .collect();
    let kinds: Vec<&str> = (0..count)
        .map(|d| {
            let is_own = |result: &Linear| result.dimension() == Some(d);
            match outputs.iter().any(|(_, results)| results.iter().any(is_own)) {
                true => "#linalg.iterator_type<parallel>",
                false => "#linalg.iterator_type<reduction>",
            }
        })
        .collect();
    let attributes = [
        ("indexing_maps", parsed(b, &format!("[{}]", maps.join(", ")))?),
        ("iterator_types", parsed(b, &format!("[{}]", kinds.join(", ")))?),
        (
            "operandSegmentSizes",
            parsed(b, &format!("array<i32: {}, {}>", inputs.len(), outputs.len()))?,
        ),
    ];
    let operands: Vec<Val<'c>> = all().map(|(tensor, _)| *tensor).collect();
    let types = operands.iter().map(|tensor| element(*tensor));
    let types = types.collect::<Built<Vec<_>>>()?;
    let (region, inner) = b.region_with(&types);
    let arguments: Vec<Val<'c>> = (0..types.len()).map(|i| inner.argument(i)).collect();
    let values = body(&inner, &arguments)?;
    inner.operation("linalg.yield", &values, &[], &[], vec![])?;
    let results: Vec<Type<'c>> = outputs.iter().map(|(tensor, _)| tensor.r#type()).collect();
    let made = b.operation("linalg.generic", &operands, &results, &attributes, vec![region])?;
    Ok((0..results.len()).map(|i| result(made, i)).collect())
}

/// As [`generic`], with one result.
pub(super) fn one<'c>(
    b: &Builder<'c>,
    count: usize,
    inputs: &[(Val<'c>, Vec<Linear>)],
    output: (Val<'c>, Vec<Linear>),
    body: impl FnOnce(&Builder<'c>, &[Val<'c>]) -> Built<Val<'c>>,
) -> Built<Val<'c>> {
    let made = generic(b, count, inputs, &[output], |b, values| Ok(vec![body(b, values)?]))?;
    made.first().copied().ok_or(Stop::Failed(melior::Error::OperationBuild))
}

/// The variable of a loop, in a body.
pub(super) fn variable<'c>(b: &Builder<'c>, d: usize) -> Built<Val<'c>> {
    let attributes = [("dim", b.i64_attribute(i64::try_from(d).unwrap_or(i64::MAX)))];
    Ok(b.value("linalg.index", &[], Type::index(b.context()), &attributes)?)
}

/// A number of type `index` as an integer of another type, or back.
pub(super) fn cast<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Built<Val<'c>> {
    Ok(match value.r#type() == to {
        true => value,
        false => b.value("arith.index_cast", &[value], to, &[])?,
    })
}

pub(super) fn index_constant<'c>(b: &Builder<'c>, value: i64) -> Built<Val<'c>> {
    Ok(b.constant(Type::index(b.context()), value)?)
}

pub(super) fn compare<'c>(
    b: &Builder<'c>,
    predicate: i64,
    x: Val<'c>,
    y: Val<'c>,
) -> Built<Val<'c>> {
    let name = if x.r#type().is_float() { "arith.cmpf" } else { "arith.cmpi" };
    let attributes = [("predicate", b.i64_attribute(predicate))];
    Ok(b.value(name, &[x, y], b.integer(1), &attributes)?)
}

pub(super) fn select<'c>(
    b: &Builder<'c>,
    condition: Val<'c>,
    x: Val<'c>,
    y: Val<'c>,
) -> Built<Val<'c>> {
    Ok(b.value("arith.select", &[condition, x, y], x.r#type(), &[])?)
}

/// Whether all conditions hold; true without any.
pub(super) fn all_of<'c>(b: &Builder<'c>, conditions: &[Val<'c>]) -> Built<Val<'c>> {
    let mut held = None;
    for &condition in conditions {
        held = Some(match held {
            None => condition,
            Some(held) => b.binary("arith.andi", held, condition)?,
        });
    }
    match held {
        Some(held) => Ok(held),
        None => Ok(b.constant(b.integer(1), 1)?),
    }
}

/// The value that a block gives for these arguments; its operations have no regions.
pub(super) fn inlined<'c>(
    b: &Builder<'c>,
    block: BlockRef<'c, 'c>,
    arguments: &[Val<'c>],
) -> Built<Val<'c>> {
    tree::inlined(b, block, arguments).ok_or(Stop::Failed(melior::Error::OperationBuild))
}

/// A float in a type of at least as many bits, or f64 as f32.
pub(super) fn wide<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Built<Val<'c>> {
    Ok(match value.r#type() == to {
        true => value,
        false if value.r#type().to_string() == "f64" => {
            b.value("arith.truncf", &[value], to, &[])?
        }
        false => b.value("arith.extf", &[value], to, &[])?,
    })
}

/// A float in a type of at most as many bits.
pub(super) fn narrow<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Built<Val<'c>> {
    Ok(match value.r#type() == to {
        true => value,
        false => b.value("arith.truncf", &[value], to, &[])?,
    })
}

/// A copy of an operation's body.
pub(super) fn copied<'c>(
    b: &Builder<'c>,
    from: OperationRef<'c, 'c>,
) -> Result<Region<'c>, melior::Error> {
    let body = tree::entry(from).ok_or(melior::Error::OperationBuild)?;
    let count = body.argument_count();
    let types: Vec<Type<'c>> = (0..count).map(|i| tree::argument(body, i).r#type()).collect();
    let (region, inside) = b.region_with(&types);
    let mut known: HashMap<usize, Val<'c>> =
        (0..count).map(|i| (tree::key(tree::argument(body, i)), inside.argument(i))).collect();
    tree::clone_all(&inside, &tree::operations(body), &mut known);
    Ok(region)
}
