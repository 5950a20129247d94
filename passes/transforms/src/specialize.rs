//! `layout-specialize`: a function on tensors for the extents of one call.
//!
//! ```text
//! layout-specialize{function=relu shapes=3x64}
//!
//! func.func @relu(%x: tensor<?x64xf32>) -> tensor<?x64xf32>   ->   func.func @relu(%x: tensor<3x64xf32>) -> tensor<3x64xf32>
//! ```
//!
//! Arguments take the extents, a cast passes them to the body, and canonicalisation carries them through it to the results. The
//! other functions become private: what the function does not call goes away.

use layout_dialect::{
    build::{Builder, Val, context_of, first_result, operand},
    diagnostics,
    passes::{PassOption, PassRun},
    tree,
};
use melior::ir::{
    BlockLike, OperationRef, Type, TypeLike, ValueLike,
    attribute::{StringAttribute, TypeAttribute},
    block::BlockArgument,
    operation::OperationLike,
    r#type::{FunctionType, RankedTensorType, ShapedTypeLike},
};
use mlir_sys::{mlirOperationSetOperand, mlirShapedTypeGetDimSize, mlirShapedTypeGetDynamicSize};

pub(crate) const NAME: &str = "layout-specialize";

pub(crate) const OPTIONS: &[PassOption] = &[
    PassOption { name: "function", description: "The function's name", initial: "" },
    PassOption {
        name: "shapes",
        description: "The shape of each argument, as 3x64,?x8,_: ? keeps an extent dynamic, and _ an argument unchanged",
        initial: "",
    },
];

/// The passes that carry static extents from arguments to results.
const PROPAGATE: &str =
    "inline,canonicalize,layout-decompose-extensions,canonicalize,cse,canonicalize,symbol-dce";

/// The cast of tensors.
const CAST: &str = "tensor.cast";

/// Gives the arguments of a function the extents of the option `shapes`, and its results those that follow.
///
/// # Errors
///
/// A diagnostic for a function that is not there, and for shapes that are not those of its arguments.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let refused = |at: OperationRef<'_, '_>, message: &str| {
        diagnostics::error(at, &format!("{NAME}: {message}"));
    };
    let (name, shapes) = (pass.option("function"), pass.option("shapes"));
    let Some(function) = find(root, &name) else {
        let message =
            format!("expected a function with a body as the option 'function', found '{name}'");
        refused(root, &message);
        return Err(());
    };
    let types = argument_types(function, &shapes).map_err(|message| refused(function, &message))?;
    for (index, own) in types.into_iter().enumerate() {
        if let Some(own) = own {
            specialize(function, index, own).map_err(|error| {
                refused(function, &format!("cannot cast argument {index}: {error}"));
            })?;
        }
    }
    update_type(function);
    let context = context_of(root);
    let private = StringAttribute::new(context, "private").into();
    for other in tree::inside(root, "func.func") {
        if other != function && tree::entry(other).is_some() {
            tree::set_attribute(other, "sym_visibility", private);
        }
    }
    pass.run_pipeline(PROPAGATE, root)?;
    let Some(function) = find(root, &name) else { return Ok(()) };
    return_static(function);
    update_type(function);
    pass.run_pipeline("canonicalize", root)
}

/// The function of a name, if it has a body.
fn find<'c>(root: OperationRef<'c, '_>, name: &str) -> Option<OperationRef<'c, 'c>> {
    tree::inside(root, "func.func").into_iter().find(|function| {
        tree::symbol(*function).is_some_and(|own| own == name) && tree::entry(*function).is_some()
    })
}

/// The type of each argument that changes, from the text of the option.
fn argument_types<'c>(
    function: OperationRef<'c, 'c>,
    shapes: &str,
) -> Result<Vec<Option<Type<'c>>>, String> {
    let Some(entry) = tree::entry(function) else { return Ok(Vec::new()) };
    let shapes: Vec<&str> = shapes.split(',').filter(|shape| !shape.is_empty()).collect();
    if shapes.len() != entry.argument_count() {
        return Err(format!(
            "expected a shape for each of {} arguments as the option 'shapes', found {}",
            entry.argument_count(),
            shapes.len()
        ));
    }
    let one = |(index, shape): (usize, &&str)| match *shape {
        "_" => Ok(None),
        shape => {
            let own = tree::argument(entry, index).r#type();
            with_extents(own, shape).map(Some).map_err(|(expected, found)| {
                format!("argument {index}: expected {expected}, found {found}")
            })
        }
    };
    shapes.iter().enumerate().map(one).collect()
}

/// A tensor type with the extents of a text; what was expected and found where it cannot have them.
fn with_extents<'c>(own: Type<'c>, shape: &str) -> Result<Type<'c>, (String, String)> {
    let Ok(tensor) = RankedTensorType::try_from(own) else {
        return Err(("a tensor of known rank".to_owned(), own.to_string()));
    };
    let extents: Vec<&str> = shape.split('x').collect();
    if extents.len() != tensor.rank() {
        return Err((format!("{} extents", tensor.rank()), shape.to_owned()));
    }
    // SAFETY: a constant of MLIR.
    let open = unsafe { mlirShapedTypeGetDynamicSize() };
    let mut found = Vec::with_capacity(extents.len());
    for (dimension, text) in extents.into_iter().enumerate() {
        // SAFETY: a shaped type, and a dimension below its rank.
        let before = unsafe { mlirShapedTypeGetDimSize(tensor.to_raw(), dimension as isize) };
        let requested = match text {
            "?" => before,
            text => {
                let parsed = text.parse::<i64>().ok().filter(|&extent| extent >= 0);
                parsed.ok_or(("an extent or ?".to_owned(), format!("'{text}'")))?
            }
        };
        if before != open && before != requested {
            return Err((format!("{before} as extent {dimension}"), requested.to_string()));
        }
        found.push(requested as u64);
    }
    Ok(RankedTensorType::new(&found, tensor.element(), tensor.encoding()).into())
}

/// Gives an argument a type, and its users a cast to the type that it had.
fn specialize<'c>(
    function: OperationRef<'c, 'c>,
    index: usize,
    own: Type<'c>,
) -> Result<(), melior::Error> {
    let Some(entry) = tree::entry(function) else { return Ok(()) };
    let argument = tree::argument(entry, index);
    let before = argument.r#type();
    if before == own {
        return Ok(());
    }
    BlockArgument::try_from(argument)?.set_type(own);
    let b = Builder::at_start(context_of(function), function.location(), entry);
    let cast = b.value(CAST, &[argument], before, &[])?;
    tree::replace_uses(argument, cast);
    // The cast itself reads the argument.
    if let Some(cast) = tree::definition(cast) {
        // SAFETY: the operation has one operand, and the argument has the type that it casts from.
        unsafe { mlirOperationSetOperand(cast.to_raw(), 0, argument.to_raw()) };
    }
    Ok(())
}

/// Returns what the results are cast from, where that has fewer open extents.
fn return_static(function: OperationRef<'_, '_>) {
    let returns = tree::inside(function, "func.return");
    let [back] = returns.as_slice() else { return };
    for index in 0..back.operand_count() {
        let Some(cast) = tree::definition(operand(*back, index)) else { continue };
        if tree::name(cast) != CAST {
            continue;
        }
        let source = operand(cast, 0);
        if count_open(source) < count_open(first_result(cast)) {
            // SAFETY: the operation has this operand; the function's type is updated to its type.
            unsafe { mlirOperationSetOperand(back.to_raw(), index as isize, source.to_raw()) };
        }
    }
}

/// How many extents of a tensor are not static; all where its rank is not known.
fn count_open(value: Val<'_>) -> usize {
    let Ok(tensor) = RankedTensorType::try_from(value.r#type()) else { return usize::MAX };
    // SAFETY: a constant of MLIR, a shaped type, and dimensions below its rank.
    (0..tensor.rank() as isize)
        .filter(|&dimension| unsafe {
            mlirShapedTypeGetDimSize(tensor.to_raw(), dimension) == mlirShapedTypeGetDynamicSize()
        })
        .count()
}

/// Sets the function's type to the types of its arguments, and of what it returns.
fn update_type(function: OperationRef<'_, '_>) {
    let Some(entry) = tree::entry(function) else { return };
    let inputs: Vec<Type<'_>> =
        (0..entry.argument_count()).map(|index| tree::argument(entry, index).r#type()).collect();
    // Several returns have the types that they had.
    let Some(back) = tree::inside(function, "func.return").pop() else { return };
    let results: Vec<Type<'_>> =
        (0..back.operand_count()).map(|index| operand(back, index).r#type()).collect();
    let context = context_of(function);
    let own = TypeAttribute::new(FunctionType::new(context, &inputs, &results).into());
    tree::set_attribute(function, "function_type", own.into());
}
