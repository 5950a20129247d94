//! Pictures as SVG, one below the other in one document.

use std::fmt::Write;

use super::{Panel, Picture};
use crate::Rgb;

/// Pixels: a digit, the height of a line of text, and the room around what is drawn.
const DIGIT: usize = 7;
const LINE: usize = 16;
const MARGIN: usize = 10;

/// A whole document.
pub fn document(pictures: &[Picture]) -> String {
    let mut body = String::new();
    let (mut width, mut y) = (0, MARGIN);
    for picture in pictures {
        width = width.max(write_picture(&mut body, picture, &mut y));
        y += MARGIN;
    }
    let width = width + 2 * MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" \
         viewBox=\"0 0 {width} {y}\" font-family=\"monospace\" font-size=\"12\" fill=\"#000\">\n\
         <rect width=\"{width}\" height=\"{y}\" fill=\"#fff\"/>\n{body}</svg>\n"
    )
}

/// Writes a picture at `y`, which moves below it; the width that it took.
fn write_picture(out: &mut String, picture: &Picture, y: &mut usize) -> usize {
    let mut width = line(out, &picture.title, MARGIN, y, "start");
    for panel in &picture.panels {
        if let Some(label) = &panel.label {
            width = width.max(line(out, label, MARGIN, y, "start"));
        }
        width = width.max(write_panel(out, panel, y));
    }
    for note in &picture.notes {
        width = width.max(line(out, note, MARGIN, y, "start"));
    }
    width
}

// Writing to a string cannot fail, hence `let _`.
fn write_panel(out: &mut String, panel: &Panel, y: &mut usize) -> usize {
    let cells = || panel.cells.iter().flatten();
    let lines = cells().map(|cell| cell.words.len()).max().unwrap_or(1).max(1);
    let words = cells().flat_map(|cell| &cell.words).chain(&panel.columns);
    let cell_width = words.map(String::len).max().unwrap_or(0) * DIGIT + MARGIN;
    let cell_height = lines * LINE + MARGIN / 2;
    let margin = panel.rows.iter().map(|row| row.len() * DIGIT + MARGIN).max().unwrap_or(0);
    let left = MARGIN + margin;
    for (j, column) in panel.columns.iter().enumerate() {
        text(out, column, left + j * cell_width + cell_width / 2, *y + LINE - 4, "middle");
    }
    *y += LINE;
    for (i, row) in panel.cells.iter().enumerate() {
        if let Some(name) = panel.rows.get(i) {
            text(out, name, left - MARGIN / 2, *y + cell_height / 2 + 4, "end");
        }
        for (j, cell) in row.iter().enumerate() {
            let x = left + j * cell_width;
            let fill = cell.colour.map_or("#fff".to_owned(), hex);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{cell_width}\" height=\"{cell_height}\" \
                 fill=\"{fill}\" stroke=\"#444\"/>"
            );
            for (k, word) in cell.words.iter().enumerate() {
                text(out, word, x + cell_width / 2, *y + k * LINE + LINE - 1, "middle");
            }
        }
        *y += cell_height;
    }
    *y += MARGIN / 2;
    margin + panel.columns.len() * cell_width
}

/// A line of its own at `y`, which moves below it; the width that it took.
fn line(out: &mut String, words: &str, x: usize, y: &mut usize, anchor: &str) -> usize {
    text(out, words, x, *y + LINE - 4, anchor);
    *y += LINE;
    words.len() * DIGIT + MARGIN
}

fn text(out: &mut String, words: &str, x: usize, y: usize, anchor: &str) {
    let words = escaped(words);
    let _ = match anchor {
        "start" => writeln!(out, "<text x=\"{x}\" y=\"{y}\">{words}</text>"),
        _ => writeln!(out, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>"),
    };
}

/// `#rrggbb`.
pub(super) fn hex(Rgb(red, green, blue): Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text with what XML reads as its own replaced.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
