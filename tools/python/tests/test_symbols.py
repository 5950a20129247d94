"""Symbols and facts."""

import unittest

from layout_algebra import (
    Expr,
    Layout,
    LayoutError,
    MissingFactError,
    Symbol,
    composition,
    crd2idx,
    size,
    zipped_divide,
)


class Symbols(unittest.TestCase):
    def setUp(self):
        self.rows, self.columns = Symbol("M"), Symbol("K", div=64)
        self.layout = Layout((self.rows, self.columns), (self.columns, 1))

    def test_layouts_of_symbols(self):
        self.assertEqual(repr(self.layout), 'Layout("(M,K{div=64}):(K,1)")')
        self.assertEqual(self.layout, Layout("(M,K{div=64}):(K,1)"))
        self.assertEqual(hash(self.layout), hash(Layout("(M,K{div=64}):(K,1)")))
        self.assertEqual(self.layout.symbols, ["M", "K"])
        self.assertEqual(self.layout.facts, ["K{div=64 range=64..}", "M{range=1..}"])
        self.assertEqual(str(size(self.layout)), "K*M")
        self.assertEqual(self.layout.shape, (self.rows, self.columns))
        tiles = zipped_divide(self.layout, (128, 64))
        self.assertEqual(str(tiles), "((128,64),(ceil_div(M,128),K/64)):((K,1),(128*K,64))")
        self.assertEqual(str(self.layout("i", "j")), "K*i+j")
        self.assertEqual(self.layout(0, 3), 3)
        self.assertEqual(crd2idx((1, 2), self.layout), self.columns + 2)

    def test_expressions(self):
        m = self.rows
        self.assertEqual(str((m + 1) * 2 - m), "M+2")
        self.assertEqual(str(self.columns // 8 * 3), "3*K/8")
        self.assertEqual(self.columns % 64, 0)
        self.assertEqual(m - m, 0)
        self.assertEqual(str(5 - m), "-M+5")
        self.assertEqual(str(-m), "-M")
        self.assertEqual(Expr("M*M"), m * m)
        self.assertEqual(Symbol("N", range=(8, 8)) + 0, Expr("N{range=8..8}"))
        with self.assertRaises(TypeError):
            m + 1.5

    def test_integers_in_place_of_symbols(self):
        self.assertEqual(self.layout.substitute(M=100, K=128), Layout((100, 128), (128, 1)))
        with self.assertRaisesRegex(LayoutError, "expected a multiple of 64 .* found K = 100"):
            self.layout.substitute(M=100, K=100)
        with self.assertRaises(LayoutError):
            self.layout.substitute(M=100)

    def test_a_missing_fact_is_named(self):
        with self.assertRaises(MissingFactError) as caught:
            composition(Layout((self.rows, 8), (8, 1)), "4:2")
        self.assertEqual(caught.exception.needs, ("2 divides M", "M >= 7"))
        self.assertEqual(caught.exception.code, "missing-fact")
        known = Layout((self.rows, 8), (8, 1)).assume("M{div=2}")
        with self.assertRaises(MissingFactError):
            composition(known, "4:2")
        self.assertEqual(composition(known.assume("M{range=7..}"), "4:2"), Layout(4, 16))

    def test_facts_of_both_operands_count(self):
        a = Layout((Symbol("M", div=8), 8), (8, 1))
        b = Layout((4, Symbol("M", range=(32, None)) ), (0, 1))
        self.assertEqual(composition(a, b).facts, ["M{div=8 range=32..}"])
        with self.assertRaises(LayoutError):
            composition(Layout((Symbol("M", range=(1, 4)), 8)), Layout((4, Symbol("M", range=(8, 16))), (0, 1)))

    def test_bad_symbols(self):
        for arguments in [("1M",), ("M", 0), ("M", 8, (1, 7)), ("M", None, (None, None), 16)]:
            with self.assertRaises(LayoutError):
                Symbol(*arguments)
