//! The one evaluator of terms, over leaves that are integers or expressions.

use super::{Op, TermLeaf, TermOf, Value, Watch, eval::Evaluated};
use crate::term::prelude::*;
use core::convert::Infallible;

/// Evaluates under facts that are complete.
pub(super) struct Evaluator<'f, L: TermLeaf> {
    pub(super) facts: &'f L::Facts,
    /// Is shown each call.
    pub(super) watch: Option<&'f Watch<'f, L>>,
}

/// A form that has a value.
pub(super) trait Form<L: TermLeaf>: Sized {
    fn value(&self, evaluator: &Evaluator<'_, L>) -> Evaluated<L>;
}

impl<L: TermLeaf> Form<L> for Infallible {
    fn value(&self, _: &Evaluator<'_, L>) -> Evaluated<L> {
        match *self {}
    }
}

impl<L: TermLeaf> Evaluator<'_, L> {
    /// The value of a term, borrowed where the term is one.
    pub(super) fn value<'t, F: Form<L>>(
        &self,
        term: &'t TermOf<F>,
    ) -> Result<Cow<'t, Value<L>>, L::Error> {
        match term {
            TermOf::Literal(value) => Ok(L::literal(value)),
            TermOf::Tiler(entries) => {
                let entries = entries.iter().enumerate().map(|(i, entry)| {
                    self.value(entry).map(Cow::into_owned).map_err(|error| error.in_call(i))
                });
                Value::of_tilers(entries.collect::<Result<_, _>>()?, self.facts).map(Cow::Owned)
            }
            TermOf::Call { op, args } => {
                let values = args
                    .iter()
                    .enumerate()
                    .map(|(i, arg)| self.value(arg).map_err(|error| error.in_call(i)));
                self.call(*op, &values.collect::<Result<Vec<_>, _>>()?).map(Cow::Owned)
            }
            TermOf::Form(form) => form.value(self).map(Cow::Owned),
        }
    }

    fn call(&self, op: Op, values: &[Cow<'_, Value<L>>]) -> Evaluated<L> {
        let result = L::apply(self.facts, op, values);
        if let Some(watch) = self.watch {
            let values: Vec<_> = values.iter().map(|value| Value::clone(value)).collect();
            watch(op, &values, &result);
        }
        result
    }
}
