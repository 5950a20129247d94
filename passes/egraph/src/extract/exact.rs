//! The cheapest choice where shared parts count once, as an integer program.
//!
//! A variable for each node of a class is 1 where the node is chosen. A root has one chosen node, and so has each class
//! that a chosen node needs; the least sum of costs is the cheapest choice. A choice may be cyclic, and then no term
//! corresponds to it: a row that forbids the cycle is added, and the program is solved again. Cycles are rare, and rows
//! that forbid all of them beforehand make a program slow.
//!
//! Classes that cost nothing by themselves are left out beforehand, and so are nodes that no choice cheaper than the
//! known one can have.

use super::{Candidate, Choice, CostGraph};
use crate::cost::Cost;
use microlp::{
    ComparisonOp, OptimizationDirection, Problem, SolutionStatus, SolveOptions, SolveOutcome,
    Variable,
};
use std::collections::BTreeMap;

/// Bounds of the exact extraction: the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Ways to choose from, at most: where there are more, the greedy choice stays.
    pub ways: usize,
    /// Nodes of the solver's branch and bound, at most.
    pub nodes: u64,
    /// Circles that are forbidden, at most.
    pub circles: usize,
}

impl CostGraph<'_> {
    /// The cheapest choice, its cost, and whether it is proved the cheapest: within the limits, else what is
    /// known.
    pub(crate) fn exact(
        &self,
        (mut known, cost): (Choice, Cost),
        limits: &Limits,
    ) -> (Choice, Cost, bool) {
        let free = self.free();
        for (place, free) in free.iter().enumerate() {
            if let Some(number) = free {
                known.0[place] = *number;
            }
        }
        let Some(needed) = self.needed(&known) else { return (known, cost, false) };
        let cost = self.sum(&known, &needed).min(cost);
        let mut taken = vec![None; self.ids.len()];
        for place in needed {
            taken[place] = Some(known.0[place]);
        }
        let open = self.open(&free, &taken, cost);
        if open.iter().map(Vec::len).sum::<usize>() > limits.ways {
            return (known, cost, false);
        }
        let mut program = Program::new(self, &open);
        for _ in 0..=limits.circles {
            let Some((found, proved)) = program.solve(&known, &taken, limits.nodes) else { break };
            match self.walk(&found) {
                Err(circle) => program.forbid(&circle),
                Ok(needed) => {
                    let found_cost = self.sum(&found, &needed);
                    let (choice, cost) =
                        if found_cost < cost { (found, found_cost) } else { (known, cost) };
                    return (choice, cost, proved);
                }
            }
        }
        (known, cost, false)
    }

    /// For each class that costs nothing with all that it needs, the way to make it so.
    fn free(&self) -> Vec<Option<usize>> {
        let mut free = vec![None; self.ids.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (place, ways) in self.ways.iter().enumerate() {
                if free[place].is_none() {
                    free[place] = ways.iter().position(|way| {
                        way.cost == 0 && way.operands.iter().all(|&below| free[below].is_some())
                    });
                    changed |= free[place].is_some();
                }
            }
        }
        free
    }

    /// The ways of each class that a choice may take which costs less than `cost`, and those that are taken;
    /// none of a class that is free.
    fn open(&self, free: &[Option<usize>], taken: &[Option<usize>], cost: Cost) -> Vec<Vec<usize>> {
        // A way whose operands another needs too, and that costs no more, is taken for it. A free class costs
        // nothing, and is in no cycle.
        let replaces = |way: &Candidate, other: &Candidate| {
            let mut operands = way.operands.iter();
            way.cost <= other.cost
                && operands.all(|&below| free[below].is_some() || other.operands.contains(&below))
        };
        let mut open: Vec<Vec<usize>> = Vec::with_capacity(self.ids.len());
        for (place, ways) in self.ways.iter().enumerate() {
            let mut kept: Vec<usize> = Vec::new();
            if free[place].is_none() {
                kept.extend(taken[place]);
                for (number, way) in ways.iter().enumerate() {
                    if !kept.iter().any(|&kept| replaces(&ways[kept], way)) {
                        kept.push(number);
                    }
                }
            }
            open.push(kept);
        }
        loop {
            let bounds = Bounds::new(self, free, &open);
            let mut changed = false;
            for (place, numbers) in open.iter_mut().enumerate() {
                let before = numbers.len();
                numbers.retain(|&number| {
                    let least = bounds.with(place, &self.ways[place][number]);
                    taken[place] == Some(number) || least.is_some_and(|least| least < cost)
                });
                changed |= numbers.len() != before;
            }
            if !changed {
                return open;
            }
        }
    }
}

/// Lower bounds on the cost of every choice.
struct Bounds {
    /// The sum of what classes cost at least that every choice needs.
    always: Cost,
    /// The least cost of each of these classes, and 0 for the others.
    paid: Vec<Cost>,
    /// The additional cost on a way from the roots to each class, or `None` if no way leads.
    above: Vec<Option<Cost>>,
    /// The additional cost on a way from each class down, or `None` if it ends nowhere.
    below: Vec<Option<Cost>>,
}

impl Bounds {
    fn new(priced: &CostGraph, free: &[Option<usize>], open: &[Vec<usize>]) -> Self {
        let classes = open.len();
        let ways =
            |place: usize| open[place].iter().map(move |&number| &priced.ways[place][number]);
        // A class that all ways of a needed class need is needed too.
        let mut paid = vec![0; classes];
        let mut needed = vec![false; classes];
        let mut steps = priced.roots.clone();
        while let Some(place) = steps.pop() {
            if std::mem::replace(&mut needed[place], true) {
                continue;
            }
            paid[place] = ways(place).map(|way| way.cost).min().unwrap_or(0);
            let mut operands = ways(place).map(|way| &way.operands);
            let common = operands.next().into_iter().flatten().copied();
            let rest: Vec<_> = operands.collect();
            steps.extend(common.filter(|below| rest.iter().all(|other| other.contains(below))));
        }
        let always = paid.iter().copied().fold(0, Cost::saturating_add);
        let below = free.iter().map(|free| free.map(|_| 0)).collect();
        let mut bounds = Self { always, paid, above: vec![None; classes], below };
        let mut changed = true;
        while changed {
            changed = false;
            for place in (0..classes).filter(|&place| free[place].is_none()) {
                let found = ways(place).filter_map(|way| bounds.down(place, way)).min();
                if found != bounds.below[place] {
                    bounds.below[place] = found;
                    changed = true;
                }
            }
        }
        for &root in &priced.roots {
            bounds.above[root] = Some(0);
        }
        changed = true;
        while changed {
            changed = false;
            for place in (0..classes).rev() {
                let Some(above) = bounds.above[place] else { continue };
                for way in ways(place) {
                    let found = above.saturating_add(bounds.own(place, way));
                    for &below in &way.operands {
                        if bounds.above[below].is_none_or(|known| found < known) {
                            bounds.above[below] = Some(found);
                            changed = true;
                        }
                    }
                }
            }
        }
        bounds
    }

    fn own(&self, place: usize, way: &Candidate) -> Cost {
        way.cost.saturating_sub(self.paid[place])
    }

    /// The additional cost from a class down by one of its ways.
    fn down(&self, place: usize, way: &Candidate) -> Option<Cost> {
        let operands = way.operands.iter().map(|&below| self.below[below]);
        let deepest = operands.collect::<Option<Vec<_>>>()?.into_iter().max().unwrap_or(0);
        Some(self.own(place, way).saturating_add(deepest))
    }

    /// The least cost of a choice that takes a way.
    fn with(&self, place: usize, way: &Candidate) -> Option<Cost> {
        let besides = self.above[place]?.saturating_add(self.down(place, way)?);
        Some(self.always.saturating_add(besides))
    }
}

/// The integer program.
struct Program<'p> {
    priced: &'p CostGraph<'p>,
    problem: Problem,
    /// The open ways of each class, with their variables.
    variables: Vec<Vec<(usize, Variable)>>,
}

impl<'p> Program<'p> {
    fn new(priced: &'p CostGraph<'p>, open: &[Vec<usize>]) -> Self {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let variables = open.iter().enumerate().map(|(place, numbers)| {
            let variable = |&number: &usize| {
                let cost = priced.ways[place][number].cost;
                (number, problem.add_binary_var(cost as f64))
            };
            numbers.iter().map(variable).collect()
        });
        let variables: Vec<Vec<(usize, Variable)>> = variables.collect();
        let taken = |place: usize| variables[place].iter().map(|&(_, variable)| (variable, 1.0));
        for &root in priced.roots.iter().filter(|&&root| !variables[root].is_empty()) {
            problem.add_constraint(taken(root), ComparisonOp::Ge, 1.0);
        }
        for (place, ways) in variables.iter().enumerate() {
            // No more than one way of a class is taken by a cheapest choice, so that one row says what all its
            // ways need of another class.
            let mut users: BTreeMap<usize, Vec<Variable>> = BTreeMap::new();
            for &(number, variable) in ways {
                let operands = &priced.ways[place][number].operands;
                for &below in operands.iter().filter(|&&below| !variables[below].is_empty()) {
                    let users = users.entry(below).or_default();
                    if users.last() != Some(&variable) {
                        users.push(variable);
                    }
                }
            }
            for (below, users) in users {
                let users = users.into_iter().map(|variable| (variable, -1.0));
                let row: Vec<_> = taken(below).chain(users).collect();
                problem.add_constraint(row, ComparisonOp::Ge, 0.0);
            }
        }
        Self { priced, problem, variables }
    }

    /// Forbids that each class of a circle needs the next.
    fn forbid(&mut self, circle: &[usize]) {
        let next = circle.iter().cycle().skip(1);
        let steps = circle.iter().zip(next).flat_map(|(&place, next)| {
            let ways = &self.priced.ways[place];
            let leads = |&&(number, _): &&(usize, Variable)| ways[number].operands.contains(next);
            self.variables[place].iter().filter(leads).map(|&(_, variable)| (variable, 1.0))
        });
        let row: Vec<_> = steps.collect();
        self.problem.add_constraint(row, ComparisonOp::Le, circle.len() as f64 - 1.0);
    }

    /// A choice, from the ways that are taken on, and whether the program has none that is cheaper, or `None` if
    /// the solver finds no answer.
    fn solve(&self, known: &Choice, taken: &[Option<usize>], nodes: u64) -> Option<(Choice, bool)> {
        let start = self.variables.iter().zip(taken).flat_map(|(ways, &taken)| {
            let value = move |number| if taken == Some(number) { 1.0 } else { 0.0 };
            ways.iter().map(move |&(number, variable)| (variable, value(number)))
        });
        let mut options = SolveOptions::default();
        options.node_limit = Some(nodes);
        options.warm_start = Some(start.collect());
        let SolveOutcome::Solution(solution) = self.problem.solve_with(options).ok()? else {
            return None;
        };
        let mut found = known.clone();
        for (place, ways) in self.variables.iter().enumerate() {
            let taken = ways.iter().find(|&&(_, variable)| solution.var_value(variable) > 0.5);
            if let Some(&(number, _)) = taken {
                found.0[place] = number;
            }
        }
        Some((found, solution.status() == SolutionStatus::Optimal))
    }
}
