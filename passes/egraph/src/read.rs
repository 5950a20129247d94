//! Text of terms in both languages: `(add (crd2idx tid:0..127 [(4,8):(8,1)]) 16)`.
//!
//! Operations are written as in rules, with their operands after them. Brackets hold
//! a term of the algebra in its own notation; a number is itself; another word is a symbol with what
//! is stated of it (see [`Symbol`](crate::symbol::Symbol)). A symbol is declared where it first
//! is; later its name is enough.

use crate::{
    node::{Node, to_expr},
    symbol::Symbol,
};
use egg::{FromOp, Id, Language, RecExpr};
use layout_algebra::{Op, Term};
use std::collections::BTreeMap;

/// How deeply parentheses may nest.
const DEPTH_LIMIT: usize = 2000;

/// Reads a term of either language.
///
/// # Errors
///
/// The error of a reader: expected and found, with the byte where reading stopped.
///
/// ```
/// let expr = layout_egraph::read("(add (mul i:0..7 4) (div i 2))")?;
/// assert_eq!(layout_egraph::write(&expr), "(add (mul i 4) (div i 2))");
/// # Ok::<(), String>(())
/// ```
pub fn read(text: &str) -> Result<RecExpr<Node>, String> {
    let mut expr = RecExpr::default();
    let mut symbols: BTreeMap<String, Symbol> = BTreeMap::new();
    // Calls that are open: the operation and where it is, and the operands so far.
    let mut open: Vec<(&str, usize, Vec<Id>)> = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            return Err(format!("expected a term that ends, found the end at byte {at}"));
        };
        let done = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '(' => {
                let start = at + 1 + (rest[1..].len() - rest[1..].trim_start().len());
                let name = word(&text[start..]);
                if open.len() >= DEPTH_LIMIT {
                    return Err(format!(
                        "expected at most {DEPTH_LIMIT} levels, found more at byte {at}"
                    ));
                }
                open.push((name, start, Vec::new()));
                at = start + name.len();
                continue;
            }
            ')' => {
                let Some((name, start, operands)) = open.pop() else {
                    return Err(format!("expected a term, found `)` at byte {at}"));
                };
                let call = matches!(name, "tiler" | "tuple" | "layout" | "swizzle")
                    || crate::index::IndexOp::from_name(name).is_some()
                    || Op::from_name(name).is_some();
                if !call {
                    return Err(format!("expected an operation, found `{name}` at byte {start}"));
                }
                at += 1;
                let node = Node::from_op(name, operands)
                    .map_err(|error| format!("{error} at byte {start}"))?;
                expr.add(node)
            }
            '[' => {
                let Some(length) = rest.find(']') else {
                    return Err(format!("expected `]` after the term at byte {at}, found the end"));
                };
                let term = Term::parse(&rest[1..length]).map_err(|error| error.to_string())?;
                at += length + 1;
                append(&mut expr, &to_expr(&term))
            }
            _ => {
                let name = word(rest);
                let error = |error| format!("{error} at byte {at}");
                let node = match symbols.get(name) {
                    Some(known) => Node::Symbol(known.clone()),
                    None => Node::from_op(name, vec![]).map_err(error)?,
                };
                if let Node::Symbol(symbol) = &node {
                    symbols.entry(symbol.name.clone()).or_insert_with(|| symbol.clone());
                }
                at += name.len();
                expr.add(node)
            }
        };
        match open.last_mut() {
            Some((_, _, operands)) => operands.push(done),
            None => {
                let after = text[at..].trim_start();
                return match after.is_empty() {
                    true => Ok(expr),
                    false => Err(format!("expected the end, found `{after}` at byte {at}")),
                };
            }
        }
    }
}

/// The text of a term, in the form that [`read`] takes, without the facts of symbols.
pub fn write(expr: &RecExpr<Node>) -> String {
    let nodes: &[Node] = expr;
    let mut texts: Vec<String> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let text = match node.children() {
            [] => node.to_string(),
            operands => {
                let operands = operands.iter().map(|&id| format!(" {}", texts[usize::from(id)]));
                format!("({node}{})", operands.collect::<String>())
            }
        };
        texts.push(text);
    }
    texts.pop().unwrap_or_default()
}

/// Up to the next mark or space.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || "()[]".contains(c));
    &text[..end.unwrap_or(text.len())]
}

/// Puts the nodes of one term after those of another; the root.
pub(crate) fn append(expr: &mut RecExpr<Node>, more: &RecExpr<Node>) -> Id {
    let mut places: Vec<Id> = Vec::new();
    let nodes: &[Node] = more;
    for node in nodes {
        let node = node.clone().map_children(|child| places[usize::from(child)]);
        places.push(expr.add(node));
    }
    places.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_are_read_and_written() {
        for text in [
            "(crd2idx i [(4,8):(8,1)])",
            "(crd2idx (tuple i j) (layout (tuple m n) (tuple n 1)))",
            "(add (mul i 4) -3)",
            "7",
        ] {
            assert_eq!(read(text).map(|expr| write(&expr)), Ok(text.to_owned()));
        }
    }

    #[test]
    fn wrong_texts_say_what_was_expected() {
        let error = |text: &str| read(text).expect_err("no term");
        assert_eq!(error("(add i"), "expected a term that ends, found the end at byte 6");
        assert_eq!(error("(add i)"), "expected 2 operands of `add`, found 1 at byte 1");
        assert_eq!(error("(frob i)"), "expected an operation, found `frob` at byte 1");
        assert_eq!(error("i j"), "expected the end, found `j` at byte 1");
        assert_eq!(error(")"), "expected a term, found `)` at byte 0");
        assert_eq!(error("[4:1"), "expected `]` after the term at byte 0, found the end");
        let deep = "(add 1 ".repeat(DEPTH_LIMIT + 1);
        assert_eq!(error(&deep), "expected at most 2000 levels, found more at byte 14000");
    }
}
