//! The facts of a rule's variables, as its condition reads them.

use crate::{
    facts::{Facts, Number, number},
    symbol::Uniform,
};
use layout_algebra::{AnyLayout, Layout, Swizzle, Tiler, Value};

/// The facts of a rule's variables.
pub struct Known<'k> {
    facts: &'k dyn Fn(&str) -> Option<&'k Facts>,
    width: u32,
}

impl<'k> Known<'k> {
    /// Facts from a lookup by variable name, without the `?`, at a width of indices.
    pub fn new(facts: &'k dyn Fn(&str) -> Option<&'k Facts>, width: u32) -> Self {
        Self { facts, width }
    }

    /// Bits of an index.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// All facts about a variable.
    pub fn facts(&self, name: &str) -> Option<&'k Facts> {
        (self.facts)(name)
    }

    /// The value of a variable.
    pub fn value(&self, name: &str) -> Option<&'k Value> {
        self.facts(name)?.value.as_ref()
    }

    /// The value as a plain layout.
    pub fn layout(&self, name: &str) -> Option<Layout> {
        match self.value(name)? {
            Value::Layout(layout) => Some(layout.clone()),
            _ => None,
        }
    }

    /// The value as a layout, plain or composed.
    pub fn any_layout(&self, name: &str) -> Option<AnyLayout> {
        AnyLayout::try_from(self.value(name)?.clone()).ok()
    }

    /// The value as a swizzle.
    pub fn swizzle(&self, name: &str) -> Option<Swizzle> {
        match self.value(name)? {
            Value::Swizzle(swizzle) => Some(*swizzle),
            _ => None,
        }
    }

    /// The value as an integer, or the one that an index can only have.
    pub fn int(&self, name: &str) -> Option<i64> {
        let facts = self.facts(name)?;
        match &facts.value {
            Some(Value::Int(value)) => Some(*value),
            Some(_) => None,
            None => facts.number?.value(),
        }
    }

    /// The value as a positive integer.
    pub fn positive(&self, name: &str) -> Option<i64> {
        self.int(name).filter(|&value| value > 0)
    }

    /// The exponent of a positive integer that is a power of two.
    pub fn exponent(&self, name: &str) -> Option<u32> {
        let value = self.positive(name)?;
        (value.count_ones() == 1).then(|| value.trailing_zeros())
    }

    /// The value as a tuple of tilers.
    pub fn tilers(&self, name: &str) -> Option<Vec<Tiler>> {
        match self.value(name)?.tiler().ok()? {
            Tiler::Tuple(entries) => Some(entries),
            _ => None,
        }
    }

    /// The facts of an index.
    pub fn number(&self, name: &str) -> Option<Number> {
        self.facts(name)?.number
    }

    /// Whether an index is known to lie in `0 ..`.
    pub fn is_natural(&self, name: &str) -> bool {
        self.number(name).is_some_and(|number| number.low >= 0)
    }

    /// Whether the sum of two indices never wraps and neither is below 0: then unsigned words
    /// add up as integers do.
    pub fn add_up(&self, x: &str, y: &str) -> bool {
        let (Some(x), Some(y)) = (self.number(x), self.number(y)) else { return false };
        x.low >= 0 && y.low >= 0 && number::adds(&x, &y)
    }

    /// Whether the product of two indices never wraps and neither is below 0.
    pub fn multiply_out(&self, x: &str, y: &str) -> bool {
        let (Some(x), Some(y)) = (self.number(x), self.number(y)) else { return false };
        x.low >= 0 && y.low >= 0 && number::multiplies(&x, &y)
    }

    /// The threads that see the same value.
    pub fn uniform(&self, name: &str) -> Uniform {
        self.facts(name).map_or(Uniform::Thread, |facts| facts.uniform)
    }

    /// How many loops a variable changes in.
    pub fn depth(&self, name: &str) -> u32 {
        self.facts(name).map_or(0, |facts| facts.depth)
    }

    /// An integer as a literal, if it is a word.
    pub fn word(&self, value: i64) -> Option<Value> {
        (crate::index::wrap(value, self.width) == value).then_some(Value::Int(value))
    }
}
