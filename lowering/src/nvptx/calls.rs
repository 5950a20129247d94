//! Inlines the functions that kernels call.
//!
//! A function takes views of registers as pointers; only inside of the kernel are these registers again. LLVM would weigh
//! the size of a function against its calls, and keep one that nothing calls any more, since all can be seen from outside.

use inkwell::{
    attributes::{Attribute, AttributeLoc},
    context::Context,
    module::{Linkage, Module},
};

/// LLVM's number of the calling convention `ptx_kernel`.
const KERNEL: u32 = 71;

/// Marks functions that are no kernels: LLVM inlines each call, and removes what is not called.
pub(super) fn inline(module: &Module<'_>, context: &Context) {
    let kind = Attribute::get_named_enum_kind_id("alwaysinline");
    let always = context.create_enum_attribute(kind, 0);
    for function in module.get_functions() {
        let is_kernel = function.get_call_conventions() == KERNEL;
        if !is_kernel && function.count_basic_blocks() > 0 {
            function.add_attribute(AttributeLoc::Function, always);
            function.set_linkage(Linkage::Internal);
        }
    }
}
