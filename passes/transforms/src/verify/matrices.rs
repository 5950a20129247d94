//! The rows of matrices that `ldmatrix` and `stmatrix` exchange among the lanes of a warp.

use super::trace::Kind;
use layout_dialect::atoms::{CopyKind, WARP};
use melior::ir::{OperationRef, attribute::IntegerAttribute, operation::OperationLike};

/// Bytes of a row of 8 elements of 16 bits, which a matrix access takes at an address.
pub(super) const ROW_BYTES: i64 = 16;

/// Rows of a matrix.
const ROWS: i64 = 8;

/// How lanes of a warp hold rows: a lane gives the address of a row, and others hold its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatrixRows {
    /// The first lanes, which give the address of a row each.
    pub(super) lanes: i64,
    transposed: bool,
}

impl MatrixRows {
    /// The rows of an instruction whose matrices are 8 by 8 elements of 16 bits; none for others.
    pub(super) fn of(operation: OperationRef<'_, '_>, kind: Kind) -> Option<Self> {
        let text = |name: &str| {
            operation.attribute(name).map(|found| found.to_string()).unwrap_or_default()
        };
        let count = match kind {
            Kind::Load | Kind::Store | Kind::Update | Kind::AsyncStore => return None,
            Kind::LoadMatrix => {
                IntegerAttribute::try_from(operation.attribute("num").ok()?).ok()?.value()
            }
            Kind::StoreMatrix => i64::try_from(operation.operand_count()).ok()?.checked_sub(1)?,
        };
        let is_known = text("shape").contains("m = 8, n = 8") && text("eltType").contains("b16");
        let transposed = text("layout").contains("col");
        is_known.then_some(Self { lanes: count.checked_mul(ROWS)?, transposed })
    }

    /// The rows of the side of a copy that is in shared memory.
    pub(super) fn of_copy(kind: CopyKind, stores: bool) -> Option<Self> {
        match (kind, stores) {
            (CopyKind::Ldmatrix { transposed }, false)
            | (CopyKind::Stmatrix { transposed }, true) => Some(Self { lanes: WARP, transposed }),
            _ => None,
        }
    }

    /// The lane that holds a byte of the row of which a lane gives the address: the PTX ISA's figures.
    pub(super) const fn holder(self, lane: i64, byte: i64) -> i64 {
        let row = lane % ROWS;
        match self.transposed {
            false => 4 * row + byte / 4,
            true => 4 * (byte / 2) + row / 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_holds_four_bytes_of_a_matrix() {
        for transposed in [false, true] {
            let rows = MatrixRows { lanes: 8, transposed };
            for holder in 0..WARP {
                let held = (0..ROWS).flat_map(|lane| (0..ROW_BYTES).map(move |byte| (lane, byte)));
                let held = held.filter(|&(lane, byte)| rows.holder(lane, byte) == holder);
                assert_eq!(held.count(), 4, "lane {holder}");
            }
        }
        let plain = MatrixRows { lanes: 8, transposed: false };
        assert_eq!([plain.holder(3, 0), plain.holder(3, 15), plain.holder(11, 4)], [12, 15, 13]);
        let transposed = MatrixRows { lanes: 8, transposed: true };
        assert_eq!([transposed.holder(3, 0), transposed.holder(3, 15)], [1, 29]);
    }
}
