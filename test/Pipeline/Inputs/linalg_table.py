"""Programs of linalg by hand, in the style of upstream's own tests: named operations, windows, odd maps, sizes of zero and one, mixed types. Those
that upstream cannot bring to loops itself (pack, unpack, softmax) are not among them.

Each is the text of a function's arguments, its result and its body, whose value %r is returned. Sizes that are known at run time are
those of CALLED.
"""
import re

CALLED = 5

# name: arguments -> result, and the body.
TABLE = {
    "conv_grouped": ("%x: tensor<2x3x4x9x9xf32>, %w: tensor<3x5x4x3x3xf32>, %c: tensor<2x3x5x7x7xf32>", "tensor<2x3x5x7x7xf32>",
     "%r = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x3x4x9x9xf32>, tensor<3x5x4x3x3xf32>) outs(%c : tensor<2x3x5x7x7xf32>) -> tensor<2x3x5x7x7xf32>"),
    "conv_dilated_strided": ("%x: tensor<2x11x13x4xf32>, %w: tensor<3x3x4x5xf32>, %c: tensor<2x4x5x5xf32>", "tensor<2x4x5x5xf32>",
     "%r = linalg.conv_2d_nhwc_hwcf {dilations = dense<2> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x11x13x4xf32>, tensor<3x3x4x5xf32>) outs(%c : tensor<2x4x5x5xf32>) -> tensor<2x4x5x5xf32>"),
    "conv_nchw_bf16": ("%x: tensor<1x4x8x8xbf16>, %w: tensor<6x4x3x3xbf16>, %c: tensor<1x6x6x6xf32>", "tensor<1x6x6x6xf32>",
     "%r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x4x8x8xbf16>, tensor<6x4x3x3xbf16>) outs(%c : tensor<1x6x6x6xf32>) -> tensor<1x6x6x6xf32>"),
    "conv_1d": ("%x: tensor<17xf32>, %w: tensor<4xf32>, %c: tensor<14xf32>", "tensor<14xf32>",
     "%r = linalg.conv_1d ins(%x, %w : tensor<17xf32>, tensor<4xf32>) outs(%c : tensor<14xf32>) -> tensor<14xf32>"),
    "conv_3d": ("%x: tensor<1x5x6x7x3xf32>, %w: tensor<2x3x2x3x4xf32>, %c: tensor<1x4x4x6x4xf32>", "tensor<1x4x4x6x4xf32>",
     "%r = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%x, %w : tensor<1x5x6x7x3xf32>, tensor<2x3x2x3x4xf32>) outs(%c : tensor<1x4x4x6x4xf32>) -> tensor<1x4x4x6x4xf32>"),
    "depthwise_multiplier": ("%x: tensor<2x9x9x3xf32>, %w: tensor<3x3x3x2xf32>, %c: tensor<2x4x4x3x2xf32>", "tensor<2x4x4x3x2xf32>",
     "%r = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x9x9x3xf32>, tensor<3x3x3x2xf32>) outs(%c : tensor<2x4x4x3x2xf32>) -> tensor<2x4x4x3x2xf32>"),
    "depthwise_nchw": ("%x: tensor<2x3x9x9xf32>, %w: tensor<3x3x3xf32>, %c: tensor<2x3x7x7xf32>", "tensor<2x3x7x7xf32>",
     "%r = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<2x3x9x9xf32>, tensor<3x3x3xf32>) outs(%c : tensor<2x3x7x7xf32>) -> tensor<2x3x7x7xf32>"),
    "pool_max": ("%x: tensor<1x9x9x3xf32>, %w: tensor<3x3xf32>, %c: tensor<1x4x4x3xf32>", "tensor<1x4x4x3xf32>",
     "%r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<1x9x9x3xf32>, tensor<3x3xf32>) outs(%c : tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>"),
    "pool_sum_nchw": ("%x: tensor<1x3x8x8xf16>, %w: tensor<2x2xf16>, %c: tensor<1x3x7x7xf32>", "tensor<1x3x7x7xf32>",
     "%r = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x3x8x8xf16>, tensor<2x2xf16>) outs(%c : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>"),
    "pool_min_i8": ("%x: tensor<1x9x5x3xi8>, %w: tensor<3x2xi8>, %c: tensor<1x7x4x3xi8>", "tensor<1x7x4x3xi8>",
     "%r = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x9x5x3xi8>, tensor<3x2xi8>) outs(%c : tensor<1x7x4x3xi8>) -> tensor<1x7x4x3xi8>"),
    "matmul_transposed_dynamic": ("%x: tensor<?x7xf32>, %w: tensor<7x?xf32>, %c: tensor<?x?xf32>", "tensor<?x?xf32>",
     "%e = tensor.empty() : tensor<7x5xf32>\n%k = tensor.cast %e : tensor<7x5xf32> to tensor<7x?xf32>\n%t = linalg.transpose ins(%x : tensor<?x7xf32>) outs(%k : tensor<7x?xf32>) permutation = [1, 0]\n"
     "%r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>] ins(%t, %w : tensor<7x?xf32>, tensor<7x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>"),
    "vecmat": ("%x: tensor<9xf32>, %w: tensor<9x5xf32>, %c: tensor<5xf32>", "tensor<5xf32>",
     "%r = linalg.vecmat ins(%x, %w : tensor<9xf32>, tensor<9x5xf32>) outs(%c : tensor<5xf32>) -> tensor<5xf32>"),
    "batch_matvec": ("%x: tensor<3x4x9xf32>, %w: tensor<3x9xf32>, %c: tensor<3x4xf32>", "tensor<3x4xf32>",
     "%r = linalg.batch_matvec ins(%x, %w : tensor<3x4x9xf32>, tensor<3x9xf32>) outs(%c : tensor<3x4xf32>) -> tensor<3x4xf32>"),
    "batch_reduce": ("%x: tensor<3x4x9xf32>, %w: tensor<3x9x5xf32>, %c: tensor<4x5xf32>", "tensor<4x5xf32>",
     "%r = linalg.batch_reduce_matmul ins(%x, %w : tensor<3x4x9xf32>, tensor<3x9x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>"),
    "dot": ("%x: tensor<31xf32>, %w: tensor<31xf32>, %c: tensor<f32>", "tensor<f32>",
     "%r = linalg.dot ins(%x, %w : tensor<31xf32>, tensor<31xf32>) outs(%c : tensor<f32>) -> tensor<f32>"),
    "mmt4d": ("%x: tensor<2x3x4x2xf32>, %w: tensor<5x3x3x2xf32>, %c: tensor<2x5x4x3xf32>", "tensor<2x5x4x3xf32>",
     "%r = linalg.mmt4d ins(%x, %w : tensor<2x3x4x2xf32>, tensor<5x3x3x2xf32>) outs(%c : tensor<2x5x4x3xf32>) -> tensor<2x5x4x3xf32>"),
    "mixed_i8_f32": ("%x: tensor<4x9xi8>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>", "tensor<4x5xf32>",
     "%r = linalg.matmul ins(%x, %w : tensor<4x9xi8>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>"),
    "unsigned": ("%x: tensor<4x9xi8>, %w: tensor<9x5xi8>, %c: tensor<4x5xi32>", "tensor<4x5xi32>",
     "%r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%x, %w : tensor<4x9xi8>, tensor<9x5xi8>) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>"),
    "k_of_zero": ("%x: tensor<4x0xf32>, %w: tensor<0x5xf32>, %c: tensor<4x5xf32>", "tensor<4x5xf32>",
     "%r = linalg.matmul ins(%x, %w : tensor<4x0xf32>, tensor<0x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>"),
    "ones": ("%x: tensor<1x1x1xf32>, %w: tensor<1x1x1xf32>, %c: tensor<1x1x1xf32>", "tensor<1x1x1xf32>",
     "%r = linalg.batch_matmul ins(%x, %w : tensor<1x1x1xf32>, tensor<1x1x1xf32>) outs(%c : tensor<1x1x1xf32>) -> tensor<1x1x1xf32>"),
    "map_two": ("%x: tensor<3x17xf32>, %y: tensor<3x17xf32>", "tensor<3x17xf32>",
     "%e = tensor.empty() : tensor<3x17xf32>\n%r = linalg.map { arith.maximumf } ins(%x, %y : tensor<3x17xf32>, tensor<3x17xf32>) outs(%e : tensor<3x17xf32>)"),
    "reduce_middle": ("%x: tensor<3x4x17xf32>, %c: tensor<3x17xf32>", "tensor<3x17xf32>",
     "%r = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4x17xf32>) outs(%c : tensor<3x17xf32>) dimensions = [1]"),
    "elementwise_kind": ("%x: tensor<3x17xf32>, %y: tensor<17xf32>", "tensor<3x17xf32>",
     "%e = tensor.empty() : tensor<3x17xf32>\n%r = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>] ins(%x, %y : tensor<3x17xf32>, tensor<17xf32>) outs(%e : tensor<3x17xf32>) -> tensor<3x17xf32>"),
    "all_true": ("%x: tensor<3x17xi32>", "tensor<3xi32>",
     "%t = arith.constant true\n%two = arith.constant 2 : i32\n%e = tensor.empty() : tensor<3xi1>\n%f = linalg.fill ins(%t : i1) outs(%e : tensor<3xi1>) -> tensor<3xi1>\n"
     "%b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x : tensor<3x17xi32>) outs(%f : tensor<3xi1>) {\n^bb0(%a: i32, %o: i1):\n  %c = arith.cmpi slt, %a, %two : i32\n  %n = arith.andi %c, %o : i1\n  linalg.yield %n : i1\n} -> tensor<3xi1>\n"
     "%g = tensor.empty() : tensor<3xi32>\n%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(%b : tensor<3xi1>) outs(%g : tensor<3xi32>) {\n^bb0(%a: i1, %o: i32):\n  %c = arith.extui %a : i1 to i32\n  linalg.yield %c : i32\n} -> tensor<3xi32>"),
    "diagonal": ("%x: tensor<7x7xf32>", "tensor<7xf32>",
     "%e = tensor.empty() : tensor<7xf32>\n%r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = [\"parallel\"]} ins(%x : tensor<7x7xf32>) outs(%e : tensor<7xf32>) {\n^bb0(%a: f32, %o: f32):\n  linalg.yield %a : f32\n} -> tensor<7xf32>"),
    "diagonal_product": ("%x: tensor<7x7xf32>, %w: tensor<7x4xf32>, %c: tensor<4xf32>", "tensor<4xf32>",
     "%r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, k)>, affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x, %w : tensor<7x7xf32>, tensor<7x4xf32>) outs(%c : tensor<4xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n  %m = arith.mulf %a, %b : f32\n  %s = arith.addf %o, %m : f32\n  linalg.yield %s : f32\n} -> tensor<4xf32>"),
    "strided_product": ("%x: tensor<16x6xf32>, %w: tensor<6x5xf32>, %c: tensor<8x5xf32>", "tensor<8x5xf32>",
     "%r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m * 2, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%x, %w : tensor<16x6xf32>, tensor<6x5xf32>) outs(%c : tensor<8x5xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n  %m = arith.mulf %a, %b : f32\n  %s = arith.addf %o, %m : f32\n  linalg.yield %s : f32\n} -> tensor<8x5xf32>"),
    "shifted_product": ("%x: tensor<9x6xf32>, %w: tensor<6x5xf32>, %c: tensor<8x5xf32>", "tensor<8x5xf32>",
     "%r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m + 1, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%x, %w : tensor<9x6xf32>, tensor<6x5xf32>) outs(%c : tensor<8x5xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n  %m = arith.mulf %a, %b : f32\n  %s = arith.addf %o, %m : f32\n  linalg.yield %s : f32\n} -> tensor<8x5xf32>"),
    "same_operand": ("%x: tensor<6x9xf32>, %c: tensor<6x6xf32>", "tensor<6x6xf32>",
     "%e = tensor.empty() : tensor<9x6xf32>\n%t = linalg.transpose ins(%x : tensor<6x9xf32>) outs(%e : tensor<9x6xf32>) permutation = [1, 0]\n%r = linalg.matmul ins(%x, %t : tensor<6x9xf32>, tensor<9x6xf32>) outs(%c : tensor<6x6xf32>) -> tensor<6x6xf32>"),
    "transpose_read_twice": ("%x: tensor<8x16xf32>, %y: tensor<8x4xf32>, %c: tensor<16x4xf32>", "tensor<16x8xf32>",
     "%e = tensor.empty() : tensor<16x8xf32>\n%t = linalg.transpose ins(%x : tensor<8x16xf32>) outs(%e : tensor<16x8xf32>) permutation = [1, 0]\n%p = linalg.matmul ins(%t, %y : tensor<16x8xf32>, tensor<8x4xf32>) outs(%c : tensor<16x4xf32>) -> tensor<16x4xf32>\n"
     "%s = tensor.extract_slice %p[0, 0] [16, 1] [1, 1] : tensor<16x4xf32> to tensor<16xf32>\n%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%t, %s : tensor<16x8xf32>, tensor<16xf32>) outs(%e : tensor<16x8xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n  %m = arith.addf %a, %b : f32\n  linalg.yield %m : f32\n} -> tensor<16x8xf32>"),
    "gather_rows": ("%x: tensor<9x6xf32>, %i: tensor<4xi32>", "tensor<4x6xf32>",
     "%e = tensor.empty() : tensor<4x6xf32>\n%r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%i : tensor<4xi32>) outs(%e : tensor<4x6xf32>) {\n^bb0(%a: i32, %o: f32):\n  %three = arith.constant 3 : i32\n  %p = arith.addi %a, %three : i32\n  %k = arith.index_cast %p : i32 to index\n  %j = linalg.index 1 : index\n  %v = tensor.extract %x[%k, %j] : tensor<9x6xf32>\n  linalg.yield %v : f32\n} -> tensor<4x6xf32>"),
    "pad_negative_side": ("%x: tensor<5x6xf32>", "tensor<9x6xf32>",
     "%z = arith.constant 1.0 : f32\n%r = tensor.pad %x low[3, 0] high[1, 0] {\n^bb0(%i: index, %j: index):\n  tensor.yield %z : f32\n} : tensor<5x6xf32> to tensor<9x6xf32>"),
    "insert_strided": ("%x: tensor<5x6xf32>, %y: tensor<3x2xf32>", "tensor<5x6xf32>",
     "%r = tensor.insert_slice %y into %x[0, 1] [3, 2] [2, 3] : tensor<3x2xf32> into tensor<5x6xf32>"),
    "product_of_i16": ("%x: tensor<4x9xi16>, %w: tensor<9x5xi16>, %c: tensor<4x5xi32>", "tensor<4x5xi32>",
     "%r = linalg.matmul ins(%x, %w : tensor<4x9xi16>, tensor<9x5xi16>) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>"),
    "max_plus": ("%x: tensor<4x9xf32>, %w: tensor<9x5xf32>, %c: tensor<4x5xf32>", "tensor<4x5xf32>",
     "%r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%x, %w : tensor<4x9xf32>, tensor<9x5xf32>) outs(%c : tensor<4x5xf32>) {\n^bb0(%a: f32, %b: f32, %o: f32):\n  %m = arith.addf %a, %b : f32\n  %s = arith.maximumf %o, %m : f32\n  linalg.yield %s : f32\n} -> tensor<4x5xf32>"),
    "collapse_of_transpose": ("%x: tensor<4x3x2x8xf32>, %w: tensor<16x5xf32>, %c: tensor<12x5xf32>", "tensor<12x5xf32>",
     "%e = tensor.empty() : tensor<3x4x8x2xf32>\n%t = linalg.transpose ins(%x : tensor<4x3x2x8xf32>) outs(%e : tensor<3x4x8x2xf32>) permutation = [1, 0, 3, 2]\n%a = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<3x4x8x2xf32> into tensor<12x16xf32>\n%r = linalg.matmul ins(%a, %w : tensor<12x16xf32>, tensor<16x5xf32>) outs(%c : tensor<12x5xf32>) -> tensor<12x5xf32>"),
}


class Table:
    """A function @pNUMBER, as linalg.py calls it."""
    kind = "tensor"

    def __init__(self, seed, number):
        self.title = list(TABLE)[number % len(TABLE)]
        arguments, of, self.body = TABLE[self.title]
        self.name, self.rounds, self.signature = f"p{number}", 1, arguments
        parts = [(name, of, *sized(of)) for name, of in re.findall(r"(%\w+): (tensor<[^>]*>)", arguments)]
        self.arguments, self.result = parts, (of, sized(of)[1], sized(of)[0], "%r")

    def handed(self):
        of, element, shape, _ = self.result
        return [*self.arguments, ("%result", of, shape, element)]

    def text(self):
        return f"func.func @{self.name}({self.signature}) -> {self.result[0]} {{\n{self.body}\nreturn %r : {self.result[0]}\n}}\n"


def sized(of):
    *shape, element = of[len("tensor<"):-1].split("x")
    return [CALLED if extent == "?" else int(extent) for extent in shape], element
