//! Layouts into coordinates: strides that are scaled basis elements.
//!
//! `1@0` steps by one in mode 0 of a coordinate, `4@1` by four in mode 1, and `2@1@0` by two in mode
//! 1 of mode 0: the outermost mode is written last, as in CuTe. A layout with such strides maps
//! coordinates to coordinates, and all that divides and composes does so in the same way: this is
//! how coordinates of a tensor follow a tile through every partition, for predicates and for copies
//! that take coordinates. Source: CuTe's document "TMA tensors".

use crate::{
    complement::complement,
    composition::{Closed, Step, closed_form},
    divide::pad,
    error::{Error, Result},
    layout::Layout,
    modal::{Modal, Part, Past, by_mode, gathered, joined, no_modes, walk},
    tiler::Tiler,
    tuple::{Coord, Nested, Tuple},
};
use alloc::{format, string::String, string::ToString, sync::Arc, vec, vec::Vec};
use core::fmt;

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

/// Checks that a stride by itself takes each part of a coordinate for an integer or for a tuple.
pub(crate) fn check_steps(stride: &Nested<Basis>) -> Result<()> {
    codomain(stride, &|| stride.to_string()).map(|_| ())
}

/// Whether no element of a stride is a basis element.
pub(crate) fn is_plain(stride: &Nested<Basis>) -> bool {
    match stride {
        Nested::Leaf(basis) => basis.path.is_empty(),
        Nested::Node(entries) => entries.iter().all(is_plain),
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
    /// What the coordinates nest like: zeros. Parts of the layout share it.
    zero: Arc<Tuple>,
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
        let zero = Arc::new(codomain(&stride, &|| format!("{shape}:{stride}"))?);
        Self::within(shape, stride, zero)
    }

    /// A layout into coordinates that nest like `zero`.
    pub(crate) fn within(shape: Tuple, stride: Nested<Basis>, zero: Arc<Tuple>) -> Result<Self> {
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

    /// What the coordinates nest like: zeros.
    pub(crate) fn zero(&self) -> &Tuple {
        &self.zero
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
        let mut result = Tuple::clone(&self.zero);
        self.add_offsets(&Coord::from(coord), &mut result, &mut |_| {})?;
        Ok(result)
    }

    /// Adds where what a coordinate fixes leads; what it keeps goes to `keep`.
    fn add_offsets(
        &self,
        coord: &Coord,
        result: &mut Tuple,
        keep: &mut impl FnMut(Self),
    ) -> Result<()> {
        let overflow = || Error::overflow("crd2idx", self);
        walk(coord, Part::of(self), &mut |index, part| {
            let Some(&index) = index else {
                keep(part.to_layout());
                return Ok(());
            };
            let leaves = leaves(part.shape(), part.stride());
            let count = leaves.len();
            let mut rest = index;
            for (i, (extent, basis)) in leaves.into_iter().enumerate() {
                let digit = if i + 1 == count { rest } else { rest % extent };
                rest /= extent;
                let by = basis.scale.checked_mul(digit).ok_or_else(overflow)?;
                add(result, &basis.path, by).ok_or_else(overflow)?;
            }
            Ok(())
        })
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
        let count = leaves.len();
        for (i, (extent, basis)) in leaves.into_iter().enumerate() {
            if extent == 1 && !(open && i + 1 == count) {
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
        by_mode("composition", Past::Dropped, self, tiler, &mut Self::composition)
    }

    /// As [`crate::logical_divide`], padded results included: the coordinates past the tensor are
    /// past its shape.
    ///
    /// # Errors
    ///
    /// Those of [`complement`] and [`BasisLayout::composition`].
    pub fn logical_divide(&self, tiler: &Tiler) -> Result<Self> {
        by_mode("logical_divide", Past::Kept, self, tiler, &mut |mode: &Self, tile| {
            // As in `divide::divided`: where the tile lies inside, only the padding is past the size.
            let inside = tile.cosize().is_ok_and(|reach| reach <= mode.size());
            mode.divided(tile, true).or_else(|refused| match inside {
                true => mode.divided(tile, false).map_err(|_| refused),
                false => Err(refused),
            })
        })
    }

    /// Divides a mode by a tile; `open` if a last mode of extent 1 is the one that goes on.
    fn divided(&self, tile: &Layout, open: bool) -> Result<Self> {
        let overflow = || Error::overflow("logical_divide", format!("({self}, {tile})"));
        let mut modes = self.coalesced(open).ok_or_else(overflow)?;
        pad(&mut modes, tile).ok_or_else(overflow)?;
        let extents = modes.iter().map(|(extent, _)| Nested::Leaf(*extent)).collect();
        let rest = complement(tile, &Nested::Node(extents))?;
        self.with_modes(modes)?.composition(&joined(vec![tile.clone(), rest])?)
    }

    /// As [`crate::zipped_divide`].
    ///
    /// # Errors
    ///
    /// As [`BasisLayout::logical_divide`].
    pub fn zipped_divide(&self, tiler: &Tiler) -> Result<Self> {
        gathered(self.logical_divide(tiler)?, tiler)
    }

    /// What a coordinate leaves of the layout, and where what it fixes leads: as [`crate::slice()`].
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow.
    pub fn slice(&self, coord: &Coord) -> Result<(Self, Tuple)> {
        let mut fixed = Tuple::clone(&self.zero);
        if *coord == Coord::Any {
            return Ok((self.clone(), fixed));
        }
        let mut kept = Vec::new();
        self.add_offsets(coord, &mut fixed, &mut |mode| kept.push(mode))?;
        let kept = if kept.is_empty() { self.with_modes(Vec::new())? } else { joined(kept)? };
        Ok((kept, fixed))
    }

    /// All leaves as extent and stride.
    fn leaves(&self) -> Vec<(i64, Basis)> {
        leaves(&self.shape, &self.stride)
    }
}

fn leaves(shape: &Tuple, stride: &Nested<Basis>) -> Vec<(i64, Basis)> {
    fn collect(stride: &Nested<Basis>, strides: &mut Vec<Basis>) {
        match stride {
            Nested::Leaf(basis) => strides.push(basis.clone()),
            Nested::Node(entries) => entries.iter().for_each(|entry| collect(entry, strides)),
        }
    }
    let mut strides = Vec::new();
    collect(stride, &mut strides);
    shape.leaves().into_iter().zip(strides).collect()
}

impl Modal for BasisLayout {
    type Extent = i64;
    type Stride = Basis;
    type Error = Error;

    fn shape(&self) -> &Tuple {
        &self.shape
    }

    fn stride(&self) -> &Nested<Basis> {
        &self.stride
    }

    fn part(&self, shape: &Tuple, stride: &Nested<Basis>) -> Self {
        // A part of a congruent pair, of a part of the size.
        let mut size = 1;
        shape.visit(&mut |extent| size *= *extent);
        let (shape, stride, zero) = (shape.clone(), stride.clone(), Arc::clone(&self.zero));
        Self { shape, stride, zero, size }
    }

    fn of_parts(modes: Vec<Self>) -> Result<Self> {
        let zero = Arc::clone(&modes.first().ok_or_else(no_modes)?.zero);
        if let Some(other) = modes.iter().find(|mode| mode.zero != zero) {
            return Err(Error::Operand {
                operation: "make_layout",
                expected: format!("layouts into coordinates that nest like {zero}"),
                found: format!("{other}, into {}", other.zero),
            });
        }
        let size = modes.iter().try_fold(1_i64, |size, mode| size.checked_mul(mode.size));
        let parts = modes.into_iter().map(|mode| (mode.shape, mode.stride));
        let (shape, stride): (Vec<_>, Vec<_>) = parts.unzip();
        let (shape, stride) = (Nested::Node(shape), Nested::Node(stride));
        match size {
            Some(size) => Ok(Self { shape, stride, zero, size }),
            None => Err(Error::overflow("product", &shape)),
        }
    }

    fn misfit(shape: &Tuple, coord: String) -> Error {
        Error::Coordinate { shape: shape.clone(), coord }
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
/// Of strides that do not agree on them, the error is told what was found.
pub(crate) fn codomain(stride: &Nested<Basis>, found: &dyn Fn() -> String) -> Result<Tuple> {
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
            found: found(),
        });
    }
    zero.unwrap_or(Nested::Leaf(0)).map(&mut |_| Ok(0))
}
