//! A term as Markdown: its value, and for a layout its sizes and the table of what it maps
//! coordinates to. Where integers are known at run time only, sizes and tables have their symbols.

use layout_algebra::{AnyLayout, Expr, Facts, Nested, Op, Term, Value};
use layout_dialect::TermValue;
use std::fmt::Write;

/// Rows and columns that a table shows at most.
const ROWS: i64 = 32;
const COLUMNS: i64 = 32;

/// Rows or columns that a table shows of a mode whose size is known at run time.
const DYNAMIC_EXTENT: i64 = 4;

/// The page of a term: its value, and for a layout its sizes and its table.
pub(crate) fn describe(text: &str) -> String {
    let term_value = match TermValue::parse(text) {
        Ok(term_value) => term_value,
        Err(error) => return format!("`{text}` has no value: {error}"),
    };
    let shown = term_value.to_string();
    let (kind, known) = match &term_value {
        TermValue::Static(value) => (value.kind(), ""),
        TermValue::Symbolic { value: Value::Composed(_), .. } => ("composed", ", partly static"),
        TermValue::Symbolic { value: Value::Basis(_), .. } => ("basis layout", ", partly static"),
        TermValue::Symbolic { .. } if term_value.is_layout() => ("layout", ", partly static"),
        TermValue::Symbolic { .. } => ("tuple", ", partly static"),
    };
    let mut page = format!("{kind} `{shown}`{known}");
    if shown != text {
        let _ = write!(page, " = `{text}`");
    }
    match &term_value {
        TermValue::Static(value) => {
            let layout = Term::Literal(value.clone()).eval_layout().ok().or_else(|| of_bits(value));
            if let Some(layout) = layout {
                let cosize =
                    layout.cosize().map_or("unknown".to_owned(), |cosize| cosize.to_string());
                let (rank, depth) = (layout.inner().rank(), layout.inner().depth());
                let _ = write!(
                    page,
                    "\n\nsize {}, cosize {cosize}, rank {rank}, depth {depth}\n\n```text\n{}```",
                    layout.size(),
                    table(&layout)
                );
            } else if term_value.is_layout() {
                page.push_str(
                    &partly(&Value::<Expr>::from(value), &Facts::new()).unwrap_or_default(),
                );
            }
        }
        TermValue::Symbolic { value, facts } => {
            let symbols: Vec<String> =
                term_value.symbols().iter().map(|symbol| format!("`{symbol}`")).collect();
            let _ = write!(page, "\n\nintegers of run time: {}", symbols.join(", "));
            if term_value.is_layout() {
                page.push_str(&partly(value, facts).unwrap_or_default());
            }
        }
    }
    page
}

/// A linear layout as a layout of integers, where it is one.
fn of_bits(value: &Value) -> Option<AnyLayout> {
    let linear = matches!(value, Value::Linear(_)).then(|| Term::Literal(value.clone()))?;
    Term::Call { op: Op::ToLayout, args: vec![linear] }.eval_layout().ok()
}

/// Sizes and table of a partly static layout, or that maps to coordinates.
fn partly(value: &Value<Expr>, facts: &Facts) -> Option<String> {
    let query = |op: Op| op.apply_under(facts, std::slice::from_ref(value)).ok();
    let shape = match query(Op::Shape)? {
        Value::Tuple(shape) => shape,
        Value::Int(extent) => Nested::Leaf(extent),
        _ => return None,
    };
    let mut page = String::from("\n\n");
    let sizes =
        [("size", Op::Size), ("cosize", Op::Cosize), ("rank", Op::Rank), ("depth", Op::Depth)];
    let reported =
        sizes.into_iter().filter_map(|(name, op)| Some(format!("{name} {}", query(op)?)));
    page.push_str(&reported.collect::<Vec<_>>().join(", "));
    let modes: &[Nested<Expr>] = match &shape {
        Nested::Node(modes) => modes,
        leaf => std::slice::from_ref(leaf),
    };
    // How many are shown, and whether that is all.
    let extent = |mode: Option<&Nested<Expr>>, most: i64| match mode.map(Nested::<Expr>::product) {
        None => (1, true),
        Some(size) => match size.ok().and_then(|size| size.as_constant()) {
            Some(size) => (size.min(most), size <= most),
            None => (DYNAMIC_EXTENT, false),
        },
    };
    let (first, second) = match modes {
        [only] => (None, Some(only)),
        [first, second, ..] => (Some(first), Some(second)),
        [] => return None,
    };
    let (rows, columns) = (extent(first, ROWS), extent(second, COLUMNS));
    let cell = |row: i64, column: i64| {
        let at = |i: usize| [row, column].get(i).map_or(0, |&at| at);
        let coord = match modes.len() {
            1 => Nested::Leaf(Expr::from(column)),
            rank => Nested::Node((0..rank).map(|i| Nested::Leaf(Expr::from(at(i)))).collect()),
        };
        let args = [Value::<Expr>::from(coord), value.clone()];
        Op::Crd2Idx.apply_under(facts, &args).map_or("·".to_owned(), |at| at.to_string())
    };
    let cells: Vec<Vec<String>> =
        (0..rows.0).map(|row| (0..columns.0).map(|column| cell(row, column)).collect()).collect();
    if modes.len() > 2 {
        page.push_str(", here of the first two modes");
    }
    let _ = write!(page, "\n\n```text\n{}```", laid_out(&cells, !rows.1, !columns.1));
    Some(page)
}

/// The offsets of a layout: a row for each coordinate of the first mode, a column for each of the
/// rest; of one mode, one row. Large tables break off.
fn table(layout: &AnyLayout) -> String {
    let modes = layout.inner().modes();
    let (rows, columns) = match &modes[..] {
        [mode] => (1, mode.size()),
        [first, ..] => (first.size(), layout.size() / first.size().max(1)),
        [] => (1, 1),
    };
    let (shown_rows, shown_columns) = (rows.min(ROWS), columns.min(COLUMNS));
    let cell = |row: i64, column: i64| {
        let index = column.checked_mul(rows).and_then(|start| start.checked_add(row));
        index.and_then(|index| layout.at(index).ok()).map_or("?".to_owned(), |at| at.to_string())
    };
    let cells: Vec<Vec<String>> = (0..shown_rows)
        .map(|row| (0..shown_columns).map(|column| cell(row, column)).collect())
        .collect();
    laid_out(&cells, rows > shown_rows, columns > shown_columns)
}

/// Cells below each other, and where there would be more of them.
fn laid_out(cells: &[Vec<String>], more_rows: bool, more_columns: bool) -> String {
    let width = cells.iter().flatten().map(|cell| cell.chars().count()).max().unwrap_or(1);
    let mut page = String::new();
    for row in cells {
        let row: Vec<_> = row.iter().map(|cell| format!("{cell:>width$}")).collect();
        let more = if more_columns { " …" } else { "" };
        let _ = writeln!(page, "{}{more}", row.join(" "));
    }
    if more_rows {
        page.push_str("…\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_known_in_part_show_their_integers() {
        assert_eq!(
            describe("(?,4):(?,1)"),
            "layout `(?,4):(?,1)`, partly static\n\nintegers of run time: `?0{range=1..}`, `?1`\n\n\
             size 4*?0, rank 2, depth 1\n\n```text\n     0      1      2      3\n    ?1   ?1+1   ?1+2   \
             ?1+3\n  2*?1 2*?1+1 2*?1+2 2*?1+3\n  3*?1 3*?1+1 3*?1+2 3*?1+3\n…\n```"
        );
        let composed = describe("S<1,0,1> o 0 o (?,4):(4,1)");
        assert!(composed.starts_with("composed `S<1,0,1> o 0 o (?,4):(4,1)`, partly static\n\n"));
        let table = "```text\n 0  1  3  2\n 4  5  7  6\n 8  9 11 10\n12 13 15 14\n…\n```";
        assert!(composed.ends_with(table), "{composed}");
        assert_eq!(
            describe("(?{div=8},(2,_))"),
            "tuple `(?{div=8},(2,_))`, partly static\n\nintegers of run time: `?0{div=8}`"
        );
        assert!(describe("(?,4):(?").contains("` has no value: "));
    }

    #[test]
    fn layouts_into_coordinates_show_them() {
        assert_eq!(
            describe("(2,3):(1@0,1@1)"),
            "basis layout `(2,3):(1@0,1@1)`\n\nsize 6, cosize 6, rank 2, depth 1\n\n```text\n(0,0) \
             (0,1) (0,2)\n(1,0) (1,1) (1,2)\n```"
        );
        let partly = describe("(2,?,3):(1@0,?@1,1@2)");
        assert!(partly.contains(", here of the first two modes\n\n```text\n"), "{partly}");
        assert!(partly.contains(" (1,3*?1,0) …\n```"), "{partly}");
    }

    #[test]
    fn linear_layouts_show_what_they_are_as_layouts() {
        assert_eq!(
            describe("linear<{lane = [2,1]} -> {row = 4}>"),
            "linear layout `linear<{lane = [2,1]} -> {row = 4}>`\n\nsize 4, cosize 4, rank 2, depth \
             1\n\n```text\n0 1\n2 3\n```"
        );
    }
}
