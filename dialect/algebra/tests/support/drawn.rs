//! Random numbers from a seed, which shrink where a check of what is made of them fails: millions of cases a minute, and
//! the least that fails in the end.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

/// Numbers from a seed, or from a tape of those that were drawn before.
pub(crate) struct Numbers {
    seed: Option<fastrand::Rng>,
    tape: Vec<u64>,
    next: usize,
}

impl Numbers {
    /// A number below a bound.
    pub(crate) fn number(&mut self, bound: u64) -> u64 {
        if let Some(seed) = &mut self.seed {
            let number = seed.u64(..bound);
            self.tape.push(number);
            return number;
        }
        // Past its end a tape has the least numbers.
        let number = self.tape.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        number.min(bound - 1)
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.number(of.len() as u64)).expect("small")]
    }

    fn of_tape(tape: &[u64]) -> Self {
        Self { seed: None, tape: tape.to_vec(), next: 0 }
    }
}

/// Runs a check with the numbers of a seed. One that fails is run with fewer and lesser numbers as long as it fails, and
/// the last is left to fail.
pub(crate) fn checked<T>(seed: u64, mut check: impl FnMut(&mut Numbers) -> T) -> T {
    let mut run = |numbers: &mut Numbers| catch_unwind(AssertUnwindSafe(|| check(numbers)));
    let seed = Some(fastrand::Rng::with_seed(seed));
    let mut numbers = Numbers { seed, tape: Vec::new(), next: 0 };
    if let Ok(value) = run(&mut numbers) {
        return value;
    }
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let least = least(numbers.tape, |tape| run(&mut Numbers::of_tape(tape)).is_err());
    set_hook(hook);
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

#[test]
fn what_fails_shrinks() {
    let list = |numbers: &mut Numbers| {
        let list: Vec<u64> = (0..numbers.number(20)).map(|_| numbers.number(100)).collect();
        assert!(list.iter().all(|&number| number < 7), "{list:?}");
    };
    let failed = (0..20).find_map(|seed| catch_unwind(|| checked(seed, list)).err());
    let said = failed.and_then(|failed| failed.downcast_ref::<String>().cloned());
    assert_eq!(said.as_deref(), Some("[7]"));
}
