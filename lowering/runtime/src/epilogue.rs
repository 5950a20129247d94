//! The epilogue of a kernel, from the manifest, and its float64 reference.
//!
//! Values are numbered: 0 is the accumulator, then comes that of a second B, then the elements of the operands, then each
//! step's result. A boolean is 1 or 0, and an integer is the signed number of its bits. A step that rounds to a type
//! of fewer bits rounds here too.

use serde::{Deserialize, Serialize};

use crate::{Error, Result, data::nearest, manifest::Element};

/// An epilogue as the manifest has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Epilogue {
    /// The numbers of the arguments whose elements are the values after the accumulators.
    pub operands: Vec<usize>,
    /// In order.
    pub steps: Vec<Step>,
    /// The number of the value that is stored.
    pub result: usize,
    /// The number of the argument that is a second B, whose accumulator is value 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dual: Option<usize>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The operation's name in MLIR.
    pub op: String,
    /// The numbers of its operands.
    pub inputs: Vec<usize>,
    /// A constant's number, or a comparison's predicate; the types that integers and casts are of.
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

/// The effect of a step on its operands.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Constant(f64),
    Of(Evaluate),
    /// An operation on a type, and on the type that is cast from.
    Typed(Typed, Kind, Kind),
}

/// The type of a value, if it is not the accumulator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The accumulator's own, or a float that represents its numbers.
    Wide,
    F32,
    F16,
    Bf16,
    /// So many bits.
    Integer(u32),
}

impl Kind {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "f64" => Self::Wide,
            "f32" => Self::F32,
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "i1" => Self::Integer(1),
            "i8" => Self::Integer(8),
            "i16" => Self::Integer(16),
            "i32" => Self::Integer(32),
            _ => return None,
        })
    }

    /// The number of this type that another one becomes: floats are rounded to nearest, even, and of integers the
    /// low bits stay.
    fn holds(self, value: f64) -> f64 {
        match self {
            Self::Wide => value,
            // By way of f32, which is what is rounded in a kernel.
            Self::F32 => f64::from(value as f32),
            Self::F16 => nearest(Element::F16, f64::from(value as f32)),
            Self::Bf16 => nearest(Element::Bf16, f64::from(value as f32)),
            // A boolean is 0 or 1.
            Self::Integer(1) => f64::from(u8::from((value as i64) & 1 == 1)),
            Self::Integer(bits) => {
                let shift = 64 - bits;
                ((((value as i64) << shift) >> shift) as i32).into()
            }
        }
    }

    /// The bits of an integer as a number that is not negative.
    fn unsigned(self, value: f64) -> f64 {
        match self {
            Self::Integer(bits) if value < 0.0 => value + f64::from(bits).exp2(),
            _ => value,
        }
    }

    /// The bits of an integer as a signed number: a boolean is -1 then.
    fn signed(self, value: f64) -> f64 {
        if self == Self::Integer(1) { -value } else { value }
    }
}

/// The result of an operation on its operands, by the type that it computes and the one that it takes.
type Typed = fn(&[f64; 3], Kind, Kind) -> f64;

/// The operations on integers, and those from one type to another.
const TYPED: &[(&str, usize, Typed)] = &[
    ("arith.truncf", 1, |x, to, _| to.holds(x[0])),
    ("arith.addi", 2, |x, to, _| to.holds(x[0] + x[1])),
    ("arith.subi", 2, |x, to, _| to.holds(x[0] - x[1])),
    // The product of two integers of 32 bits has more bits than a float64 holds.
    ("arith.muli", 2, |x, to, _| to.holds(((x[0] as i64).wrapping_mul(x[1] as i64) as i32).into())),
    ("arith.andi", 2, |x, to, _| to.holds(((x[0] as i32) & (x[1] as i32)).into())),
    ("arith.ori", 2, |x, to, _| to.holds(((x[0] as i32) | (x[1] as i32)).into())),
    ("arith.xori", 2, |x, to, _| to.holds(((x[0] as i32) ^ (x[1] as i32)).into())),
    ("arith.maxsi", 2, |x, to, _| if to.signed(x[0]) >= to.signed(x[1]) { x[0] } else { x[1] }),
    ("arith.minsi", 2, |x, to, _| if to.signed(x[0]) <= to.signed(x[1]) { x[0] } else { x[1] }),
    ("arith.maxui", 2, |x, to, _| if to.unsigned(x[0]) >= to.unsigned(x[1]) { x[0] } else { x[1] }),
    ("arith.minui", 2, |x, to, _| if to.unsigned(x[0]) <= to.unsigned(x[1]) { x[0] } else { x[1] }),
    ("arith.extsi", 1, |x, to, from| to.holds(from.signed(x[0]))),
    ("arith.extui", 1, |x, to, from| to.holds(from.unsigned(x[0]))),
    ("arith.trunci", 1, |x, to, _| to.holds(x[0])),
    ("arith.sitofp", 1, |x, to, from| to.holds(from.signed(x[0]))),
    ("arith.uitofp", 1, |x, to, from| to.holds(from.unsigned(x[0]))),
    ("arith.fptosi", 1, |x, to, _| to.holds(x[0].trunc())),
    ("arith.fptoui", 1, |x, to, _| to.holds(x[0].trunc())),
];

/// The predicates of `arith.cmpi`.
const ORDERS: &[(&str, Typed)] = &[
    ("eq", |x, _, _| boolean(x[0] == x[1])),
    ("ne", |x, _, _| boolean(x[0] != x[1])),
    ("slt", |x, of, _| boolean(of.signed(x[0]) < of.signed(x[1]))),
    ("sle", |x, of, _| boolean(of.signed(x[0]) <= of.signed(x[1]))),
    ("sgt", |x, of, _| boolean(of.signed(x[0]) > of.signed(x[1]))),
    ("sge", |x, of, _| boolean(of.signed(x[0]) >= of.signed(x[1]))),
    ("ult", |x, of, _| boolean(of.unsigned(x[0]) < of.unsigned(x[1]))),
    ("ule", |x, of, _| boolean(of.unsigned(x[0]) <= of.unsigned(x[1]))),
    ("ugt", |x, of, _| boolean(of.unsigned(x[0]) > of.unsigned(x[1]))),
    ("uge", |x, of, _| boolean(of.unsigned(x[0]) >= of.unsigned(x[1]))),
];

/// The result of an operation on its operands, at most three.
type Evaluate = fn(&[f64; 3]) -> f64;

/// The operations that have no detail: how many operands, and what they give.
const OPERATIONS: &[(&str, usize, Evaluate)] = &[
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
    ("arith.extf", 1, |x| x[0]),
    ("math.absf", 1, |x| x[0].abs()),
    ("math.ceil", 1, |x| x[0].ceil()),
    ("math.copysign", 2, |x| x[0].copysign(x[1])),
    ("math.erf", 1, |x| erf(x[0])),
    ("math.exp", 1, |x| x[0].exp()),
    ("math.exp2", 1, |x| x[0].exp2()),
    ("math.expm1", 1, |x| x[0].exp_m1()),
    ("math.floor", 1, |x| x[0].floor()),
    ("math.fma", 3, |x| x[0].mul_add(x[1], x[2])),
    ("math.log", 1, |x| x[0].ln()),
    ("math.log1p", 1, |x| x[0].ln_1p()),
    ("math.roundeven", 1, |x| x[0].round_ties_even()),
    ("math.rsqrt", 1, |x| 1.0 / x[0].sqrt()),
    ("math.sqrt", 1, |x| x[0].sqrt()),
    ("math.tanh", 1, |x| x[0].tanh()),
    ("math.trunc", 1, |x| x[0].trunc()),
];

/// The predicates of `arith.cmpf`.
const PREDICATES: &[(&str, Evaluate)] = &[
    ("false", |_| 0.0),
    ("oeq", |x| boolean(x[0] == x[1])),
    ("ogt", |x| boolean(x[0] > x[1])),
    ("oge", |x| boolean(x[0] >= x[1])),
    ("olt", |x| boolean(x[0] < x[1])),
    ("ole", |x| boolean(x[0] <= x[1])),
    ("one", |x| boolean(!unordered(x) && x[0] != x[1])),
    ("ord", |x| boolean(!unordered(x))),
    ("ueq", |x| boolean(unordered(x) || x[0] == x[1])),
    ("ugt", |x| boolean(unordered(x) || x[0] > x[1])),
    ("uge", |x| boolean(unordered(x) || x[0] >= x[1])),
    ("ult", |x| boolean(unordered(x) || x[0] < x[1])),
    ("ule", |x| boolean(unordered(x) || x[0] <= x[1])),
    ("une", |x| boolean(x[0] != x[1])),
    ("uno", |x| boolean(unordered(x))),
    ("true", |_| 1.0),
];

fn boolean(holds: bool) -> f64 {
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
        let kind = |text: &str| {
            Kind::parse(text).ok_or_else(|| {
                Error::Manifest(format!(
                    "epilogue: expected types that the reference knows for {}, found {detail:?}",
                    self.op
                ))
            })
        };
        let (first, second) = detail.split_once(' ').unwrap_or((detail, detail));
        if self.op == "arith.cmpi" {
            let known = ORDERS.iter().find(|(name, _)| *name == first);
            let (_, compare) = known.ok_or_else(|| {
                Error::Manifest(format!(
                    "epilogue: expected a predicate and a type for arith.cmpi, found {detail:?}"
                ))
            })?;
            let of = kind(second)?;
            return Ok((2, Operation::Typed(*compare, of, of)));
        }
        if let Some((_, inputs, compute)) = TYPED.iter().find(|(name, ..)| *name == self.op) {
            // No type is that of the sum.
            let (from, to) = match (self.op.as_str(), detail) {
                (_, "") => (Kind::Wide, Kind::Wide),
                _ => (kind(first)?, kind(second)?),
            };
            return Ok((*inputs, Operation::Typed(*compute, to, from)));
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
        // The second accumulator is passed like an operand's element.
        let operands = epilogue.operands.len() + usize::from(epilogue.dual.is_some());
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

    /// The element of the result, from the accumulator, that of a second B and the elements of the operands;
    /// `values` is memory for intermediate values.
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
            let inputs = || inputs.map(|input| values.get(input).copied().unwrap_or(f64::NAN));
            values.push(match operation {
                Operation::Constant(value) => *value,
                Operation::Of(compute) => compute(&inputs()),
                Operation::Typed(compute, to, from) => compute(&inputs(), *to, *from),
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
            dual: None,
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
            value(&Epilogue { operands, steps, result: x.len(), dual: None }, x[0], &x[1..])
        };
        assert_eq!(of("math.rsqrt", &[0], &[4.0]), 0.5);
        assert_eq!(of("math.fma", &[0, 1, 2], &[2.0, 3.0, 4.0]), 10.0);
        assert_eq!(of("arith.select", &[0, 1, 2], &[0.0, 3.0, 4.0]), 4.0);
        assert!(of("arith.maximumf", &[0, 1], &[f64::NAN, 1.0]).is_nan());
        assert!(of("arith.minimumf", &[0, 1], &[1.0, f64::NAN]).is_nan());
        assert_eq!(of("arith.maxnumf", &[0, 1], &[f64::NAN, 1.0]), 1.0);
        for (predicate, expected) in [("olt", 1.0), ("oge", 0.0), ("ord", 1.0), ("une", 1.0)] {
            let steps = vec![step("arith.cmpf", &[0, 1], Some(predicate))];
            let epilogue = Epilogue { operands: vec![1], steps, result: 2, dual: None };
            assert_eq!(value(&epilogue, 1.0, &[2.0]), expected, "{predicate}");
        }
    }

    #[test]
    fn integers_and_casts_by_hand() {
        let of = |op: &str, detail: &str, x: &[f64]| {
            let inputs: Vec<usize> = (0..x.len()).collect();
            let steps = vec![step(op, &inputs, (!detail.is_empty()).then_some(detail))];
            value(
                &Epilogue { operands: (1..x.len()).collect(), steps, result: x.len(), dual: None },
                x[0],
                &x[1..],
            )
        };
        // Halfway between 1 and the next bf16, of which 1 is even; and just above.
        assert_eq!(of("arith.truncf", "bf16", &[1.0 + 2f64.powi(-8)]), 1.0);
        assert_eq!(of("arith.truncf", "bf16", &[1.0 + 2f64.powi(-8) + 2f64.powi(-20)]), 1.0078125);
        assert_eq!(of("arith.truncf", "f16", &[65_520.0]), f64::INFINITY);
        assert_eq!(of("arith.truncf", "f32", &[1.0 + 2f64.powi(-30)]), 1.0);
        assert_eq!(of("arith.extf", "", &[0.5]), 0.5);
        for (op, detail, x, expected) in [
            ("arith.addi", "i8", [100.0, 100.0], -56.0),
            ("arith.subi", "i32", [-2_147_483_648.0, 1.0], 2_147_483_647.0),
            ("arith.muli", "i32", [65_536.0, 65_537.0], 65_536.0),
            ("arith.xori", "i1", [1.0, 1.0], 0.0),
            ("arith.andi", "i16", [-1.0, 255.0], 255.0),
            ("arith.maxui", "i8", [-1.0, 1.0], -1.0),
            ("arith.maxsi", "i8", [-1.0, 1.0], 1.0),
            ("arith.cmpi", "slt i8", [-1.0, 1.0], 1.0),
            ("arith.cmpi", "ult i8", [-1.0, 1.0], 0.0),
            ("arith.cmpi", "slt i1", [1.0, 0.0], 1.0),
        ] {
            assert_eq!(of(op, detail, &x), expected, "{op} {detail}");
        }
        for (op, detail, x, expected) in [
            ("arith.extsi", "i1 i32", 1.0, -1.0),
            ("arith.extui", "i1 i32", 1.0, 1.0),
            ("arith.extui", "i8 i32", -1.0, 255.0),
            ("arith.uitofp", "i1 f32", 1.0, 1.0),
            ("arith.sitofp", "i1 f32", 1.0, -1.0),
            ("arith.uitofp", "i32 f32", -1.0, 4_294_967_296.0),
            ("arith.fptosi", "i32", -1.5, -1.0),
            ("arith.trunci", "i8", 255.0, -1.0),
        ] {
            assert_eq!(of(op, detail, &[x]), expected, "{op} {detail}");
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
            let epilogue = Epilogue { operands: vec![3], steps: vec![step], result, dual: None };
            Program::new(&epilogue).unwrap_err().to_string()
        };
        assert_eq!(
            error(step("arith.remf", &[0, 1], None), 2),
            "manifest: epilogue: expected an operation that the reference computes, found arith.remf"
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
        assert_eq!(
            error(step("arith.cmpi", &[0, 1], Some("less i8")), 2),
            "manifest: epilogue: expected a predicate and a type for arith.cmpi, found \"less i8\""
        );
        assert_eq!(
            error(step("arith.addi", &[0, 1], Some("i64")), 2),
            "manifest: epilogue: expected types that the reference knows for arith.addi, found \"i64\""
        );
    }
}
