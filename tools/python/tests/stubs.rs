//! The type stubs of the Python package, made from the table of operations.

#[path = "../src/describe.rs"]
#[allow(dead_code)] // the docstrings of the functions, which the stubs repeat in one line
mod describe;

use expect_test::expect_file;
use layout_algebra::{Operation, Term, Value};

/// The classes, written by hand.
const CLASSES: &str = include_str!("../src/classes.pyi");

/// The type of a result, by the value of the row's example.
fn result(row: &Operation) -> &'static str {
    let value = Term::parse(row.example.0).and_then(|term| term.eval());
    match value {
        Ok(Value::Layout(_) | Value::Composed(_) | Value::Basis(_)) => "Any",
        Ok(Value::Int(_)) => "Int",
        Ok(Value::Tuple(_)) => "IntTuple",
        Ok(Value::Bool(_)) => "bool",
        Ok(Value::Linear(_)) => "LinearLayout",
        Ok(Value::Swizzle(_)) => "Swizzle",
        Ok(Value::List(_)) => "tuple[Any, ...]",
        _ => "Any",
    }
}

/// The parameters with their types.
fn typed(parameters: &str) -> String {
    let typed = parameters.split(", ").map(|parameter| match parameter.split_once('=') {
        _ if matches!(parameter, "" | "/" | "self") => parameter.to_owned(),
        Some((name, default)) => format!("{name}: Operand = {default}"),
        None => format!("{parameter}: Operand"),
    });
    typed.collect::<Vec<_>>().join(", ")
}

/// The text between the parentheses of a signature.
fn inside(row: &Operation) -> String {
    let signature = describe::signature(row);
    let (_, rest) = signature.split_once('(').expect("a signature has parentheses");
    rest.trim_end_matches(')').to_owned()
}

fn function(row: &Operation) -> String {
    let parameters = typed(&inside(row));
    format!(
        "def {}({parameters}) -> {}:\n    \"\"\"{}: {}.\"\"\"\n",
        row.name,
        result(row),
        row.form,
        row.meaning
    )
}

fn method(row: &Operation, place: usize) -> String {
    let inside = inside(row);
    let mut parameters: Vec<&str> = inside.split(", ").collect();
    parameters.remove(place);
    if parameters.first() == Some(&"/") {
        parameters.remove(0);
    }
    parameters.insert(0, "self");
    let parameters = typed(&parameters.join(", "));
    format!(
        "    def {}({parameters}) -> {}:\n        \"\"\"{}: {}.\"\"\"\n",
        row.name,
        result(row),
        row.form,
        row.meaning
    )
}

fn stubs() -> String {
    let (mut methods, mut linear, mut functions) = (String::new(), String::new(), String::new());
    for row in Operation::all() {
        functions.push_str(&function(row));
        let Some(place) = describe::place_of_self(row) else { continue };
        if !describe::is_linear(row) || row.name == "to_linear" {
            methods.push_str(&method(row, place));
        }
        if describe::has_linear(row) && row.name != "to_linear" {
            linear.push_str(&method(row, place));
        }
    }
    let classes = CLASSES.replace("    # operations\n", &methods);
    classes.replace("    # linear operations\n", &linear) + &functions
}

#[test]
fn the_stubs_are_those_of_the_table() {
    expect_file!["../python/layout_algebra/_native.pyi"].assert_eq(&stubs());
}
