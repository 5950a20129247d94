//! Targets of kernels: a `gpu.module` may name the targets that it is compiled for; our passes leave modules for other
//! targets unchanged.

use crate::pass::tree;
use melior::ir::{OperationRef, operation::OperationLike};

/// Whether a `gpu.module`, or the one around an operation, names targets and none of them is NVIDIA's: another
/// compiler's kernels, which passes leave unchanged.
pub fn is_foreign(operation: OperationRef<'_, '_>) -> bool {
    let names_others = |module: OperationRef<'_, '_>| {
        let targets = module.attribute("targets").ok().and_then(tree::elements);
        let targets: Vec<String> =
            targets.unwrap_or_default().iter().map(ToString::to_string).collect();
        !targets.is_empty() && !targets.iter().any(|target| target.starts_with("#nvvm."))
    };
    if tree::name(operation) == "gpu.module" {
        return names_others(operation);
    }
    let mut around = operation.parent_operation();
    while let Some(parent) = around {
        if tree::name(parent) == "gpu.module" {
            return names_others(parent);
        }
        around = parent.parent_operation();
    }
    false
}
