//! Integer instructions of NVIDIA's GPUs.
//!
//! From the instruction sets of the chips as `ptxas` uses them: a 32-bit sum of three, a multiply-add,
//! a shift and any logic of three are one instruction each; a quotient by a constant is a high
//! product with what rounds it, and a remainder one product more; other quotients are a routine. A word of 64 bits takes two registers and
//! at least two instructions. Chips before sm_70 have no 32-bit multiplier.

use super::Cost;
use crate::{
    facts::{Facts, Number},
    index::IndexOp,
    node::Node,
};

/// One instruction.
pub const INSTRUCTION: Cost = 100;

/// What is no instruction: a layout that is still to be applied.
const CALL: Cost = 1 << 30;

/// A chip, as far as integers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Instructions of a 32-bit product or multiply-add.
    multiply: Cost,
}

impl Chip {
    /// A chip by name, such as `sm_90a`.
    ///
    /// ```
    /// use layout_egraph::cost::Chip;
    /// assert!(Chip::named("sm_90a").is_some() && Chip::named("gfx90a").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let digits = name.strip_prefix("sm_")?.trim_end_matches(['a', 'f']);
        let version: u32 = digits.parse().ok()?;
        Some(Self { multiply: if version >= 70 { 1 } else { 3 } })
    }

    /// The cost of one node in hundredths of an instruction. Powers of two are taken for shifts and
    /// masks, which they become.
    pub fn own(&self, node: &Node, operands: &[&Facts], facts: &Facts, width: u32) -> Cost {
        let op = match node {
            Node::Literal(_) | Node::Symbol(_) | Node::Tuple(_) | Node::Tiler(_) => return 0,
            Node::Call(..) | Node::Layout(_) | Node::Swizzle(_) => return CALL,
            Node::Index(op, _) => *op,
        };
        let wide = width > 32
            && !operands
                .iter()
                .chain([&facts])
                .all(|facts| facts.number.is_some_and(|n| is_narrow(&n)));
        let of = |narrow: Cost, wider: Cost| if wide { wider } else { narrow };
        let constant = |i: usize| operands.get(i)?.number?.value();
        let shifts = |i: usize| constant(i).is_some_and(|c| c > 0 && c.count_ones() == 1);
        // The quotient by a constant, in hundredths.
        let natural = |i: usize| {
            let is = operands.get(i).and_then(|facts| facts.number).is_some_and(|n| n.low >= 0);
            if is { 204 } else { 304 }
        };
        // A tie goes to the operation that the table names first; the differences are below one
        // instruction for any term that a budget lets through.
        let instructions = match op {
            IndexOp::And | IndexOp::Or | IndexOp::Xor => of(100, 200),
            IndexOp::AndOr | IndexOp::AndXor | IndexOp::OrAnd | IndexOp::XorAnd => of(100, 200),
            IndexOp::And3 | IndexOp::Or3 | IndexOp::Xor3 => of(100, 200),
            IndexOp::Shl | IndexOp::Shr => of(100, 200),
            IndexOp::Add | IndexOp::Sub | IndexOp::Add3 => of(101, 201),
            IndexOp::Mul if shifts(0) || shifts(1) => of(102, 202),
            IndexOp::Mul => self.multiply * of(103, 403),
            IndexOp::Mad if shifts(0) || shifts(1) => of(102, 202),
            IndexOp::Mad => self.multiply * of(103, 403),
            IndexOp::Div if shifts(1) => of(102, 202),
            IndexOp::Mod if shifts(1) => of(102, 202),
            IndexOp::High => self.multiply * of(103, 903),
            // A high product and a shift; what reaches the sign's bit takes one more.
            IndexOp::Div if constant(1).is_some() => self.multiply * of(natural(0), 1212),
            IndexOp::Mod if constant(1).is_some() => self.multiply * of(103 + natural(0), 1616),
            IndexOp::Div => of(2000, 7000),
            IndexOp::Mod => of(2200, 7200),
            IndexOp::Min | IndexOp::Max => of(101, 401),
            IndexOp::Less | IndexOp::AtMost | IndexOp::Equal => of(101, 201),
            IndexOp::Select => of(101, 201),
        };
        instructions * INSTRUCTION / 100
    }
}

/// Whether an index is a natural number of 31 bits: then 32-bit arithmetic does.
pub fn is_narrow(number: &Number) -> bool {
    number.low >= 0 && number.high <= i64::from(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Model;
    use layout_algebra::Value;

    fn cost(op: IndexOp, operands: &[Number], width: u32) -> Cost {
        let chip = Chip::named("sm_90a").expect("a chip");
        let facts: Vec<Facts> = operands.iter().map(|&n| Facts::of_number(n)).collect();
        let own = Facts::of_number(Number::of(op, operands, width));
        let node = Node::Index(op, vec![]);
        Model::Nvptx(chip).own(&node, &facts.iter().collect::<Vec<_>>(), &own, width)
    }

    #[test]
    fn powers_of_two_and_narrow_words_are_cheap() {
        let x = Number::between(0, 1000, 1, 64).expect("an interval");
        let any = Number::any(64);
        let c = |value| Number::constant(value, 64);
        assert!(cost(IndexOp::Div, &[x, c(8)], 64) < cost(IndexOp::Div, &[x, c(7)], 64));
        assert!(cost(IndexOp::Div, &[x, c(7)], 64) < cost(IndexOp::Div, &[x, x], 64));
        assert!(cost(IndexOp::Add, &[x, x], 64) < cost(IndexOp::Add, &[any, any], 64));
        assert!(cost(IndexOp::Mad, &[x, c(5), x], 64) < 2 * cost(IndexOp::Add, &[x, x], 64));
    }

    #[test]
    fn loops_count_more_and_layouts_most() {
        let chip = Chip::named("sm_90a").expect("a chip");
        let flat = Facts::of_value(Value::Int(3), 64);
        let mut deep = flat.clone();
        deep.depth = 2;
        let add = Node::Index(IndexOp::Add, vec![]);
        let own = |facts: &Facts| Model::Nvptx(chip).own(&add, &[facts, facts], &flat, 64);
        assert_eq!(own(&deep), 64 * own(&flat));
        assert_eq!(chip.own(&Node::Swizzle([egg::Id::from(0); 2]), &[], &flat, 64), CALL);
    }
}
