//! Index arithmetic: finds the cheapest arithmetic for terms of both languages. Several roots are optimised at once, and
//! shared parts count once.

use crate::{
    cost::{Chip, Cost, Kind, Model},
    extract::{self, CostGraph, Limits},
    facts::{Facts, LayoutAnalysis},
    node::Node,
    record::{self, Record},
    search::{Budget, Search, Stop},
    simplify::Error,
};
use egg::{EGraph, Id, Language, RecExpr};
use std::collections::{BTreeMap, HashMap};

/// How to search for the cheapest arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bounds of the search.
    pub budget: Budget,
    /// The cost model.
    pub model: Model,
    /// Bits of an index.
    pub width: u32,
    /// Changes that the greedy extraction tries at most.
    pub greedy_steps: usize,
    /// Bounds of the exact extraction.
    pub exact: Limits,
    /// Changes at one cost that are tried for fewer registers at most.
    pub settle_steps: usize,
    /// Searches at most: each starts from the result of the one before, until none is cheaper.
    pub searches: usize,
}

impl Settings {
    /// The usual bounds, for a model and a width.
    pub fn new(model: Model, width: u32) -> Self {
        let budget = Budget { nodes: 2_000, iterations: 8, ..Budget::default() };
        Self {
            budget,
            model,
            width,
            greedy_steps: 1_000,
            exact: Limits { ways: 100, nodes: 200, circles: 8 },
            settle_steps: 200,
            searches: 4,
        }
    }
}

/// The summary of all searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Why the last search ended.
    pub stop: Stop,
    /// Why each search ended.
    pub stops: Vec<Stop>,
    /// E-nodes of all searches.
    pub nodes: usize,
    /// Rounds of all searches.
    pub iterations: usize,
    /// How often each rule added an equation.
    pub applied: BTreeMap<&'static str, usize>,
    /// Cost of the input.
    pub cost_before: Cost,
    /// Cost of the result.
    pub cost_after: Cost,
    /// Whether the extraction of the result is proved the cheapest in its e-graph.
    pub exact: bool,
    /// Values that live at once at most, in the order of the result: an estimate of registers.
    pub live: usize,
}

/// The cheapest arithmetic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimised {
    /// All terms, operands before their users; no fused operations.
    pub expr: RecExpr<Node>,
    /// The place of each root.
    pub roots: Vec<Id>,
    /// The summary of the searches.
    pub summary: Summary,
}

/// The cheapest equals of several roots of one term, within a budget: never more expensive than the input, the same on
/// every run, and a fixed point.
///
/// # Errors
///
/// [`Error::Contradiction`]: a symbol of which something false is stated, or a defect of the rules.
///
/// ```
/// use layout_egraph::{Settings, cost::{Chip, Model}, optimise, read, write};
/// let expr = read("(crd2idx (tuple tid:0..127 0) [(128,8):(8,1)])")?;
/// let settings = Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32);
/// let optimised = optimise(&expr, &[(expr.len() - 1).into()], &settings)?;
/// assert_eq!(write(&optimised.expr), "(shl tid 3)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn optimise(
    expr: &RecExpr<Node>,
    roots: &[Id],
    settings: &Settings,
) -> Result<Optimised, Error> {
    tracing::trace!(
        target: record::TARGET,
        search = %Record::new(expr, roots, &settings.model, settings.width)
    );
    let before = price(expr, roots, settings)?;
    let mut best = Optimised {
        expr: expr.clone(),
        roots: roots.to_vec(),
        summary: Summary {
            stop: Stop::Saturated,
            stops: Vec::new(),
            nodes: 0,
            iterations: 0,
            applied: BTreeMap::new(),
            cost_before: before,
            cost_after: before,
            exact: false,
            live: live(expr, roots),
        },
    };
    for _ in 0..settings.searches {
        // All searches burn the same fuel.
        let burnt: usize = best.summary.applied.values().sum();
        let fuel = settings.budget.fuel.saturating_sub(burnt);
        let left = Settings { budget: Budget { fuel, ..settings.budget }, ..*settings };
        let (mut search, ids) = start(&best.expr, &best.roots, &left, true);
        let stop = search.run(true).map_err(Error::Contradiction)?;
        let priced = CostGraph::new(&search.egraph, &settings.model, &ids);
        let greedy = priced.greedy(settings.greedy_steps);
        let (choice, least, exact) = priced.exact(greedy, &settings.exact);
        let choice = priced.settle((choice, least), settings.settle_steps);
        let (found, found_roots) = priced.term(&choice);
        let (found, found_roots) = unfused(&found, &found_roots);
        // The given term keeps its cost.
        let same = found == best.expr && found_roots == best.roots;
        let cost = match same {
            true => best.summary.cost_after,
            false => price(&found, &found_roots, settings)?,
        };
        let summary = &mut best.summary;
        summary.stop = stop;
        summary.stops.push(stop);
        summary.nodes += search.egraph.total_number_of_nodes();
        summary.iterations += search.iterations;
        for (name, count) in &search.applied {
            *summary.applied.entry(name).or_default() += count;
        }
        if cost >= summary.cost_after {
            summary.exact = exact;
            break;
        }
        summary.cost_after = cost;
        summary.exact = exact;
        summary.live = live(&found, &found_roots);
        best = Optimised { expr: found, roots: found_roots, summary: best.summary };
    }
    let summary = &best.summary;
    tracing::debug!(
        stop = ?summary.stop,
        nodes = summary.nodes,
        iterations = summary.iterations,
        applied = ?summary.applied,
        before = summary.cost_before,
        after = summary.cost_after,
        exact = summary.exact,
        "optimised"
    );
    Ok(best)
}

fn start<'s>(
    expr: &RecExpr<Node>,
    roots: &[Id],
    settings: &'s Settings,
    fold: bool,
) -> (Search<'s>, Vec<Id>) {
    let mut egraph = EGraph::<Node, LayoutAnalysis>::new(LayoutAnalysis::new(fold, settings.width));
    let mut places: Vec<Id> = Vec::new();
    let nodes: &[Node] = expr;
    for node in nodes {
        let node = node.clone().map_children(|child| places[usize::from(child)]);
        places.push(egraph.add(node));
    }
    egraph.rebuild();
    let roots = roots.iter().map(|&root| places[usize::from(root)]).collect();
    (Search::new(egraph, &settings.budget), roots)
}

/// The cost of a term as written: only fused, as an assembler fuses it.
///
/// # Errors
///
/// As [`optimise`].
pub fn price(expr: &RecExpr<Node>, roots: &[Id], settings: &Settings) -> Result<Cost, Error> {
    // A price is not part of what fuel is for.
    let budget = Budget { fuel: usize::MAX, ..settings.budget };
    let unbounded = Settings { budget, ..*settings };
    let (mut search, ids) = start(expr, roots, &unbounded, false);
    search.fuse().map_err(Error::Contradiction)?;
    Ok(CostGraph::new(&search.egraph, &settings.model, &ids).greedy(settings.greedy_steps).1)
}

/// The instructions of a term as written, each of its operations once, however often it runs: how many of
/// each kind, and whether their words take two registers.
///
/// # Errors
///
/// As [`optimise`].
///
/// ```
/// use layout_egraph::{Settings, census, cost::{Chip, Kind, Model}, read};
/// let expr = read("(add (mul (div t:0..127 12) 48) k:0..9@1)")?;
/// let settings = Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32);
/// let counts = census(&expr, &[(expr.len() - 1).into()], &settings)?;
/// assert_eq!(counts.into_iter().collect::<Vec<_>>(), [
///     ((Kind::Product, false), 1),
///     ((Kind::Quotient, false), 1),
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn census(
    expr: &RecExpr<Node>,
    roots: &[Id],
    settings: &Settings,
) -> Result<BTreeMap<(Kind, bool), usize>, Error> {
    // A price is not part of what fuel is for.
    let budget = Budget { fuel: usize::MAX, ..settings.budget };
    let unbounded = Settings { budget, ..*settings };
    let (mut search, ids) = start(expr, roots, &unbounded, false);
    search.fuse().map_err(Error::Contradiction)?;
    let priced = CostGraph::new(&search.egraph, &settings.model, &ids);
    let (choice, _) = priced.greedy(settings.greedy_steps);
    let mut counts = BTreeMap::new();
    for (id, node) in priced.chosen(&choice) {
        let Node::Index(op, below) = node else { continue };
        let facts = |id: &Id| &search.egraph[*id].data;
        let below: Vec<&Facts> = below.iter().map(facts).collect();
        *counts.entry(Chip::kind(*op, &below, facts(&id), settings.width)).or_default() += 1;
    }
    Ok(counts)
}

/// Without operations that stand for two.
fn unfused(expr: &RecExpr<Node>, roots: &[Id]) -> (RecExpr<Node>, Vec<Id>) {
    let mut plain = RecExpr::default();
    let mut places: Vec<Id> = Vec::new();
    let mut known: HashMap<Node, Id> = HashMap::new();
    let mut add = |plain: &mut RecExpr<Node>, node: Node| {
        *known.entry(node.clone()).or_insert_with(|| plain.add(node))
    };
    let nodes: &[Node] = expr;
    for node in nodes {
        let node = node.clone().map_children(|child| places[usize::from(child)]);
        let place = match &node {
            Node::Index(op, operands) if let Some((first, second)) = op.parts() => {
                let inner = add(&mut plain, Node::Index(first, operands[..2].to_vec()));
                add(&mut plain, Node::Index(second, vec![inner, operands[2]]))
            }
            _ => add(&mut plain, node),
        };
        places.push(place);
    }
    (plain, roots.iter().map(|&root| places[usize::from(root)]).collect())
}

/// Values that live at once at most, computed in order.
fn live(expr: &RecExpr<Node>, roots: &[Id]) -> usize {
    let nodes: &[Node] = expr;
    let values = nodes.iter().map(|node| {
        let operands = node.children().iter().map(|&child| usize::from(child));
        (!matches!(node, Node::Literal(_)), operands)
    });
    extract::live(values, roots.iter().map(|&root| usize::from(root)))
}
