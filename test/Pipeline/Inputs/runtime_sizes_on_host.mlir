// A matmul of any number of rows, as the pipeline to the CPU leaves one: c (m,6) = a (m,5) * transpose(b), with b (6,5). The pointer of a has the
// number of rows after it, and that of c the number of its elements, in 64 bits.
llvm.func @gemm(%a: !llvm.ptr, %m: i32, %b: !llvm.ptr, %c: !llvm.ptr, %count: i64) attributes {
    llvm.emit_c_interface, layout.kernel = {
      chip = "sm_80", sizes = [{name = "m", most = 64}], grid = ["m", 1, 1], block = array<i64: 1, 1, 1>,
      args = [
        {name = "a", element = "f32", shape = "(m,5)", stride = "(5,1)", access = "read",
         sizes = [{value = "m", bits = 32}]},
        {name = "b", element = "f32", shape = "(6,5)", stride = "(5,1)", access = "read"},
        {name = "c", element = "f32", shape = "(m,6)", stride = "(6,1)", access = "write",
         sizes = [{value = "m*6", bits = 64}]}],
      problem = {kind = "matmul", m = "m", n = 6, k = 5}}} {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(6 : i64) : i64
  %k = llvm.mlir.constant(5 : i64) : i64
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %rows = llvm.sext %m : i32 to i64
  llvm.br ^element(%zero : i64)
^element(%index: i64):
  %row = llvm.sdiv %index, %n : i64
  %column = llvm.srem %index, %n : i64
  %in_rows = llvm.icmp "slt" %row, %rows : i64
  %in_count = llvm.icmp "slt" %index, %count : i64
  %inside = llvm.and %in_rows, %in_count : i1
  llvm.cond_br %inside, ^head(%zero, %none : i64, f32), ^exit
^head(%l: i64, %sum: f32):
  %more = llvm.icmp "slt" %l, %k : i64
  llvm.cond_br %more, ^term, ^end
^term:
  %of_a = llvm.mul %row, %k : i64
  %of_b = llvm.mul %column, %k : i64
  %at_a = llvm.add %of_a, %l : i64
  %at_b = llvm.add %of_b, %l : i64
  %place_a = llvm.getelementptr %a[%at_a] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %place_b = llvm.getelementptr %b[%at_b] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %left = llvm.load %place_a : !llvm.ptr -> f32
  %right = llvm.load %place_b : !llvm.ptr -> f32
  %product = llvm.fmul %left, %right : f32
  %next = llvm.fadd %sum, %product : f32
  %later = llvm.add %l, %one : i64
  llvm.br ^head(%later, %next : i64, f32)
^end:
  %place_c = llvm.getelementptr %c[%index] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %sum, %place_c : f32, !llvm.ptr
  %following = llvm.add %index, %one : i64
  llvm.br ^element(%following : i64)
^exit:
  llvm.return
}
