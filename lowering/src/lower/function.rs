//! Functions around layout operations: walking them, their arguments, and the kernel's facts.

use super::{
    Failure, Lowering, Target,
    structure::{CAST, is_composed},
};
use layout_dialect::{
    LayoutType, Space, TupleType, ViewType,
    build::{self, Builder},
    dynamic, tree,
};
use melior::ir::{
    Attribute, BlockLike, Identifier, OperationRef, Type, TypeLike, Value, ValueLike,
    attribute::{DictionaryAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};
use mlir_sys::{
    mlirBlockArgumentGetArgNumber, mlirBlockEraseArgument, mlirBlockInsertArgument,
    mlirOperationGetAttributeByName,
};

/// The attribute that carries a kernel's launch facts to the manifest.
pub(crate) const KERNEL: &str = "layout.kernel";

/// The attribute of a lowered kernel that says what the types of its layouts state of each parameter:
/// two integers, of which the parameter is at least the first and at most the second.
pub(crate) const STATED: &str = "layout.stated";

/// The range of a parameter that no layout bounds.
const UNBOUNDED: [i64; 2] = [i64::MIN, i64::MAX];

/// The entry of [`KERNEL`] that describes the tensor maps, which are the last parameters.
pub(crate) const TENSOR_MAPS: &str = "tensor_maps";

/// The attribute of a lowered kernel without [`KERNEL`] that describes the tensor maps.
pub(crate) const LOOSE_MAPS: &str = "layout.tensor_maps";

/// The entries of [`KERNEL`] that a lowering for the chip finds out.
pub(crate) const CHIP_ENTRIES: [&str; 2] = ["shared_bytes", TENSOR_MAPS];

/// The functions under `root`, in order.
pub(super) fn under<'c>(root: OperationRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    let mut found = Vec::new();
    tree::visit(root, &mut |operation| {
        let is_function = matches!(tree::name(operation).as_str(), "gpu.func" | "func.func");
        if is_function {
            found.push(operation);
        }
        !is_function
    });
    found
}

/// The layout operations of a function, each before what it dominates.
pub(super) fn layout_operations<'c>(function: OperationRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    let mut operations = tree::all(function);
    operations.retain(|&operation| is_lowered(operation));
    operations
}

/// As [`layout_operations`], without those inside a `layout.pipeline` or a `layout.transaction`, which lower their own.
pub(super) fn outside_pipelines<'c>(function: OperationRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    let mut found = Vec::new();
    tree::visit(function, &mut |operation| {
        if is_lowered(operation) {
            found.push(operation);
        }
        !matches!(tree::name(operation).as_str(), "layout.pipeline" | "layout.transaction")
    });
    found
}

/// Whether the lowering takes an operation away: one of the dialect's own, or a cast of its values.
fn is_lowered(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    name.starts_with("layout.") || (name == CAST && touches_values(operation))
}

/// Whether an operation has an operand or a result that is a layout, a tuple or a view.
pub(super) fn touches_values(operation: OperationRef<'_, '_>) -> bool {
    let operands = (0..operation.operand_count()).map(|i| build::operand(operation, i));
    let results = (0..operation.result_count()).map(|i| build::result(operation, i));
    operands.chain(results).any(|value| is_value(value.r#type()))
}

/// Whether a function's type has a layout, a tuple or a view.
pub(super) fn takes_values(function: OperationRef<'_, '_>) -> bool {
    let signature = function.attribute("function_type").ok().and_then(|attribute| {
        FunctionType::try_from(TypeAttribute::try_from(attribute).ok()?.value()).ok()
    });
    signature.is_some_and(|signature| {
        let inputs = (0..signature.input_count()).map(|i| signature.input(i));
        let results = (0..signature.result_count()).map(|i| signature.result(i));
        inputs.chain(results).flatten().any(is_value)
    })
}

/// Layouts and views are known to layout operations alone: no other operation may use one.
pub(super) fn only_layout_uses<'c>(
    function: OperationRef<'c, 'c>,
) -> Result<(), super::Located<'c>> {
    for operation in tree::all(function) {
        if touches_values(operation) && !is_lowered(operation) {
            let name = tree::name(operation);
            let message = format!("expected only layout operations to use a view, found {name}");
            return Err((operation, Failure::refused(message)));
        }
    }
    Ok(())
}

impl<'c> Lowering<'c> {
    /// Turns view arguments into pointers and binds their addresses; layouts, tuples and what views
    /// leave open become their integers.
    pub(super) fn arguments(&mut self) -> Result<(), Failure> {
        let Some(entry) = tree::entry(self.function) else { return Ok(()) };
        let b = Builder::at_start(self.context, self.function.location(), entry);
        let mut types = Vec::new();
        let mut stated: Vec<[i64; 2]> = Vec::new();
        // The attributes of a view hold for its pointer.
        let nothing: Attribute<'c> = DictionaryAttribute::new(self.context, &[]).into();
        let argument_attributes = tree::argument_attributes(self.function);
        let mut attributes: Vec<Attribute<'c>> = Vec::new();
        let old = self
            .get("function_type")
            .ok_or_else(|| Failure::refused("expected a function with a type, found none"))?;
        let old = FunctionType::try_from(TypeAttribute::try_from(old)?.value())?;
        let is_kernel = self.get("gpu.kernel").is_some();
        // After the arguments, a kernel's block has the memory of its blocks and threads.
        let arguments: Vec<_> = (0..old.input_count()).map(|i| tree::argument(entry, i)).collect();
        for (number, argument) in arguments.into_iter().enumerate() {
            attributes.resize(types.len(), nothing);
            let own = argument_attributes.as_ref().and_then(|all| all.get(number));
            let Some(term_value) = dynamic::carried(argument.r#type())? else {
                types.push(argument.r#type());
                attributes.extend(own);
                continue;
            };
            // The replacement goes before it; `finish` takes it away.
            let mut insert = |r#type: Type<'c>| -> Value<'c, 'c> {
                types.push(r#type);
                // SAFETY: the argument and its block are valid; the place is one of the block's.
                unsafe {
                    let place = mlirBlockArgumentGetArgNumber(argument.to_raw());
                    Value::from_raw(mlirBlockInsertArgument(
                        entry.to_raw(),
                        place,
                        r#type.to_raw(),
                        self.function.location().to_raw(),
                    ))
                }
            };
            let view = ViewType::try_from(argument.r#type()).ok();
            let pointer = view.map(|view| self.pointer_type(view.space()).map(&mut insert));
            let pointer = pointer.transpose()?;
            // A kernel takes whole views; any other function may receive a part of one.
            let is_part = view.is_some() && !is_kernel && is_composed(&term_value);
            let within = is_part.then(|| insert(b.integer(64)));
            let integers = term_value.widths().into_iter();
            let integers: Vec<_> =
                integers.map(|width| insert(super::value::type_of(&b, width))).collect();
            if view.is_some() {
                // Manifests count pointers, and what is none of a view's.
                let argument = types.len() - integers.len() - self.sizes.len() - 1;
                for (number, (integer, symbol)) in
                    integers.iter().zip(term_value.symbols()).enumerate()
                {
                    // The launcher checks the kernel's facts about a size.
                    let declared = self.name_of(argument, number);
                    let declared =
                        declared.and_then(|name| self.declared_divisor(&name)).unwrap_or(1);
                    let divisor = match declared % symbol.divisor() {
                        0 => declared,
                        _ => symbol.divisor(),
                    };
                    let size = Size { argument, number, divisor };
                    self.sizes.insert(tree::key(*integer), size);
                }
            }
            if let Some(view) = view {
                attributes.extend(own);
                let place = types.len() - self.sizes.len() - usize::from(is_part) - 1;
                let mut address = self.root(&b, view, pointer, &integers)?.of_argument(place);
                if let Some(within) = within {
                    // Calls in kernels are checked for it.
                    let divisor = match self.target {
                        Target::Device => address.run_of_swizzle(),
                        Target::Host => 1,
                    };
                    address = self.part(&b, address, within, divisor)?;
                }
                self.bind(argument, address);
            }
            self.bind_integers(argument, integers);
            stated.resize(types.len(), UNBOUNDED);
            let symbols = term_value.symbols();
            let first = types.len() - symbols.len();
            for (place, symbol) in stated[first..].iter_mut().zip(&symbols) {
                let (low, high) = symbol.range();
                *place = [low, high];
            }
        }
        if self.target == Target::Device && stated.iter().any(|place| *place != UNBOUNDED) {
            let numbers: Vec<String> = stated.iter().flatten().map(i64::to_string).collect();
            let text = format!("array<i64: {}>", numbers.join(", "));
            let attribute = Attribute::parse(self.context, &text);
            self.set(STATED, attribute.ok_or(melior::Error::AttributeParse(text))?);
        }
        let results: Vec<Type<'c>> =
            (0..old.result_count()).map(|i| old.result(i)).collect::<Result<_, _>>()?;
        if let Some(view) = results.iter().find(|&&result| ViewType::try_from(result).is_ok()) {
            return Err(Failure::refused(format!(
                "expected a function that returns no views, found {view}"
            )));
        }
        if argument_attributes.is_some() {
            attributes.resize(types.len(), nothing);
            tree::set_argument_attributes(self.function, &attributes);
        }
        let function_type = FunctionType::new(self.context, &types, &results);
        self.set("function_type", TypeAttribute::new(function_type.into()).into());
        Ok(())
    }

    /// Removes the arguments for which pointers and integers are, and records what was found out on
    /// the way: the bytes of shared memory, and the tensor maps that the kernel takes after its own
    /// arguments.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        if let Some(entry) = tree::entry(self.function) {
            for i in (0..entry.argument_count()).rev() {
                let r#type = tree::argument(entry, i).r#type();
                if is_value(r#type) {
                    // SAFETY: the operations that used the argument have been erased.
                    unsafe { mlirBlockEraseArgument(entry.to_raw(), i as u32) };
                }
            }
        }
        if self.target == Target::Host {
            return Ok(());
        }
        self.append_tensor_maps()?;
        let Some(attribute) = self.get(KERNEL) else {
            // Whoever launches it has no manifest, and encodes these.
            if let Some(maps) = self.tensor_map_facts()? {
                self.set(LOOSE_MAPS, maps);
            }
            return Ok(());
        };
        let kernel = DictionaryAttribute::try_from(attribute)?;
        let b = Builder::before(self.function);
        let mut entries = Vec::new();
        for i in 0..kernel.len() {
            let (key, value) = kernel.element(i)?;
            if !CHIP_ENTRIES.contains(&key.as_string_ref().as_str().unwrap_or_default()) {
                entries.push((key, value));
            }
        }
        if let Some(maps) = self.tensor_map_facts()? {
            entries.push((Identifier::new(self.context, TENSOR_MAPS), maps));
        }
        let bytes = b.i64_attribute(self.shared_bytes);
        entries.push((Identifier::new(self.context, "shared_bytes"), bytes));
        self.set(KERNEL, DictionaryAttribute::new(self.context, &entries).into());
        Ok(())
    }

    /// The LLVM pointer type of a memory space on the target.
    pub(super) fn pointer_type(&self, space: Space) -> Result<Type<'c>, Failure> {
        let number = match (self.target, space) {
            (Target::Host, _) | (Target::Device, Space::Register) => 0,
            (Target::Device, Space::Global) => 1,
            (Target::Device, Space::Shared) => 3,
            (Target::Device, Space::Host) => {
                return Err(Failure::refused(
                    "expected a view in global, shared or register memory in a kernel, found host",
                ));
            }
            (Target::Device, Space::Coordinate) => {
                return Err(Failure::refused(
                    "expected a view of memory as an argument, found an identity tensor",
                ));
            }
        };
        Ok(melior::dialect::llvm::r#type::pointer(self.context, number))
    }

    pub(super) fn get(&self, name: &str) -> Option<Attribute<'c>> {
        let name = melior::StringRef::new(name);
        // SAFETY: the function is valid; an absent attribute is null.
        unsafe {
            Attribute::from_option_raw(mlirOperationGetAttributeByName(
                self.function.to_raw(),
                name.to_raw(),
            ))
        }
    }

    pub(super) fn set(&self, name: &str, attribute: Attribute<'c>) {
        tree::set_attribute(self.function, name, attribute);
    }
}

/// An integer that a view's layout leaves open, as the parameter of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// The view's pointer, by its number among the parameters that are no such integers.
    pub(super) argument: usize,
    /// Its number among the integers of the view.
    pub(super) number: usize,
    /// The divisor.
    pub(super) divisor: i64,
}

/// Whether a type is that of a layout, a tuple or a view.
pub(super) fn is_value(r#type: Type<'_>) -> bool {
    LayoutType::from_type(r#type).is_some()
        || TupleType::from_type(r#type).is_some()
        || ViewType::from_type(r#type).is_some()
}

/// Whether a module's body declares a symbol.
pub(crate) fn declares(module: OperationRef<'_, '_>, symbol: &str) -> bool {
    tree::all(module).into_iter().any(|one| tree::symbol(one).as_deref() == Some(symbol))
}
