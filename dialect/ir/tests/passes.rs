//! Passes and pipelines written in Rust behave in MLIR's registry as MLIR's own do.

use layout_dialect::{
    diagnostics,
    passes::{Pass, PassOption, Statistic, register_once, register_pass, register_pipeline},
};
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{
        Attribute, Module,
        operation::{OperationLike, OperationMutLike, OperationRefMut},
    },
    pass::PassManager,
    utility::parse_pass_pipeline,
};
use std::sync::{Arc, Mutex, Once};

fn register() {
    static ONCE: Once = Once::new();
    register_once(&ONCE, || {
        register_pass(
            &Pass {
                name: "test-layout-mark",
                description: "Mark the module with the option's value",
                root: "builtin.module",
                options: &[PassOption { name: "mark", description: "a term", initial: "4:1" }],
                statistics: &[Statistic { name: "marked", description: "modules marked" }],
                dependents: &[layout_dialect::handle()],
            },
            |operation, run| {
                let context = layout_dialect::build::context_of(operation);
                let text = format!("#layout<{}>", run.option("mark"));
                let Some(mark) = Attribute::parse(context, &text) else {
                    diagnostics::error(operation, "expected a term as the option 'mark'");
                    return Err(());
                };
                // SAFETY: the pass owns the module while it runs.
                let mut module = unsafe { OperationRefMut::from_raw(operation.to_raw()) };
                module.set_attribute("layout.mark", mark);
                run.count("marked", 1);
                Ok(())
            },
        );
        register_pass(
            &Pass { name: "test-layout-panic", description: "Panic", ..Pass::default() },
            |_, _| -> Result<(), ()> { panic!("on purpose") },
        );
        register_pass(
            &Pass {
                name: "test-layout-nested",
                description: "Run a pipeline",
                root: "builtin.module",
                dependents: &[layout_dialect::handle()],
                ..Pass::default()
            },
            |operation, run| run.run_pipeline("test-layout-mark{mark=8:1}", operation),
        );
        register_pipeline(
            "test-layout-pipeline",
            "Mark twice",
            &[PassOption { name: "last", description: "a term", initial: "2:1" }],
            |options| match options {
                [last] if last != "none" => {
                    Ok(format!("test-layout-mark,test-layout-mark{{mark={last}}}"))
                }
                _ => Err("expected a term as the option 'last', found none".to_owned()),
            },
        );
    });
}

/// Runs a pipeline on an empty module: the mark it leaves, or the diagnostics.
fn run(pipeline: &str) -> Result<String, Vec<String>> {
    register();
    let registry = DialectRegistry::new();
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    context.attach_diagnostic_handler(move |diagnostic| {
        sink.lock().expect("no panic").push(diagnostic.to_string());
        true
    });
    let mut module = Module::parse(&context, "module {}").expect("a module");
    let manager = PassManager::new(&context);
    let text = format!("builtin.module({pipeline})");
    if let Err(error) = parse_pass_pipeline(manager.as_operation_pass_manager(), &text) {
        return Err(vec![error.to_string()]);
    }
    if manager.run(&mut module).is_err() {
        return Err(messages.lock().expect("no panic").clone());
    }
    let mark = module.as_operation().attribute("layout.mark").expect("a mark").to_string();
    Ok(mark)
}

#[test]
fn options_have_initial_values() {
    assert_eq!(run("test-layout-mark"), Ok("#layout<4:1>".to_owned()));
    assert_eq!(run("test-layout-mark{mark=(2,2):(1,2)}"), Ok("#layout<(2,2):(1,2)>".to_owned()));
}

#[test]
fn failures_and_panics_fail_the_pipeline() {
    let messages = run("test-layout-mark{mark=nonsense}").expect_err("the pass fails");
    assert_eq!(
        messages.last().map(String::as_str),
        Some("'builtin.module' op expected a term as the option 'mark'")
    );
    assert_eq!(
        run("test-layout-panic"),
        Err(vec!["'builtin.module' op internal error: a pass panicked".to_owned()])
    );
}

#[test]
fn passes_run_pipelines() {
    assert_eq!(run("test-layout-nested"), Ok("#layout<8:1>".to_owned()));
    assert_eq!(run("test-layout-pipeline"), Ok("#layout<2:1>".to_owned()));
    assert_eq!(run("test-layout-pipeline{last=3:1}"), Ok("#layout<3:1>".to_owned()));
    let refused = run("test-layout-pipeline{last=none}").expect_err("the pipeline is refused");
    assert!(refused[0].contains("expected a term as the option 'last', found none"), "{refused:?}");
}
