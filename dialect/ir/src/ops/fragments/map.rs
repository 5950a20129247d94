//! `layout.map`: an elementwise function of views.

use super::{
    MAX_ELEMENTS,
    broadcast::{Elements, product, sizes},
};
use crate::ops::prelude::*;
use crate::{
    data::attributes,
    ops::{
        SEGMENTS,
        epilogue::YIELD,
        views::{known_layout, view, writable},
    },
};
use melior::{
    Error,
    ir::{BlockRef, RegionLike, attribute::DenseI32ArrayAttribute},
};
use std::collections::HashSet;

/// Element types that no arithmetic takes.
pub(super) const WITHOUT_ARITHMETIC: [&str; 3] = ["f8E4M3FN", "f8E5M2", "tf32"];

/// A `layout.map` that was verified.
#[derive(Debug)]
pub struct Map<'c> {
    /// Views that are read, and which element of each meets an index.
    pub inputs: Vec<(Val<'c>, Elements)>,
    /// Views that are written.
    pub outputs: Vec<Val<'c>>,
    /// How many indices there are.
    pub size: i64,
    /// The region's block.
    pub body: BlockRef<'c, 'c>,
}

impl<'c> Map<'c> {
    /// Reads a `layout.map`.
    ///
    /// # Errors
    ///
    /// The errors of its verifier; more elements than are written out.
    pub fn of(operation: OperationRef<'c, '_>) -> Result<Self, Violation> {
        let inputs = inputs(operation)?;
        let shared = shared(operation, inputs)?;
        let size = product(&shared).unwrap_or(i64::MAX);
        if size > MAX_ELEMENTS {
            let expected = format!("at most {MAX_ELEMENTS} elements to expand");
            return Err(Violation::new(Code::MapSizes, expected, size));
        }
        let elements = |at: usize| Ok((operand(operation, at), elements(operation, at, &shared)?));
        Ok(Self {
            inputs: (0..inputs).map(elements).collect::<Result<_, Violation>>()?,
            outputs: (inputs..operation.operand_count()).map(|at| operand(operation, at)).collect(),
            size,
            body: tree::entry(operation).ok_or_else(|| region("a block", "none"))?,
        })
    }
}

/// Builds a `layout.map`. `body` gets the elements of inputs and outputs, and gives the new elements of outputs.
///
/// # Errors
///
/// Those of `body`; what the verifier says.
pub fn map<'c, E: From<Error>>(
    b: &Builder<'c>,
    inputs: &[Val<'c>],
    outputs: &[Val<'c>],
    body: impl FnOnce(&Builder<'c>, &[Val<'c>]) -> Result<Vec<Val<'c>>, E>,
) -> Result<OperationRef<'c, 'c>, E> {
    let views = [inputs, outputs].concat();
    let types = views.iter().map(|view| Ok(ViewType::try_from(view.r#type())?.element_type()));
    let types = types.collect::<Result<Vec<Type<'c>>, Error>>()?;
    let (region, inner) = b.region_with(&types);
    let arguments: Vec<Val<'c>> = (0..types.len()).map(|at| inner.argument(at)).collect();
    let yielded = body(&inner, &arguments)?;
    inner.operation(YIELD, &yielded, &[], &[], vec![])?;
    let counts =
        [inputs.len(), outputs.len()].map(|count| i32::try_from(count).unwrap_or(i32::MAX));
    let counts = DenseI32ArrayAttribute::new(b.context(), &counts).into();
    Ok(b.operation("layout.map", &views, &[], &[(SEGMENTS, counts)], vec![region])?)
}

/// How many of the operands are inputs.
fn inputs(operation: OperationRef<'_, '_>) -> Result<usize, Violation> {
    let segments = attributes::integers(operation.attribute(SEGMENTS)?)?;
    Ok(segments.first().and_then(|&count| usize::try_from(count).ok()).unwrap_or(0))
}

/// The sizes of the first output's modes, by whose indices all elements are named.
fn shared(operation: OperationRef<'_, '_>, inputs: usize) -> Result<Vec<i64>, Violation> {
    if inputs >= operation.operand_count() {
        return Err(Violation::new(Code::MapSizes, "at least one output", "none"));
    }
    sizes(view(operation, inputs)?, Code::MapSizes)
        .map_err(|refused| refused.at(parts::of_operand(operation, inputs, Part::Shape)))
}

/// Which element of an input meets an index.
fn elements(
    operation: OperationRef<'_, '_>,
    at: usize,
    shared: &[i64],
) -> Result<Elements, Violation> {
    let own = view(operation, at)?;
    let place = || parts::of_operand(operation, at, Part::Shape);
    let sizes = sizes(own, Code::MapSizes).map_err(|refused| refused.at(place()))?;
    Elements::of(&sizes, shared).ok_or_else(|| {
        let expected = format!(
            "{} elements, one element, or modes of the sizes {} or 1, as the first output has",
            product(shared).unwrap_or(i64::MAX),
            text(shared)
        );
        Violation::new(Code::MapSizes, expected, text(&sizes))
            .hint("a mode of stride 0 repeats an element")
            .at(place())
    })
}

/// Sizes as a shape.
pub(super) fn text(sizes: &[i64]) -> String {
    let all: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    match all.as_slice() {
        [one] => one.clone(),
        all => format!("({})", all.join(",")),
    }
}

pub(crate) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    let inputs = inputs(operation)?;
    let shared = shared(operation, inputs)?;
    for at in 0..inputs {
        check.violations.extend(elements(operation, at, &shared).err());
    }
    for at in inputs..operation.operand_count() {
        writable(check, at)?;
        output(check, at, &shared)?;
    }
    let views = (0..operation.operand_count())
        .map(|at| Ok(check.view(at)?.element_type()))
        .collect::<Result<Vec<_>, Violation>>()?;
    function(check, &views, &views[inputs..], Code::MapRegion)
}

/// Checks the sizes of an output, and that each of its elements has a place of its own.
fn output(check: &mut Check<'_, '_>, at: usize, shared: &[i64]) -> Result<(), Violation> {
    let layout = known_layout(check.view(at)?);
    let Some(layout) = check.kept(Site::Operand(at, Part::Symbol(0)), layout) else {
        return Ok(());
    };
    let all = product(shared).unwrap_or(i64::MAX);
    if layout.size() != all {
        let expected = format!("outputs of one size, {all}");
        check.refuse(Site::Operand(at, Part::Shape), Code::MapSizes, expected, layout.size());
        return Ok(());
    }
    let mut seen = HashSet::new();
    for index in 0..all.min(MAX_ELEMENTS) {
        if !seen.insert(layout.at(index)?) {
            let expected = "an output with an injective layout";
            let found = format!("{layout}, whose element {index} aliases another one");
            check.refuse(Site::Operand(at, Part::Layout), Code::MapOutput, expected, found);
            return Ok(());
        }
    }
    Ok(())
}

fn region(expected: impl Into<String>, found: impl ToString) -> Violation {
    Violation::new(Code::MapRegion, expected, found)
}

/// Checks a region that is a function of elements: of arguments of some types, to values of others, by operations that
/// do nothing but compute.
pub(super) fn function(
    check: &mut Check<'_, '_>,
    arguments: &[Type<'_>],
    results: &[Type<'_>],
    code: Code,
) -> Result<(), Violation> {
    let region = check.operation.region(0)?;
    let Some(block) = region.first_block() else {
        return Err(Violation::new(code, "a region with a block", "none"));
    };
    let found = (0..block.argument_count()).map(|at| tree::argument(block, at).r#type());
    let found: Vec<String> = found.map(|found| found.to_string()).collect();
    let list =
        |types: &[Type<'_>]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if found.join(", ") != list(arguments) {
        let expected = format!("a region with the arguments ({})", list(arguments));
        check.refuse(Site::Nowhere, code, expected, format!("({})", found.join(", ")));
    }
    let mut all = tree::operations(block);
    let last = all.pop();
    // It is verified later: so far it may have any operands.
    let yielded = last.filter(|last| tree::name(*last) == YIELD).map(|last| {
        let types = (0..last.operand_count()).map(|at| operand(last, at).r#type().to_string());
        types.collect::<Vec<_>>().join(", ")
    });
    if yielded.as_deref() != Some(&list(results)) {
        let expected = format!("a region that ends with {YIELD} of ({})", list(results));
        let found = match (yielded, last) {
            (Some(types), _) => format!("({types})"),
            (None, Some(last)) => tree::name(last),
            (None, None) => "nothing".to_owned(),
        };
        check.refuse(Site::Nowhere, code, expected, found);
    }
    for inner in all {
        let name = tree::name(inner);
        let computes = ["arith.", "math."].iter().any(|dialect| name.starts_with(dialect));
        if !computes || inner.regions().next().is_some() {
            let expected = "operations of arith and math without regions in the region";
            check.refuse(Site::Nowhere, code, expected, name);
            continue;
        }
        let operands = (0..inner.operand_count()).map(|at| operand(inner, at).r#type());
        let results = (0..inner.result_count())
            .filter_map(|at| inner.result(at).ok().map(|result| result.r#type()));
        let mut types = operands.chain(results).map(|found| found.to_string());
        if let Some(found) = types.find(|found| WITHOUT_ARITHMETIC.contains(&found.as_str())) {
            let expected = format!("{name} on types that arith and math take");
            let refused = Violation::new(code, expected, found);
            check.refuse_for(Site::Nowhere, refused.hint("layout.copy converts elements"));
        }
    }
    Ok(())
}
