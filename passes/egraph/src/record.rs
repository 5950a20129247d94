//! Searches as lines of text: what was searched in a program, so that it can be searched again.
//!
//! [`optimise`](crate::optimise) writes each of its searches as an event of the target [`TARGET`]: an operation a
//! field, with the numbers of those that it uses, so that what is shared stays shared.

use crate::{cost::Model, node::Node, read::read};
use egg::{FromOp, Id, Language, RecExpr};
use std::{fmt, str::FromStr};

/// The target of the events: `LAYOUT_LOG=layout_egraph::searches=trace` shows them.
pub const TARGET: &str = "layout_egraph::searches";

/// A search: its term and roots, the kind of its model, and the bits of an index.
///
/// ```
/// use layout_egraph::Record;
/// let text = "nvptx 32 3: t:0..127 ; 8 ; div 0 1 ; add 2 2";
/// let record: Record = text.parse()?;
/// assert_eq!(layout_egraph::write(&record.expr), "(add (div t 8) (div t 8))");
/// assert_eq!(record.to_string(), text);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Whether layouts may be applied to indices in the result.
    pub applied: bool,
    /// Bits of an index.
    pub width: u32,
    /// The term.
    pub expr: RecExpr<Node>,
    /// Its roots.
    pub roots: Vec<Id>,
}

impl Record {
    /// The record of a search under a model.
    pub(crate) fn new(expr: &RecExpr<Node>, roots: &[Id], model: &Model, width: u32) -> Self {
        let applied = matches!(model, Model::Applied(_));
        Self { applied, width, expr: expr.clone(), roots: roots.to_vec() }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", if self.applied { "applied" } else { "nvptx" }, self.width)?;
        for (i, root) in self.roots.iter().enumerate() {
            write!(f, "{}{root}", if i == 0 { "" } else { "," })?;
        }
        let nodes: &[Node] = &self.expr;
        for (i, node) in nodes.iter().enumerate() {
            f.write_str(if i == 0 { ": " } else { " ; " })?;
            match node {
                Node::Symbol(symbol) => symbol.fmt(f)?,
                _ => node.fmt(f)?,
            }
            node.children().iter().try_for_each(|child| write!(f, " {child}"))?;
        }
        Ok(())
    }
}

impl FromStr for Record {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("expected {what} in the search `{text}`");
        let (head, nodes) = text.split_once(": ").ok_or_else(|| wrong("`: `"))?;
        let [model, width, roots] = head.split(' ').collect::<Vec<_>>()[..] else {
            return Err(wrong("a model, a width and roots"));
        };
        let applied = match model {
            "applied" => true,
            "nvptx" => false,
            _ => return Err(wrong("`applied` or `nvptx`")),
        };
        let width = width.parse().map_err(|_| wrong("a width"))?;
        let mut expr = RecExpr::default();
        for node in nodes.split(" ; ") {
            let node = match node.starts_with('[') {
                true => {
                    let literal = read(node)?;
                    let nodes: &[Node] = &literal;
                    match nodes {
                        [literal @ Node::Literal(_)] => literal.clone(),
                        _ => return Err(wrong("a value in brackets")),
                    }
                }
                false => {
                    let mut words = node.split(' ');
                    let name = words.next().unwrap_or_default();
                    let ids = words.map(|word| id(word, expr.len()));
                    let ids = ids.collect::<Option<Vec<Id>>>();
                    Node::from_op(
                        name,
                        ids.ok_or_else(|| wrong("nodes before those that use them"))?,
                    )?
                }
            };
            expr.add(node);
        }
        let roots = roots.split(',').map(|root| id(root, expr.len())).collect::<Option<Vec<Id>>>();
        Ok(Self {
            applied,
            width,
            expr,
            roots: roots.ok_or_else(|| wrong("roots that are nodes"))?,
        })
    }
}

/// The place of a node, below a number of them.
fn id(word: &str, below: usize) -> Option<Id> {
    word.parse::<usize>().ok().filter(|&place| place < below).map(Id::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_read_as_they_are_written() {
        for text in [
            "nvptx 32 2: t:0..127@1~block ; [(4,8):(8,1)] ; crd2idx 0 1",
            "applied 64 1,3: i%4 ; -3 ; tuple 0 0 ; add 0 1",
            "nvptx 32 2: m:1..64 ; 1 ; layout 0 1",
        ] {
            let record: Record = text.parse().expect("a search");
            assert_eq!(record.to_string(), text);
        }
    }

    #[test]
    fn wrong_searches_say_what_was_expected() {
        let error = |text: &str| text.parse::<Record>().expect_err("no search");
        assert_eq!(error("x"), "expected `: ` in the search `x`");
        assert_eq!(
            error("nvptx 32 0: add 0 1"),
            "expected nodes before those that use them in the search `nvptx 32 0: add 0 1`"
        );
        assert_eq!(
            error("nvptx 32 4: 1"),
            "expected roots that are nodes in the search `nvptx 32 4: 1`"
        );
    }
}
