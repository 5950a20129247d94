//! Pictures as text, as CuTe's `print_layout` draws them.

use std::fmt::Write;

use super::{Panel, Picture};
use crate::Paint;

/// Writes a picture; every line ends.
pub fn write(picture: &Picture, paint: Paint) -> String {
    let mut out = format!("{}\n", paint.strong(&picture.title));
    for panel in &picture.panels {
        if let Some(label) = &panel.label {
            let _ = writeln!(out, "{label}");
        }
        write_panel(&mut out, panel, paint);
    }
    for note in &picture.notes {
        let _ = writeln!(out, "{}", paint.faint(format!("({note})")));
    }
    out
}

// Writing to a string cannot fail, hence `let _`.
fn write_panel(out: &mut String, panel: &Panel, paint: Paint) {
    let cells: Vec<Vec<String>> = panel
        .cells
        .iter()
        .map(|row| row.iter().map(|cell| cell.words.join(" ")).collect())
        .collect();
    let widest = |texts: &mut dyn Iterator<Item = &String>| texts.map(String::len).max();
    let width = widest(&mut cells.iter().flatten().chain(&panel.columns)).unwrap_or(0);
    let margin = widest(&mut panel.rows.iter()).map_or(0, |widest| widest + 1);
    let rule = format!(
        "{:margin$}{}+\n",
        "",
        format!("+{}", "-".repeat(width + 2)).repeat(panel.columns.len())
    );
    let mut heading = " ".repeat(margin);
    for column in &panel.columns {
        let _ = write!(heading, "  {column:>width$} ");
    }
    let _ = writeln!(out, "{}", heading.trim_end());
    for (i, row) in cells.iter().enumerate() {
        out.push_str(&rule);
        let name = panel.rows.get(i).map_or("", String::as_str);
        let _ = match panel.rows.is_empty() {
            true => Ok(()),
            false => write!(out, "{name:>0$} ", margin - 1),
        };
        for (j, text) in row.iter().enumerate() {
            let padded = format!(" {text:>width$} ");
            let shown = match panel.cells[i][j].colour {
                Some(colour) => paint.on(colour, padded),
                None => padded,
            };
            let _ = write!(out, "|{shown}");
        }
        out.push_str("|\n");
    }
    out.push_str(&rule);
}
