//! The sizes that a handwritten kernel is examined at, as `layout.kernel` lists them: a name, or an expression of names, for
//! each integer that its views leave open, and names of its numbers by value.
//!
//! Sizes that the grid is made of are around those of a tile, others few, or past a tile; numbers by value are 0 and 1.
//! Integers in memory are samples of what the kernel's facts say of them.

use super::{
    argument_facts, arithmetic, dynamic_views, launch,
    loaded_values::Declared,
    sizes::{Range, Sizes},
    trace::PARAMETERS,
};
use crate::grid;
use layout_algebra::Symbol;
use layout_dialect::tree;
use melior::ir::{Attribute, BlockLike, OperationRef, ValueLike, attribute::DictionaryAttribute};
use std::collections::{BTreeMap, BTreeSet};

/// Names of which combinations are examined, at most.
const NAMES: usize = 8;

/// A size past two tiles of 128, for a name that no grid divides.
const BEYOND_TWO_TILES: i64 = 321;

/// The size of a name that goes with no other one, so that nothing says what it is for, at most.
const UNRELATED_SIZE: i64 = 257;

/// Steps through the sizes of each name, which share no divisor with their number.
const STEPS: [usize; 8] = [1, 7, 11, 13, 17, 19, 23, 29];

/// Integers in an argument's memory, as facts describe them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sample {
    /// The least and the greatest, or the first and the last of them.
    from: i64,
    to: i64,
    ascends: bool,
    /// How many there are.
    count: i64,
}

impl Sample {
    /// Integers between two ends, which may ascend from one to the other.
    pub(super) fn new((from, to): (i64, i64), ascends: bool) -> Self {
        Self { from, to, ascends, count: 0 }
    }

    /// The same of so many.
    pub(super) fn of(&self, count: i64) -> Self {
        Self { count, ..self.clone() }
    }

    /// An element: of numbers that ascend, in equal steps; else any number between the least and the greatest, the
    /// greatest first, and each twice in a row, since nothing says that they differ.
    pub(super) fn at(&self, element: i64) -> Option<i64> {
        let is_there = element >= 0 && (element < self.count || !self.ascends);
        if !is_there || self.from > self.to {
            return None;
        }
        let span = i128::from(self.to) - i128::from(self.from);
        let step = match self.ascends {
            true => span * i128::from(element) / i128::from((self.count - 1).max(1)),
            false => (span + 7919 * i128::from(element / 2)) % (span + 1),
        };
        i64::try_from(i128::from(self.from) + step).ok()
    }
}

fn texts(facts: DictionaryAttribute<'_>, key: &str) -> Vec<String> {
    let listed = facts.element_by_name(key).and_then(tree::elements).unwrap_or_default();
    listed.into_iter().filter_map(tree::text).collect()
}

/// An integer of a kernel's arguments: its symbol, what it is among names, and what its type says.
struct Integer {
    number: u32,
    text: String,
    symbol: Option<Symbol>,
}

/// The integers of a kernel's arguments, as its facts list them: handwritten, by argument and number by value, or derived.
fn integers(
    facts: DictionaryAttribute<'_>,
    function: OperationRef<'_, '_>,
) -> Option<Vec<Integer>> {
    let entry = tree::entry(function)?;
    let names = texts(facts, "names");
    let (mut listed, mut numbers) = match derived(facts) {
        Some((sizes, numbers)) => (sizes.into_iter(), Some(numbers.into_iter())),
        None => (texts(facts, "sizes").into_iter(), None),
    };
    let mut all = Vec::new();
    let mut first = PARAMETERS;
    for at in 0..entry.argument_count() {
        let r#type = tree::argument(entry, at).r#type();
        if dynamic_views::is_open(r#type) {
            for (number, symbol) in (first..).zip(dynamic_views::symbols(r#type)?) {
                all.push(Integer { number, text: listed.next()?, symbol: Some(symbol) });
            }
        } else if arithmetic::width(r#type).is_some() {
            let text = match &mut numbers {
                Some(numbers) => numbers.next()?,
                None => names.get(at)?.clone(),
            };
            all.push(Integer { number: first, text, symbol: None });
        }
        first = first.saturating_add(argument_facts::integers(r#type, false));
    }
    Some(all)
}

fn dictionaries(list: Attribute<'_>) -> Option<Vec<DictionaryAttribute<'_>>> {
    let each = tree::elements(list)?.into_iter();
    each.map(|own| DictionaryAttribute::try_from(own).ok()).collect()
}

/// The texts of the integers of views, and of numbers by value, by derived facts; `None` for handwritten ones.
fn derived(facts: DictionaryAttribute<'_>) -> Option<(Vec<String>, Vec<String>)> {
    let values = |own: &DictionaryAttribute<'_>| tree::text(own.element_by_name("value")?);
    // Handwritten sizes are texts.
    dictionaries(facts.element_by_name("sizes")?)?;
    let mut sizes = Vec::new();
    for own in dictionaries(facts.element_by_name("args")?)? {
        let Some(list) = own.element_by_name("sizes") else { continue };
        sizes.extend(dictionaries(list)?.iter().map(values).collect::<Option<Vec<_>>>()?);
    }
    let scalars = facts.element_by_name("scalars").and_then(dictionaries).unwrap_or_default();
    // Floats by value are no sizes.
    let is_float = |own: &DictionaryAttribute<'_>| {
        let text = own.element_by_name("type").and_then(tree::text);
        text.is_some_and(|text| text.contains('f'))
    };
    let numbers = scalars.iter().filter(|own| !is_float(own));
    Some((sizes, numbers.map(values).collect::<Option<_>>()?))
}

/// The sizes that a kernel is examined at, or `None` for one whose facts do not list them.
pub(super) fn sizes(function: OperationRef<'_, '_>) -> Option<Vec<Sizes>> {
    let facts = DictionaryAttribute::try_from(launch::facts(function)?).ok()?;
    let grid = facts.element_by_name("grid")?;
    let integers = integers(facts, function)?;
    let mut ranges: BTreeMap<&str, Range> = BTreeMap::new();
    let mut scalars: BTreeSet<&str> = BTreeSet::new();
    for Integer { text, symbol, .. } in &integers {
        let Some(symbol) = symbol else {
            scalars.insert(text);
            continue;
        };
        let is_name = grid::is_name(text);
        for name in grid::names(text) {
            let known =
                ranges.entry(name).or_insert(Range { least: 1, most: i64::MAX, divisor: 1 });
            if is_name {
                let (least, most) = symbol.range();
                known.least = known.least.max(least);
                known.most = known.most.min(most);
                known.divisor = known.divisor.max(symbol.divisor());
            }
        }
    }
    // A number by value that sizes are made of is a size.
    scalars.retain(|name| !ranges.contains_key(name));
    let grids = grid.to_string();
    let uses =
        |name: &str| integers.iter().filter(|one| grid::names(&one.text).contains(name)).count();
    let edges = |name: &str, range: &Range| match grid::divisors(grid, name).last() {
        Some(&tile) => range.edges(tile),
        None if uses(name) < 2 && !grids.contains(name) => {
            range.allowed([range.most.min(UNRELATED_SIZE)])
        }
        None => range.allowed([1, 2, BEYOND_TWO_TILES]),
    };
    let mut all: Vec<(&str, Vec<i64>)> =
        ranges.iter().map(|(name, range)| (*name, edges(name, range))).collect();
    all.extend(scalars.iter().map(|name| (*name, vec![0, 1])));
    if all.is_empty() || all.len() > NAMES || all.iter().any(|(_, edges)| edges.is_empty()) {
        return None;
    }
    // Each name takes steps of its own through its sizes, so that equal positions do not go together.
    let rounds = all.iter().map(|(_, edges)| edges.len()).max()?;
    let mut found = BTreeSet::new();
    for round in 0..rounds {
        let of = |(at, (name, edges)): (usize, &(&str, Vec<i64>))| {
            let step = STEPS[at % STEPS.len()];
            ((*name).to_owned(), edges[(round * step + at) % edges.len()])
        };
        let named: BTreeMap<String, i64> = all.iter().enumerate().map(of).collect();
        found.extend(sized(&integers, named, function));
    }
    Some(found.into_iter().collect())
}

/// A kernel's sizes where names have these values, if its types allow them.
fn sized(
    integers: &[Integer],
    named: BTreeMap<String, i64>,
    function: OperationRef<'_, '_>,
) -> Option<Sizes> {
    let of_name = |name: &str| named.get(name).copied();
    let mut values = BTreeMap::new();
    for Integer { number, text, symbol } in integers {
        let value = grid::value(text, &of_name)?;
        if let Some(symbol) = symbol {
            let (least, most) = symbol.range();
            let fits = (least..=most).contains(&value) && value % symbol.divisor().max(1) == 0;
            fits.then_some(())?;
        }
        values.insert(*number, value);
    }
    let samples = Declared::of(function).samples(&of_name)?;
    Some(Sizes::new(named, values, samples))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_within_their_ends() {
        let rising = Sample { from: 0, to: 100, ascends: true, count: 5 };
        let all: Vec<_> = (-1..6).map(|at| rising.at(at)).collect();
        assert_eq!(all, [None, Some(0), Some(25), Some(50), Some(75), Some(100), None]);
        let any = Sample { from: 3, to: 5, ascends: false, count: 9 };
        assert_eq!(any.at(0), Some(5));
        assert!((0..99).all(|at| any.at(at).is_some_and(|value| (3..=5).contains(&value))));
        assert_eq!(Sample { from: 1, to: 0, ascends: false, count: 1 }.at(0), None);
    }
}
