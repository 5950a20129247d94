//! The algebra of layouts into coordinates: part by part of the coordinate.
//!
//! Each leaf of such a layout moves one part of the coordinate, and no two parts add up. So an operation is that of
//! plain layouts on the leaves that move each part, and the answers are put together again:
//!
//! | operation | by parts |
//! |---|---|
//! | `A o B` | `A_p o B_p` for the mode `A_p` of `A` that part `p` of the coordinate enters; each leaf keeps its place |
//! | `complement(B, T)` | the modes of `complement(B_p, T_p)`, one part after the other |
//! | `right_inverse(B)`, `left_inverse(B)` | a layout that takes the coordinate: mode `p` is the inverse of `B_p`, as indices of `B` |
//! | `A ⊗ B` | `(A, A* o B)`; `B` into coordinates repeats along each part, an integer `B` along the parts in order |
//! | `is_injective`, `is_surjective` | of each `B_p` |
//!
//! `B_p` is the layout of the leaves that move part `p`. CuTe composes so, leaf by leaf
//! (`composition` of a stride that is a scaled basis element); it has no inverse or complement here, and these follow
//! from the definitions: `A(A^r(c)) = c`, `A^l(A(i)) = i`, and `(B, B*)` reaches each coordinate once.

use super::{
    basis::SymbolicBasis,
    call::static_answer,
    coalesce, coalesce_x, complement, composition,
    error::{Error, Result, Site},
    expr::Expr,
    facts::Facts,
    inverse,
    layout::SymbolicLayout,
    query,
    tuple::SymbolicTuple,
};
use crate::{
    BasisLayout, ComposedLayout, Layout, Nested, Outer, Swizzle, Tuple, Value,
    layout::is_zero,
    leaf::Leaf as _,
    modal::{Part, joined},
};
use alloc::{format, string::String, string::ToString, vec, vec::Vec};

/// A leaf of a layout into coordinates.
struct Leaf {
    extent: Expr,
    /// How far it moves, and which part of the coordinate; no path where it moves nothing.
    multiple: Expr,
    path: Vec<usize>,
    /// The index at which its second entry is.
    start: Expr,
}

impl SymbolicBasis {
    fn leaves(&self) -> Result<Vec<Leaf>> {
        let mut steps = Vec::new();
        flatten(&self.steps(), &mut steps);
        let mut start = Expr::from(1);
        let mut leaves = Vec::with_capacity(steps.len());
        for (extent, (multiple, path)) in self.shape().leaves().into_iter().zip(steps) {
            let next = start.times(extent)?;
            leaves.push(Leaf { extent: extent.clone(), multiple, path, start });
            start = next;
        }
        Ok(leaves)
    }

    /// The plain layout of the leaves that move a part of the coordinate, and where their entries are as indices of
    /// the whole.
    fn of_part(leaves: &[Leaf], path: &[usize]) -> [SymbolicLayout; 2] {
        let moved = || leaves.iter().filter(|leaf| leaf.path == path && !leaf.multiple.is(0));
        let layout = |stride: fn(&Leaf) -> &Expr| {
            let modes = moved().map(|leaf| (leaf.extent.clone(), stride(leaf).clone()));
            SymbolicLayout::of_flat(modes.collect())
        };
        [layout(|leaf| &leaf.multiple), layout(|leaf| &leaf.start)]
    }

    /// `left o self`, where the coordinate enters the modes of `left`, each part the mode at its place.
    ///
    /// # Errors
    ///
    /// Coordinates that do not fit the shape on the left; those of [`composition`] for each part.
    pub fn composed_after(&self, facts: &Facts, left: &SymbolicLayout) -> Result<SymbolicLayout> {
        let leaves = self.leaves()?;
        let mut composed: Vec<Option<(SymbolicTuple, SymbolicTuple)>> = Vec::new();
        composed.resize_with(leaves.len(), || None);
        for (i, leaf) in leaves.iter().enumerate() {
            if composed[i].is_some() || leaf.multiple.is(0) {
                continue;
            }
            // All leaves of this part at once: together they must not carry.
            let entered = mode_at(left, &leaf.path)
                .ok_or_else(|| Expr::misfit(left.shape(), self.coordinate_text()))?;
            let places: Vec<usize> = (i..leaves.len())
                .filter(|&j| leaves[j].path == leaf.path && !leaves[j].multiple.is(0))
                .collect();
            let modes = places.iter().map(|&j| {
                SymbolicLayout::single(leaves[j].extent.clone(), leaves[j].multiple.clone())
            });
            let answer = composition(facts, &entered, &joined(modes.collect())?)?;
            for (place, mode) in places.into_iter().zip(Part::of(&answer).modes()) {
                composed[place] = Some((mode.shape().clone(), mode.stride().clone()));
            }
        }
        let mut composed = composed.into_iter().zip(&leaves).map(|(mode, leaf)| {
            mode.unwrap_or_else(|| (Nested::Leaf(leaf.extent.clone()), Nested::Leaf(Expr::from(0))))
        });
        let (shape, stride) = refined(self.shape(), &mut composed);
        Ok(SymbolicLayout::known(shape, stride))
    }

    /// What the coordinates look like, for messages.
    fn coordinate_text(&self) -> String {
        format!("coordinates that nest like {}", self.zero_text())
    }

    /// A layout of coordinates whose mode at each part is `f` of the leaves that move it: as offsets of the part, and
    /// as indices.
    fn by_part(
        &self,
        f: &mut dyn FnMut(&SymbolicLayout, &SymbolicLayout) -> Result<SymbolicLayout>,
    ) -> Result<SymbolicLayout> {
        let leaves = self.leaves()?;
        self.parts(&mut |path| {
            let [offsets, indices] = Self::of_part(&leaves, path);
            f(&offsets, &indices)
        })
    }

    /// A layout that takes a coordinate: its mode at each part, by the path of that.
    fn parts(
        &self,
        f: &mut dyn FnMut(&[usize]) -> Result<SymbolicLayout>,
    ) -> Result<SymbolicLayout> {
        fn walk(
            units: &SymbolicTuple,
            path: &mut Vec<usize>,
            f: &mut dyn FnMut(&[usize]) -> Result<SymbolicLayout>,
        ) -> Result<SymbolicLayout> {
            let Nested::Node(entries) = units else { return f(path) };
            let mut modes = Vec::with_capacity(entries.len());
            for (i, entry) in entries.iter().enumerate() {
                path.push(i);
                modes.push(walk(entry, path, f)?);
                path.pop();
            }
            joined(modes)
        }
        walk(self.units(), &mut Vec::new(), f)
    }

    /// The layout `R` that takes coordinates to indices, with `self(R(c)) = c`: of each part of the coordinate the
    /// longest range from 0, as [`crate::right_inverse`].
    ///
    /// # Errors
    ///
    /// Those of [`inverse::right_inverse`] for each part.
    pub fn right_inverse(&self, facts: &Facts) -> Result<SymbolicLayout> {
        self.by_part(&mut |offsets, indices| {
            let inverse = inverse::right_inverse(facts, offsets)?;
            coalesce(&composition(facts, indices, &inverse)?)
        })
    }

    /// The layout `R` that takes coordinates to indices, with `R(self(i)) = i` where `i` is 0 in the modes that move
    /// nothing.
    ///
    /// # Errors
    ///
    /// Those of [`inverse::left_inverse`] for each part.
    pub fn left_inverse(&self, facts: &Facts) -> Result<SymbolicLayout> {
        self.by_part(&mut |offsets, indices| {
            let inverse = inverse::left_inverse(facts, offsets)?;
            coalesce(&composition(facts, indices, &inverse)?)
        })
    }

    /// The indices that modes which move nothing run through.
    ///
    /// # Errors
    ///
    /// A stride of which it is not known whether it is 0.
    pub fn nullspace(&self, facts: &Facts) -> Result<SymbolicLayout> {
        let operands = || self.to_string();
        let site = Site { operation: "nullspace", operands: &operands };
        let mut modes = Vec::new();
        for Leaf { extent, multiple, start, .. } in self.leaves()? {
            if !extent.is(1) && is_zero(facts, &site, &multiple)? {
                modes.push((extent, start));
            }
        }
        Ok(SymbolicLayout::of_flat(modes))
    }

    /// The layout into the same coordinates that fills what this one leaves out of a shape: part by part, each as
    /// [`crate::complement()`] has it.
    ///
    /// # Errors
    ///
    /// A shape that does not nest like the coordinates; those of [`complement`] for each part.
    pub fn complement(&self, facts: &Facts, shape: &SymbolicTuple) -> Result<Self> {
        let units = units_within(self.units(), shape).ok_or_else(|| {
            let expected = format!("a shape that {} fit", self.coordinate_text());
            Error::operand("complement", expected, shape)
        })?;
        let whole = Self::of_parts(self.as_layout().clone(), units);
        let leaves = whole.leaves()?;
        let mut modes = Vec::new();
        whole.parts(&mut |path| {
            let [offsets, _] = Self::of_part(&leaves, path);
            let codomain = entry_at(shape, path).unwrap_or(shape);
            let rest = complement(facts, &offsets, codomain)?;
            let zero = Expr::from(0);
            let unit = entry_at(whole.units(), path).and_then(leaf_of).unwrap_or(&zero);
            for (extent, stride) in rest.flat() {
                if !extent.is(1) {
                    modes.push((extent, stride.times(unit)?));
                }
            }
            Ok(rest)
        })?;
        let rest = coalesce(&SymbolicLayout::of_flat(modes))?;
        Ok(Self::of_parts(rest, whole.units().clone()))
    }

    /// [`SymbolicBasis::complement`] in the least shape that holds what is reached.
    ///
    /// # Errors
    ///
    /// As [`SymbolicBasis::complement`] and [`SymbolicBasis::coshape`].
    pub fn complement_in_coshape(&self, facts: &Facts) -> Result<Self> {
        self.complement(facts, &self.coshape(facts)?)
    }

    /// Coordinates in the least shape that holds those that are reached, as CuTe's `cosize`.
    ///
    /// # Errors
    ///
    /// As [`SymbolicBasis::coshape`].
    pub fn cosize(&self, facts: &Facts) -> Result<Expr> {
        self.coshape(facts)?.product()
    }

    /// `(self, self* o times)`: the repetitions of this layout, of which no two meet where the strides of each part
    /// are a chain, as of [`crate::logical_product`].
    ///
    /// `times` into coordinates says for each part of the coordinate how often and where. An integer layout counts the free
    /// places, part after part: those inside of the coshape first, and then along the last part that this
    /// layout moves.
    ///
    /// # Errors
    ///
    /// Coordinates that nest differently; those of [`complement`] and [`composition`] for each part.
    pub fn logical_product(&self, facts: &Facts, times: &Times) -> Result<Self> {
        let repeated = match times {
            Times::Plain(times) => {
                let leaves = self.leaves()?;
                let cosize = times.cosize(facts)?;
                let mut codomain = self.coshape(facts)?;
                let mut last = Vec::new();
                self.parts(&mut |path| {
                    if leaves.iter().any(|leaf| leaf.path == path && !leaf.multiple.is(0)) {
                        last = path.to_vec();
                    }
                    Ok(SymbolicLayout::one())
                })?;
                if let Some(extent) = leaf_at(&mut codomain, &last) {
                    let [offsets, _] = Self::of_part(&leaves, &last);
                    *extent = offsets.size()?.times(&cosize)?;
                }
                let free = self.complement(facts, &codomain)?;
                match (free.to_static(), times.to_static()) {
                    (Some(free), Some(times)) => {
                        Self::from(&free.composition(&times)?).as_layout().clone()
                    }
                    _ => composition(facts, free.as_layout(), times)?,
                }
            }
            Times::Coordinates(times) => {
                let leaves = self.leaves()?;
                let copies = times.coshape(facts)?;
                let free = self.parts(&mut |path| {
                    let [offsets, _] = Self::of_part(&leaves, path);
                    let copies = match entry_at(&copies, path) {
                        Some(copies) => copies.product()?,
                        None => Expr::from(1),
                    };
                    let codomain = Nested::Leaf(offsets.size()?.times(&copies)?);
                    let free = complement(facts, &offsets, &codomain)?;
                    let zero = Expr::from(0);
                    let unit = entry_at(self.units(), path).and_then(leaf_of).unwrap_or(&zero);
                    let stride = free.stride().map(&mut |stride| stride.times(unit))?;
                    Ok(SymbolicLayout::known(free.shape().clone(), stride))
                })?;
                times.composed_after(facts, &free)?
            }
        };
        let modes = joined(vec![self.as_layout().clone(), repeated])?;
        self.with_layout("logical_product", modes)
    }

    /// Whether no coordinate is reached twice.
    ///
    /// # Errors
    ///
    /// Those of [`query::is_injective`] for each part.
    pub fn is_injective(&self, facts: &Facts) -> Result<bool> {
        let still = self.leaves()?.into_iter().filter(|leaf| leaf.multiple.is(0));
        let still = still.map(|leaf| (leaf.extent, leaf.multiple)).collect();
        Ok(query::is_injective(facts, &SymbolicLayout::of_flat(still))?
            && self.each(&mut |part| query::is_injective(facts, part))?)
    }

    /// Whether every coordinate of the coshape is reached.
    ///
    /// # Errors
    ///
    /// Those of [`query::is_surjective`] for each part.
    pub fn is_surjective(&self, facts: &Facts) -> Result<bool> {
        self.each(&mut |part| query::is_surjective(facts, part))
    }

    fn each(&self, f: &mut dyn FnMut(&SymbolicLayout) -> Result<bool>) -> Result<bool> {
        let mut all = true;
        self.by_part(&mut |offsets, _| {
            all = all && f(offsets)?;
            Ok(offsets.clone())
        })?;
        Ok(all)
    }
}

/// `outer o offset o inner`, where the inner layout is into coordinates: the element at `c` is at
/// `outer(offset + inner(c))`. The value is what this is in integers, a plain layout where the offset is 0.
///
/// Where a part of the coordinate enters a mode of several strides, an offset in it may carry; then the whole is the
/// outer layout of indices, and the coordinates must lie in its shape.
///
/// # Errors
///
/// An offset or coordinates that do not fit the shape of the outer layout; coordinates that are not known to lie in
/// it, where that counts; those of [`SymbolicBasis::composed_after`].
pub fn composed_of_coordinates(
    facts: &Facts,
    outer: &SymbolicLayout,
    offset: &SymbolicTuple,
    inner: &SymbolicBasis,
) -> Result<Value<Expr>> {
    let zero = Expr::from(0);
    let behind = |start: Expr, layout| {
        let outer = Outer::Swizzle(Swizzle::identity());
        ComposedLayout { outer, offset: start, inner: layout }.simplified().into()
    };
    // An integer stands for a coordinate only where it is 0.
    if matches!(offset, Nested::Leaf(offset) if offset.is(0)) {
        return Ok(Value::Layout(inner.composed_after(facts, outer)?));
    }
    let mut steady = true;
    let mut parts = Vec::new();
    collect_parts(offset, &mut Vec::new(), &mut parts);
    for (path, by) in &parts {
        let entered =
            mode_at(outer, path).ok_or_else(|| Expr::misfit(outer.shape(), offset.to_string()))?;
        steady &= by.is(0) || coalesce_x(&entered)?.is_leaf();
    }
    let start_of = |layout: &SymbolicLayout| {
        parts.iter().try_fold(zero.clone(), |sum, (path, by)| match mode_at(layout, path) {
            Some(mode) => sum.plus(&mode.at(facts, by)?),
            None => Ok(sum),
        })
    };
    if steady {
        return Ok(behind(start_of(outer)?, inner.composed_after(facts, outer)?));
    }
    let operands = || format!("{outer} o {offset} o {inner}");
    let site = Site { operation: "composed", operands: &operands };
    let leaves = inner.leaves()?;
    for (path, by) in &parts {
        let [offsets, _] = SymbolicBasis::of_part(&leaves, path);
        site.require(facts.at_least(by, &zero))?;
        for (extent, stride) in offsets.flat() {
            if !extent.is(1) {
                site.require(facts.at_least(&stride, &zero))?;
            }
        }
        let extent = mode_at(outer, path).map_or(Ok(zero.clone()), |mode| mode.size())?;
        site.require(facts.at_least(&extent, &by.plus(&offsets.cosize(facts)?)?))?;
    }
    let indices = SymbolicLayout::compact(facts, outer.shape().clone())?;
    Ok(Value::Composed(ComposedLayout {
        outer: Outer::Layout(outer.clone()),
        offset: start_of(&indices)?,
        inner: inner.composed_after(facts, &indices)?,
    }))
}

/// [`composed_of_coordinates`] without symbols.
///
/// # Errors
///
/// As [`composed_of_coordinates`].
pub(crate) fn static_composed_of_coordinates(
    outer: &Layout,
    offset: &Tuple,
    inner: &BasisLayout,
) -> crate::Result<Value> {
    let (outer, offset) = (SymbolicLayout::from(outer), SymbolicTuple::from(offset));
    let inner = SymbolicBasis::from(inner);
    static_answer("composed", composed_of_coordinates(&Facts::new(), &outer, &offset, &inner))
}

/// Each entry of a tuple with its path.
fn collect_parts(
    tuple: &SymbolicTuple,
    path: &mut Vec<usize>,
    parts: &mut Vec<(Vec<usize>, Expr)>,
) {
    match tuple {
        Nested::Leaf(entry) => parts.push((path.clone(), entry.clone())),
        Nested::Node(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                path.push(i);
                collect_parts(entry, path, parts);
                path.pop();
            }
        }
    }
}

/// How a layout into coordinates is repeated.
#[non_exhaustive]
pub enum Times {
    /// By a layout of integers.
    Plain(SymbolicLayout),
    /// By a layout into the same coordinates.
    Coordinates(SymbolicBasis),
}

fn flatten(steps: &super::basis::SymbolicSteps, flat: &mut Vec<(Expr, Vec<usize>)>) {
    match steps {
        Nested::Leaf(step) => flat.push(step.clone()),
        Nested::Node(entries) => entries.iter().for_each(|entry| flatten(entry, flat)),
    }
}

/// The mode of a layout that a part of a coordinate enters.
fn mode_at(layout: &SymbolicLayout, path: &[usize]) -> Option<SymbolicLayout> {
    let mut part = Part::of(layout);
    for &mode in path {
        if part.is_leaf() {
            return None;
        }
        part = part.mode(i64::try_from(mode).ok()?)?;
    }
    Some(part.to_layout())
}

fn entry_at<'t>(tuple: &'t SymbolicTuple, path: &[usize]) -> Option<&'t SymbolicTuple> {
    path.iter().try_fold(tuple, |tuple, &mode| match tuple {
        Nested::Leaf(_) => None,
        Nested::Node(entries) => entries.get(mode),
    })
}

fn leaf_of(tuple: &SymbolicTuple) -> Option<&Expr> {
    match tuple {
        Nested::Leaf(leaf) => Some(leaf),
        Nested::Node(_) => None,
    }
}

fn leaf_at<'t>(tuple: &'t mut SymbolicTuple, path: &[usize]) -> Option<&'t mut Expr> {
    match (tuple, path) {
        (Nested::Leaf(leaf), []) => Some(leaf),
        (Nested::Node(entries), [mode, path @ ..]) => leaf_at(entries.get_mut(*mode)?, path),
        _ => None,
    }
}

/// A shape of which each leaf is replaced by a mode, in order.
fn refined(
    shape: &SymbolicTuple,
    modes: &mut dyn Iterator<Item = (SymbolicTuple, SymbolicTuple)>,
) -> (SymbolicTuple, SymbolicTuple) {
    match shape {
        Nested::Leaf(extent) => {
            modes.next().unwrap_or((Nested::Leaf(extent.clone()), Nested::Leaf(Expr::from(0))))
        }
        Nested::Node(entries) => {
            let (shape, stride) = entries.iter().map(|entry| refined(entry, modes)).unzip();
            (Nested::Node(shape), Nested::Node(stride))
        }
    }
}

/// The basis elements of coordinates that nest as far as a shape does: modes of the shape behind those that strides
/// name are parts of the coordinate too. None where the coordinates nest deeper, or have more modes.
fn units_within(units: &SymbolicTuple, shape: &SymbolicTuple) -> Option<SymbolicTuple> {
    fn fits(units: &SymbolicTuple, shape: &SymbolicTuple) -> bool {
        match (units, shape) {
            (Nested::Leaf(_), _) => true,
            (Nested::Node(_), Nested::Leaf(_)) => false,
            (Nested::Node(units), Nested::Node(shape)) => {
                units.len() <= shape.len()
                    && units.iter().zip(shape).all(|(units, shape)| fits(units, shape))
            }
        }
    }
    fn lengthened(
        units: &SymbolicTuple,
        shape: &SymbolicTuple,
        path: &mut Vec<usize>,
    ) -> SymbolicTuple {
        let (Nested::Node(units), Nested::Node(shape)) = (units, shape) else {
            return units.clone();
        };
        let mut entries = Vec::with_capacity(shape.len());
        for (i, extent) in shape.iter().enumerate() {
            path.push(i);
            entries.push(match units.get(i) {
                Some(unit) => lengthened(unit, extent, path),
                None => super::basis::units(extent, path),
            });
            path.pop();
        }
        Nested::Node(entries)
    }
    fits(units, shape).then(|| lengthened(units, shape, &mut Vec::new()))
}
