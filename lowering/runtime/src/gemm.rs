//! The GEMMs of a kernel, from its manifest: extents and arguments, checked against each other.

use crate::epilogue::{Epilogue, Program};
use crate::manifest::{Access, Argument, Element, GemmProblem, Kernel, Matrix, Precision, Problem};
use crate::window::Window;
use crate::{Error, Result};

/// A kernel that computes `C = A * transpose(B)`, or an epilogue of it, with its layouts checked.
#[derive(Clone, Copy, Debug)]
pub struct Gemm<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Rows of A and C.
    pub m: usize,
    /// Rows of B, columns of C.
    pub n: usize,
    /// Columns of A and B.
    pub k: usize,
    /// GEMMs of a batch, at least 1.
    pub batch: usize,
    /// The rounding on the way.
    pub precision: Option<Precision>,
    /// The numbers of the arguments that are A, B and C.
    pub arguments: [usize; 3],
    /// Layouts of A (m,k), B (n,k) and C (m,n), each of all matrices of a batch.
    pub layouts: [Matrix; 3],
    /// The epilogue of each accumulator; its operands are arguments of shape (m,n).
    pub epilogue: Option<&'a Epilogue>,
}

impl Gemm<'_> {
    /// A, B or C, by its number.
    pub fn argument(&self, number: usize) -> &Argument {
        &self.kernel.args[self.arguments[number]]
    }

    /// Element types of A, B and C.
    pub fn elements(&self) -> [Element; 3] {
        self.arguments.map(|number| self.kernel.args[number].element)
    }

    /// The number of the argument that is a second B, where the epilogue takes the accumulators of two.
    pub fn dual(&self) -> Option<usize> {
        self.epilogue?.dual
    }

    /// Floating point operations: a multiplication and an addition a term.
    pub fn flops(&self) -> f64 {
        let factors = if self.dual().is_some() { 2.0 } else { 1.0 };
        2.0 * factors * self.m as f64 * self.n as f64 * self.k as f64 * self.batch as f64
    }

    /// A and B by BLAS letters: `n` when A (m,k) or the GEMM's right side (k,n) is column-major, else `t`.
    pub fn transposes(&self) -> String {
        let letter = |matrix: &Matrix, contiguous: usize| {
            if matrix.strides[contiguous] == 1 { 'n' } else { 't' }
        };
        [letter(&self.layouts[0], 0), letter(&self.layouts[1], 1)].iter().collect()
    }
}

impl Kernel {
    /// The GEMM that this kernel computes: its extents, and A, B and C, checked against each other.
    ///
    /// # Errors
    ///
    /// [`Error::Manifest`] for a kernel that is not one GEMM of matrices: another problem or none, an image as A, arguments that are
    /// too few or too many, whose shapes do not match the extents, or that are accessed in another way; an epilogue that
    /// is not a program over its operands.
    pub fn matmul(&self) -> Result<Gemm<'_>> {
        let Some(Problem::Matmul { m, n, k, batch, precision, ref epilogue, window }) =
            self.problem
        else {
            return Err(Error::Manifest(format!(
                "kernel {}: expected a problem of kind matmul, found none",
                self.name
            )));
        };
        let (a, b, others) = match (self.args.as_slice(), epilogue) {
            ([a, b, _], _) => (a, b, &[][..]),
            ([a, b, _, others @ ..], Some(_)) => (a, b, others),
            _ => {
                return Err(Error::Manifest(format!(
                    "kernel {}: expected 3 arguments for a matmul, found {}",
                    self.name,
                    self.args.len()
                )));
            }
        };
        for argument in [a, b].into_iter().chain(others) {
            if argument.access != Access::Read {
                return Err(self.access(argument, "read"));
            }
        }
        self.without(window)?;
        let gemm = self.gemm([m, n, k], batch, precision, [0, 1, 2], epilogue.as_ref())?;
        let dual = epilogue.as_ref().and_then(|epilogue| epilogue.dual);
        for (number, other) in (3..).zip(others) {
            let shape = if dual == Some(number) { [n, k] } else { [m, n] };
            self.operand(other, shape, [m, n, k], batch)?;
        }
        Ok(gemm)
    }

    /// Multiply-adds of the GEMMs of its problem, if it states one.
    pub fn multiply_adds(&self) -> Option<u128> {
        let of = |extents: &[i64]| {
            let all = extents.iter().map(|&extent| u128::try_from(extent).unwrap_or(0));
            all.fold(1_u128, u128::saturating_mul)
        };
        Some(match self.problem.as_ref()? {
            Problem::Matmul { m, n, k, batch, .. } => of(&[*m, *n, *k, batch.unwrap_or(1)]),
            Problem::Grouped { problems, .. } => problems
                .iter()
                .map(|gemm| of(&[gemm.m, gemm.n, gemm.k, gemm.batch.unwrap_or(1)]))
                .fold(0, u128::saturating_add),
        })
    }

    /// The GEMMs that this kernel computes: one, or several with arguments of their own.
    ///
    /// # Errors
    ///
    /// As [`Kernel::matmul`], for each GEMM; [`Error::Manifest`] for a grouped problem without GEMMs, or with numbers of arguments
    /// that the kernel does not have.
    pub fn gemms(&self) -> Result<Vec<Gemm<'_>>> {
        let Some(Problem::Grouped { ref problems, precision }) = self.problem else {
            return Ok(vec![self.matmul()?]);
        };
        let wrong = |message: String| Error::Manifest(format!("kernel {}: {message}", self.name));
        if problems.is_empty() {
            return Err(wrong(
                "expected at least one GEMM in the grouped problem, found none".to_owned(),
            ));
        }
        let mut all = Vec::with_capacity(problems.len());
        for GemmProblem { m, n, k, batch, args, epilogue, window } in problems {
            self.without(*window)?;
            if let Some(number) = args.iter().find(|&&number| number >= self.args.len()) {
                let known = self.args.len();
                return Err(wrong(format!(
                    "expected GEMMs with argument numbers below {known}, found {number}"
                )));
            }
            for &number in &args[..2] {
                if self.args[number].access != Access::Read {
                    return Err(self.access(&self.args[number], "read"));
                }
            }
            all.push(self.gemm([*m, *n, *k], *batch, precision, *args, epilogue.as_ref())?);
        }
        Ok(all)
    }

    /// Refuses an image as A.
    fn without(&self, window: Option<Window>) -> Result<()> {
        match window {
            None => Ok(()),
            Some(_) => Err(Error::Manifest(format!(
                "kernel {}: expected a matrix as A, found an image with a window, which is compared on the CPU: \
                 layout-translate --run-on-cpu",
                self.name
            ))),
        }
    }

    /// An argument as a matrix of the shape that a GEMM says.
    fn operand(
        &self,
        argument: &Argument,
        [rows, columns]: [i64; 2],
        [m, n, k]: [i64; 3],
        batch: Option<i64>,
    ) -> Result<Matrix> {
        let matrix = argument.matrix()?;
        let batched = argument.is_batched();
        if matrix.extents.map(|extent| extent as i64) == [rows, columns]
            && batch.is_some() == batched
            && matrix.batch as i64 == batch.unwrap_or(1)
        {
            return Ok(matrix);
        }
        let (more, word) = match batch {
            Some(batch) => (format!(",{batch}"), format!(", batch={batch}")),
            None => Default::default(),
        };
        Err(Error::Manifest(format!(
            "kernel {}, argument {}: expected shape ({rows},{columns}{more}) for m={m}, n={n}, k={k}{word}, found {}",
            self.name, argument.name, argument.shape
        )))
    }

    /// A GEMM of three arguments, which there are, checked against each other.
    fn gemm<'a>(
        &'a self,
        extents: [i64; 3],
        batch: Option<i64>,
        precision: Option<Precision>,
        arguments: [usize; 3],
        epilogue: Option<&'a Epilogue>,
    ) -> Result<Gemm<'a>> {
        let [m, n, k] = extents;
        let [a, b, c] = arguments.map(|number| &self.args[number]);
        let layouts = [
            self.operand(a, [m, k], extents, batch)?,
            self.operand(b, [n, k], extents, batch)?,
            self.operand(c, [m, n], extents, batch)?,
        ];
        let mut reads_c = false;
        if let Some(epilogue) = epilogue {
            Program::new(epilogue)?;
            let operands = epilogue.operands.iter().map(|&number| (number, [m, n]));
            let dual = epilogue.dual.map(|number| (number, [n, k]));
            for (number, shape) in operands.chain(dual) {
                let argument = self.args.get(number).ok_or_else(|| {
                    Error::Manifest(format!(
                        "kernel {}: expected an epilogue of arguments below {}, found {number}",
                        self.name,
                        self.args.len()
                    ))
                })?;
                self.operand(argument, shape, extents, batch)?;
                reads_c |= number == arguments[2];
            }
        }
        let (access, name) =
            if reads_c { (Access::ReadWrite, "read_write") } else { (Access::Write, "write") };
        if c.access != access {
            return Err(self.access(c, name));
        }
        let [m, n, k] = extents.map(|extent| extent as usize);
        let batch = layouts[2].batch;
        Ok(Gemm { kernel: self, m, n, k, batch, precision, arguments, layouts, epilogue })
    }

    fn access(&self, argument: &Argument, expected: &str) -> Error {
        Error::Manifest(format!(
            "kernel {}, argument {}: expected access {expected}, found {:?}",
            self.name, argument.name, argument.access
        ))
    }
}
