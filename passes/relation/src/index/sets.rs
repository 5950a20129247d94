//! Forms of symbols without bounds, compared by ISL: is the set of what tells them apart empty?

use super::{Atom, IndexForm, Whole, words::Word};
use crate::{Context, IntegerSet, Limits};
use std::collections::BTreeMap;

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
        for (symbol, from, to) in question.symbols.clone().into_values() {
            let bound =
                |sign, bound: Option<i64>| bound.map(|bound| format!("s{symbol} {sign} {bound}"));
            // No symbol is more than a word.
            question.when.extend(bound(">=", from.or(Some(i64::MIN))));
            question.when.extend(bound("<=", to.or(Some(i64::MAX))));
        }
        let symbols = question.symbols.keys().map(|symbol| format!("s{symbol}"));
        let words = (0..question.words.len()).map(|word| format!("w{word}"));
        let names: Vec<String> = symbols.chain(words).collect();
        let text = format!("{{ [{}] : {} }}", names.join(", "), question.when.join(" and "));
        if text.len() > TEXT {
            return None;
        }
        let context = Context::new(limits).ok()?;
        let set = IntegerSet::parse(&context, &text).ok()?;
        set.is_empty().ok()?.then_some(())
    }
}

/// The least and one more than the greatest value of a form that has few.
fn few(form: &IndexForm) -> Option<(i64, i64)> {
    let (low, high) = form.bounds()?;
    (high.checked_sub(low)? <= FACTORS).then_some((low, high))
}

/// A set in ISL's notation, in the making.
#[derive(Clone, Default)]
struct Question {
    symbols: BTreeMap<u32, Whole>,
    /// Operations that are cases, each an unknown of its own.
    words: BTreeMap<(Word, Vec<IndexForm>), usize>,
    when: Vec<String>,
}

impl Question {
    fn form(&mut self, form: &IndexForm) -> Option<String> {
        let mut text = format!("({}", form.constant);
        for (atom, coefficient) in &form.terms {
            text.push_str(&format!(" + {coefficient}*{}", self.atom(atom)?));
        }
        text.push(')');
        (text.len() <= TEXT).then_some(text)
    }

    fn atom(&mut self, atom: &Atom) -> Option<String> {
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

    fn word(&mut self, word: Word, operands: &[IndexForm]) -> Option<String> {
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
