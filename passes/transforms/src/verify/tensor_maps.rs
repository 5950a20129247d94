//! Tensor maps as a kernel's facts describe them, and their dimensions along the strides of a matrix's modes.

use super::launch;
use layout_algebra::Layout;
use layout_dialect::tree;
use layout_relation::IndexForm;
use melior::ir::{
    Attribute, OperationRef,
    attribute::{DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// The tensor map that a kernel's facts describe, the contiguous dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TensorMap {
    pub(super) argument: usize,
    pub(super) extents: Vec<i64>,
    /// In bytes.
    pub(super) strides: Vec<i64>,
    pub(super) r#box: Vec<i64>,
    /// Bytes of a swizzled row; 0 for none.
    pub(super) swizzle: i64,
}

/// The tensor maps of a kernel's facts.
pub(super) fn maps(function: OperationRef<'_, '_>) -> Option<Vec<TensorMap>> {
    let attribute = match launch::facts(function) {
        Some(facts) => DictionaryAttribute::try_from(facts).ok()?.element_by_name("tensor_maps")?,
        // A kernel without a manifest has them alone.
        None => function.attribute("layout.tensor_maps").ok()?,
    };
    let list = tree::elements(attribute)?;
    let read = |map: Attribute<'_>| -> Option<TensorMap> {
        let map = DictionaryAttribute::try_from(map).ok()?;
        let number = |name| {
            let number = IntegerAttribute::try_from(map.element_by_name(name)?).ok()?;
            Some(number.value())
        };
        let numbers = |name| -> Option<Vec<i64>> {
            let all = DenseI64ArrayAttribute::try_from(map.element_by_name(name)?).ok()?;
            (0..all.len()).map(|at| all.element(at).ok()).collect()
        };
        Some(TensorMap {
            argument: usize::try_from(number("arg")?).ok()?,
            extents: numbers("extents")?,
            strides: numbers("strides")?,
            r#box: numbers("box")?,
            swizzle: number("swizzle")?,
        })
    };
    list.into_iter().map(read).collect()
}

/// A dimension of a tensor map: a digit of the coordinates along a mode of the matrix.
pub(super) struct MapDimension {
    pub(super) mode: usize,
    /// Coordinates of a step.
    pub(super) block: i64,
    /// Steps after which it starts again, and the mode's next one takes a step, or `None` for the last.
    pub(super) count: Option<i64>,
}

impl MapDimension {
    pub(super) fn of(&self, coordinate: i64) -> i64 {
        let steps = coordinate.div_euclid(self.block);
        self.count.map_or(steps, |count| steps.rem_euclid(count))
    }

    pub(super) fn of_form(&self, coordinate: &IndexForm) -> Option<IndexForm> {
        let steps = coordinate.floor_div(self.block)?;
        match self.count {
            Some(count) => steps.modulo(count),
            None => Some(steps),
        }
    }
}

/// The modes that each dimension of a map goes along.
pub(super) fn dimensions(
    map: &TensorMap,
    matrix: &Layout,
    bytes: i64,
) -> Option<Vec<MapDimension>> {
    let modes = matrix.modes();
    // The leaves of a mode whose steps continue as one are one: (mode, block, extent, stride).
    let mut leaves: Vec<(usize, i64, i64, i64)> = Vec::new();
    for (mode, layout) in modes.iter().enumerate() {
        let mut block = 1_i64;
        for (extent, stride) in layout.coalesce().ok()?.flat() {
            leaves.push((mode, block, extent, stride));
            block = block.checked_mul(extent)?;
        }
    }
    let last = |mode: usize| leaves.iter().rposition(|leaf| leaf.0 == mode);
    let mut taken: Vec<usize> = Vec::new();
    for (&extent, &stride) in map.extents.iter().zip(&map.strides) {
        let is = |at: usize| {
            let (_, _, size, step) = leaves[at];
            // A limit may be below the matrix's end.
            extent <= size && (size == 1 || step.checked_mul(bytes) == Some(stride))
        };
        taken.push((0..leaves.len()).find(|at| !taken.contains(at) && is(*at))?);
    }
    // One matrix for all of a batch needs no dimension, and nothing else is left out.
    let repeats = |at: usize| {
        let (mode, block, size, stride) = leaves[at];
        let inner = last(mode) != Some(at) || block == 1;
        size == 1 || (stride == 0 && inner)
    };
    let mut left = (0..leaves.len()).filter(|at| !taken.contains(at));
    left.all(repeats).then_some(())?;
    let along = |&at: &usize| {
        let (mode, block, extent, _) = leaves[at];
        MapDimension { mode, block, count: (last(mode) != Some(at)).then_some(extent) }
    };
    Some(taken.iter().map(along).collect())
}
