"""Pictures, and what notebooks show."""

import pathlib
import tempfile
import unittest
import xml.etree.ElementTree as xml

from layout_algebra import Layout, LayoutError, Swizzle, composition, make_identity_layout, to_linear

THREADS = Layout(((4, 2), 2), ((4, 1), 2))
TABLE = """\
((2,2),3):((1,6),2)
         0    1    2
      +----+----+----+
(0,0) |  0 |  2 |  4 |
      +----+----+----+
(1,0) |  1 |  3 |  5 |
      +----+----+----+
(0,1) |  6 |  8 | 10 |
      +----+----+----+
(1,1) |  7 |  9 | 11 |
      +----+----+----+
"""


class Pictures(unittest.TestCase):
    def test_tables(self):
        self.assertEqual(str(Layout(((2, 2), 3), ((1, 6), 2)).draw()), TABLE)
        self.assertIn("(2 of 4 rows are shown)", Layout((4, 2)).draw(max=2).text())

    def test_threads_and_values(self):
        text = THREADS.draw_threads((2, 8)).text()
        self.assertIn("0 | T0 V0 | T0 V1 | T1 V0 |", text)
        with self.assertRaises(LayoutError):
            THREADS.draw_threads((2, 4))

    def test_banks(self):
        plain = Layout((4, 32), (32, 1))
        access = Layout((4, 4), (1, 4))
        self.assertIn("4 wavefronts", plain.draw_banks(32, access=access).text())
        swizzled = composition(Swizzle(2, 2, 3), plain)
        self.assertIn("1 wavefront in 1 phase", swizzled.draw_banks(32, "(4,4):(1,4)").text())

    def test_documents(self):
        for layout in [THREADS, composition(Swizzle(1, 0, 1), Layout((2, 2))), make_identity_layout((2, 3)), to_linear(THREADS)]:
            for text in [layout._repr_svg_(), layout._repr_html_(), layout.draw().svg(), layout.draw()._repr_html_()]:
                xml.fromstring(text)
            self.assertEqual(layout.draw()._repr_svg_(), layout._repr_svg_())
        self.assertIn("tikzpicture", THREADS.draw().latex())

    def test_what_is_no_layout_of_integers_is_shown_as_text(self):
        for value in [Swizzle(1, 0, 1), Layout(("M", 8))]:
            self.assertIsNone(value._repr_svg_())
            self.assertIsNone(value._repr_html_())
        with self.assertRaisesRegex(LayoutError, "substitute"):
            Layout(("M", 8)).draw()

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for end in ["svg", "html", "tex", "txt"]:
                path = pathlib.Path(folder) / f"picture.{end}"
                THREADS.draw().save(path)
                self.assertGreater(path.stat().st_size, 100)
            with self.assertRaisesRegex(LayoutError, "expected a file that ends in .svg"):
                THREADS.draw().save(pathlib.Path(folder) / "picture.png")
