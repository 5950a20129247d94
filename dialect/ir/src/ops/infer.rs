//! Result types of the dialect's operations.

use crate::{
    data::{
        datum::Datum,
        types::{LayoutType, TupleType, ViewType},
    },
    diagnostics::{codes::Code, violation::Violation},
    ops::{
        calls::{self, Answer, Arg, Outcome},
        index, relate,
        subject::Subject,
        tiled, views,
    },
};
use layout_algebra::{AnyLayout, Value as Known};
use melior::{
    Context,
    ir::{Type, r#type::IntegerType},
};

/// A layout or view type that is known when compiling, taken apart.
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
pub(crate) fn infer<'c>(name: &str, subject: &Subject<'c>) -> Result<Vec<Type<'c>>, Violation> {
    let context = subject.context;
    Ok(match name {
        "constant" => {
            let attribute = subject.required("term")?;
            let value = subject
                .optional_value("term")?
                .ok_or_else(|| Violation::new(Code::Operand, "a layout term", attribute))?;
            vec![if value.is_layout() {
                LayoutType::from_held(context, &value).into()
            } else if value.is_tuple() {
                TupleType::from_held(context, &value).into()
            } else {
                type_of(context, &value.datum()?)
                    .map_err(|refused| refused.at(subject.argument(Arg::Term("term"), &[])))?
            }]
        }
        // Of a coordinate layout a tuple; the verifier looks at the coordinate of others.
        "crd2idx" if !index::is_into_coordinates(subject) => vec![Type::index(context)],
        "idx2crd" => index::infer_idx2crd(subject)?,
        "relate" => relate::infer(subject)?,
        "load" => {
            let view = views::view_operand(subject, 0)?;
            index::check_element(subject, 0)?;
            vec![view.element_type()]
        }
        "make_view" => vec![views::make_view(subject)?.into()],
        "partition_fragment" => vec![tiled::partition_fragment(subject)?.into()],
        "make_fragment_like" => vec![tiled::make_fragment_like(subject)?.into()],
        "recast"
            if subject.attribute("element").is_some()
                || views::view_operand(subject, 0).is_ok() =>
        {
            vec![views::recast(subject)?.r#type.into()]
        }
        _ => {
            let row = calls::row(name).ok_or_else(|| {
                let expected = "an operation with inferred types";
                Violation::new(Code::Operand, expected, format!("layout.{name}"))
            })?;
            let answer = calls::evaluate(row, subject)?;
            types(&answer, subject)?
        }
    })
}

fn types<'c>(answer: &Answer, subject: &Subject<'c>) -> Result<Vec<Type<'c>>, Violation> {
    let context = subject.context;
    Ok(match &answer.outcome {
        Outcome::Numbers(numbers) => vec![Type::index(context); numbers.len()],
        Outcome::Conditions(_) | Outcome::Value(Datum::Static(Known::Bool(_))) => {
            vec![IntegerType::new(context, 1).into()]
        }
        Outcome::Value(_) | Outcome::Computed { .. } => {
            let (datum, _) = answer.value()?;
            let view = subject.types.first().and_then(|&r#type| ViewType::from_type(r#type));
            match (view, datum.is_layout()) {
                (Some(view), true) => vec![view.with_datum(&datum)?.into()],
                _ => vec![type_of(context, &datum)?],
            }
        }
    })
}

/// The type of values of which that much is known.
pub(crate) fn type_of<'c>(context: &'c Context, datum: &Datum) -> Result<Type<'c>, Violation> {
    if datum.is_layout() {
        Ok(LayoutType::of(context, datum)?.into())
    } else if datum.is_tuple() {
        Ok(TupleType::of(context, datum)?.into())
    } else {
        Err(Violation::new(Code::Kind, "a layout or a tuple", datum))
    }
}
