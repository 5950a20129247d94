//! `layout-verify` of threads that wait for each other one by one: pipelines, `mbarrier`s, bulk copies and MMAs.

use super::{TILED, context, run_on, warpgroups};
use expect_test::{Expect, expect};
use melior::{ir::Module, pass::PassManager, utility::parse_pass_pipeline};

/// Rows that bulk copies bring, one after the other, through two stages, and a store of another buffer by a bulk copy.
const ROWS: &str = "gpu.module @rows {
  gpu.func @rows(%x: !layout.view<f32, global, (32,8):(1,32)>, %y: !layout.view<f32, global, (32,8):(1,32)>) kernel
      attributes {layout.kernel = {grid = array<i64: 2, 1, 1>, block = array<i64: 160, 1, 1>}} {
    %t = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %tiles = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %barrier = arith.constant 1 : i32
    %all = arith.constant 128 : i32
    %s = layout.alloc : !layout.view<f32, shared, (32,2):(1,32)>
    %out = layout.alloc : !layout.view<f32, shared, (32):(1)>
    %few = arith.cmpi slt, %t, %c32 : index
    layout.pipeline %block to %tiles by %blocks depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %x(_, %tile) : !layout.view<f32, global, (32,8):(1,32)>
      %to = layout.slice %s(_, %stage) : !layout.view<f32, shared, (32,2):(1,32)>
      layout.copy #layout.atom<bulk_load> %from, %to : !layout.view<f32, global, (32):(1)>, !layout.view<f32, shared, (32):(1)>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      nvvm.cp.async.bulk.wait_group 0 {read}
      nvvm.barrier id = %barrier number_of_threads = %all
      scf.if %few {
        %a = layout.load %s(%t, %stage) : !layout.view<f32, shared, (32,2):(1,32)>
        layout.store %a, %out(%t) : !layout.view<f32, shared, (32):(1)>
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      nvvm.barrier id = %barrier number_of_threads = %all
      %row = layout.slice %y(_, %tile) : !layout.view<f32, global, (32,8):(1,32)>
      layout.copy #layout.atom<bulk_store> %out, %row : !layout.view<f32, shared, (32):(1)>, !layout.view<f32, global, (32):(1)>
      nvvm.cp.async.bulk.commit.group
    } epilogue {
    ^bb0(%tile: index):
    }
    nvvm.cp.async.bulk.wait_group 0 {read}
    gpu.return
  }
}";

/// Rows that are loaded and stored again, by one of four warps.
const DIRECT: &str = "gpu.module @direct {
  gpu.func @direct(%x: !layout.view<f32, global, (32,8):(1,32)>, %y: !layout.view<f32, global, (32,8):(1,32)>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 160, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %s = layout.alloc : !layout.view<f32, shared, (32,2):(1,32)>
    %few = arith.cmpi slt, %t, %c32 : index
    layout.pipeline %c0 to %c8 by %c1 depth 1 stages 2 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %x(_, %tile) : !layout.view<f32, global, (32,8):(1,32)>
      %to = layout.slice %s(_, %stage) : !layout.view<f32, shared, (32,2):(1,32)>
      layout.copy #layout.atom<bulk_load> %from, %to : !layout.view<f32, global, (32):(1)>, !layout.view<f32, shared, (32):(1)>
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      scf.if %few {
        %a = layout.load %s(%t, %stage) : !layout.view<f32, shared, (32,2):(1,32)>
        layout.store %a, %y(%t, %tile) : !layout.view<f32, global, (32,8):(1,32)>
      }
    } epilogue {
    ^bb0(%tile: index):
    }
    gpu.return
  }
}";

/// A program after passes, as text.
fn after(program: &str, passes: &str) -> String {
    let context = context();
    let mut module = Module::parse(&context, program).expect("a module");
    let manager = PassManager::new(&context);
    parse_pass_pipeline(manager.as_operation_pass_manager(), &format!("builtin.module({passes})"))
        .expect("a pipeline");
    manager.run(&mut module).expect("passes that succeed");
    module.as_operation().to_string()
}

/// A fault: in the line with this text, counted from the first such line, this becomes that; an empty text is the
/// whole line.
struct Fault(&'static str, usize, &'static str, &'static str);

fn planted(program: &str, Fault(line, number, from, to): &Fault) -> String {
    let mut lines: Vec<String> = program.lines().map(str::to_owned).collect();
    let found = lines.iter_mut().filter(|text| text.contains(line)).nth(*number);
    let found = found.unwrap_or_else(|| panic!("no line {number} with {line} in\n{program}"));
    assert!(found.contains(from), "{found}");
    *found = if from.is_empty() { to.to_string() } else { found.replacen(from, to, 1) };
    lines.join("\n")
}

/// The first refutation of `layout-verify` for each fault.
fn refuted(program: &str, faults: &[Fault], expected: Expect) {
    let mut all = String::new();
    for fault in faults {
        let (succeeded, messages) = run_on(&planted(program, fault), "layout-verify");
        let Fault(line, number, from, to) = fault;
        assert!(!succeeded, "{line} {number} {from} {to}: {messages:?}");
        let first = messages.first().map_or("nothing", String::as_str);
        all += &format!("{line} [{number}]: {first}\n");
    }
    expected.assert_eq(&all);
}

/// The findings that are not about single elements of views.
fn findings(program: &str, passes: &str) -> Vec<String> {
    let (succeeded, messages) = run_on(program, passes);
    assert!(succeeded, "{passes}: {messages:?}\n{program}");
    messages.into_iter().filter(|message| message.contains("not analysed")).collect()
}

#[test]
fn right_programs_have_no_findings() {
    let none: Vec<String> = Vec::new();
    assert_eq!(findings(ROWS, "layout-verify"), none);
    assert_eq!(findings(ROWS, "layout-lower,layout-verify"), none);
    for keys in [
        "stages = 3",
        "stages = 2, swap_ab = true",
        "tile = (128,192,64), warps = (8,1), stages = 3",
        "stages = 3, ping_pong = true",
        "stages = 3, two_level_accumulation = true",
    ] {
        let program = warpgroups(keys);
        for passes in ["", "layout-lower,"] {
            let passes = format!("{TILED}layout-fold,{passes}layout-verify");
            assert_eq!(findings(&program, &passes), none, "{keys}: {passes}");
        }
    }
}

#[test]
fn faults_in_a_pipeline_are_refuted() {
    refuted(
        ROWS,
        &[
            // Another stage is loaded, and another is read.
            Fault("layout.slice %s(_, %stage)", 0, "%stage", "%c0"),
            Fault("layout.load %s(%t, %stage)", 0, "%stage", "%c1"),
            // A stage is stored to while it is loaded.
            Fault(
                "layout.store %a, %out(%t)",
                0,
                "%out(%t) : !layout.view<f32, shared, (32):(1)>",
                "%s(%t, %c0) : !layout.view<f32, shared, (32,2):(1,32)>",
            ),
            Fault("bulk.wait_group 0", 0, "", ""),
            Fault("bulk.wait_group 0", 1, "", ""),
            Fault("bulk.commit.group", 0, "", ""),
            Fault("nvvm.barrier id", 0, "", ""),
            Fault("nvvm.barrier id", 1, "", ""),
            Fault("arith.constant 128 : i32", 0, "128", "160"),
        ],
        expect![[r#"
            layout.slice %s(_, %stage) [0]: 'layout.copy' op layout-verify: expected a wait between a bulk copy to element 0 of buffer 0 and the next access, found none: a bulk copy of thread 128 writes it and a bulk copy of thread 128 writes it, in block (0,0,0) of @rows
            layout.load %s(%t, %stage) [0]: 'layout.load' op layout-verify: expected a wait between a bulk copy to element 32 of buffer 0 and the next access, found none: a bulk copy of thread 128 writes it and thread 0 loads it, in block (0,0,0) of @rows
            layout.store %a, %out(%t) [0]: 'layout.copy' op layout-verify: expected element 0 of buffer 1 to be written before it is read, found no store: a bulk copy of thread 0 reads it, in block (0,0,0) of @rows
            bulk.wait_group 0 [0]: 'layout.store' op layout-verify: expected a wait between a bulk copy from element 0 of buffer 1 and the next access, found none: a bulk copy of thread 0 reads it and thread 0 stores it, in block (0,0,0) of @rows
            bulk.wait_group 0 [1]: 'layout.copy' op layout-verify: expected a wait for bulk copies from shared memory before the end of the kernel, found none: thread 0 began one, in block (0,0,0) of @rows
            bulk.commit.group [0]: 'layout.store' op layout-verify: expected a wait between a bulk copy from element 0 of buffer 1 and the next access, found none: a bulk copy of thread 0 reads it and thread 0 stores it, in block (0,0,0) of @rows
            nvvm.barrier id [0]: 'layout.store' op layout-verify: expected a barrier, or a wait, between accesses to element 1 of buffer 1, found none: a bulk copy of thread 0 reads it and thread 1 stores it, in block (0,0,0) of @rows
            nvvm.barrier id [1]: 'layout.copy' op layout-verify: expected a barrier, or a wait, between accesses to element 1 of buffer 1, found none: thread 1 stores it and a bulk copy of thread 0 reads it, in block (0,0,0) of @rows
            arith.constant 128 : i32 [0]: layout-verify: expected all threads that barrier 1 counts to arrive, found fewer: thread 0 waits there, in block (0,0,0) of @rows
        "#]],
    );
}

#[test]
fn faults_in_barriers_are_refuted() {
    refuted(
        &after(ROWS, "layout-lower"),
        &[
            Fault("mbarrier.try_wait.parity", 0, "", ""),
            Fault("mbarrier.try_wait.parity", 1, "", ""),
            Fault("mbarrier.arrive %", 0, "", ""),
            Fault("mbarrier.arrive.expect_tx", 0, "", ""),
            Fault("mbarrier.init", 1, "", ""),
            Fault("gpu.barrier", 0, "", ""),
            Fault("nvvm.cp.async.bulk.shared.cluster.global", 0, "", ""),
        ],
        expect![[r#"
            mbarrier.try_wait.parity [0]: 'llvm.load' op layout-verify: expected byte 0 of shared memory to be written before it is read, found no store: thread 0 loads it, in block (0,0,0) of @rows
            mbarrier.try_wait.parity [1]: 'nvvm.cp.async.bulk.shared.cluster.global' op layout-verify: expected a wait between a bulk copy to byte 0 of shared memory and the next access, found none: a bulk copy of thread 128 writes it and a bulk copy of thread 128 writes it, in block (0,0,0) of @rows
            mbarrier.arrive % [0]: 'nvvm.mbarrier.try_wait.parity' op layout-verify: expected phase 0 of the barrier at byte 2064 of shared memory to end, found 4 arrivals and 0 bytes missing: thread 128 waits for it, in block (0,0,0) of @rows
            mbarrier.arrive.expect_tx [0]: 'nvvm.mbarrier.try_wait.parity' op layout-verify: expected phase 0 of the barrier at byte 2048 of shared memory to end, found 1 arrivals and -128 bytes missing: thread 0 waits for it, in block (0,0,0) of @rows
            mbarrier.init [1]: 'nvvm.mbarrier.arrive.expect_tx' op layout-verify: expected a barrier that was made before, found 1 more at byte 2056 of shared memory (thread 128, block (0,0,0) of @rows)
            gpu.barrier [0]: 'nvvm.mbarrier.try_wait.parity' op layout-verify: expected a barrier between the initialisation of the barrier at byte 2048 of shared memory and its use, found none: thread 0 initialises it and thread 1 uses it, in block (0,0,0) of @rows
            nvvm.cp.async.bulk.shared.cluster.global [0]: 'nvvm.mbarrier.try_wait.parity' op layout-verify: expected phase 0 of the barrier at byte 2048 of shared memory to end, found 0 arrivals and 128 bytes missing: thread 0 waits for it, in block (0,0,0) of @rows
        "#]],
    );
}

#[test]
fn a_release_by_one_thread_of_a_warp_is_refuted() {
    let program = after(DIRECT, "layout-lower");
    refuted(
        &program,
        &[
            Fault("nvvm.bar.warp.sync", 0, "", ""),
            Fault("mbarrier.try_wait.parity", 0, "", ""),
            Fault("mbarrier.try_wait.parity", 1, "", ""),
            Fault("mbarrier.arrive %", 0, "", ""),
            Fault("mbarrier.arrive.expect_tx", 0, "", ""),
        ],
        expect![[r#"
            nvvm.bar.warp.sync [0]: 'nvvm.cp.async.bulk.shared.cluster.global' op layout-verify: expected a barrier, or a wait, between accesses to byte 4 of shared memory, found none: thread 1 loads it and a bulk copy of thread 128 writes it, in block (0,0,0) of @direct
            mbarrier.try_wait.parity [0]: 'llvm.load' op layout-verify: expected byte 0 of shared memory to be written before it is read, found no store: thread 0 loads it, in block (0,0,0) of @direct
            mbarrier.try_wait.parity [1]: 'nvvm.cp.async.bulk.shared.cluster.global' op layout-verify: expected a wait between a bulk copy to byte 0 of shared memory and the next access, found none: a bulk copy of thread 128 writes it and a bulk copy of thread 128 writes it, in block (0,0,0) of @direct
            mbarrier.arrive % [0]: 'nvvm.mbarrier.try_wait.parity' op layout-verify: expected phase 0 of the barrier at byte 1040 of shared memory to end, found 4 arrivals and 0 bytes missing: thread 128 waits for it, in block (0,0,0) of @direct
            mbarrier.arrive.expect_tx [0]: 'nvvm.mbarrier.try_wait.parity' op layout-verify: expected phase 0 of the barrier at byte 1024 of shared memory to end, found 1 arrivals and -128 bytes missing: thread 0 waits for it, in block (0,0,0) of @direct
        "#]],
    );
}

#[test]
fn faults_in_products_are_refuted() {
    let program = after(
        &warpgroups("tile = (64,64,32), warps = (4,1), stages = 2"),
        &format!("{TILED}layout-fold,layout-lower"),
    );
    refuted(
        &program,
        &[
            Fault("wgmma.wait.group", 0, "", ""),
            Fault("wgmma.wait.group", 0, "aligned 1", "aligned 2"),
            Fault("wgmma.commit.group", 0, "", ""),
            Fault("mbarrier.try_wait.parity", 0, "", ""),
            Fault("cp.async.bulk.tensor.shared", 0, "", ""),
        ],
        expect![[r#"
            wgmma.wait.group [0]: 'nvvm.cp.async.bulk.tensor.shared.cluster.global' op layout-verify: expected a wait between MMAs that read byte 0 of shared memory and the next access, found none: MMAs of the warpgroup of thread 96 read it and a bulk copy of thread 128 writes it, in block (0,0,0) of @gemm
            wgmma.wait.group [0]: 'nvvm.cp.async.bulk.tensor.shared.cluster.global' op layout-verify: expected a wait between MMAs that read byte 0 of shared memory and the next access, found none: MMAs of the warpgroup of thread 96 read it and a bulk copy of thread 128 writes it, in block (0,0,0) of @gemm
            wgmma.commit.group [0]: 'nvvm.cp.async.bulk.tensor.shared.cluster.global' op layout-verify: expected a wait between MMAs that read byte 0 of shared memory and the next access, found none: MMAs of the warpgroup of thread 96 read it and a bulk copy of thread 128 writes it, in block (0,0,0) of @gemm
            mbarrier.try_wait.parity [0]: 'nvvm.wgmma.mma_async' op layout-verify: expected byte 0 of shared memory to be written before it is read, found no store: MMAs of the warpgroup of thread 0 read it, in block (0,0,0) of @gemm
            cp.async.bulk.tensor.shared [0]: 'nvvm.cp.async.bulk.tensor.shared.cluster.global' op layout-verify: expected a wait between a bulk copy to byte 4096 of shared memory and the next access, found none: a bulk copy of thread 128 writes it and a bulk copy of thread 128 writes it, in block (0,0,0) of @gemm
        "#]],
    );
}
