//! The table of operations as Python writes it: signatures, docstrings and stubs.

use layout_algebra::{Law, Operation, Term, Value};

/// Words of Python's that name no parameter.
const KEYWORDS: &[&str] = &["is", "in", "not", "and", "or", "from", "lambda"];

/// The parameters in the order of Python's: names, those that may be left out, and those of which more may follow.
fn parameters(row: &Operation) -> Vec<(String, bool, bool)> {
    let mut names: Vec<(String, bool, bool)> = Vec::new();
    for parameter in row.parameters() {
        let word = parameter.name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let mut name = word.clone().next().unwrap_or("x").to_owned();
        if name.is_empty() || KEYWORDS.contains(&name.as_str()) {
            name = format!("x{}", names.len());
        }
        names.push((name, parameter.optional, parameter.many));
    }
    names
}

/// `name(A, B, /)`.
pub(crate) fn signature(row: &Operation) -> String {
    let (mut required, mut rest) = (Vec::new(), Vec::new());
    for (name, optional, many) in parameters(row) {
        match (optional, many) {
            (_, true) => rest.push(format!("*{name}")),
            (true, false) => required.push(format!("{name}=None")),
            (false, false) => required.push(name),
        }
    }
    if !required.is_empty() {
        required.push("/".to_owned());
    }
    required.extend(rest);
    if row.name == "make_layout" {
        required.push("stride=None".to_owned());
    }
    format!("{}({})", row.name, required.join(", "))
}

/// Meaning, law, conditions, an example and CuTe's spelling.
pub(crate) fn doc(row: &Operation) -> String {
    let mut text = format!("{}: {}.\n", row.form, row.meaning);
    let law = match row.law {
        Law::Is(term) => format!("R = {term}, of the operands A, B, C"),
        Law::Such(words) => words.to_owned(),
    };
    text.push_str(&format!("\nLaw: {law}.\n"));
    if !row.needs.is_empty() {
        text.push_str(&format!("Needs: {}.\n", row.needs.replace('`', "")));
    }
    if !row.ensures.is_empty() {
        text.push_str(&format!("Ensures: {}.\n", row.ensures.replace('`', "")));
    }
    if !row.cute.is_empty() {
        text.push_str(&format!("CuTe: {}.\n", row.cute));
    }
    let (term, value) = row.example;
    text.push_str(&format!("\n    >>> print(evaluate(\"{term}\"))\n    {}\n", shown(value, term)));
    text
}

/// A value as `print` shows its object.
fn shown(value: &str, term: &str) -> String {
    let value = match Term::parse(term).and_then(|term| term.eval()) {
        Ok(value) => value,
        Err(_) => return value.to_owned(),
    };
    printed(&value, true)
}

/// `str` of the object of a value; inside of a tuple its `repr`.
fn printed(value: &Value, outside: bool) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Int(_) => value.to_string(),
        Value::Tuple(tuple) => python_tuple(&tuple.to_string()),
        Value::List(values) => {
            let inside: Vec<String> = values.iter().map(|value| printed(value, false)).collect();
            match inside.as_slice() {
                [one] => format!("({one},)"),
                several => format!("({})", several.join(", ")),
            }
        }
        Value::Layout(_) if !outside => format!("Layout(\"{value}\")"),
        _ => value.to_string(),
    }
}

/// `(4,(2,))` as Python prints it: `(4, (2,))`.
fn python_tuple(text: &str) -> String {
    let mut out = String::new();
    // Commas of each open tuple.
    let mut commas = Vec::new();
    for c in text.chars() {
        match c {
            '(' => commas.push(0),
            ')' if commas.pop() == Some(0) => out.push(','),
            ',' => {
                if let Some(count) = commas.last_mut() {
                    *count += 1;
                }
            }
            _ => {}
        }
        out.push(c);
        if c == ',' {
            out.push(' ');
        }
    }
    out
}

/// In which place a method has its layout, or `None` if the operation is no method.
pub(crate) fn place_of_self(row: &Operation) -> Option<usize> {
    let layout = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
    match row.name {
        // Attributes of a layout.
        "shape" | "stride" => None,
        "blocked_product" | "raked_product" => Some(0),
        "make_layout" | "commutes" => None,
        _ => row.parameters().iter().position(|parameter| layout(parameter.name)),
    }
}

/// Whether an operation is one of linear layouts.
pub(crate) fn is_linear(row: &Operation) -> bool {
    row.family.starts_with("linear")
}

/// Whether linear layouts have it as a method.
pub(crate) fn has_linear(row: &Operation) -> bool {
    is_linear(row) || matches!(row.name, "composition" | "transpose" | "reshape" | "equal")
}
