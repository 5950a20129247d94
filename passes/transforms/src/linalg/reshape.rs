//! `tensor.reshape`, whose shape is a tensor of integers, as reshapes of dimensions that belong together.
//!
//! ```text
//! %shape = tensor.from_elements %b, %s, %c4, %c16
//! tensor.reshape %x(%shape) : tensor<?x?x64xf32>   ->   tensor.expand_shape %x [[0], [1], [2, 3]] output_shape [%b, %s, 4, 16]
//! ```
//!
//! Sizes that are known at run time come from ONNX and PyTorch in this form. Dimensions at the start and at the end whose sizes are
//! the source's stay; those between are collapsed to one, and expanded.

use super::{Reason, rows::extent::Extent};
use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, TypeLike, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};
use mlir_sys::{
    mlirRankedTensorTypeGetEncoding, mlirShapedTypeGetDimSize, mlirShapedTypeGetElementType,
    mlirShapedTypeGetRank, mlirShapedTypeIsDynamicDim, mlirTypeIsARankedTensor,
};

/// The mark of a number that is an operand, in lists of numbers.
pub(super) const DYNAMIC: i64 = i64::MIN;

/// Rewrites each `tensor.reshape` below `root` whose shape is made of its elements.
///
/// # Errors
///
/// MLIR's error for an operation that it refuses.
pub(super) fn run(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    for division in tree::inside(root, "arith.divsi") {
        if let Some(size) = undone(division) {
            tree::replace_uses(result(division, 0), size);
        }
    }
    for reshape in tree::inside(root, "tensor.reshape") {
        let Some(plan) = Plan::of(reshape) else { continue };
        let made = plan.emit(reshape)?;
        tree::replace_uses(result(reshape, 0), made);
        let shape = tree::definition(operand(reshape, 1));
        tree::erase(reshape);
        shape.filter(|shape| tree::user(*shape).is_none()).into_iter().for_each(tree::erase);
    }
    Ok(())
}

/// `x` of `x * c / c`, where `x` is the size of a dimension: products of sizes fit 64 bits, or no memory has them.
fn undone<'c>(division: OperationRef<'c, 'c>) -> Option<Val<'c>> {
    let divisor = tree::constant(operand(division, 1)).filter(|divisor| *divisor > 0)?;
    let product = tree::definition(operand(division, 0))?;
    let factor =
        (tree::name(product) == "arith.muli").then(|| tree::constant(operand(product, 1)))??;
    let size = operand(product, 0);
    let is_size = tree::definition(size).is_some_and(|made| tree::name(made) == "tensor.dim");
    (factor == divisor && is_size).then_some(size)
}

/// A dimension of the result: its size, where the type says it, and the value that has it.
struct Dimension<'c> {
    known: Option<i64>,
    value: Val<'c>,
}

/// Which dimensions stay, and what the others become.
struct Plan<'c> {
    element: Type<'c>,
    source: Vec<Option<i64>>,
    shape: Vec<Dimension<'c>>,
    /// Dimensions at the start that stay.
    first: usize,
    /// Dimensions at the end that stay.
    last: usize,
}

impl<'c> Plan<'c> {
    fn of(reshape: OperationRef<'c, 'c>) -> Option<Self> {
        let (tensor, shape) = (operand(reshape, 0), operand(reshape, 1));
        let (element, source) = ranked(tensor.r#type())?;
        let (_, known) = ranked(result(reshape, 0).r#type())?;
        let shape =
            tree::definition(shape).filter(|made| tree::name(*made) == "tensor.from_elements")?;
        let (from, to) = (source.len(), known.len());
        if shape.operand_count() != to || from == 0 || to == 0 {
            return None;
        }
        let values = (0..to).map(|i| index_of(operand(shape, i)));
        let shape: Vec<Dimension<'c>> = known
            .into_iter()
            .zip(values)
            .map(|(known, value)| Dimension { known, value })
            .collect();
        let extents = Extent::all(tensor).ok()?;
        let alike = |i: usize, j: usize| {
            let own = match shape[j].known {
                Some(known) => Some(Extent::Known(known)),
                None => Extent::value(shape[j].value).ok(),
            };
            own.as_ref() == Some(&extents[i]) && source[i] == shape[j].known
        };
        // One dimension at least is left on each side, so that a size of 1 has a group to be in.
        let most = from.min(to) - 1;
        let first = (0..most).take_while(|&i| alike(i, i)).count();
        let shared_last = (1..=most - first).take_while(|&i| alike(from - i, to - i));
        let last = shared_last.count();
        Some(Self { element, source, shape, first, last })
    }

    fn emit(&self, reshape: OperationRef<'c, 'c>) -> Result<Val<'c>, melior::Error> {
        let b = Builder::before(reshape);
        let (from, to) = (self.source.len(), self.shape.len());
        let (own, expanded_range) = (self.first..from - self.last, self.first..to - self.last);
        let mut value = operand(reshape, 0);
        let one = |size: Option<i64>| {
            let mut sizes = self.source.clone();
            sizes.splice(own.clone(), [size]);
            tensor(&b, &sizes, self.element)
        };
        let collapsed = product(self.source[own.clone()].iter().copied());
        if own.len() > 1 {
            let groups = groups(self.first, own.len(), self.last);
            value = collapse(&b, value, &groups, one(collapsed)?)?;
        }
        let expanded = product(self.shape[expanded_range.clone()].iter().map(|own| own.known));
        if collapsed != expanded {
            value = b.value("tensor.cast", &[value], one(expanded)?, &[])?;
        }
        if expanded_range.len() > 1 {
            let groups = groups(self.first, expanded_range.len(), self.last);
            let (mut operands, mut sizes) = (vec![value], Vec::with_capacity(to));
            for own in &self.shape {
                if own.known.is_none() {
                    operands.push(index(&b, own.value)?);
                }
                sizes.push(own.known.unwrap_or(DYNAMIC));
            }
            value = expand(&b, &operands, &groups, &sizes, result(reshape, 0).r#type())?;
        }
        Ok(value)
    }
}

/// A tensor of these sizes; those that are none are known at run time.
pub(super) fn tensor<'c>(
    b: &Builder<'c>,
    sizes: &[Option<i64>],
    element: Type<'c>,
) -> Result<Type<'c>, melior::Error> {
    let size = |size: &Option<i64>| size.map_or("?x".to_owned(), |size| format!("{size}x"));
    let sizes: String = sizes.iter().map(size).collect();
    Type::parse(b.context(), &format!("tensor<{sizes}{element}>"))
        .ok_or(melior::Error::OperationBuild)
}

/// `tensor.collapse_shape`.
pub(super) fn collapse<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    groups: &[Vec<usize>],
    shape: Type<'c>,
) -> Result<Val<'c>, melior::Error> {
    let attributes = [("reassociation", reassociation(b, groups)?)];
    b.value("tensor.collapse_shape", &[value], shape, &attributes)
}

/// `tensor.expand_shape` of the first operand; the others are the sizes that are known at run time.
pub(super) fn expand<'c>(
    b: &Builder<'c>,
    operands: &[Val<'c>],
    groups: &[Vec<usize>],
    sizes: &[i64],
    shape: Type<'c>,
) -> Result<Val<'c>, melior::Error> {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    let sizes = match sizes.is_empty() {
        true => "array<i64>".to_owned(),
        false => format!("array<i64: {}>", sizes.join(", ")),
    };
    let attributes =
        [("reassociation", reassociation(b, groups)?), ("static_output_shape", parsed(b, &sizes)?)];
    b.value("tensor.expand_shape", operands, shape, &attributes)
}

/// For each dimension of what `tensor.expand_shape` makes, the value that is its size, where that is known at run time.
pub(super) fn output_sizes<'c>(expand: OperationRef<'c, 'c>) -> Vec<Option<Val<'c>>> {
    let Some((_, extents)) = ranked(result(expand, 0).r#type()) else { return Vec::new() };
    let mut own = (1..expand.operand_count()).map(|i| operand(expand, i));
    extents.iter().map(|extent| if extent.is_none() { own.next() } else { None }).collect()
}

/// The product of sizes, or `None` if a size is known at run time only, or the product is too large.
pub(super) fn product(mut all: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    all.try_fold(1_i64, |product, size| product.checked_mul(size?))
}

/// The element type and the sizes of a tensor with a rank and without an encoding.
pub(super) fn ranked(tensor: Type<'_>) -> Option<(Type<'_>, Vec<Option<i64>>)> {
    let raw = tensor.to_raw();
    // SAFETY: the kind of type is checked first.
    unsafe {
        if !mlirTypeIsARankedTensor(raw) || !mlirRankedTensorTypeGetEncoding(raw).ptr.is_null() {
            return None;
        }
        let size =
            |i| (!mlirShapedTypeIsDynamicDim(raw, i)).then(|| mlirShapedTypeGetDimSize(raw, i));
        let sizes = (0..mlirShapedTypeGetRank(raw) as isize).map(size).collect();
        Some((Type::from_raw(mlirShapedTypeGetElementType(raw)), sizes))
    }
}

/// The `index` that an integer was, where it was one.
fn index_of(value: Val<'_>) -> Val<'_> {
    match tree::definition(value) {
        Some(made) if tree::name(made) == "arith.index_cast" && !is_index(value) => {
            operand(made, 0)
        }
        _ => value,
    }
}

fn is_index(value: Val<'_>) -> bool {
    value.r#type().is_index()
}

fn index<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, melior::Error> {
    match is_index(value) {
        true => Ok(value),
        false => b.value("arith.index_cast", &[value], Type::index(b.context()), &[]),
    }
}

/// Whether an operation gives its operand another shape.
pub(super) fn is_reshape(operation: OperationRef<'_, '_>) -> bool {
    let names = ["tensor.cast", "tensor.collapse_shape", "tensor.expand_shape"];
    names.contains(&tree::name(operation).as_str())
}

/// The groups of dimensions that a reshape makes one, or one of which it makes several.
pub(super) fn groups_of(operation: OperationRef<'_, '_>) -> Result<Vec<Vec<usize>>, Reason> {
    let refused = || "expected a reshape with groups of dimensions".to_owned();
    let all = operation.attribute("reassociation").map_err(|_| refused())?;
    let number = |attribute: Attribute<'_>| {
        usize::try_from(IntegerAttribute::try_from(attribute).ok()?.value()).ok()
    };
    let group = |attribute| tree::elements(attribute)?.into_iter().map(number).collect();
    let groups = tree::elements(all).ok_or_else(refused)?.into_iter().map(group);
    groups.collect::<Option<_>>().ok_or_else(refused)
}

/// Groups of dimensions where `count` in the middle belong together.
fn groups(first: usize, count: usize, last: usize) -> Vec<Vec<usize>> {
    let alone = |all: std::ops::Range<usize>| all.map(|i| vec![i]);
    let end = first + count;
    alone(0..first).chain([(first..end).collect()]).chain(alone(end..end + last)).collect()
}

fn reassociation<'c>(
    b: &Builder<'c>,
    groups: &[Vec<usize>],
) -> Result<Attribute<'c>, melior::Error> {
    parsed(b, &format!("{groups:?}"))
}

pub(super) fn parsed<'c>(b: &Builder<'c>, text: &str) -> Result<Attribute<'c>, melior::Error> {
    Attribute::parse(b.context(), text).ok_or(melior::Error::OperationBuild)
}
