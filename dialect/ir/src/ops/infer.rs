//! Result types of the dialect's operations.

use crate::ops::prelude::*;
use crate::{
    data::types::{LayoutType, TupleType},
    ops::{
        calls::{self, Answer},
        relate, tiled, views,
    },
};
use layout_algebra::Value as Known;
use melior::{Context, ir::r#type::IntegerType};

/// The components of a static layout or view type.
pub(crate) struct Source {
    pub(crate) layout: AnyLayout,
}

impl Source {
    pub(crate) fn of(r#type: Type<'_>) -> Result<Self, Violation> {
        let layout = match (ViewType::from_type(r#type), LayoutType::from_type(r#type)) {
            (Some(view), _) => view.layout(),
            (_, Some(layout)) => layout.layout(),
            _ => return Err(Violation::new(Code::Operand, "a layout or a view", r#type)),
        };
        Ok(Self { layout: layout? })
    }
}

/// Infers the result types of the operation `name`, without its dialect's prefix.
pub(crate) fn infer<'c>(name: &str, adaptor: &Adaptor<'c>) -> Result<Vec<Type<'c>>, Violation> {
    let context = adaptor.context;
    Ok(match name {
        "constant" => {
            let attribute = adaptor.required("term")?;
            let value = adaptor
                .optional_value("term")?
                .ok_or_else(|| Violation::new(Code::Operand, "a layout term", attribute))?;
            vec![if value.is_layout() {
                LayoutType::from_interned(context, &value).into()
            } else if value.is_tuple() {
                TupleType::from_interned(context, &value).into()
            } else {
                type_of(context, &value.term_value()?)
                    .map_err(|refused| refused.at(adaptor.argument(Arg::Term("term"), &[])))?
            }]
        }
        // A coordinate layout gives a tuple; the verifier checks the coordinate of others.
        "crd2idx" if !index::is_into_coordinates(adaptor) => vec![Type::index(context)],
        "idx2crd" => index::infer_idx2crd(adaptor)?,
        "relate" => relate::infer(adaptor)?,
        "load" => {
            let view = views::view_operand(adaptor, 0)?;
            index::check_element(adaptor, 0)?;
            vec![view.element_type()]
        }
        "atomic" => vec![views::view_operand(adaptor, 1)?.element_type()],
        "make_view" => vec![views::make_view(adaptor)?.into()],
        "partition_fragment" => vec![tiled::partition_fragment(adaptor)?.into()],
        "make_fragment_like" => vec![tiled::make_fragment_like(adaptor)?.into()],
        "recast"
            if adaptor.attribute("element").is_some()
                || views::view_operand(adaptor, 0).is_ok() =>
        {
            vec![views::recast(adaptor)?.r#type.into()]
        }
        _ => {
            let row = calls::row(name).ok_or_else(|| {
                let expected = "an operation with inferred types";
                Violation::new(Code::Operand, expected, format!("layout.{name}"))
            })?;
            let answer = calls::evaluate(row, adaptor)?;
            types(&answer, adaptor)?
        }
    })
}

fn types<'c>(answer: &Answer, adaptor: &Adaptor<'c>) -> Result<Vec<Type<'c>>, Violation> {
    let context = adaptor.context;
    Ok(match &answer.outcome {
        Outcome::Numbers(numbers) => vec![Type::index(context); numbers.len()],
        Outcome::Conditions(_) | Outcome::Value(TermValue::Static(Known::Bool(_))) => {
            vec![IntegerType::new(context, 1).into()]
        }
        Outcome::Value(_) | Outcome::Computed { .. } => {
            let (term_value, _) = answer.value()?;
            let view = adaptor.types.first().and_then(|&r#type| ViewType::from_type(r#type));
            match (view, term_value.is_layout()) {
                (Some(view), true) => vec![view.with_term_value(&term_value)?.into()],
                _ => vec![type_of(context, &term_value)?],
            }
        }
    })
}

/// The type of values of which that much is known.
pub(crate) fn type_of<'c>(
    context: &'c Context,
    term_value: &TermValue,
) -> Result<Type<'c>, Violation> {
    if term_value.is_layout() {
        Ok(LayoutType::of(context, term_value)?.into())
    } else if term_value.is_tuple() {
        Ok(TupleType::of(context, term_value)?.into())
    } else {
        Err(Violation::new(Code::Kind, "a layout, a tuple or a swizzle", term_value))
    }
}
