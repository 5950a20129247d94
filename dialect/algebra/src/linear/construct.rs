//! Construction of linear layouts: from bases, from a rule, from the paper's literal.

use super::{
    LinearLayout, Matrix,
    dims::{Dims, coordinate, log2, size_of},
};
use crate::error::{Error, Result};
use alloc::{format, string::String, vec, vec::Vec};

const OPERATION: &str = "linear";

impl LinearLayout {
    /// The layout with these bases: for each input dimension its name and the outputs at 1, 2, 4, …;
    /// and the names and sizes of the outputs. An input dimension of `n` bases has size `2^n`.
    ///
    /// # Errors
    ///
    /// Names that are no names or come twice; sizes that are no powers of two; a basis that has not
    /// one entry for each output, or one outside of its dimension; too many bits.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout = LinearLayout::new(
    ///     &[("lane", vec![vec![0, 1], vec![1, 0]]), ("warp", vec![vec![2, 2]])],
    ///     &[("row", 4), ("col", 4)],
    /// )?;
    /// let text = "linear<{lane = [(0,1),(1,0)], warp = [(2,2)]} -> {row = 4, col = 4}>";
    /// assert_eq!(layout.to_string(), text);
    ///
    /// let error = LinearLayout::new(&[("lane", vec![vec![4]])], &[("row", 4)]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "linear: expected a basis of lane = 1 with 0 <= row < 4, found 4"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn new<I: AsRef<str>, O: AsRef<str>>(
        bases: &[(I, Vec<Vec<i64>>)],
        outs: &[(O, i64)],
    ) -> Result<Self> {
        let outs = Dims::sized(OPERATION, outs)?;
        let count = |vectors: &[_]| u32::try_from(vectors.len()).unwrap_or(u32::MAX);
        let ins = bases.iter().map(|(name, vectors)| (name.as_ref(), count(vectors)));
        let ins = Dims::new(OPERATION, ins)?;
        let mut columns = Vec::new();
        for (name, vectors) in bases {
            for (bit, vector) in (0..).zip(vectors) {
                columns.push(basis(&outs, name.as_ref(), bit, vector)?);
            }
        }
        Ok(Self::from_parts(ins, outs, columns))
    }

    /// The layout with these bases whose outputs are as large as the bases make them: each the next
    /// power of two above its greatest entry.
    ///
    /// The layout must then be surjective. Otherwise nothing says how large the outputs are meant to
    /// be, and [`LinearLayout::new`] has to.
    ///
    /// # Errors
    ///
    /// As [`LinearLayout::new`]; an output that is not hit.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout = LinearLayout::surjective(&[("lane", vec![vec![1], vec![3]])], &["row"])?;
    /// assert_eq!(layout.to_string(), "linear<{lane = [1,3]} -> {row = 4}>");
    /// let error = LinearLayout::surjective(&[("lane", vec![vec![1], vec![4]])], &["row"]);
    /// assert_eq!(
    ///     error.unwrap_err().to_string(),
    ///     "linear(linear<{lane = [1,4]} -> {row = 8}>): expected bases that reach every output, \
    ///      found none for (row = 2)"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn surjective<I: AsRef<str>, O: AsRef<str>>(
        bases: &[(I, Vec<Vec<i64>>)],
        outs: &[O],
    ) -> Result<Self> {
        let sizes: Vec<(&str, i64)> = outs
            .iter()
            .enumerate()
            .map(|(i, name)| {
                let entries = bases.iter().flat_map(|(_, vectors)| vectors);
                let greatest = entries.filter_map(|vector| vector.get(i)).max().copied();
                // A size past the range of i64 is refused below, since the entry lies outside of it.
                let size = u64::try_from(greatest.unwrap_or(0)).map_or(1, |entry| {
                    entry.checked_add(1).and_then(u64::checked_next_power_of_two).unwrap_or(1)
                });
                (name.as_ref(), i64::try_from(size).unwrap_or(1))
            })
            .collect();
        let layout = Self::new(bases, &sizes)?;
        match layout.missed() {
            None => Ok(layout),
            Some(missed) => Err(layout.refuse(
                OPERATION,
                "bases that reach every output",
                format!("none for {}", layout.outs.show(missed)),
            )),
        }
    }

    /// The layout of no dimensions: the neutral element of [`product`](Self::product).
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// assert_eq!(LinearLayout::empty().to_string(), "linear<{} -> {}>");
    /// ```
    pub fn empty() -> Self {
        Self::default()
    }

    /// `L(x) = x` for `0 <= x < size`.
    ///
    /// # Errors
    ///
    /// A size that is no power of two; a bad name.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout = LinearLayout::identity1d(8, "lane", "row")?;
    /// assert_eq!(layout.to_string(), "linear<{lane = [1,2,4]} -> {row = 8}>");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn identity1d(size: i64, input: &str, output: &str) -> Result<Self> {
        Self::strided1d(size, 1, input, output)
    }

    /// `L(x) = stride * x` for `0 <= x < size`, into an output of `size * stride`.
    ///
    /// # Errors
    ///
    /// A size or a stride that is no power of two; a bad name; too many bits.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout = LinearLayout::strided1d(4, 2, "lane", "row")?;
    /// assert_eq!(layout.to_string(), "linear<{lane = [2,4]} -> {row = 8}>");
    /// assert_eq!(
    ///     LinearLayout::strided1d(4, 3, "lane", "row").unwrap_err().to_string(),
    ///     "strided1d: expected a stride that is a power of two, found 3"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn strided1d(size: i64, stride: i64, input: &str, output: &str) -> Result<Self> {
        let bits = log2("strided1d", input, size)?;
        if stride <= 0 || stride.count_ones() != 1 {
            return Err(Error::operand("strided1d", "a stride that is a power of two", stride));
        }
        let shift = stride.trailing_zeros();
        let ins = Dims::new("strided1d", [(input, bits)])?;
        let outs = Dims::new("strided1d", [(output, bits + shift)])?;
        let columns = (0..bits).map(|bit| 1 << (bit + shift)).collect();
        Ok(Self::from_parts(ins, outs, columns))
    }

    /// `L(x) = 0` for `0 <= x < size`, into an output of `out_size`: every input holds the same
    /// element. With an `out_size` of 1 it is surjective.
    ///
    /// # Errors
    ///
    /// A size that is no power of two; a bad name.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout = LinearLayout::zeros1d(4, "warp", "row", 1)?;
    /// assert_eq!(layout.to_string(), "linear<{warp = [0,0]} -> {row = 1}>");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn zeros1d(size: i64, input: &str, output: &str, out_size: i64) -> Result<Self> {
        let ins = Dims::sized("zeros1d", &[(input, size)])?;
        let outs = Dims::sized("zeros1d", &[(output, out_size)])?;
        let columns = vec![0; ins.bits() as usize];
        Ok(Self::from_parts(ins, outs, columns))
    }

    /// The paper's `LinearLayout(crd, idx, vals)`: the shape of the coordinates, the shape of the
    /// indices, and the index of each basis coordinate `(1,0,…)`, `(2,0,…)`, …, `(0,1,…)`, … in
    /// colexicographic order. Dimensions are named `crd0`, `crd1`, …, `idx0`, ….
    ///
    /// # Errors
    ///
    /// As [`LinearLayout::new`]; a number of values that is not the number of bits of `crd`.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let vals = [vec![1, 1], vec![2, 2], vec![0, 1], vec![0, 2]];
    /// let swizzled = LinearLayout::from_values_at_bases(&[4, 4], &[4, 4], &vals)?;
    /// assert_eq!(
    ///     swizzled.to_string(),
    ///     "linear<{crd0 = [(1,1),(2,2)], crd1 = [(0,1),(0,2)]} -> {idx0 = 4, idx1 = 4}>"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_values_at_bases(crd: &[i64], idx: &[i64], vals: &[Vec<i64>]) -> Result<Self> {
        let named = |prefix: &str, shape: &[i64]| -> Vec<(String, i64)> {
            shape.iter().enumerate().map(|(i, &size)| (format!("{prefix}{i}"), size)).collect()
        };
        let ins = Dims::sized(OPERATION, &named("crd", crd))?;
        let outs = Dims::sized(OPERATION, &named("idx", idx))?;
        if vals.len() != ins.bits() as usize {
            let expected = format!("{} values for the bits of {}", ins.bits(), coordinate(crd));
            return Err(Error::operand(OPERATION, expected, vals.len()));
        }
        let columns = (0..)
            .zip(vals)
            .map(|(packed, value)| {
                let (name, bit) = ins.bit(packed);
                basis(&outs, name, bit, value)
            })
            .collect::<Result<_>>()?;
        Ok(Self::from_parts(ins, outs, columns))
    }

    /// The layout whose flattened form has this matrix, over dimensions of these names and sizes.
    ///
    /// # Errors
    ///
    /// Sizes that are no powers of two, or not as many bits as the matrix has columns and rows.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{lane = [(0,1),(1,0)]} -> {row = 2, col = 2}>".parse()?;
    /// let (ins, outs) = ([("lane", 4)], [("row", 2), ("col", 2)]);
    /// let same = LinearLayout::from_matrix(&layout.matrix(), &ins, &outs)?;
    /// assert_eq!(same, layout);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_matrix<I: AsRef<str>, O: AsRef<str>>(
        matrix: &Matrix,
        ins: &[(I, i64)],
        outs: &[(O, i64)],
    ) -> Result<Self> {
        let (ins, outs) = (Dims::sized(OPERATION, ins)?, Dims::sized(OPERATION, outs)?);
        if (ins.bits(), outs.bits()) != (matrix.width(), matrix.height()) {
            let expected = format!("a matrix of {} rows and {} columns", outs.bits(), ins.bits());
            let found = format!("{} and {}", matrix.height(), matrix.width());
            return Err(Error::operand(OPERATION, expected, found));
        }
        Ok(Self::from_parts(ins, outs, matrix.columns()))
    }

    /// The smallest power of two that is no packed output, unless all are.
    pub(super) fn missed(&self) -> Option<u64> {
        let echelon = self.matrix().reduce();
        (0..self.outs.bits()).map(|bit| 1 << bit).find(|&unit| echelon.solve(unit).is_none())
    }
}

/// The basis of `name = 2^bit` in one word.
fn basis(outs: &Dims, name: &str, bit: u32, vector: &[i64]) -> Result<u64> {
    outs.pack(vector).map_err(|misfit| {
        Error::operand(
            OPERATION,
            format!("a basis of {name} = {} with {}", size_of(bit), misfit.expected),
            misfit.found,
        )
    })
}
