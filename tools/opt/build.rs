//! Links `layout-opt` to fixed addresses: three hundred thousand relocations, most of them of MLIR's
//! tables, are a quarter of the instructions that starting it takes.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-bins=-no-pie");
}
