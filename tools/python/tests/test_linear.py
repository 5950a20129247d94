"""Triton's linear layouts, and the CuTe DSL's spellings."""

import unittest

from layout_algebra import (
    ComposedLayout,
    Layout,
    LayoutError,
    LinearLayout,
    Swizzle,
    cute,
    invert,
    to_layout,
    to_linear,
)

BLOCKED = LinearLayout.from_bases(
    {"register": [(0, 1), (0, 2)], "lane": [(0, 4), (1, 0), (2, 0)], "warp": []}, {"dim0": 4, "dim1": 8}
)


class Triton:
    """A linear layout as Triton's bindings have it."""

    bases = [("register", [[0, 1], [0, 2]]), ("lane", [[0, 4], [1, 0], [2, 0]]), ("warp", [])]
    out_dims = [("dim0", 4), ("dim1", 8)]


class DistributedLinearLayout:
    """As Gluon has it."""

    reg_bases, lane_bases, warp_bases, block_bases = [[0, 1], [0, 2]], [[0, 4], [1, 0], [2, 0]], [], []
    shape = [4, 8]


TEXT = """\
 - register=1 -> (0, 1)
   register=2 -> (0, 2)
 - lane=1 -> (0, 4)
   lane=2 -> (1, 0)
   lane=4 -> (2, 0)
 - warp is a size 1 dimension
where out dims are: [dim0 (size 4), dim1 (size 8)]"""

MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"

#: Answers of Triton 3.9: `to_linear_layout` of Gluon's builder.
ENCODINGS = [
    (
        "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0], CGALayout = [[1, 0]]}>",
        (32, 16),
        "linear<{register = [(0,1),(8,0)], lane = [(0,2),(0,4),(0,8),(1,0),(2,0)], warp = [(4,0)], block = [(16,0)]} -> {dim0 = 32, dim1 = 16}>",
    ),
    (
        f"#ttg.slice<{{dim = 0, parent = {MMA}}}>",
        (32,),
        "linear<{register = [1,16], lane = [2,4,0,0,0], warp = [8,0], block = []} -> {dim0 = 32}>",
    ),
    (
        MMA,
        (32, 32),
        "linear<{register = [(0,1),(8,0),(0,16)], lane = [(0,2),(0,4),(1,0),(2,0),(4,0)], warp = [(0,8),(16,0)], block = []} -> {dim0 = 32, dim1 = 32}>",
    ),
    (
        "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 2], instrShape = [16, 16, 16]}>",
        (64, 32),
        "linear<{register = [(0,1),(8,0),(0,8)], lane = [(0,2),(0,4),(1,0),(2,0),(4,0)], warp = [(16,0),(32,0),(0,16)], block = []} -> {dim0 = 64, dim1 = 32}>",
    ),
    (
        f"#ttg.dot_op<{{opIdx = 1, parent = {MMA}, kWidth = 2}}>",
        (16, 16),
        "linear<{register = [(1,0),(8,0)], lane = [(2,0),(4,0),(0,1),(0,2),(0,4)], warp = [(0,8),(0,0)], block = []} -> {dim0 = 16, dim1 = 16}>",
    ),
    (
        "#ttg.dot_op<{opIdx = 0, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [2, 1], order = [1, 0]}>}>",
        (8, 4),
        "linear<{register = [(0,1),(0,2)], lane = [(0,0),(0,0),(0,0),(1,0),(2,0)], warp = [(4,0)], block = []} -> {dim0 = 8, dim1 = 4}>",
    ),
    (
        "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>",
        (8, 8),
        "linear<{offset = [(0,1),(0,2),(0,4),(1,2),(2,4),(4,0)], block = []} -> {dim0 = 8, dim1 = 8}>",
    ),
    (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 16, rank = 3}>",
        (16, 2, 8),
        "linear<{offset = [(1,0,0),(2,0,0),(4,0,0),(8,0,0),(0,0,2),(0,0,4),(8,1,0),(0,0,1)], block = []} -> {dim0 = 16, dim1 = 2, dim2 = 8}>",
    ),
    (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>",
        (8, 64),
        "linear<{offset = [(0,1),(0,2),(0,4),(0,0),(0,8),(0,16),(0,32),(1,8),(2,16),(4,32)], block = []} -> {dim0 = 8, dim1 = 64}>",
    ),
    (
        "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>",
        (4, 1),
        "linear<{register = [(2,0)], lane = [(1,0)], warp = [], block = []} -> {dim0 = 4, dim1 = 1}>",
    ),
    (
        "#ttg.shared_linear<{offset = [[0, 1], [1, 1]], block = []}, alignment = 16>",
        (2, 2),
        "linear<{offset = [(0,1),(1,1)], block = []} -> {dim0 = 2, dim1 = 2}>",
    ),
]


class BlockedLayout:
    """As Gluon has it."""

    size_per_thread, threads_per_warp, warps_per_cta, order, cga_layout = [2], [4], [2], [0], []


class AMDMFMALayout:
    """A layout of Gluon's that is not taken."""


class Linear(unittest.TestCase):
    def test_bases(self):
        self.assertEqual(BLOCKED.bases["lane"], [[0, 4], [1, 0], [2, 0]])
        self.assertEqual((BLOCKED.in_dims, BLOCKED.out_dims), ({"register": 4, "lane": 8, "warp": 1}, {"dim0": 4, "dim1": 8}))
        self.assertEqual(BLOCKED(register=3, lane=3, warp=0), {"dim0": 1, "dim1": 7})
        self.assertEqual((BLOCKED.size(), BLOCKED.cosize(), BLOCKED.is_surjective()), (32, 32, True))
        self.assertEqual(LinearLayout(str(BLOCKED)), BLOCKED)
        self.assertEqual(LinearLayout.from_bases([("x", [1, 3])], ["y"]).out_dims, {"y": 4})
        with self.assertRaisesRegex(LayoutError, "expected a basis of x = 1"):
            LinearLayout.from_bases({"x": [4]}, {"y": 4})

    def test_layouts_and_back(self):
        for layout in [Layout((2, 4), (4, 1)), ComposedLayout(Swizzle(2, 0, 2), 0, Layout((4, 4), (4, 1)))]:
            linear = to_linear(layout)
            self.assertEqual([linear(i) for i in range(layout.size())], [layout(i) for i in range(layout.size())])
            back = to_layout(linear)
            self.assertEqual([back(i) for i in range(layout.size())], [layout(i) for i in range(layout.size())])
        inverse = invert(to_linear("(2,4):(4,1)"))
        self.assertEqual(inverse, to_linear("(2,4):(4,1)").invert())

    def test_triton(self):
        self.assertEqual(LinearLayout.from_triton(Triton), BLOCKED)
        self.assertEqual(BLOCKED.triton_text(), TEXT)
        self.assertEqual(LinearLayout.from_triton(TEXT), BLOCKED)
        gluon = LinearLayout.from_triton(DistributedLinearLayout())
        self.assertEqual((gluon.bases["lane"], gluon.out_dims), (BLOCKED.bases["lane"], BLOCKED.out_dims))
        for text in ["", "lane=2 -> (1)", "lanes", "- lane=1 -> (1)"]:
            with self.assertRaises(LayoutError):
                LinearLayout.from_triton(text)
        with self.assertRaisesRegex(TypeError, "expected a linear layout of Triton's.*, found int"):
            LinearLayout.from_triton(3)

    def test_encodings(self):
        for text, shape, linear in ENCODINGS:
            self.assertEqual(str(LinearLayout.from_triton(text, shape)), linear)
        blocked = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [4], warpsPerCTA = [2], order = [0]}>"
        for shape in [(1,), (8,), (64,)]:
            self.assertEqual(LinearLayout.from_triton(BlockedLayout(), shape), LinearLayout.from_triton(blocked, shape))
        older = blocked.replace("}>", ", CTAsPerCGA = [4], CTASplitNum = [2], CTAOrder = [0]}>")
        self.assertEqual(LinearLayout.from_triton(older, (32,)).bases["block"], [[16], [0]])
        refused = [
            ("#ttg.amd_mfma<{version = 3}>", (4,), "expected one of #ttg.blocked, .*, found #ttg.amd_mfma"),
            ("#ttg.slice<{dim = 0, parent = #mma}>", (4,), "found #mma; write an alias out"),
            (blocked, None, "expected the shape of the tensor beside #ttg.blocked, found none"),
            (blocked, (3,), "expected powers of two .*, found 3"),
            (blocked, (4, 4), "expected order of #ttg.blocked to permute 2 dimensions, found \\[0\\]"),
            (blocked.replace("[2], order", "2, order"), (4,), "expected a list of numbers as warpsPerCTA of #ttg.blocked, found 2"),
            (blocked[:-2], (4,), "expected `,` or `}` in an encoding, found 'the end'"),
            ("#ttg.dot_op<{opIdx = 2, parent = " + MMA + "}>", (4, 4), "expected opIdx 0 or 1 .*, found 2"),
            (MMA.replace("Major = 2", "Major = 5"), (4, 4), "expected #ttg.nvidia_mma of version 2 or 3 .*, found version 5"),
            (ENCODINGS[7][0].replace("= 32", "= 0"), (16, 2, 8), "expected a swizzle, or at most two dimensions, .*, found 3"),
            (ENCODINGS[7][0], (16, 2, 4), "expected at least 16 elements in dimension 0 and 8 in dimension 2 of a block, found 16 x 2 x 4"),
        ]
        for text, shape, message in refused:
            with self.assertRaisesRegex(LayoutError, message):
                LinearLayout.from_triton(text, shape)
        with self.assertRaisesRegex(TypeError, "expected a linear layout of Triton's, .* among #ttg.blocked, .*, found AMDMFMALayout"):
            LinearLayout.from_triton(AMDMFMALayout())


class Cute(unittest.TestCase):
    def test_a_program_of_the_dsl(self):
        layout = cute.make_layout((4, 8), stride=(8, 1))
        self.assertEqual(layout, Layout((4, 8), (8, 1)))
        self.assertEqual(cute.make_layout((4, 8), stride=None), Layout((4, 8)))
        self.assertEqual((cute.size(layout), cute.size(layout, mode=[0]), cute.rank(layout)), (32, 4, 2))
        tiles = cute.zipped_divide(layout, (2, 4))
        self.assertEqual(cute.shape(tiles), ((2, 4), (2, 2)))
        self.assertEqual(cute.get(tiles, mode=[0, 1]), Layout(4, 1))
        self.assertEqual(cute.select(layout, mode=[1, 0]), Layout((8, 4), (1, 8)))
        self.assertEqual(cute.group_modes(cute.make_layout((2, 3, 4)), 0, 2).shape, ((2, 3), 4))
        swizzled = cute.make_composed_layout(cute.make_swizzle(3, 4, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))
        self.assertEqual(str(swizzled), "S<3,4,3> o 0 o (8,64):(64,1)")
        self.assertEqual(str(cute.make_layout((4, 8), stride=(cute.E(1), cute.E(0)))), "(4,8):(1@1,1@0)")
        self.assertEqual(cute.crd2idx((1, 2), layout), 10)
        self.assertEqual(cute.append(Layout(4), Layout(1, 0), up_to_rank=3).shape, (4, 1, 1))
        self.assertTrue(cute.is_static(layout))
        self.assertFalse(cute.is_static(Layout(("M", 4))))

    def test_the_text_in_the_dsl(self):
        swizzled = ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, (2, 4)), (8, (1, 2))))
        for value in [Layout((4, 8), (8, 1)), Layout(4), Layout((4,), (1,)), Swizzle(3, 4, 3), swizzled]:
            self.assertEqual(eval(value.to_cute(), {"cute": cute}), value)
