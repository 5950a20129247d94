"""`jit`: functions compiled for the shapes of calls, without a GPU."""

import pathlib
import tempfile
import unittest
import warnings

import layout_mlir
import numpy
from sources import KERNELS, TWICE


#: Operands of two shapes, which have to be one.
ADD = """
#all = affine_map<(i, j) -> (i, j)>
func.func @add(%x: tensor<?x64xf32>, %z: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %z : tensor<?x64xf32>, tensor<?x64xf32>) outs(%e : tensor<?x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
"""


def rows(count):
    return numpy.ones((count, 64), numpy.float32)


class Jit(unittest.TestCase):
    def test_a_function_for_the_shapes_of_a_call(self):
        twice = layout_mlir.jit(TWICE, chip="sm_90a", cache=False).twice
        [size] = twice.sizes
        self.assertEqual(twice.specializations, {})
        three = twice.specialize(rows(3))
        self.assertEqual((three.name, three.kind, three.sizes), ("twice", "program", {}))
        self.assertEqual([operand.shape for operand in three.operands], [["3", "64"], ["3", "64"], ["3"]])
        self.assertEqual(list(twice.specializations), [((3, 64),)])
        # It is that function for tensors of the shape alone.
        self.assertEqual(three.results(rows(3)), twice.results(rows(3)))
        with self.assertRaises(layout_mlir.OperandError) as raised:
            three.results(rows(5))
        self.assertEqual((raised.exception.property, raised.exception.found), ("shape", "(5,64)"))
        # Compiled functions stay, and the function of all shapes takes others.
        twice.specialize(rows(3))
        self.assertEqual(len(twice.specializations), 1)
        self.assertEqual(twice.bind(rows(5)), {size: 5})
        # Further calls, and those without elements, use the function of all shapes.
        self.assertIs(twice.specialize(rows(0)), twice)
        self.assertIs(three.specialize(rows(3)), three)

    def test_a_limit(self):
        twice = layout_mlir.jit(TWICE, chip="sm_90a", cache=False, limit=2).twice
        found = [twice.specialize(rows(count)) for count in (1, 2, 3)]
        self.assertEqual([one.sizes == {} for one in found], [True, True, False])
        self.assertIs(found[2], twice)
        self.assertEqual(sorted(twice.specializations), [((1, 64),), ((2, 64),)])
        self.assertEqual(twice.specialize(rows(2)).sizes, {})

    def test_what_is_not_compiled_for_shapes(self):
        # `compile` has one function for all shapes, and kernels have their sizes in views.
        twice = layout_mlir.compile(TWICE, chip="sm_90a", cache=False).twice
        self.assertIs(twice.specialize(rows(3)), twice)
        softmax = layout_mlir.jit(KERNELS / "softmax.mlir", chip="sm_90a", cache=False).softmax
        self.assertEqual(softmax.specializations, {})

    def test_shapes_that_do_not_compile(self):
        add = layout_mlir.jit(ADD, chip="sm_90a", cache=False).add
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            self.assertIs(add.specialize(rows(3), rows(4)), add)
            self.assertIs(add.specialize(rows(3), rows(4)), add)
        [warning] = raised
        self.assertEqual(warning.category, RuntimeWarning)
        self.assertRegex(str(warning.message), "add: compiled for all shapes, since it does not compile for these: .*to be 3, but found 4")
        self.assertEqual(add.specialize(rows(3), rows(3)).sizes, {})
        self.assertEqual(list(add.specializations), [((3, 64), (3, 64))])

    def test_the_cache_has_each_shape(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder)
            count = lambda: len(list(cache.iterdir()))
            twice = layout_mlir.jit(TWICE, chip="sm_90a", cache=cache).twice
            self.assertEqual(count(), 1)
            twice.specialize(rows(3))
            self.assertEqual(count(), 2)
            twice.specialize(rows(4))
            self.assertEqual(count(), 3)
            # Another module of the same source finds them, and the one of all shapes is that of `compile`.
            again = layout_mlir.jit(TWICE, chip="sm_90a", cache=cache).twice
            self.assertEqual(again.specialize(rows(3)).sizes, {})
            layout_mlir.compile(TWICE, chip="sm_90a", cache=cache)
            self.assertEqual(count(), 3)

    def test_a_file_is_read_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "twice.mlir"
            path.write_text(TWICE)
            twice = layout_mlir.jit(path, chip="sm_90a", cache=False).twice
            path.unlink()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(twice.specialize(rows(3)).sizes, {})

    def test_calls_compile_before_they_launch(self):
        twice = layout_mlir.jit(TWICE, chip="sm_90a", cache=False).twice
        # Memory is checked first.
        with self.assertRaises(layout_mlir.OperandError):
            twice(rows(3))
        self.assertEqual(twice.specializations, {})
