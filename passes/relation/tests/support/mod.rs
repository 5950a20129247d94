//! Seeded random layouts, and checks of many of them, shared by the tests.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::cell::RefCell;
use std::time::Duration;

use layout_algebra::{Layout, Tuple};
pub(crate) use layout_random::Numbers as Random;
use layout_random::checked;
use layout_relation::{Context, Limits};

/// Draws of these tests.
pub(crate) trait Draws {
    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64;

    fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T;

    /// A nested layout of at most this many leaves, with its product of extents bounded.
    fn layout(&mut self, leaves: u64, extents: &[i64], strides: &[i64]) -> Layout;

    /// A layout whose modes, sorted by stride, are a chain, possibly with gaps.
    fn chain(&mut self, leaves: u64, extents: &[i64]) -> Layout;
}

impl Draws for Random {
    fn below(&mut self, n: u64) -> u64 {
        self.number(n)
    }

    fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.index(from.len())]
    }

    fn layout(&mut self, leaves: u64, extents: &[i64], strides: &[i64]) -> Layout {
        let count = 1 + self.below(leaves);
        let modes: Vec<_> =
            (0..count).map(|_| (*self.choose(extents), *self.choose(strides))).collect();
        let (shape, stride) = nest(self, &modes, 2);
        Layout::new(shape, stride).unwrap()
    }

    fn chain(&mut self, leaves: u64, extents: &[i64]) -> Layout {
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
        let (shape, stride) = nest(self, &modes, 2);
        Layout::new(shape, stride).unwrap()
    }
}

fn nest(random: &mut Random, modes: &[(i64, i64)], depth: u32) -> (Tuple, Tuple) {
    if let [(extent, stride)] = modes {
        return (Tuple::Leaf(*extent), Tuple::Leaf(*stride));
    }
    let (mut shape, mut stride) = (Vec::new(), Vec::new());
    let mut rest = modes;
    while !rest.is_empty() {
        let group = depth > 0 && rest.len() > 1 && random.below(4) == 0;
        let (now, later) = rest.split_at(if group { 2.min(rest.len()) } else { 1 });
        let (a, b) = nest(random, now, depth.saturating_sub(1));
        shape.push(a);
        stride.push(b);
        rest = later;
    }
    (Tuple::Node(shape), Tuple::Node(stride))
}

/// Limits that a busy machine does not hit.
pub(crate) const LIMITS: Limits =
    Limits { operations: 100_000_000, time: Duration::from_secs(600) };

pub(crate) fn context() -> Context {
    Context::new(LIMITS).unwrap()
}

/// A check of one random case.
pub(crate) type Check = fn(&mut Random, &Context);

/// Checks as many cases, the same ones for the same seed. A case that fails is reduced to the least one that still fails.
pub(crate) fn run(check: Check, count: u64, seed: u64) {
    let contexts = RefCell::new((context(), 0));
    for case in 0..count {
        checked(seed << 32 | case, |random| {
            let mut contexts = contexts.borrow_mut();
            // ISL keeps freed memory with its context.
            if contexts.1 % 1000 == 999 {
                contexts.0 = context();
            }
            contexts.1 += 1;
            check(random, &contexts.0);
        });
    }
}

pub(crate) fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}
