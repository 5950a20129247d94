//! Layouts and composed layouts as they are written.

use super::{Form, Mark, Parser, SpanKind, Syntax};
use crate::term::prelude::*;
use crate::{layout::basis::check_steps, term::value::composed_value};

impl Parser<'_, '_, '_> {
    /// `outer o offset o inner`.
    pub(super) fn composed(&mut self, depth: usize) -> Result<Syntax> {
        let (mark, start) = (self.mark(), self.text.at);
        let outer = self.layout(depth)?;
        self.composed_after(&mark, start, outer, depth)
    }

    /// An outer layout, and the offset and the inner one that may follow it.
    pub(super) fn composed_after(
        &mut self,
        mark: &Mark,
        start: usize,
        outer: Syntax,
        depth: usize,
    ) -> Result<Syntax> {
        if !self.eat_o() {
            return Ok(outer);
        }
        self.eat_namespace();
        let offset = match self.is_open() || self.text.peek() == Some('(') {
            true => self.entry(depth)?,
            false => match self.spelled(depth)? {
                Some(offset) => offset,
                None => self.integer().map(Syntax::int)?,
            },
        };
        if !self.eat_o() {
            return Err(self.text.expected("`o` and an inner layout"));
        }
        // It may be composed itself.
        let inner = self.composed(self.text.deeper(depth)?)?;
        self.note_as(mark, SpanKind::Composed);
        self.composed_of(start, [outer, offset, inner])
    }

    /// The composed layout of an outer layout, an offset and an inner layout.
    pub(super) fn composed_of(&self, start: usize, parts: [Syntax; 3]) -> Result<Syntax> {
        if self.is_open() {
            return Ok(Syntax::Form(Form::Composed(parts.into())));
        }
        let refuse = |offset, expected: &str| Error::parse(offset, expected, "another term");
        let [outer, offset, inner] = parts.map(Syntax::into_literal);
        let Some(outer @ (Value::Swizzle(_) | Value::Layout(_) | Value::Basis(_))) = outer else {
            return Err(refuse(start, "a swizzle or a layout before `o`"));
        };
        let value = offset
            .zip(inner)
            .and_then(|(offset, inner)| composed_value(&(), &outer, &offset, &inner));
        value
            .unwrap_or_else(|| Err(refuse(self.text.at, "a layout after `o`")))
            .map(Syntax::Literal)
    }

    /// A lone `o`.
    fn eat_o(&mut self) -> bool {
        let found = self.text.word() == "o";
        if found {
            self.text.at += 1;
        }
        found
    }

    /// A shape and what may follow: `:` and a stride.
    pub(super) fn layout(&mut self, depth: usize) -> Result<Syntax> {
        if let Some(literal) = self.written(depth)? {
            return Ok(literal);
        }
        let mark = self.mark();
        let start = self.text.at;
        let shape = self.step(depth, Self::sum)?;
        let goes_on = self.is_open() || shape.is_coordinate();
        if goes_on && self.text.peek() == Some(':') {
            return self.layout_after(&mark, start, shape, depth);
        }
        if let Syntax::Literal(Value::Steps(stride)) = &shape {
            check_steps(stride)?;
        }
        Ok(shape)
    }

    /// A shape, and the stride that may follow it.
    pub(super) fn layout_after(
        &mut self,
        mark: &Mark,
        start: usize,
        shape: Syntax,
        depth: usize,
    ) -> Result<Syntax> {
        if !self.text.eat(":") {
            return Ok(shape);
        }
        let stride = self.entry(depth)?;
        self.note_as(mark, SpanKind::Layout);
        self.layout_of(start, shape, stride)
    }

    /// The layout of a shape and a stride.
    pub(super) fn layout_of(&self, start: usize, shape: Syntax, stride: Syntax) -> Result<Syntax> {
        if self.is_open() {
            return Ok(Syntax::Form(Form::Layout([shape, stride].into())));
        }
        Ok(Syntax::Literal(match (shape.into_tuple(), stride.into_literal()) {
            (Some(shape), Some(Value::Steps(stride))) => {
                Value::Basis(BasisLayout::new(shape, stride)?)
            }
            (Some(shape), Some(Value::Int(stride))) => {
                Value::Layout(Layout::new(shape, Tuple::Leaf(stride))?)
            }
            (Some(shape), Some(Value::Tuple(stride))) => Value::Layout(Layout::new(shape, stride)?),
            _ => return Err(Error::parse(start, "a layout of integers", "`_`")),
        }))
    }

    /// A tuple of integers, or a layout of two, if that is all that is here: the texts that are read most
    /// often.
    pub(super) fn written(&mut self, depth: usize) -> Result<Option<Syntax>> {
        let start = self.text.at;
        if self.is_open() {
            return Ok(None);
        }
        let Some(shape) = self.text.tuple(depth) else { return Ok(None) };
        let value = match self.text.eat(":") {
            false => Some(shape.into()),
            true => match self.text.tuple(depth) {
                Some(stride) if self.text.peek() != Some('@') => {
                    Some(Value::Layout(Layout::new(shape, stride)?))
                }
                _ => None,
            },
        };
        match value.filter(|_| self.text.peek() != Some('@')) {
            Some(value) => Ok(Some(Syntax::Literal(value))),
            None => {
                self.text.at = start;
                Ok(None)
            }
        }
    }
}
