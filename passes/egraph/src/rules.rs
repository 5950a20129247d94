//! The table of equations.
//!
//! A rule says that two terms have the same value, nested in the same way, wherever its condition
//! holds. Conditions are asked of what is known of the variables' classes; what is not known is no.
//! Writing one:
//!
//! - An equation of functions is not enough: `coalesce(B)` in place of `B` keeps the function and
//!   loses the profile, which is legal under another `coalesce` only.
//! - A layout may be read past its size. Only `coalesce_x` keeps what stands there, so `coalesce`
//!   may not appear on the left of a composition.
//! - A variable stands for any operand that evaluation accepts: composed layouts, integers that are
//!   meant as `n:1`, tilers. A rule for plain layouts asks for them.
//! - Every row is checked exhaustively on small operands, and its counterexample shows what the
//!   condition keeps out.

mod table;

pub use table::RULES;

use crate::{facts::Evaluation, node::Node};
use egg::{Applier, EGraph, Id, Language, Pattern, PatternAst, Rewrite, Subst, Symbol, Var};
use layout_algebra::{AnyLayout, Layout, Tiler, Value};
use std::{str::FromStr, sync::Arc};

/// One equation, from left to right.
pub struct Rule {
    /// The name, unique.
    pub name: &'static str,
    /// The term that is found.
    pub left: &'static str,
    /// The term that is added. A variable `?v` that is not on the left is what `computes` gives.
    pub right: &'static str,
    /// When it holds, in words.
    pub condition: &'static str,
    /// When it holds.
    pub holds: fn(&Known<'_>) -> bool,
    /// The value of `?v`.
    pub computes: Option<fn(&Known<'_>) -> Option<Value>>,
    /// Where it comes from: an identity by number, or a definition.
    pub origin: &'static str,
    /// The mistake that the condition keeps out.
    pub avoids: &'static str,
    /// Operands for which the condition fails and the two sides differ.
    pub counterexample: &'static [(&'static str, &'static str)],
}

/// What is known of a rule's variables.
pub struct Known<'k> {
    value: &'k dyn Fn(&str) -> Option<Value>,
}

impl<'k> Known<'k> {
    /// Facts from a lookup by variable name, without the `?`.
    pub fn new(value: &'k dyn Fn(&str) -> Option<Value>) -> Self {
        Self { value }
    }

    /// The value of a variable.
    pub fn value(&self, name: &str) -> Option<Value> {
        (self.value)(name)
    }

    /// The value as a plain layout.
    pub fn layout(&self, name: &str) -> Option<Layout> {
        match self.value(name)? {
            Value::Layout(layout) => Some(layout),
            _ => None,
        }
    }

    /// The value as a layout, plain or composed.
    pub fn any_layout(&self, name: &str) -> Option<AnyLayout> {
        match self.value(name)? {
            Value::Layout(layout) => Some(AnyLayout::Plain(layout)),
            Value::Composed(composed) => Some(AnyLayout::Composed(composed)),
            _ => None,
        }
    }

    /// The value as an integer.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The value as a tuple of tilers.
    pub fn tilers(&self, name: &str) -> Option<Vec<Tiler>> {
        match self.value(name)?.tiler().ok()? {
            Tiler::Tuple(entries) => Some(entries),
            _ => None,
        }
    }
}

/// A rule by name.
pub fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// The table as egg runs it.
pub(crate) fn compiled() -> Vec<Rewrite<Node, Evaluation>> {
    RULES.iter().filter_map(Rule::compile).collect()
}

impl Rule {
    /// None when a pattern does not parse, which a test excludes.
    fn compile(&'static self) -> Option<Rewrite<Node, Evaluation>> {
        let left = Pattern::<Node>::from_str(self.left).ok()?;
        let right = Pattern::<Node>::from_str(self.right).ok()?;
        Rewrite::new(self.name, left, Guarded { rule: self, right: Arc::new(right) }).ok()
    }
}

/// Applies a rule's right side where its condition holds.
struct Guarded {
    rule: &'static Rule,
    right: Arc<Pattern<Node>>,
}

impl Applier<Node, Evaluation> for Guarded {
    fn apply_one(
        &self,
        egraph: &mut EGraph<Node, Evaluation>,
        class: Id,
        subst: &Subst,
        searcher: Option<&PatternAst<Node>>,
        name: Symbol,
    ) -> Vec<Id> {
        let value = |name: &str| {
            let var: Var = format!("?{name}").parse().ok()?;
            egraph[*subst.get(var)?].data.value.clone()
        };
        let known = Known::new(&value);
        if !(self.rule.holds)(&known) {
            return vec![];
        }
        let computed = match self.rule.computes {
            None => None,
            Some(computes) => match computes(&known) {
                None => return vec![],
                some => some,
            },
        };
        let mut subst = subst.clone();
        if let (Some(value), Ok(var)) = (computed, "?v".parse::<Var>()) {
            let id = egraph.add(Node::Literal(value));
            subst.insert(var, id);
        }
        self.right.apply_one(egraph, class, &subst, searcher, name)
    }

    fn vars(&self) -> Vec<Var> {
        use egg::Searcher;
        // `?v` is made, not found.
        let mut vars = Searcher::<Node, Evaluation>::vars(&*self.right);
        vars.retain(|var| var.to_string() != "?v");
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

/// The value of a pattern for given variables.
pub fn evaluate(pattern: &str, value: &dyn Fn(&str) -> Option<Value>) -> Option<Value> {
    use layout_algebra::Term;
    let pattern = Pattern::<Node>::from_str(pattern).ok()?;
    let mut terms: Vec<Term> = Vec::new();
    for node in &*pattern.ast {
        let below = |children: &[Id]| {
            children.iter().map(|&child| terms[usize::from(child)].clone()).collect::<Vec<_>>()
        };
        let term = match node {
            egg::ENodeOrVar::Var(var) => {
                Term::Literal(value(var.to_string().trim_start_matches('?'))?)
            }
            egg::ENodeOrVar::ENode(node) => match node {
                Node::Literal(value) => Term::Literal(value.clone()),
                Node::Tiler(_) => Term::Tiler(below(node.children())),
                Node::Call(op, _) => Term::Call { op: *op, args: below(node.children()) },
            },
        };
        terms.push(term);
    }
    terms.last()?.eval().ok()
}
