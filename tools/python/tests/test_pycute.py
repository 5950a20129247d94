"""pycute's names: its own test files on this package, and what they do not reach."""

import os
import pathlib
import sys
import types
import unittest

from layout_algebra import LayoutError, pycute

FOLDER = pathlib.Path(os.environ["PYCUTE_TESTS"])


def load_tests(loader, tests, pattern):
    """Adds pycute's own test files, unchanged but for the package that `from pycute import *` finds."""
    found = sys.modules.get("pycute")
    sys.modules["pycute"] = pycute
    try:
        files = sorted(FOLDER.glob("test_*.py"))
        if len(files) < 6:
            raise AssertionError(f"expected pycute's six test files or more in {FOLDER}, found {len(files)}")
        for file in files:
            module = types.ModuleType("pycute_own_" + file.stem)
            exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
            tests.addTests(loader.loadTestsFromModule(module))
    finally:
        if found is None:
            del sys.modules["pycute"]
        else:
            sys.modules["pycute"] = found
    return tests


class Names(unittest.TestCase):
    def test_tuples(self):
        self.assertEqual(pycute.flatten(((2, 3), 4)), (2, 3, 4))
        self.assertEqual(pycute.prefix_product(((2, 3), 4), 5), ((5, 10), 30))
        self.assertEqual(pycute.elem_scale((2, 3), (4, (5, 6))), (8, 90))
        self.assertEqual(pycute.tuple_max(((2, 7), 4)), 7)
        self.assertEqual(pycute.signum(-3), -1)
        self.assertEqual(pycute.slice_((None, (0, None)), (2, (3, 4))), (2, 4))
        self.assertTrue(pycute.has_none((1, (2, None))))
        self.assertEqual(pycute.crd2crd((1, 2), 12, (3, 4)), 7)
        self.assertEqual(pycute.crd2crd(7, (3, 4)), (1, 2))
        self.assertEqual(pycute.idx2crd(7, (3, 4)), (1, 2))
        self.assertEqual(pycute.crd2idx((1, None), (3, 4)), 1)

    def test_layouts(self):
        layout = pycute.Layout((4, (2, 4)), (2, (1, 8)))
        self.assertTrue(pycute.is_layout(layout))
        self.assertFalse(pycute.is_layout((4, 2)))
        self.assertEqual(pycute.size(layout), layout.size())
        self.assertEqual(pycute.cosize(layout), layout.cosize())
        self.assertEqual(pycute.make_layout(layout, layout)[1], layout)
        self.assertEqual(pycute.make_layout([layout, layout])[0], layout)
        rest, offset = pycute.slice_and_offset((3, None), layout)
        self.assertEqual((str(rest), offset), ("((2,4)):((1,8))", 6))
        divided = pycute.hier_unzip(pycute.logical_divide, pycute.Layout((8, 8), (8, 1)), (4, 2))
        self.assertEqual(divided, pycute.zipped_divide(pycute.Layout((8, 8), (8, 1)), (4, 2)))
        self.assertEqual(pycute.composition(layout, None), layout)

    def test_swizzles(self):
        swizzle = pycute.Swizzle(3, 0, 3)
        self.assertEqual([swizzle(i) for i in (0, 8, 9, 63)], [0, 9, 8, 56])
        composed = pycute.ComposedLayout(swizzle, 0, pycute.Layout((8, 8), (8, 1)))
        self.assertTrue(pycute.is_layout(composed))
        self.assertEqual(composed(1, 0), 9)
        self.assertEqual(pycute.shiftl(1, 3), 8)
        self.assertEqual(pycute.shiftr(8, 3), 1)

    def test_an_answer_of_pycute_that_is_another_function_is_refused(self):
        with self.assertRaises(LayoutError):
            pycute.composition(pycute.Layout((6, 2), (1, 7)), pycute.Layout((3, 2), (2, 3)))
