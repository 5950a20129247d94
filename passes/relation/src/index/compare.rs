//! Comparison of two forms as functions: by their text, else point by point.

use super::{Atom, BoundedSymbol, Factor, IndexForm, words::Word};
use std::collections::{BTreeMap, BTreeSet};

/// Points at which symbols that belong together are examined.
const POINTS: i64 = 1 << 20;

/// Points where there are too many, or no bounds.
const SAMPLES: i64 = 1 << 14;

/// Samples for each point, so that one is left out once in millions.
const RETURNS: i64 = 16;

/// The number of values that are tried for a symbol without bounds.
const DEFAULT_RANGE: i64 = 64;

/// Points at which symbols are examined for bounds only.
const MAX_POINTS: i64 = 1 << 14;

/// From here on, a multiple is what a word loses where it wraps around.
const WORD: i64 = 1 << 32;

/// The result of a comparison of two forms.
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

/// The least value of a symbol, and how many it has where that is known.
type Span = (i64, Option<i64>);

impl Atom {
    fn highest_bit(&self, symbol: u32) -> Option<u32> {
        match self {
            Self::Parity(bits) => {
                bits.iter().filter(|&&(own, _)| own == symbol).map(|&(_, bit)| bit).max()
            }
            Self::Whole((own, ..)) => (*own == symbol).then_some(u32::MAX),
            Self::Scaled(factors, of) => {
                let whole = factors.iter().any(|factor| factor.symbol() == symbol);
                let of = of.as_ref().and_then(|atom| atom.highest_bit(symbol));
                if whole { Some(u32::MAX) } else { of }
            }
            Self::Floor(inner, _) => inner.highest_bit(symbol),
            Self::Word(_, operands) => {
                operands.iter().filter_map(|operand| operand.highest_bit(symbol)).max()
            }
        }
    }

    fn lowest_bit(&self, symbol: u32) -> Option<u32> {
        match self {
            Self::Parity(bits) => {
                bits.iter().filter(|&&(own, _)| own == symbol).map(|&(_, bit)| bit).min()
            }
            // All bits of a number come, where any does.
            Self::Whole(_) | Self::Scaled(..) => self.highest_bit(symbol).map(|_| 0),
            Self::Floor(inner, _) => inner.lowest_bit(symbol),
            Self::Word(_, operands) => {
                operands.iter().filter_map(|operand| operand.lowest_bit(symbol)).min()
            }
        }
    }

    fn spans(&self, found: &mut BTreeMap<u32, Span>) {
        let mut note = |&(symbol, from, to): &BoundedSymbol| {
            let least = from.or(to.map(|to| to.min(0))).unwrap_or(0);
            let count = to.and_then(|to| to.checked_sub(least)?.checked_add(1));
            found.insert(symbol, (least, count));
        };
        match self {
            Self::Parity(_) => {}
            Self::Whole(whole) => note(whole),
            Self::Scaled(factors, of) => {
                for factor in factors {
                    if let Factor::Whole(whole) = factor {
                        note(whole);
                    }
                }
                of.iter().for_each(|atom| atom.spans(found));
            }
            Self::Floor(inner, _) => inner.spans(found),
            Self::Word(_, operands) => operands.iter().for_each(|operand| operand.spans(found)),
        }
    }
}

impl IndexForm {
    /// Whether both are the same function of symbols that are below these extents.
    ///
    /// The common terms of both cancel in their difference. In the rest, symbols that are only
    /// added are examined one after the other: the difference is 0 everywhere where it is 0 at 0 and
    /// no symbol changes it.
    pub fn compare(&self, other: &Self, extents: &dyn Fn(u32) -> Option<i64>) -> Compared {
        if self == other {
            return Compared::Equal;
        }
        let all: BTreeSet<u32> = self.symbols().union(&other.symbols()).copied().collect();
        let difference = self.minus(other);
        if difference.as_ref().is_some_and(|difference| difference.is_congruent(extents)) {
            return Compared::Equal;
        }
        let mut wholes = BTreeMap::new();
        self.spans(&mut wholes);
        other.spans(&mut wholes);
        let groups = match &difference {
            Some(difference) => difference.groups(),
            None => vec![all.iter().copied().collect()],
        };
        // A symbol whose higher bits do not occur takes the values of the lower ones, and
        // one whose lower bits do not, multiples of the lowest that does.
        let forms = difference.as_ref().map_or_else(|| vec![self, other], |form| vec![form]);
        let used = |symbol: u32| {
            let bits = forms.iter().filter_map(|form| form.highest_bit(symbol)).max()?;
            1_i64.checked_shl(bits.checked_add(1)?).filter(|&span| span > 0)
        };
        let step = |symbol: u32| {
            let bits = forms.iter().filter_map(|form| form.lowest_bit(symbol)).min();
            let bits = bits.filter(|_| !wholes.contains_key(&symbol));
            bits.and_then(|bits| 1_i64.checked_shl(bits)).filter(|&step| step > 0).unwrap_or(1)
        };
        let whole_extents = extents;
        let extents = &|symbol: u32| {
            let own = wholes.get(&symbol).and_then(|&(_, count)| count);
            let extent = whole_extents(symbol).or(own)?;
            Some(used(symbol).map_or(extent, |span| span.min(extent)))
        };
        let mut known = difference.is_some();
        let first = |symbol: u32| wholes.get(&symbol).map_or(0, |&(from, _)| from);
        // At 0 first, where no group says anything.
        for group in std::iter::once(Vec::new()).chain(groups) {
            let part = difference.as_ref().and_then(|difference| difference.part(&group, &first));
            let steps: Vec<i64> = group.iter().map(|&symbol| step(symbol)).collect();
            let count = |(&symbol, step): (&u32, &i64)| match extents(symbol) {
                Some(extent) => (extent.max(1) - 1) / step + 1,
                None => DEFAULT_RANGE,
            };
            let spans: Vec<i64> = group.iter().zip(&steps).map(count).collect();
            let points = spans.iter().try_fold(1_i64, |all, &span| all.checked_mul(span));
            let bounded = group.iter().all(|&symbol| extents(symbol).is_some());
            let whole = points.filter(|&points| points <= POINTS && bounded);
            known &= whole.is_some();
            // Samples of a few points come back to each of them soon.
            let samples =
                SAMPLES.min(points.map_or(SAMPLES, |points| points.saturating_mul(RETURNS)));
            for point in 0..whole.unwrap_or(samples) {
                let mut values = digits(point, &group, &spans, whole.is_some());
                for ((_, value), step) in values.iter_mut().zip(&steps) {
                    *value = value.saturating_mul(*step);
                }
                let get = |symbol: u32| {
                    let value = values.iter().find(|(s, _)| *s == symbol);
                    value.map_or(0, |&(_, value)| value).saturating_add(first(symbol))
                };
                if part.as_ref().and_then(|part| part.at(&get)) == Some(0) {
                    continue;
                }
                match (self.at(&get), other.at(&get)) {
                    (Some(left), Some(right)) if left != right => {
                        let point = all.iter().map(|&symbol| (symbol, get(symbol))).collect();
                        return Compared::Differ { point, left, right };
                    }
                    (Some(_), Some(_)) => {}
                    _ => known = false,
                }
            }
        }
        if known { Compared::Equal } else { Compared::Unknown }
    }

    /// Whether it is the difference of one operation's results on operands that are the same.
    fn is_congruent(&self, extents: &dyn Fn(u32) -> Option<i64>) -> bool {
        let mut terms = self.terms.iter();
        let (Some((Atom::Word(word, left), a)), Some((Atom::Word(other, right), b)), None) =
            (terms.next(), terms.next(), terms.next())
        else {
            return false;
        };
        let same = |right: &[&Self]| {
            left.iter().zip(right).all(|(x, y)| x.compare(y, extents) == Compared::Equal)
        };
        let mut operands: Vec<&Self> = right.iter().map(|operand| &**operand).collect();
        if self.constant != 0 || a.checked_add(*b) != Some(0) || word != other {
            return false;
        }
        same(&operands)
            || (word.is_symmetric() && {
                operands.reverse();
                same(&operands)
            })
    }

    /// The value that the form has wherever these symbols have these values, whatever the others are:
    /// none where another symbol changes it, or may.
    pub fn value_at(
        &self,
        fixed: &[(u32, i64)],
        extents: &dyn Fn(u32) -> Option<i64>,
    ) -> Option<i64> {
        let of = |symbol: u32, values: &[(u32, i64)]| {
            let own = fixed.iter().chain(values).find(|(s, _)| *s == symbol);
            own.map_or(0, |&(_, value)| value)
        };
        let value = self.at(&|symbol| of(symbol, &[]))?;
        for mut group in self.groups() {
            group.retain(|symbol| fixed.iter().all(|(s, _)| s != symbol));
            let spans: Vec<i64> =
                group.iter().map(|&s| extents(s).map(|span| span.max(1))).collect::<Option<_>>()?;
            let points = spans.iter().try_fold(1_i64, |all, &span| all.checked_mul(span))?;
            if points > POINTS {
                return None;
            }
            let part = self.part(&group, &|symbol| of(symbol, &[]))?;
            for point in 0..points {
                let values = digits(point, &group, &spans, true);
                if part.at(&|symbol| of(symbol, &values))? != value {
                    return None;
                }
            }
        }
        Some(value)
    }

    /// Whether both are the same wherever each of some forms is below its limit. Only conditions on
    /// symbols that matter are examined, and only where these have few values.
    pub fn compare_under(
        &self,
        conditions: &[(Self, i64)],
        other: &Self,
        extents: &dyn Fn(u32) -> Option<i64>,
    ) -> Compared {
        let Some(difference) = self.minus(other) else { return Compared::Unknown };
        let mut symbols = difference.symbols();
        let conditions: Vec<&(Self, i64)> = conditions
            .iter()
            .filter(|(form, _)| {
                let own = form.symbols();
                own.is_empty() || !own.is_disjoint(&difference.symbols())
            })
            .collect();
        conditions.iter().for_each(|(form, _)| symbols.extend(form.symbols()));
        let symbols: Vec<u32> = symbols.into_iter().collect();
        let spans: Option<Vec<i64>> =
            symbols.iter().map(|&symbol| extents(symbol).map(|span| span.max(1))).collect();
        let Some(spans) = spans else { return Compared::Unknown };
        let points = spans.iter().try_fold(1_i64, |all, &span| all.checked_mul(span));
        let Some(points) = points.filter(|&points| points <= POINTS) else {
            return Compared::Unknown;
        };
        let mut known = true;
        for point in 0..points {
            let values = digits(point, &symbols, &spans, true);
            let get = |symbol: u32| {
                values.iter().find(|(s, _)| *s == symbol).map_or(0, |&(_, value)| value)
            };
            let holds =
                |(form, limit): &&(Self, i64)| form.at(&get).is_none_or(|value| value < *limit);
            if difference.at(&get) == Some(0) || !conditions.iter().all(holds) {
                continue;
            }
            match (self.at(&get), other.at(&get)) {
                (Some(left), Some(right)) if left != right => {
                    return Compared::Differ { point: values, left, right };
                }
                (Some(_), Some(_)) => {}
                _ => known = false,
            }
        }
        if known { Compared::Equal } else { Compared::Unknown }
    }

    /// Whether both are the same wherever this one is in `from .. to`.
    ///
    /// Where their difference is always a multiple of something that is more than they can be apart,
    /// as of words that wrap around, no point is examined.
    pub fn compare_within(
        &self,
        (from, to): (i64, i64),
        other: &Self,
        extents: &dyn Fn(u32) -> Option<i64>,
    ) -> Compared {
        let congruent = || -> Option<bool> {
            let unit = self.unit_of_difference(other, extents)?;
            if unit == 0 {
                return Some(true);
            }
            let (least, greatest) = other.range();
            let above = i128::from(greatest?) - i128::from(from);
            let below = i128::from(to) - 1 - i128::from(least?);
            Some(above < i128::from(unit) && below < i128::from(unit))
        };
        if congruent() == Some(true) {
            return Compared::Equal;
        }
        let bounds = || {
            let low = (self.scale(-1)?, 1_i64.checked_sub(from)?);
            Some(vec![(self.clone(), to), low])
        };
        match bounds() {
            Some(bounds) => self.compare_under(&bounds, other, extents),
            None => Compared::Unknown,
        }
    }

    /// Whether both are congruent modulo a power of two of at least 32 bits, for symbols below these
    /// extents: the same in a word of that width.
    pub fn is_congruent_modulo(
        &self,
        other: &Self,
        unit: i64,
        extents: &dyn Fn(u32) -> Option<i64>,
    ) -> bool {
        let multiple = |unit: i64| -> Option<bool> {
            Some(self.unit_of_difference(other, extents)?.checked_rem(unit)? == 0)
        };
        let stripped = |unit: i64| -> Option<bool> {
            let (left, right) = (self.modulo_terms(unit)?, other.modulo_terms(unit)?);
            Some(left.compare(&right, extents) == Compared::Equal)
        };
        unit > 0 && (multiple(unit) == Some(true) || stripped(unit) == Some(true))
    }

    /// A form that is congruent, without multiples of a number: its own, and those of what it chooses.
    fn modulo_terms(&self, unit: i64) -> Option<Self> {
        let mut sum = Self::constant(self.constant);
        for (atom, &coefficient) in &self.terms {
            let form = match atom {
                _ if coefficient.checked_rem(unit)? == 0 => continue,
                Atom::Word(Word::Choice, operands) => match &operands[..] {
                    [condition, then, otherwise] => condition
                        .choose(&then.modulo_terms(unit)?, &otherwise.modulo_terms(unit)?)?,
                    _ => return None,
                },
                _ => Self::of_atom(atom.clone()),
            };
            sum = sum.plus(&form.scale(coefficient)?)?;
        }
        sum.constant = sum.constant.checked_rem_euclid(unit)?;
        Some(sum)
    }

    /// A number that the difference of both is always a multiple of; 0 where it is 0. Terms that are
    /// multiples of whole words may be anything; the others have to come to 0.
    fn unit_of_difference(
        &self,
        other: &Self,
        extents: &dyn Fn(u32) -> Option<i64>,
    ) -> Option<i64> {
        let mut whole = other.minus(self)?;
        let mut rest = whole.clone();
        whole.terms.retain(|_, coefficient| *coefficient % WORD == 0);
        rest.terms.retain(|_, coefficient| *coefficient % WORD != 0);
        whole.constant = 0;
        let zero = Self::constant(0);
        if rest.compare(&zero, extents) == Compared::Equal {
            return Some(whole.divisor());
        }
        Some(other.minus(self)?.divisor())
    }

    /// Bounds of the values, from the first on and below the second, for symbols below these extents.
    /// Symbols that are not only added are enumerated point by point, if these are few.
    pub fn bounds_over(&self, extents: &dyn Fn(u32) -> Option<i64>) -> Option<(i64, i64)> {
        let start = self.at(&|_| 0)?;
        let (mut low, mut high) = (start, start);
        for group in self.groups() {
            let (least, most) = match group[..] {
                [symbol] if extents(symbol).is_none_or(|span| span > MAX_POINTS) => {
                    let bits = self.bits_of(symbol)?;
                    bits.iter().try_fold((0_i64, 0_i64), |(least, most), &(_, worth)| {
                        Some((least.checked_add(worth.min(0))?, most.checked_add(worth.max(0))?))
                    })?
                }
                _ => self.reach_of(&group, start, extents)?,
            };
            low = low.checked_add(least)?;
            high = high.checked_add(most)?;
        }
        Some((low, high.checked_add(1)?))
    }

    /// The least and the greatest value that a group of symbols adds.
    fn reach_of(
        &self,
        group: &[u32],
        start: i64,
        extents: &dyn Fn(u32) -> Option<i64>,
    ) -> Option<(i64, i64)> {
        let spans: Vec<i64> =
            group.iter().map(|&s| extents(s).map(|span| span.max(1))).collect::<Option<_>>()?;
        let points = spans.iter().try_fold(1_i64, |all, &span| all.checked_mul(span))?;
        let part = self.part(group, &|_| 0)?;
        let mut reach = (0, 0);
        for point in 0..Some(points).filter(|&points| points <= MAX_POINTS)? {
            let values = digits(point, group, &spans, true);
            let get = |symbol: u32| {
                values.iter().find(|(s, _)| *s == symbol).map_or(0, |&(_, value)| value)
            };
            let value = part.at(&get)?.checked_sub(start)?;
            reach = (reach.0.min(value), reach.1.max(value));
        }
        Some(reach)
    }

    /// The highest bit of a symbol that matters; unbounded if the symbol is not split into bits.
    fn highest_bit(&self, symbol: u32) -> Option<u32> {
        self.terms.keys().filter_map(|atom| atom.highest_bit(symbol)).max()
    }

    fn lowest_bit(&self, symbol: u32) -> Option<u32> {
        self.terms.keys().filter_map(|atom| atom.lowest_bit(symbol)).min()
    }

    /// The values of symbols that are no bits.
    fn spans(&self, found: &mut BTreeMap<u32, Span>) {
        self.terms.keys().for_each(|atom| atom.spans(found));
    }

    /// The least value of a symbol that is not taken apart into bits, and how many values it has where
    /// that is known, or `None` for other symbols.
    pub fn span(&self, symbol: u32) -> Option<(i64, Option<i64>)> {
        let mut found = BTreeMap::new();
        self.spans(&mut found);
        found.get(&symbol).copied()
    }

    /// The terms that these symbols change, and the sum of the others, whose symbols have their first values.
    fn part(&self, symbols: &[u32], first: &dyn Fn(u32) -> i64) -> Option<Part<'_>> {
        let mut part = Part { others: self.constant, terms: Vec::new() };
        for (atom, &coefficient) in &self.terms {
            let mut own = BTreeSet::new();
            atom.symbols(&mut own);
            if symbols.iter().any(|symbol| own.contains(symbol)) {
                part.terms.push((atom, coefficient));
            } else {
                let term = atom.at(first)?.checked_mul(coefficient)?;
                part.others = part.others.checked_add(term)?;
            }
        }
        Some(part)
    }

    /// The symbols, those together that are not only added.
    fn groups(&self) -> Vec<Vec<u32>> {
        let mut groups: Vec<Vec<u32>> =
            self.symbols().into_iter().map(|symbol| vec![symbol]).collect();
        for linked in self.linked() {
            let (together, separate): (Vec<_>, Vec<_>) = groups
                .into_iter()
                .partition(|group| group.iter().any(|symbol| linked.contains(symbol)));
            groups = separate;
            groups.push(together.concat());
        }
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        groups
    }
}

/// A form of which some symbols change their values.
struct Part<'a> {
    /// The sum of the terms that none of them is in.
    others: i64,
    terms: Vec<(&'a Atom, i64)>,
}

impl Part<'_> {
    fn at(&self, symbols: &dyn Fn(u32) -> i64) -> Option<i64> {
        self.terms.iter().try_fold(self.others, |sum, (atom, coefficient)| {
            sum.checked_add(atom.at(symbols)?.checked_mul(*coefficient)?)
        })
    }
}

/// The values of symbols at a point: its digits, or something mixed where not all are examined.
fn digits(point: i64, group: &[u32], spans: &[i64], whole: bool) -> Vec<(u32, i64)> {
    let mut rest = point;
    group
        .iter()
        .zip(spans)
        .map(|(&symbol, &span)| {
            // Steps that share no divisor with powers of two reach all bits soon.
            let value = if whole { rest } else { rest.wrapping_mul(0x9e37_79b1) >> 7 };
            rest = if whole { rest / span } else { rest.wrapping_mul(31) + 17 };
            (symbol, value.rem_euclid(span))
        })
        .collect()
}
