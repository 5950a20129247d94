//! From an e-graph to the cheapest term: one node for each class that is needed.
//!
//! Where a shared part counts each time it is, the cheapest node of each class is found class by
//! class. Where it counts once, the best choice for one class depends on what others need, and the
//! question is hard: [`CostGraph::greedy`] starts from the choice class by class and changes one class at a time
//! while that lowers the cost of the whole; [`CostGraph::exact`] states the question as an integer program, for
//! e-graphs that are small enough. Between choices of one cost, [`CostGraph::settle`] prefers the one of which
//! fewer values live at once. All are the same on every run: what is left of ties is decided by the nodes'
//! own order.

mod exact;

pub use exact::Limits;

use crate::{
    cost::{Cost, Model},
    facts::LayoutAnalysis,
    node::Node,
};
use egg::{EGraph, Id, Language, RecExpr};
use std::collections::{HashMap, HashSet};

/// A node of a class, with its own cost and the indices of its operands' classes.
struct Candidate<'e> {
    cost: Cost,
    node: &'e Node,
    operands: Vec<usize>,
}

/// The part of an e-graph that is reachable from some roots, with costs.
pub(crate) struct CostGraph<'e> {
    /// The classes, operands first but where they go round in a circle.
    ids: Vec<Id>,
    /// The ways to make each class, the cheapest first.
    ways: Vec<Vec<Candidate<'e>>>,
    /// Where the roots are.
    roots: Vec<usize>,
}

/// One way for each class.
#[derive(Clone)]
pub(crate) struct Choice(Vec<usize>);

impl<'e> CostGraph<'e> {
    /// The classes that `roots` may need, and the costs of their nodes.
    pub(crate) fn new(
        egraph: &'e EGraph<Node, LayoutAnalysis>,
        model: &Model,
        roots: &[Id],
    ) -> Self {
        let width = egraph.analysis.width;
        let mut ids: Vec<Id> = Vec::new();
        let mut seen: HashSet<Id> = HashSet::new();
        let mut steps: Vec<(Id, bool)> =
            roots.iter().rev().map(|&root| (egraph.find(root), false)).collect();
        while let Some((id, leave)) = steps.pop() {
            if leave {
                ids.push(id);
            } else if seen.insert(id) {
                steps.push((id, true));
                let below = egraph[id].nodes.iter().flat_map(Node::children);
                let below = below.map(|&child| (egraph.find(child), false));
                steps.extend(below.filter(|(child, _)| !seen.contains(child)));
            }
        }
        let places: HashMap<Id, usize> =
            ids.iter().enumerate().map(|(place, &id)| (id, place)).collect();
        let place = |id: Id| places[&egraph.find(id)];
        let ways = ids.iter().enumerate().map(|(here, &id)| {
            let class = &egraph[id];
            let priced = class.nodes.iter().map(|node| {
                let operands: Vec<_> =
                    node.children().iter().map(|&child| &egraph[child].data).collect();
                (model.own(node, &operands, &class.data, width), node)
            });
            let mut nodes: Vec<(Cost, &Node)> = priced.collect();
            nodes.sort();
            let ways = nodes.into_iter().map(|(cost, node)| {
                let operands = node.children().iter().map(|&child| place(child)).collect();
                Candidate { cost, node, operands }
            });
            // No term holds itself.
            ways.filter(|way| !way.operands.contains(&here)).collect()
        });
        let ways = ways.collect();
        let roots = roots.iter().map(|&root| place(root)).collect();
        Self { ids, ways, roots }
    }

    /// The way that a choice takes for a class.
    fn way(&self, choice: &Choice, place: usize) -> &Candidate<'e> {
        &self.ways[place][choice.0[place]]
    }

    /// The cheapest way of every class, where shared parts count each time.
    ///
    /// Every class has one, since it was made from a finite term, and the ways never go round in a circle,
    /// whatever they cost. Along a circle no cost could be more than the next, so that all were equal. What
    /// is as expensive as an operand has a level above that operand's, and the lower level is preferred: along
    /// a circle the level would fall at each step. Without levels, a node that adds no cost could stand for its
    /// own operand.
    pub(crate) fn tree(&self) -> Choice {
        let mut best: Vec<Option<(Cost, usize, usize)>> = vec![None; self.ids.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (place, ways) in self.ways.iter().enumerate() {
                for (number, way) in ways.iter().enumerate() {
                    let below = way.operands.iter().map(|&below| best[below]);
                    let total = below.clone().try_fold(way.cost, |total, below| {
                        below.map(|(cost, ..)| total.saturating_add(cost))
                    });
                    let Some(total) = total else { continue };
                    let as_expensive = below.flatten().filter(|below| below.0 == total);
                    let level = as_expensive.map(|below| below.1 + 1).max().unwrap_or(0);
                    let found = (total, level, number);
                    if best[place].is_none_or(|known| found < known) {
                        best[place] = Some(found);
                        changed = true;
                    }
                }
            }
        }
        Choice(best.into_iter().map(|found| found.map_or(0, |(.., number)| number)).collect())
    }

    /// The classes that a choice needs for its roots, operands first; else a circle of classes of which each
    /// needs the next.
    fn walk(&self, choice: &Choice) -> Result<Vec<usize>, Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            Never,
            UnderWay,
            Done,
        }
        let mut seen = vec![Visit::Never; self.ids.len()];
        let mut order = Vec::new();
        let mut steps: Vec<(usize, bool)> =
            self.roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((place, leave)) = steps.pop() {
            if leave {
                seen[place] = Visit::Done;
                order.push(place);
                continue;
            }
            if seen[place] != Visit::Never {
                continue;
            }
            seen[place] = Visit::UnderWay;
            steps.push((place, true));
            for &below in self.way(choice, place).operands.iter().rev() {
                match seen[below] {
                    Visit::Done => {}
                    Visit::Never => steps.push((below, false)),
                    Visit::UnderWay => {
                        let path = steps.iter().filter(|step| step.1).map(|step| step.0);
                        return Err(path.skip_while(|&place| place != below).collect());
                    }
                }
            }
        }
        Ok(order)
    }

    /// The classes that a choice needs for its roots, operands first, or `None` if it goes round in a circle.
    fn needed(&self, choice: &Choice) -> Option<Vec<usize>> {
        self.walk(choice).ok()
    }

    /// The sum of what a choice takes for some classes.
    fn sum(&self, choice: &Choice, places: &[usize]) -> Cost {
        let costs = places.iter().map(|&place| self.way(choice, place).cost);
        costs.fold(0, Cost::saturating_add)
    }

    /// The cost of a choice, shared parts counted once, or `None` if it goes round in a circle.
    fn shared(&self, choice: &Choice) -> Option<Cost> {
        Some(self.sum(choice, &self.needed(choice)?))
    }

    /// Whether a choice that takes `other` for a class where it takes `way` needs no less and costs no less.
    fn costs_no_less(way: &Candidate, other: &Candidate) -> bool {
        other.cost >= way.cost && way.operands.iter().all(|below| other.operands.contains(below))
    }

    /// Values that live at once at most in the term of a choice, of which `needed` are the classes.
    fn live(&self, choice: &Choice, needed: &[usize]) -> usize {
        let mut places = vec![0; self.ids.len()];
        for (number, &place) in needed.iter().enumerate() {
            places[place] = number;
        }
        let roots = self.roots.iter().map(|&root| places[root]);
        let values = needed.iter().map(|&place| {
            let way = self.way(choice, place);
            let operands = way.operands.iter().map(|&below| places[below]);
            (!matches!(way.node, Node::Literal(_)), operands)
        });
        live(values, roots)
    }

    /// Changes one class at a time while that lowers the cost, `steps` changes tried at most. A way that
    /// costs no less for every choice of the others is not tried.
    pub(crate) fn greedy(&self, steps: usize) -> (Choice, Cost) {
        let mut choice = self.tree();
        let mut cost = self.shared(&choice).unwrap_or(Cost::MAX);
        let mut left = steps;
        loop {
            let mut changed = false;
            for place in self.needed(&choice).unwrap_or_default() {
                for number in 0..self.ways[place].len() {
                    let before = choice.0[place];
                    if number == before {
                        continue;
                    }
                    let ways = &self.ways[place];
                    if Self::costs_no_less(&ways[before], &ways[number]) {
                        continue;
                    }
                    let Some(rest) = left.checked_sub(1) else { return (choice, cost) };
                    left = rest;
                    choice.0[place] = number;
                    match self.shared(&choice) {
                        Some(now) if now < cost => {
                            cost = now;
                            changed = true;
                        }
                        _ => choice.0[place] = before,
                    }
                }
            }
            if !changed {
                return (choice, cost);
            }
        }
    }

    /// Changes one class at a time, at the same cost, while fewer values live at once in the term; `steps`
    /// changes tried at most.
    pub(crate) fn settle(&self, (mut choice, cost): (Choice, Cost), steps: usize) -> Choice {
        let mut least = self.live(&choice, &self.needed(&choice).unwrap_or_default());
        let mut left = steps;
        loop {
            let mut changed = false;
            for place in self.needed(&choice).unwrap_or_default() {
                let before = choice.0[place];
                for number in (0..self.ways[place].len()).filter(|&number| number != before) {
                    let (way, other) = (&self.ways[place][before], &self.ways[place][number]);
                    if other.cost > way.cost && Self::costs_no_less(way, other) {
                        continue;
                    }
                    let Some(rest) = left.checked_sub(1) else { return choice };
                    left = rest;
                    choice.0[place] = number;
                    let needed = self.needed(&choice);
                    if let Some(needed) = needed.filter(|n| self.sum(&choice, n) == cost) {
                        let found = self.live(&choice, &needed);
                        if found < least {
                            least = found;
                            changed = true;
                            break;
                        }
                    }
                    choice.0[place] = before;
                }
            }
            if !changed {
                return choice;
            }
        }
    }

    /// The nodes that a choice needs for its roots, with their classes.
    pub(crate) fn chosen(&self, choice: &Choice) -> Vec<(Id, &'e Node)> {
        let needed = self.needed(choice).unwrap_or_default();
        needed.into_iter().map(|place| (self.ids[place], self.way(choice, place).node)).collect()
    }

    /// The term of a choice, with one place for each root, operands before what uses them. The choice
    /// is one of [`Self::greedy`] or what became of it, which does not go round in a circle.
    pub(crate) fn term(&self, choice: &Choice) -> (RecExpr<Node>, Vec<Id>) {
        let mut expr = RecExpr::default();
        let mut places = vec![Id::default(); self.ids.len()];
        for place in self.needed(choice).unwrap_or_default() {
            let way = self.way(choice, place);
            let mut operands = way.operands.iter();
            let node = way.node.clone();
            let node = node.map_children(|id| operands.next().map_or(id, |&below| places[below]));
            places[place] = expr.add(node);
        }
        (expr, self.roots.iter().map(|&root| places[root]).collect())
    }
}

/// Values that live at once at most, computed in order: of each whether it is kept at all, and its operands.
pub(crate) fn live<O: Iterator<Item = usize>>(
    values: impl ExactSizeIterator<Item = (bool, O)>,
    roots: impl Iterator<Item = usize>,
) -> usize {
    let count = values.len();
    let mut last = vec![0; count];
    let mut kept = vec![false; count];
    for (place, (is_kept, operands)) in values.enumerate() {
        kept[place] = is_kept;
        for operand in operands {
            last[operand] = place;
        }
    }
    for root in roots {
        last[root] = count;
    }
    // One more where a value is made, one less after its last use.
    let mut change = vec![0_isize; count + 2];
    for (place, &last) in last.iter().enumerate() {
        if kept[place] && last > place {
            change[place] += 1;
            change[last] -= 1;
        }
    }
    let alive = change.iter().scan(0_isize, |alive, change| {
        *alive += change;
        Some(*alive)
    });
    usize::try_from(alive.max().unwrap_or(0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, cost::Chip, index::IndexOp, read, search::Search, write};

    const LIMITS: Limits = Limits { ways: 1000, nodes: 1000, circles: 8 };

    /// An e-graph in which two terms are equal, and the class of them.
    fn equal(first: &str, second: &str) -> (EGraph<Node, LayoutAnalysis>, Id) {
        let mut egraph = EGraph::new(LayoutAnalysis::new(false, 64));
        let [first, second] =
            [first, second].map(|text| egraph.add_expr(&read(text).expect("a term")));
        egraph.union(first, second);
        egraph.rebuild();
        let root = egraph.find(first);
        (egraph, root)
    }

    /// The first choice, which no step of a search has fixed.
    fn form(egraph: &EGraph<Node, LayoutAnalysis>, root: Id, model: &Model) -> String {
        let priced = CostGraph::new(egraph, model, &[root]);
        let (choice, _) = priced.greedy(0);
        write(&priced.term(&choice).0)
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
        // Each level doubles what the tree takes: after 64 levels that is the limit, and no sum is more.
        let mut egraph = EGraph::<Node, LayoutAnalysis>::new(LayoutAnalysis::new(false, 64));
        let mut root = egraph.add_expr(&read("(mul t:0..95 u:0..95)").expect("a term"));
        let bit = egraph.add_expr(&read("b:0..1").expect("a term"));
        for _ in 0..80 {
            let twice = egraph.add(Node::Index(IndexOp::And, vec![root, root]));
            // A node that is before it in order, of which it is an operand.
            let more = egraph.add(Node::Index(IndexOp::Add, vec![twice, bit]));
            egraph.union(twice, more);
            root = twice;
        }
        egraph.rebuild();
        let root = egraph.find(root);
        let model = Model::Nvptx(Chip::named("sm_90a").expect("a chip"));
        let priced = CostGraph::new(&egraph, &model, &[root]);
        let (choice, _) = priced.greedy(0);
        // t, u, their product, and each level.
        assert_eq!(priced.term(&choice).0.len(), 83);
    }

    /// The least cost of all choices there are, by trying them, or `None` if they are too many.
    fn least(priced: &CostGraph) -> Option<Cost> {
        let sizes = priced.ways.iter().map(Vec::len);
        let all = sizes.clone().try_fold(1_usize, |all, ways| all.checked_mul(ways));
        let choices = 0..all.filter(|&all| all <= 50_000)?;
        let of = |number: usize| {
            let mut left = number;
            let digits = sizes.clone().map(|ways| {
                let digit = left % ways;
                left /= ways;
                digit
            });
            Choice(digits.collect())
        };
        choices.filter_map(|number| priced.shared(&of(number))).min()
    }

    #[test]
    fn the_exact_choice_is_the_cheapest_of_all() {
        let texts = [
            "(add (mul (div t:0..95 8) 8) (mod t 8))",
            "(add (add (mul t:0..95 3) u:0..95) (mul t 3))",
            "(mod (add (mul t:0..95 12) u:0..11) 12)",
            "(xor (and t:0..95 12) (shl (and t 3) 2))",
            "(add (and t:0..95 48) (add (shl u:0..3 2) (and t 3)))",
            "(min (add t:0..95 u:0..95) (add u t))",
            "(add (mul (add t:0..95 u:0..95) 3) (mul t 5))",
            "(div (add (mul t:0..95 48) u:0..11) 12)",
        ];
        let model = Model::Nvptx(Chip::named("sm_90a").expect("a chip"));
        let mut tried = 0;
        for text in texts {
            for nodes in [12, 20, 30, 40, 60] {
                let mut egraph = EGraph::new(LayoutAnalysis::new(true, 32));
                let root = egraph.add_expr(&read(text).expect("a term"));
                egraph.rebuild();
                let budget = Budget { nodes, ..Budget::default() };
                let mut search = Search::new(egraph, &budget);
                search.run(true).expect("consistent");
                let priced = CostGraph::new(&search.egraph, &model, &[root]);
                let Some(least) = least(&priced) else { continue };
                let greedy = priced.greedy(0);
                let (choice, cost, proved) = priced.exact(greedy, &LIMITS);
                assert_eq!((cost, proved), (least, true), "{text}, {nodes} nodes");
                assert_eq!(priced.shared(&choice), Some(cost), "{text}, {nodes} nodes");
                tried += 1;
            }
        }
        assert!(tried >= 20, "{tried}");
    }

    #[test]
    fn what_only_pays_for_two_together_is_found() {
        // One difference costs less by itself than with the product that both may share.
        let mut egraph = EGraph::<Node, LayoutAnalysis>::new(LayoutAnalysis::new(false, 32));
        let mut add = |text: &str| egraph.add_expr(&read(text).expect("a term"));
        let ways =
            ["(xor (mul t u) w)", "(add (add a b) c)", "(xor (mul t u) z)", "(add (add d e) f)"];
        let [first, other_first, second, other_second] = ways.map(&mut add);
        egraph.union(first, other_first);
        egraph.union(second, other_second);
        egraph.rebuild();
        let model = Model::Nvptx(Chip::named("sm_90a").expect("a chip"));
        let priced = CostGraph::new(&egraph, &model, &[first, second]);
        let greedy = priced.greedy(1000);
        let (_, cost, proved) = priced.exact(greedy.clone(), &LIMITS);
        assert_eq!((cost, proved, least(&priced)), (303, true, Some(303)));
        assert!(greedy.1 > cost);
    }

    #[test]
    fn a_circle_is_no_choice_however_cheap() {
        // Where a product is a difference of a sum of itself, both together take two sums, and no product.
        let product = "(mul (mul t:0..9 u:0..9) (mul v:0..9 x:0..9))";
        let (egraph, root) = equal(product, &format!("(sub (add {product} w:0..9) w:0..9)"));
        let model = Model::Nvptx(Chip::named("sm_61").expect("a chip"));
        let priced = CostGraph::new(&egraph, &model, &[root]);
        let greedy = priced.greedy(0);
        assert_eq!(greedy.1, 927);
        let (choice, cost, proved) = priced.exact(greedy.clone(), &LIMITS);
        let found = write(&priced.term(&choice).0);
        assert_eq!((found.as_str(), cost, proved), ("(mul (mul t u) (mul v x))", 927, true));
        // Without leave to forbid it, what is known stays, and nothing is proved.
        assert!(!priced.exact(greedy, &Limits { circles: 0, ..LIMITS }).2);
    }

    #[test]
    fn limits_leave_what_is_known() {
        let (egraph, root) = equal("(add (mul t:0..9 3) (mul t 5))", "(shl t 3)");
        let priced =
            CostGraph::new(&egraph, &Model::Nvptx(Chip::named("sm_90a").expect("a chip")), &[root]);
        let known = |limits| {
            let (first, cost) = priced.greedy(0);
            let (choice, found, proved) = priced.exact((first.clone(), cost), &limits);
            assert!(found <= cost);
            (choice.0 == first.0, proved)
        };
        assert_eq!(known(Limits { ways: 0, ..LIMITS }), (true, false));
        assert_eq!(known(LIMITS), (true, true));
    }
}
