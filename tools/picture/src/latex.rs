//! Pictures as a LaTeX document of TikZ pictures, one on a page, as CuTe's `print_latex` makes them.

use std::fmt::Write;

use super::{Panel, Picture};
use crate::Rgb;

/// A whole document.
pub fn document(pictures: &[Picture]) -> String {
    let mut out = String::from(
        "\\documentclass[tikz,border=4pt]{standalone}\n\\usepackage{tikz}\n\\begin{document}\n",
    );
    for picture in pictures {
        write_picture(&mut out, picture);
    }
    out.push_str("\\end{document}\n");
    out
}

// Writing to a string cannot fail, hence `let _`.
fn write_picture(out: &mut String, picture: &Picture) {
    let cells = || picture.panels.iter().flat_map(|panel| panel.cells.iter().flatten());
    let widest = cells().flat_map(|cell| &cell.words).map(String::len);
    let columns = picture.panels.iter().flat_map(|panel| &panel.columns).map(String::len);
    let lines = cells().map(|cell| cell.words.len()).max().unwrap_or(1).max(1);
    // Millimetres: a digit of \small typewriter is below 2 of them wide.
    let width = widest.chain(columns).max().unwrap_or(1) * 2 + 3;
    let height = lines * 4 + 2;
    let _ = writeln!(
        out,
        "\\begin{{tikzpicture}}[x={width}mm,y=-{height}mm,font=\\ttfamily\\small,align=center,\n  \
         cell/.style={{draw,minimum width={width}mm,minimum height={height}mm,inner sep=0pt}}]"
    );
    let mut y = 0;
    line(out, &picture.title, &mut y);
    for panel in &picture.panels {
        if let Some(label) = &panel.label {
            line(out, label, &mut y);
        }
        write_panel(out, panel, &mut y);
    }
    for note in &picture.notes {
        line(out, note, &mut y);
    }
    out.push_str("\\end{tikzpicture}\n");
}

fn write_panel(out: &mut String, panel: &Panel, y: &mut usize) {
    for (j, column) in panel.columns.iter().enumerate() {
        let _ = writeln!(out, "\\node at ({j},{y}) {{{}}};", escaped(column));
    }
    *y += 1;
    for (i, row) in panel.cells.iter().enumerate() {
        if let Some(name) = panel.rows.get(i) {
            let _ = writeln!(out, "\\node[anchor=east] at (-0.5,{y}) {{{}}};", escaped(name));
        }
        for (j, cell) in row.iter().enumerate() {
            let fill = cell.colour.map_or(String::new(), |Rgb(red, green, blue)| {
                format!(",fill={{rgb,255:red,{red};green,{green};blue,{blue}}}")
            });
            let words: Vec<String> = cell.words.iter().map(|word| escaped(word)).collect();
            let _ = writeln!(out, "\\node[cell{fill}] at ({j},{y}) {{{}}};", words.join("\\\\"));
        }
        *y += 1;
    }
}

/// A line of its own at `y`, which moves below it.
fn line(out: &mut String, words: &str, y: &mut usize) {
    let _ = writeln!(out, "\\node[anchor=west] at (-0.5,{y}) {{{}}};", escaped(words));
    *y += 1;
}

/// Text with what TeX reads as its own replaced.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
