//! The elements of results that are right.

use super::{Dense, Field, ReferenceFn, problem, words};
use crate::data::Random;
use crate::distance::{self, Distance, distance, distance_of_integers};
use crate::manifest::{Access, Element, Kernel};
use crate::scalar::Scalar;
use crate::{Error, Result};

/// Runs of a reference on disturbed operands, for results that are integers.
pub const RUNS: u64 = 8;

/// The reference that results are compared with.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The number of each operand that the kernel writes, and the elements that are right.
    pub(super) results: Vec<(usize, ExpectedElements)>,
}

/// The expected elements of a result.
#[derive(Clone, Debug)]
pub(super) enum ExpectedElements {
    /// Floats, and how far arithmetic may be off.
    Floats(Vec<f64>, f64),
    /// Integers of the reference's runs, the exact one in front, and the part that the floats of the others are off by.
    Integers(Vec<Vec<i64>>, f64),
}

/// The numbers on the way to a kernel's results.
pub(super) struct Steps {
    /// How many are added up for an element.
    pub(super) depth: u64,
    /// The type that they are rounded to, and the one narrower than f32 that is computed in, or f64 where that is the only one.
    pub(super) rounds: Option<Element>,
    pub(super) arithmetic: Option<Element>,
}

impl Steps {
    fn of(kernel: &Kernel) -> Result<Self> {
        match (&kernel.reference, &kernel.problem) {
            (Some(reference), _) => Ok(Self {
                depth: reference.depth,
                rounds: reference.rounds,
                arithmetic: reference.arithmetic,
            }),
            (None, Some(own)) => Ok(problem::steps(own)),
            (None, None) => Err(Error::Manifest(format!(
                "kernel {}: expected a reference, found none",
                kernel.name
            ))),
        }
    }

    /// How far a float of the kernel's arithmetic may be off, where each step of it is off by `part`.
    fn off(&self, part: f64) -> f64 {
        part * (2.0 + (self.depth as f64).sqrt())
    }

    /// The least relative error of results, as a part of [`distance::MAX_ERROR_RATIO`] times it.
    fn least(&self) -> f64 {
        const MAX_RATIO: f64 = 0.25 / distance::MAX_ERROR_RATIO;
        let rounds = self.rounds.map_or(0.0, |element| roundoff(element) / 2.0);
        let depth = (self.depth as f64).sqrt();
        let narrow = self.arithmetic.map_or(0.0, |element| roundoff(element) * (1.0 + depth) / 8.0);
        rounds.max(narrow.min(MAX_RATIO))
    }
}

/// The step of the numbers of an element type below its normal ones.
fn least(element: Element) -> f64 {
    match element {
        Element::E4m3 => 2f64.powi(-9),
        Element::E5m2 => 2f64.powi(-16),
        Element::F16 => 2f64.powi(-24),
        Element::Bf16 => 2f64.powi(-133),
        Element::Tf32 => 2f64.powi(-136),
        Element::F32 => 2f64.powi(-149),
        Element::F64 => f64::from_bits(1),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => 0.0,
    }
}

/// The unit roundoff of an element type.
fn roundoff(element: Element) -> f64 {
    match element {
        Element::E4m3 => 2f64.powi(-4),
        Element::E5m2 => 2f64.powi(-3),
        Element::Bf16 => 2f64.powi(-8),
        Element::F16 | Element::Tf32 => 2f64.powi(-11),
        Element::F32 => 2f64.powi(-24),
        Element::F64 => 2f64.powi(-53),
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => 0.0,
    }
}

/// The unit roundoff of the arithmetic of a result of a kernel: f64's where the result has it and the reference computes in it
/// alone.
fn arithmetic_of(result: &Field, steps: &Steps, part: f64) -> f64 {
    let is_wide = result.element == Element::F64 && steps.arithmetic == Some(Element::F64);
    if is_wide { part.min(roundoff(Element::F64)) } else { part }
}

/// The unit roundoff of a kernel's arithmetic.
fn arithmetic(kernel: &Kernel) -> f64 {
    let own = kernel.args.iter().map(|argument| argument.element);
    let floats = own.chain(kernel.scalars.iter().filter_map(Scalar::float));
    let floats: Vec<Element> = floats.filter(|element| !element.is_integer()).collect();
    match floats.as_slice() {
        [] => 0.0,
        all if all.iter().all(|&element| element == Element::F64) => roundoff(Element::F64),
        _ => roundoff(Element::F32),
    }
}

impl Expected {
    /// The results of a reference, or without one of the kernel's problem, on operands that hold `memory`, from their first elements on.
    ///
    /// # Errors
    ///
    /// Those of the reference; a kernel with neither.
    pub fn new(
        kernel: &Kernel,
        fields: &[Field],
        memory: &[Vec<u8>],
        computes: Option<&ReferenceFn<'_>>,
    ) -> Result<Self> {
        let steps = Steps::of(kernel)?;
        let dense = || fields.iter().zip(memory).map(|(field, bytes)| Dense::new(field, bytes));
        let run = |off: f64, seed: u64| -> Result<Vec<Dense>> {
            let (mut operands, mut random) = (dense().collect::<Vec<_>>(), Random::new(seed));
            for dense in &mut operands {
                dense.disturb(off, &mut random);
            }
            match computes {
                Some(computes) => computes(&words(kernel, &mut operands)?)?,
                None => problem::compute(kernel, &mut operands)?,
            }
            Ok(operands)
        };
        let exact = run(0.0, 0)?;
        let part = arithmetic(kernel);
        let moved_by = |part: f64| match part > 0.0 {
            true => run(steps.off(part), steps.depth),
            false => Ok(exact.clone()),
        };
        let mut moved: Vec<(f64, Vec<Dense>)> = Vec::new();
        let narrow = steps.arithmetic.map_or(part, |element| roundoff(element).max(part));
        let far = distance::MAX_ERROR_RATIO * steps.off(narrow);
        let is_integer = |field: &Field| field.access != Access::Read && field.element.is_integer();
        let mut disturbed = Vec::new();
        if far > 0.0 && fields.iter().any(is_integer) {
            for seed in 0..RUNS {
                disturbed.push(run(if seed % 2 == 0 { far } else { -far }, seed / 2)?);
            }
        }
        let before: Vec<Dense> = dense().collect();
        let mut results = Vec::new();
        for (number, field) in fields.iter().enumerate() {
            if field.access == Access::Read {
                if exact[number].words != before[number].words {
                    let expected = "a reference that writes what the kernel writes";
                    return Err(kernel.contradicts(format!(
                        "expected {expected}, found one that writes {}, which the kernel only reads",
                        field.name
                    )));
                }
                continue;
            }
            if field.element.is_integer() {
                let runs = std::iter::once(&exact).chain(&disturbed);
                let runs = runs.map(|run| run[number].integers()).collect();
                results.push((number, ExpectedElements::Integers(runs, far)));
                continue;
            }
            let values = exact[number].values();
            let part = arithmetic_of(field, &steps, part);
            let known = moved.iter().position(|&(own, _)| own == part);
            let known = match known {
                Some(known) => known,
                None => {
                    moved.push((part, moved_by(part)?));
                    moved.len() - 1
                }
            };
            let off =
                crate::reference::difference(&moved[known].1[number].values(), &values).relative;
            let off = if off.is_finite() { off.max(part) } else { part }.max(steps.least());
            // Nothing but poison, if the kernel does not read it.
            if !values.is_empty() && values.iter().all(|value| value.is_nan()) {
                let expected = "a reference that writes numbers where the kernel writes";
                return Err(kernel.contradicts(format!(
                    "expected {expected}, found none in argument {}: the reference does not write it, or reads what only the kernel writes",
                    field.name
                )));
            }
            results.push((number, ExpectedElements::Floats(values, off)));
        }
        if results.is_empty() {
            let found = "expected a kernel that writes one of its arguments, found none";
            return Err(kernel.contradicts(found.to_owned()));
        }
        Ok(Self { results })
    }

    /// How far the results are that operands hold now: of the worst of them.
    pub fn distance(&self, fields: &[Field], memory: &[Vec<u8>]) -> Distance {
        let mut all = Distance::default();
        for (number, right) in &self.results {
            let (field, bytes) = (&fields[*number], &memory[*number]);
            let precision = (roundoff(field.element), least(field.element));
            let own = match right {
                ExpectedElements::Floats(expected, off) => {
                    distance(&field.values(bytes), expected, precision, *off)
                }
                ExpectedElements::Integers(runs, part) => {
                    distance_of_integers(&field.integers(bytes), runs, *part)
                }
            };
            let wrong = own.wrong + all.wrong;
            let is_worse = own.worst.is_nan() || own.worst >= all.worst;
            if is_worse && !all.worst.is_nan() {
                all = Distance { element: field.element_at(own.place), ..own };
            }
            all.wrong = wrong;
        }
        all
    }
}
