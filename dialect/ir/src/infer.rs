//! Result types of the dialect's operations.

use crate::{
    LayoutType, TermAttribute, ViewType,
    coordinate::Pattern,
    evaluate::{call, literal, message, to_layout, to_shape},
};
use layout_algebra::{AnyLayout, Term, Value as Datum};
use melior::{
    Context, StringRef,
    ir::{
        Attribute, AttributeLike, Type, Value, ValueLike,
        attribute::{IntegerAttribute, StringAttribute},
    },
};
use mlir_sys::mlirDictionaryAttrGetElementByName;

/// What inference may look at: an operation before it exists.
pub(crate) struct Subject<'c> {
    pub(crate) context: &'c Context,
    pub(crate) operands: Vec<Value<'c, 'c>>,
    pub(crate) attributes: Attribute<'c>,
}

impl<'c> Subject<'c> {
    fn attribute(&self, name: &str) -> Result<Attribute<'c>, String> {
        let key = StringRef::new(name);
        // SAFETY: the attributes are a dictionary; an absent entry is null.
        unsafe {
            Attribute::from_option_raw(mlirDictionaryAttrGetElementByName(
                self.attributes.to_raw(),
                key.to_raw(),
            ))
        }
        .ok_or_else(|| format!("expected the attribute '{name}', found none"))
    }

    fn term(&self, name: &str) -> Result<Term, String> {
        let attribute = self.attribute(name)?;
        let term = TermAttribute::try_from(attribute)
            .map_err(|_| format!("expected '{name}' to be a layout term, found {attribute}"))?;
        term.term().map_err(|error| message(&error))
    }

    fn pattern(&self) -> Result<Pattern, String> {
        let attribute = self.attribute("coord")?;
        StringAttribute::try_from(attribute)
            .map_err(|_| format!("expected 'coord' to be a string, found {attribute}"))?
            .value()
            .parse()
            .map_err(|error: crate::TextError| error.to_string())
    }

    fn operand(&self, index: usize) -> Result<Type<'c>, String> {
        self.operands
            .get(index)
            .map(|value| value.r#type())
            .ok_or_else(|| format!("expected an operand number {index}, found none"))
    }

    fn source(&self, index: usize) -> Result<Source<'c>, String> {
        Source::of(self.operand(index)?)
    }
}

/// A layout or view type, taken apart.
pub(crate) struct Source<'c> {
    pub(crate) layout: AnyLayout,
    pub(crate) view: Option<ViewType<'c>>,
}

impl<'c> Source<'c> {
    pub(crate) fn of(r#type: Type<'c>) -> Result<Self, String> {
        let view = ViewType::try_from(r#type).ok();
        let layout = match (view, LayoutType::try_from(r#type)) {
            (Some(view), _) => view.layout(),
            (None, Ok(layout)) => layout.layout(),
            (None, Err(_)) => return Err(format!("expected a layout or a view, found {type}")),
        };
        Ok(Self { layout: layout.map_err(|error| message(&error))?, view })
    }

    /// The same kind of type with another layout.
    fn with(&self, context: &'c Context, layout: &AnyLayout) -> Type<'c> {
        match self.view {
            Some(view) => view.with_layout(layout).into(),
            None => LayoutType::new(context, layout).into(),
        }
    }
}

/// Infers the result types of the operation `name`, without its dialect's prefix.
pub(crate) fn infer<'c>(name: &str, subject: &Subject<'c>) -> Result<Vec<Type<'c>>, String> {
    let context = subject.context;
    Ok(match name {
        "constant" => {
            let value = subject.term("term")?.eval().map_err(|error| message(&error))?;
            vec![LayoutType::new(context, &layout(value)?).into()]
        }
        "coalesce" | "right_inverse" | "left_inverse" => algebra(name, subject, vec![])?,
        "complement" => {
            let bound = match subject.attribute("cosize_hi") {
                Ok(attribute) => {
                    let bound = IntegerAttribute::try_from(attribute).map_err(|_| {
                        format!("expected 'cosize_hi' to be an integer, found {attribute}")
                    })?;
                    vec![Term::Literal(Datum::Int(bound.value()))]
                }
                Err(_) => vec![],
            };
            algebra(name, subject, bound)?
        }
        "logical_product" => {
            let times = literal(&subject.source(1)?.layout);
            algebra(name, subject, vec![times])?
        }
        "composition" | "logical_divide" | "zipped_divide" => {
            let term = subject.term("term")?;
            algebra(name, subject, vec![term])?
        }
        "slice" => vec![slice(subject)?],
        "idx2crd" => {
            let value = subject.term("shape")?.eval().map_err(|error| message(&error))?;
            let shape = to_shape(value).map_err(|error| message(&error))?;
            vec![Type::index(context); shape.leaves().len()]
        }
        "load" => {
            let source = subject.source(0)?;
            let view = source
                .view
                .ok_or_else(|| format!("expected a view, found the layout {}", source.layout))?;
            check_point(&subject.pattern()?, &source.layout, subject.operands.len() - 1)?;
            vec![view.element_type()]
        }
        _ => return Err(format!("expected an operation with inferred types, found layout.{name}")),
    })
}

/// An operation that is the call of the same name on its first operand.
fn algebra<'c>(
    name: &str,
    subject: &Subject<'c>,
    rest: Vec<Term>,
) -> Result<Vec<Type<'c>>, String> {
    let source = subject.source(0)?;
    let mut args = vec![literal(&source.layout)];
    args.extend(rest);
    let value = call(name, args).map_err(|error| message(&error))?;
    Ok(vec![source.with(subject.context, &layout(value)?)])
}

fn layout(value: Datum) -> Result<AnyLayout, String> {
    to_layout(value).map_err(|error| message(&error))
}

fn slice<'c>(subject: &Subject<'c>) -> Result<Type<'c>, String> {
    let source = subject.source(0)?;
    let pattern = subject.pattern()?;
    check_coordinate(&pattern, &source.layout, subject.operands.len() - 1)?;
    if !pattern.keeps_a_mode() {
        return Err(format!(
            "expected a coordinate with at least one '_', found {pattern}: layout.load reads a \
             single element, layout.crd2idx gives its offset"
        ));
    }
    let layout = source
        .layout
        .try_map(|inner| Ok(layout_algebra::slice(&pattern.to_coord(), inner)?.0))
        .map_err(|error| message(&error))?;
    Ok(source.with(subject.context, &layout))
}

/// Checks that a coordinate fits a layout and that each `?` has an operand.
pub(crate) fn check_coordinate(
    pattern: &Pattern,
    layout: &AnyLayout,
    operands: usize,
) -> Result<(), String> {
    pattern.check(layout.inner().shape())?;
    let count = pattern.dynamic_count();
    if count == operands {
        Ok(())
    } else {
        Err(format!(
            "expected {count} index operands for the coordinate {pattern}, found {operands}"
        ))
    }
}

/// As [`check_coordinate`], for the coordinate of one element.
pub(crate) fn check_point(
    pattern: &Pattern,
    layout: &AnyLayout,
    operands: usize,
) -> Result<(), String> {
    check_coordinate(pattern, layout, operands)?;
    if pattern.keeps_a_mode() {
        Err(format!("expected the coordinate of one element, without '_', found {pattern}"))
    } else {
        Ok(())
    }
}
