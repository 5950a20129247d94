//! The place of an error: its operand and mode, added while the error propagates.

use alloc::vec::Vec;

/// The part of a term that an error is about.
///
/// ```
/// use layout_algebra::Term;
/// let term = Term::parse("coalesce(composition(((4,6),3):((1,5),1), (6,3)))")?;
/// let place = term.eval().unwrap_err().place();
/// assert_eq!((place.calls, place.operand, place.modes), (vec![0], Some(1), vec![0]));
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The operand of each call that leads to the one that was refused, from the outermost inwards; of a
    /// tuple of tilers the entry.
    pub calls: Vec<usize>,
    /// The operand of that call, if the error is about one.
    pub operand: Option<usize>,
    /// The mode of that operand, from the outermost inwards.
    pub modes: Vec<usize>,
}

/// An error that names its place.
pub trait WithPlace: Sized {
    /// It and its place, which is changed.
    fn map_place(self, change: impl FnOnce(&mut Place)) -> Self;

    /// The same about an operand of the call, unless it is about another one.
    fn about(self, operand: usize) -> Self {
        self.map_place(|place| {
            place.operand.get_or_insert(operand);
        })
    }

    /// The same in the mode of this number.
    fn in_mode(self, mode: usize) -> Self {
        self.map_place(|place| place.modes.insert(0, mode))
    }

    /// The same in the call that is the operand of this number.
    fn in_call(self, operand: usize) -> Self {
        self.map_place(|place| place.calls.insert(0, operand))
    }
}
