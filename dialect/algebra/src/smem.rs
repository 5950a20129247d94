//! Bank conflicts of shared memory, and the swizzle that avoids them.
//!
//! Shared memory has 32 banks of 4 bytes: word `w` is in bank `w mod 32`, and a bank gives one word
//! in a wavefront. A warp's access is done in phases, of 128 bytes at most:
//!
//! | bytes that a thread moves | threads to a phase |
//! |---|---|
//! | 1, 2, 4 | 32, the warp |
//! | 8 | 16 |
//! | 16 | 8 |
//!
//! Threads of a phase that touch the same word share it. Those that touch different words of one
//! bank wait for each other: a phase takes as many wavefronts as the fullest bank has different
//! words, and each beyond the first is a conflict.
//!
//! Eight rows of 64 half-precision numbers; eight threads load 16 bytes each, one from each row, as
//! `ldmatrix` does. A row is 128 bytes, so that all rows start in the same bank:
//!
//! ```text
//!   (8,64):(64,1)                      S<3,3,3> o 0 o (8,64):(64,1)
//!   chunks of 4 banks                  chunk c of row r is where chunk c xor r was
//!   row 0   0 . . . . . . .            row 0   0 . . . . . . .
//!   row 1   1 . . . . . . .            row 1   . 1 . . . . . .
//!   row 2   2 . . . . . . .            row 2   . . 2 . . . . .
//!     ⋮                                  ⋮
//!   row 7   7 . . . . . . .            row 7   . . . . . . . 7
//!   8 wavefronts                       1 wavefront
//! ```
//!
//! The model takes the start of the layout to be aligned: to 128 bytes, and to the period of its
//! swizzle.

mod linear;
mod under;

pub use linear::LinearSwizzle;

use crate::{
    error::{Error, Result},
    layout::{
        Layout,
        evaluate::{At, ENUMERATION_LIMIT, Offsets},
    },
    linear::LinearLayout,
    swizzle::{AnyLayout, Outside, Swizzle},
};
use alloc::{format, string::String, vec::Vec};
use core::fmt;

/// Banks of shared memory.
pub const BANKS: i64 = 32;

/// Bytes of a word, which a bank gives at once.
pub const WORD_BYTES: i64 = 4;

/// Threads of a warp.
const WARP: usize = 32;

/// Bits that a thread moves at most.
pub(crate) const VECTOR_BITS: i64 = 128;

/// Elements that an access may have: threads times values.
pub const ACCESS_LIMIT: i64 = 1 << 16;

/// Places of threads that [`Layout::conflict_free_swizzle`] tries.
const SEARCH_LIMIT: usize = 1 << 20;

/// The cost of an access.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conflicts {
    /// Bytes that a thread moves at once.
    pub bytes: i64,
    /// The wavefronts of each phase: warp by warp, of each warp value by value, and of these phase
    /// by phase.
    pub wavefronts: Vec<u32>,
}

impl Conflicts {
    /// Wavefronts of all phases.
    pub fn total(&self) -> u64 {
        self.wavefronts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Wavefronts beyond one for each phase.
    pub fn extra(&self) -> u64 {
        self.wavefronts.iter().map(|&count| u64::from(count.saturating_sub(1))).sum()
    }

    /// Wavefronts of the slowest phase: 1 without conflicts, 8 for an eight-way conflict.
    pub fn worst(&self) -> u32 {
        self.wavefronts.iter().copied().max().unwrap_or(0)
    }

    /// Whether no phase takes more than one wavefront.
    pub fn is_free(&self) -> bool {
        self.extra() == 0
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let (total, phases) = (self.total(), self.wavefronts.len() as u64);
        write!(
            f,
            "{total} wavefront{} in {phases} phase{} of {}-byte accesses, {} extra",
            plural(total),
            plural(phases),
            self.bytes,
            self.extra()
        )
    }
}

impl AnyLayout {
    /// The bank conflicts of an access.
    ///
    /// `layout` gives the offset of each of its indices, in elements of `element_bits`. `access` says
    /// which index each thread moves: its first mode is the thread, its second the value. Values that
    /// are at contiguous, aligned offsets are moved at once, up to 16 bytes, as long as that holds for
    /// all threads; to examine single elements, let the second mode have extent 1.
    ///
    /// # Errors
    ///
    /// An access that is no pair of modes, or reaches past the layout; an element width that is no power
    /// of two up to 128; single elements of less than a byte; more than [`ACCESS_LIMIT`] elements;
    /// overflow.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// let tile = |text: &str| Term::parse(text)?.eval_layout();
    /// // Thread t loads 8 values of row t.
    /// let rows = "(8,8):(1,8)".parse()?;
    /// let plain = tile("(8,64):(64,1)")?.conflicts(&rows, 16)?;
    /// assert_eq!(plain.to_string(), "8 wavefronts in 1 phase of 16-byte accesses, 7 extra");
    /// assert!(tile("S<3,3,3> o 0 o (8,64):(64,1)")?.conflicts(&rows, 16)?.is_free());
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn conflicts(&self, access: &Layout, element_bits: i64) -> Result<Conflicts> {
        let places = Places::new("conflicts", self, access, VECTOR_BITS, element_bits)?;
        Ok(places.conflicts(|offset| offset))
    }
}

impl LinearLayout {
    /// [`AnyLayout::conflicts`] of a linear layout into offsets.
    pub fn conflicts(&self, access: &Layout, element_bits: i64) -> Result<Conflicts> {
        let sizes = sizes_of("conflicts", access, self.size(), self, element_bits)?;
        let at = |index: Option<i64>| self.at(index.ok_or_else(|| Error::overflow("at", access))?);
        let offsets = Offsets::of(access).map(at).collect::<Result<Vec<_>>>()?;
        conflicts_of_offsets(&offsets, sizes, element_bits)
    }
}

/// The error for an access that is no pair.
pub(crate) fn no_pair(operation: &'static str, access: &impl fmt::Display) -> Error {
    Error::operand(operation, "an access with a mode of threads and one of values", access)
}

/// Refuses elements of which a bank or a vector does not hold whole ones.
pub(crate) fn element_width(operation: &'static str, bits: i64) -> Result<()> {
    if bits > 0 && bits.cast_unsigned().is_power_of_two() && bits <= VECTOR_BITS {
        return Ok(());
    }
    Err(Error::operand(operation, "elements of a power of two of bits, at most 128", bits))
}

/// The threads and values of an access to a layout of so many indices.
fn sizes_of(
    operation: &'static str,
    access: &Layout,
    size: i64,
    layout: &dyn fmt::Display,
    element_bits: i64,
) -> Result<[i64; 2]> {
    element_width(operation, element_bits)?;
    let modes = access.modes();
    let [threads, values] = modes.as_slice() else {
        return Err(no_pair(operation, access));
    };
    within_limit(access.size())?;
    if access.flat().iter().any(|&(extent, stride)| extent > 1 && stride < 0)
        || access.cosize()? > size
    {
        let expected = format!("an access to the {size} indices of {layout}");
        return Err(Error::operand(operation, expected, access));
    }
    Ok([threads.size(), values.size()])
}

/// Refuses accesses of too many elements.
pub(crate) fn within_limit(size: i64) -> Result<()> {
    if size <= ACCESS_LIMIT {
        return Ok(());
    }
    Err(Error::limit("elements of an access", ACCESS_LIMIT, size))
}

/// The conflicts of threads and values whose offsets are given, value by value.
pub(crate) fn conflicts_of_offsets(
    offsets: &[i64],
    sizes: [i64; 2],
    element_bits: i64,
) -> Result<Conflicts> {
    let places = Places::of_offsets("conflicts", offsets, sizes, VECTOR_BITS, element_bits)?;
    Ok(places.conflicts(|offset| offset))
}

/// The result of [`Layout::conflict_free_swizzle`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SwizzleChoice {
    /// The swizzle; the identity where it is not needed, or no other is better.
    pub swizzle: Swizzle,
    /// The store's conflicts, without and with the swizzle.
    pub store: [Conflicts; 2],
    /// The load's conflicts, without and with the swizzle.
    pub load: [Conflicts; 2],
    /// Swizzles that were tried.
    pub tried: usize,
    /// Whether all that could help were tried. If not, a better one may exist.
    pub complete: bool,
}

impl SwizzleChoice {
    /// Whether store and load are free of conflicts. If not, this is the best that was found.
    pub fn is_free(&self) -> bool {
        self.extra() == 0
    }

    /// Wavefronts beyond one for each phase, of store and load with the swizzle.
    pub fn extra(&self) -> u64 {
        self.store[1].extra() + self.load[1].extra()
    }
}

impl fmt::Display for SwizzleChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { swizzle, store, load, .. } = self;
        write!(
            f,
            "{swizzle}: store {} extra wavefronts instead of {}, load {} instead of {}",
            store[1].extra(),
            store[0].extra(),
            load[1].extra(),
            load[0].extra()
        )?;
        match (self.is_free(), self.complete) {
            (true, _) => Ok(()),
            (false, true) => f.write_str("; none is free"),
            (false, false) => write!(f, "; the best of {} tried", self.tried),
        }
    }
}

impl Layout {
    /// The least swizzle that makes a store and a load of a tile free of bank conflicts, or the one with
    /// the fewest.
    ///
    /// Tried are those with `|shift| >= bits` that keep what a thread moves at once together,
    /// change a bit that chooses a bank, and need no more memory than the tile. Among those with the fewest extra
    /// wavefronts the answer has the fewest bits, then the smallest shift, then the lowest base; of a
    /// shift and its opposite the positive one.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// // 32x32 of f32, which 32 warps store by rows and load by columns: a transpose.
    /// let (rows, columns) = ("((32,32),1):((32,1),0)".parse()?, "((32,32),1):((1,32),0)".parse()?);
    /// let choice = "(32,32):(32,1)".parse::<Layout>()?.conflict_free_swizzle(&rows, &columns, 32)?;
    /// assert_eq!(
    ///     choice.to_string(),
    ///     "S<5,0,5>: store 0 extra wavefronts instead of 0, load 0 instead of 992"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn conflict_free_swizzle(
        &self,
        store: &Layout,
        load: &Layout,
        element_bits: i64,
    ) -> Result<SwizzleChoice> {
        const OPERATION: &str = "conflict_free_swizzle";
        let tile = AnyLayout::Plain(self.clone());
        let store = Places::new(OPERATION, &tile, store, VECTOR_BITS, element_bits)?;
        let load = Places::new(OPERATION, &tile, load, VECTOR_BITS, element_bits)?;
        let [before_store, before_load] = [&store, &load].map(|places| places.conflicts(|at| at));
        let mut best = SwizzleChoice {
            swizzle: Swizzle::identity(),
            store: [before_store.clone(), before_store],
            load: [before_load.clone(), before_load],
            tried: 1,
            complete: true,
        };
        let cost = store.starts.len() + load.starts.len();
        let cosize = self.cosize()?;
        // How far a swizzled layout reaches may have to be evaluated.
        let reach_cost = usize::try_from(self.size().min(ENUMERATION_LIMIT)).unwrap_or(usize::MAX);
        let mut spent = 0_usize;
        let vector = store.vector.max(load.vector);
        for swizzle in candidates(vector, cosize, element_bits) {
            // They come by their number of bits, so that no later one is less than a free one.
            if best.is_free() {
                break;
            }
            if spent > SEARCH_LIMIT {
                best.complete = false;
                break;
            }
            best.tried += 1;
            spent = spent.saturating_add(cost);
            let [stored, loaded] =
                [&store, &load].map(|places| places.conflicts(|at| swizzle.apply(at)));
            if stored.extra() + loaded.extra() >= best.extra() {
                continue;
            }
            spent = spent.saturating_add(reach_cost);
            if swizzle.before(0, self.clone()).cosize().is_ok_and(|swizzled| swizzled <= cosize) {
                best.swizzle = swizzle;
                (best.store[1], best.load[1]) = (stored, loaded);
            }
        }
        Ok(best)
    }
}

/// An access to a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The index of the tile that each thread moves: the first mode is the thread, the second the value.
    pub places: Layout,
    /// Values that an instruction moves at once, at most.
    pub at_once: i64,
}

/// The result of [`Fewest::among`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fewest {
    /// The candidate's number.
    pub candidate: usize,
    /// The conflicts of each access.
    pub conflicts: Vec<Conflicts>,
    /// Candidates that were tried.
    pub tried: usize,
    /// Whether all were that could be better.
    pub complete: bool,
}

impl Fewest {
    /// Wavefronts beyond one for each phase, of all accesses.
    pub fn extra(&self) -> u64 {
        self.conflicts.iter().map(Conflicts::extra).sum()
    }

    /// The layout, among several of a tile, whose accesses have the fewest extra wavefronts, and of
    /// several such ones the first. The search ends with a layout that has none, or where it has moved
    /// more places than its budget, after the first.
    ///
    /// # Errors
    ///
    /// As [`AnyLayout::conflicts`], of the first; others that cannot be accessed so are passed over. No candidates.
    ///
    /// ```
    /// use layout_algebra::{Access, Fewest, Term};
    /// let tile = |text: &str| Term::parse(text)?.eval_layout();
    /// // Thread t stores 8 values of row t, and loads 8 of column t, one by one.
    /// let [rows, columns] = [("(8,8):(1,8)", 8), ("(8,8):(8,1)", 1)]
    ///     .map(|(text, at_once)| (text.parse(), at_once));
    /// let accesses = [
    ///     Access { places: rows.0?, at_once: rows.1 },
    ///     Access { places: columns.0?, at_once: columns.1 },
    /// ];
    /// let candidates = [tile("(8,64):(64,1)")?, tile("S<3,3,3> o 0 o (8,64):(64,1)")?];
    /// let fewest = Fewest::among(&candidates, &accesses, 16)?;
    /// assert_eq!((fewest.candidate, fewest.extra()), (1, 0));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn among(
        candidates: &[AnyLayout],
        accesses: &[Access],
        element_bits: i64,
    ) -> Result<Fewest> {
        const OPERATION: &str = "fewest_conflicts";
        let counted = |layout: &AnyLayout| -> Result<(usize, Vec<Conflicts>)> {
            let mut cost = 0_usize;
            let all = accesses.iter().map(|access| {
                let bits = access.at_once.saturating_mul(element_bits);
                let places = Places::new(OPERATION, layout, &access.places, bits, element_bits)?;
                cost = cost.saturating_add(places.starts.len());
                Ok(places.conflicts(|offset| offset))
            });
            let all = all.collect::<Result<Vec<_>>>()?;
            Ok((cost, all))
        };
        let first = candidates
            .first()
            .ok_or_else(|| Error::operand(OPERATION, "a layout to try", "none"))?;
        let (mut spent, conflicts) = counted(first)?;
        let mut best = Fewest { candidate: 0, conflicts, tried: 1, complete: true };
        for (candidate, layout) in candidates.iter().enumerate().skip(1) {
            if best.extra() == 0 {
                break;
            }
            if spent > SEARCH_LIMIT {
                best.complete = false;
                break;
            }
            best.tried += 1;
            let Ok((cost, conflicts)) = counted(layout) else { continue };
            spent = spent.saturating_add(cost);
            if conflicts.iter().map(Conflicts::extra).sum::<u64>() < best.extra() {
                (best.candidate, best.conflicts) = (candidate, conflicts);
            }
        }
        Ok(best)
    }
}

impl Swizzle {
    /// The swizzles that choose other banks for what is moved `vector` elements at once, a power of two, in a
    /// tile of `size` elements that they do not leave: the least first. None for elements that banks do not hold.
    pub fn of_banks(vector: i64, size: i64, element_bits: i64) -> Vec<Swizzle> {
        if element_width("of_banks", element_bits).is_err() {
            return Vec::new();
        }
        let mut found = candidates(vector.max(1), size, element_bits);
        let high = bank_bits(element_bits);
        let choose = |swizzle: &Swizzle| swizzle.target_mask().checked_shr(high).unwrap_or(0) == 0;
        found.retain(|swizzle| size % swizzle.period() == 0 && choose(swizzle));
        found
    }
}

/// Bits of an offset that choose a bank or an element of a word.
fn bank_bits(element_bits: i64) -> u32 {
    (BANKS * WORD_BYTES * 8 / element_bits).trailing_zeros()
}

/// The swizzles that could help, the least first.
fn candidates(vector: i64, cosize: i64, element_bits: i64) -> Vec<Swizzle> {
    // Bits of an offset: below `low` within what is moved at once, below `high` within all banks.
    let low = vector.trailing_zeros();
    let high = bank_bits(element_bits);
    let top =
        cosize.saturating_sub(1).checked_ilog2().map_or(0, |bit| bit + 1).min(Swizzle::BIT_LIMIT);
    let mut found = Vec::new();
    // Both groups of bits lie below `top`.
    for bits in 1..=top / 2 {
        for distance in bits..=top {
            for base in low..=top {
                let signed = i32::try_from(distance).unwrap_or(0);
                for shift in [signed, -signed] {
                    let target = if shift > 0 { base } else { base + distance };
                    if base + bits + distance <= top
                        // Bits past those that choose a bank may keep the layout in its memory.
                        && target < high
                        && let Ok(swizzle) = Swizzle::new(bits, base, shift)
                    {
                        found.push(swizzle);
                    }
                }
            }
        }
    }
    found
}

/// Where threads start to move what they move at once.
struct Places {
    /// Elements that are moved at once.
    vector: i64,
    element_bits: i64,
    /// Offsets: warp by warp, of each warp value by value, of each value thread by thread.
    starts: Vec<i64>,
    /// How many of the starts a phase has. The last phase of a value of a warp may be shorter.
    phases: Vec<usize>,
}

impl Places {
    fn new(
        operation: &'static str,
        layout: &AnyLayout,
        access: &Layout,
        most_bits: i64,
        element_bits: i64,
    ) -> Result<Self> {
        let sizes = sizes_of(operation, access, layout.size(), layout, element_bits)?;
        let inner = At::new(layout.inner())?;
        let outside = match layout {
            AnyLayout::Plain(_) => None,
            AnyLayout::Composed(composed) => Some(Outside::of(composed)?),
        };
        let at = |index: Option<i64>| {
            let middle = inner.at(index.ok_or_else(|| Error::overflow("at", access))?)?;
            outside.as_ref().map_or(Ok(middle), |outside| outside.at(middle))
        };
        let offsets = Offsets::of(access).map(at).collect::<Result<Vec<_>>>()?;
        Self::of_offsets(operation, &offsets, sizes, most_bits, element_bits)
    }

    /// The places of threads and values whose offsets are given, value by value.
    fn of_offsets(
        operation: &'static str,
        offsets: &[i64],
        [threads, values]: [i64; 2],
        most_bits: i64,
        element_bits: i64,
    ) -> Result<Self> {
        let refused = |expected: &str, found: String| Error::operand(operation, expected, found);
        element_width(operation, element_bits)?;
        let rows = usize::try_from(threads).unwrap_or(usize::MAX);
        let at = |thread: usize, value: usize| offsets.get(value * rows + thread).copied();
        let count = usize::try_from(values).unwrap_or(usize::MAX);
        let most = (VECTOR_BITS.min(most_bits) / element_bits).max(1);
        let mut vector = (1 << most.ilog2()).min(values & values.wrapping_neg());
        while vector > 1 && !moved_at_once(&at, rows, count, vector) {
            vector /= 2;
        }
        if vector * element_bits < 8 {
            return Err(refused(
                "a vector of whole bytes",
                format!("{vector} of {element_bits} bits"),
            ));
        }
        let to_a_phase = match vector * element_bits / 8 {
            16 => 8,
            8 => 16,
            _ => WARP,
        };
        let (mut starts, mut phases) = (Vec::new(), Vec::new());
        let step = usize::try_from(vector).unwrap_or(1);
        for warp in (0..rows).step_by(WARP) {
            for value in (0..count).step_by(step) {
                let end = rows.min(warp + WARP);
                starts.extend((warp..end).filter_map(|thread| at(thread, value)));
                for first in (warp..end).step_by(to_a_phase) {
                    phases.push(to_a_phase.min(end - first));
                }
            }
        }
        Ok(Self { vector, element_bits, starts, phases })
    }

    /// The conflicts when offsets are moved by `f`, which keeps together what is moved at once.
    fn conflicts(&self, f: impl Fn(i64) -> i64) -> Conflicts {
        let bytes = self.vector * self.element_bits / 8;
        // An access is aligned: it lies in one word, or is a run of whole words. Two of them
        // are the same run, or have no bank in common, or all of their banks.
        let run = bytes.max(WORD_BYTES);
        let elements = (run * 8 / self.element_bits).trailing_zeros();
        let groups = BANKS * WORD_BYTES / run;
        let mut left = self.starts.as_slice();
        let mut runs = Vec::with_capacity(WARP);
        let wavefronts = self.phases.iter().map(|&count| {
            let (phase, rest) = left.split_at(count.min(left.len()));
            left = rest;
            runs.clear();
            runs.extend(phase.iter().map(|&start| f(start) >> elements));
            fullest_bank(&mut runs, groups)
        });
        Conflicts { bytes, wavefronts: wavefronts.collect() }
    }
}

/// Whether every thread's groups of `vector` values are at contiguous, aligned offsets.
fn moved_at_once(
    at: &impl Fn(usize, usize) -> Option<i64>,
    threads: usize,
    values: usize,
    vector: i64,
) -> bool {
    let step = usize::try_from(vector).unwrap_or(1);
    (0..threads).all(|thread| {
        (0..values).step_by(step).all(|value| {
            let Some(start) = at(thread, value) else { return false };
            start % vector == 0
                && (0..vector).zip(value..values).all(|(i, value)| {
                    at(thread, value).is_some_and(|offset| offset.checked_sub(start) == Some(i))
                })
        })
    })
}

/// The most different runs of words that share their banks, where these are so many groups, a power of
/// two.
fn fullest_bank(runs: &mut Vec<i64>, groups: i64) -> u32 {
    runs.sort_unstable();
    runs.dedup();
    let mut counts = [0_u32; BANKS as usize];
    for run in runs.iter() {
        let bank = usize::try_from(run & (groups - 1)).unwrap_or(0);
        if let Some(count) = counts.get_mut(bank) {
            *count += 1;
        }
    }
    counts.into_iter().max().unwrap_or(0)
}
