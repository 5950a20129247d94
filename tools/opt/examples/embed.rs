//! A compiler in Rust that embeds the dialect, with a registry of its own: it reads a module and runs our passes on it between
//! MLIR's own. `cargo run -p layout-opt --example embed` compiles standard input.

use layout_dialect::tools;
use melior::{Context, dialect::DialectRegistry};
use std::{error::Error, io};

const PASSES: &str = "builtin.module(layout-simplify,layout-fold,layout-lower,canonicalize,cse)";

/// MLIR's dialects and passes, and ours.
fn context() -> Context {
    layout_passes::register_all();
    layout_lowering::register_all();
    // The global registry of passes has MLIR's own too.
    melior::utility::register_all_passes();
    let registry = DialectRegistry::new();
    tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    // Errors are values, with the text of the diagnostics: MLIR need not print it.
    context.attach_diagnostic_handler(|_| true);
    context
}

fn compile(text: &str) -> Result<String, String> {
    let context = context();
    let mut module = tools::parse(&context, text)?;
    tools::run_passes(&context, &mut module, PASSES)?;
    Ok(module.as_operation().to_string())
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{}", compile(&io::read_to_string(io::stdin())?)?);
    Ok(())
}
