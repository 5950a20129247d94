//! The verifier of `layout.kernel`, the launch information of a kernel: it must agree with the kernel's type, as long as
//! that has views.

use crate::data::attributes::integers;
use crate::ops::prelude::*;
use melior::ir::{
    attribute::{DictionaryAttribute, TypeAttribute},
    r#type::FunctionType,
};

/// The attribute that carries a kernel's launch facts to the manifest.
const KERNEL: &str = "layout.kernel";

/// The dialect's prefix of an attribute's name.
const PREFIX: &str = "layout.";

/// The attributes of the dialect on kernels.
const ATTRIBUTES: [&str; 8] = [
    KERNEL,
    "layout.reference",
    "layout.step",
    "layout.stated",
    "layout.tensor_maps",
    "layout.family",
    "layout.host",
    "layout.together",
];

/// The entries of [`KERNEL`]: those of a manifest's kernel, and names for what is in it.
const ENTRIES: [&str; 23] = [
    "grid",
    "grid_limit",
    "block",
    "cluster",
    "chip",
    "names",
    "sizes",
    "values",
    "ascending",
    "args",
    "scalars",
    "workspaces",
    "shared_bytes",
    "tensor_maps",
    "before",
    "after",
    "dependent_launch",
    "waits",
    "problem",
    "reference",
    "unordered",
    "bytes",
    "flops",
];

/// The entry of [`KERNEL`] that makes a kernel a variant of a family.
const FAMILY: &str = "family";

pub(super) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let kernel = check.operation;
    attributes(check);
    let Ok(facts) = kernel.attribute(KERNEL).and_then(DictionaryAttribute::try_from) else {
        return Ok(());
    };
    entries(check, facts);
    check.violations.extend(block(kernel, facts));
    check.violations.extend(cluster(kernel, facts));
    let Some(entry) = tree::entry(kernel) else { return Ok(()) };
    // After the function's arguments are those of its memory attributions.
    let declared = kernel.attribute("function_type").and_then(TypeAttribute::try_from);
    let declared = declared.and_then(|of| FunctionType::try_from(of.value()));
    let count = declared.map_or(entry.argument_count(), |of| of.input_count());
    let arguments =
        (0..count.min(entry.argument_count())).map(|i| tree::argument(entry, i).r#type());
    let arguments: Vec<_> = arguments.collect();
    // Lowered kernels take pointers, and the integers and tensor maps after them.
    if !arguments.iter().any(|&argument| ViewType::from_type(argument).is_some()) {
        return Ok(());
    }
    named(check, facts, arguments.len());
    let list = |name| facts.element_by_name(name).and_then(tree::elements).unwrap_or_default();
    let (own, workspaces) = (list("args"), list("workspaces"));
    // A kernel that is never launched from a manifest says nothing of its arguments.
    if own.is_empty() && workspaces.is_empty() {
        return Ok(());
    }
    // Numbers are taken by value, and are in a list of their own.
    let memory: Vec<_> =
        arguments.into_iter().enumerate().filter(|(_, own)| !is_number(*own)).collect();
    if memory.len() != own.len() + workspaces.len() {
        let expected =
            format!("args and workspaces for the kernel's {} views and pointers", memory.len());
        let found = own.len() + workspaces.len();
        check.refuse(Site::Nowhere, Code::KernelFacts, expected, found);
    }
    for (&(i, argument), entry) in memory.iter().zip(own.iter().chain(&workspaces)) {
        let Ok(view) = ViewType::try_from(argument) else {
            if !argument.to_string().starts_with("!llvm.ptr") {
                let expected = format!("a view, a pointer or a number as argument {i}");
                check.refuse(Site::Nowhere, Code::KernelFacts, expected, argument);
            }
            continue;
        };
        check.violations.extend(described(i, view, *entry)?);
    }
    Ok(())
}

/// Refuses attributes of the dialect that no pass reads, such as a misspelt reference.
fn attributes(check: &mut Check<'_, '_>) {
    let kernel = check.operation;
    let names = kernel
        .attributes()
        .map(|(name, _)| name.as_string_ref().as_str().unwrap_or_default().to_owned());
    for name in
        names.filter(|name| name.starts_with(PREFIX) && !ATTRIBUTES.contains(&name.as_str()))
    {
        check.refuse_for(
            Site::Nowhere,
            Violation::unknown(Code::KernelFacts, &name, &ATTRIBUTES[..2]),
        );
    }
}

/// Refuses entries that no launch reads.
fn entries(check: &mut Check<'_, '_>, facts: DictionaryAttribute<'_>) {
    for place in 0..facts.len() {
        let Ok((key, _)) = facts.element(place) else { continue };
        let key = key.as_string_ref().as_str().unwrap_or_default().to_owned();
        if key != FAMILY && !ENTRIES.contains(&key.as_str()) {
            check.refuse_for(
                Site::Attribute(KERNEL),
                Violation::unknown(Code::KernelFacts, &key, &ENTRIES),
            );
        }
    }
}

/// Checks the names of arguments and of sizes, as a kernel's author lists them.
fn named(check: &mut Check<'_, '_>, facts: DictionaryAttribute<'_>, arguments: usize) {
    if let Some(names) = facts.element_by_name("names") {
        let found = tree::elements(names).unwrap_or_default();
        if found.len() != arguments || found.iter().any(|name| tree::text(*name).is_none()) {
            let expected =
                format!("names = [\"…\"] with a text for each of the {arguments} arguments");
            check.refuse(Site::Attribute(KERNEL), Code::KernelFacts, expected, names);
        }
    }
    if let Some(sizes) = facts.element_by_name("sizes") {
        let is_size = |size: &Attribute<'_>| {
            tree::text(*size).is_some() || DictionaryAttribute::try_from(*size).is_ok()
        };
        if !tree::elements(sizes).is_some_and(|all| all.iter().all(is_size)) {
            let expected =
                "sizes = [\"…\"] with a text for each ? of the arguments' types, in their order";
            check.refuse(Site::Attribute(KERNEL), Code::KernelFacts, expected, sizes);
        }
    }
}

/// Whether a kernel takes a type by value, as a number.
fn is_number(r#type: Type<'_>) -> bool {
    r#type.is_integer() || r#type.is_index() || crate::data::types::is_float(r#type)
}

/// The threads of a block, which the function says too.
fn block(kernel: OperationRef<'_, '_>, facts: DictionaryAttribute<'_>) -> Option<Violation> {
    let known = integers(kernel.attribute("known_block_size").ok()?).ok()?;
    let declared = integers(facts.element_by_name("block")?).ok()?;
    (known != declared).then(|| {
        let expected = format!("a block of known_block_size, {known:?}");
        Violation::new(Code::KernelFacts, expected, format!("{declared:?}"))
    })
}

/// The blocks of a cluster, which the function says too.
fn cluster(kernel: OperationRef<'_, '_>, facts: DictionaryAttribute<'_>) -> Option<Violation> {
    let known = integers(kernel.attribute("known_cluster_size").ok()?).ok()?;
    let declared = IntegerAttribute::try_from(facts.element_by_name("cluster")?).ok()?.value();
    (known != [declared, 1, 1]).then(|| {
        let expected = format!("a cluster of known_cluster_size, {known:?}");
        Violation::new(Code::KernelFacts, expected, declared.to_string())
    })
}

/// The description of an argument by one entry of `args` or `workspaces`.
fn described(
    number: usize,
    view: ViewType<'_>,
    entry: Attribute<'_>,
) -> Result<Option<Violation>, Violation> {
    let differs = |expected: String, found: String| {
        Ok(Some(Violation::new(Code::KernelFacts, expected, found)))
    };
    let Ok(entry) = DictionaryAttribute::try_from(entry) else {
        return differs(format!("a dictionary for argument {number}"), entry.r#type().to_string());
    };
    let text = |name| entry.element_by_name(name).and_then(tree::text);
    if view.space() != Space::Global {
        return differs(format!("argument {number} in global memory"), view.space().to_string());
    }
    let element = view.element_type().to_string();
    if let Some(declared) = text("element")
        && declared != element
    {
        return differs(format!("element = \"{element}\" for argument {number}"), declared);
    }
    let (Some(shape), Some(stride)) = (text("shape"), text("stride")) else { return Ok(None) };
    let Ok(layout) = view.layout() else { return Ok(None) };
    let declared: Layout = match format!("{shape}:{stride}").parse() {
        Ok(declared) => declared,
        Err(_) => {
            let expected = format!("shape and stride of a layout for argument {number}");
            return differs(expected, format!("{shape}:{stride}"));
        }
    };
    if declared.size() != layout.size() {
        let expected = format!("{} elements for argument {number}, {layout}", layout.size());
        return differs(expected, format!("{}, {declared}", declared.size()));
    }
    // Memory is allocated as the manifest says.
    let (needed, given) = (layout.cosize()?, declared.cosize()?);
    if given < needed {
        let expected = format!("memory for {needed} elements for argument {number}, {layout}");
        return differs(expected, format!("{given}, {declared}"));
    }
    Ok(None)
}
