//! Which memory operations on memrefs read and write, and whether two memrefs may be the same memory.
//!
//! Memrefs that are made by different operations, or passed as different arguments, are taken for different memory, as
//! bufferisation makes them. Tensors are values: none is another's memory.

use layout_dialect::{
    affine::indexing_maps,
    buffers::{Buffer, is_part},
    build::{Val, operand},
    tree,
};
use melior::ir::{BlockLike, OperationRef, ValueLike, operation::OperationLike};

/// The memref that another one is a part of.
pub(super) fn root(mut value: Val<'_>) -> Val<'_> {
    while let Some(made) = tree::definition(value) {
        if !is_part(&tree::name(made)) || made.operand_count() == 0 {
            break;
        }
        value = operand(made, 0);
    }
    value
}

/// Whether a value is a memref, and no tensor.
pub(super) fn is_memref(value: Val<'_>) -> bool {
    !matches!(Buffer::of(value.r#type()), Ok(None))
}

/// Where the memory of a memref comes from.
#[derive(PartialEq)]
enum Origin {
    Made,
    Passed,
    Global(String),
    Unknown,
}

impl Origin {
    fn of(root: Val<'_>) -> Self {
        if let Some(made) = tree::definition(root) {
            return match tree::name(made).as_str() {
                "memref.alloc" | "memref.alloca" => Self::Made,
                "memref.get_global" => made
                    .attribute("name")
                    .map_or(Self::Unknown, |name| Self::Global(name.to_string())),
                _ => Self::Unknown,
            };
        }
        let block = tree::owner(root);
        let function = block.and_then(|block| block.parent_operation());
        let function = function.filter(|function| tree::name(*function) == "func.func");
        let entry = function.and_then(tree::entry).map(|entry| entry.to_raw().ptr);
        match block.map(|block| block.to_raw().ptr) == entry && entry.is_some() {
            true => Self::Passed,
            false => Self::Unknown,
        }
    }
}

/// Whether two roots may be the same memory.
pub(super) fn overlap(a: Val<'_>, b: Val<'_>) -> bool {
    if tree::key(a) == tree::key(b) {
        return true;
    }
    if !is_memref(a) || !is_memref(b) {
        return false;
    }
    match (Origin::of(a), Origin::of(b)) {
        (Origin::Unknown, _) | (_, Origin::Unknown) => true,
        (Origin::Global(a), Origin::Global(b)) => a == b,
        _ => false,
    }
}

pub(super) fn meets(all: &[Val<'_>], own: &[Val<'_>]) -> bool {
    all.iter().any(|&a| own.iter().any(|&b| overlap(a, b)))
}

/// The memory that an operation reads, and that it writes, or `None` if that is not known.
pub(super) fn effects<'c>(operation: OperationRef<'c, 'c>) -> Option<(Vec<Val<'c>>, Vec<Val<'c>>)> {
    let name = tree::name(operation);
    let is_of_index = |name: &str| {
        let known = ["arith.", "math.", "affine.apply", "affine.min", "affine.max"];
        known.iter().any(|known| name.starts_with(known))
    };
    let memrefs = |from: usize, to: usize| -> Vec<Val<'c>> {
        let all = (from..to).map(|i| operand(operation, i));
        all.filter(|value| is_memref(*value)).map(root).collect()
    };
    let count = operation.operand_count();
    match name.as_str() {
        "memref.alloc"
        | "memref.dim"
        | "memref.cast"
        | "memref.collapse_shape"
        | "memref.expand_shape"
        | "memref.memory_space_cast"
        | "memref.reinterpret_cast"
        | "memref.subview"
        | "memref.transpose"
        | "memref.extract_strided_metadata" => Some((Vec::new(), Vec::new())),
        "layout.constant" | "layout.make" | "layout.make_view" => Some((Vec::new(), Vec::new())),
        "memref.dealloc" => Some((Vec::new(), memrefs(0, count))),
        "memref.copy" if count == 2 => Some((memrefs(0, 1), memrefs(1, 2))),
        name if is_of_index(name) => Some((Vec::new(), Vec::new())),
        name if name.starts_with("linalg.") && tree::entry(operation).is_some() => {
            // Bodies of structured operations compute with elements alone.
            let maps = indexing_maps(operation)?;
            let result = maps.len().checked_sub(1)?;
            (operation.result_count() == 0 && maps.len() == count)
                .then(|| (memrefs(0, count), memrefs(result, count)))
        }
        _ => None,
    }
}
