"""Promises of the package: the README's examples, stubs, docstrings, size, the time of an import."""

import ast
import doctest
import inspect
import os
import pathlib
import subprocess
import sys
import unittest

import layout_mlir
from layout_mlir import _native
from sources import ROOT

#: Seconds of an import.
IMPORT = 0.2


class Readme(unittest.TestCase):
    def test_examples(self):
        path = ROOT / "tools" / "python-mlir" / "README.md"
        found = doctest.testfile(str(path), module_relative=False)
        self.assertGreaterEqual(found.attempted, 5)
        self.assertEqual(found.failed, 0)


class Stubs(unittest.TestCase):
    def setUp(self):
        path = pathlib.Path(layout_mlir.__file__).with_name("_native.pyi")
        self.stubs = ast.parse(path.read_text())

    def test_every_name_has_a_stub(self):
        names = {node.name for node in self.stubs.body if hasattr(node, "name")}
        names |= {node.target.id for node in self.stubs.body if isinstance(node, ast.AnnAssign)}
        own = {name for name in dir(_native) if not name.startswith("_")} | {"__version__"}
        self.assertEqual(names - {"Tensor", "Stream"}, own)

    def test_every_member_has_a_stub(self):
        for node in self.stubs.body:
            if not isinstance(node, ast.ClassDef) or node.name.endswith("Error"):
                continue
            kind = getattr(_native, node.name)
            found = {member.name for member in node.body if hasattr(member, "name")}
            own = {name for name in vars(kind) if not name.startswith("_")}
            self.assertEqual({name for name in found if not name.startswith("_")}, own, node.name)
            self.assertTrue(all(hasattr(kind, name) for name in found - {"__getattr__", "__name__"}), node.name)

    def test_docstrings(self):
        for name in layout_mlir.__all__:
            value = getattr(layout_mlir, name)
            if isinstance(value, bool):
                continue
            self.assertTrue(inspect.getdoc(value), name)
            for member, it in vars(value).items() if inspect.isclass(value) else ():
                if not member.startswith("_") and not name.endswith("Error"):
                    self.assertTrue(inspect.getdoc(it), f"{name}.{member}")


class Bars(unittest.TestCase):
    def test_size_and_import(self):
        size = pathlib.Path(os.environ["LAYOUT_WHEEL"]).stat().st_size
        program = "import time; t = time.perf_counter(); import layout_mlir; print(time.perf_counter() - t)"
        times = [float(subprocess.check_output([sys.executable, "-I", "-c", program])) for _ in range(5)]
        print(f"wheel: {size / 1e6:.1f} MB; import: {sorted(times)[2] * 1e3:.1f} ms, the median of 5 processes")
        self.assertLessEqual(min(times), IMPORT)
