//! Programs as machine code of this process, through LLVM.

use crate::{
    compare::{self, Outcome, Trace},
    generate::{RESULTS, WIDTHS, bits_of},
    hunt::{Execution, Program},
    interpret::{
        memory::{Byte, Event, Memory},
        value::{Value, mask},
    },
    ir::Op,
};
use mlir_sys::{
    MlirExecutionEngine, MlirModule, MlirStringRef, mlirExecutionEngineCreate,
    mlirExecutionEngineDestroy, mlirExecutionEngineLookupPacked, mlirExecutionEngineRegisterSymbol,
    mlirModuleFromOperation,
};
use std::{cell::RefCell, ffi::c_void};

thread_local! {
    static SEEN: RefCell<Vec<(usize, u64)>> = const { RefCell::new(Vec::new()) };
}

fn see(width: usize, value: u64) {
    let bits = mask(bits_of(WIDTHS[width]));
    SEEN.with_borrow_mut(|seen| seen.push((width, value & bits)));
}

macro_rules! see {
    ($($name:ident $width:literal),*) => {
        $(extern "C" fn $name(value: u64) {
            see($width, value);
        })*
        const SEE: &[extern "C" fn(u64)] = &[$($name),*];
    };
}

see!(see_i1 0, see_i8 1, see_i16 2, see_i32 3, see_i64 4, see_index 5);

struct Engine(MlirExecutionEngine);

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: nothing that the engine compiled is used after it.
        unsafe { mlirExecutionEngineDestroy(self.0) }
    }
}

fn lend(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

impl Engine {
    fn new(module: MlirModule) -> Option<Self> {
        // SAFETY: the module is valid; no libraries are named.
        let engine =
            unsafe { mlirExecutionEngineCreate(module, 2, 0, std::ptr::null(), false, false) };
        if engine.ptr.is_null() {
            return None;
        }
        let engine = Self(engine);
        for (width, function) in WIDTHS.iter().zip(SEE) {
            // SAFETY: the engine is valid, and the function always is.
            unsafe {
                let name = format!("see_{width}");
                mlirExecutionEngineRegisterSymbol(engine.0, lend(&name), *function as *mut c_void);
            }
        }
        Some(engine)
    }

    fn call(&self, name: &str, arguments: &mut [*mut c_void]) -> Option<()> {
        // SAFETY: the engine is valid; the name is read during the call.
        let function = unsafe { mlirExecutionEngineLookupPacked(self.0, lend(name)) };
        if function.is_null() {
            return None;
        }
        // SAFETY: MLIR wraps each function in one that takes an array of pointers to its arguments and to
        // its results; programs have no undefined behaviour for these, as the interpreter found.
        unsafe {
            let function: extern "C" fn(*mut *mut c_void) = std::mem::transmute(function);
            function(arguments.as_mut_ptr());
        }
        Some(())
    }
}

/// Bytes on each side of an allocation.
const REDZONE: usize = 256;

/// Compares machine code of a module in LLVM's dialect with the originals' executions. Programs that are
/// wrong already are left out.
pub fn check(
    module: Op,
    programs: &[&Program],
    wrong: &[u64],
    count: &mut u64,
) -> Vec<(u64, String)> {
    // SAFETY: the operation is a module.
    let module = unsafe { mlirModuleFromOperation(module.0) };
    let Some(engine) = Engine::new(module) else {
        let first = programs.first().map_or(0, |program| program.seed);
        return vec![(first, "not understood: the JIT takes no module of these".to_owned())];
    };
    let mut found = Vec::new();
    for program in
        programs.iter().filter(|program| program.traits.stock && !wrong.contains(&program.seed))
    {
        for execution in &program.executions {
            *count += 1;
            if let Some(what) = one(&engine, &program.name, execution) {
                found.push((program.seed, format!("machine code: {what}")));
                break;
            }
        }
    }
    found
}

fn one(engine: &Engine, name: &str, execution: &Execution) -> Option<String> {
    // Words of 16 bytes, as aligned as a memref is.
    let mut buffers: Vec<Vec<u128>> = Vec::new();
    for allocation in &execution.memory.allocations {
        buffers.push(vec![0; (allocation.bytes.len() + 2 * REDZONE).div_ceil(16)]);
    }
    let bytes = |buffer: &mut Vec<u128>| -> &'static mut [u8] {
        // SAFETY: the buffers are valid until this function returns and are not moved; any bytes are words.
        unsafe { std::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), buffer.len() * 16) }
    };
    let mut starts = Vec::new();
    for (allocation, buffer) in execution.memory.allocations.iter().zip(&mut buffers) {
        let buffer = bytes(buffer);
        for (i, byte) in allocation.bytes.iter().enumerate() {
            if let Byte::Known(byte) = byte {
                buffer[REDZONE + i] = *byte;
            }
        }
        starts.push(buffer[REDZONE..].as_mut_ptr() as u64);
    }
    let real = |address: u64| {
        let number = (address >> 40) as usize - 1;
        starts[number] + (address & ((1 << 40) - 1))
    };
    let mut words = Vec::new();
    for (i, value) in execution.values.iter().enumerate() {
        match value {
            Value::Bits(bits) if i == 0 => words.push(real(*bits)),
            Value::Bits(bits) => words.push(*bits),
            Value::MemRef(memref) => {
                let base = real(memref.base);
                words.extend([base, base, memref.offset as u64]);
                words.extend(memref.sizes.iter().chain(&memref.strides).map(|n| *n as u64));
            }
            _ => return Some("not understood: an argument".to_owned()),
        }
    }
    let mut results = vec![0_u64; RESULTS.len()];
    let mut arguments: Vec<*mut c_void> =
        words.iter_mut().map(|word| std::ptr::from_mut(word).cast()).collect();
    arguments.push(results.as_mut_ptr().cast());
    SEEN.with_borrow_mut(Vec::clear);
    if engine.call(name, &mut arguments).is_none() {
        return Some("not understood: no machine code".to_owned());
    }
    let mut memory: Memory = execution.memory.clone();
    for ((allocation, buffer), before) in
        memory.allocations.iter_mut().zip(&mut buffers).zip(&execution.memory.allocations)
    {
        let buffer = bytes(buffer);
        let end = REDZONE + before.bytes.len();
        if buffer[..REDZONE].iter().chain(&buffer[end..]).any(|byte| *byte != 0) {
            return Some("bytes outside of memory are written".to_owned());
        }
        for (i, byte) in allocation.bytes.iter_mut().enumerate() {
            *byte = Byte::Known(buffer[REDZONE + i]);
        }
    }
    memory.events = SEEN.with_borrow(|seen| {
        seen.iter()
            .map(|(width, value)| Event::Call {
                name: format!("see_{}", WIDTHS[*width]).into(),
                arguments: vec![Value::Bits(*value)],
            })
            .collect()
    });
    let results = RESULTS
        .iter()
        .zip(&results)
        .map(|(ty, word)| Value::Bits(word & mask(bits_of(ty))))
        .collect();
    // Loads of machine code are not seen.
    let after = Outcome { results, memory };
    compare::difference(&execution.outcome, &after, Trace::Values)
}
