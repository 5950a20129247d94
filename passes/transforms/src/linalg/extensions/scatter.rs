//! Scatters: the updates of slices that indices name.
//!
//! An update that replaces what is there is read where it is written: for each place, the last update of it is a maximum over
//! updates, and an elementwise operation reads its slice. An update that combines with what is there is a reduction over updates, of those
//! of the place. Updates of places outside of the tensor change nothing.
//!
//! ```text
//! last[p] = max { u : indices[u] = p }          y[p, s] = last[p] < 0 ? x[p, s] : updates[last[p], s]
//! y[p, s] = x[p, s] ∘ updates[u, s] for each u with indices[u] = p
//! ```

use super::{
    Extension, element, extents, left,
    loops::{
        Built, EQUAL, LESS, Size, all_of, along, at, cast, compare, empty, filled, identity,
        index_constant, inlined, number, one, select, sizes, variable,
    },
};
use crate::linalg::numbers::neutral;
use crate::linalg::reshape;
use layout_dialect::{
    affine::Linear,
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, BlockRef, OperationRef, Type, TypeLike, ValueLike,
    attribute::DenseI64ArrayAttribute, operation::OperationLike,
};

/// A dimension of the tensor.
#[derive(Clone, Copy)]
pub(super) enum Dimension {
    /// Its coordinate is the element of this number among those of an index; updates may have a dimension of one element for it.
    Indexed(usize),
    /// Updates have this dimension for it.
    Slice(usize),
}

/// A coordinate of the tensor that has an element of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The update's coordinate in this dimension of the updates.
    Update(usize),
    Known(i64),
}

/// Updates of a tensor, and where they go.
#[derive(Clone)]
pub(super) struct Updates<'c> {
    pub(super) tensor: Val<'c>,
    /// Its dimensions that count updates; slices have others, and the rest are of one element.
    pub(super) batch: Vec<usize>,
    /// The elements of an index: a tensor each, and where an update's index is in it.
    pub(super) index: Vec<(Val<'c>, Vec<Place>)>,
    /// The dimensions of the tensor that is updated.
    pub(super) dimensions: Vec<Dimension>,
}

struct Scatter<'c> {
    updates: Updates<'c>,
    original: Val<'c>,
    of: Type<'c>,
    body: BlockRef<'c, 'c>,
    /// The sizes of the updates' dimensions.
    sizes: Vec<Size<'c>>,
    shape: Vec<Size<'c>>,
}

pub(super) fn scatter<'c>(own: &Extension<'c>, b: &Builder<'c>) -> Built<Vec<Option<Val<'c>>>> {
    let scatter = Scatter::read(own, b)?;
    let value = match (scatter.replaces(), scatter.combines()) {
        (true, _) => scatter.last(b)?,
        (false, combines) => scatter.reduced(b, combines)?,
    };
    Ok(vec![Some(value)])
}

impl<'c> Scatter<'c> {
    fn read(own: &Extension<'c>, b: &Builder<'c>) -> Built<Self> {
        let (updates, indices, original) = (own.inputs[0], own.inputs[1], own.outputs[0]);
        let of = element(original)?;
        if element(updates)? != of {
            return left(format!(
                "expected updates of {of}, found updates of {}",
                element(updates)?
            ));
        }
        let of_indices = element(indices)?;
        if !of_indices.is_integer() {
            return left(format!("expected indices that are integers, found {of_indices}"));
        }
        let attribute = own.operation.attribute("dimension_map").ok();
        let map = attribute.and_then(|map| DenseI64ArrayAttribute::try_from(map).ok());
        let map: Option<Vec<usize>> = map.and_then(|map| {
            (0..map.len()).map(|i| usize::try_from(map.element(i).ok()?).ok()).collect()
        });
        let rank = extents(original).len();
        let is_once = |map: &Vec<usize>| {
            map.iter().enumerate().all(|(i, d)| *d < rank && !map[..i].contains(d))
        };
        let Some(map) = map.filter(|map| !map.is_empty() && is_once(map)) else {
            let found = attribute.map_or("none".to_owned(), |found| found.to_string());
            return left(format!(
                "expected a dimension_map of different dimensions below the rank of {rank}, found {found}"
            ));
        };
        let depth = map.len();
        let (of_updates, of_index) = (extents(updates), extents(indices));
        // Slices are the last dimensions of updates. In torch-mlir they may have a dimension of one element for each that is indexed, and
        // one dimension counts updates. In IREE they have none, and indices are one number each where they have no dimension for more.
        let is_of_iree = !tree::name(own.operation).starts_with("tm_tensor.");
        let is_counted = is_of_iree && of_index.len() + rank == of_updates.len() + depth;
        let batch = match is_counted {
            true => of_index.len(),
            false => of_index.len().saturating_sub(1),
        };
        let has_depth = !is_counted;
        let is_deep = match has_depth {
            true => of_index.last().copied().flatten() == i64::try_from(depth).ok(),
            false => depth == 1,
        };
        let slices = of_updates.len().saturating_sub(batch);
        if !is_deep
            || batch == 0
            || batch > of_updates.len()
            || (!is_of_iree && batch > 1)
            || slices > rank
            || slices + depth < rank
        {
            return left(format!(
                "expected updates and indices for {depth} of {rank} dimensions, found {} and {}",
                updates.r#type(),
                indices.r#type()
            ));
        }
        let alike = |a: Option<i64>, b: Option<i64>| a.is_none() || b.is_none() || a == b;
        let mut dimensions = Vec::with_capacity(rank);
        for (d, extent) in extents(original).into_iter().enumerate() {
            let own = (d + slices).checked_sub(rank).map(|slice| batch + slice);
            let found = own.and_then(|own| of_updates[own]);
            dimensions.push(match (map.iter().position(|place| *place == d), own) {
                (Some(place), None) => Dimension::Indexed(place),
                (Some(place), Some(_)) if found == Some(1) => Dimension::Indexed(place),
                (None, Some(own)) if alike(extent, found) => Dimension::Slice(own),
                _ => {
                    return left(format!(
                        "expected slices with extent 1 along indexed dimensions and full extents along others, found updates {} of {}",
                        updates.r#type(),
                        original.r#type()
                    ));
                }
            });
        }
        let is_same = (0..batch).all(|d| alike(of_updates[d], of_index[d]));
        if !is_same {
            return left(format!(
                "expected equal numbers of indices and updates, found {} and {}",
                indices.r#type(),
                updates.r#type()
            ));
        }
        let body = own.body(&[of, of], of)?;
        let counted = || (0..batch).map(Place::Update);
        let element =
            |k: usize| has_depth.then(|| Place::Known(i64::try_from(k).unwrap_or(i64::MAX)));
        let index = (0..depth).map(|k| (indices, counted().chain(element(k)).collect())).collect();
        let all = Updates { tensor: updates, batch: (0..batch).collect(), index, dimensions };
        let updates = all.of_slices().unwrap_or(all);
        let (sizes, shape) = (sizes(b, updates.tensor)?, sizes(b, original)?);
        Ok(Self { updates, original, of, body, sizes, shape })
    }

    /// Whether an update replaces what is there.
    fn replaces(&self) -> bool {
        !tree::is_used(tree::argument(self.body, 1))
    }

    /// The operation that combines what is there with something of the update, where that does so in any order.
    fn combines(&self) -> Option<(String, Attribute<'c>)> {
        let steps = tree::operations(self.body);
        let end = steps.last().copied()?;
        let last = tree::definition(operand(end, 0))?;
        let name = tree::name(last);
        let neutral = neutral(&name, self.of)?;
        let held = tree::key(tree::argument(self.body, 1));
        let uses = |step: &OperationRef<'c, 'c>| {
            (0..step.operand_count()).filter(|&i| tree::key(operand(*step, i)) == held).count()
        };
        let all: usize = steps.iter().map(uses).sum();
        (all == 1 && uses(&last) == 1).then_some((name, neutral))
    }

    /// The dimensions that are indexed, in the order of the elements of an index.
    fn indexed(&self) -> Vec<usize> {
        let dimensions = &self.updates.dimensions;
        let place = |k: usize| {
            dimensions.iter().position(|own| matches!(own, Dimension::Indexed(i) if *i == k))
        };
        (0..self.updates.index.len()).filter_map(place).collect()
    }

    /// The elements of an index as operands of loops, the first of which counts updates at `first`.
    fn index(&self, first: usize) -> Vec<(Val<'c>, Vec<Linear>)> {
        let batch = &self.updates.batch;
        let coordinate = |place: &Place| match *place {
            Place::Known(known) => at(known),
            Place::Update(d) => {
                along(first + batch.iter().position(|own| *own == d).unwrap_or(batch.len()))
            }
        };
        let all = self.updates.index.iter();
        all.map(|(tensor, places)| (*tensor, places.iter().map(coordinate).collect())).collect()
    }

    /// Whether elements of an index are these coordinates.
    fn is_at(&self, b: &Builder<'c>, index: &[Val<'c>], places: &[Val<'c>]) -> Built<Val<'c>> {
        let mut same = Vec::with_capacity(index.len());
        for (own, place) in index.iter().zip(places) {
            same.push(compare(b, EQUAL, *own, cast(b, *place, own.r#type())?)?);
        }
        all_of(b, &same)
    }

    /// The coordinates of an update's element: those of the update, and the loops' ones of its slice.
    fn slice(&self, b: &Builder<'c>, update: &[Val<'c>]) -> Built<Vec<Val<'c>>> {
        let dimensions = &self.updates.dimensions;
        (0..self.sizes.len())
            .map(|own| {
                let counts = self.updates.batch.iter().position(|d| *d == own);
                let slice = |d: &Dimension| matches!(d, Dimension::Slice(slice) if *slice == own);
                match (counts, dimensions.iter().position(slice)) {
                    (Some(place), _) => Ok(update[place]),
                    (None, Some(d)) => variable(b, d),
                    (None, None) => index_constant(b, 0),
                }
            })
            .collect()
    }

    /// The value of the region for an update, where what is there is `held`.
    fn updated(&self, b: &Builder<'c>, at: &[Val<'c>], held: Val<'c>) -> Built<Val<'c>> {
        let operands = [&[self.updates.tensor], at].concat();
        let update = b.value("tensor.extract", &operands, self.of, &[])?;
        inlined(b, self.body, &[update, held])
    }

    /// Whether updates have an element at the loops' coordinates of slices; empty if all have.
    fn is_within(&self, b: &Builder<'c>) -> Built<Vec<Val<'c>>> {
        let mut all = Vec::new();
        for (d, own) in self.updates.dimensions.iter().enumerate() {
            if let Dimension::Slice(slice) = own
                && !matches!((self.sizes[*slice], self.shape[d]), (Size::Known(a), Size::Known(b)) if a == b)
            {
                let size = self.sizes[*slice].value(b)?;
                all.push(compare(b, LESS, variable(b, d)?, size)?);
            }
        }
        Ok(all)
    }

    /// For each place the last update of it, and what that becomes.
    fn last(&self, b: &Builder<'c>) -> Built<Val<'c>> {
        let (i32, indexed) = (b.integer(32), self.indexed());
        let (count, batch) = (indexed.len(), &self.updates.batch);
        let counts: Vec<Size<'c>> = batch.iter().map(|d| self.sizes[*d]).collect();
        let known = counts.iter().map(|size| size.known());
        if reshape::product(known).is_some_and(|all| all > i64::from(i32::MAX)) {
            return left(format!("expected at most {} updates", i32::MAX));
        }
        let places: Vec<Size<'c>> = indexed.iter().map(|d| self.shape[*d]).collect();
        let start = filled(b, &places, i32, number(i32, -1.0)?)?;
        let target = (start, identity(count));
        let last = one(b, count + batch.len(), &self.index(count), target, |b, values| {
            let at = (0..count).map(|d| variable(b, d)).collect::<Built<Vec<_>>>()?;
            let is_own = self.is_at(b, &values[..count], &at)?;
            let mut update = index_constant(b, 0)?;
            for (d, size) in counts.iter().enumerate() {
                update = b.binary("arith.muli", update, size.value(b)?)?;
                update = b.binary("arith.addi", update, variable(b, count + d)?)?;
            }
            let none = b.constant(i32, -1)?;
            let own = select(b, is_own, cast(b, update, i32)?, none)?;
            Ok(b.binary("arith.maxsi", values[count], own)?)
        })?;
        let rank = self.shape.len();
        let at = indexed.iter().map(|d| along(*d)).collect();
        let inputs = [(last, at), (self.original, identity(rank))];
        let target = (empty(b, &self.shape, self.of)?, identity(rank));
        one(b, rank, &inputs, target, |b, values| {
            let zero = b.constant(i32, 0)?;
            let none = compare(b, LESS, values[0], zero)?;
            let yes = b.constant(b.integer(1), 1)?;
            let mut held = vec![b.binary("arith.xori", none, yes)?];
            held.extend(self.is_within(b)?);
            let is_updated = all_of(b, &held)?;
            let mut rest = cast(b, values[0], Type::index(b.context()))?;
            let mut update = Vec::with_capacity(counts.len());
            for size in counts.iter().skip(1).rev() {
                let size = size.value(b)?;
                update.push(b.binary("arith.remui", rest, size)?);
                rest = b.binary("arith.divui", rest, size)?;
            }
            update.push(rest);
            update.reverse();
            let at = self.slice(b, &update)?;
            let updated = |b: Builder<'c>| -> Built<Vec<Val<'c>>> {
                Ok(vec![self.updated(&b, &at, values[1])?])
            };
            let kept = |_: Builder<'c>| -> Built<Vec<Val<'c>>> { Ok(vec![values[1]]) };
            Ok(first_result(b.branch(is_updated, &[self.of], updated, Some(&kept))?))
        })
    }

    /// A reduction over all updates: in their order, where the operation has one.
    fn reduced(
        &self,
        b: &Builder<'c>,
        combines: Option<(String, Attribute<'c>)>,
    ) -> Built<Val<'c>> {
        let (rank, indexed) = (self.shape.len(), self.indexed());
        let count = self.updates.batch.len();
        let target = (self.original, identity(rank));
        one(b, rank + count, &self.index(rank), target, |b, values| {
            let (index, held) = (&values[..indexed.len()], values[indexed.len()]);
            let at = indexed.iter().map(|d| variable(b, *d)).collect::<Built<Vec<_>>>()?;
            let mut own = vec![self.is_at(b, index, &at)?];
            own.extend(self.is_within(b)?);
            let is_own = all_of(b, &own)?;
            let update = (0..count).map(|d| variable(b, rank + d)).collect::<Built<Vec<_>>>()?;
            let at = self.slice(b, &update)?;
            let otherwise = match &combines {
                None => held,
                Some((_, neutral)) => {
                    b.value("arith.constant", &[], self.of, &[("value", *neutral)])?
                }
            };
            // Combined with what changes nothing, the region gives what it combines.
            let updated = |b: Builder<'c>| -> Built<Vec<Val<'c>>> {
                Ok(vec![self.updated(&b, &at, otherwise)?])
            };
            let kept = |_: Builder<'c>| -> Built<Vec<Val<'c>>> { Ok(vec![otherwise]) };
            let value = first_result(b.branch(is_own, &[self.of], updated, Some(&kept))?);
            Ok(match &combines {
                None => value,
                Some((name, _)) => b.binary(name, held, value)?,
            })
        })
    }
}
