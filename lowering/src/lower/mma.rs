//! Warp-wide multiply-accumulate: the atom's instruction for every pair of fragments.

use super::{
    Address, Failure, Lowering, Target,
    address::inner,
    copy::parse,
    memory::{element_bytes, load, store, written_out},
    registers::{fields, structure},
};
use layout_dialect::{
    Space,
    atoms::MmaAtom,
    build::{Builder, Val, operand},
};
use melior::ir::{OperationRef, Type, ValueLike};

/// One operand: `(values, rows, columns)`, or less where the last are 1.
pub(super) struct Fragments<'a, 'c> {
    pub(super) address: &'a Address<'c>,
    pub(super) values: i64,
    pub(super) rows: i64,
    pub(super) columns: i64,
}

impl<'a, 'c> Fragments<'a, 'c> {
    pub(super) fn new(address: &'a Address<'c>) -> Self {
        let modes = inner(&address.layout).modes();
        let extent = |i: usize| modes.get(i).map_or(1, layout_algebra::Layout::size);
        Self { address, values: extent(0), rows: extent(1), columns: extent(2) }
    }

    /// The element that starts fragment `(row, column)`.
    pub(super) fn first(&self, row: i64, column: i64) -> i64 {
        self.values * (row + self.rows * column)
    }

    /// The registers of a fragment, `r#type` each, of `width` elements.
    pub(super) fn registers(
        &self,
        b: &Builder<'c>,
        (row, column): (i64, i64),
        r#type: Type<'c>,
        width: i64,
    ) -> Result<Vec<Val<'c>>, Failure> {
        let first = self.first(row, column);
        (first..first + self.values)
            .step_by(usize::try_from(width).unwrap_or(1))
            .map(|i| {
                if !self.address.is_aligned_run(i, width)? {
                    return Err(Failure::refused(format!(
                        "expected a fragment's values in rows of {width}, found {}",
                        self.address.layout
                    )));
                }
                load(b, self.address.element_pointer(b, i)?, r#type, Some(4))
            })
            .collect()
    }
}

impl<'c> Lowering<'c> {
    pub(super) fn mma(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let atom = layout_dialect::ops::atom(operation)?;
        let mma = atom.mma().ok_or_else(|| {
            Failure::refused(format!("expected an MMA atom, found {}", atom.name))
        })?;
        if self.target == Target::Host {
            return Err(Failure::refused(format!(
                "expected no {} on the host: run layout-serialize first",
                atom.name
            )));
        }
        if mma.b_space == Space::Shared {
            return self.wgmma(b, operation, mma);
        }
        let a = Fragments::new(self.view(operand(operation, 0))?);
        let bb = Fragments::new(self.view(operand(operation, 1))?);
        let c = Fragments::new(self.view(operand(operation, 2))?);
        if (a.rows, bb.rows, a.columns) != (c.rows, c.columns, bb.columns) {
            return Err(Failure::refused(format!(
                "expected fragments (.,M,K), (.,N,K), (.,M,N), found {}, {}, {}",
                a.address.layout, bb.address.layout, c.address.layout
            )));
        }
        written_out("MMAs", &[a.rows, bb.rows, a.columns])?;
        let (input, width) = register(b, mma.multiplicand, a.address.element)?;
        let (output, accumulator_width) = register(b, mma.accumulator, c.address.element)?;
        let factors = |fragments: &Fragments<'_, 'c>, at: (i64, i64)| {
            let registers = fragments.registers(b, at, input, width)?;
            let rounded = registers.into_iter().map(|register| rounded(b, mma, register));
            rounded.collect::<Result<Vec<_>, _>>()
        };
        for k in 0..a.columns {
            let a_registers =
                (0..a.rows).map(|m| factors(&a, (m, k))).collect::<Result<Vec<_>, _>>()?;
            for n in 0..bb.rows {
                let b_registers = factors(&bb, (n, k))?;
                for (m, a_registers) in (0_i64..).zip(&a_registers) {
                    let c_registers = c.registers(b, (m, n), output, accumulator_width)?;
                    let accumulators = match mma.multiplicand {
                        _ if mma.is_scalar() => {
                            vec![fma(b, a_registers, &b_registers, &c_registers)?]
                        }
                        // MLIR's operation does not take them.
                        "e4m3" | "e5m2" => named(b, mma, a_registers, &b_registers, &c_registers)?,
                        _ => sync(b, mma, a_registers, &b_registers, &c_registers)?,
                    };
                    let places =
                        (c.first(m, n)..).step_by(usize::try_from(accumulator_width).unwrap_or(1));
                    for (i, accumulator) in places.zip(accumulators) {
                        store(b, accumulator, c.address.element_pointer(b, i)?, Some(4))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The type of a register of an instruction's operand, and the values that it holds.
fn register<'c>(
    b: &Builder<'c>,
    name: &str,
    element: Type<'c>,
) -> Result<(Type<'c>, i64), Failure> {
    const BYTES: i64 = 4;
    let values = (BYTES / element_bytes(element)?).max(1);
    let r#type = match name {
        "f16" => Type::vector(&[2], element),
        "f32" | "f64" | "tf32" => element,
        _ => b.integer(32),
    };
    Ok((r#type, values))
}

/// The register that an instruction multiplies: tf32 are rounded.
fn rounded<'c>(b: &Builder<'c>, mma: &MmaAtom, register: Val<'c>) -> Result<Val<'c>, Failure> {
    if mma.multiplicand != "tf32" {
        return Ok(register);
    }
    let attributes = [("rnd", parse(b, "#nvvm.fp_rnd_mode<rna>")?)];
    Ok(b.value("nvvm.convert.float.to.tf32", &[register], b.integer(32), &attributes)?)
}

/// A lane's own multiply-add.
fn fma<'c>(
    b: &Builder<'c>,
    x: &[Val<'c>],
    y: &[Val<'c>],
    accumulator: &[Val<'c>],
) -> Result<Val<'c>, Failure> {
    let &[x, y, accumulator] = [x, y, accumulator].concat().as_slice() else {
        return Err(Failure::refused("expected one value for each operand of a scalar MMA"));
    };
    Ok(b.value("llvm.intr.fma", &[x, y, accumulator], accumulator.r#type(), &[])?)
}

/// One `mma.sync` by the name of its intrinsic; the accumulators, one register of f32 each.
fn named<'c>(
    b: &Builder<'c>,
    mma: &MmaAtom,
    a: &[Val<'c>],
    bb: &[Val<'c>],
    c: &[Val<'c>],
) -> Result<Vec<Val<'c>>, Failure> {
    let operands = [a, bb, c].concat();
    let field = c.first().map_or_else(|| Type::float32(b.context()), |c| c.r#type());
    let all = structure(b, field, c.len());
    let attributes = [
        ("intrin", b.string(&mma.intrinsic())),
        ("op_bundle_sizes", parse(b, "array<i32>")?),
        ("operandSegmentSizes", parse(b, &format!("array<i32: {}, 0>", operands.len()))?),
    ];
    let accumulators = b.value("llvm.call_intrinsic", &operands, all, &attributes)?;
    fields(b, accumulators, field, c.len())
}

/// One `nvvm.mma.sync`; the accumulators, one register each.
fn sync<'c>(
    b: &Builder<'c>,
    mma: &MmaAtom,
    a: &[Val<'c>],
    bb: &[Val<'c>],
    c: &[Val<'c>],
) -> Result<Vec<Val<'c>>, Failure> {
    let operands = [a, bb, c].concat();
    let (m, n, k) = mma.extent;
    let segments = format!("array<i32: {}, {}, {}>", a.len(), bb.len(), c.len());
    let input = parse(b, &format!("#nvvm.mma_type<{}>", mma.multiplicand))?;
    let mut attributes = vec![
        ("layoutA", parse(b, "#nvvm.mma_layout<row>")?),
        ("layoutB", parse(b, "#nvvm.mma_layout<col>")?),
        ("multiplicandAPtxType", input),
        ("multiplicandBPtxType", input),
        ("operandSegmentSizes", parse(b, &segments)?),
        ("shape", parse(b, &format!("#nvvm.shape<m = {m}, n = {n}, k = {k}>"))?),
    ];
    if mma.accumulator == "s32" {
        attributes.push(("intOverflowBehavior", parse(b, "#nvvm.mma_int_overflow<wrapped>")?));
    }
    let field = c.first().map_or_else(|| Type::float32(b.context()), |c| c.r#type());
    let all = structure(b, field, c.len());
    let accumulators = b.value("nvvm.mma.sync", &operands, all, &attributes)?;
    fields(b, accumulators, field, c.len())
}
