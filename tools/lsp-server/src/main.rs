//! `layout-lsp-server`: `mlir-lsp-server` with the layout dialect, which also shows the tables of
//! layouts and completes the names of operations and passes.
//!
//! MLIR's server runs as a child of the same program, and [`proxy`] adds to its answers.

mod assist;
mod page;
mod proxy;
mod reference;

use melior::dialect::DialectRegistry;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Options are for MLIR's server alone: for help, and for tests with messages in another form.
    let plain = std::env::var_os(proxy::INNER).is_some() || std::env::args_os().len() > 1;
    if plain {
        return serve();
    }
    match proxy::run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("layout-lsp-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs MLIR's server in this process.
fn serve() -> ExitCode {
    let registry = DialectRegistry::new();
    layout_dialect::tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    layout_dialect::tools::lsp_server_main(&registry)
}
