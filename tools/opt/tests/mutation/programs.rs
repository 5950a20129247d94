//! The programs that faults are planted in.

/// A program, and the bytes that each of its arguments points to.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// Passes to a program in layout operations, if it is not one.
    pub(crate) tile: bool,
    /// Whether threads can be run one by one on the CPU.
    pub(crate) runs: bool,
    pub(crate) bytes: &'static [usize],
}

fn gemm(element: &str, result: &str, schedule: &str) -> String {
    format!(
        "func.func @gemm(%a: !layout.view<{element}, global, (72,80):(80,1)>,
                         %b: !layout.view<{element}, global, (40,80):(80,1)>,
                         %c: !layout.view<{result}, global, (72,40):(40,1)>) {{
           layout.matmul %a, %b, %c schedule(#layout.schedule<{schedule}>)
             : !layout.view<{element}, global, (72,80):(80,1)>,
               !layout.view<{element}, global, (40,80):(80,1)>,
               !layout.view<{result}, global, (72,40):(40,1)>
           return
         }}"
    )
}

const TRANSPOSE: &str = "gpu.module @transpose {
  gpu.func @transpose(%in: !layout.view<f32, global, (64,64):(64,1)>,
                      %out: !layout.view<f32, global, (64,64):(64,1)>) kernel
      attributes {layout.kernel = {grid = array<i64: 2, 2, 1>, block = array<i64: 256, 1, 1>}} {
    %t = gpu.thread_id x
    %bm = gpu.block_id x
    %bn = gpu.block_id y
    %s = layout.alloc : !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(32,1)>
    %gd = layout.zipped_divide %in, #layout<(32,32)> : !layout.view<f32, global, (64,64):(64,1)>
    %gi = layout.slice %gd(_, (%bm, %bn)) : !layout.view<f32, global, ((32,32),(2,2)):((64,1),(2048,32))>
    %od = layout.zipped_divide %out, #layout<(32,32)> : !layout.view<f32, global, (64,64):(64,1)>
    %go = layout.slice %od(_, (%bn, %bm)) : !layout.view<f32, global, ((32,32),(2,2)):((64,1),(2048,32))>
    %gc = layout.composition %gi, #layout<(256,4):(1,256)> : !layout.view<f32, global, ((32,32)):((64,1))>
    %gt = layout.slice %gc(%t, _) : !layout.view<f32, global, ((32,8),4):((64,1),8)>
    %sc = layout.composition %s, #layout<(256,4):(1,256)> : !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(32,1)>
    %sw = layout.slice %sc(%t, _) : !layout.view<f32, shared, S<5,0,5> o 0 o ((32,8),4):((32,1),8)>
    layout.copy #layout.atom<simt_1> %gt, %sw : !layout.view<f32, global, (4):(8)>, !layout.view<f32, shared, S<5,0,5> o 0 o (4):(8)>
    gpu.barrier
    %st = layout.composition %s, #layout<(32,32):(32,1)> : !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(32,1)>
    %sd = layout.composition %st, #layout<(256,4):(1,256)> : !layout.view<f32, shared, S<5,0,5> o 0 o (32,32):(1,32)>
    %sr = layout.slice %sd(%t, _) : !layout.view<f32, shared, S<5,0,5> o 0 o (256,4):(1,256)>
    %gg = layout.composition %go, #layout<(256,4):(1,256)> : !layout.view<f32, global, ((32,32)):((64,1))>
    %gw = layout.slice %gg(%t, _) : !layout.view<f32, global, ((32,8),4):((64,1),8)>
    layout.copy #layout.atom<simt_1> %sr, %gw : !layout.view<f32, shared, S<5,0,5> o 0 o (4):(256)>, !layout.view<f32, global, (4):(8)>
    gpu.return
  }
}";

/// Sums of 8 rows of 256: each thread sums four elements, then one of each row sums the row's partial sums.
const REDUCTION: &str = "gpu.module @reduction {
  gpu.func @reduction(%in: !layout.view<f32, global, (8,4,64):(256,64,1)>,
                      %out: !layout.view<f32, global, 8:1>) kernel
      attributes {layout.kernel = {grid = array<i64: 8, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %row = gpu.block_id x
    %part = layout.alloc : !layout.view<f32, shared, 64:1>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %own = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
      %x = layout.load %in(%row, %i, %t) : !layout.view<f32, global, (8,4,64):(256,64,1)>
      %n = arith.addf %s, %x : f32
      scf.yield %n : f32
    }
    layout.store %own, %part(%t) : !layout.view<f32, shared, 64:1>
    gpu.barrier
    %first = arith.cmpi slt, %t, %c1 : index
    scf.if %first {
      %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> f32 {
        %x = layout.load %part(%i) : !layout.view<f32, shared, 64:1>
        %n = arith.addf %s, %x : f32
        scf.yield %n : f32
      }
      layout.store %sum, %out(%row) : !layout.view<f32, global, 8:1>
    }
    gpu.return
  }
}";

/// Rows of 60 in a pitch of 64, through two buffers by asynchronous copies, and mirrored: two rows in flight.
const STAGES: &str = "gpu.module @stages {
  gpu.func @stages(%in: !layout.view<f32, global, (8,60):(64,1)>,
                   %out: !layout.view<f32, global, (8,60):(64,1)>) kernel
      attributes {layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c59 = arith.constant 59 : index
    %c60 = arith.constant 60 : index
    %s = layout.alloc : !layout.view<f32, shared, (2,60):(64,1)>
    %inside = arith.cmpi slt, %t, %c60 : index
    %from = layout.composition %in, #layout<<_, (1,60):(0,1)>> : !layout.view<f32, global, (8,60):(64,1)>
    %to = layout.composition %s, #layout<<_, (1,60):(0,1)>> : !layout.view<f32, shared, (2,60):(64,1)>
    scf.if %inside {
      %f0 = layout.slice %from(0, (_, %t)) : !layout.view<f32, global, (8,(1,60)):(64,(0,1))>
      %t0 = layout.slice %to(0, (_, %t)) : !layout.view<f32, shared, (2,(1,60)):(64,(0,1))>
      layout.copy #layout.atom<cp_async_4> %f0, %t0 : !layout.view<f32, global, (1):(0)>, !layout.view<f32, shared, (1):(0)>
    }
    nvvm.cp.async.commit.group
    %mirror = arith.subi %c59, %t : index
    scf.for %i = %c0 to %c8 step %c1 {
      %next = arith.addi %i, %c1 : index
      %more = arith.cmpi slt, %i, %c7 : index
      %both = arith.andi %more, %inside : i1
      %stage = arith.remui %i, %c2 : index
      %other = arith.remui %next, %c2 : index
      scf.if %both {
        %f1 = layout.slice %from(%next, (_, %t)) : !layout.view<f32, global, (8,(1,60)):(64,(0,1))>
        %t1 = layout.slice %to(%other, (_, %t)) : !layout.view<f32, shared, (2,(1,60)):(64,(0,1))>
        layout.copy #layout.atom<cp_async_4> %f1, %t1 : !layout.view<f32, global, (1):(0)>, !layout.view<f32, shared, (1):(0)>
      }
      nvvm.cp.async.commit.group
      nvvm.cp.async.wait.group 1
      gpu.barrier
      scf.if %inside {
        %x = layout.load %s(%stage, %mirror) : !layout.view<f32, shared, (2,60):(64,1)>
        layout.store %x, %out(%i, %t) : !layout.view<f32, global, (8,60):(64,1)>
      }
      gpu.barrier
    }
    gpu.return
  }
}";

/// A copy of a matrix whose extents and strides are known at run time.
const DYNAMIC: &str = "gpu.module @dynamic {
  gpu.func @dynamic(
      %a: !layout.view<f32, global, (?{range=64..64},?{range=8..64}):(?{div=8 range=8..64},1)>,
      %out: !layout.view<f32, global, (64,64):(64,1)>) kernel
      attributes {layout.kernel = {grid = array<i64: 64, 1, 1>, block = array<i64: 64, 1, 1>}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c8 = arith.constant 8 : index
    %i = arith.remui %t, %c8 : index
    %x = layout.load %a(%b, %i) : !layout.view<f32, global, (?{range=64..64},?{range=8..64}):(?{div=8 range=8..64},1)>
    layout.store %x, %out(%t, %b) : !layout.view<f32, global, (64,64):(64,1)>
    gpu.return
  }
}";

/// Rows that bulk copies bring through two stages, and take away again: four tiles for each of two blocks.
const BULK: &str = include_str!("../../../../test/Lowering/bulk.mlir");

/// All programs.
pub(crate) fn all() -> Vec<Program> {
    let kernel = |name, text: &str, bytes| Program {
        name,
        text: text.to_owned(),
        tile: false,
        runs: true,
        bytes,
    };
    let matmul = |name, element, result, schedule: &str, bytes| Program {
        name,
        text: gemm(element, result, schedule),
        tile: true,
        runs: true,
        bytes,
    };
    vec![
        matmul(
            "gemm on mma.sync",
            "bf16",
            "f32",
            "tile = (64,32,32), warps = (2,1), stages = 3",
            &[72 * 80 * 2, 40 * 80 * 2, 72 * 40 * 4],
        ),
        matmul(
            "gemm on mma.sync, 4 stages",
            "f16",
            "f32",
            "tile = (32,64,16), warps = (1,2), stages = 4",
            &[72 * 80 * 2, 40 * 80 * 2, 72 * 40 * 4],
        ),
        matmul(
            "gemm on fma, 4 warps",
            "f64",
            "f64",
            "tile = (32,64,16), warps = (2,2), stages = 3, mma = fma_m4n8k1_f64",
            &[72 * 80 * 8, 40 * 80 * 8, 72 * 40 * 8],
        ),
        matmul(
            "gemm on fma",
            "f64",
            "f64",
            "tile = (16,16,8), warps = (1,1), stages = 2, mma = fma_m4n8k1_f64",
            &[72 * 80 * 8, 40 * 80 * 8, 72 * 40 * 8],
        ),
        matmul(
            "gemm on wgmma",
            "bf16",
            "bf16",
            "tile = (64,64,64), warps = (4,1), stages = 3, chip = \"sm_90a\"",
            &[72 * 80 * 2, 40 * 80 * 2, 72 * 40 * 2],
        ),
        kernel("transpose", TRANSPOSE, &[64 * 64 * 4, 64 * 64 * 4]),
        // Threads that differ in branches, carried sums and integers beside pointers are not run one by one.
        Program { runs: false, ..kernel("reduction", REDUCTION, &[]) },
        Program { runs: false, ..kernel("stages", STAGES, &[]) },
        Program { runs: false, ..kernel("dynamic", DYNAMIC, &[]) },
        Program { runs: false, ..kernel("bulk copies", BULK, &[]) },
    ]
}
