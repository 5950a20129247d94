//! The value of an expression whose symbols are not numbers.

use super::expr::{Atom, Expr, Pairing};

/// A domain of values for expressions: each operation has its meaning on integers.
///
/// ```
/// use layout_algebra::{Facts, Interpreter};
/// /// Remainders by 5, of what has no quotients.
/// struct Remainders;
/// impl Interpreter for Remainders {
///     type Value = i64;
///     fn constant(&mut self, value: i64) -> Option<i64> {
///         Some(value.rem_euclid(5))
///     }
///     fn symbol(&mut self, name: &str, divisor: i64) -> Option<i64> {
///         (name == "M" && divisor == 1).then_some(3)
///     }
///     fn plus(&mut self, a: &i64, b: &i64) -> Option<i64> {
///         Some((a + b) % 5)
///     }
///     fn times(&mut self, a: &i64, b: &i64) -> Option<i64> {
///         Some(a * b % 5)
///     }
///     fn floor_div(&mut self, _: &i64, _: &i64) -> Option<i64> {
///         None
///     }
///     fn min(&mut self, _: &i64, _: &i64) -> Option<i64> {
///         None
///     }
/// }
/// let m = Facts::new().declare("M")?;
/// let square = m.times(&m)?.plus(&7.into())?;
/// assert_eq!(square.interpret(&mut Remainders), Some(1));
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub trait Interpreter {
    /// A value.
    type Value;

    /// A known integer.
    fn constant(&mut self, value: i64) -> Option<Self::Value>;

    /// A symbol divided by what is known to divide it.
    fn symbol(&mut self, name: &str, divisor: i64) -> Option<Self::Value>;

    /// The sum.
    fn plus(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value>;

    /// The product.
    fn times(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value>;

    /// The quotient by a divisor of at least 1, rounded down.
    fn floor_div(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value>;

    /// The lesser.
    fn min(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value>;
}

impl Expr {
    /// The value of the expression, or `None` if the interpreter has none.
    pub fn interpret<I: Interpreter>(&self, interpreter: &mut I) -> Option<I::Value> {
        let mut sum = interpreter.constant(0)?;
        for (product, coefficient) in self.terms() {
            let mut term = interpreter.constant(*coefficient)?;
            for (atom, exponent) in product.factors() {
                let factor = match atom {
                    Atom::Symbol { name, divisor } => interpreter.symbol(name, *divisor)?,
                    // Recursion ends at the limit on nested divisions.
                    Atom::Pair(pair) => {
                        let left = pair.left.interpret(interpreter)?;
                        let right = pair.right.interpret(interpreter)?;
                        match pair.kind {
                            Pairing::Floor => interpreter.floor_div(&left, &right)?,
                            // ceil(x/d) = floor((x + d - 1)/d)
                            Pairing::Ceil => {
                                let before = interpreter.constant(-1)?;
                                let add = interpreter.plus(&right, &before)?;
                                let left = interpreter.plus(&left, &add)?;
                                interpreter.floor_div(&left, &right)?
                            }
                            Pairing::Min => interpreter.min(&left, &right)?,
                        }
                    }
                };
                for _ in 0..*exponent {
                    term = interpreter.times(&term, &factor)?;
                }
            }
            sum = interpreter.plus(&sum, &term)?;
        }
        Some(sum)
    }
}
