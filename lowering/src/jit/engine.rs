//! MLIR's execution engine: a module of LLVM's dialect as machine code in this process.

use super::divisions;
use crate::budget::{self, Stop};
use half::{bf16, f16};
use melior::{StringRef, ir::Module};
use mlir_sys::{
    MlirExecutionEngine, mlirExecutionEngineCreate, mlirExecutionEngineDestroy,
    mlirExecutionEngineLookup, mlirExecutionEngineLookupPacked, mlirExecutionEngineRegisterSymbol,
};
use std::{ffi::c_void, fmt, marker::PhantomData};

/// A module as machine code in this process, with the conversions of 16-bit floats that machines without them call.
pub struct Engine(MlirExecutionEngine);

/// A compiled function, which takes an array of pointers to its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Packed<'e> {
    function: extern "C" fn(*mut *mut c_void),
    engine: PhantomData<&'e Engine>,
}

impl Packed<'_> {
    /// Calls the function with these parameters; the bytes of each begin its word.
    ///
    /// # Safety
    /// The words are of the types that the function takes, and its pointers reach as far as it goes.
    pub unsafe fn call(&self, words: &[u64]) {
        let mut words = words.to_vec();
        let mut arguments: Vec<*mut c_void> =
            words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
        (self.function)(arguments.as_mut_ptr());
    }

    /// Calls the function, of a module whose loops are charged, with a budget.
    ///
    /// # Errors
    ///
    /// The loop that takes more steps than these.
    ///
    /// # Safety
    /// As for [`Self::call`].
    pub(crate) unsafe fn call_within(&self, words: &[u64], steps: u64) -> Result<(), Stop> {
        let mut words = words.to_vec();
        let mut arguments: Vec<*mut c_void> =
            words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
        let (function, first) = (self.function, arguments.as_mut_ptr());
        budget::within(steps, move || function(first))
    }
}

impl Engine {
    /// Compiles a module, which may call these functions of this process; returns `None` if it is not in LLVM's dialect.
    pub fn new(module: &Module<'_>, provided: &[(&str, *mut c_void)]) -> Option<Self> {
        Self::with_optimization(module, provided, 1)
    }

    /// As [`Self::new`], without optimisation: for code that runs few steps between its calls, whose compilation would take longer
    /// than the run.
    pub(crate) fn unoptimized(
        module: &Module<'_>,
        provided: &[(&str, *mut c_void)],
    ) -> Option<Self> {
        Self::with_optimization(module, provided, 0)
    }

    fn with_optimization(
        module: &Module<'_>,
        provided: &[(&str, *mut c_void)],
        level: i32,
    ) -> Option<Self> {
        divisions::run(module.as_operation()).ok()?;
        // melior's engine is never null, even when MLIR's is; hence the C API.
        // SAFETY: the module is valid; no libraries are named.
        let engine = unsafe {
            mlirExecutionEngineCreate(module.to_raw(), level, 0, std::ptr::null(), false, false)
        };
        if engine.ptr.is_null() {
            return None;
        }
        let engine = Self(engine);
        for &(name, function) in provided {
            engine.provide(name, function);
        }
        engine.provide("__truncsfhf2", truncate_half as *mut c_void);
        engine.provide("__truncdfhf2", truncate_double_to_half as *mut c_void);
        engine.provide("__truncsfbf2", truncate_bf16 as *mut c_void);
        engine.provide("__truncdfbf2", truncate_double_to_bf16 as *mut c_void);
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

    /// The address of a variable by its name, if there is one.
    pub fn address(&self, name: &str) -> Option<u64> {
        // SAFETY: the engine is valid; the name is read during the call.
        let found = unsafe { mlirExecutionEngineLookup(self.0, StringRef::new(name).to_raw()) };
        (!found.is_null()).then_some(found as u64)
    }

    /// A function by its name, if there is one.
    pub fn packed(&self, name: &str) -> Option<Packed<'_>> {
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

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: nothing that the engine compiled is used after it.
        unsafe { mlirExecutionEngineDestroy(self.0) }
    }
}

/// Conversions between floats and those of 16 bits have these C signatures; 16 bits travel in the low bits of a
/// vector register, as a float's bits do.
extern "C" fn truncate_half(value: f32) -> f32 {
    f32::from_bits(u32::from(f16::from_f32(value).to_bits()))
}

extern "C" fn extend_half(value: f32) -> f32 {
    f16::from_bits((value.to_bits() & 0xffff) as u16).to_f32()
}

extern "C" fn truncate_double_to_half(value: f64) -> f32 {
    truncate_half(to_odd(value))
}

extern "C" fn truncate_bf16(value: f32) -> f32 {
    f32::from_bits(u32::from(bf16::from_f32(value).to_bits()))
}

extern "C" fn truncate_double_to_bf16(value: f64) -> f32 {
    truncate_bf16(to_odd(value))
}

/// The number in f32, rounded to odd if not representable in f32: rounding that to fewer bits is rounding the number once.
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let wide = f64::from(near);
    if wide == value || value.is_nan() {
        return near;
    }
    let below = if wide.abs() > value.abs() { near.to_bits() - 1 } else { near.to_bits() };
    f32::from_bits(below | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_rounded_once() {
        let to_bf16 = |value| truncate_double_to_bf16(value).to_bits();
        // Above a tie by less than f32 has, and the tie.
        let tie = 1.0 + 2f64.powi(-8);
        assert_eq!([tie, tie + 2f64.powi(-40)].map(to_bf16), [0x3f80, 0x3f81]);
        assert_eq!([-tie, -tie - 2f64.powi(-40)].map(to_bf16), [0xbf80, 0xbf81]);
        let infinite = [f64::INFINITY, 1e300, 3.4e38].map(to_bf16);
        assert_eq!(infinite, [0x7f80, 0x7f80, 0x7f80]);
        assert!(bf16::from_bits(to_bf16(f64::NAN) as u16).is_nan());
        // The least bf16, its half, and a little more than that.
        let least = 2f64.powi(-133);
        assert_eq!([least, least / 2.0, least * 0.51, 1e-300].map(to_bf16), [1, 0, 1, 0]);
        let to_half = |value| truncate_double_to_half(value).to_bits();
        let tie = 1.0 + 2f64.powi(-11);
        assert_eq!(
            [tie, tie + 2f64.powi(-45), 65519.999999].map(to_half),
            [0x3c00, 0x3c01, 0x7bff]
        );
    }

    #[test]
    fn halves_travel_in_float_registers() {
        for value in [0.0_f32, 1.5, -2.25, 65504.0] {
            assert_eq!(extend_half(truncate_half(value)), value);
        }
    }
}
