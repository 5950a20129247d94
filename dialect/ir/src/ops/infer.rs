//! Result types of the dialect's operations.

use crate::{
    data::{
        coordinate::Pattern,
        datum::{Datum, is_layout, is_tuple},
        offsets::shape_of,
        relations,
        types::{LayoutType, TupleType, ViewType},
    },
    diagnostics::{codes::Code, violation::Violation},
    ops::{
        calls::{self, Answer, Outcome},
        construct::{self, KEEPS},
        parts::Part,
        subject::Subject,
        views,
    },
};
use layout_algebra::{AnyLayout, Value as Known, symbolic::Facts};
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
            vec![match value.evaluated()? {
                known if is_layout(known) => LayoutType::from_held(context, &value).into(),
                known if is_tuple(known) => TupleType::from_held(context, &value).into(),
                _ => type_of(context, &value.datum()?)?,
            }]
        }
        // Of a layout into coordinates a tuple; the verifier looks at the coordinate of others.
        "crd2idx" if !is_into_coordinates(subject) => vec![Type::index(context)],
        "idx2crd" => {
            let operands = subject.operands(true)?;
            let call = calls::Call { subject, operands, args: Vec::new() };
            vec![Type::index(context); construct::idx2crd_shape(&call)?.leaves().len()]
        }
        "relate" => {
            let (from, to) = relations::dimensions(subject.required("relation")?)?;
            let found = subject.types.len();
            if found != from {
                let expected = format!("a coordinate of {from} indices");
                let place = subject.place_of_attribute("relation");
                return Err(Violation::new(Code::Coordinate, expected, found).at(place));
            }
            let mut types = vec![Type::index(context); to];
            types.push(IntegerType::new(context, 1).into());
            types
        }
        "load" => {
            let view = view_operand(subject, 0)?;
            check_element(subject, 0)?;
            vec![view.element_type()]
        }
        "make_view" => vec![views::make_view(subject)?.into()],
        "recast" if subject.attribute("element").is_some() || view_operand(subject, 0).is_ok() => {
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

/// Whether the first operand is a layout into coordinates.
fn is_into_coordinates(subject: &Subject<'_>) -> bool {
    let layout = subject.types.first().and_then(|&r#type| LayoutType::from_type(r#type));
    // No other text has basis elements, so that it need not be read.
    layout.is_some_and(|layout| layout.text_ref().as_str().is_ok_and(|text| text.contains('@')))
}

/// The operand number `place`, which should be a view.
pub(crate) fn view_operand<'c>(
    subject: &Subject<'c>,
    place: usize,
) -> Result<ViewType<'c>, Violation> {
    let found =
        subject.types.get(place).ok_or_else(|| Violation::new(Code::Operand, "a view", "none"))?;
    ViewType::from_type(*found).ok_or_else(|| {
        let place = subject.place_of(place, Part::Whole);
        Violation::new(Code::Operand, "a view", found).at(place)
    })
}

/// Checks the coordinate of one element in the view or layout number `source`; its indices follow.
pub(crate) fn check_element(subject: &Subject<'_>, source: usize) -> Result<(), Violation> {
    let operands = subject.operands(true)?;
    let call = calls::Call { subject, operands, args: Vec::new() };
    let (pattern, _) = call.coordinate(source + 1)?;
    let layout = call.operand(source)?;
    let mut facts = Facts::new();
    for operand in &call.operands {
        operand.declare(&mut facts)?;
    }
    let misfit = pattern.check(&shape_of(layout)?, &facts).err();
    let kept = match pattern.keeps_a_mode() {
        false => None,
        true => {
            let expected = "the coordinate of one element, without '_'";
            // Where it stands, unless a tuple brought it.
            let written = subject.pattern()?;
            let place = (written == pattern).then(|| pattern.place(Pattern::is_any)).flatten();
            Some(Violation::new(Code::CoordElement, expected, &pattern).hint(KEEPS).at(place))
        }
    };
    Violation::all(misfit.into_iter().chain(kept))?;
    if layout.any_layout().is_none() {
        views::element(&call, source)?;
    }
    Ok(())
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
