//! Comparisons: of the leaves of tuples, and of layouts as functions.

use crate::ops::prelude::*;
use crate::ops::{
    arithmetic::{each, nest_alike},
    calls::{Condition, decide},
    tuples::entries_of,
};
use layout_algebra::{Basis, ComposedLayout, Outer, linear::LinearLayout};
use layout_relation::{Limits, Operand, Prover, Verdict};

/// Whether each leaf is less than the other's.
pub(crate) fn elem_less(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let (a, b) = call.tuples()?;
    nest_alike(call, &a, &b, false)?;
    let pairs = a.leaves().into_iter().zip(b.leaves());
    let conditions = pairs.map(|(a, b)| Condition::Less(a.clone(), b.clone())).collect();
    Ok(undecided(conditions, facts))
}

/// Whether two layouts are the same function, or two tuples the same.
pub(crate) fn equal(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    // Undecided comparisons are reported on the operand that the other is compared with.
    compared(call, facts)
        .map_err(|refused| refused.placed(&|_| call.adaptor.argument(Arg::TermOrOperand, &[])))
}

fn compared(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let [a, b] = call.args.as_slice() else {
        return Err(Violation::new(Code::Operand, "two operands", call.args.len()));
    };
    if a.is_layout() != b.is_layout() {
        let expected =
            if a.is_layout() { "a layout to compare with" } else { "a tuple to compare with" };
        return Err(Violation::new(Code::Nesting, format!("{expected} {a}"), b));
    }
    let is_stride = |term_value: &TermValue| matches!(symbolic_value(term_value), Value::Steps(_));
    if is_stride(a) || is_stride(b) {
        return strides(a, b, facts);
    }
    if let (TermValue::Static(a), TermValue::Static(b)) = (a, b) {
        return Ok(Outcome::Value(TermValue::Static(Value::Bool(same(a, b)?))));
    }
    if !a.is_layout() {
        return Ok(match (call.tuple(0)?, call.tuple(1)?) {
            (a, b) if each(call, &a, &b, false, &|a, _| Ok(a.clone())).is_ok() => {
                undecided(equalities(&a, &b), facts)
            }
            _ => Outcome::Value(TermValue::Static(Value::Bool(false))),
        });
    }
    kinds(&symbolic_value(a), &symbolic_value(b), facts)
}

/// Whether two strides of which one has basis elements are the same.
fn strides(a: &TermValue, b: &TermValue, facts: &Facts) -> Result<Outcome, Violation> {
    // With basis elements as symbols a stride is a tuple, and 0 is no multiple of any.
    let stride = |term_value: &TermValue| {
        let entries = entries_of(term_value)?.to_tuple();
        entries.ok_or_else(|| Violation::new(Code::Kind, "a tuple without '_'", term_value))
    };
    let (a, b) = (stride(a)?, stride(b)?);
    let alike = a.congruent(&b).then(|| -> Result<Option<Vec<Condition>>, Violation> {
        let (a, b) = (layout_algebra::steps_of(&a)?, layout_algebra::steps_of(&b)?);
        let (mut from, mut into) = (Vec::new(), Vec::new());
        gather(&a, &mut from);
        gather(&b, &mut into);
        let zero = Expr::from(0);
        let pairs = from.into_iter().zip(into).map(|((a, path), (b, other))| {
            match path == other {
                true => vec![equal_to(a, b)],
                // Only what does not move is the same multiple of two elements.
                false => vec![equal_to(a, &zero), equal_to(b, &zero)],
            }
        });
        Ok(Some(pairs.flatten().collect()))
    });
    match alike.transpose()?.flatten() {
        Some(conditions) => Ok(undecided(conditions, facts)),
        None => Ok(Outcome::Value(TermValue::Static(Value::Bool(false)))),
    }
}

fn gather<'s>(steps: &'s Nested<Basis<Expr>>, all: &mut Vec<(&'s Expr, &'s [usize])>) {
    match steps {
        Nested::Leaf(Basis { scale, path }) => all.push((scale, path)),
        Nested::Node(entries) => entries.iter().for_each(|entry| gather(entry, all)),
    }
}

/// Whether two layouts of which one at least is partly static are the same function.
fn kinds(a: &Value<Expr>, b: &Value<Expr>, facts: &Facts) -> Result<Outcome, Violation> {
    match (a, b) {
        (Value::Layout(a), Value::Layout(b)) => functions(a, b, facts),
        // A one-to-one outer function keeps different offsets different.
        (Value::Composed(ComposedLayout { outer, offset, inner }), Value::Composed(other))
            if *outer == other.outer && is_bijective(outer) =>
        {
            let starts = undecided(vec![equal_to(offset, &other.offset)], facts);
            Ok(both(starts, functions(inner, &other.inner, facts)?))
        }
        (Value::Basis(a), Value::Basis(b)) => {
            let (a, b) = (a.components(), b.components());
            if !a.iter().map(|(path, _)| path).eq(b.iter().map(|(path, _)| path)) {
                return Ok(Outcome::Value(TermValue::Static(Value::Bool(false))));
            }
            a.iter().zip(&b).try_fold(undecided(Vec::new(), facts), |all, ((_, a), (_, b))| {
                Ok(both(all, functions(a, b, facts)?))
            })
        }
        (Value::Basis(_) | Value::Swizzle(_), other)
        | (other, Value::Basis(_) | Value::Swizzle(_))
            if !matches!(other, Value::ComposedBasis(_)) =>
        {
            Ok(Outcome::Value(TermValue::Static(Value::Bool(false))))
        }
        _ if a == b => Ok(undecided(Vec::new(), facts)),
        _ => Err(Violation::new(
            Code::Undecided,
            "layouts composed with one swizzle, if one of them is composed with any",
            format!("{a} and {b}"),
        )),
    }
}

fn is_bijective(outer: &Outer<Expr>) -> bool {
    matches!(outer, Outer::Swizzle(swizzle) if swizzle.is_bijective())
}

/// Whether both of two booleans hold.
fn both(a: Outcome, b: Outcome) -> Outcome {
    match (a, b) {
        (Outcome::Conditions(mut a), Outcome::Conditions(b)) => {
            a.extend(b);
            Outcome::Conditions(a)
        }
        (Outcome::Value(TermValue::Static(Value::Bool(true))), other)
        | (other, Outcome::Value(TermValue::Static(Value::Bool(true)))) => other,
        // One of the two is false.
        _ => Outcome::Value(TermValue::Static(Value::Bool(false))),
    }
}

/// Whether two partly static layouts are the same function, or what that depends on.
///
/// Their leaves decide where it is sure that no other leaves are the same function:
///
/// - One of them is a single mode `n:s`. The other is this function if it has its size and each of
///   its strides is `s` times the extents before; that of an extent of 1 may be any.
/// - They have as many leaves, and the same extents but for one. They have the same size only if that
///   one is the same too, and then the same values if the strides are, but for extents of 1.
/// - Both are coalesced whatever the integers are: extents are 2 or more, and no stride continues where
///   the mode before it ends. A function has one such layout.
fn functions(a: &Layout<Expr>, b: &Layout<Expr>, facts: &Facts) -> Result<Outcome, Violation> {
    let boolean = |boolean| Ok(Outcome::Value(TermValue::Static(Value::Bool(boolean))));
    if matches!(facts.equal(&a.size()?, &b.size()?), layout_algebra::Answer::No(_)) {
        return boolean(false);
    }
    let (a, b) = (a.coalesce()?, b.coalesce()?);
    let (modes_a, modes_b) = (a.flat(), b.flat());
    match (modes_a.as_slice(), modes_b.as_slice()) {
        ([one], many) | (many, [one]) => return Ok(undecided(single(one, many)?, facts)),
        _ => {}
    }
    let pairs = || modes_a.iter().zip(&modes_b);
    let is_open = |((a, _), (b, _)): &(&Mode, &Mode)| !facts.equal(a, b).is_yes();
    if modes_a.len() == modes_b.len() && pairs().filter(is_open).count() <= 1 {
        let conditions = pairs().flat_map(|((extent, stride), (other, target))| {
            [equal_to(extent, other), unless_one(extent, equal_to(stride, target))]
        });
        return Ok(undecided(conditions.collect(), facts));
    }
    if is_coalesced(&modes_a, facts)? && is_coalesced(&modes_b, facts)? {
        if modes_a.len() != modes_b.len() {
            return boolean(false);
        }
        let conditions = pairs().flat_map(|((extent, stride), (other, target))| {
            [equal_to(extent, other), equal_to(stride, target)]
        });
        return Ok(undecided(conditions.collect(), facts));
    }
    Err(Violation::new(
        Code::Undecided,
        "layouts whose leaves decide (one mode; extents that are equal except for one; or extents of at \
         least 2 and no mode that continues the one before it)",
        format!("{a} and {b}"),
    ))
}

/// An extent and a stride.
type Mode = (Expr, Expr);

/// When many modes are one.
fn single((size, stride): &Mode, many: &[Mode]) -> Result<Vec<Condition>, Violation> {
    let mut conditions = Vec::with_capacity(many.len() + 1);
    let mut before = Expr::from(1);
    for (extent, found) in many {
        conditions.push(unless_one(extent, equal_to(found, &stride.times(&before)?)));
        before = before.times(extent)?;
    }
    conditions.push(equal_to(&before, size));
    Ok(conditions)
}

/// Whether modes are coalesced under every assignment.
fn is_coalesced(modes: &[Mode], facts: &Facts) -> Result<bool, Violation> {
    let two = Expr::from(2);
    if !modes.iter().all(|(extent, _)| facts.at_least(extent, &two).is_yes()) {
        return Ok(false);
    }
    for ((extent, stride), (_, next)) in modes.iter().zip(modes.iter().skip(1)) {
        if !facts.distinct(&extent.times(stride)?, next).is_yes() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_to(a: &Expr, b: &Expr) -> Condition {
    Condition::Equal(a.clone(), b.clone())
}

/// A condition on a stride, which does not matter where the extent is 1.
fn unless_one(extent: &Expr, condition: Condition) -> Condition {
    Condition::Either(Box::new(equal_to(extent, &Expr::from(1))), Box::new(condition))
}

fn equalities(a: &Nested<Expr>, b: &Nested<Expr>) -> Vec<Condition> {
    let pairs = a.leaves().into_iter().zip(b.leaves());
    pairs.map(|(a, b)| Condition::Equal(a.clone(), b.clone())).collect()
}

/// The conditions that are not known, or the boolean if it is.
fn undecided(conditions: Vec<Condition>, facts: &Facts) -> Outcome {
    let boolean = |boolean| Outcome::Value(TermValue::Static(Value::Bool(boolean)));
    let mut open = Vec::new();
    for condition in conditions {
        match decide(&condition, facts) {
            Some(true) => {}
            Some(false) => return boolean(false),
            None => open.push(condition),
        }
    }
    if open.is_empty() { boolean(true) } else { Outcome::Conditions(open) }
}

/// Whether known values are the same; layouts of any kind where they are proved to be the same
/// function, tier by tier.
fn same(a: &Value, b: &Value) -> Result<bool, Violation> {
    if a == b {
        return Ok(true);
    }
    if let (Value::Basis(a), Value::Basis(b)) = (a, b) {
        // A function has one coalesced form.
        return Ok(a.coalesce()? == b.coalesce()?);
    }
    if let (Value::ComposedBasis(_), _) | (_, Value::ComposedBasis(_)) = (a, b) {
        return Ok(Op::Equal.apply(&[a, b])? == Value::Bool(true));
    }
    let (Some(left), Some(right)) = (Function::of(a), Function::of(b)) else { return Ok(false) };
    let verdict = Prover::new(Limits::default()).equal(left.operand(), right.operand());
    match verdict.map_err(|error| Violation::new(Code::Undecided, "layouts to compare", error))? {
        Verdict::Proved(_) => Ok(true),
        Verdict::Refuted(..) => Ok(false),
        Verdict::Unknown(limit) => {
            let found = format!("{a} and {b}: {limit}");
            Err(Violation::new(Code::Undecided, "layouts that are decided under limits", found))
        }
    }
}

/// A value that maps coordinates to offsets.
enum Function {
    Layout(AnyLayout),
    Linear(LinearLayout),
}

impl Function {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Linear(layout) => Some(Self::Linear(layout.clone())),
            other => AnyLayout::try_from(other.clone()).ok().map(Self::Layout),
        }
    }

    fn operand(&self) -> Operand<'_> {
        match self {
            Self::Layout(layout) => layout.into(),
            Self::Linear(layout) => layout.into(),
        }
    }
}

#[cfg(test)]
#[path = "../../tests/units/ops/compare.rs"]
mod tests;
