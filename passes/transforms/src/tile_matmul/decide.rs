//! How one matmul is computed: by warpgroups or by warps, with which operands copied first, and where its result
//! is copied behind it.
//!
//! The program that needs the fewest copies is taken. Where blocks of an operand or of C fit no tiles, or no
//! thread's part of a tile, that matrix is copied; everything that can be refused is refused here, so that no
//! operation of the algebra fails while the program is written.

use super::{
    Failure, Matmul,
    copies::{Copies, arranged, in_blocks, unpacked},
    epilogue::Fusion,
    plan::{Plan, Problem},
    repack::Repack,
    sum::Sum,
    warpgroup_plan::{Store, WarpgroupPlan},
};
use crate::pointers::ASSUMED;

/// The program of a matmul.
pub(super) enum Program {
    Warpgroups(Box<WarpgroupPlan>, Option<Sum>),
    Warps(Box<Plan>),
}

/// How a matmul is computed.
pub(super) struct Decision {
    /// The copies of A and B.
    pub(super) copies: Copies,
    /// The copies of the epilogue's operands, by their numbers.
    pub(super) fused: Vec<(usize, Repack)>,
    /// The copy of C behind the program.
    pub(super) unpacked: Option<Repack>,
    pub(super) program: Program,
}

/// What the copies of the epilogue's operands are named after.
const FUSED: [&str; 8] = ["e0", "e1", "e2", "e3", "e4", "e5", "e6", "e7"];

/// Decides how to compute a matmul.
///
/// # Errors
///
/// Why there is no program without copies, where there is none with copies either.
pub(super) fn decide(read: &Matmul<'_>) -> Result<Decision, Failure> {
    let problem = read.problem()?;
    let blocked = [problem.a, problem.b, problem.c].map(in_blocks);
    // Fewest copies first, and of as many, those of operands before that of C.
    let mut choices: Vec<[bool; 3]> = (0..8_u8)
        .map(|bits| [0, 1, 2].map(|i| bits >> i & 1 == 1))
        .filter(|forced| forced.iter().zip(blocked).all(|(&forced, blocked)| blocked || !forced))
        .collect();
    choices.sort_by_key(|forced| forced.iter().filter(|&&forced| forced).count());
    let mut first = None;
    for forced in choices {
        match attempt(&problem, read.fusion.as_ref(), forced) {
            Ok(decision) => return Ok(decision),
            Err(message) => {
                first.get_or_insert(message);
            }
        }
    }
    Err(Failure::Refused(first.unwrap_or_else(|| "expected a matmul".to_owned())))
}

/// The program with copies of these of A, B and C at least.
fn attempt(
    problem: &Problem<'_>,
    fusion: Option<&Fusion<'_>>,
    forced: [bool; 3],
) -> Result<Decision, String> {
    let of_operands = [forced[0], forced[1]];
    let of_c = || Repack::new("c", problem.result(), false);
    let copies = Copies::of(problem, of_operands);
    let mut packed = copies.apply(problem);
    let unpacked = match forced[2] {
        true => Some(of_c()?),
        false => unpacked(problem).filter(|_| WarpgroupPlan::wanted(&packed)),
    };
    if let Some(copy) = &unpacked {
        packed.c = &copy.layout;
        packed.alignments[2] = ASSUMED;
        packed.stores_to_workspace = true;
    }
    if WarpgroupPlan::wanted(&packed) {
        return on_warpgroups(&packed, fusion).map(|(program, fused)| Decision {
            copies,
            fused,
            unpacked,
            program,
        });
    }
    let copies = Copies::only(problem, of_operands);
    let mut packed = copies.apply(problem);
    let unpacked = if forced[2] { Some(of_c()?) } else { None };
    if let Some(copy) = &unpacked {
        packed.c = &copy.layout;
        packed.alignments[2] = ASSUMED;
        packed.stores_to_workspace = true;
    }
    let plan = Plan::new(&packed)?;
    plan.is_arranged(&packed)?;
    let tile = (plan.tile.0, plan.tile.1);
    let fused = copied(fusion, &[(tile, &plan.store_partition)])?;
    Ok(Decision { copies, fused, unpacked, program: Program::Warps(Box::new(plan)) })
}

fn on_warpgroups(
    packed: &Problem<'_>,
    fusion: Option<&Fusion<'_>>,
) -> Result<(Program, Vec<(usize, Repack)>), String> {
    let plan = WarpgroupPlan::new(packed)?;
    let tile = (plan.tile.0, plan.tile.1);
    let sum = match &plan.partial {
        None => None,
        Some(partial) => Some(Sum::new(partial, packed)?),
    };
    let fused = match &sum {
        Some(sum) => copied(fusion, &[sum.shares.arrangement()])?,
        None => {
            let stored = match &plan.store {
                Store::Direct { partition, .. } => partition,
                Store::Staged { pieces, .. } => pieces,
            };
            arranged("C", packed.c, tile, stored)?;
            copied(fusion, &[(tile, &plan.sums)])?
        }
    };
    Ok((Program::Warpgroups(Box::new(plan), sum), fused))
}

/// The copies of those operands of an epilogue that do not fit one of these arrangements.
fn copied(
    fusion: Option<&Fusion<'_>>,
    arrangements: &[((i64, i64), &str)],
) -> Result<Vec<(usize, Repack)>, String> {
    let mut copies = Vec::new();
    for (number, operand) in fusion.iter().flat_map(|fusion| &fusion.operands).enumerate() {
        let name = "an operand of the epilogue";
        let fits =
            |&(tile, by): &((i64, i64), &str)| arranged(name, operand.seen(), tile, by).is_ok();
        if arrangements.iter().all(fits) {
            continue;
        }
        let own = FUSED.get(number).ok_or_else(|| {
            format!("expected at most {} operands of an epilogue in blocks", FUSED.len())
        })?;
        copies.push((number, Repack::new(own, operand.memory(), false)?));
    }
    Ok(copies)
}
