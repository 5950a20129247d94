//! Layouts of expressions into coordinates: values in place of symbols, and strides as tuples in which
//! a basis element is a symbol of which nothing is known.

use super::{
    error::{Error, Result},
    expr::{Atom, Expr},
    facts::Facts,
    substitute::Values,
    tuple::SymbolicTuple,
};
use crate::{
    Basis, BasisLayout, Layout, Nested, Value,
    basis::{check_steps, is_plain, map},
};
use alloc::{string::ToString, vec::Vec};

/// A layout of expressions into coordinates; see [`BasisLayout`].
pub(crate) type SymbolicBasis = BasisLayout<Expr>;

/// Multiples of basis elements.
pub(crate) type SymbolicSteps = Nested<Basis<Expr>>;

/// A basis element, by its text, which no symbol has.
fn unit(path: &[usize]) -> Expr {
    let name = Basis { scale: 1, path: path.to_vec() }.to_string();
    Expr::atom(Atom::Symbol { name: name.into(), divisor: 1 })
}

/// A stride whose elements are multiples of basis elements as one with these as symbols.
///
/// # Errors
///
/// Limits.
pub fn with_units(steps: &SymbolicSteps) -> Result<SymbolicTuple> {
    steps.try_map(&mut |Basis { scale, path }| match path.is_empty() {
        true => Ok(scale.clone()),
        false => scale.times(&unit(path)),
    })
}

/// What [`with_units`] made a stride of.
///
/// # Errors
///
/// An element that is no multiple of one basis element.
pub fn steps_of(stride: &SymbolicTuple) -> Result<SymbolicSteps> {
    stride.try_map(&mut |step| {
        let mut found = step.symbols().into_iter().filter_map(|name| path_of(&name));
        let Some(path) = found.next() else {
            return Ok(Basis { scale: step.clone(), path: Vec::new() });
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

/// The path of the basis element that is called so; nothing of symbols.
fn path_of(name: &str) -> Option<Vec<usize>> {
    name.strip_prefix("1@")?.rsplit('@').map(|mode| mode.parse().ok()).collect()
}

/// What an expression has of a basis element.
fn part_of(expr: &Expr, unit: &Expr) -> Expr {
    let [(product, _)] = unit.terms() else { return Expr::from(0) };
    let [(atom, _)] = product.factors() else { return Expr::from(0) };
    expr.linear_in(atom).map_or(Expr::ZERO, |(part, _)| part)
}

impl Value<Expr> {
    /// A stride by itself: one of integers is a tuple.
    ///
    /// # Errors
    ///
    /// Elements that take one part of a coordinate for an integer and for a tuple.
    pub fn steps(steps: SymbolicSteps) -> Result<Self> {
        if is_plain(&steps) {
            return Ok(with_units(&steps)?.into());
        }
        check_steps(&steps)?;
        Ok(Self::Steps(steps))
    }
}

/// A stride with each multiple mapped.
pub(super) fn map_steps<L, E>(
    steps: &SymbolicSteps,
    f: &mut dyn FnMut(&Expr) -> core::result::Result<L, E>,
) -> core::result::Result<Nested<Basis<L>>, E> {
    steps.try_map(&mut |Basis { scale, path }| Ok(Basis { scale: f(scale)?, path: path.clone() }))
}

/// A stride without symbols.
pub(super) fn symbolic_steps(stride: &Nested<Basis>) -> SymbolicSteps {
    map(stride, &mut |Basis { scale, path }| Basis {
        scale: Expr::from(*scale),
        path: path.clone(),
    })
}

impl SymbolicBasis {
    /// Where a coordinate, or an index in place of any tuple, is mapped.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::crd2idx_under`].
    pub fn crd2crd(&self, facts: &Facts, coord: &SymbolicTuple) -> Result<SymbolicTuple> {
        self.crd2idx_under(facts, coord)
    }

    /// The least shape that holds every coordinate that is reached.
    ///
    /// # Errors
    ///
    /// A multiple of which it is not known on which side of 0 it lies.
    pub fn coshape(&self, facts: &Facts) -> Result<SymbolicTuple> {
        self.coshape_under(facts)
    }

    /// The same kind of layout with other expressions.
    pub(super) fn map(&self, f: &mut dyn FnMut(&Expr) -> Result<Expr>) -> Result<Self> {
        let (shape, stride) = (self.shape().map(f)?, map_steps(self.stride(), f)?);
        Ok(Layout::within(self.shared(), shape, stride, ()))
    }

    /// The same with integers, if all leaves are constant.
    pub fn to_static(&self) -> Option<BasisLayout> {
        let stride = map_steps(self.stride(), &mut |scale| scale.as_constant().ok_or(())).ok()?;
        BasisLayout::sized_within(self.shared(), self.shape().to_static()?, stride).ok()
    }

    /// The layout at chosen values.
    ///
    /// # Errors
    ///
    /// Those of [`Layout::substitute`].
    pub fn substitute(&self, values: &Values) -> Result<BasisLayout> {
        let stride = map_steps(self.stride(), &mut |scale| values.evaluate(scale))?;
        let shape = self.shape().substitute(values)?;
        Ok(BasisLayout::sized_within(self.shared(), shape, stride)?)
    }
}

impl From<&BasisLayout> for SymbolicBasis {
    fn from(layout: &BasisLayout) -> Self {
        let stride = symbolic_steps(layout.stride());
        Layout::within(layout.shared(), layout.shape().into(), stride, ())
    }
}
