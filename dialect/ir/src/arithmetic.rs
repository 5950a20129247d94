//! Operations on tuples of integers, leaf by leaf.

use crate::{
    blame::place_of,
    calls::{Arg, Call, Condition, Outcome, decide, symbolic_layout, tuple_datum},
    codes::Code,
    datum::{Datum, Violation},
};
use layout_algebra::{
    AnyLayout, ENUMERATION_LIMIT, Nested, Op, Value,
    symbolic::{self, Expr, Facts, SymbolicTuple},
};

/// An operation on two integers.
pub(crate) type Leafwise = fn(&Facts, &Expr, &Expr) -> symbolic::Result<Expr>;

pub(crate) fn add(_: &Facts, a: &Expr, b: &Expr) -> symbolic::Result<Expr> {
    a.plus(b)
}

pub(crate) fn subtract(_: &Facts, a: &Expr, b: &Expr) -> symbolic::Result<Expr> {
    a.minus(b)
}

pub(crate) fn multiply(_: &Facts, a: &Expr, b: &Expr) -> symbolic::Result<Expr> {
    a.times(b)
}

pub(crate) fn divide(facts: &Facts, a: &Expr, b: &Expr) -> symbolic::Result<Expr> {
    facts.floor_div(a, b)
}

pub(crate) fn remainder(facts: &Facts, a: &Expr, b: &Expr) -> symbolic::Result<Expr> {
    facts.modulo(a, b)
}

pub(crate) fn minimum(facts: &Facts, a: &Expr, b: &Expr) -> symbolic::Result<Expr> {
    facts.min(a, b)
}

pub(crate) fn maximum(facts: &Facts, a: &Expr, b: &Expr) -> symbolic::Result<Expr> {
    a.plus(b)?.minus(&facts.min(a, b)?)
}

/// The operation on each pair of leaves; an integer on the right goes with every leaf.
pub(crate) fn leafwise(call: &Call<'_>, f: Leafwise, facts: &Facts) -> Result<Outcome, Violation> {
    let (a, b) = (call.tuple(0)?, call.tuple(1)?);
    nest_alike(call, &a, &b, true)?;
    Ok(Outcome::Value(tuple_datum(each(&a, &b, true, &|a, b| f(facts, a, b))?, facts)))
}

/// Refuses each part of the second operand that does not nest as the first does.
fn nest_alike(
    call: &Call<'_>,
    a: &SymbolicTuple,
    b: &SymbolicTuple,
    spread: bool,
) -> Result<(), Violation> {
    let mut violations = Vec::new();
    let mut rest = vec![(Vec::new(), a, b)];
    while let Some((path, a, b)) = rest.pop() {
        match (a, b) {
            (Nested::Leaf(_), Nested::Leaf(_)) => {}
            (Nested::Node(_), Nested::Leaf(_)) if spread => {}
            (Nested::Node(a), Nested::Node(b)) if a.len() == b.len() => {
                // What comes first is taken up first.
                rest.extend(a.iter().zip(b).enumerate().rev().map(|(i, (a, b))| {
                    let path: Vec<usize> = path.iter().copied().chain([i]).collect();
                    (path, a, b)
                }));
            }
            _ => violations.push(
                Violation::new(Code::Nesting, format!("a tuple that nests as {a}"), b)
                    .at(place_of(call.subject, Arg::TermOrOperand, &path)),
            ),
        }
    }
    Violation::all(violations)
}

type Pairwise<'f> = dyn Fn(&Expr, &Expr) -> symbolic::Result<Expr> + 'f;

fn each(
    a: &SymbolicTuple,
    b: &SymbolicTuple,
    spread: bool,
    f: &Pairwise<'_>,
) -> Result<SymbolicTuple, Violation> {
    match (a, b) {
        (Nested::Leaf(a), Nested::Leaf(b)) => Ok(Nested::Leaf(f(a, b)?)),
        (Nested::Node(entries), Nested::Leaf(_)) if spread => Ok(Nested::Node(
            entries.iter().map(|a| each(a, b, spread, f)).collect::<Result<_, _>>()?,
        )),
        (Nested::Node(a), Nested::Node(b)) if a.len() == b.len() => Ok(Nested::Node(
            a.iter().zip(b).map(|(a, b)| each(a, b, spread, f)).collect::<Result<_, _>>()?,
        )),
        _ => Err(Violation::new(Code::Nesting, format!("a tuple that nests as {a}"), b)),
    }
}

/// The algebra's operation where everything is known, else one leaf by leaf.
fn by_algebra(
    call: &Call<'_>,
    op: Op,
    facts: &Facts,
    f: &Pairwise<'_>,
) -> Result<Outcome, Violation> {
    if call.args.iter().all(|arg| matches!(arg, Datum::Static(_))) {
        return Ok(Outcome::Value(call.call(op, &call.args, facts)?));
    }
    Ok(Outcome::Value(tuple_datum(each(&call.shape(0)?, &call.shape(1)?, false, f)?, facts)))
}

pub(crate) fn ceil_div(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    by_algebra(call, Op::CeilDiv, facts, &|a, b| facts.ceil_div(a, b))
}

pub(crate) fn shape_div(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let exact = |a: &Expr, b: &Expr| match facts.divide(a, b) {
        symbolic::Quotient::Exact(quotient) => Ok(quotient),
        // Where the divisor is a multiple, CuTe's answer is 1.
        other => match facts.divide(b, a) {
            symbolic::Quotient::Exact(_) => Ok(Expr::from(1)),
            _ => Err(missing("shape_div", a, b, other)),
        },
    };
    by_algebra(call, Op::ShapeDiv, facts, &exact)
}

fn missing(
    operation: &'static str,
    a: &Expr,
    b: &Expr,
    quotient: symbolic::Quotient,
) -> symbolic::Error {
    let operands = format!("{a}, {b}");
    match quotient {
        symbolic::Quotient::Never(fact) => {
            symbolic::Error::Never { operation, operands, needs: vec![fact] }
        }
        symbolic::Quotient::Unknown(need) => {
            symbolic::Error::Missing { operation, operands, needs: vec![need] }
        }
        symbolic::Quotient::Exact(_) => {
            symbolic::Error::Missing { operation, operands, needs: Vec::new() }
        }
    }
}

pub(crate) fn round_up(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    by_algebra(call, Op::RoundUp, facts, &|a, b| facts.ceil_div(a, b)?.times(b))
}

/// The product of each mode's leaves.
pub(crate) fn product_each(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let products = match call.shape(0)? {
        Nested::Leaf(leaf) => Nested::Leaf(leaf),
        Nested::Node(entries) => Nested::Node(
            entries
                .iter()
                .map(|entry| Ok(Nested::Leaf(entry.product()?)))
                .collect::<symbolic::Result<_>>()?,
        ),
    };
    Ok(Outcome::Value(tuple_datum(products, facts)))
}

/// The next coordinate, counting colexicographically; the last leaf goes on past its extent.
pub(crate) fn increment_coord(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let (coord, shape) = (call.tuple(0)?, call.shape(1)?);
    // As many leaves, nested alike.
    each(&coord, &shape, false, &|coord, _| Ok(coord.clone()))?;
    let mut carry = Expr::from(1);
    let (coords, extents) = (coord.leaves(), shape.leaves());
    let mut next = Vec::with_capacity(coords.len());
    for (i, (coord, extent)) in coords.iter().zip(&extents).enumerate() {
        let raised = coord.plus(&carry)?;
        if i + 1 == coords.len() {
            next.push(raised);
        } else {
            carry = facts.floor_div(&raised, extent)?;
            next.push(raised.minus(&carry.times(extent)?)?);
        }
    }
    let next = refill(&coord, &mut next.into_iter());
    Ok(Outcome::Value(tuple_datum(next, facts)))
}

/// The same nesting with other leaves.
fn refill(tuple: &SymbolicTuple, leaves: &mut impl Iterator<Item = Expr>) -> SymbolicTuple {
    match tuple {
        Nested::Leaf(leaf) => Nested::Leaf(leaves.next().unwrap_or_else(|| leaf.clone())),
        Nested::Node(entries) => {
            Nested::Node(entries.iter().map(|entry| refill(entry, leaves)).collect())
        }
    }
}

/// Whether each leaf is less than the other's.
pub(crate) fn elem_less(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let (a, b) = (call.tuple(0)?, call.tuple(1)?);
    nest_alike(call, &a, &b, false)?;
    each(&a, &b, false, &|a, _| Ok(a.clone()))?;
    let pairs = a.leaves().into_iter().zip(b.leaves());
    let conditions = pairs.map(|(a, b)| Condition::Less(a.clone(), b.clone())).collect();
    Ok(undecided(conditions, facts))
}

/// Whether two layouts are the same function, or two tuples the same.
pub(crate) fn equal(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let [a, b] = call.args.as_slice() else {
        return Err(Violation::new(Code::Operand, "two operands", call.args.len()));
    };
    if a.is_layout() != b.is_layout() {
        let expected =
            if a.is_layout() { "a layout to compare with" } else { "a tuple to compare with" };
        return Err(Violation::new(Code::Nesting, format!("{expected} {a}"), b));
    }
    if let (Datum::Static(a), Datum::Static(b)) = (a, b) {
        return Ok(Outcome::Value(Datum::Static(Value::Bool(same(a, b)?))));
    }
    if !a.is_layout() {
        return Ok(match (call.tuple(0)?, call.tuple(1)?) {
            (a, b) if each(&a, &b, false, &|a, _| Ok(a.clone())).is_ok() => {
                undecided(equalities(&a, &b), facts)
            }
            _ => Outcome::Value(Datum::Static(Value::Bool(false))),
        });
    }
    let (a, b) = (symbolic_layout(a)?, symbolic_layout(b)?);
    let (a, b) = (symbolic::coalesce(&a)?, symbolic::coalesce(&b)?);
    if a.rank() != b.rank() {
        return Err(Violation::new(
            Code::Undecided,
            format!("a layout that is known to have as many modes as {a} when coalesced"),
            b,
        ));
    }
    let mut conditions = equalities(a.shape(), b.shape());
    conditions.extend(equalities(a.stride(), b.stride()));
    Ok(undecided(conditions, facts))
}

fn equalities(a: &SymbolicTuple, b: &SymbolicTuple) -> Vec<Condition> {
    let pairs = a.leaves().into_iter().zip(b.leaves());
    pairs.map(|(a, b)| Condition::Equal(a.clone(), b.clone())).collect()
}

/// The conditions that are not known, or the truth if it is.
fn undecided(conditions: Vec<Condition>, facts: &Facts) -> Outcome {
    let truth = |truth| Outcome::Value(Datum::Static(Value::Bool(truth)));
    let mut open = Vec::new();
    for condition in conditions {
        match decide(&condition, facts) {
            Some(true) => {}
            Some(false) => return truth(false),
            None => open.push(condition),
        }
    }
    if open.is_empty() { truth(true) } else { Outcome::Conditions(open) }
}

/// Whether known values are the same; layouts where they have as many elements in the same order.
fn same(a: &Value, b: &Value) -> Result<bool, Violation> {
    if a == b {
        return Ok(true);
    }
    let layout = |value: &Value| match value {
        Value::Layout(layout) => Some(AnyLayout::Plain(layout.clone())),
        Value::Composed(composed) => Some(AnyLayout::Composed(composed.clone())),
        _ => None,
    };
    let (Some(a), Some(b)) = (layout(a), layout(b)) else { return Ok(false) };
    if a.size() != b.size() {
        return Ok(false);
    }
    if let (AnyLayout::Plain(a), AnyLayout::Plain(b)) = (&a, &b) {
        // A function has one coalesced form.
        return Ok(layout_algebra::coalesce(a)?.flat() == layout_algebra::coalesce(b)?.flat());
    }
    if u64::try_from(a.size()).is_ok_and(|size| size > ENUMERATION_LIMIT as u64) {
        let expected = format!("at most {ENUMERATION_LIMIT} elements to compare one by one");
        return Err(Violation::new(Code::Limit, expected, a.size()));
    }
    for i in 0..a.size() {
        if a.at(i)? != b.at(i)? {
            return Ok(false);
        }
    }
    Ok(true)
}
