//! An operation under verification, and the violations found so far.

use crate::ops::prelude::*;
use crate::ops::views::view;
use std::ops::RangeInclusive;

/// The part of an operation that an error is about.
#[derive(Clone, Copy)]
pub(crate) enum Site<'n> {
    /// A part of the type of an operand.
    Operand(usize, Part),
    /// A part of the type of the first result.
    Result(Part),
    /// An attribute.
    Attribute(&'n str),
    /// None of them.
    Nowhere,
}

/// An operation that is verified.
pub(crate) struct Check<'c, 'o> {
    pub(crate) operation: OperationRef<'c, 'o>,
    /// Its violations so far.
    pub(crate) violations: Vec<Violation>,
}

impl<'c, 'o> Check<'c, 'o> {
    pub(crate) fn new(operation: OperationRef<'c, 'o>) -> Self {
        Self { operation, violations: Vec::new() }
    }

    /// An operand that is a view.
    pub(crate) fn view(&self, operand: usize) -> Result<ViewType<'c>, Violation> {
        view(self.operation, operand)
    }

    /// The error with its place in the operation, where it has one.
    pub(crate) fn placed(&self, at: Site<'_>, refused: Violation) -> Violation {
        refused.at(match at {
            Site::Operand(operand, part) => parts::of_operand(self.operation, operand, part),
            Site::Result(part) => parts::of_result(self.operation, part),
            Site::Attribute(name) => parts::of_attribute(self.operation, name),
            Site::Nowhere => None,
        })
    }

    /// Notes that one thing was expected at a place, and another found.
    pub(crate) fn refuse(
        &mut self,
        at: Site<'_>,
        code: Code,
        expected: impl Into<String>,
        found: impl ToString,
    ) {
        self.refuse_for(at, Violation::new(code, expected, found));
    }

    /// Notes an error at a place.
    pub(crate) fn refuse_for(&mut self, at: Site<'_>, refused: Violation) {
        let refused = self.placed(at, refused);
        self.violations.push(refused);
    }

    /// The value; of an error none, which is noted at a place.
    pub(crate) fn kept<T>(&mut self, at: Site<'_>, found: Result<T, Violation>) -> Option<T> {
        found.map_err(|refused| self.refuse_for(at, refused)).ok()
    }

    /// Refuses an integer of an attribute that is out of range, with the nearest in it.
    pub(crate) fn within(
        &mut self,
        name: &str,
        code: Code,
        found: i64,
        range: RangeInclusive<i64>,
        expected: &str,
    ) {
        if !range.contains(&found) {
            let nearest = found.clamp(*range.start(), *range.end());
            let refused = Violation::new(code, expected, found);
            self.refuse_for(
                Site::Attribute(name),
                refused.hint(format!("{nearest} is the nearest")),
            );
        }
    }
}
