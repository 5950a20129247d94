//! Contractions of integers of 8 bits with zero points, without signs, or into a C that is not 0: the sum of the products of signed integers,
//! which matmuls take, sums of each operand's rows, and C.
//!
//! ```text
//! sum (a - za) (b - zb)  =  sum a b  -  zb sum a  -  za sum b  +  K za zb
//! ```
//!
//! An operand without signs is one with signs, its highest bit turned, whose zero point is less by 128. All is computed modulo 2^32, as the
//! sum before. `linalg.quantized_matmul`, its batches, `linalg.conv_2d_*_q` and generics of their form are such contractions.

use super::{
    NAME,
    contraction::{dimensions, is_product, multiplied},
    loops::{
        Built, Size, Stop, along, element, empty, extents, filled, identity, number, one, sizes,
    },
    mixed::is_large,
};
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    diagnostics, tree,
};
use melior::ir::{
    BlockLike, OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};

/// The greatest integer without a sign is this above the greatest one with a sign.
const UNSIGNED_OFFSET: i64 = 128;

/// One operand of the product.
struct Factor<'c> {
    operand: Val<'c>,
    is_signed: bool,
    /// The number that is subtracted of each element, or `None` for 0.
    zero_point: Option<ZeroPoint<'c>>,
}

/// A number that is subtracted of each element.
#[derive(Clone, Copy)]
enum ZeroPoint<'c> {
    Known(i64),
    At(Val<'c>),
}

/// Rewrites those below `root`.
pub(super) fn run<'c>(root: OperationRef<'c, '_>) -> Built<()> {
    let products = tree::all(root).into_iter().filter(|own| {
        tree::name(*own).starts_with("linalg.") && own.result_count() == 1 && is_product(*own)
    });
    for operation in products.collect::<Vec<_>>() {
        let maps = indexing_maps(operation).unwrap_or_default();
        let [a, b, .., c] = maps.as_slice() else { continue };
        let maps = [a, b, c].map(IndexingMap::clone);
        let Some(factors) = factors(operation) else { continue };
        if !is_large(operation, &maps) {
            continue;
        }
        match rewrite(operation, &maps, &factors) {
            Ok(()) | Err(Stop::Left(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}

/// Both operands, where no matmul computes the operation as it is.
fn factors<'c>(operation: OperationRef<'c, 'c>) -> Option<[Factor<'c>; 2]> {
    let body = tree::entry(operation)?;
    let c = operand(operation, operation.operand_count().checked_sub(1)?);
    if element(c).ok()?.to_string() != "i32" {
        return None;
    }
    let products = multiplied(body, "i32").ok()?;
    let [a, b] = [0, 1]
        .map(|number| products.iter().find_map(|&product| factor(operation, product, number)));
    let factors = [a?, b?];
    let is_plain = |own: &Factor<'c>| own.is_signed && own.zero_point.is_none();
    let is_plain = factors.iter().all(is_plain) && operation.operand_count() == 3;
    (!(is_plain && is_zero(c))).then_some(factors)
}

/// Whether all of a tensor is 0.
fn is_zero(tensor: Val<'_>) -> bool {
    let made = tree::definition(tensor).filter(|made| tree::name(*made) == "linalg.fill");
    made.is_some_and(|fill| tree::constant(operand(fill, 0)) == Some(0))
}

/// A factor of the body's product, if it is of this operand.
fn factor<'c>(
    operation: OperationRef<'c, 'c>,
    product: Val<'c>,
    number: usize,
) -> Option<Factor<'c>> {
    let body = tree::entry(operation)?;
    let made = tree::definition(product)?;
    let (widened, zero_point) = match tree::name(made).as_str() {
        "arith.subi" => {
            (tree::definition(operand(made, 0))?, zero_point(operation, operand(made, 1))?)
        }
        _ => (made, None),
    };
    let is_signed = match tree::name(widened).as_str() {
        "arith.extsi" => true,
        "arith.extui" => false,
        _ => return None,
    };
    let own = operand(operation, number);
    let is_own = operand(widened, 0) == tree::argument(body, number);
    let is_byte = element(own).is_ok_and(|of| of.to_string() == "i8");
    (is_own && is_byte).then_some(Factor { operand: own, is_signed, zero_point })
}

/// A number that is the same for all elements, as a value outside of the body.
fn zero_point<'c>(
    operation: OperationRef<'c, 'c>,
    value: Val<'c>,
) -> Option<Option<ZeroPoint<'c>>> {
    let body = tree::entry(operation)?;
    let arguments = 0..body.argument_count();
    let argument = arguments.clone().find(|&i| tree::argument(body, i) == value);
    let outside = match argument {
        Some(i) => operand(operation, i),
        None => value,
    };
    if let Some(known) = tree::constant(outside) {
        return Some((known != 0).then_some(ZeroPoint::Known(known)));
    }
    // A value that the body computes is none outside.
    let is_scalar = argument.is_some() && outside.r#type().to_string() == "i32";
    is_scalar.then_some(Some(ZeroPoint::At(outside)))
}

fn rewrite<'c>(
    operation: OperationRef<'c, 'c>,
    maps: &[IndexingMap; 3],
    factors: &[Factor<'c>; 2],
) -> Built<()> {
    let loops = dimensions(maps).map_err(Stop::Left)?;
    let b = Builder::before(operation);
    let sizes_of_k = sizes_of(&b, operation, maps, &loops.k)?;
    let word = b.integer(32);
    let c = operand(operation, operation.operand_count() - 1);
    let zeros = |loops_of: &[usize]| -> Built<Val<'c>> {
        let all = sizes(&b, c)?;
        let place = |d: &usize| maps[2].results.iter().position(|own| own.dimension() == Some(*d));
        let own: Vec<_> = loops_of.iter().filter_map(place).map(|place| all[place]).collect();
        filled(&b, &own, word, number(word, 0.0)?)
    };
    let in_c: Vec<usize> = maps[2].results.iter().filter_map(Linear::dimension).collect();
    let mut operands = Vec::with_capacity(2);
    let mut points = Vec::with_capacity(2);
    for own in factors {
        operands.push(own.signed(&b)?);
        points.push(own.offset(&b)?);
    }
    let is_whole = points.iter().all(Option::is_none) && is_zero(c);
    let sums = if is_whole { c } else { zeros(&in_c)? };
    let inputs = [0, 1].map(|i| (operands[i], maps[i].results.clone()));
    let output = (sums, maps[2].results.clone());
    let products = one(&b, maps[2].dimensions, &inputs, output, |b, values| {
        let [x, y, old] = values[..] else { return Err(melior::Error::OperationBuild.into()) };
        let wide = |value: Val<'c>| b.value("arith.extsi", &[value], word, &[]);
        Ok(b.binary("arith.addi", old, b.binary("arith.muli", wide(x)?, wide(y)?)?)?)
    })?;
    let message =
        format!("{NAME} first computes the product of signed integers without the initial value");
    diagnostics::remark(operation, &message);
    if is_whole {
        tree::replace_uses(first_result(operation), products);
        tree::erase(operation);
        return Ok(());
    }
    // For each zero point the sums of the other operand, by the loops of C that it has.
    let mut terms: Vec<(Val<'c>, Vec<Linear>, Val<'c>)> = Vec::new();
    for (i, other) in [(0, 1), (1, 0)] {
        let Some(point) = points[other] else { continue };
        let has = |d: &usize| {
            maps[i].results.iter().any(|own| own.terms.iter().any(|(term, _)| term == d))
        };
        let kept: Vec<usize> = in_c.iter().copied().filter(has).collect();
        let all: Vec<usize> = kept.iter().chain(&loops.k).copied().collect();
        let renamed = maps[i].results.iter().map(|own| renamed(own, &all));
        let renamed = renamed.collect::<Option<Vec<_>>>().ok_or(melior::Error::OperationBuild)?;
        let mut inputs = vec![(operands[i], renamed)];
        if maps[i].results.iter().any(|own| own.terms.len() > 1) {
            // A window has its own sizes, as that of a pooling.
            let along_k = (kept.len()..all.len()).map(along).collect();
            inputs.push((empty(&b, &sizes_of_k, b.integer(8))?, along_k));
        }
        let output = (zeros(&kept)?, identity(kept.len()));
        let sums = one(&b, all.len(), &inputs, output, |b, values| {
            let (Some(&x), Some(&old)) = (values.first(), values.last()) else {
                return Err(melior::Error::OperationBuild.into());
            };
            Ok(b.binary("arith.addi", old, b.value("arith.extsi", &[x], word, &[])?)?)
        })?;
        let places = kept.iter().filter_map(|d| in_c.iter().position(|own| own == d));
        let at = places.map(|d| Linear { terms: vec![(d, 1)], constant: 0 }).collect();
        terms.push((sums, at, point));
    }
    let constant = match (points[0], points[1]) {
        (Some(x), Some(y)) => {
            let count = count(&b, &sizes_of_k)?;
            Some(b.binary("arith.muli", b.binary("arith.muli", x, y)?, count)?)
        }
        _ => None,
    };
    let rank = in_c.len();
    let mut inputs = vec![(c, identity(rank)), (products, identity(rank))];
    inputs.extend(terms.iter().map(|(sums, at, _)| (*sums, at.clone())));
    let target = empty(&b, &sizes(&b, c)?, word)?;
    let result = one(&b, rank, &inputs, (target, identity(rank)), |b, values| {
        let mut sum = b.binary("arith.addi", values[0], values[1])?;
        for ((_, _, point), value) in terms.iter().zip(&values[2..]) {
            sum = b.binary("arith.subi", sum, b.binary("arith.muli", *point, *value)?)?;
        }
        Ok(match constant {
            Some(constant) => b.binary("arith.addi", sum, constant)?,
            None => sum,
        })
    })?;
    tree::replace_uses(first_result(operation), result);
    tree::erase(operation);
    Ok(())
}

impl<'c> Factor<'c> {
    /// The operand, with signs.
    fn signed(&self, b: &Builder<'c>) -> Built<Val<'c>> {
        if self.is_signed {
            return Ok(self.operand);
        }
        let (rank, byte) = (extents(self.operand).len(), b.integer(8));
        let target = empty(b, &sizes(b, self.operand)?, byte)?;
        let inputs = [(self.operand, identity(rank))];
        one(b, rank, &inputs, (target, identity(rank)), |b, values| {
            let value = IntegerAttribute::new(byte, -UNSIGNED_OFFSET).into();
            let highest = b.value("arith.constant", &[], byte, &[("value", value)])?;
            Ok(b.binary("arith.xori", values[0], highest)?)
        })
    }

    /// The zero point of the operand with signs, or `None` for 0.
    fn offset(&self, b: &Builder<'c>) -> Built<Option<Val<'c>>> {
        let word = b.integer(32);
        let less = if self.is_signed { 0 } else { UNSIGNED_OFFSET };
        Ok(match self.zero_point {
            None if less == 0 => None,
            None => Some(b.constant(word, -less)?),
            Some(ZeroPoint::Known(known)) if known == less => None,
            Some(ZeroPoint::Known(known)) => b
                .binary("arith.subi", b.constant(word, known)?, b.constant(word, less)?)
                .map(Some)?,
            Some(ZeroPoint::At(value)) if less == 0 => Some(value),
            Some(ZeroPoint::At(value)) => {
                Some(b.binary("arith.subi", value, b.constant(word, less)?)?)
            }
        })
    }
}

/// A coordinate whose loops are numbered by their places.
fn renamed(own: &Linear, all: &[usize]) -> Option<Linear> {
    let place = |&(d, factor): &(usize, i64)| Some((all.iter().position(|own| *own == d)?, factor));
    let mut terms = own.terms.iter().map(place).collect::<Option<Vec<_>>>()?;
    terms.sort_unstable();
    Some(Linear { terms, constant: own.constant })
}

/// How many products a sum has, as an `i32`.
fn count<'c>(b: &Builder<'c>, sizes: &[Size<'c>]) -> Built<Val<'c>> {
    let word = b.integer(32);
    let mut count = b.constant(word, 1)?;
    for size in sizes {
        let size = b.value("arith.index_cast", &[size.value(b)?], word, &[])?;
        count = b.binary("arith.muli", count, size)?;
    }
    Ok(count)
}

/// The sizes of loops: one of a window is a coordinate of the other operand.
fn sizes_of<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    maps: &[IndexingMap; 3],
    loops: &[usize],
) -> Built<Vec<Size<'c>>> {
    let size = |d: &usize| {
        let mut all = (0..2).filter_map(|i| {
            Some((i, maps[i].results.iter().position(|own| own.dimension() == Some(*d))?))
        });
        let at = all.next().ok_or_else(|| Stop::Left("expected loops of an operand".to_owned()))?;
        Ok(sizes(b, operand(operation, at.0))?[at.1])
    };
    loops.iter().map(size).collect()
}
