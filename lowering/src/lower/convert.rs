//! Conversions of elements that a copy moves to another type.
//!
//! Floats are converted by way of f32. Conversions to 8 bits round to the nearest, ties to even, and saturate;
//! [`layout_dialect::narrow`] has the whole definition. Chips with conversion instructions convert two elements at once;
//! elsewhere arithmetic gives the same bits.

use super::{
    Failure, Target,
    copy::{parse, vector},
    packed,
};
use layout_dialect::{
    atoms,
    build::{Builder, Val},
    narrow::{self, Byte},
    tree,
};
use melior::ir::{
    OperationRef, Type,
    attribute::{BoolAttribute, DictionaryAttribute, TypeAttribute},
    operation::OperationLike,
};

/// The first chip with conversions to and from floats of 8 bits.
const FLOATS_OF_8_BITS: u32 = 89;

/// The instructions of a function's target for numbers of 8 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversions {
    /// To i8.
    integers: bool,
    /// To and from f8E4M3FN and f8E5M2.
    floats: bool,
}

impl Conversions {
    /// The conversions of a function: a kernel's chip is the one that it, or the kernel beside it, was tiled for. Every GPU that
    /// kernels are made for converts to integers; what names no chip may run on the first.
    pub(super) fn of(function: OperationRef<'_, '_>, target: Target) -> Self {
        if target == Target::Host {
            return Self { integers: false, floats: false };
        }
        let kernels = function.parent_operation().map(|module| tree::inside(module, "gpu.func"));
        let number = kernels.into_iter().flatten().find_map(chip).unwrap_or_default();
        Self { integers: true, floats: number >= FLOATS_OF_8_BITS }
    }

    /// A value, or a vector of values, converted to another element type where it differs.
    pub(super) fn converted<'c>(
        self,
        b: &Builder<'c>,
        value: Val<'c>,
        (source, target): (Type<'c>, Type<'c>),
        run: i64,
    ) -> Result<Val<'c>, Failure> {
        if source == target {
            return Ok(value);
        }
        let name = |r#type: Type<'c>| r#type.to_string();
        if name(target) == "tf32" {
            return Err(Failure::refused(format!(
                "expected equal element types for tf32, to which threads do not round as the copy engine does, found {source}"
            )));
        }
        if let Some(per) = packed::per_byte(source) {
            return packed::converted(b, value, (source, target), (run, per), !self.integers);
        }
        if self.integers && name(source) == "i8" && run % packed::BYTES_IN_WORD == 0 {
            match name(target).as_str() {
                "bf16" => return packed::bytes_by_pairs(b, value, target, run, false),
                "f16" => return packed::bytes_by_pairs(b, value, target, run, true),
                _ => {}
            }
        }
        if let Some(byte) = Byte::of(target) {
            let (value, source) = match (name(source).as_str(), byte) {
                ("f64", _) => {
                    return Err(Failure::refused(format!(
                        "expected floats of at most 32 bits to convert to {target}, found f64"
                    )));
                }
                ("i32", Byte::I8) => (value, source),
                _ => (self.single(b, value, source, run)?, Type::float32(b.context())),
            };
            return self.narrowed(b, value, (source, target), byte, run);
        }
        let wide = match (name(source).as_str(), name(target).as_str()) {
            // Once: by way of f32 it would be rounded twice.
            ("f64", _) => value,
            _ => self.single(b, value, source, run)?,
        };
        match name(target).as_str() {
            "f32" if name(source) != "f64" => Ok(wide),
            "f64" => Ok(b.value("arith.extf", &[wide], vector(target, run), &[])?),
            _ => Ok(b.value("arith.truncf", &[wide], vector(target, run), &[])?),
        }
    }

    /// In f32, exactly.
    fn single<'c>(
        self,
        b: &Builder<'c>,
        value: Val<'c>,
        source: Type<'c>,
        run: i64,
    ) -> Result<Val<'c>, Failure> {
        let f32_type = Type::float32(b.context());
        let wide = vector(f32_type, run);
        match (source.to_string().as_str(), Byte::of(source)) {
            ("f32", _) => Ok(value),
            // In place of it is an f32.
            ("tf32", _) => {
                Ok(b.value("builtin.unrealized_conversion_cast", &[value], wide, &[])?)
            }
            (_, None) => Ok(b.value("arith.extf", &[value], wide, &[])?),
            (_, Some(Byte::I8)) => Ok(b.value("arith.sitofp", &[value], wide, &[])?),
            (_, Some(_)) if self.floats => pairs_to_f32(b, value, source, run),
            _ => each(b, value, run, (source, f32_type), &|value| Ok(narrow::widened(b, value)?)),
        }
    }

    /// To a type of 8 bits, from f32 or i32.
    fn narrowed<'c>(
        self,
        b: &Builder<'c>,
        value: Val<'c>,
        (source, target): (Type<'c>, Type<'c>),
        byte: Byte,
        run: i64,
    ) -> Result<Val<'c>, Failure> {
        match byte {
            Byte::I8 if self.integers => to_integers(b, value, source, run),
            Byte::E4m3 | Byte::E5m2 if self.floats => pairs_to_floats(b, value, target, run),
            _ => each(b, value, run, (source, target), &|value| {
                Ok(narrow::narrowed(b, value, target)?)
            }),
        }
    }
}

/// The number of the chip that a kernel was tiled for.
fn chip(kernel: OperationRef<'_, '_>) -> Option<u32> {
    let facts = DictionaryAttribute::try_from(kernel.attribute("layout.kernel").ok()?).ok()?;
    let chip = (0..facts.len()).find_map(|i| {
        let (key, value) = facts.element(i).ok()?;
        (key.as_string_ref().as_str() == Ok("chip")).then_some(value)
    })?;
    atoms::chip_number(&tree::text(chip)?)
}

/// `cvt.rn.satfinite`, which takes two numbers.
fn pairs_to_floats<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    target: Type<'c>,
    run: i64,
) -> Result<Val<'c>, Failure> {
    let i8_type = b.integer(8);
    let bytes = Type::vector(&[2], i8_type);
    let attributes = [
        ("rnd", parse(b, "#nvvm.fp_rnd_mode<rn>")?),
        ("sat", parse(b, "#nvvm.sat_mode<satfinite>")?),
        ("relu", BoolAttribute::new(b.context(), false).into()),
        ("dstTy", TypeAttribute::new(target).into()),
    ];
    let values = elements(b, value, run, Type::float32(b.context()))?;
    let mut parts = Vec::with_capacity(values.len().div_ceil(2));
    for pair in values.chunks(2) {
        // The first operand becomes the upper element.
        let (low, high) = (pair[0], *pair.last().unwrap_or(&pair[0]));
        let pair = b.value("nvvm.convert.f32x2.to.f8x2", &[high, low], bytes, &attributes)?;
        parts.push(pair);
    }
    let bytes = of_pairs(b, parts, run, i8_type)?;
    Ok(b.value("arith.bitcast", &[bytes], vector(target, run), &[])?)
}

/// Two numbers to f16, which has them exactly, and from there to f32.
fn pairs_to_f32<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    source: Type<'c>,
    run: i64,
) -> Result<Val<'c>, Failure> {
    let (i8_type, f32_type) = (b.integer(8), Type::float32(b.context()));
    let bytes = b.value("arith.bitcast", &[value], vector(i8_type, run), &[])?;
    let attributes = [
        ("relu", BoolAttribute::new(b.context(), false).into()),
        ("srcType", TypeAttribute::new(source).into()),
    ];
    let halves = Type::vector(&[2], Type::float16(b.context()));
    let values = elements(b, bytes, run, i8_type)?;
    let mut parts = Vec::with_capacity(values.len().div_ceil(2));
    for pair in values.chunks(2) {
        let both = [pair[0], *pair.last().unwrap_or(&pair[0])];
        let pair = b.value("vector.from_elements", &both, Type::vector(&[2], i8_type), &[])?;
        let pair = b.value("nvvm.convert.f8x2.to.f16x2", &[pair], halves, &attributes)?;
        parts.push(b.value("arith.extf", &[pair], Type::vector(&[2], f32_type), &[])?);
    }
    of_pairs(b, parts, run, f32_type)
}

/// As many elements as a copy moves, of pairs of a type: of a single one, the lower of its pair.
fn of_pairs<'c>(
    b: &Builder<'c>,
    parts: Vec<Val<'c>>,
    run: i64,
    r#type: Type<'c>,
) -> Result<Val<'c>, Failure> {
    match (run, parts.as_slice()) {
        (1, &[pair]) => element(b, pair, 0, r#type),
        _ => joined(b, parts, 2, r#type),
    }
}

/// `cvt.rni.s32.f32`, which rounds and saturates, and of NaNs gives 0; and `cvt.pack.sat`, which packs two
/// integers of 32 bits below two bytes.
fn to_integers<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    source: Type<'c>,
    run: i64,
) -> Result<Val<'c>, Failure> {
    let (i8_type, i32_type) = (b.integer(8), b.integer(32));
    let values = elements(b, value, run, source)?;
    let mut integers = Vec::with_capacity(values.len());
    for value in values {
        integers.push(match source == i32_type {
            true => value,
            false => nearest_integer(b, value)?,
        });
    }
    let mut parts = Vec::new();
    let at_once = if run % 4 == 0 { 4 } else { 2 };
    for values in integers.chunks(at_once) {
        let mut packed = b.constant(i32_type, 0)?;
        for pair in values.rchunks(2) {
            packed = pack(b, [*pair.last().unwrap_or(&pair[0]), pair[0], packed])?;
        }
        parts.push(match values.len() {
            4 => b.value("llvm.bitcast", &[packed], Type::vector(&[4], i8_type), &[])?,
            2 => {
                let both = b.value("arith.trunci", &[packed], b.integer(16), &[])?;
                b.value("llvm.bitcast", &[both], Type::vector(&[2], i8_type), &[])?
            }
            _ => b.value("arith.trunci", &[packed], i8_type, &[])?,
        });
    }
    match (run, parts.as_slice()) {
        (1, &[byte]) => Ok(byte),
        _ => joined(b, parts, i64::try_from(at_once).unwrap_or(2), i8_type),
    }
}

fn nearest_integer<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Failure> {
    let attributes = [
        ("intrin", b.string("llvm.nvvm.f2i.rn")),
        ("op_bundle_sizes", parse(b, "array<i32>")?),
        ("operandSegmentSizes", parse(b, "array<i32: 1, 0>")?),
    ];
    Ok(b.value("llvm.call_intrinsic", &[value], b.integer(32), &attributes)?)
}

/// The second integer in the lowest byte, the first in the next, and above what the third has in its lower half.
fn pack<'c>(b: &Builder<'c>, operands: [Val<'c>; 3]) -> Result<Val<'c>, Failure> {
    let attributes = [
        ("asm_string", b.string("cvt.pack.sat.s8.s32.b32 $0, $1, $2, $3;")),
        ("constraints", b.string("=r,r,r,r")),
        ("asm_dialect", b.i64_attribute(0)),
    ];
    Ok(b.value("llvm.inline_asm", &operands, b.integer(32), &attributes)?)
}

/// A function of single values, of each of a vector's.
fn each<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    run: i64,
    (from, element): (Type<'c>, Type<'c>),
    convert: &dyn Fn(Val<'c>) -> Result<Val<'c>, Failure>,
) -> Result<Val<'c>, Failure> {
    if run == 1 {
        return convert(value);
    }
    let values = elements(b, value, run, from)?;
    let values = values.into_iter().map(convert).collect::<Result<Vec<_>, _>>()?;
    Ok(b.value("vector.from_elements", &values, vector(element, run), &[])?)
}

/// The elements of a vector, which are of a type; of one, the value itself.
fn elements<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    run: i64,
    r#type: Type<'c>,
) -> Result<Vec<Val<'c>>, Failure> {
    if run == 1 {
        return Ok(vec![value]);
    }
    (0..run).map(|i| element(b, value, i, r#type)).collect()
}

pub(super) fn element<'c>(
    b: &Builder<'c>,
    vector: Val<'c>,
    at: i64,
    r#type: Type<'c>,
) -> Result<Val<'c>, Failure> {
    let position = parse(b, &format!("array<i64: {at}>"))?;
    Ok(b.value("vector.extract", &[vector], r#type, &[("static_position", position)])?)
}

/// Concatenates vectors of one type pairwise: pairs first, then pairs of the results.
pub(super) fn joined<'c>(
    b: &Builder<'c>,
    mut parts: Vec<Val<'c>>,
    mut each: i64,
    r#type: Type<'c>,
) -> Result<Val<'c>, Failure> {
    while parts.len() > 1 {
        let order: Vec<String> = (0..2 * each).map(|i| i.to_string()).collect();
        let mask = parse(b, &format!("array<i64: {}>", order.join(", ")))?;
        let mut wider = Vec::with_capacity(parts.len().div_ceil(2));
        for pair in parts.chunks(2) {
            let &[low, high] = pair else {
                return Err(Failure::refused(format!(
                    "expected a power of two of elements, found {}",
                    parts.len()
                )));
            };
            let both = vector(r#type, 2 * each);
            wider.push(b.value("vector.shuffle", &[low, high], both, &[("mask", mask)])?);
        }
        (parts, each) = (wider, 2 * each);
    }
    parts.first().copied().ok_or_else(|| Failure::refused("expected an element, found none"))
}
