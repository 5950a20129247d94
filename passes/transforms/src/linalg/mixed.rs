//! Contractions of two element types, or of one that the chip's tensor cores do not multiply: each operand is converted first to one type
//! that matmuls take and that holds all of its numbers.
//!
//! ```text
//! %c = linalg.matmul %a, %b : bf16, i8 -> f32   ->   %w = linalg.generic …    sitofp of each element of %b to bf16
//!                                                    %c = linalg.generic …    the contraction of bf16
//! ```
//!
//! Results are those of the contraction before, since each product is computed in the type of the sum. Where M or N is small, as for one
//! token, a kernel of rows reads the narrow type once instead.

use super::{
    NAME,
    contraction::{self, dimensions, multiplied},
    loops::{Built, Stop, element, empty, extents, identity, one, sizes},
};
use layout_dialect::{
    affine::{IndexingMap, indexing_maps},
    build::{Builder, Val, first_result, operand},
    diagnostics, tree,
};
use melior::ir::{OperationRef, Type, operation::OperationLike};

/// Types of A and B that matmuls take, the fastest first, and those of C.
const TARGETS: [(&str, &[&str]); 4] =
    [("bf16", &["bf16", "f32"]), ("f16", &["f16", "f32"]), ("f32", &["f32"]), ("f64", &["f64"])];

/// The least M and N for which a conversion pays.
const LEAST: i64 = 32;

/// A factor of the body's product.
struct Factor<'c> {
    /// The operand.
    operand: Val<'c>,
    of: String,
    /// The operation that widens an element of it, if there is one.
    widens: Option<String>,
}

/// Converts the operands of contractions below `root`.
pub(super) fn run<'c>(root: OperationRef<'c, '_>, chip: &str) -> Built<()> {
    let contractions = tree::all(root).into_iter().filter(|own| contraction::may_be_one(*own));
    for operation in contractions.collect::<Vec<_>>() {
        match convert(operation, chip) {
            Ok(()) | Err(Stop::Left(_)) => {}
            Err(failed) => return Err(failed),
        }
    }
    Ok(())
}

fn convert<'c>(operation: OperationRef<'c, 'c>, chip: &str) -> Built<()> {
    if operation.result_count() != 1 || is_multiplied(operation, chip) {
        return Ok(());
    }
    let Some(maps) = indexing_maps(operation) else { return Ok(()) };
    let Ok(maps): Result<[IndexingMap; 3], _> = maps.try_into() else { return Ok(()) };
    let Some(body) = tree::entry(operation) else { return Ok(()) };
    let c = operand(operation, 2);
    let of_c = element(c)?;
    let Ok(factors) = multiplied(body, &of_c.to_string()) else { return Ok(()) };
    let mut found = Vec::with_capacity(2);
    for number in 0..2 {
        let is_own = |factor: &&Val<'c>| {
            let made = tree::definition(**factor).filter(|made| made.operand_count() == 1);
            made.map_or(**factor, |made| operand(made, 0)) == tree::argument(body, number)
        };
        let Some(factor) = factors.iter().find(is_own) else { return Ok(()) };
        let operand = operand(operation, number);
        let widens = tree::definition(*factor).map(tree::name);
        found.push(Factor { operand, of: element(operand)?.to_string(), widens });
    }
    let target = TARGETS.iter().find(|(target, results)| {
        results.contains(&of_c.to_string().as_str()) && found.iter().all(|own| own.is_exact(target))
    });
    let Some((target, _)) = target else { return Ok(()) };
    if !is_large(operation, &maps) {
        return Ok(());
    }
    let b = Builder::before(operation);
    let to = Type::parse(b.context(), target).ok_or(melior::Error::OperationBuild)?;
    let mut inputs = Vec::with_capacity(2);
    for (own, map) in found.iter().zip(&maps) {
        inputs.push((own.converted(&b, to)?, map.results.clone()));
    }
    let count = maps[2].dimensions;
    let result = one(&b, count, &inputs, (c, maps[2].results.clone()), |b, values| {
        let [x, y, old] = values[..] else { return Err(melior::Error::OperationBuild.into()) };
        let widened = |value: Val<'c>| match to == of_c {
            true => Ok(value),
            false => b.value("arith.extf", &[value], of_c, &[]),
        };
        let product = b.binary("arith.mulf", widened(x)?, widened(y)?)?;
        Ok(b.binary("arith.addf", old, product)?)
    })?;
    let names = ["A", "B"].into_iter().zip(&found).filter(|(_, own)| own.of != **target);
    let names: Vec<String> = names.map(|(name, own)| format!("{name} from {}", own.of)).collect();
    let names = names.join(" and ");
    let message = format!("{NAME} first converts {names} to {target}, without rounding");
    diagnostics::remark(operation, &message);
    tree::replace_uses(first_result(operation), result);
    tree::erase(operation);
    Ok(())
}

/// Whether a chip multiplies the operands as they are.
fn is_multiplied(operation: OperationRef<'_, '_>, chip: &str) -> bool {
    contraction::Contraction::read(operation).is_ok_and(|own| own.is_on(chip).is_ok())
}

impl<'c> Factor<'c> {
    /// Whether a type holds all numbers of the operand's, as the body reads them.
    fn is_exact(&self, target: &str) -> bool {
        let holds: &[&str] = match (self.of.as_str(), self.widens.as_deref()) {
            ("i1" | "i8", Some("arith.sitofp" | "arith.uitofp")) => &["bf16", "f16", "f32", "f64"],
            ("i16", Some("arith.sitofp" | "arith.uitofp")) => &["f32", "f64"],
            ("i32", Some("arith.sitofp" | "arith.uitofp")) => &["f64"],
            ("f8E4M3FN" | "f8E5M2", Some("arith.extf") | None) => &["bf16", "f16", "f32", "f64"],
            ("bf16", Some("arith.extf") | None) => &["bf16", "f32", "f64"],
            ("f16", Some("arith.extf") | None) => &["f16", "f32", "f64"],
            ("f32", Some("arith.extf") | None) => &["f32", "f64"],
            ("f64", None) => &["f64"],
            _ => &[],
        };
        holds.contains(&target)
    }

    /// The operand, in another type.
    fn converted(&self, b: &Builder<'c>, to: Type<'c>) -> Built<Val<'c>> {
        if self.of == to.to_string() {
            return Ok(self.operand);
        }
        let conversion = self.widens.as_deref().unwrap_or("arith.extf");
        let rank = extents(self.operand).len();
        let target = empty(b, &sizes(b, self.operand)?, to)?;
        let inputs = [(self.operand, identity(rank))];
        one(b, rank, &inputs, (target, identity(rank)), |b, values| {
            Ok(b.value(conversion, &values[..1], to, &[])?)
        })
    }
}

/// Whether M and N are large, or not known.
pub(super) fn is_large(operation: OperationRef<'_, '_>, maps: &[IndexingMap; 3]) -> bool {
    let Ok(dimensions) = dimensions(maps) else { return false };
    let size = |d: &usize| {
        let at = maps.iter().enumerate().find_map(|(i, map)| {
            let place = map.results.iter().position(|result| result.dimension() == Some(*d))?;
            extents(operand(operation, i)).get(place).copied()
        });
        at.flatten().unwrap_or(LEAST)
    };
    [&dimensions.m, &dimensions.n]
        .into_iter()
        .all(|loops| loops.iter().map(size).fold(1, i64::saturating_mul) >= LEAST)
}
