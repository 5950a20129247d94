//! Vectors: which accesses of a loop are contiguous, and how wide.
//!
//! A *run* is `width` neighbouring steps of the innermost loop of a pass, from a multiple of `width` on. Along it
//!
//! | coordinate | changes |
//! |---|---|
//! | what has no part in the loop, or the loop divided by a multiple of `width` | not |
//! | the loop, plus what is known | by one each step |
//! | all else | in other ways |
//!
//! so that an access whose last coordinate goes up by one, and whose others stay, is one vector. Its alignment follows from
//! the strides and from what divides the other coordinates.

use super::{
    coordinate::{CoordId, Coordinate, Coordinates},
    extent::Extent,
    graph::{Graph, Node, Pass, Step},
};
use num_integer::gcd;

/// Bytes of the widest access.
const BYTES: i64 = 16;

/// The most bytes that a run has of one operand: two of the widest accesses.
const RUN_BYTES: i64 = 2 * BYTES;

/// How a coordinate changes along a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepKind {
    Same,
    Counts,
    Other,
}

/// The elements of a tensor that a run reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// One element, the same for all steps.
    Same,
    /// Consecutive elements, from a multiple of this many on.
    Row(i64),
    /// An element for each step.
    Each,
}

/// A run of a loop.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) innermost: usize,
    pub(super) width: i64,
    /// The nodes that have one value along it.
    same: Vec<bool>,
}

impl Run {
    pub(super) fn new(graph: &Graph<'_>, innermost: usize, width: i64) -> Self {
        let mut run = Self { innermost, width, same: Vec::with_capacity(graph.steps.len()) };
        // A node comes after what it is computed from.
        for step in &graph.steps {
            let same = run.is_step_same(graph, step);
            run.same.push(same);
        }
        run
    }

    /// Whether a node has one value along the run, which does not depend on what a reduction holds.
    pub(super) fn is_same(&self, node: Node) -> bool {
        self.same.get(node).copied().unwrap_or(false)
    }

    fn is_step_same(&self, graph: &Graph<'_>, step: &Step<'_>) -> bool {
        let all = &graph.coordinates;
        let stays = |at: &CoordId| self.along(all, *at) == StepKind::Same;
        match step {
            Step::Load { at, .. } => at.iter().all(stays),
            Step::Copy { operands, .. } => operands.iter().all(|&own| self.is_same(own)),
            Step::Coordinate(at) => stays(at),
            Step::Within(at, size) => match self.along(all, *at) {
                StepKind::Same => stays(size),
                // The end of a run is that of a multiple of it.
                StepKind::Counts => {
                    let is_end = |at: CoordId| self.divisor(graph, at) % self.width == 0;
                    stays(size) && is_end(*size) && is_end(*at)
                }
                StepKind::Other => false,
            },
            Step::Both(a, b) => self.is_same(*a) && self.is_same(*b),
            Step::Boolean(own) | Step::Byte(own) | Step::Float { own, .. } => self.is_same(*own),
            Step::Wide { operands, .. } => operands.iter().all(|&own| self.is_same(own)),
            Step::Branch { condition, regions, .. } => {
                self.is_same(*condition) && regions.iter().flatten().all(|&own| self.is_same(own))
            }
            Step::Taken { branch, .. } => self.is_same(*branch),
            Step::Constant { .. } | Step::Scalar(_) | Step::Reduced { .. } => true,
            Step::Held { .. } => false,
        }
    }

    /// Whether a coordinate has one value along the run.
    pub(super) fn stays(&self, graph: &Graph<'_>, at: CoordId) -> bool {
        self.along(&graph.coordinates, at) == StepKind::Same
    }

    fn along(&self, all: &Coordinates, at: CoordId) -> StepKind {
        match all.get(at) {
            Coordinate::Known(_) | Coordinate::Size(_) => StepKind::Same,
            Coordinate::Loop(number) if *number == self.innermost && self.width > 1 => {
                StepKind::Counts
            }
            Coordinate::Loop(_) => StepKind::Same,
            Coordinate::Value(node) => match self.is_same(*node) {
                true => StepKind::Same,
                false => StepKind::Other,
            },
            Coordinate::Sum(a, b) => match (self.along(all, *a), self.along(all, *b)) {
                (StepKind::Same, StepKind::Same) => StepKind::Same,
                (StepKind::Counts, StepKind::Same) | (StepKind::Same, StepKind::Counts) => {
                    StepKind::Counts
                }
                _ => StepKind::Other,
            },
            Coordinate::Product(a, b) => match (self.along(all, *a), self.along(all, *b)) {
                (StepKind::Same, StepKind::Same) => StepKind::Same,
                _ => StepKind::Other,
            },
            Coordinate::Quotient(a, n) => match (self.along(all, *a), self.along(all, *n)) {
                (StepKind::Same, StepKind::Same) => StepKind::Same,
                (StepKind::Counts, StepKind::Same) if self.ends_runs(all, *a, *n) => StepKind::Same,
                _ => StepKind::Other,
            },
            Coordinate::Remainder(a, n) => match (self.along(all, *a), self.along(all, *n)) {
                (StepKind::Same, StepKind::Same) => StepKind::Same,
                (StepKind::Counts, StepKind::Same) if self.ends_runs(all, *a, *n) => {
                    StepKind::Counts
                }
                _ => StepKind::Other,
            },
            Coordinate::Linear(digits) => {
                let above = digits.split_last().map_or(&[][..], |(_, above)| above);
                let stays = |digits: &[(CoordId, CoordId)]| {
                    digits.iter().all(|&(d, _)| self.along(all, d) == StepKind::Same)
                };
                match digits.last().map(|&(digit, _)| self.along(all, digit)) {
                    Some(last @ (StepKind::Same | StepKind::Counts)) if stays(above) => last,
                    _ => StepKind::Other,
                }
            }
        }
    }

    /// Whether a quotient by a number is the same for a whole run of what is divided.
    fn ends_runs(&self, all: &Coordinates, at: CoordId, by: CoordId) -> bool {
        all.known(by).is_some_and(|by| by > 0 && by % self.width == 0)
            && divisor(all, &|_| 1, Some((self.innermost, self.width)), at) % self.width == 0
    }

    /// A number that divides a coordinate where the run begins; 0 where that is 0.
    fn divisor(&self, graph: &Graph<'_>, at: CoordId) -> i64 {
        let of_size = |number: usize| graph.sizes.get(number).map_or(1, Extent::divisor);
        divisor(&graph.coordinates, &of_size, Some((self.innermost, self.width)), at)
    }

    /// The elements that the run accesses of a tensor of these sizes.
    pub(super) fn access(
        &self,
        graph: &Graph<'_>,
        extents: &[Extent<'_>],
        at: &[CoordId],
    ) -> Access {
        let changes: Vec<usize> = (0..at.len()).filter(|&i| !self.stays(graph, at[i])).collect();
        match (changes.as_slice(), last(extents)) {
            ([], _) => Access::Same,
            (&[one], Some(last))
                if one == last && self.along(&graph.coordinates, at[one]) == StepKind::Counts =>
            {
                // The views of kernels are divided where that is static.
                let Some(extent) = extents[last].known() else { return Access::Each };
                let mut common = gcd(gcd(self.width, extent), self.divisor(graph, at[last]));
                let mut stride = 1_i64;
                for i in (0..last).rev() {
                    stride = stride.saturating_mul(extents[i + 1].divisor());
                    common = gcd(common, stride.saturating_mul(self.divisor(graph, at[i])));
                }
                match common {
                    ..=1 => Access::Each,
                    common => Access::Row(common),
                }
            }
            _ => Access::Each,
        }
    }
}

/// The last dimension of several elements.
pub(super) fn last(extents: &[Extent<'_>]) -> Option<usize> {
    extents.iter().rposition(|extent| *extent != Extent::Known(1))
}

/// A number that divides a coordinate, given what divides sizes and one loop; 0 where the coordinate is 0.
fn divisor(
    all: &Coordinates,
    of_size: &impl Fn(usize) -> i64,
    innermost: Option<(usize, i64)>,
    at: CoordId,
) -> i64 {
    let of = |at: CoordId| divisor(all, of_size, innermost, at);
    match all.get(at) {
        Coordinate::Known(known) => known.checked_abs().unwrap_or(1),
        Coordinate::Size(number) => of_size(*number),
        Coordinate::Loop(number) => match innermost {
            Some((own, width)) if own == *number => width,
            _ => 1,
        },
        Coordinate::Sum(a, b) => gcd(of(*a), of(*b)),
        Coordinate::Product(a, b) => of(*a).checked_mul(of(*b)).unwrap_or(1),
        Coordinate::Remainder(a, n) => gcd(of(*a), of(*n)),
        Coordinate::Linear(digits) => {
            let (mut stride, mut common) = (1_i64, 0_i64);
            for &(digit, size) in digits.iter().rev() {
                common = gcd(common, of(digit).checked_mul(stride).unwrap_or(1));
                stride = stride.checked_mul(of(size)).unwrap_or(1);
            }
            common
        }
        Coordinate::Quotient(..) | Coordinate::Value(_) => 1,
    }
}

/// Bytes of an access of one operand of a run: the widest that its type and alignment allow, in elements.
pub(super) fn elements_at_once(aligned: i64, bytes: i64) -> i64 {
    aligned.min(BYTES / bytes.max(1)).max(1)
}

/// A divisor of the number of steps of a loop, up to the longest run.
fn divides(graph: &Graph<'_>, number: usize) -> i64 {
    let of_size = |number: usize| graph.sizes.get(number).map_or(1, Extent::divisor);
    gcd(BYTES, divisor(&graph.coordinates, &of_size, None, graph.loops[number]))
}

/// The length of a run of a pass over loops, for a kernel whose runs are at most `most` long.
pub(super) fn width_of(graph: &Graph<'_>, loops: &[usize], most: i64) -> i64 {
    loops.last().map_or(1, |&innermost| gcd(most, divides(graph, innermost)))
}

/// The length of the runs of a kernel: as many elements of the smallest type that lies in rows as an access has. 1 where
/// nothing does.
pub(super) fn width(graph: &Graph<'_>, passes: &[Pass]) -> i64 {
    let mut found = 1_i64;
    for Pass { loops, required, writes } in passes {
        let Some(&innermost) = loops.last() else { continue };
        let most = divides(graph, innermost);
        if most == 1 {
            continue;
        }
        let run = Run::new(graph, innermost, most);
        let (mut least, mut greatest) = (i64::MAX, 1_i64);
        let mut row = |access: Access, bytes: i64| {
            if let Access::Row(aligned) = access
                && aligned * bytes >= 4
            {
                (least, greatest) = (least.min(bytes), greatest.max(bytes));
            }
        };
        for node in graph.reached(required) {
            if let Step::Load { tensor, at } = &graph.steps[node] {
                let (extents, bytes) = &graph.stored[*tensor];
                row(run.access(graph, extents, at), *bytes);
            }
        }
        for output in graph.outputs.iter().filter(|_| *writes) {
            let (extents, bytes) = &output.stored;
            row(run.access(graph, extents, &output.at), *bytes);
        }
        if least != i64::MAX {
            found = found.max((BYTES / least).min(RUN_BYTES / greatest).min(most));
        }
    }
    found
}

/// Whether neighbours along a loop read neighbours in memory, or the same elements, in all passes.
pub(super) fn reads_neighbours(graph: &Graph<'_>, passes: &[Pass], along: usize) -> bool {
    let run = Run::new(graph, along, 2);
    passes.iter().flat_map(|pass| graph.reached(&pass.required)).all(|node| {
        let Step::Load { tensor, at } = &graph.steps[node] else { return true };
        let changes: Vec<usize> = (0..at.len()).filter(|&i| !run.stays(graph, at[i])).collect();
        match (changes.as_slice(), last(&graph.stored[*tensor].0)) {
            ([], _) => true,
            (&[one], Some(last)) => {
                one == last && run.along(&graph.coordinates, at[one]) == StepKind::Counts
            }
            _ => false,
        }
    })
}

/// Rewrites a coordinate, a multiple of `by` where runs begin, as how many times `by` it is, at the part `part` of a run:
/// `vectors` is the number of the run.
pub(super) fn divided(
    all: &mut Coordinates,
    at: CoordId,
    by: i64,
    (innermost, width, vectors): (usize, i64, CoordId),
    part: i64,
) -> CoordId {
    let loops = (innermost, width, vectors);
    match all.get(at).clone() {
        Coordinate::Known(known) if known % by == 0 => all.constant(known / by),
        Coordinate::Loop(number) if number == innermost => {
            let parts = all.constant(width / by);
            let first = all.product(vectors, parts);
            let part = all.constant(part);
            all.sum(first, part)
        }
        Coordinate::Sum(a, b) if [a, b].iter().all(|&own| is_multiple(all, own, by, loops)) => {
            let a = divided(all, a, by, loops, part);
            let b = divided(all, b, by, loops, part);
            all.sum(a, b)
        }
        Coordinate::Product(a, b) if all.known(b).is_some_and(|b| b % by == 0) => {
            let factor = all.known(b).map_or(1, |b| b / by);
            let factor = all.constant(factor);
            all.product(a, factor)
        }
        Coordinate::Remainder(a, n)
            if all.known(n).is_some_and(|n| n % by == 0) && is_multiple(all, a, by, loops) =>
        {
            let n = all.known(n).map_or(1, |n| n / by);
            let n = all.constant(n);
            let a = divided(all, a, by, loops, part);
            all.add(Coordinate::Remainder(a, n))
        }
        Coordinate::Linear(mut digits) => {
            let last = digits.last().copied();
            let size = last.and_then(|(_, size)| all.known(size));
            match (last, size) {
                (Some((digit, _)), Some(size))
                    if size % by == 0 && is_multiple(all, digit, by, loops) =>
                {
                    let digit = divided(all, digit, by, loops, part);
                    let size = all.constant(size / by);
                    digits.pop();
                    digits.push((digit, size));
                    all.linear(&digits)
                }
                _ => quotient(all, at, by, part),
            }
        }
        _ => quotient(all, at, by, part),
    }
}

fn is_multiple(
    all: &Coordinates,
    at: CoordId,
    by: i64,
    (own, width, _): (usize, i64, CoordId),
) -> bool {
    divisor(all, &|_| 1, Some((own, width)), at) % by == 0
}

/// By arithmetic; the coordinate is that of the first step of the run.
fn quotient(all: &mut Coordinates, at: CoordId, by: i64, part: i64) -> CoordId {
    let by = all.constant(by);
    let first = all.add(Coordinate::Quotient(at, by));
    let part = all.constant(part);
    all.sum(first, part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph with loops of these sizes, and the loops' variables.
    fn graph(sizes: &[i64]) -> (Graph<'static>, Vec<CoordId>) {
        let mut graph = Graph::default();
        let at = sizes.iter().map(|&size| graph.open_loop(&Extent::Known(size)).0).collect();
        (graph, at)
    }

    fn known(sizes: &[i64]) -> Vec<Extent<'static>> {
        sizes.iter().map(|&size| Extent::Known(size)).collect()
    }

    #[test]
    fn rows_are_vectors_where_strides_and_offsets_allow() {
        let (mut graph, at) = graph(&[40, 96]);
        let run = Run::new(&graph, 1, 8);
        let (i, j) = (at[0], at[1]);
        let [three, twelve, back] = [3, 12, -16].map(|known| graph.coordinates.constant(known));
        let access =
            |graph: &Graph<'_>, sizes: &[i64], at: &[CoordId]| run.access(graph, &known(sizes), at);
        assert_eq!(access(&graph, &[40, 96], &[i, j]), Access::Row(8));
        assert_eq!(access(&graph, &[40, 100], &[i, j]), Access::Row(4));
        assert_eq!(access(&graph, &[40, 97], &[i, j]), Access::Each);
        assert_eq!(access(&graph, &[96], &[j]), Access::Row(8));
        assert_eq!(access(&graph, &[40, 1], &[i, j]), Access::Each);
        assert_eq!(access(&graph, &[40], &[i]), Access::Same);
        assert_eq!(access(&graph, &[96, 40], &[j, i]), Access::Each);
        let moved = [three, twelve, back].map(|by| graph.coordinates.sum(j, by));
        assert_eq!(access(&graph, &[40, 128], &[i, moved[0]]), Access::Each);
        assert_eq!(access(&graph, &[40, 128], &[i, moved[1]]), Access::Row(4));
        assert_eq!(access(&graph, &[40, 128], &[i, moved[2]]), Access::Row(8));
    }

    #[test]
    fn digits_keep_runs_together_where_they_are_multiples() {
        let (mut graph, at) = graph(&[40, 96]);
        let run = Run::new(&graph, 1, 8);
        let sizes = [4, 24].map(|size| graph.coordinates.constant(size));
        let split = graph.coordinates.split(at[1], &sizes);
        assert_eq!(
            run.access(&graph, &known(&[4, 40, 24]), &[split[0], at[0], split[1]]),
            Access::Row(8)
        );
        let sizes = [8, 12].map(|size| graph.coordinates.constant(size));
        let split = graph.coordinates.split(at[1], &sizes);
        assert_eq!(run.access(&graph, &known(&[8, 12]), &split), Access::Each);
    }

    #[test]
    fn sizes_known_at_run_time_need_no_multiples_outside() {
        let (graph, at) = graph(&[40, 96]);
        let run = Run::new(&graph, 1, 8);
        let open = Extent::Sum(vec![Extent::Known(3), Extent::Known(4)]);
        let mut extents = known(&[0, 96]);
        extents[0] = open.clone();
        assert_eq!(run.access(&graph, &extents, &at), Access::Row(8));
        assert_eq!(run.access(&graph, &[Extent::Known(40), open], &at), Access::Each);
    }

    #[test]
    fn coordinates_are_counted_in_vectors() {
        let (mut graph, at) = graph(&[40, 96]);
        let vectors = graph.open_loop(&Extent::Known(12)).0;
        let all = &mut graph.coordinates;
        let back = all.constant(-16);
        let moved = all.sum(at[1], back);
        // Two vectors of 4 in a run of 8: the second one, 16 elements before.
        let found = divided(all, moved, 4, (1, 8, vectors), 1);
        let [two, one, less] = [2, 1, -4].map(|known| all.constant(known));
        let first = all.product(vectors, two);
        let second = all.sum(first, one);
        assert_eq!(found, all.sum(second, less));
    }
}
