//! Tests of comparisons.

use super::*;
use layout_algebra::Values;

/// Two layouts with symbols `?0`, `?1`, …, of which both have the same ones.
const PAIRS: &[(&str, &str)] = &[
    ("(?0,?1):(?2,?3)", "?4:?2"),
    ("(?0,3):(?2,?3)", "(?1,3):(?4,1)"),
    ("(?0,?1,2):(1,?2,?3)", "(?0,?1,2):(?4,1,?3)"),
    ("(?0{range=2..},?1{range=2..}):(1,1)", "(?2{range=2..},?3{range=2..}):(?4{range=1..},1)"),
    ("(?0,8):(1,?0)", "8*?1:1"),
    ("(4,2):(?0,?1)", "(2,2,?2):(1,2,?3)"),
    ("((2,?0),2):((?1,4),?2)", "(2,?3):(1,?2)"),
    ("(2,?0):(1,2)", "?1:?2"),
    ("(2,3):(?0,?1)", "(3,2):(?2,?3)"),
];

fn holds(condition: &Condition, values: &Values) -> bool {
    let value = |expr: &Expr| values.evaluate(expr).expect("a value");
    match condition {
        Condition::Equal(a, b) => value(a) == value(b),
        Condition::Less(a, b) => value(a) < value(b),
        Condition::Either(a, b) => holds(a, values) || holds(b, values),
    }
}

#[test]
fn comparison_by_leaves_agrees_with_every_assignment() {
    let (mut equal, mut different, mut refused) = (0, 0, 0);
    for (left, right) in PAIRS {
        let mut facts = Facts::new();
        let mut layout =
            |text: &str| Layout::<Expr>::parse_with(text, &mut facts).expect("a layout");
        let (a, b) = (layout(left), layout(right));
        let Ok(outcome) = functions(&a, &b, &facts) else {
            refused += 1;
            continue;
        };
        let names: Vec<String> = facts.symbols().map(|symbol| symbol.name().to_owned()).collect();
        let count = 5_i64.pow(u32::try_from(names.len()).expect("few"));
        for point in 0..count {
            let digits = (0..).scan(point, |rest, _| {
                let digit = *rest % 5;
                *rest /= 5;
                Some(digit)
            });
            let chosen = names.iter().map(String::as_str).zip(digits);
            let Ok(values) = Values::new(&facts, chosen) else { continue };
            let (Ok(a), Ok(b)) = (a.substitute(&values), b.substitute(&values)) else {
                continue;
            };
            let expected = same(&Value::Layout(a.clone()), &Value::Layout(b.clone()));
            let expected = expected.expect("layouts to compare");
            let found = match &outcome {
                Outcome::Value(TermValue::Static(Value::Bool(boolean))) => *boolean,
                Outcome::Conditions(conditions) => {
                    conditions.iter().all(|condition| holds(condition, &values))
                }
                other => panic!("{other:?}"),
            };
            assert_eq!(found, expected, "{a} and {b}, of {left} and {right}");
            *(if expected { &mut equal } else { &mut different }) += 1;
        }
    }
    // The sixth pair and the last one.
    assert_eq!(refused, 2);
    assert!(equal > 100 && different > 1000, "{equal} equal, {different} different");
}
