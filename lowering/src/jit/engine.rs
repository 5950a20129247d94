//! MLIR's execution engine: a module of LLVM's dialect as machine code in this process.

use half::f16;
use melior::{StringRef, ir::Module};
use mlir_sys::{
    MlirExecutionEngine, mlirExecutionEngineCreate, mlirExecutionEngineDestroy,
    mlirExecutionEngineLookupPacked, mlirExecutionEngineRegisterSymbol,
};
use std::{ffi::c_void, marker::PhantomData};

/// A module as machine code in this process.
pub(crate) struct Engine(MlirExecutionEngine);

/// A compiled function, which takes an array of pointers to its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'e> {
    function: extern "C" fn(*mut *mut c_void),
    engine: PhantomData<&'e Engine>,
}

impl Packed<'_> {
    /// Calls the function with these parameters; the bytes of each begin its word.
    ///
    /// # Safety
    /// The words are of the types that the function takes, and its pointers reach as far as it goes.
    pub(crate) unsafe fn call(&self, words: &[u64]) {
        let mut words = words.to_vec();
        let mut arguments: Vec<*mut c_void> =
            words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
        (self.function)(arguments.as_mut_ptr());
    }
}

impl Engine {
    /// Compiles a module, which may call these functions of this process; none where it is not in LLVM's dialect.
    pub(crate) fn new(module: &Module<'_>, provided: &[(&str, *mut c_void)]) -> Option<Self> {
        const OPTIMIZATION: i32 = 1;
        // melior's engine is never null, even when MLIR's is; hence the C API.
        // SAFETY: the module is valid; no libraries are named.
        let engine = unsafe {
            mlirExecutionEngineCreate(
                module.to_raw(),
                OPTIMIZATION,
                0,
                std::ptr::null(),
                false,
                false,
            )
        };
        if engine.ptr.is_null() {
            return None;
        }
        let engine = Self(engine);
        for &(name, function) in provided {
            engine.provide(name, function);
        }
        engine.provide("__truncsfhf2", truncate_half as *mut c_void);
        engine.provide("__extendhfsf2", extend_half as *mut c_void);
        Some(engine)
    }

    /// Lets compiled code call a function of this process.
    fn provide(&self, name: &str, function: *mut c_void) {
        // SAFETY: the engine is valid, and the function always is.
        unsafe {
            mlirExecutionEngineRegisterSymbol(self.0, StringRef::new(name).to_raw(), function);
        }
    }

    /// A function by its name, if there is one.
    pub(crate) fn packed(&self, name: &str) -> Option<Packed<'_>> {
        // SAFETY: the engine is valid; the name is read during the call.
        let function =
            unsafe { mlirExecutionEngineLookupPacked(self.0, StringRef::new(name).to_raw()) };
        if function.is_null() {
            return None;
        }
        // SAFETY: MLIR wraps each function in one that takes an array of pointers to arguments.
        let function = unsafe {
            std::mem::transmute::<*mut c_void, extern "C" fn(*mut *mut c_void)>(function)
        };
        Some(Packed { function, engine: PhantomData })
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: nothing that the engine compiled is used after it.
        unsafe { mlirExecutionEngineDestroy(self.0) }
    }
}

/// Conversions between f32 and half have these C signatures; a half travels in the low bits of a
/// vector register, as a float's bits do.
extern "C" fn truncate_half(value: f32) -> f32 {
    f32::from_bits(u32::from(f16::from_f32(value).to_bits()))
}

extern "C" fn extend_half(value: f32) -> f32 {
    f16::from_bits((value.to_bits() & 0xffff) as u16).to_f32()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_travel_in_float_registers() {
        for value in [0.0_f32, 1.5, -2.25, 65504.0] {
            assert_eq!(extend_half(truncate_half(value)), value);
        }
    }
}
