//! Strides as tuples in which a basis element is a symbol without facts.

use super::Basis;
use crate::integer::{Error, Result, expr::Atom};
use crate::layout::prelude::*;

/// A basis element, by its text, which no symbol has.
fn unit(path: &[usize]) -> Expr {
    let name = Basis { scale: 1, path: path.to_vec() }.to_string();
    Expr::atom(Atom::Symbol { name: name.into(), divisor: 1 })
}

/// A stride whose elements are multiples of basis elements as one with these as symbols.
pub fn with_units(steps: &Nested<Basis<Expr>>) -> Result<Nested<Expr>> {
    steps.try_map(&mut |Basis { scale, path }| match path.is_empty() {
        true => Ok(scale.clone()),
        false => scale.times(&unit(path)),
    })
}

/// The stride that [`with_units`] made an expression of.
///
/// # Errors
///
/// An element that is no multiple of one basis element.
pub fn steps_of(stride: &Nested<Expr>) -> Result<Nested<Basis<Expr>>> {
    stride.try_map(&mut |step| {
        let mut found = step.symbols().into_iter().filter_map(|name| path_of(&name));
        let Some(path) = found.next() else {
            return Ok(step.clone().into());
        };
        let scale = part_of(step, &unit(&path));
        if scale.times(&unit(&path))? != *step || found.next().is_some() {
            return Err(Error::operand("stride", "multiples of one basis element each", step));
        }
        Ok(Basis { scale, path })
    })
}

/// Whether an expression mentions a basis element.
pub fn has_units(expr: &Expr) -> bool {
    expr.symbols().iter().any(|name| path_of(name).is_some())
}

/// The path of the basis element that is called so, or `None` for symbols.
fn path_of(name: &str) -> Option<Vec<usize>> {
    name.strip_prefix("1@")?.rsplit('@').map(|mode| mode.parse().ok()).collect()
}

/// The multiple of a basis element in an expression.
fn part_of(expr: &Expr, unit: &Expr) -> Expr {
    let [(product, _)] = unit.terms() else { return Expr::from(0) };
    let [(atom, _)] = product.factors() else { return Expr::from(0) };
    expr.linear_in(atom).map_or(Expr::ZERO, |(part, _)| part)
}
