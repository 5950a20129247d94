//! The interpreter imports nothing of what it checks.

use std::{fs, path::Path};

/// Lines of a file that name a crate: ours, or one through which MLIR could be called.
fn imports(path: &Path) -> Vec<String> {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let names = |line: &&str| {
        let code = line.split("//").next().unwrap_or("");
        [
            "layout_algebra",
            "layout_egraph",
            "layout_relation",
            "layout_passes",
            "layout_dialect",
            "layout_lowering",
            "melior",
            "mlir_sys",
            "crate::passes",
            "crate::generate",
            "crate::hunt",
        ]
        .iter()
        .any(|name| code.contains(name))
    };
    text.lines().filter(names).map(|line| format!("{}: {line}", path.display())).collect()
}

#[test]
fn the_interpreter_imports_only_operations_as_mlir_holds_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![folder.join("interpret.rs")];
    let listed = fs::read_dir(folder.join("interpret")).expect("the interpreter's files");
    files.extend(listed.map(|entry| entry.expect("a file").path()));
    assert!(files.len() > 8, "expected the interpreter's files, found {files:?}");
    let found: Vec<String> = files.iter().flat_map(|path| imports(path)).collect();
    assert!(found.is_empty(), "expected no import of these, found\n{}", found.join("\n"));
}

#[test]
fn operations_are_read_through_the_c_api_alone() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ir.rs");
    let found: Vec<String> =
        imports(&path).into_iter().filter(|line| !line.contains("use mlir_sys::*;")).collect();
    assert!(found.is_empty(), "expected no import but mlir_sys, found\n{}", found.join("\n"));
}
