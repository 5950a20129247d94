//! Asynchronous multiply-accumulate of a warpgroup: `wgmma` on tiles of shared memory.
//!
//! The descriptor of a tile is its matrix, derived from the layout
//! ([`layout_dialect::atoms::shared_matrix`]), and its start address. Tiles of one operand differ
//! in their start only, by offsets that are known, so that each is the first plus a constant.
//!
//! Between the fence and the wait, accumulators may not be touched. Both hand them through, so that
//! LLVM can move neither what computes them behind the fence, nor their uses in front of the wait.

use super::{
    Address, Failure, Lowering,
    copy::parse,
    memory::{element_bytes, written_out},
    mma::Fragments,
};
use layout_algebra::get;
use layout_dialect::{
    atoms::{
        MmaAtom,
        shared_matrix::{self, Major, SharedMatrix},
    },
    build::{Builder, Val, operand},
};
use melior::ir::{
    OperationRef, Type, ValueLike,
    attribute::{IntegerAttribute, StringAttribute},
};

/// The bits of an address within a block's shared memory, which a descriptor has room for.
const ADDRESS_BITS: i64 = (1 << 18) - 1;

/// Accumulators that an instruction may still be writing: so many from the first one on.
#[derive(Clone)]
pub(super) struct Accumulators<'c> {
    address: Address<'c>,
    first: i64,
    values: i64,
}

impl<'c> Accumulators<'c> {
    fn load(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        let pointer = self.address.element_pointer(b, self.first)?;
        Ok(b.value("llvm.load", &[pointer], structure(b, self.values), &[])?)
    }

    fn store(&self, b: &Builder<'c>, sum: Val<'c>) -> Result<(), Failure> {
        let pointer = self.address.element_pointer(b, self.first)?;
        b.operation("llvm.store", &[sum, pointer], &[], &[], vec![])?;
        Ok(())
    }
}

/// An operand in shared memory.
struct Tiles<'a, 'c> {
    fragments: Fragments<'a, 'c>,
    matrix: SharedMatrix,
    element_bytes: i64,
    /// The descriptor of a tile at the operand's run-time offset.
    base: Val<'c>,
}

impl<'c> Lowering<'c> {
    pub(super) fn wgmma(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        mma: &MmaAtom,
    ) -> Result<(), Failure> {
        let x = Tiles::new(b, self.view(operand(operation, 0))?)?;
        let y = Tiles::new(b, self.view(operand(operation, 1))?)?;
        let c = Fragments::new(self.view(operand(operation, 2))?);
        let (rows, columns) = (x.fragments.rows, y.fragments.rows);
        if (rows, columns, x.fragments.columns) != (c.rows, c.columns, y.fragments.columns) {
            return Err(Failure::refused(format!(
                "expected tiles (.,M,K), (.,N,K), (.,M,N), found {}, {}, {}",
                x.fragments.address.layout, y.fragments.address.layout, c.address.layout
            )));
        }
        written_out("products of atoms", &[rows, columns, x.fragments.columns])?;
        let fields = structure(b, mma.c_values);
        let mut sums = Vec::new();
        for n in 0..columns {
            for m in 0..rows {
                let first = c.first(m, n);
                if !c.address.is_aligned_run(first, 1)? || !in_a_row(c.address, first, c.values)? {
                    return Err(Failure::refused(format!(
                        "expected accumulators in a row, found {}",
                        c.address.layout
                    )));
                }
                let address = c.address.clone();
                let accumulators = Accumulators { address, first, values: mma.c_values };
                let sum = accumulators.load(b)?;
                sums.push((accumulators, sum));
            }
        }
        for (accumulators, sum) in &mut sums {
            *sum = through(b, *sum, accumulators.values, "wgmma.fence.sync.aligned;")?;
        }
        for k in 0..x.fragments.columns {
            for n in 0..columns {
                for m in 0..rows {
                    let sum = &mut sums[usize::try_from(m + rows * n).unwrap_or_default()].1;
                    let operands = [*sum, x.descriptor(b, m, k)?, y.descriptor(b, n, k)?];
                    *sum = instruction(b, mma, operands, fields, (x.matrix.major, y.matrix.major))?;
                }
            }
        }
        b.operation("nvvm.wgmma.commit.group.sync.aligned", &[], &[], &[], vec![])?;
        for (accumulators, sum) in &sums {
            accumulators.store(b, *sum)?;
        }
        let accumulators: Vec<_> = sums.into_iter().map(|(accumulators, _)| accumulators).collect();
        match &mut self.stage {
            // The pipeline waits where the stage's buffer is needed again.
            Some(stage) => stage.under_way.extend(accumulators),
            None => wait_for(b, &accumulators)?,
        }
        Ok(())
    }
}

impl<'a, 'c> Tiles<'a, 'c> {
    fn new(b: &Builder<'c>, address: &'a Address<'c>) -> Result<Self, Failure> {
        let element_bytes = element_bytes(address.element)?;
        let tile = address.layout.try_map(|inner| get(inner, &[0]))?;
        let matrix = shared_matrix::derive(&tile, element_bytes).map_err(Failure::Refused)?;
        let divisor = address.divisor() * element_bytes;
        if !matrix.starts_at(divisor) {
            return Err(Failure::refused(format!(
                "expected tiles that start with the swizzle of {} bytes, found run-time offsets \
                 that are known to be multiples of {divisor} bytes only in {}",
                matrix.swizzle, address.layout
            )));
        }
        let (i32_type, i64_type) = (b.integer(32), b.integer(64));
        let pointer = address.linear_pointer(b)?;
        let start = b.value("llvm.ptrtoint", &[pointer], i32_type, &[])?;
        // In a cluster, the bits above say which block's memory it is.
        let start = b.binary("arith.andi", start, b.constant(i32_type, ADDRESS_BITS)?)?;
        let units = b.binary("arith.shrui", start, b.constant(i32_type, 4)?)?;
        let units = b.value("arith.extui", &[units], i64_type, &[])?;
        let rest = b.constant(i64_type, matrix.descriptor())?;
        let base = b.binary("arith.ori", units, rest)?;
        Ok(Self { fragments: Fragments::new(address), matrix, element_bytes, base })
    }

    /// The descriptor of tile `(row, column)`. Addresses in a block's memory are below 2^18 bytes, so
    /// that the sum stays in the field of the start address.
    fn descriptor(&self, b: &Builder<'c>, row: i64, column: i64) -> Result<Val<'c>, Failure> {
        let address = self.fragments.address;
        let offset = address.linear_constant(self.fragments.first(row, column))?;
        let bytes = offset * self.element_bytes;
        if !self.matrix.starts_at(bytes) {
            return Err(Failure::refused(format!(
                "expected tile ({row},{column}) to start in the first row of the swizzle of {} \
                 bytes, found offset {bytes} in {}",
                self.matrix.swizzle, address.layout
            )));
        }
        if bytes == 0 {
            return Ok(self.base);
        }
        let units = b.constant(b.integer(64), bytes / 16)?;
        Ok(b.binary("arith.addi", self.base, units)?)
    }
}

/// Waits until at most `pending` committed groups are under way. What they write must not be
/// touched before [`wait_for`].
pub(super) fn wait(b: &Builder<'_>, pending: i64) -> Result<(), Failure> {
    let group = b.i64_attribute(pending);
    b.operation("nvvm.wgmma.wait.group.sync.aligned", &[], &[], &[("group", group)], vec![])?;
    Ok(())
}

/// Waits for all groups, and hands these accumulators through.
pub(super) fn wait_for<'c>(
    b: &Builder<'c>,
    accumulators: &[Accumulators<'c>],
) -> Result<(), Failure> {
    for accumulator in accumulators {
        let held = accumulator.load(b)?;
        let done = through(b, held, accumulator.values, "wgmma.wait_group.sync.aligned 0;")?;
        accumulator.store(b, done)?;
    }
    Ok(())
}

/// An instruction that orders registers, with the registers that it orders as its operands and
/// results: what computes them stays in front of it, and what uses them behind.
fn through<'c>(
    b: &Builder<'c>,
    held: Val<'c>,
    values: i64,
    instruction: &str,
) -> Result<Val<'c>, Failure> {
    let count = usize::try_from(values).unwrap_or_default();
    let f32_type = Type::float32(b.context());
    let mut operands = Vec::with_capacity(count);
    for i in 0..count {
        let position = parse(b, &format!("array<i64: {i}>"))?;
        operands.push(b.value(
            "llvm.extractvalue",
            &[held],
            f32_type,
            &[("position", position)],
        )?);
    }
    let outputs = vec!["=f".to_owned(); count];
    let inputs = (0..count).map(|i| i.to_string());
    let constraints: Vec<String> = outputs.into_iter().chain(inputs).collect();
    let text = |text: &str| StringAttribute::new(b.context(), text).into();
    let attributes = [
        ("asm_string", text(instruction)),
        ("constraints", text(&constraints.join(","))),
        ("has_side_effects", parse(b, "unit")?),
        ("asm_dialect", IntegerAttribute::new(b.integer(64), 0).into()),
    ];
    Ok(b.value("llvm.inline_asm", &operands, held.r#type(), &attributes)?)
}

/// One `wgmma`: the sums after it.
fn instruction<'c>(
    b: &Builder<'c>,
    mma: &MmaAtom,
    [sum, x, y]: [Val<'c>; 3],
    fields: Type<'c>,
    majors: (Major, Major),
) -> Result<Val<'c>, Failure> {
    let (m, n, k) = mma.extent;
    let input = parse(b, &format!("#nvvm.wgmma_type<{}>", mma.input))?;
    // The instruction's own words: A is K-major as rows, B as columns.
    let order = |major, k_major: &'static str, other: &'static str| {
        parse(b, &format!("#nvvm.mma_layout<{}>", if major == Major::K { k_major } else { other }))
    };
    let attributes = [
        ("shape", parse(b, &format!("#nvvm.shape<m = {m}, n = {n}, k = {k}>"))?),
        ("typeA", input),
        ("typeB", input),
        ("typeD", parse(b, &format!("#nvvm.wgmma_type<{}>", mma.output))?),
        ("scaleD", parse(b, "#nvvm.wgmma_scale_out<one>")?),
        ("scaleA", parse(b, "#nvvm.wgmma_scale_in<one>")?),
        ("scaleB", parse(b, "#nvvm.wgmma_scale_in<one>")?),
        ("layoutA", order(majors.0, "row", "col")?),
        ("layoutB", order(majors.1, "col", "row")?),
    ];
    Ok(b.value("nvvm.wgmma.mma_async", &[sum, x, y], fields, &attributes)?)
}

fn in_a_row(address: &Address<'_>, first: i64, count: i64) -> Result<bool, Failure> {
    let start = address.linear_constant(first)?;
    for i in 1..count {
        if address.linear_constant(first + i)? != start + i {
            return Ok(false);
        }
    }
    Ok(true)
}

fn structure<'c>(b: &Builder<'c>, values: i64) -> Type<'c> {
    let fields = vec![Type::float32(b.context()); usize::try_from(values).unwrap_or_default()];
    melior::dialect::llvm::r#type::r#struct(b.context(), &fields, false)
}
