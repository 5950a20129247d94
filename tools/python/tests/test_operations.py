"""Every row of the table of operations, and the examples of the documentation."""

import ast
import doctest
import inspect
import pathlib
import unittest

import layout_algebra
from layout_algebra import OPERATIONS, Layout, LinearLayout, _methods, _native, cute, evaluate, pycute

PACKAGE = pathlib.Path(layout_algebra.__file__).parent


def arguments(text):
    """The operands of a call, one text each."""
    inside, parts, depth = text[text.index("(") + 1 : -1], [""], 0
    for c in inside.replace("->", "\0"):
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip().replace("\0", "->") for part in parts]


class Table(unittest.TestCase):
    def test_every_example_is_answered_by_its_function(self):
        for name, _, _, _, _, (term, value), *_ in OPERATIONS:
            with self.subTest(name):
                called = getattr(_native, name)(*arguments(term))
                self.assertEqual(called, evaluate(term))
                shown = str(called).replace(", ", ",")
                spaced = value.replace(", ", ",").replace("true", "True").replace("false", "False")
                if isinstance(called, tuple) and spaced.startswith("["):
                    continue
                self.assertEqual(shown.replace(",)", ")"), spaced.replace(",)", ")"))

    def test_every_method_answers_as_its_function(self):
        for name, _, _, _, _, (term, _), _, place, linear, _ in OPERATIONS:
            if place is None or linear:
                continue
            with self.subTest(name):
                operands = [evaluate(text) for text in arguments(term)]
                receiver = operands[place]
                if not hasattr(receiver, name):
                    continue  # a shape or a linear layout in the example
                rest = operands[:place] + operands[place + 1 :]
                self.assertEqual(getattr(receiver, name)(*rest), evaluate(term))

    def test_documentation_of_every_function(self):
        runner = doctest.DocTestRunner(verbose=False)
        for name, *_ in OPERATIONS:
            function = getattr(_native, name)
            self.assertIn("Law: ", function.__doc__)
            self.assertTrue(str(inspect.signature(function)).startswith("("))
            test = doctest.DocTestParser().get_doctest(function.__doc__, vars(layout_algebra).copy(), name, None, 0)
            self.assertEqual(len(test.examples), 1)
            runner.run(test)
        self.assertEqual(runner.summarize().failed, 0)

    def test_examples_of_the_modules(self):
        for module in [layout_algebra, _methods, cute, pycute]:
            self.assertEqual(doctest.testmod(module, extraglobs=vars(layout_algebra)).failed, 0)

    def test_examples_of_the_readmes(self):
        folder = pathlib.Path(__file__).resolve().parents[1]
        # The package's own, and what the repository's shows of it.
        for readme, least in [(folder / "README.md", 8), (folder.parents[1] / "README.md", 2)]:
            result = doctest.testfile(str(readme), module_relative=False)
            self.assertEqual(result.failed, 0)
            self.assertGreaterEqual(result.attempted, least)

    def test_the_stubs_have_every_name(self):
        tree = ast.parse((PACKAGE / "_native.pyi").read_text())
        stubbed = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        public = {name for name in dir(_native) if not name.startswith("_") and name != "OPERATIONS"}
        self.assertEqual(public, {name for name in stubbed if not name.startswith("_")})
        for kind in [Layout, LinearLayout]:
            declared, node = set(), stubbed[kind.__name__]
            while node is not None:
                declared |= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
                node = stubbed.get(node.bases[0].id) if node.bases else None
            public = {name for name in dir(kind) if not name.startswith("_")}
            self.assertEqual(public - declared, set())
            self.assertEqual({name for name in declared if not name.startswith("_")} - public, set())

    def test_star_leaves_the_functions_of_python_alone(self):
        names = {}
        exec("from layout_algebra import *", names)
        self.assertEqual({"filter", "slice", "zip"} & set(names), set())
        self.assertIn("zipped_divide", names)
