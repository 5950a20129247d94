//! Undoing what LLVM's optimiser does to integers that costs instructions on NVIDIA's GPUs.
//!
//! The optimiser's normal forms suit machines with narrow registers, conditional moves, and an `or`
//! that is no more costly than an `add`. Here registers have 32 bits, and an instruction computes
//! `a·b + c` or `(a << k) + b` in one go, so that these forms are turned back:
//!
//! | form | becomes | since |
//! |---|---|---|
//! | `zext(trunc nuw(x) / c)` and the like, in 8 or 16 bits | the same in 32 bits | narrow integers are masked and sign-extended again and again |
//! | `x odd ? c : 0` | `(x & 1) · c` | a sum takes the product in, not the choice |
//! | `x · c \| y` or `(x << k) \| y` without a common bit | `x · c + y`, as `mad` | one instruction instead of two |
//! | `(x << k) + y` where `y` is below 2^k, and the same in a sum of three | the same, as `mad` | instruction selection would make an `or` of it |
//! | `((x >> n) & m) + y` where `m` only clears the lowest `k` bits | `(x >> (n + k)) · 2^k + y`, as `mad` | the mask is no instruction of its own |
//! | `(x & m) ^ c` and `(x & m) \| c`, both of more than 16 bits | `lop3` | an instruction holds one such constant: without, the assembler takes two |
//!
//! The last four are written as inline assembly: the `or` and the mask would be made again.
//!
//! Before the optimiser, [`name_high_products`] writes the high word of a product as the intrinsic for
//! it. Written in 64 bits, it would be taken apart: a shift of it becomes a longer shift of the whole
//! product, and a mask.

use super::Error;
use inkwell::{
    basic_block::BasicBlock,
    builder::Builder,
    context::ContextRef,
    module::Module,
    types::IntType,
    values::{
        AnyValue, AnyValueEnum, BasicValueEnum, InstructionOpcode as Op, InstructionValue, IntValue,
    },
};
use std::collections::HashMap;

/// Chains of narrow operations that are longer than this stay as they are.
const MAX_DEPTH: usize = 16;

/// The table of `lop3` for `(a & b) ^ c`: that of `a` is 0xF0, of `b` 0xCC and of `c` 0xAA.
const XOR_OF_AND: u8 = (0xF0 & 0xCC) ^ 0xAA;

/// The table of `lop3` for `(a & b) | c`.
const OR_OF_AND: u8 = (0xF0 & 0xCC) | 0xAA;

/// How many instructions were rewritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rewritten {
    /// Narrow chains that were widened.
    widened: usize,
    /// Choices that became products.
    products: usize,
    /// Bitwise sums that became `mad`.
    sums: usize,
    /// Masks and what is done to their bits that became `lop3`.
    masks: usize,
}

/// The intrinsic for the high word of a product of two unsigned words.
const HIGH_PRODUCT: &str = "llvm.nvvm.mulhi.ui";

/// Writes each `trunc((zext(a) · zext(b)) >> 32)` of 32 bits as one intrinsic; how many there were.
pub(super) fn name_high_products(module: &Module<'_>) -> Result<usize, Error> {
    let context = module.get_context();
    let builder = context.create_builder();
    let i32_type = context.i32_type();
    let mut named = 0;
    for function in module.get_functions() {
        let blocks = function.get_basic_blocks();
        let instructions: Vec<_> =
            blocks.iter().flat_map(|block| block.get_instructions()).collect();
        for instruction in instructions {
            let Some([a, b]) = high_product(instruction, i32_type) else { continue };
            let intrinsic = module.get_function(HIGH_PRODUCT).unwrap_or_else(|| {
                let signature = i32_type.fn_type(&[i32_type.into(), i32_type.into()], false);
                module.add_function(HIGH_PRODUCT, signature, None)
            });
            builder.position_before(&instruction);
            let call = builder.build_call(intrinsic, &[a.into(), b.into()], "").map_err(llvm)?;
            if let AnyValueEnum::IntValue(high) = call.as_any_value_enum()
                && let Some(high) = high.as_instruction()
            {
                instruction.replace_all_uses_with(&high);
                named += 1;
            }
        }
    }
    Ok(named)
}

/// The factors of a product whose high word an instruction is.
fn high_product<'c>(
    trunc: InstructionValue<'c>,
    i32_type: IntType<'c>,
) -> Option<[IntValue<'c>; 2]> {
    let is = |value: IntValue<'c>, op| value.as_instruction().filter(|i| i.get_opcode() == op);
    if trunc.get_opcode() != Op::Trunc || integer(trunc)?.get_type() != i32_type {
        return None;
    }
    let shift = is(operand(trunc, 0)?, Op::LShr)?;
    if operand(shift, 1)?.get_zero_extended_constant() != Some(32) {
        return None;
    }
    let product = is(operand(shift, 0)?, Op::Mul)?;
    let factor = |i| {
        let wide = operand(product, i).filter(|wide| wide.get_type().get_bit_width() == 64)?;
        if let Some(known) = wide.get_zero_extended_constant() {
            return u32::try_from(known).ok().map(|known| i32_type.const_int(known.into(), false));
        }
        let narrow = operand(is(wide, Op::ZExt)?, 0)?;
        (narrow.get_type() == i32_type).then_some(narrow)
    };
    Some([factor(0)?, factor(1)?])
}

/// Rewrites every function of a module.
pub(super) fn rewrite(module: &Module<'_>) -> Result<Rewritten, Error> {
    let context = module.get_context();
    let mut rewriter = Rewriter {
        context,
        builder: context.create_builder(),
        wide: HashMap::new(),
        rewritten: Rewritten::default(),
    };
    for function in module.get_functions() {
        let instructions: Vec<_> =
            function.get_basic_blocks().iter().flat_map(|block| block.get_instructions()).collect();
        rewriter.wide.clear();
        for instruction in instructions {
            rewriter.one(instruction)?;
        }
    }
    let Rewritten { widened, products, sums, masks } = rewriter.rewritten;
    tracing::debug!(widened, products, sums, masks, "integers rewritten for NVIDIA's instructions");
    Ok(rewriter.rewritten)
}

struct Rewriter<'c> {
    context: ContextRef<'c>,
    builder: Builder<'c>,
    /// The 32-bit form of a narrow value, which equals it extended by zeros.
    wide: HashMap<IntValue<'c>, IntValue<'c>>,
    rewritten: Rewritten,
}

impl<'c> Rewriter<'c> {
    fn one(&mut self, instruction: InstructionValue<'c>) -> Result<(), Error> {
        // Values that a rewrite left without a use are removed by the back end.
        let Some(value) = integer(instruction) else { return Ok(()) };
        if value.get_type().get_bit_width() != 32 || instruction.get_first_use().is_none() {
            return Ok(());
        }
        let replacement = match instruction.get_opcode() {
            Op::ZExt => self.widen(instruction)?,
            Op::Select => self.product(instruction)?,
            Op::Or => match self.mask(instruction, OR_OF_AND)? {
                None => self.sum(instruction)?,
                found => found,
            },
            Op::Xor => self.mask(instruction, XOR_OF_AND)?,
            Op::Add => match self.shifted_sum(instruction)? {
                None => self.masked_sum(instruction)?,
                found => found,
            },
            _ => None,
        };
        if let Some(replacement) = replacement.and_then(|value| value.as_instruction()) {
            instruction.replace_all_uses_with(&replacement);
        }
        Ok(())
    }

    fn widen(&mut self, zext: InstructionValue<'c>) -> Result<Option<IntValue<'c>>, Error> {
        let Some(narrow) = operand(zext, 0) else { return Ok(None) };
        if !matches!(narrow.get_type().get_bit_width(), 8 | 16) || !is_wide(narrow, 0) {
            return Ok(None);
        }
        let wide = self.wide(narrow)?;
        self.rewritten.widened += usize::from(wide.is_some());
        Ok(wide)
    }

    /// The 32-bit form of a value for which [`is_wide`] holds, made where the value is.
    fn wide(&mut self, value: IntValue<'c>) -> Result<Option<IntValue<'c>>, Error> {
        let i32_type = self.context.i32_type();
        if let Some(constant) = value.get_zero_extended_constant() {
            return Ok(Some(i32_type.const_int(constant, false)));
        }
        if let Some(&wide) = self.wide.get(&value) {
            return Ok(Some(wide));
        }
        let Some(instruction) = value.as_instruction() else { return Ok(None) };
        let Some(first) = operand(instruction, 0) else { return Ok(None) };
        let wide = if instruction.get_opcode() == Op::Trunc {
            first
        } else {
            let Some(second) = operand(instruction, 1) else { return Ok(None) };
            let (Some(a), Some(b)) = (self.wide(first)?, self.wide(second)?) else {
                return Ok(None);
            };
            let builder = &self.builder;
            builder.position_before(&instruction);
            let built = match instruction.get_opcode() {
                Op::UDiv => builder.build_int_unsigned_div(a, b, ""),
                Op::URem => builder.build_int_unsigned_rem(a, b, ""),
                Op::LShr => builder.build_right_shift(a, b, false, ""),
                Op::And => builder.build_and(a, b, ""),
                Op::Or => builder.build_or(a, b, ""),
                Op::Xor => builder.build_xor(a, b, ""),
                Op::Shl => builder.build_left_shift(a, b, ""),
                Op::Add => builder.build_int_nuw_add(a, b, ""),
                Op::Mul => builder.build_int_nuw_mul(a, b, ""),
                Op::Sub => builder.build_int_nuw_sub(a, b, ""),
                _ => return Ok(None),
            };
            built.map_err(llvm)?
        };
        self.wide.insert(value, wide);
        Ok(Some(wide))
    }

    /// `select (trunc x to i1), c, 0` as a product.
    fn product(&mut self, select: InstructionValue<'c>) -> Result<Option<IntValue<'c>>, Error> {
        let operands = (operand(select, 0), operand(select, 1), operand(select, 2));
        let (Some(condition), Some(then), Some(otherwise)) = operands else { return Ok(None) };
        let Some(trunc) = condition.as_instruction() else { return Ok(None) };
        let (Some(factor), Some(0)) =
            (then.get_zero_extended_constant(), otherwise.get_zero_extended_constant())
        else {
            return Ok(None);
        };
        let Some(x) = operand(trunc, 0).filter(|_| trunc.get_opcode() == Op::Trunc) else {
            return Ok(None);
        };
        let i32_type = self.context.i32_type();
        if x.get_type() != i32_type || factor == 0 {
            return Ok(None);
        }
        self.builder.position_before(&select);
        let bit = self.builder.build_and(x, i32_type.const_int(1, false), "").map_err(llvm)?;
        let product = self.builder.build_int_mul(bit, then, "").map_err(llvm)?;
        self.rewritten.products += 1;
        Ok(Some(product))
    }

    /// `or disjoint x · c, y` as a sum.
    fn sum(&mut self, or: InstructionValue<'c>) -> Result<Option<IntValue<'c>>, Error> {
        if or.get_disjoint_flag() != Ok(true) {
            return Ok(None);
        }
        match scaled_operand(or) {
            // A known addend becomes part of an address instead.
            Some((x, factor, rest)) if !rest.is_const() => self.mad(or, x, factor, rest),
            Some(_) => Ok(None),
            None => self.sums(or),
        }
    }

    /// `or disjoint (x · c + y · d), z` as `x · c + (y · d + z)`.
    fn sums(&mut self, or: InstructionValue<'c>) -> Result<Option<IntValue<'c>>, Error> {
        for (i, j) in [(0, 1), (1, 0)] {
            let (Some(sum), Some(rest)) = (operand(or, i), operand(or, j)) else { continue };
            let add = sum.as_instruction().filter(|add| add.get_opcode() == Op::Add);
            let Some(add) = add.filter(|add| is_used_once(*add) && !rest.is_const()) else {
                continue;
            };
            let Some((x, factor, other)) = scaled_operand(add) else { continue };
            let Some((y, second)) = scaled(other) else { continue };
            let Some(inner) = self.mad(or, y, second, rest)? else { continue };
            return self.mad(or, x, factor, inner);
        }
        Ok(None)
    }

    /// `(x << k) + y` as one operation, where the bits of `y` are below those of the product; `y` may be one of
    /// two terms beside it.
    fn shifted_sum(&mut self, add: InstructionValue<'c>) -> Result<Option<IntValue<'c>>, Error> {
        let Some((x, factor, rest)) =
            scaled_operand(add).filter(|(_, factor, _)| factor.is_power_of_two())
        else {
            return Ok(None);
        };
        let is_below = |value: IntValue<'c>| {
            !value.is_const() && greatest(value, 0).is_some_and(|greatest| greatest < factor)
        };
        if is_below(rest) {
            return self.mad(add, x, factor, rest);
        }
        // In a loop, the optimiser still makes one step of the sum.
        let Some(inner) = rest
            .as_instruction()
            .filter(|inner| inner.get_opcode() == Op::Add && is_used_once(*inner))
            .filter(|_| !repeats(add))
        else {
            return Ok(None);
        };
        for (i, j) in [(0, 1), (1, 0)] {
            let (Some(low), Some(other)) = (operand(inner, i), operand(inner, j)) else { continue };
            if is_below(low) && !other.is_const() {
                let Some(mad) = self.mad(add, x, factor, low)? else { continue };
                return self.builder.build_int_add(other, mad, "").map(Some).map_err(llvm);
            }
        }
        Ok(None)
    }

    /// `((x >> n) & m) + y` as `(x >> (n + k)) · 2^k + y`, where `m` clears the lowest `k` bits of the
    /// shifted value and no others that it may have.
    fn masked_sum(&mut self, add: InstructionValue<'c>) -> Result<Option<IntValue<'c>>, Error> {
        for (i, j) in [(0, 1), (1, 0)] {
            let (Some(field), Some(rest)) = (operand(add, i), operand(add, j)) else { continue };
            let of = |value: IntValue<'c>, op| {
                let made = value.as_instruction().filter(|made| made.get_opcode() == op)?;
                let known = operand(made, 1)?.get_zero_extended_constant()?;
                is_used_once(made).then_some((operand(made, 0)?, known))
            };
            let Some((shifted, mask)) = of(field, Op::And) else { continue };
            let Some((x, shift)) = of(shifted, Op::LShr) else { continue };
            let low = mask.trailing_zeros();
            let Some(most) = greatest(shifted, 0).filter(|_| !rest.is_const()) else { continue };
            let possible = u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0);
            let by = shift.saturating_add(low.into());
            if low == 0 || by > 31 || (possible & !mask) >> low != 0 {
                continue;
            }
            self.builder.position_before(&add);
            let by = self.context.i32_type().const_int(by, false);
            let field = self.builder.build_right_shift(x, by, false, "").map_err(llvm)?;
            return self.mad(add, field, 1 << low, rest);
        }
        Ok(None)
    }

    /// `(x & m) op c` as one instruction, whose table is that of the three operands.
    fn mask(
        &mut self,
        outer: InstructionValue<'c>,
        table: u8,
    ) -> Result<Option<IntValue<'c>>, Error> {
        let of = |made: InstructionValue<'c>| {
            let known = operand(made, 1).filter(|known| {
                known.get_zero_extended_constant().is_some_and(|known| known > u16::MAX.into())
            });
            Some((operand(made, 0)?, known?))
        };
        let Some((masked, bits)) = of(outer) else { return Ok(None) };
        let inner = masked.as_instruction().filter(|inner| inner.get_opcode() == Op::And);
        let Some((x, mask)) = inner.and_then(of).filter(|(x, _)| !x.is_const()) else {
            return Ok(None);
        };
        let i32_type = self.context.i32_type();
        let signature = i32_type.fn_type(&[i32_type.into(); 3], false);
        let assembly = self.context.create_inline_asm(
            signature,
            format!("lop3.b32 $0, $1, $2, $3, {table};"),
            "=r,r,r,r".to_owned(),
            false,
            false,
            None,
            false,
        );
        self.builder.position_before(&outer);
        let call = self
            .builder
            .build_indirect_call(signature, assembly, &[x.into(), mask.into(), bits.into()], "")
            .map_err(llvm)?;
        self.rewritten.masks += 1;
        Ok(match call.as_any_value_enum() {
            AnyValueEnum::IntValue(value) => Some(value),
            _ => None,
        })
    }

    /// `x · factor + rest` in place of an instruction.
    fn mad(
        &mut self,
        or: InstructionValue<'c>,
        x: IntValue<'c>,
        factor: u64,
        rest: IntValue<'c>,
    ) -> Result<Option<IntValue<'c>>, Error> {
        let i32_type = self.context.i32_type();
        let signature = i32_type.fn_type(&[i32_type.into(), i32_type.into()], false);
        let assembly = format!("mad.lo.s32 $0, $1, {factor}, $2;");
        let mad = self.context.create_inline_asm(
            signature,
            assembly,
            "=r,r,r".to_owned(),
            false,
            false,
            None,
            false,
        );
        self.builder.position_before(&or);
        let call = self
            .builder
            .build_indirect_call(signature, mad, &[x.into(), rest.into()], "")
            .map_err(llvm)?;
        self.rewritten.sums += 1;
        Ok(match call.as_any_value_enum() {
            AnyValueEnum::IntValue(value) => Some(value),
            _ => None,
        })
    }
}

/// Whether a narrow value's 32-bit form is known: nothing in the chain wraps around.
fn is_wide(value: IntValue<'_>, depth: usize) -> bool {
    if value.is_const() {
        return value.get_zero_extended_constant().is_some();
    }
    let Some(instruction) = value.as_instruction().filter(|_| depth < MAX_DEPTH) else {
        return false;
    };
    let does_not_wrap = instruction.get_no_unsigned_wrap_flag() == Ok(true);
    let of = |i| operand(instruction, i).is_some_and(|value| is_wide(value, depth + 1));
    match instruction.get_opcode() {
        Op::Trunc => {
            does_not_wrap
                && operand(instruction, 0).is_some_and(|x| x.get_type().get_bit_width() == 32)
        }
        Op::UDiv | Op::URem | Op::LShr | Op::And | Op::Or | Op::Xor => of(0) && of(1),
        Op::Shl | Op::Add | Op::Mul => does_not_wrap && of(0) && of(1),
        // `x / c · c` is at most `x`, though LLVM does not say that the difference does not wrap.
        Op::Sub => of(0) && quotient(instruction).is_some_and(|value| is_wide(value, depth + 1)),
        _ => false,
    }
}

/// The quotient `x / c` of a remainder that is written `x - x / c · c`.
fn quotient<'c>(difference: InstructionValue<'c>) -> Option<IntValue<'c>> {
    let (x, product) = (operand(difference, 0)?, operand(difference, 1)?.as_instruction()?);
    if product.get_opcode() != Op::Mul {
        return None;
    }
    let (quotient, by) = (operand(product, 0)?, operand(product, 1)?);
    let division = quotient.as_instruction().filter(|found| found.get_opcode() == Op::UDiv)?;
    let is_inverse = operand(division, 0)? == x && operand(division, 1)? == by;
    (is_inverse && by.is_const()).then_some(quotient)
}

/// `x`, `c` and `y` of a sum of `x · c` and `y`.
fn scaled_operand<'c>(sum: InstructionValue<'c>) -> Option<(IntValue<'c>, u64, IntValue<'c>)> {
    let (a, b) = (operand(sum, 0)?, operand(sum, 1)?);
    let ((x, factor), rest) =
        scaled(a).map(|parts| (parts, b)).or_else(|| Some((scaled(b)?, a)))?;
    Some((x, factor, rest))
}

/// The upper bound of a value of 32 bits, as far as shifts, masks and ranges give one; else none.
fn greatest(value: IntValue<'_>, depth: usize) -> Option<u64> {
    if let Some(known) = value.get_zero_extended_constant() {
        return Some(known);
    }
    let instruction = value.as_instruction().filter(|_| depth < MAX_DEPTH)?;
    let of = |i| greatest(operand(instruction, i)?, depth + 1);
    let known = |i| operand(instruction, i)?.get_zero_extended_constant();
    let fits = |value: u64| (value <= u64::from(u32::MAX)).then_some(value);
    match instruction.get_opcode() {
        Op::Call => {
            // A special register's range is at the call.
            let text = instruction.print_to_string().to_string();
            let range = text.split_once("call range(i32 ")?.1.split_once(')')?.0;
            let (low, end) = range.split_once(", ")?;
            let (low, end): (i64, i64) = (low.parse().ok()?, end.parse().ok()?);
            (low >= 0 && end > low).then(|| end.unsigned_abs() - 1)
        }
        Op::And => match (of(0), of(1)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
        Op::LShr => match known(1)? {
            shift if shift < 32 => Some(of(0).unwrap_or(u64::from(u32::MAX)) >> shift),
            _ => None,
        },
        Op::Shl => match known(1)? {
            shift if shift < 32 => fits(of(0)? << shift),
            _ => None,
        },
        Op::UDiv => Some(of(0)? / known(1).filter(|&by| by > 0)?),
        Op::Add => fits(of(0)?.checked_add(of(1)?)?),
        Op::Mul => fits(of(0)?.checked_mul(of(1)?)?),
        Op::Or | Op::Xor => {
            let bits = of(0)?.max(of(1)?);
            Some(bits.checked_add(1)?.next_power_of_two() - 1)
        }
        _ => None,
    }
}

/// `x` and `c` of an `x · c`, or of a shift that is one, that nothing else uses.
fn scaled<'c>(value: IntValue<'c>) -> Option<(IntValue<'c>, u64)> {
    let product = value.as_instruction()?;
    let known = operand(product, 1)?.get_zero_extended_constant()?;
    let factor = match product.get_opcode() {
        Op::Shl if known < 31 => 1_u64 << known,
        // An immediate of `mad` holds so much.
        Op::Mul if known < 1 << 31 => known,
        _ => return None,
    };
    is_used_once(product).then_some((operand(product, 0)?, factor))
}

/// Whether control comes back to an instruction.
fn repeats(instruction: InstructionValue<'_>) -> bool {
    let Some(own) = instruction.get_parent() else { return false };
    let mut seen: Vec<BasicBlock<'_>> = Vec::new();
    let mut left = vec![own];
    while let Some(block) = left.pop() {
        let Some(last) = block.get_terminator() else { continue };
        let next = (0..last.get_num_operands()).filter_map(|i| last.get_operand(i)?.block());
        for block in next {
            if block == own {
                return true;
            }
            if !seen.contains(&block) {
                seen.push(block);
                left.push(block);
            }
        }
    }
    false
}

fn is_used_once(instruction: InstructionValue<'_>) -> bool {
    instruction.get_first_use().is_some_and(|first| first.get_next_use().is_none())
}

fn operand<'c>(instruction: InstructionValue<'c>, i: u32) -> Option<IntValue<'c>> {
    match instruction.get_operand(i)?.value()? {
        BasicValueEnum::IntValue(value) => Some(value),
        _ => None,
    }
}

/// The integer that an instruction computes, if it computes one.
fn integer<'c>(instruction: InstructionValue<'c>) -> Option<IntValue<'c>> {
    match instruction.as_any_value_enum() {
        AnyValueEnum::IntValue(value) => Some(value),
        _ => None,
    }
}

fn llvm(error: inkwell::builder::BuilderError) -> Error {
    Error::Llvm(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::{context::Context, memory_buffer::MemoryBuffer};

    /// A function's body after the rewrite, and the counts of what was done.
    fn rewritten(body: &str) -> (String, Rewritten) {
        let context = Context::create();
        let text = format!("define i32 @f(i32 %x, i32 %y) {{\n{body}}}\n");
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "f");
        let module = context.create_module_from_ir(buffer).expect("IR that parses");
        let counts = rewrite(&module).expect("rewritten");
        module.verify().expect("IR that verifies");
        (module.print_to_string().to_string(), counts)
    }

    #[test]
    fn narrow_remainders_are_taken_in_32_bits() {
        let (text, counts) = rewritten(
            "  %n = trunc nuw i32 %x to i16\n  %q = udiv i16 %n, 192\n  %p = mul i16 %q, 192\n  \
             %r = sub i16 %n, %p\n  %w = zext i16 %r to i32\n  ret i32 %w\n",
        );
        assert_eq!(counts, Rewritten { widened: 1, ..Rewritten::default() });
        assert!(text.contains("udiv i32 %x, 192"), "{text}");
        assert!(text.contains("sub nuw i32 %x, "), "{text}");
    }

    #[test]
    fn narrow_values_that_may_wrap_stay() {
        for body in [
            "  %n = trunc i32 %x to i16\n  %q = udiv i16 %n, 3\n  %w = zext i16 %q to i32\n  ret i32 %w\n",
            "  %n = trunc nuw i32 %x to i16\n  %q = mul i16 %n, 3\n  %w = zext i16 %q to i32\n  ret i32 %w\n",
            "  %n = trunc nuw i32 %x to i16\n  %q = sub i16 %n, 3\n  %w = zext i16 %q to i32\n  ret i32 %w\n",
        ] {
            assert_eq!(rewritten(body).1, Rewritten::default(), "{body}");
        }
    }

    #[test]
    fn masks_of_two_wide_constants_are_one_instruction() {
        for (outer, table) in [("xor", 0x6A), ("or", 0xEA)] {
            let (text, counts) = rewritten(&format!(
                "  %m = and i32 %x, 983055\n  %r = {outer} i32 %m, 1124614920\n  ret i32 %r\n"
            ));
            assert_eq!(counts, Rewritten { masks: 1, ..Rewritten::default() });
            let call = format!(
                "lop3.b32 $0, $1, $2, $3, {table};\", \"=r,r,r,r\"(i32 %x, i32 983055, i32 1124614920)"
            );
            assert!(text.contains(&call), "{text}");
        }
        for body in [
            "  %m = and i32 %x, 15\n  %r = xor i32 %m, 1124614920\n  ret i32 %r\n",
            "  %m = and i32 %x, %y\n  %r = xor i32 %m, 1124614920\n  ret i32 %r\n",
        ] {
            assert_eq!(rewritten(body).1, Rewritten::default(), "{body}");
        }
    }

    #[test]
    fn high_words_of_products_are_named() {
        let named = |body: &str| {
            let context = Context::create();
            let text = format!("define i32 @f(i32 %x, i32 %y) {{\n{body}}}\n");
            let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "f");
            let module = context.create_module_from_ir(buffer).expect("IR that parses");
            let count = name_high_products(&module).expect("rewritten");
            module.verify().expect("IR that verifies");
            (module.print_to_string().to_string(), count)
        };
        let (text, count) = named(
            "  %w = zext i32 %x to i64\n  %p = mul i64 %w, 357913942\n  %s = lshr i64 %p, 32\n  \
             %h = trunc i64 %s to i32\n  ret i32 %h\n",
        );
        assert_eq!(count, 1);
        assert!(text.contains("call i32 @llvm.nvvm.mulhi.ui(i32 %x, i32 357913942)"), "{text}");
        for body in [
            // A factor that may reach 2^32, another shift, and a sign.
            "  %w = zext i32 %x to i64\n  %p = mul i64 %w, 8589934592\n  %s = lshr i64 %p, 32\n  \
             %h = trunc i64 %s to i32\n  ret i32 %h\n",
            "  %w = zext i32 %x to i64\n  %p = mul i64 %w, 3\n  %s = lshr i64 %p, 33\n  \
             %h = trunc i64 %s to i32\n  ret i32 %h\n",
            "  %w = sext i32 %x to i64\n  %p = mul i64 %w, 3\n  %s = lshr i64 %p, 32\n  \
             %h = trunc i64 %s to i32\n  ret i32 %h\n",
        ] {
            assert_eq!(named(body).1, 0, "{body}");
        }
    }

    #[test]
    fn choices_by_a_bit_become_products() {
        let (text, counts) = rewritten(
            "  %b = trunc i32 %x to i1\n  %s = select i1 %b, i32 9216, i32 0\n  ret i32 %s\n",
        );
        assert_eq!(counts, Rewritten { products: 1, ..Rewritten::default() });
        assert!(text.contains("and i32 %x, 1"), "{text}");
        let (_, counts) = rewritten(
            "  %b = trunc i32 %x to i1\n  %s = select i1 %b, i32 9216, i32 1\n  ret i32 %s\n",
        );
        assert_eq!(counts, Rewritten::default());
    }

    #[test]
    fn shifts_and_what_is_below_them_become_mad() {
        let (text, counts) = rewritten(
            "  %s = shl i32 %x, 7\n  %l = and i32 %y, 127\n  %a = add i32 %s, %l\n  ret i32 %a\n",
        );
        assert_eq!(counts, Rewritten { sums: 1, ..Rewritten::default() });
        assert!(text.contains("\"mad.lo.s32 $0, $1, 128, $2;\""), "{text}");
        for body in [
            // A bit that both may have, and an addend of which nothing is known.
            "  %s = shl i32 %x, 7\n  %l = and i32 %y, 255\n  %a = add i32 %s, %l\n  ret i32 %a\n",
            "  %s = shl i32 %x, 7\n  %a = add i32 %s, %y\n  ret i32 %a\n",
            "  %s = shl i32 %x, 7\n  %a = add i32 %s, 5\n  ret i32 %a\n",
        ] {
            assert_eq!(rewritten(body).1, Rewritten::default(), "{body}");
        }
    }

    #[test]
    fn shifts_become_mad_with_what_is_below_them_in_a_sum_of_three() {
        let sum = |low: u32| {
            format!(
                "  %l = and i32 %y, {low}\n  %i = add i32 %x, %l\n  %s = shl i32 %y, 19\n  \
                 %a = add i32 %i, %s\n  ret i32 %a\n"
            )
        };
        let (text, counts) = rewritten(&sum(127));
        assert_eq!(counts, Rewritten { sums: 1, ..Rewritten::default() });
        assert!(
            text.contains("\"mad.lo.s32 $0, $1, 524288, $2;\", \"=r,r,r\"(i32 %y, i32 %l)"),
            "{text}"
        );
        assert!(text.contains("add i32 %x, "), "{text}");
        // A bit that both may have.
        assert_eq!(rewritten(&sum(1 << 19)).1, Rewritten::default());
        // In a loop.
        let body = sum(127).replace("  ret i32 %a\n", "");
        let (_, counts) = rewritten(&format!(
            "  br label %b\nb:\n{body}  %p = icmp eq i32 %a, 0\n  br i1 %p, label %b, label %e\ne:\n  \
             ret i32 %x\n"
        ));
        assert_eq!(counts, Rewritten::default());
    }

    #[test]
    fn masks_that_only_clear_low_bits_become_shifts() {
        let sum = |shift: u32, mask: u32| {
            format!(
                "  %s = lshr i32 %x, {shift}\n  %m = and i32 %s, {mask}\n  %a = add i32 %m, %y\n  \
                 ret i32 %a\n"
            )
        };
        let (text, counts) = rewritten(&sum(28, 14));
        assert_eq!(counts, Rewritten { sums: 1, ..Rewritten::default() });
        assert!(text.contains("lshr i32 %x, 29"), "{text}");
        assert!(text.contains("\"mad.lo.s32 $0, $1, 2, $2;\""), "{text}");
        // A mask that clears a high bit too, one that clears none, and one that clears all.
        for (shift, mask) in [(27, 14), (28, 15), (28, 0), (28, 10)] {
            assert_eq!(rewritten(&sum(shift, mask)).1, Rewritten::default(), "{shift}, {mask}");
        }
        // A value that something else uses is shifted for that anyway.
        let (_, counts) = rewritten(
            "  %s = lshr i32 %x, 28\n  %m = and i32 %s, 14\n  %a = add i32 %m, %s\n  ret i32 %a\n",
        );
        assert_eq!(counts, Rewritten::default());
    }

    #[test]
    fn sums_of_products_take_in_what_has_no_common_bit() {
        let (text, counts) = rewritten(
            "  %s = shl i32 %x, 11\n  %t = shl i32 %y, 7\n  %a = add i32 %s, %t\n  \
             %z = lshr i32 %y, 26\n  %o = or disjoint i32 %a, %z\n  ret i32 %o\n",
        );
        assert_eq!(counts, Rewritten { sums: 2, ..Rewritten::default() });
        assert!(text.contains("$1, 128, $2") && text.contains("$1, 2048, $2"), "{text}");
    }

    #[test]
    fn products_and_ors_without_a_common_bit_become_mad() {
        let (text, counts) =
            rewritten("  %s = shl i32 %x, 7\n  %o = or disjoint i32 %s, %y\n  ret i32 %o\n");
        assert_eq!(counts, Rewritten { sums: 1, ..Rewritten::default() });
        assert!(text.contains("\"mad.lo.s32 $0, $1, 128, $2;\""), "{text}");
        let (text, counts) =
            rewritten("  %s = mul i32 %x, 640\n  %o = or disjoint i32 %y, %s\n  ret i32 %o\n");
        assert_eq!(counts, Rewritten { sums: 1, ..Rewritten::default() });
        assert!(text.contains("640, $2;\", \"=r,r,r\"(i32 %x, i32 %y)"), "{text}");
        for body in [
            "  %s = shl i32 %x, 7\n  %o = or i32 %s, %y\n  ret i32 %o\n",
            "  %s = shl i32 %x, 7\n  %o = or disjoint i32 %s, 5\n  ret i32 %o\n",
        ] {
            assert_eq!(rewritten(body).1, Rewritten::default(), "{body}");
        }
    }
}
