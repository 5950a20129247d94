//! The extension of the Python package `layout_mlir`: compiles MLIR, and launches what it gives on tensors.

mod array;
#[cfg(feature = "compiler")]
mod compile;
mod dlpack;
mod error;
mod function;
mod launch;
mod module;
mod specialize;
mod tensor;
mod xla;

use std::ffi::c_void;

use pyo3::prelude::*;

/// The native part of `layout_mlir`.
#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<module::PyModule_>()?;
    module.add_class::<module::PyDiagnostic>()?;
    module.add_class::<function::PyFunction>()?;
    module.add_class::<function::PyOperand>()?;
    module.add_class::<array::PyArray>()?;
    module.add("CompileError", py.get_type::<error::CompileError>())?;
    module.add("OperandError", py.get_type::<error::OperandError>())?;
    module.add("DriverError", py.get_type::<error::DriverError>())?;
    module.add("NoGpuError", py.get_type::<error::NoGpuError>())?;
    module.add_function(wrap_pyfunction!(module::load, module)?)?;
    #[cfg(feature = "compiler")]
    {
        module.add_function(wrap_pyfunction!(compile::compile, module)?)?;
        module.add_function(wrap_pyfunction!(compile::jit, module)?)?;
        module.add_function(wrap_pyfunction!(compile::chips, module)?)?;
    }
    let handler: unsafe extern "C" fn(*mut xla::Frame) -> *mut c_void = xla::handler;
    module.add("_XLA_HANDLER", handler as usize)?;
    module.add("HAS_COMPILER", cfg!(feature = "compiler"))?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
