//! What each operation does with operands that have symbols.

mod coordinates;
mod operands;
mod tuples;

use super::{
    banks,
    basis::SymbolicBasis,
    complement,
    composed::swizzled,
    composition_tiler, copy, crd2crd, dice, divide,
    error::{Answer, Error, Need, Result, Site},
    expr::Expr,
    facts::Facts,
    inverse,
    layout::SymbolicLayout,
    make_identity_layout, modes, order,
    predicate::{self, SymbolicComparison},
    product, query, recast, shape, slice,
    term::{as_tuple, tiler},
    tuple::{SymbolicTiler, SymbolicTuple},
};
use crate::{
    ComposedLayout, Nested, Op, Outer, Swizzle, Term, Value, compact_col_major, compact_row_major,
};
use alloc::{borrow::Cow, borrow::ToOwned, format, string::ToString, vec, vec::Vec};

/// An operation on values, under facts that are complete.
///
/// Where no operand has symbols it is the static algebra's. Where there is no other answer, but all
/// symbols have one value each, it is that of these values: a linear layout has no other form.
///
/// # Errors
///
/// That of the operation.
///
/// ```
/// use layout_algebra::{Op, Value, symbolic::{SymbolicLayout, call}};
/// let (layout, facts) = SymbolicLayout::parse("(M,8):(1,M)")?;
/// let whole = call(Op::Coalesce, &[Value::Layout(layout)], &facts)?;
/// assert_eq!(whole.to_string(), "8*M:1");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn call(op: Op, values: &[Value<Expr>], facts: &Facts) -> Result<Value<Expr>> {
    let call = Call { facts, op, values };
    if values.is_empty() {
        return call.count(1, usize::MAX).map(|()| Value::Int(Expr::from(0)));
    }
    if let Some(values) = values.iter().map(Value::to_static).collect() {
        return fixed(op, values);
    }
    match call.eval() {
        Ok(value) => Ok(value),
        Err(error) => match call.known() {
            Ok(values) => fixed(op, values),
            Err(_) => Err(error),
        },
    }
}

/// Whether an operation takes a shape in a place, of which the extents are at least 1 as those of a layout are. In a term
/// that states a fact, as the shape of a layout does; values that come from elsewhere state none.
pub(super) fn takes_shape(op: Op, place: usize) -> bool {
    use Op::*;
    match op {
        MakeIdentityLayout | MakeOrderedLayout | CompactColMajor | CompactRowMajor
        | DomainDistribute => place == 0,
        Complement | TileToShape | Idx2Crd | Composition | LogicalDivide | ZippedDivide
        | TiledDivide | FlatDivide | LogicalProduct | ZippedProduct | TiledProduct
        | FlatProduct | BlockedProduct | RakedProduct | Distribute => place == 1,
        _ => false,
    }
}

/// The static algebra's answer.
fn fixed(op: Op, values: Vec<Value>) -> Result<Value<Expr>> {
    let args = values.into_iter().map(Term::Literal).collect();
    Ok(Value::fixed(Term::Call { op, args }.eval()?))
}

/// An operation on the modes of layouts of which one at least is into coordinates.
///
/// # Errors
///
/// That of the operation.
pub(crate) fn on_modes(op: Op, values: &[Cow<'_, Value>]) -> crate::Result<Value> {
    let values: Vec<Value<Expr>> = values.iter().map(|value| (&**value).into()).collect();
    static_answer(op.name(), Call { facts: &Facts::new(), op, values: &values }.on_modes())
}

/// An operation on layouts into coordinates that goes by the parts of the coordinate, or takes one as its right
/// operand; `None` of all others.
///
/// # Errors
///
/// That of the operation.
pub(crate) fn on_coordinates(op: Op, values: &[Cow<'_, Value>]) -> Option<crate::Result<Value>> {
    if !values.iter().any(|value| matches!(**value, Value::Basis(_))) {
        return None;
    }
    let values: Vec<Value<Expr>> = values.iter().map(|value| (&**value).into()).collect();
    let answer = Call { facts: &Facts::new(), op, values: &values }.by_coordinates()?;
    Some(static_answer(op.name(), answer))
}

/// An answer to operands without symbols.
pub(super) fn static_answer(
    operation: &'static str,
    answer: Result<Value<Expr>>,
) -> crate::Result<Value> {
    let value = answer.and_then(|answer| {
        answer.to_static().ok_or_else(|| Error::operand(operation, "known operands", &answer))
    });
    value.map_err(|error| match error {
        Error::Algebra(error) => error,
        other => crate::Error::Operand {
            operation,
            expected: "known operands".to_owned(),
            found: other.to_string(),
        },
    })
}

/// An operation and its operands, of which there is at least one.
struct Call<'c> {
    facts: &'c Facts,
    op: Op,
    values: &'c [Value<Expr>],
}

type WithTiler = fn(&Facts, &SymbolicLayout, &SymbolicTiler) -> Result<SymbolicLayout>;
type WithLayout = fn(&Facts, &SymbolicLayout, &SymbolicLayout) -> Result<SymbolicLayout>;

impl Call<'_> {
    fn eval(&self) -> Result<Value<Expr>> {
        use Op::*;
        if matches!(self.op, LocalTile | Transpose | Reshape) {
            return self.made_of_others();
        }
        if let Some((place, basis)) = self.basis() {
            if let Some(answer) = self.by_coordinates() {
                return answer;
            }
            return match self.op.moves_modes(place, self.values.len()) {
                true => self.on_modes(),
                false => self.on_basis(place, basis),
            };
        }
        if let Some(value) = self.on_tuple() {
            return value;
        }
        match (self.op, &self.values[0]) {
            (Composition, Value::Swizzle(swizzle)) => {
                self.count(2, 2)?;
                match &self.values[1] {
                    Value::Composed(composed) => {
                        composed.behind(self.facts, *swizzle).map(Value::from)
                    }
                    _ => Ok(Value::Composed(ComposedLayout {
                        outer: Outer::Swizzle(*swizzle),
                        offset: Expr::from(0),
                        inner: self.layout(1)?,
                    })),
                }
            }
            // Behind a swizzle, what moves or composes coordinates happens inside.
            (
                Coalesce | Composition | LogicalDivide | ZippedDivide | TiledDivide | FlatDivide
                | LogicalProduct | ZippedProduct | TiledProduct | FlatProduct | BlockedProduct
                | RakedProduct | Flatten | Get | Select | Group | Append | Prepend | Replace | Take
                | Zip | Unzip | Distribute | TileToShape,
                Value::Composed(composed),
            ) => Ok(match self.on(0, &composed.inner)? {
                Value::Layout(inner) => composed.with_inner(inner).simplified().into(),
                other => other,
            }),
            // What is compact needs nothing around it.
            (MakeLayoutLike, Value::Composed(composed)) => self.on(0, &composed.inner),
            (_, Value::Composed(composed)) => self.on_composed(composed),
            (Dice, _) if let [_, Value::Composed(composed)] = self.values => {
                let diced = dice(&self.coord(0)?, &composed.inner)?;
                Ok(composed.with_inner(diced).simplified().into())
            }
            (Crd2Idx | Slice | SliceAndOffset, _) if self.values.len() == 2 => {
                match &self.values[1] {
                    Value::Composed(composed) => self.at_coordinate(composed),
                    Value::Swizzle(swizzle) if self.op == Crd2Idx => {
                        let Value::Int(offset) = &self.values[0] else {
                            return Err(Error::operand("crd2idx", "an offset", &self.values[0]));
                        };
                        Ok(Value::Int(swizzled(self.facts, *swizzle, offset)?))
                    }
                    _ => self.on_layouts(),
                }
            }
            _ if self.values.iter().any(|value| matches!(value, Value::Linear(_))) => {
                Err(self.unknown())
            }
            _ => self.on_layouts(),
        }
    }

    /// The same operation with a layout in place of an operand.
    fn on(&self, place: usize, layout: &SymbolicLayout) -> Result<Value<Expr>> {
        let mut values = self.values.to_vec();
        values[place] = Value::Layout(layout.clone());
        Call { values: &values, ..*self }.eval()
    }

    /// The layout into coordinates among the operands, and its place.
    fn basis(&self) -> Option<(usize, &SymbolicBasis)> {
        self.values.iter().enumerate().find_map(|(place, value)| match value {
            Value::Basis(basis) => Some((place, basis)),
            _ => None,
        })
    }

    /// The operations on layouts into coordinates.
    fn on_basis(&self, place: usize, basis: &SymbolicBasis) -> Result<Value<Expr>> {
        use Op::*;
        let facts = self.facts;
        // `slice` and `crd2idx` have the coordinate first.
        if place != usize::from(matches!(self.op, Slice | SliceAndOffset | Crd2Idx)) {
            let expected = format!("a layout into coordinates before operand {}", place + 1);
            return Err(Error::operand(self.op.name(), expected, basis));
        }
        match self.op {
            Coalesce | Size | Rank | Depth | Shape | Stride | Coshape => self.count(1, 1)?,
            Composition | LogicalDivide | ZippedDivide | Crd2Idx | Slice | SliceAndOffset => {
                self.count(2, 2)?;
            }
            _ => {}
        }
        Ok(match self.op {
            Coalesce => Value::Basis(modes::coalesce(basis)?),
            Composition | LogicalDivide | ZippedDivide => {
                let tiler = tiler(facts, &self.values[1])?;
                Value::Basis(match self.op {
                    Composition => composition_tiler(facts, basis, &tiler)?,
                    LogicalDivide => divide::logical_divide(facts, basis, &tiler)?,
                    _ => divide::zipped_divide(facts, basis, &tiler)?,
                })
            }
            Size | Rank | Depth | Shape => {
                let shape = basis.shape().clone();
                self.on(0, &SymbolicLayout::known(shape.clone(), shape))?
            }
            Stride => Value::Steps(basis.stride().clone()),
            Coshape => basis.coshape(facts)?.into(),
            Crd2Idx => basis.crd2crd(facts, &as_tuple(&self.values[0], "crd2idx")?)?.into(),
            Slice | SliceAndOffset => {
                let (kept, fixed) = slice(facts, &self.coord(0)?, basis)?;
                let kept = Value::Basis(kept);
                match self.op {
                    Slice => kept,
                    _ => Value::List(vec![kept, fixed.into()]),
                }
            }
            _ => {
                let expected = "a layout of integer strides";
                return Err(Error::operand(self.op.name(), expected, basis));
            }
        })
    }

    /// The operations on composed layouts that look at what stands outside.
    fn on_composed(&self, composed: &ComposedLayout<Expr>) -> Result<Value<Expr>> {
        use Op::*;
        let facts = self.facts;
        match self.op {
            Size | Rank | Depth | Shape => return self.on(0, &composed.inner),
            Upcast | Downcast => self.count(2, 2)?,
            Recast | RecastLayout | BankConflicts => self.count(3, 3)?,
            RightInverse | LeftInverse | ToLinear => self.count(1, 1)?,
            Cosize => self.count(1, usize::MAX)?,
            _ => return self.on_layouts(),
        }
        match self.op {
            Upcast => composed.upcast(facts, self.integer(1)?).map(Value::from),
            Downcast => composed.downcast(facts, self.integer(1)?).map(Value::from),
            Recast => composed.recast(facts, self.integer(1)?, self.integer(2)?).map(Value::from),
            RecastLayout => {
                composed.recast(facts, self.integer(2)?, self.integer(1)?).map(Value::from)
            }
            BankConflicts => self.conflicts(composed),
            // Where nothing is swizzled.
            RightInverse | LeftInverse => {
                if let Outer::Swizzle(swizzle) = &composed.outer {
                    swizzle.require_bijective(self.op.name())?;
                }
                match composed.fold(facts)? {
                    Some((plain, offset)) if offset.is(0) => self.on(0, &plain),
                    _ => Err(self.unknown()),
                }
            }
            Cosize => {
                let mode = crate::get(&composed.inner, &self.integers(1)?)?;
                match composed.with_inner(mode).fold(facts)? {
                    Some((plain, offset)) => self.beyond_greatest(&plain, &offset),
                    None => Err(self.unknown()),
                }
            }
            _ => Err(self.unknown()),
        }
    }

    /// One more than the greatest offset, which modes that descend do not raise.
    fn beyond_greatest(&self, plain: &SymbolicLayout, offset: &Expr) -> Result<Value<Expr>> {
        let zero = Expr::from(0);
        let rises = |stride: &Expr| !self.facts.at_least(&zero, stride).is_yes();
        let modes = plain.flat().into_iter().filter(|(_, stride)| rises(stride));
        let (shape, stride): (Vec<_>, Vec<_>) =
            modes.map(|(n, d)| (SymbolicTuple::Leaf(n), SymbolicTuple::Leaf(d))).unzip();
        let end = match shape.is_empty() {
            true => Expr::from(1),
            false => SymbolicLayout::known(SymbolicTuple::Node(shape), SymbolicTuple::Node(stride))
                .cosize(self.facts)?,
        };
        let end = end.plus(offset)?;
        // Offsets that are all below 0 are counted as one at 0.
        match self.facts.at_least(&end, &Expr::from(1)).is_yes() {
            true => Ok(Value::Int(end)),
            false => Err(self.unknown()),
        }
    }

    /// What a coordinate, which comes first, makes of a composed layout.
    fn at_coordinate(&self, composed: &ComposedLayout<Expr>) -> Result<Value<Expr>> {
        let facts = self.facts;
        if self.op == Op::Crd2Idx {
            let coord = as_tuple(&self.values[0], "crd2idx")?;
            return composed.crd2idx(facts, &coord).map(Value::Int);
        }
        let (kept, offset) = composed.slice(facts, &self.coord(0)?)?;
        Ok(match self.op {
            Op::Slice => kept.into(),
            _ => Value::List(vec![kept.into(), Value::Int(offset)]),
        })
    }

    /// The operations on plain layouts, shapes and what has no symbols.
    fn on_layouts(&self) -> Result<Value<Expr>> {
        use Op::*;
        let facts = self.facts;
        let layout = match self.op {
            Coalesce => {
                self.count(1, 2)?;
                match self.values.get(1) {
                    None => modes::coalesce(&self.layout(0)?)?,
                    Some(profile) => {
                        modes::coalesce_by(&self.layout(0)?, &as_tuple(profile, "coalesce")?)?
                    }
                }
            }
            Composition => self.with_tiler(composition_tiler)?,
            Complement => {
                self.count(1, 2)?;
                let layout = self.layout(0)?;
                let codomain = match self.values.get(1) {
                    None => SymbolicTuple::Leaf(modes::filter(facts, &layout)?.cosize(facts)?),
                    Some(_) => self.shape_of(1)?,
                };
                complement(facts, &layout, &codomain)?
            }
            LogicalDivide => self.with_tiler(divide::logical_divide)?,
            ZippedDivide => self.with_tiler(divide::zipped_divide)?,
            TiledDivide => self.with_tiler(divide::tiled_divide)?,
            FlatDivide => self.with_tiler(divide::flat_divide)?,
            LogicalProduct => self.with_tiler(product::logical_product)?,
            ZippedProduct => self.with_tiler(product::zipped_product)?,
            TiledProduct => self.with_tiler(product::tiled_product)?,
            FlatProduct => self.with_tiler(product::flat_product)?,
            BlockedProduct => self.with_layout(product::blocked_product)?,
            RakedProduct => self.with_layout(product::raked_product)?,
            RightInverse => inverse::right_inverse(facts, &self.only_layout()?)?,
            LeftInverse => inverse::left_inverse(facts, &self.only_layout()?)?,
            Nullspace => inverse::nullspace(facts, &self.only_layout()?)?,
            Flatten => modes::flatten(&self.only_layout()?)?,
            MakeLayout if matches!(self.values[0], Value::Tuple(_)) => {
                self.count(1, 2)?;
                let shape = self.shape_of(0)?;
                match self.values.get(1) {
                    None => SymbolicLayout::compact(facts, shape)?,
                    Some(stride) => {
                        let stride = as_tuple(stride, self.op.name())?;
                        SymbolicLayout::under(facts, shape, stride)?
                    }
                }
            }
            MakeLayout => {
                let layouts: Vec<_> =
                    (0..self.values.len()).map(|i| self.layout(i)).collect::<Result<_>>()?;
                crate::make_layout(&layouts)?
            }
            Get => {
                self.count(2, usize::MAX)?;
                crate::get(&self.layout(0)?, &self.integers(1)?)?
            }
            Select => {
                self.count(2, usize::MAX)?;
                crate::select(&self.layout(0)?, &self.integers(1)?)?
            }
            Group => {
                self.count(3, 3)?;
                crate::group(&self.layout(0)?, self.integer(1)?, self.integer(2)?)?
            }
            Append => self.with_layout(|_, layout, mode| crate::append(layout, mode))?,
            Prepend => self.with_layout(|_, layout, mode| crate::prepend(layout, mode))?,
            Replace => {
                self.count(3, 3)?;
                crate::replace(&self.layout(0)?, self.integer(1)?, &self.layout(2)?)?
            }
            Take => {
                self.count(3, 3)?;
                crate::take(&self.layout(0)?, self.integer(1)?, self.integer(2)?)?
            }
            Zip => self.with_layout(|_, a, b| crate::zip(a, b))?,
            Unzip => self.with_tiler(|_, layout, tiler| crate::unzip(layout, tiler))?,
            Filter => {
                self.count(1, 2)?;
                let layout = self.layout(0)?;
                match self.values.get(1) {
                    None => modes::filter(facts, &layout)?,
                    Some(profile) => {
                        modes::filter_by(facts, &layout, &as_tuple(profile, "filter")?)?
                    }
                }
            }
            Sort => order::sort(facts, &self.only_layout()?)?,
            MakeLayoutLike => order::make_layout_like(facts, &self.only_layout()?)?,
            MaxCommonLayout => self.with_layout(copy::max_common_layout)?,
            DomainDistribute => {
                self.count(2, 2)?;
                let threads = match &self.values[1] {
                    Value::Int(threads) => threads,
                    other => return Err(Error::operand(self.op.name(), "an integer", other)),
                };
                super::domain_distribute(facts, &self.shape_of(0)?, threads)?
            }
            Distribute => {
                self.count(3, 3)?;
                let tile = as_tuple(&self.values[1], "distribute")?;
                super::distribute(facts, &self.layout(0)?, &tile, &self.layout(2)?)?
            }
            FilterZeros => modes::filter_zeros(facts, &self.only_layout()?)?,
            MakeOrderedLayout => {
                self.count(2, 2)?;
                order::make_ordered_layout(facts, &self.shape_of(0)?, &self.static_tuple(1)?)?
            }
            Slice => {
                self.count(2, 2)?;
                slice(facts, &self.coord(0)?, &self.layout(1)?)?.0
            }
            Dice => {
                self.count(2, 2)?;
                dice(&self.coord(0)?, &self.layout(1)?)?
            }
            TileToShape => {
                self.count(2, 3)?;
                let order = (self.values.len() == 3).then(|| self.static_tuple(2)).transpose()?;
                let shape = as_tuple(&self.values[1], "tile_to_shape")?;
                product::tile_to_shape(facts, &self.layout(0)?, &shape, order.as_ref())?
            }
            Upcast => {
                self.count(2, 2)?;
                recast::upcast(facts, &self.layout(0)?, self.integer(1)?)?
            }
            Downcast => {
                self.count(2, 2)?;
                recast::downcast(facts, &self.layout(0)?, self.integer(1)?)?
            }
            Recast => {
                self.count(3, 3)?;
                let (old, new) = (self.integer(1)?, self.integer(2)?);
                recast::recast(facts, &self.layout(0)?, old, new)?
            }
            RecastLayout => {
                self.count(3, 3)?;
                let (new, old) = (self.integer(1)?, self.integer(2)?);
                recast::recast(facts, &self.layout(0)?, old, new)?
            }
            _ => return self.query(),
        };
        Ok(Value::Layout(layout))
    }

    /// The operations whose value is no layout.
    fn query(&self) -> Result<Value<Expr>> {
        use Op::*;
        let facts = self.facts;
        let int = |n: usize| Value::Int(Expr::from(i64::try_from(n).unwrap_or(i64::MAX)));
        Ok(match self.op {
            Size => Value::Int(self.mode_shape()?.product()?),
            Cosize => {
                self.count(1, usize::MAX)?;
                let mode = crate::get(&self.layout(0)?, &self.integers(1)?)?;
                Value::Int(mode.cosize(facts)?)
            }
            Coshape => Value::Int(self.only_layout()?.cosize(facts)?),
            MaxCommonVector => {
                self.count(2, 2)?;
                let (a, b) = (self.layout(0)?, self.layout(1)?);
                Value::Int(copy::max_common_vector(facts, &a, &b)?)
            }
            Rank => int(self.mode_shape()?.rank()),
            Depth => int(self.mode_shape()?.depth()),
            Shape => {
                self.count(1, usize::MAX)?;
                let mode = crate::get(&self.layout(0)?, &self.integers(1)?)?;
                Value::from(mode.shape().clone())
            }
            Stride => {
                self.count(1, usize::MAX)?;
                let mode = crate::get(&self.layout(0)?, &self.integers(1)?)?;
                Value::from(mode.stride().clone())
            }
            CompactColMajor | CompactRowMajor => {
                self.count(1, 2)?;
                let start = self.values.get(1).map(|start| as_tuple(start, self.op.name()));
                if let Some(start) = start.transpose()? {
                    return Ok(self.compact_from(&self.shape_of(0)?, &start)?.into());
                }
                let shape = self.shape_of(0)?;
                Value::from(match self.op {
                    CompactRowMajor => compact_row_major(&shape)?,
                    _ => compact_col_major(&shape)?,
                })
            }
            Crd2Idx => {
                self.count(2, 2)?;
                let coord = as_tuple(&self.values[0], "crd2idx")?;
                Value::Int(match &self.values[1] {
                    Value::Layout(layout) => layout.crd2idx(facts, &coord)?,
                    // CuTe's form for a shape alone: the compact column-major layout is meant.
                    shape => SymbolicLayout::compact(facts, as_tuple(shape, "crd2idx")?)?
                        .crd2idx(facts, &coord)?,
                })
            }
            Idx2Crd => {
                self.count(2, 3)?;
                let coord = as_tuple(&self.values[0], "idx2crd")?;
                if let Some(stride) = self.values.get(2) {
                    let stride = as_tuple(stride, "idx2crd")?;
                    return Ok(self.idx2crd_by(&coord, &self.shape_of(1)?, &stride)?.into());
                }
                Value::from(crd2crd(facts, &coord, &self.shape_of(1)?)?)
            }
            SliceAndOffset => {
                self.count(2, 2)?;
                let (kept, offset) = slice(facts, &self.coord(0)?, &self.layout(1)?)?;
                Value::List(vec![Value::Layout(kept), Value::Int(offset)])
            }
            MakeIdentityLayout => {
                self.count(1, 1)?;
                match self.shape_of(0)? {
                    SymbolicTuple::Leaf(extent) => Value::Layout(SymbolicLayout::under(
                        facts,
                        SymbolicTuple::Leaf(extent),
                        SymbolicTuple::Leaf(Expr::from(1)),
                    )?),
                    shape if shape.leaf_count() == 0 => {
                        Value::Layout(SymbolicLayout::known(shape.clone(), shape))
                    }
                    shape => Value::Basis(make_identity_layout(facts, &shape)?),
                }
            }
            ProductEach => {
                self.count(1, 1)?;
                match self.shape_of(0)? {
                    SymbolicTuple::Leaf(extent) => Value::Int(extent),
                    SymbolicTuple::Node(modes) => {
                        let sizes = modes.iter().map(|mode| mode.product().map(Nested::Leaf));
                        SymbolicTuple::Node(sizes.collect::<Result<_>>()?).into()
                    }
                }
            }
            ShapeDiv => self.quotient(shape::shape_div)?,
            CeilDiv => self.ceil_div()?,
            RoundUp => self.quotient(shape::round_up)?,
            Congruent => self.relation(|_, a, b| Ok(shape::congruent(a, b)))?,
            WeaklyCongruent => self.relation(|_, a, b| Ok(shape::weakly_congruent(a, b)))?,
            Compatible => self.relation(shape::compatible)?,
            EvenlyDivides => match self.values.get(1) {
                Some(Value::Int(_) | Value::Tuple(_)) | None => {
                    self.relation(shape::evenly_divides)?
                }
                Some(tiles) => {
                    self.count(2, 2)?;
                    let tiler = tiler(self.facts, tiles)?;
                    truth(self.fills_evenly(&self.shape_of(0)?, &tiler)?)
                }
            },
            IsInjective => truth(query::is_injective(facts, &self.only_layout()?)?),
            IsSurjective => truth(query::is_surjective(facts, &self.only_layout()?)?),
            IsBijective => truth(query::is_bijective(facts, &self.only_layout()?)?),
            InBoundsOfDivide => self.in_bounds(predicate::in_bounds_of_divide)?,
            InBoundsOfComposition => self.in_bounds(predicate::in_bounds_of_composition)?,
            BankConflicts => {
                self.count(3, 3)?;
                let outer = Outer::Swizzle(Swizzle::identity());
                let (offset, inner) = (Expr::from(0), self.layout(0)?);
                self.conflicts(&ComposedLayout { outer, offset, inner })?
            }
            // These go by bits and search by values.
            _ => return Err(self.unknown()),
        })
    }

    fn conflicts(&self, layout: &ComposedLayout<Expr>) -> Result<Value<Expr>> {
        let conflicts = banks::conflicts(self.facts, layout, &self.layout(1)?, self.integer(2)?)?;
        let extra = i64::try_from(conflicts.extra()).unwrap_or(i64::MAX);
        Ok(Value::Int(Expr::from(extra)))
    }

    fn quotient(
        &self,
        f: impl Fn(&Facts, &SymbolicTuple, &SymbolicTuple) -> Result<SymbolicTuple>,
    ) -> Result<Value<Expr>> {
        self.count(2, 2)?;
        f(self.facts, &self.shape_of(0)?, &self.shape_of(1)?).map(Value::from)
    }

    /// A quotient of shapes; by a tiler of layouts the shape of the tiles, as a divide has them.
    fn ceil_div(&self) -> Result<Value<Expr>> {
        self.count(2, 2)?;
        if !matches!(self.values[1], Value::Layout(_) | Value::Tiler(_)) {
            return self.quotient(shape::ceil_div);
        }
        let layout = SymbolicLayout::compact(self.facts, self.shape_of(0)?)?;
        let tiler = tiler(self.facts, &self.values[1])?;
        let divided = divide::zipped_divide(self.facts, &layout, &tiler)?;
        Ok(crate::get(&divided, &[1])?.shape().clone().into())
    }

    fn relation(
        &self,
        f: impl Fn(&Facts, &SymbolicTuple, &SymbolicTuple) -> Result<bool>,
    ) -> Result<Value<Expr>> {
        self.count(2, 2)?;
        f(self.facts, &self.shape_of(0)?, &self.shape_of(1)?).map(truth)
    }

    /// The comparisons `layout < bound` that all hold inside, each as `[layout, bound]`.
    fn in_bounds(
        &self,
        f: impl Fn(&Facts, &SymbolicLayout, &SymbolicTiler) -> Result<Vec<SymbolicComparison>>,
    ) -> Result<Value<Expr>> {
        self.count(2, 2)?;
        let comparisons = f(self.facts, &self.layout(0)?, &tiler(self.facts, &self.values[1])?)?;
        let pair = |SymbolicComparison { layout, bound }| {
            Value::List(vec![Value::Layout(layout), Value::Int(bound)])
        };
        Ok(Value::List(comparisons.into_iter().map(pair).collect()))
    }

    /// The operands, where the facts leave one value of each.
    fn known(&self) -> Result<Vec<Value>> {
        let values = self.values.iter().map(|value| {
            let known = value.map(&mut |expr| self.one(expr).map(Expr::from))?;
            known.to_static().ok_or_else(|| self.unknown())
        });
        values.collect()
    }

    /// The error for an operation on values that are not known: the first of them.
    fn unknown(&self) -> Error {
        let mut symbolic = Vec::new();
        for value in self.values {
            // What is looked at stays as it is.
            let _ = value.map(&mut |expr| {
                symbolic.extend(expr.as_constant().is_none().then(|| expr.clone()));
                Ok(expr.clone())
            });
        }
        let open = symbolic.iter().find(|expr| self.facts.known(expr).is_none());
        let first = open.or(symbolic.first()).map(|expr| self.facts.need_known(expr));
        match first {
            Some(need) => self.open(need),
            None => Error::operand(self.op.name(), "operands with symbols", "none"),
        }
    }

    fn open(&self, need: Need) -> Error {
        let operands =
            || self.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let site = Site { operation: self.op.name(), operands: &operands };
        site.unmet(vec![Answer::Unknown(need)])
    }
}

fn truth(value: bool) -> Value<Expr> {
    Value::Bool(value)
}
