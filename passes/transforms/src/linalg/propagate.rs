//! `layout-propagate`: contractions read and write existing layouts in place, without copies for reshapes, transposes and broadcasts around
//! them.
//!
//! ```text
//! %t = linalg.transpose %k [0, 2, 1]           -> linalg.generic … (b, m, n, k) -> (b, n, k) … ins(%q, %k)
//! %s = linalg.batch_matmul %q, %t
//! %y = tensor.expand_shape %s [[0, 1], …]         … outs(4-d): what follows reads it as it is
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | [`structured`] | a contraction whose operands, loops and maps change |
//! | [`moves`] | operations that only move elements, as maps |
//! | [`transposes`] | convolutions with their channels last, and transposes after elementwise operations |
//! | [`slices`] | contractions of which only halves are read, and meet |
//! | [`cost`] | what a copy takes, and what a strided access does |
//!
//! All contractions of a function are visited in order. Whether operands are read where they lie is decided by time: that of the
//! copy against that of loads that are no vectors, of all contractions that read the copy. Times of operands are added, so that
//! the least time of each copy and its readers is the least of the function. A remark explains each decision.

mod cost;
mod moves;
mod slices;
mod structured;
mod transposes;

use super::{contraction, located::lies_in_place, rows};
use layout_dialect::{
    build::{first_result, operand},
    diagnostics,
    passes::{PassOption, PassRun, Statistic},
    tree,
};
use layout_schedule::Chip;
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use moves::Move;
use std::collections::HashSet;
use structured::Structured;

/// The pass, as its remarks name it.
pub(crate) const NAME: &str = "layout-propagate";

/// The counter of copies that are read in place.
const IN_PLACE: &str = "in-place";

/// The counter of copies that stay, since reading in place takes longer.
const COPIED: &str = "copied";

/// The counter of reshapes that go.
const RESHAPES: &str = "reshapes";

/// The counter of copies that moved after what reads them, or met.
const MOVED: &str = "moved";

/// The counter of contractions that became two.
const HALVED: &str = "halved";

pub(crate) const OPTIONS: &[PassOption] = &[PassOption {
    name: "chip",
    description: "The chip whose estimated times are compared",
    initial: "sm_90a",
}];

pub(crate) const STATISTICS: &[Statistic] = &[
    Statistic { name: IN_PLACE, description: "copies of operands that are read in place instead" },
    Statistic {
        name: COPIED,
        description: "copies of operands that were kept, since copying takes less time",
    },
    Statistic {
        name: HALVED,
        description: "contractions split in two, since their halves are read separately",
    },
    Statistic {
        name: MOVED,
        description: "convolutions and elementwise operations computed in another order, and transposes that cancelled",
    },
    Statistic { name: RESHAPES, description: "reshapes that were removed" },
];

/// The longest chain of moves through which one operand is read.
const DEPTH: usize = 16;

/// Lets contractions below `root` read and write what is there.
///
/// # Errors
///
/// A diagnostic for a chip that is unknown, and where MLIR refuses what is built.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let name = pass.option("chip");
    if !name.strip_prefix("sm_").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        let message = format!("expected a chip such as sm_90a as the option 'chip', found {name}");
        diagnostics::error(root, &message);
        return Err(());
    }
    // Passes after this one say which chips kernels are made for.
    let Some(chip) = Chip::named(&name) else { return Ok(()) };
    let failed = |error: melior::Error| {
        diagnostics::error(root, &format!("{NAME}: cannot build an operation: {error}"));
    };
    let mut outcome = Outcome::default();
    let halved = slices::run(root, chip).map_err(failed)?;
    erase_idle(root);
    let moved = transposes::run(root, &name).map_err(failed)?;
    erase_idle(root);
    // Nothing but these goes while they are visited, but for reshapes.
    let is_candidate = |operation: &OperationRef<'_, '_>| {
        contraction::may_be_one(*operation) && operation.result_count() == 1
    };
    for operation in tree::all(root).into_iter().filter(is_candidate).collect::<Vec<_>>() {
        let Some(own) = Structured::read(operation) else { continue };
        visit(own, chip, &mut outcome).map_err(failed)?;
    }
    erase_idle(root);
    pass.count(HALVED, halved);
    pass.count(MOVED, moved);
    pass.count(IN_PLACE, outcome.in_place);
    pass.count(COPIED, outcome.copied);
    pass.count(RESHAPES, outcome.reshapes);
    Ok(())
}

/// Erases operations that nothing reads any more, users before their operands.
fn erase_idle(root: OperationRef<'_, '_>) {
    for operation in tree::all(root).into_iter().rev() {
        if moves::is_idle(operation) {
            tree::erase(operation);
        }
    }
}

/// The counts of a run.
#[derive(Default)]
struct Outcome {
    in_place: u64,
    copied: u64,
    reshapes: u64,
}

/// Decides where a contraction reads its operands, and which shape its result has, and puts another one in its place.
fn visit(mut own: Structured<'_>, chip: &Chip, outcome: &mut Outcome) -> Result<(), melior::Error> {
    let mut is_changed = false;
    for number in 0..2 {
        for _ in 0..DEPTH {
            let Some(step) = Step::of(&own, number) else { break };
            let Move { operation, source, .. } = &step.copy;
            let (operation, source) = (*operation, *source);
            let mut inside = own.clone();
            // Loops that stay one read the source reshaped alike, as those do that it is broadcast along.
            let is_broadcast = step.copy.order().is_none();
            let alike = match step.reshape {
                Some(reshape) if is_broadcast || !inside.split_operand(number, reshape) => {
                    let Some(alike) = step.copy.after_reshape(reshape, own.operation)? else {
                        break;
                    };
                    Some(alike)
                }
                _ => None,
            };
            inside.read_through(number, alike.as_ref().unwrap_or(&step.copy));
            if !inside.contracts() {
                break;
            }
            // Who reads the result gets it in the shape in which it is read, or as it was.
            if inside.splits_result()
                && !result_reshape(own.operation)
                    .is_some_and(|reshape| inside.clone().split_result(reshape))
            {
                break;
            }
            // Attention's kernel writes its result in any order.
            if !lies_in_place(source) || rows::is_attention(source) {
                break;
            }
            let own_times = Times {
                in_place: cost::strided(&inside, number, chip),
                copied: cost::strided(&own, number, chip),
            };
            let is_shared = tree::users(operation).count() > 1;
            // The copy goes if each reader does without it.
            let of_all = if is_shared { Times::of_readers(&step.copy, chip) } else { None };
            let of_all = of_all.filter(|all| all.in_place <= all.copied);
            let Times { in_place, copied } = match of_all {
                Some(all) => all,
                // A copy that others read is made anyhow.
                None if is_shared => own_times,
                None => own_times.with_copy(&step.copy, chip),
            };
            let what = ["A", "B"][number];
            if in_place > copied {
                let reason = match is_shared {
                    true => "since others read it",
                    false => "since elements lie apart along the dimensions that loads are wide in",
                };
                diagnostics::remark(
                    own.operation,
                    &format!(
                        "{NAME} keeps the copy of {what}: {copied:.1} us with it, {in_place:.1} us in place, {reason}"
                    ),
                );
                outcome.copied += 1;
                break;
            }
            let among = if of_all.is_some() { ", of all that read it" } else { "" };
            diagnostics::remark(
                own.operation,
                &format!(
                    "{NAME} reads {what} in place, without the copy that {} makes of {}: {in_place:.1} us in place, {copied:.1} us with it{among}",
                    tree::name(operation),
                    source.r#type(),
                ),
            );
            outcome.in_place += 1;
            is_changed = true;
            own = inside;
        }
    }
    if let Some(reshape) = result_reshape(own.operation)
        && own.split_result(reshape)
    {
        outcome.reshapes += 1;
        is_changed = true;
    }
    if is_changed {
        own.emit()?;
    }
    Ok(())
}

/// The time that loads of operands take, in microseconds.
#[derive(Clone, Copy, Default)]
struct Times {
    /// From where the elements lie.
    in_place: f64,
    /// From a copy.
    copied: f64,
}

impl Times {
    /// With the time of making the copy.
    fn with_copy(self, copy: &Move<'_>, chip: &Chip) -> Self {
        Self { copied: self.copied + cost::copy(copy, chip), ..self }
    }

    /// The times of all contractions that read a copy, and of making it, or `None` if something else reads it, which needs it. With the copy, those
    /// that take less time without it read in place all the same.
    fn of_readers(copy: &Move<'_>, chip: &Chip) -> Option<Self> {
        let mut all = Self::default();
        let value = first_result(copy.operation);
        // An operation is a user as often as it reads the copy.
        let mut seen = HashSet::new();
        for reader in tree::users(copy.operation) {
            if !seen.insert(reader.to_raw().ptr) {
                continue;
            }
            let own = (contraction::may_be_one(reader) && reader.result_count() == 1)
                .then(|| Structured::read(reader))??;
            for number in (0..own.operands.len()).filter(|&i| own.operands[i] == value) {
                let mut inside = own.clone();
                inside.read_through(number, copy);
                (number < 2 && inside.contracts()).then_some(())?;
                let in_place = cost::strided(&inside, number, chip);
                all.in_place += in_place;
                all.copied += in_place.min(cost::strided(&own, number, chip));
            }
        }
        Some(all.with_copy(copy, chip))
    }
}

/// A copy that an operand may be read through, and the reshape after it, which goes first.
struct Step<'c> {
    reshape: Option<OperationRef<'c, 'c>>,
    copy: Move<'c>,
}

impl<'c> Step<'c> {
    fn of(own: &Structured<'c>, number: usize) -> Option<Self> {
        let value = own.operands[number];
        if let Some(copy) = Move::of(value) {
            return Some(Self { reshape: None, copy });
        }
        let reshape = tree::definition(value)?;
        (tree::name(reshape) == "tensor.collapse_shape").then_some(())?;
        let copy = Move::of(operand(reshape, 0))?;
        Some(Self { reshape: Some(reshape), copy })
    }
}

/// The reshape that all who read a contraction's result read it through.
fn result_reshape<'c>(operation: OperationRef<'c, 'c>) -> Option<OperationRef<'c, 'c>> {
    let mut users = tree::users(operation);
    let first = users.next()?;
    let is_like = |user: &OperationRef<'c, 'c>| {
        tree::name(*user) == "tensor.expand_shape"
            && first_result(*user).r#type() == first_result(first).r#type()
            && user.attribute("reassociation").ok() == first.attribute("reassociation").ok()
    };
    (is_like(&first) && users.all(|user| is_like(&user))).then_some(first)
}
