//! The facts of a kernel's launch as attributes: dictionaries, texts, integers and lists. Imports no other part.

use melior::{
    Context,
    ir::{
        Attribute, Identifier, Type,
        attribute::{
            ArrayAttribute, BoolAttribute, DenseI64ArrayAttribute, DictionaryAttribute,
            IntegerAttribute, StringAttribute,
        },
    },
};

/// Makes attributes.
#[derive(Clone, Copy)]
pub(crate) struct Attributes<'c> {
    context: &'c Context,
}

/// A key of a dictionary, and its value.
pub(crate) type Fact<'c> = (&'static str, Attribute<'c>);

impl<'c> Attributes<'c> {
    pub(crate) fn new(context: &'c Context) -> Self {
        Self { context }
    }

    pub(crate) fn dictionary(self, entries: impl IntoIterator<Item = Fact<'c>>) -> Attribute<'c> {
        let named = |(key, value)| (Identifier::new(self.context, key), value);
        let entries: Vec<_> = entries.into_iter().map(named).collect();
        DictionaryAttribute::new(self.context, &entries).into()
    }

    pub(crate) fn text(self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    pub(crate) fn integer(self, value: i64) -> Attribute<'c> {
        let word = Type::parse(self.context, "i64").unwrap_or_else(|| Type::index(self.context));
        IntegerAttribute::new(word, value).into()
    }

    pub(crate) fn integers(self, values: &[i64]) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(self.context, values).into()
    }

    pub(crate) fn list(self, values: &[Attribute<'c>]) -> Attribute<'c> {
        ArrayAttribute::new(self.context, values).into()
    }

    pub(crate) fn holds(self) -> Attribute<'c> {
        BoolAttribute::new(self.context, true).into()
    }

    /// The numbers of arguments, or of values.
    pub(crate) fn places(self, numbers: &[usize]) -> Attribute<'c> {
        let numbers = numbers.iter().map(|&number| i64::try_from(number).unwrap_or(i64::MAX));
        self.integers(&numbers.collect::<Vec<_>>())
    }

    /// Blocks along x and y: numbers, or expressions where sizes are known at run time.
    pub(crate) fn grid(
        self,
        (x, y): (i64, i64),
        at_run_time: Option<&[String; 2]>,
    ) -> Attribute<'c> {
        match at_run_time {
            None => self.integers(&[x, y, 1]),
            Some([x, y]) => self.list(&[self.text(x), self.text(y), self.integer(1)]),
        }
    }

    /// Threads along x.
    pub(crate) fn block(self, threads: i64) -> Attribute<'c> {
        self.integers(&[threads, 1, 1])
    }
}
