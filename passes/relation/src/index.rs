//! Index arithmetic in a normal form: what `arith` operations compute from thread and block ids.
//!
//! Bounded symbols are bits. Each function of bits is, in exactly one way, an integer combination of
//! exclusive ors of bits (they are affine in the characters of the group of bit vectors, which are a
//! basis of its functions). So a form without divisions is equal to another exactly when both are
//! written alike; products with numbers, sums, and `and`, `xor`, shifts, quotients and remainders
//! of sums that do not carry stay in it. A division of something else is an atom of its own, and so
//! is what an operation on words makes of forms that share bits; such forms may be equal and written
//! differently, which is decided point by point. Symbols that are no bits, as extents and strides that
//! a program is given, are factors of products: sums are multiplied out, so that polynomials in them
//! whose coefficients are forms of bits are written alike too.
//!
//! ```text
//! thread = 0 .. 128:  (thread & 3) * 8 + (thread >> 2) * 64
//!                     = 8 t0 + 16 t1 + 64 t2 + 128 t3 + 256 t4 + 512 t5 + 1024 t6
//! x ^ (x >> 3 & 7)    has the terms 1 (t0 ^ t3), 2 (t1 ^ t4), …
//! ```

mod compare;
mod operand;
mod period;
mod product;
mod restrict;
mod sets;
#[cfg(test)]
mod tests;
mod unsigned;
mod words;

pub use compare::Compared;

use layout_algebra::gcd;
use litemap::LiteMap;
use operand::Operand;
use smallvec::{SmallVec, smallvec};
use std::{collections::BTreeSet, fmt, sync::Arc};
use words::Word;

/// Largest number of bits of a bounded symbol.
const SYMBOL_BITS: u32 = 48;

/// Most terms of a form; what needs more has none.
const TERMS: usize = 4096;

/// A bit of a symbol: its number, and the bit's.
type Bit = (u32, u32);

/// A symbol with its number, and the least and the greatest value where these are known.
type BoundedSymbol = (u32, Option<i64>, Option<i64>);

/// A factor by which products are multiplied out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Factor {
    /// A symbol that is not taken apart into bits.
    Whole(BoundedSymbol),
    /// All bits of a symbol that has as many as these, which is those of a word at least.
    Bits(u32, u32),
}

/// The term that a coefficient multiplies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Atom {
    /// The exclusive or of some bits.
    Parity(SmallVec<[Bit; 2]>),
    /// A symbol that is not taken apart into bits.
    Whole(BoundedSymbol),
    /// A product of such symbols and at most one other atom; at least two factors in all.
    Scaled(Vec<Factor>, Option<Arc<Atom>>),
    /// A quotient, rounded down.
    Floor(Operand, i64),
    /// The result of an operation on forms that is no sum of the other atoms.
    Word(Word, SmallVec<[Operand; 2]>),
}

/// An integer function of symbols: thread and block ids, counters of loops.
///
/// Each operation answers with nothing where the result has no such form, or does not fit 64 bits.
///
/// ```
/// use layout_relation::IndexForm;
/// let thread = IndexForm::symbol(0, Some(0), Some(128)).unwrap();
/// let row = thread.floor_div(4).unwrap();
/// let column = thread.mask(3).unwrap();
/// // The digits of a number are the number.
/// assert_eq!(row.scale(4).unwrap().plus(&column).unwrap(), thread);
/// let swizzled = thread.xor(&thread.mask(24).unwrap().floor_div(8).unwrap()).unwrap();
/// assert_ne!(swizzled, thread);
/// assert_eq!(swizzled.xor(&swizzled.mask(24).unwrap().floor_div(8).unwrap()).unwrap(), thread);
/// assert_eq!(swizzled.at(&|_| 25), Some(26));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexForm {
    constant: i64,
    /// Sorted by atom; no coefficient is 0.
    terms: LiteMap<Atom, i64>,
}

impl IndexForm {
    /// A number.
    pub fn constant(value: i64) -> Self {
        Self { constant: value, terms: LiteMap::new() }
    }

    /// A symbol that is at least `from` and below `to`, where these are known. With bounds it is
    /// `from` and the bits of the rest.
    pub fn symbol(number: u32, from: Option<i64>, to: Option<i64>) -> Option<Self> {
        let mut form = Self::constant(0);
        let bits = match (from, to) {
            (Some(from), Some(to)) if from < to => {
                let last = to.checked_sub(from)?.checked_sub(1)?;
                Some(64 - last.leading_zeros()).filter(|&bits| bits <= SYMBOL_BITS)
            }
            _ => None,
        };
        match (from, bits) {
            (Some(from), Some(bits)) => {
                form.constant = from;
                for bit in 0..bits {
                    form.terms.insert(Atom::Parity(smallvec![(number, bit)]), 1 << bit);
                }
            }
            _ => {
                form.terms.insert(Atom::Whole((number, from, None)), 1);
            }
        }
        Some(form)
    }

    /// A symbol that is a factor of products and not taken apart into bits, from `from` to `to`, both
    /// included, where these are known.
    pub fn factor(number: u32, from: Option<i64>, to: Option<i64>) -> Self {
        match (from, to) {
            (Some(from), Some(to)) if from == to => Self::constant(from),
            _ => Self {
                constant: 0,
                terms: LiteMap::from_iter([(Atom::Whole((number, from, to)), 1)]),
            },
        }
    }

    /// The number that it is, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The part that is a number.
    pub fn constant_part(&self) -> i64 {
        self.constant
    }

    /// The sum of both.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant)?;
        for (atom, &coefficient) in &other.terms {
            sum.add(atom.clone(), coefficient)?;
        }
        (sum.terms.len() <= TERMS).then_some(sum)
    }

    /// This less the other.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.scale(-1)?)
    }

    /// The product with a number.
    pub fn scale(&self, factor: i64) -> Option<Self> {
        if factor == 0 {
            return Some(Self::constant(0));
        }
        let scaled = |(atom, &c): (&Atom, &i64)| Some((atom.clone(), c.checked_mul(factor)?));
        Some(Self {
            constant: self.constant.checked_mul(factor)?,
            terms: self.terms.iter().map(scaled).collect::<Option<_>>()?,
        })
    }

    fn add(&mut self, atom: Atom, coefficient: i64) -> Option<()> {
        let sum = self.terms.get(&atom).copied().unwrap_or(0).checked_add(coefficient)?;
        if sum == 0 {
            self.terms.remove(&atom);
        } else {
            self.terms.insert(atom, sum);
        }
        Some(())
    }

    /// The least and the greatest value that the form may have, as far as its terms bound it.
    pub fn range(&self) -> (Option<i64>, Option<i64>) {
        let (low, high) = self.range_of_terms();
        // Terms one by one do not bound remainders. The greatest bounds most.
        let nested = low.is_none_or(|low| low < 0) || high.is_none();
        let remainders =
            self.terms.iter().filter_map(|(atom, &c)| self.remainder_with(atom, c, nested));
        let widest = remainders.max_by_key(|&(most, ..)| most);
        let of_remainder = widest.map(|(most, factor, rest)| {
            let (least, greatest) = rest.range();
            let reach = most.map(|most| factor.checked_mul(most));
            // How far a remainder reaches from 0, on the side of its factor's sign.
            let end = |on_this_side: bool| match (on_this_side, reach) {
                (false, _) => Some(0),
                (true, Some(reach)) => reach,
                (true, None) => None,
            };
            let plus = |value: Option<i64>, more: Option<i64>| value?.checked_add(more?);
            (plus(least, end(factor < 0)), plus(greatest, end(factor > 0)))
        });
        let both = |(low, high): (Option<i64>, Option<i64>), other: Option<_>| {
            let Some((least, greatest)): Option<(Option<i64>, Option<i64>)> = other else {
                return (low, high);
            };
            (low.max(least), high.zip(greatest).map(|(a, b)| a.min(b)).or(high).or(greatest))
        };
        let (mut low, high) = both(both((low, high), of_remainder), self.range_of_greater());
        // A multiple of a remainder bounds its range no more than a multiple of it does.
        let unit = self.terms.values().fold(self.constant, |unit, &c| gcd(unit, c));
        if unit > 1
            && low.is_none_or(|low| low < 0)
            && let Some(least) = self.cancelled(unit).and_then(|form| form.range().0)
        {
            low = low.max(least.checked_mul(unit));
        }
        match (low, high) {
            (Some(_), Some(_)) => (low, high),
            _ => both((low, high), self.range_by_sign()),
        }
    }

    /// The range of x + y - least(x, y) + z, the greater of two.
    fn range_of_greater(&self) -> Option<(Option<i64>, Option<i64>)> {
        self.terms.iter().find_map(|(atom, &coefficient)| {
            let Atom::Word(Word::Least, operands) = atom else { return None };
            let [x, y] = operands.as_slice() else { return None };
            let mut rest = self.clone();
            rest.terms.remove(atom).filter(|_| coefficient == -1)?;
            let (a, b) = (rest.minus(x)?.range_of_terms(), rest.minus(y)?.range_of_terms());
            Some((a.0.max(b.0), a.1.zip(b.1).map(|(a, b)| a.max(b))))
        })
    }

    /// A term as a part of a remainder, `x - n floor(x/n)`: what the remainder is at most, its factor
    /// in the form, and the form without it. Quotients of quotients are read only if `nested`.
    fn remainder_with(
        &self,
        atom: &Atom,
        coefficient: i64,
        nested: bool,
    ) -> Option<(Option<i64>, i64, Self)> {
        let (most, factor, whole) = match atom {
            Atom::Floor(inner, divisor) => {
                // floor(x/(m n)) is floor(floor(x/m)/n).
                let unit = gcd(*divisor, coefficient);
                let factor = coefficient.checked_neg()?.checked_div(unit)?;
                let whole = match divisor.checked_div(unit)? {
                    1 => (**inner).clone(),
                    outer if nested && unit > 1 => inner.floor_div(outer)?,
                    _ => return None,
                };
                (Some(unit.checked_sub(1)?), factor, whole)
            }
            // By a symbolic factor.
            Atom::Scaled(factors, Some(of)) => match &**of {
                Atom::Word(Word::Quotient, operands) => match &operands[..] {
                    [whole, by] if Self::of_factors(factors).as_ref() == Some(&**by) => {
                        let most = by.range().1.and_then(|most| most.checked_sub(1));
                        (most, coefficient.checked_neg()?, (**whole).clone())
                    }
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let mut rest = self.clone();
        rest.terms.remove(atom);
        let rest = rest.minus(&whole.scale(factor)?)?;
        (rest.terms.len() < self.terms.len()).then_some((most, factor, rest))
    }

    /// The least and one more than the greatest value, where both are known.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match self.range() {
            (Some(least), Some(greatest)) => Some((least, greatest.checked_add(1)?)),
            _ => None,
        }
    }

    fn range_of_terms(&self) -> (Option<i64>, Option<i64>) {
        let (mut low, mut high) = (Some(self.constant), Some(self.constant));
        for (atom, &coefficient) in &self.terms {
            let (least, greatest) = atom.range();
            let (least, greatest) =
                if coefficient > 0 { (least, greatest) } else { (greatest, least) };
            let plus = |sum: Option<i64>, value: Option<i64>| {
                sum?.checked_add(value?.checked_mul(coefficient)?)
            };
            (low, high) = (plus(low, least), plus(high, greatest));
        }
        (low, high)
    }

    /// The greatest number that is known to divide every value; 0 of the form 0.
    pub fn divisor(&self) -> i64 {
        self.terms.values().fold(self.constant.wrapping_abs(), |unit, &c| gcd(unit, c))
    }

    /// Whether every value is in `from .. to`.
    pub fn is_within(&self, from: i64, to: i64) -> bool {
        matches!(self.range(), (Some(low), Some(high)) if from <= low && high < to)
    }

    /// Terms that are multiples of `unit`, and the rest, which has a constant of `0 .. unit`.
    fn split(&self, unit: i64) -> Option<(Self, Self)> {
        let rest = self.constant.checked_rem_euclid(unit)?;
        let mut high = Self::constant(self.constant.checked_sub(rest)?);
        let mut low = Self::constant(rest);
        for (atom, &coefficient) in &self.terms {
            let part = coefficient.checked_rem_euclid(unit)?;
            // A bit may count for both; of others, only what is divisible is taken.
            match atom {
                Atom::Parity(_) => {
                    if coefficient != part {
                        high.terms.insert(atom.clone(), coefficient.checked_sub(part)?);
                    }
                    if part != 0 {
                        low.terms.insert(atom.clone(), part);
                    }
                }
                _ if part == 0 => {
                    high.terms.insert(atom.clone(), coefficient);
                }
                Atom::Whole(_) | Atom::Scaled(..) => {
                    let part = coefficient.checked_rem(unit)?;
                    if coefficient != part {
                        high.terms.insert(atom.clone(), coefficient.checked_sub(part)?);
                    }
                    low.terms.insert(atom.clone(), part);
                }
                _ => {
                    low.terms.insert(atom.clone(), coefficient);
                }
            }
        }
        Some((high, low))
    }

    /// A form that differs from this one by multiples of a positive number, without the terms that are
    /// such multiples: in arithmetic modulo this number, either form gives the same sums and products.
    ///
    /// ```
    /// use layout_relation::IndexForm;
    /// let number = IndexForm::symbol(0, None, None).unwrap();
    /// let word = number.signed(32).unwrap();
    /// assert_ne!(word, number);
    /// assert_eq!(word.congruent(1 << 32).unwrap(), number);
    /// ```
    pub fn congruent(&self, unit: i64) -> Option<Self> {
        if unit < 1 {
            return None;
        }
        self.split(unit).map(|(_, rest)| rest)
    }

    /// The quotient by a positive number, rounded down.
    pub fn floor_div(&self, divisor: i64) -> Option<Self> {
        if divisor < 1 {
            return None;
        }
        if divisor == 1 {
            return Some(self.clone());
        }
        // floor((floor(x/d) + y)/n) is floor((x + d*y)/(d*n)).
        if let Some((whole, divisor)) = self.unnested(divisor) {
            return whole.floor_div(divisor);
        }
        let (high, low) = self.split(divisor)?;
        let mut quotient = Self::constant(high.constant / divisor);
        for (atom, coefficient) in high.terms {
            quotient.terms.insert(atom, coefficient / divisor);
        }
        if low.is_within(0, divisor) {
            return Some(quotient);
        }
        if low != *self {
            // The remaining terms may be a quotient.
            return quotient.plus(&low.floor_div(divisor)?);
        }
        let rest = match (divisor.count_ones(), low.columns()) {
            (1, Some(columns)) => {
                let shift = divisor.trailing_zeros() as usize;
                Self::of_columns(columns.get(shift..).unwrap_or_default())?
            }
            _ => {
                // Terms that cannot reach a multiple of a part of the divisor are dropped, and what
                // divides both the terms and the divisor is cancelled, so that a quotient has one way
                // to be written.
                let above = low.clone().above_remainders(divisor);
                let unit = above.terms.values().fold(divisor, |unit, &c| gcd(unit, c));
                if above == low && unit == 1 {
                    Self::of_atom(Atom::Floor(low.into(), divisor))
                } else {
                    above.cancelled(unit)?.floor_div(divisor / unit)?
                }
            }
        };
        quotient.plus(&rest)
    }

    /// The terms that are multiples of a part of the divisor, if the others stay below that part.
    fn above_remainders(self, divisor: i64) -> Self {
        let units: BTreeSet<i64> = self.terms.values().map(|&c| gcd(divisor, c)).collect();
        let whole = units.into_iter().rev().filter(|&unit| unit > 1).find_map(|unit| {
            let (high, low) = self.split(unit)?;
            (low.is_within(0, unit) && !high.terms.is_empty()).then_some(high)
        });
        whole.unwrap_or(self)
    }

    /// Where one term is a quotient: what the whole is a quotient of, and by what.
    fn unnested(&self, divisor: i64) -> Option<(Self, i64)> {
        let mut floors = self.terms.iter().filter(|(atom, _)| matches!(atom, Atom::Floor(..)));
        let (Some((atom @ Atom::Floor(inner, by), 1)), None) = (floors.next(), floors.next())
        else {
            return None;
        };
        let mut rest = self.clone();
        rest.terms.remove(atom);
        Some((rest.scale(*by)?.plus(inner)?, divisor.checked_mul(*by)?))
    }

    /// The form divided by a number that divides its terms, its constant rounded down.
    fn cancelled(&self, unit: i64) -> Option<Self> {
        let mut form = Self::constant(self.constant.checked_div_euclid(unit)?);
        for (atom, &coefficient) in &self.terms {
            form.terms.insert(atom.clone(), coefficient / unit);
        }
        Some(form)
    }

    /// The remainder of the division by a positive number, from 0.
    pub fn modulo(&self, divisor: i64) -> Option<Self> {
        self.minus(&self.floor_div(divisor)?.scale(divisor)?)
    }

    /// The value where symbols have these values; a bounded symbol's value counts from its lower
    /// bound here.
    pub fn at(&self, symbols: &dyn Fn(u32) -> i64) -> Option<i64> {
        let mut sum = self.constant;
        for (atom, &coefficient) in &self.terms {
            sum = sum.checked_add(atom.at(symbols)?.checked_mul(coefficient)?)?;
        }
        Some(sum)
    }

    /// The symbols that it depends on.
    pub fn symbols(&self) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        self.terms.keys().for_each(|atom| atom.symbols(&mut found));
        found
    }

    /// How many terms there are in all, those of operands counted too.
    pub fn weight(&self) -> usize {
        self.terms.keys().map(Atom::weight).sum()
    }

    /// Sets of symbols, of two or more each, that are not only added.
    pub fn linked(&self) -> Vec<BTreeSet<u32>> {
        let of = |atom: &Atom| {
            let mut found = BTreeSet::new();
            atom.symbols(&mut found);
            found
        };
        self.terms.keys().map(of).filter(|symbols| symbols.len() > 1).collect()
    }

    /// The coefficients of single bits, where there are no other terms.
    pub fn bits(&self) -> Option<Vec<((u32, u32), i64)>> {
        let bit = |(atom, &coefficient): (&Atom, &i64)| match atom {
            Atom::Parity(bits) => match bits[..] {
                [bit] => Some((bit, coefficient)),
                _ => None,
            },
            _ => None,
        };
        self.terms.iter().map(bit).collect()
    }

    /// The coefficients of a symbol's bits, where it comes in no other way.
    pub fn bits_of(&self, symbol: u32) -> Option<Vec<(u32, i64)>> {
        let mut found = Vec::new();
        for (atom, &coefficient) in &self.terms {
            match atom {
                Atom::Parity(bits) if bits.iter().all(|&(other, _)| other != symbol) => {}
                Atom::Parity(bits) => match bits[..] {
                    [(_, bit)] => found.push((bit, coefficient)),
                    _ => return None,
                },
                other => {
                    let mut own = BTreeSet::new();
                    other.symbols(&mut own);
                    if own.contains(&symbol) {
                        return None;
                    }
                }
            }
        }
        Some(found)
    }

    /// `self < limit` in a form that is the same for all conditions that say the same, or `None` if
    /// it always holds, else `(form, limit)` whose coefficients share no divisor and whose constant
    /// is 0.
    pub fn below(&self, limit: i64) -> Option<Option<(Self, i64)>> {
        if matches!(self.range(), (_, Some(high)) if high < limit) {
            return Some(None);
        }
        let unit = self.terms.values().fold(0, |unit, &c| gcd(unit, c)).max(1);
        let limit = limit.checked_sub(self.constant)?;
        // terms < limit  is  terms / unit < ceil(limit / unit)
        let limit = limit.div_euclid(unit) + i64::from(limit.rem_euclid(unit) != 0);
        let form = Self { constant: 0, ..self.clone() }.cancelled(unit)?;
        Some(Some((form, limit)))
    }
}

impl Atom {
    /// The least and the greatest value, where they are known.
    fn range(&self) -> (Option<i64>, Option<i64>) {
        match self {
            Self::Parity(_) => (Some(0), Some(1)),
            Self::Whole((_, from, to)) => (*from, *to),
            Self::Scaled(factors, of) => {
                let of = of.as_ref().map(|atom| atom.range());
                product::range(factors.iter().map(Factor::range).chain(of))
            }
            Self::Floor(inner, divisor) => {
                let (least, greatest) = inner.range();
                let divided = |value: Option<i64>| value.map(|value| value.div_euclid(*divisor));
                (divided(least), divided(greatest))
            }
            Self::Word(word, operands) => word.range(operands),
        }
    }

    fn at(&self, symbols: &dyn Fn(u32) -> i64) -> Option<i64> {
        Some(match self {
            Self::Parity(bits) => {
                bits.iter().fold(0, |p, &(symbol, bit)| p ^ (symbols(symbol) >> bit & 1))
            }
            Self::Whole((symbol, ..)) => symbols(*symbol),
            Self::Scaled(factors, of) => {
                let first = of.as_ref().map_or(Some(1), |atom| atom.at(symbols))?;
                factors
                    .iter()
                    .try_fold(first, |product, factor| product.checked_mul(factor.at(symbols)))?
            }
            Self::Floor(inner, divisor) => inner.at(symbols)?.div_euclid(*divisor),
            Self::Word(word, operands) => {
                let values: Option<SmallVec<[i64; 3]>> =
                    operands.iter().map(|operand| operand.at(symbols)).collect();
                word.apply(&values?)?
            }
        })
    }

    fn symbols(&self, found: &mut BTreeSet<u32>) {
        match self {
            Self::Parity(bits) => found.extend(bits.iter().map(|&(symbol, _)| symbol)),
            Self::Whole((symbol, ..)) => {
                found.insert(*symbol);
            }
            Self::Scaled(factors, of) => {
                found.extend(factors.iter().map(Factor::symbol));
                of.iter().for_each(|atom| atom.symbols(found));
            }
            Self::Floor(inner, _) => found.extend(inner.symbols()),
            Self::Word(_, operands) => {
                operands.iter().for_each(|operand| found.extend(operand.symbols()));
            }
        }
    }

    fn weight(&self) -> usize {
        1 + match self {
            Self::Parity(_) | Self::Whole(_) => 0,
            Self::Scaled(_, of) => of.as_ref().map_or(0, |atom| atom.weight()),
            Self::Floor(inner, _) => inner.weight(),
            Self::Word(_, operands) => operands.iter().map(|operand| operand.weight()).sum(),
        }
    }
}

impl Factor {
    fn symbol(&self) -> u32 {
        match self {
            Self::Whole((symbol, ..)) | Self::Bits(symbol, _) => *symbol,
        }
    }

    fn at(&self, symbols: &dyn Fn(u32) -> i64) -> i64 {
        match self {
            Self::Whole((symbol, ..)) => symbols(*symbol),
            Self::Bits(symbol, bits) => {
                symbols(*symbol) & 1_i64.checked_shl(*bits).map_or(-1, |end| end - 1)
            }
        }
    }

    fn range(&self) -> (Option<i64>, Option<i64>) {
        match self {
            Self::Whole((_, from, to)) => (*from, *to),
            Self::Bits(_, bits) => (Some(0), 1_i64.checked_shl(*bits).map(|end| end - 1)),
        }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parity(bits) => {
                let bits: Vec<_> = bits.iter().map(|(s, bit)| format!("s{s}.{bit}")).collect();
                match &bits[..] {
                    [bit] => f.write_str(bit),
                    bits => write!(f, "({})", bits.join(" ^ ")),
                }
            }
            Self::Whole((symbol, ..)) => write!(f, "s{symbol}"),
            Self::Scaled(factors, of) => {
                let names: Vec<_> =
                    factors.iter().map(|factor| format!("s{}", factor.symbol())).collect();
                f.write_str(&names.join(" "))?;
                of.as_ref().map_or(Ok(()), |atom| write!(f, " {atom}"))
            }
            Self::Floor(inner, divisor) => write!(f, "floor(({})/{divisor})", **inner),
            Self::Word(word, operands) => {
                let operands: Vec<_> = operands.iter().map(|operand| operand.to_string()).collect();
                write!(f, "{}({})", word.name(), operands.join(", "))
            }
        }
    }
}

impl fmt::Display for IndexForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms: Vec<String> = Vec::new();
        for (atom, coefficient) in &self.terms {
            terms.push(if *coefficient == 1 {
                atom.to_string()
            } else {
                format!("{coefficient} {atom}")
            });
        }
        if self.constant != 0 || terms.is_empty() {
            terms.push(self.constant.to_string());
        }
        f.write_str(&terms.join(" + "))
    }
}
