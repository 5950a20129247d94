//! Broadcasts to sizes that the source has: the indices of such a read are the loops' own.
//!
//! ```text
//! %n = tensor.dim %x, %c0
//! linalg.generic … outs(%e : of sizes %n, 64)
//!   %i = linalg.index 0
//!   %is = arith.cmpi eq, %n, %c1
//!   %at = arith.select %is, %c0, %i          ->   %i, which is 0 where %n is 1
//!   tensor.extract %x[%at, …]
//! ```
//!
//! torch-mlir expands tensors of dynamic sizes in this form, those that have the sizes already, too. A generic whose body is nothing but
//! such a read is its source.

use super::rows::extent::Extent;
use layout_dialect::{
    affine::{IndexingMap, indexing_maps},
    build::{Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike};

/// `arith.cmpi eq`.
const EQUAL: i64 = 0;

/// Rewrites those below `root`.
pub(super) fn run(root: OperationRef<'_, '_>) {
    for generic in tree::inside(root, "linalg.generic") {
        let Some(maps) = indexing_maps(generic) else { continue };
        for select in tree::inside(generic, "arith.select") {
            if let Some(index) = own_index(select, generic, &maps) {
                tree::replace_uses(first_result(select), index);
            }
        }
        if let Some(source) = copied(generic, &maps) {
            tree::replace_uses(first_result(generic), source);
            tree::erase(generic);
        }
    }
}

/// The index of a loop that a choice is at all sizes.
fn own_index<'c>(
    select: OperationRef<'c, 'c>,
    generic: OperationRef<'c, '_>,
    maps: &[IndexingMap],
) -> Option<Val<'c>> {
    let [condition, zero, index] = [0, 1, 2].map(|i| operand(select, i));
    let d = loop_of(index, generic).filter(|_| tree::constant(zero) == Some(0))?;
    let test = tree::definition(condition).filter(|test| tree::name(*test) == "arith.cmpi")?;
    let predicate = IntegerAttribute::try_from(test.attribute("predicate").ok()?).ok()?.value();
    let is_one = predicate == EQUAL && tree::constant(operand(test, 1)) == Some(1);
    let size = Extent::value(operand(test, 0)).ok().filter(|_| is_one)?;
    is_size(&size, generic, maps, d).then_some(index)
}

/// The tensor whose elements a generic gives as they are.
fn copied<'c>(generic: OperationRef<'c, 'c>, maps: &[IndexingMap]) -> Option<Val<'c>> {
    let body = (generic.result_count() == 1 && generic.operand_count() == 1)
        .then(|| tree::entry(generic))
        .flatten()?;
    let [map] = maps else { return None };
    let is_alone = map.dimensions == map.results.len();
    let is_whole =
        is_alone && map.results.iter().enumerate().all(|(d, own)| own.dimension() == Some(d));
    let last = tree::operations(body).into_iter().last().filter(|_| is_whole)?;
    let extract = tree::definition(operand(last, 0));
    let extract = extract.filter(|found| tree::name(*found) == "tensor.extract")?;
    let source = operand(extract, 0);
    let extents = Extent::all(source).ok()?;
    let is_own = extents.iter().enumerate().all(|(d, size)| {
        loop_of(operand(extract, d + 1), generic) == Some(d) && is_size(size, generic, maps, d)
    });
    (is_own && source.r#type() == first_result(generic).r#type()).then_some(source)
}

/// The loop of this generic whose index a value is.
fn loop_of(value: Val<'_>, generic: OperationRef<'_, '_>) -> Option<usize> {
    let index = tree::definition(value).filter(|made| tree::name(*made) == "linalg.index")?;
    let around =
        tree::ancestors(index).find(|around| tree::name(*around).starts_with("linalg."))?;
    let d = IntegerAttribute::try_from(index.attribute("dim").ok()?).ok()?.value();
    usize::try_from(d).ok().filter(|_| around == generic)
}

/// Whether a loop has a size, as an operand says it.
fn is_size(
    size: &Extent<'_>,
    generic: OperationRef<'_, '_>,
    maps: &[IndexingMap],
    d: usize,
) -> bool {
    maps.iter().enumerate().any(|(i, map)| {
        let place = map.results.iter().position(|one| one.dimension() == Some(d));
        let extents = Extent::all(operand(generic, i)).unwrap_or_default();
        place.and_then(|place| extents.into_iter().nth(place)).is_some_and(|own| own == *size)
    })
}
