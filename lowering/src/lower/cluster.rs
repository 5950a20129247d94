//! Clusters: blocks that run together and share loads by TMA multicast.
//!
//! Blocks are numbered along M first. All that differ along M only read the same tile of B, all that
//! differ along N only the same tile of A: each loads a part of it, which the copy engine writes to
//! the same place of all of them, and counts at the same barrier of each. A stage is empty when the
//! consumers of all blocks in its row and column have arrived.

use super::{Failure, copy::parse};
use layout_dialect::build::{Builder, Val};
use melior::ir::{
    Type,
    attribute::{IntegerAttribute, StringAttribute},
};

/// A cluster of more than one block, and the place of this one.
#[derive(Clone, Copy)]
pub(super) struct Cluster<'c> {
    /// Blocks along M and N.
    extents: (i64, i64),
    /// This block's coordinates, of type i32.
    place: (Val<'c>, Val<'c>),
}

/// The slice of a copy that this block loads for all blocks of its cluster.
pub(super) struct MulticastSlice<'c> {
    /// How many blocks divide the copy.
    pub(super) blocks: i64,
    /// The number of this block among them, of type i32.
    pub(super) number: Val<'c>,
    /// One bit for each block that the part is for, of type i16.
    pub(super) mask: Val<'c>,
}

impl<'c> Cluster<'c> {
    /// The cluster of a pipeline, or `None` if it is of one block.
    pub(super) fn new(b: &Builder<'c>, extents: (i64, i64)) -> Result<Option<Self>, Failure> {
        if extents == (1, 1) {
            return Ok(None);
        }
        let i32_type = b.integer(32);
        let rank = b.value("nvvm.read.ptx.sreg.cluster.ctarank", &[], i32_type, &[])?;
        let rows = b.constant(i32_type, extents.0)?;
        let row = b.binary("arith.remui", rank, rows)?;
        let column = b.binary("arith.divui", rank, rows)?;
        Ok(Some(Self { extents, place: (row, column) }))
    }

    /// Blocks that a stage is written from.
    pub(super) fn writers(&self) -> i64 {
        self.extents.0 + self.extents.1 - 1
    }

    /// This block's part of a copy for all blocks that differ along `mode` only.
    pub(super) fn share(&self, b: &Builder<'c>, mode: i64) -> Result<MulticastSlice<'c>, Failure> {
        let (rows, columns) = self.extents;
        let (row, column) = self.place;
        let i32_type = b.integer(32);
        let (blocks, number, bits, shift) = if mode == 0 {
            let shift = b.binary("arith.muli", column, b.constant(i32_type, rows)?)?;
            (rows, row, (1 << rows) - 1, shift)
        } else {
            (columns, column, (0..columns).map(|i| 1 << (rows * i)).sum(), row)
        };
        let mask = b.binary("arith.shli", b.constant(i32_type, bits)?, shift)?;
        let mask = b.value("arith.trunci", &[mask], b.integer(16), &[])?;
        Ok(MulticastSlice { blocks, number, mask })
    }

    /// Each of the first lanes of a warp signals to one of the writers that the warp has read a stage.
    ///
    /// `barrier` is this block's, and is at the same place in all of them; `lane` is of type
    /// index.
    pub(super) fn release(
        &self,
        b: &Builder<'c>,
        barrier: Val<'c>,
        lane: Val<'c>,
    ) -> Result<(), Failure> {
        let i32_type = b.integer(32);
        let (row, column) = self.place;
        let rows = b.constant(i32_type, self.extents.0)?;
        let lane = b.value("arith.index_cast", &[lane], i32_type, &[])?;
        // Lanes below the rows represent this block's column of the cluster, itself included; the
        // next ones for the other blocks of its row.
        let in_column = b.less(lane, rows)?;
        let base = b.binary("arith.muli", column, rows)?;
        let there = b.binary("arith.addi", base, lane)?;
        let other = b.binary("arith.subi", lane, rows)?;
        let one = b.constant(i32_type, 1)?;
        let next_tile = b.binary("arith.addi", other, one)?;
        let before = b.less(other, column)?;
        let other = b.value("arith.select", &[before, other, next_tile], i32_type, &[])?;
        let other = b.binary("arith.muli", other, rows)?;
        let other = b.binary("arith.addi", other, row)?;
        let rank = b.value("arith.select", &[in_column, there, other], i32_type, &[])?;
        let address = b.value("llvm.ptrtoint", &[barrier], i32_type, &[])?;
        // The stage was read by MMAs that the warp has waited for: there are no writes
        // that others must see, so that the default scope is enough. At the cluster's scope, each
        // arrival would wait for all memory.
        assembly(
            b,
            "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, $0, $1; \
             mbarrier.arrive.shared::cluster.b64 _, [remote]; }",
            "r,r,~{memory}",
            &[address, rank],
        )
    }
}

/// A bulk load to the same place of several blocks, counted at the same barrier of each; a hint says how long
/// its lines stay in the L2 cache.
pub(super) fn load_for_all<'c>(
    b: &Builder<'c>,
    share: &MulticastSlice<'c>,
    (target, map, barrier): (Val<'c>, Val<'c>, Val<'c>),
    coordinates: &[Val<'c>],
    hint: Option<Val<'c>>,
) -> Result<(), Failure> {
    let i32_type = b.integer(32);
    let address = |pointer| b.value("llvm.ptrtoint", &[pointer], i32_type, &[]);
    let mut operands = vec![address(target)?, map, address(barrier)?, share.mask];
    operands.extend(coordinates);
    operands.extend(hint);
    let list = |first: &str| -> Vec<String> {
        (0..coordinates.len()).map(|i| format!("{first}{}", i + 4)).collect()
    };
    let instruction = format!(
        "cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes\
         .multicast::cluster{} [$0], [$1, {{{}}}], [$2], $3{};",
        coordinates.len(),
        if hint.is_some() { ".L2::cache_hint" } else { "" },
        list("$").join(", "),
        hint.map_or_else(String::new, |_| format!(", ${}", coordinates.len() + 4))
    );
    let constraints = format!(
        "r,l,r,h{}{},~{{memory}}",
        ",r".repeat(coordinates.len()),
        if hint.is_some() { ",l" } else { "" }
    );
    assembly(b, &instruction, &constraints, &operands)
}

/// An instruction that LLVM has no operation for, or not in this form.
fn assembly<'c>(
    b: &Builder<'c>,
    instruction: &str,
    constraints: &str,
    operands: &[Val<'c>],
) -> Result<(), Failure> {
    let text = |text: &str| StringAttribute::new(b.context(), text).into();
    let attributes = [
        ("asm_string", text(instruction)),
        ("constraints", text(constraints)),
        ("has_side_effects", parse(b, "unit")?),
        ("asm_dialect", IntegerAttribute::new(b.integer(64), 0).into()),
    ];
    b.operation("llvm.inline_asm", operands, &[], &attributes, vec![])?;
    Ok(())
}

/// All threads of all blocks of a cluster wait for each other, and see the barriers that each has made and
/// fenced. Nothing else is passed on, so that the arrival need not be a release, which waits for all
/// memory of all threads.
pub(super) fn meet(b: &Builder<'_>) -> Result<(), Failure> {
    b.operation("nvvm.cluster.arrive.relaxed", &[], &[], &[], vec![])?;
    b.operation("nvvm.cluster.wait", &[], &[], &[], vec![])?;
    Ok(())
}

/// The lanes below `count` of a warp.
pub(super) fn first_lanes<'c>(
    b: &Builder<'c>,
    lane: Val<'c>,
    count: i64,
) -> Result<Val<'c>, Failure> {
    Ok(b.less(lane, b.constant(Type::index(b.context()), count)?)?)
}
