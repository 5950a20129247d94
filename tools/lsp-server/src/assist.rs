//! The additions to MLIR's language server: a layout's table where one is hovered over, an operation's
//! reference, and completion of the names of operations and passes. Pure functions of a document.

use crate::{
    page::describe,
    reference::{self, Entry},
};
use serde_json::{Value, json};

/// A place in a document, as the protocol counts: from 0, in units of UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) character: usize,
}

/// The byte of a position; the end of its line where the line is shorter.
fn offset(text: &str, position: Position) -> Option<usize> {
    let mut start = 0;
    for _ in 0..position.line {
        start += text[start..].find('\n')? + 1;
    }
    let line = text[start..].split('\n').next().unwrap_or("");
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= position.character {
            return Some(start + at);
        }
        units += c.len_utf16();
    }
    Some(start + line.len())
}

/// Markdown about what is at a position, if we know anything of it.
pub(crate) fn hover(text: &str, position: Position) -> Option<String> {
    let at = offset(text, position)?;
    if let Some(term) = term_at(text, at) {
        return Some(describe(term));
    }
    let name = name_at(text, at);
    let entries =
        if name.starts_with("layout.") { reference::operations() } else { reference::passes() };
    entries.iter().find(|entry| entry.name == name).map(|entry| entry.text.to_owned())
}

/// The operation's or pass's name around a byte.
fn name_at(text: &str, at: usize) -> &str {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let start = text[..at]
        .rfind(|c: char| !part(c))
        .map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    let end = text[at..].find(|c: char| !part(c)).map_or(text.len(), |i| at + i);
    // Options of a command line begin with dashes, and a sentence ends with a dot.
    text[start..end].trim_start_matches('-').trim_end_matches('.')
}

/// Attributes of the dialect that are no terms.
const ATTRIBUTES: [&str; 3] = ["atom", "schedule", "relation"];

/// The text of the term of the innermost attribute or type of the dialect around a byte: of
/// `#layout<…>`, `!layout<…>`, `!layout.tuple<…>` and `!layout.view<…>`, and of those that print as their
/// term's own name, as `#layout.linear<…>` does.
fn term_at(text: &str, at: usize) -> Option<&str> {
    let openings = ["#layout", "!layout"].into_iter();
    let openings = openings.flat_map(|opening| text.match_indices(opening)).map(|(start, _)| start);
    let around = openings.filter(|start| *start <= at).filter_map(|start| {
        let position = start + "#layout".len();
        let open = position + text[position..].find('<')?;
        let name = &text[position..open];
        let end = closing(&text[open + 1..])? + open + 1;
        let name = match name.strip_prefix('.') {
            Some(name) if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => name,
            None if name.is_empty() => "",
            _ => return None,
        };
        (at <= end).then_some((start, name, open + 1..end))
    });
    let (start, name, body) = around.max_by_key(|(start, _, _)| *start)?;
    match name {
        "" | "tuple" => Some(text[body].trim()),
        // ELEMENT, SPACE, LAYOUT; elements have no commas.
        "view" => text[body].splitn(3, ',').nth(2).map(str::trim),
        name if ATTRIBUTES.contains(&name) => None,
        _ => Some(&text[start + "#layout.".len()..=body.end]),
    }
}

/// Where the bracket that is open at the start of a text closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            // Not the arrow of a linear layout.
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        before = c;
    }
    None
}

/// Items of completion at a position, in the protocol's form: operations after `layout.`, passes
/// after `layout-`.
pub(crate) fn complete(text: &str, position: Position) -> Vec<Value> {
    let Some(at) = offset(text, position) else { return Vec::new() };
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let start = text[..at]
        .rfind(|c: char| !part(c))
        .map_or(0, |i| i + text[i..].chars().next().map_or(1, char::len_utf8));
    let word = text[start..at].trim_start_matches('-');
    let entries = match word {
        _ if word.starts_with("layout.") => reference::operations(),
        _ if word.starts_with("layout-") => reference::passes(),
        _ => return Vec::new(),
    };
    // All of a word is ASCII, so that its bytes are as many units.
    let from = position.character.saturating_sub(word.len());
    let item = |entry: &Entry| {
        json!({
            "label": entry.name,
            "kind": 3,
            "detail": entry.summary,
            "documentation": { "kind": "markdown", "value": entry.text },
            "filterText": entry.name,
            "textEdit": {
                "range": {
                    "start": { "line": position.line, "character": from },
                    "end": { "line": position.line, "character": position.character },
                },
                "newText": entry.name,
            },
        })
    };
    entries.iter().filter(|entry| entry.name.starts_with(word)).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: &str) -> Position {
        let byte = text.find(needle).expect("the needle is there");
        let line = text[..byte].matches('\n').count();
        let start = text[..byte].rfind('\n').map_or(0, |i| i + 1);
        Position { line, character: text[start..byte].encode_utf16().count() }
    }

    #[test]
    fn a_layout_shows_its_table() {
        let text = "func.func @é(%l: !layout<(2,4):(4,1)>) {\n";
        assert_eq!(
            hover(text, at(text, "4):(")).as_deref(),
            Some(
                "layout `(2,4):(4,1)`\n\nsize 8, cosize 8, rank 2, depth 1\n\n```text\n\
                 0 1 2 3\n4 5 6 7\n```"
            )
        );
    }

    #[test]
    fn a_term_shows_its_value_and_a_bad_one_why_it_has_none() {
        let text = "#layout<coalesce((2,3):(1,2))> #layout<composition((3,4):(1,5), (2,2):(2,1))>";
        assert_eq!(
            hover(text, at(text, "coalesce")).as_deref(),
            Some(
                "layout `6:1` = `coalesce((2,3):(1,2))`\n\nsize 6, cosize 6, rank 1, depth 0\n\n\
                 ```text\n0 1 2 3 4 5\n```"
            )
        );
        assert_eq!(
            hover(text, at(text, "composition")).as_deref(),
            Some(
                "`composition((3,4):(1,5), (2,2):(2,1))` has no value: composition((3,4):(1,5), \
                 (2,2):(2,1)): no layout has these values: expected 5 at coordinate 3, found 3 in \
                 the only candidate"
            )
        );
    }

    #[test]
    fn a_view_shows_its_layout_and_a_large_one_breaks_off() {
        let text = "!layout.view<f16, global, (100,100):(100,1)>";
        let found = hover(text, at(text, "global")).expect("a layout");
        assert!(found.starts_with("layout `(100,100):(100,1)`\n\nsize 10000, cosize 10000"));
        assert!(found.ends_with(" …\n…\n```"), "{found}");
    }

    #[test]
    fn brackets_inside_of_terms_close_where_they_should() {
        let text = "#layout<linear<{lane = [1,2]} -> {row = 4}>> #layout<<3:1, 8:1>> #layout<S<1,0,2> o 0 o (4,2):(2,1)>";
        assert_eq!(term_at(text, 10), Some("linear<{lane = [1,2]} -> {row = 4}>"));
        assert_eq!(term_at(text, text.find("3:1").expect("there")), Some("<3:1, 8:1>"));
        assert_eq!(term_at(text, text.len() - 3), Some("S<1,0,2> o 0 o (4,2):(2,1)"));
        assert_eq!(term_at("#layout<(4", 9), None);
        let printed =
            "#layout.linear<{lane = [1]} -> {row = 2}> !layout.tuple<(?,4)> #layout.atom<simt_1>";
        assert_eq!(term_at(printed, 3), Some("linear<{lane = [1]} -> {row = 2}>"));
        assert_eq!(term_at(printed, printed.find("?").expect("there")), Some("(?,4)"));
        assert_eq!(term_at(printed, printed.find("simt").expect("there")), None);
    }

    #[test]
    fn names_show_their_reference() {
        let text = "// RUN: layout-opt %s --layout-fold\n%0 = layout.size %l : !layout<4:1>";
        assert!(hover(text, at(text, "size")).expect("an operation").contains("- Postconditions:"));
        assert!(hover(text, at(text, "fold")).expect("a pass").starts_with("Evaluate the static"));
        assert_eq!(hover(text, at(text, "%s")), None);
        assert_eq!(hover(text, Position { line: 9, character: 0 }), None);
    }

    #[test]
    fn names_are_completed() {
        let labels = |text: &str| -> Vec<String> {
            let end = Position { line: 0, character: text.encode_utf16().count() };
            let label = |item: &Value| item["label"].as_str().unwrap_or("").to_owned();
            complete(text, end).iter().map(label).collect()
        };
        assert_eq!(labels("  %0 = layout.siz"), ["layout.size"]);
        assert!(labels("layout.").contains(&"layout.composition".to_owned()));
        assert_eq!(labels("// RUN: layout-opt %s --layout-fo"), ["layout-fold"]);
        assert_eq!(labels("\"builtin.module(layout-simp"), ["layout-simplify"]);
        assert!(labels("arith.").is_empty());
        let items = complete("é layout.siz", Position { line: 0, character: 12 });
        let range = json!({
            "start": { "line": 0, "character": 2 }, "end": { "line": 0, "character": 12 },
        });
        assert_eq!(items[0]["textEdit"]["range"], range);
    }
}
