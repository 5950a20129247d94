//! Scales of quantised operands: the contraction reads the narrow numbers, and its epilogue multiplies by the scales.
//!
//! ```text
//! sum over k of x(m,k) * (w(k,n) * s(n))   =   s(n) * sum over k of x(m,k) * w(k,n)
//! ```
//!
//! The products of 16 bits by 8 are exact in f32, and sums are f32 on both sides: where the front end multiplies by scales in f32, the two differ as sums in another order
//! do. Where it rounds each scaled weight to 16 bits, the right side leaves out these roundings. It is taken if all that reads the result rounds it to no more bits than the
//! weights have, and if the matmul converts the weights in registers, so that no kernel makes 16-bit weights. Scales are finite, as are sums of unscaled numbers:
//! those of bf16 may leave f32 from 1e34 on.
//!
//! Scales that differ along K, and zero points, stay with the weights, whose kernel dequantises them; a remark says so.

use super::is_taken;
use crate::linalg::{
    NAME, Reason,
    contraction::{self, Dimensions, dimensions, multiplied},
    conversions::Conversion,
    loops::{
        Built, Stop, along, at, element, empty, filled, identity, narrow, number, one, sizes, wide,
    },
    numbers::is_half,
    reshape::is_reshape,
};
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    diagnostics, tree,
};
use melior::ir::{BlockRef, OperationRef, Type, ValueLike, operation::OperationLike};

/// The most operations between a contraction and the numbers that are scaled.
const DEPTH: usize = 12;

/// Where a tensor is read: a dimension of the contraction's operand for each of its own, or `None` for its only element along one.
type At = Vec<Option<usize>>;

/// The numbers that an element of a tensor is computed of.
#[derive(Clone, Default)]
struct Scaled<'c> {
    /// The tensor of 8-bit numbers.
    source: Option<Val<'c>>,
    /// The tensors that these are multiplied by.
    scales: Vec<(Val<'c>, At)>,
    /// The type of 16 bits that the scaled numbers are rounded to.
    rounded: Option<Type<'c>>,
    /// A form that stays with the weights.
    refused: Option<&'static str>,
}

/// An operand of the contraction that takes the place of one.
enum Factor<'c> {
    Half(Val<'c>),
    Narrow(Scaled<'c>),
}

impl<'c> Factor<'c> {
    fn tensor(&self) -> Option<Val<'c>> {
        match self {
            Self::Half(tensor) => Some(*tensor),
            Self::Narrow(scaled) => scaled.source,
        }
    }
}

/// Moves the scales of a contraction's operands after it.
pub(super) fn run<'c>(operation: OperationRef<'c, 'c>) -> Built<()> {
    let Some(Ok(maps)) = indexing_maps(operation).map(<[IndexingMap; 3]>::try_from) else {
        return Ok(());
    };
    if operation.result_count() != 1 || !is_product_of_floats(operation) {
        return Ok(());
    }
    let Ok(loops) = dimensions(&maps) else { return Ok(()) };
    let mut factors = Vec::with_capacity(2);
    for number in 0..2 {
        let tensor = operand(operation, number);
        let scaled = scaled(tensor, extent_count(tensor), DEPTH);
        let is_scaled = |own: &Scaled<'c>| own.source.is_some() && !own.scales.is_empty();
        factors.push(match scaled.filter(is_scaled) {
            Some(scaled) => Factor::Narrow(scaled),
            None => match half(tensor) {
                Some(half) => Factor::Half(half),
                None => return Ok(()),
            },
        });
    }
    if factors.iter().all(|own| matches!(own, Factor::Half(_))) {
        return Ok(());
    }
    match is_moved(operation, &maps, &loops, &factors) {
        Ok(()) => rewrite(operation, &maps, &factors),
        Err(reason) => {
            let names = ["A", "B"].into_iter().zip(&factors);
            let names: Vec<&str> = names
                .filter(|(_, own)| matches!(own, Factor::Narrow(_)))
                .map(|(name, _)| name)
                .collect();
            let message = format!(
                "{NAME} dequantises {} in a kernel before the contraction: {reason}",
                names.join(" and ")
            );
            diagnostics::remark(operation, &message);
            Ok(())
        }
    }
}

fn extent_count(tensor: Val<'_>) -> At {
    (0..crate::linalg::loops::extents(tensor).len()).map(Some).collect()
}

/// Whether an operation multiplies and adds floats, each converted to the sum's type or not.
fn is_product_of_floats(operation: OperationRef<'_, '_>) -> bool {
    let Some(body) = tree::entry(operation) else { return false };
    let Ok(of_c) = contraction::element(operand(operation, 2)) else { return false };
    let of_c = of_c.to_string();
    if !["f32", "f16", "bf16"].contains(&of_c.as_str()) {
        return false;
    }
    let Ok(factors) = multiplied(body, &of_c) else { return false };
    let arguments = factors.map(|factor| match tree::definition(factor) {
        Some(made) if tree::name(made) == "arith.extf" => operand(made, 0),
        _ => factor,
    });
    let own = [tree::argument(body, 0), tree::argument(body, 1)];
    arguments == own || arguments == [own[1], own[0]]
}

/// A tensor of 16 bits, or that of which a tensor is the conversion.
fn half(tensor: Val<'_>) -> Option<Val<'_>> {
    match element(tensor) {
        Ok(of) if is_half(of) => Some(tensor),
        _ => Conversion::of_half(tensor).map(|own| own.source),
    }
}

/// The numbers that a tensor's elements are computed of, where it is read at coordinates of the contraction's operand.
fn scaled<'c>(tensor: Val<'c>, read: At, depth: usize) -> Option<Scaled<'c>> {
    let leaf = |read: At| {
        let of = element(tensor).ok()?;
        let is_float = is_half(of) || of.to_string() == "f32";
        is_float.then(|| Scaled { scales: vec![(tensor, read)], ..Scaled::default() })
    };
    let Some(made) = tree::definition(tensor).filter(|_| depth > 0) else { return leaf(read) };
    if is_reshape(made) && made.operand_count() > 0 {
        let inner = operand(made, 0);
        let found = scaled(inner, extent_count(inner), depth - 1);
        return match found.filter(|own| own.source.is_some()) {
            Some(found) => {
                let refused = Some(
                    "expected scaled numbers as they are multiplied, found a reshape of them, as of groups along K",
                );
                Some(Scaled { refused: found.refused.or(refused), ..found })
            }
            None => leaf(read),
        };
    }
    let opened = tree::entry(made)
        .filter(|_| tree::name(made).starts_with("linalg.") && made.result_count() == 1);
    let of = |body: BlockRef<'c, 'c>| {
        let maps = indexing_maps(made)?;
        let (result, inputs) = maps.split_last()?;
        let loops: Vec<Option<usize>> = result.results.iter().map(Linear::dimension).collect();
        let is_own = loops.len() == result.dimensions
            && (0..result.dimensions).all(|d| loops.contains(&Some(d)));
        let end = tree::operations(body).last().copied()?;
        if !is_own || end.operand_count() != 1 {
            return None;
        }
        // Where each loop is read, by the result's coordinates.
        let mut places = vec![None; result.dimensions];
        for (place, own) in loops.iter().zip(&read) {
            places[(*place)?] = *own;
        }
        let reads = Reads { made, body, inputs, places };
        reads.value(operand(end, 0), depth - 1)
    };
    match opened.and_then(of) {
        // A scale is read as it is in memory.
        Some(found) if found.source.is_some() || found.scales.len() == 1 => Some(found),
        _ => leaf(read),
    }
}

/// The body of an elementwise operation.
struct Reads<'o, 'c> {
    made: OperationRef<'c, 'c>,
    body: BlockRef<'c, 'c>,
    inputs: &'o [IndexingMap],
    /// Where each loop is read.
    places: At,
}

impl<'c> Reads<'_, 'c> {
    fn argument(&self, value: Val<'c>) -> Option<usize> {
        (0..self.inputs.len()).find(|&i| tree::argument(self.body, i) == value)
    }

    /// The tensor that an argument is an element of, and where it is read.
    fn read(&self, number: usize) -> Option<(Val<'c>, At)> {
        let one = |own: &Linear| match (own.dimension(), own) {
            (Some(d), _) => self.places.get(d).copied(),
            (None, Linear { terms, constant: 0 }) if terms.is_empty() => Some(None),
            _ => None,
        };
        let read = self.inputs[number].results.iter().map(one).collect::<Option<At>>()?;
        Some((operand(self.made, number), read))
    }

    fn value(&self, value: Val<'c>, depth: usize) -> Option<Scaled<'c>> {
        if depth == 0 {
            return None;
        }
        if let Some(number) = self.argument(value) {
            let (tensor, read) = self.read(number)?;
            return scaled(tensor, read, depth - 1);
        }
        let step = tree::definition(value)?;
        let of = value.r#type();
        let inner = |i: usize| self.value(operand(step, i), depth - 1);
        match tree::name(step).as_str() {
            "arith.sitofp" | "arith.extf" if self.narrow(operand(step, 0)).is_some() => {
                let (tensor, read) = self.narrow(operand(step, 0))?;
                // Other orders of the same coordinates are another matrix.
                let is_same = read == extent_count(tensor);
                is_same.then(|| Scaled { source: Some(tensor), ..Scaled::default() })
            }
            "arith.extf" => inner(0),
            "arith.truncf" if is_half(of) => {
                let found = inner(0)?;
                let is_scaled = found.source.is_some();
                is_scaled.then(|| Scaled { rounded: found.rounded.or(Some(of)), ..found })
            }
            "arith.mulf" => {
                let (mut a, b) = (inner(0)?, inner(1)?);
                let source = match (a.source, b.source) {
                    (Some(own), None) | (None, Some(own)) => own,
                    _ => return None,
                };
                a.scales.extend(b.scales);
                let own = is_half(of).then_some(of);
                Some(Scaled {
                    source: Some(source),
                    scales: a.scales,
                    rounded: a.rounded.or(b.rounded).or(own),
                    refused: a.refused.or(b.refused),
                })
            }
            "arith.subf" => {
                let (a, b) = (inner(0)?, inner(1)?);
                (a.source.is_some() && b.source.is_none()).then_some(Scaled {
                    refused: Some("expected numbers without zero points, found a difference"),
                    ..a
                })
            }
            _ => None,
        }
    }

    /// The tensor of 8 bits that a value is an element of.
    fn narrow(&self, value: Val<'c>) -> Option<(Val<'c>, At)> {
        const TYPES: [&str; 3] = ["i8", "f8E4M3FN", "f8E5M2"];
        TYPES.contains(&value.r#type().to_string().as_str()).then_some(())?;
        self.read(self.argument(value)?)
    }
}

/// Whether the scales move after the contraction.
fn is_moved<'c>(
    operation: OperationRef<'c, 'c>,
    maps: &[IndexingMap; 3],
    loops: &Dimensions,
    factors: &[Factor<'c>],
) -> Result<(), Reason> {
    let mut rounded = None;
    for (number, own) in factors.iter().enumerate() {
        let Factor::Narrow(own) = own else { continue };
        if let Some(reason) = own.refused {
            return Err(reason.to_owned());
        }
        let tensor = operand(operation, number);
        if own.source.map(|source| extent_count(source).len()) != Some(extent_count(tensor).len()) {
            return Err("expected numbers of the operand's rank, found a broadcast".to_owned());
        }
        if tree::definition(tensor).is_none_or(|made| tree::users(made).count() != 1) {
            return Err("expected one reader of the scaled numbers, found several".to_owned());
        }
        for d in own.scales.iter().flat_map(|(_, read)| read).flatten() {
            let own = maps[number].results.get(*d).and_then(Linear::dimension);
            if own.is_none_or(|own| loops.k.contains(&own)) {
                return Err("expected scales that are the same along K, found others".to_owned());
            }
        }
        rounded = rounded.or(own.rounded);
    }
    let c = operand(operation, 2);
    let made = tree::definition(c).filter(|made| tree::name(*made) == "linalg.fill");
    let start = made.and_then(|fill| tree::definition(operand(fill, 0)));
    let start = start.and_then(|made| made.attribute("value").ok());
    let start = start.and_then(|own| melior::ir::attribute::FloatAttribute::try_from(own).ok());
    if start.is_none_or(|own| own.value() != 0.0) {
        return Err("expected sums that start at 0, found an initial value".to_owned());
    }
    let Some(rounded) = rounded else { return Ok(()) };
    let result = first_result(operation);
    let of_c = contraction::element(result)?;
    let is_read_rounded = if is_half(of_c) {
        has_no_more_bits(of_c, rounded)
    } else {
        is_read_rounded(result, rounded, DEPTH)
    };
    if !is_read_rounded {
        return Err(format!(
            "expected a result that is rounded to no more bits than weights in {rounded}, found one in {of_c}"
        ));
    }
    let tensors = [factors[0].tensor(), factors[1].tensor()];
    let [Some(a), Some(b)] = tensors else { return Err("expected two tensors".to_owned()) };
    let names = [contraction::element(a)?, contraction::element(b)?].map(|own| own.to_string());
    if layout_dialect::ops::multiplied_type(&names[0], &names[1]).is_none() || names[0] == names[1]
    {
        return Err(format!(
            "expected numbers of 8 bits by others of 16, found {} by {}",
            names[0], names[1]
        ));
    }
    is_taken(&[a, b, c], maps, loops)
}

/// Whether numbers of a type have at most as many bits, of those that are no exponent, as those of another.
fn has_no_more_bits(own: Type<'_>, other: Type<'_>) -> bool {
    own == other || own.to_string() == "bf16"
}

/// Whether all that reads a tensor rounds its elements.
fn is_read_rounded(tensor: Val<'_>, to: Type<'_>, depth: usize) -> bool {
    let Some(made) = tree::definition(tensor).filter(|_| depth > 0) else { return false };
    let mut users = tree::users(made).filter(|user| tree::name(*user) != "tensor.dim").peekable();
    users.peek().is_some()
        && users.all(|user| {
            if is_reshape(user) {
                return is_read_rounded(first_result(user), to, depth - 1);
            }
            let name = tree::name(user);
            if !name.starts_with("linalg.") || user.result_count() != 1 {
                return false;
            }
            match element(first_result(user)) {
                Ok(of) if is_half(of) => has_no_more_bits(of, to),
                Ok(of) if of.to_string() == "f32" => {
                    is_read_rounded(first_result(user), to, depth - 1)
                }
                _ => false,
            }
        })
}

/// Puts the contraction of the narrow numbers, and the product with their scales, in place of a contraction.
fn rewrite<'c>(
    operation: OperationRef<'c, 'c>,
    maps: &[IndexingMap; 3],
    factors: &[Factor<'c>],
) -> Built<()> {
    let b = Builder::before(operation);
    let (c, f32) = (operand(operation, 2), Type::float32(b.context()));
    let of_c = element(c)?;
    let missing = || Stop::Failed(melior::Error::OperationBuild);
    let mut inputs = Vec::with_capacity(2);
    for (own, map) in factors.iter().zip(maps) {
        inputs.push((own.tensor().ok_or_else(missing)?, map.results.clone()));
    }
    let extents = sizes(&b, c)?;
    let zeros = filled(&b, &extents, f32, number(f32, 0.0)?)?;
    let start = (zeros, maps[2].results.clone());
    let sums = one(&b, maps[2].dimensions, &inputs, start, |b, values| {
        let [x, y, old] = values[..] else { return Err(missing()) };
        let widened = |value: Val<'c>| match value.r#type().to_string().as_str() {
            "i8" => b.value("arith.sitofp", &[value], f32, &[]),
            _ => b.value("arith.extf", &[value], f32, &[]),
        };
        Ok(b.binary("arith.addf", old, b.binary("arith.mulf", widened(x)?, widened(y)?)?)?)
    })?;
    let rank = extents.len();
    let mut inputs = vec![(sums, identity(rank))];
    for (own, map) in factors.iter().zip(maps) {
        let Factor::Narrow(own) = own else { continue };
        for (scale, read) in &own.scales {
            let place = |d: &Option<usize>| match d {
                None => Some(at(0)),
                Some(d) => {
                    let own = map.results.get(*d)?.dimension()?;
                    let is_own = |other: &Linear| other.dimension() == Some(own);
                    maps[2].results.iter().position(is_own).map(along)
                }
            };
            let places = read.iter().map(place).collect::<Option<_>>().ok_or_else(missing)?;
            inputs.push((*scale, places));
        }
    }
    let target = (empty(&b, &extents, of_c)?, identity(rank));
    let result = one(&b, rank, &inputs, target, |b, values| {
        let (sum, scales) = values.split_first().ok_or_else(missing)?;
        let mut value = *sum;
        for scale in &scales[..scales.len() - 1] {
            value = b.binary("arith.mulf", value, wide(b, *scale, f32)?)?;
        }
        narrow(b, value, of_c)
    })?;
    for (name, own) in ["A", "B"].into_iter().zip(factors) {
        let Factor::Narrow(Scaled { source: Some(source), .. }) = own else { continue };
        let of = element(*source)?;
        let message = format!(
            "{NAME} multiplies by the scales of {name}, which is {of}, after the contraction"
        );
        diagnostics::remark(operation, &message);
    }
    tree::replace_uses(first_result(operation), result);
    tree::erase(operation);
    Ok(())
}
