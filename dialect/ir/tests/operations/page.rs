//! The examples of `dialect/OPERATIONS.md`: each parses and verifies, and each result has the type that a comment beside it states.
//!
//! An example uses values that it does not define. They get the types that its operations expect: a value is defined with the
//! type `none`, and the parser's message about it names the expected type.

use super::context;
use melior::{Context, ir::Module};
use std::{
    collections::BTreeSet,
    fmt::Write,
    sync::{Arc, Mutex},
};

/// An example with its place in the page.
struct Example {
    line: usize,
    code: String,
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (line, text) in (1..).zip(page.lines()) {
        match text {
            "```mlir" => {
                inside = true;
                examples.push(Example { line, code: String::new() });
            }
            "```" => inside = false,
            _ if inside => {
                let example = examples.last_mut().expect("begun");
                example.code.push_str(text);
                example.code.push('\n');
            }
            _ => {}
        }
    }
    examples
}

/// A line's code and its comment.
fn parts(line: &str) -> (&str, &str) {
    let (code, comment) = line.split_once("//").unwrap_or((line, ""));
    (code.trim_end(), comment.trim())
}

/// The names of values after `%` in a text.
fn values(text: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split('%')
        .skip(1)
        .map(|rest| rest.find(|c| !is_name(c)).map_or(rest, |end| &rest[..end]))
        .collect()
}

/// The values that a line defines: results, arguments of blocks and functions, variables of loops.
fn defined(code: &str) -> Vec<&str> {
    let mut names = Vec::new();
    if let Some((results, _)) = code.split_once(" = ")
        && results.trim_start().starts_with('%')
        && results.split(',').all(|one| !one.trim().contains([' ', '(']))
    {
        names.extend(values(results));
    }
    if code.trim_start().starts_with("^") || code.contains("func @") {
        names.extend(values(code));
    }
    if let Some((_, variable)) = code.split_once("scf.for ") {
        names.extend(values(variable).first());
    }
    if let Some((_, carried)) = code.split_once("iter_args(") {
        let carried = carried.split(')').next().unwrap_or(carried);
        names.extend(carried.split(',').filter_map(|one| values(one).first().copied()));
    }
    names
}

/// The messages of a program, or `None` if it is right.
fn messages(context: &Context, program: &str) -> Option<Vec<String>> {
    let messages: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&messages);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        sink.lock().expect("messages").push(diagnostic.to_string());
        true
    });
    let is_right = Module::parse(context, program).is_some();
    context.detach_diagnostic_handler(handler);
    let found = messages.lock().expect("messages").clone();
    (!is_right).then_some(found)
}

/// The value and the type that an operation expects of it, in the parser's message.
fn expected(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("use of value '%")?;
    let (name, rest) = rest.split_once("' expects different type than prior uses: '")?;
    let (found, _) = rest.split_once("' vs 'none'")?;
    Some((name, found))
}

/// Whether an example is a sequence of attributes or types.
fn is_data(code: &str) -> bool {
    let first = code.lines().find(|line| !parts(line).0.is_empty()).unwrap_or("");
    ["#layout", "!layout", "memref<"].iter().any(|start| first.starts_with(start))
}

/// The attributes and types of such an example, each as an attribute of an operation.
fn data(code: &str) -> String {
    let mut program = String::new();
    let mut own = String::new();
    let mut end = |own: &mut String| {
        if !own.is_empty() {
            let _ = writeln!(program, "\"test.data\"() {{data = {own}}} : () -> ()");
            own.clear();
        }
    };
    for line in code.lines() {
        if line.starts_with(['#', '!']) || line.starts_with("memref<") {
            end(&mut own);
        }
        own.push_str(parts(line).0);
    }
    end(&mut own);
    program
}

/// The operations of an example in a kernel that defines what they use, with the types that comments state checked by uses.
fn kernel(code: &str, operands: &[(String, String)]) -> String {
    let is_alias = |line: &&str| line.starts_with(['#', '!']);
    let mut program: String =
        code.lines().filter(is_alias).map(|line| format!("{line}\n")).collect();
    program.push_str("gpu.module @examples {\ngpu.func @example() kernel {\n");
    for (name, r#type) in operands {
        let _ = writeln!(program, "%{name} = \"test.value\"() : () -> {type}");
    }
    let (mut results, mut uses) = (Vec::new(), String::new());
    for line in code.lines().filter(|line| !is_alias(line)) {
        let (own, comment) = parts(line);
        if own.starts_with('%') {
            results = defined(own);
        }
        if comment.starts_with('!')
            && let [result] = results[..]
        {
            let _ = writeln!(uses, "\"test.use\"(%{result}) : ({comment}) -> ()");
        }
        program.push_str(own);
        program.push('\n');
    }
    program + &uses + "gpu.return\n}\n}\n"
}

/// The messages of an example, or `None` if it is right.
fn wrong(context: &Context, code: &str) -> Option<Vec<String>> {
    if is_data(code) {
        return messages(context, &data(code));
    }
    let first = code.lines().find(|line| !line.starts_with(['#', '!', '/'])).unwrap_or("");
    if first.starts_with("func.func") || first.starts_with("gpu.module") {
        return messages(context, code);
    }
    let own: BTreeSet<&str> = code.lines().flat_map(|line| defined(parts(line).0)).collect();
    let mut operands: Vec<(String, String)> = Vec::new();
    for name in code.lines().flat_map(|line| values(parts(line).0)) {
        if !own.contains(name) && operands.iter().all(|(other, _)| other != name) {
            operands.push((name.to_owned(), "none".to_owned()));
        }
    }
    loop {
        let found = messages(context, &kernel(code, &operands))?;
        let (name, r#type) = match found.iter().find_map(|message| expected(message)) {
            Some((name, r#type)) => (name.to_owned(), r#type.to_owned()),
            None => return Some(found),
        };
        match operands.iter_mut().find(|(other, old)| *other == name && old == "none") {
            Some(operand) => operand.1 = r#type,
            None => return Some(found),
        }
    }
}

#[test]
fn the_examples_of_the_reference_are_right() {
    let context = context();
    context.set_allow_unregistered_dialects(true);
    let path = format!("{}/../OPERATIONS.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(path).expect("the reference");
    let examples = examples(&page);
    assert!(
        examples.len() > 100,
        "expected an example of each operation, found {}",
        examples.len()
    );
    let wrong: Vec<String> = examples
        .iter()
        .filter_map(|example| {
            let found = wrong(&context, &example.code)?;
            Some(format!("OPERATIONS.md:{}:\n{}{}", example.line, example.code, found.join("\n")))
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong examples:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn an_example_that_is_wrong_is_found() {
    let context = context();
    context.set_allow_unregistered_dialects(true);
    let rank = "%r = layout.rank %l : !layout<(4,?):(1,4)>\n";
    assert_eq!(wrong(&context, rank), None);
    for text in [
        "%r = layout.rank %l : !layout<(4,?):(1,4)\n",
        "%r = layout.rang %l : !layout<(4,?):(1,4)>\n",
        "%m = layout.coalesce %l : !layout<(4,8):(1,4)>   // !layout<31:1>\n",
        "#layout<(4,8):(1)>\n",
    ] {
        assert!(wrong(&context, text).is_some(), "{text}");
    }
}
