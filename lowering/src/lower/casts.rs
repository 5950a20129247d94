//! Conversions of single floats to and from 8 bits, `arith.extf` and `arith.truncf`, which upstream's conversion to LLVM's dialect lacks.
//!
//! Results are those of MLIR's constant folder: what rounds to more than the greatest number becomes an infinity, or, where a type has none,
//! a NaN. Copies saturate ([`super::convert`]).

use super::{Failure, Located, convert::Conversions, copy::vector};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    narrow::Byte,
    tree,
};
use melior::ir::{OperationRef, Type, TypeLike, ValueLike};
use mlir_sys::{mlirShapedTypeGetDimSize, mlirShapedTypeGetElementType, mlirShapedTypeGetRank};

/// The bits of f32 of an infinity, and those but the sign.
const INFINITY: i64 = 0x7f80_0000;
const MAGNITUDE: i64 = 0x7fff_ffff;

/// Lowers the conversions of this machine's functions below an operation.
#[cfg(feature = "codegen")]
pub(crate) fn on_host(root: OperationRef<'_, '_>) -> Result<(), String> {
    lower(root, Conversions::of(root, super::Target::Host))
        .map_err(|(_, failure)| failure.to_string())
}

/// Lowers the conversions below an operation, by the instructions of its target.
pub(super) fn lower<'c>(
    root: OperationRef<'c, '_>,
    conversions: Conversions,
) -> Result<(), Located<'c>> {
    for name in ["arith.extf", "arith.truncf"] {
        for operation in tree::inside(root, name) {
            let (from, to) = (operand(operation, 0), first_result(operation));
            let ((source, run), (target, _)) = (elements(from.r#type()), elements(to.r#type()));
            if ![source, target].into_iter().any(is_byte) {
                continue;
            }
            let b = Builder::before(operation);
            let value = match is_byte(target) {
                true => truncated(&b, from, (source, target), run, conversions),
                false => conversions.converted(&b, from, (source, target), run),
            };
            let value = value.map_err(|failure| (operation, failure))?;
            tree::replace_uses(to, value);
            tree::erase(operation);
        }
    }
    Ok(())
}

/// The type of the elements of a value's type, and their number.
fn elements(of: Type<'_>) -> (Type<'_>, i64) {
    let raw = of.to_raw();
    // SAFETY: the type is valid, and a vector of one dimension where more of it is read.
    unsafe {
        match of.is_vector() && mlirShapedTypeGetRank(raw) == 1 {
            true => (
                Type::from_raw(mlirShapedTypeGetElementType(raw)),
                mlirShapedTypeGetDimSize(raw, 0),
            ),
            false => (of, 1),
        }
    }
}

fn is_byte(of: Type<'_>) -> bool {
    matches!(Byte::of(of), Some(Byte::E4m3 | Byte::E5m2))
}

/// A float, or a vector of them, rounded to 8 bits.
fn truncated<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    (source, target): (Type<'c>, Type<'c>),
    run: i64,
    conversions: Conversions,
) -> Result<Val<'c>, Failure> {
    // The least magnitude that rounds past the greatest number, and the bits that it becomes. f8E4M3FN has no infinities: 464 is
    // a tie whose even neighbour is 448; in f8E5M2 61440 is one whose even neighbour is past the greatest number.
    let (least, bits) = match Byte::of(target) {
        Some(Byte::E4m3) => (i64::from(464_f32.to_bits()) + 1, 0x7f),
        _ => (i64::from(61440_f32.to_bits()), 0x7c),
    };
    let saturated = conversions.converted(b, value, (source, target), run)?;
    let single = Type::float32(b.context());
    let wide = match source == single {
        true => value,
        false => conversions.converted(b, value, (source, single), run)?,
    };
    let (word, byte) = (vector(b.integer(32), run), vector(b.integer(8), run));
    let constant = |of: Type<'c>, element: Type<'c>, number: i64| -> Result<Val<'c>, Failure> {
        let one = b.constant(element, number)?;
        match run {
            1 => Ok(one),
            _ => Ok(b.value("vector.broadcast", &[one], of, &[])?),
        }
    };
    let words = |number| constant(word, b.integer(32), number);
    let compare = |predicate: i64, x: Val<'c>, y: Val<'c>| {
        let attributes = [("predicate", b.i64_attribute(predicate))];
        b.value("arith.cmpi", &[x, y], vector(b.integer(1), run), &attributes)
    };
    /// `arith.cmpi`'s predicates.
    const AT_MOST: i64 = 7;
    const AT_LEAST: i64 = 9;
    let all = b.value("arith.bitcast", &[wide], word, &[])?;
    let magnitude = b.binary("arith.andi", all, words(MAGNITUDE)?)?;
    let is_beyond = compare(AT_LEAST, magnitude, words(least)?)?;
    // NaNs stay.
    let is_number = compare(AT_MOST, magnitude, words(INFINITY)?)?;
    let is_beyond = b.binary("arith.andi", is_beyond, is_number)?;
    let own = b.value("arith.bitcast", &[saturated], byte, &[])?;
    let sign = b.binary("arith.andi", own, constant(byte, b.integer(8), -128)?)?;
    let beyond = b.binary("arith.ori", sign, constant(byte, b.integer(8), bits)?)?;
    let rounded = b.value("arith.select", &[is_beyond, beyond, own], byte, &[])?;
    Ok(b.value("arith.bitcast", &[rounded], vector(target, run), &[])?)
}
