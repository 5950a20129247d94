//! The host code for a launch of a kernel: tensor maps, and the number of blocks that a device runs at once.
//!
//! Both are known at run time only, by the CUDA driver. So the host code passes the runtime library (`layout_prepare_launch` of
//! `layout_runtime.h`) the facts of the kernel as text, the pointers and the sizes of the launch, and passes the launch what the
//! library writes: each tensor map as 128 bytes by value, as the kernel takes it. Memory of launches is memory of the device.

use super::{Failure, launch};
use crate::facts;
use layout_dialect::{
    buffers::is_part,
    build::{Builder, Val, context_of, operand},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, DictionaryAttribute, StringAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};
use mlir_sys::mlirOperationSetOperands;
use serde_json::{Value, json};
use std::collections::HashSet;

/// The function of the runtime library.
pub(super) const PREPARE: &str = "layout_prepare_launch";

/// A tensor map in host code: 128 bytes by value.
pub(super) const MAP: &str = "!llvm.array<16 x i64>";

const CAST: &str = "builtin.unrealized_conversion_cast";

/// The blocks along x among a launch's operands.
const BLOCKS: usize = 1;

/// The pointers that a launch passes on, and the sizes that its kernel takes at run time, in their order.
struct LaunchArguments<'c> {
    pointers: Vec<Val<'c>>,
    sizes: Vec<Val<'c>>,
}

/// Gives a launch the tensor maps of its kernel, and as many blocks as the device runs at once where the kernel takes no more.
pub(super) fn prepare<'c>(
    launch: OperationRef<'c, 'c>,
    kernel: OperationRef<'c, 'c>,
    described: DictionaryAttribute<'c>,
    maps: usize,
) -> Result<(), Failure> {
    let has_limit = described.element_by_name("grid_limit").is_some();
    if maps == 0 && !has_limit {
        return Ok(());
    }
    let name = kernel.attribute("sym_name").ok().and_then(tree::text).unwrap_or_default();
    let text = text(&name, described)?;
    let b = Builder::before(launch);
    let arguments = launch_arguments(&b, launch, described, &name)?;
    let (word, pointer) = (b.integer(64), parsed(&b, "!llvm.ptr")?);
    let start = entry(launch)?;
    let count = |values: &[Val<'c>]| i64::try_from(values.len()).unwrap_or(i64::MAX);
    let texts = global(launch, &name, &text)?;
    let texts = b.value("llvm.mlir.addressof", &[], pointer, &[("global_name", texts)])?;
    let maps_type = parsed(&b, &format!("!llvm.array<{maps} x {MAP}>"))?;
    let grid_type = parsed(&b, "!llvm.array<3 x i64>")?;
    let pointers = stored(&start, &b, &arguments.pointers)?;
    let sizes = stored(&start, &b, &arguments.sizes)?;
    let grid = room(&start, grid_type)?;
    let encoded = room(&start, maps_type)?;
    let operands = [
        texts,
        pointers,
        b.constant(word, count(&arguments.pointers))?,
        sizes,
        b.constant(word, count(&arguments.sizes))?,
        grid,
        encoded,
    ];
    let types: Vec<Type<'c>> = operands.iter().map(ValueLike::r#type).collect();
    let callee = declare(launch, &types)?;
    b.operation("func.call", &operands, &[], &[("callee", callee)], vec![])?;
    if has_limit {
        let blocks = part(&b, b.value("llvm.load", &[grid], grid_type, &[])?, word, 0)?;
        let index_type = operand(launch, BLOCKS).r#type();
        let blocks = match index_type.to_string().as_str() {
            "index" => b.value("arith.index_cast", &[blocks], index_type, &[])?,
            "i32" => b.value("arith.trunci", &[blocks], index_type, &[])?,
            _ => blocks,
        };
        let place = launch::segment(launch, BLOCKS);
        if let Some(&place) = place.first() {
            tree::set_operand(launch, place, blocks);
        }
    }
    if maps > 0 {
        let all = b.value("llvm.load", &[encoded], maps_type, &[])?;
        let one = parsed(&b, MAP)?;
        let each = |i| -> Result<Val<'c>, melior::Error> {
            // A kernel that is no function of LLVM yet takes a pointer.
            let map = part(&b, all, one, i)?;
            b.value(CAST, &[map], pointer, &[])
        };
        append(launch, &(0..maps).map(each).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(())
}

/// Passes a tensor map by value where a [cast](CAST) stands for it.
pub(super) fn by_value(launch: OperationRef<'_, '_>, place: usize) {
    let map = tree::definition(operand(launch, place)).filter(|made| tree::name(*made) == CAST);
    let map = map.map(|made| (made, operand(made, 0)));
    if let Some((made, map)) = map.filter(|(_, map)| map.r#type().to_string() == MAP) {
        tree::set_operand(launch, place, map);
        if !tree::is_used(layout_dialect::build::result(made, 0)) {
            tree::erase(made);
        }
    }
}

/// Makes memory that a function allocates and passes to a launch memory of the device: workspaces, and what bufferisation allocates for
/// intermediate tensors and results. Memory that the host reads or writes stays the host's.
pub(super) fn place_memory(launch: OperationRef<'_, '_>) -> Result<(), Failure> {
    let pointers = launch::kernel_operands(launch);
    for pointer in pointers.into_iter().filter(|value| is_pointer(value.r#type())) {
        let mut made = tree::definition(pointer);
        while let Some(step) = made.filter(|step| tree::name(*step) != "memref.alloc") {
            let is_view = is_part(&tree::name(step)) && step.operand_count() > 0;
            made = (is_view || step.operand_count() == 1)
                .then(|| tree::definition(operand(step, 0)))
                .flatten();
        }
        let Some(made) = made else { continue };
        if is_of_host(made) {
            continue;
        }
        let b = Builder::before(made);
        let open: Vec<Val<'_>> = (0..made.operand_count()).map(|i| operand(made, i)).collect();
        let old = layout_dialect::build::result(made, 0);
        let count = i32::try_from(open.len()).unwrap_or(i32::MAX);
        let segments = DenseI32ArrayAttribute::new(b.context(), &[0, count, 0]).into();
        let attributes = [("operandSegmentSizes", segments)];
        let new = b.value("gpu.alloc", &open, old.r#type(), &attributes)?;
        for user in tree::users(made).collect::<Vec<_>>() {
            let b = Builder::before(user);
            match tree::name(user).as_str() {
                "memref.dealloc" => b.operation("gpu.dealloc", &[new], &[], &[], vec![])?,
                "memref.copy" => {
                    let [from, to] = [0, 1]
                        .map(|i| operand(user, i))
                        .map(|own| if own == old { new } else { own });
                    b.operation("gpu.memcpy", &[to, from], &[], &[], vec![])?
                }
                _ => continue,
            };
            tree::erase(user);
        }
        tree::replace_uses(old, new);
        tree::erase(made);
    }
    Ok(())
}

/// Whether the host itself reads or writes memory, by a view of it, too, or shares it by another function or `gpu.host_register`.
fn is_of_host(memory: OperationRef<'_, '_>) -> bool {
    let mut open = vec![memory];
    let mut seen = HashSet::new();
    while let Some(memory) = open.pop() {
        for user in tree::users(memory) {
            let name = tree::name(user);
            if ["gpu.host_register", "memref.load", "memref.store"].contains(&name.as_str())
                || (name == "func.call" && calls_foreign(user))
            {
                return true;
            }
            if is_part(&name) && seen.insert(user.to_raw().ptr) {
                open.push(user);
            }
        }
    }
    false
}

/// Whether a call is of a function that has no body.
fn calls_foreign(call: OperationRef<'_, '_>) -> bool {
    let callee = call.attribute("callee").map(|callee| callee.to_string()).unwrap_or_default();
    let callee = callee.trim_start_matches('@').replace('"', "");
    let Some(module) = tree::ancestors(call).find(|own| tree::name(*own) == "builtin.module")
    else {
        return true;
    };
    !tree::entry(module).map(tree::operations).unwrap_or_default().into_iter().any(|own| {
        tree::symbol(own).is_some_and(|name| name == callee) && tree::entry(own).is_some()
    })
}

fn is_pointer(r#type: Type<'_>) -> bool {
    r#type.to_string().starts_with("!llvm.ptr")
}

/// The facts of a kernel as the runtime reads them.
fn text(name: &str, described: DictionaryAttribute<'_>) -> Result<String, Failure> {
    let read = facts::json(described.into()).map_err(|found| {
        let expected = "expected integers, texts, arrays and dictionaries in layout.kernel";
        Failure::refused(format!("{expected}, found {found}"))
    })?;
    let Value::Object(mut all) = read else {
        return Err(Failure::refused("expected a dictionary"));
    };
    // A launch is of one kernel of a family, and is no check of what it computes.
    for key in ["family", "problem"] {
        all.remove(key);
    }
    all.insert("name".to_owned(), json!(name));
    Ok(Value::Object(all).to_string())
}

/// The operands that a launch passes on, as the kernel's facts describe it: a pointer and its integers for each argument and workspace, and scalars
/// between them.
fn launch_arguments<'c>(
    b: &Builder<'c>,
    launch: OperationRef<'c, 'c>,
    described: DictionaryAttribute<'c>,
    name: &str,
) -> Result<LaunchArguments<'c>, Failure> {
    let list = |of: DictionaryAttribute<'c>, key: &str| {
        of.element_by_name(key).and_then(tree::elements).unwrap_or_default()
    };
    let text = |of: Attribute<'c>, key: &str| {
        let found = DictionaryAttribute::try_from(of).ok()?.element_by_name(key)?;
        tree::text(found)
    };
    let integer = |of: Attribute<'c>, key: &str| {
        let found = DictionaryAttribute::try_from(of).ok()?.element_by_name(key)?;
        facts::json(found).ok()?.as_u64()
    };
    let mut given = launch::kernel_operands(launch).into_iter();
    let mut next = || {
        given.next().ok_or_else(|| Failure::refused(format!("expected more operands of @{name}")))
    };
    let mut scalars = list(described, "scalars").into_iter().peekable();
    let mut known: Vec<(String, Val<'c>)> = Vec::new();
    let mut pointers = Vec::new();
    let arguments = list(described, "args");
    let both = arguments.into_iter().chain(list(described, "workspaces"));
    for (number, argument) in both.enumerate() {
        while let Some(scalar) =
            scalars.next_if(|scalar| integer(*scalar, "before") <= Some(number as u64))
        {
            let value = next()?;
            known.extend(text(scalar, "value").map(|of| (of, value)));
        }
        let pointer = next()?;
        pointers.push(b.value("llvm.ptrtoint", &[pointer], b.integer(64), &[])?);
        for size in list(DictionaryAttribute::try_from(argument)?, "sizes") {
            let value = next()?;
            known.extend(text(size, "value").map(|of| (of, value)));
        }
    }
    for scalar in scalars {
        let value = next()?;
        known.extend(text(scalar, "value").map(|of| (of, value)));
    }
    let mut sizes = Vec::new();
    for size in list(described, "sizes") {
        let size = text(size, "name").unwrap_or_default();
        let value = known.iter().find(|(of, _)| *of == size).map(|&(_, value)| value);
        let value = value.ok_or_else(|| {
            Failure::refused(format!(
                "expected the size {size} among the operands of @{name}, found none"
            ))
        })?;
        let word = b.integer(64);
        sizes.push(match value.r#type().to_string().as_str() {
            "i64" => value,
            "index" => b.value("arith.index_cast", &[value], word, &[])?,
            _ => b.value("arith.extsi", &[value], word, &[])?,
        });
    }
    Ok(LaunchArguments { pointers, sizes })
}

/// The start of the function that a launch is in, where memory on the stack is had once.
fn entry<'c>(launch: OperationRef<'c, 'c>) -> Result<Builder<'c>, Failure> {
    let mut around = tree::ancestors(launch);
    let function =
        around.find(|one| matches!(tree::name(*one).as_str(), "func.func" | "llvm.func"));
    let block = function.and_then(tree::entry);
    let block =
        block.ok_or_else(|| Failure::refused("expected a launch in a function, found none"))?;
    Ok(Builder::at_start(context_of(launch), launch.location(), block))
}

/// Memory on the stack, aligned as tensor maps are.
fn room<'c>(start: &Builder<'c>, r#type: Type<'c>) -> Result<Val<'c>, Failure> {
    let size = start.constant(start.integer(32), 1)?;
    let attributes =
        [("elem_type", TypeAttribute::new(r#type).into()), ("alignment", start.i64_attribute(64))];
    Ok(start.value("llvm.alloca", &[size], parsed(start, "!llvm.ptr")?, &attributes)?)
}

/// Words in an array on the stack.
fn stored<'c>(start: &Builder<'c>, b: &Builder<'c>, words: &[Val<'c>]) -> Result<Val<'c>, Failure> {
    let array = parsed(b, &format!("!llvm.array<{} x i64>", words.len()))?;
    let place = room(start, array)?;
    let mut all = b.value("llvm.mlir.poison", &[], array, &[])?;
    for (i, &word) in words.iter().enumerate() {
        all = b.value("llvm.insertvalue", &[all, word], array, &[("position", position(b, i))])?;
    }
    b.operation("llvm.store", &[all, place], &[], &[], vec![])?;
    Ok(place)
}

/// One element of an array.
fn part<'c>(
    b: &Builder<'c>,
    array: Val<'c>,
    element: Type<'c>,
    number: usize,
) -> Result<Val<'c>, melior::Error> {
    b.value("llvm.extractvalue", &[array], element, &[("position", position(b, number))])
}

fn position<'c>(b: &Builder<'c>, number: usize) -> Attribute<'c> {
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    melior::ir::attribute::DenseI64ArrayAttribute::new(b.context(), &[number]).into()
}

fn parsed<'c>(b: &Builder<'c>, text: &str) -> Result<Type<'c>, Failure> {
    Type::parse(b.context(), text)
        .ok_or_else(|| Failure::Ir(melior::Error::TypeExpected("LLVM's", text.to_owned())))
}

/// A name of a symbol that a module has.
fn reference<'c>(b: &Builder<'c>, name: &str) -> Result<Attribute<'c>, Failure> {
    let text = format!("@{}", b.string(name));
    Ok(Attribute::parse(b.context(), &text).ok_or(melior::Error::AttributeParse(text))?)
}

/// The start of the module that a launch is in.
fn module<'c>(
    launch: OperationRef<'c, 'c>,
) -> Result<(OperationRef<'c, 'c>, Builder<'c>), Failure> {
    let module = tree::ancestors(launch).find(|one| tree::name(*one) == "builtin.module");
    let found = module.and_then(|module| Some((module, tree::entry(module)?)));
    let (module, block) =
        found.ok_or_else(|| Failure::refused("expected a launch in a module, found none"))?;
    Ok((module, Builder::at_start(context_of(launch), module.location(), block)))
}

/// A module's constant text of the facts of a kernel, zero-terminated; launches of one kernel share it.
fn global<'c>(
    launch: OperationRef<'c, 'c>,
    name: &str,
    text: &str,
) -> Result<Attribute<'c>, Failure> {
    let (module, b) = module(launch)?;
    let (symbol, bytes) = (format!("layout.launch.{name}"), format!("{text}\0"));
    let value = b.string(&bytes);
    let block = tree::entry(module).map(tree::operations).unwrap_or_default();
    let named = |symbol: &str| {
        let is = |one: &&OperationRef<'c, 'c>| {
            one.attribute("sym_name").ok().and_then(tree::text).as_deref() == Some(symbol)
        };
        block.iter().find(is).copied()
    };
    // Kernels of one name in two modules of kernels have texts of their own.
    let mut names =
        std::iter::once(symbol.clone()).chain((1_u32..).map(|number| format!("{symbol}.{number}")));
    let (symbol, found) = names
        .find_map(|symbol| match named(&symbol) {
            Some(other) if other.attribute("value").ok() != Some(value) => None,
            other => Some((symbol, other)),
        })
        .unwrap_or((symbol, None));
    if found.is_none() {
        let r#type = parsed(&b, &format!("!llvm.array<{} x i8>", bytes.len()))?;
        let linkage = Attribute::parse(b.context(), "#llvm.linkage<private>")
            .ok_or_else(|| melior::Error::AttributeParse("#llvm.linkage<private>".to_owned()))?;
        let attributes = [
            ("sym_name", b.string(&symbol)),
            ("global_type", TypeAttribute::new(r#type).into()),
            ("linkage", linkage),
            ("constant", Attribute::unit(b.context())),
            ("value", value),
        ];
        let region = melior::ir::Region::new();
        b.operation("llvm.mlir.global", &[], &[], &attributes, vec![region])?;
    }
    reference(&b, &symbol)
}

/// The declaration of the runtime library's function.
fn declare<'c>(launch: OperationRef<'c, 'c>, types: &[Type<'c>]) -> Result<Attribute<'c>, Failure> {
    let (module, b) = module(launch)?;
    if !super::function::declares(module, PREPARE) {
        let signature = FunctionType::new(b.context(), types, &[]);
        let attributes = [
            ("sym_name", b.string(PREPARE)),
            ("function_type", TypeAttribute::new(signature.into()).into()),
            ("sym_visibility", StringAttribute::new(b.context(), "private").into()),
        ];
        b.operation("func.func", &[], &[], &attributes, vec![melior::ir::Region::new()])?;
    }
    reference(&b, PREPARE)
}

/// Puts operands after those that a launch passes to its kernel.
fn append<'c>(launch: OperationRef<'c, 'c>, more: &[Val<'c>]) {
    let places = launch::segment(launch, launch::KERNEL_OPERANDS);
    let end = launch::segments(launch).iter().take(launch::KERNEL_OPERANDS + 1).sum::<usize>();
    let mut all: Vec<Val<'c>> = (0..launch.operand_count()).map(|i| operand(launch, i)).collect();
    let end = end.min(all.len());
    all.splice(end..end, more.iter().copied());
    let raw: Vec<_> = all.iter().map(|value| value.to_raw()).collect();
    let mut sizes: Vec<i32> = launch::segments(launch)
        .iter()
        .map(|&size| i32::try_from(size).unwrap_or(i32::MAX))
        .collect();
    if let Some(size) = sizes.get_mut(launch::KERNEL_OPERANDS) {
        *size = i32::try_from(places.len() + more.len()).unwrap_or(i32::MAX);
    }
    // SAFETY: the operation is valid, and the values are read during the call.
    unsafe { mlirOperationSetOperands(launch.to_raw(), raw.len() as isize, raw.as_ptr()) };
    let sizes = DenseI32ArrayAttribute::new(context_of(launch), &sizes);
    tree::set_attribute(launch, "operandSegmentSizes", sizes.into());
}
