//! Programs and graphs for C.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::{Status, null, slice, status, text};
use crate::driver::Stream;
use crate::executable::Executable;
use crate::runnable::{Graph, Runnable, Tensor};
use crate::{Error, Result};

/// `layout_tensor`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RawTensor {
    data: *mut c_void,
    shape: *const i64,
    rank: usize,
}

/// The tensors of a list.
///
/// # Safety
/// As the header says of the list and of its shapes, which live as long as the result.
unsafe fn tensors<'a>(list: *const RawTensor, count: usize, what: &str) -> Result<Vec<Tensor<'a>>> {
    // SAFETY: the caller's promise.
    let list = unsafe { slice(list, count, what)? };
    let tensor = |tensor: &RawTensor| {
        // SAFETY: the caller's promise.
        let shape = unsafe { slice(tensor.shape, tensor.rank, "the extents of a tensor")? };
        Ok(Tensor { address: tensor.data as u64, shape })
    };
    list.iter().map(tensor).collect()
}

/// # Safety
/// Null, or what [`layout_executable_program`] gave.
unsafe fn program<'a>(program: *const Runnable) -> Result<&'a Runnable> {
    // SAFETY: the caller's promise.
    unsafe { program.as_ref() }.ok_or_else(|| null("a program"))
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_executable_program(
    executable: *const Executable,
    name: *const c_char,
    program: *mut *const Runnable,
) -> Status {
    status(|| {
        // SAFETY: null, or what `layout_executable_load` gave.
        let executable = unsafe { executable.as_ref() }.ok_or_else(|| null("an executable"))?;
        if program.is_null() {
            return Err(null("a place for the program"));
        }
        // SAFETY: the caller keeps the header's contract for `name`.
        let found = executable.program(unsafe { text(name, "a program's name") }?)?;
        // SAFETY: not null, and a place of this type; the executable keeps the program.
        unsafe { program.write(Arc::as_ptr(&found)) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_program_argument_count(program: *const Runnable) -> usize {
    // SAFETY: null, or what `layout_executable_program` gave.
    unsafe { program.as_ref() }.map_or(0, |program| program.program().arguments.len())
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_program_result_count(program: *const Runnable) -> usize {
    // SAFETY: null, or what `layout_executable_program` gave.
    unsafe { program.as_ref() }.map_or(0, |program| program.program().results.len())
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_program_result_rank(
    program: *const Runnable,
    number: usize,
) -> usize {
    // SAFETY: null, or what `layout_executable_program` gave.
    let result = unsafe { program.as_ref() }.and_then(|one| one.program().results.get(number));
    result.map_or(usize::MAX, |result| result.shape.len())
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_program_result_shape(
    program: *const Runnable,
    arguments: *const RawTensor,
    argument_count: usize,
    number: usize,
    extents: *mut i64,
) -> Status {
    status(|| {
        // SAFETY: the caller keeps the header's contract for both.
        let (program, arguments) =
            unsafe { (self::program(program)?, tensors(arguments, argument_count, "arguments")?) };
        let shapes: Vec<&[i64]> = arguments.iter().map(|argument| argument.shape).collect();
        let found = program.program().result_shapes(&shapes)?;
        let shape = found.get(number).ok_or_else(|| {
            let (name, count) = (&program.program().name, found.len());
            Error::Launch(format!(
                "program {name}: expected a result below {count}, found {number}"
            ))
        })?;
        if extents.is_null() && !shape.is_empty() {
            return Err(null("a place for the extents"));
        }
        for (i, &extent) in shape.iter().enumerate() {
            // SAFETY: the header requires as many places as the rank.
            unsafe { extents.add(i).write(extent) };
        }
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_program_workspace_bytes(
    program: *const Runnable,
    arguments: *const RawTensor,
    argument_count: usize,
    bytes: *mut usize,
) -> Status {
    status(|| {
        // SAFETY: the caller keeps the header's contract for both.
        let (program, arguments) =
            unsafe { (self::program(program)?, tensors(arguments, argument_count, "arguments")?) };
        if bytes.is_null() {
            return Err(null("a place for the number of bytes"));
        }
        let shapes: Vec<&[i64]> = arguments.iter().map(|argument| argument.shape).collect();
        let found = program.workspace_bytes(&shapes)?;
        // SAFETY: not null, and the header requires a place of this type.
        unsafe { bytes.write(found) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_program_run(
    program: *const Runnable,
    stream: *mut c_void,
    arguments: *const RawTensor,
    argument_count: usize,
    results: *const RawTensor,
    result_count: usize,
) -> Status {
    // SAFETY: the caller keeps the header's contract for all of them.
    status(|| unsafe {
        let arguments = tensors(arguments, argument_count, "arguments")?;
        let results = tensors(results, result_count, "results")?;
        self::program(program)?.run(Stream::of(stream), &arguments, &results)
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_program_capture(
    program: *const Runnable,
    arguments: *const RawTensor,
    argument_count: usize,
    results: *const RawTensor,
    result_count: usize,
    graph: *mut *mut Graph,
) -> Status {
    status(|| {
        if graph.is_null() {
            return Err(null("a place for the graph"));
        }
        // SAFETY: the caller keeps the header's contract for all of them.
        let captured = unsafe {
            let arguments = tensors(arguments, argument_count, "arguments")?;
            let results = tensors(results, result_count, "results")?;
            self::program(program)?.capture(&arguments, &results)?
        };
        // SAFETY: not null, and the header requires a place of this type.
        unsafe { graph.write(Box::into_raw(Box::new(captured))) };
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_graph_launch(graph: *const Graph, stream: *mut c_void) -> Status {
    // SAFETY: null, or what `layout_program_capture` gave; the caller keeps the header's contract for the stream.
    status(|| unsafe { graph.as_ref().ok_or_else(|| null("a graph"))?.launch(Stream::of(stream)) })
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn layout_graph_free(graph: *mut Graph) {
    if !graph.is_null() {
        // SAFETY: it came from `layout_program_capture`, and is freed once, as the header requires.
        let graph = unsafe { Box::from_raw(graph) };
        status(|| {
            drop(graph);
            Ok(())
        });
    }
}
