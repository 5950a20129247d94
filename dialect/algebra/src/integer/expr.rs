//! Integer expressions over symbols, in a normal form: a polynomial with integer coefficients.

use super::{
    display,
    missing::{Error, Result},
};
use alloc::{format, sync::Arc, vec, vec::Vec};
use core::{cmp::Ordering, fmt};
use num_integer::gcd;

/// Terms that a sum may have.
pub const TERM_LIMIT: usize = 64;

/// Symbols, divisions and minima that an expression may mention, each time it does.
pub const WEIGHT_LIMIT: usize = 512;

/// Divisions and minima that may nest.
pub const NEST_LIMIT: usize = 16;

/// An integer expression over named symbols.
///
/// The value is a sum of products with integer coefficients. Factors are symbols, quotients that do
/// not come out even ([`floor_div`], [`ceil_div`]) and minima ([`min`]); a remainder is the
/// difference that it stands for. Terms and factors are sorted and like terms collected, so two
/// expressions that are equal as polynomials in their factors are equal as values of this type.
/// Equal (`==`) means equal under every assignment; the converse does not hold for every pair.
///
/// The integers are unbounded in meaning; coefficients have 64 bits and every step is checked.
///
/// ```
/// use layout_algebra::{Expr, Facts};
/// let mut facts = Facts::new();
/// let m = facts.declare("M{div=8}")?;
/// let twice = m.plus(&m)?;
/// assert_eq!(twice, m.scaled(2)?);
/// assert_eq!(twice.minus(&m)?.times(&m)?.to_string(), "M*M");
/// // 8 divides M, so that no quotient is left.
/// assert_eq!(facts.floor_div(&m, &Expr::from(4))?.to_string(), "M/4");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
///
/// [`floor_div`]: crate::integer::Facts::floor_div
/// [`ceil_div`]: crate::integer::Facts::ceil_div
/// [`min`]: crate::integer::Facts::min
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr {
    /// Sorted from the greatest product to the least; no coefficient is 0.
    terms: Vec<(Product, i64)>,
}

/// A product of atoms with exponents of at least 1, sorted by atom.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Product(Vec<(Atom, u32)>);

/// A factor that is no sum or product.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// A symbol divided by what is known to divide it, so that exact quotients of the symbol are
    /// polynomials as well.
    Symbol { name: Arc<str>, divisor: i64 },
    /// Two operands, whose meaning [`Pairing`] says.
    Pair(Arc<Pair>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub(crate) kind: Pairing,
    pub(crate) left: Expr,
    pub(crate) right: Expr,
    nesting: usize,
    weight: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Pairing {
    /// The quotient rounded down; the right operand is at least 1.
    Floor,
    /// The quotient rounded up; the right operand is at least 1.
    Ceil,
    /// The lesser.
    Min,
}

impl Expr {
    /// 0.
    pub(crate) const ZERO: Self = Self { terms: Vec::new() };

    pub(crate) fn atom(atom: Atom) -> Self {
        Self { terms: vec![(Product(vec![(atom, 1)]), 1)] }
    }

    /// A quotient or minimum of operands that are in normal form already.
    pub(crate) fn pair(kind: Pairing, left: Expr, right: Expr) -> Result<Self> {
        let nesting = 1 + left.nesting().max(right.nesting());
        if nesting > NEST_LIMIT {
            return Err(limit("nested divisions of an expression", NEST_LIMIT, nesting));
        }
        let weight = 1 + left.weight() + right.weight();
        Self::atom(Atom::Pair(Arc::new(Pair { kind, left, right, nesting, weight }))).bounded()
    }

    /// The value, where it is the same under every assignment.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(product, value)] if product.0.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// Whether it is the constant `value`.
    pub fn is(&self, value: i64) -> bool {
        self.as_constant() == Some(value)
    }

    /// The names of its symbols, sorted.
    pub fn symbols(&self) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        self.visit_symbols(&mut |name, _| names.push(Arc::clone(name)));
        names.sort();
        names.dedup();
        names
    }

    /// Calls `visit` with the name and the divisor of each mention of a symbol.
    pub(crate) fn visit_symbols(&self, visit: &mut dyn FnMut(&Arc<str>, i64)) {
        for atom in self.atoms() {
            match atom {
                Atom::Symbol { name, divisor } => visit(name, *divisor),
                // Recursion ends at `NEST_LIMIT`.
                Atom::Pair(pair) => {
                    pair.left.visit_symbols(visit);
                    pair.right.visit_symbols(visit);
                }
            }
        }
    }

    /// Symbols, quotients and minima that it mentions, counted each time; 1 for each term besides.
    pub fn weight(&self) -> usize {
        self.terms.iter().fold(0_usize, |sum, (product, _)| {
            product.0.iter().fold(sum.saturating_add(1), |sum, (atom, _)| {
                sum.saturating_add(match atom {
                    Atom::Symbol { .. } => 1,
                    Atom::Pair(pair) => pair.weight,
                })
            })
        })
    }

    fn nesting(&self) -> usize {
        self.atoms()
            .map(|atom| match atom {
                Atom::Symbol { .. } => 0,
                Atom::Pair(pair) => pair.nesting,
            })
            .max()
            .unwrap_or(0)
    }

    /// Every factor of every term; one that several terms have comes several times.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = &Atom> {
        self.terms.iter().flat_map(|(product, _)| product.0.iter().map(|(atom, _)| atom))
    }

    pub(crate) fn terms(&self) -> &[(Product, i64)] {
        &self.terms
    }

    /// The constant term: the value where all symbols are 0.
    pub fn constant_term(&self) -> i64 {
        match self.terms.last() {
            Some((product, value)) if product.0.is_empty() => *value,
            _ => 0,
        }
    }

    /// The sum.
    ///
    /// # Errors
    ///
    /// A coefficient that overflows, or a sum beyond the limits.
    pub fn plus(&self, other: &Self) -> Result<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut a, mut b) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (None, None) => break,
            };
            match order {
                Ordering::Greater => terms.extend(a.next().cloned()),
                Ordering::Less => terms.extend(b.next().cloned()),
                Ordering::Equal => {
                    if let (Some((product, a)), Some((_, b))) = (a.next(), b.next()) {
                        let sum = a
                            .checked_add(*b)
                            .ok_or_else(|| Error::overflow("add", format!("{self}, {other}")))?;
                        if sum != 0 {
                            terms.push((product.clone(), sum));
                        }
                    }
                }
            }
        }
        Self { terms }.bounded()
    }

    /// The difference.
    pub fn minus(&self, other: &Self) -> Result<Self> {
        self.plus(&other.scaled(-1)?)
    }

    /// The product with an integer.
    pub fn scaled(&self, factor: i64) -> Result<Self> {
        if factor == 0 {
            return Ok(Self::ZERO);
        }
        let terms = self
            .terms
            .iter()
            .map(|(product, value)| Some((product.clone(), value.checked_mul(factor)?)))
            .collect::<Option<_>>()
            .ok_or_else(|| Error::overflow("multiply", format!("{self}, {factor}")))?;
        Ok(Self { terms })
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Result<Self> {
        if let Some(value) = other.as_constant() {
            return self.scaled(value);
        }
        if let Some(value) = self.as_constant() {
            return other.scaled(value);
        }
        let overflow = || Error::overflow("multiply", format!("{self}, {other}"));
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                terms.push((a.times(b)?, x.checked_mul(*y).ok_or_else(overflow)?));
            }
        }
        Self::collect(terms).ok_or_else(overflow)?.bounded()
    }

    /// The sum of terms in any order; none on overflow.
    fn collect(mut terms: Vec<(Product, i64)>) -> Option<Self> {
        terms.sort_by(|(a, _), (b, _)| b.cmp(a));
        let mut merged: Vec<(Product, i64)> = Vec::with_capacity(terms.len());
        for (product, value) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == product => *sum = sum.checked_add(value)?,
                _ => merged.push((product, value)),
            }
        }
        merged.retain(|(_, value)| *value != 0);
        Some(Self { terms: merged })
    }

    /// The terms that `keep` chooses, and the others.
    pub(crate) fn split(&self, mut keep: impl FnMut(&Product, i64) -> bool) -> (Self, Self) {
        let (kept, others) =
            self.terms.iter().cloned().partition(|(product, value)| keep(product, *value));
        (Self { terms: kept }, Self { terms: others })
    }

    /// The same products with coefficients of the caller's choice; 0 drops a term.
    pub(crate) fn map_coefficients(&self, mut f: impl FnMut(&Product, i64) -> i64) -> Self {
        let mut terms: Vec<_> = self
            .terms
            .iter()
            .map(|(product, value)| (product.clone(), f(product, *value)))
            .collect();
        terms.retain(|(_, value)| *value != 0);
        Self { terms }
    }

    /// The greatest integer that divides every coefficient; 0 for 0.
    pub(crate) fn content(&self) -> u64 {
        self.terms.iter().fold(0, |gcd_so_far, (_, value)| gcd(gcd_so_far, value.unsigned_abs()))
    }

    /// `(q, r)` with `self = q*by + r`, where no term of `r` is divisible by the leading term of
    /// `by`; `r` is 0 exactly where `by` divides in the polynomials. None for division by 0 and
    /// where a step would leave the limits.
    pub(crate) fn div_rem(&self, by: &Self) -> Option<(Self, Self)> {
        self.divided(by, |value, factor| match value.checked_rem(factor) {
            Some(0) => value.checked_div(factor),
            _ => None,
        })
    }

    /// [`Expr::div_rem`] where coefficients are divided as integers, towards 0: `r` has no multiple
    /// of the leading term of `by` with a coefficient as large as its own.
    pub(crate) fn pull_out(&self, by: &Self) -> Option<(Self, Self)> {
        self.divided(by, |value, factor| {
            value.checked_div(factor).filter(|&quotient| quotient != 0)
        })
    }

    fn divided(&self, by: &Self, divide: impl Fn(i64, i64) -> Option<i64>) -> Option<(Self, Self)> {
        let (lead, factor) = by.terms.first()?;
        let (mut rest, mut quotient, mut remainder) = (self.clone(), Self::ZERO, Self::ZERO);
        for _ in 0..4 * TERM_LIMIT {
            let Some((product, value)) = rest.terms.first().cloned() else {
                return Some((quotient, remainder));
            };
            let step = product.divided_by(lead).zip(divide(value, *factor));
            if let Some(step) = step {
                let step = Self { terms: vec![step] };
                rest = rest.minus(&step.times(by).ok()?).ok()?;
                quotient = quotient.plus(&step).ok()?;
            } else {
                rest.terms.remove(0);
                remainder.terms.push((product, value));
            }
        }
        None
    }

    /// `(p, q)` with `self = p*atom + q`, where `p` and `q` do not have the atom as a factor; none
    /// where it comes in a higher power.
    pub(crate) fn linear_in(&self, atom: &Atom) -> Option<(Self, Self)> {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for (product, value) in &self.terms {
            match product.0.iter().position(|(a, _)| a == atom) {
                None => without.push((product.clone(), *value)),
                Some(i) if product.0[i].1 == 1 => {
                    let mut factors = product.0.clone();
                    factors.remove(i);
                    with.push((Product(factors), *value));
                }
                Some(_) => return None,
            }
        }
        Some((Self::collect(with)?, Self { terms: without }))
    }

    /// The expression with another in place of each atom.
    pub(crate) fn map_atoms(&self, f: &mut dyn FnMut(&Atom) -> Result<Self>) -> Result<Self> {
        self.terms.iter().try_fold(Self::ZERO, |sum, (product, value)| {
            let mut term = Self::from(*value);
            for (atom, exponent) in &product.0 {
                let factor = f(atom)?;
                for _ in 0..*exponent {
                    term = term.times(&factor)?;
                }
            }
            sum.plus(&term)
        })
    }

    fn bounded(self) -> Result<Self> {
        if self.terms.len() > TERM_LIMIT {
            return Err(limit("terms of a sum", TERM_LIMIT, self.terms.len()));
        }
        let weight = self.weight();
        if weight > WEIGHT_LIMIT {
            return Err(limit("weight of an expression", WEIGHT_LIMIT, weight));
        }
        Ok(self)
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        if value == 0 { Self::ZERO } else { Self { terms: vec![(Product::default(), value)] } }
    }
}

impl Product {
    pub(crate) fn factors(&self) -> &[(Atom, u32)] {
        &self.0
    }

    pub(crate) fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    fn degree(&self) -> u64 {
        self.0.iter().map(|&(_, exponent)| u64::from(exponent)).sum()
    }

    fn times(&self, other: &Self) -> Result<Self> {
        let mut factors = self.0.clone();
        for (atom, exponent) in &other.0 {
            match factors.binary_search_by(|(a, _)| a.cmp(atom)) {
                Ok(i) => {
                    factors[i].1 = factors[i]
                        .1
                        .checked_add(*exponent)
                        .filter(|&e| e as usize <= NEST_LIMIT)
                        .ok_or_else(|| limit("power of a symbol", NEST_LIMIT, NEST_LIMIT + 1))?;
                }
                Err(i) => factors.insert(i, (atom.clone(), *exponent)),
            }
        }
        Ok(Self(factors))
    }

    fn divided_by(&self, other: &Self) -> Option<Self> {
        let mut factors = self.0.clone();
        for (atom, exponent) in &other.0 {
            let i = factors.binary_search_by(|(a, _)| a.cmp(atom)).ok()?;
            factors[i].1 = factors[i].1.checked_sub(*exponent)?;
            if factors[i].1 == 0 {
                factors.remove(i);
            }
        }
        Some(Self(factors))
    }
}

/// Graded: a higher degree is greater; then the power of the first symbol decides, then of the
/// second. Multiplying both by a product keeps the order, which [`Expr::div_rem`] relies on.
impl Ord for Product {
    fn cmp(&self, other: &Self) -> Ordering {
        self.degree().cmp(&other.degree()).then_with(|| {
            for ((a, x), (b, y)) in self.0.iter().zip(&other.0) {
                // The earlier atom is a power of 0 in the other.
                let order = b.cmp(a).then(x.cmp(y));
                if order != Ordering::Equal {
                    return order;
                }
            }
            self.0.len().cmp(&other.0.len())
        })
    }
}

impl PartialOrd for Product {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::expr(self, &mut display::plain, f)
    }
}

fn limit(what: &'static str, limit: usize, found: usize) -> Error {
    Error::Algebra(crate::error::Error::limit(what, limit, found))
}
