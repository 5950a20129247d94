//! Lowers for a device what upstream's conversion to NVVM lacks of warps: `gpu.shuffle` of numbers narrower than a word and in
//! segments of a warp, a thread's warp, the warps of a block and their lanes.
//!
//! A thread's number in its block is `x + bx (y + by z)`; each 32 numbers in a row are a warp.

use super::{Failure, Located, copy::parse};
use layout_dialect::{
    atoms::WARP,
    build::{Builder, Val, first_result, operand, result},
    reductions::may_diverge,
    tree,
};
use melior::ir::{
    OperationRef, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute},
    operation::OperationLike,
};

/// The dimensions of a block, the fastest first.
const DIMENSIONS: [&str; 3] = ["x", "y", "z"];

/// The lanes that segments of a warp may have.
const WIDTHS: [i64; 6] = [1, 2, 4, 8, 16, 32];

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

/// The number of a thread in the block of a function, in which each 32 threads in a row are a warp. A block whose extents are
/// not stated has threads along x alone.
pub(super) fn thread<'c>(
    b: &Builder<'c>,
    function: OperationRef<'_, '_>,
) -> Result<Val<'c>, Failure> {
    let block = Block::of(function);
    match block.extents {
        Some(_) => block.thread(b),
        None => place(b, "gpu.thread_id", 0),
    }
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
        let index = Type::index(b.context());
        Ok(b.binary("arith.divui", self.thread(b)?, b.constant(index, WARP)?)?)
    }

    /// The number of a thread in its block.
    fn thread<'c>(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
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
        match number {
            Some(number) => Ok(number),
            None => Ok(b.constant(Type::index(b.context()), 0)?),
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
    let width = tree::constant(operand(operation, 2));
    if let Some(width) = width.filter(|width| !WIDTHS.contains(width)) {
        return Err(Failure::refused(format!(
            "expected a width of 1, 2, 4, 8, 16 or 32 lanes, which the segments of a warp have, found {width}"
        )));
    }
    let value = operand(operation, 0);
    let own = value.r#type();
    let narrow = match own.to_string().as_str() {
        "f16" | "bf16" | "i16" => b.integer(16),
        "i8" => b.integer(8),
        _ => return Ok(()),
    };
    let wide = b.value("arith.extui", &[cast(b, value, narrow)?], b.integer(32), &[])?;
    let mode = [("mode", operation.attribute("mode")?)];
    let operands = [wide, operand(operation, 1), operand(operation, 2)];
    let types = [b.integer(32), b.integer(1)];
    let shuffled = b.operation("gpu.shuffle", &operands, &types, &mode, vec![])?;
    let found = b.value("arith.trunci", &[first_result(shuffled)], narrow, &[])?;
    tree::replace_uses(result(operation, 0), cast(b, found, own)?);
    tree::replace_uses(result(operation, 1), result(shuffled, 1));
    tree::erase(operation);
    Ok(())
}

/// Lets segments of less than a warp exchange their lanes among themselves, as on the CPU; upstream's conversion has the lanes of the
/// first segment alone take part. Runs before that conversion, since the CPU takes `gpu.shuffle`.
pub(crate) fn lower_segments<'c>(module: OperationRef<'c, '_>) -> Result<(), Located<'c>> {
    for operation in tree::inside(module, "gpu.shuffle") {
        // Upstream's conversion takes those of whole warps.
        if tree::constant(operand(operation, 2)) != Some(WARP) {
            lower_segment(&Builder::before(operation), operation)
                .map_err(|failure| (operation, failure))?;
        }
    }
    Ok(())
}

fn lower_segment<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
    let value = operand(operation, 0);
    let (own, of_word) = (value.r#type(), b.integer(32));
    let (found, is_valid) = match own.to_string().as_str() {
        "f32" | "i32" => {
            let (moved, is_valid) = exchanged(b, operation, cast(b, value, of_word)?)?;
            (moved, is_valid)
        }
        "f64" | "i64" => {
            let wide = b.integer(64);
            let whole = cast(b, value, wide)?;
            let half = b.constant(wide, 32)?;
            let high = b.binary("arith.shrui", whole, half)?;
            let [low, high] =
                [whole, high].map(|part| b.value("arith.trunci", &[part], of_word, &[]));
            let (low, is_valid) = exchanged(b, operation, low?)?;
            let (high, _) = exchanged(b, operation, high?)?;
            let [low, high] = [low, high].map(|part| b.value("arith.extui", &[part], wide, &[]));
            let high = b.binary("arith.shli", high?, half)?;
            (b.binary("arith.ori", low?, high)?, is_valid)
        }
        _ => return Ok(()),
    };
    tree::replace_uses(result(operation, 0), cast(b, found, own)?);
    tree::replace_uses(result(operation, 1), is_valid);
    tree::erase(operation);
    Ok(())
}

fn cast<'c>(b: &Builder<'c>, value: Val<'c>, to: Type<'c>) -> Result<Val<'c>, Failure> {
    match value.r#type() == to {
        true => Ok(value),
        false => Ok(b.value("arith.bitcast", &[value], to, &[])?),
    }
}

/// The lanes of a segment, where they are a constant power of two below a warp's.
fn segment(operation: OperationRef<'_, '_>) -> Option<i64> {
    tree::constant(operand(operation, 2)).filter(|width| *width < WARP && WIDTHS.contains(width))
}

/// Whether the lanes of a segment exchange among themselves, whichever others come to the operation.
#[cfg(feature = "codegen")]
pub(crate) fn takes_part_alone(operation: OperationRef<'_, '_>) -> bool {
    segment(operation).is_some() && may_diverge(operation)
}

/// The lanes that take part in an exchange: all of the warp, or in a branch, which some segments may not reach, those of the lane's
/// segment, if these are a constant number.
fn members<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<Val<'c>, Failure> {
    let of_word = b.integer(32);
    let Some(width) = segment(operation).filter(|_| may_diverge(operation)) else {
        return Ok(b.constant(of_word, -1)?);
    };
    let lane = b.value("nvvm.read.ptx.sreg.laneid", &[], of_word, &[])?;
    let first = b.binary("arith.andi", lane, b.constant(of_word, WARP - width)?)?;
    let segment = b.constant(of_word, (1_i64 << width) - 1)?;
    Ok(b.binary("arith.shli", segment, first)?)
}

/// A word from another lane of a segment, and whether there is one. `shfl.sync` takes the bits of a lane that are its segment's, and
/// the last lane of a segment (of a mode that moves up, the first).
fn exchanged<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    word: Val<'c>,
) -> Result<(Val<'c>, Val<'c>), Failure> {
    let mode = operation.attribute("mode")?.to_string();
    let kind = ["up", "down", "idx"].into_iter().find(|kind| mode.contains(kind)).unwrap_or("bfly");
    let last = if kind == "up" { 0 } else { WARP - 1 };
    let of_word = b.integer(32);
    let members = members(b, operation)?;
    let clamp = match segment(operation) {
        Some(width) => b.constant(of_word, (WARP - width) << 8 | last)?,
        None => {
            let own = b.binary("arith.subi", b.constant(of_word, WARP)?, operand(operation, 2))?;
            let own = b.binary("arith.shli", own, b.constant(of_word, 8)?)?;
            b.binary("arith.ori", own, b.constant(of_word, last)?)?
        }
    };
    let kind = parse(b, &format!("#nvvm<shfl_kind {kind}>"))?;
    let pair =
        Type::parse(b.context(), "!llvm.struct<(i32, i1)>").ok_or(melior::Error::OperationBuild)?;
    let valid = melior::ir::Attribute::unit(b.context());
    let moved = b.value(
        "nvvm.shfl.sync",
        &[members, word, operand(operation, 1), clamp],
        pair,
        &[("kind", kind), ("return_value_and_is_valid", valid)],
    )?;
    let part = |place: i64, of: Type<'c>| {
        let place = DenseI64ArrayAttribute::new(b.context(), &[place]).into();
        b.value("llvm.extractvalue", &[moved], of, &[("position", place)])
    };
    Ok((part(0, of_word)?, part(1, b.integer(1))?))
}
