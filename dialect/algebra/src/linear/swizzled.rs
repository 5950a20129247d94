//! Linear layouts as a swizzle over a CuTe layout.

use super::{
    LinearLayout,
    convert::{layout_of_columns, shared},
    dims::signed,
};
use crate::{
    error::Result,
    swizzle::{AnyLayout, ComposedLayout, Swizzle},
};
use alloc::{format, vec::Vec};

impl LinearLayout {
    /// The same function of flattened inputs to flattened outputs in CuTe's terms: a layout where
    /// one does, otherwise a swizzle over one, `S<b,m,s> o 0 o L`.
    ///
    /// Exact: every bijective swizzle within the outputs' bits is tried, and one that reaches past
    /// them or an offset other than 0 can do no more. (`S<b,m,0>`, which clears bits and which CuTe
    /// does not have, is not an answer.) Of several, those come first that CuTe accepts
    /// (`|s| >= b`), then those of fewer bits, then the layouts of least rank, then low bits and
    /// short ways.
    ///
    /// # Errors
    ///
    /// Two bases that share a bit, when no swizzle parts them.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let swizzled = |text: &str| text.parse::<LinearLayout>()?.to_swizzled();
    /// let rows = swizzled("linear<{x = [1,2,4], y = [9,18,36]} -> {offset = 64}>")?;
    /// assert_eq!(rows.to_string(), "S<3,0,3> o 0 o 64:1");
    /// assert_eq!(swizzled("linear<{x = [4,1]} -> {offset = 8}>")?.to_string(), "(2,2):(4,1)");
    /// assert_eq!(
    ///     swizzled("linear<{x = [1,2,7]} -> {offset = 8}>").unwrap_err().to_string(),
    ///     "to_swizzled(linear<{x = [1,2,7]} -> {offset = 8}>): expected bases that a swizzle parts, \
    ///      found 1 at 1 and 7 at 4, and a shared bit under each of the 8 swizzles of 3 bits"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn to_swizzled(&self) -> Result<AnyLayout> {
        let (_, outs, columns) = self.flat();
        let Some((i, j)) = shared(columns) else {
            return layout_of_columns(columns).map(AnyLayout::Plain);
        };
        let mut tried = 0;
        // The two bases that the last swizzle left together. The next one leaves them, mostly.
        let mut together = (i, j);
        let mut best: Option<(Rank, ComposedLayout)> = None;
        for swizzle in swizzles(outs.bits()) {
            tried += 1;
            let known = best.as_ref().map(|(rank, _)| (rank.bent, rank.bits));
            if known.is_some_and(|known| known < (bent(&swizzle), swizzle.bits)) {
                continue;
            }
            let (a, b) = (columns[together.0], columns[together.1]);
            if undo(&swizzle, a)? & undo(&swizzle, b)? != 0 {
                continue;
            }
            let under: Vec<u64> =
                columns.iter().map(|&column| undo(&swizzle, column)).collect::<Result<_>>()?;
            if let Some(pair) = shared(&under) {
                together = pair;
                continue;
            }
            let inner = layout_of_columns(&under)?;
            let rank = Rank {
                bent: bent(&swizzle),
                bits: swizzle.bits,
                rank: inner.rank(),
                base: swizzle.base,
                distance: swizzle.shift.unsigned_abs(),
                left: swizzle.shift < 0,
            };
            if best.as_ref().is_none_or(|(before, _)| rank < *before) {
                best = Some((rank, swizzle.before(0, inner)));
            }
        }
        match best {
            Some((_, composed)) => Ok(AnyLayout::Composed(composed)),
            None => {
                let found = format!(
                    "{} at {} and {} at {}, and a shared bit under each of the {tried} swizzles of \
                     {} bits",
                    columns[i],
                    1_u64 << i,
                    columns[j],
                    1_u64 << j,
                    outs.bits(),
                );
                Err(self.refuse("to_swizzled", "bases that a swizzle parts", found))
            }
        }
    }
}

/// The order of answers, the better first; the first difference counts.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    bent: bool,
    bits: u32,
    rank: usize,
    base: u32,
    distance: u32,
    left: bool,
}

/// Whether the two groups of bits overlap, which CuTe does not accept.
fn bent(swizzle: &Swizzle) -> bool {
    swizzle.shift.unsigned_abs() < swizzle.bits
}

/// Every bijective swizzle but the identity within some bits.
fn swizzles(width: u32) -> impl Iterator<Item = Swizzle> {
    let distances = (1..width).flat_map(|distance| {
        let distance = i32::try_from(distance).unwrap_or(i32::MAX);
        [distance, -distance]
    });
    distances.flat_map(move |shift| {
        let room = width - shift.unsigned_abs();
        (1..=room).flat_map(move |bits| {
            (0..=room - bits).filter_map(move |base| Swizzle::new(bits, base, shift).ok())
        })
    })
}

/// The offset that a bijective swizzle sends to this one.
fn undo(swizzle: &Swizzle, image: u64) -> Result<u64> {
    swizzle.unapply(signed(image)).map(i64::unsigned_abs)
}
