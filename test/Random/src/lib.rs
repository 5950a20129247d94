//! Random numbers for tests: a seed decides them, and a check that fails is run again with fewer and lesser ones.
//!
//! ```
//! use layout_random::checked;
//!
//! checked(1, |numbers| {
//!     let list: Vec<u64> = (0..numbers.number(20)).map(|_| numbers.number(100)).collect();
//!     assert!(list.iter().all(|&number| number < 100), "{list:?}");
//! });
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

/// Numbers from a seed, or from a tape of numbers that were drawn before.
#[derive(Clone, Debug)]
pub struct Numbers {
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// Drawn, and forgotten.
    Seed(fastrand::Rng),
    /// Drawn, and kept for a check that may fail.
    Kept(fastrand::Rng, Vec<u64>),
    /// Drawn before; the place of the next one.
    Tape(Vec<u64>, usize),
}

impl Numbers {
    /// The numbers of a seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        Self { source: Source::Seed(fastrand::Rng::with_seed(seed)) }
    }

    fn kept(seed: u64) -> Self {
        Self { source: Source::Kept(fastrand::Rng::with_seed(seed), Vec::new()) }
    }

    fn of_tape(tape: &[u64]) -> Self {
        Self { source: Source::Tape(tape.to_vec(), 0) }
    }

    fn draw(&mut self, draw: impl FnOnce(&mut fastrand::Rng) -> u64) -> u64 {
        match &mut self.source {
            Source::Seed(numbers) => draw(numbers),
            Source::Kept(numbers, tape) => {
                let number = draw(numbers);
                tape.push(number);
                number
            }
            // Past its end a tape has the least numbers.
            Source::Tape(tape, next) => {
                let number = tape.get(*next).copied().unwrap_or(0);
                *next += 1;
                number
            }
        }
    }

    /// 64 bits.
    pub fn word(&mut self) -> u64 {
        self.draw(|numbers| numbers.u64(..))
    }

    /// A number below a bound, which is at least 1.
    pub fn number(&mut self, bound: u64) -> u64 {
        self.draw(|numbers| numbers.u64(..bound)).min(bound - 1)
    }

    /// An index below a bound; 0 where the bound is 0.
    pub fn index(&mut self, bound: usize) -> usize {
        // A bound of `usize` is one of `u64`, and what is below it is one of `usize`.
        self.number(bound.max(1) as u64) as usize
    }

    /// A number from the first to the last.
    pub fn within(&mut self, first: i64, last: i64) -> i64 {
        first + self.number((last - first + 1) as u64) as i64
    }

    /// True so many times of a hundred.
    pub fn percent(&mut self, count: u64) -> bool {
        self.number(100) < count
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.index(of.len())]
    }
}

/// Runs a check with the numbers of a seed. One that fails is run with fewer and lesser numbers as long as it fails, and
/// the last is left to fail.
pub fn checked<T>(seed: u64, mut check: impl FnMut(&mut Numbers) -> T) -> T {
    let mut run = |numbers: &mut Numbers| catch_unwind(AssertUnwindSafe(|| check(numbers)));
    let mut numbers = Numbers::kept(seed);
    if let Ok(value) = run(&mut numbers) {
        return value;
    }
    let Source::Kept(_, tape) = numbers.source else { unreachable!("made above") };
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let least = least(tape, |tape| run(&mut Numbers::of_tape(tape)).is_err());
    set_hook(hook);
    eprintln!("seed {seed} fails; the least case of its kind:");
    check(&mut Numbers::of_tape(&least))
}

/// The least tape that fails, by steps that shorten it or make a number less.
fn least(mut tape: Vec<u64>, mut fails: impl FnMut(&[u64]) -> bool) -> Vec<u64> {
    loop {
        let before = tape.clone();
        for place in (0..tape.len()).rev() {
            let mut shorter = tape.clone();
            shorter.remove(place);
            if fails(&shorter) {
                tape = shorter;
            }
        }
        for place in 0..tape.len() {
            // The number itself is known to fail: halves of what is left to take off find the least nearby.
            let mut off = tape[place];
            while off > 0 {
                let mut less = tape.clone();
                less[place] -= off;
                if fails(&less) {
                    tape = less;
                    off = off.min(tape[place]);
                } else {
                    off /= 2;
                }
            }
        }
        if tape == before {
            return tape;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_fails_shrinks() {
        let list = |numbers: &mut Numbers| {
            let list: Vec<u64> = (0..numbers.number(20)).map(|_| numbers.number(100)).collect();
            assert!(list.iter().all(|&number| number < 7), "{list:?}");
        };
        let failed = (0..20).find_map(|seed| catch_unwind(|| checked(seed, list)).err());
        let said = failed.and_then(|failed| failed.downcast_ref::<String>().cloned());
        assert_eq!(said.as_deref(), Some("[7]"));
    }

    #[test]
    fn a_seed_has_the_same_numbers_on_every_machine() {
        let mut numbers = Numbers::of_seed(1);
        let found = [numbers.number(1000), numbers.number(1000), numbers.word() % 1000];
        assert_eq!(found, [657, 534, 302]);
        assert_eq!(Numbers::of_seed(7).index(0), 0);
    }
}
