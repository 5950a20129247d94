//! Constants of element types, and the neutral elements of operations.

use melior::ir::{
    Attribute, Type, TypeLike,
    attribute::{FloatAttribute, IntegerAttribute},
};

/// A number of an integer or a float type, or `None` for another type.
pub(super) fn number<'c>(of: Type<'c>, value: f64) -> Option<Attribute<'c>> {
    if of.is_integer() || of.is_index() {
        return Some(IntegerAttribute::new(of, value as i64).into());
    }
    // SAFETY: a type's context outlives it.
    let context = unsafe { of.context().to_ref() };
    of.is_float().then(|| FloatAttribute::new(context, of, value).into())
}

/// The neutral element of an operation that combines two numbers in any order, or `None` for other operations and types.
pub(super) fn neutral<'c>(name: &str, of: Type<'c>) -> Option<Attribute<'c>> {
    let text = of.to_string();
    let bits = text.strip_prefix('i').and_then(|bits| bits.parse::<i32>().ok());
    // Other floats have no infinities. A float has the greatest integer of 53 bits; that of 64 is the one that a cast saturates to.
    let is_known = ["f16", "bf16", "f32", "f64"].contains(&text.as_str())
        || bits.is_some_and(|bits| (1..=53).contains(&bits) || bits == 64);
    if !is_known {
        return None;
    }
    let greatest = bits.map(|bits| 2_f64.powi(bits - 1));
    let value = match name {
        "arith.addf" => -0.0,
        "arith.mulf" | "arith.muli" => 1.0,
        "arith.maximumf" => f64::NEG_INFINITY,
        "arith.minimumf" => f64::INFINITY,
        "arith.maxnumf" | "arith.minnumf" => f64::NAN,
        "arith.maxsi" => -greatest?,
        "arith.minsi" => greatest? - 1.0,
        "arith.minui" | "arith.andi" => -1.0,
        "arith.addi" | "arith.maxui" | "arith.ori" | "arith.xori" => 0.0,
        _ => return None,
    };
    number(of, value)
}

/// Whether a type is a float of 16 bits.
pub(super) fn is_half(of: Type<'_>) -> bool {
    ["f16", "bf16"].contains(&of.to_string().as_str())
}
