//! Loads through the cache of data that no one writes (`ld.global.nc`): of a kernel's arguments that it only reads.
//!
//! LLVM makes them of loads through a pointer that is read alone and that nothing else overlaps, which the manifest requires of
//! arguments. It learns of that behind its optimisations: they would move the loads over barriers, where they were put on purpose. A
//! kernel that waits for the one before it (`griddepcontrol`) is left alone, since its arguments may be written until then.

use crate::{facts, manifest::ATTRIBUTE};
use inkwell::{
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::Module,
    values::FunctionValue,
};
use layout_dialect::tree;
use melior::ir::{OperationRef, operation::OperationLike};
use serde_json::Value;

/// A kernel's name, and the numbers of its parameters that are such arguments.
pub(super) type ReadOnly = (String, Vec<u32>);

/// The arguments that the kernels of a `gpu.module` in LLVM's dialect only read.
pub(super) fn of(module: OperationRef<'_, '_>) -> Vec<ReadOnly> {
    let kernels = tree::inside(module, "llvm.func").into_iter();
    let waits = |kernel| {
        tree::all(kernel)
            .into_iter()
            .any(|operation| tree::name(operation).starts_with("nvvm.griddepcontrol"))
    };
    let found = kernels.filter_map(|kernel| {
        let facts = kernel.attribute(ATTRIBUTE).ok()?;
        Some((tree::symbol(kernel)?, parameters(&facts::json(facts).ok()?)))
            .filter(|_| !waits(kernel))
    });
    found.collect()
}

/// The numbers of parameters: each argument has a pointer and its sizes, and the numbers that are passed by value before it.
fn parameters(facts: &Value) -> Vec<u32> {
    let list = |value: &Value, key: &str| value[key].as_array().cloned().unwrap_or_default();
    let scalars = list(facts, "scalars");
    let (mut next, mut found) = (0, Vec::new());
    for (number, argument) in (0_u64..).zip(list(facts, "args")) {
        let before = scalars.iter().filter(|scalar| scalar["before"].as_u64() == Some(number));
        next += before.count();
        if argument["access"] == "read" {
            found.extend(u32::try_from(next).ok());
        }
        next += 1 + list(&argument, "sizes").len();
    }
    found
}

/// Says so of the kernels of a module that LLVM has optimised.
pub(super) fn mark(module: &Module<'_>, context: &Context, all: &[ReadOnly]) {
    let flags = ["noalias", "readonly"]
        .map(|name| context.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0));
    for (name, parameters) in all {
        let Some(kernel) = module.get_function(name) else { continue };
        for &parameter in parameters.iter().filter(|&&parameter| is_pointer(kernel, parameter)) {
            for flag in flags {
                kernel.add_attribute(AttributeLoc::Param(parameter), flag);
            }
        }
    }
}

fn is_pointer(kernel: FunctionValue<'_>, parameter: u32) -> bool {
    kernel.get_nth_param(parameter).is_some_and(|value| value.is_pointer_value())
}

#[cfg(test)]
mod tests {
    use super::parameters;
    use serde_json::json;

    #[test]
    fn sizes_and_numbers_are_parameters_too() {
        let facts = json!({
            "args": [
                {"access": "read", "sizes": [{"bits": 32, "value": "m"}]},
                {"access": "write"},
                {"access": "read_write"},
                {"access": "read"}
            ],
            "scalars": [{"before": 0}, {"before": 3}, {"before": 4}]
        });
        assert_eq!(parameters(&facts), [1, 6]);
        assert_eq!(parameters(&json!({})), []);
    }
}
