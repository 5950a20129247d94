//! Sorts and the first elements of an order: each element's rank, the element of each rank, and a gather.
//!
//! ```text
//! rank[i]  = how many j there are with x[j] before x[i], where equal elements are in the order of their indices
//! order[r] = the i with rank[i] = r
//! y[r]     = x[order[r]]
//! ```
//!
//! Counting compares each element with each other one, in parallel: n² comparisons for n elements. Where few first elements of many are
//! read, it compares those of each block of 1,024 with each other, and then the first ones of all blocks.

use super::{
    Extension, element, extents, left,
    loops::{
        Built, EQUAL, LESS, LESS_OR_EQUAL, Size, along, cast, compare, empty, filled, generic,
        identity, index_constant, number, one, select, sizes, tensor_of, variable,
    },
    order::{Order, is_last, origin},
    same_shape,
};
use crate::linalg::{
    reshape::{self, DYNAMIC},
    rows::extent::Extent,
};
use layout_dialect::{
    affine::Linear,
    build::{Builder, Val, first_result, operand, result},
    tree,
};
use melior::ir::{
    OperationRef, Type, TypeLike, ValueLike,
    attribute::DenseI64ArrayAttribute,
    operation::{OperationLike, OperationResult},
};

/// Elements of a block.
const BLOCK: i64 = 1024;

/// The most elements at the front of a block that are compared with those of others.
const MAX_COMPARED: i64 = 128;

/// The number of elements from which on a sort has blocks.
const MIN_ELEMENTS: i64 = 8192;

/// Sorts tensors together.
pub(super) fn sort<'c>(own: &Extension<'c>, b: &Builder<'c>) -> Built<Vec<Option<Val<'c>>>> {
    let tensors = &own.outputs;
    let first = tensors[0];
    let d = own.dimension(first)?;
    if let Some(other) = tensors.iter().find(|other| !same_shape(first, **other)) {
        return left(format!(
            "expected tensors of one shape, found {} and {}",
            first.r#type(),
            other.r#type()
        ));
    }
    let order = Order::read(own, tensors, b.integer(1))?;
    fits(first, d)?;
    let mut shape = sizes(b, first)?;
    let slices = first_slices(own, d);
    let whole = shape.clone();
    if let Some((count, _)) = &slices {
        shape[d] = Size::Known(*count);
    }
    let places = Row { order: &order, tensors, d, shape: &whole }.places(b, &shape)?;
    let sources: Vec<_> = tensors.iter().map(|&tensor| Source::Tensor(tensor, None)).collect();
    let made = gathered(b, &sources, places, d, &shape)?;
    let Some((_, slices)) = slices else { return Ok(made) };
    for (slice, number) in slices {
        if let Some(value) = made[number] {
            let of = result(slice, 0).r#type();
            let value = match value.r#type() == of {
                true => value,
                false => b.value("tensor.cast", &[value], of, &[])?,
            };
            tree::replace_uses(result(slice, 0), value);
            tree::erase(slice);
        }
    }
    // Only sizes of the whole results are left, which are those of what is sorted.
    Ok(tensors.iter().copied().map(Some).collect())
}

/// The slices of a sort's results, where its users read the same number of first elements and nothing else: how many, and each slice with
/// the number of its result. PyTorch's `topk` is a sort and such slices.
fn first_slices<'c>(
    own: &Extension<'c>,
    d: usize,
) -> Option<(i64, Vec<(OperationRef<'c, 'c>, usize)>)> {
    let mut found: Option<i64> = None;
    let mut slices = Vec::new();
    for user in tree::users(own.operation) {
        if tree::name(user) == "tensor.dim" {
            continue;
        }
        if tree::name(user) != "tensor.extract_slice" {
            return None;
        }
        let source = operand(user, 0);
        let number = OperationResult::try_from(source).ok()?.result_number();
        let list = |name: &str| -> Option<Vec<i64>> {
            let all = DenseI64ArrayAttribute::try_from(user.attribute(name).ok()?).ok()?;
            (0..all.len()).map(|i| all.element(i).ok()).collect()
        };
        let (offsets, taken, steps) =
            (list("static_offsets")?, list("static_sizes")?, list("static_strides")?);
        let whole = extents(source);
        let sizes = Extent::all(own.outputs[0]).ok()?;
        // Operands after the source are sizes, since offsets are known.
        let hidden = |i: usize| taken[..i].iter().filter(|size| **size == DYNAMIC).count();
        let is_whole = |i: usize| {
            i == d
                || match taken[i] {
                    DYNAMIC => {
                        let size = (hidden(i) + 1 < user.operand_count())
                            .then(|| Extent::value(operand(user, hidden(i) + 1)).ok());
                        size.flatten().as_ref() == sizes.get(i)
                    }
                    known => sizes.get(i) == Some(&Extent::Known(known)),
                }
        };
        let is_first = offsets.iter().all(|own| *own == 0)
            && steps.iter().all(|own| *own == 1)
            && (0..whole.len()).all(is_whole);
        let keeps_rank = extents(result(user, 0)).len() == whole.len();
        let count = taken.get(d).copied().filter(|count| *count >= 0)?;
        if !is_first || !keeps_rank || found.is_some_and(|found| found != count) {
            return None;
        }
        found = Some(count);
        slices.push((user, number));
    }
    Some((found?, slices))
}

/// The first elements in an order, and their indices.
pub(super) fn topk<'c>(own: &Extension<'c>, b: &Builder<'c>) -> Built<Vec<Option<Val<'c>>>> {
    let (values, indices) = (own.inputs[0], own.inputs.get(1).copied());
    let (first_values, first_indices) = (own.outputs[0], own.outputs[1]);
    let d = own.dimension(values)?;
    let alike = |tensor: Val<'c>| {
        let (a, b) = (extents(values), extents(tensor));
        let same = |(i, (a, b)): (usize, (&Option<i64>, &Option<i64>))| {
            i == d || a.is_none() || b.is_none() || a == b
        };
        a.len() == b.len() && a.iter().zip(&b).enumerate().all(same)
    };
    let is_same = same_shape(first_values, first_indices)
        && indices.is_none_or(|indices| same_shape(values, indices));
    if !alike(first_values) || !is_same {
        return left(format!(
            "expected results of the shape of {} but for dimension {d}, found {} and {}",
            values.r#type(),
            first_values.r#type(),
            first_indices.r#type()
        ));
    }
    let of_indices = element(first_indices)?;
    if !of_indices.is_integer() || element(first_values)? != element(values)? {
        return left(format!(
            "expected values of {} and indices that are integers, found {} and {of_indices}",
            element(values)?,
            element(first_values)?
        ));
    }
    let order = Order::read(own, &[values], b.integer(1))?;
    let Some(is_descending) = order.is_descending() else {
        return left("expected a region that is one comparison, found other operations");
    };
    // Initial elements that come last in the order change no result.
    if !is_last(first_values, is_descending) {
        return left(format!(
            "expected initial values that come last in the order, found {}",
            origin(first_values)
        ));
    }
    fits(values, d)?;
    let shape = sizes(b, values)?;
    let mut taken = shape.clone();
    taken[d] = sizes(b, first_values)?[d];
    let places = Row { order: &order, tensors: &[values], d, shape: &shape }.places(b, &taken)?;
    let indices = match indices {
        Some(indices) => Source::Tensor(indices, Some(first_indices)),
        None => Source::Place(first_indices),
    };
    gathered(b, &[Source::Tensor(values, Some(first_values)), indices], places, d, &taken)
}

/// The element that a place gets.
#[derive(Clone, Copy)]
enum Source<'c> {
    /// A tensor's element, or another tensor's where no element has the rank.
    Tensor(Val<'c>, Option<Val<'c>>),
    /// The place itself, or an element where no element has the rank.
    Place(Val<'c>),
}

impl<'c> Source<'c> {
    /// The tensor of the result's type, and the one that is read where no element has the rank.
    fn tensors(self) -> (Val<'c>, Option<Val<'c>>) {
        match self {
            Self::Tensor(tensor, otherwise) => (tensor, otherwise),
            Self::Place(otherwise) => (otherwise, Some(otherwise)),
        }
    }
}

/// Ranks are numbers of 32 bits.
fn fits(tensor: Val<'_>, d: usize) -> Built<()> {
    match extents(tensor).get(d).copied().flatten() {
        Some(size) if size > i64::from(i32::MAX) => left(format!(
            "expected at most {} elements along dimension {d}, found {size}",
            i32::MAX
        )),
        _ => Ok(()),
    }
}

/// Tensors that are put in an order along a dimension.
struct Row<'s, 'c> {
    order: &'s Order<'c>,
    tensors: &'s [Val<'c>],
    d: usize,
    shape: &'s [Size<'c>],
}

impl<'c> Row<'_, 'c> {
    /// For each place of the order, the element of that rank; -1 where there is none.
    fn places(&self, b: &Builder<'c>, taken: &[Size<'c>]) -> Built<Val<'c>> {
        let few = taken[self.d].known().filter(|count| *count <= MAX_COMPARED);
        match few.filter(|_| self.shape[self.d].known().is_none_or(|size| size > MIN_ELEMENTS)) {
            Some(count) => self.of_blocks(b, count, taken),
            None => {
                let ranks = self.ranks(b)?;
                self.of_rank(b, (ranks, None), taken)
            }
        }
    }

    /// For each element, how many come before it.
    fn ranks(&self, b: &Builder<'c>) -> Built<Val<'c>> {
        let (count, i32) = (self.shape.len(), b.integer(32));
        let compared = self.order.tensors();
        let mut others = identity(count);
        others[self.d] = along(count);
        // An element of each tensor, then another one of each.
        let read = |at: &[Linear]| -> Vec<_> {
            compared.iter().map(|&i| (self.tensors[i], at.to_vec())).collect()
        };
        let inputs = [read(&identity(count)), read(&others)].concat();
        let start = filled(b, self.shape, i32, number(i32, 0.0)?)?;
        one(b, count + 1, &inputs, (start, identity(count)), |b, values| {
            let (own, other) = values.split_at(compared.len());
            let is_earlier = compare(b, LESS, variable(b, count)?, variable(b, self.d)?)?;
            let counts = self.comes_before(b, &compared, (other, own), is_earlier)?;
            let counts = b.value("arith.extui", &[counts], i32, &[])?;
            Ok(b.binary("arith.addi", values[2 * compared.len()], counts)?)
        })
    }

    /// Whether another element comes before one, or is equal and earlier: the elements of the tensors that are compared.
    fn comes_before(
        &self,
        b: &Builder<'c>,
        compared: &[usize],
        (other, own): (&[Val<'c>], &[Val<'c>]),
        is_earlier: Val<'c>,
    ) -> Built<Val<'c>> {
        // The region has arguments for all tensors, though it uses no others.
        let all = |values: &[Val<'c>]| -> Vec<Val<'c>> {
            let place = |i: usize| compared.iter().position(|&own| own == i).unwrap_or(0);
            (0..self.tensors.len()).map(|i| values[place(i)]).collect()
        };
        let [other_first, own_first] = self.order.before(b, &all(other), &all(own))?;
        let yes = b.constant(b.integer(1), 1)?;
        let not = b.binary("arith.xori", own_first, yes)?;
        select(b, is_earlier, not, other_first)
    }

    /// For each place of the order, the element of that rank; of `elements` where they are not all.
    fn of_rank(
        &self,
        b: &Builder<'c>,
        (ranks, elements): (Val<'c>, Option<Val<'c>>),
        taken: &[Size<'c>],
    ) -> Built<Val<'c>> {
        let (count, i32, d) = (taken.len(), b.integer(32), self.d);
        let mut at = identity(count);
        at[d] = along(count);
        let inputs: Vec<_> =
            [Some(ranks), elements].into_iter().flatten().map(|own| (own, at.clone())).collect();
        let start = filled(b, taken, i32, number(i32, -1.0)?)?;
        one(b, count + 1, &inputs, (start, identity(count)), |b, values| {
            let place = cast(b, variable(b, d)?, i32)?;
            let own = match elements {
                Some(_) => values[1],
                None => cast(b, variable(b, count)?, i32)?,
            };
            let is_own = compare(b, EQUAL, values[0], place)?;
            let none = b.constant(i32, -1)?;
            let found = select(b, is_own, own, none)?;
            Ok(b.binary("arith.maxsi", values[inputs.len()], found)?)
        })
    }

    /// The first elements of blocks, and among these the first ones of all.
    fn of_blocks(&self, b: &Builder<'c>, few: i64, taken: &[Size<'c>]) -> Built<Val<'c>> {
        let (count, i32, d) = (self.shape.len(), b.integer(32), self.d);
        let (compared, size) = (self.order.tensors(), self.shape[self.d]);
        let none = b.constant(i32, -1)?;
        let window = empty(b, &[Size::Known(BLOCK)], i32)?;
        // Ranks among the elements of the same block.
        let mut inputs: Vec<_> =
            compared.iter().map(|&i| (self.tensors[i], identity(count))).collect();
        inputs.push((window, vec![along(count)]));
        let start = filled(b, self.shape, i32, number(i32, 0.0)?)?;
        let ranks = one(b, count + 1, &inputs, (start, identity(count)), |b, values| {
            let (own, at) = (&values[..compared.len()], variable(b, d)?);
            let block = b.binary("arith.divui", at, index_constant(b, BLOCK)?)?;
            let place = place_in(b, block, count)?;
            let loops = loops(b, count, |own| if own == d { None } else { Some(own) }, place)?;
            let is_within = compare(b, LESS, place, size.value(b)?)?;
            let is_earlier = compare(b, LESS, place, at)?;
            let no = b.constant(b.integer(1), 0)?;
            let counts = |b: Builder<'c>| -> Built<Vec<Val<'c>>> {
                let other = self.elements(&b, &compared, &loops)?;
                Ok(vec![self.comes_before(&b, &compared, (&other, own), is_earlier)?])
            };
            let otherwise = |_: Builder<'c>| -> Built<Vec<Val<'c>>> { Ok(vec![no]) };
            let of = [b.integer(1)];
            let counts = first_result(b.branch(is_within, &of, counts, Some(&otherwise))?);
            let counts = b.value("arith.extui", &[counts], i32, &[])?;
            Ok(b.binary("arith.addi", values[inputs.len()], counts)?)
        })?;
        // The first elements of each block: -1 where it has fewer.
        let blocks = match size.known() {
            Some(known) => Size::Known(num_integer::div_ceil(known, BLOCK)),
            None => {
                let more = b.binary("arith.addi", size.value(b)?, index_constant(b, BLOCK - 1)?)?;
                Size::Value(b.binary("arith.divui", more, index_constant(b, BLOCK)?)?)
            }
        };
        let mut split = self.shape.to_vec();
        split.splice(d..=d, [blocks, Size::Known(few)]);
        let target = (filled(b, &split, i32, number(i32, -1.0)?)?, identity(count + 1));
        let window = [(window, vec![along(count + 1)])];
        let first = one(b, count + 2, &window, target, |b, values| {
            let place = place_in(b, variable(b, d)?, count + 1)?;
            let after = |own: usize| if own == d { None } else { Some(own + usize::from(own > d)) };
            let loops = loops(b, count, after, place)?;
            let is_within = compare(b, LESS, place, size.value(b)?)?;
            let read = |b: Builder<'c>| -> Built<Vec<Val<'c>>> {
                let operands = [&[ranks], loops.as_slice()].concat();
                Ok(vec![b.value("tensor.extract", &operands, i32, &[])?])
            };
            let otherwise = |_: Builder<'c>| -> Built<Vec<Val<'c>>> { Ok(vec![none]) };
            let rank = first_result(b.branch(is_within, &[i32], read, Some(&otherwise))?);
            let is_own = compare(b, EQUAL, rank, cast(b, variable(b, d + 1)?, i32)?)?;
            let found = select(b, is_own, cast(b, place, i32)?, none)?;
            Ok(b.binary("arith.maxsi", values[1], found)?)
        })?;
        // All of them in one row, in the order of blocks, so that equal elements are in the order of their indices.
        let mut row = self.shape.to_vec();
        row[d] = match blocks {
            Size::Known(known) => Size::Known(known * few),
            Size::Value(value) => {
                Size::Value(b.binary("arith.muli", value, index_constant(b, few)?)?)
            }
        };
        let of = tensor_of(b, &row, i32)?;
        let after = |own: usize| own + usize::from(own > d);
        let group = |own: usize| if own == d { vec![own, own + 1] } else { vec![after(own)] };
        let groups: Vec<Vec<usize>> = (0..count).map(group).collect();
        let first = reshape::collapse(b, first, &groups, of)?;
        let mut others = identity(count);
        others[d] = along(count);
        let inputs = [(first, identity(count)), (first, others)];
        let start = filled(b, &row, i32, number(i32, 0.0)?)?;
        let ranks = one(b, count + 1, &inputs, (start, identity(count)), |b, values| {
            let (own, other) = (values[0], values[1]);
            let zero = b.constant(i32, 0)?;
            let read = |element: Val<'c>| -> Built<Vec<Val<'c>>> {
                let place = b.binary("arith.maxsi", element, zero)?;
                let place = cast(b, place, Type::index(b.context()))?;
                let loops = loops(b, count, |own| if own == d { None } else { Some(own) }, place)?;
                self.elements(b, &compared, &loops)
            };
            let (own_values, other_values) = (read(own)?, read(other)?);
            let is_earlier = compare(b, LESS, other, own)?;
            let pair = (other_values.as_slice(), own_values.as_slice());
            let counts = self.comes_before(b, &compared, pair, is_earlier)?;
            let is_element = compare(b, LESS_OR_EQUAL, zero, other)?;
            let counts = b.binary("arith.andi", counts, is_element)?;
            let counts = b.value("arith.extui", &[counts], i32, &[])?;
            Ok(b.binary("arith.addi", values[2], counts)?)
        })?;
        // Where there is no element there is -1, whatever its rank.
        self.of_rank(b, (ranks, Some(first)), taken)
    }

    /// Elements of the tensors that are compared.
    fn elements(&self, b: &Builder<'c>, compared: &[usize], at: &[Val<'c>]) -> Built<Vec<Val<'c>>> {
        compared
            .iter()
            .map(|&i| {
                let operands = [&[self.tensors[i]], at].concat();
                Ok(b.value("tensor.extract", &operands, element(self.tensors[i])?, &[])?)
            })
            .collect()
    }
}

/// The place of a block's element, whose number is the variable of a loop.
fn place_in<'c>(b: &Builder<'c>, block: Val<'c>, number: usize) -> Built<Val<'c>> {
    let first = b.binary("arith.muli", block, index_constant(b, BLOCK)?)?;
    Ok(b.binary("arith.addi", first, variable(b, number)?)?)
}

/// Coordinates that are variables of loops, and one place.
fn loops<'c>(
    b: &Builder<'c>,
    count: usize,
    loop_of: impl Fn(usize) -> Option<usize>,
    place: Val<'c>,
) -> Built<Vec<Val<'c>>> {
    (0..count).map(|own| loop_of(own).map_or(Ok(place), |own| variable(b, own))).collect()
}

/// The element of each source that each place along a dimension gets.
fn gathered<'c>(
    b: &Builder<'c>,
    sources: &[Source<'c>],
    places: Val<'c>,
    d: usize,
    taken: &[Size<'c>],
) -> Built<Vec<Option<Val<'c>>>> {
    let (count, all) = (taken.len(), identity(taken.len()));
    let others = sources.iter().filter_map(|source| source.tensors().1);
    let inputs: Vec<_> = [places].into_iter().chain(others).map(|own| (own, all.clone())).collect();
    let mut targets = Vec::with_capacity(sources.len());
    for source in sources {
        targets.push((empty(b, taken, element(source.tensors().0)?)?, all.clone()));
    }
    let made = generic(b, count, &inputs, &targets, |b, values| {
        let (rank, mut others) = (values[0], values[1..].iter().copied());
        let zero = b.constant(rank.r#type(), 0)?;
        let is_none = compare(b, LESS, rank, zero)?;
        let place = b.binary("arith.maxsi", rank, zero)?;
        let place = cast(b, place, Type::index(b.context()))?;
        let mut at = Vec::with_capacity(count);
        for own in 0..count {
            at.push(if own == d { place } else { variable(b, own)? });
        }
        let mut found = Vec::with_capacity(sources.len());
        for source in sources {
            let of = element(source.tensors().0)?;
            let otherwise = if source.tensors().1.is_some() { others.next() } else { None };
            found.push(match (*source, otherwise) {
                (Source::Place(_), Some(otherwise)) => {
                    select(b, is_none, otherwise, cast(b, place, of)?)?
                }
                (Source::Tensor(tensor, _), Some(otherwise)) => {
                    // The tensor may be empty.
                    let read = |b: Builder<'c>| -> Built<_> {
                        let operands = [&[tensor], at.as_slice()].concat();
                        Ok(vec![b.value("tensor.extract", &operands, of, &[])?])
                    };
                    let other = |_: Builder<'c>| -> Built<_> { Ok(vec![otherwise]) };
                    first_result(b.branch(is_none, &[of], other, Some(&read))?)
                }
                (Source::Tensor(tensor, _) | Source::Place(tensor), None) => {
                    let operands = [&[tensor], at.as_slice()].concat();
                    b.value("tensor.extract", &operands, of, &[])?
                }
            });
        }
        Ok(found)
    })?;
    Ok(made.into_iter().map(Some).collect())
}
