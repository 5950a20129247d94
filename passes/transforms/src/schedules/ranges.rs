//! Chooses a few of many candidate kernels to cover all sizes from 1 on, and the ranges of sizes for each.

/// A range of sizes: those up to `last` that are not in the ranges before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// The number of its last size.
    pub(super) last: usize,
    /// The number of its candidate.
    pub(super) candidate: usize,
}

/// At most `most` ranges with the least total loss. `losses[size][candidate]` is the loss of a size with a candidate, infinite for an
/// unavailable candidate; `cost` is the least saving for which a range is worth a kernel.
///
/// Dynamic programming over the sizes: for each first size of the last range, the sizes before it have an optimal solution.
pub(super) fn ranges(losses: &[Vec<f64>], most: usize, cost: f64) -> Vec<Range> {
    let candidates = losses.first().map_or(0, Vec::len);
    // By the count of ranges, and of the sizes that they hold: the sum, and the first size and candidate of the last range.
    let mut best = vec![vec![(f64::INFINITY, 0, 0); losses.len() + 1]; most + 1];
    best[0][0].0 = 0.0;
    for count in 1..=most {
        for first in 0..losses.len() {
            let before = best[count - 1][first].0 + cost;
            if !before.is_finite() {
                continue;
            }
            for candidate in 0..candidates {
                let mut sum = before;
                for (size, losses) in losses.iter().enumerate().skip(first) {
                    sum += losses[candidate];
                    if sum < best[count][size + 1].0 {
                        best[count][size + 1] = (sum, first, candidate);
                    }
                }
            }
        }
    }
    let mut end = losses.len();
    let least = (1..=most).min_by(|&one, &other| best[one][end].0.total_cmp(&best[other][end].0));
    let mut found = Vec::new();
    for count in (1..=least.unwrap_or(0)).rev() {
        let (sum, first, candidate) = best[count][end];
        if !sum.is_finite() {
            return Vec::new();
        }
        found.push(Range { last: end - 1, candidate });
        end = first;
    }
    found.reverse();
    found
}

/// At most `most` candidates with the least total loss if each size takes the best of them: the
/// k-medians of the sizes. `losses` is as for [`ranges`].
///
/// Candidates are added one by one, each the best beside those before, as long as one saves `cost`; then one is exchanged for
/// another as long as that is better.
pub(super) fn medians(losses: &[Vec<f64>], most: usize, cost: f64) -> Vec<usize> {
    let candidates = losses.first().map_or(0, Vec::len);
    let sum = |chosen: &[usize]| -> f64 {
        let least = |losses: &Vec<f64>| {
            chosen.iter().map(|&candidate| losses[candidate]).fold(f64::INFINITY, f64::min)
        };
        losses.iter().map(least).sum()
    };
    // The best exchange at one of some places.
    let exchanged = |places: std::ops::Range<usize>, chosen: &[usize]| {
        let pairs = places.flat_map(|place| (0..candidates).map(move |one| (place, one)));
        let all = pairs.map(|(place, candidate)| {
            let mut chosen = chosen.to_vec();
            chosen[place] = candidate;
            (sum(&chosen), chosen)
        });
        all.min_by(|(one, _), (other, _)| one.total_cmp(other))
    };
    let mut chosen = Vec::new();
    while chosen.len() < most.min(candidates) {
        let (place, before) = (chosen.len(), sum(&chosen));
        let more = [&chosen[..], &[0]].concat();
        match exchanged(place..place + 1, &more) {
            Some((less, better)) if place == 0 || before - less >= cost => chosen = better,
            _ => break,
        }
    }
    while let Some((less, better)) = exchanged(0..chosen.len(), &chosen)
        && less < sum(&chosen)
    {
        chosen = better;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::{Range, medians, ranges};

    fn of(losses: &[Vec<f64>], most: usize, cost: f64) -> Vec<(usize, usize)> {
        ranges(losses, most, cost)
            .into_iter()
            .map(|Range { last, candidate }| (last, candidate))
            .collect()
    }

    /// Adding one by one takes the middle candidate first, which is none of the best two.
    #[test]
    fn the_medians_lose_least_in_sum() {
        let losses =
            [vec![0.0, 0.3, 1.0], vec![0.1, 0.3, 1.0], vec![1.0, 0.3, 0.0], vec![1.0, 0.3, 0.1]];
        let of = |most, cost| medians(&losses, most, cost);
        assert_eq!(of(1, 0.0), [1]);
        assert_eq!(of(2, 0.0), [2, 0]);
        assert_eq!(of(9, 0.0).len(), 3);
        // The second saves 0.5 at first.
        assert_eq!(of(2, 0.6), [1]);
        assert_eq!(medians(&[], 2, 0.0), [0; 0]);
    }

    /// Each of three candidates is best for a size; with fewer ranges, the middle one's place is what costs least.
    #[test]
    fn the_ranges_lose_least_in_sum() {
        let losses = [vec![0.0, 0.1, 0.5], vec![0.2, 0.0, 0.3], vec![0.6, 0.4, 0.0]];
        assert_eq!(of(&losses, 3, 0.0), [(0, 0), (1, 1), (2, 2)]);
        assert_eq!(of(&losses, 2, 0.0), [(1, 1), (2, 2)]);
        assert_eq!(of(&losses, 1, 0.0), [(2, 1)]);
        // A second range saves 0.4, a third 0.1.
        assert_eq!(of(&losses, 3, 0.2), [(1, 1), (2, 2)]);
        assert_eq!(of(&losses, 3, 0.5), [(2, 1)]);
    }

    #[test]
    fn candidates_that_are_not_to_be_had_are_not_taken() {
        let none = f64::INFINITY;
        assert_eq!(of(&[vec![0.0, 0.3], vec![none, 0.2]], 1, 0.0), [(1, 1)]);
        assert_eq!(of(&[vec![none], vec![0.0]], 2, 0.0), []);
        assert_eq!(of(&[], 2, 0.0), []);
    }

    /// Against all ways to divide the sizes.
    #[test]
    fn the_sum_is_that_of_a_search_through_all() {
        fn least(losses: &[Vec<f64>], most: usize, cost: f64) -> f64 {
            if losses.is_empty() {
                return 0.0;
            }
            if most == 0 {
                return f64::INFINITY;
            }
            let ends = 1..=losses.len();
            let candidates = 0..losses[0].len();
            let all =
                ends.flat_map(|end| candidates.clone().map(move |candidate| (end, candidate)));
            all.map(|(end, candidate)| {
                let own: f64 = losses[..end].iter().map(|losses| losses[candidate]).sum();
                own + cost + least(&losses[end..], most - 1, cost)
            })
            .fold(f64::INFINITY, f64::min)
        }
        for seed in 0..40 {
            layout_random::checked(seed, |draw| {
                let (sizes, candidates, most) =
                    (draw.index(6) + 1, draw.index(4) + 1, draw.index(3) + 1);
                let mut loss = || f64::from(u8::try_from(draw.number(16)).expect("small")) / 16.0;
                let losses: Vec<Vec<f64>> =
                    (0..sizes).map(|_| (0..candidates).map(|_| loss()).collect()).collect();
                let mut from = 0;
                let mut sum = 0.0;
                for Range { last, candidate } in ranges(&losses, most, 0.1) {
                    sum += 0.1 + losses[from..=last].iter().map(|all| all[candidate]).sum::<f64>();
                    from = last + 1;
                }
                assert!((sum - least(&losses, most, 0.1)).abs() < 1e-9, "{losses:?}");
            });
        }
    }
}
