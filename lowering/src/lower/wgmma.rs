//! Asynchronous multiply-accumulate of a warpgroup: `wgmma` on tiles of shared memory.
//!
//! The descriptor of a tile is its matrix, derived from the layout
//! ([`layout_dialect::atoms::shared_matrix`]), and its start address. Tiles of one operand differ
//! in their start only, by offsets that are known, so that each is the first plus a constant.
//!
//! Between the fence and the wait, accumulators may not be touched. Both hand them through, so that
//! LLVM can move neither what computes them after the fence, nor their uses in front of the wait.

use super::{
    Address, Failure, Lowering,
    copy::parse,
    memory::{element_bytes, written_out},
    mma::Fragments,
    registers::{fields, structure},
};
use layout_dialect::{
    Space,
    atoms::{
        MmaAtom, REGISTERS_WITHOUT_FRAGMENTS,
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

/// Accumulators that an instruction may still be writing: a count from the first one on.
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

/// The operand A of an MMA: tiles of shared memory, or fragments in registers.
enum OperandA<'a, 'c> {
    Shared(Tiles<'a, 'c>),
    /// The registers of each fragment, those of a step along K after the other.
    Held(Fragments<'a, 'c>, Vec<Vec<Val<'c>>>),
}

impl<'a, 'c> OperandA<'a, 'c> {
    fn new(b: &Builder<'c>, mma: &MmaAtom, address: &'a Address<'c>) -> Result<Self, Failure> {
        const REGISTER_BYTES: i64 = 4;
        if mma.a_space == Space::Shared {
            return Ok(Self::Shared(Tiles::new(b, address)?));
        }
        let fragments = Fragments::new(address);
        written_out("fragments", &[fragments.rows, fragments.columns])?;
        let width = REGISTER_BYTES / element_bytes(address.element)?;
        let mut held = Vec::new();
        for k in 0..fragments.columns {
            for m in 0..fragments.rows {
                held.push(fragments.registers(b, (m, k), b.integer(32), width)?);
            }
        }
        Ok(Self::Held(fragments, held))
    }

    fn fragments(&self) -> &Fragments<'a, 'c> {
        match self {
            Self::Shared(tiles) => &tiles.fragments,
            Self::Held(fragments, _) => fragments,
        }
    }

    /// The fence keeps earlier computations before it: the registers that are multiplied, too.
    fn fence(&mut self, b: &Builder<'c>) -> Result<(), Failure> {
        let Self::Held(_, held) = self else { return Ok(()) };
        for registers in held {
            let inputs = (0..registers.len()).map(|i| i.to_string());
            let outputs = registers.iter().map(|_| "=r".to_owned());
            let constraints: Vec<String> = outputs.chain(inputs).collect();
            let all = structure(b, b.integer(32), registers.len());
            let fenced = assembly(b, EMPTY_ASSEMBLY, &constraints, registers, all)?;
            fence(b)?;
            *registers = fields(b, fenced, b.integer(32), registers.len())?;
        }
        Ok(())
    }
}

/// The operands of an MMA.
struct MmaOperands<'m, 'a, 'c> {
    mma: &'m MmaAtom,
    x: OperandA<'a, 'c>,
    y: Tiles<'a, 'c>,
}

impl<'c> MmaOperands<'_, '_, 'c> {
    /// One `wgmma`: the accumulators after it.
    fn multiply(
        &self,
        b: &Builder<'c>,
        (sum, accumulators): (Val<'c>, &Accumulators<'c>),
        (m, n, k): (i64, i64, i64),
        scale: Scale<'c>,
    ) -> Result<Val<'c>, Failure> {
        let right = self.y.descriptor(b, n, k)?;
        match &self.x {
            OperandA::Shared(x) => {
                let left = x.descriptor(b, m, k)?;
                let majors = (x.matrix.major, self.y.matrix.major);
                match scale {
                    Scale::One => instruction(b, self.mma, [sum, left, right], majors),
                    Scale::Zero(_) | Scale::None => {
                        let operands = (Operand::Tile(left, majors.0), right, majors.1);
                        as_text(b, self.mma, (sum, accumulators), operands, scale)
                    }
                }
            }
            OperandA::Held(fragments, held) => {
                let place = usize::try_from(m + fragments.rows * k).unwrap_or_default();
                let registers = held.get(place).map_or(&[][..], Vec::as_slice);
                let operands = (Operand::Held(registers), right, self.y.matrix.major);
                as_text(b, self.mma, (sum, accumulators), operands, scale)
            }
        }
    }
}

impl<'c> Lowering<'c> {
    /// MMAs of a warpgroup. Those of a pipeline's step are in flight when it ends: what they read in
    /// registers may be written again after the waits that [`super::groups`] counts.
    pub(super) fn wgmma(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        mma: &MmaAtom,
    ) -> Result<(), Failure> {
        let x = OperandA::new(b, mma, self.view(operand(operation, 0))?)?;
        let y = Tiles::new(b, self.view(operand(operation, 1))?)?;
        let c = Fragments::new(self.view(operand(operation, 2))?);
        let (rows, columns, depth) = (x.fragments().rows, y.fragments.rows, x.fragments().columns);
        if (rows, columns, depth) != (c.rows, c.columns, y.fragments.columns) {
            let left = match &x {
                OperandA::Shared(_) => "tiles (.,M,K)",
                OperandA::Held(..) => "fragments (.,M,K) and tiles",
            };
            return Err(Failure::refused(format!(
                "expected {left}, (.,N,K), (.,M,N), found {}, {}, {}",
                x.fragments().address.layout,
                y.fragments.address.layout,
                c.address.layout
            )));
        }
        written_out("MMAs", &[rows, columns, depth])?;
        let overwrites = layout_dialect::ops::overwrites(operation);
        let mut tiles = accumulators(b, &c)?;
        let mut sides = MmaOperands { mma, x, y };
        sides.x.fence(b)?;
        if layout_dialect::ops::has_two_levels(operation) {
            return self.two_levels(b, &sides, &tiles);
        }
        if overwrites {
            // The values that they held are read by nothing.
            for (_, sum) in &mut tiles {
                *sum = b.value("llvm.mlir.undef", &[], sum.r#type(), &[])?;
            }
        } else {
            for (accumulators, sum) in &mut tiles {
                *sum = kept(b, *sum, accumulators)?;
            }
        }
        fence(b)?;
        for k in 0..depth {
            for n in 0..columns {
                for m in 0..rows {
                    let place = usize::try_from(m + rows * n).unwrap_or_default();
                    let Some((accumulators, sum)) = tiles.get_mut(place) else { continue };
                    let scale = if overwrites && k == 0 { Scale::None } else { Scale::One };
                    *sum = sides.multiply(b, (*sum, accumulators), (m, n, k), scale)?;
                }
            }
        }
        b.operation("nvvm.wgmma.commit.group.sync.aligned", &[], &[], &[], vec![])?;
        for (accumulators, sum) in &tiles {
            accumulators.store(b, *sum)?;
        }
        if layout_dialect::ops::is_async(operation) {
            return Ok(());
        }
        let accumulators: Vec<_> =
            tiles.into_iter().map(|(accumulators, _)| accumulators).collect();
        if let Some(stage) = &mut self.stage
            && stage.groups.commits(operation)
        {
            // The pipeline waits where the stage's buffer is needed again.
            if stage.groups.sums_up(operand(operation, 2)) {
                stage.under_way.extend(accumulators);
            }
            return Ok(());
        }
        wait_for(b, &accumulators)
    }
}

impl<'c> Lowering<'c> {
    /// MMAs with two-level accumulation: tiles are accumulated one after the other, and then added to the main
    /// accumulators. Where registers suffice, two tiles alternate: while one is added, the other is
    /// multiplied.
    ///
    /// ```text
    /// multiply s; commit; multiply t; commit; wait 1; add s; multiply s; commit; wait 1; add t; …
    /// ```
    ///
    /// A number that is never 0, and not a constant, says that a tile starts again: with that, ptxas
    /// takes other registers for each tile, adds late, and spills.
    fn two_levels(
        &self,
        b: &Builder<'c>,
        sides: &MmaOperands<'_, '_, 'c>,
        tiles: &[(Accumulators<'c>, Val<'c>)],
    ) -> Result<(), Failure> {
        let rows = sides.x.fragments().rows;
        let Some((accumulators, first)) = tiles.first() else { return Ok(()) };
        let held = match &sides.x {
            OperandA::Shared(_) => 0,
            OperandA::Held(_, held) => held.iter().map(Vec::len).sum(),
        };
        let values = accumulators.values;
        let needed = values.saturating_mul(tiles.len() + 2).saturating_add(held);
        let room = self.stage.as_ref().map(|stage| stage.registers - REGISTERS_WITHOUT_FRAGMENTS);
        let turns = match room.and_then(|room| usize::try_from(room).ok()) {
            Some(room) if tiles.len() > 1 && needed <= room => 2,
            _ => 1,
        };
        let blocks = b.value(
            "gpu.grid_dim",
            &[],
            Type::index(b.context()),
            &[("dimension", parse(b, "#gpu<dim x>")?)],
        )?;
        let blocks = b.value("arith.index_castui", &[blocks], b.integer(32), &[])?;
        let undefined = b.value("llvm.mlir.undef", &[], first.r#type(), &[])?;
        let mut turns = vec![TwoLevel { own: undefined, of: None }; turns];
        for number in 0..tiles.len() + turns.len() {
            let all = turns.len();
            let before = number.checked_sub(all);
            let turn = &mut turns[number % all];
            if let Some((accumulators, sum)) = before.and_then(|before| tiles.get(before)) {
                // After it, as many groups were committed as there are other tiles in flight, at most.
                let left = (all - 1).min(tiles.len() + all - 1 - number);
                let left = i64::try_from(left).unwrap_or_default();
                wait(b, left)?;
                turn.own = kept(b, turn.own, accumulators)?;
                turn.of = Some((accumulators, added(b, *sum, turn.own, accumulators)?));
            }
            let Some((accumulators, _)) = tiles.get(number) else { continue };
            turn.fence(b, accumulators)?;
            let place = i64::try_from(number).unwrap_or_default();
            let (m, n) = (place % rows, place / rows);
            for k in 0..sides.x.fragments().columns {
                let scale = if k == 0 { Scale::Zero(blocks) } else { Scale::One };
                turn.own = sides.multiply(b, (turn.own, accumulators), (m, n, k), scale)?;
            }
            b.operation("nvvm.wgmma.commit.group.sync.aligned", &[], &[], &[], vec![])?;
        }
        turns.into_iter().try_for_each(|turn| turn.store(b))
    }
}

/// Registers that accumulate tiles separately, one after the other.
#[derive(Clone)]
struct TwoLevel<'s, 'c> {
    own: Val<'c>,
    /// The last that they were added to, and the result.
    of: Option<(&'s Accumulators<'c>, Val<'c>)>,
}

impl<'c> TwoLevel<'_, 'c> {
    /// Before the next tile's MMAs. The accumulators that the tile before was added to go through it as well:
    /// else the registers would be copied, to be added later.
    fn fence(&mut self, b: &Builder<'c>, accumulators: &Accumulators<'c>) -> Result<(), Failure> {
        let Some((before, sum)) = self.of.take() else {
            self.own = kept(b, self.own, accumulators)?;
            return fence(b);
        };
        let (element, count) = (before.address.element, before.values);
        let mut operands = fields(b, self.own, element, count)?;
        operands.extend(fields(b, sum, element, count)?);
        let outputs = operands.iter().map(|_| "=f".to_owned());
        let inputs = (0..operands.len()).map(|i| i.to_string());
        let constraints: Vec<String> = outputs.chain(inputs).collect();
        let both = structure(b, element, operands.len());
        let both = assembly(b, EMPTY_ASSEMBLY, &constraints, &operands, both)?;
        fence(b)?;
        let both = fields(b, both, element, operands.len())?;
        let (results, sum) = both.split_at(count);
        self.own = gathered(b, self.own.r#type(), results)?;
        before.store(b, gathered(b, self.own.r#type(), sum)?)
    }

    fn store(self, b: &Builder<'c>) -> Result<(), Failure> {
        self.of.map_or(Ok(()), |(accumulators, sum)| accumulators.store(b, sum))
    }
}

/// A structure of these fields.
fn gathered<'c>(b: &Builder<'c>, all: Type<'c>, fields: &[Val<'c>]) -> Result<Val<'c>, Failure> {
    let mut structure = b.value("llvm.mlir.undef", &[], all, &[])?;
    for (i, &field) in fields.iter().enumerate() {
        let position = [("position", parse(b, &format!("array<i64: {i}>"))?)];
        structure = b.value("llvm.insertvalue", &[structure, field], all, &position)?;
    }
    Ok(structure)
}

/// All accumulators of an MMA, those of an atom after the other, and what they hold.
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

/// The left side of one `wgmma`.
enum Operand<'r, 'c> {
    /// A tile's descriptor, and the mode along which it is contiguous.
    Tile(Val<'c>, Major),
    Held(&'r [Val<'c>]),
}

/// One `wgmma` that MLIR has no operation for, of registers or with a scale that is not known: the accumulators
/// after it.
fn as_text<'c>(
    b: &Builder<'c>,
    mma: &MmaAtom,
    (sum, accumulators): (Val<'c>, &Accumulators<'c>),
    (left, right, major): (Operand<'_, 'c>, Val<'c>, Major),
    scale: Scale<'c>,
) -> Result<Val<'c>, Failure> {
    let (m, n, k) = mma.extent;
    let (of, to) = (mma.multiplicand, mma.accumulator);
    let element = accumulators.address.element;
    let count = accumulators.values;
    let list = |from: usize, count: usize| {
        let names: Vec<String> = (from..from + count).map(|i| format!("${i}")).collect();
        format!("{{{}}}", names.join(","))
    };
    // Integers are not scaled, and only elements of 16 bits are transposed.
    let transposed = |major: Major| i32::from(major == Major::Mn);
    let scales = match (of, &left) {
        ("f16" | "bf16", Operand::Tile(_, left)) => {
            format!(", 1, 1, {}, {}", transposed(*left), transposed(major))
        }
        ("f16" | "bf16", Operand::Held(_)) => format!(", 1, 1, {}", transposed(major)),
        _ if to == "s32" => String::new(),
        _ => ", 1, 1".to_owned(),
    };
    let mut operands = Vec::new();
    let mut types = Vec::new();
    let left = match left {
        Operand::Tile(descriptor, _) => {
            operands.push(descriptor);
            types.push("l".to_owned());
            format!("${count}")
        }
        Operand::Held(registers) => {
            operands.extend_from_slice(registers);
            types.resize(registers.len(), "r".to_owned());
            list(count, registers.len())
        }
    };
    let right_at = count + operands.len();
    operands.push(right);
    types.push("l".to_owned());
    let adds = match scale {
        Scale::One => "ne.b32 p, 1, 0".to_owned(),
        Scale::None => "ne.b32 p, 0, 0".to_owned(),
        Scale::Zero(never) => {
            operands.push(never);
            types.push("r".to_owned());
            format!("eq.b32 p, ${}, 0", right_at + 1)
        }
    };
    let text = format!(
        "{{ .reg .pred p; setp.{adds}; \
         wgmma.mma_async.sync.aligned.m{m}n{n}k{k}.{to}.{of}.{of} {}, {left}, ${right_at}, p{scales}; }}",
        list(0, count),
    );
    let register = if element == b.integer(32) { "=r" } else { "=f" };
    let mut constraints = vec![register.to_owned(); count];
    constraints.extend(types);
    constraints.extend((0..count).map(|i| i.to_string()));
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
        let tile = address.layout.try_map(|inner| inner.get(&[0]))?;
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

/// Waits until at most `pending` committed groups are in flight. Their results must not be
/// touched before [`wait_for`].
pub(super) fn wait(b: &Builder<'_>, pending: i64) -> Result<(), Failure> {
    let group = b.i64_attribute(pending);
    b.operation("nvvm.wgmma.wait.group.sync.aligned", &[], &[], &[("group", group)], vec![])?;
    Ok(())
}

/// Waits until at most `pending` groups are in flight, and passes the registers of a view through.
pub(super) fn wait_for_sums<'c>(
    b: &Builder<'c>,
    view: &Address<'c>,
    pending: i64,
) -> Result<(), Failure> {
    wait(b, pending)?;
    written_out("elements", &[view.size()])?;
    let size = usize::try_from(view.size()).unwrap_or_default();
    let pointers = (0..view.size()).map(|i| view.element_pointer(b, i));
    let pointers = pointers.collect::<Result<Vec<_>, _>>()?;
    let held = pointers.iter().map(|&pointer| b.value("llvm.load", &[pointer], view.element, &[]));
    let held = held.collect::<Result<Vec<_>, _>>()?;
    let register = if view.element == b.integer(32) { "=r" } else { "=f" };
    let inputs = (0..size).map(|i| i.to_string());
    let constraints: Vec<String> =
        std::iter::repeat_n(register.to_owned(), size).chain(inputs).collect();
    let all = structure(b, view.element, size);
    let held = assembly(b, EMPTY_ASSEMBLY, &constraints, &held, all)?;
    for (pointer, value) in pointers.into_iter().zip(fields(b, held, view.element, size)?) {
        b.operation("llvm.store", &[value, pointer], &[], &[], vec![])?;
    }
    Ok(())
}

/// Waits for all groups, and passes these accumulators through.
pub(super) fn wait_for<'c>(
    b: &Builder<'c>,
    accumulators: &[Accumulators<'c>],
) -> Result<(), Failure> {
    wait(b, 0)?;
    for accumulator in accumulators {
        let done = kept(b, accumulator.load(b)?, accumulator)?;
        accumulator.store(b, done)?;
    }
    Ok(())
}

/// Inline assembly without an instruction, whose operands are the registers: it orders their uses.
const EMPTY_ASSEMBLY: &str = "// registers";

/// After it, MMAs may use registers and memory that were written before. It is an operation of NVVM, as the wait is: LLVM knows that
/// whole warps execute both, and so duplicates neither them nor the MMAs between them into the sides of a branch.
fn fence(b: &Builder<'_>) -> Result<(), Failure> {
    b.operation("nvvm.wgmma.fence.aligned", &[], &[], &[], vec![])?;
    Ok(())
}

/// The registers of accumulators, which a fence follows, or a wait precedes: what computes them stays in front of it, and what
/// uses them stays after it.
fn kept<'c>(
    b: &Builder<'c>,
    held: Val<'c>,
    accumulators: &Accumulators<'c>,
) -> Result<Val<'c>, Failure> {
    let count = accumulators.values;
    let element = accumulators.address.element;
    let operands = fields(b, held, element, count)?;
    let register = if element == b.integer(32) { "=r" } else { "=f" };
    let outputs = vec![register.to_owned(); count];
    let inputs = (0..count).map(|i| i.to_string());
    let constraints: Vec<String> = outputs.into_iter().chain(inputs).collect();
    assembly(b, EMPTY_ASSEMBLY, &constraints, &operands, held.r#type())
}

/// Whether an instruction adds to the accumulators before it.
#[derive(Clone, Copy)]
enum Scale<'c> {
    /// It does not, as this number is not 0.
    Zero(Val<'c>),
    /// It does not.
    None,
    One,
}

/// Accumulators plus others.
fn added<'c>(
    b: &Builder<'c>,
    before: Val<'c>,
    others: Val<'c>,
    accumulators: &Accumulators<'c>,
) -> Result<Val<'c>, Failure> {
    let element = accumulators.address.element;
    let mut all = before;
    for i in 0..accumulators.values {
        let position = [("position", parse(b, &format!("array<i64: {i}>"))?)];
        let one = b.value("llvm.extractvalue", &[before], element, &position)?;
        let other = b.value("llvm.extractvalue", &[others], element, &position)?;
        let sum = b.binary("arith.addf", one, other)?;
        all = b.value("llvm.insertvalue", &[all, sum], all.r#type(), &position)?;
    }
    Ok(all)
}

/// One `wgmma`: the accumulators after it.
fn instruction<'c>(
    b: &Builder<'c>,
    mma: &MmaAtom,
    [sum, x, y]: [Val<'c>; 3],
    majors: (Major, Major),
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
        ("typeD", parse(b, &format!("#nvvm.wgmma_type<{}>", mma.accumulator))?),
        ("scaleD", parse(b, "#nvvm.wgmma_scale_out<one>")?),
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
