//! The initial values of a contraction's result, and numbers that all elements of a tensor are.

use crate::linalg::{
    Reason,
    contraction::{Contraction, element},
    memory::{effects, is_memref, meets, root},
};
use layout_dialect::{
    build::{Val, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, OperationRef, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};
use mlir_sys::{
    mlirAttributeIsADenseElements, mlirDenseElementsAttrGetSplatValue, mlirDenseElementsAttrIsSplat,
};

/// The initial values to which a contraction adds.
pub(super) enum Start<'c> {
    /// The result's old elements.
    AsItWas,
    /// One number, where that is not 0, and the operation that fills the result with it.
    Number { fill: Option<OperationRef<'c, 'c>>, number: Option<Attribute<'c>> },
}

impl<'c> Start<'c> {
    /// A number everywhere.
    fn of(number: Attribute<'c>, fill: Option<OperationRef<'c, 'c>>) -> Self {
        let is_zero = match FloatAttribute::try_from(number) {
            Ok(float) => float.value() == 0.0,
            Err(_) => IntegerAttribute::try_from(number).is_ok_and(|integer| integer.value() == 0),
        };
        Self::Number { fill, number: (!is_zero).then_some(number) }
    }
}

fn is_fill(operation: OperationRef<'_, '_>) -> bool {
    tree::name(operation) == "linalg.fill" && operation.operand_count() == 2
}

/// The number that a fill fills with, where that is a constant.
fn number<'c>(fill: OperationRef<'c, 'c>) -> Result<Start<'c>, Reason> {
    let made = tree::definition(operand(fill, 0));
    let made = made.filter(|made| tree::name(*made) == "arith.constant");
    let Some(made) = made else { return Ok(Start::AsItWas) };
    let number = made.attribute("value").map_err(|error| error.to_string())?;
    Ok(Start::of(number, Some(fill)))
}

/// The initial value of a contraction's accumulators.
pub(super) fn start<'c>(contraction: &Contraction<'c>, c: Val<'c>) -> Result<Start<'c>, Reason> {
    if !is_memref(c) {
        let made = tree::definition(c);
        return match made.filter(|made| is_fill(*made)) {
            Some(fill) => number(fill),
            None => Ok(splat(c).map_or(Start::AsItWas, |number| Start::of(number, None))),
        };
    }
    let Some(block) = contraction.operation.block() else { return Ok(Start::AsItWas) };
    // SAFETY: the block lives as long as the operation in it.
    let block = unsafe { melior::ir::BlockRef::from_raw(block.to_raw()) };
    let before: Vec<_> = tree::operations(block)
        .into_iter()
        .take_while(|&operation| operation != contraction.operation)
        .collect();
    for operation in before.into_iter().rev() {
        if is_fill(operation) && operand(operation, 1) == c {
            return number(operation);
        }
        match effects(operation) {
            Some((reading, writing)) => {
                if meets(&reading, &[root(c)]) || meets(&writing, &[root(c)]) {
                    break;
                }
            }
            None => break,
        }
    }
    Ok(Start::AsItWas)
}

/// The number that all elements of a tensor are, where that is known.
pub(super) fn splat<'c>(tensor: Val<'c>) -> Option<Attribute<'c>> {
    let made = tree::definition(tensor)?;
    let scalar = match tree::name(made).as_str() {
        "arith.constant" => made,
        "linalg.fill" if made.result_count() == 1 => tree::definition(operand(made, 0))
            .filter(|scalar| tree::name(*scalar) == "arith.constant")?,
        _ => return None,
    };
    let value = scalar.attribute("value").ok()?;
    if scalar != made {
        // A fill converts to the tensor's type.
        let is_same = element(tensor).ok()? == first_result(scalar).r#type();
        return is_same.then_some(value);
    }
    let raw = value.to_raw();
    // SAFETY: the attribute is valid, and holds dense elements that are one where one is read.
    unsafe {
        (mlirAttributeIsADenseElements(raw) && mlirDenseElementsAttrIsSplat(raw))
            .then(|| Attribute::from_raw(mlirDenseElementsAttrGetSplatValue(raw)))
    }
}
