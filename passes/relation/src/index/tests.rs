//! Forms against the arithmetic that they stand for.

use super::*;
use layout_random::Numbers as Random;

mod factors;

/// Draws of these tests.
trait Draws {
    fn below(&mut self, bound: i64) -> i64;
}

impl Draws for Random {
    fn below(&mut self, bound: i64) -> i64 {
        self.within(0, bound - 1)
    }
}

const EXTENTS: [i64; 3] = [64, 5, 12];

type Slow = Box<dyn Fn(&dyn Fn(u32) -> i64) -> i64>;

/// A random expression, as a form and as what it means.
fn expression(random: &mut Random, depth: u32) -> Option<(IndexForm, Slow)> {
    if depth == 0 || random.below(6) == 0 {
        if random.below(3) == 0 {
            let value = random.below(20);
            return Some((IndexForm::constant(value), Box::new(move |_| value)));
        }
        let symbol = random.below(3) as u32;
        let form = IndexForm::symbol(symbol, Some(0), Some(EXTENTS[symbol as usize]))?;
        return Some((form, Box::new(move |at| at(symbol))));
    }
    let (a, x) = expression(random, depth - 1)?;
    let pick = random.below(16);
    let number = 1 + random.below(12);
    Some(match pick {
        0 => (a.scale(number)?, Box::new(move |at| x(at) * number)),
        1 => (a.floor_div(number)?, Box::new(move |at| x(at).div_euclid(number))),
        2 => (a.modulo(number)?, Box::new(move |at| x(at).rem_euclid(number))),
        3 => {
            let mask = if number % 3 == 0 { -number } else { number };
            (a.mask(mask)?, Box::new(move |at| x(at) & mask))
        }
        8 => (a.negative()?, Box::new(move |at| i64::from(x(at) < 0))),
        9 => (a.signed(5)?, Box::new(move |at| x(at) << 59 >> 59)),
        10 => (a.unsigned(4)?, Box::new(move |at| x(at) & 15)),
        _ => {
            let (b, y) = expression(random, depth - 1)?;
            match pick {
                4 => (a.minus(&b)?, Box::new(move |at| x(at) - y(at))),
                5 => (a.xor(&b)?, Box::new(move |at| x(at) ^ y(at))),
                6 => (a.or(&b)?, Box::new(move |at| x(at) | y(at))),
                11 => (a.and(&b)?, Box::new(move |at| x(at) & y(at))),
                12 => (a.least(&b)?, Box::new(move |at| x(at).min(y(at)))),
                13 => (a.greatest(&b)?, Box::new(move |at| x(at).max(y(at)))),
                14 => (a.times(&b)?, Box::new(move |at| x(at) * y(at))),
                15 => {
                    let (c, z) = expression(random, depth - 1)?;
                    let choose = move |at: &dyn Fn(u32) -> i64| {
                        if x(at) != 0 { y(at) } else { z(at) }
                    };
                    (a.choose(&b, &c)?, Box::new(choose))
                }
                _ => (a.plus(&b)?, Box::new(move |at| x(at) + y(at))),
            }
        }
    })
}

#[test]
fn forms_mean_what_the_arithmetic_means() {
    let mut random = Random::of_seed(1);
    let mut tried = 0;
    for _ in 0..4000 {
        let Some((form, slow)) = expression(&mut random, 5) else { continue };
        tried += 1;
        let (low, high) = form.range();
        for _ in 0..20 {
            let point = EXTENTS.map(|extent| random.below(extent));
            let at = |symbol: u32| point[symbol as usize];
            let value = slow(&at);
            assert_eq!(form.at(&at), Some(value), "{form} at {point:?}");
            assert!(low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high));
        }
    }
    assert!(tried > 3000, "{tried}");
}

#[test]
fn forms_that_are_written_differently_are_compared_point_by_point() {
    let extents = [1000, 3, 7];
    let [x, y, z] =
        [0, 1, 2].map(|s| IndexForm::symbol(s, Some(0), Some(extents[s as usize])).unwrap());
    let compare =
        |a: &IndexForm, b: &IndexForm| a.compare(b, &|s| extents.get(s as usize).copied());
    let number = IndexForm::constant;
    // The rewrites of arithmetic: each left form is its right one.
    let (and, or) = (x.and(&y).unwrap(), x.or(&y).unwrap());
    let pairs = [
        (and.plus(&or).unwrap(), x.plus(&y).unwrap()),
        (or.minus(&and).unwrap(), x.xor(&y).unwrap()),
        (x.floor_div(3).unwrap(), x.scale(0xAAAB).unwrap().floor_div(1 << 17).unwrap()),
        (x.least(&z).unwrap().plus(&x.greatest(&z).unwrap()).unwrap(), x.plus(&z).unwrap()),
        (x.minus(&z).unwrap().negative().unwrap().choose(&x, &z).unwrap(), x.least(&z).unwrap()),
        (x.xor(&number(-1)).unwrap(), number(-1).minus(&x).unwrap()),
        (
            x.plus(&y).unwrap().mask(!1).unwrap(),
            x.plus(&y).unwrap().floor_div(2).unwrap().scale(2).unwrap(),
        ),
        (
            x.scale(-64).unwrap().signed(12).unwrap(),
            x.mask(63).unwrap().scale(-64).unwrap().signed(12).unwrap(),
        ),
        (y.times(&z).unwrap().plus(&z).unwrap(), y.plus(&number(1)).unwrap().times(&z).unwrap()),
    ];
    for (left, right) in &pairs {
        assert_eq!(compare(left, right), Compared::Equal, "{left} and {right}");
        // With other symbols beside, which are too many to be examined together.
        let wide = IndexForm::symbol(9, Some(0), Some(1 << 40)).unwrap();
        let (left, right) = (left.plus(&wide).unwrap(), right.plus(&wide).unwrap());
        assert_eq!(compare(&left, &right), Compared::Equal, "{left} and {right}");
    }
    assert_eq!(
        compare(&or, &x.plus(&y).unwrap()),
        Compared::Differ { point: vec![(0, 1), (1, 1)], left: 1, right: 2 }
    );
    assert_eq!(
        or.to_string(),
        "or(s0.0 + 2 s0.1 + 4 s0.2 + 8 s0.3 + 16 s0.4 + 32 s0.5 + 64 s0.6 + 128 s0.7 + 256 s0.8 + \
         512 s0.9, s1.0 + 2 s1.1)"
    );
    // A counter without an end: where it starts is where it is examined first.
    let open = IndexForm::symbol(0, Some(5), None).unwrap();
    let even = open.floor_div(2).unwrap().scale(2).unwrap();
    assert_eq!(
        even.compare(&open, &|_| None),
        Compared::Differ { point: vec![(0, 5)], left: 4, right: 5 }
    );
}

#[test]
fn conditions_that_say_the_same_are_the_same() {
    let thread = IndexForm::symbol(0, Some(0), Some(32)).unwrap();
    let k = thread.scale(8).unwrap();
    let whole = k.below(64).unwrap();
    for j in 1..8 {
        let element = k.plus(&IndexForm::constant(j)).unwrap();
        assert_eq!(element.below(64).unwrap(), whole);
    }
    let next = k.plus(&IndexForm::constant(8)).unwrap();
    assert_ne!(next.below(64).unwrap(), whole);
    assert_eq!(k.below(256), Some(None));
}

#[test]
fn differences_have_a_witness() {
    let thread = IndexForm::symbol(0, Some(0), Some(32)).unwrap();
    let extents = |_: u32| Some(32);
    let (low, all) = (thread.mask(15).unwrap(), thread.clone());
    assert_eq!(low.compare(&low, &extents), Compared::Equal);
    assert_eq!(
        low.compare(&all, &extents),
        Compared::Differ { point: vec![(0, 16)], left: 0, right: 16 }
    );
    // Written over more bits than the symbol has, and yet the same.
    let five = IndexForm::symbol(0, Some(0), Some(5)).unwrap();
    assert_eq!(five.modulo(5).unwrap().compare(&five, &|_| Some(5)), Compared::Equal);
    let open = IndexForm::symbol(1, Some(0), None).unwrap();
    let digits = open.floor_div(3).unwrap().scale(3).unwrap();
    assert_eq!(digits.plus(&open.modulo(3).unwrap()).unwrap(), open);
}

#[test]
fn what_has_no_form_has_none() {
    let s = IndexForm::symbol(0, Some(0), Some(32)).unwrap();
    let open = IndexForm::symbol(1, None, None).unwrap();
    assert_eq!(s.floor_div(0), None);
    assert_eq!(open.unsigned(63), None);
    assert_eq!(s.scale(i64::MAX), None);
    assert_eq!(IndexForm::symbol(0, Some(0), Some(i64::MAX)).unwrap().bits(), None);
    assert_eq!(
        open.minus(&s).unwrap().to_string(),
        "-1 s0.0 + -2 s0.1 + -4 s0.2 + -8 s0.3 + -16 s0.4 + s1"
    );
}

fn extents(symbol: u32) -> Option<i64> {
    EXTENTS.get(symbol as usize).copied()
}

/// Words that wrap around are the same wherever the offset is in bounds, however many blocks there are.
#[test]
fn of_a_symbol_only_multiples_of_the_lowest_bit_are_looked_at() {
    // 384 threads, of which only the warpgroup counts, and 128 times 43 tiles: two million points of
    // both, but three times 5504 that differ.
    let extents = |symbol: u32| Some(if symbol == 0 { 384 } else { 5504 });
    let symbol =
        |symbol: u32, extent: i64| IndexForm::symbol(symbol, Some(0), Some(extent)).unwrap();
    let (group, tile) = (symbol(0, 512).floor_div(128).unwrap(), symbol(1, 8192));
    let columns = tile.floor_div(43).unwrap().scale(-343).unwrap();
    let place = group.plus(&tile.scale(8).unwrap().plus(&columns).unwrap()).unwrap();
    let none = IndexForm::constant(0);
    assert_eq!(place.floor_div(1 << 28).unwrap().compare(&none, &extents), Compared::Equal);
    let far = place.floor_div(128).unwrap();
    assert!(matches!(far.compare(&none, &extents), Compared::Differ { .. }));
}

#[test]
fn words_that_wrap_are_equal_in_bounds() {
    let block = IndexForm::symbol(5, Some(0), Some(1 << 31)).unwrap();
    let all = |symbol: u32| if symbol == 5 { Some(1 << 31) } else { extents(symbol) };
    let offset = block.scale(65536).unwrap();
    let word = offset.signed(32).unwrap();
    assert_ne!(offset.compare(&word, &all), Compared::Equal);
    assert_eq!(offset.compare_within((0, 1 << 20), &word, &all), Compared::Equal);
    assert!(offset.is_congruent_modulo(&word, 1 << 32, &all));
    // One more is not the same, which points in bounds would show if there were few.
    let more = word.plus(&IndexForm::constant(1)).unwrap();
    assert_eq!(offset.compare_within((0, 1 << 20), &more, &all), Compared::Unknown);
    assert!(!offset.is_congruent_modulo(&more, 1 << 32, &all));
    let few = IndexForm::symbol(0, Some(0), Some(64)).unwrap();
    let other = few.plus(&few.mask(32).unwrap()).unwrap();
    assert_eq!(few.compare_within((0, 32), &other, &extents), Compared::Equal);
    assert_eq!(
        few.compare_within((0, 33), &other, &extents),
        Compared::Differ { point: vec![(0, 32)], left: 32, right: 64 }
    );
}

/// Bounds hold for every point, and are reached where symbols of few values are examined.
#[test]
fn bounds_are_those_of_all_points() {
    let mut random = Random::of_seed(77);
    let mut exact = 0;
    for _ in 0..2000 {
        let Some((form, slow)) = expression(&mut random, 3) else { continue };
        let points = (0..EXTENTS.iter().product::<i64>()).map(|point| {
            let [a, b, _] = EXTENTS;
            [point % a, point / a % b, point / a / b]
        });
        let values: Vec<i64> = points.map(|at| slow(&|symbol| at[symbol as usize])).collect();
        let (least, most) = (*values.iter().min().unwrap(), *values.iter().max().unwrap());
        let Some((from, to)) = form.bounds_over(&extents) else { continue };
        assert_eq!((from, to), (least, most + 1), "{form}");
        exact += 1;
    }
    assert!(exact > 500, "{exact}");
}

/// Quotients of quotients, and of what does not reach a multiple of a part of the divisor, have one form.
#[test]
fn quotients_have_one_form() {
    let wide = IndexForm::symbol(6, Some(0), Some(1 << 31)).unwrap();
    let twice = wide.floor_div(14).unwrap().floor_div(14).unwrap();
    assert_eq!(twice, wide.floor_div(196).unwrap());
    let shifted = wide.floor_div(64).unwrap().floor_div(3).unwrap();
    assert_eq!(shifted, wide.floor_div(192).unwrap());
    let mixed = wide.floor_div(14).unwrap().plus(&wide.scale(14).unwrap()).unwrap();
    assert_eq!(mixed.floor_div(14).unwrap(), twice.plus(&wide).unwrap());
}

/// The greater of two is no less than either.
#[test]
fn the_greater_of_two_has_the_bounds_of_both() {
    let x = IndexForm::symbol(6, Some(-9), Some(5)).unwrap();
    let one = IndexForm::constant(1);
    let more = x.greatest(&one).unwrap().plus(&IndexForm::constant(-1)).unwrap();
    assert_eq!(more.range(), (Some(0), Some(5)));
    assert_eq!(more.unsigned(32), Some(more));
}

/// A remainder of a quotient, and by a number that is not known, has its range although its terms have
/// none.
#[test]
fn remainders_of_what_has_no_bounds_have_some() {
    let x = IndexForm::symbol(0, None, None).unwrap();
    assert_eq!(x.modulo(12).unwrap().range(), (Some(0), Some(11)));
    // Bit 2 of a number, and three bits after its third part.
    let bit = x.floor_div(4).unwrap().modulo(2).unwrap();
    assert_eq!(bit.range(), (Some(0), Some(1)));
    assert_eq!(bit.floor_div(1 << 30).unwrap(), IndexForm::constant(0));
    let scaled = x.floor_div(3).unwrap().modulo(8).unwrap().scale(-5).unwrap();
    assert_eq!(scaled.range(), (Some(-35), Some(0)));
    let sum = x.scale(8).unwrap().minus(&x.floor_div(4).unwrap().scale(31).unwrap()).unwrap();
    assert_eq!(sum.floor_div(4).unwrap().modulo(4).unwrap().range(), (Some(0), Some(3)));
    // Two bits and a bit, together.
    let digits = x.modulo(4).unwrap().scale(2).unwrap().plus(&bit).unwrap();
    assert_eq!(digits.range(), (Some(0), Some(7)));
    let high = x.floor_div(8).unwrap().scale(8).unwrap();
    assert_eq!(high.or(&digits).unwrap(), high.plus(&digits).unwrap());
    // By what is from 1 to 9, and by what is from 1 on.
    let word = IndexForm::symbol(1, Some(0), Some(1 << 31)).unwrap();
    for (most, high) in [(Some(9), Some(8)), (None, None)] {
        let by = IndexForm::factor(2, Some(1), most);
        let rest = word.minus(&by.times(&word.quotient(&by).unwrap()).unwrap()).unwrap();
        let (low, found) = rest.range();
        assert_eq!(low, Some(0), "{rest}");
        assert_eq!(found.map(|found| found.min(9)), high.or(Some(9)), "{rest}: {found:?}");
    }
    // For each number, the range holds.
    for value in -100..100 {
        for form in [&bit, &scaled, &digits] {
            let (low, high) = form.range();
            let at = form.at(&|_| value);
            assert!(low <= at && at <= high, "{form} at {value}");
        }
    }
}

/// ISL compares forms as the definition does, case by case.
#[test]
fn forms_without_bounds_are_compared_as_sets() {
    let limits = crate::Limits::default();
    let number = IndexForm::constant;
    let (x, y) =
        (IndexForm::symbol(0, None, None).unwrap(), IndexForm::symbol(1, None, None).unwrap());
    let below = |form: &IndexForm, limit| form.minus(&number(limit)).unwrap().negative().unwrap();
    // x = 12, as two comparisons and as their difference; of booleans, both or either.
    let is_12 = below(&x, 13).minus(&below(&x, 12)).unwrap();
    let not_below = number(1).minus(&below(&x, 12)).unwrap();
    let both = not_below.times(&below(&x, 13)).unwrap();
    assert_eq!(both.is_equal_by_sets(&is_12, &[], limits), Some(()));
    let either = is_12.or(&below(&y, 0)).unwrap();
    let sum =
        is_12.plus(&below(&y, 0)).unwrap().minus(&is_12.times(&below(&y, 0)).unwrap()).unwrap();
    assert_eq!(either.is_equal_by_sets(&sum, &[], limits), Some(()));
    assert_eq!(either.is_equal_by_sets(&is_12, &[], limits), None);
    // The lesser, chosen; and only where a condition holds.
    let lesser = x.least(&y).unwrap();
    let chosen = x.minus(&y).unwrap().negative().unwrap().choose(&x, &y).unwrap();
    assert_eq!(chosen.is_equal_by_sets(&lesser, &[], limits), Some(()));
    let condition = (x.minus(&y).unwrap(), 1);
    assert_eq!(lesser.is_equal_by_sets(&x, &[], limits), None);
    assert_eq!(lesser.is_equal_by_sets(&x, &[condition], limits), Some(()));
    // Products of unknowns are no question for ISL.
    let product = x.times(&y).unwrap();
    assert_eq!(
        product.plus(&lesser).unwrap().is_equal_by_sets(
            &product.plus(&chosen).unwrap(),
            &[],
            limits
        ),
        Some(())
    );
    assert_eq!(product.is_equal_by_sets(&x, &[], limits), None);
}

/// Unsigned words of 64 bits, of numbers whose sign is not known: as `u64` has them.
#[test]
fn words_without_a_sign_are_read_as_such() {
    let [x, y] = [0, 1].map(|symbol| IndexForm::symbol(symbol, None, None).unwrap());
    let number = IndexForm::constant;
    let values = [0, 1, 2, 7, 99, 100, 1 << 40, i64::MAX - 1, i64::MAX, i64::MIN, -100, -3, -2, -1];
    let word = |value: u64| Some(value.cast_signed());
    for by in [1, 2, 3, 4, 7, 8, 12, 100, 1 << 20, (1 << 40) + 7, 1 << 61] {
        let quotient = x.quotient_unsigned(&number(by), 64).unwrap();
        let rest = x.remainder_unsigned(&number(by), 64).unwrap();
        for value in values {
            let at = |_| value;
            let (of, by) = (value.cast_unsigned(), by.cast_unsigned());
            // A sum on the way may be past 64 bits, which is no wrong answer.
            let near_the_end = value.unsigned_abs() > (1 << 63) - 200;
            for (form, expected) in [(&quotient, of / by), (&rest, of % by)] {
                let found = form.at(&at);
                assert!(
                    found == word(expected) || found.is_none() && near_the_end,
                    "{form} at {value}"
                );
            }
        }
    }
    let less = x.less_unsigned(&y, 64).unwrap();
    for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))) {
        let expected = i64::from(a.cast_unsigned() < b.cast_unsigned());
        let found = less.at(&|symbol| if symbol == 0 { a } else { b });
        let past = b == i64::MIN || a.checked_sub(b).is_none();
        assert!(found == Some(expected) || found.is_none() && past, "{a} {b}");
    }
    // Numbers alone, a sign that is known, and what has no answer.
    assert_eq!(number(-1).quotient_unsigned(&number(2), 64), Some(number(i64::MAX)));
    let natural = IndexForm::symbol(0, Some(0), None).unwrap();
    assert_eq!(natural.quotient_unsigned(&number(8), 64), natural.floor_div(8));
    assert_eq!(natural.remainder_unsigned(&number(8), 64), natural.modulo(8));
    assert_eq!(x.quotient_unsigned(&number(0), 64), None);
    assert_eq!(x.quotient_unsigned(&y, 64), None);
    assert_eq!(x.quotient_unsigned(&number(8), 63), None);
    assert_eq!(x.less_unsigned(&y, 63), None);
    // A value that is read as unsigned is not below 0, and a quotient of a quotient is one.
    let eighth = x.quotient_unsigned(&number(8), 64).unwrap();
    assert_eq!(eighth.range(), (Some(0), Some((1 << 61) - 1)));
    assert_eq!(eighth.unsigned(64), Some(eighth.clone()));
    let digit = eighth.remainder_unsigned(&number(12), 64).unwrap();
    for value in values {
        let expected = word(value.cast_unsigned() / 8 % 12);
        assert_eq!(digit.at(&|_| value), expected, "{digit} at {value}");
    }
    // By the way of shifts and by the way of remainders, digits are the same.
    let limits = crate::Limits::default();
    for by in [2, 8, 12] {
        let quotient = x.quotient_unsigned(&number(by), 64).unwrap();
        let rest = x.remainder_unsigned(&number(by), 64).unwrap();
        let of = x.minus(&rest).unwrap().quotient_unsigned(&number(by), 64).unwrap();
        assert_eq!(of.is_equal_by_sets(&quotient, &[], limits), Some(()), "{by}");
    }
}

/// The bits of a sum that an exclusive or with its own digit leaves: multiples above the digit stay beside it.
#[test]
fn multiples_are_added_to_an_exclusive_or() {
    let start = IndexForm::factor(0, Some(0), Some(1024));
    let [row, step] = [1, 2].map(|symbol| IndexForm::factor(symbol, Some(0), None));
    let number = IndexForm::constant;
    let within = start.plus(&row.scale(8).unwrap()).unwrap().plus(&number(3)).unwrap();
    let digit = within.mask(24).unwrap();
    // A part of a remainder is one, so that its sign and a shift of it are known.
    assert_eq!(digit.range().0, Some(0));
    let shifted = digit.quotient_unsigned(&number(8), 64).unwrap();
    assert_eq!(shifted, digit.floor_div(8).unwrap());
    assert_eq!(shifted.range(), (Some(0), Some(3)));
    let whole = within.plus(&step.scale(32).unwrap()).unwrap();
    let disjoint = within.xor(&shifted).unwrap().plus(&step.scale(32).unwrap()).unwrap();
    assert_eq!(whole.xor(&shifted).unwrap(), disjoint);
    for (a, b, c) in [(0, 0, 0), (1023, 7, 5), (517, 123, 9), (28, 1, 1)] {
        let at = |symbol| [a, b, c][symbol as usize];
        let inside = a + 8 * b + 3;
        let expected = (inside + 32 * c) ^ (inside >> 3 & 3);
        assert_eq!(disjoint.at(&at), Some(expected), "{a} {b} {c}");
    }
}

/// A form is the same one period later, at each value of its symbols.
#[test]
fn forms_repeat_by_their_period() {
    let [thread, round] =
        [(0, 32), (7, 200)].map(|(s, to)| IndexForm::symbol(s, Some(0), Some(to)).unwrap());
    let skewed = round.scale(5).unwrap().plus(&thread).unwrap();
    let forms = [
        round.modulo(6).unwrap().scale(16).unwrap().plus(&thread).unwrap(),
        skewed.modulo(10).unwrap().plus(&round.modulo(3).unwrap().scale(100).unwrap()).unwrap(),
        round.mask(6).unwrap().xor(&thread).unwrap(),
        thread.scale(3).unwrap(),
    ];
    for (form, expected) in forms.iter().zip([6, 6, 8, 1]) {
        assert_eq!(form.period(7, 200), Some(expected), "{form}");
        for (t, r) in (0..32).flat_map(|t| (0..150).map(move |r| (t, r))) {
            let at = |round: i64| form.at(&|symbol| if symbol == 7 { round } else { t });
            assert_eq!(at(r), at(r + expected), "{form}");
        }
    }
    let long = IndexForm::symbol(7, Some(0), Some(5000)).unwrap();
    let stage = long.remainder_unsigned(&IndexForm::constant(3), 64).unwrap();
    assert_eq!(stage.scale(64).unwrap().plus(&thread).unwrap().period(7, 5000), Some(3), "{stage}");
    assert_eq!(round.plus(&round.modulo(3).unwrap()).unwrap().period(7, 200), Some(768));
    assert_eq!(skewed.floor_div(10).unwrap().period(7, 200), None);
}
