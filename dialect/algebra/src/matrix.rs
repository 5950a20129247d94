//! Matrices over GF(2), a row in a word: rank, reduced echelon form, solutions, inverse, kernel.

use crate::error::{Error, Result};
use alloc::{format, vec, vec::Vec};
use core::fmt;

/// The lowest `count` bits.
pub(crate) fn ones(count: u32) -> u64 {
    1_u64.checked_shl(count).map_or(u64::MAX, |bit| bit - 1)
}

/// A matrix over GF(2) of at most 64 rows and 64 columns.
///
/// Vectors are words: bit `i` is entry `i`. Addition is xor, and so every vector is its own
/// negative. It prints as a picture, the first row and the first column first:
///
/// ```
/// use layout_algebra::linear::Matrix;
/// // Each word is a row. Its lowest bit is the first column.
/// let matrix = Matrix::new(vec![0b101, 0b010], 3)?;
/// assert_eq!(matrix.to_string(), "1 0 1\n0 1 0");
/// assert_eq!(matrix.apply(0b001), 0b01); // the first column
/// assert_eq!(matrix.apply(0b111), 0b10); // all three added
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Matrix {
    rows: Vec<u64>,
    width: u32,
}

/// A matrix in reduced row echelon form, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Echelon {
    /// Each row begins further right than the one above, zero rows are last, and the column in
    /// which a row begins has no other entry.
    pub reduced: Matrix,
    /// The invertible matrix with `transform * original = reduced`.
    pub transform: Matrix,
    /// The column in which each row begins that is not zero.
    pub pivots: Vec<u32>,
}

/// The places of the bits that are set, the lowest first.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            bit
        })
    })
}

/// The sum of the entries.
fn parity(word: u64) -> u64 {
    u64::from(word.count_ones() & 1)
}

fn check(what: &'static str, found: usize) -> Result<()> {
    if found <= Matrix::LIMIT { Ok(()) } else { Err(Error::limit(what, Matrix::LIMIT, found)) }
}

impl Matrix {
    /// Rows and columns that a matrix may have.
    pub const LIMIT: usize = 64;

    /// The matrix of these rows.
    ///
    /// # Errors
    ///
    /// More than 64 rows or columns; a row with an entry past the width.
    pub fn new(rows: Vec<u64>, width: u32) -> Result<Self> {
        check("rows of a matrix over GF(2)", rows.len())?;
        check("columns of a matrix over GF(2)", width as usize)?;
        match rows.iter().position(|row| row & !ones(width) != 0) {
            None => Ok(Self { rows, width }),
            Some(row) => Err(Error::operand(
                "matrix",
                format!("rows of {width} columns"),
                format!("{:#b} as row {row}", rows[row]),
            )),
        }
    }

    /// The matrix of these columns, whose lowest `height` bits count.
    ///
    /// # Errors
    ///
    /// More than 64 rows or columns; a column with an entry past the height.
    ///
    /// ```
    /// use layout_algebra::linear::Matrix;
    /// assert_eq!(Matrix::from_columns(&[0b01, 0b11], 2)?.to_string(), "1 1\n0 1");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_columns(columns: &[u64], height: u32) -> Result<Self> {
        check("columns of a matrix over GF(2)", columns.len())?;
        // Columns are the rows of the transpose, which checks them and turns around.
        Ok(Self::new(columns.to_vec(), height)?.transpose())
    }

    /// The square matrix with ones on its diagonal.
    ///
    /// # Errors
    ///
    /// More than 64 rows.
    pub fn identity(size: u32) -> Result<Self> {
        check("rows of a matrix over GF(2)", size as usize)?;
        Ok(Self { rows: (0..size).map(|i| 1 << i).collect(), width: size })
    }

    /// The rows.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// How many rows there are.
    pub fn height(&self) -> u32 {
        // At most 64, by construction.
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// How many columns there are.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The columns, each with row `i` in bit `i`.
    pub fn columns(&self) -> Vec<u64> {
        (0..self.width)
            .map(|c| self.rows.iter().rev().fold(0, |column, row| column << 1 | (row >> c & 1)))
            .collect()
    }

    /// Rows and columns in each other's places.
    #[must_use]
    pub fn transpose(&self) -> Self {
        Self { rows: self.columns(), width: self.height() }
    }

    /// The product with a column vector; bits past the width count for nothing.
    pub fn apply(&self, vector: u64) -> u64 {
        self.rows.iter().rev().fold(0, |image, row| image << 1 | parity(row & vector))
    }

    /// The product `self * other`: `other` acts first.
    ///
    /// # Errors
    ///
    /// When the width of the one is not the height of the other.
    ///
    /// ```
    /// use layout_algebra::linear::Matrix;
    /// let shear = Matrix::new(vec![0b11, 0b10], 2)?;
    /// assert_eq!(shear.multiply(&shear)?, Matrix::identity(2)?);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn multiply(&self, other: &Self) -> Result<Self> {
        if self.width != other.height() {
            let expected = format!("a matrix of {} rows on the right", self.width);
            return Err(Error::operand("multiply", expected, format!("one of {}", other.height())));
        }
        let rows = self
            .rows
            .iter()
            .map(|&row| bits(row).fold(0, |sum, k| sum ^ other.rows[k as usize]))
            .collect();
        Ok(Self { rows, width: other.width })
    }

    /// The reduced row echelon form.
    ///
    /// ```
    /// use layout_algebra::linear::Matrix;
    /// let matrix = Matrix::new(vec![0b110, 0b011, 0b101], 3)?;
    /// let echelon = matrix.reduce();
    /// assert_eq!(echelon.reduced.to_string(), "1 0 1\n0 1 1\n0 0 0");
    /// assert_eq!(echelon.pivots, [0, 1]);
    /// assert_eq!(echelon.transform.multiply(&matrix)?, echelon.reduced);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn reduce(&self) -> Echelon {
        let mut rows: Vec<(u64, u64)> =
            self.rows.iter().enumerate().map(|(i, &row)| (row, 1 << i)).collect();
        let mut pivots = Vec::new();
        for column in 0..self.width {
            let done = pivots.len();
            let has = |row: &(u64, u64)| row.0 >> column & 1 == 1;
            let Some(found) = rows.iter().skip(done).position(has) else { continue };
            rows.swap(done, done + found);
            let pivot = rows[done];
            for (i, row) in rows.iter_mut().enumerate() {
                if i != done && has(row) {
                    *row = (row.0 ^ pivot.0, row.1 ^ pivot.1);
                }
            }
            pivots.push(column);
        }
        let (reduced, transform) = rows.into_iter().unzip();
        Echelon {
            reduced: Self { rows: reduced, width: self.width },
            transform: Self { rows: transform, width: self.height() },
            pivots,
        }
    }

    /// The rank: the number of independent columns, or rows.
    pub fn rank(&self) -> u32 {
        // As in `reduce`, without the order: each row clears its lowest bit from those that are left.
        let mut rows = self.rows.clone();
        let mut rank = 0;
        while let Some(pivot) = rows.pop() {
            if pivot != 0 {
                rank += 1;
                let lowest = pivot & pivot.wrapping_neg();
                rows.iter_mut().filter(|row| **row & lowest != 0).for_each(|row| *row ^= pivot);
            }
        }
        rank
    }

    /// The smallest `x` (as a number) with `self * x = image`, if there is one.
    ///
    /// ```
    /// use layout_algebra::linear::Matrix;
    /// let matrix = Matrix::new(vec![0b110, 0b011], 3)?;
    /// assert_eq!(matrix.solve(0b01), Some(0b011)); // and not 0b100
    /// assert_eq!(Matrix::new(vec![0b11, 0b11], 2)?.solve(0b01), None);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn solve(&self, image: u64) -> Option<u64> {
        self.reduce().solve(image)
    }

    /// The inverse, if there is one.
    ///
    /// ```
    /// use layout_algebra::linear::Matrix;
    /// let matrix = Matrix::new(vec![0b011, 0b110, 0b100], 3)?;
    /// let inverse = matrix.inverse().expect("independent rows");
    /// assert_eq!(matrix.multiply(&inverse)?, Matrix::identity(3)?);
    /// assert_eq!(Matrix::new(vec![0b11, 0b11], 2)?.inverse(), None);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn inverse(&self) -> Option<Self> {
        let echelon = self.reduce();
        let full = echelon.pivots.len() == self.rows.len() && self.height() == self.width;
        full.then_some(echelon.transform)
    }

    /// Independent vectors that the matrix sends to zero, and whose sums are all such vectors.
    ///
    /// Each ends in another bit, and no other one has that bit.
    ///
    /// ```
    /// use layout_algebra::linear::Matrix;
    /// assert_eq!(Matrix::new(vec![0b111], 3)?.kernel(), [0b011, 0b101]);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn kernel(&self) -> Vec<u64> {
        let Echelon { reduced, pivots, .. } = self.reduce();
        let leading = pivots.iter().fold(0_u64, |all, pivot| all | 1 << pivot);
        bits(ones(self.width) & !leading)
            .map(|free| {
                let rows = pivots.iter().zip(&reduced.rows);
                rows.filter(|(_, row)| *row >> free & 1 == 1)
                    .fold(1 << free, |vector, (pivot, _)| vector | 1 << pivot)
            })
            .collect()
    }
}

impl Echelon {
    /// The smallest `x` (as a number) with `original * x = image`, if there is one.
    ///
    /// Bits that are no pivot stay zero. Every vector of the kernel has such a bit as its highest,
    /// and so none makes the solution smaller.
    pub fn solve(&self, image: u64) -> Option<u64> {
        let reduced = self.transform.apply(image);
        let rank = u32::try_from(self.pivots.len()).unwrap_or(u32::MAX);
        if image & !ones(self.transform.width) != 0 || reduced & !ones(rank) != 0 {
            return None;
        }
        Some(bits(reduced).fold(0, |x, row| x | 1 << self.pivots[row as usize]))
    }

    /// A matrix `G` with `A G A = A` and `G A G = G` for the original `A`: where `A x = y` can be
    /// solved at all, `G y` is the smallest solution.
    pub fn pseudo_inverse(&self) -> Matrix {
        let mut rows = vec![0; self.reduced.width as usize];
        for (pivot, row) in self.pivots.iter().zip(&self.transform.rows) {
            rows[*pivot as usize] = *row;
        }
        Matrix { rows, width: self.transform.width }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, row) in self.rows.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "\n" })?;
            for column in 0..self.width {
                write!(f, "{}{}", if column == 0 { "" } else { " " }, row >> column & 1)?;
            }
        }
        Ok(())
    }
}
