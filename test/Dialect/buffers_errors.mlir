// Upstream's deallocation frees a memref at the end of the block that owns it: a view that lives on is refused there.

// RUN: layout-opt %s --split-input-file --ownership-based-buffer-deallocation --verify-diagnostics
// RUN: layout-opt %s --split-input-file --promote-buffers-to-stack | FileCheck %s --check-prefix=STACK

// STACK-LABEL: func.func @leaves(
// STACK:         memref.alloc()
func.func @leaves() -> !layout.view<f32, host, 8:1> {
  %m = memref.alloc() : memref<8xf32>
  // expected-error @+1 {{'layout.make_view' op expected uses of the view in the block that owns its memref, found one after its end, where upstream's deallocation has freed it; pass on the memref, and make the view there}}
  %v = layout.make_view %m : memref<8xf32>
  // expected-note @+1 {{'func.return' uses it there}}
  return %v : !layout.view<f32, host, 8:1>
}

// -----

func.func @from_branch(%b: i1, %w: !layout.view<f32, host, 8:1>, %i: index) -> f32 {
  %r = scf.if %b -> !layout.view<f32, host, 8:1> {
    %m = memref.alloc() : memref<8xf32>
    // expected-error @+1 {{'layout.make_view' op expected uses of the view in the block that owns its memref, found one after its end}}
    %v = layout.make_view %m : memref<8xf32>
    // expected-note @+1 {{'scf.yield' uses it there}}
    scf.yield %v : !layout.view<f32, host, 8:1>
  } else {
    scf.yield %w : !layout.view<f32, host, 8:1>
  }
  %x = layout.load %r(%i) : !layout.view<f32, host, 8:1>
  return %x : f32
}

// -----

func.func @in_another_block(%i: index) -> f32 {
  %m = memref.alloc() : memref<8xf32>
  // expected-error @+1 {{'layout.make_view' op expected uses of the view in the block that owns its memref, found one after its end}}
  %v = layout.make_view %m : memref<8xf32>
  cf.br ^next
^next:
  // expected-note @+1 {{'layout.load' uses it there}}
  %x = layout.load %v(%i) : !layout.view<f32, host, 8:1>
  return %x : f32
}

// -----

// In a branch of the same block it is not over yet.

func.func @inside(%b: i1, %i: index) -> f32 {
  %m = memref.alloc() : memref<8xf32>
  %z = arith.constant 0.0 : f32
  %v = layout.make_view %m : memref<8xf32>
  %x = scf.if %b -> f32 {
    %y = layout.load %v(%i) : !layout.view<f32, host, 8:1>
    scf.yield %y : f32
  } else {
    scf.yield %z : f32
  }
  return %x : f32
}
