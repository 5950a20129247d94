//! `layout-check-kernels`: refuses a kernel that its chip could not run before it becomes a host function.
//!
//! The host copies tiles element by element, so it would also run a kernel whose boxes or vectors its chip refuses.
//! Therefore each kernel's module is lowered once for its chip, beside it, and an error there is an error of the kernel.
//! The facts that a launch on the chip needs, tensor maps and the bytes of shared memory, are attached to the kernel, for
//! the code that runs it on the host. The lowered module is discarded.

use crate::lower::{self, KERNEL};
use layout_dialect::{
    Space, atoms,
    buffers::Buffer,
    build::{Builder, context_of, result},
    diagnostics, targets, tree,
};
use melior::ir::{
    Attribute, BlockLike, Identifier, OperationRef, Type, ValueLike,
    attribute::{DictionaryAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};

/// Lowers a copy of each module of kernels, and keeps what it says of each kernel.
pub(crate) fn check(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    let modules = tree::inside(root, "gpu.module").into_iter();
    for module in modules.filter(|&module| !targets::is_foreign(module)) {
        let own_shared = has_own_shared(module);
        let kernels = tree::inside(module, "gpu.func").into_iter();
        if kernels.filter(|&kernel| !has_instructions(kernel)).count() > 0 || !own_shared {
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
    let Some(chip) = chip.and_then(tree::text).filter(|chip| !chip.is_empty()) else {
        return true;
    };
    if atoms::chip_number(&chip).is_none() {
        let known = atoms::described_chips().join(", ");
        let message = format!("expected a chip such as {known} in {KERNEL}, found {chip}");
        diagnostics::error(kernel, &message);
        return false;
    }
    let mut all = true;
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

/// Whether a launch knows of all of a module's shared memory, which is that of `layout.alloc`, of kernels' attributions and of uninitialized
/// variables; reports what is not. Upstream places no allocation in shared memory, and a `memref.alloca` in it becomes a stack slot;
/// an initial value is lost, and a variable that is only declared has the bytes of `layout.alloc`.
pub(crate) fn has_own_shared(module: OperationRef<'_, '_>) -> bool {
    let mut all = true;
    for operation in tree::all(module) {
        if let Some(message) = wrong_variable(operation).or_else(|| open_attribution(operation)) {
            diagnostics::error_in(operation, &message);
            all = false;
        }
        let found = match tree::name(operation).as_str() {
            name @ "gpu.dynamic_shared_memory" => name.to_owned(),
            name @ ("memref.alloca" | "memref.alloc") => {
                let r#type = result(operation, 0).r#type();
                if !is_shared(r#type) {
                    continue;
                }
                format!("{name} of {type}")
            }
            _ => continue,
        };
        let message =
            format!("expected layout.alloc for the shared memory of a kernel, found {found}");
        diagnostics::error(operation, &message);
        all = false;
    }
    all
}

/// The message about a variable in shared memory that a launch does not provide.
fn wrong_variable(operation: OperationRef<'_, '_>) -> Option<String> {
    if tree::name(operation) != "memref.global" {
        return None;
    }
    let r#type = TypeAttribute::try_from(operation.attribute("type").ok()?).ok()?.value();
    if !is_shared(r#type) {
        return None;
    }
    let found = match operation.attribute("initial_value") {
        Ok(value) if value == Attribute::unit(context_of(operation)) => return None,
        Ok(_) => "an initial value, which shared memory cannot have",
        Err(_) => "a declaration without a definition",
    };
    let name = tree::symbol(operation).unwrap_or_default();
    Some(format!(
        "'memref.global' op expected shared memory @{name} to be `uninitialized`, found {found}"
    ))
}

/// The message about an attribution of a kernel whose bytes are not known.
fn open_attribution(operation: OperationRef<'_, '_>) -> Option<String> {
    if tree::name(operation) != "gpu.func" {
        return None;
    }
    let entry = tree::entry(operation)?;
    let signature = TypeAttribute::try_from(operation.attribute("function_type").ok()?).ok()?;
    let inputs = FunctionType::try_from(signature.value()).ok()?.input_count();
    let types = (inputs..entry.argument_count()).map(|at| tree::argument(entry, at).r#type());
    let open = types.into_iter().find(|r#type| r#type.to_string().contains('?'))?;
    Some(format!("'gpu.func' op expected an attribution of a static shape, found {open}"))
}

fn is_shared(r#type: Type<'_>) -> bool {
    let space = Buffer::of(r#type).ok().flatten().map(|buffer| buffer.space());
    matches!(space, Some(Ok(Space::Shared)))
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
