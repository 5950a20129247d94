//! From an e-graph to the cheapest term: one node for each class that is needed.
//!
//! Where a shared part counts each time it stands, the cheapest node of each class is found class by
//! class. Where it counts once, the best choice for one class depends on what others need, and the
//! question is hard: [`greedy`] starts from the choice class by class and changes one class at a time
//! while that lowers the cost of the whole; [`exact`] goes through all choices with a bound, for
//! e-graphs that are small enough for its budget. Between choices of one cost, [`Priced::settle`] prefers the one
//! of which fewer values live at once. All are the same on every run: what is left of ties is decided by
//! the nodes' own order.

use crate::{
    cost::{Cost, Model},
    facts::Analyst,
    node::Node,
};
use egg::{EGraph, Id, Language, RecExpr};
use std::collections::{BTreeMap, BTreeSet};

/// One node for each class.
pub(crate) type Choice = BTreeMap<Id, Node>;

/// An e-graph with the costs of its nodes.
pub(crate) struct Priced<'e> {
    egraph: &'e EGraph<Node, Analyst>,
    /// The nodes of each class with their own costs, in order, operands canonical.
    classes: BTreeMap<Id, Vec<(Cost, Node)>>,
}

impl<'e> Priced<'e> {
    /// The costs of all nodes.
    pub(crate) fn new(egraph: &'e EGraph<Node, Analyst>, model: &Model) -> Self {
        let width = egraph.analysis.width;
        let classes = egraph.classes().map(|class| {
            let priced = class.nodes.iter().map(|node| {
                let node = node.clone().map_children(|child| egraph.find(child));
                let operands: Vec<_> =
                    node.children().iter().map(|&child| &egraph[child].data).collect();
                (model.own(&node, &operands, &class.data, width), node)
            });
            let mut nodes: Vec<_> = priced.collect();
            nodes.sort();
            nodes.dedup();
            (class.id, nodes)
        });
        Self { egraph, classes: classes.collect() }
    }

    fn own(&self, id: Id, node: &Node) -> Cost {
        let nodes = self.classes.get(&id).into_iter().flatten();
        nodes.filter(|(_, known)| known == node).map(|(cost, _)| *cost).next().unwrap_or(Cost::MAX)
    }

    /// The cheapest node of every class, where shared parts count each time.
    ///
    /// Every class has one, since it was made from a finite term, and the nodes never go round in a circle,
    /// whatever they cost. Along a circle no cost could be more than the next, so that all were equal. What
    /// is as expensive as an operand has a level above that operand's, and the lower level is preferred: along
    /// a circle the level would fall at each step. Without levels, a node that adds no cost could stand for its
    /// own operand.
    pub(crate) fn tree(&self) -> BTreeMap<Id, (Cost, Node)> {
        let mut best: BTreeMap<Id, (Cost, usize, &Node)> = BTreeMap::new();
        loop {
            let mut changed = false;
            for (&id, nodes) in &self.classes {
                for (own, node) in nodes {
                    let below = node.children().iter().map(|child| best.get(child));
                    let Some(below) = below.collect::<Option<Vec<_>>>() else { continue };
                    let total = below.iter().map(|below| below.0).fold(*own, Cost::saturating_add);
                    let as_expensive = below.iter().filter(|below| below.0 == total);
                    let level = as_expensive.map(|below| below.1 + 1).max().unwrap_or(0);
                    let found = (total, level, node);
                    if best.get(&id).is_none_or(|known| found < *known) {
                        best.insert(id, found);
                        changed = true;
                    }
                }
            }
            if !changed {
                let costs =
                    best.into_iter().map(|(id, (cost, _, node))| (id, (cost, node.clone())));
                return costs.collect();
            }
        }
    }

    /// The classes that a choice needs for its roots, operands first; none where it goes round in
    /// a circle.
    fn needed(&self, choice: &Choice, roots: &[Id]) -> Option<Vec<Id>> {
        let mut order = Vec::new();
        // False while a class's operands are under way.
        let mut done: BTreeMap<Id, bool> = BTreeMap::new();
        let mut steps: Vec<(Id, bool)> = roots.iter().rev().map(|&id| (id, false)).collect();
        while let Some((id, leave)) = steps.pop() {
            if leave {
                done.insert(id, true);
                order.push(id);
                continue;
            }
            match done.get(&id) {
                Some(true) => continue,
                Some(false) => return None,
                None => {}
            }
            done.insert(id, false);
            steps.push((id, true));
            for &child in choice.get(&id)?.children().iter().rev() {
                match done.get(&child) {
                    Some(true) => {}
                    Some(false) => return None,
                    None => steps.push((child, false)),
                }
            }
        }
        Some(order)
    }

    /// The cost of a choice, shared parts counted once; none where it goes round in a circle.
    fn shared(&self, choice: &Choice, roots: &[Id]) -> Option<Cost> {
        let needed = self.needed(choice, roots)?;
        Some(needed.iter().map(|id| self.own(*id, &choice[id])).fold(0, Cost::saturating_add))
    }

    /// Changes one class at a time while that lowers the cost, `steps` changes tried at most.
    pub(crate) fn greedy(&self, roots: &[Id], steps: usize) -> (Choice, Cost) {
        let tree = self.tree();
        let mut choice: Choice = tree.iter().map(|(&id, (_, node))| (id, node.clone())).collect();
        let mut cost = self.shared(&choice, roots).unwrap_or(Cost::MAX);
        let mut left = steps;
        loop {
            let mut changed = false;
            for id in self.needed(&choice, roots).unwrap_or_default() {
                for (_, node) in self.classes.get(&id).into_iter().flatten() {
                    if *node == choice[&id] || !node.children().iter().all(|c| tree.contains_key(c))
                    {
                        continue;
                    }
                    let Some(rest) = left.checked_sub(1) else { return (choice, cost) };
                    left = rest;
                    let before = choice.insert(id, node.clone());
                    match self.shared(&choice, roots) {
                        Some(now) if now < cost => {
                            cost = now;
                            changed = true;
                        }
                        _ => {
                            choice.extend(before.map(|before| (id, before)));
                        }
                    }
                }
            }
            if !changed {
                return (choice, cost);
            }
        }
    }

    /// Goes through all choices, cheapest first, and leaves out those that cannot come below the
    /// best; `steps` at most. The choice, its cost, and whether it is proved the cheapest.
    pub(crate) fn exact(
        &self,
        roots: &[Id],
        start: (Choice, Cost),
        steps: usize,
    ) -> (Choice, Cost, bool) {
        let least: BTreeMap<Id, Cost> = self
            .classes
            .iter()
            .filter_map(|(&id, nodes)| {
                nodes.iter().map(|(cost, _)| *cost).min().map(|cost| (id, cost))
            })
            .collect();
        let mut branch = Branch { priced: self, roots, least, best: start, left: steps };
        let pending: BTreeSet<Id> = roots.iter().copied().collect();
        let complete = branch.go(&mut Choice::new(), pending, 0);
        (branch.best.0, branch.best.1, complete)
    }

    /// Changes one class at a time, at the same cost, while that lowers what `registers` says of the term;
    /// `steps` changes tried at most.
    pub(crate) fn settle(
        &self,
        roots: &[Id],
        (mut choice, cost): (Choice, Cost),
        steps: usize,
        registers: &dyn Fn(&RecExpr<Node>, &[Id]) -> usize,
    ) -> Choice {
        let count = |choice: &Choice| {
            let (term, roots) = self.term(choice, roots);
            registers(&term, &roots)
        };
        let mut least = count(&choice);
        let mut left = steps;
        loop {
            let mut changed = false;
            for id in self.needed(&choice, roots).unwrap_or_default() {
                let Some(now) = choice.get(&id).cloned() else { continue };
                for (_, node) in self.classes.get(&id).into_iter().flatten() {
                    if *node == now || !node.children().iter().all(|c| choice.contains_key(c)) {
                        continue;
                    }
                    let Some(rest) = left.checked_sub(1) else { return choice };
                    left = rest;
                    let before = choice.insert(id, node.clone());
                    if self.shared(&choice, roots) == Some(cost) {
                        let found = count(&choice);
                        if found < least {
                            least = found;
                            changed = true;
                            break;
                        }
                    }
                    choice.extend(before.map(|before| (id, before)));
                }
            }
            if !changed {
                return choice;
            }
        }
    }

    /// The nodes that a choice needs for its roots, with their classes.
    pub(crate) fn chosen<'c>(&self, choice: &'c Choice, roots: &[Id]) -> Vec<(Id, &'c Node)> {
        let needed = self.needed(choice, roots).unwrap_or_default();
        needed.into_iter().filter_map(|id| Some((id, choice.get(&id)?))).collect()
    }

    /// The term of a choice, with one root for each of `roots`, operands before what uses them. The choice
    /// is one of [`Self::greedy`] or what became of it, which does not go round in a circle.
    pub(crate) fn term(&self, choice: &Choice, roots: &[Id]) -> (RecExpr<Node>, Vec<Id>) {
        let mut expr = RecExpr::default();
        let mut places: BTreeMap<Id, Id> = BTreeMap::new();
        for id in self.needed(choice, roots).unwrap_or_default() {
            let node = choice[&id].clone().map_children(|child| places[&child]);
            places.insert(id, expr.add(node));
        }
        let roots = roots.iter().map(|root| places.get(root).copied().unwrap_or_default());
        (expr, roots.collect())
    }

    /// The class of an id.
    pub(crate) fn find(&self, id: Id) -> Id {
        self.egraph.find(id)
    }
}

struct Branch<'p> {
    priced: &'p Priced<'p>,
    roots: &'p [Id],
    /// The least cost of a node of each class.
    least: BTreeMap<Id, Cost>,
    best: (Choice, Cost),
    left: usize,
}

impl Branch<'_> {
    /// Chooses for one class that is needed, and goes on; false where the budget ended it.
    fn go(&mut self, choice: &mut Choice, mut pending: BTreeSet<Id>, cost: Cost) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let bound = pending
            .iter()
            .map(|id| self.least.get(id).copied().unwrap_or(0))
            .fold(cost, Cost::saturating_add);
        if bound >= self.best.1 {
            return true;
        }
        let Some(id) = pending.pop_last() else {
            if self.priced.needed(choice, self.roots).is_some() {
                self.best = (choice.clone(), cost);
            }
            return true;
        };
        let nodes = self.priced.classes.get(&id).map_or(&[][..], Vec::as_slice);
        let mut complete = true;
        for (own, node) in nodes {
            if node.children().contains(&id) {
                continue;
            }
            choice.insert(id, node.clone());
            let mut next = pending.clone();
            next.extend(node.children().iter().filter(|child| !choice.contains_key(child)));
            complete &= self.go(choice, next, cost.saturating_add(*own));
            choice.remove(&id);
        }
        complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cost::Chip, index::IndexOp, read, write};

    /// An e-graph in which two terms are equal, and the class of them.
    fn equal(first: &str, second: &str) -> (EGraph<Node, Analyst>, Id) {
        let mut egraph = EGraph::new(Analyst::new(false, 64));
        let [first, second] =
            [first, second].map(|text| egraph.add_expr(&read(text).expect("a term")));
        egraph.union(first, second);
        egraph.rebuild();
        let root = egraph.find(first);
        (egraph, root)
    }

    /// The first choice, which no step of a search has mended.
    fn form(egraph: &EGraph<Node, Analyst>, root: Id, model: &Model) -> String {
        let priced = Priced::new(egraph, model);
        let (choice, _) = priced.greedy(&[root], 0);
        write(&priced.term(&choice, &[root]).0)
    }

    #[test]
    fn a_layout_of_stride_1_does_not_stand_for_its_own_index() {
        let model = Model::Applied(Chip::named("sm_90a").expect("a chip"));
        // It takes no instruction, and its node is before the product's in order.
        let (egraph, root) = equal("(crd2idx (mul t:0..95 3) [512:1])", "(mul t:0..95 3)");
        assert_eq!(form(&egraph, root, &model), "(mul t 3)");
        // Round two classes.
        let (mut egraph, root) = equal("(crd2idx (tuple t:0..95 0) [(96,2):(1,0)])", "t:0..95");
        let pair = egraph.add_expr(&read("(tuple t:0..95 0)").expect("a term"));
        egraph.rebuild();
        assert_eq!(form(&egraph, root, &model), "t");
        assert_eq!(form(&egraph, pair, &model), "(tuple t 0)");
    }

    #[test]
    fn costs_that_reach_the_limit_do_not_go_round_in_a_circle() {
        // Each level doubles what the tree takes: behind 64 levels that is the limit, and no sum is more.
        let mut egraph = EGraph::<Node, Analyst>::new(Analyst::new(false, 64));
        let mut root = egraph.add_expr(&read("(mul t:0..95 u:0..95)").expect("a term"));
        let bit = egraph.add_expr(&read("b:0..1").expect("a term"));
        for _ in 0..80 {
            let twice = egraph.add(Node::Index(IndexOp::And, vec![root, root]));
            // A node that stands before it in order, of which it is an operand.
            let more = egraph.add(Node::Index(IndexOp::Add, vec![twice, bit]));
            egraph.union(twice, more);
            root = twice;
        }
        egraph.rebuild();
        let root = egraph.find(root);
        let priced = Priced::new(&egraph, &Model::Nvptx(Chip::named("sm_90a").expect("a chip")));
        let (choice, _) = priced.greedy(&[root], 0);
        // t, u, their product, and each level.
        assert_eq!(priced.term(&choice, &[root]).0.len(), 83);
    }
}
