"""Operands that a function takes, and errors for tensors that it does not take: without a GPU."""

import unittest

import layout_mlir
import numpy
from sources import BLOCKS, KERNELS, MATMUL, TWICE


class Interface:
    """A tensor by __cuda_array_interface__ alone, whose memory nothing reads."""

    def __init__(self, typestr, shape, strides=None, address=4096, read_only=False, **more):
        self.__cuda_array_interface__ = {
            "typestr": typestr,
            "shape": shape,
            "strides": strides,
            "data": (address, read_only),
            "version": 3,
            **more,
        }


class Old:
    """A tensor of DLPack's first version: it takes no keyword but the stream."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Operands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.twice = layout_mlir.compile(TWICE, chip="sm_90a", cache=False).twice
        cls.gemm = layout_mlir.compile(MATMUL, chip="sm_90a", cache=False).gemm
        cls.blocks = layout_mlir.compile(BLOCKS, chip="sm_90a", cache=False).blocks
        cls.transpose = layout_mlir.compile(KERNELS / "transpose.mlir", chip="sm_90a", cache=False).transpose
        cls.gemm_sm80 = layout_mlir.compile(KERNELS / "gemm_sm80.mlir", chip="sm_80", cache=False).gemm
        cls.int4 = layout_mlir.compile(KERNELS / "gemm_int4.mlir", chip="sm_90a", cache=False).gemm_int4

    def refused(self, function, *operands, **keywords):
        with self.assertRaises(layout_mlir.OperandError) as raised:
            function(*operands, **keywords)
        error = raised.exception
        return error.operand, error.name, error.property, error.expected, error.found

    def test_sizes_come_from_shapes(self):
        x = numpy.ones((3, 64), numpy.float32)
        [size] = self.twice.sizes
        for one in (x, Old(x), Interface("<f4", (3, 64))):
            self.assertEqual(self.twice.bind(one), {size: 3})
            self.assertEqual(self.twice.results(one), [("f32", [3, 64], [64, 1]), ("f32", [3], [1])])
        self.assertEqual(self.twice.bind(x[:0]), {size: 0})
        a, b = numpy.ones((5, 256), numpy.float16), numpy.ones((128, 256), numpy.float16)
        [size] = self.gemm.sizes
        self.assertEqual(self.gemm.bind(a, b), {size: 5})
        self.assertEqual(self.gemm.bind(a, b, numpy.ones((5, 128), numpy.float32)), {size: 5})
        self.assertEqual(self.gemm.bind(a, b, out=numpy.ones((5, 128), numpy.float32)), {size: 5})

    def test_modes_leaves_and_memory(self):
        blocks = self.blocks
        one = numpy.zeros(1, numpy.float32)
        memory = numpy.zeros(3 * 8192, numpy.float32)
        for x in (memory, memory.reshape(3, 8192).T, memory.reshape(3, 8, 256, 4).transpose(3, 2, 1, 0)):
            self.assertEqual(blocks.bind(x, one), {"blocks": 3})
            # One element has any rank below its own.
            self.assertEqual(blocks.bind(x, one.reshape(())), {"blocks": 3})
        found = self.refused(blocks.bind, memory.reshape(3, 8192), one)
        self.assertEqual(found, (0, "in", "shape", "shape (8192,blocks) at blocks=8192", "(3,8192)"))
        found = self.refused(blocks.bind, numpy.lib.stride_tricks.as_strided(one, (8192, 3), (12, 4)), one)
        self.assertEqual(found, (0, "in", "strides", "strides (1,8192)", "(3,1)"))

    def test_packed_weights(self):
        bf16 = lambda *shape: Interface("<f4", shape)  # numpy has no bf16; the element type is what is wrong first
        found = self.refused(self.int4.bind, bf16(8192, 16), bf16(1), bf16(1), bf16(1))
        self.assertEqual(found, (0, "x", "element type", "elements of bf16", "f32"))

    def test_element_types(self):
        found = self.refused(self.twice.bind, numpy.ones((3, 64)))
        self.assertEqual(found, (0, "argument 0", "element type", "elements of f32", "f64"))
        found = self.refused(self.twice.bind, numpy.ones((3, 64), numpy.complex64))
        self.assertEqual(found[3:], ("elements of f32", "complex<f32>"))
        found = self.refused(self.transpose.bind, Interface("<i4", (2048, 4096)))
        self.assertEqual(found[3:], ("elements of f32", "i32"))

    def test_shapes_and_strides(self):
        x = numpy.ones((3, 64), numpy.float32)
        found = self.refused(self.twice.bind, x.reshape(-1))
        self.assertEqual(found[1:3] + found[4:], ("argument 0", "shape", "(192)"))
        found = self.refused(self.twice.bind, numpy.ones((64, 64), numpy.float32).T)
        self.assertEqual(found, (0, "argument 0", "strides", "strides (64,1)", "(1,64)"))
        found = self.refused(self.gemm_sm80.bind, numpy.ones((128, 256), numpy.float16), numpy.ones((256, 128), numpy.float16))
        self.assertEqual(found, (0, "a", "shape", "shape (256,128)", "(128,256)"))
        x = numpy.ones((5, 7), numpy.float32)
        self.assertEqual(self.transpose.bind(x, x.T.copy()), {"rows": 5, "columns": 7})
        found = self.refused(self.transpose.bind, x, x)
        self.assertEqual(found, (1, "out", "shape", "shape (columns,rows) at rows=5, columns=7", "(5,7)"))
        a, b = numpy.ones((5, 256), numpy.float16), numpy.ones((128, 256), numpy.float16)
        number, name, property, expected, found = self.refused(self.gemm.bind, a, b, numpy.ones((4, 128), numpy.float32))
        self.assertEqual((number, property, found), (2, "shape", "(4,128)"))
        self.assertRegex(expected, r"shape \(\w+,128\) at \w+=5")

    def test_counts_and_sizes(self):
        x = numpy.ones((3, 64), numpy.float32)
        found = self.refused(self.twice.bind)
        names = "argument 0, result 0, result 1"
        self.assertEqual(found, (None, None, "count", f"3 tensors ({names}), or 1 without results (argument 0)", "0"))
        found = self.refused(self.twice.bind, x, out=x)
        self.assertEqual(found[2:], ("count", "2 results in out", "1"))
        found = self.refused(self.twice.bind, x, sizes={"none": 1})
        self.assertEqual(found[2], "size")
        found = self.refused(self.blocks.bind, numpy.zeros((8192, 0), numpy.float32), numpy.zeros(1, numpy.float32))
        self.assertEqual(found[2:], ("size", "blocks of 1 to 131072", "0"))

    def test_what_is_no_tensor(self):
        with self.assertRaisesRegex(TypeError, "expected a tensor with __dlpack__ or __cuda_array_interface__, found str"):
            self.twice.bind("x")
        for typestr in (">f4", "<V2", "|O8"):
            with self.assertRaisesRegex(ValueError, "expected a typestr of booleans, integers or floats"):
                self.twice.bind(Interface(typestr, (3, 64)))
        with self.assertRaisesRegex(ValueError, "expected strides of whole elements of 4 bytes, found 130 bytes"):
            self.twice.bind(Interface("<f4", (3, 64), (130, 4)))
        with self.assertRaisesRegex(ValueError, "expected a stride for each of 2 extents, found 1"):
            self.twice.bind(Interface("<f4", (3, 64), (4,)))

    def test_calls_require_memory_of_a_device(self):
        x = numpy.ones((3, 64), numpy.float32)
        found = self.refused(self.twice, x)
        self.assertEqual(found, (0, "argument 0", "device", "memory of a CUDA device", "the CPU"))
        found = self.refused(self.twice, Interface("<f4", (3, 64), address=0))
        self.assertEqual(found[2:], ("device", "device memory", "null"))
        # Shapes are checked first.
        self.assertEqual(self.refused(self.twice, x.T)[2], "shape")

    def test_streams(self):
        class Stream:
            def __cuda_stream__(self):
                return (0, 7)

        x = Interface("<f4", (3, 64), address=0)
        for stream in (0, 7, Stream()):
            self.assertEqual(self.refused(self.twice, x, stream=stream)[2], "device")
        with self.assertRaisesRegex(TypeError, "expected a stream as an integer, or an object with __cuda_stream__"):
            self.twice(x, stream="default")


class Machines(unittest.TestCase):
    def test_a_machine_without_a_gpu_says_so(self):
        twice = layout_mlir.compile(TWICE, chip="sm_90a", cache=False).twice
        x = Interface("<f4", (3, 64))
        # Where there is one, no memory is at this address.
        with self.assertRaises(layout_mlir.DriverError):
            twice(x)
        self.assertTrue(issubclass(layout_mlir.NoGpuError, layout_mlir.DriverError))
