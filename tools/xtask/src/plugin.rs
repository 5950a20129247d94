//! `cargo xtask plugin`: makes `liblayout_plugin.so`, the dialect and its passes for a stock `mlir-opt`.

use std::path::PathBuf;

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

/// Builds the plugin with cargo's `arguments` (such as `--release`), and gives the library's path.
pub(crate) fn build(arguments: &[&str]) -> Result<PathBuf, Error> {
    // The crate is a library otherwise: the workspace, whose features bring LLVM as archives, does not link it.
    let shared = ["rustc", "--package", "layout-plugin", "--lib", "--crate-type", "cdylib"];
    process::must(workspace::cargo(&shared).args(arguments))?;
    let profile = if arguments.contains(&"--release") { "release" } else { "debug" };
    let library = workspace::target()?.join(profile).join("liblayout_plugin.so");
    println!("plugin: {}", library.display());
    Ok(library)
}
