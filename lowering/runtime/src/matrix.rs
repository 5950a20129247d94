//! The layout of an argument as the runtime reads it: a matrix, or a batch of matrices.

use crate::manifest::Argument;
use crate::{Error, Result};

/// Most strides of a mode.
const MAX_STRIDES: usize = 8;

/// A matrix in memory, or a batch of them: element (i,j) of matrix l lies at
/// `i * strides[0] + j * strides[1] + l * apart`, in elements, where no mode is in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Rows and columns, each at least 1.
    pub extents: [usize; 2],
    /// Distance between neighbours along each mode, in elements.
    pub strides: [usize; 2],
    /// Matrices, at least 1.
    pub batch: usize,
    /// Distance from one matrix to the next, in elements; 0 where all are one.
    pub batch_stride: usize,
    /// The levels of rows, columns and the batch, where one has several strides: those above are the
    /// first then.
    pub blocks: [Blocks; 3],
}

/// The extents and strides of a mode, the fastest first; empty if it has one stride.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    count: usize,
    leaves: [(usize, usize); MAX_STRIDES],
}

impl Blocks {
    fn leaves(&self) -> &[(usize, usize)] {
        self.leaves.get(..self.count).unwrap_or_default()
    }

    /// Whether the mode has one stride.
    pub const fn is_none(&self) -> bool {
        self.count == 0
    }

    /// Where an index of the mode lies, if it is in blocks; else it is `stride` from neighbour to neighbour.
    fn at(&self, mut index: usize, stride: usize) -> usize {
        if self.is_none() {
            return index * stride;
        }
        let mut place = 0;
        for &(extent, stride) in self.leaves() {
            place += index % extent * stride;
            index /= extent;
        }
        place
    }

    /// Where its last element lies.
    fn last(&self, extent: usize, stride: usize) -> usize {
        self.at(extent - 1, stride)
    }
}

impl Matrix {
    /// One matrix.
    pub const fn single(extents: [usize; 2], strides: [usize; 2]) -> Self {
        let none = Blocks { count: 0, leaves: [(0, 0); MAX_STRIDES] };
        Self { extents, strides, batch: 1, batch_stride: 0, blocks: [none; 3] }
    }

    /// Elements between the first and one past the last address.
    pub fn span(&self) -> usize {
        let last = |mode: usize| self.blocks[mode].last(self.extents[mode], self.strides[mode]);
        last(0) + last(1) + self.blocks[2].last(self.batch, self.batch_stride) + 1
    }

    /// Elements of all matrices.
    pub fn elements(&self) -> usize {
        self.extents[0] * self.extents[1] * self.batch
    }

    /// Where element (row, column) of a matrix lies.
    pub fn at(&self, number: usize, row: usize, column: usize) -> usize {
        let [rows, columns, batch] = &self.blocks;
        rows.at(row, self.strides[0])
            + columns.at(column, self.strides[1])
            + batch.at(number, self.batch_stride)
    }

    /// Whether each mode has one stride.
    pub fn is_plain(&self) -> bool {
        self.blocks.iter().all(Blocks::is_none)
    }

    /// Whether it is one matrix whose rows, or whose columns, lie one after the other without gaps.
    pub fn is_contiguous(&self) -> bool {
        let ([rows, columns], strides) = (self.extents, self.strides);
        self.is_plain() && self.batch == 1 && (strides == [columns, 1] || strides == [1, rows])
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
    /// The layout as a matrix, or a batch of them.
    ///
    /// # Errors
    ///
    /// [`Error::Manifest`] for a layout that is not of two or three modes, that has extents below 1 or strides below 0, too many
    /// strides in a mode, or 2^63 bytes or more.
    pub fn matrix(&self) -> Result<Matrix> {
        let extents = self.modes("shape", &self.shape)?;
        let strides = self.modes("stride", &self.stride)?;
        let wrong = |what: &str| {
            Error::Manifest(format!(
                "argument {}: {what}, found {}:{}",
                self.name, self.shape, self.stride
            ))
        };
        if extents.iter().flatten().any(|&extent| extent < 1) {
            return Err(wrong("expected extents of at least 1"));
        }
        if strides.iter().flatten().any(|&stride| stride < 0) {
            return Err(wrong("expected strides of at least 0"));
        }
        if skeleton(&self.shape) != skeleton(&self.stride) {
            return Err(wrong("expected a stride for each extent"));
        }
        let all = || extents.iter().flatten().zip(strides.iter().flatten());
        let span = all().try_fold(1i64, |span, (extent, stride)| {
            (extent - 1).checked_mul(*stride)?.checked_add(span)
        });
        let size = all().try_fold(1i64, |size, (extent, _)| size.checked_mul(*extent));
        let bytes = span.and_then(|span| span.checked_mul(self.element.bytes() as i64));
        if bytes.is_none() || size.is_none() {
            return Err(wrong("expected a size below 2^63 bytes"));
        }
        let mut modes = Vec::with_capacity(extents.len());
        for (extents, strides) in extents.iter().zip(&strides) {
            modes.push(mode(extents, strides).ok_or_else(|| {
                wrong(&format!("expected at most {MAX_STRIDES} strides of a mode"))
            })?);
        }
        let of = |i: usize| modes.get(i).copied().unwrap_or((1, 0, Blocks::default()));
        let [rows, columns, batch] = [of(0), of(1), of(2)];
        Ok(Matrix {
            extents: [rows.0, columns.0],
            strides: [rows.1, columns.1],
            batch: batch.0,
            batch_stride: batch.1,
            blocks: [rows.2, columns.2, batch.2],
        })
    }

    /// Whether there is a mode for a batch.
    pub(crate) fn is_batched(&self) -> bool {
        split(&self.shape).is_some_and(|modes| modes.len() == 3)
    }

    /// The integers of two or three modes.
    fn modes(&self, what: &str, text: &str) -> Result<Vec<Vec<i64>>> {
        let integers = |mode: &str| -> Option<Vec<i64>> {
            let words = mode.split(['(', ')', ',']).map(str::trim).filter(|word| !word.is_empty());
            words.map(|word| word.parse().ok()).collect()
        };
        let modes: Option<Vec<Vec<i64>>> =
            split(text).and_then(|modes| modes.into_iter().map(integers).collect());
        let whole = |modes: &Vec<Vec<i64>>| {
            matches!(modes.len(), 2 | 3) && modes.iter().all(|mode| !mode.is_empty())
        };
        modes.filter(whole).ok_or_else(|| {
            Error::Manifest(format!(
                "argument {}: expected a {what} of two or three modes, such as (64,1) or (64,(8,2)), \
                 found {text}",
                self.name
            ))
        })
    }
}

/// A mode of these extents and strides: its size, its first stride, and how it lies if it has several.
fn mode(extents: &[i64], strides: &[i64]) -> Option<(usize, usize, Blocks)> {
    let wide = |value: i64| usize::try_from(value).unwrap_or_default();
    let mut leaves: Vec<(usize, usize)> = Vec::new();
    let mut size = 1;
    for (&extent, &stride) in extents.iter().zip(strides) {
        let (extent, stride) = (wide(extent), wide(stride));
        size *= extent;
        match leaves.last_mut() {
            _ if extent == 1 => {}
            // It continues as the one before.
            Some(before) if before.0.checked_mul(before.1) == Some(stride) => before.0 *= extent,
            _ => leaves.push((extent, stride)),
        }
    }
    match leaves[..] {
        [] => Some((size, strides.last().map_or(0, |&stride| wide(stride)), Blocks::default())),
        [(_, stride)] => Some((size, stride, Blocks::default())),
        [(_, stride), ..] => {
            let mut blocks = Blocks { count: leaves.len(), ..Blocks::default() };
            blocks.leaves.get_mut(..leaves.len())?.copy_from_slice(&leaves);
            Some((size, stride, blocks))
        }
    }
}

/// The modes of a tuple.
fn split(text: &str) -> Option<Vec<&str>> {
    let inside = text.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (mut modes, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, letter) in inside.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                modes.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    modes.push(&inside[start..]);
    (depth == 0).then_some(modes)
}

/// A tuple without its integers.
fn skeleton(text: &str) -> String {
    text.chars().filter(|letter| matches!(letter, '(' | ')' | ',')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Access, Element};

    fn of(shape: &str, stride: &str) -> Result<Matrix> {
        let argument = Argument {
            name: "a".into(),
            element: Element::Bf16,
            shape: shape.into(),
            stride: stride.into(),
            access: Access::Read,
            alignment: None,
            sizes: Vec::new(),
            values: None,
            ascending: None,
        };
        argument.matrix()
    }

    #[test]
    fn elements_of_blocks_are_at_the_offsets_of_the_layout() {
        let matrix = of("(5,(8,3))", "(8,(1,40))").unwrap();
        assert_eq!((matrix.extents, matrix.span()), ([5, 24], 120));
        for (row, column) in [(0, 0), (4, 7), (1, 8), (4, 23)] {
            assert_eq!(matrix.at(0, row, column), row * 8 + column % 8 + column / 8 * 40);
        }
        let mut places: Vec<usize> = matrix.places().collect();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..120));
        assert!(!matrix.is_plain());
        let batch = of("(4,2,(2,3))", "(2,1,(100,10))").unwrap();
        assert_eq!((batch.batch, batch.at(3, 1, 1), batch.span()), (6, 113, 128));
    }

    #[test]
    fn what_goes_on_as_one_stride_is_plain() {
        let matrix = of("((8,1,2),3)", "((3,7,24),1)").unwrap();
        assert_eq!(matrix, Matrix::single([16, 3], [3, 1]));
        assert_eq!(of("((1,1),3)", "((3,7),1)").unwrap(), Matrix::single([1, 3], [7, 1]));
    }

    #[test]
    fn other_tuples_are_refused() {
        let error = |shape, stride| of(shape, stride).unwrap_err().to_string();
        assert_eq!(
            error("(5,(8,3))", "(8,1)"),
            "manifest: argument a: expected a stride for each extent, found (5,(8,3)):(8,1)"
        );
        for shape in ["(5,(8,3)", "(5,8))(", "(5,())", "5", "(5)", "(5,x)"] {
            assert_eq!(
                error(shape, "(8,1)"),
                format!(
                    "manifest: argument a: expected a shape of two or three modes, such as (64,1) or \
                     (64,(8,2)), found {shape}"
                )
            );
        }
        let nine = |text: &str| format!("(5,({}))", [text; 9].join(","));
        assert_eq!(
            error(&nine("2"), &nine("3")),
            "manifest: argument a: expected at most 8 strides of a mode, found \
             (5,(2,2,2,2,2,2,2,2,2)):(5,(3,3,3,3,3,3,3,3,3))"
        );
    }
}
