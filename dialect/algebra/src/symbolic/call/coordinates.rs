//! The operations on layouts into coordinates that go by the parts of the coordinate.

use super::{
    super::{
        basis::SymbolicBasis,
        coordinates::Times,
        error::{Error, Result},
        expr::Expr,
        layout::SymbolicLayout,
        term::tiler,
        tuple::SymbolicTiler,
    },
    Call, truth,
};
use crate::{
    Op, Value,
    modal::{Past, all_apart, by_mode, gathered, joined, rests_apart, zip_product},
};
use alloc::{format, vec};

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
        let facts = self.facts;
        let answer = |left: &SymbolicLayout| {
            if self.op == Op::Composition {
                return right.composed_after(facts, left);
            }
            let rest = right.complement(facts, left.shape())?;
            let tile = joined(vec![right.as_layout().clone(), rest.as_layout().clone()])?;
            let both = SymbolicBasis::of_parts(tile, rest.units().clone());
            let divided = both.composed_after(facts, left)?;
            match self.op {
                Op::TiledDivide => rests_apart(&divided),
                Op::FlatDivide => all_apart(&divided),
                _ => Ok(divided),
            }
        };
        Ok(match left {
            Value::Basis(left) => {
                let layout = answer(left.as_layout())?;
                Value::Basis(left.with_layout(self.op.name(), layout)?)
            }
            Value::Composed(left) => left.with_inner(answer(&left.inner)?).simplified().into(),
            _ => Value::Layout(answer(&self.layout(0)?)?),
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
            Cosize => self.integers(1).and_then(|path| {
                let mode = crate::get(basis.as_layout(), &path)?;
                let mode = basis.with_layout("cosize", mode)?;
                mode.cosize(facts).map(Value::Int)
            }),
            LogicalProduct | ZippedProduct | TiledProduct | FlatProduct | BlockedProduct
            | RakedProduct => self.count(2, 2).and_then(|()| {
                let product = self.product_of_coordinates(basis)?;
                Ok(Value::Basis(basis.with_layout(self.op.name(), product)?))
            }),
            _ => return None,
        })
    }

    /// A product of a layout into coordinates, with basis elements as symbols.
    fn product_of_coordinates(&self, basis: &SymbolicBasis) -> Result<SymbolicLayout> {
        let facts = self.facts;
        let product = |block: &SymbolicLayout, times: &SymbolicLayout| {
            let times = match SymbolicBasis::of_units(facts, times)? {
                Some(_) => Times::Coordinates(basis.with_layout(self.op.name(), times.clone())?),
                None => Times::Plain(times.clone()),
            };
            let block = basis.with_layout(self.op.name(), block.clone())?;
            Ok(block.logical_product(facts, &times)?.as_layout().clone())
        };
        let times = match &self.values[1] {
            Value::Basis(times) if times.units().congruent(basis.units()) => {
                SymbolicTiler::Layout(times.as_layout().clone())
            }
            Value::Basis(times) => {
                let expected =
                    format!("a layout into coordinates that nest like {}", basis.zero_text());
                return Err(Error::operand(self.op.name(), expected, times));
            }
            other => tiler(facts, other)?,
        };
        let order = match self.op {
            Op::BlockedProduct => |block, times| [block, times],
            Op::RakedProduct => |block, times| [times, block],
            _ => {
                let name = self.op.name();
                let by_mode = by_mode(name, Past::Kept, basis.as_layout(), &times, &mut |b, t| {
                    product(b, t)
                })?;
                return match self.op {
                    Op::ZippedProduct => gathered(by_mode, &times),
                    Op::TiledProduct => rests_apart(&gathered(by_mode, &times)?),
                    Op::FlatProduct => all_apart(&gathered(by_mode, &times)?),
                    _ => Ok(by_mode),
                };
            }
        };
        let SymbolicTiler::Layout(times) = times else {
            return Err(Error::operand(self.op.name(), "a layout", &self.values[1]));
        };
        zip_product(basis.as_layout(), &times, &SymbolicLayout::one(), order, |block, times| {
            product(block, &times)
        })
    }
}
