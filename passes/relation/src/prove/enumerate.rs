//! Every coordinate in turn, while there are few; and the first ones of many, since what they
//! refute is refuted with the least coordinate.

use std::{collections::HashMap, ops::ControlFlow, time::Instant};

use layout_algebra::ENUMERATION_LIMIT;

use crate::error::Result;

use super::{Question, Tier, Verdict, Witness, function::Function};

/// Coordinates between two readings of the clock.
const STRIDE: i64 = 1 << 14;

pub(super) fn answer(question: Question<'_>, deadline: Instant) -> Result<Option<Verdict>> {
    let (complete, witness) = match question {
        Question::Equal(left, right) => equal(left, right, deadline)?,
        Question::Injective(function) => injective(function, deadline)?,
        Question::Disjoint(left, right) => disjoint(left, right, deadline)?,
        Question::Within(function, lower, upper) => search(function, deadline, |c, offset| {
            let outside = offset < lower || offset >= upper;
            outside.then_some(Witness::Outside { coordinate: c, offset })
        })?,
        Question::Aligned(function, unit) => search(function, deadline, |c, offset| {
            (offset % unit != 0).then_some(Witness::Misaligned { coordinate: c, offset })
        })?,
        Question::Consecutive(function, run) => {
            let mut before = 0;
            search(function, deadline, |coordinate, offset| {
                let last = std::mem::replace(&mut before, offset);
                let broken = coordinate % run != 0 && last.checked_add(1) != Some(offset);
                broken.then_some(Witness::Broken { coordinate, offset, before: last })
            })?
        }
    };
    Ok(match witness {
        Some(witness) => Some(Verdict::Refuted(witness)),
        None => complete.then_some(Verdict::Proved(Tier::Enumeration)),
    })
}

/// Whether all coordinates were visited, and the first witness.
type Found = (bool, Option<Witness>);

fn search(
    function: &Function,
    deadline: Instant,
    mut test: impl FnMut(i64, i64) -> Option<Witness>,
) -> Result<Found> {
    let (mut witness, mut late) = (None, false);
    function.visit(ENUMERATION_LIMIT, |coordinate, offset| {
        witness = test(coordinate, offset);
        late = coordinate % STRIDE == STRIDE - 1 && Instant::now() > deadline;
        if witness.is_some() || late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok((function.size <= ENUMERATION_LIMIT && !late, witness))
}

fn equal(left: &Function, right: &Function, deadline: Instant) -> Result<Found> {
    let mut offsets = Vec::new();
    right.visit(ENUMERATION_LIMIT, |_, offset| {
        offsets.push(offset);
        ControlFlow::Continue(())
    })?;
    let mut others = offsets.into_iter();
    let (complete, witness) = search(left, deadline, |coordinate, offset| {
        let other = others.next();
        let differ = Witness::Differ { coordinate, left: Some(offset), right: other };
        (other != Some(offset)).then_some(differ)
    })?;
    if witness.is_none() && complete && right.size > left.size {
        let coordinate = left.size;
        let right = right.at_if_inside(coordinate)?;
        return Ok((true, Some(Witness::Differ { coordinate, left: None, right })));
    }
    Ok((complete, witness))
}

fn injective(function: &Function, deadline: Instant) -> Result<Found> {
    let mut seen = HashMap::new();
    search(function, deadline, |coordinate, offset| {
        let earlier = seen.insert(offset, coordinate)?;
        Some(Witness::Collide { coordinate, earlier, offset })
    })
}

fn disjoint(left: &Function, right: &Function, deadline: Instant) -> Result<Found> {
    if right.size > ENUMERATION_LIMIT {
        return Ok((false, None));
    }
    let mut reached = HashMap::new();
    search(right, deadline, |coordinate, offset| {
        reached.entry(offset).or_insert(coordinate);
        None
    })?;
    search(left, deadline, |coordinate, offset| {
        let right = *reached.get(&offset)?;
        Some(Witness::Meet { left: coordinate, right, offset })
    })
}
