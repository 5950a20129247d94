//! The values that a function is given: the integers that stand for its arguments, and the facts of their types.

use super::{
    arithmetic,
    dynamic_views::{self, Memref},
    launch::Launch,
    trace::PARAMETERS,
};
use layout_dialect::{ViewType, build::operand, tree};
use layout_relation::IndexForm;
use melior::ir::{BlockLike, BlockRef, Type, ValueLike, operation::OperationLike};
use std::collections::HashMap;

/// The facts that types state about a function's arguments before a pass takes them away.
#[derive(Clone, Debug, Default)]
pub(super) struct ArgumentFacts {
    /// Forms of symbols from [`PARAMETERS`] on that types say something of.
    pub(super) forms: HashMap<u32, IndexForm>,
    /// For each value that its arguments are at run time, the argument whose place in memory it is.
    memory: Vec<Option<usize>>,
    /// How many arguments there are.
    count: usize,
    /// How the function is launched, and what kind of function it is.
    pub(super) launch: Option<(String, Launch)>,
    /// Integers that are taken to be what a `layout.make` inside says of them.
    pub(super) taken: Vec<u32>,
    /// Whether an argument is a layout, a tuple or a view.
    has_values: bool,
}

impl ArgumentFacts {
    /// The arguments of a function's first block, and the facts of its types.
    pub(super) fn of(entry: BlockRef<'_, '_>, host: bool) -> Self {
        let mut given = Self { count: entry.argument_count(), ..Self::default() };
        let mut first = PARAMETERS;
        let mut numbers = HashMap::new();
        for at in 0..entry.argument_count() {
            let argument = tree::argument(entry, at);
            let r#type = argument.r#type();
            given.has_values |= dynamic_views::is_value(r#type);
            numbers.insert(tree::key(argument), first);
            let is_memory =
                ViewType::from_type(r#type).is_some() || !dynamic_views::is_value(r#type);
            given.memory.extend(is_memory.then_some(Some(at)));
            let own = dynamic_views::own_offset(r#type, host);
            given.memory.extend((0..own).map(|_| None));
            if let Some(symbols) = dynamic_views::symbols(r#type) {
                for (number, symbol) in (first.saturating_add(own)..).zip(&symbols) {
                    given.memory.push(None);
                    given.forms.extend(
                        dynamic_views::argument_form(number, symbol).map(|form| (number, form)),
                    );
                }
            }
            first = first.saturating_add(integers(r#type, host));
        }
        // A value that the function always makes of its integers was given as that.
        for operation in tree::operations(entry) {
            for (at, symbol) in
                dynamic_views::made(operation).unwrap_or_default().iter().enumerate()
            {
                let number = (at < operation.operand_count())
                    .then(|| numbers.get(&tree::key(operand(operation, at))))
                    .flatten();
                if let Some(&number) = number {
                    let form = dynamic_views::argument_form(number, symbol);
                    if symbol.divisor() > 1 || symbol.range() != (i64::MIN, i64::MAX) {
                        given.taken.push(number);
                    }
                    given.forms.extend(form.map(|form| (number, form)));
                }
            }
        }
        given
    }

    /// Says what a symbol is.
    pub(super) fn say(&mut self, symbol: u32, form: IndexForm) {
        self.forms.insert(symbol, form);
    }

    /// The argument that one of a function is that a pass has been over.
    pub(super) fn argument(&self, at: usize, after: &Self) -> usize {
        if !self.has_values || after.has_values {
            return at;
        }
        match self.memory.get(at) {
            Some(argument) => argument.unwrap_or(at),
            None => at.saturating_sub(self.memory.len()).saturating_add(self.count),
        }
    }
}

/// An integer that the function is given: one of few bits has as many, others no bounds.
pub(super) fn parameter_form(number: u32, bits: u32) -> Option<IndexForm> {
    if bits == 1 {
        return IndexForm::symbol(number, Some(0), Some(2));
    }
    let half = (bits <= 32).then(|| 1_i64 << (bits - 1));
    IndexForm::symbol(number, half.map(|half| -half), half)
}

/// How many integers stand for an argument of a type when it is lowered.
pub(super) fn integers(r#type: Type<'_>, host: bool) -> u32 {
    if arithmetic::width(r#type).is_some() {
        return 1;
    }
    match (dynamic_views::symbols(r#type), Memref::symbols(r#type)) {
        (Some(symbols), _) => {
            let count = u32::try_from(symbols.len()).unwrap_or(u32::MAX);
            count.saturating_add(dynamic_views::own_offset(r#type, host))
        }
        (_, Some(count)) => count,
        _ => 0,
    }
}
