// RUN: layout-opt %s --split-input-file --verify-diagnostics

// expected-error @+3 {{[memref-swizzle] expected a memref's layout to be an affine map, found S<3,3,3> o 0 o (8,64):(64,1): S<3,3,3> is an exclusive or of bits, which affine maps do not have}}
// expected-note @+2 {{S<3,3,3> o 0 o (8,64):(64,1)}}
// expected-note @+1 {{hint: a !layout.view<…> takes swizzled layouts}}
func.func private @f(memref<8x64xf16, #layout<S<3,3,3> o 0 o (8,64):(64,1)>, 3>)

// -----

// expected-error @+2 {{[memref-shape] expected a memref of the dimensions 128x64 for the layout (128,64):(64,1), found 64x128}}
// expected-note @+1 {{(128,64):(64,1)}}
func.func private @f(memref<64x128xf16, #layout<(128,64):(64,1)>>)

// -----

// expected-error @+2 {{[memref-shape] expected a memref of the dimensions 128x64 for the layout (128,64):(64,1), found ?x64}}
// expected-note @+1 {{(128,64):(64,1)}}
func.func private @f(memref<?x64xf16, #layout<(128,64):(64,1)>>)

// -----

// expected-error @+1 {{[memref-shape] expected a memref of the dimensions 128x64 for the layout ((8,16),64):((64,512),1), found 8x16x64}}
func.func private @f(memref<8x16x64xf16, #layout<((8,16),64):((64,512),1)>>)

// -----

// expected-error @+1 {{[memref-shape] expected a memref of the dimensions 8 for the layout 8:1, found none}}
func.func private @f(memref<f16, #layout<8:1>>)

// -----

// expected-error @+1 {{[kind] expected a layout, found (128,64)}}
func.func private @f(memref<128x64xf16, #layout<(128,64)>>)

// -----

// expected-error @+1 {{[no-composition] composition((3,4):(1,5), (2,2):(2,1)): no layout has these values: expected 5 at coordinate 3, found 3 in the only candidate}}
func.func private @f(memref<2x2xf16, #layout<composition((3,4):(1,5), (2,2):(2,1))>>)

// -----

// expected-error @+1 {{[overflow] cosize: expected results within 64 bits, found an overflow for (2,2):(9223372036854775807,9223372036854775807)}}
func.func private @f(memref<2x2xf16, #layout<(2,2):(9223372036854775807,9223372036854775807)>>)

// -----

// expected-error @+2 {{[memref-shape] expected a memref of the dimensions ?x32 for the layout (?,32):(64,1), found ?x64}}
// expected-note @+1 {{(?,32):(64,1)}}
func.func private @f(memref<?x64xf32, #layout<(?,32):(64,1)>>)

// -----

// expected-error @+2 {{[memref-shape] expected a memref of the dimensions ?x64 for the layout (?,64):(64,1), found 4x64}}
// expected-note @+1 {{(?,64):(64,1)}}
func.func private @f(memref<4x64xf32, #layout<(?,64):(64,1)>>)

// -----

// expected-error @+2 {{[memref-minimum] expected a memref's layout to be an affine map, found min(?1,?0)}}
// expected-note @+1 {{hint: a !layout.view<…> takes layouts with a minimum}}
func.func private @f(memref<?x?xf32, #layout<(?0,?1):(min(?0,?1),1)>>)

// -----

// expected-error @+3 {{[memref-swizzle] expected a memref's layout to be an affine map, found S<3,3,3> o 0 o ?:1: S<3,3,3> is an exclusive or of bits, which affine maps do not have}}
// expected-note @+2 {{S<3,3,3> o 0 o ?:1}}
// expected-note @+1 {{hint: a !layout.view<…> takes swizzled layouts}}
func.func private @f(memref<?xf32, #layout<S<3,3,3> o 0 o ?:1>>)

// -----

// An operation's term has no integers that are known at run time: its operands have.
func.func @f(%l: !layout<8:1>) {
  // expected-error @+2 {{'layout.composition' op [kind] expected a static value, found ?:1}}
  // expected-note @+1 {{#layout<?:1>}}
  %0 = layout.composition %l, #layout<?:1> : !layout<8:1>
  return
}

// -----

func.func @f(%m: memref<8x?xf32, #layout<((2,4),?):((1,?),2)>, 1>) {
  // expected-error @+3 {{'layout.make_view' op [memref-strides] expected a memref whose dimensions have strides, found memref<8x?xf32, #layout<((2,4),?):((1,?),2)>, 1>}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-note @+1 {{hint: layout-expand-memrefs gives each leaf of the layout a dimension}}
  %v = layout.make_view %m : memref<8x?xf32, #layout<((2,4),?):((1,?),2)>, 1>
  return
}

// -----

// expected-error @+1 {{[overflow] cosize: expected results within 64 bits, found an overflow for 0 + (2,2):(9223372036854775807,9223372036854775807)}}
func.func private @f(memref<2x2xf16, #layout<S<0,3,3> o 0 o (2,2):(9223372036854775807,9223372036854775807)>>)
