//! `layout.relate`: its results, by the relation's own arithmetic.

use super::{
    arithmetic::holds,
    trace::{Known, Reader},
};
use layout_dialect::RelationAttribute;
use layout_relation::{Formula, IndexForm, Piece, QuasiAffine, Sign};
use melior::ir::{OperationRef, operation::OperationLike};

impl Reader {
    pub(super) fn relate(&mut self, operation: OperationRef<'_, '_>) {
        let read = || -> Option<(Vec<IndexForm>, IndexForm)> {
            let relation =
                RelationAttribute::try_from(operation.attribute("relation").ok()?).ok()?;
            let at: Option<Vec<IndexForm>> =
                (0..operation.operand_count()).map(|at| self.form(operation, at)).collect();
            image(&relation.formula().ok()?, at?)
        };
        let Some((image, inside)) = read() else { return };
        let count = image.len();
        for (at, form) in image.into_iter().enumerate() {
            self.set(operation, at, Some(Known::Form(form)));
        }
        self.set(operation, count, holds(&inside).map(Known::Conditions));
    }
}

/// The image, and 1 where the coordinate has one. Where it has none, the image is the last piece's,
/// which is as good as any.
fn image(formula: &Formula, mut at: Vec<IndexForm>) -> Option<(Vec<IndexForm>, IndexForm)> {
    let mut inside = IndexForm::constant(1);
    for pieces in &formula.steps {
        let mut found: Option<Vec<IndexForm>> = None;
        let mut any = IndexForm::constant(0);
        for piece in pieces.iter().rev() {
            let own = indicator(piece, &at)?;
            let values: Vec<IndexForm> =
                piece.results.iter().map(|result| value(result, &at)).collect::<Option<_>>()?;
            found = Some(match found {
                None => values,
                Some(others) => values
                    .iter()
                    .zip(&others)
                    .map(|(value, other)| own.choose(value, other))
                    .collect::<Option<_>>()?,
            });
            any = own.or(&any)?;
        }
        at = found?;
        inside = inside.times(&any)?;
    }
    Some((at, inside))
}

/// 1 where one of a piece's conjunctions holds, else 0.
fn indicator(piece: &Piece, at: &[IndexForm]) -> Option<IndexForm> {
    let one = IndexForm::constant(1);
    piece.conditions.iter().try_fold(IndexForm::constant(0), |any, conjunction| {
        let all = conjunction.iter().try_fold(one.clone(), |all, (sign, expression)| {
            let value = value(expression, at)?;
            let below = value.negative()?;
            let holds = match sign {
                Sign::NotNegative => one.minus(&below)?,
                Sign::Zero => one.minus(&below)?.minus(&value.scale(-1)?.negative()?)?,
            };
            all.times(&holds)
        })?;
        any.or(&all)
    })
}

fn value(expression: &QuasiAffine, at: &[IndexForm]) -> Option<IndexForm> {
    let mut sum = IndexForm::constant(expression.constant);
    for (&factor, dimension) in expression.coefficients.iter().zip(at) {
        sum = sum.plus(&dimension.scale(factor)?)?;
    }
    for (factor, inner) in &expression.divisions {
        sum = sum.plus(&value(inner, at)?.scale(*factor)?)?;
    }
    sum.floor_div(expression.denominator)
}
