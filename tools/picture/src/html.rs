//! Pictures as a page of HTML that needs nothing else; its markup is well-formed XML too.

use std::fmt::Write;

use super::svg::{escaped, hex};
use super::{Panel, Picture};

const STYLE: &str = "\
body { font: 14px sans-serif; color: #000; background: #fff }
h2, td, th, p.panel { font-family: monospace }
h2 { font-size: 16px }
table { border-collapse: collapse }
td { border: 1px solid #444; padding: 2px 6px; text-align: center }
th { padding: 2px 6px; font-weight: normal; color: #444 }";

/// A whole page.
pub fn document(pictures: &[Picture]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n\
         <meta charset=\"utf-8\"/>\n<title>{}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n",
        pictures.first().map_or(String::new(), |picture| escaped(&picture.title)),
    );
    for picture in pictures {
        write_picture(&mut out, picture);
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// The fragment for another page, such as a notebook: tables with styles that reach nothing else.
pub fn fragment(pictures: &[Picture]) -> String {
    let scoped = STYLE.lines().skip(1).map(|line| {
        let (selectors, rest) = line.split_once('{').unwrap_or((line, ""));
        let selectors = selectors.split(',').map(|each| format!(".layout-picture {}", each.trim()));
        format!("{} {{{rest}", selectors.collect::<Vec<_>>().join(", "))
    });
    let mut out = format!(
        "<div class=\"layout-picture\">\n<style>\n{}\n</style>\n",
        scoped.collect::<Vec<_>>().join("\n")
    );
    for picture in pictures {
        write_picture(&mut out, picture);
    }
    out.push_str("</div>\n");
    out
}

// Writing to a string cannot fail, hence `let _`.
fn write_picture(out: &mut String, picture: &Picture) {
    let _ = writeln!(out, "<h2>{}</h2>", escaped(&picture.title));
    for panel in &picture.panels {
        if let Some(label) = &panel.label {
            let _ = writeln!(out, "<p class=\"panel\">{}</p>", escaped(label));
        }
        write_panel(out, panel);
    }
    for note in &picture.notes {
        let _ = writeln!(out, "<p>{}</p>", escaped(note));
    }
}

fn write_panel(out: &mut String, panel: &Panel) {
    out.push_str("<table>\n<tr>");
    if !panel.rows.is_empty() {
        out.push_str("<th></th>");
    }
    for column in &panel.columns {
        let _ = write!(out, "<th>{}</th>", escaped(column));
    }
    out.push_str("</tr>\n");
    for (i, row) in panel.cells.iter().enumerate() {
        out.push_str("<tr>");
        let name = panel.rows.get(i);
        if let Some(name) = name {
            let _ = write!(out, "<th>{}</th>", escaped(name));
        }
        for (cell, column) in row.iter().zip(&panel.columns) {
            let style = cell
                .colour
                .map_or(String::new(), |colour| format!(" style=\"background: {}\"", hex(colour)));
            // The coordinate shows when the pointer rests on a cell.
            let coordinate = match name {
                Some(name) => format!("({name},{column})"),
                None => column.clone(),
            };
            let words: Vec<String> = cell.words.iter().map(|word| escaped(word)).collect();
            let _ = write!(
                out,
                "<td title=\"{}\"{style}>{}</td>",
                escaped(&coordinate),
                words.join("<br/>")
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}
