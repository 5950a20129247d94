// RUN: layout-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{[kind] expected a layout, found (?,8):(1@0,1@1)}}
func.func private @f(!layout.view<f16, shared, (?,8):(1@0,1@1)>)

// -----

func.func @under_two(%l: !layout<S<1,1,1> o 0 o (?,8):(8,1)>) {
  // expected-error @+2 {{'layout.make_composed_layout' op [plain-layout] expected a plain layout, found S<1,1,1> o 0 o (?0,8):(8,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_composed_layout #layout<S<3,3,3>>, 0, %l : !layout<S<1,1,1> o 0 o (?,8):(8,1)>
  return
}

// -----

func.func @other_swizzle(%a: !layout<S<1,1,1> o 0 o (?,8):(8,1)>, %b: !layout<S<2,1,1> o 0 o (?,8):(8,1)>) {
  // expected-error @+2 {{'layout.equal' op [undecided] expected layouts composed with one swizzle, if one of them is composed with any, found S<1,1,1> o 0 o (?0,8):(8,1) and S<2,1,1> o 0 o (?1,8):(8,1)}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.equal %a, %b : !layout<S<1,1,1> o 0 o (?,8):(8,1)>, !layout<S<2,1,1> o 0 o (?,8):(8,1)>
  return
}

// -----

func.func @swizzles_differ(%a: !layout<S<1,1,1> o ? o (?,8):(8,1)>) {
  // expected-error @+2 {{'layout.assume' op [nesting] expected a type that nests as S<1,1,1> o ? o (?,8):(8,1), found S<1,2,1> o 0 o (4,8):(8,1)}}
  // expected-note @+1 {{in the assumed value:}}
  %0 = layout.assume %a : !layout<S<1,1,1> o ? o (?,8):(8,1)> to !layout<S<1,2,1> o 0 o (4,8):(8,1)>
  return
}

// -----

func.func @modes_differ(%a: !layout<(?,8):(1@0,1@1)>) {
  // expected-error @+2 {{'layout.assume' op [nesting] expected a type that nests as (?,8):(1@0,1@1), found (4,8):(1@1,1@0)}}
  // expected-note @+1 {{in the assumed value:}}
  %0 = layout.assume %a : !layout<(?,8):(1@0,1@1)> to !layout<(4,8):(1@1,1@0)>
  return
}

// -----

func.func @split(%a: !layout<S<1,1,1> o ? o (?,8):(8,1)>) {
  // expected-error @+3 {{'layout.upcast' op [fact-missing] upcast(S<1,1,1> o ?0 o (?1,8):(8,1), 2): needs "2 divides ?0", which is not known}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-note @+1 {{hint: add the fact ?0{div=2}}}
  %0 = layout.upcast %a, 2 : !layout<S<1,1,1> o ? o (?,8):(8,1)>
  return
}

// -----

func.func @swizzled_base(%v: !layout.view<f16, shared, S<3,3,3> o 0 o (?,64):(64,1)>, %l: !layout<8:1>) {
  // expected-error @+2 {{'layout.make_view' op [plain-layout] expected a base without a swizzle, found S<3,3,3> o 0 o (?0,64):(64,1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.make_view %v, %l : !layout.view<f16, shared, S<3,3,3> o 0 o (?,64):(64,1)>, !layout<8:1>
  return
}

// -----

func.func @coordinate(%l: !layout<(?,8):(1@0,1@1)>, %i: index) {
  // expected-error @+3 {{'layout.crd2idx' op [coord-rank] expected a coordinate of 2 modes for the shape (?0,8), found (?,?,?) of 3}}
  // expected-note @+2 {{in the coordinate:}}
  // expected-note @+1 {{hint: (?,?) has as many}}
  %0 = layout.crd2idx %l(%i, %i, %i) : !layout<(?,8):(1@0,1@1)>
  return
}

// -----

func.func @into_coordinates(%l: !layout<(?,8):(1@0,1@1)>) {
  // expected-error @+2 {{'layout.sort' op [operand] sort: expected a layout of integer strides, found (?0,8):(1@0,1@1)}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.sort %l : !layout<(?,8):(1@0,1@1)>
  return
}

// -----

func.func @offset_unfit(%a: !layout<(8,64):(64,1)>, %at: !layout.tuple<(?,2,0)>, %m: !layout<(2,3):(1@0,1@1)>) {
  // expected-error @+1 {{'layout.make_composed_layout' op [operand] coordinate: expected one that fits the shape (8,64), found (?0,2,0)}}
  %0 = layout.make_composed_layout %a : !layout<(8,64):(64,1)>, %at : !layout.tuple<(?,2,0)>, %m : !layout<(2,3):(1@0,1@1)>
  return
}

// -----

func.func @offset_before_plain(%a: !layout<(8,64):(64,1)>, %at: !layout.tuple<(?,2)>, %m: !layout<(2,3):(1,2)>) {
  // expected-error @+2 {{'layout.make_composed_layout' op [kind] expected an integer, found (?0,2)}}
  // expected-note @+1 {{in the type of operand 2:}}
  %0 = layout.make_composed_layout %a : !layout<(8,64):(64,1)>, %at : !layout.tuple<(?,2)>, %m : !layout<(2,3):(1,2)>
  return
}

// -----

func.func @swizzle_of_coordinates(%at: !layout.tuple<(?,2)>, %m: !layout<(2,3):(1@0,1@1)>) {
  // expected-error @+4 {{'layout.make_composed_layout' op [operand] make_composed_layout: expected a plain layout as operand 3, found (2,3):(1@0,1@1)}}
  // expected-error @+3 {{'layout.make_composed_layout' op [operand] make_composed_layout: expected an integer as operand 2, found (?0,2)}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.make_composed_layout #layout<S<3,3,3>>, %at : !layout.tuple<(?,2)>, %m : !layout<(2,3):(1@0,1@1)>
  return
}

// -----

// expected-error @+1 {{[kind] expected a layout, found S<3,3,3>}}
func.func private @f(!layout.view<f32, shared, S<3,3,3>>)

// -----

// expected-error @+1 {{[kind] expected a layout, found (4,4):(1@0,1@1) o 0 o (2,2):(1,4)}}
func.func private @f(!layout.view<f32, shared, (4,4):(1@0,1@1) o 0 o (2,2):(1,4)>)

// -----

func.func @swizzle_of_no_modes(%s: !layout<S<3,3,3>>) {
  // expected-error @+2 {{'layout.coalesce' op [operand] coalesce: expected a plain layout as operand 1, found S<3,3,3>}}
  // expected-note @+1 {{in the type of operand 0:}}
  %0 = layout.coalesce %s : !layout<S<3,3,3>>
  return
}

// -----

func.func @no_outer_function(%s: !layout<S<3,3,3> o 0 o 8:1>, %l: !layout<8:1>) {
  // expected-error @+2 {{'layout.make_composed_layout' op [kind] expected a swizzle, or a plain or a coordinate layout, found S<3,3,3> o 0 o 8:1}}
  // expected-note @+1 {{in the type of operand 1:}}
  %0 = layout.make_composed_layout %s : !layout<S<3,3,3> o 0 o 8:1>, 0, %l : !layout<8:1>
  return
}

// -----

func.func @offset_below_0(%k: !layout<(4,4):(1@0,1@1) o ? o (2,2):(1,4)>) {
  // expected-error @+3 {{'layout.crd2idx' op [fact-missing] at((4,4), ?0+5): needs "?0 >= -5", which is not known}}
  // expected-note @+2 {{in the type of operand 0:}}
  // expected-note @+1 {{hint: add the fact ?0{range=-5..}}}
  %0 = layout.crd2idx %k(1, 1) : !layout<(4,4):(1@0,1@1) o ? o (2,2):(1,4)>
  return
}
