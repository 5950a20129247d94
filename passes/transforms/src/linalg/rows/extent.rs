//! Extents of tensors: integers, or the values from which the host computes them.
//!
//! A size is followed through the operations that make a tensor, so that none of them has to stay for it. Emits nothing until
//! a launch requires the value.

use super::super::{
    Reason,
    contraction::buffer,
    reshape::{DYNAMIC, groups_of},
};
use layout_dialect::{
    build::{Builder, Val, operand},
    tree,
};
use melior::ir::{
    OperationRef, Type,
    attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute},
    operation::{OperationLike, OperationResult},
};
use num_integer::gcd;

/// How many sizes may be computed from each other.
const DEPTH: usize = 64;

/// A value, compared by identity.
#[derive(Clone, Copy, Debug)]
pub(in crate::linalg) struct ById<'c>(pub(in crate::linalg) Val<'c>);

impl PartialEq for ById<'_> {
    fn eq(&self, other: &Self) -> bool {
        tree::key(self.0) == tree::key(other.0)
    }
}

impl Eq for ById<'_> {}

impl std::hash::Hash for ById<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        tree::key(self.0).hash(state);
    }
}

/// A size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::linalg) enum Extent<'c> {
    Known(i64),
    /// A value of the host.
    Value(ById<'c>),
    /// That of a tensor's dimension.
    Of(ById<'c>, usize),
    Sum(Vec<Extent<'c>>),
    Product(Vec<Extent<'c>>),
}

/// A number in a list of numbers and values.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number<'c> {
    Known(i64),
    Value(Val<'c>),
}

impl<'c> Extent<'c> {
    /// The sizes of a tensor's dimensions.
    pub(in crate::linalg) fn all(tensor: Val<'c>) -> Result<Vec<Self>, Reason> {
        let known = buffer(tensor)?.extents();
        let each = known.iter().enumerate();
        each.map(|(i, known)| known.map_or_else(|| run_time(tensor, i, 0), |n| Ok(Self::Known(n))))
            .collect()
    }

    fn of(tensor: Val<'c>, i: usize, depth: usize) -> Result<Self, Reason> {
        match buffer(tensor)?.extents().get(i).copied().flatten() {
            Some(known) => Ok(Self::Known(known)),
            None => run_time(tensor, i, depth),
        }
    }

    /// That of a value of the host.
    pub(in crate::linalg) fn value(value: Val<'c>) -> Result<Self, Reason> {
        value_at(value, 0)
    }

    pub(in crate::linalg) fn known(&self) -> Option<i64> {
        match self {
            Self::Known(known) => Some(*known),
            _ => None,
        }
    }

    /// A number that divides it; 0 where it is 0.
    pub(super) fn divisor(&self) -> i64 {
        match self {
            Self::Known(known) => *known,
            Self::Value(_) | Self::Of(..) => 1,
            Self::Sum(all) => all.iter().map(Self::divisor).fold(0, gcd),
            Self::Product(all) => {
                let mut each = all.iter().map(Self::divisor);
                each.try_fold(1_i64, |all, one| all.checked_mul(one)).unwrap_or(1)
            }
        }
    }

    /// Computes it on the host.
    pub(in crate::linalg) fn emit(&self, b: &Builder<'c>) -> Result<Val<'c>, melior::Error> {
        let index = Type::index(b.context());
        match self {
            Self::Known(known) => b.constant(index, *known),
            Self::Value(value) => Ok(value.0),
            Self::Of(tensor, i) => {
                let i = b.constant(index, i64::try_from(*i).unwrap_or(i64::MAX))?;
                b.value("tensor.dim", &[tensor.0, i], index, &[])
            }
            Self::Sum(all) => Self::fold(all, b, "arith.addi"),
            Self::Product(all) => Self::fold(all, b, "arith.muli"),
        }
    }

    fn fold(all: &[Self], b: &Builder<'c>, name: &str) -> Result<Val<'c>, melior::Error> {
        let mut values = all.iter().map(|one| one.emit(b));
        let first = values.next().ok_or(melior::Error::OperationBuild)??;
        values.try_fold(first, |sum, next| b.binary(name, sum, next?))
    }

    /// The product of sizes.
    pub(in crate::linalg) fn product(all: Vec<Self>) -> Result<Self, Reason> {
        let mut number = 1_i64;
        let mut rest = Vec::new();
        for one in all {
            match one {
                Self::Known(known) => {
                    number = number.checked_mul(known).ok_or("expected sizes below 2^63")?;
                }
                other => rest.push(other),
            }
        }
        if rest.is_empty() || number == 0 {
            return Ok(Self::Known(number));
        }
        if number != 1 {
            rest.push(Self::Known(number));
        }
        Ok(if rest.len() == 1 { rest.swap_remove(0) } else { Self::Product(rest) })
    }

    fn sum(all: Vec<Self>) -> Result<Self, Reason> {
        let known = all.iter().map(Self::known).try_fold(0_i64, |sum, one| sum.checked_add(one?));
        Ok(known.map_or(Self::Sum(all), Self::Known))
    }
}

fn value_at<'c>(value: Val<'c>, depth: usize) -> Result<Extent<'c>, Reason> {
    if let Some(known) = tree::constant(value) {
        return Ok(Extent::Known(known));
    }
    let dimension = tree::definition(value).filter(|made| tree::name(*made) == "tensor.dim");
    if let Some(dimension) = dimension
        && let Some(i) = tree::constant(operand(dimension, 1)).and_then(|i| usize::try_from(i).ok())
    {
        return Extent::of(operand(dimension, 0), i, depth + 1);
    }
    let known = tree::definition(value).and_then(|made| arithmetic(made, depth));
    Ok(known.map_or(Extent::Value(ById(value)), Extent::Known))
}

/// The number that arithmetic of sizes gives, where they are known or the same: of offsets that a slice need not have.
fn arithmetic(made: OperationRef<'_, '_>, depth: usize) -> Option<i64> {
    let name = tree::name(made);
    if depth > DEPTH || !["arith.subi", "arith.minsi", "arith.maxsi"].contains(&name.as_str()) {
        return None;
    }
    let [a, b] = [0, 1].map(|i| value_at(operand(made, i), depth + 1).ok());
    let (a, b) = (a?, b?);
    match (name.as_str(), a.known(), b.known()) {
        ("arith.subi", _, _) if a == b => Some(0),
        ("arith.subi", Some(a), Some(b)) => a.checked_sub(b),
        ("arith.minsi", Some(a), Some(b)) => Some(a.min(b)),
        ("arith.maxsi", Some(a), Some(b)) => Some(a.max(b)),
        _ => None,
    }
}

/// A size that the tensor's type does not say.
fn run_time<'c>(mut tensor: Val<'c>, i: usize, depth: usize) -> Result<Extent<'c>, Reason> {
    if depth > DEPTH {
        return Err(format!("expected sizes that are computed in {DEPTH} steps, found more"));
    }
    loop {
        if let Some(known) = buffer(tensor)?.extents().get(i).copied().flatten() {
            return Ok(Extent::Known(known));
        }
        let Some(made) = tree::definition(tensor) else { break };
        let name = tree::name(made);
        let nth = |shape: &[Option<i64>]| shape[..i].iter().filter(|n| n.is_none()).count();
        match name.as_str() {
            "tensor.empty" => {
                let place = nth(&buffer(tensor)?.extents());
                return value_at(operand(made, place), depth);
            }
            "tensor.expand_shape" => {
                let place = nth(&buffer(tensor)?.extents());
                return value_at(operand(made, 1 + place), depth);
            }
            "tensor.cast" => tensor = operand(made, 0),
            "tensor.insert_slice" => tensor = operand(made, 1),
            "tensor.collapse_shape" => {
                let groups = groups_of(made)?;
                let group = groups.get(i).ok_or("expected a group for each dimension")?;
                let source = operand(made, 0);
                let each = group.iter().map(|&j| Extent::of(source, j, depth + 1));
                return Extent::product(each.collect::<Result<_, _>>()?);
            }
            "tensor.extract_slice" => {
                // Dimensions that are dropped have a known size.
                let place = nth(&buffer(tensor)?.extents());
                let sizes = numbers(made, "static_sizes", 2)?;
                let mut at_run_time = sizes.into_iter().filter_map(|size| match size {
                    Number::Value(value) => Some(value),
                    Number::Known(_) => None,
                });
                let size = at_run_time.nth(place).ok_or("expected a size for each dimension")?;
                return value_at(size, depth);
            }
            "tensor.pad" => {
                let (low, high) =
                    (numbers(made, "static_low", 1)?, numbers(made, "static_high", 2)?);
                let own = Extent::of(operand(made, 0), i, depth + 1)?;
                let side = |all: &[Number<'c>]| match all.get(i) {
                    Some(Number::Known(known)) => Ok(Extent::Known(*known)),
                    Some(Number::Value(value)) => value_at(*value, depth + 1),
                    None => Err("expected padding of each dimension".to_owned()),
                };
                return Extent::sum(vec![own, side(&low)?, side(&high)?]);
            }
            "tensor.concat" => {
                let along = integer(made, "dim")?;
                if i64::try_from(i) != Ok(along) {
                    tensor = operand(made, 0);
                    continue;
                }
                let each =
                    (0..made.operand_count()).map(|j| Extent::of(operand(made, j), i, depth + 1));
                return Extent::sum(each.collect::<Result<_, _>>()?);
            }
            _ if name.starts_with("linalg.") => tensor = init_of(made, tensor)?,
            _ => break,
        }
    }
    Ok(Extent::Of(ById(tensor), i))
}

/// The operand that a structured operation's result starts from.
pub(super) fn init_of<'c>(made: OperationRef<'c, 'c>, result: Val<'c>) -> Result<Val<'c>, Reason> {
    let number = OperationResult::try_from(result).map_err(|error| error.to_string())?;
    let first = made.operand_count().checked_sub(made.result_count());
    let first = first.ok_or("expected an initial value for each result")?;
    Ok(operand(made, first + number.result_number()))
}

/// An integer attribute.
pub(super) fn integer(operation: OperationRef<'_, '_>, name: &str) -> Result<i64, Reason> {
    let attribute = operation.attribute(name).and_then(IntegerAttribute::try_from);
    Ok(attribute.map_err(|error| error.to_string())?.value())
}

/// A list of numbers, some of which are operands of a segment.
pub(super) fn numbers<'c>(
    operation: OperationRef<'c, 'c>,
    name: &str,
    segment: usize,
) -> Result<Vec<Number<'c>>, Reason> {
    let list = operation.attribute(name).and_then(DenseI64ArrayAttribute::try_from);
    let list = list.map_err(|error| error.to_string())?;
    let sizes =
        operation.attribute("operandSegmentSizes").and_then(DenseI32ArrayAttribute::try_from);
    let sizes = sizes.map_err(|error| error.to_string())?;
    let size = |i| sizes.element(i).ok().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let mut next: usize = (0..segment).map(size).sum();
    let mut all = Vec::with_capacity(list.len());
    for i in 0..list.len() {
        let number = list.element(i).map_err(|error| error.to_string())?;
        if number != DYNAMIC {
            all.push(Number::Known(number));
            continue;
        }
        let value = operand(operation, next);
        next += 1;
        all.push(tree::constant(value).map_or(Number::Value(value), Number::Known));
    }
    Ok(all)
}
