//! Mutated texts: whatever is read, nothing ends the process and no limit is passed by much.
//!
//! Some run always; tens of thousands with
//! `cargo test --release -p layout-relation --test all texts:: -- --ignored`.

use crate::support;

use std::time::{Duration, Instant};

use layout_relation::{
    Context, Formula, IntegerSet, Limits, Relation, affine_pieces, affine_sets, recover,
    recover_symbolic, relation_of_affine_map, set_of_affine_set,
};
use support::{Draws, Random};

const TEXTS: &[&str] = &[
    "{ [c] -> [(7 + 2c + 6*floor((c)/8) + 7*floor((-1 - c)/4))] : 0 <= c <= 15 }",
    "[n, m] -> { [i, j] -> [i + j] : exists (e0, e1: i = 2e0 and j = 3e1) and 0 <= i < n or j > m }",
    "{ A[i] -> B[j] : not (i < j); A[i] -> [i -> j]; [a] -> [max(a, 3), min(a, 2)] }",
    "{ [i = 0:10] -> [j] : (i, j) << (3, 4) and i % 2 = 0 implies j >= 0 }",
    "{ [*, i, *] -> [ceild(i, 2), floord(i, 3), i mod 4, [i/2]] : true }",
    "{ [i] -> [2147483648*i + 99999999999999999999] : i < 1000 and -i > 15 }",
    "[n, m] -> { [c, d] -> [c mod 4 + 10*floor(c/4) + 3d] : 0 <= c < 4n and n mod 8 = 0 and 0 <= d < m <= 64 }",
    "[n] -> { [c] -> [c, 2c] : 0 <= c < n }",
    "affine_map<(d0, d1)[s0] -> (d0 floordiv 4 + d1 * 2 - s0, -(d0 mod 4))>",
    "affine_set<(x, y)[n] : (x >= 0, y - x >= 0, n - y >= 0)>",
];

const PARTS: &[&str] = &[
    "->",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ":",
    "exists",
    "not",
    "and",
    "or",
    "mod",
    "floor",
    "min",
    ",",
    "<=",
    ">",
    "=",
    "!=",
    "-",
    "+",
    "*",
    "/",
    "%",
    "^",
    "0",
    "1",
    "999999999999999999999",
    "i",
    "c",
    "n",
    "e0",
    "A",
    "true",
    "false",
    "?",
    "|",
    "&",
    "infty",
    "//",
    "/*",
    " ",
    "\n",
    "é",
];

fn mutated(random: &mut Random) -> String {
    let mut text = random.choose(TEXTS).as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let place = |random: &mut Random, text: &[u8]| {
            usize::try_from(random.below(text.len() as u64 + 1)).unwrap()
        };
        let at = place(random, &text);
        match random.below(3) {
            0 => drop(text.splice(at..at, random.choose(PARTS).bytes())),
            1 => {
                let end = place(random, &text).clamp(at, text.len().min(at + 6));
                text.drain(at..end);
            }
            _ => {
                let end = place(random, &text).clamp(at, text.len().min(at + 20));
                let part = text[at..end].to_vec();
                let to = place(random, &text);
                text.splice(to..to, part);
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Runs every query on what was read; gives the number of texts that were relations.
fn run(count: u32, seed: u64) -> u32 {
    let mut random = Random::of_seed(seed);
    let limits = Limits { operations: 200_000, time: Duration::from_millis(100) };
    let mut read = 0;
    for _ in 0..count {
        let text = mutated(&mut random);
        let context = Context::new(limits).unwrap();
        let start = Instant::now();
        if let Ok(relation) = Relation::parse(&context, &text) {
            read += 1;
            let _ = (relation.text(), relation.expressions(), Formula::of(&relation));
            let _ = (relation.is_injective(), relation.is_single_valued(), relation.at(&[1]));
            let _ = (relation.size(), relation.cosize(), recover(&relation));
            let _ = (affine_pieces(&relation), recover_symbolic(&relation));
            let _ = relation.then(&relation).and_then(|twice| twice.difference(&relation));
            let _ = relation.then(&relation).and_then(|twice| twice.is_equal(&relation));
            let _ = relation.inverse().and_then(|inverse| inverse.domain()?.count());
        }
        if let Ok(set) = IntegerSet::parse(&context, &text) {
            let _ = (set.text(), set.least(), set.greatest(), set.count(), affine_sets(&set));
        }
        let _ = relation_of_affine_map(&context, &text);
        let _ = set_of_affine_set(&context, &text);
        // A score of questions, each within its limit; a busy machine adds to it.
        assert!(start.elapsed() < Duration::from_secs(20), "{text}: {:?}", start.elapsed());
    }
    read
}

#[test]
fn some_texts() {
    assert!(run(1000, 51) > 5);
}

#[test]
#[ignore = "a minute: cargo test --release -p layout-relation --test all texts:: -- --ignored"]
fn many_texts() {
    run(50_000, 52);
}
