//! `layout-verify`, and what checks every pass of ours: translation validation.
//!
//! Before a pass, what the program does to memory is noted as functions of thread and block ids and
//! of loop counters ([`trace`]), and the terms of its operations; after it, the same again:
//!
//! | the pass | is right when |
//! |---|---|
//! | keeps the structure (`layout-fold`, `layout-simplify`, `layout-lower`) | terms have the same values; loops, barriers, addresses and predicates are the same functions ([`compare`]) |
//! | tiles a matmul | the kernel stores each element of C exactly once, and loads all of A and B and nothing else ([`cover`]) |
//! | makes a host function of a kernel | both store the same elements as often, and load the same |
//! | lowers a pipeline | the barriers let each stage be written, read and written again ([`pipeline`]); tensor maps and descriptors name the same elements at the same places ([`engine`]) |
//!
//! Not examined: what is in registers, hence which products are accumulated. An examined operation that is not
//! understood is *unknown*, which is counted and reported, and never passed over.

mod argument_facts;
pub(crate) mod arithmetic;
mod block_memory;
mod bounds;
mod carried_values;
mod claims;
mod compare;
mod copies;
mod cover;
mod data_flow;
mod deferred;
mod dynamic_views;
mod engine;
mod follow;
mod fragments;
mod gaps;
mod kernel_sizes;
mod launch;
mod live_ranges;
mod loaded_values;
mod loops;
mod lowered;
mod matrices;
mod memory;
mod mmas;
mod modes;
mod phases;
mod pipeline;
mod relate;
mod rings;
mod segments;
mod sizes;
mod stages;
mod tensor_maps;
mod threads;
mod trace;
mod view;

use crate::fold::terms;
use cover::Requirement;
use gaps::Gap;
use layout_algebra::{AnyLayout, Term, Value};
use layout_dialect::{
    atoms::CopyKind,
    diagnostics,
    passes::{Observer, PassRun, Statistic, observe},
    tree,
};
use layout_relation::{Limits, Prover, Verdict};
use melior::ir::{OperationRef, attribute::FlatSymbolRefAttribute, operation::OperationLike};
use std::{any::Any, collections::BTreeSet, time::Instant};
use trace::Trace;

/// The pass's counters.
pub(crate) const STATISTICS: &[Statistic] = &[
    Statistic { name: "proved", description: "claims that were proved" },
    Statistic { name: "unknown", description: "claims that were not decided" },
];

/// The findings about a program.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    proved: u64,
    unknown: Vec<Gap>,
    refuted: Vec<Gap>,
    /// The places of refutations about two operations, at both.
    places: Vec<Place>,
    /// Accesses at places that are not aligned, which may be known already.
    misaligned: Vec<Place>,
    /// The operations that were not followed, for a warning alone.
    left_out: Vec<Gap>,
    /// Whether a thread divides by 0, so that nothing means anything.
    undefined: bool,
    /// Whether accesses to arguments of partly static layouts are in bounds for all sizes: what that takes of loaded integers.
    bounds: Option<Vec<String>>,
    /// Whether integers in memory were taken to be samples of what facts say of them.
    sampled: bool,
    /// Facts that a run on the CPU follows and this analysis does not, in words.
    left_to_run: BTreeSet<&'static str>,
}

/// The place of a refutation about an operation, and of another that a note is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    message: String,
    /// The operation, by its address.
    at: usize,
    note: Option<(usize, String)>,
}

impl Findings {
    fn unknown(&mut self, gap: impl Into<Gap>) {
        let gap = gap.into();
        if !self.unknown.contains(&gap) {
            self.unknown.push(gap);
        }
    }

    fn refute(&mut self, what: impl Into<Gap>) {
        let what = what.into();
        if !self.refuted.contains(&what) {
            self.refuted.push(what);
        }
    }

    /// Refutes at an operation, once for each; whether it is the first.
    fn refute_at(&mut self, place: Place) -> bool {
        let other = |known: &Place| {
            known.at != place.at
                || known.note.as_ref().map(|note| note.0) != place.note.as_ref().map(|note| note.0)
        };
        let is_new = self.places.iter().all(other);
        if is_new {
            self.places.push(place);
        }
        is_new
    }

    fn not_followed(&mut self, gap: impl Into<Gap>) {
        let gap = gap.into();
        if !self.left_out.contains(&gap) {
            self.left_out.push(gap);
        }
    }

    /// The same, where what is about no single operation is about this function.
    fn of_function(mut self, function: usize) -> Self {
        let all = self.unknown.iter_mut().chain(&mut self.left_out).chain(&mut self.refuted);
        for gap in all {
            gap.at.get_or_insert(function);
        }
        self
    }

    fn all_proved(&self) -> bool {
        self.unknown.is_empty() && self.refuted.is_empty() && self.places.is_empty()
    }

    fn is_refuted(&self) -> bool {
        !self.refuted.is_empty() || !self.places.is_empty()
    }

    fn join(&mut self, other: Self) {
        self.proved += other.proved;
        other.unknown.into_iter().for_each(|gap| self.unknown(gap));
        other.refuted.into_iter().for_each(|what| self.refute(what));
        self.places.extend(other.places);
        other.left_out.into_iter().for_each(|gap| self.not_followed(gap));
        self.left_to_run.extend(other.left_to_run);
    }
}

/// The state of a program before a pass.
struct Snapshot {
    traces: Vec<Trace>,
    /// For each that returns numbers, the same with words that wrap around whatever is known of them.
    exact: Vec<Option<Trace>>,
    /// For each that is not followed at all sizes, the same at some.
    sized: Vec<sizes::Sized>,
    terms: Vec<(String, Term)>,
    /// Functions that are lowered already: their names, and their operations as text.
    lowered: Vec<(String, Vec<String>)>,
}

impl Snapshot {
    fn of(root: OperationRef<'_, '_>, before: Option<&Self>) -> Self {
        let mut traces: Vec<Trace> = Vec::new();
        let mut exact: Vec<Option<Trace>> = Vec::new();
        let mut sized: Vec<sizes::Sized> = Vec::new();
        let mut lowered = Vec::new();
        let mut note = |operation: OperationRef<'_, '_>| -> bool {
            if view::is_function(operation) {
                let name = trace::symbol_of(operation);
                let given = before.and_then(|before| {
                    before.traces.get(traces.len()).filter(|trace| trace.name == name)
                });
                let strict = before.and_then(|before| before.exact.get(exact.len())?.as_ref());
                let strict = strict.filter(|_| given.is_some()).map(|trace| &trace.given);
                exact.push(returns(operation).then(|| Trace::of(operation, strict, true)));
                let trace = Trace::of(operation, given.map(|trace| &trace.given), false);
                let known = before.and_then(|before| before.sized.get(sized.len()));
                sized.push(sizes::traces(operation, &trace, known.filter(|_| given.is_some())));
                traces.push(trace);
                return false;
            }
            if tree::name(operation) == "llvm.func" {
                // A declaration does nothing; those of intrinsics come with their calls.
                if tree::entry(operation).is_some() {
                    lowered.push((trace::symbol_of(operation), lowered::body(operation)));
                }
                return false;
            }
            true
        };
        if note(root) {
            tree::visit(root, &mut |operation| note(operation));
        }
        let terms = terms(root)
            .into_iter()
            .map(|(operation, _, term)| (tree::name(operation), term))
            .collect();
        Self { traces, exact, sized, terms, lowered }
    }

    fn matmuls(&self) -> usize {
        self.traces.iter().map(|trace| trace.matmuls.len()).sum()
    }
}

/// Whether a function returns anything.
fn returns(function: OperationRef<'_, '_>) -> bool {
    let last =
        tree::entry(function).and_then(|entry| tree::operations(entry).into_iter().next_back());
    tree::name(function) == "func.func" && last.is_some_and(|last| last.operand_count() > 0)
}

/// Compares what was noted before a pass with what is there after it.
fn validate(before: &Snapshot, after: &Snapshot) -> Findings {
    let mut findings = Findings::default();
    if after.matmuls() < before.matmuls() {
        tiled(before, after, &mut findings);
        return findings;
    }
    if before.traces.len() != after.traces.len() || before.lowered.len() != after.lowered.len() {
        findings.unknown(format!(
            "{} functions became {}",
            before.traces.len() + before.lowered.len(),
            after.traces.len() + after.lowered.len()
        ));
        return findings;
    }
    let exact = before.exact.iter().zip(&after.exact);
    let sized = before.sized.iter().zip(&after.sized);
    for (((before, after), exact), sized) in
        before.traces.iter().zip(&after.traces).zip(exact).zip(sized)
    {
        if before.function == after.function {
            // A function whose text is unchanged does the same in the same launch, whatever that is.
            let is_same = before.text == after.text && before.launch == after.launch;
            if before.text.is_some() && is_same {
                findings.proved += 1;
            } else {
                let general = compared(before, after, exact);
                let found = compared_at_sizes(general, &after.name, sized);
                findings.join(found.of_function(after.operation));
            }
            continue;
        }
        for argument in 0..before.arguments.len() {
            for stores in [false, true] {
                cover::same(before, after, argument, stores, &mut findings);
            }
        }
    }
    // After a lowering there are none. Where operations came and went, others are in their places.
    let names =
        |all: &[(String, Term)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if names(&before.terms) == names(&after.terms) {
        for (before, after) in before.terms.iter().zip(&after.terms) {
            compare_terms(before, after, &mut findings);
        }
    }
    for ((name, before), (_, after)) in before.lowered.iter().zip(&after.lowered) {
        if before == after {
            findings.proved += 1;
            continue;
        }
        let at = before.iter().zip(after).position(|(a, b)| a != b);
        let at = at.unwrap_or(before.len().min(after.len()));
        let word = |lines: &[String]| {
            let line = lines.get(at).and_then(|line| line.split(' ').next());
            line.unwrap_or("its end").to_owned()
        };
        findings.refute(format!(
            "expected @{name}, which is in LLVM's dialect, to stay as it is, found {} where operation \
             {at} was {}",
            word(after),
            word(before)
        ));
    }
    findings
}

/// Compares two traces; where not all is known, those in which all words wrap around.
fn compared(
    before: &Trace,
    after: &Trace,
    (exact, other): (&Option<Trace>, &Option<Trace>),
) -> Findings {
    let mut findings = Findings::default();
    compare::compare(before, after, &mut findings);
    if let (Some(before), Some(after)) = (exact, other)
        && findings.refuted.is_empty()
        && !findings.unknown.is_empty()
    {
        let mut strict = Findings::default();
        compare::compare(before, after, &mut strict);
        if strict.all_proved() {
            return strict;
        }
    }
    let is_mixed = |event: &trace::Event| match event {
        trace::Event::Unmodelled(what, _) => what.starts_with(carried_values::MIXED),
        _ => false,
    };
    if before.events.iter().chain(&after.events).any(is_mixed) {
        for gap in std::mem::take(&mut findings.refuted) {
            findings.unknown(gap);
        }
    }
    findings
}

/// The comparison of two functions at some sizes, where it is not proved at all.
fn compared_at_sizes(
    general: Findings,
    name: &str,
    (before, after): (&sizes::Sized, &sizes::Sized),
) -> Findings {
    if general.all_proved() || general.is_refuted() || before.len() != after.len() {
        return general;
    }
    let each = before.iter().zip(after).map(|((sizes, before), (_, after))| {
        (sizes.clone(), compared(before, after, (&None, &None)))
    });
    sizes::joined(name, general, each)
}

/// Whether a kernel is a matmul's own, or one that copies or sums for it; of several matmuls, copies say
/// for which.
fn works_for(kernel: &str, matmul: &str) -> bool {
    const SUFFIXES: [&str; 6] = ["", "_copy_a", "_copy_b", "_copy_c", "_copy_e", "_sum"];
    kernel.strip_prefix(matmul).is_some_and(|rest| {
        SUFFIXES.contains(&rest.trim_end_matches(|digit: char| digit.is_ascii_digit()))
    })
}

/// Checks the kernels that matmuls became.
fn tiled(before: &Snapshot, after: &Snapshot, findings: &mut Findings) {
    for function in &before.traces {
        for matmul in &function.matmuls {
            // The kernel, and those that copy its operands to workspaces before.
            let kernels: Vec<&Trace> = after
                .traces
                .iter()
                .filter(|trace| {
                    trace.function == "gpu.func" && works_for(&trace.name, &function.name)
                })
                .collect();
            let named = kernels.iter().filter(|trace| trace.name == function.name).count();
            let (1, Some(operands)) = (named, matmul) else {
                findings.unknown(match named {
                    1 => format!("a matmul of @{} on parts of its arguments", function.name),
                    _ => format!(
                        "a matmul of @{} that became {named} kernels of its name",
                        function.name
                    ),
                });
                continue;
            };
            let arguments = kernels.last().map_or(0, |kernel| kernel.arguments.len());
            for workspace in function.arguments.len()..arguments {
                cover::stored_first(&kernels, workspace, findings);
            }
            if function.laid.iter().any(Option::is_some) {
                findings.join(tiled_at_sizes(function, operands, after));
                continue;
            }
            for (at, &argument) in operands.iter().enumerate() {
                let Some(view) = function.arguments.get(argument).and_then(Option::as_ref) else {
                    continue;
                };
                let stores = at == 2;
                let expected = if stores { Requirement::Once } else { Requirement::All };
                cover::check(&kernels, argument, &view.layout, stores, expected, findings);
            }
        }
    }
}

/// Checks the kernel that a matmul of sizes that are known at run time became, at some of them.
fn tiled_at_sizes(function: &Trace, operands: &[usize], after: &Snapshot) -> Findings {
    let of = |expected: fn(&str, &str) -> bool| {
        let own = after.traces.iter().zip(&after.sized).filter(move |(trace, _)| {
            trace.function == "gpu.func" && expected(&trace.name, &function.name)
        });
        own.map(|(_, sized)| sized).collect::<Vec<_>>()
    };
    let mut general = Findings::default();
    general.unknown(format!("a matmul of @{}, whose sizes are known at run time", function.name));
    // A kernel that copies an operand before has sizes of its own.
    let (kernels, own) = (of(works_for), of(|kernel, matmul| kernel == matmul));
    let ([_], [sized]) = (&kernels[..], &own[..]) else { return general };
    let each = sized.iter().map(|(sizes, trace)| {
        let mut findings = Findings::default();
        for (at, &argument) in operands.iter().enumerate() {
            let known = function.arguments.get(argument).and_then(Option::as_ref);
            let open = || function.laid.get(argument)?.as_ref()?.at(sizes);
            let layout = known.map(|view| view.layout.clone());
            let Some(layout) = layout.or_else(|| Some(open()?.inner().clone())) else {
                findings
                    .unknown(format!("the layout of argument {argument} of @{}", function.name));
                continue;
            };
            let stores = at == 2;
            let expected = if stores { Requirement::Once } else { Requirement::All };
            cover::check(&[trace], argument, &layout, stores, expected, &mut findings);
        }
        (sizes.clone(), findings)
    });
    sizes::joined(&function.name, general, each)
}

/// Both terms have the same value, or are the same function.
fn compare_terms(before: &(String, Term), after: &(String, Term), findings: &mut Findings) {
    let ((name, left), (other, right)) = (before, after);
    if name == other && left == right {
        findings.proved += 1;
        return;
    }
    let (left_value, right_value) = (left.eval(), right.eval());
    let verdict = match (&left_value, &right_value) {
        (Ok(a), Ok(b)) if a == b => {
            findings.proved += 1;
            return;
        }
        (Ok(a), Ok(b)) => match (any(a), any(b)) {
            (Some(a), Some(b)) => Prover::new(Limits::default()).equal(&a, &b).ok(),
            _ => None,
        },
        _ => None,
    };
    match verdict {
        Some(Verdict::Proved(_)) => findings.proved += 1,
        Some(Verdict::Refuted(witness)) => findings.refute(format!(
            "expected the term {left} of {name} to keep its value, found {right}: {witness}"
        )),
        Some(Verdict::Unknown(limit)) => {
            findings.unknown(format!("the term {left} of {name} and {right} within {limit}"));
        }
        None => findings.refute(format!(
            "expected the term {left} of {name} to keep its value, found {right} of {other}"
        )),
    }
}

fn any(value: &Value) -> Option<AnyLayout> {
    AnyLayout::try_from(value.clone()).ok()
}

/// The findings of `layout-verify` about a function.
fn checked(function: OperationRef<'_, '_>, trace: &Trace) -> Findings {
    let mut findings = Findings::default();
    let mut facts = bounds::Facts::of(function, trace);
    let (mut open, mut proved) = (0, 0);
    for (argument, view) in trace.arguments.iter().enumerate() {
        // Stores of several blocks to one element may have an order.
        let by_blocks = match trace.launch.orders_blocks {
            true => Requirement::Within,
            false => Requirement::ByOneBlock,
        };
        for (stores, expected) in [(false, Requirement::Within), (true, by_blocks)] {
            match view {
                Some(view) => {
                    let layout = &view.layout;
                    cover::check(&[trace], argument, layout, stores, expected, &mut findings);
                }
                None if cover::touches(trace, argument, stores) => {
                    let does = if stores { "stores" } else { "loads" };
                    let described = format!("{does} of argument {argument} of @{}", trace.name);
                    open += 1;
                    match bounds::within(trace, argument, stores, &mut facts) {
                        Ok(()) => proved += 1,
                        Err(why) => findings.unknown(why.for_claim(&described)),
                    }
                }
                None => {}
            }
        }
    }
    findings.proved += proved;
    findings.bounds = (open > 0 && proved == open).then(|| facts.taken());
    if findings.bounds.is_some() {
        let what = format!("@{}, of which bounds alone are proved for all sizes", trace.name);
        findings.unknown(what);
    }
    copies::check(trace, &mut findings);
    // Nothing is left to prove of what every thread of every block was seen to do; the copy engine's stores, and its loads
    // without a tensor map, were not seen.
    let unseen = |event: &trace::Event| match event {
        trace::Event::Copy(copy) => copy.kind.is_bulk() && copy.kind != CopyKind::BulkTensor,
        _ => false,
    };
    let mut walked = Findings::default();
    if threads::check(trace, &mut walked) && !trace.events.iter().any(unseen) {
        findings.proved += findings.unknown.len() as u64;
        findings.unknown.clear();
    }
    // A refutation of all copies of an instruction stands for its threads.
    let misaligned = std::mem::take(&mut walked.misaligned);
    if findings.refuted.is_empty() {
        for place in misaligned {
            walked.refute_at(place);
        }
    }
    findings.undefined = walked.undefined;
    findings.sampled = walked.sampled;
    findings.join(walked);
    if trace.launch.orders_blocks {
        let what = "of which the order of accesses of two blocks is not followed";
        findings.unknown(format!("@{}, {what}", trace.name));
        findings.left_to_run.insert("the order of accesses of two blocks");
    }
    let is_of_cluster = |event: &trace::Event| matches!(event, trace::Event::Instruction(own) if own.name.starts_with("nvvm.cluster."));
    if trace.events.iter().any(is_of_cluster) {
        findings.left_to_run.insert("barriers of clusters");
    }
    copies::bases(trace, &mut findings);
    findings
}

/// `layout-verify`: each argument of a function is touched within its layout, no element is stored by
/// two, buffers are touched within their bounds, what is moved at once is aligned, and threads do not race.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let mut findings = Findings::default();
    let elsewhere = elsewhere(root);
    for function in functions(root) {
        if elsewhere.contains(&trace::address(function)) {
            continue;
        }
        if let Err(error) = sizes::check(function) {
            findings.refute(Gap { what: error.to_string(), at: Some(trace::address(function)) });
            continue;
        }
        let Some(trace) = Trace::followed(function, None) else { continue };
        let general = checked(function, &trace);
        for gap in general.unknown.iter().chain(&general.left_out) {
            tracing::debug!(gap = gap.what, "not proved");
        }
        if general.is_refuted() || general.all_proved() && general.left_out.is_empty() {
            findings.join(general.of_function(trace.operation));
            continue;
        }
        let each = sizes::Sizes::of_program(function).into_iter().filter_map(|sizes| {
            let found = checked(function, &Trace::followed(function, Some(&sizes))?);
            for gap in found.unknown.iter().chain(&found.left_out) {
                tracing::debug!(gap = gap.what, %sizes, "not proved");
            }
            Some((sizes, found))
        });
        findings.join(sizes::joined(&trace.name, general, each).of_function(trace.operation));
    }
    pass.count("proved", findings.proved);
    pass.count("unknown", findings.unknown.len() as u64);
    report(root, "layout-verify", &findings)
}

/// The functions that hold layout operations or what they become.
fn functions<'c>(root: OperationRef<'c, 'c>) -> Vec<OperationRef<'c, 'c>> {
    if view::is_function(root) {
        return vec![root];
    }
    let all = tree::all(root).into_iter();
    all.filter(|operation| view::is_function(*operation)).collect()
}

/// The functions of the host's kind that are examined elsewhere, or not: a reference defines what a kernel computes, is
/// evaluated on the host, and never lowered; what kernels call is read in its place.
fn elsewhere(root: OperationRef<'_, '_>) -> BTreeSet<usize> {
    let references = references(root);
    let mut all = BTreeSet::new();
    let mut callers = tree::inside(root, "gpu.func");
    for function in tree::inside(root, "func.func") {
        if references.contains(&trace::symbol_of(function)) {
            all.insert(trace::address(function));
            callers.push(function);
        }
    }
    while let Some(caller) = callers.pop() {
        for call in tree::inside(caller, "func.call") {
            let name = call.attribute("callee").map(|callee| callee.to_string());
            let name = name.unwrap_or_default();
            let callee = launch::callee(call, name.trim_start_matches('@'));
            if let Some(callee) = callee.filter(|callee| all.insert(trace::address(*callee))) {
                callers.push(callee);
            }
        }
    }
    all
}

/// The functions that kernels name as their references.
fn references(root: OperationRef<'_, '_>) -> BTreeSet<String> {
    let named = |operation: OperationRef<'_, '_>| {
        let reference = operation.attribute("layout.reference").ok()?;
        Some(FlatSymbolRefAttribute::try_from(reference).ok()?.value().to_owned())
    };
    tree::all(root).into_iter().filter_map(named).collect()
}

/// Errors for what is refuted, one warning each for what is not analysed and what is not proved, at the first of it.
fn report(root: OperationRef<'_, '_>, pass: &str, findings: &Findings) -> Result<(), ()> {
    let all = tree::all(root);
    let find = |at: usize| all.iter().find(|operation| trace::address(**operation) == at);
    for refuted in &findings.refuted {
        let at = refuted.at.and_then(find).copied().unwrap_or(root);
        diagnostics::error_in(at, &format!("{pass}: {}", refuted.what));
    }
    for Place { message, at, note } in &findings.places {
        let message = format!("{pass}: {message}");
        let note = note.as_ref().and_then(|(at, note)| Some((find(*at)?, note)));
        match (find(*at), note) {
            (Some(operation), Some((other, note))) => {
                diagnostics::error_with_note(*operation, &message, *other, note);
            }
            (Some(operation), None) => diagnostics::error(*operation, &message),
            (None, _) => diagnostics::error_in(root, &message),
        }
    }
    let warn = |gap: &Gap, counts: &str, rest: &str| {
        let at = gap.at.and_then(find).copied().unwrap_or(root);
        diagnostics::warning_in(at, &format!("{pass}: {counts}; first: {}{rest}", gap.what));
    };
    // The reader of one warning sees what the gaps after the first are about.
    let rest: Vec<&str> = findings.left_to_run.iter().copied().collect();
    let rest = match rest.is_empty() {
        true => String::new(),
        false => format!("; not followed here, and by --run-on-cpu: {}", rest.join(", ")),
    };
    if let Some(first) = findings.left_out.first() {
        warn(first, &format!("{} not analysed", findings.left_out.len()), &rest);
    }
    if let Some(first) = findings.unknown.first() {
        let counts = format!("{} not proved, {} proved", findings.unknown.len(), findings.proved);
        let is_stated = !findings.left_out.is_empty();
        warn(first, &counts, if is_stated { "" } else { &rest });
    }
    if findings.refuted.is_empty() && findings.places.is_empty() { Ok(()) } else { Err(()) }
}

/// The result of a comparison of two programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validated {
    /// Where they do different things, in words.
    pub refuted: Vec<String>,
    /// The claims that were not decided.
    pub unknown: Vec<String>,
}

/// Compares a program before and after a pass, as [`verify_each_pass`] does around each pass.
pub fn compare_programs(before: OperationRef<'_, '_>, after: OperationRef<'_, '_>) -> Validated {
    let before = Snapshot::of(before, None);
    let findings = validate(&before, &Snapshot::of(after, Some(&before)));
    let words = |gaps: Vec<Gap>| gaps.into_iter().map(|gap| gap.what).collect();
    Validated { refuted: words(findings.refuted), unknown: words(findings.unknown) }
}

/// Checks each of our passes that runs from now on in this process: a pass that changes a program's behaviour fails, by
/// its name.
pub fn verify_each_pass() {
    observe(Box::new(Validator));
}

struct Validator;

/// The kernels whose loops a pass lets copy ahead.
struct Reordered(Vec<String>);

impl Reordered {
    /// Checks that no thread overwrites what another one reads. The new order of their events is not followed, which is reported.
    fn checked(&self, root: OperationRef<'_, '_>) -> Findings {
        let mut findings = Findings::default();
        for trace in &Snapshot::of(root, None).traces {
            if self.0.contains(&trace.name) {
                let order =
                    format!("the order of copies and of what reads them in @{}", trace.name);
                findings.not_followed(order);
                threads::check(trace, &mut findings);
            }
        }
        findings
    }
}

/// Passes that change nothing, and those that run others on kernels and on host functions: of those, each of ours is
/// examined by itself, and upstream's conversions are not ours to prove.
const CHECKS: [&str; 3] = ["layout-verify", "layout-kernels-to-nvvm", "layout-host-to-llvm"];

impl Observer for Validator {
    fn before(&self, pass: &str, root: OperationRef<'_, '_>) -> Option<Box<dyn Any>> {
        if pass == crate::loops::NAME {
            // All other functions stay as they are.
            let reordered = Reordered(crate::loops::pipelined_kernels(root));
            return (!reordered.0.is_empty()).then(|| Box::new(reordered) as Box<dyn Any>);
        }
        (!CHECKS.contains(&pass)).then(|| Box::new(Snapshot::of(root, None)) as Box<dyn Any>)
    }

    fn after(&self, pass: &str, root: OperationRef<'_, '_>, before: Box<dyn Any>) -> bool {
        let before = match before.downcast::<Reordered>() {
            Ok(reordered) => return report(root, pass, &reordered.checked(root)).is_ok(),
            Err(before) => before,
        };
        let Ok(before) = before.downcast::<Snapshot>() else { return false };
        let start = Instant::now();
        let findings = validate(&before, &Snapshot::of(root, Some(&before)));
        tracing::info!(
            pass,
            proved = findings.proved,
            unknown = findings.unknown.len(),
            refuted = findings.refuted.len(),
            elapsed = ?start.elapsed(),
            "validated"
        );
        for unknown in &findings.unknown {
            tracing::debug!(pass, unknown = unknown.what, "not proved");
        }
        report(root, pass, &findings).is_ok()
    }
}
