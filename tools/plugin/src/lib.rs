//! The layout dialect and its passes for compilers that are not ours: a plugin for `mlir-opt`, and a
//! library with a C API (`include/layout-c/Layout.h`; `include/layout/Layout.h` is C++ over it).
//!
//! `cargo xtask plugin` makes `liblayout_plugin.so`, linked to the `libMLIR.so` that the compiler
//! itself uses: MLIR distinguishes types by addresses, so a process must have one copy of it.
//!
//! A shared library of Rust hides the symbols of its C++ objects. Visible from outside are the two entry points below, [`c_api`],
//! and, by `exports.map`, the classes of the dialect (`dialect/ir/include/layout/Dialect.h`).

pub mod c_api;
mod catch;

use catch::caught;
use mlir_sys::MlirDialectRegistry;
use std::ffi::{CStr, c_char, c_void};

/// `MLIR_PLUGIN_API_VERSION` of MLIR 22.
const API_VERSION: u32 = 1;

const NAME: &CStr = c"layout";

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("a version holds no NUL byte"),
    };

/// `mlir::DialectPluginLibraryInfo`.
#[repr(C)]
#[derive(Debug)]
pub struct DialectPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
}

/// `mlir::PassPluginLibraryInfo`.
#[repr(C)]
#[derive(Debug)]
pub struct PassPluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(),
}

/// Installs the hooks of the dialect when the library is loaded: C++ may create `layout::LayoutDialect` by itself.
#[used]
#[unsafe(link_section = ".init_array")]
static INSTALL: extern "C" fn() = install;

extern "C" fn install() {
    caught((), || {
        let _ = layout_dialect::handle();
    });
}

/// The function that `--load-dialect-plugin` calls.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetDialectPluginInfo() -> DialectPluginInfo {
    DialectPluginInfo {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION.as_ptr(),
        register: register_dialect,
    }
}

/// The function that `--load-pass-plugin` calls.
#[unsafe(no_mangle)]
pub extern "C" fn mlirGetPassPluginInfo() -> PassPluginInfo {
    PassPluginInfo {
        api_version: API_VERSION,
        name: NAME.as_ptr(),
        version: VERSION.as_ptr(),
        register: register_passes,
    }
}

unsafe extern "C" fn register_dialect(registry: *mut c_void) {
    caught((), || {
        layout_dialect::tools::init_tracing();
        // SAFETY: the host passes its registry, valid for the length of the call.
        unsafe { insert_dialect(MlirDialectRegistry { ptr: registry }) }
    });
}

extern "C" fn register_passes() {
    caught((), || {
        layout_dialect::tools::init_tracing();
        register_all_passes();
    });
}

/// # Safety
///
/// The registry must be valid.
unsafe fn insert_dialect(registry: MlirDialectRegistry) {
    // SAFETY: the caller's promise.
    unsafe { layout_dialect::register_raw(registry) }
}

/// Registers every pass and pipeline, once for the process.
fn register_all_passes() {
    layout_passes::register_all();
    layout_lowering::register_all();
}
