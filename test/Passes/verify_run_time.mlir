// RUN: layout-opt %s --split-input-file --layout-verify --verify-diagnostics

// Rows of tiles that are copied as long as there are some: how many there are is known at run time. The kernel is
// examined with rows around those of one tile, and nothing is claimed of others.
!v = !layout.view<f32, global, (?,32):(32,1)>
!r = !layout.view<f32, register, (8,1):(1,0)>
module { gpu.module @right {
  // expected-warning @below {{layout-verify: 1 not proved, 20 proved; first: @right at other sizes than m = 1; m = 63; m = 64; m = 65; m = 193}}
  gpu.func @right(%in: !v, %out: !v) kernel attributes {layout.kernel = {
      args = [{name = "in", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"},
              {name = "out", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"}],
      block = array<i64: 256, 1, 1>, grid = ["ceil_div(m,64)", "1", 1],
      sizes = [{divisor = 1 : i64, least = 1 : i64, most = 4096 : i64, name = "m"}]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %row = layout.slice %in(_, 0) : !v
    %m = layout.size %row : !layout.view<f32, global, (?):(32)>
    %rows = layout.make %m : (index) -> !layout<(?{i64},32):(1,0)>
    %i = layout.identity_tensor of %rows : !layout<(?{i64},32):(1,0)> -> !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %tin = layout.local_tile %in(%b, 0), #layout<(64,32)> : !v
    %tout = layout.local_tile %out(%b, 0), #layout<(64,32)> : !v
    %ti = layout.local_tile %i(%b, 0), #layout<(64,32)> : !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %pin = layout.partition %tin(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pout = layout.partition %tout(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pi = layout.partition %ti(%t), #layout<(8,32):(32,1)> : !layout.view<index, coordinate, (64,32):(1,0)>
    %r = layout.alloc : !r
    layout.copy #layout.atom<simt_1> %pin, %r predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !layout.view<f32, global, (8,1):(256,0)>, !r
    layout.copy #layout.atom<simt_1> %r, %pout predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !r, !layout.view<f32, global, (8,1):(256,0)>
    gpu.return
  }
}}

// -----

// Without a predicate, rows past the last are stored.
!v = !layout.view<f32, global, (?,32):(32,1)>
!r = !layout.view<f32, register, (8,1):(1,0)>
module { gpu.module @dropped {
  // expected-warning @below {{layout-verify: 1 not proved, 3 proved; first: @dropped at other sizes than m = 1}}
  // expected-error @below {{layout-verify: expected stores of argument 1 of @dropped within (1,32):(32,1), found offset 32, at m = 1}}
  gpu.func @dropped(%in: !v, %out: !v) kernel attributes {layout.kernel = {
      args = [{name = "in", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"},
              {name = "out", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"}],
      block = array<i64: 256, 1, 1>, grid = ["ceil_div(m,64)", "1", 1],
      sizes = [{divisor = 1 : i64, least = 1 : i64, most = 4096 : i64, name = "m"}]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %row = layout.slice %in(_, 0) : !v
    %m = layout.size %row : !layout.view<f32, global, (?):(32)>
    %rows = layout.make %m : (index) -> !layout<(?{i64},32):(1,0)>
    %i = layout.identity_tensor of %rows : !layout<(?{i64},32):(1,0)> -> !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %tin = layout.local_tile %in(%b, 0), #layout<(64,32)> : !v
    %tout = layout.local_tile %out(%b, 0), #layout<(64,32)> : !v
    %ti = layout.local_tile %i(%b, 0), #layout<(64,32)> : !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %pin = layout.partition %tin(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pout = layout.partition %tout(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pi = layout.partition %ti(%t), #layout<(8,32):(32,1)> : !layout.view<index, coordinate, (64,32):(1,0)>
    %r = layout.alloc : !r
    layout.copy #layout.atom<simt_1> %pin, %r predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !layout.view<f32, global, (8,1):(256,0)>, !r
    // expected-error @below {{layout-verify: expected a store of argument 1 within elements 0 to 31, found element 256 (thread 0, block (0,0,0) of @dropped), at m = 1}}
    layout.copy #layout.atom<simt_1> %r, %pout
      : !r, !layout.view<f32, global, (8,1):(256,0)>
    gpu.return
  }
}}

// -----

// One row more than there is.
!v = !layout.view<f32, global, (?,32):(32,1)>
!r = !layout.view<f32, register, (8,1):(1,0)>
module { gpu.module @widened {
  // expected-warning @below {{layout-verify: 1 not proved, 3 proved; first: @widened at other sizes than m = 1}}
  // expected-error @below {{layout-verify: expected stores of argument 1 of @widened within (1,32):(32,1), found offset 32, at m = 1}}
  gpu.func @widened(%in: !v, %out: !v) kernel attributes {layout.kernel = {
      args = [{name = "in", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"},
              {name = "out", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"}],
      block = array<i64: 256, 1, 1>, grid = ["ceil_div(m,64)", "1", 1],
      sizes = [{divisor = 1 : i64, least = 1 : i64, most = 4096 : i64, name = "m"}]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %row = layout.slice %in(_, 0) : !v
    %m = layout.size %row : !layout.view<f32, global, (?):(32)>
    %rows = layout.make %m : (index) -> !layout<(?{i64},32):(1,0)>
    %i = layout.identity_tensor of %rows : !layout<(?{i64},32):(1,0)> -> !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %tin = layout.local_tile %in(%b, 0), #layout<(64,32)> : !v
    %tout = layout.local_tile %out(%b, 0), #layout<(64,32)> : !v
    %ti = layout.local_tile %i(%b, 0), #layout<(64,32)> : !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %pin = layout.partition %tin(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pout = layout.partition %tout(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pi = layout.partition %ti(%t), #layout<(8,32):(32,1)> : !layout.view<index, coordinate, (64,32):(1,0)>
    %one = arith.constant 1 : index
    %more = arith.addi %m, %one : index
    %r = layout.alloc : !r
    layout.copy #layout.atom<simt_1> %pin, %r predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !layout.view<f32, global, (8,1):(256,0)>, !r
    // expected-error @below {{layout-verify: expected a store of argument 1 within elements 0 to 31, found element 32 (thread 32, block (0,0,0) of @widened), at m = 1}}
    layout.copy #layout.atom<simt_1> %r, %pout predicate(%pi < %more : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !r, !layout.view<f32, global, (8,1):(256,0)>
    gpu.return
  }
}}

// -----

// The limit of one tile, whatever the size.
!v = !layout.view<f32, global, (?,32):(32,1)>
!r = !layout.view<f32, register, (8,1):(1,0)>
module { gpu.module @number {
  // expected-warning @below {{layout-verify: 1 not proved, 3 proved; first: @number at other sizes than m = 1}}
  // expected-error @below {{layout-verify: expected stores of argument 1 of @number within (1,32):(32,1), found offset 32, at m = 1}}
  gpu.func @number(%in: !v, %out: !v) kernel attributes {layout.kernel = {
      args = [{name = "in", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"},
              {name = "out", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"}],
      block = array<i64: 256, 1, 1>, grid = ["ceil_div(m,64)", "1", 1],
      sizes = [{divisor = 1 : i64, least = 1 : i64, most = 4096 : i64, name = "m"}]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %row = layout.slice %in(_, 0) : !v
    %m = layout.size %row : !layout.view<f32, global, (?):(32)>
    %rows = layout.make %m : (index) -> !layout<(?{i64},32):(1,0)>
    %i = layout.identity_tensor of %rows : !layout<(?{i64},32):(1,0)> -> !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %tin = layout.local_tile %in(%b, 0), #layout<(64,32)> : !v
    %tout = layout.local_tile %out(%b, 0), #layout<(64,32)> : !v
    %ti = layout.local_tile %i(%b, 0), #layout<(64,32)> : !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %pin = layout.partition %tin(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pout = layout.partition %tout(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pi = layout.partition %ti(%t), #layout<(8,32):(32,1)> : !layout.view<index, coordinate, (64,32):(1,0)>
    %r = layout.alloc : !r
    layout.copy #layout.atom<simt_1> %pin, %r predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !layout.view<f32, global, (8,1):(256,0)>, !r
    // expected-error @below {{layout-verify: expected a store of argument 1 within elements 0 to 31, found element 256 (thread 0, block (0,0,0) of @number), at m = 1}}
    layout.copy #layout.atom<simt_1> %r, %pout predicate(%pi < 64 : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !r, !layout.view<f32, global, (8,1):(256,0)>
    gpu.return
  }
}}

// -----

// Loads of rows that are not there.
!v = !layout.view<f32, global, (?,32):(32,1)>
!r = !layout.view<f32, register, (8,1):(1,0)>
module { gpu.module @loads {
  // expected-warning @below {{layout-verify: 1 not proved, 3 proved; first: @loads at other sizes than m = 1}}
  // expected-error @below {{layout-verify: expected loads of argument 0 of @loads within (1,32):(32,1), found offset 32, at m = 1}}
  gpu.func @loads(%in: !v, %out: !v) kernel attributes {layout.kernel = {
      args = [{name = "in", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"},
              {name = "out", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"}],
      block = array<i64: 256, 1, 1>, grid = ["ceil_div(m,64)", "1", 1],
      sizes = [{divisor = 1 : i64, least = 1 : i64, most = 4096 : i64, name = "m"}]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %row = layout.slice %in(_, 0) : !v
    %m = layout.size %row : !layout.view<f32, global, (?):(32)>
    %rows = layout.make %m : (index) -> !layout<(?{i64},32):(1,0)>
    %i = layout.identity_tensor of %rows : !layout<(?{i64},32):(1,0)> -> !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %tin = layout.local_tile %in(%b, 0), #layout<(64,32)> : !v
    %tout = layout.local_tile %out(%b, 0), #layout<(64,32)> : !v
    %ti = layout.local_tile %i(%b, 0), #layout<(64,32)> : !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %pin = layout.partition %tin(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pout = layout.partition %tout(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pi = layout.partition %ti(%t), #layout<(8,32):(32,1)> : !layout.view<index, coordinate, (64,32):(1,0)>
    %r = layout.alloc : !r
    // expected-error @below {{layout-verify: expected a load of argument 0 within elements 0 to 31, found element 256 (thread 0, block (0,0,0) of @loads), at m = 1}}
    layout.copy #layout.atom<simt_1> %pin, %r
      : !layout.view<f32, global, (8,1):(256,0)>, !r
    layout.copy #layout.atom<simt_1> %r, %pout predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !r, !layout.view<f32, global, (8,1):(256,0)>
    gpu.return
  }
}}

// -----

// Blocks along y store the same rows.
!v = !layout.view<f32, global, (?,32):(32,1)>
!r = !layout.view<f32, register, (8,1):(1,0)>
module { gpu.module @twice {
  // expected-warning @below {{layout-verify: 1 not proved, 3 proved; first: @twice at other sizes than m = 1}}
  // expected-error @below {{layout-verify: expected stores of argument 1 of @twice to reach each element once, found offset 0 2 times, at m = 1}}
  gpu.func @twice(%in: !v, %out: !v) kernel attributes {layout.kernel = {
      args = [{name = "in", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"},
              {name = "out", shape = "(m,32)", sizes = [{bits = 32 : i64, value = "m"}], stride = "(32,1)"}],
      block = array<i64: 256, 1, 1>, grid = ["ceil_div(m,64)", "2", 1],
      sizes = [{divisor = 1 : i64, least = 1 : i64, most = 4096 : i64, name = "m"}]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %row = layout.slice %in(_, 0) : !v
    %m = layout.size %row : !layout.view<f32, global, (?):(32)>
    %rows = layout.make %m : (index) -> !layout<(?{i64},32):(1,0)>
    %i = layout.identity_tensor of %rows : !layout<(?{i64},32):(1,0)> -> !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %tin = layout.local_tile %in(%b, 0), #layout<(64,32)> : !v
    %tout = layout.local_tile %out(%b, 0), #layout<(64,32)> : !v
    %ti = layout.local_tile %i(%b, 0), #layout<(64,32)> : !layout.view<index, coordinate, (?{i64},32):(1,0)>
    %pin = layout.partition %tin(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pout = layout.partition %tout(%t), #layout<(8,32):(32,1)> : !layout.view<f32, global, (64,32):(32,1)>
    %pi = layout.partition %ti(%t), #layout<(8,32):(32,1)> : !layout.view<index, coordinate, (64,32):(1,0)>
    %r = layout.alloc : !r
    layout.copy #layout.atom<simt_1> %pin, %r predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !layout.view<f32, global, (8,1):(256,0)>, !r
    // expected-note @below {{thread 0 stores it here}}
    // expected-error @below {{expected blocks to share no element that one stores, found element 0 of argument 1: thread 0 of block number 0 stores it and thread 0 stores it, in block (0,1,0) of @twice, at m = 1}}
    layout.copy #layout.atom<simt_1> %r, %pout predicate(%pi < %m : !layout.view<index, coordinate, (8,1):(8,0)>)
      : !r, !layout.view<f32, global, (8,1):(256,0)>
    gpu.return
  }
}}

// -----

// A view of twice as many elements as another is examined at the same sizes.
!in = !layout.view<f32, global, ?{range=2..131072}:1>
!out = !layout.view<f32, global, ?{range=1..65536}:1>
module { gpu.module @doubled {
  // expected-error @below {{layout-verify: expected loads of argument 0 of @doubled within 2:1, found offset 128, at n = 1}}
  // expected-warning @below {{1 not proved, 3 proved; first: @doubled at other sizes than n = 1}}
  gpu.func @doubled(%in: !in, %out: !out) kernel attributes {known_block_size = array<i32: 128, 1, 1>, layout.kernel = {
      args = [{access = "read", element = "f32", name = "in", shape = "2*n", sizes = [{bits = 32 : i64, value = "2*n"}], stride = "1"},
              {access = "write", element = "f32", name = "out", shape = "n", sizes = [{bits = 32 : i64, value = "n"}], stride = "1"}],
      block = array<i64: 128, 1, 1>, chip = "sm_80", grid = ["ceil_div(n,128)", 1, 1],
      sizes = [{divisor = 1 : i64, least = 1 : i64, most = 65536 : i64, name = "n"}]}} {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    %first = arith.muli %b, %c128 : index
    %i = arith.addi %first, %t : index
    %n = layout.size %out : !out
    %is_own = arith.cmpi ult, %i, %n : index
    scf.if %is_own {
      %twice = arith.muli %i, %c2 : index
      %past = arith.addi %twice, %c128 : index
      // expected-error @below {{expected a load of argument 0 within elements 0 to 1, found element 128 (thread 0, block (0,0,0) of @doubled), at n = 1}}
      %x = layout.load %in(%past) : !in
      layout.store %x, %out(%i) : !out
    }
    gpu.return
  }
}}
