//! Translation validation: every pass of ours is proved right on a GEMM, and passes that are broken on
//! purpose are caught, by their name.

mod bulk;
mod numbers;
mod offsets;
mod partly_static;
mod phases;
mod promises;
mod words;

use expect_test::{Expect, expect};
use layout_dialect::{
    build::{context_of, operand},
    diagnostics,
    passes::{Pass, PassRun, dialects, register_pass},
    tree,
};
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Attribute, Module, OperationRef, operation::OperationLike},
    pass::PassManager,
    utility::parse_pass_pipeline,
};
use std::sync::{Arc, Mutex, Once};

type Break = fn(&[OperationRef<'_, '_>]) -> Option<()>;

/// Passes that are wrong: what they run first, and what they break then.
const BROKEN: &[(&str, &str, Break)] = &[
    ("test-other-term", "", |all| {
        set(first(all, "layout.zipped_divide")?, "term", "#layout<(64,64)>")
    }),
    ("test-other-slice", "", |all| {
        // Another fragment of the same size, which types do not distinguish.
        let slices = all.iter().filter(|o| tree::name(**o) == "layout.slice");
        let mut found = slices.filter(|o| text(**o, "coord").contains("(_,0)"));
        let slice = *found.next()?;
        set(slice, "coord", &text(slice, "coord").replace("(_,0)", "(_,1)"))
    }),
    ("test-no-copy", "", |all| erase(*copies(all).first()?)),
    ("test-no-barrier", "", |all| erase(first(all, "gpu.barrier")?)),
    ("test-other-predicate", "", |all| set(predicated(all)?, "limits", "array<i64: 40, 72>")),
    ("test-tile-loses-a-store", "layout-tile-matmul", |all| erase(*copies(all).last()?)),
    ("test-tile-past-the-end", "layout-tile-matmul", |all| {
        let copy = predicated(all)?;
        let limits = text(copy, "limits").replace("200", "300");
        set(copy, "limits", &limits)
    }),
    ("test-serialize-loses-a-store", "layout-serialize", |all| erase(*copies(all).last()?)),
    ("test-lower-other-swizzle", "layout-lower", |all| {
        let shift = tree::definition(operand(first(all, "arith.xori")?, 1))?;
        set(tree::definition(operand(shift, 1))?, "value", "2 : i32")
    }),
    ("test-lower-other-offset", "layout-lower", |all| {
        let moved = all.iter().find(|o| {
            tree::name(**o) == "llvm.getelementptr"
                && text(**o, "rawConstantIndices").contains("1024")
        });
        set(*moved?, "rawConstantIndices", "array<i32: 1032>")
    }),
    ("test-lower-overlapping-buffers", "layout-lower", |all| {
        let base = all.iter().find(|o| {
            tree::name(**o) == "llvm.getelementptr"
                && tree::definition(operand(**o, 0))
                    .is_some_and(|base| tree::name(base) == "llvm.mlir.addressof")
        });
        set(*base?, "rawConstantIndices", "array<i32: 1024>")
    }),
    ("test-lower-other-parity", "layout-lower", |all| {
        let mut waits = all.iter().filter(|o| tree::name(**o) == "nvvm.mbarrier.try_wait.parity");
        let flipped = tree::definition(operand(*waits.next_back()?, 1))?;
        set(tree::definition(operand(flipped, 1))?, "value", "0 : i32")
    }),
    ("test-lower-no-release", "layout-lower", |all| erase(first(all, "nvvm.mbarrier.arrive")?)),
    ("test-lower-no-last-wait", "layout-lower", |all| {
        let mut waits = all.iter().filter(|o| tree::name(**o) == "nvvm.mbarrier.try_wait.parity");
        erase(*waits.next_back()?)
    }),
    ("test-lower-no-turn", "layout-lower", |all| {
        // The consumer group after waits for it.
        let mut arrivals = all.iter().filter(|o| tree::name(**o) == "nvvm.mbarrier.arrive");
        erase(*arrivals.nth(1)?)
    }),
    ("test-lower-other-turn", "layout-lower", |all| {
        let mut waits = all.iter().filter(|o| tree::name(**o) == "nvvm.mbarrier.try_wait.parity");
        let flipped = tree::definition(operand(*waits.next()?, 1))?;
        set(tree::definition(operand(flipped, 1))?, "value", "0 : i32")
    }),
    ("test-lower-other-steps", "layout-lower", |all| {
        // The producer counts another number of steps to the next tile.
        let mut loops = all.iter().filter(|o| tree::name(**o) == "scf.for");
        let tiles = loops.rfind(|o| o.operand_count() == 4)?;
        let next = tree::operations(tree::entry(*tiles)?).pop()?;
        let sum = tree::definition(operand(next, 0))?;
        let steps = tree::definition(operand(sum, 1))?;
        let least = tree::definition(operand(steps, 0))?;
        set(tree::definition(operand(least, 0))?, "value", "64 : index")
    }),
    ("test-lower-other-arrivals", "layout-lower", |all| {
        let mut inits = all.iter().filter(|o| tree::name(**o) == "nvvm.mbarrier.init");
        let count = tree::definition(operand(*inits.next_back()?, 1))?;
        set(count, "value", "1 : i32")
    }),
    ("test-lower-other-bytes", "layout-lower", |all| {
        let bytes = operand(first(all, "nvvm.mbarrier.arrive.expect_tx")?, 1);
        set(tree::definition(bytes)?, "value", "1024 : i32")
    }),
    ("test-lower-no-wait-for-products", "layout-lower", |all| {
        erase(first(all, "nvvm.wgmma.wait.group.sync.aligned")?)
    }),
    ("test-lower-other-descriptor", "layout-lower", |all| {
        let start = tree::definition(operand(first(all, "nvvm.wgmma.mma_async")?, 1))?;
        let rest = tree::definition(operand(start, 1))?;
        // The stride between groups of eight rows, which is 1024 bytes.
        set(rest, "value", "4611686156156411904 : i64")
    }),
    ("test-lower-other-tile", "layout-lower", |all| {
        // A coordinate of another tile.
        let name = "nvvm.cp.async.bulk.tensor.shared.cluster.global";
        let coordinate = tree::definition(operand(first(all, name)?, 2))?;
        set(tree::definition(operand(coordinate, 1))?, "value", "32 : i32")
    }),
    ("test-lower-other-box", "layout-lower", |all| {
        let kernel = all.iter().find(|o| o.attribute("layout.kernel").is_ok())?;
        let facts = text(*kernel, "layout.kernel")
            .replace("box = array<i64: 64, 64>", "box = array<i64: 64, 32>");
        set(*kernel, "layout.kernel", &facts)
    }),
    ("test-lower-other-block", "layout-lower", |all| {
        // The number of a block of 16 columns, not of 8.
        let name = "nvvm.cp.async.bulk.tensor.shared.cluster.global";
        let mut loads = all.iter().filter(|o| tree::name(**o) == name);
        let load = loads.find(|o| o.operand_count() == 6)?;
        let block = tree::definition(operand(*load, 4))?;
        set(tree::definition(operand(block, 1))?, "value", "4 : i32")
    }),
    ("test-lower-other-blocks", "layout-lower", |all| {
        let kernel = all.iter().find(|o| o.attribute("layout.kernel").is_ok())?;
        let facts = text(*kernel, "layout.kernel")
            .replace("box = array<i64: 8, 64, 8>", "box = array<i64: 8, 8, 64>");
        set(*kernel, "layout.kernel", &facts)
    }),
    ("test-lower-other-bulk-size", "layout-lower", |all| {
        let bytes = operand(first(all, "nvvm.cp.async.bulk.shared.cluster.global")?, 3);
        set(tree::definition(bytes)?, "value", "512 : i32")
    }),
    ("test-lower-other-bulk-row", "layout-lower", |all| {
        let name = "nvvm.cp.async.bulk.shared.cluster.global";
        let mut rows = all.iter().filter(|o| tree::name(**o) == name);
        let row = tree::definition(operand(*rows.nth(1)?, 1))?;
        set(row, "rawConstantIndices", "array<i32: 100>")
    }),
    ("test-lower-no-warp-barrier", "layout-lower", |all| erase(first(all, "nvvm.bar.warp.sync")?)),
    ("test-simplify-other-mask", "layout-simplify", |all| {
        let masks = all.iter().filter(|o| tree::name(**o) == "arith.andi");
        let mut masks = masks.filter_map(|o| tree::definition(operand(*o, 1)));
        let mask = masks.find(|mask| text(*mask, "value") == "-32 : i32")?;
        set(mask, "value", "-64 : i32")
    }),
    ("test-fold-other-value", "layout-fold", |all| {
        set(first(all, "layout.zipped_divide")?, "term", "#layout<(64,64)>")
    }),
    ("test-lower-other-index", "layout-lower", |all| {
        let stride = tree::definition(operand(first(all, "arith.muli")?, 1))?;
        set(stride, "value", "25 : i32")
    }),
    ("test-lower-other-shift", "layout-lower", |all| {
        set(tree::definition(operand(first(all, "arith.shrui")?, 1))?, "value", "4 : i64")
    }),
    ("test-mark-other-function", "layout-mark-tensor-maps", |all| {
        erase(first(all, "nvvm.fence.mbarrier.init")?)
    }),
    ("test-lower-other-predicate", "layout-lower", |all| {
        let limit = tree::definition(operand(first(all, "arith.cmpi")?, 1))?;
        set(limit, "value", "80 : i32")
    }),
    ("test-lower-other-stride", "layout-lower", |all| {
        // An extent takes the place of the stride among the integers after the pointer.
        let entry = tree::entry(first(all, "gpu.func")?)?;
        tree::replace_uses(tree::argument(entry, 3), tree::argument(entry, 1));
        Some(())
    }),
    ("test-lower-other-step", "layout-lower", |all| {
        let steps = all.iter().find(|o| text(**o, "rawConstantIndices") == "array<i32: 1>");
        set(*steps?, "rawConstantIndices", "array<i32: 2>")
    }),
    ("test-simplify-other-branch", "layout-simplify", |all| {
        let passed = tree::definition(operand(first(all, "cf.br")?, 0))?;
        set(tree::definition(operand(passed, 1))?, "value", "2 : index")
    }),
];

fn first<'c, 'a>(all: &[OperationRef<'c, 'a>], name: &str) -> Option<OperationRef<'c, 'a>> {
    all.iter().copied().find(|operation| tree::name(*operation) == name)
}

fn text(operation: OperationRef<'_, '_>, attribute: &str) -> String {
    operation.attribute(attribute).map(|a| a.to_string()).unwrap_or_default()
}

fn copies<'c, 'a>(all: &[OperationRef<'c, 'a>]) -> Vec<OperationRef<'c, 'a>> {
    all.iter().copied().filter(|o| tree::name(*o) == "layout.copy").collect()
}

/// The first copy with predicates.
fn predicated<'c, 'a>(all: &[OperationRef<'c, 'a>]) -> Option<OperationRef<'c, 'a>> {
    copies(all).into_iter().find(|copy| copy.operand_count() > 2)
}

fn erase(operation: OperationRef<'_, '_>) -> Option<()> {
    tree::erase(operation);
    Some(())
}

fn set(operation: OperationRef<'_, '_>, name: &str, value: &str) -> Option<()> {
    let attribute = Attribute::parse(context_of(operation), value)?;
    tree::set_attribute(operation, name, attribute);
    Some(())
}

fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        layout_dialect::tools::register_upstream_passes();
        layout_passes::register_all();
        layout_lowering::register_all();
        layout_passes::verify_each_pass();
        for &(name, first, breaks) in BROKEN {
            let run = move |root: OperationRef<'_, '_>, pass: &PassRun<'_>| {
                if !first.is_empty() {
                    pass.run_pipeline(first, root)?;
                }
                breaks(&tree::all(root))
                    .ok_or_else(|| diagnostics::error_in(root, "found nothing to break"))
            };
            let dependents = [
                dialects::arith(),
                dialects::func(),
                dialects::gpu(),
                layout_dialect::handle(),
                dialects::llvm(),
                dialects::nvvm(),
                dialects::scf(),
                dialects::vector(),
            ];
            let pass = Pass {
                name,
                description: "Broken on purpose",
                root: "builtin.module",
                dependents: &dependents,
                ..Pass::default()
            };
            register_pass(&pass, run);
        }
    });
}

/// C = A Bᵀ, ragged at every edge.
const GEMM: &str = "
func.func @gemm(%a: !layout.view<bf16, global, (200,72):(72,1)>,
                %b: !layout.view<bf16, global, (136,72):(72,1)>,
                %c: !layout.view<f32, global, (200,136):(136,1)>) {
  layout.matmul %a, %b, %c
    schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
    : !layout.view<bf16, global, (200,72):(72,1)>,
      !layout.view<bf16, global, (136,72):(72,1)>,
      !layout.view<f32, global, (200,136):(136,1)>
  return
}";

/// The same on Hopper's warpgroups, by a schedule's other keys.
fn warpgroups(keys: &str) -> String {
    let tile = if keys.contains("warps") { "" } else { "tile = (64,64,64), warps = (4,1)," };
    GEMM.replace("f32, global", "bf16, global").replace(
        "tile = (128,128,32), warps = (2,2), stages = 3",
        &format!("{tile} {keys}, chip = \"sm_90a\""),
    )
}

/// Runs passes on the GEMM; whether they succeed, and what they say.
fn run(passes: &str) -> (bool, Vec<String>) {
    run_on(GEMM, passes)
}

/// A context with all dialects.
fn context() -> Context {
    register();
    let registry = DialectRegistry::new();
    layout_dialect::tools::register_upstream(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

fn run_on(program: &str, passes: &str) -> (bool, Vec<String>) {
    let context = context();
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    context.attach_diagnostic_handler(move |diagnostic| {
        sink.lock().expect("no panic").push(diagnostic.to_string());
        true
    });
    let mut module = Module::parse(&context, program).expect("a module");
    let manager = PassManager::new(&context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), &format!("builtin.module({passes})"))
        .expect("a pipeline");
    let succeeded = manager.run(&mut module).is_ok();
    let messages = messages.lock().expect("no panic").clone();
    (succeeded, messages)
}

#[test]
fn every_pass_is_proved_right() {
    for pipeline in ["layout-to-nvvm", "layout-to-host"] {
        assert_eq!(run(pipeline), (true, vec![]), "{pipeline}");
    }
}

#[test]
fn every_pass_on_warpgroups_is_proved_right() {
    for keys in [
        "stages = 3",
        "stages = 2, swap_ab = true",
        "stages = 3, cluster = (2,2)",
        "tile = (64,24,64), warps = (4,1), stages = 3, cluster = (1,2)",
        "tile = (128,192,64), warps = (8,1), stages = 3",
        "stages = 3, ping_pong = true",
        "tile = (64,24,64), warps = (4,1), stages = 4, cluster = (1,2), ping_pong = 3",
        "stages = 3, stream_k = 3",
        "tile = (64,24,64), warps = (4,1), stages = 4, stream_k = 5, swap_ab = true",
    ] {
        for pipeline in ["layout-to-nvvm", "layout-to-host"] {
            let (succeeded, messages) = run_on(&warpgroups(keys), pipeline);
            assert_eq!((succeeded, messages), (true, vec![]), "{pipeline} of {keys}");
        }
    }
}

/// A fault in a pipeline of warpgroups is found.
fn caught_in_pipeline(pass: &str, expected: Expect) {
    caught_on_warpgroups("stages = 3", pass, expected);
}

fn caught_on_warpgroups(keys: &str, pass: &str, expected: Expect) {
    caught_in(&warpgroups(keys), &format!("{TILED}{pass}"), expected);
}

/// The last of these passes on a program fails with this.
fn caught_in(program: &str, passes: &str, expected: Expect) {
    let (succeeded, messages) = run_on(program, passes);
    assert!(!succeeded, "{passes} was not caught: {messages:?}");
    expected.assert_eq(messages.first().map_or("nothing", String::as_str));
}

/// A broken pass fails with this, after the passes that a tile program comes from.
fn caught(before: &str, pass: &str, expected: Expect) {
    let (succeeded, messages) = run(&format!("{before}{pass}"));
    assert!(!succeeded, "{pass} was not caught: {messages:?}");
    expected.assert_eq(messages.first().map_or("nothing", String::as_str));
}

const TILED: &str = "layout-tile-matmul,layout-simplify,";

#[test]
fn a_term_that_changes_its_value_is_caught() {
    caught(
        TILED,
        "test-other-term",
        expect![
            "test-other-term: expected the term (128,32) of layout.zipped_divide to keep its value, found (64,64) of layout.zipped_divide"
        ],
    );
}

#[test]
fn another_slice_is_caught() {
    caught(
        TILED,
        "test-other-slice",
        expect![
            "test-other-slice: expected 0 as an address of matrix loads of buffers in @gemm, found 32 (thread x = 0)"
        ],
    );
}

#[test]
fn a_copy_that_is_gone_is_caught() {
    caught(
        TILED,
        "test-no-copy",
        expect!["test-no-copy: expected 4 loads of argument 0 in @gemm, found 0"],
    );
}

#[test]
fn a_barrier_that_is_gone_is_caught() {
    caught(
        TILED,
        "test-no-barrier",
        expect!["test-no-barrier: expected the 12 loops and barriers of @gemm, found 11"],
    );
}

#[test]
fn another_predicate_is_caught() {
    caught(
        TILED,
        "test-other-predicate",
        expect![
            "test-other-predicate: expected loads of argument 0 in @gemm under no condition, found s0.2 + 2 s0.3 + 4 s0.4 + 8 s0.5 + 16 s0.6 + 128 s3.0 < 40"
        ],
    );
}

#[test]
fn a_tiling_that_loses_a_store_is_caught() {
    caught(
        "",
        "test-tile-loses-a-store",
        expect![
            "test-tile-loses-a-store: expected stores of argument 2 of @gemm to reach all of (200,136):(136,1), found none of offset 0"
        ],
    );
}

#[test]
fn a_tiling_that_loads_past_the_end_is_caught() {
    caught(
        "",
        "test-tile-past-the-end",
        expect![
            "test-tile-past-the-end: expected loads of argument 0 of @gemm within (200,72):(72,1), found offset 14400"
        ],
    );
}

#[test]
fn a_host_function_that_loses_a_store_is_caught() {
    caught(
        TILED,
        "test-serialize-loses-a-store",
        expect![
            "test-serialize-loses-a-store: expected stores of argument 2 of @gemm to reach offset 0 1 times, found no more"
        ],
    );
}

#[test]
fn another_swizzle_is_caught() {
    caught(
        TILED,
        "test-lower-other-swizzle",
        expect![
            "test-lower-other-swizzle: expected 144 as an address of stores of buffers in @gemm, found 160 (thread x = 8)"
        ],
    );
}

#[test]
fn another_mask_is_caught() {
    caught(
        &format!("{TILED}layout-lower,canonicalize,cse,"),
        "test-simplify-other-mask",
        expect![
            "test-simplify-other-mask: expected 160 as an address of loads of buffers in @gemm, found 32 (thread x = 32)"
        ],
    );
}

#[test]
fn another_offset_is_caught() {
    caught(
        TILED,
        "test-lower-other-offset",
        expect![
            "test-lower-other-offset: expected 2048 as an address of stores of buffers in @gemm, found 2064 (thread x = 0)"
        ],
    );
}

#[test]
fn buffers_that_overlap_are_caught() {
    caught(
        TILED,
        "test-lower-overlapping-buffers",
        expect![
            "test-lower-overlapping-buffers: expected buffers 0 and 3 of @gemm apart, found bytes 0..24576 and 1024..25600"
        ],
    );
}

#[test]
fn another_lowered_predicate_is_caught() {
    caught(
        TILED,
        "test-lower-other-predicate",
        expect![
            "test-lower-other-predicate: expected loads of argument 0 in @gemm under no condition, found s0.2 + 2 s0.3 + 4 s0.4 + 8 s0.5 + 16 s0.6 + 128 s3.0 < 80"
        ],
    );
}

#[test]
fn another_parity_is_caught() {
    caught_in_pipeline(
        "test-lower-other-parity",
        expect![
            "test-lower-other-parity: expected 1 as operand 1 of nvvm.mbarrier.try_wait.parity in @gemm, found 0 (always)"
        ],
    );
}

#[test]
fn a_stage_that_is_not_released_is_caught() {
    caught_in_pipeline(
        "test-lower-no-release",
        expect![
            "test-lower-no-release: expected nvvm.mbarrier.arrive in @gemm, found the end of a loop"
        ],
    );
}

#[test]
fn a_block_that_goes_before_others_have_reported_it_is_caught() {
    caught_on_warpgroups(
        "stages = 3, cluster = (1,2)",
        "test-lower-no-last-wait",
        expect![
            "test-lower-no-last-wait: expected nvvm.mbarrier.try_wait.parity in @gemm, found the end of a loop"
        ],
    );
}

#[test]
fn a_turn_that_is_not_passed_on_is_caught() {
    caught_on_warpgroups(
        "stages = 3, ping_pong = true",
        "test-lower-no-turn",
        expect![
            "test-lower-no-turn: expected nvvm.mbarrier.arrive in @gemm, found nvvm.wgmma.wait.group.sync.aligned"
        ],
    );
}

#[test]
fn a_consumer_group_that_does_not_wait_for_its_turn_is_caught() {
    caught_on_warpgroups(
        "stages = 3, ping_pong = true",
        "test-lower-other-turn",
        expect![
            "test-lower-other-turn: expected 1 as operand 1 of nvvm.mbarrier.try_wait.parity in @gemm, found 0 (thread x = 0, block x = 0)"
        ],
    );
}

#[test]
fn other_steps_of_a_tile_are_caught() {
    caught_on_warpgroups(
        "stages = 3, stream_k = 3",
        "test-lower-other-steps",
        expect![
            "test-lower-other-steps: expected 2 as a loop's bound in @gemm, found 64 (block x = 0, round of loop 2 = 0)"
        ],
    );
}

#[test]
fn another_count_of_arrivals_is_caught() {
    caught_in_pipeline(
        "test-lower-other-arrivals",
        expect![
            "test-lower-other-arrivals: expected 4 as operand 1 of nvvm.mbarrier.init in @gemm, found 1 (always)"
        ],
    );
}

#[test]
fn another_count_of_bytes_is_caught() {
    caught_in_pipeline(
        "test-lower-other-bytes",
        expect![
            "test-lower-other-bytes: expected 16384 as operand 1 of nvvm.mbarrier.arrive.expect_tx in @gemm, found 1024 (always)"
        ],
    );
}

#[test]
fn products_that_are_not_waited_for_are_caught() {
    caught_in_pipeline(
        "test-lower-no-wait-for-products",
        expect![
            "test-lower-no-wait-for-products: expected nvvm.wgmma.wait.group.sync.aligned in @gemm, found nvvm.mbarrier.arrive"
        ],
    );
}

#[test]
fn registers_that_are_written_while_products_read_them_are_caught() {
    caught_on_warpgroups(
        "stages = 3, mma = wgmma_ra_m64n64k16_f32_bf16",
        "test-lower-no-wait-for-products",
        expect![
            "test-lower-no-wait-for-products: expected 0 matrix loads of buffers in @gemm, found 1"
        ],
    );
}

#[test]
fn another_descriptor_is_caught() {
    caught_in_pipeline(
        "test-lower-other-descriptor",
        expect![
            "test-lower-other-descriptor: expected a descriptor of ((64,16),1,4):((64,1),0,16) in @gemm, found element (8,0) read at 256 and not at 512"
        ],
    );
}

#[test]
fn another_tile_of_a_bulk_copy_is_caught() {
    caught_in_pipeline(
        "test-lower-other-tile",
        expect![
            "test-lower-other-tile: expected 0 as the distance of a box from its tile in @gemm, found -32 (round of loop 3 = 1)"
        ],
    );
}

#[test]
fn another_box_of_a_bulk_copy_is_caught() {
    caught_in_pipeline(
        "test-lower-other-box",
        expect![
            "test-lower-other-box: expected nvvm.cp.async.bulk.tensor.global.shared.cta in @gemm, found nvvm.cp.async.bulk.commit.group"
        ],
    );
}

#[test]
fn a_fold_to_another_value_is_caught() {
    caught(
        TILED,
        "test-fold-other-value",
        expect![
            "test-fold-other-value: expected the term (128,32) of layout.zipped_divide to keep its value, found (64,64) of layout.zipped_divide"
        ],
    );
}

#[test]
fn another_function_for_tensor_maps_is_caught() {
    caught_in(
        &warpgroups("stages = 3"),
        "layout-to-nvvm,test-mark-other-function",
        expect![
            "test-mark-other-function: expected @gemm, which is in LLVM's dialect, to stay as it is, found llvm.br where operation 70 was nvvm.fence.mbarrier.init"
        ],
    );
}

/// A number that is stored, and is no address.
#[test]
fn another_index_is_caught() {
    let program = "gpu.module @numbers {
      gpu.func @index(%out: !layout.view<i32, global, 256:1>) kernel
          attributes {known_block_size = array<i32: 256, 1, 1>} {
        %t = gpu.thread_id x
        %l = layout.constant #layout<(16,16):(24,1)> : !layout<(16,16):(24,1)>
        %i = layout.crd2idx %l(%t) : !layout<(16,16):(24,1)>
        %x = arith.index_cast %i : index to i32
        layout.store %x, %out(%t) : !layout.view<i32, global, 256:1>
        gpu.return
      }
    }";
    assert_eq!(run_on(program, "layout-lower,layout-simplify"), (true, vec![]));
    caught_in(
        program,
        "test-lower-other-index",
        expect![
            "test-lower-other-index: expected 24 as a value of stores of argument 0 in @index, found 25 (thread x = 1)"
        ],
    );
}

/// A matrix whose extents and stride are known at run time.
const PITCHED: &str = "gpu.module @m {
  gpu.func @pitched(
      %a: !layout.view<f32, global, (?{range=1..4096},?{range=1..4096}):(?{div=8 range=8..8192},1)>,
      %out: !layout.view<f32, global, 128:1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %x = layout.load %a(%b, %t) :
        !layout.view<f32, global, (?{range=1..4096},?{range=1..4096}):(?{div=8 range=8..8192},1)>
    layout.store %x, %out(%t) : !layout.view<f32, global, 128:1>
    gpu.return
  }
}";

#[test]
fn an_extent_in_a_strides_place_is_caught() {
    assert_eq!(run_on(PITCHED, "layout-lower,layout-simplify"), (true, vec![]));
    caught_in(
        PITCHED,
        "test-lower-other-stride",
        expect![
            "test-lower-other-stride: expected 25962368 as an address of loads of argument 0 in @pitched, found 53440228 (thread x = 0, block x = 3827, integer 0 of the arguments = 3491, integer 2 of the arguments = 212)"
        ],
    );
}

#[test]
fn a_place_that_a_loop_carries_is_followed() {
    let program = "func.func @rows(%v: !layout.view<f32, host, (?):(1)>, %k: !layout<(?):(1)>,
                                    %n: index, %out: !layout.view<f32, host, 1:1>) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %r = scf.for %i = %zero to %n step %one iter_args(%w = %v)
          -> !layout.view<f32, host, (?):(1)> {
        %x = layout.load %w(%i) : !layout.view<f32, host, (?):(1)>
        layout.store %x, %out(0) : !layout.view<f32, host, 1:1>
        %t = layout.zipped_divide %w, #layout<2> : !layout.view<f32, host, (?):(1)>
        %s = layout.slice %t(1, _) : !layout.view<f32, host, zipped_divide((?):(1), 2)>
        %d = layout.make_view %s, %k
            : !layout.view<f32, host, slice((0,_), zipped_divide((?):(1), 2))>, !layout<(?):(1)>
        scf.yield %d : !layout.view<f32, host, (?):(1)>
      }
      %y = layout.load %r(0) : !layout.view<f32, host, (?):(1)>
      layout.store %y, %out(0) : !layout.view<f32, host, 1:1>
      return
    }";
    assert_eq!(run_on(program, "layout-lower,layout-simplify"), (true, vec![]));
    caught_in(
        program,
        "test-lower-other-step",
        expect![
            "test-lower-other-step: expected 4 as value 0 of scf.yield in @rows, found 8 (value 0 that is carried = 0)"
        ],
    );
}

#[test]
fn values_that_branches_pass_on_are_compared() {
    let program =
        "func.func @choose(%v: !layout.view<f32, host, 64:1>, %p: i1, %i: index, %x: f32) {
      %one = arith.constant 1 : index
      %next = arith.addi %i, %one : index
      cf.cond_br %p, ^left, ^end(%i : index)
    ^left:
      cf.br ^end(%next : index)
    ^end(%at: index):
      layout.store %x, %v(%at) : !layout.view<f32, host, 64:1>
      return
    }";
    assert_eq!(run_on(program, "layout-simplify"), (true, vec![]));
    caught_in(
        program,
        "test-simplify-other-branch",
        expect![
            "test-simplify-other-branch: expected 1 as value 0 of cf.br to 2 in @choose, found 2 (integer 1 of the arguments = 0)"
        ],
    );
}
