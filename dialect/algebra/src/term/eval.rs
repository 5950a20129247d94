//! What each operation does with its operands.

mod linear;
mod swizzle;

use super::{Op, Value};
use crate::{
    banks,
    basis::{BasisLayout, make_identity_layout},
    complement::complement,
    composition::composition_tiler,
    distribute, divide,
    error::{Error, Result},
    function::{self, Refutation},
    inverse,
    layout::{Layout, crd2crd},
    linear::LinearLayout,
    modal::joined,
    modes, order,
    predicate::{Comparison, Predicate, in_bounds_of_composition, in_bounds_of_divide},
    product, query, shape,
    slice::dice,
    swizzle::AnyLayout,
    symbolic,
    tiler::Tiler,
    tuple::{Coord, Tuple},
};
use std::borrow::Cow;

/// The operands of one call, borrowed where the term has them: they may be long.
pub(super) struct Args<'v> {
    pub(super) op: Op,
    pub(super) values: &'v [Cow<'v, Value>],
}

impl Args<'_> {
    /// The value of the call.
    pub(super) fn eval(&self) -> Result<Value> {
        use Op::*;
        let mut values = self.values.iter().enumerate();
        if let Some((place, layout)) = values.find_map(|(place, value)| match &**value {
            Value::Basis(layout) => Some((place, layout)),
            _ => None,
        }) {
            if let Some(answer) = symbolic::on_coordinates(self.op, self.values) {
                return answer;
            }
            return match self.op.moves_modes(place, self.values.len()) {
                // Modes are taken apart alike, whatever their strides are.
                true => symbolic::on_modes(self.op, self.values),
                false => self.on_basis(layout),
            };
        }
        if self.values.iter().any(|value| matches!(**value, Value::Linear(_)))
            && let Some(value) = self.overloaded()
        {
            return value;
        }
        if let Some(value) = self.on_swizzle() {
            return value;
        }
        match self.op {
            Coalesce => {
                self.count(1, 2)?;
                let profile = (self.values.len() == 2).then(|| self.tuple(1)).transpose()?;
                self.on_layout(|layout| match &profile {
                    None => modes::coalesce(layout),
                    Some(profile) => modes::coalesce_by(layout, profile),
                })
            }
            Composition => self.composition(),
            Complement => {
                self.count(1, 2)?;
                let layout = self.layout(0)?;
                let codomain = match self.values.get(1) {
                    None => Cow::Owned(Tuple::Leaf(modes::filter(&layout)?.cosize()?)),
                    Some(_) => self.shape_of(&self.values[1])?,
                };
                complement(&layout, &codomain).map(Value::Layout)
            }
            LogicalDivide => self.with_tiler(divide::logical_divide),
            ZippedDivide => self.with_tiler(divide::zipped_divide),
            TiledDivide => self.with_tiler(divide::tiled_divide),
            FlatDivide => self.with_tiler(divide::flat_divide),
            LogicalProduct => self.with_tiler(product::logical_product),
            ZippedProduct => self.with_tiler(product::zipped_product),
            TiledProduct => self.with_tiler(product::tiled_product),
            FlatProduct => self.with_tiler(product::flat_product),
            BlockedProduct => self.with_layout(product::blocked_product),
            RakedProduct => self.with_layout(product::raked_product),
            RightInverse => self.unary_any(AnyLayout::right_inverse),
            LeftInverse => self.unary_any(AnyLayout::left_inverse),
            Nullspace => self.unary(inverse::nullspace),
            Flatten => {
                self.count(1, 1)?;
                self.on_layout(modes::flatten)
            }
            MakeLayout => {
                let layouts = (0..self.values.len()).map(|i| self.layout(i).map(Cow::into_owned));
                joined(layouts.collect::<Result<_>>()?).map(Value::Layout)
            }
            Get => {
                self.count(2, usize::MAX)?;
                let path = self.integers(1)?;
                self.on_layout(|layout| modes::get(layout, &path))
            }
            Select => {
                self.count(2, usize::MAX)?;
                let chosen = self.integers(1)?;
                self.on_layout(|layout| modes::select(layout, &chosen))
            }
            Group => {
                self.count(3, 3)?;
                let (begin, end) = (self.int(1)?, self.int(2)?);
                self.on_layout(|layout| modes::group(layout, begin, end))
            }
            Append => self.with_layout(modes::append),
            Prepend => self.with_layout(modes::prepend),
            Replace => {
                self.count(3, 3)?;
                let (mode, by) = (self.int(1)?, self.layout(2)?);
                self.on_layout(|layout| modes::replace(layout, mode, &by))
            }
            Take => {
                self.count(3, 3)?;
                let (begin, end) = (self.int(1)?, self.int(2)?);
                self.on_layout(|layout| modes::take(layout, begin, end))
            }
            Zip => self.with_layout(modes::zip),
            Unzip => self.with_tiler(modes::unzip),
            Sort => self.unary(order::sort),
            Filter => {
                self.count(1, 2)?;
                let layout = self.layout(0)?;
                let filtered = match self.values.len() {
                    1 => modes::filter(&layout),
                    _ => modes::filter_by(&layout, &*self.tuple(1)?),
                };
                filtered.map(Value::Layout)
            }
            FilterZeros => self.unary(modes::filter_zeros),
            MakeOrderedLayout => {
                self.count(2, 2)?;
                let shape = self.shape_of(&self.values[0])?;
                order::make_ordered_layout(&shape, &*self.tuple(1)?).map(Value::Layout)
            }
            // What is compact needs nothing around it.
            MakeLayoutLike => {
                self.count(1, 1)?;
                order::make_layout_like(self.any_layout(0)?.inner()).map(Value::Layout)
            }
            MakeIdentityLayout => {
                self.count(1, 1)?;
                match &*self.shape_of(&self.values[0])? {
                    Tuple::Leaf(extent) => Layout::leaf(*extent, 1).map(Value::Layout),
                    shape => make_identity_layout(shape).map(Value::Basis),
                }
            }
            LayoutOf => self.layout_of(),
            CompactColMajor => self.on_shape(shape::compact_col_major),
            CompactRowMajor => self.on_shape(shape::compact_row_major),
            MaxCommonVector => {
                self.count(2, 2)?;
                query::max_common_vector(&*self.layout(0)?, &*self.layout(1)?).map(Value::Int)
            }
            MaxCommonLayout => {
                self.count(2, 2)?;
                query::max_common_layout(&*self.layout(0)?, &*self.layout(1)?).map(Value::Layout)
            }
            DomainDistribute => {
                self.count(2, 2)?;
                let shape = self.shape_of(&self.values[0])?;
                distribute::domain_distribute(&shape, self.int(1)?).map(Value::Layout)
            }
            Distribute => {
                self.count(3, 3)?;
                let (tile, tv) = (self.tuple(1)?, self.layout(2)?);
                self.on_layout(|layout| distribute::distribute(layout, &tile, &tv))
            }
            InBoundsOfDivide => self.in_bounds(in_bounds_of_divide),
            InBoundsOfComposition => self.in_bounds(in_bounds_of_composition),
            BankConflicts => {
                self.count(3, 3)?;
                let (layout, access) = (self.any_layout(0)?, self.layout(1)?);
                let extra = banks::conflicts(&layout, &access, self.int(2)?)?.extra();
                Ok(Value::Int(i64::try_from(extra).unwrap_or(i64::MAX)))
            }
            ConflictFreeSwizzle => {
                self.count(4, 4)?;
                let (tile, store, load) = (self.layout(0)?, self.layout(1)?, self.layout(2)?);
                let choice = banks::conflict_free_swizzle(&store, &load, &tile, self.int(3)?)?;
                Ok(Value::Swizzle(choice.swizzle))
            }
            Size => self.of_mode(|value| match value {
                Value::Int(_) | Value::Tuple(_) => tuple_of(value)?.product(),
                _ => Ok(any_layout(value)?.size()),
            }),
            Cosize => self.of_mode(|value| any_layout(value)?.cosize()),
            Coshape => {
                self.count(1, 1)?;
                query::coshape(&*self.layout(0)?).map(tuple_value)
            }
            Rank => self.of_mode(|value| Ok(int(self.shape_of(value)?.rank()))),
            Depth => self.of_mode(|value| Ok(int(self.shape_of(value)?.depth()))),
            Shape => {
                self.count(1, 1)?;
                Ok(tuple_value(any_layout(&self.values[0])?.inner().shape().clone()))
            }
            Stride => {
                self.count(1, 1)?;
                Ok(tuple_value(self.layout(0)?.stride().clone()))
            }
            Crd2Idx => {
                self.count(2, 2)?;
                let coord = self.tuple(0)?;
                let offset = match any_layout(&self.values[1]) {
                    Ok(layout) => layout.crd2idx(&coord)?,
                    // CuTe's form for a shape alone: the compact column-major layout is meant.
                    Err(error) => match tuple_of(&self.values[1]) {
                        Ok(shape) => Layout::from_shape(shape.into_owned())?.crd2idx(&coord)?,
                        Err(_) => return Err(error),
                    },
                };
                Ok(Value::Int(offset))
            }
            Idx2Crd => {
                self.count(2, 2)?;
                let shape = self.shape_of(&self.values[1])?;
                crd2crd(&*self.tuple(0)?, &shape).map(tuple_value)
            }
            Slice => {
                self.count(2, 2)?;
                let layout = any_layout(&self.values[1])?;
                Ok(layout_value(layout.slice_and_offset(&self.coord(0)?)?.0))
            }
            SliceAndOffset => {
                self.count(2, 2)?;
                let (kept, offset) = self.any_layout(1)?.slice_and_offset(&self.coord(0)?)?;
                Ok(Value::List(vec![layout_value(kept), Value::Int(offset)]))
            }
            Dice => {
                self.count(2, 2)?;
                let coord = self.coord(0)?;
                self.any_layout(1)?.try_map(|layout| dice(&coord, layout)).map(layout_value)
            }
            TileToShape => {
                self.count(2, 3)?;
                let shape = self.tuple(1)?;
                let order = (self.values.len() == 3).then(|| self.tuple(2)).transpose()?;
                self.on_layout(|layout| product::tile_to_shape(layout, &shape, order.as_deref()))
            }
            Upcast => {
                self.count(2, 2)?;
                self.any_layout(0)?.upcast(self.int(1)?).map(layout_value)
            }
            Downcast => {
                self.count(2, 2)?;
                self.any_layout(0)?.downcast(self.int(1)?).map(layout_value)
            }
            Recast => {
                self.count(3, 3)?;
                self.any_layout(0)?.recast(self.int(1)?, self.int(2)?).map(layout_value)
            }
            RecastLayout => {
                self.count(3, 3)?;
                self.any_layout(0)?.recast(self.int(2)?, self.int(1)?).map(layout_value)
            }
            ShapeDiv => self.on_shapes(shape::shape_div),
            CeilDiv => self.ceil_div(),
            RoundUp => self.on_shapes(shape::round_up),
            Congruent => self.relation(shape::congruent),
            WeaklyCongruent => self.relation(shape::weakly_congruent),
            Compatible => self.relation(shape::compatible),
            EvenlyDivides => self.relation(shape::evenly_divides),
            IsInjective => self.predicate(AnyLayout::is_injective),
            IsSurjective => self.predicate(AnyLayout::is_surjective),
            IsBijective => self.predicate(AnyLayout::is_bijective),
            Commutes => self.commutes(),
            ToLinear => self.to_linear(),
            ToLayout => self.on_linear(|layout| layout.to_swizzled().map(layout_value)),
            Invert => self.on_linear(|layout| layout.invert().map(Value::Linear)),
            PseudoInvert => self.on_linear(|layout| Ok(Value::Linear(layout.pseudo_invert()))),
            InvertAndCompose => self.with_linear(LinearLayout::invert_and_compose),
            LinearProduct => self.with_linear(LinearLayout::product),
            DivideLeft => self.with_linear(LinearLayout::divide_left),
            DivideRight => self.with_linear(LinearLayout::divide_right),
        }
    }

    /// The operations on layouts into coordinates.
    fn on_basis(&self, layout: &BasisLayout) -> Result<Value> {
        use Op::*;
        // `slice` and `crd2idx` have the coordinate first.
        let place = usize::from(matches!(self.op, Slice | SliceAndOffset | Crd2Idx));
        if !matches!(self.value(place), Some(Value::Basis(_))) {
            return Err(self.kind(place, "a layout into coordinates"));
        }
        match self.op {
            Coalesce | Size | Rank | Depth | Shape | Stride | Coshape => self.count(1, 1)?,
            Composition | LogicalDivide | ZippedDivide | Crd2Idx | Slice | SliceAndOffset => {
                self.count(2, 2)?;
            }
            _ => {}
        }
        let basis = |layout: BasisLayout| Value::Basis(layout);
        match self.op {
            Coalesce => layout.coalesce().map(basis),
            Composition => layout.composition_tiler(&*self.tiler(1)?).map(basis),
            LogicalDivide => layout.logical_divide(&*self.tiler(1)?).map(basis),
            ZippedDivide => layout.zipped_divide(&*self.tiler(1)?).map(basis),
            Size => Ok(Value::Int(layout.size())),
            Rank => Ok(Value::Int(int(layout.rank()))),
            Depth => Ok(Value::Int(int(layout.shape().depth()))),
            Shape => Ok(tuple_value(layout.shape().clone())),
            Stride => Ok(Value::Steps(layout.stride().clone())),
            Coshape => layout.coshape().map(tuple_value),
            Crd2Idx => layout.crd2crd(&*self.tuple(0)?).map(tuple_value),
            Slice => Ok(basis(layout.slice(&self.coord(0)?)?.0)),
            SliceAndOffset => {
                let (kept, fixed) = layout.slice(&self.coord(0)?)?;
                Ok(Value::List(vec![basis(kept), tuple_value(fixed)]))
            }
            _ => Err(Error::Operand {
                operation: self.op.name(),
                expected: "a layout of integer strides".to_owned(),
                found: layout.to_string(),
            }),
        }
    }

    /// `A o B`: with a composed layout on the left, the inner layout is composed.
    fn composition(&self) -> Result<Value> {
        self.count(2, 2)?;
        if let Value::Composed(_) = &*self.values[1] {
            return self.any_layout(0)?.composition(&self.any_layout(1)?).map(layout_value);
        }
        let tiler = self.tiler(1)?;
        self.on_layout(|layout| composition_tiler(layout, &tiler))
    }

    /// The layout that has given offsets, one after the other.
    fn layout_of(&self) -> Result<Value> {
        self.count(1, 2)?;
        let offsets = self.tuple(0)?.leaves();
        let found = match self.values.get(1) {
            None => function::layout_of(&offsets)?,
            Some(shape) => {
                let shape = self.shape_of(shape)?;
                if usize::try_from(shape.product()?) != Ok(offsets.len()) {
                    return Err(self.kind(1, &format!("a shape of {} coordinates", offsets.len())));
                }
                function::layout_with_shape(&shape, &offsets)?
            }
        };
        let Refutation { index, wanted, found } = match found {
            Ok(layout) => return Ok(Value::Layout(layout)),
            Err(refutation) => refutation,
        };
        Err(Error::Condition {
            operation: "layout_of",
            operand: self.values[0].to_string(),
            expected: "the offsets of a layout",
            found: format!("{wanted} at index {index}, where the only candidate has {found}"),
        })
    }

    fn with_tiler(&self, f: impl Fn(&Layout, &Tiler) -> Result<Layout>) -> Result<Value> {
        self.count(2, 2)?;
        let tiler = self.tiler(1)?;
        self.on_layout(|layout| f(layout, &tiler))
    }

    fn with_layout(&self, f: impl Fn(&Layout, &Layout) -> Result<Layout>) -> Result<Value> {
        self.count(2, 2)?;
        let other = self.layout(1)?;
        self.on_layout(|layout| f(layout, &other))
    }

    fn unary(&self, f: impl Fn(&Layout) -> Result<Layout>) -> Result<Value> {
        self.count(1, 1)?;
        f(&*self.layout(0)?).map(Value::Layout)
    }

    fn unary_any(&self, f: impl Fn(&AnyLayout) -> Result<AnyLayout>) -> Result<Value> {
        self.count(1, 1)?;
        f(&self.any_layout(0)?).map(layout_value)
    }

    /// A number of the first operand, or of the mode of it that the other operands name.
    fn of_mode(&self, f: impl Fn(&Value) -> Result<i64>) -> Result<Value> {
        self.count(1, usize::MAX)?;
        let path = self.integers(1)?;
        if path.is_empty() {
            return f(&self.values[0]).map(Value::Int);
        }
        let mode = match &*self.values[0] {
            Value::Int(_) | Value::Tuple(_) => {
                let shape = tuple_of(&self.values[0])?;
                let layout = Layout::new(shape.clone().into_owned(), shape.into_owned())?;
                Value::Tuple(modes::get(&layout, &path)?.shape().clone())
            }
            _ => self.on_layout(|layout| modes::get(layout, &path))?,
        };
        f(&mode).map(Value::Int)
    }

    /// The comparisons `layout < bound` that all hold inside, each as `[layout, bound]`.
    fn in_bounds(&self, f: impl Fn(&Layout, &Tiler) -> Result<Predicate>) -> Result<Value> {
        self.count(2, 2)?;
        let predicate = f(&*self.layout(0)?, &*self.tiler(1)?)?;
        let comparisons = predicate.comparisons().iter().map(|Comparison { layout, bound }| {
            Value::List(vec![Value::Layout(layout.clone()), Value::Int(*bound)])
        });
        Ok(Value::List(comparisons.collect()))
    }

    fn predicate(&self, f: impl Fn(&AnyLayout) -> Result<bool>) -> Result<Value> {
        self.count(1, 1)?;
        f(&self.any_layout(0)?).map(Value::Bool)
    }

    fn relation(&self, f: impl Fn(&Tuple, &Tuple) -> bool) -> Result<Value> {
        self.count(2, 2)?;
        let (a, b) = (self.shape_of(&self.values[0])?, self.shape_of(&self.values[1])?);
        Ok(Value::Bool(f(&a, &b)))
    }

    fn on_shape(&self, f: impl Fn(&Tuple) -> Result<Tuple>) -> Result<Value> {
        self.count(1, 1)?;
        f(&*self.shape_of(&self.values[0])?).map(tuple_value)
    }

    fn on_shapes(&self, f: impl Fn(&Tuple, &Tuple) -> Result<Tuple>) -> Result<Value> {
        self.count(2, 2)?;
        let (a, b) = (self.shape_of(&self.values[0])?, self.shape_of(&self.values[1])?);
        f(&a, &b).map(tuple_value)
    }

    /// A quotient of shapes; by a tiler of layouts the shape of the tiles, as a divide has them.
    fn ceil_div(&self) -> Result<Value> {
        self.count(2, 2)?;
        let layout = match self.value(1) {
            Some(Value::Layout(_) | Value::Tiler(_)) => {
                Layout::from_shape(self.shape_of(&self.values[0])?.into_owned())?
            }
            _ => return self.on_shapes(shape::ceil_div),
        };
        let divided = divide::zipped_divide(&layout, &*self.tiler(1)?)?;
        Ok(tuple_value(modes::get(&divided, &[1])?.shape().clone()))
    }

    /// Applies an operation to the first operand, behind its swizzle if it has one.
    fn on_layout(&self, f: impl FnOnce(&Layout) -> Result<Layout>) -> Result<Value> {
        match self.value(0) {
            // A swizzle of no bits changes nothing, and CuTe drops it.
            Some(Value::Composed(composed)) => {
                Ok(layout_value(composed.with_inner(f(&composed.inner)?).simplified()))
            }
            _ => f(&*self.layout(0)?).map(Value::Layout),
        }
    }

    fn count(&self, least: usize, most: usize) -> Result<()> {
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
        Err(Error::Operand { operation: self.op.name(), expected, found: found.to_string() })
    }

    fn kind(&self, i: usize, expected: &str) -> Error {
        Error::Operand {
            operation: self.op.name(),
            expected: format!("{expected} as operand {}", i + 1),
            found: self.values.get(i).map_or("none".to_owned(), ToString::to_string),
        }
    }

    fn value(&self, i: usize) -> Option<&Value> {
        self.values.get(i).map(Cow::as_ref)
    }

    fn layout(&self, i: usize) -> Result<Cow<'_, Layout>> {
        match self.value(i) {
            Some(Value::Layout(layout)) => Ok(Cow::Borrowed(layout)),
            // CuTe takes an extent where it takes a layout.
            Some(Value::Int(extent)) => Layout::leaf(*extent, 1).map(Cow::Owned),
            _ => Err(self.kind(i, "a plain layout")),
        }
    }

    fn any_layout(&self, i: usize) -> Result<AnyLayout> {
        match self.value(i) {
            Some(Value::Composed(composed)) => Ok(AnyLayout::Composed(composed.clone())),
            _ => self.layout(i).map(|layout| AnyLayout::Plain(layout.into_owned())),
        }
    }

    fn tiler(&self, i: usize) -> Result<Cow<'_, Tiler>> {
        match self.value(i) {
            Some(Value::Tiler(tiler)) => Ok(Cow::Borrowed(tiler)),
            value => value
                .and_then(|value| value.tiler().ok())
                .map(Cow::Owned)
                .ok_or_else(|| self.kind(i, "a layout, a shape, `_` or a tuple of tilers")),
        }
    }

    fn tuple(&self, i: usize) -> Result<Cow<'_, Tuple>> {
        self.value(i)
            .and_then(|value| tuple_of(value).ok())
            .ok_or_else(|| self.kind(i, "an integer or a tuple of integers"))
    }

    fn coord(&self, i: usize) -> Result<Coord> {
        match self.value(i) {
            Some(Value::Coord(coord)) => Ok(coord.clone()),
            _ => self
                .tuple(i)
                .map(|tuple| Coord::from(&*tuple))
                .map_err(|_| self.kind(i, "a coordinate")),
        }
    }

    fn int(&self, i: usize) -> Result<i64> {
        match self.value(i) {
            Some(Value::Int(value)) => Ok(*value),
            _ => Err(self.kind(i, "an integer")),
        }
    }

    fn integers(&self, from: usize) -> Result<Vec<i64>> {
        (from..self.values.len()).map(|i| self.int(i)).collect()
    }

    fn shape_of<'v>(&self, value: &'v Value) -> Result<Cow<'v, Tuple>> {
        match value {
            Value::Int(_) | Value::Tuple(_) => tuple_of(value),
            Value::Layout(layout) => Ok(Cow::Borrowed(layout.shape())),
            Value::Composed(composed) => Ok(Cow::Borrowed(composed.inner.shape())),
            _ => Err(Error::Operand {
                operation: self.op.name(),
                expected: "a layout or a shape".to_owned(),
                found: value.to_string(),
            }),
        }
    }
}

fn any_layout(value: &Value) -> Result<AnyLayout> {
    match value {
        Value::Layout(layout) => Ok(AnyLayout::Plain(layout.clone())),
        Value::Composed(composed) => Ok(AnyLayout::Composed(composed.clone())),
        other => Err(Error::Operand {
            operation: "layout",
            expected: "a layout".to_owned(),
            found: other.to_string(),
        }),
    }
}

fn layout_value(layout: AnyLayout) -> Value {
    match layout {
        AnyLayout::Plain(layout) => Value::Layout(layout),
        AnyLayout::Composed(composed) => Value::Composed(composed),
    }
}

fn tuple_of(value: &Value) -> Result<Cow<'_, Tuple>> {
    match value {
        Value::Int(value) => Ok(Cow::Owned(Tuple::Leaf(*value))),
        Value::Tuple(tuple) => Ok(Cow::Borrowed(tuple)),
        other => Err(Error::Operand {
            operation: "tuple",
            expected: "an integer or a tuple of integers".to_owned(),
            found: other.to_string(),
        }),
    }
}

fn tuple_value(tuple: Tuple) -> Value {
    match tuple {
        Tuple::Leaf(value) => Value::Int(value),
        node => Value::Tuple(node),
    }
}

/// A count as a value; counts are bounded by the length of a term's text.
fn int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
