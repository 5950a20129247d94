"""`compile`, `load` and what they give, without a GPU."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import layout_mlir
from sources import BROKEN, KERNELS, MATMUL, TWICE


class Sources(unittest.TestCase):
    def test_text_bytes_path_and_what_prints_as_mlir(self):
        class Printed:
            def __str__(self):
                return TWICE

        path = KERNELS / "softmax.mlir"
        for source, name in [
            (TWICE, "twice"),
            (TWICE.encode(), "twice"),
            (Printed(), "twice"),
            (path, "softmax"),
            (str(path), "softmax"),
            (path.read_text(), "softmax"),
        ]:
            module = layout_mlir.compile(source, chip="sm_90a", cache=False)
            self.assertEqual(list(module.functions), [name])

    def test_bytecode(self):
        tool = pathlib.Path(os.environ["LAYOUT_LLVM_BIN"]) / "mlir-opt"
        bytecode = subprocess.run([tool, "--emit-bytecode"], input=TWICE.encode(), capture_output=True, check=True).stdout
        module = layout_mlir.compile(bytecode, chip="sm_80", cache=False)
        self.assertEqual(list(module.functions), ["twice"])

    def test_a_file_that_is_not_there(self):
        with self.assertRaisesRegex(OSError, "cannot read .*none.mlir: No such file"):
            layout_mlir.compile("none.mlir")


class Modules(unittest.TestCase):
    def test_a_program_and_its_kernels(self):
        module = layout_mlir.compile(TWICE, chip="sm_90a", cache=False)
        self.assertEqual(repr(module), "<layout_mlir.Module for sm_90a: twice>")
        self.assertEqual(module.twice.kind, "program")
        self.assertGreaterEqual(len(module.kernels), 2)
        self.assertEqual(json.loads(module.manifest)["programs"][0]["name"], "twice")
        self.assertIn(".target sm_90a", module.ptx)
        self.assertIn("twice", dir(module))
        with self.assertRaisesRegex(AttributeError, "expected one of the functions twice, found thrice"):
            module.thrice

    def test_kernels(self):
        softmax = layout_mlir.compile(KERNELS / "softmax.mlir", chip="sm_90a", cache=False).softmax
        self.assertEqual((softmax.name, softmax.__name__, softmax.kind), ("softmax", "softmax", "kernel"))
        self.assertEqual(softmax.sizes, {"rows": (1, 1048576, 1)})
        described = [(one.name, one.element, one.access, one.shape, one.strides) for one in softmax.operands]
        self.assertEqual(
            described,
            [
                ("in", "bf16", "read", ["rows", "4096"], ["4096", "1"]),
                ("out", "bf16", "write", ["rows", "4096"], ["4096", "1"]),
            ],
        )
        matmul = layout_mlir.compile(MATMUL, chip="sm_90a", cache=False).gemm
        self.assertIn(matmul.kind, ("kernel", "family"))
        self.assertEqual([one.access for one in matmul.operands], ["read", "read", "write"])

    def test_every_chip(self):
        for chip in layout_mlir.chips():
            with self.subTest(chip=chip):
                module = layout_mlir.compile(TWICE, chip=chip, cache=False)
                self.assertEqual(module.chip, chip)

    def test_a_module_of_several_functions_is_not_called(self):
        two = TWICE + TWICE.replace("@twice", "@again").replace("#all", "#all2").replace("#row", "#row2")
        module = layout_mlir.compile(two, chip="sm_90a", cache=False)
        self.assertEqual(sorted(module.functions), ["again", "twice"])
        with self.assertRaisesRegex(TypeError, "expected a module of one function, found twice, again; call one of them"):
            module(1)

    def test_saved_and_loaded(self):
        module = layout_mlir.compile(TWICE, chip="sm_80", cache=False)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "twice.ptx"
            module.save(path)
            again = layout_mlir.load(path)
            self.assertEqual((again.ptx, again.manifest, again.chip), (module.ptx, module.manifest, "sm_80"))
            self.assertEqual(list(again.functions), ["twice"])
            with self.assertRaisesRegex(ValueError, "expected a path that ends in .ptx, found .*twice.so"):
                module.save(path.with_suffix(".so"))
            path.with_suffix(".json").write_text("{}")
            with self.assertRaisesRegex(ValueError, "manifest: missing field `version`"):
                layout_mlir.load(path)
            path.with_suffix(".json").unlink()
            with self.assertRaisesRegex(FileNotFoundError, "cannot read .*twice.json"):
                layout_mlir.load(path)


class Errors(unittest.TestCase):
    def test_diagnostics_have_places_and_notes(self):
        with self.assertRaises(layout_mlir.CompileError) as raised:
            layout_mlir.compile(BROKEN, cache=False)
        [one] = raised.exception.diagnostics
        [note] = one.notes
        self.assertEqual((one.severity, one.location, one.message), ("error", "-:4:1", "redefinition of symbol named 'f'"))
        self.assertEqual((note.severity, note.location), ("note", "-:1:1"))
        self.assertEqual(str(raised.exception), str(one))
        self.assertEqual(str(one).splitlines()[0], "-:4:1: error: redefinition of symbol named 'f'")

    def test_messages_without_a_place(self):
        for source, keywords, expected in [
            (TWICE, {"chip": "sm_1"}, "sm_1"),
            ("module {}", {"chip": "sm_80"}, "expected a public function on tensors, a layout.matmul or a kernel with layout.kernel, found none of them"),
        ]:
            with self.assertRaisesRegex(layout_mlir.CompileError, expected) as raised:
                layout_mlir.compile(source, cache=False, **keywords)
            self.assertEqual({one.severity for one in raised.exception.diagnostics} & {"error"}, {"error"})

    def test_arguments(self):
        with self.assertRaisesRegex(ValueError, "expected an opt_level of 0 to 3, found 4"):
            layout_mlir.compile(TWICE, opt_level=4)
        with self.assertRaisesRegex(TypeError, "expected a folder, True or False as cache"):
            layout_mlir.compile(TWICE, cache=3)
        with self.assertRaisesRegex(ValueError, "expected bytes of MLIR's text or bytecode"):
            layout_mlir.compile(b"\xff\xfe", cache=False)


class Caches(unittest.TestCase):
    def test_the_second_compilation_is_the_first(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder) / "cache"
            first = layout_mlir.compile(TWICE, chip="sm_90a", cache=cache)
            self.assertEqual(len(list(cache.iterdir())), 1)
            again = layout_mlir.compile(TWICE, chip="sm_90a", cache=cache)
            self.assertEqual(len(list(cache.iterdir())), 1)
            self.assertEqual((again.ptx, again.manifest), (first.ptx, first.manifest))
            shown = lambda module: [(str(one), one.severity) for one in module.diagnostics]
            self.assertEqual(shown(again), shown(first))
            # Its key: the text, the chip, the level.
            layout_mlir.compile(TWICE + "\n", chip="sm_90a", cache=cache)
            layout_mlir.compile(TWICE, chip="sm_80", cache=cache)
            layout_mlir.compile(TWICE, chip="sm_90a", opt_level=0, cache=cache)
            self.assertEqual(len(list(cache.iterdir())), 4)

    def test_the_folder_of_the_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            before = os.environ.get("LAYOUT_CACHE")
            os.environ["LAYOUT_CACHE"] = folder
            try:
                layout_mlir.compile(TWICE, chip="sm_90a", cache=False)
                self.assertEqual(os.listdir(folder), [])
                layout_mlir.compile(TWICE, chip="sm_90a")
                self.assertEqual(len(os.listdir(folder)), 1)
            finally:
                os.environ.pop("LAYOUT_CACHE")
                if before is not None:
                    os.environ["LAYOUT_CACHE"] = before

    def test_a_cache_that_cannot_be_written_is_a_warning(self):
        with tempfile.NamedTemporaryFile() as file:
            module = layout_mlir.compile(TWICE, chip="sm_90a", cache=file.name)
            warnings = [one for one in module.diagnostics if one.severity == "warning"]
            self.assertRegex(warnings[-1].message, "cannot keep a compilation in ")
