//! Links the plugin to the `libMLIR.so` and `libLLVM.so` of the host.
//!
//! The linker takes a symbol from the first library that defines it. These two are in front of the archives that the other
//! crates bring, so that nothing of MLIR and LLVM is copied into the plugin but MLIR's C API, which no shared library has.

use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    // `cargo xtask plugin` passes it to the linker.
    println!("cargo::rerun-if-changed=exports.map");
    let libraries = Path::new(layout_toolchain::PREFIX).join("lib");
    for library in ["libMLIR.so", "libLLVM.so"] {
        if !libraries.join(library).exists() {
            let path = libraries.join(library);
            return Err(format!(
                "expected {}, found nothing; `cargo xtask setup` installs it",
                path.display()
            )
            .into());
        }
    }
    println!("cargo::rustc-link-search=native={}", libraries.display());
    println!("cargo::rustc-link-lib=dylib=MLIR");
    println!("cargo::rustc-link-lib=dylib=LLVM");
    Ok(())
}
