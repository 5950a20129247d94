//! `cargo xtask plugin`: makes `liblayout_plugin.so`, the dialect and its passes for a stock `mlir-opt`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use layout_support::process::{self, Error};
use layout_support::workspace;

/// The features of shared dependencies that the workspace's tests have: nothing is compiled a second time.
pub(crate) const BUILT: &[&str] = &["--quiet", "--features", "workspace"];

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    match arguments {
        [] | ["--release"] => build(arguments).map(|_| true),
        other => Err(format!("plugin: expected nothing or --release, found `{}`", other.join(" "))),
    }
}

/// The headers that programs include, and where they are in the repository.
const HEADERS: [(&str, &str); 3] = [
    ("layout-c/Layout.h", "tools/plugin/include/layout-c/Layout.h"),
    ("layout/Dialect.h", "dialect/ir/include/layout/Dialect.h"),
    ("layout/Layout.h", "tools/plugin/include/layout/Layout.h"),
];

/// The headers that `mlir-tblgen` makes of the dialect's definitions.
const GENERATED: [(&str, &str); 4] = [
    ("-gen-attrdef-decls", "layout/LayoutAttributes.h.inc"),
    ("-gen-dialect-decls", "layout/LayoutDialect.h.inc"),
    ("-gen-op-decls", "layout/LayoutOps.h.inc"),
    ("-gen-typedef-decls", "layout/LayoutTypes.h.inc"),
];

/// Builds the plugin with cargo's `arguments` (such as `--release`), and gives the library's path.
pub(crate) fn build(arguments: &[&str]) -> Result<PathBuf, Error> {
    // The crate is a library otherwise: the workspace, whose features bring LLVM as archives, does not link it.
    let shared = ["rustc", "--package", "layout-plugin", "--lib", "--crate-type", "cdylib"];
    let exports = workspace::root().join("tools/plugin/exports.map");
    let exports = format!("link-arg=-Wl,--version-script={}", exports.display());
    let linked = ["--", "-C", &exports];
    process::must(workspace::cargo(&shared).args(arguments).args(linked))?;
    let profile = if arguments.contains(&"--release") { "release" } else { "debug" };
    let folder = workspace::target()?.join(profile);
    headers(&folder.join("include"))?;
    let library = folder.join("liblayout_plugin.so");
    println!("plugin: {}, and its headers in include/ beside it", library.display());
    Ok(library)
}

/// Puts the headers that belong to the library into a folder.
fn headers(folder: &Path) -> Result<(), Error> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    for parent in ["layout", "layout-c"] {
        let parent = folder.join(parent);
        fs::create_dir_all(&parent).map_err(|error| failed(&parent, error))?;
    }
    for (name, source) in HEADERS {
        let to = folder.join(name);
        fs::copy(workspace::root().join(source), &to).map_err(|error| failed(&to, error))?;
    }
    let generator = workspace::llvm_tool("mlir-tblgen");
    let upstream = workspace::llvm_prefix().join("include");
    let ods = workspace::root().join("dialect/ir/ods");
    for (option, name) in GENERATED {
        let mut command = Command::new(&generator);
        command.arg(option).arg("-I").arg(&upstream).arg("-I").arg(&ods);
        process::must(command.arg(ods.join("LayoutOps.td")).arg("-o").arg(folder.join(name)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_declare_the_classes() {
        let folder = std::env::temp_dir().join(format!("layout-headers-{}", std::process::id()));
        headers(&folder).expect("mlir-tblgen runs");
        let read = |name| fs::read_to_string(folder.join("layout").join(name)).expect("a header");
        for (name, class) in [
            ("LayoutAttributes.h.inc", "class ScheduleAttr : "),
            ("LayoutDialect.h.inc", "class LayoutDialect : "),
            ("LayoutOps.h.inc", "class MatmulOp : "),
            ("LayoutTypes.h.inc", "class ViewType : "),
            ("Layout.h", "#include \"layout/Dialect.h\""),
            ("Dialect.h", "#include \"LayoutOps.h.inc\""),
        ] {
            assert!(read(name).contains(class), "{name}: expected {class}");
        }
        fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
