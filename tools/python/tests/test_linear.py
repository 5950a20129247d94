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


class Gluon:
    """A linear layout as Gluon's DistributedLinearLayout has it."""

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
        gluon = LinearLayout.from_triton(Gluon)
        self.assertEqual((gluon.bases["lane"], gluon.out_dims), (BLOCKED.bases["lane"], BLOCKED.out_dims))
        for text in ["", "lane=2 -> (1)", "lanes", "- lane=1 -> (1)"]:
            with self.assertRaises(LayoutError):
                LinearLayout.from_triton(text)
        with self.assertRaisesRegex(TypeError, "expected a linear layout of Triton's.*, found int"):
            LinearLayout.from_triton(3)


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
