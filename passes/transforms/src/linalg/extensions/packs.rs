//! `linalg.pack` and `linalg.unpack`: tensors in tiles, for tiles of known sizes.
//!
//! ```text
//! pack     %p = tensor.pad %x to whole tiles;      %y[o0,o1,i0,i1] = %p[o0*8+i0, o1*4+i1]
//! unpack   %t[o0,i0,o1,i1] = %x[o0,o1,i0,i1];      collapsed to [o0*8+i0, o1*4+i1], and the first rows and columns of that
//! ```

use super::{
    element, extents, left,
    loops::{Built, Size, along, empty, identity, index_constant, one, sizes, tensor_of},
    ranked,
};
use crate::linalg::reshape::{collapse, parsed, tensor};
use layout_dialect::{
    affine::Linear,
    build::{Builder, Val, operand, result},
};
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::DenseI64ArrayAttribute, operation::OperationLike,
};

/// How a tensor lies in tiles.
struct Tiles {
    /// The dimension that each loop over tiles goes along.
    order: Vec<usize>,
    /// The dimension of each loop within a tile, and its size.
    inner: Vec<(usize, i64)>,
}

impl Tiles {
    fn read(operation: OperationRef<'_, '_>, flat: Val<'_>, tiled: Val<'_>) -> Built<Self> {
        let list = |name: &str| -> Vec<i64> {
            let all = operation.attribute(name).ok();
            let all = all.and_then(|all| DenseI64ArrayAttribute::try_from(all).ok());
            all.map_or_else(Vec::new, |all| {
                (0..all.len()).filter_map(|i| all.element(i).ok()).collect()
            })
        };
        let places = |all: Vec<i64>| all.into_iter().filter_map(|d| usize::try_from(d).ok());
        let mut order: Vec<usize> = places(list("outer_dims_perm")).collect();
        let inner: Vec<(usize, i64)> =
            places(list("inner_dims_pos")).zip(list("static_inner_tiles")).collect();
        if operation.result_count() != 1 || ranked(flat.r#type()).is_none() {
            return left(format!("expected tensors, found {}", flat.r#type()));
        }
        if let Some((d, _)) = inner.iter().find(|(_, size)| *size < 1) {
            return left(format!(
                "expected tiles of known sizes, found a dynamic size in dimension {d}"
            ));
        }
        let (rank, all) = (extents(flat).len(), extents(tiled).len());
        if order.is_empty() {
            order = (0..rank).collect();
        }
        if order.len() != rank || all != rank + inner.len() {
            return left(format!(
                "expected a tensor of rank {} in tiles, found {all}",
                order.len()
            ));
        }
        Ok(Self { order, inner })
    }

    /// The loop within a tile along a dimension, and its size.
    fn along(&self, d: usize) -> Option<(usize, i64)> {
        let place = self.inner.iter().position(|(own, _)| *own == d)?;
        Some((self.order.len() + place, self.inner[place].1))
    }

    /// The loop over tiles along a dimension.
    fn over(&self, d: usize) -> usize {
        self.order.iter().position(|own| *own == d).unwrap_or(d)
    }
}

pub(super) fn pack<'c>(operation: OperationRef<'c, 'c>, b: &Builder<'c>) -> Built<Val<'c>> {
    let (source, target) = (operand(operation, 0), operand(operation, 1));
    let tiles = Tiles::read(operation, source, target)?;
    let to = sizes(b, target)?;
    // The operand after both is the padding's value: tiles are static here.
    let source = match operation.operand_count() > 2 {
        true => padded(b, source, operand(operation, 2), (&tiles, &to))?,
        false => source,
    };
    let coordinate = |d: usize| match tiles.along(d) {
        Some((inner, size)) => {
            Linear { terms: vec![(tiles.over(d), size), (inner, 1)], constant: 0 }
        }
        None => along(tiles.over(d)),
    };
    let coordinates: Vec<Linear> = (0..tiles.order.len()).map(coordinate).collect();
    let output = (empty(b, &to, element(target)?)?, identity(to.len()));
    one(b, to.len(), &[(source, coordinates)], output, |_, values| Ok(values[0]))
}

/// The tensor with each dimension that has tiles padded to whole ones.
fn padded<'c>(
    b: &Builder<'c>,
    source: Val<'c>,
    value: Val<'c>,
    (tiles, to): (&Tiles, &[Size<'c>]),
) -> Built<Val<'c>> {
    let (mut operands, mut high, mut wide) = (vec![source], Vec::new(), Vec::new());
    for (d, size) in sizes(b, source)?.into_iter().enumerate() {
        let Some((_, tile)) = tiles.along(d) else {
            high.push(0);
            wide.push(size);
            continue;
        };
        let count = to[tiles.over(d)];
        if let (Size::Known(size), Size::Known(count)) = (size, count) {
            let whole = count.saturating_mul(tile);
            high.push(whole.saturating_sub(size));
            wide.push(Size::Known(whole));
            continue;
        }
        let whole = b.binary("arith.muli", count.value(b)?, index_constant(b, tile)?)?;
        operands.push(b.binary("arith.subi", whole, size.value(b)?)?);
        high.push(i64::MIN);
        wide.push(match count.known() {
            Some(count) => Size::Known(count.saturating_mul(tile)),
            None => Size::Value(whole),
        });
    }
    let index = Type::index(b.context());
    let (region, inside) = b.region_with(&vec![index; high.len()]);
    inside.operation("tensor.yield", &[value], &[], &[], vec![])?;
    let list = |all: &[i64]| DenseI64ArrayAttribute::new(b.context(), all).into();
    let attributes = [
        ("static_low", list(&vec![0; high.len()])),
        ("static_high", list(&high)),
        ("operandSegmentSizes", parsed(b, &format!("array<i32: 1, 0, {}>", operands.len() - 1))?),
    ];
    let of = tensor_of(b, &wide, element(source)?)?;
    Ok(result(b.operation("tensor.pad", &operands, &[of], &attributes, vec![region])?, 0))
}

pub(super) fn unpack<'c>(operation: OperationRef<'c, 'c>, b: &Builder<'c>) -> Built<Val<'c>> {
    let (source, target) = (operand(operation, 0), operand(operation, 1));
    let tiles = Tiles::read(operation, target, source)?;
    let from = sizes(b, source)?;
    // The loops of each dimension beside each other.
    let (mut groups, mut sorted) = (Vec::new(), Vec::new());
    for d in 0..tiles.order.len() {
        let start = sorted.len();
        sorted.push(tiles.over(d));
        sorted.extend(tiles.along(d).map(|(inner, _)| inner));
        groups.push((start..sorted.len()).collect::<Vec<usize>>());
    }
    let place = |own: usize| sorted.iter().position(|found| *found == own).unwrap_or(own);
    let coordinates: Vec<Linear> = (0..from.len()).map(|own| along(place(own))).collect();
    let to: Vec<Size<'c>> = sorted.iter().map(|own| from[*own]).collect();
    let output = (empty(b, &to, element(target)?)?, identity(to.len()));
    let turned = one(b, to.len(), &[(source, coordinates)], output, |_, values| Ok(values[0]))?;
    let whole = |group: &Vec<usize>| {
        group.iter().try_fold(1_i64, |all, i| all.checked_mul(to[*i].known()?))
    };
    let shape: Vec<Option<i64>> = groups.iter().map(whole).collect();
    let flat = collapse(b, turned, &groups, tensor(b, &shape, element(target)?)?)?;
    if shape == extents(target) && shape.iter().all(Option::is_some) {
        return Ok(flat);
    }
    let mut operands = vec![flat];
    let mut lengths = Vec::with_capacity(shape.len());
    for size in sizes(b, target)? {
        match size {
            Size::Known(known) => lengths.push(known),
            Size::Value(value) => {
                lengths.push(i64::MIN);
                operands.push(value);
            }
        }
    }
    let list = |all: &[i64]| DenseI64ArrayAttribute::new(b.context(), all).into();
    let segments = format!("array<i32: 1, 0, {}, 0>", operands.len() - 1);
    let attributes = [
        ("static_offsets", list(&vec![0; lengths.len()])),
        ("static_sizes", list(&lengths)),
        ("static_strides", list(&vec![1; lengths.len()])),
        ("operandSegmentSizes", parsed(b, &segments)?),
    ];
    Ok(b.value("tensor.extract_slice", &operands, target.r#type(), &attributes)?)
}
