//! Memory of a module: shared memory of a fixed size, which is workgroup attributions of a kernel and variables (`memref.global`,
//! `llvm.mlir.global`), and constants in global memory.
//!
//! On a GPU, they are variables of the module, beside the block's dynamic memory. Here they follow it in the block's memory. Each is
//! aligned to what it states and to no more, so that an access which needs more is reported.

use super::{
    Error,
    machine::Machine,
    program::{bytes_of, call},
};
use crate::lower::BUFFER_BYTES;
use layout_dialect::{
    build::{Builder, Val, context_of, first_result, result},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, RegionLike, Type, TypeLike, ValueLike,
    attribute::{FlatSymbolRefAttribute, IntegerAttribute, TypeAttribute},
    operation::OperationLike,
};
use mlir_sys::mlirBlockEraseArgument;
use std::collections::HashMap;

/// The address space of shared memory.
const SHARED_SPACE: i64 = 3;

/// Bytes of such memory that a block has at most, on any chip.
const MAX_BYTES: u64 = 48 << 10;

/// The widest alignment of an access.
const WIDEST: u64 = 128;

/// The start of an attribution's name as a variable.
const ATTRIBUTION: &str = "layout_attribution_";

/// A variable in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Its name in messages.
    name: String,
    /// Its first byte in the block's memory.
    first: u64,
    bytes: u64,
    alignment: u64,
}

impl Variable {
    const fn end(&self) -> u64 {
        self.first.saturating_add(self.bytes)
    }
}

/// The shared memory of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    /// Bytes of the dynamic memory, which is in front.
    dynamic: u64,
    all: Vec<Variable>,
}

impl Variables {
    /// Bytes of all memory, with what is between variables.
    pub(super) fn span(&self) -> u64 {
        self.all.last().map_or(self.dynamic, Variable::end)
    }

    /// Bytes that a chip has to have.
    pub(super) fn needed(&self) -> u32 {
        let fixed = self.all.iter().fold(0, |sum: u64, own| sum.saturating_add(own.bytes));
        u32::try_from(self.dynamic.saturating_add(fixed)).unwrap_or(u32::MAX)
    }

    /// The variable that contains a byte.
    fn at(&self, byte: u64) -> Option<&Variable> {
        self.all.iter().find(|own| byte >= own.first && byte < own.end())
    }
}

/// Makes the memory attributions of a kernel, which are the last arguments of its function, variables and stack slots.
pub(super) fn attributions<'c>(
    b: &Builder<'c>,
    kernel: OperationRef<'c, 'c>,
    (function, inputs): (OperationRef<'c, 'c>, usize),
) -> Result<(), Error> {
    let Some(entry) = tree::entry(function) else { return Ok(()) };
    let shared = kernel.attribute("workgroup_attributions").and_then(IntegerAttribute::try_from);
    let shared = usize::try_from(shared.map_or(0, |count| count.value())).unwrap_or(0);
    for at in (inputs..entry.argument_count()).rev() {
        let argument = tree::argument(entry, at);
        let r#type = argument.r#type();
        if r#type.to_string().contains('?') {
            let message = format!("expected an attribution of a static shape, found {type}");
            return Err(Error::at(kernel, message));
        }
        let start = Builder::at_start(b.context(), kernel.location(), entry);
        let number = at - inputs;
        let (list, place) = match number.checked_sub(shared) {
            None => ("workgroup_attrib_attrs", number),
            Some(place) => ("private_attrib_attrs", place),
        };
        let alignment = stated_alignment(kernel, list, place);
        let alignment = alignment.map(|alignment| ("alignment", b.i64_attribute(alignment)));
        let value = if number < shared {
            let name = format!("{ATTRIBUTION}{number}");
            let mut attributes = vec![
                ("sym_name", b.string(&name)),
                ("sym_visibility", b.string("private")),
                ("type", TypeAttribute::new(r#type).into()),
                ("initial_value", Attribute::unit(b.context())),
            ];
            attributes.extend(alignment);
            let b = b.with_location(kernel.location());
            b.operation("memref.global", &[], &[], &attributes, vec![])?;
            let name = FlatSymbolRefAttribute::new(b.context(), &name).into();
            start.value("memref.get_global", &[], r#type, &[("name", name)])?
        } else {
            let none = "array<i32: 0, 0>".to_owned();
            let none =
                Attribute::parse(b.context(), &none).ok_or(melior::Error::AttributeParse(none))?;
            let mut attributes = vec![("operandSegmentSizes", none)];
            attributes.extend(alignment);
            start.value("memref.alloca", &[], r#type, &attributes)?
        };
        tree::replace_uses(argument, value);
        // SAFETY: the block has the argument, which nothing uses any more.
        unsafe { mlirBlockEraseArgument(entry.to_raw(), at as u32) };
    }
    Ok(())
}

/// The alignment of an attribution, where the kernel states it.
fn stated_alignment(kernel: OperationRef<'_, '_>, list: &str, place: usize) -> Option<i64> {
    let all = tree::elements(kernel.attribute(list).ok()?)?;
    let own = melior::ir::attribute::DictionaryAttribute::try_from(*all.get(place)?).ok()?;
    let alignment = own.element_by_name("llvm.align")?;
    Some(IntegerAttribute::try_from(alignment).ok()?.value())
}

/// Writes the address spaces of `gpu` in types of memrefs as the numbers that LLVM's dialect has; private memory is on a stack.
pub(super) fn number_spaces(module: OperationRef<'_, '_>) {
    let mut types: HashMap<usize, Option<Type<'_>>> = HashMap::new();
    let context = context_of(module);
    let mut numbered = |r#type: Type<'_>| {
        *types.entry(r#type.to_raw().ptr as usize).or_insert_with(|| {
            let text = r#type.to_string();
            let plain = text
                .replace("#gpu.address_space<workgroup>", &SHARED_SPACE.to_string())
                .replace("#gpu.address_space<global>", "1")
                .replace(", #gpu.address_space<private>", "");
            if plain == text { None } else { Type::parse(context, &plain) }
        })
    };
    for operation in tree::all(module) {
        for at in 0..operation.result_count() {
            let value = result(operation, at);
            if let Some(r#type) = numbered(value.r#type()) {
                tree::set_type(value, r#type);
            }
        }
        for name in ["function_type", "type"] {
            let own = operation.attribute(name).and_then(TypeAttribute::try_from);
            if let Some(r#type) = own.ok().and_then(|own| numbered(own.value())) {
                tree::set_attribute(operation, name, TypeAttribute::new(r#type).into());
            }
        }
        for region in operation.regions() {
            let mut next = region.first_block();
            while let Some(block) = next {
                for at in 0..block.argument_count() {
                    let value = tree::argument(block, at);
                    if let Some(r#type) = numbered(value.r#type()) {
                        tree::set_type(value, r#type);
                    }
                }
                // SAFETY: blocks of one region live as long as the operation does.
                next =
                    block.next_in_region().map(|next| unsafe { BlockRef::from_raw(next.to_raw()) });
            }
        }
    }
}

/// Places the variables in shared memory that a module in LLVM's dialect uses, after `dynamic` bytes of it.
pub(super) fn place(module: OperationRef<'_, '_>, dynamic: u64) -> Result<Variables, Error> {
    let mut placed: Vec<Variable> = Vec::new();
    let (mut end, mut sum) = (dynamic, 0_u64);
    for global in tree::inside(module, "llvm.mlir.global") {
        let space = global.attribute("addr_space").and_then(IntegerAttribute::try_from);
        if space.map_or(0, |space| space.value()) != SHARED_SPACE {
            continue;
        }
        let symbol = tree::symbol(global).unwrap_or_default();
        let uses: Vec<_> = tree::inside(module, "llvm.func")
            .into_iter()
            .flat_map(|function| tree::inside(function, "llvm.mlir.addressof"))
            .filter(|own| is_of(*own, &symbol))
            .collect();
        if !uses.is_empty() {
            let name = match symbol.strip_prefix(ATTRIBUTION) {
                Some(number) => format!("workgroup attribution {number}"),
                None => format!("@{symbol}"),
            };
            let (bytes, alignment) = described(global, &name)?;
            // An address that is aligned as stated and no better, so that an access which needs more is reported.
            let mut first = end.next_multiple_of(alignment);
            if alignment < WIDEST && first.is_multiple_of(2 * alignment) {
                first += alignment;
            }
            end = first.saturating_add(bytes);
            sum = sum.saturating_add(bytes);
            if sum > MAX_BYTES {
                return Err(Error::at(
                    global,
                    format!(
                        "expected at most {MAX_BYTES} bytes of shared memory of a fixed size, found {sum}; layout.alloc has no such limit"
                    ),
                ));
            }
            for own in uses {
                address(own, first, bytes)?;
            }
            placed.push(Variable { name, first, bytes, alignment });
        }
        tree::erase(global);
    }
    Ok(Variables { dynamic, all: placed })
}

/// A constant of a module, in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Constant {
    /// Its symbol.
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// The constants that a module in LLVM's dialect uses, which become symbols that are found by name.
pub(super) fn constants(module: OperationRef<'_, '_>) -> Result<Vec<Constant>, Error> {
    let mut all = Vec::new();
    for global in tree::inside(module, "llvm.mlir.global") {
        let name = tree::symbol(global).unwrap_or_default();
        let functions = tree::inside(module, "llvm.func").into_iter();
        let mut uses = functions.flat_map(|own| tree::inside(own, "llvm.mlir.addressof"));
        if !uses.any(|own| is_of(own, &name)) {
            continue;
        }
        if global.attribute("constant").is_err() {
            let message = format!(
                "expected a memref.global in global memory to be `constant`, found @{name}, whose contents are those that the launch before left"
            );
            return Err(Error::at(global, message));
        }
        let r#type = TypeAttribute::try_from(global.attribute("global_type")?)?.value();
        let Some(bytes) = bytes_of(&r#type.to_string()) else {
            let message = format!("expected a constant of numbers, found @{name} of {type}");
            return Err(Error::at(global, message));
        };
        let linkage = "#llvm.linkage<external>".to_owned();
        let context = context_of(global);
        let linkage =
            Attribute::parse(context, &linkage).ok_or(melior::Error::AttributeParse(linkage))?;
        tree::set_attribute(global, "linkage", linkage);
        all.push(Constant { name, bytes });
    }
    Ok(all)
}

/// Whether an operation gives the address of a variable.
fn is_of(operation: OperationRef<'_, '_>, symbol: &str) -> bool {
    let name = operation.attribute("global_name").and_then(FlatSymbolRefAttribute::try_from);
    name.is_ok_and(|name| name.value() == symbol)
}

/// Bytes and alignment of a variable, which has no contents before the kernel begins.
fn described(global: OperationRef<'_, '_>, name: &str) -> Result<(u64, u64), Error> {
    let refused = |found: &str| {
        let message = format!("expected shared memory {name} to be `uninitialized`, found {found}");
        Err(Error::at(global, message))
    };
    let starts = tree::all(global).into_iter().any(|inner| {
        !["llvm.mlir.undef", "llvm.mlir.poison", "llvm.return"].contains(&&*tree::name(inner))
    });
    if starts || global.attribute("value").is_ok() {
        return refused("an initial value, which shared memory cannot have");
    }
    if tree::entry(global).is_none() {
        return refused("a declaration without a definition");
    }
    let r#type = TypeAttribute::try_from(global.attribute("global_type")?)?.value();
    let Some(bytes) = bytes_of(&r#type.to_string()) else {
        return refused(&format!("memory of {type}, which only a GPU has"));
    };
    let stated = global.attribute("alignment").and_then(IntegerAttribute::try_from);
    let stated = stated.ok().and_then(|own| u64::try_from(own.value()).ok());
    let natural = element_bytes(&r#type.to_string()).unwrap_or(1);
    let alignment = stated.unwrap_or(natural).max(1);
    Ok((bytes, if alignment.is_power_of_two() { alignment } else { 1 }))
}

/// Bytes of an element of nested arrays.
fn element_bytes(text: &str) -> Option<u64> {
    let text = text.strip_prefix("!llvm.").unwrap_or(text);
    match text.strip_prefix("array<").and_then(|inside| inside.strip_suffix('>')) {
        Some(inside) => element_bytes(inside.split_once('x')?.1.trim()),
        None => bytes_of(text),
    }
}

/// Replaces an operation that gives a variable's address.
fn address(operation: OperationRef<'_, '_>, first: u64, bytes: u64) -> Result<(), Error> {
    // SAFETY: the operation is in a module that the caller owns.
    let operation: OperationRef<'_, '_> = unsafe { OperationRef::from_raw(operation.to_raw()) };
    let b = Builder::before(operation);
    let plain = melior::dialect::llvm::r#type::pointer(b.context(), 0);
    let Some(base) = call(&b, "layout_shared", &[], Some(plain))? else { return Ok(()) };
    let offset = format!("array<i32: {first}>");
    let offset =
        Attribute::parse(b.context(), &offset).ok_or(melior::Error::AttributeParse(offset))?;
    let attributes =
        [("elem_type", TypeAttribute::new(b.integer(8)).into()), ("rawConstantIndices", offset)];
    let moved = b.value("llvm.getelementptr", &[base], plain, &attributes)?;
    let own = first_result(operation);
    let cast = b.value("llvm.addrspacecast", &[moved], own.r#type(), &[])?;
    if let Some(made) = tree::definition(cast) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        tree::set_attribute(made, BUFFER_BYTES, b.i64_attribute(bytes));
    }
    tree::replace_uses(own, cast);
    tree::erase(operation);
    Ok(())
}

/// The value that was inserted at the position which an operation extracts.
pub(super) fn inserted<'c>(extracts: OperationRef<'c, '_>) -> Option<Val<'c>> {
    let position = |operation: OperationRef<'_, '_>| {
        operation.attribute("position").map(|position| position.to_string()).ok()
    };
    let expected = position(extracts)?;
    let mut whole = layout_dialect::build::operand(extracts, 0);
    loop {
        let made = tree::definition(whole)?;
        if tree::name(made) != "llvm.insertvalue" {
            return None;
        }
        if position(made)? == expected {
            return Some(layout_dialect::build::operand(made, 1));
        }
        whole = layout_dialect::build::operand(made, 0);
    }
}

impl Machine {
    /// Whether a range of bytes lies in a block's shared memory, within one variable.
    pub(super) fn is_shared(&self, address: u64, bytes: u64) -> bool {
        let Some(byte) = address.checked_sub(self.shared_first()) else { return false };
        let end = byte.saturating_add(bytes);
        let variables = &self.variables;
        end <= variables.dynamic || variables.at(byte).is_some_and(|own| end <= own.end())
    }

    /// The parts of a block's memory, each with its name, first byte and end.
    pub(super) fn shared_parts(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        let (first, dynamic) = (self.shared_first(), self.variables.dynamic);
        let all = self.variables.all.iter();
        let all = all.map(move |own| (own.name.as_str(), first + own.first, first + own.end()));
        all.chain([("shared memory", first, first + dynamic)])
    }

    /// A byte of a block's memory for messages: its variable, and its offset there.
    pub(super) fn in_words(&self, byte: u64) -> (String, u64) {
        match self.variables.at(byte) {
            Some(own) => (own.name.clone(), byte - own.first),
            None => ("shared memory".to_owned(), byte),
        }
    }

    /// How to align the variable that an address is of, where an access needs more than it states.
    pub(super) fn alignment_hint(&self, address: u64, needed: u64) -> String {
        let byte = address.checked_sub(self.shared_first());
        let own = byte.and_then(|byte| self.variables.at(byte));
        match own.filter(|own| own.alignment < needed) {
            Some(Variable { name, alignment, .. }) => format!(
                "; {name} is aligned to {alignment}, and `alignment` of a memref.global or `llvm.align` of an attribution states more"
            ),
            None => String::new(),
        }
    }
}
