//! The part of a trace between two boundaries, which are loops and barriers: accesses by the memory that they touch, and
//! operations on whole views.

use super::{
    trace::{Access, Condition, Copy, Event, Kind, Root, Trace},
    view::View,
};
use layout_dialect::{Space, atoms::CopyKind};
use layout_relation::{Compared, IndexForm};
use std::collections::BTreeMap;

/// The most runs of elements of a copy that are listed one by one; no lowering writes as many out.
const MAX_RUNS: i64 = 1 << 20;

/// Accesses between two boundaries: loops and barriers.
#[derive(Default)]
pub(super) struct Segment {
    /// How it begins.
    pub(super) boundary: Option<Event>,
    pub(super) accesses: BTreeMap<(Class, Kind), Vec<Access>>,
    /// Operations on whole views.
    pub(super) views: Vec<(String, Vec<View>)>,
    pub(super) unmodelled: Vec<String>,
}

/// Memory whose accesses are in one order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Argument(usize),
    Buffers,
}

/// The segments of a trace.
pub(super) fn segments(trace: &Trace) -> Vec<Segment> {
    let mut segments = vec![Segment::default()];
    for event in &trace.events {
        let Some(last) = segments.last_mut() else { continue };
        match event {
            Event::Copy(copy) if copy.kind.is_bulk() => {
                let predicates = copy.predicates.iter().map(|(view, _)| view);
                let all = [&copy.source, &copy.target].into_iter().flatten().chain(predicates);
                let limits: Vec<_> = copy.predicates.iter().map(|(_, limit)| limit).collect();
                last.views.push((format!("a bulk copy below {limits:?}"), all.cloned().collect()));
            }
            Event::Views(name, views, ..) => last.views.push((name.clone(), views.clone())),
            Event::Copy(copy) => match accesses(copy, &|symbol| trace.extent(symbol)) {
                Some(all) => all.into_iter().for_each(|access| last.add(access)),
                None => last.unmodelled.push(unlisted(copy)),
            },
            Event::Access(access) => last.add(access.clone()),
            Event::Unmodelled(what, _) => last.unmodelled.push(what.clone()),
            Event::Sync(..)
            | Event::Open(..)
            | Event::Close
            | Event::Instruction(_)
            | Event::PassedOn(..)
            | Event::Follow(_)
            | Event::Point(..) => {
                segments.push(Segment { boundary: Some(event.clone()), ..Segment::default() });
            }
        }
    }
    segments
}

impl Segment {
    /// An access, except one to registers.
    pub(super) fn add(&mut self, access: Access) {
        let class = match access.root {
            Root::Argument(number) => Class::Argument(number),
            Root::Buffer(_) | Root::Shared => Class::Buffers,
            Root::Register(_) | Root::Nothing => return,
        };
        self.accesses.entry((class, access.kind)).or_default().push(access);
    }
}

/// The runs of elements that the instructions of a copy move.
fn runs(copy: &Copy) -> Option<i64> {
    let size = copy.target.as_ref().or(copy.source.as_ref())?.size();
    size.checked_div(copy.run)
}

/// The reason why the accesses of a copy are not listed.
pub(super) fn unlisted(copy: &Copy) -> String {
    match runs(copy).is_some_and(|runs| runs > MAX_RUNS) {
        true => format!("a copy of more than {MAX_RUNS} runs of elements"),
        false => "a copy whose elements are not in a row".to_owned(),
    }
}

/// The accesses of a copy: one for each run of elements that an instruction moves, on each side that
/// is memory. None where a run is not in a row, or under one condition, or where there are too many: [`unlisted`].
pub(super) fn accesses(copy: &Copy, extents: &dyn Fn(u32) -> Option<i64>) -> Option<Vec<Access>> {
    let size = copy.target.as_ref().or(copy.source.as_ref())?.size();
    if runs(copy)? > MAX_RUNS {
        return None;
    }
    let run = usize::try_from(copy.run).ok().filter(|&run| run > 0)?;
    let writes_zero = copy
        .target
        .as_ref()
        .is_some_and(|target| matches!(target.space, Space::Shared | Space::Register));
    let mut found = Vec::new();
    for first in (0..size).step_by(run) {
        let mut predicates = Vec::new();
        for (predicate, limit) in &copy.predicates {
            let condition = predicate.element(first)?.below(*limit)?;
            for step in 1..copy.run {
                if predicate.element(first + step)?.below(*limit)? != condition {
                    return None;
                }
            }
            predicates.push((predicate.element(first)?, *limit));
        }
        let mut side = |view: &View, loads: bool| -> Option<()> {
            let kind = match (copy.kind, loads) {
                (CopyKind::Ldmatrix { .. }, true) => Kind::LoadMatrix,
                (CopyKind::Stmatrix { .. }, false) => Kind::StoreMatrix,
                (kind, _) if kind.is_bulk() => return None,
                (_, true) => Kind::Load,
                (_, false) if copy.atomic => Kind::Update,
                (_, false) => Kind::Store,
            };
            if matches!(view.root, Root::Register(_) | Root::Nothing) {
                return Some(());
            }
            let element = view.element(first)?;
            for step in 1..copy.run {
                let next = element.plus(&IndexForm::constant(step))?;
                if view.element(first + step)?.compare(&next, extents) != Compared::Equal {
                    return None;
                }
            }
            let predicated: &[Condition] = if loads || !writes_zero { &predicates } else { &[] };
            found.push(Access {
                root: view.root.clone(),
                kind,
                address: element.scale(view.bytes)?,
                bytes: copy.run.checked_mul(view.bytes)?,
                predicates: [&copy.around[..], predicated].concat(),
                domain: view.domain.clone(),
                value: if loads { None } else { copy.value.clone() },
                rows: None,
                operation: copy.operation,
            });
            Some(())
        };
        if let Some(source) = &copy.source {
            side(source, true)?;
        }
        if let Some(target) = &copy.target {
            side(target, false)?;
        }
    }
    Some(found)
}
