//! `layout-inline-sizes`: replaces elements that the host reads from a tensor of sizes by the values that a body
//! computes at their coordinates.
//!
//! ```text
//! %shape = linalg.generic … outs(%e : tensor<3xi32>) {
//!   %i = linalg.index 0
//!   …                                                the size of dimension %i
//! }
//! %n = tensor.extract %shape[%c0]             ->   the body, with %c0 in place of %i
//! ```
//!
//! StableHLO's conversion concatenates the shapes of dynamic broadcasts and reshapes so.

use layout_dialect::{
    affine::{Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    passes::{PassRun, Statistic},
    tree,
};
use melior::ir::{BlockLike, OperationRef, attribute::IntegerAttribute, operation::OperationLike};
use std::collections::HashMap;

/// The pass.
pub(crate) const NAME: &str = "layout-inline-sizes";

/// The counter of elements.
const INLINED: &str = "inlined";

pub(crate) const STATISTICS: &[Statistic] = &[Statistic {
    name: INLINED,
    description: "elements that are computed where the host reads them",
}];

/// Rewrites the reads below `root`.
///
/// # Errors
///
/// None.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    for extract in tree::inside(root, "tensor.extract") {
        let is_host =
            !tree::ancestors(extract).any(|around| tree::name(around).starts_with("linalg."));
        if let Some(value) = is_host.then(|| element(extract)).flatten() {
            tree::replace_uses(first_result(extract), value);
            tree::erase(extract);
            pass.count(INLINED, 1);
        }
    }
    Ok(())
}

/// The element, computed where it is read.
fn element<'c>(extract: OperationRef<'c, 'c>) -> Option<Val<'c>> {
    let generic = tree::definition(operand(extract, 0))
        .filter(|made| tree::name(*made) == "linalg.generic" && made.operand_count() == 1)?;
    let [map] = <[_; 1]>::try_from(indexing_maps(generic)?).ok()?;
    let is_own = |(d, coordinate): (usize, &Linear)| coordinate.dimension() == Some(d);
    let body = tree::entry(generic)?;
    let fits = map.dimensions == map.results.len()
        && map.results.iter().enumerate().all(is_own)
        && body.argument_count() == 1
        && !tree::is_used(tree::argument(body, 0));
    let steps = tree::operations(body);
    let (end, steps) = steps.split_last().filter(|_| fits)?;
    let (indices, steps): (Vec<_>, Vec<_>) =
        steps.iter().copied().partition(|step| tree::name(*step) == "linalg.index");
    let at = |step: OperationRef<'c, 'c>| {
        let d = IntegerAttribute::try_from(step.attribute("dim").ok()?).ok()?.value();
        let d = usize::try_from(d).ok().filter(|d| d + 1 < extract.operand_count())?;
        Some((tree::key(first_result(step)), operand(extract, d + 1)))
    };
    let mut known: HashMap<usize, Val<'c>> = indices.into_iter().map(at).collect::<Option<_>>()?;
    tree::clone_all(&Builder::before(extract), &steps, &mut known);
    let value = operand(*end, 0);
    Some(known.get(&tree::key(value)).copied().unwrap_or(value))
}
