//! `layout-opt`: `mlir-opt` with the layout dialect and its passes.
//!
//! The crates of passes, which never import each other, meet here.

#[cfg(test)]
mod reference;

use melior::dialect::DialectRegistry;
use std::{env, process::ExitCode};

/// The option that has every pass of ours checked; MLIR's own options are read later.
const VERIFY_EACH: &str = "verify-each-layout-pass";

// For MLIR's own allocations too: the crate's feature `override` takes the place of `malloc`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    layout_dialect::tools::init_tracing();
    layout_dialect::tools::register_upstream_passes();
    layout_passes::register_all();
    layout_lowering::register_all();
    if env::args().any(|argument| argument.trim_start_matches('-') == VERIFY_EACH) {
        layout_passes::verify_each_pass();
    }
    let registry = DialectRegistry::new();
    layout_dialect::tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    layout_dialect::tools::opt_main("MLIR optimizer driver with the layout dialect\n", &registry)
}
