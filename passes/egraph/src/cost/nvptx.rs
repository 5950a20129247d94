//! Integer instructions of NVIDIA's GPUs.
//!
//! From the instruction sets of the chips as `ptxas` uses them: a 32-bit sum of three, a multiply-add,
//! a shift and any logic of three are one instruction each; a quotient by a constant is a high
//! product with what rounds it, and a remainder one product more; other quotients are a routine. A word
//! of 64 bits takes two registers and at least two instructions. Chips before sm_70 have no 32-bit
//! multiplier, those before sm_50 no logic of three, those before sm_32 no shift of two registers.
//!
//! `cargo measure addresses` compares what this model says of a suite with instructions that were counted.

use super::Cost;
use crate::{
    facts::{Facts, Number},
    index::IndexOp,
    node::Node,
    symbol::Uniform,
};
use layout_algebra::{Layout, Op, Value};

/// One instruction.
pub const INSTRUCTION: Cost = 100;

/// The cost of a node that is no instruction: a layout that is still to be applied.
const CALL: Cost = 1 << 30;

/// The discount of an operation on values that all threads of a warp share: it may run beside the others,
/// once for the warp, and its result takes no register of the threads. It is one instruction all the
/// same, so that this only breaks ties.
const UNIFORM: Cost = 1;

/// A chip, as far as integers go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// Whether there is a data path for what a warp shares.
    uniform: bool,
    /// Instructions of a 32-bit product or multiply-add.
    multiply: Cost,
    /// Instructions of a logic operation on three words.
    logic_of_three: Cost,
    /// Instructions of a shift of two registers.
    funnel: Cost,
}

/// The instructions of a node, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Logic of two words.
    Logic,
    /// Logic of three words.
    LogicOfThree,
    /// A shift.
    Shift,
    /// A sum or difference, of up to three words.
    Sum,
    /// A product with a power of two, and a sum, if there is one.
    Scale,
    /// Another product, and a sum, if there is one.
    Product,
    /// The high word of a product.
    HighProduct,
    /// The quotient of a natural number by a constant.
    Quotient,
    /// The quotient by a power of two.
    ShiftedQuotient,
    /// The quotient by a constant of a word that reaches the sign's bit.
    WordQuotient,
    /// The remainder of a natural number by a constant.
    Remainder,
    /// The remainder by a power of two.
    MaskedRemainder,
    /// The remainder by a constant of a word that reaches the sign's bit.
    WordRemainder,
    /// The quotient by what is not known.
    Division,
    /// The remainder by what is not known.
    Modulo,
    /// The smaller or the larger of two.
    Extreme,
    /// A comparison.
    Comparison,
    /// A selection.
    Selection,
    /// The address of an element, from a base and an offset. No term holds one.
    Address,
    /// A loop: its counter, its end, and copies of what it carries. No term holds one.
    Loop,
}

impl Kind {
    /// The name in reports, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logic => "logic operations",
            Self::LogicOfThree => "logic operations of three",
            Self::Shift => "shifts",
            Self::Sum => "sums",
            Self::Scale => "scales",
            Self::Product => "products",
            Self::HighProduct => "high products",
            Self::Quotient => "quotients",
            Self::ShiftedQuotient => "shifted quotients",
            Self::WordQuotient => "quotients of words",
            Self::Remainder => "remainders",
            Self::MaskedRemainder => "masked remainders",
            Self::WordRemainder => "remainders of words",
            Self::Division => "divisions",
            Self::Modulo => "moduli",
            Self::Extreme => "minima and maxima",
            Self::Comparison => "comparisons",
            Self::Selection => "selections",
            Self::Address => "addresses",
            Self::Loop => "loops",
        }
    }
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
        let since = |first: u32, cost: Cost| if version >= first { 1 } else { cost };
        let uniform = version >= 75;
        let (multiply, logic_of_three, funnel) = (since(70, 3), since(50, 2), since(32, 2));
        Some(Self { uniform, multiply, logic_of_three, funnel })
    }

    /// The cost of one node in hundredths of an instruction. Powers of two are taken for shifts and
    /// masks, which they become.
    pub fn own(&self, node: &Node, operands: &[&Facts], facts: &Facts, width: u32) -> Cost {
        match node {
            Node::Literal(_) | Node::Symbol(_) | Node::Tuple(_) | Node::Tiler(_) => 0,
            Node::Call(..) | Node::Layout(_) | Node::Swizzle(_) => CALL,
            Node::Index(op, _) => {
                let (kind, wide) = Self::kind(*op, operands, facts, width);
                let cost = self.instructions(kind, wide) * INSTRUCTION / 100;
                let shared = self.uniform && facts.uniform >= Uniform::Warp;
                if shared { cost.saturating_sub(UNIFORM) } else { cost }
            }
        }
    }

    /// The cost of a node where a plain layout may be applied to an index: less than its digits take, so
    /// that they are left to a lowering. One of a single mode is a product, and more than the product takes.
    pub fn own_applied(&self, node: &Node, operands: &[&Facts], facts: &Facts, width: u32) -> Cost {
        if let (Node::Call(Op::Crd2Idx, _), [index, layout]) = (node, operands)
            && let (Some(number), Some(Value::Layout(layout))) = (index.number, &layout.value)
            && number.low >= 0
            && let Ok(layout) = layout.coalesce_x()
        {
            let digits = self.digits(&layout);
            return if layout.flat().len() == 1 { digits + 1 } else { digits * 9 / 10 };
        }
        self.own(node, operands, facts, width)
    }

    /// The cost of the offset of an index in a layout: a quotient and a remainder for each digit, and a product
    /// that takes the sum so far in, but for one digit of stride 1.
    fn digits(&self, layout: &Layout) -> Cost {
        let modes = layout.flat();
        let mut below = 1_i64;
        let mut kinds: Vec<Kind> = Vec::new();
        let of = |n: i64, plain: Kind, of_power: Kind| {
            if n > 0 && n.count_ones() == 1 { of_power } else { plain }
        };
        for (i, &(extent, stride)) in modes.iter().enumerate() {
            if stride != 0 {
                if below > 1 {
                    kinds.push(of(below, Kind::Quotient, Kind::ShiftedQuotient));
                }
                if i + 1 < modes.len() {
                    kinds.push(of(extent, Kind::Remainder, Kind::MaskedRemainder));
                }
                kinds.push(of(stride, Kind::Product, Kind::Scale));
            }
            below = below.saturating_mul(extent);
        }
        if modes.iter().any(|&(_, stride)| stride == 1) {
            // The sum starts with it.
            if let Some(place) = kinds.iter().rposition(|&kind| kind == Kind::Scale) {
                kinds.remove(place);
            }
        }
        let costs = kinds.iter().map(|&kind| self.instructions(kind, false));
        costs.fold(0, Cost::saturating_add)
    }

    /// The kind of an operation, given the facts of its operands, and whether its words take two registers.
    pub fn kind(op: IndexOp, operands: &[&Facts], facts: &Facts, width: u32) -> (Kind, bool) {
        let wide = width > 32
            && !operands
                .iter()
                .chain([&facts])
                .all(|facts| facts.number.is_some_and(|n| is_narrow(&n)));
        let constant = |i: usize| operands.get(i)?.number?.value();
        let shifts = |i: usize| constant(i).is_some_and(|c| c > 0 && c.count_ones() == 1);
        let natural = operands.first().and_then(|facts| facts.number).is_some_and(|n| n.low >= 0);
        let kind = match op {
            IndexOp::And | IndexOp::Or | IndexOp::Xor => Kind::Logic,
            IndexOp::AndOr | IndexOp::AndXor | IndexOp::OrAnd | IndexOp::XorAnd => {
                Kind::LogicOfThree
            }
            IndexOp::And3 | IndexOp::Or3 | IndexOp::Xor3 => Kind::LogicOfThree,
            IndexOp::Shl | IndexOp::Shr => Kind::Shift,
            IndexOp::Add | IndexOp::Sub | IndexOp::Add3 => Kind::Sum,
            IndexOp::Mul | IndexOp::Mad if shifts(0) || shifts(1) => Kind::Scale,
            IndexOp::Mul | IndexOp::Mad => Kind::Product,
            IndexOp::High => Kind::HighProduct,
            IndexOp::Div if shifts(1) => Kind::ShiftedQuotient,
            IndexOp::Mod if shifts(1) => Kind::MaskedRemainder,
            IndexOp::Div if constant(1).is_some() && natural => Kind::Quotient,
            IndexOp::Mod if constant(1).is_some() && natural => Kind::Remainder,
            IndexOp::Div if constant(1).is_some() => Kind::WordQuotient,
            IndexOp::Mod if constant(1).is_some() => Kind::WordRemainder,
            IndexOp::Div => Kind::Division,
            IndexOp::Mod => Kind::Modulo,
            IndexOp::Min | IndexOp::Max => Kind::Extreme,
            IndexOp::Less | IndexOp::AtMost | IndexOp::Equal => Kind::Comparison,
            IndexOp::Select => Kind::Selection,
        };
        (kind, wide)
    }

    /// Instructions of a kind, in hundredths.
    pub fn instructions(&self, kind: Kind, wide: bool) -> Cost {
        let of = |narrow: Cost, wider: Cost| if wide { wider } else { narrow };
        // A tie goes to the operation that the table names first; the differences are below one
        // instruction for any term that a budget lets through.
        match kind {
            Kind::Logic => of(100, 200),
            Kind::LogicOfThree => self.logic_of_three * of(100, 200),
            Kind::Shift => of(100, 200 * self.funnel),
            Kind::Sum => of(101, 201),
            Kind::Scale | Kind::ShiftedQuotient => of(102, 202 * self.funnel),
            Kind::MaskedRemainder => of(102, 202),
            Kind::Product => self.multiply * of(103, 403),
            Kind::HighProduct => self.multiply * of(103, 903),
            // A high product and a shift; what reaches the sign's bit takes one more.
            Kind::Quotient => self.multiply * of(204, 1212),
            Kind::WordQuotient => self.multiply * of(304, 1212),
            Kind::Remainder => self.multiply * of(307, 1616),
            Kind::WordRemainder => self.multiply * of(407, 1616),
            Kind::Division => of(2000, 7000),
            Kind::Modulo => of(2200, 7200),
            Kind::Extreme => of(101, 401),
            Kind::Comparison | Kind::Selection => of(101, 201),
            Kind::Address => 100,
            // Fitted: the mean of what kernels of `test/Addresses` with a loop take besides the rest.
            Kind::Loop => 470,
        }
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
    fn older_chips_take_more_instructions() {
        let of =
            |name: &str, kind, wide| Chip::named(name).expect("a chip").instructions(kind, wide);
        assert_eq!(
            (of("sm_70", Kind::Product, false), of("sm_61", Kind::Product, false)),
            (103, 309)
        );
        assert!(of("sm_35", Kind::LogicOfThree, false) > of("sm_50", Kind::LogicOfThree, false));
        assert!(of("sm_30", Kind::Shift, true) > of("sm_35", Kind::Shift, true));
        assert_eq!(of("sm_30", Kind::Shift, false), of("sm_35", Kind::Shift, false));
        let high = Number { low: i64::MIN, ..Number::any(64) };
        let seven = Facts::of_number(Number::constant(7, 64));
        let (x, any) = (Facts::of_number(high), Facts::of_number(Number::any(64)));
        assert_eq!(Chip::kind(IndexOp::Div, &[&x, &seven], &any, 64), (Kind::WordQuotient, true));
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
        // A value that a warp shares is cheaper by less than any instruction.
        let thread = Facts::of_number(Number::between(0, 7, 1, 64).expect("an interval"));
        let of_threads = Model::Nvptx(chip).own(&add, &[&flat, &flat], &thread, 64);
        assert!(of_threads > own(&flat) && of_threads - own(&flat) < INSTRUCTION);
        assert_eq!(chip.own(&Node::Swizzle([egg::Id::from(0); 2]), &[], &flat, 64), CALL);
    }
}
