//! Batches of programs through each pass.

use crate::{
    compare::{self, Outcome, Trace},
    generate,
    interpret::{
        Stop,
        decode::{Functions, Reader},
        memory::Memory,
        value::Value,
    },
    ir::{Context, Op},
    native,
    passes::{self, Messages, ROWS, Row},
    shrink,
};
use melior::pass::PassManager;
use std::{collections::BTreeMap, path::PathBuf, time::Instant};

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Programs in all.
    pub programs: u64,
    /// The first program's seed; the others follow.
    pub seed: u64,
    /// The statements that programs have most of.
    pub mix: generate::Mix,
    /// Programs in one module.
    pub batch: u64,
    /// Arguments that each program is run with.
    pub inputs: u64,
    /// Every such batch is run natively too; if it is 0, no batch is.
    pub native: u64,
    /// How many rows each batch is run through, alternately; all where it is 0.
    pub rows: usize,
    /// Which rows are run, by their names; all where it is empty.
    pub only: Vec<String>,
    /// Findings after which a run ends.
    pub findings: usize,
    /// Seconds that one finding is made smaller.
    pub shrink: u64,
    /// Seconds after which a run ends, between two batches.
    pub seconds: u64,
    /// Whether programs that the interpreter does not understand are printed.
    pub show: bool,
    /// Where the batch and the row that run are written, for who finds the process ended.
    pub trace: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            programs: 1000,
            seed: 1,
            mix: generate::Mix::All,
            batch: 48,
            inputs: 3,
            native: 8,
            rows: 0,
            only: Vec::new(),
            findings: 1,
            shrink: 20,
            seconds: u64::MAX,
            show: false,
            trace: None,
        }
    }
}

/// A program that a pass changed the meaning of.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its seed.
    pub seed: u64,
    /// The row's name.
    pub row: &'static str,
    /// Expected and found.
    pub what: String,
    /// The program, as small as it became.
    pub text: String,
}

/// The counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Programs that were made and run.
    pub programs: u64,
    /// Those of them that launch kernels.
    pub launching: u64,
    /// Executions of originals that ended well.
    pub executions: u64,
    /// Executions of originals that were undefined, and so say nothing.
    pub undefined: u64,
    /// Executions of originals that took too many steps.
    pub steps: u64,
    /// Programs whose original this interpreter does not understand, by what it is.
    pub unknown: BTreeMap<String, u64>,
    /// Kernels whose threads race or leave a layout, by what a row that must refute them says.
    pub faulty: BTreeMap<String, u64>,
    /// Comparisons of an execution after a row with the one before.
    pub comparisons: u64,
    /// Executions of machine code that were compared.
    pub native: u64,
    /// Seconds of each row: the passes, and the executions after them.
    pub seconds: BTreeMap<&'static str, [f64; 2]>,
    /// Programs that a row refused with a diagnostic, by row and its first message.
    pub refused: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds another's.
    pub fn add(&mut self, other: Self) {
        self.programs += other.programs;
        self.launching += other.launching;
        self.executions += other.executions;
        self.undefined += other.undefined;
        self.steps += other.steps;
        self.comparisons += other.comparisons;
        self.native += other.native;
        for (what, count) in other.faulty {
            *self.faulty.entry(what).or_default() += count;
        }
        for (name, seconds) in other.seconds {
            let sum = self.seconds.entry(name).or_default();
            sum[0] += seconds[0];
            sum[1] += seconds[1];
        }
        for (name, count) in other.unknown {
            *self.unknown.entry(name).or_default() += count;
        }
        for (name, count) in other.refused {
            *self.refused.entry(name).or_default() += count;
        }
    }
}

/// One execution of an original.
pub struct Execution {
    /// Its arguments.
    pub values: Vec<Value>,
    /// Memory before.
    pub memory: Memory,
    /// The outcome of the execution.
    pub outcome: Outcome,
}

/// One program of a batch.
pub struct Program {
    /// Its seed.
    pub seed: u64,
    /// Its name.
    pub name: String,
    /// The traits of the program.
    pub traits: generate::Traits,
    /// Executions that are defined.
    pub executions: Vec<Execution>,
    /// Why others are not.
    pub undefined: Vec<String>,
}

/// A context is recreated after this many batches: MLIR keeps each attribute for the life of a context.
const BATCHES_OF_A_CONTEXT: u64 = 60;

/// Runs programs until all were run or enough was found. `progress` is called after each batch.
pub fn hunt(
    settings: &Settings,
    mut progress: impl FnMut(&Counts, &[Finding]),
) -> (Counts, Vec<Finding>) {
    let mut counts = Counts::default();
    let mut findings: Vec<Finding> = Vec::new();
    let (mut next, end) = (settings.seed, settings.seed + settings.programs);
    let mut batches = 0;
    let begin = Instant::now();
    while next < end && findings.len() < settings.findings {
        let (context, messages) = passes::context();
        let managers: Vec<(Row, PassManager<'_>)> = ROWS
            .iter()
            .filter(|row| {
                settings.only.is_empty() || settings.only.iter().any(|name| row.name == name)
            })
            .map(|row| (*row, passes::manager(&context, row)))
            .collect();
        let mut session = Session {
            settings,
            cx: Context::new(context.to_raw()),
            reader: Reader::default(),
            messages: &messages,
            managers: &managers,
            lowered: 0,
        };
        for _ in 0..BATCHES_OF_A_CONTEXT {
            if begin.elapsed().as_secs() >= settings.seconds {
                return (counts, findings);
            }
            if next >= end || findings.len() >= settings.findings {
                break;
            }
            let count = settings.batch.min(end - next);
            session.batch(next, count, batches, &mut counts, &mut findings);
            batches += 1;
            next += count;
            progress(&counts, &findings);
        }
    }
    (counts, findings)
}

/// The state that batches of one context share.
pub struct Session<'s, 'c> {
    settings: &'s Settings,
    /// The context.
    pub cx: Context<'c>,
    reader: Reader,
    messages: &'s Messages,
    managers: &'s [(Row, PassManager<'c>)],
    /// Batches that were lowered as far as machine code needs.
    lowered: u64,
}

impl Session<'_, '_> {
    fn batch(
        &mut self,
        first: u64,
        count: u64,
        number: u64,
        counts: &mut Counts,
        findings: &mut Vec<Finding>,
    ) {
        let module = self.cx.empty();
        let body = module.regions()[0].blocks()[0];
        generate::prelude(&self.cx, module);
        let mut programs = Vec::new();
        let mut misreadings = Vec::new();
        for seed in first..first + count {
            let name = format!("p{seed}");
            let generate::Made { traits, misread } =
                generate::program(&self.cx, &mut self.reader, body, &name, seed, self.settings.mix);
            let selected = &self.settings.only;
            if selected.is_empty() || selected.iter().any(|name| name == passes::READ) {
                let found = misread.into_iter().map(|what| (seed, what));
                misreadings.extend(found);
            }
            programs.push(Program {
                seed,
                name,
                traits,
                executions: Vec::new(),
                undefined: Vec::new(),
            });
        }
        assert!(module.verifies(), "programs {first} and on verify: {:?}", self.take());
        self.take();
        for (seed, what) in misreadings {
            if findings.len() < self.settings.findings {
                let single = module.copied();
                keep_program(single, &format!("p{seed}"));
                findings.push(Finding { seed, row: passes::READ, what, text: single.text() });
                single.destroy();
            }
        }
        let functions = self.reader.functions(module);
        let mut kept = Vec::new();
        for mut program in programs {
            match executions(&functions, &program, self.settings.inputs, counts) {
                Ok((executions, undefined)) => {
                    counts.programs += 1;
                    counts.launching += u64::from(program.traits.launches);
                    (program.executions, program.undefined) = (executions, undefined);
                    kept.push(program);
                }
                Err(what) => {
                    if self.settings.show {
                        let single = module.copied();
                        keep_program(single, &program.name);
                        println!("// {what}\n{}", single.text());
                        single.destroy();
                    }
                    *counts.unknown.entry(what).or_default() += 1;
                    drop_program(module, &program.name);
                }
            }
        }
        let all = self.managers.len();
        let rows = if self.settings.rows == 0 { all } else { self.settings.rows.min(all) };
        for turn in 0..rows {
            let i = (number as usize * rows + turn) % all;
            let mut native = self.managers[i].0.native && self.settings.native > 0;
            if native {
                native = self.lowered.is_multiple_of(self.settings.native);
                self.lowered += 1;
            }
            // Some rows take not all programs.
            let row = &self.managers[i].0;
            if let Some(path) = &self.settings.trace {
                // A run without a trace is one, too.
                let _ = std::fs::write(path, format!("{first} {count} {}\n", row.name));
            }
            if row.verifies {
                for (seed, what) in self.silent(i, module, &kept, counts) {
                    if findings.len() < self.settings.findings {
                        let single = module.copied();
                        keep_program(single, &format!("p{seed}"));
                        let row = self.managers[i].0.name;
                        findings.push(Finding { seed, row, what, text: single.text() });
                        single.destroy();
                    }
                }
                continue;
            }
            let (takes, left): (Vec<&Program>, Vec<&Program>) =
                kept.iter().partition(|program| row.takes(program.traits));
            let found = if left.is_empty() {
                self.row(i, module, &takes, native, counts)
            } else {
                let part = module.copied();
                left.iter().for_each(|program| drop_program(part, &program.name));
                let found = self.row(i, part, &takes, native, counts);
                part.destroy();
                found
            };
            for (seed, what) in found {
                if findings.len() < self.settings.findings {
                    findings.push(self.finding(i, module, seed, what));
                }
            }
        }
        module.destroy();
    }

    /// The seeds of programs whose threads race or leave a layout, and which a row follows and does not refute.
    fn silent(
        &mut self,
        i: usize,
        module: Op,
        programs: &[Program],
        counts: &mut Counts,
    ) -> Vec<(u64, String)> {
        let manager = &self.managers[i].1;
        let mut found = Vec::new();
        for program in programs.iter().filter(|program| program.traits.launches) {
            let wrong = |what: &&String| what.contains("race") || what.contains("out of range");
            let Some(what) = program.undefined.iter().find(wrong) else { continue };
            // The kernels alone: what the host does is not followed.
            let single = module.copied();
            keep_modules(single, &program.name);
            counts.comparisons += 1;
            let passes = passes::apply(manager, single.0);
            let left_out = self.take().iter().any(|message| message.contains("not analysed"));
            let summary = match (passes, left_out) {
                (true, false) => {
                    found.push((program.seed, format!("it is not refuted, though {what}")));
                    "not refuted"
                }
                (true, true) => "not followed",
                (false, _) => "refuted",
            };
            let kind = if what.contains("race") {
                "threads that race"
            } else {
                "coordinates out of range"
            };
            *counts.faulty.entry(format!("{kind}: {summary}")).or_default() += 1;
            single.destroy();
        }
        found
    }

    /// The messages of diagnostics, which are removed.
    fn take(&self) -> Vec<String> {
        self.messages.lock().map(|mut kept| std::mem::take(&mut *kept)).unwrap_or_default()
    }

    /// Runs one row over a copy of a module; the seeds of the programs that it changed, with how.
    fn row(
        &mut self,
        i: usize,
        module: Op,
        programs: &[&Program],
        native: bool,
        counts: &mut Counts,
    ) -> Vec<(u64, String)> {
        let (row, manager) = &self.managers[i];
        let begin = Instant::now();
        let copy = module.copied();
        if !passes::apply(manager, copy.0) {
            copy.destroy();
            let messages = self.take();
            if programs.len() <= 1 {
                // The diagnostic of the whole module, or of the one program.
                let message = messages.first().map_or("no diagnostic", |message| message.as_str());
                let message: String = message.chars().take(90).collect();
                if !row.refuses || message.contains("internal") || message == "no diagnostic" {
                    return programs
                        .iter()
                        .map(|program| (program.seed, format!("the pass fails: {message}")))
                        .collect();
                }
                *counts.refused.entry(format!("{}: {message}", row.name)).or_default() += 1;
                return Vec::new();
            }
            // One of them; each half by itself.
            let half = programs.len() / 2;
            let mut found = Vec::new();
            for (mine, others) in
                [(&programs[..half], &programs[half..]), (&programs[half..], &programs[..half])]
            {
                let part = module.copied();
                others.iter().for_each(|program| drop_program(part, &program.name));
                found.extend(self.row(i, part, mine, native, counts));
                part.destroy();
            }
            return found;
        }
        counts.seconds.entry(row.name).or_default()[0] += begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let functions = self.reader.functions(copy);
        let mut found = Vec::new();
        for program in programs.iter().filter(|program| program.traits.stock || !row.stock) {
            let trace = row.trace_of(program.traits);
            for execution in &program.executions {
                counts.comparisons += 1;
                if let Some(what) = check(&functions, &program.name, execution, row, trace) {
                    found.push((program.seed, what));
                    break;
                }
            }
        }
        counts.seconds.entry(row.name).or_default()[1] += begin.elapsed().as_secs_f64();
        if native && row.native {
            let wrong: Vec<u64> = found.iter().map(|(seed, _)| *seed).collect();
            found.extend(native::check(copy, programs, &wrong, &mut counts.native));
        }
        copy.destroy();
        found
    }

    /// A finding by itself, made smaller.
    fn finding(&mut self, i: usize, module: Op, seed: u64, what: String) -> Finding {
        let (row, manager) = &self.managers[i];
        let name = format!("p{seed}");
        let single = module.copied();
        keep_program(single, &name);
        let text = shrink::smaller(
            &self.cx,
            single,
            &mut |candidate| self.reads_wrong(candidate, &name, row, manager),
            self.settings.shrink,
        );
        single.destroy();
        self.take();
        Finding { seed, row: row.name, what, text }
    }
}

impl Session<'_, '_> {
    /// Whether a row changes what a program of a module means, for some arguments.
    fn reads_wrong(&self, module: Op, name: &str, row: &Row, manager: &PassManager<'_>) -> bool {
        let mut reader = Reader::default();
        let functions = reader.functions(module);
        let mut counts = Counts::default();
        let traits = generate::Traits {
            stock: true,
            launches: module.text().contains("gpu.launch"),
            upstream: false,
            frees: false,
            blocks: false,
        };
        let program = Program {
            seed: 0,
            name: name.to_owned(),
            traits,
            executions: Vec::new(),
            undefined: Vec::new(),
        };
        let Ok((executions, _)) =
            executions(&functions, &program, self.settings.inputs, &mut counts)
        else {
            return false;
        };
        let copy = module.copied();
        let ran = passes::apply(manager, copy.0);
        let wrong = if ran {
            let functions = Reader::default().functions(copy);
            let trace = row.trace_of(traits);
            let wrong = |execution| check(&functions, name, execution, row, trace).is_some();
            executions.iter().any(wrong)
        } else {
            self.take().iter().any(|message| !row.refuses || message.contains("internal"))
        };
        copy.destroy();
        wrong
    }
}

/// Executions of an original that are defined, and why others are not; an error names what is not understood.
fn executions(
    functions: &Functions,
    program: &Program,
    inputs: u64,
    counts: &mut Counts,
) -> Result<(Vec<Execution>, Vec<String>), String> {
    let (mut made, mut undefined) = (Vec::new(), Vec::new());
    let function = functions.get(&*program.name).ok_or("a program without a function")?;
    for input in 0..inputs {
        let Some((values, memory)) = compare::arguments(function, input) else {
            return Err("arguments of a type that is not known".to_owned());
        };
        match compare::run(functions, &program.name, &values, memory.clone(), false, false) {
            Ok(outcome) => {
                counts.executions += 1;
                made.push(Execution { values, memory, outcome });
            }
            Err(Stop::Undefined(why)) => {
                counts.undefined += 1;
                undefined.push(why);
            }
            Err(Stop::Steps) => counts.steps += 1,
            Err(Stop::Unknown(what)) => return Err(what),
        }
    }
    Ok((made, undefined))
}

/// The differences after a row.
fn check(
    functions: &Functions,
    name: &str,
    execution: &Execution,
    row: &Row,
    trace: Trace,
) -> Option<String> {
    let memory = execution.memory.clone();
    match compare::run(functions, name, &execution.values, memory, true, row.hoists) {
        Ok(outcome) => compare::difference(&execution.outcome, &outcome, trace),
        Err(Stop::Undefined(why)) => Some(format!("undefined behaviour: {why}")),
        // A loop that did not run may have been hoisted.
        Err(Stop::Steps) if trace == Trace::Values => None,
        Err(Stop::Steps) => Some("it takes too many steps".to_owned()),
        Err(Stop::Unknown(what)) => Some(format!("not understood: {what}")),
    }
}

/// Takes a program out of a module.
fn drop_program(module: Op, name: &str) {
    let block = module.regions()[0].blocks()[0];
    let mut operations = block.operations();
    // Callers first.
    operations.reverse();
    for op in operations {
        let symbol = op.attribute("sym_name").map(|name| name.text()).unwrap_or_default();
        let symbol = symbol.trim_matches('"');
        if symbol == name || symbol.strip_prefix(name).is_some_and(|rest| rest.starts_with('_')) {
            op.erase();
        }
    }
}

/// Leaves the kernels of one program in a module, those of upstream's operations too.
fn keep_modules(module: Op, name: &str) {
    let mut operations = module.regions()[0].blocks()[0].operations();
    operations.reverse();
    for op in operations {
        let symbol = op.attribute("sym_name").map(|name| name.text()).unwrap_or_default();
        let of_program = symbol.trim_matches('"').strip_prefix(name);
        let is_module = |rest: &str| rest.starts_with("_module") || rest == "_upstream";
        if !of_program.is_some_and(is_module) {
            op.erase();
        }
    }
}

/// Leaves one program in a module.
fn keep_program(module: Op, name: &str) {
    let block = module.regions()[0].blocks()[0];
    let mut operations = block.operations();
    operations.reverse();
    for op in operations {
        let symbol = op.attribute("sym_name").map(|name| name.text()).unwrap_or_default();
        let symbol = symbol.trim_matches('"');
        let mine = symbol == name
            || symbol.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'))
            || symbol.starts_with("see_");
        if !mine {
            op.erase();
        }
    }
}
