//! Operations on coordinate layouts.

use super::{Args, Evaluated};
use crate::term::prelude::*;
use crate::{
    integer::Integer,
    layout::{
        basis::lifted,
        modal::{TrailingModes, by_mode, gathered, unpack_all, unpack_rests},
        parts::Times,
        product::tiles_of,
        stride::Stride,
    },
    swizzle::ComposedCoordinates,
};

/// A composed coordinate layout with another composed layout inside.
fn coordinates_of_composed(call: &Args<'_>) -> Result<Value> {
    let Some(Value::ComposedBasis(left)) = call.value(0) else {
        return Err(call.kind(0, "a composed coordinate layout"));
    };
    let inner = left.inner.composition(&call.any_layout(1)?)?;
    Ok(ComposedCoordinates { inner, ..(**left).clone() }.into())
}

/// The layout into the coordinates that its strides name, as it is read from its text.
fn as_read<L: TermLeaf>(layout: BasisLayout<L>) -> Evaluated<L> {
    Ok(Value::Basis(layout.settled()?.unwrap_or(layout)))
}

/// A question about all coordinates that a composed coordinate layout reaches.
fn reached_by_composed(call: &Args<'_>) -> Result<Value> {
    let Some(Value::ComposedBasis(layout)) = call.value(0) else {
        return Err(call.kind(0, "a composed coordinate layout"));
    };
    Ok(match call.op {
        Op::RightInverse => layout.right_inverse()?.into(),
        Op::LeftInverse => layout.left_inverse()?.into(),
        Op::IsInjective => Value::Bool(layout.is_injective()?),
        Op::IsSurjective => Value::Bool(layout.is_surjective()?),
        _ => Value::Bool(layout.is_surjective()? && layout.is_injective()?),
    })
}

impl<L: TermLeaf> Args<'_, L> {
    /// A call with a coordinate layout among the operands.
    pub(super) fn on_coordinates(&self, place: usize, basis: &BasisLayout<L>) -> Evaluated<L> {
        if let Some(answer) = self.by_coordinates() {
            return answer;
        }
        match self.op.moves_modes(place, self.values.len()) {
            // Modes are taken apart alike, whatever their strides are.
            true => self.on_modes(),
            false => self.on_basis(basis),
        }
    }

    /// The operations that go by the parts of a coordinate, or take a coordinate layout as their
    /// right operand.
    fn by_coordinates(&self) -> Option<Evaluated<L>> {
        use Op::*;
        match (self.op, self.value(0)?, self.value(1)) {
            (
                Composition | LogicalDivide | ZippedDivide | TiledDivide | FlatDivide,
                left,
                Some(Value::Basis(right)),
            ) => Some(self.after_coordinates(left, &TilerOf::Layout(right.clone()))),
            (
                LogicalProduct | ZippedProduct | TiledProduct | FlatProduct,
                left,
                Some(Value::Basis(_)),
            ) if !matches!(left, Value::Basis(_)) => Some(self.repeated_at_coordinates(left)),
            (MaxCommonVector | MaxCommonLayout, ..) => Some(self.one_in_common()),
            (_, Value::Basis(basis), _) => self.of_coordinates(basis).transpose(),
            _ => None,
        }
    }

    /// The elements that a coordinate layout has in common with another: the first, as its coordinates are no offsets.
    fn one_in_common(&self) -> Evaluated<L> {
        for place in 0..2 {
            if !matches!(self.value(place), Some(Value::Basis(_) | Value::ComposedBasis(_))) {
                self.any_layout(place)?;
            }
        }
        Ok(match self.op {
            Op::MaxCommonVector => Value::Int(L::from(1)),
            _ => Value::Layout(Layout::one()),
        })
    }

    /// A call of a tuple of tilers of which some are coordinate layouts: that of each with its mode.
    pub(super) fn on_coordinate_tiler(
        &self,
        tiler: &TilerOf<BasisLayout<L>>,
    ) -> Option<Evaluated<L>> {
        use Op::*;
        Some(match (self.op, self.value(0)?) {
            (Composition | LogicalDivide | ZippedDivide | TiledDivide | FlatDivide, left) => {
                self.after_coordinates(left, tiler)
            }
            (LogicalProduct | ZippedProduct | TiledProduct | FlatProduct, left) => match left {
                Value::Basis(basis) => self.product_of_coordinates(basis),
                left => self.repeated_at_coordinates(left),
            },
            (Unzip, Value::Basis(basis)) => basis.clone().unsettled().unzip(tiler).map(Value::from),
            (Unzip, _) => self.on_layout(|layout| layout.unzip(tiler)),
            _ => return None,
        })
    }

    /// A composition or divide whose right operand has coordinate layouts.
    fn after_coordinates(&self, left: &Value<L>, right: &TilerOf<BasisLayout<L>>) -> Evaluated<L> {
        Ok(match left {
            Value::Basis(left) => Value::Basis(self.after(left, right)?),
            Value::Composed(left) => {
                left.with_inner(self.after(&left.inner, right)?).simplified().into()
            }
            _ => Value::Layout(self.after(&*self.layout(0)?, right)?),
        })
    }

    fn after<S: Stride<L>>(
        &self,
        left: &Layout<L, S>,
        right: &TilerOf<BasisLayout<L>>,
    ) -> Result<Layout<L, S>, L::Error> {
        let facts = self.facts;
        if self.op == Op::Composition {
            return by_mode(
                self.op.name(),
                TrailingModes::Dropped,
                left,
                right,
                &mut |mode, tile| match tile.settled()? {
                    Ok(tile) => tile.composed_after(facts, mode),
                    Err(plain) => mode.composition_under(facts, &plain),
                },
            );
        }
        let divided = by_mode(
            "logical_divide",
            TrailingModes::Kept,
            left,
            right,
            &mut |mode, tile| match tile.settled()? {
                Ok(tile) => {
                    let rest = tile.complement_under(facts, mode.shape())?;
                    tile.joined_with(&rest)?.composed_after(facts, mode)
                }
                Err(plain) => mode.logical_divide_under(facts, &TilerOf::Layout(plain)),
            },
        )?;
        self.arranged(divided, right)
    }

    /// The modes of a divide or a product by mode, in the order that the name of the call says.
    fn arranged<S: Stride<L>, T>(
        &self,
        by_mode: Layout<L, S>,
        tiler: &TilerOf<T>,
    ) -> Result<Layout<L, S>, L::Error> {
        match self.op {
            Op::LogicalDivide | Op::LogicalProduct => Ok(by_mode),
            Op::ZippedDivide | Op::ZippedProduct => gathered(by_mode, tiler),
            Op::TiledDivide | Op::TiledProduct => unpack_rests(&gathered(by_mode, tiler)?),
            _ => unpack_all(&gathered(by_mode, tiler)?),
        }
    }

    /// An operation that takes coordinate layouts apart, or puts them together, whatever the
    /// strides are.
    fn on_modes(&self) -> Evaluated<L> {
        use Op::*;
        if let (MakeLayout, Some(Value::Tuple(shape))) = (self.op, self.value(0)) {
            return self.layout_of_parts(shape);
        }
        let basis = |i: usize| match self.value(i) {
            Some(Value::Basis(basis)) => Ok(basis.clone().unsettled()),
            _ => self.layout(i).map(|layout| lifted(&layout)),
        };
        let moved = match self.op {
            MakeLayout => {
                let layouts = (0..self.values.len()).map(basis);
                Layout::make_layout(&layouts.collect::<Result<Vec<_>, _>>()?)?
            }
            Append => basis(0)?.append(&basis(1)?)?,
            Prepend => basis(0)?.prepend(&basis(1)?)?,
            Zip => basis(0)?.zip(&basis(1)?)?,
            Replace => basis(0)?.replace(self.int(1)?, &basis(2)?)?,
            Get => basis(0)?.get(&self.integers(1)?)?,
            Select => basis(0)?.select(&self.integers(1)?)?,
            Take => basis(0)?.take(self.int(1)?, self.int(2)?)?,
            Group => basis(0)?.group(self.int(1)?, self.int(2)?)?,
            Flatten => basis(0)?.flatten()?,
            Unzip => basis(0)?.unzip(&*self.tiler(1)?)?,
            TiledDivide => basis(0)?.tiled_divide_under(self.facts, &*self.tiler(1)?)?,
            FlatDivide => basis(0)?.flat_divide_under(self.facts, &*self.tiler(1)?)?,
            Coalesce => basis(0)?.coalesce_by(&self.profile(1)?)?,
            _ => basis(1)?.dice(&self.coord(0)?)?,
        };
        Ok(match moved.settled()? {
            Ok(basis) => Value::Basis(basis),
            Err(plain) => Value::Layout(plain),
        })
    }

    /// The other operations on coordinate layouts.
    fn on_basis(&self, found: &BasisLayout<L>) -> Evaluated<L> {
        use Op::*;
        // `slice` and `crd2idx` have the coordinate first.
        let place = usize::from(matches!(self.op, Slice | SliceAndOffset | Crd2Idx));
        let Some(Value::Basis(layout)) = self.value(place) else {
            return Err(self.kind(place, "a coordinate layout").into());
        };
        let facts = self.facts;
        Ok(match self.op {
            Coalesce => Value::Basis(layout.coalesce()?),
            Composition => {
                let after = |tiler: &_| layout.composition_tiler_under(facts, tiler);
                let right = match self.value(1) {
                    Some(Value::Composed(right)) => right.clone(),
                    Some(Value::Swizzle(right)) => {
                        right.before(L::from(0), Layout::compact(facts, layout.shape().clone())?)
                    }
                    _ => return after(&*self.tiler(1)?).map(Value::Basis),
                };
                match right.plain(facts).and_then(|plain| after(&TilerOf::Layout(plain))) {
                    Ok(answer) => Value::Basis(answer),
                    // No coordinate layout is known to have these values.
                    Err(_) => {
                        let (outer, inner) = (layout.clone(), right.into());
                        ComposedCoordinates { outer, offset: L::from(0), inner }.into()
                    }
                }
            }
            LogicalDivide => Value::Basis(layout.logical_divide_under(facts, &*self.tiler(1)?)?),
            ZippedDivide => Value::Basis(layout.zipped_divide_under(facts, &*self.tiler(1)?)?),
            Distribute => {
                let (tile, tv) = (self.tuple(1)?, self.layout(2)?);
                Value::Basis(layout.distribute_under(facts, &tile, &tv)?)
            }
            Crd2Idx => layout.crd2idx_under(facts, &*self.tuple(0)?)?.into(),
            Slice => Value::Basis(layout.slice_under(facts, &self.coord(0)?)?.0),
            SliceAndOffset => {
                let (kept, fixed) = layout.slice_under(facts, &self.coord(0)?)?;
                Value::List(vec![Value::Basis(kept), fixed.into()])
            }
            // A view of elements as wide as they are.
            Upcast | Downcast if Integer::is(&self.int(1)?, 1) => Value::Basis(layout.clone()),
            Recast | RecastLayout if self.int(1)? == self.int(2)? => Value::Basis(layout.clone()),
            _ => {
                let error = Error::operand(self.op.name(), "a layout of integer strides", found);
                return Err(error.about(place).into());
            }
        })
    }

    /// A call of what takes a coordinate of a composed coordinate layout, or composes one with another layout;
    /// `None` for any other.
    pub(super) fn on_composed_coordinates(&self) -> Option<Evaluated<L>> {
        use Op::*;
        if let (Composition, Value::ComposedBasis(_), Some(Value::Composed(_))) =
            (self.op, self.value(0)?, self.value(1))
        {
            return Some(L::by_values(self, coordinates_of_composed));
        }
        if let Value::ComposedBasis(layout) = self.value(0)? {
            match self.op {
                RightInverse | LeftInverse | IsInjective | IsSurjective | IsBijective => {
                    return Some(L::by_values(self, reached_by_composed));
                }
                MaxCommonVector | MaxCommonLayout => return Some(self.one_in_common()),
                // The complement of `A o offset o B` is that of `B`.
                Complement => {
                    let inner = Value::from(layout.inner.clone());
                    let mut values = vec![&inner];
                    values.extend(self.value(1));
                    return Some(self.call(self.op, &values));
                }
                Nullspace => return Some(self.nullspace_of_composed(layout)),
                _ => {}
            }
        }
        let Value::ComposedBasis(layout) = self.value(1)? else { return None };
        let kept = || layout.slice_under(self.facts, &self.coord(0)?).map(Value::from);
        let fixed = || Value::from(layout.outer.zero().map(&mut |_| L::from(0)));
        Some(match self.op {
            Crd2Idx => self
                .tuple(0)
                .map_err(Into::into)
                .and_then(|coord| layout.crd2crd_under(self.facts, &coord).map(Value::from)),
            Slice => kept(),
            // The offset is inside.
            SliceAndOffset => kept().map(|kept| Value::List(vec![kept, fixed()])),
            Dice => self
                .coord(0)
                .map_err(Into::into)
                .and_then(|coord| layout.try_map(|inner| inner.dice(&coord)).map(Value::from)),
            _ => return None,
        })
    }

    /// The coordinates that a composed coordinate layout maps to 0: its inner layout's, if that of index 0 is.
    fn nullspace_of_composed(&self, layout: &ComposedCoordinates<L>) -> Evaluated<L> {
        let start = layout.crd2crd_under(self.facts, &Nested::Leaf(L::from(0)))?;
        let operands = || layout.to_string();
        let site = Site { operation: "nullspace", operands: &operands };
        for number in start.values() {
            L::require(&site, L::equal(self.facts, number, &L::from(0)), || {
                Error::condition("nullspace", layout, "coordinate 0 at index 0", &start)
            })?;
        }
        self.call(self.op, &[&Value::from(layout.inner.clone())])
    }

    /// The operations on a coordinate layout that go by the parts of these, or `None` for others.
    fn of_coordinates(&self, basis: &BasisLayout<L>) -> Result<Option<Value<L>>, L::Error> {
        use Op::*;
        let facts = self.facts;
        Ok(Some(match self.op {
            RightInverse => Value::Layout(basis.right_inverse_under(facts)?),
            LeftInverse => Value::Layout(basis.left_inverse_under(facts)?),
            Nullspace => Value::Layout(basis.nullspace_under(facts)?),
            IsInjective => Value::Bool(basis.is_injective_under(facts)?),
            IsSurjective => Value::Bool(basis.is_surjective_under(facts)?),
            IsBijective => {
                Value::Bool(basis.is_surjective_under(facts)? && basis.is_injective_under(facts)?)
            }
            FilterZeros => Value::Basis(basis.filter_zeros_under(facts)?),
            Filter => {
                let filtered = basis.filter_zeros_under(facts)?;
                Value::Basis(match self.values.len() {
                    1 => filtered.coalesce()?,
                    _ => filtered.coalesce_by(&self.profile(1)?)?,
                })
            }
            Complement => Value::Basis(match self.value(1) {
                None => basis.complement_in_coshape_under(facts)?,
                Some(shape) => basis.complement_under(facts, &*self.shape_of(shape)?)?,
            }),
            LogicalProduct | ZippedProduct | TiledProduct | FlatProduct | BlockedProduct
            | RakedProduct => self.product_of_coordinates(basis)?,
            TileToShape => {
                let order = self.order_of_modes()?;
                let one = Layout::one_within(basis.shared());
                let (block, times) =
                    tiles_of(basis, facts, &*self.tuple(1)?, order.as_ref(), &one)?;
                let places = |block, times| [block, times];
                as_read(block.interleaved(facts, &Times::Plain(times), places)?)?
            }
            _ => return Ok(None),
        }))
    }

    /// A product of a plain or composed layout whose repetitions are coordinates: those of its complement's modes.
    fn repeated_at_coordinates(&self, left: &Value<L>) -> Evaluated<L> {
        let product = |block: &Layout<L>| match self.product_of_coordinates(&lifted(block))? {
            Value::Basis(product) => Ok(product.settled()?.err()),
            _ => Ok::<_, L::Error>(None),
        };
        let repeated = match left {
            Value::Composed(composed) => product(&composed.inner)?
                .map(|inner| composed.with_inner(inner).simplified().into()),
            _ => product(&*self.layout(0)?)?.map(Value::Layout),
        };
        repeated.ok_or_else(|| self.kind(0, "a coordinate layout").into())
    }

    /// A product of a coordinate layout.
    fn product_of_coordinates(&self, basis: &BasisLayout<L>) -> Evaluated<L> {
        let facts = self.facts;
        let plain = matches!(basis.zero(), Nested::Leaf(_));
        let coordinates = |times: &BasisLayout<L>| match plain || times.zero() == basis.zero() {
            true => Ok(Times::Coordinates(times.clone())),
            false => {
                let expected = format!("a coordinate layout that nests like {}", basis.zero());
                Err(L::Error::from(Error::operand(self.op.name(), expected, times)))
            }
        };
        let times = match self.value(1) {
            Some(Value::Basis(times)) => TilerOf::Layout(coordinates(times)?),
            Some(Value::CoordinateTiler(tiler)) => {
                tiler.try_map(&mut |times| match times.settled()? {
                    Ok(times) => coordinates(&times),
                    Err(plain) => Ok(Times::Plain(plain)),
                })?
            }
            _ => self
                .tiler(1)?
                .try_map(&mut |times: &Layout<L>| Ok::<_, Error>(Times::Plain(times.clone())))?,
        };
        let order = match self.op {
            Op::BlockedProduct => |block, times| [block, times],
            Op::RakedProduct => |block, times| [times, block],
            _ => {
                let by_mode = basis.logical_product_by_under(facts, &times)?;
                return as_read(self.arranged(by_mode, &times)?);
            }
        };
        let TilerOf::Layout(times) = times else {
            return Err(self.kind(1, "a layout").into());
        };
        as_read(basis.interleaved(facts, &times, order)?)
    }
}
