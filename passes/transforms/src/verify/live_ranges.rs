//! Lifetimes of buffers in a trace: two buffers with disjoint lifetimes may have the same bytes after a pass.
//!
//! Every thread passes the events of a trace in their order, and those between [`Event::Open`] and [`Event::Close`] again. A
//! barrier outside of all loops and conditions therefore has all events before it done in every thread, and none of those
//! that follow in any.

use super::{
    trace::{Event, Root, Trace},
    view::View,
};
use layout_dialect::atoms::CopyKind;

/// Whether a barrier of all threads is between all that touches one buffer and all that touches the other.
pub(super) fn separated_by_barrier(trace: &Trace, a: usize, b: usize) -> bool {
    let (Some(one), Some(other)) = (LiveRange::of(trace, a), LiveRange::of(trace, b)) else {
        return false;
    };
    let barriers = outside(trace, |name| name == "gpu.barrier" || name == "nvvm.barrier");
    let between = |first: &LiveRange, second: &LiveRange| {
        barriers.iter().any(|&barrier| first.last < barrier && barrier < second.first)
    };
    between(&one, &other) || between(&other, &one)
}

/// Whether all events of a trace are modelled, so that it says when each buffer is in use.
pub(super) fn are_followed(trace: &Trace) -> bool {
    !trace.events.iter().any(|event| matches!(event, Event::Unmodelled(..)))
}

/// The live range of a buffer: the first and the last event that access it.
struct LiveRange {
    first: usize,
    last: usize,
}

impl LiveRange {
    /// None of a buffer that something touches whose end no barrier waits for, or that is not modelled.
    fn of(trace: &Trace, number: usize) -> Option<Self> {
        let own = Root::Buffer(number);
        let is_own = |view: &Option<View>| view.as_ref().is_some_and(|view| view.root == own);
        let (mut first, mut last, mut asynchronous) = (None, None, None);
        for (at, event) in trace.events.iter().enumerate() {
            let touches = match event {
                Event::Copy(copy) => {
                    let touches = is_own(&copy.source) || is_own(&copy.target);
                    match copy.kind {
                        CopyKind::Simt | CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix { .. } => {}
                        CopyKind::CpAsync if touches => asynchronous = Some(at),
                        _ if touches => return None,
                        _ => {}
                    }
                    touches
                }
                Event::Access(access) => access.root == own,
                Event::Views(_, views, ..) if views.iter().any(|view| view.root == own) => {
                    return None;
                }
                Event::PassedOn(_, all) => {
                    let is_own = |value: &Option<(Root, _)>| {
                        value.as_ref().is_some_and(|(root, _)| *root == own)
                    };
                    if all.iter().any(|carried| is_own(&carried.value)) {
                        return None;
                    }
                    false
                }
                Event::Instruction(instruction) => {
                    let mut operands = instruction.operands.iter().flatten();
                    if operands.any(|(root, _)| *root == own) {
                        return None;
                    }
                    false
                }
                Event::Unmodelled(..) => return None,
                _ => false,
            };
            if touches {
                first = first.or(Some(at));
                last = Some(at);
            }
        }
        if let Some(copied) = asynchronous {
            let waits = outside(trace, |name| name == "nvvm.cp.async.wait.group 0");
            last = last.max(Some(waits.into_iter().find(|&wait| wait > copied)?));
        }
        Some(Self { first: first?, last: last? })
    }
}

/// The synchronisations of such names that each thread comes to once.
fn outside(trace: &Trace, is: impl Fn(&str) -> bool) -> Vec<usize> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (at, event) in trace.events.iter().enumerate() {
        match event {
            Event::Open(..) => depth += 1,
            Event::Close => depth = depth.saturating_sub(1),
            Event::Sync(name, around, ..) if depth == 0 && around.is_empty() && is(name) => {
                found.push(at);
            }
            _ => {}
        }
    }
    found
}
