//! Moves elementwise operations that read a contraction's result in another shape to the contraction's own loops.
//!
//! ```text
//! %c = linalg.matmul …                                  tensor<256x768xf32>
//! %e = tensor.expand_shape %c [[0, 1], [2]]             tensor<2x128x768xf32>
//! %y = linalg.generic … ins(%e, %x) …                   tensor<2x128x768xf32>
//!   ->
//! %y' = linalg.generic … ins(%c, collapse_shape %x) …   tensor<256x768xf32>
//! %y = tensor.expand_shape %y' [[0, 1], [2]]
//! ```
//!
//! The reshape moves after the operation, so that the epilogue sees the operation at the contraction's coordinates. Loops that a
//! reshape makes of one dimension become one loop again; each operand has all of them, side by side and in order, or none. Loops
//! of one iteration may be absent.

use super::{contraction, fusion, reshape, rows};
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{Attribute, OperationRef, Type, ValueLike, operation::OperationLike};
use mlir_sys::{mlirAttributeIsADenseElements, mlirDenseElementsAttrReshapeGet};
use std::collections::HashSet;

/// The most operations that are examined between a contraction and a reshape.
const MAX_DISTANCE: usize = 64;

/// Operations that an operand depends on that are examined, at most.
const LOOKED_AT: usize = 4096;

/// The elements that epilogues read, and conditions between their steps.
const VALUES: [&str; 4] = ["f32", "f16", "bf16", "i1"];

/// Operations, one after the other, that make an operand and are computed over fewer loops too, at most.
const DEPTH: usize = 8;

/// Moves reshapes of contractions' results after the elementwise operations that read them.
///
/// # Errors
///
/// MLIR's error for an operation that it refuses.
pub(super) fn run(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    tree::inside(root, "tensor.expand_shape").into_iter().for_each(take_sizes);
    for generic in tree::inside(root, "linalg.generic") {
        let mut at = Some(generic);
        // One operand after the other.
        for _ in 0..generic.operand_count() {
            let Some((plan, operation)) = at.and_then(|at| Some((Plan::of(at)?, at))) else {
                break;
            };
            at = Some(plan.emit(operation)?);
        }
    }
    Ok(())
}

/// Loops or dimensions that become one, group by group.
type Groups = Vec<Vec<usize>>;

/// A reshape that moves after an operation.
struct Plan {
    generic: Generic,
    /// Loops that become one, in order; the groups in the order of their first loops.
    groups: Groups,
    /// For each loop whose extent is known at run time, the dimension of the reshape's result that has it.
    sizes: Vec<Option<usize>>,
    /// The operand that is the reshape.
    read: usize,
}

/// An operation of which each element of the result is computed of elements of the operands.
struct Generic {
    maps: Vec<IndexingMap>,
    /// The result's, none where they are known at run time.
    extents: Vec<Option<i64>>,
    /// The position in the result of each loop.
    places: Vec<usize>,
}

impl Generic {
    fn of(operation: OperationRef<'_, '_>) -> Option<Self> {
        if tree::name(operation) != "linalg.generic" || operation.result_count() != 1 {
            return None;
        }
        let maps = indexing_maps(operation)?;
        let result = maps.last().filter(|_| maps.len() == operation.operand_count())?;
        let mut places = vec![None; result.dimensions];
        for (place, one) in result.results.iter().enumerate() {
            if places[one.dimension()?].replace(place).is_some() {
                return None;
            }
        }
        let places = places.into_iter().collect::<Option<_>>()?;
        let body = tree::entry(operation)?;
        let is_indexed = tree::operations(body)
            .into_iter()
            .any(|step| tree::name(step) == "linalg.index" || step.region_count() > 0);
        let (_, extents) = reshape::ranked(first_result(operation).r#type())?;
        (!is_indexed).then_some(Self { maps, extents, places })
    }

    fn extent(&self, one: usize) -> Option<i64> {
        self.extents[self.places[one]]
    }

    /// The groups of an operand's dimensions that become one where these loops do: nothing where the operand has only a part of a
    /// group, or in another order.
    fn positions(&self, operand: usize, groups: &[Vec<usize>]) -> Option<Groups> {
        let results = &self.maps[operand].results;
        let mut all: Vec<Vec<usize>> = Vec::with_capacity(results.len());
        let mut at = 0;
        while at < results.len() {
            let group =
                results[at].dimension().and_then(|d| groups.iter().find(|g| g.contains(&d)));
            let Some(group) = group else {
                let is_free = results[at]
                    .terms
                    .iter()
                    .all(|&(d, _)| groups.iter().flatten().all(|&g| g != d));
                is_free.then_some(())?;
                all.push(vec![at]);
                at += 1;
                continue;
            };
            let mut own = Vec::with_capacity(group.len());
            for &dimension in group {
                match results.get(at).and_then(Linear::dimension) == Some(dimension) {
                    true => {
                        own.push(at);
                        at += 1;
                    }
                    false => (self.extent(dimension) == Some(1)).then_some(())?,
                }
            }
            (!own.is_empty()).then_some(())?;
            all.push(own);
        }
        // Each loop has one place at most.
        let used: Vec<usize> = results.iter().filter_map(Linear::dimension).collect();
        let is_once = groups.iter().flatten().all(|g| used.iter().filter(|d| *d == g).count() <= 1);
        // A group of which nothing is there is a broadcast along it, or had loops of one iteration.
        is_once.then_some(all)
    }
}

impl Plan {
    fn of(operation: OperationRef<'_, '_>) -> Option<Self> {
        let generic = Generic::of(operation)?;
        (0..generic.maps.len() - 1)
            .find_map(|read| {
                let expand = tree::definition(operand(operation, read))?;
                let is_one = tree::name(expand) == "tensor.expand_shape"
                    && may_join(operation, operand(expand, 0));
                let (groups, sizes) = is_one.then(|| loops(&generic, read, expand))??;
                let fits = (0..generic.maps.len())
                    .all(|i| i == read || generic.positions(i, &groups).is_some());
                (fits && groups.iter().any(|group| group.len() > 1))
                    .then_some((groups, sizes, read))
            })
            .map(|(groups, sizes, read)| Self { generic, groups, sizes, read })
    }

    /// Puts the operation over fewer loops in place of the one that it was, and a reshape after it.
    fn emit<'c>(
        &self,
        operation: OperationRef<'c, 'c>,
    ) -> Result<OperationRef<'c, 'c>, melior::Error> {
        let b = Builder::before(operation);
        let expand =
            tree::definition(operand(operation, self.read)).ok_or(melior::Error::OperationBuild)?;
        let made = emit(&b, operation, &self.generic, &self.groups, DEPTH)?;
        let result = first_result(operation);
        let positions = self
            .generic
            .positions(self.generic.maps.len() - 1, &self.groups)
            .ok_or(melior::Error::OperationBuild)?;
        let (mut operands, mut sizes) = (vec![first_result(made)], Vec::new());
        let known = reshape::output_sizes(expand);
        for (place, extent) in self.generic.extents.iter().enumerate() {
            let own = self.generic.places.iter().position(|p| *p == place);
            if extent.is_none() {
                let size = own
                    .and_then(|one| self.sizes[one])
                    .and_then(|d| known.get(d).copied().flatten());
                operands.push(size.ok_or(melior::Error::OperationBuild)?);
            }
            sizes.push(extent.unwrap_or(reshape::DYNAMIC));
        }
        let value = reshape::expand(&b, &operands, &positions, &sizes, result.r#type())?;
        tree::replace_uses(result, value);
        tree::definition(value).into_iter().for_each(take_sizes);
        erase_unread(operation);
        Ok(made)
    }
}

/// Lets those that require a size of a reshape's result have it from where the reshape does: else they read the tensor.
fn take_sizes(expand: OperationRef<'_, '_>) {
    let sizes = reshape::output_sizes(expand);
    for dim in
        tree::users(expand).filter(|user| tree::name(*user) == "tensor.dim").collect::<Vec<_>>()
    {
        let place = tree::constant(operand(dim, 1)).and_then(|place| usize::try_from(place).ok());
        if let Some(size) = place.and_then(|place| sizes.get(place).copied().flatten()) {
            tree::replace_uses(first_result(dim), size);
            tree::erase(dim);
        }
    }
}

/// The loops that a reshape's groups are, and which of its dimensions has each, or `None` if the reshape does not lead to the
/// operation's loops.
fn loops(
    generic: &Generic,
    read: usize,
    expand: OperationRef<'_, '_>,
) -> Option<(Groups, Vec<Option<usize>>)> {
    let results = &generic.maps[read].results;
    let mut sizes = vec![None; generic.places.len()];
    let mut groups = Vec::new();
    for group in reshape::groups_of(expand).ok()? {
        let mut own = Vec::with_capacity(group.len());
        for place in group {
            let one = results.get(place)?;
            match one.dimension() {
                Some(d) if sizes[d].is_none() => {
                    sizes[d] = Some(place);
                    own.push(d);
                }
                None if one.terms.is_empty() && one.constant == 0 => {}
                _ => return None,
            }
        }
        groups.push(own);
    }
    // The sizes of the result are those of the reshape, as far as they are not known.
    let known = (0..sizes.len()).all(|d| sizes[d].is_some() || generic.extent(d).is_some());
    groups.retain(|group| !group.is_empty());
    known.then_some((groups, sizes))
}

/// Whether an operation may join the epilogue of the contraction after a tensor that it reads: its body is one that epilogues
/// compute, and nothing else that it reads depends on the contraction in another way, as the mean of a norm does.
fn may_join(operation: OperationRef<'_, '_>, tensor: Val<'_>) -> bool {
    let contractions = contractions_of(tensor);
    let mut inputs = (0..operation.operand_count() - 1).map(|i| operand(operation, i));
    let are_values = inputs.clone().all(|input| {
        reshape::ranked(input.r#type())
            .is_some_and(|(element, _)| VALUES.contains(&element.to_string().as_str()))
    });
    let is_computed = tree::entry(operation).is_some_and(|body| fusion::is_computed(body, "f32"));
    if contractions.is_empty() || !are_values || !is_computed {
        return false;
    }
    let mut open: Vec<_> =
        inputs.by_ref().filter_map(tree::definition).map(|made| (made, false)).collect();
    let mut seen = HashSet::new();
    while let Some((made, is_other)) = open.pop() {
        let identity = rows::identity(made);
        if contractions.contains(&identity) {
            if is_other {
                return false;
            }
            continue;
        }
        if !seen.insert((identity, is_other)) {
            continue;
        }
        if seen.len() > LOOKED_AT {
            return false;
        }
        let is_plain = Generic::of(made).is_some() || tree::name(made).starts_with("tensor.");
        let makers = (0..made.operand_count()).filter_map(|i| tree::definition(operand(made, i)));
        open.extend(makers.map(|maker| (maker, is_other || !is_plain)));
    }
    true
}

/// The contractions that compute a tensor, with elementwise operations between.
fn contractions_of(tensor: Val<'_>) -> HashSet<usize> {
    let mut open: Vec<_> = tree::definition(tensor).into_iter().collect();
    let (mut seen, mut found) = (HashSet::new(), HashSet::new());
    while let Some(made) = open.pop() {
        let identity = rows::identity(made);
        if contraction::may_be_one(made) {
            found.insert(identity);
        } else if seen.len() < MAX_DISTANCE && seen.insert(identity) && Generic::of(made).is_some()
        {
            let inputs = (0..made.operand_count() - 1).map(|i| operand(made, i));
            open.extend(inputs.filter_map(tree::definition));
        }
    }
    found
}

/// Takes an operation away of whose results nothing reads any, then what made its operands only.
fn erase_unread(operation: OperationRef<'_, '_>) {
    let mut open = vec![operation];
    while let Some(at) = open.pop() {
        let name = tree::name(at);
        let is_pure = name.starts_with("linalg.") || name.starts_with("tensor.");
        if !is_pure || tree::user(at).is_some() || at.result_count() == 0 {
            continue;
        }
        let mut makers: Vec<OperationRef<'_, '_>> = Vec::new();
        for made in (0..at.operand_count()).filter_map(|i| tree::definition(operand(at, i))) {
            if !makers.contains(&made) {
                makers.push(made);
            }
        }
        tree::erase(at);
        open.retain(|other| *other != at);
        makers.retain(|made| !open.contains(made));
        open.extend(makers);
    }
}

/// An operation over loops that are groups of another's.
fn emit<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    generic: &Generic,
    groups: &[Vec<usize>],
    depth: usize,
) -> Result<OperationRef<'c, 'c>, melior::Error> {
    let count = generic.places.len();
    // The number of each loop among the new ones: that of its group's first.
    let mut firsts: Vec<usize> = (0..count)
        .filter(|d| groups.iter().all(|g| g.first() == Some(d) || !g.contains(d)))
        .collect();
    firsts.sort_unstable();
    let number = |d: usize| {
        let first = groups.iter().find(|g| g.contains(&d)).and_then(|g| g.first()).unwrap_or(&d);
        firsts.iter().position(|f| f == first)
    };
    let mut operands = Vec::with_capacity(generic.maps.len());
    let mut maps = Vec::with_capacity(generic.maps.len());
    for (i, map) in generic.maps.iter().enumerate() {
        let value = operand(operation, i);
        let unfolded = source(generic, i, value, groups);
        let (value, positions) = match unfolded {
            Some((source, positions)) => (source, positions),
            None => {
                let positions =
                    generic.positions(i, groups).ok_or(melior::Error::OperationBuild)?;
                (collapsed(b, value, &positions, depth)?, positions)
            }
        };
        let one = |positions: &Vec<usize>| {
            // A group's loop, or what is no loop, as a broadcast's 0.
            let is_loop = |p: &&usize| map.results[**p].dimension().is_some();
            let place = positions.iter().find(is_loop).or(positions.first())?;
            let Linear { terms, constant } = &map.results[*place];
            let terms = terms.iter().map(|&(d, factor)| Some((number(d)?, factor)));
            Some(Linear { terms: terms.collect::<Option<_>>()?, constant: *constant })
        };
        let results: Option<Vec<Linear>> = positions.iter().map(one).collect();
        let results = results.ok_or(melior::Error::OperationBuild)?;
        maps.push(IndexingMap { dimensions: firsts.len(), results }.to_string());
        operands.push(value);
    }
    let made = tree::clone_with(b, operation, &operands);
    let parallel = vec!["#linalg.iterator_type<parallel>"; firsts.len()].join(", ");
    tree::set_attribute(
        made,
        "indexing_maps",
        reshape::parsed(b, &format!("[{}]", maps.join(", ")))?,
    );
    tree::set_attribute(made, "iterator_types", reshape::parsed(b, &format!("[{parallel}]"))?);
    let init = operands.last().ok_or(melior::Error::OperationBuild)?;
    tree::set_type(first_result(made), init.r#type());
    Ok(made)
}

/// The source of a reshape, where its groups are those of the loops; and for each of its dimensions, those that it became.
fn source<'c>(
    generic: &Generic,
    i: usize,
    value: Val<'c>,
    groups: &[Vec<usize>],
) -> Option<(Val<'c>, Groups)> {
    let expand =
        tree::definition(value).filter(|made| tree::name(*made) == "tensor.expand_shape")?;
    let own = reshape::groups_of(expand).ok()?;
    let results = &generic.maps[i].results;
    let fits = own.iter().all(|group| {
        let plain: Vec<usize> = group.iter().filter_map(|&p| results[p].dimension()).collect();
        let are_known = group.iter().all(|&p| {
            results[p].dimension().is_some()
                || (results[p].terms.is_empty() && results[p].constant == 0)
        });
        let whole = |found: &Vec<usize>| {
            // Loops of one iteration may be absent.
            let has = |d: &usize| plain.contains(d) || generic.extent(*d) == Some(1);
            found.iter().all(has)
                && plain.iter().all(|d| found.contains(d))
                && plain.is_sorted_by_key(|d| found.iter().position(|f| f == d))
        };
        are_known
            && match plain.as_slice() {
                [] => true,
                [one] if groups.iter().all(|g| !g.contains(one)) => true,
                [first, ..] => groups.iter().find(|g| g.contains(first)).is_some_and(whole),
            }
    });
    fits.then(|| (operand(expand, 0), own))
}

/// A tensor whose dimensions are groups of another's.
fn collapsed<'c>(
    b: &Builder<'c>,
    tensor: Val<'c>,
    positions: &[Vec<usize>],
    depth: usize,
) -> Result<Val<'c>, melior::Error> {
    if positions.iter().all(|group| group.len() == 1) {
        return Ok(tensor);
    }
    let (element, extents) =
        reshape::ranked(tensor.r#type()).ok_or(melior::Error::OperationBuild)?;
    let sizes: Vec<Option<i64>> =
        positions.iter().map(|group| reshape::product(group.iter().map(|&p| extents[p]))).collect();
    let shape = reshape::tensor(b, &sizes, element)?;
    let Some(made) = tree::definition(tensor) else {
        return reshape::collapse(b, tensor, positions, shape);
    };
    match tree::name(made).as_str() {
        "tensor.expand_shape" if reshape::groups_of(made).ok().as_deref() == Some(positions) => {
            Ok(operand(made, 0))
        }
        "tensor.empty" => {
            let mut own = (0..made.operand_count()).map(|i| operand(made, i));
            let mut operands = Vec::new();
            for (group, size) in positions.iter().zip(&sizes) {
                let mut factors = Vec::new();
                for &p in group {
                    factors.push(match extents[p] {
                        None => own.next().ok_or(melior::Error::OperationBuild)?,
                        Some(_) if size.is_some() => continue,
                        Some(known) => b.constant(Type::index(b.context()), known)?,
                    });
                }
                let mut factors = factors.into_iter();
                let Some(first) = factors.next() else { continue };
                operands
                    .push(factors.try_fold(first, |all, one| b.binary("arith.muli", all, one))?);
            }
            b.value("tensor.empty", &operands, shape, &[])
        }
        "linalg.fill" if made.operand_count() == 2 => {
            let init = collapsed(b, operand(made, 1), positions, depth)?;
            let fill = tree::clone_with(b, made, &[operand(made, 0), init]);
            tree::set_type(first_result(fill), shape);
            Ok(first_result(fill))
        }
        "arith.constant" => {
            let value: Attribute<'c> = made.attribute("value")?;
            let raw = melior::ir::AttributeLike::to_raw(&value);
            // SAFETY: the attribute's kind is checked first; both shapes have as many elements, which is known of a constant's.
            let reshaped = unsafe {
                mlirAttributeIsADenseElements(raw).then(|| {
                    Attribute::from_raw(mlirDenseElementsAttrReshapeGet(
                        raw,
                        melior::ir::TypeLike::to_raw(&shape),
                    ))
                })
            };
            match reshaped {
                Some(value) => b.value("arith.constant", &[], shape, &[("value", value)]),
                // A resource of the file.
                None => reshape::collapse(b, tensor, positions, shape),
            }
        }
        // A broadcast or a conversion, so that the epilogue reads what is broadcast or converted.
        "linalg.generic" if depth > 0 && is_own(made) => {
            let Some((generic, groups)) = producer(made, positions) else {
                return reshape::collapse(b, tensor, positions, shape);
            };
            Ok(first_result(emit(b, made, &generic, &groups, depth - 1)?))
        }
        _ => reshape::collapse(b, tensor, positions, shape),
    }
}

/// Whether an operation has one reader, or does so little that each of its readers may do it.
fn is_own(made: OperationRef<'_, '_>) -> bool {
    tree::users(made).count() == 1 || tree::entry(made).is_some_and(fusion::is_short)
}

/// The loops of the operation that makes a tensor that become one where dimensions of the tensor do.
fn producer(made: OperationRef<'_, '_>, positions: &[Vec<usize>]) -> Option<(Generic, Groups)> {
    let generic = Generic::of(made)?;
    let result = &generic.maps.last()?.results;
    let groups: Vec<Vec<usize>> = positions
        .iter()
        .map(|group| group.iter().filter_map(|&p| result[p].dimension()).collect())
        .collect();
    (0..generic.maps.len())
        .all(|i| generic.positions(i, &groups).is_some())
        .then_some((generic, groups))
}
