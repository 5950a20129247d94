"""Layouts as Python's objects: calls, modes, comparison, text, errors."""

import pickle
import unittest

from layout_algebra import (
    ComposedCoordinateLayout,
    ComposedLayout,
    CoordinateLayout,
    Layout,
    LayoutError,
    NoCompositionError,
    ParseError,
    ScaledBasis,
    Swizzle,
    composition,
    evaluate,
    layout,
    logical_divide,
    make_composed_layout,
    make_identity_layout,
    make_layout,
    zipped_divide,
)

NESTED = Layout((4, (2, 4)), (2, (1, 8)))


class Objects(unittest.TestCase):
    def test_parts(self):
        self.assertEqual((NESTED.shape, NESTED.stride), ((4, (2, 4)), (2, (1, 8))))
        self.assertEqual((NESTED.size(), NESTED.cosize(), NESTED.rank(), NESTED.depth()), (32, 32, 2, 2))
        self.assertEqual(Layout((4, 8)).stride, (1, 4))
        self.assertEqual(Layout(4).shape, 4)

    def test_a_layout_is_called_at_a_coordinate(self):
        self.assertEqual([NESTED(i) for i in range(6)], [0, 2, 4, 6, 1, 3])
        self.assertEqual((NESTED(1, 2), NESTED((1, 2)), NESTED(1, (0, 1))), (10, 10, 10))
        self.assertEqual(str(NESTED(3, None)), "((2,4)):((1,8))")
        self.assertEqual(NESTED(32), 32, "past its size a layout continues in its last mode")

    def test_modes(self):
        self.assertEqual((len(NESTED), NESTED[0], NESTED[-1]), (2, Layout(4, 2), Layout((2, 4), (1, 8))))
        self.assertEqual([mode.size() for mode in NESTED], [4, 8])
        self.assertEqual(NESTED[::-1], Layout(((2, 4), 4), ((1, 8), 2)))
        with self.assertRaisesRegex(IndexError, "expected a mode below the rank 2 of .*, found 2"):
            NESTED[2]

    def test_equal_layouts_are_one_key(self):
        again = Layout("(4,(2,4)):(2,(1,8))")
        self.assertEqual(NESTED, again)
        self.assertEqual(len({NESTED, again, Layout(4)}), 2)
        self.assertNotEqual(Layout((4,), (1,)), Layout(4, 1))
        self.assertNotEqual(Layout(4), "4:1")
        self.assertTrue(Layout((2, 4)).equal(8))

    def test_the_text_reads_back(self):
        names = {"Layout": Layout, "ComposedLayout": ComposedLayout, "Swizzle": Swizzle}
        names |= {"CoordinateLayout": CoordinateLayout, "ScaledBasis": ScaledBasis}
        names |= {"ComposedCoordinateLayout": ComposedCoordinateLayout}
        for value in [
            NESTED,
            Swizzle(3, 4, 3),
            ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 64), (64, 1))),
            make_identity_layout((4, (2, 3))),
            ComposedCoordinateLayout("(4,4):(1@0,1@1) o 5 o (2,2):(1,4)"),
            ScaledBasis(3, (1, 0)),
            Layout("(M{div=8},8):(8,1)"),
        ]:
            self.assertEqual(eval(repr(value), names), value)
            self.assertEqual(pickle.loads(pickle.dumps(value)), value)
            self.assertIs(type(pickle.loads(pickle.dumps(value))), type(value))

    def test_a_composed_coordinate_layout_has_parts_and_operations(self):
        composed = make_composed_layout(make_identity_layout((8, 8)), 5, Layout((2, 2), (1, 8)))
        self.assertIs(type(composed), ComposedCoordinateLayout)
        self.assertEqual((composed.outer, composed.offset), (make_identity_layout((8, 8)), 5))
        self.assertEqual((composed.inner, composed.shape, len(composed)), (Layout((2, 2), (1, 8)), (2, 2), 2))
        self.assertEqual((composed(1, 1), composed(3), composed[1](1)), ((6, 1), (6, 1), (5, 1)))
        self.assertEqual((composed.cosize(), composed.is_injective()), (14, True))
        self.assertEqual(composed.left_inverse()(6, 1), 3)

    def test_what_is_taken_for_a_layout(self):
        expected = Layout("((32,8),(4,8)):((64,1),(2048,8))")
        for left in [Layout((128, 64), (64, 1)), "(128,64):(64,1)"]:
            for tiler in [(32, 8), [32, 8], "(32,8)", (Layout(32), Layout(8)), "<32:1, 8:1>", (32, "8:1")]:
                self.assertEqual(zipped_divide(left, tiler), expected)
        self.assertEqual(logical_divide(expected[0], (None, 4)).shape, (32, (4, 2)))

        class Theirs:
            shape, stride = (4, 8), (8, 1)

        class Tensor:
            shape = (4, 8)

            def stride(self):
                return (8, 1)

        for thing in [Theirs(), Tensor(), "(4,8):(8,1)"]:
            self.assertEqual(layout(thing), Layout((4, 8), (8, 1)))

    def test_composed_layouts(self):
        swizzled = composition(Swizzle(3, 4, 3), Layout((8, 64), (64, 1)))
        self.assertEqual(str(swizzled), "S<3,4,3> o 0 o (8,64):(64,1)")
        self.assertEqual((swizzled.outer, swizzled.offset), (Swizzle(3, 4, 3), 0))
        self.assertEqual((swizzled.inner, swizzled.shape), (Layout((8, 64), (64, 1)), (8, 64)))
        self.assertEqual((swizzled.outer.bits, swizzled.outer.base, swizzled.outer.shift), (3, 4, 3))
        self.assertEqual([swizzled(i) for i in (0, 2, 9)], [swizzled.outer(swizzled.inner(i)) for i in (0, 2, 9)])
        self.assertEqual(swizzled(1, 2), swizzled.outer(66))
        self.assertEqual((len(swizzled), len(list(swizzled))), (2, 2))

    def test_coordinates(self):
        identity = make_identity_layout((10, (4, 6)))
        self.assertEqual(identity(3, (1, 2)), (3, (1, 2)))
        self.assertEqual(identity.stride[0], ScaledBasis(1, 0))
        self.assertEqual(make_layout((4, 8), stride=(ScaledBasis(2, 1), ScaledBasis(1, 0))).kind, "basis layout")

    def test_names_stand_for_values(self):
        self.assertEqual(evaluate("composition(A, T)", A=NESTED, T=Layout(8)), composition(NESTED, 8))


class Errors(unittest.TestCase):
    def test_a_composition_that_is_none_shows_where(self):
        with self.assertRaises(NoCompositionError) as caught:
            composition("(6,2):(1,7)", "(3,2):(2,3)")
        error = caught.exception
        self.assertEqual((error.code, error.operation, error.operand), ("no-composition", "composition", 1))
        self.assertEqual((error.coordinate, error.expected, error.found), (5, 8, 7))
        self.assertEqual(
            str(error),
            "composition((6,2):(1,7), (3,2):(2,3)): no layout has these values: expected 8 at coordinate 5, "
            "found 7 in the only candidate",
        )

    def test_operand_and_mode(self):
        with self.assertRaises(LayoutError) as caught:
            composition("((4,6),3):((1,5),1)", (6, 3))
        self.assertEqual((caught.exception.operand, caught.exception.mode), (1, (0,)))

    def test_text_that_is_no_term(self):
        with self.assertRaisesRegex(ParseError, "did you mean `composition`") as caught:
            evaluate("compositon(4:1, 2:1)")
        self.assertEqual((caught.exception.offset, caught.exception.code), (0, "parse"))

    def test_what_is_no_operand(self):
        with self.assertRaisesRegex(TypeError, "found float"):
            composition(Layout(4), 2.5)
        with self.assertRaisesRegex(TypeError, "found bool"):
            composition(Layout(4), True)
        with self.assertRaises(LayoutError) as caught:
            composition(Layout(4))
        self.assertEqual(str(caught.exception), "composition: expected 2 operands, found 1")
        with self.assertRaises(LayoutError):
            Layout((4, 8), (1,))
        with self.assertRaises(LayoutError):
            Layout(2**70)
        with self.assertRaises(LayoutError):
            Layout((2**40, 2**40))

    def test_deep_tuples_end_in_an_error(self):
        deep = 2
        for _ in range(100_000):
            deep = (deep,)
        with self.assertRaises(LayoutError):
            Layout(deep)
        # CPython's own destructor of tuples is not under test.
        while isinstance(deep, tuple):
            deep = deep[0]
