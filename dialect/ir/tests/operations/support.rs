//! Programs made from rows of the table, and what they print.

use super::table::Row;
use layout_algebra::Values;
use layout_dialect::TermValue;

/// The type that a text stands for; see the table.
pub(crate) fn full_type(text: &str) -> String {
    match text {
        "index" | "i32" | "i64" => text.to_owned(),
        text if text.contains(':') && !text.starts_with('<') => format!("!layout<{text}>"),
        text => format!("!layout.tuple<{text}>"),
    }
}

/// The operation's line with types filled in.
pub(crate) fn line(line: &str, types: &[String]) -> String {
    types
        .iter()
        .enumerate()
        .fold(line.to_owned(), |line, (i, r#type)| line.replace(&format!("${i}"), r#type))
}

/// A function of the operands; `after` follows the operation's line, whose results are `%r`.
pub(crate) fn function(types: &[String], results: usize, line: &str, after: &str) -> String {
    let arguments: Vec<_> =
        types.iter().enumerate().map(|(i, r#type)| format!("%{i}: {type}")).collect();
    // Arguments are numbered here, so names are put before the numbers.
    let arguments = arguments.join(", ").replace('%', "%a");
    let line = line.replace('%', "%a");
    let count = if results == 1 { String::new() } else { format!(":{results}") };
    format!("func.func @f({arguments}) {{\n  %r{count} = {line}\n{after}  return\n}}\n")
}

/// The text of a type when its integers have values, which are taken from the front.
pub(crate) fn at_values(text: &str, values: &mut std::slice::Iter<'_, i64>) -> String {
    if text == "index" {
        return values.next().expect("a value for each integer").to_string();
    }
    match TermValue::parse(text).expect("a value") {
        TermValue::Static(value) => value.to_string(),
        term_value => {
            let names: Vec<_> =
                term_value.symbols().iter().map(|symbol| symbol.name().to_owned()).collect();
            let TermValue::Symbolic { value, facts } = term_value else {
                unreachable!("handled above")
            };
            let values: Vec<(&str, i64)> = names
                .iter()
                .map(|name| (name.as_str(), *values.next().expect("a value for each integer")))
                .collect();
            let values = Values::new(&facts, values).expect("values that the facts allow");
            value.substitute(&values).expect("a value").to_string()
        }
    }
}

/// The operands that a row's operation folds with: known layouts and tuples, and constants.
pub(crate) struct Known {
    /// Their types.
    pub(crate) types: Vec<String>,
    /// Lines that make the constants.
    pub(crate) constants: String,
}

/// Operands with the row's values.
pub(crate) fn known_operands(row: &Row) -> Known {
    let mut values = row.values.iter();
    let (mut types, mut constants) = (Vec::new(), String::new());
    for (i, text) in row.partly.iter().enumerate() {
        let known = at_values(text, &mut values);
        if *text == "index" {
            constants.push_str(&format!("  %k{i} = arith.constant {known} : index\n"));
            types.push("index".to_owned());
        } else {
            types.push(full_type(&known));
        }
    }
    assert_eq!(values.len(), 0, "{}: values are left over", row.name);
    Known { types, constants }
}
