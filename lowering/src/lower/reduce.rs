//! `gpu.subgroup_reduce` as shuffles: in each round every lane adds what the lane has whose number differs in one bit.

use super::{Failure, Located, copy::parse};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    reductions, tree,
};
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};

/// Lanes of a warp.
const WARP: i64 = 32;

/// Lowers the reductions below a function of a device.
pub(super) fn lower<'c>(function: OperationRef<'c, 'c>) -> Result<(), Located<'c>> {
    for operation in tree::all(function) {
        if tree::name(operation) != "gpu.subgroup_reduce" {
            continue;
        }
        let value = reduced(operation).map_err(|failure| (operation, failure))?;
        tree::replace_uses(first_result(operation), value);
        tree::erase(operation);
    }
    Ok(())
}

fn reduced<'c>(operation: OperationRef<'c, 'c>) -> Result<Val<'c>, Failure> {
    let b = Builder::before(operation);
    let integer = |name: &str| {
        let attribute = operation.attribute(name).ok()?;
        IntegerAttribute::try_from(attribute).ok().map(|attribute| attribute.value())
    };
    let lanes = integer("cluster_size").unwrap_or(WARP);
    let stride = integer("cluster_stride").unwrap_or(1);
    let reach = lanes.checked_mul(stride).unwrap_or(i64::MAX);
    if lanes < 1
        || stride < 1
        || lanes.count_ones() != 1
        || stride.count_ones() != 1
        || reach > WARP
    {
        return Err(Failure::refused(format!(
            "expected a cluster within the {WARP} lanes of a warp, its size and stride powers of 2, \
             found {lanes} lanes with stride {stride}"
        )));
    }
    let mut value = operand(operation, 0);
    let combine = reductions::combining(operation).map_err(Failure::refused)?;
    let mut offset = stride;
    while offset < reach {
        let other = from_lane(&b, value, offset)?;
        value = b.binary(combine, value, other)?;
        offset *= 2;
    }
    Ok(value)
}

/// What the lane has whose number differs by `offset`, a power of 2: words of 32 bits are exchanged.
fn from_lane<'c>(b: &Builder<'c>, value: Val<'c>, offset: i64) -> Result<Val<'c>, Failure> {
    let own = value.r#type();
    let text = own.to_string();
    let bits: u32 = match text.as_str() {
        "f64" | "i64" => 64,
        "f32" | "i32" => 32,
        "f16" | "bf16" | "i16" => 16,
        "i8" => 8,
        _ => {
            return Err(Failure::refused(format!(
                "expected a reduction of f16, bf16, f32, f64, i8, i16, i32 or i64, found {text}"
            )));
        }
    };
    let word = b.integer(32);
    if bits == 32 {
        return shuffled(b, value, offset);
    }
    let plain = b.integer(bits);
    let cast = |value: Val<'c>, to: Type<'c>| -> Result<Val<'c>, Failure> {
        if value.r#type() == to {
            return Ok(value);
        }
        Ok(b.value("arith.bitcast", &[value], to, &[])?)
    };
    let raw = cast(value, plain)?;
    let raw = if bits < 32 {
        let wide = b.value("arith.extui", &[raw], word, &[])?;
        b.value("arith.trunci", &[shuffled(b, wide, offset)?], plain, &[])?
    } else {
        let half = b.constant(plain, 32)?;
        let low = b.value("arith.trunci", &[raw], word, &[])?;
        let high = b.binary("arith.shrui", raw, half)?;
        let high = b.value("arith.trunci", &[high], word, &[])?;
        let low = b.value("arith.extui", &[shuffled(b, low, offset)?], plain, &[])?;
        let high = b.value("arith.extui", &[shuffled(b, high, offset)?], plain, &[])?;
        b.binary("arith.ori", low, b.binary("arith.shli", high, half)?)?
    };
    cast(raw, own)
}

fn shuffled<'c>(b: &Builder<'c>, value: Val<'c>, offset: i64) -> Result<Val<'c>, Failure> {
    let word = b.integer(32);
    let (offset, width) = (b.constant(word, offset)?, b.constant(word, WARP)?);
    let mode = [("mode", parse(b, "#gpu<shuffle_mode xor>")?)];
    let types = [value.r#type(), b.integer(1)];
    let shuffle = b.operation("gpu.shuffle", &[value, offset, width], &types, &mode, vec![])?;
    Ok(first_result(shuffle))
}
