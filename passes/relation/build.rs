//! Links ISL: the library of the development package where there is one, else the one that comes with
//! GCC, so that whatever machine can link a Rust program can link this crate.

use std::process::Command;

/// The library as GCC's own package brings it: same interface, but no name without a version.
const OF_GCC: &str = "libisl.so.23";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if !found("libisl.so") && found(OF_GCC) {
        println!("cargo:rustc-link-lib=dylib:+verbatim={OF_GCC}");
    } else {
        println!("cargo:rustc-link-lib=isl");
    }
}

/// Whether the C compiler's search path has the library: its answer is a path then, and the bare
/// name when not.
fn found(library: &str) -> bool {
    Command::new("cc")
        .arg(format!("-print-file-name={library}"))
        .output()
        .is_ok_and(|output| output.stdout.contains(&b'/'))
}
