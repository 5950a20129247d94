// Upstream's memory passes know a view as a view: nothing frees, moves or drops memory that is still seen through one.

// RUN: layout-opt %s --optimize-allocation-liveness | FileCheck %s --check-prefix=LIVENESS
// RUN: layout-opt %s --canonicalize --cse --loop-invariant-code-motion --sccp --inline | FileCheck %s --check-prefix=MOVED

// A view, and views of it: the memref is freed after the last use.

// LIVENESS-LABEL: func.func @freed(
// LIVENESS:         layout.load
// LIVENESS-NEXT:    memref.dealloc
func.func @freed(%i: index) -> f32 {
  %m = memref.alloc() : memref<64x64xf32>
  %c = arith.constant 1.0 : f32
  linalg.fill ins(%c : f32) outs(%m : memref<64x64xf32>)
  %v = layout.make_view %m : memref<64x64xf32>
  %x = layout.load %v(%i, %i) : !layout.view<f32, host, (64,64):(64,1)>
  memref.dealloc %m : memref<64x64xf32>
  return %x : f32
}

// LIVENESS-LABEL: func.func @views_of_views(
// LIVENESS:         layout.load
// LIVENESS:         layout.load
// LIVENESS-NEXT:    memref.dealloc
func.func @views_of_views(%i: index, %b: i1) -> f32 {
  %m = memref.alloc() : memref<64x64xf32>
  %v = layout.make_view %m : memref<64x64xf32>
  %t = layout.zipped_divide %v, #layout<(8,8)> : !layout.view<f32, host, (64,64):(64,1)>
  %s = layout.slice %t(_, (%i, 0)) : !layout.view<f32, host, ((8,8),(8,8)):((64,1),(512,8))>
  %f = layout.flatten %s : !layout.view<f32, host, ((8,8)):((64,1))>
  %g = layout.get %f, [0] : !layout.view<f32, host, (8,8):(64,1)>
  %r = layout.recast %g to i32 : !layout.view<f32, host, 8:64>
  %k = arith.select %b, %r, %r : !layout.view<i32, host, 8:64>
  %l = scf.if %b -> !layout.view<i32, host, 8:64> {
    scf.yield %r : !layout.view<i32, host, 8:64>
  } else {
    scf.yield %k : !layout.view<i32, host, 8:64>
  }
  %x = layout.load %l(%i) : !layout.view<i32, host, 8:64>
  %y = layout.load %k(%i) : !layout.view<i32, host, 8:64>
  memref.dealloc %m : memref<64x64xf32>
  %z = arith.addi %x, %y : i32
  %w = arith.sitofp %z : i32 to f32
  return %w : f32
}

// A store in a loop stays there, and a load after it is loaded again; a slice that is the same in each round is made once.

// MOVED-LABEL: func.func @loop(
// MOVED:         %[[V:.+]] = layout.make_view
// MOVED:         %[[S:.+]] = layout.slice
// MOVED:         scf.for
// MOVED:           layout.load %[[S]]
// MOVED:           arith.addf
// MOVED:           layout.store {{.*}}, %[[S]]
// MOVED:         layout.load
func.func @loop(%m: memref<64x64xf32>, %i: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = layout.make_view %m : memref<64x64xf32>
  scf.for %k = %c0 to %c8 step %c1 {
    %s = layout.slice %v(%i, _) : !layout.view<f32, host, (64,64):(64,1)>
    %0 = layout.load %s(%c1) : !layout.view<f32, host, (64):(1)>
    %1 = arith.addf %0, %x : f32
    layout.store %1, %s(%c1) : !layout.view<f32, host, (64):(1)>
  }
  %s = layout.slice %v(%i, _) : !layout.view<f32, host, (64,64):(64,1)>
  %2 = layout.load %s(%c1) : !layout.view<f32, host, (64):(1)>
  return %2 : f32
}
