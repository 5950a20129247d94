//! Checks the environment before anything of LLVM is compiled: this crate imports nothing, so that cargo runs it early.

#[path = "src/check.rs"]
mod check;

use std::{env, process::exit};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/check.rs");
    for variable in check::VARIABLES {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let llvm = env::var_os("CARGO_FEATURE_LLVM").is_some();
    match check::prefix(llvm, &|variable| env::var(variable).ok()) {
        Ok(prefix) => println!("cargo::rustc-env=LAYOUT_LLVM_PREFIX={prefix}"),
        Err(message) => {
            for line in message.lines() {
                println!("cargo::error={line}");
            }
            exit(1);
        }
    }
}
