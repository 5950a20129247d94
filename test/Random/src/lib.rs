//! Random cases for tests, on proptest: the same in every run, and shrunk where a check fails.
//!
//! Cases that a grammar describes are strategies of proptest, under [`cases`] or [`check_case`]. Cases that a program draws step by
//! step come from [`Numbers`], under [`checked`]. Both draw from proptest's generator and shrink by its search.
//! `PROPTEST_RNG_SEED` in the environment makes all of them others.
//!
//! ```
//! use layout_random::checked;
//!
//! checked(1, |numbers| {
//!     let list: Vec<u64> = (0..numbers.number(20)).map(|_| numbers.number(100)).collect();
//!     assert!(list.iter().all(|&number| number < 100), "{list:?}");
//! });
//! ```

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::OnceLock;

pub use proptest::prelude;
use proptest::{
    num::u64::BinarySearch,
    prelude::*,
    strategy::{NewTree, ValueTree},
    test_runner::{RngAlgorithm, RngSeed, TestError, TestRng, TestRunner},
};

/// The configuration of a `proptest!` block: a number of cases, the same in every run. `PROPTEST_CASES` and
/// `PROPTEST_RNG_SEED` in the environment make them more, and others.
#[must_use]
pub fn cases(count: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    let more = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        fixed @ RngSeed::Fixed(_) => fixed,
    };
    ProptestConfig {
        cases: more.unwrap_or(count),
        failure_persistence: None,
        max_shrink_iters: 100_000,
        rng_seed,
        ..given
    }
}

/// A runner whose cases follow from a seed and a case's number alone.
fn runner(seed: u64, number: u64) -> TestRunner {
    TestRunner::new_with_rng(cases(1), generator(seed, number))
}

/// `PROPTEST_RNG_SEED`, which makes all cases others; 0 where there is none.
fn run_seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| match ProptestConfig::default().rng_seed {
        RngSeed::Random => 0,
        RngSeed::Fixed(seed) => seed,
    })
}

fn generator(seed: u64, number: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    bytes[16..24].copy_from_slice(&run_seed().to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// The case of a strategy that a seed and a number decide.
///
/// # Panics
///
/// The strategy rejects what it generates.
pub fn case<S: Strategy>(strategy: &S, seed: u64, number: u64) -> S::Value {
    strategy.new_tree(&mut runner(seed, number)).expect("a strategy that rejects nothing").current()
}

/// Checks the case of a strategy that a seed and a number decide.
///
/// # Errors
///
/// The least case that fails, and how.
pub fn check_case<S: Strategy>(
    strategy: &S,
    seed: u64,
    number: u64,
    check: impl Fn(S::Value) -> Result<(), String>,
) -> Result<(), String> {
    let mut runner = runner(seed, number);
    let found = strategy.new_tree(&mut runner).map_err(TestError::Abort);
    let found = found
        .and_then(|tree| runner.run_one(tree, |case| check(case).map_err(TestCaseError::fail)));
    found.map(|_| ()).map_err(|error| format!("case {number} of seed {seed}: {error}"))
}

/// Numbers from a seed, or from a tape of numbers that were drawn before.
#[derive(Clone, Debug)]
pub struct Numbers {
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// Drawn, and forgotten.
    Seed(TestRng),
    /// Drawn, and kept for a check that may fail.
    Kept(TestRng, Vec<u64>),
    /// Drawn before; the place of the next one.
    Tape(Vec<u64>, usize),
}

impl Numbers {
    /// The numbers of a seed.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        Self { source: Source::Seed(generator(seed, 0)) }
    }

    fn kept(seed: u64) -> Self {
        Self { source: Source::Kept(generator(seed, 0), Vec::new()) }
    }

    fn of_tape(tape: Vec<u64>) -> Self {
        Self { source: Source::Tape(tape, 0) }
    }

    fn draw(&mut self, draw: impl FnOnce(&mut TestRng) -> u64) -> u64 {
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
        self.draw(|numbers| numbers.next_u64())
    }

    /// A number below a bound, which is at least 1.
    pub fn number(&mut self, bound: u64) -> u64 {
        self.draw(|numbers| numbers.random_range(..bound)).min(bound - 1)
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

    /// True with a probability of `count` percent.
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
    let Source::Kept(_, mut tape) = numbers.source else { unreachable!("made above") };
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    while let Some(shrunk) = shrunk(&tape, |tape| run(&mut Numbers::of_tape(tape)).is_err()) {
        tape = shrunk;
    }
    set_hook(hook);
    eprintln!("seed {seed} fails; the least case of its kind:");
    check(&mut Numbers::of_tape(tape))
}

/// A number of a tape, as a strategy: itself, and lesser ones when it shrinks.
#[derive(Debug)]
struct Drawn(u64);

impl Strategy for Drawn {
    type Tree = BinarySearch;
    type Value = u64;

    fn new_tree(&self, _runner: &mut TestRunner) -> NewTree<Self> {
        Ok(BinarySearch::new(self.0))
    }
}

/// A lesser tape that fails, after one search of proptest's: each number is left out or lowered. None if there is none.
fn shrunk(tape: &[u64], fails: impl FnMut(Vec<u64>) -> bool) -> Option<Vec<u64>> {
    let fails = RefCell::new(fails);
    // The first number of each pair is 1 where the second is kept.
    let pairs: Vec<_> = tape.iter().map(|&number| (Drawn(1), Drawn(number))).collect();
    let kept = pairs.prop_map(|pairs| -> Vec<u64> {
        pairs.into_iter().filter(|&(kept, _)| kept == 1).map(|(_, number)| number).collect()
    });
    let mut runner = runner(0, 0);
    let tree = kept.new_tree(&mut runner).ok()?;
    let found = runner.run_one(tree, |tape| match fails.borrow_mut()(tape) {
        true => Err(TestCaseError::fail("as before")),
        false => Ok(()),
    });
    match found {
        Err(TestError::Fail(_, less)) if less != tape => Some(less),
        _ => None,
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
        let message = failed.and_then(|failed| failed.downcast_ref::<String>().cloned());
        assert_eq!(message.as_deref(), Some("[7]"));
    }

    #[test]
    fn a_seed_has_the_same_numbers_on_every_machine() {
        let mut numbers = Numbers::of_seed(1);
        let found = [numbers.number(1000), numbers.number(1000), numbers.word() % 1000];
        assert_eq!(found, [574, 520, 586]);
        assert_eq!(Numbers::of_seed(7).index(0), 0);
    }

    #[test]
    fn a_case_of_a_strategy_is_the_same_in_every_run_and_shrinks() {
        let strategy = prop::collection::vec(0_u64..100, 0..20);
        assert_eq!(case(&strategy, 1, 2), case(&strategy, 1, 2));
        let least = |list: Vec<u64>| match list.iter().all(|&number| number < 7) {
            true => Ok(()),
            false => Err(format!("{list:?}")),
        };
        let found = (0..20).find_map(|number| check_case(&strategy, 1, number, least).err());
        assert!(found.as_ref().is_some_and(|found| found.contains(": [7]")), "{found:?}");
    }
}
