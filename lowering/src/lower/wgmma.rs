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
    registers::{fields, structure},
};
use layout_algebra::get;
use layout_dialect::{
    Space,
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
    values: usize,
}

impl<'c> Accumulators<'c> {
    fn load(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        let pointer = self.address.element_pointer(b, self.first)?;
        let r#type = structure(b, self.address.element, self.values);
        Ok(b.value("llvm.load", &[pointer], r#type, &[])?)
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
        if mma.a_space != Space::Shared {
            return self.wgmma_of_registers(b, operation, mma);
        }
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
        let mut sums = accumulators(b, &c)?;
        if layout_dialect::ops::promotes(operation) {
            let majors = (x.matrix.major, y.matrix.major);
            for (number, (accumulators, sum)) in (0_i64..).zip(&sums) {
                let (m, n) = (number % rows, number / rows);
                let mut apart = b.value("llvm.mlir.undef", &[], sum.r#type(), &[])?;
                apart = through(b, apart, accumulators, "wgmma.fence.sync.aligned;")?;
                for k in 0..x.fragments.columns {
                    let operands = [apart, x.descriptor(b, m, k)?, y.descriptor(b, n, k)?];
                    let scale = if k == 0 { Scale::Zero } else { Scale::One };
                    apart = instruction(b, mma, operands, majors, scale)?;
                }
                b.operation("nvvm.wgmma.commit.group.sync.aligned", &[], &[], &[], vec![])?;
                let done = "wgmma.wait_group.sync.aligned 0;";
                apart = through(b, apart, accumulators, done)?;
                accumulators.store(b, added(b, *sum, apart, accumulators)?)?;
            }
            return Ok(());
        }
        for (accumulators, sum) in &mut sums {
            *sum = through(b, *sum, accumulators, "wgmma.fence.sync.aligned;")?;
        }
        for k in 0..x.fragments.columns {
            for n in 0..columns {
                for m in 0..rows {
                    let sum = &mut sums[usize::try_from(m + rows * n).unwrap_or_default()].1;
                    let operands = [*sum, x.descriptor(b, m, k)?, y.descriptor(b, n, k)?];
                    let majors = (x.matrix.major, y.matrix.major);
                    *sum = instruction(b, mma, operands, majors, Scale::One)?;
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

/// All accumulators of a product, those of an atom after the other, and what they hold.
fn accumulators<'c>(
    b: &Builder<'c>,
    c: &Fragments<'_, 'c>,
) -> Result<Vec<(Accumulators<'c>, Val<'c>)>, Failure> {
    let values = usize::try_from(c.values).unwrap_or_default();
    let mut all = Vec::new();
    for n in 0..c.columns {
        for m in 0..c.rows {
            let first = c.first(m, n);
            if !c.address.is_aligned_run(first, 1)? || !in_a_row(c.address, first, c.values)? {
                return Err(Failure::refused(format!(
                    "expected accumulators in a row, found {}",
                    c.address.layout
                )));
            }
            let address = c.address.clone();
            let accumulators = Accumulators { address, first, values };
            let sum = accumulators.load(b)?;
            all.push((accumulators, sum));
        }
    }
    Ok(all)
}

impl<'c> Lowering<'c> {
    /// Products whose A is in registers, which are read until the product is done: it is waited for.
    fn wgmma_of_registers(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        mma: &MmaAtom,
    ) -> Result<(), Failure> {
        const REGISTER_BYTES: i64 = 4;
        if layout_dialect::ops::promotes(operation) {
            return Err(Failure::refused("expected A in shared memory for 'promote'"));
        }
        let x = Fragments::new(self.view(operand(operation, 0))?);
        let y = Tiles::new(b, self.view(operand(operation, 1))?)?;
        let c = Fragments::new(self.view(operand(operation, 2))?);
        if (x.rows, y.fragments.rows, x.columns) != (c.rows, c.columns, y.fragments.columns) {
            return Err(Failure::refused(format!(
                "expected fragments (.,M,K) and tiles (.,N,K), (.,M,N), found {}, {}, {}",
                x.address.layout, y.fragments.address.layout, c.address.layout
            )));
        }
        written_out("products of atoms", &[x.rows, c.columns, x.columns])?;
        let width = REGISTER_BYTES / element_bytes(x.address.element)?;
        let mut sums = accumulators(b, &c)?;
        let mut held = Vec::new();
        for k in 0..x.columns {
            for m in 0..x.rows {
                held.push(x.registers(b, (m, k), b.integer(32), width)?);
            }
        }
        // What is computed before it stays there: the registers that are multiplied, too.
        for registers in &mut held {
            let fence = "wgmma.fence.sync.aligned;";
            let inputs = (0..registers.len()).map(|i| i.to_string());
            let outputs = registers.iter().map(|_| "=r".to_owned());
            let constraints: Vec<String> = outputs.chain(inputs).collect();
            let all = structure(b, b.integer(32), registers.len());
            let fenced = assembly(b, fence, &constraints, registers, all)?;
            *registers = fields(b, fenced, b.integer(32), registers.len())?;
        }
        for (accumulators, sum) in &mut sums {
            *sum = through(b, *sum, accumulators, "wgmma.fence.sync.aligned;")?;
        }
        for k in 0..x.columns {
            for n in 0..c.columns {
                for m in 0..c.rows {
                    let place = |i: i64| usize::try_from(i).unwrap_or_default();
                    let (accumulators, sum) = &mut sums[place(m + c.rows * n)];
                    let registers = &held[place(m + x.rows * k)];
                    let descriptor = y.descriptor(b, n, k)?;
                    let operands = (registers.as_slice(), descriptor);
                    *sum = of_registers(b, mma, (*sum, accumulators), operands, y.matrix.major)?;
                }
            }
        }
        b.operation("nvvm.wgmma.commit.group.sync.aligned", &[], &[], &[], vec![])?;
        for (accumulators, sum) in &sums {
            accumulators.store(b, *sum)?;
        }
        let accumulators: Vec<_> = sums.into_iter().map(|(accumulators, _)| accumulators).collect();
        wait_for(b, &accumulators)
    }
}

/// One `wgmma` of registers, which MLIR has no operation for: the sums after it.
fn of_registers<'c>(
    b: &Builder<'c>,
    mma: &MmaAtom,
    (sum, accumulators): (Val<'c>, &Accumulators<'c>),
    (registers, descriptor): (&[Val<'c>], Val<'c>),
    major: Major,
) -> Result<Val<'c>, Failure> {
    let (m, n, k) = mma.extent;
    let (of, to) = (mma.multiplicand, mma.sum);
    let element = accumulators.address.element;
    let count = accumulators.values;
    let list = |from: usize, count: usize| {
        let names: Vec<String> = (from..from + count).map(|i| format!("${i}")).collect();
        format!("{{{}}}", names.join(","))
    };
    // Integers are not scaled, and only elements of 16 bits are transposed.
    let scales = match of {
        "f16" | "bf16" => format!(", 1, 1, {}", i32::from(major == Major::Mn)),
        _ if to == "s32" => String::new(),
        _ => ", 1, 1".to_owned(),
    };
    let text = format!(
        "{{ .reg .pred p; setp.ne.b32 p, 1, 0; \
         wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.{to}.{of}.{of} {}, {}, ${}, p{scales}; }}",
        list(0, count),
        list(count, registers.len()),
        count + registers.len(),
    );
    let register = if element == b.integer(32) { "=r" } else { "=f" };
    let mut constraints = vec![register.to_owned(); count];
    constraints.extend(registers.iter().map(|_| "r".to_owned()));
    constraints.push("l".to_owned());
    constraints.extend((0..count).map(|i| i.to_string()));
    let mut operands = registers.to_vec();
    operands.push(descriptor);
    operands.extend(fields(b, sum, element, count)?);
    assembly(b, &text, &constraints, &operands, sum.r#type())
}

/// Text of PTX, with its operands.
fn assembly<'c>(
    b: &Builder<'c>,
    text: &str,
    constraints: &[String],
    operands: &[Val<'c>],
    results: Type<'c>,
) -> Result<Val<'c>, Failure> {
    let string = |text: &str| StringAttribute::new(b.context(), text).into();
    let attributes = [
        ("asm_string", string(text)),
        ("constraints", string(&constraints.join(","))),
        ("has_side_effects", parse(b, "unit")?),
        ("asm_dialect", IntegerAttribute::new(b.integer(64), 0).into()),
    ];
    Ok(b.value("llvm.inline_asm", operands, results, &attributes)?)
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
        let done = through(b, held, accumulator, "wgmma.wait_group.sync.aligned 0;")?;
        accumulator.store(b, done)?;
    }
    Ok(())
}

/// An instruction that orders registers, with the registers that it orders as its operands and
/// results: what computes them stays in front of it, and what uses them behind.
fn through<'c>(
    b: &Builder<'c>,
    held: Val<'c>,
    accumulators: &Accumulators<'c>,
    instruction: &str,
) -> Result<Val<'c>, Failure> {
    let count = accumulators.values;
    let element = accumulators.address.element;
    let operands = fields(b, held, element, count)?;
    let register = if element == b.integer(32) { "=r" } else { "=f" };
    let outputs = vec![register.to_owned(); count];
    let inputs = (0..count).map(|i| i.to_string());
    let constraints: Vec<String> = outputs.into_iter().chain(inputs).collect();
    assembly(b, instruction, &constraints, &operands, held.r#type())
}

/// Whether an instruction adds to the sums before it.
#[derive(Clone, Copy)]
enum Scale {
    Zero,
    One,
}

impl Scale {
    fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::One => "one",
        }
    }
}

/// Accumulators plus others.
fn added<'c>(
    b: &Builder<'c>,
    sums: Val<'c>,
    others: Val<'c>,
    accumulators: &Accumulators<'c>,
) -> Result<Val<'c>, Failure> {
    let element = accumulators.address.element;
    let mut all = sums;
    for i in 0..accumulators.values {
        let position = [("position", parse(b, &format!("array<i64: {i}>"))?)];
        let one = b.value("llvm.extractvalue", &[sums], element, &position)?;
        let other = b.value("llvm.extractvalue", &[others], element, &position)?;
        let sum = b.binary("arith.addf", one, other)?;
        all = b.value("llvm.insertvalue", &[all, sum], all.r#type(), &position)?;
    }
    Ok(all)
}

/// One `wgmma`: the sums after it.
fn instruction<'c>(
    b: &Builder<'c>,
    mma: &MmaAtom,
    [sum, x, y]: [Val<'c>; 3],
    majors: (Major, Major),
    scale: Scale,
) -> Result<Val<'c>, Failure> {
    let (m, n, k) = mma.extent;
    let input = parse(b, &format!("#nvvm.wgmma_type<{}>", mma.multiplicand))?;
    // The instruction's own words: A is K-major as rows, B as columns.
    let order = |major, k_major: &'static str, other: &'static str| {
        parse(b, &format!("#nvvm.mma_layout<{}>", if major == Major::K { k_major } else { other }))
    };
    let attributes = [
        ("shape", parse(b, &format!("#nvvm.shape<m = {m}, n = {n}, k = {k}>"))?),
        ("typeA", input),
        ("typeB", input),
        ("typeD", parse(b, &format!("#nvvm.wgmma_type<{}>", mma.sum))?),
        ("scaleD", parse(b, &format!("#nvvm.wgmma_scale_out<{}>", scale.name()))?),
        ("scaleA", parse(b, "#nvvm.wgmma_scale_in<one>")?),
        ("scaleB", parse(b, "#nvvm.wgmma_scale_in<one>")?),
        ("layoutA", order(majors.0, "row", "col")?),
        ("layoutB", order(majors.1, "col", "row")?),
    ];
    Ok(b.value("nvvm.wgmma.mma_async", &[sum, x, y], sum.r#type(), &attributes)?)
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
