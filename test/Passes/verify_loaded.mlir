// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// Integers in memory that are rows of another argument: bounds are proved for all sizes and whatever is loaded, as far as the kernel's
// facts or a comparison bound it, and the warning says which.

!table = !layout.view<i32, global, (?{range=1..4096}):(1)>
!pool = !layout.view<f32, global, (?{range=1..65536},64):(64,1)>
!rows = !layout.view<f32, global, (?{range=1..4096},64):(64,1)>
gpu.module @gather {
  // expected-warning @below {{and with other integers in memory; bounds are proved for all sizes, for elements of argument 0 (table) from 0 to pages-1, as layout.kernel states}}
  gpu.func @gather(%table: !table, %pool: !pool, %out: !rows) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "pages", "rows"], names = ["table", "pool", "out"],
                       values = {table = [0, "pages-1"]}}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %page = layout.load %table(%b) : !table
    %page_x = arith.index_cast %page : i32 to index
    %x = layout.load %pool(%page_x, %t) : !pool
    layout.store %x, %out(%b, %t) : !rows
    gpu.return
  }
}

// -----

// Pages of 16 rows, in arithmetic on what is loaded.
!table = !layout.view<i32, global, (?{range=1..4096}):(1)>
!pool = !layout.view<f32, global, (?{range=16..65536},64):(64,1)>
!free = !layout.view<i32, global, (?{range=1..4096}):(1)>
!rows = !layout.view<f32, global, (?{range=1..4096},64):(64,1)>
gpu.module @paged {
  // expected-warning @below {{bounds are proved for all sizes, for elements of argument 0 (table) from 0 to pages-1, as layout.kernel states}}
  gpu.func @paged(%table: !table, %pool: !pool, %out: !rows, %free: !free) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["seqs"], sizes = ["seqs", "16*pages", "seqs", "pages"], names = ["table", "pool", "out", "free"],
                       values = {table = [0, "pages-1"]}}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c16 = arith.constant 16 : index
    %page = layout.load %table(%b) : !table
    %page_x = arith.index_castui %page : i32 to index
    %first = arith.muli %page_x, %c16 : index
    %in_page = arith.remui %t, %c16 : index
    %row = arith.addi %first, %in_page : index
    %x = layout.load %pool(%row, %t) : !pool
    layout.store %x, %out(%b, %t) : !rows
    gpu.return
  }
}

// -----

// A comparison in place of facts.
!table = !layout.view<i32, global, (?{range=1..4096}):(1)>
!pool = !layout.view<f32, global, (?{range=1..65536},64):(64,1)>
!rows = !layout.view<f32, global, (?{range=1..4096},64):(64,1)>
gpu.module @compared {
  // expected-warning @below {{bounds are proved for all sizes, whatever elements of argument 0 (table) are}}
  gpu.func @compared(%table: !table, %pool: !pool, %out: !rows) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "pages", "rows"], names = ["table", "pool", "out"]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %column = layout.slice %pool(_, 0)
    %pages = layout.size %column
    // expected-warning @below {{1 not analysed; first: threads of @compared: an access that depends on an integer which is not known}}
    %page = layout.load %table(%b) : !table
    %page_x = arith.index_cast %page : i32 to index
    %is = arith.cmpi ult, %page_x, %pages : index
    scf.if %is {
      %x = layout.load %pool(%page_x, %t) : !pool
      layout.store %x, %out(%b, %t) : !rows
    }
    gpu.return
  }
}

// -----

// One page too many: what facts admit is refuted at a sample, and no bounds are claimed.
!table = !layout.view<i32, global, (?{range=1..4096}):(1)>
!pool = !layout.view<f32, global, (?{range=1..65536},64):(64,1)>
!rows = !layout.view<f32, global, (?{range=1..4096},64):(64,1)>
module { gpu.module @past {
  // expected-warning @below {{@past at other sizes than}}
  gpu.func @past(%table: !table, %pool: !pool, %out: !rows) kernel attributes {known_block_size = array<i32: 64, 1, 1>,
      layout.kernel = {grid = ["rows"], sizes = ["rows", "pages", "rows"], names = ["table", "pool", "out"],
                       values = {table = [0, "pages"]}}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %page = layout.load %table(%b) : !table
    %page_x = arith.index_cast %page : i32 to index
    // expected-error @below {{expected a load of argument 1 within elements 0 to 16447, found element 16448 (thread 0, block (0,0,0) of @past), at pages = 257, rows = 1}}
    %x = layout.load %pool(%page_x, %t) : !pool
    layout.store %x, %out(%b, %t) : !rows
    gpu.return
  }
}}
