//! Divisions of integers that this machine cannot do: by 0, and of the least integer by -1. They end its process, whereas a GPU gives some
//! number. Code that is compiled for this machine divides by 1 there.

use crate::budget::loops::constant;
use layout_dialect::{
    build::{Builder, operand},
    tree,
};
use melior::ir::{
    OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
    r#type::IntegerType,
};

/// The predicate of `llvm.icmp eq`.
const EQUAL: i64 = 0;

/// Makes divisions below `root`, in LLVM's dialect, safe.
///
/// # Errors
///
/// MLIR's error for an operation that it refuses.
pub(super) fn run(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    for (name, is_signed) in
        [("llvm.sdiv", true), ("llvm.srem", true), ("llvm.udiv", false), ("llvm.urem", false)]
    {
        for division in tree::inside(root, name) {
            make_safe(division, is_signed)?;
        }
    }
    Ok(())
}

fn make_safe(division: OperationRef<'_, '_>, is_signed: bool) -> Result<(), melior::Error> {
    let (dividend, divisor) = (operand(division, 0), operand(division, 1));
    let Ok(own) = IntegerType::try_from(divisor.r#type()) else { return Ok(()) };
    if own.width() > 64 {
        return Ok(());
    }
    let known = tree::definition(divisor).and_then(|made| made.attribute("value").ok());
    let known = known.and_then(|value| IntegerAttribute::try_from(value).ok());
    if known.is_some_and(|known| !(-1..=0).contains(&known.value())) {
        return Ok(());
    }
    let (b, bits) = (Builder::before(division), own.width());
    let is = |value, number: i64| {
        let operands = [value, constant(&b, bits, number)?];
        b.value("llvm.icmp", &operands, b.integer(1), &[("predicate", b.i64_attribute(EQUAL))])
    };
    let mut has_none = is(divisor, 0)?;
    if is_signed {
        let least = i64::MIN.unbounded_shr(64_u32.saturating_sub(bits));
        let overflows = b.binary("llvm.and", is(divisor, -1)?, is(dividend, least)?)?;
        has_none = b.binary("llvm.or", has_none, overflows)?;
    }
    let one = constant(&b, bits, 1)?;
    let safe = b.value("llvm.select", &[has_none, one, divisor], divisor.r#type(), &[])?;
    tree::set_operand(division, 1, safe);
    Ok(())
}
