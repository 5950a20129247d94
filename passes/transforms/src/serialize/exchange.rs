//! Values that lanes of a warp exchange: `gpu.shuffle` and `gpu.subgroup_reduce`.
//!
//! A value that crosses a point where threads meet is in a slot of its thread. An exchange is such a point: what a lane
//! gives is in its slot before any lane reads another's.

use super::{Failure, Serialize, ThreadLoop, WARP, refused};
use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};

/// Operations in which lanes exchange values.
pub(super) fn is_exchange(name: &str) -> bool {
    matches!(name, "gpu.shuffle" | "gpu.subgroup_reduce")
}

impl<'c> Serialize<'c> {
    /// Keeps a value that is used after a point where threads meet.
    pub(super) fn keep(
        &mut self,
        piece: &ThreadLoop<'c>,
        old: Val<'c>,
        new: Val<'c>,
    ) -> Result<(), Failure> {
        let slots = self.slots(new.r#type())?;
        store(&piece.b, new, slots, piece.thread)?;
        self.kept.insert(tree::key(old), slots);
        Ok(())
    }

    /// The value that this thread kept.
    pub(super) fn kept(
        &self,
        piece: &ThreadLoop<'c>,
        old: Val<'c>,
    ) -> Result<Option<Val<'c>>, Failure> {
        let Some(&slots) = self.kept.get(&tree::key(old)) else { return Ok(None) };
        Ok(Some(load(&piece.b, slots, piece.thread, old.r#type())?))
    }

    /// Puts each lane's value to its slot, in the piece that is open, and ends that.
    fn give(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
        piece: &mut Option<ThreadLoop<'c>>,
    ) -> Result<Val<'c>, Failure> {
        let value = operand(operation, 0);
        let slots = self.slots(value.r#type())?;
        let open = self.piece(piece, b)?;
        let given = self.value(open, value)?;
        store(&open.b, given, slots, open.thread)?;
        *piece = None;
        Ok(slots)
    }

    /// Each lane reads another one's value: that whose number its mode says, where that is one of the first `width`, else
    /// its own.
    pub(super) fn shuffle(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
        piece: &mut Option<ThreadLoop<'c>>,
    ) -> Result<(), Failure> {
        let own = self.give(operation, b, piece)?;
        let (index, word) = (Type::index(self.context), b.integer(32));
        let mut read = self.new_piece(b)?;
        let [offset, width] = [1, 2].map(|i| self.value(&mut read, operand(operation, i)));
        let (offset, width) = (offset?, width?);
        let b = read.b;
        let lane = b.binary("arith.remui", read.thread, b.constant(index, WARP)?)?;
        let first = b.binary("arith.subi", read.thread, lane)?;
        let lane = b.value("arith.index_cast", &[lane], word, &[])?;
        // As the chip does, which reads 5 bits of it.
        let offset = b.binary("arith.andi", offset, b.constant(word, WARP - 1)?)?;
        let mode = operation.attribute("mode")?.to_string();
        let mode = mode.trim_end_matches('>').split([' ', '<']).next_back().unwrap_or_default();
        let other = match mode {
            "xor" => b.binary("arith.xori", lane, offset)?,
            "up" => b.binary("arith.subi", lane, offset)?,
            "down" => b.binary("arith.addi", lane, offset)?,
            "idx" => offset,
            other => {
                return Err(refused(format!(
                    "expected a shuffle xor, up, down or idx, found {other}"
                )));
            }
        };
        // Unsigned: a lane in front of the first is none.
        const BELOW: i64 = 6;
        let below = [("predicate", b.i64_attribute(BELOW))];
        let valid = b.value("arith.cmpi", &[other, width], b.integer(1), &below)?;
        let from = b.value("arith.select", &[valid, other, lane], word, &[])?;
        let from = b.value("arith.index_cast", &[from], index, &[])?;
        let from = b.binary("arith.addi", first, from)?;
        let value = load(&b, own, from, operand(operation, 0).r#type())?;
        self.keep(&read, result(operation, 0), value)?;
        self.keep(&read, result(operation, 1), valid)
    }

    /// In each round every lane combines its value with that of the lane whose number differs in one bit, as shuffles do.
    pub(super) fn reduce(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
        piece: &mut Option<ThreadLoop<'c>>,
    ) -> Result<(), Failure> {
        let integer = |name: &str| {
            let attribute = operation.attribute(name).ok()?;
            IntegerAttribute::try_from(attribute).ok().map(|attribute| attribute.value())
        };
        let lanes = integer("cluster_size").unwrap_or(WARP);
        let stride = integer("cluster_stride").unwrap_or(1);
        let is_power = |value: i64| value >= 1 && value.count_ones() == 1;
        let reach = lanes.checked_mul(stride).filter(|&reach| reach <= WARP);
        let Some(reach) = reach.filter(|_| is_power(lanes) && is_power(stride)) else {
            return Err(refused(format!(
                "expected a cluster within the {WARP} lanes of a warp, its size and stride powers of 2, \
                 found {lanes} lanes with stride {stride}"
            )));
        };
        let r#type = operand(operation, 0).r#type();
        let combine = layout_dialect::reductions::combining(operation).map_err(refused)?;
        let mut own = self.give(operation, b, piece)?;
        let index = Type::index(self.context);
        let mut offset = stride;
        while offset < reach {
            let next = self.slots(r#type)?;
            let round = self.new_piece(b)?;
            let distance = round.b.constant(index, offset)?;
            let other = round.b.binary("arith.xori", round.thread, distance)?;
            let values = [round.thread, other].map(|lane| load(&round.b, own, lane, r#type));
            let [one, other] = values;
            let value = round.b.binary(combine, one?, other?)?;
            store(&round.b, value, next, round.thread)?;
            (own, offset) = (next, 2 * offset);
        }
        self.kept.insert(tree::key(result(operation, 0)), own);
        Ok(())
    }

    /// A slot for each thread, on the host's stack.
    fn slots(&self, r#type: Type<'c>) -> Result<Val<'c>, Failure> {
        let slots = self.parse(&format!("memref<{}x{type}>", self.threads))?;
        let sizes = self.attribute("array<i32: 0, 0>")?;
        Ok(self.entry.value("memref.alloca", &[], slots, &[("operandSegmentSizes", sizes)])?)
    }
}

fn store<'c>(b: &Builder<'c>, value: Val<'c>, slots: Val<'c>, at: Val<'c>) -> Result<(), Failure> {
    b.operation("memref.store", &[value, slots, at], &[], &[], vec![])?;
    Ok(())
}

fn load<'c>(
    b: &Builder<'c>,
    slots: Val<'c>,
    at: Val<'c>,
    r#type: Type<'c>,
) -> Result<Val<'c>, Failure> {
    Ok(b.value("memref.load", &[slots, at], r#type, &[])?)
}
