//! Integers that are loaded from arguments, and what is computed from them, as unknown values with facts: so bounds are proved
//! whatever is loaded.
//!
//! ```text
//! %page = layout.load %table(%i)         an element of an argument: 0 to pages-1, as `values` of layout.kernel states
//! %page_x = arith.index_cast %page       equal to it
//! %row = arith.addi %first, %page_x      their sum
//! scf.if %is_row                         in the branch the comparison holds
//! ```
//!
//! A value has facts where one step alone computes it: what loops carry and branches choose has none.

use super::{
    arithmetic,
    dynamic_views::form_of,
    follow::{COMPUTED, Number, Step},
    kernel_sizes::Sample,
    launch,
    trace::{Condition, Event, Root, Trace},
};
use crate::grid::{self, Blocks};
use layout_dialect::tree;
use layout_relation::IndexForm;
use melior::ir::{
    Attribute, BlockLike, OperationRef, ValueLike,
    attribute::{DictionaryAttribute, IntegerAttribute},
};
use std::collections::{BTreeMap, BTreeSet};

/// Conditions around an access that are taken apart, at most.
const MAX_CONDITIONS: usize = 64;

/// The facts of a kernel's loaded values.
#[derive(Default)]
pub(super) struct LoadedValues {
    /// How each integer is computed that one step computes.
    numbers: BTreeMap<u32, Number>,
    pub(super) conditions: Vec<Condition>,
    /// Values that come from memory: what is stated of them, in words.
    pub(super) taken: BTreeMap<u32, String>,
}

/// A kernel, what it states of its arguments, and the forms of its sizes by name.
struct Kernel<'k> {
    trace: &'k Trace,
    declared: Declared,
    function: OperationRef<'k, 'k>,
    size: &'k dyn Fn(&str) -> Option<IndexForm>,
}

impl LoadedValues {
    /// The facts of a function's values, where names of sizes have these forms.
    pub(super) fn of<'k>(
        function: OperationRef<'k, 'k>,
        trace: &'k Trace,
        size: &'k dyn Fn(&str) -> Option<IndexForm>,
    ) -> Self {
        let mut all = Self::default();
        let mut several = BTreeSet::new();
        for (symbol, number) in computed(trace) {
            if all.numbers.insert(symbol, number.clone()).is_some() {
                several.insert(symbol);
            }
        }
        all.numbers.retain(|symbol, _| !several.contains(symbol));
        let kernel = Kernel { trace, declared: Declared::of(function), function, size };
        // Values at least 0, whose words are their numbers with and without a sign.
        let mut natural = BTreeSet::new();
        let numbers = std::mem::take(&mut all.numbers);
        for (&symbol, number) in &numbers {
            all.note(symbol, number, &mut natural, &kernel);
        }
        Self { numbers, ..all }
    }

    fn note(
        &mut self,
        symbol: u32,
        number: &Number,
        natural: &mut BTreeSet<u32>,
        &Kernel { trace, ref declared, function, size }: &Kernel<'_>,
    ) {
        let Some(own) = IndexForm::symbol(symbol, None, None) else { return };
        match number {
            Number::Element(view) => {
                let Root::Argument(argument) = view.root else { return };
                let stores = trace.events.iter().any(|event| match event {
                    Event::Copy(copy) => {
                        copy.target.as_ref().is_some_and(|target| target.root == view.root)
                    }
                    _ => false,
                });
                let stated = declared.ends.get(&argument).filter(|_| !stores);
                let name = declared.names.get(argument).map(|name| format!(" ({name})"));
                let of = format!("elements of argument {argument}{}", name.unwrap_or_default());
                let ends = stated.and_then(|[from, to]| Some([end(from, size)?, end(to, size)?]));
                let text = match (ends, stated) {
                    (Some([from, to]), Some([least, most])) => {
                        self.at_least(&own, &from);
                        self.at_most(&own, &to);
                        if from.range().0.is_some_and(|least| least >= 0) {
                            natural.insert(symbol);
                        }
                        format!("for {of} from {least} to {most}, as layout.kernel states")
                    }
                    _ => format!("whatever {of} are"),
                };
                self.taken.insert(symbol, text);
                if let Some(bits) = element_bits(function, argument) {
                    self.at_least(&own, &IndexForm::constant(-1_i64 << (bits - 1)));
                    self.at_most(&own, &IndexForm::constant((1_i64 << (bits - 1)) - 1));
                }
            }
            Number::Form(form) => self.equal(&own, form),
            Number::Arithmetic { name, bits, of, operands, .. } => {
                let is_natural = |form: &IndexForm| {
                    form.range().0.is_some_and(|least| least >= 0)
                        || form.symbols().iter().all(|own| natural.contains(own) || *own < COMPUTED)
                            && form.symbols().iter().any(|own| natural.contains(own))
                            && is_one(form)
                };
                let naturals: Vec<bool> = operands.iter().map(is_natural).collect();
                let all_natural = naturals.iter().all(|own| *own);
                let (Some(a), b) = (operands.first(), operands.get(1)) else { return };
                let by = b.and_then(IndexForm::as_constant).filter(|&by| by > 0);
                let name = name.strip_prefix("arith.").unwrap_or_default();
                // Words of 64 bits are taken not to wrap around, as everywhere.
                let is_wide = *bits == 64;
                let value = match (name, b) {
                    ("extsi" | "index_cast", None) if *of > 1 && bits >= of => Some(a.clone()),
                    ("extui" | "index_castui", None) if all_natural && bits >= of => {
                        Some(a.clone())
                    }
                    ("addi", Some(b)) if is_wide => a.plus(b),
                    ("subi", Some(b)) if is_wide => a.minus(b),
                    ("muli", Some(b)) if is_wide => a.times(b),
                    ("divui" | "divsi", Some(_)) if all_natural => {
                        by.and_then(|by| a.floor_div(by))
                    }
                    ("remui" | "remsi", Some(_)) if all_natural => by.and_then(|by| a.modulo(by)),
                    _ => None,
                };
                match (name, b) {
                    _ if value.is_some() => {
                        if let Some(value) = &value {
                            self.equal(&own, value);
                        }
                    }
                    ("extui" | "index_castui", None) if *of < 63 => {
                        self.at_least(&own, &IndexForm::constant(0));
                        self.at_most(&own, &IndexForm::constant((1_i64 << *of) - 1));
                        natural.insert(symbol);
                    }
                    ("minsi", Some(b)) => {
                        [a, b].into_iter().for_each(|one| self.at_most(&own, one))
                    }
                    ("maxsi", Some(b)) => {
                        [a, b].into_iter().for_each(|one| self.at_least(&own, one))
                    }
                    ("minui", Some(b)) if all_natural => {
                        [a, b].into_iter().for_each(|one| self.at_most(&own, one));
                    }
                    // The least of two words is at most the one that is a number without a sign.
                    ("minui", Some(b)) => {
                        let known = [a, b].into_iter().zip(&naturals).find(|(_, own)| **own);
                        if let Some((one, _)) = known {
                            self.at_most(&own, one);
                            self.at_least(&own, &IndexForm::constant(0));
                            natural.insert(symbol);
                        }
                    }
                    ("remui", Some(_)) => {
                        if let Some(by) = by {
                            self.at_most(&own, &IndexForm::constant(by - 1));
                            self.at_least(&own, &IndexForm::constant(0));
                            natural.insert(symbol);
                        }
                    }
                    _ => {}
                }
                let keeps = value.is_some() && name != "subi"
                    || matches!(name, "minui" | "minsi" | "maxsi");
                if keeps && all_natural {
                    natural.insert(symbol);
                    self.at_least(&own, &IndexForm::constant(0));
                }
            }
            _ => {}
        }
    }

    fn at_most(&mut self, own: &IndexForm, end: &IndexForm) {
        self.conditions.extend(own.minus(end).map(|left| (left, 1)));
    }

    fn at_least(&mut self, own: &IndexForm, end: &IndexForm) {
        self.conditions.extend(end.minus(own).map(|left| (left, 1)));
    }

    fn equal(&mut self, own: &IndexForm, value: &IndexForm) {
        self.at_most(own, value);
        self.at_least(own, value);
    }

    /// Conditions with those that computed conditions among them stand for.
    pub(super) fn conditions(&self, around: &[Condition]) -> Vec<Condition> {
        let mut all = around.to_vec();
        let mut at = 0;
        while at < all.len() && all.len() < MAX_CONDITIONS {
            let holds = self.holds(&all[at]);
            at += 1;
            let Some((number, is_true)) = holds else { continue };
            match number {
                Number::All(conditions) if is_true => all.extend(conditions.iter().cloned()),
                Number::All(conditions) => {
                    all.extend(arithmetic::negation(conditions).into_iter().flatten());
                }
                Number::Form(form) => {
                    // It is 1 where it holds.
                    let sign = if is_true { (form.scale(-1), 0) } else { (Some(form.clone()), 1) };
                    all.extend(sign.0.map(|form| (form, sign.1)));
                }
                Number::Arithmetic { name, predicate, of, operands, .. } => {
                    all.extend(self.compared(name, (*predicate, *of), operands, is_true));
                }
                _ => {}
            }
        }
        all
    }

    /// The number of a condition that says of one computed value that it is 1, or that it is 0.
    fn holds(&self, (form, limit): &Condition) -> Option<(&Number, bool)> {
        let symbols = form.symbols();
        let symbol =
            symbols.first().copied().filter(|&own| symbols.len() == 1 && own >= COMPUTED)?;
        let own = IndexForm::symbol(symbol, None, None)?;
        let number = self.numbers.get(&symbol)?;
        match limit {
            0 if *form == own.scale(-1)? => Some((number, true)),
            1 if *form == own => Some((number, false)),
            _ => None,
        }
    }

    /// The conditions that a comparison of integers, or a conjunction, stands for.
    fn compared(
        &self,
        name: &str,
        (predicate, bits): (i64, u32),
        operands: &[IndexForm],
        is_true: bool,
    ) -> Vec<Condition> {
        let [a, b] = operands else { return Vec::new() };
        let below = |a: &IndexForm, b: &IndexForm, limit: i64| {
            a.minus(b).map(|left| vec![(left, limit)]).unwrap_or_default()
        };
        let is_one = |form: &IndexForm| form.scale(-1).map(|form| (form, 0));
        match (name, predicate, is_true) {
            ("arith.andi", _, true) if bits == 1 => [a, b].into_iter().filter_map(is_one).collect(),
            ("arith.cmpi", ..) if bits == 1 => Vec::new(),
            ("arith.cmpi", 0, true) | ("arith.cmpi", 1, false) => {
                [below(a, b, 1), below(b, a, 1)].concat()
            }
            ("arith.cmpi", 2, true) | ("arith.cmpi", 5, false) => below(a, b, 0),
            ("arith.cmpi", 3, true) | ("arith.cmpi", 4, false) => below(a, b, 1),
            ("arith.cmpi", 4, true) | ("arith.cmpi", 3, false) => below(b, a, 0),
            ("arith.cmpi", 5, true) | ("arith.cmpi", 2, false) => below(b, a, 1),
            // Below a number that has no sign, a word is from 0 on.
            ("arith.cmpi", 6, true) | ("arith.cmpi", 7, true)
                if b.range().0.is_some_and(|least| least >= 0) =>
            {
                let from = a.scale(-1).map(|form| (form, 1));
                [below(a, b, predicate - 6), from.into_iter().collect()].concat()
            }
            _ => Vec::new(),
        }
    }
}

/// Whether a form is one symbol, with nothing taken off.
fn is_one(form: &IndexForm) -> bool {
    let symbols = form.symbols();
    let own = symbols.first().and_then(|&own| IndexForm::symbol(own, None, None));
    symbols.len() == 1 && own.as_ref() == Some(form)
}

/// The steps that compute integers.
fn computed(trace: &Trace) -> impl Iterator<Item = (u32, &Number)> {
    let steps = trace.events.iter().filter_map(|event| match event {
        Event::Follow(step) => match &**step {
            Step::Compute(compute) => Some(&compute.symbols),
            _ => None,
        },
        _ => None,
    });
    steps.flatten().map(|(symbol, number)| (*symbol, number))
}

/// The facts of a kernel about elements of its arguments, by their numbers: the least and the greatest, or the first and
/// the last of those that ascend.
pub(super) struct Declared {
    names: Vec<String>,
    ends: BTreeMap<usize, [String; 2]>,
    ascending: BTreeSet<usize>,
}

impl Declared {
    pub(super) fn of(function: OperationRef<'_, '_>) -> Self {
        let mut all = Self { names: Vec::new(), ends: BTreeMap::new(), ascending: BTreeSet::new() };
        let facts = launch::facts(function).map(DictionaryAttribute::try_from);
        let Some(Ok(facts)) = facts else { return all };
        let list =
            |key: &str| facts.element_by_name(key).and_then(tree::elements).unwrap_or_default();
        all.names = list("names").into_iter().filter_map(tree::text).collect();
        all.derived(function, &list("args"));
        for key in ["values", "ascending"] {
            let own = facts.element_by_name(key).map(DictionaryAttribute::try_from);
            let Some(Ok(own)) = own else { continue };
            for at in 0..all.names.len() {
                let fact = own.element_by_name(&all.names[at]);
                all.note(at, key, fact);
            }
        }
        all
    }

    /// Notes what a fact says of an argument's elements, if it says anything.
    fn note(&mut self, at: usize, key: &str, fact: Option<Attribute<'_>>) {
        let Some(ends) = fact.and_then(ends) else { return };
        self.ends.insert(at, ends);
        if key == "ascending" {
            self.ascending.insert(at);
        }
    }

    /// Integers in memory where names of sizes have these values, or `None` where an end has none.
    pub(super) fn samples(
        &self,
        size: &dyn Fn(&str) -> Option<i64>,
    ) -> Option<BTreeMap<usize, Sample>> {
        let sample = |(&at, [from, to]): (&usize, &[String; 2])| {
            let ends = (grid::value(from, size)?, grid::value(to, size)?);
            Some((at, Sample::new(ends, self.ascending.contains(&at))))
        };
        self.ends.iter().map(sample).collect()
    }

    /// The same of a kernel whose facts were derived, which has numbers by value in another list.
    fn derived(&mut self, function: OperationRef<'_, '_>, args: &[Attribute<'_>]) {
        let Some(entry) = tree::entry(function).filter(|_| !args.is_empty()) else { return };
        let mut args = args.iter().filter_map(|own| DictionaryAttribute::try_from(*own).ok());
        self.names.clear();
        for at in 0..entry.argument_count() {
            let is_number = arithmetic::width(tree::argument(entry, at).r#type()).is_some();
            let own = if is_number { None } else { args.next() };
            let of = |key: &str| own.and_then(|own| own.element_by_name(key));
            self.names.push(of("name").and_then(tree::text).unwrap_or_default());
            for key in ["values", "ascending"] {
                self.note(at, key, of(key));
            }
        }
    }
}

/// Two ends as texts.
fn ends(attribute: Attribute<'_>) -> Option<[String; 2]> {
    let text = |end: Attribute<'_>| match IntegerAttribute::try_from(end) {
        Ok(integer) => Some(integer.value().to_string()),
        Err(_) => tree::text(end),
    };
    let all: Vec<String> =
        tree::elements(attribute)?.into_iter().map(text).collect::<Option<_>>()?;
    all.try_into().ok()
}

/// An end as a form.
fn end(text: &str, size: &dyn Fn(&str) -> Option<IndexForm>) -> Option<IndexForm> {
    match grid::expression(text).ok()? {
        Blocks::Known(value) => Some(IndexForm::constant(value)),
        Blocks::AtRunTime(value) => form_of(&value, size),
    }
}

/// The bits of the integers that a view or a pointer of a function has.
fn element_bits(function: OperationRef<'_, '_>, argument: usize) -> Option<u32> {
    let entry = tree::entry(function)?;
    let r#type = tree::argument(entry, argument).r#type();
    let view = layout_dialect::ViewType::from_type(r#type)?;
    arithmetic::width(view.element_type()).filter(|bits| (2..64).contains(bits))
}
