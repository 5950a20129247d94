//! The operations on layouts into coordinates that go by the parts of the coordinate.

use super::{
    super::{
        basis::SymbolicBasis,
        error::{Error, Result},
        expr::Expr,
        layout::SymbolicLayout,
        term::{as_tuple, tiler},
    },
    Call, truth,
};
use crate::{
    Layout, Op, Value,
    basis::lifted,
    divide::{flat_divide_under, tiled_divide_under},
    modal::{all_apart, gathered, rests_apart},
    parts::Times,
    stride::Stride,
    tiler::TilerOf,
};
use alloc::{format, vec::Vec};

impl Call<'_> {
    /// The operations that go by the parts of a coordinate, or take a layout into coordinates as their right operand.
    pub(super) fn by_coordinates(&self) -> Option<Result<Value<Expr>>> {
        use Op::*;
        match (self.op, self.values) {
            (
                Composition | LogicalDivide | ZippedDivide | TiledDivide | FlatDivide,
                [left, Value::Basis(right)],
            ) => Some(self.after_coordinates(left, right)),
            (_, [Value::Basis(basis), ..]) => self.of_coordinates(basis),
            _ => None,
        }
    }

    /// A composition or divide whose right operand is a layout into coordinates.
    fn after_coordinates(&self, left: &Value<Expr>, right: &SymbolicBasis) -> Result<Value<Expr>> {
        Ok(match left {
            Value::Basis(left) => Value::Basis(self.after(left, right)?),
            Value::Composed(left) => {
                left.with_inner(self.after(&left.inner, right)?).simplified().into()
            }
            _ => Value::Layout(self.after(&self.layout(0)?, right)?),
        })
    }

    fn after<S: Stride<Expr>>(
        &self,
        left: &Layout<Expr, S>,
        right: &SymbolicBasis,
    ) -> Result<Layout<Expr, S>> {
        if self.op == Op::Composition {
            return right.composed_after(self.facts, left);
        }
        let rest = right.complement(self.facts, left.shape())?;
        let divided = right.beside(&rest)?.composed_after(self.facts, left)?;
        match self.op {
            Op::TiledDivide => rests_apart(&divided),
            Op::FlatDivide => all_apart(&divided),
            _ => Ok(divided),
        }
    }

    /// An operation that takes layouts into coordinates apart, or puts them together, whatever the strides are.
    pub(super) fn on_modes(&self) -> Result<Value<Expr>> {
        use Op::*;
        if self.op == MakeLayout && matches!(self.values[0], Value::Tuple(_)) {
            return self.on_layouts();
        }
        let basis = |i: usize| match &self.values[i] {
            Value::Basis(basis) => Ok(basis.clone().unsettled()),
            _ => self.layout(i).map(|layout| lifted(&layout)),
        };
        let tiler = || self.count(2, 2).and_then(|()| tiler(self.facts, &self.values[1]));
        let moved = match self.op {
            MakeLayout => {
                let layouts = (0..self.values.len()).map(basis).collect::<Result<Vec<_>>>()?;
                crate::make_layout(&layouts)?
            }
            Append => self.count(2, 2).and_then(|()| crate::append(&basis(0)?, &basis(1)?))?,
            Prepend => self.count(2, 2).and_then(|()| crate::prepend(&basis(0)?, &basis(1)?))?,
            Zip => self.count(2, 2).and_then(|()| crate::zip(&basis(0)?, &basis(1)?))?,
            Replace => {
                self.count(3, 3)?;
                crate::replace(&basis(0)?, self.integer(1)?, &basis(2)?)?
            }
            Get => {
                self.count(2, usize::MAX)?;
                crate::get(&basis(0)?, &self.integers(1)?)?
            }
            Select => {
                self.count(2, usize::MAX)?;
                crate::select(&basis(0)?, &self.integers(1)?)?
            }
            Take => {
                self.count(3, 3)?;
                crate::take(&basis(0)?, self.integer(1)?, self.integer(2)?)?
            }
            Group => {
                self.count(3, 3)?;
                crate::group(&basis(0)?, self.integer(1)?, self.integer(2)?)?
            }
            Flatten => self.count(1, 1).and_then(|()| crate::flatten(&basis(0)?))?,
            Unzip => crate::unzip(&basis(0)?, &tiler()?)?,
            TiledDivide => tiled_divide_under(self.facts, &basis(0)?, &tiler()?)?,
            FlatDivide => flat_divide_under(self.facts, &basis(0)?, &tiler()?)?,
            Coalesce => {
                self.count(1, 2)?;
                crate::coalesce_by(&basis(0)?, &as_tuple(&self.values[1], "coalesce")?)?
            }
            _ => {
                self.count(2, 2)?;
                crate::dice(&self.coord(0)?, &basis(1)?)?
            }
        };
        Ok(match moved.settled()? {
            Ok(basis) => Value::Basis(basis),
            Err(plain) => Value::Layout(plain),
        })
    }

    /// The operations on a layout into coordinates that go by the parts of these.
    fn of_coordinates(&self, basis: &SymbolicBasis) -> Option<Result<Value<Expr>>> {
        use Op::*;
        let facts = self.facts;
        let layout = |layout: Result<SymbolicLayout>| layout.map(Value::Layout);
        let unary =
            |answer: &dyn Fn() -> Result<Value<Expr>>| self.count(1, 1).and_then(|()| answer());
        Some(match self.op {
            RightInverse => unary(&|| layout(basis.right_inverse(facts))),
            LeftInverse => unary(&|| layout(basis.left_inverse(facts))),
            Nullspace => unary(&|| layout(basis.nullspace(facts))),
            IsInjective => unary(&|| basis.is_injective(facts).map(truth)),
            IsSurjective => unary(&|| basis.is_surjective(facts).map(truth)),
            IsBijective => {
                unary(&|| Ok(truth(basis.is_surjective(facts)? && basis.is_injective(facts)?)))
            }
            Complement => self.count(1, 2).and_then(|()| {
                let rest = match self.values.get(1) {
                    None => basis.complement_in_coshape(facts)?,
                    Some(_) => basis.complement(facts, &self.shape_of(1)?)?,
                };
                Ok(Value::Basis(rest))
            }),
            Cosize => self
                .integers(1)
                .and_then(|path| crate::get(basis, &path)?.cosize(facts).map(Value::Int)),
            LogicalProduct | ZippedProduct | TiledProduct | FlatProduct | BlockedProduct
            | RakedProduct => {
                self.count(2, 2).and_then(|()| self.product_of_coordinates(basis).map(Value::Basis))
            }
            _ => return None,
        })
    }

    /// A product of a layout into coordinates.
    fn product_of_coordinates(&self, basis: &SymbolicBasis) -> Result<SymbolicBasis> {
        let facts = self.facts;
        let times = match &self.values[1] {
            Value::Basis(times) if times.zero() == basis.zero() => {
                TilerOf::Layout(Times::Coordinates(times.clone()))
            }
            Value::Basis(times) => {
                let expected = format!("a layout into coordinates that nest like {}", basis.zero());
                return Err(Error::operand(self.op.name(), expected, times));
            }
            other => tiler(facts, other)?.try_map(&mut |times: &SymbolicLayout| {
                Ok::<_, Error>(Times::Plain(times.clone()))
            })?,
        };
        let order = match self.op {
            Op::BlockedProduct => |block, times| [block, times],
            Op::RakedProduct => |block, times| [times, block],
            op => {
                let by_mode = basis.logical_product_by(facts, &times)?;
                return match op {
                    Op::ZippedProduct => gathered(by_mode, &times),
                    Op::TiledProduct => rests_apart(&gathered(by_mode, &times)?),
                    Op::FlatProduct => all_apart(&gathered(by_mode, &times)?),
                    _ => Ok(by_mode),
                };
            }
        };
        let TilerOf::Layout(times) = times else {
            return Err(Error::operand(self.op.name(), "a layout", &self.values[1]));
        };
        basis.interleaved(facts, &times, order)
    }
}
