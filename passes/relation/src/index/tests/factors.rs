//! Symbols that are factors of products: extents and strides that a program is given.

use super::*;

/// Bits: a thread and a block. Factors: an extent, a stride of any sign, one that 8 divides.
const FROM: [i64; 5] = [0, 0, 1, -4, 1];
const COUNT: [i64; 5] = [32, 6, 9, 9, 5];

fn symbol(number: u32) -> IndexForm {
    let (from, count) = (FROM[number as usize], COUNT[number as usize]);
    match number {
        0 | 1 => IndexForm::symbol(number, Some(from), Some(from + count)).unwrap(),
        _ => IndexForm::factor(number, Some(from), Some(from + count - 1)),
    }
}

/// A random expression, as a form and as what it means.
fn expression(random: &mut Random, depth: u32) -> Option<(IndexForm, Slow)> {
    if depth == 0 || random.below(7) == 0 {
        let number = random.below(6) as u32;
        if number == 5 {
            let value = random.below(9) - 3;
            return Some((IndexForm::constant(value), Box::new(move |_| value)));
        }
        let unit = if number == 4 { 8 } else { 1 };
        return Some((symbol(number).scale(unit)?, Box::new(move |at| unit * at(number))));
    }
    let (a, x) = expression(random, depth - 1)?;
    let (b, y) = expression(random, depth - 1)?;
    let number = 1 + random.below(12);
    Some(match random.below(9) {
        0 | 1 => (a.times(&b)?, Box::new(move |at| x(at) * y(at))),
        2 => (a.minus(&b)?, Box::new(move |at| x(at) - y(at))),
        3 => (a.floor_div(number)?, Box::new(move |at| x(at).div_euclid(number))),
        4 => (a.quotient(&b)?, Box::new(move |at| x(at).div_euclid(y(at)))),
        5 => (a.remainder(&b)?, Box::new(move |at| x(at).rem_euclid(y(at)))),
        6 => (a.least(&b)?, Box::new(move |at| x(at).min(y(at)))),
        7 => (a.signed(9)?, Box::new(move |at| x(at) << 55 >> 55)),
        _ => (a.plus(&b)?, Box::new(move |at| x(at) + y(at))),
    })
}

fn point(random: &mut Random) -> [i64; 5] {
    let mut point = FROM;
    for (value, count) in point.iter_mut().zip(COUNT) {
        *value += random.below(count);
    }
    point
}

#[test]
fn forms_mean_what_the_arithmetic_means() {
    let mut random = Random::of_seed(5);
    let mut tried = 0;
    for _ in 0..6000 {
        let Some((form, slow)) = expression(&mut random, 4) else { continue };
        tried += 1;
        let (low, high) = form.range();
        for _ in 0..12 {
            let point = point(&mut random);
            let at = |symbol: u32| point[symbol as usize];
            let value = slow(&at);
            assert_eq!(form.at(&at), Some(value), "{form} at {point:?}");
            assert!(
                low.is_none_or(|low| low <= value),
                "{form} at {point:?}: {value} below {low:?}"
            );
            assert!(high.is_none_or(|high| value <= high), "{form} at {point:?}: {value}");
            assert_eq!(value % form.divisor().max(1), 0, "{form} at {point:?}");
        }
    }
    assert!(tried > 1500, "{tried}");
}

/// Where conditions hold, a form is what it was.
#[test]
fn forms_are_the_same_where_conditions_hold() {
    let mut random = Random::of_seed(6);
    let (mut held, mut changed) = (0, 0);
    for _ in 0..6000 {
        let Some((form, _)) = expression(&mut random, 3) else { continue };
        let number = random.below(5) as u32;
        let limit = FROM[number as usize] + 1 + random.below(COUNT[number as usize]);
        let mut conditions = vec![(symbol(number), limit)];
        if number > 1 {
            let least = IndexForm::constant(FROM[number as usize].max(0)).minus(&symbol(number));
            conditions.push((least.unwrap(), 1));
        }
        let Some(other) = form.where_below(&conditions) else { continue };
        changed += usize::from(form != other);
        for _ in 0..12 {
            let point = point(&mut random);
            let at = |symbol: u32| point[symbol as usize];
            if conditions.iter().all(|(form, limit)| form.at(&at).unwrap() < *limit) {
                held += 1;
                assert_eq!(form.at(&at), other.at(&at), "{form} and {other} at {point:?}");
            }
        }
    }
    assert!(held > 10_000 && changed > 500, "{held} {changed}");
}

/// Sums are multiplied out, and divided by one product where it comes out even.
#[test]
fn polynomials_have_one_form() {
    let [t, b, m, n] = [0, 1, 2, 3].map(symbol);
    let (plus, times) = (
        |a: &IndexForm, b: &IndexForm| a.plus(b).unwrap(),
        |a: &IndexForm, b: &IndexForm| a.times(b).unwrap(),
    );
    // (t/4) * 4 + t%4 is t, also as a factor.
    let (row, column) = (t.floor_div(4).unwrap().scale(4).unwrap(), t.mask(3).unwrap());
    assert_eq!(plus(&times(&row, &m), &times(&m, &column)), times(&t, &m));
    let tile = plus(&b.scale(32).unwrap(), &t);
    let sum = plus(&times(&b, &m).scale(32).unwrap(), &times(&t, &m));
    assert_eq!(times(&tile, &m), sum);
    assert_eq!(times(&times(&m, &n), &tile), times(&n, &sum));
    assert_eq!(sum.quotient(&m).unwrap(), tile);
    assert_eq!(sum.remainder(&m).unwrap(), IndexForm::constant(0));
    assert_eq!(
        tile.quotient(&m).unwrap().quotient(&m).unwrap(),
        tile.quotient(&times(&m, &m)).unwrap()
    );
    assert_eq!(n.quotient(&n), None);
    // An integer of 32 bits comes apart into bits where it is alone only.
    let word = IndexForm::symbol(7, Some(-(1 << 31)), Some(1 << 31)).unwrap();
    let product = times(&word, &tile);
    assert_eq!(plus(&times(&word, &t), &times(&word, &b.scale(32).unwrap())), product);
    assert_eq!(
        times(&word, &t).to_string(),
        "-2147483648 s0.0 + -4294967296 s0.1 + -8589934592 s0.2 + -17179869184 s0.3 + \
         -34359738368 s0.4 + s7 s0.0 + 2 s7 s0.1 + 4 s7 s0.2 + 8 s7 s0.3 + 16 s7 s0.4"
    );
}

/// A difference is shown at values that the symbols have.
#[test]
fn differences_have_a_witness_in_range() {
    let m = IndexForm::factor(2, Some(40), Some(4096)).scale(8).unwrap();
    let more = m.times(&m).unwrap();
    let extents = |_: u32| None;
    assert_eq!(
        more.compare(&m, &extents),
        Compared::Differ { point: vec![(2, 40)], left: 102_400, right: 320 }
    );
    let bounded = m.least(&IndexForm::constant(320)).unwrap();
    assert_eq!(bounded.compare(&IndexForm::constant(320), &extents), Compared::Equal);
}
