//! Loops of `linalg` over the leaves of memrefs.
//!
//! ```text
//! d0 in 0..8 over #layout<((2,4),8):…>: operand (d0, d1)   ->   e0 in 0..2, e1 in 0..4: operand (e1, e2, e0)
//!                                       operand (d0) plain ->   operand (e0 + e1 * 2)
//! ```
//!
//! A loop is split where a layout splits the dimension that it runs over; an operand that is not split there adds the parts
//! up again.

use super::{expand::Changed, physical::Physical};
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    buffers::Buffer,
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, OperationRef, Region, Type, ValueLike,
    attribute::{ArrayAttribute, DenseI32ArrayAttribute, IntegerAttribute},
    operation::OperationLike,
};
use mlir_sys::{mlirAffineMapAttrGet, mlirAffineMapAttrGetValue, mlirAffineMapGetSubMap};
use std::collections::HashMap;

const PARALLEL: &str = "#linalg.iterator_type<parallel>";

/// A loop's parts: the extent of each, and its factor in the loop's index.
struct Split {
    /// The first of the new loops.
    first: usize,
    parts: Vec<(i64, i64)>,
}

impl Split {
    /// The parts that lie from one factor on to below another, as an index of their own.
    fn between(&self, from: i64, to: i64) -> Linear {
        let own = |&(_, &(_, factor)): &(usize, &(i64, i64))| factor >= from && factor < to;
        let parts = self.parts.iter().enumerate().filter(own);
        let terms = parts.map(|(i, &(_, factor))| (self.first + i, factor / from)).collect();
        Linear { terms, constant: 0 }
    }
}

/// The results of an affine map at operands.
pub(super) fn applied<'c>(
    b: &Builder<'c>,
    map: Attribute<'c>,
    operands: &[Val<'c>],
    rank: usize,
) -> Result<Vec<Val<'c>>, melior::Error> {
    let index = Type::index(b.context());
    (0..rank)
        .map(|i| {
            // SAFETY: the attribute is the map of an access, which has a result for each dimension of the memref.
            let one = unsafe {
                let mut at = i as isize;
                let whole = mlirAffineMapAttrGetValue(map.to_raw());
                Attribute::from_raw(mlirAffineMapAttrGet(mlirAffineMapGetSubMap(
                    whole,
                    1,
                    &raw mut at,
                )))
            };
            b.value("affine.apply", operands, index, &[("map", one)])
        })
        .collect()
}

/// A copy between two layouts: a loop over each leaf. One within a layout copies the memrefs as they are.
pub(super) fn copy<'c>(
    operation: OperationRef<'c, 'c>,
    changed: &Changed<'c>,
) -> Result<(), String> {
    let (source, target) = (operand(operation, 0), operand(operation, 1));
    if source.r#type() == target.r#type() {
        return Ok(());
    }
    let rank = |value: Val<'c>| Buffer::of(value.r#type()).ok().flatten().map(|own| own.rank());
    let rank = rank(source).ok_or("expected memrefs with a rank")?;
    let identity = IndexingMap {
        dimensions: rank,
        results: (0..rank).map(|d| Linear { terms: vec![(d, 1)], constant: 0 }).collect(),
    };
    let b = Builder::before(operation);
    let element =
        |value: Val<'c>| Buffer::of(value.r#type()).ok().flatten().map(|own| own.element_type());
    let element = element(source).ok_or("expected memrefs")?;
    let iterators = vec![parsed(&b, PARALLEL)?; rank];
    let (region, inner) = b.region_with(&[element, element]);
    let built = inner.operation("linalg.yield", &[inner.argument(0)], &[], &[], Vec::new());
    built.map_err(|error| error.to_string())?;
    let all = [source, target];
    let old =
        Structured { operands: &all, inputs: 1, maps: vec![identity.clone(), identity], iterators };
    old.build(&b, region, changed)?;
    tree::erase(operation);
    Ok(())
}

/// A structured operation on memrefs.
pub(super) fn generic<'c>(
    operation: OperationRef<'c, 'c>,
    changed: &Changed<'c>,
) -> Result<(), String> {
    let maps = indexing_maps(operation)
        .ok_or("expected indices that are sums of multiples of loops in a structured operation")?;
    if operation.result_count() > 0 {
        return Err("expected a structured operation on memrefs alone, found results".to_owned());
    }
    let operands: Vec<Val<'c>> =
        (0..operation.operand_count()).map(|i| operand(operation, i)).collect();
    let iterators = operation.attribute("iterator_types").ok().and_then(tree::elements);
    let iterators = iterators.ok_or("expected the iterators of a structured operation")?;
    let segments = operation.attribute("operandSegmentSizes").ok();
    let segments = segments.and_then(|own| DenseI32ArrayAttribute::try_from(own).ok());
    let inputs = segments.and_then(|own| usize::try_from(own.element(0).ok()?).ok());
    let inputs = inputs.ok_or("expected the operands of a structured operation")?;
    let body = tree::entry(operation).ok_or("expected the body of a structured operation")?;
    let b = Builder::before(operation);
    let types: Vec<Type<'c>> =
        (0..body.argument_count()).map(|i| tree::argument(body, i).r#type()).collect();
    let (region, inner) = b.region_with(&types);
    let mut known: HashMap<usize, Val<'c>> = (0..body.argument_count())
        .map(|i| (tree::key(tree::argument(body, i)), inner.argument(i)))
        .collect();
    tree::clone_all(&inner, &tree::all_of(body), &mut known);
    let old = Structured { operands: &operands, inputs, maps, iterators };
    let (made, splits) = old.build(&b, region, changed)?;
    for index in tree::inside(made, "linalg.index") {
        join(index, &splits).map_err(|error| error.to_string())?;
    }
    tree::erase(operation);
    Ok(())
}

/// The index of an old loop: the sum of its parts'.
fn join(index: OperationRef<'_, '_>, splits: &[Split]) -> Result<(), melior::Error> {
    let number = index.attribute("dim").and_then(IntegerAttribute::try_from)?.value();
    let split = usize::try_from(number).ok().and_then(|number| splits.get(number));
    let Some(split) = split else { return Ok(()) };
    let b = Builder::before(index);
    let (of_index, mut sum) = (Type::index(b.context()), None);
    for (i, &(_, factor)) in split.parts.iter().enumerate() {
        let dim = b.i64_attribute(i64::try_from(split.first + i).unwrap_or(i64::MAX));
        let part = b.value("linalg.index", &[], of_index, &[("dim", dim)])?;
        let part = b.binary("arith.muli", part, b.constant(of_index, factor)?)?;
        sum = Some(match sum {
            None => part,
            Some(sum) => b.binary("arith.addi", sum, part)?,
        });
    }
    if let Some(sum) = sum {
        tree::replace_uses(result(index, 0), sum);
        tree::erase(index);
    }
    Ok(())
}

/// A structured operation before its loops are split.
struct Structured<'c, 'o> {
    operands: &'o [Val<'c>],
    inputs: usize,
    maps: Vec<IndexingMap>,
    iterators: Vec<Attribute<'c>>,
}

impl<'c> Structured<'c, '_> {
    /// The operation over the parts of its loops, with a body.
    fn build(
        self,
        b: &Builder<'c>,
        body: Region<'c>,
        changed: &Changed<'c>,
    ) -> Result<(OperationRef<'c, 'c>, Vec<Split>), String> {
        let splits = self.splits(changed)?;
        let dimensions = splits.iter().map(|split| split.parts.len()).sum();
        let mut maps = Vec::with_capacity(self.maps.len());
        let mut alone = vec![false; dimensions];
        for (map, &own) in self.maps.iter().zip(self.operands) {
            let results = match changed.get(&tree::key(own)) {
                Some(physical) => of_leaves(map, physical, &splits)?,
                None => map.results.iter().map(|result| over_parts(result, &splits)).collect(),
            };
            for part in results.iter().filter_map(Linear::dimension) {
                alone[part] = true;
            }
            maps.push(parsed(b, &IndexingMap { dimensions, results }.to_string())?);
        }
        if alone.contains(&false) {
            return Err("expected layouts that split a dimension in the same places".to_owned());
        }
        let iterators: Vec<Attribute<'c>> = splits
            .iter()
            .zip(&self.iterators)
            .flat_map(|(split, &own)| std::iter::repeat_n(own, split.parts.len()))
            .collect();
        let segments = [self.inputs, self.operands.len() - self.inputs]
            .map(|count| i32::try_from(count).unwrap_or(i32::MAX));
        let context = b.context();
        let attributes = [
            ("indexing_maps", ArrayAttribute::new(context, &maps).into()),
            ("iterator_types", ArrayAttribute::new(context, &iterators).into()),
            ("operandSegmentSizes", DenseI32ArrayAttribute::new(context, &segments).into()),
        ];
        let made = b.operation("linalg.generic", self.operands, &[], &attributes, vec![body]);
        Ok((made.map_err(|error| error.to_string())?, splits))
    }

    /// How each loop is split: where any layout splits the dimension that it runs over.
    fn splits(&self, changed: &Changed<'c>) -> Result<Vec<Split>, String> {
        let count = self.maps.first().map_or(0, |map| map.dimensions);
        // The factors at which parts begin, in ascending sequence, and the size after the last.
        let mut cuts: Vec<Vec<i64>> = vec![Vec::new(); count];
        for (map, &own) in self.maps.iter().zip(self.operands) {
            let Some(physical) = changed.get(&tree::key(own)) else { continue };
            for (leaves, result) in physical.modes.iter().zip(&map.results) {
                if leaves.len() < 2 {
                    continue;
                }
                let d = result
                    .dimension()
                    .ok_or("expected a loop's index alone where a layout splits the dimension")?;
                let mut factor = 1_i64;
                for leaf in leaves {
                    let extent = leaf.extent.ok_or(
                        "expected static extents where a structured operation's dimension is split",
                    )?;
                    cuts[d].push(factor);
                    factor = factor.checked_mul(extent).ok_or("expected sizes below 2^63")?;
                }
                cuts[d].push(factor);
            }
        }
        let mut first = 0;
        let mut splits = Vec::with_capacity(count);
        for cuts in &mut cuts {
            cuts.sort_unstable();
            cuts.dedup();
            let parts: Vec<(i64, i64)> =
                cuts.windows(2).map(|pair| (pair[1] / pair[0], pair[0])).collect();
            if cuts.windows(2).any(|pair| pair[1] % pair[0] != 0) {
                return Err("expected layouts that split a dimension in the same places".to_owned());
            }
            let parts = if parts.is_empty() { vec![(0, 1)] } else { parts };
            let count = parts.len();
            splits.push(Split { first, parts });
            first += count;
        }
        Ok(splits)
    }
}

/// The indices of a memref's dimensions, over parts of loops.
fn of_leaves(
    map: &IndexingMap,
    physical: &Physical<'_>,
    splits: &[Split],
) -> Result<Vec<Linear>, String> {
    let mut found = Vec::with_capacity(physical.rank());
    for (mode, place, leaf) in physical.dimensions() {
        let result = map.results.get(mode).ok_or("expected an index for each dimension")?;
        let leaves = &physical.modes[mode];
        if leaves.len() < 2 {
            found.push(over_parts(result, splits));
            continue;
        }
        let split = result.dimension().and_then(|d| splits.get(d));
        let split = split.ok_or("expected a loop for each dimension that is split")?;
        let mut known = leaves[..place].iter().filter_map(|leaf| leaf.extent);
        let from = known.try_fold(1_i64, |all, extent| all.checked_mul(extent));
        let to = from.and_then(|from| from.checked_mul(leaf.extent.unwrap_or(1)));
        let (from, to) = from.zip(to).ok_or("expected sizes below 2^63")?;
        found.push(split.between(from, to));
    }
    Ok(found)
}

/// An index over parts of loops.
fn over_parts(index: &Linear, splits: &[Split]) -> Linear {
    let mut terms = Vec::new();
    for &(d, factor) in &index.terms {
        let Some(split) = splits.get(d) else { continue };
        let parts = split.parts.iter().enumerate();
        terms.extend(parts.map(|(i, &(_, own))| (split.first + i, own * factor)));
    }
    Linear { terms, constant: index.constant }
}

fn parsed<'c>(b: &Builder<'c>, text: &str) -> Result<Attribute<'c>, String> {
    Attribute::parse(b.context(), text).ok_or_else(|| format!("cannot parse {text}"))
}
