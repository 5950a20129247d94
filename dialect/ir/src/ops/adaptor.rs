//! The operands' types and attributes that an operation's hooks read, for an operation that exists or
//! for one that is about to be made.

use crate::ops::prelude::*;
use crate::{
    border::scalars::scalar_name,
    data::{
        attributes::{self, interned_part},
        interned::Interned,
    },
    diagnostics::text::TextError,
    pass::build::context_of,
};
use layout_algebra::{Span, Symbol, Width};
use melior::{Context, StringRef, ir::Value};
use mlir_sys::{
    mlirDictionaryAttrGetElementByName, mlirIntegerTypeGetWidth, mlirOperationGetAttributeByName,
    mlirTypeIsAIndex, mlirTypeIsAInteger,
};
use std::sync::Arc;

enum Attributes<'c> {
    Dictionary(Attribute<'c>),
    Operation(mlir_sys::MlirOperation),
    /// The attribute `term` alone, without a dictionary that would be made for one question.
    Term(TermAttribute<'c>),
}

/// An operation, as its hooks see it.
pub(crate) struct Adaptor<'c> {
    pub(crate) context: &'c Context,
    pub(crate) types: Vec<Type<'c>>,
    attributes: Attributes<'c>,
    /// The facts of operands of type `index`, by number.
    pub(crate) indices: Vec<Known>,
}

/// The facts of an operand of type `index`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// The least and the greatest value.
    pub(crate) range: Option<(i64, i64)>,
}

/// An operand, with its symbols numbered among those of all operands.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// A layout, a tuple, or a view's layout.
    Known(TermValue),
    /// An integer.
    Index {
        /// Its value: a symbol, or a constant.
        value: Expr,
        /// The facts of the symbol, unless it is a constant.
        symbol: Option<Symbol>,
        /// The type, as text.
        found: String,
    },
    /// Something else: its type's text.
    Other(String),
}

impl Operand {
    /// How many symbols it has.
    pub(crate) fn symbol_count(&self) -> usize {
        match self {
            Self::Known(term_value) => term_value.symbols().len(),
            Self::Index { .. } => 1,
            Self::Other(_) => 0,
        }
    }

    /// Adds the facts about its symbols to a table.
    fn declare(&self, facts: &mut Facts) -> Result<(), Violation> {
        match self {
            Self::Known(TermValue::Symbolic { facts: known, .. }) => {
                for symbol in known.symbols() {
                    facts.insert(symbol.clone())?;
                }
            }
            Self::Index { symbol: Some(symbol), .. } => facts.insert(symbol.clone())?,
            _ => {}
        }
        Ok(())
    }
}

/// The facts of the symbols of operands.
pub(crate) fn declared(operands: &[Operand]) -> Result<Facts, Violation> {
    let mut facts = Facts::new();
    operands.iter().try_for_each(|operand| operand.declare(&mut facts))?;
    Ok(facts)
}

impl<'c> Adaptor<'c> {
    /// An operation that is about to be made: its attributes in a dictionary, or the term that is its
    /// only one.
    pub(crate) fn unmade(
        context: &'c Context,
        operands: &[Value<'c, 'c>],
        attributes: Attribute<'c>,
    ) -> Self {
        Self {
            context,
            types: operands.iter().map(|value| value.r#type()).collect(),
            attributes: match TermAttribute::from_attribute(attributes) {
                Some(term) => Attributes::Term(term),
                None => Attributes::Dictionary(attributes),
            },
            indices: Vec::new(),
        }
    }

    /// An operation that exists.
    pub(crate) fn of(operation: OperationRef<'c, '_>) -> Self {
        let types = (0..operation.operand_count())
            .filter_map(|i| operation.operand(i).ok())
            .map(|value| value.r#type())
            .collect();
        Self {
            context: context_of(operation),
            types,
            attributes: Attributes::Operation(operation.to_raw()),
            indices: Vec::new(),
        }
    }

    /// The value of each operand; `natural` integers are at least 0.
    pub(crate) fn operands(&self, natural: bool) -> Result<Vec<Operand>, Violation> {
        let mut first = 0;
        let mut operands = Vec::with_capacity(self.types.len());
        for (i, &r#type) in self.types.iter().enumerate() {
            let operand = match known(r#type)? {
                Some(term_value @ TermValue::Static(_)) => Operand::Known(term_value),
                Some(term_value) => {
                    let mut facts = Facts::new();
                    let count = term_value.symbols().len();
                    let value = term_value.symbolic(first, &mut facts)?;
                    first += count;
                    Operand::Known(TermValue::Symbolic { value, facts })
                }
                None => match integer_width(r#type) {
                    None => Operand::Other(r#type.to_string()),
                    Some(width) => {
                        let known = self.indices.get(i).copied().unwrap_or_default();
                        let found =
                            scalar_name(r#type).map_or_else(|| r#type.to_string(), str::to_owned);
                        let operand = index(first, width, natural, known, found)?;
                        first += 1;
                        operand
                    }
                },
            };
            operands.push(operand);
        }
        Ok(operands)
    }

    /// An attribute, if it is there.
    pub(crate) fn attribute(&self, name: &str) -> Option<Attribute<'c>> {
        let key = StringRef::new(name);
        // SAFETY: the attributes are a dictionary, or the operation is valid; what is absent is null.
        unsafe {
            Attribute::from_option_raw(match &self.attributes {
                Attributes::Dictionary(dictionary) => {
                    mlirDictionaryAttrGetElementByName(dictionary.to_raw(), key.to_raw())
                }
                Attributes::Operation(operation) => {
                    mlirOperationGetAttributeByName(*operation, key.to_raw())
                }
                Attributes::Term(term) => {
                    return (name == "term").then(|| (*term).into());
                }
            })
        }
    }

    /// An attribute.
    pub(crate) fn required(&self, name: &str) -> Result<Attribute<'c>, Violation> {
        self.attribute(name)
            .ok_or_else(|| Violation::new(Code::Operand, format!("the attribute '{name}'"), "none"))
    }

    /// The value of a term, if the attribute is there.
    pub(crate) fn optional_term(&self, name: &str) -> Result<Option<TermValue>, Violation> {
        self.optional_value(name)?.map(|value| value.term_value()).transpose()
    }

    /// The same as attributes and types hold it.
    pub(crate) fn optional_value(&self, name: &str) -> Result<Option<Arc<Interned>>, Violation> {
        let Some(attribute) = self.attribute(name) else { return Ok(None) };
        let term = TermAttribute::try_from(attribute).map_err(|_| {
            Violation::new(Code::Operand, format!("'{name}' to be a layout term"), attribute)
        })?;
        let value = term.value().map_err(|error| {
            let refused = Violation::from(error);
            let (text, origin) = (attribute.to_string(), refused.origin());
            let span =
                interned_part(attribute).map(|term| Span::within(&text, term).of_place(origin));
            let place = span.and_then(|span| Place::new("the term", &text, span));
            refused.at(place)
        })?;
        Ok(Some(value))
    }

    /// An integer, if the attribute is there.
    pub(crate) fn optional_integer(&self, name: &str) -> Result<Option<i64>, Violation> {
        let Some(attribute) = self.attribute(name) else { return Ok(None) };
        let integer = IntegerAttribute::try_from(attribute).map_err(|_| {
            Violation::new(Code::Operand, format!("'{name}' to be an integer"), attribute)
        })?;
        Ok(Some(integer.value()))
    }

    /// The integers of an array.
    pub(crate) fn integers(&self, name: &str) -> Result<Vec<i64>, Violation> {
        let attribute = self.required(name)?;
        attributes::integers(attribute).map_err(|_| {
            Violation::new(Code::Operand, format!("'{name}' to be an array of i64"), attribute)
        })
    }

    /// The pattern of the attribute `coord`.
    pub(crate) fn pattern(&self) -> Result<Pattern, Violation> {
        let attribute = self.required("coord")?;
        let text = tree::text(attribute)
            .ok_or_else(|| Violation::new(Code::Operand, "'coord' to be a string", attribute))?;
        text.parse().map_err(|error: TextError| {
            let place = Place::new("the coordinate", &text, error.offset..error.offset);
            Violation::from(error).at(place)
        })
    }
}

/// The value that a type carries, or `None` for types that are no layouts, tuples or views.
pub(crate) fn known(r#type: Type<'_>) -> Result<Option<TermValue>, Violation> {
    if let Some(known) = crate::data::types::term_value_of(r#type) {
        return known.map(Some);
    }
    ViewType::from_type(r#type).map(|view| view.term_value()).transpose()
}

/// The width of an integer that may stand for a symbol: `i32`, `i64` or `index`.
pub(crate) fn integer_width(r#type: Type<'_>) -> Option<Width> {
    use melior::ir::TypeLike;
    let raw = r#type.to_raw();
    // SAFETY: the type is valid, and an integer where its width is requested.
    let bits = unsafe {
        match (mlirTypeIsAIndex(raw), mlirTypeIsAInteger(raw)) {
            (true, _) => 64,
            (_, true) => mlirIntegerTypeGetWidth(raw),
            _ => return None,
        }
    };
    match bits {
        32 => Some(Width::W32),
        64 => Some(Width::W64),
        _ => None,
    }
}

fn index(
    number: usize,
    width: Width,
    natural: bool,
    known: Known,
    found: String,
) -> Result<Operand, Violation> {
    let (least, greatest) = known.range.unwrap_or(width.limits());
    if least == greatest {
        return Ok(Operand::Index { value: Expr::from(least), symbol: None, found });
    }
    let mut symbol = Symbol::new(&format!("?{number}"), width)?;
    // Contradicting bounds belong to code that does not run: what the type says is enough.
    symbol = symbol.clone().with_range(least, greatest).unwrap_or(symbol);
    if natural {
        symbol = symbol.clone().with_range(0, i64::MAX).unwrap_or(symbol);
    }
    let mut facts = Facts::new();
    facts.insert(symbol.clone())?;
    let value = facts.symbol(symbol.name())?;
    Ok(Operand::Index { value, symbol: Some(symbol), found })
}
