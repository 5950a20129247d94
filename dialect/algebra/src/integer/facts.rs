//! Facts about symbols, and how to state the missing ones.

use super::{
    expr::{Atom, Expr, Pairing},
    missing::{Answer, Error, Fact, Need, Quotient, Result},
    symbol::Symbol,
};
use crate::integer::mention;
use alloc::{
    collections::BTreeMap, format, string::String, string::ToString, sync::Arc, vec, vec::Vec,
};
use num_integer::gcd;

/// The facts: a table of symbols, and relations between expressions.
///
/// Every question about an expression is answered from here, and an answer of yes holds under every
/// assignment that the table allows. A fact that is not known is not assumed.
///
/// | question | method |
/// |---|---|
/// | which values may it have? | [`range`](Facts::range) |
/// | what divides it? | [`divisor`](Facts::divisor), [`divide`](Facts::divide) |
/// | how do two compare? | [`at_least`](Facts::at_least), [`equal`](Facts::equal), [`distinct`](Facts::distinct) |
/// | is it positive? which width holds it? | [`sign`](Facts::sign), [`width`](Facts::width) |
///
/// ```
/// use layout_algebra::{Answer, Expr, Facts};
/// let mut facts = Facts::new();
/// let (m, n) = (facts.declare("M{div=8 range=8..4096}")?, facts.declare("N{range=1..}")?);
/// let size = m.times(&n)?.plus(&Expr::from(16))?;
/// assert_eq!(facts.divisor(&m.times(&n)?), 8);
/// assert_eq!(facts.range(&size).to_string(), "24..8796093018128");
/// assert!(facts.at_least(&size, &Expr::from(24)).is_yes());
/// let Answer::Unknown(need) = facts.at_least(&n, &Expr::from(2)) else { panic!() };
/// assert_eq!((need.fact.to_string(), need.hint), ("\"N >= 2\"".to_owned(), "add the fact N{range=2..}".to_owned()));
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Facts {
    symbols: BTreeMap<Arc<str>, Symbol>,
    /// Expressions that are at least 0.
    relations: Vec<Expr>,
    /// Expressions that are not 0.
    nonzero: Vec<Expr>,
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
        let symbol = mention::symbol(text)?;
        let name = symbol.shared_name();
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
        let symbol = match self.symbols.get(symbol.name()) {
            Some(known) => known.clone().and(&symbol)?,
            None => symbol,
        };
        self.symbols.insert(symbol.shared_name(), symbol);
        let relations = core::mem::take(&mut self.relations);
        self.relations =
            relations.iter().map(|relation| self.refresh(relation)).collect::<Result<_>>()?;
        let nonzero = core::mem::take(&mut self.nonzero);
        self.nonzero =
            nonzero.iter().map(|nonzero| self.refresh(nonzero)).collect::<Result<_>>()?;
        Ok(())
    }

    /// Adds all facts of another table.
    ///
    /// # Errors
    ///
    /// Facts that contradict those that are known.
    ///
    /// ```
    /// use layout_algebra::Facts;
    /// let (mut facts, mut others) = (Facts::new(), Facts::new());
    /// facts.declare("M{div=8}")?;
    /// others.declare("M{div=12 range=1..}")?;
    /// others.declare("N")?;
    /// facts.join(&others)?;
    /// let symbols: Vec<String> = facts.symbols().map(ToString::to_string).collect();
    /// assert_eq!(symbols, ["M{div=24 range=24..}", "N"]);
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn join(&mut self, other: &Self) -> Result<()> {
        other.symbols().try_for_each(|symbol| self.insert(symbol.clone()))?;
        for relation in &other.relations {
            let relation = self.refresh(relation)?;
            self.assume_at_least(&relation, &Expr::ZERO)?;
        }
        for nonzero in &other.nonzero {
            let nonzero = self.refresh(nonzero)?;
            if !self.nonzero.contains(&nonzero) {
                self.nonzero.push(nonzero);
            }
        }
        Ok(())
    }

    /// The facts of a symbol.
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
        Expr::atom(Atom::Symbol { name: symbol.shared_name(), divisor: symbol.divisor() })
            .scaled(symbol.divisor())
    }

    /// Assumes that `greater >= less`, for facts that no range of a symbol expresses.
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

    /// Assumes a fact. A compiler calls this after it has ensured a fact that an error named as missing, by a check at
    /// run time or by examining where a value comes from.
    ///
    /// # Errors
    ///
    /// A fact that the facts rule out; one that the table has no place for, such as that a symbol
    /// divides another, or that a number divides a product of symbols.
    ///
    /// ```
    /// use layout_algebra::{Facts, evaluate};
    /// let mut facts = Facts::new();
    /// let text = "upcast((M,K):(K,1), 8)";
    /// let error = evaluate(text, &mut facts).expect_err("what divides K?");
    /// facts.learn(&error.missing()[0].fact)?;
    /// assert_eq!(evaluate(text, &mut facts)?.to_string(), "(M,K/8):(K/8,1)");
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn learn(&mut self, fact: &Fact) -> Result<()> {
        let no_place = || {
            Error::operand("learn", "a fact on one symbol, or an order of two expressions", fact)
        };
        match fact {
            Fact::Divides { divisor, of } => match self.divide(of, divisor) {
                Quotient::Exact(_) => Ok(()),
                Quotient::Never(fact) => Err(self.ruled_out(fact)),
                Quotient::Unknown(_) => {
                    let [(product, _)] = of.terms() else { return Err(no_place()) };
                    let [(Atom::Symbol { name, .. }, 1)] = product.factors() else {
                        return Err(no_place());
                    };
                    let required = self.required_divisor(divisor, of).ok_or_else(no_place)?.1;
                    let known = self.get(name).cloned().ok_or_else(no_place)?;
                    self.insert(known.with_divisor(required)?)
                }
            },
            Fact::AtLeast { greater, less } => match self.at_least(greater, less) {
                Answer::Yes => Ok(()),
                Answer::No(fact) => Err(self.ruled_out(fact)),
                Answer::Unknown(_) => match self.bound_on(&greater.minus(less)?) {
                    Some((name, _, bound)) => {
                        let known = self.get(&name).cloned().ok_or_else(no_place)?;
                        self.insert(match bound {
                            Bound::Low(lo) => known.with_range(lo, i64::MAX)?,
                            Bound::High(hi) => known.with_range(i64::MIN, hi)?,
                        })
                    }
                    None => self.assume_at_least(greater, less),
                },
            },
            // Where one side is known, to differ is to lie on the other.
            Fact::Distinct(a, b) => {
                let one = Expr::from(1);
                if self.at_least(a, b).is_yes() {
                    let (greater, less) = (a.clone(), b.plus(&one)?);
                    self.learn(&Fact::AtLeast { greater, less })
                } else if self.at_least(b, a).is_yes() {
                    let (greater, less) = (b.clone(), a.plus(&one)?);
                    self.learn(&Fact::AtLeast { greater, less })
                } else {
                    match self.distinct(a, b) {
                        Answer::Yes => {}
                        Answer::No(fact) => return Err(self.ruled_out(fact)),
                        Answer::Unknown(_) => self.nonzero.push(a.minus(b)?),
                    }
                    Ok(())
                }
            }
            Fact::Known(_) => Err(no_place()),
            Fact::Equal(a, b) => {
                self.learn(&Fact::AtLeast { greater: a.clone(), less: b.clone() })?;
                self.learn(&Fact::AtLeast { greater: b.clone(), less: a.clone() })
            }
        }
    }

    fn ruled_out(&self, fact: Fact) -> Error {
        Error::Never { operation: "learn", operands: fact.to_string(), needs: vec![fact] }
    }

    pub(crate) fn nonzero(&self) -> &[Expr] {
        &self.nonzero
    }

    pub(crate) fn relations(&self) -> &[Expr] {
        &self.relations
    }

    /// The expression in normal form under the facts known now.
    pub fn refresh(&self, expr: &Expr) -> Result<Expr> {
        self.rebuild(expr, &mut |name, divisor| {
            let value = match self.symbols.get(name) {
                Some(_) => self.symbol(name)?,
                None => return Ok(Expr::atom(Atom::Symbol { name: Arc::clone(name), divisor })),
            };
            // A divisor of the symbol when the expression was made still divides it.
            value.div_rem(&Expr::from(divisor)).filter(|(_, rest)| rest.is(0)).map_or_else(
                || Ok(Expr::atom(Atom::Symbol { name: Arc::clone(name), divisor })),
                |(quotient, _)| Ok(quotient),
            )
        })
    }

    /// The expression with another in place of each symbol divided by its divisor.
    pub(crate) fn rebuild(
        &self,
        expr: &Expr,
        leaf: &mut dyn FnMut(&Arc<str>, i64) -> Result<Expr>,
    ) -> Result<Expr> {
        expr.map_atoms(&mut |atom| match atom {
            Atom::Symbol { name, divisor } => leaf(name, *divisor),
            Atom::Pair(pair) => {
                let (left, right) =
                    (self.rebuild(&pair.left, leaf)?, self.rebuild(&pair.right, leaf)?);
                match pair.kind {
                    Pairing::Floor => self.floor_div(&left, &right),
                    Pairing::Ceil => self.ceil_div(&left, &right),
                    Pairing::Min => self.min(&left, &right),
                }
            }
        })
    }

    /// The range of an atom that stands for a symbol, or `None` if nothing is known.
    pub(crate) fn symbol_range(&self, name: &str, divisor: i64) -> Option<(i64, i64)> {
        Some(self.symbols.get(name)?.range_over(divisor))
    }

    /// How to state that `greater >= less`.
    pub(crate) fn need_at_least(&self, greater: &Expr, less: &Expr) -> Need {
        let bound = greater.minus(less).ok().and_then(|difference| self.bound_on(&difference));
        match bound {
            Some((name, symbol, Bound::Low(value))) => Need {
                fact: Fact::AtLeast { greater: symbol, less: Expr::from(value) },
                hint: format!("add the fact {name}{{range={value}..}}"),
            },
            Some((name, symbol, Bound::High(value))) => Need {
                fact: Fact::AtLeast { greater: Expr::from(value), less: symbol },
                hint: format!("add the fact {name}{{range=..{value}}}"),
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
                let required = least.clamp(0, 1);
                (lo < required).then(|| format!("add the fact {name}{{range={required}..}}"))
            }
            Atom::Pair(_) => None,
        })
    }

    /// The value of an expression, where the facts leave one.
    ///
    /// ```
    /// use layout_algebra::Facts;
    /// let mut facts = Facts::new();
    /// let (m, n) = (facts.declare("M{range=8..8}")?, facts.declare("N")?);
    /// assert_eq!((facts.known(&m.scaled(2)?), facts.known(&n)), (Some(16), None));
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn known(&self, expr: &Expr) -> Option<i64> {
        expr.as_constant().or_else(|| {
            let range = self.range(expr);
            (range.lo? == range.hi?).then_some(range.lo?)?.try_into().ok()
        })
    }

    /// How to state which value an expression has: that of the first symbol in it that has many.
    pub(crate) fn need_known(&self, expr: &Expr) -> Need {
        let open = expr.symbols().into_iter().find_map(|name| {
            let symbol = self.symbol(&name).ok()?;
            self.known(&symbol).is_none().then_some((name, symbol))
        });
        match open {
            Some((name, symbol)) => Need {
                fact: Fact::Known(symbol),
                hint: format!("add the fact {name}{{range=n..n}}"),
            },
            None => Need { fact: Fact::Known(expr.clone()), hint: format!("write {expr} as n") },
        }
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
    pub(crate) fn need_divides(&self, divisor: &Expr, of: &Expr) -> Need {
        let fact = Fact::Divides { divisor: divisor.clone(), of: of.clone() };
        let hint = self
            .divisor_hint(divisor, of)
            .unwrap_or_else(|| format!("write {of} as a multiple of {divisor}"));
        Need { fact, hint }
    }

    fn divisor_hint(&self, divisor: &Expr, of: &Expr) -> Option<String> {
        let (name, required) = self.required_divisor(divisor, of)?;
        Some(format!("add the fact {name}{{div={required}}}"))
    }

    /// The number that must divide the first symbol of a product so that a number divides the product.
    fn required_divisor(&self, divisor: &Expr, of: &Expr) -> Option<(Arc<str>, i64)> {
        let divisor = divisor.as_constant().filter(|&divisor| divisor > 0)?;
        let [(product, factor)] = of.terms() else { return None };
        let (Atom::Symbol { name, divisor: known }, _) = product.factors().first()? else {
            return None;
        };
        let common = gcd(divisor.unsigned_abs(), factor.unsigned_abs());
        let required = (divisor / i64::try_from(common).ok()?).checked_mul(*known)?;
        Some((Arc::clone(name), required))
    }
}

/// A bound on a symbol.
enum Bound {
    Low(i64),
    High(i64),
}
