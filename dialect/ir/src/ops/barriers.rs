//! The verifiers of barriers, of arrivals, waits and transactions on them, and of waits for MMAs.

use crate::ops::prelude::*;
use crate::ops::{
    integer_attribute,
    views::{known_layout, result_view},
};
use melior::ir::RegionLike;

/// Barriers of a view at most.
const MAX_BARRIERS: i64 = 1024;

/// Arrivals of a phase at most: an mbarrier counts in 20 bits.
const MAX_ARRIVALS: i64 = (1 << 20) - 1;

/// Groups of MMAs in flight at most, as a wait names them.
const MAX_PENDING: i64 = 7;

/// The expectation for a view that holds no barriers.
const BARRIERS: &str = "a view of i64 in shared memory, as layout.barriers makes it";

pub(super) fn verify_barriers(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    let arrivals = integer_attribute(&operation, "arrivals")?;
    let expected = format!("1 to {MAX_ARRIVALS} arrivals");
    check.within("arrivals", Code::BarrierArrivals, arrivals, 1..=MAX_ARRIVALS, &expected);
    let parent = operation.parent_operation().map(tree::name);
    if parent.as_deref() != Some("gpu.func") {
        let expected = "the operation in the body of a kernel, where barriers are initialised once";
        let found = parent.unwrap_or_else(|| "none".to_owned());
        let refused = Violation::new(Code::BarrierPlace, expected, found)
            .hint("move it to the body of the kernel; its regions can use the barriers");
        check.refuse_for(Site::Attribute("arrivals"), refused);
    }
    let view = result_view(operation)?;
    for (part, found) in strange(view) {
        check.refuse(Site::Result(part), Code::BarrierView, BARRIERS, found);
    }
    let layout = known_layout(view)?;
    let own = match &layout {
        AnyLayout::Plain(plain) => {
            plain.is_injective()? && (1..=MAX_BARRIERS).contains(&plain.size())
        }
        AnyLayout::Composed(_) => false,
    };
    if !own {
        let expected = format!("a plain injective layout of 1 to {MAX_BARRIERS} barriers");
        check.refuse(Site::Result(Part::Outer), Code::BarrierView, expected, &layout);
    }
    Ok(())
}

/// The parts of a view's type that barriers do not have.
fn strange(view: ViewType<'_>) -> impl Iterator<Item = (Part, String)> {
    let (space, element) = (view.space(), view.element_type().to_string());
    let space = (space != Space::Shared).then(|| (Part::Space, space.to_string()));
    let element = (element != "i64").then_some((Part::Element, element));
    space.into_iter().chain(element)
}

/// A barrier that an operation names: its operand number `at`, and the coordinate after it.
pub(super) fn verify_use(check: &Check<'_, '_>, at: usize) -> Result<(), Violation> {
    match strange(check.view(at)?).next() {
        None => index::point(check.operation, at),
        Some((part, found)) => {
            let refused = Violation::new(Code::BarrierView, BARRIERS, found);
            Err(check.placed(Site::Operand(at, part), refused))
        }
    }
}

pub(super) fn verify_transaction(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    check.violations.extend(in_no_pipeline(check.operation));
    let block = check.operation.region(0)?.first_block();
    let mut copies = 0;
    for copy in block.map(tree::all_of).unwrap_or_default() {
        let Some(atom) = ops::instruction(copy) else { continue };
        let Some(kind) = atom.copy_kind() else { continue };
        copies += 1;
        if !kind.is_bulk_load() {
            let expected = "bulk loads only in a transaction";
            let refused = Violation::new(Code::Transaction, expected, atom.name);
            check.violations.push(Check::new(copy).placed(Site::Attribute("atom"), refused));
        }
    }
    if copies == 0 {
        let expected = "bulk loads in a transaction";
        check.refuse(Site::Attribute("coord"), Code::Transaction, expected, "none");
    }
    verify_use(check, 0)
}

pub(super) fn verify_wait_mma(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    check.violations.extend(in_no_pipeline(check.operation));
    let pending = integer_attribute(&check.operation, "pending")?;
    let expected = format!("0 to {MAX_PENDING} groups in flight");
    check.within("pending", Code::MmaGroups, pending, 0..=MAX_PENDING, &expected);
    let view = check.view(0)?;
    if view.space() != Space::Register {
        let (at, expected) = (Site::Operand(0, Part::Space), "an accumulator in registers");
        check.refuse(at, Code::MmaGroups, expected, view.space());
    }
    if let composed @ AnyLayout::Composed(_) = known_layout(view)? {
        let (at, expected) = (Site::Operand(0, Part::Outer), "an accumulator with a plain layout");
        check.refuse(at, Code::PlainLayout, expected, &composed);
    }
    Ok(())
}

/// A pipeline has barriers and waits of its own.
pub(super) fn in_no_pipeline(operation: OperationRef<'_, '_>) -> Option<Violation> {
    let is_pipeline = |around| tree::name(around) == "layout.pipeline";
    tree::ancestors(operation).any(is_pipeline).then(|| {
        let expected =
            "the operation outside of layout.pipeline, which has its own barriers and waits";
        Violation::new(Code::BarrierPlace, expected, "one around it")
    })
}
