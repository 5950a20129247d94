//! `layout-verify` of accesses to arguments whose layouts are partly static, for all sizes.
//!
//! An address is a sum of coordinates times strides. A stride that the type leaves open is an integer of its own, and what
//! it is multiplied by is the coordinate of its mode; what is left goes through the modes whose strides are numbers, which
//! have to reach each place up to their end. ISL decides whether a coordinate may be past its mode, from the conditions
//! around the access, its predicates, the grid, and the names that integers of several arguments share.

use super::{
    Gap, dynamic_views, launch,
    loaded_values::LoadedValues,
    sizes::DynamicLayout,
    trace::{Condition, Copy, Event, Root, Trace},
    view::View,
};
use crate::grid::{self, Blocks};
use layout_algebra::Layout;
use layout_dialect::atoms::CopyKind;
use layout_relation::{IndexForm, Limits};
use melior::ir::{OperationRef, attribute::DictionaryAttribute};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of a copy with different predicates, at most.
const PREDICATED: usize = 64;

/// Questions about a function, at most.
const QUESTIONS: usize = 128;

/// Conditions on a kernel's sizes and on integers that it loads, and how many questions were decided by them.
pub(super) struct Facts {
    conditions: Vec<Condition>,
    queries: usize,
    loaded: LoadedValues,
    /// The loaded integers that proofs were about.
    used: BTreeSet<u32>,
}

impl Facts {
    /// The facts that a kernel's names and grid give.
    pub(super) fn of(function: OperationRef<'_, '_>, trace: &Trace) -> Self {
        let mut facts = Self {
            conditions: Vec::new(),
            queries: 0,
            loaded: LoadedValues::default(),
            used: BTreeSet::new(),
        };
        let mut forms: BTreeMap<&str, IndexForm> = BTreeMap::new();
        let integer = |number: &u32| trace.given.forms.get(number).cloned();
        // The first integer of a name is what the name is.
        for (number, name) in &trace.names {
            if let Some(form) = integer(number).filter(|_| grid::is_name(name)) {
                forms.entry(name).or_insert(form);
            }
        }
        for (number, name) in &trace.names {
            let value = grid::expression(name).ok().and_then(|value| match value {
                Blocks::Known(value) => Some(IndexForm::constant(value)),
                Blocks::AtRunTime(value) => {
                    dynamic_views::form_of(&value, |name| forms.get(name).cloned())
                }
            });
            if let Some((own, value)) = integer(number).zip(value)
                && own != value
            {
                facts.equal(&own, &value);
            }
        }
        let grid = launch::facts(function)
            .and_then(|facts| DictionaryAttribute::try_from(facts).ok()?.element_by_name("grid"))
            .and_then(|grid| grid::read(grid).ok());
        for (symbol, blocks) in (3..).zip(grid.into_iter().flatten()) {
            let blocks = match blocks {
                Blocks::Known(blocks) => Some(IndexForm::constant(blocks)),
                Blocks::AtRunTime(blocks) => {
                    dynamic_views::form_of(&blocks, |name| forms.get(name).cloned())
                }
            };
            let own = IndexForm::symbol(symbol, Some(0), trace.extent(symbol));
            let left = own.zip(blocks).and_then(|(own, blocks)| own.minus(&blocks));
            facts.conditions.extend(left.map(|left| (left, 0)));
        }
        facts.loaded = LoadedValues::of(function, trace, &|name| forms.get(name).cloned());
        facts.conditions.extend(facts.loaded.conditions.iter().cloned());
        facts
    }

    /// The facts about integers in memory that proofs use, in words.
    pub(super) fn taken(&self) -> Vec<String> {
        let texts = self.used.iter().filter_map(|symbol| self.loaded.taken.get(symbol));
        texts.cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn equal(&mut self, one: &IndexForm, other: &IndexForm) {
        for (a, b) in [(one, other), (other, one)] {
            self.conditions.extend(a.minus(b).map(|difference| (difference, 1)));
        }
    }

    /// Whether a form is below a limit where conditions hold.
    fn proves(
        &mut self,
        trace: &Trace,
        form: &IndexForm,
        limit: i64,
        around: &[Condition],
    ) -> bool {
        if matches!(form.range(), (_, Some(most)) if most < limit) {
            return true;
        }
        self.queries += 1;
        if self.queries > QUESTIONS {
            return false;
        }
        // Those that have nothing to do with the question make it longer.
        let mut symbols = form.symbols();
        let around = self.loaded.conditions(around);
        let all: Vec<&Condition> = around.iter().chain(&self.conditions).collect();
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        loop {
            let more: Vec<usize> = (0..all.len())
                .filter(|at| !kept.contains(at) && !all[*at].0.symbols().is_disjoint(&symbols))
                .collect();
            if more.is_empty() {
                break;
            }
            for at in more {
                symbols.extend(all[at].0.symbols());
                kept.insert(at);
            }
        }
        let conditions: Vec<Condition> = kept.into_iter().map(|at| all[at].clone()).collect();
        let extents = |symbol| trace.extent(symbol);
        let is_proved =
            form.is_below_by_sets(limit, &conditions, &extents, Limits::default()).is_some();
        self.used.extend(symbols.into_iter().filter(|_| is_proved));
        is_proved
    }
}

/// The modes of a layout, with its run-time facts.
struct Modes {
    /// The stride's symbol and what it is multiplied by, and the extent.
    open: Vec<(u32, i64, IndexForm)>,
    /// The end of what the modes with known strides reach, each place from 0 on once.
    end: IndexForm,
}

impl Modes {
    fn of(trace: &Trace, laid: &DynamicLayout) -> Option<Self> {
        let leaves = laid.leaves(&|number| trace.given.forms.get(&number).cloned())?;
        let mut open: Vec<(u32, i64, IndexForm)> = Vec::new();
        let mut known: Vec<(i64, IndexForm)> = Vec::new();
        for (extent, stride) in leaves {
            if extent.as_constant() == Some(1) {
                continue;
            }
            match stride.as_constant() {
                Some(stride) if stride > 0 => known.push((stride, extent)),
                Some(_) => return None,
                None => {
                    let symbol = *stride.symbols().first()?;
                    let (multiple, rest) = stride.by_symbol(symbol)?;
                    let unit = multiple.as_constant().filter(|&unit| unit > 0)?;
                    let is_new = open.iter().all(|(other, ..)| *other != symbol);
                    (is_new && rest.as_constant() == Some(0)).then_some(())?;
                    open.push((symbol, unit, extent));
                }
            }
        }
        known.sort_by_key(|&(stride, _)| stride);
        let mut end = IndexForm::constant(1);
        for (stride, extent) in known {
            (end.as_constant() == Some(stride)).then_some(())?;
            end = extent.scale(stride)?;
        }
        Some(Self { open, end })
    }

    /// The coordinates of an address, and what is left for the modes with known strides; each with its end.
    fn coordinates(&self, address: &IndexForm) -> Option<(Vec<(IndexForm, IndexForm)>, IndexForm)> {
        let mut rest = address.clone();
        let mut all = Vec::new();
        for (symbol, unit, extent) in &self.open {
            let (multiple, left) = rest.by_symbol(*symbol)?;
            (multiple.divisor() % unit == 0).then_some(())?;
            all.push((multiple.floor_div(*unit)?, extent.clone()));
            rest = left;
        }
        Some((all, rest))
    }
}

/// Elements of a copy with the same coordinates of predicates: these, and the first and the last offset.
fn parts(copy: &Copy, view: &View) -> Option<Vec<(Vec<i64>, i64, i64)>> {
    let offsets = |layout: &Layout| -> Option<Vec<i64>> {
        (layout.size() <= 1 << 12).then_some(())?;
        (0..layout.size()).map(|at| layout.at(at).ok()).collect()
    };
    let own = offsets(&view.layout)?;
    let predicates: Vec<Vec<i64>> =
        copy.predicates.iter().map(|(view, _)| offsets(&view.layout)).collect::<Option<_>>()?;
    let mut all: BTreeMap<Vec<i64>, (i64, i64)> = BTreeMap::new();
    for (at, &offset) in own.iter().enumerate() {
        let key = predicates.iter().map(|all| all.get(at).copied()).collect::<Option<_>>()?;
        let (least, most) = all.entry(key).or_insert((offset, offset));
        (*least, *most) = (offset.min(*least), offset.max(*most));
    }
    let limit = if copy.predicates.is_empty() { 1 } else { PREDICATED };
    (all.len() <= limit).then(|| all.into_iter().map(|(key, (a, b))| (key, a, b)).collect())
}

/// Whether all loads, or stores, of an argument are within its layout, whatever its sizes; else the first that is not
/// proved.
pub(super) fn within(
    trace: &Trace,
    argument: usize,
    stores: bool,
    facts: &mut Facts,
) -> Result<(), Gap> {
    let unknown = |what: &str, at: usize| Gap { what: what.to_owned(), at: Some(at) };
    let laid = trace.laid.get(argument).and_then(Option::as_ref);
    let modes = laid.and_then(|laid| Modes::of(trace, laid)).ok_or_else(|| {
        Gap::from("a partly static layout whose modes are not distinguished".to_owned())
    })?;
    for event in &trace.events {
        let copy = match event {
            Event::Unmodelled(what, at) => return Err(unknown(what, *at)),
            Event::Access(access) if access.root == Root::Argument(argument) => {
                return Err(unknown("an access by an address", access.operation));
            }
            Event::Copy(copy) => copy,
            _ => continue,
        };
        let Some(view) = super::cover::side(copy, stores) else { continue };
        // The copy engine leaves out what is past a tensor map's end.
        let is_cut = matches!(copy.kind, CopyKind::BulkTensor | CopyKind::BulkTensorStore);
        if view.root != Root::Argument(argument) || is_cut {
            continue;
        }
        let place = |what: &str| unknown(what, copy.operation);
        if laid.and_then(|laid| laid.bytes) != Some(view.bytes) {
            return Err(place("a view of other elements"));
        }
        let parts = parts(copy, view).filter(|_| view.outer.is_nothing());
        let parts =
            parts.ok_or_else(|| place("an access of many elements or through an outer layout"))?;
        for (key, least, most) in parts {
            let mut around = copy.around.clone();
            for ((predicate, limit), offset) in copy.predicates.iter().zip(key) {
                let form = predicate.base.plus(&IndexForm::constant(offset));
                around.extend(form.filter(|_| predicate.outer.is_nothing()).map(|f| (f, *limit)));
            }
            let (coordinates, rest) = modes
                .coordinates(&view.base)
                .ok_or_else(|| place("an address that is no sum of coordinates times strides"))?;
            let of_rest = |offset: i64| rest.plus(&IndexForm::constant(offset));
            let last = of_rest(most).map(|last| (last, modes.end.clone()));
            let past = coordinates.iter().cloned().map(Some).chain([last]);
            for pair in past {
                let left = pair.and_then(|(own, end)| own.minus(&end));
                let left = left.ok_or_else(|| place("a coordinate that has no form"))?;
                if !facts.proves(trace, &left, 0, &around) {
                    return Err(place("a coordinate that may be past its mode"));
                }
            }
            let before = coordinates.iter().map(|(own, _)| own.scale(-1));
            for form in before.chain([of_rest(least).and_then(|first| first.scale(-1))]) {
                let form = form.ok_or_else(|| place("a coordinate that has no form"))?;
                if !facts.proves(trace, &form, 1, &around) {
                    return Err(place("a coordinate that may be below 0"));
                }
            }
        }
    }
    Ok(())
}
