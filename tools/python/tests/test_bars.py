"""Promises of the package: size, the time of an import, the time of a composition."""

import os
import pathlib
import subprocess
import sys
import time
import unittest

from layout_algebra import Layout, composition

#: Bytes of the wheel, seconds of an import, seconds of a million compositions.
WHEEL, IMPORT, MILLION = 5_000_000, 0.050, 3.0


class Bars(unittest.TestCase):
    def test_size_of_the_wheel(self):
        found = pathlib.Path(os.environ["LAYOUT_WHEEL"]).stat().st_size
        print(f"wheel: {found / 1e6:.2f} MB")
        self.assertLessEqual(found, WHEEL)

    def test_time_of_an_import(self):
        program = "import time; t = time.perf_counter(); import layout_algebra; print(time.perf_counter() - t)"
        times = [float(subprocess.check_output([sys.executable, "-I", "-c", program])) for _ in range(5)]
        print(f"import: {sorted(times)[2] * 1e3:.1f} ms, the median of 5 processes")
        self.assertLessEqual(min(times), IMPORT)

    def test_time_of_compositions(self):
        a, b = Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))
        times = []
        for _ in range(3):
            start = time.perf_counter()
            for _ in range(200_000):
                composition(a, b)
            times.append(5 * (time.perf_counter() - start))
        print(f"1,000,000 compositions: {sorted(times)[1]:.2f} s, the median of 3 runs of a fifth")
        self.assertLessEqual(min(times), MILLION)
