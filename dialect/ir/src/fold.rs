//! Folding: operations whose results are known become constants.

use crate::{LayoutType, ffi, infer::Source, ops};
use layout_algebra::idx2crd;
use melior::ir::{
    Attribute, AttributeLike, OperationRef, Type, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};

/// The constants that an operation's results are, if they are known.
pub(crate) fn fold<'c>(
    name: &str,
    operation: OperationRef<'c, '_>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<Attribute<'c>>> {
    match name {
        "size" | "cosize" | "rank" | "depth" => {
            let value = static_index(name, operation)?;
            Some(vec![index(operation, value)])
        }
        "crd2idx" => {
            let source = Source::of(operation.operand(0).ok()?.r#type()).ok()?;
            let mut values = constants.iter().skip(1).map(|constant| integer((*constant)?));
            let values: Vec<i64> = values.by_ref().collect::<Option<_>>()?;
            let coordinate = ops::pattern(operation).ok()?.to_tuple(&mut values.into_iter())?;
            let offset = crate::evaluate::crd2idx(&source.layout, &coordinate).ok()?;
            Some(vec![index(operation, offset)])
        }
        "idx2crd" => {
            let value = integer((*constants.first()?)?)?;
            let shape = ops::idx2crd_shape(operation).ok()?;
            let coordinate = idx2crd(value, &shape).ok()?;
            Some(coordinate.leaves().into_iter().map(|leaf| index(operation, leaf)).collect())
        }
        _ => {
            // A layout value is in its type.
            let r#type = LayoutType::try_from(operation.result(0).ok()?.r#type()).ok()?;
            let text = r#type.text();
            // SAFETY: the operation's context has the dialect; the text is canonical.
            Some(vec![unsafe {
                Attribute::from_raw(ffi::layoutAttributeGet(
                    crate::build::context_of(operation).to_raw(),
                    ffi::TEXT_TERM,
                    ffi::lend(&text),
                ))
            }])
        }
    }
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

fn index<'c>(operation: OperationRef<'c, '_>, value: i64) -> Attribute<'c> {
    let context = crate::build::context_of(operation);
    IntegerAttribute::new(Type::index(context), value).into()
}

fn integer(attribute: Attribute<'_>) -> Option<i64> {
    attribute.is_integer().then(|| IntegerAttribute::try_from(attribute).ok())?.map(|i| i.value())
}
