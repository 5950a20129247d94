//! Steps that compute an expression in integers of 32 and 64 bits.
//!
//! Sums, differences and products are right modulo the width whatever happens on the way, so an
//! expression whose value fits 32 bits is computed in 32 bits, also where a product in it does not
//! fit. A quotient, a remainder or a minimum needs the very values of its operands: they are
//! computed in a width that is known to hold them, and the result is brought to the width in use.
//! A value that is not known to fit 32 bits is computed in 64, as in any machine's arithmetic of addresses.
//!
//! Powers of two divide by shifts and masks; what is known not to be negative is divided as unsigned.

use super::{
    division::{Rolled, remainders},
    expr::{Atom, Expr, Pair, Pairing, Product},
    facts::Facts,
    symbol::Width,
};

/// An operation on two integers of one width, in two's complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The sum, modulo the width.
    Add,
    /// The difference, modulo the width.
    Subtract,
    /// The product, modulo the width.
    Multiply,
    /// The lesser, signed.
    Minimum,
    /// Bits that both have.
    And,
    /// To the right, with zeros.
    ShiftRight,
    /// To the right, with copies of the sign.
    ShiftRightSigned,
    /// The quotient of what is not negative.
    Divide,
    /// The quotient, towards zero.
    DivideSigned,
    /// The remainder of what is not negative.
    Remainder,
    /// The remainder with the sign of the first.
    RemainderSigned,
}

/// The machine that carries the steps out: an interpreter, or a builder of instructions.
///
/// ```
/// use layout_algebra::{integer::Error, Facts, Machine, Step, Width};
/// /// Writes the steps down.
/// struct Listing(Vec<String>);
/// impl Machine for Listing {
///     type Value = String;
///     type Error = Error;
///     fn constant(&mut self, value: i64, _: Width) -> Result<String, Error> {
///         Ok(value.to_string())
///     }
///     fn symbol(&mut self, name: &str, width: Width) -> Result<String, Error> {
///         Ok(format!("{name}:{}", width.bits()))
///     }
///     fn resize(&mut self, value: String, _: Width, to: Width) -> Result<String, Error> {
///         Ok(format!("({value} to {})", to.bits()))
///     }
///     fn step(&mut self, step: Step, a: String, b: String, _: Width) -> Result<String, Error> {
///         self.0.push(format!("{step:?} {a} {b}"));
///         Ok(format!("%{}", self.0.len()))
///     }
/// }
/// let mut facts = Facts::new();
/// let i = facts.declare("i{i64 range=0..4095}")?;
/// let offset = facts.modulo(&i, &8.into())?.scaled(512)?;
/// let mut listing = Listing(Vec::new());
/// facts.compute(&offset, Width::W32, &mut listing)?;
/// assert_eq!(listing.0, ["And i:32 7", "Multiply %1 512"]);
/// # Ok::<(), Error>(())
/// ```
pub trait Machine {
    /// An integer; each use states its width.
    type Value: Clone;
    /// Why a step was not taken.
    type Error;

    /// A known integer.
    fn constant(&mut self, value: i64, width: Width) -> Result<Self::Value, Self::Error>;

    /// A symbol's value, or its low bits.
    ///
    /// # Errors
    ///
    /// The machine's; a symbol without a value.
    fn symbol(&mut self, name: &str, width: Width) -> Result<Self::Value, Self::Error>;

    /// The same value in a wider integer, or its low bits.
    fn resize(
        &mut self,
        value: Self::Value,
        from: Width,
        to: Width,
    ) -> Result<Self::Value, Self::Error>;

    /// One step.
    fn step(
        &mut self,
        step: Step,
        a: Self::Value,
        b: Self::Value,
        width: Width,
    ) -> Result<Self::Value, Self::Error>;
}

impl Facts {
    /// Computes an expression on a machine: its value in the width, modulo that width.
    pub fn compute<M: Machine>(
        &self,
        expr: &Expr,
        width: Width,
        machine: &mut M,
    ) -> Result<M::Value, M::Error> {
        Computation { facts: self, machine }.expr(expr, width)
    }

    /// The width in which an expression is computed: 32 bits where its value is known to fit.
    pub fn machine_width(&self, expr: &Expr) -> Width {
        self.width(expr).unwrap_or(Width::W64)
    }
}

struct Computation<'c, M> {
    facts: &'c Facts,
    machine: &'c mut M,
}

impl<M: Machine> Computation<'_, M> {
    fn expr(&mut self, expr: &Expr, width: Width) -> Result<M::Value, M::Error> {
        let (remainders, rest) = remainders(expr, &|atom| self.facts.is_positive(atom));
        let mut sum = None;
        for (product, coefficient) in rest.terms().iter().filter(|(product, _)| !product.is_one()) {
            let (negative, size) = magnitude(*coefficient);
            let value = self.product(product, size, None, width)?;
            sum = Some(self.add(sum, negative, value, width)?);
        }
        for Rolled { factor, of, modulus, .. } in &remainders {
            let remainder = self.modulo(of, modulus, width)?;
            for (product, coefficient) in factor.terms() {
                let (negative, size) = magnitude(coefficient.wrapping_neg());
                let value = self.product(product, size, Some(remainder.clone()), width)?;
                sum = Some(self.add(sum, negative, value, width)?);
            }
        }
        match (sum, rest.constant_term()) {
            (Some(sum), 0) => Ok(sum),
            (None, constant) => self.machine.constant(constant, width),
            (sum, constant) => {
                let (negative, size) = magnitude(constant);
                let size = self.machine.constant(size, width)?;
                self.add(sum, negative, size, width)
            }
        }
    }

    fn add(
        &mut self,
        sum: Option<M::Value>,
        negative: bool,
        value: M::Value,
        width: Width,
    ) -> Result<M::Value, M::Error> {
        let step = if negative { Step::Subtract } else { Step::Add };
        match sum {
            None if !negative => Ok(value),
            None => {
                let zero = self.machine.constant(0, width)?;
                self.machine.step(step, zero, value, width)
            }
            Some(sum) => self.machine.step(step, sum, value, width),
        }
    }

    /// A product of atoms, a coefficient and what is at hand already.
    fn product(
        &mut self,
        product: &Product,
        mut coefficient: i64,
        at_hand: Option<M::Value>,
        width: Width,
    ) -> Result<M::Value, M::Error> {
        let mut result = at_hand;
        for (atom, exponent) in product.factors() {
            for _ in 0..*exponent {
                let value = match atom {
                    Atom::Pair(pair) => self.pair(pair, width)?,
                    // A divisor of the symbol may be in the coefficient.
                    Atom::Symbol { name, divisor } if coefficient % divisor == 0 => {
                        coefficient /= divisor;
                        self.machine.symbol(name, width)?
                    }
                    Atom::Symbol { name, divisor } => self.part(name, *divisor, width)?,
                };
                result = Some(match result {
                    None => value,
                    Some(result) => self.machine.step(Step::Multiply, result, value, width)?,
                });
            }
        }
        match (result, coefficient) {
            (Some(result), 1) => Ok(result),
            (None, coefficient) => self.machine.constant(coefficient, width),
            (Some(result), coefficient) => {
                let coefficient = self.machine.constant(coefficient, width)?;
                self.machine.step(Step::Multiply, result, coefficient, width)
            }
        }
    }

    /// A symbol divided by what divides it.
    fn part(&mut self, name: &str, divisor: i64, width: Width) -> Result<M::Value, M::Error> {
        let whole = self.facts.symbol(name).ok();
        let own = whole.map_or(Width::W64, |whole| self.facts.machine_width(&whole));
        let value = self.machine.symbol(name, own)?;
        let value = match power_of_two(divisor) {
            Some(0) => value,
            Some(bits) => {
                let bits = self.machine.constant(bits, own)?;
                self.machine.step(Step::ShiftRightSigned, value, bits, own)?
            }
            None => {
                let divisor = self.machine.constant(divisor, own)?;
                self.machine.step(Step::DivideSigned, value, divisor, own)?
            }
        };
        self.resize(value, own, width)
    }

    fn pair(&mut self, pair: &Pair, width: Width) -> Result<M::Value, M::Error> {
        match pair.kind {
            Pairing::Floor => self.floor(&pair.left, &pair.right, width),
            Pairing::Ceil => {
                let above = pair.right.plus(&Expr::from(-1)).and_then(|add| pair.left.plus(&add));
                match above {
                    Ok(above) => self.floor(&above, &pair.right, width),
                    // The sum leaves the limits of expressions: ceil(x/d) = -floor(-x/d).
                    Err(_) => {
                        let negated = pair.left.map_coefficients(|_, value| value.wrapping_neg());
                        let value = self.floor(&negated, &pair.right, width)?;
                        self.add(None, true, value, width)
                    }
                }
            }
            Pairing::Min => {
                let own = self.common(&pair.left, &pair.right);
                let (a, b) = (self.expr(&pair.left, own)?, self.expr(&pair.right, own)?);
                let least = self.machine.step(Step::Minimum, a, b, own)?;
                self.resize(least, own, width)
            }
        }
    }

    /// The quotient rounded down, for a divisor of at least 1.
    fn floor(&mut self, of: &Expr, by: &Expr, width: Width) -> Result<M::Value, M::Error> {
        let unsigned = self.is_natural(of);
        let own = self.common(of, by);
        let value = self.expr(of, own)?;
        let quotient = if let Some(bits) = by.as_constant().and_then(power_of_two) {
            let step = if unsigned { Step::ShiftRight } else { Step::ShiftRightSigned };
            let bits = self.machine.constant(bits, own)?;
            self.machine.step(step, value, bits, own)?
        } else {
            let by = self.expr(by, own)?;
            if unsigned {
                self.machine.step(Step::Divide, value, by, own)?
            } else {
                // One less than the quotient towards zero where the remainder is negative.
                let towards_zero =
                    self.machine.step(Step::DivideSigned, value.clone(), by.clone(), own)?;
                let sign = self.sign_of_remainder(value, by, own)?.1;
                self.machine.step(Step::Add, towards_zero, sign, own)?
            }
        };
        self.resize(quotient, own, width)
    }

    /// The remainder, from 0 to the divisor less 1.
    fn modulo(&mut self, of: &Expr, by: &Expr, width: Width) -> Result<M::Value, M::Error> {
        if let Some(bits) = by.as_constant().and_then(power_of_two) {
            // The low bits, which need no more of the value than the width has.
            let value = self.expr(of, width)?;
            if bits >= i64::from(width.bits()) {
                return Ok(value);
            }
            let mask = self.machine.constant((1_i64 << bits) - 1, width)?;
            return self.machine.step(Step::And, value, mask, width);
        }
        let own = self.common(of, by);
        let (value, divisor) = (self.expr(of, own)?, self.expr(by, own)?);
        let remainder = if self.is_natural(of) {
            self.machine.step(Step::Remainder, value, divisor, own)?
        } else {
            let (remainder, sign) = self.sign_of_remainder(value, divisor.clone(), own)?;
            let lift = self.machine.step(Step::And, sign, divisor, own)?;
            self.machine.step(Step::Add, remainder, lift, own)?
        };
        self.resize(remainder, own, width)
    }

    /// The remainder of a division towards zero, and -1 where it is negative, else 0.
    fn sign_of_remainder(
        &mut self,
        value: M::Value,
        by: M::Value,
        width: Width,
    ) -> Result<(M::Value, M::Value), M::Error> {
        let remainder = self.machine.step(Step::RemainderSigned, value, by, width)?;
        let last = self.machine.constant(i64::from(width.bits()) - 1, width)?;
        let sign = self.machine.step(Step::ShiftRightSigned, remainder.clone(), last, width)?;
        Ok((remainder, sign))
    }

    fn resize(&mut self, value: M::Value, from: Width, to: Width) -> Result<M::Value, M::Error> {
        if from == to { Ok(value) } else { self.machine.resize(value, from, to) }
    }

    /// A width that holds both.
    fn common(&self, a: &Expr, b: &Expr) -> Width {
        self.facts.machine_width(a).max(self.facts.machine_width(b))
    }

    fn is_natural(&self, expr: &Expr) -> bool {
        self.facts.range(expr).lo.is_some_and(|lo| lo >= 0)
    }
}

/// Whether a coefficient is taken off, and what of.
fn magnitude(value: i64) -> (bool, i64) {
    match value.checked_neg() {
        Some(positive) if value < 0 => (true, positive),
        _ => (false, value),
    }
}

/// The exponent of a power of two.
fn power_of_two(value: i64) -> Option<i64> {
    (value > 0 && value.count_ones() == 1).then(|| i64::from(value.trailing_zeros()))
}
