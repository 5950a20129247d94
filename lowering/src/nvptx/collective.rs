//! Inline assembly that all lanes of a warp execute together.
//!
//! LLVM knows which of its own intrinsics are convergent; inline assembly needs an attribute. Without it, LLVM would copy
//! a wait for MMAs to both sides of a branch on the lane, and neither copy would be executed by the whole warp: the wait
//! is between the branch in which a lane passes the turn on and the branch in which the same lane releases a stage.

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    context::Context,
    llvm_sys::core::{LLVMGetInlineAsmAsmString, LLVMIsAInlineAsm},
    module::Module,
    values::{AsValueRef, CallSiteValue, InstructionOpcode, InstructionValue},
};

/// The part that the names of such instructions share.
const ALIGNED: &str = ".sync.aligned";

/// Marks calls of such inline assembly as convergent.
pub(super) fn mark(module: &Module<'_>, context: &Context) {
    let kind = Attribute::get_named_enum_kind_id("convergent");
    let convergent = context.create_enum_attribute(kind, 0);
    for function in module.get_functions() {
        let instructions =
            function.get_basic_block_iter().flat_map(|block| block.get_instructions());
        for instruction in instructions {
            if is_collective(instruction)
                && let Ok(call) = CallSiteValue::try_from(instruction)
            {
                call.add_attribute(AttributeLoc::Function, convergent);
            }
        }
    }
}

/// Whether an instruction is a call of inline assembly for a whole warp. The text is requested, and not looked for in
/// what LLVM prints of the value: to print one, it numbers all values of the function.
fn is_collective(instruction: InstructionValue<'_>) -> bool {
    if instruction.get_opcode() != InstructionOpcode::Call {
        return false;
    }
    let last = instruction.get_num_operands().checked_sub(1);
    let callee =
        last.and_then(|last| instruction.get_operand(last)).and_then(|callee| callee.value());
    let Some(callee) = callee else { return false };
    // SAFETY: the value is alive as long as its module; its kind is checked before its text, which is read before
    // anything changes; LLVM returns its length.
    let text = unsafe {
        let assembly = LLVMIsAInlineAsm(callee.as_value_ref());
        if assembly.is_null() {
            return false;
        }
        let mut length = 0;
        let text = LLVMGetInlineAsmAsmString(assembly, &mut length);
        if text.is_null() {
            return false;
        }
        std::slice::from_raw_parts(text.cast::<u8>(), length)
    };
    text.windows(ALIGNED.len()).any(|part| part == ALIGNED.as_bytes())
}
