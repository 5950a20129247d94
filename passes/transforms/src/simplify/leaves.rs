//! The facts of values that index arithmetic starts from, by the table of [`sources`](super::sources).

use super::sources::{Cast, FactRule, Launch, gives};
use layout_dialect::{
    build::{Val, operand},
    tree,
};
use layout_egraph::{
    facts::{
        Number,
        source::{self, counter},
    },
    index::{bounds, wrap},
    symbol::{Symbol, Uniform},
};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, OperationRef, Type, TypeLike, ValueLike,
    attribute::IntegerAttribute, operation::OperationLike, r#type::IntegerType,
};
use mlir_sys::{mlirAttributeIsADenseI32Array, mlirDenseI32ArrayGetElement};
use std::{cell::RefCell, collections::BTreeMap};

/// Bits of an index. A module whose data layout has others is left alone: see [`has_usual_index`].
pub(super) const INDEX: u32 = 64;

/// Whether an index has 64 bits in a function: no data layout around it says otherwise.
pub(super) fn has_usual_index(function: OperationRef<'_, '_>) -> bool {
    let mut around = Some(function);
    while let Some(operation) = around {
        if let Ok(layout) = operation.attribute("dlti.dl_spec") {
            let text = layout.to_string();
            // `index = 32 : i64`; what cannot be read is not the usual.
            let stated = text.find("index").map(|at| &text[at + "index".len()..]);
            let bits = stated.map(|rest| {
                let digits = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
                digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|d| d.parse().ok())
            });
            if let Some(bits) = bits {
                return bits == Some(INDEX);
            }
        }
        // SAFETY: what is around an operation lives as long as it does.
        around =
            operation.parent_operation().map(|o| unsafe { OperationRef::from_raw(o.to_raw()) });
    }
    true
}

/// The facts of one value.
#[derive(Clone, Copy)]
struct Fact {
    /// At the width of its type, or `None` for a value that is no integer of 64 bits or fewer.
    number: Option<Number>,
    uniform: Uniform,
    depth: u32,
}

/// The attributes of a function's launch, and the facts of its values.
pub(super) struct Leaves<'c> {
    function: OperationRef<'c, 'c>,
    /// The facts that were found before.
    found: RefCell<BTreeMap<usize, Fact>>,
}

impl<'c> Leaves<'c> {
    pub(super) fn new(function: OperationRef<'c, '_>) -> Self {
        // SAFETY: the function is valid while the pass works on it.
        let function = unsafe { OperationRef::from_raw(function.to_raw()) };
        Self { function, found: RefCell::default() }
    }

    /// A value as an unknown of `width` bits. Its name is empty.
    pub(super) fn symbol(&self, value: Val<'c>, width: u32) -> Symbol {
        let fact = self.fact(value);
        let (low, high) = bounds(width);
        let symbol =
            Symbol { low, high, depth: fact.depth, uniform: fact.uniform, ..Symbol::any("") };
        match fact.number {
            Some(number) if number.width == width => Symbol {
                low: number.low,
                high: number.high,
                multiple: number.multiple.max(1),
                ..symbol
            },
            _ => symbol,
        }
    }

    /// Drops the facts about a value that is erased.
    pub(super) fn forget(&self, key: usize) {
        self.found.borrow_mut().remove(&key);
    }

    /// The facts of a value. Casts of casts are followed in a list, since a chain of them may be as
    /// long as a function; loops in loops are only as deep as their text.
    fn fact(&self, value: Val<'c>) -> Fact {
        let mut casts: Vec<(Val<'c>, Cast)> = Vec::new();
        let mut inner = value;
        let mut fact = loop {
            if let Some(&known) = self.found.borrow().get(&tree::key(inner)) {
                break known;
            }
            let made = tree::definition(inner);
            match made.and_then(|made| Some((made, gives(&tree::name(made))?))) {
                Some((made, FactRule::Cast(cast))) => {
                    casts.push((inner, cast));
                    inner = operand(made, 0);
                }
                Some((made, gives)) => break self.made(inner, made, gives),
                None => break self.argument(inner),
            }
        };
        self.found.borrow_mut().insert(tree::key(inner), fact);
        for (value, kind) in casts.into_iter().rev() {
            let width = width_of(value.r#type());
            let number = fact.number.zip(width).map(|(inner, width)| cast(kind, &inner, width));
            let depth = tree::definition(value).map_or(0, |made| self.depth(made));
            fact = Fact { number: number.or(any(value)), depth, ..fact };
            self.found.borrow_mut().insert(tree::key(value), fact);
        }
        fact
    }

    /// The fact of the result of an operation with a row of the table.
    fn made(&self, value: Val<'c>, made: OperationRef<'c, 'c>, gives: FactRule) -> Fact {
        let unknown =
            Fact { number: any(value), uniform: Uniform::Thread, depth: self.depth(made) };
        let below = |extent: i64| {
            let width = width_of(value.r#type())?;
            Number::between(0, extent.checked_sub(1)?, 1, width)
        };
        match gives {
            FactRule::Constant => {
                let width = width_of(value.r#type());
                let number = width.zip(integer(made, "value"));
                let number = number.map(|(width, x)| Number::constant(wrap(x, width), width));
                Fact { number: number.or(unknown.number), uniform: Uniform::Block, depth: 0 }
            }
            FactRule::Id(Launch { limits, stated, uniform }) => {
                let extent = dimension(made).map(|dimension| {
                    let stated = stated.and_then(|name| self.bound(name, dimension));
                    let stated = stated.unwrap_or(limits[dimension]);
                    integer(made, "upper_bound").map_or(stated, |own| own.min(stated))
                });
                let number = extent.filter(|&extent| extent > 0).and_then(below);
                Fact { number: number.or(unknown.number), uniform, ..unknown }
            }
            FactRule::Lane(lanes) => {
                let own = integer(made, "upper_bound").filter(|&own| own > 0);
                let number = below(own.map_or(lanes, |own| own.min(lanes)));
                Fact { number: number.or(unknown.number), ..unknown }
            }
            FactRule::Shared(uniform) => Fact { uniform, ..unknown },
            FactRule::Cast(_) | FactRule::Counter | FactRule::Meaning | FactRule::Nothing => {
                unknown
            }
        }
    }

    /// The fact of a block's argument, and of a value without a row.
    fn argument(&self, value: Val<'c>) -> Fact {
        let unknown = Fact { number: any(value), uniform: Uniform::Thread, depth: 0 };
        if let Some(made) = tree::definition(value) {
            return Fact { depth: self.depth(made), ..unknown };
        }
        let Some(around) = tree::owner(value).and_then(|block| block.parent_operation()) else {
            return unknown;
        };
        // SAFETY: the operation lives as long as its block.
        let around = unsafe { OperationRef::from_raw(around.to_raw()) };
        let depth = self.depth(around) + u32::from(repeats(around));
        let unknown = Fact { depth, ..unknown };
        let first = tree::entry(around);
        let block = tree::owner(value).map(|block| block.to_raw().ptr);
        if first.map(|first| first.to_raw().ptr) != block {
            return unknown;
        }
        if around.to_raw().ptr == self.function.to_raw().ptr {
            return Fact { uniform: Uniform::Block, ..unknown };
        }
        let counts =
            first.is_some_and(|first| tree::key(tree::argument(first, 0)) == tree::key(value));
        match gives(&tree::name(around)) {
            Some(FactRule::Counter) if counts => {
                let [lower, upper, step] = [0, 1, 2].map(|i| self.fact(operand(around, i)));
                let unsigned = around.attribute("unsignedCmp").is_ok();
                let number = match (lower.number, upper.number, step.number) {
                    (Some(l), Some(u), Some(s)) => Some(counter(&l, &u, &s, unsigned)),
                    _ => unknown.number,
                };
                let uniform = lower.uniform.min(upper.uniform).min(step.uniform);
                Fact { number, uniform, ..unknown }
            }
            _ => unknown,
        }
    }

    /// A bound of the launch that the function states.
    fn bound(&self, name: &str, dimension: usize) -> Option<i64> {
        let mut around = Some(self.function);
        let attribute = loop {
            let operation = around?;
            if let Ok(attribute) = operation.attribute(name) {
                break attribute;
            }
            // SAFETY: what is around an operation lives as long as it does.
            around =
                operation.parent_operation().map(|o| unsafe { OperationRef::from_raw(o.to_raw()) });
        };
        // SAFETY: the attribute's kind is checked first; dimensions are below 3 of 3 entries.
        let entry = unsafe {
            mlirAttributeIsADenseI32Array(attribute.to_raw())
                .then(|| mlirDenseI32ArrayGetElement(attribute.to_raw(), dimension as isize))
        };
        entry.map(i64::from)
    }

    /// How many loops of the function are around an operation.
    fn depth(&self, operation: OperationRef<'c, 'c>) -> u32 {
        let mut depth = 0;
        let mut around = operation.parent_operation();
        while let Some(parent) = around {
            if parent.to_raw().ptr == self.function.to_raw().ptr {
                break;
            }
            // SAFETY: what is around an operation lives as long as it does.
            let parent = unsafe { OperationRef::from_raw(parent.to_raw()) };
            depth += u32::from(repeats(parent));
            around = parent.parent_operation();
        }
        depth
    }
}

/// Whether what is inside runs several times.
fn repeats(operation: OperationRef<'_, '_>) -> bool {
    matches!(
        tree::name(operation).as_str(),
        "scf.for" | "scf.while" | "scf.parallel" | "scf.forall" | "layout.pipeline"
    )
}

/// The dimension that an id is of.
fn dimension(made: OperationRef<'_, '_>) -> Option<usize> {
    let text = made.attribute("dimension").ok()?.to_string();
    let ends = |ends: [&str; 3]| ends.iter().position(|end| text.ends_with(end));
    ends(["x>", "y>", "z>"]).or_else(|| ends([" x", " y", " z"]))
}

fn cast(kind: Cast, x: &Number, width: u32) -> Number {
    let kind = match kind {
        Cast::Sign | Cast::Truncate => source::Cast::Sign,
        Cast::Zero => source::Cast::Zero,
    };
    source::cast(kind, x, width)
}

/// The bits of an integer that has 64 or fewer; an index has 64.
pub(super) fn width_of(r#type: Type<'_>) -> Option<u32> {
    if r#type.is_index() {
        return Some(INDEX);
    }
    let width = IntegerType::try_from(r#type).ok()?.width();
    (1..=64).contains(&width).then_some(width)
}

/// The facts of any value of a type.
fn any(value: Val<'_>) -> Option<Number> {
    width_of(value.r#type()).map(Number::any)
}

/// An integer attribute of an operation.
pub(super) fn integer(operation: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    let attribute: Attribute<'_> = operation.attribute(name).ok()?;
    IntegerAttribute::try_from(attribute).ok().map(|attribute| attribute.value())
}
