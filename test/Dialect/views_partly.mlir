// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s
// RUN: layout-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// Views of partly static layouts.

// CHECK-LABEL: @made(
// CHECK-SAME: !layout.view<f16, global, (?,?1{div=8}):(?1,1)>
func.func @made(%p: !llvm.ptr<1>, %l: !layout<(?,?1{div=8}):(?1,1)>, %i: index,
                %v: !layout.view<f16, global, ( ? , ?3{div=8}) : (?3,1)>) -> (f16, f16) {
  // CHECK: %[[V:.+]] = layout.make_view %{{.+}}, %{{.+}} of f16 : !llvm.ptr<1>, !layout<(?,?1{div=8}):(?1,1)>
  %0 = layout.make_view %p, %l of f16 : !llvm.ptr<1>, !layout<(?,?1{div=8}):(?1,1)>
  // CHECK: %[[R:.+]] = layout.slice %[[V]](%{{.+}}, _) : !layout.view<f16, global, (?,?1{div=8}):(?1,1)>
  %1 = layout.slice %0(%i, _) : !layout.view<f16, global, (?,?1{div=8}):(?1,1)>
  // CHECK: layout.load %[[R]](%{{.+}}) : !layout.view<f16, global, (?{div=8}):(1)>
  %2 = layout.load %1(%i) : !layout.view<f16, global, (?{div=8}):(1)>
  // CHECK: %[[W:.+]] = layout.make_view %[[R]], %{{.+}} : !layout.view<f16, global, (?{div=8}):(1)>, !layout<4:2>
  %c = layout.constant #layout<4:2> : !layout<4:2>
  %3 = layout.make_view %1, %c : !layout.view<f16, global, (?{div=8}):(1)>, !layout<4:2>
  // CHECK: layout.store %{{.+}}, %[[W]](%{{.+}}) : !layout.view<f16, global, 4:2>
  layout.store %2, %3(%i) : !layout.view<f16, global, 4:2>
  %4 = layout.load %v(%i, 3) : !layout.view<f16, global, (?,?1{div=8}):(?1,1)>
  return %2, %4 : f16, f16
}

// A memref has elements, a place and a layout of its own.
// CHECK-LABEL: @of_memrefs(
func.func @of_memrefs(%a: memref<?x8xf16>, %b: memref<?x?xf16, strided<[?, 1], offset: ?>, 1>,
                      %c: memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, #gpu.address_space<workgroup>>,
                      %l: !layout<(?,8):(1,?{div=8})>, %i: index) -> (f16, f16, f16, f16) {
  // CHECK: layout.make_view %{{.+}} : memref<?x8xf16>
  %0 = layout.make_view %a : memref<?x8xf16>
  %1 = layout.load %0(%i, 0) : !layout.view<f16, host, (?{i64},8):(8,1)>
  // CHECK: layout.make_view %{{.+}} : memref<?x?xf16, strided<[?, 1], offset: ?>, 1>
  %2 = layout.make_view %b : memref<?x?xf16, strided<[?, 1], offset: ?>, 1>
  %3 = layout.load %2(%i, 0) : !layout.view<f16, global, (?{i64},?{i64}):(?{i64},1)>
  // CHECK: layout.make_view %{{.+}} : memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, #gpu.address_space<workgroup>>
  %4 = layout.make_view %c : memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, #gpu.address_space<workgroup>>
  %5 = layout.load %4((%i, 0), 0) : !layout.view<f16, shared, ((8,16),64):((64,512),1)>
  // CHECK: layout.make_view %{{.+}}, %{{.+}} : memref<?x8xf16>, !layout<(?,8):(1,?{div=8})>
  %6 = layout.make_view %a, %l : memref<?x8xf16>, !layout<(?,8):(1,?{div=8})>
  %7 = layout.load %6(%i, 0) : !layout.view<f16, host, (?,8):(1,?{div=8})>
  return %1, %3, %5, %7 : f16, f16, f16, f16
}

// CHECK-LABEL: @short(
// CANON-LABEL: @short(
func.func @short(%v: !layout.view<f16, global, (?,?1{div=64}):(?1,1)>, %i: index) -> (f16, f16) {
  // CHECK: layout.local_tile %{{.+}}(%{{.+}}, _), #layout<(128,64)> : !layout.view<f16, global, (?,?1{div=64}):(?1,1)>
  // CANON: %[[D:.+]] = layout.zipped_divide %{{.+}}, #layout<(128,64)> : !layout.view<f16, global, (?,?1{div=64}):(?1,1)>
  // CANON: %[[T:.+]] = layout.slice %[[D]]((_, _), (%{{.+}}, _)) : !layout.view<f16, global, ((128,64),(ceil_div(?{range=1..},128),?1{div=64}/64)):((?1,1),(128*?1,64))>
  %0 = layout.local_tile %v(%i, _), #layout<(128,64)> : !layout.view<f16, global, (?,?1{div=64}):(?1,1)>
  %1 = layout.load %0(%i, 0, %i) : !layout.view<f16, global, (128,64,?0{div=64}/64):(?0,1,64)>
  // CHECK: layout.partition %{{.+}}(%{{.+}}), #layout<(4,8):(8,1)> : !layout.view<f16, global, (?,?1{div=64}):(?1,1)>
  // CANON: %[[E:.+]] = layout.zipped_divide %{{.+}}, #layout<(4,8)>
  // CANON: %[[C:.+]] = layout.composition %[[E]], #layout<<(8,4):(4,1), _>>
  // CANON: layout.slice %[[C]](%{{.+}}, (_, _))
  %2 = layout.partition %v(%i), #layout<(4,8):(8,1)> : !layout.view<f16, global, (?,?1{div=64}):(?1,1)>
  %3 = layout.load %2(0, %i) : !layout.view<f16, global, (ceil_div(?{range=1..},4),?1{div=64}/8):(4*?1,8)>
  return %1, %3 : f16, f16
}

// CHECK-LABEL: @others(
// CANON-LABEL: @others(
func.func @others(%v: !layout.view<f16, shared, (?,8):(8,1)>, %l: !layout<(?,?):(0,1)>, %i: index) -> (i32, index, index) {
  // CHECK: layout.recast %{{.+}} to i32 : !layout.view<f16, shared, (?,8):(8,1)>
  %0 = layout.recast %v to i32 : !layout.view<f16, shared, (?,8):(8,1)>
  %1 = layout.load %0(%i, 3) : !layout.view<i32, shared, (?,4):(4,1)>
  // CHECK: layout.identity_tensor of %{{.+}} : !layout<(?,?):(0,1)> -> !layout.view<index, coordinate, (?,?):(0,1)>
  %2 = layout.identity_tensor of %l : !layout<(?,?):(0,1)> -> !layout.view<index, coordinate, (?,?):(0,1)>
  %3 = layout.load %2(%i, %i) : !layout.view<index, coordinate, (?,?):(0,1)>
  // CANON: layout.size
  %4 = layout.size %v : !layout.view<f16, shared, (?,8):(8,1)>
  return %1, %3, %4 : i32, index, index
}

// One mode takes the parts of elements; a mode of one element stays, whatever its stride is, and a whole
// element may consist of several modes.
// CHECK-LABEL: @recasts(
func.func @recasts(%v: !layout.view<i32, host, (1,8):(1,1)>, %w: !layout.view<i8, host, ((2,2),(?,1)):((2,1),(4,3))>, %i: index) -> (i16, i32) {
  // CHECK: layout.recast %{{.+}} to i16 : !layout.view<i32, host, (1,8):(1,1)>
  %0 = layout.recast %v to i16 : !layout.view<i32, host, (1,8):(1,1)>
  %1 = layout.load %0(0, %i) : !layout.view<i16, host, (1,16):(2,1)>
  // CHECK: layout.recast %{{.+}} to i32 : !layout.view<i8, host, ((2,2),(?,1)):((2,1),(4,3))>
  %2 = layout.recast %w to i32 : !layout.view<i8, host, ((2,2),(?,1)):((2,1),(4,3))>
  %3 = layout.load %2((0, 0), (%i, 0)) : !layout.view<i32, host, ((1,1),(?,1)):((1,1),(1,0))>
  return %1, %3 : i16, i32
}

// A view that is known becomes one that is partly static.
// CHECK-LABEL: @divided(
func.func @divided(%v: !layout.view<f16, global, (64,8):(8,1)>, %t: !layout.tuple<(?{range=1..},8)>, %i: index) -> f16 {
  // CHECK: layout.flat_divide %{{.+}}, %{{.+}} : !layout.view<f16, global, (64,8):(8,1)>, !layout.tuple<(?{range=1..},8)>
  %0 = layout.flat_divide %v, %t : !layout.view<f16, global, (64,8):(8,1)>, !layout.tuple<(?{range=1..},8)>
  %1 = layout.load %0(%i, 0, %i, 0) : !layout.view<f16, global, (?0{range=1..},8,floor_div(63,?0)+1,1):(8,1,8*?0,0)>
  return %1 : f16
}

// A cast that changes nothing goes away; one that exchanges integers of the same kind does not.
// CANON-LABEL: @kept(
// CANON-NEXT: %[[S:.+]] = layout.select %{{.+}}, [1, 0]
// CANON-NEXT: %[[X:.+]] = layout.load %[[S]]
// CANON-NEXT: %[[Y:.+]] = layout.load %arg0
// CANON-NEXT: return %[[X]], %[[Y]]
func.func @kept(%v: !layout.view<f16, global, (?,?):(?,?)>, %i: index) -> (f16, f16) {
  %0 = layout.select %v, [1, 0] : !layout.view<f16, global, (?,?):(?,?)>
  %1 = layout.load %0(%i, %i) : !layout.view<f16, global, (?,?):(?,?)>
  %2 = layout.take %v, 0 to 2 : !layout.view<f16, global, (?,?):(?,?)>
  %3 = layout.load %2(%i, %i) : !layout.view<f16, global, (?,?):(?,?)>
  return %1, %3 : f16, f16
}
