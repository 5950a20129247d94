// Attention as torch-mlir writes products of dynamic batches: each operand is expanded to the greatest of the batches.

func.func @one_argument(%x: tensor<?x4x?x192xf16>) -> tensor<?x4x?x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %xb = tensor.dim %x, %c0 : tensor<?x4x?x192xf16>
  %xs = tensor.dim %x, %c2 : tensor<?x4x?x192xf16>
  %q = tensor.extract_slice %x[0, 0, 0, 0] [%xb, 4, %xs, 64] [1, 1, 1, 1] : tensor<?x4x?x192xf16> to tensor<?x4x?x64xf16>
  %k = tensor.extract_slice %x[0, 0, 0, 64] [%xb, 4, %xs, 64] [1, 1, 1, 1] : tensor<?x4x?x192xf16> to tensor<?x4x?x64xf16>
  %v = tensor.extract_slice %x[0, 0, 0, 128] [%xb, 4, %xs, 64] [1, 1, 1, 1] : tensor<?x4x?x192xf16> to tensor<?x4x?x64xf16>
  %qb = tensor.dim %q, %c0 : tensor<?x4x?x64xf16>
  %qs = tensor.dim %q, %c2 : tensor<?x4x?x64xf16>
  %kb = tensor.dim %k, %c0 : tensor<?x4x?x64xf16>
  %ks = tensor.dim %k, %c2 : tensor<?x4x?x64xf16>
  %vb = tensor.dim %v, %c0 : tensor<?x4x?x64xf16>
  %vs = tensor.dim %v, %c2 : tensor<?x4x?x64xf16>
  %most = arith.maxsi %qb, %kb : index
  %qe = tensor.empty(%most, %qs) : tensor<?x4x?x64xf16>
  %qw = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%qe : tensor<?x4x?x64xf16>) {
  ^bb0(%o: f16):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %is = arith.cmpi eq, %qb, %c1 : index
    %at = arith.select %is, %c0, %i0 : index
    %e = tensor.extract %q[%at, %i1, %i2, %i3] : tensor<?x4x?x64xf16>
    linalg.yield %e : f16
  } -> tensor<?x4x?x64xf16>
  %qc = tensor.collapse_shape %qw [[0, 1], [2], [3]] : tensor<?x4x?x64xf16> into tensor<?x?x64xf16>
  %ke = tensor.empty(%most, %ks) : tensor<?x4x?x64xf16>
  %kw = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%ke : tensor<?x4x?x64xf16>) {
  ^bb0(%o: f16):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %is = arith.cmpi eq, %kb, %c1 : index
    %at = arith.select %is, %c0, %i0 : index
    %e = tensor.extract %k[%at, %i1, %i2, %i3] : tensor<?x4x?x64xf16>
    linalg.yield %e : f16
  } -> tensor<?x4x?x64xf16>
  %kc = tensor.collapse_shape %kw [[0, 1], [2], [3]] : tensor<?x4x?x64xf16> into tensor<?x?x64xf16>
  %n = arith.muli %most, %c4 : index
  %se = tensor.empty(%n, %qs, %ks) : tensor<?x?x?xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%qc, %kc : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%sf : tensor<?x?x?xf32>) {
  ^bb0(%x0: f16, %x1: f16, %o: f32):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %sd = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sc : tensor<?x?x?xf32>) outs(%se : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %y = arith.mulf %x0, %scale : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %re = tensor.empty(%n, %qs) : tensor<?x?xf32>
  %mf = linalg.fill ins(%lowest : f32) outs(%re : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%sd : tensor<?x?x?xf32>) outs(%mf : tensor<?x?xf32>) dimensions = [2]
  %ex = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sd, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%se : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %d = arith.subf %x0, %x1 : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %tf = linalg.fill ins(%z : f32) outs(%re : tensor<?x?xf32>) -> tensor<?x?xf32>
  %tt = linalg.reduce { arith.addf } ins(%ex : tensor<?x?x?xf32>) outs(%tf : tensor<?x?xf32>) dimensions = [2]
  %we = tensor.empty(%n, %qs, %ks) : tensor<?x?x?xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ex, %tt : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%we : tensor<?x?x?xf16>) {
  ^bb0(%x0: f32, %x1: f32, %o: f16):
    %d = arith.divf %x0, %x1 : f32
    %y = arith.truncf %d : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x?xf16>
  %w4 = tensor.expand_shape %w [[0, 1], [2], [3]] output_shape [%most, 4, %qs, %ks] : tensor<?x?x?xf16> into tensor<?x4x?x?xf16>
  %last = arith.maxsi %most, %vb : index
  %ve = tensor.empty(%last, %vs) : tensor<?x4x?x64xf16>
  %vw = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%ve : tensor<?x4x?x64xf16>) {
  ^bb0(%o: f16):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %is = arith.cmpi eq, %vb, %c1 : index
    %at = arith.select %is, %c0, %i0 : index
    %e = tensor.extract %v[%at, %i1, %i2, %i3] : tensor<?x4x?x64xf16>
    linalg.yield %e : f16
  } -> tensor<?x4x?x64xf16>
  %vc = tensor.collapse_shape %vw [[0, 1], [2], [3]] : tensor<?x4x?x64xf16> into tensor<?x?x64xf16>
  %n2 = arith.muli %last, %c4 : index
  %w3 = tensor.collapse_shape %w4 [[0, 1], [2], [3]] : tensor<?x4x?x?xf16> into tensor<?x?x?xf16>
  %oe = tensor.empty(%n2, %qs) : tensor<?x?x64xf32>
  %of = linalg.fill ins(%z : f32) outs(%oe : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %os = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w3, %vc : tensor<?x?x?xf16>, tensor<?x?x64xf16>) outs(%of : tensor<?x?x64xf32>) {
  ^bb0(%x0: f16, %x1: f16, %o: f32):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x64xf32>
  %he = tensor.empty(%n2, %qs) : tensor<?x?x64xf16>
  %oh = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%os : tensor<?x?x64xf32>) outs(%he : tensor<?x?x64xf16>) {
  ^bb0(%x0: f32, %o: f16):
    %y = arith.truncf %x0 : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x64xf16>
  %r = tensor.expand_shape %oh [[0, 1], [2], [3]] output_shape [%last, 4, %qs, 64] : tensor<?x?x64xf16> into tensor<?x4x?x64xf16>
  return %r : tensor<?x4x?x64xf16>
}
func.func @several_arguments(%q: tensor<?x4x?x64xf16>, %k: tensor<?x4x?x64xf16>, %v: tensor<?x4x?x64xf16>) -> tensor<?x4x?x64xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %qb = tensor.dim %q, %c0 : tensor<?x4x?x64xf16>
  %qs = tensor.dim %q, %c2 : tensor<?x4x?x64xf16>
  %kb = tensor.dim %k, %c0 : tensor<?x4x?x64xf16>
  %ks = tensor.dim %k, %c2 : tensor<?x4x?x64xf16>
  %vb = tensor.dim %v, %c0 : tensor<?x4x?x64xf16>
  %vs = tensor.dim %v, %c2 : tensor<?x4x?x64xf16>
  %most = arith.maxsi %qb, %kb : index
  %qe = tensor.empty(%most, %qs) : tensor<?x4x?x64xf16>
  %qw = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%qe : tensor<?x4x?x64xf16>) {
  ^bb0(%o: f16):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %is = arith.cmpi eq, %qb, %c1 : index
    %at = arith.select %is, %c0, %i0 : index
    %e = tensor.extract %q[%at, %i1, %i2, %i3] : tensor<?x4x?x64xf16>
    linalg.yield %e : f16
  } -> tensor<?x4x?x64xf16>
  %qc = tensor.collapse_shape %qw [[0, 1], [2], [3]] : tensor<?x4x?x64xf16> into tensor<?x?x64xf16>
  %ke = tensor.empty(%most, %ks) : tensor<?x4x?x64xf16>
  %kw = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%ke : tensor<?x4x?x64xf16>) {
  ^bb0(%o: f16):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %is = arith.cmpi eq, %kb, %c1 : index
    %at = arith.select %is, %c0, %i0 : index
    %e = tensor.extract %k[%at, %i1, %i2, %i3] : tensor<?x4x?x64xf16>
    linalg.yield %e : f16
  } -> tensor<?x4x?x64xf16>
  %kc = tensor.collapse_shape %kw [[0, 1], [2], [3]] : tensor<?x4x?x64xf16> into tensor<?x?x64xf16>
  %n = arith.muli %most, %c4 : index
  %se = tensor.empty(%n, %qs, %ks) : tensor<?x?x?xf32>
  %sf = linalg.fill ins(%z : f32) outs(%se : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %sc = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%qc, %kc : tensor<?x?x64xf16>, tensor<?x?x64xf16>) outs(%sf : tensor<?x?x?xf32>) {
  ^bb0(%x0: f16, %x1: f16, %o: f32):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  %sd = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sc : tensor<?x?x?xf32>) outs(%se : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %y = arith.mulf %x0, %scale : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %re = tensor.empty(%n, %qs) : tensor<?x?xf32>
  %mf = linalg.fill ins(%lowest : f32) outs(%re : tensor<?x?xf32>) -> tensor<?x?xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%sd : tensor<?x?x?xf32>) outs(%mf : tensor<?x?xf32>) dimensions = [2]
  %ex = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%sd, %mx : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%se : tensor<?x?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %d = arith.subf %x0, %x1 : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<?x?x?xf32>
  %tf = linalg.fill ins(%z : f32) outs(%re : tensor<?x?xf32>) -> tensor<?x?xf32>
  %tt = linalg.reduce { arith.addf } ins(%ex : tensor<?x?x?xf32>) outs(%tf : tensor<?x?xf32>) dimensions = [2]
  %we = tensor.empty(%n, %qs, %ks) : tensor<?x?x?xf16>
  %w = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ex, %tt : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%we : tensor<?x?x?xf16>) {
  ^bb0(%x0: f32, %x1: f32, %o: f16):
    %d = arith.divf %x0, %x1 : f32
    %y = arith.truncf %d : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x?xf16>
  %w4 = tensor.expand_shape %w [[0, 1], [2], [3]] output_shape [%most, 4, %qs, %ks] : tensor<?x?x?xf16> into tensor<?x4x?x?xf16>
  %last = arith.maxsi %most, %vb : index
  %ve = tensor.empty(%last, %vs) : tensor<?x4x?x64xf16>
  %vw = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%ve : tensor<?x4x?x64xf16>) {
  ^bb0(%o: f16):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %is = arith.cmpi eq, %vb, %c1 : index
    %at = arith.select %is, %c0, %i0 : index
    %e = tensor.extract %v[%at, %i1, %i2, %i3] : tensor<?x4x?x64xf16>
    linalg.yield %e : f16
  } -> tensor<?x4x?x64xf16>
  %vc = tensor.collapse_shape %vw [[0, 1], [2], [3]] : tensor<?x4x?x64xf16> into tensor<?x?x64xf16>
  %n2 = arith.muli %last, %c4 : index
  %w3 = tensor.collapse_shape %w4 [[0, 1], [2], [3]] : tensor<?x4x?x?xf16> into tensor<?x?x?xf16>
  %oe = tensor.empty(%n2, %qs) : tensor<?x?x64xf32>
  %of = linalg.fill ins(%z : f32) outs(%oe : tensor<?x?x64xf32>) -> tensor<?x?x64xf32>
  %os = linalg.generic {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%w3, %vc : tensor<?x?x?xf16>, tensor<?x?x64xf16>) outs(%of : tensor<?x?x64xf32>) {
  ^bb0(%x0: f16, %x1: f16, %o: f32):
    %a = arith.extf %x0 : f16 to f32
    %b = arith.extf %x1 : f16 to f32
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?x64xf32>
  %he = tensor.empty(%n2, %qs) : tensor<?x?x64xf16>
  %oh = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%os : tensor<?x?x64xf32>) outs(%he : tensor<?x?x64xf16>) {
  ^bb0(%x0: f32, %o: f16):
    %y = arith.truncf %x0 : f32 to f16
    linalg.yield %y : f16
  } -> tensor<?x?x64xf16>
  %r = tensor.expand_shape %oh [[0, 1], [2], [3]] output_shape [%last, 4, %qs, 64] : tensor<?x?x64xf16> into tensor<?x4x?x64xf16>
  return %r : tensor<?x4x?x64xf16>
}
