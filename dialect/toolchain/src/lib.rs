//! Where LLVM and MLIR 22 are. melior, mlir-sys and llvm-sys find them by environment variables, and say little where these are missing;
//! the build script of this crate checks them first, and says what to install and what to set:
//!
//! | variable | crate that reads it |
//! |---|---|
//! | `MLIR_SYS_220_PREFIX` | mlir-sys, and the build scripts of `layout-dialect` and `layout-plugin` |
//! | `TABLEGEN_220_PREFIX` | tblgen, below melior |
//! | `LLVM_SYS_221_PREFIX` | llvm-sys, below inkwell, for `layout-lowering`'s code generation |
//!
//! Each names the folder that has `bin/llvm-config`: `/usr/lib/llvm-22` on Debian.

#[cfg(test)]
mod check;

/// The folder of LLVM and MLIR 22, with `bin`, `include` and `lib`.
pub const PREFIX: &str = env!("LAYOUT_LLVM_PREFIX");
