//! `layout-verify` of single copies: elements that one instruction moves are aligned, and shared memory is
//! touched within its buffers. The elements of a copy's view, over all threads, blocks and rounds, are a layout
//! where its start is a sum of bits; the prover answers questions about that.

use super::{
    Findings, Gap,
    trace::{Copy, Event, Root, Trace},
    view::{OuterPart, View},
};
use layout_algebra::{AnyLayout, ComposedLayout, Layout, Outer, Tuple};
use layout_dialect::atoms::CopyKind;
use layout_relation::{Limits, Prover, Verdict, Witness};

/// Checks each copy of a function.
pub(super) fn check(trace: &Trace, findings: &mut Findings) {
    for event in &trace.events {
        let Event::Copy(copy) = event else { continue };
        // The copy engine reads tensor maps, whose alignment is checked when they are made.
        if matches!(copy.kind, CopyKind::BulkTensor | CopyKind::BulkTensorStore) {
            continue;
        }
        for view in [&copy.source, &copy.target].into_iter().flatten() {
            aligned(trace, copy, view, findings);
            within(trace, copy, view, findings);
        }
    }
}

/// Memory of arguments is where what is moved at once may begin.
pub(super) fn bases(trace: &Trace, findings: &mut Findings) {
    for event in &trace.events {
        let Event::Copy(copy) = event else { continue };
        if copy.run < 2 || matches!(copy.kind, CopyKind::BulkTensor | CopyKind::BulkTensorStore) {
            continue;
        }
        for view in [&copy.source, &copy.target].into_iter().flatten() {
            let Root::Argument(number) = view.root else { continue };
            let Some(&alignment) = trace.alignments.get(number) else { continue };
            let bytes = copy.run.saturating_mul(view.bytes);
            if alignment % bytes.max(1) != 0 {
                let what = format!(
                    "copies of {} elements of argument {number} of @{}: {bytes} bytes at once in memory at a multiple of \
                     {alignment}",
                    copy.run, trace.name
                );
                findings.unknown(gap(copy, what));
            }
        }
    }
}

/// Memory in words.
fn name(root: &Root) -> Option<String> {
    match root {
        Root::Argument(number) => Some(format!("argument {number}")),
        Root::Buffer(number) => Some(format!("buffer {number}")),
        Root::Shared | Root::Register(_) | Root::Nothing => None,
    }
}

/// Each run of elements that an instruction moves begins at a multiple of its length.
fn aligned(trace: &Trace, copy: &Copy, view: &View, findings: &mut Findings) {
    let Some(memory) = name(&view.root).filter(|_| copy.run > 1) else { return };
    let described = format!("copies of {} elements of {memory} of @{}", copy.run, trace.name);
    if let Root::Argument(number) = view.root
        && let Some(&alignment) = trace.alignments.get(number)
        && let bytes = copy.run.saturating_mul(view.bytes)
        && alignment % bytes.max(1) != 0
    {
        // [`bases`] reports it.
        return;
    }
    let runs = (view.size() / copy.run).max(1);
    let first = Layout::new(Tuple::Leaf(runs), Tuple::Leaf(copy.run));
    let Some(starts) = first.and_then(|first| view.layout.composition(&first)).ok() else {
        return findings.unknown(gap(copy, format!("{described}: starts that are no layout")));
    };
    // A swizzle keeps what is below its base.
    let stays = match &view.outer {
        OuterPart::Nothing => true,
        OuterPart::Swizzle(s) => s.bits == 0 || (1_i64 << s.base.min(62)) % copy.run == 0,
        OuterPart::Layout(_) => false,
    };
    let steps = starts.flat().iter().all(|&(extent, stride)| extent == 1 || stride % copy.run == 0);
    if stays && steps && view.base.divisor() % copy.run == 0 {
        return findings.proved += 1;
    }
    match all(trace, view, &starts)
        .map(|layout| Prover::new(Limits::default()).aligned(&layout, copy.run))
    {
        Some(Ok(Verdict::Proved(_))) => findings.proved += 1,
        Some(Ok(Verdict::Refuted(Witness::Misaligned { offset, .. }))) if is_always(copy) => {
            findings.refute(format!(
                "expected {described} at multiples of {}, found offset {offset}",
                copy.run
            ));
        }
        Some(Ok(Verdict::Unknown(limit))) => {
            findings.unknown(gap(copy, format!("{described} within {limit}")));
        }
        _ => findings.unknown(gap(copy, format!("{described}: {}", unclear(trace, view)))),
    }
}

/// All elements of shared memory are those of the buffer.
fn within(trace: &Trace, copy: &Copy, view: &View, findings: &mut Findings) {
    let Root::Buffer(number) = view.root else { return };
    let Some(bytes) = trace.buffers.get(number).copied().filter(|&bytes| bytes > 0) else { return };
    let end = bytes / view.bytes.max(1);
    let described = format!("accesses to buffer {number} of @{}", trace.name);
    let extents = |symbol: u32| trace.extents.get(symbol as usize).copied().flatten();
    let (base, outer) = (layout_relation::IndexForm::constant(0), OuterPart::Nothing);
    let own = View { base, outer, ..view.clone() };
    let fits = || -> Option<bool> {
        let ((low, high), (from, to)) = (own.reach()?, view.base.bounds_over(&extents)?);
        Some(low.checked_add(from)? >= 0 && high.checked_add(to)?.checked_sub(1)? <= end)
    };
    if view.outer.is_nothing() && fits() == Some(true) {
        return findings.proved += 1;
    }
    match all(trace, view, &view.layout)
        .map(|layout| Prover::new(Limits::default()).within(&layout, 0, end))
    {
        Some(Ok(Verdict::Proved(_))) => findings.proved += 1,
        Some(Ok(Verdict::Refuted(Witness::Outside { offset, .. }))) if is_always(copy) => {
            findings.refute(format!(
                "expected {described} within its {end} elements, found offset {offset}"
            ));
        }
        Some(Ok(Verdict::Unknown(limit))) => {
            findings.unknown(gap(copy, format!("{described} within {limit}")));
        }
        _ => findings.unknown(gap(copy, format!("{described}: {}", unclear(trace, view)))),
    }
}

/// Whether all threads get there in all rounds.
fn is_always(copy: &Copy) -> bool {
    copy.threads.is_none() && copy.around.is_empty()
}

/// The elements that a view holds over all values of its symbols: a layout with a mode for each of their bits. None
/// where the view's start is no sum of bits, or a symbol does not have all values of its bits.
fn all(trace: &Trace, view: &View, elements: &Layout) -> Option<AnyLayout> {
    let mut modes = elements.flat();
    for ((symbol, _), worth) in view.base.bits()? {
        let extent = trace.extents.get(symbol as usize).copied().flatten()?;
        if extent.count_ones() != 1 {
            return None;
        }
        modes.push((2, worth));
    }
    let (shape, stride): (Vec<_>, Vec<_>) = modes
        .into_iter()
        .map(|(extent, stride)| (Tuple::Leaf(extent), Tuple::Leaf(stride)))
        .unzip();
    let inner = Layout::new(Tuple::Node(shape), Tuple::Node(stride)).ok()?;
    let offset = view.base.constant_part();
    Some(match (view.swizzle()?, offset) {
        (None, 0) => AnyLayout::Plain(inner),
        (Some(swizzle), offset) => {
            AnyLayout::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), offset, inner })
        }
        (None, offset) => {
            let outer = Layout::new(Tuple::Leaf(1), Tuple::Leaf(1)).ok()?;
            AnyLayout::Composed(ComposedLayout { outer: Outer::Layout(outer), offset, inner })
        }
    })
}

fn gap(copy: &Copy, what: String) -> Gap {
    Gap { what, at: Some(copy.operation) }
}

/// Why a view is not known well enough.
fn unclear(trace: &Trace, view: &View) -> String {
    let symbols: Vec<String> =
        view.base.symbols().into_iter().map(|symbol| trace.symbol(symbol)).collect();
    format!("a start that depends on {}", symbols.join(", "))
}
