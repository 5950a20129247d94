//! Seeded random layouts, and checks of many of them, shared by the tests.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::cell::RefCell;
use std::time::Duration;

use layout_algebra::{Layout, Tuple};
use layout_relation::{Context, Limits};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Numbers from a seed, the same on every machine; or those that proptest drew, and makes smaller where a check fails.
pub(crate) enum Random {
    Seeded(fastrand::Rng),
    Drawn(std::vec::IntoIter<u64>),
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self::Seeded(fastrand::Rng::with_seed(seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        match self {
            Self::Seeded(numbers) => numbers.u64(..),
            // Behind the last one they are 0, the least choice.
            Self::Drawn(numbers) => numbers.next().unwrap_or(0),
        }
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        match self {
            Self::Seeded(numbers) => numbers.u64(..n),
            Self::Drawn(_) => self.next() % n,
        }
    }

    pub(crate) fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    /// A nested layout of at most this many leaves, with its product of extents bounded.
    pub(crate) fn layout(&mut self, leaves: u64, extents: &[i64], strides: &[i64]) -> Layout {
        let count = 1 + self.below(leaves);
        let modes: Vec<_> =
            (0..count).map(|_| (*self.choose(extents), *self.choose(strides))).collect();
        let (shape, stride) = self.nest(&modes, 2);
        Layout::new(shape, stride).unwrap()
    }

    fn nest(&mut self, modes: &[(i64, i64)], depth: u32) -> (Tuple, Tuple) {
        if let [(extent, stride)] = modes {
            return (Tuple::Leaf(*extent), Tuple::Leaf(*stride));
        }
        let (mut shape, mut stride) = (Vec::new(), Vec::new());
        let mut rest = modes;
        while !rest.is_empty() {
            let group = depth > 0 && rest.len() > 1 && self.below(4) == 0;
            let (now, later) = rest.split_at(if group { 2.min(rest.len()) } else { 1 });
            let (a, b) = self.nest(now, depth.saturating_sub(1));
            shape.push(a);
            stride.push(b);
            rest = later;
        }
        (Tuple::Node(shape), Tuple::Node(stride))
    }

    /// A layout whose modes, sorted by stride, are a chain, possibly with gaps.
    pub(crate) fn chain(&mut self, leaves: u64, extents: &[i64]) -> Layout {
        let count = 1 + self.below(leaves);
        let mut modes = Vec::new();
        let mut next = *self.choose(&[1, 1, 1, 2, 3]);
        for _ in 0..count {
            let extent = *self.choose(extents);
            modes.push((extent, next));
            next *= extent * self.choose(&[1, 1, 2, 3]);
        }
        for i in (1..modes.len()).rev() {
            modes.swap(i, usize::try_from(self.below(i as u64 + 1)).unwrap());
        }
        let (shape, stride) = self.nest(&modes, 2);
        Layout::new(shape, stride).unwrap()
    }
}

/// Limits that a busy machine does not hit.
pub(crate) const LIMITS: Limits =
    Limits { operations: 100_000_000, time: Duration::from_secs(600) };

pub(crate) fn context() -> Context {
    Context::new(LIMITS).unwrap()
}

/// A check of one random case.
pub(crate) type Check = fn(&mut Random, &Context);

/// How many numbers are drawn for a case, at most.
const NUMBERS: usize = 128;

/// Checks as many cases, the same ones for the same seed. Of a case that fails, the least that still does is reported.
pub(crate) fn run(check: Check, count: u64, seed: u64) {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let numbers = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let cases = u32::try_from(count).unwrap();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, numbers);
    let contexts = RefCell::new((context(), 0));
    let drawn = proptest::collection::vec(proptest::num::u64::ANY, NUMBERS);
    let outcome = runner.run(&drawn, |numbers| {
        let mut contexts = contexts.borrow_mut();
        // ISL keeps freed memory with its context.
        if contexts.1 % 1000 == 999 {
            contexts.0 = context();
        }
        contexts.1 += 1;
        check(&mut Random::Drawn(numbers.into_iter()), &contexts.0);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

pub(crate) fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}
