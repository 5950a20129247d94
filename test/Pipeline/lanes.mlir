// Lanes that exchange values, on the CPU: every mode of gpu.shuffle, widths below the warp, words, floats and
// pairs of halves, and every kind of gpu.subgroup_reduce with its clusters. Two warps; thread t has 3 * t + 1, and loads 7 * t.

// RUN: layout-opt %s --layout-to-host | mlir-runner -e main --entry-point-result=void --shared-libs=%llvm_prefix/lib/libmlir_runner_utils.so,%llvm_prefix/lib/libmlir_c_runner_utils.so | FileCheck %s

// CHECK: 16, 13, 22, 19, 4, 1, 10, 7, 40, 37, 46, 43, 28, 25, 34, 31, 64, 61, 70, 67, 52, 49, 58, 55, 88, 85, 94, 91, 76, 73, 82, 79, 112, 109, 118, 115, 100, 97, 106, 103, 136, 133, 142, 139, 124, 121, 130, 127, 160, 157, 166, 163, 148, 145, 154, 151, 184, 181, 190, 187, 172, 169, 178, 175]
// CHECK: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: 1, 4, 7, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58, 61, 64, 67, 70, 73, 76, 79, 82, 85, 97, 100, 103, 97, 100, 103, 106, 109, 112, 115, 118, 121, 124, 127, 130, 133, 136, 139, 142, 145, 148, 151, 154, 157, 160, 163, 166, 169, 172, 175, 178, 181]
// CHECK: 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: 22, 25, 28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58, 61, 64, 67, 70, 73, 76, 79, 82, 85, 88, 91, 94, 76, 79, 82, 85, 88, 91, 94, 118, 121, 124, 127, 130, 133, 136, 139, 142, 145, 148, 151, 154, 157, 160, 163, 166, 169, 172, 175, 178, 181, 184, 187, 190, 172, 175, 178, 181, 184, 187, 190]
// CHECK: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
// CHECK: 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124, 124]
// CHECK: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
// CHECK: 4, 1, 10, 7, 16, 13, 22, 19, 28, 25, 34, 31, 40, 37, 46, 43, 49, 52, 55, 58, 61, 64, 67, 70, 73, 76, 79, 82, 85, 88, 91, 94, 100, 97, 106, 103, 112, 109, 118, 115, 124, 121, 130, 127, 136, 133, 142, 139, 145, 148, 151, 154, 157, 160, 163, 166, 169, 172, 175, 178, 181, 184, 187, 190]
// CHECK: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// CHECK: 7, 10, 13, 16, 19, 22, 19, 22, 25, 28, 31, 34, 37, 40, 43, 46, 49, 52, 55, 58, 61, 64, 67, 70, 73, 76, 79, 82, 85, 88, 91, 94, 103, 106, 109, 112, 115, 118, 115, 118, 121, 124, 127, 130, 133, 136, 139, 142, 145, 148, 151, 154, 157, 160, 163, 166, 169, 172, 175, 178, 181, 184, 187, 190]
// CHECK: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
// CHECK: 17, 17, 29, 29, 17, 17, 29, 29, 65, 65, 77, 77, 65, 65, 77, 77, 113, 113, 125, 125, 113, 113, 125, 125, 161, 161, 173, 173, 161, 161, 173, 173, 209, 209, 221, 221, 209, 209, 221, 221, 257, 257, 269, 269, 257, 257, 269, 269, 305, 305, 317, 317, 305, 305, 317, 317, 353, 353, 365, 365, 353, 353, 365, 365]
// CHECK: 23, 26, 29, 32, 35, 38, 41, 44, 47, 50, 53, 56, 59, 62, 65, 68, 71, 74, 77, 80, 83, 86, 89, 92, 95, 77, 80, 83, 86, 89, 92, 95, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152, 155, 158, 161, 164, 167, 170, 173, 176, 179, 182, 185, 188, 191, 173, 176, 179, 182, 185, 188, 191]
// CHECK: 0, 14, 28, 21, 35, 49, 63, 77, 91, 105, 119, 133, 147, 161, 175, 189, 203, 217, 231, 245, 259, 273, 287, 301, 315, 329, 343, 357, 371, 385, 399, 413, 448, 462, 476, 469, 483, 497, 511, 525, 539, 553, 567, 581, 595, 609, 623, 637, 651, 665, 679, 693, 707, 721, 735, 749, 763, 777, 791, 805, 819, 833, 847, 861]
// CHECK: 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592]
// CHECK: 22, 22, 22, 22, 70, 70, 70, 70, 118, 118, 118, 118, 166, 166, 166, 166, 214, 214, 214, 214, 262, 262, 262, 262, 310, 310, 310, 310, 358, 358, 358, 358, 406, 406, 406, 406, 454, 454, 454, 454, 502, 502, 502, 502, 550, 550, 550, 550, 598, 598, 598, 598, 646, 646, 646, 646, 694, 694, 694, 694, 742, 742, 742, 742]
// CHECK: 22, 22, 22, 22, 22, 22, 22, 22, 46, 46, 46, 46, 46, 46, 46, 46, 70, 70, 70, 70, 70, 70, 70, 70, 94, 94, 94, 94, 94, 94, 94, 94, 118, 118, 118, 118, 118, 118, 118, 118, 142, 142, 142, 142, 142, 142, 142, 142, 166, 166, 166, 166, 166, 166, 166, 166, 190, 190, 190, 190, 190, 190, 190, 190]
// CHECK: 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 1, 4, 7, 10, 97, 100, 103, 106, 97, 100, 103, 106, 97, 100, 103, 106, 97, 100, 103, 106, 97, 100, 103, 106, 97, 100, 103, 106, 97, 100, 103, 106, 97, 100, 103, 106]
// CHECK: 280, 280, 280, 280, 86944, 86944, 86944, 86944, 737800, 737800, 737800, 737800, 2927440, 2927440, 2927440, 2927440, 8128120, 8128120, 8128120, 8128120, 18309760, 18309760, 18309760, 18309760, 35939944, 35939944, 35939944, 35939944, 63983920, 63983920, 63983920, 63983920, 105904600, 105904600, 105904600, 105904600, 165662560, 165662560, 165662560, 165662560, 247716040, 247716040, 247716040, 247716040, 357020944, 357020944, 357020944, 357020944, 499030840, 499030840, 499030840, 499030840, 679696960, 679696960, 679696960, 679696960, 905468200, 905468200, 905468200, 905468200, 1183291120, 1183291120, 1183291120, 1183291120]
// CHECK: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128]
// CHECK: 5, 5, 15, 15, 29, 29, 23, 23, 29, 29, 63, 63, 45, 45, 47, 47, 53, 53, 63, 63, 125, 125, 71, 71, 77, 77, 95, 95, 93, 93, 95, 95, 101, 101, 111, 111, 125, 125, 119, 119, 125, 125, 255, 255, 141, 141, 143, 143, 149, 149, 159, 159, 189, 189, 167, 167, 173, 173, 191, 191, 189, 189, 191, 191]
// CHECK: 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192, 192]
// CHECK: 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 94, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190, 190]
// CHECK: 1, 4, 1, 4, 1, 4, 1, 4, 25, 28, 25, 28, 25, 28, 25, 28, 49, 52, 49, 52, 49, 52, 49, 52, 73, 76, 73, 76, 73, 76, 73, 76, 97, 100, 97, 100, 97, 100, 97, 100, 121, 124, 121, 124, 121, 124, 121, 124, 145, 148, 145, 148, 145, 148, 145, 148, 169, 172, 169, 172, 169, 172, 169, 172]
// CHECK: 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 1520, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592, 4592]
// CHECK: 22, 22, 22, 22, 22, 22, 22, 22, 46, 46, 46, 46, 46, 46, 46, 46, 70, 70, 70, 70, 70, 70, 70, 70, 94, 94, 94, 94, 94, 94, 94, 94, 118, 118, 118, 118, 118, 118, 118, 118, 142, 142, 142, 142, 142, 142, 142, 142, 166, 166, 166, 166, 166, 166, 166, 166, 190, 190, 190, 190, 190, 190, 190, 190]

!out = !layout.view<i32, global, (27,64):(64,1)>
!in = !layout.view<i32, global, 64:1>
module attributes {gpu.container_module} {
  gpu.module @lanes {
    gpu.func @kernel(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
        layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 64, 1, 1>, chip = "sm_80",
          args = [{name = "in", element = "i32", shape = "64", stride = "1", access = "read"},
                  {name = "out", element = "i32", shape = "(27,64)", stride = "(64,1)", access = "write"}]}} {
    %t = gpu.thread_id x
    %w = arith.index_cast %t : index to i32
    %three = arith.constant 3 : i32
    %first = arith.constant 1 : i32
    %times = arith.muli %w, %three : i32
    %v = arith.addi %times, %first : i32
    %o0 = arith.constant 5 : i32
    %w0 = arith.constant 32 : i32
    %s0, %p0 = gpu.shuffle xor %v, %o0, %w0 : i32
    %row0 = arith.constant 0 : index
    layout.store %s0, %out(%row0, %t) : !out
    %q0 = arith.extui %p0 : i1 to i32
    %row1 = arith.constant 1 : index
    layout.store %q0, %out(%row1, %t) : !out
    %o1 = arith.constant 3 : i32
    %w1 = arith.constant 32 : i32
    %s1, %p1 = gpu.shuffle up %v, %o1, %w1 : i32
    %row2 = arith.constant 2 : index
    layout.store %s1, %out(%row2, %t) : !out
    %q1 = arith.extui %p1 : i1 to i32
    %row3 = arith.constant 3 : index
    layout.store %q1, %out(%row3, %t) : !out
    %o2 = arith.constant 7 : i32
    %w2 = arith.constant 32 : i32
    %s2, %p2 = gpu.shuffle down %v, %o2, %w2 : i32
    %row4 = arith.constant 4 : index
    layout.store %s2, %out(%row4, %t) : !out
    %q2 = arith.extui %p2 : i1 to i32
    %row5 = arith.constant 5 : index
    layout.store %q2, %out(%row5, %t) : !out
    %o3 = arith.constant 9 : i32
    %w3 = arith.constant 32 : i32
    %s3, %p3 = gpu.shuffle idx %v, %o3, %w3 : i32
    %row6 = arith.constant 6 : index
    layout.store %s3, %out(%row6, %t) : !out
    %q3 = arith.extui %p3 : i1 to i32
    %row7 = arith.constant 7 : index
    layout.store %q3, %out(%row7, %t) : !out
    %o4 = arith.constant 1 : i32
    %w4 = arith.constant 16 : i32
    %s4, %p4 = gpu.shuffle xor %v, %o4, %w4 : i32
    %row8 = arith.constant 8 : index
    layout.store %s4, %out(%row8, %t) : !out
    %q4 = arith.extui %p4 : i1 to i32
    %row9 = arith.constant 9 : index
    layout.store %q4, %out(%row9, %t) : !out
    %o5 = arith.constant 2 : i32
    %w5 = arith.constant 8 : i32
    %s5, %p5 = gpu.shuffle down %v, %o5, %w5 : i32
    %row10 = arith.constant 10 : index
    layout.store %s5, %out(%row10, %t) : !out
    %q5 = arith.extui %p5 : i1 to i32
    %row11 = arith.constant 11 : index
    layout.store %q5, %out(%row11, %t) : !out
    %f = arith.sitofp %v : i32 to f32
    %fs, %fp = gpu.shuffle xor %f, %o0, %w0 : f32
    %fsum = arith.addf %fs, %f : f32
    %fi = arith.fptosi %fsum : f32 to i32
    %row12 = arith.constant 12 : index
    layout.store %fi, %out(%row12, %t) : !out
    %h = arith.sitofp %v : i32 to f16
    %one = arith.constant 1.0 : f16
    %h1 = arith.addf %h, %one : f16
    %pair = vector.from_elements %h, %h1 : vector<2xf16>
    %ps, %pp = gpu.shuffle down %pair, %o2, %w2 : vector<2xf16>
    %high = vector.extract %ps[1] : f16 from vector<2xf16>
    %hi = arith.fptosi %high : f16 to i32
    %row13 = arith.constant 13 : index
    layout.store %hi, %out(%row13, %t) : !out
    %loaded = layout.load %in(%t) : !in
    %ls, %lp = gpu.shuffle up %loaded, %o1, %w1 : i32
    %lsum = arith.addi %ls, %loaded : i32
    %row14 = arith.constant 14 : index
    layout.store %lsum, %out(%row14, %t) : !out
    %r0 = gpu.subgroup_reduce add %v uniform : (i32) -> i32
    %row15 = arith.constant 15 : index
    layout.store %r0, %out(%row15, %t) : !out
    %r1 = gpu.subgroup_reduce add %v cluster(size = 4) : (i32) -> i32
    %row16 = arith.constant 16 : index
    layout.store %r1, %out(%row16, %t) : !out
    %r2 = gpu.subgroup_reduce maxsi %v uniform cluster(size = 8) : (i32) -> i32
    %row17 = arith.constant 17 : index
    layout.store %r2, %out(%row17, %t) : !out
    %r3 = gpu.subgroup_reduce minsi %v cluster(size = 8, stride = 4) : (i32) -> i32
    %row18 = arith.constant 18 : index
    layout.store %r3, %out(%row18, %t) : !out
    %r4 = gpu.subgroup_reduce mul %v cluster(size = 4) : (i32) -> i32
    %row19 = arith.constant 19 : index
    layout.store %r4, %out(%row19, %t) : !out
    %r5 = gpu.subgroup_reduce and %v cluster(size = 16) : (i32) -> i32
    %row20 = arith.constant 20 : index
    layout.store %r5, %out(%row20, %t) : !out
    %r6 = gpu.subgroup_reduce or %v cluster(size = 2) : (i32) -> i32
    %row21 = arith.constant 21 : index
    layout.store %r6, %out(%row21, %t) : !out
    %r7 = gpu.subgroup_reduce xor %v : (i32) -> i32
    %row22 = arith.constant 22 : index
    layout.store %r7, %out(%row22, %t) : !out
    %r8 = gpu.subgroup_reduce maxui %v : (i32) -> i32
    %row23 = arith.constant 23 : index
    layout.store %r8, %out(%row23, %t) : !out
    %r9 = gpu.subgroup_reduce minui %v cluster(size = 4, stride = 2) : (i32) -> i32
    %row24 = arith.constant 24 : index
    layout.store %r9, %out(%row24, %t) : !out
    %fr = gpu.subgroup_reduce add %f : (f32) -> f32
    %fri = arith.fptosi %fr : f32 to i32
    %row25 = arith.constant 25 : index
    layout.store %fri, %out(%row25, %t) : !out
    %fm = gpu.subgroup_reduce maximumf %f cluster(size = 8) : (f32) -> f32
    %fmi = arith.fptosi %fm : f32 to i32
    %row26 = arith.constant 26 : index
    layout.store %fmi, %out(%row26, %t) : !out
    gpu.return
    }
  }
  func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %seven = arith.constant 7 : i32
    %in = memref.alloc() : memref<64xi32, 1>
    %out = memref.alloc() : memref<27x64xi32, 1>
    scf.for %i = %c0 to %c64 step %c1 {
      %w = arith.index_cast %i : index to i32
      %e = arith.muli %w, %seven : i32
      memref.store %e, %in[%i] : memref<64xi32, 1>
    }
    %x = layout.make_view %in : memref<64xi32, 1>
    %y = layout.make_view %out : memref<27x64xi32, 1>
    gpu.launch_func @lanes::@kernel blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : !in, %y : !out)
    %plain = memref.memory_space_cast %out : memref<27x64xi32, 1> to memref<27x64xi32>
    %all = memref.cast %plain : memref<27x64xi32> to memref<*xi32>
    call @printMemrefI32(%all) : (memref<*xi32>) -> ()
    return
  }
}
