//! Lets `tensor.pad` that takes elements away be a slice, and a pad of what is left: upstream's loops know no negative padding.

use crate::programs::floats::DYNAMIC;
use layout_dialect::{
    build::{Builder, operand},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike,
    attribute::DenseI64ArrayAttribute,
    operation::OperationLike,
    r#type::{DimSize, RankedTensorType, ShapedTypeLike},
};

/// Rewrites those below `root` whose negative padding is known.
///
/// # Errors
///
/// MLIR's error for an operation that it refuses.
pub(super) fn run(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    for pad in tree::inside(root, "tensor.pad") {
        let list = |name: &str| -> Option<Vec<i64>> {
            let all = DenseI64ArrayAttribute::try_from(pad.attribute(name).ok()?).ok()?;
            (0..all.len()).map(|i| all.element(i).ok()).collect()
        };
        let Some(sides) = list("static_low").zip(list("static_high")) else { continue };
        let takes = |all: &[i64]| all.iter().any(|&one| one < 0 && one != DYNAMIC);
        if takes(&sides.0) || takes(&sides.1) {
            slice(pad, sides)?;
        }
    }
    Ok(())
}

fn slice<'c>(
    pad: OperationRef<'c, 'c>,
    (low, high): (Vec<i64>, Vec<i64>),
) -> Result<(), melior::Error> {
    let b = Builder::before(pad);
    let source = operand(pad, 0);
    let own = RankedTensorType::try_from(source.r#type())?;
    let taken = |one: i64| if one == DYNAMIC { 0 } else { one.min(0).saturating_neg() };
    let offsets: Vec<i64> = low.iter().map(|&one| taken(one)).collect();
    let (mut sizes, mut operands, mut extents) = (Vec::new(), vec![source], String::new());
    for (d, (&low, &high)) in low.iter().zip(&high).enumerate() {
        let less = taken(low).saturating_add(taken(high));
        match own.dim_size(d)? {
            DimSize::Static(extent) => {
                let size = i64::try_from(extent).unwrap_or(i64::MAX).saturating_sub(less);
                if size < 0 {
                    return Ok(());
                }
                sizes.push(size);
                extents.push_str(&format!("{size}x"));
            }
            _ => {
                let index = Type::index(b.context());
                let d = b.constant(index, i64::try_from(d).unwrap_or(0))?;
                let whole = b.value("tensor.dim", &[source, d], index, &[])?;
                operands.push(b.binary("arith.subi", whole, b.constant(index, less)?)?);
                sizes.push(DYNAMIC);
                extents.push_str("?x");
            }
        }
    }
    let refused = || melior::Error::OperationBuild;
    let kind = format!("tensor<{extents}{}>", own.element());
    let kind = Type::parse(b.context(), &kind).ok_or_else(refused)?;
    let list = |all: &[i64]| DenseI64ArrayAttribute::new(b.context(), all).into();
    let segments = format!("array<i32: 1, 0, {}, 0>", operands.len() - 1);
    let attributes = [
        ("static_offsets", list(&offsets)),
        ("static_sizes", list(&sizes)),
        ("static_strides", list(&vec![1; sizes.len()])),
        ("operandSegmentSizes", Attribute::parse(b.context(), &segments).ok_or_else(refused)?),
    ];
    let left = b.value("tensor.extract_slice", &operands, kind, &attributes)?;
    tree::set_operand(pad, 0, left);
    let positive = |all: &[i64]| -> Vec<i64> {
        all.iter().map(|&one| if one == DYNAMIC { one } else { one.max(0) }).collect()
    };
    tree::set_attribute(pad, "static_low", list(&positive(&low)));
    tree::set_attribute(pad, "static_high", list(&positive(&high)));
    Ok(())
}
