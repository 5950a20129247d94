//! The table of equations, by family.
//!
//! A rule says that two terms have the same value wherever its condition holds: for layouts nested
//! in the same way, for indices at every width. Conditions are evaluated on the facts about the
//! variables' classes; what is not known is no. Writing one:
//!
//! - An equation of functions is not enough: `coalesce(B)` in place of `B` keeps the function and
//!   loses the profile, which is legal under another `coalesce` only.
//! - A layout may be read past its size. Only `coalesce_x` keeps what is there, so `coalesce`
//!   may not appear on the left of a composition.
//! - A variable stands for any operand that evaluation accepts: composed layouts, integers that are
//!   meant as `n:1`, tilers. A rule for plain layouts requires them.
//! - Indices wrap. A rule that divides, shifts right or compares requires that nothing wrapped before.
//! - Both sides of a rule on indices have a value, or neither: `x / x` is not 1 where `x` may be 0.
//! - A condition is monotone: it still holds when more is known. A condition that holds for each
//!   value that the facts admit then holds for the facts.
//! - No rule rotates sums in general: that and commuting make every tree of every sum. A rule that
//!   regroups has an order that it descends (constants outward, deeper loops outward).
//! - Every row is checked exhaustively on small operands, and shown wrong without its condition.

mod applied;
mod bits;
mod complement;
mod compose;
mod digits;
mod divide;
mod division;
mod fused;
mod inverse;
mod joined;
mod known;
mod layouts;
mod linear;
mod modes;
mod normal;
mod predicates;
mod queries;
mod sums;
mod swizzles;

pub use known::Known;

use crate::{
    facts::{Facts, LayoutAnalysis},
    node::Node,
};
use egg::{
    Applier, EGraph, ENodeOrVar, Id, Language, Pattern, PatternAst, Rewrite, Subst, Symbol, Var,
};
use layout_algebra::Value;
use std::{
    collections::BTreeMap,
    str::FromStr,
    sync::{Arc, LazyLock},
};

/// When a rule is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Both first, on its own, and in the search: the right side is no larger than the left.
    Shrink,
    /// In the search.
    Search,
    /// At the end: operations that a machine has, which no other rule examines.
    Fuse,
}

/// A condition on facts.
pub type Condition = fn(&Known<'_>) -> bool;

/// A value computed from facts; none means that the rule does not apply.
pub type Computation = fn(&Known<'_>) -> Option<Value>;

/// One equation, from left to right.
#[derive(Clone, Copy)]
pub struct Rule {
    /// The name, unique.
    pub name: &'static str,
    /// The term that is found.
    pub left: &'static str,
    /// The term that is added. Variables that are not on the left are computed.
    pub right: &'static str,
    /// When it holds, in words; `always` if it does.
    pub condition: &'static str,
    /// When it holds.
    pub holds: Condition,
    /// The condition that keeps the search small; the equation holds without it.
    pub profitable: Condition,
    /// Variables of the right side that are not on the left.
    pub computes: &'static [(&'static str, Computation)],
    /// Where it comes from: an identity by number, or a definition.
    pub origin: &'static str,
    /// The mistake that the condition keeps out.
    pub avoids: &'static str,
    /// Operands for which the condition fails and the two sides differ; empty where small operands
    /// show it.
    pub counterexample: &'static [(&'static str, &'static str)],
    /// When it is run.
    pub phase: Phase,
}

/// The base of each row: no condition, nothing computed.
const ROW: Rule = Rule {
    name: "",
    left: "",
    right: "",
    condition: "always",
    holds: |_| true,
    profitable: |_| true,
    computes: &[],
    origin: "",
    avoids: "nothing: holds for every operand",
    counterexample: &[],
    phase: Phase::Search,
};

/// The language of a family's rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleLanguage {
    /// Layouts.
    Layouts,
    /// Indices.
    Indices,
    /// Layouts applied to indices.
    Both,
}

/// Rules of one kind.
pub struct Family {
    /// The family's name.
    pub name: &'static str,
    /// The language that they speak.
    pub language: RuleLanguage,
    /// The rules.
    pub rules: &'static [Rule],
}

impl Family {
    /// Whether the rules only explain: they prove terms of layouts equal, and run where nothing is evaluated. In a search
    /// that evaluates, a layout that is known has its value before any of them matches, and one with open
    /// leaves is no term of theirs; `cargo measure rules` counts that none fires.
    pub fn explains(&self) -> bool {
        self.language == RuleLanguage::Layouts
    }
}

/// Every family.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "Coalesce and normal forms",
        language: RuleLanguage::Layouts,
        rules: normal::RULES,
    },
    Family { name: "Composition", language: RuleLanguage::Layouts, rules: compose::RULES },
    Family { name: "Complement", language: RuleLanguage::Layouts, rules: complement::RULES },
    Family { name: "Divide and product", language: RuleLanguage::Layouts, rules: divide::RULES },
    Family { name: "Inverses", language: RuleLanguage::Layouts, rules: inverse::RULES },
    Family { name: "Queries", language: RuleLanguage::Layouts, rules: queries::RULES },
    Family { name: "Modes and slices", language: RuleLanguage::Layouts, rules: modes::RULES },
    Family { name: "Swizzles", language: RuleLanguage::Both, rules: swizzles::RULES },
    Family { name: "Linear layouts", language: RuleLanguage::Layouts, rules: linear::RULES },
    Family { name: "Layouts applied", language: RuleLanguage::Both, rules: applied::RULES },
    Family { name: "Layouts joined", language: RuleLanguage::Both, rules: joined::RULES },
    Family { name: "Sums and products", language: RuleLanguage::Indices, rules: sums::RULES },
    Family {
        name: "Division and remainder",
        language: RuleLanguage::Indices,
        rules: division::RULES,
    },
    Family { name: "Digits and like terms", language: RuleLanguage::Indices, rules: digits::RULES },
    Family { name: "Bits", language: RuleLanguage::Indices, rules: bits::RULES },
    Family { name: "Predicates", language: RuleLanguage::Indices, rules: predicates::RULES },
    Family { name: "Fused operations", language: RuleLanguage::Indices, rules: fused::RULES },
];

/// Every rule, by family.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.rules)
}

/// A rule by name.
pub fn find(name: &str) -> Option<&'static Rule> {
    static BY_NAME: LazyLock<BTreeMap<&'static str, &'static Rule>> =
        LazyLock::new(|| all().map(|rule| (rule.name, rule)).collect());
    BY_NAME.get(name).copied()
}

/// A rule as egg runs it.
pub(crate) struct Compiled {
    pub(crate) rule: &'static Rule,
    pub(crate) rewrite: Rewrite<Node, LayoutAnalysis>,
    /// Whether it only explains.
    pub(crate) explains: bool,
    /// The operations of the left side: where an e-graph lacks one, nothing matches.
    pub(crate) needs: Vec<<Node as Language>::Discriminant>,
}

/// The table as egg runs it, once for all searches.
pub(crate) fn compiled() -> &'static [Compiled] {
    static COMPILED: LazyLock<Vec<Compiled>> = LazyLock::new(|| {
        let compile = |rule: &'static Rule, explains: bool| {
            let rewrite = rule.compile()?;
            let left = Pattern::<Node>::from_str(rule.left).ok()?;
            let needs = left.ast.iter().filter_map(|node| match node {
                ENodeOrVar::ENode(node) => Some(node.discriminant()),
                ENodeOrVar::Var(_) => None,
            });
            Some(Compiled { rule, rewrite, explains, needs: needs.collect() })
        };
        let of = |family: &'static Family| {
            let explains = family.explains();
            family.rules.iter().filter_map(move |rule| compile(rule, explains))
        };
        FAMILIES.iter().flat_map(of).collect()
    });
    &COMPILED
}

impl Rule {
    /// Whether there is a condition.
    pub fn is_conditional(&self) -> bool {
        !self.condition.starts_with("always")
    }

    /// None when a pattern does not parse, which a test excludes.
    fn compile(&'static self) -> Option<Rewrite<Node, LayoutAnalysis>> {
        let left = Pattern::<Node>::from_str(self.left).ok()?;
        let right = Pattern::<Node>::from_str(self.right).ok()?;
        let parsed = |name: String| Some((format!("?{name}").parse().ok()?, name));
        let vars = variables(self.left).into_iter().filter_map(parsed);
        let computes = self.computes.iter();
        let computed = computes.filter_map(|(name, _)| format!("?{name}").parse().ok()).collect();
        let conditional =
            Conditional { rule: self, right: Arc::new(right), vars: vars.collect(), computed };
        Rewrite::new(self.name, left, conditional).ok()
    }

    /// The values that the right side needs besides the variables of the left, where the condition
    /// holds, or `None` if it does not.
    pub fn instantiate(&self, known: &Known<'_>) -> Option<Vec<(&'static str, Value)>> {
        if !(self.holds)(known) {
            return None;
        }
        self.computes.iter().map(|&(name, compute)| Some((name, compute(known)?))).collect()
    }
}

/// Applies a rule's right side where its condition holds.
struct Conditional {
    rule: &'static Rule,
    right: Arc<Pattern<Node>>,
    /// The variables of the left side, by which conditions require them.
    vars: Vec<(Var, String)>,
    /// The variables that are computed, in order.
    computed: Vec<Var>,
}

impl Applier<Node, LayoutAnalysis> for Conditional {
    fn apply_one(
        &self,
        egraph: &mut EGraph<Node, LayoutAnalysis>,
        class: Id,
        subst: &Subst,
        searcher: Option<&PatternAst<Node>>,
        name: Symbol,
    ) -> Vec<Id> {
        let facts = |name: &str| {
            let (var, _) = self.vars.iter().find(|(_, known)| known == name)?;
            Some(&egraph[*subst.get(*var)?].data)
        };
        let known = Known::new(&facts, egraph.analysis.width);
        if !(self.rule.profitable)(&known) {
            return vec![];
        }
        let Some(computed) = self.rule.instantiate(&known) else { return vec![] };
        let mut subst = subst.clone();
        for (&var, (_, value)) in self.computed.iter().zip(computed) {
            let id = egraph.add(Node::Literal(value));
            subst.insert(var, id);
        }
        self.right.apply_one(egraph, class, &subst, searcher, name)
    }

    fn vars(&self) -> Vec<Var> {
        use egg::Searcher;
        let mut vars = Searcher::<Node, LayoutAnalysis>::vars(&*self.right);
        vars.retain(|var| !self.computed.contains(var));
        vars
    }
}

/// The variables of a pattern, each once, in order.
pub fn variables(pattern: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    if let Ok(pattern) = Pattern::<Node>::from_str(pattern) {
        for node in &*pattern.ast {
            if let egg::ENodeOrVar::Var(var) = node {
                let name = var.to_string().trim_start_matches('?').to_owned();
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
    }
    found
}

/// The value of a pattern for given variables, at a width of indices. The slow definition that
/// rules are checked against.
pub fn evaluate(
    pattern: &Pattern<Node>,
    value: &dyn Fn(&str) -> Option<Value>,
    width: u32,
) -> Option<Value> {
    let mut values: Vec<Option<Value>> = Vec::new();
    for node in &*pattern.ast {
        let found = match node {
            egg::ENodeOrVar::Var(var) => value(var.to_string().trim_start_matches('?')),
            egg::ENodeOrVar::ENode(node) => {
                let below = node.children().iter().map(|&child| values[usize::from(child)].clone());
                match below.collect::<Option<Vec<_>>>() {
                    Some(below) => node.value(&below, width),
                    None => None,
                }
            }
        };
        values.push(found);
    }
    values.pop().flatten()
}

/// Facts of a value, as a rule's condition reads them of a constant.
pub fn facts_of(value: Value, width: u32) -> Facts {
    Facts::of_value(value, width)
}
