// Elementwise operations of each type and kind.

func.func @roundings(%x0: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %h = arith.constant 0.375 : f32
    %m = arith.mulf %a0, %h : f32
    %p = math.floor %m : f32
    %q = math.ceil %m : f32
    %s = math.roundeven %m : f32
    %t = math.trunc %m : f32
    %u = arith.addf %p, %q : f32
    %v = arith.mulf %s, %t : f32
    %w = arith.subf %u, %v : f32
    linalg.yield %w : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @transcendental(%x0: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %h = arith.constant 0.375 : f32
    %m = arith.mulf %a0, %h : f32
    %p = math.tanh %m : f32
    %q = math.erf %m : f32
    %s = math.sin %m : f32
    %t = math.exp2 %m : f32
    %u = arith.addf %p, %q : f32
    %v = arith.mulf %s, %t : f32
    %w = arith.subf %u, %v : f32
    linalg.yield %w : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @logs(%x0: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %h = math.absf %a0 : f32
    %one = arith.constant 1.0 : f32
    %m = arith.addf %h, %one : f32
    %p = math.log %m : f32
    %q = math.log2 %m : f32
    %s = math.log1p %h : f32
    %t = math.sqrt %m : f32
    %u = arith.addf %p, %q : f32
    %v = arith.mulf %s, %t : f32
    %w = arith.subf %u, %v : f32
    linalg.yield %w : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @powers(%x0: tensor<3x17xf32>, %x1: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %h = math.absf %a0 : f32
    %one = arith.constant 1.5 : f32
    %m = arith.addf %h, %one : f32
    %p = math.powf %m, %a1 : f32
    %t = math.fma %p, %a1, %m : f32
    linalg.yield %t : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @power_of_integer(%x0: tensor<3x17xf32>, %x1: tensor<3x17xi32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf32>, tensor<3x17xi32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %a1: i32, %o: f32):
    %h = math.absf %a0 : f32
    %one = arith.constant 1.5 : f32
    %m = arith.addf %h, %one : f32
    %p = math.fpowi %m, %a1 : f32, i32
    linalg.yield %p : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @copysign(%x0: tensor<3x17xf32>, %x1: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %c = math.copysign %a0, %a1 : f32
    linalg.yield %c : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @float_remainder(%x0: tensor<3x17xf32>, %x1: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %two = arith.constant 2.5 : f32
    %q = arith.constant 0.5 : f32
    %b = arith.addf %a1, %q : f32
    %m = arith.mulf %a0, %two : f32
    %c = arith.remf %m, %b : f32
    linalg.yield %c : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @divisions(%x0: tensor<3x17xi32>, %x1: tensor<3x17xi32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi32>, tensor<3x17xi32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: i32, %a1: i32, %o: i32):
    %f = arith.constant 4 : i32
    %d = arith.addi %a1, %f : i32
    %p = arith.divsi %a0, %d : i32
    %q = arith.remsi %a0, %d : i32
    %s = arith.floordivsi %a0, %d : i32
    %t = arith.ceildivsi %a0, %d : i32
    %u = arith.muli %p, %f : i32
    %v = arith.addi %u, %q : i32
    %w = arith.muli %v, %f : i32
    %x = arith.addi %w, %s : i32
    %y = arith.muli %x, %f : i32
    %z = arith.addi %y, %t : i32
    linalg.yield %z : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @unsigned_divisions(%x0: tensor<3x17xi8>, %x1: tensor<3x17xi8>) -> tensor<3x17xi8> {
  %e = tensor.empty() : tensor<3x17xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi8>, tensor<3x17xi8>) outs(%e : tensor<3x17xi8>) {
  ^bb0(%a0: i8, %a1: i8, %o: i8):
    %f = arith.constant 4 : i8
    %d = arith.addi %a1, %f : i8
    %p = arith.divui %a0, %d : i8
    %q = arith.remui %a0, %d : i8
    %s = arith.ceildivui %a0, %d : i8
    %u = arith.xori %p, %q : i8
    %v = arith.addi %u, %s : i8
    linalg.yield %v : i8
  } -> tensor<3x17xi8>
  return %r : tensor<3x17xi8>
}

func.func @shifts(%x0: tensor<3x17xi32>, %x1: tensor<3x17xi32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi32>, tensor<3x17xi32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: i32, %a1: i32, %o: i32):
    %f = arith.constant 4 : i32
    %d = arith.addi %a1, %f : i32
    %p = arith.shli %a0, %d : i32
    %q = arith.shrsi %a0, %d : i32
    %s = arith.shrui %a0, %d : i32
    %u = arith.xori %p, %q : i32
    %v = arith.addi %u, %s : i32
    linalg.yield %v : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @narrow_shifts(%x0: tensor<3x17xi16>, %x1: tensor<3x17xi16>) -> tensor<3x17xi16> {
  %e = tensor.empty() : tensor<3x17xi16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi16>, tensor<3x17xi16>) outs(%e : tensor<3x17xi16>) {
  ^bb0(%a0: i16, %a1: i16, %o: i16):
    %f = arith.constant 4 : i16
    %d = arith.addi %a1, %f : i16
    %p = arith.shli %a0, %d : i16
    %q = arith.shrsi %a0, %d : i16
    %s = arith.shrui %a0, %d : i16
    %u = arith.xori %p, %q : i16
    %v = arith.addi %u, %s : i16
    linalg.yield %v : i16
  } -> tensor<3x17xi16>
  return %r : tensor<3x17xi16>
}

func.func @extremes(%x0: tensor<3x17xi16>, %x1: tensor<3x17xi16>) -> tensor<3x17xi16> {
  %e = tensor.empty() : tensor<3x17xi16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi16>, tensor<3x17xi16>) outs(%e : tensor<3x17xi16>) {
  ^bb0(%a0: i16, %a1: i16, %o: i16):
    %p = arith.minsi %a0, %a1 : i16
    %q = arith.maxsi %a0, %a1 : i16
    %s = arith.minui %a0, %a1 : i16
    %t = arith.maxui %a0, %a1 : i16
    %f = arith.constant 5 : i16
    %u = arith.muli %p, %f : i16
    %v = arith.subi %u, %q : i16
    %w = arith.xori %s, %t : i16
    %x = arith.addi %v, %w : i16
    linalg.yield %x : i16
  } -> tensor<3x17xi16>
  return %r : tensor<3x17xi16>
}

func.func @bit_counts(%x0: tensor<3x17xi32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xi32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: i32, %o: i32):
    %p = math.ctpop %a0 : i32
    %q = math.ctlz %a0 : i32
    %s = math.cttz %a0 : i32
    %t = math.absi %a0 : i32
    %f = arith.constant 64 : i32
    %u = arith.muli %p, %f : i32
    %v = arith.addi %u, %q : i32
    %w = arith.muli %v, %f : i32
    %x = arith.addi %w, %s : i32
    %y = arith.addi %x, %t : i32
    linalg.yield %y : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @to_integers(%x0: tensor<3x17xf32>) -> tensor<3x17xi8> {
  %e = tensor.empty() : tensor<3x17xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf32>) outs(%e : tensor<3x17xi8>) {
  ^bb0(%a0: f32, %o: i8):
    %h = arith.constant 7.75 : f32
    %m = arith.mulf %a0, %h : f32
    %p = arith.fptosi %m : f32 to i8
    linalg.yield %p : i8
  } -> tensor<3x17xi8>
  return %r : tensor<3x17xi8>
}

func.func @to_unsigned(%x0: tensor<3x17xf32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: f32, %o: i32):
    %m = math.absf %a0 : f32
    %h = arith.constant 1.0e9 : f32
    %n = arith.mulf %m, %h : f32
    %p = arith.fptoui %n : f32 to i32
    linalg.yield %p : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @from_unsigned(%x0: tensor<3x17xi8>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xi8>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: i8, %o: f32):
    %p = arith.uitofp %a0 : i8 to f32
    linalg.yield %p : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @from_i64(%x0: tensor<3x17xi64>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xi64>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: i64, %o: f32):
    %p = arith.sitofp %a0 : i64 to f32
    linalg.yield %p : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @narrowed(%x0: tensor<3x17xi32>) -> tensor<3x17xi8> {
  %e = tensor.empty() : tensor<3x17xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xi32>) outs(%e : tensor<3x17xi8>) {
  ^bb0(%a0: i32, %o: i8):
    %h = arith.constant 77 : i32
    %m = arith.muli %a0, %h : i32
    %p = arith.trunci %m : i32 to i8
    linalg.yield %p : i8
  } -> tensor<3x17xi8>
  return %r : tensor<3x17xi8>
}

func.func @widened(%x0: tensor<3x17xi8>, %x1: tensor<3x17xi8>) -> tensor<3x17xi64> {
  %e = tensor.empty() : tensor<3x17xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi8>, tensor<3x17xi8>) outs(%e : tensor<3x17xi64>) {
  ^bb0(%a0: i8, %a1: i8, %o: i64):
    %p = arith.extsi %a0 : i8 to i64
    %q = arith.extui %a1 : i8 to i64
    %s = arith.muli %p, %q : i64
    linalg.yield %s : i64
  } -> tensor<3x17xi64>
  return %r : tensor<3x17xi64>
}

func.func @bits(%x0: tensor<3x17xf32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: f32, %o: i32):
    %p = arith.bitcast %a0 : f32 to i32
    linalg.yield %p : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @bits_of_halves(%x0: tensor<3x17xbf16>, %x1: tensor<3x17xf16>) -> tensor<3x17xi16> {
  %e = tensor.empty() : tensor<3x17xi16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xbf16>, tensor<3x17xf16>) outs(%e : tensor<3x17xi16>) {
  ^bb0(%a0: bf16, %a1: f16, %o: i16):
    %p = arith.bitcast %a0 : bf16 to i16
    %q = arith.bitcast %a1 : f16 to i16
    %s = arith.xori %p, %q : i16
    linalg.yield %s : i16
  } -> tensor<3x17xi16>
  return %r : tensor<3x17xi16>
}

func.func @unordered(%x0: tensor<3x17xf32>, %x1: tensor<3x17xf32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: f32, %a1: f32, %o: i32):
    %d = arith.divf %a0, %a1 : f32
    %p = arith.cmpf ueq, %d, %a0 : f32
    %q = arith.cmpf one, %d, %a0 : f32
    %s = arith.cmpf uno, %d, %a0 : f32
    %t = arith.cmpf ult, %d, %a0 : f32
    %u = arith.cmpf oge, %d, %a0 : f32
    %c1 = arith.constant 1 : i32
    %z = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c4 = arith.constant 4 : i32
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %v0 = arith.select %p, %c1, %z : i32
    %v1 = arith.select %q, %c2, %z : i32
    %v2 = arith.select %s, %c4, %z : i32
    %v3 = arith.select %t, %c8, %z : i32
    %v4 = arith.select %u, %c16, %z : i32
    %w0 = arith.ori %v0, %v1 : i32
    %w1 = arith.ori %v2, %v3 : i32
    %w2 = arith.ori %w0, %w1 : i32
    %w = arith.ori %w2, %v4 : i32
    linalg.yield %w : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @nan_extremes(%x0: tensor<3x17xf32>, %x1: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.divf %a0, %a1 : f32
    %p = arith.maximumf %d, %a0 : f32
    %q = arith.minnumf %d, %a1 : f32
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @infinities(%x0: tensor<3x17xf32>, %x1: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %a1: f32, %o: f32):
    %d = arith.divf %a0, %a1 : f32
    %z = arith.constant 0.0 : f32
    %b = arith.cmpf ord, %d, %z : f32
    %s = arith.select %b, %d, %z : f32
    linalg.yield %s : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @halves(%x0: tensor<3x17xf16>, %x1: tensor<3x17xbf16>) -> tensor<3x17xf16> {
  %e = tensor.empty() : tensor<3x17xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf16>, tensor<3x17xbf16>) outs(%e : tensor<3x17xf16>) {
  ^bb0(%a0: f16, %a1: bf16, %o: f16):
    %p = arith.extf %a0 : f16 to f32
    %q = arith.extf %a1 : bf16 to f32
    %m = arith.mulf %p, %q : f32
    %s = arith.truncf %m : f32 to f16
    linalg.yield %s : f16
  } -> tensor<3x17xf16>
  return %r : tensor<3x17xf16>
}

func.func @bf16_arithmetic(%x0: tensor<3x17xbf16>, %x1: tensor<3x17xbf16>) -> tensor<3x17xbf16> {
  %e = tensor.empty() : tensor<3x17xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xbf16>, tensor<3x17xbf16>) outs(%e : tensor<3x17xbf16>) {
  ^bb0(%a0: bf16, %a1: bf16, %o: bf16):
    %m = arith.mulf %a0, %a1 : bf16
    %s = arith.addf %m, %a0 : bf16
    linalg.yield %s : bf16
  } -> tensor<3x17xbf16>
  return %r : tensor<3x17xbf16>
}

func.func @f64_arithmetic(%x0: tensor<3x17xf64>, %x1: tensor<3x17xf64>) -> tensor<3x17xf64> {
  %e = tensor.empty() : tensor<3x17xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xf64>, tensor<3x17xf64>) outs(%e : tensor<3x17xf64>) {
  ^bb0(%a0: f64, %a1: f64, %o: f64):
    %m = arith.mulf %a0, %a1 : f64
    %p = math.exp %m : f64
    %s = arith.addf %p, %a0 : f64
    linalg.yield %s : f64
  } -> tensor<3x17xf64>
  return %r : tensor<3x17xf64>
}

func.func @logic(%x0: tensor<3x17xi1>, %x1: tensor<3x17xi1>) -> tensor<3x17xi1> {
  %e = tensor.empty() : tensor<3x17xi1>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi1>, tensor<3x17xi1>) outs(%e : tensor<3x17xi1>) {
  ^bb0(%a0: i1, %a1: i1, %o: i1):
    %t = arith.constant true
    %n = arith.xori %a0, %t : i1
    %p = arith.andi %n, %a1 : i1
    %q = arith.ori %p, %a0 : i1
    linalg.yield %q : i1
  } -> tensor<3x17xi1>
  return %r : tensor<3x17xi1>
}

func.func @chosen(%x0: tensor<3x17xi1>, %x1: tensor<3x17xf32>, %x2: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1, %x2 : tensor<3x17xi1>, tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: i1, %a1: f32, %a2: f32, %o: f32):
    %s = arith.select %a0, %a1, %a2 : f32
    linalg.yield %s : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @as_index(%x0: tensor<3x17xi32>) -> tensor<3x17xi64> {
  %e = tensor.empty() : tensor<3x17xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xi32>) outs(%e : tensor<3x17xi64>) {
  ^bb0(%a0: i32, %o: i64):
    %p = arith.index_cast %a0 : i32 to index
    %f = arith.constant 3 : index
    %m = arith.muli %p, %f : index
    %q = arith.index_cast %m : index to i64
    linalg.yield %q : i64
  } -> tensor<3x17xi64>
  return %r : tensor<3x17xi64>
}

func.func @as_unsigned_index(%x0: tensor<3x17xi8>) -> tensor<3x17xi64> {
  %e = tensor.empty() : tensor<3x17xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xi8>) outs(%e : tensor<3x17xi64>) {
  ^bb0(%a0: i8, %o: i64):
    %p = arith.index_castui %a0 : i8 to index
    %q = arith.index_cast %p : index to i64
    linalg.yield %q : i64
  } -> tensor<3x17xi64>
  return %r : tensor<3x17xi64>
}

func.func @long_products(%x0: tensor<3x17xi32>, %x1: tensor<3x17xi32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi32>, tensor<3x17xi32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: i32, %a1: i32, %o: i32):
    %l, %h = arith.mulsi_extended %a0, %a1 : i32
    %m, %g = arith.mului_extended %a0, %a1 : i32
    %x = arith.xori %h, %g : i32
    %y = arith.addi %x, %l : i32
    linalg.yield %y : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @carried(%x0: tensor<3x17xi32>, %x1: tensor<3x17xi32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0, %x1 : tensor<3x17xi32>, tensor<3x17xi32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: i32, %a1: i32, %o: i32):
    %s, %c = arith.addui_extended %a0, %a1 : i32, i1
    %w = arith.extui %c : i1 to i32
    %y = arith.subi %s, %w : i32
    linalg.yield %y : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @inverse_functions(%x0: tensor<3x17xf32>) -> tensor<3x17xf32> {
  %e = tensor.empty() : tensor<3x17xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf32>) outs(%e : tensor<3x17xf32>) {
  ^bb0(%a0: f32, %o: f32):
    %half = arith.constant 0.25 : f32
    %s = math.sin %a0 : f32
    %m = arith.mulf %s, %half : f32
    %h = math.absf %a0 : f32
    %one = arith.constant 1.0 : f32
    %big = arith.addf %h, %one : f32
    %f0 = math.asin %m : f32
    %f1 = math.acos %m : f32
    %t1 = arith.addf %f0, %f1 : f32
    %f2 = math.atan %a0 : f32
    %t2 = arith.addf %t1, %f2 : f32
    %f3 = math.sinh %m : f32
    %t3 = arith.addf %t2, %f3 : f32
    %f4 = math.cosh %m : f32
    %t4 = arith.addf %t3, %f4 : f32
    %f5 = math.asinh %a0 : f32
    %t5 = arith.addf %t4, %f5 : f32
    %f6 = math.acosh %big : f32
    %t6 = arith.addf %t5, %f6 : f32
    %f7 = math.atanh %m : f32
    %t7 = arith.addf %t6, %f7 : f32
    %f8 = math.cbrt %a0 : f32
    %t8 = arith.addf %t7, %f8 : f32
    %f9 = math.erfc %m : f32
    %t9 = arith.addf %t8, %f9 : f32
    %z = math.atan2 %s, %a0 : f32
    %w = arith.addf %t9, %z : f32
    linalg.yield %w : f32
  } -> tensor<3x17xf32>
  return %r : tensor<3x17xf32>
}

func.func @bits(%x0: tensor<3x17xi32>) -> tensor<3x17xi32> {
  %e = tensor.empty() : tensor<3x17xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xi32>) outs(%e : tensor<3x17xi32>) {
  ^bb0(%a0: i32, %o: i32):
    %p = math.ctpop %a0 : i32
    %l = math.ctlz %a0 : i32
    %t = math.cttz %a0 : i32
    %h = math.absi %a0 : i32
    %u = arith.addi %p, %l : i32
    %v = arith.muli %u, %t : i32
    %w = arith.addi %v, %h : i32
    linalg.yield %w : i32
  } -> tensor<3x17xi32>
  return %r : tensor<3x17xi32>
}

func.func @classes(%x0: tensor<3x17xf64>) -> tensor<3x17xf64> {
  %e = tensor.empty() : tensor<3x17xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x0 : tensor<3x17xf64>) outs(%e : tensor<3x17xf64>) {
  ^bb0(%a0: f64, %o: f64):
    %s = math.sqrt %a0 : f64
    %n = math.isnan %s : f64
    %i = math.isfinite %a0 : f64
    %x = arith.xori %n, %i : i1
    %h = math.absf %a0 : f64
    %r1 = math.rsqrt %h : f64
    %f = math.floor %a0 : f64
    %q = arith.select %x, %f, %r1 : f64
    linalg.yield %q : f64
  } -> tensor<3x17xf64>
  return %r : tensor<3x17xf64>
}

func.func @brain_floats_by_integers(%x: tensor<40x33xbf16>, %w: tensor<33x48xi8>, %c: tensor<40x48xf32>) -> tensor<40x48xf32> {
  %r = linalg.matmul ins(%x, %w : tensor<40x33xbf16>, tensor<33x48xi8>) outs(%c : tensor<40x48xf32>) -> tensor<40x48xf32>
  return %r : tensor<40x48xf32>
}

func.func @unsigned_by_floats(%x: tensor<40x33xi8>, %w: tensor<48x33xf16>, %c: tensor<40x48xf32>) -> tensor<40x48xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %x : tensor<48x33xf16>, tensor<40x33xi8>) outs(%c : tensor<40x48xf32>) {
  ^bb0(%b: f16, %a: i8, %old: f32):
    %a32 = arith.uitofp %a : i8 to f32
    %b32 = arith.extf %b : f16 to f32
    %p = arith.mulf %a32, %b32 : f32
    %s = arith.addf %old, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x48xf32>
  return %r : tensor<40x48xf32>
}

func.func @halves_by_singles(%x: tensor<2x40x33xf16>, %w: tensor<2x33x48xf32>, %c: tensor<2x40x48xf32>) -> tensor<2x40x48xf32> {
  %r = linalg.batch_matmul ins(%x, %w : tensor<2x40x33xf16>, tensor<2x33x48xf32>) outs(%c : tensor<2x40x48xf32>) -> tensor<2x40x48xf32>
  return %r : tensor<2x40x48xf32>
}

func.func @zero_points(%x: tensor<40x33xi8>, %w: tensor<33x48xi8>, %zx: tensor<i32>, %zw: tensor<i32>, %c: tensor<40x48xi32>) -> tensor<40x48xi32> {
  %z0 = tensor.extract %zx[] : tensor<i32>
  %z1 = tensor.extract %zw[] : tensor<i32>
  %r = linalg.quantized_matmul ins(%x, %w, %z0, %z1 : tensor<40x33xi8>, tensor<33x48xi8>, i32, i32) outs(%c : tensor<40x48xi32>) -> tensor<40x48xi32>
  return %r : tensor<40x48xi32>
}

// sizes: 33, 3
func.func @zero_points_dynamic(%x: tensor<2x?x?xi8>, %w: tensor<2x?x48xi8>, %zx: tensor<i32>, %c: tensor<2x?x48xi32>) -> tensor<2x?x48xi32> {
  %z0 = tensor.extract %zx[] : tensor<i32>
  %z1 = arith.constant -3 : i32
  %r = linalg.quantized_batch_matmul ins(%x, %w, %z0, %z1 : tensor<2x?x?xi8>, tensor<2x?x48xi8>, i32, i32) outs(%c : tensor<2x?x48xi32>) -> tensor<2x?x48xi32>
  return %r : tensor<2x?x48xi32>
}

func.func @no_zero_points(%x: tensor<40x33xi8>, %w: tensor<33x48xi8>) -> tensor<40x48xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x48xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<40x48xi32>) -> tensor<40x48xi32>
  %r = linalg.quantized_matmul ins(%x, %w, %z, %z : tensor<40x33xi8>, tensor<33x48xi8>, i32, i32) outs(%f : tensor<40x48xi32>) -> tensor<40x48xi32>
  return %r : tensor<40x48xi32>
}

func.func @zero_points_of_windows(%x: tensor<2x8x9x5xi8>, %w: tensor<3x2x5x32xi8>, %zx: tensor<i32>, %zw: tensor<i32>, %c: tensor<2x6x8x32xi32>) -> tensor<2x6x8x32xi32> {
  %z0 = tensor.extract %zx[] : tensor<i32>
  %z1 = tensor.extract %zw[] : tensor<i32>
  %r = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w, %z0, %z1 : tensor<2x8x9x5xi8>, tensor<3x2x5x32xi8>, i32, i32) outs(%c : tensor<2x6x8x32xi32>) -> tensor<2x6x8x32xi32>
  return %r : tensor<2x6x8x32xi32>
}

// Rows without signs, and columns with them, in one sum.
func.func @unsigned_by_signed(%x: tensor<40x33xi8>, %w: tensor<48x33xi8>, %c: tensor<48x40xi32>) -> tensor<48x40xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<40x33xi8>, tensor<48x33xi8>) outs(%c : tensor<48x40xi32>) {
  ^bb0(%a: i8, %b: i8, %old: i32):
    %five = arith.constant 5 : i32
    %a32 = arith.extui %a : i8 to i32
    %less = arith.subi %a32, %five : i32
    %b32 = arith.extsi %b : i8 to i32
    %p = arith.muli %b32, %less : i32
    %s = arith.addi %p, %old : i32
    linalg.yield %s : i32
  } -> tensor<48x40xi32>
  return %r : tensor<48x40xi32>
}

// The least integer as a zero point, from which 128 is subtracted.
func.func @least_zero_point(%x: tensor<64x128xi8>, %w: tensor<128x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %z = arith.constant -2147483648 : i32
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<64x128xi8>, tensor<128x64xi8>) outs(%c : tensor<64x64xi32>) {
  ^bb0(%a: i8, %b: i8, %old: i32):
    %wide = arith.extui %a : i8 to i32
    %less = arith.subi %wide, %z : i32
    %other = arith.extsi %b : i8 to i32
    %p = arith.muli %less, %other : i32
    %t = arith.addi %old, %p : i32
    linalg.yield %t : i32
  } -> tensor<64x64xi32>
  return %r : tensor<64x64xi32>
}
