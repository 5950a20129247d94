//! `mma.sync` m16n8k16 of f16 or bf16 with f32 accumulators, for the lanes of a warp.
//!
//! Lane `4 g + t` has of A the rows `g` and `g + 8` at `2 t`, `2 t + 1`, `2 t + 8` and `2 t + 9` along K, of B the column `g` there, and
//! of C the columns `2 t` and `2 t + 1` of its rows: the PTX ISA's figures. Each lane passes its registers and waits for its
//! warp, and when all have come the machine multiplies; accumulators are in f32, in the order of K.

use super::{
    Error,
    machine::WARP,
    program::{Sites, call, constant},
};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{Attribute, OperationRef, Type, ValueLike, operation::OperationLike};

/// The number of lanes that hold a row of A.
const LANES_PER_ROW: usize = 4;

/// Columns of B and of C.
const COLUMNS: usize = 8;

/// Rows of A and of C, and what is multiplied for an element of C.
const ROWS: usize = 16;

/// Multiply-adds of an MMA.
pub(super) const MULTIPLY_ADDS: u64 = (ROWS * COLUMNS * ROWS) as u64;

/// The operands of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LaneOperands {
    /// Four registers of A, and two of B.
    pub(super) registers: [u32; 6],
    pub(super) accumulators: [f32; 4],
}

/// Whether an MMA is one that is replaced here.
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

/// Writes out an MMA that [`is_known`].
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<(), Error> {
    let word = b.integer(32);
    let is_bf16 =
        operation.attribute("multiplicandAPtxType").is_ok_and(|of| of.to_string().contains("bf16"));
    let register = |at: usize| -> Result<Val<'c>, Error> {
        let value = operand(operation, at);
        if value.r#type() == word {
            return Ok(value);
        }
        Ok(b.value("llvm.bitcast", &[value], word, &[])?)
    };
    let mut operands = (0..6).map(register).collect::<Result<Vec<_>, _>>()?;
    operands.extend((6..10).map(|at| operand(operation, at)));
    operands.push(constant(b, 32, is_bf16.into())?);
    operands.push(constant(b, 32, sites.of(operation))?);
    call(b, "layout_product", &operands, None)?;
    let own = first_result(operation);
    let mut whole = b.value("llvm.mlir.undef", &[], own.r#type(), &[])?;
    for at in 0..4 {
        let number = constant(b, 32, at)?;
        let sum = call(b, "layout_sum", &[number], Some(Type::float32(b.context())))?;
        let sum = sum
            .ok_or_else(|| Error::refused("expected the accumulator of an mma.sync, found none"))?;
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

/// The accumulators of all lanes, computed from their operands.
pub(super) fn multiply(parts: &[LaneOperands; WARP], is_bf16: bool) -> [[f32; 4]; WARP] {
    let halves = |word: u32| -> [f32; 2] {
        if is_bf16 {
            return [f32::from_bits(word << 16), f32::from_bits(word & 0xffff_0000)];
        }
        [word as u16, (word >> 16) as u16].map(|bits| half::f16::from_bits(bits).to_f32())
    };
    let mut a = [[0.0_f32; ROWS]; ROWS];
    let mut b = [[0.0_f32; ROWS]; COLUMNS];
    for (lane, part) in parts.iter().enumerate() {
        let (row, place) = (lane / LANES_PER_ROW, lane % LANES_PER_ROW);
        for (number, &register) in part.registers.iter().enumerate() {
            // Registers of A go along rows first, those of B along K.
            let (rows, along) = match number {
                0..4 => (number % 2, number / 2),
                _ => (0, number - 4),
            };
            let first = COLUMNS * along + 2 * place;
            let target = match number {
                0..4 => &mut a[row + COLUMNS * rows],
                _ => &mut b[row],
            };
            target[first..first + 2].copy_from_slice(&halves(register));
        }
    }
    let mut accumulators = parts.map(|part| part.accumulators);
    for (lane, own) in accumulators.iter_mut().enumerate() {
        for (at, sum) in own.iter_mut().enumerate() {
            let x = &a[lane / LANES_PER_ROW + COLUMNS * (at / 2)];
            let y = &b[2 * (lane % LANES_PER_ROW) + at % 2];
            *sum = x.iter().zip(y).fold(*sum, |sum, (x, y)| x.mul_add(*y, sum));
        }
    }
    accumulators
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_that_of_the_matrices() {
        // A(i,k) = i where k is 3; B(k,j) = j + 1: C(i,j) = i (j + 1).
        let pair = |low: f32, high: f32| low.to_bits() >> 16 | (high.to_bits() & 0xffff_0000);
        let parts: [LaneOperands; WARP] = std::array::from_fn(|lane| {
            let (row, place) = ((lane / LANES_PER_ROW) as f32, lane % LANES_PER_ROW);
            let odd = if place == 1 { 1.0 } else { 0.0 };
            let of_b = pair(row + 1.0, row + 1.0);
            LaneOperands {
                registers: [pair(0.0, odd * row), pair(0.0, odd * (row + 8.0)), 0, 0, of_b, of_b],
                accumulators: [0.5; 4],
            }
        });
        for (lane, accumulators) in multiply(&parts, true).into_iter().enumerate() {
            let (row, column) =
                ((lane / LANES_PER_ROW) as f32, (2 * (lane % LANES_PER_ROW)) as f32);
            let expected = [
                row * (column + 1.0),
                row * (column + 2.0),
                (row + 8.0) * (column + 1.0),
                (row + 8.0) * (column + 2.0),
            ];
            assert_eq!(accumulators, expected.map(|found| found + 0.5));
        }
    }
}
