// RUN: layout-opt %s --split-input-file --layout-normalise-matmul 2> %t.output | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.output

// Two matmuls of one A become one with both B if only the second one's epilogue reads the first one's result, at its own
// coordinates. The first one's epilogue, and the rounding of its stored result, become part of the second's.

// REMARK: remark: multiplies A by both B in one kernel, and keeps in registers what was stored between them
// CHECK-LABEL: func.func @gate(
// CHECK-NOT:   memref<512x4096xbf16{{.*}}alloc
// CHECK:       %[[X:.+]] = layout.make_view %arg0
// CHECK:       %[[UP:.+]] = layout.make_view %arg2
// CHECK:       %[[BIAS:.+]] = layout.make_view %arg4
// CHECK-NOT:   memref.alloc
// CHECK:       %[[GATE:.+]] = layout.make_view %arg1
// CHECK:       %[[H:.+]] = layout.make_view %arg3
// CHECK:       layout.matmul %[[X]], %[[GATE]], %[[H]] dual %[[UP]] schedule(#layout.schedule<tile = {{.*}} mma = wgmma_{{.*}}>) epilogue(%[[BIAS]]) {
// CHECK-NEXT:  ^bb0(%[[G:.+]]: f32, %[[U:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:    %[[BIASED:.+]] = arith.addf %[[U]], %[[B]] : f32
// CHECK-NEXT:    %[[NARROW:.+]] = arith.truncf %[[BIASED]] : f32 to bf16
// CHECK-NEXT:    %[[STORED:.+]] = arith.extf %[[NARROW]] : bf16 to f32
// CHECK-NEXT:    %[[GATED:.+]] = arith.mulf %[[G]], %[[STORED]] : f32
// CHECK-NEXT:    layout.yield %[[GATED]] : f32
// CHECK-NOT:   layout.matmul
func.func @gate(%x: memref<512x1024xbf16, 1>, %gate: memref<4096x1024xbf16, 1>, %up: memref<4096x1024xbf16, 1>,
                %h: memref<512x4096xbf16, 1>, %bias: memref<4096xbf16, 1>) attributes {layout.host} {
  %vx = layout.make_view %x : memref<512x1024xbf16, 1>
  %vu = layout.make_view %up : memref<4096x1024xbf16, 1>
  %column = layout.constant #layout<(512,4096):(0,1)> : !layout<(512,4096):(0,1)>
  %vb = layout.make_view %bias, %column : memref<4096xbf16, 1>, !layout<(512,4096):(0,1)>
  %t = memref.alloc() : memref<512x4096xbf16, 1>
  %vt = layout.make_view %t : memref<512x4096xbf16, 1>
  layout.matmul %vx, %vu, %vt schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%vb) {
  ^bb0(%sum: f32, %b: f32):
    %biased = arith.addf %sum, %b : f32
    layout.yield %biased : f32
  } : !layout.view<bf16, global, (512,1024):(1024,1)>, !layout.view<bf16, global, (4096,1024):(1024,1)>,
      !layout.view<bf16, global, (512,4096):(4096,1)>, !layout.view<bf16, global, (512,4096):(0,1)>
  %vg = layout.make_view %gate : memref<4096x1024xbf16, 1>
  %vh = layout.make_view %h : memref<512x4096xbf16, 1>
  layout.matmul %vx, %vg, %vh schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%vt) {
  ^bb0(%sum: f32, %other: f32):
    %gated = arith.mulf %sum, %other : f32
    layout.yield %gated : f32
  } : !layout.view<bf16, global, (512,1024):(1024,1)>, !layout.view<bf16, global, (4096,1024):(1024,1)>,
      !layout.view<bf16, global, (512,4096):(4096,1)>, !layout.view<bf16, global, (512,4096):(4096,1)>
  memref.dealloc %t : memref<512x4096xbf16, 1>
  return
}

// -----

// They stay two: where a third one reads what is stored, where the second one's A is another, where something between writes memory, and on a
// chip without warpgroups.

// REMARK-NOT: multiplies A by both B
// CHECK-LABEL: func.func @read_again(
// CHECK-COUNT-3: layout.matmul {{.*}} schedule
!x = !layout.view<bf16, global, (512,1024):(1024,1)>
!w = !layout.view<bf16, global, (4096,1024):(1024,1)>
!h = !layout.view<bf16, global, (512,4096):(4096,1)>
func.func @read_again(%x: memref<512x1024xbf16, 1>, %w: memref<4096x1024xbf16, 1>, %h: memref<512x4096xbf16, 1>,
                      %other: memref<512x4096xbf16, 1>) attributes {layout.host} {
  %vx = layout.make_view %x : memref<512x1024xbf16, 1>
  %vw = layout.make_view %w : memref<4096x1024xbf16, 1>
  %vh = layout.make_view %h : memref<512x4096xbf16, 1>
  %vo = layout.make_view %other : memref<512x4096xbf16, 1>
  %t = memref.alloc() : memref<512x4096xbf16, 1>
  %vt = layout.make_view %t : memref<512x4096xbf16, 1>
  layout.matmul %vx, %vw, %vt schedule(#layout.schedule<auto, chip = "sm_90a">) : !x, !w, !h
  layout.matmul %vx, %vw, %vh schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%vt) {
  ^bb0(%sum: f32, %e: f32):
    %gated = arith.mulf %sum, %e : f32
    layout.yield %gated : f32
  } : !x, !w, !h, !h
  layout.matmul %vx, %vw, %vo schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%vt) {
  ^bb0(%sum: f32, %e: f32):
    %more = arith.addf %sum, %e : f32
    layout.yield %more : f32
  } : !x, !w, !h, !h
  return
}

// CHECK-LABEL: func.func @other_a(
// CHECK-COUNT-2: layout.matmul {{.*}} schedule
func.func @other_a(%x: memref<512x1024xbf16, 1>, %y: memref<512x1024xbf16, 1>, %w: memref<4096x1024xbf16, 1>,
                   %h: memref<512x4096xbf16, 1>) attributes {layout.host} {
  %vx = layout.make_view %x : memref<512x1024xbf16, 1>
  %vy = layout.make_view %y : memref<512x1024xbf16, 1>
  %vw = layout.make_view %w : memref<4096x1024xbf16, 1>
  %vh = layout.make_view %h : memref<512x4096xbf16, 1>
  %t = memref.alloc() : memref<512x4096xbf16, 1>
  %vt = layout.make_view %t : memref<512x4096xbf16, 1>
  layout.matmul %vx, %vw, %vt schedule(#layout.schedule<auto, chip = "sm_90a">) : !x, !w, !h
  layout.matmul %vy, %vw, %vh schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%vt) {
  ^bb0(%sum: f32, %e: f32):
    %gated = arith.mulf %sum, %e : f32
    layout.yield %gated : f32
  } : !x, !w, !h, !h
  return
}

// CHECK-LABEL: func.func @written_between(
// CHECK-COUNT-2: layout.matmul {{.*}} schedule
func.func @written_between(%x: memref<512x1024xbf16, 1>, %w: memref<4096x1024xbf16, 1>, %from: memref<4096x1024xbf16, 1>,
                           %h: memref<512x4096xbf16, 1>) attributes {layout.host} {
  %vx = layout.make_view %x : memref<512x1024xbf16, 1>
  %vw = layout.make_view %w : memref<4096x1024xbf16, 1>
  %vh = layout.make_view %h : memref<512x4096xbf16, 1>
  %t = memref.alloc() : memref<512x4096xbf16, 1>
  %vt = layout.make_view %t : memref<512x4096xbf16, 1>
  layout.matmul %vx, %vw, %vt schedule(#layout.schedule<auto, chip = "sm_90a">) : !x, !w, !h
  memref.copy %from, %w : memref<4096x1024xbf16, 1> to memref<4096x1024xbf16, 1>
  layout.matmul %vx, %vw, %vh schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%vt) {
  ^bb0(%sum: f32, %e: f32):
    %gated = arith.mulf %sum, %e : f32
    layout.yield %gated : f32
  } : !x, !w, !h, !h
  return
}

// CHECK-LABEL: func.func @without_warpgroups(
// CHECK-COUNT-2: layout.matmul {{.*}} schedule
func.func @without_warpgroups(%x: memref<512x1024xbf16, 1>, %w: memref<4096x1024xbf16, 1>, %h: memref<512x4096xbf16, 1>)
    attributes {layout.host} {
  %vx = layout.make_view %x : memref<512x1024xbf16, 1>
  %vw = layout.make_view %w : memref<4096x1024xbf16, 1>
  %vh = layout.make_view %h : memref<512x4096xbf16, 1>
  %t = memref.alloc() : memref<512x4096xbf16, 1>
  %vt = layout.make_view %t : memref<512x4096xbf16, 1>
  layout.matmul %vx, %vw, %vt schedule(#layout.schedule<auto, chip = "sm_80">) : !x, !w, !h
  layout.matmul %vx, %vw, %vh schedule(#layout.schedule<auto, chip = "sm_80">) epilogue(%vt) {
  ^bb0(%sum: f32, %e: f32):
    %gated = arith.mulf %sum, %e : f32
    layout.yield %gated : f32
  } : !x, !w, !h, !h
  return
}
