//! The search for a linear swizzle: a matrix over GF(2) where no `S<b,m,s>` is free of conflicts.
//!
//! Bits of an offset, from the lowest: those within what a thread moves at once (and within a word), `k` that choose
//! the bank, and the rest. A swizzle `X` is an invertible matrix on the bits above the first group; an access is done in
//! phases, and the offsets of a phase are a coset of a subspace `V` of these bits. Two threads of a phase have
//! a bank conflict where `X` gives them the same `k` lowest bits: where they differ by a vector of the kernel `K` of the first `k` rows.
//! So a phase takes `2^dim(V ∩ K)` wavefronts, at least `2^(dim V - k)`, and the search is for a subspace `K` of
//! codimension `k` that meets the subspaces of all accesses in as little as it can. (Zhou et al., "Linear layouts",
//! section on optimal swizzling, for one read and one write; for these two a `K` without conflicts always exists,
//! since two proper subspaces are not the whole space.)
//!
//! `K` grows by one vector at a time. Tried first is a unit vector of the rest, plus bits of the bank: `X` then only adds bits to those that choose the
//! bank, as `S<b,m,s>` does. All other vectors follow.

use super::{Access, Conflicts, Places, WORD_BYTES, bank_bits, element_width};
use crate::{
    error::{Error, Result},
    layout::Layout,
    linear::{LinearLayout, Matrix},
    swizzle::AnyLayout,
};
use alloc::{format, vec::Vec};
use core::fmt;

/// Vectors that the search tries.
const TRIALS: usize = 1 << 20;

const OPERATION: &str = "linear_swizzle";

/// The result of [`Layout::linear_swizzle`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinearSwizzle {
    /// From offsets to swizzled offsets: a permutation.
    pub swizzle: LinearLayout,
    /// From indices of the tile to swizzled offsets.
    pub layout: LinearLayout,
    /// The conflicts of each access, without and with the swizzle.
    pub conflicts: Vec<[Conflicts; 2]>,
    /// Vectors that were tried.
    pub tried: usize,
    /// Whether no linear swizzle has fewer extra wavefronts: the bound was reached, or all were tried.
    pub complete: bool,
}

impl LinearSwizzle {
    /// Wavefronts beyond one for each phase, of all accesses with the swizzle.
    pub fn extra(&self) -> u64 {
        self.conflicts.iter().map(|[_, after]| after.extra()).sum()
    }

    /// Whether all accesses are free of conflicts.
    pub fn is_free(&self) -> bool {
        self.extra() == 0
    }
}

impl fmt::Display for LinearSwizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before: u64 = self.conflicts.iter().map(|[before, _]| before.extra()).sum();
        write!(f, "{}: {} extra wavefronts instead of {before}", self.swizzle, self.extra())
    }
}

impl Layout {
    /// The linear swizzle of a tile under which accesses have the fewest extra wavefronts.
    ///
    /// It is a permutation of the offsets that keeps together what a thread moves at once. For one store and one load it
    /// is free of conflicts wherever any layout of the tile is; [`conflict_free_swizzle`](crate::Layout::conflict_free_swizzle)
    /// is to be tried first, since an `S<b,m,s>` costs fewer instructions.
    ///
    /// ```
    /// use layout_algebra::{Access, Layout};
    /// // A warp stores one number each, and loads four in a row each, along bits of the index that no shift lines up.
    /// let tile: Layout = "1024:1".parse()?;
    /// let store: Layout = "((2,2,2,2,2),1):((128,32,8,1,2),1)".parse()?;
    /// let load: Layout = "((2,2,2,2,2),4):((64,32,512,16,256),1)".parse()?;
    /// assert_eq!(tile.conflict_free_swizzle(&store, &load, 32)?.extra(), 4);
    /// let accesses = [Access { places: store, at_once: 1 }, Access { places: load, at_once: 4 }];
    /// assert!(tile.linear_swizzle(&accesses, 32)?.is_free());
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn linear_swizzle(&self, accesses: &[Access], element_bits: i64) -> Result<LinearSwizzle> {
        element_width(OPERATION, element_bits)?;
        let plain = AnyLayout::Plain(self.clone());
        let base = LinearLayout::from_layout(self)?;
        let places = accesses
            .iter()
            .map(|access| {
                let bits = access.at_once.saturating_mul(element_bits);
                Places::new(OPERATION, &plain, &access.places, bits, element_bits)
            })
            .collect::<Result<Vec<_>>>()?;
        let word = (WORD_BYTES * 8 / element_bits).max(1);
        let vector = places.iter().map(|places| places.vector).fold(word, i64::max);
        let bits = base.cosize().trailing_zeros();
        // A tile may be smaller than what is moved at once, or than a word.
        let (low, high) = (vector.trailing_zeros().min(bits), bank_bits(element_bits));
        let wide = bits.saturating_sub(low);
        let banks = high.saturating_sub(low).min(wide);
        let mut search = Search {
            wide,
            banks,
            phases: accesses
                .iter()
                .zip(&places)
                .map(|(access, places)| Phases::new(&base, access, places, low))
                .collect::<Result<_>>()?,
            tried: 0,
            best: None,
        };
        search.grow(&mut Vec::new(), &search.start());
        let complete = search.tried < TRIALS
            || search.best.as_ref().is_some_and(|(cost, _)| *cost == search.least());
        let kernel = search.best.map(|(_, kernel)| kernel).unwrap_or_default();
        let matrix = matrix_of(&kernel, wide, banks, low)?;
        let size = base.cosize();
        let offsets = [("offset", size)];
        let swizzle = LinearLayout::from_matrix(&matrix, &offsets, &offsets)?;
        let both = matrix.multiply(&base.matrix())?;
        let layout = LinearLayout::from_matrix(&both, &[("index", base.size())], &offsets)?;
        let moved = |offset: i64| matrix.apply(offset.cast_unsigned()).cast_signed();
        let conflicts = places
            .iter()
            .map(|places| [places.conflicts(|at| at), places.conflicts(moved)])
            .collect();
        Ok(LinearSwizzle { swizzle, layout, conflicts, tried: search.tried, complete })
    }
}

/// The phases of an access.
struct Phases {
    /// The differences of a phase's offsets that agree on the lowest bits of the bank, which no swizzle changes.
    differences: Span,
    /// How many phases there are.
    count: u64,
}

impl Phases {
    fn new(base: &LinearLayout, access: &Access, places: &Places, low: u32) -> Result<Self> {
        let linear = LinearLayout::from_layout(&access.places)?;
        let in_phase = places.phases.first().copied().unwrap_or(1);
        let bytes = places.vector * places.element_bits / 8;
        let run = bytes.max(WORD_BYTES);
        let dropped = (run * 8 / places.element_bits).max(1).trailing_zeros();
        // The lowest bits first, so that what is left has none of them.
        let columns = linear.columns().iter().take(in_phase.ilog2() as usize);
        let span = Span::of(columns.map(|&column| base.matrix().apply(column) >> dropped));
        let below = low.saturating_sub(dropped);
        // Lowest bits differ: a sum has the lowest of them, and so the vectors without low ones are by themselves.
        let without = span.0.iter().filter(|&vector| vector & ((1_u64 << below) - 1) == 0);
        let differences = Span(without.map(|vector| vector >> below).collect());
        Ok(Self { differences, count: places.phases.len() as u64 })
    }
}

/// A subspace: vectors of which each has a lowest bit that no other has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Span(Vec<u64>);

impl Span {
    fn of(vectors: impl IntoIterator<Item = u64>) -> Self {
        let mut span = Self::default();
        for vector in vectors {
            span.insert(vector);
        }
        span
    }

    fn reduced(&self, mut word: u64) -> u64 {
        for &vector in &self.0 {
            if word & (vector & vector.wrapping_neg()) != 0 {
                word ^= vector;
            }
        }
        word
    }

    /// Adds a vector; whether it was outside.
    fn insert(&mut self, word: u64) -> bool {
        let word = self.reduced(word);
        if word == 0 {
            return false;
        }
        let lowest = word & word.wrapping_neg();
        for vector in &mut self.0 {
            if *vector & lowest != 0 {
                *vector ^= word;
            }
        }
        self.0.push(word);
        true
    }

    fn dimension(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

struct Search {
    /// Bits of an offset that a swizzle may change or read.
    wide: u32,
    /// The lowest of them, which choose the bank.
    banks: u32,
    phases: Vec<Phases>,
    tried: usize,
    /// The cost and the kernel.
    best: Option<(u64, Vec<u64>)>,
}

/// For each access the sum of its differences and the kernel; and the kernel.
#[derive(Clone)]
struct State {
    sums: Vec<Span>,
    kernel: Span,
}

impl Search {
    fn start(&self) -> State {
        let sums = self.phases.iter().map(|phases| phases.differences.clone());
        State { sums: sums.collect(), kernel: Span::default() }
    }

    /// Extra wavefronts of a kernel, which grow with it.
    fn cost(&self, state: &State) -> u64 {
        let each = self.phases.iter().zip(&state.sums).map(|(phases, sum)| {
            let shared =
                phases.differences.dimension() + state.kernel.dimension() - sum.dimension();
            phases.count * ((1_u64 << shared) - 1)
        });
        each.sum()
    }

    /// The count that no swizzle goes below.
    fn least(&self) -> u64 {
        let each = self.phases.iter().map(|phases| {
            phases.count
                * ((1_u64 << phases.differences.dimension().saturating_sub(self.banks)) - 1)
        });
        each.sum()
    }

    fn is_done(&self) -> bool {
        self.tried >= TRIALS || self.best.as_ref().is_some_and(|(cost, _)| *cost <= self.least())
    }

    /// Grows a kernel to its full dimension, with the cheapest vectors first.
    fn grow(&mut self, kernel: &mut Vec<u64>, state: &State) {
        let cost = self.cost(state);
        if self.best.as_ref().is_some_and(|(best, _)| cost >= *best) {
            return;
        }
        let level = state.kernel.dimension();
        if level + self.banks >= self.wide {
            self.best = Some((cost, kernel.clone()));
            return;
        }
        let unit = 1_u64 << (self.banks + level);
        // Bits of the rest that are added to those of the bank, as by a swizzle; then anything.
        let added = (0..1_u64 << self.banks).map(move |bank| unit | bank);
        let all = 1..=(u64::MAX >> (64 - self.wide.clamp(1, 63)));
        for costlier in [false, true] {
            for vector in added.clone().chain(all.clone()) {
                if self.is_done() {
                    return;
                }
                self.tried += 1;
                let mut next = state.clone();
                if !next.kernel.insert(vector) {
                    continue;
                }
                for sum in &mut next.sums {
                    sum.insert(vector);
                }
                if (self.cost(&next) > cost) != costlier {
                    continue;
                }
                kernel.push(vector);
                self.grow(kernel, &next);
                kernel.pop();
            }
        }
    }
}

/// The permutation of offsets under which the vectors of a kernel become the bits above those of the bank.
fn matrix_of(kernel: &[u64], wide: u32, banks: u32, low: u32) -> Result<Matrix> {
    let mut span = Span::of(kernel.iter().copied());
    // The vectors that become the bits of the bank: those bits themselves, where they are not in the kernel.
    let mut columns = Vec::new();
    for bit in 0..wide {
        if columns.len() < banks as usize && span.insert(1 << bit) {
            columns.push(1_u64 << bit);
        }
    }
    columns.extend(kernel);
    let inverse = Matrix::from_columns(&columns, wide)?.inverse().ok_or_else(|| {
        Error::overflow(OPERATION, format!("a kernel of {} vectors", kernel.len()))
    })?;
    let low_bits = (0..low).map(|bit| 1_u64 << bit);
    let above = inverse.columns().into_iter().map(|column| column << low);
    Matrix::from_columns(&low_bits.chain(above).collect::<Vec<_>>(), low + wide)
}
