//! The operands of a call, converted to the kinds that an operation takes.

use super::{Args, Evaluated, no_layout};
use crate::layout::leaf::Leaf;
use crate::term::prelude::*;

impl<L: TermLeaf> Args<'_, L> {
    /// Applies an operation to the first operand, under its swizzle if it has one.
    pub(super) fn on_layout(
        &self,
        f: impl FnOnce(&Layout<L>) -> Result<Layout<L>, L::Error>,
    ) -> Evaluated<L> {
        match self.value(0) {
            // A swizzle of no bits changes nothing, and CuTe drops it.
            Some(Value::Composed(composed)) => {
                Ok(composed.with_inner(f(&composed.inner)?).simplified().into())
            }
            Some(Value::ComposedBasis(composed)) => composed.try_map(f).map(Value::from),
            _ => f(&*self.layout(0)?).map(Value::Layout),
        }
    }

    pub(crate) fn count(&self, least: usize, most: usize) -> Result<()> {
        let found = self.values.len();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = match (least, most) {
            (1, 1) => "1 operand".to_owned(),
            _ if least == most => format!("{least} operands"),
            (_, usize::MAX) => format!("at least {least} operands"),
            _ => format!("{least} to {most} operands"),
        };
        Err(Error::operand(self.op.name(), expected, found))
    }

    /// The error for an operand of another kind.
    pub(crate) fn kind(&self, i: usize, expected: &str) -> Error {
        let error = Error::operand(
            self.op.name(),
            format!("{expected} as operand {}", i + 1),
            self.values.get(i).map_or("none".to_owned(), ToString::to_string),
        );
        // A missing operand has no place.
        if i < self.values.len() { error.about(i) } else { error }
    }

    pub(crate) fn value(&self, i: usize) -> Option<&Value<L>> {
        self.values.get(i).map(Cow::as_ref)
    }

    pub(crate) fn layout(&self, i: usize) -> Result<Cow<'_, Layout<L>>, L::Error> {
        match self.value(i) {
            Some(Value::Layout(layout)) => Ok(Cow::Borrowed(layout)),
            // CuTe takes an extent where it takes a layout.
            Some(Value::Int(extent)) => self.extent(extent).map(Cow::Owned),
            _ => Err(self.kind(i, "a plain layout").into()),
        }
    }

    /// The layout that is applied to coordinates first: the inner one of a composed layout, else the operand itself.
    pub(crate) fn inner_layout(&self, i: usize) -> Result<Cow<'_, Layout<L>>, L::Error> {
        match self.value(i) {
            Some(Value::Composed(composed)) => Ok(Cow::Borrowed(&composed.inner)),
            _ => self.layout(i),
        }
    }

    /// `extent:1`.
    pub(super) fn extent(&self, extent: &L) -> Result<Layout<L>, L::Error> {
        Layout::under(self.facts, Nested::Leaf(extent.clone()), Nested::Leaf(L::from(1)))
    }

    pub(crate) fn any_layout(&self, i: usize) -> Result<AnyLayout<L>, L::Error> {
        match self.value(i) {
            Some(Value::Composed(composed)) => Ok(AnyLayout::Composed(composed.clone())),
            _ => self.layout(i).map(|layout| AnyLayout::Plain(layout.into_owned())),
        }
    }

    /// The layout that coordinates meet first.
    pub(super) fn inner<'v>(&self, value: &'v Value<L>) -> Result<&'v Layout<L>> {
        match value {
            Value::Layout(layout) => Ok(layout),
            Value::Composed(composed) => Ok(&composed.inner),
            Value::ComposedBasis(composed) => Ok(composed.inner.inner()),
            other => Err(no_layout(other)),
        }
    }

    pub(crate) fn tiler(&self, i: usize) -> Result<Cow<'_, TilerOf<Layout<L>>>, L::Error> {
        match self.value(i) {
            Some(Value::Tiler(tiler)) => Ok(Cow::Borrowed(tiler)),
            // An expression may be an extent under more facts.
            Some(value) if L::OPEN => {
                let tiler = value.clone().into_tiler(self.facts);
                tiler.map(Cow::Owned).map_err(|error| error.about(i))
            }
            value => value
                .and_then(|value| value.clone().into_tiler(self.facts).ok())
                .map(Cow::Owned)
                .ok_or_else(|| self.kind(i, "a layout, a shape, `_` or a tuple of tilers").into()),
        }
    }

    pub(crate) fn tuple(&self, i: usize) -> Result<Cow<'_, Nested<L>>> {
        let tuple = self.value(i).and_then(tuple_of);
        tuple.ok_or_else(|| self.kind(i, "an integer or a tuple of integers"))
    }

    /// A tuple of which only the nesting counts, as CuTe takes `_` in it.
    pub(super) fn profile(&self, i: usize) -> Result<Nested<L>> {
        match self.value(i) {
            Some(Value::Coord(coord)) => Ok(nesting(coord)),
            _ => self.tuple(i).map(Cow::into_owned),
        }
    }

    pub(crate) fn coord(&self, i: usize) -> Result<CoordOf<L>> {
        match self.value(i) {
            Some(Value::Coord(coord)) => Ok(coord.clone()),
            value => value
                .and_then(tuple_of)
                .map(|tuple| CoordOf::from(&*tuple))
                .ok_or_else(|| self.kind(i, "a coordinate")),
        }
    }

    /// An operand that counts: of an expression, its one value.
    pub(crate) fn int(&self, i: usize) -> Result<i64, L::Error> {
        match self.value(i) {
            Some(Value::Int(value)) => L::one(self, value),
            _ => Err(self.kind(i, "an integer").into()),
        }
    }

    pub(crate) fn integers(&self, from: usize) -> Result<Vec<i64>, L::Error> {
        (from..self.values.len()).map(|i| self.int(i)).collect()
    }

    /// A tuple that counts: of expressions, their values.
    pub(crate) fn counts(&self, i: usize) -> Result<Tuple, L::Error> {
        self.tuple(i)?.try_map(&mut |leaf| L::one(self, leaf))
    }

    /// The order of the modes, where it is given.
    pub(super) fn order_of_modes(&self) -> Result<Option<Tuple>, L::Error> {
        (self.values.len() == 3).then(|| self.counts(2)).transpose()
    }

    pub(crate) fn shape_of<'v>(&self, value: &'v Value<L>) -> Result<Cow<'v, Nested<L>>> {
        let shape = value.layout_shape().map(Cow::Borrowed).or_else(|| tuple_of(value));
        shape.ok_or_else(|| Error::operand(self.op.name(), "a layout or a shape", value))
    }
}

/// The nesting of a coordinate.
fn nesting<L: Leaf>(coord: &CoordOf<L>) -> Nested<L> {
    match coord {
        CoordOf::Any => Nested::Leaf(L::from(1)),
        CoordOf::At(index) => Nested::Leaf(index.clone()),
        CoordOf::Tuple(entries) => Nested::Node(entries.iter().map(nesting).collect()),
    }
}

/// An integer or a tuple of them.
pub(crate) fn tuple_of<L: Leaf>(value: &Value<L>) -> Option<Cow<'_, Nested<L>>> {
    match value {
        Value::Int(value) => Some(Cow::Owned(Nested::Leaf(value.clone()))),
        Value::Tuple(tuple) => Some(Cow::Borrowed(tuple)),
        _ => None,
    }
}
