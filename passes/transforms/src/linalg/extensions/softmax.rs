//! A softmax along a dimension: `linalg.softmax`, and that of attention.
//!
//! ```text
//! y = exp(x - max x) / sum of exp(x - max x)         in f32, or in f64
//! ```
//!
//! It has the form that `layout-from-linalg` makes one kernel of.

use super::{
    Extension, element, left,
    loops::{Built, Size, empty, filled, identity, narrow, number, one, sizes, wide},
    same_shape,
};
use layout_dialect::{
    affine::Linear,
    build::{Builder, Val},
};
use melior::ir::{Type, ValueLike};

/// The element types that kernels compute a softmax of.
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

pub(super) fn softmax<'c>(own: &Extension<'c>, b: &Builder<'c>) -> Built<Vec<Option<Val<'c>>>> {
    let (input, output) = (own.inputs[0], own.outputs[0]);
    let d = own.dimension(input)?;
    let (from, to) = (element(input)?.to_string(), element(output)?.to_string());
    let are_floats = [&from, &to].iter().all(|of| FLOATS.contains(&of.as_str()));
    if !same_shape(input, output) || !are_floats {
        return left(format!(
            "expected an operand and a result of one shape, of f16, bf16, f32 or f64, found {} and {}",
            input.r#type(),
            output.r#type()
        ));
    }
    let of = match [from, to].iter().any(|of| of == "f64") {
        true => Type::float64(b.context()),
        false => Type::float32(b.context()),
    };
    let value = along(b, input, &sizes(b, input)?, d, (of, element(output)?))?;
    Ok(vec![Some(value)])
}

/// The softmax of a tensor of these sizes along dimension `d`, computed in one type and given in another.
pub(super) fn along<'c>(
    b: &Builder<'c>,
    scores: Val<'c>,
    sizes: &[Size<'c>],
    d: usize,
    (of, to): (Type<'c>, Type<'c>),
) -> Built<Val<'c>> {
    let rank = sizes.len();
    let is_kept = |own: &usize| *own != d;
    let rows: Vec<Size<'c>> = (0..rank).filter(is_kept).map(|own| sizes[own]).collect();
    let of_row = || -> Vec<Linear> { (0..rank).filter(is_kept).map(super::loops::along).collect() };
    let start = filled(b, &rows, of, number(of, f64::NEG_INFINITY)?)?;
    let inputs = [(scores, identity(rank))];
    let greatest = one(b, rank, &inputs, (start, of_row()), |b, values| {
        let score = wide(b, values[0], of)?;
        Ok(b.binary("arith.maximumf", values[1], score)?)
    })?;
    let inputs = [(scores, identity(rank)), (greatest, of_row())];
    let target = (empty(b, sizes, of)?, identity(rank));
    let powers = one(b, rank, &inputs, target, |b, values| {
        let score = wide(b, values[0], of)?;
        let shifted = b.binary("arith.subf", score, values[1])?;
        Ok(b.value("math.exp", &[shifted], of, &[])?)
    })?;
    let start = filled(b, &rows, of, number(of, 0.0)?)?;
    let total = one(b, rank, &[(powers, identity(rank))], (start, of_row()), |b, values| {
        Ok(b.binary("arith.addf", values[1], values[0])?)
    })?;
    let inputs = [(powers, identity(rank)), (total, of_row())];
    let target = (empty(b, sizes, to)?, identity(rank));
    one(b, rank, &inputs, target, |b, values| {
        let weight = b.binary("arith.divf", values[0], values[1])?;
        narrow(b, weight, to)
    })
}
