//! `layout.relate`: the pieces of a relation as quasi-affine arithmetic and selections.

use super::{Failure, Lowering};
use layout_dialect::{
    RelationAttribute,
    build::{Builder, Val, operand, result},
    tree,
};
use layout_relation::{Piece, QuasiAffine, Sign};
use melior::ir::{OperationRef, Type, operation::OperationLike};

impl<'c> Lowering<'c> {
    pub(super) fn relate(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let relation = RelationAttribute::try_from(operation.attribute("relation")?)?;
        let formula = relation.formula().map_err(|error| Failure::refused(error.to_string()))?;
        let mut values: Vec<Val<'c>> =
            (0..operation.operand_count()).map(|at| operand(operation, at)).collect();
        let mut inside: Option<Val<'c>> = None;
        for pieces in &formula.steps {
            let (image, own) = step(b, pieces, &values)?;
            inside = Some(match inside {
                None => own,
                Some(before) => b.binary("arith.andi", before, own)?,
            });
            values = image;
        }
        let count = operation.result_count() - 1;
        let index = Type::index(b.context());
        for at in 0..count {
            // Without pieces there is no image, and any number is right.
            let value = match values.get(at).filter(|_| formula.steps.iter().all(|s| !s.is_empty()))
            {
                Some(&value) => value,
                None => b.constant(index, 0)?,
            };
            tree::replace_uses(result(operation, at), value);
        }
        let inside = match inside {
            Some(inside) => inside,
            None => b.constant(b.integer(1), 1)?,
        };
        tree::replace_uses(result(operation, count), inside);
        Ok(())
    }
}

/// The image of one step, and whether there is one: of the first piece whose conditions hold, and of
/// the last where none do.
fn step<'c>(
    b: &Builder<'c>,
    pieces: &[Piece],
    at: &[Val<'c>],
) -> Result<(Vec<Val<'c>>, Val<'c>), Failure> {
    let mut image: Option<Vec<Val<'c>>> = None;
    let mut inside = None;
    for piece in pieces.iter().rev() {
        let own = holds(b, piece, at)?;
        let values = piece
            .results
            .iter()
            .map(|result| value(b, result, at))
            .collect::<Result<Vec<_>, Failure>>()?;
        image = Some(match image {
            None => values,
            Some(others) => {
                let chosen = values.into_iter().zip(others).map(|(value, other)| {
                    let index = Type::index(b.context());
                    Ok(b.value("arith.select", &[own, value, other], index, &[])?)
                });
                chosen.collect::<Result<_, Failure>>()?
            }
        });
        inside = Some(match inside {
            None => own,
            Some(others) => b.binary("arith.ori", own, others)?,
        });
    }
    let inside = match inside {
        Some(inside) => inside,
        None => b.constant(b.integer(1), 0)?,
    };
    Ok((image.unwrap_or_default(), inside))
}

/// Whether one of a piece's conjunctions holds.
fn holds<'c>(b: &Builder<'c>, piece: &Piece, at: &[Val<'c>]) -> Result<Val<'c>, Failure> {
    let mut any = None;
    for conjunction in &piece.conditions {
        let mut all = None;
        for (sign, expression) in conjunction {
            let value = value(b, expression, at)?;
            let index = Type::index(b.context());
            let one = match sign {
                Sign::Zero => b.equal(value, b.constant(index, 0)?)?,
                Sign::NotNegative => b.less(b.constant(index, -1)?, value)?,
            };
            all = Some(match all {
                None => one,
                Some(others) => b.binary("arith.andi", others, one)?,
            });
        }
        let all = match all {
            Some(all) => all,
            None => b.constant(b.integer(1), 1)?,
        };
        any = Some(match any {
            None => all,
            Some(others) => b.binary("arith.ori", others, all)?,
        });
    }
    match any {
        Some(any) => Ok(any),
        None => Ok(b.constant(b.integer(1), 0)?),
    }
}

/// The value of an expression, rounded down.
fn value<'c>(
    b: &Builder<'c>,
    expression: &QuasiAffine,
    at: &[Val<'c>],
) -> Result<Val<'c>, Failure> {
    let index = Type::index(b.context());
    let mut sum = None;
    let mut add = |factor: i64, term: Val<'c>| -> Result<(), Failure> {
        let term = match factor {
            1 => term,
            _ => b.binary("arith.muli", term, b.constant(index, factor)?)?,
        };
        sum = Some(match sum {
            None => term,
            Some(others) => b.binary("arith.addi", others, term)?,
        });
        Ok(())
    };
    for (&factor, &dimension) in expression.coefficients.iter().zip(at) {
        if factor != 0 {
            add(factor, dimension)?;
        }
    }
    for (factor, inner) in &expression.divisions {
        add(*factor, value(b, inner, at)?)?;
    }
    let constant = b.constant(index, expression.constant)?;
    let sum = match sum {
        None => constant,
        Some(sum) if expression.constant == 0 => sum,
        Some(sum) => b.binary("arith.addi", sum, constant)?,
    };
    match expression.denominator {
        1 => Ok(sum),
        divisor => floor(b, sum, divisor),
    }
}

/// The quotient by a positive number, rounded down: what truncates is corrected where there is a
/// negative remainder.
fn floor<'c>(b: &Builder<'c>, value: Val<'c>, divisor: i64) -> Result<Val<'c>, Failure> {
    let index = Type::index(b.context());
    if divisor.count_ones() == 1 {
        let shift = b.constant(index, i64::from(divisor.trailing_zeros()))?;
        return Ok(b.binary("arith.shrsi", value, shift)?);
    }
    let by = b.constant(index, divisor)?;
    let quotient = b.binary("arith.divsi", value, by)?;
    let rest = b.binary("arith.remsi", value, by)?;
    let below = b.less(rest, b.constant(index, 0)?)?;
    let less = b.binary("arith.subi", quotient, b.constant(index, 1)?)?;
    Ok(b.value("arith.select", &[below, less, quotient], index, &[])?)
}
