//! How each rule is proved: what its form allows. The README's tables say it by row, `tests/proofs.rs` and
//! `tests/rules.rs` do it.

use egg::{ENodeOrVar, Language, Pattern};
use layout_algebra::Value;
use layout_egraph::{
    index::IndexOp,
    node::Node,
    rules::{FAMILIES, Rule, RuleLanguage, variables},
};

/// How a rule is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Proof {
    /// Bit by bit: logic of words is logic of each bit, so that a truth table proves it at every width.
    Bits,
    /// Both sides are one polynomial over the integers, hence over the words of every width. A quotient is an
    /// unknown of it, and a remainder what the quotient leaves.
    Ring,
    /// Both sides only compare variables: what holds for every order of them, which words of three bits have,
    /// holds at every width.
    Order,
    /// ISL, at words of 32 bits: for constants of a list, and for all values of the other variables
    /// that the loosest facts admit under which the condition holds.
    Isl,
    /// At every word of up to eight bits, and for all that facts admit at three.
    Words,
    /// On all small layouts.
    Layouts,
}

impl Proof {
    /// The word in the README's tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Ring => "ring",
            Self::Order => "order",
            Self::Isl => "ISL",
            Self::Words => "words",
            Self::Layouts => "small layouts",
        }
    }

    /// How a rule is proved.
    pub(crate) fn of(rule: &Rule) -> Self {
        let family =
            FAMILIES.iter().find(|family| family.rules.iter().any(|r| r.name == rule.name));
        if family.is_none_or(|family| family.language != RuleLanguage::Indices) {
            return Self::Layouts;
        }
        let free = !rule.is_conditional() && rule.computes.is_empty();
        let all = |allowed: &[IndexOp]| {
            [rule.left, rule.right].iter().all(|side| {
                operations(side).is_some_and(|found| found.iter().all(|op| allowed.contains(op)))
            })
        };
        use IndexOp::*;
        if free && all(&[And, Or, Xor, AndOr, AndXor, OrAnd, XorAnd, And3, Or3, Xor3]) {
            Self::Bits
        } else if free && all(&[Add, Sub, Mul, Mad, Add3]) {
            Self::Ring
        } else if [rule.left, rule.right].iter().all(|side| is_quasi_affine(side, rule)) {
            Self::Isl
        } else if free && all(&[Add, Sub, Mul, Mad, Add3, Div, Mod]) {
            Self::Ring
        } else if free && [rule.left, rule.right].iter().all(|side| is_order(side)) {
            Self::Order
        } else {
            Self::Words
        }
    }
}

/// Whether a variable stands for a constant.
pub(crate) fn is_constant(name: &str) -> bool {
    matches!(name, "c" | "d" | "e" | "f")
}

/// The operations of a side, or `None` if it holds more than indices.
fn operations(side: &str) -> Option<Vec<IndexOp>> {
    let pattern: Pattern<Node> = side.parse().ok()?;
    let mut found = Vec::new();
    for node in &*pattern.ast {
        match node {
            ENodeOrVar::ENode(Node::Index(op, _)) => found.push(*op),
            ENodeOrVar::ENode(Node::Literal(_)) | ENodeOrVar::Var(_) => {}
            ENodeOrVar::ENode(_) => return None,
        }
    }
    Some(found)
}

/// Whether a side compares variables, and what it finds, alone.
fn is_order(side: &str) -> bool {
    use IndexOp::*;
    let Ok(pattern) = side.parse::<Pattern<Node>>() else { return false };
    // The kind of each node: a word that is compared, or a predicate.
    let mut words: Vec<bool> = Vec::new();
    for node in &*pattern.ast {
        words.push(match node {
            ENodeOrVar::Var(_) => true,
            ENodeOrVar::ENode(Node::Index(op, below)) => {
                let are = |word: bool| below.iter().all(|&id| words[usize::from(id)] == word);
                match op {
                    Min | Max if are(true) => true,
                    Less | AtMost | Equal if are(true) => false,
                    And | Or | Xor if are(false) => false,
                    _ => return false,
                }
            }
            ENodeOrVar::ENode(_) => return false,
        });
    }
    variables(side).len() <= 4
}

/// Whether a side is quasi-affine once what stands for constants is one: products, quotients, remainders,
/// shifts and masks have a constant on one side.
fn is_quasi_affine(side: &str, rule: &Rule) -> bool {
    use IndexOp::*;
    let Ok(pattern) = side.parse::<Pattern<Node>>() else { return false };
    let known = variables(rule.left);
    let mut constants: Vec<bool> = Vec::new();
    for node in &*pattern.ast {
        constants.push(match node {
            ENodeOrVar::Var(var) => {
                let name = var.to_string();
                let name = name.trim_start_matches('?');
                // A computed variable is computed from constants.
                is_constant(name) || !known.iter().any(|known| known == name)
            }
            ENodeOrVar::ENode(Node::Literal(Value::Int(_))) => true,
            ENodeOrVar::ENode(Node::Index(op, below)) => {
                let is = |i: usize| constants[usize::from(below[i])];
                let affine = match op {
                    Add | Sub | Add3 | Min | Max | Less | AtMost | Equal | Select => true,
                    Mul | And | Or | Xor | Mad => is(0) || is(1),
                    Div | Mod | High | Shl | Shr => is(1),
                    AndOr | AndXor | OrAnd | XorAnd | And3 | Or3 | Xor3 => false,
                };
                if !affine {
                    return false;
                }
                node.children_are_constant(&constants)
            }
            ENodeOrVar::ENode(_) => return false,
        });
    }
    true
}

trait Children {
    fn children_are_constant(&self, constants: &[bool]) -> bool;
}

impl Children for ENodeOrVar<Node> {
    fn children_are_constant(&self, constants: &[bool]) -> bool {
        self.children().iter().all(|&child| constants[usize::from(child)])
    }
}
