//! Whether two layouts are the same function, decided by their matrices.

use super::LinearLayout;
use crate::{
    error::{Error, Result},
    swizzle::AnyLayout,
};
use alloc::vec::Vec;

/// The result of [`compare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    /// The same offset at every index.
    Same,
    /// Another offset at this index, or no offset in one of them.
    Differ {
        /// The index; the smallest where both are linear.
        index: i64,
    },
    /// Both agree wherever it was tried, and not both are linear.
    Unknown,
}

/// Whether two layouts have the same offset at every index.
///
/// Two linear layouts are the same exactly if they agree at 1, 2, 4, …, whatever their size: so this
/// decides for layouts with powers of two whose offsets do not carry, and for swizzles over them.
/// Others are compared at 0, 1, 2, 3, 4, 5, 6, 8, …, the at most 1,954 sums of two bits or fewer.
/// Those decide between a linear and a plain layout, since a plain layout that is not linear shows it
/// there. (Whether a composed layout is linear may take more:
/// [`from_composed`](LinearLayout::from_composed).)
///
/// ```
/// use layout_algebra::{Term, linear::{Comparison, compare}};
/// let compared = |a: &str, b: &str| {
///     compare(&Term::parse(a)?.eval_layout()?, &Term::parse(b)?.eval_layout()?)
/// };
/// let tile = "S<3,3,3> o 0 o (4096,4096):(4096,1)";
/// let same = "S<3,3,3> o 0 o ((8,512),(64,64)):((4096,32768),(1,64))";
/// assert_eq!(compared(tile, same)?, Comparison::Same);
/// let other = "S<3,3,3> o 0 o ((8,512),(64,64)):((4096,32768),(64,1))";
/// assert_eq!(compared(tile, other)?, Comparison::Differ { index: 4096 });
/// assert_eq!(compared("6:1", "(2,3):(1,2)")?, Comparison::Unknown);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
pub fn compare(a: &AnyLayout, b: &AnyLayout) -> Result<Comparison> {
    let size = a.size().min(b.size());
    let bits: Vec<i64> = (0..62).map(|bit| 1 << bit).filter(|bit| *bit < size).collect();
    let pairs = bits.iter().enumerate().flat_map(|(i, high)| {
        let with_lower = bits[..i].iter().map(move |low| high | low);
        core::iter::once(*high).chain(with_lower)
    });
    for index in core::iter::once(0).chain(pairs).filter(|index| *index < size) {
        if a.at(index)? != b.at(index)? {
            return Ok(Comparison::Differ { index });
        }
    }
    if a.size() != b.size() {
        return Ok(Comparison::Differ { index: size });
    }
    // The layouts already agree on all basis vectors.
    match (LinearLayout::from_any(a), LinearLayout::from_any(b)) {
        (Ok(_), Ok(_)) => Ok(Comparison::Same),
        (Err(error @ Error::Overflow { .. }), _) | (_, Err(error @ Error::Overflow { .. })) => {
            Err(error)
        }
        _ => Ok(Comparison::Unknown),
    }
}
