//! `mma.sync` of 16 by 8 by 16 numbers of f16 or bf16 with sums in f32, lane by lane.
//!
//! Lane `4 g + t` has of A the rows `g` and `g + 8` at `2 t`, `2 t + 1`, `2 t + 8` and `2 t + 9` along K, of B the column `g` there, and
//! of C the columns `2 t` and `2 t + 1` of its rows: the PTX ISA's figures. What it multiplies comes from the lanes that have
//! it, by shuffles of registers; sums are in f32, in the order of K.

use super::{
    Error,
    program::{Sites, call, constant, shuffle},
};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{Attribute, OperationRef, Type, ValueLike, operation::OperationLike};

/// Lanes that have a row of A.
const ACROSS: i64 = 4;

/// Whether a product is one that is replaced here.
pub(super) fn is_known(operation: OperationRef<'_, '_>) -> bool {
    let text =
        |name: &str| operation.attribute(name).map(|found| found.to_string()).unwrap_or_default();
    let floats = ["multiplicandAPtxType", "multiplicandBPtxType"];
    let is_half = |name: &&str| text(name).contains("<bf16>") || text(name).contains("<f16>");
    text("shape").contains("m = 16, n = 8, k = 16")
        && floats.iter().all(is_half)
        && operation.operand_count() == 10
        && (6..10).all(|at| operand(operation, at).r#type().to_string() == "f32")
}

/// Writes out a product that [`is_known`].
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<(), Error> {
    let (word, f32_type) = (b.integer(32), Type::float32(b.context()));
    let number = |value: i64| b.constant(word, value);
    let is_bf16 =
        operation.attribute("multiplicandAPtxType").is_ok_and(|of| of.to_string().contains("bf16"));
    let register = |at: usize| -> Result<Val<'c>, Error> {
        let value = operand(operation, at);
        if value.r#type() == word {
            return Ok(value);
        }
        Ok(b.value("llvm.bitcast", &[value], word, &[])?)
    };
    let registers = (0..6).map(register).collect::<Result<Vec<_>, _>>()?;
    let mut sums: Vec<Val<'c>> = (6..10).map(|at| operand(operation, at)).collect();
    // The lane's number is asked for as gpu.lane_id is.
    let lane = call(b, "layout_index", &[constant(b, 32, 15)?], Some(b.integer(64)))?;
    let lane = lane.ok_or_else(|| Error::refused("expected the number of a lane, found none"))?;
    let lane = b.value("arith.trunci", &[lane], word, &[])?;
    let across = number(ACROSS)?;
    let row = b.binary("arith.divui", lane, across)?;
    let place = b.binary("arith.remui", lane, across)?;
    let of_row = b.binary("arith.muli", row, across)?;
    let of_column = b.binary("arith.muli", place, number(2 * ACROSS)?)?;
    let all = number(32)?;
    let mode = Attribute::parse(b.context(), "#gpu<shuffle_mode idx>")
        .ok_or_else(|| Error::refused("expected a mode of shuffles, found none"))?;
    let mut from = |value: Val<'c>, lane: Val<'c>| -> Result<Val<'c>, Error> {
        let results = [word, b.integer(1)];
        let made =
            b.operation("gpu.shuffle", &[value, lane, all], &results, &[("mode", mode)], vec![])?;
        // A use, which is handed what replaces the shuffle.
        let kept = b.value("arith.ori", &[first_result(made), number(0)?], word, &[])?;
        shuffle(&Builder::before(made), made, sites)?;
        Ok(kept)
    };
    let halves = |value: Val<'c>| -> Result<[Val<'c>; 2], Error> {
        if is_bf16 {
            let low = b.binary("arith.shli", value, number(16)?)?;
            let high = b.binary("arith.andi", value, number(-65536)?)?;
            let float = |bits| b.value("arith.bitcast", &[bits], f32_type, &[]);
            return Ok([float(low)?, float(high)?]);
        }
        let high = b.binary("arith.shrui", value, number(16)?)?;
        let float = |bits: Val<'c>| -> Result<Val<'c>, Error> {
            let half = b.value("arith.trunci", &[bits], b.integer(16), &[])?;
            let half = b.value("arith.bitcast", &[half], Type::float16(b.context()), &[])?;
            Ok(b.value("arith.extf", &[half], f32_type, &[])?)
        };
        Ok([float(value)?, float(high)?])
    };
    // The two halves along K, and lanes within each.
    for half in 0..2_usize {
        for step in 0..ACROSS {
            let step = number(step)?;
            let lane = b.binary("arith.addi", of_row, step)?;
            let first = b.binary("arith.addi", of_column, step)?;
            let second = b.binary("arith.addi", first, across)?;
            let mut rows = Vec::new();
            for own in 0..2 {
                rows.push(halves(from(registers[2 * half + own], lane)?)?);
            }
            let mut columns = Vec::new();
            for lane in [first, second] {
                columns.push(halves(from(registers[4 + half], lane)?)?);
            }
            for (at, sum) in sums.iter_mut().enumerate() {
                for (x, y) in rows[at / 2].into_iter().zip(columns[at % 2]) {
                    *sum = b.value("math.fma", &[x, y, *sum], f32_type, &[])?;
                }
            }
        }
    }
    let own = first_result(operation);
    let mut whole = b.value("llvm.mlir.undef", &[], own.r#type(), &[])?;
    for (at, sum) in sums.into_iter().enumerate() {
        let position = format!("array<i64: {at}>");
        let position = Attribute::parse(b.context(), &position)
            .ok_or(melior::Error::AttributeParse(position))?;
        let attributes = [("position", position)];
        whole = b.value("llvm.insertvalue", &[whole, sum], own.r#type(), &attributes)?;
    }
    tree::replace_uses(own, whole);
    tree::erase(operation);
    Ok(())
}
