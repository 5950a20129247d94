"""numpy arrays in and out."""

import unittest

import numpy as np

from layout_algebra import ComposedLayout, Layout, LayoutError, Swizzle, composition, layout_of


class Arrays(unittest.TestCase):
    def test_offsets(self):
        layout = Layout((4, (2, 3)), (6, (3, 1)))
        offsets = layout.offsets()
        self.assertEqual((offsets.shape, offsets.dtype), ((4, 6), np.int64))
        for row in range(4):
            for column in range(6):
                self.assertEqual(offsets[row, column], layout(row, column))
        self.assertTrue((np.asarray(layout) == offsets).all())
        self.assertEqual(np.asarray(layout, dtype=np.int32).dtype, np.int32)
        self.assertEqual(Layout(5, 2).offsets().tolist(), [0, 2, 4, 6, 8])
        swizzled = composition(Swizzle(2, 0, 2), Layout((4, 4), (4, 1)))
        self.assertEqual(sorted(swizzled.offsets().ravel().tolist()), list(range(16)))

    def test_a_layout_moves_an_array(self):
        rows = np.arange(32)
        layout = Layout((4, 8), (8, 1))
        self.assertTrue((rows[layout.offsets()] == rows.reshape(4, 8)).all())

    def test_arrays_of_coordinates(self):
        layout = Layout((4, (2, 4)), (2, (1, 8)))
        index = np.arange(32).reshape(4, 8)
        self.assertEqual(layout(index).shape, (4, 8))
        self.assertEqual(layout(index).ravel().tolist(), [layout(i) for i in range(32)])
        self.assertEqual(layout(np.arange(4)[:, None], np.arange(8)).tolist(), layout.offsets().tolist())
        self.assertEqual(layout(np.array([1, 2]), 3).tolist(), [layout(1, 3), layout(2, 3)])
        self.assertEqual(layout(np.int64(5)), layout(5))
        swizzle = Swizzle(3, 0, 3)
        self.assertEqual(swizzle(np.arange(64)).tolist(), [swizzle(i) for i in range(64)])
        with self.assertRaisesRegex(LayoutError, "expected coordinates of mode 0 from 0 to 3, found 0 to 4"):
            layout(np.arange(5), 0)
        with self.assertRaises(TypeError):
            layout(np.array([0.5]))

    def test_layouts_of_arrays(self):
        for layout in [Layout((4, 8), (8, 1)), Layout((2, 3, 4), (12, 4, 1)), Layout(6, 5)]:
            self.assertTrue(Layout.from_offsets(layout.offsets()).equal(layout))
        self.assertEqual(Layout.from_offsets(np.array([0, 2, 1, 3])), Layout((2, 2), (2, 1)))
        self.assertEqual(layout_of(np.array([0, 2, 1, 3])), Layout((2, 2), (2, 1)))
        with self.assertRaisesRegex(LayoutError, "expected the offsets of a layout, found 5 at index 3"):
            Layout.from_offsets(np.array([0, 1, 2, 5]))

    def test_arrays_are_of_layouts_of_integers(self):
        with self.assertRaisesRegex(TypeError, "substitute"):
            Layout(("M", 8), (8, 1)).offsets()
        with self.assertRaises(LayoutError):
            Layout((1 << 20, 1 << 20)).offsets()
        self.assertEqual(ComposedLayout(Swizzle(1, 0, 1), 2, Layout(2)).offsets().tolist(), [3, 2])
