//! Collectives: all lanes of a warp do them at once, as shuffles are done: `redux.sync`, `vote.sync`, `match.sync` and `elect.sync`.

use super::{
    Error,
    conversions::attribute,
    program::{Sites, lane, shuffle},
};
use layout_dialect::{
    atoms::WARP,
    build::{Builder, Val, first_result, operand, result},
    tree,
};
use melior::ir::{OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike};

/// The kinds of reductions, and how two words are combined.
const KINDS: [(&str, &str); 8] = [
    ("add", "arith.addi"),
    ("min", "arith.minsi"),
    ("max", "arith.maxsi"),
    ("umin", "arith.minui"),
    ("umax", "arith.maxui"),
    ("and", "arith.andi"),
    ("or", "arith.ori"),
    ("xor", "arith.xori"),
];

/// Writes out an operation of all lanes of a warp; false for any other operation.
pub(super) fn replace<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    sites: &mut Sites,
) -> Result<bool, Error> {
    let name = tree::name(operation);
    let mask = match name.as_str() {
        "nvvm.redux.sync" => 1,
        "nvvm.vote.sync" | "nvvm.match.sync" | "nvvm.elect.sync" => 0,
        _ => return Ok(false),
    };
    let has_mask = mask < operation.operand_count();
    if has_mask && !is_all(operand(operation, mask)) {
        return Ok(false);
    }
    let kind = operation.attribute("kind").map(|kind| kind.to_string()).unwrap_or_default();
    let kind = kind.trim_end_matches('>').rsplit(['<', ' ']).next().unwrap_or_default();
    let mut lanes = Lanes { b, sites };
    let word = b.integer(32);
    let of = |at| operand(operation, at);
    let value = match name.as_str() {
        "nvvm.redux.sync" => {
            let Some((_, combine)) = KINDS.iter().find(|(name, _)| *name == kind) else {
                return Ok(false);
            };
            lanes.reduced(combine, of(0))?
        }
        "nvvm.vote.sync" => {
            let votes = lanes.ballot(of(1))?;
            let is = |number| lanes.compared(votes, b.constant(word, number)?);
            match kind {
                "ballot" => votes,
                "all" => is(-1)?,
                "any" => {
                    let none = is(0)?;
                    b.binary("arith.xori", none, b.constant(b.integer(1), 1)?)?
                }
                "uni" => b.binary("arith.ori", is(0)?, is(-1)?)?,
                _ => return Ok(false),
            }
        }
        "nvvm.match.sync" => {
            let same = lanes.same(of(1))?;
            match kind {
                "any" => same,
                "all" => {
                    let all = lanes.compared(same, b.constant(word, -1)?)?;
                    let mask = b.value("arith.extsi", &[all], word, &[])?;
                    let pair = result(operation, 0).r#type();
                    let none = b.value("llvm.mlir.undef", &[], pair, &[])?;
                    let pair = inserted(b, none, mask, 0)?;
                    inserted(b, pair, all, 1)?
                }
                _ => return Ok(false),
            }
        }
        // The first lane, once all are here.
        _ => {
            let own = lane(b)?;
            let first = lanes.exchanged("idx", own, b.constant(word, 0)?)?;
            lanes.compared(own, first)?
        }
    };
    tree::replace_uses(first_result(operation), value);
    tree::erase(operation);
    Ok(true)
}

/// The lanes of a warp that execute an operation at once.
struct Lanes<'a, 'c> {
    b: &'a Builder<'c>,
    sites: &'a mut Sites,
}

impl<'c> Lanes<'_, 'c> {
    /// The value of another lane.
    fn exchanged(&mut self, mode: &str, value: Val<'c>, by: Val<'c>) -> Result<Val<'c>, Error> {
        let b = self.b;
        let mode = attribute(b, &format!("#gpu<shuffle_mode {mode}>"))?;
        let operands = [value, by, b.constant(b.integer(32), WARP)?];
        let types = [value.r#type(), b.integer(1)];
        let made = b.operation("gpu.shuffle", &operands, &types, &[("mode", mode)], vec![])?;
        // The uses of its result are those of what it becomes, which is an operand here.
        let held = b.value("arith.bitcast", &[first_result(made)], value.r#type(), &[])?;
        shuffle(&Builder::before(made), made, self.sites)?;
        Ok(held)
    }

    /// All values, combined in steps with those of other lanes.
    fn reduced(&mut self, combine: &str, value: Val<'c>) -> Result<Val<'c>, Error> {
        let (mut value, mut offset) = (value, 1);
        while offset < WARP {
            let by = self.b.constant(self.b.integer(32), offset)?;
            let other = self.exchanged("xor", value, by)?;
            value = self.b.binary(combine, value, other)?;
            offset *= 2;
        }
        Ok(value)
    }

    /// A bit for each lane, set where its condition holds.
    fn ballot(&mut self, condition: Val<'c>) -> Result<Val<'c>, Error> {
        let b = self.b;
        let word = b.integer(32);
        let one = b.value("arith.extui", &[condition], word, &[])?;
        let bit = b.binary("arith.shli", one, lane(b)?)?;
        self.reduced("arith.ori", bit)
    }

    /// A bit for each lane, set where its value is this lane's.
    fn same(&mut self, value: Val<'c>) -> Result<Val<'c>, Error> {
        let b = self.b;
        let word = b.integer(32);
        let mut same = b.constant(word, 0)?;
        for number in 0..WARP {
            let number = b.constant(word, number)?;
            let other = self.exchanged("idx", value, number)?;
            let is_same = self.compared(value, other)?;
            let bit = b.value("arith.extui", &[is_same], word, &[])?;
            let bit = b.binary("arith.shli", bit, number)?;
            same = b.binary("arith.ori", same, bit)?;
        }
        Ok(same)
    }

    fn compared(&self, a: Val<'c>, b: Val<'c>) -> Result<Val<'c>, Error> {
        let equal = IntegerAttribute::new(self.b.integer(64), 0).into();
        let predicate = [("predicate", equal)];
        Ok(self.b.value("arith.cmpi", &[a, b], self.b.integer(1), &predicate)?)
    }
}

fn inserted<'c>(b: &Builder<'c>, into: Val<'c>, value: Val<'c>, at: i64) -> Result<Val<'c>, Error> {
    let position = attribute(b, &format!("array<i64: {at}>"))?;
    Ok(b.value("llvm.insertvalue", &[into, value], into.r#type(), &[("position", position)])?)
}

/// Whether a mask is a constant of all lanes.
fn is_all(mask: Val<'_>) -> bool {
    let value = tree::definition(mask).and_then(|mask| mask.attribute("value").ok());
    value.is_some_and(|value| value.to_string().starts_with("-1 "))
}
