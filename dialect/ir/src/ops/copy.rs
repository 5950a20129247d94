//! The verifier of `layout.copy`, and of the copy that a `layout.cooperative_copy` is.

use crate::ops::prelude::*;
use crate::ops::views::view;
use crate::{
    atoms::{self, Atom, CopyKind},
    data::types::{element_bits, is_float},
    ops::Limit,
    pass::narrow,
};
use layout_algebra::Outer;
use layout_relation::{Limits, Prover, Verdict};

/// Operands before the predicates.
const SOURCE_AND_TARGET: usize = 2;

/// The atom that moves one element at once.
const ONE_BY_ONE: &str = "simt_1";

/// The TMA load, which has an L2 eviction hint.
const BULK_LOAD: &str = "bulk_tensor_load";

pub(super) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    let atom = ops::atom(operation)?;
    let kind = atom.copy_kind().ok_or_else(|| {
        let refused = Violation::new(Code::CopyAtom, "a copy atom", atom.name);
        check.placed(Site::Attribute("atom"), refused)
    })?;
    let views = views(operation)?;
    let limits = operation.operand_count() - views.len();
    checked(check, atom, kind, &Views { views: &views, limits })
}

/// Source, target and predicates: the views that an operation begins with.
pub(super) fn views<'c>(operation: OperationRef<'c, '_>) -> Result<Vec<ViewType<'c>>, Violation> {
    let (source, target) = (view(operation, 0)?, view(operation, 1)?);
    let predicates =
        (SOURCE_AND_TARGET..operation.operand_count()).map_while(|i| view(operation, i).ok());
    Ok([source, target].into_iter().chain(predicates).collect())
}

/// The views of a copy, which those of its operation's operands have the places of.
pub(super) struct Views<'v, 'c> {
    /// Source, target and predicates.
    pub(super) views: &'v [ViewType<'c>],
    /// How many operands are limits that are known at run time.
    pub(super) limits: usize,
}

/// Checks a copy of such views.
pub(super) fn checked(
    check: &mut Check<'_, '_>,
    atom: &Atom,
    kind: CopyKind,
    copied: &Views<'_, '_>,
) -> Result<(), Violation> {
    let views = copied.views;
    let (source, target) = (views[0], views[1]);
    spaces(check, atom, kind, [source.space(), target.space()]);
    check.kept(Site::Operand(1, Part::Element), elements(atom, kind, source, target));
    multicast(check, atom, kind)?;
    evict_first(check, atom, kind, source.space());
    no_zfill(check, atom, kind)?;
    whole(check, atom, kind)?;
    let is_partly = views.iter().any(|view| view.layout().is_err());
    let in_vectors = if is_partly { in_vectors(atom, kind, views)? } else { None };
    let layouts = match in_vectors {
        Some(layouts) => layouts,
        None if is_partly => return partly(check, (atom, kind), copied),
        None => [source.layout()?, target.layout()?],
    };
    let size = layouts[0].size();
    if size != layouts[1].size() {
        let found = format!("{size} and {}", layouts[1].size());
        let (at, expected) = (Site::Operand(1, Part::Shape), "source and target of one size");
        check.refuse(at, Code::CopySize, expected, found);
    }
    predicates(check, copied, Some(size))?;
    // An index has the target's width; 8 bytes are the widest.
    let bits = element_bits(source.element_type()).unwrap_or(64);
    let moved = CopyOperands { kind, bits, views: [source, target], layouts: &layouts };
    let Some(run) = atom.elements_of_bits(bits) else {
        let expected = format!("an element type that {} can move", atom.name);
        let found = match bits % 8 {
            0 => format!("{} of {} bytes", source.element_type(), bits / 8),
            _ => format!("{} of {bits} bits", source.element_type()),
        };
        let refused = Violation::new(Code::CopyWidth, expected, found).hint_if(moved.widest());
        check.refuse_for(Site::Operand(0, Part::Element), refused);
        return Ok(());
    };
    if size % run != 0 {
        let expected = format!(
            "a size that is a multiple of {run}, the elements that {} moves at once",
            atom.name
        );
        let refused = Violation::new(Code::CopyMultiple, expected, size).hint_if(moved.widest());
        check.refuse_for(Site::Operand(0, Part::Shape), refused);
        return Ok(());
    }
    for i in 0..2 {
        if !moved.in_runs(i, run)? {
            let (side, layout) = (["source", "target"][i], views[i].term_value()?);
            let expected = format!(
                "each {run} elements that {} moves at once to be contiguous in the {side}",
                atom.name
            );
            let place = Place::whole(format!("the layout of the {side}"), &layout.to_string());
            let refused = Violation::new(Code::CopyContiguous, expected, layout);
            check.violations.push(refused.hint_if(moved.widest()).at(place));
        }
    }
    Ok(())
}

/// Checks the attribute `multicast`, if it is there.
fn multicast(check: &mut Check<'_, '_>, atom: &Atom, kind: CopyKind) -> Result<(), Violation> {
    let Some(mode) = ops::multicast(check.operation)? else { return Ok(()) };
    let (name, code) = ("multicast", Code::CopyMulticast);
    if kind != CopyKind::BulkTensor {
        let expected = format!("multicast on {BULK_LOAD} only");
        let refused = Violation::new(code, expected, format!("it on {}", atom.name))
            .hint("without multicast each block copies for itself");
        check.refuse_for(Site::Attribute(name), refused);
        return Ok(());
    }
    check.within(name, code, mode, 0..=1, "multicast along mode 0 or 1");
    Ok(())
}

/// Refuses an attribute `evict_first` that the atom has no instruction for, or its name before 0.1.
fn evict_first(check: &mut Check<'_, '_>, atom: &Atom, kind: CopyKind, source: Space) {
    let code = Code::CopyEvictFirst;
    if check.operation.attribute("streamed").is_ok() {
        let expected = "'evict_first', the new name of 'streamed'";
        check.refuse(Site::Attribute("streamed"), code, expected, "'streamed'");
        return;
    }
    let has_hint = match kind {
        CopyKind::Simt => source == Space::Global,
        _ => atom.name == BULK_LOAD,
    };
    if ops::evicts_first(check.operation) && !has_hint {
        let expected = format!("evict_first on {BULK_LOAD} or a simt copy from global memory");
        let found = format!("it on {} from {source} memory", atom.name);
        let refused = Violation::new(code, expected, found)
            .hint("without evict_first its lines have the default eviction priority");
        check.refuse_for(Site::Attribute("evict_first"), refused);
    }
}

/// Checks the attribute `no_zfill`, if it is there.
fn no_zfill(check: &mut Check<'_, '_>, atom: &Atom, kind: CopyKind) -> Result<(), Violation> {
    let Some(predicate) = ops::no_zfill(check.operation)? else { return Ok(()) };
    let (name, code) = ("no_zfill", Code::CopyNoZfill);
    let count = i64::try_from(ops::limits(check.operation)?.len()).unwrap_or(i64::MAX);
    if kind != CopyKind::BulkTensor || atom.name != BULK_LOAD || count == 0 {
        let expected = format!("no_zfill on {BULK_LOAD} with predicates only");
        let refused = Violation::new(code, expected, format!("it on {} with {count}", atom.name))
            .hint("without no_zfill elements beyond the limits are zero");
        check.refuse_for(Site::Attribute(name), refused);
        return Ok(());
    }
    let expected = "the number of a predicate whose elements need not be zero beyond its limit";
    check.within(name, code, predicate, 0..=count - 1, expected);
    Ok(())
}

/// Refuses predicates of a copy that has no instruction for a part of it.
fn whole(check: &mut Check<'_, '_>, atom: &Atom, kind: CopyKind) -> Result<(), Violation> {
    let predicates = ops::limits(check.operation)?.len();
    if matches!(kind, CopyKind::Bulk | CopyKind::BulkStore) && predicates > 0 {
        let expected = format!("no predicates for {}, which moves all of its bytes", atom.name);
        let refused = Violation::new(Code::CopyWhole, expected, predicates)
            .hint("bulk_tensor_load and bulk_tensor_store have predicates");
        check.refuse_for(Site::Attribute("atom"), refused);
    }
    Ok(())
}

/// Source and target of a copy whose sizes are static although strides are not: plain layouts that stand for them, where an atom of
/// one thread moves vectors of them.
fn in_vectors(
    atom: &Atom,
    kind: CopyKind,
    views: &[ViewType<'_>],
) -> Result<Option<[AnyLayout; 2]>, Violation> {
    let of_one_thread = matches!(kind, CopyKind::Simt | CopyKind::CpAsync);
    if !of_one_thread || atom.name == ONE_BY_ONE {
        return Ok(None);
    }
    let mut layouts = Vec::with_capacity(SOURCE_AND_TARGET);
    for (i, view) in views.iter().enumerate() {
        let term_value = view.term_value()?;
        if shape_of(&term_value)?.product()?.as_constant().is_none() {
            return Ok(None);
        }
        if i < SOURCE_AND_TARGET {
            let known = term_value.any_layout();
            let layout = known.or_else(|| term_value.representative().map(AnyLayout::Plain));
            layouts.extend(layout);
        }
    }
    Ok(layouts.try_into().ok())
}

/// A copy of which some layout is partly static goes element by element, or by the copy engine: over so many elements,
/// where that is known of all views, else over modes that are known to be as many, and not known to differ.
fn partly(
    check: &mut Check<'_, '_>,
    (atom, kind): (&Atom, CopyKind),
    copied: &Views<'_, '_>,
) -> Result<(), Violation> {
    let views = copied.views;
    predicates(check, copied, None)?;
    let by_map = matches!(kind, CopyKind::BulkTensor | CopyKind::BulkTensorStore);
    if atom.name != ONE_BY_ONE && !by_map {
        let expected = format!("{ONE_BY_ONE} or a bulk tensor copy for a partly static layout");
        let refused = Violation::new(Code::CopyPartly, expected, atom.name)
            .hint(format!("{ONE_BY_ONE} moves one element at once, others views of static size"));
        check.refuse_for(Site::Attribute("atom"), refused);
    }
    let shapes = views.iter().map(|view| shape_of(&view.term_value()?));
    let shapes = shapes.collect::<Result<Vec<_>, Violation>>()?;
    let whole = shapes.iter().map(|shape| Ok(shape.product()?.as_constant()));
    let whole = whole.collect::<Result<Vec<_>, Violation>>()?;
    if whole.iter().all(|size| size.is_some() && *size == whole[0]) {
        return Ok(());
    }
    let sizes = shapes.iter().map(mode_sizes).collect::<Result<Vec<_>, Violation>>()?;
    for (i, (view, other)) in views.iter().zip(&sizes).enumerate().skip(1) {
        let first = &sizes[0];
        let differs = |(a, b): (&Option<i64>, &Option<i64>)| a.is_some() && b.is_some() && a != b;
        let part = match first.len() == other.len() {
            false => Some(Part::Shape),
            true => first.iter().zip(other).position(differs).map(Part::Mode),
        };
        if let Some(part) = part {
            let side = match i {
                1 => "the target".to_owned(),
                _ => format!("predicate {}", i - SOURCE_AND_TARGET),
            };
            let expected = format!("{side} to have the modes of {}, one by one", views[0].text());
            check.refuse(Site::Operand(i, part), Code::CopyModes, expected, view.text());
        }
    }
    Ok(())
}

/// The views of a copy, for the choice of an atom.
struct CopyOperands<'l, 'c> {
    kind: CopyKind,
    bits: i64,
    views: [ViewType<'c>; 2],
    layouts: &'l [AnyLayout; 2],
}

impl CopyOperands<'_, '_> {
    /// Whether one side has runs of that many elements, as far as it is memory.
    fn in_runs(&self, side: usize, run: i64) -> Result<bool, Violation> {
        Ok(!self.views[side].space().is_memory() || has_runs(&self.layouts[side], run)?)
    }

    /// The widest atom of the kind that could copy this, or of ordinary copies.
    fn widest(&self) -> Option<String> {
        let fits = |run: i64| {
            self.layouts[0].size() % run == 0
                && (0..2).all(|side| self.in_runs(side, run) == Ok(true))
        };
        let of_kind = |kind| {
            atoms::all()
                .iter()
                .filter(move |atom| atom.copy_kind() == Some(kind))
                .filter_map(|atom| Some((atom, atom.elements_of_bits(self.bits)?)))
                .filter(|&(_, run)| fits(run))
                .max_by_key(|&(_, run)| run)
        };
        let (atom, run) = of_kind(self.kind).or_else(|| of_kind(CopyKind::Simt))?;
        Some(match run {
            1 => format!("{} moves one element at once", atom.name),
            run => format!("{} moves {run} elements at once", atom.name),
        })
    }
}

/// Refuses spaces that the atom does not move between.
fn spaces(check: &mut Check<'_, '_>, atom: &Atom, kind: CopyKind, found: [Space; 2]) {
    let global_to_shared =
        ("a source in global and a target in shared memory", [Space::Global, Space::Shared]);
    let (expected, spaces) = match kind {
        CopyKind::Simt if found[1] == Space::Coordinate => {
            // Any other target, and any source.
            ("a target in memory or registers", [found[0], Space::Global])
        }
        CopyKind::Simt => return,
        CopyKind::CpAsync | CopyKind::BulkTensor | CopyKind::Bulk => global_to_shared,
        CopyKind::Ldmatrix { .. } => (
            "a source in shared memory and a target in registers",
            [Space::Shared, Space::Register],
        ),
        CopyKind::Stmatrix { .. } => (
            "a source in registers and a target in shared memory",
            [Space::Register, Space::Shared],
        ),
        CopyKind::BulkTensorStore | CopyKind::BulkStore => (
            "a source in shared memory and a target in global memory",
            [Space::Shared, Space::Global],
        ),
    };
    let Some(wrong) = (0..2).find(|&side| found[side] != spaces[side]) else { return };
    let expected = format!("{expected} for {}", atom.name);
    let refused =
        Violation::new(Code::CopySpaces, expected, format!("{} and {}", found[0], found[1]));
    let simt = found[1] != Space::Coordinate && kind != CopyKind::Simt;
    let refused = refused.hint_if(simt.then_some("simt_1 copies between any spaces"));
    check.refuse_for(Site::Operand(wrong, Part::Space), refused);
}

/// Whether a copy of single elements makes one type of another.
fn converts(from: Type<'_>, to: Type<'_>) -> bool {
    let is_byte = |r#type: Type<'_>| narrow::Byte::of(r#type) == Some(narrow::Byte::I8);
    let narrows = is_byte(to) && from.to_string() == "i32";
    // Each is a number of all floats of 16 bits and more.
    let packed = ["i4", "ui4", "i2", "ui2"].contains(&from.to_string().as_str());
    if packed && (["f16", "bf16", "f32", "f64"].contains(&to.to_string().as_str()) || is_byte(to)) {
        return true;
    }
    narrows || [from, to].into_iter().all(|r#type| is_float(r#type) || is_byte(r#type))
}

fn elements(
    atom: &Atom,
    kind: CopyKind,
    source: ViewType<'_>,
    target: ViewType<'_>,
) -> Result<(), Violation> {
    let (from, to) = (source.element_type(), target.element_type());
    if from.to_raw().ptr == to.to_raw().ptr {
        return Ok(());
    }
    match kind {
        CopyKind::Simt if converts(from, to) => Ok(()),
        // The copy engine rounds what a tensor map says to be tf32.
        CopyKind::BulkTensor
            if (from.to_string(), to.to_string()) == ("f32".into(), "tf32".into()) =>
        {
            Ok(())
        }
        CopyKind::Simt => {
            let expected = "equal element types, two floats, a float and i8, i32 to i8, or i2 or i4 to a float or i8";
            let found = format!("{from} and {to}");
            Err(Violation::new(Code::CopyElements, expected, found))
        }
        _ => {
            let expected = format!("equal element types for {}, which does not convert", atom.name);
            let hint = match converts(from, to) {
                true if is_float(from) && is_float(to) => Some("simt_1 converts between floats"),
                true => Some("simt_1 converts between them"),
                false => None,
            };
            Err(Violation::new(Code::CopyElements, expected, format!("{from} and {to}"))
                .hint_if(hint))
        }
    }
}

/// Checks the predicates, which have the source's size where that is known.
fn predicates(
    check: &mut Check<'_, '_>,
    &Views { views, limits: values }: &Views<'_, '_>,
    size: Option<i64>,
) -> Result<(), Violation> {
    let limits = ops::limits(check.operation)?;
    let predicates = &views[SOURCE_AND_TARGET..];
    let count = predicates.len();
    let at_run_time = limits.iter().filter(|&&limit| limit == Limit::DYNAMIC).count();
    let (at, code) = (Site::Attribute("limits"), Code::CopyPredicateLimits);
    if limits.len() != count {
        let found = format!("{} limits for {count} predicates", limits.len());
        check.refuse(at, code, "one limit for each predicate", found);
    } else if at_run_time != values {
        let found = format!("{values} for {at_run_time} such limits");
        check.refuse(at, code, "an index operand for each dynamic limit", found);
    }
    for (i, predicate) in predicates.iter().enumerate() {
        let at = |part| Site::Operand(SOURCE_AND_TARGET + i, part);
        if predicate.space() != Space::Coordinate {
            let expected = format!("predicate {i} to be a view of an identity tensor");
            check.refuse(at(Part::Space), Code::CopyPredicateSpace, expected, predicate.space());
        }
        let Some(size) = size else { continue };
        let predicated = shape_of(&predicate.term_value()?)?.product()?;
        if predicated.as_constant() != Some(size) {
            let expected = format!("predicate {i} to have the source's size {size}");
            check.refuse(at(Part::Shape), Code::CopyPredicateSize, expected, predicated);
        }
    }
    Ok(())
}

/// Whether every aligned run of `run` indices has contiguous offsets, given that the view's own
/// offset is a multiple of `run`: the prover decides for layouts, tier by tier.
fn has_runs(layout: &AnyLayout, run: i64) -> Result<bool, Violation> {
    let prover = Prover::new(Limits::default());
    let AnyLayout::Composed(composed) = layout else {
        return proved(layout, prover.consecutive(layout, run));
    };
    let Outer::Swizzle(swizzle) = &composed.outer else {
        return proved(layout, prover.consecutive(layout, run));
    };
    let inner = AnyLayout::Plain(composed.inner.clone());
    let in_a_row = proved(layout, prover.consecutive(&inner, run))?;
    if !in_a_row || swizzle.bits == 0 || run == 1 {
        return Ok(in_a_row);
    }
    // The bits below the base stay, so a run inside of them is only moved as a whole; it lies
    // inside of them when it starts at a multiple of its length.
    if (1_i64 << swizzle.base) % run != 0 {
        return Ok(false);
    }
    let first = Layout::new(Tuple::Leaf(inner.size() / run), Tuple::Leaf(run))?;
    let starts = AnyLayout::Plain(composed.inner.composition(&first)?);
    let aligned = composed.offset % run == 0;
    Ok(aligned && proved(layout, prover.aligned(&starts, run))?)
}

/// The verdict of a query about a layout, as a violation.
fn proved(
    layout: &AnyLayout,
    verdict: Result<Verdict, layout_relation::Error>,
) -> Result<bool, Violation> {
    match verdict {
        Ok(Verdict::Proved(_)) => Ok(true),
        Ok(Verdict::Refuted(_)) => Ok(false),
        Ok(Verdict::Unknown(limit)) => {
            let expected = "a layout whose runs are decided under limits";
            Err(Violation::new(Code::Undecided, expected, format!("{layout}: {limit}")))
        }
        Err(error) => Err(Violation::new(Code::Undecided, "a layout with runs", error)),
    }
}

#[cfg(test)]
#[path = "../../tests/units/ops/copy.rs"]
mod tests;
