//! The order that a region gives elements: whether one comes before another.
//!
//! Front ends write `a < b` or `a <= b`, and expect that equal elements keep their order. The region says "not after", with
//! equality or without; an element comes *strictly* before another where the region holds of the two, and not of the two
//! exchanged. A region that is one comparison of floats is completed to a total order, in which NaN is greater than all numbers, as PyTorch and
//! JAX sort.

use super::{
    Extension, Stop, element, left,
    loops::{Built, compare, inlined},
};
use layout_dialect::{
    build::{Builder, Val, operand},
    tree,
};
use melior::ir::{
    BlockLike, BlockRef, Type, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};

const FLOAT_GREATER_OR_EQUAL: i64 = 3;
const FLOAT_LESS_OR_EQUAL: i64 = 5;
const UNORDERED: i64 = 14;

/// An order of elements of several tensors.
pub(super) struct Order<'c> {
    block: BlockRef<'c, 'c>,
    plain: Option<SingleComparison>,
}

/// One comparison of the elements of one tensor.
#[derive(Clone, Copy)]
struct SingleComparison {
    tensor: usize,
    is_descending: bool,
    is_float: bool,
}

impl<'c> Order<'c> {
    /// The order of an operation whose region compares an element of each tensor with another one of it.
    pub(super) fn read(
        own: &Extension<'c>,
        tensors: &[Val<'c>],
        boolean: Type<'c>,
    ) -> Result<Self, Stop> {
        let mut arguments = Vec::with_capacity(2 * tensors.len());
        for &tensor in tensors {
            let of = element(tensor)?;
            arguments.extend([of, of]);
        }
        let block = own.body(&arguments, boolean)?;
        let order = Self { block, plain: plain(block) };
        if order.tensors().is_empty() {
            let last = tree::operations(block).into_iter().next_back();
            let yielded = last.filter(|last| last.operand_count() > 0).map(|last| operand(last, 0));
            let found = yielded.map_or_else(|| "nothing".to_owned(), origin);
            return left(format!(
                "expected a region that compares its arguments, found one that yields {found}"
            ));
        }
        Ok(order)
    }

    /// The tensors whose elements it compares.
    pub(super) fn tensors(&self) -> Vec<usize> {
        let is_used = |i: &usize| {
            [2 * i, 2 * i + 1].iter().any(|&i| tree::is_used(tree::argument(self.block, i)))
        };
        (0..self.block.argument_count() / 2).filter(is_used).collect()
    }

    /// Whether greater elements come first, or `None` if the region is more than a comparison.
    pub(super) fn is_descending(&self) -> Option<bool> {
        self.plain.map(|plain| plain.is_descending)
    }

    /// Whether `first` comes strictly before `second`, and the same of the two exchanged; elements of all tensors each.
    pub(super) fn before(
        &self,
        b: &Builder<'c>,
        first: &[Val<'c>],
        second: &[Val<'c>],
    ) -> Built<[Val<'c>; 2]> {
        let (first_holds, second_holds) =
            (self.holds(b, first, second)?, self.holds(b, second, first)?);
        let yes = b.constant(b.integer(1), 1)?;
        let strictly = |one: Val<'c>, other: Val<'c>| -> Built<Val<'c>> {
            let not = b.binary("arith.xori", other, yes)?;
            Ok(b.binary("arith.andi", one, not)?)
        };
        Ok([strictly(first_holds, second_holds)?, strictly(second_holds, first_holds)?])
    }

    fn holds(&self, b: &Builder<'c>, first: &[Val<'c>], second: &[Val<'c>]) -> Built<Val<'c>> {
        if let Some(SingleComparison { tensor, is_descending, is_float: true }) = self.plain {
            let (x, y) = (first[tensor], second[tensor]);
            let (predicate, last) = match is_descending {
                true => (FLOAT_GREATER_OR_EQUAL, x),
                false => (FLOAT_LESS_OR_EQUAL, y),
            };
            let numbers = compare(b, predicate, x, y)?;
            let nan = compare(b, UNORDERED, last, last)?;
            return Ok(b.binary("arith.ori", numbers, nan)?);
        }
        let arguments: Vec<Val<'c>> =
            first.iter().zip(second).flat_map(|(x, y)| [*x, *y]).collect();
        inlined(b, self.block, &arguments)
    }
}

/// The comparison that a block is.
fn plain(block: BlockRef<'_, '_>) -> Option<SingleComparison> {
    let steps = tree::operations(block);
    let [step, end] = steps.as_slice() else { return None };
    let is_float = match tree::name(*step).as_str() {
        "arith.cmpf" => true,
        "arith.cmpi" => false,
        _ => return None,
    };
    let place = |value: Val<'_>| {
        (0..block.argument_count())
            .find(|&i| tree::key(tree::argument(block, i)) == tree::key(value))
    };
    let (x, y) = (place(operand(*step, 0))?, place(operand(*step, 1))?);
    let is_given = tree::definition(operand(*end, 0))
        .is_some_and(|made| made.to_raw().ptr == step.to_raw().ptr);
    if !is_given || x / 2 != y / 2 || x == y {
        return None;
    }
    let predicate = step.attribute("predicate").ok()?;
    let predicate = IntegerAttribute::try_from(predicate).ok()?.value();
    let is_greater = match (is_float, predicate) {
        (true, 2 | 3 | 9 | 10) | (false, 4 | 5 | 8 | 9) => true,
        (true, 4 | 5 | 11 | 12) | (false, 2 | 3 | 6 | 7) => false,
        _ => return None,
    };
    // `b < a` compares as `a > b` does.
    Some(SingleComparison { tensor: x / 2, is_descending: is_greater != (x > y), is_float })
}

/// The source of a value, for an error: the number that fills it, or the operation that makes it.
pub(super) fn origin(value: Val<'_>) -> String {
    let Some(made) = tree::definition(value) else { return "an argument".to_owned() };
    let name = tree::name(made);
    let scalar =
        if name == "linalg.fill" { tree::definition(operand(made, 0)) } else { Some(made) };
    match scalar.and_then(|scalar| scalar.attribute("value").ok()) {
        Some(number) => format!("{name} of {number}"),
        None => name,
    }
}

/// Whether an element of a type comes after all others, or equal to the last: the number that a tensor is filled with.
pub(super) fn is_last(value: Val<'_>, is_descending: bool) -> bool {
    let Some(made) = tree::definition(value).filter(|made| tree::name(*made) == "linalg.fill")
    else {
        return false;
    };
    let Some(constant) = tree::definition(operand(made, 0)) else { return false };
    let Ok(number) = constant.attribute("value") else { return false };
    if let Ok(number) = IntegerAttribute::try_from(number) {
        let of = operand(made, 0).r#type().to_string();
        let bits = of.trim_start_matches('i').parse::<u32>().unwrap_or(0);
        let (least, greatest) = match bits {
            1..=63 => (-(1_i64 << (bits - 1)), (1_i64 << (bits - 1)) - 1),
            64 => (i64::MIN, i64::MAX),
            _ => return false,
        };
        return number.value() == if is_descending { least } else { greatest };
    }
    let number = melior::ir::attribute::FloatAttribute::try_from(number).map(|own| own.value());
    number
        .is_ok_and(|number| number == if is_descending { f64::NEG_INFINITY } else { f64::INFINITY })
}
