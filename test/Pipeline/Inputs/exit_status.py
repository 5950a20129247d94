"""Runs a program, and prints its exit status and its output."""

import subprocess
import sys

done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
print(f"{done.returncode}: {(done.stdout + done.stderr).strip()}")
