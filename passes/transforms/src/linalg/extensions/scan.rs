//! Scans: each result is a reduction of the elements up to it.
//!
//! ```text
//! y[i] = x[0] ∘ … ∘ x[i]
//! ```
//!
//! An operation that combines in any order reduces blocks of elements, and the totals of blocks before them:
//!
//! ```text
//! totals[c] = x[256 c] ∘ … ∘ x[256 c + 255]          of each block
//! before[c] = totals[0] ∘ … ∘ totals[c - 1]
//! y[i]      = before[c] ∘ x[256 c] ∘ … ∘ x[i]        with c = i / 256
//! ```
//!
//! Any other operation combines the elements in their order, once for each result.

use super::{
    Extension, element, extents, left,
    loops::{
        Built, EQUAL, LESS, LESS_OR_EQUAL, Size, along, compare, empty, filled, identity,
        index_constant, inlined, number, one, select, sizes, variable,
    },
    same_shape,
};
use crate::linalg::numbers::neutral;
use layout_dialect::{
    affine::Linear,
    build::{Builder, Val, first_result, operand, result},
    tree,
};
use melior::ir::{Attribute, BlockRef, Type, ValueLike};

/// Elements of a block.
const BLOCK: i64 = 256;

/// Elements along the dimension from which on there are blocks.
const LONG: i64 = 1024;

/// A scan along a dimension.
struct Scan<'c> {
    input: Val<'c>,
    of: Type<'c>,
    d: usize,
    is_inclusive: bool,
    /// The start of an exclusive scan: a tensor without the dimension.
    start: Val<'c>,
    body: BlockRef<'c, 'c>,
}

pub(super) fn scan<'c>(own: &Extension<'c>, b: &Builder<'c>) -> Built<Vec<Option<Val<'c>>>> {
    let input = own.inputs[0];
    let (output, start) = (own.outputs[0], own.outputs[1]);
    let d = own.dimension(input)?;
    let of = element(input)?;
    if !same_shape(input, output) || element(output)? != of {
        return left(format!(
            "expected a result of type {}, found {}",
            input.r#type(),
            output.r#type()
        ));
    }
    let mut rest = extents(input);
    rest.remove(d);
    let found = extents(start);
    let alike = |(a, b): (&Option<i64>, &Option<i64>)| a.is_none() || b.is_none() || a == b;
    if found.len() != rest.len() || !rest.iter().zip(&found).all(alike) || element(start)? != of {
        return left(format!(
            "expected an accumulator of the shape of {} without dimension {d}, found {}",
            input.r#type(),
            start.r#type()
        ));
    }
    if let Some(reader) = tree::users_of(result(own.operation, 1)).next() {
        return left(format!(
            "expected no reader of the scan's accumulator, found {}",
            tree::name(reader)
        ));
    }
    let body = own.body(&[of, of], of)?;
    let is_inclusive = own.is("inclusive", true);
    let scan = Scan { input, of, d, is_inclusive, start, body };
    let shape = sizes(b, input)?;
    let value = match scan.combines() {
        Some((name, neutral)) if shape[d].known().is_none_or(|size| size > LONG) => {
            scan.in_blocks(b, &shape, &name, neutral)?
        }
        Some((name, neutral)) => scan.at_once(b, input, &shape, &name, neutral)?,
        None => scan.in_order(b, &shape)?,
    };
    Ok(vec![Some(value), None])
}

impl<'c> Scan<'c> {
    /// The operation, where that combines in any order, and the number that changes nothing.
    fn combines(&self) -> Option<(String, Attribute<'c>)> {
        let steps = tree::operations(self.body);
        let [step, end] = steps.as_slice() else { return None };
        let name = tree::name(*step);
        let neutral = neutral(&name, self.of)?;
        let [x, y] = [0, 1].map(|i| tree::key(tree::argument(self.body, i)));
        let operands = [0, 1].map(|i| tree::key(operand(*step, i)));
        let is_given = tree::key(operand(*end, 0)) == tree::key(result(*step, 0));
        (is_given && (operands == [x, y] || operands == [y, x])).then_some((name, neutral))
    }

    /// The coordinates of what an exclusive scan starts with.
    fn start_coordinates(&self, count: usize) -> Vec<Linear> {
        (0..count).filter(|own| *own != self.d).map(along).collect()
    }

    /// The start of an exclusive scan, repeated along the dimension.
    fn started(&self, b: &Builder<'c>, shape: &[Size<'c>]) -> Built<Val<'c>> {
        let count = shape.len();
        let target = (empty(b, shape, self.of)?, identity(count));
        one(b, count, &[(self.start, self.start_coordinates(count))], target, |_, values| {
            Ok(values[0])
        })
    }

    /// One reduction for each element.
    fn at_once(
        &self,
        b: &Builder<'c>,
        input: Val<'c>,
        shape: &[Size<'c>],
        name: &str,
        neutral: Attribute<'c>,
    ) -> Built<Val<'c>> {
        let start = match self.is_inclusive {
            true => filled(b, shape, self.of, neutral)?,
            false => self.started(b, shape)?,
        };
        self.reduced(b, (input, shape.len(), self.d), start, name, neutral)
    }

    /// For each element, the reduction of those up to it along a dimension, or before it.
    fn reduced(
        &self,
        b: &Builder<'c>,
        (input, count, d): (Val<'c>, usize, usize),
        start: Val<'c>,
        name: &str,
        neutral: Attribute<'c>,
    ) -> Built<Val<'c>> {
        let mut others = identity(count);
        others[d] = along(count);
        one(b, count + 1, &[(input, others)], (start, identity(count)), |b, values| {
            let is_own = self.is_before(b, d, count)?;
            let none = b.value("arith.constant", &[], self.of, &[("value", neutral)])?;
            let combined = select(b, is_own, values[0], none)?;
            Ok(b.binary(name, values[1], combined)?)
        })
    }

    /// Whether the element of loop `other` is part of the result of loop `d`.
    fn is_before(&self, b: &Builder<'c>, d: usize, other: usize) -> Built<Val<'c>> {
        let (other, own) = (variable(b, other)?, variable(b, d)?);
        compare(b, if self.is_inclusive { LESS_OR_EQUAL } else { LESS }, other, own)
    }

    /// The elements in their order, for each result from the start.
    fn in_order(&self, b: &Builder<'c>, shape: &[Size<'c>]) -> Built<Val<'c>> {
        let (count, d) = (shape.len(), self.d);
        let mut others = identity(count);
        others[d] = along(count);
        let start = match self.is_inclusive {
            true => filled(b, shape, self.of, number(self.of, 0.0)?)?,
            false => self.started(b, shape)?,
        };
        one(b, count + 1, &[(self.input, others)], (start, identity(count)), |b, values| {
            let is_own = self.is_before(b, d, count)?;
            let mut combined = inlined(b, self.body, &[values[1], values[0]])?;
            if self.is_inclusive {
                let zero = index_constant(b, 0)?;
                let is_first = compare(b, EQUAL, variable(b, count)?, zero)?;
                combined = select(b, is_first, values[0], combined)?;
            }
            select(b, is_own, combined, values[1])
        })
    }

    /// In blocks of the dimension.
    fn in_blocks(
        &self,
        b: &Builder<'c>,
        shape: &[Size<'c>],
        name: &str,
        neutral: Attribute<'c>,
    ) -> Built<Val<'c>> {
        let (count, d) = (shape.len(), self.d);
        let mut of_blocks = shape.to_vec();
        of_blocks[d] = self.blocks(b, shape[d])?;
        // The last loop is over the places of a block, which this tensor has.
        let window = [(empty(b, &[Size::Known(BLOCK)], self.of)?, vec![along(count)])];
        let target = (filled(b, &of_blocks, self.of, neutral)?, identity(count));
        let totals = one(b, count + 1, &window, target, |b, values| {
            let at = self.place(b, variable(b, d)?, count)?;
            let is_own = compare(b, LESS, at, shape[d].value(b)?)?;
            let read = self.read(b, at, is_own, neutral)?;
            Ok(b.binary(name, values[1], read)?)
        })?;
        let start = match self.is_inclusive {
            true => filled(b, &of_blocks, self.of, neutral)?,
            false => self.started(b, &of_blocks)?,
        };
        let exclusive = Scan { is_inclusive: false, ..*self };
        let before = exclusive.reduced(b, (totals, count, d), start, name, neutral)?;
        let target = (empty(b, shape, self.of)?, identity(count));
        let start = one(b, count, &[], target, |b, _| {
            let mut at = vec![before];
            for own in 0..count {
                let own_at = variable(b, own)?;
                at.push(if own == d { self.block(b, own_at)? } else { own_at });
            }
            Ok(b.value("tensor.extract", &at, self.of, &[])?)
        })?;
        one(b, count + 1, &window, (start, identity(count)), |b, values| {
            let own = variable(b, d)?;
            let at = self.place(b, self.block(b, own)?, count)?;
            let order = if self.is_inclusive { LESS_OR_EQUAL } else { LESS };
            let is_own = compare(b, order, at, own)?;
            let read = self.read(b, at, is_own, neutral)?;
            Ok(b.binary(name, values[1], read)?)
        })
    }

    /// The block of a place.
    fn block(&self, b: &Builder<'c>, at: Val<'c>) -> Built<Val<'c>> {
        Ok(b.binary("arith.divui", at, index_constant(b, BLOCK)?)?)
    }

    /// The place along the dimension of a block's element, whose number is the variable of a loop.
    fn place(&self, b: &Builder<'c>, block: Val<'c>, number: usize) -> Built<Val<'c>> {
        let first = b.binary("arith.muli", block, index_constant(b, BLOCK)?)?;
        Ok(b.binary("arith.addi", first, variable(b, number)?)?)
    }

    /// The element at a place along the dimension, where it is part of the result; the number that changes nothing otherwise.
    fn read(
        &self,
        b: &Builder<'c>,
        place: Val<'c>,
        is_own: Val<'c>,
        neutral: Attribute<'c>,
    ) -> Built<Val<'c>> {
        let mut at = vec![self.input];
        for own in 0..extents(self.input).len() {
            at.push(if own == self.d { place } else { variable(b, own)? });
        }
        let none = b.value("arith.constant", &[], self.of, &[("value", neutral)])?;
        let read = |b: Builder<'c>| -> Built<Vec<Val<'c>>> {
            Ok(vec![b.value("tensor.extract", &at, self.of, &[])?])
        };
        let other = |_: Builder<'c>| -> Built<Vec<Val<'c>>> { Ok(vec![none]) };
        Ok(first_result(b.branch(is_own, &[self.of], read, Some(&other))?))
    }

    /// How many blocks there are.
    fn blocks(&self, b: &Builder<'c>, size: Size<'c>) -> Built<Size<'c>> {
        Ok(match size.known() {
            Some(known) => Size::Known(num_integer::div_ceil(known, BLOCK)),
            None => {
                let more = index_constant(b, BLOCK - 1)?;
                let sum = b.binary("arith.addi", size.value(b)?, more)?;
                Size::Value(b.binary("arith.divui", sum, index_constant(b, BLOCK)?)?)
            }
        })
    }
}
