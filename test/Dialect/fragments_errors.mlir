// RUN: layout-opt %s --split-input-file --verify-diagnostics

!v = !layout.view<f32, register, (8,4):(1,8)>
!w = !layout.view<f32, register, (4,2):(1,4)>
func.func @broadcast(%v: !v, %w: !w) {
  // expected-error @+3 {{'layout.map' op [map-sizes] expected 32 elements, one element, or modes of the sizes (8,4) or 1, as the first output has, found (4,2)}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-note @+1 {{hint: a mode of stride 0 repeats an element}}
  layout.map ins(%w : !w) outs(%v : !v) {
  ^bb0(%x: f32, %old: f32):
    layout.yield %x : f32
  }
  return
}

// -----

!v = !layout.view<f32, global, (?,4):(4,1)>
func.func @sizes(%v: !v) {
  // expected-error @+2 {{'layout.map' op [map-sizes] expected static sizes, since the operation is expanded element by element, found (?,4):(4,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.map outs(%v : !v) {
  ^bb0(%old: f32):
    layout.yield %old : f32
  }
  return
}

// -----

!v = !layout.view<f32, register, (8,4):(1,8)>
!w = !layout.view<f32, register, 16:1>
func.func @outputs(%v: !v, %w: !w) {
  // expected-error @+2 {{'layout.map' op [map-sizes] expected outputs of one size, 32, found 16}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.map outs(%v, %w : !v, !w) {
  ^bb0(%a: f32, %b: f32):
    layout.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @no_outputs() {
  // expected-error @+1 {{'layout.map' op [map-sizes] expected at least one output, found none}}
  "layout.map"() <{operandSegmentSizes = array<i32: 0, 0>}> ({
  ^bb0:
    "layout.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

!v = !layout.view<f32, register, (8,4):(1,0)>
func.func @places(%v: !v) {
  // expected-error @+2 {{'layout.map' op [map-output] expected an output with an injective layout, found (8,4):(1,0), whose element 8 aliases another one}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.map outs(%v : !v) {
  ^bb0(%old: f32):
    layout.yield %old : f32
  }
  return
}

// -----

!n = !layout.view<index, coordinate, 8:1>
func.func @fixed(%n: !n) {
  // expected-error @+2 {{'layout.map' op [writable] expected a view of memory or registers to write to, found an identity tensor, whose elements are fixed}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.map outs(%n : !n) {
  ^bb0(%old: index):
    layout.yield %old : index
  }
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @region(%v: !v, %m: memref<8xf32>, %i: index) {
  // expected-error @+3 {{'layout.map' op [map-region] expected a region with the arguments (f32, f32), found (f32)}}
  // expected-error @+2 {{'layout.map' op [map-region] expected a region that ends with layout.yield of (f32), found (f32, f32)}}
  // expected-error @+1 {{'layout.map' op [map-region] expected operations of arith and math without regions in the region, found memref.store}}
  layout.map ins(%v : !v) outs(%v : !v) {
  ^bb0(%x: f32):
    memref.store %x, %m[%i] : memref<8xf32>
    layout.yield %x, %x : f32, f32
  }
  return
}

// -----

!v = !layout.view<f8E4M3FN, register, 8:1>
!w = !layout.view<f32, register, 8:1>
func.func @bytes(%v: !v, %w: !w) {
  // expected-error @+2 {{'layout.map' op [map-region] expected arith.extf on types that arith and math take, found f8E4M3FN}}
  // expected-note @+1 {{hint: layout.copy converts elements}}
  layout.map ins(%v : !v) outs(%w : !w) {
  ^bb0(%x: f8E4M3FN, %old: f32):
    %wide = arith.extf %x : f8E4M3FN to f32
    layout.yield %wide : f32
  }
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @ends(%v: !v) {
  // expected-error @+1 {{'layout.map' op [map-region] expected a region that ends with layout.yield of (f32), found arith.constant}}
  "layout.map"(%v) <{operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%x: f32):
    %c = arith.constant 0.0 : f32
  }) : (!v) -> ()
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
!w = !layout.view<f32, register, 1:0>
func.func @kinds(%v: !v, %w: !w) {
  // expected-error @+3 {{'layout.reduce' op [reduce-kind] expected one of add, mul, max, min, maxnum, minnum, maxu, minu, and, or, xor, found maxi}}
  // expected-note @+2 {{in the attributes:}}
  // expected-note @+1 {{hint: did you mean 'max'?}}
  layout.reduce maxi %v into %w along [0] : !v, !w
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
!w = !layout.view<f32, register, 1:0>
func.func @fits(%v: !v, %w: !w) {
  // expected-error @+2 {{'layout.reduce' op [reduce-kind] expected a reduction that fits elements of f32, found xor}}
  // expected-note @+1 {{in the attributes:}}
  layout.reduce xor %v into %w along [0] : !v, !w
  return
}

// -----

!v = !layout.view<f8E5M2, register, 8:1>
func.func @arithmetic(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-kind] expected a reduction that fits elements of f8E5M2, found add}}
  // expected-note @+1 {{in the attributes:}}
  layout.reduce add %v into %v along [0] : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @neither(%v: !v) {
  // expected-error @+1 {{'layout.reduce' op [reduce-kind] expected a kind of reduction, or a region, found none}}
  layout.reduce %v into %v along [0] : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @both(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-kind] expected a kind of reduction or a region, found add and a region}}
  // expected-note @+1 {{in the attributes:}}
  layout.reduce add %v into %v along [0] {
  ^bb0(%a: f32, %b: f32):
    layout.yield %a : f32
  } : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @region(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-region] expected a region with the arguments (f32, f32), found (f32)}}
  // expected-error @+1 {{'layout.reduce' op [reduce-region] expected a region that ends with layout.yield of (f32), found (f32, f32)}}
  layout.reduce %v into %v along [0] {
  ^bb0(%a: f32):
    layout.yield %a, %a : f32, f32
  } : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, (8,4):(1,8)>
func.func @modes(%v: !v) {
  // expected-error @+4 {{'layout.reduce' op [reduce-modes] expected modes below the tile's rank, 2, found 2}}
  // expected-error @+3 {{'layout.reduce' op [reduce-modes] expected modes below the tile's rank, 2, found -1}}
  // expected-error @+2 {{'layout.reduce' op [reduce-modes] expected each mode once, found 0}}
  // expected-note @+1 {{in the attributes:}}
  layout.reduce add %v into %v along [0, 2, -1, 0] : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @values(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-threads] expected a thread-value layout with as many values as the source has elements, 8, found 4}}
  // expected-note @+1 {{in the threads:}}
  layout.reduce add %v into %v along [0] threads(#layout<(32,4):(1,32)>) : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @rank(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-threads] expected a thread-value layout of rank 2, found (32,4,2):(1,32,128)}}
  // expected-note @+1 {{in the threads:}}
  layout.reduce add %v into %v along [0] threads(#layout<(32,4,2):(1,32,128)>) : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @swizzled(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-threads] expected a layout from (thread, value) to an element of a tile, found S<3,3,3> o 0 o (32,8):(8,1)}}
  // expected-note @+1 {{in the threads:}}
  layout.reduce add %v into %v along [0] threads(#layout<S<3,3,3> o 0 o (32,8):(8,1)>) : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @tiles(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-threads] expected no tile, since the thread-value layout gives coordinates, found (32,8)}}
  // expected-note @+1 {{in the threads:}}
  layout.reduce add %v into %v along [0] threads(#layout<(32,8):(1@0,1@1)>) tile(#layout<(32,8)>) : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @alone(%v: !v) {
  // expected-error @+2 {{'layout.reduce' op [reduce-threads] expected a thread-value layout, by which threads hold the tile, found a tile (32,8) alone}}
  // expected-note @+1 {{in the tile:}}
  layout.reduce add %v into %v along [0] tile(#layout<(32,8)>) : !v, !v
  return
}

// -----

!v = !layout.view<f32, register, (8,4):(1,8)>
!w = !layout.view<f16, register, (4,2):(1,4)>
func.func @target(%v: !v, %w: !w) {
  // expected-error @+5 {{'layout.reduce' op [reduce-target] expected a target with the source's element type f32, found f16}}
  // expected-note @+4 {{hint: layout.map converts elements}}
  // expected-error @+3 {{'layout.reduce' op [reduce-target] expected a target with as many elements as the source, with one element, or with modes of the sizes (8,4) or 1, found (4,2)}}
  // expected-note @+2 {{in the type of operand 1:}}
  // expected-note @+1 {{hint: a mode of stride 0 holds one result for all of its coordinates}}
  layout.reduce add %v into %w along [0] : !v, !w
  return
}

// -----

!n = !layout.view<index, coordinate, 8:1>
func.func @fixed(%n: !n) {
  // expected-error @+2 {{'layout.reduce' op [writable] expected a view of memory or registers to write to, found an identity tensor, whose elements are fixed}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.reduce add %n into %n along [0] : !n, !n
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
!w = !layout.view<f32, register, 1:0>
func.func @kind_of_two(%v: !v, %w: !w) {
  // expected-error @+2 {{'layout.reduce' op [reduce-kind] expected a region, which combines elements of 2 sources, found add}}
  // expected-note @+1 {{in the attributes:}}
  layout.reduce add %v, %v into %w, %w along [0] : !v, !v, !w, !w
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
!u = !layout.view<f32, register, 4:1>
!w = !layout.view<f32, register, 1:0>
func.func @shapes_of_two(%v: !v, %u: !u, %w: !w) {
  // expected-error @+2 {{'layout.reduce' op [reduce-sources] expected sources of one shape, 8, found 4}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.reduce %v, %u into %w, %w along [0] {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    layout.yield %a, %b : f32, f32
  } : !v, !u, !w, !w
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
!w = !layout.view<f32, register, 1:0>
func.func @targets(%v: !v, %w: !w) {
  // expected-error @+1 {{expected at least one source and as many targets, found 2 and 1}}
  layout.reduce %v, %v into %w along [0] {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    layout.yield %a, %b : f32, f32
  } : !v, !v, !w
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
!w = !layout.view<f32, register, 1:0>
func.func @types(%v: !v, %w: !w) {
  // expected-error @+1 {{expected types of 2 views, found 3}}
  layout.reduce add %v into %w along [0] : !v, !w, !w
  return
}

// -----

!v = !layout.view<f32, register, 8:1>
func.func @odd(%v: !v) {
  // expected-error @+1 {{'layout.reduce' op [reduce-sources] expected as many targets as sources, found 1 views}}
  "layout.reduce"(%v) <{along = array<i64: 0>, kind = "add"}> ({}) : (!v) -> ()
  return
}
