//! The slow, obvious GEMM in float64 on the CPU, and the error of a result against it.
//!
//! Its twin for the GPU is `reference.ptx` (made from `reference.cu` beside it), used where the CPU
//! would take minutes.

use rayon::prelude::*;

use crate::data;
use crate::epilogue::Epilogue;
use crate::manifest::{Element, Precision};

/// PTX of the float64 GEMM on the GPU.
pub const PTX: &str = include_str!("reference.ptx");

/// The entry in [`PTX`].
pub const ENTRY: &str = "layout_reference_gemm";

/// Rows and columns of a block of [`ENTRY`], which has as many threads.
pub const TILE: usize = 16;

/// `C(i,j) = sum over l of A(i,l) * B(j,l)`; all packed row-major: A (m,k), B (n,k), C (m,n).
pub fn gemm(a: &[f64], b: &[f64], m: usize, n: usize, k: usize) -> Vec<f64> {
    let mut c = vec![0.0; m * n];
    if m == 0 || n == 0 || k == 0 {
        return c;
    }
    c.par_chunks_mut(n).zip(a.par_chunks(k)).for_each(|(out, row)| {
        for (columns, out) in b.chunks(ABREAST * k).zip(out.chunks_mut(ABREAST)) {
            products(row, columns, out);
        }
    });
    c
}

/// Columns whose sums grow side by side: each addition waits for the one before it in its own column only.
const ABREAST: usize = 8;

/// The products of a row and of at most [`ABREAST`] columns, each added up from its first element to its last.
fn products(row: &[f64], columns: &[f64], out: &mut [f64]) {
    let k = row.len();
    // A sum of nothing, as `Iterator::sum` has it.
    let mut sums = [-0.0; ABREAST];
    if columns.len() == ABREAST * k {
        let columns: [&[f64]; ABREAST] = std::array::from_fn(|j| &columns[j * k..][..k]);
        for (l, x) in row.iter().enumerate() {
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum += x * column[l];
            }
        }
    } else {
        for (sum, column) in sums.iter_mut().zip(columns.chunks(k)) {
            *sum = row.iter().zip(column).map(|(x, y)| x * y).sum();
        }
    }
    out.copy_from_slice(&sums[..out.len()]);
}

/// How far a result is from the reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Frobenius norm of the difference over that of the reference; NaN when the result holds a NaN.
    pub relative: f64,
    /// Largest absolute difference; NaN when the result holds a NaN.
    pub largest: f64,
    /// Index (packed, row-major) of the largest difference, or of the first NaN.
    pub worst: usize,
}

/// Compares a result with the reference, element by element.
pub fn difference(result: &[f64], reference: &[f64]) -> Difference {
    differences(result.iter().zip(reference).map(|(found, expected)| (*found, *expected)))
}

fn differences(pairs: impl Iterator<Item = (f64, f64)>) -> Difference {
    let mut squares = 0.0;
    let mut norm = 0.0;
    let mut largest = 0.0f64;
    let mut worst = 0;
    for (index, (found, expected)) in pairs.enumerate() {
        let off = (found - expected).abs();
        squares += off * off;
        norm += expected * expected;
        if (off.is_nan() && !largest.is_nan()) || off > largest {
            (largest, worst) = (off, index);
        }
    }
    let relative = if norm > 0.0 { (squares / norm).sqrt() } else { squares.sqrt() };
    Difference { relative, largest, worst }
}

/// The epilogue of accumulators, in their place.
pub type InPlace<'a> = dyn Fn(&mut [f64]) + 'a;

/// The reference that a result is compared with.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The elements in float64, packed row-major.
    pub values: Vec<f64>,
    /// The elements that an epilogue makes of accumulators that are off by their error; empty without one. A
    /// function that saturates, as tanh, makes small numbers of large accumulators, and keeps the error
    /// of those near zero: it is then a larger part of the result than of the accumulators.
    moved: Vec<f64>,
}

impl Reference {
    /// The reference of accumulators in float64, with the epilogue applied, if there is one.
    pub fn new(
        accumulators: Vec<f64>,
        comparison: &Comparison,
        epilogue: Option<&InPlace<'_>>,
    ) -> Self {
        let Some(epilogue) = epilogue else {
            return Self { values: accumulators, moved: Vec::new() };
        };
        let error = comparison.accumulators * root_mean_square(&accumulators);
        let mut moved: Vec<f64> = accumulators.iter().map(|sum| sum + error).collect();
        let mut values = accumulators;
        epilogue(&mut values);
        epilogue(&mut moved);
        Self { values, moved }
    }

    /// How far the error of its accumulator moves an element.
    fn shift(&self, index: usize) -> f64 {
        let pair = self.moved.get(index).zip(self.values.get(index));
        pair.map_or(0.0, |(moved, value)| (moved - value).abs())
    }
}

/// The greatest ratio of one accumulator's error to the mean error.
const MAX_ERROR_RATIO: f64 = 4.0;

/// How a result is compared.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The element type of the result.
    element: Element,
    /// The relative error that a right result stays below, but for what an epilogue makes of the
    /// accumulators' error; 0 of a result of 8 bits.
    tolerance: f64,
    /// The relative error of the accumulators.
    accumulators: f64,
    /// How wrong what is rounded to 8 bits may be: relative to it and to the root of the mean square of all.
    error: f64,
}

impl Comparison {
    /// The comparison of a GEMM, by its element types, the number of multiply-adds for each element, and the rounding on
    /// the way.
    pub fn new(
        elements: [Element; 3],
        depth: usize,
        precision: Option<Precision>,
        epilogue: Option<&Epilogue>,
    ) -> Self {
        let element = elements[2];
        // The wider of two types is multiplied, which is a float.
        let multiplied = if elements[0].is_integer() { elements[1] } else { elements[0] };
        let (tolerance, error) = match element.is_byte() {
            true => (0.0, error_of_sums(multiplied, depth, precision, epilogue)),
            false => (tolerance(elements, precision).max(error_of_steps(epilogue)), 0.0),
        };
        let accumulators = self::tolerance([elements[0], elements[1], Element::F32], precision);
        Self {
            element,
            tolerance,
            accumulators: if multiplied.is_integer() { 0.0 } else { accumulators },
            error,
        }
    }

    /// The relative error that a right result stays below; 0 of a result of 8 bits.
    pub fn tolerance(&self, reference: &Reference) -> f64 {
        if self.element.is_byte() || reference.moved.is_empty() {
            return self.tolerance;
        }
        let carried = difference(&reference.moved, &reference.values).relative;
        if carried.is_finite() { self.tolerance.max(carried) } else { self.tolerance }
    }

    /// How far a result is from the reference. One of 8 bits is wrong where no number that is as near to the
    /// reference as accumulators are is rounded to it: the difference is that to the nearest that would be
    /// right.
    pub fn difference(&self, result: &[f64], reference: &Reference) -> Difference {
        if !self.element.is_byte() {
            return difference(result, &reference.values);
        }
        differences(self.pairs(result, reference))
    }

    /// Each element of a result of 8 bits, and the right one that is nearest to it.
    fn pairs<'a>(
        &'a self,
        result: &'a [f64],
        reference: &'a Reference,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let size = root_mean_square(&reference.values);
        let pairs = result.iter().zip(&reference.values).enumerate();
        pairs.map(move |(index, (&found, &expected))| {
            let slack =
                self.error * (size + expected.abs()) + MAX_ERROR_RATIO * reference.shift(index);
            (found, self.right(found, expected, slack))
        })
    }

    /// The number of elements of a result that hold the poison of unwritten memory, and are right: integers, which have no
    /// value that a result never has, such as -128 of i8.
    pub fn right_as_poison(&self, result: &[f64], reference: &Reference) -> usize {
        if !self.element.is_integer() {
            return 0;
        }
        let poison = data::decode(self.element, &[data::poison(self.element); 8]);
        let is_right = |(found, right): (f64, f64)| found == poison && right == found;
        if self.element.is_byte() {
            return self.pairs(result, reference).filter(|&pair| is_right(pair)).count();
        }
        let pairs = result.iter().copied().zip(reference.values.iter().copied());
        pairs.filter(|&pair| is_right(pair)).count()
    }

    /// The number that is nearest to the one found, among those that a number within `slack` of the expected
    /// one is rounded to.
    fn right(&self, found: f64, expected: f64, slack: f64) -> f64 {
        let [low, high] =
            [expected - slack, expected + slack].map(|value| data::nearest(self.element, value));
        if found < low {
            low
        } else if found > high {
            high
        } else if low.is_nan() {
            low
        } else {
            found
        }
    }
}

fn root_mean_square(values: &[f64]) -> f64 {
    let squares: f64 = values.iter().filter(|value| value.is_finite()).map(|x| x * x).sum();
    (squares / values.len().max(1) as f64).sqrt()
}

/// The largest error of accumulators, and of what an epilogue makes of them, before they are rounded to 8 bits: of one
/// of many, which is some times their mean. Above all it is below half a step of what they are rounded to, so that
/// what is rounded wrong is seen.
fn error_of_sums(
    operand: Element,
    depth: usize,
    precision: Option<Precision>,
    epilogue: Option<&Epilogue>,
) -> f64 {
    /// Ten times the mean that was measured for e4m3 accumulators of this many multiply-adds.
    const SHORT: (f64, f64) = (2e-2, 8192.0);
    /// The relative error of an epilogue that rounds to f32 a few times.
    const ROUNDING: f64 = 1e-6;
    /// Chips' own approximations.
    const FUNCTIONS: f64 = 2e-3;
    let accumulators = match precision {
        _ if operand.is_integer() => 0.0,
        Some(Precision::NarrowAccumulator) => SHORT.0 * f64::max(depth as f64 / SHORT.1, 1.0),
        _ => MAX_ERROR_RATIO * tolerance([operand, operand, Element::F32], precision),
    };
    let steps = epilogue.map_or(0.0, |epilogue| {
        let approximate = |op: &str| {
            let exact = ["math.absf", "math.fma", "math.sqrt"];
            op.starts_with("math.") && !exact.contains(&op)
        };
        let functions = epilogue.steps.iter().any(|step| approximate(&step.op));
        if functions { FUNCTIONS } else { ROUNDING }
    }) + error_of_steps(epilogue);
    accumulators + steps
}

/// The relative error that an epilogue adds by rounding to types of fewer bits: an accumulator that is off by its last
/// bit may be rounded to the next number, or to the next integer.
fn error_of_steps(epilogue: Option<&Epilogue>) -> f64 {
    const REDUCED_PRECISION: &[&str] = &[
        "arith.fptosi",
        "arith.fptoui",
        "math.ceil",
        "math.floor",
        "math.roundeven",
        "math.trunc",
    ];
    let steps = epilogue.map(|epilogue| epilogue.steps.as_slice()).unwrap_or_default();
    let errors = steps.iter().map(|step| match (step.op.as_str(), step.detail.as_deref()) {
        ("arith.truncf", Some("bf16")) => 8e-3,
        ("arith.truncf", Some("f16")) => 1e-3,
        (op, _) if REDUCED_PRECISION.contains(&op) => 1e-2,
        _ => 0.0,
    });
    errors.fold(0.0, f64::max)
}

/// The relative error that a right result stays below, by the elements that went in and came out, and
/// what was rounded on the way.
fn tolerance(elements: [Element; 3], precision: Option<Precision>) -> f64 {
    let of = |element: Element| match element {
        // Rounding the result once costs up to 2^-8 and 2^-11 of an element; the rest is room for summation.
        Element::Bf16 => 8e-3,
        Element::F16 => 1e-3,
        // Accumulators in f32 on tensor cores truncate: the bound is for long accumulators.
        Element::F32 => 1e-4,
        Element::Tf32 => 1e-3,
        Element::F64 => 1e-10,
        // An element of 8 bits is as right as the value that it was rounded from allows.
        Element::E4m3
        | Element::E5m2
        | Element::I8
        | Element::I16
        | Element::I32
        | Element::I64 => 0.0,
    };
    // Inputs are exact in the reference too: only what is written is rounded, and f32 is what is summed in.
    let more: f64 = match precision {
        None => 0.0,
        // Each operand by up to 2^-11, at random.
        Some(Precision::Tf32) => 1e-3,
        // Tensor cores truncate products 13 bits below the greatest of those that they add at once.
        Some(Precision::NarrowAccumulator) => 1e-2,
        Some(Precision::TwoLevelAccumulation) => 2e-3,
    };
    f64::max(of(elements[2]), more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Random;

    #[test]
    fn small_numbers_by_hand() {
        // A = [[1,2],[3,4]], B (n,k) = [[5,6],[7,8],[9,10]].
        let c = gemm(&[1., 2., 3., 4.], &[5., 6., 7., 8., 9., 10.], 2, 3, 2);
        assert_eq!(c, [17., 23., 29., 39., 53., 67.]);
    }

    #[test]
    fn ragged_sizes_agree_with_the_triple_loop() {
        for (m, n, k) in [(1, 1, 1), (7, 13, 31), (33, 5, 17)] {
            let mut random = Random::new(3);
            let a: Vec<f64> = (0..m * k).map(|_| random.normal()).collect();
            let b: Vec<f64> = (0..n * k).map(|_| random.normal()).collect();
            let c = gemm(&a, &b, m, n, k);
            for i in 0..m {
                for j in 0..n {
                    let mut sum = 0.0;
                    for l in 0..k {
                        sum += a[i * k + l] * b[j * k + l];
                    }
                    assert_eq!(c[i * n + j], sum);
                }
            }
        }
    }

    #[test]
    fn the_error_is_relative_to_the_norm() {
        let difference = difference(&[3.0, 4.5], &[3.0, 4.0]);
        assert_eq!(difference, Difference { relative: 0.1, largest: 0.5, worst: 1 });
    }

    #[test]
    fn a_nan_is_never_right() {
        let found = difference(&[1.0, f64::NAN, 9.0], &[1.0, 2.0, 3.0]);
        assert!(found.relative.is_nan() && found.largest.is_nan());
        assert_eq!(found.worst, 1);
    }

    #[test]
    fn a_zero_reference_gives_the_absolute_error() {
        assert_eq!(difference(&[0.5], &[0.0]).relative, 0.5);
        assert_eq!(difference(&[0.0], &[0.0]).relative, 0.0);
    }

    /// The result of tanh is as wrong as its accumulators near zero, and small where they are large.
    #[test]
    fn a_function_that_saturates_keeps_the_error_of_its_accumulators() {
        let elements = [Element::F32; 3];
        let comparison = Comparison::new(elements, 992, Some(Precision::Tf32), None);
        let mut random = Random::new(7);
        let accumulators: Vec<f64> = (0..4096).map(|_| 15.0 * random.normal()).collect();
        let tanh = |values: &mut [f64]| values.iter_mut().for_each(|value| *value = value.tanh());
        let linear = |values: &mut [f64]| values.iter_mut().for_each(|value| *value *= 2.0);
        let reference = Reference::new(accumulators.clone(), &comparison, Some(&tanh));
        let allowed = comparison.tolerance(&reference);
        assert!((2e-3..2e-2).contains(&allowed), "{allowed}");
        // Accumulators that are off by as much as they may be pass, and by four times as much do not.
        let error = 1e-3 * root_mean_square(&accumulators);
        let off_by = |error: f64| {
            let mut result: Vec<f64> = accumulators.iter().map(|sum| sum - error).collect();
            tanh(&mut result);
            comparison.difference(&result, &reference).relative
        };
        assert!(off_by(0.9 * error) < allowed && off_by(4.0 * error) > allowed);
        // A linear epilogue, or none, leaves a result as right as its accumulators.
        let same = Reference::new(accumulators.clone(), &comparison, Some(&linear));
        assert!((comparison.tolerance(&same) - 1e-3).abs() < 1e-9);
        assert_eq!(comparison.tolerance(&Reference::new(accumulators, &comparison, None)), 1e-3);
    }

    #[test]
    fn results_of_8_bits_are_nearest_to_what_sums_allow() {
        let elements = [Element::Bf16, Element::Bf16, Element::E4m3];
        let comparison = Comparison::new(elements, 64, None, None);
        // 17 is between 16 and 18; 16.999 and 17.001 are as near to it as accumulators are.
        let only = |values: &[f64]| Reference { values: values.to_vec(), moved: Vec::new() };
        let off = |found, expected| comparison.difference(&[found], &only(&[expected])).largest;
        assert_eq!((off(16.0, 17.0), off(18.0, 17.0), off(20.0, 17.0)), (0.0, 0.0, 2.0));
        assert_eq!((off(16.0, 16.999), off(18.0, 16.999)), (0.0, 0.0));
        assert_eq!((off(16.0, 16.8), off(18.0, 16.8)), (0.0, 2.0));
        assert_eq!((off(448.0, 1e6), off(-448.0, -465.0)), (0.0, 0.0));
        assert!(off(f64::NAN, 1.0).is_nan());
        assert_eq!(comparison.tolerance(&only(&[1.0])), 0.0);
        // Accumulators of few bits are less exact, and what is rounded from them is within that.
        let short = Some(Precision::NarrowAccumulator);
        let elements = [Element::E4m3, Element::E4m3, Element::E4m3];
        let short = Comparison::new(elements, 64, short, None);
        let off = |found, expected| short.difference(&[found], &only(&[expected])).largest;
        assert_eq!(
            (short.tolerance(&only(&[1.0])), off(16.0, 17.5), off(16.0, 19.0)),
            (0.0, 0.0, 2.0)
        );
        let integers = [Element::I8, Element::I8, Element::I8];
        let exact = Comparison::new(integers, 64, None, None);
        assert_eq!(
            exact.difference(&[127.0, -128.0, 5.0], &only(&[1e4, -128.0, 5.0])).largest,
            0.0
        );
        assert_eq!(exact.difference(&[127.0], &only(&[126.0])).largest, 1.0);
        assert_eq!(exact.right_as_poison(&[-128.0, -128.0, 1.0], &only(&[-4000.0, 7.0, 1.0])), 1);
        let wide = Comparison::new([Element::I8, Element::I8, Element::I16], 64, None, None);
        let poison = f64::from(i16::from_le_bytes([0x80; 2]));
        assert_eq!(wide.right_as_poison(&[poison, poison, 1.0], &only(&[poison, 7.0, 1.0])), 1);
    }

    #[test]
    fn the_ptx_has_its_entry() {
        assert!(PTX.contains(&format!(".visible .entry {ENTRY}(")));
    }
}
