// RUN: layout-opt %s --layout-expand-memrefs --split-input-file --verify-diagnostics

// expected-remark @+1 {{layout-expand-memrefs gives each leaf of a layout a dimension}}
func.func @vector(%m: memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>, %i: index) -> vector<4xf32> {
  %c = arith.constant 0.0 : f32
  // expected-error @+1 {{layout-expand-memrefs: expected an operation that reads, writes or passes on a memref whose modes have several strides, found vector.transfer_read}}
  %v = vector.transfer_read %m[%i, %i], %c : memref<8x8xf32, #layout<((2,4),8):((1,16),2)>>, vector<4xf32>
  return %v : vector<4xf32>
}

// -----

// expected-remark @+2 {{memref<6x8xf32, #layout<((2,3),8):((1,16),2)>> becomes memref<3x8x2xf32>}}
// expected-remark @+1 {{memref<6x8xf32, #layout<((3,2),8):((1,24),3)>> becomes memref<2x8x3xf32>}}
func.func @places(%m: memref<6x8xf32, #layout<((2,3),8):((1,16),2)>>, %n: memref<6x8xf32, #layout<((3,2),8):((1,24),3)>>) {
  // expected-error @+1 {{layout-expand-memrefs: expected layouts that split a dimension in the same places}}
  memref.copy %m, %n : memref<6x8xf32, #layout<((2,3),8):((1,16),2)>> to memref<6x8xf32, #layout<((3,2),8):((1,24),3)>>
  return
}

// -----

// expected-error @+1 {{layout-expand-memrefs: expected strides other than 0 for memref<6x8xf32, #layout<((2,3),8):((1,0),2)>>}}
func.func @broadcast(%m: memref<6x8xf32, #layout<((2,3),8):((1,0),2)>>) {
  return
}

// -----

// expected-remark @+1 {{layout-expand-memrefs gives each leaf of a layout a dimension}}
func.func @stride(%n: index, %s: index) {
  // expected-error @+1 {{layout-expand-memrefs: expected static strides, and one dynamic leaf in each dynamic dimension, for new memory, found memref<8x?xf32, #layout<((2,4),?):((1,?),2)>>}}
  %m = memref.alloc(%n)[%s] : memref<8x?xf32, #layout<((2,4),?):((1,?),2)>>
  memref.dealloc %m : memref<8x?xf32, #layout<((2,4),?):((1,?),2)>>
  return
}
