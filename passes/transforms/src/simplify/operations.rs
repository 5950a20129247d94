//! Operations of the index language and those of `arith` that do the same: the one table of both.

use super::leaves::integer;
use layout_dialect::build::{Builder, Val, result};
use layout_egraph::{facts::Number, index::IndexOp};
use melior::ir::{
    Attribute, OperationRef, TypeLike, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};

/// The operation whose second result is the high word of a product.
pub(super) const EXTENDED_PRODUCT: &str = "arith.mului_extended";

/// MLIR's numbers of the predicates of `arith.cmpi`.
const EQUAL: i64 = 0;
const DIFFERENT: i64 = 1;
const LESS: i64 = 2;
const AT_MOST: i64 = 3;

/// The name of an operation with two operands and one result, of their type, that does the same; none
/// for comparisons, which have a predicate besides, for selections, and for what stands for two.
pub(super) fn name_of(op: IndexOp) -> Option<&'static str> {
    Some(match op {
        IndexOp::Add => "arith.addi",
        IndexOp::Sub => "arith.subi",
        IndexOp::Mul => "arith.muli",
        IndexOp::Div => "arith.divui",
        IndexOp::Mod => "arith.remui",
        IndexOp::Shl => "arith.shli",
        IndexOp::Shr => "arith.shrui",
        IndexOp::And => "arith.andi",
        IndexOp::Or => "arith.ori",
        IndexOp::Xor => "arith.xori",
        IndexOp::Min => "arith.minsi",
        IndexOp::Max => "arith.maxsi",
        _ => return None,
    })
}

/// The operation of the index language that does the same on two operands, and whether they are
/// swapped. Signed forms are taken where the facts make them equal to the unsigned ones.
pub(super) fn meaning(
    operation: OperationRef<'_, '_>,
    name: &str,
    [x, y]: &[Number; 2],
) -> Option<(IndexOp, bool)> {
    let natural = x.low >= 0 && y.low >= 0;
    let divides = y.low > 0;
    let shifts = y.value().is_some_and(|shift| (0..i64::from(y.width)).contains(&shift));
    let op = match name {
        "arith.divsi" | "arith.floordivsi" if divides && natural => IndexOp::Div,
        "arith.remsi" if divides && natural => IndexOp::Mod,
        "arith.shrsi" if shifts && natural => IndexOp::Shr,
        "arith.minui" if natural => IndexOp::Min,
        "arith.maxui" if natural => IndexOp::Max,
        EXTENDED_PRODUCT => IndexOp::High,
        "arith.cmpi" => {
            // The unsigned predicates come after the signed ones.
            let (op, swapped) = match (integer(operation, "predicate")?, natural) {
                (EQUAL, _) => (IndexOp::Equal, false),
                (LESS, _) | (6, true) => (IndexOp::Less, false),
                (AT_MOST, _) | (7, true) => (IndexOp::AtMost, false),
                (4, _) | (8, true) => (IndexOp::Less, true),
                (5, _) | (9, true) => (IndexOp::AtMost, true),
                _ => return None,
            };
            return Some((op, swapped));
        }
        _ => {
            let op = IndexOp::ALL.iter().copied().find(|&op| name_of(op) == Some(name))?;
            match op {
                IndexOp::Div | IndexOp::Mod if !divides => return None,
                IndexOp::Shl | IndexOp::Shr if !shifts => return None,
                op => op,
            }
        }
    };
    Some((op, false))
}

/// Whether an operation has a flag under which its result is poison.
pub(super) fn has_flags(operation: OperationRef<'_, '_>) -> bool {
    let overflow = operation.attribute("overflowFlags");
    overflow.is_ok_and(|flags| !flags.to_string().contains("none"))
        || operation.attribute("isExact").is_ok()
}

/// The value that an operation of the language stands for.
pub(super) fn answer<'c>(operation: OperationRef<'c, 'c>) -> Val<'c> {
    let last = operation.result_count().saturating_sub(1);
    result(operation, last)
}

/// Emits an operation. Fused ones have come back as their parts.
pub(super) fn emit<'c>(
    b: &Builder<'c>,
    op: IndexOp,
    operands: &[Val<'c>],
) -> Result<Val<'c>, melior::Error> {
    let first = operands.first().ok_or(melior::Error::OperationBuild)?;
    match op {
        IndexOp::Equal => compare(b, EQUAL, operands),
        IndexOp::Less => compare(b, LESS, operands),
        IndexOp::AtMost => compare(b, AT_MOST, operands),
        IndexOp::High => {
            let r#type = first.r#type();
            let made = b.operation(EXTENDED_PRODUCT, operands, &[r#type, r#type], &[], vec![])?;
            Ok(answer(made))
        }
        IndexOp::Select => {
            let r#type = operands.last().unwrap_or(first).r#type();
            b.value("arith.select", operands, r#type, &[])
        }
        _ => {
            let name = name_of(op).ok_or(melior::Error::OperationBuild)?;
            b.value(name, operands, first.r#type(), &[])
        }
    }
}

/// A predicate as the integer 0 or 1 of a type.
pub(super) fn number_of<'c>(
    b: &Builder<'c>,
    predicate: Val<'c>,
    r#type: melior::ir::Type<'c>,
) -> Result<Val<'c>, melior::Error> {
    let name = if r#type.is_index() { "arith.index_castui" } else { "arith.extui" };
    b.value(name, &[predicate], r#type, &[])
}

/// The integer 0 or 1 as a predicate.
pub(super) fn predicate_of<'c>(b: &Builder<'c>, number: Val<'c>) -> Result<Val<'c>, melior::Error> {
    let zero = b.constant(number.r#type(), 0)?;
    compare(b, DIFFERENT, &[number, zero])
}

fn compare<'c>(
    b: &Builder<'c>,
    predicate: i64,
    operands: &[Val<'c>],
) -> Result<Val<'c>, melior::Error> {
    let predicate: Attribute<'c> = IntegerAttribute::new(b.integer(64), predicate).into();
    b.value("arith.cmpi", operands, b.integer(1), &[("predicate", predicate)])
}
