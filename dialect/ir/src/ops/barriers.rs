//! The verifiers of barriers, of what is done at them, and of waits for products.

use crate::{
    atoms::space::Space,
    diagnostics::{codes::Code, violation::Violation},
    ops::{
        self, index,
        parts::{self, Part},
        views::{known_layout, result_view, view},
    },
    pass::tree,
};
use layout_algebra::AnyLayout;
use melior::ir::{OperationRef, RegionLike, attribute::IntegerAttribute, operation::OperationLike};

/// Barriers of a view at most.
const MOST_BARRIERS: i64 = 1024;

/// Arrivals of a phase at most: an mbarrier counts in 20 bits.
const MOST_ARRIVALS: i64 = (1 << 20) - 1;

/// Groups of products in flight at most, as a wait names them.
const MOST_PENDING: i64 = 7;

fn number(operation: OperationRef<'_, '_>, name: &str) -> i64 {
    let value = operation.attribute(name).and_then(IntegerAttribute::try_from);
    value.map_or(0, |value| value.value())
}

/// The expectation for a view that holds no barriers.
const BARRIERS: &str = "a view of i64 in shared memory, as layout.barriers makes it";

pub(super) fn verify_barriers(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    let arrivals = number(operation, "arrivals");
    if !(1..=MOST_ARRIVALS).contains(&arrivals) {
        let expected = format!("1 to {MOST_ARRIVALS} arrivals");
        let nearest = arrivals.clamp(1, MOST_ARRIVALS);
        violations.push(
            Violation::new(Code::BarrierArrivals, expected, arrivals)
                .hint(format!("{nearest} is the nearest"))
                .at(parts::of_attribute(operation, "arrivals")),
        );
    }
    let parent = operation.parent_operation().map(tree::name);
    if parent.as_deref() != Some("gpu.func") {
        let expected = "a kernel directly around barriers, which are initialised once";
        let found = parent.unwrap_or_else(|| "none".to_owned());
        violations.push(
            Violation::new(Code::BarrierPlace, expected, found)
                .hint("move it to the body of the kernel; regions inside can use it")
                .at(parts::of_attribute(operation, "arrivals")),
        );
    }
    let view = result_view(operation)?;
    if view.space() != Space::Shared {
        let place = parts::of_result(operation, Part::Space);
        violations.push(Violation::new(Code::BarrierView, BARRIERS, view.space()).at(place));
    }
    if view.element_type().to_string() != "i64" {
        let place = parts::of_result(operation, Part::Element);
        violations.push(Violation::new(Code::BarrierView, BARRIERS, view.element_type()).at(place));
    }
    let layout = known_layout(view)?;
    let own = match &layout {
        AnyLayout::Plain(plain) => {
            plain.is_injective()? && (1..=MOST_BARRIERS).contains(&plain.size())
        }
        AnyLayout::Composed(_) => false,
    };
    if !own {
        let expected = format!(
            "a plain layout of 1 to {MOST_BARRIERS} barriers, each with a place of its own"
        );
        let place = parts::of_result(operation, Part::Outer);
        violations.push(Violation::new(Code::BarrierView, expected, &layout).at(place));
    }
    Ok(())
}

/// A barrier that an operation names: its operand number `at`, and the coordinate behind it.
pub(super) fn verify_use(operation: OperationRef<'_, '_>, at: usize) -> Result<(), Violation> {
    let view = view(operation, at)?;
    if view.space() != Space::Shared {
        let place = parts::of_operand(operation, at, Part::Space);
        return Err(Violation::new(Code::BarrierView, BARRIERS, view.space()).at(place));
    }
    if view.element_type().to_string() != "i64" {
        let place = parts::of_operand(operation, at, Part::Element);
        return Err(Violation::new(Code::BarrierView, BARRIERS, view.element_type()).at(place));
    }
    index::point(operation, at)
}

pub(super) fn verify_transaction(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    violations.extend(in_no_pipeline(operation));
    let block = operation.region(0)?.first_block();
    let inside: Vec<_> = block.map(tree::operations).unwrap_or_default();
    let inside = inside.into_iter().flat_map(|inner| [vec![inner], tree::all(inner)].concat());
    let mut copies = 0;
    for copy in inside {
        let Some(atom) = ops::instruction(copy) else { continue };
        let Some(kind) = atom.copy_kind() else { continue };
        copies += 1;
        if !kind.is_bulk_load() {
            violations.push(
                Violation::new(Code::Transaction, "bulk loads only in a transaction", atom.name)
                    .at(parts::of_attribute(copy, "atom")),
            );
        }
    }
    if copies == 0 {
        let place = parts::of_attribute(operation, "coord");
        violations.push(
            Violation::new(Code::Transaction, "bulk loads in a transaction", "none").at(place),
        );
    }
    verify_use(operation, 0)
}

pub(super) fn verify_wait_mma(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    violations.extend(in_no_pipeline(operation));
    let pending = number(operation, "pending");
    if !(0..=MOST_PENDING).contains(&pending) {
        let expected = format!("0 to {MOST_PENDING} groups in flight");
        violations.push(
            Violation::new(Code::MmaGroups, expected, pending)
                .hint(format!("{} is the nearest", pending.clamp(0, MOST_PENDING)))
                .at(parts::of_attribute(operation, "pending")),
        );
    }
    let view = view(operation, 0)?;
    if view.space() != Space::Register {
        let place = parts::of_operand(operation, 0, Part::Space);
        violations.push(
            Violation::new(Code::MmaGroups, "an accumulator in registers", view.space()).at(place),
        );
    }
    match known_layout(view)? {
        AnyLayout::Plain(_) => Ok(()),
        other => {
            Err(Violation::new(Code::PlainLayout, "an accumulator with a plain layout", &other)
                .at(parts::of_operand(operation, 0, Part::Outer)))
        }
    }
}

/// A pipeline has barriers and waits of its own.
pub(super) fn in_no_pipeline(operation: OperationRef<'_, '_>) -> Option<Violation> {
    let mut around = operation.parent_operation();
    while let Some(parent) = around {
        if tree::name(parent) == "layout.pipeline" {
            let expected = "it in no layout.pipeline, which has barriers and waits of its own";
            return Some(Violation::new(Code::BarrierPlace, expected, "one around it"));
        }
        around = parent.parent_operation();
    }
    None
}
