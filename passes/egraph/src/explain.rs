//! Why a result is equal: the chain of equations from what was given, each replayed and checked.
//!
//! The e-graph keeps the rule of each union; a chain is read from that, and then checked: for each step the rule's
//! left side is matched again, its condition evaluated again on facts that are computed from the step's own term, and its
//! right side built and compared. If a condition needs a fact of another term of the class, which the step's own term
//! lacks, the step reports this. Every step is also evaluated: at all values of its symbols where they are few, otherwise
//! at some.

use crate::{
    address::Settings,
    cost::Model,
    extract::CostGraph,
    facts::{EVALUATE, Facts, LayoutAnalysis},
    node::{Node, to_term},
    read::write,
    rules::{self, Known},
    search::Search,
    simplify::Error,
    symbol::Symbol,
};
use egg::{EGraph, ENodeOrVar, FlatTerm, Id, Language, Pattern, RecExpr};
use layout_algebra::{Term, Value};
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// Values of symbols that are all tried; of more, some are.
const POINTS: u64 = 4096;

/// How a step was checked, besides evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// The term was evaluated again.
    Evaluated,
    /// The rule was matched again and its condition holds for the step's own term.
    Rule,
    /// The rule matches; its condition rests on another term of the class.
    Class,
}

/// One equation of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The whole term after the step.
    pub after: String,
    /// The same, as a term.
    pub term: RecExpr<Node>,
    /// The rule, or `evaluate`.
    pub rule: String,
    /// Whether the rule was used from left to right.
    pub forward: bool,
    /// The condition, instantiated; empty for an evaluation.
    pub condition: String,
    /// How it was checked.
    pub replay: Replay,
    /// At how many values of the symbols both sides were evaluated.
    pub points: u64,
    /// Whether these are all.
    pub all: bool,
    /// Another proof of the equation, if one was requested: written after the points.
    pub proof: Option<String>,
}

/// A chain of equations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The term at the start, as text.
    pub start: String,
    /// The same, as a term.
    pub first: RecExpr<Node>,
    /// The steps to the result.
    pub steps: Vec<Step>,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}", self.start)?;
        for step in &self.steps {
            let arrow = if step.forward { "" } else { ", from right to left" };
            write!(f, "\n= {}\n    by {}{arrow}", step.after, step.rule)?;
            if !step.condition.is_empty() {
                write!(f, ": {}", step.condition)?;
            }
            let known =
                if step.replay == Replay::Class { ", condition known of the class" } else { "" };
            let all = if step.all { "all " } else { "" };
            let point = if step.points == 1 { "point" } else { "points" };
            write!(f, " (checked at {all}{} {point}{known}", step.points)?;
            if let Some(proof) = &step.proof {
                write!(f, "; proved by {proof}")?;
            }
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// The chain of equations from a term to its cheapest equal.
///
/// # Errors
///
/// [`Error::Contradiction`] as in a search; [`Error::Step`] where a step does not hold when it is
/// replayed, which is a defect of the rules.
///
/// ```
/// use layout_egraph::{Budget, Settings, cost::Model, explain, read};
/// let budget = Budget { evaluate: false, ..Budget::default() };
/// let settings = Settings { budget, ..Settings::new(Model::Size, 64) };
/// let explanation = explain(&read("[coalesce(flatten((2,3):(3,1)))]")?, &settings)?;
/// assert_eq!(explanation.to_string(), "  coalesce(flatten((2,3):(3,1)))
/// = coalesce((2,3):(3,1))
///     by coalesce-of-flatten: a is a layout, a = (2,3):(3,1) (checked at all 1 point)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain(expr: &RecExpr<Node>, settings: &Settings) -> Result<Explanation, Error> {
    let analyst = LayoutAnalysis::new(settings.budget.evaluate, settings.width);
    let mut egraph = EGraph::<Node, LayoutAnalysis>::new(analyst).with_explanations_enabled();
    let root = egraph.add_expr(expr);
    let mut search = Search::explaining(egraph, &settings.budget);
    search.run(settings.model != Model::Size).map_err(Error::Contradiction)?;
    let priced = CostGraph::new(&search.egraph, &settings.model, &[root]);
    let choice = match settings.model {
        Model::Size => priced.tree(),
        Model::Nvptx(_) | Model::Applied(_) => {
            priced.exact(priced.greedy(settings.greedy_steps), &settings.exact).0
        }
    };
    let (found, _) = priced.term(&choice);
    chain(&mut search.egraph, expr, &found, settings.width)
}

/// The chain of equations from one term to another, or `None` if one search does not find them equal.
///
/// # Errors
///
/// As [`explain()`].
///
/// ```
/// use layout_egraph::{Settings, cost::{Chip, Model}, explain_equal, read};
/// let settings = Settings::new(Model::Nvptx(Chip::named("sm_90a").expect("a chip")), 32);
/// let from = read("(add (mul (div t:0..127 8) 128) (mod t 8))")?;
/// let to = read("(add t:0..127 (mul (div t 8) 120))")?;
/// let explanation = explain_equal(&from, &to, &settings)?.expect("equal");
/// assert!(explanation.to_string().contains("by split-digits: always; v is e - c"));
/// assert_eq!(explain_equal(&from, &read("(add t:0..127 1)")?, &settings)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain_equal(
    from: &RecExpr<Node>,
    to: &RecExpr<Node>,
    settings: &Settings,
) -> Result<Option<Explanation>, Error> {
    let analyst = LayoutAnalysis::new(settings.budget.evaluate, settings.width);
    let mut egraph = EGraph::<Node, LayoutAnalysis>::new(analyst).with_explanations_enabled();
    let ends = [egraph.add_expr(from), egraph.add_expr(to)];
    let mut search = Search::explaining(egraph, &settings.budget);
    search.run(false).map_err(Error::Contradiction)?;
    if search.egraph.find(ends[0]) != search.egraph.find(ends[1]) {
        return Ok(None);
    }
    chain(&mut search.egraph, from, to, settings.width).map(Some)
}

/// The chain between two terms of one class.
fn chain(
    egraph: &mut EGraph<Node, LayoutAnalysis>,
    from: &RecExpr<Node>,
    to: &RecExpr<Node>,
    width: u32,
) -> Result<Explanation, Error> {
    let mut chain = egraph.explain_equivalence(from, to);
    let flat = chain.make_flat_explanation();
    let steps = flat.windows(2).map(|pair| step(&pair[0], &pair[1], width));
    let first = tree(&flat[0]);
    Ok(Explanation { start: text(&first), first, steps: steps.collect::<Result<_, _>>()? })
}

/// One step, replayed and evaluated.
fn step(before: &FlatTerm<Node>, after: &FlatTerm<Node>, width: u32) -> Result<Step, Error> {
    let (whole_before, whole_after) = (tree(before), tree(after));
    let wrong = |rule: &str| Error::Step {
        rule: rule.to_owned(),
        before: text(&whole_before),
        after: text(&whole_after),
    };
    let Some(site) = site(before, after) else { return Err(wrong("no rule")) };
    let (from, to) = (tree(site.before), tree(site.after));
    let (from, to) = if site.forward { (from, to) } else { (to, from) };
    let (replay, condition) =
        replay(&site.rule, &from, &to, width).ok_or_else(|| wrong(&site.rule))?;
    let (points, all) =
        agree(&whole_before, &whole_after, width).ok_or_else(|| wrong(&site.rule))?;
    Ok(Step {
        after: text(&whole_after),
        term: whole_after,
        rule: site.rule,
        forward: site.forward,
        condition,
        replay,
        points,
        all,
        proof: None,
    })
}

/// Where two terms of a chain differ.
struct Site<'t> {
    before: &'t FlatTerm<Node>,
    after: &'t FlatTerm<Node>,
    rule: String,
    forward: bool,
}

fn site<'t>(before: &'t FlatTerm<Node>, after: &'t FlatTerm<Node>) -> Option<Site<'t>> {
    let found =
        |rule: egg::Symbol, forward| Site { before, after, rule: rule.to_string(), forward };
    match (after.forward_rule, after.backward_rule) {
        (Some(rule), _) => Some(found(rule, true)),
        (_, Some(rule)) => Some(found(rule, false)),
        _ => before.children.iter().zip(&after.children).find_map(|(a, b)| site(a, b)),
    }
}

/// A flat term without sharing.
fn tree(term: &FlatTerm<Node>) -> RecExpr<Node> {
    fn add(expr: &mut RecExpr<Node>, term: &FlatTerm<Node>) -> Id {
        let below: Vec<Id> = term.children.iter().map(|child| add(expr, child)).collect();
        let mut below = below.into_iter();
        expr.add(term.node.clone().map_children(|child| below.next().unwrap_or(child)))
    }
    let mut expr = RecExpr::default();
    add(&mut expr, term);
    expr
}

/// A term in the algebra's notation where it is one.
fn text(expr: &RecExpr<Node>) -> String {
    let nodes: &[Node] = expr;
    let mut terms: Vec<Option<Term>> = Vec::new();
    for node in nodes {
        let below = node.children().iter().map(|&child| terms[usize::from(child)].clone());
        let term = below.collect::<Option<Vec<_>>>().and_then(|below| to_term(node, below));
        terms.push(term);
    }
    terms.pop().flatten().map_or_else(|| write(expr), |term| term.to_string())
}

/// Matches a rule again; returns `None` if it does not lead from one term to the other.
fn replay(
    name: &str,
    from: &RecExpr<Node>,
    to: &RecExpr<Node>,
    width: u32,
) -> Option<(Replay, String)> {
    if name == EVALUATE {
        let replay = if value(from, &BTreeMap::new(), width).is_some() {
            Replay::Evaluated
        } else {
            Replay::Class
        };
        return Some((replay, String::new()));
    }
    let rule = rules::find(name)?;
    let left: Pattern<Node> = rule.left.parse().ok()?;
    let right: Pattern<Node> = rule.right.parse().ok()?;
    let mut found: BTreeMap<String, RecExpr<Node>> = BTreeMap::new();
    if !matches(&left, from, &mut found) {
        return None;
    }
    let reported: BTreeMap<&str, Facts> =
        found.iter().map(|(name, term)| (name.as_str(), facts_of(term, width))).collect();
    let facts = |name: &str| reported.get(name);
    let mut words = vec![rule.condition.to_owned()];
    words.extend(found.iter().map(|(name, term)| format!("{name} = {}", text(term))));
    let Some(computed) = rule.instantiate(&Known::new(&facts, width)) else {
        // The class knew more. The term that the rule made shows what the rule computed.
        return matches(&right, to, &mut found).then(|| (Replay::Class, words.join(", ")));
    };
    if !matches(&right, to, &mut found) {
        return None;
    }
    for (name, value) in computed {
        words.push(format!("{name} = {value}"));
        // The term that was found may be another one of the value's class.
        if facts_of(found.get(name)?, width).value != Some(value) {
            return None;
        }
    }
    Some((Replay::Rule, words.join(", ")))
}

/// Whether a term is an instance of a pattern, with the variables that are bound so far.
fn matches(
    pattern: &Pattern<Node>,
    term: &RecExpr<Node>,
    found: &mut BTreeMap<String, RecExpr<Node>>,
) -> bool {
    let patterns: &[ENodeOrVar<Node>] = &pattern.ast;
    let terms: &[Node] = term;
    let (Some(last), Some(root)) = (patterns.len().checked_sub(1), terms.len().checked_sub(1))
    else {
        return false;
    };
    let mut steps = vec![(last, root)];
    while let Some((pattern, place)) = steps.pop() {
        match &patterns[pattern] {
            ENodeOrVar::Var(var) => {
                let here = part(term, place.into());
                let name = var.to_string().trim_start_matches('?').to_owned();
                if *found.entry(name).or_insert_with(|| here.clone()) != here {
                    return false;
                }
            }
            ENodeOrVar::ENode(node) => {
                if !node.matches(&terms[place]) {
                    return false;
                }
                let below = node.children().iter().zip(terms[place].children());
                steps.extend(below.map(|(&a, &b)| (usize::from(a), usize::from(b))));
            }
        }
    }
    true
}

/// The subterm at a place, as a term; nothing if there is no such place.
pub fn part(term: &RecExpr<Node>, place: Id) -> RecExpr<Node> {
    let nodes: &[Node] = term;
    let end = nodes.get(usize::from(place));
    end.map(|end| end.build_recexpr(|id| nodes[usize::from(id)].clone())).unwrap_or_default()
}

/// The facts of a term on its own.
fn facts_of(term: &RecExpr<Node>, width: u32) -> Facts {
    let mut egraph = EGraph::<Node, LayoutAnalysis>::new(LayoutAnalysis::new(true, width));
    let root = egraph.add_expr(term);
    egraph.rebuild();
    egraph[root].data.clone()
}

/// The value of a term for values of its symbols.
pub fn value(term: &RecExpr<Node>, symbols: &BTreeMap<&str, i64>, width: u32) -> Option<Value> {
    let names: Vec<&str> = symbols.keys().copied().collect();
    let at: Vec<i64> = symbols.values().copied().collect();
    Evaluation::new(term, &names, width).at(&at).cloned()
}

/// A term that is evaluated again and again, in place.
struct Evaluation<'t> {
    nodes: &'t [Node],
    /// For each node, which of the symbols it is.
    symbols: Vec<Option<usize>>,
    width: u32,
    values: Vec<Option<Cow<'t, Value>>>,
}

impl<'t> Evaluation<'t> {
    fn new(term: &'t RecExpr<Node>, names: &[&str], width: u32) -> Self {
        let nodes: &[Node] = term;
        let place = |node: &Node| match node {
            Node::Symbol(symbol) => names.iter().position(|&name| name == symbol.name),
            _ => None,
        };
        let symbols = nodes.iter().map(place).collect();
        Self { nodes, symbols, width, values: Vec::with_capacity(nodes.len()) }
    }

    /// The value of the whole for values of the symbols, in the order of their names.
    fn at(&mut self, symbols: &[i64]) -> Option<&Value> {
        self.values.clear();
        for (node, symbol) in self.nodes.iter().zip(&self.symbols) {
            let value = match (node, symbol) {
                (Node::Literal(value), _) => Some(Cow::Borrowed(value)),
                (_, Some(place)) => symbols.get(*place).map(|&at| Cow::Owned(Value::Int(at))),
                _ => self.of(node).map(Cow::Owned),
            };
            self.values.push(value);
        }
        self.values.last()?.as_deref()
    }

    /// The value of a node whose operands are evaluated.
    fn of(&self, node: &Node) -> Option<Value> {
        let below = node.children().iter().map(|&child| self.values[usize::from(child)].as_deref());
        if let Node::Index(op, _) = node {
            let mut ints = [0; 3];
            for (int, value) in ints.iter_mut().zip(below) {
                let Some(Value::Int(value)) = value else { return None };
                *int = *value;
            }
            return op.eval(ints.get(..node.children().len())?, self.width).map(Value::Int);
        }
        let below = below.map(|value| value.cloned()).collect::<Option<Vec<_>>>()?;
        node.value(&below, self.width)
    }
}

/// Evaluates both terms at values of their symbols: how many, and whether these are all. None where
/// they differ.
pub fn agree(a: &RecExpr<Node>, b: &RecExpr<Node>, width: u32) -> Option<(u64, bool)> {
    let nodes = a.iter().chain(b.iter());
    let symbols: BTreeMap<&str, &Symbol> = nodes
        .filter_map(|node| match node {
            Node::Symbol(symbol) => Some((symbol.name.as_str(), symbol)),
            _ => None,
        })
        .collect();
    let count = |symbol: &Symbol| {
        let span = i128::from(symbol.high) - i128::from(symbol.low);
        u64::try_from(span / i128::from(symbol.multiple.max(1)))
            .unwrap_or(u64::MAX)
            .saturating_add(1)
    };
    let total = symbols.values().fold(1_u64, |total, symbol| total.saturating_mul(count(symbol)));
    let (points, all) = if total <= POINTS { (total, true) } else { (256, false) };
    let names: Vec<&str> = symbols.keys().copied().collect();
    let mut sides = [a, b].map(|term| Evaluation::new(term, &names, width));
    let mut at: Vec<i64> = Vec::with_capacity(names.len());
    for point in 0..points {
        let mut rest = point;
        // The ends of the ranges first, then anywhere, the same on every run.
        let mut random = fastrand::Rng::with_seed(point);
        at.clear();
        at.extend(symbols.values().map(|symbol| {
            let steps = if all {
                let digit = rest % count(symbol);
                rest /= count(symbol);
                digit
            } else {
                let bit = point >> (symbol.name.len() % 8) & 3;
                match bit {
                    0 if point < 64 => 0,
                    1 if point < 64 => count(symbol) - 1,
                    _ => random.u64(..count(symbol)),
                }
            };
            let multiple = i128::from(symbol.multiple.max(1));
            let first = i128::from(symbol.low) + (-i128::from(symbol.low)).rem_euclid(multiple);
            let value = (first + i128::from(steps) * multiple).min(i128::from(symbol.high));
            i64::try_from(value).unwrap_or(symbol.low)
        }));
        let [before, after] = &mut sides;
        if let Some(before) = before.at(&at)
            && after.at(&at) != Some(before)
        {
            return None;
        }
    }
    Some((points, all))
}
