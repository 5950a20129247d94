//! Symbols, and the table of what is known of them.

use super::{
    error::{Answer, Error, Fact, Need, Result},
    expr::{Atom, Expr, Pairing, gcd},
    parse,
};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// Bits of the integer that a symbol stands for at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// 32 bits, signed; what a symbol has if nothing else is said.
    W32,
    /// 64 bits, signed.
    W64,
}

impl Width {
    /// The bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::W32 => 32,
            Self::W64 => 64,
        }
    }

    /// The least and the greatest value.
    pub fn limits(self) -> (i64, i64) {
        match self {
            Self::W32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Self::W64 => (i64::MIN, i64::MAX),
        }
    }
}

/// A named integer that is known at run time, and what is known of it before.
///
/// Its text is the name and, in braces, what differs from an arbitrary integer of 32 bits:
///
/// | text | means |
/// |---|---|
/// | `M` | 32 bits, signed |
/// | `M{i64}` | 64 bits |
/// | `M{div=8}` | a multiple of 8 |
/// | `M{range=1..4096}` | from 1 to 4096, both included; either bound may be left out |
/// | `M{i64 div=16 range=0..}` | all of it |
/// | `?{div=8}` | without a name of its own: the next of `?0`, `?1`, … |
///
/// ```
/// use layout_algebra::symbolic::{Symbol, Width};
/// let symbol: Symbol = "K{i64 div=16 range=16..4096}".parse()?;
/// assert_eq!((symbol.width(), symbol.divisor(), symbol.range()), (Width::W64, 16, (16, 4096)));
/// assert_eq!(symbol.to_string(), "K{i64 div=16 range=16..4096}");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Symbol {
    name: Arc<str>,
    width: Width,
    divisor: i64,
    range: (i64, i64),
}

impl Symbol {
    /// A symbol of which nothing is known but its width.
    ///
    /// # Errors
    ///
    /// A name that is no identifier and not `?` followed by a number, or the reserved `o`.
    pub fn new(name: &str, width: Width) -> Result<Self> {
        if !parse::is_name(name) {
            return Err(Error::operand("symbol", "an identifier, or `?` and a number", name));
        }
        Ok(Self { name: name.into(), width, divisor: 1, range: width.limits() })
    }

    /// The symbol, known to be a multiple of `divisor` as well.
    ///
    /// # Errors
    ///
    /// A divisor below 1; a contradiction with the range.
    pub fn with_divisor(mut self, divisor: i64) -> Result<Self> {
        if divisor < 1 {
            return Err(Error::operand("symbol", "a divisor of at least 1", divisor));
        }
        let common = gcd(self.divisor.unsigned_abs(), divisor.unsigned_abs());
        self.divisor = i64::try_from(common)
            .ok()
            .and_then(|common| divisor.checked_mul(self.divisor / common))
            .ok_or_else(|| Error::overflow("symbol", format!("{self}, div={divisor}")))?;
        self.possible()
    }

    /// The symbol, known to lie in `lo ..= hi` as well.
    ///
    /// # Errors
    ///
    /// No value is left.
    pub fn with_range(mut self, lo: i64, hi: i64) -> Result<Self> {
        self.range = (self.range.0.max(lo), self.range.1.min(hi));
        self.possible()
    }

    /// What both know of the same symbol.
    fn and(self, other: &Self) -> Result<Self> {
        let wider = self.width.max(other.width);
        let mut both = self.with_divisor(other.divisor)?;
        // A width is a container, not a fact: the ranges say what is known.
        both.width = wider;
        both.with_range(other.range.0, other.range.1)
    }

    fn possible(self) -> Result<Self> {
        let (lo, hi) = self.quotient_range();
        if lo > hi || self.range.0 > self.range.1 {
            let (lo, hi) = self.range;
            return Err(Error::Contradiction {
                symbol: self.name.to_string(),
                found: format!("no multiple of {} in {lo}..{hi}", self.divisor),
            });
        }
        Ok(self)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The width.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The greatest integer that is known to divide it.
    pub fn divisor(&self) -> i64 {
        self.divisor
    }

    /// The least and the greatest value that it may have.
    pub fn range(&self) -> (i64, i64) {
        self.range
    }

    /// The range of the symbol divided by its divisor.
    fn quotient_range(&self) -> (i64, i64) {
        let (lo, hi) = self.range;
        // The divisor is at least 1: no overflow.
        (
            -(-i128::from(lo)).div_euclid(i128::from(self.divisor)) as i64,
            hi.div_euclid(self.divisor),
        )
    }

    /// Whether it may have the value.
    pub fn admits(&self, value: i64) -> bool {
        (self.range.0..=self.range.1).contains(&value) && value % self.divisor == 0
    }

    /// What stands in braces; empty if nothing needs to. A lower bound of `implied` alone is none.
    pub(super) fn annotation(&self, implied: Option<i64>) -> String {
        let mut parts = Vec::new();
        if self.width == Width::W64 {
            parts.push("i64".to_owned());
        }
        if self.divisor != 1 {
            parts.push(format!("div={}", self.divisor));
        }
        let (least, greatest) = self.width.limits();
        let (lo, hi) = self.range;
        let hi = (hi != greatest).then_some(hi);
        let lo = (lo != least && (hi.is_some() || Some(lo) != implied)).then_some(lo);
        if lo.is_some() || hi.is_some() {
            let text = |bound: Option<i64>| bound.map_or(String::new(), |bound| bound.to_string());
            parts.push(format!("range={}..{}", text(lo), text(hi)));
        }
        if parts.is_empty() { String::new() } else { format!("{{{}}}", parts.join(" ")) }
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.annotation(None))
    }
}

impl std::str::FromStr for Symbol {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        parse::symbol(text)
    }
}

/// What is known: a table of symbols, and relations between expressions.
///
/// Every question about an expression is answered from here, and an answer of yes holds under every
/// assignment that the table allows. What is not known is not assumed.
///
/// | question | method |
/// |---|---|
/// | which values may it have? | [`range`](Facts::range) |
/// | what divides it? | [`divisor`](Facts::divisor), [`divide`](Facts::divide) |
/// | how do two compare? | [`at_least`](Facts::at_least), [`equal`](Facts::equal), [`distinct`](Facts::distinct) |
/// | which width holds it? | [`width`](Facts::width) |
///
/// ```
/// use layout_algebra::symbolic::{Answer, Expr, Facts};
/// let mut facts = Facts::new();
/// let (m, n) = (facts.declare("M{div=8 range=8..4096}")?, facts.declare("N{range=1..}")?);
/// let size = m.times(&n)?.plus(&Expr::from(16))?;
/// assert_eq!(facts.divisor(&m.times(&n)?), 8);
/// assert_eq!(facts.range(&size).to_string(), "24..8796093018128");
/// assert!(facts.at_least(&size, &Expr::from(24)).is_yes());
/// let Answer::Unknown(need) = facts.at_least(&n, &Expr::from(2)) else { panic!() };
/// assert_eq!((need.fact.to_string(), need.hint), ("\"N >= 2\"".to_owned(), "say N{range=2..}".to_owned()));
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Facts {
    symbols: BTreeMap<Arc<str>, Symbol>,
    /// Expressions that are at least 0.
    relations: Vec<Expr>,
}

impl Facts {
    /// A table of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a symbol as text has it, and gives it as an expression.
    ///
    /// # Errors
    ///
    /// Text that is no symbol; facts that contradict those that are known.
    pub fn declare(&mut self, text: &str) -> Result<Expr> {
        let symbol = parse::symbol(text)?;
        let name = Arc::clone(&symbol.name);
        self.insert(symbol)?;
        self.symbol(&name)
    }

    /// Adds a symbol, or facts to a symbol that is known.
    ///
    /// Expressions made before are still right, but not in the normal form of the new facts:
    /// [`Facts::refresh`] brings them there.
    ///
    /// # Errors
    ///
    /// Facts that contradict those that are known.
    pub fn insert(&mut self, symbol: Symbol) -> Result<()> {
        let symbol = match self.symbols.get(&symbol.name) {
            Some(known) => known.clone().and(&symbol)?,
            None => symbol,
        };
        self.symbols.insert(Arc::clone(&symbol.name), symbol);
        let relations = std::mem::take(&mut self.relations);
        self.relations =
            relations.iter().map(|relation| self.refresh(relation)).collect::<Result<_>>()?;
        Ok(())
    }

    /// What is known of a symbol.
    pub fn get(&self, name: &str) -> Option<&Symbol> {
        self.symbols.get(name)
    }

    /// All symbols, by name.
    pub fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.values()
    }

    /// A symbol as an expression.
    ///
    /// # Errors
    ///
    /// A symbol that is not declared.
    pub fn symbol(&self, name: &str) -> Result<Expr> {
        let symbol = self
            .symbols
            .get(name)
            .ok_or_else(|| Error::operand("symbol", "a symbol of the table", name))?;
        Expr::atom(Atom::Symbol { name: Arc::clone(&symbol.name), divisor: symbol.divisor })
            .scaled(symbol.divisor)
    }

    /// Takes for granted that `greater >= less`, for what no range of a symbol says.
    ///
    /// # Errors
    ///
    /// Overflow; a statement that the facts rule out.
    pub fn assume_at_least(&mut self, greater: &Expr, less: &Expr) -> Result<()> {
        match self.at_least(greater, less) {
            Answer::Yes => Ok(()),
            Answer::No(fact) => Err(Error::Never {
                operation: "assume",
                operands: format!("{greater} >= {less}"),
                needs: vec![fact],
            }),
            Answer::Unknown(_) => {
                self.relations.push(greater.minus(less)?);
                Ok(())
            }
        }
    }

    pub(super) fn relations(&self) -> &[Expr] {
        &self.relations
    }

    /// The expression in the normal form of what is known now.
    ///
    /// # Errors
    ///
    /// Overflow and limits.
    pub fn refresh(&self, expr: &Expr) -> Result<Expr> {
        self.rebuild(expr, &mut |name, divisor| {
            let value = match self.symbols.get(name) {
                Some(_) => self.symbol(name)?,
                None => return Ok(Expr::atom(Atom::Symbol { name: Arc::clone(name), divisor })),
            };
            // What divided the symbol when the expression was made still does.
            value.div_rem(&Expr::from(divisor)).filter(|(_, rest)| rest.is(0)).map_or_else(
                || Ok(Expr::atom(Atom::Symbol { name: Arc::clone(name), divisor })),
                |(quotient, _)| Ok(quotient),
            )
        })
    }

    /// The expression with another in place of each symbol divided by its divisor.
    pub(super) fn rebuild(
        &self,
        expr: &Expr,
        leaf: &mut dyn FnMut(&Arc<str>, i64) -> Result<Expr>,
    ) -> Result<Expr> {
        let mut sum = Expr::ZERO;
        for (product, value) in expr.terms() {
            let mut term = Expr::from(*value);
            for (atom, exponent) in product.factors() {
                let factor = match atom {
                    Atom::Symbol { name, divisor } => leaf(name, *divisor)?,
                    Atom::Pair(pair) => {
                        let left = self.rebuild(&pair.left, leaf)?;
                        let right = self.rebuild(&pair.right, leaf)?;
                        match pair.kind {
                            Pairing::Floor => self.floor_div(&left, &right)?,
                            Pairing::Ceil => self.ceil_div(&left, &right)?,
                            Pairing::Min => self.min(&left, &right)?,
                        }
                    }
                };
                for _ in 0..*exponent {
                    term = term.times(&factor)?;
                }
            }
            sum = sum.plus(&term)?;
        }
        Ok(sum)
    }

    /// The range of an atom that stands for a symbol; none if nothing is known.
    pub(super) fn symbol_range(&self, name: &str, divisor: i64) -> Option<(i64, i64)> {
        let symbol = self.symbols.get(name)?;
        let mut narrowed = symbol.clone();
        narrowed.divisor = divisor.max(1);
        Some(narrowed.quotient_range())
    }

    /// How to state that `greater >= less`.
    pub(super) fn need_at_least(&self, greater: &Expr, less: &Expr) -> Need {
        let bound = greater.minus(less).ok().and_then(|difference| self.bound_on(&difference));
        match bound {
            Some((name, symbol, Bound::Low(value))) => Need {
                fact: Fact::AtLeast { greater: symbol, less: Expr::from(value) },
                hint: format!("say {name}{{range={value}..}}"),
            },
            Some((name, symbol, Bound::High(value))) => Need {
                fact: Fact::AtLeast { greater: Expr::from(value), less: symbol },
                hint: format!("say {name}{{range=..{value}}}"),
            },
            None => Need {
                fact: Fact::AtLeast { greater: greater.clone(), less: less.clone() },
                hint: self
                    .factor_of_no_sign(greater, less)
                    .unwrap_or_else(|| format!("assume {greater} >= {less}")),
            },
        }
    }

    /// For a product that is to be positive: to say so of a factor of which it is not known.
    fn factor_of_no_sign(&self, greater: &Expr, less: &Expr) -> Option<String> {
        let [(product, 1..)] = greater.terms() else { return None };
        let least = less.as_constant().filter(|&least| least <= 1)?;
        product.factors().iter().find_map(|(atom, _)| match atom {
            Atom::Symbol { name, divisor } => {
                let lo = self.symbol_range(name, *divisor)?.0;
                let wanted = least.clamp(0, 1);
                (lo < wanted).then(|| format!("say {name}{{range={wanted}..}}"))
            }
            Atom::Pair(_) => None,
        })
    }

    /// The bound on a single symbol that makes `expr` at least 0.
    fn bound_on(&self, expr: &Expr) -> Option<(Arc<str>, Expr, Bound)> {
        let [(product, factor), rest @ ..] = expr.terms() else { return None };
        let [(Atom::Symbol { name, divisor }, 1)] = product.factors() else { return None };
        let constant = match rest {
            [] => 0,
            [(one, value)] if one.is_one() => *value,
            _ => return None,
        };
        let (factor, constant) = (i128::from(*factor), i128::from(constant));
        let symbol = self.symbol(name).ok()?;
        let value = |quotient: i128| i64::try_from(quotient * i128::from(*divisor)).ok();
        let bound = if factor > 0 {
            Bound::Low(value(-constant.div_euclid(factor))?)
        } else {
            Bound::High(value(constant.div_euclid(-factor))?)
        };
        Some((Arc::clone(name), symbol, bound))
    }

    /// How to state that `divisor` divides `of`.
    pub(super) fn need_divides(&self, divisor: &Expr, of: &Expr) -> Need {
        let fact = Fact::Divides { divisor: divisor.clone(), of: of.clone() };
        let hint = self
            .divisor_hint(divisor, of)
            .unwrap_or_else(|| format!("write {of} as a multiple of {divisor}"));
        Need { fact, hint }
    }

    fn divisor_hint(&self, divisor: &Expr, of: &Expr) -> Option<String> {
        let divisor = divisor.as_constant().filter(|&divisor| divisor > 0)?;
        let [(product, factor)] = of.terms() else { return None };
        let (Atom::Symbol { name, divisor: known }, _) = product.factors().first()? else {
            return None;
        };
        let common = gcd(divisor.unsigned_abs(), factor.unsigned_abs());
        let wanted = (divisor / i64::try_from(common).ok()?).checked_mul(*known)?;
        Some(format!("say {name}{{div={wanted}}}"))
    }
}

/// A bound on a symbol.
enum Bound {
    Low(i64),
    High(i64),
}
