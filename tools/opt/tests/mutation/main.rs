//! Faults that are planted in tile programs, in kernels, and in what passes make of them: each is found by
//! translation validation, by `layout-verify`, or by a run on the CPU.
//!
//! ```sh
//! cargo test -p layout-opt --test mutation                       # a sample
//! cargo test -p layout-opt --test mutation -- --ignored all      # all 200, with a table
//! ```
//!
//! A fault that nothing finds is one only if the program is another: where validation proves both the same,
//! `layout-verify` refutes nothing, and all bytes of three runs agree, with those around the arguments, it is
//! an equal program, and another place is taken.

mod cpu;
mod faults;
mod kernels;
mod programs;
mod races;

use cpu::Run;
use faults::{KINDS, Kind, Level};
use layout_passes::compare_programs;
use layout_random::Numbers;
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Module, operation::OperationLike},
    pass::PassManager,
    utility::{parse_pass_pipeline, register_all_llvm_translations},
};
use programs::Program;
use std::{
    collections::BTreeSet,
    fmt::Write,
    path::PathBuf,
    sync::{
        Arc, Mutex, Once,
        atomic::{AtomicUsize, Ordering},
    },
};

/// As `layout-opt` has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TILE: &str = "layout-tile-matmul,layout-simplify{arithmetic=false},layout-fold";
const HOST: &str = "layout-serialize,layout-lower,canonicalize,cse,convert-scf-to-cf,convert-vector-to-llvm,\
    arith-expand{include-bf16=true},finalize-memref-to-llvm,convert-arith-to-llvm,\
    convert-index-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts";

/// Faults in all.
const ALL: usize = 220;

/// Seeds that are tried for each kind.
const SEEDS: u64 = 60;

fn context() -> Context {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        layout_dialect::tools::register_upstream_passes();
        layout_passes::register_all();
        layout_lowering::register_all();
    });
    let registry = DialectRegistry::new();
    layout_dialect::tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    register_all_llvm_translations(&context);
    context
}

/// Runs passes; whether they succeed.
fn passes(context: &Context, module: &mut Module<'_>, passes: &str) -> bool {
    let manager = PassManager::new(context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), &format!("builtin.module({passes})"))
        .expect("a pipeline");
    manager.run(module).is_ok()
}

/// A program at both levels, with what its run on the CPU gives.
struct Original {
    program: Program,
    layouts: String,
    lowered: String,
    run: Option<Run>,
}

fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mutation");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a program on the CPU.
fn run_on_cpu(program: &Program, text: &str, name: &str) -> Run {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    let file = folder().join(format!("{name}-{}-{number}.mlir", std::process::id()));
    std::fs::write(&file, text).expect("a file");
    let run = cpu::run(&file, program.bytes);
    let _ = std::fs::remove_file(&file);
    run
}

fn originals(context: &Context) -> Vec<Original> {
    programs::all()
        .into_iter()
        .map(|program| {
            let name = program.name;
            let mut module =
                Module::parse(context, &program.text).unwrap_or_else(|| panic!("{name}"));
            if program.tile {
                assert!(passes(context, &mut module, TILE), "{name}");
            }
            let layouts = module.as_operation().to_string();
            assert!(verified(context, &layouts), "{name}");
            assert!(passes(context, &mut module, "layout-lower"), "{name}");
            let lowered = module.as_operation().to_string();
            let run = program.runs.then(|| run_on_cpu(&program, &layouts, "right"));
            assert!(!matches!(run, Some(Run::Failed(_))), "{name}: {run:?}");
            Original { program, layouts, lowered, run }
        })
        .collect()
}

/// Whether `layout-verify` refutes nothing of a program.
fn verified(context: &Context, text: &str) -> bool {
    let Some(mut module) = Module::parse(context, text) else { return true };
    passes(context, &mut module, "layout-verify")
}

/// A fault, and who finds it.
struct Planted {
    kind: &'static str,
    program: &'static str,
    what: String,
    validated: bool,
    verified: bool,
    /// None where it is not run.
    ran: Option<bool>,
}

impl Planted {
    fn is_found(&self) -> bool {
        self.validated || self.verified || self.ran == Some(true)
    }
}

/// The text of a program that a kind is planted in.
fn text_of(original: &Original, kind: &Kind) -> String {
    match kind.level {
        Level::Layouts => original.layouts.clone(),
        Level::Lowered => original.lowered.clone(),
    }
}

/// Runs the checks on a fault; returns `None` if the text is no program, or an equal one.
fn run_checks(
    context: &Context,
    original: &Original,
    kind: &'static Kind,
    (text, what): (String, String),
) -> Option<Planted> {
    let after = Module::parse(context, &text)?;
    if !after.as_operation().verify() {
        return None;
    }
    // A pass would have made it of the program in layout operations.
    let before = Module::parse(context, &original.layouts).expect("a program");
    let found = compare_programs(before.as_operation(), after.as_operation());
    let validated = !found.refuted.is_empty();
    let verified = !verified(context, &text);
    let ran = match (&original.run, kind.level) {
        (Some(right), Level::Layouts) => {
            Some(run_on_cpu(&original.program, &text, "mutant") != *right)
        }
        _ => None,
    };
    let planted =
        Planted { kind: kind.name, program: original.program.name, what, validated, verified, ran };
    // An equal program: proved, and all bytes agree.
    let is_equal = !planted.is_found() && found.unknown.is_empty();
    (!is_equal).then_some(planted)
}

/// So many faults: of every kind as many, round-robin over the programs and the kinds, and of those with more
/// places the rest.
fn faults(context: &Context, count: usize) -> Vec<Planted> {
    let originals = originals(context);
    let mut all: Vec<Planted> = Vec::new();
    let mut known = BTreeSet::new();
    let mut seed = 0;
    while all.len() < count && seed < SEEDS {
        seed += 1;
        for (number, kind) in KINDS.iter().enumerate() {
            // A kind with few places in one program is looked for in the next.
            for turn in 0..originals.len() {
                let at = (usize::try_from(seed).unwrap_or(0) + number + turn) % originals.len();
                let original = &originals[at];
                let fault = kind.plant(&text_of(original, kind), &mut Numbers::of_seed(seed));
                let Some(fault) = fault else { continue };
                // One fault at one place.
                if !known.insert((kind.name, original.program.name, fault.1.clone())) {
                    continue;
                }
                let Some(planted) = run_checks(context, original, kind, fault) else { continue };
                all.push(planted);
                break;
            }
            if all.len() == count {
                break;
            }
        }
    }
    all
}

fn quietly(context: &Context) -> Arc<Mutex<Vec<String>>> {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    context.attach_diagnostic_handler(move |diagnostic| {
        sink.lock().expect("no panic").push(diagnostic.to_string());
        true
    });
    messages
}

/// Who finds how many of each kind, as a table.
fn table(all: &[Planted]) -> String {
    let mut text = String::from(
        "| fault | planted | validation | layout-verify | CPU run, of those run | missed |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let mut row = |name: &str, of: Vec<&Planted>| {
        let count = |is: &dyn Fn(&Planted) -> bool| of.iter().filter(|one| is(one)).count();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} of {} | {} |",
            of.len(),
            count(&|one| one.validated),
            count(&|one| one.verified),
            count(&|one| one.ran == Some(true)),
            count(&|one| one.ran.is_some()),
            count(&|one| !one.is_found())
        );
    };
    for kind in KINDS {
        row(kind.name, all.iter().filter(|one| one.kind == kind.name).collect());
    }
    row("all", all.iter().collect());
    text
}

fn none_missed(all: &[Planted]) {
    let missed: Vec<String> = all
        .iter()
        .filter(|one| !one.is_found())
        .map(|one| format!("{} in {}: {}", one.kind, one.program, one.what))
        .collect();
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

#[test]
fn a_sample_of_faults_is_found() {
    let context = context();
    let _messages = quietly(&context);
    let all = faults(&context, KINDS.len());
    assert_eq!(all.len(), KINDS.len(), "{}", table(&all));
    none_missed(&all);
}

/// 220 faults of 22 kinds.
#[test]
#[ignore = "takes minutes: all 220 faults, with a table"]
fn all() {
    let context = context();
    let _messages = quietly(&context);
    let all = faults(&context, ALL);
    println!("{}", table(&all));
    for one in &all {
        println!(
            "{} | {} | {} | {} {} {:?}",
            one.kind, one.program, one.what, one.validated, one.verified, one.ran
        );
    }
    none_missed(&all);
    assert_eq!(all.len(), ALL);
}

#[test]
fn races_in_the_kernels_of_the_library_are_found() {
    let (table, missed) = kernels::few(context);
    println!("{table}");
    assert!(missed.is_empty(), "{table}missed:\n{}", missed.join("\n"));
}

#[test]
fn lost_phases_of_warpgroups_are_refuted() {
    let context = context();
    let _messages = quietly(&context);
    let (count, missed) = kernels::lose_phases(&context);
    assert!(count >= 10, "{count}");
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

/// All places of all kinds.
#[test]
#[ignore = "takes minutes: all races in all kernels, with a table"]
fn all_races() {
    let (table, missed) = kernels::plant(context, usize::MAX);
    println!("{table}");
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

/// One run on the CPU, for the tests above.
#[test]
#[ignore = "the process of one run"]
fn child() {
    let context = context();
    let _messages = quietly(&context);
    cpu::child(&context, |module| passes(&context, module, HOST));
}
