//! Paths: the repository, cargo's target folder, LLVM 22, the built tools.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::process::{self, Error};

/// The LLVM prefix: the one that `.cargo/config.toml` names for the crates.
pub fn llvm_prefix() -> PathBuf {
    std::env::var_os("MLIR_SYS_220_PREFIX").map_or_else(|| "/usr/lib/llvm-22".into(), PathBuf::from)
}

/// A program of LLVM 22, such as `lit` or `FileCheck`.
pub fn llvm_tool(name: &str) -> PathBuf {
    llvm_prefix().join("bin").join(name)
}

/// The repository's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// `cargo ARGUMENTS…` in the root, with the cargo that runs us.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    // Cargo sets these for the crate it runs (us); they are not facts about the crates we build.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_") {
            command.env_remove(name);
        }
    }
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_MANIFEST_PATH");
    command
}

/// `cargo metadata` of the workspace, without packages from elsewhere.
pub fn metadata() -> Result<Value, Error> {
    let text = process::read(&mut cargo(&["metadata", "--format-version=1", "--no-deps"]))?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
}

/// Cargo's target folder.
pub fn target() -> Result<PathBuf, Error> {
    let metadata = metadata()?;
    match metadata["target_directory"].as_str() {
        Some(target) => Ok(target.into()),
        None => Err("cargo metadata: expected `target_directory`, found none".into()),
    }
}

/// The folder that holds the programs of `cargo build` (profile dev).
pub fn binaries() -> Result<PathBuf, Error> {
    Ok(target()?.join("debug"))
}

/// Builds every program of the workspace, and gives the folder they are in.
pub fn build_tools() -> Result<PathBuf, Error> {
    // With the examples, which use what tests use, so that features are those of `cargo test` and nothing is compiled twice.
    let targets = ["--lib", "--bins", "--examples"];
    process::must(cargo(&["build", "--quiet", "--workspace"]).args(targets))?;
    binaries()
}

/// Builds the programs that compile and run a kernel, and the calculator, and gives the folder they are in.
pub fn build_compiler() -> Result<PathBuf, Error> {
    let packages = ["layout-opt", "layout-translate", "layout-run", "layout-calc"];
    process::must(cargo(&["build"]).args(packages.iter().flat_map(|package| ["-p", package])))?;
    binaries()
}
