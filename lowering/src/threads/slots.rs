//! Registers of a thread in memory, which compiled code passes to this process, and structures of registers.

use super::Error;
use layout_dialect::{
    build::{Builder, Val},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, attribute::TypeAttribute, operation::OperationLike,
};

/// Memory for a number of 32-bit registers.
pub(super) struct Slot<'c> {
    pub(super) pointer: Val<'c>,
}

impl<'c> Slot<'c> {
    /// A slot in the frame of an operation's function.
    pub(super) fn new(
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        count: usize,
    ) -> Result<Self, Error> {
        let mut function = operation;
        while let Some(parent) = function.parent_operation() {
            // SAFETY: the parent lives as long as the operation does.
            let parent: OperationRef<'c, 'c> = unsafe { OperationRef::from_raw(parent.to_raw()) };
            if tree::name(parent) == "builtin.module" {
                break;
            }
            function = parent;
        }
        let first =
            tree::entry(function).and_then(|entry| tree::operations(entry).into_iter().next());
        let b = first
            .map_or_else(
                || Builder::before(operation),
                |first| {
                    // SAFETY: the operation is in the same module.
                    Builder::before(unsafe { OperationRef::from_raw(first.to_raw()) })
                },
            )
            .with_location(b.location());
        let one = super::program::constant(&b, 64, 1)?;
        let all = format!("!llvm.array<{count} x i32>");
        let all =
            Type::parse(b.context(), &all).ok_or(melior::Error::TypeExpected("array", all))?;
        let pointer = melior::dialect::llvm::r#type::pointer(b.context(), 0);
        let attributes = [("elem_type", TypeAttribute::new(all).into())];
        Ok(Self { pointer: b.value("llvm.alloca", &[one], pointer, &attributes)? })
    }

    fn at(&self, b: &Builder<'c>, number: usize) -> Result<Val<'c>, Error> {
        let indices = format!("array<i32: {number}>");
        let indices = Attribute::parse(b.context(), &indices)
            .ok_or(melior::Error::AttributeParse(indices))?;
        let attributes = [
            ("elem_type", TypeAttribute::new(b.integer(32)).into()),
            ("rawConstantIndices", indices),
        ];
        let pointer = melior::dialect::llvm::r#type::pointer(b.context(), 0);
        Ok(b.value("llvm.getelementptr", &[self.pointer], pointer, &attributes)?)
    }

    pub(super) fn store(&self, b: &Builder<'c>, values: &[Val<'c>]) -> Result<(), Error> {
        self.store_words(b, 0, values)
    }

    /// Stores registers from one of the slot's on.
    pub(super) fn store_words(
        &self,
        b: &Builder<'c>,
        first: usize,
        values: &[Val<'c>],
    ) -> Result<(), Error> {
        for (number, &value) in (first..).zip(values) {
            b.operation("llvm.store", &[value, self.at(b, number)?], &[], &[], vec![])?;
        }
        Ok(())
    }

    /// Loads `count` registers of a type.
    pub(super) fn load(
        &self,
        b: &Builder<'c>,
        count: usize,
        of: Type<'c>,
    ) -> Result<Vec<Val<'c>>, Error> {
        (0..count)
            .map(|number| Ok(b.value("llvm.load", &[self.at(b, number)?], of, &[])?))
            .collect()
    }
}

fn position<'c>(b: &Builder<'c>, number: usize) -> Result<Attribute<'c>, Error> {
    let position = format!("array<i64: {number}>");
    Ok(Attribute::parse(b.context(), &position).ok_or(melior::Error::AttributeParse(position))?)
}

/// A structure of registers.
pub(super) fn structure<'c>(
    b: &Builder<'c>,
    r#type: Type<'c>,
    values: &[Val<'c>],
) -> Result<Val<'c>, Error> {
    let mut whole = b.value("llvm.mlir.undef", &[], r#type, &[])?;
    for (number, &value) in values.iter().enumerate() {
        let attributes = [("position", position(b, number)?)];
        whole = b.value("llvm.insertvalue", &[whole, value], r#type, &attributes)?;
    }
    Ok(whole)
}

/// The first fields of a structure, which have this type.
pub(super) fn fields<'c>(
    b: &Builder<'c>,
    structure: Val<'c>,
    count: usize,
    of: Type<'c>,
) -> Result<Vec<Val<'c>>, Error> {
    (0..count)
        .map(|number| {
            let attributes = [("position", position(b, number)?)];
            Ok(b.value("llvm.extractvalue", &[structure], of, &attributes)?)
        })
        .collect()
}
