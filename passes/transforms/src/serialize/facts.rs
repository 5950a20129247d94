//! The facts of a kernel's launch: its grid (for a persistent kernel, the blocks that the chip runs at once) and its
//! threads.

use super::{Failure, refused};
use crate::grid::{self, Blocks};
use layout_dialect::{atoms::WARP, tree};
use melior::ir::{
    OperationRef,
    attribute::{DenseI64ArrayAttribute, DictionaryAttribute},
    operation::OperationLike,
};

/// The attributes of a kernel about its launch.
pub(super) struct Facts {
    pub(super) name: String,
    /// Blocks along x and y.
    pub(super) grid: [Blocks; 2],
    /// Blocks along x at most, where these take all tiles.
    pub(super) most: Option<i64>,
    pub(super) threads: i64,
}

impl Facts {
    pub(super) const ATTRIBUTE: &str = "layout.kernel";
    /// The attribute of a kernel that is launched before another one.
    pub(super) const STEP: &str = "layout.step";

    pub(super) fn read(kernel: OperationRef<'_, '_>) -> Result<Self, Failure> {
        let missing = || {
            refused(format!(
                "expected a kernel with {} = {{grid, block, …}}, found none",
                Self::ATTRIBUTE
            ))
        };
        let facts = kernel
            .attribute(Self::ATTRIBUTE)
            .or_else(|_| kernel.attribute(Self::STEP))
            .map_err(|_| missing())?;
        let facts = DictionaryAttribute::try_from(facts)?;
        let extent = |name: &str| -> Result<[i64; 3], Failure> {
            let value = facts.element_by_name(name).ok_or_else(missing)?;
            let array = DenseI64ArrayAttribute::try_from(value)?;
            Ok([array.element(0)?, array.element(1)?, array.element(2)?])
        };
        let grid = facts.element_by_name("grid").ok_or_else(missing)?;
        let (grid, block) = (grid::read(grid)?, extent("block")?);
        if grid[2] != Blocks::Known(1) || block[1] != 1 || block[2] != 1 || block[0] % WARP != 0 {
            let grid = grid.map(|blocks| blocks.to_string()).join(", ");
            return Err(refused(format!(
                "expected a grid over x and y of whole warps along x, found grid [{grid}] and \
                 block {block:?}"
            )));
        }
        let name = tree::symbol(kernel).unwrap_or_default();
        let ([x, y, _], most) = (grid, grid::limit(facts));
        let x = match (x, most) {
            (Blocks::Known(x), Some(most)) => Blocks::Known(x.min(most)),
            (x, _) => x,
        };
        Ok(Self { name, grid: [x, y], most, threads: block[0] })
    }

    pub(super) fn attribute<'c>(
        &self,
        kernel: OperationRef<'c, '_>,
    ) -> Result<(&'static str, melior::ir::Attribute<'c>), Failure> {
        match kernel.attribute(Self::ATTRIBUTE) {
            Ok(facts) => Ok((Self::ATTRIBUTE, facts)),
            Err(_) => Ok((Self::STEP, kernel.attribute(Self::STEP)?)),
        }
    }
}
