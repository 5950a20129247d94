//! `layout-check-kernels`: refuses a kernel that its chip could not run before it becomes a host function.
//!
//! The host copies tiles element by element, so it would also run a kernel whose boxes or vectors its chip refuses.
//! Therefore each kernel's module is lowered once for its chip, beside it, and an error there is an error of the kernel.
//! The facts that a launch on the chip needs, tensor maps and the bytes of shared memory, are attached to the kernel, for
//! the code that runs it on the host. The lowered module is discarded.

use crate::lower::{self, KERNEL};
use layout_dialect::{
    build::{Builder, context_of},
    diagnostics, targets, tree,
};
use melior::ir::{
    Attribute, Identifier, OperationRef, attribute::DictionaryAttribute, operation::OperationLike,
};

/// Lowers a copy of each module of kernels, and keeps what it says of each kernel.
pub(crate) fn check(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    let modules = tree::inside(root, "gpu.module").into_iter();
    for module in modules.filter(|&module| !targets::is_foreign(module)) {
        if tree::inside(module, "gpu.func").into_iter().any(|kernel| !has_instructions(kernel)) {
            outcome = Err(());
            continue;
        }
        let lowered = tree::clone_with(&Builder::before(module), module, &[]);
        match lower::lower_functions(lowered, false) {
            Ok(_) => {
                let kernels = tree::inside(module, "gpu.func").into_iter();
                for (kernel, lowered) in kernels.zip(tree::inside(lowered, "gpu.func")) {
                    if let Err(error) = report(kernel, lowered) {
                        diagnostics::error(kernel, &error.to_string());
                        outcome = Err(());
                    }
                }
            }
            Err(()) => outcome = Err(()),
        }
        tree::erase(lowered);
    }
    outcome
}

/// Whether the chip that a kernel names has its instructions; says of each that it has not.
pub(crate) fn has_instructions(kernel: OperationRef<'_, '_>) -> bool {
    let facts = kernel.attribute(KERNEL).and_then(DictionaryAttribute::try_from);
    let chip = facts.ok().and_then(|facts| facts.element_by_name("chip"));
    let mut all = has_own_shared(kernel);
    let Some(chip) = chip.and_then(tree::text).filter(|chip| !chip.is_empty()) else {
        return all;
    };
    for operation in tree::all(kernel) {
        let expected = layout_dialect::ops::instruction(operation);
        if let Some(atom) = expected.filter(|atom| !atom.runs_on(&chip)) {
            let message = format!(
                "expected an atom that {chip} has, found {}, which needs {}",
                atom.name,
                atom.min_chip()
            );
            diagnostics::error(operation, &message);
            all = false;
        }
    }
    all
}

/// Whether a launch knows of all of a kernel's dynamic shared memory, which is that of `layout.alloc`; reports what is not.
fn has_own_shared(kernel: OperationRef<'_, '_>) -> bool {
    const DYNAMIC: &str = "gpu.dynamic_shared_memory";
    let others = tree::inside(kernel, DYNAMIC);
    for &operation in &others {
        let message =
            format!("expected layout.alloc for the shared memory of a kernel, found {DYNAMIC}");
        diagnostics::error(operation, &message);
    }
    others.is_empty()
}

/// Says of a kernel what its lowered form says of a launch.
fn report<'c>(
    kernel: OperationRef<'c, 'c>,
    lowered: OperationRef<'c, 'c>,
) -> Result<(), melior::Error> {
    let facts = |function: OperationRef<'c, 'c>| {
        let facts = function.attribute(KERNEL).ok()?;
        DictionaryAttribute::try_from(facts).ok()
    };
    let (Some(own), Some(found)) = (facts(kernel), facts(lowered)) else { return Ok(()) };
    let mut entries: Vec<(Identifier<'c>, Attribute<'c>)> = Vec::new();
    for (facts, are_found) in [(own, false), (found, true)] {
        for i in 0..facts.len() {
            let (key, value) = facts.element(i)?;
            let of_chip =
                lower::CHIP_ENTRIES.contains(&key.as_string_ref().as_str().unwrap_or_default());
            if of_chip == are_found {
                entries.push((key, value));
            }
        }
    }
    let all = DictionaryAttribute::new(context_of(kernel), &entries);
    tree::set_attribute(kernel, KERNEL, all.into());
    Ok(())
}
