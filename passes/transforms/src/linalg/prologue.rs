//! Conversions before a contraction that become its prologue: `layout.matmul` reads the narrow type, and warps convert its elements in
//! registers, between shared memory and the MMA.
//!
//! ```text
//! %w = linalg.generic …    sitofp of each element of %b to bf16   ->   %c = linalg.generic …    bf16 times i8
//! %c = linalg.matmul %a, %w : bf16, bf16 -> f32
//! ```
//!
//! The conversions are exact, so that results are those of the contraction before.
//!
//! A conversion that is a kernel moves each element three times, one byte to it and two from it, and the matmul two bytes more. Here the
//! matmul moves one byte of it for each tile along the other operand. [`is_taken`] requires few rows of that operand, [`MOST`], which
//! one tile covers: then a matmul is bound by the memory that the narrow operand is in, a fifth of the bytes is moved, and no element
//! is converted twice. With more rows, tensor cores bound the matmul, warpgroups multiply faster than warps, and the conversion
//! is a kernel ([`mixed`](super::mixed)). One row is as fast as those that fill an MMA, since memory bounds both.
//!
//! [`scales`] first moves the scales of quantised operands after the contraction.

mod scales;

use super::{
    NAME, Reason,
    contraction::{self, Dimensions, may_be_one},
    conversions::Conversion,
    loops::{Built, Stop, element, extents, one},
};
use layout_dialect::{
    affine::IndexingMap,
    build::{Builder, Val, first_result},
    diagnostics, ops, tree,
};
use melior::ir::{OperationRef, operation::OperationLike};

/// The most rows of the operand that is not converted: those that one tile covers.
const MOST: i64 = 64;

/// Rows of the converted operand, and elements of K, from which on tiles are whole.
const LEAST_CONVERTED: i64 = 128;
const LEAST_DEPTH: i64 = 64;

/// Lets contractions below `root` read what is converted for them.
pub(super) fn run<'c>(root: OperationRef<'c, '_>) -> Built<()> {
    let contractions = || tree::all(root).into_iter().filter(|own| may_be_one(*own));
    for operation in contractions().collect::<Vec<_>>() {
        match scales::run(operation) {
            Ok(()) | Err(Stop::Left(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    for operation in contractions().collect::<Vec<_>>() {
        match absorb(operation) {
            Ok(()) | Err(Stop::Left(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}

fn absorb<'c>(operation: OperationRef<'c, 'c>) -> Built<()> {
    if operation.result_count() != 1 {
        return Ok(());
    }
    let Ok(read) = contraction::Contraction::read(operation) else { return Ok(()) };
    for number in 0..2 {
        let Some(found) = conversion(read.operands[number]) else { continue };
        let mut operands = read.operands;
        operands[number] = found.source;
        let names = [operands[0], operands[1]].map(|of| element(of).map(|of| of.to_string()));
        let [Ok(a), Ok(b)] = names else { continue };
        let of = ["A", "B"][number];
        let to = element(read.operands[number])?;
        if a == b || ops::multiplied_type(&a, &b) != Some(to.to_string().as_str()) {
            continue;
        }
        if let Err(reason) = is_taken(&operands, &read.maps, &read.dimensions) {
            let message =
                format!("{NAME} converts {of} in a kernel before the contraction: {reason}");
            diagnostics::remark(operation, &message);
            continue;
        }
        rewrite(&read, &operands)?;
        let from = element(found.source)?;
        diagnostics::remark_at(
            found.operation.location(),
            &format!(
                "{NAME} converts {of} from {from} to {to} in registers, as the prologue of the contraction"
            ),
        );
        tree::erase(operation);
        if tree::user(found.operation).is_none() {
            tree::erase(found.operation);
        }
        return Ok(());
    }
    Ok(())
}

/// The conversion that makes a tensor, which nothing else reads.
fn conversion(tensor: Val<'_>) -> Option<Conversion<'_>> {
    Conversion::of(tensor, &["arith.sitofp", "arith.extf"]).filter(|found| {
        found.operation.result_count() == 1 && tree::users(found.operation).count() == 1
    })
}

/// Puts the contraction of other operands in place of one.
fn rewrite<'c>(read: &contraction::Contraction<'c>, operands: &[Val<'c>; 3]) -> Built<()> {
    let b = Builder::before(read.operation);
    let of_c = element(operands[2])?;
    let [in_a, in_b, in_c] = &read.maps;
    let inputs = [(operands[0], in_a.results.clone()), (operands[1], in_b.results.clone())];
    let output = (operands[2], in_c.results.clone());
    let result = one(&b, in_c.dimensions, &inputs, output, |b, values| {
        let [x, y, old] = values[..] else { return Err(melior::Error::OperationBuild.into()) };
        let widened = |value: Val<'c>| {
            let of = melior::ir::ValueLike::r#type(&value);
            match of.to_string().as_str() {
                _ if of == of_c => Ok(value),
                "i8" => b.value("arith.sitofp", &[value], of_c, &[]),
                _ => b.value("arith.extf", &[value], of_c, &[]),
            }
        };
        let product = b.binary("arith.mulf", widened(x)?, widened(y)?)?;
        Ok(b.binary("arith.addf", old, product)?)
    })?;
    tree::replace_uses(first_result(read.operation), result);
    Ok(())
}

/// Whether a matmul converts one of two operands in registers, by the extents of the contraction.
///
/// # Errors
///
/// An extent that is too small, too large or dynamic.
pub(super) fn is_taken(
    operands: &[Val<'_>; 3],
    maps: &[IndexingMap; 3],
    dimensions: &Dimensions,
) -> Result<(), Reason> {
    let of = |i: usize| contraction::element(operands[i]).map(|of| of.to_string());
    let (a, b) = (of(0)?, of(1)?);
    let multiplied = ops::multiplied_type(&a, &b).unwrap_or(&a);
    let has_windows = maps.iter().flat_map(|map| &map.results).any(|own| own.dimension().is_none());
    if has_windows {
        return Err(format!("expected operands of one type for windows, found {a} and {b}"));
    }
    let size = |d: &usize| {
        (0..3).find_map(|i| {
            let place = maps[i].results.iter().position(|own| own.dimension() == Some(*d))?;
            extents(operands[i]).get(place).copied().flatten()
        })
    };
    let all =
        |loops: &[usize]| loops.iter().map(size).try_fold(1_i64, |all, n| all.checked_mul(n?));
    let (few, converted, name) = match a == multiplied {
        true => (&dimensions.m, &dimensions.n, "A"),
        false => (&dimensions.n, &dimensions.m, "B"),
    };
    let text = |n: Option<i64>| n.map_or_else(|| "a dynamic number".to_owned(), |n| n.to_string());
    let rows = all(few);
    if !rows.is_some_and(|rows| (1..=MOST).contains(&rows)) {
        return Err(format!(
            "expected 1 to {MOST} rows of {name} for a conversion in registers, found {}",
            text(rows)
        ));
    }
    let (others, depth) = (all(converted), all(&dimensions.k));
    if others.is_none_or(|rows| rows < LEAST_CONVERTED) || depth.is_none_or(|k| k < LEAST_DEPTH) {
        return Err(format!(
            "expected a converted operand of at least {LEAST_CONVERTED} by {LEAST_DEPTH} elements, found {} by {}",
            text(others),
            text(depth)
        ));
    }
    Ok(())
}
