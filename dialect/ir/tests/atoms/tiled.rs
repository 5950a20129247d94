//! Partitions of tiled copies and tiled MMAs are those of CuTe: `partition_A`, `_B`, `_C`, `_S`, `_D` and the
//! thread-value layouts, as CUTLASS 4.2's headers print them for several threads.

use layout_algebra::{Layout, Nested, Tuple};
use layout_dialect::atoms::tiled::{Operand, Partition, Side};
use layout_dialect::{TiledCopyAttribute, TiledMmaAttribute};
use melior::{Context, dialect::DialectRegistry, ir::Attribute};

const A: &str = "(128,64):(64,1)";
const B: &str = "(64,64):(64,1)";
const C: &str = "(128,64):(64,1)";
const B_COLUMNS: &str = "(64,64):(1,64)";
const SQUARE: &str = "(128,128):(128,1)";

const M1: &str = "mma_m16n8k16_f32_f16, (2,2,1)";
const M2: &str = "mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)";
const M3: &str = "mma_m16n8k16_f32_f16, (2,2,1), <32:1, (8,2,2):(1,16,8), 16:1>";
const M4: &str = "mma_m16n8k16_f32_f16, (4,1,1), (64,16,16)";
const W: &str = "wgmma_m64n64k16_f32_f16, (2,1,1)";

/// A tiled MMA or copy, its operand or side, what is partitioned, and what CuTe prints: the layout, and offsets of
/// threads.
type Row = (&'static str, &'static str, &'static str, &'static str, [(i64, i64); 3]);

const OPERANDS: &[Row] = &[
    (M1, "a", A, "((2,2,2),4,4):((1,512,8),2048,16)", [(0, 0), (37, 1090), (127, 1478)]),
    (M1, "b", B, "((2,2),4,4):((1,8),1024,16)", [(0, 0), (37, 66), (127, 966)]),
    (M1, "c", C, "((2,2),4,4):((1,512),2048,16)", [(0, 0), (37, 1090), (127, 1486)]),
    (M2, "a", A, "((2,2,2),4,4):((1,512,8),2048,16)", [(0, 0), (37, 66), (127, 1478)]),
    (M2, "b", B, "((2,2),4,4):((1,8),1024,16)", [(0, 0), (37, 578), (127, 966)]),
    (M2, "c", C, "((2,2),4,4):((1,512),2048,16)", [(0, 0), (37, 74), (127, 1486)]),
    (M3, "a", A, "((2,2,2),4,4):((1,512,8),2048,16)", [(0, 0), (37, 1090), (127, 1478)]),
    (M3, "b", B, "((2,2),(2,2),4):((1,8),(512,2048),16)", [(0, 0), (37, 66), (127, 1478)]),
    (M3, "c", C, "((2,2),4,(2,2)):((1,512),2048,(8,32))", [(0, 0), (37, 1090), (127, 1494)]),
    (M4, "a", A, "((2,2,2),2,4):((1,512,8),4096,16)", [(0, 0), (37, 1090), (127, 3526)]),
    (M4, "b", B, "((2,2),8,4):((1,8),512,16)", [(0, 0), (37, 66), (127, 454)]),
    (M4, "c", C, "((2,2),2,8):((1,512),4096,8)", [(0, 0), (37, 1090), (127, 3526)]),
    (W, "a", A, "((64,16),1,4):((64,1),0,16)", [(0, 0), (37, 0), (200, 4096)]),
    (W, "b", B, "((64,16),1,4):((64,1),0,16)", [(0, 0), (37, 0), (200, 0)]),
    (W, "c", C, "((2,2,8),1,1):((1,512,8),0,0)", [(0, 0), (37, 1090), (200, 6272)]),
];

/// Copies of elements of two bytes.
const COPIES: &[Row] = &[
    (
        "ldmatrix_x4, a of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "source",
        A,
        "((8,1),4,4):((1,0),2048,16)",
        [(0, 0), (37, 320), (127, 1992)],
    ),
    (
        "ldmatrix_x4, a of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "target",
        A,
        "(((2,2,2),1),4,4):(((1,512,8),0),2048,16)",
        [(0, 0), (37, 66), (127, 1478)],
    ),
    (
        "ldmatrix_x4, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "source",
        B,
        "((8,1),2,4):((1,0),2048,16)",
        [(0, 0), (37, 832), (127, 1992)],
    ),
    (
        "ldmatrix_x4, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "target",
        B,
        "(((2,2,2),1),2,4):(((1,8,1024),0),2048,16)",
        [(0, 0), (37, 578), (127, 966)],
    ),
    (
        "ldmatrix_x4_trans, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "source",
        B_COLUMNS,
        "((8,1),2,4):((1,0),32,1024)",
        [(0, 0), (37, 328), (127, 984)],
    ),
    (
        "ldmatrix_x4_trans, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "target",
        B_COLUMNS,
        "(((2,2,2),1),2,4):(((64,512,16),0),32,1024)",
        [(0, 0), (37, 137), (127, 399)],
    ),
    (
        "stmatrix_x4, c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "source",
        C,
        "(((2,2,2),1),4,2):(((1,512,16),0),2048,32)",
        [(0, 0), (37, 74), (127, 1486)],
    ),
    (
        "stmatrix_x4, c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,16)>",
        "target",
        C,
        "((8,1),4,2):((1,0),2048,32)",
        [(0, 0), (37, 328), (127, 2008)],
    ),
    (
        "ldmatrix_x4, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), <32:1, (8,2,2):(1,16,8), 16:1>>",
        "source",
        B,
        "((8,1),2,4):((1,0),2048,16)",
        [(0, 0), (37, 320), (127, 1992)],
    ),
    (
        "ldmatrix_x4, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), <32:1, (8,2,2):(1,16,8), 16:1>>",
        "target",
        B,
        "(((2,2,2),1),2,4):(((1,8,512),0),2048,16)",
        [(0, 0), (37, 66), (127, 1478)],
    ),
    (
        "cp_async_16, (16,8):(8,1), (1,8)",
        "source",
        SQUARE,
        "((8,1),8,2):((1,0),2048,64)",
        [(0, 0), (37, 552), (127, 1976)],
    ),
    (
        "simt_4, (8,16):(16,1), (2,8):(8,1)",
        "source",
        SQUARE,
        "((4,(2,2)),8,1):((1,(4,128)),2048,0)",
        [(0, 0), (37, 552), (127, 1912)],
    ),
];

fn context() -> Context {
    let registry = DialectRegistry::new();
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// Checks a thread's part of a layout, and where it begins.
fn check(what: &str, partition: &Partition, of: &str, expected: &str, offsets: [(i64, i64); 3]) {
    let spread = partition.of(&of.parse().expect("a layout")).expect("a partition");
    let [threads, values] = &spread.modes()[..] else { panic!("{what}: {spread} of two modes") };
    assert_eq!(values.to_string(), expected, "{what}");
    for (thread, offset) in offsets {
        assert_eq!(threads.at(thread), Ok(offset), "{what}: thread {thread}");
    }
}

#[test]
fn operands_are_partitioned_as_in_cute() {
    let context = context();
    for &(mma, operand, of, expected, offsets) in OPERANDS {
        let text = format!("#layout.tiled_mma<{mma}>");
        let attribute = Attribute::parse(&context, &text).expect("a tiled MMA");
        let tiled = TiledMmaAttribute::try_from(attribute).expect("a tiled MMA");
        let operand: Operand = operand.parse().expect("an operand");
        let partition = tiled
            .tiled()
            .and_then(|mma| mma.partition(operand).map_err(|_| melior::Error::OperationBuild));
        check(&format!("{operand} of {mma}"), &partition.expect("it is"), of, expected, offsets);
    }
}

#[test]
fn copies_are_partitioned_as_in_cute() {
    let context = context();
    for &(copy, side, of, expected, offsets) in COPIES {
        let text = format!("#layout.tiled_copy<{copy}>");
        let attribute = Attribute::parse(&context, &text).expect("a tiled copy");
        let tiled = TiledCopyAttribute::try_from(attribute).expect("a tiled copy");
        let tiled = tiled.tiled().expect("a tiled copy");
        let to: Side = side.parse().expect("a side");
        let partition = tiled.partition(to, Some(2)).expect("a partition");
        check(&format!("{side} of {copy}"), &partition, of, expected, offsets);
    }
}

/// The same functions as `get_layoutA_TV` and its like print.
#[test]
fn thread_values_are_those_of_cute() {
    let context = context();
    for (of, cute) in [
        (
            format!("a of #layout.tiled_mma<{M2}>"),
            "(((4,8),2,2),((2,2,2),(1,1))):(((64,1),0,16),((32,8,256),(0,0)))",
        ),
        (
            format!("b of #layout.tiled_mma<{M2}>"),
            "(((4,8),2,2),((2,2),(2,1))):(((64,1),8,0),((32,256),(16,0)))",
        ),
        (
            format!("c of #layout.tiled_mma<{M2}>"),
            "(((4,8),2,2),((2,2),(1,2))):(((64,1),256,16),((32,8),(0,512)))",
        ),
        (
            format!("b of #layout.tiled_mma<{M3}>"),
            "((4,8,2,2),((2,2),(2,1))):((64,1,0,16),((32,256),(8,0)))",
        ),
        (
            format!("c of #layout.tiled_mma<{M4}>"),
            "((4,8,4),((2,2),(1,2))):((128,1,16),((64,8),(0,512)))",
        ),
        (
            format!("c of #layout.tiled_mma<{W}>"),
            "((4,8,8),((2,2,8),(1,1))):((256,1,16),((128,8,1024),(0,0)))",
        ),
        (
            "#layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>".to_owned(),
            "((8,16),8):((128,1),16)",
        ),
        (
            "#layout.tiled_copy<simt_4, (8,16):(16,1), (2,8):(8,1)>".to_owned(),
            "((16,8),(8,2)):((128,2),(16,1))",
        ),
    ] {
        let text = format!("#layout.thread_values<{of}>");
        let term = Attribute::parse(&context, &text).expect("a term");
        let term = layout_dialect::TermAttribute::try_from(term).expect("a term");
        let found: Layout = term.text().parse().expect("a layout");
        let cute: Layout = cute.parse().expect("a layout");
        let sizes = |layout: &Layout| -> Tuple {
            Nested::Node(layout.modes().iter().map(|mode| Nested::Leaf(mode.size())).collect())
        };
        assert_eq!(sizes(&found), sizes(&cute), "{of}");
        for index in 0..cute.size() {
            assert_eq!(found.at(index), cute.at(index), "{of} at {index}");
        }
    }
}
