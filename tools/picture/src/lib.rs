//! Pictures of layouts: panels of cells with headings, apart from the format; they are written as text, SVG, HTML and
//! LaTeX.
//!
//! ```
//! use layout_algebra::Term;
//! use layout_picture::{DEFAULT_EXTENT, Paint, Labels, draw, table};
//! let picture = draw(&Term::parse("(2,2):(2,1)")?.eval()?, &Labels::Offsets, DEFAULT_EXTENT)?;
//! assert!(table::write(&picture, Paint::Plain).contains("0 | 0 | 1 |"));
//! # Ok::<(), layout_algebra::Error>(())
//! ```
#![forbid(unsafe_code)]

mod colour;
pub mod html;
pub mod latex;
mod linear;
mod open;
mod paint;
pub mod svg;
pub mod table;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use layout_algebra::{
    AnyLayout, BANKS, BasisLayout, Error, Layout, Result, Tuple, Value, WORD_BYTES,
};

pub use open::draw_open;
pub use paint::{Paint, Rgb};

/// Rows and columns of a panel that are drawn when nothing else is requested.
pub const DEFAULT_EXTENT: usize = 64;

/// Panels that are drawn of a layout of more than two modes.
const PANELS: i64 = 16;

/// Thread-value pairs that are examined to find who holds an element.
const THREAD_VALUES: i64 = 1 << 20;

/// Leaves of a mode whose coordinates are written out; of more, the index is.
const LEAVES: usize = 16;

/// The labels of the cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Labels {
    /// The offset of each coordinate, coloured from the least to the greatest.
    Offsets,
    /// For a layout of threads and values: who holds each element of a tile of this shape.
    ThreadValues(Tuple),
    /// The offset and the bank of shared memory that it is in.
    Banks {
        /// Bits of an element.
        bits: i64,
        /// Threads and values that move elements: their conflicts are counted.
        access: Option<Layout>,
    },
}

/// One layout, drawn.
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    /// The title: the value that is drawn.
    pub title: String,
    /// A grid for each coordinate of the modes after the second.
    pub panels: Vec<Panel>,
    /// The parts that were left out, and other remarks.
    pub notes: Vec<String>,
}

/// A grid of cells, row by row.
#[derive(Debug, PartialEq, Eq)]
pub struct Panel {
    /// The coordinate of the slice that the panel shows, if the picture has several.
    pub label: Option<String>,
    /// Coordinates of the first mode; empty for a layout of one mode.
    pub rows: Vec<String>,
    /// Coordinates of the second mode, or of the only one.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub cells: Vec<Vec<Cell>>,
}

/// A cell; without words it is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The words of the cell, a line each.
    pub words: Vec<String>,
    /// Its background.
    pub colour: Option<Rgb>,
}

/// Draws a value.
///
/// # Errors
///
/// A value that is no layout, or none of the kind that the labels require; offsets past 64 bits.
pub fn draw(value: &Value, labels: &Labels, extent: usize) -> Result<Picture> {
    let layout = match value {
        Value::Layout(layout) => AnyLayout::Plain(layout.clone()),
        Value::Composed(composed) => AnyLayout::Composed(composed.clone()),
        Value::Basis(layout) if *labels == Labels::Offsets => {
            return draw_coordinates(layout, extent);
        }
        Value::Linear(layout) => match labels {
            Labels::Offsets => return linear::outputs(layout, extent),
            Labels::ThreadValues(tile) => return linear::holders(layout, tile, extent),
            Labels::Banks { .. } => return Err(refused(value)),
        },
        other => return Err(refused(other)),
    };
    let shape = layout.inner().shape().clone();
    // The same function with fewer leaves: what has 64 bits of size has at most 63 then.
    let layout = layout.try_map(Layout::coalesce)?;
    let title = value.to_string();
    match labels {
        Labels::Offsets => {
            let mut grid = Grid::over(&shape, extent)?;
            let offsets = grid.indices()?.into_iter().map(|i| layout.at(i));
            let offsets = offsets.collect::<Result<Vec<_>>>()?;
            let (least, most) = (offsets.iter().min(), offsets.iter().max());
            let range = (least.copied().unwrap_or(0), most.copied().unwrap_or(0));
            let cells = offsets.into_iter().map(|offset| Cell {
                words: vec![offset.to_string()],
                colour: Some(colour::of_offset(offset, range)),
            });
            grid.fill(cells);
            Ok(Picture { title, panels: grid.panels, notes: grid.notes })
        }
        Labels::Banks { bits, access } => {
            let mut grid = Grid::over(&shape, extent)?;
            let mut cells = Vec::new();
            for index in grid.indices()? {
                let offset = layout.at(index)?;
                let bank = i128::from(offset) * i128::from(*bits);
                let bank = bank.div_euclid((WORD_BYTES * 8).into()).rem_euclid(BANKS.into());
                let bank = u32::try_from(bank).unwrap_or(0); // below 32
                cells.push(Cell {
                    words: vec![offset.to_string(), format!("b{bank}")],
                    colour: Some(colour::of_bank(bank)),
                });
            }
            grid.fill(cells);
            grid.notes.push(format!(
                "b: the bank of the first byte, of {BANKS} banks of {WORD_BYTES} bytes, for elements \
                 of {bits} bits"
            ));
            if let Some(access) = access {
                let conflicts = layout.conflicts(access, *bits)?;
                grid.notes.push(format!("access {access}: {conflicts}"));
            }
            Ok(Picture { title, panels: grid.panels, notes: grid.notes })
        }
        Labels::ThreadValues(tile) => {
            let mut grid = Grid::over(tile, extent)?;
            let holders = holders(&layout, &shape, tile)?;
            let cells = grid.indices()?.into_iter().map(|index| match holders.get(&index) {
                None => Cell::default(),
                Some((thread, value, _)) => Cell {
                    words: vec![format!("T{thread}"), format!("V{value}")],
                    colour: Some(colour::of_thread(*thread)),
                },
            });
            let cells = cells.collect::<Vec<_>>();
            let size = tile.product()?;
            let held = i64::try_from(holders.len()).unwrap_or(i64::MAX);
            if held < size {
                grid.notes
                    .push(format!("{} of {size} elements are held by no thread", size - held));
            }
            let shared = holders.values().filter(|(_, _, times)| *times > 1).count();
            if shared > 0 {
                grid.notes.push(format!(
                    "{shared} of {size} elements are held more than once: the first thread and \
                     value is shown"
                ));
            }
            grid.fill(cells);
            let title = format!("{title} over {tile}");
            Ok(Picture { title, panels: grid.panels, notes: grid.notes })
        }
    }
}

fn refused<L: layout_algebra::Leaf>(value: &Value<L>) -> Error {
    Error::Operand {
        operation: "picture",
        expected: "a layout to draw".to_owned(),
        found: format!("the {} {value}", value.kind()),
    }
}

/// Draws a coordinate layout, coloured in the order in which they count.
fn draw_coordinates(layout: &BasisLayout, extent: usize) -> Result<Picture> {
    let mut grid = Grid::over(layout.shape(), extent)?;
    let compact = Layout::from_shape(layout.coshape()?)?;
    let mut cells = Vec::new();
    for index in grid.indices()? {
        let coord = layout.crd2crd(&Tuple::Leaf(index))?;
        let place = compact.crd2idx(&coord)?;
        let colour = colour::of_offset(place, (0, compact.size() - 1));
        cells.push(Cell { words: vec![coord.to_string()], colour: Some(colour) });
    }
    grid.fill(cells);
    Ok(Picture { title: layout.to_string(), panels: grid.panels, notes: grid.notes })
}

/// Who holds each element of a tile: the first thread and value, and how many pairs do.
fn holders(
    layout: &AnyLayout,
    shape: &Tuple,
    tile: &Tuple,
) -> Result<HashMap<i64, (i64, i64, u64)>> {
    let wrong = |expected: &str, found: String| Error::Operand {
        operation: "thread-values",
        expected: expected.to_owned(),
        found,
    };
    let [threads, values] = shape.entries() else {
        return Err(wrong(
            "a layout of two modes, threads and values",
            format!("the shape {shape}"),
        ));
    };
    let (threads, values) = (threads.product()?, values.product()?);
    let size = tile.product()?;
    if layout.size() > THREAD_VALUES {
        return Err(Error::Limit {
            what: "thread-value pairs in a picture",
            limit: usize::try_from(THREAD_VALUES).unwrap_or(usize::MAX),
            found: layout.size().to_string(),
        });
    }
    let mut holders = HashMap::new();
    for value in 0..values {
        for thread in 0..threads {
            let index = layout.at(thread + value * threads)?;
            if !(0..size).contains(&index) {
                return Err(wrong(
                    &format!("indices into the {size} elements of the tile {tile}"),
                    format!("{index} for thread {thread}, value {value}"),
                ));
            }
            holders.entry(index).or_insert((thread, value, 0)).2 += 1;
        }
    }
    Ok(holders)
}

/// The panels of a shape, without their cells yet.
struct Grid {
    panels: Vec<Panel>,
    notes: Vec<String>,
    /// The extents of the whole shape.
    rows: i64,
    columns: i64,
}

impl Grid {
    /// A grid over the coordinates of a shape, at most `extent` rows and columns of it.
    fn over(shape: &Tuple, extent: usize) -> Result<Self> {
        let unit = Tuple::Leaf(1);
        let entries = shape.entries();
        let (row, column, rest) = match entries {
            [] => (&unit, &unit, entries),
            [only] => (&unit, only, &entries[1..]),
            [row, column, rest @ ..] => (row, column, rest),
        };
        if let Some(wrong) = shape.leaves().into_iter().find(|&extent| extent < 1) {
            return Err(Error::Extent { shape: shape.clone(), extent: wrong });
        }
        shape.product()?; // every index below is smaller
        let (rows, columns) = (row.product()?, column.product()?);
        let mut notes = Vec::new();
        let row_names = if entries.len() < 2 {
            Vec::new()
        } else {
            headings(row, rows, extent, "rows", &mut notes)?
        };
        let column_names = headings(column, columns, extent, "columns", &mut notes)?;
        let slices = match rest {
            [] => 1,
            _ => Tuple::Node(rest.to_vec()).product()?,
        };
        if slices > PANELS {
            notes.push(format!("{PANELS} of {slices} slices are shown"));
        }
        let mut panels = Vec::new();
        for slice in 0..slices.min(PANELS) {
            let label = match rest {
                [] => None,
                _ => {
                    let coord = coordinate(slice, &Tuple::Node(rest.to_vec()))?;
                    let inner = coord.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                    Some(format!("(_,_,{})", inner.unwrap_or(&coord)))
                }
            };
            panels.push(Panel {
                label,
                rows: row_names.clone(),
                columns: column_names.clone(),
                cells: Vec::new(),
            });
        }
        Ok(Self { panels, notes, rows, columns })
    }

    /// The one-dimensional index of each cell, in the order in which [`Grid::fill`] takes them.
    fn indices(&self) -> Result<Vec<i64>> {
        let mut indices = Vec::new();
        let mut start = 0;
        for panel in &self.panels {
            for row in 0..panel.rows.len().max(1) {
                for column in 0..panel.columns.len() {
                    // Counts of what is shown; the product stays below the size of the shape.
                    let (row, column) = (row as i64, column as i64);
                    indices.push(start + row + column * self.rows);
                }
            }
            start += self.rows * self.columns;
        }
        Ok(indices)
    }

    fn fill(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells = cells.into_iter();
        for panel in &mut self.panels {
            let columns = panel.columns.len();
            panel.cells = (0..panel.rows.len().max(1))
                .map(|_| cells.by_ref().take(columns).collect())
                .collect();
        }
    }
}

/// The coordinates of a mode, and a note if not all of them are shown.
fn headings(
    mode: &Tuple,
    size: i64,
    extent: usize,
    what: &str,
    notes: &mut Vec<String>,
) -> Result<Vec<String>> {
    let shown = usize::try_from(size).map_or(extent, |size| size.min(extent));
    let shown = shown as i64;
    if shown < size {
        notes.push(format!("{shown} of {size} {what} are shown"));
    }
    (0..shown).map(|index| coordinate(index, mode)).collect()
}

/// The coordinate of an index in a shape, as text.
fn coordinate(index: i64, shape: &Tuple) -> Result<String> {
    if shape.leaves().len() > LEAVES {
        return Ok(format!("{index}"));
    }
    Ok(shape.idx2crd(index)?.to_string())
}
