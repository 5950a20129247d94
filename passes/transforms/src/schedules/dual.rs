//! Dual GEMMs: two matmuls of one A become one matmul with both B, if only the second reads what the first stores, at
//! its own coordinates, and the estimated time is less. Gated units such as SwiGLU have this form.
//!
//! ```text
//! layout.matmul %x, %up, %t                      -> layout.matmul %x, %gate, %h dual %up epilogue {
//! layout.matmul %x, %gate, %h epilogue(%t) {        ^bb0(%g, %t): …
//! ^bb0(%g, %t): …                                   }
//! ```
//!
//! The first one's epilogue becomes a part of the second one's, with the rounding that storing it was. Between the two are only
//! views and allocations.

use super::{
    Row, family,
    problem::problem,
    ranked, tiling,
    together::{is_view, leaves_memory, memory, writes_elsewhere},
};
use crate::matmul;
use layout_dialect::{
    Choice, Schedule, ViewType,
    build::{Builder, Val, operand},
    diagnostics,
    epilogue::YIELD,
    ops, tree,
};
use layout_schedule::{Chip, model};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

/// Makes one matmul of each two below `module` that allow it.
pub(super) fn fuse(module: OperationRef<'_, '_>, rows: &[Row]) -> Result<(), melior::Error> {
    for function in tree::inside(module, "func.func") {
        if function.attribute(matmul::HOST).is_err() {
            continue;
        }
        let mut all = tree::inside(function, "layout.matmul");
        while let Some(second) = all.pop() {
            let found = ops::others(second).find_map(|place| Pair::of(second, place));
            let Some(pair) = found else { continue };
            let Some(made) = pair.emit()? else { continue };
            if !pair.pays(rows, made) {
                tree::erase(made);
                continue;
            }
            let remark = "multiplies A by both B in one kernel, and keeps in registers what was stored between them";
            diagnostics::remark(made, remark);
            all.retain(|other| *other != pair.first);
            pair.erase();
        }
    }
    Ok(())
}

/// Two matmuls that one may compute.
struct Pair<'c> {
    first: OperationRef<'c, 'c>,
    second: OperationRef<'c, 'c>,
    /// The view that the first one stores and the second one reads.
    between: Val<'c>,
    /// The allocation that this is of, the views of it, and what ends its life, in this order.
    made: Vec<OperationRef<'c, 'c>>,
}

impl<'c> Pair<'c> {
    /// A matmul and the one that stores an operand of its epilogue.
    fn of(second: OperationRef<'c, 'c>, place: usize) -> Option<Self> {
        let between = operand(second, place);
        let allocation = memory(between).and_then(tree::definition)?;
        let mut made = vec![allocation];
        let (mut users, mut next) = (Vec::new(), 0);
        while let Some(&view) = made.get(next) {
            for user in tree::users(view) {
                let name = tree::name(user);
                if is_view(&name) || name == "memref.dealloc" {
                    made.push(user);
                } else if !users.contains(&user) {
                    users.push(user);
                }
            }
            next += 1;
        }
        let first = users.iter().copied().find(|&user| user != second)?;
        let is_one = |matmul: OperationRef<'_, '_>| {
            tree::name(matmul) == "layout.matmul"
                && matches!(ops::choice(matmul), Ok(Choice::Auto { .. }))
                && ops::dual(matmul).is_none()
                && !ops::is_mixed(matmul)
                && matmul.attribute("window").is_err()
        };
        let stores = |place: usize| operand(first, place) == between;
        let own = Self { first, second, between, made };
        let alike = users.len() == 2
            && tree::name(allocation) == "memref.alloc"
            && is_one(first)
            && is_one(second)
            && operand(first, 0) == operand(second, 0)
            && (0..first.operand_count()).all(|place| stores(place) == (place == 2))
            && (0..3).all(|place| operand(second, place) != between)
            && own.may_be_one();
        alike.then_some(own)
    }

    /// Whether nothing that the first one reads is written before the second one ends, which is for the same chip.
    fn may_be_one(&self) -> bool {
        let choice = |matmul: OperationRef<'_, '_>| match ops::choice(matmul) {
            Ok(choice @ Choice::Auto { .. }) => Some(choice),
            _ => None,
        };
        let mut at = self.first.next_in_block();
        while let Some(operation) = at.filter(|operation| *operation != self.second) {
            if !leaves_memory(operation) {
                return false;
            }
            at = operation.next_in_block();
        }
        at.is_some()
            && choice(self.first) == choice(self.second)
            && writes_elsewhere(self.second, self.first)
    }

    /// The type that the first one's results are rounded to, where they are, or `None` if no epilogue computes with it.
    fn rounded(&self, b: &Builder<'c>) -> Option<Option<Type<'c>>> {
        let view = ViewType::try_from(self.between.r#type()).ok()?;
        match view.element_type().to_string().as_str() {
            "f32" => Some(None),
            name @ ("bf16" | "f16") => Type::parse(b.context(), name).map(Some),
            _ => None,
        }
    }

    /// One matmul in front of the second, where there is one.
    fn emit(&self) -> Result<Option<OperationRef<'c, 'c>>, melior::Error> {
        let b = Builder::before(self.second).with_location(self.second.location());
        let (Some(rounded), Some(block)) = (self.rounded(&b), tree::entry(self.second)) else {
            return Ok(None);
        };
        let kind = tree::argument(block, 0).r#type();
        let of = |matmul: OperationRef<'c, 'c>| {
            ops::others(matmul).map(move |place| operand(matmul, place))
        };
        let mut others: Vec<Val<'c>> = Vec::new();
        for value in of(self.second).chain(of(self.first)) {
            if value != self.between && !others.contains(&value) {
                others.push(value);
            }
        }
        let (region, inner) = b.region_with(&vec![kind; 2 + others.len()]);
        // The element of an operand, and what stands for that of the first one's result.
        let element = |value: Val<'c>| {
            others.iter().position(|&other| other == value).map(|place| inner.argument(2 + place))
        };
        let mut stored = inner.argument(1);
        if let Some(block) = tree::entry(self.first) {
            let elements = of(self.first).map(element).collect::<Option<Vec<_>>>();
            let elements = elements.ok_or(melior::Error::OperationBuild)?;
            stored = tree::inlined(&inner, block, &[&[stored][..], &elements].concat())
                .ok_or(melior::Error::OperationBuild)?;
        }
        if let Some(narrow) = rounded {
            stored = inner.value("arith.truncf", &[stored], narrow, &[])?;
            stored = inner.value("arith.extf", &[stored], kind, &[])?;
        }
        let elements = of(self.second).map(|value| match value == self.between {
            true => Some(stored),
            false => element(value),
        });
        let elements = elements.collect::<Option<Vec<_>>>().ok_or(melior::Error::OperationBuild)?;
        let result = tree::inlined(&inner, block, &[&[inner.argument(0)][..], &elements].concat());
        let result = result.ok_or(melior::Error::OperationBuild)?;
        inner.operation(YIELD, &[result], &[], &[], vec![])?;
        let matrices = [0, 1, 2].map(|place| operand(self.second, place));
        let operands = [&matrices[..], &others, &[operand(self.first, 1)]].concat();
        let schedule = ("schedule", self.second.attribute("schedule")?);
        let segments = ops::matmul_segments(b.context(), others.len(), true);
        b.operation("layout.matmul", &operands, &[], &[schedule, segments], vec![region]).map(Some)
    }

    /// Whether the chip computes one matmul in place of both, and takes less time for it by the estimate.
    fn pays(&self, rows: &[Row], made: OperationRef<'_, '_>) -> bool {
        let time = |matmul: OperationRef<'_, '_>| -> Option<f64> {
            let Ok(Choice::Auto { chip, .. }) = ops::choice(matmul) else { return None };
            let problem = match family::is_known(matmul) {
                true => problem(matmul, chip),
                false => family::usual(matmul, chip),
            };
            let problem = problem.ok()?;
            let chip = Chip::named(&problem.chip)?;
            let fits = |schedule: &Schedule| matmul::fits(&[matmul], schedule).is_ok();
            let schedule = ranked(rows, &problem, &fits).ok()?.schedule;
            fits(&schedule).then(|| model::time(chip, &tiling(&schedule), &problem.modelled()))
        };
        let times = || Some((time(made)?, time(self.first)? + time(self.second)?));
        times().is_some_and(|(together, separate)| together < separate)
    }

    /// Takes both away, and the memory between them.
    fn erase(self) {
        tree::erase(self.second);
        tree::erase(self.first);
        self.made.into_iter().rev().for_each(tree::erase);
    }
}
