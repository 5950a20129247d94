//! `dialect/DIAGNOSTICS.md`: the page of every code, made from the table and the diagnostics of its
//! examples.

use super::Code;
use melior::{
    Context,
    diagnostic::{Diagnostic, DiagnosticSeverity},
    dialect::DialectRegistry,
    ir::Module,
    utility::register_all_dialects,
};
use std::{
    fmt::Write,
    sync::{Arc, Mutex},
};

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    crate::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// A diagnostic as the tools print it: its place, its line with a caret, and its notes.
fn printed(program: &str, diagnostic: &Diagnostic<'_>) -> String {
    let place = diagnostic.location().to_string();
    let mut numbers = place.trim_end_matches(')').rsplitn(3, ':');
    let mut number = || numbers.next().and_then(|n| n.parse::<usize>().ok());
    let (column, line) = (number(), number());
    let kind = match diagnostic.severity() {
        DiagnosticSeverity::Error => "error",
        DiagnosticSeverity::Note => "note",
        DiagnosticSeverity::Remark => "remark",
        DiagnosticSeverity::Warning => "warning",
    };
    let (line, column) = line.zip(column).expect("a place in the program");
    let mut text = format!("{line}:{column}: {kind}: {diagnostic}\n");
    if kind == "error" {
        let source = program.lines().nth(line - 1).expect("a line of the program");
        // A long line is cut in front, as terminals would wrap it.
        let _ = writeln!(text, "{source}\n{}^", " ".repeat(column - 1));
    }
    for i in 0..diagnostic.note_count() {
        let note = diagnostic.note(i).expect("a note");
        if !note.to_string().starts_with("see current operation") {
            let _ = writeln!(text, "note: {note}");
        }
    }
    text
}

/// The diagnostics of a program.
fn reported(context: &Context, program: &str) -> String {
    let printouts: Arc<Mutex<String>> = Arc::default();
    let (sink, source) = (Arc::clone(&printouts), program.to_owned());
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        let text = printed(&source, &diagnostic);
        sink.lock().expect("the diagnostics").push_str(&text);
        true
    });
    let refused = Module::parse(context, program).is_none();
    context.detach_diagnostic_handler(handler);
    let text = printouts.lock().expect("the diagnostics").clone();
    assert!(refused, "expected a refusal of\n{program}");
    text
}

/// Whether an error with this code comes with a hint.
fn hinted(reported: &str, name: &str) -> bool {
    let mut of_code = false;
    reported.lines().any(|line| {
        if line.contains(": error: ") {
            of_code = line.contains(&format!("[{name}] "));
        }
        of_code && line.starts_with("note: hint: ")
    })
}

#[test]
fn the_page_shows_what_examples_are_reported() {
    let mut page = String::from(
        "<!-- Made from `ir/src/diagnostics/codes.rs` by `cargo xtask bless`; do not edit -->\n\n\
         # Diagnostics\n\n\
         Every constraint of the dialect has a code, which its errors carry in brackets and which stays \
         the same when messages are reworded. An error states what was expected and what was found; notes \
         show its place in an attribute, a type or a coordinate, and the nearest legal input if \
         there is one. An operation, a type and an attribute report all of their errors, \
         as far as one does not hide another. Errors without a code are MLIR's own: its \
         parser names the word that it expects between an operation's operands, and stops there, without a \
         hint. Misspelt names of operations have a hint in both forms.\n\n\
         \"none\" means that there is no nearest input: the error itself states what is legal, or nothing \
         similar is.\n\n\
         | code | meaning | hint |\n|---|---|---|\n",
    );
    let context = context();
    let mut sections = String::new();
    let mut silent = Vec::new();
    for &code in Code::ALL {
        let name = code.name();
        let hint = if code.hint().is_empty() { "none" } else { code.hint() };
        let _ = writeln!(page, "| [`{name}`](#{name}) | {} | {hint} |", code.meaning());
        let (example, reported) = (code.example(), reported(&context, code.example()));
        if !reported.contains(&format!("[{name}] ")) {
            silent.push(format!("{name} is not reported for\n{example}but\n{reported}"));
        }
        if hinted(&reported, name) == code.hint().is_empty() {
            let is = if code.hint().is_empty() { "a hint" } else { "no hint" };
            silent.push(format!("{name} has {is} for\n{example}with the diagnostics\n{reported}"));
        }
        let _ = write!(
            sections,
            "\n## `{name}`\n\n{}\n\n```mlir\n{example}```\n\n```text\n{reported}```\n",
            code.meaning()
        );
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    page.push_str(&sections);
    // Blessed by UPDATE_EXPECT=1, as `cargo xtask bless` runs it.
    expect_test::expect_file!["../../../../DIAGNOSTICS.md"].assert_eq(&page);
}

/// Constraints on what an operation has in its regions: no text of an attribute or a type has it.
const OF_REGIONS: [&str; 6] = [
    "epilogue",
    "map-region",
    "pipeline-barrier",
    "pipeline-region",
    "pipeline-steps",
    "reduce-region",
];

/// An error of an operation has a note with a caret in the text of an attribute, a type or a
/// coordinate; one of a text is at its place in it, past where the text begins.
#[test]
fn every_code_has_a_caret() {
    let context = context();
    let mut wrong = Vec::new();
    for &code in Code::ALL {
        let reported = reported(&context, code.example());
        let own = format!("[{code}] ");
        let errors: Vec<&str> = reported.split("error: ").filter(|e| e.contains(&own)).collect();
        let placed = |error: &&str| match error.starts_with("'layout.") {
            true => error.contains("\nnote: in "),
            false => error.lines().nth(2).is_some_and(|line| line.trim() == "^"),
        };
        if errors.is_empty() || errors.iter().all(placed) == OF_REGIONS.contains(&code.name()) {
            wrong.push(format!("{code}:\n{reported}"));
        }
    }
    assert!(wrong.is_empty(), "expected carets in\n{}", wrong.join("\n"));
}

/// The lines of the lit suite that expect something.
fn expectations() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/Dialect");
    let mut lines = String::new();
    for file in std::fs::read_dir(folder).expect("the suite") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|ending| ending != "mlir" && ending != "test") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("the test's text");
        for line in text.lines() {
            if line.contains("expected-error") || line.contains("CHECK") {
                lines.push_str(line);
                lines.push('\n');
            }
        }
    }
    lines
}

#[test]
fn every_code_has_a_lit_test() {
    let lines = expectations();
    let untested: Vec<_> = Code::ALL
        .iter()
        .filter(|code| !lines.contains(&format!("[{code}] ")))
        .map(|code| code.name())
        .collect();
    assert_eq!(untested, [""; 0], "expected errors with these codes in test/Dialect");
}

#[test]
fn codes_are_unique_words() {
    let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    for name in names {
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
    }
}
