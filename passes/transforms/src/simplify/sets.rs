//! Terms of index arithmetic as questions about integer sets, which ISL answers.
//!
//! Terms that a normal form cannot read become pieces here ([`layout_egraph::sets`]). Two terms are equal where no
//! integer of the box that their symbols are stated to lie in distinguishes their pieces.

use layout_egraph::{
    RecExpr,
    node::Node,
    sets::{Piece, pieces},
    symbol::Symbol,
};
use layout_relation::{Context, IntegerSet, Limits};
use std::{collections::BTreeMap, time::Duration};

/// Bytes of one question at most.
const TEXT: usize = 1 << 16;

/// Operations of libisl are what ends a question, the same on every machine; the time is a safety stop.
const LIMITS: Limits = Limits { operations: 2_000_000, time: Duration::from_secs(30) };

/// Whether two terms are equal for all that is stated of their symbols; where they are not, the values
/// of the symbols that distinguish them. None where ISL cannot decide, or takes too long.
pub(super) fn equal(
    a: &RecExpr<Node>,
    b: &RecExpr<Node>,
    symbols: &BTreeMap<String, (u32, Symbol)>,
    width: u32,
) -> Option<Result<(), String>> {
    let symbol = |found: &Symbol| {
        let (number, symbol) = symbols.get(&found.name)?;
        Some(Piece::named(name(*number), symbol))
    };
    let (a, b) = (pieces(a, &symbol, width)?, pieces(b, &symbol, width)?);
    let mut names: Vec<(&u32, &Symbol)> = symbols.values().map(|(n, s)| (n, s)).collect();
    names.sort();
    let tuple: Vec<String> = names.iter().map(|(number, _)| name(**number)).collect();
    let mut domain: Vec<String> = Vec::new();
    for (number, symbol) in &names {
        let name = name(**number);
        domain.push(format!("{} <= {name} <= {}", symbol.low, symbol.high));
        if symbol.multiple > 1 {
            domain.push(format!("{name} mod {} = 0", symbol.multiple));
        }
    }
    let context = Context::new(LIMITS).ok()?;
    for a in &a {
        for b in &b {
            let differ = format!("{} != {}", a.text(), b.text());
            let parts = [&domain[..], a.conditions(), b.conditions(), &[differ]].concat();
            let text = format!("{{ [{}] : {} }}", tuple.join(","), parts.join(" and "));
            if text.len() > TEXT {
                return None;
            }
            let set = IntegerSet::parse(&context, &text).ok()?;
            if set.is_empty().ok()? {
                continue;
            }
            let point = set.least().ok()??;
            let at =
                names.iter().zip(point).map(|((_, symbol), at)| format!("{} = {at}", symbol.name));
            return Some(Err(at.collect::<Vec<_>>().join(", ")));
        }
    }
    Some(Ok(()))
}

fn name(number: u32) -> String {
    format!("s{number}")
}
