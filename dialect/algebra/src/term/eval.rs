//! The evaluation of each operation, whatever the leaves of its operands are.

pub(super) mod composed;
mod coordinates;
mod linear;
mod operands;
mod swizzle;
mod table;
mod tile;
mod tuples;

pub(super) use operands::tuple_of;
pub(super) use table::FAMILIES;
pub use table::Op;
pub(crate) use table::TABLE;

use super::{
    TermLeaf, Value,
    op::{Functions, Law, Operation, arity},
};
use crate::term::prelude::*;
use crate::{
    integer::Integer,
    layout::{
        entries::Order, function::Refutation, leaf::Leaf, modal::joined, predicate::Comparison,
    },
    linear::LinearLayout,
    smem::{Access, Conflicts, VECTOR_BITS},
};

/// The value of a call, or why it has none.
pub(crate) type Evaluated<L> = Result<Value<L>, <L as Integer>::Error>;

/// The operands of one call, borrowed where the term has them: they may be long.
pub(crate) struct Args<'v, L: Leaf = i64> {
    pub(crate) facts: &'v L::Facts,
    pub(crate) op: Op,
    pub(crate) values: &'v [Cow<'v, Value<L>>],
}

/// A method of an operand, under facts.
type FactsMethod<L, On, To> = fn(&On, &<L as Integer>::Facts) -> Result<To, <L as Integer>::Error>;

/// A method of an operand with another, under facts.
type UnderWith<L, On, With, To> =
    fn(&On, &<L as Integer>::Facts, &With) -> Result<To, <L as Integer>::Error>;

/// The comparisons of a predicate.
type Comparisons<L> = Vec<Comparison<Layout<L>, L>>;

impl<L: TermLeaf> Args<'_, L> {
    /// The value of the call.
    pub(crate) fn eval(&self) -> Evaluated<L> {
        // `make_layout` says of itself what it takes.
        if self.op != Op::MakeLayout {
            let (least, most) = self.op.row().arity;
            self.count(least, most)?;
        }
        if let Some(Value::CoordinateTiler(tiler)) = self.value(1)
            && let Some(answer) = self.on_coordinate_tiler(tiler)
        {
            return answer;
        }
        let has = |f: fn(&Value<L>) -> bool| self.values.iter().any(|value| f(value));
        let mut values = self.values.iter().enumerate();
        if let Some((place, basis)) = values.find_map(|(place, value)| match &**value {
            Value::Basis(basis) => Some((place, basis)),
            _ => None,
        }) && !self.op.takes_any_layout()
        {
            return self.on_coordinates(place, basis);
        }
        if has(|value| matches!(value, Value::Linear(_)))
            && let Some(value) = self.on_linear()
        {
            return value;
        }
        if let Some(value) = self.on_swizzle() {
            return value;
        }
        if has(|value| matches!(value, Value::Composed(_)))
            && let Some(value) = self.on_composed()
        {
            return value;
        }
        if let Some(value) = self.on_composed_coordinates() {
            return value;
        }
        if let Some(value) = self.on_tuple() {
            return value;
        }
        L::function(&self.op.row().eval)(self)
    }

    /// The value of another call, of these operands.
    fn call(&self, op: Op, values: &[&Value<L>]) -> Evaluated<L> {
        let values: Vec<_> = values.iter().map(|value| Cow::Borrowed(*value)).collect();
        L::apply(self.facts, op, &values)
    }

    /// `A o B`: with a composed layout on the left, the inner layout is composed.
    fn composition(&self) -> Evaluated<L> {
        if let Value::Composed(right) = &*self.values[1] {
            if L::OPEN
                && let Some((plain, offset)) = right.fold_under(self.facts)?
                && offset.is(0)
            {
                return self.call(self.op, &[&self.values[0], &Value::Layout(plain)]);
            }
            return L::by_values(self, |call| {
                call.any_layout(0)?.composition(&call.any_layout(1)?).map(Value::from)
            });
        }
        self.with_tiler(Layout::composition_tiler_under)
    }

    fn with_tiler(
        &self,
        f: UnderWith<L, Layout<L>, TilerOf<Layout<L>>, Layout<L>>,
    ) -> Evaluated<L> {
        let tiler = self.tiler(1)?;
        self.on_layout(|layout| f(layout, self.facts, &tiler))
    }

    fn with_layout(&self, f: UnderWith<L, Layout<L>, Layout<L>, Layout<L>>) -> Evaluated<L> {
        let other = self.layout(1)?;
        self.on_layout(|layout| f(layout, self.facts, &other))
    }

    fn unary(&self, f: FactsMethod<L, Layout<L>, Layout<L>>) -> Evaluated<L> {
        f(&*self.layout(0)?, self.facts).map(Value::Layout)
    }

    /// Compact strides, from 1 on or from a number given.
    fn compact(&self, order: Order) -> Evaluated<L> {
        let shape = self.shape_of(&self.values[0])?;
        let start = match self.values.len() {
            1 => Cow::Owned(Nested::Leaf(L::from(1))),
            _ => self.tuple(1)?,
        };
        shape.compact_from(order, &start).map(Value::from)
    }

    /// Whether tiles of a divisor, which may be a tiler, fill a shape.
    fn evenly_divides(&self) -> Evaluated<L> {
        let shape = self.shape_of(&self.values[0])?;
        let answer = match &*self.values[1] {
            Value::Int(_) | Value::Tuple(_) => {
                let answer = shape.evenly_divides_under(self.facts, &*self.tuple(1)?);
                // A product of integers that overflows divides nothing.
                if L::OPEN { answer } else { Ok(answer.unwrap_or(false)) }
            }
            _ => shape.fills_evenly_under(self.facts, &*self.tiler(1)?),
        };
        answer.map(Value::Bool)
    }

    /// The comparisons `layout < bound` that all hold inside, each as `[layout, bound]`.
    fn in_bounds(
        &self,
        f: UnderWith<L, Layout<L>, TilerOf<Layout<L>>, Comparisons<L>>,
    ) -> Evaluated<L> {
        let comparisons = f(&*self.inner_layout(0)?, self.facts, &*self.tiler(1)?)?;
        let pair = |Comparison { layout, bound }: Comparison<Layout<L>, L>| {
            Value::List(vec![Value::Layout(layout), Value::Int(bound)])
        };
        Ok(Value::List(comparisons.into_iter().map(pair).collect()))
    }

    /// An answer about a layout as a function.
    fn predicate(&self) -> Evaluated<L> {
        let layout = self.layout(0)?;
        let answer = match self.op {
            Op::IsInjective => layout.is_injective_under(self.facts),
            Op::IsSurjective => layout.is_surjective_under(self.facts),
            _ => layout.is_bijective_under(self.facts),
        };
        answer.map(Value::Bool)
    }

    fn relation(&self, f: impl Fn(&Nested<L>, &Nested<L>) -> bool) -> Evaluated<L> {
        let (a, b) = (self.shape_of(&self.values[0])?, self.shape_of(&self.values[1])?);
        Ok(Value::Bool(f(&a, &b)))
    }

    fn compatible(&self) -> Evaluated<L> {
        let (a, b) = (self.shape_of(&self.values[0])?, self.shape_of(&self.values[1])?);
        let answer = a.compatible_under(self.facts, &b);
        // A size of integers that overflows is that of no part.
        let answer = if L::OPEN { answer? } else { answer.unwrap_or(false) };
        Ok(Value::Bool(answer))
    }

    fn on_shapes(&self, f: UnderWith<L, Nested<L>, Nested<L>, Nested<L>>) -> Evaluated<L> {
        let (a, b) = (self.shape_of(&self.values[0])?, self.shape_of(&self.values[1])?);
        f(&a, self.facts, &b).map(Value::from)
    }

    /// A quotient of shapes; by a tiler of layouts the shape of the tiles.
    fn ceil_div(&self) -> Evaluated<L> {
        match self.value(1) {
            Some(Value::Layout(_) | Value::Basis(_) | Value::Tiler(_)) => {
                let shape = self.shape_of(&self.values[0])?;
                Ok(shape.tiles_under(self.facts, &*self.tiler(1)?)?.into())
            }
            _ => self.on_shapes(Nested::ceil_div_under),
        }
    }

    /// A number of the first operand, or of the mode of it that the other operands name.
    fn of_mode(&self, f: impl Fn(&Value<L>) -> Result<L, L::Error>) -> Evaluated<L> {
        self.part_of_mode(|value| f(value).map(Value::Int))
    }

    /// A part of the first operand, or of the mode of it that the other operands name.
    fn part_of_mode(&self, f: impl Fn(&Value<L>) -> Evaluated<L>) -> Evaluated<L> {
        let path = self.integers(1)?;
        if path.is_empty() {
            return f(&self.values[0]);
        }
        let mode = match &*self.values[0] {
            Value::Int(_) | Value::Tuple(_) => {
                let shape = self.tuple(0)?;
                match Op::Get.of_entries(&*shape, &path, None) {
                    Some(mode) => Value::Tuple(mode?),
                    None => return f(&self.values[0]),
                }
            }
            Value::Basis(basis) => Value::from(basis.get(&path)?),
            _ => self.on_layout(|layout| layout.get(&path))?,
        };
        f(&mode)
    }

    fn size(&self, value: &Value<L>) -> Result<L, L::Error> {
        match value {
            Value::Int(size) => Ok(size.clone()),
            Value::Tuple(shape) => shape.product(),
            Value::Basis(basis) => basis.shape().product(),
            _ => {
                let layout = self.inner(value)?;
                let size = L::total(layout.shape(), layout.measured());
                size.map_err(|lost| L::lost(lost, "product", layout.shape()))
            }
        }
    }

    fn cosize(&self, value: &Value<L>) -> Result<L, L::Error> {
        match value {
            Value::Composed(composed) => L::composed_cosize(self, composed),
            Value::Basis(basis) => basis.cosize_under(self.facts),
            Value::Int(_) => self.layout(0)?.cosize_under(self.facts),
            Value::ComposedBasis(composed) => L::coshape_of_composed(self, composed)?.product(),
            other => self.inner(other)?.cosize_under(self.facts),
        }
    }

    /// The offset of a coordinate.
    fn offset(&self) -> Evaluated<L> {
        let coord = self.tuple(0)?;
        let offset = match &*self.values[1] {
            Value::Layout(layout) => layout.crd2idx_under(self.facts, &coord)?,
            // CuTe's form for a shape alone: the compact column-major layout is meant.
            shape @ (Value::Int(_) | Value::Tuple(_)) => {
                let shape = self.shape_of(shape)?.into_owned();
                Layout::compact(self.facts, shape)?.crd2idx_under(self.facts, &coord)?
            }
            other => return Err(no_layout(other).into()),
        };
        Ok(Value::Int(offset))
    }

    /// The modes that a coordinate leaves of a layout, and the offset where they start.
    fn sliced(&self, layout: &Layout<L>) -> Result<(Layout<L>, L), L::Error> {
        layout.slice_under(self.facts, &self.coord(0)?)
    }
}

/// The layout that has given offsets, one after the other.
fn layout_of(call: &Args<'_>) -> Result<Value> {
    let offsets = call.tuple(0)?.leaves();
    let found = match call.values.get(1) {
        None => Layout::of_offsets(&offsets)?,
        Some(shape) => {
            let shape = call.shape_of(shape)?;
            if usize::try_from(shape.product()?) != Ok(offsets.len()) {
                return Err(call.kind(1, &format!("a shape of {} coordinates", offsets.len())));
            }
            Layout::of_offsets_in(&shape, &offsets)?
        }
    };
    let Refutation { index, expected, found } = match found {
        Ok(layout) => return Ok(Value::Layout(layout)),
        Err(refutation) => refutation,
    };
    let found = format!("{expected} at index {index}, where the only candidate has {found}");
    Err(Error::condition("layout_of", &call.values[0], "the offsets of a layout", found))
}

/// The error for a value that is no layout.
fn no_layout<L: Leaf>(found: &Value<L>) -> Error {
    Error::operand("layout", "a layout", found)
}

/// The wavefronts beyond one for each phase, which an access of bounded length bounds.
fn count_of<L: Leaf>(conflicts: &Conflicts) -> Value<L> {
    Value::Int(int(usize::try_from(conflicts.extra()).unwrap_or(usize::MAX)))
}

/// A count as a leaf; counts are bounded by the length of a term's text.
fn int<L: Leaf>(count: usize) -> L {
    L::from(i64::try_from(count).unwrap_or(i64::MAX))
}
