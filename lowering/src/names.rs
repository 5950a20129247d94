//! Legal names of functions that become functions of C and of PTX.

use layout_dialect::tree;
use melior::ir::OperationRef;

/// Whether C and PTX have this as a name.
fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let other = |c: char| first(c) || c.is_ascii_digit() || c == '$';
    name != "_" && name.starts_with(first) && name.chars().all(other)
}

/// Why a function cannot become one of its name; none where it can.
pub(crate) fn refusal(function: OperationRef<'_, '_>) -> Option<String> {
    let name = tree::symbol(function).unwrap_or_default();
    (!is_name(&name)).then(|| {
        format!(
            "expected a name of letters, digits, _ and $, as functions of C and PTX have, found {name:?}; rename the \
             function"
        )
    })
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
