//! Kernels that are equal but for their names, as those of a model's layers, become launches of one.

use super::rows::identity;
use layout_dialect::{build::context_of, tree};
use melior::ir::{Attribute, OperationRef, operation::OperationLike};
use std::collections::{HashMap, HashSet, hash_map::Entry};

/// The modules of kernels below `root`, which other compilers may have made.
pub(super) fn modules(root: OperationRef<'_, '_>) -> HashSet<usize> {
    tree::inside(root, "gpu.module").into_iter().map(identity).collect()
}

/// Lets launches of equal kernels below `root` share the first of them, but for kernels of the modules that are `known`.
pub(super) fn run(root: OperationRef<'_, '_>, known: &HashSet<usize>) {
    let (mut firsts, mut shared) = (HashMap::new(), HashMap::new());
    for module in tree::inside(root, "gpu.module") {
        let Some(name) = tree::symbol(module).filter(|_| !known.contains(&identity(module))) else {
            continue;
        };
        // A launch names what is in the module around it.
        let around = module.parent_operation().map(identity);
        let text = module.to_string().replace(&format!("@{name}"), "@");
        match firsts.entry((around, text)) {
            Entry::Vacant(first) => {
                first.insert(name);
            }
            Entry::Occupied(first) => {
                shared.insert(path(&name), path(first.get()));
                tree::erase(module);
            }
        }
    }
    for launch in tree::inside(root, "gpu.launch_func") {
        let own = launch.attribute("kernel").map(|kernel| kernel.to_string());
        let first = own.ok().and_then(|own| shared.get(&own));
        if let Some(first) = first.and_then(|first| Attribute::parse(context_of(root), first)) {
            tree::set_attribute(launch, "kernel", first);
        }
    }
}

/// How a launch names a kernel whose module has its name.
fn path(name: &str) -> String {
    format!("@{name}::@{name}")
}
