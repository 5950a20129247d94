//! Linear layouts: functions between named power-of-two dimensions that xor, as in Triton.
//!
//! # A first one
//!
//! Which element of a 4×4 matrix does each register of each thread hold? Say that 4 threads hold 4
//! elements each; in the table, `1:2` is register 1 of thread 2:
//!
//! ```
//! use layout_algebra::linear::LinearLayout;
//! let held: LinearLayout =
//!     "linear<{register = [(0,1),(1,0)], thread = [(0,2),(2,0)]} -> {row = 4, col = 4}>".parse()?;
//! assert_eq!(held.picture()?, "\
//! register:thread
//!        col 0  col 1  col 2  col 3
//! row 0  0:0    1:0    0:1    1:1
//! row 1  2:0    3:0    2:1    3:1
//! row 2  0:2    1:2    0:3    1:3
//! row 3  2:2    3:2    2:3    3:3
//! ");
//! # Ok::<(), layout_algebra::Error>(())
//! ```
//!
//! Four places say it all: where register 1 and register 2 of thread 0 are, and where register 0 of
//! threads 1 and 2 is. These are the *bases*; any other place is the xor of those whose bits are
//! set, in each dimension for itself. Thread 3, register 1 has bits thread 1, thread 2 and register
//! 1, so it is at (0,2) xor (2,0) xor (0,1) = (2,3):
//!
//! ```
//! # use layout_algebra::linear::LinearLayout;
//! # let held: LinearLayout =
//! #    "linear<{register = [(0,1),(1,0)], thread = [(0,2),(2,0)]} -> {row = 4, col = 4}>".parse()?;
//! let at = held.apply(&[("thread", 3), ("register", 1)])?;
//! assert_eq!(at, [("row".to_owned(), 2), ("col".to_owned(), 3)]);
//! # Ok::<(), layout_algebra::Error>(())
//! ```
//!
//! # The law, and what follows
//!
//! **L(x xor y) = L(x) xor L(y)** for all coordinates. Written in bits, a linear layout is a matrix
//! over GF(2), the field of two elements, with a column for each input bit and a row for each output
//! bit. The one above has columns for register 1, register 2, thread 1 and thread 2, and rows for row
//! 1, row 2, col 1 and col 2:
//!
//! ```
//! # use layout_algebra::linear::LinearLayout;
//! # let held: LinearLayout =
//! #    "linear<{register = [(0,1),(1,0)], thread = [(0,2),(2,0)]} -> {row = 4, col = 4}>".parse()?;
//! assert_eq!(held.matrix().to_string(), "\
//! 0 1 0 0
//! 0 0 0 1
//! 1 0 0 0
//! 0 0 1 0");
//! # Ok::<(), layout_algebra::Error>(())
//! ```
//!
//! So every question has an exact answer by linear algebra, in microseconds, whatever the size:
//!
//! | question | answer |
//! |---|---|
//! | one layout after another | [`compose`](LinearLayout::compose): the product of the matrices |
//! | one layout beside another | [`product`](LinearLayout::product): blocks on the diagonal; [`divide_left`](LinearLayout::divide_left), [`divide_right`](LinearLayout::divide_right), [`quotient`](LinearLayout::quotient) take them apart |
//! | who holds this element? | [`invert`](LinearLayout::invert), [`pseudo_invert`](LinearLayout::pseudo_invert) |
//! | how do data move from A to B? | [`invert_and_compose`](LinearLayout::invert_and_compose) |
//! | is every element held? held once? | [`is_surjective`](LinearLayout::is_surjective), [`is_injective`](LinearLayout::is_injective), [`free_variable_masks`](LinearLayout::free_variable_masks) |
//! | do two layouts have the same offsets? | [`compare`] |
//! | other dimensions for the same bits | [`reshape_ins`](LinearLayout::reshape_ins), [`transpose_outs`](LinearLayout::transpose_outs), [`flatten_ins`](LinearLayout::flatten_ins), [`sublayout`](LinearLayout::sublayout), … |
//!
//! # Order
//!
//! Dimensions have names, and an order that matters to what flattens or reshapes: **the first is the
//! fastest**, as in Triton and as with the first mode of a CuTe layout. Outputs `{row, col}` flatten
//! to `row + rows * col`; [`transpose_outs`](LinearLayout::transpose_outs) to `{col, row}` first
//! gives row-major offsets.
//!
//! # CuTe's layouts and swizzles
//!
//! A CuTe layout adds where a linear layout xors. Both are the same where no addition carries:
//!
//! ```text
//!   (4,4):(4,1)      bits of the index   1   2   4   8
//!                    offset              4   8   1   2     no bit twice: adding is xor
//!   (2,2):(1,1)      bits of the index   1   2
//!                    offset              1   1             index 3: 1 + 1 = 2, but 1 xor 1 = 0
//! ```
//!
//! [`LinearLayout::from_layout`] is exact: it converts if and only if every extent is a power of two
//! and no two offsets of index bits share a bit; otherwise it names the index where the two differ.
//! The way back, [`LinearLayout::to_layout`], exists under the same condition, and
//! [`LinearLayout::to_swizzled`] finds a swizzle in front where a plain layout does not do. A swizzle
//! alone is always linear: [`LinearLayout::from_swizzle`], [`LinearLayout::to_swizzle`].
//!
//! ```
//! use layout_algebra::{Layout, linear::LinearLayout};
//! let layout: Layout = "(4,4):(4,1)".parse()?;
//! let linear = LinearLayout::from_layout(&layout)?;
//! assert_eq!(linear.to_string(), "linear<{index = [4,8,1,2]} -> {offset = 16}>");
//! assert_eq!(linear.to_layout()?, layout);
//!
//! let error = LinearLayout::from_layout(&"(2,2):(1,1)".parse()?).unwrap_err();
//! assert_eq!(error.to_string(), "to_linear((2,2):(1,1)): expected offsets of index bits that share \
//! no bit, found 1 at 1 and 1 at 2: index 3 has offset 2, not 1 xor 1 = 0");
//! # Ok::<(), layout_algebra::Error>(())
//! ```
//!
//! # Text
//!
//! ```text
//! linear<{register = [(0,1),(1,0)], thread = [(0,2),(2,0)]} -> {row = 4, col = 4}>
//!          input      L(register = 1), L(register = 2), …       outputs and their sizes
//! ```
//!
//! With one output dimension a basis is an integer. The literal of the paper that relates linear
//! layouts to integer sets is read too, and names its dimensions `crd0`, `crd1`, … and `idx0`, …:
//! `LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])`.
//!
//! # Limits
//!
//! Sizes are powers of two; the inputs together, and the outputs together, have at most
//! [`BIT_LIMIT`] bits, so that every coordinate fits an `i64`, in at most [`DIMENSION_LIMIT`]
//! dimensions with names of at most [`NAME_LIMIT`] characters. Nothing panics; every error says what
//! was expected and what was found.
//!
//! # Sources
//!
//! Triton's `LinearLayout` (the names and their meaning); K. Zhou et al., *Linear Layouts: Robust Code
//! Generation of Efficient Tensor Computation Using F₂* (2025); S. G. Bhaskaracharya et al., *Modeling
//! Layout Abstractions Using Integer Set Relations* (2025).

mod compare;
mod construct;
mod convert;
mod dims;
mod divide;
mod inverse;
mod picture;
mod product;
mod reshape;
mod swizzled;
mod text;

pub use crate::matrix::{Echelon, Matrix};
pub use compare::{Comparison, compare};
pub use convert::{INDEX, OFFSET};
pub use dims::{BIT_LIMIT, DIMENSION_LIMIT, NAME_LIMIT};
pub use picture::PICTURE_LIMIT;
pub(crate) use text::{begins, read};

use crate::error::{Error, Result};
use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use dims::{Dims, signed, size_of, sum};

/// A function between named dimensions of powers of two that commutes with xor.
///
/// It is given by its values at the powers of two of each input dimension, its *bases*. Equality is
/// of names, order, sizes and bases. The [module](self) teaches it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinearLayout {
    ins: Dims,
    outs: Dims,
    /// The packed output of each packed input bit.
    columns: Vec<u64>,
}

impl LinearLayout {
    /// The names of the input dimensions, the fastest first.
    pub fn in_names(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.ins.names()
    }

    /// The names of the output dimensions, the fastest first.
    pub fn out_names(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.outs.names()
    }

    /// The input dimensions and their sizes, the fastest first.
    pub fn in_dims(&self) -> impl DoubleEndedIterator<Item = (&str, i64)> + ExactSizeIterator {
        self.ins.iter().map(|dim| (dim.name.as_str(), size_of(dim.bits)))
    }

    /// The output dimensions and their sizes, the fastest first.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [(1,0),(0,1)]} -> {row = 2, col = 4}>".parse()?;
    /// assert_eq!(layout.out_dims().collect::<Vec<_>>(), [("row", 2), ("col", 4)]);
    /// assert_eq!(layout.in_dims().collect::<Vec<_>>(), [("lane", 4)]);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn out_dims(&self) -> impl DoubleEndedIterator<Item = (&str, i64)> + ExactSizeIterator {
        self.outs.iter().map(|dim| (dim.name.as_str(), size_of(dim.bits)))
    }

    /// The size of an input dimension, if there is one of that name.
    pub fn in_size(&self, name: &str) -> Option<i64> {
        self.ins.span(name).map(|span| size_of(span.bits))
    }

    /// The size of an output dimension, if there is one of that name.
    pub fn out_size(&self, name: &str) -> Option<i64> {
        self.outs.span(name).map(|span| size_of(span.bits))
    }

    /// Input coordinates: the product of the input sizes.
    pub fn size(&self) -> i64 {
        size_of(self.ins.bits())
    }

    /// Output coordinates: the product of the output sizes, whether they are hit or not.
    pub fn cosize(&self) -> i64 {
        size_of(self.outs.bits())
    }

    /// The bases: for each input dimension, the outputs at 1, 2, 4, … of it.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [(1,0),(0,2)]} -> {row = 2, col = 4}>".parse()?;
    /// assert_eq!(layout.bases(), [("lane".to_owned(), vec![vec![1, 0], vec![0, 2]])]);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn bases(&self) -> Vec<(String, Vec<Vec<i64>>)> {
        self.ins
            .spans()
            .map(|(name, span)| {
                let range = span.shift as usize..(span.shift + span.bits) as usize;
                let bases = self.columns[range].iter().map(|&column| self.outs.unpack(column));
                (name.to_owned(), bases.collect())
            })
            .collect()
    }

    /// The output at `2^position` of an input dimension, if the dimension is that long.
    pub fn basis(&self, name: &str, position: u32) -> Option<Vec<i64>> {
        let span = self.ins.span(name).filter(|span| position < span.bits)?;
        let column = self.columns.get((span.shift + position) as usize)?;
        Some(self.outs.unpack(*column))
    }

    /// The matrix over GF(2): a column for each input bit, a row for each output bit, the first
    /// dimension's lowest bit first.
    pub fn matrix(&self) -> Matrix {
        Matrix::from_columns(&self.columns, self.outs.bits()).unwrap_or_else(|_| {
            // Not reached: both sides have at most BIT_LIMIT bits, which a matrix has room for.
            Matrix::default()
        })
    }

    /// The output at a coordinate, which names every input dimension once, in any order.
    ///
    /// # Errors
    ///
    /// A dimension that is missing, unknown or named twice; a value outside of its dimension.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [1,3], warp = [4]} -> {row = 8}>".parse()?;
    /// assert_eq!(layout.apply(&[("warp", 1), ("lane", 3)])?, [("row".to_owned(), 6)]);
    /// assert_eq!(
    ///     layout.apply(&[("warp", 2), ("lane", 3)]).unwrap_err().to_string(),
    ///     "apply: expected 0 <= warp < 2, found 2"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn apply<N: AsRef<str>>(&self, coordinate: &[(N, i64)]) -> Result<Vec<(String, i64)>> {
        let names: Vec<&str> = coordinate.iter().map(|(name, _)| name.as_ref()).collect();
        if !self.ins.same_names(&names) {
            let expected = format!("a coordinate of {}", self.ins.listed());
            return Err(Error::operand("apply", expected, dims::listed(&names)));
        }
        let value = |name| names.iter().position(|n| *n == name).map_or(0, |i| coordinate[i].1);
        let values: Vec<i64> = self.ins.names().map(value).collect();
        let packed = self
            .ins
            .pack(&values)
            .map_err(|misfit| Error::operand("apply", misfit.expected, misfit.found))?;
        let image = sum(&self.columns, packed);
        Ok(self.outs.names().map(str::to_owned).zip(self.outs.unpack(image)).collect())
    }

    /// The flattened output at a flattened input: what [`flatten_ins`](Self::flatten_ins) and
    /// [`flatten_outs`](Self::flatten_outs) have at `index`.
    ///
    /// # Errors
    ///
    /// An index that is negative or past the size.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [(1,0),(0,1)]} -> {row = 2, col = 4}>".parse()?;
    /// assert_eq!(layout.at(2)?, 2); // row 0, col 1: 0 + 2 * 1
    /// assert_eq!(layout.at(4).unwrap_err().to_string(), "at: expected 0 <= index < 4, found 4");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn at(&self, index: i64) -> Result<i64> {
        match u64::try_from(index) {
            Ok(packed) if index < self.size() => Ok(signed(sum(&self.columns, packed))),
            _ => Err(Error::operand("at", format!("0 <= index < {}", self.size()), index)),
        }
    }

    /// The rank of the matrix: the layout has `2^rank` different outputs.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [1,2,3]} -> {row = 8}>".parse()?;
    /// assert_eq!(layout.rank(), 2);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn rank(&self) -> u32 {
        self.matrix().rank()
    }

    /// Whether every output coordinate is hit.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [1,2,3]} -> {row = 4}>".parse()?;
    /// assert!(layout.is_surjective() && !layout.is_injective() && !layout.is_invertible());
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn is_surjective(&self) -> bool {
        self.rank() == self.outs.bits()
    }

    /// Whether no two input coordinates have the same output.
    pub fn is_injective(&self) -> bool {
        self.rank() == self.ins.bits()
    }

    /// Whether it is a bijection.
    pub fn is_invertible(&self) -> bool {
        self.is_injective() && self.is_surjective()
    }

    /// For each input dimension, the bits that need not be examined: those of inputs which the
    /// inputs before them repeat.
    ///
    /// With these bits at zero, the layout is injective and has the same image; and of all inputs
    /// with the same output, the one with these bits at zero is the smallest. In CUDA terms: the
    /// threads and registers that hold copies.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout =
    ///     "linear<{register = [1,1], lane = [2,3], warp = [0]} -> {row = 4}>".parse()?;
    /// let masks = [("register".to_owned(), 0b10), ("lane".to_owned(), 0b10), ("warp".to_owned(), 1)];
    /// assert_eq!(layout.free_variable_masks(), masks);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn free_variable_masks(&self) -> Vec<(String, i64)> {
        let pivots = self.matrix().reduce().pivots.iter().fold(0_u64, |all, bit| all | 1 << bit);
        let mask = |span: dims::Span| signed(span.of(!pivots & span.mask()));
        self.ins.spans().map(|(name, span)| (name.to_owned(), mask(span))).collect()
    }

    /// How many inputs from 0 on run in step with the output, at every aligned place: the greatest
    /// power of two `v` such that changing the lowest bits of the first input dimension, below `v`,
    /// changes just those of the first output dimension. The width of a vector access.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{register = [1,2,8], lane = [4]} -> {col = 16}>".parse()?;
    /// assert_eq!(layout.consecutive_in_out(), 4);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn consecutive_in_out(&self) -> i64 {
        let (Some(input), Some(output)) = (self.ins.iter().next(), self.outs.iter().next()) else {
            return 1;
        };
        let run = (0..input.bits.min(output.bits))
            .zip(&self.columns)
            .take_while(|(bit, column)| **column == 1 << bit)
            .count();
        // No other basis may reach into the bits that run.
        let others = self.columns.iter().skip(run).fold(0, |all, column| all | column);
        size_of(u32::try_from(run).unwrap_or(0).min(others.trailing_zeros()))
    }

    /// The same function with its parts checked already.
    fn from_parts(ins: Dims, outs: Dims, columns: Vec<u64>) -> Self {
        debug_assert_eq!(ins.bits() as usize, columns.len());
        debug_assert!(columns.iter().all(|column| column >> outs.bits() == 0));
        Self { ins, outs, columns }
    }

    /// A condition of `operation` that this layout does not meet.
    fn refuse(
        &self,
        operation: &'static str,
        expected: &'static str,
        found: impl Into<String>,
    ) -> Error {
        Error::condition(operation, self, expected, found.into())
    }
}
