//! Expressions as text: `8*M*N+ceil_div(M,128)-1`.
//!
//! Greater products come first and the constant last. A symbol is kept divided by what divides it,
//! so its multiples may be fractions of the symbol: they are written `3*M/2`. A quotient with its
//! multiple taken off is written as the remainder that it is. Reading the text back gives the same
//! expression.
//!
//! Symbols without a name are numbered in the order of the text. Where the order of terms, factors or
//! the operands of a minimum would have it otherwise, another order of these is written that keeps it,
//! if there is one.

use super::{
    division::{Rolled, remainders},
    expr::{Atom, Expr, Pairing, Product},
};
use alloc::{collections::BTreeSet, string::String, vec::Vec};
use core::fmt::{Result, Write};
use num_integer::gcd;

/// Writes a symbol; called once for each mention, from left to right.
pub(crate) type Naming<'n> = dyn FnMut(&str, &mut dyn Write) -> Result + 'n;

/// The name as it is.
pub(crate) fn plain(name: &str, f: &mut dyn Write) -> Result {
    f.write_str(name)
}

/// Visits the symbols of a part.
type Symbols<'s, P> = dyn Fn(&P, &mut dyn FnMut(&str)) + 's;

/// How symbols are written, and in which order commuting parts are written.
struct Names<'n, 'w> {
    naming: &'w mut Naming<'n>,
    /// The numbers of symbols without a name that were mentioned, or `None` if the order is that of the
    /// normal form.
    mentioned: Option<BTreeSet<u64>>,
}

impl Names<'_, '_> {
    fn symbol(&mut self, name: &str, f: &mut dyn Write) -> Result {
        if let Some(mentioned) = &mut self.mentioned {
            mentioned.extend(number(name));
        }
        (self.naming)(name, f)
    }

    /// The place of the part that comes next: of those with the least numbers that were not mentioned
    /// yet the first, and one that mentions nothing new before all others.
    fn next<P>(&self, parts: &[P], symbols: &Symbols<'_, P>) -> usize {
        let Some(mentioned) = &self.mentioned else { return 0 };
        let fresh = |part: &P| {
            let mut numbers = BTreeSet::new();
            symbols(part, &mut |name| numbers.extend(number(name)));
            numbers.difference(mentioned).copied().collect::<Vec<_>>()
        };
        let places = parts.iter().enumerate();
        places.min_by_key(|(place, part)| (fresh(part), *place)).map_or(0, |(place, _)| place)
    }
}

/// The number of a symbol without a name.
fn number(name: &str) -> Option<u64> {
    name.strip_prefix('?')?.parse().ok()
}

fn symbols_of(expr: &Expr, visit: &mut dyn FnMut(&str)) {
    expr.visit_symbols(&mut |name, _| visit(name));
}

fn symbols_of_atom(atom: &Atom, visit: &mut dyn FnMut(&str)) {
    match atom {
        Atom::Symbol { name, .. } => visit(name),
        Atom::Pair(pair) => {
            symbols_of(&pair.left, visit);
            symbols_of(&pair.right, visit);
        }
    }
}

pub(crate) fn expr(expr: &Expr, naming: &mut Naming<'_>, f: &mut dyn Write) -> Result {
    sum(expr, &mut Names { naming, mentioned: None }, f)
}

/// A product with its coefficient, and the remainder that it is multiplied with.
type Term<'r> = (Product, i64, Option<(&'r Expr, &'r Expr)>);

fn sum(expr: &Expr, names: &mut Names<'_, '_>, f: &mut dyn Write) -> Result {
    let (remainders, rest) = remainders(expr, &|_| false);
    let (constant, symbolic) = rest.split(|product, _| product.is_one());
    let plain = symbolic.terms().iter().map(|(product, value)| (product.clone(), *value, None));
    let mut terms: Vec<Term<'_>> = plain.collect();
    for Rolled { factor, of, modulus, .. } in &remainders {
        // The remainder is subtracted. A factor of the least integer is never made: it would have to be
        // the quotient of one.
        let negated = factor
            .terms()
            .iter()
            .map(|(product, value)| (product.clone(), value.wrapping_neg(), Some((of, modulus))));
        terms.extend(negated);
    }
    let mut first = true;
    while !terms.is_empty() {
        let next = names.next(&terms, &|(product, _, remainder), visit| {
            product.factors().iter().for_each(|(atom, _)| symbols_of_atom(atom, visit));
            if let Some((of, modulus)) = remainder {
                symbols_of(of, visit);
                symbols_of(modulus, visit);
            }
        });
        let (product, value, remainder) = terms.remove(next);
        term(&product, value, remainder, first, names, f)?;
        first = false;
    }
    match constant.as_constant() {
        Some(value) if first => write!(f, "{value}"),
        Some(0) | None => Ok(()),
        Some(value) => write!(f, "{value:+}"),
    }
}

/// One product with its sign: `+3*M*N/2`.
fn term(
    product: &Product,
    value: i64,
    remainder: Option<(&Expr, &Expr)>,
    first: bool,
    names: &mut Names<'_, '_>,
    f: &mut dyn Write,
) -> Result {
    // The symbols' own divisors go under the line.
    let below = product.factors().iter().fold(1_u64, |below, (atom, exponent)| match atom {
        Atom::Symbol { divisor, .. } => {
            (0..*exponent).fold(below, |below, _| below.saturating_mul(divisor.unsigned_abs()))
        }
        Atom::Pair(_) => below,
    });
    let common = gcd(value.unsigned_abs(), below).max(1);
    let (over, under) = (value.unsigned_abs() / common, below / common);
    if value < 0 {
        write!(f, "-")?;
    } else if !first {
        write!(f, "+")?;
    }
    let mut separator = "";
    if over != 1 || (product.is_one() && remainder.is_none()) {
        write!(f, "{over}")?;
        separator = "*";
    }
    // A multiple of a basis element is written as in a stride: `128@0`.
    let unit = product.factors().iter().find_map(|(atom, _)| match atom {
        Atom::Symbol { name, .. } => name.strip_prefix("1@"),
        Atom::Pair(_) => None,
    });
    let is_unit = |atom: &Atom| matches!(atom, Atom::Symbol { name, .. } if name.contains('@'));
    let mut factors: Vec<_> = product.factors().iter().filter(|(atom, _)| !is_unit(atom)).collect();
    while !factors.is_empty() {
        let next = names.next(&factors, &|(atom, _), visit| symbols_of_atom(atom, visit));
        let (atom, exponent) = factors.remove(next);
        for _ in 0..*exponent {
            write!(f, "{separator}")?;
            self::atom(atom, names, f)?;
            separator = "*";
        }
    }
    if let Some((of, modulus)) = remainder {
        write!(f, "{separator}")?;
        call("mod", [of, modulus], names, f)?;
    }
    if under != 1 {
        write!(f, "/{under}")?;
    }
    match unit {
        Some(path) if separator.is_empty() => write!(f, "1@{path}"),
        Some(path) => write!(f, "@{path}"),
        None => Ok(()),
    }
}

fn atom(atom: &Atom, names: &mut Names<'_, '_>, f: &mut dyn Write) -> Result {
    match atom {
        Atom::Symbol { name, .. } => names.symbol(name, f),
        Atom::Pair(pair) => {
            let name = match pair.kind {
                Pairing::Floor => "floor_div",
                Pairing::Ceil => "ceil_div",
                Pairing::Min => "min",
            };
            // Both multiplied so that no fraction of a symbol is left, which changes no quotient
            // (and a minimum is divided again below).
            let scale = match pair.kind {
                Pairing::Min => 1,
                _ => scale(&pair.left, &pair.right),
            };
            let mut operands = match (pair.left.scaled(scale), pair.right.scaled(scale)) {
                (Ok(left), Ok(right)) => [left, right],
                _ => [pair.left.clone(), pair.right.clone()],
            };
            // The lesser of two is that of the two in any order.
            if pair.kind == Pairing::Min
                && names.next(&operands, &|operand, visit| symbols_of(operand, visit)) == 1
            {
                operands.swap(0, 1);
            }
            call(name, [&operands[0], &operands[1]], names, f)
        }
    }
}

fn call(
    name: &str,
    [left, right]: [&Expr; 2],
    names: &mut Names<'_, '_>,
    f: &mut dyn Write,
) -> Result {
    write!(f, "{name}(")?;
    sum(left, names, f)?;
    write!(f, ",")?;
    sum(right, names, f)?;
    write!(f, ")")
}

/// Writes an expression.
type Leaf<'l> = dyn FnMut(&Expr, &mut dyn Write) -> Result + 'l;

/// A text without the names of its symbols, and these names from left to right.
struct Draft {
    text: String,
    names: Vec<String>,
}

/// The place of a symbol's name in a draft; no text has this character otherwise.
const MENTION: char = '\0';

impl Draft {
    /// Whether symbols without a name are mentioned for the first time in the order of their numbers.
    fn is_in_order(&self) -> bool {
        let mut seen = BTreeSet::new();
        self.names.iter().filter_map(|name| number(name)).all(|number| {
            let ordered =
                seen.contains(&number) || seen.last().is_none_or(|&last: &u64| last < number);
            seen.insert(number);
            ordered
        })
    }

    fn write(&self, naming: &mut Naming<'_>, f: &mut dyn Write) -> Result {
        let mut names = self.names.iter();
        self.text.split(MENTION).enumerate().try_for_each(|(place, part)| {
            if place > 0 {
                names.next().map_or(Ok(()), |name| naming(name, f))?;
            }
            f.write_str(part)
        })
    }
}

/// Writes a text in which expressions are: `write` is given how each is written. Symbols without a name are
/// numbered in the order of the whole text.
pub(crate) fn in_order(
    write: &dyn Fn(&mut Leaf<'_>, &mut dyn Write) -> Result,
    naming: &mut Naming<'_>,
    f: &mut dyn Write,
) -> Result {
    let draft = |mentioned: Option<BTreeSet<u64>>| {
        let mut draft = Draft { text: String::new(), names: Vec::new() };
        let mut note = |name: &str, f: &mut dyn Write| {
            draft.names.push(name.into());
            f.write_char(MENTION)
        };
        let mut names = Names { naming: &mut note, mentioned };
        write(&mut |expr, f| sum(expr, &mut names, f), &mut draft.text)?;
        Ok(draft)
    };
    let plain = draft(None)?;
    if !plain.is_in_order() {
        let ordered = draft(Some(BTreeSet::new()))?;
        if ordered.is_in_order() {
            return ordered.write(naming, f);
        }
    }
    plain.write(naming, f)
}

/// The least multiple that leaves whole symbols over the line, if the divisor is a constant.
fn scale(left: &Expr, right: &Expr) -> i64 {
    if right.as_constant().is_none() {
        return 1;
    }
    let scale = left.terms().iter().try_fold(1_u64, |scale, (product, value)| {
        product.factors().iter().try_fold(scale, |scale, (atom, _)| match atom {
            Atom::Symbol { divisor, .. } => {
                let divisor = divisor.unsigned_abs();
                let expected = divisor / gcd(divisor, value.unsigned_abs());
                scale.checked_mul(expected / gcd(scale, expected))
            }
            Atom::Pair(_) => Some(scale),
        })
    });
    // A floor's constant would no longer be within its divisor less 1 if it were rounded up.
    scale.and_then(|scale| i64::try_from(scale).ok()).unwrap_or(1)
}
