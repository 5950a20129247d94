//! Operations on tuples of integers, leaf by leaf.

use crate::ops::prelude::*;
use crate::{
    data::conversions::tuple_term_value,
    diagnostics::nearest,
    ops::calls::{Condition, Definition, decide},
};
use layout_algebra::{Symbol, Width, integer};
use std::convert::Infallible;

/// An operation on two integers.
pub(crate) type Leafwise = fn(&Facts, &Expr, &Expr) -> integer::Result<Expr>;

/// The operation on each pair of leaves; an integer on the right goes with every leaf. Other tuples that do not
/// nest alike are the algebra's, where that has the operation.
pub(crate) fn leafwise(
    call: &Call<'_>,
    f: Leafwise,
    op: Option<Op>,
    facts: &Facts,
) -> Result<Outcome, Violation> {
    let (a, b) = call.tuples()?;
    if let Err(refused) = nest_alike(call, &a, &b, true) {
        let answer = op.and_then(|op| call.call(op, &call.args, facts).ok());
        return answer.map(Outcome::Value).ok_or(refused);
    }
    let leaves = each(call, &a, &b, true, &|a, b| f(facts, a, b))?;
    Ok(Outcome::Value(tuple_term_value(leaves, facts)))
}

pub(crate) type Pairwise<'f> = dyn Fn(&Expr, &Expr) -> integer::Result<Expr> + 'f;

/// The operation on each pair of leaves, or all that is wrong with any, at its place in the second
/// operand.
pub(crate) fn each(
    call: &Call<'_>,
    a: &Nested<Expr>,
    b: &Nested<Expr>,
    spread: bool,
    f: &Pairwise<'_>,
) -> Result<Nested<Expr>, Violation> {
    Pairs { call, spread, f, path: Vec::new() }.each(a, b)
}

/// Refuses each part of the second operand that does not nest as the first does.
pub(crate) fn nest_alike(
    call: &Call<'_>,
    a: &Nested<Expr>,
    b: &Nested<Expr>,
    spread: bool,
) -> Result<(), Violation> {
    each(call, a, b, spread, &|a, _| Ok(a.clone())).map(drop)
}

/// Two tuples that are taken apart.
struct Pairs<'p, 's> {
    call: &'p Call<'s>,
    /// Whether an integer on the right goes with every leaf.
    spread: bool,
    f: &'p Pairwise<'p>,
    /// The way to where it is in the second operand.
    path: Vec<usize>,
}

impl Pairs<'_, '_> {
    fn each(&mut self, a: &Nested<Expr>, b: &Nested<Expr>) -> Result<Nested<Expr>, Violation> {
        let refused = match (a, b) {
            (Nested::Leaf(a), Nested::Leaf(b)) => match (self.f)(a, b) {
                Ok(leaf) => return Ok(Nested::Leaf(leaf)),
                Err(error) => Violation::from(error),
            },
            (Nested::Node(entries), Nested::Leaf(_)) if self.spread => {
                return collected(entries.iter().map(|a| self.each(a, b)));
            }
            (Nested::Node(a), Nested::Node(b)) if a.len() == b.len() => {
                return collected(a.iter().zip(b).enumerate().map(|(i, (a, b))| {
                    self.path.push(i);
                    let leaves = self.each(a, b);
                    self.path.pop();
                    leaves
                }));
            }
            _ => Violation::new(Code::Nesting, format!("a tuple that nests as {a}"), b),
        };
        Err(refused.at(self.call.adaptor.argument(Arg::TermOrOperand, &self.path)))
    }
}

/// A tuple of entries, or all that is wrong with any.
fn collected(
    entries: impl Iterator<Item = Result<Nested<Expr>, Violation>>,
) -> Result<Nested<Expr>, Violation> {
    let (kept, refused): (Vec<_>, Vec<_>) = entries.partition(Result::is_ok);
    Violation::all(refused.into_iter().filter_map(Result::err))?;
    Ok(Nested::Node(kept.into_iter().flatten().collect()))
}

/// The algebra's operation where everything is known, else one leaf by leaf.
fn by_algebra(
    call: &Call<'_>,
    op: Op,
    facts: &Facts,
    f: &Pairwise<'_>,
) -> Result<Outcome, Violation> {
    if call.args.iter().all(|arg| matches!(arg, TermValue::Static(_))) {
        let refused = |refused| by_leaf(call, op, facts, refused);
        return Ok(Outcome::Value(call.call(op, &call.args, facts).map_err(refused)?));
    }
    Ok(Outcome::Value(tuple_term_value(
        each(call, &call.shape(0)?, &call.shape(1)?, false, f)?,
        facts,
    )))
}

/// The violation of each pair of leaves, at its place, in place of the first that the algebra found.
fn by_leaf(call: &Call<'_>, op: Op, facts: &Facts, violation: Violation) -> Violation {
    let (Ok(a), Ok(b)) = (call.shape(0), call.shape(1)) else { return violation };
    if let Err(misfits) = nest_alike(call, &a, &b, true) {
        return misfits;
    }
    let mut each = Vec::new();
    let mut rest = vec![(Vec::new(), &a, &b)];
    while let Some((path, a, b)) = rest.pop() {
        let below = |i: usize| -> Vec<usize> { path.iter().copied().chain([i]).collect() };
        match (a, b) {
            (Nested::Node(a), Nested::Node(b)) => {
                let pairs = a.iter().zip(b).enumerate().rev();
                rest.extend(pairs.map(|(i, (a, b))| (below(i), a, b)));
            }
            (a, b) => {
                let args = [tuple_term_value(a.clone(), facts), tuple_term_value(b.clone(), facts)];
                let at = call.adaptor.argument(Arg::TermOrOperand, &path);
                each.extend(call.call(op, &args, facts).err().map(|refused| {
                    let hint = divisor(op, a, b);
                    refused.hint_if(hint).at(at)
                }));
            }
        }
    }
    match each.len() {
        // It has the whole operands in its words.
        1 => each.remove(0),
        _ => Violation::all(each).err().unwrap_or(violation),
    }
}

/// The divisor nearest to one that is refused.
fn divisor(op: Op, a: &Nested<Expr>, b: &Nested<Expr>) -> Option<String> {
    let (Nested::Leaf(a), Nested::Leaf(b)) = (a, b) else { return None };
    let (a, b) = (a.as_constant()?, b.as_constant()?);
    let fits = |divisor: i64| match op {
        Op::ShapeDiv => a > 0 && (a % divisor == 0 || divisor % a == 0),
        _ => a >= 0,
    };
    let nearest = if b < 1 && fits(1) { Some(1) } else { nearest::number(b, fits) };
    Some(format!("{} is the nearest divisor", nearest?))
}

pub(crate) fn ceil_div(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let by = call.args.get(1).map(symbolic_value);
    if matches!(by, Some(Value::Layout(_) | Value::Tiler(_))) {
        return Ok(Outcome::Value(call.call(Op::CeilDiv, &call.args, facts)?));
    }
    by_algebra(call, Op::CeilDiv, facts, &|a, b| facts.ceil_div(a, b))
}

pub(crate) fn shape_div(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let exact = |a: &Expr, b: &Expr| match facts.divide(a, b) {
        layout_algebra::Quotient::Exact(quotient) => Ok(quotient),
        // Where the divisor is a multiple, CuTe's answer is 1.
        other => match facts.divide(b, a) {
            layout_algebra::Quotient::Exact(_) => Ok(Expr::from(1)),
            _ => Err(missing("shape_div", a, b, other)),
        },
    };
    by_algebra(call, Op::ShapeDiv, facts, &exact)
}

fn missing(
    operation: &'static str,
    a: &Expr,
    b: &Expr,
    quotient: layout_algebra::Quotient,
) -> integer::Error {
    let operands = format!("{a}, {b}");
    match quotient {
        layout_algebra::Quotient::Never(fact) => {
            integer::Error::Never { operation, operands, needs: vec![fact] }
        }
        layout_algebra::Quotient::Unknown(need) => {
            integer::Error::Missing { operation, operands, needs: vec![need] }
        }
        layout_algebra::Quotient::Exact(_) => {
            integer::Error::Missing { operation, operands, needs: Vec::new() }
        }
    }
}

pub(crate) fn round_up(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    by_algebra(call, Op::RoundUp, facts, &|a, b| facts.ceil_div(a, b)?.times(b))
}

/// The product of each mode's leaves.
pub(crate) fn product_each(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    Ok(Outcome::Value(tuple_term_value(call.shape(0)?.product_each()?, facts)))
}

/// The product of the leaves in each place of a guide.
pub(crate) fn product_like(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let (tuple, guide) = both(call.shape(0), call.shape(1))?;
    let products = products(call, &tuple, &guide, &mut Vec::new())?;
    Ok(Outcome::Value(tuple_term_value(products, facts)))
}

fn products(
    call: &Call<'_>,
    tuple: &Nested<Expr>,
    guide: &Nested<Expr>,
    path: &mut Vec<usize>,
) -> Result<Nested<Expr>, Violation> {
    match (tuple, guide) {
        (_, Nested::Leaf(_)) => Ok(Nested::Leaf(tuple.product()?)),
        (Nested::Node(entries), Nested::Node(guides)) if entries.len() == guides.len() => {
            collected(entries.iter().zip(guides).enumerate().map(|(i, (entry, guide))| {
                path.push(i);
                let product = products(call, entry, guide, path);
                path.pop();
                product
            }))
        }
        _ => {
            let expected = format!("a guide that nests no deeper than {tuple}");
            let place = call.adaptor.argument(Arg::TermOrOperand, path);
            Err(Violation::new(Code::Nesting, expected, guide).at(place))
        }
    }
}

/// The next coordinate, counting colexicographically; the last leaf continues to its extent.
///
/// The next coordinate of one in range needs no division: a leaf that would become its extent
/// becomes 0 and carries. An integer that is chosen at run time gets a new symbol.
pub(crate) fn increment_coord(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let (coord, shape) = (call.tuple(0)?, call.shape(1)?);
    // As many leaves, nested alike.
    each(call, &coord, &shape, false, &|coord, _| Ok(coord.clone()))?;
    let (coords, extents) = (coord.leaves(), shape.leaves());
    for (leaf, extent) in coords.iter().zip(&extents) {
        if facts.range(extent).hi.is_some_and(|hi| hi < 1) {
            let expected = "a shape whose extents are at least 1";
            let place = call.place(1, &[]);
            return Err(Violation::new(Code::Extent, expected, &shape).at(place));
        }
        let is_negative = facts.at_least(&Expr::from(-1), leaf).is_yes();
        if is_negative || facts.at_least(leaf, extent).is_yes() {
            let expected = format!("a coordinate in range of {shape}");
            let place = call.place(0, &[]);
            return Err(Violation::new(Code::CoordBounds, expected, &coord).at(place));
        }
    }
    let mut own = Symbols { first: call.symbol_count(), definitions: Vec::new(), facts };
    let mut carry = Expr::from(1);
    let mut next = Vec::with_capacity(coords.len());
    for (i, (coord, extent)) in coords.iter().zip(&extents).enumerate() {
        let raised = coord.plus(&carry)?;
        let greatest = greatest(own.facts, extent);
        if i + 1 == coords.len() {
            let last = match own.definitions.is_empty() {
                true => raised,
                false => own.define(greatest, Definition::Value(raised))?,
            };
            next.push(last);
            break;
        }
        let condition = Condition::Equal(raised.clone(), (*extent).clone());
        let (digit, above) = match decide(&condition, own.facts) {
            Some(true) => (Expr::from(0), 1.into()),
            Some(false) => (raised, 0.into()),
            None => {
                let (zero, one) = (Expr::from(0), Expr::from(1));
                // In range, neither side is greater than the extent.
                let select = |then, otherwise| Definition::Select {
                    condition: condition.clone(),
                    width: width_of(greatest),
                    then,
                    otherwise,
                };
                let digit = own.define(greatest - 1, select(zero.clone(), raised))?;
                (digit, own.define(1, select(one, zero))?)
            }
        };
        next.push(digit);
        carry = above;
    }
    let definitions = own.definitions;
    let value = tuple_term_value(refill(&coord, &mut next.into_iter()), facts);
    Ok(match definitions.is_empty() {
        true => Outcome::Value(value),
        false => Outcome::Computed { value, definitions },
    })
}

/// The greatest value that an extent may have.
fn greatest(facts: &Facts, extent: &Expr) -> i64 {
    let greatest = facts.range(extent).hi.and_then(|hi| i64::try_from(hi).ok());
    greatest.unwrap_or(i64::MAX)
}

/// The width of integers from 0 to `greatest`.
fn width_of(greatest: i64) -> Width {
    if greatest <= i64::from(i32::MAX) { Width::W32 } else { Width::W64 }
}

/// Symbols of a result's own, after those of the operands.
struct Symbols<'f> {
    first: usize,
    definitions: Vec<Definition>,
    facts: &'f mut Facts,
}

impl Symbols<'_> {
    /// A symbol from 0 to `greatest`.
    fn define(&mut self, greatest: i64, definition: Definition) -> Result<Expr, Violation> {
        let width = width_of(greatest);
        let name = format!("?{}", self.first + self.definitions.len());
        // A symbol has more than one value.
        let symbol = Symbol::new(&name, width)?.with_range(0, greatest.max(1))?;
        self.facts.insert(symbol)?;
        self.definitions.push(definition);
        Ok(self.facts.symbol(&name)?)
    }
}

/// The same nesting with other leaves.
fn refill(tuple: &Nested<Expr>, leaves: &mut impl Iterator<Item = Expr>) -> Nested<Expr> {
    let mut next = |leaf: &Expr| Ok::<_, Infallible>(leaves.next().unwrap_or_else(|| leaf.clone()));
    let Ok(refilled) = tuple.try_map(&mut next);
    refilled
}
