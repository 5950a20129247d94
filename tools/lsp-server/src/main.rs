//! `layout-lsp-server`: `mlir-lsp-server` with the layout dialect.

use melior::dialect::DialectRegistry;
use std::process::ExitCode;

fn main() -> ExitCode {
    let registry = DialectRegistry::new();
    layout_dialect::tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    layout_dialect::tools::lsp_server_main(&registry)
}
