//! The algebra of coordinate layouts: part by part of the coordinate.
//!
//! Each leaf of such a layout moves one part of the coordinate, and no two parts add up. So an operation is that of
//! plain layouts on the leaves that move each part, and the answers are put together again:
//!
//! | operation | by parts |
//! |---|---|
//! | `A o B` | `A_p o B_p` for the mode `A_p` of `A` that part `p` of the coordinate enters; each leaf keeps its place |
//! | `complement(B, T)` | mode `p` is `complement(B_p, T_p)` |
//! | `right_inverse(B)`, `left_inverse(B)` | a layout that takes the coordinate: mode `p` is the inverse of `B_p`, as indices of `B` |
//! | `A ⊗ B` | `(A, A* o B)`; `B` into coordinates repeats along each part, an integer `B` along the first |
//! | `is_injective`, `is_surjective` | of each `B_p` |
//!
//! `B_p` is the layout of the leaves that move part `p`. CuTe composes so, leaf by leaf
//! (`composition` of a stride that is a scaled basis element); it has no inverse or complement here, and these follow
//! from the definitions: `A(A^r(c)) = c`, `A^l(A(i)) = i`, and `(B, B*)` reaches each coordinate once. An operation that takes a
//! coordinate layout on the left alone (divides, and composition with a plain layout) has no file of its own:
//! these operations are generic in the stride.

use crate::layout::prelude::*;
use crate::{
    integer::Integer,
    layout::{
        basis::{Basis, BasisLayout, lifted},
        injective::Injective,
        modal::{Part, TrailingModes, by_mode, joined, refined, zip_product},
        product::goes_on,
    },
};
use alloc::sync::Arc;

/// The result of an operation.
type LayoutResult<L, S = L> = Result<Layout<L, S>, <L as Integer>::Error>;

/// A leaf of a coordinate layout.
struct CoordLeaf<L> {
    extent: L,
    /// How far it moves, and which part of the coordinate.
    step: Basis<L>,
    /// The index at which its second entry is.
    start: L,
}

impl<L: Leaf> CoordLeaf<L> {
    fn moves(&self, path: &[usize]) -> bool {
        self.step.path == path && !self.step.scale.is(0)
    }
}

/// How a coordinate layout is repeated.
#[non_exhaustive]
pub enum Times<L: Leaf> {
    /// By a layout of integers.
    Plain(Layout<L>),
    /// By a layout into the same coordinates.
    Coordinates(BasisLayout<L>),
}

/// The plain layout of the leaves that move a part of the coordinate, and where their entries are as indices of
/// the whole.
fn of_part<L: Leaf>(leaves: &[CoordLeaf<L>], path: &[usize]) -> Result<[Layout<L>; 2], L::Error> {
    let layout = |stride: fn(&CoordLeaf<L>) -> &L| {
        let moved = leaves.iter().filter(|leaf| leaf.moves(path));
        let modes: Vec<_> = moved.map(|leaf| (leaf.extent.clone(), stride(leaf).clone())).collect();
        Layout::of_leaves(&modes)
    };
    Ok([layout(|leaf| &leaf.step.scale)?, layout(|leaf| &leaf.start)?])
}

impl<L: Leaf> BasisLayout<L> {
    fn map_place(&self) -> Result<Vec<CoordLeaf<L>>, L::Error> {
        let mut start = L::from(1);
        let mut leaves = Vec::new();
        for (extent, step) in self.leaves() {
            let next = start.times(&extent).map_err(|lost| L::lost(lost, "size", self))?;
            leaves.push(CoordLeaf { extent, step, start });
            start = next;
        }
        Ok(leaves)
    }

    /// The plain layout of the leaves that move a part of the coordinate.
    pub(crate) fn along(&self, path: &[usize]) -> Result<Layout<L>, L::Error> {
        let [offsets, _] = of_part(&self.map_place()?, path)?;
        Ok(offsets)
    }

    /// `left o self`, where the coordinate enters the modes of `left`, each part the mode at its place.
    ///
    /// # Errors
    ///
    /// Coordinates that do not fit the shape on the left; those of [`Layout::composition_under`] for each part.
    pub fn composed_after<S: Stride<L>>(
        &self,
        facts: &L::Facts,
        left: &Layout<L, S>,
    ) -> Result<Layout<L, S>, L::Error> {
        let leaves = self.leaves();
        let mut composed: Vec<Option<Layout<L, S>>> = vec![None; leaves.len()];
        for (i, (_, step)) in leaves.iter().enumerate() {
            if composed[i].is_some() || step.scale.is(0) {
                continue;
            }
            // All leaves of this part at once: together they must not carry.
            let entered = mode_at(left, &step.path)
                .ok_or_else(|| unfit::<L>(left.shape(), self.coordinate_text()))?;
            let places: Vec<usize> = (i..leaves.len())
                .filter(|&j| leaves[j].1.path == step.path && !leaves[j].1.scale.is(0))
                .collect();
            let modes = places
                .iter()
                .map(|&j| Layout::of_leaves(&[(leaves[j].0.clone(), leaves[j].1.scale.clone())]));
            let modes = joined(modes.collect::<Result<_, _>>()?)?;
            let answer = entered.composition_under(facts, &modes)?;
            for (place, mode) in places.into_iter().zip(answer.modes()) {
                composed[place] = Some(mode);
            }
        }
        let mut modes = composed.into_iter().zip(leaves).map(|(mode, (extent, _))| match mode {
            Some(mode) => (mode.shape().clone(), mode.stride().clone()),
            None => (Nested::Leaf(extent), Nested::Leaf(S::still())),
        });
        let (shape, stride) = refined(self.shape(), &mut modes);
        Ok(Layout::within(left.codomain().clone(), shape, stride, self.measured().clone()))
    }

    /// The layout whose modes are this one and another into the same or more coordinates.
    pub(crate) fn joined_with(&self, rest: &Self) -> Result<Self, L::Error> {
        joined(vec![self.among(rest), rest.clone()])
    }

    /// The layout into the coordinates of another.
    pub(crate) fn among(&self, other: &Self) -> Self {
        self.restrided(other.shared(), self.stride().clone())
    }

    /// A text for the form of the coordinates, for messages.
    fn coordinate_text(&self) -> String {
        format!("coordinates that nest like {}", self.zero())
    }

    /// A layout of coordinates whose mode at each part is `f` of the leaves that move it: as offsets of the part, and
    /// as indices.
    fn by_part(
        &self,
        mut f: impl FnMut(&Layout<L>, &Layout<L>) -> LayoutResult<L>,
    ) -> LayoutResult<L> {
        let leaves = self.map_place()?;
        of_parts(self.zero(), &mut Vec::new(), &mut |path| {
            let [offsets, indices] = of_part(&leaves, path)?;
            f(&offsets, &indices)
        })
    }

    /// The layout `R` that takes coordinates to indices, with `self(R(c)) = c`: of each part of the coordinate the
    /// longest range from 0, as [`crate::Layout::right_inverse`].
    pub fn right_inverse_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        self.by_part(|offsets, indices| {
            indices.composition_under(facts, &offsets.right_inverse_under(facts)?)?.coalesce()
        })
    }

    /// The layout `R` that takes coordinates to indices, with `R(self(i)) = i` where `i` is 0 in the modes that move
    /// nothing.
    pub fn left_inverse_under(&self, facts: &L::Facts) -> Result<Layout<L>, L::Error> {
        self.by_part(|offsets, indices| {
            indices.composition_under(facts, &offsets.left_inverse_under(facts)?)?.coalesce()
        })
    }

    /// The layout into the same coordinates that fills what this one leaves out of a shape: a mode for each part of the
    /// coordinate, as [`crate::Layout::complement`] of that part has it. An extent in place of a tuple is that of its first mode,
    /// and modes that the shape does not have are of extent 1, as in CuTe IR.
    pub fn complement_under(&self, facts: &L::Facts, shape: &Nested<L>) -> Result<Self, L::Error> {
        let zero = Arc::new(lengthened(self.zero(), shape));
        let leaves = self.map_place()?;
        let one = Nested::Leaf(L::from(1));
        of_parts(&zero, &mut Vec::new(), &mut |path| {
            let [offsets, _] = of_part(&leaves, path)?;
            let rest = offsets.complement_under(facts, extent_at(shape, path).unwrap_or(&one))?;
            let step = |scale: &L| Basis { scale: scale.clone(), path: path.to_vec() };
            let stride = match matches!(rest.shape(), Nested::Leaf(extent) if extent.is(1)) {
                // Past the one entry, the part goes on where it ends.
                true => Nested::Leaf(step(
                    &offsets.total().map_err(|lost| L::lost(lost, "complement", self))?,
                )),
                false => rest.stride().map(&mut |scale| step(scale)),
            };
            Ok(rest.restrided(Arc::clone(&zero), stride))
        })
    }

    /// [`BasisLayout::complement_under`] in the least shape that holds what is reached.
    pub fn complement_in_coshape_under(&self, facts: &L::Facts) -> Result<Self, L::Error> {
        self.complement_under(facts, &self.coshape_under(facts)?)
    }

    /// Coordinates in the least shape that holds those that are reached, as CuTe's `cosize`.
    pub fn cosize_under(&self, facts: &L::Facts) -> Result<L, L::Error> {
        self.coshape_under(facts)?.product()
    }

    /// `(self, self* o times)`: the repetitions of this layout, of which no two meet where the strides of each part
    /// are a chain, as of [`crate::Layout::logical_product`].
    ///
    /// `times` into coordinates says for each part of the coordinate how often and where. An integer layout repeats along the
    /// first part, in its gaps first.
    ///
    /// # Errors
    ///
    /// Coordinates that nest differently; those of [`Layout::complement_under`] and [`Layout::composition_under`] for each part.
    pub fn logical_product_under(
        &self,
        facts: &L::Facts,
        times: &Times<L>,
    ) -> Result<Self, L::Error> {
        let lost = |lost| L::lost(lost, "logical_product", self);
        let leaves = self.map_place()?;
        let repeated = match times {
            Times::Plain(times) => {
                let cosize = times.cosize_under(facts)?;
                let extent = self.total().and_then(|size| size.times(&cosize)).map_err(lost)?;
                let free = self.complement_under(facts, &Nested::Leaf(extent))?;
                goes_on(facts, &|| format!("{self}, {times}"), &free, &cosize)?;
                free.composition_under(facts, times)?
            }
            Times::Coordinates(times) => {
                let copies = times.coshape_under(facts)?;
                let free = of_parts(self.zero(), &mut Vec::new(), &mut |path| {
                    let [offsets, _] = of_part(&leaves, path)?;
                    let copies = match copies.part(path) {
                        Some(copies) => copies.product()?,
                        None => L::from(1),
                    };
                    let extent = offsets.total().and_then(|size| size.times(&copies));
                    let extent = Nested::Leaf(extent.map_err(lost)?);
                    let free = offsets.complement_under(facts, &extent)?;
                    goes_on(facts, &|| format!("{self}, {times}"), &free, &copies)?;
                    let stride = free.stride().map(&mut |scale| match scale.is(0) {
                        true => Basis::still(),
                        false => Basis { scale: scale.clone(), path: path.to_vec() },
                    });
                    Ok(free.restrided(self.shared(), stride))
                })?;
                times.composed_after(facts, &free)?
            }
        };
        joined(vec![self.clone(), repeated])
    }

    /// [`BasisLayout::logical_product_under`] by mode: of each mode for which the tiler has something.
    ///
    /// # Errors
    ///
    /// As [`BasisLayout::logical_product_under`]; a tuple longer than the rank.
    pub fn logical_product_by_under(
        &self,
        facts: &L::Facts,
        times: &TilerOf<Times<L>>,
    ) -> Result<Self, L::Error> {
        by_mode("logical_product", TrailingModes::Kept, self, times, &mut |mode: &Self, times| {
            mode.logical_product_under(facts, times)
        })
    }

    /// This layout and its repetitions mode by mode, each pair in the order that `order` gives it.
    pub(crate) fn interleaved(
        &self,
        facts: &L::Facts,
        times: &Times<L>,
        order: impl Fn(Self, Self) -> [Self; 2],
    ) -> Result<Self, L::Error> {
        let times = match times {
            Times::Plain(times) => lifted(times).among(self),
            Times::Coordinates(times) => times.among(self),
        };
        zip_product(self, &times, &Self::one_within(self.shared()), order, |block, times| {
            let times = match times.settled()? {
                Err(plain) => Times::Plain(plain),
                Ok(_) => Times::Coordinates(times),
            };
            block.logical_product_under(facts, &times)
        })
    }

    fn each(
        &self,
        mut f: impl FnMut(&Layout<L>) -> Result<bool, L::Error>,
    ) -> Result<bool, L::Error> {
        let mut all = true;
        self.by_part(|offsets, _| {
            all = all && f(offsets)?;
            Ok(offsets.clone())
        })?;
        Ok(all)
    }
}

impl<L: Injective> BasisLayout<L> {
    /// Whether no coordinate is reached twice.
    pub fn is_injective_under(&self, facts: &L::Facts) -> Result<bool, L::Error> {
        let still = self.leaves().into_iter().filter(|(_, step)| step.scale.is(0));
        let still: Vec<_> = still.map(|(extent, step)| (extent, step.scale)).collect();
        Ok(L::injective(facts, &Layout::of_leaves(&still)?)?
            && self.each(|part| L::injective(facts, part))?)
    }

    /// Whether every coordinate of the coshape is reached.
    pub fn is_surjective_under(&self, facts: &L::Facts) -> Result<bool, L::Error> {
        self.each(|part| L::surjective(facts, part))
    }
}

/// A layout that takes a coordinate: its mode at each part, by the path of that.
fn of_parts<L: Leaf, S: Stride<L>>(
    zero: &Tuple,
    path: &mut Vec<usize>,
    f: &mut dyn FnMut(&[usize]) -> LayoutResult<L, S>,
) -> LayoutResult<L, S> {
    let Nested::Node(entries) = zero else { return f(path) };
    let mut modes = Vec::with_capacity(entries.len());
    for (i, entry) in entries.iter().enumerate() {
        path.push(i);
        modes.push(of_parts(entry, path, f)?);
        path.pop();
    }
    joined(modes)
}

/// The error for coordinates that do not fit a shape.
pub(crate) fn unfit<L: Leaf>(shape: &Nested<L>, found: String) -> L::Error {
    Error::operand("coordinate", format!("one that fits the shape {shape}"), found).into()
}

/// The mode of a layout that a part of a coordinate enters.
pub(crate) fn mode_at<L: Leaf, S: Stride<L>>(
    layout: &Layout<L, S>,
    path: &[usize],
) -> Option<Layout<L, S>> {
    let mut part = Part::of(layout);
    for &mode in path {
        if part.is_leaf() {
            // A coordinate of one part is an integer.
            if mode == 0 {
                continue;
            }
            return None;
        }
        part = part.mode(i64::try_from(mode).ok()?)?;
    }
    Some(part.to_layout())
}

/// Zeros that nest as far as a shape does, too: modes of the shape after those that strides name are parts of the coordinate.
fn lengthened<L>(zero: &Tuple, shape: &Nested<L>) -> Tuple {
    let (Nested::Node(zeros), Nested::Node(shape)) = (zero, shape) else { return zero.clone() };
    let entries = (0..zeros.len().max(shape.len())).map(|i| match (zeros.get(i), shape.get(i)) {
        (Some(zero), Some(extent)) => lengthened(zero, extent),
        (Some(zero), None) => zero.clone(),
        (None, extent) => extent.map_or(Nested::Leaf(0), |extent| extent.map(&mut |_| 0)),
    });
    Nested::Node(entries.collect())
}

/// The extents of a part of a coordinate in a shape; an integer in place of a tuple is its first mode's.
fn extent_at<'s, L>(shape: &'s Nested<L>, path: &[usize]) -> Option<&'s Nested<L>> {
    match (shape, path) {
        (_, []) => Some(shape),
        (Nested::Leaf(_), _) => path.iter().all(|&mode| mode == 0).then_some(shape),
        (Nested::Node(entries), [mode, rest @ ..]) => extent_at(entries.get(*mode)?, rest),
    }
}
