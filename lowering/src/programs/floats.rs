//! `layout-floats-as-tensors`: floats that host functions on tensors compute are tensors of rank 0, since a program computes integers only.
//!
//! ```text
//! %h = arith.mulf %s, %half : f32      ->   %g = linalg.generic outs(%empty : tensor<f32>) { %h = arith.mulf %s, %half … }
//!                                           %h = tensor.extract %g[] : tensor<f32>
//! %b = arith.cmpf olt, %h, %most : f32 ->   %c = linalg.generic outs(%flag : tensor<i1>) { %b = arith.cmpf olt, %h, %most … }
//!                                           %b = tensor.extract %c[] : tensor<i1>
//! ```
//!
//! Kernels compute them, and a program reads the integers and booleans that come of them. Loops and branches pass tensors on in place of floats.

use layout_dialect::{
    build::{Builder, Val, context_of, first_result, operand, result},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, RegionLike, Type, TypeLike, ValueLike,
    attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute},
    operation::OperationLike,
    r#type::{DimSize, RankedTensorType, ShapedTypeLike},
};

type Built<T> = Result<T, melior::Error>;

/// The floats that tensors may have.
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

/// The operations of a host function whose regions are the host's, too.
const AROUND: [&str; 4] = ["scf.for", "scf.while", "scf.if", "scf.forall"];

/// Rewrites the functions on tensors below `root`.
pub(crate) fn to_tensors(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(root, "func.func") {
        let signature = function.attribute("function_type").map(|own| own.to_string());
        if !signature.is_ok_and(|own| own.contains("tensor<")) {
            continue;
        }
        let mut all = Vec::new();
        tree::visit(function, &mut |found| {
            all.push(found);
            AROUND.contains(&tree::name(found).as_str())
        });
        for found in all {
            let done = match tree::name(found).as_str() {
                "scf.for" | "scf.while" | "scf.if" => pass_on(found),
                "tensor.from_elements" => collect(found),
                _ if computes_floats(found) => compute(found),
                _ => Ok(()),
            };
            if let Err(error) = done {
                layout_dialect::diagnostics::error(found, &error.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

fn is_float(r#type: Type<'_>) -> bool {
    FLOATS.contains(&r#type.to_string().as_str())
}

/// Whether an operation computes a number, of floats or as one, of something that is not constant.
fn computes_floats(found: OperationRef<'_, '_>) -> bool {
    let name = tree::name(found);
    let is_of_numbers = name.starts_with("arith.") || name.starts_with("math.");
    if !is_of_numbers || found.result_count() != 1 || found.regions().next().is_some() {
        return false;
    }
    let operands: Vec<Val<'_>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
    let is_number = |value: &Val<'_>| {
        let r#type = value.r#type();
        is_float(r#type) || r#type.is_integer() || r#type.is_index()
    };
    let all: Vec<Val<'_>> = operands.iter().copied().chain([first_result(found)]).collect();
    let is_constant = |value: &Val<'_>| {
        tree::definition(*value).is_some_and(|made| tree::name(made) == "arith.constant")
    };
    all.iter().all(is_number)
        && all.iter().any(|value| is_float(value.r#type()))
        && !operands.iter().all(is_constant)
}

/// Lets a kernel compute a number.
fn compute<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let b = Builder::before(found);
    let value = first_result(found);
    let operands: Vec<Val<'c>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
    let tensor = generic(&b, value.r#type(), |inner| {
        Ok(first_result(tree::clone_with(inner, found, &operands)))
    })?;
    tree::replace_uses(value, b.value("tensor.extract", &[tensor], value.r#type(), &[])?);
    tree::erase(found);
    Ok(())
}

/// A tensor of one number.
fn generic<'c>(
    b: &Builder<'c>,
    of: Type<'c>,
    body: impl FnOnce(&Builder<'c>) -> Built<Val<'c>>,
) -> Built<Val<'c>> {
    let tensor: Type<'c> = RankedTensorType::new(&[], of, None).into();
    let empty = b.value("tensor.empty", &[], tensor, &[])?;
    let (region, inner) = b.region_with(&[of]);
    let value = body(&inner)?;
    inner.operation("linalg.yield", &[value], &[], &[], vec![])?;
    let parse = |text: &str| {
        Attribute::parse(b.context(), text)
            .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))
    };
    let said = [
        ("indexing_maps", parse("[affine_map<() -> ()>]")?),
        ("iterator_types", parse("[]")?),
        ("operandSegmentSizes", parse("array<i32: 0, 1>")?),
    ];
    let made = b.operation("linalg.generic", &[empty], &[tensor], &said, vec![region])?;
    Ok(first_result(made))
}

/// The tensor of a float: the one that it is an element of, where that has no other.
fn tensor<'c>(b: &Builder<'c>, value: Val<'c>) -> Built<Val<'c>> {
    match tree::definition(value) {
        Some(made) if tree::name(made) == "tensor.extract" && made.operand_count() == 1 => {
            Ok(operand(made, 0))
        }
        _ => generic(b, value.r#type(), |_| Ok(value)),
    }
}

/// Puts floats that make a tensor into it one by one.
fn collect<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let made = first_result(found);
    let values: Vec<Val<'c>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
    if !values.first().is_some_and(|value| is_float(value.r#type())) {
        return Ok(());
    }
    let b = Builder::before(found);
    let r#type = RankedTensorType::try_from(made.r#type())?;
    let mut extents = Vec::with_capacity(r#type.rank());
    for i in 0..r#type.rank() {
        let DimSize::Static(extent) = r#type.dim_size(i)? else { return Ok(()) };
        extents.push(usize::try_from(extent).unwrap_or(1).max(1));
    }
    let mut whole = match values.as_slice() {
        [one] if extents.is_empty() => tensor(&b, *one)?,
        _ => b.value("tensor.empty", &[], made.r#type(), &[])?,
    };
    for (number, &value) in values.iter().enumerate().filter(|_| !extents.is_empty()) {
        let mut rest = number;
        let mut at = vec![0; extents.len()];
        for (place, &extent) in at.iter_mut().zip(&extents).rev() {
            (*place, rest) = (i64::try_from(rest % extent).unwrap_or(0), rest / extent);
        }
        let ones = vec![1; extents.len()];
        let list = |all: &[i64]| DenseI64ArrayAttribute::new(b.context(), all).into();
        let segments = DenseI32ArrayAttribute::new(b.context(), &[1, 1, 0, 0, 0]).into();
        let said = [
            ("static_offsets", list(&at)),
            ("static_sizes", list(&ones)),
            ("static_strides", list(&ones)),
            ("operandSegmentSizes", segments),
        ];
        let own = tensor(&b, value)?;
        whole = b.value("tensor.insert_slice", &[own, whole], made.r#type(), &said)?;
    }
    tree::replace_uses(made, whole);
    tree::erase(found);
    Ok(())
}

/// Lets a loop or a branch pass tensors on in place of floats.
fn pass_on<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let name = tree::name(found);
    let block = |region: usize| -> Option<BlockRef<'c, 'c>> {
        let region = found.region(region).ok()?;
        let block = region.first_block()?;
        // SAFETY: the block stands as long as the operation does.
        Some(unsafe { BlockRef::from_raw(block.to_raw()) })
    };
    let blocks = [block(0), block(1)];
    // The first operand, argument of the first block, operand of its end, and of the second's, that is passed on; none where none is.
    let (initial, arguments, ends) = match name.as_str() {
        "scf.for" => (Some(3), [Some(1), None], [Some(0), None]),
        "scf.while" => (Some(0), [Some(0), Some(0)], [Some(1), Some(0)]),
        _ => (None, [None, None], [Some(0), Some(0)]),
    };
    if let Some(first) = initial {
        let b = Builder::before(found);
        send(&b, found, first)?;
    }
    for (i, block) in blocks.into_iter().enumerate() {
        let Some(block) = block else { continue };
        let operations = tree::operations(block);
        let Some(&end) = operations.last() else { continue };
        if let Some(first) = arguments[i] {
            let b = Builder::at_start(context_of(found), found.location(), block);
            let count = block.argument_count();
            for place in first..count {
                receive(&b, tree::argument(block, place))?;
            }
        }
        if let Some(first) = ends[i] {
            send(&Builder::before(end), end, first)?;
        }
    }
    let next = found.next_in_block().ok_or(melior::Error::OperationBuild)?;
    // SAFETY: the operation stands behind the one that is rewritten.
    let b = Builder::before(unsafe { OperationRef::from_raw(next.to_raw()) });
    for i in 0..found.result_count() {
        receive(&b, result(found, i))?;
    }
    Ok(())
}

/// Gives an operation tensors in place of the floats among its operands from the `first` on.
fn send<'c>(b: &Builder<'c>, to: OperationRef<'c, 'c>, first: usize) -> Built<()> {
    for i in first..to.operand_count() {
        let value = operand(to, i);
        if is_float(value.r#type()) {
            tree::set_operand(to, i, tensor(b, value)?);
        }
    }
    Ok(())
}

/// Makes a float a tensor, whose element its users get.
fn receive<'c>(b: &Builder<'c>, value: Val<'c>) -> Built<()> {
    let of = value.r#type();
    if !is_float(of) {
        return Ok(());
    }
    let r#type: Type<'c> = RankedTensorType::new(&[], of, None).into();
    // Users go to the element first: it is of the value, which has its new type then.
    let place =
        b.operation("builtin.unrealized_conversion_cast", &[value], &[r#type], &[], vec![])?;
    let element = b.value("tensor.extract", &[first_result(place)], of, &[])?;
    tree::replace_uses(value, element);
    tree::set_type(value, r#type);
    tree::replace_uses(first_result(place), value);
    tree::erase(place);
    Ok(())
}
