//! The passes and pipelines that are compared, and the one place that registers them.

use crate::{compare::Trace, generate::Traits};
use melior::{
    Context,
    dialect::DialectRegistry,
    pass::PassManager,
    utility::{parse_pass_pipeline, register_all_llvm_translations},
};
use mlir_sys::{MlirOperation, mlirContextEnableMultithreading, mlirPassManagerRunOnOp};
use std::sync::{Arc, Mutex, Once};

/// One pass or pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// How it is called here.
    pub name: &'static str,
    /// Its text.
    pub pipeline: &'static str,
    /// The changes that it may make.
    pub trace: Trace,
    /// Whether upstream's folds are part of it.
    pub stock: bool,
    /// Whether it hoists what has no effects out of loops that do not run, where upstream forgets poison.
    pub hoists: bool,
    /// Whether the threads of a kernel become loops, whose order is another.
    pub serial: bool,
    /// Whether it frees memory itself, and takes no program that does, that launches a kernel, or that
    /// has branches between blocks: upstream's pass crashes on some of them.
    pub frees: bool,
    /// Whether LLVM's dialect is what it leaves, and machine code is made of it.
    pub native: bool,
    /// Whether it changes nothing, and must refute a kernel whose threads race or leave a layout, if it follows them.
    pub verifies: bool,
    /// Whether it lowers, and may refuse what it has no lowering for; another row takes every program.
    pub refuses: bool,
}

impl Row {
    /// Whether it is meant for a program.
    pub fn takes(&self, traits: Traits) -> bool {
        !(self.frees && (traits.frees || traits.blocks || traits.launches))
            && !((self.serial || self.native) && traits.upstream)
    }

    /// The changes that it may make to a program.
    pub fn trace_of(&self, traits: Traits) -> Trace {
        if self.serial && traits.launches { Trace::Values } else { self.trace }
    }
}

const fn row(name: &'static str, pipeline: &'static str, trace: Trace) -> Row {
    Row {
        name,
        pipeline,
        trace,
        stock: matches!(trace, Trace::Values),
        hoists: false,
        serial: false,
        frees: false,
        native: false,
        verifies: false,
        refuses: false,
    }
}

/// The name of a finding where MLIR reads something else in a type's text than it says.
pub const READ: &str = "types as they are read";

/// The pipelines that are compared.
pub const ROWS: &[Row] = &[
    row("layout-simplify", "builtin.module(layout-simplify)", Trace::Exact),
    row(
        "layout-simplify without evaluate",
        "builtin.module(layout-simplify{evaluate=false})",
        Trace::Exact,
    ),
    row("layout-fold", "builtin.module(layout-fold)", Trace::Exact),
    Row { refuses: true, ..row("layout-lower", "builtin.module(layout-lower)", Trace::Exact) },
    Row {
        refuses: true,
        ..row("layout-lower plain", "builtin.module(layout-lower{plain=true})", Trace::Exact)
    },
    Row {
        serial: true,
        refuses: true,
        ..row("layout-serialize", "builtin.module(layout-serialize)", Trace::Exact)
    },
    Row { verifies: true, ..row("layout-verify", "builtin.module(layout-verify)", Trace::Exact) },
    row("canonicalize", "builtin.module(canonicalize)", Trace::Values),
    row("cse", "builtin.module(cse)", Trace::Values),
    row("sccp", "builtin.module(sccp)", Trace::Values),
    row("inline", "builtin.module(inline)", Trace::Values),
    Row {
        hoists: true,
        ..row("licm", "builtin.module(loop-invariant-code-motion)", Trace::Values)
    },
    row(
        "optimize-allocation-liveness",
        "builtin.module(func.func(optimize-allocation-liveness))",
        Trace::Values,
    ),
    Row {
        frees: true,
        ..row(
            "buffer-deallocation-pipeline",
            "builtin.module(buffer-deallocation-pipeline)",
            Trace::Values,
        )
    },
    Row {
        refuses: true,
        ..row(
            "as kernels are lowered",
            "builtin.module(layout-simplify{arithmetic=false},layout-fold,layout-lower,canonicalize,cse,layout-simplify,canonicalize,cse)",
            Trace::Values,
        )
    },
    Row {
        refuses: true,
        ..row(
            "kernels to nvvm",
            "builtin.module(layout-simplify{arithmetic=false},layout-fold,layout-lower,layout-kernels-to-nvvm)",
            Trace::Values,
        )
    },
    Row {
        native: true,
        refuses: true,
        ..row(
            "layout-to-host",
            // After it, what is no layout program's goes to LLVM's dialect too.
            "builtin.module(canonicalize,expand-strided-metadata,lower-affine,layout-to-host,\
             convert-scf-to-cf,convert-vector-to-llvm,arith-expand{include-bf16=true},finalize-memref-to-llvm,\
             convert-arith-to-llvm,convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,\
             reconcile-unrealized-casts)",
            Trace::Values,
        )
    },
];

/// The messages of a context's diagnostics since they were last taken.
pub type Messages = Arc<Mutex<Vec<String>>>;

/// A context with every dialect, in one thread; diagnostics are kept and not shown.
pub fn context() -> (Context, Messages) {
    static PASSES: Once = Once::new();
    PASSES.call_once(|| {
        layout_dialect::tools::register_upstream_passes();
        layout_passes::register_all();
        layout_lowering::register_all();
    });
    let registry = DialectRegistry::new();
    layout_dialect::tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    // SAFETY: the context is valid, and nothing else uses it yet.
    unsafe { mlirContextEnableMultithreading(context.to_raw(), false) };
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    register_all_llvm_translations(&context);
    let messages = Messages::default();
    let kept = messages.clone();
    context.attach_diagnostic_handler(move |diagnostic| {
        if let Ok(mut kept) = kept.lock()
            && kept.len() < 64
        {
            kept.push(diagnostic.to_string());
        }
        true
    });
    (context, messages)
}

/// A manager of one row's passes.
pub fn manager<'c>(context: &'c Context, row: &Row) -> PassManager<'c> {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), row.pipeline)
        .unwrap_or_else(|error| panic!("{} is a pipeline: {error}", row.pipeline));
    manager
}

/// Runs passes over a module; whether they succeeded.
pub fn apply(manager: &PassManager<'_>, module: MlirOperation) -> bool {
    // SAFETY: manager and module are of one context and are valid.
    unsafe { mlirPassManagerRunOnOp(manager.to_raw(), module).value != 0 }
}
