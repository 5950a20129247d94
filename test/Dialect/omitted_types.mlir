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
