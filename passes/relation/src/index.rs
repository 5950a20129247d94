//! Index arithmetic in a normal form: what `arith` operations compute from thread and block ids.
//!
//! Bounded symbols are bits. Each function of bits is, in exactly one way, an integer combination of
//! exclusive ors of bits (they are affine in the characters of the group of bit vectors, which are a
//! basis of its functions). So a form without divisions is equal to another exactly when both are
//! written alike; products with numbers, sums, and `and`, `xor`, shifts, quotients and remainders
//! of sums that do not carry stay in it. A division of something else is an atom of its own.
//!
//! ```text
//! thread = 0 .. 128:  (thread & 3) * 8 + (thread >> 2) * 64
//!                     = 8 t0 + 16 t1 + 64 t2 + 128 t3 + 256 t4 + 512 t5 + 1024 t6
//! x ^ (x >> 3 & 7)    has the terms 1 (t0 ^ t3), 2 (t1 ^ t4), …
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Largest number of bits of a bounded symbol.
const SYMBOL_BITS: u32 = 48;

/// Most terms of a form; what needs more has none.
const TERMS: usize = 4096;

/// Points at which two forms are compared when they are written differently.
const POINTS: i64 = 1 << 16;

/// A bit of a symbol: its number, and the bit's.
type Bit = (u32, u32);

/// What a coefficient multiplies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Atom {
    /// The exclusive or of some bits.
    Parity(Vec<Bit>),
    /// A symbol without an upper bound, or whose sign is not known.
    Whole(u32, Option<i64>),
    /// A quotient, rounded down.
    Floor(Box<IndexForm>, i64),
}

/// An integer function of symbols: thread and block ids, counters of loops.
///
/// Each operation answers with nothing where the result has no such form, or does not fit 64 bits.
///
/// ```
/// use layout_relation::IndexForm;
/// let thread = IndexForm::symbol(0, Some(0), Some(128)).unwrap();
/// let row = thread.floor_div(4).unwrap();
/// let column = thread.and(3).unwrap();
/// // The digits of a number are the number.
/// assert_eq!(row.scale(4).unwrap().plus(&column).unwrap(), thread);
/// let swizzled = thread.xor(&thread.and(24).unwrap().floor_div(8).unwrap()).unwrap();
/// assert_ne!(swizzled, thread);
/// assert_eq!(swizzled.xor(&swizzled.and(24).unwrap().floor_div(8).unwrap()).unwrap(), thread);
/// assert_eq!(swizzled.at(&|_| 25), Some(26));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexForm {
    constant: i64,
    /// Sorted by atom; no coefficient is 0.
    terms: BTreeMap<Atom, i64>,
}

/// What a comparison of two forms came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// They are the same function.
    Equal,
    /// Here they are not: the values of the symbols, by number, and of both forms.
    Differ {
        /// The symbols.
        point: Vec<(u32, i64)>,
        /// The left form there.
        left: i64,
        /// The right form there.
        right: i64,
    },
    /// They are written differently, and agree wherever they were compared.
    Unknown,
}

/// A bit of a sum that does not carry: an exclusive or, and whether it is turned around.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Column {
    parity: BTreeSet<Bit>,
    inverted: bool,
}

impl IndexForm {
    /// A number.
    pub fn constant(value: i64) -> Self {
        Self { constant: value, terms: BTreeMap::new() }
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
                    form.terms.insert(Atom::Parity(vec![(number, bit)]), 1 << bit);
                }
            }
            _ => {
                form.terms.insert(Atom::Whole(number, from), 1);
            }
        }
        Some(form)
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

    /// The product, of which one is a number.
    pub fn times(&self, other: &Self) -> Option<Self> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => other.scale(factor),
            (_, Some(factor)) => self.scale(factor),
            (None, None) => None,
        }
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

    /// The least and the greatest value that the form may have, as far as its terms tell.
    pub fn range(&self) -> (Option<i64>, Option<i64>) {
        let (mut low, mut high) = (Some(self.constant), Some(self.constant));
        for (atom, &coefficient) in &self.terms {
            let (least, greatest) = match atom {
                Atom::Parity(_) => (Some(0), Some(1)),
                Atom::Whole(_, from) => (*from, None),
                Atom::Floor(inner, divisor) => {
                    let (least, greatest) = inner.range();
                    (
                        least.map(|v| v.div_euclid(*divisor)),
                        greatest.map(|v| v.div_euclid(*divisor)),
                    )
                }
            };
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
                _ => {
                    low.terms.insert(atom.clone(), coefficient);
                }
            }
        }
        Some((high, low))
    }

    /// The quotient by a positive number, rounded down.
    pub fn floor_div(&self, divisor: i64) -> Option<Self> {
        if divisor < 1 {
            return None;
        }
        if divisor == 1 {
            return Some(self.clone());
        }
        // floor((floor(x/d) + c)/n) is floor((x + c*d)/(d*n)).
        if let Some((Atom::Floor(inner, by), 1)) = self.terms.iter().next().map(|(a, &c)| (a, c))
            && self.terms.len() == 1
        {
            let inner = inner.plus(&Self::constant(self.constant.checked_mul(*by)?))?;
            return inner.floor_div(divisor.checked_mul(*by)?);
        }
        let (high, low) = self.split(divisor)?;
        let mut quotient = Self::constant(high.constant / divisor);
        for (atom, coefficient) in high.terms {
            quotient.terms.insert(atom, coefficient / divisor);
        }
        if low.is_within(0, divisor) {
            return Some(quotient);
        }
        let rest = match (divisor.count_ones(), low.columns()) {
            (1, Some(columns)) => {
                let shift = divisor.trailing_zeros() as usize;
                Self::of_columns(columns.get(shift..).unwrap_or_default())?
            }
            _ => {
                // What divides both the terms and the divisor is cancelled, so that a quotient has
                // one way to be written.
                let unit = low.terms.values().fold(divisor, |unit, &c| gcd(unit, c));
                let (unit, low) = (unit, low.cancelled(unit)?);
                match divisor / unit {
                    1 => low,
                    divisor => {
                        let mut floor = Self::constant(0);
                        floor.terms.insert(Atom::Floor(Box::new(low), divisor), 1);
                        floor
                    }
                }
            }
        };
        quotient.plus(&rest)
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

    /// The bits that are set in a mask too. The mask is not negative.
    pub fn and(&self, mask: i64) -> Option<Self> {
        if mask < 0 {
            return None;
        }
        if let Some(value) = self.as_constant() {
            return Some(Self::constant(value & mask));
        }
        let width = 64 - mask.leading_zeros();
        if width >= 62 {
            return None;
        }
        let columns = self.split(1 << width)?.1;
        // Carries past the mask do not matter, carries within do.
        let mut columns = match columns.columns() {
            Some(columns) => columns,
            None if mask.count_ones() == width => return self.modulo(1 << width),
            None => return None,
        };
        columns.truncate(width as usize);
        for (bit, column) in columns.iter_mut().enumerate() {
            if mask >> bit & 1 == 0 {
                *column = Column::default();
            }
        }
        Self::of_columns(&columns)
    }

    /// The exclusive or of both, bit by bit.
    pub fn xor(&self, other: &Self) -> Option<Self> {
        // Above all bits of one, the other stays as it is.
        let (wide, narrow) = match (self.range(), other.range()) {
            (_, (Some(0..), Some(high))) => ((self, other), high),
            ((Some(0..), Some(high)), _) => ((other, self), high),
            _ => return None,
        };
        let width = 64 - narrow.leading_zeros();
        if width >= 62 {
            return None;
        }
        let (high, low) = wide.0.split(1 << width)?;
        let (mut left, right) = (low.columns()?, wide.1.columns()?);
        if left.len() < right.len() {
            left.resize(right.len(), Column::default());
        }
        for (column, other) in left.iter_mut().zip(right) {
            column.parity = &column.parity ^ &other.parity;
            column.inverted ^= other.inverted;
        }
        // Where the lower part has bits above, so might the higher part: both are added, which is
        // right since those bits of the narrow one are 0.
        high.plus(&Self::of_columns(&left)?)
    }

    /// The bitwise or of two that share no bit, which is their sum.
    pub fn or(&self, other: &Self) -> Option<Self> {
        let (left, right) = (self.columns()?, other.columns()?);
        let empty = Column::default();
        left.iter().zip(&right).all(|(a, b)| *a == empty || *b == empty).then_some(())?;
        self.plus(other)
    }

    /// The bits, lowest first, where all terms are bits that do not carry into each other.
    fn columns(&self) -> Option<Vec<Column>> {
        let mut columns: Vec<Column> = Vec::new();
        let mut used = |at: usize| -> Option<usize> {
            if at >= 62 {
                return None;
            }
            if columns.len() <= at {
                columns.resize(at + 1, Column::default());
            }
            Some(at)
        };
        // -c x is c (1 - x) - c: a bit that is turned around.
        let mut constant = self.constant;
        let mut bits = Vec::new();
        for (atom, &coefficient) in &self.terms {
            let Atom::Parity(parity) = atom else { return None };
            constant = constant.checked_add(coefficient.min(0))?;
            let size = coefficient.checked_abs()?;
            for at in (0..62).filter(|at| size >> at & 1 == 1) {
                bits.push((used(at)?, parity, coefficient < 0));
            }
        }
        if constant < 0 {
            return None;
        }
        for at in (0..63).filter(|at| constant >> at & 1 == 1) {
            used(at)?;
        }
        for (at, parity, inverted) in bits {
            let column = &mut columns[at];
            if !column.parity.is_empty() {
                return None;
            }
            *column = Column { parity: parity.iter().copied().collect(), inverted };
        }
        for (at, column) in columns.iter_mut().enumerate() {
            if constant >> at & 1 == 1 {
                if !column.parity.is_empty() {
                    return None;
                }
                column.inverted = true;
            }
        }
        Some(columns)
    }

    fn of_columns(columns: &[Column]) -> Option<Self> {
        let mut form = Self::constant(0);
        for (at, column) in columns.iter().enumerate() {
            let value = 1_i64.checked_shl(u32::try_from(at).ok()?)?;
            if column.inverted {
                form.constant = form.constant.checked_add(value)?;
            }
            if !column.parity.is_empty() {
                let parity = column.parity.iter().copied().collect();
                form.add(Atom::Parity(parity), if column.inverted { -value } else { value })?;
            }
        }
        Some(form)
    }

    /// The value where symbols have these values; a bounded symbol's value counts from its lower
    /// bound here.
    pub fn at(&self, symbols: &dyn Fn(u32) -> i64) -> Option<i64> {
        let mut sum = self.constant;
        for (atom, &coefficient) in &self.terms {
            let value = match atom {
                Atom::Parity(bits) => {
                    bits.iter().fold(0, |p, &(symbol, bit)| p ^ (symbols(symbol) >> bit & 1))
                }
                Atom::Whole(symbol, _) => symbols(*symbol),
                Atom::Floor(inner, divisor) => inner.at(symbols)?.div_euclid(*divisor),
            };
            sum = sum.checked_add(value.checked_mul(coefficient)?)?;
        }
        Some(sum)
    }

    /// The symbols that it depends on.
    pub fn symbols(&self) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        for atom in self.terms.keys() {
            match atom {
                Atom::Parity(bits) => found.extend(bits.iter().map(|&(symbol, _)| symbol)),
                Atom::Whole(symbol, _) => {
                    found.insert(*symbol);
                }
                Atom::Floor(inner, _) => found.extend(inner.symbols()),
            }
        }
        found
    }

    /// Sets of symbols, of two or more each, that are not only added.
    pub fn linked(&self) -> Vec<BTreeSet<u32>> {
        let of = |atom: &Atom| match atom {
            Atom::Parity(bits) => bits.iter().map(|&(symbol, _)| symbol).collect(),
            Atom::Whole(symbol, _) => BTreeSet::from([*symbol]),
            Atom::Floor(inner, _) => inner.symbols(),
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

    /// `self < limit` in a form that is the same for all conditions that say the same: none where
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

    /// Whether both are the same function of symbols that are below these extents.
    pub fn compare(&self, other: &Self, extents: &dyn Fn(u32) -> Option<i64>) -> Compared {
        if self == other {
            return Compared::Equal;
        }
        let symbols: Vec<u32> = self.symbols().union(&other.symbols()).copied().collect();
        let spans: Vec<i64> = symbols.iter().map(|&s| extents(s).unwrap_or(64).max(1)).collect();
        let points = spans.iter().try_fold(1_i64, |all, &span| all.checked_mul(span));
        let whole = points.is_some_and(|points| points <= POINTS)
            && symbols.iter().all(|&s| extents(s).is_some());
        let count = points.unwrap_or(POINTS).min(POINTS);
        for point in 0..count {
            let mut rest = point;
            let values: Vec<(u32, i64)> = symbols
                .iter()
                .zip(&spans)
                .map(|(&symbol, &span)| {
                    // Steps that share no divisor with powers of two reach all bits soon.
                    let value = if whole { rest } else { rest.wrapping_mul(0x9e37_79b1) >> 7 };
                    let value = value.rem_euclid(span);
                    rest = if whole { rest / span } else { rest.wrapping_mul(31) + 17 };
                    (symbol, value)
                })
                .collect();
            let get = |symbol: u32| {
                values.iter().find(|(s, _)| *s == symbol).map_or(0, |&(_, value)| value)
            };
            if let (Some(left), Some(right)) = (self.at(&get), other.at(&get))
                && left != right
            {
                return Compared::Differ { point: values, left, right };
            }
        }
        if whole { Compared::Equal } else { Compared::Unknown }
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.wrapping_abs() } else { gcd(b, a.wrapping_rem(b)) }
}

impl fmt::Display for IndexForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms: Vec<String> = Vec::new();
        for (atom, coefficient) in &self.terms {
            let name = match atom {
                Atom::Parity(bits) => {
                    let bits: Vec<_> = bits.iter().map(|(s, bit)| format!("s{s}.{bit}")).collect();
                    if bits.len() == 1 { bits.concat() } else { format!("({})", bits.join(" ^ ")) }
                }
                Atom::Whole(symbol, _) => format!("s{symbol}"),
                Atom::Floor(inner, divisor) => format!("floor(({inner})/{divisor})"),
            };
            terms.push(if *coefficient == 1 { name } else { format!("{coefficient} {name}") });
        }
        if self.constant != 0 || terms.is_empty() {
            terms.push(self.constant.to_string());
        }
        f.write_str(&terms.join(" + "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number generator that is the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: i64) -> i64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as i64 % bound
        }
    }

    const EXTENTS: [i64; 3] = [64, 5, 12];

    type Slow = Box<dyn Fn(&dyn Fn(u32) -> i64) -> i64>;

    /// A random expression, as a form and as what it means.
    fn expression(random: &mut Random, depth: u32) -> Option<(IndexForm, Slow)> {
        if depth == 0 || random.below(6) == 0 {
            if random.below(3) == 0 {
                let value = random.below(20);
                return Some((IndexForm::constant(value), Box::new(move |_| value)));
            }
            let symbol = random.below(3) as u32;
            let form = IndexForm::symbol(symbol, Some(0), Some(EXTENTS[symbol as usize]))?;
            return Some((form, Box::new(move |at| at(symbol))));
        }
        let (a, x) = expression(random, depth - 1)?;
        let pick = random.below(8);
        let number = 1 + random.below(12);
        Some(match pick {
            0 => (a.scale(number)?, Box::new(move |at| x(at) * number)),
            1 => (a.floor_div(number)?, Box::new(move |at| x(at).div_euclid(number))),
            2 => (a.modulo(number)?, Box::new(move |at| x(at).rem_euclid(number))),
            3 => (a.and(number)?, Box::new(move |at| x(at) & number)),
            _ => {
                let (b, y) = expression(random, depth - 1)?;
                match pick {
                    4 => (a.minus(&b)?, Box::new(move |at| x(at) - y(at))),
                    5 => (a.xor(&b)?, Box::new(move |at| x(at) ^ y(at))),
                    6 => (a.or(&b)?, Box::new(move |at| x(at) | y(at))),
                    _ => (a.plus(&b)?, Box::new(move |at| x(at) + y(at))),
                }
            }
        })
    }

    #[test]
    fn forms_mean_what_the_arithmetic_means() {
        let mut random = Random(1);
        let mut tried = 0;
        for _ in 0..4000 {
            let Some((form, slow)) = expression(&mut random, 5) else { continue };
            tried += 1;
            let (low, high) = form.range();
            for _ in 0..20 {
                let point = EXTENTS.map(|extent| random.below(extent));
                let at = |symbol: u32| point[symbol as usize];
                let value = slow(&at);
                assert_eq!(form.at(&at), Some(value), "{form} at {point:?}");
                assert!(
                    low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high)
                );
            }
        }
        assert!(tried > 1500, "{tried}");
    }

    #[test]
    fn conditions_that_say_the_same_are_the_same() {
        let thread = IndexForm::symbol(0, Some(0), Some(32)).unwrap();
        let k = thread.scale(8).unwrap();
        let whole = k.below(64).unwrap();
        for j in 1..8 {
            let element = k.plus(&IndexForm::constant(j)).unwrap();
            assert_eq!(element.below(64).unwrap(), whole);
        }
        let next = k.plus(&IndexForm::constant(8)).unwrap();
        assert_ne!(next.below(64).unwrap(), whole);
        assert_eq!(k.below(256), Some(None));
    }

    #[test]
    fn differences_have_a_witness() {
        let thread = IndexForm::symbol(0, Some(0), Some(32)).unwrap();
        let extents = |_: u32| Some(32);
        let (low, all) = (thread.and(15).unwrap(), thread.clone());
        assert_eq!(low.compare(&low, &extents), Compared::Equal);
        assert_eq!(
            low.compare(&all, &extents),
            Compared::Differ { point: vec![(0, 16)], left: 0, right: 16 }
        );
        // Written over more bits than the symbol has, and yet the same.
        let five = IndexForm::symbol(0, Some(0), Some(5)).unwrap();
        assert_eq!(five.modulo(5).unwrap().compare(&five, &|_| Some(5)), Compared::Equal);
        let open = IndexForm::symbol(1, Some(0), None).unwrap();
        let digits = open.floor_div(3).unwrap().scale(3).unwrap();
        assert_eq!(digits.plus(&open.modulo(3).unwrap()).unwrap(), open);
    }

    #[test]
    fn what_has_no_form_has_none() {
        let s = IndexForm::symbol(0, Some(0), Some(32)).unwrap();
        let open = IndexForm::symbol(1, None, None).unwrap();
        assert_eq!(s.times(&s), None);
        assert_eq!(s.floor_div(0), None);
        assert_eq!(s.and(-8), None);
        assert_eq!(open.xor(&s), None);
        assert_eq!(s.scale(i64::MAX), None);
        assert_eq!(IndexForm::symbol(0, Some(0), Some(i64::MAX)).unwrap().bits(), None);
        assert_eq!(
            open.minus(&s).unwrap().to_string(),
            "-1 s0.0 + -2 s0.1 + -4 s0.2 + -8 s0.3 + -16 s0.4 + s1"
        );
    }
}
