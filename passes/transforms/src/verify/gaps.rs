//! Gaps of an analysis: what is not analysed or not proved, at which operation, and why, in words.

use super::{
    compare::symbol_name,
    trace::{Event, Reader, Trace},
};
use layout_dialect::{
    build::operand,
    ops::{self, Limit},
    tree,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};

/// Something that is not proved or not analysed, and the operation that it is about, by its address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Gap {
    pub(super) what: String,
    pub(super) at: Option<usize>,
}

impl Gap {
    /// The same, as the reason for which a claim is not proved.
    pub(super) fn for_claim(self, claim: &str) -> Self {
        Self { what: format!("{claim}: {}", self.what), ..self }
    }
}

impl From<String> for Gap {
    fn from(what: String) -> Self {
        Self { what, at: None }
    }
}

impl Trace {
    /// The name of a symbol in messages.
    pub(super) fn symbol(&self, symbol: u32) -> String {
        let named = self.names.get(&symbol);
        named.map_or_else(|| symbol_name(symbol), |name| format!("dynamic size `{name}`"))
    }
}

impl Reader {
    pub(super) fn unmodelled(&mut self, what: &str) {
        self.trace.events.push(Event::Unmodelled(what.to_owned(), self.reading));
    }

    /// Which operation on the way to some operands is unknown, in words.
    pub(super) fn missing(
        &self,
        operation: OperationRef<'_, '_>,
        operands: impl Iterator<Item = usize>,
    ) -> String {
        // Data is not looked for.
        let unknown = |value: &Value<'_, '_>| {
            let r#type = value.r#type();
            self.known_of(*value).is_none() && !layout_dialect::types::is_float(r#type)
        };
        let mut values = operands.map(|at| operand(operation, at));
        let Some(mut value) = values.find(unknown) else {
            return format!("the coordinate or layout of {} is unknown", tree::name(operation));
        };
        // Definitions are before their uses, so that this comes to an end.
        while let Some(definition) = tree::definition(value) {
            let mut operands = (0..definition.operand_count()).map(|at| operand(definition, at));
            match operands.find(unknown) {
                Some(next) => value = next,
                None => return format!("the result of {} is unknown", tree::name(definition)),
            }
        }
        format!("an argument of type {} is unknown", value.r#type())
    }

    /// Why a copy is not analysed.
    pub(super) fn not_copied(&self, operation: OperationRef<'_, '_>) -> String {
        let known = |at: usize| self.known(operation, at).is_some();
        if (0..operation.operand_count()).all(known) {
            for (at, side) in ["source", "target"].into_iter().enumerate() {
                if self.view(operation, at).is_none() {
                    return format!("the layout of its {side} is dynamic");
                }
            }
            for (at, predicate) in ops::predicates(operation).into_iter().flatten().enumerate() {
                match predicate.limit {
                    Limit::At(limit) if self.number(limit).is_none() => {
                        return format!("the limit of predicate {at} is dynamic");
                    }
                    _ if self.view(operation, 2 + at).is_none() => {
                        return format!("the coordinates of predicate {at} are dynamic");
                    }
                    _ => {}
                }
            }
        }
        self.missing(operation, 0..operation.operand_count())
    }
}
