//! Offsets of partly static layouts by the definition of a layout.
//!
//! The pass `layout-lower{plain=true}` writes them plainly: for each extent as it is written a quotient by the
//! product of the extents before it, a remainder by the extent (but of the last one), and a product with
//! the stride, all at run time. Without the option offsets are expressions of one normal form, in
//! which quotients that come out even are gone and like terms are collected.

use super::{
    Failure, Lowering,
    address::cast,
    value::{Emitter, type_of},
};
use layout_algebra::{Expr, Facts, Layout, Machine, Value, Width};
use layout_dialect::{
    TermValue,
    build::{Builder, Val, operand, result},
    dynamic, tree,
};
use melior::ir::{OperationRef, Type, ValueLike};

/// The inputs of computing offsets.
pub(super) struct Plain<'e, 'c> {
    pub(super) b: &'e Builder<'c>,
    pub(super) facts: &'e Facts,
    /// The symbols' values, by number.
    pub(super) integers: &'e [Val<'c>],
}

impl<'c> Plain<'_, 'c> {
    /// The sum of the offsets of indices in their layouts: what is known at run time, and the rest.
    pub(super) fn offset(
        &self,
        parts: &[(Expr, Layout<Expr>)],
        width: Width,
    ) -> Result<(Option<Val<'c>>, i64), Failure> {
        let (mut sum, mut constant) = (None, 0_i64);
        for (index, layout) in parts {
            let modes = layout.flat();
            let extents: Vec<Expr> = modes.iter().map(|(extent, _)| extent.clone()).collect();
            for (digit, (_, stride)) in self.digits(index, &extents)?.into_iter().zip(&modes) {
                let term = match digit {
                    Digit::Known(digit) => {
                        let term = stride.scaled(digit).map_err(layout_dialect::Violation::from)?;
                        if let Some(term) = term.as_constant() {
                            constant = constant.checked_add(term).ok_or_else(Failure::overflow)?;
                            continue;
                        }
                        self.value(&term, width)?
                    }
                    Digit::Found { value, own } => {
                        let value = self.emitter().resize(value, own, width)?;
                        if stride.is(1) {
                            value
                        } else {
                            self.b.binary("arith.muli", value, self.value(stride, width)?)?
                        }
                    }
                };
                sum = Some(match sum {
                    None => term,
                    Some(sum) => self.b.binary("arith.addi", sum, term)?,
                });
            }
        }
        Ok((sum, constant))
    }

    /// The digits of an index in extents, first the fastest.
    fn digits(&self, index: &Expr, extents: &[Expr]) -> Result<Vec<Digit<'c>>, Failure> {
        let last = extents.len().saturating_sub(1);
        let mut below = Expr::from(1);
        let mut digits = Vec::with_capacity(extents.len());
        for (i, extent) in extents.iter().enumerate() {
            let open = (i < last).then_some(extent);
            digits.push(self.digit(index, &below, open)?);
            below = below.times(extent).map_err(layout_dialect::Violation::from)?;
        }
        Ok(digits)
    }

    /// `(index / below) % extent`.
    fn digit(
        &self,
        index: &Expr,
        below: &Expr,
        extent: Option<&Expr>,
    ) -> Result<Digit<'c>, Failure> {
        let known = [Some(index), Some(below), extent].map(|expr| expr.and_then(Expr::as_constant));
        if let [Some(index), Some(below), known] = known
            && below > 0
            && extent.is_some() == known.is_some()
        {
            let quotient = index.div_euclid(below);
            return Ok(Digit::Known(known.map_or(quotient, |extent| quotient.rem_euclid(extent))));
        }
        let exprs = [Some(index), Some(below), extent].into_iter().flatten();
        let own = exprs.map(|expr| self.facts.machine_width(expr)).max().unwrap_or(Width::W64);
        let index = self.value(index, own)?;
        let mut value = self.b.binary("arith.divui", index, self.value(below, own)?)?;
        if let Some(extent) = extent {
            value = self.b.binary("arith.remui", value, self.value(extent, own)?)?;
        }
        Ok(Digit::Found { value, own })
    }

    fn value(&self, expr: &Expr, width: Width) -> Result<Val<'c>, Failure> {
        self.facts.compute(expr, width, &mut self.emitter())
    }

    fn emitter(&self) -> Emitter<'_, 'c> {
        Emitter { b: self.b, integers: self.integers }
    }
}

/// A digit of an index.
enum Digit<'c> {
    Known(i64),
    Found { value: Val<'c>, own: Width },
}

impl<'c> Lowering<'c> {
    /// The results of a `crd2idx` or an `idx2crd` by their definitions; false for other operations.
    pub(super) fn plainly(
        &self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        numbers: &[Expr],
        facts: &Facts,
        integers: &[Val<'c>],
    ) -> Result<bool, Failure> {
        let index = Type::index(self.context);
        let plain = Plain { b, facts, integers };
        match tree::name(operation).as_str() {
            // Under a swizzle or another layout, the normal form goes through that too.
            "layout.crd2idx" if is_composed(operation)? => return Ok(false),
            "layout.crd2idx" => {
                let width = numbers.first().map_or(Width::W64, |n| facts.machine_width(n));
                let (sum, constant) = plain.offset(&dynamic::fixed(operation, 0)?.parts, width)?;
                let known = b.constant(type_of(b, width), constant)?;
                let offset = match (sum, constant) {
                    (None, _) => known,
                    (Some(sum), 0) => sum,
                    (Some(sum), _) => b.binary("arith.addi", sum, known)?,
                };
                tree::replace_uses(result(operation, 0), cast(b, offset, index)?);
            }
            "layout.idx2crd" => {
                let (at, extents) = dynamic::divided(operation)?;
                for (i, digit) in plain.digits(&at, &extents)?.into_iter().enumerate() {
                    let digit = match digit {
                        Digit::Known(digit) => b.constant(index, digit)?,
                        Digit::Found { value, .. } => cast(b, value, index)?,
                    };
                    tree::replace_uses(result(operation, i), digit);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Whether the layout of a `crd2idx` is composed.
fn is_composed(operation: OperationRef<'_, '_>) -> Result<bool, Failure> {
    let term_value = dynamic::carried(operand(operation, 0).r#type())?;
    Ok(matches!(term_value, Some(TermValue::Symbolic { value: Value::Composed(_), .. })))
}
