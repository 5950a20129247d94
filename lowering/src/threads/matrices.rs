//! `ldmatrix` and `stmatrix` of matrices of 8 by 8 elements of 16 bits, lane by lane.
//!
//! Lane `8 m + r` gives the address of row `r` of matrix `m`. Lane `4 g + t` holds of each matrix the elements `2 t` and
//! `2 t + 1` of row `g`; transposed, element `g` of the rows `2 t` and `2 t + 1`: the PTX ISA's figures. A lane accesses what
//! it holds itself, at addresses that come from the lanes that have them, by shuffles.

use super::{
    Error,
    program::{Buffer, Sites, call, constant, plain, shuffle},
};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};

/// Rows of a matrix.
const ROWS: i64 = 8;

/// The number of lanes that hold a row.
const LANES_PER_ROW: i64 = 4;

/// Bytes of an element.
const ELEMENT: i64 = 2;

/// The elements that the lanes of a warp access together.
struct Collective<'r, 'c> {
    b: &'r Builder<'c>,
    /// The lane, and the address that it gives.
    lane: Val<'c>,
    address: Val<'c>,
    transposed: bool,
}

/// Whether matrices are of the only kind that is replaced here.
pub(super) fn is_known(operation: OperationRef<'_, '_>) -> bool {
    let text =
        |name: &str| operation.attribute(name).map(|found| found.to_string()).unwrap_or_default();
    text("shape").contains("m = 8, n = 8") && text("eltType").contains("b16")
}

/// Writes out a load that [`is_known`].
pub(super) fn load<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<(), Error> {
    let count = IntegerAttribute::try_from(operation.attribute("num")?)?.value();
    let all = Collective::of(b, operation, count, sites)?;
    let own = first_result(operation);
    let word = b.integer(32);
    let mut words = Vec::new();
    for matrix in 0..count {
        let pointers = all.pointers(matrix, sites)?;
        let elements = pointers
            .iter()
            .map(|&pointer| b.value("llvm.load", &[pointer], all.piece(), &all.alignment()))
            .collect::<Result<Vec<_>, _>>()?;
        words.push(match elements[..] {
            [low, high] => {
                let low = b.value("arith.extui", &[low], word, &[])?;
                let high = b.value("arith.extui", &[high], word, &[])?;
                let high = b.binary("arith.shli", high, b.constant(word, 16)?)?;
                b.binary("arith.ori", low, high)?
            }
            _ => elements[0],
        });
    }
    let whole = match words[..] {
        [only] if own.r#type() == word => only,
        _ => {
            let mut whole = b.value("llvm.mlir.undef", &[], own.r#type(), &[])?;
            for (at, value) in words.into_iter().enumerate() {
                let position = format!("array<i64: {at}>");
                let position = Attribute::parse(b.context(), &position)
                    .ok_or(melior::Error::AttributeParse(position))?;
                let attributes = [("position", position)];
                whole = b.value("llvm.insertvalue", &[whole, value], own.r#type(), &attributes)?;
            }
            whole
        }
    };
    tree::replace_uses(own, whole);
    tree::erase(operation);
    Ok(())
}

/// Writes out a store that [`is_known`].
pub(super) fn store<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<(), Error> {
    let count = i64::try_from(operation.operand_count()).unwrap_or(1) - 1;
    let all = Collective::of(b, operation, count, sites)?;
    for matrix in 1..operation.operand_count() {
        let value = operand(operation, matrix);
        let pointers = all.pointers(i64::try_from(matrix).unwrap_or(1) - 1, sites)?;
        for (half, &pointer) in (0..).zip(&pointers) {
            let piece = match pointers.len() {
                1 => value,
                _ => {
                    let shifted =
                        b.binary("arith.shrui", value, b.constant(b.integer(32), 16 * half)?)?;
                    b.value("arith.trunci", &[shifted], all.piece(), &[])?
                }
            };
            b.operation("llvm.store", &[piece, pointer], &[], &all.alignment(), vec![])?;
        }
    }
    tree::erase(operation);
    Ok(())
}

impl<'r, 'c> Collective<'r, 'c> {
    fn of(
        b: &'r Builder<'c>,
        operation: OperationRef<'c, 'c>,
        matrices: i64,
        sites: &mut Sites,
    ) -> Result<Self, Error> {
        // The lane's number is requested as gpu.lane_id is.
        let lane = call(b, "layout_index", &[constant(b, 32, 15)?], Some(b.integer(64)))?;
        let lane =
            lane.ok_or_else(|| Error::refused("expected the number of a lane, found none"))?;
        let lane = b.value("arith.trunci", &[lane], b.integer(32), &[])?;
        let pointer = plain(b, operand(operation, 0))?;
        // Lanes that give no row may have any address.
        let rows = b.constant(b.integer(32), ROWS * matrices)?;
        let gives = b.less(lane, rows)?;
        let site = constant(b, 32, sites.of(operation))?;
        let null = b.value("llvm.mlir.zero", &[], pointer.r#type(), &[])?;
        let row = b.value("llvm.select", &[gives, pointer, null], pointer.r#type(), &[])?;
        call(b, "layout_row", &[row, site], None)?;
        if let Some(buffer) = Buffer::of(operand(operation, 0)) {
            let base = plain(b, buffer.base)?;
            let row = b.value("llvm.select", &[gives, pointer, base], pointer.r#type(), &[])?;
            buffer.announce(b, (row, constant(b, 64, ROWS * ELEMENT)?), site)?;
        }
        let address = b.value("llvm.ptrtoint", &[pointer], b.integer(64), &[])?;
        let order = operation.attribute("layout")?.to_string();
        Ok(Self { b, lane, address, transposed: order.contains("col") })
    }

    /// The type that a lane accesses at once.
    fn piece(&self) -> Type<'c> {
        self.b.integer(if self.transposed { 16 } else { 32 })
    }

    fn alignment(&self) -> [(&'static str, Attribute<'c>); 1] {
        [("alignment", self.b.i64_attribute(if self.transposed { ELEMENT } else { 2 * ELEMENT }))]
    }

    /// Where the lane's pieces of a matrix are: one, or transposed two.
    fn pointers(&self, matrix: i64, sites: &mut Sites) -> Result<Vec<Val<'c>>, Error> {
        let b = self.b;
        let number = |value: i64| b.constant(b.integer(32), value);
        let (row, place) = (
            b.binary("arith.divui", self.lane, number(LANES_PER_ROW)?)?,
            b.binary("arith.remui", self.lane, number(LANES_PER_ROW)?)?,
        );
        let pair = b.binary("arith.muli", place, number(2)?)?;
        let (rows, element) = match self.transposed {
            false => (vec![row], pair),
            true => (vec![pair, b.binary("arith.addi", pair, number(1)?)?], row),
        };
        let bytes = b.binary("arith.muli", element, number(ELEMENT)?)?;
        let bytes = b.value("arith.extui", &[bytes], b.integer(64), &[])?;
        let first = number(ROWS * matrix)?;
        rows.into_iter()
            .map(|row| {
                let lane = b.binary("arith.addi", first, row)?;
                let address = self.given_by(lane, sites)?;
                let address = b.binary("arith.addi", address, bytes)?;
                let r#type = melior::dialect::llvm::r#type::pointer(b.context(), 0);
                Ok(b.value("llvm.inttoptr", &[address], r#type, &[])?)
            })
            .collect()
    }

    /// The address that a lane gives.
    fn given_by(&self, lane: Val<'c>, sites: &mut Sites) -> Result<Val<'c>, Error> {
        let b = self.b;
        let mode = Attribute::parse(b.context(), "#gpu<shuffle_mode idx>")
            .ok_or_else(|| Error::refused("expected a mode of shuffles, found none"))?;
        let results = [b.integer(64), b.integer(1)];
        let operands = [self.address, lane, b.constant(b.integer(32), 32)?];
        let made = b.operation("gpu.shuffle", &operands, &results, &[("mode", mode)], vec![])?;
        // A use, which receives what replaces the shuffle.
        let zero = b.constant(b.integer(64), 0)?;
        let kept = b.value("arith.ori", &[first_result(made), zero], b.integer(64), &[])?;
        shuffle(&Builder::before(made), made, sites)?;
        Ok(kept)
    }
}
