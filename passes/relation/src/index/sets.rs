//! Forms of symbols without bounds, compared by ISL: is the set of integers that distinguish them empty?

use super::{Atom, BoundedSymbol, IndexForm, operand::Operand, words::Word};
use crate::{Context, IntegerSet, Limits};
use std::collections::{BTreeMap, BTreeSet};

/// Values of a factor, or of operands of logic, at most, for results to be distinguished by them.
const FACTORS: i64 = 4;

/// Bytes of a question at most.
const TEXT: usize = 1 << 15;

impl IndexForm {
    /// Whether both are the same number for all values of their symbols where each of some forms is
    /// below its limit, by ISL: symbols are unknowns, quotients by numbers are floors, and comparisons and
    /// choices are cases.
    ///
    /// None where they are not, or a form is not of that kind, or a limit is hit.
    ///
    /// ```
    /// use layout_relation::{IndexForm, Limits};
    /// let x = IndexForm::symbol(0, None, None).unwrap();
    /// // Rounded down, and with a case for each sign.
    /// let down = x.floor_div(12).unwrap();
    /// let up = x.scale(-1).unwrap().plus(&IndexForm::constant(11)).unwrap().floor_div(12).unwrap();
    /// let cases = x.negative().unwrap().choose(&up.scale(-1).unwrap(), &down).unwrap();
    /// assert_ne!(cases, down);
    /// assert_eq!(cases.is_equal_by_sets(&down, &[], Limits::default()), Some(()));
    /// assert_eq!(cases.is_equal_by_sets(&x, &[], Limits::default()), None);
    /// ```
    pub fn is_equal_by_sets(
        &self,
        other: &Self,
        conditions: &[(Self, i64)],
        limits: Limits,
    ) -> Option<()> {
        let difference = self.minus(other)?;
        let mut question = Question::default();
        let differs = format!("{} != 0", question.form(&difference)?);
        // A condition that symbols do not allow to be written is left out; the claim is then a stronger one.
        for (form, limit) in conditions {
            let mut with = question.clone();
            if let Some(text) = with.form(form) {
                with.when.push(format!("{text} < {limit}"));
                question = with;
            }
        }
        question.when.push(differs);
        question.refuted(limits)
    }

    /// Whether it is below a limit for all values of their symbols where each of some forms is below its limit, by ISL.
    /// Symbols have values from 0 on below their extents, where these are known; a product of symbols and what else is not
    /// affine is an unknown of its own, so that what is proved holds, and not all that holds is proved.
    ///
    /// None where it is not proved, or a limit is hit.
    ///
    /// ```
    /// use layout_relation::{IndexForm, Limits};
    /// let (thread, block) = (IndexForm::symbol(0, Some(0), Some(128)), IndexForm::symbol(1, Some(0), None));
    /// let (thread, block) = (thread.unwrap(), block.unwrap());
    /// let size = IndexForm::factor(2, Some(1), None);
    /// let extents = |symbol: u32| (symbol == 0).then_some(128);
    /// // Of blocks that begin below the size, a thread's element is at most 127 past it.
    /// let first = block.scale(128).unwrap().minus(&size).unwrap();
    /// let element = first.plus(&thread).unwrap();
    /// let conditions = [(first, 0)];
    /// assert_eq!(element.is_below_by_sets(127, &conditions, &extents, Limits::default()), Some(()));
    /// assert_eq!(element.is_below_by_sets(126, &conditions, &extents, Limits::default()), None);
    /// ```
    pub fn is_below_by_sets(
        &self,
        limit: i64,
        conditions: &[(Self, i64)],
        extents: &dyn Fn(u32) -> Option<i64>,
        limits: Limits,
    ) -> Option<()> {
        let mut question = Question { loose: true, ..Question::default() };
        for form in conditions.iter().map(|(form, _)| form).chain([self]) {
            let known = form.symbols().into_iter().filter_map(|own| Some((own, extents(own)?)));
            question.ends.extend(known);
        }
        let fails = format!("{} >= {limit}", question.form(self)?);
        for (form, limit) in conditions {
            let text = question.form(form)?;
            question.when.push(format!("{text} < {limit}"));
        }
        question.when.push(fails);
        for symbol in question.bits.clone() {
            let end = question.ends.get(&symbol).map(|end| format!(" and b{symbol} < {end}"));
            question.when.push(format!("b{symbol} >= 0{}", end.unwrap_or_default()));
        }
        question.refuted(limits)
    }
}

/// The least and one more than the greatest value of a form that has few.
fn few(form: &IndexForm) -> Option<(i64, i64)> {
    let (low, high) = form.bounds()?;
    (high.checked_sub(low)? <= FACTORS).then_some((low, high))
}

/// Consecutive bits of a symbol, each worth twice the one before.
struct Run {
    symbol: u32,
    first: u32,
    count: u32,
    /// The worth of the first.
    coefficient: i64,
}

/// The runs of bits among a form's terms, with the terms.
fn runs(form: &IndexForm) -> Vec<(Run, Vec<&Atom>)> {
    let mut all: Vec<(Run, Vec<&Atom>)> = Vec::new();
    for (atom, &coefficient) in &form.terms {
        let Atom::Parity(bits) = atom else { continue };
        let &[(symbol, bit)] = &bits[..] else { continue };
        let follows = |(run, _): &&mut (Run, Vec<&Atom>)| {
            run.symbol == symbol
                && run.first + run.count == bit
                && run.coefficient.checked_shl(run.count) == Some(coefficient)
        };
        match all.last_mut().filter(follows) {
            Some((run, atoms)) => {
                run.count += 1;
                atoms.push(atom);
            }
            None => {
                let run = Run { symbol, first: bit, count: 1, coefficient };
                all.push((run, vec![atom]));
            }
        }
    }
    all
}

/// A set in ISL's notation, in the making.
#[derive(Clone, Default)]
struct Question {
    symbols: BTreeMap<u32, BoundedSymbol>,
    /// Operations that are cases, each an unknown of its own.
    words: BTreeMap<(Word, Vec<Operand>), usize>,
    when: Vec<String>,
    /// Whether what is not affine is an unknown of its own.
    loose: bool,
    /// Those unknowns, and the symbols of which there are bits.
    unknowns: BTreeMap<Atom, usize>,
    bits: BTreeSet<u32>,
    /// How many values those symbols have, where it is known.
    ends: BTreeMap<u32, i64>,
}

impl Question {
    /// `Some(())` if no values meet all conditions, or `None` if that is not known.
    fn refuted(mut self, limits: Limits) -> Option<()> {
        for (symbol, from, to) in self.symbols.clone().into_values() {
            let bound =
                |sign, bound: Option<i64>| bound.map(|bound| format!("s{symbol} {sign} {bound}"));
            // No symbol is more than a word.
            self.when.extend(bound(">=", from.or(Some(i64::MIN))));
            self.when.extend(bound("<=", to.or(Some(i64::MAX))));
        }
        let symbols = self.symbols.keys().map(|symbol| format!("s{symbol}"));
        let words = (0..self.words.len()).map(|word| format!("w{word}"));
        let unknowns = (0..self.unknowns.len()).map(|unknown| format!("u{unknown}"));
        let bits = self.bits.iter().map(|symbol| format!("b{symbol}"));
        let names: Vec<String> = symbols.chain(words).chain(unknowns).chain(bits).collect();
        let text = format!("{{ [{}] : {} }}", names.join(", "), self.when.join(" and "));
        if text.len() > TEXT {
            return None;
        }
        let context = Context::new(limits).ok()?;
        let set = IntegerSet::parse(&context, &text).ok()?;
        set.is_empty().ok()?.then_some(())
    }

    fn form(&mut self, form: &IndexForm) -> Option<String> {
        let mut text = format!("({}", form.constant);
        let mut taken = BTreeSet::new();
        if self.loose {
            for (run, atoms) in runs(form) {
                text.push_str(&format!(" + {}", self.run(&run)));
                taken.extend(atoms);
            }
        }
        for (atom, coefficient) in form.terms.iter().filter(|(atom, _)| !taken.contains(atom)) {
            text.push_str(&format!(" + {coefficient}*{}", self.atom(atom)?));
        }
        text.push(')');
        (text.len() <= TEXT).then_some(text)
    }

    /// A run of a symbol's bits as a number.
    fn run(&mut self, run: &Run) -> String {
        let Run { symbol, first, count, coefficient } = run;
        self.bits.insert(*symbol);
        let all = 1_i64 << (first + count);
        let whole = match self.ends.get(symbol) {
            Some(&end) if end <= all => format!("b{symbol}"),
            _ => format!("(b{symbol} mod {all})"),
        };
        match first {
            0 => format!("{coefficient}*{whole}"),
            _ => format!("{coefficient}*floor({whole}/{})", 1_i64 << first),
        }
    }

    /// An atom that is not affine, as an unknown within its range.
    fn unknown(&mut self, atom: &Atom) -> String {
        if let Some(number) = self.unknowns.get(atom) {
            return format!("u{number}");
        }
        let number = self.unknowns.len();
        self.unknowns.insert(atom.clone(), number);
        let (least, most) = atom.range();
        self.when.extend(least.map(|least| format!("u{number} >= {least}")));
        self.when.extend(most.map(|most| format!("u{number} <= {most}")));
        format!("u{number}")
    }

    fn atom(&mut self, atom: &Atom) -> Option<String> {
        if !self.loose {
            return self.exact(atom);
        }
        let before = self.clone();
        Some(match self.exact(atom) {
            Some(text) => text,
            None => {
                *self = before;
                self.unknown(atom)
            }
        })
    }

    fn exact(&mut self, atom: &Atom) -> Option<String> {
        match atom {
            Atom::Whole(whole) => {
                self.symbols.insert(whole.0, *whole);
                Some(format!("s{}", whole.0))
            }
            Atom::Floor(inner, divisor) => Some(format!("floor({}/{divisor})", self.form(inner)?)),
            Atom::Word(word, operands) => self.word(*word, operands),
            // Bits of bounded symbols are compared point by point, and products are not affine.
            Atom::Parity(_) | Atom::Scaled(..) => None,
        }
    }

    fn word(&mut self, word: Word, operands: &[Operand]) -> Option<String> {
        let key = (word, operands.to_vec());
        if let Some(number) = self.words.get(&key) {
            return Some(format!("w{number}"));
        }
        let texts = operands.iter().map(|form| self.form(form)).collect::<Option<Vec<_>>>()?;
        let number = self.words.len();
        let name = format!("w{number}");
        let cases = match (word, &texts[..]) {
            (Word::Negative, [a]) => {
                format!("(({a} < 0 and {name} = 1) or ({a} >= 0 and {name} = 0))")
            }
            (Word::Choice, [c, a, b]) => {
                format!("(({c} != 0 and {name} = {a}) or ({c} = 0 and {name} = {b}))")
            }
            (Word::Least, [a, b]) => {
                format!("(({a} <= {b} and {name} = {a}) or ({a} > {b} and {name} = {b}))")
            }
            (Word::And | Word::Or | Word::Xor, [a, b]) => {
                // Two booleans: a case for each pair.
                let ((from, to), (low, high)) = (few(&operands[0])?, few(&operands[1])?);
                let pairs = (from..to).flat_map(|x| (low..high).map(move |y| (x, y)));
                let case = |(x, y): (i64, i64)| {
                    let value = word.apply(&[x, y])?;
                    Some(format!("({a} = {x} and {b} = {y} and {name} = {value})"))
                };
                let cases: Option<Vec<_>> = pairs.map(case).collect();
                format!("({})", cases?.join(" or "))
            }
            (Word::Product, [a, b]) => {
                let (factor, of, (low, high)) = match (few(&operands[0]), few(&operands[1])) {
                    (Some(range), _) => (a, b, range),
                    (None, Some(range)) => (b, a, range),
                    _ => return None,
                };
                let case = |value: i64| format!("({factor} = {value} and {name} = {value}*{of})");
                format!("({})", (low..high).map(case).collect::<Vec<_>>().join(" or "))
            }
            _ => return None,
        };
        self.words.insert(key, number);
        self.when.push(cases);
        Some(name)
    }
}
