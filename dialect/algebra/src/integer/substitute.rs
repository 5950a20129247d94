//! Values for symbols.

use super::{
    division::{narrow, pair_value},
    expr::{Atom, Expr},
    facts::Facts,
    missing::{Error, Result},
};
use alloc::{borrow::ToOwned, collections::BTreeMap, format, string::String, string::ToString};

/// A value for each of some symbols, checked against the facts.
///
/// ```
/// use layout_algebra::{Layout, Values, Expr};
/// let (layout, facts) = Layout::<Expr>::parse("(M{div=8},4):(1,M)")?;
/// let values = Values::new(&facts, [("M", 24)])?;
/// assert_eq!(layout.substitute(&values)?.to_string(), "(24,4):(1,24)");
/// assert_eq!(
///     Values::new(&facts, [("M", 20)]).expect_err("no multiple of 8").to_string(),
///     "expected a multiple of 8 in 8..2147483647, found M = 20",
/// );
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Values(BTreeMap<String, i64>);

impl Values {
    /// Values that the facts allow.
    ///
    /// # Errors
    ///
    /// A symbol that is not declared; a value that its facts or the assumed relations exclude.
    pub fn new<'n>(
        facts: &Facts,
        values: impl IntoIterator<Item = (&'n str, i64)>,
    ) -> Result<Self> {
        let mut table = BTreeMap::new();
        for (name, value) in values {
            let symbol = facts
                .get(name)
                .ok_or_else(|| Error::operand("values", "a symbol of the table", name))?;
            if !symbol.admits(value) {
                let (lo, hi) = symbol.range();
                return Err(Error::Value {
                    symbol: name.to_owned(),
                    expected: format!("a multiple of {} in {lo}..{hi}", symbol.divisor()),
                    found: value.to_string(),
                });
            }
            table.insert(name.to_owned(), value);
        }
        let values = Self(table);
        let stated = |expr: &Expr| expr.symbols().iter().all(|name| values.0.contains_key(&**name));
        let wrong = |expr: &Expr, relation: &str, found: i64| Error::Value {
            symbol: expr.to_string(),
            expected: format!("{expr} {relation} 0"),
            found: found.to_string(),
        };
        for relation in facts.relations().iter().filter(|relation| stated(relation)) {
            let found = values.evaluate(relation)?;
            if found < 0 {
                return Err(wrong(relation, ">=", found));
            }
        }
        for nonzero in facts.nonzero().iter().filter(|nonzero| stated(nonzero)) {
            if values.evaluate(nonzero)? == 0 {
                return Err(wrong(nonzero, "!=", 0));
            }
        }
        Ok(values)
    }

    /// The value of an expression.
    ///
    /// # Errors
    ///
    /// A symbol without a value; a result past 64 bits, or steps past 128.
    pub fn evaluate(&self, expr: &Expr) -> Result<i64> {
        narrow(self.wide(expr)?, expr)
    }

    /// The value in 128 bits; none past them, or for a quotient that is not defined.
    fn wide(&self, expr: &Expr) -> Result<Option<i128>> {
        let mut sum = Some(0_i128);
        for (product, value) in expr.terms() {
            let mut term = Some(i128::from(*value));
            for (atom, exponent) in product.factors() {
                let factor = self.atom(atom)?;
                for _ in 0..*exponent {
                    term = term.zip(factor).and_then(|(a, b)| a.checked_mul(b));
                }
            }
            sum = sum.zip(term).and_then(|(a, b)| a.checked_add(b));
        }
        Ok(sum)
    }

    fn atom(&self, atom: &Atom) -> Result<Option<i128>> {
        match atom {
            Atom::Symbol { name, divisor } => {
                let missing = || Error::Value {
                    symbol: name.to_string(),
                    expected: "a value for every symbol".to_owned(),
                    found: "none".to_owned(),
                };
                let value = *self.0.get(&**name).ok_or_else(missing)?;
                match value.checked_rem(*divisor) {
                    Some(0) => Ok(value.checked_div(*divisor).map(i128::from)),
                    _ => Err(Error::Value {
                        symbol: name.to_string(),
                        expected: format!("a multiple of {divisor}"),
                        found: value.to_string(),
                    }),
                }
            }
            Atom::Pair(pair) => {
                let (left, right) = (self.wide(&pair.left)?, self.wide(&pair.right)?);
                Ok(left.zip(right).and_then(|(left, right)| pair_value(pair.kind, left, right)))
            }
        }
    }
}
/// A layout that has none at chosen values, or leaves with symbols.
pub(crate) struct Open;

impl From<crate::error::Error> for Open {
    fn from(_: crate::error::Error) -> Self {
        Self
    }
}

/// A value that has expressions as leaves: with integers in their place, and back. `$mapped` is `$of` with each leaf
/// mapped by `$leaf`.
macro_rules! closes {
    ($open:ty => $closed:ty, |$of:ident, $leaf:ident| $mapped:expr) => {
        impl $open {
            /// The same with integers, if all leaves are constant.
            pub fn to_static(&self) -> Option<$closed> {
                let $of = self;
                let $leaf = &mut |expr: &$crate::integer::Expr| {
                    expr.as_constant().ok_or($crate::integer::substitute::Open)
                };
                $mapped.ok()
            }

            /// The same with values in place of symbols.
            ///
            /// # Errors
            ///
            /// A symbol without a value; overflow; a layout that is none at these values.
            pub fn substitute(
                &self,
                values: &$crate::integer::Values,
            ) -> $crate::integer::Result<$closed> {
                let $of = self;
                let $leaf = &mut |expr: &$crate::integer::Expr| values.evaluate(expr);
                $mapped
            }
        }

        impl From<&$closed> for $open {
            fn from($of: &$closed) -> Self {
                let $leaf = &mut |value: &i64| {
                    Ok::<_, core::convert::Infallible>($crate::integer::Expr::from(*value))
                };
                match $mapped {
                    Ok(open) => open,
                    Err(never) => match never {},
                }
            }
        }
    };
}
pub(crate) use closes;
