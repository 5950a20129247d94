//! What a kernel does to each sum of its product, from the manifest, and its float64 reference.
//!
//! Values are numbered: 0 is the sum, then the elements of the operands, then each step's result. A
//! truth is 1 or 0.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// An epilogue as the manifest has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epilogue {
    /// The numbers of the arguments whose elements are the values from 1 on.
    pub operands: Vec<usize>,
    /// In order.
    pub steps: Vec<Step>,
    /// The number of the value that is stored.
    pub result: usize,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The operation's name in MLIR.
    pub op: String,
    /// The numbers of its operands.
    pub inputs: Vec<usize>,
    /// A constant's number, or a comparison's predicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// An epilogue that is ready to be computed.
#[derive(Clone, Debug)]
pub struct Program {
    operands: usize,
    steps: Vec<(Operation, [usize; 3])>,
    result: usize,
}

/// What a step does to its operands.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Constant(f64),
    Of(Meaning),
}

/// What an operation gives for its operands, of which it has at most three.
type Meaning = fn(&[f64; 3]) -> f64;

/// The operations that have no detail: how many operands, and what they give.
const OPERATIONS: &[(&str, usize, Meaning)] = &[
    ("arith.negf", 1, |x| -x[0]),
    ("arith.addf", 2, |x| x[0] + x[1]),
    ("arith.subf", 2, |x| x[0] - x[1]),
    ("arith.mulf", 2, |x| x[0] * x[1]),
    ("arith.divf", 2, |x| x[0] / x[1]),
    ("arith.maximumf", 2, |x| if x[0].is_nan() || x[0] > x[1] { x[0] } else { x[1] }),
    ("arith.minimumf", 2, |x| if x[0].is_nan() || x[0] < x[1] { x[0] } else { x[1] }),
    ("arith.maxnumf", 2, |x| x[0].max(x[1])),
    ("arith.minnumf", 2, |x| x[0].min(x[1])),
    ("arith.select", 3, |x| if x[0] != 0.0 { x[1] } else { x[2] }),
    ("math.absf", 1, |x| x[0].abs()),
    ("math.erf", 1, |x| erf(x[0])),
    ("math.exp", 1, |x| x[0].exp()),
    ("math.exp2", 1, |x| x[0].exp2()),
    ("math.fma", 3, |x| x[0].mul_add(x[1], x[2])),
    ("math.rsqrt", 1, |x| 1.0 / x[0].sqrt()),
    ("math.sqrt", 1, |x| x[0].sqrt()),
    ("math.tanh", 1, |x| x[0].tanh()),
];

/// The predicates of `arith.cmpf`.
const PREDICATES: &[(&str, Meaning)] = &[
    ("false", |_| 0.0),
    ("oeq", |x| truth(x[0] == x[1])),
    ("ogt", |x| truth(x[0] > x[1])),
    ("oge", |x| truth(x[0] >= x[1])),
    ("olt", |x| truth(x[0] < x[1])),
    ("ole", |x| truth(x[0] <= x[1])),
    ("one", |x| truth(!unordered(x) && x[0] != x[1])),
    ("ord", |x| truth(!unordered(x))),
    ("ueq", |x| truth(unordered(x) || x[0] == x[1])),
    ("ugt", |x| truth(unordered(x) || x[0] > x[1])),
    ("uge", |x| truth(unordered(x) || x[0] >= x[1])),
    ("ult", |x| truth(unordered(x) || x[0] < x[1])),
    ("ule", |x| truth(unordered(x) || x[0] <= x[1])),
    ("une", |x| truth(x[0] != x[1])),
    ("uno", |x| truth(unordered(x))),
    ("true", |_| 1.0),
];

fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn unordered(x: &[f64; 3]) -> bool {
    x[0].is_nan() || x[1].is_nan()
}

/// The error function: `2/sqrt(pi) exp(-x²) sum over n of 2^n x^(2n+1) / (2n+1)!!`, whose terms are
/// all of one sign.
fn erf(x: f64) -> f64 {
    if x.is_nan() || x.abs() > 6.0 {
        return if x.is_nan() { x } else { x.signum() };
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-17 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

impl Step {
    fn operation(&self) -> Result<(usize, Operation)> {
        let detail = self.detail.as_deref().unwrap_or("");
        if self.op == "arith.constant" {
            let value = detail.parse().map_err(|_| {
                Error::Manifest(format!(
                    "epilogue: expected a number for arith.constant, found {detail:?}"
                ))
            })?;
            return Ok((0, Operation::Constant(value)));
        }
        if self.op == "arith.cmpf" {
            let known = PREDICATES.iter().find(|(name, _)| *name == detail);
            let (_, compare) = known.ok_or_else(|| {
                Error::Manifest(format!(
                    "epilogue: expected a predicate for arith.cmpf, found {detail:?}"
                ))
            })?;
            return Ok((2, Operation::Of(*compare)));
        }
        let known = OPERATIONS.iter().find(|(name, ..)| *name == self.op);
        let (_, inputs, compute) = known.ok_or_else(|| {
            Error::Manifest(format!(
                "epilogue: expected an operation that the reference computes, found {}",
                self.op
            ))
        })?;
        Ok((*inputs, Operation::Of(*compute)))
    }
}

impl Program {
    /// Checks an epilogue's numbers and names.
    ///
    /// # Errors
    ///
    /// A step that the reference does not compute, or that takes what there is not.
    pub fn new(epilogue: &Epilogue) -> Result<Self> {
        let operands = epilogue.operands.len();
        let mut steps = Vec::with_capacity(epilogue.steps.len());
        let mut known = operands + 1;
        let missing = |number: usize, known: usize| {
            Error::Manifest(format!("epilogue: expected a value below {known}, found {number}"))
        };
        for step in &epilogue.steps {
            let (inputs, operation) = step.operation()?;
            if step.inputs.len() != inputs {
                return Err(Error::Manifest(format!(
                    "epilogue: expected {inputs} inputs for {}, found {}",
                    step.op,
                    step.inputs.len()
                )));
            }
            let mut numbers = [0; 3];
            for (place, &number) in numbers.iter_mut().zip(&step.inputs) {
                if number >= known {
                    return Err(missing(number, known));
                }
                *place = number;
            }
            steps.push((operation, numbers));
            known += 1;
        }
        if epilogue.result >= known {
            return Err(missing(epilogue.result, known));
        }
        Ok(Self { operands, steps, result: epilogue.result })
    }

    /// The element of the result, of the sum and the elements of the operands, as many as there are;
    /// `values` is memory for what comes between.
    pub fn apply(
        &self,
        sum: f64,
        operands: impl Iterator<Item = f64>,
        values: &mut Vec<f64>,
    ) -> f64 {
        values.clear();
        values.push(sum);
        values.extend(operands.take(self.operands));
        for (operation, inputs) in &self.steps {
            values.push(match operation {
                Operation::Constant(value) => *value,
                Operation::Of(compute) => {
                    compute(&inputs.map(|input| values.get(input).copied().unwrap_or(f64::NAN)))
                }
            });
        }
        values.get(self.result).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(op: &str, inputs: &[usize], detail: Option<&str>) -> Step {
        Step { op: op.into(), inputs: inputs.to_vec(), detail: detail.map(str::to_owned) }
    }

    fn value(epilogue: &Epilogue, sum: f64, operands: &[f64]) -> f64 {
        let program = Program::new(epilogue).unwrap();
        program.apply(sum, operands.iter().copied(), &mut Vec::new())
    }

    #[test]
    fn steps_follow_each_other() {
        // max(0.5 * sum + bias, 0).
        let epilogue = Epilogue {
            operands: vec![3],
            steps: vec![
                step("arith.constant", &[], Some("5e-1")),
                step("arith.mulf", &[0, 2], None),
                step("arith.addf", &[3, 1], None),
                step("arith.constant", &[], Some("0e0")),
                step("arith.maximumf", &[4, 5], None),
            ],
            result: 6,
        };
        assert_eq!(value(&epilogue, 8.0, &[1.0]), 5.0);
        assert_eq!(value(&epilogue, -8.0, &[1.0]), 0.0);
        let text = serde_json::to_string(&epilogue).unwrap();
        assert_eq!(serde_json::from_str::<Epilogue>(&text).unwrap(), epilogue);
    }

    #[test]
    fn functions_and_comparisons_by_hand() {
        let of = |op: &str, inputs: &[usize], x: &[f64]| {
            let operands = (1..x.len()).collect();
            let steps = vec![step(op, inputs, None)];
            value(&Epilogue { operands, steps, result: x.len() }, x[0], &x[1..])
        };
        assert_eq!(of("math.rsqrt", &[0], &[4.0]), 0.5);
        assert_eq!(of("math.fma", &[0, 1, 2], &[2.0, 3.0, 4.0]), 10.0);
        assert_eq!(of("arith.select", &[0, 1, 2], &[0.0, 3.0, 4.0]), 4.0);
        assert!(of("arith.maximumf", &[0, 1], &[f64::NAN, 1.0]).is_nan());
        assert!(of("arith.minimumf", &[0, 1], &[1.0, f64::NAN]).is_nan());
        assert_eq!(of("arith.maxnumf", &[0, 1], &[f64::NAN, 1.0]), 1.0);
        for (predicate, expected) in [("olt", 1.0), ("oge", 0.0), ("ord", 1.0), ("une", 1.0)] {
            let steps = vec![step("arith.cmpf", &[0, 1], Some(predicate))];
            let epilogue = Epilogue { operands: vec![1], steps, result: 2 };
            assert_eq!(value(&epilogue, 1.0, &[2.0]), expected, "{predicate}");
        }
    }

    #[test]
    fn the_error_function_agrees_with_a_table() {
        // Abramowitz and Stegun, table 7.1.
        for (x, expected) in [(0.0, 0.0), (0.5, 0.520_499_877_8), (1.0, 0.842_700_792_9)] {
            assert!((erf(x) - expected).abs() < 1e-10, "{x}");
            assert_eq!(erf(-x), -erf(x));
        }
        assert_eq!(erf(7.0), 1.0);
        assert!((erf(3.0) - 0.999_977_909_5).abs() < 1e-10);
        assert!(erf(f64::NAN).is_nan());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |step: Step, result: usize| {
            let epilogue = Epilogue { operands: vec![3], steps: vec![step], result };
            Program::new(&epilogue).unwrap_err().to_string()
        };
        assert_eq!(
            error(step("arith.addi", &[0, 1], None), 2),
            "manifest: epilogue: expected an operation that the reference computes, found arith.addi"
        );
        assert_eq!(
            error(step("arith.addf", &[0], None), 2),
            "manifest: epilogue: expected 2 inputs for arith.addf, found 1"
        );
        assert_eq!(
            error(step("arith.addf", &[0, 2], None), 2),
            "manifest: epilogue: expected a value below 2, found 2"
        );
        assert_eq!(
            error(step("arith.addf", &[0, 1], None), 3),
            "manifest: epilogue: expected a value below 3, found 3"
        );
        assert_eq!(
            error(step("arith.constant", &[], Some("one")), 2),
            "manifest: epilogue: expected a number for arith.constant, found \"one\""
        );
        assert_eq!(
            error(step("arith.cmpf", &[0, 1], Some("less")), 2),
            "manifest: epilogue: expected a predicate for arith.cmpf, found \"less\""
        );
    }
}
