//! Coordinates of elements as expressions over a kernel's loops, each of which is one number.
//!
//! Equal expressions have equal numbers, so that what is read twice at one place is read once. A reshape there and back is no
//! arithmetic:
//!
//! | expression | becomes |
//! |---|---|
//! | `split(linear((i, 4), (j, 8)), [4, 8])` | `i`, `j` |
//! | `split(linear((i, 4), (j, 8)), [2, 2, 8])` | `i / 2`, `i % 2`, `j` |
//!
//! Knows nothing of MLIR.

use std::collections::{BTreeSet, HashMap};

/// The number of a coordinate.
pub(super) type CoordId = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Coordinate {
    Known(i64),
    /// A loop's variable.
    Loop(usize),
    /// A size that is known at run time.
    Size(usize),
    Sum(CoordId, CoordId),
    Product(CoordId, CoordId),
    Quotient(CoordId, CoordId),
    Remainder(CoordId, CoordId),
    /// One number of several digits, each with its size, the slowest first.
    Linear(Vec<(CoordId, CoordId)>),
    /// A value that the kernel computes.
    Value(usize),
}

/// All coordinates of a kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Coordinates {
    all: Vec<Coordinate>,
    numbers: HashMap<Coordinate, CoordId>,
}

impl Coordinates {
    pub(super) fn get(&self, at: CoordId) -> &Coordinate {
        &self.all[at]
    }

    pub(super) fn add(&mut self, coordinate: Coordinate) -> CoordId {
        if let Some(&known) = self.numbers.get(&coordinate) {
            return known;
        }
        self.all.push(coordinate.clone());
        self.numbers.insert(coordinate, self.all.len() - 1);
        self.all.len() - 1
    }

    pub(super) fn constant(&mut self, value: i64) -> CoordId {
        self.add(Coordinate::Known(value))
    }

    pub(super) fn known(&self, at: CoordId) -> Option<i64> {
        match self.all[at] {
            Coordinate::Known(known) => Some(known),
            _ => None,
        }
    }

    /// Whether a coordinate is known to be 0 or more.
    pub(super) fn is_natural(&self, at: CoordId) -> bool {
        match &self.all[at] {
            Coordinate::Known(known) => *known >= 0,
            Coordinate::Loop(_) | Coordinate::Size(_) => true,
            Coordinate::Sum(a, b)
            | Coordinate::Product(a, b)
            | Coordinate::Quotient(a, b)
            | Coordinate::Remainder(a, b) => self.is_natural(*a) && self.is_natural(*b),
            Coordinate::Linear(digits) => {
                digits.iter().all(|(a, b)| self.is_natural(*a) && self.is_natural(*b))
            }
            Coordinate::Value(_) => false,
        }
    }

    pub(super) fn sum(&mut self, a: CoordId, b: CoordId) -> CoordId {
        match (self.known(a), self.known(b)) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(x), Some(y)) if let Some(sum) = x.checked_add(y) => self.constant(sum),
            _ => self.add(Coordinate::Sum(a, b)),
        }
    }

    pub(super) fn product(&mut self, a: CoordId, b: CoordId) -> CoordId {
        match (self.known(a), self.known(b)) {
            (Some(0), _) | (_, Some(0)) => self.constant(0),
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(x), Some(y)) if let Some(product) = x.checked_mul(y) => self.constant(product),
            _ => self.add(Coordinate::Product(a, b)),
        }
    }

    pub(super) fn quotient(&mut self, a: CoordId, b: CoordId) -> CoordId {
        match (self.known(a), self.known(b)) {
            (_, Some(1)) => a,
            (Some(x @ 0..), Some(y @ 1..)) => self.constant(x / y),
            _ => self.add(Coordinate::Quotient(a, b)),
        }
    }

    pub(super) fn remainder(&mut self, a: CoordId, b: CoordId) -> CoordId {
        match (self.known(a), self.known(b)) {
            (_, Some(1)) => self.constant(0),
            (Some(x @ 0..), Some(y @ 1..)) => self.constant(x % y),
            _ => self.add(Coordinate::Remainder(a, b)),
        }
    }

    /// One number of digits, each with its size.
    pub(super) fn linear(&mut self, digits: &[(CoordId, CoordId)]) -> CoordId {
        let mut all = Vec::with_capacity(digits.len());
        for &(digit, size) in digits {
            if self.known(size) == Some(1) {
                continue;
            }
            match &self.all[digit] {
                Coordinate::Linear(inner) => all.extend_from_slice(inner),
                _ => all.push((digit, size)),
            }
        }
        match all.as_slice() {
            [] => self.constant(0),
            [(digit, _)] => *digit,
            _ => self.add(Coordinate::Linear(all)),
        }
    }

    /// The digits of a number.
    pub(super) fn split(&mut self, at: CoordId, sizes: &[CoordId]) -> Vec<CoordId> {
        let zero = self.constant(0);
        let mut digits = vec![zero; sizes.len()];
        let open: Vec<usize> =
            (0..sizes.len()).filter(|&i| self.known(sizes[i]) != Some(1)).collect();
        let own: Vec<CoordId> = open.iter().map(|&i| sizes[i]).collect();
        let parts = match &self.all[at] {
            Coordinate::Linear(parts) => parts.clone(),
            _ => Vec::new(),
        };
        let found = match own.len() {
            0 => Vec::new(),
            1 => vec![at],
            _ if parts.is_empty() => self.digits(at, &own),
            _ => self.matched(&parts, &own),
        };
        for (place, digit) in open.into_iter().zip(found) {
            digits[place] = digit;
        }
        digits
    }

    /// By arithmetic.
    fn digits(&mut self, at: CoordId, sizes: &[CoordId]) -> Vec<CoordId> {
        let mut rest = at;
        let mut found = Vec::with_capacity(sizes.len());
        for (place, &size) in sizes.iter().enumerate().rev() {
            if place == 0 {
                found.push(rest);
            } else {
                found.push(self.remainder(rest, size));
                rest = self.quotient(rest, size);
            }
        }
        found.reverse();
        found
    }

    /// Digits of a number of digits: groups of both whose sizes are the same, from the fastest on.
    fn matched(&mut self, parts: &[(CoordId, CoordId)], sizes: &[CoordId]) -> Vec<CoordId> {
        let (mut i, mut j) = (sizes.len(), parts.len());
        let mut found = vec![0; sizes.len()];
        while i > 0 && j > 0 {
            let (last_i, last_j) = (i, j);
            (i, j) = (i - 1, j - 1);
            let outer = |i: usize, j: usize| {
                i == j && sizes[..i].iter().zip(&parts[..j]).all(|(size, part)| *size == part.1)
            };
            // A size that is known at run time is the same where all others are.
            let is_same = sizes[i] == parts[j].1 || outer(i, j);
            if !is_same {
                let (mut own, mut other) = (self.known(sizes[i]), self.known(parts[j].1));
                while own.is_none() || own != other {
                    match (own, other) {
                        (Some(a), Some(b)) if a < b && i > 0 => {
                            i -= 1;
                            own = self.known(sizes[i]).and_then(|size| size.checked_mul(a));
                        }
                        (Some(a), Some(b)) if b < a && j > 0 => {
                            j -= 1;
                            other = self.known(parts[j].1).and_then(|size| size.checked_mul(b));
                        }
                        _ => {
                            (i, j) = (0, 0);
                            break;
                        }
                    }
                }
            }
            let at = self.linear(&parts[j..last_j]);
            let digits = self.digits(at, &sizes[i..last_i]);
            found[i..last_i].copy_from_slice(&digits);
        }
        let zero = self.constant(0);
        found[..i].fill(zero);
        found
    }

    /// The loops that a coordinate depends on, or `None` if it depends on computed values.
    pub(super) fn loops(&self, at: CoordId, found: &mut BTreeSet<usize>) -> Option<()> {
        match &self.all[at] {
            Coordinate::Known(_) | Coordinate::Size(_) => Some(()),
            Coordinate::Loop(number) => {
                found.insert(*number);
                Some(())
            }
            Coordinate::Sum(a, b)
            | Coordinate::Product(a, b)
            | Coordinate::Quotient(a, b)
            | Coordinate::Remainder(a, b) => {
                self.loops(*a, found)?;
                self.loops(*b, found)
            }
            Coordinate::Linear(digits) => {
                digits.iter().try_for_each(|(digit, _)| self.loops(*digit, found))
            }
            Coordinate::Value(_) => None,
        }
    }

    /// The coordinate with other loops in place of some.
    pub(super) fn renamed(&mut self, at: CoordId, loops: &HashMap<usize, usize>) -> CoordId {
        let two =
            |all: &mut Self, a: CoordId, b: CoordId| (all.renamed(a, loops), all.renamed(b, loops));
        let renamed = match self.all[at].clone() {
            Coordinate::Known(_) | Coordinate::Size(_) | Coordinate::Value(_) => return at,
            Coordinate::Loop(number) => {
                Coordinate::Loop(loops.get(&number).copied().unwrap_or(number))
            }
            Coordinate::Sum(a, b) => {
                let (a, b) = two(self, a, b);
                Coordinate::Sum(a, b)
            }
            Coordinate::Product(a, b) => {
                let (a, b) = two(self, a, b);
                Coordinate::Product(a, b)
            }
            Coordinate::Quotient(a, b) => {
                let (a, b) = two(self, a, b);
                Coordinate::Quotient(a, b)
            }
            Coordinate::Remainder(a, b) => {
                let (a, b) = two(self, a, b);
                Coordinate::Remainder(a, b)
            }
            Coordinate::Linear(digits) => {
                let digits = digits.into_iter().map(|(digit, size)| two(self, digit, size));
                Coordinate::Linear(digits.collect())
            }
        };
        self.add(renamed)
    }

    /// Whether a coordinate is a loop's variable, or a number of several.
    pub(super) fn is_of_loops(&self, at: CoordId) -> bool {
        match &self.all[at] {
            Coordinate::Known(_) | Coordinate::Loop(_) => true,
            Coordinate::Linear(digits) => digits.iter().all(|(digit, _)| self.is_of_loops(*digit)),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(all: &mut Coordinates, sizes: &[i64]) -> Vec<CoordId> {
        sizes.iter().map(|&size| all.constant(size)).collect()
    }

    #[test]
    fn there_and_back_is_no_arithmetic() {
        let mut all = Coordinates::default();
        let (i, j) = (all.add(Coordinate::Loop(0)), all.add(Coordinate::Loop(1)));
        let [four, eight, one] = [4, 8, 1].map(|size| all.constant(size));
        let both = all.linear(&[(i, four), (all.numbers[&Coordinate::Known(1)], one), (j, eight)]);
        let back = sizes(&mut all, &[4, 8]);
        assert_eq!(all.split(both, &back), [i, j]);
        let zero = all.constant(0);
        let units = sizes(&mut all, &[1, 4, 1, 8]);
        assert_eq!(all.split(both, &units), [zero, i, zero, j]);
        let one = sizes(&mut all, &[32]);
        assert_eq!(all.split(both, &one), [both]);
    }

    #[test]
    fn groups_of_digits_are_split_alone() {
        let mut all = Coordinates::default();
        let (i, j) = (all.add(Coordinate::Loop(0)), all.add(Coordinate::Loop(1)));
        let [four, eight] = [4, 8].map(|size| all.constant(size));
        let both = all.linear(&[(i, four), (j, eight)]);
        let finer = sizes(&mut all, &[2, 2, 8]);
        let found = all.split(both, &finer);
        let two = all.constant(2);
        assert_eq!(all.get(found[0]), &Coordinate::Quotient(i, two));
        assert_eq!(all.get(found[1]), &Coordinate::Remainder(i, two));
        assert_eq!(found[2], j);
    }

    #[test]
    fn sizes_at_run_time_are_the_same_where_all_others_are() {
        let mut all = Coordinates::default();
        let (i, j) = (all.add(Coordinate::Loop(0)), all.add(Coordinate::Loop(1)));
        let two = all.constant(2);
        let (a, b) = (all.add(Coordinate::Size(0)), all.add(Coordinate::Size(1)));
        let both = all.linear(&[(i, two), (j, a)]);
        assert_eq!(all.split(both, &[two, b]), [i, j]);
        // Else they are not: the digits are computed.
        let found = all.split(both, &[b, two]);
        assert_eq!(all.get(found[1]), &Coordinate::Remainder(both, two));
    }
}
