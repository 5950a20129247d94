// Attention as front ends export it.

// PyTorch's scaled_dot_product_attention: operands are widened and scaled by a root each, and a query without keys has weights of 0, as the first one here.
func.func @scaled_dot_product_attention(%q: tensor<2x20x16xbf16>, %k: tensor<2x18x16xbf16>, %v: tensor<2x18x16xbf16>) -> tensor<2x20x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %root = arith.constant 0.5 : f32
  %least = arith.constant 0xFF800000 : f32
  %least_wide = arith.constant 0xFFF0000000000000 : f64
  %true = arith.constant true
  %zeros = arith.constant dense<0.0> : tensor<2x20x18xf32>
  %eq = tensor.empty() : tensor<2x20x16xf32>
  %ek = tensor.empty() : tensor<2x18x16xf32>
  %es = tensor.empty() : tensor<2x20x18xf32>
  %er = tensor.empty() : tensor<2x20xf32>
  %eb = tensor.empty() : tensor<2x20xi1>
  %eo = tensor.empty() : tensor<2x20x16xbf16>
  %wq = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q : tensor<2x20x16xbf16>) outs(%eq : tensor<2x20x16xf32>) {
  ^bb0(%x: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    %b = arith.mulf %a, %root : f32
    linalg.yield %b : f32
  } -> tensor<2x20x16xf32>
  %wk = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k : tensor<2x18x16xbf16>) outs(%ek : tensor<2x18x16xf32>) {
  ^bb0(%x: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    linalg.yield %a : f32
  } -> tensor<2x18x16xf32>
  %sk = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%wk : tensor<2x18x16xf32>) outs(%ek : tensor<2x18x16xf32>) {
  ^bb0(%x: f32, %old: f32):
    %b = arith.mulf %x, %root : f32
    linalg.yield %b : f32
  } -> tensor<2x18x16xf32>
  %wv = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : tensor<2x18x16xbf16>) outs(%ek : tensor<2x18x16xf32>) {
  ^bb0(%x: bf16, %old: f32):
    %a = arith.extf %x : bf16 to f32
    linalg.yield %a : f32
  } -> tensor<2x18x16xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x20x18xf32>) -> tensor<2x20x18xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(h, q, k, d) -> (h, q, d)>, affine_map<(h, q, k, d) -> (h, k, d)>, affine_map<(h, q, k, d) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%wq, %sk : tensor<2x20x16xf32>, tensor<2x18x16xf32>) outs(%zs : tensor<2x20x18xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %a = arith.mulf %x, %y : f32
    %b = arith.addf %old, %a : f32
    linalg.yield %b : f32
  } -> tensor<2x20x18xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x20x18xf32>) outs(%es : tensor<2x20x18xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %sees = arith.cmpi slt, %j, %i : index
    %mask = arith.select %sees, %zero, %least : f32
    %a = arith.addf %x, %mask : f32
    linalg.yield %a : f32
  } -> tensor<2x20x18xf32>
  %lr = linalg.fill ins(%least : f32) outs(%er : tensor<2x20xf32>) -> tensor<2x20xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m : tensor<2x20x18xf32>) outs(%lr : tensor<2x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %a = arith.maximumf %x, %old : f32
    linalg.yield %a : f32
  } -> tensor<2x20xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%m, %g : tensor<2x20x18xf32>, tensor<2x20xf32>) outs(%es : tensor<2x20x18xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %a = arith.subf %x, %y : f32
    %b = math.exp %a : f32
    linalg.yield %b : f32
  } -> tensor<2x20x18xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x20xf32>) -> tensor<2x20xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<2x20x18xf32>) outs(%zr : tensor<2x20xf32>) {
  ^bb0(%x: f32, %old: f32):
    %a = arith.addf %x, %old : f32
    linalg.yield %a : f32
  } -> tensor<2x20xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %t : tensor<2x20x18xf32>, tensor<2x20xf32>) outs(%es : tensor<2x20x18xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %a = arith.divf %x, %y : f32
    linalg.yield %a : f32
  } -> tensor<2x20x18xf32>
  %all = linalg.fill ins(%true : i1) outs(%eb : tensor<2x20xi1>) -> tensor<2x20xi1>
  %empty = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m : tensor<2x20x18xf32>) outs(%all : tensor<2x20xi1>) {
  ^bb0(%x: f32, %old: i1):
    %a = arith.extf %x : f32 to f64
    %b = arith.cmpf oeq, %a, %least_wide : f64
    %c = arith.andi %b, %old : i1
    linalg.yield %c : i1
  } -> tensor<2x20xi1>
  %p = linalg.generic {indexing_maps = [affine_map<(h, q, k) -> (h, q)>, affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>, affine_map<(h, q, k) -> (h, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%empty, %zeros, %w : tensor<2x20xi1>, tensor<2x20x18xf32>, tensor<2x20x18xf32>) outs(%es : tensor<2x20x18xf32>) {
  ^bb0(%x: i1, %y: f32, %z: f32, %old: f32):
    %a = arith.select %x, %y, %z : f32
    linalg.yield %a : f32
  } -> tensor<2x20x18xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eq : tensor<2x20x16xf32>) -> tensor<2x20x16xf32>
  %o = linalg.generic {indexing_maps = [affine_map<(h, q, d, k) -> (h, q, k)>, affine_map<(h, q, d, k) -> (h, k, d)>, affine_map<(h, q, d, k) -> (h, q, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%p, %wv : tensor<2x20x18xf32>, tensor<2x18x16xf32>) outs(%zo : tensor<2x20x16xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %a = arith.mulf %x, %y : f32
    %b = arith.addf %old, %a : f32
    linalg.yield %b : f32
  } -> tensor<2x20x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(h, q, d) -> (h, q, d)>, affine_map<(h, q, d) -> (h, q, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%o : tensor<2x20x16xf32>) outs(%eo : tensor<2x20x16xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %a = arith.truncf %x : f32 to bf16
    linalg.yield %a : bf16
  } -> tensor<2x20x16xbf16>
  return %r : tensor<2x20x16xbf16>
}
