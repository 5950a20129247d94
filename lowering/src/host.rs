//! Host functions to LLVM's dialect: those of layout programs, and no others.
//!
//! LLVM's functions call and are called by LLVM's functions alone. So what a layout program's functions call, what calls
//! them, and the globals that they name go with them; all other functions, kernels of other targets and modules of others
//! stay as they are. Which functions a layout program has is known before it is lowered ([`select`]), and used after that
//! ([`convert`]).

use crate::lower;
use layout_dialect::{
    build::{Builder, context_of},
    diagnostics,
    passes::PassRun,
    tree,
};
use melior::ir::{Attribute, AttributeLike, OperationRef, operation::OperationLike};
use mlir_sys::mlirOperationRemoveAttributeByName;
use std::collections::{HashMap, HashSet};

/// The mark of a function, or a global, that goes to LLVM's dialect.
const MARK: &str = "layout.host";

/// Upstream passes from what `layout-lower` leaves in a host function to LLVM's dialect.
const HOST_TO_LLVM: &str = "lower-affine,canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,\
    arith-expand{include-bf16=true},finalize-memref-to-llvm,convert-arith-to-llvm,\
    convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts";

/// Attributes of the module itself, which the module that replaces it does not inherit.
const MODULE_ATTRIBUTES: [&str; 2] = ["sym_name", "sym_visibility"];

/// Marks the functions of layout programs, and what is bound to them by its name.
pub(crate) fn select(root: OperationRef<'_, '_>) -> Result<(), ()> {
    for module in modules(root) {
        let symbols = Symbols::of(module);
        for &operation in &symbols.reached() {
            tree::set_attribute(operation, MARK, Attribute::unit(context_of(module)));
        }
    }
    Ok(())
}

/// Converts what is marked.
pub(crate) fn convert(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    for module in modules(root) {
        let body = tree::entry(module).map(tree::operations).unwrap_or_default();
        let marked: Vec<OperationRef<'_, '_>> =
            body.into_iter().filter(|operation| operation.attribute(MARK).is_ok()).collect();
        let Some(&first) = marked.first() else { continue };
        let module_before = match module_before(module, first) {
            Ok(module_before) => module_before,
            Err(error) => {
                diagnostics::error(module, &format!("cannot make a module of functions: {error}"));
                return Err(());
            }
        };
        let Some(inside) = tree::entry(module_before) else { continue };
        let b = Builder::at_end(context_of(module), module.location(), inside);
        for operation in marked {
            // SAFETY: the operation is valid, and the name is read during the call.
            unsafe {
                let name = melior::StringRef::new(MARK).to_raw();
                mlirOperationRemoveAttributeByName(operation.to_raw(), name);
            }
            b.adopt(operation);
        }
        let outcome = pass.run_pipeline(HOST_TO_LLVM, module_before);
        let before = Builder::before(module_before);
        let others = tree::entry(module).map(tree::operations).unwrap_or_default();
        let declared: HashSet<String> = others.iter().filter_map(|&other| symbol(other)).collect();
        for operation in tree::operations(inside) {
            // The library's functions that conversions declare may be declared there already.
            let is_declared = symbol(operation).is_some_and(|name| declared.contains(&name));
            if is_declared && tree::entry(operation).is_none() {
                tree::erase(operation);
            } else {
                before.adopt(operation);
            }
        }
        tree::erase(module_before);
        outcome?;
    }
    Ok(())
}

/// The modules of host functions: this one, and those in it, but not those of kernels.
fn modules<'c>(root: OperationRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    // SAFETY: the pass's root lives as long as the pass runs.
    let own = unsafe { OperationRef::from_raw(root.to_raw()) };
    let is_of_kernels = |module: OperationRef<'c, 'c>| {
        let mut around = module.parent_operation();
        while let Some(parent) = around.filter(|parent| tree::name(*parent) != "gpu.module") {
            around = parent.parent_operation();
        }
        around.is_some()
    };
    let inside = tree::inside(root, "builtin.module").into_iter();
    let mut all: Vec<_> =
        inside.filter(|&module| !is_of_kernels(module) && module != own).collect();
    all.insert(0, own);
    all
}

/// An empty module in front of an operation, in which passes find what they look up in a module.
fn module_before<'c>(
    module: OperationRef<'c, 'c>,
    first: OperationRef<'c, 'c>,
) -> Result<OperationRef<'c, 'c>, melior::Error> {
    let b = Builder::before(first).with_location(module.location());
    let (region, _) = b.region();
    let made = b.operation("builtin.module", &[], &[], &[], vec![region])?;
    for (name, attribute) in module.attributes() {
        let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
        if !MODULE_ATTRIBUTES.contains(&name.as_str()) {
            tree::set_attribute(made, &name, attribute);
        }
    }
    Ok(made)
}

fn symbol(operation: OperationRef<'_, '_>) -> Option<String> {
    tree::symbol(operation)
}

/// The symbols of a module, and which name which.
struct Symbols<'c> {
    all: Vec<OperationRef<'c, 'c>>,
    /// The numbers of those that one names.
    named: Vec<HashSet<usize>>,
    /// Whether it launches a kernel that stays one.
    launches: Vec<bool>,
}

impl<'c> Symbols<'c> {
    fn of(module: OperationRef<'c, 'c>) -> Self {
        let body = tree::entry(module).map(tree::operations).unwrap_or_default();
        let kinds = ["func.func", "memref.global", "llvm.func", "llvm.mlir.global"];
        let all: Vec<_> = body
            .into_iter()
            .filter(|&operation| kinds.contains(&tree::name(operation).as_str()))
            .collect();
        let numbers: HashMap<String, usize> = all
            .iter()
            .enumerate()
            .filter_map(|(number, &operation)| Some((format!("@{}", symbol(operation)?), number)))
            .collect();
        let names = |operation: OperationRef<'c, 'c>| -> HashSet<usize> {
            let inside = tree::all(operation);
            let attributes = inside.iter().flat_map(|operation| operation.attributes());
            let references = attributes.filter(|(_, attribute)| attribute.is_symbol_ref());
            let texts = references.map(|(_, attribute)| attribute.to_string().replace('"', ""));
            texts.filter_map(|text| numbers.get(&text).copied()).collect()
        };
        let named = all.iter().map(|&operation| names(operation)).collect();
        let launches =
            all.iter().map(|&operation| !tree::inside(operation, "gpu.launch_func").is_empty());
        let launches = launches.collect();
        Self { all, named, launches }
    }

    /// Functions of layout programs, and all that is bound to them, directly or not, except operations that are bound to a
    /// function that launches a kernel, which conversions of this kind do not support.
    fn reached(&self) -> Vec<OperationRef<'c, 'c>> {
        let own = |&operation: &OperationRef<'c, 'c>| {
            let is_marked = operation.attribute(MARK).is_ok();
            tree::name(operation) == "func.func" && (is_marked || lower::is_own(operation))
        };
        let seeds: Vec<bool> = self.all.iter().map(own).collect();
        let reached = self.bound(seeds);
        let kept = self.launches.iter().zip(&reached).map(|(&launches, &is)| launches && is);
        let kept = self.bound(kept.collect());
        let both = self.all.iter().zip(reached).zip(kept);
        both.filter(|&((_, reached), kept)| reached && !kept).map(|((&one, _), _)| one).collect()
    }

    /// The functions that are bound to some of them by a name, in either direction.
    fn bound(&self, mut reached: Vec<bool>) -> Vec<bool> {
        loop {
            let before = reached.iter().filter(|&&is| is).count();
            for (number, named) in self.named.iter().enumerate() {
                let any = reached[number] || named.iter().any(|&other| reached[other]);
                if any {
                    reached[number] = true;
                    named.iter().for_each(|&other| reached[other] = true);
                }
            }
            if reached.iter().filter(|&&is| is).count() == before {
                return reached;
            }
        }
    }
}
