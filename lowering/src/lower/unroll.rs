//! Loops over registers.
//!
//! A view of registers has no addresses: an index into it must be known once loops are unrolled, or else LLVM keeps the
//! view in local memory. Loops whose counters such indices are made of are marked to be unrolled; an index that no
//! unrolling makes known is named in a remark. One that is known must be within the view, since nothing is around it.

use super::{
    Address, Failure,
    address::{At, inner},
};
use layout_algebra::Layout;
use layout_dialect::{
    Space, ViewType,
    build::{context_of, operand},
    diagnostics::{self, Optimization},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, OperationRef, TypeLike, ValueLike, operation::OperationLike,
};
use std::collections::HashSet;

type Val<'c> = layout_dialect::build::Val<'c>;

/// The attribute of a loop that says how LLVM transforms it.
const ANNOTATION: &str = "llvm.loop_annotation";

const FULL: &str = "#llvm.loop_annotation<unroll = <full = true>>";

/// Rounds of a loop that is unrolled, at most: no thread has as many registers.
const MAX_TRIP_COUNT: i64 = 1024;

/// Operations whose results are known where their operands are.
const COMPUTED: [&str; 5] = ["arith.", "index.", "affine.apply", "affine.min", "affine.max"];

/// Operations whose coordinate is one of the view of registers: the limits of a copy are numbers at run time.
const INDEXED: [&str; 4] = ["layout.load", "layout.store", "layout.slice", "layout.local_tile"];

/// Marks the loops of a function of a device that index registers.
pub(super) fn mark(function: OperationRef<'_, '_>) {
    // Views that a remark was about.
    let mut reported = HashSet::new();
    for operation in tree::all(function) {
        if !tree::name(operation).starts_with("layout.") || operation.operand_count() == 0 {
            continue;
        }
        let operands = (0..operation.operand_count()).map(|i| operand(operation, i));
        let mut in_registers = operands.clone().filter(|value| {
            ViewType::try_from(value.r#type()).is_ok_and(|view| view.space() == Space::Register)
        });
        let Some(view) = in_registers.next() else { continue };
        let mut found = Sources::default();
        operands.filter(|value| value.r#type().is_index()).for_each(|value| found.of(value));
        let unknown = found.unknown.filter(|_| INDEXED.contains(&tree::name(operation).as_str()));
        if let Some(unknown) = unknown {
            let reason = format!(
                "expected a register index that is static after loop unrolling, found {unknown}; the registers are in local memory"
            );
            if diagnostics::remarks_enabled(operation) {
                let (pass, name) = ("layout-lower", "local-memory");
                let kind = Optimization::Missed;
                diagnostics::optimization_remark(operation, kind, pass, name, &reason, "");
            }
            if reported.insert(tree::key(view)) {
                diagnostics::remark_in(operation, &reason);
            }
        }
        for counted in found.loops {
            if counted.attribute(ANNOTATION).is_err()
                && let Some(full) = Attribute::parse(context_of(counted), FULL)
            {
                tree::set_attribute(counted, ANNOTATION, full);
            }
        }
    }
}

/// Refuses a coordinate in a view of registers of which a constant is outside of its mode. A branch may be one that is never taken
/// there, as where an unrolled loop has a predicate.
pub(super) fn check_constants(
    operation: OperationRef<'_, '_>,
    at: &At<'_>,
    address: &Address<'_>,
    view: Val<'_>,
) -> Result<(), Failure> {
    let is_branch = |around: OperationRef<'_, '_>| {
        matches!(tree::name(around).as_str(), "scf.if" | "scf.index_switch")
    };
    if address.space != Space::Register || tree::ancestors(operation).any(is_branch) {
        return Ok(());
    }
    match outside(at, inner(&address.layout)) {
        None => Ok(()),
        Some((found, mode)) => Err(Failure::refused(format!(
            "expected a coordinate from 0 to {} for the mode {} of {}, found {found}",
            mode.size() - 1,
            mode.shape(),
            view.r#type()
        ))),
    }
}

/// The first constant of a coordinate that is outside of its mode, with the mode.
fn outside(at: &At<'_>, layout: &Layout) -> Option<(i64, Layout)> {
    let known = match at {
        At::Any => None,
        At::Static(index) => Some(*index),
        At::Dynamic(index) => tree::constant(*index),
        At::Tuple(modes) => {
            let layouts = layout.modes();
            return modes.iter().zip(&layouts).find_map(|(at, layout)| outside(at, layout));
        }
    };
    let found = known.filter(|known| !(0..layout.size()).contains(known))?;
    Some((found, layout.clone()))
}

/// The values that a value is computed from.
#[derive(Default)]
struct Sources<'c> {
    seen: HashSet<usize>,
    /// The loops whose counters it is made of.
    loops: Vec<OperationRef<'c, 'c>>,
    /// The first thing that is known at run time only.
    unknown: Option<String>,
}

impl<'c> Sources<'c> {
    fn of(&mut self, value: Val<'c>) {
        if !self.seen.insert(tree::key(value)) {
            return;
        }
        let Some(made) = tree::definition(value) else { return self.argument(value) };
        let name = tree::name(made);
        let is_computed = COMPUTED.iter().any(|known| name.starts_with(known))
            || name == "layout.idx2crd"
            || name == "layout.crd2idx";
        if !is_computed {
            self.unknown.get_or_insert(format!("a result of {name}"));
            return;
        }
        (0..made.operand_count()).for_each(|i| self.of(operand(made, i)));
    }

    /// A loop's counter, or what it carries from round to round.
    fn argument(&mut self, value: Val<'c>) {
        let owner = tree::owner(value);
        let around = owner.and_then(|block| block.parent_operation());
        let Some(counted) = around.filter(|around| tree::name(*around) == "scf.for") else {
            let name = around.map_or_else(|| "a block".to_owned(), tree::name);
            self.unknown.get_or_insert(format!("an argument of {name}"));
            return;
        };
        let Some(block) = owner else { return };
        let bounds = [0, 1, 2].map(|i| operand(counted, i));
        if let [Some(first), Some(end), Some(step)] = bounds.map(tree::constant) {
            let rounds = end.checked_sub(first).and_then(|all| all.checked_div(step));
            if rounds.is_none_or(|rounds| rounds > MAX_TRIP_COUNT) {
                let text = format!("the counter of a loop of more than {MAX_TRIP_COUNT} rounds");
                self.unknown.get_or_insert(text);
                return;
            }
        } else {
            // The counters of loops around it may bound them.
            bounds.into_iter().for_each(|bound| self.of(bound));
        }
        let of_unknown = self.unknown.is_some();
        for place in 1..block.argument_count() {
            if tree::argument(block, place) == value {
                self.of(operand(counted, 2 + place));
                let last = tree::operations(block).pop();
                if let Some(end) = last.filter(|end| end.operand_count() >= place) {
                    self.of(operand(end, place - 1));
                }
            }
        }
        if !of_unknown && !self.loops.contains(&counted) {
            self.loops.push(counted);
        }
    }
}
