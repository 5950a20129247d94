//! Quotients, remainders and minima, brought to the normal form.

use super::{
    expr::{Atom, Expr, Pairing, Product},
    facts::Facts,
    missing::{Error, Fact, Quotient, Result, Site},
};
use alloc::{format, vec, vec::Vec};
use num_integer::gcd;

impl Facts {
    /// The quotient where it comes out even.
    pub fn divide(&self, of: &Expr, divisor: &Expr) -> Quotient {
        if let Some((quotient, rest)) = of.div_rem(divisor)
            && rest.is(0)
        {
            return Quotient::Exact(quotient);
        }
        let never = || Quotient::Never(Fact::Divides { divisor: divisor.clone(), of: of.clone() });
        if let Some(divisor) = divisor.as_constant() {
            // Every term but the constant one is a multiple of `common`.
            let (_, symbolic) = of.split(|product, _| product.is_one());
            let common = gcd(symbolic.content(), divisor.unsigned_abs());
            if common == 0 || !of.constant_term().unsigned_abs().is_multiple_of(common) {
                return never();
            }
        }
        let one = Expr::from(1);
        if self.at_least(of, &one).is_yes()
            && of.plus(&one).is_ok_and(|above| self.at_least(divisor, &above).is_yes())
        {
            return never();
        }
        Quotient::Unknown(self.need_divides(divisor, of))
    }

    /// The quotient rounded down.
    ///
    /// # Errors
    ///
    /// A divisor that is not known to be at least 1; overflow and limits.
    ///
    /// ```
    /// use layout_algebra::{Expr, Facts};
    /// let mut facts = Facts::new();
    /// let (m, i) = (facts.declare("M{div=8}")?, facts.declare("i{range=0..7}")?);
    /// let (n, eight) = (facts.declare("N")?, Expr::from(8));
    /// // The first comes out even, the second adds nothing.
    /// assert_eq!(facts.floor_div(&m.plus(&i)?, &eight)?.to_string(), "M/8");
    /// assert_eq!(facts.floor_div(&n.scaled(9)?, &eight)?.to_string(), "N+floor_div(N,8)");
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn floor_div(&self, of: &Expr, divisor: &Expr) -> Result<Expr> {
        self.positive("floor_div", of, divisor)?;
        floor(of, divisor, Some(self))
    }

    /// The quotient rounded up.
    pub fn ceil_div(&self, of: &Expr, divisor: &Expr) -> Result<Expr> {
        self.positive("ceil_div", of, divisor)?;
        floor(&of.plus(divisor)?.plus(&Expr::from(-1))?, divisor, Some(self))
    }

    /// The remainder, from 0 to the divisor less 1: `of - divisor*floor_div(of, divisor)`, and that
    /// is its normal form.
    pub fn modulo(&self, of: &Expr, divisor: &Expr) -> Result<Expr> {
        self.positive("mod", of, divisor)?;
        of.minus(&divisor.times(&floor(of, divisor, Some(self))?)?)
    }

    /// The lesser.
    pub fn min(&self, a: &Expr, b: &Expr) -> Result<Expr> {
        if self.at_least(b, a).is_yes() {
            return Ok(a.clone());
        }
        if self.at_least(a, b).is_yes() {
            return Ok(b.clone());
        }
        let common = i64::try_from(gcd(a.content(), b.content())).unwrap_or(1).max(1);
        let part = |expr: &Expr| expr.map_coefficients(|_, value| value / common);
        let (a, b) = (part(a), part(b));
        let (a, b) = if b < a { (b, a) } else { (a, b) };
        Expr::pair(Pairing::Min, a, b)?.scaled(common)
    }

    /// The greater: the sum less the lesser, and that is its normal form.
    ///
    /// ```
    /// use layout_algebra::answer;
    /// assert_eq!(answer("max(M,N)"), "M+N-min(N,M)");
    /// assert_eq!(answer("max(M{range=4..},3)"), "M");
    /// assert_eq!(answer("max(3,7)"), "7");
    /// ```
    pub fn max(&self, a: &Expr, b: &Expr) -> Result<Expr> {
        a.plus(b)?.minus(&self.min(a, b)?)
    }

    fn positive(&self, operation: &'static str, of: &Expr, divisor: &Expr) -> Result<()> {
        let site = Site { operation, operands: &|| format!("{of}, {divisor}") };
        site.require(self.at_least(divisor, &Expr::from(1)))
    }

    /// [`reroll`] with facts about symbols.
    pub(crate) fn reroll(&self, expr: &Expr) -> Option<Rolled> {
        reroll(expr, false, &|atom| self.is_positive(atom))
    }

    /// Whether an atom is known to be at least 1 without examining its parts.
    pub(crate) fn is_positive(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Symbol { name, divisor } => {
                self.symbol_range(name, *divisor).is_some_and(|(lo, _)| lo >= 1)
            }
            Atom::Pair(_) => false,
        }
    }
}

/// The quotient rounded down, for a divisor that is at least 1. Without facts, ranges simplify
/// nothing.
fn floor(of: &Expr, divisor: &Expr, facts: Option<&Facts>) -> Result<Expr> {
    if let Some((quotient, rest)) = of.div_rem(divisor)
        && rest.is(0)
    {
        return Ok(quotient);
    }
    let (whole, rest) = pull_out(of, divisor)?;
    let (over, under) = reduce(&rest, divisor, facts);
    // Over a smaller divisor more may be whole.
    let fraction = if under == *divisor {
        fraction(&over, &under, facts)?
    } else {
        floor(&over, &under, facts)?
    };
    whole.plus(&fraction)
}

/// `(q, r)` with `of = q*divisor + r`, and `r` as small as it gets: the constant from 0 to the
/// divisor less 1, other coefficients nearer to 0.
fn pull_out(of: &Expr, divisor: &Expr) -> Result<(Expr, Expr)> {
    match divisor.as_constant() {
        Some(by) => {
            let whole = of.map_coefficients(|product, value| {
                if product.is_one() { value.div_euclid(by) } else { value / by }
            });
            let rest = of.minus(&whole.scaled(by)?)?;
            Ok((whole, rest))
        }
        None => Ok(of.pull_out(divisor).unwrap_or_else(|| (Expr::ZERO, of.clone()))),
    }
}

/// Both divided by what their coefficients have in common, and by what is positive in all their
/// terms; a remainder of the constant is below 1 then, and rounding down drops it.
fn reduce(of: &Expr, divisor: &Expr, facts: Option<&Facts>) -> (Expr, Expr) {
    let (_, symbolic) = of.split(|product, _| product.is_one());
    let common = i64::try_from(gcd(symbolic.content(), divisor.content())).unwrap_or(1).max(1);
    let mut of = of.map_coefficients(|_, value| value.div_euclid(common));
    let mut divisor = divisor.map_coefficients(|_, value| value / common);
    let atoms: Vec<Atom> = match divisor.terms() {
        [(product, _), ..] => product.factors().iter().map(|(atom, _)| atom.clone()).collect(),
        [] => Vec::new(),
    };
    for atom in atoms {
        if !facts.is_some_and(|facts| facts.is_positive(&atom)) {
            continue;
        }
        let factor = Expr::atom(atom);
        while let (Some((over, rest)), Some((under, none))) =
            (of.div_rem(&factor), divisor.div_rem(&factor))
            && rest.is(0)
            && none.is(0)
            && !of.is(0)
        {
            (of, divisor) = (over, under);
        }
    }
    (of, divisor)
}

/// A quotient from which all that is whole has been pulled out.
fn fraction(of: &Expr, divisor: &Expr, facts: Option<&Facts>) -> Result<Expr> {
    if let (Some(of), Some(divisor)) = (of.as_constant(), divisor.as_constant()) {
        return Ok(Expr::from(of.div_euclid(divisor)));
    }
    if divisor.is(1) {
        return Ok(of.clone());
    }
    if let Some(facts) = facts {
        if let Some(known) = by_range(of, divisor, facts) {
            return Ok(known);
        }
        if let Some((of, divisor)) = without_low_digits(of, divisor, facts) {
            return floor(&of, &divisor, Some(facts));
        }
    }
    if let Some((over, under)) = nested(of, divisor) {
        return floor(&over, &under, facts);
    }
    match divisor.as_constant() {
        // x + (c-1), and over a symbol x - 1 (as (x-1)/d = ceil(x/d) - 1): rounding up.
        Some(by) if of.constant_term() == by - 1 => {
            Expr::pair(Pairing::Ceil, of.plus(&Expr::from(1 - by))?, divisor.clone())
        }
        // Reading a quotient that is rounded up adds the divisor: what is below it is kept positive.
        None if of.constant_term() == -1 && falls_short(of, divisor) => {
            fraction(&of.plus(divisor)?, divisor, facts)?.plus(&Expr::from(-1))
        }
        None if of.constant_term() == -1 => {
            Expr::pair(Pairing::Ceil, of.plus(&Expr::from(1))?, divisor.clone())?
                .plus(&Expr::from(-1))
        }
        _ => Expr::pair(Pairing::Floor, of.clone(), divisor.clone()),
    }
}

/// Whether the operand has the divisor's leading term with a coefficient that one divisor more makes
/// positive.
fn falls_short(of: &Expr, divisor: &Expr) -> bool {
    let Some((lead, factor)) = divisor.terms().first() else { return false };
    let found = of.terms().iter().find(|(product, _)| product == lead);
    found.is_some_and(|(_, value)| {
        *value < 0 && value.checked_add(*factor).is_some_and(|sum| sum > 0)
    })
}

/// The quotient, where the range of the operand leaves one.
fn by_range(of: &Expr, divisor: &Expr, facts: &Facts) -> Option<Expr> {
    if let Some(by) = divisor.as_constant() {
        let range = facts.range(of);
        let quotient = range.lo?.div_euclid(i128::from(by));
        let same = quotient == range.hi?.div_euclid(i128::from(by));
        return same.then(|| i64::try_from(quotient).ok().map(Expr::from))?;
    }
    // 0 <= of < divisor, or one divisor below.
    let within = |of: &Expr| -> Option<bool> {
        let room = divisor.plus(&Expr::from(-1)).ok()?.minus(of).ok()?;
        let zero = Expr::from(0);
        Some(facts.at_least(of, &zero).is_yes() && facts.at_least(&room, &zero).is_yes())
    };
    if within(of)? {
        return Some(Expr::from(0));
    }
    within(&of.plus(divisor).ok()?)?.then_some(Expr::from(-1))
}

/// `g*x + r` over `g*d` is `x` over `d` where `0 <= r < g`: the digits below `g` are dropped.
fn without_low_digits(of: &Expr, divisor: &Expr, facts: &Facts) -> Option<(Expr, Expr)> {
    let by = divisor.as_constant()?;
    let mut bases: Vec<u64> = of
        .terms()
        .iter()
        .filter(|(product, _)| !product.is_one())
        .map(|(_, value)| gcd(value.unsigned_abs(), by.unsigned_abs()))
        .filter(|&base| base > 1)
        .collect();
    bases.sort_unstable();
    bases.dedup();
    bases.into_iter().rev().find_map(|base| {
        let base = i64::try_from(base).ok()?;
        // The constant belongs to both parts: what is whole goes up.
        let high = of.map_coefficients(|product, value| {
            if product.is_one() {
                value.div_euclid(base)
            } else if value % base == 0 {
                value / base
            } else {
                0
            }
        });
        let low = of.minus(&high.scaled(base).ok()?).ok()?;
        let range = facts.range(&low);
        (range.lo? >= 0 && range.hi? < i128::from(base)).then(|| (high, Expr::from(by / base)))
    })
}

/// For a quotient plus a rest, over a divisor: one quotient with the rest taken in, as what is over and under its line, as
/// `(x/a + r)/b` is `(x + a*r)/(a*b)`. The first of several quotients, or `None` if numbers get too large.
fn nested(of: &Expr, divisor: &Expr) -> Option<(Expr, Expr)> {
    of.terms().iter().find_map(|(product, value)| {
        let ([(atom, 1)], 1) = (product.factors(), *value) else { return None };
        let (over, under) = as_floor(atom).ok()??;
        let rest = of.minus(&Expr::atom(atom.clone())).ok()?;
        let over = over.plus(&under.times(&rest).ok()?).ok()?;
        Some((over, under.times(divisor).ok()?))
    })
}

/// Numerator and denominator of a quotient, rounded down.
fn as_floor(atom: &Atom) -> Result<Option<(Expr, Expr)>> {
    let Atom::Pair(pair) = atom else { return Ok(None) };
    Ok(match pair.kind {
        Pairing::Floor => Some((pair.left.clone(), pair.right.clone())),
        Pairing::Ceil => {
            Some((pair.left.plus(&pair.right)?.plus(&Expr::from(-1))?, pair.right.clone()))
        }
        Pairing::Min => None,
    })
}

/// An expression read as `rest - factor*mod(of, modulus)`.
pub(crate) struct Rolled {
    pub(crate) rest: Expr,
    pub(crate) factor: Expr,
    pub(crate) of: Expr,
    pub(crate) modulus: Expr,
}

/// The remainder in an expression that leaves the simplest rest, or `None` if none simplifies it.
///
/// Where it is to be written, the remainder's own text counts as well, and one that would have to be
/// written as a quotient rounded up is none. `positive` says whether an atom is known to be at least 1.
pub(crate) fn reroll(
    expr: &Expr,
    written: bool,
    positive: &dyn Fn(&Atom) -> bool,
) -> Option<Rolled> {
    let mut best: Option<(usize, Rolled)> = None;
    let mut seen: Vec<&Atom> = Vec::new();
    for atom in expr.atoms() {
        let Atom::Pair(pair) = atom else { continue };
        if seen.contains(&atom) || (pair.kind == Pairing::Ceil && written) {
            continue;
        }
        seen.push(atom);
        for rolled in rolls(expr, atom, positive).unwrap_or_default() {
            let text = if written { 1 + rolled.of.weight() + rolled.modulus.weight() } else { 0 };
            let weight = rolled.rest.weight() + text;
            if weight < best.as_ref().map_or(expr.weight(), |(weight, _)| *weight) {
                best = Some((weight, rolled));
            }
        }
    }
    best.map(|(_, rolled)| rolled)
}

/// An expression as it is written and computed: its remainders, each times a factor of one term, which is subtracted;
/// and the rest, which holds no quotient that belongs to one.
pub(crate) fn remainders(expr: &Expr, positive: &dyn Fn(&Atom) -> bool) -> (Vec<Rolled>, Expr) {
    let (mut remainders, mut rest) = (Vec::new(), expr.clone());
    while let Some(rolled) =
        reroll(&rest, true, positive).filter(|rolled| rolled.factor.terms().len() == 1)
    {
        rest = rolled.rest.clone();
        remainders.push(rolled);
    }
    (remainders, rest)
}

/// The ways to read a quotient's multiple in an expression as a remainder.
fn rolls(expr: &Expr, atom: &Atom, positive: &dyn Fn(&Atom) -> bool) -> Option<Vec<Rolled>> {
    let (over, under) = as_floor(atom).ok()??;
    let (factor, others) = expr.linear_in(atom)?;
    // floor(n/(a*b)) is floor(floor(n/a)/b), so that a part of the divisor will do.
    let mut readings = vec![(over.clone(), under.clone())];
    if let Some((common, rest)) = common_term(&factor, &under)
        && under.atoms().all(positive)
        && !rest.is(1)
    {
        readings.push((floor(&over, &rest, None).ok()?, common));
    }
    let mut result = Vec::new();
    for (of, modulus) in readings {
        let by_factor = factor.div_rem(&modulus).filter(|(_, rest)| rest.is(0)).map(|(q, _)| q);
        let by_others = others.div_rem(&of).and_then(|(q, _)| q.scaled(-1).ok());
        for multiple in [by_factor, by_others].into_iter().flatten() {
            if multiple.is(0) {
                continue;
            }
            // others + factor*q = others + multiple*(of - mod) + (factor - multiple*modulus)*q
            let rest = || {
                let left = factor.minus(&multiple.times(&modulus)?)?;
                others.plus(&multiple.times(&of)?)?.plus(&left.times(&Expr::atom(atom.clone()))?)
            };
            if let Ok(rest) = rest() {
                let (of, modulus) = (of.clone(), modulus.clone());
                result.push(Rolled { rest, factor: multiple, of, modulus });
            }
        }
    }
    Some(result)
}

/// The greatest common divisor of two expressions of one term, with a positive coefficient, and the
/// second divided by it, or `None` if it is 1.
fn common_term(a: &Expr, b: &Expr) -> Option<(Expr, Expr)> {
    let ([(x, p)], [(y, q)]) = (a.terms(), b.terms()) else { return None };
    let mut common = Expr::from(i64::try_from(gcd(p.unsigned_abs(), q.unsigned_abs())).ok()?);
    for (atom, exponent) in y.factors() {
        let other = power(x, atom);
        for _ in 0..other.min(*exponent) {
            common = common.times(&Expr::atom(atom.clone())).ok()?;
        }
    }
    if common.is(1) {
        return None;
    }
    let (rest, none) = b.div_rem(&common)?;
    none.is(0).then_some((common, rest))
}

fn power(product: &Product, atom: &Atom) -> u32 {
    product.factors().iter().find(|(a, _)| a == atom).map_or(0, |(_, exponent)| *exponent)
}

/// The value of a quotient or minimum of values, or `None` if the divisor is below 1.
pub(crate) fn pair_value(kind: Pairing, left: i128, right: i128) -> Option<i128> {
    match kind {
        Pairing::Min => Some(left.min(right)),
        _ if right < 1 => None,
        Pairing::Floor => left.checked_div_euclid(right),
        Pairing::Ceil => left.checked_neg()?.checked_div_euclid(right)?.checked_neg(),
    }
}

/// An error for a value that leaves 64 bits.
pub(crate) fn narrow(value: Option<i128>, expr: &Expr) -> Result<i64> {
    value
        .and_then(|value| i64::try_from(value).ok())
        .ok_or_else(|| Error::overflow("evaluate", expr))
}
