//! Linear layouts as pictures in text.

use super::{LinearLayout, dims::sum};
use crate::error::{Error, Result};
use alloc::{format, string::String, string::ToString, vec, vec::Vec};

/// Coordinates, of inputs or of outputs, that a picture may show.
pub const PICTURE_LIMIT: usize = 4096;

impl LinearLayout {
    /// The inputs that hold each element: a table with a row for each coordinate of the first output and a column for
    /// each of the second, whose cells have the inputs that map there, their dimensions separated by `:` in the order
    /// of the first line.
    ///
    /// # Errors
    ///
    /// More than two outputs ([`reshape_outs`](Self::reshape_outs) helps); more than
    /// [`PICTURE_LIMIT`] coordinates.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let held: LinearLayout =
    ///     "linear<{register = [(0,1)], lane = [(1,0),(0,2)], warp = [(0,0)]} -> {row = 2, col = 4}>"
    ///         .parse()?;
    /// assert_eq!(held.picture()?, "\
    /// register:lane:warp
    ///        col 0        col 1        col 2        col 3
    /// row 0  0:0:0 0:0:1  1:0:0 1:0:1  0:2:0 0:2:1  1:2:0 1:2:1
    /// row 1  0:1:0 0:1:1  1:1:0 1:1:1  0:3:0 0:3:1  1:3:0 1:3:1
    /// ");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn picture(&self) -> Result<String> {
        let outs: Vec<(&str, i64)> = self.out_dims().collect();
        let (rows, columns) = match outs[..] {
            [] => (("", 1), ("", 1)),
            [only] => (("", 1), only),
            [rows, columns] => (rows, columns),
            _ => {
                return Err(Error::operand("picture", "at most two outputs", self.outs.listed()));
            }
        };
        for size in [self.size(), self.cosize()] {
            if usize::try_from(size).is_ok_and(|size| size <= PICTURE_LIMIT) {
                continue;
            }
            return Err(Error::limit("coordinates of a picture", PICTURE_LIMIT, size));
        }
        // Both sizes are small by now.
        let small = |size: i64| usize::try_from(size).unwrap_or(0);
        let (height, width) = (small(rows.1), small(columns.1));
        let mut cells = vec![vec![String::new(); width]; height];
        for input in 0..self.size().unsigned_abs() {
            let image = self.outs.unpack(sum(&self.columns, input));
            let (row, column) = match image[..] {
                [row, column] => (small(row), small(column)),
                [column] => (0, small(column)),
                _ => (0, 0),
            };
            if let Some(cell) = cells.get_mut(row).and_then(|cells| cells.get_mut(column)) {
                let parts: Vec<String> =
                    self.ins.unpack(input).iter().map(ToString::to_string).collect();
                cell.push_str(if cell.is_empty() { "" } else { " " });
                cell.push_str(&parts.join(":"));
            }
        }
        let label = |(name, _): (&str, i64), i: usize| match name {
            "" => String::new(),
            _ => format!("{name} {i}"),
        };
        let mut table = vec![
            core::iter::once(String::new())
                .chain((0..width).map(|column| label(columns, column)))
                .collect::<Vec<_>>(),
        ];
        for (row, cells) in cells.into_iter().enumerate() {
            table.push(core::iter::once(label(rows, row)).chain(cells).collect());
        }
        let names: Vec<&str> = self.in_names().collect();
        Ok(format!("{}\n{}", names.join(":"), aligned(&table)))
    }
}

/// Cells in columns of equal width, the first empty column left out.
fn aligned(table: &[Vec<String>]) -> String {
    let count = table.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..count)
        .map(|column| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in table {
        let mut line = String::new();
        for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            if i == 0 && width == 0 {
                continue;
            }
            line.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
