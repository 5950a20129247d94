//! `layout-numbers-as-tensors`: turns scalar arguments of public functions on tensors into tensors of rank 0, since a
//! program passes memory only.
//!
//! ```text
//! func.func @f(%x: tensor<4xf32>, %s: f32)      ->   func.func @f(%x: tensor<4xf32>, %t: tensor<f32>)
//!                                                      %s = tensor.extract %t[] : tensor<f32>
//! ```
//!
//! One of type `index` is a tensor of `i64`.

use layout_dialect::{
    build::{Builder, Val, context_of},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, OperationRef, Type, TypeLike, ValueLike,
    attribute::TypeAttribute,
    operation::OperationLike,
    r#type::{FunctionType, RankedTensorType},
};

/// The types of numbers.
const NUMBERS: [&str; 10] = ["i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64"];

/// Rewrites the functions below `root` that nothing calls.
pub(crate) fn to_tensors(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let called: Vec<String> = tree::inside(root, "func.call")
        .into_iter()
        .filter_map(|call| call.attribute("callee").ok())
        .map(|callee| callee.to_string().trim_start_matches('@').trim_matches('"').to_owned())
        .collect();
    let mut outcome = Ok(());
    for function in tree::inside(root, "func.func") {
        let visibility = function.attribute("sym_visibility").ok().and_then(tree::text);
        let name = tree::symbol(function).unwrap_or_default();
        if visibility.as_deref() == Some("private") || called.contains(&name) {
            continue;
        }
        if let Err(error) = rewrite(function) {
            layout_dialect::diagnostics::error(function, &error.to_string());
            outcome = Err(());
        }
    }
    outcome
}

/// Why a function is no program: a result that is a number.
pub(super) fn result(function: OperationRef<'_, '_>) -> Option<String> {
    let signature = TypeAttribute::try_from(function.attribute("function_type").ok()?).ok()?;
    let signature = FunctionType::try_from(signature.value()).ok()?;
    let mut results =
        (0..signature.result_count()).filter_map(|i| Some((i, signature.result(i).ok()?)));
    let is_number = |(_, of): &(usize, Type<'_>)| NUMBERS.contains(&of.to_string().as_str());
    let (i, found) = results.find(is_number)?;
    Some(format!(
        "expected tensors as results of a program, found {found} as result {i}; use tensor.from_elements for a scalar result"
    ))
}

fn rewrite<'c>(function: OperationRef<'c, 'c>) -> Result<(), melior::Error> {
    let Some(body) = tree::entry(function) else { return Ok(()) };
    let signature = function.attribute("function_type").and_then(TypeAttribute::try_from)?;
    let signature = FunctionType::try_from(signature.value())?;
    let results: Vec<Type<'c>> =
        (0..signature.result_count()).map(|i| signature.result(i)).collect::<Result<_, _>>()?;
    let arguments: Vec<Val<'c>> =
        (0..body.argument_count()).map(|i| tree::argument(body, i)).collect();
    let mut types: Vec<Type<'c>> = arguments.iter().map(ValueLike::r#type).collect();
    let is_tensor = |of: &Type<'c>| RankedTensorType::try_from(*of).is_ok();
    if !types.iter().chain(&results).any(is_tensor) {
        return Ok(());
    }
    let b = Builder::at_start(context_of(function), function.location(), body);
    for (argument, of) in arguments.into_iter().zip(&mut types) {
        if !NUMBERS.contains(&of.to_string().as_str()) {
            continue;
        }
        let number = *of;
        let element = if number.is_index() { b.integer(64) } else { number };
        *of = RankedTensorType::new(&[], element, None).into();
        // Uses go to the element first: it is of the argument, which has its new type then.
        let place =
            b.operation("builtin.unrealized_conversion_cast", &[argument], &[*of], &[], vec![])?;
        let tensor = layout_dialect::build::first_result(place);
        let mut value = b.value("tensor.extract", &[tensor], element, &[])?;
        if element != number {
            value = b.value("arith.index_cast", &[value], number, &[])?;
        }
        tree::replace_uses(argument, value);
        tree::set_type(argument, *of);
        tree::replace_uses(tensor, argument);
        tree::erase(place);
    }
    let signature = FunctionType::new(b.context(), &types, &results);
    let signature: Attribute<'c> = TypeAttribute::new(signature.into()).into();
    tree::set_attribute(function, "function_type", signature);
    Ok(())
}
