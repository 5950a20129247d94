//! Every operation on random operands with symbols: an answer is the static algebra's at every choice of
//! values, and what is refused whatever the facts are is refused at each.

mod draw;
mod same;

use draw::{Make, facts, values};
use layout_algebra::{Expr, Fact, Layout, Op, Term, Tuple, Value, Values, integer::Error};
use layout_random::{Numbers as Draw, checked};
use same::{leads_back, same};

/// Facts that an error calls ruled out are.
fn never_holds(needs: &[Fact], values: &Values) -> bool {
    let value = |expr: &Expr| values.evaluate(expr).expect("small");
    !needs.iter().any(|fact| match fact {
        Fact::Divides { divisor, of } => value(divisor) != 0 && value(of) % value(divisor) == 0,
        Fact::AtLeast { greater, less } => value(greater) >= value(less),
        Fact::Equal(a, b) => value(a) == value(b),
        Fact::Distinct(a, b) => value(a) != value(b),
        other => panic!("a new fact: {other}"),
    })
}

/// The layout of a shape, or that of a layout, and a stride.
fn strided(shape: &Term, stride: &Value) -> Option<Value> {
    let tuple = |of: &Value| of.to_string().parse::<Tuple>().ok();
    let shape = match shape {
        Term::Literal(Value::Layout(layout)) => layout.shape().clone(),
        Term::Literal(Value::Composed(composed)) => composed.inner.shape().clone(),
        Term::Literal(Value::Basis(layout)) => layout.shape().clone(),
        Term::Literal(shape) => tuple(shape)?,
        _ => return None,
    };
    Layout::new(shape, tuple(stride)?).ok().map(Value::Layout)
}

/// Whether an operation refuses an operand by its form: an integer beside a tuple must be 0, which one with symbols is not.
fn is_of_form(op: Op, error: &layout_algebra::Error) -> bool {
    use Op::*;
    matches!(error, layout_algebra::Error::Operand { .. })
        && matches!(op, MakeLayout | Append | Prepend | Replace | TupleAdd | TupleSub)
}

/// The outcome of one call.
#[derive(Default, Debug, Clone, Copy, PartialEq)]
struct Count {
    /// With symbols in the operands.
    open_operands: usize,
    answered: usize,
    /// Answered with symbols in the operands.
    with_symbols: usize,
    /// A fact is missing, or ruled out.
    open: usize,
    /// No matter which values: an operand that does not fit, a limit.
    refused: usize,
    /// Refused because of ruled out facts, though the static operation answers at the values that were chosen.
    missed: usize,
}

fn one_call(op: Op, draw: &mut Draw, count: &mut Count) {
    let facts = facts(draw);
    let (operands, is_usual) = Make { draw, facts: &facts }.operands(op);
    let chosen: Vec<Values> = (0..3).filter_map(|_| values(&facts, draw)).collect();
    let answer = op.apply_under(&facts, &operands).map_err(|error| match error.cause() {
        Error::Algebra(error) => Error::Algebra(error.cause().clone()),
        other => other.clone(),
    });
    let is_open = is_usual && operands.iter().any(|operand| operand.to_static().is_none());
    count.open_operands += usize::from(is_open);
    let mut missed = !chosen.is_empty();
    let listed: Vec<String> = operands.iter().map(|operand| operand.annotated(&facts)).collect();
    let text = format!("{}({})", op.name(), listed.join(", "));
    if let Err(error) = &answer
        && matches!(error, Error::Missing { .. } | Error::Never { .. })
    {
        assert!(!error.to_string().contains("needs ,"), "{text}: {error}");
    }
    for values in &chosen {
        let fixed = operands.iter().map(|operand| operand.substitute(values));
        let args: Vec<Term> = fixed.map(|value| Term::Literal(value.expect("small"))).collect();
        let shape = args[0].clone();
        let expected = Term::Call { op, args: args.clone() }.eval();
        missed &= expected.is_ok();
        match (&answer, expected) {
            (Ok(found), Ok(expected)) => {
                let mut found = found.substitute(values).expect("small");
                let mut expected = expected;
                if matches!(op, Op::CompactColMajor | Op::CompactRowMajor) {
                    // A mode that has one entry at these values moves nothing, whatever its stride.
                    let strided = [&found, &expected].map(|stride| strided(&shape, stride));
                    if let [Some(a), Some(b)] = strided {
                        [found, expected] = [a, b];
                    }
                }
                let is_right = same(op, &args, &found, &expected)
                    || op == Op::LeftInverse && leads_back(&found, &shape);
                assert!(is_right, "{text} at {values:?}: {found}, not {expected}");
            }
            // Steps in different modes of a coordinate add up to one where the last has one entry.
            (Ok(_), Err(_)) if matches!(operands[0], Value::Basis(_)) => {}
            // A tuple with an extent below 1 is no shape, which an operation need not examine.
            (Ok(_), Err(error))
                if matches!(error.cause(), layout_algebra::Error::Extent { .. }) => {}
            (Ok(found), Err(error)) => panic!("{text} at {values:?}: {found}, but {error}"),
            (Err(Error::Never { needs, .. }), _) => {
                assert!(never_holds(needs, values), "{text} at {values:?}: {answer:?}");
            }
            // A call that is refused whatever the facts are is refused at each value.
            (Err(Error::Algebra(layout_algebra::Error::Limit { .. })), _) => {}
            (Err(Error::Algebra(error)), _) if is_of_form(op, error) => {}
            (Err(Error::Algebra(error)), Ok(expected)) => {
                panic!("{text}: {error}, but {expected} at {values:?}");
            }
            (Err(_), _) => {}
        }
    }
    match answer {
        Ok(_) => {
            count.answered += 1;
            count.with_symbols += usize::from(is_open);
        }
        Err(Error::Missing { .. }) => count.open += 1,
        Err(Error::Never { .. }) => {
            count.open += 1;
            count.missed += usize::from(missed);
        }
        Err(_) => count.refused += 1,
    }
}

/// `SYMBOLIC_CALLS=100000 cargo test -p layout-algebra --release --test all symbolic_calls::` for longer, and
/// `SYMBOLIC_OPS="upcast downcast"` for some operations only.
#[test]
fn every_operation_agrees_with_the_static_one() {
    let calls_requested = std::env::var("SYMBOLIC_CALLS").ok().and_then(|calls| calls.parse().ok());
    let calls: u64 = calls_requested.unwrap_or(250);
    let named = std::env::var("SYMBOLIC_OPS").ok();
    for (place, &op) in Op::ALL.iter().enumerate() {
        if named.as_ref().is_some_and(|names| !names.split(' ').any(|name| name == op.name())) {
            continue;
        }
        let mut count = Count::default();
        for seed in 0..calls {
            checked((place as u64) << 32 | seed, |draw| one_call(op, draw, &mut count));
        }
        println!("{:24} {count:?}", op.name());
        assert!(count.answered > 0, "{} never answered: {count:?}", op.name());
        let is_covered = count.with_symbols > 0 || count.open_operands == 0;
        assert!(is_covered, "{} never answered with symbols: {count:?}", op.name());
    }
}
