// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics
// RUN: layout-opt %s --split-input-file --layout-derive-launch --layout-verify --verify-diagnostics

// A kernel's launch information, handwritten and derived, is used by layout-verify.

// The blocks along y are two at all sizes, those along x as many as there are rows: an argument of a known layout is read within it.
!a = !layout.view<f32, global, (?{range=1..65536},64):(64,1)>
!b = !layout.view<f32, global, (2,64):(64,1)>
gpu.module @partly {
  // expected-warning @below {{@partly at other sizes than rows = 1; }}
  gpu.func @partly(%a: !a, %b: !b, %out: !a) kernel attributes {known_block_size = array<i32: 32, 1, 1>,
      layout.kernel = {grid = ["rows", 2], sizes = ["rows", "rows"], names = ["a", "b", "out"]}} {
    %t = gpu.thread_id x
    %row = gpu.block_id x
    %half = gpu.block_id y
    %c32 = arith.constant 32 : index
    %first = arith.muli %half, %c32 : index
    %column = arith.addi %first, %t : index
    %x = layout.load %a(%row, %column) : !a
    %y = layout.load %b(%half, %column) : !b
    %z = arith.addf %x, %y : f32
    layout.store %z, %out(%row, %column) : !a
    gpu.return
  }
}

// -----

// Nobody says how many blocks there are: a block past the second would read past the argument, and may not exist.
!b = !layout.view<f32, global, (2,64):(64,1)>
gpu.module @unknown {
  // expected-warning @below {{expected loads of argument 0 of @unknown within (2,64):(64,1), found offset 128, in a block or a grid of unknown size}}
  // expected-warning @below {{1 of any number of blocks}}
  gpu.func @unknown(%b: !b, %out: !layout.view<f32, global, 64:1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %row = gpu.block_id x
    %x = layout.load %b(%row, %t) : !b
    layout.store %x, %out(%t) : !layout.view<f32, global, 64:1>
    gpu.return
  }
}

// -----

// Integers in memory are samples of what the facts say, and a number by value is 0 and 1; derived facts say it elsewhere.
!ids = !layout.view<i32, global, (?{range=1..4096}):(1)>
!table = !layout.view<f32, global, (?{range=1..65536},64):(64,1)>
!rows = !layout.view<f32, global, (?{range=1..4096},64):(64,1)>
gpu.module @scatter {
  // expected-warning @below {{and with other integers in memory}}
  gpu.func @scatter(%seed: i32, %ids: !ids, %rows: !rows, %table: !table) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "rows", "words"], names = ["seed", "ids", "rows", "table"],
                       values = {ids = [0, "words-1"]}}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %id = layout.load %ids(%b) : !ids
    %row = arith.index_cast %id : i32 to index
    %x = layout.load %rows(%b, %t) : !rows
    layout.atomic add %x, %table(%row, %t) relaxed : !table
    gpu.return
  }
}

// -----

// Two elements may be one number: two blocks add to one row without an atomic.
!ids = !layout.view<i32, global, (?{range=1..4096}):(1)>
!table = !layout.view<f32, global, (?{range=1..65536},64):(64,1)>
!rows = !layout.view<f32, global, (?{range=1..4096},64):(64,1)>
gpu.module @twice {
  // expected-warning @below {{and with other integers in memory}}
  gpu.func @twice(%ids: !ids, %rows: !rows, %table: !table) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "rows", "words"], names = ["ids", "rows", "table"],
                       values = {ids = [0, "words-1"]}}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %id = layout.load %ids(%b) : !ids
    %row = arith.index_cast %id : i32 to index
    %x = layout.load %rows(%b, %t) : !rows
    // expected-error @below {{of argument 2: thread 0 of block number 0 stores it and thread 0 loads it, in block (1,0,0) of @twice}}
    %before = layout.load %table(%row, %t) : !table
    %sum = arith.addf %before, %x : f32
    // expected-note @below {{thread 0 stores it here}}
    // expected-error @below {{of argument 2: thread 0 of block number 0 stores it and thread 0 stores it, in block (1,0,0) of @twice}}
    layout.store %sum, %table(%row, %t) : !table
    gpu.return
  }
}
