//! Products and quotients of forms by forms: sums are multiplied out by the symbols that are no bits.
//!
//! A form is a sum of products of such symbols, each with a coefficient that is a form of bits. So
//! `M * (8 b + t) + M` and `8 M b + M t + M` are written alike. Coefficients are multiplied as words.

use super::{Atom, Factor, IndexForm, TERMS, gcd, words::Word};
use litemap::LiteMap;
use smallvec::smallvec;
use std::{collections::BTreeMap, sync::Arc};

/// Fewest bits of a symbol that is a factor where all of them come together: those of a word.
const WORD_BITS: u32 = 32;

/// The most products of symbols in a form that is multiplied out.
const MAX_PRODUCTS: usize = 64;

type Range = (Option<i64>, Option<i64>);

/// The range of a product.
pub(super) fn range(ranges: impl Iterator<Item = Range>) -> Range {
    ranges.fold((Some(1), Some(1)), |found, next| {
        let corners = || -> Option<Range> {
            let ((a, b), (c, d)) = ((found.0?, found.1?), (next.0?, next.1?));
            let products = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y));
            let all: Vec<i64> = products.into_iter().collect::<Option<_>>()?;
            Some((all.iter().min().copied(), all.iter().max().copied()))
        };
        match (corners(), found.0, next.0) {
            (Some(range), ..) => range,
            // Two factors that are not below 0 have the least product at their least values.
            (None, Some(a @ 0..), Some(b @ 0..)) => (a.checked_mul(b).or(Some(0)), None),
            _ => (None, None),
        }
    })
}

/// The coefficient of each product of symbols in a form.
type Monomials = BTreeMap<Vec<Factor>, IndexForm>;

impl IndexForm {
    /// The product of both.
    pub fn times(&self, other: &Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => return other.scale(factor),
            (_, Some(factor)) => return self.scale(factor),
            (None, None) => {}
        }
        let (left, right) = (self.parts()?, other.parts()?);
        let mut sum = Self::constant(0);
        for (a, x) in &left {
            for (b, y) in &right {
                let mut factors = [a.as_slice(), b.as_slice()].concat();
                factors.sort_unstable();
                sum = sum.plus(&x.word_product(y)?.scaled_by(&factors)?)?;
            }
        }
        Some(sum)
    }

    /// The form as a multiple of a symbol that is a factor, and the rest: what is multiplied, and what has no such factor.
    ///
    /// ```
    /// use layout_relation::IndexForm;
    /// let (row, column) = (IndexForm::symbol(0, Some(0), Some(8)), IndexForm::symbol(1, Some(0), Some(8)));
    /// let (row, column) = (row.unwrap(), column.unwrap());
    /// let stride = IndexForm::factor(2, Some(1), None);
    /// let place = row.times(&stride).unwrap().plus(&column).unwrap();
    /// assert_eq!(place.by_symbol(2), Some((row, column)));
    /// ```
    pub fn by_symbol(&self, symbol: u32) -> Option<(Self, Self)> {
        let is_own = |factor: &Factor| matches!(factor, Factor::Whole(whole) if whole.0 == symbol);
        let (mut multiple, mut rest) = (Self::constant(0), Self::constant(0));
        for (mut factors, part) in self.parts()? {
            let own = factors.iter().position(is_own);
            let all = if own.is_some() { &mut multiple } else { &mut rest };
            if let Some(own) = own {
                factors.remove(own);
            }
            *all = all.plus(&part.scaled_by(&factors)?)?;
        }
        Some((multiple, rest))
    }

    /// The product of two that have no symbols as factors, as a word.
    fn word_product(&self, other: &Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => return other.scale(factor),
            (_, Some(factor)) => return self.scale(factor),
            (None, None) => {}
        }
        // The common factor of all terms is written before the product.
        let (a, b) = (self.content(), other.content());
        let product = Self::word(Word::Product, [&self.over(a)?, &other.over(b)?])?;
        product.scale(a.checked_mul(b)?)
    }

    /// The common divisor of all coefficients and the constant, with the sign of the first term.
    fn content(&self) -> i64 {
        let unit = self.terms.values().fold(self.constant.wrapping_abs(), |unit, &c| gcd(unit, c));
        let negative = self.terms.values().next().is_some_and(|&first| first < 0);
        if negative { unit.max(1).wrapping_neg() } else { unit.max(1) }
    }

    /// The form divided by a number that divides all of it.
    fn over(&self, unit: i64) -> Option<Self> {
        let mut form = Self::constant(self.constant.checked_div(unit)?);
        for (atom, coefficient) in &self.terms {
            form.terms.insert(atom.clone(), coefficient.checked_div(unit)?);
        }
        Some(form)
    }

    fn parts(&self) -> Option<Monomials> {
        let mut parts = Monomials::new();
        let mut plain = Self::constant(self.constant);
        for (atom, &coefficient) in &self.terms {
            let (factors, of) = match atom {
                Atom::Whole(whole) => (vec![Factor::Whole(*whole)], None),
                Atom::Scaled(factors, of) => (factors.clone(), of.as_deref()),
                _ => {
                    plain.terms.insert(atom.clone(), coefficient);
                    continue;
                }
            };
            let part = parts.entry(factors).or_insert_with(|| Self::constant(0));
            match of {
                Some(atom) => part.add(atom.clone(), coefficient)?,
                None => part.constant = part.constant.checked_add(coefficient)?,
            }
        }
        for (factor, coefficient) in plain.take_words() {
            let part = parts.entry(vec![factor]).or_insert_with(|| Self::constant(0));
            part.constant = part.constant.checked_add(coefficient)?;
        }
        if plain != Self::constant(0) {
            parts.insert(Vec::new(), plain);
        }
        parts.retain(|_, part| *part != Self::constant(0));
        (parts.len() <= MAX_PRODUCTS).then_some(parts)
    }

    /// Takes out symbols of which all bits of a word come, each as often as the one below it.
    fn take_words(&mut self) -> Vec<(Factor, i64)> {
        let lowest = |(atom, &coefficient): (&Atom, &i64)| match atom {
            Atom::Parity(bits) => match bits[..] {
                [(symbol, 0)] => Some((symbol, coefficient)),
                _ => None,
            },
            _ => None,
        };
        let starts: Vec<(u32, i64)> = self.terms.iter().filter_map(lowest).collect();
        let mut found = Vec::new();
        for (symbol, coefficient) in starts {
            let bit = |bit: u32| Atom::Parity(smallvec![(symbol, bit)]);
            let has = |at: &u32| {
                let expected = 1_i64.checked_shl(*at).and_then(|bit| coefficient.checked_mul(bit));
                expected.is_some() && self.terms.get(&bit(*at)).copied() == expected
            };
            let count = (0..i64::BITS - 1).take_while(has).count() as u32;
            if count >= WORD_BITS {
                self.terms.retain(|atom, _| (0..count).all(|at| *atom != bit(at)));
                found.push((Factor::Bits(symbol, count), coefficient));
            }
        }
        found
    }

    /// The product with symbols, of a form without any.
    fn scaled_by(&self, factors: &[Factor]) -> Option<Self> {
        if factors.is_empty() {
            return Some(self.clone());
        }
        let mut form = Self::of_factors(factors)?.scale(self.constant)?;
        for (atom, &coefficient) in &self.terms {
            let atom = Atom::Scaled(factors.to_vec(), Some(Arc::new(atom.clone())));
            form.terms.insert(atom, coefficient);
        }
        (form.terms.len() <= TERMS).then_some(form)
    }

    /// The product of symbols.
    pub(super) fn of_factors(factors: &[Factor]) -> Option<Self> {
        Some(match factors {
            [] => Self::constant(1),
            [Factor::Whole(whole)] => Self::of_atom(Atom::Whole(*whole)),
            [Factor::Bits(symbol, bits)] => {
                Self::symbol(*symbol, Some(0), 1_i64.checked_shl(*bits))?
            }
            factors => Self::of_atom(Atom::Scaled(factors.to_vec(), None)),
        })
    }

    /// One atom.
    pub(super) fn of_atom(atom: Atom) -> Self {
        Self { constant: 0, terms: LiteMap::from_iter([(atom, 1)]) }
    }

    /// The quotient by a form of at least 1, rounded down. None where that is not known of it.
    pub fn quotient(&self, divisor: &Self) -> Option<Self> {
        if let Some(divisor) = divisor.as_constant() {
            return self.floor_div(divisor);
        }
        let (Some(least @ 1..), _) = divisor.range() else { return None };
        // floor(floor(x/a)/b) is floor(x/(a*b)).
        if let Some((of, by)) = self.as_quotient() {
            return of.quotient(&by.times(divisor)?);
        }
        let (whole, rest) = self.taken_out(divisor)?;
        if rest.is_within(0, least) {
            return Some(whole);
        }
        whole.plus(&Self::word(Word::Quotient, [&rest, divisor])?)
    }

    /// The remainder of the division by a form of at least 1, from 0.
    pub fn remainder(&self, divisor: &Self) -> Option<Self> {
        self.minus(&self.quotient(divisor)?.times(divisor)?)
    }

    /// The dividend and the divisor, if the form is a quotient.
    fn as_quotient(&self) -> Option<(Self, Self)> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next(), self.constant) {
            (Some((Atom::Word(Word::Quotient, operands), 1)), None, 0) => {
                Some(((**operands.first()?).clone(), (**operands.get(1)?).clone()))
            }
            (Some((Atom::Floor(of, by), 1)), None, 0) => {
                Some(((**of).clone(), Self::constant(*by)))
            }
            _ => None,
        }
    }

    /// `(q, r)` with `self = q * divisor + r`, where no term of `r` is a multiple of a divisor that is
    /// one product.
    fn taken_out(&self, divisor: &Self) -> Option<(Self, Self)> {
        let none = || Some((Self::constant(0), self.clone()));
        let by = divisor.parts()?;
        let (Some((factors, unit)), 1) = (by.iter().next(), by.len()) else { return none() };
        let Some(unit) = unit.as_constant().filter(|&unit| unit > 0) else { return none() };
        let (mut quotient, mut rest) = (Self::constant(0), Self::constant(0));
        for (own, part) in self.parts()? {
            let product = part.scaled_by(&own)?;
            match without(&own, factors) {
                Some(others) if part.divisor() % unit == 0 => {
                    quotient = quotient.plus(&part.over(unit)?.scaled_by(&others)?)?;
                }
                _ => rest = rest.plus(&product)?,
            }
        }
        Some((quotient, rest))
    }
}

/// Factors less others, if all of those are among them.
fn without(factors: &[Factor], others: &[Factor]) -> Option<Vec<Factor>> {
    let mut rest = factors.to_vec();
    for other in others {
        let at = rest.iter().position(|factor| factor == other)?;
        rest.remove(at);
    }
    Some(rest)
}
