// Elements of 4 and 2 bits, several to a byte, read and written by each kind of operation: beside references that take the
// bytes apart. A thread has a row of 32 numbers, or of 64 of 2 bits.

!bytes = !layout.view<i8, global, (32,16):(16,1)>
!numbers = !layout.view<i4, global, (32,32):(32,1)>
!unsigned = !layout.view<ui4, global, (32,32):(32,1)>
!floats = !layout.view<f32, global, (32,32):(32,1)>
!narrow = !layout.view<bf16, global, (32,32):(32,1)>
!row = !layout.view<f32, global, (32):(1)>
!row16 = !layout.view<bf16, global, (32):(1)>
!row4 = !layout.view<i4, global, (32):(1)>
!rowu4 = !layout.view<ui4, global, (32):(1)>

gpu.module @packed {
  // A copy that converts words of 8 numbers.
  gpu.func @to_bf16(%in: !bytes, %out: !narrow) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.reference = @to_bf16_reference, layout.kernel = {grid = [1], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %w = layout.recast %in to i4 : !bytes
    %own = layout.slice %w(%t, _) : !numbers
    %x = layout.alloc : !layout.view<bf16, register, 32:1>
    layout.copy #layout.atom<simt_32> %own, %x : !row4, !layout.view<bf16, register, 32:1>
    %to = layout.slice %out(%t, _) : !narrow
    layout.copy #layout.atom<simt_8> %x, %to : !layout.view<bf16, register, 32:1>, !row16
    gpu.return
  }
  // Unsigned, by words, into registers in the order (0,4,1,5,2,6,3,7) of each word, and out in that order.
  gpu.func @unsigned_to_f16(%in: !bytes, %out: !layout.view<f16, global, (32,((4,2),4)):(32,((2,1),8))>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.reference = @unsigned_reference, layout.kernel = {grid = [1], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %w = layout.recast %in to ui4 : !bytes
    %own = layout.slice %w(%t, _) : !unsigned
    %x = layout.alloc : !layout.view<f16, register, ((4,2),4):((2,1),8)>
    layout.copy #layout.atom<simt_8> %own, %x : !rowu4, !layout.view<f16, register, ((4,2),4):((2,1),8)>
    %to = layout.slice %out(%t, _) : !layout.view<f16, global, (32,((4,2),4)):(32,((2,1),8))>
    layout.copy #layout.atom<simt_1> %x, %to : !layout.view<f16, register, ((4,2),4):((2,1),8)>, !layout.view<f16, global, (((4,2),4)):(((2,1),8))>
    gpu.return
  }
  // Single elements, at places that are known at run time: of the columns of a matrix a thread has a row.
  gpu.func @one_by_one(%in: !bytes, %out: !floats) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.reference = @one_by_one_reference, layout.kernel = {grid = [1], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %w = layout.recast %in to i4 : !bytes
    scf.for %i = %c0 to %c32 step %c1 {
      %v = layout.load %w(%i, %t) : !numbers
      %f = arith.uitofp %v : i4 to f32
      layout.store %f, %out(%i, %t) : !floats
    }
    gpu.return
  }
  // A map of both signs, through shared memory by cp.async.
  gpu.func @mapped(%in: !bytes, %out: !floats) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.reference = @mapped_reference, layout.kernel = {grid = [1], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %w = layout.recast %in to i4 : !bytes
    %s = layout.alloc : !layout.view<i4, shared, (32,32):(32,1)>
    %own = layout.slice %w(%t, _) : !numbers
    %stage = layout.slice %s(%t, _) : !layout.view<i4, shared, (32,32):(32,1)>
    layout.copy #layout.atom<cp_async_16> %own, %stage : !row4, !layout.view<i4, shared, (32):(1)>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    gpu.barrier
    %y = layout.alloc : !layout.view<f32, register, 32:1>
    layout.map ins(%stage : !layout.view<i4, shared, (32):(1)>) outs(%y : !layout.view<f32, register, 32:1>) {
    ^bb0(%v: i4, %old: f32):
      %signed = arith.sitofp %v : i4 to f32
      %unsigned = arith.uitofp %v : i4 to f32
      %r = math.fma %signed, %unsigned, %signed : f32
      layout.yield %r : f32
    }
    %to = layout.slice %out(%t, _) : !floats
    layout.copy #layout.atom<simt_4> %y, %to : !layout.view<f32, register, 32:1>, !row
    gpu.return
  }
  // Writes: a fill, single elements in registers, and a copy of whole bytes to memory.
  gpu.func @turned(%in: !bytes, %out: !bytes) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.reference = @turned_reference, layout.kernel = {grid = [1], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %c3 = arith.constant 3 : i4
    %w = layout.recast %in to i4 : !bytes
    %o = layout.recast %out to i4 : !bytes
    %r = layout.alloc : !layout.view<i4, register, 32:1>
    layout.fill %r, %c3 : !layout.view<i4, register, 32:1>
    %halves = layout.composition %r, #layout<(15):(1)> : !layout.view<i4, register, 32:1>
    %own = layout.slice %w(%t, _) : !numbers
    %some = layout.composition %own, #layout<(15):(1)> : !row4
    layout.map ins(%some : !layout.view<i4, global, (15):(1)>) outs(%halves : !layout.view<i4, register, (15):(1)>) {
    ^bb0(%v: i4, %old: i4):
      %one = arith.constant 1 : i4
      %m = arith.addi %v, %one : i4
      %both = arith.xori %m, %old : i4
      layout.yield %both : i4
    }
    %to = layout.slice %o(%t, _) : !numbers
    layout.copy #layout.atom<simt_16> %r, %to : !layout.view<i4, register, 32:1>, !row4
    gpu.return
  }
  // Four numbers to a byte.
  gpu.func @quarters(%in: !bytes, %out: !layout.view<i8, global, (32,64):(64,1)>) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.reference = @quarters_reference, layout.kernel = {grid = [1], names = ["in", "out"], chip = "sm_80"}} {
    %t = gpu.thread_id x
    %w = layout.recast %in to i2 : !bytes
    %own = layout.slice %w(%t, _) : !layout.view<i2, global, (32,64):(64,1)>
    %to = layout.slice %out(%t, _) : !layout.view<i8, global, (32,64):(64,1)>
    layout.copy #layout.atom<simt_4> %own, %to : !layout.view<i2, global, (64):(1)>, !layout.view<i8, global, (64):(1)>
    gpu.return
  }
}

func.func private @number(%in: memref<32x16xi8>, %i: index, %j: index) -> i8 {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %byte_at = arith.divui %j, %c2 : index
  %half = arith.remui %j, %c2 : index
  %by = arith.muli %half, %c4 : index
  %shift = arith.index_cast %by : index to i8
  %byte = memref.load %in[%i, %byte_at] : memref<32x16xi8>
  %moved = arith.shrui %byte, %shift : i8
  %mask = arith.constant 15 : i8
  %n = arith.andi %moved, %mask : i8
  return %n : i8
}
func.func private @signed(%in: memref<32x16xi8>, %i: index, %j: index) -> i8 {
  %n = func.call @number(%in, %i, %j) : (memref<32x16xi8>, index, index) -> i8
  %c4 = arith.constant 4 : i8
  %up = arith.shli %n, %c4 : i8
  %down = arith.shrsi %up, %c4 : i8
  return %down : i8
}
func.func @to_bf16_reference(%in: memref<32x16xi8>, %out: memref<32x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %n = func.call @signed(%in, %i, %j) : (memref<32x16xi8>, index, index) -> i8
      %f = arith.sitofp %n : i8 to f32
      %y = arith.truncf %f : f32 to bf16
      memref.store %y, %out[%i, %j] : memref<32x32xbf16>
    }
  }
  return
}
// Row-major over the one mode of a row: its numbers in their own order.
func.func @unsigned_reference(%in: memref<32x16xi8>, %out: memref<32x32xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %n = func.call @number(%in, %i, %j) : (memref<32x16xi8>, index, index) -> i8
      %f = arith.uitofp %n : i8 to f32
      %y = arith.truncf %f : f32 to f16
      memref.store %y, %out[%i, %j] : memref<32x32xf16>
    }
  }
  return
}
func.func @one_by_one_reference(%in: memref<32x16xi8>, %out: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %n = func.call @number(%in, %i, %j) : (memref<32x16xi8>, index, index) -> i8
      %f = arith.uitofp %n : i8 to f32
      memref.store %f, %out[%i, %j] : memref<32x32xf32>
    }
  }
  return
}
func.func @mapped_reference(%in: memref<32x16xi8>, %out: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %n = func.call @number(%in, %i, %j) : (memref<32x16xi8>, index, index) -> i8
      %u = arith.uitofp %n : i8 to f32
      %m = func.call @signed(%in, %i, %j) : (memref<32x16xi8>, index, index) -> i8
      %s = arith.sitofp %m : i8 to f32
      %p = arith.mulf %s, %u : f32
      %f = arith.addf %p, %s : f32
      memref.store %f, %out[%i, %j] : memref<32x32xf32>
    }
  }
  return
}
func.func @turned_reference(%in: memref<32x16xi8>, %out: memref<32x16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i8
  %three = arith.constant 3 : i8
  %four = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %k = %c0 to %c16 step %c1 {
      %sum = scf.for %h = %c0 to %c2 step %c1 iter_args(%so_far = %one) -> i8 {
        %k2 = arith.muli %k, %c2 : index
        %j = arith.addi %k2, %h : index
        %n = func.call @number(%in, %i, %j) : (memref<32x16xi8>, index, index) -> i8
        %more = arith.addi %n, %one : i8
        %turned = arith.xori %more, %three : i8
        %is_some = arith.cmpi ult, %j, %c15 : index
        %own = arith.select %is_some, %turned, %three : i8
        %cut = arith.andi %own, %mask : i8
        %is_high = arith.cmpi eq, %h, %c1 : index
        %high = arith.shli %cut, %four : i8
        %both = arith.ori %so_far, %high : i8
        %next = arith.select %is_high, %both, %cut : i8
        scf.yield %next : i8
      }
      memref.store %sum, %out[%i, %k] : memref<32x16xi8>
    }
  }
  return
}
func.func @quarters_reference(%in: memref<32x16xi8>, %out: memref<32x64xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %six = arith.constant 6 : i8
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %k = arith.divui %j, %c4 : index
      %q = arith.remui %j, %c4 : index
      %twice = arith.muli %q, %c2 : index
      %by = arith.index_cast %twice : index to i8
      %up = arith.subi %six, %by : i8
      %byte = memref.load %in[%i, %k] : memref<32x16xi8>
      %high = arith.shli %byte, %up : i8
      %n = arith.shrsi %high, %six : i8
      memref.store %n, %out[%i, %j] : memref<32x64xi8>
    }
  }
  return
}
