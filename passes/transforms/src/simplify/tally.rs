//! The tally of the searches of one run of `layout-simplify`: why each stopped, and how many equations each rule
//! added; as MLIR's statistics and as events.

use layout_dialect::passes::{PassRun, Statistic};
use layout_egraph::{Budget, Report, Stop, Summary, rules};
use std::{collections::BTreeMap, sync::LazyLock};

/// The statistics of runs, besides those of each rule and reason to stop.
const COUNTED: [Statistic; 6] = [
    Statistic { name: "terms", description: "terms examined" },
    Statistic { name: "simplified", description: "terms that became cheaper" },
    Statistic { name: "rules applied", description: "equations that rules added" },
    Statistic { name: "nodes", description: "e-nodes of all searches" },
    Statistic { name: "stopped early", description: "searches that a budget ended" },
    Statistic { name: "arithmetic", description: "results of arithmetic that became cheaper" },
];

/// The pass's counters: one for each reason to stop and for each rule, too.
pub(super) fn statistics() -> &'static [Statistic] {
    static ALL: LazyLock<Vec<Statistic>> = LazyLock::new(|| {
        let stops = Stop::ALL.iter().map(|&stop| Statistic {
            name: stop_counter(stop),
            description: "searches that ended for this reason",
        });
        let rules = rules::all().map(|rule| Statistic {
            name: rule_counter(rule.name),
            description: "equations that the rule added",
        });
        COUNTED.into_iter().chain(stops).chain(rules).collect()
    });
    &ALL
}

/// Counters' names, which MLIR keeps as long as the process runs.
static NAMES: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    let stops = Stop::ALL.iter().map(|stop| stop.name());
    let all = stops.map(|name| ("stop", name)).chain(rules::all().map(|rule| ("rule", rule.name)));
    all.map(|(group, name)| {
        let text: &'static str = Box::leak(format!("{group}: {name}").into_boxed_str());
        (format!("{group}{name}"), text)
    })
    .collect()
});

fn stop_counter(stop: Stop) -> &'static str {
    NAMES.get(&format!("stop{}", stop.name())).copied().unwrap_or_default()
}

fn rule_counter(rule: &str) -> &'static str {
    NAMES.get(&format!("rule{rule}")).copied().unwrap_or_default()
}

/// Sums over searches.
#[derive(Clone, Default)]
pub(super) struct Tally {
    /// E-nodes.
    pub(super) nodes: u64,
    /// Searches that a budget ended, and functions whose windows still changed.
    pub(super) early: u64,
    /// Searches by why they ended.
    pub(super) stops: BTreeMap<&'static str, u64>,
    applied: BTreeMap<&'static str, u64>,
}

impl Tally {
    /// The search of one term.
    pub(super) fn term(&mut self, report: &Report) {
        self.search(&[report.stop], report.nodes, &report.applied);
    }

    /// The searches of one part of a function.
    pub(super) fn part(&mut self, summary: &Summary) {
        self.search(&summary.stops, summary.nodes, &summary.applied);
    }

    fn search(&mut self, stops: &[Stop], nodes: usize, applied: &BTreeMap<&'static str, usize>) {
        self.nodes += nodes as u64;
        for stop in stops {
            self.early += u64::from(!matches!(stop, Stop::Evaluated | Stop::Saturated));
            *self.stops.entry(stop.name()).or_default() += 1;
        }
        for (rule, &count) in applied {
            *self.applied.entry(rule).or_default() += count as u64;
        }
    }

    /// Adds what another part did.
    pub(super) fn merge(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.early += other.early;
        for (stop, count) in &other.stops {
            *self.stops.entry(stop).or_default() += count;
        }
        for (rule, count) in &other.applied {
            *self.applied.entry(rule).or_default() += count;
        }
    }

    /// Equations that rules added.
    pub(super) fn equations(&self) -> u64 {
        self.applied.values().sum()
    }

    /// A budget with the fuel that is left of it: all searches of a run burn the same.
    pub(super) fn left(&self, budget: &Budget) -> Budget {
        let burnt = usize::try_from(self.equations()).unwrap_or(usize::MAX);
        Budget { fuel: budget.fuel.saturating_sub(burnt), ..*budget }
    }

    /// To MLIR's statistics, and as events: one for each rule.
    pub(super) fn report(&self, pass: &PassRun<'_>) {
        pass.count("rules applied", self.equations());
        pass.count("nodes", self.nodes);
        pass.count("stopped early", self.early);
        for stop in Stop::ALL {
            pass.count(stop_counter(*stop), self.stops.get(stop.name()).copied().unwrap_or(0));
        }
        for (rule, &count) in &self.applied {
            pass.count(rule_counter(rule), count);
            tracing::debug!(rule, count, "applied");
        }
    }
}
