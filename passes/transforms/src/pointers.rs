//! The alignment of the memory of a function's arguments.
//!
//! `llvm.align` of an argument states a divisor of its address. Without it, the address is a multiple of [`ASSUMED`], as
//! those of CUDA's allocations are.

use layout_dialect::{
    ViewType,
    buffers::Buffer,
    build::{Val, operand},
    element_bytes, tree,
};
use melior::ir::{
    BlockLike, OperationRef, ValueLike,
    attribute::{DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
};
use num_integer::gcd;

/// Bytes that an address without stated facts is a multiple of: what one instruction moves at most, and
/// what bulk copies require.
pub(crate) const ASSUMED: i64 = 16;

/// LLVM's attribute of an argument.
const ALIGN: &str = "llvm.align";

/// Bytes that an address is a multiple of, as far as the function says whose argument it is, and [`ASSUMED`]
/// at most.
pub(crate) fn alignment(address: Val<'_>) -> i64 {
    let of = || {
        let entry = tree::owner(address)?;
        let place = (0..entry.argument_count()).find(|&i| tree::argument(entry, i) == address)?;
        Some(alignment_of(entry.parent_operation()?, place))
    };
    of().unwrap_or(ASSUMED)
}

/// As [`alignment`], of a function's argument by its number.
pub(crate) fn alignment_of(function: OperationRef<'_, '_>, argument: usize) -> i64 {
    let declared = || {
        let all = tree::argument_attributes(function)?;
        let own = DictionaryAttribute::try_from(*all.get(argument)?).ok()?;
        IntegerAttribute::try_from(own.element_by_name(ALIGN)?).ok()
    };
    // LLVM takes powers of two only, and refuses others when it reads the function.
    declared().map_or(ASSUMED, |bytes| bytes.value().clamp(1, ASSUMED))
}

/// Bytes that a view's address is a multiple of, as far as is known: a function's argument starts as its attributes say, and
/// so does a view that starts where its base does, or an offset past it that its type has. Other views start at a multiple of
/// an element's bytes.
pub(crate) fn alignment_within(function: OperationRef<'_, '_>, value: Val<'_>) -> i64 {
    let element = |value: Val<'_>| {
        let view = ViewType::try_from(value.r#type()).ok();
        view.and_then(|view| element_bytes(view.element_type())).unwrap_or(1)
    };
    let bytes = element(value);
    let least = bytes.min(ASSUMED);
    let mut base = value;
    // The offset of the memref that the view is on: offsets count from the start of the memory that all before it share.
    let mut offset = None;
    loop {
        if offset.is_none()
            && let Ok(Some(memref)) = Buffer::of(base.r#type())
        {
            let Ok(Some(known)) = memref.offset() else { return least };
            let Some(known) = known.checked_mul(bytes) else { return least };
            offset = Some(gcd(known, ASSUMED));
        }
        let with_offset = |start: i64| gcd(start, offset.unwrap_or(ASSUMED));
        let Some(made) = tree::definition(base) else {
            let is_own = tree::owner(base)
                .and_then(|block| block.parent_operation())
                .is_some_and(|parent| parent == function);
            return if is_own { with_offset(alignment(base)).max(least) } else { least };
        };
        let name = tree::name(made);
        if matches!(name.as_str(), "memref.alloc" | "memref.assume_alignment") {
            // The assumption is about the address of the memref's first element, after an offset of its own.
            let own = Buffer::of(base.r#type()).ok().flatten().and_then(|own| own.offset().ok()?);
            let alignment = made.attribute("alignment").and_then(IntegerAttribute::try_from);
            let alignment = alignment.ok().filter(|_| own == Some(0));
            let start = alignment.map(|bytes| bytes.value().clamp(least, ASSUMED));
            return start.map_or(least, |start| with_offset(start).max(least));
        }
        let keeps = matches!(
            name.as_str(),
            "layout.make_view"
                | "layout.composition"
                | "layout.coalesce"
                | "layout.logical_divide"
                | "layout.zipped_divide"
                | "layout.flatten"
                | "layout.group"
                | "memref.cast"
                | "memref.collapse_shape"
                | "memref.expand_shape"
                | "memref.memory_space_cast"
                | "memref.subview"
        );
        if !keeps {
            return least;
        }
        base = operand(made, 0);
    }
}
