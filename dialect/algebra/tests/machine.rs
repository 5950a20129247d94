//! Steps of a machine against the values of the expressions that they compute.

use layout_algebra::{Facts, Machine, Step, Value, Values, Width, evaluate, integer::Error};
use std::collections::BTreeMap;

/// Computes in two's complement, and refuses what hardware leaves undefined.
struct Interpreter<'i>(&'i BTreeMap<&'i str, i64>);

fn wrap(value: i128, width: Width) -> i64 {
    match width {
        Width::W32 => i64::from(value as i32),
        Width::W64 => value as i64,
    }
}

impl Machine for Interpreter<'_> {
    type Value = i64;
    type Error = Error;

    fn constant(&mut self, value: i64, width: Width) -> Result<i64, Error> {
        Ok(wrap(i128::from(value), width))
    }

    fn symbol(&mut self, name: &str, width: Width) -> Result<i64, Error> {
        Ok(wrap(i128::from(self.0[name]), width))
    }

    fn resize(&mut self, value: i64, _: Width, to: Width) -> Result<i64, Error> {
        Ok(wrap(i128::from(value), to))
    }

    fn step(&mut self, step: Step, a: i64, b: i64, width: Width) -> Result<i64, Error> {
        let unsigned = |value: i64| match width {
            Width::W32 => i128::from(value as u32),
            Width::W64 => i128::from(value as u64),
        };
        let (x, y) = (i128::from(a), i128::from(b));
        let value = match step {
            Step::Add => x + y,
            Step::Subtract => x - y,
            Step::Multiply => x * y,
            Step::Minimum => x.min(y),
            Step::And => x & y,
            Step::ShiftRight => unsigned(a) >> b,
            Step::ShiftRightSigned => x >> b,
            Step::Divide => unsigned(a) / unsigned(b),
            Step::DivideSigned => x / y,
            Step::Remainder => unsigned(a) % unsigned(b),
            Step::RemainderSigned => x % y,
        };
        Ok(wrap(value, width))
    }
}

/// Values of a symbol to try: around its bounds, around 0 and some between.
fn samples(facts: &Facts, name: &str) -> Vec<i64> {
    let symbol = facts.get(name).expect("a symbol");
    let ((lo, hi), by) = (symbol.range(), symbol.divisor());
    let near = |value: i64| (-9..=9).map(move |step| value.saturating_add(step * by));
    let candidates = near(lo).chain(near(0)).chain(near(1000 * by)).chain(near(hi / by * by));
    let mut samples: Vec<i64> = candidates.filter(|&value| symbol.admits(value)).collect();
    samples.sort_unstable();
    samples.dedup();
    samples
}

#[test]
fn computed_values_are_the_expressions_values() {
    let texts = [
        "8*i+3*j-7",
        "floor_div(i,8)+mod(i,8)*j",
        "floor_div(i,7)*5+mod(i,7)",
        "floor_div(s,7)+3*mod(s,7)",
        "floor_div(s,16)-mod(s,16)",
        "ceil_div(i,128)*j",
        "ceil_div(s,5)",
        "min(i,j)+2*min(s,j)",
        "mod(floor_div(i,d),j+1)",
        "m/8*j+mod(m/4,3)",
        "m*k/24",
        "mod(big,1000)+floor_div(big,4096)",
        "big*3-big*2",
        "mod(big+s,8)",
        "i*i*i-s*s",
    ];
    let mut checked = 0;
    for text in texts {
        let mut facts = Facts::new();
        for symbol in [
            "i{range=0..}",
            "j{range=0..1000}",
            "s",
            "d{range=1..100}",
            "m{div=8}",
            "k{div=3 range=3..9000}",
            "big{i64 range=0..4611686018427387904}",
        ] {
            facts.declare(symbol).expect("a symbol");
        }
        let Ok(Value::Int(expr)) = evaluate(text, &mut facts) else {
            panic!("{text} is no expression");
        };
        let names = expr.symbols();
        let mut points: Vec<BTreeMap<&str, i64>> = vec![BTreeMap::new()];
        for name in &names {
            let values = samples(&facts, name);
            points = points
                .into_iter()
                .flat_map(|point| {
                    values.iter().map(move |&value| {
                        let mut point = point.clone();
                        point.insert(name, value);
                        point
                    })
                })
                .collect();
        }
        for point in &points {
            let values = Values::new(&facts, point.iter().map(|(name, value)| (*name, *value)));
            let values = values.expect("values that the facts allow");
            // Past 64 bits nothing is promised.
            let Ok(expected) = values.evaluate(&expr) else { continue };
            for width in [Width::W32, Width::W64] {
                if width < facts.machine_width(&expr) {
                    continue;
                }
                let found = facts.compute(&expr, width, &mut Interpreter(point));
                assert_eq!(found.ok(), Some(expected), "{text} at {point:?} in {width:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 10_000, "only {checked} values were compared");
}
