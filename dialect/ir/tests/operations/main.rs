//! Every operation on layouts and tuples: that it reads back what it prints, what it folds to, and
//! what it refuses. A row that is missing fails.

mod cute;
mod kinds;
mod page;
mod support;
mod table;

use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{
        Module,
        operation::{OperationLike, OperationPrintingFlags},
    },
    pass::PassManager,
    utility::{parse_pass_pipeline, register_all_dialects, register_all_passes},
};
use mlir_sys::{MlirStringRef, mlirModuleCreateParse, mlirOperationWriteBytecode};
use std::{
    ffi::c_void,
    sync::{Arc, Mutex, Once},
};
use support::{full_type, function, known_operands, line};
use table::{ROWS, Row};

fn context() -> Context {
    static PASSES: Once = Once::new();
    PASSES.call_once(register_all_passes);
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// The dialect's operations, which files of `ods/` define; its folders have other dialects.
fn defined() -> Vec<String> {
    let folder = format!("{}/ods", env!("CARGO_MANIFEST_DIR"));
    let mut names = Vec::new();
    for file in std::fs::read_dir(folder).expect("the definitions") {
        let path = file.expect("a file").path();
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a definition's text");
        // A definition names its class and, in quotes, its operation.
        for definition in text.split("\ndef Layout_").skip(1) {
            if definition
                .split(|c: char| !c.is_alphanumeric())
                .next()
                .is_some_and(|n| n.ends_with("Op"))
            {
                let name = definition.split('"').nth(1).expect("a name in quotes");
                names.push(name.to_owned());
            }
        }
    }
    names.sort();
    names
}

#[test]
fn every_operation_has_a_row() {
    let mut rows: Vec<_> = ROWS.iter().map(|row| row.name.to_owned()).collect();
    rows.extend(kinds::OTHERS.iter().map(|other| other.name.to_owned()));
    rows.sort();
    assert_eq!(rows, defined());
    let answered = |name: &str| layout_dialect::dynamic::answers(name);
    assert!(ROWS.iter().all(|row| answered(row.name)));
    assert!(kinds::OTHERS.iter().all(|other| !answered(other.name)));
}

fn operands(row: &Row) -> Vec<String> {
    row.partly.iter().map(|text| full_type(text)).collect()
}

fn generic(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    module.as_operation().to_string_with_flags(flags).expect("the generic form")
}

fn bytecode(module: &Module<'_>) -> Vec<u8> {
    unsafe extern "C" fn append(part: MlirStringRef, bytes: *mut c_void) {
        // SAFETY: the writer lends the part, and `bytes` is the vector below.
        unsafe {
            let part = std::slice::from_raw_parts(part.data.cast::<u8>(), part.length);
            (*bytes.cast::<Vec<u8>>()).extend_from_slice(part);
        }
    }
    let mut bytes: Vec<u8> = Vec::new();
    // SAFETY: the operation is valid, and the vector outlives the call.
    unsafe {
        mlirOperationWriteBytecode(
            module.as_operation().to_raw(),
            Some(append),
            (&raw mut bytes).cast(),
        );
    }
    bytes
}

fn parse_bytes<'c>(context: &'c Context, bytes: &[u8]) -> Option<Module<'c>> {
    let text = MlirStringRef { data: bytes.as_ptr().cast(), length: bytes.len() };
    // SAFETY: the bytes are lent for the length of the call.
    unsafe { Module::from_option_raw(mlirModuleCreateParse(context.to_raw(), text)) }
}

#[test]
fn each_operation_reads_back_what_it_prints() {
    let context = context();
    for row in ROWS {
        let types = operands(row);
        let text = function(&types, row.results, &line(row.line, &types), "");
        let module = Module::parse(&context, &text)
            .unwrap_or_else(|| panic!("{}: does not parse:\n{text}", row.name));
        let printed = module.as_operation().to_string();
        assert!(printed.contains(&format!("layout.{}", row.name)), "{printed}");
        for again in [printed.clone(), generic(&module)] {
            let module = Module::parse(&context, &again)
                .unwrap_or_else(|| panic!("{}: does not parse:\n{again}", row.name));
            assert_eq!(module.as_operation().to_string(), printed);
        }
        let module = parse_bytes(&context, &bytecode(&module)).expect("bytecode");
        assert_eq!(module.as_operation().to_string(), printed);
    }
}

#[test]
fn each_operation_folds_where_all_is_known() {
    let context = context();
    let mut wrong = Vec::new();
    for row in ROWS {
        let known = known_operands(row);
        let mut text = line(row.line, &known.types);
        for (i, r#type) in known.types.iter().enumerate() {
            if r#type == "index" {
                text = text.replace(&format!("%{i}"), &format!("%k{i}"));
            }
        }
        // Uses keep the results alive.
        let results: Vec<_> = match row.results {
            1 => vec!["%r".to_owned()],
            count => (0..count).map(|i| format!("%r#{i}")).collect(),
        };
        let constants = known.constants.replace('%', "%a");
        let body = function(&known.types, row.results, &text, "");
        // The types of the results are those that the operation prints.
        let body = body.replacen("{\n", &format!("{{\n{constants}\n"), 1);
        let module = Module::parse(&context, &body)
            .unwrap_or_else(|| panic!("{}: does not parse:\n{body}", row.name));
        let printed = generic(&module);
        let types = result_types(&printed, row.name);
        let uses = format!("  \"test.use\"({}) : ({types}) -> ()\n", results.join(", "));
        let body = body.replace("  return\n", &format!("{uses}  return\n"));
        context.set_allow_unregistered_dialects(true);
        let mut module = Module::parse(&context, &body).expect("a program");
        let manager = PassManager::new(&context);
        parse_pass_pipeline(manager.as_operation_pass_manager(), "builtin.module(canonicalize)")
            .expect("a pipeline");
        manager.run(&mut module).expect("canonicalization");
        let printed = module.as_operation().to_string();
        let found: Vec<String> = printed
            .lines()
            .filter_map(|line| {
                let (_, constant) = line.trim().split_once(" = ")?;
                if let Some(text) = constant.strip_prefix("layout.constant ") {
                    return Some(text.rsplit_once(" : ")?.0.to_owned());
                }
                let text = constant.strip_prefix("arith.constant ")?;
                Some(text.split(" : ").next()?.to_owned())
            })
            .collect();
        let mut expected: Vec<&str> = row.folded.split(' ').collect();
        if row.folded.starts_with('#') {
            expected = vec![row.folded];
        }
        // Constants are unique and in the order of their making.
        let mut unique: Vec<String> = Vec::new();
        for text in expected {
            if !unique.iter().any(|known| known == text) {
                unique.push(text.to_owned());
            }
        }
        let (mut found, mut unique) = (found, unique);
        found.sort();
        unique.sort();
        if printed.contains(&format!("layout.{} ", row.name)) || found != unique {
            wrong.push(format!("{}: expected {unique:?}, found {found:?} in\n{printed}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The types of an operation's results, from the generic form.
fn result_types(printed: &str, name: &str) -> String {
    let line = printed
        .lines()
        .find(|line| line.contains(&format!("\"layout.{name}\"")))
        .expect("the operation");
    let types = line.rsplit_once(" -> ").expect("results").1;
    types
        .trim_start_matches('(')
        .strip_suffix(')')
        .filter(|_| types.starts_with('('))
        .unwrap_or(types)
        .to_owned()
}

#[test]
fn each_operation_reports_its_errors() {
    let context = context();
    let messages: Arc<Mutex<Vec<String>>> = Arc::default();
    let sink = Arc::clone(&messages);
    context.attach_diagnostic_handler(move |diagnostic| {
        sink.lock().expect("the messages").push(diagnostic.to_string());
        true
    });
    let mut wrong = Vec::new();
    for row in ROWS {
        messages.lock().expect("the messages").clear();
        let types: Vec<_> = row.refused.iter().map(|text| full_type(text)).collect();
        let text = if row.refused_line.is_empty() { row.line } else { row.refused_line };
        let text = function(&types, row.results, &line(text, &types), "");
        let module = Module::parse(&context, &text);
        let refused = module.is_none_or(|module| !module.as_operation().verify());
        let found = messages.lock().expect("the messages").first().cloned().unwrap_or_default();
        if !refused || found != row.message {
            wrong.push(format!("{}:\n  expected {}\n  found    {found}", row.name, row.message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
