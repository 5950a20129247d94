//! The alignment of the memory of a function's arguments.
//!
//! `llvm.align` of an argument states a divisor of its address. Without it, the address is a multiple of [`ASSUMED`], as
//! those of CUDA's allocations are.

use layout_dialect::{build::Val, tree};
use melior::ir::{
    BlockLike, OperationRef,
    attribute::{DictionaryAttribute, IntegerAttribute},
};

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
