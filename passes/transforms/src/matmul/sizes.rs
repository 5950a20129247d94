//! Dynamic sizes of a matmul: extents and strides that a launch passes on. Imports no other part.
//!
//! An extent has the name of the GEMM's: `m`, `n`, `k`, `batch`, whichever operand's type leaves it open. A stride that
//! is no extent has the name of its operand and mode, such as `a_stride_m`. Plans are made of numbers: for each size is
//! [`TermValue::stand_in`], so that what a plan finds divisible is so for every size that a launch may have, and no extent is
//! found to be 1.

use crate::matmul::{FAMILY, Failure, launch::attributes::Attributes};
use layout_algebra::{AnyLayout, Expr, Facts, Layout, Nested, Symbol, Value, gcd};
use layout_dialect::{TermValue, ViewType};
use melior::ir::{
    Attribute, OperationRef,
    attribute::{DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// The names of an operand's modes: A's, B's, and those of C and the epilogue's operands.
pub(crate) const MODES: [[&str; 3]; 3] =
    [["m", "k", "batch"], ["n", "k", "batch"], ["m", "n", "batch"]];

/// The names of an image's modes.
pub(crate) const IMAGE: [&str; 4] = ["channels", "width", "height", "images"];

/// The upper bound of a size without one.
pub(crate) const MAX_SIZE: i64 = (1 << 31) - 1;

/// A size that a launch passes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) name: String,
    least: i64,
    pub(crate) most: i64,
    divisor: i64,
}

/// The sizes of a matmul that a launch passes on, and the extents that some of its operands know.
#[derive(Debug, Default)]
pub(crate) struct Sizes {
    all: Vec<Size>,
    known: Vec<(String, i64)>,
}

/// A matrix's layout as a kernel's facts state it.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatedLayout {
    pub(crate) shape: String,
    pub(crate) stride: String,
    /// The integers that its layout leaves open, in order: the size, and how many bits it is passed on in.
    integers: Vec<(String, u32)>,
    /// The name of each mode's extent, where it is one of them.
    pub(crate) extents: Vec<Option<String>>,
}

impl StatedLayout {
    /// The facts of a layout that is known.
    pub(crate) fn of(layout: &Layout) -> Self {
        Self {
            shape: layout.shape().to_string(),
            stride: layout.stride().to_string(),
            ..Self::default()
        }
    }

    /// Whether a stride is known at run time.
    pub(crate) fn is_strided(&self) -> bool {
        self.stride.contains(|c: char| c.is_ascii_alphabetic())
    }

    /// The integers after its pointer, in the kernel's facts.
    pub(crate) fn integers<'c>(&self, facts: Attributes<'c>) -> Option<Attribute<'c>> {
        let one = |(name, bits): &(String, u32)| {
            let bits = facts.integer(i64::from(*bits));
            facts.dictionary([("value", facts.text(name)), ("bits", bits)])
        };
        let all: Vec<_> = self.integers.iter().map(one).collect();
        (!all.is_empty()).then(|| facts.list(&all))
    }
}

impl Sizes {
    /// Takes note of the sizes of an operand `name` whose modes are called so.
    pub(crate) fn note(
        &mut self,
        name: &str,
        view: ViewType<'_>,
        modes: &[&str],
    ) -> Result<(), Failure> {
        let term_value = view.term_value().map_err(refused)?;
        let symbols = term_value.symbols();
        match term_value {
            TermValue::Symbolic { value: Value::Layout(layout), facts } => {
                let extents = extents(name, &layout, modes)?;
                for (mode, own) in layout.modes().iter().zip(modes) {
                    if let Some(known) = mode.size().map_err(refused)?.as_constant() {
                        self.known.push(((*own).to_owned(), known));
                    }
                }
                for (symbol, own) in named(name, &layout, (&facts, symbols), &extents, modes)? {
                    let (least, most) = symbol.range();
                    let most = if symbol.width().limits().1 == most { MAX_SIZE } else { most };
                    self.add(Size {
                        name: own,
                        least: least.max(1),
                        most,
                        divisor: symbol.divisor(),
                    });
                }
            }
            term_value => {
                if let Some(AnyLayout::Plain(layout)) = term_value.any_layout() {
                    for (mode, own) in layout.modes().iter().zip(modes) {
                        self.known.push(((*own).to_owned(), mode.size()));
                    }
                }
            }
        }
        Ok(())
    }

    /// All facts of one size, from any operand.
    fn add(&mut self, size: Size) {
        let Some(own) = self.all.iter_mut().find(|own| own.name == size.name) else {
            return self.all.push(size);
        };
        own.least = own.least.max(size.least);
        own.most = own.most.min(size.most);
        let common = gcd(own.divisor, size.divisor).max(1);
        own.divisor = (own.divisor / common).saturating_mul(size.divisor).clamp(1, MAX_SIZE);
    }

    /// The layout that takes an operand's while plans are made, and what the kernel's facts say of it.
    pub(crate) fn layout(
        &self,
        name: &str,
        view: ViewType<'_>,
        modes: &[&str],
    ) -> Result<(Layout, StatedLayout), Failure> {
        let term_value = view.term_value().map_err(refused)?;
        let symbols = term_value.symbols();
        let (layout, facts) = match term_value {
            TermValue::Symbolic { value: Value::Layout(layout), facts } => (layout, facts),
            term_value => {
                return match term_value.any_layout() {
                    Some(AnyLayout::Plain(layout)) => {
                        let stated = StatedLayout::of(&layout);
                        Ok((layout, stated))
                    }
                    _ => {
                        let expected = "expected operands with plain layouts";
                        Err(Failure::Refused(format!("{expected}, found {term_value}")))
                    }
                };
            }
        };
        let extents = extents(name, &layout, modes)?;
        let integers = named(name, &layout, (&facts, symbols), &extents, modes)?;
        let text = |tuple: &Nested<Expr>| {
            let mut text = String::new();
            write_leaves(tuple, &integers, &mut text);
            text
        };
        let (shape, stride) = (text(layout.shape()), text(layout.stride()));
        let numbers = |tuple: &Nested<Expr>| {
            tuple.try_map(&mut |leaf| self.number(leaf, &integers)).map_err(|leaf: String| {
                Failure::Refused(format!(
                    "expected {name} with extents and strides that are static or each a dynamic integer, found {leaf} in {layout}"
                ))
            })
        };
        let sample = Layout::new(numbers(layout.shape())?, numbers(layout.stride())?)?;
        let stated = StatedLayout {
            shape,
            stride,
            extents: extents.into_iter().map(|mode| mode.map(str::to_owned)).collect(),
            integers: integers.into_iter().map(|(own, size)| (size, own.width().bits())).collect(),
        };
        Ok((sample, stated))
    }

    /// The number that is, or stands for, an extent or a stride; what it is, where it is neither.
    fn number(&self, leaf: &Expr, integers: &[(Symbol, String)]) -> Result<i64, String> {
        if let Some(known) = leaf.as_constant() {
            return Ok(known);
        }
        let text = leaf.to_string();
        let size = integers.iter().find(|(symbol, _)| symbol.name() == text);
        size.and_then(|(_, size)| self.value_of(size)).ok_or(text)
    }

    /// The number that stands for a size.
    fn value_of(&self, name: &str) -> Option<i64> {
        let place = self.all.iter().position(|size| size.name == name)?;
        let Size { least, most, divisor, .. } = self.all[place];
        if least == most { Some(least) } else { TermValue::stand_in(place, divisor) }
    }

    /// Checks that each size has a value that all operands allow, once all were noted: the one that an operand knows, if
    /// one does.
    pub(crate) fn agree(&mut self) -> Result<(), Failure> {
        for Size { name, least, most, divisor } in &mut self.all {
            if let Some((_, known)) = self.known.iter().find(|(own, _)| own == name) {
                (*least, *most) = ((*least).max(*known), (*most).min(*known));
            }
            // The last multiple.
            if *most / *divisor * *divisor < *least {
                return Err(Failure::Refused(format!(
                    "expected a value of '{name}' that all operands allow, found none from {least} to {most} that is \
                     a multiple of {divisor}"
                )));
            }
        }
        Ok(())
    }

    /// A message of a plan with the names of sizes in the places of the numbers that stand for them.
    pub(crate) fn spoken(&self, message: &str) -> String {
        let named = |number: &str| {
            let value = number.parse().ok()?;
            let own =
                |size: &&Size| self.value_of(&size.name) == Some(value) && size.least != size.most;
            Some(self.all.iter().find(own)?.name.as_str())
        };
        let mut spoken = String::with_capacity(message.len());
        let mut rest = message;
        while let Some(first) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, from) = rest.split_at(first);
            let end = from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len());
            let (number, after) = from.split_at(end);
            spoken.push_str(before);
            spoken.push_str(named(number).unwrap_or(number));
            rest = after;
        }
        spoken + rest
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Takes note of the greatest sizes that a function of a family is for, as its attribute says them.
    pub(crate) fn bound(&mut self, function: OperationRef<'_, '_>) {
        let family = function.attribute(FAMILY).and_then(DictionaryAttribute::try_from);
        let most = family.ok().and_then(|family| family.element_by_name("most"));
        let Some(most) = most.and_then(|most| DictionaryAttribute::try_from(most).ok()) else {
            return;
        };
        for size in &mut self.all {
            let own = most.element_by_name(&size.name);
            if let Some(own) = own.and_then(|own| IntegerAttribute::try_from(own).ok()) {
                size.most = size.most.min(own.value());
            }
        }
    }

    /// Whether one tile covers a dynamic extent, whatever its value.
    pub(crate) fn is_covered(&self, name: &str, tile: i64) -> bool {
        self.get(name).is_some_and(|size| size.most <= tile)
    }

    /// The name of one.
    pub(crate) fn first(&self) -> Option<&str> {
        self.all.first().map(|size| size.name.as_str())
    }

    /// A size by its name.
    pub(crate) fn get(&self, name: &str) -> Option<&Size> {
        self.all.iter().find(|size| size.name == name)
    }

    /// An extent of the GEMM in the kernel's facts: its name, or the number that it is.
    pub(crate) fn fact<'c>(&self, facts: Attributes<'c>, name: &str, extent: i64) -> Attribute<'c> {
        match self.get(name) {
            Some(_) => facts.text(name),
            None => facts.integer(extent),
        }
    }

    /// An extent of the GEMM in an expression of the kernel's facts.
    pub(crate) fn text(&self, name: &str, extent: i64) -> String {
        self.get(name).map_or_else(|| extent.to_string(), |size| size.name.clone())
    }

    /// The sizes in the kernel's facts, where there are any.
    pub(crate) fn facts<'c>(&self, facts: Attributes<'c>) -> Option<Attribute<'c>> {
        let one = |Size { name, least, most, divisor }: &Size| {
            facts.dictionary([
                ("name", facts.text(name)),
                ("least", facts.integer(*least)),
                ("most", facts.integer(*most)),
                ("divisor", facts.integer(*divisor)),
            ])
        };
        let all: Vec<_> = self.all.iter().map(one).collect();
        (!all.is_empty()).then(|| facts.list(&all))
    }
}

/// The number of tiles along an extent as an expression, in whole clusters.
pub(crate) fn tiles(extent: &str, tile: i64, cluster: i64) -> String {
    let tiles = match extent.parse::<i64>() {
        Ok(extent) => ((extent - 1) / tile + 1).to_string(),
        Err(_) => format!("ceil_div({extent},{tile})"),
    };
    match (cluster, tiles.parse::<i64>()) {
        (1, _) => tiles,
        (_, Ok(tiles)) => (((tiles - 1) / cluster + 1) * cluster).to_string(),
        (_, Err(_)) => format!("ceil_div({tiles},{cluster})*{cluster}"),
    }
}

/// The names of those modes whose extents are known at run time.
fn extents<'m>(
    name: &str,
    layout: &Layout<Expr>,
    modes: &[&'m str],
) -> Result<Vec<Option<&'m str>>, Failure> {
    let extent = |(mode, own): (Layout<Expr>, &&'m str)| {
        let size = mode.size().map_err(refused)?;
        if size.as_constant().is_some() {
            return Ok(None);
        }
        match mode.shape() {
            Nested::Leaf(_) => Ok(Some(*own)),
            Nested::Node(_) => Err(Failure::Refused(format!(
                "expected {name} with one extent in each mode that is known at run time, found {layout}"
            ))),
        }
    };
    layout.modes().into_iter().zip(modes).map(extent).collect()
}

/// Each integer that a layout leaves open, in the order in which they are passed on, and the size that it is.
fn named(
    name: &str,
    layout: &Layout<Expr>,
    (facts, symbols): (&Facts, Vec<Symbol>),
    extents: &[Option<&str>],
    modes: &[&str],
) -> Result<Vec<(Symbol, String)>, Failure> {
    let of_modes = layout.modes();
    let is = |expr: &Expr, symbol: &str| facts.symbol(symbol).is_ok_and(|own| own == *expr);
    let name_of = |symbol: &str| {
        for (mode, extent) in of_modes.iter().zip(extents) {
            if let (Some(extent), Nested::Leaf(leaf)) = (extent, mode.shape())
                && is(leaf, symbol)
            {
                return Some((*extent).to_owned());
            }
        }
        for (mode, along) in of_modes.iter().zip(modes) {
            let leaves = mode.flat();
            if let Some(leaf) = leaves.iter().position(|(_, stride)| is(stride, symbol)) {
                // The leaf's number, in a mode of several.
                let leaf = if leaves.len() == 1 { String::new() } else { leaf.to_string() };
                return Some(format!("{name}_stride_{along}{leaf}"));
            }
        }
        None
    };
    symbols
        .into_iter()
        .map(|symbol| {
            let own = name_of(symbol.name()).ok_or_else(|| {
                Failure::Refused(format!(
                    "expected {name} with extents and strides that are static or each a dynamic integer, found {layout}"
                ))
            })?;
            Ok((symbol, own))
        })
        .collect()
}

fn write_leaves(tuple: &Nested<Expr>, integers: &[(Symbol, String)], text: &mut String) {
    match tuple {
        Nested::Leaf(leaf) => {
            let mut leaf = leaf.to_string();
            if let Some((_, size)) = integers.iter().find(|(own, _)| own.name() == leaf) {
                leaf.clone_from(size);
            }
            text.push_str(&leaf);
        }
        Nested::Node(modes) => {
            text.push('(');
            for (i, mode) in modes.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write_leaves(mode, integers, text);
            }
            text.push(')');
        }
    }
}

fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::Refused(error.to_string())
}
