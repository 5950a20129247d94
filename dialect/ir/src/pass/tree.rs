//! The tree of operations, for passes: walking, finding definitions and users, cloning, erasing.
//!
//! As in [`crate::pass::build`], operations and values are valid for the context's lifetime; a pass
//! must not touch what it erased.

use crate::pass::build::{Builder, Val, operand, result};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, BlockRef, OperationRef, RegionLike, Type, TypeLike, Value,
    ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};
use mlir_sys::{
    MlirOpOperand, mlirArrayAttrGetElement, mlirArrayAttrGetNumElements, mlirAttributeIsAArray,
    mlirAttributeIsAString, mlirBlockArgumentGetOwner, mlirBlockGetArgument,
    mlirOpOperandGetNextUse, mlirOpOperandGetOwner, mlirOpOperandIsNull, mlirOpResultGetOwner,
    mlirOperationClone, mlirOperationDestroy, mlirOperationIsBeforeInBlock,
    mlirOperationRemoveFromParent, mlirOperationSetAttributeByName, mlirOperationSetOperand,
    mlirStringAttrGetValue, mlirValueGetFirstUse, mlirValueIsABlockArgument, mlirValueIsAOpResult,
    mlirValueReplaceAllUsesOfWith, mlirValueSetType,
};
use std::collections::HashMap;

/// The name of an operation.
pub fn name(operation: OperationRef<'_, '_>) -> String {
    operation.name().as_string_ref().as_str().unwrap_or_default().to_owned()
}

/// A value's identity, for maps.
pub fn key(value: Val<'_>) -> usize {
    value.to_raw().ptr as usize
}

/// All operations below `root`, each before those inside it.
pub fn all<'c>(root: OperationRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    let mut found = Vec::new();
    visit(root, &mut |operation| {
        found.push(operation);
        true
    });
    found
}

/// The outermost operations of a name below `root`, in order.
pub fn inside<'c>(root: OperationRef<'c, '_>, op_name: &str) -> Vec<OperationRef<'c, 'c>> {
    let mut found = Vec::new();
    visit(root, &mut |operation| {
        let matches = name(operation) == op_name;
        if matches {
            found.push(operation);
        }
        !matches
    });
    found
}

/// Visits operations below `root` in order; the visitor decides whether to descend.
pub fn visit<'c>(
    root: OperationRef<'c, '_>,
    visitor: &mut impl FnMut(OperationRef<'c, 'c>) -> bool,
) {
    for region in root.regions() {
        let mut block = region.first_block();
        while let Some(current) = block {
            for operation in operations(current) {
                if visitor(operation) {
                    visit(operation, visitor);
                }
            }
            block = current.next_in_region();
        }
    }
}

/// The operations of a block, in order.
pub fn operations<'c>(block: BlockRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    let mut found = Vec::new();
    let mut next = block.first_operation();
    while let Some(operation) = next {
        // SAFETY: the operation is owned by its block.
        found.push(unsafe { OperationRef::from_raw(operation.to_raw()) });
        next = operation.next_in_block();
    }
    found
}

/// The operations of a block and all below them, each before those inside it.
pub fn all_of<'c>(block: BlockRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    operations(block).into_iter().flat_map(|inner| [vec![inner], all(inner)].concat()).collect()
}

/// The first block of an operation's first region.
pub fn entry<'c>(operation: OperationRef<'c, '_>) -> Option<BlockRef<'c, 'c>> {
    let region = operation.region(0).ok()?;
    let block = region.first_block()?;
    // SAFETY: the block is owned by the operation's region.
    Some(unsafe { BlockRef::from_raw(block.to_raw()) })
}

/// An argument of a block.
///
/// # Panics
///
/// Panics when the block has no such argument.
pub fn argument<'c>(block: BlockRef<'c, '_>, index: usize) -> Val<'c> {
    assert!(index < block.argument_count(), "block argument {index} of {}", block.argument_count());
    // SAFETY: the index was checked; the argument lives as long as its block.
    unsafe { Value::from_raw(mlirBlockGetArgument(block.to_raw(), index as isize)) }
}

/// The operation that defines a value, or `None` for block arguments.
pub fn definition<'c>(value: Val<'c>) -> Option<OperationRef<'c, 'c>> {
    // SAFETY: the value's kind is checked first.
    unsafe {
        mlirValueIsAOpResult(value.to_raw())
            .then(|| OperationRef::from_raw(mlirOpResultGetOwner(value.to_raw())))
    }
}

/// The integer that a value is, if an `arith.constant` defines it.
pub fn constant(value: Val<'_>) -> Option<i64> {
    let made = definition(value).filter(|made| name(*made) == "arith.constant")?;
    Some(IntegerAttribute::try_from(made.attribute("value").ok()?).ok()?.value())
}

/// The block whose argument a value is, or `None` for results of operations.
pub fn owner<'c>(value: Val<'c>) -> Option<BlockRef<'c, 'c>> {
    // SAFETY: the value's kind is checked first; a block outlives its arguments.
    unsafe {
        mlirValueIsABlockArgument(value.to_raw())
            .then(|| BlockRef::from_raw(mlirBlockArgumentGetOwner(value.to_raw())))
    }
}

/// The operations around another one, from the inside out.
pub fn ancestors<'c>(
    operation: OperationRef<'c, '_>,
) -> impl Iterator<Item = OperationRef<'c, 'c>> {
    let parent = |operation: OperationRef<'c, '_>| {
        // SAFETY: what is around an operation lives as long as it does.
        operation
            .parent_operation()
            .map(|parent| unsafe { OperationRef::from_raw(parent.to_raw()) })
    };
    std::iter::successors(parent(operation), move |at| parent(*at))
}

/// Whether a value is a result or an argument in the regions of an operation.
pub fn is_within(value: Val<'_>, around: OperationRef<'_, '_>) -> bool {
    let parent = match definition(value) {
        Some(operation) => ancestors(operation).next(),
        // SAFETY: what is around a block lives as long as it does.
        None => owner(value)
            .and_then(|block| block.parent_operation())
            .map(|parent| unsafe { OperationRef::from_raw(parent.to_raw()) }),
    };
    parent.is_some_and(|parent| parent == around || ancestors(parent).any(|one| one == around))
}

/// An operation that uses one of `operation`'s results.
pub fn user<'c>(operation: OperationRef<'c, '_>) -> Option<OperationRef<'c, 'c>> {
    users(operation).next()
}

/// The operations that use `operation`'s results, one as often as it does.
pub fn users<'c>(operation: OperationRef<'c, '_>) -> impl Iterator<Item = OperationRef<'c, 'c>> {
    (0..operation.result_count()).flat_map(move |i| users_of(result(operation, i)))
}

/// The operations that use a value, one as often as it does.
pub fn users_of<'c>(value: Val<'c>) -> impl Iterator<Item = OperationRef<'c, 'c>> {
    // SAFETY: the value is valid; an absent use is null.
    let first = unsafe { mlirValueGetFirstUse(value.to_raw()) };
    // SAFETY: a use that is there has a next one, or null.
    let next = |at: &MlirOpOperand| Some(unsafe { mlirOpOperandGetNextUse(*at) });
    // SAFETY: null is what is requested.
    let present = |at: &MlirOpOperand| !unsafe { mlirOpOperandIsNull(*at) };
    let uses =
        std::iter::successors(Some(first).filter(present), move |at| next(at).filter(present));
    // SAFETY: a use that is there has an owner, which is valid.
    uses.map(|at| unsafe { OperationRef::from_raw(mlirOpOperandGetOwner(at)) })
}

/// Whether an operation is before another one of the same block.
pub fn comes_before(operation: OperationRef<'_, '_>, other: OperationRef<'_, '_>) -> bool {
    let block = |operation: OperationRef<'_, '_>| operation.block().map(|block| block.to_raw().ptr);
    // SAFETY: both operations are valid, in one block, as MLIR requires.
    block(operation) == block(other)
        && unsafe { mlirOperationIsBeforeInBlock(operation.to_raw(), other.to_raw()) }
}

/// Whether an operation uses a value.
pub fn is_used(value: Val<'_>) -> bool {
    // SAFETY: the value is valid; an absent use is null.
    unsafe { !mlirOpOperandIsNull(mlirValueGetFirstUse(value.to_raw())) }
}

/// Lets every user of `old` use `new`.
pub fn replace_uses(old: Val<'_>, new: Val<'_>) {
    // MLIR goes through the uses of a value for ever that become its own.
    if key(old) == key(new) {
        return;
    }
    // SAFETY: both values are valid.
    unsafe { mlirValueReplaceAllUsesOfWith(old.to_raw(), new.to_raw()) }
}

/// Lets an operation use another value as the operand of this number.
///
/// # Panics
///
/// Panics when the operation has no such operand.
pub fn set_operand<'c>(operation: OperationRef<'c, '_>, index: usize, value: Val<'c>) {
    assert!(index < operation.operand_count(), "operand {index} of {}", operation.operand_count());
    // SAFETY: the operation and the value are valid, and the operand is there.
    unsafe { mlirOperationSetOperand(operation.to_raw(), index as isize, value.to_raw()) }
}

/// Sets an attribute of an operation that another owner holds.
pub fn set_attribute<'c>(operation: OperationRef<'c, '_>, name: &str, attribute: Attribute<'c>) {
    let name = melior::StringRef::new(name);
    // SAFETY: the operation and the attribute are in the same context.
    unsafe {
        mlirOperationSetAttributeByName(operation.to_raw(), name.to_raw(), attribute.to_raw());
    }
}

/// Takes an attribute of an operation away.
pub fn remove_attribute(operation: OperationRef<'_, '_>, name: &str) {
    let name = melior::StringRef::new(name);
    // SAFETY: the operation is valid; one that has no such attribute stays as it is.
    unsafe {
        mlir_sys::mlirOperationRemoveAttributeByName(operation.to_raw(), name.to_raw());
    }
}

/// The name of a symbol, or `None` for another operation.
pub fn symbol(operation: OperationRef<'_, '_>) -> Option<String> {
    operation.attribute("sym_name").ok().and_then(text)
}

/// The text of a string attribute, or `None` for another attribute.
pub fn text(attribute: Attribute<'_>) -> Option<String> {
    let raw = attribute.to_raw();
    // melior 0.27 makes a slice of the null pointer that MLIR has for an empty text, so the C API it is.
    // SAFETY: the kind is checked first; the bytes live as long as the context.
    unsafe {
        let text = mlirAttributeIsAString(raw).then(|| mlirStringAttrGetValue(raw))?;
        let bytes: &[u8] = match text.length {
            0 => &[],
            length => std::slice::from_raw_parts(text.data.cast(), length),
        };
        Some(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// The bytes of the elements of a `dense_resource` attribute, or `None` for another one, or without contents.
pub fn resource<'c>(attribute: Attribute<'c>) -> Option<&'c [u8]> {
    // SAFETY: the attribute is valid, and its resource is the context's, as it is.
    unsafe {
        let bytes = crate::border::ffi::layoutResourceBytes(attribute.to_raw());
        (!bytes.data.is_null())
            .then(|| std::slice::from_raw_parts(bytes.data.cast::<u8>(), bytes.length))
    }
}

/// The elements of an array attribute, or `None` for another attribute.
pub fn elements<'c>(attribute: Attribute<'c>) -> Option<Vec<Attribute<'c>>> {
    let raw = attribute.to_raw();
    // melior 0.27's `ArrayAttribute::try_from` requires a dense array of i64, so the C API it is.
    // SAFETY: the kind is checked first, and places are below the count.
    unsafe {
        mlirAttributeIsAArray(raw).then(|| {
            let places = 0..mlirArrayAttrGetNumElements(raw);
            places.map(|at| Attribute::from_raw(mlirArrayAttrGetElement(raw, at))).collect()
        })
    }
}

/// The attribute of a function that says something of its arguments.
const ARGUMENT_ATTRIBUTES: &str = "arg_attrs";

/// The attributes of each argument of a function, a dictionary each, or `None` if no argument has any.
pub fn argument_attributes<'c>(function: OperationRef<'c, '_>) -> Option<Vec<Attribute<'c>>> {
    elements(function.attribute(ARGUMENT_ATTRIBUTES).ok()?)
}

/// Sets an attribute of each argument of a function.
pub fn set_argument_attributes<'c>(function: OperationRef<'c, '_>, all: &[Attribute<'c>]) {
    let context = crate::pass::build::context_of(function);
    let all = melior::ir::attribute::ArrayAttribute::new(context, all);
    set_attribute(function, ARGUMENT_ATTRIBUTES, all.into());
}

/// A copy of `operation` at the builder's point, with other operands.
pub fn clone_with<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, '_>,
    operands: &[Val<'c>],
) -> OperationRef<'c, 'c> {
    // SAFETY: the clone is owned here until the builder inserts it.
    let clone = unsafe {
        let raw = mlirOperationClone(operation.to_raw());
        for (i, operand) in operands.iter().enumerate() {
            mlirOperationSetOperand(raw, i as isize, operand.to_raw());
        }
        melior::ir::Operation::from_raw(raw)
    };
    b.insert(clone)
}

/// Clones operations at the builder's insertion point, with operands mapped to their replacements, in nested regions
/// too. The results join the map.
pub fn clone_all<'c>(
    b: &Builder<'c>,
    steps: &[OperationRef<'c, 'c>],
    known: &mut HashMap<usize, Val<'c>>,
) {
    for &step in steps {
        let made = clone_with(b, step, &[]);
        for inner in std::iter::once(made).chain(all(made)) {
            for i in 0..inner.operand_count() {
                if let Some(&value) = known.get(&key(operand(inner, i))) {
                    set_operand(inner, i, value);
                }
            }
        }
        for i in 0..step.result_count() {
            known.insert(key(result(step, i)), result(made, i));
        }
    }
}

/// The value that the terminator of a block gives first, for these arguments: copies its operations to the builder's point. None
/// where the terminator gives none.
pub fn inlined<'c>(
    b: &Builder<'c>,
    block: BlockRef<'c, 'c>,
    arguments: &[Val<'c>],
) -> Option<Val<'c>> {
    let arguments = arguments.iter().enumerate().take(block.argument_count());
    let mut known: HashMap<usize, Val<'c>> =
        arguments.map(|(i, &value)| (key(argument(block, i)), value)).collect();
    let steps = operations(block);
    let (&end, steps) = steps.split_last()?;
    clone_all(b, steps, &mut known);
    let value = (end.operand_count() > 0).then(|| operand(end, 0))?;
    Some(known.get(&key(value)).copied().unwrap_or(value))
}

/// Gives a value another type; its users must take that.
pub fn set_type<'c>(value: Val<'c>, r#type: Type<'c>) {
    // SAFETY: both are valid.
    unsafe { mlirValueSetType(value.to_raw(), r#type.to_raw()) }
}

/// Removes an operation whose results have no uses left. The reference must not be used again.
pub fn erase(operation: OperationRef<'_, '_>) {
    // SAFETY: the caller gives the operation up.
    unsafe {
        mlirOperationRemoveFromParent(operation.to_raw());
        mlirOperationDestroy(operation.to_raw());
    }
}
