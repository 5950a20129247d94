// RUN: layout-opt %s | layout-opt | FileCheck %s
// RUN: layout-opt %s --mlir-print-op-generic | layout-opt | FileCheck %s
// RUN: layout-opt %s --split-input-file | FileCheck %s

// The type of an operand that is defined before need not be written. It is printed.

!a = !layout.view<f16, global, (128,64):(64,1)>

// CHECK-LABEL: @views
func.func @views(%a: !a, %s: !layout.view<f16, shared, (128,64):(64,1)>, %i: index, %l: !layout<8:1>) -> f16 {
  // CHECK: %[[T:.+]] = layout.local_tile %{{.+}}(%{{.+}}, _), #layout<(64,32)> : !layout.view<f16, global, (128,64):(64,1)>
  %0 = layout.local_tile %a(%i, _), #layout<(64,32)>
  // CHECK: %[[P:.+]] = layout.partition %[[T]](%{{.+}}), #layout<(8,4):(4,1)> : !layout.view<f16, global, (64,32,2):(64,1,32)>
  %1 = layout.partition %0(%i), #layout<(8,4):(4,1)>
  // CHECK: %[[S:.+]] = layout.slice %[[P]](_, %{{.+}}, 1) : !layout.view<f16, global, (8,8,2):(512,4,32)>
  %2 = layout.slice %1(_, %i, 1)
  // CHECK: layout.load %[[S]](%{{.+}}) : !layout.view<f16, global, (8):(512)>
  %3 = layout.load %2(%i)
  // CHECK: layout.store %{{.+}}, %[[S]](3) : !layout.view<f16, global, (8):(512)>
  layout.store %3, %2(3)
  // CHECK: layout.fill %[[S]], %{{.+}} : !layout.view<f16, global, (8):(512)>
  layout.fill %2, %3
  // CHECK: %[[D:.+]] = layout.zipped_divide %{{.+}}, %{{.+}} : !layout.view<f16, global, (128,64):(64,1)>, !layout<8:1>
  %4 = layout.zipped_divide %a, %l
  // CHECK: layout.select %[[D]], [1, 0] : !layout.view<f16, global, (8,(16,64)):(64,(512,1))>
  %5 = layout.select %4, [1, 0]
  // CHECK: layout.size %{{.+}} : !layout.view
  %6 = layout.size %5
  // CHECK: layout.make_fragment_like %[[S]] : !layout.view<f16, global, (8):(512)>
  %7 = layout.make_fragment_like %2
  // CHECK: layout.copy #layout.atom<simt_1> %[[S]], %{{.+}} predicate(%{{.+}} < 5 : !layout.view<index, coordinate, (8):(1)>) : !layout.view<f16, global, (8):(512)>, !layout.view<f16, register, (8):(1)>
  %8 = layout.identity_tensor : !layout.view<index, coordinate, (8):(1)>
  layout.copy #layout.atom<simt_1> %2, %7 predicate(%8 < 5)
  // A value of a region around.
  scf.execute_region {
    // CHECK: layout.copy #layout.atom<simt_1> %{{.+}}, %{{.+}} : !layout.view<f16, global, (128,64):(64,1)>, !layout.view<f16, shared, (128,64):(64,1)>
    layout.copy #layout.atom<simt_1> %a, %s
    scf.yield
  }
  return %3 : f16
}

// CHECK-LABEL: @products
func.func @products(%a: !layout.view<f16, register, (8,1,2):(1,0,8)>, %b: !layout.view<f16, register, (4,1,2):(1,0,4)>,
                    %c: !layout.view<f32, register, (4,1,1):(1,0,0)>) {
  // CHECK: layout.mma #layout.atom<mma_m16n8k16_f32_f16> %{{.+}}, %{{.+}}, %{{.+}} : !layout.view<f16, register, (8,1,2):(1,0,8)>, !layout.view<f16, register, (4,1,2):(1,0,4)>, !layout.view<f32, register, (4,1,1):(1,0,0)>
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c
  return
}

// CHECK-LABEL: @fragments
func.func @fragments(%x: !layout.view<bf16, register, (8,2):(1,8)>, %m: !layout.view<f32, register, (8,2):(0,0)>,
                     %e: !layout.view<f32, register, (8,2):(1,8)>) {
  // CHECK: layout.map ins(%{{.+}}, %{{.+}} : !layout.view<bf16, register, (8,2):(1,8)>, !layout.view<f32, register, (8,2):(0,0)>) outs(%{{.+}} : !layout.view<f32, register, (8,2):(1,8)>)
  layout.map ins(%x, %m) outs(%e) {
  ^bb0(%xi: bf16, %mi: f32, %old: f32):
    %wide = arith.extf %xi : bf16 to f32
    // CHECK: layout.yield %{{.+}} : f32
    layout.yield %wide
  }
  // CHECK: layout.map outs(%{{.+}} : !layout.view<f32, register, (8,2):(1,8)>)
  layout.map outs(%e) {
  ^bb0(%old: f32):
    layout.yield %old
  }
  // CHECK: layout.reduce max %{{.+}} into %{{.+}} along [0, 1] : !layout.view<f32, register, (8,2):(1,8)>, !layout.view<f32, register, (8,2):(0,0)>
  layout.reduce max %e into %m along [0, 1]
  return
}

// CHECK-LABEL: @matmul
func.func @matmul(%a: !layout.view<bf16, global, (64,32):(32,1)>, %b: !layout.view<bf16, global, (16,32):(32,1)>,
                  %c: !layout.view<f32, global, (64,16):(16,1)>, %bias: !layout.view<f32, global, (64,16):(0,1)>) {
  // CHECK: layout.matmul
  // CHECK: } : !layout.view<bf16, global, (64,32):(32,1)>, !layout.view<bf16, global, (16,32):(32,1)>, !layout.view<f32, global, (64,16):(16,1)>, !layout.view<f32, global, (64,16):(0,1)>
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%bias) {
  ^bb0(%sum: f32, %n: f32):
    %s = arith.addf %sum, %n : f32
    layout.yield %s
  }
  // CHECK: layout.matmul %{{.+}}, %{{.+}}, %{{.+}} dual %{{.+}} schedule
  // CHECK: } : !layout.view<bf16, global, (64,32):(32,1)>, !layout.view<bf16, global, (16,32):(32,1)>, !layout.view<f32, global, (64,16):(16,1)> dual !layout.view<bf16, global, (16,32):(32,1)>{{$}}
  layout.matmul %a, %b, %c dual %b schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue {
  ^bb0(%g: f32, %u: f32):
    %s = arith.mulf %g, %u : f32
    layout.yield %s
  }
  return
}

// CHECK-LABEL: @values
func.func @values(%l: !layout<(4,?):(1,4)>, %m: memref<32xf32>, %i: index, %v: !layout.view<f32, global, 32:1>, %x: f32) -> index {
  // CHECK: layout.coalesce %{{.+}} : !layout<(4,?):(1,4)>
  %0 = layout.coalesce %l
  // CHECK: layout.coalesce %{{.+}} by #layout<(1,1)> : !layout<(4,?):(1,4)>
  %1 = layout.coalesce %l by #layout<(1,1)>
  // CHECK: layout.make_layout %{{.+}}, %{{.+}} : !layout<(4,?):(1,4)>, !layout<(4,?):(1,4)>
  %2 = layout.make_layout %l, %l
  // CHECK: layout.make_view %{{.+}}, %{{.+}} : memref<32xf32>, !layout<(4,?):(1,4)>
  %3 = layout.make_view %m, %l
  // CHECK: layout.make_view %{{.+}} : memref<32xf32>
  %4 = layout.make_view %m
  // CHECK: layout.atomic add %{{.+}}, %{{.+}}(%{{.+}}) relaxed : !layout.view<f32, global, 32:1>
  layout.atomic add %x, %v(%i) relaxed
  // CHECK: layout.print %{{.+}} : !layout<(4,?):(1,4)>
  layout.print %l
  // CHECK: layout.shape %{{.+}} : !layout<(4,?):(1,4)>
  %5 = layout.shape %l
  // CHECK: layout.compact_col_major %{{.+}} : !layout.tuple<(4,?{range=1..})>
  %6 = layout.compact_col_major %5
  // CHECK: layout.append %{{.+}}, %{{.+}} : !layout<(4,?):(1,4)>, !layout<(4,?):(1,4)>
  %7 = layout.append %l, %l
  // CHECK: layout.recast %{{.+}} to i32 : !layout.view<f32, global, 32:1>
  %8 = layout.recast %v to i32
  // CHECK: layout.crd2idx %{{.+}}(%{{.+}}) : !layout<(4,?):(1,4)>
  %9 = layout.crd2idx %l(%i)
  return %9 : index
}

// CHECK-LABEL: @constructions
func.func @constructions(%l: !layout<4:2>, %n: !layout.tuple<64>, %s: !layout.tuple<(4,8)>, %o: !layout<(?,4):(4,1)>,
                         %i: i32, %in: !layout<(?,64):(64,1)>, %at: index) {
  // CHECK: layout.complement %{{.+}}, 24 : !layout<4:2>
  %0 = layout.complement %l, 24
  // CHECK: layout.complement %{{.+}} : !layout<4:2>
  %1 = layout.complement %l
  // CHECK: layout.complement %{{.+}}, %{{.+}} : !layout<4:2>, !layout.tuple<64>
  %2 = layout.complement %l, %n
  // CHECK: layout.make_ordered_layout %{{.+}}, #layout<(1,0)> : !layout.tuple<(4,8)>
  %3 = layout.make_ordered_layout %s, #layout<(1,0)>
  // CHECK: layout.make_composed_layout #layout.S<3,3,3>, 0, %{{.+}} : !layout<(?,64):(64,1)>
  %4 = layout.make_composed_layout #layout<S<3,3,3>>, 0, %in
  // CHECK: layout.make_composed_layout %{{.+}} : !layout<(?,4):(4,1)>, %{{.+}} : i32, %{{.+}} : !layout<(?,64):(64,1)>
  %5 = layout.make_composed_layout %o, %i, %in
  // One type is written, the others follow.
  // CHECK: layout.make_composed_layout %{{.+}} : !layout<(?,4):(4,1)>, %{{.+}} : i32, %{{.+}} : !layout<(?,64):(64,1)>
  %6 = layout.make_composed_layout %o : !layout<(?,4):(4,1)>, %i, %in
  // CHECK: layout.idx2crd %{{.+}}, %{{.+}} : !layout.tuple<(4,8)>
  %7:2 = layout.idx2crd %at, %s
  // CHECK: layout.make_tuple(%{{.+}}, (8, _)) : i32{{$}}
  %8 = layout.make_tuple(%i, (8, _))
  // CHECK: layout.make_tuple(2, 3){{$}}
  %9 = layout.make_tuple(2, 3)
  return
}
