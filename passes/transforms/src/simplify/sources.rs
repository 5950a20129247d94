//! Operations of upstream dialects, and the facts of `layout-simplify` about their results and block arguments: the one
//! table, by which `leaves` and `import` dispatch. An operation without a row has no facts, and no meaning in the index
//! language.

use layout_egraph::symbol::Uniform;
use std::{collections::BTreeMap, sync::LazyLock};

/// How a cast fills new bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cast {
    /// With copies of the sign; to fewer bits, it cuts off.
    Sign,
    /// With zeros; to fewer bits, it cuts off.
    Zero,
    /// To fewer bits only.
    Truncate,
}

/// The bounds of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Launch {
    /// The hardware's limits, by dimension.
    pub(super) limits: [i64; 3],
    /// The attribute of a function that states less.
    pub(super) stated: Option<&'static str>,
    /// The threads that see one value.
    pub(super) uniform: Uniform,
}

/// The rule by which an operation's facts follow from its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactRule {
    /// A known integer.
    Constant,
    /// A meaning in the index language: transfer functions of `layout_egraph::facts`.
    Meaning,
    /// The operand's facts, at another width.
    Cast(Cast),
    /// Facts of the first argument of its block.
    Counter,
    /// An interval from 0.
    Id(Launch),
    /// An interval from 0 to as many lanes.
    Lane(i64),
    /// The threads that see one value, which concerns costs alone.
    Shared(Uniform),
    /// Nothing, on purpose.
    Nothing,
}

/// One row.
pub(super) struct Row {
    /// The operations.
    pub(super) operations: &'static [&'static str],
    /// The facts that they give.
    pub(super) gives: FactRule,
    /// Flavours: signs, wrapping, flags, widths.
    #[cfg_attr(not(test), expect(dead_code, reason = "FACTS.md shows it"))]
    pub(super) flavours: &'static str,
    /// The facts in words.
    #[cfg_attr(not(test), expect(dead_code, reason = "FACTS.md shows it"))]
    pub(super) fact: &'static str,
    /// Where.
    #[cfg_attr(not(test), expect(dead_code, reason = "FACTS.md shows it"))]
    pub(super) condition: &'static str,
}

const THREADS: Launch =
    Launch { limits: [1024, 1024, 64], stated: Some("known_block_size"), uniform: Uniform::Thread };
const BLOCKS: Launch = Launch {
    limits: [i32::MAX as i64, 65_535, 65_535],
    stated: Some("known_grid_size"),
    uniform: Uniform::Block,
};

const FLAGS: &str = "`nsw` and `nuw` are dropped and give nothing: a sum wraps; an operation with a flag is not reused";
const SIGNED: &str = "signed";
const ANY: &str = "always";
const NATURAL: &str = "both operands are known to be at least 0, and a divisor to be positive";
const NONE: &str = "nothing";

/// The table.
pub(super) const ROWS: &[Row] = &[
    Row {
        operations: &["arith.constant"],
        gives: FactRule::Constant,
        flavours: "i1 is 0 or 1 as a predicate, and -1 for true as signed; of vectors nothing",
        fact: "the value",
        condition: "an integer of 64 bits or fewer, or an index",
    },
    Row {
        operations: &["arith.addi", "arith.subi", "arith.muli"],
        gives: FactRule::Meaning,
        flavours: FLAGS,
        fact: "the sum, difference or product of intervals; a divisor; known bits. Where it may wrap: bits, and the power of two in the divisor",
        condition: "i32, i64, index",
    },
    Row {
        operations: &["arith.shli"],
        gives: FactRule::Meaning,
        flavours: FLAGS,
        fact: "as a product with a power of two",
        condition: "the shift is known and in [0, width): past it upstream's result is poison, and the operation stays",
    },
    Row {
        operations: &["arith.shrui"],
        gives: FactRule::Meaning,
        flavours: "unsigned; `exact` is dropped, and such an operation is not reused",
        fact: "as a quotient by a power of two",
        condition: "the shift is known and in [0, width)",
    },
    Row {
        operations: &["arith.shrsi"],
        gives: FactRule::Meaning,
        flavours: "signed; `exact` as above",
        fact: "as `arith.shrui`",
        condition: "the shift is known and in [0, width), and the operand at least 0",
    },
    Row {
        operations: &["arith.divui", "arith.remui"],
        gives: FactRule::Meaning,
        flavours: "unsigned: a negative dividend is a great one; `exact` as above",
        fact: "the quotient or remainder of intervals; a divisor; known bits of powers of two",
        condition: "the divisor is known to be positive as signed, so that none is 0, and nothing else moves before a check",
    },
    Row {
        operations: &["arith.divsi", "arith.floordivsi", "arith.remsi"],
        gives: FactRule::Meaning,
        flavours: "signed; division by 0, and of the least integer by -1, stay as they are",
        fact: "as for unsigned",
        condition: NATURAL,
    },
    Row {
        operations: &["arith.andi", "arith.ori", "arith.xori"],
        gives: FactRule::Meaning,
        flavours: "of i1: logic of predicates",
        fact: "known bits, and intervals from them",
        condition: "i32, i64, index; i1 where one operand is a predicate of the language and the other is one or a constant",
    },
    Row {
        operations: &["arith.minsi", "arith.maxsi"],
        gives: FactRule::Meaning,
        flavours: SIGNED,
        fact: "the lesser, or the greater, of both bounds",
        condition: ANY,
    },
    Row {
        operations: &["arith.minui", "arith.maxui"],
        gives: FactRule::Meaning,
        flavours: "unsigned",
        fact: "as for signed",
        condition: "both operands are known to be at least 0",
    },
    Row {
        operations: &["arith.mului_extended"],
        gives: FactRule::Meaning,
        flavours: "unsigned; its high word",
        fact: "the interval of the product's high word, where both operands are at least 0",
        condition: "nothing uses the low word",
    },
    Row {
        operations: &["arith.cmpi"],
        gives: FactRule::Meaning,
        flavours: "eq, slt, sle, sgt, sge; unsigned where both operands are at least 0; ne is a leaf",
        fact: "0 or 1; the answer where intervals, bits or divisors are apart",
        condition: "operands of i32, i64, index",
    },
    Row {
        operations: &["arith.select"],
        gives: FactRule::Meaning,
        flavours: "the condition is a bit",
        fact: "what both values have in common; the one that is taken where the condition is known",
        condition: "i32, i64, index",
    },
    Row {
        operations: &["arith.extsi"],
        gives: FactRule::Cast(Cast::Sign),
        flavours: SIGNED,
        fact: "the operand's interval, divisor and bits",
        condition: "from any iN, N <= 64",
    },
    Row {
        operations: &["arith.extui"],
        gives: FactRule::Cast(Cast::Zero),
        flavours: "unsigned",
        fact: "of an operand that may be below 0: as an unsigned word, and the power of two in its divisor; else as for signed",
        condition: "from any iN, N <= 64",
    },
    Row {
        operations: &["arith.trunci"],
        gives: FactRule::Cast(Cast::Truncate),
        flavours: "`nsw` and `nuw` give nothing",
        fact: "the interval and divisor where the interval fits the fewer bits as signed; else low bits, and the power of two in the divisor",
        condition: "from and to any iN, N <= 64",
    },
    Row {
        operations: &["arith.index_cast"],
        gives: FactRule::Cast(Cast::Sign),
        flavours: "signed; an index has 64 bits",
        fact: "as `arith.extsi`, or as `arith.trunci` to fewer bits",
        condition: "from and to any iN, N <= 64",
    },
    Row {
        operations: &["arith.index_castui"],
        gives: FactRule::Cast(Cast::Zero),
        flavours: "unsigned; an index has 64 bits",
        fact: "as `arith.extui`, or as `arith.trunci` to fewer bits",
        condition: "from and to any iN, N <= 64",
    },
    Row {
        operations: &["scf.for"],
        gives: FactRule::Counter,
        flavours: "signed or `unsigned`; the counter may wrap",
        fact: "the counter: from the lower bound to below the upper one, a multiple of what divides lower bound and step. \
               Where it may wrap: below the upper bound as signed, and the power of two in its divisor. Results and carried values: nothing",
        condition: "a step that is known to be positive; no wrap where the last value and a step fit the word, or 2^50 iterations \
                    come before; `unsigned`: both bounds at least 0 as signed",
    },
    Row {
        operations: &["gpu.thread_id"],
        gives: FactRule::Id(THREADS),
        flavours: "index",
        fact: "from 0 to below the least of 1024 (z: 64), `known_block_size` and `upper_bound`",
        condition: "a bound that is positive",
    },
    Row {
        operations: &["gpu.block_id"],
        gives: FactRule::Id(BLOCKS),
        flavours: "index",
        fact: "from 0 to below the least of 2^31 - 1 (y, z: 65535), `known_grid_size` and `upper_bound`; one value for a block",
        condition: "a bound that is positive",
    },
    Row {
        operations: &["gpu.lane_id"],
        gives: FactRule::Lane(32),
        flavours: "index",
        fact: "from 0 to below 32, or `upper_bound` if that is less",
        condition: "the chips of the option `chip` have warps of 32",
    },
    Row {
        operations: &["gpu.block_dim", "gpu.grid_dim"],
        gives: FactRule::Shared(Uniform::Block),
        flavours: "index",
        fact: "one value for a block; no interval",
        condition: ANY,
    },
    Row {
        operations: &["gpu.subgroup_id"],
        gives: FactRule::Shared(Uniform::Warp),
        flavours: "index",
        fact: "one value for a warp; no interval",
        condition: ANY,
    },
    Row {
        operations: &["func.func", "gpu.func"],
        gives: FactRule::Nothing,
        flavours: "arguments",
        fact: "arguments of the first block: one value for a block, which concerns costs alone. Nothing of other blocks",
        condition: ANY,
    },
    Row {
        operations: &[
            "arith.ceildivsi",
            "arith.ceildivui",
            "arith.addui_extended",
            "arith.mulsi_extended",
            "arith.bitcast",
            "arith.fptosi",
            "arith.fptoui",
        ],
        gives: FactRule::Nothing,
        flavours: "each",
        fact: NONE,
        condition: ANY,
    },
    Row {
        operations: &[
            "index.add",
            "index.sub",
            "index.mul",
            "index.divs",
            "index.divu",
            "index.ceildivs",
            "index.ceildivu",
            "index.floordivs",
            "index.rems",
            "index.remu",
            "index.maxs",
            "index.maxu",
            "index.mins",
            "index.minu",
            "index.shl",
            "index.shrs",
            "index.shru",
            "index.and",
            "index.or",
            "index.xor",
            "index.casts",
            "index.castu",
            "index.cmp",
            "index.sizeof",
            "index.constant",
        ],
        gives: FactRule::Nothing,
        flavours: "index of 32 or 64 bits",
        fact: NONE,
        condition: ANY,
    },
    Row {
        operations: &[
            "scf.while",
            "scf.parallel",
            "scf.forall",
            "scf.if",
            "scf.index_switch",
            "scf.execute_region",
            "scf.reduce",
        ],
        gives: FactRule::Nothing,
        flavours: "results, counters, carried values",
        fact: NONE,
        condition: ANY,
    },
    Row {
        operations: &[
            "affine.for",
            "affine.parallel",
            "affine.if",
            "affine.apply",
            "affine.min",
            "affine.max",
            "affine.load",
            "affine.delinearize_index",
            "affine.linearize_index",
        ],
        gives: FactRule::Nothing,
        flavours: "results, counters, carried values",
        fact: NONE,
        condition: ANY,
    },
    Row {
        operations: &[
            "gpu.launch",
            "gpu.cluster_id",
            "gpu.cluster_dim",
            "gpu.cluster_dim_blocks",
            "gpu.cluster_block_id",
            "gpu.global_id",
            "gpu.num_subgroups",
            "gpu.subgroup_size",
            "gpu.all_reduce",
            "gpu.subgroup_reduce",
            "gpu.shuffle",
        ],
        gives: FactRule::Nothing,
        flavours: "results, arguments of the body",
        fact: NONE,
        condition: ANY,
    },
    Row {
        operations: &["cf.br", "cf.cond_br", "cf.switch", "func.call", "ub.poison"],
        gives: FactRule::Nothing,
        flavours: "operands passed to blocks, and results",
        fact: NONE,
        condition: ANY,
    },
    Row {
        operations: &[
            "memref.dim",
            "memref.rank",
            "memref.load",
            "memref.extract_strided_metadata",
            "memref.extract_aligned_pointer_as_index",
        ],
        gives: FactRule::Nothing,
        flavours: "index, and integers in memory",
        fact: NONE,
        condition: ANY,
    },
];

/// The facts that an operation gives, or `None` if it has no row.
pub(super) fn gives(name: &str) -> Option<FactRule> {
    static BY_NAME: LazyLock<BTreeMap<&'static str, FactRule>> = LazyLock::new(|| {
        let of = |row: &'static Row| row.operations.iter().map(|&name| (name, row.gives));
        ROWS.iter().flat_map(of).collect()
    });
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplify::operations::name_of;
    use layout_egraph::index::IndexOp;

    /// The page of the table.
    fn page() -> String {
        let mut text = "# Facts of values\n\nThis page lists the facts of `layout-simplify` about results and block arguments of upstream operations, and \
            their conditions. Facts are signed intervals, divisors, known bits, the uniformity of a value, and the number of loops in which it \
            changes. An operation that is not listed gets none. `UPDATE_EXPECT=1 cargo test -p layout-passes facts` writes this page \
            from `src/simplify/sources.rs`.\n\nTests: `src/simplify/import/edges.rs` (every row, in each flavour, at the edges of i1, i8, i16, i32, i64 and \
            index, beside a slow definition), `passes/egraph/tests/sources.rs` (casts and counters, at every word of small \
            widths), `passes/egraph/tests/facts.rs` (operations), and \
            `test/Passes/simplify_facts.mlir` (the casts, counters and ids that the pass sees).\n\nAn index has 64 bits. A module whose data layout says \
            otherwise keeps its arithmetic on indices as it is.\n\n| operations | flavours | fact | condition |\n|---|---|---|---|\n"
            .to_owned();
        for row in ROWS {
            let names: Vec<String> =
                row.operations.iter().map(|name| format!("`{name}`")).collect();
            text += &format!(
                "| {} | {} | {} | {} |\n",
                names.join(", "),
                row.flavours,
                row.fact,
                row.condition
            );
        }
        text += "\n## What the validator reads\n\n`layout-verify` reads operations as forms: integer functions of arguments, ids and rounds of \
            loops. A value without a row, or whose condition does not hold, is *unknown*, and so is all that depends on it. Test: \
            `src/verify/arithmetic/edges.rs`, which compares each form with the slow definition at the edges of each width.\n\n\
            | operations | form | condition |\n|---|---|---|\n";
        for (operations, form, condition) in crate::verify::arithmetic::edges::ROWS {
            text += &format!("| `{}` | {form} | {condition} |\n", operations.join("`, `"));
        }
        text += "\nIds are symbols from 0 to below what the kernel states of its launch; sizes of blocks and grids are its constants where \
            it does; `scf.if` adds a condition. The facts of `layout-lower` are in \
            [`lowering/FACTS.md`](../../lowering/FACTS.md).\n";
        text
    }

    #[test]
    fn the_page_of_facts_lists_every_row() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/FACTS.md");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, page()).expect("the page is writable");
            return;
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        let hint = "run `UPDATE_EXPECT=1 cargo test -p layout-passes facts`";
        assert!(found == page(), "expected the table of facts in FACTS.md; {hint}");
    }

    /// Each operation has one row, and what the importer gives a meaning has one.
    #[test]
    fn every_operation_with_facts_has_one_row() {
        let mut names: Vec<&str> = ROWS.iter().flat_map(|row| row.operations).copied().collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "an operation has two rows");
        for name in IndexOp::ALL.iter().filter_map(|&op| name_of(op)) {
            assert_eq!(gives(name), Some(FactRule::Meaning), "{name}");
        }
        for name in ["arith.cmpi", "arith.select", "arith.mului_extended"] {
            assert_eq!(gives(name), Some(FactRule::Meaning), "{name}");
        }
        assert_eq!(gives("test.make"), None);
    }
}
