//! Loads whose lines leave the L2 cache first.
//!
//! `evict_first` of a copy is `nontemporal` on a load, which LLVM's back end for NVPTX ignores. Here such a load from global memory becomes
//! the instruction with an L2 cache hint. It stays a load through the read-only cache where LLVM would make one.

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    module::Module,
    targets::TargetData,
    types::BasicTypeEnum,
    values::{
        AnyValue, AnyValueEnum, BasicValue, BasicValueEnum, FunctionValue, InstructionOpcode as Op,
        InstructionValue, PointerValue,
    },
};

use super::Error;

/// LLVM's number of the address space of global memory.
const GLOBAL: u16 = 1;
/// Bytes of a register, and of what one instruction loads at most.
const REGISTER: u64 = 4;
const MAX_BYTES: u64 = 16;
/// Instructions between a load and the argument that it reads, at most.
const MAX_DEPTH: usize = 64;

/// Rewrites the nontemporal loads of a module; `policy` is that of `createpolicy`.
///
/// # Errors
///
/// LLVM's own.
pub(super) fn rewrite(module: &Module<'_>, layout: &TargetData, policy: u64) -> Result<(), Error> {
    let kind = module.get_context().get_kind_id("nontemporal");
    for function in module.get_functions() {
        let all = function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        let loads =
            all.filter(|one| one.get_opcode() == Op::Load && one.get_metadata(kind).is_some());
        for load in loads.collect::<Vec<_>>() {
            hinted(module, function, load, layout, policy)?;
        }
    }
    Ok(())
}

/// Replaces a load from global memory by loads of one, two or four registers; one of less than a register, or that is not aligned, stays as it is.
fn hinted<'c>(
    module: &Module<'c>,
    function: FunctionValue<'c>,
    load: InstructionValue<'c>,
    layout: &TargetData,
    policy: u64,
) -> Result<(), Error> {
    let pointer = load.get_operand(0).and_then(|operand| operand.value());
    let r#type = BasicTypeEnum::try_from(load.get_type());
    let (Some(BasicValueEnum::PointerValue(pointer)), Ok(r#type)) = (pointer, r#type) else {
        return Ok(());
    };
    let is_number = r#type.is_int_type() || r#type.is_float_type() || r#type.is_vector_type();
    let (bytes, aligned) = (layout.get_store_size(&r#type), load.get_alignment().unwrap_or(1));
    let at_once = u64::from(aligned).min(bytes).min(MAX_BYTES);
    if !is_number
        || pointer.get_type().get_address_space() != GLOBAL.into()
        || at_once < REGISTER
        || bytes % at_once != 0
    {
        return Ok(());
    }
    let context = module.get_context();
    let builder = context.create_builder();
    builder.position_before(&load);
    let (i8_type, i32_type, i64_type) = (context.i8_type(), context.i32_type(), context.i64_type());
    let registers = u32::try_from(at_once / REGISTER).unwrap_or(1);
    let (width, results) = match registers {
        1 => ("b32", "$0"),
        2 => ("v2.b32", "{$0, $1}"),
        _ => ("v4.b32", "{$0, $1, $2, $3}"),
    };
    let parameters = [pointer.get_type().into(), i64_type.into()];
    let returned = vec![i32_type.into(); registers as usize];
    let signature = match registers {
        1 => i32_type.fn_type(&parameters, false),
        _ => context.struct_type(&returned, false).fn_type(&parameters, false),
    };
    let path = if is_read_only(function, pointer) { ".nc" } else { "" };
    let text = format!(
        "ld.global{path}.L2::cache_hint.{width} {results}, [${registers}], ${};",
        registers + 1
    );
    let constraints = format!("{}l,l,~{{memory}}", "=r,".repeat(registers as usize));
    let assembly =
        context.create_inline_asm(signature, text, constraints, true, false, None, false);
    let mut words = i32_type.vec_type(u32::try_from(bytes / REGISTER).unwrap_or(1)).get_undef();
    for (piece, place) in (0..bytes).step_by(at_once as usize).enumerate() {
        let by = [i64_type.const_int(place, false)];
        // SAFETY: the piece is within what the load reads.
        let from = unsafe { builder.build_gep(i8_type, pointer, &by, "") }.map_err(llvm)?;
        let operands = [from.into(), i64_type.const_int(policy, false).into()];
        let call = builder.build_indirect_call(signature, assembly, &operands, "");
        let call = call.map_err(llvm)?.as_any_value_enum();
        for number in 0..registers {
            let word = match call {
                AnyValueEnum::IntValue(word) => word.into(),
                AnyValueEnum::StructValue(all) => {
                    builder.build_extract_value(all, number, "").map_err(llvm)?
                }
                _ => return Err(llvm("expected registers of a load")),
            };
            let at = u64::from(registers) * piece as u64 + u64::from(number);
            let at = i32_type.const_int(at, false);
            words = builder.build_insert_element(words, word, at, "").map_err(llvm)?;
        }
    }
    let value = builder.build_bit_cast(words, r#type, "").map_err(llvm)?;
    if let Some(value) = value.as_instruction_value() {
        load.replace_all_uses_with(&value);
        load.erase_from_basic_block();
    }
    Ok(())
}

/// Whether a pointer is into an argument that the kernel only reads and that nothing else points into.
fn is_read_only<'c>(function: FunctionValue<'c>, mut pointer: PointerValue<'c>) -> bool {
    for _ in 0..MAX_DEPTH {
        let Some(instruction) = pointer.as_instruction() else { break };
        let base = match instruction.get_opcode() {
            Op::GetElementPtr | Op::BitCast | Op::AddrSpaceCast => instruction.get_operand(0),
            _ => return false,
        };
        let Some(BasicValueEnum::PointerValue(base)) = base.and_then(|base| base.value()) else {
            return false;
        };
        pointer = base;
    }
    let argument = function.get_param_iter().position(|one| one == BasicValueEnum::from(pointer));
    let Some(number) = argument.and_then(|number| u32::try_from(number).ok()) else { return false };
    ["noalias", "readonly"].iter().all(|name| {
        let kind = Attribute::get_named_enum_kind_id(name);
        function.get_enum_attribute(AttributeLoc::Param(number), kind).is_some()
    })
}

fn llvm(error: impl std::fmt::Display) -> Error {
    Error::Llvm(error.to_string())
}
