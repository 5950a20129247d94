//! `mma.sync` of every atom, for the lanes of a warp.
//!
//! Which elements a lane holds are the atom's thread-value layouts. Each lane passes its registers and waits for its warp, and when all
//! have come the machine multiplies. Sums are in the accumulators' type in the order of K, those of f16 in f32, rounded at the end.

use super::{
    Error,
    machine::WARP,
    multiplicands::Multiplicand,
    program::{Sites, call, constant},
    slots::structure,
};
use layout_algebra::{Layout, Tuple};
use layout_dialect::{
    atoms::{self, MmaAtom},
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};
use std::sync::LazyLock;

/// Registers that a lane passes at most: four of A, two of B, four of C.
pub(super) const REGISTERS: usize = 10;

/// Registers of C that a lane holds at most.
pub(super) const ACCUMULATORS: usize = 4;

/// The registers of a lane: A, B and C, the rest unused.
pub(super) type LaneRegisters = [u32; REGISTERS];

/// The accumulators of a lane, the rest unused.
pub(super) type Accumulators = [u32; ACCUMULATORS];

/// Bytes of a register.
const REGISTER_BYTES: usize = 4;

/// An operand of a warp: how many registers a lane has of it, and where each of its values is in the matrix.
#[derive(Debug)]
struct Fragment {
    registers: usize,
    /// By lane, then by value.
    places: Vec<usize>,
    values: usize,
}

impl Fragment {
    /// The fragment of a thread-value layout, of elements of so many bytes; `None` for a layout that is none.
    fn new(layout: &str, values: i64, bytes: usize) -> Option<Self> {
        let layout: Layout = layout.parse().ok()?;
        let count = usize::try_from(values).ok()?;
        let mut places = Vec::with_capacity(WARP * count);
        for lane in 0..i64::try_from(WARP).ok()? {
            for value in 0..values {
                let at = Tuple::Node(vec![Tuple::Leaf(lane), Tuple::Leaf(value)]);
                places.push(usize::try_from(layout.crd2idx(&at).ok()?).ok()?);
            }
        }
        Some(Self { registers: count * bytes / REGISTER_BYTES, places, values: count })
    }

    fn of_lane(&self, lane: usize) -> &[usize] {
        self.places.get(lane * self.values..(lane + 1) * self.values).unwrap_or(&[])
    }
}

/// An atom of a warp.
#[derive(Debug)]
pub(super) struct WarpMma {
    atom: &'static MmaAtom,
    multiplicand: Multiplicand,
    /// Rows, columns, and what is multiplied for an element.
    extent: [usize; 3],
    fragments: [Fragment; 3],
}

/// The atoms of warps that have an instruction; compiled code names one by its place.
static ATOMS: LazyLock<Vec<WarpMma>> = LazyLock::new(|| {
    let all = atoms::all().iter().filter_map(atoms::Atom::mma);
    all.filter(|atom| atom.threads == atoms::WARP && !atom.is_scalar())
        .filter_map(WarpMma::new)
        .collect()
});

impl WarpMma {
    fn new(atom: &'static MmaAtom) -> Option<Self> {
        let multiplicand = Multiplicand::named(atom.multiplicand)?;
        let bytes = multiplicand.bytes();
        let of_sum = match atom.accumulator {
            "f16" => 2,
            "f32" | "s32" => 4,
            "f64" => 8,
            _ => return None,
        };
        let (m, n, k) = atom.extent;
        let extent = [m, n, k].map(usize::try_from);
        let [Ok(rows), Ok(columns), Ok(depth)] = extent else { return None };
        let fragments = [
            Fragment::new(&atom.a, atom.a_values, bytes)?,
            Fragment::new(&atom.b, atom.b_values, bytes)?,
            Fragment::new(&atom.c, atom.c_values, of_sum)?,
        ];
        Some(Self { atom, multiplicand, extent: [rows, columns, depth], fragments })
    }

    /// The atom of a place, as compiled code names it.
    pub(super) fn at(place: u32) -> Option<&'static Self> {
        ATOMS.get(place as usize)
    }

    /// Its multiply-adds.
    pub(super) fn multiply_adds(&self) -> u64 {
        self.extent.iter().map(|&extent| extent as u64).product()
    }

    fn registers(&self) -> usize {
        self.fragments.iter().map(|fragment| fragment.registers).sum()
    }

    /// The accumulators of all lanes, computed from their registers.
    pub(super) fn multiply(&self, lanes: &[LaneRegisters; WARP]) -> [Accumulators; WARP] {
        let of = self.multiplicand;
        match self.atom.accumulator {
            "f64" => self.product(
                lanes,
                |bytes| of.number(bytes),
                |x: f64, y, sum: f64| x.mul_add(y, sum),
                (f64::from_le_bytes, f64::to_le_bytes),
            ),
            // A product of two bytes and a sum of them are exact.
            "s32" => self.product(
                lanes,
                |bytes| of.number(bytes) as i32,
                |x: i32, y, sum: i32| sum.wrapping_add(x.wrapping_mul(y)),
                (i32::from_le_bytes, i32::to_le_bytes),
            ),
            "f16" => self.product(
                lanes,
                |bytes| of.single(bytes),
                |x: f32, y, sum: f32| x.mul_add(y, sum),
                (
                    |bytes: [u8; 2]| half::f16::from_le_bytes(bytes).to_f32(),
                    |sum| half::f16::from_f32(sum).to_le_bytes(),
                ),
            ),
            _ => self.product(
                lanes,
                |bytes| of.single(bytes),
                |x: f32, y, sum: f32| x.mul_add(y, sum),
                (f32::from_le_bytes, f32::to_le_bytes),
            ),
        }
    }

    /// The same in an arithmetic: the number of an element's bytes, a multiply-add, and sums from and to their bytes.
    fn product<T: Copy + Default, const BYTES: usize>(
        &self,
        lanes: &[LaneRegisters; WARP],
        number: impl Fn(&[u8]) -> T,
        multiply_add: impl Fn(T, T, T) -> T,
        (from, to): (impl Fn([u8; BYTES]) -> T, impl Fn(T) -> [u8; BYTES]),
    ) -> [Accumulators; WARP] {
        let [rows, columns, depth] = self.extent;
        let [of_a, of_b, of_c] = &self.fragments;
        // A row of A, or a column of B, is a row here.
        let (mut a, mut b) =
            (vec![T::default(); rows * depth], vec![T::default(); columns * depth]);
        for (lane, registers) in lanes.iter().enumerate() {
            let bytes = registers.map(u32::to_le_bytes);
            let bytes = bytes.as_flattened();
            let (first, rest) = bytes.split_at(of_a.registers * REGISTER_BYTES);
            let each = self.multiplicand.bytes();
            let matrices = [(of_a, first, rows, &mut a), (of_b, rest, columns, &mut b)];
            for (fragment, bytes, extent, matrix) in matrices {
                for (&place, element) in fragment.of_lane(lane).iter().zip(bytes.chunks_exact(each))
                {
                    let place = place % extent * depth + place / extent;
                    if let Some(target) = matrix.get_mut(place) {
                        *target = number(element);
                    }
                }
            }
        }
        let first = (of_a.registers + of_b.registers) * REGISTER_BYTES;
        std::array::from_fn(|lane| {
            let before = lanes[lane].map(u32::to_le_bytes);
            let before = before.as_flattened().get(first..).unwrap_or(&[]);
            let mut after = [[0_u8; REGISTER_BYTES]; ACCUMULATORS];
            let sums =
                before.chunks_exact(BYTES).zip(after.as_flattened_mut().chunks_exact_mut(BYTES));
            for (&place, (before, after)) in of_c.of_lane(lane).iter().zip(sums) {
                let (row, column) = (place % rows, place / rows);
                let start = before.first_chunk().map_or_else(T::default, |bytes| from(*bytes));
                let (x, y) = (a.chunks_exact(depth).nth(row), b.chunks_exact(depth).nth(column));
                let both = x.into_iter().flatten().zip(y.into_iter().flatten());
                let sum = both.fold(start, |sum, (&x, &y)| multiply_add(x, y, sum));
                after.copy_from_slice(&to(sum));
            }
            after.map(u32::from_le_bytes)
        })
    }
}

/// Writes out an MMA of an atom; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let place = match tree::name(operation).as_str() {
        "nvvm.mma.sync" => of_operation(operation),
        "llvm.call_intrinsic" => of_intrinsic(operation),
        _ => None,
    };
    let Some(place) = place else { return Ok(false) };
    let own = &ATOMS[place];
    let mut words = Vec::with_capacity(REGISTERS + 2);
    for at in 0..operation.operand_count() {
        words.extend(to_words(b, operand(operation, at))?);
    }
    if words.len() != own.registers() {
        return Ok(false);
    }
    while words.len() < REGISTERS {
        words.push(constant(b, 32, 0)?);
    }
    words.push(constant(b, 32, i64::try_from(place).unwrap_or(0))?);
    words.push(constant(b, 32, sites.of(operation))?);
    call(b, "layout_product", &words, None)?;
    let mut sums = Vec::with_capacity(ACCUMULATORS);
    for at in 0..own.fragments[2].registers {
        let number = constant(b, 32, i64::try_from(at).unwrap_or(0))?;
        let sum = call(b, "layout_sum", &[number], Some(b.integer(32)))?;
        sums.push(sum.ok_or_else(|| {
            Error::refused("expected the accumulator of an mma.sync, found none")
        })?);
    }
    let first = operation.operand_count().saturating_sub(1);
    let fields = from_words(b, &sums, operand(operation, first).r#type())?;
    let whole = structure(b, first_result(operation).r#type(), &fields)?;
    tree::replace_uses(first_result(operation), whole);
    tree::erase(operation);
    Ok(true)
}

/// The place of the atom that an `nvvm.mma.sync` is.
fn of_operation(operation: OperationRef<'_, '_>) -> Option<usize> {
    let text =
        |name: &str| operation.attribute(name).map(|found| found.to_string()).unwrap_or_default();
    let shape = text("shape");
    let sum = operand(operation, operation.operand_count().checked_sub(1)?).r#type().to_string();
    let is_plain = text("layoutA").contains("<row>")
        && text("layoutB").contains("<col>")
        && text("b1Op").is_empty()
        && !text("intOverflowBehavior").contains("satfinite");
    ATOMS.iter().position(|own| {
        let (m, n, k) = own.atom.extent;
        let of = format!("<{}>", own.atom.multiplicand);
        let accumulator = match own.atom.accumulator {
            "f16" => "vector<2xf16>",
            "s32" => "i32",
            other => other,
        };
        is_plain
            && shape.contains(&format!("m = {m}, n = {n}, k = {k}>"))
            && text("multiplicandAPtxType").contains(&of)
            && text("multiplicandBPtxType").contains(&of)
            && sum == accumulator
    })
}

/// The place of the atom whose intrinsic is called.
fn of_intrinsic(operation: OperationRef<'_, '_>) -> Option<usize> {
    let name = operation.attribute("intrin").ok().and_then(tree::text)?;
    ATOMS.iter().position(|own| name == own.atom.intrinsic())
}

/// The registers that a value is.
fn to_words<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Vec<Val<'c>>, Error> {
    let word = b.integer(32);
    if value.r#type() == word {
        return Ok(vec![value]);
    }
    if value.r#type().to_string() != "f64" {
        return Ok(vec![b.value("llvm.bitcast", &[value], word, &[])?]);
    }
    let bits = b.value("llvm.bitcast", &[value], b.integer(64), &[])?;
    let above = b.value("llvm.lshr", &[bits, constant(b, 64, 32)?], b.integer(64), &[])?;
    [bits, above].into_iter().map(|bits| Ok(b.value("llvm.trunc", &[bits], word, &[])?)).collect()
}

/// The values of a type that registers are.
fn from_words<'c>(b: &Builder<'c>, words: &[Val<'c>], of: Type<'c>) -> Result<Vec<Val<'c>>, Error> {
    if of == b.integer(32) {
        return Ok(words.to_vec());
    }
    if of.to_string() != "f64" {
        return words.iter().map(|&word| Ok(b.value("llvm.bitcast", &[word], of, &[])?)).collect();
    }
    let wide = |word| b.value("llvm.zext", &[word], b.integer(64), &[]);
    let both = |words: &[Val<'c>]| {
        let above =
            b.value("llvm.shl", &[wide(words[1])?, constant(b, 64, 32)?], b.integer(64), &[])?;
        let bits = b.value("llvm.or", &[wide(words[0])?, above], b.integer(64), &[])?;
        Ok(b.value("llvm.bitcast", &[bits], of, &[])?)
    };
    words.chunks_exact(2).map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A(i,k) = i where k is 3; B(k,j) = j + 1; C was 0.5, or 1: C(i,j) = that + i (j + 1).
    fn check(own: &WarpMma) {
        let [rows, columns, _] = own.extent;
        let encode = |of: Multiplicand, value: f64| -> Vec<u8> {
            let value = value as f32;
            match of {
                Multiplicand::F16 => half::f16::from_f32(value).to_le_bytes().to_vec(),
                Multiplicand::Bf16 => half::bf16::from_f32(value).to_le_bytes().to_vec(),
                Multiplicand::Tf32 => value.to_le_bytes().to_vec(),
                Multiplicand::S8 => vec![value as i8 as u8],
                Multiplicand::F64 => f64::from(value).to_le_bytes().to_vec(),
                Multiplicand::E4m3 | Multiplicand::E5m2 => {
                    let all = (0..=0x7b).filter(|&byte| of.single(&[byte]) == value);
                    all.take(1).collect()
                }
            }
        };
        let sum = |value: f64| -> Vec<u8> {
            match own.atom.accumulator {
                "f16" => half::f16::from_f64(value).to_le_bytes().to_vec(),
                "s32" => (value as i32).to_le_bytes().to_vec(),
                "f64" => value.to_le_bytes().to_vec(),
                _ => (value as f32).to_le_bytes().to_vec(),
            }
        };
        let start = if own.atom.accumulator == "s32" { 1.0 } else { 0.5 };
        // Rows and columns as numbers that the type has.
        let row = |i: usize| (i % 8) as f64;
        let column = |j: usize| (j % 4 + 1) as f64;
        let words = |bytes: Vec<u8>| -> Vec<u32> {
            let words = bytes.chunks_exact(4).map(|word| word.first_chunk().copied());
            words.map(|word| u32::from_le_bytes(word.unwrap_or_default())).collect()
        };
        let [of_a, of_b, of_c] = &own.fragments;
        let lanes: [LaneRegisters; WARP] = std::array::from_fn(|lane| {
            let a = of_a.of_lane(lane).iter().flat_map(|place| {
                let value = if place / rows == 3 { row(place % rows) } else { 0.0 };
                encode(own.multiplicand, value)
            });
            let b = of_b.of_lane(lane).iter();
            let b = b.flat_map(|place| encode(own.multiplicand, column(place % columns)));
            let c = of_c.of_lane(lane).iter().flat_map(|_| sum(start));
            let mut all = words(a.chain(b).chain(c).collect());
            assert_eq!(all.len(), own.registers());
            all.resize(REGISTERS, 0);
            all.try_into().unwrap_or_default()
        });
        for (lane, found) in own.multiply(&lanes).into_iter().enumerate() {
            let expected = of_c
                .of_lane(lane)
                .iter()
                .flat_map(|place| sum(start + row(place % rows) * column(place / rows)));
            let mut expected = words(expected.collect());
            expected.resize(ACCUMULATORS, 0);
            assert_eq!(found.to_vec(), expected, "{} of lane {lane}", own.atom.multiplicand);
        }
    }

    #[test]
    fn products_are_those_of_the_matrices() {
        // f16 twice, bf16, tf32, e4m3, e5m2, s8, f64.
        assert_eq!(ATOMS.len(), 8);
        ATOMS.iter().for_each(check);
    }

    #[test]
    fn integers_wrap() {
        let own = ATOMS.iter().find(|own| own.multiplicand == Multiplicand::S8).expect("an atom");
        let mut lanes = [[0; REGISTERS]; WARP];
        for lane in &mut lanes {
            // Each product is 1, and 32 are added.
            lane[..6].fill(0x0101_0101);
            lane[6..].fill(i32::MAX.cast_unsigned());
        }
        let sums = own.multiply(&lanes);
        assert_eq!(sums[0], [(i32::MIN + 31).cast_unsigned(); ACCUMULATORS]);
    }
}
