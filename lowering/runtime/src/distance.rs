//! How far results are from those of a reference.

/// How many times the mean error the error of one of many elements may be.
const MOST: f64 = 16.0;

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

/// How far elements are from those that are expected, of a type of this unit roundoff, behind arithmetic that may be off by as much.
pub(crate) fn distance(found: &[f64], expected: &[f64], unit: f64, off: f64) -> Distance {
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
        let allowed = 2.0 * unit * expected.abs() + MOST * off * mean;
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
    Distance { tolerance: 2.0 * unit + MOST * off, ..all }
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn what_moves_elements_is_exact_to_the_last_bit() {
        let close = distance(&[1.0 + 2f64.powi(-23)], &[1.0], 2f64.powi(-24), 2f64.powi(-24));
        assert!(close.is_right());
        let far = distance(&[1.0 + 2f64.powi(-18)], &[1.0], 2f64.powi(-24), 2f64.powi(-24));
        assert!(!far.is_right(), "{far:?}");
        assert!(distance(&[7.0], &[7.0], 0.0, 0.0).is_right());
        assert!(!distance(&[8.0], &[7.0], 0.0, 0.0).is_right());
        let infinite = distance(&[f64::INFINITY], &[f64::INFINITY], 0.0, 0.0);
        assert!(infinite.is_right());
    }

    #[test]
    fn the_worst_element_is_named() {
        let far = distance(&[7.0, 8.0, 7.0], &[7.0, 7.0, 9.0], 2f64.powi(-24), 0.0);
        assert_eq!((far.place, far.found, far.expected, far.wrong), (2, 7.0, 9.0, 2));
        let exact = distance(&[8.0], &[7.0], 0.0, 0.0);
        assert_eq!(exact.of_bound(), "worst element beyond its bound");
    }
}
