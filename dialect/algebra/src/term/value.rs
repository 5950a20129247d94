//! Values of terms.

use super::eval::tuple_of;
use crate::term::prelude::*;
use crate::{
    integer::substitute::closes,
    layout::{
        basis::{check_steps, is_plain, lifted, map_steps},
        leaf::Leaf,
        stride::Stride,
        tiler::Tiler,
    },
    linear::LinearLayout,
    swizzle::{ComposedCoordinates, Outer, Swizzle, composed_of_coordinates, composed_twice},
    tuple::list,
};
use alloc::boxed::Box;
use core::fmt;

/// The value of a term; with symbols its leaves are expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value<L: Leaf = i64> {
    /// An integer; as an operand also the layout `n:1` of a tiler, or a shape.
    Int(L),
    /// A shape, stride or coordinate.
    Tuple(Nested<L>),
    /// A coordinate with `_`.
    Coord(CoordOf<L>),
    /// A layout.
    Layout(Layout<L>),
    /// A composed layout.
    Composed(ComposedLayout<L>),
    /// A swizzle.
    Swizzle(Swizzle),
    /// A tuple of tilers.
    Tiler(TilerOf<Layout<L>>),
    /// A coordinate layout.
    Basis(BasisLayout<L>),
    /// A composed layout whose outer layout is a coordinate layout.
    ComposedBasis(Box<ComposedCoordinates<L>>),
    /// A tuple of tilers of which one at least is a coordinate layout; the others are lifted.
    CoordinateTiler(TilerOf<BasisLayout<L>>),
    /// A stride of such a layout: basis elements, of which one at least is none of an integer.
    Steps(Nested<Basis<L>>),
    /// A linear layout.
    Linear(LinearLayout),
    /// The answer of a predicate.
    Bool(bool),
    /// Several values.
    List(Vec<Value<L>>),
}

impl<L: Leaf> Value<L> {
    /// The kind, in one word.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// assert_eq!(Term::parse("S<3,4,3> o 0 o 64:1")?.eval()?.kind(), "composed");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) => "integer",
            Self::Tuple(_) => "tuple",
            Self::Coord(_) => "coordinate",
            Self::Layout(_) => "layout",
            Self::Composed(_) => "composed",
            Self::Swizzle(_) => "swizzle",
            Self::Tiler(_) | Self::CoordinateTiler(_) => "tiler",
            Self::Basis(_) => "basis layout",
            Self::ComposedBasis(_) => "composed basis layout",
            Self::Steps(_) => "basis stride",
            Self::Linear(_) => "linear layout",
            Self::Bool(_) => "boolean",
            Self::List(_) => "list",
        }
    }

    /// The shape of a layout of any kind but a linear one.
    pub fn layout_shape(&self) -> Option<&Nested<L>> {
        match self {
            Self::Layout(layout) => Some(layout.shape()),
            Self::Composed(composed) => Some(composed.inner.shape()),
            Self::Basis(layout) => Some(layout.shape()),
            Self::ComposedBasis(composed) => Some(composed.inner.inner().shape()),
            _ => None,
        }
    }

    /// [`Value::tiler`] under facts, which takes the parts of a tiler as they are.
    ///
    /// # Errors
    ///
    /// As [`Value::tiler`]; an extent that is not known to be at least 1.
    pub fn into_tiler(self, facts: &L::Facts) -> Result<TilerOf<Layout<L>>, L::Error> {
        match self {
            Self::Int(extent) => TilerOf::of_extents(facts, &Nested::Leaf(extent)),
            Self::Tuple(shape) => TilerOf::of_extents(facts, &shape),
            Self::Layout(layout) => Ok(TilerOf::Layout(layout)),
            Self::Tiler(tiler) => Ok(tiler),
            Self::Coord(coord) => TilerOf::of_coord(facts, &coord),
            Self::Composed(_)
            | Self::Swizzle(_)
            | Self::Basis(_)
            | Self::ComposedBasis(_)
            | Self::CoordinateTiler(_)
            | Self::Steps(_)
            | Self::Linear(_)
            | Self::Bool(_)
            | Self::List(_) => {
                Err(Error::operand("tiler", "a layout, a shape, `_` or a tuple of tilers", self)
                    .into())
            }
        }
    }

    /// A tuple of tilers, of which the entries may be coordinate layouts.
    ///
    /// # Errors
    ///
    /// As [`Value::into_tiler`], in the call of the entry.
    pub fn of_tilers(entries: Vec<Self>, facts: &L::Facts) -> Result<Self, L::Error> {
        let has_coordinates =
            entries.iter().any(|entry| matches!(entry, Self::Basis(_) | Self::CoordinateTiler(_)));
        let entries = entries.into_iter().enumerate();
        if !has_coordinates {
            let tilers =
                entries.map(|(i, entry)| entry.into_tiler(facts).map_err(|error| error.in_call(i)));
            return Ok(Self::Tiler(TilerOf::Tuple(tilers.collect::<Result<_, _>>()?)));
        }
        let tilers = entries.map(|(i, entry)| match entry {
            Self::Basis(layout) => Ok(TilerOf::Layout(layout.unsettled())),
            Self::CoordinateTiler(tiler) => Ok(tiler),
            plain => {
                let tiler = plain.into_tiler(facts).map_err(|error| error.in_call(i))?;
                tiler.try_map(&mut |layout| Ok(lifted(layout)))
            }
        });
        Ok(Self::CoordinateTiler(TilerOf::Tuple(tilers.collect::<Result<_, L::Error>>()?)))
    }

    /// The same kind of value with other leaves.
    pub(crate) fn map_leaves<M: Leaf, E: From<M::Unsized>>(
        &self,
        f: &mut impl FnMut(&L) -> Result<M, E>,
    ) -> Result<Value<M>, E> {
        Ok(match self {
            Self::Int(leaf) => Value::Int(f(leaf)?),
            Self::Tuple(tuple) => Value::Tuple(tuple.try_map(f)?),
            Self::Coord(coord) => Value::Coord(coord.try_map(f)?),
            Self::Layout(layout) => Value::Layout(layout.map_leaves(f)?),
            Self::Composed(composed) => Value::Composed(composed.map_leaves(f)?),
            Self::Swizzle(swizzle) => Value::Swizzle(*swizzle),
            Self::Tiler(tiler) => Value::Tiler(tiler.try_map(&mut |layout| layout.map_leaves(f))?),
            Self::Basis(layout) => Value::Basis(layout.map_leaves(f)?),
            Self::ComposedBasis(layout) => layout.map_leaves(f)?.into(),
            Self::CoordinateTiler(tiler) => {
                Value::CoordinateTiler(tiler.try_map(&mut |layout| layout.map_leaves(f))?)
            }
            Self::Steps(steps) => Value::Steps(map_steps(steps, f)?),
            Self::Linear(linear) => Value::Linear(linear.clone()),
            Self::Bool(value) => Value::Bool(*value),
            Self::List(values) => Value::List(
                values.iter().map(|value| value.map_leaves(f)).collect::<Result<_, E>>()?,
            ),
        })
    }

    /// A stride by itself: one of integers is a tuple.
    ///
    /// # Errors
    ///
    /// Elements that take one part of a coordinate for an integer and for a tuple.
    pub fn steps(steps: Nested<Basis<L>>) -> Result<Self> {
        if is_plain(&steps) {
            return Ok(steps.map(&mut |step| step.scale.clone()).into());
        }
        check_steps(&steps)?;
        Ok(Self::Steps(steps))
    }

    /// Writes the value, with each leaf written by `leaf`.
    pub(crate) fn write_by<W: fmt::Write + ?Sized>(
        &self,
        f: &mut W,
        leaf: &mut impl FnMut(&L, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        match self {
            Self::Int(value) => leaf(value, f),
            Self::Tuple(tuple) => tuple.write_by(f, leaf),
            Self::Coord(coord) => coord.write_by(f, leaf),
            Self::Layout(layout) => layout.write_by(f, leaf),
            Self::Composed(composed) => composed.write_by(f, leaf),
            Self::ComposedBasis(composed) => {
                composed.outer.write_by(f, leaf)?;
                f.write_str(" o ")?;
                leaf(&composed.offset, f)?;
                f.write_str(" o ")?;
                match &composed.inner {
                    AnyLayout::Plain(layout) => layout.write_by(f, leaf),
                    AnyLayout::Composed(composed) => composed.write_by(f, leaf),
                }
            }
            Self::Tiler(tiler) => tiler.write_by(f, &mut |layout, f| layout.write_by(f, leaf)),
            Self::Basis(layout) => layout.write_by(f, leaf),
            Self::CoordinateTiler(tiler) => {
                tiler.write_by(f, &mut |layout, f| layout.write_by(f, leaf))
            }
            Self::Steps(steps) => steps.write_by(f, &mut |step, f| step.spell(f, leaf)),
            Self::Swizzle(value) => write!(f, "{value}"),
            Self::Linear(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::List(values) => {
                list(f, ["[", ", ", "]"], values, &mut |value, f| value.write_by(f, leaf))
            }
        }
    }
}

/// `outer o offset o inner` of these values, or `None` if the outer one is no swizzle and no layout, the inner one no layout, or
/// the offset none of its coordinates.
pub(super) fn composed_value<L: Leaf>(
    facts: &L::Facts,
    outer: &Value<L>,
    offset: &Value<L>,
    inner: &Value<L>,
) -> Option<Result<Value<L>, L::Error>> {
    let composed = |outer, offset: &L, inner: &Layout<L>| {
        Ok(ComposedLayout { outer, offset: offset.clone(), inner: inner.clone() }.into())
    };
    let coordinates = |outer: &BasisLayout<L>, offset: &L, inner| {
        Ok(ComposedCoordinates { outer: outer.clone(), offset: offset.clone(), inner }.into())
    };
    Some(match (outer, offset, inner) {
        (Value::Swizzle(outer), Value::Int(offset), Value::Layout(inner)) => {
            composed(Outer::Swizzle(*outer), offset, inner)
        }
        (Value::Layout(outer), Value::Int(offset), Value::Layout(inner)) => {
            composed(Outer::Layout(outer.clone()), offset, inner)
        }
        (Value::Layout(outer), offset, Value::Basis(inner)) => {
            composed_of_coordinates(facts, outer, &*tuple_of(offset)?, inner).map(Value::from)
        }
        (Value::Basis(outer), Value::Int(offset), Value::Layout(inner)) => {
            coordinates(outer, offset, AnyLayout::Plain(inner.clone()))
        }
        (Value::Basis(outer), Value::Int(offset), Value::Composed(inner)) => {
            coordinates(outer, offset, AnyLayout::Composed(inner.clone()))
        }
        (Value::Basis(outer), offset, Value::Basis(inner)) => {
            composed_twice(facts, outer, &*tuple_of(offset)?, inner).map(
                |composed| match composed {
                    Ok(layout) => Value::Basis(layout),
                    Err(composed) => composed.into(),
                },
            )
        }
        _ => return None,
    })
}

closes!(Value<Expr> => Value, |value, leaf| value.map_leaves(leaf));

impl Value {
    /// The value as a tiler.
    ///
    /// # Errors
    ///
    /// A value that is no tiler.
    pub fn tiler(&self) -> Result<Tiler> {
        self.clone().into_tiler(&())
    }
}

impl<L: Leaf> From<Nested<L>> for Value<L> {
    /// A tuple; one leaf is an integer.
    fn from(tuple: Nested<L>) -> Self {
        match tuple {
            Nested::Leaf(value) => Self::Int(value),
            node => Self::Tuple(node),
        }
    }
}

impl<L: Leaf> From<CoordOf<L>> for Value<L> {
    /// A coordinate; one without `_` is a tuple.
    fn from(coord: CoordOf<L>) -> Self {
        match coord.to_tuple() {
            Some(tuple) => tuple.into(),
            None => Self::Coord(coord),
        }
    }
}

impl<L: Leaf> From<TilerOf<Layout<L>>> for Value<L> {
    /// A tuple of tilers; one layout or `_` is that.
    fn from(tiler: TilerOf<Layout<L>>) -> Self {
        match tiler {
            TilerOf::Layout(layout) => Self::Layout(layout),
            TilerOf::Any => Self::Coord(CoordOf::Any),
            tuple => Self::Tiler(tuple),
        }
    }
}

impl<L: Leaf> From<Layout<L>> for Value<L> {
    fn from(layout: Layout<L>) -> Self {
        Self::Layout(layout)
    }
}

impl<L: Leaf> From<BasisLayout<L>> for Value<L> {
    /// A coordinate layout; one of which no stride is a basis element is a plain one.
    fn from(layout: BasisLayout<L>) -> Self {
        match layout.settled() {
            Ok(Ok(settled)) => Self::Basis(settled),
            Ok(Err(plain)) => Self::Layout(plain),
            // Its strides agreed on the coordinates when they were put together.
            Err(_) => Self::Basis(layout),
        }
    }
}

impl<L: Leaf> From<ComposedLayout<L>> for Value<L> {
    fn from(layout: ComposedLayout<L>) -> Self {
        Self::Composed(layout)
    }
}

impl<L: Leaf> From<ComposedCoordinates<L>> for Value<L> {
    fn from(layout: ComposedCoordinates<L>) -> Self {
        Self::ComposedBasis(Box::new(layout))
    }
}

impl<L: Leaf> From<AnyLayout<L>> for Value<L> {
    fn from(layout: AnyLayout<L>) -> Self {
        match layout {
            AnyLayout::Plain(layout) => Self::Layout(layout),
            AnyLayout::Composed(composed) => Self::Composed(composed),
        }
    }
}

/// The layout into offsets that a value is; any other value comes back.
impl<L: Leaf> TryFrom<Value<L>> for AnyLayout<L> {
    type Error = Value<L>;

    fn try_from(value: Value<L>) -> Result<Self, Value<L>> {
        match value {
            Value::Layout(layout) => Ok(Self::Plain(layout)),
            Value::Composed(composed) => Ok(Self::Composed(composed)),
            other => Err(other),
        }
    }
}

impl<L: Leaf> fmt::Display for Value<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Types and attributes are known by this text.
            Self::Layout(layout) if !L::OPEN => layout.fmt(f),
            value => L::write_all(&|leaf, f| value.write_by(f, &mut |of, f| leaf(of, f)), f),
        }
    }
}
