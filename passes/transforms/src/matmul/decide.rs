//! Picks the mainloop of a matmul, by warpgroups or by warps, and the relayout copies of operands before it and of its
//! result after it.
//!
//! The program that needs the fewest copies is taken. Where blocks of an operand or of C fit no tiles, or no
//! thread's part of a tile, that matrix is copied; everything that can be refused is refused here, so that no
//! operation of the algebra fails while the program is written.

use crate::matmul::{
    Failure,
    epilogue::{fusion::Fusion, store::Store},
    limits::Request,
    mainloop::{
        Plan,
        bulk_copy::{arranged, in_blocks},
        warpgroups, warps,
    },
    normalise::{
        operands::{FUSED, Relayouts, packed, unpacked},
        relayout::Relayout,
    },
    problem::{Matmul, Problem},
    scheduler::Work,
};

/// How a matmul is computed.
pub(crate) struct Decision {
    /// The copies of A and B.
    pub(crate) copies: Relayouts,
    /// The copies of the epilogue's operands, by their numbers.
    pub(crate) fused: Vec<(usize, Relayout)>,
    /// The copy of C after the program.
    pub(crate) unpacked: Option<Relayout>,
    pub(crate) plan: Plan,
    /// Why warps multiply where warpgroups would have.
    pub(crate) missed: Option<String>,
}

/// Why warpgroups do not compute a matmul.
pub(crate) enum Refusal {
    /// Warps compute it; where the schedule is for both, the reason.
    Warps(Option<String>),
    /// The schedule requires what cannot be had.
    Refused(String),
}

/// Why nothing is copied first where sizes are known at run time.
const WORKSPACE: &str = "expected matrices in blocks that tiles fit where sizes are known at run time, since the workspace of \
                         a copy has a static size, found one that would be copied";

/// As [`WORKSPACE`], where bulk copies would need one.
const BULK_COPIES: &str = "expected operands and a result that TMA can load and store where sizes are known at run time, \
                           since the workspace of a copy has a static size, found one that would be copied";

/// Why warps do not compute the GEMMs of two B.
const DUAL: &str =
    "expected a warpgroup schedule for a matmul with a second B, found one for warps";

/// Why warps do not compute the GEMM of an image.
const WINDOW: &str = "expected a schedule for warpgroups where A is an image, whose copies compute its im2col matrix, found one for warps";

impl Decision {
    /// Whether something is copied.
    pub(crate) fn has_copies(&self) -> bool {
        self.copies.0.iter().any(Option::is_some)
            || !self.fused.is_empty()
            || self.unpacked.is_some()
    }

    /// The problem as it is between the copies.
    pub(crate) fn packed<'a>(&'a self, problem: &Problem<'a>) -> Problem<'a> {
        packed(&self.copies, self.unpacked.as_ref(), problem)
    }
}

/// Decides how to compute a matmul.
///
/// # Errors
///
/// Why there is no program without copies, where there is none with copies either.
pub(crate) fn decide(read: &Matmul<'_>) -> Result<Decision, Failure> {
    let problem = read.problem()?;
    let fusion = read.fusion.as_ref();
    let mut first = None;
    for forced in choices(&problem) {
        let attempt = match on_warpgroups(&problem, fusion, forced) {
            Ok(decision) => Ok(decision),
            Err(Refusal::Refused(message)) => Err(message),
            Err(Refusal::Warps(missed)) => {
                let missed = missed.map(|reason| read.sizes.spoken(&reason));
                on_warps(&problem, fusion, forced).map(|made| Decision { missed, ..made })
            }
        };
        match attempt {
            Ok(decision) => return Ok(decision),
            Err(message) => {
                first.get_or_insert(message);
            }
        }
    }
    let message = first.unwrap_or_else(|| "expected a matmul".to_owned());
    Err(Failure::Refused(read.sizes.spoken(&message)))
}

/// Which of A, B and C may have to be copied: fewest first; among equals, operands before C.
pub(crate) fn choices(problem: &Problem<'_>) -> Vec<[bool; 3]> {
    let mut blocked = [problem.a, problem.b, problem.c].map(in_blocks);
    blocked[0] &= problem.window.is_none();
    let mut choices: Vec<[bool; 3]> = (0..8_u8)
        .map(|bits| [0, 1, 2].map(|i| bits >> i & 1 == 1))
        .filter(|forced| forced.iter().zip(blocked).all(|(&forced, blocked)| blocked || !forced))
        .collect();
    choices.sort_by_key(|forced| forced.iter().filter(|&&forced| forced).count());
    choices
}

/// The program on warpgroups with copies of these of A, B and C at least.
///
/// # Errors
///
/// A key that cannot be had, or that the schedule is one for warps, or that warps have to do.
pub(crate) fn on_warpgroups(
    problem: &Problem<'_>,
    fusion: Option<&Fusion<'_>>,
    forced: [bool; 3],
) -> Result<Decision, Refusal> {
    let request = Request::of(problem.schedule);
    if request == Request::Warps {
        return Err(match (problem.window, problem.dual) {
            (None, None) => Refusal::Warps(None),
            (Some(_), _) => Refusal::Refused(WINDOW.to_owned()),
            (None, Some(_)) => Refusal::Refused(DUAL.to_owned()),
        });
    }
    // A schedule that is for both says nothing of warpgroups, so that warps may do.
    let refused = |message: String| match request {
        Request::Either if problem.window.is_none() && problem.dual.is_none() => {
            Refusal::Warps(Some(message))
        }
        _ => Refusal::Refused(message),
    };
    let copies = Relayouts::of(problem, [forced[0], forced[1]]);
    let unpacked = match forced[2] {
        true => Some(Relayout::new("c", problem.result(), false).map_err(Refusal::Refused)?),
        false => unpacked(problem).filter(|_| {
            request == Request::Warpgroups || warpgroups::plan(&copies.apply(problem)).is_ok()
        }),
    };
    let packed = packed(&copies, unpacked.as_ref(), problem);
    let plan = warpgroups::plan(&packed).map_err(refused)?;
    let copied_first = copies.0.iter().any(Option::is_some) || unpacked.is_some();
    // No warps could take the filter as it is where A is an image.
    let is_of_filter = problem.window.is_some()
        && unpacked.is_none()
        && (0..2).all(|i| copies.0[i].is_none() || problem.knows(i));
    if copied_first && !problem.sizes.is_empty() && !is_of_filter {
        return Err(refused(BULK_COPIES.to_owned()));
    }
    let (rows, columns, _) = plan.scheduler.tile;
    let tile = (rows, columns);
    let stored = match (&plan.scheduler.work, &plan.store) {
        // The kernel after writes C.
        (Work::SplitK(_), _) => Ok(()),
        (_, Store::Direct { partition, .. }) => arranged("C", packed.c, tile, partition),
        (_, Store::Staged { pieces, .. }) => arranged("C", packed.c, tile, pieces),
    };
    let fused = stored.and_then(|()| copied(fusion, &plan, &packed)).map_err(Refusal::Refused)?;
    Ok(Decision { copies, fused, unpacked, plan, missed: None })
}

/// The program on warps with copies of these of A, B and C.
pub(crate) fn on_warps(
    problem: &Problem<'_>,
    fusion: Option<&Fusion<'_>>,
    forced: [bool; 3],
) -> Result<Decision, String> {
    if forced.contains(&true) && !problem.sizes.is_empty() {
        return Err(WORKSPACE.to_owned());
    }
    let copies = Relayouts::only(problem, [forced[0], forced[1]]);
    let unpacked = match forced[2] {
        true => Some(Relayout::new("c", problem.result(), false)?),
        false => None,
    };
    let packed = packed(&copies, unpacked.as_ref(), problem);
    let plan = warps::plan(&packed)?;
    warps::is_arranged(&plan, &packed)?;
    let fused = copied(fusion, &plan, &packed)?;
    Ok(Decision { copies, fused, unpacked, plan, missed: None })
}

/// The copies of those operands of an epilogue whose tiles are no layouts as a plan has them.
fn copied(
    fusion: Option<&Fusion<'_>>,
    plan: &Plan,
    problem: &Problem<'_>,
) -> Result<Vec<(usize, Relayout)>, String> {
    let (tile, by) = match &plan.scheduler.work {
        Work::SplitK(split) => split.shares.arrangement(),
        _ => ((plan.scheduler.tile.0, plan.scheduler.tile.1), &plan.partition[..]),
    };
    let mut copies = Vec::new();
    for (number, operand) in fusion.iter().flat_map(|fusion| &fusion.operands).enumerate() {
        let name = "an operand of the epilogue";
        if operand.copy.is_some() || arranged(name, operand.seen(), tile, by).is_ok() {
            continue;
        }
        if !problem.sizes.is_empty() {
            return Err(WORKSPACE.to_owned());
        }
        let own = FUSED.get(number).ok_or_else(|| {
            format!(
                "expected at most {} operands of an epilogue in blocks, found {}",
                FUSED.len(),
                number.saturating_add(1)
            )
        })?;
        copies.push((number, Relayout::new(own, operand.memory(), false)?));
    }
    Ok(copies)
}
