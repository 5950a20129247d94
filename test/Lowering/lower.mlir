// RUN: layout-opt %s --layout-lower --split-input-file | FileCheck %s
// RUN: layout-opt %s --layout-lower --split-input-file --allow-unregistered-dialect | FileCheck %s --check-prefix=LEAK

// LEAK-NOT: {{[%"# ]}}layout.{{[a-z]}}
// LEAK-NOT: !layout

// A coordinate is its digits in the shape's radix times the strides: powers of two by shift and
// mask, others by division.

// CHECK-LABEL: func.func @crd2idx(%arg0: index)
// CHECK:         %[[I:.+]] = arith.index_cast %arg0 : index to i32
// CHECK:         %[[LO:.+]] = arith.andi %[[I]], %c3_i32
// CHECK:         %[[A:.+]] = arith.muli %[[LO]], %c8_i32
// CHECK:         %[[HI:.+]] = arith.shrui %[[I]], %c2_i32
// CHECK:         %[[SUM:.+]] = arith.addi %[[A]], %[[HI]]
// CHECK:         arith.index_cast %[[SUM]] : i32 to index
func.func @crd2idx(%i: index) -> index {
  %l = layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
  %o = layout.crd2idx %l(%i) : !layout<(4,8):(8,1)>
  return %o : index
}

// -----

// CHECK-LABEL: func.func @odd(
// CHECK:         arith.remui %{{.+}}, %c3_i32
// CHECK:         arith.divui %{{.+}}, %c3_i32
func.func @odd(%i: index) -> index {
  %l = layout.constant #layout<(3,8):(10,1)> : !layout<(3,8):(10,1)>
  %o = layout.crd2idx %l(%i) : !layout<(3,8):(10,1)>
  return %o : index
}

// -----

// Modes that continue each other are one digit.

// CHECK-LABEL: func.func @merged(
// CHECK-NOT:     arith.{{andi|muli|shrui|remui}}
// CHECK:         return
func.func @merged(%i: index) -> index {
  %l = layout.constant #layout<(4,(2,8)):(1,(4,8))> : !layout<(4,(2,8)):(1,(4,8))>
  %o = layout.crd2idx %l(%i) : !layout<(4,(2,8)):(1,(4,8))>
  return %o : index
}

// -----

// Offsets that may not fit 32 bits are computed in 64.

// CHECK-LABEL: func.func @wide(
// CHECK:         arith.index_cast %arg0 : index to i64
// CHECK:         arith.muli %{{.+}}, %{{.+}} : i64
func.func @wide(%i: index) -> index {
  %l = layout.constant #layout<(65536,8):(65536,1)> : !layout<(65536,8):(65536,1)>
  %o = layout.crd2idx %l(%i, 0) : !layout<(65536,8):(65536,1)>
  return %o : index
}

// -----

// The last coordinate continues past its extent, so that 32 bits hold what is known to fit them.

// CHECK-LABEL: func.func @idx2crd(
// CHECK-DAG:     arith.andi %{{.+}}, %c31_i64
// CHECK-DAG:     arith.shrui %{{.+}}, %c5_i64
func.func @idx2crd(%i: index) -> (index, index) {
  %a, %b = layout.idx2crd %i, #layout<(32,4)>
  return %a, %b : index, index
}

// -----

// CHECK-LABEL: func.func @idx2crd_below(
// CHECK-DAG:     arith.andi %{{.+}}, %c31_i32
// CHECK-DAG:     arith.shrui %{{.+}}, %c5_i32
func.func @idx2crd_below(%i: index) -> (index, index) {
  %c4096 = arith.constant 4096 : index
  %below = arith.remui %i, %c4096 : index
  %a, %b = layout.idx2crd %below, #layout<(32,4)>
  return %a, %b : index, index
}

// -----

// CHECK-LABEL: func.func @idx2crd_counter(
// CHECK-DAG:     arith.andi %{{.+}}, %c31_i32
// CHECK-DAG:     arith.shrui %{{.+}}, %c5_i32
func.func @idx2crd_counter(%n: i32, %m: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %i = %c0 to %c100 step %c1 {
    %wide = arith.addi %i, %c100 : index
    %a, %b = layout.idx2crd %wide, #layout<(32,4)>
    memref.store %a, %m[%b] : memref<?xindex>
  }
  return
}

// -----

// CHECK-LABEL: func.func @idx2crd_partly(
// CHECK:         arith.index_cast %arg0 : index to i64
// CHECK-NOT:     index_cast %arg0 : index to i32
// CHECK:         return
func.func @idx2crd_partly(%i: index, %shape: !layout.tuple<(?{range=1..9},8)>) -> (index, index) {
  %a, %b = layout.idx2crd %i, %shape : !layout.tuple<(?{range=1..9},8)>
  return %a, %b : index, index
}

// -----

// Through a swizzle: the run-time part is swizzled once, and of the constant only the bits that it
// can meet are combined by exclusive or; a term that is a multiple of the period stays outside.

// CHECK-LABEL: func.func @swizzled(
// CHECK:         %[[ROW:.+]] = arith.muli %{{.+}}, %c64_i32
// CHECK:         %[[BITS:.+]] = arith.andi %[[ROW]], %c448_i32
// CHECK:         %[[MOVED:.+]] = arith.shrui %[[BITS]], %c3_i32
// CHECK:         %[[S:.+]] = arith.xori %[[ROW]], %[[MOVED]]
// CHECK:         %[[OUT:.+]] = arith.muli %{{.+}}, %c512_i32
// CHECK:         arith.addi %[[OUT]], %[[S]]
// CHECK:         %[[MIXED:.+]] = arith.xori %[[S]], %c8_i32
// CHECK:         %[[PLACE:.+]] = arith.addi %[[OUT2:.+]], %[[MIXED]]
// CHECK:         arith.addi %[[PLACE]], %c4_i32
func.func @swizzled(%row: index, %stage: index) -> (index, index) {
  %v = layout.identity_tensor : !layout.view<index, coordinate, S<3,3,3> o 0 o (8,64,4):(64,1,512)>
  %0 = layout.slice %v(%row, _, _) : !layout.view<index, coordinate, S<3,3,3> o 0 o (8,64,4):(64,1,512)>
  %x = layout.load %0(0, %stage) : !layout.view<index, coordinate, S<3,3,3> o 0 o (64,4):(1,512)>
  %y = layout.load %0(12, %stage) : !layout.view<index, coordinate, S<3,3,3> o 0 o (64,4):(1,512)>
  return %x, %y : index, index
}

// -----

// CHECK-LABEL: func.func @memory(%arg0: !llvm.ptr, %arg1: index)
// CHECK:         %[[P:.+]] = llvm.getelementptr %arg0[%{{.+}}] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<8 x f32>
// CHECK:         %[[X:.+]] = llvm.load %[[P]] : !llvm.ptr -> f32
// CHECK:         llvm.store %[[X]]
func.func @memory(%v: !layout.view<f32, global, (4,8):(8,1)>, %i: index) {
  %x = layout.load %v(%i, 0) : !layout.view<f32, global, (4,8):(8,1)>
  layout.store %x, %v(0, %i) : !layout.view<f32, global, (4,8):(8,1)>
  return
}

// -----

// Predicates of an asynchronous copy choose its size; of an ordinary one, whether it happens.

gpu.module @m {
  // CHECK:       llvm.mlir.global external @layout_shared() {addr_space = 3 : i32
  // CHECK-LABEL: gpu.func @copies(%arg0: !llvm.ptr<1>)
  // CHECK-SAME:    shared_bytes = 1024
  // CHECK:         %[[LESS:.+]] = arith.cmpi slt
  // CHECK:         %[[SIZE:.+]] = arith.select %[[LESS]], %c16_i32{{.*}}, %c0_i32
  // CHECK:         nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg, %[[SIZE]]
  // CHECK:         scf.if
  // CHECK:           llvm.load %{{.+}} : !llvm.ptr<1> -> f16
  gpu.func @copies(%v: !layout.view<f16, global, (8,4):(1,8)>) kernel attributes {layout.kernel = {}} {
    %t = gpu.thread_id x
    %s = layout.alloc : !layout.view<f16, shared, (8,4):(1,8)>
    %i = layout.identity_tensor : !layout.view<index, coordinate, (8,4):(0,1)>
    %g0 = layout.slice %v(_, %t) : !layout.view<f16, global, (8,4):(1,8)>
    %s0 = layout.slice %s(_, %t) : !layout.view<f16, shared, (8,4):(1,8)>
    %i0 = layout.slice %i(_, %t) : !layout.view<index, coordinate, (8,4):(0,1)>
    layout.copy #layout.atom<cp_async_16> %g0, %s0 predicate(%i0 < 3 : !layout.view<index, coordinate, (8):(0)>)
      : !layout.view<f16, global, (8):(1)>, !layout.view<f16, shared, (8):(1)>
    layout.copy #layout.atom<simt_1> %g0, %s0 predicate(%i0 < 3 : !layout.view<index, coordinate, (8):(0)>)
      : !layout.view<f16, global, (8):(1)>, !layout.view<f16, shared, (8):(1)>
    gpu.return
  }
}

// -----

// Sizes are constants; a layout argument, that has no value, goes.

// CHECK-LABEL: func.func @queries(%arg0: !llvm.ptr) -> (index, index, index)
// CHECK-DAG:     %[[SIZE:.+]] = arith.constant 32 : index
// CHECK-DAG:     %[[RANK:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[COSIZE:.+]] = arith.constant 8 : index
// CHECK:         return %[[SIZE]], %[[RANK]], %[[COSIZE]]
func.func @queries(%v: !layout.view<f32, global, (4,8):(8,1)>, %l: !layout<8:1>) -> (index, index, index) {
  %size = layout.size %v : !layout.view<f32, global, (4,8):(8,1)>
  %rank = layout.rank %v : !layout.view<f32, global, (4,8):(8,1)>
  %c = layout.coalesce %l : !layout<8:1>
  %cosize = layout.cosize %c : !layout<8:1>
  return %size, %rank, %cosize : index, index, index
}

// -----

// Functions that no target has: arithmetic, and LLVM's intrinsics for what PTX has instructions for.

// CHECK-LABEL: func.func @math(%arg0: f32, %arg1: f64, %{{.+}}: !llvm.ptr)
// CHECK:         %[[POWER:.+]] = arith.mulf %arg0, %{{.+}} : f32
// CHECK-NEXT:    llvm.call_intrinsic "llvm.exp2.f32"(%[[POWER]])
// CHECK:         %[[SIZE:.+]] = llvm.call_intrinsic "llvm.fabs.f32"(%arg0)
// CHECK:         %[[SMALL:.+]] = llvm.call_intrinsic "llvm.fma.f32"
// CHECK:         %[[LARGE:.+]] = llvm.call_intrinsic "llvm.copysign.f32"
// CHECK:         %[[BELOW:.+]] = arith.cmpf olt, %[[SIZE]], %{{.+}} : f32
// CHECK-NEXT:    arith.select %[[BELOW]]
// CHECK:         llvm.call_intrinsic "llvm.copysign.f32"
// CHECK:         %[[ROOT:.+]] = llvm.call_intrinsic "llvm.sqrt.f32"(%arg0)
// CHECK:         arith.divf %{{.+}}, %[[ROOT]] : f32
// CHECK-NOT:     math.
func.func @math(%x: f32, %y: f64, %v: !layout.view<f32, host, 4:1>) -> (f32, f32, f32, f32, f64) {
  %0 = math.exp %x : f32
  %1 = math.tanh %x : f32
  %2 = math.erf %x : f32
  %3 = math.rsqrt %x : f32
  %4 = math.tan %y : f64
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f64
}

// -----

// The sum of 1 and an error function is one power of 2; a half is part of the exponent, and a scale of the coefficients. A function
// that has other uses is not part of a sum.

// CHECK-LABEL: func.func @one_and_erf(
// CHECK:         %[[POWER:.+]] = llvm.call_intrinsic "llvm.exp2.f32"
// CHECK-NEXT:    %[[TWO:.+]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:    %[[LARGE:.+]] = arith.subf %[[TWO]], %[[POWER]] : f32
// CHECK:         arith.select %{{.+}}, %[[POWER]], %[[LARGE]]
// CHECK:         llvm.call_intrinsic "llvm.copysign.f32"
// CHECK:         arith.addf
func.func @one_and_erf(%x: f32, %y: f32, %v: !layout.view<f32, host, 4:1>) -> (f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %0 = math.erf %x : f32
  %1 = arith.addf %0, %one : f32
  %2 = math.erf %y : f32
  %3 = arith.addf %one, %2 : f32
  return %1, %2, %3 : f32, f32, f32
}

// CHECK-LABEL: func.func @gelu(
// CHECK-NOT:     arith.mulf
// CHECK:         %[[MINUS_ONE:.+]] = arith.constant -1.000000e+00 : f32
// CHECK-NEXT:    %[[EXPONENT:.+]] = llvm.call_intrinsic "llvm.fma.f32"(%{{.+}}, %{{.+}}, %[[MINUS_ONE]])
// CHECK-NEXT:    %[[POWER:.+]] = llvm.call_intrinsic "llvm.exp2.f32"(%[[EXPONENT]])
// CHECK:         %[[FACTOR:.+]] = arith.select
// CHECK-NEXT:    %[[GELU:.+]] = arith.mulf %arg0, %[[FACTOR]] : f32
// CHECK-NEXT:    return %[[GELU]]
func.func @gelu(%x: f32, %v: !layout.view<f32, host, 4:1>) -> f32 {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.707106769 : f32
  %scaled = arith.mulf %x, %root : f32
  %erf = math.erf %scaled : f32
  %sum = arith.addf %one, %erf : f32
  %h = arith.mulf %x, %half : f32
  %gelu = arith.mulf %h, %sum : f32
  return %gelu : f32
}

// -----

// Sine and cosine are polynomials of what f64 leaves of the angle past whole quarters.

// CHECK-LABEL: func.func @circular(
// CHECK:         %[[WIDE:.+]] = arith.extf %arg0 : f32 to f64
// CHECK:         %[[WHOLE:.+]] = llvm.call_intrinsic "llvm.roundeven.f64"
// CHECK:         llvm.call_intrinsic "llvm.fma.f64"(%[[WHOLE]]
// CHECK:         llvm.call_intrinsic "llvm.fma.f64"(%[[WHOLE]]
// CHECK:         %[[QUARTER:.+]] = arith.fptosi %[[WHOLE]] : f64 to i64
// CHECK:         arith.addi %[[QUARTER]], %c1_i64
// CHECK-NOT:     math.
func.func @circular(%x: f32, %v: !layout.view<f32, host, 4:1>) -> f32 {
  %0 = math.cos %x : f32
  return %0 : f32
}

// -----

// A function of the host that has nothing of the dialect is another compiler's.

// CHECK-LABEL: func.func @others(
// CHECK-NEXT:    math.exp %arg0 : f32
func.func @others(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}

// -----

// A chip's own approximation, where that is allowed.

// CHECK-LABEL: gpu.func @approximate
// CHECK:         llvm.call_intrinsic "llvm.tanh.f32"(%arg0) {fastmathFlags = #llvm.fastmath<afn>}
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
// CHECK:         llvm.call_intrinsic "llvm.exp2.f32"
gpu.module @approximate {
  gpu.func @approximate(%x: f32, %to: !llvm.ptr) kernel {
    %0 = math.tanh %x fastmath<afn> : f32
    %1 = math.exp2 %0 fastmath<afn> : f32
    %2 = math.exp2 %1 : f32
    llvm.store %2, %to : f32, !llvm.ptr
    gpu.return
  }
}
