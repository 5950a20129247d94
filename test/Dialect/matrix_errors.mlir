// RUN: layout-opt %s --split-input-file --verify-diagnostics

!a = !layout.view<f16, register, (8,2,1):(1,8,16)>
!b = !layout.view<f16, register, (4,4,1):(1,4,16)>
!c = !layout.view<f32, register, (4,2,4):(1,4,8)>
func.func @atom(%a: !a, %b: !b, %c: !c) {
  // expected-error @+2 {{'layout.mma' op [mma-atom] expected an MMA atom, found ldmatrix_x4}}
  // expected-note @+1 {{in the atom:}}
  layout.mma #layout.atom<ldmatrix_x4> %a, %b, %c : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, register, (8,2,1):(1,8,16)>
!b = !layout.view<f16, register, (4,4,1):(1,4,16)>
!c = !layout.view<f32, register, (4,2,4):(1,4,8)>
func.func @elements(%a: !a, %b: !b, %c: !c) {
  // expected-error @+5 {{'layout.mma' op [mma-element] expected a of bf16 for mma_m16n8k16_f32_bf16, found f16}}
  // expected-note @+4 {{hint: mma_m16n8k16_f32_f16 takes f16}}
  // expected-error @+3 {{'layout.mma' op [mma-element] expected b of bf16 for mma_m16n8k16_f32_bf16, found f16}}
  // expected-note @+2 {{in the type of a:}}
  // expected-note @+1 {{in the type of b:}}
  layout.mma #layout.atom<mma_m16n8k16_f32_bf16> %a, %b, %c : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, shared, (8,2,1):(1,8,16)>
!b = !layout.view<f16, register, (4,4,1):(1,4,16)>
!c = !layout.view<f16, register, (4,2,4):(1,4,8)>
func.func @spaces(%a: !a, %b: !b, %c: !c) {
  // expected-error @+4 {{'layout.mma' op [mma-space] expected a in registers, found shared}}
  // expected-error @+3 {{'layout.mma' op [mma-element] expected c of f32 for mma_m16n8k16_f32_f16, found f16}}
  // expected-note @+2 {{in the type of a:}}
  // expected-note @+1 {{in the type of c:}}
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, register, (8,2):(1,8)>
!b = !layout.view<f16, register, (4,4,1):(1,4,16)>
!c = !layout.view<f32, register, (4,2,4):(1,4,8)>
func.func @rank(%a: !a, %b: !b, %c: !c) {
  // expected-error @+2 {{'layout.mma' op [mma-rank] expected a of rank 3, (VA,RM,RK), found (8,2):(1,8)}}
  // expected-note @+1 {{(8,2):(1,8)}}
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, register, (4,2,1):(1,4,8)>
!b = !layout.view<f16, register, (4,4,2):(1,4,16)>
!c = !layout.view<f32, register, (4,3,5):(1,4,12)>
func.func @extents(%a: !a, %b: !b, %c: !c) {
  // expected-error @+7 {{'layout.mma' op [mma-values] expected 8 values in the first mode of a for mma_m16n8k16_f32_f16, found 4 in (4,2,1):(1,4,8)}}
  // expected-note @+6 {{(4,2,1):(1,4,8)}}
  // expected-error @+5 {{'layout.mma' op [extents] expected one RM in a and c, found 2 and 3}}
  // expected-note @+4 {{(4,3,5):(1,4,12)}}
  // expected-error @+3 {{'layout.mma' op [extents] expected one RN in b and c, found 4 and 5}}
  // expected-error @+2 {{'layout.mma' op [extents] expected one RK in a and b, found 1 and 2}}
  // expected-note @+1 {{(4,4,2):(1,4,16)}}
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, global, (512,256):(256,1)>
!b = !layout.view<f16, global, (1024,128):(128,1)>
!c = !layout.view<f32, global, (256,512):(512,1)>
func.func @matmul_extents(%a: !a, %b: !b, %c: !c) {
  // expected-error @+5 {{'layout.matmul' op [extents] expected one M in a and c, found 512 and 256}}
  // expected-note @+4 {{(256,512):(512,1)}}
  // expected-error @+3 {{'layout.matmul' op [extents] expected one N in b and c, found 1024 and 512}}
  // expected-error @+2 {{'layout.matmul' op [extents] expected one K in a and b, found 256 and 128}}
  // expected-note @+1 {{(1024,128):(128,1)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, global, (512,256):(256,1)>
!b = !layout.view<bf16, global, (1024,256):(256,1)>
!c = !layout.view<f64, global, (512,1024):(1024,1)>
func.func @matmul_elements(%a: !a, %b: !b, %c: !c) {
  // expected-error @+2 {{'layout.matmul' op [matmul-element] expected a and b of one type, f16, bf16, f32, f8E4M3FN, f8E5M2, f64 or i8, or one of f16 or bf16 and the other of i8, f8E4M3FN or f8E5M2, found f16 and bf16}}
  // expected-note @+1 {{in the type of operand 1:}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, global, (64,64):(64,1)>
!c = !layout.view<f64, global, (64,64):(64,1)>
func.func @matmul_result(%a: !a, %c: !c) {
  // expected-error @+2 {{'layout.matmul' op [matmul-element] expected c of f8E4M3FN, f8E5M2, f16, bf16, f32 or i8 for a and b of f16, found f64}}
  // expected-note @+1 {{in the type of operand 2:}}
  layout.matmul %a, %a, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) : !a, !a, !c
  return
}

// -----

// Sums of integers are integers, and are stored as they are; an epilogue makes numbers of them.

!a = !layout.view<i8, global, (64,64):(64,1)>
!c = !layout.view<f32, global, (64,64):(64,1)>
!d = !layout.view<i32, global, (64,64):(64,1)>
func.func @matmul_integers(%a: !a, %c: !c, %d: !d) {
  // expected-error @+2 {{'layout.matmul' op [matmul-element] expected c of i8 or i32 for a and b of i8 without an epilogue, found f32}}
  // expected-note @+1 {{in the type of operand 2:}}
  layout.matmul %a, %a, %c schedule(#layout.schedule<tile = (64,64,64), warps = (2,2), stages = 2>) : !a, !a, !c
  // expected-error @+2 {{'layout.matmul' op [matmul-element] expected c of f8E4M3FN, f8E5M2, f16, bf16, f32 or i8 for a and b of i8 with an epilogue, found i32}}
  // expected-note @+1 {{in the type of operand 2:}}
  layout.matmul %a, %a, %d schedule(#layout.schedule<tile = (64,64,64), warps = (2,2), stages = 2>) epilogue {
  ^bb0(%sum: f32):
    layout.yield %sum : f32
  } : !a, !a, !d
  return
}

// -----

// Operands that wgmma cannot transpose; two-level accumulation.

!a = !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((64,32),1,1):((1,128),0,0)>
!b = !layout.view<f8E4M3FN, shared, S<3,4,3> o 0 o ((8,32),1,1):((128,1),0,0)>
!c = !layout.view<f32, register, (4,1,1):(1,4,4)>
func.func @transposed(%a: !a, %b: !b, %c: !c) {
  // expected-error @+3 {{'layout.mma' op [mma-tile] expected a K-major tile for elements of 1 bytes, which wgmma cannot transpose, found a MN-major one in S<3,4,3> o 0 o (64,32):(1,128)}}
  // expected-note @+2 {{S<3,4,3> o 0 o ((64,32),1,1):((1,128),0,0)}}
  // expected-note @+1 {{hint: use S<3,4,3> o 0 o ((8,8),32):((128,1024),1)}}
  layout.mma #layout.atom<wgmma_m64n8k32_f32_e4m3> %a, %b, %c : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, register, (8,2,1):(1,8,16)>
!b = !layout.view<f16, register, (4,4,1):(1,4,16)>
!c = !layout.view<f32, register, (4,2,4):(1,4,8)>
func.func @two_level_accumulation(%a: !a, %b: !b, %c: !c) {
  // expected-error @+2 {{'layout.mma' op [mma-atom] expected an atom of warpgroups with accumulators of f32 for 'two_level_accumulation', found mma_m16n8k16_f32_f16}}
  // expected-note @+1 {{in the atom:}}
  layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c two_level_accumulation : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, shared, (512,256):(256,1)>
!b = !layout.view<f16, global, (1024,256):(256,1)>
!c = !layout.view<f32, register, (512,1024):(1024,1)>
func.func @matmul_spaces(%a: !a, %b: !b, %c: !c) {
  // expected-error @+4 {{'layout.matmul' op [matmul-space] expected a in global or host memory, found shared}}
  // expected-error @+3 {{'layout.matmul' op [matmul-space] expected c in global or host memory, found register}}
  // expected-note @+2 {{in the type of a:}}
  // expected-note @+1 {{in the type of c:}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, global, (512,256,1,1):(256,1,0,0)>
!b = !layout.view<f16, global, (1024,256):(256,1)>
!c = !layout.view<f32, global, (512,1024):(1024,1)>
!batch = !layout.view<f16, global, (512,256,3):(256,1,131072)>
func.func @matmul_rank(%a: !a, %b: !b, %c: !c, %batch: !batch) {
  // expected-error @+2 {{'layout.matmul' op [matmul-rank] expected a of rank 2, (M,K), or of rank 3, (M,K,L), found (512,256,1,1):(256,1,0,0)}}
  // expected-note @+1 {{(512,256,1,1):(256,1,0,0)}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !a, !b, !c
  // expected-error @+2 {{'layout.matmul' op [matmul-rank] expected b of rank 3, (N,K,L), found (1024,256):(256,1)}}
  // expected-note @+1 {{(1024,256):(256,1)}}
  layout.matmul %batch, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !batch, !b, !c
  // expected-error @+2 {{'layout.matmul' op [matmul-rank] expected b of rank 2, (N,K), found (512,256,3):(256,1,131072)}}
  // expected-note @+1 {{(512,256,3):(256,1,131072)}}
  layout.matmul %b, %batch, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !b, !batch, !c
  return
}

// -----

!a = !layout.view<f16, global, (64,64,3):(64,1,4096)>
!b = !layout.view<f16, global, (64,64,4):(64,1,0)>
!c = !layout.view<f32, global, (64,64,2):(64,1,0)>
!x = !layout.view<f32, global, (64,64):(0,1)>
func.func @matmul_batch(%a: !a, %b: !b, %c: !c, %x: !x) {
  // expected-error @+8 {{'layout.matmul' op [matmul-batch] expected c with a batch stride other than 0, since each matrix of a batch is stored once, found (64,64,2):(64,1,0)}}
  // expected-error @+7 {{'layout.matmul' op [extents] expected one L in a and b, found 3 and 4}}
  // expected-note @+6 {{(64,64,4):(64,1,0)}}
  // expected-error @+5 {{'layout.matmul' op [extents] expected one L in a and c, found 3 and 2}}
  // expected-note @+4 {{(64,64,2):(64,1,0)}}
  // expected-error @+3 {{'layout.matmul' op [extents] expected the epilogue's operand 0 of shape (64,64,2), as c, found (64,64):(0,1)}}
  // expected-note @+2 {{(64,64):(0,1)}}
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected an epilogue region, since there are epilogue operands, found none}}
  "layout.matmul"(%a, %b, %c, %x) ({}) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>, schedule = #layout.schedule<auto>} : (!a, !b, !c, !x) -> ()
  return
}

// -----

!a = !layout.view<f16, global, S<1,1,1> o 0 o (512,256):(256,1)>
!b = !layout.view<f16, global, (1024,256):(256,1)>
!c = !layout.view<f32, global, (512,1024):(1024,1)>
func.func @matmul_swizzled(%a: !a, %b: !b, %c: !c) {
  // expected-error @+3 {{'layout.matmul' op [plain-layout] expected a with a plain layout, found S<1,1,1> o 0 o (512,256):(256,1)}}
  // expected-note @+2 {{hint: (512,256):(256,1) is plain}}
  // expected-note @+1 {{in the type of a:}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>) : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, global, (512,256):(256,1)>
!b = !layout.view<f16, global, (1024,256):(256,1)>
!c = !layout.view<f32, global, (512,1024):(1024,1)>
func.func @matmul_atom(%a: !a, %b: !b, %c: !c) {
  // expected-error @+3 {{'layout.matmul' op [matmul-element] expected a and b of bf16 for the schedule's mma_m16n8k16_f32_bf16, found f16}}
  // expected-note @+2 {{hint: mma_m16n8k16_f32_f16 takes f16}}
  // expected-note @+1 {{in the type of operand 0:}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3, mma = mma_m16n8k16_f32_bf16>) : !a, !b, !c
  return
}

// -----

!a = !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>
!b = !layout.view<f16, register, ((8,16),1,4):((16,1),0,16)>
!c = !layout.view<f32, register, (4,1,1):(1,4,4)>
func.func @shared(%a: !a, %b: !b, %c: !c) {
  // expected-error @+2 {{'layout.mma' op [mma-space] expected b in shared memory, found register}}
  // expected-note @+1 {{in the type of b:}}
  layout.mma #layout.atom<wgmma_m64n8k16_f32_f16> %a, %b, %c : !a, !b, !c
  return
}

// -----

// A tile that the instruction cannot describe: which condition fails, and a layout that it can describe.

!a = !layout.view<f16, shared, S<3,3,3> o 0 o ((64,16),1,4):((72,1),0,16)>
!b = !layout.view<f16, shared, ((8,16),1,4):((64,1),0,16)>
!c = !layout.view<f32, register, (4,1,1):(1,4,4)>
func.func @canonical(%a: !a, %b: !b, %c: !c) {
  // expected-error @+6 {{'layout.mma' op [mma-tile] expected offset 64 at row 1 and K 0 of a K-major tile with a swizzle of 128 bytes, found 72 in S<3,3,3> o 0 o (64,16):(72,1)}}
  // expected-note @+5 {{S<3,3,3> o 0 o ((64,16),1,4):((72,1),0,16)}}
  // expected-note @+4 {{hint: use S<3,3,3> o 0 o ((8,8),16):((64,512),1)}}
  // expected-error @+3 {{'layout.mma' op [mma-tile] expected offset 8 at row 1 and K 0 of a K-major tile with a swizzle of 0 bytes, found 64 in (8,16):(64,1)}}
  // expected-note @+2 {{((8,16),1,4):((64,1),0,16)}}
  // expected-note @+1 {{hint: use S<3,3,3> o 0 o ((8,1),16):((64,512),1)}}
  layout.mma #layout.atom<wgmma_m64n8k16_f32_f16> %a, %b, %c : !a, !b, !c
  return
}

// -----

!v = !layout.view<f16, global, (64,64):(64,1)>
!x = !layout.view<i32, shared, (32,64):(64,1)>
func.func @epilogue_operands(%a: !v, %b: !v, %c: !v, %x: !x) {
  // expected-error @+4 {{'layout.matmul' op [matmul-space] expected the epilogue's operand 0 in global or host memory, found shared}}
  // expected-error @+3 {{'layout.matmul' op [extents] expected the epilogue's operand 0 of shape (64,64), as c, found (32,64):(64,1)}}
  // expected-note @+2 {{(32,64):(64,1)}}
  // expected-error @+1 {{'layout.matmul' op [matmul-element] expected the epilogue's operand 0 of f8E4M3FN, f8E5M2, f16, bf16, f32 or i8, found i32}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) epilogue(%x) {
  ^bb0(%sum: f32, %e: f32):
    layout.yield %sum : f32
  } : !v, !v, !v, !x
  return
}

// -----

!v = !layout.view<f16, global, (64,64):(64,1)>
func.func @epilogue_arguments(%a: !v, %b: !v, %c: !v, %x: !v) {
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected an epilogue with 2 arguments, the accumulator and an element of each operand, found 1}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) epilogue(%x) {
  ^bb0(%sum: f32):
    layout.yield %sum : f32
  } : !v, !v, !v, !v
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected epilogue block arguments of type f32, found f16}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) epilogue(%x) {
  ^bb0(%sum: f32, %e: f16):
    layout.yield %sum : f32
  } : !v, !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (64,64):(64,1)>
func.func @epilogue_steps(%a: !v, %b: !v, %c: !v) {
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected one of arith.constant, arith.negf, arith.addf, arith.subf, arith.mulf, arith.divf, arith.maximumf, arith.minimumf, arith.maxnumf, arith.minnumf, arith.cmpf, arith.select, arith.truncf, arith.extf, arith.cmpi, arith.addi, arith.subi, arith.muli, arith.andi, arith.ori, arith.xori, arith.maxsi, arith.minsi, arith.maxui, arith.minui, arith.extsi, arith.extui, arith.trunci, arith.sitofp, arith.uitofp, arith.fptosi, arith.fptoui, math.absf, math.ceil, math.copysign, math.erf, math.exp, math.exp2, math.expm1, math.floor, math.fma, math.log, math.log1p, math.roundeven, math.rsqrt, math.sqrt, math.tanh, math.trunc in an epilogue, found math.sin}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) epilogue {
  ^bb0(%sum: f32):
    %0 = math.sin %sum : f32
    layout.yield %0 : f32
  } : !v, !v, !v
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected math.sqrt of f32 in an epilogue, found f64}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2>) epilogue {
  ^bb0(%sum: f32):
    %0 = arith.constant 1.0 : f64
    %1 = math.sqrt %0 : f64
    layout.yield %sum : f32
  } : !v, !v, !v
  return
}

// -----

// Sums of f64 are given as they are, and not all steps are for them.

!v = !layout.view<f64, global, (64,64):(64,1)>
!x = !layout.view<f32, global, (64,64):(64,1)>
func.func @epilogue_of_f64(%a: !v, %b: !v, %c: !v, %x: !x) {
  // expected-error @+3 {{'layout.matmul' op [matmul-element] expected the epilogue's operand 0 of f64, found f32}}
  // expected-note @+2 {{in the type of the epilogue's operand 0:}}
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected epilogue block arguments of type f64, found f32}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,16), warps = (2,2), stages = 2>) epilogue(%x) {
  ^bb0(%sum: f64, %e: f32):
    layout.yield %sum : f64
  } : !v, !v, !v, !x
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected one of arith.constant, arith.negf, arith.addf, arith.subf, arith.mulf, arith.divf, arith.maximumf, arith.minimumf, arith.maxnumf, arith.minnumf, arith.cmpf, arith.select, arith.truncf, arith.extf, arith.cmpi, arith.addi, arith.subi, arith.muli, arith.andi, arith.ori, arith.xori, arith.maxsi, arith.minsi, arith.maxui, arith.minui, arith.extsi, arith.extui, arith.trunci, arith.sitofp, arith.uitofp, arith.fptosi, arith.fptoui in an epilogue of f64, found math.tanh}}
  layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (64,64,16), warps = (2,2), stages = 2>) epilogue {
  ^bb0(%sum: f64):
    %0 = math.tanh %sum : f64
    layout.yield %0 : f64
  } : !v, !v, !v
  return
}

// -----

!v = !layout.view<f16, global, (64,64):(64,1)>
func.func @yield() {
  %0 = arith.constant 1.0 : f32
  // expected-error @+1 {{'layout.yield' op expects parent op to be one of 'layout.map, layout.matmul, layout.pipeline, layout.reduce'}}
  layout.yield %0 : f32
}

// -----

!a = !layout.view<bf16, global, (64,32):(32,1)>
!b = !layout.view<bf16, global, (96,32):(32,1)>
!c = !layout.view<bf16, global, (64,96):(96,1)>
!other = !layout.view<f16, shared, (64,64):(64,1)>
func.func @dual(%a: !a, %b: !b, %c: !c, %other: !other) {
  // expected-error @+8 {{'layout.matmul' op [matmul-space] expected dual in global or host memory, found shared}}
  // expected-note @+7 {{in the type of dual:}}
  // expected-error @+6 {{'layout.matmul' op [extents] expected one N in b and dual, found 96 and 64}}
  // expected-note @+5 {{in the layout of dual:}}
  // expected-error @+4 {{'layout.matmul' op [extents] expected one K in b and dual, found 32 and 64}}
  // expected-error @+3 {{'layout.matmul' op [matmul-element] expected dual of bf16, as b, found f16}}
  // expected-note @+2 {{in the type of operand 3:}}
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected an epilogue that combines both accumulators, found none}}
  layout.matmul %a, %b, %c dual %other schedule(#layout.schedule<auto>) : !a, !b, !c dual !other
  // expected-error @+1 {{'layout.matmul' op [epilogue] expected an epilogue with 2 arguments, both accumulators and an element of each operand, found 1}}
  layout.matmul %a, %b, %c dual %b schedule(#layout.schedule<auto>) epilogue {
  ^bb0(%sum: f32):
    layout.yield %sum : f32
  } : !a, !b, !c dual !b
  return
}
