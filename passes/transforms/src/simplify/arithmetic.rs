//! Index arithmetic of one function: into the e-graph, and its cheapest form back.
//!
//! Integers of 32 bits, of 64 bits and of type `index` are three languages with leaves of their own: a
//! cast is a leaf. Facts about leaves come from the operation that makes them: thread and
//! block numbers from the launch bounds, loop variables from constant bounds. Results that something
//! else uses are the roots of one search; what they share counts once, and what is in a loop counts more.
//! A function that is too large for one search has several, one for each window, again until no window
//! changes: so a second run finds nothing to do.

use super::{
    explain,
    export::Export,
    import::{Import, Language, Survey, address},
    tally::Tally,
};
use layout_dialect::{build::operand, diagnostics, tree};
use layout_egraph::{
    Budget, Id, Optimised, Settings, Summary, census,
    cost::{Chip, Cost, Kind},
    node::Node,
    optimise, part,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

/// The most rounds over the windows of a function; half as many where windows have a share of the budget.
const MAX_ROUNDS: usize = 4;

/// E-nodes of all windows of a round together. As many windows as have a whole budget of it have one each; of
/// more, each has what it starts with, and a share of half of it.
const NODES: usize = 20_000;

/// Searches of a window that has a share.
const SEARCHES: usize = 2;

/// Changes that the extraction of such a window tries at least, for cost and for registers each, before it stops.
const MIN_EXTRACTIONS: usize = 50;

/// The outcome of one function.
#[derive(Default)]
pub(super) struct Outcome {
    /// Roots that became cheaper or moved out of loops.
    pub(super) rewritten: u64,
    /// The tally of the searches.
    pub(super) tally: Tally,
    /// Cost in instructions, before and after.
    pub(super) cost: (Cost, Cost),
}

/// Rewrites the arithmetic of a function to its cheapest form, under settings that may depend on what its
/// searches did so far.
///
/// # Errors
///
/// The error of a search for a rule that is wrong, or for bounds that contradict each other.
pub(super) fn run(
    function: OperationRef<'_, '_>,
    settings: &dyn Fn(u32, &Tally) -> Settings,
    explains: bool,
) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for language in Language::ALL {
        let settings = |tally: &Tally| settings(language.width(), tally);
        let mut left = MAX_ROUNDS;
        loop {
            let (windows, changed) = sweep(function, language, &settings, explains, &mut outcome)?;
            if windows <= 1 || !changed {
                break;
            }
            let share = has_share(&settings(&outcome.tally), windows);
            left = left.saturating_sub(if share { MAX_ROUNDS / 2 } else { 1 });
            if left == 0 {
                outcome.tally.early += 1;
                break;
            }
        }
    }
    Ok(outcome)
}

/// One search for each window, from the last to the first: how many there are, and whether one
/// changed. One survey is shared by all of them, so that the work grows as the function does.
fn sweep(
    function: OperationRef<'_, '_>,
    language: Language,
    settings: &dyn Fn(&Tally) -> Settings,
    explains: bool,
    outcome: &mut Outcome,
) -> Result<(usize, bool), String> {
    let survey = Survey::new(function, language);
    let windows = survey.windows();
    let mut changed = false;
    for window in &windows {
        let import = survey.import(window);
        let settings = shared(settings(&outcome.tally), import.expr.len(), windows.len());
        changed |= rewrite(&import, &settings, explains, outcome)?;
    }
    Ok((windows.len(), changed))
}

/// Whether there are too many windows for a whole budget each.
fn has_share(settings: &Settings, windows: usize) -> bool {
    windows > NODES / settings.budget.nodes.max(1)
}

/// The budget of one of many windows: beyond what it starts with, its share of what all have together.
fn shared(settings: Settings, start: usize, windows: usize) -> Settings {
    if !has_share(&settings, windows) {
        return settings;
    }
    let nodes = settings.budget.nodes.min(start.saturating_add(NODES / 2 / windows));
    let budget = Budget { nodes, ..settings.budget };
    // Half of the changes that all windows with a whole budget try together, but at least a minimum for each.
    let whole = NODES / settings.budget.nodes.max(1);
    let steps = |whole_steps: usize| {
        whole_steps.min(MIN_EXTRACTIONS.max(whole_steps.saturating_mul(whole) / 2 / windows))
    };
    Settings {
        budget,
        searches: settings.searches.min(SEARCHES),
        greedy_steps: steps(settings.greedy_steps),
        settle_steps: steps(settings.settle_steps),
        ..settings
    }
}

/// The search for one window: whether it changed.
fn rewrite(
    import: &Import<'_, '_>,
    settings: &Settings,
    explains: bool,
    outcome: &mut Outcome,
) -> Result<bool, String> {
    if import.roots.is_empty() {
        return Ok(false);
    }
    let roots: Vec<Id> = import.roots.iter().map(|&(_, id)| id).collect();
    let found = optimise(&import.expr, &roots, settings).map_err(|error| error.to_string())?;
    outcome.add(&found.summary);
    if found.summary.cost_after >= found.summary.cost_before {
        return Ok(false);
    }
    if explains {
        report(import, &found, settings)?;
    }
    let mut export = Export::new(import, &found.expr);
    outcome.rewritten += export.run(&found.roots).map_err(|error| error.to_string())?;
    import.sweep();
    Ok(true)
}

/// Reports the equations that rewrote each changed root.
fn report(import: &Import<'_, '_>, found: &Optimised, settings: &Settings) -> Result<(), String> {
    for (&(operation, id), &root) in import.roots.iter().zip(&found.roots) {
        let (from, to) = (part(&import.expr, id), part(&found.expr, root));
        if from == to {
            continue;
        }
        let mut text = explain::chain(&from, &to, settings)?;
        for node in from.iter() {
            if let Node::Symbol(symbol) = node
                && let Some(&value) = import.leaves.get(&symbol.name)
            {
                let made = tree::definition(value).map(tree::name);
                let made = made.as_deref().unwrap_or("an argument of a block");
                text += &format!("\nwhere {symbol} is {made}");
            }
        }
        diagnostics::remark(operation, &format!("layout-simplify:\n{text}"));
    }
    Ok(())
}

/// The model's count of a function as written, each instruction once, however often it runs: a
/// remark with the instructions in all and of each kind, addresses and loops included.
///
/// # Errors
///
/// As [`run`].
pub(super) fn count(
    function: OperationRef<'_, '_>,
    chip: Chip,
    settings: &dyn Fn(u32) -> Settings,
) -> Result<(), String> {
    let mut kinds: BTreeMap<(Kind, bool), usize> = BTreeMap::new();
    let mut terms: BTreeSet<usize> = BTreeSet::new();
    for language in Language::ALL {
        let survey = Survey::new(function, language);
        let import = survey.import(&survey.everything());
        terms.extend(import.operations.iter().map(|&operation| address(operation)));
        let roots: Vec<Id> = import.roots.iter().map(|&(_, id)| id).collect();
        let found = census(&import.expr, &roots, &settings(language.width()));
        for (kind, count) in found.map_err(|error| error.to_string())? {
            *kinds.entry(kind).or_default() += count;
        }
    }
    // Quotients and remainders that may have no value are no terms; one of each is one division.
    let mut divided: BTreeSet<(usize, usize)> = BTreeSet::new();
    for operation in tree::all(function) {
        let operands = || (tree::key(operand(operation, 0)), tree::key(operand(operation, 1)));
        let name = tree::name(operation);
        let kind = match name.as_str() {
            "llvm.getelementptr" if operation.operand_count() > 1 => Kind::Address,
            "scf.for" => Kind::Loop,
            "arith.divui" | "arith.divsi" | "arith.remui" | "arith.remsi"
                if !terms.contains(&address(operation)) =>
            {
                match (divided.insert(operands()), name.starts_with("arith.div")) {
                    (true, true) => Kind::Division,
                    (true, false) => Kind::Modulo,
                    (false, _) => Kind::Product,
                }
            }
            _ => continue,
        };
        *kinds.entry((kind, false)).or_default() += 1;
    }
    let cost = |(&(kind, wide), &count): (&(Kind, bool), &usize)| {
        chip.instructions(kind, wide).saturating_mul(count as Cost)
    };
    let all = kinds.iter().map(cost).fold(0, Cost::saturating_add);
    let name = function.attribute("sym_name").map(|name| name.to_string()).unwrap_or_default();
    let name = name.trim_matches('"');
    let mut text =
        format!("layout-simplify: @{name} takes {}.{:02} instructions", all / 100, all % 100);
    for (i, ((kind, wide), count)) in kinds.iter().enumerate() {
        let width = if *wide { " of two registers" } else { "" };
        let _ = write!(text, "{} {count} {}{width}", if i == 0 { ":" } else { "," }, kind.name());
    }
    diagnostics::remark(function, &text);
    Ok(())
}

impl Outcome {
    /// Adds one search.
    pub(super) fn add(&mut self, summary: &Summary) {
        self.tally.part(summary);
        self.cost.0 = self.cost.0.saturating_add(summary.cost_before);
        self.cost.1 = self.cost.1.saturating_add(summary.cost_after);
    }
}
