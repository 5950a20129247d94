//! The layout of an argument as the runtime reads it: a matrix, or a batch of matrices.

use crate::manifest::Argument;
use crate::{Error, Result};

/// A matrix in memory, or a batch of them: element (i,j) of matrix l lies at
/// `i * strides[0] + j * strides[1] + l * apart`, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Rows and columns, each at least 1.
    pub extents: [usize; 2],
    /// Distance between neighbours along each mode, in elements.
    pub strides: [usize; 2],
    /// Matrices, at least 1.
    pub batch: usize,
    /// Distance from one matrix to the next, in elements; 0 where all are one.
    pub apart: usize,
}

impl Matrix {
    /// One matrix.
    pub const fn single(extents: [usize; 2], strides: [usize; 2]) -> Self {
        Self { extents, strides, batch: 1, apart: 0 }
    }

    /// Elements between the first and one past the last address.
    pub fn span(&self) -> usize {
        let last = |mode: usize| (self.extents[mode] - 1) * self.strides[mode];
        last(0) + last(1) + (self.batch - 1) * self.apart + 1
    }

    /// Elements of all matrices.
    pub fn elements(&self) -> usize {
        self.extents[0] * self.extents[1] * self.batch
    }

    /// Where element (row, column) of a matrix lies.
    pub fn at(&self, number: usize, row: usize, column: usize) -> usize {
        row * self.strides[0] + column * self.strides[1] + number * self.apart
    }

    /// Where all elements lie: matrix by matrix, and row by row.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.batch).flat_map(move |number| {
            (0..self.extents[0]).flat_map(move |row| {
                (0..self.extents[1]).map(move |column| self.at(number, row, column))
            })
        })
    }
}

impl Argument {
    /// The layout as a matrix, or a batch of them; an error when it is not of two or three plain modes.
    pub fn matrix(&self) -> Result<Matrix> {
        let extents = self.modes("shape", &self.shape)?;
        let strides = self.modes("stride", &self.stride)?;
        let wrong = |what: &str| {
            Error::Manifest(format!(
                "argument {}: {what}, found {}:{}",
                self.name, self.shape, self.stride
            ))
        };
        if extents.iter().any(|&extent| extent < 1) {
            return Err(wrong("expected extents of at least 1"));
        }
        if strides.iter().any(|&stride| stride < 0) {
            return Err(wrong("expected strides of at least 0"));
        }
        if extents.len() != strides.len() {
            return Err(wrong("expected a stride for each extent"));
        }
        let span = extents.iter().zip(&strides).try_fold(1i64, |span, (extent, stride)| {
            (extent - 1).checked_mul(*stride)?.checked_add(span)
        });
        let wide = |values: &[i64]| -> Vec<usize> {
            values.iter().map(|&value| usize::try_from(value).unwrap_or_default()).collect()
        };
        match span.and_then(|span| span.checked_mul(self.element.bytes() as i64)) {
            Some(_) => {
                let (extents, strides) = (wide(&extents), wide(&strides));
                let matrix = Matrix::single([extents[0], extents[1]], [strides[0], strides[1]]);
                Ok(match (extents.get(2), strides.get(2)) {
                    (Some(&batch), Some(&apart)) => Matrix { batch, apart, ..matrix },
                    _ => matrix,
                })
            }
            None => Err(wrong("expected a size below 2^63 bytes")),
        }
    }

    /// Two or three integers.
    fn modes(&self, what: &str, text: &str) -> Result<Vec<i64>> {
        let inside = text.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let numbers: Option<Vec<i64>> = inside.and_then(|inside| {
            inside.split(',').map(|number| number.trim().parse().ok()).collect()
        });
        numbers.filter(|numbers| matches!(numbers.len(), 2 | 3)).ok_or_else(|| {
            Error::Manifest(format!(
                "argument {}: expected a {what} of two or three integers, such as (64,1), found {text}",
                self.name
            ))
        })
    }
}
