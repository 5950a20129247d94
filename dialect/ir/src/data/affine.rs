//! The indexing maps of upstream's structured operations (`linalg`), as sums of multiples of loop dimensions.
//!
//! | map | result | as terms |
//! |---|---|---|
//! | `(m, n, k) -> (m, k)` | 0 | `[(0, 1)]` |
//! | `(b, y, x, f, i, j, c) -> (b, y * 2 + i, x * 2 + j, c)` | 1 | `[(1, 2), (4, 1)]` |
//!
//! A result that is no such sum (`floordiv`, `mod`, a symbol) is none.

use melior::ir::{Attribute, AttributeLike, OperationRef};
use mlir_sys::{
    MlirAffineExpr, mlirAffineBinaryOpExprGetLHS, mlirAffineBinaryOpExprGetRHS,
    mlirAffineConstantExprGetValue, mlirAffineDimExprGetPosition, mlirAffineExprIsAAdd,
    mlirAffineExprIsAConstant, mlirAffineExprIsADim, mlirAffineExprIsAMul,
    mlirAffineMapAttrGetValue, mlirAffineMapGetNumDims, mlirAffineMapGetNumResults,
    mlirAffineMapGetResult, mlirAttributeIsAAffineMap, mlirLinalgGetIndexingMapsAttribute,
};
use std::{collections::BTreeMap, fmt};

use crate::pass::tree;

/// A sum of multiples of loop dimensions, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// A dimension's number and its factor, in the order of the dimensions; no factor is 0.
    pub terms: Vec<(usize, i64)>,
    /// The constant that is added.
    pub constant: i64,
}

impl Linear {
    /// The dimension, where the sum is that alone.
    pub fn dimension(&self) -> Option<usize> {
        match (self.terms.as_slice(), self.constant) {
            (&[(dimension, 1)], 0) => Some(dimension),
            _ => None,
        }
    }
}

/// From loop dimensions to the coordinates of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexingMap {
    /// How many loops there are.
    pub dimensions: usize,
    /// A coordinate of the operand each.
    pub results: Vec<Linear>,
}

/// As MLIR writes it: `affine_map<(d0, d1) -> (d0 * 2 + d1)>`.
impl fmt::Display for IndexingMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dimensions: Vec<String> = (0..self.dimensions).map(|d| format!("d{d}")).collect();
        let one = |result: &Linear| {
            let mut terms: Vec<String> =
                result.terms.iter().map(|(d, factor)| format!("d{d} * {factor}")).collect();
            if result.constant != 0 || terms.is_empty() {
                terms.push(result.constant.to_string());
            }
            terms.join(" + ")
        };
        let results: Vec<String> = self.results.iter().map(one).collect();
        write!(f, "affine_map<({}) -> ({})>", dimensions.join(", "), results.join(", "))
    }
}

/// The indexing maps of a structured operation, one for each operand; nothing where it is none, or where a result is no
/// sum of multiples of dimensions.
pub fn indexing_maps(operation: OperationRef<'_, '_>) -> Option<Vec<IndexingMap>> {
    // SAFETY: the operation is valid; of one that is not structured the attribute is null.
    let maps = unsafe {
        Attribute::from_option_raw(mlirLinalgGetIndexingMapsAttribute(operation.to_raw()))
    };
    tree::elements(maps?)?.into_iter().map(indexing_map).collect()
}

fn indexing_map(attribute: Attribute<'_>) -> Option<IndexingMap> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute's kind is checked first, and results are below their count.
    unsafe {
        if !mlirAttributeIsAAffineMap(raw) {
            return None;
        }
        let map = mlirAffineMapAttrGetValue(raw);
        let dimensions = usize::try_from(mlirAffineMapGetNumDims(map)).ok()?;
        let results = (0..mlirAffineMapGetNumResults(map))
            .map(|i| linear(mlirAffineMapGetResult(map, i)))
            .collect::<Option<_>>()?;
        Some(IndexingMap { dimensions, results })
    }
}

fn linear(expression: MlirAffineExpr) -> Option<Linear> {
    let mut factors = BTreeMap::new();
    let mut constant = 0_i64;
    let mut open = vec![(expression, 1_i64)];
    while let Some((at, factor)) = open.pop() {
        // SAFETY: the expression's kind is checked before its parts; parts live as long as it does.
        unsafe {
            if mlirAffineExprIsADim(at) {
                let dimension = usize::try_from(mlirAffineDimExprGetPosition(at)).ok()?;
                let sum: &mut i64 = factors.entry(dimension).or_insert(0);
                *sum = sum.checked_add(factor)?;
            } else if mlirAffineExprIsAConstant(at) {
                let own = mlirAffineConstantExprGetValue(at).checked_mul(factor)?;
                constant = constant.checked_add(own)?;
            } else if mlirAffineExprIsAAdd(at) {
                open.push((mlirAffineBinaryOpExprGetLHS(at), factor));
                open.push((mlirAffineBinaryOpExprGetRHS(at), factor));
            } else if mlirAffineExprIsAMul(at) {
                // MLIR keeps a constant on the right.
                let by = mlirAffineBinaryOpExprGetRHS(at);
                if !mlirAffineExprIsAConstant(by) {
                    return None;
                }
                let by = mlirAffineConstantExprGetValue(by).checked_mul(factor)?;
                open.push((mlirAffineBinaryOpExprGetLHS(at), by));
            } else {
                return None;
            }
        }
    }
    factors.retain(|_, factor| *factor != 0);
    Some(Linear { terms: factors.into_iter().collect(), constant })
}

#[cfg(test)]
#[path = "../../tests/units/data/affine.rs"]
mod tests;
