//! Loops that continue as long as a condition holds, and whose condition always holds.
//!
//! If a loop loads no integers from memory, the integers of a round determine the next. Threads that have the integers of an earlier
//! round again repeat it, so the loop does not end.

use super::{Run, program::Node};
use crate::verify::{Gap, follow::Number};
use std::collections::BTreeMap;

/// Rounds of loops that threads are in, by the loop's symbol and the first thread.
#[derive(Default)]
pub(super) struct Endless {
    seen: BTreeMap<(u32, i64), Seen>,
}

/// The integers of threads at the end of a round.
struct Seen {
    round: i64,
    /// None where memory decides, too.
    integers: Option<Vec<Option<i64>>>,
}

impl Endless {
    pub(super) fn begin_block(&mut self) {
        self.seen.clear();
    }
}

impl<'r> Run<'r> {
    /// Whether a loop of these nodes may end after a round; refutes one that does not.
    pub(super) fn may_end(
        &mut self,
        (symbol, round): (u32, i64),
        body: &'r [Node<'r>],
        threads: &[i64],
    ) -> bool {
        let Some(&first) = threads.first() else { return true };
        let key = (symbol, first);
        let is_new = round == 0;
        if !is_new && self.endless.seen.get(&key).is_none_or(|seen| seen.integers.is_none()) {
            return true;
        }
        let integers = (!is_new || !reads_memory(body)).then(|| self.integers(threads));
        if let Some(Seen { round: before, integers: known @ Some(_) }) =
            self.endless.seen.get(&key).filter(|_| !is_new)
            && *known == integers
        {
            let message = format!(
                "expected the condition of this loop to become false, found the same integers in rounds {before} and {round}: {} never leaves the loop, in {}",
                self.thread(first),
                self.place()
            );
            self.refute(message, operation(body), None);
            return false;
        }
        if is_new || round.count_ones() == 1 {
            self.endless.seen.insert(key, Seen { round, integers });
        }
        true
    }

    /// All integers that threads have computed.
    fn integers(&self, threads: &[i64]) -> Vec<Option<i64>> {
        let own = |known: &Vec<Option<i64>>, &thread: &i64| {
            usize::try_from(thread).ok().and_then(|at| known.get(at).copied()).flatten()
        };
        let each = self.computed.iter();
        each.flat_map(|known| threads.iter().map(move |thread| own(known, thread))).collect()
    }

    /// Notes that threads are in a round of a loop where no more of them is examined.
    pub(super) fn is_cut_in(&mut self, body: &'r [Node<'r>], round: i64) {
        let what = format!(
            "threads of @{}: whether a loop ends that still runs after {round} rounds",
            self.trace.name
        );
        self.findings.not_followed(Gap { what, at: Some(operation(body)) });
    }
}

/// The loop that nodes are the body of.
fn operation(body: &[Node<'_>]) -> usize {
    match body.first() {
        Some(Node::Compute(compute)) => compute.operation,
        _ => 0,
    }
}

/// Whether integers are loaded from memory.
fn reads_memory(body: &[Node<'_>]) -> bool {
    body.iter().any(|node| match node {
        Node::Compute(compute) => {
            compute.symbols.iter().any(|(_, number)| matches!(number, Number::Element(_)))
        }
        Node::Loop { body, .. } => reads_memory(body),
        _ => false,
    })
}
