"""Feeds prefixes of a file to a tool: none may crash it, and most are errors.

Usage: prefixes.py TOOL FILE
"""

import subprocess
import sys

STEP = 97  # Coprime to every line length, so that all kinds of places are hit.

tool, path = sys.argv[1:]
text = open(path, "rb").read()
for end in range(1, len(text), STEP):
    run = subprocess.run([tool], input=text[:end], capture_output=True)
    if run.returncode not in (0, 1):
        sys.exit("expected exit code 0 or 1 at byte %d, found %d" % (end, run.returncode))
    if run.returncode == 1 and b"error:" not in run.stderr:
        sys.exit("expected a diagnostic at byte %d, found none" % end)
