//! Fits the model's constants to measured times.
//!
//! The fit is for the choice of a schedule, so it minimises the loss of that choice: how much longer the schedule with
//! the least estimated time takes than the fastest measured one, softened so that near ones count too. With a small
//! weight it also minimises the distance of estimates from measured times, and of constants from what is expected of a
//! chip before anything is measured ([`EXPECTED`]). The search is an evolution strategy with one parent; it is the same
//! for the same seed.

use crate::{
    chip::{Chip, Constants},
    model::time_with,
    problem::Problem,
    tiling::Tiling,
};

/// A problem with the measured times of several schedules of one run.
#[derive(Clone, Debug)]
pub struct Measurements {
    /// Its name in reports.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// Schedules to choose from, and microseconds with each.
    pub times: Vec<(Tiling, f64)>,
    /// Microseconds with the fastest schedule that was measured, even if it is none to choose.
    pub fastest: f64,
}

/// The loss of a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The number of the schedule with the least estimated time.
    pub chosen: usize,
    /// How much longer it takes than the fastest: 0.02 are 2 %.
    pub loss: f64,
}

/// A constant: its name, its place, what is expected of it, and by how much, as a logarithm, it may differ from that.
type Expected = (&'static str, fn(&mut Constants) -> &mut f64, f64, f64);

/// The constants as they are expected before anything is measured. Times in µs are those of a launch, a barrier and a load
/// as microbenchmarks of Hopper have them; rates are those of the description, a little less.
const EXPECTED: [Expected; 31] = [
    ("start", |c| &mut c.start, 4.0, 0.2),
    ("multiply", |c| &mut c.multiply, 1.0, 0.05),
    ("single", |c| &mut c.single, 1.2, 0.1),
    ("several", |c| &mut c.several, 1.02, 0.03),
    ("columns", |c| &mut c.columns, 20.0, 0.5),
    ("shared", |c| &mut c.shared, 1.0, 0.1),
    ("load", |c| &mut c.load, 0.9, 0.25),
    ("across", |c| &mut c.across, 1.6, 0.15),
    ("outer", |c| &mut c.outer, 1.1, 0.1),
    ("short", |c| &mut c.short, 64.0, 0.3),
    ("multicast", |c| &mut c.multicast, 0.8, 0.15),
    ("latency", |c| &mut c.latency, 1.2, 0.3),
    ("step", |c| &mut c.step, 0.06, 0.4),
    ("tile", |c| &mut c.tile, 0.7, 0.4),
    ("store", |c| &mut c.store, 1.1, 0.5),
    ("piece", |c| &mut c.piece, 0.2, 0.6),
    ("direct", |c| &mut c.direct, 1.5, 0.3),
    ("hidden", |c| &mut c.hidden, 0.3, 0.5),
    ("deferred", |c| &mut c.deferred, 0.3, 0.5),
    ("memory", |c| &mut c.memory, 1.2, 0.1),
    ("again", |c| &mut c.again, 0.1, 0.6),
    ("distant", |c| &mut c.distant, 0.2, 0.5),
    ("scattered", |c| &mut c.scattered, 0.3, 0.6),
    ("cache", |c| &mut c.cache, 0.65, 0.4),
    ("segment", |c| &mut c.segment, 0.1, 0.5),
    ("level_2", |c| &mut c.level_2, 0.9, 0.3),
    ("sum", |c| &mut c.sum, 2.5, 0.4),
    ("parts", |c| &mut c.parts, 1.5, 0.5),
    ("cluster", |c| &mut c.cluster, 0.3, 0.6),
    ("together", |c| &mut c.together, 0.02, 0.6),
    ("overlap", |c| &mut c.overlap, 4.0, 0.3),
];

/// The temperature of the soft minimum: how near the least estimate another one must be to count nearly as much.
const TEMPERATURE: f64 = 0.03;

/// Weights beside the loss of the choice: of the estimates' errors within a problem and over all, and of the constants.
const SPREAD_WEIGHT: f64 = 0.5;
const MEAN_WEIGHT: f64 = 0.2;
const CONSTANTS_WEIGHT: f64 = 0.0002;

/// Steps of the search.
pub const STEPS: usize = 12000;

/// The value that is expected before anything is measured.
#[must_use]
pub fn expected(chip: &Chip) -> Constants {
    let mut constants = chip.constants;
    for (_, place, value, _) in EXPECTED {
        *place(&mut constants) = value;
    }
    constants
}

/// Names and values of the constants that are fitted.
#[must_use]
pub fn named(constants: &Constants) -> Vec<(&'static str, f64)> {
    let mut constants = *constants;
    EXPECTED.iter().map(|(name, place, ..)| (*name, *place(&mut constants))).collect()
}

/// The choice in a contest by a chip's constants, or `None` if there are no times.
#[must_use]
pub fn choice(chip: &Chip, constants: &Constants, contest: &Measurements) -> Option<Choice> {
    let estimates: Vec<f64> = contest
        .times
        .iter()
        .map(|(tiling, _)| time_with(chip, constants, tiling, &contest.problem))
        .collect();
    let least = |values: &mut dyn Iterator<Item = f64>| {
        values.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
    };
    let chosen = least(&mut estimates.into_iter())?;
    Some(Choice { chosen, loss: contest.times[chosen].1 / contest.fastest - 1.0 })
}

/// The constants that lose the least in the contests.
#[must_use]
pub fn fit(chip: &Chip, contests: &[Measurements], seed: u64, steps: usize) -> Constants {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut best: Vec<f64> = EXPECTED.iter().map(|(_, _, value, _)| value.ln()).collect();
    let mut least = loss(chip, &constants(chip, &best), &best, contests);
    let mut width = 0.25;
    for _ in 0..steps {
        let mut next = best.clone();
        if random.bool() {
            let place = random.usize(..next.len());
            next[place] += normal(&mut random) * width * 2.0;
        } else {
            for value in &mut next {
                if random.f64() < 0.3 {
                    *value += normal(&mut random) * width * 0.3;
                }
            }
        }
        let found = loss(chip, &constants(chip, &next), &next, contests);
        if found < least {
            (best, least) = (next, found);
            width = (width * 1.3_f64).min(0.4);
        } else {
            width *= 0.985;
        }
        // Near the end of a descent, another one from there.
        if width < 0.011 {
            width = 0.25;
        }
    }
    constants(chip, &best)
}

fn constants(chip: &Chip, logarithms: &[f64]) -> Constants {
    let mut constants = chip.constants;
    for ((_, place, ..), logarithm) in EXPECTED.iter().zip(logarithms) {
        *place(&mut constants) = logarithm.exp();
    }
    constants
}

fn loss(chip: &Chip, constants: &Constants, logarithms: &[f64], contests: &[Measurements]) -> f64 {
    let mut all = 0.0;
    for contest in contests {
        let estimates: Vec<f64> = contest
            .times
            .iter()
            .map(|(tiling, _)| time_with(chip, constants, tiling, &contest.problem).ln())
            .collect();
        let least = estimates.iter().copied().fold(f64::INFINITY, f64::min);
        let fastest = contest.fastest;
        let (mut shares, mut lost) = (0.0, 0.0);
        let (mut weights, mut errors) = (0.0, 0.0);
        let weight = |time: f64| (-3.0 * (time / fastest - 1.0)).exp() + 0.05;
        for (estimate, &(_, time)) in estimates.iter().zip(&contest.times) {
            let share = (-(estimate - least) / TEMPERATURE).exp();
            shares += share;
            lost += share * (time / fastest - 1.0);
            weights += weight(time);
            errors += weight(time) * (estimate - time.ln());
        }
        let mean = errors / weights;
        let spread: f64 = estimates
            .iter()
            .zip(&contest.times)
            .map(|(estimate, &(_, time))| weight(time) * (estimate - time.ln() - mean).powi(2))
            .sum();
        all += lost / shares + SPREAD_WEIGHT * spread / weights + MEAN_WEIGHT * mean * mean;
    }
    let total: f64 = EXPECTED
        .iter()
        .zip(logarithms)
        .map(|((_, _, value, width), logarithm)| ((logarithm - value.ln()) / width).powi(2))
        .sum();
    all / contests.len().max(1) as f64 + CONSTANTS_WEIGHT * total
}

/// A number of the normal distribution, by Box and Muller.
fn normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{GemmShape, Operand};

    /// Times that the model itself makes are found again: the choice loses nothing.
    #[test]
    fn what_the_model_makes_is_fitted() {
        let chip = Chip::named("sm_90a").expect("a chip");
        let schedules = [
            "tile = (128,256,64), warps = (8,1), stages = 4",
            "tile = (128,128,64), warps = (8,1), stages = 6",
            "tile = (64,64,128), warps = (4,1), stages = 6",
            "tile = (64,256,64), warps = (4,1), stages = 5, split_k = 4",
        ];
        let shapes = [[128, 4096, 4096], [4096, 4096, 4096], [512, 512, 16384], [1000, 1000, 512]];
        let contests: Vec<Measurements> = shapes
            .into_iter()
            .map(|extents| {
                let problem = Problem {
                    gemms: vec![GemmShape { extents, batch: 1 }],
                    bytes: 2,
                    result_bytes: 2,
                    operands: [Operand::default(); 2],
                    factors: 1,
                    turned_c: false,
                    bulk_stores: true,
                    sums_of_f32: true,
                    two_levels: false,
                    vectors: true,
                };
                let times = schedules.map(|text| {
                    let tiling = text.parse().expect("a schedule");
                    (tiling, crate::model::time(chip, &tiling, &problem))
                });
                let fastest = times.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
                Measurements { name: format!("{extents:?}"), problem, times: times.into(), fastest }
            })
            .collect();
        let fitted = fit(chip, &contests, 1, 600);
        assert_eq!(fitted, fit(chip, &contests, 1, 600));
        let lost = contests.iter().filter_map(|contest| choice(chip, &fitted, contest));
        assert!(lost.map(|choice| choice.loss).sum::<f64>() < 0.02);
    }
}
