//! The four kinds of tests that each operation has: a round trip, a fold, the lowering of operands
//! that are partly static, and an error.
//!
//! Operations with a row in the table are run from it in all four ways, here and in
//! `lowering/tests/dynamic`. The others are shown by a file each, or have no such test, for a reason.

use std::fs;

/// Whether an operation has a test of a kind.
pub(crate) enum Has {
    /// In this file, from the repository's root.
    In(&'static str),
    /// It cannot, and why.
    Not(&'static str),
}

use Has::{In, Not};

/// An operation without a row.
pub(crate) struct Other {
    pub(crate) name: &'static str,
    round_trip: Has,
    fold: Has,
    lowering: Has,
    error: Has,
}

const VIEWS: &str = "test/Dialect/views.mlir";
const DYNAMIC: &str = "test/Dialect/dynamic.mlir";
const KERNELS: &str = "test/Dialect/kernels.mlir";
const FOLD: &str = "test/Dialect/fold.mlir";
const LOWERED: &str = "test/Lowering/dynamic.mlir";
const LOWERED_VIEWS: &str = "lowering/tests/dynamic/views.rs";
const VIEWS_ERRORS: &str = "test/Dialect/views_errors.mlir";
const PARTLY_ERRORS: &str = "test/Dialect/views_partly_errors.mlir";
const DYNAMIC_ERRORS: &str = "test/Dialect/dynamic_errors.mlir";
const MATRIX_ERRORS: &str = "test/Dialect/matrix_errors.mlir";

const TILED: &str = "test/Dialect/tiled.mlir";
const TILED_ERRORS: &str = "test/Dialect/tiled_errors.mlir";

const A_PLACE: Has = Not("its result is a place in memory, which no attribute holds");
const AN_EFFECT: Has = Not("it has no result, and what it does to memory stays");
const ALL_KNOWN: Has = Not("its verifier requires layouts that are known when compiling");

/// The operations without a row.
pub(crate) const OTHERS: &[Other] = &[
    Other {
        name: "constant",
        round_trip: In("test/Dialect/algebra.mlir"),
        fold: In(FOLD),
        lowering: Not("what a constant is is known"),
        error: In("test/Dialect/algebra_errors.mlir"),
    },
    Other {
        name: "make",
        round_trip: In(DYNAMIC),
        fold: In(FOLD),
        lowering: In(LOWERED),
        error: In(DYNAMIC_ERRORS),
    },
    Other {
        name: "assume",
        round_trip: In(DYNAMIC),
        fold: In(FOLD),
        lowering: In(LOWERED),
        error: In(DYNAMIC_ERRORS),
    },
    Other {
        name: "print",
        round_trip: In(DYNAMIC),
        fold: AN_EFFECT,
        lowering: In(LOWERED),
        error: In(DYNAMIC_ERRORS),
    },
    Other {
        name: "relate",
        round_trip: In("test/Dialect/relation.mlir"),
        fold: In("test/Dialect/relation.mlir"),
        lowering: In("lowering/tests/dynamic/relations.rs"),
        error: In("test/Dialect/relation_errors.mlir"),
    },
    Other {
        name: "make_view",
        round_trip: In("test/Dialect/views_partly.mlir"),
        fold: A_PLACE,
        lowering: In("test/Lowering/views_partly.mlir"),
        error: In(PARTLY_ERRORS),
    },
    Other {
        name: "alloc",
        round_trip: In(VIEWS),
        fold: A_PLACE,
        lowering: ALL_KNOWN,
        error: In(VIEWS_ERRORS),
    },
    Other {
        name: "partition_fragment",
        round_trip: In(TILED),
        fold: A_PLACE,
        lowering: Not("its extents are known when compiling"),
        error: In(TILED_ERRORS),
    },
    Other {
        name: "make_fragment_like",
        round_trip: In(TILED),
        fold: A_PLACE,
        lowering: In("test/Lowering/tiled.mlir"),
        error: In(TILED_ERRORS),
    },
    Other {
        name: "identity_tensor",
        round_trip: In(VIEWS),
        fold: Not("its result is a view, which no attribute holds"),
        lowering: In(LOWERED_VIEWS),
        error: In(VIEWS_ERRORS),
    },
    Other {
        name: "load",
        round_trip: In(VIEWS),
        fold: In(FOLD),
        lowering: In("test/Lowering/views_partly.mlir"),
        error: In(VIEWS_ERRORS),
    },
    Other {
        name: "pointer",
        round_trip: In(VIEWS),
        fold: A_PLACE,
        lowering: In("test/Lowering/pointer.mlir"),
        error: In(VIEWS_ERRORS),
    },
    Other {
        name: "store",
        round_trip: In(VIEWS),
        fold: AN_EFFECT,
        lowering: In(LOWERED_VIEWS),
        error: In(VIEWS_ERRORS),
    },
    Other {
        name: "atomic",
        round_trip: In(VIEWS),
        fold: AN_EFFECT,
        lowering: In("test/Lowering/atomics.mlir"),
        error: In(VIEWS_ERRORS),
    },
    Other {
        name: "fill",
        round_trip: In(VIEWS),
        fold: AN_EFFECT,
        lowering: In(LOWERED_VIEWS),
        error: In(VIEWS_ERRORS),
    },
    Other {
        name: "copy",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: In(LOWERED_VIEWS),
        error: In("test/Dialect/copy_errors.mlir"),
    },
    Other {
        name: "cooperative_copy",
        round_trip: In("test/Dialect/cooperative_copy.mlir"),
        fold: AN_EFFECT,
        lowering: In("test/Lowering/cooperative_copy.mlir"),
        error: In("test/Dialect/cooperative_copy_errors.mlir"),
    },
    Other {
        name: "copy_im2col",
        round_trip: In("test/Dialect/im2col.mlir"),
        fold: AN_EFFECT,
        lowering: ALL_KNOWN,
        error: In("test/Dialect/im2col_errors.mlir"),
    },
    Other {
        name: "mma",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: ALL_KNOWN,
        error: In(MATRIX_ERRORS),
    },
    Other {
        name: "map",
        round_trip: In("test/Dialect/fragments.mlir"),
        fold: AN_EFFECT,
        lowering: In("test/Lowering/fragments.mlir"),
        error: In("test/Dialect/fragments_errors.mlir"),
    },
    Other {
        name: "reduce",
        round_trip: In("test/Dialect/fragments.mlir"),
        fold: AN_EFFECT,
        lowering: In("test/Lowering/fragments.mlir"),
        error: In("test/Dialect/fragments_errors.mlir"),
    },
    Other {
        name: "wait_mma",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: ALL_KNOWN,
        error: In("test/Dialect/barriers_errors.mlir"),
    },
    Other {
        name: "barriers",
        round_trip: In(KERNELS),
        fold: A_PLACE,
        lowering: ALL_KNOWN,
        error: In("test/Dialect/barriers_errors.mlir"),
    },
    Other {
        name: "arrive",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: In("test/Lowering/barriers.mlir"),
        error: In("test/Dialect/barriers_errors.mlir"),
    },
    Other {
        name: "wait",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: In("test/Lowering/barriers.mlir"),
        error: In("test/Dialect/barriers_errors.mlir"),
    },
    Other {
        name: "transaction",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: In("test/Lowering/barriers.mlir"),
        error: In("test/Dialect/barriers_errors.mlir"),
    },
    Other {
        name: "pipeline",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: Not("it has no layouts; what its regions hold is lowered by itself"),
        error: In("test/Dialect/pipeline_errors.mlir"),
    },
    Other {
        name: "matmul",
        round_trip: In(KERNELS),
        fold: AN_EFFECT,
        lowering: ALL_KNOWN,
        error: In(MATRIX_ERRORS),
    },
    Other {
        name: "yield",
        round_trip: In(KERNELS),
        fold: Not("it ends a region"),
        lowering: Not("it has no layouts"),
        error: In(MATRIX_ERRORS),
    },
];

/// Why a file does not show an operation in a way, or `None` if it does.
fn missing(path: &str, name: &str, kind: &str, runs: &[&str], shown: &str) -> Option<String> {
    let full = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    let Ok(text) = fs::read_to_string(&full) else {
        return Some(format!("{name}: {kind}: expected the file {path}, found none"));
    };
    let run = path.ends_with(".rs")
        || text
            .lines()
            .any(|line| line.contains("RUN:") && runs.iter().all(|option| line.contains(option)));
    // The name is alone: `layout.make` is not `layout.make_view`.
    let alone = |line: &str| {
        line.match_indices(shown).any(|(at, found)| {
            let after = line[at + found.len()..].chars().next();
            !after.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    if !run {
        return Some(format!("{name}: {kind}: expected a RUN with {runs:?} in {path}, found none"));
    }
    let code = |line: &&str| kind == "error" || !line.trim_start().starts_with("//");
    if text
        .lines()
        .filter(code)
        .any(|line| alone(line) && (kind != "error" || line.contains("expected-error")))
    {
        return None;
    }
    Some(format!("{name}: {kind}: expected {shown} in {path}, found none"))
}

#[test]
fn each_other_operation_has_tests_of_four_kinds() {
    let mut wrong = Vec::new();
    for Other { name, round_trip, fold, lowering, error } in OTHERS {
        let operation = format!("layout.{name}");
        let refused = format!("'layout.{name}");
        let kinds: [(&str, &Has, &[&str], &str); 4] = [
            ("round trip", round_trip, &["layout-opt %s", "| layout-opt"], &operation),
            ("fold", fold, &["--canonicalize"], &operation),
            ("lowering", lowering, &["--layout-lower"], &operation),
            ("error", error, &["--verify-diagnostics"], &refused),
        ];
        for (kind, has, runs, shown) in kinds {
            match has {
                In(path) => wrong.extend(missing(path, name, kind, runs, shown)),
                Not(reason) => assert!(!reason.is_empty(), "{name}: {kind}"),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_row_has_tests_of_four_kinds() {
    for row in crate::table::ROWS {
        // Round trip, fold and error are run from every row; the lowering, from partly static operands.
        assert!(!row.folded.is_empty() && !row.message.is_empty(), "{}", row.name);
        assert!(!row.partly.is_empty(), "{}: expected partly static operands", row.name);
    }
}
