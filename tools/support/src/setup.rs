//! `cargo xtask setup`: installs the Debian packages that are missing.
//!
//! Debian 12 has LLVM 22 in its own archive (bookworm-security), so that no other package source is
//! needed there; on a system whose archive lacks it, the source at apt.llvm.org is named, not added.

use std::path::Path;
use std::process::Command;

use crate::process::{self, Error};
use crate::workspace;

/// The packages that the workspace needs, and why.
const PACKAGES: &[(&str, &str)] = &[
    ("llvm-22-dev", "LLVM's libraries and llvm-config"),
    ("libmlir-22-dev", "MLIR's libraries, headers and .td files"),
    ("mlir-22-tools", "mlir-tblgen, and mlir-opt for the tests"),
    ("llvm-22-tools", "lit and FileCheck for the tests"),
    ("libpolly-22-dev", "named by llvm-config when it links everything"),
    ("clang-22", "the C++ compiler of the shim"),
    ("lld-22", "a fast linker"),
    ("libisl-dev", "integer sets, for proofs about layouts"),
    ("cmake", "builds what links the plugin in C++ and C, for the tests"),
    ("make", "what CMake drives"),
    ("g++", "the C++ standard library's headers and the linker driver"),
    ("zlib1g-dev", "LLVM is linked against it"),
    ("libzstd-dev", "LLVM is linked against it"),
    ("python3", "lit runs on it"),
];

const OTHER_SYSTEMS: &str = "\
This system has no apt-get; install LLVM and MLIR 22 with your own package manager:
  macOS          brew install llvm@22 lld zstd isl
  Fedora         dnf install llvm22-devel mlir22-devel clang lld zlib-devel libzstd-devel isl-devel
  Arch           pacman -S llvm mlir clang lld zlib zstd libisl python        (when they are at 22)
  from source    cmake -G Ninja -DLLVM_ENABLE_PROJECTS='mlir;clang;lld' -DLLVM_TARGETS_TO_BUILD='host;NVPTX' \\
                   -DLLVM_INSTALL_UTILS=ON ../llvm && ninja install
then point MLIR_SYS_220_PREFIX, TABLEGEN_220_PREFIX and LLVM_SYS_221_PREFIX at its prefix.";

/// Installs missing packages and prints them; does nothing if all are there.
pub fn run() -> Result<(), Error> {
    if !process::exists("apt-get") {
        if workspace::llvm_tool("mlir-tblgen").exists() {
            println!("setup: LLVM 22 found, nothing to do");
            return Ok(());
        }
        return Err(OTHER_SYSTEMS.into());
    }
    let missing: Vec<&str> =
        PACKAGES.iter().map(|(name, _)| *name).filter(|name| !installed(name)).collect();
    if missing.is_empty() {
        println!("setup: all {} packages are there, nothing to do", PACKAGES.len());
        return Ok(());
    }
    println!("setup: installing {} of {} packages:", missing.len(), PACKAGES.len());
    for (name, why) in PACKAGES.iter().filter(|(name, _)| missing.contains(name)) {
        println!("    {name:<16} {why}");
    }
    install(&missing)
}

/// Installs these packages, after an update if apt does not know one of them yet.
pub fn install(packages: &[&str]) -> Result<(), Error> {
    let unknown = |packages: &[&str]| -> Vec<String> {
        packages.iter().filter(|name| !available(name)).map(|name| (*name).to_owned()).collect()
    };
    if !unknown(packages).is_empty() {
        process::must(apt().arg("update"))?;
        let still = unknown(packages);
        if !still.is_empty() {
            return Err(format!(
                "apt knows no package {}: Debian 12 carries LLVM 22 in bookworm-security; on another release \
                 add the source described at https://apt.llvm.org (sudo ./llvm.sh 22 all) and run this again",
                still.join(", ")
            ));
        }
    }
    let mut command = apt();
    command.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    if process::show(&mut command)? {
        return Ok(());
    }
    // The usual cause is an index older than the archive: it names files that are gone.
    process::must(apt().arg("update"))?;
    let mut again = apt();
    again.args(["install", "--yes", "--no-install-recommends"]).args(packages);
    process::must(&mut again)
}

fn apt() -> Command {
    let root = process::read(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    let mut command = if root { Command::new("env") } else { Command::new("sudo") };
    if !root {
        command.arg("env");
    }
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    command
}

fn installed(package: &str) -> bool {
    let query = Command::new("dpkg-query")
        .args(["-W", "-f=${db:Status-Status}", package])
        .stderr(std::process::Stdio::null())
        .output();
    query.is_ok_and(|output| output.stdout == b"installed")
}

fn available(package: &str) -> bool {
    process::capture(Command::new("apt-cache").args(["policy", package]))
        .is_ok_and(|found| has_candidate(&found.stdout))
}

/// Whether what `apt-cache policy` printed names a version that could be installed.
fn has_candidate(policy: &str) -> bool {
    policy.lines().any(|line| {
        line.trim().strip_prefix("Candidate:").is_some_and(|version| version.trim() != "(none)")
    })
}

/// Makes sure that LLVM's programs which the tests call are there.
pub fn require_test_tools() -> Result<(), Error> {
    for tool in ["lit", "FileCheck", "split-file", "not", "mlir-opt", "mlir-tblgen"] {
        let path = workspace::llvm_tool(tool);
        if !Path::new(&path).exists() {
            return Err(format!(
                "expected {}, found nothing; `cargo xtask setup` installs it",
                path.display()
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_a_version() {
        assert!(has_candidate(
            "llvm-22-dev:\n  Installed: (none)\n  Candidate: 1:22.1.8-1~deb12u1\n"
        ));
        assert!(!has_candidate("llvm-22-dev:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!has_candidate(""));
    }
}
