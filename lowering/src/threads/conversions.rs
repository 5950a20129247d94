//! Conversions to tf32, and to and from 8 bits, which chips have instructions for, as arithmetic with the same bits.

use super::Error;
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    narrow, tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike, attribute::TypeAttribute, operation::OperationLike,
};

/// The assembly that packs two integers, saturated to 8 bits, below the lower half of a third.
const PACK: &str = "cvt.pack.sat.s8.s32.b32 $0, $1, $2, $3;";

/// Writes out a conversion; false for any other operation.
pub(super) fn replace<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<bool, Error> {
    let text = |name: &str| operation.attribute(name).ok().and_then(tree::text);
    let own = |number| operand(operation, number);
    let value = match tree::name(operation).as_str() {
        "llvm.call_intrinsic" if text("intrin").as_deref() == Some("llvm.nvvm.f2i.rn") => {
            nearest(b, own(0))?
        }
        "llvm.inline_asm" if text("asm_string").as_deref() == Some(PACK) => {
            pack(b, [own(0), own(1), own(2)])?
        }
        "nvvm.convert.float.to.tf32"
            if operation.attribute("rnd").is_ok_and(|rnd| rnd.to_string().contains("<rna>")) =>
        {
            tf32(b, own(0))?
        }
        "nvvm.convert.f32x2.to.f8x2" if has_form(operation, first_result(operation)) => {
            let target = type_of(operation, "dstTy")?;
            let byte = |value| -> Result<Val<'c>, Error> {
                let narrow = narrow::narrowed(b, value, target)?;
                Ok(b.value("arith.bitcast", &[narrow], b.integer(8), &[])?)
            };
            // The first operand is the upper element.
            let pair = [byte(own(1))?, byte(own(0))?];
            b.value("vector.from_elements", &pair, first_result(operation).r#type(), &[])?
        }
        "nvvm.convert.f8x2.to.f16x2" if has_form(operation, own(0)) => {
            let source = type_of(operation, "srcType")?;
            let half = |place: i64| -> Result<Val<'c>, Error> {
                let position = attribute(b, &format!("array<i64: {place}>"))?;
                let position = [("static_position", position)];
                let byte = b.value("vector.extract", &[own(0)], b.integer(8), &position)?;
                let byte = b.value("arith.bitcast", &[byte], source, &[])?;
                let wide = narrow::widened(b, byte)?;
                Ok(b.value("arith.truncf", &[wide], Type::float16(b.context()), &[])?)
            };
            let pair = [half(0)?, half(1)?];
            b.value("vector.from_elements", &pair, first_result(operation).r#type(), &[])?
        }
        _ => return Ok(false),
    };
    tree::replace_uses(first_result(operation), value);
    tree::erase(operation);
    Ok(true)
}

/// Whether a conversion is of a vector of two bytes, and of floats as they are.
fn has_form(operation: OperationRef<'_, '_>, bytes: Val<'_>) -> bool {
    let relu = operation.attribute("relu").is_ok_and(|relu| relu.to_string() == "true");
    bytes.r#type().to_string() == "vector<2xi8>" && !relu
}

fn type_of<'c>(operation: OperationRef<'c, 'c>, name: &str) -> Result<Type<'c>, Error> {
    Ok(TypeAttribute::try_from(operation.attribute(name)?)?.value())
}

/// An attribute that is written out.
pub(super) fn attribute<'c>(b: &Builder<'c>, text: &str) -> Result<Attribute<'c>, Error> {
    let parsed = Attribute::parse(b.context(), text);
    Ok(parsed.ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))?)
}

/// `cvt.rni.s32.f32`: the nearest integer, of two the even one; beyond the least and the greatest that one; of a NaN 0.
fn nearest<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Error> {
    let rounded = b.value("math.roundeven", &[value], value.r#type(), &[])?;
    let attributes = [
        ("intrin", b.string("llvm.fptosi.sat.i32.f32")),
        ("op_bundle_sizes", attribute(b, "array<i32>")?),
        ("operandSegmentSizes", attribute(b, "array<i32: 1, 0>")?),
    ];
    Ok(b.value("llvm.call_intrinsic", &[rounded], b.integer(32), &attributes)?)
}

/// `cvt.rna.tf32.f32`: the nearest number of 10 bits of mantissa, of two the greater in magnitude. Infinities and NaNs stay.
fn tf32<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Error> {
    const HALF: i64 = 1 << 12;
    const KEPT: i64 = -0x2000;
    const EXPONENT: i64 = 0x7f80_0000;
    let word = b.integer(32);
    let bits = b.value("arith.bitcast", &[value], word, &[])?;
    let rounded = b.binary("arith.addi", bits, b.constant(word, HALF)?)?;
    let rounded = b.binary("arith.andi", rounded, b.constant(word, KEPT)?)?;
    let exponent = b.constant(word, EXPONENT)?;
    let own = b.binary("arith.andi", bits, exponent)?;
    let equal = [("predicate", b.i64_attribute(0))];
    let is_special = b.value("arith.cmpi", &[own, exponent], b.integer(1), &equal)?;
    Ok(b.value("arith.select", &[is_special, bits, rounded], word, &[])?)
}

/// The second integer in the lowest byte, the first in the next, and above what the third has in its lower half.
fn pack<'c>(b: &Builder<'c>, [upper, lower, rest]: [Val<'c>; 3]) -> Result<Val<'c>, Error> {
    let word = b.integer(32);
    let byte = |value| -> Result<Val<'c>, Error> {
        let narrow = narrow::narrowed(b, value, b.integer(8))?;
        Ok(b.value("arith.extui", &[narrow], word, &[])?)
    };
    let above = |value, bits| -> Result<Val<'c>, Error> {
        Ok(b.binary("arith.shli", value, b.constant(word, bits)?)?)
    };
    let both = b.binary("arith.ori", byte(lower)?, above(byte(upper)?, 8)?)?;
    Ok(b.binary("arith.ori", both, above(rest, 16)?)?)
}
