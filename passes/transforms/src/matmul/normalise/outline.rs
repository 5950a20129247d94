//! Outlines matmuls that are not alone in a function. Knows nothing of schedules' keys and mainloops.
//!
//! A function that does nothing but matmuls, and that nothing calls, becomes a kernel of its name. So does one that makes
//! views of its arguments, memrefs or views, and multiplies those, if each begins where its argument does: its kernel
//! takes the views. Where its matmuls are of
//! several element types or chips, it becomes a kernel for each run of matmuls that are alike ([`groups`]), `NAME_kernel` and
//! so on, in its order. Any other function stays, and so does one with the attribute `layout.host`: each of its matmuls is outlined to a kernel `NAME_kernel`, and launched
//! where it was; equal ones are launches of one kernel.

use crate::{
    matmul::{
        FAMILY, Failure,
        normalise::{
            launches::KERNEL,
            rewrite::{is_step, origins, steps},
        },
        problem::position,
    },
    pointers,
};
use layout_dialect::{
    Choice, ViewType,
    build::{Builder, Val, context_of, operand as operand_of, result},
    dynamic, ops, tree,
};
use melior::ir::{
    Attribute, AttributeLike, OperationRef, Type, ValueLike,
    attribute::{
        DenseI64ArrayAttribute, DictionaryAttribute, FlatSymbolRefAttribute, IntegerAttribute,
        StringAttribute, TypeAttribute,
    },
    operation::OperationLike,
    r#type::FunctionType,
};
use std::collections::HashMap;

/// The attribute of a function that stays one of the host, and launches kernels, whatever else it does.
pub(crate) const HOST: &str = "layout.host";

/// The attribute of matmuls of such a function that become one kernel, by the number of the kernel: neighbours, of which none needs another.
pub(crate) const TOGETHER: &str = "layout.together";

/// A function that holds nothing but matmuls on its arguments, and what becomes of the one that it stands for.
pub(crate) struct Outlined<'c> {
    /// The function that is tiled.
    pub(crate) function: OperationRef<'c, 'c>,
    /// The one that it was made of.
    source: Source<'c>,
}

enum Source<'c> {
    /// The function is its own source.
    Itself,
    /// The kernel is in its place.
    Replaced(OperationRef<'c, 'c>),
    /// The kernel is one of several in place of another function.
    Part,
    /// It launches the kernel, once or, of a family, for each of its ranges.
    Launches { kernel: String, launches: Vec<Launch<'c>> },
}

/// A launch of a kernel in place of some matmuls, with these views.
struct Launch<'c> {
    matmuls: Vec<OperationRef<'c, 'c>>,
    operands: Vec<Val<'c>>,
}

/// The functions to tile for the matmuls of one.
pub(crate) fn outline<'c>(
    root: OperationRef<'c, '_>,
    function: OperationRef<'c, 'c>,
    matmuls: &[OperationRef<'c, 'c>],
) -> Result<Vec<Outlined<'c>>, (OperationRef<'c, 'c>, Failure)> {
    let first = matmuls.first().copied().unwrap_or(function);
    let at = |failure: Failure| (first, failure);
    let body = tree::entry(function)
        .ok_or_else(|| at(Failure::Refused("expected a function with a body".to_owned())))?;
    let name = symbol(function).map_err(at)?;
    let used = is_used(root, function, &name);
    let groups = groups(function, matmuls);
    let on_arguments = matmuls.iter().all(|&matmul| {
        origins(matmul).iter().all(|origin| position(body, origin.value, "").is_ok())
    });
    let used = used || function.attribute(HOST).is_ok();
    if is_alone(function) && on_arguments && !used && groups.len() == 1 {
        return Ok(vec![Outlined { function, source: Source::Itself }]);
    }
    if is_kernel_stub(function) && !used {
        if let [_] = groups.as_slice() {
            let (made, _) = separate(function, &name, matmuls).map_err(at)?;
            return Ok(vec![Outlined { function: made, source: Source::Replaced(function) }]);
        }
        // Their order is that of the function; the last one takes it away.
        let mut all = Vec::with_capacity(groups.len());
        for matmuls in groups {
            let at = |failure: Failure| (matmuls[0], failure);
            let kernel = unused(root, &format!("{name}_kernel"));
            let (made, _) = separate(function, &kernel, &matmuls).map_err(at)?;
            all.push(Outlined { function: made, source: Source::Part });
        }
        if let Some(last) = all.last_mut() {
            last.source = Source::Replaced(function);
        }
        return Ok(all);
    }
    let mut all: Vec<Outlined<'c>> = Vec::with_capacity(groups.len());
    // A kernel of a family is launched for each of its ranges.
    let mut of_families: HashMap<String, usize> = HashMap::new();
    let mut of_texts: HashMap<String, usize> = HashMap::new();
    for matmuls in groups {
        let at = |failure: Failure| (matmuls[0], failure);
        let member = matmuls[0].attribute(FAMILY).ok().map(|family| family.to_string());
        let known = member.as_ref().and_then(|member| of_families.get(member));
        if let Some(Source::Launches { launches, .. }) = known.map(|&known| &mut all[known].source)
        {
            let operands = taken(&matmuls);
            launches.push(Launch { matmuls, operands });
            continue;
        }
        let own = family(matmuls[0]).unwrap_or_else(|| format!("{name}_kernel"));
        let kernel = unused(root, &own);
        let (made, operands) = separate(function, &kernel, &matmuls).map_err(at)?;
        // Equal matmuls, as those of a model's layers, are launches of one kernel.
        let text = made.to_string().replacen(&kernel, "", 1);
        let equal = of_texts.get(&text).map(|&equal| &mut all[equal].source);
        if let Some(Source::Launches { launches, .. }) = equal {
            tree::erase(made);
            launches.push(Launch { matmuls, operands });
            continue;
        }
        of_texts.insert(text, all.len());
        of_families.extend(member.map(|member| (member, all.len())));
        let launches = vec![Launch { matmuls, operands }];
        let source = Source::Launches { kernel, launches };
        all.push(Outlined { function: made, source });
    }
    Ok(all)
}

/// Those matmuls of a function that become one kernel each time: where nothing else is between them, each run of
/// matmuls of the same element types and chip; else each alone, since what is between two is executed between them, but for those
/// that are marked.
pub(crate) fn groups<'c>(
    function: OperationRef<'_, '_>,
    matmuls: &[OperationRef<'c, 'c>],
) -> Vec<Vec<OperationRef<'c, 'c>>> {
    let together = is_alone(function) || is_kernel_stub(function);
    let mut groups: Vec<(Kind, Vec<OperationRef<'c, 'c>>)> = Vec::new();
    for &matmul in matmuls {
        let own = Kind::of(matmul);
        match groups.last_mut() {
            Some((kind, group)) if *kind == own && (together || are_marked(group, matmul)) => {
                group.push(matmul);
            }
            _ => groups.push((own, vec![matmul])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Whether a matmul is marked to become one kernel with those before it.
fn are_marked(before: &[OperationRef<'_, '_>], matmul: OperationRef<'_, '_>) -> bool {
    let number = |matmul: OperationRef<'_, '_>| {
        let number = matmul.attribute(TOGETHER).and_then(IntegerAttribute::try_from);
        number.ok().map(|number| number.value())
    };
    number(matmul).is_some() && before.iter().all(|&own| number(own) == number(matmul))
}

/// Whether two matmuls have the types and the chip of one kernel.
pub(crate) fn are_alike(one: OperationRef<'_, '_>, other: OperationRef<'_, '_>) -> bool {
    Kind::of(one) == Kind::of(other)
}

/// The types and the chip that matmuls of one kernel have in common.
#[derive(PartialEq)]
struct Kind {
    elements: [Option<String>; 3],
    /// Whether there is a second B.
    is_dual: bool,
    chip: Option<String>,
}

impl Kind {
    fn of(matmul: OperationRef<'_, '_>) -> Self {
        let element = |i: usize| {
            let view = ViewType::try_from(operand_of(matmul, i).r#type()).ok()?;
            Some(view.element_type().to_string())
        };
        let chip = match ops::choice(matmul) {
            Ok(Choice::Auto { chip, .. }) => Some(chip),
            Ok(Choice::Given(schedule)) => Some(schedule.chip),
            Err(_) => None,
        };
        Self { elements: [0, 1, 2].map(element), is_dual: ops::dual(matmul).is_some(), chip }
    }
}

/// Whether a function stands for kernels of its matmuls: it does nothing but these, and views for them, and nothing calls it.
pub(crate) fn becomes_kernels<'c>(
    root: OperationRef<'c, '_>,
    function: OperationRef<'c, 'c>,
) -> bool {
    let is_used = symbol(function).map_or(true, |name| is_used(root, function, &name));
    is_kernel_stub(function) && !is_used
}

/// Whether a function does nothing but matmuls.
fn is_alone(function: OperationRef<'_, '_>) -> bool {
    all_are(function, |operation| tree::name(operation) == "layout.matmul" || is_step(operation))
}

/// Whether a function does nothing but matmuls, and views for them that begin where its arguments do: a kernel that
/// took others would be another function.
fn is_kernel_stub(function: OperationRef<'_, '_>) -> bool {
    let begin = |matmul: OperationRef<'_, '_>| {
        origins(matmul).into_iter().all(|origin| begins_alike(origin.value))
    };
    all_are(function, makes_views) && tree::inside(function, "layout.matmul").into_iter().all(begin)
}

/// Whether a view begins where an argument of the function does.
fn begins_alike(mut value: Val<'_>) -> bool {
    while let Some(made) = tree::definition(value) {
        let stays = match tree::name(made).as_str() {
            "memref.subview" | "memref.reinterpret_cast" => {
                let offsets = made.attribute("static_offsets");
                let offsets = offsets.and_then(DenseI64ArrayAttribute::try_from);
                offsets.is_ok_and(|all| {
                    (0..all.len()).all(|at| all.element(at).is_ok_and(|offset| offset == 0))
                })
            }
            // Where an operation fixes no coordinate, the first element stays.
            _ => dynamic::fixed(made, 0).map_or(true, |fixed| {
                [fixed.offset, fixed.within].iter().all(|offset| offset.as_constant() == Some(0))
            }),
        };
        if !stays || made.operand_count() == 0 {
            return false;
        }
        value = operand_of(made, 0);
    }
    true
}

fn all_are(function: OperationRef<'_, '_>, is: fn(OperationRef<'_, '_>) -> bool) -> bool {
    if function.attribute(HOST).is_ok() {
        return false;
    }
    let operations = tree::entry(function).map(tree::operations).unwrap_or_default();
    operations.into_iter().all(|operation| is(operation) || is_end(operation))
}

impl<'c> Outlined<'c> {
    /// Takes away what a kernel stands for now, and launches it where that is executed.
    pub(crate) fn finish(self, root: OperationRef<'c, '_>) -> Result<(), Failure> {
        tree::erase(self.function);
        match self.source {
            Source::Itself | Source::Part => Ok(()),
            Source::Replaced(function) => {
                tree::erase(function);
                Ok(())
            }
            Source::Launches { kernel, launches } => {
                for Launch { matmuls, operands } in launches {
                    // All views are made in front of the last one.
                    let last = matmuls[matmuls.len() - 1];
                    super::launches::launch(root, last, &operands, &kernel)?;
                    for matmul in matmuls {
                        let steps = steps(matmul);
                        let (before, after): (Vec<_>, Vec<_>) =
                            steps.into_iter().partition(|&step| tree::comes_before(step, matmul));
                        let all = before.into_iter().chain([matmul]).chain(after);
                        all.rev().for_each(tree::erase);
                    }
                }
                Ok(())
            }
        }
    }

    /// Takes away what was made for a kernel that there is none of.
    pub(crate) fn abandon(self) {
        if !matches!(self.source, Source::Itself) {
            tree::erase(self.function);
        }
    }
}

/// A function of its own for some matmuls of one function, beside that: for a caller that examines and erases it.
pub(crate) fn alone<'c>(matmuls: &[OperationRef<'c, '_>]) -> Result<OperationRef<'c, 'c>, Failure> {
    let refused = || Failure::Refused("expected a matmul in a function, found none".to_owned());
    // SAFETY: the matmuls are in a module that outlives the call.
    let matmuls = matmuls.iter().map(|matmul| unsafe { OperationRef::from_raw(matmul.to_raw()) });
    let matmuls: Vec<OperationRef<'c, 'c>> = matmuls.collect();
    let first = matmuls.first().copied().ok_or_else(refused)?;
    let function = tree::ancestors(first).find(|around| tree::name(*around) == "func.func");
    let function = function.ok_or_else(refused)?;
    Ok(separate(function, "layout_asked_about", &matmuls)?.0)
}

/// The views that matmuls take, each once.
fn taken<'c>(matmuls: &[OperationRef<'c, 'c>]) -> Vec<Val<'c>> {
    let mut operands: Vec<Val<'c>> = Vec::new();
    for value in matmuls.iter().flat_map(|&matmul| origins(matmul)).map(|origin| origin.value) {
        if !operands.contains(&value) {
            operands.push(value);
        }
    }
    operands
}

/// Makes a function beside another one that holds copies of some of its matmuls, on arguments: all views that they take.
fn separate<'c>(
    function: OperationRef<'c, 'c>,
    name: &str,
    matmuls: &[OperationRef<'c, 'c>],
) -> Result<(OperationRef<'c, 'c>, Vec<Val<'c>>), Failure> {
    let context = context_of(function);
    let operands = taken(matmuls);
    let types: Vec<Type<'c>> = operands.iter().map(|value| value.r#type()).collect();
    let b = Builder::before(function);
    let (region, inner) = b.region_with(&types);
    let mut known: HashMap<usize, Val<'c>> = HashMap::new();
    for (number, &value) in operands.iter().enumerate() {
        known.insert(tree::key(value), inner.argument(number));
    }
    for &matmul in matmuls {
        let (before, after): (Vec<_>, Vec<_>) =
            steps(matmul).into_iter().partition(|&step| tree::comes_before(step, matmul));
        for operation in before.into_iter().chain([matmul]).chain(after) {
            let operands = (0..operation.operand_count()).map(|i| operand_of(operation, i));
            let own: Option<Vec<Val<'c>>> =
                operands.map(|value| known.get(&tree::key(value)).copied()).collect();
            let own = own.ok_or(melior::Error::OperationBuild)?;
            let made = tree::clone_with(&inner, operation, &own);
            for i in 0..operation.result_count() {
                known.insert(tree::key(result(operation, i)), result(made, i));
            }
        }
    }
    inner.operation("func.return", &[], &[], &[], vec![])?;
    let function_type = FunctionType::new(context, &types, &[]);
    let attributes = [
        ("sym_name", StringAttribute::new(context, name).into()),
        ("function_type", TypeAttribute::new(function_type.into()).into()),
        ("sym_visibility", StringAttribute::new(context, "private").into()),
    ];
    let made = b.operation("func.func", &[], &[], &attributes, vec![region])?;
    let one = matmuls.first().and_then(|matmul| matmul.attribute(FAMILY).ok());
    if let Some(family) = one.or_else(|| function.attribute(FAMILY).ok()) {
        tree::set_attribute(made, FAMILY, family);
    }
    let arguments: Vec<Attribute<'c>> = operands
        .iter()
        .map(|&value| {
            let text = match pointers::alignment_within(function, value) {
                pointers::ASSUMED => "{}".to_owned(),
                bytes => format!("{{llvm.align = {bytes} : i64}}"),
            };
            Attribute::parse(context, &text).ok_or(melior::Error::AttributeParse(text))
        })
        .collect::<Result<_, _>>()?;
    tree::set_argument_attributes(made, &arguments);
    Ok((made, operands))
}

/// Whether an operation ends a function that returns nothing.
fn is_end(operation: OperationRef<'_, '_>) -> bool {
    tree::name(operation) == "func.return" && operation.operand_count() == 0
}

/// Whether an operation is a matmul, or computes views for one and does nothing else.
fn makes_views(operation: OperationRef<'_, '_>) -> bool {
    if is_step(operation) {
        return true;
    }
    let name = tree::name(operation);
    match name.as_str() {
        "layout.matmul" | "layout.make_view" | "layout.constant" | "arith.constant" => true,
        "memref.subview" | "memref.cast" | "memref.memory_space_cast" => true,
        "memref.reinterpret_cast" | "memref.expand_shape" | "memref.collapse_shape" => true,
        _ => {
            name.starts_with("layout.")
                && operation.result_count() == 1
                && operation.regions().next().is_none()
                && !matches!(name.as_str(), "layout.load" | "layout.alloc" | "layout.print")
        }
    }
}

/// Whether anything but a function itself names it.
fn is_used<'c>(root: OperationRef<'c, '_>, function: OperationRef<'c, 'c>, name: &str) -> bool {
    let references = [format!("@{name}"), format!("@\"{name}\"")];
    tree::all(root).into_iter().filter(|&operation| operation != function).any(|operation| {
        operation.attributes().any(|(_, attribute)| {
            let is_symbol =
                FlatSymbolRefAttribute::try_from(attribute).is_ok() || attribute.is_symbol_ref();
            is_symbol && references.contains(&attribute.to_string())
        })
    })
}

/// The name of the kernel of a matmul that is one of a family: the greatest size that it is for is in it.
fn family(matmul: OperationRef<'_, '_>) -> Option<String> {
    let family = DictionaryAttribute::try_from(matmul.attribute(FAMILY).ok()?).ok()?;
    let name = tree::text(family.element_by_name("name")?)?;
    let most = DictionaryAttribute::try_from(family.element_by_name("most")?).ok()?;
    let most = most.element(0).ok().and_then(|(_, most)| IntegerAttribute::try_from(most).ok());
    Some(match most {
        Some(most) => format!("{name}_up_to_{}", most.value()),
        None => format!("{name}_beyond"),
    })
}

/// A name that nothing below `root` has, and no family of kernels.
pub(crate) fn unused(root: OperationRef<'_, '_>, name: &str) -> String {
    let families = |operation: OperationRef<'_, '_>| {
        let facts = operation.attribute(KERNEL).and_then(DictionaryAttribute::try_from).ok();
        let family = facts.and_then(|facts| facts.element_by_name("family"));
        let family = family.or_else(|| operation.attribute(FAMILY).ok())?;
        let name = DictionaryAttribute::try_from(family).ok()?.element_by_name("name")?;
        tree::text(name)
    };
    let all = tree::all(root).into_iter();
    let taken: Vec<String> =
        all.flat_map(|operation| [symbol(operation).ok(), families(operation)]).flatten().collect();
    let mut number = 0;
    loop {
        let candidate = match number {
            0 => name.to_owned(),
            _ => format!("{name}_{number}"),
        };
        if !taken.contains(&candidate) {
            return candidate;
        }
        number += 1;
    }
}

pub(crate) fn symbol(operation: OperationRef<'_, '_>) -> Result<String, Failure> {
    Ok(tree::symbol(operation).unwrap_or_default())
}
