//! Ranges of expressions: interval arithmetic, sharpened by the normal form.
//!
//! An interval per factor forgets that the same symbol is in several terms. Three things make up
//! for most of it: a symbol that is at least `b` is written `b + t` with `t >= 0`, after which terms
//! with positive coefficients bound themselves (`M*N - M` becomes `t*u + u` for positive `M`, `N`);
//! `x - d*floor_div(x, d)` is read as the remainder that it is; and assumed relations are added.

use super::{
    expr::{Atom, Expr, Pair, Pairing, Product},
    facts::Facts,
    missing::{Answer, Fact},
    symbol::Width,
};
use alloc::{collections::BTreeMap, format, string::String, string::ToString};
use core::{cmp::Ordering, fmt};

/// The depth to which remainders are searched for within remainders.
const MAX_REMAINDER_DEPTH: usize = 4;

/// The values that an expression may have; a bound that is absent is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// No value is less.
    pub lo: Option<i128>,
    /// No value is greater.
    pub hi: Option<i128>,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bound: Option<i128>| bound.map_or(String::new(), |bound| bound.to_string());
        write!(f, "{}..{}", text(self.lo), text(self.hi))
    }
}

/// An integer or an infinity, so that products of bounds need no cases.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    NegInf,
    At(i128),
    PosInf,
}

impl End {
    fn sign(self) -> i128 {
        match self {
            Self::NegInf => -1,
            Self::At(value) => value.signum(),
            Self::PosInf => 1,
        }
    }

    /// A product past 128 bits becomes an infinity; see [`Range::from_ends`].
    fn times(self, other: Self) -> Self {
        let product = match (self, other) {
            (Self::At(a), Self::At(b)) => a.checked_mul(b),
            _ => None,
        };
        match (product, self.sign() * other.sign()) {
            (Some(product), _) => Self::At(product),
            (None, 0) => Self::At(0),
            (None, 1) => Self::PosInf,
            (None, _) => Self::NegInf,
        }
    }
}

impl Range {
    const ALL: Self = Self { lo: None, hi: None };

    pub(crate) fn new(lo: impl Into<i128>, hi: impl Into<i128>) -> Self {
        Self { lo: Some(lo.into()), hi: Some(hi.into()) }
    }

    /// A bound that overflowed towards the inside is still a bound at the edge of 128 bits.
    fn from_ends(lo: End, hi: End) -> Self {
        Self {
            lo: match lo {
                End::NegInf => None,
                End::At(value) => Some(value),
                End::PosInf => Some(i128::MAX),
            },
            hi: match hi {
                End::NegInf => Some(i128::MIN),
                End::At(value) => Some(value),
                End::PosInf => None,
            },
        }
    }

    fn ends(self) -> (End, End) {
        (self.lo.map_or(End::NegInf, End::At), self.hi.map_or(End::PosInf, End::At))
    }

    fn plus(self, other: Self) -> Self {
        let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Self { lo: add(self.lo, other.lo), hi: add(self.hi, other.hi) }
    }

    fn times(self, other: Self) -> Self {
        let ((a, b), (c, d)) = (self.ends(), other.ends());
        let products = [a.times(c), a.times(d), b.times(c), b.times(d)];
        let lo = products.into_iter().fold(End::PosInf, End::min);
        let hi = products.into_iter().fold(End::NegInf, End::max);
        Self::from_ends(lo, hi)
    }

    fn negated(self) -> Self {
        let negate = |bound: Option<i128>| bound?.checked_neg();
        Self { lo: negate(self.hi), hi: negate(self.lo) }
    }

    fn and(self, other: Self) -> Self {
        Self {
            lo: self.lo.max(other.lo),
            hi: match (self.hi, other.hi) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }

    /// Quotients rounded down, for a divisor of at least 1.
    fn floor_div(self, by: Self) -> Self {
        let least = by.lo.unwrap_or(1).max(1);
        let quotient = |bound: i128, towards_zero: bool| match (towards_zero, by.hi) {
            (false, _) => bound.div_euclid(least),
            (true, Some(greatest)) => bound.div_euclid(greatest.max(1)),
            (true, None) => bound.signum().min(0),
        };
        Self {
            lo: self.lo.map(|lo| quotient(lo, lo >= 0)),
            hi: self.hi.map(|hi| quotient(hi, hi < 0)),
        }
    }
}

impl Facts {
    /// The values that an expression may have.
    pub fn range(&self, expr: &Expr) -> Range {
        let mut prover = Prover { facts: self, ranges: BTreeMap::new(), shift: true };
        let mut range = prover.expr(expr, MAX_REMAINDER_DEPTH);
        for relation in self.relations() {
            // relation >= 0, so the expression is at least what is left without it, and dually.
            if let Ok(rest) = expr.minus(relation) {
                range.lo = range.lo.max(prover.expr(&rest, 1).lo);
            }
            if let Ok(rest) = expr.plus(relation) {
                let hi = prover.expr(&rest, 1).hi;
                range = range.and(Range { lo: None, hi });
            }
        }
        range
    }

    /// The greatest integer that is known to divide every value; 0 for 0.
    pub fn divisor(&self, expr: &Expr) -> u64 {
        expr.content()
    }

    /// Whether it is above, below or at 0, where it is the same under every assignment.
    pub fn sign(&self, expr: &Expr) -> Option<Ordering> {
        match self.range(expr) {
            Range { lo: Some(0), hi: Some(0) } => Some(Ordering::Equal),
            Range { lo: Some(1..), .. } => Some(Ordering::Greater),
            Range { hi: Some(..=-1), .. } => Some(Ordering::Less),
            _ => None,
        }
    }

    /// The narrowest width that holds every value, if one does.
    pub fn width(&self, expr: &Expr) -> Option<Width> {
        let Range { lo: Some(lo), hi: Some(hi) } = self.range(expr) else { return None };
        [Width::W32, Width::W64].into_iter().find(|width| {
            let (least, greatest) = width.limits();
            lo >= i128::from(least) && hi <= i128::from(greatest)
        })
    }

    /// Whether `greater >= less`.
    pub fn at_least(&self, greater: &Expr, less: &Expr) -> Answer {
        if let Ok(difference) = greater.minus(less) {
            let range = self.range(&difference);
            if range.lo.is_some_and(|lo| lo >= 0) {
                return Answer::Yes;
            }
            if range.hi.is_some_and(|hi| hi < 0) {
                return Answer::No(Fact::AtLeast { greater: greater.clone(), less: less.clone() });
            }
        }
        Answer::Unknown(self.need_at_least(greater, less))
    }

    /// Whether both are the same.
    pub fn equal(&self, a: &Expr, b: &Expr) -> Answer {
        let same =
            || a.minus(b).is_ok_and(|difference| self.sign(&difference) == Some(Ordering::Equal));
        if a == b || same() {
            return Answer::Yes;
        }
        let fact = Fact::Equal(a.clone(), b.clone());
        if self.differ(a, b) {
            return Answer::No(fact);
        }
        Answer::Unknown(super::missing::Need { fact, hint: equality_hint(a, b) })
    }

    /// Whether they are different under every assignment.
    pub fn distinct(&self, a: &Expr, b: &Expr) -> Answer {
        let fact = Fact::Distinct(a.clone(), b.clone());
        if a == b {
            return Answer::No(fact);
        }
        if self.differ(a, b) {
            return Answer::Yes;
        }
        // The smallest range that would do is the hint: above, or below where nothing is above.
        let order = |greater: &Expr, less: &Expr| {
            let greater = greater.plus(&Expr::from(-1)).ok()?;
            let is_open = !matches!(self.at_least(&greater, less), Answer::No(_));
            is_open.then(|| self.need_at_least(&greater, less).hint)
        };
        let hint = order(a, b).or_else(|| order(b, a));
        let hint = hint.unwrap_or_else(|| format!("assume {a} > {b}"));
        Answer::Unknown(super::missing::Need { fact, hint })
    }

    fn differ(&self, a: &Expr, b: &Expr) -> bool {
        let Ok(difference) = a.minus(b) else { return false };
        let stated = |expr: &Expr| self.nonzero().contains(expr);
        if stated(&difference) || difference.scaled(-1).is_ok_and(|opposite| stated(&opposite)) {
            return true;
        }
        let constant = difference.constant_term();
        let (_, symbolic) = difference.split(|product, _| product.is_one());
        let content = symbolic.content();
        if content != 0 && !constant.unsigned_abs().is_multiple_of(content) {
            return true;
        }
        let range = self.range(&difference);
        range.lo.is_some_and(|lo| lo > 0) || range.hi.is_some_and(|hi| hi < 0)
    }
}

/// How to make two expressions the same: a symbol in terms of the others, if one can be.
fn equality_hint(a: &Expr, b: &Expr) -> String {
    let solved = a.minus(b).ok().and_then(|difference| {
        difference.atoms().find_map(|atom| {
            let Atom::Symbol { name, divisor: 1 } = atom else { return None };
            let (factor, rest) = difference.linear_in(atom)?;
            let sign = factor.as_constant().filter(|sign| sign.abs() == 1)?;
            let used = rest.symbols().contains(name);
            (!used)
                .then(|| rest.scaled(-sign).ok().map(|rest| format!("write {rest} for {name}")))?
        })
    });
    solved.unwrap_or_else(|| format!("write {a} for {b}"))
}

/// One question: remembers the range of each atom that it met.
struct Prover<'f> {
    facts: &'f Facts,
    ranges: BTreeMap<Atom, Range>,
    shift: bool,
}

impl Prover<'_> {
    fn expr(&mut self, expr: &Expr, rounds: usize) -> Range {
        if let Some(value) = expr.as_constant() {
            return Range::new(value, value);
        }
        let mut range = self.sum(expr);
        if self.shift {
            range = range.and(self.shifted(expr));
        }
        if rounds > 0
            && let Some(rolled) = self.facts.reroll(expr)
        {
            let modulus = self.expr(&rolled.modulus, 0);
            let remainder = Range { lo: Some(0), hi: modulus.hi.and_then(|hi| hi.checked_sub(1)) };
            let factor = self.expr(&rolled.factor, 0).negated();
            let rest = self.expr(&rolled.rest, rounds - 1);
            range = range.and(rest.plus(factor.times(remainder)));
        }
        range
    }

    /// Term by term.
    fn sum(&mut self, expr: &Expr) -> Range {
        expr.terms().iter().fold(Range::new(0, 0), |sum, (product, value)| {
            sum.plus(self.product(product).times(Range::new(*value, *value)))
        })
    }

    fn product(&mut self, product: &Product) -> Range {
        product.factors().iter().fold(Range::new(1, 1), |sum, (atom, exponent)| {
            let range = self.atom(atom);
            let power = (0..*exponent).fold(Range::new(1, 1), |power, _| power.times(range));
            let power =
                if exponent % 2 == 0 { power.and(Range { lo: Some(0), hi: None }) } else { power };
            sum.times(power)
        })
    }

    fn atom(&mut self, atom: &Atom) -> Range {
        if let Some(range) = self.ranges.get(atom) {
            return *range;
        }
        let range = match atom {
            Atom::Symbol { name, divisor } => self
                .facts
                .symbol_range(name, *divisor)
                .map_or(Range::ALL, |(lo, hi)| Range::new(lo, hi)),
            Atom::Pair(pair) => self.pair(pair),
        };
        self.ranges.insert(atom.clone(), range);
        range
    }

    fn pair(&mut self, pair: &Pair) -> Range {
        let (left, right) = (self.expr(&pair.left, 1), self.expr(&pair.right, 1));
        match pair.kind {
            Pairing::Floor => left.floor_div(right),
            Pairing::Ceil => left.negated().floor_div(right).negated(),
            Pairing::Min => {
                Range { lo: left.lo.zip(right.lo).map(|(a, b)| a.min(b)), hi: left.and(right).hi }
            }
        }
    }

    /// With each atom that is at least `b >= 1` written as `b + t`.
    ///
    /// The substituted polynomial keeps the atoms' names for the `t`s; only their ranges change.
    fn shifted(&mut self, expr: &Expr) -> Range {
        let mut lows: BTreeMap<Atom, (Expr, Range)> = BTreeMap::new();
        for atom in expr.atoms() {
            let range = self.atom(atom);
            if let Some(low) = range.lo.and_then(|lo| i64::try_from(lo).ok()).filter(|&lo| lo > 0) {
                let hi = range.hi.and_then(|hi| hi.checked_sub(i128::from(low)));
                if let Ok(sum) = Expr::atom(atom.clone()).plus(&Expr::from(low)) {
                    lows.insert(atom.clone(), (sum, Range { lo: Some(0), hi }));
                }
            }
        }
        if lows.is_empty() {
            return Range::ALL;
        }
        let substituted = expr.map_atoms(&mut |atom| {
            let low = lows.get(atom).map(|(sum, _)| sum.clone());
            Ok(low.unwrap_or_else(|| Expr::atom(atom.clone())))
        });
        let Ok(substituted) = substituted else { return Range::ALL };
        let mut ranges = self.ranges.clone();
        for (atom, (_, range)) in lows {
            ranges.insert(atom, range);
        }
        Prover { facts: self.facts, ranges, shift: false }.sum(&substituted)
    }
}
