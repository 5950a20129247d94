//! Layouts into coordinates, with symbols: [`crate::BasisLayout`] with expressions.
//!
//! A basis element is a symbol of which nothing is known, `1@0` say, so that a layout whose strides
//! are multiples of basis elements is a layout with symbols: it divides and composes as those do, and
//! a coordinate is what the offset has of each basis element.

use super::{
    error::{Error, Result, Site},
    expr::{Atom, Expr},
    facts::Facts,
    layout::SymbolicLayout,
    substitute::Values,
    tuple::SymbolicTuple,
};
use crate::{
    Basis, BasisLayout, Nested, Tuple, Value,
    basis::{codomain, is_plain},
};
use alloc::{format, string::String, string::ToString, sync::Arc, vec, vec::Vec};
use core::fmt::{self, Write};

/// A layout whose strides are multiples of basis elements: it maps coordinates to coordinates.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let answer = |text: &str| evaluate(text, &mut Facts::new()).map(|value| value.to_string());
/// let identity = "make_identity_layout((M{range=1..},N{range=1..}))";
/// assert_eq!(answer(identity)?, "(M,N):(1@0,1@1)");
/// let tiles = format!("zipped_divide({identity}, (128,64))");
/// assert_eq!(answer(&tiles)?, "((128,64),(ceil_div(M,128),ceil_div(N,64))):((1@0,1@1),(128@0,64@1))");
/// assert_eq!(answer(&format!("crd2idx(((i,j),(m,n)), {tiles})"))?, "(i+128*m,j+64*n)");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolicBasis {
    layout: SymbolicLayout,
    /// The basis element of each part of a coordinate.
    units: SymbolicTuple,
}

/// The layout that maps each coordinate of a shape to itself.
///
/// # Errors
///
/// An extent that is not known to be at least 1.
pub fn make_identity_layout(facts: &Facts, shape: &SymbolicTuple) -> Result<SymbolicBasis> {
    let units = units(shape, &mut Vec::new());
    let layout = SymbolicLayout::known(shape.clone(), units.clone());
    SymbolicBasis { layout, units }.checked(facts)
}

/// The basis element of each part of a coordinate that nests like a tuple.
pub(super) fn units<T>(of: &Nested<T>, path: &mut Vec<usize>) -> SymbolicTuple {
    match of {
        Nested::Leaf(_) => Nested::Leaf(unit(path)),
        Nested::Node(entries) => {
            let entries = entries.iter().enumerate().map(|(i, entry)| {
                path.push(i);
                let units = units(entry, path);
                path.pop();
                units
            });
            Nested::Node(entries.collect())
        }
    }
}

/// A basis element, by its text, which no symbol has.
fn unit(path: &[usize]) -> Expr {
    let name = Basis { scale: 1, path: path.to_vec() }.to_string();
    Expr::atom(Atom::Symbol { name: name.into(), divisor: 1 })
}

/// Multiples of basis elements, and the path of each: outermost mode first, empty of an integer.
pub type SymbolicSteps = Nested<(Expr, Vec<usize>)>;

/// A stride whose elements are multiples of basis elements as one with these as symbols.
///
/// # Errors
///
/// Limits.
pub fn with_units(steps: &SymbolicSteps) -> Result<SymbolicTuple> {
    steps.try_map(&mut |(multiple, path)| match path.is_empty() {
        true => Ok(multiple.clone()),
        false => multiple.times(&unit(path)),
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
        let Some(path) = found.next() else { return Ok((step.clone(), Vec::new())) };
        let multiple = part_of(step, &unit(&path));
        if multiple.times(&unit(&path))? != *step || found.next().is_some() {
            return Err(Error::operand("stride", "multiples of one basis element each", step));
        }
        Ok((multiple, path))
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

/// Which basis elements a stride has, with 0 where a mode does not move.
fn paths(steps: &SymbolicSteps) -> Nested<Basis> {
    let path = |(multiple, path): &(Expr, Vec<usize>)| {
        // An integer beside others is 0: a mode that does not move.
        let scale = i64::from(!(path.is_empty() && multiple.is(0)));
        Ok::<_, core::convert::Infallible>(Basis { scale, path: path.clone() })
    };
    match steps.try_map(&mut |step| path(step)) {
        Ok(paths) => paths,
        Err(never) => match never {},
    }
}

impl Value<Expr> {
    /// A stride by itself: one of integers is a tuple.
    ///
    /// # Errors
    ///
    /// Elements that take one part of a coordinate for an integer and for a tuple.
    pub fn steps(steps: SymbolicSteps) -> Result<Self> {
        let paths = paths(&steps);
        if is_plain(&paths) {
            return Ok(with_units(&steps)?.into());
        }
        codomain(&paths, &|| StepsText(&steps).to_string())?;
        Ok(Self::Steps(steps))
    }
}

/// A stride with each multiple mapped.
pub(super) fn map_steps(
    steps: &SymbolicSteps,
    f: &mut dyn FnMut(&Expr) -> Result<Expr>,
) -> Result<SymbolicSteps> {
    steps.try_map(&mut |(multiple, path)| Ok((f(multiple)?, path.clone())))
}

/// A stride of integers' multiples, if all are constant.
pub(super) fn static_steps(steps: &SymbolicSteps) -> Option<Nested<Basis>> {
    let step = |(multiple, path): &(Expr, Vec<usize>)| {
        Ok::<_, ()>(Basis { scale: multiple.as_constant().ok_or(())?, path: path.clone() })
    };
    steps.try_map(&mut |entry| step(entry)).ok()
}

/// A stride without symbols.
pub(super) fn symbolic_steps(stride: &Nested<Basis>) -> SymbolicSteps {
    let step = |Basis { scale, path }: &Basis| {
        Ok::<_, core::convert::Infallible>((Expr::from(*scale), path.clone()))
    };
    match stride.try_map(&mut |basis| step(basis)) {
        Ok(steps) => steps,
        Err(never) => match never {},
    }
}

/// A stride as text.
struct StepsText<'s>(&'s SymbolicSteps);

impl fmt::Display for StepsText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_steps(self.0, f, &mut |tuple, f| write!(f, "{tuple}"))
    }
}

/// What an expression has of a basis element.
fn part_of(expr: &Expr, unit: &Expr) -> Expr {
    let [(product, _)] = unit.terms() else { return Expr::from(0) };
    let [(atom, _)] = product.factors() else { return Expr::from(0) };
    expr.linear_in(atom).map_or(Expr::ZERO, |(part, _)| part)
}

impl SymbolicBasis {
    /// A layout of a shape and a stride that is congruent to it: multiples, and of which element.
    ///
    /// # Errors
    ///
    /// Those of [`SymbolicLayout::under`] and [`BasisLayout::new`].
    pub fn new(facts: &Facts, shape: SymbolicTuple, steps: &SymbolicSteps) -> Result<Self> {
        if !shape.congruent(steps) {
            return Err(Error::operand(
                "layout",
                format!("a stride congruent to the shape {shape}"),
                StepsText(steps),
            ));
        }
        let found = || format!("{shape}:{}", StepsText(steps));
        let units = units(&codomain(&paths(steps), &found)?, &mut Vec::new());
        let stride = with_units(steps)?;
        Self { layout: SymbolicLayout::known(shape, stride), units }.checked(facts)
    }

    /// The same, if all extents are known to be at least 1.
    fn checked(self, facts: &Facts) -> Result<Self> {
        let operands = || self.to_string();
        let site = Site { operation: "layout", operands: &operands };
        for extent in self.shape().leaves() {
            site.require(facts.at_least(extent, &Expr::from(1)))?;
        }
        Ok(self)
    }

    /// The layout with basis elements as symbols.
    pub(super) fn as_layout(&self) -> &SymbolicLayout {
        &self.layout
    }

    /// The basis element of each part of a coordinate.
    pub(super) fn units(&self) -> &SymbolicTuple {
        &self.units
    }

    /// A layout with basis elements as symbols, each stride a multiple of one of these.
    pub(super) fn of_parts(layout: SymbolicLayout, units: SymbolicTuple) -> Self {
        Self { layout, units }
    }

    /// What the coordinates nest like, as text.
    pub(super) fn zero_text(&self) -> String {
        self.zero().to_string()
    }

    /// A layout into the same coordinates.
    ///
    /// # Errors
    ///
    /// A stride that is no multiple of one basis element.
    pub(super) fn with_layout(
        &self,
        operation: &'static str,
        layout: SymbolicLayout,
    ) -> Result<Self> {
        let one = |stride: &&Expr| {
            let parts = self.units.leaves().into_iter().filter(|unit| !part_of(stride, unit).is(0));
            parts.count() <= 1
        };
        if layout.stride().leaves().iter().all(one) {
            return Ok(Self { layout, units: self.units.clone() });
        }
        Err(Error::Algebra(crate::Error::Condition {
            operation,
            operand: self.to_string(),
            expected: "a right operand that divides the modes on the left, without a carry",
            found: layout.to_string(),
        }))
    }

    /// The shape.
    pub fn shape(&self) -> &SymbolicTuple {
        self.layout.shape()
    }

    /// Where a coordinate, or an index in place of any tuple, is mapped.
    ///
    /// # Errors
    ///
    /// Those of [`SymbolicLayout::crd2idx`].
    pub fn crd2crd(&self, facts: &Facts, coord: &SymbolicTuple) -> Result<SymbolicTuple> {
        self.coordinate(&self.layout.crd2idx(facts, coord)?)
    }

    /// What an offset is of each basis element.
    pub(super) fn coordinate(&self, offset: &Expr) -> Result<SymbolicTuple> {
        self.units.map(&mut |unit| Ok(part_of(offset, unit)))
    }

    /// The least shape that holds every coordinate that is reached.
    ///
    /// # Errors
    ///
    /// A multiple of which it is not known on which side of 0 it lies.
    pub fn coshape(&self, facts: &Facts) -> Result<SymbolicTuple> {
        self.units.map(&mut |unit| {
            let stride = self.layout.stride().map(&mut |stride| Ok(part_of(stride, unit)))?;
            SymbolicLayout::known(self.shape().clone(), stride).cosize(facts)
        })
    }

    /// The strides: multiples, and the path of the basis element, empty where the multiple is 0.
    pub fn steps(&self) -> SymbolicSteps {
        let mut paths = Vec::new();
        collect(&self.units, &mut Vec::new(), &mut paths);
        let step = |stride: &Expr| {
            let found = paths.iter().find_map(|(unit, path)| {
                let part = part_of(stride, unit);
                (!part.is(0)).then(|| (part, path.clone()))
            });
            Ok::<_, core::convert::Infallible>(found.unwrap_or((Expr::from(0), Vec::new())))
        };
        match self.layout.stride().try_map(&mut |stride| step(stride)) {
            Ok(steps) => steps,
            Err(never) => match never {},
        }
    }

    /// The layout whose strides have basis elements as symbols, if any has one.
    ///
    /// # Errors
    ///
    /// A stride that is no multiple of one basis element; those of [`BasisLayout::new`].
    pub(super) fn of_units(facts: &Facts, layout: &SymbolicLayout) -> Result<Option<Self>> {
        let steps = steps_of(layout.stride())?;
        match is_plain(&paths(&steps)) {
            true => Ok(None),
            false => Self::new(facts, layout.shape().clone(), &steps).map(Some),
        }
    }

    /// For each part of a coordinate, in order, its path and the layout into it alone.
    pub fn components(&self) -> Vec<(Vec<usize>, SymbolicLayout)> {
        let mut paths = Vec::new();
        collect(&self.units, &mut Vec::new(), &mut paths);
        let component = |(unit, path): (Expr, Vec<usize>)| {
            let stride = self
                .layout
                .stride()
                .try_map(&mut |stride| Ok::<_, core::convert::Infallible>(part_of(stride, &unit)));
            match stride {
                Ok(stride) => (path, SymbolicLayout::known(self.shape().clone(), stride)),
                Err(never) => match never {},
            }
        };
        paths.into_iter().map(component).collect()
    }

    /// The same kind of layout with other expressions.
    pub(super) fn map(&self, f: &mut dyn FnMut(&Expr) -> Result<Expr>) -> Result<Self> {
        let shape = self.shape().map(f)?;
        let stride = self.steps().try_map(&mut |(part, path)| f(part)?.times(&unit(path)))?;
        Ok(Self { layout: SymbolicLayout::known(shape, stride), units: self.units.clone() })
    }

    /// The same with integers, if all leaves are constant.
    pub fn to_static(&self) -> Option<BasisLayout> {
        let stride = static_steps(&self.steps())?;
        BasisLayout::within(self.shape().to_static()?, stride, self.zero()).ok()
    }

    /// The layout at chosen values.
    ///
    /// # Errors
    ///
    /// Those of [`SymbolicLayout::substitute`].
    pub fn substitute(&self, values: &Values) -> Result<BasisLayout> {
        let stride = self.steps().try_map(&mut |(part, path)| {
            Ok::<_, Error>(Basis { scale: values.evaluate(part)?, path: path.clone() })
        })?;
        Ok(BasisLayout::within(self.shape().substitute(values)?, stride, self.zero())?)
    }

    /// What the coordinates nest like: zeros.
    fn zero(&self) -> Arc<Tuple> {
        let zero = self.units.try_map(&mut |_| Ok::<_, core::convert::Infallible>(0));
        match zero {
            Ok(zero) => Arc::new(zero),
            Err(never) => match never {},
        }
    }

    /// Writes the layout, with expressions written by `expr`.
    pub(super) fn write(
        &self,
        f: &mut dyn Write,
        shape: &mut dyn FnMut(&SymbolicTuple, &mut dyn Write) -> fmt::Result,
    ) -> fmt::Result {
        shape(self.shape(), f)?;
        f.write_char(':')?;
        write_steps(&self.steps(), f, shape)
    }
}

/// Writes a stride, with expressions written by `expr`.
pub(super) fn write_steps(
    steps: &SymbolicSteps,
    f: &mut dyn Write,
    expr: &mut dyn FnMut(&SymbolicTuple, &mut dyn Write) -> fmt::Result,
) -> fmt::Result {
    match steps {
        Nested::Leaf((part, path)) => {
            // A sum in parentheses, which is how a tuple of one is written.
            let leaf = Nested::Leaf(part.clone());
            let sum = part.terms().len() > 1;
            expr(&if sum { Nested::Node(vec![leaf]) } else { leaf }, f)?;
            path.iter().rev().try_for_each(|mode| write!(f, "@{mode}"))
        }
        Nested::Node(entries) => {
            f.write_char('(')?;
            for (i, entry) in entries.iter().enumerate() {
                if i > 0 {
                    f.write_char(',')?;
                }
                write_steps(entry, f, expr)?;
            }
            f.write_char(')')
        }
    }
}

/// Each basis element with its path.
fn collect(units: &SymbolicTuple, path: &mut Vec<usize>, paths: &mut Vec<(Expr, Vec<usize>)>) {
    match units {
        Nested::Leaf(unit) => paths.push((unit.clone(), path.clone())),
        Nested::Node(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                path.push(i);
                collect(entry, path, paths);
                path.pop();
            }
        }
    }
}

impl From<&BasisLayout> for SymbolicBasis {
    fn from(layout: &BasisLayout) -> Self {
        let zero: &Tuple = layout.zero();
        let stride = layout.stride().try_map(&mut |basis| {
            // At most 64 bits, as the multiple has.
            Ok::<_, Error>(unit(&basis.path).scaled(basis.scale).unwrap_or(Expr::ZERO))
        });
        let stride = stride.unwrap_or(Nested::Leaf(Expr::ZERO));
        Self {
            layout: SymbolicLayout::known(layout.shape().into(), stride),
            units: units(zero, &mut Vec::new()),
        }
    }
}

impl fmt::Display for SymbolicBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &mut |tuple, f| write!(f, "{tuple}"))
    }
}
