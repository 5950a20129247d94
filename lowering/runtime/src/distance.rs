//! How far results are from those of a reference.

/// The greatest ratio of one element's error to the mean error.
pub(crate) const MAX_ERROR_RATIO: f64 = 16.0;

/// How far a kernel's results are from the reference's: the figures of the worst of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distance {
    /// Norm of the difference over that of the reference.
    pub relative: f64,
    /// The bound of the relative error.
    pub tolerance: f64,
    /// The largest difference of an element, relative to its tolerance.
    pub worst: f64,
    /// Its place, in row-major order.
    pub place: usize,
    /// The argument and the coordinates of that element, `y(3,5)`, with its value and the reference's.
    pub element: String,
    /// The value found there.
    pub found: f64,
    /// The value expected there.
    pub expected: f64,
    /// Elements of all results that are farther off than they may be.
    pub wrong: usize,
}

impl Distance {
    /// Whether each element is as near as it has to be.
    pub fn is_right(&self) -> bool {
        self.worst <= 1.0 && self.relative <= self.tolerance
    }

    /// The worst element's difference as a part of its bound, in words.
    pub fn of_bound(&self) -> String {
        match self.worst.is_nan() {
            // The bound is 0, or the difference is no number.
            true => "worst element beyond its bound".to_owned(),
            false => format!("worst element at {:.2} of its bound", self.worst),
        }
    }

    /// The worst element in words, and how many are wrong.
    pub fn worst_element(&self) -> String {
        let Self { element, found, expected, wrong, .. } = self;
        format!("{element}: expected {expected}, found {found}; {wrong} wrong")
    }
}

/// How far integers are from those that are right: each is in one run of the reference, the first of which is exact, or, where a part of
/// it that runs differ by is more than 1, between two runs.
pub(crate) fn distance_of_integers(found: &[i64], runs: &[Vec<i64>], part: f64) -> Distance {
    let (mut sum, mut squares, mut all) = (0.0, 0.0, Distance::default());
    for (place, &found) in found.iter().enumerate() {
        let own = || runs.iter().filter_map(|run| run.get(place).copied());
        let expected = own().next().unwrap_or_default();
        squares += (expected as f64).powi(2);
        let is_between = || {
            let range = own().min().zip(own().max());
            range.is_some_and(|(least, most)| (least..=most).contains(&found))
        };
        if own().any(|own| own == found) || (expected as f64 * part).abs() >= 1.0 && is_between() {
            continue;
        }
        sum += (expected.abs_diff(found) as f64).powi(2);
        all.wrong += 1;
        if !all.worst.is_nan() {
            let (found, expected) = (found as f64, expected as f64);
            all = Distance { worst: f64::NAN, place, found, expected, ..all };
        }
    }
    all.relative = if squares > 0.0 { (sum / squares).sqrt() } else { sum.sqrt() };
    all
}

/// How far elements are from those that are expected, of a type of this unit roundoff and least number above 0, after arithmetic that may
/// be off by as much.
pub(crate) fn distance(
    found: &[f64],
    expected: &[f64],
    (unit, least): (f64, f64),
    off: f64,
) -> Distance {
    let finite = expected.iter().filter(|value| value.is_finite());
    let squares: f64 = finite.map(|value| value * value).sum();
    let mean = (squares / expected.len().max(1) as f64).sqrt();
    let (mut sum, mut all) = (0.0, Distance::default());
    for (place, (&found, &expected)) in found.iter().zip(expected).enumerate() {
        // Infinities, and what is no number, are right where the reference has the same.
        if found == expected || (found.is_nan() && expected.is_nan()) {
            continue;
        }
        let difference = (found - expected).abs();
        let allowed = (2.0 * unit * expected.abs()).max(least) + MAX_ERROR_RATIO * off * mean;
        let part = match difference.is_finite() {
            true if allowed > 0.0 => difference / allowed,
            _ => f64::NAN,
        };
        sum += difference * difference;
        all.wrong += usize::from(part.is_nan() || part > 1.0);
        if !all.worst.is_nan() && (part.is_nan() || part > all.worst) {
            all = Distance { worst: part, place, found, expected, ..all };
        }
    }
    all.relative = if squares > 0.0 { (sum / squares).sqrt() } else { sum.sqrt() };
    let floor = if mean > 0.0 { least / mean } else { least };
    Distance { tolerance: 2.0 * unit + floor + MAX_ERROR_RATIO * off, ..all }
}

#[cfg(test)]
mod tests {
    use super::{distance, distance_of_integers};

    #[test]
    fn what_moves_elements_is_exact_to_the_last_bit() {
        let close =
            distance(&[1.0 + 2f64.powi(-23)], &[1.0], (2f64.powi(-24), 0.0), 2f64.powi(-24));
        assert!(close.is_right());
        let far = distance(&[1.0 + 2f64.powi(-18)], &[1.0], (2f64.powi(-24), 0.0), 2f64.powi(-24));
        assert!(!far.is_right(), "{far:?}");
        assert!(distance(&[7.0], &[7.0], (0.0, 0.0), 0.0).is_right());
        assert!(!distance(&[8.0], &[7.0], (0.0, 0.0), 0.0).is_right());
        let infinite = distance(&[f64::INFINITY], &[f64::INFINITY], (0.0, 0.0), 0.0);
        assert!(infinite.is_right());
    }

    #[test]
    fn the_worst_element_is_named() {
        let far = distance(&[7.0, 8.0, 7.0], &[7.0, 7.0, 9.0], (2f64.powi(-24), 0.0), 0.0);
        assert_eq!((far.place, far.found, far.expected, far.wrong), (2, 7.0, 9.0, 2));
        let exact = distance(&[8.0], &[7.0], (0.0, 0.0), 0.0);
        assert_eq!(exact.of_bound(), "worst element beyond its bound");
    }

    #[test]
    fn a_number_below_the_normal_ones_may_be_off_by_their_step() {
        let (unit, least) = (2f64.powi(-4), 2f64.powi(-9));
        assert!(distance(&[least], &[0.4 * least], (unit, least), 0.0).is_right());
        assert!(!distance(&[2.0 * least], &[0.4 * least], (unit, least), 0.0).is_right());
    }

    #[test]
    fn integers_are_those_of_a_run_of_the_reference() {
        let runs = [vec![7, -3, 1 << 40], vec![8, -3, (1 << 40) - 9], vec![7, -3, (1 << 40) + 9]];
        let is_right = |found: [i64; 3]| distance_of_integers(&found, &runs, 1e-9).is_right();
        assert!(is_right([7, -3, 1 << 40]) && is_right([8, -3, (1 << 40) + 4]));
        assert!(!is_right([6, -3, 1 << 40]) && !is_right([7, -2, 1 << 40]));
        assert!(!is_right([7, -3, (1 << 40) + 10]));
        let far = distance_of_integers(&[9, -3, 1 << 40], &runs, 1e-9);
        assert_eq!((far.place, far.found, far.expected, far.wrong), (0, 9.0, 7.0, 1));
        // Neighbours of a float64 differ.
        let (one, other) = (1 << 60, (1 << 60) + 1);
        assert!(!distance_of_integers(&[other], &[vec![one]], 0.0).is_right());
    }
}
