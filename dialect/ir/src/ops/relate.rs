//! `layout.relate`: functions of integer tuples that need not be layouts.

use crate::ops::prelude::*;
use crate::{
    data::{attributes::RelationAttribute, relations},
    ops::fold::{constant, integer},
    pass::build,
};
use melior::ir::r#type::IntegerType;

/// The image, and whether there is one.
pub(crate) fn infer<'c>(adaptor: &Adaptor<'c>) -> Result<Vec<Type<'c>>, Violation> {
    let context = adaptor.context;
    let (from, to) = relations::dimensions(adaptor.required("relation")?)?;
    let found = adaptor.types.len();
    if found != from {
        let expected = format!("a coordinate of {from} indices");
        let place = adaptor.place_of_attribute("relation");
        return Err(Violation::new(Code::Coordinate, expected, found).at(place));
    }
    let mut types = vec![Type::index(context); to];
    types.push(IntegerType::new(context, 1).into());
    Ok(types)
}

/// The image of a coordinate that is known.
pub(crate) fn fold<'c>(
    operation: OperationRef<'c, '_>,
    constants: &[Option<Attribute<'c>>],
) -> Option<Vec<Attribute<'c>>> {
    let coordinate: Vec<i64> =
        constants.iter().map(|constant| integer((*constant)?)).collect::<Option<_>>()?;
    let relation = RelationAttribute::try_from(operation.attribute("relation").ok()?).ok()?;
    let image = relation.formula().ok()?.at(&coordinate).ok()?;
    let boolean = IntegerType::new(build::context_of(operation), 1).into();
    let inside = IntegerAttribute::new(boolean, i64::from(image.is_some())).into();
    // Outside, any numbers are right.
    let numbers = image.unwrap_or_else(|| vec![0; operation.result_count() - 1]);
    let numbers = numbers.into_iter().map(|number| constant(operation, number));
    Some(numbers.chain([inside]).collect())
}
