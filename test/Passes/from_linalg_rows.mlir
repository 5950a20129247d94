// Operations on tensors that are no contractions become kernels: chains of elementwise operations, and reductions of rows.

// RUN: layout-opt %s --split-input-file --layout-from-linalg | FileCheck %s

// One elementwise operation: a kernel, in which each thread reads and writes a vector of 16 bytes, and its launch.

// CHECK-LABEL: gpu.func @doubled_elements(
// CHECK-SAME:      %[[X:.*]]: !layout.view<f32, global, (4,100):(100,1)>, %[[Y:.*]]: !layout.view<f32, global, (4,100):(100,1)>)
// CHECK-SAME:      known_block_size = array<i32: 128, 1, 1>, layout.kernel = {block = array<i64: 128, 1, 1>, chip = "sm_90a", grid = [1], sizes = []}
// CHECK:         %[[XV:.*]] = layout.logical_divide %[[X]], #layout<<1:0, 4:1>>
// CHECK:         %[[YV:.*]] = layout.logical_divide %[[Y]], #layout<<1:0, 4:1>>
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %c100
// CHECK:         scf.if %[[IS]] {
// CHECK:           %[[VECTOR:.*]] = layout.slice %[[XV]]((0, %[[I:.*]]), (_, %[[J:.*]])) :
// CHECK:           layout.copy #layout.atom<simt_4> %[[VECTOR]], %{{.*}} : !layout.view<f32, global, (4):(1)>, !layout.view<f32, register, (4):(1)>
// CHECK:           scf.for
// CHECK:             %[[E:.*]] = layout.load %{{.*}} : !layout.view<f32, register, (4,1):(1,4)>
// CHECK:             %[[T:.*]] = arith.addf %[[E]], %[[E]] : f32
// CHECK:             layout.store %[[T]], %{{.*}} : !layout.view<f32, register, (4,1):(1,4)>
// CHECK:           %[[TO:.*]] = layout.slice %[[YV]]((0, %[[I]]), (_, %[[J]])) :
// CHECK:           layout.copy #layout.atom<simt_4> %{{.*}}, %[[TO]] :
// CHECK:       func.func @doubled(
// CHECK-SAME:    attributes {layout.host}
// CHECK:         bufferization.to_buffer %arg0 read_only
// CHECK-NOT:     linalg
// CHECK:         %[[M:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4x100xf32>
// CHECK:         gpu.launch_func @doubled_elements::@doubled_elements
// CHECK:         %[[R:.*]] = bufferization.to_tensor %[[M]] restrict writable
// CHECK:         return %[[R]]
#matrix = affine_map<(i, j) -> (i, j)>
func.func @doubled(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %empty = tensor.empty() : tensor<4x100xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x100xf32>) outs(%empty : tensor<4x100xf32>) {
  ^bb0(%e: f32, %old: f32):
    %t = arith.addf %e, %e : f32
    linalg.yield %t : f32
  } -> tensor<4x100xf32>
  return %y : tensor<4x100xf32>
}

// -----

// Softmax: one kernel, in which a warp has a row, which is read once. Its passes find the maximum, the sum, and what is written.

// CHECK-LABEL: gpu.func @softmax_rows(
// CHECK:         layout.copy #layout.atom<simt_2> {{.*}} : !layout.view<f32, global, (2):(1)>, !layout.view<f32, register, (2):(1)>
// CHECK-NOT:     , global, (2):(1)>, !layout.view<f32, register
// CHECK:         scf.for
// CHECK:           arith.maximumf
// CHECK:         layout.reduce max {{.*}} along [0] threads(#layout<(32,2):(2,1)>)
// CHECK-NOT:     , global, (2):(1)>, !layout.view<f32, register
// CHECK:         scf.for
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK:         layout.reduce add {{.*}} along [0] threads(#layout<(32,2):(2,1)>)
// CHECK-NOT:     , global, (2):(1)>, !layout.view<f32, register
// CHECK:         scf.for
// CHECK:           arith.divf
// CHECK:         layout.copy #layout.atom<simt_2> {{.*}} : !layout.view<f32, register, (2):(1)>, !layout.view<f32, global, (2):(1)>
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @softmax(
// CHECK-NOT:     linalg
#matrix = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
func.func @softmax(%x: tensor<33x70xf32>) -> tensor<33x70xf32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = tensor.empty() : tensor<33xf32>
  %empty = tensor.empty() : tensor<33x70xf32>
  %all_least = linalg.fill ins(%least : f32) outs(%one : tensor<33xf32>) -> tensor<33xf32>
  %max = linalg.generic {indexing_maps = [#matrix, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<33x70xf32>) outs(%all_least : tensor<33xf32>) {
  ^bb0(%e: f32, %old: f32):
    %t = arith.maximumf %old, %e : f32
    linalg.yield %t : f32
  } -> tensor<33xf32>
  %powers = linalg.generic {indexing_maps = [#matrix, #rows, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<33x70xf32>, tensor<33xf32>) outs(%empty : tensor<33x70xf32>) {
  ^bb0(%e: f32, %m: f32, %old: f32):
    %d = arith.subf %e, %m : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<33x70xf32>
  %all_zero = linalg.fill ins(%zero : f32) outs(%one : tensor<33xf32>) -> tensor<33xf32>
  %sum = linalg.reduce ins(%powers : tensor<33x70xf32>) outs(%all_zero : tensor<33xf32>) dimensions = [1]
      (%e: f32, %old: f32) {
        %t = arith.addf %old, %e : f32
        linalg.yield %t : f32
      }
  %y = linalg.generic {indexing_maps = [#matrix, #rows, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%powers, %sum : tensor<33x70xf32>, tensor<33xf32>) outs(%empty : tensor<33x70xf32>) {
  ^bb0(%e: f32, %s: f32, %old: f32):
    %t = arith.divf %e, %s : f32
    linalg.yield %t : f32
  } -> tensor<33x70xf32>
  return %y : tensor<33x70xf32>
}

// -----

// Long rows have a block each. The reduction's initial value is added once.

// CHECK-LABEL: gpu.func @long_rows(
// CHECK:         grid = [8]
// CHECK:         layout.reduce add {{.*}} threads(#layout<(512,4):(4,1)>)
// CHECK:         %[[START:.*]] = layout.load %arg1(
// CHECK:         arith.addf %[[START]],
func.func @long(%x: tensor<8x4000xf32>, %start: tensor<8xf32>) -> tensor<8xf32> {
  %sum = linalg.reduce ins(%x : tensor<8x4000xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
      (%e: f32, %old: f32) {
        %t = arith.addf %old, %e : f32
        linalg.yield %t : f32
      }
  return %sum : tensor<8xf32>
}

// -----

// A reduction that is no function of two values in any order is one of a thread: the greatest of each row, and its place.

// CHECK-LABEL: gpu.func @greatest_rows(
// CHECK-NOT:     layout.reduce
// CHECK:         scf.for
// CHECK:           arith.cmpf ogt
// CHECK:         layout.store {{.*}} : !layout.view<f32, global, 64:1>
// CHECK:         layout.store {{.*}} : !layout.view<i32, global, 64:1>
#matrix = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>
func.func @greatest(%x: tensor<64x300xf32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %least = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i32
  %a = tensor.empty() : tensor<64xf32>
  %b = tensor.empty() : tensor<64xi32>
  %c = linalg.fill ins(%least : f32) outs(%a : tensor<64xf32>) -> tensor<64xf32>
  %d = linalg.fill ins(%first : i32) outs(%b : tensor<64xi32>) -> tensor<64xi32>
  %r:2 = linalg.generic {indexing_maps = [#matrix, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x300xf32>) outs(%c, %d : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%e: f32, %old: f32, %place: i32):
    %j = linalg.index 1 : index
    %at = arith.index_cast %j : index to i32
    %is = arith.cmpf ogt, %e, %old : f32
    %best = arith.select %is, %e, %old : f32
    %where = arith.select %is, %at, %place : i32
    linalg.yield %best, %where : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xi32>
}

// -----

// Transposes, slices and reshapes are coordinates; padding is a predicate of what is read, here of whole vectors.

// CHECK-LABEL: gpu.func @moved_elements(
// CHECK-SAME:      %[[X:.*]]: !layout.view<f16, global, (6,20):(20,1)>, %[[Y:.*]]: !layout.view<f16, global, (5,12,2):(24,2,1)>)
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %c20
// CHECK:         scf.if %[[IS]] {
// CHECK:           layout.copy #layout.atom<simt_2> {{.*}} : !layout.view<f16, global, (2):(1)>, !layout.view<f16, register, (2):(1)>
// CHECK:         arith.select
// CHECK:         layout.copy #layout.atom<simt_2> {{.*}} : !layout.view<f16, register, (2):(1)>, !layout.view<f16, global, (2):(1)>
func.func @moved(%x: tensor<6x20xf16>) -> tensor<5x12x2xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<20x6xf16>
  %turned = linalg.transpose ins(%x : tensor<6x20xf16>) outs(%empty : tensor<20x6xf16>) permutation = [1, 0]
  %slice = tensor.extract_slice %turned[0, 1] [20, 5] [1, 1] : tensor<20x6xf16> to tensor<20x5xf16>
  %padded = tensor.pad %slice low[2, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f16
  } : tensor<20x5xf16> to tensor<24x5xf16>
  %other = tensor.empty() : tensor<5x24xf16>
  %back = linalg.transpose ins(%padded : tensor<24x5xf16>) outs(%other : tensor<5x24xf16>) permutation = [1, 0]
  %split = tensor.expand_shape %back [[0], [1, 2]] output_shape [5, 12, 2] : tensor<5x24xf16> into tensor<5x12x2xf16>
  %last = tensor.empty() : tensor<5x12x2xf16>
  %y = linalg.add ins(%split, %split : tensor<5x12x2xf16>, tensor<5x12x2xf16>) outs(%last : tensor<5x12x2xf16>) -> tensor<5x12x2xf16>
  return %y : tensor<5x12x2xf16>
}

// -----

// Sizes known at run time are numbers that the launch passes on, and names in the kernel's grid. A grid has a block at least.

// CHECK-LABEL: gpu.func @scaled_elements(
// CHECK-SAME:      %[[X:.*]]: !layout.view<bf16, global, (?{i64},64):(64,1)>, %[[Y:.*]]: !layout.view<bf16, global, (?{i64},64):(64,1)>, %[[S:.*]]: f32, %[[N:.*]]: index)
// CHECK-SAME:      grid = ["ceil_div(y0_0*64+1,1024)"], sizes = ["x0_0", "y0_0"]
// CHECK:         layout.copy #layout.atom<simt_8> {{.*}} : !layout.view<bf16, global, (8):(1)>, !layout.view<bf16, register, (8):(1)>
// CHECK:         arith.mulf %{{.*}}, %[[S]] : f32
// CHECK:       func.func @scaled(
// CHECK:         gpu.launch_func @scaled_elements::@scaled_elements {{.*}} args(%{{.*}}, %{{.*}}, %arg1 : f32, %{{.*}} : index)
#matrix = affine_map<(i, j) -> (i, j)>
func.func @scaled(%x: tensor<?x64xbf16>, %scale: f32) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %empty = tensor.empty(%n) : tensor<?x64xbf16>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x64xbf16>) outs(%empty : tensor<?x64xbf16>) {
  ^bb0(%e: bf16, %old: bf16):
    %w = arith.extf %e : bf16 to f32
    %m = arith.mulf %w, %scale : f32
    %t = arith.truncf %m : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// -----

// Functions that many columns read alike are computed once, in memory, where there are many of these; cheap operations where they are read.

// CHECK-DAG:   gpu.func @angles_elements(
// CHECK-DAG:   gpu.func @angles_elements_1(
// CHECK-NOT:   gpu.func
// CHECK:       func.func @angles(
#row = affine_map<(i, j) -> (j)>
#vector = affine_map<(i) -> (i)>
#matrix = affine_map<(i, j) -> (i, j)>
func.func @angles(%x: tensor<8192x64xf32>, %a: tensor<64xf32>) -> tensor<8192x64xf32> {
  %e1 = tensor.empty() : tensor<64xf32>
  %cos = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%e1 : tensor<64xf32>) {
  ^bb0(%e: f32, %old: f32):
    %t = math.cos %e : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<8192x64xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #row, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x, %cos : tensor<8192x64xf32>, tensor<64xf32>) outs(%e2 : tensor<8192x64xf32>) {
  ^bb0(%e: f32, %c: f32, %old: f32):
    %t = arith.mulf %e, %c : f32
    linalg.yield %t : f32
  } -> tensor<8192x64xf32>
  return %y : tensor<8192x64xf32>
}

// -----

// Where they are few, a launch takes longer than computing functions again: one kernel. So it does for two kernels that read a table of few numbers.

// CHECK:       gpu.func @few_angles_elements(
// CHECK:         math.cos
// CHECK:       gpu.func @few_angles_elements_1(
// CHECK:         math.cos
// CHECK-NOT:   gpu.func
// CHECK:       func.func @few_angles(
#row = affine_map<(i, j) -> (j)>
#vector = affine_map<(i) -> (i)>
#matrix = affine_map<(i, j) -> (i, j)>
func.func @few_angles(%x: tensor<8x64xf32>, %a: tensor<64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %e1 = tensor.empty() : tensor<64xf32>
  %cos = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%e1 : tensor<64xf32>) {
  ^bb0(%e: f32, %old: f32):
    %t = math.cos %e : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %e2 = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #row, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x, %cos : tensor<8x64xf32>, tensor<64xf32>) outs(%e2 : tensor<8x64xf32>) {
  ^bb0(%e: f32, %c: f32, %old: f32):
    %t = arith.mulf %e, %c : f32
    linalg.yield %t : f32
  } -> tensor<8x64xf32>
  %z = linalg.generic {indexing_maps = [#matrix, #row, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%y, %cos : tensor<8x64xf32>, tensor<64xf32>) outs(%e2 : tensor<8x64xf32>) {
  ^bb0(%e: f32, %c: f32, %old: f32):
    %t = arith.divf %e, %c : f32
    linalg.yield %t : f32
  } -> tensor<8x64xf32>
  return %y, %z : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// A number that the host would read back is computed in the kernel that needs it.

// CHECK-LABEL: gpu.func @put_elements(
// CHECK-SAME:      %{{.*}}: !layout.view<i32, global, 1:0>,
// CHECK:       func.func @put(
// CHECK-NOT:     tensor.extract
func.func @put(%x: tensor<1x64xf32>, %all: tensor<100x64xf32>, %at: tensor<i32>) -> tensor<100x64xf32> {
  %place = tensor.extract %at[] : tensor<i32>
  %i = arith.index_cast %place : i32 to index
  %y = tensor.insert_slice %x into %all[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<100x64xf32>
  return %y : tensor<100x64xf32>
}

// -----

// A result without elements is none that a kernel writes.

// CHECK-LABEL: func.func @nothing(
// CHECK-NOT:     gpu.launch_func
// CHECK:         tensor.empty() : tensor<0x4xf32>
#matrix = affine_map<(i, j) -> (i, j)>
func.func @nothing(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %empty = tensor.empty() : tensor<0x4xf32>
  %y = linalg.add ins(%x, %x : tensor<0x4xf32>, tensor<0x4xf32>) outs(%empty : tensor<0x4xf32>) -> tensor<0x4xf32>
  return %y : tensor<0x4xf32>
}

// -----

// Between the elements of an insertion with strides those of the whole stay.

// CHECK-LABEL: gpu.func @spread_elements(
// CHECK-SAME:      %[[X:[^:]*]]: !layout.view<f32, global, 4:1>, %[[ALL:[^:]*]]: !layout.view<f32, global, 9:1>
// CHECK:         %[[AT:.*]] = arith.addi %[[I:.*]], %c-1
// CHECK:         %[[WITHIN:.*]] = arith.cmpi ult, %[[AT]], %c8
// CHECK:         %[[REST:.*]] = arith.remui %[[AT]], %c2
// CHECK:         %[[EVEN:.*]] = arith.cmpi ult, %[[REST]], %c1
// CHECK:         %[[IN:.*]] = arith.andi %[[WITHIN]], %[[EVEN]] : i1
// CHECK:         scf.if %[[IN]] {
// CHECK:           %[[HALF:.*]] = arith.divui %[[AT]], %c2
// CHECK:           layout.load %[[X]](%[[HALF]])
// CHECK:         } else {
// CHECK:           layout.load %[[ALL]](%[[I]])
func.func @spread(%x: tensor<4xf32>, %all: tensor<9xf32>) -> tensor<9xf32> {
  %y = tensor.insert_slice %x into %all[1] [4] [2] : tensor<4xf32> into tensor<9xf32>
  return %y : tensor<9xf32>
}

// -----

// An input that is contiguous along another loop than the output goes through a tile of shared memory.

// CHECK-LABEL: gpu.func @turned_elements(
// CHECK-SAME:      grid = [6]
// CHECK:         %[[TILE:.*]] = layout.alloc : !layout.view<bf16, shared, (32,32):(34,1)>
// CHECK:         layout.copy #layout.atom<simt_8> {{.*}} : !layout.view<bf16, global, (8):(1)>, !layout.view<bf16, register, (8):(1)>
// CHECK:         layout.store %{{.*}}, %[[TILE]](%[[J:.*]], %{{.*}})
// CHECK:         gpu.barrier
// CHECK:         layout.load %[[TILE]](
// CHECK:         layout.copy #layout.atom<simt_8> {{.*}} : !layout.view<bf16, register, (8):(1)>, !layout.view<bf16, global, (8):(1)>
func.func @turned(%x: tensor<64x96xbf16>) -> tensor<96x64xbf16> {
  %empty = tensor.empty() : tensor<96x64xbf16>
  %y = linalg.transpose ins(%x : tensor<64x96xbf16>) outs(%empty : tensor<96x64xbf16>) permutation = [1, 0]
  return %y : tensor<96x64xbf16>
}

// -----

// Where their number is dynamic, the last block has no tile at times; all threads reach the barrier.

// CHECK-LABEL: gpu.func @each_turned_elements(
// CHECK-SAME:      grid = ["ceil_div(y0_0*2+1,1)"]
// CHECK:         %[[TILE:.*]] = layout.alloc : !layout.view<f32, shared, (32,32):(34,1)>
// CHECK:         %[[IS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK:         scf.if %[[IS]] {
// CHECK:           layout.store %{{.*}}, %[[TILE]](
// CHECK:         gpu.barrier
// CHECK-NEXT:    scf.if %[[IS]] {
// CHECK:           layout.load %[[TILE]](
// CHECK:           layout.copy #layout.atom<simt_4> {{.*}} : !layout.view<f32, register, (4):(1)>, !layout.view<f32, global, (4):(1)>
func.func @each_turned(%x: tensor<?x64x32xf32>) -> tensor<?x32x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64x32xf32>
  %empty = tensor.empty(%n) : tensor<?x32x64xf32>
  %y = linalg.transpose ins(%x : tensor<?x64x32xf32>) outs(%empty : tensor<?x32x64xf32>) permutation = [0, 2, 1]
  return %y : tensor<?x32x64xf32>
}

// -----

// Booleans are bytes in memory: masks that PyTorch and ONNX pass on.

// CHECK-LABEL: gpu.func @masked_elements(
// CHECK-SAME:      %[[X:[^:]*]]: !layout.view<f32, global, 5:1>, %[[MASK:[^:]*]]: !layout.view<i8, global, 5:1>, %[[Y:[^:]*]]: !layout.view<i8, global, 5:1>)
// CHECK:         %[[BYTE:.*]] = layout.load %[[MASK]](%[[I:.*]])
// CHECK:         %[[BOOLEAN:.*]] = arith.cmpi ne, %[[BYTE]], %c0_i8
// CHECK:         %[[ONE:.*]] = arith.andi %{{.*}}, %[[BOOLEAN]] : i1
// CHECK:         %[[OUT:.*]] = arith.extui %[[ONE]] : i1 to i8
// CHECK:         layout.store %[[OUT]], %[[Y]](%[[I]])
// CHECK:       func.func @masked(
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : memref<5xi1> to memref<5xi8>
#v = affine_map<(i) -> (i)>
func.func @masked(%x: tensor<5xf32>, %mask: tensor<5xi1>) -> tensor<5xi1> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xi1>
  %y = linalg.generic {indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]} ins(%x, %mask : tensor<5xf32>, tensor<5xi1>) outs(%e : tensor<5xi1>) {
  ^bb0(%a: f32, %b: i1, %old: i1):
    %c = arith.cmpf ogt, %a, %zero : f32
    %d = arith.andi %c, %b : i1
    linalg.yield %d : i1
  } -> tensor<5xi1>
  return %y : tensor<5xi1>
}

// -----

// A depthwise convolution multiplies each element of a window once: no matmul, but a thread for each element of the result, so that
// neighbours read neighbours.

// CHECK-LABEL: gpu.func @depthwise_rows(
// CHECK:         scf.for %{{.*}} = %{{.*}} to %c9
// CHECK-LABEL: func.func @depthwise(
// CHECK-NOT:     layout.matmul
// CHECK:         gpu.launch_func @depthwise_rows::@depthwise_rows blocks in (%c2048, %c1, %c1) threads in (%c128, %c1, %c1)
func.func @depthwise(%x: tensor<4x34x34x64xbf16>, %w: tensor<3x3x64xbf16>) -> tensor<4x32x32x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32x32x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x32x32x64xf32>) -> tensor<4x32x32x64xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<4x34x34x64xbf16>, tensor<3x3x64xbf16>) outs(%f : tensor<4x32x32x64xf32>) -> tensor<4x32x32x64xf32>
  return %y : tensor<4x32x32x64xf32>
}

// -----

// Booleans are reduced as bytes, by all lanes of a row where that combines them.

// CHECK-LABEL: gpu.func @any_rows(
// CHECK:         %[[HELD:.*]] = layout.alloc : !layout.view<i8, register, {{.*}}>
// CHECK:         arith.cmpf ogt
// CHECK:         arith.extui %{{.*}} : i1 to i8
// CHECK:         arith.ori %{{.*}}, %{{.*}} : i8
// CHECK:         layout.reduce or
// CHECK-LABEL: func.func @any(
// CHECK-NOT:     linalg.generic
// CHECK:         gpu.launch_func @any_rows::@any_rows
func.func @any(%x: tensor<64x512xf32>) -> tensor<64xi1> {
  %false = arith.constant false
  %e = tensor.empty() : tensor<64xi1>
  %f = linalg.fill ins(%false : i1) outs(%e : tensor<64xi1>) -> tensor<64xi1>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x512xf32>) outs(%f : tensor<64xi1>) {
  ^bb0(%a: f32, %old: i1):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %a, %zero : f32
    %n = arith.ori %c, %old : i1
    linalg.yield %n : i1
  } -> tensor<64xi1>
  return %y : tensor<64xi1>
}

// -----

// An embedding as torch-mlir writes it asserts of each index that it is one of a row: a kernel reads the row.

// CHECK-LABEL: gpu.func @embedding_elements(
// CHECK-NOT:     cf.assert
// CHECK-LABEL: func.func @embedding(
// CHECK-NOT:     linalg
// CHECK:         gpu.launch_func
func.func @embedding(%table: tensor<50x64xf32>, %at: tensor<7xi64>) -> tensor<7x64xf32> {
  %zero = arith.constant 0 : i64
  %rows = arith.constant 50 : i64
  %e = tensor.empty() : tensor<7x64xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%at : tensor<7xi64>) outs(%e : tensor<7x64xf32>) {
  ^bb0(%i: i64, %o: f32):
    %row = arith.index_cast %i : i64 to index
    %column = linalg.index 1 : index
    %is_less = arith.cmpi slt, %i, %rows : i64
    cf.assert %is_less, "index must be smaller than dim size"
    %is_positive = arith.cmpi sge, %i, %zero : i64
    cf.assert %is_positive, "index must be larger or equal to 0"
    %x = tensor.extract %table[%row, %column] : tensor<50x64xf32>
    linalg.yield %x : f32
  } -> tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// -----

// Sums of 16 bits are kept in 32, and so are the products that they add up.

// CHECK-LABEL: gpu.func @sum_rows(
// CHECK:         %[[SUM:.*]] = layout.alloc : !layout.view<f32, register, 8:1>
// CHECK:         scf.for
// CHECK:           arith.extf
// CHECK:           %[[PRODUCT:.*]] = arith.mulf {{.*}} : f32
// CHECK:           arith.addf %{{.*}}, %[[PRODUCT]] : f32
// CHECK:         layout.reduce add %[[SUM]] into %[[ALL:.*]] along [0]
// CHECK:           %[[START:.*]] = arith.extf {{.*}} : f16 to f32
// CHECK:           %[[TOTAL:.*]] = arith.addf %[[START]], {{.*}} : f32
// CHECK:           arith.truncf %[[TOTAL]] : f32 to f16
func.func @sum(%x: tensor<6x512xf16>) -> tensor<6xf16> {
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<6xf16>
  %init = linalg.fill ins(%zero : f16) outs(%empty : tensor<6xf16>) -> tensor<6xf16>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x512xf16>) outs(%init : tensor<6xf16>) {
  ^bb0(%a: f16, %s: f16):
    %p = arith.mulf %a, %a : f16
    %r = arith.addf %p, %s : f16
    linalg.yield %r : f16
  } -> tensor<6xf16>
  return %sum : tensor<6xf16>
}
