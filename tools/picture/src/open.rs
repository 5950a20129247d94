//! Pictures of layouts with symbols: offsets are expressions, and of a mode whose extent is not known the first entries
//! are shown.

use layout_algebra::integer::Result;
use layout_algebra::{Expr, Facts, Nested, Op, Tuple, Value};

use super::{Cell, Grid, Labels, Picture, draw, refused};

/// Entries of a mode that are shown where its extent is not known.
const ENTRIES: i64 = 4;

/// Draws the offsets of a value whose leaves may have symbols.
///
/// # Errors
///
/// As [`draw`]; an offset that needs a fact which is not known.
///
/// ```
/// use layout_algebra::{Facts, evaluate};
/// use layout_picture::{Paint, draw_open, table};
/// let mut facts = Facts::new();
/// let value = evaluate("(M,2):(2,K)", &mut facts)?;
/// let text = table::write(&draw_open(&value, &facts, 64)?, Paint::Plain);
/// assert!(text.contains("1 |   2 | K+2 |"));
/// assert!(text.contains("(of M entries at most 4 are shown)"));
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub fn draw_open(value: &Value<Expr>, facts: &Facts, extent: usize) -> Result<Picture> {
    if let Some(value) = value.to_static() {
        return Ok(draw(&value, &Labels::Offsets, extent)?);
    }
    let shape = match value {
        Value::Layout(layout) => layout.shape(),
        Value::Composed(composed) => composed.inner.shape(),
        Value::Basis(layout) => layout.shape(),
        other => return Err(refused(other).into()),
    };
    let mut notes = Vec::new();
    let drawn = shown(shape, facts, extent, &mut notes)?;
    let mut grid = Grid::over(&drawn, extent)?;
    let mut cells = Vec::new();
    for index in grid.indices()? {
        let coord = drawn
            .idx2crd(index)?
            .try_map(&mut |at| Ok::<_, layout_algebra::Error>(Expr::from(*at)))?;
        let offset = Op::Crd2Idx.apply_under(facts, &[coord.into(), value.clone()])?;
        cells.push(Cell { words: vec![offset.to_string()], colour: None });
    }
    grid.fill(cells);
    grid.notes.extend(notes);
    Ok(Picture { title: value.to_string(), panels: grid.panels, notes: grid.notes })
}

/// The shape of what is shown.
fn shown(
    shape: &Nested<Expr>,
    facts: &Facts,
    extent: usize,
    notes: &mut Vec<String>,
) -> Result<Tuple> {
    let entries = i64::try_from(extent).map_or(ENTRIES, |extent| extent.clamp(1, ENTRIES));
    shape.try_map(&mut |leaf| match facts.known(leaf) {
        Some(extent) => Ok(extent),
        None => {
            notes.push(format!("of {leaf} entries at most {entries} are shown"));
            Ok(entries)
        }
    })
}
