//! `layout-simplify`: replaces terms and index arithmetic by their cheapest equals, found by the e-graph.
//!
//! A term that evaluates becomes its value; with `evaluate=false` only the rules work, and the
//! result is the cheapest term that they prove equal. Arithmetic of functions ([`arithmetic`]) becomes
//! what takes the fewest instructions of a chip, outside of loops where it can be there.

mod arithmetic;
mod explain;
mod export;
mod import;
mod joined;
mod leaves;
mod open;
mod operations;
mod sets;
mod sources;
mod tally;

use self::tally::Tally;
use crate::fold::{replace, terms};
use layout_algebra::Term;
use layout_dialect::{
    diagnostics::{self, Optimization, optimization_remark},
    passes::{PassOption, PassRun, Statistic},
    tree,
};
use layout_egraph::{
    Budget, Settings, Simplified, Stop,
    cost::{Chip, Cost, Model},
    node::to_expr,
    rules, simplify,
};
use melior::ir::OperationRef;
use std::{slice, time::Duration};

/// The pass's name.
pub(crate) const NAME: &str = "layout-simplify";

/// The pass's options.
pub(crate) const OPTIONS: &[PassOption] = &[
    PassOption {
        name: "max-nodes",
        description: "Limit of e-nodes in one search",
        initial: "10000",
    },
    PassOption {
        name: "max-iterations",
        description: "Limit of rounds of matching in one search",
        initial: "16",
    },
    PassOption {
        name: "max-matches",
        description: "Limit of matches of rules in one search",
        initial: "200000",
    },
    PassOption {
        name: "max-time",
        description: "Limit of milliseconds for one search: a safety stop, which makes results depend on \
                      the machine",
        initial: "60000",
    },
    PassOption {
        name: "fuel",
        description: "Limit of equations that rules add in a whole run, for bisection; `all` sets none",
        initial: "all",
    },
    PassOption {
        name: "without",
        description: "A rule to leave out, to find its use",
        initial: "none",
    },
    PassOption {
        name: "evaluate",
        description: "Whether terms are replaced by their values",
        initial: "true",
    },
    PassOption {
        name: "arithmetic",
        description: "Whether index arithmetic of functions is simplified",
        initial: "true",
    },
    PassOption {
        name: "explain",
        description: "Whether a remark lists the equations of each change",
        initial: "false",
    },
    PassOption {
        name: "count",
        description: "Whether a remark gives the instructions of each function by the chip's costs",
        initial: "false",
    },
    PassOption {
        name: "chip",
        description: "The chip whose instructions are counted",
        initial: "sm_90a",
    },
];

/// The pass's counters.
pub(crate) fn statistics() -> &'static [Statistic] {
    tally::statistics()
}

/// Simplifies every term below `root`.
///
/// # Errors
///
/// A diagnostic for an option that is no number, or at an operation where a rule proved wrong.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let budget = budget(root, pass)?;
    let remarks_enabled = diagnostics::remarks_enabled(root);
    let explains = flag(root, pass, "explain")?;
    let mut totals = Totals::default();
    for (operation, name, term) in terms(root) {
        let budget = totals.tally.left(&budget);
        let simplified = simplify(&term, &budget)
            .map_err(|error| diagnostics::error(operation, &error.to_string()))?;
        let report = &simplified.report;
        totals.terms += 1;
        totals.tally.term(report);
        // A term of the same cost stays as its author wrote it.
        if report.cost_after < report.cost_before {
            tracing::debug!(before = %term, after = %simplified.term, stop = ?report.stop, "simplify");
            if explains {
                let settings = Settings { budget, ..Settings::new(Model::Size, 64) };
                let text = explain::chain(&to_expr(&term), &to_expr(&simplified.term), &settings)
                    .map_err(|error| diagnostics::error(operation, &error))?;
                diagnostics::remark(operation, &format!("{NAME}:\n{text}"));
            }
            replace(operation, name, &simplified.term);
            totals.simplified += 1;
        }
        if remarks_enabled {
            remark(operation, &term, &simplified);
        }
    }
    let counts = flag(root, pass, "count")?;
    let simplifies = flag(root, pass, "arithmetic")?;
    let chip = chip(root, pass)?;
    for function in functions(root) {
        let wrong = |error: String| diagnostics::error(function, &error);
        let budget = totals.tally.left(&budget);
        totals.add(&open::run(function, chip, &budget, explains).map_err(wrong)?);
        let settings = Settings::new(Model::Applied(chip), 64);
        let budget = totals.tally.left(&bounded(&budget, settings.budget));
        let settings = Settings { budget, ..settings };
        let wrong = |error: String| diagnostics::error(function, &error);
        totals.add(&joined::run(function, &settings, explains).map_err(wrong)?);
    }
    for function in functions(root) {
        let wrong = |error: String| diagnostics::error(function, &error);
        let settings = |width: u32, tally: &Tally| {
            let settings = Settings::new(Model::Nvptx(chip), width);
            let budget = tally.left(&bounded(&budget, settings.budget));
            Settings { budget, ..settings }
        };
        if simplifies {
            let before = totals.tally.clone();
            let outcome = arithmetic::run(
                function,
                &|width, own| {
                    let mut all = before.clone();
                    all.merge(own);
                    settings(width, &all)
                },
                explains,
            );
            totals.add(&outcome.map_err(wrong)?);
        }
        if counts {
            let none = Tally::default();
            arithmetic::count(function, chip, &|width| settings(width, &none)).map_err(wrong)?;
        }
    }
    totals.report(pass);
    Ok(())
}

/// The budget of a search in a function: bounded by nodes, which stop it at the same place on every machine.
fn bounded(given: &Budget, usual: Budget) -> Budget {
    Budget {
        nodes: usual.nodes.min(given.nodes),
        iterations: usual.iterations.min(given.iterations),
        matches: usual.matches.min(given.matches),
        fuel: given.fuel,
        time: given.time,
        without: given.without,
        ..usual
    }
}

/// Emits an optimization remark: the simplified term, or why the search stopped.
fn remark(operation: OperationRef<'_, '_>, term: &Term, simplified: &Simplified) {
    let Simplified { term: found, report } = simplified;
    if report.cost_after < report.cost_before {
        let reason = format!("{term} became {found}");
        let kind = Optimization::Passed;
        optimization_remark(operation, kind, NAME, "simplified", &reason, "");
    }
    let ended = match report.stop {
        Stop::Nodes => ("max-nodes", "e-nodes"),
        Stop::Iterations => ("max-iterations", "rounds of matching"),
        Stop::Time => ("max-time", "time"),
        Stop::Matches => ("max-matches", "matches"),
        Stop::Fuel => ("fuel", "fuel"),
        _ => ("", ""),
    };
    let (name, reason, suggestion) = match ended {
        (option, budget) if !budget.is_empty() => {
            let reason = format!(
                "the search for the cheapest equal of {term} ran out of {budget}, after {} e-nodes \
                 in {} rounds",
                report.nodes, report.iterations
            );
            ("stopped-early", reason, format!("a greater option '{option}'"))
        }
        _ => match (found, found.eval()) {
            (Term::Call { .. }, Err(error)) => {
                ("not-evaluated", format!("{found} has no value: {error}"), String::new())
            }
            _ => return,
        },
    };
    optimization_remark(operation, Optimization::Missed, NAME, name, &reason, &suggestion);
}

/// The functions at or below an operation in which an index has the usual width.
fn functions<'c>(root: OperationRef<'c, '_>) -> Vec<OperationRef<'c, 'c>> {
    let is_function = |name: &str| matches!(name, "func.func" | "gpu.func");
    if is_function(&tree::name(root)) {
        // SAFETY: MLIR keeps the pass's root while the pass runs.
        let function = unsafe { OperationRef::from_raw(root.to_raw()) };
        return if leaves::has_usual_index(function) { vec![function] } else { vec![] };
    }
    let all = tree::all(root).into_iter();
    all.filter(|&operation| {
        is_function(&tree::name(operation)) && leaves::has_usual_index(operation)
    })
    .collect()
}

/// The chip of the options.
fn chip(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<Chip, ()> {
    let name = pass.option("chip");
    Chip::named(&name).ok_or_else(|| {
        let message =
            format!("expected a chip such as sm_90a as the option 'chip', found '{name}'");
        diagnostics::error(root, &message);
    })
}

fn flag(root: OperationRef<'_, '_>, pass: &PassRun<'_>, name: &str) -> Result<bool, ()> {
    match pass.option(name).as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => {
            let message = format!("expected true or false as the option '{name}', found '{other}'");
            diagnostics::error(root, &message);
            Err(())
        }
    }
}

/// The totals of one run.
#[derive(Default)]
struct Totals {
    terms: u64,
    simplified: u64,
    rewritten: u64,
    cost: (Cost, Cost),
    tally: Tally,
}

impl Totals {
    /// Adds what became of a function.
    fn add(&mut self, outcome: &arithmetic::Outcome) {
        self.rewritten += outcome.rewritten;
        self.cost.0 = self.cost.0.saturating_add(outcome.cost.0);
        self.cost.1 = self.cost.1.saturating_add(outcome.cost.1);
        self.tally.merge(&outcome.tally);
    }

    /// To MLIR's statistics, and as events.
    fn report(&self, pass: &PassRun<'_>) {
        pass.count("terms", self.terms);
        pass.count("simplified", self.simplified);
        pass.count("arithmetic", self.rewritten);
        self.tally.report(pass);
        tracing::info!(
            terms = self.terms,
            simplified = self.simplified,
            applied = self.tally.equations(),
            nodes = self.tally.nodes,
            early = self.tally.early,
            stops = ?self.tally.stops,
            arithmetic = self.rewritten,
            cost_before = self.cost.0,
            cost_after = self.cost.1,
            "layout-simplify"
        );
    }
}

fn budget(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<Budget, ()> {
    let number = |name: &str| {
        let text = pass.option(name);
        text.parse::<usize>().map_err(|_| {
            let message = format!("expected a number as the option '{name}', found '{text}'");
            diagnostics::error(root, &message);
        })
    };
    let evaluate = flag(root, pass, "evaluate")?;
    let without = match pass.option("without").as_str() {
        "none" => &[],
        name => rules::find(name).map(|rule| slice::from_ref(&rule.name)).ok_or_else(|| {
            let message =
                format!("expected a rule or none as the option 'without', found '{name}'");
            diagnostics::error(root, &message);
        })?,
    };
    Ok(Budget {
        nodes: number("max-nodes")?,
        iterations: number("max-iterations")?,
        matches: number("max-matches")?,
        time: Duration::from_millis(number("max-time")? as u64),
        fuel: match pass.option("fuel").as_str() {
            "all" => usize::MAX,
            text => text.parse().map_err(|_| {
                let message =
                    format!("expected a number or all as the option 'fuel', found '{text}'");
                diagnostics::error(root, &message);
            })?,
        },
        evaluate,
        without,
    })
}
