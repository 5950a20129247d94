//! `layout-derive-launch`: derives the launch information of a kernel from its function.
//!
//! Arguments, block and sizes that are known at run time are in the type of a `gpu.func` and in what it does with its
//! arguments; the grid does not. So `layout.kernel` of a handwritten kernel holds what cannot be found, and this pass
//! completes it: `{grid = [128, 256]}`, or with expressions over sizes `{grid = ["ceil_div(n,256)"], sizes = ["n"]}`.
//! An attribute that is there already has to agree. A kernel without the attribute gets one without a grid.
//!
//! The kernel in turn learns what the facts bound: the blocks of a cluster, and how many blocks there are at most, so that its
//! indices need no more bits than these.

mod accesses;
mod operands;
mod ranges;

use crate::lower::KERNEL;
use accesses::Accesses;
use layout_dialect::{atoms, build::context_of, diagnostics, ops, targets, tree};
use melior::ir::{
    Attribute, OperationRef, Type,
    attribute::{
        DenseI32ArrayAttribute, DenseI64ArrayAttribute, DictionaryAttribute,
        FlatSymbolRefAttribute, IntegerAttribute, TypeAttribute,
    },
    operation::OperationLike,
    r#type::FunctionType,
};
use operands::{Operand, Operands};
use std::fmt::Write;

/// The attribute of a kernel that names the function which it is compared with.
pub(crate) const REFERENCE: &str = "layout.reference";

/// The prefix of a reference's name in the library of references.
pub const ENTRY: &str = "layout_reference_";

/// The attribute of a kernel that runs before or after another one, and is launched with it.
pub(crate) const STEP: &str = "layout.step";

/// The chip that a kernel is for where nothing says another.
const CHIP: &str = "sm_80";

/// The most blocks along x, y and z.
const MAX_GRID: [i64; 3] = [i32::MAX as i64, u16::MAX as i64, u16::MAX as i64];

/// The blocks of a cluster along x, y and z.
const CLUSTER: &str = "known_cluster_size";

/// The attribute of `gpu.block_id` that the block's number is below.
const UPPER_BOUND: &str = "upper_bound";

/// Why no facts were found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The function cannot be described in a manifest.
    #[error("{0}")]
    Unknown(String),
    /// The attribute contradicts the function.
    #[error("{0}")]
    Contradiction(String),
}

/// Completes the facts of every kernel below `root`.
///
/// # Errors
///
/// A diagnostic at each kernel whose facts contradict it, or that has some and cannot be completed.
pub(crate) fn derive(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for module in tree::inside(root, "gpu.module") {
        for kernel in tree::inside(module, "gpu.func") {
            let is_kernel = kernel.attribute("gpu.kernel").is_ok();
            let has_facts = kernel.attribute(KERNEL).is_ok();
            if !is_kernel && has_facts && kernel.attribute("nvvm.kernel").is_err() {
                let message = format!(
                    "expected the keyword 'kernel' on a gpu.func with {KERNEL}, found none"
                );
                refuse(kernel, &message);
                outcome = Err(());
                continue;
            }
            if !is_kernel || targets::is_foreign(kernel) || kernel.attribute(STEP).is_ok() {
                continue;
            }
            let declared = kernel.attribute(KERNEL).and_then(DictionaryAttribute::try_from).ok();
            let has = |key: &str| {
                declared.is_some_and(|declared| declared.element_by_name(key).is_some())
            };
            // The compiler wrote it, with the kernel.
            if has("problem") {
                continue;
            }
            let is_required = declared.is_some() || kernel.attribute(REFERENCE).is_ok();
            match facts(root, module, kernel, declared) {
                Ok((facts, most)) => {
                    tree::set_attribute(kernel, KERNEL, facts);
                    state_cluster(kernel, facts);
                    state_blocks(kernel, &most);
                }
                Err(Failure::Unknown(_)) if !is_required => {}
                Err(failure) => {
                    refuse(kernel, &failure.to_string());
                    outcome = Err(());
                }
            }
        }
    }
    for function in tree::inside(root, "func.func") {
        let stated = function.attribute(KERNEL).and_then(DictionaryAttribute::try_from);
        // Host functions that passes make of kernels have all facts, and so a block.
        if stated.is_ok_and(|stated| stated.element_by_name("block").is_none()) {
            let expected = "expected a gpu.func with the keyword 'kernel' in a gpu.module";
            refuse(function, &format!("{expected} to have {KERNEL}, found a func.func"));
            outcome = Err(());
        }
    }
    outcome
}

/// Says in the kernel how many blocks its clusters have, as PTX then does.
fn state_cluster<'c>(kernel: OperationRef<'c, 'c>, facts: Attribute<'c>) {
    let blocks = DictionaryAttribute::try_from(facts).ok().and_then(|facts| {
        let own = IntegerAttribute::try_from(facts.element_by_name("cluster")?).ok()?;
        i32::try_from(own.value()).ok()
    });
    if let Some(blocks) = blocks.filter(|_| kernel.attribute(CLUSTER).is_err()) {
        let extents = DenseI32ArrayAttribute::new(context_of(kernel), &[blocks, 1, 1]);
        tree::set_attribute(kernel, CLUSTER, extents.into());
    }
}

/// Says at the kernel's reads of a block's number how many blocks there are at most along x, y and z.
fn state_blocks<'c>(kernel: OperationRef<'c, 'c>, most: &[Option<i64>]) {
    let index = Type::index(context_of(kernel));
    for read in tree::inside(kernel, "gpu.block_id") {
        let along = read.attribute("dimension").map(|own| own.to_string()).unwrap_or_default();
        let along = ["x", "y", "z"].iter().position(|axis| along.contains(&format!("dim {axis}")));
        let Some(most) = along.and_then(|along| *most.get(along)?) else { continue };
        let stated = read.attribute(UPPER_BOUND).and_then(IntegerAttribute::try_from);
        if stated.is_ok_and(|stated| stated.value() <= most) {
            continue;
        }
        tree::set_attribute(read, UPPER_BOUND, IntegerAttribute::new(index, most).into());
    }
}

/// Reports an error of a kernel by its operation and its name, without its body.
fn refuse(kernel: OperationRef<'_, '_>, message: &str) {
    let operation = tree::name(kernel);
    let name = tree::symbol(kernel).unwrap_or_default();
    diagnostics::error_in(kernel, &format!("'{operation}' op @{name}: {message}"));
}

fn unknown(message: impl Into<String>) -> Failure {
    Failure::Unknown(message.into())
}

/// All facts of a kernel, and the most blocks along x, y and z as far as the grid bounds them.
fn facts<'c>(
    root: OperationRef<'c, '_>,
    module: OperationRef<'c, 'c>,
    kernel: OperationRef<'c, 'c>,
    declared: Option<DictionaryAttribute<'c>>,
) -> Result<(Attribute<'c>, Vec<Option<i64>>), Failure> {
    let context = context_of(kernel);
    let own = |key: &str| declared.and_then(|declared| declared.element_by_name(key));
    let block = block(kernel, own("block"))?;
    let accesses = Accesses::of(module, kernel);
    let operands = Operands::of(kernel, &accesses, own)?;
    let mut text = format!("{{block = array<i64: {}>", list(&block));
    let mut written: Vec<&str> =
        vec!["block", "args", "sizes", "scalars", "names", "values", "ascending", "grid", "chip"];
    let mut most = Vec::new();
    if let Some(grid) = own("grid") {
        let grid = self::grid(grid, &operands)?;
        let bound = |extent: &Result<i64, String>| match extent {
            Ok(extent) => Some(*extent),
            Err(text) => operands.most(text).filter(|&most| most < i64::from(i32::MAX)),
        };
        most = grid.iter().map(bound).collect();
        let grid =
            grid.into_iter().map(|own| own.map_or_else(|own| own, |own| format!("{own} : i64")));
        _ = write!(text, ", grid = [{}]", list(&grid.collect::<Vec<_>>()));
    }
    let chip = match own("chip") {
        Some(chip) => chip.to_string(),
        None => format!("\"{}\"", chip_of(module, kernel)),
    };
    _ = write!(text, ", chip = {chip}, args = [{}]", operands.arguments());
    for (key, entries) in [("sizes", operands.sizes()), ("scalars", operands.scalars())] {
        if !entries.is_empty() {
            _ = write!(text, ", {key} = [{entries}]");
        }
    }
    let cluster = cluster(kernel, own("cluster"))?;
    if cluster != 1 {
        _ = write!(text, ", cluster = {cluster} : i64");
    }
    written.push("cluster");
    if let Some(reference) = reference(root, kernel, &operands)? {
        let entry = format!("entry = \"{ENTRY}{reference}\"");
        // The facts of the reference that were found since then stay: how long its reductions are, and what it rounds to.
        let known = own("reference").map(|known| known.to_string());
        let known = known.filter(|known| known.contains(&entry));
        let known = known.unwrap_or_else(|| format!("{{{entry}, depth = 0 : i64}}"));
        _ = write!(text, ", reference = {known}");
        written.push("reference");
    }
    if accesses.unordered {
        text.push_str(", unordered = true");
        written.push("unordered");
    }
    if let Some(declared) = declared {
        for place in 0..declared.len() {
            let Ok((key, value)) = declared.element(place) else { continue };
            let key = key.as_string_ref().as_str().unwrap_or_default().to_owned();
            if !written.contains(&key.as_str()) {
                _ = write!(text, ", {key} = {value}");
            }
        }
    }
    text.push('}');
    let facts = Attribute::parse(context, &text)
        .ok_or_else(|| unknown(format!("expected facts that can be written, found {text}")))?;
    Ok((facts, most))
}

fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Threads of a block in x, y, z.
fn block(
    kernel: OperationRef<'_, '_>,
    declared: Option<Attribute<'_>>,
) -> Result<Vec<i64>, Failure> {
    let known = kernel.attribute("known_block_size").and_then(DenseI32ArrayAttribute::try_from);
    let known: Option<Vec<i64>> = known
        .ok()
        .and_then(|known| (0..known.len()).map(|i| known.element(i).ok().map(i64::from)).collect());
    let declared = declared.map(|declared| {
        let integers = integers(declared);
        integers
            .ok_or_else(|| unknown(format!("expected a block of three integers, found {declared}")))
    });
    match (known, declared.transpose()?) {
        (Some(known), Some(declared)) if known != declared => Err(Failure::Contradiction(format!(
            "expected block = array<i64: {}> in {KERNEL}, which is known_block_size, found array<i64: {}>",
            list(&known),
            list(&declared)
        ))),
        (Some(known), _) => Ok(known),
        (None, Some(declared)) => Ok(declared),
        (None, None) => Err(unknown(
            "expected the attribute known_block_size, the threads of a block along x, y and z, found none",
        )),
    }
}

/// The blocks of a kernel's clusters, as far as they are known.
pub(crate) fn cluster_of(kernel: OperationRef<'_, '_>) -> Option<i64> {
    let facts =
        kernel.attribute(KERNEL).ok().and_then(|own| DictionaryAttribute::try_from(own).ok());
    cluster(kernel, facts.and_then(|facts| facts.element_by_name("cluster"))).ok()
}

/// Blocks of a cluster, along x.
fn cluster(kernel: OperationRef<'_, '_>, declared: Option<Attribute<'_>>) -> Result<i64, Failure> {
    let known = kernel.attribute(CLUSTER).ok().map(|known| {
        let along_x = DenseI32ArrayAttribute::try_from(known).ok().and_then(|known| {
            let extents: Result<Vec<i32>, _> = (0..known.len()).map(|i| known.element(i)).collect();
            match extents.ok()?[..] {
                [x, 1, 1] if x > 0 => Some(i64::from(x)),
                _ => None,
            }
        });
        along_x.ok_or_else(|| {
            unknown(format!("expected clusters of blocks along x as {CLUSTER}, found {known}"))
        })
    });
    let declared = declared.map(|declared| {
        let blocks = IntegerAttribute::try_from(declared).map(|own| own.value()).ok();
        blocks.filter(|&blocks| blocks > 0).ok_or_else(|| {
            unknown(format!("expected a number of blocks as cluster in {KERNEL}, found {declared}"))
        })
    });
    // Where both are there they agree: the verifier of the kernel compares them.
    Ok(known.transpose()?.or(declared.transpose()?).unwrap_or(1))
}

/// A list of integers.
fn integers(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    if let Ok(dense) = DenseI64ArrayAttribute::try_from(attribute) {
        return (0..dense.len()).map(|i| dense.element(i).ok()).collect();
    }
    let elements = tree::elements(attribute)?.into_iter();
    elements.map(|element| Some(IntegerAttribute::try_from(element).ok()?.value())).collect()
}

/// The grid's extents along x, y and z: integers, or expressions as the manifest has them.
fn grid(
    declared: Attribute<'_>,
    operands: &Operands<'_>,
) -> Result<Vec<Result<i64, String>>, Failure> {
    let wrong = || {
        unknown(format!(
            "expected one to three integers or expressions over sizes as grid in {KERNEL}, found {declared}"
        ))
    };
    let mut all: Vec<Result<i64, String>> = match (integers(declared), tree::elements(declared)) {
        (Some(integers), _) => integers.into_iter().map(Ok).collect(),
        (None, Some(elements)) => {
            let entry = |element: Attribute<'_>| match IntegerAttribute::try_from(element) {
                Ok(integer) => Some(Ok(integer.value())),
                Err(_) => {
                    Some(operands.value(&tree::text(element)?).ok_or_else(|| element.to_string()))
                }
            };
            for text in elements.iter().copied().filter_map(tree::text) {
                operands.check_expression("grid", &text)?;
            }
            elements.into_iter().map(entry).collect::<Option<_>>().ok_or_else(wrong)?
        }
        (None, None) => return Err(wrong()),
    };
    if !(1..=3).contains(&all.len()) {
        return Err(wrong());
    }
    let exceeds = |(own, most): (&Result<i64, String>, i64)| {
        own.as_ref().is_ok_and(|extent| !(1..=most).contains(extent))
    };
    if all.iter().zip(MAX_GRID).any(exceeds) {
        let [x, y, _] = MAX_GRID;
        return Err(unknown(format!(
            "expected a grid of 1 to {x} blocks along x, and of 1 to {y} along y and z, in {KERNEL}, found {declared}"
        )));
    }
    all.resize(3, Ok(1));
    Ok(all)
}

/// The least chip that has a kernel's instructions.
fn chip_of(module: OperationRef<'_, '_>, kernel: OperationRef<'_, '_>) -> String {
    if let Ok(targets) = module.attribute("targets") {
        let text = targets.to_string();
        let named = text.split("chip = \"").nth(1).and_then(|rest| rest.split('"').next());
        if let Some(named) = named {
            return named.to_owned();
        }
    }
    let atoms = tree::all(kernel)
        .into_iter()
        .filter_map(|operation| Some(ops::instruction(operation)?.min_chip()));
    let newest = atoms.max_by_key(|chip| (atoms::chip_number(chip), chip.len()));
    let least = atoms::chip_number(CHIP);
    newest.filter(|chip| atoms::chip_number(chip) > least).unwrap_or_else(|| CHIP.to_owned())
}

/// The function that a kernel is compared with, if it names one that takes what the kernel does.
fn reference<'c>(
    root: OperationRef<'c, '_>,
    kernel: OperationRef<'c, 'c>,
    operands: &Operands<'c>,
) -> Result<Option<String>, Failure> {
    let Ok(named) = kernel.attribute(REFERENCE) else { return Ok(None) };
    let wrong = |found: String| {
        Failure::Contradiction(format!(
            "expected {REFERENCE} to name a func.func of the same file, found {found}"
        ))
    };
    let symbol = FlatSymbolRefAttribute::try_from(named).map_err(|_| wrong(named.to_string()))?;
    let is_named = |function: &OperationRef<'c, 'c>| {
        tree::symbol(*function).is_some_and(|name| name == symbol.value())
    };
    let found = tree::inside(root, "func.func").into_iter().find(is_named);
    let function = found.ok_or_else(|| wrong(format!("@{}, which is none", symbol.value())))?;
    let signature = function.attribute("function_type").and_then(TypeAttribute::try_from);
    let signature = signature.and_then(|signature| FunctionType::try_from(signature.value()));
    let signature = signature.map_err(|error| wrong(error.to_string()))?;
    let takes =
        |reason: String| Failure::Contradiction(format!("expected @{} {reason}", symbol.value()));
    if signature.result_count() > 0 {
        return Err(takes(format!(
            "to write its results into its arguments, found {} results",
            signature.result_count()
        )));
    }
    let all = operands.all();
    if signature.input_count() != all.len() {
        return Err(takes(format!(
            "to take the kernel's {} arguments, found {}",
            all.len(),
            signature.input_count()
        )));
    }
    for (number, operand) in all.iter().enumerate() {
        let Ok(input) = signature.input(number) else { continue };
        if !operand.takes(input) {
            return Err(takes(format!(
                "to take {} as argument {number}, found {input}",
                operand.expected()
            )));
        }
    }
    Ok(Some(symbol.value().to_owned()))
}

/// The type of the reference's argument for a pointer: the element and the extents of what it points at.
fn pointee(
    root: OperationRef<'_, '_>,
    kernel: OperationRef<'_, '_>,
    number: usize,
) -> Option<Operand<'static>> {
    let symbol = FlatSymbolRefAttribute::try_from(kernel.attribute(REFERENCE).ok()?).ok()?;
    let functions = tree::inside(root, "func.func").into_iter();
    let mut functions = functions
        .filter(|function| tree::symbol(*function).is_some_and(|name| name == symbol.value()));
    let signature = functions.next()?.attribute("function_type").ok()?;
    let signature =
        FunctionType::try_from(TypeAttribute::try_from(signature).ok()?.value()).ok()?;
    Operand::of_memref(&signature.input(number).ok()?.to_string())
}
