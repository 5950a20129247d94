//! Lowers for a device what upstream's conversion to NVVM lacks of warps: `gpu.shuffle` of numbers narrower than a word, and a
//! thread's warp, the warps of a block and their lanes.
//!
//! A thread's number in its block is `x + bx (y + by z)`; each 32 numbers in a row are a warp.

use super::{Failure, Located, copy::parse};
use layout_dialect::{
    atoms::WARP,
    build::{Builder, Val, first_result, operand, result},
    tree,
};
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::DenseI32ArrayAttribute, operation::OperationLike,
};

/// The dimensions of a block, the fastest first.
const DIMENSIONS: [&str; 3] = ["x", "y", "z"];

/// Lowers the operations of warps below a function of a device.
pub(super) fn lower<'c>(function: OperationRef<'c, 'c>) -> Result<(), Located<'c>> {
    let block = Block::of(function);
    for operation in tree::all(function) {
        lower_one(&block, operation).map_err(|failure| (operation, failure))?;
    }
    Ok(())
}

fn lower_one<'c>(block: &Block, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
    let name = tree::name(operation);
    if name == "gpu.shuffle" {
        return shuffle(&Builder::before(operation), operation);
    }
    if !matches!(name.as_str(), "gpu.subgroup_id" | "gpu.num_subgroups" | "gpu.subgroup_size") {
        return Ok(());
    }
    let b = Builder::before(operation);
    let value = match name.as_str() {
        "gpu.subgroup_id" => block.warp(&b)?,
        "gpu.num_subgroups" => block.warps(&b)?,
        _ => b.constant(Type::index(b.context()), WARP)?,
    };
    tree::replace_uses(first_result(operation), value);
    tree::erase(operation);
    Ok(())
}

/// The threads of a block along x, y and z, where its function states them.
struct Block {
    extents: Option<[i64; 3]>,
}

impl Block {
    fn of(function: OperationRef<'_, '_>) -> Self {
        let known =
            function.attribute("known_block_size").and_then(DenseI32ArrayAttribute::try_from);
        let extents = known.ok().map(|known| {
            let all = (0..known.len()).filter_map(|i| known.element(i).ok()).map(i64::from);
            all.collect::<Vec<_>>()
        });
        Self { extents: extents.and_then(|extents| extents.try_into().ok()) }
    }

    /// The threads along a dimension.
    fn extent<'c>(&self, b: &Builder<'c>, dimension: usize) -> Result<Val<'c>, Failure> {
        match self.extents {
            Some(extents) => Ok(b.constant(Type::index(b.context()), extents[dimension])?),
            None => place(b, "gpu.block_dim", dimension),
        }
    }

    /// Whether there is one thread along a dimension.
    fn is_flat(&self, dimension: usize) -> bool {
        self.extents.is_some_and(|extents| extents[dimension] == 1)
    }

    /// The number of a thread's warp in its block.
    fn warp<'c>(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        let mut number: Option<Val<'c>> = None;
        for dimension in (0..DIMENSIONS.len()).rev().filter(|&dimension| !self.is_flat(dimension)) {
            let own = place(b, "gpu.thread_id", dimension)?;
            number = Some(match number {
                None => own,
                Some(slower) => {
                    let slower = b.binary("arith.muli", slower, self.extent(b, dimension)?)?;
                    b.binary("arith.addi", slower, own)?
                }
            });
        }
        let index = Type::index(b.context());
        match number {
            Some(number) => Ok(b.binary("arith.divui", number, b.constant(index, WARP)?)?),
            None => Ok(b.constant(index, 0)?),
        }
    }

    /// The warps of a block; the last may have fewer threads than lanes.
    fn warps<'c>(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        let index = Type::index(b.context());
        let threads = b.binary("arith.muli", self.extent(b, 0)?, self.extent(b, 1)?)?;
        let threads = b.binary("arith.muli", threads, self.extent(b, 2)?)?;
        let rounded = b.binary("arith.addi", threads, b.constant(index, WARP - 1)?)?;
        Ok(b.binary("arith.divui", rounded, b.constant(index, WARP)?)?)
    }
}

/// A thread's place, or the extent of its block, along a dimension.
fn place<'c>(b: &Builder<'c>, name: &str, dimension: usize) -> Result<Val<'c>, Failure> {
    let dimension = parse(b, &format!("#gpu<dim {}>", DIMENSIONS[dimension]))?;
    Ok(b.value(name, &[], Type::index(b.context()), &[("dimension", dimension)])?)
}

/// Lets numbers of 8 and 16 bits travel as the low bits of a word, which is what `shfl.sync` moves.
fn shuffle<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
    let value = operand(operation, 0);
    let own = value.r#type();
    let narrow = match own.to_string().as_str() {
        "f16" | "bf16" | "i16" => b.integer(16),
        "i8" => b.integer(8),
        _ => return Ok(()),
    };
    let cast = |value: Val<'c>, to: Type<'c>| match value.r#type() == to {
        true => Ok(value),
        false => b.value("arith.bitcast", &[value], to, &[]),
    };
    let wide = b.value("arith.extui", &[cast(value, narrow)?], b.integer(32), &[])?;
    let mode = [("mode", operation.attribute("mode")?)];
    let operands = [wide, operand(operation, 1), operand(operation, 2)];
    let types = [b.integer(32), b.integer(1)];
    let shuffled = b.operation("gpu.shuffle", &operands, &types, &mode, vec![])?;
    let found = b.value("arith.trunci", &[first_result(shuffled)], narrow, &[])?;
    tree::replace_uses(result(operation, 0), cast(found, own)?);
    tree::replace_uses(result(operation, 1), result(shuffled, 1));
    tree::erase(operation);
    Ok(())
}
