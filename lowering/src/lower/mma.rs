//! Warp-wide multiply-accumulate: the atom's instruction for every pair of fragments.

use super::{
    Address, Failure, Lowering, Target,
    address::inner,
    copy::parse,
    memory::{load, store, written_out},
};
use layout_dialect::{
    Space,
    atoms::MmaAtom,
    build::{Builder, Val, operand},
};
use melior::ir::{OperationRef, Type};

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
    fn registers(
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
        if mma.inputs == Space::Shared {
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
        written_out("products of atoms", &[a.rows, bb.rows, a.columns])?;
        // Two 16-bit inputs to a register.
        const PAIR: i64 = 2;
        let input = match mma.input {
            "f16" => Type::vector(&[2], Type::float16(self.context)),
            _ => b.integer(32),
        };
        let f32_type = Type::float32(self.context);
        for k in 0..a.columns {
            let a_registers = (0..a.rows)
                .map(|m| a.registers(b, (m, k), input, PAIR))
                .collect::<Result<Vec<_>, _>>()?;
            for n in 0..bb.rows {
                let b_registers = bb.registers(b, (n, k), input, PAIR)?;
                for (m, a_registers) in (0_i64..).zip(&a_registers) {
                    let c_registers = c.registers(b, (m, n), f32_type, 1)?;
                    let sums = sync(b, mma, a_registers, &b_registers, &c_registers)?;
                    for (i, sum) in (c.first(m, n)..).zip(sums) {
                        store(b, sum, c.address.element_pointer(b, i)?, Some(4))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// One `nvvm.mma.sync`; the sums, one value each.
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
    let input = parse(b, &format!("#nvvm.mma_type<{}>", mma.input))?;
    let attributes = [
        ("layoutA", parse(b, "#nvvm.mma_layout<row>")?),
        ("layoutB", parse(b, "#nvvm.mma_layout<col>")?),
        ("multiplicandAPtxType", input),
        ("multiplicandBPtxType", input),
        ("operandSegmentSizes", parse(b, &segments)?),
        ("shape", parse(b, &format!("#nvvm.shape<m = {m}, n = {n}, k = {k}>"))?),
    ];
    let f32_type = Type::float32(b.context());
    let all = melior::dialect::llvm::r#type::r#struct(b.context(), &vec![f32_type; c.len()], false);
    let sums = b.value("nvvm.mma.sync", &operands, all, &attributes)?;
    (0..c.len())
        .map(|i| {
            let position = parse(b, &format!("array<i64: {i}>"))?;
            Ok(b.value("llvm.extractvalue", &[sums], f32_type, &[("position", position)])?)
        })
        .collect()
}
