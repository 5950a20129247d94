// Near misses of attention stay two matmuls and a softmax, with a remark.

// RUN: layout-opt %s --split-input-file --verify-diagnostics --layout-from-linalg -o /dev/null

// The sum is of all queries of a key.

#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
#column = affine_map<(h, q, k) -> (h, k)>
func.func @along_queries(%q: tensor<3x100x64xbf16>, %k: tensor<3x100x64xbf16>, %v: tensor<3x100x64xbf16>) -> tensor<3x100x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %low = arith.constant -1.0e30 : f32
  %scale = arith.constant 0.125 : f32
  %es = tensor.empty() : tensor<3x100x100xf32>
  %er = tensor.empty() : tensor<3x100xf32>
  %eo = tensor.empty() : tensor<3x100x64xf32>
  %ep = tensor.empty() : tensor<3x100x100xbf16>
  %eb = tensor.empty() : tensor<3x100x64xbf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x100x100xf32>) -> tensor<3x100x100xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x100x64xbf16>, tensor<3x100x64xbf16>) outs(%zs : tensor<3x100x100xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x100x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %y = arith.mulf %x, %scale : f32
    %t = arith.select %keep, %y, %low : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<3x100x100xf32>) outs(%lr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.maximumf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %max : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %sum = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%e : tensor<3x100x100xf32>) outs(%zr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.addf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %w = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%ep : tensor<3x100x100xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x100xbf16>
  // expected-remark@+1 {{computes attention as two matmuls and a softmax: expected the sum of a query's weights as their divisor (a softmax), found another}}
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<3x100x100xbf16>, tensor<3x100x64xbf16>) outs(%zo : tensor<3x100x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x64xf32>
  %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x100x64xf32>) outs(%eb : tensor<3x100x64xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x64xbf16>
  return %o : tensor<3x100x64xbf16>
}

// -----

// The weights are a result, too.

#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
func.func @weights_too(%q: tensor<3x100x64xbf16>, %k: tensor<3x100x64xbf16>, %v: tensor<3x100x64xbf16>) -> (tensor<3x100x64xbf16>, tensor<3x100x100xbf16>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %low = arith.constant -1.0e30 : f32
  %scale = arith.constant 0.125 : f32
  %es = tensor.empty() : tensor<3x100x100xf32>
  %er = tensor.empty() : tensor<3x100xf32>
  %eo = tensor.empty() : tensor<3x100x64xf32>
  %ep = tensor.empty() : tensor<3x100x100xbf16>
  %eb = tensor.empty() : tensor<3x100x64xbf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x100x100xf32>) -> tensor<3x100x100xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x100x64xbf16>, tensor<3x100x64xbf16>) outs(%zs : tensor<3x100x100xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x100x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %y = arith.mulf %x, %scale : f32
    %t = arith.select %keep, %y, %low : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<3x100x100xf32>) outs(%lr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.maximumf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %max : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<3x100x100xf32>) outs(%zr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.addf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%ep : tensor<3x100x100xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x100xbf16>
  // expected-remark@+1 {{computes attention as two matmuls and a softmax: expected scores and weights that only the next step reads, found func.return of linalg.generic}}
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<3x100x100xbf16>, tensor<3x100x64xbf16>) outs(%zo : tensor<3x100x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x64xf32>
  %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x100x64xf32>) outs(%eb : tensor<3x100x64xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x64xbf16>
  return %o, %w : tensor<3x100x64xbf16>, tensor<3x100x100xbf16>
}

// -----

// A tile of queries would be mostly empty.

#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
func.func @few_queries(%q: tensor<3x8x64xbf16>, %k: tensor<3x100x64xbf16>, %v: tensor<3x100x64xbf16>) -> tensor<3x8x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %low = arith.constant -1.0e30 : f32
  %scale = arith.constant 0.125 : f32
  %es = tensor.empty() : tensor<3x8x100xf32>
  %er = tensor.empty() : tensor<3x8xf32>
  %eo = tensor.empty() : tensor<3x8x64xf32>
  %ep = tensor.empty() : tensor<3x8x100xbf16>
  %eb = tensor.empty() : tensor<3x8x64xbf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x8x100xf32>) -> tensor<3x8x100xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x8xf32>) -> tensor<3x8xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<3x8xf32>) -> tensor<3x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x8x64xf32>) -> tensor<3x8x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x8x64xbf16>, tensor<3x100x64xbf16>) outs(%zs : tensor<3x8x100xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x8x100xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x8x100xf32>) outs(%es : tensor<3x8x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %y = arith.mulf %x, %scale : f32
    %t = arith.select %keep, %y, %low : f32
    linalg.yield %t : f32
  } -> tensor<3x8x100xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<3x8x100xf32>) outs(%lr : tensor<3x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.maximumf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x8xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %max : tensor<3x8x100xf32>, tensor<3x8xf32>) outs(%es : tensor<3x8x100xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x8x100xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<3x8x100xf32>) outs(%zr : tensor<3x8xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.addf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x8xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<3x8x100xf32>, tensor<3x8xf32>) outs(%ep : tensor<3x8x100xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x8x100xbf16>
  // expected-remark@+1 {{computes attention as two matmuls and a softmax: expected at least 16 queries for each head, found 8}}
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<3x8x100xbf16>, tensor<3x100x64xbf16>) outs(%zo : tensor<3x8x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x8x64xf32>
  %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x8x64xf32>) outs(%eb : tensor<3x8x64xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x8x64xbf16>
  return %o : tensor<3x8x64xbf16>
}

// -----

// Products are of 16 at a time.

#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
func.func @head_of_40(%q: tensor<3x100x40xbf16>, %k: tensor<3x100x40xbf16>, %v: tensor<3x100x40xbf16>) -> tensor<3x100x40xbf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %low = arith.constant -1.0e30 : f32
  %scale = arith.constant 0.125 : f32
  %es = tensor.empty() : tensor<3x100x100xf32>
  %er = tensor.empty() : tensor<3x100xf32>
  %eo = tensor.empty() : tensor<3x100x40xf32>
  %ep = tensor.empty() : tensor<3x100x100xbf16>
  %eb = tensor.empty() : tensor<3x100x40xbf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x100x100xf32>) -> tensor<3x100x100xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x100x40xf32>) -> tensor<3x100x40xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x100x40xbf16>, tensor<3x100x40xbf16>) outs(%zs : tensor<3x100x100xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x100x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %y = arith.mulf %x, %scale : f32
    %t = arith.select %keep, %y, %low : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<3x100x100xf32>) outs(%lr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.maximumf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %max : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<3x100x100xf32>) outs(%zr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.addf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%ep : tensor<3x100x100xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x100xbf16>
  // expected-remark@+1 {{computes attention as two matmuls and a softmax: expected head sizes that are multiples of 16 up to 128, found 40 and 40}}
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<3x100x100xbf16>, tensor<3x100x40xbf16>) outs(%zo : tensor<3x100x40xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x40xf32>
  %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x100x40xf32>) outs(%eb : tensor<3x100x40xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x40xbf16>
  return %o : tensor<3x100x40xbf16>
}

// -----

// The greatest score is one of others.

#q = affine_map<(h, q, k, d) -> (h, q, d)>
#k = affine_map<(h, q, k, d) -> (h, k, d)>
#s = affine_map<(h, q, k, d) -> (h, q, k)>
#v = affine_map<(h, q, d, k) -> (h, k, d)>
#p = affine_map<(h, q, d, k) -> (h, q, k)>
#o = affine_map<(h, q, d, k) -> (h, q, d)>
#all = affine_map<(h, q, k) -> (h, q, k)>
#row = affine_map<(h, q, k) -> (h, q)>
func.func @not_the_greatest(%q: tensor<3x100x64xbf16>, %k: tensor<3x100x64xbf16>, %v: tensor<3x100x64xbf16>) -> tensor<3x100x64xbf16> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %low = arith.constant -1.0e30 : f32
  %scale = arith.constant 0.125 : f32
  %es = tensor.empty() : tensor<3x100x100xf32>
  %er = tensor.empty() : tensor<3x100xf32>
  %eo = tensor.empty() : tensor<3x100x64xf32>
  %ep = tensor.empty() : tensor<3x100x100xbf16>
  %eb = tensor.empty() : tensor<3x100x64xbf16>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x100x100xf32>) -> tensor<3x100x100xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<3x100xf32>) -> tensor<3x100xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  %s = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<3x100x64xbf16>, tensor<3x100x64xbf16>) outs(%zs : tensor<3x100x100xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<3x100x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %keep = arith.cmpi sge, %i, %j : index
    %y = arith.mulf %x, %scale : f32
    %t = arith.select %keep, %y, %low : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %max = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%m : tensor<3x100x100xf32>) outs(%lr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.maximumf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %e = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %max : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%es : tensor<3x100x100xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %d = arith.subf %x, %y : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<3x100x100xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<3x100x100xf32>) outs(%zr : tensor<3x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %t = arith.addf %old, %x : f32
    linalg.yield %t : f32
  } -> tensor<3x100xf32>
  %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<3x100x100xf32>, tensor<3x100xf32>) outs(%ep : tensor<3x100x100xbf16>) {
  ^bb0(%x: f32, %y: f32, %old: bf16):
    %d = arith.divf %x, %y : f32
    %t = arith.truncf %d : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x100xbf16>
  // expected-remark@+1 {{computes attention as two matmuls and a softmax: expected scores less the greatest one of a query, found another difference}}
  %r = linalg.generic {indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %v : tensor<3x100x100xbf16>, tensor<3x100x64xbf16>) outs(%zo : tensor<3x100x64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.extf %y : bf16 to f32
    %c = arith.mulf %a, %b : f32
    %t = arith.addf %old, %c : f32
    linalg.yield %t : f32
  } -> tensor<3x100x64xf32>
  %o = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<3x100x64xf32>) outs(%eb : tensor<3x100x64xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<3x100x64xbf16>
  return %o : tensor<3x100x64xbf16>
}

// -----

// A gate of averages (squeeze and excitation) has no weights of scores, and so no remark.

func.func @gated(%x: tensor<3x100x64xf32>, %w: tensor<3x64x64xf32>, %v: tensor<64x32xf32>) -> (tensor<3x100x64xf32>, tensor<3x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x100x64xf32>
  %ep = tensor.empty() : tensor<3x64xf32>
  %eg = tensor.empty() : tensor<3x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  %zp = linalg.fill ins(%zero : f32) outs(%ep : tensor<3x64xf32>) -> tensor<3x64xf32>
  %zg = linalg.fill ins(%zero : f32) outs(%eg : tensor<3x32xf32>) -> tensor<3x32xf32>
  %s = linalg.batch_matmul ins(%x, %w : tensor<3x100x64xf32>, tensor<3x64x64xf32>) outs(%z : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  %y = linalg.exp ins(%s : tensor<3x100x64xf32>) outs(%e : tensor<3x100x64xf32>) -> tensor<3x100x64xf32>
  %p = linalg.reduce { arith.addf } ins(%y : tensor<3x100x64xf32>) outs(%zp : tensor<3x64xf32>) dimensions = [1]
  %g = linalg.matmul ins(%p, %v : tensor<3x64xf32>, tensor<64x32xf32>) outs(%zg : tensor<3x32xf32>) -> tensor<3x32xf32>
  return %y, %g : tensor<3x100x64xf32>, tensor<3x32xf32>
}

// -----

// A norm between products, with an activation after it, sums no exponentials, and so no remark.

func.func @norm_between(%a: tensor<32x64xf16>, %b: tensor<64x64xf16>, %w: tensor<64x32xf16>, %c: tensor<32x64xf32>, %d: tensor<32x32xf32>, %count: f32) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %is_some = arith.cmpf ogt, %count, %zero : f32
  %p = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x64xf16>) outs(%c : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e = tensor.empty() : tensor<32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<32x64xf32>) outs(%z : tensor<32xf32>) {
  ^bb0(%x: f32, %old: f32):
    %sum = arith.addf %x, %old : f32
    linalg.yield %sum : f32
  } -> tensor<32xf32>
  %h = tensor.empty() : tensor<32x64xf16>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<32x64xf32>, tensor<32xf32>) outs(%h : tensor<32x64xf16>) {
  ^bb0(%x: f32, %sum: f32, %old: f16):
    %difference = arith.subf %x, %sum : f32
    %chosen = arith.select %is_some, %difference, %x : f32
    %minus = arith.negf %chosen : f32
    %power = math.exp %minus : f32
    %more = arith.addf %power, %one : f32
    %silu = arith.divf %chosen, %more : f32
    %t = arith.truncf %silu : f32 to f16
    linalg.yield %t : f16
  } -> tensor<32x64xf16>
  %r = linalg.matmul ins(%y, %w : tensor<32x64xf16>, tensor<64x32xf16>) outs(%d : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %r : tensor<32x32xf32>
}
