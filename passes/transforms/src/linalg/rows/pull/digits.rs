//! Digits of a result's dimensions: the sizes of what a reshape makes one dimension of.
//!
//! ```text
//! %s = linalg.generic … reduces %g : tensor<4x2x3x64xf32>      a norm's groups
//! %y = collapse_shape %n [[0], [1, 2], [3]]                    -> the second dimension of %z has the digits 2 and 3
//! %z = linalg.generic ins(%y, %scale : tensor<4x6x64xf32>, tensor<6xf32>)
//! ```

use super::{super::extent::Extent, identity};
use crate::linalg::reshape::groups_of;
use layout_dialect::{
    affine::indexing_maps,
    build::{Val, operand, result},
    tree,
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::collections::HashSet;

/// The sizes of a dimension's digits, the slowest first, or `None` if the dimension has only itself.
pub(super) type Digits = Option<Vec<i64>>;

/// The digits of the dimensions of an operation's result, which reshapes of operations that are computed where they are read
/// give, or `None` if no dimension has any.
pub(super) fn of(
    root: OperationRef<'_, '_>,
    number: usize,
    inlined: &HashSet<usize>,
) -> Option<Vec<Digits>> {
    let mut search = Search { inlined, seen: HashSet::new() };
    let found = search.of_result(root, number)?;
    found.iter().any(Option::is_some).then_some(found)
}

struct Search<'s> {
    inlined: &'s HashSet<usize>,
    /// Operations that were searched.
    seen: HashSet<usize>,
}

impl Search<'_> {
    fn of_tensor(&mut self, tensor: Val<'_>) -> Option<Vec<Digits>> {
        let made = tree::definition(tensor)?;
        let own = identity(made);
        (self.inlined.contains(&own) && self.seen.insert(own)).then_some(())?;
        let number =
            (0..made.result_count()).find(|&i| tree::key(result(made, i)) == tree::key(tensor))?;
        self.of_result(made, number)
    }

    fn of_result(&mut self, made: OperationRef<'_, '_>, number: usize) -> Option<Vec<Digits>> {
        match tree::name(made).as_str() {
            "tensor.cast" => self.of_tensor(operand(made, 0)),
            "tensor.collapse_shape" => self.of_collapse(made),
            _ => self.of_structured(made, number),
        }
    }

    fn of_collapse(&mut self, made: OperationRef<'_, '_>) -> Option<Vec<Digits>> {
        let source = operand(made, 0);
        let extents = Extent::all(source).ok()?;
        let before = self.of_tensor(source).unwrap_or_else(|| vec![None; extents.len()]);
        let of_group = |group: Vec<usize>| {
            let mut several = group.into_iter().filter(|&i| extents[i] != Extent::Known(1));
            match (several.next(), several.next()) {
                (Some(one), None) => before[one].clone(),
                (Some(first), Some(second)) => {
                    [first, second].into_iter().chain(several).map(|i| extents[i].known()).collect()
                }
                _ => None,
            }
        };
        Some(groups_of(made).ok()?.into_iter().map(of_group).collect())
    }

    /// A loop has the digits of the first operand that says any.
    fn of_structured(&mut self, made: OperationRef<'_, '_>, number: usize) -> Option<Vec<Digits>> {
        let maps = indexing_maps(made)?;
        let inputs = made.operand_count().checked_sub(made.result_count())?;
        let own = maps.get(inputs + number)?;
        let mut loops: Vec<Digits> = vec![None; own.dimensions];
        for (i, map) in maps.iter().enumerate().take(inputs) {
            let Some(found) = self.of_tensor(operand(made, i)) else { continue };
            for (at, digits) in map.results.iter().zip(found) {
                if let Some(d) = at.dimension().filter(|&d| loops[d].is_none()) {
                    loops[d] = digits;
                }
            }
        }
        Some(own.results.iter().map(|at| loops[at.dimension()?].clone()).collect())
    }
}
