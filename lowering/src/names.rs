//! Names of functions: those that become functions of C and of PTX, and those of callees.

use layout_dialect::tree;
use melior::ir::OperationRef;
#[cfg(feature = "codegen")]
use melior::ir::operation::OperationLike;
#[cfg(feature = "codegen")]
use std::collections::{HashMap, HashSet};

/// Whether C and PTX have this as a name.
fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let other = |c: char| first(c) || c.is_ascii_digit() || c == '$';
    name != "_" && name.starts_with(first) && name.chars().all(other)
}

/// Why a function cannot become one of its name, or `None` if it can.
pub(crate) fn refusal(function: OperationRef<'_, '_>) -> Option<String> {
    let name = tree::symbol(function).unwrap_or_default();
    (!is_name(&name)).then(|| {
        format!(
            "expected a name of letters, digits, _ and $, as functions of C and PTX have, found {name:?}; rename the \
             function"
        )
    })
}

/// A function below `root` that calls itself, by way of others too, and its name.
#[cfg(feature = "codegen")]
pub(crate) fn recursive<'c>(root: OperationRef<'c, '_>) -> Option<(String, OperationRef<'c, 'c>)> {
    let functions =
        ["func.func", "llvm.func"].into_iter().flat_map(|kind| tree::inside(root, kind));
    let functions: Vec<_> =
        functions.filter_map(|function| Some((tree::symbol(function)?, function))).collect();
    let calls = |function| -> HashSet<String> {
        let callees = tree::all(function).into_iter().filter_map(|operation| {
            let callee = operation.attribute("callee").ok()?.to_string();
            Some(callee.strip_prefix('@')?.trim_matches('"').to_owned())
        });
        callees.collect()
    };
    let calls: HashMap<&str, HashSet<String>> =
        functions.iter().map(|(name, function)| (name.as_str(), calls(*function))).collect();
    let found = functions.iter().find(|(name, _)| {
        let (mut seen, mut next) = (HashSet::new(), vec![name.as_str()]);
        while let Some(current) = next.pop() {
            for called in calls.get(current).into_iter().flatten() {
                if called == name {
                    return true;
                }
                if seen.insert(called.as_str()) {
                    next.push(called);
                }
            }
        }
        false
    });
    found.cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_c_and_ptx() {
        for name in ["main", "_x", "jit_f$async", "A9_"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "_", "1a", "$a", "a b", "a.b", "a-b", "größe", "a\0", "%r1", "a\n"] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
