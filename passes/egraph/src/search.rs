//! The search: rules in phases, under budgets, with fuel.
//!
//! The schedule has three phases. First the rules whose right side is no larger run alone, to the
//! end; then all rules that search, under the budget; last those that fuse, which no other rule
//! examines. Rules that match more often than the term's size justifies are throttled with exponential
//! back-off, so that one rule does not use up the budget. Where no other rule matches, throttled rules
//! return at once, so that the rounds do not grow with the term.

use crate::{
    facts::{Contradiction, LayoutAnalysis},
    node::Node,
    rules::{self, Compiled, Phase, Rule},
};
use egg::{BackoffScheduler, EGraph, Rewrite, RewriteScheduler, SearchMatches};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// Bounds of a search. All but the time are the same on every machine; the time is a safety stop, and a report states
/// when it was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// E-nodes at most.
    pub nodes: usize,
    /// Rounds of matching at most, in the phase of the search.
    pub iterations: usize,
    /// Matches that are examined, at most.
    pub matches: usize,
    /// Equations that rules add, at most: to find by bisection the one that matters.
    pub fuel: usize,
    /// Wall time at most.
    pub time: Duration,
    /// Whether terms that evaluate become their values.
    pub evaluate: bool,
    /// Rules that are left out, to find their use.
    pub without: &'static [&'static str],
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            nodes: 10_000,
            iterations: 16,
            matches: 200_000,
            fuel: usize::MAX,
            time: Duration::from_secs(5),
            evaluate: true,
            without: &[],
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The whole term evaluated; there was nothing to search.
    Evaluated,
    /// No rule has anything to add: the result is the cheapest there is.
    Saturated,
    /// The budget of nodes.
    Nodes,
    /// The budget of iterations.
    Iterations,
    /// The budget of matches.
    Matches,
    /// The fuel.
    Fuel,
    /// The time.
    Time,
}

impl Stop {
    /// Every reason.
    pub const ALL: &[Stop] = &[
        Self::Evaluated,
        Self::Saturated,
        Self::Nodes,
        Self::Iterations,
        Self::Matches,
        Self::Fuel,
        Self::Time,
    ];

    /// The reason in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Evaluated => "evaluated",
            Self::Saturated => "saturated",
            Self::Nodes => "nodes",
            Self::Iterations => "iterations",
            Self::Matches => "matches",
            Self::Fuel => "fuel",
            Self::Time => "time",
        }
    }
}

/// Matches of one rule in one round before it is left out for some rounds; twice the nodes that a
/// search starts with, if that is more.
const MATCHES_OF_A_RULE: usize = 1000;

/// Rounds that it is left out for, the first time.
const ROUNDS_LEFT_OUT: usize = 2;

/// Rounds of the phases before and after the search.
const ROUNDS_OF_A_SIDE_PHASE: usize = 8;

/// A search at work.
pub(crate) struct Search<'b> {
    pub(crate) egraph: EGraph<Node, LayoutAnalysis>,
    budget: &'b Budget,
    start: Instant,
    /// Whether rules run that only explain.
    explains: bool,
    pub(crate) iterations: usize,
    matches: usize,
    fuel: usize,
    /// How often each rule added an equation.
    pub(crate) applied: BTreeMap<&'static str, usize>,
    /// E-nodes at most in the first phase: what it regroups may be as many as there are pairs.
    room: usize,
    /// Leaves out rules that match too often.
    scheduler: BackoffScheduler,
}

type Found<'r> = (&'static Rule, &'r Rewrite<Node, LayoutAnalysis>, Vec<SearchMatches<'r, Node>>);

impl<'b> Search<'b> {
    pub(crate) fn new(egraph: EGraph<Node, LayoutAnalysis>, budget: &'b Budget) -> Self {
        let often = MATCHES_OF_A_RULE.max(egraph.total_size().saturating_mul(2));
        let scheduler = BackoffScheduler::default()
            .with_initial_match_limit(often)
            .with_ban_length(ROUNDS_LEFT_OUT);
        Self {
            room: budget.nodes.max(egraph.total_size().saturating_mul(2)).saturating_mul(2),
            scheduler,
            egraph,
            budget,
            start: Instant::now(),
            explains: !budget.evaluate,
            iterations: 0,
            matches: 0,
            fuel: budget.fuel,
            applied: BTreeMap::new(),
        }
    }

    /// The same with all rules, those that only explain among them.
    pub(crate) fn explaining(egraph: EGraph<Node, LayoutAnalysis>, budget: &'b Budget) -> Self {
        Self { explains: true, ..Self::new(egraph, budget) }
    }

    /// Runs the schedule. The fusing phase runs only where `fuse` requires it.
    pub(crate) fn run(&mut self, fuse: bool) -> Result<Stop, Contradiction> {
        let rounds = ROUNDS_OF_A_SIDE_PHASE.min(self.budget.iterations);
        let room = Some(self.room);
        let mut stop = self.phase(rounds, room, &|phase| phase == Phase::Shrink)?;
        if matches!(stop, Stop::Saturated | Stop::Iterations) {
            let nodes = Some(self.budget.nodes);
            stop = self.phase(self.budget.iterations, nodes, &|phase| phase != Phase::Fuse)?;
        }
        if fuse && !matches!(stop, Stop::Fuel | Stop::Time) {
            // The budget of nodes is not checked here: fusing adds a node for each pair.
            let last = self.fuse()?;
            if matches!(last, Stop::Fuel | Stop::Time) {
                stop = last;
            }
        }
        tracing::debug!(?stop, iterations = self.iterations, "searched");
        Ok(stop)
    }

    /// The last phase on its own.
    pub(crate) fn fuse(&mut self) -> Result<Stop, Contradiction> {
        self.phase(1, None, &|phase| phase == Phase::Fuse)
    }

    fn phase(
        &mut self,
        rounds: usize,
        nodes: Option<usize>,
        takes: &dyn Fn(Phase) -> bool,
    ) -> Result<Stop, Contradiction> {
        self.egraph.rebuild();
        for _ in 0..rounds {
            self.check()?;
            if let Some(stop) = self.spent(nodes) {
                return Ok(stop);
            }
            let found = self.search(takes);
            let before = (self.egraph.number_of_classes(), self.egraph.total_size());
            let unions: usize = self.applied.values().sum();
            let stop = self.apply(found, nodes);
            self.egraph.rebuild();
            let round = self.iterations;
            self.iterations += 1;
            if let Some(stop) = stop {
                self.check()?;
                return Ok(stop);
            }
            let after = (self.egraph.number_of_classes(), self.egraph.total_size());
            let quiet = before == after && unions == self.applied.values().sum::<usize>();
            // Where a rule is left out, it is examined again in the next round.
            if quiet
                && RewriteScheduler::<Node, LayoutAnalysis>::can_stop(&mut self.scheduler, round)
            {
                self.check()?;
                return Ok(Stop::Saturated);
            }
        }
        self.check()?;
        Ok(Stop::Iterations)
    }

    /// Matches of each rule.
    fn search(&mut self, takes: &dyn Fn(Phase) -> bool) -> Vec<Found<'static>> {
        let mut found = Vec::new();
        for Compiled { rule, rewrite, explains, needs } in rules::compiled() {
            if (*explains && !self.explains)
                || !takes(rule.phase)
                || self.budget.without.contains(&rule.name)
            {
                continue;
            }
            // Most terms have few of the operations.
            let has = |need| self.egraph.classes_for_op(need).is_some_and(|found| found.len() > 0);
            if !needs.iter().all(has) {
                continue;
            }
            let matches = self.scheduler.search_rewrite(self.iterations, &self.egraph, rewrite);
            let count: usize = matches.iter().map(|matches| matches.substs.len()).sum();
            if count > 0 {
                self.matches += count;
                found.push((*rule, rewrite, matches));
            }
        }
        found
    }

    /// Adds the equations of all matches; the budget that ended it, if one did.
    fn apply(&mut self, found: Vec<Found<'static>>, nodes: Option<usize>) -> Option<Stop> {
        for (rule, rewrite, matches) in found {
            for matches in &matches {
                for subst in &matches.substs {
                    if self.fuel == 0 {
                        return Some(Stop::Fuel);
                    }
                    let one = SearchMatches {
                        eclass: matches.eclass,
                        substs: vec![subst.clone()],
                        ast: matches.ast.clone(),
                    };
                    let added = rewrite.apply(&mut self.egraph, &[one]).len();
                    if added > 0 {
                        *self.applied.entry(rule.name).or_default() += added;
                        self.fuel = self.fuel.saturating_sub(added);
                    }
                }
                if let Some(stop) = self.spent(nodes) {
                    return Some(stop);
                }
            }
        }
        None
    }

    /// The budget that is exhausted, if one is, with a limit of `nodes`.
    fn spent(&self, nodes: Option<usize>) -> Option<Stop> {
        if nodes.is_some_and(|nodes| self.egraph.total_size() > nodes) {
            Some(Stop::Nodes)
        } else if self.matches > self.budget.matches {
            Some(Stop::Matches)
        } else if self.start.elapsed() > self.budget.time {
            Some(Stop::Time)
        } else {
            None
        }
    }

    fn check(&self) -> Result<(), Contradiction> {
        self.egraph.analysis.contradiction.clone().map_or(Ok(()), Err)
    }
}
