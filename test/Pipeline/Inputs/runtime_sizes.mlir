// A matmul of any number of rows: c (m,24) = a (m,40) * transpose(b), with b (24,40). A family of two kernels: for few rows one that reads a, for
// more one that reads a copy of it, which a step before it has made.
gpu.module @kernels {
  llvm.func @few(%a: !llvm.ptr, %m: i32, %b: !llvm.ptr, %c: !llvm.ptr) attributes {
    nvvm.kernel, layout.kernel = {
      chip = "sm_80", sizes = [{name = "m", most = 64}], family = {name = "gemm", number = 0, most = {m = 64}},
      grid = ["ceil_div(m*24,32)", 1, 1], block = array<i64: 32, 1, 1>, shared_bytes = 0,
      args = [
        {name = "a", element = "f32", shape = "(m,40)", stride = "(40,1)", access = "read",
         sizes = [{value = "m", bits = 32}]},
        {name = "b", element = "f32", shape = "(24,40)", stride = "(40,1)", access = "read"},
        {name = "c", element = "f32", shape = "(m,24)", stride = "(24,1)", access = "write"}],
      problem = {kind = "matmul", m = "m", n = 24, k = 40}}} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(24 : i32) : i32
    %k = llvm.mlir.constant(40 : i32) : i32
    %none = llvm.mlir.constant(0.0 : f32) : f32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %first = llvm.mul %block, %threads : i32
    %index = llvm.add %first, %thread : i32
    %count = llvm.mul %m, %n : i32
    %inside = llvm.icmp "slt" %index, %count : i32
    llvm.cond_br %inside, ^start, ^exit
  ^start:
    %row = llvm.sdiv %index, %n : i32
    %column = llvm.srem %index, %n : i32
    %of_a = llvm.mul %row, %k : i32
    %of_b = llvm.mul %column, %k : i32
    llvm.br ^head(%zero, %none : i32, f32)
  ^head(%l: i32, %sum: f32):
    %more = llvm.icmp "slt" %l, %k : i32
    llvm.cond_br %more, ^term, ^end
  ^term:
    %at_a = llvm.add %of_a, %l : i32
    %at_b = llvm.add %of_b, %l : i32
    %place_a = llvm.getelementptr %a[%at_a] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %place_b = llvm.getelementptr %b[%at_b] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %left = llvm.load %place_a : !llvm.ptr -> f32
    %right = llvm.load %place_b : !llvm.ptr -> f32
    %product = llvm.fmul %left, %right : f32
    %next = llvm.fadd %sum, %product : f32
    %later = llvm.add %l, %one : i32
    llvm.br ^head(%later, %next : i32, f32)
  ^end:
    %place_c = llvm.getelementptr %c[%index] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %place_c : f32, !llvm.ptr
    llvm.br ^exit
  ^exit:
    llvm.return
  }

  // The pointers of a and of its copy have integers of 32 and of 64 bits after them.
  llvm.func @copy(%a: !llvm.ptr, %m: i32, %elements: i64, %b: !llvm.ptr, %c: !llvm.ptr, %copy: !llvm.ptr, %again: i64)
      attributes {nvvm.kernel} {
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %first = llvm.mul %block, %threads : i32
    %index = llvm.add %first, %thread : i32
    %wide = llvm.sext %index : i32 to i64
    %inside = llvm.icmp "slt" %wide, %again : i64
    llvm.cond_br %inside, ^copy, ^exit
  ^copy:
    %from = llvm.getelementptr %a[%index] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %to = llvm.getelementptr %copy[%index] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %value = llvm.load %from : !llvm.ptr -> f32
    llvm.store %value, %to : f32, !llvm.ptr
    llvm.br ^exit
  ^exit:
    llvm.return
  }

  llvm.func @many(%a: !llvm.ptr, %m: i32, %elements: i64, %b: !llvm.ptr, %c: !llvm.ptr, %copy: !llvm.ptr, %again: i64)
      attributes {
    nvvm.kernel, layout.kernel = {
      chip = "sm_80", sizes = [{name = "m", most = 65536}], family = {name = "gemm", number = 1},
      grid = ["ceil_div(m*24,128)", 1, 1], block = array<i64: 128, 1, 1>, shared_bytes = 0,
      args = [
        {name = "a", element = "f32", shape = "(m,40)", stride = "(40,1)", access = "read",
         sizes = [{value = "m", bits = 32}, {value = "m*40", bits = 64}]},
        {name = "b", element = "f32", shape = "(24,40)", stride = "(40,1)", access = "read"},
        {name = "c", element = "f32", shape = "(m,24)", stride = "(24,1)", access = "write"}],
      workspaces = [
        {name = "copy_of_a", element = "f32", shape = "(m,40)", stride = "(40,1)", access = "write",
         sizes = [{value = "m*40", bits = 64}]}],
      before = [{name = "copy", grid = ["ceil_div(m*40,256)", 1, 1], block = array<i64: 256, 1, 1>}],
      problem = {kind = "matmul", m = "m", n = 24, k = 40}}} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %n = llvm.mlir.constant(24 : i32) : i32
    %k = llvm.mlir.constant(40 : i32) : i32
    %none = llvm.mlir.constant(0.0 : f32) : f32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %first = llvm.mul %block, %threads : i32
    %index = llvm.add %first, %thread : i32
    %count = llvm.mul %m, %n : i32
    %inside = llvm.icmp "slt" %index, %count : i32
    llvm.cond_br %inside, ^start, ^exit
  ^start:
    %row = llvm.sdiv %index, %n : i32
    %column = llvm.srem %index, %n : i32
    %of_a = llvm.mul %row, %k : i32
    %of_b = llvm.mul %column, %k : i32
    llvm.br ^head(%zero, %none : i32, f32)
  ^head(%l: i32, %sum: f32):
    %more = llvm.icmp "slt" %l, %k : i32
    llvm.cond_br %more, ^term, ^end
  ^term:
    %at_a = llvm.add %of_a, %l : i32
    %at_b = llvm.add %of_b, %l : i32
    %place_a = llvm.getelementptr %copy[%at_a] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %place_b = llvm.getelementptr %b[%at_b] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %left = llvm.load %place_a : !llvm.ptr -> f32
    %right = llvm.load %place_b : !llvm.ptr -> f32
    %product = llvm.fmul %left, %right : f32
    %next = llvm.fadd %sum, %product : f32
    %later = llvm.add %l, %one : i32
    llvm.br ^head(%later, %next : i32, f32)
  ^end:
    %place_c = llvm.getelementptr %c[%index] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %place_c : f32, !llvm.ptr
    llvm.br ^exit
  ^exit:
    llvm.return
  }
}
