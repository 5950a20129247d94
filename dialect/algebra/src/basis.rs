//! Layouts into coordinates: strides that are scaled basis elements.
//!
//! `1@0` steps by one in mode 0 of a coordinate, `4@1` by four in mode 1, and `2@1@0` by two in mode
//! 1 of mode 0: the outermost mode is written last, as in CuTe. A layout with such strides maps
//! coordinates to coordinates, and all that divides and composes does so in the same way: this is
//! how coordinates of a tensor follow a tile through every partition, for predicates and for copies
//! that take coordinates. Source: CuTe's document "TMA tensors".

use crate::{
    complement::complement,
    composition::{Closed, Step, by_mode, closed_form},
    divide::pad,
    error::{Error, Result},
    layout::Layout,
    modes::{Modal, make_layout, unzipped},
    tiler::Tiler,
    tuple::{Coord, Nested, Tuple},
};
use std::fmt;

/// `scale@path`: an integer multiple of a basis element. Without a path, an integer, which must be 0
/// beside others: a mode that does not move.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Basis {
    /// The multiple.
    pub scale: i64,
    /// The mode, the mode in it, and so on: outermost first.
    pub path: Vec<usize>,
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.scale)?;
        self.path.iter().rev().try_for_each(|mode| write!(f, "@{mode}"))
    }
}

impl Step for Basis {
    fn zero() -> Self {
        Self { scale: 0, path: Vec::new() }
    }

    fn times(&self, by: i64) -> Option<Self> {
        match self.scale.checked_mul(by)? {
            0 => Some(Self::zero()),
            scale => Some(Self { scale, path: self.path.clone() }),
        }
    }
}

/// A layout whose strides are basis elements: it maps coordinates to coordinates.
///
/// ```
/// use layout_algebra::{Tiler, make_identity_layout};
/// let identity = make_identity_layout(&"(10,(4,6))".parse()?)?;
/// assert_eq!(identity.to_string(), "(10,(4,6)):(1@0,(1@0@1,1@1@1))");
/// let tiles = identity.zipped_divide(&Tiler::from_shape(&"(4,4)".parse()?)?)?;
/// assert_eq!(tiles.to_string(), "((4,4),(3,6)):((1@0,1@0@1),(4@0,1@1@1))");
/// // The last tile reaches past the tensor: row 11 of 10.
/// assert_eq!(tiles.crd2crd(&"((3,0),(2,1))".parse()?)?.to_string(), "(11,(0,1))");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BasisLayout {
    shape: Tuple,
    stride: Nested<Basis>,
    /// What the coordinates nest like: zeros.
    zero: Tuple,
    size: i64,
}

/// The layout that maps each coordinate of a shape to itself.
///
/// # Errors
///
/// An extent below 1; overflow of the size.
pub fn make_identity_layout(shape: &Tuple) -> Result<BasisLayout> {
    fn basis(shape: &Tuple, path: &mut Vec<usize>) -> Nested<Basis> {
        match shape {
            Nested::Leaf(_) => Nested::Leaf(Basis { scale: 1, path: path.clone() }),
            Nested::Node(entries) => {
                let mut strides = Vec::with_capacity(entries.len());
                for (i, entry) in entries.iter().enumerate() {
                    path.push(i);
                    strides.push(basis(entry, path));
                    path.pop();
                }
                Nested::Node(strides)
            }
        }
    }
    BasisLayout::new(shape.clone(), basis(shape, &mut Vec::new()))
}

impl BasisLayout {
    /// A layout of a shape and congruent strides.
    ///
    /// # Errors
    ///
    /// As [`Layout::new`]; strides that take one part of a coordinate for an integer and for a
    /// tuple; a path longer or wider than a term may nest.
    pub fn new(shape: Tuple, stride: Nested<Basis>) -> Result<Self> {
        let zero = codomain(&shape, &stride)?;
        Self::within(shape, stride, zero)
    }

    /// A layout into coordinates that nest like `zero`.
    fn within(shape: Tuple, stride: Nested<Basis>, zero: Tuple) -> Result<Self> {
        if !shape.congruent(&stride) {
            return Err(Error::Operand {
                operation: "layout",
                expected: format!("a stride congruent to the shape {shape}"),
                found: stride.to_string(),
            });
        }
        let size = Layout::new(shape.clone(), shape.clone())?.size();
        Ok(Self { shape, stride, zero, size })
    }

    /// The shape.
    pub fn shape(&self) -> &Tuple {
        &self.shape
    }

    /// The strides.
    pub fn stride(&self) -> &Nested<Basis> {
        &self.stride
    }

    /// Coordinates: the product of the extents.
    pub fn size(&self) -> i64 {
        self.size
    }

    /// Modes at the top; a leaf has one.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The least shape that holds every coordinate that is reached.
    ///
    /// # Errors
    ///
    /// Overflow.
    pub fn coshape(&self) -> Result<Tuple> {
        let mut reach = self.zero.map(&mut |_| Ok(1))?;
        for (extent, basis) in self.leaves() {
            let step = basis.scale.checked_abs();
            let more = step.and_then(|step| step.checked_mul(extent - 1));
            more.and_then(|more| add(&mut reach, &basis.path, more))
                .ok_or_else(|| Error::overflow("coshape", self))?;
        }
        Ok(reach)
    }

    /// Where a coordinate, or an index in place of any tuple, is mapped.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow.
    pub fn crd2crd(&self, coord: &Tuple) -> Result<Tuple> {
        let mut result = self.zero.clone();
        self.step_to(coord, &mut result)?;
        Ok(result)
    }

    fn step_to(&self, coord: &Tuple, result: &mut Tuple) -> Result<()> {
        let overflow = || Error::overflow("crd2idx", self);
        match coord {
            Nested::Leaf(index) => {
                let leaves = self.leaves();
                let last = leaves.len() - 1;
                let mut rest = *index;
                for (i, (extent, basis)) in leaves.into_iter().enumerate() {
                    let digit = if i == last { rest } else { rest % extent };
                    rest /= extent;
                    let by = basis.scale.checked_mul(digit).ok_or_else(overflow)?;
                    add(result, &basis.path, by).ok_or_else(overflow)?;
                }
                Ok(())
            }
            Nested::Node(entries) => {
                let modes = self.modes();
                if self.shape.depth() == 0 || modes.len() != entries.len() {
                    return Err(Error::Coordinate {
                        shape: self.shape.clone(),
                        coord: coord.to_string(),
                    });
                }
                modes.iter().zip(entries).try_for_each(|(mode, entry)| mode.step_to(entry, result))
            }
        }
    }

    /// The same function in the fewest flat modes.
    ///
    /// # Errors
    ///
    /// Overflow.
    pub fn coalesce(&self) -> Result<Self> {
        let modes = self.coalesced(false).ok_or_else(|| Error::overflow("coalesce", self))?;
        self.with_modes(modes)
    }

    /// The modes of a coalesce; with `open`, one that holds past the size.
    fn coalesced(&self, open: bool) -> Option<Vec<(i64, Basis)>> {
        let mut merged: Vec<(i64, Basis)> = Vec::new();
        let leaves = self.leaves();
        let last = leaves.len() - 1;
        for (i, (extent, basis)) in leaves.into_iter().enumerate() {
            if extent == 1 && !(open && i == last) {
                continue;
            }
            match merged.last_mut() {
                Some((before, step)) if step.times(*before).as_ref() == Some(&basis) => {
                    *before = before.checked_mul(extent)?;
                }
                _ => merged.push((extent, basis)),
            }
        }
        Some(merged)
    }

    fn with_modes(&self, modes: Vec<(i64, Basis)>) -> Result<Self> {
        let (mut shape, mut stride): (Vec<_>, Vec<_>) = modes
            .into_iter()
            .map(|(extent, basis)| (Nested::Leaf(extent), Nested::Leaf(basis)))
            .unzip();
        let (shape, stride) = match shape.len() {
            0 => (Nested::Leaf(1), Nested::Leaf(Basis::zero())),
            1 => match shape.pop().zip(stride.pop()) {
                Some(mode) => mode,
                None => (Nested::Leaf(1), Nested::Leaf(Basis::zero())),
            },
            _ => (Nested::Node(shape), Nested::Node(stride)),
        };
        Self::within(shape, stride, self.zero.clone())
    }

    /// `A o B` with this layout as `A`.
    ///
    /// # Errors
    ///
    /// A `B` that does not divide the modes evenly, or whose digits carry from one into the next:
    /// steps in different modes of a coordinate never add up to one stride.
    pub fn composition(&self, b: &Layout) -> Result<Self> {
        let overflow = || Error::overflow("composition", format!("({self}, {b})"));
        let radix = self.coalesced(true).ok_or_else(overflow)?;
        match closed_form(&radix, b) {
            Closed::Layout(shape, stride) => Self::within(shape, stride, self.zero.clone()),
            Closed::Overflow => Err(overflow()),
            Closed::Open => Err(Error::Condition {
                operation: "composition",
                operand: format!("{self}, {b}"),
                expected: "a right operand that divides the modes on the left, without a carry",
                found: b.to_string(),
            }),
        }
    }

    /// [`BasisLayout::composition`] by mode, as [`crate::composition_tiler`].
    ///
    /// # Errors
    ///
    /// As [`BasisLayout::composition`]; a tuple longer than the rank.
    pub fn composition_tiler(&self, tiler: &Tiler) -> Result<Self> {
        match tiler {
            Tiler::Layout(b) => self.composition(b),
            Tiler::Any => Ok(self.clone()),
            Tiler::Tuple(entries) => {
                let mut compose = |mode: &Self, entry: &Tiler| mode.composition_tiler(entry);
                let modes = by_mode("composition", self, entries, &mut compose)?;
                Self::of(&modes[..self.rank().min(entries.len())])
            }
        }
    }

    /// As [`crate::logical_divide`], padded results included: the coordinates past the tensor are
    /// past its shape.
    ///
    /// # Errors
    ///
    /// Those of [`complement`] and [`BasisLayout::composition`].
    pub fn logical_divide(&self, tiler: &Tiler) -> Result<Self> {
        match tiler {
            Tiler::Any => Ok(self.clone()),
            Tiler::Layout(tile) => {
                let overflow = || Error::overflow("logical_divide", format!("({self}, {tile})"));
                let mut modes = self.coalesced(true).ok_or_else(overflow)?;
                pad(&mut modes, tile).ok_or_else(overflow)?;
                let extents = modes.iter().map(|(extent, _)| Nested::Leaf(*extent)).collect();
                let rest = complement(tile, &Nested::Node(extents))?;
                let padded = self.with_modes(modes)?;
                padded.composition(&make_layout(&[tile.clone(), rest])?)
            }
            Tiler::Tuple(entries) => {
                let mut divide = |mode: &Self, entry: &Tiler| mode.logical_divide(entry);
                Self::of(&by_mode("logical_divide", self, entries, &mut divide)?)
            }
        }
    }

    /// As [`crate::zipped_divide`].
    ///
    /// # Errors
    ///
    /// As [`BasisLayout::logical_divide`].
    pub fn zipped_divide(&self, tiler: &Tiler) -> Result<Self> {
        let divided = self.logical_divide(tiler)?;
        match tiler {
            Tiler::Layout(_) => Ok(divided),
            Tiler::Any | Tiler::Tuple(_) => Self::of(&unzipped(&divided, tiler)?),
        }
    }

    /// What a coordinate leaves of the layout, and where what it fixes leads: as [`crate::slice()`].
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow.
    pub fn slice(&self, coord: &Coord) -> Result<(Self, Tuple)> {
        let mut fixed = self.zero.clone();
        if *coord == Coord::Any {
            return Ok((self.clone(), fixed));
        }
        let mut kept = Vec::new();
        self.walk(coord, &mut kept, &mut fixed)?;
        let kept = if kept.is_empty() { self.with_modes(Vec::new())? } else { Self::of(&kept)? };
        Ok((kept, fixed))
    }

    fn walk(&self, coord: &Coord, kept: &mut Vec<Self>, fixed: &mut Tuple) -> Result<()> {
        match coord {
            Coord::Any => kept.push(self.clone()),
            Coord::At(index) => self.step_to(&Nested::Leaf(*index), fixed)?,
            Coord::Tuple(entries) => {
                let modes = self.modes();
                if self.shape.depth() == 0 || modes.len() != entries.len() {
                    return Err(Error::Coordinate {
                        shape: self.shape.clone(),
                        coord: coord.to_string(),
                    });
                }
                for (mode, entry) in modes.iter().zip(entries) {
                    mode.walk(entry, kept, fixed)?;
                }
            }
        }
        Ok(())
    }

    /// All leaves as extent and stride.
    fn leaves(&self) -> Vec<(i64, Basis)> {
        fn collect(stride: &Nested<Basis>, strides: &mut Vec<Basis>) {
            match stride {
                Nested::Leaf(basis) => strides.push(basis.clone()),
                Nested::Node(entries) => entries.iter().for_each(|entry| collect(entry, strides)),
            }
        }
        let mut strides = Vec::new();
        collect(&self.stride, &mut strides);
        self.shape.leaves().into_iter().zip(strides).collect()
    }
}

impl Modal for BasisLayout {
    fn modes(&self) -> Vec<Self> {
        match (&self.shape, &self.stride) {
            (Nested::Node(shapes), Nested::Node(strides)) => shapes
                .iter()
                .zip(strides)
                .filter_map(|(shape, stride)| {
                    Self::within(shape.clone(), stride.clone(), self.zero.clone()).ok()
                })
                .collect(),
            _ => vec![self.clone()],
        }
    }

    fn of(modes: &[Self]) -> Result<Self> {
        let Some(first) = modes.first() else {
            return Err(Error::Operand {
                operation: "make_layout",
                expected: "at least one layout".to_owned(),
                found: "none".to_owned(),
            });
        };
        Self::within(
            Nested::Node(modes.iter().map(|mode| mode.shape.clone()).collect()),
            Nested::Node(modes.iter().map(|mode| mode.stride.clone()).collect()),
            first.zero.clone(),
        )
    }
}

impl fmt::Display for BasisLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)
    }
}

/// Adds to the part of a coordinate that a path names.
fn add(coord: &mut Tuple, path: &[usize], by: i64) -> Option<()> {
    match (coord, path.split_first()) {
        (Nested::Leaf(value), None) => {
            *value = value.checked_add(by)?;
            Some(())
        }
        // An integer stride beside others is 0, and 0 moves nothing.
        (Nested::Node(_), None) => (by == 0).then_some(()),
        (Nested::Node(entries), Some((&mode, path))) => add(entries.get_mut(mode)?, path, by),
        (Nested::Leaf(_), Some(_)) => None,
    }
}

/// Zeros that nest like the coordinates that strides step through.
fn codomain(shape: &Tuple, stride: &Nested<Basis>) -> Result<Tuple> {
    /// Modes that a coordinate may have at one place.
    const WIDEST: usize = 64;
    fn grow(zero: Option<Tuple>, path: &[usize]) -> Option<Tuple> {
        let Some((&mode, path)) = path.split_first() else {
            return match zero {
                None | Some(Nested::Leaf(_)) => Some(Nested::Leaf(0)),
                Some(Nested::Node(_)) => None,
            };
        };
        let mut entries = match zero {
            None => Vec::new(),
            Some(Nested::Leaf(_)) => return None,
            Some(Nested::Node(entries)) => entries,
        };
        // What no stride names is an integer until one does.
        let known = entries.get(mode).cloned().filter(|entry| *entry != UNNAMED);
        while entries.len() <= mode {
            entries.push(UNNAMED);
        }
        entries[mode] = grow(known, path)?;
        Some(Nested::Node(entries))
    }
    /// Stands for a part of a coordinate that no stride has named yet.
    const UNNAMED: Tuple = Nested::Leaf(i64::MIN);
    fn visit(stride: &Nested<Basis>, zero: &mut Option<Tuple>) -> bool {
        match stride {
            Nested::Leaf(basis) if basis.scale == 0 && basis.path.is_empty() => true,
            Nested::Leaf(basis) => {
                let bounded = basis.path.len() <= crate::DEPTH_LIMIT
                    && basis.path.iter().all(|&mode| mode < WIDEST);
                *zero = if bounded { grow(zero.take(), &basis.path) } else { None };
                zero.is_some()
            }
            Nested::Node(entries) => entries.iter().all(|entry| visit(entry, zero)),
        }
    }
    let mut zero = None;
    if !visit(stride, &mut zero) {
        return Err(Error::Operand {
            operation: "layout",
            expected: format!(
                "strides that take each part of a coordinate for an integer or for a tuple of at \
                 most {WIDEST} modes"
            ),
            found: format!("{shape}:{stride}"),
        });
    }
    zero.unwrap_or(Nested::Leaf(0)).map(&mut |_| Ok(0))
}
