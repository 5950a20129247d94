//! Which element of a view meets an element of another: sizes that are equal, or broadcast.

use crate::ops::prelude::*;

/// The elements of a view, by the indices of another one's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elements {
    /// As many: an index is its own.
    All,
    /// One for all indices.
    One,
    /// The size of each mode at the top, and what a step in it adds to the view's own index: 0 in modes of 1.
    Modes(Vec<(i64, i64)>),
}

impl Elements {
    /// The elements of a view by the indices of one whose modes have these sizes, or `None` if it does not broadcast.
    pub(crate) fn of(own: &[i64], shared: &[i64]) -> Option<Self> {
        let (size, all) = (product(own)?, product(shared)?);
        if size == all {
            return Some(Self::All);
        }
        if size == 1 {
            return Some(Self::One);
        }
        let fits = own.len() == shared.len()
            && own.iter().zip(shared).all(|(own, shared)| *own == 1 || own == shared);
        let mut place = 1;
        let modes = own.iter().zip(shared).map(|(&own, &shared)| {
            let step = if own == 1 { 0 } else { place };
            place *= own;
            (shared, step)
        });
        fits.then(|| Self::Modes(modes.collect()))
    }

    /// The view's own index of the element that an index meets.
    pub fn at(&self, index: i64) -> i64 {
        match self {
            Self::All => index,
            Self::One => 0,
            Self::Modes(modes) => {
                let mut rest = index;
                let digits = modes.iter().map(|&(size, step)| {
                    let digit = rest % size.max(1);
                    rest /= size.max(1);
                    digit * step
                });
                digits.sum()
            }
        }
    }
}

/// The sizes of the modes of a view at the top; a leaf is its own.
///
/// # Errors
///
/// A size that is known at run time only.
pub(crate) fn sizes(view: ViewType<'_>, code: Code) -> Result<Vec<i64>, Violation> {
    let sizes = mode_sizes(&shape_of(&view.term_value()?)?)?.into_iter().collect::<Option<_>>();
    sizes.ok_or_else(|| {
        let expected = "static sizes, since the operation is expanded element by element";
        Violation::new(code, expected, view.text())
    })
}

/// How many elements there are, or `None` if there are too many to count.
pub(crate) fn product(sizes: &[i64]) -> Option<i64> {
    sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))
}
