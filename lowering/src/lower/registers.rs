//! The registers that one instruction gives back: a structure of equal fields.

use super::{Failure, copy::parse};
use layout_dialect::build::{Builder, Val};
use melior::ir::Type;

/// The type of `count` registers of one type.
pub(super) fn structure<'c>(b: &Builder<'c>, register: Type<'c>, count: usize) -> Type<'c> {
    melior::dialect::llvm::r#type::r#struct(b.context(), &vec![register; count], false)
}

/// Each of the `count` registers of a structure, in their order.
pub(super) fn fields<'c>(
    b: &Builder<'c>,
    all: Val<'c>,
    register: Type<'c>,
    count: usize,
) -> Result<Vec<Val<'c>>, Failure> {
    (0..count)
        .map(|i| {
            let position = parse(b, &format!("array<i64: {i}>"))?;
            Ok(b.value("llvm.extractvalue", &[all], register, &[("position", position)])?)
        })
        .collect()
}
