//! `layout-check-casts`: turns extents that a `tensor.cast` states and its source's type does not into assertions, and [those](super::extents) of
//! arguments that an operation requires to be equal.
//!
//! ```text
//! %y = tensor.cast %x : tensor<?x8xf32> to tensor<1x8xf32>   ->   %n = tensor.dim %x, %c0
//!                                                                 %is = arith.cmpi eq, %n, %c1
//!                                                                 cf.assert %is, "expected 1 …"
//!                                                                 %y = tensor.cast %x …
//! ```
//!
//! So is the number of elements of a `tensor.reshape` to known extents.
//!
//! A cast to another extent is undefined in MLIR, and front ends have written such: sequences of any length as ones of length 1. A program
//! checks its assertions before it launches.

use super::extents::Equal;
use layout_dialect::{
    build::{Builder, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike,
    r#type::{DimSize, RankedTensorType, ShapedTypeLike},
};

/// The attribute of such an assertion: where its extent is known later, a program does not check it.
pub(super) const CAST: &str = "layout.cast";

/// `arith.cmpi eq`.
pub(super) const EQUAL: i64 = 0;

/// Asserts what casts in functions below `root` say, and what operations require, but for those in loops and branches.
pub(crate) fn check(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(root, "func.func") {
        let Some(body) = tree::entry(function) else { continue };
        let mut equal = Equal::default();
        for cast in tree::operations(body) {
            let done = match tree::name(cast).as_str() {
                "tensor.cast" => assert(cast),
                "tensor.reshape" => count(cast),
                _ => equal.assert(cast),
            };
            if let Err(error) = done {
                layout_dialect::diagnostics::error(cast, &error.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

fn assert<'c>(cast: OperationRef<'c, 'c>) -> Result<(), melior::Error> {
    let source = operand(cast, 0);
    let of = |r#type: Type<'c>| RankedTensorType::try_from(r#type).ok();
    let both = of(source.r#type()).zip(of(first_result(cast).r#type()));
    let Some((before, after)) = both else { return Ok(()) };
    let b = Builder::before(cast);
    let index = Type::index(b.context());
    for i in 0..before.rank().min(after.rank()) {
        let (DimSize::Dynamic, DimSize::Static(own)) = (before.dim_size(i)?, after.dim_size(i)?)
        else {
            continue;
        };
        let place = b.constant(index, i64::try_from(i).unwrap_or(i64::MAX))?;
        let found = b.value("tensor.dim", &[source, place], index, &[])?;
        let expected = b.constant(index, i64::try_from(own).unwrap_or(i64::MAX))?;
        let attributes = [("predicate", b.i64_attribute(EQUAL))];
        let is_so = b.value("arith.cmpi", &[found, expected], b.integer(1), &attributes)?;
        let message =
            format!("expected {own} as dimension {i} of the result of tensor.cast {after}");
        let attributes = [("msg", b.string(&message)), (CAST, Attribute::unit(b.context()))];
        b.operation("cf.assert", &[is_so], &[], &attributes, vec![])?;
    }
    Ok(())
}

/// Asserts that a reshape to known extents has as many elements as its source.
fn count<'c>(reshape: OperationRef<'c, 'c>) -> Result<(), melior::Error> {
    let source = operand(reshape, 0);
    let of = |r#type: Type<'c>| RankedTensorType::try_from(r#type).ok();
    let both = of(source.r#type()).zip(of(first_result(reshape).r#type()));
    let Some((before, after)) = both else { return Ok(()) };
    let mut expected = 1_i64;
    for i in 0..after.rank() {
        let DimSize::Static(own) = after.dim_size(i)? else { return Ok(()) };
        let own = i64::try_from(own).unwrap_or(i64::MAX);
        let Some(product) = expected.checked_mul(own) else { return Ok(()) };
        expected = product;
    }
    let is_open = |i: usize| matches!(before.dim_size(i), Ok(DimSize::Dynamic));
    if !(0..before.rank()).any(is_open) {
        return Ok(());
    }
    let b = Builder::before(reshape);
    let index = Type::index(b.context());
    let mut found = b.constant(index, 1)?;
    for i in 0..before.rank() {
        let place = b.constant(index, i64::try_from(i).unwrap_or(i64::MAX))?;
        let own = b.value("tensor.dim", &[source, place], index, &[])?;
        found = b.binary("arith.muli", found, own)?;
    }
    let required = b.constant(index, expected)?;
    let attributes = [("predicate", b.i64_attribute(EQUAL))];
    let is_so = b.value("arith.cmpi", &[found, required], b.integer(1), &attributes)?;
    let message = format!("expected {expected} elements in the result of tensor.reshape {after}");
    let attributes = [("msg", b.string(&message)), (CAST, Attribute::unit(b.context()))];
    b.operation("cf.assert", &[is_so], &[], &attributes, vec![])?;
    Ok(())
}
