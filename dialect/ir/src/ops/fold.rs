//! Folding: operations with static results become constants, and operations that change nothing become their operands.

use crate::ops::prelude::*;
use crate::{
    data::types::held_by,
    ops::{
        adaptor::Known,
        calls::{self, Meaning},
        canonical,
        infer::Source,
        relate,
    },
    pass::build,
};
use layout_algebra::Value as Datatype;
use melior::ir::r#type::IntegerType;

/// The replacement of a result.
pub(crate) enum Folded<'c> {
    /// A constant.
    Constant(Attribute<'c>),
    /// The operand of this number.
    Operand(usize),
}

/// The folded results of an operation, if it folds.
pub(crate) fn fold<'c>(
    name: &str,
    operation: OperationRef<'c, '_>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<Folded<'c>>> {
    if let Some(folded) = known(name, operation, constants) {
        return Some(folded.into_iter().map(Folded::Constant).collect());
    }
    partly_known(name, operation, constants)
}

/// Folds an operation of static operands.
fn known<'c>(
    name: &str,
    operation: OperationRef<'c, '_>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<Attribute<'c>>> {
    match name {
        "size" | "cosize" | "rank" | "depth" => {
            let value = static_index(name, operation)?;
            Some(vec![constant(operation, value)])
        }
        "crd2idx" => index::fold_crd2idx(operation, constants),
        "load" => {
            let value = canonical::counted_value(operation, constants)?;
            Some(vec![constant(operation, value)])
        }
        "relate" => relate::fold(operation, constants),
        "idx2crd" => index::fold_idx2crd(operation, constants),
        _ => {
            // The static part of a layout or a tuple is in its type.
            let held = held_by(operation.result(0).ok()?.r#type())?;
            let context = build::context_of(operation);
            let known = (!held.is_symbolic()).then(|| TermAttribute::from_interned(context, &held));
            Some(vec![known?.into()])
        }
    }
}

/// Folds an operation of partly static operands.
fn partly_known<'c>(
    name: &str,
    operation: OperationRef<'c, '_>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<Folded<'c>>> {
    if name == "assume" {
        let same = operation.operand(0).ok()?.r#type() == operation.result(0).ok()?.r#type();
        return same.then(|| vec![Folded::Operand(0)]);
    }
    if name == "make_view" {
        // The same place through the same layout.
        let same = operation.operand(0).ok()?.r#type() == operation.result(0).ok()?.r#type();
        let known = crate::ops::adaptor::known(operation.operand(1).ok()?.r#type()).ok()??;
        return (same && known.any_layout().is_some()).then(|| vec![Folded::Operand(0)]);
    }
    let row = calls::row(name)?;
    let first = operation.operand(0).ok()?.r#type();
    if let Some(view) = ViewType::from_type(first)
        && let Some(result) = ViewType::from_type(operation.result(0).ok()?.r#type())
    {
        // The same elements in the same order; a slice that fixes something may start elsewhere.
        let relays = match row.meaning {
            Meaning::Algebra(_) | Meaning::Access(_) => true,
            _ => name == "slice" && ops::pattern(operation).ok()?.keeps_all(),
        };
        if result != view || !relays {
            return None;
        }
        if view.layout().is_ok() {
            return Some(vec![Folded::Operand(0)]);
        }
        let adaptor = Adaptor::of(operation);
        let (term_value, places) = calls::evaluate(row, &adaptor).ok()?.value().ok()?;
        let same = unchanged(&term_value, &places, &adaptor) == Some(0);
        return same.then(|| vec![Folded::Operand(0)]);
    }
    let mut adaptor = Adaptor::of(operation);
    adaptor.indices = constants
        .iter()
        .map(|constant| Known { range: constant.and_then(integer).map(|value| (value, value)) })
        .collect();
    let answer = calls::evaluate(row, &adaptor).ok()?;
    match &answer.outcome {
        Outcome::Numbers(numbers) => numbers
            .iter()
            .map(|number| Some(Folded::Constant(constant(operation, number.as_constant()?))))
            .collect(),
        Outcome::Value(TermValue::Static(Datatype::Bool(boolean))) => {
            let context = build::context_of(operation);
            let r#type: Type<'c> = IntegerType::new(context, 1).into();
            let boolean = IntegerAttribute::new(r#type, i64::from(*boolean));
            Some(vec![Folded::Constant(boolean.into())])
        }
        Outcome::Value(_) => {
            let (term_value, places) = answer.value().ok()?;
            unchanged(&term_value, &places, &adaptor).map(|operand| vec![Folded::Operand(operand)])
        }
        // Its integers are its own.
        Outcome::Conditions(_) | Outcome::Computed { .. } => None,
    }
}

/// The operand that a value is: of the same type, with the same symbols in the same places.
fn unchanged(term_value: &TermValue, places: &[usize], adaptor: &Adaptor<'_>) -> Option<usize> {
    let mut first = 0;
    for (i, &r#type) in adaptor.types.iter().enumerate() {
        let known = crate::ops::adaptor::known(r#type).ok()?;
        let count = match &known {
            Some(known) => known.symbols().len(),
            None => usize::from(crate::ops::adaptor::integer_width(r#type).is_some()),
        };
        if known.as_ref() == Some(term_value) && places.iter().copied().eq(first..first + count) {
            return Some(i);
        }
        first += count;
    }
    None
}

/// The number that a query of a layout or view gives.
pub(crate) fn static_index(name: &str, operation: OperationRef<'_, '_>) -> Option<i64> {
    let layout = Source::of(operation.operand(0).ok()?.r#type()).ok()?.layout;
    match name {
        "size" => Some(layout.size()),
        "cosize" => layout.cosize().ok(),
        "rank" => i64::try_from(layout.inner().rank()).ok(),
        "depth" => i64::try_from(layout.inner().depth()).ok(),
        _ => None,
    }
}

pub(crate) fn constant<'c>(operation: OperationRef<'c, '_>, value: i64) -> Attribute<'c> {
    let context = build::context_of(operation);
    IntegerAttribute::new(Type::index(context), value).into()
}

pub(crate) fn integer(attribute: Attribute<'_>) -> Option<i64> {
    attribute.is_integer().then(|| IntegerAttribute::try_from(attribute).ok())?.map(|i| i.value())
}
