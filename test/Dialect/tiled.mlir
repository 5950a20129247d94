// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --emit-bytecode | layout-opt | FileCheck %s
// RUN: layout-opt %s --canonicalize | FileCheck %s --check-prefix=CANON

// Tiled copies and tiled MMAs, and a thread's part of them. The layouts are those that CuTe prints.

#mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>
#wide = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), (32,32,_)>
#mixed = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), <_, (8,2,2):(1,16,8), _>>
#wgmma = #layout.tiled_mma<wgmma_m64n64k16_f32_f16, (2,1,1)>
#copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
#load = #layout.tiled_copy<ldmatrix_x4, b of #wide>
#store = #layout.tiled_copy<stmatrix_x4, c of #wide>
!a = !layout.view<f16, shared, (128,64):(64,1)>
!b = !layout.view<f16, shared, (64,64):(64,1)>

// CHECK-LABEL: @attributes
func.func private @attributes() attributes {
  // CHECK-SAME: a = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(1,2,0)>
  a = #mma,
  // CHECK-SAME: b = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), <32:1, 32:1, _>>
  b = #wide,
  // CHECK-SAME: c = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(1,2,0), <_, (8,2,2):(1,16,8), _>>
  c = #mixed,
  // CHECK-SAME: d = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8):(0,1)>
  d = #copy,
  // CHECK-SAME: e = #layout.tiled_copy<ldmatrix_x4, b of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(2,1,1), <32:1, 32:1, _>>>
  e = #load,
  // The thread-value layout, as a term.
  // CHECK-SAME: f = #layout<((4,8,2,2),((2,2),1,2)):((64,1,16,512),((32,8),0,256))>
  f = #layout.thread_values<c of #mixed>,
  // CHECK-SAME: g = #layout<((4,8,2,2),((2,2),2,4)):((128,1,16,512),((64,8),32,1024))>
  g = #layout.thread_values<c of #mma, (64,64)>,
  // CHECK-SAME: h = #layout<((8,16),8):((128,1),16)>
  h = #layout.thread_values<#copy>
}

// CHECK-LABEL: @copies
// CANON-LABEL: @copies
func.func @copies(%a: !a, %b: !b, %t: index, %x: f16) {
  // CHECK: %[[P:.+]] = layout.partition %{{.+}}(%{{.+}}), source of #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8):(0,1)> : !layout.view<f16, shared, (128,64):(64,1)>
  // CANON: %[[D:.+]] = layout.zipped_divide %{{.+}}, #layout<(16,64)> : !layout.view<f16, shared, (128,64):(64,1)>
  // CANON: %[[C:.+]] = layout.composition %[[D]], #layout<<((8,16),(8,1)):((128,1),(16,0)), _>>
  // CANON: layout.slice %[[C]]((%{{.+}}, _), (_, _))
  %0 = layout.partition %a(%t), source of #copy : !a
  // CHECK: layout.fill %[[P]], %{{.+}} : !layout.view<f16, shared, ((8,1),8,1):((1,0),1024,0)>
  layout.fill %0, %x : !layout.view<f16, shared, ((8,1),8,1):((1,0),1024,0)>
  // A collective copy's memory: the row that each lane names.
  // CHECK: %[[S:.+]] = layout.partition %{{.+}}, source of #layout.tiled_copy<ldmatrix_x4, b of
  %1 = layout.partition %b(%t), source of #load : !b
  // CHECK: layout.fill %[[S]], %{{.+}} : !layout.view<f16, shared, ((8,1),2,4):((1,0),2048,16)>
  layout.fill %1, %x : !layout.view<f16, shared, ((8,1),2,4):((1,0),2048,16)>
  // And its registers.
  // CHECK: %[[T:.+]] = layout.partition %{{.+}}, target of #layout.tiled_copy<ldmatrix_x4, b of
  %2 = layout.partition %b(%t), target of #load : !b
  // CHECK: layout.fill %[[T]], %{{.+}} : !layout.view<f16, shared, (((2,2,2),1),2,4):(((1,8,1024),0),2048,16)>
  layout.fill %2, %x : !layout.view<f16, shared, (((2,2,2),1),2,4):(((1,8,1024),0),2048,16)>
  // CHECK: %[[U:.+]] = layout.partition %{{.+}}, target of #layout.tiled_copy<stmatrix_x4, c of
  %3 = layout.partition %a(%t), target of #store : !a
  // CHECK: layout.fill %[[U]], %{{.+}} : !layout.view<f16, shared, ((8,1),4,2):((1,0),2048,32)>
  layout.fill %3, %x : !layout.view<f16, shared, ((8,1),4,2):((1,0),2048,32)>
  // CHECK: %[[V:.+]] = layout.partition %{{.+}}, source of #layout.tiled_copy<stmatrix_x4, c of
  %4 = layout.partition %a(%t), source of #store : !a
  // CHECK: layout.fill %[[V]], %{{.+}} : !layout.view<f16, shared, (((2,2,2),1),4,2):(((1,512,16),0),2048,32)>
  layout.fill %4, %x : !layout.view<f16, shared, (((2,2,2),1),4,2):(((1,512,16),0),2048,32)>
  return
}

// CHECK-LABEL: @operands
// CANON-LABEL: @operands
func.func @operands(%a: !a, %b: !b, %t: index, %x: f16) {
  // CHECK: %[[A:.+]] = layout.partition %{{.+}}(%{{.+}}), a of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1):(1,2,0)> : !layout.view<f16, shared, (128,64):(64,1)>
  // CANON: %[[D:.+]] = layout.zipped_divide %{{.+}}, #layout<(32,16)> : !layout.view<f16, shared, (128,64):(64,1)>
  // CANON: layout.composition %[[D]], #layout<<((4,8,2,2),(2,2,2)):((64,1,16,0),(32,8,256)), _>>
  %0 = layout.partition %a(%t), a of #mma : !a
  // CHECK: layout.fill %[[A]], %{{.+}} : !layout.view<f16, shared, ((2,2,2),4,4):((1,512,8),2048,16)>
  layout.fill %0, %x : !layout.view<f16, shared, ((2,2,2),4,4):((1,512,8),2048,16)>
  // A permutation that reorders columns.
  // CHECK: %[[B:.+]] = layout.partition %{{.+}}, b of #layout.tiled_mma
  // CANON: %[[O:.+]] = layout.logical_divide %{{.+}}, #layout<<(8,2,2):(1,16,8), _>> : !layout.view<f16, shared, (64,64):(64,1)>
  // CANON: layout.zipped_divide %[[O]], #layout<(16,16)>
  %1 = layout.partition %b(%t), b of #mixed : !b
  // CHECK: layout.fill %[[B]], %{{.+}} : !layout.view<f16, shared, ((2,2),(2,2),4):((1,8),(512,2048),16)>
  layout.fill %1, %x : !layout.view<f16, shared, ((2,2),(2,2),4):((1,8),(512,2048),16)>
  %2 = layout.partition %a(%t), c of #mixed : !a
  // CHECK: layout.fill %{{.+}}, %{{.+}} : !layout.view<f16, shared, ((2,2),4,(2,2)):((1,512),2048,(8,32))>
  layout.fill %2, %x : !layout.view<f16, shared, ((2,2),4,(2,2)):((1,512),2048,(8,32))>
  // Warpgroups see operands in shared memory as a whole.
  %3 = layout.partition %a(%t), a of #wgmma : !a
  // CHECK: layout.fill %{{.+}}, %{{.+}} : !layout.view<f16, shared, ((64,16),1,4):((64,1),0,16)>
  layout.fill %3, %x : !layout.view<f16, shared, ((64,16),1,4):((64,1),0,16)>
  %4 = layout.partition %a(%t), c of #wgmma : !a
  // CHECK: layout.fill %{{.+}}, %{{.+}} : !layout.view<f16, shared, ((2,2,8),1,1):((1,512,8),0,0)>
  layout.fill %4, %x : !layout.view<f16, shared, ((2,2,8),1,1):((1,512,8),0,0)>
  // More modes than the tile has come last.
  %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (128,64,3):(64,1,8192)>
  %5 = layout.partition %s(%t), a of #mma : !layout.view<f16, shared, S<3,3,3> o 0 o (128,64,3):(64,1,8192)>
  // CHECK: layout.fill %{{.+}}, %{{.+}} : !layout.view<f16, shared, S<3,3,3> o 0 o ((2,2,2),4,4,3):((1,512,8),2048,16,8192)>
  layout.fill %5, %x : !layout.view<f16, shared, S<3,3,3> o 0 o ((2,2,2),4,4,3):((1,512,8),2048,16,8192)>
  return
}

// CHECK-LABEL: @fragments
// CANON-LABEL: @fragments
func.func @fragments(%g: !layout.view<f16, global, ((8,1),4,2):((1,0),64,8)>, %x: f16, %y: f32) {
  // CHECK: %[[F:.+]] = layout.partition_fragment b of #layout.tiled_mma<{{.+}}>, (64,64)
  // CANON: %[[F:.+]] = layout.alloc : !layout.view<f16, register, ((2,2),4,4):((1,2),4,16)>
  %0 = layout.partition_fragment b of #wide, (64,64)
  layout.fill %0, %x : !layout.view<f16, register, ((2,2),4,4):((1,2),4,16)>
  // CHECK: %[[R:.+]] = layout.retile %[[F]], #layout.tiled_copy<ldmatrix_x4, b of #layout.tiled_mma<{{.+}}>> : !layout.view<f16, register, ((2,2),4,4):((1,2),4,16)>
  // CANON: %[[D:.+]] = layout.zipped_divide %[[F]], #layout<(4,2,1)>
  // CANON: %[[C:.+]] = layout.composition %[[D]], #layout<<(8,1):(1,0), _>>
  // CANON: layout.slice %[[C]](_, (0, _, _))
  %1 = layout.retile %0, #load : !layout.view<f16, register, ((2,2),4,4):((1,2),4,16)>
  // CHECK: layout.fill %[[R]], %{{.+}} : !layout.view<f16, register, ((8,1),2,4):((1,0),8,16)>
  layout.fill %1, %x : !layout.view<f16, register, ((8,1),2,4):((1,0),8,16)>
  // CHECK: layout.partition_fragment c of
  // CANON: layout.alloc : !layout.view<f32, register, ((2,2,8),1,1):((1,2,4),0,0)>
  %2 = layout.partition_fragment c of #wgmma, (128,64)
  layout.fill %2, %y : !layout.view<f32, register, ((2,2,8),1,1):((1,2,4),0,0)>
  // The first mode first, then those with the least strides.
  // CHECK: %[[L:.+]] = layout.make_fragment_like %{{.+}} of f32 : !layout.view<f16, global, ((8,1),4,2):((1,0),64,8)>
  // CANON: layout.alloc : !layout.view<f32, register, ((8,1),4,2):((1,0),16,8)>
  %3 = layout.make_fragment_like %g of f32 : !layout.view<f16, global, ((8,1),4,2):((1,0),64,8)>
  layout.fill %3, %y : !layout.view<f32, register, ((8,1),4,2):((1,0),16,8)>
  return
}
