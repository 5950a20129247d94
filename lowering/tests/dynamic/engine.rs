//! Programs to machine code, in this process.

use melior::{
    Context, StringRef,
    dialect::DialectRegistry,
    ir::Module,
    pass::PassManager,
    utility::{
        parse_pass_pipeline, register_all_dialects, register_all_llvm_translations,
        register_all_passes,
    },
};
use mlir_sys::{
    MlirExecutionEngine, mlirExecutionEngineCreate, mlirExecutionEngineDestroy,
    mlirExecutionEngineLookupPacked,
};
use std::{ffi::c_void, sync::Once};

/// A context with every dialect; this crate's passes and MLIR's are registered.
pub(crate) fn context() -> Context {
    static PASSES: Once = Once::new();
    PASSES.call_once(|| {
        register_all_passes();
        layout_lowering::register_all();
    });
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    register_all_llvm_translations(&context);
    context
}

fn run(context: &Context, module: &mut Module<'_>, pipeline: &str) {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline).expect("a pipeline");
    manager.run(module).unwrap_or_else(|_| panic!("{pipeline} fails on {}", module.as_operation()));
}

/// Upstream passes from what `layout-lower` leaves to LLVM's dialect.
const TO_LLVM: &str = "builtin.module(canonicalize,cse,convert-scf-to-cf,\
                       convert-vector-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,\
                       convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)";

/// A module as machine code.
pub(crate) struct Engine(MlirExecutionEngine);

impl Engine {
    /// A program, lowered: no operation and no type of the dialect may be left before upstream passes go
    /// on; a memref keeps its layout, which they know by its interface.
    pub(crate) fn lowered(context: &Context, text: &str) -> Self {
        let mut module =
            Module::parse(context, text).unwrap_or_else(|| panic!("does not parse:\n{text}"));
        run(context, &mut module, "builtin.module(layout-lower)");
        let lowered = module.as_operation().to_string();
        let left = lowered.contains("layout.") || lowered.contains("!layout<");
        assert!(!left, "something of the dialect is left:\n{lowered}");
        run(context, &mut module, TO_LLVM);
        // SAFETY: the module is valid; no libraries are named.
        let engine = unsafe {
            mlirExecutionEngineCreate(module.to_raw(), 0, 0, std::ptr::null(), false, false)
        };
        assert!(!engine.ptr.is_null(), "the JIT takes {}", module.as_operation());
        Self(engine)
    }

    /// Calls a function of integers; each result has 64 bits, or is one boolean.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: &[i64],
        results: usize,
        boolean: bool,
    ) -> Vec<i64> {
        // SAFETY: the engine is valid; the name is read during the call.
        let function =
            unsafe { mlirExecutionEngineLookupPacked(self.0, StringRef::new(name).to_raw()) };
        assert!(!function.is_null(), "there is a function {name}");
        // An i32 is read from the first bytes of its integer: machines that run this are little-endian.
        let mut arguments = arguments.to_vec();
        let mut found = vec![0_i64; results];
        let mut pointers: Vec<*mut c_void> =
            arguments.iter_mut().map(|value| std::ptr::from_mut(value).cast()).collect();
        pointers.push(found.as_mut_ptr().cast());
        // SAFETY: MLIR wraps each function in one that takes an array of pointers to arguments and to
        // the results, which are contiguous.
        unsafe {
            let function: extern "C" fn(*mut *mut c_void) = std::mem::transmute(function);
            function(pointers.as_mut_ptr());
        }
        if boolean {
            found.iter_mut().for_each(|value| *value &= 1);
        }
        found
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: nothing that the engine compiled is used after it.
        unsafe { mlirExecutionEngineDestroy(self.0) }
    }
}
