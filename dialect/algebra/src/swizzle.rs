//! Swizzles, and layouts composed with one.
//!
//! | file | contents |
//! |---|---|
//! | this | [`Swizzle`] itself: applying, inverting, composing, commuting |
//! | `composed` | `outer o offset o inner`, and layouts that are plain or composed |
//! | `common` | elements that two layouts move together, images that a swizzle permutes |
//! | `compose` | compositions with a swizzle or a composed layout on the right |
//! | `query` | is it one-to-one, onto? |
//! | `bits` | which bits the offsets of a layout reach, and walking over its offsets |
//! | `slice` | fixing coordinates, and folding to a plain layout |
//! | `recast` | wider and narrower elements |
//! | `leaves` | what integers decide by bits and expressions by facts |
//! | `coordinates` | composed layouts whose offset is a coordinate, or whose outer layout is a coordinate layout |
//! | `inverse` | right and left inverses |
//! | `cosize` | the greatest offset, without evaluating all |

mod bits;
mod common;
mod compose;
mod composed;
mod coordinates;
mod cosize;
mod inverse;
mod leaves;
mod query;
mod reached;
mod recast;
mod slice;

pub(crate) use composed::Outside;
pub use composed::{AnyLayout, ComposedLayout, Outer};
pub use coordinates::ComposedCoordinates;
pub(crate) use coordinates::{composed_of_coordinates, composed_twice};
pub use leaves::Swizzles;

use crate::{
    error::{Error, Result},
    matrix::{Matrix, ones},
};
use alloc::{format, vec::Vec};
use core::fmt;

/// `S<bits,base,shift>`: `bits` bits of an offset, at `base + shift`, are added without carry to
/// those at `base` (for a negative shift the two places are exchanged).
///
/// `S<2,1,3>` on an offset of 8 bits: the bits `y` stay and are xored into the bits `z`.
///
/// ```text
///   bit   7  6  5  4  3  2  1  0
///         .  .  y1 y0 .  z1 z0 .         base 1: z0 is bit 1; shift 3: y0 is bit 1 + 3
///         .  .  y1 y0 .  │  │  .
///                      z1^y1 z0^y0
/// ```
///
/// | question | answer |
/// |---|---|
/// | is it its own inverse? | iff `\|shift\| >= bits`, or `bits` is 0 ([`is_involution`](Self::is_involution)) |
/// | is it one-to-one? | unless `shift` is 0 and `bits` is not ([`unapply`](Self::unapply)) |
/// | does `S(x + d) = S(x) + d`? | for all `x` iff [`period`](Self::period) divides `d` ([`hoists`](Self::hoists)) |
/// | do two commute? | iff neither reads what the other writes ([`commutes_with`](Self::commutes_with)) |
/// | what are two of them? | a product of [matrices](Self::matrix); sometimes [one](Self::compose) |
///
/// ```
/// use layout_algebra::Swizzle;
/// let swizzle = Swizzle::new(2, 1, 3)?;
/// assert_eq!(swizzle.apply(0b11_0000), 0b11_0110);
/// assert_eq!(swizzle.apply(0b11_0110), 0b11_0000);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
///
/// Offsets are 64-bit integers in two's complement, so that a negative offset is swizzled like its
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Swizzle {
    /// Bits that take part.
    pub bits: u32,
    /// Lower bits that stay.
    pub base: u32,
    /// Distance between the two groups of bits.
    pub shift: i32,
}

impl Swizzle {
    /// The bits of an offset that a swizzle may reach: those below this.
    pub const BIT_LIMIT: u32 = 62;

    /// A swizzle whose bits lie within [`Swizzle::BIT_LIMIT`].
    ///
    /// # Errors
    ///
    /// Bits past the limit.
    pub fn new(bits: u32, base: u32, shift: i32) -> Result<Self> {
        let top = u64::from(bits) + u64::from(base) + u64::from(shift.unsigned_abs());
        if top > u64::from(Self::BIT_LIMIT) {
            return Err(Error::limit("bits that a swizzle reaches", 62, top));
        }
        Ok(Self { bits, base, shift })
    }

    /// The swizzle that changes nothing, `S<0,0,0>`.
    pub fn identity() -> Self {
        Self { bits: 0, base: 0, shift: 0 }
    }

    /// The swizzled offset.
    pub fn apply(&self, offset: i64) -> i64 {
        let word = offset.cast_unsigned();
        (word ^ self.map_place(word)).cast_signed()
    }

    /// The bits that are read, moved to where they are added.
    fn map_place(&self, word: u64) -> u64 {
        let source = word & self.source_mask();
        let distance = self.shift.unsigned_abs();
        let moved = if self.shift >= 0 {
            source.checked_shr(distance)
        } else {
            source.checked_shl(distance)
        };
        moved.unwrap_or(0)
    }

    /// The bits that are read, `Y` in CuTe.
    pub fn source_mask(&self) -> u64 {
        self.place(self.shift.max(0).unsigned_abs())
    }

    /// The bits that are changed, `Z` in CuTe.
    pub fn target_mask(&self) -> u64 {
        self.place(self.shift.min(0).unsigned_abs())
    }

    fn place(&self, distance: u32) -> u64 {
        ones(self.bits).checked_shl(self.base.saturating_add(distance)).unwrap_or(0)
    }

    /// Each bit that is read with the bit that it is added to, the lowest first.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        let source = self.base.saturating_add(self.shift.max(0).unsigned_abs());
        let target = self.base.saturating_add(self.shift.min(0).unsigned_abs());
        (0..self.bits.min(Self::BIT_LIMIT))
            .map(move |i| (source.saturating_add(i), target.saturating_add(i)))
            .filter(|&(source, target)| source.max(target) < Self::BIT_LIMIT)
    }

    /// Offsets that are multiples of this pass through: `S(x + d) = S(x) + d`.
    pub fn period(&self) -> i64 {
        let top = self.bits.saturating_add(self.base).saturating_add(self.shift.unsigned_abs());
        // The fields are public; one past the limit of `new` has no period that an offset could
        // have.
        if top > Self::BIT_LIMIT { i64::MAX } else { 1 << top }
    }

    /// Whether it changes nothing.
    pub fn is_identity(&self) -> bool {
        self.bits == 0
    }

    /// Whether it is its own inverse: iff `|shift| >= bits`, so that no bit is both read and
    /// changed, or there are no bits.
    pub fn is_involution(&self) -> bool {
        self.is_identity() || self.shift.unsigned_abs() >= self.bits
    }

    /// Whether different offsets stay different. Only `shift = 0` is in the way: it adds each bit
    /// to itself, and so clears it.
    pub fn is_bijective(&self) -> bool {
        self.is_identity() || self.shift != 0
    }

    /// The swizzle that undoes this one.
    ///
    /// # Errors
    ///
    /// A swizzle that is not one-to-one; one that is not an involution: what undoes it is linear
    /// over GF(2), and [`Swizzle::unapply`] evaluates it, but it is no single swizzle.
    ///
    /// ```
    /// use layout_algebra::Swizzle;
    /// assert_eq!(Swizzle::new(3, 4, 3)?.inverse()?, Swizzle::new(3, 4, 3)?);
    /// assert_eq!(
    ///     Swizzle::new(3, 0, 2)?.inverse().unwrap_err().to_string(),
    ///     "inverse(S<3,0,2>): expected |shift| of at least the number of bits, so that a swizzle \
    ///      undoes it, found |shift| 2 for 3 bits"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn inverse(&self) -> Result<Self> {
        self.require_bijective("inverse")?;
        if self.is_involution() {
            return Ok(*self);
        }
        let expected = "|shift| of at least the number of bits, so that a swizzle undoes it";
        let found = format!("|shift| {} for {} bits", self.shift.unsigned_abs(), self.bits);
        Err(Error::condition("inverse", self, expected, found))
    }

    /// The offset that is swizzled to this one.
    ///
    /// Adding the moved bits is `1 + N` over GF(2), and `N` moves bits one way only, so that some
    /// power of it is 0 and `1 + N + N² + …` is its inverse. The terms are added by applying the
    /// swizzle to what is found so far: each time at least `|shift|` more bits are right.
    ///
    /// # Errors
    ///
    /// A swizzle that is not one-to-one.
    ///
    /// ```
    /// use layout_algebra::Swizzle;
    /// let swizzle = Swizzle::new(3, 0, 2)?;
    /// assert_eq!((swizzle.apply(16), swizzle.apply(20), swizzle.unapply(20)?), (20, 17, 16));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn unapply(&self, offset: i64) -> Result<i64> {
        self.require_bijective("inverse")?;
        let word = offset.cast_unsigned();
        let mut found = word;
        loop {
            let next = word ^ self.map_place(found);
            if next == found {
                return Ok(found.cast_signed());
            }
            found = next;
        }
    }

    pub(crate) fn require_bijective(&self, operation: &'static str) -> Result<()> {
        if self.is_bijective() {
            return Ok(());
        }
        let found = "shift 0, which adds each bit to itself and so clears it";
        Err(Error::condition(operation, self, "a swizzle that is one-to-one", found))
    }

    /// Whether `self(other(x)) = other(self(x))` for all `x`: iff neither reads a bit that the other
    /// changes.
    ///
    /// ```
    /// use layout_algebra::Swizzle;
    /// let (a, b) = (Swizzle::new(1, 0, 1)?, Swizzle::new(1, 1, 1)?);
    /// assert!(!a.commutes_with(&b));
    /// assert_eq!((a.apply(b.apply(4)), b.apply(a.apply(4))), (7, 6));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn commutes_with(&self, other: &Self) -> bool {
        // With S1 = 1 + N1 and S2 = 1 + N2 they commute iff N1 N2 = N2 N1. Both products move bits,
        // by the same distance; they are equal without being 0 only if the same bits go through, in
        // two ways.
        let reads = |a: &Self, b: &Self| a.target_mask() & b.source_mask() != 0;
        if !reads(self, other) && !reads(other, self) {
            return true;
        }
        self.columns()
            .iter()
            .zip(&other.columns())
            .all(|(&a, &b)| self.apply(b.cast_signed()) == other.apply(a.cast_signed()))
    }

    /// The images of the bits: column `i` of the matrix over GF(2) is `S(2^i)`.
    ///
    /// A swizzle is linear: `S(x xor y) = S(x) xor S(y)`.
    pub fn columns(&self) -> [u64; 64] {
        core::array::from_fn(|bit| {
            let word = 1_u64 << bit;
            word ^ self.map_place(word)
        })
    }

    /// The matrix over GF(2) of the map on 64 bits. Any two swizzles compose as matrices:
    /// `(S1 o S2).matrix() = S1.matrix() * S2.matrix()`.
    ///
    /// ```
    /// use layout_algebra::Swizzle;
    /// let (a, b) = (Swizzle::new(1, 0, 1)?, Swizzle::new(1, 1, 1)?);
    /// let product = a.matrix()?.multiply(&b.matrix()?)?;
    /// assert_eq!(product.apply(0b100), 0b111);
    /// assert_eq!(product.inverse(), Some(b.matrix()?.multiply(&a.matrix()?)?));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// None; the size is the largest that a [`Matrix`] may have.
    pub fn matrix(&self) -> Result<Matrix> {
        Matrix::from_columns(&self.columns(), 64)
    }

    /// `self o other` as one swizzle, if that exists.
    ///
    /// Two of the same shift whose bits lie side by side are one, and one is undone by itself. Most
    /// products of [matrices](Self::matrix) are no swizzle.
    ///
    /// ```
    /// use layout_algebra::Swizzle;
    /// let swizzle = Swizzle::new;
    /// assert_eq!(swizzle(1, 3, 3)?.compose(&swizzle(2, 4, 3)?), Some(swizzle(3, 3, 3)?));
    /// assert_eq!(swizzle(2, 4, 3)?.compose(&swizzle(2, 4, 3)?), Some(Swizzle::identity()));
    /// assert_eq!(swizzle(1, 0, 1)?.compose(&swizzle(1, 1, 1)?), None);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn compose(&self, other: &Self) -> Option<Self> {
        let columns = other.columns().map(|word| self.apply(word.cast_signed()).cast_unsigned());
        Self::of_columns(&columns)
    }

    /// The swizzle whose matrix over GF(2) has these columns, if there is one: [`columns`] read
    /// backwards.
    ///
    /// [`columns`]: Self::columns
    pub fn of_columns(columns: &[u64; 64]) -> Option<Self> {
        let mut pairs = Vec::new();
        for (source, &column) in (0_u32..).zip(columns) {
            let moved = column ^ (1 << source);
            match moved.count_ones() {
                0 => {}
                1 => pairs.push((source, moved.trailing_zeros())),
                _ => return None,
            }
        }
        Self::of_pairs(&pairs)
    }

    /// The swizzle of bits that are read, in ascending order, with those that they are added to.
    pub(crate) fn of_pairs(pairs: &[(u32, u32)]) -> Option<Self> {
        let Some(&(source, target)) = pairs.first() else { return Some(Self::identity()) };
        let in_rows = (0_u32..)
            .zip(pairs)
            .all(|(i, &(read, changed))| (read, changed) == (source + i, target + i));
        if !in_rows {
            return None;
        }
        let bits = u32::try_from(pairs.len()).ok()?;
        let shift = i32::try_from(source).ok()? - i32::try_from(target).ok()?;
        Self::new(bits, source.min(target), shift).ok()
    }

    /// Whether `S(x + by) = S(x) + by` for all `x`, so that the summand may be taken out: iff the
    /// [`period`](Self::period) divides it (and always for the identity).
    ///
    /// ```
    /// use layout_algebra::Swizzle;
    /// let swizzle = Swizzle::new(1, 0, 1)?;
    /// assert!(swizzle.hoists(4) && !swizzle.hoists(2));
    /// assert_eq!((swizzle.apply(0 + 2), swizzle.apply(0) + 2), (3, 2));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn hoists(&self, by: i64) -> bool {
        let period = self.period();
        self.is_identity() || by == 0 || period < i64::MAX && by % period == 0
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S<{},{},{}>", self.bits, self.base, self.shift)
    }
}
