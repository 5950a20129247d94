//! Extents of tensors: integers, or the values from which the host computes them.
//!
//! A size is followed through the operations that make a tensor, so that none of them has to stay for it. Two that are computed
//! in different ways are equal where their [`normal`] forms are. Emits nothing until a launch requires the value.

mod normal;

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
use normal::Normal;
use num_integer::gcd;

/// How many values and tensors one size may be computed from.
const STEPS: usize = 512;

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
#[derive(Clone, Debug)]
pub(in crate::linalg) enum Extent<'c> {
    Known(i64),
    /// A value of the host.
    Value(ById<'c>),
    /// The size of a tensor's dimension.
    Of(ById<'c>, usize),
    Sum(Vec<Extent<'c>>),
    Product(Vec<Extent<'c>>),
}

impl PartialEq for Extent<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a == b,
            // A size that is always one number is that number.
            (Self::Known(_), _) | (_, Self::Known(_)) => false,
            (Self::Of(a, i), Self::Of(b, j)) => a == b && i == j,
            (Self::Value(a), Self::Value(b)) if a == b => true,
            _ => Normal::are_equal(self, other),
        }
    }
}

impl Eq for Extent<'_> {}

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
        each.map(|(i, known)| match *known {
            Some(known) => Ok(Self::Known(known)),
            None => run_time(tensor, i, &mut { STEPS }).map(Self::folded),
        })
        .collect()
    }

    fn of(tensor: Val<'c>, i: usize, left: &mut usize) -> Result<Self, Reason> {
        match buffer(tensor)?.extents().get(i).copied().flatten() {
            Some(known) => Ok(Self::Known(known)),
            None => run_time(tensor, i, left),
        }
    }

    /// The size that a value of the host is.
    pub(in crate::linalg) fn value(value: Val<'c>) -> Result<Self, Reason> {
        value_at(value, &mut { STEPS }).map(Self::folded)
    }

    /// The number that it always is, such as the offset of a slice that begins where its source does.
    fn folded(self) -> Self {
        let known = match &self {
            Self::Known(_) | Self::Of(..) => None,
            Self::Value(_) | Self::Sum(_) | Self::Product(_) => Normal::constant(&self),
        };
        known.map_or(self, Self::Known)
    }

    pub(in crate::linalg) fn known(&self) -> Option<i64> {
        match self {
            Self::Known(known) => Some(*known),
            _ => None,
        }
    }

    /// Whether the host has all that it is computed from in front of an operation.
    pub(super) fn is_before(&self, operation: OperationRef<'c, 'c>) -> bool {
        match self {
            Self::Known(_) => true,
            Self::Value(value) | Self::Of(value, _) => {
                let Some(made) = tree::definition(value.0) else { return true };
                let mut around = [operation].into_iter().chain(tree::ancestors(operation));
                around.any(|one| tree::comes_before(made, one))
            }
            Self::Sum(all) | Self::Product(all) => all.iter().all(|one| one.is_before(operation)),
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

fn value_at<'c>(value: Val<'c>, left: &mut usize) -> Result<Extent<'c>, Reason> {
    if let Some(known) = tree::constant(value) {
        return Ok(Extent::Known(known));
    }
    let dimension = tree::definition(value).filter(|made| tree::name(*made) == "tensor.dim");
    if let Some(dimension) = dimension
        && let Some(i) = tree::constant(operand(dimension, 1)).and_then(|i| usize::try_from(i).ok())
    {
        return Extent::of(operand(dimension, 0), i, left);
    }
    Ok(Extent::Value(ById(value)))
}

/// A size that the tensor's type does not say.
fn run_time<'c>(mut tensor: Val<'c>, i: usize, left: &mut usize) -> Result<Extent<'c>, Reason> {
    loop {
        *left = left.checked_sub(1).ok_or_else(|| {
            format!("expected sizes that are computed in {STEPS} steps, found more")
        })?;
        if let Some(known) = buffer(tensor)?.extents().get(i).copied().flatten() {
            return Ok(Extent::Known(known));
        }
        let Some(made) = tree::definition(tensor) else { break };
        let name = tree::name(made);
        let nth = |shape: &[Option<i64>]| shape[..i].iter().filter(|n| n.is_none()).count();
        match name.as_str() {
            "tensor.empty" => {
                let place = nth(&buffer(tensor)?.extents());
                return value_at(operand(made, place), left);
            }
            "tensor.expand_shape" => {
                let place = nth(&buffer(tensor)?.extents());
                return value_at(operand(made, 1 + place), left);
            }
            "tensor.cast" => tensor = operand(made, 0),
            "tensor.insert_slice" => tensor = operand(made, 1),
            "tensor.collapse_shape" => {
                let groups = groups_of(made)?;
                let group = groups.get(i).ok_or("expected a group for each dimension")?;
                let source = operand(made, 0);
                let each = group.iter().map(|&j| Extent::of(source, j, left));
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
                return value_at(size, left);
            }
            "tensor.pad" => {
                let (low, high) =
                    (numbers(made, "static_low", 1)?, numbers(made, "static_high", 2)?);
                let own = Extent::of(operand(made, 0), i, left)?;
                let mut side = |all: &[Number<'c>]| match all.get(i) {
                    Some(Number::Known(known)) => Ok(Extent::Known(*known)),
                    Some(Number::Value(value)) => value_at(*value, left),
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
                let each = (0..made.operand_count()).map(|j| Extent::of(operand(made, j), i, left));
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
        // A number may be written that means a dynamic one.
        let value = operation.operand(next).map_err(|error| error.to_string())?;
        next += 1;
        all.push(tree::constant(value).map_or(Number::Value(value), Number::Known));
    }
    Ok(all)
}
