//! Kernels with dynamic sizes, read at some of these sizes.
//!
//! Copies of partly static views, under predicates whose limits are known at run time, are not followed
//! for all sizes. Where a kernel's facts name the sizes of its views, it is read once more at some: each
//! integer that a view leaves open is a number then, and so are limits and blocks. A condition that is refuted at one size
//! is refuted; one that is proved holds at these sizes, and is reported as not proved at others.

use super::{
    Findings, Gap, Place, arithmetic, dynamic_views,
    kernel_sizes::{self, Sample},
    launch,
    loaded_values::Declared,
    trace::{Event, Known, PARAMETERS, Reader, Trace},
    view::View,
};
use crate::grid;
use layout_algebra::{AnyLayout, Expr, Facts, Value, Values};
use layout_dialect::{TermValue, ViewType, tree};
use layout_relation::IndexForm;
use melior::ir::{
    Attribute, OperationRef, Type,
    attribute::{DictionaryAttribute, IntegerAttribute},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Along a size that no grid divides, tiles are taken to be of this many elements: whole ones, and parts.
const TILE: i64 = 64;

/// The number of tiles of the large size.
const LARGE_TILES: i64 = 3;

/// Sizes of which combinations are examined, at most.
const NAMES: usize = 4;

/// A number for each size that a kernel's views have at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sizes {
    named: BTreeMap<String, i64>,
    /// The same by the symbols of the arguments' integers.
    integers: BTreeMap<u32, i64>,
    /// Integers in arguments, by their numbers.
    samples: BTreeMap<usize, Sample>,
}

impl Sizes {
    /// Sizes by names and by symbols, and what is in memory.
    pub(super) fn new(
        named: BTreeMap<String, i64>,
        integers: BTreeMap<u32, i64>,
        samples: BTreeMap<usize, Sample>,
    ) -> Self {
        Self { named, integers, samples }
    }

    /// Integers in arguments, by their numbers.
    pub(super) fn samples(&self) -> &BTreeMap<usize, Sample> {
        &self.samples
    }

    /// The size of a name.
    pub(super) fn named(&self, name: &str) -> Option<i64> {
        self.named.get(name).copied()
    }

    /// The integers of the arguments, as forms.
    pub(super) fn forms(&self) -> impl Iterator<Item = (u32, IndexForm)> + '_ {
        self.integers.iter().map(|(&number, &value)| (number, IndexForm::constant(value)))
    }

    /// The sizes that a kernel is examined at; empty for a kernel whose facts do not say what its integers are.
    pub(super) fn of(function: OperationRef<'_, '_>) -> Vec<Self> {
        Self::read(function).unwrap_or_default()
    }

    /// The same, and of a handwritten kernel whose facts list its sizes.
    pub(super) fn of_program(function: OperationRef<'_, '_>) -> Vec<Self> {
        let read = Self::read(function);
        read.or_else(|| kernel_sizes::sizes(function)).unwrap_or_default()
    }

    fn read(function: OperationRef<'_, '_>) -> Option<Vec<Self>> {
        let facts = DictionaryAttribute::try_from(launch::facts(function)?).ok()?;
        let ranges = ranges(facts)?;
        let (names, extents) = names(facts, function)?;
        // A stride has to go with the extents that it steps over, which nothing says.
        if ranges.len() > NAMES || !ranges.keys().all(|name| extents.contains(name)) {
            return None;
        }
        let grid = facts.element_by_name("grid")?;
        let declared = Declared::of(function);
        let edges: Vec<(&String, Vec<i64>)> = ranges
            .iter()
            .map(|(name, range)| {
                let tile = grid::divisors(grid, name).last().copied();
                (name, range.edges(tile.unwrap_or(TILE)))
            })
            .collect();
        // Sizes that are mixed up are found where they are not the same.
        let count = edges.iter().map(|(_, edges)| edges.len()).max()?;
        let mut all = BTreeSet::new();
        for round in 0..count {
            let named: BTreeMap<String, i64> = edges
                .iter()
                .enumerate()
                .filter_map(|(at, (name, edges))| {
                    let edge = edges.get((round + at) % edges.len().max(1))?;
                    Some(((*name).clone(), *edge))
                })
                .collect();
            let of_name = |name: &str| named.get(name).copied();
            let integers =
                names.iter().map(|(&number, text)| Some((number, grid::value(text, &of_name)?)));
            let integers = integers.collect::<Option<_>>()?;
            let samples = declared.samples(&of_name)?;
            all.insert(Self { named, integers, samples });
        }
        Some(all.into_iter().collect())
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.named.iter().enumerate() {
            write!(f, "{}{name} = {value}", if at > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// The range of a size by a kernel's facts.
pub(super) struct Range {
    pub(super) least: i64,
    pub(super) most: i64,
    pub(super) divisor: i64,
}

impl Range {
    /// The least size, those around one tile, and one of several tiles and a part, as far as they are allowed.
    pub(super) fn edges(&self, tile: i64) -> Vec<i64> {
        let large = tile.saturating_mul(LARGE_TILES).saturating_add(1);
        self.allowed([1, tile - 1, tile, tile.saturating_add(1), large])
    }

    /// Sizes as far as they are allowed, 1 for the least.
    pub(super) fn allowed<const N: usize>(&self, sizes: [i64; N]) -> Vec<i64> {
        let unit = self.divisor.max(1);
        let from = self.least.max(1);
        let sizes = sizes.map(|size| size.max(from));
        // Up to the next multiple: a size past a tile stays past it.
        let multiples = sizes.map(|size| {
            let over = size.rem_euclid(unit);
            size.saturating_add(if over == 0 { 0 } else { unit - over })
        });
        let allowed = |size: &i64| *size >= from && *size <= self.most;
        let all: BTreeSet<i64> = multiples.into_iter().filter(allowed).collect();
        all.into_iter().collect()
    }
}

fn text(attribute: Attribute<'_>) -> Option<String> {
    tree::text(attribute)
}

/// The ranges of a kernel's sizes by its facts, by their names.
fn ranges(facts: DictionaryAttribute<'_>) -> Option<BTreeMap<String, Range>> {
    let read = |size: Attribute<'_>| {
        let size = DictionaryAttribute::try_from(size).ok()?;
        let number =
            |name| Some(IntegerAttribute::try_from(size.element_by_name(name)?).ok()?.value());
        let range =
            Range { least: number("least")?, most: number("most")?, divisor: number("divisor")? };
        Some((text(size.element_by_name("name")?)?, range))
    };
    tree::elements(facts.element_by_name("sizes")?)?.into_iter().map(read).collect()
}

/// The name of each integer of a kernel's arguments, or the product of names that it is, by its symbol, and the words of
/// extents.
fn names(
    facts: DictionaryAttribute<'_>,
    function: OperationRef<'_, '_>,
) -> Option<(BTreeMap<u32, String>, BTreeSet<String>)> {
    let entry = tree::entry(function)?;
    let described = tree::elements(facts.element_by_name("args")?)?;
    let mut described = described.into_iter().map(DictionaryAttribute::try_from);
    let (mut names, mut extents) = (BTreeMap::new(), BTreeSet::new());
    let mut first = PARAMETERS;
    for at in 0..melior::ir::BlockLike::argument_count(&entry) {
        let r#type = melior::ir::ValueLike::r#type(&tree::argument(entry, at));
        let count = super::argument_facts::integers(r#type, false);
        // Numbers by value are in another list.
        let own = if arithmetic::width(r#type).is_some() { None } else { described.next() };
        if dynamic_views::is_open(r#type) {
            let own = own?.ok()?;
            let sizes = tree::elements(own.element_by_name("sizes")?)?;
            if sizes.len() != usize::try_from(count).ok()? {
                return None;
            }
            for (number, size) in (first..).zip(sizes) {
                let size = DictionaryAttribute::try_from(size).ok()?;
                names.insert(number, text(size.element_by_name("value")?)?);
            }
            let shape = text(own.element_by_name("shape")?)?;
            let words = shape.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            extents.extend(words.map(str::to_owned));
        }
        first = first.saturating_add(count);
    }
    Some((names, extents))
}

/// Checks that the sizes that a handwritten kernel lists can be computed.
pub(super) fn check(function: OperationRef<'_, '_>) -> Result<(), grid::Error> {
    let facts = launch::facts(function).map(DictionaryAttribute::try_from);
    let (Some(Ok(facts)), Some(entry)) = (facts, tree::entry(function)) else { return Ok(()) };
    let texts = |key: &str| -> Vec<String> {
        let listed = facts.element_by_name(key).and_then(tree::elements).unwrap_or_default();
        listed.into_iter().filter_map(text).collect()
    };
    let is_number = |at: usize| {
        let r#type = melior::ir::ValueLike::r#type(&tree::argument(entry, at));
        arithmetic::width(r#type).is_some()
    };
    let arguments = 0..melior::ir::BlockLike::argument_count(&entry);
    let numbers = arguments.zip(texts("names")).filter(|(at, _)| is_number(*at));
    let numbers: Vec<String> = numbers.map(|(_, name)| name).collect();
    grid::check_sizes(&texts("sizes"), &numbers)
}

/// The names of a kernel's dynamic sizes by their symbols: by its derived facts, or as a handwritten kernel lists them.
pub(super) fn named_integers(function: OperationRef<'_, '_>) -> Option<BTreeMap<u32, String>> {
    let facts = DictionaryAttribute::try_from(launch::facts(function)?).ok()?;
    if let Some((names, _)) = names(facts, function) {
        return Some(names);
    }
    let listed = tree::elements(facts.element_by_name("sizes")?)?;
    let mut listed = listed.into_iter().map(text);
    let (mut names, mut first) = (BTreeMap::new(), PARAMETERS);
    let entry = tree::entry(function)?;
    for at in 0..melior::ir::BlockLike::argument_count(&entry) {
        let r#type = melior::ir::ValueLike::r#type(&tree::argument(entry, at));
        let count = super::argument_facts::integers(r#type, false);
        let own = if dynamic_views::is_open(r#type) { count } else { 0 };
        for number in first..first.saturating_add(own) {
            names.insert(number, listed.next()??);
        }
        first = first.saturating_add(count);
    }
    Some(names)
}

/// A partly static layout of an argument's type, and the symbol of its first integer.
#[derive(Clone, Debug)]
pub(super) struct DynamicLayout {
    value: Value<Expr>,
    facts: Facts,
    names: Vec<String>,
    first: u32,
    /// Bytes of an element.
    pub(super) bytes: Option<i64>,
}

impl DynamicLayout {
    /// The layout of a view's type, or `None` if the type leaves nothing open.
    pub(super) fn of(r#type: Type<'_>, first: u32) -> Option<Self> {
        let view = ViewType::from_type(r#type)?;
        let bytes = layout_dialect::element_bytes(view.element_type());
        let term_value = view.term_value().ok()?;
        let names = term_value.symbols().iter().map(|symbol| symbol.name().to_owned()).collect();
        let TermValue::Symbolic { value, facts } = term_value else { return None };
        Some(Self { value, facts, names, first, bytes })
    }

    /// The layout where the integers are these, if the type allows them.
    fn layout(&self, integer: impl Fn(u32) -> Option<i64>) -> Option<AnyLayout> {
        let values = self.names.iter().zip(self.first..);
        let values = values.map(|(name, number)| Some((name.as_str(), integer(number)?)));
        let values: Vec<_> = values.collect::<Option<_>>()?;
        let values = Values::new(&self.facts, values).ok()?;
        AnyLayout::try_from(self.value.substitute(&values).ok()?).ok()
    }

    /// The extent and the stride of each of its modes, where its integers have these forms, or `None` for a composed one.
    pub(super) fn leaves(
        &self,
        integer: &dyn Fn(u32) -> Option<IndexForm>,
    ) -> Option<Vec<(IndexForm, IndexForm)>> {
        let Value::Layout(layout) = &self.value else { return None };
        let count = u32::try_from(self.names.len()).ok()?;
        let last = self.first.checked_add(count)?;
        let integers: Vec<IndexForm> = (self.first..last).map(integer).collect::<Option<_>>()?;
        let form = |expression: &Expr| dynamic_views::form(expression, &integers);
        layout.flat().iter().map(|(extent, stride)| Some((form(extent)?, form(stride)?))).collect()
    }

    /// The layout at sizes.
    pub(super) fn at(&self, sizes: &Sizes) -> Option<AnyLayout> {
        self.layout(|number| sizes.integers.get(&number).copied())
    }
}

impl Reader {
    /// Where a function is examined at sizes, a view whose integers are known is one of a layout that is known.
    pub(super) fn at_sizes(&self, r#type: Type<'_>, known: Known) -> Known {
        let (true, Known::Partly(place)) = (self.sizes.is_some(), &known) else { return known };
        let number = |at: u32| place.integers.get(usize::try_from(at).ok()?)?.as_constant();
        let view =
            DynamicLayout::of(r#type, 0).and_then(|laid| laid.layout(number)).and_then(|layout| {
                let integers = place.integers.clone();
                let view = Self::single(place.clone())?.relaid(&layout);
                Some(View { integers, ..view })
            });
        view.map_or(known, Known::View)
    }
}

/// A function at each of some sizes.
pub(super) type Sized = Vec<(Sizes, Trace)>;

/// A function at sizes, where it is not followed for all of them; at those of before a pass, if it is given them.
pub(super) fn traces(
    function: OperationRef<'_, '_>,
    trace: &Trace,
    before: Option<&Sized>,
) -> Sized {
    let is_followed = |event: &Event| !matches!(event, Event::Unmodelled(..));
    match before.filter(|before| !before.is_empty()) {
        Some(before) => before
            .iter()
            .map_while(|(sizes, old)| {
                Some((sizes.clone(), Trace::at(function, Some(&old.given), sizes)?))
            })
            .collect(),
        None if trace.events.iter().all(is_followed) => Vec::new(),
        None => Sizes::of(function)
            .into_iter()
            .map_while(|sizes| Some((sizes.clone(), Trace::at(function, None, &sizes)?)))
            .collect(),
    }
}

/// The findings of a function at each of some sizes, where that of all sizes is not proved: a refutation at
/// one size is and decides nothing at the others, and no proof is claimed for others.
pub(super) fn joined(
    name: &str,
    general: Findings,
    each: impl Iterator<Item = (Sizes, Findings)>,
) -> Findings {
    let mut all = Findings::default();
    let mut looked_at = Vec::new();
    let (mut unknown, mut left_out) = (BTreeSet::new(), BTreeSet::new());
    for (sizes, found) in each {
        // Sizes at which the kernel divides by 0 are none that it is for.
        if found.undefined {
            continue;
        }
        all.proved += found.proved;
        let at = |what: &str| format!("{what}, at {sizes}");
        for gap in found.refuted {
            all.refute(Gap { what: at(&gap.what), ..gap });
        }
        for place in found.places {
            let message = at(&place.message);
            all.refute_at(Place { message, ..place });
        }
        // At the first size only.
        for gap in found.unknown {
            if unknown.insert(gap.clone()) {
                all.unknown(Gap { what: at(&gap.what), ..gap });
            }
        }
        for gap in found.left_out {
            if left_out.insert(gap.clone()) {
                all.not_followed(Gap { what: at(&gap.what), ..gap });
            }
        }
        all.sampled |= found.sampled;
        looked_at.push(sizes.to_string());
        if all.is_refuted() {
            break;
        }
    }
    if looked_at.is_empty() {
        return general;
    }
    let sampled = if all.sampled { ", and with other integers in memory" } else { "" };
    let bounds = general.bounds.as_ref().map(|taken| match &taken[..] {
        [] => "; bounds are proved for all sizes".to_owned(),
        _ => format!("; bounds are proved for all sizes, {}", taken.join(", and ")),
    });
    let bounds = bounds.unwrap_or_default();
    let others = format!("@{name} at other sizes than {}{sampled}{bounds}", looked_at.join("; "));
    all.unknown.insert(0, others.into());
    all
}
