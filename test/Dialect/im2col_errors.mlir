// RUN: layout-opt %s --split-input-file --verify-diagnostics

!image = !layout.view<bf16, global, (64,8,8,2):(1,64,512,4096)>
!tile = !layout.view<bf16, shared, (64,64):(64,1)>

func.func @numbers(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected 10 numbers, found 3}}
  // expected-note @+1 {{in the attributes:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, global, (64,8,8,2):(1,64,512,4096)>
!tile = !layout.view<bf16, shared, (64,64):(64,1)>

func.func @taps(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected results, taps, strides and dilations of at least 1, found 0}}
  // expected-note @+1 {{in the attributes:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 0, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, global, (64,8,8,2):(1,64,512,4096)>
!tile = !layout.view<bf16, shared, (64,64):(64,1)>

func.func @padding(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected a padding of at least 0, found -1}}
  // expected-note @+1 {{in the attributes:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, -1>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, shared, (64,8,8,2):(1,64,512,4096)>
!tile = !layout.view<bf16, shared, (64,64):(64,1)>

func.func @space(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected the image in global memory, found shared}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, global, (64,8,8,2):(1,64,512,4096)>
!tile = !layout.view<f16, shared, (64,64):(64,1)>

func.func @element(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected equal element types of image and tile, found bf16 and f16}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, global, (64,64,2):(1,64,4096)>
!tile = !layout.view<bf16, shared, (64,64):(64,1)>

func.func @rank(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected an image of four modes (C,W,H,N), each of one stride, found (64,64,2):(1,64,4096)}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, global, (64,8,8,2):(64,1,8,4096)>
!tile = !layout.view<bf16, shared, (64,64):(64,1)>

func.func @channels(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected channels in a row, found (64,8,8,2):(64,1,8,4096)}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, global, (64,8,8,2):(1,64,512,4096)>
!tile = !layout.view<bf16, shared, (64,128):(128,1)>

func.func @columns(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected a tile of rows and columns, which divide the 576 of the matrix, found 128 columns}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}

// -----

!image = !layout.view<bf16, global, (64,8,8,2):(1,64,512,4096)>
!filter = !layout.view<bf16, global, (32,64):(64,1)>
!result = !layout.view<bf16, global, (128,32):(32,1)>

func.func @extents(%a: !image, %b: !filter, %c: !result) {
  // expected-error @+2 {{'layout.matmul' op [extents] expected one K in a and b, found 576 and 64}}
  // expected-note @+1 {{in the layout of b:}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !filter, !result
  return
}

// -----

!image = !layout.view<bf16, global, (64,?{i32},8,2):(1,64,512,4096)>
!tile = !layout.view<bf16, shared, (64,64):(64,1)>

func.func @unknown(%a: !image, %b: !tile, %i: index) {
  // expected-error @+2 {{'layout.copy_im2col' op [convolution] expected static channels, width and height, found}}
  // expected-note @+1 {{in the type of operand 0}}
  layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, 1>} : !image, !tile
  return
}
