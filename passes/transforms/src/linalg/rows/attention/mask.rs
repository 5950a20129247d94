//! The last key that a query may attend to, if the function of the scores determines it: `k <= q + c` selects a score,
//! and otherwise a number below all scores.
//!
//! | function of a score `x` | bound |
//! |---|---|
//! | `select(q + a >= k + b, f(x), low)`, other comparisons, and with `low` first | `k <= q + (a - b)` |
//! | `f(x) + select(…, 0, low)` | the same |
//! | `select(u and v, …)` | that of `u` or `v` |
//! | `select(not u, low, f(x))` | that of `select(u, f(x), low)` |
//! | one of these as another type of floats | the same |
//!
//! Keys beyond the bound add nothing to the sums of a query that has any other, if `low` is an infinity, or below all scores: those are
//! taken to be greater than [`LOW`] plus 104, the logarithm of what f32 holds. A bound with a finite `low` is used only where each
//! query has a key that counts: `f` is arithmetic of the score and of numbers, and `c` at least 0.

use super::{
    super::{
        coordinate::{CoordId, Coordinate},
        graph::{Graph, Node, Step},
    },
    structure::{Attention, Reader},
};
use layout_dialect::tree;
use melior::ir::{attribute::IntegerAttribute, operation::OperationLike};

/// Numbers that are no score.
pub(super) const LOW: f64 = -1e29;

/// Arithmetic that keeps a score one.
const PLAIN: [&str; 9] = [
    "arith.addf",
    "arith.constant",
    "arith.divf",
    "arith.extf",
    "arith.mulf",
    "arith.negf",
    "arith.subf",
    "arith.truncf",
    "math.tanh",
];

/// The number `c`, so that keys above `q + c` add nothing to what query `q` gives.
pub(super) fn bound(
    reader: &Reader<'_, '_>,
    score: Node,
    queries: usize,
    keys: usize,
    scores_stage: usize,
) -> Option<i64> {
    let mask = Mask { reader, queries, keys, scores_stage };
    let (bound, low) = mask.of(score)?;
    // Where no key counts, nothing is a number in either way.
    (low == f64::NEG_INFINITY || bound >= 0 && mask.has_one_condition(score)).then_some(bound)
}

/// The score that one mask selects, or adds 0 to.
pub(super) fn kept(attention: &Attention<'_>) -> Option<Node> {
    let reader = Reader { graph: &attention.graph };
    let Attention { queries, keys, scores_stage, score, .. } = *attention;
    Mask { reader: &reader, queries, keys, scores_stage }.kept(score)
}

struct Mask<'m, 'g, 'c> {
    reader: &'m Reader<'g, 'c>,
    queries: usize,
    keys: usize,
    /// The stage of the first contraction.
    scores_stage: usize,
}

impl<'c> Mask<'_, '_, 'c> {
    fn graph(&self) -> &Graph<'c> {
        self.reader.graph
    }

    /// The bound, and the number that is beyond it.
    fn of(&self, score: Node) -> Option<(i64, f64)> {
        let low = |node| self.reader.number(node).filter(|&number| number <= LOW);
        if let Some(&[condition, yes, no]) = self.reader.copy(score, "arith.select") {
            return match (low(yes), low(no)) {
                (None, Some(low)) => Some((self.condition(condition, false)?, low)),
                (Some(low), None) => Some((self.condition(condition, true)?, low)),
                _ => None,
            };
        }
        for name in ["arith.extf", "arith.truncf"] {
            if let Some(&[narrow]) = self.reader.copy(score, name) {
                return self.of(narrow);
            }
        }
        if let Some(&[a, b]) = self.reader.copy(score, "arith.addf") {
            return [a, b].into_iter().find_map(|node| {
                let &[condition, yes, no] = self.reader.copy(node, "arith.select")? else {
                    return None;
                };
                let zero = |node| self.reader.number(node) == Some(0.0);
                match (zero(yes), low(no), low(yes), zero(no)) {
                    (true, Some(low), _, _) => Some((self.condition(condition, false)?, low)),
                    (_, _, Some(low), true) => Some((self.condition(condition, true)?, low)),
                    _ => None,
                }
            });
        }
        None
    }

    /// The bound that a condition says, or its opposite.
    fn condition(&self, condition: Node, is_opposite: bool) -> Option<i64> {
        let (condition, is_turned) = self.plain(condition);
        let is_opposite = is_opposite != is_turned;
        let name = if is_opposite { "arith.ori" } else { "arith.andi" };
        if let Some(&[a, b]) = self.reader.copy(condition, name) {
            return [a, b].into_iter().find_map(|one| self.condition(one, is_opposite));
        }
        let Step::Copy { operation, operands } = &self.graph().steps[condition] else {
            return None;
        };
        if tree::name(*operation) != "arith.cmpi" {
            return None;
        }
        let predicate = operation.attribute("predicate").ok()?;
        let predicate = IntegerAttribute::try_from(predicate).ok()?.value();
        // slt, sle, sgt, sge; coordinates are no negative numbers, but sums of them may be.
        let (a, b) = (self.linear(*operands.first()?)?, self.linear(*operands.get(1)?)?);
        let (mut less, mut is_strict) = match predicate {
            2 => ((a, b), true),
            3 => ((a, b), false),
            4 => ((b, a), true),
            5 => ((b, a), false),
            _ => return None,
        };
        if is_opposite {
            less = (less.1, less.0);
            is_strict = !is_strict;
        }
        // k + x < q + y.
        let (left, right) = less;
        let is_causal = (left.queries, left.keys) == (0, 1) && (right.queries, right.keys) == (1, 0)
            // k - q < y.
            || (left.queries, left.keys) == (-1, 1) && (right.queries, right.keys) == (0, 0)
            // x < q - k.
            || (left.queries, left.keys) == (0, 0) && (right.queries, right.keys) == (1, -1);
        let bound = right.constant.checked_sub(left.constant)?.checked_sub(i64::from(is_strict))?;
        is_causal.then_some(bound)
    }

    /// A condition without what leaves it as it is, and whether it is the opposite then.
    fn plain(&self, mut condition: Node) -> (Node, bool) {
        let mut is_turned = false;
        loop {
            let other = |name: &str| {
                let &[a, b] = self.reader.copy(condition, name)? else { return None };
                let pairs = [(a, b), (b, a)];
                pairs.into_iter().find(|(own, _)| self.reader.is_true(*own)).map(|(_, other)| other)
            };
            condition = match (other("arith.andi"), other("arith.xori")) {
                (Some(other), _) => other,
                (None, Some(other)) => {
                    is_turned = !is_turned;
                    other
                }
                (None, None) => return (condition, is_turned),
            };
        }
    }

    /// A number as multiples of the query's and the key's.
    fn linear(&self, node: Node) -> Option<Linear> {
        match &self.graph().steps[node] {
            Step::Coordinate(at) => self.coordinate(*at),
            Step::Copy { operation, operands } => {
                match (tree::name(*operation).as_str(), operands.as_slice()) {
                    (
                        "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui"
                        | "arith.trunci",
                        [one],
                    ) => self.linear(*one),
                    ("arith.addi", [a, b]) => self.linear(*a)?.plus(self.linear(*b)?, 1),
                    ("arith.subi", [a, b]) => self.linear(*a)?.plus(self.linear(*b)?, -1),
                    ("arith.constant", []) => {
                        let value =
                            IntegerAttribute::try_from(operation.attribute("value").ok()?).ok()?;
                        Some(Linear { constant: value.value(), ..Linear::default() })
                    }
                    _ => None,
                }
            }
            Step::Constant { value, .. } => {
                let value = IntegerAttribute::try_from(*value).ok()?.value();
                Some(Linear { constant: value, ..Linear::default() })
            }
            _ => None,
        }
    }

    fn coordinate(&self, at: CoordId) -> Option<Linear> {
        match self.graph().coordinates.get(at) {
            Coordinate::Known(known) => Some(Linear { constant: *known, ..Linear::default() }),
            Coordinate::Loop(number) if *number == self.queries => {
                Some(Linear { queries: 1, ..Linear::default() })
            }
            Coordinate::Loop(number) if *number == self.keys => {
                Some(Linear { keys: 1, ..Linear::default() })
            }
            Coordinate::Sum(a, b) => self.coordinate(*a)?.plus(self.coordinate(*b)?, 1),
            _ => None,
        }
    }

    /// Whether the score is selected by one condition, and else arithmetic of the product and of numbers.
    fn has_one_condition(&self, score: Node) -> bool {
        self.kept(score).is_some_and(|kept| self.is_plain(kept))
    }

    /// The score that one comparison selects, or adds 0 to.
    fn kept(&self, score: Node) -> Option<Node> {
        let selected = |node| match self.reader.copy(node, "arith.select") {
            Some(&[condition, yes, no]) => {
                self.reader.copy(self.plain(condition).0, "arith.cmpi")?;
                Some(if self.reader.number(yes).is_some_and(|yes| yes != 0.0) { no } else { yes })
            }
            _ => None,
        };
        if let Some(&[narrow]) = self.reader.copy(score, "arith.extf") {
            return self.kept(narrow);
        }
        let is_number = |node| self.reader.number(node).is_some();
        match (selected(score), self.reader.copy(score, "arith.addf")) {
            (Some(kept), _) => Some(kept),
            (None, Some(&[a, b])) => match (selected(a), selected(b)) {
                (Some(zero), None) => is_number(zero).then_some(b),
                (None, Some(zero)) => is_number(zero).then_some(a),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_plain(&self, node: Node) -> bool {
        match &self.graph().steps[node] {
            Step::Constant { .. } => true,
            Step::Reduced { stage, .. } => *stage == self.scores_stage,
            Step::Copy { operation, operands } => {
                PLAIN.contains(&tree::name(*operation).as_str())
                    && operands.iter().all(|operand| self.is_plain(*operand))
            }
            _ => false,
        }
    }
}

/// Multiples of the number of a query and of a key, and a constant.
#[derive(Clone, Copy, Debug, Default)]
struct Linear {
    queries: i64,
    keys: i64,
    constant: i64,
}

impl Linear {
    fn plus(self, other: Self, sign: i64) -> Option<Self> {
        let sum = |a: i64, b: i64| a.checked_add(b.checked_mul(sign)?);
        Some(Self {
            queries: sum(self.queries, other.queries)?,
            keys: sum(self.keys, other.keys)?,
            constant: sum(self.constant, other.constant)?,
        })
    }
}
