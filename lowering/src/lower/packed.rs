//! Elements smaller than a byte, packed with the first in the lowest bits.
//!
//! | access | becomes |
//! |---|---|
//! | a load of one element | a load of its byte, shifted and truncated |
//! | a run of a copy that is whole bytes | these bytes, as one vector |
//! | a store of one element in registers | its byte with some bits replaced |
//! | a store of one element in memory | refused: it would race with a thread that writes the rest of the byte |
//!
//! So are bytes, of which numbers `j` and `j + 2` of a word are the halves of two. bf16 has a bit less than they take: their sign
//! is a bit of what is subtracted, 256 or 128.
//!
//! Conversions to f16, bf16 and f32 put the bits of two numbers below the exponent of a power of two, whose unit in the last
//! place is 1, and subtract that power: no instruction converts an integer.

use super::{
    Address, Failure,
    address::offset_pointer,
    convert::{element, joined},
    copy::{parse, vector},
    memory,
};
use layout_algebra::Outer;
use layout_dialect::{
    Space,
    build::{Builder, Val},
    scalar_name,
};
use melior::ir::{
    Type, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
};

/// Numbers in a word of 32 bits, of 4 bits each.
const IN_WORD: i64 = 8;

/// Numbers in a word of 32 bits, of 8 bits each.
pub(super) const BYTES_IN_WORD: i64 = 4;

/// How many elements of a type lie in a byte, where those are several.
pub(super) fn per_byte(element: Type<'_>) -> Option<i64> {
    match scalar_name(element)? {
        "i4" | "ui4" => Some(2),
        "i2" | "ui2" => Some(4),
        _ => None,
    }
}

/// The form of a run of elements of a type in memory and in an instruction: elements of a type, and how many. A run of packed
/// elements is bytes, or a single element.
pub(super) fn moved<'c>(
    b: &Builder<'c>,
    element: Type<'c>,
    run: i64,
) -> Result<(Type<'c>, i64), Failure> {
    match per_byte(element) {
        None => Ok((element, run)),
        Some(per) if run % per == 0 => Ok((b.integer(8), run / per)),
        Some(per) if run == 1 => Ok((b.integer(bits(per)), 1)),
        Some(per) => Err(Failure::refused(format!(
            "expected copies of one {element}, or of a multiple of the {per} in a byte, found {run}"
        ))),
    }
}

/// The bits of an element of which `per` share a byte.
fn bits(per: i64) -> u32 {
    u32::try_from(8 / per).unwrap_or(8)
}

/// Where an element lies in its byte.
#[derive(Clone, Copy)]
enum Shift<'c> {
    Known(i64),
    /// In i8.
    At(Val<'c>),
}

impl<'c> Address<'c> {
    /// A pointer to the byte that packed element `i` begins.
    pub(super) fn packed_pointer(
        &self,
        b: &Builder<'c>,
        i: i64,
        per: i64,
    ) -> Result<Val<'c>, Failure> {
        match self.byte(b, i, per)? {
            (pointer, Shift::Known(0)) => Ok(pointer),
            _ => Err(Failure::refused(format!(
                "expected {} from the first of the {per} in a byte on, found element {i} where run-time offsets are known \
                 to be multiples of {}",
                self.element,
                self.divisor()
            ))),
        }
    }

    /// The byte that has element `i`, and where that is in it.
    fn byte(&self, b: &Builder<'c>, i: i64, per: i64) -> Result<(Val<'c>, Shift<'c>), Failure> {
        let pointer = self.pointer.ok_or_else(|| {
            Failure::refused("expected a view of memory, found an identity tensor, which has none")
        })?;
        let place = self.place(b, i)?;
        let known = |constant: i64| Shift::Known(constant.rem_euclid(per) * (8 / per));
        let (dynamic, constant, shift) = match place.dynamic {
            None => (None, place.constant.div_euclid(per), known(place.constant)),
            // A shift to the right rounds down, below 0 too.
            Some(dynamic) if self.keeps_bytes(i, per)? => {
                (Some(dynamic), place.constant.div_euclid(per), known(place.constant))
            }
            Some(dynamic) => {
                let r#type = dynamic.r#type();
                let all = match place.constant {
                    0 => dynamic,
                    constant => b.binary("arith.addi", dynamic, b.constant(r#type, constant)?)?,
                };
                let digit = b.binary("arith.andi", all, b.constant(r#type, per - 1)?)?;
                let shift = b.binary("arith.muli", digit, b.constant(r#type, 8 / per)?)?;
                let shift = b.value("arith.trunci", &[shift], b.integer(8), &[])?;
                (Some(all), 0, Shift::At(shift))
            }
        };
        let mut result = pointer;
        if let Some(elements) = dynamic {
            let by = b.constant(elements.r#type(), i64::from(per.trailing_zeros()))?;
            let bytes = b.binary("arith.shrsi", elements, by)?;
            result = offset_pointer(b, result, b.integer(8), Some(bytes), 0)?;
        }
        if constant != 0 {
            result = offset_pointer(b, result, b.integer(8), None, constant)?;
        }
        Ok((result, shift))
    }

    /// Whether all that is known at run time of the place of element `i` is whole bytes.
    fn keeps_bytes(&self, i: i64, per: i64) -> Result<bool, Failure> {
        if self.divisor() % per != 0 {
            return Ok(false);
        }
        Ok(match self.outer() {
            None => true,
            Some(Outer::Swizzle(swizzle)) => {
                (1_i64 << swizzle.base) % per == 0 && self.linear_constant(i)? % per == 0
            }
            Some(Outer::Layout(_)) => false,
        })
    }

    /// Loads packed element `i`, as a signless integer.
    pub(super) fn load_packed(
        &self,
        b: &Builder<'c>,
        i: i64,
        per: i64,
    ) -> Result<Val<'c>, Failure> {
        let (pointer, shift) = self.byte(b, i, per)?;
        let byte = memory::load(b, pointer, b.integer(8), None)?;
        let byte = shifted(b, "arith.shrui", byte, shift)?;
        Ok(b.value("arith.trunci", &[byte], b.integer(bits(per)), &[])?)
    }

    /// Stores packed element `i`, in registers.
    pub(super) fn store_packed(
        &self,
        b: &Builder<'c>,
        value: Val<'c>,
        i: i64,
        per: i64,
    ) -> Result<(), Failure> {
        if self.space != Space::Register {
            return Err(Failure::refused(format!(
                "expected a store of whole bytes in {} memory, found one of a single {}; another thread may write the \
                 rest of its byte: collect the elements in registers, and copy {per} or more of them at once",
                self.space, self.element
            )));
        }
        let byte_type = b.integer(8);
        let (pointer, shift) = self.byte(b, i, per)?;
        let wide = b.value("arith.extui", &[value], byte_type, &[])?;
        let own = shifted(b, "arith.shli", wide, shift)?;
        let mask = b.constant(byte_type, (1 << bits(per)) - 1)?;
        let mask = shifted(b, "arith.shli", mask, shift)?;
        let rest = b.binary("arith.xori", mask, b.constant(byte_type, -1)?)?;
        let old = memory::load(b, pointer, byte_type, None)?;
        let kept = b.binary("arith.andi", old, rest)?;
        memory::store(b, b.binary("arith.ori", kept, own)?, pointer, None)
    }

    /// Fills a view of packed elements: by bytes where they are whole, else one by one.
    pub(super) fn fill_packed(
        &self,
        b: &Builder<'c>,
        value: Val<'c>,
        per: i64,
    ) -> Result<(), Failure> {
        let byte_type = b.integer(8);
        let mut byte = b.value("arith.extui", &[value], byte_type, &[])?;
        for step in (0..per.trailing_zeros()).map(|doubled| i64::from(bits(per)) << doubled) {
            let moved = b.binary("arith.shli", byte, b.constant(byte_type, step)?)?;
            byte = b.binary("arith.ori", byte, moved)?;
        }
        let mut i = 0;
        while i < self.size() {
            if i + per <= self.size() && self.is_aligned_run(i, per)? {
                memory::store(b, byte, self.packed_pointer(b, i, per)?, None)?;
                i += per;
            } else {
                self.store_packed(b, value, i, per)?;
                i += 1;
            }
        }
        Ok(())
    }

    /// Where the elements of a run lie in registers, and which those are, in the order of registers, or `None` if two share a
    /// place, or if the places are known at run time alone.
    pub(super) fn register_places(
        &self,
        first: i64,
        run: i64,
    ) -> Result<Option<Vec<(i64, i64)>>, Failure> {
        if self.space != Space::Register || self.outer().is_some() || self.divisor() != 0 {
            return Ok(None);
        }
        let mut places = (0..run)
            .map(|i| Ok::<_, Failure>((self.linear_constant(first + i)?, i)))
            .collect::<Result<Vec<_>, _>>()?;
        places.sort_unstable();
        let is_injective = places.windows(2).all(|pair| pair[0].0 != pair[1].0);
        Ok(Some(places).filter(|_| is_injective))
    }
}

fn shifted<'c>(
    b: &Builder<'c>,
    name: &str,
    byte: Val<'c>,
    shift: Shift<'c>,
) -> Result<Val<'c>, Failure> {
    match shift {
        Shift::Known(0) => Ok(byte),
        Shift::Known(by) => Ok(b.binary(name, byte, b.constant(b.integer(8), by)?)?),
        Shift::At(by) => Ok(b.binary(name, byte, by)?),
    }
}

/// Converts packed elements to another type; a run, as of [`moved`], becomes a vector of its length.
pub(super) fn converted<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    (source, target): (Type<'c>, Type<'c>),
    (run, per): (i64, i64),
    is_host: bool,
) -> Result<Val<'c>, Failure> {
    let signed = !source.to_string().starts_with('u');
    let name = target.to_string();
    if per == 2 && run % IN_WORD == 0 {
        match name.as_str() {
            "f16" => return by_pairs(b, value, (target, run), signed, (0x6400_6400, 1024.0)),
            // Not all hosts have arithmetic of bf16.
            "bf16" if !is_host => {
                return by_pairs(b, value, (target, run), signed, (0x4300_4300, 128.0));
            }
            _ => {}
        }
    }
    let single = b.integer(bits(per));
    let mut numbers = Vec::new();
    for i in 0..run {
        let own = if run == 1 {
            value
        } else {
            let bytes = run / per;
            let byte = match bytes {
                1 => value,
                _ => element(b, value, i / per, b.integer(8))?,
            };
            let byte = shifted(b, "arith.shrui", byte, Shift::Known(i % per * (8 / per)))?;
            b.value("arith.trunci", &[byte], single, &[])?
        };
        let extend = if signed { "arith.extsi" } else { "arith.extui" };
        if name == "i8" {
            numbers.push(b.value(extend, &[own], target, &[])?);
            continue;
        }
        let wide = b.value(extend, &[own], b.integer(32), &[])?;
        let f32_type = Type::float32(b.context());
        let number = b.value("arith.sitofp", &[wide], f32_type, &[])?;
        numbers.push(match name.as_str() {
            "f32" => number,
            "f64" => b.value("arith.extf", &[number], target, &[])?,
            _ => b.value("arith.truncf", &[number], target, &[])?,
        });
    }
    match numbers[..] {
        [one] => Ok(one),
        _ => Ok(b.value("vector.from_elements", &numbers, vector(target, run), &[])?),
    }
}

/// Elements `j` and `j + 4` of each word are found at once, in the halves of a word.
fn by_pairs<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    (target, run): (Type<'c>, i64),
    signed: bool,
    (exponents, power): (i64, f64),
) -> Result<Val<'c>, Failure> {
    let i32_type = b.integer(32);
    let count = run / IN_WORD;
    let words = b.value(
        "vector.bitcast",
        &[value],
        Type::vector(&[u64::try_from(count).unwrap_or(1)], i32_type),
        &[],
    )?;
    let pair_type = Type::vector(&[2], target);
    let word = |text: i64| -> Result<Val<'c>, Failure> {
        // As its 32 bits are, whatever sign they have.
        let attribute = IntegerAttribute::new(i32_type, i64::from(text as u32 as i32)).into();
        Ok(b.value("arith.constant", &[], i32_type, &[("value", attribute)])?)
    };
    let bias = if signed { power + 8.0 } else { power };
    let bias = FloatAttribute::new(b.context(), target, bias).into();
    let bias = b.value("arith.constant", &[], target, &[("value", bias)])?;
    let bias = b.value("vector.broadcast", &[bias], pair_type, &[])?;
    // The sign turned around is 8 added.
    let turned = if signed { 0x0008_0008 } else { 0 };
    let (mask, exponents) = (word(0x000F_000F)?, word(exponents ^ turned)?);
    let order = parse(b, "array<i64: 0, 2, 4, 6, 1, 3, 5, 7>")?;
    let mut parts = Vec::new();
    for at in 0..count {
        let numbers = element(b, words, at, i32_type)?;
        let mut pairs = Vec::new();
        for j in 0..4 {
            let moved = match j {
                0 => numbers,
                _ => b.binary("arith.shrui", numbers, word(4 * j)?)?,
            };
            let bits = b.binary("arith.xori", b.binary("arith.andi", moved, mask)?, exponents)?;
            let pair = b.value("llvm.bitcast", &[bits], pair_type, &[])?;
            pairs.push(b.binary("arith.subf", pair, bias)?);
        }
        let all = joined(b, pairs, 2, target)?;
        let eight = vector(target, IN_WORD);
        parts.push(b.value("vector.shuffle", &[all, all], eight, &[("mask", order)])?);
    }
    joined(b, parts, IN_WORD, target)
}

/// Signed numbers of 8 bits as f16 or bf16, exactly. Elements `j` and `j + 2` of each word are converted at once, in the halves of
/// a word.
pub(super) fn bytes_by_pairs<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    target: Type<'c>,
    run: i64,
    has_all_bits: bool,
) -> Result<Val<'c>, Failure> {
    let i32_type = b.integer(32);
    let count = run / BYTES_IN_WORD;
    let words = Type::vector(&[u64::try_from(count).unwrap_or(1)], i32_type);
    let words = b.value("vector.bitcast", &[value], words, &[])?;
    let pair_type = Type::vector(&[2], target);
    let word = |bits: i64| b.constant(i32_type, bits);
    let as_pair = |bits: Val<'c>| b.value("llvm.bitcast", &[bits], pair_type, &[]);
    let order = parse(b, "array<i64: 0, 2, 1, 3>")?;
    let mut parts = Vec::new();
    for at in 0..count {
        let numbers = element(b, words, at, i32_type)?;
        let mut pairs = Vec::new();
        for j in 0..2 {
            let moved = match j {
                0 => numbers,
                _ => b.binary("arith.shrui", numbers, word(8)?)?,
            };
            let below = |mask: i64, bits: i64| -> Result<Val<'c>, Failure> {
                let kept = b.binary("arith.andi", moved, word(mask)?)?;
                Ok(as_pair(b.binary("arith.xori", kept, word(bits)?)?)?)
            };
            let (numbers, bias) = match has_all_bits {
                // The sign turned around is 128 added.
                true => (below(0x00FF_00FF, 0x6480_6480)?, as_pair(word(0x6480_6480)?)?),
                false => (below(0x007F_007F, 0x4300_4300)?, below(0x0080_0080, 0x4300_4300)?),
            };
            pairs.push(b.binary("arith.subf", numbers, bias)?);
        }
        let all = joined(b, pairs, 2, target)?;
        let four = vector(target, BYTES_IN_WORD);
        parts.push(b.value("vector.shuffle", &[all, all], four, &[("mask", order)])?);
    }
    joined(b, parts, BYTES_IN_WORD, target)
}
