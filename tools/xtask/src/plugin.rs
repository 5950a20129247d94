//! `cargo xtask plugin`: makes `liblayout_plugin.so`, the dialect and its passes for a stock `mlir-opt`.
//!
//! The library is linked to the host's `libMLIR.so`, and everything else here to MLIR's archives;
//! `mlir-sys` chooses when it is built, so that the plugin has a target folder of its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::{self, Error};
use crate::{Outcome, workspace};

/// MLIR's C API, which Debian ships as archives only: `mlir-sys` links `-lMLIR-C`.
const C_API: &str = "libMLIR-C.so";

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    match arguments {
        [] | ["--release"] => build(arguments).map(|_| true),
        other => Err(format!("plugin: expected nothing or --release, found `{}`", other.join(" "))),
    }
}

/// Builds the plugin with cargo's `arguments` (such as `--release`), and gives the library's path.
pub(crate) fn build(arguments: &[&str]) -> Result<PathBuf, Error> {
    let libraries = workspace::llvm_prefix().join("lib");
    if !libraries.join("libMLIR.so").exists() {
        return Err(format!(
            "expected {}, found nothing; `cargo xtask setup` installs it",
            libraries.join("libMLIR.so").display()
        ));
    }
    let target = workspace::target()?.join("plugin");
    let linked = target.join("mlir-c");
    fs::create_dir_all(&linked).map_err(|error| format!("{}: {error}", linked.display()))?;
    let script = linked.join(C_API);
    if !libraries.join(C_API).exists() {
        fs::write(&script, c_api(&archives(&libraries)?)?)
            .map_err(|error| format!("{}: {error}", script.display()))?;
    }
    let mut command = workspace::cargo(&["rustc", "-p", "layout-plugin", "--lib"]);
    command.args(["--crate-type", "cdylib"]).args(arguments);
    command.arg("--").arg("-L").arg(format!("native={}", linked.display()));
    command.env("MLIR_SYS_LINK_SHARED", "1").env("CARGO_TARGET_DIR", &target);
    process::must(&mut command)?;
    let profile = if arguments.contains(&"--release") { "release" } else { "debug" };
    let library = target.join(profile).join("liblayout_plugin.so");
    println!("plugin: {}", library.display());
    Ok(library)
}

/// The archives of MLIR's C API.
fn archives(libraries: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries =
        fs::read_dir(libraries).map_err(|error| format!("{}: {error}", libraries.display()))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libMLIRCAPI") && name.ends_with(".a")
        })
        .collect();
    found.sort();
    if found.is_empty() {
        let place = libraries.display();
        return Err(format!("expected MLIR's C API in {place} (libMLIRCAPI*.a), found none"));
    }
    Ok(found)
}

/// A linker script that stands for the archives: the linker takes from them what is called.
fn c_api(archives: &[PathBuf]) -> Result<String, Error> {
    let mut script = String::from("/* MLIR's C API from its archives. */\nGROUP (\n");
    for archive in archives {
        let path = archive.to_str().ok_or("expected a UTF-8 path to LLVM's libraries")?;
        script.push_str(&format!("  \"{path}\"\n"));
    }
    script.push_str(")\n");
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_names_every_archive() {
        let archives = ["/llvm/libMLIRCAPIFunc.a", "/llvm/libMLIRCAPIIR.a"].map(PathBuf::from);
        assert_eq!(
            c_api(&archives).unwrap(),
            "/* MLIR's C API from its archives. */\nGROUP (\n  \"/llvm/libMLIRCAPIFunc.a\"\n  \
             \"/llvm/libMLIRCAPIIR.a\"\n)\n"
        );
    }
}
