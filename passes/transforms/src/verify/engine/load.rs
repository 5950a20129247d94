//! Bulk loads, which count their bytes at a barrier; those of the last tile along a mode may be without what is beyond the matrix.

use super::{BoxCopy, CopyOperands, without_hint};
use crate::verify::{
    compare::name,
    pipeline::{Stopped, Walk},
    trace::{Condition, Copy, Event, Root},
};
use layout_dialect::atoms::CopyKind;
use layout_relation::IndexForm;

/// The instruction that counts bytes at a barrier that no copy brings.
const COMPLETE_TX: &str = "nvvm.mbarrier.complete_tx";

/// The load of the last tile along a mode, without what is beyond the limit.
struct Last {
    mode: usize,
    /// The tile's coordinates along the mode, and those of them that are there.
    rows: i64,
    rest: i64,
    /// The conditions of the last tile, and of the others, if there are any.
    is_last: Vec<Condition>,
    is_whole: Option<Condition>,
}

impl Walk<'_, '_> {
    /// A bulk load, which counts its bytes at a barrier.
    pub(in crate::verify) fn load(
        &mut self,
        copy: &Copy,
        barrier: Option<&IndexForm>,
    ) -> Result<(), Stopped> {
        if copy.kind == CopyKind::Bulk {
            let name = "nvvm.cp.async.bulk.shared.cluster.global";
            return self.rows(copy, (name, 3), &[], |walk, found| {
                walk.operand((found, 2), &Root::Shared, barrier, &[])
            });
        }
        let cluster = self.ring.map_or((1, 1), |ring| ring.cluster);
        let shares = match copy.multicast {
            Some(0) if cluster.0 > 1 => Some((0, cluster.0)),
            Some(1) if cluster.1 > 1 => Some((1, cluster.1)),
            _ => None,
        };
        let (Some(global), Some(shared)) = (&copy.source, &copy.target) else {
            return self.unknown("a bulk copy without two sides");
        };
        let sides = CopyOperands { global, shared, predicates: &copy.predicates, shares };
        let whole = shared.size() / shares.map_or(1, |(_, blocks)| blocks);
        let Some(last) = self.last(copy)? else {
            let parts = self.loads(&sides, (whole, &[]), barrier, None)?;
            return self.boxes(&sides, &parts, None);
        };
        let elements = whole / last.rows * last.rest;
        let parts = self.loads(&sides, (elements, &last.is_last), barrier, Some(&last))?;
        self.boxes(&sides, &parts, Some((last.mode, last.rest)))?;
        match &last.is_whole {
            None => Ok(()),
            Some(is_whole) => {
                let is_whole = std::slice::from_ref(is_whole);
                let parts = self.loads(&sides, (whole, is_whole), barrier, None)?;
                self.boxes(&sides, &parts, None)
            }
        }
    }

    /// The last tile along a mode, where the program loads it without what is beyond the limit.
    fn last(&mut self, copy: &Copy) -> Result<Option<Last>, Stopped> {
        let is_next =
            matches!(self.peek(), Some(Event::Instruction(next)) if next.name == COMPLETE_TX);
        let Some(mode) = copy.no_zfill.filter(|_| is_next) else { return Ok(None) };
        let read = || {
            let (predicate, limit) = copy.predicates.get(mode)?;
            let mut greatest = 0;
            for i in 0..predicate.size() {
                greatest = predicate.layout.at(i).ok()?.max(greatest);
            }
            let rows = greatest.checked_add(1)?;
            let rest = limit.checked_rem(rows).filter(|rest| *rest > 0)?;
            let first = limit.checked_sub(rest)?;
            let of_last = (predicate.base.scale(-1)?, 1_i64.checked_sub(first)?);
            let of_others = (predicate.base.clone(), first);
            let is_only = *limit < rows;
            let is_last = if is_only { Vec::new() } else { vec![of_last] };
            let is_whole = (!is_only).then_some(of_others);
            Some(Last { mode, rows, rest, is_last, is_whole })
        };
        match read() {
            Some(last) => Ok(Some(last)),
            None => self.unknown("the last tile along a mode"),
        }
    }

    /// The instructions of a bulk load of so many elements, under conditions; in front of each of the last tile along a mode, the barrier
    /// counts the bytes that do not come.
    fn loads(
        &mut self,
        sides: &CopyOperands<'_>,
        (elements, conditions): (i64, &[Condition]),
        barrier: Option<&IndexForm>,
        last: Option<&Last>,
    ) -> Result<Vec<BoxCopy>, Stopped> {
        let shares = sides.shares;
        let (mut parts, mut left) = (Vec::new(), elements);
        while left > 0 {
            let completes = match last {
                Some(_) => Some(self.instruction(COMPLETE_TX, conditions)?),
                None => None,
            };
            // In operands: the place, the map, the barrier, the blocks, where the box starts; what
            // is a hint for the L2 cache follows them.
            let (instruction, places) = match shares {
                None => {
                    let name = "nvvm.cp.async.bulk.tensor.shared.cluster.global";
                    let found = self.instruction(name, conditions)?;
                    let last = without_hint(&found).saturating_sub(1);
                    (found, (last, None, 2..last))
                }
                Some(_) => {
                    let Some(found) = self.assembly("cp.async.bulk.tensor") else {
                        let found = name(self.peek());
                        return self.refute("a bulk load for several blocks", &found);
                    };
                    let around = self.around.clone();
                    self.comparison.predicates(&around, &found.predicates, "a bulk load");
                    let end = without_hint(&found);
                    (found, (2, Some(3), 4..end))
                }
            };
            let (at, blocks, start) = places;
            let root = if shares.is_some() { Root::Nothing } else { Root::Shared };
            self.operand((&instruction, at), &root, barrier, &[])?;
            let part = self.part(&instruction, (1, 0), blocks, start)?;
            let size = self.box_size(part.map);
            if let (Some(completes), Some(last)) = (completes, last) {
                let missing =
                    (size / last.rest * (last.rows - last.rest)).saturating_mul(sides.shared.bytes);
                self.operand((&completes, 0), &Root::Shared, barrier, &[])?;
                let missing = IndexForm::constant(missing);
                self.operand((&completes, 1), &Root::Nothing, Some(&missing), &[])?;
            }
            left -= size;
            parts.push(part);
        }
        Ok(parts)
    }
}
