"""Runs the tests of the installed package, and says how many passed as `cargo test` does.

    PYCUTE_TESTS=FOLDER LAYOUT_WHEEL=FILE python -I tools/python/tests/run.py [FOLDER]

The tests are those beside this file, or those of FOLDER. PYCUTE_TESTS is the folder with pycute's own test files, LAYOUT_WHEEL the wheel that is
installed; `cargo xtask wheel` sets both.
"""

import pathlib
import sys
import unittest

here = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent).resolve()
sys.path.insert(0, str(here))
suite = unittest.defaultTestLoader.discover(str(here), "test_*.py", str(here))
result = unittest.TextTestRunner(verbosity=1).run(suite)
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
passed = result.testsRun - failed - len(result.skipped)
# Nothing here may be skipped.
failed += len(result.skipped)
print(f"test result: {'ok' if failed == 0 else 'FAILED'}. {passed} passed; {failed} failed")
sys.exit(failed != 0)
