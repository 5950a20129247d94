//! Operations that move elements: reshapes, slices, insertions, padding and concatenations are coordinates and branches.

use super::{Found, GraphBuilder};
use crate::linalg::{
    contraction::element,
    reshape::groups_of,
    rows::{
        coordinate::CoordId,
        extent::{Extent, Number, integer, numbers},
        graph::{Node, Step},
    },
};
use layout_dialect::{
    build::{Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::collections::HashMap;

impl<'c> GraphBuilder<'_, 'c> {
    /// The element of a reshape that makes several dimensions of one.
    pub(super) fn expansion(
        &mut self,
        tensor: Val<'c>,
        made: OperationRef<'c, 'c>,
        at: &[CoordId],
    ) -> Found<'c, Node> {
        let extents = self.or_left(made, Extent::all(tensor))?;
        let groups = self.or_left(made, groups_of(made))?;
        let mut source = Vec::with_capacity(groups.len());
        for group in groups {
            let mut digits = Vec::with_capacity(group.len());
            for i in group {
                digits.push((at[i], self.graph.size(&extents[i])));
            }
            source.push(self.graph.coordinates.linear(&digits));
        }
        self.pull(operand(made, 0), source)
    }

    /// The element of a reshape that makes one dimension of several.
    pub(super) fn collapse(
        &mut self,
        made: OperationRef<'c, 'c>,
        at: Vec<CoordId>,
    ) -> Found<'c, Node> {
        let extents = self.or_left(made, Extent::all(operand(made, 0)))?;
        let groups = self.or_left(made, groups_of(made))?;
        let zero = self.graph.coordinates.constant(0);
        let mut source = vec![zero; extents.len()];
        for (own, group) in at.into_iter().zip(groups) {
            let sizes: Vec<CoordId> = group.iter().map(|&i| self.graph.size(&extents[i])).collect();
            for (i, digit) in group.into_iter().zip(self.graph.coordinates.split(own, &sizes)) {
                source[i] = digit;
            }
        }
        self.pull(operand(made, 0), source)
    }

    /// A number of a list as a coordinate.
    pub(super) fn number(
        &mut self,
        number: Number<'c>,
        made: OperationRef<'c, 'c>,
    ) -> Found<'c, CoordId> {
        match number {
            Number::Known(known) => Ok(self.graph.coordinates.constant(known)),
            Number::Value(value) => {
                if let Ok(Extent::Known(known)) = Extent::value(value) {
                    return Ok(self.graph.coordinates.constant(known));
                }
                let node = self.capture(value, made)?;
                Ok(self.coordinate(node))
            }
        }
    }

    /// The coordinates in a slice's source of those in a slice, where dimensions of one step may be left out.
    pub(super) fn slice(&mut self, made: OperationRef<'c, 'c>, at: &[CoordId]) -> Found<'c, Node> {
        let lists = [("static_offsets", 1), ("static_sizes", 2), ("static_strides", 3)];
        let [offsets, sizes, strides] =
            lists.map(|(name, segment)| self.or_left(made, numbers(made, name, segment)));
        let (offsets, sizes, strides) = (offsets?, sizes?, strides?);
        let shape = self.or_left(made, Extent::all(first_result(made)))?;
        let places = self.kept(made, &shape, &sizes)?;
        let mut source = Vec::with_capacity(offsets.len());
        for ((offset, stride), place) in offsets.into_iter().zip(strides).zip(places) {
            let mut own = self.number(offset, made)?;
            if let Some(place) = place {
                let stride = self.number(stride, made)?;
                let step = self.graph.coordinates.product(at[place], stride);
                own = self.graph.coordinates.sum(step, own);
            }
            source.push(own);
        }
        self.pull(operand(made, 0), source)
    }

    /// The place in a slice's shape of each size, or `None` for one that is left out.
    pub(super) fn kept(
        &self,
        made: OperationRef<'c, 'c>,
        shape: &[Extent<'c>],
        sizes: &[Number<'c>],
    ) -> Found<'c, Vec<Option<usize>>> {
        let mut next = 0;
        let mut places = Vec::with_capacity(sizes.len());
        for size in sizes {
            let is_own = match (size, shape.get(next)) {
                (Number::Known(size), Some(Extent::Known(own))) => size == own,
                (Number::Value(_), Some(own)) => own.known().is_none(),
                _ => false,
            };
            places.push(is_own.then_some(next));
            if is_own {
                next += 1;
            } else if !matches!(size, Number::Known(1)) {
                return self.left(
                    made,
                    "expected a slice that drops dimensions of one element, found another one",
                );
            }
        }
        match next == shape.len() {
            true => Ok(places),
            false => self
                .left(made, "expected a size for each dimension of a slice, found another number"),
        }
    }

    pub(super) fn insertion(
        &mut self,
        made: OperationRef<'c, 'c>,
        at: Vec<CoordId>,
    ) -> Found<'c, Node> {
        let lists = [("static_offsets", 2), ("static_sizes", 3), ("static_strides", 4)];
        let [offsets, sizes, strides] =
            lists.map(|(name, segment)| self.or_left(made, numbers(made, name, segment)));
        let (offsets, sizes, strides) = (offsets?, sizes?, strides?);
        let mut steps = Vec::with_capacity(strides.len());
        for stride in strides {
            match stride {
                Number::Known(step @ 1..) => steps.push(step),
                _ => {
                    return self.left(
                        made,
                        "expected a slice with static strides of at least 1, found another one",
                    );
                }
            }
        }
        let (slice, whole) = (operand(made, 0), operand(made, 1));
        let shape = self.or_left(made, Extent::all(slice))?;
        let extents = self.or_left(made, Extent::all(whole))?;
        let places = self.kept(made, &shape, &sizes)?;
        let zero = self.graph.coordinates.constant(0);
        let mut source = vec![zero; shape.len()];
        let mut condition = None;
        for (i, (offset, place)) in offsets.into_iter().zip(places).enumerate() {
            let is_whole = matches!(offset, Number::Known(0))
                && place.is_some_and(|place| shape[place] == extents[i]);
            let offset = self.number(offset, made)?;
            let own = self.relative_to(at[i], offset);
            let size = match place {
                Some(place) => self.graph.size(&shape[place]),
                None => self.graph.coordinates.constant(1),
            };
            // Every `step`-th element is the slice's, from the first on: what lies between is the whole's.
            let step = self.graph.coordinates.constant(steps.get(i).copied().unwrap_or(1));
            if !is_whole {
                let end = self.graph.coordinates.product(size, step);
                condition = Some(self.and_within(condition, own, end));
            }
            let between = self.graph.coordinates.remainder(own, step);
            if self.graph.coordinates.known(between) != Some(0) {
                let one = self.graph.coordinates.constant(1);
                condition = Some(self.and_within(condition, between, one));
            }
            if let Some(place) = place {
                source[place] = self.graph.coordinates.quotient(own, step);
            }
        }
        let Some(condition) = condition else { return self.pull(slice, source) };
        let inside = self.pull(slice, source)?;
        let outside = self.pull(whole, at)?;
        self.choice(condition, inside, outside, slice)
    }

    /// A coordinate, counted from another one on.
    pub(super) fn relative_to(&mut self, at: CoordId, first: CoordId) -> CoordId {
        let minus = self.graph.coordinates.constant(-1);
        let first = self.graph.coordinates.product(first, minus);
        self.graph.coordinates.sum(at, first)
    }

    pub(super) fn and_within(
        &mut self,
        condition: Option<Node>,
        at: CoordId,
        size: CoordId,
    ) -> Node {
        let own = self.graph.add(Step::Within(at, size));
        match condition {
            Some(condition) => self.graph.add(Step::Both(condition, own)),
            None => own,
        }
    }

    pub(super) fn choice(
        &mut self,
        condition: Node,
        inside: Node,
        outside: Node,
        like: Val<'c>,
    ) -> Found<'c, Node> {
        let of = self.or_left(self.root, element(like))?;
        let regions = [vec![inside], vec![outside]];
        let branch = self.graph.add(Step::Branch { condition, regions, types: vec![of] });
        Ok(self.graph.add(Step::Taken { branch, number: 0 }))
    }

    pub(super) fn padding(
        &mut self,
        made: OperationRef<'c, 'c>,
        at: &[CoordId],
    ) -> Found<'c, Node> {
        let low = self.or_left(made, numbers(made, "static_low", 1))?;
        let source = operand(made, 0);
        let extents = self.or_left(made, Extent::all(source))?;
        let whole = self.or_left(made, Extent::all(first_result(made)))?;
        let mut condition = None;
        let mut inner = Vec::with_capacity(at.len());
        for (i, low) in low.into_iter().enumerate() {
            let is_whole = matches!(low, Number::Known(0)) && extents[i] == whole[i];
            let low = self.number(low, made)?;
            let own = self.relative_to(at[i], low);
            inner.push(own);
            if !is_whole {
                let size = self.graph.size(&extents[i]);
                condition = Some(self.and_within(condition, own, size));
            }
        }
        let Some(body) = tree::entry(made) else { return self.left(made, "expected a body") };
        let mut known = HashMap::new();
        for (i, &own) in at.iter().enumerate() {
            let node = self.graph.add(Step::Coordinate(own));
            known.insert(tree::key(tree::argument(body, i)), node);
        }
        let Some(condition) = condition else { return self.pull(source, inner) };
        let inside = self.pull(source, inner)?;
        let around = self.evaluate(body, &mut known, made, at)?;
        match around.as_slice() {
            [outside] => self.choice(condition, inside, *outside, source),
            _ => self.left(made, "expected a body of one value"),
        }
    }

    pub(super) fn concatenation(
        &mut self,
        made: OperationRef<'c, 'c>,
        mut at: Vec<CoordId>,
    ) -> Found<'c, Node> {
        let along = self.or_left(made, integer(made, "dim"))?;
        let Some(along) = usize::try_from(along).ok().filter(|&along| along < at.len()) else {
            return self.left(made, "expected a dimension of the result");
        };
        let mut parts = Vec::with_capacity(made.operand_count());
        for i in 0..made.operand_count() {
            let part = operand(made, i);
            let extents = self.or_left(made, Extent::all(part))?;
            let size = self.graph.size(&extents[along]);
            let value = self.pull(part, at.clone())?;
            parts.push((part, value, at[along], size));
            at[along] = self.relative_to(at[along], size);
        }
        let Some((_, mut value, _, _)) = parts.pop() else {
            return self.left(made, "expected operands, found none");
        };
        for (part, own, at, size) in parts.into_iter().rev() {
            let condition = self.graph.add(Step::Within(at, size));
            value = self.choice(condition, own, value, part)?;
        }
        Ok(value)
    }
}
