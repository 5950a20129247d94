//! Attention: two contractions and a softmax between them.
//!
//! ```text
//! scores  = Q Kᵀ / sqrt(d) + mask              in f32
//! weights = exp(scores - max) / sum            in V's type
//! y       = weights V                          0 for a query all of whose keys are masked
//! ```
//!
//! The softmax has the form that `layout-from-linalg` recognises. Where a mask may hide all keys of a query, queries with a visible
//! key are found apart.

use super::{
    Extension, Stop, element, extents, left,
    loops::{
        Built, Size, along, compare, empty, filled, identity, narrow, number, one, select, sizes,
        wide,
    },
    softmax,
};
use crate::linalg::reshape::groups_of;
use layout_dialect::{
    affine::{Linear, indexing_maps},
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    Type, TypeLike, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// `arith.cmpf une`, and `arith.cmpi sge` and `uge`.
const FLOAT_UNEQUAL: i64 = 13;
const GREATER_OR_EQUAL: i64 = 5;
const UNSIGNED_GREATER_OR_EQUAL: i64 = 9;

pub(super) fn attention<'c>(own: &Extension<'c>, b: &Builder<'c>) -> Built<Vec<Option<Val<'c>>>> {
    let [q, k, v] = [own.inputs[0], own.inputs[1], own.inputs[2]];
    let (mask, output) = (own.inputs.get(3).copied(), own.outputs[0]);
    let rank = extents(q).len();
    let alike = |a: Option<i64>, b: Option<i64>| a.is_none() || b.is_none() || a == b;
    let agree = |a: Val<'c>, i: usize, b: Val<'c>, j: usize| {
        alike(extents(a).get(i).copied().flatten(), extents(b).get(j).copied().flatten())
    };
    let all: Vec<Val<'c>> = [q, k, v, output].into_iter().chain(mask).collect();
    let is_of_rank = rank >= 2 && all.iter().all(|one| extents(*one).len() == rank);
    let fits = is_of_rank && {
        let (m, n) = (rank - 2, rank - 1);
        (0..m).all(|i| all.iter().all(|one| agree(q, i, *one, i)))
            && agree(q, n, k, n)
            && agree(k, m, v, m)
            && agree(q, m, output, m)
            && agree(v, n, output, n)
            && mask.is_none_or(|mask| agree(mask, m, q, m) && agree(mask, n, k, m))
    };
    if !fits {
        let types: Vec<String> = all.iter().map(|one| one.r#type().to_string()).collect();
        return left(format!(
            "expected Q, K, V, the result and a mask whose shapes agree, found {}",
            types.join(", ")
        ));
    }
    let of = element(q)?;
    let floats = ["f16", "bf16", "f32"];
    let of_mask = mask.map(element).transpose()?;
    let is_mask = of_mask.is_none_or(|of| of.is_float() || of == b.integer(1));
    let alike = [k, v, output].into_iter().map(element).collect::<Built<Vec<_>>>()?;
    if !floats.contains(&of.to_string().as_str()) || alike.iter().any(|one| *one != of) || !is_mask
    {
        let types: Vec<String> = all.iter().map(|one| one.r#type().to_string()).collect();
        return left(format!(
            "expected Q, K, V and the result of one type of f16, bf16 and f32, and a mask of floats or i1, found {}",
            types.join(", ")
        ));
    }
    let Some(width) = extents(q)[rank - 1].or(extents(k)[rank - 1]).filter(|width| *width > 0)
    else {
        return left(format!(
            "expected Q or K with a static head dimension of at least 1, found {} and {}",
            q.r#type(),
            k.r#type()
        ));
    };
    let f32 = Type::float32(b.context());
    let (of_q, of_k, of_v) = (sizes(b, q)?, sizes(b, k)?, sizes(b, v)?);
    let (m, n) = (rank - 2, rank - 1);
    let mut of_scores = of_q.clone();
    of_scores[n] = of_k[m];
    // Loops of the batch, queries and keys; then what is summed.
    let at = |last: [usize; 2]| -> Vec<Linear> { (0..m).chain(last).map(along).collect() };
    let scores = contraction(
        b,
        rank + 1,
        [(q, at([m, rank])), (k, at([n, rank]))],
        (&of_scores, at([m, n]), f32),
    )?;
    let scale = 1.0 / (width as f64).sqrt();
    let inputs: Vec<_> =
        [Some(scores), mask].into_iter().flatten().map(|own| (own, identity(rank))).collect();
    let target = (empty(b, &of_scores, f32)?, identity(rank));
    let scores = one(b, rank, &inputs, target, |b, values| {
        let constant = |value: f64| {
            Ok::<_, Stop>(b.value("arith.constant", &[], f32, &[("value", number(f32, value)?)])?)
        };
        let scaled = b.binary("arith.mulf", values[0], constant(scale)?)?;
        Ok(match of_mask {
            None => scaled,
            Some(of) if of.is_float() => {
                let mask = wide(b, values[1], f32)?;
                b.binary("arith.addf", scaled, mask)?
            }
            Some(_) => select(b, values[1], scaled, constant(f64::NEG_INFINITY)?)?,
        })
    })?;
    let rows: Vec<Size<'c>> = of_scores[..n].to_vec();
    let weights = softmax::along(b, scores, &of_scores, n, (f32, of))?;
    let mut of_result = of_q;
    of_result[n] = of_v[n];
    let sums = contraction(
        b,
        rank + 1,
        [(weights, at([m, rank])), (v, at([rank, n]))],
        (&of_result, at([m, n]), f32),
    )?;
    let mut value = sums;
    if of != f32 {
        let target = (empty(b, &of_result, of)?, identity(rank));
        let inputs = [(sums, identity(rank))];
        value = one(b, rank, &inputs, target, |b, values| narrow(b, values[0], of))?;
    }
    let Some(mask) = mask.filter(|mask| !shows_first_key(*mask)) else {
        return Ok(vec![Some(value)]);
    };
    let visible = visible(b, mask, &rows)?;
    let target = (empty(b, &of_result, of)?, identity(rank));
    let inputs = [(visible, identity(n)), (value, identity(rank))];
    let value = one(b, rank, &inputs, target, |b, values| {
        let zero = b.value("arith.constant", &[], of, &[("value", number(of, 0.0)?)])?;
        select(b, values[0], values[1], zero)
    })?;
    Ok(vec![Some(value)])
}

/// For each query, whether a mask leaves a key to it.
fn visible<'c>(b: &Builder<'c>, mask: Val<'c>, rows: &[Size<'c>]) -> Built<Val<'c>> {
    let (n, i1) = (rows.len(), b.integer(1));
    let start = filled(b, rows, i1, number(i1, 0.0)?)?;
    one(b, n + 1, &[(mask, identity(n + 1))], (start, identity(n)), |b, values| {
        let of = values[0].r#type();
        let own = match of.is_float() {
            false => values[0],
            true => {
                let none = number(of, f64::NEG_INFINITY)?;
                let none = b.value("arith.constant", &[], of, &[("value", none)])?;
                compare(b, FLOAT_UNEQUAL, values[0], none)?
            }
        };
        Ok(b.binary("arith.ori", values[1], own)?)
    })
}

/// Whether a mask is a function of coordinates that adds a number to the first key of each query: the causal mask, `0` for keys up
/// to the query's number.
fn shows_first_key(mask: Val<'_>) -> bool {
    let mut made = tree::definition(mask);
    while let Some(reshape) = made.filter(|made| {
        ["tensor.collapse_shape", "tensor.expand_shape", "tensor.cast"]
            .contains(&tree::name(*made).as_str())
    }) {
        // The last two dimensions stay as they are.
        let (from, to) = (operand(reshape, 0), result(reshape, 0));
        let last = |one: Val<'_>| {
            let all = extents(one);
            all.len().checked_sub(2).map(|first| all[first..].to_vec())
        };
        let are_alone = tree::name(reshape) == "tensor.cast"
            || groups_of(reshape).is_ok_and(|groups| {
                groups.len() >= 2 && groups[groups.len() - 2..].iter().all(|own| own.len() == 1)
            });
        if !are_alone || last(from) != last(to) {
            return false;
        }
        made = tree::definition(from);
    }
    let Some(made) = made.filter(|made| tree::name(*made) == "linalg.generic") else {
        return false;
    };
    let Some(body) = tree::entry(made) else { return false };
    let rank = extents(result(made, 0)).len();
    let is_whole = indexing_maps(made).is_some_and(|maps| {
        maps.last().is_some_and(|map| {
            map.dimensions == rank && (0..rank).all(|d| map.results[d].dimension() == Some(d))
        })
    });
    let is_loop = |value: Val<'_>, d: usize| {
        tree::definition(value).is_some_and(|made| {
            let found = made.attribute("dim").ok().map(|dim| dim.to_string());
            tree::name(made) == "linalg.index" && found == Some(format!("{d} : i64"))
        })
    };
    let end = tree::operations(body).last().copied();
    let shown = end.and_then(|end| tree::definition(operand(end, 0)));
    let Some(shown) = shown.filter(|own| tree::name(*own) == "arith.select") else { return false };
    let (condition, value) =
        (tree::definition(operand(shown, 0)), tree::definition(operand(shown, 1)));
    let is_causal = condition.is_some_and(|own| {
        let predicate = own.attribute("predicate").ok();
        let predicate = predicate.and_then(|own| IntegerAttribute::try_from(own).ok());
        tree::name(own) == "arith.cmpi"
            && predicate.is_some_and(|own| {
                [GREATER_OR_EQUAL, UNSIGNED_GREATER_OR_EQUAL].contains(&own.value())
            })
            && is_loop(operand(own, 0), rank.saturating_sub(2))
            && is_loop(operand(own, 1), rank.saturating_sub(1))
    });
    let is_number = value.is_some_and(|own| {
        let number = own.attribute("value").ok().and_then(|own| FloatAttribute::try_from(own).ok());
        number.is_some_and(|number| number.value().is_finite())
    });
    rank >= 2 && is_whole && is_causal && is_number
}

/// Sums of products of two tensors.
fn contraction<'c>(
    b: &Builder<'c>,
    loops: usize,
    operands: [(Val<'c>, Vec<Linear>); 2],
    (shape, at, of): (&[Size<'c>], Vec<Linear>, Type<'c>),
) -> Built<Val<'c>> {
    let start = filled(b, shape, of, number(of, 0.0)?)?;
    one(b, loops, &operands, (start, at), |b, values| {
        let (x, y) = (wide(b, values[0], of)?, wide(b, values[1], of)?);
        let product = b.binary("arith.mulf", x, y)?;
        Ok(b.binary("arith.addf", values[2], product)?)
    })
}
